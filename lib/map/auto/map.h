/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_MAP_AUTO_MAP_H
#define TOPOMAP_MAP_AUTO_MAP_H

#include "topomap/topomap.h"
#include "watch/watch.h"

/** topomap_map(), and \p watch says how far it has come: candidates that are done, and how many
 *  there may be, those being fewer where one is as good as any can be. NULL: nobody looks. */
int topomap_map_watched(const topomap_graph *graph, const topomap_machine *machine,
                        const topomap_map_options *options, topomap_watch *watch,
                        topomap_mapping **mapping, topomap_error *err);

#endif
