/* SPDX-License-Identifier: BSD-3-Clause */
/* In slurmstepd: asks topomap-node, which may read and decode what is a user's. */
#ifndef TOPOMAP_PLUGIN_NODE_NODE_H
#define TOPOMAP_PLUGIN_NODE_NODE_H

#include "plugin/helper/answer.h"
#include "plugin/helper/question.h"

/** The words of plugstack.conf that concern a node. Slurm owns the texts. */
typedef struct plugin_node_site {
    const char *helper; /* path of topomap-node */
    const char *spool;  /* a folder, or NULL */
    unsigned node_ms; /* milliseconds that topomap-node has in all, starting and ending included */
} plugin_node_site;

/** How one start of topomap-node divides node_ms: the sum of the times is below it. */
typedef struct plugin_node_budget {
    int answer_ms;        /* until the end of its answer */
    int exit_ms;          /* then, until it has ended by itself */
    int kill_ms;          /* until it is gone after SIGKILL; then it is left behind */
    unsigned cpu_seconds; /* its RLIMIT_CPU, for one that was left behind */
} plugin_node_budget;

void plugin_node_site_read(int count, char **words, plugin_node_site *site);

/** Returns 85 % of \p node_ms for the answer, 2 % for the exit and 10 % for the kill, at least a
 *  millisecond each, and twice as much CPU time in whole seconds, rounded up. */
plugin_node_budget plugin_node_budget_of(unsigned node_ms);

/** Starts topomap-node, asks it and ends it; takes site->node_ms at most.
 *  \param memory  where the answer's plan lies; ends with free(), NULL where there is none
 *  \return 0, or -1: no answer, or none that is sound; \p err says why in a few words */
int plugin_node_ask(const plugin_node_site *site, const node_question *question,
                    node_answer *answer, void **memory, topomap_error *err);

#endif
