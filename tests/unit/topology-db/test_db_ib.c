/* SPDX-License-Identifier: BSD-3-Clause */
/* InfiniBand dumps: every real file, and each kind of file by hand. */
#include "config.h" /* nftw */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tests/unit/topology-db/ib_database.h"

#define REPORT TEST_DATA "/db/report.ports"
#define LIST TEST_DATA "/db/subnet.lst"
#define RACK TEST_DATA "/db/rack.net_dump"
#define IB SHARED_DATA "/ib/"

/* ---- Every real file ---------------------------------------------------------------------- */

/* Counted with grep, sed and awk on the files: hosts are first words of adapters' descriptions
 * whose second word is an adapter's name; links are port lines over two, in a ports report distinct
 * pairs of GUID and port. part: of the message where the file is refused. */
static const struct real {
    const char *path, *importer, *part;
    uint64_t hosts, switches, links, adapters, unknown;
    int partial;
} reals[] = {
    {"docker-opensm-full.ibnetdiscover", "ibnetdiscover", NULL, 3, 2, 10, 4, 1, 0},
    {"fattree-k4n3-synthetic.topo", "ibnetdiscover", NULL, 128, 80, 384, 128, 0, 0},
    {"ibtopotool-1.topo", "ibnetdiscover", NULL, 0, 2, 7, 4, 4, 0},
    {"ibtopotool-2.topo", "ibnetdiscover", NULL, 2, 1, 2, 2, 0, 0},
    {"ibtopotool-4.topo", "ibnetdiscover", NULL, 1, 1, 1, 1, 0, 0},
    {"topograph-dgx-ndr.ibnetdiscover", "ibnetdiscover", NULL, 122, 40, 1114, 542, 69, 0},
    {"generated/dfly-dfsssp.ibnetdiscover", "ibnetdiscover", NULL, 72, 36, 162, 72, 0, 0},
    {"generated/ft2-edr-fdr.ibnetdiscover", "ibnetdiscover", NULL, 128, 12, 256, 128, 0, 0},
    {"generated/ft2.ibnetdiscover", "ibnetdiscover", NULL, 128, 12, 256, 128, 0, 0},
    {"generated/ft2.full", "ibnetdiscover", NULL, 128, 12, 256, 128, 0, 0},
    {"generated/ft2.grouping", "ibnetdiscover", NULL, 128, 12, 256, 128, 0, 0},
    {"generated/ft2.ports", "ibnetdiscover", NULL, 128, 12, 256, 128, 0, 0},
    {"generated/ft2.opensm-subnet.lst.xz", "opensm-lst", NULL, 128, 12, 256, 128, 0, 0},
    {"generated/ft3-1024.ibnetdiscover.xz", "ibnetdiscover", NULL, 1024, 320, 3072, 1024, 0, 0},
    {"generated/rail.ibnetdiscover", "ibnetdiscover", NULL, 16, 3, 40, 28, 0, 0},
    {"generated/rail.ports", "ibnetdiscover", NULL, 16, 3, 40, 28, 0, 0},
    {"generated/torus.ibnetdiscover", "ibnetdiscover", NULL, 128, 64, 320, 128, 0, 0},
    /* An excerpt: one of its four switches has no line of its own. */
    {"infiniband_exporter-test.ports", "ibnetdiscover", NULL, 3, 4, 4, 3, 0, 1},
    {"infiniband_exporter-test3.ports", "ibnetdiscover", NULL, 0, 1, 0, 0, 0, 0},
    {"plafrim/ib-subnet-fe80_0_0_0.txt", "ibnetdiscover", NULL, 125, 9, 201, 125, 0, 0},
    {"plafrim2/ib-subnet-fe80_0_0_0.txt", "ibnetdiscover", NULL, 96, 7, 155, 96, 0, 0},
    {"plafrim2/ib-subnet-fe80_0_0_1.txt", "ibnetdiscover", NULL, 2, 1, 23, 23, 21, 0},
    {"generated/dfly-dfsssp.lfts.xz", "ibnetdiscover", "routing tables", 0, 0, 0, 0, 0, 0},
    {"generated/ft2.lfts.xz", "ibnetdiscover", "routing tables", 0, 0, 0, 0, 0, 0},
    {"generated/ft3-1024.lfts.xz", "ibnetdiscover", "routing tables", 0, 0, 0, 0, 0, 0},
    {"generated/rail.lfts.xz", "ibnetdiscover", "routing tables", 0, 0, 0, 0, 0, 0},
    {"generated/torus.lfts.xz", "ibnetdiscover", "routing tables", 0, 0, 0, 0, 0, 0},
    {"generated/dfly.net.xz", "ibnetdiscover", "ibsim", 0, 0, 0, 0, 0, 0},
    {"generated/ft2.net.xz", "ibnetdiscover", "ibsim", 0, 0, 0, 0, 0, 0},
    {"generated/ft3.net.xz", "ibnetdiscover", "ibsim", 0, 0, 0, 0, 0, 0},
    {"generated/rail.net.xz", "ibnetdiscover", "ibsim", 0, 0, 0, 0, 0, 0},
    {"generated/torus.net.xz", "ibnetdiscover", "ibsim", 0, 0, 0, 0, 0, 0},
    {"generated/torus-2QoS.conf", "ibnetdiscover", "torus-2QoS", 0, 0, 0, 0, 0, 0},
    {"ibsim-example-net", "ibnetdiscover", "ibsim,", 0, 0, 0, 0, 0, 0},
    {"ibsim-example-net.1", "ibnetdiscover", "ibsim,", 0, 0, 0, 0, 0, 0},
    {"ibsim-example-net.2sw2path", "ibnetdiscover", "ibsim,", 0, 0, 0, 0, 0, 0},
    {"ibsim-example-net.2sw2path4hca", "ibnetdiscover", "ibsim,", 0, 0, 0, 0, 0, 0},
    {"ibsim-example-net.2sw2path4hca2port", "ibnetdiscover", "ibsim,", 0, 0, 0, 0, 0, 0},
    {"plafrim/hwloc-per-node.tar.xz", "ibnetdiscover", "tar", 0, 0, 0, 0, 0, 0},
    {"plafrim/ibroutes.tar.xz", "ibnetdiscover", "tar", 0, 0, 0, 0, 0, 0},
    {"plafrim2/hwloc-per-node.tar.xz", "ibnetdiscover", "tar", 0, 0, 0, 0, 0, 0},
    {"plafrim2/ibroutes.tar.xz", "ibnetdiscover", "tar", 0, 0, 0, 0, 0, 0},
    {"topograph-netq-computeNodes.json", "ibnetdiscover", "JSON", 0, 0, 0, 0, 0, 0},
    {"topograph-netq-topologyGraph.json", "ibnetdiscover", "JSON", 0, 0, 0, 0, 0, 0},
};

enum { REALS = sizeof reals / sizeof *reals };

static void check_real(const struct real *real)
{
    char path[512];
    topomap_db_report r;

    snprintf(path, sizeof path, IB "%s", real->path);
    if (real->part) {
        ib_refused(real->importer, path, real->part);
        ib_refused("ibdiagnet", path, real->part);
        return;
    }
    r = ib_import(ib_fresh(), real->importer, path);
    if (r.hosts != real->hosts || r.switches != real->switches || r.links != real->links ||
        r.adapters != real->adapters || r.unknown_adapters != real->unknown ||
        r.partial != real->partial)
        fail_msg("%s: %d hosts, %d switches, %d links, %d adapters, %d unknown, partial %d",
                 real->path, (int)r.hosts, (int)r.switches, (int)r.links, (int)r.adapters,
                 (int)r.unknown_adapters, r.partial);
}

static size_t walked;

static int take_file(const char *path, const struct stat *about, int type, struct FTW *ftw)
{
    (void)about, (void)ftw;
    if (type != FTW_F)
        return 0;
    for (size_t i = 0; i < REALS; i++)
        if (strcmp(path + strlen(IB), reals[i].path) == 0) {
            check_real(&reals[i]);
            walked++;
            return 0;
        }
    fail_msg("%s: no expectation for this file", path);
    return -1;
}

static void every_real_file(void **state)
{
    (void)state;
    if (access(IB, R_OK))
        skip();
    walked = 0;
    assert_int_equal(nftw(IB, take_file, 8, FTW_PHYS), 0);
    assert_int_equal(walked, REALS);
}

/* The ports report and the normal dump of one fabric, and opensm's list, say the same. */
static void tools_agree(void **state)
{
    char first[65536];
    const char *db = ib_fresh();
    topomap_db_summary s;

    (void)state;
    if (access(IB, R_OK))
        skip();
    ib_import(db, "ibnetdiscover", IB "generated/ft2.ibnetdiscover");
    strcpy(first, ib_hosts(db));
    ib_import(db, "ibnetdiscover", IB "generated/ft2.ports");
    assert_string_equal(ib_hosts(db), first);
    ib_import(db, "opensm-lst", IB "generated/ft2.opensm-subnet.lst.xz");
    assert_string_equal(ib_hosts(db), first);
    s = ib_summary(db);
    assert_int_equal(s.subnets, 1);
    assert_int_equal(s.links, 256);
    assert_int_equal(s.hosts, 128);
}

/* Two subnets of one machine, with the same lids. */
static void two_subnets_of_one_machine(void **state)
{
    const char *db = ib_fresh();
    topomap_db_summary s;

    (void)state;
    if (access(IB, R_OK))
        skip();
    ib_import(db, "ibnetdiscover", IB "plafrim2/ib-subnet-fe80_0_0_0.txt");
    ib_import(db, "ibnetdiscover", IB "plafrim2/ib-subnet-fe80_0_0_1.txt");
    s = ib_summary(db);
    assert_int_equal(s.subnets, 2);
    assert_int_equal(s.planes, 2);
    assert_int_equal(s.links, 155 + 23);
    assert_int_equal(s.hosts, 97); /* sirocco06 is in both */
    assert_int_equal(s.unknown_adapters, 21);
}

/* ---- Each kind by hand -------------------------------------------------------------------- */

static void reads_a_ports_report(void **state)
{
    const char *db = ib_fresh();
    topomap_db_report r = ib_import(db, "ibnetdiscover", REPORT);

    (void)state;
    assert_int_equal(r.hosts, 2);
    assert_int_equal(r.switches, 2);
    assert_int_equal(r.links, 10);
    assert_int_equal(r.adapters, 7);
    assert_int_equal(r.unknown_adapters, 3);
    assert_int_equal(r.partial, 0);
    assert_int_equal(r.warnings, 0);
    /* Ports of one description are one adapter, and one rail on one plane. */
    assert_string_equal(ib_ports(db, "node1"),
                        "2c90300000201:1 leaf 'A' - 'B'[2] 4xFDR10 rail 1 plane 1; "
                        "2c90300000201:2 Voltaire 4036 # 4036-8C9E[2] 4xFDR10 rail 1 plane 1; ");
    /* Two ports of number 1 are of two adapters; a port that is down has no width or speed. */
    assert_string_equal(ib_ports(db, "node2"),
                        "2c90300000401:1 leaf 'A' - 'B'[4] 4xQDR rail 1 plane 1; "
                        "2c90300000402:2 down; "
                        "2c90300000501:1 Voltaire 4036 # 4036-8C9E[4] 4x rail 2 plane 1; ");
    /* The progress line gives one node GUID; ports of a generic name are else apart. */
    assert_string_equal(ib_ports(db, NULL),
                        "2c90300000100:1 leaf 'A' - 'B'[1] 4xQDR rail 1 plane 1; "
                        "2c90300000100:2 Voltaire 4036 # 4036-8C9E[1] 4xQDR rail 1 plane 1; "
                        "2c90300000301:1 leaf 'A' - 'B'[3] 4xQDR rail 2 plane 1; "
                        "2c90300000302:2 Voltaire 4036 # 4036-8C9E[3] 4xQDR rail 3 plane 1; ");
}

static void reads_a_subnet_list(void **state)
{
    const char *db = ib_fresh(), *importers[] = {"opensm-lst", "ibdiagnet"};
    char once[8192] = "", *line, *keep, *text;
    size_t size, i = 0;

    (void)state;
    for (int k = 0; k < 2; k++) {
        topomap_db_report r = ib_import(db = ib_fresh(), importers[k], LIST);

        assert_int_equal(r.hosts, 2);
        assert_int_equal(r.switches, 2);
        assert_int_equal(r.links, 6); /* and one that is down */
        assert_int_equal(r.adapters, 3);
        assert_int_equal(r.unknown_adapters, 1);
        assert_int_equal(r.warnings, 0);
        assert_int_equal(ib_summary(db).links, 6);
        assert_string_equal(ib_ports(db, "node2"), "2000:1 leaf {a} 1[18] 2xHDR rail 1 plane 1; "
                                                   "2000:2 leaf2[17] 4xFDR rail 1 plane 1; ");
    }
    /* Old ibdiagnet lists each link once. */
    text = scratch_slurp(LIST, &size);
    for (line = strtok_r(text, "\n", &keep); line; line = strtok_r(NULL, "\n", &keep), i++)
        if (i % 2 == 0)
            sprintf(once + strlen(once), "%s\n", line);
    free(text);
    assert_int_equal(ib_import(db = ib_fresh(), "opensm-lst", scratch_text("once", once)).warnings,
                     0);
    assert_int_equal(ib_summary(db).links, 6);
    assert_int_equal(ib_summary(db).partial, 0);
}

static void reads_a_net_dump(void **state)
{
    const char *db = ib_fresh();
    topomap_db_report r = ib_import(db, "ibdiagnet", RACK);

    (void)state;
    assert_int_equal(r.hosts, 2);
    assert_int_equal(r.switches, 2);
    assert_int_equal(r.links, 6);
    assert_int_equal(r.adapters, 2);
    assert_int_equal(r.warnings, 0);
    assert_int_equal(r.partial, 0);
    assert_string_equal(ib_ports(db, "node1"),
                        "c42a10300000100:1 MF0;rack1:MQM8700/U1[1] 4xHDR rail 1 plane 1; ");
    assert_string_equal(ib_ports(db, "node2"),
                        "c42a10300000201:1 MF0;rack1:MQM8700/U1[2] 4xEDR rail 1 plane 1; "
                        "c42a10300000201:2 MF0;rack2: second:MQM8700/U1[1] 4xEDR rail 1 plane 1; ");
}

/* Cut anywhere: refused, partial, or only the last newline is gone. */
static void notices_cuts(void **state)
{
    static const char *const files[][2] = {{"ibnetdiscover", REPORT}, {"opensm-lst", LIST}};

    (void)state;
    for (size_t f = 0; f < 2; f++) {
        size_t size;
        char *text = scratch_slurp(files[f][1], &size);

        for (size_t cut = 0; cut + 1 < size; cut++) {
            /* A list of fewer links is a list too. */
            int between = f && (!cut || text[cut] == '\n' || text[cut - 1] == '\n');
            topomap_db_report r;

            if (ib_try_import(ib_fresh(), files[f][0], scratch_write("cut", text, cut), NULL, &r) &&
                !r.partial && !r.warnings && !between)
                fail_msg("%s cut at byte %zu of %zu: accepted as whole", files[f][1], cut, size);
        }
        free(text);
    }
}

/* Copies with what terminals and editors do to text, and the tool's own messages. */
static void reads_worn_reports(void **state)
{
    size_t size;
    char *text = scratch_slurp(REPORT, &size), *worn = calloc(size, 3), *out = worn;
    const char *db = ib_fresh();
    topomap_db_report r;

    (void)state;
    out += sprintf(out, "\xef\xbb\xbf[root@a ~]# ibnetdiscover -s -p\r\n");
    for (char *at = text; *at; at++)
        if (*at == '\n')
            out += sprintf(out, "\r\n\r\n");
        else
            *out++ = *at;
    out += sprintf(out, "[root@a ~]# \r\n");
    ib_import(db, "ibnetdiscover", scratch_text("worn", worn));
    assert_int_equal(ib_summary(db).links, 10);
    assert_int_equal(ib_summary(db).partial, 0);
    sprintf(out, "ibwarn: [4711] _do_madrpc: recv failed: Connection timed out\n"
                 "SW     1  5 0x000b8cffff000010 4x SDR ( )\n");
    r = ib_import(db, "ibnetdiscover", scratch_text("worn", worn));
    assert_int_equal(r.partial, 1);
    assert_int_equal(r.warnings, 2);
    assert_non_null(strstr(r.first_warning, "_do_madrpc"));
    free(text);
    free(worn);
}

#define SIDE "CA     2  1 0x0000000000000011 4x EDR"
#define OTHER " - SW     1  3 0x00000000000000aa"

static void refuses_bad_lines(void **state)
{
    static const struct {
        const char *importer, *text, *part;
    } bad[] = {
        {"ibnetdiscover", "CA     2  1 0x11\n", ":1:|cut"},
        {"ibnetdiscover", "ibwarn: [1] mad_rpc: timeout\nChassis 1\n", "Switch"},
        {"ibnetdiscover", "CA     2 300 0x11 4x EDR 'n'\n", ":1:|port"},
        {"ibnetdiscover", "CA 99999  1 0x11 4x EDR 'n'\n", ":1:|lid"},
        {"ibnetdiscover", "CA     2  1 0xzz 4x EDR 'n'\n", ":1:|GUID"},
        {"ibnetdiscover", SIDE " 'n1\n", ":1:|description"},
        {"ibnetdiscover", SIDE OTHER " ( 'n1' 'leaf1' )\n", ":1: expected ( 'desc"},
        {"ibnetdiscover", SIDE OTHER " ( 'n1 HCA-1' - 'leaf1'\n", ":1: expected ( 'desc"},
        {"ibnetdiscover", "CA 2 1 0x11 4x ED" OTHER " ( 'n1' - 'l' )\n", ":1:|speed"},
        {"ibnetdiscover", "CA 2 1 0x11 4y EDR" OTHER " ( 'n1' - 'l' )\n", ":1:|width"},
        {"ibnetdiscover", "< " SIDE "\n", "difference"},
        {"ibnetdiscover", SIDE " 'n1 HCA-1'\nvendid=0x1\n", ":2:|report"},
        {"ibnetdiscover", "{ CA Ports:01 NodeGUID:0011 }\n", "opensm-lst"},
        {"ibnetdiscover", "\"sw\", Mellanox, 0x11, LID 1\n", "ibdiagnet"},
        {"ibnetdiscover", "START_NODES\n", "db_csv"},
        {"ibnetdiscover", "CA: node1 HCA-1:\n", "iblinkinfo"},
        {"ibnetdiscover", "Switch 0x0002c90300aa0001 leaf1:\n", "iblinkinfo"},
        {"ibnetdiscover", "CA 'mlx5_0'\n\tCA type: MT4119\n", "ibstat"},
        {"ibnetdiscover", "<?xml version=\"1.0\"?>\n", "XML"},
        {"ibdiagnet", SIDE OTHER " ( 'n1 HCA-1' - 'leaf1' )\n", "ibnetdiscover"},
        {"opensm-lst", "Switch 4 \"S-00000000000000aa\" # \"x\"\n", "ibnetdiscover"},
        {"opensm-lst", "", "Switch"},
        {"opensm-lst", "{ CA Ports:01 NodeGUID:11 {a} LID:0001 PN:01 }\n", ":1: expected { and"},
        {"opensm-lst", "{ CA Ports:zz NodeGUID:11 {a} LID:0001 PN:01 }\n", ":1: expected KEY"},
        {"opensm-lst", "{ CA Ports:01 {a} LID:0001 PN:01 }\n", ":1: expected NodeGUID"},
        {"ibdiagnet", "\"sw\", Mellanox, 0x11, LID 1\n1 : 1 : ACT : LINK UP\n", ":2: the row"},
        {"ibdiagnet",
         "\"sw\", M, 0x11, LID 1\n1 : x : ACT : LINK UP : 5 : 4x : 25 : F : R : 0x12 : 1 : 1 : "
         "\"a\"\n",
         ":2:|port"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ib_refused(bad[i].importer, scratch_text("bad", bad[i].text), bad[i].part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_real_file),
        cmocka_unit_test(tools_agree),
        cmocka_unit_test(two_subnets_of_one_machine),
        cmocka_unit_test(reads_a_ports_report),
        cmocka_unit_test(reads_a_subnet_list),
        cmocka_unit_test(reads_a_net_dump),
        cmocka_unit_test(notices_cuts),
        cmocka_unit_test(reads_worn_reports),
        cmocka_unit_test(refuses_bad_lines),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
