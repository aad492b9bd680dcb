/* SPDX-License-Identifier: BSD-3-Clause */
/* In slurmstepd: asks topomap-node, which may read and decode what is a user's. */
#ifndef TOPOMAP_PLUGIN_NODE_NODE_H
#define TOPOMAP_PLUGIN_NODE_NODE_H

#include "plugin/helper/answer.h"
#include "plugin/helper/question.h"

/** What plugstack.conf says for the node. Lent by Slurm. */
typedef struct plugin_node_site {
    const char *helper; /* path of topomap-node */
    const char *spool;  /* a folder, or NULL */
} plugin_node_site;

void plugin_node_site_read(int count, char **words, plugin_node_site *site);

/** Asks, and waits a second at most, starting and ending included.
 *  \param memory  where the answer's plan lies; ends with free(), NULL where there is none
 *  \return 0, or -1: no answer, or none that is sound; \p err says why in a few words */
int plugin_node_ask(const char *helper, const node_question *question, node_answer *answer,
                    void **memory, topomap_error *err);

#endif
