/* SPDX-License-Identifier: BSD-3-Clause */
/* Exporters. */
#pragma once

#include "draw/draw.h"
#include "topology-db/db.h"
#include "topology-db/derive/derive.h"
#include "topology-db/store.h"
#include "topomap/time.h"

/* ---- export -------------------------------------------------------------------- */
/* Between export.c and export_*.c, which have a format and its row each. */

/** A cable between a switch and a host or another switch. Port 0: not known. */
struct db_cable {
    uint32_t host; /* index, or UINT32_MAX: the first end is a switch */
    uint32_t a, b; /* indices of switches; a: of the first end where it is one */
    uint32_t aport, bport, width, speed, mbps;
    int64_t vertex; /* of the first end */
    char class[24]; /* as its source has it, or "" */
};

struct db_export_host {
    int64_t id;
    char name[DB_KEY]; /* as Slurm names it: of --nodes, else without the domain */
    char class[64], status[24], type[24], place[64];
    uint32_t home; /* index of a switch that it hangs on, or UINT32_MAX */
    int kept;
};

struct db_export_switch {
    char *label;
    char place[64];
    int64_t level; /* -1: not known */
    uint64_t guid;
    int kept;
};

/** What is exported: all, or what routes between some hosts need. */
struct db_export {
    topomap_db *db;
    sqlite3 *file;
    FILE *out;
    double latency;              /* seconds a link, for formats that have it */
    int slurm;                   /* switches are those of Slurm's topology file */
    struct db_export_host *host; /* in natural order */
    uint32_t hosts, kept_hosts;
    topomap_switches graph;
    struct db_export_switch *sw; /* [graph.count] */
    struct db_cable *cable;      /* by names of the switch and its port */
    size_t cables;
};

/** Strings of the switches and hosts as a strict tree: what Slurm's topology/tree wants. */
struct db_group {
    uint32_t parent, level; /* parent: index, above its own; UINT32_MAX: none */
    uint32_t top;           /* the switch that it is named after */
    uint32_t hosts;         /* directly in it: level 0 only */
};
struct db_groups {
    struct db_group *group; /* children before parents */
    uint32_t count;
    uint32_t *of_host; /* [hosts] index of the host's group, or UINT32_MAX */
};
/** Groups of level 0: leaf switches, those that share most of their hosts (rails) being one. Each
 *  level above joins what links through switches of that level join, and is left out where it joins
 *  nothing. Without levels (no fat tree), one level joins everything. */
int db_groups_make(const struct db_export *x, struct db_groups *groups, topomap_error *err);
void db_groups_clear(struct db_groups *groups);

/** Levels of the switches of Slurm's topology file, the leaves being 0; none for a ring or torus.
 */
int db_export_slurm_levels(struct db_export *x, topomap_error *err);

/** Nonzero if both ends of the cable are exported. */
int db_cable_kept(const struct db_export *x, const struct db_cable *cable);

/** An export that would hold no host, or whose network is not known, says so instead. */
int db_export_check_links(const struct db_export *x, const char *format, topomap_error *err);

/** Reads what is exported. The caller sets the first members of \p x, and ends it with
 *  db_export_clear(), after a failure too.
 *  \param nodes  hosts, with what routes between them need; NULL: all */
int db_export_load(struct db_export *x, const topomap_names *nodes, topomap_error *err);
void db_export_clear(struct db_export *x);

typedef struct db_exporter {
    topomap_db_exporter_row row;
    int (*run)(struct db_export *x, topomap_error *err);
    int links; /* it needs switches and links */
    /* NULL, or it writes a machine without a database, too. */
    int (*run_machine)(FILE *out, const topomap_machine *machine, double latency,
                       topomap_error *err);
} db_exporter;

/** All exporters, in the order of the help: to add one, add its line. */
#define DB_EXPORTERS(ROW)                                                                          \
    ROW(db_export_slurm)                                                                           \
    ROW(db_export_links)                                                                           \
    ROW(db_export_scotch)                                                                          \
    ROW(db_export_dot)                                                                             \
    ROW(db_export_json)                                                                            \
    ROW(db_export_svg)                                                                             \
    ROW(db_export_simgrid)

#define DB_DECLARE(exporter) extern const db_exporter exporter;
DB_EXPORTERS(DB_DECLARE)
#undef DB_DECLARE

/* ---- drawing ------------------------------------------------------------------- */

/** The fabric drawn: tori and meshes by coordinates, slice beside slice, also where a database has
 * no switches but nodes with coordinates; fat trees by levels, hosts below; anything else in a
 * ring, hosts outside. Cables have colours by their rates; what `db check` finds of a cable, and
 * hosts that are not up, are marked. TOPOMAP_EINPUT where nothing is known of what joins hosts.
 *  \param drawing  ends with topomap_draw_clear(), after a failure too */
int db_draw(topomap_db *db, topomap_drawing *drawing, topomap_error *err);

/* ---- export_places ------------------------------------------------------------- */

enum { DB_DRAW_EDGE = 30, DB_DRAW_CELL = 24, DB_DRAW_DIMENSIONS = 8 };

/** Where switches and hosts stand. */
struct db_places {
    const struct db_export *x; /* lent */
    topomap_spot *host, *sw;
    uint8_t *placed; /* [hosts] nonzero: it is drawn */
    double width, height;
    int is_grid;                       /* switches are on one */
    uint32_t dimensions;               /* of the grid that nodes without switches are on; or 0 */
    uint32_t size[DB_DRAW_DIMENSIONS]; /* of that */
};

/** \param places  ends with db_places_clear(), after a failure too */
int db_places_find(const struct db_export *x, struct db_places *places, topomap_error *err);
void db_places_clear(struct db_places *places);
