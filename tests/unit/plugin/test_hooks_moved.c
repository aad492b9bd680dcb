/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes with a task's CPUs when slurmstepd's hooks move it: its memory, and the CPUs of tasks
 * that are too many for the node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/plugin/hook_node.h"
#include "tests/unit/scratch.h"

static topomap_error err;

/* Slurm puts all four tasks on the first NUMA node, the plan two of them on the second. */
static void memory_follows_the_cpus(void **state)
{
    const int modes[] = {MPOL_BIND, MPOL_PREFERRED, MPOL_BIND | MPOL_F_STATIC_NODES};
    topomap_bindings b;
    struct node node;

    (void)state;
    open_small_bound(&node, &b);
    node.numa_cpus = 8;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        node.memory = modes[i];
        run(&node);
        check_planned("memory", &node, &b);
        for (uint32_t task = 0; task < 4; task++) {
            assert_int_equal(result->policy[task].mode, modes[i]);
            assert_int_equal(result->policy[task].nodes.bit[0], task < 2 ? 1 : 2);
        }
    }
    node.memory = 0; /* no policy: the kernel takes the memory next to the CPU that touches it */
    run(&node);
    assert_int_equal(result->policy[3].mode, 0);
    assert_int_equal(result->policy[3].nodes.bit[0], 0);
    node.memory = MPOL_INTERLEAVE; /* the user's own (numactl) */
    run(&node);
    assert_int_equal(result->policy[3].nodes.bit[0], 1);
    close_small(&node, &b);
}

static void memory_that_cannot_follow_keeps_slurms_masks(void **state)
{
    topomap_bindings b;
    struct node node;

    (void)state;
    open_small_bound(&node, &b);
    node.numa_cpus = 8;
    node.memory = MPOL_BIND;
    node.fixed_memory = 1;
    run(&node);
    assert_true(is_slurms(&node, 2) && is_slurms(&node, 3));
    assert_int_equal(result->policy[3].nodes.bit[0], 1);
    node.fixed_memory = 0;
    node.numa_cpus = 0; /* the kernel does not tell which CPUs a node has */
    assert_left(&node, "memory");
    close_small(&node, &b);
}

/* No task is pinned where the node's tasks need more CPUs than there are, whoever finds it out. */
static void overcommitted_tasks_float(void **state)
{
    static const struct {
        uint32_t tasks, cpus; /* of the plan */
        enum topomap_bind bind;
        const char *cores; /* of the job, which the plan knows */
        const char *has;   /* of the step */
        int bound;
    } rows[] = {
        {16, 1, TOPOMAP_BIND_CORE, NULL, "0-7", 1}, /* a hardware thread each */
        {17, 1, TOPOMAP_BIND_CORE, NULL, "0-7", 0},
        {17, 1, TOPOMAP_BIND_NUMA, NULL, "0-7", 0},
        {2, 1, TOPOMAP_BIND_CORE, "3", "3", 1},
        {3, 1, TOPOMAP_BIND_CORE, "3", "3", 0},
        {2, 2, TOPOMAP_BIND_CORE, "3", "3", 0},
        {2, 1, TOPOMAP_BIND_CORE, NULL, "3", 1}, /* the step has less than the plan knew */
        {3, 1, TOPOMAP_BIND_CORE, NULL, "3", 0},
        {4, 1, TOPOMAP_BIND_NUMA, NULL, "0", 0},
        {16, 1, TOPOMAP_BIND_NUMA, NULL, "0-7", 1},
        {16, 1, TOPOMAP_BIND_NUMA, NULL, "0-6", 0},
    };
    topomap_bindings b;
    struct node node;
    char *text;

    (void)state;
    open_small(&node, &b);
    topomap_bindings_clear(&b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int slurms = 1, bound;

        plan(&small, rows[i].tasks, rows[i].cpus, rows[i].bind, rows[i].cores, &b);
        node.bindings = text = topomap_bindings_encode(&b, &err);
        node.tasks = rows[i].tasks;
        node.cores = rows[i].has;
        run(&node);
        for (uint32_t task = 0; task < node.tasks; task++)
            slurms &= is_slurms(&node, task);
        bound = !slurms || (!*result->said && b.pu_start[node.tasks]);
        if (bound != rows[i].bound)
            fail_msg("row %zu: %s", i, bound ? "bound" : "not bound");
        if (bound && rows[i].bind == TOPOMAP_BIND_CORE)
            check_disjoint("overcommitted", &node);
        free(text);
        topomap_bindings_clear(&b);
    }
    close_machine(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_follows_the_cpus),
        cmocka_unit_test(memory_that_cannot_follow_keeps_slurms_masks),
        cmocka_unit_test(overcommitted_tasks_float),
    };

    return cmocka_run_group_tests(tests, hook_node_setup, hook_node_teardown);
}
