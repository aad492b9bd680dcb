/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's order of GPUs, by the hooks as slurmstepd calls them: no task ever sees a GPU that Slurm
 * has not given it, or one fewer, and two that take the GPU of their local id never take one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/messages.h"
#include "tests/unit/plugin/hook_node.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

enum { GPUS = 4 };

static const char *const names[] = {"SLURM_STEP_GPUS", "CUDA_VISIBLE_DEVICES",
                                    "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
                                    "GPU_DEVICE_ORDINAL"};
enum { VARIABLES = sizeof names / sizeof *names };

static topomap_error err;
static struct machine machine;
static topomap_bindings bindings; /* four tasks, of GPUs 0 to 3 in the order 2, 0, 3, 1 */
static char *text;

static void encode(void)
{
    free(text);
    text = topomap_bindings_encode(&bindings, &err);
    assert_non_null(text);
}

static struct node node_of(const char *step, const char *values)
{
    struct node node = {
        .bindings = text, .tasks = 4, .cores = "0-7", .cpuset = machine.all, .online = machine.all};

    for (int i = 0; i < VARIABLES; i++) {
        node.variable[i] = names[i];
        node.value[i] = i ? values : step;
    }
    return node;
}

static int has_cpus_of(uint32_t task, uint32_t other)
{
    plugin_cpus mask = {{0}};

    for (uint32_t i = bindings.pu_start[other]; i < bindings.pu_start[other + 1]; i++)
        plugin_cpus_add(&mask, bindings.pu[i]);
    return !memcmp(&mask, &result->mask[task], sizeof mask);
}

static int is_planned(uint32_t task)
{
    return has_cpus_of(task, task);
}

/* Every task sees `values`; SLURM_STEP_GPUS stays, as it says which and not in which order. */
static void assert_ordered(const struct node *node, const char *values)
{
    run(node);
    for (uint32_t task = 0; task < node->tasks; task++) {
        assert_string_equal(result->value[task][0], node->value[0]);
        for (int i = 1; i < VARIABLES; i++)
            assert_string_equal(result->value[task][i], node->value[i] ? values : "-");
        assert_true(is_planned(task));
    }
    assert_string_equal(result->said, "");
}

/* Slurm's GPUs and CPUs stay, and one line says why. */
static void assert_stays(const struct node *node, const char *why)
{
    run(node);
    for (uint32_t task = 0; task < node->tasks; task++) {
        for (int i = 0; i < VARIABLES; i++)
            assert_string_equal(result->value[task][i], node->value[i] ? node->value[i] : "-");
        assert_true(is_slurms(node, task));
    }
    if (!message_has(result->said, why) || strchr(strchr(result->said, '\n') + 1, '\n'))
        fail_msg("expected '%s' once, found '%s'", why, result->said);
    assert_message(result->said, "binding|order|GPUs");
}

static void words_are_put_in_order_as_they_stand(void **state)
{
    static const char uuids[] = "GPU-2f0a7d7e-81f4-55e7-b1fa-000000000000,"
                                "GPU-1,GPU-09,GPU-a";
    static const char ordered[] = "GPU-09,GPU-2f0a7d7e-81f4-55e7-b1fa-000000000000,GPU-a,GPU-1";
    struct node node = node_of("0,1,2,3", "0,1,2,3");

    (void)state;
    assert_ordered(&node, "2,0,3,1");
    node = node_of("0,1,2,3", uuids);
    assert_ordered(&node, ordered);
    node.value[2] = node.value[3] = NULL; /* a site that sets NVIDIA's alone */
    node.value[4] = NULL;
    assert_ordered(&node, ordered);
}

/* HIP and OpenCL count within what ROCR_VISIBLE_DEVICES leaves: put in order twice, it would be
 * another order. */
static void amd_s_are_ordered_once(void **state)
{
    struct node node;

    (void)state;
    bindings.gpu_amd[0] = 1;
    encode();
    node = node_of("0,1,2,3", "0,1,2,3");
    run(&node);
    for (uint32_t task = 0; task < node.tasks; task++) {
        assert_string_equal(result->value[task][1], "0,1,2,3"); /* CUDA_VISIBLE_DEVICES */
        assert_string_equal(result->value[task][2], "2,0,3,1"); /* ROCR_VISIBLE_DEVICES */
        assert_string_equal(result->value[task][4], "0,1,2,3"); /* GPU_DEVICE_ORDINAL */
        assert_true(is_planned(task));
    }
    node.value[2] = NULL; /* where it is not set, the others tell alone */
    assert_ordered(&node, "2,0,3,1");
}

/* Indices are the node's, or, where devices are constrained, count from 0. */
static void a_part_of_the_nodes_gpus(void **state)
{
    static const uint32_t part[] = {1, 4, 6, 10};
    struct node node;

    (void)state;
    memcpy(bindings.gpu, part, sizeof part);
    encode();
    node = node_of("1,4,6,10", "1,4,6,10");
    assert_ordered(&node, "6,1,10,4");
    node = node_of("1,4,6,10", "0,1,2,3");
    assert_ordered(&node, "2,0,3,1");
    node = node_of("1,4,6,10", "0,1,2,4");
    assert_stays(&node, "listed");
}

static void what_is_not_as_planned_stays(void **state)
{
    static const struct {
        const char *step, *values, *why;
    } rows[] = {
        {NULL, "0,1,2,3", "which"},
        {"", "0,1,2,3", "which"},
        {"0,1,2", "0,1,2", "planned"},
        {"0,1,2,3,4", "0,1,2,3,4", "planned"},
        {"0,1,2,4", "0,1,2,4", "planned"},
        {"3,2,1,0", "3,2,1,0", "planned"},
        {"0,1,2,x", "0,1,2,3", "planned"},
        {"0-3", "0,1,2,3", "planned"},
        {"2", "0", "planned"},
        {"0,1,2,3", "0", "own"},
        {"0,1,2,3", "", "own"},
        {"0,1,2,3", "0,1,2,3,", "own"},
        {"0,1,2,3", "0,1,1,3", "listed"},
        {"0,1,2,3", "0,,2,3", "listed"},
        {"0,1,2,3", "1,0,2,3", "listed"},
        {"0,1,2,3", "0,1,GPU-2,GPU-3", "listed"},
        {"0,1,2,3", "GPU-0,GPU-1,GPU-1,GPU-2", "listed"},
        {"0,1,2,3", "MIG-a,MIG-b,MIG-c,MIG-d", "parts of GPUs (MIG)"},
        {"0,1,2,3", "GPU-0,GPU-1,GPU-2,MIG-GPU-3/1/0", "parts of GPUs (MIG)"},
        {"0,1,2,3", NULL, "no GPU"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct node node = node_of(rows[i].step, rows[i].values);

        assert_stays(&node, rows[i].why);
    }
}

/* One variable that is not as the others is enough: all stay. */
static void all_variables_or_none(void **state)
{
    (void)state;
    for (int i = 1; i < VARIABLES; i++) {
        struct node node = node_of("0,1,2,3", "0,1,2,3");

        node.value[i] = "0,1,2";
        assert_stays(&node, "own");
    }
}

static void shares_of_gpus_stay(void **state)
{
    struct node node = node_of("0,1,2,3", "0,1,2,3");

    (void)state;
    node.variable[VARIABLES] = "SLURM_SHARDS_ON_NODE";
    node.value[VARIABLES] = "4";
    assert_stays(&node, "shares of GPUs");
    node.variable[VARIABLES] = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
    assert_stays(&node, "shares of GPUs");
}

/* Where Slurm has bound a task to GPUs of its own, that task's stay, whatever the others see. */
static void a_bound_task_keeps_its_own(void **state)
{
    struct node node = node_of("0,1,2,3", "0,1,2,3");

    (void)state;
    for (int i = 0; i < VARIABLES; i++)
        node.value_of_last[i] = "3";
    run(&node);
    for (int i = 1; i < VARIABLES; i++) {
        assert_string_equal(result->value[0][i], "2,0,3,1");
        assert_string_equal(result->value[3][i], "3");
    }
    assert_true(is_slurms(&node, 3));
}

/* A node whose CPUs are not the class's has not its GPUs' order either. */
static void binding_and_order_go_together(void **state)
{
    struct node node = node_of("0,1,2,3", "0,1,2,3");

    (void)state;
    node.cores = "0-8";
    assert_stays(&node, "cores");
}

/* GPUs that talk are near each other also where CPUs are too few to bind to, or not known. */
static void order_goes_without_binding(void **state)
{
    struct node node = node_of("0,1,2,3", "0,1,2,3");

    (void)state;
    node.cores = "0";
    run(&node);
    for (uint32_t task = 0; task < node.tasks; task++) {
        assert_string_equal(result->value[task][1], "2,0,3,1");
        assert_true(is_slurms(&node, task));
    }
    assert_message(result->said, "CPUs|tasks|binding");
    bindings.class_of[0] = UINT32_MAX;
    memset(bindings.pu_start, 0, 5 * sizeof *bindings.pu_start);
    encode();
    node = node_of("0,1,2,3", "0,1,2,3");
    run(&node);
    for (uint32_t task = 0; task < node.tasks; task++) {
        assert_string_equal(result->value[task][1], "2,0,3,1");
        assert_true(is_slurms(&node, task));
    }
    assert_string_equal(result->said, "");
}

/* Where Slurm gives each task GPUs of its own, the CPUs go by one of them, whichever it is, and
 * GPUs stay. */
static void cpus_follow_gpus_of_tasks(void **state)
{
    static const uint32_t as_they_are[] = {0, 1, 2, 3};
    struct node node = node_of("1", "0");
    plugin_cpus second = {{0}}, last = {{0}};

    (void)state;
    memcpy(bindings.gpu_place, as_they_are, sizeof as_they_are);
    encode();
    for (uint32_t i = bindings.pu_start[1]; i < bindings.pu_start[2]; i++)
        plugin_cpus_add(&second, bindings.pu[i]);
    for (uint32_t i = bindings.pu_start[3]; i < bindings.pu_start[4]; i++)
        plugin_cpus_add(&last, bindings.pu[i]);
    node = node_of("1", "0");
    node.value_of_last[0] = "3";
    run(&node);
    assert_memory_equal(&result->mask[0], &second, sizeof second);
    assert_memory_equal(&result->mask[3], &last, sizeof last);
    for (int i = 1; i < VARIABLES; i++)
        assert_string_equal(result->value[0][i], "0");
    assert_string_equal(result->said, "");
    /* Of several, by the one that is planned with. */
    node = node_of("1,7", "1,7");
    node.value_of_last[0] = "3,9";
    run(&node);
    assert_memory_equal(&result->mask[0], &second, sizeof second);
    assert_memory_equal(&result->mask[3], &last, sizeof last);
    assert_string_equal(result->said, "");
    for (int i = 0; i < 4; i++) {
        static const char *const others[] = {"4", "0,1", "x", NULL};

        node = node_of(others[i], "0");
        run(&node);
        for (uint32_t task = 0; task < node.tasks; task++)
            assert_true(is_slurms(&node, task));
        assert_message(result->said, "planned");
        assert_null(strstr(result->said, "order of GPUs"));
    }
}

/* Where the cgroup constrains devices, each task is told the step's first GPUs, as many as it has.
 */
static void cpus_follow_gpus_that_count_from_0(void **state)
{
    static const struct {
        uint32_t planned[GPUS];
        const char *step, *bind;
        uint32_t has[GPUS]; /* of the tasks; none: not known */
    } rows[] = {
        {{0, 1, 2, 3}, "0,1,2,3", "gpu:single:1", {0, 1, 2, 3}},
        {{2, 4, 5, 7}, "2,4,5,7", "gres/gpu:per_task:1", {2, 4, 5, 7}},
        {{0, 2, 4, 6}, "0,1,2,3,4,5,6,7", "gres/gpu:per_task:2", {0, 2, 4, 6}},
        {{0, 1, 2, 3}, "0,1,2,3", "gpu:map_gpu:3,1,0,2", {3, 1, 0, 2}},
        {{1, 4, 5, 7}, "1,4,5,7", "gres/gpu:verbose,map:3,1,0,2", {7, 4, 1, 5}},
        {{0, 1, 2, 3}, "0,1,2,3", "gres/gpu:mask_gpu:0x8,0x1,0x2,0x4+gres/x:1", {3, 0, 1, 2}},
        /* The job has others, or it is dealt out otherwise. */
        {{0, 1, 2, 3}, "0,1,2,4", "gres/gpu:single:1", {0}},
        {{0, 1, 2, 3}, "0,1,2,3", "gres/gpu:closest", {0}},
        {{0, 2, 3, 5}, "0,2,3,5", "gres/gpu:per_task:2", {0}},
        {{0, 1, 2, 3}, "0,1,2,3,4", "gres/gpu:map_gpu:3,1,0,4", {0}},
        {{0, 1, 2, 3}, "0,1,2,3", "gres/gpu:single:2", {0}},
        {{0, 1, 2, 3}, "0,1,2,3", NULL, {0}},
        {{0, 1, 2, 3}, "0,1,2,3", "single:1", {0}},
        {{0, 1, 2, 3}, "0,1,2,3", "map_gpu:3,1,0,2", {0}},
        {{0, 1, 2, 3}, NULL, "gres/gpu:single:1", {0}},
        {{0, 1, 2, 3}, "0,2,1,3", "gres/gpu:single:1", {0}},
    };
    static const uint32_t as_they_are[] = {0, 1, 2, 3};

    (void)state;
    memcpy(bindings.gpu_place, as_they_are, sizeof as_they_are);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int known = rows[i].has[0] || rows[i].has[1];
        struct node node;

        memcpy(bindings.gpu, rows[i].planned, sizeof rows[i].planned);
        encode();
        node = node_of("0", "0");
        node.step_gpus = rows[i].step;
        node.constrained = 1;
        node.variable[VARIABLES] = "TOPOMAP_GPU";
        node.variable[VARIABLES + 1] = "SLURMD_TRES_BIND";
        node.value[VARIABLES + 1] = rows[i].bind;
        run(&node);
        for (uint32_t task = 0; task < node.tasks; task++) {
            char gpu[16] = "-";

            if (known)
                snprintf(gpu, sizeof gpu, "%u", rows[i].has[task]);
            assert_string_equal(result->value[task][VARIABLES], gpu);
            for (uint32_t k = 0; k < GPUS; k++) /* the CPUs of the planned GPU that it has */
                if (known && rows[i].planned[k] == rows[i].has[task])
                    assert_true(has_cpus_of(task, k));
            assert_true(known || is_slurms(&node, task));
        }
        if (known)
            assert_string_equal(result->said, "");
        else
            assert_message(result->said, "task");
    }
}

static uint32_t places_of(const char *list, int *seen)
{
    uint32_t count = 0;

    for (const char *at = list; *at; at += at[1] == ',' ? 2 : 1, count++)
        seen[*at - '0']++;
    return count;
}

/* Whatever the plan: every GPU once, and each local id another one. */
static void nobody_doubles_up(void **state)
{
    topomap_random random = {3};

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct node node;

        do /* as they are is no order (lib/plan/node_plan.h) */
            topomap_random_shuffle(&random, bindings.gpu_place, GPUS);
        while (!memcmp(bindings.gpu_place, bindings.gpu, sizeof(uint32_t[GPUS])));
        encode();
        node = node_of("0,1,2,3", "0,1,2,3");
        run(&node);
        for (uint32_t task = 0; task < node.tasks; task++) {
            int seen[GPUS] = {0};

            assert_int_equal(places_of(result->value[task][1], seen), GPUS);
            for (int i = 0; i < GPUS; i++)
                assert_int_equal(seen[i], 1);
            assert_string_equal(result->value[task][1], result->value[0][1]);
        }
    }
}

static int each_setup(void **state)
{
    static const uint32_t first[] = {0, GPUS}, gpu[] = {0, 1, 2, 3}, place[] = {2, 0, 3, 1};

    (void)state;
    plan(&machine, 4, 1, TOPOMAP_BIND_CORE, NULL, &bindings);
    bindings.gpu_amd = calloc(1, 1);
    bindings.gpu_first = malloc(sizeof first);
    bindings.gpu = malloc(sizeof gpu);
    bindings.gpu_place = malloc(sizeof place);
    memcpy(bindings.gpu_first, first, sizeof first);
    memcpy(bindings.gpu, gpu, sizeof gpu);
    memcpy(bindings.gpu_place, place, sizeof place);
    encode();
    return 0;
}

static int each_teardown(void **state)
{
    (void)state;
    topomap_bindings_clear(&bindings);
    free(text);
    text = NULL;
    return 0;
}

static int setup(void **state)
{
    if (hook_node_setup(state))
        return -1;
    open_machine(&machine, describe("pack:2 [numa] core:4 pu:2", 0));
    return 0;
}

static int teardown(void **state)
{
    close_machine(&machine);
    return hook_node_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, each_setup, each_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_are_put_in_order_as_they_stand),
        TEST(amd_s_are_ordered_once),
        TEST(a_part_of_the_nodes_gpus),
        TEST(what_is_not_as_planned_stays),
        TEST(all_variables_or_none),
        TEST(shares_of_gpus_stay),
        TEST(a_bound_task_keeps_its_own),
        TEST(binding_and_order_go_together),
        TEST(order_goes_without_binding),
        TEST(cpus_follow_gpus_of_tasks),
        TEST(cpus_follow_gpus_that_count_from_0),
        TEST(nobody_doubles_up),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
