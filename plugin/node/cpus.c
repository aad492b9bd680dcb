/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/node/cpus.h"

#include <stdlib.h>
#include <string.h>

void plugin_cpus_add(plugin_cpus *set, uint32_t cpu)
{
    if (cpu < PLUGIN_CPUS)
        set->bit[cpu / PLUGIN_CPUS_WORD] |= 1ul << cpu % PLUGIN_CPUS_WORD;
}

int plugin_cpus_has(const plugin_cpus *set, uint32_t cpu)
{
    return cpu < PLUGIN_CPUS && set->bit[cpu / PLUGIN_CPUS_WORD] >> cpu % PLUGIN_CPUS_WORD & 1;
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
    unsigned long outside = 0;

    for (size_t i = 0; i < sizeof set->bit / sizeof *set->bit; i++)
        outside |= set->bit[i] & ~whole->bit[i];
    return !outside;
}

int plugin_cpus_meet(const plugin_cpus *a, const plugin_cpus *b)
{
    unsigned long both = 0;

    for (size_t i = 0; i < sizeof a->bit / sizeof *a->bit; i++)
        both |= a->bit[i] & b->bit[i];
    return both != 0;
}

void plugin_cpus_of_class(const topomap_node_plan *node, plugin_cpus *set)
{
    memset(set, 0, sizeof *set);
    for (uint32_t i = 0; i < node->pus; i++)
        plugin_cpus_add(set, node->pu_os[i]);
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

static unsigned long hex_digit(char c)
{
    return (unsigned long)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* The last of the digits has the CPUs 0 to 3; most are 0. */
static void add_digits(const char *digits, size_t count, plugin_cpus *set)
{
    for (size_t i = 0; i < count && i < PLUGIN_CPUS / 4; i++) {
        char c = digits[count - 1 - i];

        if (c != '0')
            set->bit[4 * i / PLUGIN_CPUS_WORD] |= hex_digit(c) << 4 * i % PLUGIN_CPUS_WORD;
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

int plugin_cpus_cut(plugin_cpus *allowed, const char *cores, const topomap_node_plan *node)
{
    plugin_cpus ours = {{0}};

    while (*cores) {
        unsigned long low, high;

        if (read_range(&cores, &low, &high) || high >= node->cores || low > high)
            return -1;
        for (uint32_t i = node->core_first[low]; i < node->core_first[high + 1]; i++)
            plugin_cpus_add(&ours, node->pu_os[i]);
        if (*cores && *cores++ != ',')
            return -1;
    }
    for (size_t i = 0; i < sizeof ours.bit / sizeof *ours.bit; i++)
        allowed->bit[i] &= ours.bit[i];
    return 0;
}

/* ---- A task's CPUs ----------------------------------------------------------------------- */

/* PUs go by their places in the class's order here. */
struct places {
    unsigned char allowed[PLUGIN_CPUS];
    uint16_t before[PLUGIN_CPUS + 1]; /* allowed ones before a place */
    int32_t tasks[PLUGIN_CPUS + 1];   /* how many more tasks a place has than the one before it;
                                         in the end, how many it has */
};

/* What the plan looks like against the allowed set. */
struct fit {
    int all;      /* every planned PU is allowed */
    int some;     /* every task has an allowed PU */
    int disjoint; /* no PU has two tasks */
    uint64_t wanted;
    uint32_t threads; /* most hardware threads of a core that are used */
};

/* A task's runs: a place and a number each. */
struct span {
    const uint16_t *run, *end;
};

static struct span runs_of(const topomap_node_plan *node, uint32_t task)
{
    return (struct span){node->run + 2 * (size_t)node->task_first[task],
                         node->run + 2 * (size_t)node->task_first[task + 1]};
}

static uint32_t pus_of(const topomap_node_plan *node, uint32_t task)
{
    uint32_t count = 0;

    for (struct span span = runs_of(node, task); span.run < span.end; span.run += 2)
        count += span.run[1];
    return count;
}

static void look_at_task(const topomap_node_plan *node, uint32_t task, struct places *places,
                         struct fit *fit)
{
    int some = 0;

    for (struct span span = runs_of(node, task); span.run < span.end; span.run += 2) {
        uint32_t first = span.run[0], end = first + span.run[1];
        uint32_t has = (uint32_t)(places->before[end] - places->before[first]);

        some |= has > 0;
        fit->all &= has == end - first;
        fit->wanted += end - first;
        places->tasks[first]++;
        places->tasks[end]--;
    }
    fit->some &= some;
}

static void look(const topomap_node_plan *node, const plugin_cpus *allowed, struct places *places,
                 struct fit *fit)
{
    memset(places, 0, sizeof *places);
    *fit = (struct fit){.all = 1, .some = 1, .disjoint = 1, .threads = 1};
    for (uint32_t i = 0; i < node->pus; i++) {
        places->allowed[i] = (unsigned char)plugin_cpus_has(allowed, node->pu_os[i]);
        places->before[i + 1] = (uint16_t)(places->before[i] + places->allowed[i]);
    }
    for (uint32_t task = 0; task < node->tasks; task++)
        look_at_task(node, task, places, fit);
    for (uint32_t i = 1; i < node->pus; i++)
        places->tasks[i] += places->tasks[i - 1];
    for (uint32_t core = 0; core < node->cores; core++)
        for (uint32_t i = node->core_first[core]; i < node->core_first[core + 1]; i++) {
            uint32_t threads = i - node->core_first[core] + 1u;

            fit->disjoint &= places->tasks[i] < 2;
            if (places->tasks[i] && threads > fit->threads)
                fit->threads = threads;
        }
}

/* Tasks on the same PUs (bind=numa) begin at the same place: how many they are must fit into what
 * is allowed of these PUs. */
static int are_enough(const topomap_node_plan *node, const struct places *places)
{
    for (uint32_t task = 0; task < node->tasks; task++) {
        uint64_t tasks = 0, has = 0;

        for (struct span span = runs_of(node, task); span.run < span.end; span.run += 2) {
            uint32_t first = span.run[0], end = first + span.run[1];

            has += (uint64_t)(places->before[end] - places->before[first]);
            for (uint32_t i = first; i < end; i++)
                if (places->allowed[i] && places->tasks[i] > (int64_t)tasks)
                    tasks = (uint64_t)places->tasks[i];
        }
        if (has < tasks)
            return 0;
    }
    return 1;
}

/* The places that are allowed, of each core only the first `threads`. */
static uint32_t list_allowed(const topomap_node_plan *node, const struct places *places,
                             uint32_t threads, uint16_t *list)
{
    uint32_t count = 0;

    for (uint32_t core = 0; core < node->cores; core++) {
        uint32_t taken = 0;

        for (uint32_t i = node->core_first[core]; i < node->core_first[core + 1]; i++) {
            if (taken < threads && places->allowed[i]) {
                list[count++] = (uint16_t)i;
                taken++;
            }
        }
    }
    return count;
}

static uint32_t first_place(const topomap_node_plan *node, uint32_t task)
{
    return *runs_of(node, task).run;
}

/* Where a task stands among the node's tasks by their planned places; equal ones by local id. */
static uint32_t turn_of(const topomap_node_plan *node, uint32_t local)
{
    uint32_t mine = first_place(node, local), turn = 0;

    for (uint32_t task = 0; task < node->tasks; task++) {
        uint32_t place = first_place(node, task);

        turn += place < mine || (place == mine && task < local);
    }
    return turn;
}

/* How many PUs the tasks want that come before task `local` in the order of planned places. */
static uint32_t wanted_before(const topomap_node_plan *node, uint32_t local)
{
    uint32_t mine = first_place(node, local), before = 0;

    for (uint32_t task = 0; task < node->tasks; task++)
        if (task != local && first_place(node, task) < mine)
            before += pus_of(node, task);
    return before;
}

/* Which of the `count` allowed PUs in the class's order a task gets, from *first to before *end:
 * - as many as planned;
 * - where there are fewer, an even share. Slurm counts hardware threads as CPUs: `srun -n 8` gets
 *   four cores of two threads (select/cons_tres, CR_Core), where the plan has eight cores;
 * - where the plan has tasks on the same PUs, an aligned group as large as planned. */
static void find_window(const topomap_node_plan *node, const struct fit *fit, uint32_t count,
                        uint32_t local, uint32_t *first, uint32_t *end)
{
    uint32_t own = pus_of(node, local);
    uint64_t turn = turn_of(node, local), tasks = node->tasks;

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

static int along_the_order(const topomap_node_plan *node, const struct places *places,
                           const struct fit *fit, uint32_t local, plugin_cpus *mask)
{
    uint16_t list[PLUGIN_CPUS];
    uint32_t count, first, end;

    count = list_allowed(node, places, fit->threads, list);
    if (count < fit->wanted)
        count = list_allowed(node, places, UINT32_MAX, list);
    if (count < node->tasks)
        return -1;
    find_window(node, fit, count, local, &first, &end);
    for (uint32_t i = first; i < end; i++)
        plugin_cpus_add(mask, node->pu_os[list[i]]);
    return 0;
}

int plugin_cpus_of_task(const topomap_node_plan *node, const plugin_cpus *allowed, uint32_t local,
                        plugin_cpus *mask)
{
    struct places places;
    struct fit fit;

    memset(mask, 0, sizeof *mask);
    if (!node->cores || local >= node->tasks)
        return -1;
    look(node, allowed, &places, &fit);
    if (!fit.all && (fit.disjoint || !fit.some))
        return along_the_order(node, &places, &fit, local, mask);
    if (!fit.disjoint && !are_enough(node, &places))
        return -1;
    for (struct span span = runs_of(node, local); span.run < span.end; span.run += 2)
        for (uint32_t i = span.run[0]; i < (uint32_t)span.run[0] + span.run[1]; i++)
            if (places.allowed[i])
                plugin_cpus_add(mask, node->pu_os[i]);
    return 0;
}
