/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be asked of a mapping, in one table: --topomap-options, the rules of a policy file, the
 * lines of a planner's request (plugin/protocol.md) and the options of `topomap map` are its
 * columns, and one grammar reads the values of all. libc alone: srun's plugin links it. Not
 * thread-safe in one request; every function is deterministic. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "topomap/topomap.h"

/* ---- request ------------------------------------------------------------------- */

enum topomap_request_key {
    /* Settings: what users and sites say of a step, in the order in which they are shown. */
    TOPOMAP_REQUEST_GRAPH,
    TOPOMAP_REQUEST_BIND,
    TOPOMAP_REQUEST_INSIDE,
    TOPOMAP_REQUEST_CONTIGUOUS,
    TOPOMAP_REQUEST_OBJECTIVE,
    TOPOMAP_REQUEST_WEIGHT,
    TOPOMAP_REQUEST_EFFORT,
    TOPOMAP_REQUEST_SEED,
    TOPOMAP_REQUEST_TIME,
    TOPOMAP_REQUEST_MIN_GAIN,
    TOPOMAP_REQUEST_CAPACITY,  /**< what other jobs take of the links: a file, or "measured" */
    TOPOMAP_REQUEST_KEEP,      /**< which groups of ranks stay together, and on what */
    TOPOMAP_REQUEST_PIN,       /**< a rank's node */
    TOPOMAP_REQUEST_TASKS_ARE, /**< what of the graph a task is */
    TOPOMAP_REQUEST_NIC,       /**< what is done about the NICs that tasks are next to */
    TOPOMAP_REQUEST_REQUIRED,  /**< from here on the planning of a step never hears of them */
    TOPOMAP_REQUEST_RECORDS,   /**< whether the plan is recorded, where there is a folder for it */
    TOPOMAP_REQUEST_VERBOSE,
    TOPOMAP_REQUEST_KEY, /**< of profiles; likewise what follows */
    TOPOMAP_REQUEST_MPI,
    TOPOMAP_REQUEST_PROFILE,
    TOPOMAP_REQUEST_COMPARE,
    TOPOMAP_REQUEST_SETTINGS,
    /* The step. */
    TOPOMAP_REQUEST_JOB = TOPOMAP_REQUEST_SETTINGS,
    TOPOMAP_REQUEST_STEP,
    TOPOMAP_REQUEST_DB,
    TOPOMAP_REQUEST_NODES,
    TOPOMAP_REQUEST_TASKS,
    TOPOMAP_REQUEST_LAYOUT,
    TOPOMAP_REQUEST_CORES,
    TOPOMAP_REQUEST_CPUS_PER_TASK,
    TOPOMAP_REQUEST_THREADS_PER_CORE,
    TOPOMAP_REQUEST_JOB_CPUS,
    TOPOMAP_REQUEST_JOB_NODES,
    TOPOMAP_REQUEST_SCONTROL,
    TOPOMAP_REQUEST_SCONTROL_TIME,
    TOPOMAP_REQUEST_GPUS,      /**< that the job has of each node, where it was told */
    TOPOMAP_REQUEST_SEGMENT,   /**< nodes of each of its segments */
    TOPOMAP_REQUEST_STEP_GPUS, /**< what the step says of its GPUs */
    /* What the planner is to make of it. */
    TOPOMAP_REQUEST_RECORD,
    TOPOMAP_REQUEST_EXPLAIN,
    TOPOMAP_REQUEST_STORED,
    TOPOMAP_REQUEST_PROFILED,
    TOPOMAP_REQUEST_PROFILED_BEFORE,
    TOPOMAP_REQUEST_JUDGE,
    /* Of `topomap map` alone. */
    TOPOMAP_REQUEST_FROM,
    TOPOMAP_REQUEST_ALGORITHM,
    TOPOMAP_REQUEST_CONGESTION,
    TOPOMAP_REQUEST_BALANCE,
    TOPOMAP_REQUEST_LEVELS,
    TOPOMAP_REQUEST_THREADS,
    TOPOMAP_REQUEST_KEYS
};

/** The objective that nobody has named: behind the last one that has a name of its own. */
enum { TOPOMAP_REQUEST_OBJECTIVE_AUTO = TOPOMAP_OBJECTIVE_TIME + 1 };

/** What a pair of ranks weighs where J is made small, as the row's words are. */
enum topomap_request_weight {
    TOPOMAP_WEIGHT_BYTES,
    TOPOMAP_WEIGHT_MESSAGES,
    TOPOMAP_WEIGHT_AUTO, /**< messages count, but where predicted time is made small */
};

/** What of the graph a task is, as the row's words are. */
enum topomap_request_tasks { TOPOMAP_TASKS_RANK, TOPOMAP_TASKS_NODE };

/** What is done about NICs, as the row's words are. */
enum topomap_request_nic { TOPOMAP_NIC_OFF, TOPOMAP_NIC_ADVISE, TOPOMAP_NIC_SET };

/** The binding that only a planner knows: behind enum topomap_bind's. */
enum { TOPOMAP_REQUEST_BIND_GPU = 4 };

/** The values, read. Texts are owned; NULL: not said. Words are their index in the row's. */
typedef struct topomap_request {
    uint64_t said; /**< bit k: key k was */
    char *graph, *capacity, *keep, *pin;
    int tasks_are; /**< an enum topomap_request_tasks */
    int nic;       /**< an enum topomap_request_nic */
    int bind;      /**< an enum topomap_bind, or TOPOMAP_REQUEST_BIND_GPU */
    int compact, contiguous;
    struct topomap_request_objective {
        int kind;   /**< an enum topomap_objective_kind, or TOPOMAP_REQUEST_OBJECTIVE_AUTO */
        double mix; /**< of J in the objective mix; 0: half */
    } objective;
    int weight; /**< an enum topomap_request_weight */
    int effort; /**< an enum topomap_effort */
    uint64_t seed;
    double seconds, min_gain;
    uint32_t job, step;
    char *db, *nodes, *tasks, *layout, *cores;
    uint32_t cpus_per_task, threads_per_core; /**< threads 0: all */
    char *job_cpus, *job_nodes, *scontrol, *gpus, *step_gpus;
    uint32_t segment; /**< 0: none */
    double scontrol_seconds;
    int record, explain;
    int stored; /**< 0: the graph is what somebody named; 1, 2: a stored profile, of this size or
                   another */
    char *profiled, *profiled_before;
    char *judge; /**< a layout, which is to be compared with Slurm's; nothing is placed */
    char *from, *algorithm, *congestion;
    double balance; /**< as topomap_map_options has it */
    int intra;      /**< ranks are placed inside nodes, too */
    uint32_t threads;
} topomap_request;

/** A row of the table. A column that is NULL: it cannot be said there. */
typedef struct topomap_request_row {
    const char *line;     /**< begins its line in a planner's request */
    const char *word;     /**< in --topomap-options, and what people are shown */
    const char *rule;     /**< in a policy file */
    const char *option;   /**< of `topomap map` */
    const char *fallback; /**< the value where nobody says one */
    const char *takes;    /**< the words, each behind the one before and a blank; or what it is */
    int (*read)(const struct topomap_request_row *row, const char *text, void *to);
    double least, most; /**< of numbers */
    size_t at;      /**< in topomap_request; of settings that planning never hears of: nowhere */
    int flag;       /**< 0 or 1; in words and rules also yes or no, and a bare word means yes */
    int whole_path; /**< in words and rules, as steps start in any folder */
    const char *no_path; /**< what may stand in place of one, or NULL */
    const char *help;    /**< of settings: one line */
} topomap_request_row;

const topomap_request_row *topomap_request_row_of(enum topomap_request_key key);

/** What the key takes, for people: "core, pu or numa". \p size at least 80 */
void topomap_request_takes(enum topomap_request_key key, char *text, size_t size);
/** \return whether \p text is a value of the key, as users and sites may say it */
int topomap_request_fits(enum topomap_request_key key, const char *text);

/** Sets all that have one to their default; \p request is not initialised before. */
void topomap_request_init(topomap_request *request);
void topomap_request_clear(topomap_request *request);
int topomap_request_has(const topomap_request *request, enum topomap_request_key key);

/** Reads one value. A text that is already there is TOPOMAP_EINPUT. \return 0, or -1 and nothing is
 *  changed */
int topomap_request_set(topomap_request *request, enum topomap_request_key key, const char *text,
                        topomap_error *err);
/** Reads the line "KEY VALUE" of a planner's request, which is cut at the blank.
 *  \return 0; -1: TOPOMAP_EINPUT, with the line's \p number */
int topomap_request_read_line(topomap_request *request, size_t number, char *line,
                              topomap_error *err);
/** Writes such a line; \p key must have one. */
void topomap_request_write_line(FILE *out, enum topomap_request_key key, const char *text);

/* ---- table --------------------------------------------------------------------- */
/* The rows, and the readers of their values. */

/** What a reader may write to. */
union topomap_request_value {
    char *text;
    int word;
    uint32_t count;
    uint64_t large;
    double number;
    struct topomap_request_objective objective;
};

extern const topomap_request_row topomap_request_rows[TOPOMAP_REQUEST_KEYS];

/** Of texts, which topomap_request_set() keeps itself. */
int topomap_request_text(const topomap_request_row *row, const char *text, void *to);
int topomap_request_word(const topomap_request_row *row, const char *text, void *to);

/* ---- Values that mean on or off --------------------------------------------- */
/* Words by which somebody wants topomap, or does not, whatever they are written for. */

/** Whether \p word is off, no, 0 or false, in any case; NULL is not. */
int topomap_request_means_off(const char *word);
/** Whether \p word is on, yes, 1, true or auto, in any case; NULL is not. */
int topomap_request_means_on(const char *word);
