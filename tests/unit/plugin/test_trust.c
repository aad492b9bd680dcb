/* SPDX-License-Identifier: BSD-3-Clause */
/* Which launches of a program are placed, counted, measured; and what their times say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "plugin/store/trust.h"

/* Launches from the second on, each as one letter: P placed and counted, p placed, S in Slurm's
 * layout and counted, s in Slurm's layout. */
static void launches(store_entry *entry, uint64_t every, uint64_t compare, unsigned count,
                     char *text)
{
    for (unsigned i = 0; i < count; i++) {
        store_choice choice = store_trust_choose(entry, every, compare);

        text[i] = choice.place ? (choice.count ? 'P' : 'p') : choice.count ? 'S' : 's';
        entry->number++;
        entry->launches += choice.place != 0;
    }
    text[count] = 0;
}

static void test_launches(void **state)
{
    store_entry entry = {.number = 1};
    char text[64];

    (void)state;
    launches(&entry, 20, 0, 40, text);
    assert_string_equal(text, "PSPSPppppppPppppppSpppPpppppppppPpppppSp");
    entry = (store_entry){.number = 1};
    launches(&entry, 0, 0, 12, text);
    assert_string_equal(text, "PPPppppppPpp");
    entry = (store_entry){.number = 1, .stopped = STORE_SLOWER};
    launches(&entry, 20, 0, 5, text);
    assert_string_equal(text, "sssss");
}

static void measured(store_entry *entry, int placed, double wall)
{
    const store_time time = {
        .placed = placed, .nodes = 4, .messages = 1000, .wall = wall, .mpi = wall / 4, .when = 1};

    store_entry_time(entry, &time);
}

/* By turns, until there are two of each. */
static void test_compare(void **state)
{
    store_entry entry = {.number = 1};
    char seen[8] = "";

    (void)state;
    for (int i = 0; i < 5; i++) {
        store_choice choice = store_trust_choose(&entry, 0, 2);

        seen[i] = choice.place ? 'p' : 's';
        measured(&entry, choice.place, 1);
        entry.number++;
    }
    assert_string_equal(seen, "spspp");
}

static void test_faster(void **state)
{
    store_entry entry = {.number = 1};
    store_comparison times;
    char text[160];

    (void)state;
    times = store_trust_compare(&entry);
    store_trust_print(&times, text);
    assert_string_equal(text, "");
    for (int i = 0; i < 3; i++) {
        measured(&entry, 0, 10 + 0.1 * i);
        measured(&entry, 1, 9 + 0.1 * i);
    }
    times = store_trust_compare(&entry);
    assert_int_equal(times.says, 1);
    assert_int_equal(times.runs[0] * 10 + times.runs[1], 33);
    assert_float_equal(times.wall[0], 10.1, 1e-9);
    assert_float_equal(times.wall[1], 9.1, 1e-9);
    assert_float_equal(times.noise, 0.2, 1e-9);
    store_trust_print(&times, text);
    assert_string_equal(text,
                        "Slurm's layout 10.1 s (3 runs), placed 9.1 s (3 runs): 9.9 % faster");
    assert_int_equal(store_trust_settle(&entry), 0);
    assert_int_equal(entry.stopped, STORE_GOES_ON);
}

/* By more than 2 %, more than the noise, in three runs each: not before. */
static void test_slower(void **state)
{
    store_entry entry = {.number = 1};
    store_comparison times;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(store_trust_settle(&entry), 0);
        measured(&entry, 0, 10 + 0.01 * i);
        assert_int_equal(store_trust_settle(&entry), 0);
        measured(&entry, 1, 11 + 0.01 * i);
    }
    assert_int_equal(store_trust_settle(&entry), 1);
    assert_int_equal(entry.stopped, STORE_SLOWER);
    assert_int_equal(store_trust_settle(&entry), 0);
    /* As large a difference in noisy runs says nothing. */
    entry = (store_entry){.number = 1};
    for (int i = 0; i < 3; i++) {
        measured(&entry, 0, 10 + i);
        measured(&entry, 1, 11 + i);
    }
    times = store_trust_compare(&entry);
    assert_int_equal(times.says, 0);
    assert_int_equal(store_trust_settle(&entry), 0);
    /* Nor does a steady one of 1 %. */
    entry = (store_entry){.number = 1};
    for (int i = 0; i < 3; i++) {
        measured(&entry, 0, 10);
        measured(&entry, 1, 10.1);
    }
    assert_int_equal(store_trust_compare(&entry).says, -1);
    assert_int_equal(store_trust_settle(&entry), 0);
}

/* Other nodes, or other work, are no comparison. */
static void test_comparable(void **state)
{
    store_entry entry = {.number = 1};
    store_time other = {.placed = 0, .nodes = 8, .messages = 1000, .wall = 5};

    (void)state;
    measured(&entry, 0, 10);
    store_entry_time(&entry, &other);
    other.nodes = 4;
    other.messages = 1030;
    store_entry_time(&entry, &other);
    other.messages = 1010;
    store_entry_time(&entry, &other);
    measured(&entry, 1, 9);
    assert_int_equal(store_trust_compare(&entry).runs[0], 2);
    /* The oldest go. */
    for (int i = 0; i < 2 * STORE_TIMES; i++)
        measured(&entry, 1, 9);
    assert_int_equal(entry.times, STORE_TIMES);
    assert_int_equal(store_trust_compare(&entry).runs[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches),   cmocka_unit_test(test_compare),
        cmocka_unit_test(test_faster),     cmocka_unit_test(test_slower),
        cmocka_unit_test(test_comparable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
