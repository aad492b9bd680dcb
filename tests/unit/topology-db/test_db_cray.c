/* SPDX-License-Identifier: BSD-3-Clause */
/* Cray dumps into the store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "tests/unit/topology-db/imports.h"

static void cray_in_either_order(void **state)
{
    const char *admin = TEST_DATA "/db/gemini.xtprocadmin",
               *proc = TEST_DATA "/db/gemini.xtdb2proc";
    char first[8192];
    topomap_db_summary s;
    const char *db;

    (void)state;
    db = db_fresh();
    db_import(db, "xtprocadmin", admin);
    assert_string_equal(db_summary(db).topology, "unknown");
    db_import(db, "xtdb2proc", proc);
    s = db_summary(db);
    assert_string_equal(s.topology, "torus");
    assert_message(s.evidence, "2x4x3 torus");
    assert_int_equal(s.hosts, 24);
    assert_int_equal(s.switches, 12);
    strcpy(first, db_hosts(db));
    assert_non_null(strstr(first, "nid00000@0,0,0(up) "));
    assert_non_null(strstr(first, "nid00004@0,2,1(up) nid00008@0,2,1(up) ")); /* a hole */
    assert_non_null(strstr(first, "nid00026@1,1,2(down) ")); /* down, but its place is known */
    db = db_fresh();
    db_import(db, "xtdb2proc", proc);
    db_import(db, "xtprocadmin", admin);
    assert_string_equal(db_hosts(db), first);
    assert_string_equal(db_summary(db).evidence, s.evidence);
    db = db_fresh();
    db_import(db, "xtdb2proc", TEST_DATA "/db/aries.xtdb2proc");
    assert_string_equal(db_summary(db).topology, "dragonfly");
}

static void refuses_bad_cray(void **state)
{
#define TABLE "   NID    (HEX)    NODENAME     TYPE    STATUS        MODE\n"
#define PROC(x)                                                                                    \
    "cpu=0,slot=0,cage=0,cabinet=null,cab_position=0,cab_row=0,x_coord=" x                         \
    ",y_coord=0,z_coord=0,processor_status='up',processor_type='compute',processor_id="
    static const struct {
        const char *importer, *text, *part;
    } bad[] = {
        {"xtprocadmin", "", "header"},
        {"xtprocadmin", "Error: cannot reach the database\n", "header"},
        {"xtprocadmin", TABLE, "rows"},
        {"xtprocadmin", "NODENAME TYPE\nc0-0c0s0n0 compute\n", ":1:|NID"},
        {"xtprocadmin", TABLE " 4 0x5 c0-0c0s1n0 compute up batch\n", ":2:|NID 4"},
        {"xtprocadmin", TABLE " 4 0x4 x0c0s1b0n0 compute up batch\n", ":2:|name"},
        {"xtprocadmin", TABLE " -4 0x4 c0-0c0s1n0 compute up batch\n", ":2:|NID"},
        {"xtprocadmin", TABLE " 99999999999999 0x4 c0-0c0s1n0 compute up\n", ":2:|NID"},
        {"xtprocadmin", TABLE " 4 0x4 c0-0c0s1n0 comp", ":2:|cut"},
        {"xtprocadmin", TABLE " 4 0x4 c0-0c0s1n0 compute up\n 4 0x4 c0-0c0s1n1 compute up\n",
         "NID 4"},
        {"xtdb2proc", "", "xtdb2proc"},
        {"xtdb2proc", "#\n# only comments\n", "xtdb2proc"},
        {"xtdb2proc", PROC("0") "1\ncpu=0,slot=0,proces\nsor_status='up'\n", ":2:|key"},
        {"xtdb2proc", "cpu=0,slot=0\n", ":1:|cage"},
        {"xtdb2proc", PROC("70000") "1\n", ":1: x_coord"},
        {"xtdb2proc", PROC("-1") "1\n", ":1: x_coord"},
        {"xtdb2proc", PROC("null") "1\n", ":1: x_coord"},
        {"xtdb2proc", PROC("0") "99999999999\n", ":1: processor_id"},
        {"xtdb2proc", PROC("0") "1\n" PROC("1") "1\n", ":2:|processor_id 1|line 1"},
        {"xtdb2proc", PROC("0") "1,mode='open\n", ":1:|value"},
        {"xtdb2proc", PROC("0") "1,cpu=2\n", ":1:|cpu"},
        {"hosts", "", "line"},
        {"hosts", "0x12 a b\n", ":1:"},
        {"hosts", "0x12 a\n0x12 b\n", ":2:|line 1"},
        {"hosts", "0x12 a[1-2]\n", ":1:|a[1-2]"},
        {"hwloc", "", ":1:|XML"},
        {"hwloc", "<a/>\n", "hwloc XML|<topology>"},
        {"hwloc", "<topology version=\"2.0\">", "<topology>"},
        /* Objects without cpusets: libhwloc 2.9 itself crashes on them. */
        {"hwloc",
         "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
         "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\" "
         "complete_cpuset=\"0x1\" allowed_cpuset=\"0x1\" nodeset=\"0x1\" "
         "complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\">\n"
         "<object type=\"Package\" os_index=\"0\">\n<object type=\"PU\" os_index=\"0\"/>\n"
         "</object>\n</object>\n</topology>\n",
         "hwloc c"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        db_refused(bad[i].importer, scratch_text("bad", bad[i].text), bad[i].part);
    db_refused("xtdb2proc", scratch_write("bad", "cpu=0\0,slot", 11), ":1: ");
    db_refused("xtprocadmin", TEST_DATA "/db/none", "");
}

static void real_crays(void **state)
{
    const char *db = db_fresh();
    topomap_db_summary s;

    (void)state;
    if (access(SHARED_DATA "/cray", R_OK))
        skip();
    db_import(db, "xtdb2proc", SHARED_DATA "/cray/titan-derived.xtdb2proc.xz");
    db_import(db, "xtprocadmin", SHARED_DATA "/cray/titan-derived.xtprocadmin.xz");
    s = db_summary(db);
    assert_int_equal(s.hosts, 19200);
    assert_string_equal(s.topology, "torus");
    assert_message(s.evidence, "25x16x24 torus");
    db = db_fresh();
    db_import(db, "xtdb2proc", SHARED_DATA "/cray/edison-excerpt.xtdb2proc");
    s = db_summary(db);
    assert_int_equal(s.hosts, 499);
    assert_string_equal(s.topology, "dragonfly");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cray_in_either_order),
        cmocka_unit_test(refuses_bad_cray),
        cmocka_unit_test(real_crays),
    };

    return cmocka_run_group_tests_name("db-cray", tests, scratch_setup, scratch_teardown);
}
