/* SPDX-License-Identifier: BSD-3-Clause */
/* Which launches of a program are placed, counted, measured; and the verdict on their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/formats/parts.h"
#include "plugin/store/run.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/stores.h"

/* Launches from the second on, each as one letter: P placed and counted, p placed, S in Slurm's
 * layout and profiled, s in Slurm's layout. */
static void launches(store_entry *entry, uint64_t every, unsigned count, char *text)
{
    for (unsigned i = 0; i < count; i++) {
        store_choice choice = store_trust_choose(entry, every);

        text[i] = choice.place ? (choice.count ? 'P' : 'p') : choice.count ? 'S' : 's';
        entry->number++;
        entry->launches = choice.place ? entry->launches + 1 : 0;
    }
    text[count] = 0;
}

static void test_launches(void **state)
{
    store_entry entry = {.number = 1, .has_graph = 1};
    char text[64];

    (void)state;
    launches(&entry, 20, 41, text);
    assert_string_equal(text, "PSPSPPPppppppPppppSPPPppppppPpppppppppSPP");
    entry = (store_entry){.number = 1, .has_graph = 1};
    launches(&entry, 0, 12, text);
    assert_string_equal(text, "PPPppppppPpp");
    entry = (store_entry){.number = 1, .has_graph = 1, .stopped = STORE_SLOWER};
    launches(&entry, 20, 22, text);
    assert_string_equal(text, "ssssssssssssssssssSsss");
}

static void measured(store_entry *entry, int placed, double wall)
{
    const store_time time = {
        .placed = placed, .nodes = 4, .messages = 1000, .wall = wall, .mpi = wall / 4, .when = 1};

    store_entry_time(entry, &time);
}

/* ---- The verdict ------------------------------------------------------------------------- */

#define NO STORE_UNDECIDED
#define LOSS STORE_LOSS
#define NOISE STORE_WITHIN_NOISE
#define GAIN STORE_GAIN

/* Medians and noise in seconds; noise -1: unknown. */
static const struct {
    unsigned runs[2];
    double wall[2], noise;
    unsigned refused;
    enum store_verdict verdict;
    unsigned missing[2];
    double gain; /* percent */
    const char *tokens[4];
} verdicts[] = {
    {{0, 0}, {0, 0}, -1, 0, NO, {3, 3}, 0, {"3 in ", "3 placed"}},
    {{1, 0}, {10, 0}, -1, 0, NO, {2, 3}, 0, {"2 in ", "3 placed"}},
    {{0, 1}, {0, 10}, -1, 0, NO, {3, 2}, 0, {"3 in ", "2 placed"}},
    {{1, 1}, {10, 5}, -1, 0, NO, {2, 2}, 50, {"2 in ", "2 placed"}},
    /* The report: 1.66 and 1.77 s in Slurm's layout, and one placed run of 2.06 s. */
    {{2, 1}, {1.715, 2.06}, -1, 0, NO, {1, 2}, -20.1, {"1 in ", "2 placed"}},
    {{2, 2}, {10, 5}, 0.1, 0, NO, {1, 1}, 50, {"1 in ", "1 placed"}},
    {{3, 2}, {10, 5}, 0.1, 0, NO, {0, 1}, 50, {"0 in ", "1 placed"}},
    {{2, 3}, {10, 20}, 0.1, 0, NO, {1, 0}, -100, {"1 in ", "0 placed"}},
    {{40, 0}, {10, 0}, -1, 0, NO, {0, 3}, 0, {"0 in ", "3 placed"}},
    /* Refused placements run in Slurm's layout: no placed run is there, or to be expected. */
    {{2, 0}, {1.7, 0}, -1, 1, NO, {1, 3}, 0, {"1 in ", "3 placed", "refused: 1"}},
    {{7, 0}, {1.7, 0}, -1, 6, NO, {0, 3}, 0, {"0 in ", "3 placed", "refused: 6"}},
    {{3, 3}, {10, 9}, -1, 0, NO, {0, 0}, 10, {NULL}},
    {{3, 3}, {10, 9}, 0.2, 0, GAIN, {0, 0}, 10, {"10.0 % faster", "2.0 %"}},
    {{3, 3}, {10, 9}, 0.2, 4, GAIN, {0, 0}, 10, {"10.0 % faster", "2.0 %"}},
    {{20, 20}, {10, 9.9}, 0.09, 0, GAIN, {0, 0}, 1, {"1.0 % faster", "0.9 %"}},
    {{3, 3}, {10, 9}, 1, 0, NOISE, {0, 0}, 10, {"(10.0 %", "noise: 10.0 %"}},
    {{3, 3}, {10, 9.5}, 1, 0, NOISE, {0, 0}, 5, {"(5.0 %", "noise: 10.0 %"}},
    {{3, 3}, {10, 10}, 0, 0, NOISE, {0, 0}, 0, {"(0.0 %", "noise: 0.0 %"}},
    {{3, 3}, {10, 10}, 0.5, 0, NOISE, {0, 0}, 0, {"(0.0 %", "noise: 5.0 %"}},
    {{3, 3}, {10, 10.4}, 0.5, 0, NOISE, {0, 0}, -4, {"(-4.0 %", "noise: 5.0 %"}},
    {{3, 3}, {10, 12}, 0.5, 0, LOSS, {0, 0}, -20, {"20.0 % slower", "5.0 %"}},
    {{3, 3}, {10, 10.1}, 0, 0, LOSS, {0, 0}, -1, {"1.0 % slower", "0.0 %"}},
};

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        store_comparison times = {.runs = {verdicts[i].runs[0], verdicts[i].runs[1]},
                                  .wall = {verdicts[i].wall[0], verdicts[i].wall[1]},
                                  .noise = verdicts[i].noise,
                                  .refused = verdicts[i].refused};
        char text[STORE_VERDICT_TEXT], both[STORE_VERDICT_TEXT];

        store_trust_judge(&times);
        store_verdict_print(&times, text);
        store_trust_print(&times, both);
        print_message("row %zu: %s\n", i, text);
        assert_int_equal(times.verdict, verdicts[i].verdict);
        assert_int_equal(times.missing[0], verdicts[i].missing[0]);
        assert_int_equal(times.missing[1], verdicts[i].missing[1]);
        assert_float_equal(times.gain, verdicts[i].gain, 0.05);
        for (const char *const *token = verdicts[i].tokens; *token; token++)
            assert_message(text, *token);
        /* Without a verdict the text has no percentage. */
        if (times.verdict == STORE_UNDECIDED)
            assert_null(strchr(text, '%'));
        /* One text for all readers. */
        assert_int_equal(strstr(both, text) != NULL, times.runs[0] && times.runs[1]);
    }
}

/* ---- The verdict on an entry ------------------------------------------------------------- */

static void add_runs(store_entry *entry, const char *layouts, double slurm, double placed)
{
    for (; *layouts; layouts++)
        measured(entry, *layouts == 'p', *layouts == 'p' ? placed : slurm);
}

/* Counts of launches, and what stays of a profile that is gone. */
static void test_counts(void **state)
{
    static const struct {
        int has_graph;
        uint32_t launches, refused;
        enum store_stop stopped;
        const char *layouts; /* of the runs that were timed */
        uint32_t placed;
        unsigned runs[2];
        enum store_verdict verdict;
    } rows[] = {
        {1, 0, 0, STORE_GOES_ON, "", 0, {0, 0}, NO},
        {1, 1, 1, STORE_GOES_ON, "ss", 0, {2, 0}, NO},
        {1, 5, 2, STORE_GOES_ON, "sspsspp", 3, {4, 3}, GAIN},
        {1, 5, 0, STORE_SLOWER, "sppssp", 5, {3, 3}, GAIN},
        {0, 5, 0, STORE_GOES_ON, "sppssp", 5, {3, 0}, NO},
        {0, 5, 0, STORE_SLOWER, "sppssp", 5, {3, 0}, NO},
        {1, 1, 9, STORE_GOES_ON, "s", 0, {1, 0}, NO}, /* a damaged file */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        store_entry entry = {.number = 9,
                             .has_graph = rows[i].has_graph,
                             .launches = rows[i].launches,
                             .refused = rows[i].refused,
                             .stopped = rows[i].stopped};
        store_comparison times;

        add_runs(&entry, rows[i].layouts, 10, 8);
        times = store_trust_compare(&entry);
        print_message("row %zu\n", i);
        assert_int_equal(times.placed, rows[i].placed);
        assert_int_equal(times.refused, rows[i].refused);
        assert_int_equal(times.runs[0], rows[i].runs[0]);
        assert_int_equal(times.runs[1], rows[i].runs[1]);
        assert_int_equal(times.verdict, rows[i].verdict);
        assert_int_equal(times.stopped, rows[i].has_graph ? rows[i].stopped : STORE_GOES_ON);
    }
}

static void test_medians(void **state)
{
    store_entry entry = {.number = 1, .has_graph = 1};
    store_comparison times;

    (void)state;
    for (int i = 0; i < 3; i++) {
        measured(&entry, 0, 10 + 0.1 * i);
        times = store_trust_compare(&entry);
        assert_true(times.noise < 0 || i == 2); /* unknown before both have two runs */
        measured(&entry, 1, 9 + 0.1 * i);
    }
    times = store_trust_compare(&entry);
    assert_int_equal(times.verdict, STORE_GAIN);
    assert_int_equal(times.runs[0] * 10 + times.runs[1], 33);
    assert_float_equal(times.wall[0], 10.1, 1e-9);
    assert_float_equal(times.wall[1], 9.1, 1e-9);
    assert_float_equal(times.noise, 0.2, 1e-9);
    assert_float_equal(times.least[0], 10, 1e-9);
    assert_float_equal(times.most[1], 9.2, 1e-9);
    assert_int_equal(store_trust_settle(&entry), 0);
    assert_int_equal(entry.stopped, STORE_GOES_ON);
}

/* By more than 2 %, more than the noise, in three runs each: not before. */
static void test_slower(void **state)
{
    store_entry entry = {.number = 1, .has_graph = 1};

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
    /* A difference as large in noisy runs does not stop it. */
    entry = (store_entry){.number = 1, .has_graph = 1};
    for (int i = 0; i < 3; i++) {
        measured(&entry, 0, 10 + i);
        measured(&entry, 1, 11 + i);
    }
    assert_int_equal(store_trust_compare(&entry).verdict, STORE_WITHIN_NOISE);
    assert_int_equal(store_trust_settle(&entry), 0);
    /* Nor does a steady loss of 1 %. */
    entry = (store_entry){.number = 1, .has_graph = 1};
    add_runs(&entry, "spspsp", 10, 10.1);
    assert_int_equal(store_trust_compare(&entry).verdict, STORE_LOSS);
    assert_int_equal(store_trust_settle(&entry), 0);
}

/* Other nodes, or other work, are no comparison. */
static void test_comparable(void **state)
{
    store_entry entry = {.number = 1, .has_graph = 1};
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

/* ---- Runs in a store ---------------------------------------------------------------------- */

/* Two ranks that send each other a message; the run takes two seconds. */
static void write_part(const char *run)
{
    topomap_part_row row[2] = {{.partner = 1, .bytes_out = 9, .messages_out = 1},
                               {.partner = 0, .bytes_out = 9, .messages_out = 1}};
    struct topomap_part_rank table[2] = {{.rank = 0}, {.rank = 1}};
    struct topomap_part_header header = {.ranks = 2, .count = 2};
    char path[STORE_PATH];
    FILE *out;

    for (int i = 0; i < 2; i++) {
        table[i].flags = TOPOMAP_PART_WHOLE;
        table[i].rows = 1;
        table[i].checksum = topomap_part_checksum(&row[i], 1);
        table[i].wall_ns = 2000000000;
    }
    topomap_part_seal(&header, table);
    snprintf(path, sizeof path, "%s/" TOPOMAP_PART_NAME "0", run);
    out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(&header, sizeof header, 1, out), 1);
    assert_int_equal(fwrite(table, sizeof table, 1, out), 1);
    assert_int_equal(fwrite(row, sizeof row, 1, out), 1);
    assert_int_equal(fclose(out), 0);
}

static int timed_run(const store *store, store_entry *entry, const store_plan *plan, int refused)
{
    topomap_error err;
    char *made;
    int left;

    assert_int_equal(store_run_begin(store, 5, 0, entry, plan, &made, &err), 0);
    write_part(made);
    if (refused)
        assert_int_equal(store_run_write(made, STORE_RUN_REFUSED, "1", 1), 0);
    left = store_run_end(store, made, entry, &err);
    free(made);
    return left;
}

/* A run whose placement was refused is one in Slurm's layout. */
static void test_refused(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 2);
    store_plan placed = {.purpose = STORE_CHECKS, .placed = 1, .nodes = 1}, scaled = {.placed = 1};
    static const int layouts[] = {0, 1, 0, 0};

    (void)state;
    snprintf(placed.against, sizeof placed.against, "%s", entry.key);
    assert_int_equal(timed_run(&store, &entry, NULL, 0), STORE_LEFT_PROFILE);
    assert_int_equal(timed_run(&store, &entry, &placed, 0), STORE_LEFT_COUNTS);
    assert_int_equal(entry.refused, 0);
    assert_int_equal(timed_run(&store, &entry, &placed, 1), STORE_LEFT_COUNTS);
    assert_int_equal(entry.refused, 1);
    assert_int_equal(timed_run(&store, &entry, &scaled, 1), STORE_LEFT_PROFILE);
    assert_int_equal(entry.refused, 0); /* counted since the last profile */
    assert_int_equal(store_entry_read(&store, &entry), 1);
    assert_int_equal(entry.times, 4);
    for (unsigned i = 0; i < entry.times; i++)
        assert_int_equal(entry.time[i].placed, layouts[i]);
}

/* Placed times go with the profile that made the layout. */
static void test_gone(void **state)
{
    store store = fresh();
    store_entry entry = named("x", 2);
    store_plan placed = {.purpose = STORE_CHECKS, .placed = 1, .nodes = 1};

    (void)state;
    snprintf(placed.against, sizeof placed.against, "%s", entry.key);
    timed_run(&store, &entry, NULL, 0);
    timed_run(&store, &entry, &placed, 0);
    assert_int_equal(entry.times, 2);
    store_remove_graphs(&store, entry.key);
    assert_int_equal(timed_run(&store, &entry, NULL, 0), STORE_LEFT_PROFILE);
    assert_int_equal(entry.times, 2);
    assert_int_equal(entry.time[0].placed + entry.time[1].placed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches), cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_medians),
        cmocka_unit_test(test_slower),   cmocka_unit_test(test_comparable),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_gone),
    };

    return cmocka_run_group_tests(tests, stores_setup, stores_teardown);
}
