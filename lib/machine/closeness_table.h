/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_CLOSENESS_TABLE_H
#define TOPOMAP_CLOSENESS_TABLE_H

#include "machine/closeness.h"

/** Completes a closeness whose machine has distances between nodes, not levels (or levels too deep
 *  for codes): the table of pairs, or codes for the machine's own function, and the lists of near
 *  nodes. */
int topomap_closeness_tabulate(topomap_closeness *c, int level, topomap_error *err);

#endif
