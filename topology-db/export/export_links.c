/* SPDX-License-Identifier: BSD-3-Clause */
/* Links as CSV, and as a Graphviz graph. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/export/export.h"
#include "util/alloc.h"
#include "util/safe_text.h"

/* ---- CSV --------------------------------------------------------------------------------- */

static void put_field(FILE *out, const char *text)
{
    if (*text && !strpbrk(text, ",\"#") && *text != ' ' && text[strlen(text) - 1] != ' ') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* A port or a rate that is not known is empty. */
static void put_end(FILE *out, const char *name, uint32_t port)
{
    put_field(out, name);
    fprintf(out, port ? ",%u," : ",,", port);
}

/* `# all hosts: LIST`: these names and no other ones are hosts, so that neither a host on several
 * switches nor a switch with one neighbour is taken for the other kind. */
static int put_hosts(struct db_export *x, topomap_error *err)
{
    TOPOMAP_FREED char **name = topomap_alloc(x->hosts, sizeof *name, err), *folded = NULL;
    topomap_names names = {0, name};

    if (!name)
        return -1;
    for (uint32_t h = 0; h < x->hosts; h++)
        if (x->host[h].home != UINT32_MAX)
            name[names.count++] = x->host[h].name;
    folded = names.count ? topomap_hostlist_fold(&names, err) : topomap_strdup("", err);
    if (!folded)
        return -1;
    fprintf(x->out, "# all hosts: %s\n", folded);
    return 0;
}

/* Adapters of one host count their ports on, because a host has no adapters here: the first
 * adapter's port keeps its number, later ones get what is free. */
static uint32_t port_of(const struct db_export *x, size_t i, uint32_t *last)
{
    const struct db_cable *cable = &x->cable[i];
    int same = i > 0 && x->cable[i - 1].host == cable->host;

    if (!cable->aport)
        return 0;
    *last = same && *last >= cable->aport ? *last + 1 : cable->aport;
    return *last;
}

static int run_links(struct db_export *x, topomap_error *err)
{
    uint32_t last = 0;

    if (put_hosts(x, err))
        return -1;
    for (size_t i = 0; i < x->cables; i++) {
        const struct db_cable *cable = &x->cable[i];
        uint32_t port = cable->host == UINT32_MAX ? cable->aport : port_of(x, i, &last);

        put_end(x->out,
                cable->host == UINT32_MAX ? x->sw[cable->a].label : x->host[cable->host].name,
                port);
        put_end(x->out, x->sw[cable->b].label, cable->bport);
        if (cable->mbps)
            fprintf(x->out, cable->mbps % 1000 ? "%u.%03u" : "%u", cable->mbps / 1000,
                    cable->mbps % 1000);
        if (*cable->class) {
            fputc(',', x->out);
            put_field(x->out, cable->class);
        }
        fputc('\n', x->out);
    }
    return 0;
}

/* ---- dot --------------------------------------------------------------------------------- */

static void put_quoted(FILE *out, const char *text)
{
    char safe[1024];

    snprintf(safe, sizeof safe, "%s", text);
    topomap_safe_line(safe, sizeof safe); /* its backslashes are quoted, too */
    fputc('"', out);
    for (const char *at = safe; *at; at++) {
        if (*at == '"' || *at == '\\')
            fputc('\\', out);
        fputc(*at, out);
    }
    fputc('"', out);
}

/* 0: the same two ends. */
static int by_pair(const struct db_cable *x, const struct db_cable *y)
{
    return TOPOMAP_ORDER(x->host, y->host)
               ?: (x->host == UINT32_MAX ? TOPOMAP_ORDER(x->a, y->a) : 0)
               ?: TOPOMAP_ORDER(x->b, y->b);
}

/* Cables between the same two ends follow one another but for their ports: one edge each. */
typedef const struct db_cable *cable_at;
TOPOMAP_COMPARE(by_place, cable_at, by_pair(*x, *y), TOPOMAP_ORDER(*x, *y))

static void put_edges(struct db_export *x, const cable_at *sorted)
{
    size_t count = x->cables, end;

    for (size_t i = 0; i < count; i = end) {
        const struct db_cable *cable = sorted[i];
        double rate = 0;

        for (end = i; end < count && by_pair(cable, sorted[end]) == 0; end++)
            rate += sorted[end]->mbps / 1000.0;
        fputs("  ", x->out);
        put_quoted(x->out,
                   cable->host == UINT32_MAX ? x->sw[cable->a].label : x->host[cable->host].name);
        fputs(" -- ", x->out);
        put_quoted(x->out, x->sw[cable->b].label);
        fprintf(x->out, " [label=\"%.0f\", penwidth=%zu];\n", rate, end - i < 8 ? end - i : 8);
    }
}

static int run_dot(struct db_export *x, topomap_error *err)
{
    TOPOMAP_FREED cable_at *sorted = topomap_alloc(x->cables, sizeof *sorted, err);

    if (!sorted)
        return -1;
    for (size_t i = 0; i < x->cables; i++)
        sorted[i] = &x->cable[i];
    TOPOMAP_SORT(sorted, x->cables, by_place);
    fprintf(x->out, "// Edges: Gb/s, of all parallel links together.\ngraph fabric {\n"
                    "  node [shape=ellipse];\n");
    for (uint32_t i = 0; i < x->graph.count; i++)
        if (x->sw[i].kept) {
            fputs("  ", x->out);
            put_quoted(x->out, x->sw[i].label);
            fputs(" [shape=box];\n", x->out);
        }
    for (uint32_t h = 0; h < x->hosts; h++) {
        fputs("  ", x->out);
        put_quoted(x->out, x->host[h].name);
        fputs(";\n", x->out);
    }
    put_edges(x, sorted);
    fprintf(x->out, "}\n");
    return 0;
}

const db_exporter db_export_links = {
    .row = {"links", "CSV of name,port,name,port,Gb/s,class, which `db import links` reads"},
    .run = run_links,
    .links = 1,
};

const db_exporter db_export_dot = {
    .row = {"dot", "Graphviz graph of switches and hosts"},
    .run = run_dot,
};
