/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns, alone and against the public instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/patterns/patterns.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/scratch.h"

static const struct graph_known known[] = {
    {"stencil2d:5:48x32", 1536, 2992, 2 * 64 * 2992},
    {"stencil2d:5:48x32,periodic,bytes=1", 1536, 3072, 2 * 3072},
    {"stencil2d:5:48x32,wrap=x,bytes=1", 1536, 2992 + 32, 2 * (2992 + 32)},
    {"stencil2d:5:48x32,wrap=yx,bytes=1", 1536, 3072, 2 * 3072},
    {"stencil2d:9:3x3,bytes=64", 9, 20, 2 * (12 * 64 + 8 * 8)},
    {"stencil3d:27:2x2x2,bytes=64", 8, 28, 2 * (12 * 64 + 12 * 8 + 4)},
    {"stencil3d:7:1x1x5,bytes=3", 5, 4, 24},
    {"stencil3d:27:3x3x3,periodic,bytes=5", 27, 27 * 13, 27 * (6 * 5 + 20)},
    {"stencil2d:5:4x4,bytes=x:64,y:32", 16, 24, 2 * (12 * 64 + 12 * 32)},
    {"stencil2d:5:4x4,bytes=x+:64,x-:1,y:2", 16, 24, 12 * 65 + 12 * 4},
    {"stencil2d:9:3x3,bytes=64,side=1", 9, 20, 2 * 20 * 64},
    {"stencil2d:9:2x2,bytes=x:64,y:16", 4, 6, 2 * (2 * 64 + 2 * 16 + 2 * 2)},
    {"stencil3d:19:3x3x3,periodic,bytes=8", 27, 27 * 9, 27 * (6 * 8 + 12)},
    {"stencil4d:9:3x3x3x3,periodic,bytes=1", 81, 324, 648},
    {"stencil:81:3x3x3x3,periodic,bytes=1", 81, 81 * 40, 81 * 80},
    {"stencil:3:7", 7, 6, 12 * 64},
    {"stencil:243:3x3x3x3x3,periodic,bytes=1", 243, 243 * 121, 243 * 242},
    {"torus5d:3x3x3x3x3,bytes=1", 243, 1215, 2430},
    {"torus6d:3x3x3x3x3x3,bytes=1", 729, 4374, 8748},
    {"torus:3x3,points=9,bytes=1", 9, 36, 72},
    {"mesh:3x4,bytes=1", 12, 17, 34},
    {"md2d:64,bytes=1", 64, 256, 512},
    {"md2d:361,bytes=16,corner=1", 361, 1444, 361 * (4 * 16 + 4)},
    {"torus2d:3x4,bytes=1", 12, 24, 48},
    {"torus3d:3x3x3,bytes=1", 27, 81, 162},
    {"torus4d:8x8x8x8", 4096, 16384, 2 * 64 * 16384},
    {"torus2d:2x1,bytes=1", 2, 1, 4}, /* both ways lead to the same neighbour */
    {"ring:5,bytes=9", 5, 5, 90},
    {"ring:2,bytes=9", 2, 1, 36},
    {"ring:1", 1, 0, 0},
    {"chain:5,bytes=9", 5, 4, 72},
    {"chain:1", 1, 0, 0},
    {"alltoall:group=64,n=2048", 2048, 32 * 64 * 63 / 2, 32 * 64 * 63 * 64},
    {"alltoall:n=10,group=4,bytes=1", 10, 6 + 6 + 1, 26},
    {"alltoall:5,bytes=1", 5, 10, 20},
    {"product:path=4,all=3,bytes=2", 12, 3 * 3 + 4 * 3, 4 * 21},
    {"product:ring=5,copies=2,ring=2,bytes=1", 20, 20 + 10, 40 + 40},
};

static void test_known(void **state)
{
    (void)state;
    graph_known_all(known, sizeof known / sizeof *known);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        topomap_graph *graph = graph_good(known[i].pattern, NULL);

        assert_string_equal(topomap_graph_pattern(graph), known[i].pattern);
        topomap_graph_free(graph);
    }
}

/* Every row of this family is tried above. */
static void test_all_patterns(void **state)
{
    (void)state;
    for (const topomap_pattern *row = topomap_patterns_grid; row->row.name; row++) {
        size_t length = strlen(row->row.name);
        int tried = 0;

        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            tried |= !strncmp(known[k].pattern, row->row.name, length) &&
                     known[k].pattern[length] == ':';
        if (!tried)
            fail_msg("no test of %s", row->row.name);
    }
}

/* What the help says can be read: names and defaults of every parameter of every pattern. */
static void test_table(void **state)
{
    topomap_graph_pattern_param param;
    char grammar[1000];

    (void)state;
    for (size_t i = 0; topomap_graph_pattern_grammar(i, grammar, sizeof grammar); i++) {
        const topomap_graph_pattern_info *row = topomap_graph_pattern_row(i);

        assert_ptr_equal(strstr(grammar, row->name), grammar);
        assert_true(strlen(grammar) < sizeof grammar - 1);
        assert_ptr_equal(topomap_pattern_named(row->name, strlen(row->name)),
                         topomap_pattern_at(i));
        for (size_t k = 0; topomap_graph_pattern_parameter(i, k, &param); k++) {
            assert_true(k < TOPOMAP_PATTERN_PARAMS);
            assert_true(*param.name && *param.help);
        }
    }
    assert_null(topomap_graph_pattern_row(1000));
    assert_int_equal(topomap_graph_pattern_parameter(1000, 0, &param), 0);
}

static void test_order(void **state)
{
    topomap_graph *graph = graph_good("stencil2d:5:3x5", NULL);

    (void)state;
    assert_true(graph_arc(graph, 0, 1) != UINT64_MAX);
    assert_true(graph_arc(graph, 0, 3) != UINT64_MAX);
    assert_true(graph_arc(graph, 0, 5) == UINT64_MAX);
    topomap_graph_free(graph);
    graph = graph_good("stencil2d:5:3x5,order=row", NULL);
    assert_true(graph_arc(graph, 0, 1) != UINT64_MAX);
    assert_true(graph_arc(graph, 0, 5) != UINT64_MAX);
    assert_true(graph_arc(graph, 0, 3) == UINT64_MAX);
    topomap_graph_free(graph);
}

/* order=row numbers as order=column does with the dimensions turned round. */
static void test_order_turned(void **state)
{
    topomap_graph *a = graph_good("stencil3d:27:3x4x5,order=row,wrap=x", NULL);
    topomap_graph *b = graph_good("stencil3d:27:5x4x3,order=column,wrap=z", NULL);

    (void)state;
    graph_same(a, b, 1, 1);
    topomap_graph_free(a);
    topomap_graph_free(b);
}

static void refused(const char *pattern, const char *part)
{
    graph_bad(pattern, NULL, TOPOMAP_EUSAGE, part);
}

static void test_refused(void **state)
{
    (void)state;
    refused("ring", "n");
    refused("ring:", "size|1");
    refused("ring:0", "character 6|`0`|1");
    refused("ring:-3", "size|1");
    refused("ring:5x5", "character 7|`x5`|1");
    refused("ring:5y5", "character 7|`y5`|`x`");
    refused("ring:5,", "ring");
    refused("ring:5,periodic", "character 8|`periodic`|ring:N");
    refused("ring:5,bytes", "bytes");
    refused("ring:5,bytes=", "bytes=");
    refused("ring:5,bytes=0", "bytes= takes");
    refused("ring:5,bytes=5x", "bytes= takes");
    refused("ring:5,bytes=4,bytes=5", "said twice");
    refused("ring:5,bytes=y:5", "dimension|x");
    refused("ring:9999999999", "size|1");
    refused("ring:2147483648", "30000000");
    refused("ring:99999999999999999999999999", "size|1");
    refused("stencil2d:7:3x3", "2|7");
    refused("stencil2d:3x3", "points= takes");
    refused("stencil2d:5:3", "XxY");
    refused("stencil2d:5:3x3x3", "2 dimension");
    refused("stencil2d:5:3x3,wrap=z", "wrap=|xy");
    refused("stencil2d:5:3x3,periodic=1", "value");
    refused("stencil2d:5:3x3,order=diagonal", "order=|column|row");
    refused("stencil2d:5:65536x65536", "30000000");
    refused("stencil3d:7:2147483648x2147483648x2147483648", "30000000");
    refused("torus4d:65536x65536x65536x65536", "30000000");
    refused("torus:2x2x2x2x2x2x2x2x2", "8 dimension");
    refused("stencil2d:5:40000x40000", "30000000");
    refused("stencil2d:5:3x3,bytes=4611686018427387904", "reaches 2^63");
    refused("alltoall:", "n=|1|2^31");
    refused("alltoall:group=4", "n");
    refused("alltoall:n=4,group=5", "n=4");
    refused("alltoall:n=2147483648", "30000000");
    refused("md2d:99", "81 or 100");
    graph_bad("stencl2d:5:3x3", NULL, TOPOMAP_EINPUT, "stencil2d");
    graph_bad("torus7d:3x3", NULL, TOPOMAP_EINPUT, "torus2d or torus3d or torus4d");
    graph_bad("nothing", NULL, TOPOMAP_EINPUT, "nothing");
    graph_bad("nothing.graph", NULL, TOPOMAP_EINPUT, "No such file");
    graph_bad("/nonexist/ring:4", NULL, TOPOMAP_EINPUT, "No such file");
    graph_bad("/dev/null/ring:4", NULL, TOPOMAP_EINPUT, "Not a directory");
    graph_bad("~/ring.csv", NULL, TOPOMAP_EINPUT, "~/ring.csv");
    graph_bad("nothing", NULL, TOPOMAP_EINPUT, "stencil2d");
    graph_bad("", NULL, TOPOMAP_EINPUT, "file");
}

static void test_file_wins(void **state)
{
    char here[4096];
    topomap_graph *graph;

    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(scratch_path("")), 0);
    scratch_text("ring:5", "0,1,7\n");
    graph = graph_good("ring:5", NULL);
    assert_int_equal(topomap_graph_ranks(graph), 2);
    topomap_graph_free(graph);
    assert_int_equal(chdir(here), 0);
}

/* The same pairs; the weights of the file are those of the pattern divided by `factor`. */
static void same_as(const char *pattern, const char *instance, uint64_t factor)
{
    topomap_graph *made = graph_good(pattern, NULL);
    topomap_graph *file = graph_good(graph_instance(instance), NULL);

    assert_int_equal(made->ranks, file->ranks);
    assert_int_equal(made->arcs, file->arcs);
    assert_memory_equal(made->offset, file->offset, (made->ranks + 1) * sizeof *made->offset);
    assert_memory_equal(made->target, file->target, made->arcs * sizeof *made->target);
    for (uint32_t u = 0; u < made->ranks; u++)
        for (uint64_t i = made->offset[u]; i < made->offset[u + 1]; i++) {
            uint32_t v = made->target[i];

            assert_int_equal(made->bytes[i] + graph_arc(made, v, u),
                             factor * (file->bytes[i] + graph_arc(file, v, u)));
        }
    topomap_graph_free(made);
    topomap_graph_free(file);
}

static void test_instances(void **state)
{
    (void)state;
    graph_instance("d_stencil2d5_48x32_nat.graph");
    same_as("stencil2d:5:48x32", "d_stencil2d5_48x32_nat.graph", 128);
    same_as("stencil2d:5:48x32,bytes=1", "d_stencil2d5_48x32_nat.graph", 2);
    same_as("stencil2d:9:40x40", "d_stencil2d9_40x40_nat.graph", 2);
    same_as("stencil3d:7:12x16x20", "d_stencil3d7_12x16x20_nat.graph", 128);
    same_as("stencil3d:7:16x16x16", "t_stencil3d7_16x16x16_nat.graph", 128);
    same_as("stencil3d:7:32x32x16", "t_stencil3d7_32x32x16_nat.graph", 128);
    same_as("stencil3d:7:32x32x32", "t_stencil3d7_32x32x32_nat.graph", 128);
    same_as("stencil3d:27:16x16x16", "t_stencil3d27_16x16x16_nat.graph", 2);
}

/* Column `k`, from 0, of a line with tabs. */
static void column(const char *line, int k, char *out, size_t room)
{
    while (k-- && (line = strchr(line, '\t')))
        line++;
    snprintf(out, room, "%.*s", line ? (int)strcspn(line, "\t\n") : 0, line ? line : "");
}

/* Ranks and edges of each instance are what the table says. */
static void test_sizes(void **state)
{
    FILE *table = fopen(graph_instance("instances.tsv"), "r");
    char line[1000], name[200], n[40], m[40];
    int rows = 0;

    (void)state;
    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table));
    while (fgets(line, sizeof line, table)) {
        topomap_graph *graph;

        column(line, 1, name, sizeof name);
        column(line, 2, n, sizeof n);
        column(line, 3, m, sizeof m);
        graph = graph_good(graph_instance(name), NULL);
        assert_int_equal(topomap_graph_ranks(graph), strtoull(n, NULL, 10));
        assert_int_equal(topomap_graph_edges(graph), strtoull(m, NULL, 10));
        topomap_graph_free(graph);
        rows++;
    }
    fclose(table);
    assert_true(rows > 20);
}

/* Distance in the hierarchy 4:16:k with 1:10:100, written down a second time on purpose. */
static uint64_t distance(uint32_t p, uint32_t q)
{
    return p == q ? 0 : p / 4 == q / 4 ? 1 : p / 64 == q / 64 ? 10 : 100;
}

static uint64_t identity_cost(const char *instance)
{
    topomap_graph *graph = graph_good(graph_instance(instance), NULL);
    topomap_weights weights;
    uint64_t sum = 0;

    assert_int_equal(topomap_weights_new(graph, graph->ranks, &weights, NULL), 0);
    for (uint32_t u = 0; u < weights.vertices; u++)
        for (uint64_t i = weights.offset[u]; i < weights.offset[u + 1]; i++)
            sum += u < weights.target[i] ? weights.weight[i] * distance(u, weights.target[i]) : 0;
    topomap_weights_clear(&weights);
    topomap_graph_free(graph);
    return sum;
}

/* The figures are the identity rows of peers.tsv for S=4:16:k, D=1:10:100. */
static void test_identity_cost(void **state)
{
    (void)state;
    assert_int_equal(identity_cost("d_stencil2d5_48x32_nat.graph"), 120352);
    assert_int_equal(identity_cost("d_stencil2d9_40x40_nat.graph"), 8541600);
    assert_int_equal(identity_cost("d_fftpencil_32x64_nat.graph"), 445841408);
    assert_int_equal(identity_cost("q_fem3d_n1024.graph"), 51119267);
    assert_int_equal(identity_cost("q_rmat15_n512.graph"), 6965613);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),        cmocka_unit_test(test_all_patterns),
        cmocka_unit_test(test_table),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_order_turned), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_file_wins),    cmocka_unit_test(test_instances),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_identity_cost),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
