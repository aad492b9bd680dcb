/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs and NICs of a node, by hwloc's I/O objects. Names, infos and distances as hwloc 2.9 to 2.12
 * export them: topology-linux.c, topology-nvml.c, topology-rsmi.c, topology-cuda.c,
 * topology-levelzero.c; PCI classes by the PCI Code and ID Assignment Specification. */
#include "config.h"

#include "topology-db/import/hwloc/hwloc.h"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <stdlib.h>
#include <string.h>

#include "machine/shape.h"
#include "util/alloc.h"

enum {
    CLASS_VGA = 0x0300,
    CLASS_3D = 0x0302,
    CLASS_DISPLAY = 0x0380,
    CLASS_ACCELERATOR = 0x1200,
    CLASS_INFINIBAND = 0x0207,
    VENDOR_NVIDIA = 0x10de,
    VENDOR_AMD = 0x1002,
    VENDOR_INTEL = 0x8086,
    VENDOR_CRAY = 0x17db,
    OBJECTS = 4096,
};

static const struct {
    unsigned id;
    const char *name;
} vendors[] = {
    {VENDOR_NVIDIA, "nvidia"}, {VENDOR_AMD, "amd"}, {VENDOR_INTEL, "intel"},
    {VENDOR_CRAY, "cray"},     {0x15b3, "nvidia"}, /* Mellanox */
    {0x1d0f, "amazon"},        {0x14e4, "bcom"},
};

/* What GPUs are called: by CUDA, ROCm, Level Zero and their management libraries. The first that a
 * device has is its name; hwloc's own types differ by version, so that names tell. */
static const char *const gpu_names[] = {"cuda", "rsmi", "ze", "nvml", "opencl"};
enum { GPU_NAMES = sizeof gpu_names / sizeof *gpu_names };

struct found {
    topomap_devices *devices;
    hwloc_obj_t object[TOPOMAP_DEVICES_MOST]; /* of each device: its PCI device, or OS device */
};

/* ---- What it is ---------------------------------------------------------------------------- */

static int name_rank(hwloc_obj_t os)
{
    for (int i = 0; os->name && i < GPU_NAMES; i++) {
        size_t length = strlen(gpu_names[i]);

        if (strncmp(os->name, gpu_names[i], length) == 0 && os->name[length] >= '0' &&
            os->name[length] <= '9')
            return i;
    }
    return GPU_NAMES;
}

static int is_fabric(hwloc_obj_t os)
{
    return os->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS ||
           (os->subtype && strcmp(os->subtype, "Slingshot") == 0) ||
           (os->name && strncmp(os->name, "hsn", 3) == 0);
}

/* Graphics of a board's controller have a display class, too, but another maker, and no driver that
 * computes. */
static int is_gpu(hwloc_obj_t pci)
{
    unsigned class = pci->attr->pcidev.class_id, vendor = pci->attr->pcidev.vendor_id;

    if (class >> 8 != CLASS_VGA >> 8 && class != CLASS_ACCELERATOR)
        return 0;
    for (hwloc_obj_t os = pci->io_first_child; os; os = os->next_sibling)
        if (os->type == HWLOC_OBJ_OS_DEVICE && name_rank(os) < GPU_NAMES)
            return 1;
    if (class == CLASS_ACCELERATOR)
        return vendor == VENDOR_AMD;
    if (class == CLASS_3D || class == CLASS_DISPLAY)
        return vendor == VENDOR_NVIDIA || vendor == VENDOR_AMD || vendor == VENDOR_INTEL;
    return class == CLASS_VGA && vendor == VENDOR_NVIDIA;
}

static int is_nic(hwloc_obj_t pci)
{
    unsigned class = pci->attr->pcidev.class_id;

    if (class >> 8 != CLASS_INFINIBAND >> 8 && class != 0x0c06)
        return 0;
    if (class == CLASS_INFINIBAND || pci->attr->pcidev.vendor_id == VENDOR_CRAY)
        return 1;
    for (hwloc_obj_t os = pci->io_first_child; os; os = os->next_sibling)
        if (os->type == HWLOC_OBJ_OS_DEVICE && is_fabric(os))
            return 1;
    return 0;
}

/* ---- Where it hangs -------------------------------------------------------------------------- */

/* The one NUMA node with CPUs of a set of them; -1: several, or none. */
static int one_node(hwloc_topology_t topology, hwloc_const_nodeset_t set)
{
    hwloc_obj_t node = NULL;
    int found = -1;

    while (set && (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
        if (hwloc_bitmap_isset(set, node->os_index) && !hwloc_bitmap_iszero(node->cpuset)) {
            if (found >= 0)
                return -1;
            found = (int)node->os_index;
        }
    return found;
}

static void take_bridge(topomap_device *device, hwloc_obj_t bridge)
{
    const struct hwloc_pcidev_attr_s *pci = &bridge->attr->bridge.upstream.pci;

    if (bridge->attr->bridge.upstream_type != HWLOC_OBJ_BRIDGE_PCI) {
        device->root = ((uint64_t)bridge->attr->bridge.downstream.pci.domain << 16 |
                        (uint64_t)bridge->attr->bridge.downstream.pci.secondary_bus << 8) +
                       1;
        return;
    }
    if (device->bridges == TOPOMAP_DEVICE_PATH)
        device->bridges--; /* the lowest goes */
    memmove(device->bridge + 1, device->bridge, device->bridges * sizeof *device->bridge);
    device->bridge[0] =
        (uint64_t)pci->domain << 16 | (uint64_t)pci->bus << 8 | (uint64_t)pci->dev << 3 | pci->func;
    device->bridges++;
}

static int take_place(hwloc_topology_t topology, topomap_device *device, hwloc_obj_t object,
                      topomap_error *err)
{
    hwloc_obj_t at = object->parent, package;
    char *list = NULL;

    for (; at && !at->cpuset; at = at->parent)
        if (at->type == HWLOC_OBJ_BRIDGE)
            take_bridge(device, at);
    if (!at)
        return 0;
    device->numa = one_node(topology, at->nodeset);
    package = at->type == HWLOC_OBJ_PACKAGE
                  ? at
                  : hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, at);
    device->package = package ? (int32_t)package->logical_index : -1;
    if (hwloc_bitmap_iszero(at->cpuset) || hwloc_bitmap_weight(at->cpuset) < 0 ||
        hwloc_bitmap_list_asprintf(&list, at->cpuset) < 0)
        return 0;
    device->cpus = topomap_strdup(list, err);
    free(list);
    return device->cpus ? 0 : -1;
}

/* ---- What it is called ----------------------------------------------------------------------- */

static const char *info(hwloc_obj_t object, const char *name)
{
    return hwloc_obj_get_info_by_name(object, name);
}

/* Drivers that cannot tell say zeros. */
static void copy_word(char *to, size_t room, const char *text)
{
    if (text && text[strspn(text, "0-")] && !*to && strlen(text) < room &&
        !strpbrk(text, " \t\n\r"))
        strcpy(to, text);
}

static void copy_model(topomap_device *device, const char *text)
{
    if (!text || *device->model)
        return;
    snprintf(device->model, sizeof device->model, "%.*s", (int)sizeof device->model - 1, text);
    for (char *at = device->model; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

static void take_gpu_name(topomap_device *device, hwloc_obj_t os, int *best)
{
    int rank = name_rank(os);

    if (rank == GPU_NAMES)
        return;
    topomap_device_called(device, os->name, rank < *best);
    *best = rank < *best ? rank : *best;
    copy_word(device->uuid, sizeof device->uuid, info(os, "NVIDIAUUID"));
    copy_word(device->uuid, sizeof device->uuid, info(os, "AMDUUID"));
    copy_word(device->uuid, sizeof device->uuid, info(os, "LevelZeroUUID"));
    copy_model(device, info(os, "GPUModel"));
}

/* States of ports are InfiniBand's: 4 is active. The NIC is up where one port is. */
static void take_nic_name(topomap_device *device, hwloc_obj_t os)
{
    int fabric = os->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;

    topomap_device_called(device, os->name ? os->name : "", fabric || is_fabric(os));
    for (unsigned i = 0; i < os->infos_count; i++) {
        const char *name = os->infos[i].name;

        if (strncmp(name, "Port", 4) != 0 ||
            strcmp(name + 4 + strspn(name + 4, "0123456789"), "State") != 0)
            continue;
        if (os->infos[i].value[0] == '4')
            device->state = 1;
        else if (device->state < 0)
            device->state = 0;
    }
}

static void take_names(topomap_device *device, hwloc_obj_t pci)
{
    int best = GPU_NAMES;

    for (hwloc_obj_t os = pci->io_first_child; os; os = os->next_sibling) {
        if (os->type != HWLOC_OBJ_OS_DEVICE)
            continue;
        if (device->kind == TOPOMAP_DEVICE_GPU)
            take_gpu_name(device, os, &best);
        else
            take_nic_name(device, os);
    }
    copy_model(device, info(pci, "PCIDevice"));
}

static int add_pci(hwloc_topology_t topology, struct found *found, hwloc_obj_t pci,
                   topomap_error *err)
{
    const struct hwloc_pcidev_attr_s *attr = &pci->attr->pcidev;
    enum topomap_device_kind kind = is_gpu(pci) ? TOPOMAP_DEVICE_GPU : TOPOMAP_DEVICE_NIC;
    topomap_device *device;

    if (kind != TOPOMAP_DEVICE_GPU && !is_nic(pci))
        return 0;
    device = topomap_devices_add(found->devices, kind, err);
    if (!device)
        return -1;
    found->object[found->devices->count - 1] = pci;
    device->bus = (uint64_t)attr->domain << 16 | (uint64_t)attr->bus << 8 |
                  (uint64_t)attr->dev << 3 | attr->func;
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (vendors[i].id == attr->vendor_id)
            strcpy(device->vendor, vendors[i].name);
    if (kind == TOPOMAP_DEVICE_NIC && attr->linkspeed > 0 && attr->linkspeed < 100000)
        device->mbps = (uint32_t)(attr->linkspeed * 8000); /* hwloc.h: GB/s */
    take_names(device, pci);
    return take_place(topology, device, pci, err);
}

/* A GPU that hangs on no PCI device (POWER's exports leave them out). */
static int add_bare(hwloc_topology_t topology, struct found *found, hwloc_obj_t os,
                    topomap_error *err)
{
    topomap_device *device;
    int best = GPU_NAMES;

    if (name_rank(os) >= GPU_NAMES - 1 || !os->parent || os->parent->type == HWLOC_OBJ_PCI_DEVICE ||
        os->parent->type == HWLOC_OBJ_OS_DEVICE)
        return 0;
    device = topomap_devices_add(found->devices, TOPOMAP_DEVICE_GPU, err);
    if (!device)
        return -1;
    found->object[found->devices->count - 1] = os;
    take_gpu_name(device, os, &best);
    return take_place(topology, device, os, err);
}

/* ---- Links between GPUs ------------------------------------------------------------------------
 */

/* The device that an object of a matrix of distances is, or UINT32_MAX. Level Zero's subdevices
 * (ze0.1) hang below their device's. */
static uint32_t device_of(const struct found *found, hwloc_obj_t object)
{
    for (int steps = 0; object && steps < 4; steps++, object = object->parent) {
        for (uint32_t i = 0; i < found->devices->gpus; i++)
            if (found->object[i] == object)
                return i;
        if (object->type != HWLOC_OBJ_OS_DEVICE)
            break;
    }
    return UINT32_MAX;
}

/* Bandwidth of a GPU into all objects that are none: switches of NVLinks. */
static uint64_t into_switches(const struct found *found, const struct hwloc_distances_s *d,
                              unsigned row)
{
    uint64_t sum = 0;

    for (unsigned j = 0; j < d->nbobjs; j++)
        if (j != row && d->objs[j] && device_of(found, d->objs[j]) == UINT32_MAX)
            sum += d->values[(size_t)row * d->nbobjs + j];
    return sum;
}

static void take_matrix(const struct found *found, const struct hwloc_distances_s *d)
{
    for (unsigned i = 0; i < d->nbobjs; i++) {
        uint32_t a = device_of(found, d->objs[i]);
        uint64_t own = a == UINT32_MAX ? 0 : into_switches(found, d, i);

        for (unsigned j = 0; a != UINT32_MAX && j < i; j++) {
            uint32_t b = device_of(found, d->objs[j]);
            uint64_t direct = d->values[(size_t)i * d->nbobjs + j], other, all;

            if (b == UINT32_MAX || b == a)
                continue;
            other = own ? into_switches(found, d, j) : 0;
            all = direct + (own < other ? own : other) + /* of other subdevices */
                  found->devices->mbytes[(size_t)a * found->devices->gpus + b];
            if (all && all <= UINT32_MAX)
                topomap_devices_set_link(found->devices, a, b, 0, (uint32_t)all);
        }
    }
}

static void take_links(hwloc_topology_t topology, const struct found *found)
{
    static const char *const names[] = {"NVLinkBandwidth", "XGMIBandwidth", "XeLinkBandwidth"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hwloc_distances_s *matrix[4];
        unsigned count = 4;

        if (hwloc_distances_get_by_name(topology, names[i], &count, matrix, 0))
            continue;
        for (unsigned k = 0; k < count && k < 4; k++) {
            if (matrix[k]->nbobjs <= OBJECTS)
                take_matrix(found, matrix[k]);
            hwloc_distances_release(topology, matrix[k]);
        }
    }
}

/* ---- All ---------------------------------------------------------------------------------------
 */

static int find(hwloc_topology_t topology, struct found *found, topomap_error *err)
{
    uint32_t tag[TOPOMAP_DEVICES_MOST];
    hwloc_obj_t object = NULL, sorted[TOPOMAP_DEVICES_MOST];

    while ((object = hwloc_get_next_pcidev(topology, object)))
        if (add_pci(topology, found, object, err))
            return -1;
    while ((object = hwloc_get_next_osdev(topology, object)))
        if (add_bare(topology, found, object, err))
            return -1;
    for (uint32_t i = 0; i < found->devices->count; i++)
        tag[i] = i;
    topomap_devices_sort(found->devices, tag);
    for (uint32_t i = 0; i < found->devices->count; i++)
        sorted[i] = found->object[tag[i]];
    memcpy(found->object, sorted, found->devices->count * sizeof *sorted);
    if (topomap_devices_finish(found->devices, err))
        return -1;
    take_links(topology, found);
    return 0;
}

int db_hwloc_devices(char *xml, size_t size, topomap_devices *devices, topomap_error *err)
{
    struct found found = {.devices = devices};
    hwloc_topology_t topology;
    int result;

    *devices = (topomap_devices){0};
    topomap_shape_lower_version(xml);
    if (hwloc_topology_init(&topology))
        return -1;
    result = hwloc_topology_set_xmlbuffer(topology, xml, (int)size + 1) ||
             hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
             hwloc_topology_load(topology) || find(topology, &found, err);
    hwloc_topology_destroy(topology);
    if (result)
        topomap_devices_clear(devices);
    return result ? -1 : 0;
}

void db_hwloc_print_owned(const topomap_devices *devices, FILE *out)
{
    char bus[20];

    for (uint32_t i = 0; i < devices->count; i++) {
        const topomap_device *d = &devices->device[i];

        if (d->bus && (*d->uuid || d->state >= 0))
            fprintf(out, "%s %s %d\n", topomap_bus_format(d->bus, bus), *d->uuid ? d->uuid : "-",
                    (int)d->state);
    }
}
