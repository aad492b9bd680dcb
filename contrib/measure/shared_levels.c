/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside nodes: the first two processes of each bind themselves to two PUs that share a core, a
 * cache, a NUMA node ... in turn. Levels are those of the topology database (machine/shape.h), so
 * that its calibration has the same. */
#include <hwloc.h>
#include <sched.h>
#include <string.h>

#include "machine/shape.h"
#include "measure.h"

enum { LEVELS = TOPOMAP_SHAPE_LEVELS + 2, TAG = 2 };

struct places {
    unsigned level[LEVELS];
    uint32_t pu[LEVELS][2];
    unsigned levels;
};

static void add(struct places *places, const char *name, uint32_t first, uint32_t second)
{
    places->level[places->levels] = (unsigned)topomap_shape_level_named(name);
    places->pu[places->levels][0] = first;
    places->pu[places->levels++][1] = second;
}

/* The first core's partners: the first core that shares a level with it and nothing further in. */
static void choose(const topomap_shape *shape, struct places *places)
{
    uint32_t first = shape->pu_os[shape->pu_first[0]];

    if (shape->pu_first[1] > 1)
        add(places, "core", first, shape->pu_os[1]);
    for (uint32_t l = shape->levels + 1; l-- > 0;)
        for (uint32_t c = 1; c < shape->cores; c++) {
            /* l is 1 + the level; 0: the node */
            int shares = !l || shape->level[l - 1].group[c] == shape->level[l - 1].group[0];
            int nearer = l < shape->levels && shape->level[l].group[c] == shape->level[l].group[0];

            if (shares && !nearer) {
                add(places, l ? shape->level[l - 1].name : "node", first,
                    shape->pu_os[shape->pu_first[c]]);
                break;
            }
        }
}

static int find_places(struct places *places, topomap_error *err)
{
    hwloc_topology_t topology;
    TOPOMAP_CLEANUP(topomap_shape_clear) topomap_shape shape = {0};
    char *xml = NULL;
    int size = 0, result;

    memset(places, 0, sizeof *places);
    if (hwloc_topology_init(&topology))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "hwloc cannot be set up");
    if (hwloc_topology_load(topology) ||
        hwloc_topology_export_xmlbuffer(topology, &xml, &size, 0)) {
        hwloc_topology_destroy(topology);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "hwloc cannot look at this node");
    }
    result = topomap_shape_from_hwloc("this node", xml, strlen(xml), &shape, NULL, err);
    hwloc_free_xmlbuffer(topology, xml);
    hwloc_topology_destroy(topology);
    if (!result && shape.cores)
        choose(&shape, places);
    return result;
}

static int bind_to(uint32_t pu)
{
    cpu_set_t *set = CPU_ALLOC(pu + 1u);
    size_t size = CPU_ALLOC_SIZE(pu + 1u);
    int result = -1;

    if (set) {
        CPU_ZERO_S(size, set);
        CPU_SET_S(pu, size, set);
        result = sched_setaffinity(0, size, set);
        CPU_FREE(set);
    }
    return result;
}

static int measure_levels(const struct measure_options *options, const struct measure_job *job,
                          int other, const struct places *places, struct measure_rows *rows,
                          topomap_error *err)
{
    uint32_t own = job->node[job->rank], second = job->local[job->rank];
    int failed = 0;

    for (unsigned i = 0; i < places->levels; i++) {
        /* A PU that a cgroup does not give is left out, by both. */
        int bound[2] = {bind_to(places->pu[i][second]) == 0, 0};

        MPI_Sendrecv(&bound[0], 1, MPI_INT, other, TAG, &bound[1], 1, MPI_INT, other, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int s = 0; bound[0] && bound[1] && s < options->sizes; s++) {
            double us = measure_pingpong(options, job, other, options->size[s]);

            if (!failed && !second)
                failed = measure_add(rows, MEASURE_INSIDE, own, places->level[i], -1,
                                     options->size[s], us, err);
        }
    }
    return failed;
}

int measure_inside(const struct measure_options *options, const struct measure_job *job,
                   struct measure_rows *rows, topomap_error *err)
{
    uint32_t own = job->node[job->rank], local = job->local[job->rank];
    int other = -1, failed = 0;
    struct places places;
    cpu_set_t before[64]; /* 65,536 CPUs */
    int known = sched_getaffinity(0, sizeof before, before) >= 0;

    for (int r = 0; local < 2 && r < job->ranks; r++)
        if (job->node[r] == own && job->local[r] == 1 - local)
            other = r;
    /* The second takes the first one's choice: both see the same node, but not the same limits. */
    if (other >= 0 && local == 0) {
        failed = find_places(&places, err);
        if (failed)
            places.levels = 0;
        MPI_Send(&places, sizeof places, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
    } else if (other >= 0) {
        MPI_Recv(&places, sizeof places, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (other >= 0)
        failed |= measure_levels(options, job, other, &places, rows, err);
    if (other >= 0 && known)
        sched_setaffinity(0, sizeof before, before);
    measure_wait();
    return measure_agree(failed, err);
}
