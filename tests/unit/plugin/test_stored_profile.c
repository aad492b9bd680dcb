/* SPDX-License-Identifier: BSD-3-Clause */
/* What the planner makes of a stored profile: of this size, of another, changed, damaged; and
 * graphs without their light messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/graph.h"
#include "graph/recognise/name.h"
#include "plugin/planner/plan/plan.h"
#include "tests/unit/messages.h"

static char folder[] = "/tmp/topomap-stored-XXXXXX";
static char path[64], before[64];

static topomap_graph *made(const char *pattern)
{
    topomap_graph *graph;
    topomap_error err;

    assert_int_equal(topomap_graph_generate(pattern, &graph, &err), 0);
    return graph;
}

static void store(const char *pattern, const char *file)
{
    topomap_graph *graph = made(pattern);
    topomap_error err;

    assert_int_equal(topomap_graph_write(graph, file, "tmg", &err), 0);
    topomap_graph_free(graph);
}

static double overlap(const char *a, const char *b)
{
    topomap_graph *x = made(a), *y = made(b);
    topomap_error err;
    double share;

    assert_int_equal(topomap_graph_likeness(x, y, &share, &err), 0);
    topomap_graph_free(x);
    topomap_graph_free(y);
    return share;
}

/* A ring of 8 has 8 pairs, a chain 7 of them: of the ring's weight 1/8 each, of the chain's 1/7. */
static void test_overlap(void **state)
{
    (void)state;
    assert_float_equal(overlap("ring:8", "ring:8"), 1, 1e-12);
    assert_float_equal(overlap("ring:8", "chain:8"), 7. / 8, 1e-12);
    assert_float_equal(overlap("chain:8", "ring:8"), 7. / 8, 1e-12);
    assert_float_equal(overlap("ring:8,bytes=5", "ring:8,bytes=1000"), 1, 1e-12);
    assert_float_equal(overlap("ring:8", "ring:9"), 0, 1e-12);
}

/* Of an alltoall of 8 ranks, a ring has 8 of 28 pairs; an alltoall has all of the ring's. */
static void test_fit(void **state)
{
    topomap_graph *ring = made("ring:8"), *all = made("alltoall:n=8,group=8");
    topomap_error err;
    double share;

    (void)state;
    assert_int_equal(topomap_graph_fit(ring, all, &share, &err), 0);
    assert_float_equal(share, 8. / 28, 1e-12);
    assert_int_equal(topomap_graph_fit(all, ring, &share, &err), 0);
    assert_float_equal(share, 8. / 28, 1e-12);
    assert_int_equal(topomap_graph_fit(all, all, &share, &err), 0);
    assert_float_equal(share, 1, 1e-12);
    topomap_graph_free(ring);
    topomap_graph_free(all);
}

static uint64_t heavy_pairs(const char *pattern)
{
    topomap_graph *graph = made(pattern), *heavy;
    topomap_error err;
    uint64_t pairs;

    assert_int_equal(topomap_graph_heavy(graph, &heavy, &err), 0);
    assert_int_equal(topomap_graph_ranks(heavy), topomap_graph_ranks(graph));
    pairs = topomap_graph_edges(heavy);
    topomap_graph_free(heavy);
    topomap_graph_free(graph);
    return pairs;
}

/* The weights of a graph lose the same pairs, and keep the others as they were. */
static void test_heavy_weights(void **state)
{
    topomap_graph *graph = made("sum(chain:16,bytes=100000,alltoall:n=16,group=16,bytes=4)");
    topomap_weights all, heavy, again;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_weights_new(graph, 20, &all, &err), 0);
    assert_int_equal(topomap_weights_heavy(&all, &heavy, &err), 1);
    assert_int_equal(heavy.vertices, 20);
    assert_int_equal(heavy.offset[20], 30);
    assert_int_equal(heavy.offset[1], 1);
    assert_int_equal(heavy.target[0], 1);
    assert_int_equal(heavy.weight[0], all.weight[0]);
    assert_int_equal(heavy.total, 15 * all.weight[0]);
    assert_int_equal(topomap_weights_heavy(&heavy, &again, &err), 0);
    topomap_weights_clear(&heavy);
    topomap_weights_clear(&all);
    topomap_graph_free(graph);
}

static void test_heavy(void **state)
{
    (void)state;
    assert_int_equal(heavy_pairs("stencil2d:5:4x4,bytes=1000"), 24);
    assert_int_equal(
        heavy_pairs("sum(stencil2d:5:4x4,bytes=100000,alltoall:n=16,group=16,bytes=4)"), 24);
    /* What is light but much stays. */
    assert_int_equal(heavy_pairs("sum(chain:16,bytes=100000,alltoall:n=16,group=16,bytes=3000)"),
                     120);
    assert_int_equal(heavy_pairs("chain:1"), 0);
}

static planner_profile opened(enum planner_profile_kind kind, uint32_t tasks)
{
    planner_request request = {.asked = {.graph = path,
                                         .stored = kind,
                                         .profiled = (char *)"solver, 16 ranks",
                                         .profiled_before = before}};
    planner_profile profile;
    topomap_error err;

    assert_int_equal(planner_profile_open(&request, tasks, &profile, &err), 0);
    return profile;
}

static void assert_says(const char *text, const char *part)
{
    if (!message_has(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

static void test_of_this_size(void **state)
{
    planner_profile profile;

    (void)state;
    store("ring:16", path);
    unlink(before);
    profile = opened(PLANNER_PROFILE_EXACT, 16);
    assert_int_equal(topomap_graph_ranks(profile.graph), 16);
    assert_string_equal(profile.line, "");
    assert_message(profile.detail, "graph:|solver|16 ranks");
    topomap_graph_free(profile.graph);
    store("stencil2d:5:4x4", before);
    profile = opened(PLANNER_PROFILE_EXACT, 16);
    assert_says(profile.detail, "changed");
    topomap_graph_free(profile.graph);
    store("ring:16,bytes=3", before);
    profile = opened(PLANNER_PROFILE_EXACT, 16);
    assert_says(profile.detail, "100 %");
    topomap_graph_free(profile.graph);
}

static void test_damaged(void **state)
{
    planner_profile profile;
    FILE *out;

    (void)state;
    store("ring:16", path);
    profile = opened(PLANNER_PROFILE_EXACT, 17);
    assert_true(profile.damaged && !profile.graph);
    assert_int_equal(truncate(path, 300), 0);
    profile = opened(PLANNER_PROFILE_EXACT, 16);
    assert_true(profile.damaged && !profile.graph);
    profile = opened(PLANNER_PROFILE_SCALE, 64);
    assert_true(profile.damaged && !profile.graph);
    out = fopen(path, "w");
    fputs("0,1,5\n1,2,5\n", out); /* a graph, but no profile */
    fclose(out);
    profile = opened(PLANNER_PROFILE_EXACT, 3);
    assert_true(profile.damaged && !profile.graph);
    unlink(path);
    profile = opened(PLANNER_PROFILE_EXACT, 3);
    assert_true(profile.damaged && !profile.graph);
}

static void assert_scaled(const char *from, uint32_t tasks, const char *to)
{
    planner_profile profile;

    store(from, path);
    profile = opened(PLANNER_PROFILE_SCALE, tasks);
    if (to) {
        assert_non_null(profile.graph);
        assert_int_equal(topomap_graph_ranks(profile.graph), tasks);
        assert_says(profile.line, to);
    } else {
        assert_null(profile.graph);
        assert_false(profile.damaged);
    }
    topomap_graph_free(profile.graph);
}

static void test_of_another_size(void **state)
{
    (void)state;
    assert_scaled("stencil2d:5:8x8", 256,
                  "stencil2d:5:16x16|solver|16 ranks|stencil2d:5:8x8|100 %");
    assert_scaled("stencil2d:5:8x4", 128, "stencil2d:5:16x8");
    assert_scaled("stencil2d:5:8x8", 16, "stencil2d:5:4x4");
    assert_scaled("stencil3d:7:4x4x4", 512, "stencil3d:7:8x8x8");
    assert_scaled("ring:16", 100, "ring:100");
    assert_scaled("stencil2d:5:8x8", 128, NULL); /* 16x8 or 8x16 */
    assert_scaled("random:n=64,deg=5", 256, NULL);
    assert_scaled("sum(stencil2d:5:8x8,bytes=100000,alltoall:n=64,group=64,bytes=4)", 256,
                  "stencil2d:5:16x16");
}

/* Recognised, but in an order that tells nothing about another size. */
static void test_shuffled(void **state)
{
    topomap_graph *graph = made("stencil2d:5:8x8"), *shuffled;
    planner_profile profile;
    uint32_t order[64];
    topomap_error err;

    (void)state;
    for (uint32_t r = 0; r < 64; r++)
        order[r] = r * 37 % 64;
    assert_int_equal(topomap_graph_permute(graph, order, &shuffled, &err), 0);
    assert_int_equal(topomap_graph_write(shuffled, path, "tmg", &err), 0);
    profile = opened(PLANNER_PROFILE_SCALE, 256);
    assert_null(profile.graph);
    assert_says(profile.line, "order");
    topomap_graph_free(graph);
    topomap_graph_free(shuffled);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/profile.tmg", folder);
    snprintf(before, sizeof before, "%s/before.tmg", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(before);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap),         cmocka_unit_test(test_fit),
        cmocka_unit_test(test_heavy),           cmocka_unit_test(test_heavy_weights),
        cmocka_unit_test(test_of_this_size),    cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_of_another_size), cmocka_unit_test(test_shuffled),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
