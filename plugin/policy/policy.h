/* SPDX-License-Identifier: BSD-3-Clause */
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
#ifndef TOPOMAP_POLICY_H
#define TOPOMAP_POLICY_H

#include "plugin/policy/settings.h"

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

#endif
