/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the files of gpus:. */
#ifndef TOPOMAP_MACHINE_SPEC_GPUS_H
#define TOPOMAP_MACHINE_SPEC_GPUS_H

#include "machine/spec.h"

enum { TOPOMAP_GPUS_INNER = 5, TOPOMAP_GPUS_OUTER = 4 };

typedef struct topomap_gpus_shape {
    uint32_t nodes, gpus, rails, nvlink;
    uint32_t domain, unit, pod; /* nodes, at most all */
    uint32_t taper;
    double near, hop; /* costs of an NVLink and of a hop */
    uint32_t inners, outers;
    struct {
        const char *name;
        uint32_t size; /* GPUs, or nodes */
        double cost;
        uint32_t hops;
    } inner[TOPOMAP_GPUS_INNER], outer[TOPOMAP_GPUS_OUTER];
} topomap_gpus_shape;

/** The links between the machine's nodes, for congestion: a cable from a node to each of its rails'
 *  leaves, of every leaf to one vertex that stands for the pod's spines, of these to one for the
 *  core; a domain's switches have as many cables to a node as eighteen NVLinks of each of its GPUs
 *  (NVL72's nine trays of two). All cables are alike. None where there are too many. */
int topomap_gpus_network(topomap_machine *machine, const uint32_t *ids,
                         const topomap_gpus_shape *shape, topomap_error *err);

#endif
