/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cli/map/map_command.h"
#include "util/alloc.h"
#include "util/input.h"

/* What every order is made from. */
struct tasks {
    const topomap_names *nodes;
    const uint32_t *tasks;
    const uint32_t *first; /* [nodes + 1] */
    const char *job;       /* --job-nodes; NULL: not given */
};

const char *cli_order_word(const topomap_db_slurm_order *order)
{
    return order->topology ? "topology" : "node-index";
}

void cli_order_clear(cli_order *order)
{
    free(order->slot_of);
    order->slot_of = NULL;
}

/* A block of tasks for one node after the other. */
static void fill(const struct tasks *t, const uint32_t *sequence, uint32_t *slot_of)
{
    uint32_t task = 0;

    for (size_t k = 0; k < t->nodes->count; k++)
        for (uint32_t i = 0; i < t->tasks[sequence[k]]; i++)
            slot_of[task++] = t->first[sequence[k]] + i;
}

/* Not the one that this runs in where a node is none of that one's. */
static int ask_sequence(topomap_db *db, const char *topology, const struct tasks *t,
                        uint32_t *sequence, int *guessed, topomap_error *err)
{
    const char *list = t->job ? t->job : getenv("SLURM_JOB_NODELIST");
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names job = {0};
    int status, known = list && *list && topomap_hostlist_expand(list, 0, &job, err) == 0;

    if (t->job && !known)
        return -1;
    status = topomap_db_slurm_sequence(db, topology, t->nodes, known ? &job : NULL, sequence,
                                       guessed, err);
    if (status != 0 && err->code == TOPOMAP_EUSAGE && !t->job) {
        known = 0;
        status = topomap_db_slurm_sequence(db, topology, t->nodes, NULL, sequence, guessed, err);
    }
    *guessed = *guessed && !known;
    return status;
}

static int by_topology(const cli_call *call, topomap_db *db, const char *topology,
                       const struct tasks *t, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *sequence = topomap_alloc(t->nodes->count, sizeof *sequence, err);
    int guessed = 0;
    int status = sequence ? ask_sequence(db, topology, t, sequence, &guessed, err) : -1;

    if (status == 0)
        fill(t, sequence, slot_of);
    if (status == 0 && guessed)
        fprintf(stderr,
                "topomap %s: note: in a ring or torus Slurm ranks all nodes of a job; --nodes is "
                "taken for all of them, --job-nodes HOSTLIST has others\n",
                call->command->name);
    return status;
}

/* ---- A file with the node of each task ----------------------------------------------------- */

struct name {
    const char *text;
    uint32_t node;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static int read_tasks(topomap_input *input, const struct tasks *t, const struct name *name,
                      uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *used = topomap_alloc(t->nodes->count, sizeof *used, err);
    uint32_t total = t->first[t->nodes->count], task = 0;
    char *line;
    size_t length;
    int got;

    if (!used)
        return -1;
    while ((got = topomap_input_line(input, 0, &line, &length, err)) > 0) {
        const struct name *found;

        line += strspn(line, " \t");
        line[strcspn(line, " \t#")] = 0;
        if (!*line)
            continue;
        found = bsearch(&(struct name){line, 0}, name, t->nodes->count, sizeof *name, by_name);
        if (!found)
            return topomap_input_fail(input, err, "node '%.60s' is not in --nodes", line);
        if (task == total || used[found->node] == t->tasks[found->node])
            return topomap_input_fail(input, err, "node '%.60s' has more than its %u tasks", line,
                                      t->tasks[found->node]);
        slot_of[task++] = t->first[found->node] + used[found->node]++;
    }
    if (got == 0 && task < total)
        return topomap_input_fail(input, err, "expected the nodes of %u tasks, found %u", total,
                                  task);
    return got;
}

static int by_file(const char *path, const struct tasks *t, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_FREED struct name *name = topomap_alloc(t->nodes->count, sizeof *name, err);
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;

    if (!name || topomap_input_open(path, &input, err) != 0)
        return -1;
    for (size_t i = 0; i < t->nodes->count; i++)
        name[i] = (struct name){t->nodes->name[i], (uint32_t)i};
    qsort(name, t->nodes->count, sizeof *name, by_name);
    return read_tasks(input, t, name, slot_of, err);
}

/* ---- Which one ----------------------------------------------------------------------------- */

/* The database may know that Slurm goes by its topology, and not the topology itself: that keeps
 * nobody from mapping. */
static int by_database(const cli_call *call, topomap_db *db, const struct tasks *t,
                       cli_order *order, topomap_error *err)
{
    topomap_db_slurm_order known;
    topomap_error why;

    if (topomap_db_slurm_order_of(db, NULL, &known, err) != 0)
        return -1;
    if (known.topology && by_topology(call, db, NULL, t, order->slot_of, &why) == 0) {
        order->name = "slurm-topology";
        return 0;
    }
    if (known.topology && why.code != TOPOMAP_EINPUT)
        return topomap_error_set(err, why.code, "%s", why.text);
    if (known.topology)
        fprintf(stderr, "topomap %s: warning: Slurm's layout is taken in the order of nodes: %s\n",
                call->command->name, why.text);
    if (known.unsure)
        fprintf(stderr, "topomap %s: note: Slurm's layout is taken in the order of nodes: %s\n",
                call->command->name, CLI_ORDER_UNSURE);
    cli_order_clear(order);
    return 0;
}

static int choose(const cli_call *call, topomap_db *db, const struct tasks *t, cli_order *order,
                  topomap_error *err)
{
    const char *text = call->options.slurm_order;

    if (!text)
        return by_database(call, db, t, order, err);
    if (strcmp(text, "node-index") == 0) {
        cli_order_clear(order);
        return 0;
    }
    if (strcmp(text, "topology") == 0 || strncmp(text, "topology:", 9) == 0) {
        order->name = "slurm-topology";
        return by_topology(call, db, text[8] ? text + 9 : NULL, t, order->slot_of, err);
    }
    order->name = "slurm-file";
    return by_file(text, t, order->slot_of, err);
}

int cli_order_make(const cli_call *call, topomap_db *db, const topomap_names *nodes,
                   const uint32_t *tasks, cli_order *order, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *first = topomap_alloc(nodes->count + 1, sizeof *first, err);
    const struct tasks t = {nodes, tasks, first, call->options.job_nodes};

    *order = (cli_order){.name = "slurm-block"};
    if (!first)
        return -1;
    for (size_t i = 0; i < nodes->count; i++)
        first[i + 1] = first[i] + tasks[i];
    order->slot_of = topomap_alloc(first[nodes->count], sizeof *order->slot_of, err);
    if (order->slot_of && choose(call, db, &t, order, err) == 0)
        return 0;
    cli_order_clear(order);
    return -1;
}
