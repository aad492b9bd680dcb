/* SPDX-License-Identifier: BSD-3-Clause */
/* What a byte costs by class of link, worked out from all links when the views are made.
 *
 * Unit: thousandths of a hop over the reference link, whole numbers, so that sums are the same in
 * either direction. A network's reference is the rate that most of its links between switches have
 * (of two, the higher; without such links, of its links to hosts); a link of half that rate costs
 * 2000. A rate that is not known counts as the reference. Where a calibration was imported, a class
 * that it has costs what was measured instead, and half of its level "router" is added to every
 * link to a host. */
#ifndef TOPOMAP_DB_COSTS_H
#define TOPOMAP_DB_COSTS_H

#include "fabric/switches.h"
#include "topology-db/store.h"

/** What questions say of a row of table link: link_mbps(width, speed, mbps), its rate or 0;
 *  link_class(width, speed, mbps, kind), the source's own name, "25G", "4xEDR" or "unknown";
 *  link_cost(reference, mbps), of a rate against the reference. */
int db_costs_register(sqlite3 *file, topomap_error *err);

/** Of a row of table calibration, its cost against a hop. */
#define DB_COST_MEASURED                                                                           \
    "min(max(coalesce(CAST(round(1000.0 * ns / (SELECT ns FROM calibration WHERE level='hop')) AS" \
    " INTEGER), 0), 1), 1000000)"

/** The same of a level ("core", "numa", "router" ...); 0 where no calibration has it. */
int db_cost_measured(sqlite3 *file, const char *level, uint32_t *cost, topomap_error *err);

#endif
