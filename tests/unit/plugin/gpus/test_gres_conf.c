/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files of gres.conf list a node's GPUs in another order than that of their numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/planner/launch/launch.h"
#include "tests/unit/scratch.h"

static void orders(void **state)
{
    static const struct {
        const char *text;
        int flags;
    } rows[] = {
        {"", 0},
        {"AutoDetect=nvml\n", PLANNER_GRES_CORES},
        {"NodeName=a1 AutoDetect=off Name=gpu File=/dev/nvidia[0-3]\n", 0},
        {"Name=gpu File=/dev/nvidia0 cores=0-3\n", PLANNER_GRES_CORES},
        {"Name=nic File=/dev/nic0 Cores=0-3\n", 0},
        {"Name=gpu File=/dev/nvidia[0-3]\n", 0},
        {"Name=gpu Type=a100 File=/dev/nvidia[0-1]\nName=gpu Type=h100 File=/dev/nvidia[2-11]\n",
         0},
        {"Name=gpu File=/dev/nvidia[2-3]\nName=gpu File=/dev/nvidia[0-1]\n", 1},
        {"name=GPU file=/dev/nvidia3,/dev/nvidia1\n", 1},
        {"Name=gpu File=/dev/nvidia[10,9]\n", 1},
        {"Name=gpu File=/dev/nvidia1 \\\n Cores=0\nName=gpu \\\nFile=/dev/nvidia0",
         PLANNER_GRES_REORDERS | PLANNER_GRES_CORES},
        /* Other nodes, other resources, what is commented out. */
        {"NodeName=a[1-4] Name=gpu File=/dev/nvidia[2-3]\n"
         "NodeName=b[1-4] Name=gpu File=/dev/nvidia[0-1]\n",
         0},
        {"NodeName=a1 Name=gpu File=/dev/nvidia1\nNodeName=A1 Name=gpu File=/dev/nvidia0\n", 1},
        {"Name=gpu File=/dev/nvidia1\nName=nic File=/dev/nic0\n#Name=gpu File=/dev/nvidia0\n", 0},
        {"Name=gpu Count=2 Flags=CountOnly\nName=gpu File=[\n", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = scratch_path("gres.conf");
        FILE *out = fopen(path, "w");

        assert_non_null(out);
        fputs(rows[i].text, out);
        fclose(out);
        if (planner_gres_flags(path) != rows[i].flags)
            fail_msg("row %zu: %s", i, rows[i].text);
    }
    assert_int_equal(planner_gres_flags(scratch_path("none.conf")), PLANNER_GRES_CORES);
    assert_int_equal(planner_gres_flags("/dev/null"), PLANNER_GRES_CORES);
}

static void write_conf(const char *name, const char *text)
{
    FILE *out = fopen(scratch_path(name), "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void what_is_included(void **state)
{
    const char *path = scratch_path("gres.conf");
    char text[4352];

    (void)state;
    write_conf("more.conf", "Name=gpu File=/dev/nvidia[0-1]\n");
    write_conf("gres.conf", "Name=gpu File=/dev/nvidia[2-3]\n \tINCLUDE\tmore.conf # there\n");
    assert_true(planner_gres_flags(path));
    snprintf(text, sizeof text, "Name=gpu File=/dev/nvidia[2-3]\ninclude %s\n",
             scratch_path("more.conf"));
    write_conf("gres.conf", text);
    assert_true(planner_gres_flags(path));
    write_conf("gres.conf", "Include more.conf\nName=gpu File=/dev/nvidia[2-3]\n");
    assert_false(planner_gres_flags(path));
    write_conf("gres.conf", "Included=1 Name=gpu File=/dev/nvidia[2,1]\n");
    assert_true(planner_gres_flags(path));
    /* Slurm refuses these: there is no order that could be another one. */
    write_conf("gres.conf", "Name=gpu File=/dev/nvidia[2,1]\nInclude none.conf\n");
    assert_int_equal(planner_gres_flags(path), PLANNER_GRES_CORES);
    write_conf("gres.conf", "Name=gpu File=/dev/nvidia[2,1]\nInclude gres.conf\n");
    assert_int_equal(planner_gres_flags(path), PLANNER_GRES_CORES);
}

static void beside_slurm_conf(void **state)
{
    char path[64];

    (void)state;
    setenv("SLURM_CONF", "/a/b/slurm.conf", 1);
    planner_gres_path(path, sizeof path);
    assert_string_equal(path, "/a/b/gres.conf");
    unsetenv("SLURM_CONF");
    planner_gres_path(path, sizeof path);
    assert_string_equal(path, "/etc/slurm/gres.conf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(what_is_included),
                                       cmocka_unit_test(beside_slurm_conf)};

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
