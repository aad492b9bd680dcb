/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/recognise/name.h"

#include <string.h>

static void take_fit(const topomap_lattice *lattice, topomap_recognition *found)
{
    found->dims = lattice->dims;
    memcpy(found->size, lattice->size, sizeof found->size);
    found->explained = lattice->explained;
    found->present = lattice->present;
    found->even = lattice->even;
}

/* The lattice's own words, or better ones; none is no failure where others may be found. */
static int name_lattice(const topomap_graph *graph, const topomap_lattice *lattice, uint64_t ranks,
                        topomap_recognition *found, topomap_error *err)
{
    int named;

    take_fit(lattice, found);
    named = topomap_name_directed(graph, lattice, ranks, found, err);
    if (named != 0)
        return named < 0 ? -1 : 0;
    return topomap_lattice_words(lattice, ranks, found->text, sizeof found->text, err);
}

int topomap_name_is_plain(const topomap_recognition *found)
{
    uint32_t two = 0;

    for (uint32_t k = 0; k < found->dims; k++)
        two += found->size[k] == 2;
    return strncmp(found->text, "product:", 8) != 0 && two < found->dims;
}

static int is_exact(const topomap_recognition *found)
{
    return found->dims && found->explained == 1.0 && found->present == 1.0 &&
           found->even > TOPOMAP_LATTICE_ALIKE;
}

int topomap_graph_recognise(const topomap_graph *graph, uint64_t ranks,
                            topomap_recognition *pattern, topomap_error *err)
{
    topomap_recognition found = {.text = ""};
    topomap_lattice lattice = {0};
    topomap_weights weights;
    uint32_t cells;
    int status;

    if (topomap_pairs_new(graph, &weights, err) != 0)
        return -1;
    status = topomap_lattice_find(&weights, graph->ranks, &lattice, err);
    if (status == 0 && lattice.dims)
        status = name_lattice(graph, &lattice, ranks, &found, err);
    cells = lattice.cells;
    topomap_lattice_clear(&lattice);
    if (status == 0 && cells != graph->ranks)
        status = topomap_name_groups(&weights, graph->ranks, ranks, &found, err) < 0 ? -1 : 0;
    found.exact = is_exact(&found);
    if (status == 0 && !(found.exact && topomap_name_is_plain(&found)))
        status = topomap_name_known(graph, &weights, ranks, &found, err) < 0 ? -1 : 0;
    topomap_weights_clear(&weights);
    found.exact = is_exact(&found);
    if (status == 0)
        *pattern = found;
    return status;
}
