/* SPDX-License-Identifier: BSD-3-Clause */
/* From an hwloc XML to a shape. Checked against hwloc 2.9's headers (hwloc.h, hwloc/helper.h). */
#include "machine/shape.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { XML_MOST = 256 << 20 };

/* What a level is called; types that are not here (Misc, I/O, instruction caches) are none. */
static const struct {
    hwloc_obj_type_t type;
    const char *name;
} level_names[] = {
    {HWLOC_OBJ_PACKAGE, "package"}, {HWLOC_OBJ_NUMANODE, "numa"}, {HWLOC_OBJ_DIE, "die"},
    {HWLOC_OBJ_GROUP, "group"},     {HWLOC_OBJ_L5CACHE, "l5"},    {HWLOC_OBJ_L4CACHE, "l4"},
    {HWLOC_OBJ_L3CACHE, "l3"},      {HWLOC_OBJ_L2CACHE, "l2"},    {HWLOC_OBJ_L1CACHE, "l1"},
};

static const char *level_name(hwloc_obj_type_t type)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (level_names[i].type == type)
            return level_names[i].name;
    return NULL;
}

void topomap_shape_lower_version(char *xml)
{
    char *root = strstr(xml, "<topology"), *end = root ? strchr(root, '>') : NULL;
    char *version = end ? strstr(root, "version=\"3.") : NULL;

    if (hwloc_get_api_version() < 0x30000 && version && version < end)
        version[9] = '2';
}

/* Checks the root element. */
static int prepare(const char *path, char *xml, topomap_error *err)
{
    const char *root = strstr(xml, "<topology");

    if (!root)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s:1: not an hwloc XML: no <topology> element", path);
    if (strncmp(root, "<topologydiff", 13) == 0)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s:1: this is an hwloc difference (<topologydiff>); import the "
                                 "whole topology that it refers to",
                                 path);
    if (!strchr(root, '>'))
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: cut inside <topology", path);
    topomap_shape_lower_version(xml);
    return 0;
}

/* Restricts hwloc to the XML: no group is made from distances, no memory attributes. hwloc
 * before 2.8 has no word for it: it may make such a group. */
#if HWLOC_API_VERSION >= 0x00020800
#define LOAD_FLAGS                                                                                 \
    (HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |                          \
     HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS)
#else
#define LOAD_FLAGS 0
#endif

static int load(const char *path, const char *xml, int size, hwloc_topology_t *topology,
                topomap_error *err)
{
    if (hwloc_topology_init(topology))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "hwloc: no memory for a topology");
    if (hwloc_topology_set_xmlbuffer(*topology, xml, size) ||
        hwloc_topology_set_flags(*topology, LOAD_FLAGS) ||
        hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_GROUP,
                                       HWLOC_TYPE_FILTER_KEEP_STRUCTURE) ||
        hwloc_topology_load(*topology)) {
        hwloc_topology_destroy(*topology);
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: hwloc cannot load it: the XML is cut or damaged", path);
    }
    return 0;
}

/* ---- Cores ------------------------------------------------------------------------------- */

/* Cores in logical order; PUs outside any Core object each make a core. */
static int find_cores(hwloc_topology_t topology, hwloc_const_cpuset_t *core_set,
                      topomap_shape *shape)
{
    hwloc_obj_t pu = NULL, core = NULL;

    while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
        hwloc_obj_t of = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);

        if (!of || of != core) {
            core_set[shape->cores] = of ? of->cpuset : pu->cpuset;
            shape->pu_first[shape->cores++] = shape->pus;
        }
        core = of;
        shape->pu_os[shape->pus++] = pu->os_index;
    }
    shape->pu_first[shape->cores] = shape->pus;
    return shape->cores ? 0 : -1;
}

/* ---- Levels ------------------------------------------------------------------------------ */

/* The depth of the tree object that a NUMA node hangs on. */
static int parent_depth(hwloc_obj_t node)
{
    hwloc_obj_t parent = node->parent;

    while (parent && hwloc_obj_type_is_memory(parent->type))
        parent = parent->parent;
    return parent ? parent->depth : -1;
}

/* Marks in \p group which object of a level holds each core, the others as in \p inner (NULL:
 * each alone), and numbers the groups by their first core. Returns how many groups there are. */
static uint32_t group_cores(hwloc_topology_t topology, int depth, int numa,
                            const hwloc_const_cpuset_t *core_set, uint32_t cores,
                            const uint32_t *inner, uint32_t *group)
{
    TOPOMAP_FREED uint64_t *tag = malloc(cores * sizeof *tag);
    hwloc_obj_t object = NULL;
    uint32_t groups = 0;

    if (!tag)
        return 0;
    for (uint32_t c = 0; c < cores; c++)
        tag[c] = (inner ? inner[c] : c) | (uint64_t)1 << 32;
    while ((object = hwloc_get_next_obj_by_depth(topology, depth, object))) {
        if (depth == HWLOC_TYPE_DEPTH_NUMANODE && parent_depth(object) != numa)
            continue;
        for (uint32_t c = 0; c < cores; c++)
            if (hwloc_bitmap_isincluded(core_set[c], object->cpuset))
                tag[c] = object->logical_index;
    }
    for (uint32_t c = 0; c < cores; c++)
        group[c] = c && tag[c] == tag[c - 1] ? groups - 1 : groups++;
    return groups;
}

/* Adds the level at \p depth outside of those that are there (the list is inside out here). */
static int add_level(hwloc_topology_t topology, int depth, int numa, const char *name,
                     const hwloc_const_cpuset_t *core_set, topomap_shape *shape, topomap_error *err)
{
    const uint32_t *inner = shape->levels ? shape->level[shape->levels - 1].group : NULL;
    TOPOMAP_FREED uint32_t *group = NULL;
    uint32_t groups;

    if (shape->levels == TOPOMAP_SHAPE_LEVELS)
        return 0;
    group = topomap_alloc(shape->cores, sizeof *group, err);
    if (!group)
        return -1;
    groups = group_cores(topology, depth, numa, core_set, shape->cores, inner, group);
    if (!groups)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: %u cores", shape->cores);
    if (groups == 1 || groups == shape->cores)
        return 0;
    if (!inner || memcmp(group, inner, shape->cores * sizeof *group) != 0) {
        snprintf(shape->level[shape->levels].name, sizeof shape->level[0].name, "%s", name);
        shape->level[shape->levels++].group = topomap_take(&group);
    }
    if (depth == HWLOC_TYPE_DEPTH_NUMANODE)
        shape->numa = shape->levels;
    return 0;
}

/* NUMA nodes hang beside the tree. Where some hang deeper than others (a CXL memory on the whole
 * machine, sub-NUMA clusters below it), the deepest ones are the level; those without CPUs, such as
 * GPU memory, are none. */
static int numa_depth(hwloc_topology_t topology)
{
    hwloc_obj_t node = NULL;
    int depth = -1;

    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
        if (!hwloc_bitmap_iszero(node->cpuset) && parent_depth(node) > depth)
            depth = parent_depth(node);
    return depth;
}

static void reverse_levels(topomap_shape *shape)
{
    if (shape->numa)
        shape->numa = shape->levels + 1 - shape->numa;
    for (uint32_t i = 0, j = shape->levels; i + 1 < j; i++) {
        j--;
        TOPOMAP_SWAP(shape->level[i], shape->level[j]);
    }
}

static int find_levels(hwloc_topology_t topology, const hwloc_const_cpuset_t *core_set,
                       topomap_shape *shape, topomap_error *err)
{
    int numa = numa_depth(topology);

    for (int depth = hwloc_topology_get_depth(topology) - 1; depth >= 0; depth--) {
        const char *name = level_name(hwloc_get_depth_type(topology, depth));

        if (numa == depth &&
            add_level(topology, HWLOC_TYPE_DEPTH_NUMANODE, numa, "numa", core_set, shape, err))
            return -1;
        if (name && add_level(topology, depth, numa, name, core_set, shape, err))
            return -1;
    }
    reverse_levels(shape);
    return 0;
}

/* ---- All --------------------------------------------------------------------------------- */

static int flatten(const char *path, hwloc_topology_t topology, topomap_shape *shape,
                   topomap_error *err)
{
    int pus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    TOPOMAP_FREED hwloc_const_cpuset_t *core_set = NULL;
    int result = -1;

    if (pus < 1)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: no PU that may be used", path);
    core_set = topomap_alloc((size_t)pus, sizeof *core_set, err);
    shape->pu_first = topomap_alloc((size_t)pus + 1, sizeof *shape->pu_first, err);
    shape->pu_os = topomap_alloc((size_t)pus, sizeof *shape->pu_os, err);
    if (core_set && shape->pu_first && shape->pu_os) {
        find_cores(topology, core_set, shape);
        result = find_levels(topology, core_set, shape, err);
    }
    return result;
}

static int copy_host(hwloc_topology_t topology, char **host, topomap_error *err)
{
    const char *name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "HostName");

    *host = name ? topomap_strdup(name, err) : NULL;
    return name && !*host ? -1 : 0;
}

int topomap_shape_from_hwloc(const char *path, const char *xml, size_t size, topomap_shape *shape,
                             char **host, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_shape_clear) topomap_shape made = {0};
    hwloc_topology_t topology;
    char *name = NULL;
    TOPOMAP_FREED char *copy = NULL;
    int result;

    if (size > XML_MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: larger than 256 MiB", path);
    if (memchr(xml, 0, size))
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: binary, not an hwloc XML", path);
    copy = topomap_strndup(xml, size, err);
    if (!copy || prepare(path, copy, err) || load(path, copy, (int)size + 1, &topology, err))
        return -1;
    result = flatten(path, topology, &made, err) || (host && copy_host(topology, &name, err));
    hwloc_topology_destroy(topology);
    if (result)
        return -1;
    *shape = made;
    made = (topomap_shape){0};
    if (host)
        *host = name;
    return 0;
}
