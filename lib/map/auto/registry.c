/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking up in the table of algorithms (map/problem.h). */
#include <string.h>

#include "map/problem.h"

const topomap_algorithm_impl *topomap_algorithm_find(const char *name, size_t length)
{
    for (size_t i = 0; topomap_algorithms[i]; i++)
        if (strlen(topomap_algorithms[i]->row.name) == length &&
            strncmp(topomap_algorithms[i]->row.name, name, length) == 0)
            return topomap_algorithms[i];
    return NULL;
}

static const topomap_algorithm_impl *row_of(size_t i)
{
    for (size_t k = 0; topomap_algorithms[k]; k++)
        if (k == i)
            return topomap_algorithms[k];
    return NULL;
}

const topomap_algorithm *topomap_algorithm_row(size_t i)
{
    const topomap_algorithm_impl *found = row_of(i);

    return found ? &found->row : NULL;
}

const topomap_parameter *topomap_algorithm_parameter(size_t i, size_t k)
{
    const topomap_algorithm_impl *found = row_of(i);
    const topomap_parameter *row = found ? found->parameters : NULL;

    while (row && row->name && k--)
        row++;
    return row && row->name ? row : NULL;
}
