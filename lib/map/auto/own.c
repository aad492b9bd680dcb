/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/auto/own.h"

#include <stdlib.h>
#include <string.h>

#include "map/algorithm.h"
#include "map/auto/portfolio.h"
#include "util/alloc.h"

enum { LONGEST_NAME = 31 };

const topomap_graph *topomap_problem_graph(const topomap_problem *problem)
{
    return problem->graph;
}

const topomap_machine *topomap_problem_machine(const topomap_problem *problem)
{
    return problem->machine;
}

uint64_t topomap_problem_seed(const topomap_problem *problem)
{
    return problem->seed;
}

/* No release had it smaller yet: topomap_sized_copy() has nothing to copy. */
static int check(const topomap_own_algorithm *own, topomap_error *err)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t length;

    if (own->size != sizeof *own)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "a topomap_own_algorithm of size %zu: set its member size to "
                                 "sizeof(topomap_own_algorithm), here %zu",
                                 own->size, sizeof *own);
    length = own->name ? strlen(own->name) : 0;
    if (length == 0 || length > LONGEST_NAME || strspn(own->name, letters) != length)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "an own algorithm's name is 1 to %d letters, digits, '-' and '_', "
                                 "not '%.40s'",
                                 LONGEST_NAME, own->name ? own->name : "");
    if (topomap_algorithm_find(own->name, length))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' is an algorithm of topomap's: give yours another name",
                                 own->name);
    if (!own->run)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "the own algorithm '%s' has no function",
                                 own->name);
    return 0;
}

int topomap_own_check(const topomap_own_algorithm *own, size_t count, topomap_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (check(&own[i], err) != 0)
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(own[i].name, own[k].name) == 0)
                return topomap_error_set(err, TOPOMAP_EUSAGE, "two own algorithms are named '%s'",
                                         own[i].name);
    }
    return 0;
}

const topomap_own_algorithm *topomap_own_find(const topomap_problem *problem, const char *name,
                                              size_t length)
{
    for (size_t i = 0; i < problem->owns; i++)
        if (strlen(problem->own[i].name) == length &&
            strncmp(problem->own[i].name, name, length) == 0)
            return &problem->own[i];
    return NULL;
}

/* It writes to an array of its own: what it has not filled is then found. */
static int call(const topomap_own_algorithm *own, const topomap_problem *problem, uint32_t *slot_of,
                uint32_t *filled, topomap_error *err)
{
    topomap_error why;

    topomap_error_set(&why, TOPOMAP_ESYSTEM, "the own algorithm '%s' gave up and did not say why",
                      own->name);
    if (own->run(problem, filled, own->data, &why) != 0)
        return topomap_error_set(err, why.code, "%s", why.text);
    return topomap_placement_fill(own->name, filled, problem->ranks, problem->machine->slots,
                                  slot_of, err);
}

int topomap_own_run(const topomap_own_algorithm *own, topomap_problem *problem, int parameters,
                    int first, uint32_t *slot_of, topomap_error *err)
{
    size_t bytes = problem->ranks * sizeof *slot_of;
    uint32_t *filled;
    int status;

    if (parameters)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "the own algorithm '%s' takes no parameters",
                                 own->name);
    if (!first && !own->refines)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' cannot stand after '+': it does not refine", own->name);
    filled = topomap_alloc(problem->ranks, sizeof *filled, err);
    if (!filled)
        return -1;
    if (own->refines)
        memcpy(filled, first ? problem->start : slot_of, bytes);
    else
        memset(filled, 0xff, bytes);
    status = call(own, problem, slot_of, filled, err);
    free(filled);
    return status;
}
