/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a node: packages, NUMA nodes, PCI switches, GPUs and NICs, and the links between
 * GPUs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/db/db_node.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"
#include "util/sorted.h"

struct node {
    topomap_devices devices;
    topomap_shape shape;
    char domain[128];
    uint32_t *nic;  /* [gpus] the NIC that a GPU uses, or UINT32_MAX */
    uint32_t *rail; /* [gpus] */
    uint32_t *part; /* [count] which part of the node a device hangs on, or UINT32_MAX */
    char *drawn;    /* [count] */
    topomap_arena arrays;
};

/* ---- Parts of a node: its NUMA nodes, else its packages, else all of it ---------------------- */

static const uint32_t *level_named(const topomap_shape *shape, const char *name)
{
    for (uint32_t l = 0; l < shape->levels; l++)
        if (strcmp(shape->level[l].name, name) == 0)
            return shape->level[l].group;
    return NULL;
}

static const uint32_t *part_groups(const topomap_shape *shape)
{
    return shape->numa ? shape->level[shape->numa - 1].group : level_named(shape, "package");
}

/* Whether a list such as 0-3,8 has it. */
static int has_cpu(const char *cpus, uint32_t cpu)
{
    while (cpus && *cpus) {
        char *end;
        unsigned long first = strtoul(cpus, &end, 10), last = first;

        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (cpu >= first && cpu <= last)
            return 1;
        cpus = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

/* A device hangs on a part where its CPUs are that part's alone. */
static uint32_t part_of(const struct node *node, const topomap_device *device)
{
    const topomap_shape *shape = &node->shape;
    const uint32_t *group = shape->cores ? part_groups(shape) : NULL;
    uint32_t found = UINT32_MAX;

    for (uint32_t c = 0; group && c < shape->cores; c++) {
        if (!has_cpu(device->cpus, shape->pu_os[shape->pu_first[c]]))
            continue;
        if (found != UINT32_MAX && found != group[c])
            return UINT32_MAX;
        found = group[c];
    }
    return found;
}

/* What the NUMA nodes are numbered as by the system, where a device tells; else in their order. */
static int part_number(const struct node *node, uint32_t part)
{
    for (uint32_t i = 0; i < node->devices.count; i++)
        if (node->part[i] == part && node->devices.device[i].numa >= 0)
            return node->devices.device[i].numa;
    return (int)part;
}

/* ---- Text -------------------------------------------------------------------------------- */

static void print_cpus(const topomap_shape *shape, const uint32_t *group, uint32_t part)
{
    TOPOMAP_FREED uint32_t *pu = malloc(shape->pus * sizeof *pu);
    uint32_t count = 0;

    for (uint32_t c = 0; pu && c < shape->cores; c++)
        for (uint32_t i = shape->pu_first[c]; group[c] == part && i < shape->pu_first[c + 1]; i++)
            pu[count++] = shape->pu_os[i];
    if (pu) {
        TOPOMAP_SORT(pu, count, topomap_by_u32);
        printf("  CPUs ");
        topomap_ranges_print(stdout, pu, count, 2);
    }
    putchar('\n');
}

static void print_device(const struct node *node, uint32_t i, int indent)
{
    const topomap_device *d = &node->devices.device[i];
    char bus[20], what[64];

    if (d->kind == TOPOMAP_DEVICE_GPU)
        snprintf(what, sizeof what, "GPU %" PRIu32 "%s%s", i, *d->name ? "  " : "", d->name);
    else
        snprintf(what, sizeof what, "NIC %s", *d->name ? d->name : "-");
    printf("%*s%-16s  %-12s", indent, "", what, d->bus ? topomap_bus_format(d->bus, bus) : "-");
    if (*d->model)
        printf("  %s", d->model);
    if (d->kind == TOPOMAP_DEVICE_GPU && node->nic[i] != UINT32_MAX) {
        const topomap_device *nic = &node->devices.device[node->nic[i]];
        const char *near = topomap_near_word(topomap_devices_near(&node->devices, i, node->nic[i]));

        printf("  NIC %s (%s)", *nic->name ? nic->name : topomap_bus_format(nic->bus, bus),
               *near ? near : "?");
    }
    if (d->state >= 0)
        printf("  %s", d->state ? "up" : "down");
    if (*d->uuid)
        printf("  %s", d->uuid);
    putchar('\n');
    node->drawn[i] = 1;
}

/* Devices on one bridge stand below it; a bridge that one device alone is on is not drawn. */
static void print_below(const struct node *node, uint32_t first, uint32_t depth, int indent)
{
    const topomap_devices *d = &node->devices;
    const topomap_device *one = &d->device[first];
    uint32_t same = 0, together = depth;

    /* The deepest bridge that all who share the one at this depth have in common. */
    for (uint32_t i = 0; i < d->count; i++) {
        const topomap_device *other = &d->device[i];
        uint32_t common = 0;

        if (i == first || node->part[i] != node->part[first])
            continue;
        while (common < one->bridges && common < other->bridges &&
               one->bridge[common] == other->bridge[common])
            common++;
        if (common <= depth)
            continue;
        together = same++ && together < common ? together : common;
    }
    if (!same) {
        print_device(node, first, indent);
        return;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        const topomap_device *other = &d->device[i];
        char bus[20];

        if (node->drawn[i] || node->part[i] != node->part[first] || other->bridges < together ||
            memcmp(other->bridge, one->bridge, together * sizeof *one->bridge) != 0)
            continue;
        if (i == first)
            printf("%*sPCI switch %s\n", indent, "",
                   topomap_bus_format(one->bridge[together - 1], bus));
        print_below(node, i, together, indent + 2);
    }
}

static void print_part(const struct node *node, uint32_t part, int indent)
{
    for (uint32_t i = 0; i < node->devices.count; i++)
        if (!node->drawn[i] && node->part[i] == part)
            print_below(node, i, 0, indent);
}

static void print_tree(const struct node *node)
{
    const topomap_shape *shape = &node->shape;
    const uint32_t *package = level_named(shape, "package"), *part = part_groups(shape);

    for (uint32_t c = 0; part && c < shape->cores; c++) {
        if (package && package != part && (!c || package[c] != package[c - 1]))
            printf("  package %" PRIu32 "\n", package[c]);
        if (c && part[c] == part[c - 1])
            continue;
        printf("  %s%s %d", package && package != part ? "  " : "",
               shape->numa ? "NUMA node" : "package",
               shape->numa ? part_number(node, part[c]) : (int)part[c]);
        print_cpus(shape, part, part[c]);
        print_part(node, part[c], package && package != part ? 6 : 4);
    }
    print_part(node, UINT32_MAX, 2);
}

/* A cell of the matrix: NVLinks, their rate, or what the way passes. */
static void print_cell(const topomap_devices *d, uint32_t i, uint32_t j)
{
    uint32_t links = d->links[(size_t)i * d->gpus + j], mbytes = d->mbytes[(size_t)i * d->gpus + j];
    char cell[40];

    if (i == j)
        snprintf(cell, sizeof cell, "X");
    else if (links)
        snprintf(cell, sizeof cell, "NV%" PRIu32, links);
    else if (mbytes)
        snprintf(cell, sizeof cell, "%" PRIu32 "GB/s", (mbytes + 500) / 1000);
    else
        snprintf(cell, sizeof cell, "%s", topomap_near_word(topomap_devices_near(d, i, j)));
    printf(" %8s", *cell ? cell : "-");
}

static void print_links(const topomap_devices *d)
{
    if (d->gpus < 2)
        return;
    printf("  %-7s", "");
    for (uint32_t j = 0; j < d->gpus; j++)
        printf("    GPU%-2" PRIu32, j);
    putchar('\n');
    for (uint32_t i = 0; i < d->gpus; i++) {
        printf("  GPU%-4" PRIu32, i);
        for (uint32_t j = 0; j < d->gpus; j++)
            print_cell(d, i, j);
        putchar('\n');
    }
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *bus_json(uint64_t bus)
{
    char text[20];

    return bus ? json_string(topomap_bus_format(bus, text)) : json_null();
}

static json_t *number_or_null(int64_t number)
{
    return number >= 0 ? json_integer(number) : json_null();
}

static json_t *device_json(const topomap_device *d)
{
    json_t *path = json_array();

    for (uint32_t i = 0; i < d->bridges; i++)
        json_array_append_new(path, bus_json(d->bridge[i]));
    return cli_json_object("bus:o name:S names:o model:S vendor:S numa:o package:o cpus:S path:o",
                           bus_json(d->bus), d->name, cli_json_words(d->names, ','), d->model,
                           d->vendor, number_or_null(d->numa), number_or_null(d->package), d->cpus,
                           path);
}

/* What NICs are called by here: the name, or where it has none the bus id. */
static json_t *nic_json(const topomap_devices *d, uint32_t nic)
{
    if (nic == UINT32_MAX)
        return json_null();
    return *d->device[nic].name ? cli_json_text(d->device[nic].name) : bus_json(d->device[nic].bus);
}

static json_t *gpu_json(const struct node *node, uint32_t i)
{
    const topomap_devices *d = &node->devices;
    json_t *gpu = device_json(&d->device[i]), *links = json_array(), *near = json_array();

    for (uint32_t j = 0; j < d->gpus; j++)
        if (j != i && topomap_devices_linked(d, i, j))
            cli_json_add(links, "gpu:u links:o mbytes:c", j,
                         cli_json_count(d->links[(size_t)i * d->gpus + j]),
                         d->mbytes[(size_t)i * d->gpus + j]);
    for (uint32_t j = 0; j < d->gpus; j++)
        json_array_append_new(near,
                              cli_json_filled(topomap_near_word(topomap_devices_near(d, i, j))));
    cli_json_set(
        gpu, "index:u uuid:S nic:o nic_near:S rail:o links:o near:o", i, d->device[i].uuid,
        nic_json(d, node->nic[i]),
        node->nic[i] == UINT32_MAX ? ""
                                   : topomap_near_word(topomap_devices_near(d, i, node->nic[i])),
        node->nic[i] == UINT32_MAX ? json_null() : json_integer(node->rail[i]), links, near);
    return gpu;
}

static json_t *nic_object(const struct node *node, uint32_t i)
{
    const topomap_devices *d = &node->devices;
    json_t *nic = device_json(&d->device[i]), *users = json_array();
    enum topomap_near best = TOPOMAP_NEARS;
    json_t *nearest = json_null();

    for (uint32_t g = 0; g < d->gpus; g++) {
        enum topomap_near near = topomap_devices_near(d, g, i);

        if (node->nic[g] == i)
            json_array_append_new(users, json_integer(g));
        if (near && near < best) {
            best = near;
            json_decref(nearest);
            nearest = json_integer(g);
        }
    }
    cli_json_set(nic, "gpus:o gpu:o state:S mbps:c", users, nearest,
                 d->device[i].state < 0 ? ""
                 : d->device[i].state   ? "up"
                                        : "down",
                 d->device[i].mbps);
    return nic;
}

static void add_json(const struct node *node, json_t *host)
{
    json_t *gpus = json_array(), *nics = json_array();

    for (uint32_t i = 0; i < node->devices.count; i++) {
        if (i < node->devices.gpus)
            json_array_append_new(gpus, gpu_json(node, i));
        else
            json_array_append_new(nics, nic_object(node, i));
    }
    cli_json_set(host, "gpus:o nics:o domain:S", gpus, nics, node->domain);
}

/* ---- Both -------------------------------------------------------------------------------- */

static int fill(topomap_db *db, const char *name, struct node *node, topomap_error *err)
{
    if (topomap_db_devices(db, name, &node->devices, err) ||
        topomap_db_shape(db, name, &node->shape, err) ||
        topomap_db_domain(db, name, node->domain, sizeof node->domain, err))
        return -1;
    node->nic = topomap_arena_alloc(&node->arrays, node->devices.gpus, sizeof *node->nic, err);
    node->rail = topomap_arena_alloc(&node->arrays, node->devices.gpus, sizeof *node->rail, err);
    node->part = topomap_arena_alloc(&node->arrays, node->devices.count, sizeof *node->part, err);
    node->drawn = topomap_arena_alloc(&node->arrays, node->devices.count, 1, err);
    if (node->arrays.is_short || topomap_devices_nics(&node->devices, node->nic, err) ||
        !topomap_devices_rails(&node->devices, node->rail, err))
        return -1;
    for (uint32_t i = 0; i < node->devices.count; i++)
        node->part[i] = part_of(node, &node->devices.device[i]);
    return 0;
}

static void clear(struct node *node)
{
    topomap_arena_clear(&node->arrays);
    topomap_devices_clear(&node->devices);
    topomap_shape_clear(&node->shape);
}

int cli_db_node(topomap_db *db, const char *name, json_t *host, topomap_error *err)
{
    TOPOMAP_CLEANUP(clear) struct node node = {.domain = ""};

    if (fill(db, name, &node, err))
        return -1;
    if (host) {
        add_json(&node, host);
        return 0;
    }
    if (*node.domain)
        printf("  NVLink domain %s\n", node.domain);
    if (node.shape.cores || node.devices.count)
        print_tree(&node);
    print_links(&node.devices);
    return 0;
}
