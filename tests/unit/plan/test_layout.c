/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "tests/unit/messages.h"

static const uint32_t first[] = {0, 4, 4, 7, 8};

static void layouts_survive_the_round_trip(void **state)
{
    static const uint32_t task[] = {0, 2, 5, 6, 1, 3, 4, 7};
    uint32_t back[8];
    topomap_error err;
    char *text = topomap_layout_format(4, first, task, &err);

    (void)state;
    assert_string_equal(text, "0,2,5,6;;1,3,4;7");
    assert_int_equal(topomap_layout_parse(text, 4, first, back, &err), 0);
    assert_memory_equal(task, back, sizeof task);
    free(text);
    assert_int_equal(topomap_layout_parse("0-3;;4-6;7", 4, first, back, &err), 0);
    assert_int_equal(back[6], 6);
}

static void other_texts_are_refused(void **state)
{
    static const char *const bad[] = {
        "",                /* nothing */
        "0-3;;4-6",        /* a node is missing */
        "0-3;;4-6;7;",     /* one too many */
        "0-2;;3-6;7",      /* wrong counts */
        "3,2,1,0;;4-6;7",  /* not ascending */
        "0-3;;3-5;7",      /* twice */
        "0-3;;4-5,8;7",    /* outside */
        "0-3;;4-6;7 ",     /* blanks */
        "0-4294967295;;;", /* huge */
        "-1,1-3;;4-6;7",   /* sign */
        "0-3;4-6;;7",      /* the empty node is the second */
    };
    uint32_t back[8];
    topomap_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (topomap_layout_parse(bad[i], 4, first, back, &err) == 0)
            fail_msg("'%s' was accepted", bad[i]);
        assert_int_equal(err.code, TOPOMAP_EINPUT);
    }
}

/* What C's callers hand over is not looked up before it is known to be a permutation. */
static void a_plan_of_slots_that_are_none_is_refused(void **state)
{
    static const uint32_t good[] = {3, 2, 1, 0}, far[] = {0, 1, 2, 4000000}, twice[] = {0, 1, 1, 2};
    topomap_machine *m;
    topomap_plan plan;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_machine_parse("tree:2:2@1:10", &m, &err), 0);
    assert_int_equal(topomap_plan_make(m, good, NULL, &plan, &err), 0);
    assert_int_equal(plan.task[0], 2);
    topomap_plan_clear(&plan);
    assert_int_equal(topomap_plan_make(m, far, NULL, &plan, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, "rank 3|slot 4000000|0..3");
    assert_int_equal(topomap_plan_make(m, twice, NULL, &plan, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_message(err.text, "slot 1|2");
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_survive_the_round_trip),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(a_plan_of_slots_that_are_none_is_refused),
    };

    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
