/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of algorithms (map/algorithm.h). */
#include <string.h>

#include "map/algorithm.h"

#define ADDRESS(algorithm) &(algorithm),
static const topomap_algorithm_impl *const algorithms[] = {TOPOMAP_ALGORITHMS(ADDRESS)};
#undef ADDRESS

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

const topomap_algorithm_impl *topomap_algorithm_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ALGORITHMS; i++)
        if (strlen(algorithms[i]->row.name) == length &&
            strncmp(algorithms[i]->row.name, name, length) == 0)
            return algorithms[i];
    return NULL;
}

const topomap_algorithm *topomap_algorithm_row(size_t i)
{
    return i < ALGORITHMS ? &algorithms[i]->row : NULL;
}

const topomap_parameter *topomap_algorithm_parameter(size_t i, size_t k)
{
    const topomap_parameter *row = i < ALGORITHMS ? algorithms[i]->parameters : NULL;

    while (row && row->name && k--)
        row++;
    return row && row->name ? row : NULL;
}
