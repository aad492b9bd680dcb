/* SPDX-License-Identifier: BSD-3-Clause */
/* Importers and the store: what good files give, and that bad ones change nothing. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "tests/unit/topology-db/imports.h"
#include "topology-db/db.h"
#include "util/input.h"

#define TREE TEST_DATA "/db/tree.ibnetdiscover"
#define HEAD "vendid=0x2c9\ndevid=0x1\n"
#define SWITCH(guid) HEAD "Switch 4 \"S-" guid "\" # \"sw " guid "\" base port 0 lid 1 lmc 0\n"
#define CA(guid, name) HEAD "Ca 1 \"H-" guid "\" # \"" name "\"\n"
#define A "00000000000000aa"
#define B "00000000000000bb"
#define H "0000000000000011"

/* ---- ibnetdiscover ----------------------------------------------------------------------- */

static void reads_the_tree(void **state)
{
    const char *db = db_fresh();
    topomap_db_report r = db_import(db, "ibnetdiscover", TREE);
    topomap_db_summary s = db_summary(db);

    (void)state;
    assert_int_equal(r.hosts, 5);
    assert_int_equal(r.switches, 5);
    assert_int_equal(r.links, 20);
    assert_int_equal(r.adapters, 7); /* the aggregation engine is none */
    assert_int_equal(r.unknown_adapters, 1);
    assert_int_equal(r.warnings, 0);
    assert_int_equal(s.hosts, 5);
    assert_int_equal(s.subnets, 1);
    assert_int_equal(s.partial, 0);
    assert_string_equal(s.topology, "fat-tree");
    assert_string_equal(db_hosts(db), "node1@leaf1(up) node2@leaf1(up) Node3.cluster@leaf2(up) "
                                      "node5@leaf1,leaf3(up) node10@leaf2(up) ");
}

/* The same with blanks for tabs, CRLF, no empty lines, a prompt, progress and packed. */
static void reads_worn_copies(void **state)
{
    size_t size;
    char *text = scratch_slurp(TREE, &size), *worn = calloc(size, 4);
    const char *db;
    char *out = worn + sprintf(worn, "[root@a ~]# ibnetdiscover -s\n"
                                     "DR path slid 0; dlid 0; 0,1 -> new Switch {0002c90300bb0001} "
                                     "portnum 0 lid 4-4\"\"\n");

    (void)state;
    for (char *at = text; *at; at++)
        if (at[0] == '\n' && at > text && at[-1] == '\n')
            continue;
        else if (*at == '\t')
            out += sprintf(out, "   ");
        else if (*at == '\n')
            out += sprintf(out, "\r\n");
        else
            *out++ = *at;
    db = db_fresh();
    db_import(db, "ibnetdiscover", scratch_text("worn", worn));
    assert_int_equal(db_summary(db).links, 20);
    assert_int_equal(db_summary(db).partial, 0);
    assert_string_equal(db_summary(db).topology, "fat-tree");
    db = db_fresh();
    db_import(db, "ibnetdiscover", scratch_xz("tree.xz", text, size));
    assert_int_equal(db_summary(db).links, 20);
    free(text);
    free(worn);
}

/* Cut anywhere, a file is refused, or known to be partial, or only its last newline is gone. */
static void notices_every_cut(void **state)
{
    size_t size;
    char *text = scratch_slurp(TREE, &size);
    int refusals = 0, partials = 0;

    (void)state;
    for (size_t cut = 0; cut + 1 < size; cut++) {
        const char *path = scratch_write("cut", text, cut), *db = db_fresh();
        topomap_db *handle;
        topomap_db_report r = {0};
        topomap_error err;

        assert_int_equal(topomap_db_create(db, &handle, &err), 0);
        if (topomap_db_import(handle, "ibnetdiscover", path, NULL, &r, &err)) {
            assert_int_equal(err.code, TOPOMAP_EINPUT);
            assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
            refusals++;
        } else if (r.partial) {
            partials++;
        } else {
            fail_msg("cut at byte %zu of %zu: accepted as whole", cut, size);
        }
        topomap_db_close(handle);
    }
    assert_true(refusals > 2000 && partials > 20);
    free(text);
}

static void refuses_bad_dumps(void **state)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"", "no Switch, Ca or Rt record"},
        {"#\n# Topology file: generated on x\n#\n", "Switch|Ca|Rt"},
        {"\x7f\x45\x4c\x46\x02\x01\n", ":1:|line"},
        {"hello\n", ":1:|line"},
        {"[1]\t\"S-" A "\"[1]\t\t# \"x\" lid 1 4xEDR\n", ":1: wrong order"},
        {HEAD "vendid=0x1\n", ":3: wrong order"},
        {HEAD, "cut"},
        {"vendid=2\n", ":1:|number"},
        {HEAD "Switch 99999999999999 \"S-" A "\" # \"x\"\n", ":3:|ports"},
        {HEAD "Switch 4 \"S-9c05<redacted>\" # \"x\"\n", "redacted"},
        {HEAD "Switch 4 \"S-" A "\"\n", ":3:|#"},
        {"switchguid=0xab(ab)\nSwitch 4 \"S-" A "\" # \"x\"\n", ":2:|GUID"},
        {SWITCH(A) "[255] \"S-" B "\"[1] # \"x\" lid 1 4xEDR\n", ":4: expected [PORT]"},
        {SWITCH(A) "[1] \"X-" B "\"[1] # \"x\" lid 1 4xEDR\n", ":4: expected \"S-\""},
        {SWITCH(A) "[1] \"S-" B "\"[1] # x lid 1 4xEDR\n", ":4: expected # and"},
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 99999 4xEDR\n", ":4:|lid"},
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 4xED\n", ":4: expected width"},
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 999xEDR\n", ":4: expected width"},
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 4xEDR\n"
                   "[1] \"S-" B "\"[2] # \"x\" lid 1 4xEDR\n",
         ":5: port 1 of"},
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 4xEDR\n" SWITCH(
             A) "[1] \"S-" B "\"[2] # \"x\" lid 1 4xEDR\n",
         ":8: a second record"},
        {SWITCH(A) CA(A, "n1 HCA-1"), ":6:|GUID"},
        {"Ca\t : 0x00000000001000ff ports 1 devid 0x0 vendid 0x0 \"n1 HCA-1\"\n", "node list"},
        {"Switch\t : 0x00000000001000ff ports 1 devid 0x0 vendid 0x0 \"n1\"\n", "node list"},
        {"< vendid=0x2c9\n", "difference"},
        {"Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n", "simulator"},
        {"Hca\t1 \"Hca1\"\n", "simulator"},
        {"{ CA Ports:01 SystemGUID:01\n", "subnet list"},
        {"Unicast lids [0x0-0x8c] of switch\n", "routing tables"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        db_refused("ibnetdiscover", scratch_text("bad", bad[i].text), bad[i].part);
    db_refused("ibnetdiscover", scratch_write("bad", "# x\nvendid\0=", 11), ":2: ");
}

static void tolerates_odd_dumps(void **state)
{
    static const struct {
        const char *text;
        uint64_t links, hosts, unknown, warnings;
        int partial;
    } odd[] = {
        /* A speed newer than this program; one that the tool did not know. */
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 4xGDR\n" SWITCH(
             B) "[1] \"S-" A "\"[1] # \"x\" lid 1 4x???\n",
         1, 0, 0, 1, 0},
        /* One-way: the other record is there and does not list the port. Where it is the last one
         * of the file, the file may be cut. */
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 4xEDR\n" SWITCH(
             B) "[2] \"S-" A "\"[2] # \"x\" lid 1 4xEDR\n[3] \"S-" B "\"[4] # \"x\" lid 1 4xEDR\n",
         3, 0, 0, 3, 1},
        /* A port-to-self loop is one link. */
        {SWITCH(A) "[1] \"S-" A "\"[2] # \"x\" lid 1 4xEDR\n[2] \"S-" A
                   "\"[1] # \"x\" lid 1 4xEDR\n",
         1, 0, 0, 0, 0},
        /* Ends that name different neighbours: what two ends confirm stays. */
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 4xEDR\n" SWITCH(
             B) "[1] \"H-" H
                "\"[1](12) # \"n1 HCA-1\" lid 1 4xEDR\n" CA(
                    H, "n1 HCA-1") "[1](12) \"S-" B "\"[1] # lid 1 lmc 0 \"x\" lid 1 4xEDR\n",
         1, 1, 0, 1, 0},
        /* The same record again, as grouping prints it. */
        {SWITCH(A) "[1] \"S-" B "\"[1] # \"x\" lid 1 4xEDR\n" SWITCH(
             B) "[1] \"S-" A "\"[1] # \"x\" lid 1 4xEDR\n" SWITCH(A) "[1] \"S-" B
                                                                     "\"[1] # \"x\" lid 1 4xEDR\n",
         1, 0, 0, 0, 0},
        /* A neighbour without a record, and an error line: partial. */
        {SWITCH(A) "[1] \"H-" H "\"[1](12) # \"n1 mlx5_0\" lid 1 4xEDR\n", 1, 1, 0, 1, 1},
        {SWITCH(A) "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1) bad status 110; "
                   "Connection timed out\n[1] \"H-" H "\"[1](12) # \"n1 mlx5_0\" lid 1 4xEDR\n" CA(
                       H, "n1 mlx5_0") "[1](12) \"S-" A "\"[1] # lid 1 lmc 0 \"x\" lid 1 4xEDR\n",
         1, 1, 0, 1, 1},
        /* Quotes, hashes and lids in descriptions; an unnamed adapter. */
        {SWITCH(A) "[1] \"H-" H "\"[1](12) # \"MT25408 ConnectX Mellanox Technologies\" lid 1 "
                   "4xEDR\n" CA(
                       H, "MT25408 ConnectX Mellanox Technologies") "[1](12) \"S-" A
                                                                    "\"[1] # lid 1 lmc 0 \"4036 # "
                                                                    "40\" lid 36\" lid 7 4xQDR\n",
         1, 0, 1, 1, 0},
        {SWITCH(A) "[1] \"H-" H "\"[1](12) # \"\" lid 1 4xEDR\n" CA(
             H, "") "[1](12) \"S-" A "\"[1] # lid 1 lmc 0 \"\" lid 7 4xEDR\n",
         1, 0, 1, 0, 0},
        {SWITCH(A) "[1] \"H-" H "\"[1](12) # \"TD-WSS01\" lid 1 4xEDR\n" CA(
             H, "TD-WSS01") "[1](12) \"S-" A "\"[1] # lid 1 lmc 0 \"\" lid 7 4xEDR s=4 w=2 v=4\n",
         1, 1, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const char *db = db_fresh();
        topomap_db_report r = db_import(db, "ibnetdiscover", scratch_text("odd", odd[i].text));

        if (r.links != odd[i].links || r.hosts != odd[i].hosts ||
            r.unknown_adapters != odd[i].unknown || r.warnings != odd[i].warnings ||
            r.partial != odd[i].partial || db_summary(db).partial != odd[i].partial)
            fail_msg("case %zu: %d links, %d hosts, %d unknown, %d warnings (%s), partial %d", i,
                     (int)r.links, (int)r.hosts, (int)r.unknown_adapters, (int)r.warnings,
                     r.first_warning, r.partial);
    }
}

/* ---- Real dumps -------------------------------------------------------------------------- */

/* Counts by the first word of lines alone; every port line of a link is there twice. */
static void real_dumps(void **state)
{
    static const char *const files[] = {
        "topograph-dgx-ndr.ibnetdiscover",
        "docker-opensm-full.ibnetdiscover",
        "fattree-k4n3-synthetic.topo",
        "ibtopotool-1.topo",
        "ibtopotool-2.topo",
        "ibtopotool-4.topo",
        "generated/dfly-dfsssp.ibnetdiscover",
        "generated/ft2-edr-fdr.ibnetdiscover",
        "generated/ft2.ibnetdiscover",
        "generated/ft2.full",
        "generated/ft2.grouping",
        "generated/ft3-1024.ibnetdiscover.xz",
        "generated/rail.ibnetdiscover",
        "generated/torus.ibnetdiscover",
    };

    (void)state;
    if (access(SHARED_DATA "/ib", R_OK))
        skip();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        uint64_t switches = 0, adapters = 0, ports = 0;
        char path[512], *line;
        size_t length;
        topomap_input *input;
        topomap_db_report r;

        snprintf(path, sizeof path, SHARED_DATA "/ib/%s", files[i]);
        assert_int_equal(topomap_input_open(path, &input, NULL), 0);
        while (topomap_input_line(input, 0, &line, &length, NULL) > 0) {
            switches += strncmp(line, "Switch", 6) == 0;
            adapters += strncmp(line, "Ca", 2) == 0 && !strstr(line, "Aggregation");
            ports += line[0] == '[' && strstr(line, "lid ");
        }
        topomap_input_close(input);
        r = db_import(db_fresh(), "ibnetdiscover", path);
        if (r.switches != switches || r.adapters != adapters || r.links * 2 != ports || r.partial)
            fail_msg("%s: %d switches, %d adapters, %d links", files[i], (int)r.switches,
                     (int)r.adapters, (int)r.links);
    }
}

/* ---- Several sources --------------------------------------------------------------------- */

static void site_map(void **state)
{
    const char *expected = "cn10@leaf2(up) gpu7@leaf3(up) node1@leaf1(up) node2@leaf1(up) "
                           "Node3.cluster@leaf2(up) node5@leaf1,leaf3(up) ";
    const char *db = db_fresh();
    char line[1024] = "";
    topomap_db *handle;

    (void)state;
    db_import(db, "ibnetdiscover", TREE);
    db_import(db, "hosts", TEST_DATA "/db/hosts.map");
    assert_string_equal(db_hosts(db), expected);
    assert_int_equal(db_summary(db).unknown_adapters, 0);
    assert_int_equal(topomap_db_open(db, &handle, NULL), 0);
    assert_int_equal(topomap_db_hosts(handle, "NODE10.site", db_add_host, line, NULL), 0);
    assert_string_equal(line, "cn10@leaf2(up) "); /* the fabric's own name still finds it */
    topomap_db_close(handle);
    db = db_fresh();
    db_import(db, "hosts", TEST_DATA "/db/hosts.map");
    db_import(db, "ibnetdiscover", TREE);
    assert_string_equal(db_hosts(db), expected);
}

static void a_newer_dump_replaces(void **state)
{
    const char *db = db_fresh(), *other;

    (void)state;
    db_import(db, "ibnetdiscover", TREE);
    db_import(db, "ibnetdiscover", TREE); /* the same file */
    assert_int_equal(db_summary(db).links, 20);
    /* The same switches in another file: the same subnet, and its state now. */
    other = scratch_text("tomorrow", "Switch 41 \"S-0002c90300aa0001\" # \"leaf1\" base port 0\n"
                                     "[1] \"H-e41d2d0300000010\"[1](1) # \"node1 HCA-1\" lid 1 "
                                     "4xEDR\n");
    db_import(db, "ibnetdiscover", other);
    assert_int_equal(db_summary(db).links, 1);
    assert_int_equal(db_summary(db).subnets, 1);
    assert_string_equal(db_hosts(db), "node1@leaf1(up) ");
    /* Other switches: another subnet beside it. */
    db_import(
        db, "ibnetdiscover",
        scratch_text("second", SWITCH(A) "[1] \"H-" H "\"[1](1) # \"m1 HCA-1\" lid 1 4xEDR\n"));
    assert_int_equal(db_summary(db).subnets, 2);
    assert_int_equal(db_summary(db).hosts, 2);
}

/* ---- The file ---------------------------------------------------------------------------- */

static int entries(const char *path)
{
    char folder[512];
    DIR *dir;
    int count = 0;

    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = 0;
    dir = opendir(folder);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void failure_changes_nothing(void **state)
{
    const char *db = db_fresh();
    size_t before_size, after_size;
    char *before, *after;
    topomap_db *handle;
    int count;

    (void)state;
    db_import(db, "ibnetdiscover", TREE);
    before = scratch_slurp(db, &before_size);
    scratch_text("bad", "hello\n");
    count = entries(db);
    assert_int_equal(topomap_db_create(db, &handle, NULL), 0);
    assert_int_equal(
        topomap_db_import(handle, "ibnetdiscover", scratch_path("bad"), NULL, NULL, NULL), -1);
    topomap_db_close(handle);
    after = scratch_slurp(db, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    assert_int_equal(entries(db), count); /* no copy, no journal */
    free(before);
    free(after);
}

static void readers_are_left_alone(void **state)
{
    const char *db = db_fresh();
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    topomap_db *old, *writer;
    topomap_db_summary s;
    topomap_error err;
    int lock;

    (void)state;
    db_import(db, "ibnetdiscover", TREE);
    assert_int_equal(topomap_db_open(db, &old, NULL), 0);
    db_import(db, "ibnetdiscover",
              scratch_text("one", SWITCH(A) "[1] \"H-" H "\"[1](1) # \"m1 HCA-1\" lid 1 "
                                            "4xEDR\n"));
    assert_int_equal(topomap_db_summarise(old, &s, NULL), 0);
    assert_int_equal(s.subnets, 1); /* what was there when it was opened */
    topomap_db_close(old);
    assert_int_equal(db_summary(db).subnets, 2);
    /* Another import in progress. */
    lock = open(db, O_RDWR);
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &all), 0);
    assert_int_equal(topomap_db_create(db, &writer, NULL), 0);
    assert_int_equal(topomap_db_import(writer, "ibnetdiscover", TREE, NULL, NULL, &err), -1);
    assert_int_equal(err.code, TOPOMAP_ESYSTEM);
    assert_message(err.text, "another import");
    close(lock); /* as if that writer was killed */
    /* Who may only read can keep no import out. */
    lock = open(db, O_RDONLY);
    all.l_type = F_RDLCK;
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &all), 0);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(topomap_db_import(writer, "ibnetdiscover", TREE, NULL, NULL, &err), 0);
    close(lock);
    topomap_db_close(writer);
    assert_int_equal(topomap_db_open(db, &old, NULL), 0);
    assert_int_equal(topomap_db_import(old, "ibnetdiscover", TREE, NULL, NULL, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE); /* open for reading */
    topomap_db_close(old);
}

static void refuses_other_files(void **state)
{
    const char *path = db_fresh();
    topomap_db *db;
    topomap_error err;
    sqlite3 *file;

    (void)state;
    assert_int_equal(topomap_db_open(path, &db, &err), -1);
    assert_message(err.text, "topomap db import"); /* the way out */
    assert_int_equal(topomap_db_open(scratch_text("text.db", "no database at all\n"), &db, &err),
                     -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_int_equal(topomap_db_create(scratch_path("text.db"), &db, &err), -1);
    db_import(path, "ibnetdiscover", TREE);
    sqlite3_open(path, &file);
    assert_int_equal(sqlite3_exec(file, "PRAGMA user_version=99", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(file);
    assert_int_equal(topomap_db_open(path, &db, &err), -1);
    assert_message(err.text, "99");
    assert_int_equal(topomap_db_open("/", &db, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_tree),
        cmocka_unit_test(reads_worn_copies),
        cmocka_unit_test(notices_every_cut),
        cmocka_unit_test(refuses_bad_dumps),
        cmocka_unit_test(tolerates_odd_dumps),
        cmocka_unit_test(real_dumps),
        cmocka_unit_test(site_map),
        cmocka_unit_test(a_newer_dump_replaces),
        cmocka_unit_test(failure_changes_nothing),
        cmocka_unit_test(readers_are_left_alone),
        cmocka_unit_test(refuses_other_files),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
