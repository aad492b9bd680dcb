/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a node: on which cores its processes are, and what those share. */
#include "config.h"
#include "contrib/reorder/reorder.h"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum {
    CPUS = 8192,     /* of a node, as the launch plugin's */
    MASK = CPUS / 8, /* bytes */
};
/* A process whose CPUs are in several groups of a level. */
#define SHARES UINT32_MAX

/* ---- The machine --------------------------------------------------------------------------- */

/* All of the machine: this process's cgroup may not have the others' CPUs. */
static int load_topology(hwloc_topology_t topology, const char *xml_path)
{
    if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
        (xml_path && hwloc_topology_set_xml(topology, xml_path) != 0) ||
        hwloc_topology_load(topology) != 0)
        return -1;
    return hwloc_topology_allow(topology, NULL, NULL, HWLOC_ALLOW_FLAG_ALL);
}

static int load_shape(const char *xml_path, topomap_shape *shape, topomap_error *err)
{
    hwloc_topology_t topology;
    char *xml = NULL;
    int size, result = -1;

    if (hwloc_topology_init(&topology))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "hwloc: no memory for a topology");
    if (load_topology(topology, xml_path) == 0 &&
        hwloc_topology_export_xmlbuffer(topology, &xml, &size, 0) == 0)
        result = topomap_shape_from_hwloc(xml_path ? xml_path : "this machine", xml, strlen(xml),
                                          shape, NULL, err);
    else
        topomap_error_set(err, TOPOMAP_ESYSTEM, "hwloc cannot load this machine's topology");
    if (xml)
        hwloc_free_xmlbuffer(topology, xml);
    hwloc_topology_destroy(topology);
    return result;
}

/* Loaded once: it takes long on large nodes. NULL where hwloc fails: then nodes have no inside. */
static const topomap_shape *machine_shape(const char *xml_path)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static topomap_shape shape;
    static int tried;
    topomap_error err;

    pthread_mutex_lock(&lock);
    if (!tried && load_shape(xml_path, &shape, &err) != 0)
        shape = (topomap_shape){0};
    tried = 1;
    pthread_mutex_unlock(&lock);
    return shape.cores ? &shape : NULL;
}

static void own_cpus(const reorder_settings *settings, unsigned char *mask)
{
    char name[REORDER_NAME];
    int rank, cpu;

    memset(mask, 0, MASK);
    if (!settings->nodes) {
        if (sched_getaffinity(0, MASK, (cpu_set_t *)mask) != 0)
            memset(mask, 0, MASK);
        return;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    reorder_settings_node(settings, rank, name, sizeof name, &cpu);
    if (cpu >= 0 && cpu < CPUS)
        CPU_SET_S((size_t)cpu, MASK, (cpu_set_t *)mask);
}

static void own_name(const reorder_settings *settings, char *name)
{
    char processor[MPI_MAX_PROCESSOR_NAME + 1] = "";
    const char *slurm = getenv("SLURMD_NODENAME");
    int rank, cpu, length = 0;

    if (settings->nodes) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        reorder_settings_node(settings, rank, name, REORDER_NAME, &cpu);
    } else if (slurm && *slurm)
        snprintf(name, REORDER_NAME, "%s", slurm);
    else {
        PMPI_Get_processor_name(processor, &length);
        snprintf(name, REORDER_NAME, "%.*s", REORDER_NAME - 1, processor);
    }
}

/* ---- Places -------------------------------------------------------------------------------- */

/* A process's place: its group at each level from the outside in, SHARES from where its CPUs are
 * in several; then the core; then the first core of all. */
struct place {
    int process;
    uint32_t keys;
    uint32_t key[REORDER_LEVELS];
    uint32_t first;
};

static int has_core(const topomap_shape *shape, const unsigned char *mask, uint32_t core)
{
    for (uint32_t i = shape->pu_first[core]; i < shape->pu_first[core + 1]; i++)
        if (shape->pu_os[i] < CPUS && CPU_ISSET_S(shape->pu_os[i], MASK, (const cpu_set_t *)mask))
            return 1;
    return 0;
}

static uint32_t group_of(const topomap_shape *shape, uint32_t level, uint32_t core)
{
    return level < shape->levels ? shape->level[level].group[core] : core;
}

static void find_place(const topomap_shape *shape, const unsigned char *mask, struct place *place)
{
    uint32_t keys = shape ? shape->levels + 1 : 0, first = SHARES;

    place->keys = keys;
    for (uint32_t l = 0; l < keys; l++)
        place->key[l] = SHARES;
    for (uint32_t core = 0; shape && core < shape->cores; core++) {
        if (!has_core(shape, mask, core))
            continue;
        for (uint32_t l = 0; l < keys; l++)
            if (first == SHARES)
                place->key[l] = group_of(shape, l, core);
            else if (place->key[l] != group_of(shape, l, core))
                place->key[l] = SHARES;
        first = first == SHARES ? core : first;
    }
    for (uint32_t l = 1; l < keys; l++) /* levels that do not nest strictly */
        if (place->key[l - 1] == SHARES)
            place->key[l] = SHARES;
    place->first = first;
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    for (uint32_t l = 0; l < x->keys; l++)
        if (x->key[l] != y->key[l])
            return x->key[l] < y->key[l] ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->process < y->process ? -1 : x->process > y->process;
}

/* Are two neighbouring slots in one group of this level (outside in)? */
static int together(const struct place *a, const struct place *b, uint32_t level)
{
    for (uint32_t l = 0; l <= level; l++)
        if (a->key[l] == SHARES || a->key[l] != b->key[l])
            return 0;
    return 1;
}

/* Levels where some slots are together and not all are, from the inside out. */
static void fill_levels(const topomap_shape *shape, const struct place *place,
                        reorder_inside *inside)
{
    for (uint32_t l = shape ? shape->levels + 1 : 0; l-- > 0;) {
        uint32_t *group = reorder_inside_row(inside, inside->levels + 1), last = 0;

        for (uint32_t s = 1; s < inside->slots; s++) {
            last += !together(&place[s - 1], &place[s], l);
            group[s] = last;
        }
        snprintf(inside->level[inside->levels], sizeof *inside->level, "%s",
                 l < shape->levels ? shape->level[l].name : "core");
        inside->levels += last + 1 < inside->slots;
    }
}

static int fill_inside(const topomap_shape *shape, const int *process, const unsigned char *masks,
                       reorder_inside *inside, topomap_error *err)
{
    TOPOMAP_FREED struct place *place = topomap_alloc(inside->slots, sizeof *place, err);
    size_t rows = shape ? shape->levels + 2 : 1;

    inside->row = topomap_alloc(rows * inside->slots, sizeof *inside->row, err);
    if (!place || !inside->row)
        return -1;
    for (uint32_t i = 0; i < inside->slots; i++) {
        find_place(shape, masks + (size_t)i * MASK, &place[i]);
        place[i].process = process[i];
    }
    qsort(place, inside->slots, sizeof *place, by_place);
    for (uint32_t i = 0; i < inside->slots; i++)
        inside->row[i] = (uint32_t)place[i].process;
    fill_levels(shape, place, inside);
    return 0;
}

int reorder_inside_collect(const reorder_team *team, const reorder_settings *settings,
                           reorder_inside *inside, topomap_error *err)
{
    size_t slots = team->node_rank ? 0 : (size_t)team->node_size;
    TOPOMAP_FREED unsigned char *masks = malloc(slots * MASK + 1);
    TOPOMAP_FREED int *process = malloc((slots + 1) * sizeof *process);
    unsigned char own[MASK];
    int ok;

    *inside = (reorder_inside){.slots = (uint32_t)slots};
    own_cpus(settings, own);
    ok = reorder_agree(team->all, masks && process);
    ok = ok &&
         PMPI_Gather(own, MASK, MPI_BYTE, masks, MASK, MPI_BYTE, 0, team->node) == MPI_SUCCESS &&
         PMPI_Gather(&team->rank, 1, MPI_INT, process, 1, MPI_INT, 0, team->node) == MPI_SUCCESS;
    if (ok && !team->node_rank) {
        own_name(settings, inside->name);
        ok = fill_inside(machine_shape(settings->inside), process, masks, inside, err) == 0;
    }
    ok = reorder_agree(team->all, ok);
    if (!ok)
        reorder_inside_clear(inside);
    return ok ? 0 : topomap_error_set(err, TOPOMAP_ESYSTEM, "the nodes' processes cannot be asked");
}

void reorder_inside_clear(reorder_inside *inside)
{
    free(inside->row);
    *inside = (reorder_inside){0};
}

/* ---- To rank 0 ------------------------------------------------------------------------------ */

int reorder_inside_gather(const reorder_team *team, const reorder_inside *own,
                          reorder_inside **insides, uint32_t *nodes, topomap_error *err)
{
    size_t count = 0, numbers = 0, at = 0;
    void *list = NULL, *rows = NULL;
    int ok = 1;

    if (team->leaders != MPI_COMM_NULL)
        ok = reorder_gather(team->leaders, own, 1, sizeof *own, &list, &count) == 0 &&
             reorder_gather(team->leaders, own->row, (own->levels + 1) * (size_t)own->slots,
                            sizeof *own->row, &rows, &numbers) == 0;
    *insides = list;
    *nodes = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        (*insides)[i].row = rows ? (uint32_t *)rows + at : NULL;
        at += (size_t)(*insides)[i].slots * ((*insides)[i].levels + 1);
    }
    return reorder_agree(team->all, ok)
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM, "the nodes cannot be gathered");
}
