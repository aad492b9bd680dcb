/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of nodes, and of the parts that they hang on. */
#include <stdlib.h>

#include "topology-db/check/check.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"

/* ---- Slurm's nodes --------------------------------------------------------------------------- */

/* \return 1: it is there; 0: the database does not know it; -1 */
static int find_host(struct db_check *check, struct db_finder *finder, const char *name,
                     struct db_place *place)
{
    topomap_error why;

    if (!db_finder_find(finder, name, place, &why))
        return 1;
    if (why.code == TOPOMAP_EINPUT)
        return 0;
    if (check->err)
        *check->err = why;
    return -1;
}

/* Marks the hosts that are asked for. \param known  [hosts + 1] by id */
static int look_up(struct db_check *check, uint8_t *known, int64_t hosts, int tell)
{
    const topomap_names *names = check->options->nodes;
    DB_FINDER finder = {0};
    int result = db_finder_open(check->db, &finder, check->err);

    for (size_t i = 0; !result && i < names->count; i++) {
        struct db_place place;
        int there = find_host(check, &finder, names->name[i], &place);

        if (there < 0)
            result = -1;
        else if (!there && tell)
            result = db_found(check, "%s: this database does not know it", names->name[i]);
        else if (there && place.host >= 1 && place.host <= hosts)
            known[place.host] = 1;
    }
    return result;
}

/* Hosts, whether an imported Slurm topology names them, and whether a network has them. Without any
 * network, or anything of Slurm's, there is nothing to compare. */
static int tell_nodes(struct db_check *check, const uint8_t *asked, int64_t hosts, int unknown)
{
    static const char sql[] =
        "WITH node AS (SELECT id, name, id IN (SELECT host FROM slurm_attach) AS known,"
        "  place IS NOT NULL OR id IN (SELECT host FROM adapter WHERE host IS NOT NULL) AS there"
        "  FROM host)"
        " SELECT id, name, known, there FROM node WHERE EXISTS(SELECT 1 FROM node WHERE there)"
        " AND (? OR EXISTS(SELECT 1 FROM slurm_attach)) ORDER BY id";
    DB_ROWS rows = DB_ASK(check->file, sql, check->err, DB_INT(check->options->nodes != NULL));

    while (db_next(&rows)) {
        int64_t id = sqlite3_column_int64(rows.row, 0);
        const char *name = db_column_text(rows.row, 1);
        int known = sqlite3_column_int(rows.row, 2) || (id >= 1 && id <= hosts && asked[id]);
        int there = sqlite3_column_int(rows.row, 3), result = 0;

        if (unknown && known && !there)
            result = db_found(check, "%s: no network has it", name);
        else if (!unknown && !known && there)
            result = db_found(check, "%s", name);
        if (result)
            return result;
    }
    return rows.result;
}

static int compare_nodes(struct db_check *check, int unknown)
{
    TOPOMAP_FREED uint8_t *asked = NULL;
    int64_t hosts;
    int result;

    if (db_number(check->file, "SELECT count(*) FROM host", 0, &hosts, check->err))
        return -1;
    asked = topomap_alloc((size_t)hosts + 1, 1, check->err);
    if (!asked)
        return -1;
    result = check->options->nodes ? look_up(check, asked, hosts, unknown) : 0;
    if (!result)
        result = tell_nodes(check, asked, hosts, unknown);
    return result;
}

int db_check_unknown_nodes(struct db_check *check)
{
    return compare_nodes(check, 1);
}

int db_check_other_hosts(struct db_check *check)
{
    return compare_nodes(check, 0);
}

/* Lines of a hosts file, whose order is theirs, that came to nothing: no host has the name. */
static int tell_unused(struct db_check *check, struct db_finder *finder)
{
    DB_ROWS rows = db_ask(check->file,
                          "SELECT ifnull(key, printf('0x%016x', guid)), node FROM alias"
                          " ORDER BY rowid",
                          check->err);

    while (db_next(&rows)) {
        const char *node = db_column_text(rows.row, 1);
        struct db_place place;
        int result = find_host(check, finder, node, &place);

        if (!result)
            result = db_found(check, "%s is to be %s, and nothing imported has that GUID or name",
                              db_column_text(rows.row, 0), node);
        else if (result > 0)
            result = 0;
        if (result)
            return result;
    }
    return rows.result;
}

int db_check_unused_names(struct db_check *check)
{
    DB_FINDER finder = {0};

    return db_finder_open(check->db, &finder, check->err) ? -1 : tell_unused(check, &finder);
}

/* ---- Parts ------------------------------------------------------------------------------- */

/* A plane of the fabric: switches that links join. */
struct part {
    uint32_t switches, hosts, lonely; /* lonely: hosts that hang on no other part */
    int64_t source;
    char *label; /* of its first switch */
};

struct parts {
    struct part *part;
    size_t count, room;
};

static int read_parts(struct db_check *check, struct parts *p)
{
    static const char sql[] =
        "SELECT switches, switch.label, source FROM (SELECT count(*) AS switches, min(id) AS first"
        " FROM switch GROUP BY plane) JOIN switch ON switch.id = first"
        " LEFT JOIN vertex ON vertex.id = first ORDER BY plane";
    DB_ROWS rows = db_ask(check->file, sql, check->err);

    while (db_next(&rows)) {
        struct part part = {.switches = db_u32(rows.row, 0),
                            .source = sqlite3_column_int64(rows.row, 2)};

        if (topomap_grow(&p->part, &p->room, p->count + 1, sizeof part, check->err) ||
            !(part.label = db_column_copy(rows.row, 1, check->err)))
            return -1;
        p->part[p->count++] = part;
    }
    return rows.result;
}

/* Each host once in every part that it hangs on; lonely: in one only. */
static int count_hosts(struct db_check *check, struct parts *p)
{
    DB_ROWS rows = db_ask(check->file,
                          "SELECT DISTINCT host, switch, plane FROM attach CROSS JOIN switch s"
                          " ON s.id = switch WHERE host > 0 ORDER BY host",
                          check->err);
    int64_t host = 0;
    size_t first = 0;
    int several = 0;

    while (db_next(&rows)) {
        size_t at = (size_t)sqlite3_column_int64(rows.row, 2) - 1;

        if (at >= p->count)
            continue;
        if (sqlite3_column_int64(rows.row, 0) != host) {
            host = sqlite3_column_int64(rows.row, 0);
            first = at;
            several = 0;
            p->part[first].hosts++;
            p->part[first].lonely++;
        } else if (at != first) {
            p->part[first].lonely -= !several;
            several = 1;
            p->part[at].hosts++;
        }
    }
    return rows.result;
}

/* The largest part of a source is the fabric. Parts whose hosts all hang on others too are planes
 * of their own. */
static int tell_part(struct db_check *check, const struct parts *p, const struct part *part)
{
    const struct part *largest = part;

    for (const struct part *other = p->part; other < p->part + p->count; other++)
        if (other->source == part->source &&
            (other->hosts > largest->hosts || (other->hosts == largest->hosts && other < largest)))
            largest = other;
    if (largest == part || !part->hosts)
        return 0;
    return db_found_as(
        check, part->lonely ? check->row->severity : TOPOMAP_DB_INFO,
        "%u switches (%s ...) with %u hosts have no link to the %u hosts of the rest%s",
        part->switches, part->label, part->hosts, largest->hosts,
        part->lonely ? "" : ": a plane of its own, all its hosts are on others too");
}

int db_check_parts(struct db_check *check)
{
    struct parts p = {0};
    int result = read_parts(check, &p) || count_hosts(check, &p) ? -1 : 0;

    for (size_t i = 0; !result && i < p.count; i++)
        result = tell_part(check, &p, &p.part[i]);
    for (size_t i = 0; i < p.count; i++)
        free(p.part[i].label);
    free(p.part);
    return result;
}
