/* SPDX-License-Identifier: BSD-3-Clause */
/* InfiniBand sources together: subnets, rails and planes, and whose an unnamed adapter is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tests/unit/topology-db/ib_database.h"

#define REPORT TEST_DATA "/db/report.ports"
#define NIC TEST_DATA "/db/nic.xml"
#define IB SHARED_DATA "/ib/"
#define SIDE "CA     2  1 0x0000000000000011 4x EDR"

/* ---- The normal form's variants ----------------------------------------------------------- */

#define SW(g, n) "Switch 8 \"S-00000000000000" g "\" # \"" n "\" base port 0 lid 1 lmc 0\n"
#define CA(g, n) "Ca 2 \"H-00000000000000" g "\" # \"" n "\"\n"
#define TO_SW(p, q, g, n)                                                                          \
    "[" p "](" q g ") \"S-00000000000000" g "\"[" q "] # lid 2 lmc 0 \"" n "\" lid 1 4xHDR\n"
#define TO_CA(p, q, g, n) "[" p "] \"H-00000000000000" g "\"[" q "](9) # \"" n "\" lid 2 4xHDR\n"
#define HEAD                                                                                       \
    "#\n# Topology file: generated on Sat Jan  1 00:00:00 2022\n#\n# Initiated from node 1\n"

/* Two dumps in one file are of two subnets; one node may be in both. */
static void several_dumps_in_one_file(void **state)
{
    static const char one[] = HEAD SW("a1", "s1") TO_CA("1", "1", "11", "n1 mlx5_0")
        CA("11", "n1 mlx5_0") TO_SW("1", "1", "a1", "s1");
    static const char two[] = HEAD SW("b1", "s1") TO_CA("1", "2", "11", "n1 mlx5_0")
        CA("11", "n1 mlx5_0") TO_SW("2", "1", "b1", "s1");
    char both[4096];
    const char *db = ib_fresh();
    topomap_db_report r;

    (void)state;
    snprintf(both, sizeof both, "%s%s", one, two);
    r = ib_import(db, "ibnetdiscover", scratch_text("both", both));
    assert_int_equal(r.warnings, 0);
    assert_int_equal(ib_summary(db).subnets, 2);
    assert_int_equal(ib_summary(db).planes, 2);
    assert_int_equal(ib_summary(db).hosts, 1);
    assert_int_equal(ib_summary(db).links, 2);
    /* Each as a file: the same; and the file of both takes the place of either. */
    ib_import(db = ib_fresh(), "ibnetdiscover", scratch_text("one", one));
    ib_import(db, "ibnetdiscover", scratch_text("two", two));
    assert_int_equal(ib_summary(db).subnets, 2);
    ib_import(db, "ibnetdiscover", scratch_path("both"));
    assert_int_equal(ib_summary(db).subnets, 2);
    assert_int_equal(ib_summary(db).links, 2);
    /* One subnet twice: which is true now? */
    snprintf(both, sizeof both, "%s%s", one, one);
    ib_refused("ibnetdiscover", scratch_text("twice", both), "subnet");
}

/* The oldest tools print no rates; ibdiagnet prints adapters first; ids may be short. */
static void other_writers(void **state)
{
    const char *db = ib_fresh();

    (void)state;
    ib_import(db, "ibdiagnet",
              scratch_text("ca-first", CA("11", "n1 mlx5_0") TO_SW("1", "1", "a1", "s1")
                                           SW("a1", "s1") TO_CA("1", "1", "11", "n1 mlx5_0")));
    assert_string_equal(ib_hosts(db), "n1@s1 ");
    ib_import(db = ib_fresh(), "ibnetdiscover",
              scratch_text("bare", "Switch 8 \"S-a1\" # \"s1\"\n[1] \"H-11\"[1] # \"n1 HCA-1\"\n"
                                   "Ca 1 \"H-11\" # \"n1 HCA-1\"\n[1] \"S-a1\"[1] # \"s1\"\n"));
    assert_string_equal(ib_ports(db, "n1"), "11:1 s1[1] 0x rail 1 plane 1; ");
    ib_refused(
        "ibnetdiscover",
        scratch_text("mixed", SW("a1", "s1") TO_CA(
                                  "1", "1", "11",
                                  "n1 mlx5_0") "[2] \"H-0000000000000012\"[1] # \"n2 HCA-1\"\n"),
        ":3: expected width");
}

/* A switch whose GUID is not that of its port 0, which is all that a ports report has. */
static void tools_of_one_subnet_replace_each_other(void **state)
{
    static const char report[] = SIDE " - SW     1  1 0x00000000000000a2 ( 'n1 HCA-1' - 's1' )\n"
                                      "SW     1  1 0x00000000000000a2 4x EDR - CA     2  1 "
                                      "0x0000000000000011 ( 's1' - 'n1 HCA-1' )\n";
    const char *normal = scratch_text(
        "normal", "switchguid=0xa1(a2)\n" SW("a1", "s1") TO_CA("1", "1", "10", "n1 HCA-1")
                      CA("10", "n1 HCA-1") TO_SW("1", "1", "a1", "s1"));
    const char *db = ib_fresh();

    (void)state;
    ib_import(db, "ibnetdiscover", normal);
    ib_import(db, "ibnetdiscover", scratch_text("report", report));
    assert_int_equal(ib_summary(db).links, 1);
    assert_int_equal(ib_summary(db).subnets, 1);
    assert_string_equal(ib_ports(db, "n1"), "11:1 s1[1] 4xEDR rail 1 plane 1; ");
    ib_import(db, "ibnetdiscover", normal);
    assert_int_equal(ib_summary(db).links, 1);
    assert_string_equal(ib_ports(db, "n1"), "10:1 s1[1] 4xHDR rail 1 plane 1; ");
}

/* ---- Rails, planes, aggregation ----------------------------------------------------------- */

static void rails_and_planes(void **state)
{
    const char *db = ib_fresh();
    topomap_db_report r;

    (void)state;
    /* s1-s2 are one plane, s3 another. n1: an adapter of two ports on one plane; n2: one of two
     * ports on two planes; n3: two adapters on one plane. */
    r = ib_import(
        db, "ibnetdiscover",
        scratch_text(
            "planes",
            SW("a1", "s1") "[8] \"S-00000000000000a2\"[8] # \"s2\" lid 1 4xHDR\n" TO_CA(
                "1", "1", "11", "n1 mlx5_0") TO_CA("2", "1", "12", "n2 mlx5_0")
                TO_CA("3", "1", "13", "n3 mlx5_0") TO_CA("4", "1", "14", "n3 mlx5_1")
                    SW("a2", "s2") "[8] \"S-00000000000000a1\"[8] # \"s1\" lid 1 4xHDR\n" TO_CA(
                        "1", "2", "11", "n1 mlx5_0") SW("a3", "s3")
                        TO_CA("1", "2", "12",
                              "n2 mlx5_0") "[2] \"H-0000000000000015\"[1](9) # "
                                           "\"engine\" lid 2 4xHDR\n" CA("11", "n1 mlx5_0") TO_SW(
                                               "1", "1", "a1", "s1") TO_SW("2", "1", "a2", "s2")
                                               CA("12", "n2 mlx5_0") TO_SW("1", "2", "a1", "s1")
                                                   TO_SW("2", "1", "a3", "s3") CA("13", "n3 mlx5_0")
                                                       TO_SW("1", "3", "a1", "s1") CA("14",
                                                                                      "n3 mlx5_1")
                                                           TO_SW("1", "4", "a1",
                                                                 "s1") "vendid=0x2c9\ndevid="
                                                                       "0xcf09\n" CA("15", "engine")
                                                                           TO_SW("1", "2", "a3",
                                                                                 "s3")));
    assert_int_equal(r.warnings, 0);
    assert_int_equal(r.hosts, 3); /* the engine is none, by its device id */
    assert_int_equal(r.adapters, 4);
    assert_int_equal(ib_summary(db).planes, 2);
    assert_string_equal(ib_ports(db, "n1"),
                        "11:1 s1[1] 4xHDR rail 1 plane 1; 11:2 s2[1] 4xHDR rail 1 plane 1; ");
    assert_string_equal(ib_ports(db, "n2"),
                        "12:1 s1[2] 4xHDR rail 1 plane 1; 12:2 s3[1] 4xHDR rail 2 plane 2; ");
    assert_string_equal(ib_ports(db, "n3"),
                        "13:1 s1[3] 4xHDR rail 1 plane 1; 14:1 s1[4] 4xHDR rail 2 plane 1; ");
}

/* ---- Unnamed adapters --------------------------------------------------------------------- */

static void import_nic(const char *db, const char *nodes)
{
    topomap_db_report r;

    if (!ib_try_import(db, "hwloc", NIC, nodes, &r))
        fail_msg("%s", ib_err.text);
}

/* The unnamed adapter of node GUID 0x2c90300000300, in a ports report known by its ports only. */
static void hwloc_names_adapters(void **state)
{
    static const struct {
        const char *nodes, *host;
    } row[] = {
        {NULL, "node7.cluster"},   /* the node that the XML names */
        {"node7", "node7"},        /* as Slurm calls it */
        {"node[5-9]", "node7"},    /* the XML has adapters of one of them */
        {"node8", "node8"},        /* the only one that it is for */
        {"node[8-9],node1", NULL}, /* whose they are is not known */
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int hwloc_first = 0; hwloc_first < 2; hwloc_first++) {
            const char *db = ib_fresh();

            if (hwloc_first)
                import_nic(db, row[i].nodes);
            ib_import(db, "ibnetdiscover", REPORT);
            if (!hwloc_first)
                import_nic(db, row[i].nodes);
            assert_int_equal(ib_summary(db).unknown_adapters, row[i].host ? 1 : 3);
            if (row[i].host)
                assert_string_equal(ib_ports(db, row[i].host),
                                    "2c90300000301:1 leaf 'A' - 'B'[3] 4xQDR rail 1 plane 1; "
                                    "2c90300000302:2 Voltaire 4036 # 4036-8C9E[3] 4xQDR rail 2 "
                                    "plane 1; ");
        }
}

/* The site's map comes before the XML, the node's own XML before the description, and that before
 * an XML of another node of the class. */
static void which_name_wins(void **state)
{
    const char *named =
        scratch_text("named", SW("a1", "s1") "[1] \"H-0002c90300000300\"[1](9) # "
                                             "\"other mlx4_0\" lid 2 4xHDR\n"
                                             "Ca 1 \"H-0002c90300000300\" # "
                                             "\"other mlx4_0\"\n" TO_SW("1", "1", "a1", "s1"));
    const char *db = ib_fresh();

    (void)state;
    ib_import(db, "ibnetdiscover", named);
    assert_string_equal(ib_hosts(db), "other@s1 ");
    import_nic(db, "node8");
    assert_string_equal(ib_hosts(db), "node8@ other@s1 ");
    import_nic(db, "node7");
    assert_string_equal(ib_hosts(db), "node7@s1 node8@ ");
    ib_import(db, "hosts", scratch_text("map", "0x0002c90300000300 mapped\n"));
    assert_string_equal(ib_hosts(db), "mapped@s1 node7@ node8@ ");
}

/* A GUID that two nodes claim, as copies of one XML do, says nothing. */
static void claimed_twice(void **state)
{
    size_t size;
    char *text = scratch_slurp(NIC, &size), *name = strstr(text, "node7");
    const char *db = ib_fresh();

    (void)state;
    ib_import(db, "ibnetdiscover", REPORT);
    import_nic(db, NULL);
    assert_int_equal(ib_summary(db).unknown_adapters, 1);
    memcpy(name, "node9", 5);
    ib_import(db, "hwloc", scratch_text("copy.xml", text));
    assert_int_equal(ib_summary(db).unknown_adapters, 3);
    free(text);
}

/* plafrim2's second subnet has 21 unnamed adapters; its nodes' XMLs have 13 of their GUIDs (counted
 * with awk: port GUID - 1 among the NodeGUIDs). */
static void real_nodes_name_adapters(void **state)
{
    char command[1024];
    const char *db = ib_fresh();

    (void)state;
    if (access(IB, R_OK))
        skip();
    ib_import(db, "ibnetdiscover", IB "plafrim2/ib-subnet-fe80_0_0_1.txt");
    assert_int_equal(ib_summary(db).unknown_adapters, 21);
    snprintf(command, sizeof command,
             "cd '%s' && tar xJf '" IB "plafrim2/hwloc-per-node.tar.xz' --strip-components=1 &&"
             " grep -l 'f452:1403' *.xml > nics",
             scratch_path("."));
    assert_int_equal(system(command), 0);
    {
        FILE *list = fopen(scratch_path("nics"), "r");
        char name[256];

        assert_non_null(list);
        while (fscanf(list, "%255s", name) == 1)
            ib_import(db, "hwloc", scratch_path(name));
        fclose(list);
    }
    assert_int_equal(ib_summary(db).unknown_adapters, 21 - 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_dumps_in_one_file),
        cmocka_unit_test(other_writers),
        cmocka_unit_test(tools_of_one_subnet_replace_each_other),
        cmocka_unit_test(rails_and_planes),
        cmocka_unit_test(hwloc_names_adapters),
        cmocka_unit_test(which_name_wins),
        cmocka_unit_test(claimed_twice),
        cmocka_unit_test(real_nodes_name_adapters),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
