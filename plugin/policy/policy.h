/* SPDX-License-Identifier: BSD-3-Clause */
/* A site's policy, and the precedence of user, environment and site. */
#pragma once

#include "request/request.h"

/* ---- settings ------------------------------------------------------------------ */
/* What was said of a step, by whom: the settings of request/request.h's table, as texts. */

/** From the weakest to the strongest; a value that a rule forces is stronger than all. */
enum policy_origin {
    POLICY_BY_DEFAULT,
    POLICY_BY_SITE, /**< plugstack.conf */
    POLICY_BY_RULE,
    POLICY_BY_ENVIRONMENT,
    POLICY_BY_JOB, /**< an option of sbatch or salloc, or a #SBATCH directive */
    POLICY_BY_STEP /**< an option of srun */
};

typedef struct policy_settings {
    char *value[TOPOMAP_REQUEST_SETTINGS]; /**< owned; NULL: not said */
    enum policy_origin origin[TOPOMAP_REQUEST_SETTINGS];
} policy_settings;

/** The value, or the default, or NULL. Lent. */
const char *policy_get(const policy_settings *settings, enum topomap_request_key key);
/** Whether a flag is set. */
int policy_flag(const policy_settings *settings, enum topomap_request_key key);
/** Whether tasks are bound, where \p own says that Slurm's options bind them, or leave the inside
 * of nodes alone. GPUs that Slurm has paired with a task's CPUs, and memory that the user has, are
 * by local task: there (\p paired) binding is only for whoever asks for it. The planner alone knows
 * which GPUs tasks can be bound next to (planner_compose_bind()). */
int policy_binds(const policy_settings *settings, int own, int paired);
/** Sets a value (copied). Flags are kept as "1" and "0". \return 0; -1: the value makes no sense,
 *  or there is no memory, and nothing is changed */
int policy_set(policy_settings *settings, enum topomap_request_key key, const char *value,
               enum policy_origin origin);
/** Takes what \p from says over what \p to says. \return 0, or -1: no memory */
int policy_settings_add(policy_settings *to, const policy_settings *from);
/** Reads "key=value,flag,...". \p bad is called for every word that is not understood; or NULL. */
void policy_settings_read(policy_settings *settings, const char *words, enum policy_origin origin,
                          void (*bad)(const char *word));
/** What would have been understood in place of such a word: what its key takes, or the keys.
 *  \p size at least 200 */
void policy_settings_expected(const char *word, char *text, size_t size);
/** Frees what the settings own (not the struct) and zeroes it. */
void policy_settings_clear(policy_settings *settings);

/* ---- policy -------------------------------------------------------------------- */
/* The site's policy: rules in a file, matched in order, the first one that fits a step applies.
 * Lines in the style of slurm.conf: Key=value words, names without case, '#' begins a comment, '\'
 * at the end of a line continues it:
 *
 *   Rule=debug  Partition=debug,interactive  Mode=off
 *   Rule=cfd    Program=solver*  Nodes=2-  Tasks=1536  Mode=on  Pattern=stencil2d:5:48x32
 *   Rule=coupled  Account=climate  Contiguous=yes  MinGain=3  Force=Contiguous
 *   Rule=rest   Mode=auto
 *
 * It is read in srun, as the user, and by `topomap policy check`: libc alone. */

enum policy_mode {
    POLICY_OFF,  /**< as only-when-asked; forced: not even then */
    POLICY_ASK,  /**< only-when-asked */
    POLICY_AUTO, /**< steps whose communication graph is known, or can be profiled */
    POLICY_ON,   /**< every step */
    POLICY_MODES
};

/** What rules can ask of a step. */
enum policy_fact {
    POLICY_PARTITION,
    POLICY_ACCOUNT,
    POLICY_QOS,
    POLICY_USER,
    POLICY_GROUP,
    POLICY_PROGRAM,
    POLICY_MPI,
    POLICY_NODES,
    POLICY_TASKS,
    POLICY_FACTS
};

/** A step as the rules see it. */
typedef struct policy_job {
    /** NULL: not known. The user as name or number, the groups separated by commas, the program
     *  without its folder, the MPI as Slurm's plugin is called, of --mpi or MpiDefault. */
    const char *fact[POLICY_FACTS];
} policy_job;

enum {
    POLICY_FORCE_MODE = 1u << TOPOMAP_REQUEST_SETTINGS
}; /* of policy_rule.force, beside 1 << topomap_request_key */

typedef struct policy_rule {
    char *name;
    unsigned line;
    char *wants[POLICY_FACTS]; /**< names with wildcards, separated by commas; a range of counts */
    int has_mode;
    enum policy_mode mode;
    policy_settings settings;
    unsigned force; /**< what no option of the user's changes */
} policy_rule;

typedef struct policy {
    char *path;
    policy_rule *rule;
    size_t rules, room;
} policy;

/** Reads a file of 1 MiB and 4,096 rules at most; a plain file only.
 *  \param problem  called for every mistake, "FILE:LINE: ..."; NULL: the first one ends it
 *  \return 0, or -1 with the first mistake in \p err */
int policy_read(const char *path, policy *read, void (*problem)(const char *text),
                topomap_error *err);
void policy_clear(policy *policy);

/** Whether any rule asks for the fact, which may cost something to find out. */
int policy_asks(const policy *policy, enum policy_fact fact);

/** Does the rule fit? \p why gets the conditions that it fulfils, or the first that it does not.
 *  \return 1 or 0 */
int policy_rule_fits(const policy_rule *rule, const policy_job *job, char *why, size_t size);
/** The first rule that fits, or NULL. */
const policy_rule *policy_find(const policy *policy, const policy_job *job);

/** "on", "off", "auto", "only-when-asked". \return -1: none of them */
int policy_mode_read(const char *word, enum policy_mode *mode);
const char *policy_mode_name(enum policy_mode mode);
/** The name of a fact as users write it: "partition". */
const char *policy_fact_name(enum policy_fact fact);

/* ---- options ------------------------------------------------------------------- */
/* What topomap adds to the options of srun, sbatch and salloc: the plugin registers these rows, the
 * manual page topomap-srun(1) and completion list them. */

/* ROW(which, name, its value, 1 if it needs one or 2 if it may have one, help) */
#define POLICY_OPTIONS(ROW)                                                                        \
    ROW(SAID_TOPOMAP, "topomap", "what", 1,                                                        \
        "Place ranks where they talk cheapest. WHAT: a graph file, a pattern such as "             \
        "stencil2d:5:48x32, FILE,parts=N of a mesh, auto, on, or off")                             \
    ROW(SAID_OPTIONS, "topomap-options", "key=value,...", 1,                                       \
        "For topomap: objective=auto|J|congestion|mix[:SHARE]|time, effort=fast|default|strong, "  \
        "time=SECONDS, "                                                                           \
        "seed=N, "                                                                                 \
        "bind=core|pu|numa|none|gpu, layout=compact|spread, contiguous, min-gain=PERCENT, "        \
        "capacity=measured|FILE, keep=GROUP[:LEVEL]|domain|segment, pin=RANK:first|RANK:NODE, "    \
        "tasks=node, "                                                                             \
        "nic=advise|set, "                                                                         \
        "required, records, verbose; for auto: key=NAME, mpi=openmpi|mpich|mpi-abi|nccl, "         \
        "profile, "                                                                                \
        "compare=LAUNCHES")                                                                        \
    ROW(SAID_EXPLAIN, "topomap-explain", "file", 2,                                                \
        "Print what topomap did and why, to srun's standard error or FILE")

/* ---- resolve ------------------------------------------------------------------- */
/* Who wins: the user's options, the environment, the site's rule, the defaults. */

/** What was said about a step; NULL or 0: nothing. */
typedef struct policy_said {
    const char *step, *job;                 /**< --topomap */
    const char *step_options, *job_options; /**< --topomap-options */
    const char *environment;                /**< TOPOMAP */
    const char *environment_graph;          /**< TOPOMAP_GRAPH */
    int distribution;                       /**< the distribution topomap */
    int other_distribution;                 /**< another one, on the step's command line */
    int inherited_distribution;             /**< another one, by SLURM_DISTRIBUTION */
    int cpu_bind;                           /**< an explicit --cpu-bind */
} policy_said;

/** The words in plugstack.conf. */
typedef struct policy_site {
    enum policy_mode mode;
    policy_settings settings;
} policy_site;

typedef struct policy_decision {
    int on;
    int asked;     /**< the user asked for topomap; else it is the site's wish */
    char why[384]; /**< where `on` comes from; "" where nobody said anything */
    policy_settings settings;
    unsigned overruled; /**< keys, 1 << topomap_request_key, where the user said what a rule does
                           not allow */
} policy_decision;

/** Whether nothing that a rule says could matter: switched off, or nobody asked and the site has
 *  neither rules nor a mode of its own. */
int policy_is_off(const policy_said *said, const policy_site *site, int has_rules);
/** Whether the user switched it off. */
int policy_is_switched_off(const policy_said *said);
/** Whether the user asked for topomap. */
int policy_is_asked(const policy_said *said);

/** \param rule  that applies, with the \p policy that it is from; NULL: none
 *  \param bad   called for words of --topomap-options that are not understood; or NULL
 *  \return 0, or -1: no memory. The decision ends with policy_settings_clear(&made->settings). */
int policy_settle(const policy_said *said, const policy_site *site, const policy *policy,
                  const policy_rule *rule, void (*bad)(const char *word), policy_decision *made,
                  topomap_error *err);

/** "option", "job's option", "environment", "rule 'x', FILE:LINE", "plugstack.conf", "default". */
void policy_origin_text(enum policy_origin origin, const policy *policy, const policy_rule *rule,
                        char *text, size_t size);
