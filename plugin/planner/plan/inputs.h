/* SPDX-License-Identifier: BSD-3-Clause */
/* What a request names, opened: the machine, the graph, Slurm's layout. */
#ifndef TOPOMAP_PLANNER_INPUTS_H
#define TOPOMAP_PLANNER_INPUTS_H

#include "plan/plan.h"
#include "plugin/planner/plan/layouts.h"
#include "plugin/planner/plan/gpus.h"
#include "plugin/planner/request/request.h"

typedef struct planner_inputs {
    const planner_request *request; /* lent */
    topomap_machine *machine;
    topomap_bindings by_slot;
    topomap_graph *graph;
    topomap_graph *unfolded; /* tasks=node: the graph of GPUs, of which each of that one's has so
                                many; else NULL */
    uint32_t fold;
    uint32_t *start;          /* [slots] Slurm's layout */
    planner_layouts layouts;  /* others that it could have made */
    topomap_time_costs costs; /* of the objective time */
    unsigned measured;        /* which of them the database has: enum topomap_db_measured */
    double message_bytes;     /* that pass in the time that a message costs; 0: nobody asks */
    enum topomap_objective_kind objective; /* as long as it can be, else J */
    int damaged;         /* the stored profile; then, or where it is of no use, there is no graph */
    char note[560];      /* what the user should know */
    char detail[320];    /* about the graph, for the explanation */
    topomap_cores cores; /* that scontrol told; nodes 0: it was not asked, or did not */
    char *told;          /* the same as text, or NULL */
    char cores_detail[400]; /* about them */
    char age[160];          /* the database's, where the explanation is asked for */
    planner_gpus gpus;      /* of nodes whose tasks see them all */
    uint32_t *slot_gpu;     /* [slots] Slurm's index; NULL: the machine's places are no GPUs */
    int rails; /* then: of its node one is nearer to another node than the others are */
} planner_inputs;

/** Opens what \p request, which must outlive it, names. Without an error the graph is NULL where a
 *  stored profile is of no use; the note says why. \p inputs ends with planner_inputs_clear(),
 *  after a failure too. */
int planner_inputs_open(const planner_request *request, planner_inputs *inputs, topomap_error *err);
/** Opens the machine alone. \p links: with its links, or it is an error. */
int planner_inputs_machine(const planner_request *request, int links, planner_inputs *inputs,
                           topomap_error *err);
/** Slurm's layout on an opened machine: task layout[first[i] + k] runs as the k-th of node i, on
 * its k-th slot. */
int planner_inputs_start(planner_inputs *inputs, topomap_error *err);
void planner_inputs_clear(planner_inputs *inputs);

/** The slot of each task of a layout, task ids [slots] node by node, on an opened machine: the k-th
 *  of a node has its k-th slot, or, where slots are GPUs, its k-th GPU. Ends with free(). */
uint32_t *planner_inputs_slots(const planner_inputs *inputs, const uint32_t *layout,
                               topomap_error *err);

/** Adds to the note. */
void planner_inputs_note(planner_inputs *inputs, const char *format, ...) TOPOMAP_PRINTF(2, 3);
/** The objective cannot be followed; said where somebody named it. */
void planner_inputs_fall_back(planner_inputs *inputs, const char *why);

/** Size and XXH64 of a file, "1234 0123456789abcdef"; \return -1: there is no such plain file */
int planner_inputs_digest(const char *path, char digest[64]);

#endif
