/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

/* What two rows of sorted partners have in common. */
struct common {
    double bytes_of_a; /* of a's, between pairs that b has too */
    double least;      /* sum of min(a/sum a, b/sum b) */
    uint64_t pairs;    /* of both */
};

/* Each undirected pair is in two rows; the one from the smaller rank counts. */
static void compare_rows(const topomap_weights *a, const topomap_weights *b, uint32_t u,
                         struct common *common)
{
    uint64_t i = a->offset[u], j = b->offset[u];

    while (i < a->offset[u + 1] && j < b->offset[u + 1]) {
        uint32_t v = a->target[i], w = b->target[j];

        if (v == w && v > u) {
            double x = (double)a->weight[i] / (double)a->total;
            double y = (double)b->weight[j] / (double)b->total;

            common->bytes_of_a += x;
            common->least += x < y ? x : y;
            common->pairs++;
        }
        i += v <= w;
        j += w <= v;
    }
}

static int compare(const topomap_graph *a, const topomap_graph *b, struct common *common,
                   uint64_t *pairs_of_b, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights x = {0}, y = {0};

    if (topomap_weights_new(a, topomap_graph_ranks(a), &x, err) != 0 ||
        topomap_weights_new(b, topomap_graph_ranks(b), &y, err) != 0)
        return -1;
    *common = (struct common){0};
    for (uint32_t u = 0; u < x.vertices && u < y.vertices; u++)
        compare_rows(&x, &y, u, common);
    *pairs_of_b = y.offset[y.vertices] / 2;
    return 0;
}

int topomap_graph_likeness(const topomap_graph *a, const topomap_graph *b, double *share,
                           topomap_error *err)
{
    struct common common;
    uint64_t pairs;

    if (compare(a, b, &common, &pairs, err) != 0)
        return -1;
    if (topomap_graph_bytes(a) == 0 && topomap_graph_bytes(b) == 0)
        common.least = 1;
    *share = topomap_graph_ranks(a) == topomap_graph_ranks(b) ? common.least : 0;
    return 0;
}

int topomap_graph_fit(const topomap_graph *profile, const topomap_graph *pattern, double *share,
                      topomap_error *err)
{
    struct common common;
    uint64_t pairs;
    double present;

    if (compare(profile, pattern, &common, &pairs, err) != 0)
        return -1;
    present = pairs ? (double)common.pairs / (double)pairs : 0;
    *share = common.bytes_of_a < present ? common.bytes_of_a : present;
    return 0;
}
