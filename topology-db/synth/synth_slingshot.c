/* SPDX-License-Identifier: BSD-3-Clause */
/* Made dragonflies as Slingshot: a group is a cabinet, its switches eight a chassis. What the
 * importers slingshot-cables and slingshot-ama read. */

#include "topology-db/synth/synth.h"

/* What an algorithmic address has bits for; port 0 is none here. */
enum { GROUPS = 512, SWITCHES = 32, PORTS = 63, A_CHASSIS = 8, A_BLADE = 2, FIRST = 1000 };

/* An interface is the host, and its number among the host's. */
static void put_host(const struct synth_fabric *fabric, uint32_t vertex, char *text, size_t size)
{
    uint32_t host = (vertex - fabric->switches) / fabric->rails, blade = host / A_BLADE;

    /* Blades are numbered through, eight a chassis and eight chassis a cabinet. */
    snprintf(text, size, "x%uc%us%ub0n%u", FIRST + blade / (A_CHASSIS * A_CHASSIS),
             blade / A_CHASSIS % A_CHASSIS, blade % A_CHASSIS, host % A_BLADE);
}

static uint32_t rail_of(const struct synth_fabric *fabric, uint32_t vertex)
{
    return (vertex - fabric->switches) % fabric->rails;
}

int synth_slingshot_name(struct synth_fabric *fabric, const struct synth_spec *spec,
                         topomap_error *err)
{
    char name[2 * SYNTH_NAME], host[SYNTH_NAME];

    if (!fabric->group || fabric->group > SWITCHES || fabric->switches / fabric->group > GROUPS ||
        fabric->ports[1] > PORTS)
        return synth_fail(spec, err,
                          "as=slingshot: expected a dragonfly of at most %d groups, %d switches a "
                          "group and %d ports a switch: what an address has room for",
                          GROUPS, SWITCHES, PORTS);
    for (uint32_t v = 0; v < fabric->base.vertices; v++) {
        uint32_t group = v / fabric->group, sw = v % fabric->group;

        if (v < fabric->switches) {
            snprintf(name, sizeof name, "x%uc%ur%u", FIRST + group, sw / A_CHASSIS, sw % A_CHASSIS);
        } else {
            put_host(fabric, v, host, sizeof host);
            snprintf(name, sizeof name, "%s %s%u", host, fabric->rails > 1 ? "mlx5_" : "HCA-",
                     fabric->rails > 1 ? rail_of(fabric, v) : 1);
        }
        if (topomap_fabric_rename(&fabric->base, v, name, err))
            return -1;
    }
    return 0;
}

/* ---- Cables ---------------------------------------------------------------------------------- */

/* Two ports a jack: port 1 is the first of jack 0. */
static void put_end(const struct synth_fabric *fabric, uint32_t vertex, uint32_t port, FILE *out)
{
    char host[SYNTH_NAME];

    if (vertex < fabric->switches) {
        fprintf(out, "%sj%up%u", topomap_fabric_name(&fabric->base, vertex), (port - 1) / 2,
                (port - 1) % 2);
        return;
    }
    put_host(fabric, vertex, host, sizeof host);
    fprintf(out, "%sh%u", host, rail_of(fabric, vertex));
}

int synth_write_slingshot_cables(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    static const char *const types[] = {"local", "global"};

    (void)err;
    fprintf(out, "# a made machine\n"
                 "cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,link_type\n");
    for (size_t i = 0; i < fabric->base.links; i++) {
        const topomap_link *link = &fabric->base.link[i];

        if (!link->ends)
            continue;
        fprintf(out, "%zu,", i + 1);
        put_end(fabric, link->a, link->aport, out);
        fprintf(out, ",none,");
        put_end(fabric, link->b, link->bport, out);
        fprintf(out, ",none,%s\n", link->b >= fabric->switches ? "edge" : types[link->class != 0]);
    }
    return 0;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

int synth_write_slingshot_ama(const struct synth_fabric *fabric, FILE *out, topomap_error *err)
{
    char host[SYNTH_NAME];

    (void)err;
    for (size_t i = 0; i < fabric->base.links; i++) {
        const topomap_link *link = &fabric->base.link[i];
        uint32_t group = link->a / fabric->group, sw = link->a % fabric->group;
        uint32_t place = group << 11 | sw << 6 | link->aport;

        if (!link->ends || link->b < fabric->switches)
            continue;
        put_host(fabric, link->b, host, sizeof host);
        fprintf(out, "%s NIC %u macaddr 02:00:00:%02x:%02x:%02x location %03u.%02u.%02u\n", host,
                rail_of(fabric, link->b), place >> 16, place >> 8 & 255, place & 255, group, sw,
                link->aport);
    }
    return 0;
}
