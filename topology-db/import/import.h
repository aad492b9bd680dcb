/* SPDX-License-Identifier: BSD-3-Clause */
/* What an importer is: it reads a file into memory of its own, without the database; then it writes
 * what it read, inside the transaction that import.c has begun. A file has one importer
 * and its row, or a few that are alike; the list of them is DB_IMPORTERS below. */
#pragma once

#include "machine/devices.h"
#include "topology-db/sql_functions.h"
#include "topology-db/store.h"
#include "topomap/topomap.h"

/* ---- import -------------------------------------------------------------------- */

struct db_import {
    const struct db_importer *importer;
    const char *path;                         /* as the caller gave it, for messages */
    const char *name;                         /* of the source, in the database */
    const topomap_db_import_options *options; /* never NULL */
    topomap_db_report *report;
    topomap_watch *watch; /* or NULL */
    topomap_input *input; /* while reading */
    topomap_error *err;   /* never NULL */
    sqlite3 *file;        /* while writing */
    int64_t source;       /* while writing: its row */
    int changes;          /* while writing: those of the file before */
    struct db_insert {
        const char *begin; /* a string literal: compared by address */
        sqlite3_stmt *statement;
    } * insert; /* while writing: see DB_ADD() */
    size_t inserts, insert_room;
};

typedef int db_take_line(struct db_import *import, void *content, char *line);

typedef struct db_importer {
    topomap_db_importer_row row;
    const char *tables[5]; /* with rows of its sources (column source), which go with them */
    int singleton;         /* one such source in a database: another file takes its place */
    int for_nodes;         /* it takes a list of nodes that its file is for */
    int joins;             /* several files are one source, read one after the other: by line, or,
                              where no lines are taken, by begin */
    int own_words;         /* what it says of files that are not its own is enough */
    const char *routing;   /* for table routing, if no option routing= is given: how all fabrics of
                              this kind route; or NULL. `tables` must name routing then */
    /* Bytes of the content, which is all 0 at first; what is done before the first line (all, where
     * no lines are taken); what takes a line; what looks at the whole. Each may be NULL */
    size_t size;
    int (*begin)(struct db_import *import, void *content);
    db_take_line *line;
    int (*check)(struct db_import *import, void *content);
    int (*write)(struct db_import *import, void *content);
    /* NULL, or what is left to report once the views are made */
    int (*derived)(struct db_import *import);
    /* NULL, or ends what the content holds beside itself */
    void (*clear)(void *content);
} db_importer;

/** Row \p i of the registry; NULL after the last. */
const db_importer *db_importer_at(size_t i);

/** topomap_db_import(), and \p watch says how far it has come; NULL: nobody looks. */
int db_import_watched(topomap_db *db, const char *importer, const char *path,
                      const topomap_db_import_options *options, topomap_watch *watch,
                      topomap_db_report *report, topomap_error *err);

/** Value of an option that the importer's row lists; NULL where it was not given. */
const char *db_option(const struct db_import *import, const char *name);

/** Counts a warning and keeps the first one. \p line 0: of the whole file. */
void db_warn(struct db_import *import, size_t line, const char *format, ...) TOPOMAP_PRINTF(3, 4);

/** Fills the import's error with "PATH:LINE: ...", of line 0 "PATH: ...", and TOPOMAP_EINPUT;
 * returns -1. */
int db_fail(const struct db_import *import, size_t line, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);

/** The same of the line that was read last. */
#define db_fail_here(import, ...) topomap_input_fail((import)->input, (import)->err, __VA_ARGS__)

/** Gives \p take each line of the file; it may write into them. */
int db_each_line(struct db_import *import, db_take_line *take, void *content);

/** The first byte of the file that is no white space; 0: there is none in its first 4 KiB. */
int db_first_byte(struct db_import *import, char *first);
/** Nonzero if a line begins with the text, or with one of \p texts [count]. */
static inline int db_begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}
int db_begins_any(const char *line, const char *const *texts, size_t count);

/** Cuts a line into words; returns how many there are, and leaves the rest out. */
int db_words(char *line, const char *between, char **word, int most);
/** The same by topomap_text_field(). */
int db_fields(char *line, char separator, char **field, int most);
/** Finds the columns of a table by its header. \p at [names] gets where each name stands, -1:
 * nowhere. \p compare  strcmp or strcasecmp */
void db_columns(char *const *cell, int cells, const char *const *name, int names,
                int (*compare)(const char *, const char *), int *at);
/** The cell of a row in a column; "" where there is none. */
static inline const char *db_cell(char *const *cell, int cells, int at)
{
    return at >= 0 && at < cells ? cell[at] : "";
}

/** The cells of a row in all columns. \p at, \p text  [names] */
static inline void db_cells(char *const *cell, int cells, const int *at, int names,
                            const char **text)
{
    for (int n = 0; n < names; n++)
        text[n] = db_cell(cell, cells, at[n]);
}

/** Reads another file as the import's: \p read finds its input and its path there. */
int db_read_other(struct db_import *import, const char *path,
                  int (*read)(struct db_import *import, void *content), void *content);

/** Reads the import's input: makes a content, and fills it by the importer's begin, line and check.
 *  \param content  a void **, which ends with db_content_free() */
int db_read_content(struct db_import *import, void *content);
void db_content_free(const db_importer *importer, void *content);
/** Writes it by the importer's write, and finalizes the statements of DB_ADD(). */
int db_write_content(struct db_import *import, void *content);

/** Adds a row to a table, inside an importer's write: `DB_ADD(import, "INSERT INTO clique",
 *  DB_INT(import->source), DB_TEXT(node), DB_TEXT(domain))`. \p begin is a string literal, which
 *  VALUES with all values of the row completes. The statement is prepared once, kept by the address
 *  of the literal, and finalized when the write ends. Returns 0, or -1 with the import's error set.
 */
#define DB_ADD(import, begin, ...)                                                                 \
    db_add(import, "" begin, (const db_value[]){__VA_ARGS__},                                      \
           sizeof((const db_value[]){__VA_ARGS__}) / sizeof(db_value))
int db_add(struct db_import *import, const char *begin, const db_value *value, size_t values);

/** Rows that a file has: the content of an importer, or what it begins with. */
struct db_list {
    void *row;
    size_t rows, room;
};
/** Adds one of \p size bytes. */
int db_list_add(struct db_list *list, const void *row, size_t size, topomap_error *err);
/** Of a content that begins with a list, and holds no other memory. */
void db_list_clear(void *content);

/** Removes a source with all that it said. */
int db_forget_source(sqlite3 *file, int64_t source, topomap_error *err);

/** Removes classes of nodes that no source has any more: sources share them. */
int db_forget_classes(sqlite3 *file, topomap_error *err);

/** Removes other sources that speak of the same things, for sources that are known by their file's
 *  name but are dumped anew under another one. \param names  SQL that gives (source, name) of all
 *  such sources, this one included \param has  whether this import has a name; a source with one
 *  that it has goes */
int db_forget_sharing(const struct db_import *import, const char *names,
                      int (*has)(const void *content, const char *name), const void *content);

/** All importers, in the order of the help: to add one, add its line. */
#define DB_IMPORTERS(ROW)                                                                          \
    ROW(db_ibnetdiscover)                                                                          \
    ROW(db_ibdiagnet)                                                                              \
    ROW(db_opensm_lst)                                                                             \
    ROW(db_ufm_links)                                                                              \
    ROW(db_opa_links)                                                                              \
    ROW(db_xtprocadmin)                                                                            \
    ROW(db_xtdb2proc)                                                                              \
    ROW(db_cray_links)                                                                             \
    ROW(db_slingshot_ama)                                                                          \
    ROW(db_slingshot_cables)                                                                       \
    ROW(db_lldp)                                                                                   \
    ROW(db_netq)                                                                                   \
    ROW(db_aws_topology)                                                                           \
    ROW(db_gcp_topology)                                                                           \
    ROW(db_oci_topology)                                                                           \
    ROW(db_topograph)                                                                              \
    ROW(db_hwloc)                                                                                  \
    ROW(db_host_map)                                                                               \
    ROW(db_coordinates)                                                                            \
    ROW(db_bluegene)                                                                               \
    ROW(db_links)                                                                                  \
    ROW(db_slurm_topology)                                                                         \
    ROW(db_slurm_config)                                                                           \
    ROW(db_calibration)                                                                            \
    ROW(db_lft)                                                                                    \
    ROW(db_counters)                                                                               \
    ROW(db_gpu_matrix)                                                                             \
    ROW(db_nccl_topology)                                                                          \
    ROW(db_nvlink_cliques)

#define DB_DECLARE(importer) extern const db_importer importer;
DB_IMPORTERS(DB_DECLARE)
#undef DB_DECLARE

/* ---- foreign ------------------------------------------------------------------- */
/* Files of other tools that look as if they could be imported. */

/** After an importer refused a file: where it is known what the file is, \p err says that instead,
 *  and what to do. */
void db_foreign_explain(const char *path, topomap_error *err);

/* ---- import devices ------------------------------------------------------------ */
/* Devices of nodes, for the importers that know some. */

/** Writes what the import says of the devices of some nodes. \p text  as machine/devices.h has it
 */
int db_devices_write(struct db_import *import, const char *text, const topomap_names *nodes);
/** What is one node's alone. \p uuid  or NULL; \p state  1, 0, or -1: not known */
int db_devices_own(struct db_import *import, const char *node, uint64_t bus, const char *uuid,
                   int state);

/** A file of devices of one node's kind, for --nodes: what such an importer reads and writes. */
struct db_devices_file {
    topomap_devices devices;
    topomap_names nodes;
};
/** The nodes of --nodes; without, an error that asks for it. */
int db_devices_nodes(struct db_import *import, void *file);
int db_devices_write_file(struct db_import *import, void *content);
void db_devices_clear_file(void *content);

/* ---- domains ------------------------------------------------------------------- */
/* NVLink domains of nodes, for the importers that know some. */

enum { DB_DOMAIN = 128 };

/** A row of a list of them. */
struct db_domain {
    char key[DB_KEY], node[DB_KEY], domain[DB_DOMAIN];
    size_t line;
};

int db_domains_add(struct db_list *list, const char *node, const char *domain, size_t line,
                   topomap_error *err);
/** Sorts them by node, each node once; a node in two domains is an error. */
int db_domains_check(struct db_import *import, struct db_list *list);
/** Into table clique. */
int db_domains_write(struct db_import *import, const struct db_list *list);
