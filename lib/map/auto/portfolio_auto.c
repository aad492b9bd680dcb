/* SPDX-License-Identifier: BSD-3-Clause */
/* "auto" for J: the table of constructions, and what refines them in which order. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "map/auto/portfolio.h"
#include "map/grid/grid.h"
#include "metric/metric.h"
#include "util/alloc.h"
#include "util/clock.h"

/* A construction that is worse than the best one so far by more than this is not worth refining.
 * What refining made of another says nothing of it: on scattered nodes that halves J. */
#define REFINE_WITHIN 1.1

/* Of two refinements, each shows with some of its time (a multiple of the effort's) what it can do.
 * The better one then has several times as much, as long as that pays: slower cooling finds ever
 * more in graphs without geometry, little in meshes, where another construction finds more. */
static const struct {
    double probe, growth, most, pays; /* pays: a share of J */
} turns[] = {
    [TOPOMAP_FAST] = {1.0, 2.0, 1.0, 0.01},
    [TOPOMAP_DEFAULT] = {1.0, 2.0, 2.0, 0.001},
    [TOPOMAP_STRONG] = {0.3, 4.0, 5.0, 0.003}, /* most: twice that for few slots */
};

/* What a good start costs, as a share of what it would if all bytes went the longest way, tells how
 * much geometry it could follow. In planar graphs, nearly all: annealing finds little there,
 * another start may find more. In spatial ones, what is hot enough to forget the start finds more
 * with time; where hardly any group holds together, less heat does. */
static const struct {
    double most;
    const char *refine;
    double time[TOPOMAP_STRONG + 1]; /* multiples of the effort's; 0: tried like any other */
    uint32_t seeds;
} by_cost[] = {
    {0.22, "anneal", {[TOPOMAP_DEFAULT] = 2}, 2},
    {0.4, "anneal-hot", {[TOPOMAP_DEFAULT] = 8, [TOPOMAP_STRONG] = 20}, 1},
    {1.0, "anneal-hot,heat=50", {[TOPOMAP_DEFAULT] = 12, [TOPOMAP_STRONG] = 20}, 1},
};
enum { COSTS = sizeof by_cost / sizeof by_cost[0] };

enum {
    SLOW = 10000, /* slots that top-down takes long for */
    MANY = 40000, /* slots that recursion takes too long for: pairs go first */
    SOME = 6000,  /* slots that a launch does not wait for annealing of */
    DENSE_ARCS = 150000,
    DENSE_SLOTS = 2048, /* more than both: top-down and the longest annealing are left out */
};

#define ANY UINT32_MAX

enum {
    FAST = TOPOMAP_FAST,
    DEFAULT = TOPOMAP_DEFAULT,
    STRONG = TOPOMAP_STRONG,
    HIERARCHIES = TOPOMAP_ON_TREE | TOPOMAP_ON_MATRIX,
    TORI = TOPOMAP_ON_TORUS,
    EVERY = TOPOMAP_ON_ALL
};

/* What "auto" tries, in this order, from which effort on: a construction with how many seeds when
 * strong, then what refines the best of them: a good start, the longer the search, the cooler. */
static const struct {
    const char *name;
    unsigned on;
    unsigned from, to;    /* efforts */
    uint32_t least, most; /* slots */
    uint32_t seeds;
    int any_graph; /* not needed where time is short and the graph was recognised */
    int else_only; /* not needed where more time for refining the one before went on to pay, and
                      too long where arcs are many */
    int by_cost;   /* on trees, the refinement that suits what the start costs */
    const char *refine[2];
} candidates[] = {
    {"boxes", HIERARCHIES, FAST, DEFAULT, 0, ANY, 1, 0, 0, 0, {"anneal"}},
    {"boxes", HIERARCHIES, STRONG, STRONG, 0, ANY, 1, 0, 0, 0, {"anneal,heat=75"}},
    {"grid", TORI, FAST, DEFAULT, 0, ANY, 1, 0, 0, 0, {"anneal"}},
    {"grid", TORI, STRONG, STRONG, 0, SLOW, 1, 0, 0, 0, {"anneal,heat=60"}},
    {"grid", TORI, STRONG, STRONG, SLOW + 1, ANY, 1, 0, 0, 0, {"anneal"}},
    {"matched", EVERY, FAST, DEFAULT, MANY, ANY, 1, 1, 0, 0, {"anneal"}},
    {"tree", HIERARCHIES, FAST, FAST, 0, MANY - 1, 1, 1, 0, 0, {"anneal"}},
    {"tree", HIERARCHIES, DEFAULT, DEFAULT, 0, SLOW, 1, 1, 0, 1, {"anneal", "anneal-hot"}},
    {"tree", HIERARCHIES, DEFAULT, DEFAULT, SLOW + 1, MANY - 1, 1, 1, 0, 1, {"anneal"}},
    {"tree", HIERARCHIES, STRONG, STRONG, 0, SLOW, 2, 1, 0, 1, {"anneal", "anneal-hot"}},
    {"tree", HIERARCHIES, STRONG, STRONG, SLOW + 1, ANY, 2, 1, 0, 0, {"anneal", "anneal-hot"}},
    {"top-down", HIERARCHIES, STRONG, STRONG, 0, SLOW, 1, 1, 1, 0, {"anneal,heat=75"}},
    {"rb-wrap", TORI, FAST, DEFAULT, 0, MANY - 1, 1, 1, 0, 0, {"anneal"}},
    {"rb-wrap", TORI, STRONG, STRONG, 0, ANY, 3, 1, 0, 0, {"anneal", "anneal-hot"}},
    {"refine", EVERY, FAST, STRONG, 0, ANY, 1, 1, 0, 0, {NULL}},
};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

enum { SEEDS = 24, REFINEMENTS = 2, RESTS = 12 }; /* at most */

/* What a row of the table is tried by: constructions, what refines the best of them for some time,
 * then one of those for longer. */
enum { PROBE = SEEDS, REST = PROBE + REFINEMENTS, ATTEMPTS = REST + RESTS };
typedef struct portfolio_row {
    int closed; /* nothing more of it is begun */
    topomap_attempt attempt[ATTEMPTS];
} row;

/* ---- Attempts -------------------------------------------------------------------------------- */

static topomap_attempt *construction(portfolio *p, size_t i, uint32_t k)
{
    topomap_attempt *attempt = &p->row[i].attempt[k];

    if (attempt->state == TOPOMAP_ATTEMPT_NONE && !candidates[i].any_graph && k == 0) {
        attempt->seconds = p->recognising;
        p->recognising = 0.0;
    }
    return topomap_portfolio_prepare(attempt, candidates[i].name, NULL, p->problem->seed + k, 1.0);
}

/* With few slots, what comes of one search hangs on the ranks' numbers: there are several, from
 * several constructions. Which effort's find the most is luck, too: there the strong one has tried
 * what the default one does. */
static const struct {
    uint32_t slots, arcs, seeds, rests;
} few[] = {
    [TOPOMAP_FAST] = {128, 4100, 24, 12},
    [TOPOMAP_DEFAULT] = {256, 5000, 10, 8},
    [TOPOMAP_STRONG] = {512, 20000, 8, 8},
};

static int is_repeated_with(const portfolio *p, enum topomap_effort effort)
{
    const topomap_problem *problem = p->problem;

    return problem->machine->slots <= few[effort].slots &&
           problem->weights.offset[problem->weights.vertices] <= few[effort].arcs;
}

static int is_repeated(const portfolio *p)
{
    return is_repeated_with(p, p->problem->effort);
}

static int is_dense(const portfolio *p)
{
    const topomap_problem *problem = p->problem;

    return problem->machine->slots > DENSE_SLOTS &&
           problem->weights.offset[problem->weights.vertices] > DENSE_ARCS;
}

static int is_done(const topomap_attempt *attempt)
{
    return attempt->state == TOPOMAP_ATTEMPT_DONE && attempt->status == 0;
}

static uint32_t cost_of(const portfolio *p, const topomap_attempt *start)
{
    uint32_t row = 0;

    while (row + 1 < COSTS && start->score.J > by_cost[row].most * p->most)
        row++;
    return row;
}

static int goes_by_cost(const portfolio *p, size_t i, const topomap_attempt *start)
{
    return candidates[i].by_cost && p->most > 0.0 && !is_repeated(p) &&
           by_cost[cost_of(p, start)].time[p->problem->effort] > 0.0;
}

static uint32_t seeds_of(const portfolio *p, size_t i)
{
    const topomap_attempt *first = &p->row[i].attempt[0];

    if (is_done(first) && goes_by_cost(p, i, first) && !p->recognised &&
        p->problem->machine->slots <= SLOW)
        return by_cost[cost_of(p, first)].seeds;
    if (!is_repeated(p) || !candidates[i].any_graph || !candidates[i].refine[0])
        return p->problem->effort == TOPOMAP_STRONG ? candidates[i].seeds : 1;
    return candidates[i].else_only && p->problem->machine->slots > 128
               ? 2
               : few[p->problem->effort].seeds;
}

static int has_two(size_t i)
{
    return candidates[i].refine[0] && candidates[i].refine[1];
}

/* Does more time follow the first? */
static int goes_on(const portfolio *p, size_t i, const topomap_attempt *best, int pays)
{
    return is_repeated(p) ? candidates[i].refine[0] != NULL
                          : pays && has_two(i) && !goes_by_cost(p, i, best);
}

/* Of the first attempts, as far as they are done, the one of least J. */
static topomap_attempt *least_of(topomap_attempt *attempt, uint32_t count)
{
    topomap_attempt *least = NULL;

    for (uint32_t k = 0; k < count && is_done(&attempt[k]); k++)
        if (!least || attempt[k].score.J < least->score.J)
            least = &attempt[k];
    return least;
}

/* What suits the start; the coolest, too, where that has found nothing. */
static topomap_attempt *probe_by_cost(portfolio *p, size_t i, uint32_t r,
                                      const topomap_attempt *best)
{
    topomap_attempt *own = &p->row[i].attempt[PROBE];
    uint32_t row = cost_of(p, best);
    double time = by_cost[row].time[p->problem->effort];

    if (r == 0)
        return topomap_portfolio_prepare(own, by_cost[row].refine, best->slot_of, p->problem->seed,
                                         time);
    if (r > 1 || row == 0 || !is_done(own) || own->score.J < best->score.J)
        return NULL;
    return topomap_portfolio_prepare(own + 1, by_cost[0].refine, best->slot_of, p->problem->seed,
                                     2.0);
}

/* Each refinement of a row for some time, then the best of them for longer. NULL: no more. */
static topomap_attempt *probe(portfolio *p, size_t i, uint32_t r, const topomap_attempt *best)
{
    double time = has_two(i) ? turns[p->problem->effort].probe : p->straight ? 0.3 : 1.0;

    if (goes_by_cost(p, i, best))
        return probe_by_cost(p, i, r, best);
    if (r >= REFINEMENTS || !candidates[i].refine[r])
        return NULL;
    return topomap_portfolio_prepare(&p->row[i].attempt[PROBE + r], candidates[i].refine[r],
                                     best->slot_of, p->problem->seed, time);
}

/* The k-th longer time; NULL where that would be too long. */
static topomap_attempt *rest(portfolio *p, size_t i, uint32_t k, const topomap_attempt *best,
                             const char *chosen)
{
    enum topomap_effort effort = p->problem->effort;
    uint32_t slots = p->problem->machine->slots;
    int is_long = is_dense(p) || (slots > SLOW && effort == TOPOMAP_STRONG);
    double most = turns[effort].most * (is_long ? 0.5 : slots < SOME ? 2 : 1);
    double time = turns[effort].probe * pow(turns[effort].growth, k + 1);
    const uint32_t *from = best->slot_of;

    if (k >= few[effort].rests)
        return NULL;
    if (is_repeated(p) && k + 1 < few[effort].rests) {
        from = p->row[i].attempt[k % seeds_of(p, i)].slot_of;
        time = turns[effort].probe * turns[effort].growth;
    } else if (is_repeated(p)) {
        time = most / 2;
    } else if (time > most) {
        return NULL;
    }
    return topomap_portfolio_prepare(&p->row[i].attempt[REST + k], chosen, from,
                                     p->problem->seed + (is_repeated(p) ? k : 0), time);
}

/* Nonzero where J is below `*least` by what makes more time worth it; `*least` is the lower one
 * then. */
static int paid(const portfolio *p, double J, double *least)
{
    double before = *least;

    *least = J < before ? J : before;
    return J < (1 - turns[p->problem->effort].pays) * before;
}

/* Annealing has not bettered straight cuts: nothing is left to find for it but time. */
static int nothing_to_refine(const portfolio *p)
{
    return p->straight && p->problem->effort < TOPOMAP_STRONG;
}

/* Is the best construction of this row worth refining, where J is that of the best of others? */
static int worth_refining(const portfolio *p, size_t i, const topomap_attempt *best, double J)
{
    int is_long = p->problem->machine->slots > SLOW && p->problem->effort < TOPOMAP_STRONG;

    return best && candidates[i].refine[0] && !nothing_to_refine(p) &&
           best->score.J <= (is_long ? 1.0 : REFINE_WITHIN) * J &&
           (p->problem->effort != TOPOMAP_FAST || p->problem->machine->slots < SOME);
}

/* Of a grid without a flaw on a hierarchy, no partition has been better than boxes of good shapes;
 * of any grid, a launch waits for none. */
static int boxes_are_enough(const portfolio *p)
{
    uint32_t slots = p->problem->machine->slots;

    if (p->problem->effort == TOPOMAP_FAST)
        return slots >= SOME ||
               (p->problem->machine->kind != TOPOMAP_MACHINE_TORUS && !p->doubtful);
    return p->flawless || slots >= MANY;
}

/* Is this row for this machine, this effort, and what is known by now? */
static int suits(const portfolio *p, size_t i)
{
    const topomap_problem *problem = p->problem;
    uint32_t slots = problem->machine->slots;

    if ((unsigned)problem->effort < candidates[i].from ||
        (unsigned)problem->effort > candidates[i].to || slots < candidates[i].least ||
        slots > candidates[i].most || !(candidates[i].on & (1u << problem->machine->kind)))
        return 0;
    if (candidates[i].any_graph && p->recognised && boxes_are_enough(p))
        return 0;
    if (candidates[i].else_only && !is_repeated(p) &&
        ((p->known.pays && !p->known.starts) || is_dense(p)))
        return 0;
    /* From a baseline that is worse than the best, a search takes longest and seldom catches up. */
    return strcmp(candidates[i].name, "refine") != 0 || p->mapping->candidate[0].J <= p->mapping->J;
}

/* The row of the best construction of all; CANDIDATES where there is none. */
static size_t best_row(const portfolio *p)
{
    size_t best = CANDIDATES;
    double least = INFINITY;

    for (size_t i = 0; i < CANDIDATES; i++) {
        const topomap_attempt *one = least_of(p->row[i].attempt, seeds_of(p, i));

        if (one && candidates[i].refine[0] && one->score.J < least) {
            least = one->score.J;
            best = i;
        }
    }
    return best;
}

/* In little time, only the best of all constructions is refined. */
static int is_hasty(const portfolio *p)
{
    return p->problem->effort == TOPOMAP_FAST;
}

/* What still runs for nothing is not waited for: memory that it uses stays until all threads end.
 */
static void close_row(row *own)
{
    int running = 0;

    own->closed = 1;
    for (uint32_t k = 0; k < ATTEMPTS; k++) {
        atomic_store(&own->attempt[k].cancel, 1);
        running |= own->attempt[k].state == TOPOMAP_ATTEMPT_RUNNING;
    }
    for (uint32_t k = 0; !running && k < ATTEMPTS; k++)
        topomap_attempt_clear(&own->attempt[k]);
}

/* A row that begins with the grid in the graph takes one. */
static int is_tried(const portfolio *p, size_t i)
{
    return (candidates[i].any_graph || p->recognised) && suits(p, i);
}

/* ---- What comes next ---------------------------------------------------------------------------
 */

/* In sequence, what has not been taken; ahead of that, what nobody has begun. */
static int is_open(const topomap_attempt *attempt, int ahead)
{
    return ahead ? attempt->state == TOPOMAP_ATTEMPT_WAITING : !attempt->taken;
}

/* Of all constructions of a row. Each refinement in turn, then the best of them for longer: what
 * hangs on the outcome of one that still runs is not begun ahead. */
static topomap_attempt *next_refinement(portfolio *p, size_t i, int ahead, portfolio_known *known)
{
    const topomap_attempt *best = least_of(p->row[i].attempt, seeds_of(p, i));
    topomap_attempt *next;
    const char *chosen = NULL;
    double least;
    int shown = 1;

    if (!worth_refining(p, i, best, known->J))
        return NULL;
    least = best->score.J;
    known->pays = 0;
    known->starts = candidates[i].by_cost && p->most > 0.0 && cost_of(p, best) == 0;
    for (uint32_t r = 0; (next = probe(p, i, r, best)); r++) {
        double before = least;

        if (is_open(next, ahead))
            return next;
        shown = shown && is_done(next);
        if (!shown)
            continue;
        known->pays |= paid(p, next->score.J, &least);
        if (least < before || !chosen)
            chosen = next->words;
    }
    for (uint32_t k = 0; shown && goes_on(p, i, best, known->pays); k++) {
        next = rest(p, i, k, best, chosen);
        if (!next || is_open(next, ahead))
            return next;
        shown = is_done(next);
        known->pays = shown && paid(p, next->score.J, &least);
    }
    return NULL;
}

/* The next attempt of a row, going by what is known of it and of the rows before it: with every
 * seed, then what refines the best. NULL: none, or none at present. */
static topomap_attempt *next_attempt(portfolio *p, size_t i, int ahead, portfolio_known *known)
{
    int constructed = 1;

    for (uint32_t k = 0; k < seeds_of(p, i); k++) {
        topomap_attempt *next = construction(p, i, k);

        if (is_open(next, ahead))
            return next;
        if (is_done(next))
            known->J = fmin(known->J, next->score.J);
        else
            constructed = 0;
    }
    known->all = known->all && constructed;
    return constructed && known->refines ? next_refinement(p, i, ahead, known) : NULL;
}

/* The first attempt in the order of the table that can begin now. Only whether the baseline is the
 * best of all is known no sooner than at the end. */
static topomap_attempt *pick_row(void *data)
{
    portfolio *p = data;
    portfolio_known known = {.J = p->known.J, .all = 1, .refines = !is_hasty(p)};
    topomap_attempt *next = NULL;

    if (topomap_problem_late(p->problem) || topomap_portfolio_is_optimal(p))
        return NULL;
    for (size_t i = 0; !next && i < CANDIDATES; i++)
        if (!p->row[i].closed && strcmp(candidates[i].name, "refine") != 0 && is_tried(p, i))
            next = next_attempt(p, i, 1, &known);
    if (next || !known.all || known.refines || best_row(p) == CANDIDATES)
        return next;
    known.refines = 1;
    return next_attempt(p, best_row(p), 1, &known);
}

static int run_row(portfolio *p, size_t i, topomap_error *err)
{
    topomap_attempt *next;

    while ((next = next_attempt(p, i, 0, &p->known)) && topomap_portfolio_worth_trying(p, next)) {
        char name[64];

        snprintf(name, sizeof name, "%s%s%s", candidates[i].name, next->from ? "+" : "",
                 next->from ? next->words : "");
        if (topomap_portfolio_take(p, name, next, err) != 0)
            return -1;
    }
    return 0;
}

/* Found before threads share the problem. */
static int recognise(portfolio *p, topomap_error *err)
{
    const topomap_lattice *lattice;
    double before = topomap_clock_cpu();
    topomap_error why;

    if (topomap_problem_lattice(p->problem, "auto", &lattice, &why) == 0)
        p->recognised = 1;
    else if (why.code != TOPOMAP_EUSAGE)
        return topomap_error_set(err, why.code, "%s", why.text);
    p->recognising = topomap_clock_cpu() - before;
    return 0;
}

static double most_of(const topomap_problem *problem)
{
    const topomap_machine *m = problem->machine;

    if (m->kind != TOPOMAP_MACHINE_TREE || m->outer_levels == 0)
        return 0.0;
    return (double)problem->weights.total * m->outer[m->outer_levels - 1].cost;
}

/* What exchanges of two have left: quick, and worth it wherever something is left. */
static int polish(portfolio *p, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    TOPOMAP_CLEANUP(topomap_attempt_clear) topomap_attempt attempt = {0};
    char name[2 * sizeof p->mapping->algorithm];

    if (problem->objective || topomap_portfolio_is_optimal(p) || topomap_problem_late(problem) ||
        nothing_to_refine(p) ||
        (problem->effort == TOPOMAP_FAST && problem->machine->slots >= SOME))
        return 0;
    snprintf(name, sizeof name, "%s+cycles", p->mapping->algorithm);
    topomap_portfolio_prepare(&attempt, "cycles", p->mapping->slot_of_rank, problem->seed, 1.0);
    topomap_attempt_run(&attempt, problem, problem->work.scratch, 1);
    return topomap_portfolio_consider(p, name, &attempt, err);
}

/* How many attempts there may be, from this row on: who looks sees how far the search has come. */
static void foresee(const portfolio *p, size_t from)
{
    topomap_watch *watch = p->problem->watch;
    uint64_t count = 0;

    for (size_t i = from; watch && i < CANDIDATES; i++) {
        if (!is_tried(p, i))
            continue;
        count += seeds_of(p, i);
        if (candidates[i].refine[0] && !is_hasty(p))
            count += (has_two(i) ? 2u : 1u) +
                     (is_repeated(p) ? few[p->problem->effort].rests : (uint32_t)has_two(i));
    }
    if (watch)
        atomic_store(&watch->total, atomic_load(&watch->done) + count);
}

/* What searches from the baseline comes last. */
static int run_rows(portfolio *p, topomap_error *err)
{
    p->known.refines = !is_hasty(p);
    for (size_t i = 0; i < CANDIDATES; i++) {
        foresee(p, i);
        if (!candidates[i].refine[0] && is_hasty(p) && best_row(p) < CANDIDATES) {
            p->known.refines = 1;
            if (run_row(p, best_row(p), err) != 0)
                return -1;
        }
        if (is_tried(p, i) && run_row(p, i, err) != 0)
            return -1;
        if (!is_hasty(p) || !candidates[i].refine[0])
            close_row(&p->row[i]);
    }
    return 0;
}

static int run_effort(portfolio *p, enum topomap_effort effort, topomap_error *err)
{
    enum topomap_effort asked = p->problem->effort;
    int status;

    p->problem->effort = effort;
    topomap_watch_stage(p->problem->watch, effort < asked ? "first search" : "search", "candidates",
                        0);
    p->row = topomap_alloc(CANDIDATES, sizeof *p->row, err);
    p->crew = (topomap_worker_pool){.is_auto = 1, .pick = pick_row, .data = p};
    status = p->row ? topomap_worker_pool_open(&p->crew, p->problem, p->options->threads, err) : -1;
    if (status == 0) {
        status = run_rows(p, err);
        topomap_worker_pool_close(&p->crew);
        for (size_t i = 0; i < CANDIDATES; i++)
            close_row(&p->row[i]);
    }
    free(p->row);
    p->row = NULL;
    if (status == 0)
        status = polish(p, err);
    p->problem->effort = asked;
    return status;
}

int topomap_portfolio_auto(portfolio *p, topomap_error *err)
{
    portfolio_known known;

    if (topomap_portfolio_baseline(p, err) != 0 ||
        topomap_bound_quick(&p->problem->weights, p->problem->machine, &p->mapping->bound, err) !=
            0)
        return -1;
    if (topomap_portfolio_is_optimal(p))
        return 0;
    if (recognise(p, err) != 0)
        return -1;
    p->most = most_of(p->problem);
    known = p->known;
    if (p->problem->effort == TOPOMAP_STRONG && is_repeated_with(p, TOPOMAP_DEFAULT)) {
        if (run_effort(p, TOPOMAP_DEFAULT, err) != 0)
            return -1;
        p->known = known;
    }
    return topomap_portfolio_is_optimal(p) ? 0 : run_effort(p, p->problem->effort, err);
}
