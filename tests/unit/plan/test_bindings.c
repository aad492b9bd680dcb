/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "plan/bindings.h"
#include "plan/node_plan.h"
#include "tests/unit/messages.h"
#include "util/random.h"

/* A class of `cores` cores with `threads` PUs each; PU numbers as Linux gives them: all first
 * hardware threads, then all second ones. */
static void make_class(topomap_bindings_class *node_class, uint32_t cores, uint32_t threads)
{
    node_class->cores = cores;
    node_class->pu_first = calloc(cores + 1, sizeof *node_class->pu_first);
    node_class->pu_os = calloc((size_t)cores * threads, sizeof *node_class->pu_os);
    for (uint32_t core = 0; core < cores; core++) {
        node_class->pu_first[core + 1] = (core + 1) * threads;
        for (uint32_t thread = 0; thread < threads; thread++)
            node_class->pu_os[core * threads + thread] = thread * cores + core;
    }
}

static void make_arrays(topomap_bindings *bindings, uint32_t classes, uint32_t nodes,
                        uint32_t tasks, uint32_t pus)
{
    memset(bindings, 0, sizeof *bindings);
    bindings->job = 4711;
    bindings->step = 3;
    bindings->classes = classes;
    bindings->nodes = nodes;
    bindings->node_class = calloc(classes ? classes : 1, sizeof *bindings->node_class);
    bindings->class_of = calloc(nodes, sizeof *bindings->class_of);
    bindings->task_first = calloc((size_t)nodes + 1, sizeof *bindings->task_first);
    bindings->pu_start = calloc((size_t)tasks + 1, sizeof *bindings->pu_start);
    bindings->pu = calloc(pus ? pus : 1, sizeof *bindings->pu);
}

/* `nodes` nodes of 128 one-PU cores, a task on each, each node in an order of its own. */
static void make_large(topomap_bindings *bindings, uint32_t nodes)
{
    topomap_random random = {7};

    make_arrays(bindings, 1, nodes, nodes * 128, nodes * 128);
    make_class(&bindings->node_class[0], 128, 1);
    for (uint32_t node = 0; node < nodes; node++) {
        bindings->task_first[node + 1] = (node + 1) * 128;
        for (uint32_t i = 0; i < 128; i++) {
            bindings->pu_start[node * 128 + i + 1] = node * 128 + i + 1;
            bindings->pu[node * 128 + i] = i;
        }
        topomap_random_shuffle(&random, bindings->pu + node * 128, 128);
    }
}

/* Four nodes: even cores, uneven PUs, of unknown inside, and without tasks. The hybrid class has
 * two cores of two PUs and four of one. */
static void make_mixed(topomap_bindings *bindings)
{
    static const uint32_t first[] = {0, 2, 4, 5, 6, 7, 8}, os[] = {0, 4, 1, 5, 2, 3, 6, 7};
    static const uint32_t pu[] = {0, 1, 8, 9, 6, 14, 0, 2, 4, 1, 3, 5, 7, 6};
    static const uint32_t start[] = {0, 4, 6, 9, 13, 14, 14, 14, 14};
    topomap_bindings_class *hybrid;

    make_arrays(bindings, 2, 4, 8, 14);
    make_class(&bindings->node_class[0], 8, 2);
    hybrid = &bindings->node_class[1];
    hybrid->cores = 6;
    hybrid->pu_first = malloc(sizeof first);
    hybrid->pu_os = malloc(sizeof os);
    memcpy(hybrid->pu_first, first, sizeof first);
    memcpy(hybrid->pu_os, os, sizeof os);
    bindings->class_of[1] = 1;
    bindings->class_of[2] = UINT32_MAX;
    bindings->task_first[1] = 2;
    bindings->task_first[2] = 5;
    bindings->task_first[3] = bindings->task_first[4] = 8;
    memcpy(bindings->pu_start, start, sizeof start);
    memcpy(bindings->pu, pu, sizeof pu);
}

/* Orders of GPUs: of four with a gap, of all of two, and on the node of unknown inside. */
static void add_gpus(topomap_bindings *bindings)
{
    static const uint32_t first[] = {0, 4, 6, 9, 9}, gpu[] = {0, 1, 4, 7, 0, 1, 0, 2, 3},
                          place[] = {2, 0, 1, 3, 1, 0, 1, 2, 0};

    bindings->gpu_amd = memset(calloc(4, 1), 1, 1);
    bindings->gpu_first = malloc(sizeof first);
    bindings->gpu = malloc(sizeof gpu);
    bindings->gpu_place = malloc(sizeof place);
    memcpy(bindings->gpu_first, first, sizeof first);
    memcpy(bindings->gpu, gpu, sizeof gpu);
    memcpy(bindings->gpu_place, place, sizeof place);
}

static void assert_same(const topomap_bindings *a, const topomap_bindings *b)
{
    uint32_t tasks = a->task_first[a->nodes], gpus = a->gpu_first ? a->gpu_first[a->nodes] : 0;

    assert_int_equal(!a->gpu_first, !b->gpu_first);
    if (a->gpu_first)
        assert_memory_equal(a->gpu_first, b->gpu_first, (a->nodes + 1) * sizeof(uint32_t));
    if (gpus) {
        assert_memory_equal(a->gpu_amd, b->gpu_amd, a->nodes);
        assert_memory_equal(a->gpu, b->gpu, gpus * sizeof(uint32_t));
        assert_memory_equal(a->gpu_place, b->gpu_place, gpus * sizeof(uint32_t));
    }

    assert_int_equal(a->job, b->job);
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->classes, b->classes);
    for (uint32_t i = 0; i < a->classes; i++) {
        uint32_t cores = a->node_class[i].cores;

        assert_int_equal(cores, b->node_class[i].cores);
        assert_memory_equal(a->node_class[i].pu_first, b->node_class[i].pu_first,
                            (cores + 1) * sizeof(uint32_t));
        assert_memory_equal(a->node_class[i].pu_os, b->node_class[i].pu_os,
                            a->node_class[i].pu_first[cores] * sizeof(uint32_t));
    }
    assert_int_equal(a->nodes, b->nodes);
    assert_memory_equal(a->class_of, b->class_of, a->nodes * sizeof(uint32_t));
    assert_memory_equal(a->task_first, b->task_first, (a->nodes + 1) * sizeof(uint32_t));
    assert_memory_equal(a->pu_start, b->pu_start, (tasks + 1) * sizeof(uint32_t));
    assert_memory_equal(a->pu, b->pu, a->pu_start[tasks] * sizeof(uint32_t));
}

static int decode_node(const char *text, uint32_t node, size_t budget, topomap_node_plan *plan,
                       void **memory, topomap_error *err)
{
    return topomap_bindings_decode_node(text, strlen(text), node, budget, plan, memory, err);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* One node of them has what the whole has there. */
static void assert_node(const topomap_bindings *bindings, const char *text, uint32_t i)
{
    uint32_t first = bindings->task_first[i], tasks = bindings->task_first[i + 1] - first;
    topomap_node_plan node;
    topomap_error err;
    void *memory;

    assert_int_equal(decode_node(text, i, SIZE_MAX, &node, &memory, &err), 0);
    assert_int_equal(node.job, bindings->job);
    assert_int_equal(node.step, bindings->step);
    assert_int_equal(node.tasks, tasks);
    assert_int_equal(!node.cores, bindings->class_of[i] == UINT32_MAX);
    assert_true(topomap_node_plan_counts(&node) && topomap_node_plan_is_sound(&node));
    for (uint32_t task = 0; node.cores && task < tasks; task++) {
        const uint32_t *pu = bindings->pu + bindings->pu_start[first + task];
        uint32_t count = bindings->pu_start[first + task + 1] - bindings->pu_start[first + task];
        int has[8192];
        uint32_t have = 0;

        for (uint32_t k = node.task_first[task]; k < node.task_first[task + 1]; k++)
            for (uint32_t m = 0; m < node.run[2 * k + 1]; m++)
                has[have++] = node.pu_os[node.run[2 * k] + m];
        assert_int_equal(have, count);
        qsort(has, have, sizeof *has, by_number);
        assert_memory_equal(has, pu, count * sizeof *pu);
    }
    assert_int_equal(node.gpus,
                     bindings->gpu_first ? bindings->gpu_first[i + 1] - bindings->gpu_first[i] : 0);
    for (uint32_t k = 0; k < node.gpus; k++) {
        assert_int_equal(node.gpu[k], bindings->gpu[bindings->gpu_first[i] + k]);
        assert_int_equal(node.gpu_place[k], bindings->gpu_place[bindings->gpu_first[i] + k]);
    }
    free(memory);
}

static void round_trip(const topomap_bindings *bindings, size_t *size)
{
    topomap_bindings back;
    topomap_node_plan node;
    topomap_error err;
    char *text = topomap_bindings_encode(bindings, &err), *again;
    void *memory;

    assert_non_null(text);
    *size = strlen(text);
    assert_int_equal(strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "-_"),
                     *size);
    assert_int_equal(topomap_bindings_decode(text, &back, &err), 0);
    assert_same(bindings, &back);
    again = topomap_bindings_encode(&back, &err);
    assert_string_equal(text, again);
    for (uint32_t i = 0; i < bindings->nodes; i += 1 + bindings->nodes / 16)
        assert_node(bindings, text, i);
    assert_int_equal(decode_node(text, bindings->nodes, SIZE_MAX, &node, &memory, &err), -1);
    assert_null(memory);
    free(again);
    free(text);
    topomap_bindings_clear(&back);
}

static void large_round_trip_is_small(void **state)
{
    topomap_bindings bindings;
    size_t size;

    (void)state;
    make_large(&bindings, 1024);
    round_trip(&bindings, &size);
    print_message("1,024 nodes of 128 tasks, shuffled: %zu characters, %.3f a task\n", size,
                  (double)size / (1024 * 128));
    assert_true(size <= 2 * 1024 * 128);
    topomap_bindings_clear(&bindings);

    make_large(&bindings, 1);
    round_trip(&bindings, &size);
    print_message("1 node of 128 tasks, shuffled: %zu characters\n", size);
    assert_true(size <= 2 * 128);
    for (uint32_t i = 0; i < 128; i++)
        bindings.pu[i] = i;
    round_trip(&bindings, &size);
    assert_true(size <= 40);
    topomap_bindings_clear(&bindings);
}

static void mixed_round_trip(void **state)
{
    topomap_bindings bindings;
    size_t size;

    (void)state;
    make_mixed(&bindings);
    round_trip(&bindings, &size);
    topomap_bindings_clear(&bindings);
}

/* What has no order of GPUs is written as before there were any. */
static void orders_of_gpus_travel(void **state)
{
    topomap_bindings bindings;
    topomap_error err;
    size_t without, with;
    char *text;

    (void)state;
    make_mixed(&bindings);
    text = topomap_bindings_encode(&bindings, &err);
    assert_memory_equal(text, "T1", 2);
    free(text);
    round_trip(&bindings, &without);
    add_gpus(&bindings), text = topomap_bindings_encode(&bindings, &err);
    assert_memory_equal(text, "T2", 2);
    free(text);
    round_trip(&bindings, &with);
    assert_true(with > without && with <= without + 30);
    assert_null(topomap_bindings_in_order(&bindings, &err)); /* the CPUs are the GPUs' */
    bindings.gpu[2] = 1;                                     /* twice */
    assert_null(topomap_bindings_encode(&bindings, &err));
    bindings.gpu[2] = 4, bindings.gpu_place[5] = 1;
    assert_null(topomap_bindings_encode(&bindings, &err));
    topomap_bindings_clear(&bindings);
}

/* A task's first place in its node's class. */
static uint32_t place_of(const topomap_bindings *b, uint32_t node, uint32_t task)
{
    const topomap_bindings_class *inside = &b->node_class[b->class_of[node]];
    uint32_t least = UINT32_MAX;

    for (uint32_t i = b->pu_start[task]; i < b->pu_start[task + 1]; i++)
        for (uint32_t k = 0; k < inside->pu_first[inside->cores]; k++)
            if (inside->pu_os[k] == b->pu[i] && k < least)
                least = k;
    return least;
}

/* Every node's tasks have the CPUs that they had, in another order: by their places. */
static void check_in_order(const topomap_bindings *bindings, size_t most)
{
    topomap_bindings back;
    topomap_error err;
    char *text = topomap_bindings_in_order(bindings, &err);

    assert_non_null(text);
    assert_true(strlen(text) <= most);
    assert_int_equal(topomap_bindings_decode(text, &back, &err), 0);
    assert_int_equal(back.job, bindings->job);
    assert_memory_equal(back.task_first, bindings->task_first,
                        (bindings->nodes + 1) * sizeof(uint32_t));
    for (uint32_t node = 0; node < back.nodes; node++) {
        uint32_t first = back.task_first[node], end = back.task_first[node + 1];

        for (uint32_t task = first; task < end; task++) {
            uint32_t pus = back.pu_start[task + 1] - back.pu_start[task], same = 0;

            if (task > first && pus)
                assert_true(place_of(&back, node, task - 1) <= place_of(&back, node, task));
            for (uint32_t other = first; other < end; other++)
                same += bindings->pu_start[other + 1] - bindings->pu_start[other] == pus &&
                        memcmp(bindings->pu + bindings->pu_start[other],
                               back.pu + back.pu_start[task], pus * sizeof(uint32_t)) == 0;
            assert_true(same > 0);
        }
    }
    topomap_bindings_clear(&back);
    free(text);
}

static void in_order_is_short(void **state)
{
    topomap_bindings bindings;

    (void)state;
    make_large(&bindings, 512);
    check_in_order(&bindings, 512);
    topomap_bindings_clear(&bindings);
    make_mixed(&bindings);
    check_in_order(&bindings, 100);
    topomap_bindings_clear(&bindings);
}

static void damage_is_found(void **state)
{
    topomap_bindings bindings, back = {.job = 1};
    topomap_error err;
    char *text;
    size_t size;

    (void)state;
    make_mixed(&bindings);
    text = topomap_bindings_encode(&bindings, &err);
    size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        char keep = text[i];

        for (int byte = 0; byte < 256; byte++) {
            if ((char)byte == keep)
                continue;
            text[i] = (char)byte;
            assert_int_equal(topomap_bindings_decode(text, &back, &err), -1);
            assert_int_equal(err.code, TOPOMAP_EINPUT);
        }
        text[i] = keep;
    }
    for (size_t length = 0; length < size; length++) {
        char *cut = strndup(text, length); /* on the heap, so that a sanitizer sees overruns */

        assert_int_equal(topomap_bindings_decode(cut, &back, &err), -1);
        free(cut);
    }
    assert_int_equal(back.job, 1); /* untouched */
    free(text);
    topomap_bindings_clear(&bindings);
}

static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Puts a correct checksum under a changed text, so that the checks behind it are reached. */
static void sign(char *text, size_t size)
{
    uint64_t crc = topomap_crc32(0, text, size - 6);

    for (int i = 0; i < 6; i++)
        text[size - 6 + (size_t)i] = characters[crc >> (5 - i) * 6 & 63];
}

static int check(const char *text, const topomap_bindings *as, topomap_error *err)
{
    return topomap_bindings_check(text, as->job, as->step, as->nodes, as->task_first, err);
}

static void signed_damage_is_harmless(void **state)
{
    topomap_bindings bindings, back;
    topomap_random random = {11};
    topomap_error err;
    unsigned refused = 0, taken = 0;
    char *text, *copy;
    size_t size;

    (void)state;
    make_mixed(&bindings);
    add_gpus(&bindings);
    text = topomap_bindings_encode(&bindings, &err);
    size = strlen(text);
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t changes = 1 + topomap_random_below(&random, 4);
        size_t length = round % 3 ? size : 9 + topomap_random_below(&random, (uint32_t)size - 9);

        copy = strndup(text, length);
        for (uint32_t i = 0; i < changes; i++)
            copy[2 + topomap_random_below(&random, (uint32_t)length - 8)] =
                characters[topomap_random_below(&random, 64)];
        sign(copy, length);
        if (topomap_bindings_decode(copy, &back, &err)) {
            assert_int_equal(check(copy, &bindings, &err), -1);
            refused++;
        } else {
            taken++;
            for (uint32_t i = 0; i < back.pu_start[back.task_first[back.nodes]]; i++)
                assert_true(back.pu[i] < 8192);
            topomap_bindings_clear(&back);
        }
        free(copy);
    }
    assert_true(refused > 0 && taken > 0);
    free(text);
    topomap_bindings_clear(&bindings);
}

static void nonsense_is_not_encoded(void **state)
{
    topomap_bindings bindings;
    topomap_error err;

    (void)state;
    make_mixed(&bindings);
    bindings.pu[0] = 99; /* not in the class, and not ascending */
    assert_null(topomap_bindings_encode(&bindings, &err));
    bindings.pu[0] = 0;
    bindings.class_of[2] = 0; /* a class, but tasks without PUs */
    assert_null(topomap_bindings_encode(&bindings, &err));
    bindings.class_of[2] = 2;
    assert_null(topomap_bindings_encode(&bindings, &err));
    bindings.class_of[2] = UINT32_MAX;
    bindings.node_class[0].pu_os[1] = 0; /* twice */
    assert_null(topomap_bindings_encode(&bindings, &err));
    topomap_bindings_clear(&bindings);
}

static void assert_refused(const char *text, const topomap_bindings *as, const char *why)
{
    topomap_error err = {.code = TOPOMAP_OK};

    assert_int_equal(check(text, as, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, why);
}

static void check_compares_with_the_step(void **state)
{
    topomap_bindings bindings;
    topomap_error err;
    char *text;

    (void)state;
    make_mixed(&bindings);
    text = topomap_bindings_encode(&bindings, &err);
    assert_int_equal(check(text, &bindings, &err), 0);
    bindings.job++;
    assert_refused(text, &bindings, "4711.3");
    bindings.job--;
    bindings.step++;
    assert_refused(text, &bindings, "4711.3");
    bindings.step--;
    bindings.nodes--;
    assert_refused(text, &bindings, "4 nodes|3");
    bindings.nodes++;
    bindings.task_first[1]++;
    assert_refused(text, &bindings, "2 tasks|node 0|3");
    bindings.task_first[1]--;
    text[strlen(text) / 2] ^= 1;
    assert_refused(text, &bindings, "checksum");
    assert_refused("T1", &bindings, "version");
    assert_refused("", &bindings, "version");
    free(text);
    topomap_bindings_clear(&bindings);
    make_large(&bindings, 64);
    text = topomap_bindings_encode(&bindings, &err);
    assert_int_equal(check(text, &bindings, &err), 0);
    free(text);
    topomap_bindings_clear(&bindings);
}

/* Numbers and runs of the text, with head and checksum. \p words: 'n' a number, 'a' align, digits:
 * so many bits of the next number. */
static char *forge(const char *words, const uint64_t *value)
{
    topomap_sextet_writer writer = {0};
    char *text;

    for (; *words; words++) {
        if (*words == 'n')
            topomap_sextet_put_number(&writer, *value++);
        else if (*words == 'a')
            topomap_sextet_align(&writer);
        else
            topomap_sextet_put(&writer, (uint32_t)*value++, (unsigned)(*words - '0'));
    }
    topomap_sextet_align(&writer);
    text = calloc(writer.size + 9, 1);
    memcpy(text, "T1", 2);
    memcpy(text + 2, writer.text, writer.size);
    sign(text, writer.size + 8);
    free(writer.text);
    return text;
}

/* One class of `cores` cores with `pus` PUs each, and a pattern of `tasks` tasks that all have the
 * first `length` of its cores: bindings that unfold to far more than they are. */
static char *forge_node(uint32_t cores, uint32_t pus, uint32_t tasks, uint32_t length)
{
    const uint64_t values[] = {4711,    3,
                               1,       cores, /* job, step, classes */
                               pus * 2, cores - 1,
                               1, /* PUs a core: one run */
                               0,       cores * (uint64_t)pus - 1,
                               0, /* OS PU numbers 0, 1, ... */
                               1,       1,
                               tasks,   1,
                               1,       length - 1, /* patterns, class, form */
                               0,       tasks - 1,
                               1,           /* all tasks start at 0 */
                               1,       0}; /* nodes and their pattern */

    return forge("nnnnnnnnnnn"
                 "ann12nnnn"
                 "an1",
                 values);
}

static void forged_texts_cost_nothing_to_check(void **state)
{
    uint32_t task_first[] = {0, 65536};
    topomap_bindings like = {.job = 4711, .step = 3, .nodes = 1, .task_first = task_first};
    topomap_error err;
    char *text = forge_node(8192, 1, 65536, 512);

    (void)state;
    print_message("%zu characters: %s\n", strlen(text), text);
    assert_true(strlen(text) < 64);
    if (check(text, &like, &err))
        fail_msg("%s", err.text);
    task_first[1]--;
    assert_refused(text, &like, "65536 tasks|node 0|65535");
    free(text);
}

/* What a step's tasks are given: 64 KiB, and 64 bytes a task. */
static size_t budget_of(uint32_t tasks)
{
    return ((size_t)64 << 10) + 64 * (size_t)tasks;
}

static void memory_is_bounded_before_it_is_asked_for(void **state)
{
    topomap_bindings bindings;
    topomap_node_plan plan;
    topomap_error err;
    void *memory = &plan;
    char *text = forge_node(8192, 1, 65536, 8192);

    (void)state;
    assert_int_equal(decode_node(text, 0, budget_of(8), &plan, &memory, &err), -1);
    assert_null(memory);
    assert_message(err.text, "memory");
    free(text);
    make_large(&bindings, 1024); /* 128 cores each */
    text = topomap_bindings_encode(&bindings, &err);
    for (uint32_t node = 0; node < 1024; node += 1023) {
        if (decode_node(text, node, budget_of(1024 * 128), &plan, &memory, &err))
            fail_msg("%s", err.text);
        assert_true(topomap_node_plan_size(&plan) < 4096);
        free(memory);
    }
    assert_int_equal(decode_node(text, 0, 1000, &plan, &memory, &err), -1);
    free(text);
    topomap_bindings_clear(&bindings);
}

static void crc_is_the_usual_one(void **state)
{
    (void)state;
    assert_int_equal(topomap_crc32(0, "123456789", 9), 0xcbf43926); /* the check value */
    assert_int_equal(topomap_crc32(topomap_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_the_usual_one),
        cmocka_unit_test(large_round_trip_is_small),
        cmocka_unit_test(mixed_round_trip),
        cmocka_unit_test(orders_of_gpus_travel),
        cmocka_unit_test(in_order_is_short),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(signed_damage_is_harmless),
        cmocka_unit_test(nonsense_is_not_encoded),
        cmocka_unit_test(check_compares_with_the_step),
        cmocka_unit_test(forged_texts_cost_nothing_to_check),
        cmocka_unit_test(memory_is_bounded_before_it_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
