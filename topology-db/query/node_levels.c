/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/query/query.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/shape.h"
#include "util/alloc.h"

enum { NO_CLASS = UINT32_MAX };

struct class
{
    int64_t id;
    topomap_shape shape;
    double cost[TOPOMAP_SHAPE_LEVELS]; /* of its levels; never falls from the inside out */
};

/* Where tasks can go on a node: its cores, or those that the job has, and whether a place is a PU
 * of these or a whole core. */
struct room {
    const topomap_shape *shape;
    const uint32_t *core; /* [cores] of the shape, ascending; NULL: all */
    uint32_t cores, pus;  /* the PUs that may be used */
    uint32_t threads;     /* most of a core's PUs that may be */
    int by_pu;
};

/* Consecutive places of a task. */
struct window {
    uint32_t first, count;
};

struct insides {
    topomap_db *db;
    const topomap_db_allocation *allocation;
    const topomap_machine *machine;
    struct class *class;
    uint32_t classes;
    size_t room;
    uint32_t *class_of; /* [nodes] */
    uint32_t *core;     /* [slots] that a slot starts on */
    struct {
        char name[16];
        double cost;
    } measured[16]; /* levels of a calibration */
    size_t measurements;
};

/* ---- Costs ------------------------------------------------------------------------------- */

static int read_measured(struct insides *in, topomap_error *err)
{
    DB_ROWS rows = db_ask(
        in->db->file,
        "SELECT substr(name, 6), value FROM fact WHERE name > 'cost:' AND name < 'cost;'", err);

    while (in->measurements < sizeof in->measured / sizeof *in->measured && db_next(&rows)) {
        snprintf(in->measured[in->measurements].name, sizeof in->measured->name, "%s",
                 sqlite3_column_text(rows.row, 0));
        in->measured[in->measurements++].cost = sqlite3_column_double(rows.row, 1);
    }
    return rows.result;
}

/* What was measured, else machine/shape.h's order of closeness. */
static double level_cost(const struct insides *in, const char *level)
{
    for (size_t i = 0; i < in->measurements; i++)
        if (strcmp(in->measured[i].name, level) == 0 && in->measured[i].cost > 0)
            return in->measured[i].cost;
    return topomap_shape_cost(level);
}

int topomap_db_inside_cost(topomap_db *db, const char *level, double *cost, topomap_error *err)
{
    struct insides in = {.db = db};

    if (read_measured(&in, err))
        return -1;
    *cost = level_cost(&in, level);
    return 0;
}

/* ---- Classes ----------------------------------------------------------------------------- */

static void set_costs(const struct insides *in, struct class *class)
{
    double inner = level_cost(in, "core");

    for (uint32_t l = class->shape.levels; l-- > 0;) {
        double own = level_cost(in, class->shape.level[l].name);

        class->cost[l] = inner = own > inner ? own : inner;
    }
}

static int read_class(struct insides *in, int64_t id, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(in->db->file, "SELECT shape FROM class WHERE id=?", err, DB_INT(id));
    struct class class = {.id = id};

    if (!db_next(&rows))
        return rows.result
                   ? -1
                   : topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a node class is missing",
                                       in->db->path);
    if (topomap_shape_parse((const char *)sqlite3_column_text(rows.row, 0), &class.shape, err))
        return -1;
    if (topomap_grow(&in->class, &in->room, in->classes + 1u, sizeof *in->class, err)) {
        topomap_shape_clear(&class.shape);
        return -1;
    }
    set_costs(in, &class);
    in->class[in->classes++] = class;
    return 0;
}

/* A cluster has a handful of classes, so a linear search does. */
static int find_classes(struct insides *in, const struct db_place *places, topomap_error *err)
{
    for (uint32_t node = 0; node < in->machine->nodes; node++) {
        uint32_t c = 0;

        in->class_of[node] = NO_CLASS;
        if (!places[node].class)
            continue;
        while (c < in->classes && in->class[c].id != places[node].class)
            c++;
        if (c == in->classes && read_class(in, places[node].class, err))
            return -1;
        in->class_of[node] = c;
    }
    return 0;
}

/* ---- Places of tasks --------------------------------------------------------------------- */

/* --threads-per-core and --hint=nomultithread leave fewer CPUs on a core than it has. */
static uint32_t threads_wanted(const topomap_db_allocation *allocation)
{
    return allocation->threads_per_core ? allocation->threads_per_core : UINT32_MAX;
}

static uint32_t per_core(const struct room *room)
{
    uint32_t threads = room->shape->pus / room->shape->cores;

    threads = threads < room->threads ? threads : room->threads;
    return threads ? threads : 1;
}

static uint32_t core_at(const struct room *room, uint32_t place)
{
    return room->core ? room->core[place] : place;
}

static uint32_t threads_of(const struct room *room, uint32_t core)
{
    uint32_t threads = room->shape->pu_first[core + 1] - room->shape->pu_first[core];

    return threads < room->threads ? threads : room->threads;
}

/* The core of the room's PU number *pu, which becomes the PU's number in that core. */
static uint32_t core_of_pu(const struct room *room, uint32_t *pu)
{
    uint32_t low = 0, high = room->cores;

    if (room->core || room->pus < room->shape->pus) {
        while (*pu >= threads_of(room, core_at(room, low)))
            *pu -= threads_of(room, core_at(room, low++));
        return core_at(room, low);
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (room->shape->pu_first[middle] <= *pu)
            low = middle;
        else
            high = middle;
    }
    *pu -= room->shape->pu_first[low];
    return low;
}

static uint32_t cores_wanted(const struct room *room, uint32_t cpus)
{
    return (cpus - 1) / per_core(room) + 1;
}

static void count_room(struct room *room)
{
    room->pus = 0;
    for (uint32_t i = 0; i < room->cores; i++)
        room->pus += threads_of(room, core_at(room, i));
}

static uint32_t cpus_of(const topomap_db_allocation *allocation)
{
    return allocation->cpus_per_task ? allocation->cpus_per_task : 1;
}

/* Tasks that want more cores than there are, but not more hardware threads, are bound to threads:
 * Slurm counts these as the job's CPUs. Cores that the class does not have belong to another kind
 * of node: the node's plugin reports that, and the plan is for the whole node. */
static struct room room_of(const struct insides *in, uint32_t node, uint32_t tasks)
{
    const topomap_shape *shape = &in->class[in->class_of[node]].shape;
    const topomap_cores *has = in->allocation->cores;
    uint32_t count = has ? has->first[node + 1] - has->first[node] : 0;
    uint32_t cpus = cpus_of(in->allocation);
    struct room room = {.shape = shape,
                        .cores = shape->cores,
                        .threads = threads_wanted(in->allocation),
                        .by_pu = in->allocation->bind == TOPOMAP_BIND_PU};
    int known = count && has->core[has->first[node + 1] - 1] < shape->cores;

    if (known && count < shape->cores) {
        room.core = has->core + has->first[node];
        room.cores = count;
    }
    count_room(&room);
    room.by_pu |= in->allocation->bind == TOPOMAP_BIND_CORE &&
                  (uint64_t)tasks * cores_wanted(&room, cpus) > room.cores &&
                  (uint64_t)tasks * cpus <= room.pus;
    return room;
}

/* Tasks of an overcommitted step (srun -O) run faster if they share all of its CPUs: pinned, some
 * wait for their CPU while another one is idle. */
static int is_overcommitted(const struct room *room, const topomap_db_allocation *allocation,
                            uint32_t tasks)
{
    return (uint64_t)tasks * cpus_of(allocation) > room->pus;
}

/* Task k of n on a node of C places starts at floor(k * C / n): evenly spread where there are fewer
 * tasks than places, shared evenly where there are more. Or side by side from the first place on.
 */
static struct window place_task(const struct room *room, const topomap_db_allocation *allocation,
                                uint32_t task, uint32_t tasks)
{
    uint32_t cpus = cpus_of(allocation);
    uint32_t places = room->by_pu ? room->pus : room->cores;
    uint32_t want = room->by_pu ? cpus : cores_wanted(room, cpus);
    struct window window = {.first = (uint32_t)((uint64_t)task * places / tasks),
                            .count = want < places ? want : places};

    if (allocation->compact && (uint64_t)tasks * window.count <= places)
        window.first = task * window.count;
    if (window.first > places - window.count)
        window.first = places - window.count;
    return window;
}

static void find_cores(struct insides *in)
{
    const topomap_machine *m = in->machine;

    for (uint32_t node = 0; node < m->nodes; node++) {
        uint32_t first = m->slot_first[node], tasks = m->slot_first[node + 1] - first;
        struct room room = {0};

        if (in->class_of[node] != NO_CLASS)
            room = room_of(in, node, tasks);
        for (uint32_t k = 0; k < tasks; k++) {
            uint32_t place = k; /* each alone */

            if (room.shape)
                place = place_task(&room, in->allocation, k, tasks).first;
            in->core[first + k] = !room.shape  ? place
                                  : room.by_pu ? core_of_pu(&room, &place)
                                               : core_at(&room, place);
        }
    }
}

/* ---- Levels ------------------------------------------------------------------------------ */

/* The outermost level that costs at most this; -1: the core itself. */
static int level_at(const struct class *class, double cost)
{
    int found = -1;

    for (int l = (int)class->shape.levels - 1; l >= 0 && class->cost[l] <= cost; l--)
        found = l;
    return found;
}

/* Which group of its node a slot is in, where groups are as wide as this cost. */
static uint32_t group_at(const struct insides *in, uint32_t slot, double cost)
{
    uint32_t class = in->class_of[in->machine->node_of[slot]];
    int level = class == NO_CLASS ? -1 : level_at(&in->class[class], cost);

    return level < 0 ? in->core[slot] : in->class[class].shape.level[level].group[in->core[slot]];
}

/* The names that classes have for the level of this cost, each once: "l3", or "l3/group". */
static void name_level(const struct insides *in, double cost, char *name, size_t size)
{
    snprintf(name, size, "%s", cost <= level_cost(in, "core") ? "core" : "");
    for (uint32_t c = 0; c < in->classes; c++) {
        int level = level_at(&in->class[c], cost);
        const char *own = level < 0 ? "" : in->class[c].shape.level[level].name;
        size_t used = strlen(name);

        if (level < 0 || in->class[c].cost[level] < cost || strstr(name, own))
            continue;
        if (used + strlen(own) + 2 <= size)
            snprintf(name + used, size - used, "%s%s", used ? "/" : "", own);
    }
}

/* Groups of slots for one cost; returns whether any two slots are together. */
static int group_slots(const struct insides *in, double cost, uint32_t *group)
{
    const topomap_machine *m = in->machine;
    int together = 0;

    for (uint32_t s = 0; s < m->slots; s++) {
        int same = s && m->node_of[s] == m->node_of[s - 1] &&
                   group_at(in, s, cost) == group_at(in, s - 1, cost) &&
                   in->class_of[m->node_of[s]] != NO_CLASS;

        together |= same;
        group[s] = s ? group[s - 1] + !same : 0;
    }
    return together;
}

/* The next larger cost that some level has; 0 where there is none. */
static double next_cost(const struct insides *in, double after)
{
    double best = 0;

    for (uint32_t c = 0; c < in->classes; c++)
        for (uint32_t l = 0; l < in->class[c].shape.levels; l++)
            if (in->class[c].cost[l] > after && (!best || in->class[c].cost[l] < best))
                best = in->class[c].cost[l];
    return best;
}

/* Levels of all classes are put together by their cost, from the same core outwards. */
static int add_levels(struct insides *in, topomap_machine *machine, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(machine->slots, sizeof *group, err);
    double node = level_cost(in, "node");
    int result = group ? 0 : -1;

    for (double cost = in->classes ? level_cost(in, "core") : 0; !result && cost && cost < node;
         cost = next_cost(in, cost)) {
        char name[24];

        if (!group_slots(in, cost, group))
            continue;
        name_level(in, cost, name, sizeof name);
        result = topomap_machine_add_inner(machine, name, cost, group, err);
    }
    return result ? -1 : topomap_machine_add_inner(machine, "node", node, machine->node_of, err);
}

/* ---- Bindings ---------------------------------------------------------------------------- */

static int copy_class(const topomap_shape *shape, topomap_bindings_class *to, topomap_error *err)
{
    to->pu_first = topomap_alloc(shape->cores + 1u, sizeof *to->pu_first, err);
    to->pu_os = topomap_alloc(shape->pus, sizeof *to->pu_os, err);
    if (!to->pu_first || !to->pu_os)
        return -1;
    to->cores = shape->cores;
    memcpy(to->pu_first, shape->pu_first, (shape->cores + 1u) * sizeof *to->pu_first);
    memcpy(to->pu_os, shape->pu_os, shape->pus * sizeof *to->pu_os);
    return 0;
}

/* Widens a window of cores to the whole of the NUMA nodes that it touches. */
static struct window whole_numa(const struct room *room, struct window window)
{
    const uint32_t *group;
    uint32_t end = window.first + window.count;

    if (!room->shape->numa)
        return (struct window){0, room->cores};
    group = room->shape->level[room->shape->numa - 1].group;
    while (window.first &&
           group[core_at(room, window.first - 1)] == group[core_at(room, window.first)])
        window.first--;
    while (end < room->cores && group[core_at(room, end)] == group[core_at(room, end - 1)])
        end++;
    window.count = end - window.first;
    return window;
}

/* The OS numbers of `count` PUs of the room's core from one on. */
static void append_pus(topomap_bindings *bindings, const topomap_shape *shape, uint32_t core,
                       uint32_t from, uint32_t count, uint32_t *used)
{
    memcpy(bindings->pu + *used, shape->pu_os + shape->pu_first[core] + from,
           count * sizeof *bindings->pu);
    *used += count;
}

static uint32_t count_pus(const struct room *room, struct window window)
{
    uint32_t count = 0;

    if (room->by_pu)
        return window.count;
    for (uint32_t i = 0; i < window.count; i++)
        count += threads_of(room, core_at(room, window.first + i));
    return count;
}

static int bind_task(topomap_bindings *bindings, size_t *size, const struct room *room,
                     struct window window, uint32_t *used, topomap_error *err)
{
    uint32_t count = count_pus(room, window), start = *used, pu = window.first, core;

    if (count > UINT32_MAX - *used)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "too many CPUs are bound");
    if (topomap_grow(&bindings->pu, size, (size_t)*used + count, sizeof *bindings->pu, err))
        return -1;
    for (uint32_t i = 0; i < window.count; i++) {
        if (room->by_pu) {
            pu = window.first + i;
            core = core_of_pu(room, &pu);
            append_pus(bindings, room->shape, core, pu, 1, used);
        } else {
            core = core_at(room, window.first + i);
            append_pus(bindings, room->shape, core, 0, threads_of(room, core), used);
        }
    }
    qsort(bindings->pu + start, count, sizeof *bindings->pu, topomap_by_u32);
    return 0;
}

static int bind_node(const struct insides *in, uint32_t node, topomap_bindings *bindings,
                     size_t *size, uint32_t *used, topomap_error *err)
{
    uint32_t first = in->machine->slot_first[node];
    uint32_t tasks = in->machine->slot_first[node + 1] - first;
    int bound = in->class_of[node] != NO_CLASS && in->allocation->bind != TOPOMAP_BIND_NONE;
    struct room room = {0};

    if (bound) {
        room = room_of(in, node, tasks);
        bound = !is_overcommitted(&room, in->allocation, tasks);
    }
    bindings->class_of[node] = bound ? in->class_of[node] : UINT32_MAX;
    bindings->task_first[node] = first;
    for (uint32_t k = 0; k < tasks; k++) {
        struct window window;

        bindings->pu_start[first + k] = *used;
        if (!bound)
            continue;
        window = place_task(&room, in->allocation, k, tasks);
        if (in->allocation->bind == TOPOMAP_BIND_NUMA)
            window = whole_numa(&room, window);
        if (bind_task(bindings, size, &room, window, used, err))
            return -1;
    }
    return 0;
}

static int fill_bindings(const struct insides *in, topomap_bindings *bindings, topomap_error *err)
{
    const topomap_machine *m = in->machine;
    uint32_t classes = in->allocation->bind == TOPOMAP_BIND_NONE ? 0 : in->classes, used = 0;
    size_t size = 0;

    bindings->nodes = m->nodes;
    bindings->class_of = topomap_alloc(m->nodes, sizeof *bindings->class_of, err);
    bindings->task_first = topomap_alloc(m->nodes + 1u, sizeof *bindings->task_first, err);
    bindings->pu_start = topomap_alloc(m->slots + 1u, sizeof *bindings->pu_start, err);
    bindings->node_class = topomap_alloc(classes, sizeof *bindings->node_class, err);
    if (!bindings->class_of || !bindings->task_first || !bindings->pu_start ||
        !bindings->node_class)
        return -1;
    for (; bindings->classes < classes; bindings->classes++)
        if (copy_class(&in->class[bindings->classes].shape,
                       &bindings->node_class[bindings->classes], err)) {
            bindings->classes++; /* its first array may be there */
            return -1;
        }
    for (uint32_t node = 0; node < m->nodes; node++)
        if (bind_node(in, node, bindings, &size, &used, err))
            return -1;
    bindings->task_first[m->nodes] = m->slots;
    bindings->pu_start[m->slots] = used;
    if (!bindings->pu)
        bindings->pu = topomap_alloc(1, sizeof *bindings->pu, err);
    return bindings->pu ? 0 : -1;
}

/* ---- All --------------------------------------------------------------------------------- */

int db_node_levels_add(topomap_db *db, const topomap_db_allocation *allocation,
                       const struct db_place *places, topomap_machine *machine,
                       topomap_bindings *bindings, topomap_error *err)
{
    struct insides in = {.db = db, .allocation = allocation, .machine = machine};
    topomap_bindings filled = {0};
    int result = -1;

    in.class_of = topomap_alloc(machine->nodes, sizeof *in.class_of, err);
    in.core = topomap_alloc(machine->slots, sizeof *in.core, err);
    if (in.class_of && in.core && read_measured(&in, err) == 0 &&
        find_classes(&in, places, err) == 0) {
        find_cores(&in);
        result = add_levels(&in, machine, err);
    }
    if (!result && bindings) {
        result = fill_bindings(&in, &filled, err);
        if (result)
            topomap_bindings_clear(&filled);
        else
            *bindings = filled;
    }
    for (uint32_t c = 0; c < in.classes; c++)
        topomap_shape_clear(&in.class[c].shape);
    free(in.class);
    free(in.class_of);
    free(in.core);
    return result;
}
