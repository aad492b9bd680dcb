/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels of the switches of Slurm's topology file: one above the highest that is below it. */
#include <stdlib.h>

#include "topology-db/export/export.h"
#include "util/alloc.h"

struct edge {
    uint32_t lower, upper; /* indices of switches */
};

/* Units of a tree and the blocks are the first switches, in order of their ids; switches of the
 * aggregates of blocks follow those that they join (derive_slurm.c). */
static int read_edges(struct db_export *x, int tree, struct edge **edge, size_t *count,
                      topomap_error *err)
{
    size_t room = 0;
    DB_ROWS rows = db_ask(
        x->file,
        tree ? "WITH u AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM slurm_unit WHERE"
               " topology = (SELECT id FROM slurm_topology WHERE chosen)),"
               " first AS (SELECT min(id) - 1 AS id FROM slurm_switch)"
               " SELECT c.n + first.id, p.n + first.id FROM slurm_member"
               " JOIN u AS p ON p.id = unit JOIN u AS c ON c.id = child, first"
             : "SELECT a, b FROM slurm_trunk",
        err);

    while (db_next(&rows)) {
        struct edge one = {topomap_switches_find(&x->graph, sqlite3_column_int64(rows.row, 0)),
                           topomap_switches_find(&x->graph, sqlite3_column_int64(rows.row, 1))};

        if (one.lower != UINT32_MAX && one.upper != UINT32_MAX &&
            TOPOMAP_APPEND(*edge, *count, room, err, one))
            return -1;
    }
    return rows.result;
}

TOPOMAP_COMPARE(by_lower, struct edge, TOPOMAP_ORDER(x->lower, y->lower),
                TOPOMAP_ORDER(x->upper, y->upper))

/* A switch has its level when all that is below it has. */
static int set_levels(struct db_export *x, const struct edge *edge, size_t count,
                      topomap_error *err)
{
    TOPOMAP_FREED uint32_t *below = topomap_alloc(x->graph.count, sizeof *below, err);
    TOPOMAP_FREED size_t *first = topomap_alloc(x->graph.count + 1u, sizeof *first, err);
    uint32_t head = 0, tail = 0;

    if (!below || !first)
        return -1;
    for (size_t i = 0; i < count; i++) {
        below[edge[i].upper]++;
        first[edge[i].lower + 1]++;
    }
    for (uint32_t i = 0; i < x->graph.count; i++) {
        first[i + 1] += first[i];
        x->sw[i].level = 0;
        if (!below[i])
            x->graph.queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t at = x->graph.queue[head++];

        for (size_t i = first[at]; i < first[at + 1]; i++) {
            struct db_export_switch *upper = &x->sw[edge[i].upper];

            if (upper->level <= x->sw[at].level)
                upper->level = x->sw[at].level + 1;
            if (--below[edge[i].upper] == 0)
                x->graph.queue[tail++] = edge[i].upper;
        }
    }
    return 0;
}

int db_export_slurm_levels(struct db_export *x, topomap_error *err)
{
    static const char kind[] = "SELECT CASE kind WHEN 'tree' THEN 2 WHEN 'block' THEN 1 ELSE 0 END"
                               " FROM slurm_topology WHERE chosen";
    TOPOMAP_FREED struct edge *edge = NULL;
    size_t count = 0;
    int64_t tree;

    if (db_number(x->file, kind, 0, &tree, err))
        return -1;
    for (uint32_t i = 0; i < x->graph.count; i++)
        x->sw[i].level = -1;
    if (!tree)
        return 0;
    if (read_edges(x, tree == 2, &edge, &count, err))
        return -1;
    TOPOMAP_SORT(edge, count, by_lower);
    return set_levels(x, edge, count, err);
}
