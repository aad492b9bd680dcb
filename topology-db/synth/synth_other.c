/* SPDX-License-Identifier: BSD-3-Clause */
/* Made fabrics as other tools than InfiniBand's print them: what the importers of those read, so
 * that one machine can be had from several sources. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/synth/synth.h"
#include "util/alloc.h"

/* As makers name it: 100 of four lanes of EDR. */
static uint32_t gbps_of(const topomap_link *link)
{
    static const uint8_t lane[] = {0, 2, 5, 10, 10, 14, 25, 50, 100, 200};

    return link->speed < sizeof lane ? link->width * (uint32_t)lane[link->speed] : 0;
}

/* A host by its name, which adapters have before a blank. */
static int host_length(const struct synth_fabric *fabric, uint32_t vertex)
{
    const char *name = topomap_fabric_name(&fabric->base, vertex);

    return (int)(vertex < fabric->switches ? strlen(name) : strcspn(name, " "));
}

/* ---- Omni-Path: opareport -o links -x ----------------------------------------------------------
 */

enum { OPA_100 = 6, OPA_400 = 8 }; /* EDR, NDR */

static void put_opa_end(const struct synth_fabric *fabric, uint32_t vertex, uint32_t port,
                        FILE *out)
{
    fprintf(out,
            "<Port><NodeGUID>0x%016" PRIx64
            "</NodeGUID><PortNum>%u</PortNum><NodeType>%s</NodeType>"
            "<NodeDesc>%s</NodeDesc></Port>",
            synth_guid(fabric, vertex), port, vertex < fabric->switches ? "SW" : "FI",
            topomap_fabric_name(&fabric->base, vertex));
}

int synth_write_opa(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    (void)err;
    fprintf(out, "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<Report>\n<LinkSummary>\n");
    for (size_t i = 0; i < fabric->base.links; i++) {
        const topomap_link *link = &fabric->base.link[i];

        if (!link->ends)
            continue;
        /* Its lanes are of 25 or 100 Gb/s. */
        if (link->speed == OPA_100 || link->speed == OPA_400)
            fprintf(out, "<Link><Rate>%ug</Rate>", gbps_of(link));
        else
            fprintf(out, "<Link><Rate>none</Rate>");
        put_opa_end(fabric, link->a, link->aport, out);
        put_opa_end(fabric, link->b, link->bport, out);
        fprintf(out, "</Link>\n");
    }
    fprintf(out, "</LinkSummary>\n</Report>\n");
    return 0;
}

/* ---- Ethernet: lldpcli show neighbors details -f json0, of all systems
 * ----------------------------------- */

/* A switch's front port, a host's by its rail. */
static void put_port(const struct synth_fabric *fabric, uint32_t vertex, uint32_t port, FILE *out)
{
    if (vertex < fabric->switches)
        fprintf(out, "swp%u", port);
    else
        fprintf(out, "eth%u", (vertex - fabric->switches) % fabric->rails);
}

static void put_neighbour(const struct synth_fabric *fabric, uint32_t at, const topomap_end *end,
                          FILE *out)
{
    const topomap_link *link = &fabric->base.link[end->link];
    uint32_t peer = end->peer, port = link->a == at ? link->bport : link->aport;

    fprintf(out, "{\"name\":\"");
    put_port(fabric, at, end->port, out);
    fprintf(
        out,
        "\",\"via\":\"LLDP\",\"chassis\":[{\"id\":[{\"type\":\"mac\",\"value\":"
        "\"02:4d:%02x:%02x:%02x:%02x\"}],\"name\":[{\"value\":\"%.*s\"}],\"capability\":[{"
        "\"type\":\"%s\",\"enabled\":true}]}],\"port\":[{\"id\":[{\"type\":\"ifname\",\"value\":\"",
        peer >> 24 & 255, peer >> 16 & 255, peer >> 8 & 255, peer & 255, host_length(fabric, peer),
        topomap_fabric_name(&fabric->base, peer), peer < fabric->switches ? "Bridge" : "Station");
    put_port(fabric, peer, port, out);
    fprintf(out, "\"}],\"auto-negotiation\":[{\"current\":[{\"value\":\"%uGBaseCR4 - full\"}]}]}]}",
            gbps_of(link));
}

/* Of a switch, or of all rails of a host. */
static void put_system(const struct synth_fabric *fabric, uint32_t from, uint32_t to,
                       const uint32_t *first, const topomap_end *end, const char **between,
                       FILE *out)
{
    const char *comma = "";

    if (first[from] == first[to])
        return; /* it is told of nobody */
    fprintf(out, "%s\"%.*s\":{\"lldp\":[{\"interface\":[", *between, host_length(fabric, from),
            topomap_fabric_name(&fabric->base, from));
    *between = ",\n";
    for (uint32_t v = from; v < to; v++)
        for (uint32_t i = first[v]; i < first[v + 1]; i++) {
            fputs(comma, out);
            put_neighbour(fabric, v, &end[i], out);
            comma = ",\n ";
        }
    fprintf(out, "]}]}");
}

int synth_write_lldp(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    const topomap_fabric *f = &fabric->base;
    const char *between = "";
    uint32_t *first;
    topomap_end *end;

    if (topomap_ends_list(f->vertices, f->links, f->link, TOPOMAP_ENDS_BY_PORT, &first, &end, err))
        return -1;
    fputc('{', out);
    for (uint32_t v = 0; v < fabric->switches; v++)
        put_system(fabric, v, v + 1, first, end, &between, out);
    for (uint32_t host = 0; host < fabric->hosts; host++) {
        uint32_t v = fabric->switches + host * fabric->rails;

        put_system(fabric, v, v + fabric->rails, first, end, &between, out);
    }
    fprintf(out, "}\n");
    free(first);
    free(end);
    return 0;
}

/* ---- Clouds, which tell parts of the network in each other
 * --------------------------------------- */

/* Switches below \p level that are joined without any at it or above: group[v] is the least of
 * them. */
static int find_groups(const struct synth_fabric *fabric, uint32_t level, const uint32_t *first,
                       const topomap_end *end, uint32_t *group, topomap_error *err)
{
    const topomap_fabric *f = &fabric->base;
    TOPOMAP_FREED uint32_t *queue = topomap_alloc(fabric->switches, sizeof *queue, err);

    if (!queue)
        return -1;
    memset(group, 0xff, fabric->switches * sizeof *group);
    for (uint32_t from = 0; from < fabric->switches; from++) {
        uint32_t found = 1;

        if (group[from] != UINT32_MAX || f->vertex[from].level >= level)
            continue;
        group[from] = queue[0] = from;
        for (uint32_t i = 0; i < found; i++)
            for (uint32_t k = first[queue[i]]; k < first[queue[i] + 1]; k++) {
                uint32_t peer = end[k].peer;

                if (peer >= fabric->switches || f->vertex[peer].level >= level ||
                    group[peer] != UINT32_MAX)
                    continue;
                group[peer] = from;
                queue[found++] = peer;
            }
    }
    return 0;
}

static void put_instances(const struct synth_fabric *fabric, const uint32_t *group, uint32_t levels,
                          const uint32_t *first, const topomap_end *end, FILE *out)
{
    const char *comma = "";

    fprintf(out, "{\"Instances\":[");
    for (uint32_t host = 0; host < fabric->hosts; host++) {
        uint32_t v = fabric->switches + host * fabric->rails, leaf;

        if (first[v] == first[v + 1])
            continue;
        leaf = end[first[v]].peer;
        fprintf(out, "%s\n{\"InstanceId\":\"%.*s\",\"NetworkNodes\":[", comma,
                host_length(fabric, v), topomap_fabric_name(&fabric->base, v));
        for (uint32_t level = levels; level-- > 0;)
            fprintf(out, "\"nn-%u-%u\"%s", level, group[(size_t)level * fabric->switches + leaf],
                    level ? "," : "");
        fprintf(out, "]}");
        comma = ",";
    }
    fprintf(out, "\n]}\n");
}

/* The outermost part is everything, as AWS has one; the innermost a leaf. */
int synth_write_aws(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    const topomap_fabric *f = &fabric->base;
    uint32_t lowest = UINT32_MAX, highest = 0, levels, *first, *group;
    topomap_end *end;
    int result = 0;

    for (uint32_t v = 0; v < fabric->switches; v++) {
        lowest = f->vertex[v].level < lowest ? f->vertex[v].level : lowest;
        highest = f->vertex[v].level > highest ? f->vertex[v].level : highest;
    }
    levels = highest - lowest + 1;
    if (topomap_ends_list(f->vertices, f->links, f->link, TOPOMAP_ENDS_BY_PORT, &first, &end, err))
        return -1;
    group = topomap_alloc((size_t)levels * fabric->switches, sizeof *group, err);
    for (uint32_t level = 0; group && !result && level < levels; level++)
        result = find_groups(fabric, lowest + level + 1, first, end,
                             group + (size_t)level * fabric->switches, err);
    if (group && !result)
        put_instances(fabric, group, levels, first, end, out);
    result |= !group;
    free(group);
    free(first);
    free(end);
    return result ? -1 : 0;
}
