/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes from the inside: their packages, caches and cores, GPUs and NICs as the database has them,
 * or the places of a machine that was specified; which ranks have which of it, and how much of what
 * they send and receive stays on the node. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"
#include "util/sorted.h"

enum { NODES_MOST = 1024, CPU_TEXTS_MOST = 65536, NONE = -1 };

typedef struct inside {
    const page_job *job;
    topomap_db *db; /* NULL: of a machine that was specified */
    topomap_db_device_classes devices;
    uint32_t *chosen; /* [nodes] ascending */
    uint32_t count;
    double *bytes[2][2]; /* before and after: [ranks] that stay on the node, and others */
    uint32_t *at[2];     /* [ranks] where each stands in the plan */
    json_t *shapes, *texts, *number; /* texts: of CPUs; number: of each of them */
    int *shape_of_class;             /* [classes of by_slot] NONE: not looked at yet */
    topomap_arena arrays;
} inside;

/* ---- What a node is made of ---------------------------------------------------------------- */

static json_t *shape_json(const topomap_shape *shape)
{
    json_t *cpus = json_array(), *levels = json_array();

    for (uint32_t c = 0; c < shape->cores; c++)
        json_array_append_new(cpus, cli_json_numbers(shape->pu_os + shape->pu_first[c],
                                                     shape->pu_first[c + 1] - shape->pu_first[c]));
    for (uint32_t l = 0; l < shape->levels; l++)
        cli_json_add(levels, "name:s group:o", shape->level[l].name,
                     cli_json_numbers(shape->level[l].group, shape->cores));
    return cli_json_object("leaf:s cpus:o level:o", "core", cpus, levels);
}

/* The nested groups of a specified machine, the whole node left out; its places are numbered from
 * 0 on each node. */
static json_t *nesting_json(const topomap_machine *m, uint32_t node)
{
    uint32_t first = m->slot_first[node], count = m->slot_first[node + 1] - first;
    json_t *places = json_array(), *levels = json_array();

    for (uint32_t s = 0; s < count; s++)
        json_array_append_new(places, json_pack("[I]", (json_int_t)s));
    for (uint32_t l = m->inner_levels; l-- > 0;) {
        json_t *group = json_array();

        for (uint32_t s = 0; s < count; s++)
            json_array_append_new(
                group, json_integer(m->inner[l].group[first + s] - m->inner[l].group[first]));
        if (l + 1 == m->inner_levels)
            json_decref(group);
        else
            cli_json_add(levels, "name:s group:o", m->inner[l].name, group);
    }
    return cli_json_object("leaf:s cpus:o level:o", "place", places, levels);
}

/* Takes the reference. */
static int number_of(json_t *list, json_t *item)
{
    size_t i = 0;

    while (i < json_array_size(list) && !json_equal(json_array_get(list, i), item))
        i++;
    if (i == json_array_size(list))
        json_array_append(list, item);
    json_decref(item);
    return (int)i;
}

static int look_up_shape(inside *in, uint32_t node, int *number, topomap_error *err)
{
    topomap_shape shape;

    *number = NONE;
    if (topomap_db_shape(in->db, in->job->nodes->name[node], &shape, err) != 0)
        return -1;
    if (shape.cores)
        *number = number_of(in->shapes, shape_json(&shape));
    topomap_shape_clear(&shape);
    return 0;
}

/* Nodes of one class are looked up once. */
static int shape_of(inside *in, uint32_t node, int *number, topomap_error *err)
{
    const topomap_bindings *by_slot = in->job->by_slot;
    uint32_t class = by_slot && by_slot->nodes ? by_slot->class_of[node] : UINT32_MAX;

    if (!in->db) {
        *number = number_of(in->shapes, nesting_json(in->job->machine, node));
        return 0;
    }
    if (class == UINT32_MAX)
        return look_up_shape(in, node, number, err);
    if (in->shape_of_class[class] == NONE &&
        look_up_shape(in, node, &in->shape_of_class[class], err) != 0)
        return -1;
    *number = in->shape_of_class[class];
    return 0;
}

static json_t *device_json(const topomap_device *device)
{
    return cli_json_object("kind:s name:s model:s cpus:s numa:i mbps:u",
                           device->kind == TOPOMAP_DEVICE_GPU ? "GPU" : "NIC", device->name,
                           device->model, device->cpus ? device->cpus : "", device->numa,
                           device->mbps);
}

static json_t *devices_json(const topomap_db_device_classes *found)
{
    json_t *list = json_array();

    for (uint32_t c = 0; c < found->classes; c++) {
        json_t *row = json_array();

        for (uint32_t i = 0; i < found->class[c].count; i++)
            json_array_append_new(row, device_json(&found->class[c].device[i]));
        json_array_append_new(list, row);
    }
    return list;
}

/* ---- Ranks ------------------------------------------------------------------------------- */

static int count_bytes(inside *in, topomap_error *err)
{
    const page_job *job = in->job;
    uint32_t ranks = topomap_graph_ranks(job->graph);
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights w = {0};

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            in->bytes[i][k] = topomap_arena_alloc(&in->arrays, job->ranks, sizeof(double), err);
    if (in->arrays.is_short || topomap_weights_new(job->graph, ranks, &w, err) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            uint32_t node = topomap_machine_node_of(job->machine, job->slot[i][rank]);

            for (uint64_t e = w.offset[rank]; e < w.offset[rank + 1]; e++)
                in->bytes[i][topomap_machine_node_of(job->machine, job->slot[i][w.target[e]]) !=
                             node][rank] += (double)w.weight[e];
        }
    return 0;
}

static int find_places(inside *in, topomap_error *err)
{
    for (int i = 0; i < 2; i++) {
        const topomap_plan *plan = in->job->plan[i];

        if (!(in->at[i] = topomap_arena_alloc(&in->arrays, plan->tasks, sizeof *in->at[i], err)))
            return -1;
        for (uint32_t t = 0; t < plan->tasks; t++)
            in->at[i][plan->task[t]] = t;
    }
    return 0;
}

/* The number of a list of CPUs among all of them; NONE: Slurm decides. */
static json_int_t cpus_of(inside *in, int which, uint32_t node, uint32_t rank)
{
    const uint32_t *pu = NULL, place = in->job->slot[which][rank] -
                                       (in->db ? 0 : in->job->machine->slot_first[node]);
    uint32_t count =
        in->db ? topomap_plan_cpus(in->job->plan[which], node, in->at[which][rank], &pu) : 1;
    json_t *text = count ? page_ranges(in->db ? pu : &place, count) : NULL;
    const json_t *known = text ? json_object_get(in->number, json_string_value(text)) : NULL;
    json_int_t number = NONE;

    if (known) {
        number = json_integer_value(known);
    } else if (text && json_array_size(in->texts) < CPU_TEXTS_MOST) {
        number = (json_int_t)json_array_size(in->texts);
        json_array_append(in->texts, text);
        json_object_set_new(in->number, json_string_value(text), json_integer(number));
    }
    json_decref(text);
    return number;
}

static json_t *number_or_none(uint32_t number)
{
    return json_integer(number == UINT32_MAX ? (json_int_t)NONE : (json_int_t)number);
}

/* Rank, its CPUs, bytes that stay and that do not, GPU, NIC: six numbers each. */
static json_t *ranks_json(inside *in, int which, uint32_t node)
{
    const topomap_plan *plan = in->job->plan[which];
    json_t *list = json_array();

    for (uint32_t t = plan->first[node]; t < plan->first[node + 1]; t++) {
        uint32_t rank = plan->task[t];
        uint32_t gpu = plan->gpu ? plan->gpu[t] : UINT32_MAX;

        if (rank >= in->job->ranks)
            continue;
        json_array_append_new(list, json_integer(rank));
        json_array_append_new(list, json_integer(cpus_of(in, which, node, rank)));
        for (int k = 0; k < 2; k++)
            json_array_append_new(list, cli_json_bytes(in->bytes[which][k][rank]));
        json_array_append_new(list, number_or_none(gpu));
        json_array_append_new(list, number_or_none(gpu == UINT32_MAX ? gpu : plan->nic[t]));
    }
    return list;
}

static json_t *nics_json(const topomap_plan *plan)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < plan->nics; i++)
        json_array_append_new(list, cli_json_text(plan->nic_name[i]));
    return list;
}

/* ---- Which nodes --------------------------------------------------------------------------- */

typedef struct busy {
    uint32_t node;
    double bytes;
} busy;

TOPOMAP_COMPARE(by_bytes, busy, TOPOMAP_ORDER(y->bytes, x->bytes), TOPOMAP_ORDER(x->node, y->node))

/* Those with ranks; where they are too many, those that send and receive most. \return how many
 * there are, UINT32_MAX: memory is short */
static uint32_t choose(inside *in, topomap_error *err)
{
    const page_job *job = in->job;
    uint32_t nodes = topomap_machine_nodes(job->machine), used = 0, ranks = 0;
    TOPOMAP_FREED busy *rows = topomap_alloc(nodes, sizeof *rows, err);

    in->chosen = topomap_arena_alloc(&in->arrays, nodes, sizeof *in->chosen, err);
    if (!rows || !in->chosen)
        return UINT32_MAX;
    for (uint32_t n = 0; n < nodes; n++)
        rows[n].node = n;
    for (int i = 0; i < 2; i++)
        for (uint32_t r = 0; r < job->ranks; r++)
            rows[topomap_machine_node_of(job->machine, job->slot[i][r])].bytes +=
                1 + in->bytes[i][1][r];
    qsort(rows, nodes, sizeof *rows, by_bytes);
    while (used < nodes && rows[used].bytes > 0) {
        uint32_t node = rows[used++].node;

        ranks += job->plan[1]->first[node + 1] - job->plan[1]->first[node];
        if (in->count < NODES_MOST && (in->count == 0 || ranks <= PAGE_RANKS))
            in->chosen[in->count++] = node;
    }
    qsort(in->chosen, in->count, sizeof *in->chosen, topomap_by_u32);
    return used;
}

/* ---- The section --------------------------------------------------------------------------- */

static json_t *node_json(inside *in, uint32_t node, topomap_error *err)
{
    uint32_t class = in->devices.nodes ? in->devices.class_of[node] : TOPOMAP_DB_NO_DEVICES;
    int shape;

    if (shape_of(in, node, &shape, err) != 0)
        return NULL;
    return cli_json_object("name:o shape:i device:U before:o after:o",
                           page_node_name(in->job, node), shape,
                           class == TOPOMAP_DB_NO_DEVICES ? (json_int_t)NONE : (json_int_t) class,
                           ranks_json(in, 0, node), ranks_json(in, 1, node));
}

static json_t *make(inside *in, topomap_error *err)
{
    uint32_t used = choose(in, err);
    json_auto_t *list = json_array();

    if (used == UINT32_MAX)
        return NULL;
    for (uint32_t i = 0; i < in->count; i++)
        if (json_array_append_new(list, node_json(in, in->chosen[i], err)) != 0)
            return NULL;
    return cli_json_object(
        "database:b shape:O device:o cpus:O nic:o node:O left_out:u", in->db != NULL, in->shapes,
        devices_json(&in->devices), in->texts,
        json_pack("[o, o]", nics_json(in->job->plan[0]), nics_json(in->job->plan[1])), list,
        used - in->count);
}

static int open_inside(inside *in, topomap_error *err)
{
    const topomap_bindings *by_slot = in->job->by_slot;
    uint32_t classes = by_slot && by_slot->nodes ? by_slot->classes : 0;

    in->shapes = json_array();
    in->texts = json_array();
    in->number = json_object();
    in->shape_of_class =
        topomap_arena_alloc(&in->arrays, classes ? classes : 1, sizeof *in->shape_of_class, err);
    for (uint32_t c = 0; in->shape_of_class && c < classes; c++)
        in->shape_of_class[c] = NONE;
    if (!in->shapes || !in->texts || !in->number || !in->shape_of_class ||
        count_bytes(in, err) != 0 || find_places(in, err) != 0)
        return -1;
    if (in->job->db && (topomap_db_open(in->job->db, &in->db, err) != 0 ||
                        topomap_db_devices_of(in->db, in->job->nodes, &in->devices, err) != 0))
        return -1;
    return 0;
}

static void close_inside(inside *in)
{
    topomap_db_device_classes_clear(&in->devices);
    topomap_db_close(in->db);
    topomap_arena_clear(&in->arrays);
    json_decref(in->shapes);
    json_decref(in->texts);
    json_decref(in->number);
}

json_t *page_node_topology(const page_job *job, topomap_error *err)
{
    TOPOMAP_CLEANUP(close_inside) inside in = {.job = job};

    /* A place a node has nothing inside. */
    if (!job->plan[0] ||
        (!job->db && topomap_machine_slots(job->machine) == topomap_machine_nodes(job->machine)))
        return json_null();
    return open_inside(&in, err) == 0 ? make(&in, err) : NULL;
}
