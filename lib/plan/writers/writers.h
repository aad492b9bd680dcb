/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans for other launchers: a row a format. */
#pragma once

#include <stdio.h>

#include "plan/writers/rank_places.h"

typedef struct topomap_plan_writer {
    const char *name, *help;
    /** What is wrong with \p out is seen by whoever closes it. */
    void (*write)(FILE *out, const topomap_rank_places *places);
} topomap_plan_writer;

#define TOPOMAP_PLAN_WRITERS(ROW)                                                                  \
    ROW(topomap_slurm_hostfile)                                                                    \
    ROW(topomap_openmpi_rankfile)                                                                  \
    ROW(topomap_prrte_rankfile)                                                                    \
    ROW(topomap_machinefile)                                                                       \
    ROW(topomap_mpich_rank_order)                                                                  \
    ROW(topomap_flux_taskmap)                                                                      \
    ROW(topomap_pjsub_vcoord)

#define TOPOMAP_DECLARE(row) extern const topomap_plan_writer row;
TOPOMAP_PLAN_WRITERS(TOPOMAP_DECLARE)
#undef TOPOMAP_DECLARE

/** \return row \p i of the table, in the order of the help; NULL past the last */
const topomap_plan_writer *topomap_plan_writer_at(size_t i);
/** \return NULL: there is none of this name */
const topomap_plan_writer *topomap_plan_writer_find(const char *name);
