/* SPDX-License-Identifier: BSD-3-Clause */
/* The portfolio where the load of links counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/auto/portfolio_parts.h"
#include "util/alloc.h"
#include "util/clock.h"

/* LibTopoMap's rows, which know the links, beside the candidates for J. */
static const struct {
    const char *name;
    enum topomap_effort from;
} linked[] = {{"rcm", TOPOMAP_FAST},
              {"greedy", TOPOMAP_DEFAULT},
              {"bisect", TOPOMAP_DEFAULT},
              {"greedy+threshold", TOPOMAP_STRONG}};
enum { LINKED = sizeof linked / sizeof linked[0] };

#define CANDIDATES_TIME 0.4

enum { RELIEFS = 2 };

/* What may be begun, in order. */
static topomap_attempt *pick_ahead(void *data)
{
    portfolio *p = data;

    for (size_t i = 0; i < p->aheads && !topomap_problem_late(p->problem); i++)
        if (p->ahead[i].state == TOPOMAP_ATTEMPT_WAITING)
            return &p->ahead[i];
    return NULL;
}

/* The attempts in their order, \p found where they have names of their own. */
static int run_ahead(portfolio *p, topomap_attempt *ahead, size_t count,
                     char (*found)[sizeof p->mapping->algorithm], topomap_error *err)
{
    int status;

    p->ahead = ahead;
    p->aheads = count;
    p->crew = (topomap_crew){.is_auto = 1, .pick = pick_ahead, .data = p};
    status = topomap_crew_open(&p->crew, p->problem, p->options->threads, err);
    if (status == 0) {
        for (size_t i = 0; status == 0 && i < count && topomap_portfolio_worth_trying(p, &ahead[i]);
             i++) {
            char name[2 * sizeof p->mapping->algorithm];

            snprintf(name, sizeof name, "%s%s%s", found ? found[i] : "", found ? "+" : "",
                     ahead[i].words);
            status = topomap_portfolio_take(p, name, &ahead[i], err);
        }
        topomap_crew_close(&p->crew);
    }
    for (size_t i = 0; i < count; i++)
        topomap_attempt_clear(&ahead[i]);
    return status;
}

static int run_linked(portfolio *p, topomap_error *err)
{
    topomap_attempt ahead[LINKED] = {0};
    size_t count = 0;

    for (size_t i = 0; i < LINKED; i++)
        if (linked[i].from <= p->problem->effort && !topomap_problem_is_hasty(p->problem))
            topomap_portfolio_prepare(&ahead[count++], linked[i].name, NULL, p->problem->seed, 1.0);
    return topomap_problem_late(p->problem) ? 0 : run_ahead(p, ahead, count, NULL, err);
}

/* Of all, the placement of the lowest J is mostly the best one to relieve; with more time, that of
 * the lowest congestion too. \p copy [2 * slots] */
static int run_reliefs(portfolio *p, uint32_t *copy, topomap_error *err)
{
    uint32_t n = p->problem->weights.vertices, *other = copy + n;
    topomap_attempt ahead[RELIEFS] = {0};
    char found[RELIEFS][sizeof p->mapping->algorithm];
    int passable = !isinf(p->near_score.max);
    size_t count = 0;

    memcpy(copy, p->near, n * sizeof *copy);
    memcpy(other, p->mapping->slot_of_rank, n * sizeof *other);
    if (passable) {
        memcpy(found[count], p->near_name, sizeof found[count]);
        topomap_portfolio_prepare(&ahead[count++], "relieve", copy, p->problem->seed, 1.0);
    }
    if ((p->problem->effort > TOPOMAP_FAST || !passable) &&
        memcmp(copy, other, n * sizeof *other) != 0) {
        memcpy(found[count], p->mapping->algorithm, sizeof found[count]);
        topomap_portfolio_prepare(&ahead[count++], "relieve", other, p->problem->seed, 1.0);
    }
    return run_ahead(p, ahead, count, found, err);
}

/* First the candidates for J. */
int topomap_portfolio_links(portfolio *p, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    uint32_t *copy;
    double deadline = problem->deadline, now = topomap_clock_wall();
    int status;

    if (deadline > 0) /* what is left is for what the candidates for J do not look at */
        problem->deadline = now + CANDIDATES_TIME * (deadline - now);
    status = topomap_portfolio_auto(p, err);
    problem->deadline = deadline;
    if (status == 0)
        status = run_linked(p, err);
    if (status != 0 || topomap_problem_late(problem) || isinf(p->score.max))
        return status;
    copy = topomap_alloc(problem->weights.vertices, RELIEFS * sizeof *copy, err);
    status = copy ? run_reliefs(p, copy, err) : -1;
    free(copy);
    return status;
}
