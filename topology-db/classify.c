/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network it is, and why we think so. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/cray.h"
#include "topology-db/derive.h"
#include "topology-db/switches.h"
#include "util/alloc.h"

enum { LEVELS = 16 };

int db_put_fact(sqlite3 *file, const char *name, const char *text, int64_t number,
                topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(file, "INSERT OR REPLACE INTO fact VALUES(?,?)", err);
    int result;

    if (!insert)
        return -1;
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
    if (text)
        sqlite3_bind_text(insert, 2, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_int64(insert, 2, number);
    result = db_insert(insert, err);
    sqlite3_finalize(insert);
    return result;
}

/* ---- InfiniBand: levels of switches ------------------------------------------------------ */

struct tree {
    struct db_switches switches;
    uint32_t *leaf; /* switches with adapters */
    size_t leaves;
    uint16_t *level;
    size_t at_level[LEVELS], levels;
    uint64_t trunks, crossing; /* joined pairs, and those that do not join adjacent levels */
    uint64_t cables;
    size_t unreached;
};

static int read_leaves(sqlite3 *file, struct tree *tree, topomap_error *err)
{
    sqlite3_stmt *statement =
        db_prepare(file, "SELECT DISTINCT switch FROM attach ORDER BY switch", err);
    int row = -1;

    tree->leaf = topomap_alloc(tree->switches.count, sizeof *tree->leaf, err);
    tree->level = topomap_alloc(tree->switches.count, sizeof *tree->level, err);
    while (statement && tree->leaf && tree->level && (row = db_step(statement, err)) > 0) {
        uint32_t at = db_switches_find(&tree->switches, sqlite3_column_int64(statement, 0));

        if (at != UINT32_MAX && tree->leaves < tree->switches.count)
            tree->leaf[tree->leaves++] = at;
    }
    sqlite3_finalize(statement);
    return row;
}

static void find_levels(struct tree *tree)
{
    const struct db_switches *s = &tree->switches;

    db_switches_spread(&tree->switches, tree->leaf, tree->leaves, tree->level);
    for (uint32_t i = 0; i < s->count; i++) {
        if (tree->level[i] == DB_FAR) {
            tree->unreached++;
            continue;
        }
        if (tree->level[i] < LEVELS)
            tree->at_level[tree->level[i]]++;
        if (tree->level[i] >= tree->levels)
            tree->levels = tree->level[i] + 1u;
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
            uint32_t j = s->neighbour[k];

            if (j < i)
                continue;
            tree->trunks++;
            /* Breadth-first levels of neighbours differ by at most 1. */
            tree->crossing += tree->level[i] == tree->level[j];
        }
    }
}

static void describe_tree(const struct tree *tree, struct db_verdict *verdict)
{
    size_t used;

    if (tree->crossing || tree->levels > LEVELS) {
        strcpy(verdict->topology, "irregular");
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "%u switches, %zu of them with hosts; %" PRIu64 " of %" PRIu64
                 " joined pairs are of one level, so this is not a fat tree",
                 tree->switches.count, tree->leaves, tree->crossing, tree->trunks);
        return;
    }
    strcpy(verdict->topology, "fat-tree");
    snprintf(verdict->evidence, sizeof verdict->evidence,
             "%zu level%s of switches, from the leaves:", tree->levels,
             tree->levels == 1 ? "" : "s");
    for (size_t i = 0; i < tree->levels; i++) {
        used = strlen(verdict->evidence);
        snprintf(verdict->evidence + used, sizeof verdict->evidence - used, "%s%zu", i ? ", " : " ",
                 tree->at_level[i]);
    }
    used = strlen(verdict->evidence);
    snprintf(verdict->evidence + used, sizeof verdict->evidence - used,
             "; hosts on leaves only; %" PRIu64 " links all join adjacent levels", tree->cables);
    used = strlen(verdict->evidence);
    if (tree->unreached)
        snprintf(verdict->evidence + used, sizeof verdict->evidence - used,
                 "; %zu switches without hosts left out", tree->unreached);
}

static int write_levels(sqlite3 *file, const struct tree *tree, topomap_error *err)
{
    sqlite3_stmt *update = db_prepare(file, "UPDATE switch SET level=? WHERE id=?", err);
    int result = update ? 0 : -1;

    for (uint32_t i = 0; !result && i < tree->switches.count; i++) {
        if (tree->level[i] == DB_FAR)
            continue;
        sqlite3_bind_int(update, 1, tree->level[i]);
        sqlite3_bind_int64(update, 2, tree->switches.id[i]);
        result = db_insert(update, err);
    }
    sqlite3_finalize(update);
    return result;
}

static int classify_ib(sqlite3 *file, struct db_verdict *verdict, topomap_error *err)
{
    struct tree tree = {0};
    int64_t cables;
    int result = db_switches_load(file, 0, &tree.switches, err);

    if (result)
        return -1;
    result =
        read_leaves(file, &tree, err) ||
                db_number(file, "SELECT sum(links) FROM trunk", 0, &cables, err) ||
                db_number(file, "SELECT count(DISTINCT host) FROM adapter", 0, &verdict->hosts, err)
            ? -1
            : 0;
    if (!result && tree.switches.count) {
        tree.cables = (uint64_t)cables;
        find_levels(&tree);
        if (tree.leaves)
            describe_tree(&tree, verdict);
        else
            snprintf(verdict->topology, sizeof verdict->topology, "unknown"),
                snprintf(verdict->evidence, sizeof verdict->evidence, "no switch has an adapter");
        result = write_levels(file, &tree, err);
    }
    free(tree.leaf);
    free(tree.level);
    db_switches_clear(&tree.switches);
    return result;
}

/* ---- Both -------------------------------------------------------------------------------- */

static int put_counts(sqlite3 *file, topomap_error *err)
{
    static const struct {
        const char *name, *sql;
    } counts[] = {
        {"hosts", "SELECT count(*) FROM host"},
        /* A Cray router that no list of links has is known by its coordinates. */
        {"switches", "SELECT count(*) + CASE WHEN EXISTS(SELECT 1 FROM cray_router) THEN 0 ELSE"
                     " coalesce((SELECT value FROM fact WHERE name='routers'), 0) END"
                     " + CASE WHEN EXISTS(SELECT 1 FROM fact WHERE name='slurm') THEN"
                     " (SELECT count(*) FROM slurm_unit WHERE topology ="
                     "  (SELECT id FROM slurm_topology WHERE chosen)) ELSE 0 END"
                     " FROM vertex WHERE kind=0"},
        {"links", "SELECT count(*) + CASE WHEN EXISTS(SELECT 1 FROM fact WHERE name='slurm') THEN"
                  " (SELECT count(*) FROM slurm_member JOIN slurm_unit ON slurm_unit.id = unit"
                  "  WHERE topology = (SELECT id FROM slurm_topology WHERE chosen)) ELSE 0 END"
                  " FROM link WHERE coalesce(state, 0) <> 1"},
        {"classes", "SELECT count(*) FROM class"},
        {"subnets", "SELECT count(DISTINCT source * 65536 + subnet) FROM vertex"
                    " WHERE source NOT IN (SELECT source FROM cray_router)"},
        {"unknown_adapters", "SELECT count(*) FROM adapter WHERE host IS NULL"},
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t count;

        if (db_number(file, counts[i].sql, 0, &count, err) ||
            db_put_fact(file, counts[i].name, NULL, count, err))
            return -1;
    }
    return 0;
}

/* Slurm's topology file where it stands for the network. */
static int classify_slurm(sqlite3 *file, struct db_verdict *verdict, topomap_error *err)
{
    char kind[16];
    int64_t units;

    if (db_fact_text(file, "slurm", kind, sizeof kind, err))
        return -1;
    if (!*kind)
        return 0;
    if (db_number(file,
                  "SELECT count(*) FROM slurm_unit WHERE topology ="
                  " (SELECT id FROM slurm_topology WHERE chosen)",
                  0, &units, err))
        return -1;
    strcpy(verdict->topology, strcmp(kind, "torus3d") == 0 ? "torus" : kind);
    snprintf(verdict->evidence, sizeof verdict->evidence,
             "Slurm's topology file says so: kind %s, %" PRId64 " named; no fabric was imported",
             kind, units);
    return 0;
}

int db_classify(sqlite3 *file, topomap_error *err)
{
    struct db_verdict cray = {0}, ib = {0}, *chosen;

    if (db_classify_coordinates(file, &cray, err) || classify_ib(file, &ib, err))
        return -1;
    /* A machine with both (an InfiniBand storage network beside Cray's own) is what more of its
     * hosts are on. */
    chosen = *ib.topology && (ib.hosts > cray.hosts || !*cray.topology) ? &ib : &cray;
    if (!*chosen->topology) {
        strcpy(chosen->topology, "unknown");
        strcpy(chosen->evidence, "no network has been imported");
    }
    if (classify_slurm(file, chosen, err))
        return -1;
    if (db_put_fact(file, "topology", chosen->topology, 0, err) ||
        db_put_fact(file, "evidence", chosen->evidence, 0, err))
        return -1;
    return put_counts(file, err);
}
