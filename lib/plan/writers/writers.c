/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/writers/writers.h"

#include <string.h>

const topomap_plan_writer *topomap_plan_writer_at(size_t i)
{
#define ADDRESS(row) &(row),
    static const topomap_plan_writer *const rows[] = {TOPOMAP_PLAN_WRITERS(ADDRESS)};
#undef ADDRESS

    return i < sizeof rows / sizeof *rows ? rows[i] : NULL;
}

const topomap_plan_writer *topomap_plan_writer_find(const char *name)
{
    const topomap_plan_writer *row;

    for (size_t i = 0; (row = topomap_plan_writer_at(i)) != NULL; i++)
        if (strcmp(row->name, name) == 0)
            break;
    return row;
}
