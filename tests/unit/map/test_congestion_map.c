/* SPDX-License-Identifier: BSD-3-Clause */
/* Placement for congestion: loads kept through swaps, and what the objective promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "map/links/fast_loads.h"
#include "map/links/loads.h"
#include "map/objective.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

static topomap_machine *parsed(const char *spec)
{
    topomap_machine *machine;
    topomap_error err;

    if (topomap_machine_parse(spec, &machine, &err))
        fail_msg("%s: %s", spec, err.text);
    return machine;
}

/* \p degree arcs a rank on average, some of them one way, of 1 to \p most bytes. */
static topomap_graph *random_graph(topomap_random *random, uint32_t ranks, uint32_t degree,
                                   uint32_t most)
{
    size_t arcs = (size_t)ranks * degree;
    uint32_t *from = calloc(arcs + 1, sizeof *from), *to = calloc(arcs + 1, sizeof *to);
    uint64_t *bytes = calloc(arcs + 1, sizeof *bytes);
    topomap_graph *graph;
    topomap_error err;

    assert_true(from && to && bytes);
    for (size_t i = 0; i < arcs; i++) {
        from[i] = topomap_random_below(random, ranks);
        to[i] = topomap_random_below(random, ranks);
        bytes[i] = 1 + topomap_random_below(random, most);
    }
    if (topomap_graph_new(ranks, arcs, from, to, bytes, NULL, &graph, &err))
        fail_msg("%s", err.text);
    free(from);
    free(to);
    free(bytes);
    return graph;
}

static topomap_congestion measured(const topomap_graph *graph, const topomap_machine *machine,
                                   const uint32_t *slot_of, const char *model)
{
    topomap_congestion c;
    topomap_error err;

    if (topomap_congestion_evaluate(graph, machine, slot_of, model, &c, &err))
        fail_msg("%s", err.text);
    return c;
}

static void close_to(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

static const char *const specs[] = {
    "torus:4x3*2@1:10",
    "torus:2x2x4",
    "torus:6x4@1:10,wrap=x,routers=2",
    "mesh:5x4",
    "fattree:k=4,levels=3*2@1:10",
    "fattree:leaves=4,hosts=3,spines=2,links=2",
    "fattree:k=8,levels=2,taper=2",
    "dragonfly:p=2,a=3,h=1",
    "percs:supernodes=2",
};
enum { SPECS = sizeof specs / sizeof specs[0] };

/* ---- Loads ------------------------------------------------------------------------------- */

/* Slots of one line of the torus, joined to a fresh evaluation after every few swaps. */
static void compare_loads(const topomap_loads *loads, const topomap_graph *graph,
                          const topomap_machine *machine, const uint32_t *slot_of,
                          const char *model)
{
    topomap_congestion c = measured(graph, machine, slot_of, model);
    double most = 0;

    close_to(topomap_maxima_max(&loads->load), c.max);
    close_to(topomap_loads_sum(loads), c.mean * c.links);
    for (uint32_t link = 0; link < loads->network->links; link++)
        most = fmax(most, topomap_maxima_get(&loads->load, link));
    assert_true(!(most < topomap_maxima_max(&loads->load)) &&
                !(most > topomap_maxima_max(&loads->load)));
}

static void follow_swaps(const char *spec, const char *model, uint64_t seed)
{
    topomap_random random = {seed};
    topomap_machine *m = parsed(spec);
    uint32_t n = topomap_machine_slots(m), ranks = n - n / 5;
    topomap_graph *graph = random_graph(&random, ranks, 4, 1000);
    uint32_t *slot_of = calloc(n, sizeof *slot_of), *at = calloc(n, sizeof *at);
    topomap_objective o;
    topomap_shares *shares;
    topomap_traffic_rows rows;
    topomap_loads loads;
    topomap_error err;

    assert_true(slot_of && at);
    assert_int_equal(topomap_objective_open(m, model, &o, &err), 0);
    for (uint32_t v = 0; v < n; v++)
        slot_of[v] = v;
    topomap_random_shuffle(&random, slot_of, n);
    for (uint32_t v = 0; v < n; v++)
        at[v] = o.network->vertex_of[m->node_of[slot_of[v]]];
    assert_int_equal(topomap_shares_new(m, o.network, model, 0, &shares, &err), 0);
    assert_int_equal(topomap_traffic_rows_new(graph, n, &rows, &err), 0);
    assert_int_equal(topomap_loads_init(&loads, shares, o.network, &rows, at, &err), 0);
    compare_loads(&loads, graph, m, slot_of, model);
    loads.scale = topomap_maxima_max(&loads.load);
    loads.power = 4;
    loads.slope = 0.01;
    for (int i = 0; i < 60; i++) {
        uint32_t u = topomap_random_below(&random, n), x = topomap_random_below(&random, n), slot;
        double before = topomap_loads_potential(&loads), delta = topomap_loads_price(&loads, u, x);
        double peak = loads.peak;

        if (u == x || i % 3 == 0) /* priced, not done: nothing has changed */
            continue;
        topomap_loads_swap(&loads);
        slot = slot_of[u];
        slot_of[u] = slot_of[x];
        slot_of[x] = slot;
        if (fabs(topomap_loads_potential(&loads) - before - delta) > 1e-8 * (before + 1))
            fail_msg("%s: priced %.17g, is %.17g", spec, delta,
                     topomap_loads_potential(&loads) - before);
        assert_true(peak <= topomap_maxima_max(&loads.load) * (1 + 1e-9));
        compare_loads(&loads, graph, m, slot_of, model);
    }
    topomap_loads_clear(&loads);
    topomap_traffic_rows_clear(&rows);
    topomap_shares_free(shares);
    topomap_objective_close(&o);
    topomap_graph_free(graph);
    topomap_machine_free(m);
    free(slot_of);
    free(at);
}

static void loads_are_those_of_an_evaluation(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            follow_swaps(specs[i], "exact", seed);
            if (strncmp(specs[i], "fattree", 7) == 0)
                follow_swaps(specs[i], "routes", seed);
        }
}

static void loads_above_lists_them(void **state)
{
    topomap_machine *m = parsed("mesh:3");
    static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 0};
    static const uint64_t bytes[] = {10, 30, 25};
    uint32_t at[] = {0, 1, 2}, link[8];
    topomap_graph *graph;
    topomap_objective o;
    topomap_shares *shares;
    topomap_traffic_rows rows;
    topomap_loads loads;
    topomap_error err;

    (void)state; /* links 0->1, 1->0, 1->2, 2->1 with 10, 25, 30, 25 */
    assert_int_equal(topomap_graph_new(3, 3, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(topomap_objective_open(m, NULL, &o, &err), 0);
    assert_string_equal(o.model, "exact");
    assert_int_equal(topomap_shares_new(m, o.network, "exact", 0, &shares, &err), 0);
    assert_int_equal(topomap_traffic_rows_new(graph, 3, &rows, &err), 0);
    assert_int_equal(topomap_loads_init(&loads, shares, o.network, &rows, at, &err), 0);
    assert_int_equal(topomap_maxima_above(&loads.load, 11, 8, link), 3);
    assert_true(link[0] == 1 && link[1] == 2 && link[2] == 3);
    assert_int_equal(topomap_maxima_above(&loads.load, 30, 8, link), 1);
    assert_int_equal(link[0], 2);
    assert_int_equal(topomap_maxima_above(&loads.load, 0, 2, link), 2);
    assert_int_equal(topomap_maxima_above(&loads.load, 31, 8, link), 0);
    topomap_loads_clear(&loads);
    topomap_traffic_rows_clear(&rows);
    topomap_shares_free(shares);
    topomap_objective_close(&o);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

static topomap_mapping *mapped(const topomap_graph *graph, const topomap_machine *m,
                               topomap_map_options options)
{
    topomap_mapping *mapping;
    topomap_error err;

    options.objective = TOPOMAP_OBJECTIVE_CONGESTION;
    if (topomap_map(graph, m, &options, &mapping, &err))
        fail_msg("%s", err.text);
    return mapping;
}

static void expect_permutation(const topomap_mapping *mapping, const topomap_machine *m)
{
    uint32_t n = topomap_machine_slots(m);
    uint8_t *used = calloc(n, 1);

    assert_non_null(used);
    for (uint32_t v = 0; v < n; v++) {
        assert_true(mapping->slot_of_rank[v] < n);
        assert_int_equal(used[mapping->slot_of_rank[v]]++, 0);
    }
    free(used);
}

/* What a set of paths loads each link with, added up anew. */
static void compare_paths(const topomap_fast_loads *l)
{
    double *bytes = calloc(l->network->links + 1, sizeof *bytes), most = 0, sum = 0;

    assert_non_null(bytes);
    for (uint32_t i = 0; i < l->paths; i++) {
        const topomap_fast_path *p = &l->path[i];
        uint32_t at = l->at[p->to];

        for (uint32_t k = 0; k < p->links; k++) { /* from the end to the beginning */
            assert_int_equal(l->network->head[p->link[k]], at);
            for (at = 0; l->network->first[at + 1] <= p->link[k];)
                at++;
            bytes[p->link[k]] += p->bytes;
        }
        assert_int_equal(at, l->at[p->from]);
    }
    for (uint32_t link = 0; link < l->network->links; link++) {
        close_to(bytes[link], l->bytes[link]);
        most = fmax(most, bytes[link] / l->network->capacity[link]);
        sum += bytes[link] / l->network->capacity[link];
    }
    close_to(topomap_fast_loads_max(l), most);
    close_to(l->sum, sum);
    free(bytes);
}

/* At first the loads are those of a whole evaluation; after swaps, those of the paths kept, each as
 * many hops as its ends are apart; and a swap taken back leaves no trace. */
static void fast_loads_are_those_of_their_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        topomap_random random = {i};
        topomap_machine *m = parsed(specs[i]);
        uint32_t n = topomap_machine_slots(m);
        topomap_graph *graph = random_graph(&random, n, 3, 500);
        uint32_t *slot_of = calloc(n, sizeof *slot_of), *at = calloc(n, sizeof *at);
        topomap_objective o;
        topomap_fast_loads l;
        topomap_error err;

        assert_true(slot_of && at);
        assert_int_equal(topomap_objective_open(m, "exact", &o, &err), 0);
        for (uint32_t v = 0; v < n; v++) {
            slot_of[v] = v;
            at[v] = o.network->vertex_of[m->node_of[v]];
        }
        assert_int_equal(topomap_fast_loads_init(&l, graph, o.network, n, at, &err), 0);
        close_to(topomap_fast_loads_max(&l), measured(graph, m, slot_of, "fast").max);
        for (int k = 0; k < 40; k++) {
            uint32_t u = topomap_random_below(&random, n), x = topomap_random_below(&random, n);
            double max = topomap_fast_loads_max(&l), sum = l.sum;

            if (u == x)
                continue;
            assert_int_equal(topomap_fast_loads_swap(&l, u, x), 0);
            if (k % 2)
                compare_paths(&l);
            else
                topomap_fast_loads_undo(&l);
            if (k % 2 == 0) {
                close_to(topomap_fast_loads_max(&l), max);
                close_to(l.sum, sum);
            }
        }
        compare_paths(&l);
        topomap_fast_loads_clear(&l);
        topomap_objective_close(&o);
        topomap_graph_free(graph);
        topomap_machine_free(m);
        free(slot_of);
        free(at);
    }
}

/* Threshold accepting goes by the fast congestion: never above the start's, and mostly below. */
static void threshold_lowers_the_fast_congestion(void **state)
{
    topomap_random random = {9};
    uint32_t lower = 0;

    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        topomap_machine *m = parsed(specs[i]);
        uint32_t n = topomap_machine_slots(m);
        topomap_graph *graph = random_graph(&random, n, 3, 100);
        uint32_t *start = calloc(n, sizeof *start);
        topomap_map_options options = {
            .algorithm = "threshold", .effort = TOPOMAP_FAST, .seed = 2, .start = start};
        topomap_mapping *mapping;
        double before, after;

        assert_non_null(start);
        for (uint32_t v = 0; v < n; v++)
            start[v] = v;
        mapping = mapped(graph, m, options);
        expect_permutation(mapping, m);
        before = measured(graph, m, start, "fast").max;
        after = measured(graph, m, mapping->slot_of_rank, "fast").max;
        assert_true(after <= before * (1 + 1e-9));
        lower += after < before * (1 - 1e-9);
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
        topomap_machine_free(m);
        free(start);
    }
    assert_true(lower >= SPECS / 2);
}

/* ---- The objective ----------------------------------------------------------------------- */

/* On every kind: a permutation, no worse than the start and than any candidate, the number that an
 * evaluation gives, and the same again. */
static void never_worse_and_as_evaluated(void **state)
{
    topomap_random random = {5};

    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        topomap_machine *m = parsed(specs[i]);
        uint32_t n = topomap_machine_slots(m);
        uint32_t ranks = i % 2 ? n : n - n / 4;
        topomap_graph *graph = random_graph(&random, ranks, 3, 100);
        uint32_t *start = calloc(n, sizeof *start);
        topomap_map_options options = {.effort = TOPOMAP_FAST, .seed = i, .start = start};
        topomap_mapping *one, *two;
        topomap_congestion before, after;

        assert_non_null(start);
        for (uint32_t v = 0; v < n; v++)
            start[v] = v;
        topomap_random_shuffle(&random, start, n);
        one = mapped(graph, m, options);
        two = mapped(graph, m, options);
        expect_permutation(one, m);
        assert_memory_equal(one->slot_of_rank, two->slot_of_rank, n * sizeof *start);
        assert_string_equal(one->congestion_model,
                            strncmp(specs[i], "fattree", 7) ? "exact" : "routes");
        before = measured(graph, m, start, one->congestion_model);
        after = measured(graph, m, one->slot_of_rank, one->congestion_model);
        close_to(after.max, one->congestion);
        assert_true(after.max <= before.max * (1 + 1e-9));
        close_to(one->candidate[0].congestion, before.max);
        for (size_t k = 0; k < one->candidates; k++)
            assert_true(one->congestion <= one->candidate[k].congestion * (1 + 1e-9));
        topomap_mapping_free(one);
        topomap_mapping_free(two);

        options.contiguous = 1;
        options.start = NULL;
        one = mapped(graph, m, options);
        expect_permutation(one, m);
        close_to(measured(graph, m, one->slot_of_rank, one->congestion_model).max, one->congestion);
        assert_true(one->congestion <= one->candidate[0].congestion * (1 + 1e-9));
        topomap_mapping_free(one);
        options.contiguous = 0;
        options.start = start;

        options.algorithm = "refine";
        options.inter_only = 1;
        one = mapped(graph, m, options);
        expect_permutation(one, m);
        assert_true(one->congestion <= before.max * (1 + 1e-9));
        topomap_mapping_free(one);
        topomap_graph_free(graph);
        topomap_machine_free(m);
        free(start);
    }
}

static int next_permutation(uint32_t *p, uint32_t n)
{
    uint32_t i = n - 1, j = n - 1, keep;

    while (i > 0 && p[i - 1] >= p[i])
        i--;
    if (i == 0)
        return 0;
    while (p[j] <= p[i - 1])
        j--;
    keep = p[i - 1];
    p[i - 1] = p[j];
    p[j] = keep;
    for (j = n - 1; i < j; i++, j--) {
        keep = p[i];
        p[i] = p[j];
        p[j] = keep;
    }
    return 1;
}

/* All placements of 6 ranks: the search finds the least maximum, and of those the least mean. */
static void tiny_graphs_reach_the_optimum(void **state)
{
    static const char *const tiny[] = {"mesh:3x2", "torus:6", "torus:3*2@1:10",
                                       "fattree:leaves=3,hosts=2,spines=2",
                                       "dragonfly:p=1,a=2,h=1"};
    topomap_random random = {17};

    (void)state;
    for (int round = 0; round < 20; round++) {
        topomap_machine *m = parsed(tiny[round % 5]);
        topomap_graph *graph = random_graph(&random, 6, 2, 20);
        topomap_map_options options = {.effort = TOPOMAP_FAST, .seed = 1};
        topomap_mapping *mapping = mapped(graph, m, options);
        topomap_congestion found =
            measured(graph, m, mapping->slot_of_rank, mapping->congestion_model);
        uint32_t p[6] = {0, 1, 2, 3, 4, 5};
        double max = INFINITY, mean = INFINITY;

        do {
            topomap_congestion c = measured(graph, m, p, mapping->congestion_model);

            if (c.max < max * (1 - 1e-9) || (c.max <= max * (1 + 1e-9) && c.mean < mean)) {
                max = c.max;
                mean = c.mean;
            }
        } while (next_permutation(p, 6));
        close_to(found.max, max);
        if (found.mean > mean * 1.15) /* the mean comes second: a descent, not a proof */
            fail_msg("%s: mean %g, best %g", tiny[round % 5], found.mean, mean);
        topomap_mapping_free(mapping);
        topomap_graph_free(graph);
        topomap_machine_free(m);
    }
}

/* A machine of nodes with 2, 1, 0 and 3 slots on a line of switches. */
static topomap_machine *uneven(void)
{
    static const uint32_t per_node[] = {2, 1, 0, 3}, site[] = {0, 1, 2, 3}, own[] = {0, 1, 2, 3};
    static const float cost[16] = {0, 1, 2, 3, 1, 0, 1, 2, 2, 1, 0, 1, 3, 2, 1, 0};
    topomap_cable cable[] = {{0, 4, 1, 1}, {1, 5, 1, 1}, {2, 6, 1, 1}, {3, 7, 1, 1},
                             {4, 5, 1, 2}, {5, 6, 1, 2}, {6, 7, 1, 2}};
    topomap_machine *m;
    topomap_error err;

    assert_int_equal(topomap_machine_frame(4, per_node, NULL, &m, &err), 0);
    assert_int_equal(topomap_machine_set_matrix(m, "fabric", 4, site, cost, NULL, &err), 0);
    assert_int_equal(topomap_machine_finish(m, &err), 0);
    assert_int_equal(topomap_network_new(8, 7, cable, 4, own, &m->network, &err), 0);
    return m;
}

static void odd_shapes_are_placed(void **state)
{
    topomap_random random = {23};
    topomap_map_options options = {.effort = TOPOMAP_FAST, .seed = 1};
    topomap_machine *m[] = {uneven(), parsed("torus:1*4@1:10"), parsed("mesh:4x2")};
    static const uint64_t heavy[] = {(uint64_t)1 << 60, (uint64_t)1 << 60, 1};
    static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 3};

    (void)state;
    for (int i = 0; i < 3; i++) {
        topomap_graph *graph[3];
        topomap_error err;

        graph[0] = random_graph(&random, 4, 3, 50);
        graph[1] = random_graph(&random, 3, 0, 1); /* nobody talks */
        assert_int_equal(topomap_graph_new(4, 3, from, to, heavy, NULL, &graph[2], &err), 0);
        for (int k = 0; k < 3; k++) {
            topomap_mapping *mapping = mapped(graph[k], m[i], options);

            expect_permutation(mapping, m[i]);
            assert_true(isfinite(mapping->congestion));
            topomap_mapping_free(mapping);
            topomap_graph_free(graph[k]);
        }
        topomap_machine_free(m[i]);
    }
}

static void links_must_be_known(void **state)
{
    static const char *const without[] = {"tree:2:2@1:10", NULL};
    topomap_map_options options = {.objective = TOPOMAP_OBJECTIVE_CONGESTION};
    topomap_random random = {1};
    topomap_graph *graph = random_graph(&random, 4, 2, 9);
    char spec[512];

    (void)state;
    snprintf(spec, sizeof spec, "matrix:%s",
             scratch_text("m", "0 1 1 1\n1 0 1 1\n1 1 0 1\n1 1 1 0\n"));
    for (int i = 0; i < 2; i++) {
        topomap_machine *m = parsed(without[i] ? without[i] : spec);
        topomap_mapping *mapping = NULL;
        topomap_error err;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
        assert_null(mapping);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_non_null(strstr(err.text, "links are known"));
        topomap_machine_free(m);
    }
    options.congestion_model = "routes";
    for (int i = 0; i < 2; i++) {
        topomap_machine *m = parsed("torus:2x2");
        topomap_mapping *mapping = NULL;
        topomap_error err;

        assert_int_equal(topomap_map(graph, m, &options, &mapping, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_non_null(strstr(err.text, i ? "exact or routes" : "no routing tables"));
        options.congestion_model = "fast";
        topomap_machine_free(m);
    }
    topomap_graph_free(graph);
}

static void time_is_kept(void **state)
{
    topomap_map_options options = {.effort = TOPOMAP_STRONG, .seed = 1, .seconds = 0.05};
    topomap_random random = {3};
    topomap_machine *m = parsed("torus:16x16*4@1:10");
    topomap_graph *graph = random_graph(&random, 1024, 8, 9);
    struct timespec before, after;
    topomap_mapping *mapping;

    (void)state;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    mapping = mapped(graph, m, options);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    expect_permutation(mapping, m);
    assert_true((double)(after.tv_sec - before.tv_sec) +
                    1e-9 * (double)(after.tv_nsec - before.tv_nsec) <
                1.0); /* without the limit it takes some ten seconds */
    topomap_mapping_free(mapping);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

/* ---- Fat trees by rule ------------------------------------------------------------------- */

/* k = 4, three levels, by hand: from host 1 to host 14, the first one below leaf 7, in pod 3. At
 * leaf 0 the parent is 14 mod 2 = 0, above it 14 / 2 mod 2 = 1: the second one of those of
 * level2-0, which are spines 0 and 2. */
static void fat_trees_go_up_by_the_destination(void **state)
{
    static const uint32_t from[] = {1}, to[] = {14},
                          slots[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint64_t bytes[] = {10};
    static const char *const way[] = {"leaf0", "level2-0", "spine2", "level2-6", "leaf7", "node14"};
    topomap_machine *m = parsed("fattree:k=4,levels=3");
    const topomap_network *n = m->network;
    topomap_graph *graph;
    topomap_error err;
    uint32_t at = 1;

    (void)state;
    for (int i = 0; i < 6; i++) {
        uint32_t link = topomap_network_next(n, at, 14);

        assert_true(link < n->links);
        at = n->head[link];
        assert_string_equal(n->name[at], way[i]);
    }
    assert_int_equal(at, 14);
    assert_int_equal(topomap_graph_new(16, 1, from, to, bytes, NULL, &graph, &err), 0);
    assert_int_equal(measured(graph, m, slots, "routes").used, 6);
    topomap_graph_free(graph);
    topomap_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_an_evaluation),
        cmocka_unit_test(loads_above_lists_them),
        cmocka_unit_test(fast_loads_are_those_of_their_paths),
        cmocka_unit_test(threshold_lowers_the_fast_congestion),
        cmocka_unit_test(never_worse_and_as_evaluated),
        cmocka_unit_test(tiny_graphs_reach_the_optimum),
        cmocka_unit_test(odd_shapes_are_placed),
        cmocka_unit_test(links_must_be_known),
        cmocka_unit_test(time_is_kept),
        cmocka_unit_test(fat_trees_go_up_by_the_destination),
    };

    return cmocka_run_group_tests_name("congestion_map", tests, scratch_setup, scratch_teardown);
}
