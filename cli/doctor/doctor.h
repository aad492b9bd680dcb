/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap doctor: what an administrator asks when steps are not placed. A check is a row of the
 * table in doctor.c and a function; each runs in a process of its own with a deadline, since what
 * it looks at may hang, and hands what it found of the site on to those behind it. */
#pragma once

#include <sys/types.h>

#include "cli/cli.h"

enum doctor_status { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_PROBLEM, DOCTOR_SKIPPED };
enum { DOCTOR_PATH = 1024, DOCTOR_TEXT = 1024 };

/** What is known of the site; goes through a pipe as it is. Empty: not known, or not set. */
typedef struct doctor_site {
    char slurm_conf[DOCTOR_PATH], plugin_dir[DOCTOR_PATH], version[64]; /* as 22.05.8 */
    char plugstack[DOCTOR_PATH], plugin[DOCTOR_PATH]; /* as plugstack.conf names it; then found */
    char planner[DOCTOR_PATH], profiler[DOCTOR_PATH], db[DOCTOR_PATH];
    char node_helper[DOCTOR_PATH];
    char policy[DOCTOR_PATH], spool[DOCTOR_PATH], store[DOCTOR_PATH], records[DOCTOR_PATH];
    char words[4 * DOCTOR_PATH]; /* of plugstack.conf, as they are, one a line */
    char mode[32];               /* default= */
    unsigned deadline_ms;        /* of the planner */
    unsigned mpis;               /* 1 << enum store_mpi, of those that this system has */
    double max_age;              /* of a source of the database, in days */
    int plugin_ok, db_ok;        /* it can be read */
    int db_said;                 /* by --db */
    int planner_said;            /* by planner= */
    int node_helper_said;        /* by node_helper= */
} doctor_site;

typedef struct doctor_verdict {
    enum doctor_status status;
    char found[DOCTOR_TEXT], advice[DOCTOR_TEXT];
} doctor_verdict;

/** A check: fills the verdict, and in \p site what later checks need. */
typedef void doctor_run(doctor_site *site, doctor_verdict *verdict);

typedef struct doctor_check {
    const char *name;
    doctor_run *run;
    const char *looks_at; /**< what may hang: "the file system of the database" */
} doctor_check;

/** Sets all three; the advice is NULL where there is nothing to do. */
void doctor_say(doctor_verdict *verdict, enum doctor_status status, const char *advice,
                const char *format, ...) TOPOMAP_PRINTF(4, 5);
/** Adds to what was found, behind "; ". */
void doctor_add(doctor_verdict *verdict, const char *format, ...) TOPOMAP_PRINTF(2, 3);

/* doctor_conf.c */
doctor_run doctor_slurm_conf, doctor_slurm, doctor_plugstack;
/** Sets plugin_dir where slurm.conf did not: where Slurm looks for plugins; empty: not known. */
void doctor_plugin_dir(doctor_site *site);
/** All NodeName= of slurm.conf as one host list, which ends with free(); NULL: none. */
char *doctor_nodes_of(const char *slurm_conf);

/* doctor_plugin.c */
doctor_run doctor_plugin, doctor_build, doctor_symbols, doctor_planner, doctor_node_helper,
    doctor_mpi, doctor_profilers;

/* doctor_database.c */
doctor_run doctor_database, doctor_age, doctor_nodes, doctor_faults, doctor_dry_run;

/* doctor_order.c */
doctor_run doctor_order;

/* doctor_folders.c */
/** Whether everybody may use a file so (S_IROTH, S_IXOTH); else the part of its path that forbids
 * it. */
int doctor_for_everybody(const char *path, mode_t bit, char part[DOCTOR_PATH]);
/** Says what is wrong where not everybody can read a file, which is the \p advice, or others than
 *  its owner can write to it. */
void doctor_readers(const char *path, const char *advice, doctor_verdict *verdict);
doctor_run doctor_policy, doctor_store, doctor_records, doctor_spool, doctor_disks;

/* doctor_elf.c */
/** Calls \p each for every dynamic symbol of a file that it defines (or else: needs, weak ones
 *  apart), until it returns nonzero. \return NULL, or what is wrong with the file */
const char *doctor_elf_symbols(const char *path, int defined,
                               int (*each)(const char *name, void *data), void *data);
/** The 32 bits of a constant that the file defines. \return 0, or -1 */
int doctor_elf_number(const char *path, const char *name, uint32_t *number);
/** The first text in the file that ends in \p tail (or begins with it: \p head), whole.
 *  \return 0, or -1 */
int doctor_elf_text(const char *path, const char *piece, int is_head, char *text, size_t size);
