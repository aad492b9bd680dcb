/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree told by its distances alone is the same machine, for a mapping and for the algorithms; and
 * the greedy paths of the fast model of congestion are those that brute force finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "metric/metric.h"
#include "tests/unit/map/maps.h"
#include "tests/unit/cables.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

/* ---- matrix: and tree: ---------------------------------------------------------------------- */

static topomap_machine *matrix_of(const topomap_machine *tree)
{
    uint32_t n = topomap_machine_slots(tree);
    size_t size = (size_t)n * n * 8 + 1, used = 0;
    char *text = malloc(size), spec[512];

    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++)
            used += (size_t)snprintf(text + used, size - used, "%g%c",
                                     topomap_machine_distance(tree, p, q), q + 1 < n ? ' ' : '\n');
    snprintf(spec, sizeof spec, "matrix:%s", scratch_text("distances", text));
    free(text);
    return map_machine(spec);
}

static void same_cost(const topomap_graph *graph, const topomap_machine *a,
                      const topomap_machine *b, uint64_t seed)
{
    topomap_random random = {seed};
    uint32_t slot[256], n = topomap_machine_slots(a);
    topomap_cost x, y;
    topomap_error err;

    for (uint32_t s = 0; s < n; s++)
        slot[s] = s;
    topomap_random_shuffle(&random, slot, n);
    assert_int_equal(topomap_cost_evaluate(graph, a, slot, &x, &err), 0);
    assert_int_equal(topomap_cost_evaluate(graph, b, slot, &y, &err), 0);
    assert_true(x.J == y.J);
    topomap_cost_clear(&x);
    topomap_cost_clear(&y);
}

static void a_matrix_is_the_tree_that_it_tells_of(void **state)
{
    static const char *const specs[] = {"tree:1:4:4:4@0:1:10:100", "tree:1:2:2:2:2:2@0:1:3:7:15:31",
                                        "tree:1:3:5:2@0:2:4:6", "tree:1:7:9@0:1:2"};
    static const char *const names[] = {
        "identity",     "random",          "tree",        "top-down", "bottom-up",
        "multisection", "two-stage",       "n2",          "np",       "random+nc1",
        "random+nc10",  "mueller-merbach", "greedy-all-c"};

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            topomap_machine *tree = map_machine(specs[i]), *matrix = matrix_of(tree);
            uint32_t n = topomap_machine_slots(tree);
            topomap_graph *graph =
                map_graph(n - (uint32_t)seed % 3, (1 + (uint32_t)seed) * n, 100, seed);

            same_cost(graph, tree, matrix, seed);
            for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
                double a = map_cost(graph, tree, names[k]), b = map_cost(graph, matrix, names[k]);

                if (a != b)
                    fail_msg("%s, %s: %g and %g", specs[i], names[k], a, b);
            }
            topomap_graph_free(graph);
            topomap_machine_free(matrix);
            topomap_machine_free(tree);
        }
}

/* ---- The fast model ------------------------------------------------------------------------- */

enum { VERTICES = 7, LINKS = 64, ARCS = 20 };

typedef struct walk {
    const topomap_network *n;
    const double *load;
    uint32_t link[VERTICES], best[VERTICES], depth, length, to;
    double best_cost;
    int found;
} walk;

/* Of equal paths the one with the lower links, from the end on. */
static int before(const walk *w, double cost)
{
    if (!w->found || cost != w->best_cost)
        return !w->found || cost < w->best_cost;
    for (uint32_t i = w->length; i-- > 0;)
        if (w->link[i] != w->best[i])
            return w->link[i] < w->best[i];
    return 0;
}

/* Every walk of exactly the least length. */
static void walk_on(walk *w, uint32_t at, double cost)
{
    if (w->depth == w->length) {
        if (at != w->to || !before(w, cost))
            return;
        w->found = 1;
        w->best_cost = cost;
        memcpy(w->best, w->link, sizeof w->best);
        return;
    }
    for (uint32_t link = w->n->first[at]; link < w->n->first[at + 1]; link++) {
        w->link[w->depth++] = link;
        walk_on(w, w->n->head[link], cost + w->load[link] / w->n->capacity[link]);
        w->depth--;
    }
}

/* The heaviest first, ties by ranks: selected one by one. */
static void brute_force(const topomap_network *n, const topomap_graph *g, double *load)
{
    uint8_t done[VERTICES * VERTICES] = {0};

    for (;;) {
        uint32_t from = 0, to = 0;
        uint64_t most = 0;
        walk w = {.n = n, .load = load};

        for (uint32_t u = 0; u < g->ranks; u++)
            for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
                if (g->bytes[e] > most && !done[u * VERTICES + g->target[e]]) {
                    most = g->bytes[e];
                    from = u;
                    to = g->target[e];
                }
        if (most == 0)
            return;
        done[from * VERTICES + to] = 1;
        for (w.to = to; !w.found; w.length += !w.found)
            walk_on(&w, from, 0.0);
        for (uint32_t i = 0; i < w.length; i++)
            load[w.best[i]] += (double)most;
    }
}

/* Connected, of whole capacities that are powers of 2, so that all sums are exact. */
static topomap_machine *made_network(topomap_random *random)
{
    uint32_t vertex_of[VERTICES];
    test_cable cable[12];
    topomap_machine *m = map_machine("mesh:7");
    topomap_error err;

    for (uint32_t i = 0; i < 12; i++)
        cable[i] = (test_cable){i + 1 < VERTICES ? i + 1 : topomap_random_below(random, VERTICES),
                                topomap_random_below(random, i + 1 < VERTICES ? i + 1 : VERTICES),
                                1, 1u << topomap_random_below(random, 3)};
    for (uint32_t i = 0; i < VERTICES; i++)
        vertex_of[i] = i;
    assert_int_equal(network_of_cables(VERTICES, 12, cable, VERTICES, vertex_of, &m->network, &err),
                     0);
    assert_true(m->network->links <= LINKS);
    return m;
}

static void fast_is_what_brute_force_finds(void **state)
{
    topomap_random random = {11};

    (void)state;
    for (int round = 0; round < 200; round++) {
        uint32_t slot[VERTICES] = {0, 1, 2, 3, 4, 5, 6};
        double load[LINKS] = {0}, most = 0, sum = 0;
        topomap_machine *m = made_network(&random);
        topomap_graph *g = map_graph(VERTICES, ARCS, round % 2 ? 3 : 1000, (uint64_t)round);
        topomap_congestion c;
        topomap_error err;

        brute_force(m->network, g, load);
        for (uint32_t link = 0; link < m->network->links; link++) {
            double share = load[link] / m->network->capacity[link];

            most = share > most ? share : most;
            sum += share;
        }
        if (topomap_congestion_evaluate(g, m, slot, "fast", &c, &err) != 0)
            fail_msg("%s", err.text);
        assert_true(c.max == most);
        assert_true(fabs(c.mean * c.links - sum) <= 1e-9 * (1 + sum));
        topomap_graph_free(g);
        topomap_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_is_the_tree_that_it_tells_of),
        cmocka_unit_test(fast_is_what_brute_force_finds),
    };

    return cmocka_run_group_tests_name("properties", tests, scratch_setup, scratch_teardown);
}
