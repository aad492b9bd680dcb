/* SPDX-License-Identifier: BSD-3-Clause */
/* Routing tables, the routes over them, and made machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "topology-db/db.h"

static topomap_error err;

/* ---- Helpers ----------------------------------------------------------------------------- */

/* Two leaves of two hosts, two spines. LIDs 1 to 4 are leaf01, leaf02, spine01, spine02, 5 to 8
 * node01 to node04; a leaf's ports are 1 and 2 to hosts, 3 and 4 to spines; spine port n: leaf n.
 */
#define SMALL "fat-tree:leaves=2,hosts=2,spines=2"
#define LEAF1 "Unicast lids [0x0-0x8] of switch Lid 1 guid 0x0002c90200000001 (leaf01):\n"
#define LEAF2 "Unicast lids [0x0-0x8] of switch Lid 2 guid 0x0002c90200000002 (leaf02):\n"
#define SPINE1 "Unicast lids [0x0-0x8] of switch Lid 3 guid 0x0002c90200000003 (spine01):\n"
#define HEAD "  Lid  Out   Destination\n       Port     Info \n"
#define SPINE1_WAYS "0x0005 001 :\n0x0006 001 :\n0x0007 002 :\n0x0008 002 :\n4 lids dumped \n"

static const char *synth(const char *spec, const char *file)
{
    static char path[512];

    if (topomap_db_synth(spec, scratch_path("made"), NULL, NULL, NULL, &err))
        fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/%s", scratch_path("made"), file);
    return path;
}

static topomap_db *fresh(void)
{
    topomap_db *db;

    unlink(scratch_path("r.db"));
    assert_int_equal(topomap_db_create(scratch_path("r.db"), &db, &err), 0);
    return db;
}

static topomap_db_report import(topomap_db *db, const char *importer, const char *path)
{
    topomap_db_report report;

    if (topomap_db_import(db, importer, path, NULL, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static topomap_db *small(const char *tables, topomap_db_report *report)
{
    topomap_db *db = fresh();

    import(db, "ibnetdiscover", synth(SMALL, "fabric.ibnetdiscover"));
    *report = import(db, "lft", scratch_text("lfts", tables));
    return db;
}

/* "lft node01 leaf01 ..." or "shortest-path ...: note". */
static const char *route(topomap_db *db, const char *a, const char *b)
{
    static char text[1024];
    topomap_db_distance d;

    if (topomap_db_distance_between(db, a, b, &d, &err))
        return err.text;
    snprintf(text, sizeof text, "%s %s%s%s", d.routing, d.route, d.note ? ": " : "",
             d.note ? d.note : "");
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
    topomap_db_distance_clear(&d);
    return text;
}

/* ---- Reading ----------------------------------------------------------------------------- */

/* Port 010 is ten, not eight; LIDs are hexadecimal; what is told of destinations may hold anything;
 * LMC aliases, ports that are not there, brief rows, multicast sections, parts of a table. */
static void traps(void **state)
{
    static const char tables[] =
        "$ dump_lfts\n" LEAF1 HEAD
        "0x0005 001 : (Channel Adapter portguid 0x0002c90300000005: 'it's (illegal port) 3 lids "
        "dumped')\n"
        "0x0006 255 : (illegal port)\n"
        "0x0007 004 : (path #2 out of 4: portguid 0x0002c9030000000d)\n"
        "3 lids dumped \n"
        "Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x0002c90200000001 (leaf01):\n"
        "            0\n     Ports: 0 1 2\n MLid\n0xc000         x\n1 valid mlids dumped \n"
        "Unicast lids [0x8-0x8] of switch DR path slid 0; dlid 0; 0,1 guid 0x0002c90200000001 ( "
        "guid 0x5 ):\n" HEAD "0x0008 003\n1 valid lids dumped \n\n"
        "*** WARNING ***: this command has been replaced by dump_fts\n";
    topomap_db_report report;
    topomap_db *db = small(tables, &report);

    (void)state;
    assert_int_equal(report.switches, 1);
    assert_int_equal(report.entries, 4);
    assert_int_equal(report.warnings, 0);
    assert_false(report.partial);
    assert_string_equal(route(db, "node02", "node01"), "lft node02 leaf01 node01");
    assert_message(route(db, "node01", "node02"),
                   "shortest-path node01 leaf01 node02:|'leaf01'|LID 6");
    assert_message(route(db, "node01", "node03"),
                   "shortest-path node01 leaf01 spine01 leaf02 node03:|'spine02'|LID 7");
    topomap_db_close(db);

    db = small(LEAF1 HEAD "0x0005 010 : (path #2 - illegal port)\n0x0010 010 :\n2 lids dumped\n",
               &report);
    assert_message(route(db, "node02", "node01"),
                   "shortest-path node02 leaf01 node01:|'leaf01'|LID 5");
    topomap_db_close(db);
    db = small(LEAF1 HEAD "0x0005 010\n1 lids dumped\n", &report);
    assert_message(route(db, "node02", "node01"),
                   "shortest-path node02 leaf01 node01:|port 10|'leaf01'");
    topomap_db_close(db);
}

/* Wrong and unfinished tables end in a shortest path and the reason. */
static void reasons(void **state)
{
    static const struct {
        const char *tables, *from, *to, *answer;
    } row[] = {
        {LEAF1 "0x0007 003 :\n1 lids dumped \n" SPINE1 "0x0007 001 :\n1 lids dumped \n", "node01",
         "node03", "circle"},
        {LEAF1 "0x0006 000 :\n1 lids dumped \n", "node01", "node02", "'leaf01'|LID 6"},
        {LEAF1 "0x0006 001 :\n1 lids dumped \n", "node01", "node02", "'node01 HCA-1'|LID 6"},
        {LEAF2 "0x0006 001 :\n1 lids dumped \n", "node01", "node02", "'leaf01'|LID 6|table"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_db_report report;
        topomap_db *db = small(row[i].tables, &report);
        const char *got = route(db, row[i].from, row[i].to);

        if (strncmp(got, "shortest-path ", 14) != 0 || !message_has(got, row[i].answer))
            fail_msg("%s", got);
        topomap_db_close(db);
    }
}

static void order_and_replacing(void **state)
{
    topomap_db *db = fresh();
    topomap_db_report report;
    const char *tables = LEAF1
        "0x0007 004 :\n0x0006 002 :\n2 lids dumped \n" SPINE1 SPINE1_WAYS
        "Unicast lids [0x0-0x8] of switch Lid 4 guid 0x0002c90200000004 (spine02):\n" SPINE1_WAYS
            LEAF2 "0x0007 001 :\n1 lids dumped \n";

    (void)state;
    /* The tables first. */
    report = import(db, "lft", scratch_text("lfts", tables));
    assert_int_equal(report.switches, 4);
    assert_int_equal(report.warnings, 0);
    import(db, "ibnetdiscover", synth(SMALL, "fabric.ibnetdiscover"));
    assert_string_equal(route(db, "node01", "node03"), "lft node01 leaf01 spine02 leaf02 node03");
    /* A newer table of one switch, from another file, takes the older one's place alone. */
    import(db, "lft", scratch_text("newer", LEAF1 "0x0007 003 :\n1 lids dumped \n"));
    assert_string_equal(route(db, "node01", "node03"), "lft node01 leaf01 spine01 leaf02 node03");
    /* A switch that the fabric does not have is worth a warning. */
    report = import(db, "lft",
                    scratch_text("odd", "Unicast lids [0x0-0x8] of switch Lid 9 guid "
                                        "0x0000000000000099 (x):\n0x0001 001 :\n1 lids "
                                        "dumped\n"));
    assert_int_equal(report.warnings, 1);
    assert_non_null(strstr(report.first_warning, "0x0000000000000099"));
    topomap_db_close(db);
}

static void cut_short(void **state)
{
    topomap_db_report report;
    topomap_db *db = small(LEAF1 HEAD "0x0005 001 :\n0x0006 002 :", &report);

    (void)state;
    assert_true(report.partial);
    assert_int_equal(report.warnings, 1);
    topomap_db_close(db);
    db = small(LEAF1 HEAD "0x0005 001 :\n0x0006 002 :\n3 valid lids dumped\n", &report);
    assert_true(report.partial);
    topomap_db_close(db);
    db = small(LEAF1 HEAD "ibwarn: [12] mad_rpc: timeout\n0x0005 001 :\n1 lids dumped\n", &report);
    assert_true(report.partial);
    topomap_db_close(db);
}

/* dump_lfts leaves out a last LID that is a multiple of 64. */
static void last_lid(void **state)
{
    topomap_db_report report;
    topomap_db *db = small("Unicast lids [0x0-0x40] of switch Lid 1 guid 0x0002c90200000001 (x):\n"
                           "0x003f 001 :\n1 valid lids dumped\n",
                           &report);

    (void)state;
    assert_int_equal(report.warnings, 1);
    assert_non_null(strstr(report.first_warning, "before LID 0x40"));
    assert_false(report.partial);
    topomap_db_close(db);
    db = small("Unicast lids [0x0-0x41] of switch Lid 1 guid 0x0002c90200000001 (x):\n"
               "0x003f 001 :\n1 valid lids dumped\n",
               &report);
    assert_int_equal(report.warnings, 0);
    topomap_db_close(db);
}

static void refused(void **state)
{
    static const struct {
        const char *text, *why;
    } row[] = {
        {"", "'Unicast lids"},
        {"hello\n", "'Unicast lids"},
        {"0x0001 001 :\n", "lfts:1:"},
        {LEAF1 "0x0001\n", "lfts:2: expected a LID"},
        {LEAF1 "0xc001 001\n", "lfts:2:|LID"},
        {LEAF1 "0x0001 256\n", "lfts:2:|LID"},
        {LEAF1 "0x0001 00x\n", "lfts:2:|LID"},
        {LEAF1 "0x1ffffffffffffffff 001\n", "lfts:2: expected"},
        {"Unicast lids [0x0-0x8] of switch Lid 1 (leaf01):\n", "lfts:1:|'Unicast"},
        {LEAF1 HEAD "what is this\n", "lfts:4:"},
        {"# Topology file: generated on ...\n", "ibnetdiscover"},
    };
    topomap_db *db = fresh();

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (topomap_db_import(db, "lft", scratch_text("lfts", row[i].text), NULL, NULL, &err) == 0)
            fail_msg("taken: %s", row[i].text);
        if (err.code != TOPOMAP_EINPUT || !message_has(err.text, row[i].why))
            fail_msg("%s, not %s", err.text, row[i].why);
    }
    assert_int_not_equal(access(scratch_path("r.db"), F_OK), 0);
    topomap_db_close(db);
}

/* ---- Machines ---------------------------------------------------------------------------- */

/* Turns every `from` in a text into `to`, of the same length. */
static void turn(char *text, const char *from, const char *to)
{
    while ((text = strstr(text, from)))
        memcpy(text, to, strlen(to));
}

static void check_machine(topomap_db *db, const char *nodes, int *uneven)
{
    topomap_names names;
    uint32_t tasks[64];
    topomap_machine *m;
    topomap_db_router *router;

    assert_int_equal(topomap_hostlist_expand(nodes, 0, &names, &err), 0);
    for (size_t i = 0; i < names.count; i++)
        tasks[i] = 1;
    assert_int_equal(
        topomap_db_machine(db,
                           &(topomap_db_allocation){.size = sizeof(topomap_db_allocation),
                                                    .nodes = &names,
                                                    .tasks = tasks,
                                                    .cpus_per_task = 1,
                                                    .bind = TOPOMAP_BIND_CORE},
                           &m, NULL, &err),
        0);
    assert_int_equal(topomap_db_router_open(db, &router, &err), 0);
    for (uint32_t i = 0; i < names.count; i++)
        for (uint32_t j = 0; j < names.count; j++) {
            topomap_db_distance to, back;

            if (i == j)
                continue;
            assert_int_equal(
                topomap_db_router_route(router, names.name[i], names.name[j], NULL, &to, &err), 0);
            assert_int_equal(
                topomap_db_router_route(router, names.name[j], names.name[i], NULL, &back, &err),
                0);
            assert_string_equal(to.routing, "lft");
            assert_int_equal(topomap_machine_hops(m, i, j), (to.hops + back.hops + 1) / 2);
            /* Whole thousandths of a hop, in single precision. */
            assert_true(fabs(topomap_machine_distance(m, i, j) - (to.cost + back.cost) / 2) <
                        0.011);
            *uneven += to.hops != back.hops;
            topomap_db_distance_clear(&to);
            topomap_db_distance_clear(&back);
        }
    topomap_db_router_close(router);
    topomap_machine_free(m);
    topomap_names_clear(&names);
}

/* A ring whose tables lead one way round only: a neighbour is 3 links away, and 7 the other way. */
static void one_way_ring(void **state)
{
    topomap_db *db = fresh();
    topomap_db_distance d;
    size_t size;
    char *tables;
    int uneven = 0;

    (void)state;
    tables = scratch_slurp(synth("torus:6,hosts=2", "fabric.lfts"), &size);
    assert_non_null(tables);
    turn(tables, " 004 : ", " 003 : ");
    import(db, "lft", scratch_write("ring.lfts", tables, size));
    free(tables);
    import(db, "ibnetdiscover", synth("torus:6,hosts=2", "fabric.ibnetdiscover"));
    assert_int_equal(topomap_db_distance_between(db, "node01", "node03", &d, &err), 0);
    assert_int_equal(d.hops, 3);
    assert_int_equal(d.steps, 2);
    assert_int_equal(d.step[0].in, 1);
    assert_int_equal(d.step[0].out, 3);
    assert_int_equal(d.step[1].in, 4);
    assert_int_equal(d.step[1].out, 1);
    topomap_db_distance_clear(&d);
    assert_int_equal(topomap_db_distance_between(db, "node03", "node01", &d, &err), 0);
    assert_int_equal(d.hops, 7);
    topomap_db_distance_clear(&d);
    check_machine(db, "node[01-12]", &uneven);
    assert_true(uneven > 0);
    topomap_db_close(db);
}

/* Where all routes are shortest, and where some are dearer than the cheapest of the shortest. */
static void machines(void **state)
{
    static const char *const specs[] = {
        "torus:4x3,hosts=2",
        "fat-tree:k=4,levels=3",
        "fat-tree:leaves=4,hosts=6,spines=2,rails=2,host=FDR",
        "fat-tree:k=4,levels=3,spine=HDR,fault=degraded:8,missing:2,seed=4",
        "dragonfly:a=3,p=2,h=1,global=2xEDR",
    };

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        topomap_db *db = fresh();
        int uneven = 0;

        import(db, "ibnetdiscover", synth(specs[i], "fabric.ibnetdiscover"));
        import(db, "lft", synth(specs[i], "fabric.lfts"));
        check_machine(db, "node[01-12]", &uneven);
        topomap_db_close(db);
    }
}

static void rails(void **state)
{
    topomap_db *db = fresh();
    topomap_db_router *router;
    topomap_db_route_options rail = {.rail = 2}, none = {.rail = 3}, path = {.path = 1};
    topomap_db_distance d;

    (void)state;
    import(db, "ibnetdiscover",
           synth("fat-tree:leaves=4,hosts=2,spines=2,rails=2", "fabric.ibnetdiscover"));
    import(db, "lft", synth("fat-tree:leaves=4,hosts=2,spines=2,rails=2", "fabric.lfts"));
    assert_string_equal(route(db, "node01", "node02"), "lft node01 leaf01 node02");
    assert_int_equal(topomap_db_router_open(db, &router, &err), 0);
    assert_int_equal(topomap_db_router_route(router, "node01", "node02", &rail, &d, &err), 0);
    assert_string_equal(d.route, "node01\nleaf02\nnode02");
    topomap_db_distance_clear(&d);
    assert_int_equal(topomap_db_router_route(router, "node01", "node02", &none, &d, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_int_equal(topomap_db_router_route(router, "node01", "node02", &path, &d, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    topomap_db_router_close(router);
    topomap_db_close(db);
}

/* ---- Made machines ----------------------------------------------------------------------- */

static void specifications(void **state)
{
    static const char *const bad[] = {
        "",
        "ring:4",
        "fat-tree:k=7,levels=3",
        "fat-tree:k=16,levels=9",
        "fat-tree:k=300",
        "fat-tree:k=16,colour=red",
        "fat-tree:k=16,k=8",
        "fat-tree:k=16,",
        "fat-tree:8x8",
        "fat-tree:m=4x4,w=2x2",
        "fat-tree:m=4x4,w=1",
        "fat-tree:k=64,levels=4",
        "fat-tree:leaves=3,hosts=2,spines=1,rails=2",
        "torus:",
        "torus:0x4",
        "torus:4x",
        "torus:99999x99999x99999",
        "torus:2x2x2x2x2x2x2",
        "torus:8x8,hosts=300",
        "dragonfly:a=4,h=2,groups=10",
        "torus:4x4,speed=XXX",
        "torus:4x4,host=3xEDR",
        "torus:4x4,names=node",
        "torus:4x4,names=no de%d",
        "torus:4x4,names=%s%d",
        "torus:4x4,fault=broken:3",
        "torus:4x4,fault=missing:101%",
        "torus:4x4,missing:3",
        "torus:4x4,lft=maybe",
        "torus:4x4x25,cray=gemini",
        "torus:4x4x4,cray=blue",
        "fat-tree:k=4,cray=aries",
        "torus:4x4x4,cray=gemini,fault=unnamed:3",
        "torus:64x64x8",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (topomap_db_synth(bad[i], scratch_path("none"), NULL, NULL, NULL, &err) == 0)
            fail_msg("taken: %s", bad[i]);
        if (err.code != TOPOMAP_EUSAGE)
            fail_msg("%s: %s", bad[i], err.text);
    }
    assert_int_not_equal(access(scratch_path("none"), F_OK), 0);
}

/* Counts by the shapes' own arithmetic. */
static void counts(void **state)
{
    static const struct {
        const char *spec;
        uint64_t hosts, switches, links;
    } row[] = {
        {"fat-tree:k=8,levels=3", 128, 80, 384},
        {"fat-tree:k=8,levels=1", 8, 1, 8},
        {"fat-tree:k=8,levels=3,taper=2", 128, 32 + 16 + 8, 128 + 64 + 64},
        {"fat-tree:leaves=8,hosts=16,spines=4,links=4", 128, 12, 256},
        {"fat-tree:m=4x4x3,w=1x2x2,p=1x2x1", 48, 22, 48 + 48 + 12},
        {"torus:4x4x4,hosts=2", 128, 64, 128 + 192},
        {"torus:2x4,links=2", 8, 8, 8 + 2 * (4 + 8)},
        {"mesh:4x4", 16, 16, 16 + 24},
        {"dragonfly:a=4,p=2,h=2", 72, 36, 72 + 54 + 36},
        {"dragonfly:a=4,p=2,h=2,groups=3", 24, 12, 24 + 18 + 4 * 3},
        {"torus:4x4,rails=2", 16, 16, 32 + 32},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_db_synth_report made;
        topomap_db_report read;
        topomap_db *db = fresh();

        assert_int_equal(
            topomap_db_synth(row[i].spec, scratch_path("made"), NULL, NULL, &made, &err), 0);
        assert_int_equal(made.hosts, row[i].hosts);
        assert_int_equal(made.switches, row[i].switches);
        assert_int_equal(made.links, row[i].links);
        read = import(db, "ibnetdiscover", synth(row[i].spec, "fabric.ibnetdiscover"));
        assert_int_equal(read.hosts, row[i].hosts);
        assert_int_equal(read.switches, row[i].switches);
        assert_int_equal(read.links, row[i].links);
        assert_int_equal(read.warnings, 0);
        read = import(db, "lft", synth(row[i].spec, "fabric.lfts"));
        assert_int_equal(read.entries, made.switches * (made.switches + made.adapters));
        assert_int_equal(read.warnings, 0);
        topomap_db_close(db);
    }
}

static void count_fault(const char *text, void *data)
{
    static const char *const kinds[] = {"missing ", "degraded ", "one-way ", "unnamed "};

    for (int i = 0; i < 4; i++)
        ((int *)data)[i] += strncmp(text, kinds[i], strlen(kinds[i])) == 0;
}

static void faults(void **state)
{
    static const char spec[] =
        "fat-tree:k=8,levels=3,fault=degraded:5,missing:3,unnamed:10%,seed=9";
    int made[4] = {0};
    char *once, *again;
    size_t size, same;
    topomap_db *db = fresh();
    topomap_db_report report;
    topomap_db_synth_report synthesised;

    (void)state;
    assert_int_equal(
        topomap_db_synth(spec, scratch_path("made"), count_fault, made, &synthesised, &err), 0);
    assert_int_equal(made[0], 3);
    assert_int_equal(made[1], 5);
    assert_int_equal(made[2], 0);
    assert_int_equal(made[3], 13); /* 10% of 128 */
    assert_int_equal(synthesised.faults, 21);
    assert_int_equal(synthesised.links, 381);
    once = scratch_slurp(synth(spec, "fabric.ibnetdiscover"), &size);
    again = scratch_slurp(synth(spec, "fabric.ibnetdiscover"), &same);
    assert_int_equal(size, same);
    assert_memory_equal(once, again, size);
    free(once);
    free(again);
    report = import(db, "ibnetdiscover", synth(spec, "fabric.ibnetdiscover"));
    assert_int_equal(report.links, 381);
    assert_true(report.unknown_adapters <= 13 && report.unknown_adapters >= 10);
    topomap_db_close(db);
}

/* The Cray dumps import, and every coordinate is there with as many nodes as its router has. */
static void crays(void **state)
{
    static const struct {
        const char *spec, *kind;
        uint64_t nodes;
    } row[] = {
        {"torus:5x6x24,cray=gemini", "torus", 5 * 6 * 24 * 2},
        {"torus:4x8x12,cray=seastar,fault=missing:7", "torus", 4 * 8 * 12},
        {"dragonfly:groups=4,cray=aries", "dragonfly", 4 * 6 * 16 * 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_db *db = fresh();
        topomap_db_summary summary;

        import(db, "xtprocadmin", synth(row[i].spec, "machine.xtprocadmin"));
        import(db, "xtdb2proc", synth(row[i].spec, "machine.xtdb2proc"));
        assert_int_equal(topomap_db_summarise(db, &summary, &err), 0);
        assert_int_equal(summary.hosts, row[i].nodes);
        assert_string_equal(summary.topology, row[i].kind);
        topomap_db_close(db);
    }
}

static int teardown(void **state)
{
    static const char *const files[] = {"faults.txt", "fabric.ibnetdiscover", "fabric.lfts",
                                        "machine.xtprocadmin", "machine.xtdb2proc"};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[600];

        snprintf(path, sizeof path, "%s/%s", scratch_path("made"), files[i]);
        unlink(path);
    }
    rmdir(scratch_path("made"));
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traps),
        cmocka_unit_test(reasons),
        cmocka_unit_test(order_and_replacing),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(refused),
        cmocka_unit_test(last_lid),
        cmocka_unit_test(one_way_ring),
        cmocka_unit_test(machines),
        cmocka_unit_test(rails),
        cmocka_unit_test(specifications),
        cmocka_unit_test(counts),
        cmocka_unit_test(faults),
        cmocka_unit_test(crays),
    };

    return cmocka_run_group_tests(tests, scratch_setup, teardown);
}
