/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS files: flags, what is wrong with them, and sums at the edge of what numbers hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/unit/graph/graphs.h"
#include "tests/unit/scratch.h"

static void test_metis_flags(void **state)
{
    /* fmt, ncon and the line heads that go with them */
    static const struct {
        const char *head, *sizes, *loads;
        int weights, has_load;
    } flags[] = {
        {"3 2", "", "", 0, 0},
        {"3 2 000", "", "", 0, 0},
        {"3 2 1", "", "", 1, 0},
        {"3 2 010", "", "7 ", 0, 1},
        {"3 2 11", "", "7 ", 1, 1},
        {"3 2 100", "9 ", "", 0, 0},
        {"3 2 101", "9 ", "", 1, 0},
        {"3 2 110 2", "9 ", "7 8 ", 0, 1},
        {"3 2 111 3", "9 ", "7 8 6 ", 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const char *w = flags[i].weights ? " 6" : "";
        topomap_graph *graph;
        char text[200];

        snprintf(text, sizeof text, "%s\n%s%s2%s\n%% between\n%s%s3%s 1%s\n%s%s 2%s \n",
                 flags[i].head, flags[i].sizes, flags[i].loads, w, flags[i].sizes, flags[i].loads,
                 w, w, flags[i].sizes, flags[i].loads, w);
        graph = graph_good(graph_file("graph", text), NULL);
        assert_int_equal(topomap_graph_edges(graph), 2);
        assert_int_equal(topomap_graph_bytes(graph), flags[i].weights ? 12 : 2);
        assert_int_equal(graph_arc(graph, 0, 1), flags[i].weights ? 3 : 1);
        assert_int_equal(graph_arc(graph, 1, 0), flags[i].weights ? 3 : 0);
        assert_int_equal(graph->load != NULL, flags[i].has_load);
        if (graph->load)
            assert_int_equal(graph->load[2], 7);
        topomap_graph_free(graph);
    }
}

static void test_metis_bad(void **state)
{
    (void)state;
    graph_bad_file("graph", "% only\n", "file.graph:1: a METIS header");
    graph_bad_file("graph", "3\n", "file.graph:1: ");
    graph_bad_file("graph", "3 2 1 1 1\n", "2 to 4 numbers");
    graph_bad_file("graph", "3 x\n", "file.graph:1:|`x`|METIS");
    graph_bad_file("graph", "3 -2\n", "negative");
    graph_bad(graph_file("graph", "0 0\n"), "metis", TOPOMAP_EINPUT, "0 vertices");
    graph_bad_file("graph", "2 1 002\n2\n1\n", "fmt");
    graph_bad_file("graph", "2 1 1001\n2\n1\n", "fmt");
    graph_bad_file("graph", "2 1 010 0\n1 2\n1 1\n", "ncon");
    graph_bad_file("graph", "3 2\n2\n1 3\n", "file.graph:3:|2|3");
    graph_bad_file("graph", "2 1\n2\n1\n1\n", "file.graph:4:|last");
    graph_bad_file("graph", "3 2\n2\n1\n\n", "says 2 edges");
    graph_bad_file("graph", "3 1\n2\n1 3\n2\n", "1 edge");
    graph_bad_file("graph", "3 2\n2\n1 4\n2\n", "file.graph:3: vertex 2 lists vertex 4");
    graph_bad_file("graph", "3 2\n2\n1 0\n2\n", "file.graph:3: vertex 2 lists vertex 0");
    graph_bad_file("graph", "3 2\n2\n1 2\n2\n", "file.graph:3: vertex 2 lists itself");
    graph_bad_file("graph", "3 2\n2 2\n1 1\n\n", "file.graph:2: vertex 1 lists vertex 2 twice");
    graph_bad_file("graph", "3 2\n2\n1 3\n1\n",
                   "file.graph:4: vertex 3 lists vertex 1, which (line 2)");
    graph_bad_file("graph", "3 2\n2 3\n1\n2\n",
                   "file.graph:2: vertex 1 lists vertex 3, which (line 4)");
    graph_bad_file("graph", "3 2\n2\n3 1\n1\n", "list");
    graph_bad_file("graph", "3 2\n3 2\n3\n2\n",
                   "file.graph:2: vertex 1 lists vertex 2, which (line 3)");
    graph_bad_file("graph", "% c\n2 1 1\n2 5\n1 6\n",
                   "file.graph:4: edge 2-1 has weight 6 here and 5 on line 3");
    graph_bad_file("graph", "2 1 1\n2 -5\n1 -5\n", "file.graph:2:|-5");
    graph_bad_file("graph", "2 1 1\n2 5\n1\n", "file.graph:3:|weight");
    graph_bad_file("graph", "2 1 1\n2 9223372036854775808\n1 1\n", "2^63 or more");
    graph_bad_file("graph", "2 1 1\n2 99999999999999999999999\n1 1\n", "2^63 or more");
    graph_bad_file("graph", "2 1 001\n2 1.5\n1 1.5\n", "file.graph:2: ");
}

/* Sums that pass 2^63 are refused where each number alone is fine. */
static void test_metis_sums(void **state)
{
    char text[4000] = "10 9 001\n", line[200];
    topomap_graph *graph;

    (void)state;
    graph = graph_good(graph_file("graph", "2 1 1\n2 9223372036854775807\n1 9223372036854775807\n"),
                       NULL);
    assert_int_equal(graph_arc(graph, 0, 1), (uint64_t)1 << 62);
    topomap_graph_free(graph);
    for (int v = 1; v <= 9; v++) {
        snprintf(line, sizeof line, "%d 1152921504606846976 ", v + 1);
        strcat(text, line);
    }
    strcat(text, "\n");
    for (int v = 1; v <= 9; v++)
        strcat(text, "1 1152921504606846976\n");
    graph_bad_file("graph", text, "file.graph:2:|edge|2^63");
    graph_bad_file("graph", "2 1 010\n9223372036854775807 2\n1 1\n", "file.graph:3:|vertex");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metis_flags),
        cmocka_unit_test(test_metis_bad),
        cmocka_unit_test(test_metis_sums),
    };

    return cmocka_run_group_tests_name("metis", tests, scratch_setup, scratch_teardown);
}
