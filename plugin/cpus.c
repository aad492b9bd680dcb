/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/cpus.h"

#include <stdlib.h>
#include <string.h>

void plugin_cpus_add(plugin_cpus *set, uint32_t cpu)
{
    if (cpu < PLUGIN_CPUS)
        set->bit[cpu / 8] |= (unsigned char)(1u << cpu % 8);
}

int plugin_cpus_has(const plugin_cpus *set, uint32_t cpu)
{
    return cpu < PLUGIN_CPUS && set->bit[cpu / 8] >> cpu % 8 & 1;
}

/* "3" or "3-4" from *text on; cores low .. high. */
static int read_range(const char **text, unsigned long *low, unsigned long *high)
{
    char *end;

    *low = strtoul(*text, &end, 10);
    if (end == *text)
        return -1;
    *high = *low;
    if (*end == '-') {
        const char *second = end + 1;

        *high = strtoul(second, &end, 10);
        if (end == second)
            return -1;
    }
    *text = end;
    return 0;
}

int plugin_cpus_within(const plugin_cpus *set, const plugin_cpus *whole)
{
    int outside = 0;

    for (size_t i = 0; i < sizeof set->bit; i++)
        outside |= set->bit[i] & ~whole->bit[i];
    return !outside;
}

void plugin_cpus_of_class(const topomap_bindings_class *node_class, plugin_cpus *set)
{
    memset(set, 0, sizeof *set);
    for (uint32_t i = 0; i < node_class->pu_first[node_class->cores]; i++)
        plugin_cpus_add(set, node_class->pu_os[i]);
}

int plugin_cpus_read_list(const char *list, plugin_cpus *set)
{
    memset(set, 0, sizeof *set);
    do {
        unsigned long low, high;

        if (read_range(&list, &low, &high) || low > high || high >= PLUGIN_CPUS)
            return -1;
        for (unsigned long cpu = low; cpu <= high; cpu++)
            plugin_cpus_add(set, (uint32_t)cpu);
    } while (*list == ',' && *++list);
    return *list && *list != '\n' ? -1 : 0;
}

static unsigned hex_digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* The last of the digits has the CPUs 0 to 3; most are 0. */
static void add_digits(const char *digits, size_t count, plugin_cpus *set)
{
    for (size_t i = 0; i < count && i < PLUGIN_CPUS / 4; i++) {
        char c = digits[count - 1 - i];

        if (c != '0')
            set->bit[i / 2] |= (unsigned char)(hex_digit(c) << i % 2 * 4);
    }
}

int plugin_cpus_read_masks(const char *masks, plugin_cpus *set)
{
    memset(set, 0, sizeof *set);
    do {
        size_t count;

        masks += strncmp(masks, "0x", 2) ? 0 : 2;
        count = strspn(masks, "0123456789abcdefABCDEF");
        if (!count || (masks[count] && masks[count] != ','))
            return -1;
        add_digits(masks, count, set);
        masks += count;
    } while (*masks++ == ',');
    return 0;
}

int plugin_cpus_cut(plugin_cpus *allowed, const char *cores,
                    const topomap_bindings_class *node_class)
{
    plugin_cpus ours = {{0}};

    while (*cores) {
        unsigned long low, high;

        if (read_range(&cores, &low, &high) || high >= node_class->cores || low > high)
            return -1;
        for (uint32_t i = node_class->pu_first[low]; i < node_class->pu_first[high + 1]; i++)
            plugin_cpus_add(&ours, node_class->pu_os[i]);
        if (*cores && *cores++ != ',')
            return -1;
    }
    for (size_t i = 0; i < sizeof ours.bit; i++)
        allowed->bit[i] &= ours.bit[i];
    return 0;
}

/* What the plan looks like against the allowed set. */
struct fit {
    int all;      /* every planned PU is allowed */
    int some;     /* every task has an allowed PU */
    int disjoint; /* no PU has two tasks */
    uint32_t wanted;
    uint32_t threads; /* most hardware threads of a core that are used */
};

static uint32_t tasks_of(const topomap_bindings *node)
{
    return node->task_first[1];
}

static void look(const topomap_bindings *node, const plugin_cpus *allowed, struct fit *fit)
{
    const topomap_bindings_class *inside = &node->node_class[node->class_of[0]];
    plugin_cpus used = {{0}};

    *fit = (struct fit){.all = 1, .some = 1, .disjoint = 1, .threads = 1};
    for (uint32_t task = 0; task < tasks_of(node); task++) {
        int some = 0;

        for (uint32_t i = node->pu_start[task]; i < node->pu_start[task + 1]; i++) {
            int has = plugin_cpus_has(allowed, node->pu[i]);

            some |= has;
            fit->all &= has;
            fit->disjoint &= !plugin_cpus_has(&used, node->pu[i]);
            fit->wanted++;
            plugin_cpus_add(&used, node->pu[i]);
        }
        fit->some &= some;
    }
    for (uint32_t core = 0; core < inside->cores; core++)
        for (uint32_t i = inside->pu_first[core]; i < inside->pu_first[core + 1]; i++)
            if (plugin_cpus_has(&used, inside->pu_os[i]) &&
                i - inside->pu_first[core] + 1 > fit->threads)
                fit->threads = i - inside->pu_first[core] + 1;
}

/* The allowed PUs in the class's order, of each core only the first `threads`. */
static uint32_t list_allowed(const topomap_bindings_class *inside, const plugin_cpus *allowed,
                             uint32_t threads, uint32_t *list)
{
    uint32_t count = 0;

    for (uint32_t core = 0; core < inside->cores; core++) {
        uint32_t taken = 0;

        for (uint32_t i = inside->pu_first[core]; i < inside->pu_first[core + 1]; i++) {
            if (taken < threads && plugin_cpus_has(allowed, inside->pu_os[i])) {
                list[count++] = inside->pu_os[i];
                taken++;
            }
        }
    }
    return count;
}

/* Where a PU stands in the class's order. */
static uint32_t place_of(const topomap_bindings_class *inside, uint32_t os)
{
    uint32_t place = 0;

    while (place < inside->pu_first[inside->cores] && inside->pu_os[place] != os)
        place++;
    return place;
}

static uint32_t first_place(const topomap_bindings *node, uint32_t task)
{
    const topomap_bindings_class *inside = &node->node_class[node->class_of[0]];
    uint32_t least = UINT32_MAX;

    for (uint32_t i = node->pu_start[task]; i < node->pu_start[task + 1]; i++) {
        uint32_t place = place_of(inside, node->pu[i]);

        least = place < least ? place : least;
    }
    return least;
}

/* Where a task stands among the node's tasks by their planned places; equal ones by local id. */
static uint32_t turn_of(const topomap_bindings *node, uint32_t local)
{
    uint32_t mine = first_place(node, local), turn = 0;

    for (uint32_t task = 0; task < tasks_of(node); task++) {
        uint32_t place = first_place(node, task);

        turn += place < mine || (place == mine && task < local);
    }
    return turn;
}

/* How many PUs the tasks want that come before task `local` in the order of planned places. */
static uint32_t wanted_before(const topomap_bindings *node, uint32_t local)
{
    uint32_t mine = first_place(node, local), before = 0;

    for (uint32_t task = 0; task < tasks_of(node); task++)
        if (task != local && first_place(node, task) < mine)
            before += node->pu_start[task + 1] - node->pu_start[task];
    return before;
}

/* Which of the `count` allowed PUs in the class's order a task gets, from *first to before *end:
 * - as many as planned;
 * - where there are fewer, an even share. Slurm counts hardware threads as CPUs: `srun -n 8` gets
 *   four cores of two threads (select/cons_tres, CR_Core), where the plan has eight cores;
 * - where the plan has tasks on the same PUs, an aligned group as large as planned. */
static void find_window(const topomap_bindings *node, const struct fit *fit, uint32_t count,
                        uint32_t local, uint32_t *first, uint32_t *end)
{
    uint32_t own = node->pu_start[local + 1] - node->pu_start[local];
    uint64_t turn = turn_of(node, local), tasks = tasks_of(node);

    if (fit->disjoint && count >= fit->wanted) {
        *first = wanted_before(node, local);
        *end = *first + own;
        return;
    }
    *first = (uint32_t)(turn * count / tasks);
    *end = (uint32_t)((turn + 1) * count / tasks);
    if (!fit->disjoint) {
        *first -= own ? *first % own : 0;
        *end = own < count - *first ? *first + own : count;
    }
}

static int along_the_order(const topomap_bindings *node, const plugin_cpus *allowed,
                           const struct fit *fit, uint32_t local, plugin_cpus *mask)
{
    const topomap_bindings_class *inside = &node->node_class[node->class_of[0]];
    uint32_t *list = calloc(inside->pu_first[inside->cores], sizeof *list);
    uint32_t count, first, end;
    int enough;

    if (!list)
        return -1;
    count = list_allowed(inside, allowed, fit->threads, list);
    if (count < fit->wanted)
        count = list_allowed(inside, allowed, UINT32_MAX, list);
    enough = count >= (fit->disjoint ? tasks_of(node) : 1);
    find_window(node, fit, count, local, &first, &end);
    for (uint32_t i = first; enough && i < end; i++)
        plugin_cpus_add(mask, list[i]);
    free(list);
    return enough ? 0 : -1;
}

int plugin_cpus_of_task(const topomap_bindings *node, const plugin_cpus *allowed, uint32_t local,
                        plugin_cpus *mask)
{
    struct fit fit;

    memset(mask, 0, sizeof *mask);
    if (node->class_of[0] == UINT32_MAX || local >= tasks_of(node))
        return -1;
    look(node, allowed, &fit);
    if (!fit.all && (fit.disjoint || !fit.some))
        return along_the_order(node, allowed, &fit, local, mask);
    for (uint32_t i = node->pu_start[local]; i < node->pu_start[local + 1]; i++)
        if (plugin_cpus_has(allowed, node->pu[i]))
            plugin_cpus_add(mask, node->pu[i]);
    return 0;
}
