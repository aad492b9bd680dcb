/* SPDX-License-Identifier: BSD-3-Clause */
/* PMIx's locality string, checked with hwloc: parts "NAME INDEXES" joined by ':', the logical
 * numbers of the objects that share a CPU with the task. */
#include "config.h"

#include "contrib/verify/verify.h"
#include "util/alloc.h"

#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <string.h>

static const struct {
    const char *name;
    hwloc_obj_type_t type;
} parts[] = {
    {"NM", HWLOC_OBJ_NUMANODE}, {"SK", HWLOC_OBJ_PACKAGE}, {"L3", HWLOC_OBJ_L3CACHE},
    {"L2", HWLOC_OBJ_L2CACHE},  {"L1", HWLOC_OBJ_L1CACHE}, {"CR", HWLOC_OBJ_CORE},
    {"HT", HWLOC_OBJ_PU},
};

/* The numbers of a type's objects that hold any of the CPUs. */
static void holders(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus,
                    hwloc_bitmap_t found)
{
    hwloc_obj_t object = NULL;

    hwloc_bitmap_zero(found);
    while ((object = hwloc_get_next_obj_by_type(topology, type, object)))
        if (hwloc_bitmap_intersects(object->cpuset, cpus))
            hwloc_bitmap_set(found, object->logical_index);
}

static int check_part(hwloc_topology_t topology, const char *part, hwloc_const_cpuset_t cpus,
                      topomap_error *err)
{
    hwloc_bitmap_t said = hwloc_bitmap_alloc(), found = hwloc_bitmap_alloc();
    char text[256] = "";
    int result = 0;

    for (size_t i = 0; said && found && i < sizeof parts / sizeof *parts; i++) {
        if (strncmp(part, parts[i].name, 2) != 0 || hwloc_bitmap_list_sscanf(said, part + 2) != 0)
            continue;
        holders(topology, parts[i].type, cpus, found);
        hwloc_bitmap_list_snprintf(text, sizeof text, found);
        if (!hwloc_bitmap_iszero(found) && !hwloc_bitmap_isequal(said, found))
            result = topomap_error_set(err, TOPOMAP_EINPUT,
                                       "PMIx's locality says %.100s where its CPUs are %s%s", part,
                                       parts[i].name, text);
    }
    hwloc_bitmap_free(said);
    hwloc_bitmap_free(found);
    return result;
}

int verify_locality(const char *locality, const cpu_set_t *cpus, topomap_error *err)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    TOPOMAP_FREED char *copy = strdup(locality);
    char *rest = NULL;
    int result = 0;

    if (set && copy && hwloc_topology_init(&topology) == 0) {
        /* Numbers are the whole machine's, whatever this task may use. */
        if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
            hwloc_topology_load(topology) == 0 &&
            hwloc_cpuset_from_glibc_sched_affinity(topology, set, cpus,
                                                   CPU_ALLOC_SIZE(VERIFY_CPUS)) == 0)
            for (char *part = strtok_r(copy, ":", &rest); part && !result;
                 part = strtok_r(NULL, ":", &rest))
                result = check_part(topology, part, set, err);
        hwloc_topology_destroy(topology);
    }
    hwloc_bitmap_free(set);
    return result;
}

void verify_cpus_text(const cpu_set_t *set, char *text, size_t size)
{
    size_t bytes = CPU_ALLOC_SIZE(VERIFY_CPUS), used = 0;

    snprintf(text, size, "none");
    for (size_t cpu = 0; cpu < VERIFY_CPUS && used < size; cpu++) {
        size_t first = cpu;

        if (!CPU_ISSET_S(cpu, bytes, set))
            continue;
        while (cpu + 1 < VERIFY_CPUS && CPU_ISSET_S(cpu + 1, bytes, set))
            cpu++;
        used += (size_t)snprintf(text + used, size - used, first == cpu ? "%s%zu" : "%s%zu-%zu",
                                 used ? "," : "", first, cpu);
    }
}
