/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "request/request.h"
#include "tests/unit/messages.h"
#include "topology-db/db.h"

static const topomap_request_row *row_of(int key)
{
    return topomap_request_row_of((enum topomap_request_key)key);
}

static int set(topomap_request *request, int key, const char *text)
{
    topomap_error err;

    return topomap_request_set(request, (enum topomap_request_key)key, text, &err);
}

/* Reads a planner's line. */
static int line(topomap_request *request, const char *text, topomap_error *err)
{
    char copy[128];

    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    return topomap_request_read_line(request, 7, copy, err);
}

static void differ(const char *a, const char *b)
{
    if (a && b)
        assert_string_not_equal(a, b);
}

/* No name means two keys in its column, every key can be said somewhere, every reader has a place
 * to write to. */
static void rows_are_whole(void **state)
{
    (void)state;
    for (int a = 0; a < TOPOMAP_REQUEST_KEYS; a++) {
        const topomap_request_row *row = row_of(a);

        assert_non_null(row->read);
        assert_non_null(row->takes);
        assert_true(row->line || row->word || row->rule || row->option);
        assert_int_equal(row->word != NULL, a < TOPOMAP_REQUEST_SETTINGS);
        assert_true(row->at < sizeof(topomap_request));
        for (int b = 0; b < a; b++) {
            differ(row->line, row_of(b)->line);
            differ(row->word, row_of(b)->word);
            differ(row->rule, row_of(b)->rule);
            differ(row->option, row_of(b)->option);
            if ((row->line || row->option) && (row_of(b)->line || row_of(b)->option))
                assert_int_not_equal(row->at, row_of(b)->at);
        }
        if (row->fallback)
            assert_true(topomap_request_fits((enum topomap_request_key)a, row->fallback));
    }
}

static void defaults(void **state)
{
    topomap_request request;

    (void)state;
    topomap_request_init(&request);
    assert_int_equal(request.said, 0);
    assert_int_equal(request.bind, TOPOMAP_BIND_CORE);
    assert_int_equal(request.objective.kind, TOPOMAP_REQUEST_OBJECTIVE_AUTO);
    assert_int_equal(request.weight, TOPOMAP_WEIGHT_AUTO);
    assert_int_equal(request.effort, TOPOMAP_FAST);
    assert_int_equal(request.seed, 1);
    assert_int_equal(request.cpus_per_task, 1);
    assert_int_equal(request.intra, 1);
    assert_null(request.graph);
    topomap_request_clear(&request);
}

/* Words are their index, which the enums of the library follow. */
static void words(void **state)
{
    static const struct {
        int key;
        const char *text;
        size_t at;
        int value;
    } rows[] = {
        {TOPOMAP_REQUEST_BIND, "core", offsetof(topomap_request, bind), TOPOMAP_BIND_CORE},
        {TOPOMAP_REQUEST_BIND, "pu", offsetof(topomap_request, bind), TOPOMAP_BIND_PU},
        {TOPOMAP_REQUEST_BIND, "numa", offsetof(topomap_request, bind), TOPOMAP_BIND_NUMA},
        {TOPOMAP_REQUEST_BIND, "none", offsetof(topomap_request, bind), TOPOMAP_BIND_NONE},
        {TOPOMAP_REQUEST_INSIDE, "compact", offsetof(topomap_request, compact), 1},
        {TOPOMAP_REQUEST_WEIGHT, "bytes", offsetof(topomap_request, weight), TOPOMAP_WEIGHT_BYTES},
        {TOPOMAP_REQUEST_WEIGHT, "bytes+messages", offsetof(topomap_request, weight),
         TOPOMAP_WEIGHT_MESSAGES},
        {TOPOMAP_REQUEST_WEIGHT, "auto", offsetof(topomap_request, weight), TOPOMAP_WEIGHT_AUTO},
        {TOPOMAP_REQUEST_EFFORT, "fast", offsetof(topomap_request, effort), TOPOMAP_FAST},
        {TOPOMAP_REQUEST_EFFORT, "default", offsetof(topomap_request, effort), TOPOMAP_DEFAULT},
        {TOPOMAP_REQUEST_EFFORT, "strong", offsetof(topomap_request, effort), TOPOMAP_STRONG},
        {TOPOMAP_REQUEST_LEVELS, "inter", offsetof(topomap_request, intra), 0},
        {TOPOMAP_REQUEST_STORED, "scale", offsetof(topomap_request, stored), 2},
    };
    topomap_request request;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_request_init(&request);
        assert_int_equal(set(&request, rows[i].key, rows[i].text), 0);
        assert_int_equal(*(int *)((char *)&request + rows[i].at), rows[i].value);
        assert_true(topomap_request_has(&request, (enum topomap_request_key)rows[i].key));
        assert_int_equal(request.said, (uint64_t)1 << rows[i].key);
        topomap_request_clear(&request);
    }
}

static void objectives(void **state)
{
    topomap_request request;

    (void)state;
    topomap_request_init(&request);
    assert_int_equal(set(&request, TOPOMAP_REQUEST_OBJECTIVE, "mix:0.25"), 0);
    assert_int_equal(request.objective.kind, TOPOMAP_OBJECTIVE_MIX);
    assert_true(request.objective.mix == 0.25);
    assert_int_equal(set(&request, TOPOMAP_REQUEST_OBJECTIVE, "congestion"), 0);
    assert_int_equal(request.objective.kind, TOPOMAP_OBJECTIVE_CONGESTION);
    assert_true(request.objective.mix == 0);
    topomap_request_clear(&request);
}

/* What is no value of a key is refused everywhere, and leaves what was. */
static void refused(void **state)
{
    static const struct {
        int key;
        const char *text;
    } rows[] = {
        {TOPOMAP_REQUEST_BIND, ""},
        {TOPOMAP_REQUEST_BIND, "cor"},
        {TOPOMAP_REQUEST_BIND, "cores"},
        {TOPOMAP_REQUEST_BIND, "core pu"},
        {TOPOMAP_REQUEST_CONTIGUOUS, "2"},
        {TOPOMAP_REQUEST_OBJECTIVE, "mix:0"},
        {TOPOMAP_REQUEST_OBJECTIVE, "mix:1"},
        {TOPOMAP_REQUEST_OBJECTIVE, "mix:"},
        {TOPOMAP_REQUEST_OBJECTIVE, "J:0.5"},
        {TOPOMAP_REQUEST_SEED, "-1"},
        {TOPOMAP_REQUEST_SEED, " 1"},
        {TOPOMAP_REQUEST_SEED, "1x"},
        {TOPOMAP_REQUEST_SEED, "18446744073709551616"},
        {TOPOMAP_REQUEST_TIME, "-1"},
        {TOPOMAP_REQUEST_TIME, "nan"},
        {TOPOMAP_REQUEST_TIME, "inf"},
        {TOPOMAP_REQUEST_TIME, "1s"},
        {TOPOMAP_REQUEST_MIN_GAIN, "100.5"},
        {TOPOMAP_REQUEST_CPUS_PER_TASK, "0"},
        {TOPOMAP_REQUEST_CPUS_PER_TASK, "65537"},
        {TOPOMAP_REQUEST_THREADS, "1025"},
        {TOPOMAP_REQUEST_BALANCE, "much"},
    };
    topomap_request request, before;

    (void)state;
    topomap_request_init(&request);
    before = request;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(set(&request, rows[i].key, rows[i].text), -1);
        assert_false(topomap_request_fits((enum topomap_request_key)rows[i].key, rows[i].text));
        assert_memory_equal(&request, &before, sizeof request);
    }
    /* As users and sites may say it; a planner's request has what srun made of it. */
    assert_false(topomap_request_fits(TOPOMAP_REQUEST_CAPACITY, "here"));
    assert_true(topomap_request_fits(TOPOMAP_REQUEST_CAPACITY, "/here"));
    assert_true(topomap_request_fits(TOPOMAP_REQUEST_CAPACITY, "measured"));
    assert_false(topomap_request_fits(TOPOMAP_REQUEST_CAPACITY, "measured.csv"));
    assert_false(topomap_request_fits(TOPOMAP_REQUEST_GRAPH, ""));
    topomap_request_clear(&request);
}

static void what_is_taken(void **state)
{
    char text[160];

    (void)state;
    topomap_request_takes(TOPOMAP_REQUEST_BIND, text, sizeof text);
    assert_string_equal(text, "core, pu, numa, none or gpu");
    topomap_request_takes(TOPOMAP_REQUEST_CPUS_PER_TASK, text, sizeof text);
    assert_string_equal(text, "a whole number from 1 to 65536");
    topomap_request_takes(TOPOMAP_REQUEST_GRAPH, text, sizeof text);
    assert_string_equal(text, "a file or pattern");
    /* cut, not overrun */
    topomap_request_takes(TOPOMAP_REQUEST_BIND, text, 8);
    assert_int_equal(strlen(text), 7);
}

/* Every line that is written is read as the same. */
static void lines_come_back(void **state)
{
    (void)state;
    for (int key = 0; key < TOPOMAP_REQUEST_KEYS; key++) {
        const topomap_request_row *row = row_of(key);
        const char *value = row->fallback                       ? row->fallback
                            : row->read == topomap_request_text ? "a b"
                                                                : "1";
        topomap_request request, other;
        topomap_error err;
        char *text;
        size_t size;
        FILE *out;

        if (!row->line || row->read == topomap_request_word)
            continue;
        out = open_memstream(&text, &size);
        assert_non_null(out);
        topomap_request_write_line(out, (enum topomap_request_key)key, value);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(text[size - 1], '\n');
        text[size - 1] = '\0';
        topomap_request_init(&request);
        topomap_request_init(&other);
        assert_int_equal(line(&request, text, &err), 0);
        assert_int_equal(set(&other, key, value), 0);
        assert_int_equal(request.said, other.said);
        if (row->read == topomap_request_text)
            assert_string_equal(*(char **)((char *)&request + row->at), value);
        else
            assert_memory_equal(&request, &other, sizeof request);
        free(text);
        topomap_request_clear(&request);
        topomap_request_clear(&other);
    }
}

static void bad_lines(void **state)
{
    topomap_request request;
    topomap_error err;

    (void)state;
    topomap_request_init(&request);
    assert_int_equal(line(&request, "seed", &err), -1);
    assert_message(err.text, "request:7:|'key value'");
    assert_int_equal(line(&request, "sed 1", &err), -1);
    assert_message(err.text, "request:7:|'sed'");
    /* an option of the command line, and what planning never hears of */
    assert_int_equal(line(&request, "algorithm auto", &err), -1);
    assert_int_equal(line(&request, "required 1", &err), -1);
    assert_int_equal(line(&request, "seed one", &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "request:7:|seed");
    assert_int_equal(request.said, 0);
    assert_int_equal(line(&request, "graph a", &err), 0);
    assert_int_equal(line(&request, "graph b", &err), -1);
    assert_message(err.text, "given twice");
    assert_string_equal(request.graph, "a");
    topomap_request_clear(&request);
    assert_null(request.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),  cmocka_unit_test(defaults),
        cmocka_unit_test(words),           cmocka_unit_test(objectives),
        cmocka_unit_test(refused),         cmocka_unit_test(what_is_taken),
        cmocka_unit_test(lines_come_back), cmocka_unit_test(bad_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
