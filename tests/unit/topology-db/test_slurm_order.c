/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which Slurm gives tasks to nodes: what decides it, and what it is. The expected
 * orders are those of _task_layout_topo and the topology plugins of 26.05, worked out by hand;
 * tests/slurm/order.bats asks Slurm itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "topology-db/db.h"
#include "topology-db/query/query.h"

static topomap_error err;

/* ---- Databases --------------------------------------------------------------------------- */

static topomap_db *import(const char *importer, const char *text)
{
    const char *path = scratch_text("input", text);
    topomap_db *db;

    assert_int_equal(topomap_db_create(scratch_path("t.db"), &db, &err), 0);
    if (topomap_db_import(db, importer, path, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return db;
}

static topomap_db *only(const char *importer, const char *text)
{
    unlink(scratch_path("t.db"));
    return import(importer, text);
}

static void close_db(topomap_db *db)
{
    topomap_db_close(db);
}

/* The nodes of a list, which are some of a job's, in order of the topology, with blanks between. */
static const char *part_sequence(topomap_db *db, const char *topology, const char *list,
                                 const char *job)
{
    static char text[4096];
    topomap_names names, all;
    uint32_t order[256];
    size_t used = 0;

    assert_int_equal(topomap_hostlist_expand(list, 256, &names, &err), 0);
    assert_int_equal(topomap_hostlist_expand(job, 256, &all, &err), 0);
    if (topomap_db_slurm_sequence(db, topology, &names, job == list ? NULL : &all, order, NULL,
                                  &err))
        fail_msg("%s", err.text);
    topomap_names_clear(&all);
    *text = 0;
    for (size_t i = 0; i < names.count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                                 names.name[order[i]]);
    topomap_names_clear(&names);
    return text;
}

static const char *sequence(topomap_db *db, const char *topology, const char *list)
{
    return part_sequence(db, topology, list, list);
}

/* ---- Orders ------------------------------------------------------------------------------ */

static void leaf_switches_count_in_the_order_of_the_file(void **state)
{
    topomap_db *db = only("slurm-topology", "SwitchName=top Switches=left,right\n"
                                            "SwitchName=right Switches=r[1-2]\n"
                                            "SwitchName=r2 Nodes=n[1,4,7]\n"
                                            "SwitchName=empty\n"
                                            "SwitchName=l1 Nodes=n[2,5]\n"
                                            "SwitchName=left Switches=l1,empty\n"
                                            "SwitchName=r1 Nodes=n[3,6,8-9,1]\n");

    (void)state;
    assert_string_equal(sequence(db, NULL, "n[1-9]"), "n1 n4 n7 n2 n5 n3 n6 n8 n9");
    /* By node index in a switch, as the step lists them; names without case and domain. */
    assert_string_equal(sequence(db, NULL, "n[9,6],N5.site,n[7,1]"), "n7 n1 N5.site n9 n6");
    /* A node that no switch has comes first (rank 0). */
    assert_string_equal(sequence(db, NULL, "n[3,77,4,78]"), "n77 n78 n4 n3");
    assert_string_equal(sequence(db, "default", "n[3,4]"), "n4 n3");
    close_db(db);
}

static void blocks_begin_at_0(void **state)
{
    topomap_db *db = only("slurm-topology", "BlockName=a Nodes=n[5-8]\nBlockName=b Nodes=n[1-4]\n"
                                            "BlockSizes=4,8\n");

    (void)state;
    assert_string_equal(sequence(db, NULL, "n[1-2,7-8]"), "n7 n8 n1 n2");
    assert_string_equal(sequence(db, NULL, "m1,n[1,7],m2"), "m1 n7 m2 n1");
    close_db(db);
}

static void rings_begin_behind_their_first_gap(void **state)
{
    topomap_db *db = only("slurm-topology", "RingName=a Nodes=n[4,2,6,1,5,3]\n"
                                            "RingName=b Nodes=m[1-6]\n");

    (void)state;
    assert_string_equal(sequence(db, NULL, "n[1-6]"), "n4 n2 n6 n1 n5 n3");
    assert_string_equal(sequence(db, NULL, "n[1,2,6]"), "n2 n6 n1");
    /* Both ends: 4 2 . . 5 3 begins with 5; 4 . 6 . . 3 with 6, behind the first gap. */
    assert_string_equal(sequence(db, NULL, "n[2-5]"), "n5 n3 n4 n2");
    assert_string_equal(sequence(db, NULL, "n[3,4,6]"), "n6 n3 n4");
    assert_string_equal(sequence(db, NULL, "m[1-6],n1"), "n1 m1 m2 m3 m4 m5 m6");
    close_db(db);
}

static const char torus[] = "- topology: t\n"
                            "  torus3d:\n"
                            "    toruses:\n"
                            "      - {name: p, dims: {x: 4, y: 4, z: 1}, nodes: 'n[0-15]'}\n"
                            "      - {name: q, dims: {x: 1, y: 1, z: 2}, nodes: 'm[0-1]'}\n"
                            "- topology: flat\n"
                            "  flat: true\n";

static void toruses_go_along_mortons_curve(void **state)
{
    topomap_db *db = only("slurm-topology", torus);

    (void)state;
    assert_string_equal(sequence(db, NULL, "n[0-15]"),
                        "n0 n1 n4 n5 n2 n3 n6 n7 n8 n9 n12 n13 n10 n11 n14 n15");
    /* x 3 and 0, y 3 and 0: the box goes round both ends. */
    assert_string_equal(sequence(db, NULL, "n[0,3,12,15]"), "n15 n12 n3 n0");
    /* x 0, 2 and y 0, 1: an arc that does not go round is taken before one as long that does. */
    assert_string_equal(sequence(db, NULL, "n[0,2,4,6]"), "n0 n4 n2 n6");
    assert_string_equal(sequence(db, NULL, "m[0-1],n[1,0]"), "n0 n1 m0 m1");
    assert_string_equal(sequence(db, "flat", "m[0-1],n[1,0]"), "m0 m1 n1 n0");
    close_db(db);
}

/* Steps take their ranks from the job's. */
static void the_other_nodes_of_a_job_count_in_rings_and_toruses(void **state)
{
    topomap_db *db = only("slurm-topology", "RingName=a Nodes=n[4,2,6,1,5,3]\n");
    topomap_names names, job;
    uint32_t order[4];
    int of_job;

    (void)state;
    assert_string_equal(sequence(db, NULL, "n[2-5]"), "n5 n3 n4 n2");
    assert_string_equal(part_sequence(db, NULL, "n[2-5]", "n[1-6]"), "n4 n2 n5 n3");
    assert_string_equal(part_sequence(db, NULL, "n[3-4]", "n[3-4,6]"), "n3 n4");
    assert_string_equal(part_sequence(db, NULL, "n4,N3.site", "n[1-4,6]"), "N3.site n4");
    assert_int_equal(topomap_hostlist_expand("n[2-5]", 4, &names, &err), 0);
    assert_int_equal(topomap_hostlist_expand("n[2-4]", 4, &job, &err), 0);
    assert_int_equal(topomap_db_slurm_sequence(db, NULL, &names, &job, order, &of_job, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, "'n5'");
    assert_int_equal(topomap_db_slurm_sequence(db, NULL, &names, NULL, order, &of_job, &err), 0);
    assert_int_equal(of_job, 1);
    close_db(db);
    db = only("slurm-topology", torus);
    assert_string_equal(sequence(db, NULL, "n[0,3,12,15]"), "n15 n12 n3 n0");
    assert_string_equal(part_sequence(db, NULL, "n[0,3,12,15]", "n[0-15]"), "n0 n3 n12 n15");
    assert_int_equal(topomap_db_slurm_sequence(db, "flat", &names, NULL, order, &of_job, &err), 0);
    assert_int_equal(of_job, 0);
    close_db(db);
    topomap_names_clear(&names);
    topomap_names_clear(&job);
}

/* 1024 x 512 x 1 places need 19 bits of 16: x gives two, y one. */
static void wide_axes_lose_their_lowest_bits(void **state)
{
    const struct slurm_order_unit pod = {.dim = {1024, 512, 1}, .nodes = 5};
    const struct slurm_place place[] = {{0, 0}, {0, 3}, {0, 4}, {0, 1024}, {0, 1023 + 1024 * 511}};
    uint64_t rank[5];

    (void)state;
    assert_int_equal(slurm_ranks("torus3d", &pod, 1, place, 5, rank, &err), 0);
    assert_int_equal(rank[0], 1 << 16);
    assert_int_equal(rank[1], 1 << 16);
    assert_int_equal(rank[2], (1 << 16) + 1);
    assert_int_equal(rank[3], 1 << 16);
    assert_int_equal(rank[4], (1 << 16) + 0xffff);
}

static void what_is_not_there_is_said(void **state)
{
    topomap_db *db = only("slurm-topology", torus);
    topomap_names names;
    uint32_t order[2];

    (void)state;
    assert_int_equal(topomap_hostlist_expand("n[1-2]", 2, &names, &err), 0);
    assert_int_equal(topomap_db_slurm_sequence(db, "other", &names, NULL, order, NULL, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "'other'");
    close_db(db);
    db = only("links", "n1,1,s,1,10\nn2,1,s,2,10\n");
    assert_int_equal(topomap_db_slurm_sequence(db, NULL, &names, NULL, order, NULL, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "db import slurm-topology");
    close_db(db);
    topomap_names_clear(&names);
}

/* ---- What decides ------------------------------------------------------------------------ */

static char *config(const char *version, const char *plugin, const char *param, const char *select)
{
    static char text[1024];

    snprintf(text, sizeof text,
             "Configuration data as of 2026-01-01T00:00:00\nAccountingStorageBackupHost = (null)\n"
             "SelectTypeParameters    = %s\nSLURM_VERSION           = %s\n"
             "TopologyParam           = %s\nTopologyPlugin          = %s\n",
             select, version, param, plugin);
    return text;
}

static void the_configuration_decides(void **state)
{
    static const struct {
        const char *version, *plugin, *param, *select;
        int topology;
        const char *because;
    } rows[] = {
        {"22.05.8", "topology/tree", "(null)", "CR_CORE", 0, "Slurm 22.05.8, topology/tree"},
        {"25.11.7", "topology/tree", "RoutePart", "CR_CORE", 0, "Slurm 25.11.7, topology/tree"},
        {"26.05.0-0rc1", "topology/tree", "(null)", "CR_CORE", 1,
         "Slurm 26.05.0-0rc1, topology/tree"},
        {"26.05.3", "topology/block", "(null)", "CR_CORE", 1, "Slurm 26.05.3, topology/block"},
        {"27.05.1", "topology/ring", "(null)", "CR_CORE", 1, "Slurm 27.05.1, topology/ring"},
        {"26.05.3", "topology/flat", "(null)", "CR_CORE", 0,
         "Slurm 26.05.3, topology/flat|topology.yaml"},
        {"26.05.3", "topology/flat", "(null)", "CR_CORE,CR_NO_DIST_TOPO_BLOCK", 0,
         "Slurm 26.05.3, topology/flat"},
        {"25.05.1", "topology/flat", "(null)", "CR_CORE", 0, "Slurm 25.05.1, topology/flat"},
        {"25.05.1", "topology/flat", "SwitchAsNodeRank", "CR_CORE", 0,
         "Slurm 25.05.1, topology/flat|topology.yaml"},
        {"24.11.1", "topology/flat", "SwitchAsNodeRank", "CR_CORE", 0,
         "Slurm 24.11.1, topology/flat"},
        {"26.05.3", "topology/tree", "(null)", "CR_CORE,CR_NO_DIST_TOPO_BLOCK", 0,
         "Slurm 26.05.3, topology/tree, CR_NO_DIST_TOPO_BLOCK"},
        {"23.11.1", "topology/tree", "RoutePart,switchasnoderank", "CR_CORE", 1,
         "Slurm 23.11.1, topology/tree, SwitchAsNodeRank"},
        {"22.05.8", "topology/tree", "SwitchAsNodeRank", "CR_CORE", 0,
         "Slurm 22.05.8, topology/tree"},
        {"23.02.0", "topology/tree", "SwitchAsNodeRank", "CR_CORE", 1,
         "Slurm 23.02.0, topology/tree, SwitchAsNodeRank"},
        {"25.05.1", "topology/block", "BlockAsNodeRank", "CR_CORE", 0,
         "Slurm 25.05.1, topology/block"},
        {"25.11.1", "topology/block", "BlockAsNodeRank", "CR_CORE", 1,
         "Slurm 25.11.1, topology/block, BlockAsNodeRank"},
        {"25.11.1", "topology/tree", "BlockAsNodeRank", "CR_CORE", 0,
         "Slurm 25.11.1, topology/tree"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = config(rows[i].version, rows[i].plugin, rows[i].param, rows[i].select);
        topomap_db *db = only("slurm-config", text);
        topomap_db_slurm_config asked;
        topomap_db_slurm_order kept, now;

        assert_int_equal(topomap_db_slurm_order_of(db, NULL, &kept, &err), 0);
        assert_int_equal(kept.topology, rows[i].topology);
        assert_message(kept.because, rows[i].because);
        assert_int_equal(!strstr(kept.because, "yaml"), !strstr(rows[i].because, "yaml"));
        /* The same, asked of Slurm now. */
        assert_int_equal(topomap_db_slurm_config_read(text, &asked, &err), 0);
        assert_int_equal(topomap_db_slurm_order_of(db, &asked, &now, &err), 0);
        assert_memory_equal(&now, &kept, sizeof now);
        close_db(db);
    }
}

static void topology_yaml_overrides_the_plugin(void **state)
{
    topomap_db *db = only("slurm-topology", torus);
    topomap_db_slurm_order order;

    (void)state;
    close_db(db);
    db = import("slurm-config", config("26.05.3", "topology/flat", "(null)", "CR_CORE"));
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 1);
    assert_string_equal(order.because, "Slurm 26.05.3, topology/torus3d");
    close_db(db);
    /* topology.conf is what the plugin reads, and this one reads none. */
    db = import("slurm-topology", "SwitchName=s Nodes=n[1-2]\n");
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 0);
    close_db(db);
}

static void another_text_is_no_configuration(void **state)
{
    topomap_db_slurm_config asked;

    (void)state;
    assert_int_equal(topomap_db_slurm_config_read("NodeName=n1\n", &asked, &err), -1);
    assert_message(err.text, "scontrol show config");
    assert_int_equal(topomap_db_slurm_config_read("SLURM_VERSION = new\n", &asked, &err), -1);
    assert_int_equal(topomap_db_slurm_config_read("", &asked, &err), -1);
}

/* Whether there is one, neither scontrol nor an earlier import says. */
static void a_topology_yaml_that_may_be_there_is_said(void **state)
{
    static const char *const none[] = {"topology.yaml=none", NULL};
    const topomap_db_import_options options = {.option = none};
    char *text = config("26.05.3", "topology/flat", "(null)", "CR_CORE");
    topomap_db *db = only("slurm-config", text);
    topomap_db_slurm_config asked;
    topomap_db_slurm_order order;

    (void)state;
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.unsure, 1);
    assert_int_equal(
        topomap_db_import(db, "slurm-config", scratch_text("input", text), &options, NULL, &err),
        0);
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.unsure, 0);
    assert_string_equal(order.because, "Slurm 26.05.3, topology/flat");
    close_db(db);
    /* One that is there overrides another plugin, too; one that is imported is believed. */
    text = config("26.05.3", "topology/tree", "(null)", "CR_CORE");
    db = only("slurm-config", text);
    assert_int_equal(topomap_db_slurm_config_read(text, &asked, &err), 0);
    assert_int_equal(topomap_db_slurm_order_of(db, &asked, &order, &err), 0);
    assert_int_equal(order.unsure, 0);
    strcpy(asked.yaml, "there");
    assert_int_equal(topomap_db_slurm_order_of(db, &asked, &order, &err), 0);
    assert_int_equal(order.unsure, 1);
    close_db(db);
    db = import("slurm-topology", torus);
    assert_int_equal(topomap_db_slurm_order_of(db, &asked, &order, &err), 0);
    assert_int_equal(order.unsure, 0);
    close_db(db);
}

static const char linear[] = "SelectType = select/linear\nSLURM_VERSION = 26.05.3\n"
                             "TopologyParam = %s\nTopologyPlugin = topology/tree\n";

static void only_cons_tres_asks_for_ranks(void **state)
{
    static const char tres[] = "SelectType = select/cons_tres\nSLURM_VERSION = 26.05.3\n"
                               "TopologyPlugin = topology/tree\n";
    topomap_db_slurm_order order;
    char text[256];
    topomap_db *db;

    (void)state;
    snprintf(text, sizeof text, linear, "(null)");
    db = only("slurm-config", text);
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 0);
    assert_string_equal(order.because, "Slurm 26.05.3, topology/tree, select/linear");
    close_db(db);
    /* Nodes that are numbered by the topology are so for everybody. */
    snprintf(text, sizeof text, linear, "SwitchAsNodeRank");
    db = only("slurm-config", text);
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 1);
    assert_string_equal(order.because, "Slurm 26.05.3, topology/tree, SwitchAsNodeRank");
    close_db(db);
    db = only("slurm-config", tres);
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 1);
    close_db(db);
}

/* n2 is on two leaf switches, n9 on none. */
static void of_several_switches_the_last_numbers_a_node_and_the_first_ranks_it(void **state)
{
    static const char two[] = "SwitchName=a Nodes=n[2,4]\nSwitchName=b Nodes=n[1-2]\n"
                              "SwitchName=c Nodes=n3\nSwitchName=top Switches=a,b,c\n";
    char text[256];
    topomap_db *db = only("slurm-topology", two);

    (void)state;
    close_db(db);
    db = import("slurm-config", config("23.11.1", "topology/tree", "SwitchAsNodeRank", "CR_CORE"));
    assert_string_equal(sequence(db, NULL, "n[1-4,9]"), "n9 n4 n1 n2 n3");
    close_db(db);
    db = import("slurm-config", config("26.05.3", "topology/tree", "(null)", "CR_CORE"));
    assert_string_equal(sequence(db, NULL, "n[1-4,9]"), "n9 n2 n4 n1 n3");
    close_db(db);
    /* Of one rank, by their numbers: n4 is 1, n2 is 2. */
    db = import("slurm-config", config("26.05.3", "topology/tree", "SwitchAsNodeRank", "CR_CORE"));
    assert_string_equal(sequence(db, NULL, "n[1-4,9]"), "n9 n4 n2 n1 n3");
    close_db(db);
    snprintf(text, sizeof text, linear, "SwitchAsNodeRank");
    db = import("slurm-config", text);
    assert_string_equal(sequence(db, NULL, "n[1-4,9]"), "n9 n4 n1 n2 n3");
    assert_string_equal(sequence(db, "default", "n[1-4,9]"), "n9 n2 n4 n1 n3");
    close_db(db);
}

/* Numbers of blocks begin at 1, so that nodes of none are before the first block's. */
static void blocks_number_nodes_from_1(void **state)
{
    topomap_db *db = only("slurm-topology", "BlockName=a Nodes=n[5-8]\nBlockName=b Nodes=n[1-4]\n"
                                            "BlockSizes=4,8\n");

    (void)state;
    close_db(db);
    db = import("slurm-config", config("25.11.3", "topology/block", "BlockAsNodeRank", "CR_CORE"));
    assert_string_equal(sequence(db, NULL, "m1,n[1,7],m2"), "m1 m2 n7 n1");
    close_db(db);
}

/* As an earlier topomap made them. */
static void databases_without_the_table_have_the_node_index(void **state)
{
    topomap_db *db = only("slurm-topology", "SwitchName=s Nodes=n[1-2]\n");
    topomap_db_slurm_order order;
    sqlite3 *file;

    (void)state;
    close_db(db);
    assert_int_equal(sqlite3_open(scratch_path("t.db"), &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file, "DROP TABLE slurm_setting", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(file);
    assert_int_equal(topomap_db_open(scratch_path("t.db"), &db, &err), 0);
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 0);
    assert_message(order.because, "slurm-config");
    assert_string_equal(sequence(db, NULL, "n[2,1]"), "n2 n1");
    close_db(db);
    db = import("slurm-config", config("26.05.3", "topology/tree", "(null)", "CR_CORE"));
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 1);
    close_db(db);
    /* One that kept no SelectType. */
    assert_int_equal(sqlite3_open(scratch_path("t.db"), &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file,
                                  "DELETE FROM slurm_setting WHERE name IN ('select_type',"
                                  " 'topology.yaml')",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(file);
    assert_int_equal(topomap_db_open(scratch_path("t.db"), &db, &err), 0);
    assert_int_equal(topomap_db_slurm_order_of(db, NULL, &order, &err), 0);
    assert_int_equal(order.topology, 1);
    close_db(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaf_switches_count_in_the_order_of_the_file),
        cmocka_unit_test(blocks_begin_at_0),
        cmocka_unit_test(rings_begin_behind_their_first_gap),
        cmocka_unit_test(toruses_go_along_mortons_curve),
        cmocka_unit_test(the_other_nodes_of_a_job_count_in_rings_and_toruses),
        cmocka_unit_test(wide_axes_lose_their_lowest_bits),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(the_configuration_decides),
        cmocka_unit_test(topology_yaml_overrides_the_plugin),
        cmocka_unit_test(a_topology_yaml_that_may_be_there_is_said),
        cmocka_unit_test(only_cons_tres_asks_for_ranks),
        cmocka_unit_test(of_several_switches_the_last_numbers_a_node_and_the_first_ranks_it),
        cmocka_unit_test(blocks_number_nodes_from_1),
        cmocka_unit_test(another_text_is_no_configuration),
        cmocka_unit_test(databases_without_the_table_have_the_node_index),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
