/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a node: on which cores its processes are, and what those share. */
#include "config.h"
#include "contrib/reorder/reorder.h"

#include <hwloc.h>
#include <limits.h>
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
static int fill_levels(const topomap_shape *shape, const struct place *place,
                       reorder_inside *inside, topomap_error *err)
{
    for (uint32_t l = shape ? shape->levels + 1 : 0; l-- > 0;) {
        struct reorder_level *level = &inside->level[inside->levels];
        uint32_t groups = 1;

        level->group = topomap_alloc(inside->slots, sizeof *level->group, err);
        if (!level->group)
            return -1;
        for (uint32_t s = 1; s < inside->slots; s++)
            level->group[s] = groups - 1 + !together(&place[s - 1], &place[s], l),
            groups = level->group[s] + 1;
        snprintf(level->name, sizeof level->name, "%s",
                 l < shape->levels ? shape->level[l].name : "core");
        if (groups < inside->slots)
            inside->levels++;
        else {
            free(level->group);
            level->group = NULL;
        }
    }
    return 0;
}

static int fill_inside(const topomap_shape *shape, const int *process, const unsigned char *masks,
                       reorder_inside *inside, topomap_error *err)
{
    struct place *place = topomap_alloc(inside->slots, sizeof *place, err);
    int result = -1;

    inside->process = topomap_alloc(inside->slots, sizeof *inside->process, err);
    if (place && inside->process) {
        for (uint32_t i = 0; i < inside->slots; i++) {
            find_place(shape, masks + (size_t)i * MASK, &place[i]);
            place[i].process = process[i];
        }
        qsort(place, inside->slots, sizeof *place, by_place);
        for (uint32_t i = 0; i < inside->slots; i++)
            inside->process[i] = place[i].process;
        result = fill_levels(shape, place, inside, err);
    }
    free(place);
    return result;
}

int reorder_inside_collect(const reorder_team *team, const reorder_settings *settings,
                           reorder_inside *inside, topomap_error *err)
{
    size_t slots = team->node_rank ? 0 : (size_t)team->node_size;
    unsigned char *masks = malloc(slots * MASK + 1), own[MASK];
    int *process = malloc((slots + 1) * sizeof *process), ok;

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
    free(masks);
    free(process);
    ok = reorder_agree(team->all, ok);
    if (!ok)
        reorder_inside_clear(inside);
    return ok ? 0 : topomap_error_set(err, TOPOMAP_ESYSTEM, "the nodes' processes cannot be asked");
}

void reorder_inside_clear(reorder_inside *inside)
{
    for (uint32_t l = 0; l < REORDER_LEVELS; l++)
        free(inside->level[l].group);
    free(inside->process);
    *inside = (reorder_inside){0};
}

/* ---- To rank 0 ------------------------------------------------------------------------------ */

/* As bytes: name, slots, levels; each level's name; then processes and groups, 4 bytes each. */
struct header {
    char name[REORDER_NAME];
    uint32_t slots, levels;
    char level[REORDER_LEVELS][16];
};

static size_t packed_size(const struct header *header)
{
    return sizeof *header + (size_t)header->slots * (header->levels + 1) * sizeof(uint32_t);
}

static char *pack(const reorder_inside *inside, size_t *size)
{
    struct header header = {.slots = inside->slots, .levels = inside->levels};
    size_t row = inside->slots * sizeof(uint32_t);
    char *bytes, *at;

    memcpy(header.name, inside->name, sizeof header.name);
    for (uint32_t l = 0; l < inside->levels; l++)
        memcpy(header.level[l], inside->level[l].name, sizeof header.level[l]);
    *size = packed_size(&header);
    bytes = at = malloc(*size);
    if (!bytes)
        return NULL;
    memcpy(at, &header, sizeof header);
    memcpy(at += sizeof header, inside->process, row);
    for (uint32_t l = 0; l < inside->levels; l++)
        memcpy(at += row, inside->level[l].group, row);
    return bytes;
}

static int unpack(const char *at, reorder_inside *inside, topomap_error *err)
{
    struct header header;
    size_t row;

    memcpy(&header, at, sizeof header);
    at += sizeof header;
    row = header.slots * sizeof(uint32_t);
    memcpy(inside->name, header.name, sizeof inside->name);
    inside->slots = header.slots;
    inside->process = topomap_alloc(header.slots, sizeof *inside->process, err);
    if (!inside->process)
        return -1;
    memcpy(inside->process, at, row);
    for (; inside->levels < header.levels; inside->levels++) {
        struct reorder_level *level = &inside->level[inside->levels];

        memcpy(level->name, header.level[inside->levels], sizeof level->name);
        level->group = topomap_alloc(header.slots, sizeof *level->group, err);
        if (!level->group)
            return -1;
        memcpy(level->group, at += row, row);
    }
    return 0;
}

/* Leaders only. \p sizes is [nodes] on rank 0. */
static int gather_bytes(MPI_Comm leaders, const char *own, int size, int *sizes, int *starts,
                        int nodes, char **all)
{
    int rank, ok;
    long long total = 0;

    PMPI_Comm_rank(leaders, &rank);
    if (PMPI_Gather(&size, 1, MPI_INT, sizes, 1, MPI_INT, 0, leaders) != MPI_SUCCESS)
        return -1;
    for (int i = 0; rank == 0 && i < nodes; total += sizes[i++])
        starts[i] = (int)(total <= INT_MAX ? total : 0);
    if (rank == 0 && total <= INT_MAX)
        *all = malloc((size_t)total + 1);
    ok = reorder_agree(leaders, rank != 0 || *all);
    return ok && PMPI_Gatherv(own, size, MPI_BYTE, *all, sizes, starts, MPI_BYTE, 0, leaders) ==
                       MPI_SUCCESS
               ? 0
               : -1;
}

static int gather_leaders(const reorder_team *team, const reorder_inside *own,
                          reorder_inside **insides, uint32_t *nodes, topomap_error *err)
{
    size_t size = 0;
    char *bytes = pack(own, &size), *all = NULL;
    int count, *sizes = NULL, *starts = NULL, ok;

    PMPI_Comm_size(team->leaders, &count);
    if (team->rank == 0) {
        sizes = malloc((size_t)count * sizeof *sizes);
        starts = malloc((size_t)count * sizeof *starts);
        *insides = calloc((size_t)count, sizeof **insides);
    }
    *nodes = (uint32_t)count;
    ok = bytes && size <= INT_MAX && (team->rank || (sizes && starts && *insides));
    ok = reorder_agree(team->leaders, ok) &&
         gather_bytes(team->leaders, bytes, (int)size, sizes, starts, count, &all) == 0;
    for (int i = 0; ok && team->rank == 0 && i < count; i++)
        ok = unpack(all + starts[i], &(*insides)[i], err) == 0;
    free(bytes);
    free(all);
    free(sizes);
    free(starts);
    return ok ? 0 : -1;
}

int reorder_inside_gather(const reorder_team *team, const reorder_inside *own,
                          reorder_inside **insides, uint32_t *nodes, topomap_error *err)
{
    int ok = 1;

    *insides = NULL;
    *nodes = 0;
    if (team->leaders != MPI_COMM_NULL)
        ok = gather_leaders(team, own, insides, nodes, err) == 0;
    return reorder_agree(team->all, ok)
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM, "the nodes cannot be gathered");
}
