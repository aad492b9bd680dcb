/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm of a program's own, alone and with topomap's swaps behind it: who sends most is
 * placed first, and then always who exchanges most with those that are placed, on the next free
 * slot.
 *
 *   own_algorithm GRAPH MACHINE
 *   own_algorithm random:64,deg=4,seed=1 tree:4:4:4@1:10:100 */
#include <stdio.h>
#include <stdlib.h>
#include <topomap/extend.h>
#include <topomap/topomap.h>

/* What the program hands to its algorithm: here only how often it was called. */
struct growth {
    unsigned calls;
};

/* Adds to each rank what it exchanges with the one that has just been placed. The graph has rows of
 * what is sent alone: who sends to it is found by looking at all of them. */
static void pull(const topomap_graph *graph, uint32_t placed, uint64_t *drawn)
{
    const uint64_t *offset, *bytes;
    const uint32_t *target;
    uint32_t ranks = topomap_graph_ranks(graph);

    topomap_graph_arcs(graph, &offset, &target, &bytes);
    for (uint32_t u = 0; u < ranks; u++)
        for (uint64_t i = offset[u]; i < offset[u + 1]; i++) {
            if (u == placed)
                drawn[target[i]] += bytes[i];
            else if (target[i] == placed)
                drawn[u] += bytes[i];
        }
}

static uint32_t sends_most(const topomap_graph *graph)
{
    const uint64_t *offset, *bytes;
    const uint32_t *target;
    uint32_t ranks = topomap_graph_ranks(graph), best = 0;
    uint64_t most = 0;

    topomap_graph_arcs(graph, &offset, &target, &bytes);
    for (uint32_t u = 0; u < ranks; u++) {
        uint64_t sent = 0;

        for (uint64_t i = offset[u]; i < offset[u + 1]; i++)
            sent += bytes[i];
        if (sent > most) {
            most = sent;
            best = u;
        }
    }
    return best;
}

/* Of those that are not placed yet. */
static uint32_t drawn_most(const uint32_t *slot_of_rank, const uint64_t *drawn, uint32_t ranks)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t r = 0; r < ranks; r++)
        if (slot_of_rank[r] == UINT32_MAX && (best == UINT32_MAX || drawn[r] > drawn[best]))
            best = r;
    return best;
}

static int grow(const topomap_problem *problem, uint32_t *slot_of_rank, void *data,
                topomap_error *err)
{
    const topomap_graph *graph = topomap_problem_graph(problem);
    uint32_t ranks = topomap_graph_ranks(graph);
    uint64_t *drawn = calloc(ranks, sizeof *drawn);

    ((struct growth *)data)->calls++;
    if (!drawn)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory for %u ranks", ranks);
    for (uint32_t slot = 0; slot < ranks; slot++) {
        uint32_t best = slot ? drawn_most(slot_of_rank, drawn, ranks) : sends_most(graph);

        slot_of_rank[best] = slot;
        pull(graph, best, drawn);
    }
    free(drawn);
    return 0;
}

static int compare(const topomap_graph *graph, const topomap_machine *machine, topomap_error *err)
{
    static const char *const algorithms[] = {"identity", "grow", "grow+swap", "auto"};
    struct growth growth = {0};
    topomap_own_algorithm own = {.size = sizeof own, .name = "grow", .run = grow, .data = &growth};

    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        topomap_map_options options = {.size = sizeof options,
                                       .algorithm = algorithms[i],
                                       .own_algorithms = 1,
                                       .own_algorithm = &own};
        topomap_mapping *mapping;

        if (topomap_map(graph, machine, &options, &mapping, err) != 0)
            return -1;
        printf("%-10s J %.0f\n", algorithms[i], mapping->J);
        topomap_mapping_free(mapping);
    }
    printf("called %u times\n", growth.calls);
    return 0;
}

int main(int argc, char **argv)
{
    topomap_graph *graph = NULL;
    topomap_machine *machine = NULL;
    topomap_error err;
    int status = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: own_algorithm GRAPH MACHINE\n");
        return 2;
    }
    if (topomap_graph_read(argv[1], NULL, &graph, &err) != 0 ||
        topomap_machine_parse(argv[2], &machine, &err) != 0 || compare(graph, machine, &err) != 0) {
        fprintf(stderr, "own_algorithm: %s\n", err.text);
        status = (int)err.code + 1;
    }
    topomap_machine_free(machine);
    topomap_graph_free(graph);
    return status;
}
