/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/memory_limit.h"
#include "tests/unit/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* A file of cgroup/FOLDER in the scratch folder. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "cgroup/%s", folder);
    mkdir(scratch_path("cgroup"), 0700);
    mkdir(scratch_path(path), 0700);
    snprintf(path, sizeof path, "cgroup/%s/%s", folder, name);
    scratch_text(path, text);
}

static uint64_t left(const char *groups)
{
    return planner_memory_free(scratch_text("groups", groups), scratch_path("cgroup"));
}

static void version_2(void **state)
{
    (void)state;
    put("job", "memory.max", "max\n");
    put("job", "memory.current", "500\n");
    assert_true(left("0::/job\n") == UINT64_MAX);
    put("job", "memory.max", "1000\n");
    assert_int_equal(left("0::/job\n"), 500);
    put("job", "memory.stat", "anon 10\ninactive_file 200\nactive_file 100\n");
    assert_int_equal(left("0::/job\n"), 700);
    /* The limit of the group above binds the one below. */
    put("job/step", "memory.max", "max\n");
    put("job/step", "memory.current", "1\n");
    assert_int_equal(left("0::/job/step\n"), 700);
    put("job/step", "memory.max", "301\n");
    assert_int_equal(left("0::/job/step\n"), 300);
    put("job/step", "memory.current", "400\n");
    assert_int_equal(left("0::/job/step\n"), 0);
}

static void version_1(void **state)
{
    (void)state;
    put("memory", "memory.limit_in_bytes", "9223372036854771712\n");
    put("memory", "memory.usage_in_bytes", "5000\n");
    put("memory/job", "memory.limit_in_bytes", "4096\n");
    put("memory/job", "memory.usage_in_bytes", "1096\n");
    put("memory/job", "memory.stat", "cache 700\ntotal_inactive_file 96\n");
    assert_int_equal(left("4:memory:/job\n1:cpu:/other\n0::/\n"), 3096);
    assert_true(left("1:cpu:/job\n0::/\n") == UINT64_MAX);
}

static void what_is_not_there(void **state)
{
    (void)state;
    assert_true(planner_memory_free("/nonexistent", "/nonexistent") == UINT64_MAX);
    assert_true(left("") == UINT64_MAX);
    assert_true(left("garbage\n:::\n0::\n") == UINT64_MAX);
    assert_true(left("0::/../../../job\n") == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(version_2, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(version_1, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there, scratch_setup, scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
