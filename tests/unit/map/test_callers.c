/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads that call the library at the same time, with graph and machine shared and with
 * their own: each gets what one caller alone gets. `make check-threads` runs this under
 * ThreadSanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "topomap/hosts.h"
#include "topomap/time.h"
#include "tests/unit/map/maps.h"

enum { CALLERS = 4, SLOTS = 64 };

struct asked {
    const char *graph, *machine;
    const char *algorithm;
    enum topomap_objective_kind objective;
};

/* Trees, grids and links; METIS; J and time. */
static const struct asked kinds[] = {
    {"stencil2d:5:8x8", "tree:4:4:4@1:10:100", "auto", TOPOMAP_OBJECTIVE_J},
    {"random:60,deg=5,seed=3", "torus:4x4*4", "auto", TOPOMAP_OBJECTIVE_J},
    {"random:64,deg=4,seed=1", "fattree:k=4,levels=3*4", "tree+swap", TOPOMAP_OBJECTIVE_J},
    {"stencil3d:7:4x4x4", "torus:4x4*4", "auto", TOPOMAP_OBJECTIVE_TIME},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What comes of one; failures are said by the thread that has cmocka. */
struct result {
    topomap_error err;
    int status;
    uint32_t slot_of[SLOTS];
    double J, hop_bytes, seconds;
};

static int evaluate(const topomap_graph *graph, const topomap_machine *machine,
                    const topomap_mapping *mapping, int by_time, struct result *r)
{
    topomap_cost cost;
    topomap_time time;

    if (topomap_cost_evaluate(graph, machine, mapping->slot_of_rank, &cost, &r->err) != 0)
        return -1;
    r->hop_bytes = cost.hop_bytes;
    topomap_cost_clear(&cost);
    if (!by_time)
        return 0;
    if (topomap_time_evaluate(graph, machine, mapping->slot_of_rank, NULL, &time, &r->err) != 0)
        return -1;
    r->seconds = time.seconds;
    topomap_time_clear(&time);
    return 0;
}

static int search(const struct asked *asked, const topomap_graph *graph,
                  const topomap_machine *machine, struct result *r)
{
    topomap_map_options options = {.size = sizeof options,
                                   .algorithm = asked->algorithm,
                                   .objective = asked->objective,
                                   .seed = 7,
                                   .threads = 2};
    topomap_mapping *mapping = NULL;
    int status = topomap_map(graph, machine, &options, &mapping, &r->err);

    if (status == 0) {
        memcpy(r->slot_of, mapping->slot_of_rank, sizeof r->slot_of);
        r->J = mapping->J;
        status = evaluate(graph, machine, mapping, asked->objective == TOPOMAP_OBJECTIVE_TIME, r);
    }
    topomap_mapping_free(mapping);
    return status;
}

/* Everything of its own, from the texts. */
static int from_texts(const struct asked *asked, struct result *r)
{
    topomap_graph *graph = NULL;
    topomap_machine *machine = NULL;
    topomap_names names = {0};
    int status = topomap_hostlist_expand("node[1-16]", 0, &names, &r->err) ||
                 topomap_graph_read(asked->graph, NULL, &graph, &r->err) ||
                 topomap_machine_parse(asked->machine, &machine, &r->err) ||
                 search(asked, graph, machine, r);

    topomap_machine_free(machine);
    topomap_graph_free(graph);
    topomap_names_clear(&names);
    return status;
}

struct caller {
    pthread_t thread;
    const struct asked *asked;
    const topomap_graph *graph; /* shared, or NULL */
    const topomap_machine *machine;
    struct result result;
};

static void *call(void *data)
{
    struct caller *c = data;

    c->result.status = c->graph ? search(c->asked, c->graph, c->machine, &c->result)
                                : from_texts(c->asked, &c->result);
    return NULL;
}

static void assert_same(const struct result *alone, const struct caller *c)
{
    if (c->result.status != 0)
        fail_msg("%s on %s: %s", c->asked->graph, c->asked->machine, c->result.err.text);
    assert_memory_equal(alone->slot_of, c->result.slot_of, sizeof alone->slot_of);
    assert_true(alone->J == c->result.J && alone->hop_bytes == c->result.hop_bytes &&
                alone->seconds == c->result.seconds);
}

static void together(struct caller *callers)
{
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
}

static void alone(const struct asked *asked, struct result *r)
{
    if (from_texts(asked, r) != 0)
        fail_msg("%s on %s: %s", asked->graph, asked->machine, r->err.text);
    assert_true(r->J > 0);
}

static void graph_and_machine_may_be_shared(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct caller callers[CALLERS] = {{0}};
        struct result one = {0};
        topomap_graph *graph;
        topomap_machine *machine = map_machine(kinds[k].machine);
        topomap_error err;

        alone(&kinds[k], &one);
        assert_int_equal(topomap_graph_read(kinds[k].graph, NULL, &graph, &err), 0);
        for (int i = 0; i < CALLERS; i++) {
            callers[i].asked = &kinds[k];
            callers[i].graph = graph;
            callers[i].machine = machine;
        }
        together(callers);
        for (int i = 0; i < CALLERS; i++)
            assert_same(&one, &callers[i]);
        topomap_graph_free(graph);
        topomap_machine_free(machine);
    }
}

static void different_searches_do_not_meet(void **state)
{
    struct caller callers[CALLERS] = {{0}};

    (void)state;
    for (int i = 0; i < CALLERS; i++)
        callers[i].asked = &kinds[i % KINDS];
    together(callers);
    for (int i = 0; i < CALLERS; i++) {
        struct result one = {0};

        alone(callers[i].asked, &one);
        assert_same(&one, &callers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_and_machine_may_be_shared),
        cmocka_unit_test(different_searches_do_not_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
