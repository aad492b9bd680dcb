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

struct verdict {
    char topology[16], evidence[256];
    int64_t hosts; /* that it is about */
};

static int put_fact(sqlite3 *file, const char *name, const char *text, int64_t number,
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

/* ---- Cray: coordinates ------------------------------------------------------------------- */

struct coordinates {
    uint64_t *packed; /* [count] x << 32 | y << 16 | z, sorted */
    size_t count, room;
    uint32_t dim[3];
    size_t routers, most; /* distinct coordinates, and the most nodes that one of them has */
    int aries_rule;       /* every row's y and z are what an Aries cabinet's place gives */
    int high_cpu;         /* some row is node 2 or 3 of its blade */
};

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static int read_coordinates(sqlite3 *file, struct coordinates *c, topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(file, "SELECT x, y, z, cname FROM cray_proc", err);
    int row = -1;

    c->aries_rule = 1;
    while (statement && (row = db_step(statement, err)) > 0) {
        uint32_t at[3];
        struct cray_name name;

        for (int axis = 0; axis < 3; axis++) {
            at[axis] = (uint32_t)sqlite3_column_int(statement, axis);
            if (at[axis] >= c->dim[axis])
                c->dim[axis] = at[axis] + 1;
        }
        cray_name_unpack(sqlite3_column_int64(statement, 3), &name);
        /* Chassis and blade within a group of two cabinets; checked on two machines' full lists. */
        if (at[1] != name.cage + 3 * (name.col % 2) || at[2] != name.slot)
            c->aries_rule = 0;
        c->high_cpu |= name.node >= 2;
        if (topomap_grow(&c->packed, &c->room, c->count + 1, sizeof *c->packed, err)) {
            row = -1;
            break;
        }
        c->packed[c->count++] = (uint64_t)at[0] << 32 | (uint64_t)at[1] << 16 | at[2];
    }
    sqlite3_finalize(statement);
    return row;
}

static void count_routers(struct coordinates *c)
{
    size_t end;

    qsort(c->packed, c->count, sizeof *c->packed, by_number);
    for (size_t i = 0; i < c->count; i = end) {
        for (end = i; end < c->count && c->packed[end] == c->packed[i]; end++)
            ;
        c->routers++;
        if (end - i > c->most)
            c->most = end - i;
    }
}

/* Routers serve one node (SeaStar), two (Gemini) or four (Aries); on Aries the three numbers are
 * group, chassis and blade, not places in a torus. */
static const char *judge(const struct coordinates *c)
{
    if (c->most > 4 || (c->routers == 1 && c->count > 4))
        return "irregular";
    if (c->most > 2 || (c->aries_rule && c->high_cpu))
        return "dragonfly";
    return "torus";
}

static size_t count_groups(const struct coordinates *c)
{
    size_t groups = 0;

    for (size_t i = 0; i < c->count; i++)
        groups += !i || c->packed[i] >> 32 != c->packed[i - 1] >> 32;
    return groups;
}

static void describe(const struct coordinates *c, int wrap, int64_t nodes, struct verdict *verdict)
{
    if (strcmp(verdict->topology, "torus") == 0)
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "%ux%ux%u %s (extents of the coordinates), %zu of %" PRId64
                 " nodes have coordinates, %zu of %" PRIu64 " routers, up to %zu nodes each",
                 c->dim[0], c->dim[1], c->dim[2], wrap ? "torus" : "mesh", c->count, nodes,
                 c->routers, (uint64_t)c->dim[0] * c->dim[1] * c->dim[2], c->most);
    else if (strcmp(verdict->topology, "dragonfly") == 0)
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "coordinates are group, chassis, blade (%s): %zu nodes, %zu routers, %zu groups; "
                 "hops 1 in a chassis or along a blade position, 2 in a group, other groups taken "
                 "as 4 (1 to 5 by links that are not listed)",
                 c->aries_rule ? "as the cabinets' places give" : "up to 4 nodes a router",
                 c->count, c->routers, count_groups(c));
    else
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "%zu nodes share one coordinate: these are not coordinates of a network", c->most);
}

static int put_coordinates(sqlite3 *file, const struct coordinates *c, const char *kind, int wrap,
                           topomap_error *err)
{
    return put_fact(file, "coordinates", kind, 0, err) ||
                   put_fact(file, "dim_x", NULL, c->dim[0], err) ||
                   put_fact(file, "dim_y", NULL, c->dim[1], err) ||
                   put_fact(file, "dim_z", NULL, c->dim[2], err) ||
                   put_fact(file, "wrap", NULL, wrap, err) ||
                   put_fact(file, "routers", NULL, (int64_t)c->routers, err)
               ? -1
               : 0;
}

static int classify_cray(sqlite3 *file, struct verdict *verdict, topomap_error *err)
{
    struct coordinates c = {0};
    int64_t wrap;
    int result = read_coordinates(file, &c, err);

    if (!result)
        result = db_number(file,
                           "SELECT count(*) FROM (SELECT nid FROM cray_admin UNION"
                           " SELECT nid FROM cray_proc)",
                           0, &verdict->hosts, err);
    if (!result)
        result =
            db_number(file, "SELECT wrap FROM source WHERE importer='xtdb2proc'", 1, &wrap, err);
    if (!result && c.count) {
        count_routers(&c);
        strcpy(verdict->topology, judge(&c));
        describe(&c, wrap != 0, verdict->hosts, verdict);
        result = put_coordinates(file, &c, verdict->topology, wrap != 0, err);
    } else if (!result && verdict->hosts) {
        strcpy(verdict->topology, "unknown");
        strcpy(verdict->evidence, "no coordinates: import the output of xtdb2proc too");
    }
    free(c.packed);
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

static void describe_tree(const struct tree *tree, struct verdict *verdict)
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

static int classify_ib(sqlite3 *file, struct verdict *verdict, topomap_error *err)
{
    struct tree tree = {0};
    int64_t cables;
    int result = db_switches_load(file, &tree.switches, err);

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
        {"switches", "SELECT count(*) + coalesce((SELECT value FROM fact WHERE name='routers'), 0)"
                     " FROM vertex WHERE kind=0"},
        {"links", "SELECT count(*) FROM link WHERE coalesce(state, 0) <> 1"},
        {"classes", "SELECT count(*) FROM class"},
        {"subnets", "SELECT count(DISTINCT source * 65536 + subnet) FROM vertex"},
        {"unknown_adapters", "SELECT count(*) FROM adapter WHERE host IS NULL"},
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t count;

        if (db_number(file, counts[i].sql, 0, &count, err) ||
            put_fact(file, counts[i].name, NULL, count, err))
            return -1;
    }
    return 0;
}

int db_classify(sqlite3 *file, topomap_error *err)
{
    struct verdict cray = {0}, ib = {0}, *chosen;

    if (classify_cray(file, &cray, err) || classify_ib(file, &ib, err))
        return -1;
    /* A machine with both (an InfiniBand storage network beside Cray's own) is what more of its
     * hosts are on. */
    chosen = *ib.topology && (ib.hosts > cray.hosts || !*cray.topology) ? &ib : &cray;
    if (!*chosen->topology) {
        strcpy(chosen->topology, "unknown");
        strcpy(chosen->evidence, "no network has been imported");
    }
    if (put_fact(file, "topology", chosen->topology, 0, err) ||
        put_fact(file, "evidence", chosen->evidence, 0, err))
        return -1;
    return put_counts(file, err);
}
