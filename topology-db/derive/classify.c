/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network it is, and why we think so. */
#include <inttypes.h>
#include <string.h>

#include "topology-db/derive/derive.h"

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
        {"links",
         "SELECT count(*) + CASE WHEN EXISTS(SELECT 1 FROM fact WHERE name='slurm') THEN"
         " (SELECT count(*) FROM slurm_member JOIN slurm_unit ON slurm_unit.id = unit"
         "  WHERE topology = (SELECT id FROM slurm_topology WHERE chosen)) ELSE 0 END"
         " FROM link WHERE coalesce(state, 0) <> 1 AND coalesce(kind, '') <> '" DB_LEVEL "'"},
        {"classes", "SELECT count(*) FROM class"},
        {"subnets", "SELECT count(*) FROM (SELECT DISTINCT source, subnet FROM vertex)"
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
static int classify_slurm(sqlite3 *file, topomap_verdict *verdict, topomap_error *err)
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

/* Where a source tells levels, it tells what kind of network they are of, too. */
static int classify_levels(sqlite3 *file, topomap_verdict *verdict, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(file,
                          "SELECT importer, count(DISTINCT link.source) FROM link JOIN source"
                          " ON source.id = link.source WHERE kind=? GROUP BY importer"
                          " ORDER BY count(*) DESC, importer LIMIT 1",
                          err, DB_TEXT(DB_LEVEL));

    if (db_next(&rows)) {
        const char *importer = db_column_text(rows.row, 0);
        int dragonfly = strcmp(importer, "slingshot-ama") == 0;

        strcpy(verdict->topology, dragonfly ? "dragonfly" : "tree");
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 dragonfly
                     ? "%s tells each host's group and switch: groups taken as switches joined"
                       " all to all, and as joined by pairs; cables and rates are not known"
                     : "levels as %s tells them; links and rates are not known",
                 importer);
        verdict->confidence = 1;
    }
    return rows.result;
}

int db_classify(sqlite3 *file, topomap_error *err)
{
    topomap_verdict cray = {0}, fabric = {0}, *chosen;
    char confidence[32];
    int64_t placed, cray_hosts = 0, fabric_hosts = 0;

    if (db_classify_coordinates(file, &cray, &cray_hosts, err) ||
        db_classify_fabric(file, &fabric, &fabric_hosts, err) ||
        db_number(file, "SELECT count(*) FROM host WHERE place IS NOT NULL", 0, &placed, err))
        return -1;
    /* A machine with both (an InfiniBand storage network beside Cray's own) is what more of its
     * hosts are on. */
    chosen = *fabric.topology && (fabric_hosts > cray_hosts || !*cray.topology) ? &fabric : &cray;
    if (!*chosen->topology) {
        strcpy(chosen->topology, "unknown");
        strcpy(chosen->evidence, "no network has been imported");
    }
    if (chosen == &cray && cray_hosts)
        cray.confidence = placed < cray_hosts ? (double)placed / (double)cray_hosts : 1;
    if (classify_slurm(file, chosen, err) ||
        (chosen == &fabric && classify_levels(file, chosen, err)))
        return -1;
    snprintf(confidence, sizeof confidence, "%.3f", chosen->confidence);
    if (db_put_fact(file, "topology", chosen->topology, 0, err) ||
        db_put_fact(file, "evidence", chosen->evidence, 0, err) ||
        db_put_fact(file, "confidence", confidence, 0, err))
        return -1;
    return put_counts(file, err);
}
