/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines of an allocation whose slots are GPUs: rails, NVLink domains, what joins GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "tests/unit/topology-db/imports.h"
#include "topology-db/query/query.h"

enum { RAILS = 4 };

/* Four nodes on four leaves a unit of two, a leaf a rail; one spine. Or all on one leaf a unit. */
static const char *fabric(int rails)
{
    static char text[8192];
    size_t used = (size_t)sprintf(text, "# hosts: n[1-4]\n");

    for (int n = 1; n <= 4; n++)
        for (int r = 0; r < rails; r++)
            used += (size_t)sprintf(text + used, "n%d,%d,leaf%d-%d,%d,100\n", n, r + 1, (n - 1) / 2,
                                    r, n);
    for (int l = 0; l < 2; l++)
        for (int r = 0; r < rails; r++)
            used +=
                (size_t)sprintf(text + used, "leaf%d-%d,9,spine,%d,100\n", l, r, l * rails + r + 1);
    return scratch_text("links", text);
}

static void import_for(const char *db, const char *importer, const char *path, const char *nodes)
{
    topomap_db_import_options options = {.nodes = nodes};

    db_import_with(db, importer, path, &options, NULL);
}

static int made(const char *db_path, const char *nodes, const uint32_t *tasks, const uint32_t *gpu,
                topomap_machine **machine, topomap_error *err)
{
    topomap_names names;
    topomap_db *db;
    topomap_db_allocation allocation = {.size = sizeof allocation, .nodes = &names, .tasks = tasks};
    int result;

    assert_int_equal(topomap_hostlist_expand(nodes, 0, &names, err), 0);
    assert_int_equal(topomap_db_open(db_path, &db, err), 0);
    result = topomap_db_machine_gpus(db, &allocation, gpu, machine, err);
    topomap_db_close(db);
    topomap_names_clear(&names);
    return result;
}

static topomap_machine *machine_of(const char *db, const char *nodes, const uint32_t *tasks,
                                   const uint32_t *gpu)
{
    topomap_machine *m = NULL;
    topomap_error err;

    if (made(db, nodes, tasks, gpu, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

/* A map costs what it says, and no more than ranks in order. */
static void maps(const topomap_machine *m, const char *pattern)
{
    uint32_t identity[64];
    topomap_graph *graph;
    topomap_mapping *mapping;
    topomap_cost ours, plain;
    topomap_error err;

    for (uint32_t i = 0; i < 64; i++)
        identity[i] = i;
    if (topomap_graph_read(pattern, NULL, &graph, &err) ||
        topomap_map(graph, m, NULL, &mapping, &err) ||
        topomap_cost_evaluate(graph, m, mapping->slot_of_rank, &ours, &err) ||
        topomap_cost_evaluate(graph, m, identity, &plain, &err))
        fail_msg("%s", err.text);
    assert_true(mapping->J == ours.J);
    assert_true(ours.J <= plain.J);
    assert_true(ours.J >= ours.lower_bound);
    topomap_cost_clear(&ours);
    topomap_cost_clear(&plain);
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
}

static const uint32_t four[] = {4, 4, 4, 4},
                      each[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};

static void rails(void **state)
{
    const char *db = db_fresh();
    topomap_machine *m;

    (void)state;
    db_import(db, "links", fabric(RAILS));
    import_for(db, "nccl-topology", TEST_DATA "/db/a100.nccl.xml", "n[1-4]");
    m = machine_of(db, "n[1-4]", four, each);
    assert_true(topomap_machine_distance(m, 0, 3) == 1);
    assert_true(topomap_machine_distance(m, 0, 4) == 20);
    assert_true(topomap_machine_distance(m, 0, 5) == 21);
    assert_true(topomap_machine_distance(m, 0, 8) == 40);
    assert_true(topomap_machine_distance(m, 0, 9) == 40);
    maps(m, "parallel:tp=2,pp=2,dp=4");
    maps(m, "ring:16");
    maps(m, "stencil2d:5:4x4");
    topomap_machine_free(m);
    /* All NICs on one leaf: no rails. */
    db = db_fresh();
    db_import(db, "links", fabric(1));
    import_for(db, "nccl-topology", TEST_DATA "/db/a100.nccl.xml", "n[1-4]");
    m = machine_of(db, "n[1-4]", four, each);
    assert_true(topomap_machine_distance(m, 0, 5) == 20);
    topomap_machine_free(m);
    /* Two leaves for four NICs: two of these on each. */
    db = db_fresh();
    db_import(db, "links", fabric(2));
    import_for(db, "nccl-topology", TEST_DATA "/db/a100.nccl.xml", "n[1-4]");
    m = machine_of(db, "n[1-4]", four, each);
    assert_true(topomap_machine_distance(m, 0, 5) == 20);
    assert_true(topomap_machine_distance(m, 0, 6) == 21);
    topomap_machine_free(m);
}

static void domains(void **state)
{
    const char *db = db_fresh();
    topomap_machine *m;

    (void)state;
    db_import(db, "links", fabric(RAILS));
    import_for(db, "nccl-topology", TEST_DATA "/db/a100.nccl.xml", "n[1-4]");
    db_import(db, "nvlink-cliques",
              scratch_text("cliques", "n1, 1-1, 1\nn3, 1-1, 1\nn4, 1-1, 2\n"));
    m = machine_of(db, "n[1-4]", four, each);
    assert_true(topomap_machine_distance(m, 0, 8 + 3) == 2); /* n1 and n3 */
    assert_int_equal(topomap_machine_hops(m, 0, 8 + 3), 1);
    assert_true(topomap_machine_distance(m, 0, 4) == 20);  /* n1 and n2 */
    assert_true(topomap_machine_distance(m, 8, 12) == 20); /* n3 and n4, another domain */
    assert_true(topomap_machine_distance(m, 8, 13) == 21);
    assert_true(topomap_machine_distance(m, 4, 12) == 40);
    maps(m, "parallel:tp=2,pp=2,dp=4");
    maps(m, "stencil2d:5:4x4");
    topomap_machine_free(m);
}

/* GPUs of MI250X in the order that their links make; two tasks on a GPU. */
static void inside(void **state)
{
    static const uint32_t tasks[] = {4}, gpu[] = {0, 0, 1, 6}, wrong[] = {1, 0, 6, 7},
                          none[] = {0, 1, 6, 8};
    const char *db = db_fresh();
    topomap_machine *m;
    topomap_error err;

    (void)state;
    import_for(db, "hwloc", TEST_DATA "/db/mi250x.xml", NULL);
    m = machine_of(db, "mi01", tasks, gpu);
    assert_true(topomap_machine_distance(m, 0, 1) == 0.5);
    assert_true(topomap_machine_distance(m, 1, 2) == 1);
    assert_true(topomap_machine_distance(m, 2, 3) > 2);
    topomap_machine_free(m);
    assert_int_equal(made(db, "mi01", tasks, wrong, &m, &err), -1);
    assert_message(err.text, "GPU 0|GPU 1");
    assert_int_equal(made(db, "mi01", tasks, none, &m, &err), -1);
    assert_message(err.text, "'mi01'|8 GPUs|GPU 8");
}

/* Nodes of which nothing is known are as far inside as across a node. */
static void unknown(void **state)
{
    const char *db = db_fresh();
    topomap_machine *m;

    (void)state;
    db_import(db, "links", fabric(RAILS));
    m = machine_of(db, "n[1-4]", four, each);
    assert_true(topomap_machine_distance(m, 0, 3) == 8);
    assert_true(topomap_machine_distance(m, 0, 5) == 20);
    topomap_machine_free(m);
}

static void classes(void **state)
{
    const char *db_path = db_fresh();
    topomap_db_device_classes found;
    topomap_names names;
    topomap_error err;
    topomap_db *db;

    (void)state;
    db_import(db_path, "links", fabric(RAILS));
    import_for(db_path, "nccl-topology", TEST_DATA "/db/a100.nccl.xml", "n[1-3]");
    import_for(db_path, "gpu-matrix", TEST_DATA "/db/h100.topo", "n3");
    db_import(db_path, "nvlink-cliques", scratch_text("cliques", "n2, 1-1, 1\nn4, 1-1, 1\n"));
    assert_int_equal(topomap_hostlist_expand("n[4,1-3]", 0, &names, &err), 0);
    assert_int_equal(topomap_db_open(db_path, &db, &err), 0);
    if (topomap_db_devices_of(db, &names, &found, &err))
        fail_msg("%s", err.text);
    assert_int_equal(found.nodes, 4);
    assert_int_equal(found.classes, 2);
    assert_int_equal(found.class_of[0], TOPOMAP_DB_NO_DEVICES);
    assert_int_equal(found.class_of[1], 0);
    assert_int_equal(found.class_of[2], 0);
    assert_int_equal(found.class_of[3], 1);
    assert_int_equal(found.class[0].gpus, 4);
    assert_int_equal(found.domains, 1);
    assert_int_equal(found.domain_of[0], 0);
    assert_int_equal(found.domain_of[1], TOPOMAP_DB_NO_DEVICES);
    assert_int_equal(found.domain_of[2], 0);
    assert_string_equal(found.domain[0], "1-1.1");
    topomap_db_device_classes_clear(&found);
    topomap_db_close(db);
    topomap_names_clear(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rails),   cmocka_unit_test(domains), cmocka_unit_test(inside),
        cmocka_unit_test(unknown), cmocka_unit_test(classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
