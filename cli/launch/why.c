/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap why: why a rank runs where it does, from the record of the plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/launch/records.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/sorted.h"

typedef struct partner {
    uint32_t rank;
    uint64_t bytes; /* both ways */
    double cost[2]; /* of a byte, before and after */
    uint32_t hops[2];
} partner;

typedef struct why {
    planner_record record;
    planner_inputs in;
    topomap_weights weights;
    uint32_t rank;
    uint32_t *slot_of; /* [slots] planned */
    topomap_plan plan; /* as it travelled, with GPUs and NICs */
    uint32_t *at;      /* [slots] where a rank stands in it */
    partner *partner;  /* [partners] the heaviest first */
    size_t partners;
    double cost[2];    /* the rank's own share of J, before and after */
    uint32_t exchange; /* the rank whose place would be the best other one, UINT32_MAX: none */
    double change;     /* of J, by that exchange */
    topomap_arena arrays;
} why;

static void why_clear(why *w)
{
    planner_inputs_clear(&w->in);
    planner_record_clear(&w->record);
    topomap_weights_clear(&w->weights);
    topomap_arena_clear(&w->arrays);
    topomap_plan_clear(&w->plan);
}

/* ---- Finding out ------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_bytes, partner, TOPOMAP_ORDER(y->bytes, x->bytes),
                TOPOMAP_ORDER(x->rank, y->rank))

static int find_partners(why *w, topomap_error *err)
{
    uint64_t from = w->weights.offset[w->rank], to = w->weights.offset[w->rank + 1];
    const uint32_t *slot[2] = {w->in.start, w->slot_of};

    w->partner = topomap_arena_alloc(&w->arrays, to - from + 1, sizeof *w->partner, err);
    if (!w->partner)
        return -1;
    for (uint64_t e = from; e < to; e++) {
        partner *p = &w->partner[w->partners++];

        *p = (partner){.rank = w->weights.target[e], .bytes = w->weights.weight[e]};
        for (int i = 0; i < 2; i++) {
            p->cost[i] =
                topomap_machine_distance(w->in.machine, slot[i][w->rank], slot[i][p->rank]);
            p->hops[i] = topomap_machine_hops(w->in.machine, slot[i][w->rank], slot[i][p->rank]);
            w->cost[i] += (double)p->bytes * p->cost[i];
        }
    }
    TOPOMAP_SORT(w->partner, w->partners, by_bytes);
    return 0;
}

/* What J would gain or lose on one side of an exchange: the pair's own edge stays as long. */
static double side(const why *w, uint32_t rank, uint32_t other, uint32_t to)
{
    const topomap_weights *g = &w->weights;
    double sum = 0;

    for (uint64_t e = g->offset[rank]; e < g->offset[rank + 1]; e++) {
        uint32_t at = w->slot_of[g->target[e]];

        if (g->target[e] != other)
            sum += (double)g->weight[e] *
                   (topomap_machine_distance(w->in.machine, to, at) -
                    topomap_machine_distance(w->in.machine, w->slot_of[rank], at));
    }
    return sum;
}

/* Against every other rank, empty places included. */
static void find_exchange(why *w)
{
    uint32_t slots = topomap_machine_slots(w->in.machine), own = w->slot_of[w->rank];

    w->exchange = UINT32_MAX;
    w->change = INFINITY;
    for (uint32_t other = 0; other < slots; other++) {
        double change;

        if (other == w->rank || topomap_machine_node_of(w->in.machine, w->slot_of[other]) ==
                                    topomap_machine_node_of(w->in.machine, own))
            continue;
        change = side(w, w->rank, other, w->slot_of[other]) + side(w, other, w->rank, own);
        if (change < w->change) {
            w->change = change;
            w->exchange = other;
        }
    }
}

static int find_devices(why *w, topomap_error *err)
{
    w->at =
        topomap_arena_alloc(&w->arrays, topomap_machine_slots(w->in.machine), sizeof *w->at, err);
    if (!w->at || planner_record_plan(&w->record, &w->plan, err) != 0)
        return -1;
    for (uint32_t i = 0; i < w->plan.tasks; i++)
        w->at[w->plan.task[i]] = i;
    return planner_gpu_tasks(&w->in, &w->plan.bindings, &w->plan, err);
}

static int find_out(why *w, topomap_error *err)
{
    uint32_t slots = topomap_machine_slots(w->in.machine);

    if (w->rank >= slots)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "the step has the ranks 0 to %u, and no %u",
                                 slots - 1, w->rank);
    w->slot_of = topomap_arena_alloc(&w->arrays, slots, sizeof *w->slot_of, err);
    if (!w->slot_of || planner_record_slots(&w->in, &w->record.reply, w->slot_of, err) != 0 ||
        topomap_weights_new(w->in.graph, slots, &w->weights, err) != 0 ||
        find_partners(w, err) != 0 || find_devices(w, err) != 0)
        return -1;
    find_exchange(w);
    return 0;
}

/* ---- Printing ---------------------------------------------------------------------------- */

static const char *node_of(const why *w, const uint32_t *slot_of, uint32_t rank)
{
    return topomap_machine_node_name(w->in.machine,
                                     topomap_machine_node_of(w->in.machine, slot_of[rank]));
}

/* Those that were sent to the node; Slurm's own are not known. */
static uint32_t cpus_of(const why *w, uint32_t rank, const uint32_t **cpus)
{
    return topomap_plan_cpus(&w->plan, topomap_machine_node_of(w->in.machine, w->slot_of[rank]),
                             w->at[rank], cpus);
}

static void print_place(const why *w, uint32_t rank)
{
    const uint32_t *cpus;
    uint32_t i = w->at[rank];
    uint32_t count = cpus_of(w, rank, &cpus);

    printf("%s", node_of(w, w->slot_of, rank));
    if (count)
        printf(count > 1 ? " CPUs " : " CPU ");
    if (count)
        topomap_ranges_print(stdout, cpus, count, 3);
    if (w->plan.gpu && w->plan.gpu[i] != UINT32_MAX)
        printf(" GPU %u", w->plan.gpu[i]);
    if (w->plan.nic && w->plan.nic[i] != UINT32_MAX)
        printf(" NIC %s", w->plan.nic_name[w->plan.nic[i]]);
}

static void print_partners(const why *w, size_t most)
{
    size_t count = w->partners < most ? w->partners : most;

    printf("  partner            bytes  a byte costs  before  hops  before  where\n");
    for (size_t i = 0; i < count; i++) {
        const partner *p = &w->partner[i];

        printf("  %-8u %15llu  %12g  %6g  %4u  %6u  ", p->rank, (unsigned long long)p->bytes,
               p->cost[1], p->cost[0], p->hops[1], p->hops[0]);
        print_place(w, p->rank);
        printf("\n");
    }
    if (count < w->partners)
        printf("  and %zu more\n", w->partners - count);
}

static void print_text(const why *w, size_t most)
{
    const plugin_reply *reply = &w->record.reply;

    printf("rank %u of step %u.%u: ", w->rank, w->record.request.asked.job,
           w->record.request.asked.step);
    print_place(w, w->rank);
    printf(strcmp(node_of(w, w->in.start, w->rank), node_of(w, w->slot_of, w->rank)) == 0
               ? ", as in Slurm's layout\n"
               : ", in Slurm's layout %s\n",
           node_of(w, w->in.start, w->rank));
    if (*reply->line)
        printf("  %s\n", reply->line);
    if (*w->in.note && !strstr(reply->line, w->in.note))
        printf("  %s\n", w->in.note);
    if (!w->partners)
        printf("  it talks to nobody: any place costs the same\n");
    else
        print_partners(w, most);
    printf("  its share of J     %.15g, in Slurm's layout %.15g", w->cost[1], w->cost[0]);
    if (w->cost[0] > 0)
        printf(" (%+.1f %%)", 100 * (w->cost[1] - w->cost[0]) / w->cost[0]);
    printf("\n");
    if (w->exchange != UINT32_MAX)
        printf("  the best other node is rank %u's, %s: with the two exchanged J would %s %.15g\n",
               w->exchange, node_of(w, w->slot_of, w->exchange),
               w->change < 0 ? "fall by" : "rise by", fabs(w->change));
}

static json_t *place_json(const why *w, uint32_t rank)
{
    const uint32_t *cpus;
    uint32_t count = cpus_of(w, rank, &cpus);
    json_t *row =
        cli_json_object("rank:u node:s node_before:s cpus:o", rank, node_of(w, w->slot_of, rank),
                        node_of(w, w->in.start, rank), cli_json_numbers(cpus, count));

    cli_devices_json(row, &w->plan, w->at[rank], 1);
    return row;
}

static void print_json(const why *w)
{
    json_t *root = place_json(w, w->rank), *partners = json_array();

    for (size_t i = 0; i < w->partners; i++) {
        const partner *p = &w->partner[i];
        json_t *row = place_json(w, p->rank);

        cli_json_set(row, "bytes:U distance:r distance_before:r hops:i hops_before:i", p->bytes,
                     p->cost[1], p->cost[0], (int)p->hops[1], (int)p->hops[0]);
        json_array_append_new(partners, row);
    }
    cli_json_set(root, "J:r J_before:r partners:o", w->cost[1], w->cost[0], partners);
    if (w->exchange != UINT32_MAX)
        json_object_set_new(root, "exchange",
                            cli_json_object("rank:u node:s J_change:r", w->exchange,
                                            node_of(w, w->slot_of, w->exchange), w->change));
    cli_json(stdout, root, JSON_REAL_PRECISION(15));
}

static int open_record(const cli_call *call, why *w, topomap_error *err)
{
    if (cli_record_read(call, call->options.plan, &w->record, err) != 0 ||
        cli_record_inputs(call, &w->record, err) != 0)
        return -1;
    w->record.request.asked.objective.kind = TOPOMAP_OBJECTIVE_J; /* no links are needed here */
    return planner_inputs_open(&w->record.request, &w->in, err);
}

static int run_why(const cli_call *call)
{
    TOPOMAP_CLEANUP(why_clear)
    why w = {.rank = (uint32_t)strtoul(call->operand[0], NULL, 10)};
    topomap_error err;

    if (!cli_is_digits(call->operand[0], 9))
        return cli_usage_error(call, "'%s' is no rank", call->operand[0]);
    if (open_record(call, &w, &err) != 0 || find_out(&w, &err) != 0)
        return cli_fail(call, &err);
    if (call->options.json)
        print_json(&w);
    else
        print_text(&w, call->options.most);
    return CLI_DONE;
}

static const char why_text[] =
    "FILE is the record of a launch (`records=` in plugstack.conf) or of `map --format plan`; or\n"
    "JOB.STEP, or JOB, whose record is looked for in the site's folder (--records DIR, else\n"
    "records= in plugstack.conf) and in topomap/records of $XDG_CACHE_HOME, else of ~/.cache,\n"
    "where launches put it if the site's folder has none that is the user's own. The\n"
    "database and the graph that it names must still be there, or be named by --db and --graph.\n"
    "Costs are of a byte, in tenths of a hop; a rank's share of J is the sum over its partners of\n"
    "bytes times cost. Where the database knows the nodes' GPUs, a place has the rank's GPU, by\n"
    "Slurm's index on the node, and the NIC that this GPU uses.\n";

static const cli_option why_options[] = {
    {"plan", "FILE|JOB[.STEP]", TEXT(plan), "the record of the plan (default: of the last launch)"},
    {"job", "JOB[.STEP]", TEXT(job), "the same; of a job alone, its step that was placed last"},
    {"records", "DIR", TEXT(records), "the site's folder of records (else plugstack.conf's)"},
    {"most", "N", COUNT(most, 1, UINT32_MAX, 10),
     "partners to show, the heaviest first (default 10)"},
    {"db", "DB", TEXT(db), "the topology database, where it is not where the record says"},
    {"graph", "FILE|PATTERN", REQUEST(GRAPH), "the graph, where it is not where the record says"},
    {"json", NULL, FLAG(json), "for programs, with all partners"},
    {0},
};

CLI_COMMAND(cli_why, "why", "RANK",
            "why a rank runs where it does: its partners, and what they cost", why_options, 1, 1,
            run_why, why_text);
