/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/metric/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "metric/metric.h"
#include "tests/unit/cables.h"
#include "tests/unit/messages.h"

/* A machine of one slot a node whose links are `cable`. */
static topomap_machine *made(uint32_t nodes, uint32_t vertices, size_t cables, test_cable *cable)
{
    char spec[32];
    uint32_t vertex_of[64];
    topomap_machine *machine;
    topomap_error err;

    snprintf(spec, sizeof spec, "mesh:%u", nodes);
    machine = parsed(spec);
    for (uint32_t i = 0; i < nodes; i++)
        vertex_of[i] = i;
    if (network_of_cables(vertices, cables, cable, nodes, vertex_of, &machine->network, &err))
        fail_msg("%s", err.text);
    return machine;
}

static topomap_congestion congestion_of(const topomap_graph *graph, const topomap_machine *machine,
                                        const char *model)
{
    topomap_congestion c;
    topomap_error err;
    uint32_t slots[256];

    for (uint32_t r = 0; r < 256; r++)
        slots[r] = r;
    if (topomap_congestion_evaluate(graph, machine, slots, model, &c, &err))
        fail_msg("%s", err.text);
    return c;
}

static void close_to(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * (1.0 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* On a 3x3 mesh from one corner to the opposite one there are 6 paths; 3 of them leave by either
 * side, and by the shares of paths (not of next hops) the middle takes 4 of 6. */
static void shares_are_of_paths(void **state)
{
    static const uint32_t from[] = {0}, to[] = {8};
    static const uint64_t bytes[] = {600};
    topomap_machine *m = parsed("mesh:3x3");
    topomap_graph *g = graph_of(9, 1, from, to, bytes, NULL);
    topomap_congestion c = congestion_of(g, m, "exact");

    (void)state;
    assert_string_equal(c.model, "exact");
    close_to(c.max, 300.0);           /* 0 -> 1 */
    close_to(c.mean, 600.0 * 4 / 24); /* four hops, 24 directed links */
    assert_int_equal(c.links, 24);
    assert_int_equal(c.used, 12);
    assert_string_equal(c.unit, "bytes");
    assert_string_equal(c.worst, "router 0 -> router 1");
    c = congestion_of(g, m, "fast");
    close_to(c.max, 600.0);
    assert_int_equal(c.used, 4);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* Two leaves of two nodes, two spines, one of them with two cables to each leaf: the thick spine
 * gets 4 of the 5 paths that count cables (2*2 against 1*1). */
static void parallel_cables_are_paths(void **state)
{
    test_cable cable[] = {{0, 4, 1, 1}, {1, 4, 1, 1}, {2, 5, 1, 1}, {3, 5, 1, 1}, {4, 6, 1, 1},
                          {6, 4, 1, 1}, {5, 6, 2, 2}, {4, 7, 1, 1}, {5, 7, 1, 1}};
    static const uint32_t from[] = {0, 1}, to[] = {2, 3};
    static const uint64_t bytes[] = {100, 50};
    topomap_machine *m = made(4, 8, sizeof cable / sizeof *cable, cable);
    topomap_graph *g = graph_of(4, 2, from, to, bytes, NULL);
    topomap_congestion c = congestion_of(g, m, "exact");

    (void)state;
    assert_int_equal(c.links, 16);
    close_to(c.max, 100.0); /* node 0's own cable */
    assert_string_equal(c.worst, "router 0 -> router 4");
    close_to(c.mean * 16, 150.0 + 2 * (120.0 / 2 + 30.0) + 150.0);
    c = congestion_of(g, m, "fast"); /* the heavier arc takes spine 6, the other one then spine 7 */
    close_to(c.mean * 16, 150.0 + 2 * (100.0 / 2 + 50.0) + 150.0);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* ---- Brute force ------------------------------------------------------------------------- */

struct walk {
    const topomap_network *n;
    double *load, share;
    uint32_t link[64], depth, length, to;
    double paths;
    int counting;
};

/* Every walk of exactly the least length, cable by cable. */
static void walk_on(struct walk *w, uint32_t at, double ways)
{
    if (w->depth == w->length) {
        if (at != w->to)
            return;
        w->paths += w->counting ? ways : 0.0;
        for (uint32_t i = 0; !w->counting && i < w->length; i++)
            w->load[w->link[i]] += w->share * ways;
        return;
    }
    for (uint32_t link = w->n->first[at]; link < w->n->first[at + 1]; link++) {
        w->link[w->depth++] = link;
        walk_on(w, w->n->head[link], ways * w->n->cables[link]);
        w->depth--;
    }
}

static void brute_force(const topomap_network *n, const topomap_graph *g, double *load)
{
    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            struct walk w = {.n = n, .load = load, .to = g->target[e]};

            for (w.counting = 1; w.paths == 0.0; w.length += w.paths == 0.0)
                walk_on(&w, u, 1.0);
            w.counting = 0;
            w.share = (double)g->bytes[e] / w.paths;
            walk_on(&w, u, 1.0);
        }
}

/* Random connected networks of 8 vertices, random traffic. */
static void exact_is_what_brute_force_finds(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (int round = 0; round < 60; round++) {
        test_cable cable[20];
        uint32_t from[24], to[24];
        uint64_t bytes[24];
        double sum = 0.0, most = 0.0, *load;
        topomap_machine *m;
        topomap_graph *g;
        topomap_congestion c;
        size_t cables = 0;

        for (uint32_t v = 1; v < 8; v++)
            cable[cables++] =
                (test_cable){v, (uint32_t)((seed = seed * 6364136223846793005u + 11) >> 33) % v,
                             1 + v % 2, 1 + v % 3};
        while (cables < 14) {
            seed = seed * 6364136223846793005u + 11;
            cable[cables++] = (test_cable){seed >> 33 & 7, seed >> 40 & 7, 1 + (seed >> 50 & 1),
                                           1 + (double)(seed >> 45 & 3)};
        }
        for (int i = 0; i < 24; i++) {
            seed = seed * 6364136223846793005u + 11;
            from[i] = seed >> 33 & 7;
            to[i] = (from[i] + 1 + (seed >> 40) % 7) & 7;
            bytes[i] = 1 + (seed >> 45 & 1023);
        }
        m = made(8, 8, cables, cable);
        g = graph_of(8, 24, from, to, bytes, NULL);
        load = calloc(m->network->links, sizeof *load);
        assert_non_null(load);
        brute_force(m->network, g, load);
        for (uint32_t link = 0; link < m->network->links; link++) {
            double share = load[link] / m->network->capacity[link];

            sum += share;
            most = share > most ? share : most;
        }
        c = congestion_of(g, m, "exact");
        close_to(c.max, most);
        close_to(c.mean * c.links, sum);
        free(load);
        topomap_graph_free(g);
        topomap_machine_free(m);
    }
}

/* Whatever the model, each byte loads as many links as its ranks are hops apart. */
static void bytes_go_the_hops(void **state)
{
    static const char *const specs[] = {"torus:4x4x4", "mesh:6x5", "torus:2x2x2x2", "torus:5x3",
                                        "torus:8x8,routers=2"};
    topomap_graph *g;
    topomap_error err;

    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        topomap_machine *m = parsed(specs[i]);
        topomap_cost cost;
        uint32_t slots[256];
        char pattern[64];

        snprintf(pattern, sizeof pattern, "alltoall:group=4,n=%u",
                 topomap_machine_slots(m) / 4 * 4);
        if (topomap_graph_read(pattern, NULL, &g, &err))
            fail_msg("%s", err.text);
        for (uint32_t r = 0; r < 256; r++)
            slots[r] = r * 3 % topomap_machine_slots(m); /* 3 divides none but 6x5 and 5x3 */
        for (uint32_t r = 0; topomap_machine_slots(m) % 3 == 0 && r < 256; r++)
            slots[r] = r;
        assert_int_equal(topomap_cost_evaluate(g, m, slots, &cost, &err), 0);
        for (int model = 0; model < 2; model++) {
            topomap_congestion c;
            topomap_network *n;
            double cables = 0.0;

            assert_int_equal(
                topomap_congestion_evaluate(g, m, slots, model ? "fast" : "exact", &c, &err), 0);
            assert_int_equal(topomap_network_grid(m, &n, &err), 0);
            for (uint32_t link = 0; link < n->links; link++)
                cables += n->cables[link];
            topomap_network_free(n);
            if (cables == c.links) /* no doubled cables */
                close_to(c.mean * c.links, cost.hop_bytes);
            else
                close_to(c.mean * c.links * 2, cost.hop_bytes);
        }
        topomap_cost_clear(&cost);
        topomap_graph_free(g);
        topomap_machine_free(m);
    }
}

static void routes_are_followed(void **state)
{
    test_cable cable[] = {{0, 1, 1, 1}, {1, 2, 1, 1}, {0, 2, 1, 1}};
    static const uint32_t from[] = {0}, to[] = {1};
    static const uint64_t bytes[] = {10};
    topomap_machine *m = made(3, 3, 3, cable);
    topomap_network *n = m->network;
    topomap_graph *g = graph_of(3, 1, from, to, bytes, NULL);
    topomap_congestion c;
    topomap_error err;
    const uint32_t slots[] = {0, 1, 2};

    (void)state;
    assert_int_equal(topomap_congestion_evaluate(g, m, slots, "routes", &c, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    n->next = malloc(9 * sizeof *n->next);
    assert_non_null(n->next);
    memset(n->next, 0xff, 9 * sizeof *n->next);
    n->next[0 * 3 + 1] = topomap_network_link(n, 0, 2); /* the long way */
    n->next[2 * 3 + 1] = topomap_network_link(n, 2, 1);
    c = congestion_of(g, m, "routes");
    close_to(c.mean * c.links, 20.0);
    c = congestion_of(g, m, NULL);
    assert_string_equal(c.model, "routes");
    close_to(c.mean * c.links, 20.0);
    n->next[2 * 3 + 1] = topomap_network_link(n, 2, 0);
    assert_int_equal(topomap_congestion_evaluate(g, m, slots, "routes", &c, &err), -1);
    assert_message(err.text, "loop");
    n->next[2 * 3 + 1] = UINT32_MAX;
    assert_int_equal(topomap_congestion_evaluate(g, m, slots, "routes", &c, &err), -1);
    assert_message(err.text, "ends");
    c = congestion_of(g, m, NULL); /* tables with gaps are not gone by unless they are named */
    assert_string_equal(c.model, "exact");
    close_to(c.mean * c.links, 10.0);
    topomap_graph_free(g);
    topomap_machine_free(m);
}

static void what_cannot_be_is_refused(void **state)
{
    test_cable apart[] = {{0, 1, 1, 1}}, outside[] = {{0, 9, 1, 1}};
    static const uint32_t from[] = {0}, to[] = {2}, slots[] = {0, 1, 2};
    static const uint64_t bytes[] = {10};
    topomap_machine *m = made(3, 3, 1, apart), *tree = parsed("tree:2:2@1:10");
    topomap_graph *g = graph_of(3, 1, from, to, bytes, NULL);
    topomap_network *n;
    topomap_congestion c;
    topomap_error err;

    (void)state;
    for (int model = 0; model < 2; model++) {
        assert_int_equal(
            topomap_congestion_evaluate(g, m, slots, model ? "fast" : "exact", &c, &err), -1);
        assert_message(err.text, "router 0|router 2");
    }
    assert_int_equal(topomap_congestion_evaluate(g, m, slots, NULL, &c, &err), -1);
    assert_message(err.text, "router 0|router 2");
    assert_int_equal(topomap_congestion_evaluate(g, m, slots, "magic", &c, &err), -1);
    assert_message(err.text, "exact|fast|routes|adaptive");
    assert_int_equal(topomap_congestion_evaluate(g, tree, slots, "exact", &c, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_int_equal(network_of_cables(3, 1, outside, 3, slots, &n, &err), -1);
    assert_message(err.text, "vertex 9 of 3");
    topomap_graph_free(g);
    topomap_machine_free(m);
    topomap_machine_free(tree);
}

/* 0->1 carries 10, then 2 beside 7 on 1->2: phases take 10 and 7, together they would take 12. */
static void phases_are_added_up(void **state)
{
    const uint32_t from[] = {0, 0, 1}, to[] = {1, 1, 2};
    const uint64_t bytes[] = {10, 2, 7};
    topomap_machine *m = parsed("mesh:3");
    topomap_graph *g = graph_of(3, 3, from, to, bytes, NULL);
    topomap_graph *phase[] = {graph_of(3, 1, from, to, bytes, NULL),
                              graph_of(3, 2, from + 1, to + 1, bytes + 1, NULL)};
    topomap_congestion whole = congestion_of(g, m, "exact"), apart;

    (void)state;
    assert_int_equal(topomap_graph_set_phases(g, phase, 2, NULL), 0);
    assert_float_equal(whole.max, 12.0, 0);
    for (int model = 0; model < 2; model++) {
        apart = congestion_of(g, m, model ? "fast" : "exact");
        assert_float_equal(apart.max, 17.0, 0);
        assert_float_equal(apart.mean, whole.mean, 1e-12);
        assert_int_equal(apart.used, 2);
        assert_string_equal(apart.worst, whole.worst);
    }
    topomap_graph_free(g);
    topomap_machine_free(m);
}

/* What the traffic of two nodes puts on links: each once, and what enters a vertex leaves it. */
static void check_way(const topomap_network *n, const topomap_way *way, uint32_t from, uint32_t to)
{
    double *flow = calloc(n->vertices, sizeof *flow);

    assert_non_null(flow);
    for (uint32_t i = 0; i < way->links; i++) {
        uint32_t link = way->link[i], tail = 0;

        while (link >= n->first[tail + 1])
            tail++;
        flow[tail] -= way->part[i];
        flow[n->head[link]] += way->part[i];
        if (tail == from || n->head[link] == to)
            assert_float_equal(way->part[i], 1.0, 0);
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(way->link[k], link);
    }
    for (uint32_t v = 0; v < n->vertices; v++)
        close_to(flow[v], from == to ? 0.0 : v == from ? -1.0 : v == to ? 1.0 : 0.0);
    free(flow);
}

static void detours_have_each_link_once(void **state)
{
    static const char *const spec[] = {"dragonfly:p=2,a=4,h=2,valiant=40",
                                       "dragonfly:p=1,a=3,h=4,groups=5,valiant=100"};

    (void)state;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        topomap_machine *m = parsed(spec[i]);
        const topomap_network *n = m->network;
        topomap_shares *shares;
        topomap_error err;

        if (topomap_shares_new(m, n, "adaptive", 0, &shares, &err))
            fail_msg("%s", err.text);
        for (uint32_t from = 0; from < n->nodes; from++)
            for (uint32_t to = 0; to < n->nodes; to++) {
                topomap_way way;

                assert_int_equal(topomap_shares_find(shares, from, to, &way), 0);
                check_way(n, &way, from, to);
            }
        topomap_shares_free(shares);
        topomap_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_paths),
        cmocka_unit_test(parallel_cables_are_paths),
        cmocka_unit_test(exact_is_what_brute_force_finds),
        cmocka_unit_test(bytes_go_the_hops),
        cmocka_unit_test(routes_are_followed),
        cmocka_unit_test(phases_are_added_up),
        cmocka_unit_test(detours_have_each_link_once),
        cmocka_unit_test(what_cannot_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
