/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan inside topomap; what a plan is: topomap/plan.h. */
#ifndef TOPOMAP_PLAN_PLAN_H
#define TOPOMAP_PLAN_PLAN_H

#include "topomap/plan.h"

/** Percent by which a cost fell from \p before to \p after; 0 where before is 0. */
double topomap_plan_gain(double before, double after);
/** The same of congestion: of the maximum, or of the mean where the maximum is as it was. */
double topomap_plan_gain_congestion(const topomap_congestion *before,
                                    const topomap_congestion *after);

#endif
