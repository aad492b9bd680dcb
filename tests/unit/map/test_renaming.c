/* SPDX-License-Identifier: BSD-3-Clause */
/* Which numbers the ranks have is chance: at strong, J hardly depends on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "graph/graph.h"
#include "tests/unit/map/maps.h"
#include "util/random.h"

/* The same graph, its ranks renamed at random. */
static topomap_graph *renamed(const topomap_graph *graph, uint64_t seed)
{
    topomap_random random = {seed};
    uint64_t arcs = graph->offset[graph->ranks];
    uint32_t *name = malloc((graph->ranks + 1) * sizeof *name);
    uint32_t *from = malloc((arcs + 1) * sizeof *from), *to = malloc((arcs + 1) * sizeof *to);
    topomap_graph *made = NULL;
    topomap_error err;

    for (uint32_t r = 0; r < graph->ranks; r++)
        name[r] = r;
    topomap_random_shuffle(&random, name, graph->ranks);
    for (uint32_t r = 0; r < graph->ranks; r++)
        for (uint64_t e = graph->offset[r]; e < graph->offset[r + 1]; e++) {
            from[e] = name[r];
            to[e] = name[graph->target[e]];
        }
    if (topomap_graph_new(graph->ranks, arcs, from, to, graph->bytes, NULL, &made, &err) != 0)
        fail_msg("%s", err.text);
    free(name);
    free(from);
    free(to);
    return made;
}

static double strong(const topomap_graph *graph, const topomap_machine *m)
{
    topomap_map_options options = {.size = sizeof options, .effort = TOPOMAP_STRONG, .seed = 1};
    topomap_mapping *mapping;
    topomap_error err;
    double J;

    if (topomap_map(graph, m, &options, &mapping, &err) != 0)
        fail_msg("%s", err.text);
    J = mapping->J;
    topomap_mapping_free(mapping);
    return J;
}

static void J_hardly_changes(void **state)
{
    static const struct {
        const char *graph, *machine;
    } instance[] = {
        {"stencil2d:5:12x8", "tree:4:4:6@1:10:100"},
        {"stencil3d:7:4x4x4", "torus:4x4x4@1:10"},
        {"stencil2d:9:8x8", "torus:4x4x2*2@1:10"},
        {"random:n=64,deg=5", "tree:4:4:4@1:10:100"},
        {"random:n=60,deg=4", "torus:4x4x2*2@1:10"},
        {"rgg:96", "tree:4:4:6@1:10:100"},
        {"delaunay:64", "tree:4:4:4@1:10:100"},
        {"torus4d:4x2x4x2", "tree:4:4:4@1:10:100"},
        {"master:48", "tree:2:4:6@1:10:100"},
        {"alltoall:group=8,n=64", "tree:4:4:4@1:10:100"},
    };

    /* Sanitizers look at the code, not at J: some of the instances do for them. */
#ifdef __SANITIZE_ADDRESS__
    const size_t step = 3;
#else
    const size_t step = 1;
#endif

    (void)state;
    for (size_t i = 0; i < sizeof instance / sizeof *instance; i += step) {
        topomap_machine *m = map_machine(instance[i].machine);
        topomap_graph *graph;
        topomap_error err;
        double least, most;

        if (topomap_graph_read(instance[i].graph, NULL, &graph, &err) != 0)
            fail_msg("%s: %s", instance[i].graph, err.text);
        least = most = strong(graph, m);
        for (uint64_t seed = 1; seed <= 2; seed++) {
            topomap_graph *other = renamed(graph, seed);
            double J = strong(other, m);

            least = fmin(least, J);
            most = fmax(most, J);
            topomap_graph_free(other);
        }
        if (most > 1.02 * least)
            print_error("%s on %s: J from %.15g to %.15g, %.4f\n", instance[i].graph,
                        instance[i].machine, least, most, most / least);
        assert_true(most <= 1.02 * least);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(J_hardly_changes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
