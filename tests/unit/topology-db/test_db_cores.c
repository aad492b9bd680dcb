/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations that have some of their nodes' cores only: the lists, and where tasks go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "tests/unit/scratch.h"
#include "topology-db/db.h"
#include "util/random.h"

static topomap_error err;

/* ---- Lists ------------------------------------------------------------------------------- */

static void lists_are_read(void **state)
{
    static const struct {
        const char *text;
        uint32_t nodes, first[5], core[12];
    } rows[] = {
        {"0", 1, {0, 1}, {0}},
        {"0-3,8", 2, {0, 5, 10}, {0, 1, 2, 3, 8, 0, 1, 2, 3, 8}},
        {"*", 3, {0, 0, 0, 0}, {0}},
        {"1,3;*(x2);0-1", 4, {0, 2, 2, 2, 4}, {1, 3, 0, 1}},
        {"5(x3);7", 4, {0, 1, 2, 3, 4}, {5, 5, 5, 7}},
        {"8191", 1, {0, 1}, {8191}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_cores cores;

        assert_int_equal(topomap_cores_parse(rows[i].text, rows[i].nodes, &cores, &err), 0);
        assert_int_equal(cores.nodes, rows[i].nodes);
        assert_memory_equal(cores.first, rows[i].first, (rows[i].nodes + 1) * sizeof(uint32_t));
        assert_memory_equal(cores.core, rows[i].core, cores.first[cores.nodes] * sizeof(uint32_t));
        topomap_cores_clear(&cores);
    }
}

static void what_is_no_list_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        ",",
        ";",
        "0;",
        "0;1;2;3",
        "0,0;1",
        "3,1;0",
        "2-1;0",
        "0-;1",
        "-1;0",
        "8192;0",
        "0(x3)",
        "0(x0);1;1",
        "0(2)",
        "0(x2",
        "0(x2)x",
        "0 ;1",
        "a;b",
        "0;1 ",
        "*,1;0",
        "0-8191(x4294967298)",
        "1;2\n",
        "0x1;2",
        "99999999999;0",
        "0(x99999999999)",
    };
    topomap_cores cores;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (topomap_cores_parse(texts[i], 2, &cores, &err) != -1 || err.code != TOPOMAP_EINPUT)
            fail_msg("'%s' is taken", texts[i]);
    /* 2^20 nodes of 8,192 cores are more than is ever asked for. */
    assert_int_equal(topomap_cores_parse("0-8191", 1 << 20, &cores, &err), -1);
}

/* ---- Places ------------------------------------------------------------------------------ */

static topomap_db *database(const char *synthetic)
{
    const char *db_path = scratch_path("c.db"), *xml = scratch_path("node.xml");
    topomap_db_import_options options = {.nodes = "n[1-4]"};
    hwloc_topology_t topology;
    topomap_db *db;

    hwloc_topology_init(&topology);
    assert_int_equal(hwloc_topology_set_synthetic(topology, synthetic), 0);
    hwloc_topology_load(topology);
    assert_int_equal(hwloc_topology_export_xml(topology, xml, 0), 0);
    hwloc_topology_destroy(topology);
    unlink(db_path);
    assert_int_equal(topomap_db_create(db_path, &db, &err), 0);
    if (topomap_db_import(db, "hwloc", xml, &options, NULL, &err))
        fail_msg("%s", err.text);
    return db;
}

struct wish {
    const char *nodes, *cores;
    const uint32_t *tasks;
    uint32_t cpus;
    enum topomap_bind bind;
    int compact;
    uint32_t threads;
};

static topomap_machine *machine(topomap_db *db, const struct wish *wish, topomap_bindings *b)
{
    topomap_names names;
    topomap_cores cores = {0};
    topomap_machine *made = NULL;
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = &names,
                                        .tasks = wish->tasks,
                                        .cpus_per_task = wish->cpus,
                                        .threads_per_core = wish->threads,
                                        .bind = wish->bind,
                                        .compact = wish->compact,
                                        .cores = wish->cores ? &cores : NULL};

    assert_int_equal(topomap_hostlist_expand(wish->nodes, 0, &names, &err), 0);
    if (wish->cores)
        assert_int_equal(topomap_cores_parse(wish->cores, (uint32_t)names.count, &cores, &err), 0);
    if (topomap_db_machine(db, &allocation, &made, b, &err))
        fail_msg("%s", err.text);
    topomap_names_clear(&names);
    topomap_cores_clear(&cores);
    return made;
}

/* "0,1 4": the PUs of all tasks. */
static const char *all_cpus(const topomap_bindings *b)
{
    static char text[2048];

    text[0] = 0;
    for (uint32_t task = 0; task < b->task_first[b->nodes]; task++)
        for (uint32_t i = b->pu_start[task]; i < b->pu_start[task + 1]; i++)
            sprintf(text + strlen(text), "%s%u",
                    i > b->pu_start[task] ? ","
                    : task                ? " "
                                          : "",
                    b->pu[i]);
    return text;
}

/* Two packages of two L3 of two cores of two PUs: core c has the PUs 2c and 2c + 1. */
static void tasks_go_to_the_cores_that_there_are(void **state)
{
    static const struct {
        uint32_t tasks, cpus;
        enum topomap_bind bind;
        int compact;
        const char *cores, *cpus_of_tasks;
        double near; /* distance of slots 0 and 1 */
    } rows[] = {
        {4, 1, TOPOMAP_BIND_CORE, 0, "*", "0,1 4,5 8,9 12,13", 3},
        {4, 1, TOPOMAP_BIND_CORE, 0, "0-7", "0,1 4,5 8,9 12,13", 3},
        {4, 1, TOPOMAP_BIND_CORE, 0, "0,2,4-5", "0,1 4,5 8,9 10,11", 3},
        {2, 1, TOPOMAP_BIND_CORE, 0, "0,2,4-5", "0,1 8,9", 6},
        {2, 1, TOPOMAP_BIND_CORE, 1, "0,2,4-5", "0,1 4,5", 3},
        {2, 4, TOPOMAP_BIND_CORE, 0, "0,2,4-5", "0,1,4,5 8,9,10,11", 6},
        {2, 99, TOPOMAP_BIND_CORE, 0, "1,6", "", 1},
        /* Eight CPUs of four cores for eight tasks: a thread each. */
        {8, 1, TOPOMAP_BIND_CORE, 0, "0,2,4-5", "0 1 4 5 8 9 10 11", 1},
        {4, 2, TOPOMAP_BIND_CORE, 0, "4-7", "8,9 10,11 12,13 14,15", 2},
        {16, 1, TOPOMAP_BIND_CORE, 0, "0-7", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", 1},
        /* More tasks than CPUs are not bound. */
        {6, 1, TOPOMAP_BIND_CORE, 0, "3,7", "", 1},
        {3, 1, TOPOMAP_BIND_PU, 0, "1,5", "2 3 10", 1},
        {2, 1, TOPOMAP_BIND_NUMA, 0, "1,3,6", "2,3,6,7 2,3,6,7", 3},
        {2, 1, TOPOMAP_BIND_NUMA, 0, "1,6", "2,3 12,13", 6},
        {2, 1, TOPOMAP_BIND_NONE, 0, "1,6", "", 6},
        /* A class without core 8: not this node's. */
        {2, 1, TOPOMAP_BIND_CORE, 0, "1,8", "0,1 8,9", 6},
    };
    topomap_db *db = database("pack:2 [numa] l3:2 core:2 pu:2");

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct wish wish = {
            "n1", rows[i].cores, &rows[i].tasks, rows[i].cpus, rows[i].bind, rows[i].compact, 0};
        topomap_bindings b;
        topomap_machine *m = machine(db, &wish, &b);

        if (strcmp(all_cpus(&b), rows[i].cpus_of_tasks) ||
            topomap_machine_distance(m, 0, 1) != rows[i].near)
            fail_msg("case %zu: '%s', %g", i, all_cpus(&b), topomap_machine_distance(m, 0, 1));
        topomap_machine_free(m);
        topomap_bindings_clear(&b);
    }
    topomap_db_close(db);
}

/* --threads-per-core and --hint=nomultithread: a task's CPUs are on as many cores, as Slurm's are.
 */
static void threads_that_are_not_wanted(void **state)
{
    static const struct {
        uint32_t tasks, cpus, threads;
        enum topomap_bind bind;
        int compact;
        const char *cores, *cpus_of_tasks;
    } rows[] = {
        {2, 4, 0, TOPOMAP_BIND_CORE, 0, "*", "0,1,2,3 8,9,10,11"},
        {2, 4, 1, TOPOMAP_BIND_CORE, 0, "*", "0,2,4,6 8,10,12,14"},
        {2, 4, 2, TOPOMAP_BIND_CORE, 0, "*", "0,1,2,3 8,9,10,11"},
        {2, 4, 9, TOPOMAP_BIND_CORE, 0, "*", "0,1,2,3 8,9,10,11"},
        {2, 2, 1, TOPOMAP_BIND_CORE, 1, "*", "0,2 4,6"},
        {3, 1, 1, TOPOMAP_BIND_CORE, 1, "1,3,6", "2 6 12"},
        {4, 1, 1, TOPOMAP_BIND_PU, 0, "*", "0 4 8 12"},
        {2, 2, 1, TOPOMAP_BIND_PU, 0, "1,3,5-6", "2,6 10,12"},
        {2, 1, 1, TOPOMAP_BIND_NUMA, 0, "*", "0,2,4,6 8,10,12,14"},
        {8, 1, 1, TOPOMAP_BIND_CORE, 0, "0,2,4-5", ""},
        {2, 99, 1, TOPOMAP_BIND_CORE, 0, "1,6", ""},
    };
    topomap_db *db = database("pack:2 [numa] l3:2 core:2 pu:2");

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct wish wish = {"n1",         rows[i].cores,   &rows[i].tasks, rows[i].cpus,
                                  rows[i].bind, rows[i].compact, rows[i].threads};
        topomap_bindings b;

        topomap_machine_free(machine(db, &wish, &b));
        if (strcmp(all_cpus(&b), rows[i].cpus_of_tasks))
            fail_msg("case %zu: '%s'", i, all_cpus(&b));
        topomap_bindings_clear(&b);
    }
    topomap_db_close(db);
}

static void each_node_has_its_own(void **state)
{
    topomap_db *db = database("pack:2 [numa] l3:2 core:2 pu:2");
    const uint32_t tasks[] = {2, 1, 2};
    const struct wish wish = {"n3,n1,n2", "6-7;*;0,4", tasks, 1, TOPOMAP_BIND_CORE, 0, 0};
    topomap_bindings b;
    topomap_machine *m = machine(db, &wish, &b);

    (void)state;
    assert_string_equal(all_cpus(&b), "12,13 14,15 0,1 0,1 8,9");
    assert_true(topomap_machine_distance(m, 0, 1) == 2);
    assert_true(topomap_machine_distance(m, 3, 4) == 6);
    topomap_machine_free(m);
    topomap_bindings_clear(&b);
    topomap_db_close(db);
}

/* Any cores, tasks and threads: what is planned is inside them, as many CPUs as asked, and no
 * CPU is planned twice; nothing is planned where there are too few. */
static void plans_stay_inside(void **state)
{
    topomap_db *db = database("pack:2 [numa] l3:3 core:3 pu:2");
    topomap_random random = {7};

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint32_t has[18], count = 0, tasks, cpus = 1 + (uint32_t)topomap_random_below(&random, 5);
        uint8_t used[36] = {0};
        char list[128] = "";
        struct wish wish = {"n1", list, &tasks, cpus, TOPOMAP_BIND_CORE, round % 2, 0};
        topomap_bindings b;
        topomap_machine *m;

        for (uint32_t core = 0; core < 18; core++)
            if (topomap_random_below(&random, 3)) {
                sprintf(list + strlen(list), "%s%u", count ? "," : "", core);
                has[count++] = core;
            }
        if (!count)
            continue;
        tasks = 1 + (uint32_t)topomap_random_below(&random, 2 * count);
        m = machine(db, &wish, &b);
        for (uint32_t task = 0; task < tasks; task++) {
            assert_true((b.pu_start[task + 1] > b.pu_start[task]) == (tasks * cpus <= 2 * count));
            for (uint32_t i = b.pu_start[task]; i < b.pu_start[task + 1]; i++) {
                uint32_t in = 0;

                for (uint32_t c = 0; c < count; c++)
                    in += b.pu[i] / 2 == has[c];
                assert_int_equal(in, 1);
                assert_int_equal(used[b.pu[i]]++, 0);
            }
        }
        topomap_machine_free(m);
        topomap_bindings_clear(&b);
    }
    topomap_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(tasks_go_to_the_cores_that_there_are),
        cmocka_unit_test(threads_that_are_not_wanted),
        cmocka_unit_test(each_node_has_its_own),
        cmocka_unit_test(plans_stay_inside),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
