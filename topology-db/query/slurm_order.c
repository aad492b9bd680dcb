/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of an allocation in the order of Slurm's topology. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"
#include "util/sorted.h"

struct order {
    sqlite3 *file;
    int64_t topology; /* its id */
    char kind[16];
    struct slurm_order_unit *unit;
    size_t units, room;
    struct slurm_place *place; /* [nodes], as the ranks of 26.05 have them */
    uint32_t *number;          /* [nodes], as the nodes are numbered by it; 0: nowhere */
};

/* A node of the job under the name that the database knows it by. */
struct key {
    char text[DB_KEY];
    uint32_t node;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct key *)a)->text, ((const struct key *)b)->text);
}

static struct key *make_keys(const topomap_names *nodes, topomap_error *err)
{
    struct key *key = topomap_alloc(nodes->count + 1, sizeof *key, err);

    if (!key)
        return NULL;
    for (size_t i = 0; i < nodes->count; i++) {
        db_host_key(nodes->name[i], key[i].text);
        key[i].node = (uint32_t)i;
    }
    TOPOMAP_SORT(key, nodes->count, by_key);
    return key;
}

/* \p name NULL: the one that distances come from, which is the cluster's default. */
static int find_topology(struct order *order, topomap_db *db, const char *name, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(order->file,
                          "SELECT id, kind FROM slurm_topology WHERE name=?1 OR (?1 IS NULL"
                          " AND chosen)",
                          err, DB_TEXT(name));

    if (db_next(&rows)) {
        order->topology = sqlite3_column_int64(rows.row, 0);
        snprintf(order->kind, sizeof order->kind, "%s",
                 (const char *)sqlite3_column_text(rows.row, 1));
        return 0;
    }
    if (rows.result)
        return -1;
    return name
               ? topomap_error_set(err, TOPOMAP_EINPUT,
                                   "%s: no topology '%.60s' in the slurm-topology that is imported",
                                   db->path, name)
               : topomap_error_set(err, TOPOMAP_EINPUT,
                                   "%s: Slurm's topology is not known: `topomap db import "
                                   "slurm-topology` reads topology.conf and topology.yaml",
                                   db->path);
}

/* Switches with switches below them are no leaves; a switch with neither is one
 * (switch_record.c, switch_record_validate). */
static int read_units(struct order *order, topomap_error *err)
{
    DB_ROWS rows =
        DB_ASK(order->file,
               "SELECT id, dims, (SELECT count(*) FROM slurm_member WHERE unit=slurm_unit.id)"
               " FROM slurm_unit WHERE topology=? AND NOT EXISTS (SELECT 1 FROM slurm_member"
               " WHERE unit=slurm_unit.id AND child IS NOT NULL) ORDER BY id",
               err, DB_INT(order->topology));

    while (db_next(&rows)) {
        struct slurm_order_unit unit = {.id = sqlite3_column_int64(rows.row, 0),
                                        .index = (uint32_t)order->units,
                                        .nodes = db_u32(rows.row, 2)};
        const char *dims = (const char *)sqlite3_column_text(rows.row, 1);

        if (dims && *dims &&
            sscanf(dims, "%ux%ux%u", &unit.dim[0], &unit.dim[1], &unit.dim[2]) != 3)
            return topomap_error_set(err, TOPOMAP_EINPUT, "a torus of '%.40s'", dims);
        if (TOPOMAP_APPEND(order->unit, order->units, order->room, err, unit))
            return -1;
    }
    return rows.result;
}

static const struct slurm_order_unit *find_unit(const struct order *order, int64_t id)
{
    size_t low = topomap_sorted_rows(order->unit, order->units, sizeof *order->unit,
                                     offsetof(struct slurm_order_unit, id), id);

    return low < order->units && order->unit[low].id == id ? &order->unit[low] : NULL;
}

/* Of a node on several switches the first counts for its rank (topology_p_get_rank), the last
 * where it is numbered by them (slurm 23.02 and later, topology_tree.c and topology_block.c,
 * topology_p_generate_node_ranking). */
static void take_member(struct order *order, const struct key *key, size_t nodes,
                        sqlite3_stmt *statement)
{
    const struct slurm_order_unit *unit = find_unit(order, sqlite3_column_int64(statement, 0));
    struct key wanted, *found;

    db_host_key((const char *)sqlite3_column_text(statement, 1), wanted.text);
    found = unit ? bsearch(&wanted, key, nodes, sizeof *key, by_key) : NULL;
    if (!found)
        return;
    while (found > key && by_key(found - 1, &wanted) == 0)
        found--;
    for (; found < key + nodes && by_key(found, &wanted) == 0; found++) {
        if (order->place[found->node].unit == UINT32_MAX)
            order->place[found->node] =
                (struct slurm_place){(uint32_t)(unit - order->unit), db_u32(statement, 2)};
        order->number[found->node] = unit->index + 1;
    }
}

static int read_places(struct order *order, const struct key *key, size_t nodes, topomap_error *err)
{
    DB_ROWS rows = {0};

    order->place = topomap_alloc(nodes + 1, sizeof *order->place, err);
    order->number = topomap_alloc(nodes + 1, sizeof *order->number, err);
    if (!order->place || !order->number)
        return -1;
    for (size_t i = 0; i < nodes; i++)
        order->place[i].unit = UINT32_MAX;
    rows = db_ask(order->file,
                  "SELECT unit, host, position FROM slurm_member"
                  " WHERE host IS NOT NULL ORDER BY unit, rowid",
                  err);
    while (db_next(&rows))
        take_member(order, key, nodes, rows.row);
    return rows.result;
}

/* One node's row while they are sorted. */
struct ranked {
    uint64_t rank;
    uint32_t number, node;
};

TOPOMAP_COMPARE(by_rank, struct ranked, TOPOMAP_ORDER(x->rank, y->rank),
                TOPOMAP_ORDER(x->number, y->number) ?: TOPOMAP_ORDER(x->node, y->node))

/* \p rank NULL: nodes are only numbered. */
static int sort_nodes(const struct order *order, const topomap_names *nodes, const struct key *key,
                      size_t keys, const uint64_t *rank, int numbered, uint32_t *sequence,
                      topomap_error *err)
{
    TOPOMAP_FREED struct ranked *row = topomap_alloc(nodes->count + 1, sizeof *row, err);
    int result = row ? 0 : -1;

    for (size_t i = 0; !result && i < nodes->count; i++) {
        struct key wanted, *found;

        db_host_key(nodes->name[i], wanted.text);
        found = bsearch(&wanted, key, keys, sizeof *key, by_key);
        if (found)
            row[i] = (struct ranked){rank ? rank[found->node] : 0,
                                     numbered ? order->number[found->node] : 0, (uint32_t)i};
        else
            result = topomap_error_set(err, TOPOMAP_EUSAGE, "node '%.60s' is none of the job's",
                                       nodes->name[i]);
    }
    if (!result)
        TOPOMAP_SORT(row, nodes->count, by_rank);
    for (size_t i = 0; !result && i < nodes->count; i++)
        sequence[i] = row[i].node;
    return result;
}

/* Ranks of the job's nodes; what is numbered goes by its numbers, among equals of 26.05 too. */
static int sort_by(struct order *order, const topomap_names *nodes, const topomap_names *job,
                   const topomap_db_slurm_order *by, uint32_t *sequence, topomap_error *err)
{
    TOPOMAP_FREED struct key *key = make_keys(job, err);
    TOPOMAP_FREED uint64_t *rank = topomap_alloc(job->count + 1, sizeof *rank, err);
    int result = key && rank ? read_places(order, key, job->count, err) : -1;

    if (!result && by->ranked)
        result = slurm_ranks(order->kind, order->unit, order->units, order->place, job->count, rank,
                             err);
    if (!result)
        result = sort_nodes(order, nodes, key, job->count, by->ranked ? rank : NULL, by->numbered,
                            sequence, err);
    return result;
}

/* A topology by its name, and one that the configuration does not go by, is asked for ranks. */
static int find_way(topomap_db *db, const char *name, topomap_db_slurm_order *by,
                    topomap_error *err)
{
    if (topomap_db_slurm_order_of(db, NULL, by, err))
        return -1;
    if (name || !by->topology) {
        by->ranked = 1;
        by->numbered = 0;
    }
    return 0;
}

int topomap_db_slurm_sequence(topomap_db *db, const char *topology, const topomap_names *nodes,
                              const topomap_names *job, uint32_t *sequence, int *of_job,
                              topomap_error *err)
{
    struct order order = {.file = db->file};
    topomap_db_slurm_order by;
    int result;

    if (db_imported(db, err))
        return -1;
    result = find_way(db, topology, &by, err) || find_topology(&order, db, topology, err) ||
                     read_units(&order, err)
                 ? -1
                 : sort_by(&order, nodes, job ? job : nodes, &by, sequence, err);
    if (of_job)
        *of_job =
            by.ranked && (strcmp(order.kind, "ring") == 0 || strcmp(order.kind, "torus3d") == 0);
    free(order.unit);
    free(order.place);
    free(order.number);
    return result;
}
