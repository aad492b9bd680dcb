/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPU and which cores the planner gives each task of a node, on machines of several kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plan/plan.h"
#include "plugin/planner/plan/plan.h"
#include "plan/node_plan.h"
#include "tests/unit/scratch.h"
#include "topology-db/db.h"
#include "util/random.h"

static topomap_error err;

/* ---- The search --------------------------------------------------------------------------- */

/* By all permutations. */
static double least_of(const planner_gpu_search *s, uint32_t *gpu_of, uint32_t taker)
{
    double least = -1;

    if (taker == s->takers)
        return planner_gpu_cost(s, gpu_of);
    for (uint32_t i = taker; i < s->gpus; i++) {
        uint32_t other = gpu_of[i];
        double cost;

        gpu_of[i] = gpu_of[taker];
        gpu_of[taker] = other;
        cost = least_of(s, gpu_of, taker + 1);
        least = least < 0 || cost < least ? cost : least;
        gpu_of[taker] = gpu_of[i];
        gpu_of[i] = other;
    }
    return least;
}

static void the_least_is_found(void **state)
{
    topomap_random random = {17};

    (void)state;
    for (int round = 0; round < 60; round++) {
        uint32_t gpus = 2 + topomap_random_below(&random, 5),
                 takers = 1 + topomap_random_below(&random, gpus);
        double weight[36], cost[36], apart[36];
        uint32_t gpu_of[6], all[6] = {0, 1, 2, 3, 4, 5}, seen = 0;
        planner_gpu_search s = {.takers = takers,
                                .gpus = gpus,
                                .weight = weight,
                                .cost = cost,
                                .apart = apart,
                                .visits = 1 << 20};
        double least;

        for (uint32_t a = 0; a < gpus; a++)
            for (uint32_t b = 0; b <= a; b++)
                apart[a * gpus + b] = apart[b * gpus + a] = cost[a * gpus + b] =
                    cost[b * gpus + a] = a == b ? 0 : 1 + topomap_random_below(&random, 8);
        for (uint32_t a = 0; a < takers; a++)
            for (uint32_t b = 0; b <= a; b++)
                weight[a * takers + b] = weight[b * takers + a] =
                    a == b ? 0 : topomap_random_below(&random, 100);
        least = least_of(&s, all, 0);
        assert_int_equal(planner_gpu_choose(&s, gpu_of, &err), 0);
        for (uint32_t i = 0; i < gpus; i++)
            seen |= 1u << gpu_of[i];
        assert_int_equal(seen, (1u << gpus) - 1);
        assert_float_equal(planner_gpu_cost(&s, gpu_of), least, 1e-6);
        s.visits = 0; /* swaps alone: a permutation, and never above Slurm's order */
        assert_int_equal(planner_gpu_choose(&s, gpu_of, &err), 0);
        for (uint32_t i = 0; i < gpus; i++)
            all[i] = i;
        assert_true(planner_gpu_cost(&s, gpu_of) <= planner_gpu_cost(&s, all) + 1e-6);
    }
}

/* ---- Nodes -------------------------------------------------------------------------------- */

struct asked {
    const char *format, *file; /* of the node's devices, in tests/data/db */
    const char *options;       /* lines of the request, or "" */
    const char *graph;
    uint32_t tasks;
};

static planner_answer answer;

static void open_node(const struct asked *asked)
{
    const topomap_db_import_options options = {.nodes = "n1"};
    const char *path = scratch_path("gpus.db");
    topomap_db *db;
    char source[512];

    unlink(path);
    assert_int_equal(topomap_db_create(path, &db, &err), 0);
    snprintf(source, sizeof source, "%s/tests/data/db/%s", TOP_SRCDIR, asked->file);
    if (topomap_db_import(db, asked->format, source, &options, NULL, &err))
        fail_msg("%s: %s", asked->file, err.text);
    topomap_db_close(db);
}

static void decide(const struct asked *asked)
{
    planner_request request;
    char text[2048];
    FILE *in;

    open_node(asked);
    snprintf(text, sizeof text,
             "topomap-request 1\njob 1\nstep 0\ndb %s\ngraph %s\nnodes n1\ntasks %u\nlayout "
             "0-%u\n%send\n",
             scratch_path("gpus.db"), asked->graph, asked->tasks, asked->tasks - 1, asked->options);
    in = fmemopen(text, strlen(text), "r");
    if (planner_request_read(in, &request, &err))
        fail_msg("%s", err.text);
    fclose(in);
    planner_answer_clear(&answer);
    if (planner_decide(&request, &answer, &err))
        fail_msg("%s", err.text);
    planner_request_clear(&request);
}

/* The GPU that the task of a local id takes, and its CPUs: "3:12,13". */
static void tell(char *text, size_t size)
{
    const topomap_bindings *b = &answer.plan.bindings;
    size_t used = 0;

    *text = 0;
    for (uint32_t i = 0; b->nodes && i < b->task_first[1]; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s", i ? " " : "");
        used += (size_t)snprintf(text + used, size - used,
                                 "%d:", answer.plan.gpu ? (int)answer.plan.gpu[i] : -1);
        for (uint32_t k = b->pu_start[i]; k < b->pu_start[i + 1]; k++)
            used += (size_t)snprintf(text + used, size - used, "%s%u",
                                     k > b->pu_start[i] ? "," : "", b->pu[k]);
    }
}

/* What the tasks see is what they were given: the one at the place of their local id. */
static void check_order(const struct asked *asked)
{
    const topomap_bindings *b = &answer.plan.bindings;
    uint32_t gpus = b->gpu_first ? b->gpu_first[1] : 0;

    for (uint32_t i = 0; gpus && i < asked->tasks; i++)
        assert_int_equal(b->gpu[b->gpu_place[i % gpus]], answer.plan.gpu[i]);
    if (gpus)
        assert_int_equal(b->gpu_amd[0], strcmp(asked->file, "mi250x.xml") == 0);
}

static void assert_told(const struct asked *asked, const char *expected)
{
    char text[1024];

    decide(asked);
    tell(text, sizeof text);
    check_order(asked);
    if (strcmp(text, expected))
        fail_msg("%s, %s, %u tasks %s: expected '%s', found '%s'", asked->file, asked->graph,
                 asked->tasks, asked->options, expected, text);
}

/* The GPU complexes of an MI250X are pairs (0-1, 2-3, ...), each on a NUMA node, which stand in
 * another order; pairs are joined in part. Eight CPUs are a NUMA node's. */
static void mi250x(void **state)
{
    static const struct {
        struct asked asked;
        const char *expected;
    } rows[] = {
        {{"hwloc", "mi250x.xml", "", "alltoall:8", 8},
         "0:12,13,28,29 1:14,15,30,31 2:4,5,20,21 3:6,7,22,23 4:0,1,16,17 5:2,3,18,19 "
         "6:8,9,24,25 7:10,11,26,27"},
        {{"hwloc", "mi250x.xml", "", "chain:8", 8},
         "1:14,15,30,31 0:12,13,28,29 6:8,9,24,25 7:10,11,26,27 5:2,3,18,19 4:0,1,16,17 "
         "2:4,5,20,21 3:6,7,22,23"},
        {{"hwloc", "mi250x.xml", "", "chain:2", 2}, "0:12,13,28,29 1:14,15,30,31"},
        {{"hwloc", "mi250x.xml", "cpus-per-task 2\n", "chain:2", 2}, "0:12,28 1:14,30"},
        {{"hwloc", "mi250x.xml", "threads-per-core 1\n", "chain:2", 2}, "0:12,13 1:14,15"},
        {{"hwloc", "mi250x.xml", "", "chain:16", 16},
         "1:14,30 0:12,28 6:8,24 7:10,26 5:2,18 4:0,16 2:4,20 3:6,22 1:15,31 0:13,29 6:9,25 "
         "7:11,27 5:3,19 4:1,17 2:5,21 3:7,23"},
        {{"hwloc", "mi250x.xml", "bind gpu\n", "chain:1", 1}, "0:12,13,28,29"},
        /* What the job and the step have. */
        {{"hwloc", "mi250x.xml", "gpus 0,2,3\n", "chain:3", 3},
         "0:12,13,28,29 2:4,5,20,21 3:6,7,22,23"},
        {{"hwloc", "mi250x.xml", "gpus 2\n", "chain:2", 2}, "2:4,20 2:5,21"},
        {{"hwloc", "mi250x.xml", "gpus 2\nstep-gpus 1\n", "chain:2", 2}, "2:4,20 2:5,21"},
        /* Too few cores near one of them. */
        {{"hwloc", "mi250x.xml", "bind gpu\ngpus 2,4\ncores 0-1,5\n", "chain:3", 3},
         "2:5,21 4:1,17 2:0,16"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_told(&rows[i].asked, rows[i].expected);
}

static void gh200_h100_a100(void **state)
{
    static const struct {
        struct asked asked;
        const char *expected;
    } rows[] = {
        {{"hwloc", "gh200.xml", "", "chain:4", 4}, "0:0,1,2,3 1:4,5,6,7 2:8,9,10,11 3:12,13,14,15"},
        {{"hwloc", "gh200.xml", "", "chain:2", 2}, "0:0,1,2,3 1:4,5,6,7"},
        /* Without its inside, a node's order alone: two tasks are on a package each. */
        {{"gpu-matrix", "h100.topo", "bind gpu\n", "chain:8", 8}, "0: 1: 2: 3: 4: 5: 6: 7:"},
        {{"gpu-matrix", "h100.topo", "bind gpu\n", "chain:2", 2}, "0: 4:"},
        {{"gpu-matrix", "h100.topo", "bind gpu\ninside compact\n", "chain:2", 2}, "0: 1:"},
        {{"nccl-topology", "a100.nccl.xml", "bind gpu\n", "chain:4", 4}, "0: 1: 2: 3:"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_told(&rows[i].asked, rows[i].expected);
}

/* CPUs follow GPUs that Slurm gives to tasks, also where nobody said bind=. */
static void bound(void **state)
{
    const struct asked asked = {"hwloc", "mi250x.xml", "bind gpu\nstep-gpus bound\n", "chain:8", 8},
                       fewer = {"hwloc", "mi250x.xml", "bind gpu\nstep-gpus bound\n", "chain:4", 4},
                       each = {"hwloc", "mi250x.xml", "bind gpu\nstep-gpus bound:2\n", "chain:4",
                               4},
                       unasked = {"hwloc", "mi250x.xml", "step-gpus bound:2\n", "chain:4", 4},
                       overcommitted = {"hwloc", "mi250x.xml",
                                        "cpus-per-task 8\nstep-gpus bound:1\n", "chain:8", 8};
    const topomap_bindings *b = &answer.plan.bindings;

    (void)state;
    assert_told(&asked, "0:12,13,28,29 1:14,15,30,31 2:4,5,20,21 3:6,7,22,23 4:0,1,16,17 "
                        "5:2,3,18,19 6:8,9,24,25 7:10,11,26,27");
    assert_non_null(b->gpu_first);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(b->gpu_place[i], i);
    assert_told(&each, "0:12,13,28,29 2:4,5,20,21 4:0,1,16,17 6:8,9,24,25");
    /* Which four of the eight they are is not known. */
    decide(&fewer);
    assert_null(b->gpu_first);
    assert_int_equal(b->class_of[0], UINT32_MAX);
    assert_int_equal(b->pu_start[4], 0);
    assert_told(&unasked, "0:12,13,28,29 2:4,5,20,21 4:0,1,16,17 6:8,9,24,25");
    decide(&overcommitted);
    assert_int_equal(b->nodes, 0);
}

/* Of each task the first GPU that no other has, by what the step says; none: not known. */
static void what_slurm_gives(void **state)
{
    static const uint32_t all[] = {0, 1, 2, 3}, part[] = {1, 2, 5, 7};
    static const struct {
        const char *said;
        const uint32_t *has;
        uint32_t gpus, tasks, first[4];
        int known;
    } rows[] = {
        {"bound", all, 4, 4, {0, 1, 2, 3}, 1},
        {"bound", all, 4, 2, {0}, 0},
        {"bound:1", all, 4, 2, {0, 1}, 1},
        {"bound:2", part, 4, 2, {1, 5}, 1},
        {"bound:2", all, 4, 3, {0}, 0},
        {"bound:0", all, 4, 2, {0}, 0},
        {"bound:map:3,1", all, 4, 2, {3, 1}, 1},
        {"bound:map:0x3,1", all, 4, 2, {3, 1}, 1},
        {"bound:map:2", all, 4, 1, {2}, 1},
        {"bound:map:2", all, 4, 2, {0}, 0},   /* both have it */
        {"bound:map:9,1", all, 4, 2, {0}, 0}, /* it has no such */
        {"bound:map:,1", all, 4, 2, {0}, 0},
        {"bound:map:1,2", part, 4, 2, {0}, 0}, /* the node's, or the job's */
        {"bound:mask:0x3,0xc", all, 4, 2, {0, 2}, 1},
        {"bound:mask:0x3,0x9", all, 4, 2, {1, 3}, 1},
        {"bound:mask:0x3,0x1", all, 4, 2, {0}, 0},
        {"bound:mask:0xf", all, 4, 2, {0}, 0},
        {"bound:mask:0x10,1", all, 4, 2, {0}, 0},
        {"bound:mask:,1", all, 4, 2, {0}, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t first[4] = {0};
        int known =
            topomap_gpu_bound(rows[i].said, rows[i].has, rows[i].gpus, rows[i].tasks, 0, first);

        if (known != rows[i].known ||
            (known && memcmp(first, rows[i].first, rows[i].tasks * sizeof *first) != 0))
            fail_msg("%s of %u tasks: %s, %u %u ...", rows[i].said, rows[i].tasks,
                     known ? "known" : "not known", first[0], first[1]);
    }
    assert_false(topomap_gpu_is_bound("boundless"));
    assert_false(topomap_gpu_is_bound("4"));
    assert_false(topomap_gpu_is_bound(NULL));
}

/* The tasks of a node have GPUs 7 and 2, and the CPUs that go by each. */
static void bound_by_a_list(void **state)
{
    const struct asked asked = {"hwloc", "mi250x.xml", "bind gpu\nstep-gpus bound:map:7,2\n",
                                "chain:2", 2};
    const topomap_bindings *b = &answer.plan.bindings;
    const uint32_t *pu;

    (void)state;
    decide(&asked);
    assert_int_equal(answer.plan.gpu[0], 7);
    assert_int_equal(answer.plan.gpu[1], 2);
    assert_int_equal(b->gpu_first[1], 2);
    assert_int_equal(b->gpu[0], 2);
    assert_int_equal(b->gpu[1], 7);
    assert_int_equal(b->gpu_place[0], 0);
    for (uint32_t i = 0; i < 2; i++) { /* the first has the entry of the second, and the reverse */
        assert_int_equal(topomap_plan_cpus(&answer.plan, 0, i, &pu),
                         b->pu_start[2 - i] - b->pu_start[1 - i]);
        assert_ptr_equal(pu, b->pu + b->pu_start[1 - i]);
    }
    assert_int_equal(b->pu[b->pu_start[0]], 4);  /* next to GPU 2 */
    assert_int_equal(b->pu[b->pu_start[1]], 10); /* next to GPU 7 */
}

/* Slurm's binding, the user's word, and what is not known stay as they are. */
static void left_alone(void **state)
{
    static const char *const options[] = {"step-gpus left\n",
                                          "step-gpus 0\n",
                                          "step-gpus 4\n",
                                          "step-gpus total:7\n",
                                          "gpus none\n",
                                          "gpus 0-3,8\n",
                                          "bind core\n",
                                          "bind numa\n",
                                          "bind pu\n",
                                          "bind none\n",
                                          "step-gpus none\n",
                                          "gpus 0-3\nstep-gpus 2\n",
                                          "step-gpus bound:1\ngpus none\n"};

    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct asked with = {"hwloc", "mi250x.xml", options[i], "chain:8", 8};

        decide(&with);
        assert_null(answer.plan.bindings.gpu_first);
        assert_null(strstr(answer.line, "GPU"));
        assert_int_equal(answer.plan.bindings.nodes, strncmp(options[i], "bind", 4) == 0);
    }
}

static int teardown(void **state)
{
    planner_answer_clear(&answer);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_is_found), cmocka_unit_test(mi250x),
        cmocka_unit_test(gh200_h100_a100),    cmocka_unit_test(bound),
        cmocka_unit_test(left_alone),         cmocka_unit_test(what_slurm_gives),
        cmocka_unit_test(bound_by_a_list),
    };

    return cmocka_run_group_tests(tests, scratch_setup, teardown);
}
