/* SPDX-License-Identifier: BSD-3-Clause */
/* The portfolio where the load of links counts. */
#include <math.h>
#include <string.h>

#include "map/auto/portfolio.h"
#include "map/objective.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { FEW = 128, ANY = UINT32_MAX }; /* slots */

/* LibTopoMap's rows, which know the links, beside the candidates for J; and for the time, where
 * ranks are few, one of low J that does not hang on the ranks' numbers: on a torus, relieving
 * begins better there than from a grid that was recognised in what is hardly one (nas-cg). */
static const struct {
    const char *name;
    enum topomap_effort from, to;
    int for_time;  /* alone, and on tori */
    uint32_t most; /* slots */
} linked[] = {{"rb-wrap+anneal-hot,proposals=10000", TOPOMAP_DEFAULT, TOPOMAP_DEFAULT, 1, FEW},
              {"rb-wrap+anneal-hot,proposals=1000", TOPOMAP_STRONG, TOPOMAP_STRONG, 1, FEW},
              {"rcm", TOPOMAP_FAST, TOPOMAP_STRONG, 0, ANY},
              {"greedy", TOPOMAP_DEFAULT, TOPOMAP_STRONG, 0, ANY},
              {"bisect", TOPOMAP_DEFAULT, TOPOMAP_STRONG, 0, ANY},
              {"greedy+threshold", TOPOMAP_STRONG, TOPOMAP_STRONG, 0, ANY}};
enum { LINKED = sizeof linked / sizeof linked[0] };

#define CANDIDATES_TIME 0.4

enum { RELIEFS = 3 };

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

    topomap_watch_stage(p->problem->watch, "search by links", "candidates", count);
    p->ahead = ahead;
    p->aheads = count;
    p->crew = (topomap_worker_pool){.is_auto = 1, .pick = pick_ahead, .data = p};
    status = topomap_worker_pool_open(&p->crew, p->problem, p->options->threads, err);
    if (status == 0) {
        for (size_t i = 0; status == 0 && i < count && topomap_portfolio_worth_trying(p, &ahead[i]);
             i++) {
            char name[2 * sizeof p->mapping->algorithm];

            snprintf(name, sizeof name, "%s%s%s", found ? found[i] : "", found ? "+" : "",
                     ahead[i].words);
            status = topomap_portfolio_take(p, name, &ahead[i], err);
        }
        topomap_worker_pool_close(&p->crew);
    }
    for (size_t i = 0; i < count; i++)
        topomap_attempt_clear(&ahead[i]);
    return status;
}

static int is_tried(const portfolio *p, size_t i)
{
    const topomap_problem *problem = p->problem;

    if (problem->effort < linked[i].from || problem->effort > linked[i].to ||
        problem->machine->slots > linked[i].most || topomap_problem_is_hasty(problem))
        return 0;
    return !linked[i].for_time ||
           (problem->objective->by_time && problem->machine->kind == TOPOMAP_MACHINE_TORUS &&
            p->near_score.J > p->mapping->bound * (1 + 1e-12));
}

static int run_linked(portfolio *p, topomap_error *err)
{
    topomap_attempt ahead[LINKED] = {0};
    size_t count = 0;

    for (size_t i = 0; i < LINKED; i++)
        if (is_tried(p, i))
            topomap_portfolio_prepare(&ahead[count++], linked[i].name, NULL, p->problem->seed, 1.0);
    return topomap_problem_late(p->problem) ? 0 : run_ahead(p, ahead, count, NULL, err);
}

/* What is relieved: placements that differ. */
typedef struct reliefs {
    uint32_t *copy; /* [RELIEFS * slots] */
    topomap_attempt ahead[RELIEFS];
    char found[RELIEFS][sizeof((topomap_mapping *)0)->algorithm];
    size_t count;
} reliefs;

static void add_start(const portfolio *p, reliefs *r, const char *name, const uint32_t *slot_of)
{
    uint32_t n = p->problem->weights.vertices;
    uint32_t *copy = r->copy + r->count * n;

    if (r->count == RELIEFS)
        return;
    for (size_t i = 0; i < r->count; i++)
        if (memcmp(r->copy + i * n, slot_of, n * sizeof *slot_of) == 0)
            return;
    memcpy(copy, slot_of, n * sizeof *copy);
    snprintf(r->found[r->count], sizeof r->found[0], "%s", name);
    topomap_portfolio_prepare(&r->ahead[r->count++], "relieve", copy, p->problem->seed, 1.0);
}

/* The placement of the lowest J is mostly the best one to relieve; with more time, that of the
 * lowest congestion too. */
static void add_starts(const portfolio *p, reliefs *r)
{
    int passable = !isinf(p->near_score.max);

    if (passable)
        add_start(p, r, p->near_name, p->near);
    if (p->problem->effort > TOPOMAP_FAST || !passable)
        add_start(p, r, p->mapping->algorithm, p->mapping->slot_of_rank);
}

/* First the candidates for J. */
int topomap_portfolio_links(portfolio *p, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    double deadline = problem->deadline, now = topomap_clock_wall();
    reliefs r = {0};
    TOPOMAP_FREED uint32_t *copy = NULL;
    int status;

    if (deadline > 0) /* what is left is for what the candidates for J do not look at */
        problem->deadline = now + CANDIDATES_TIME * (deadline - now);
    status = topomap_portfolio_auto(p, err);
    problem->deadline = deadline;
    if (status)
        return -1;
    copy = r.copy = topomap_alloc(problem->weights.vertices, RELIEFS * sizeof *r.copy, err);
    if (!copy)
        return -1;
    /* Whatever the others find, these are relieved. */
    if (problem->objective->by_time && problem->effort == TOPOMAP_DEFAULT &&
        problem->machine->slots <= FEW && !isinf(p->score.max))
        add_starts(p, &r);
    if (run_linked(p, err))
        return -1;
    if (topomap_problem_late(problem) || isinf(p->score.max))
        return 0;
    add_starts(p, &r);
    return run_ahead(p, r.ahead, r.count, r.found, err);
}
