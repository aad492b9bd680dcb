/* SPDX-License-Identifier: BSD-3-Clause */
/* The network adapters of this node that can be used, by what the kernel says. */
#ifndef TOPOMAP_PLUGIN_HELPER_ADAPTERS_H
#define TOPOMAP_PLUGIN_HELPER_ADAPTERS_H

#include "plan/nics.h"

enum { NODE_ADAPTERS = 64 };

typedef struct node_adapters {
    uint32_t count;
    struct {
        char name[TOPOMAP_NIC_NAME];
        uint32_t port; /* of InfiniBand's and RoCE's the first that is active, to 8; else 0 */
    } adapter[NODE_ADAPTERS];
} node_adapters;

/** Lists those with an active port, and Slingshot's interfaces that are up. */
void node_adapters_list(node_adapters *adapters);

/** Leaves of a node's NICs those that are listed, with their ports behind them.
 *  \param memory  where the text of \p nics lies; what takes its place, too, ends with free()
 *  \param gone    [TOPOMAP_NIC_NAME] out: the first that is not listed, or ""
 *  \return 0, or -1: there is no memory for it */
int node_adapters_keep(const node_adapters *adapters, topomap_node_nics *nics, char **memory,
                       char *gone);

#endif
