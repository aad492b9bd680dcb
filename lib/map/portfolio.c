/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/portfolio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/bound.h"
#include "map/objective.h"
#include "map/parameters.h"
#include "util/alloc.h"
#include "util/clock.h"

/* A start that is worse than the best so far by more than this is not worth refining. */
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

enum {
    SLOW = 10000, /* slots that top-down takes long for */
    MANY = 40000, /* slots that recursion takes too long for: pairs go first */
    SOME = 6000, /* slots that a launch does not wait for annealing of, where boxes or a grid fit */
};

#define HIERARCHIES (TOPOMAP_ON_TREE | TOPOMAP_ON_MATRIX)

/* What "auto" tries, in this order, from which effort on: a construction with how many seeds when
 * strong, then what refines the best of them. */
static const struct {
    const char *name;
    unsigned on;
    enum topomap_effort from, to;
    uint32_t least, most; /* slots */
    uint32_t seeds;
    int any_graph; /* not needed where time is short and the graph was recognised */
    int else_only; /* not needed where more time for refining the one before went on to pay */
    const char *refine[3];
} candidates[] = {
    {"boxes", HIERARCHIES, TOPOMAP_FAST, TOPOMAP_STRONG, 0, UINT32_MAX, 1, 0, 0, {"anneal"}},
    {"grid", TOPOMAP_ON_TORUS, TOPOMAP_FAST, TOPOMAP_STRONG, 0, UINT32_MAX, 1, 0, 0, {"anneal"}},
    {"matched",
     TOPOMAP_ON_ALL,
     TOPOMAP_FAST,
     TOPOMAP_DEFAULT,
     MANY,
     UINT32_MAX,
     1,
     1,
     0,
     {"anneal"}},
    {"tree", HIERARCHIES, TOPOMAP_FAST, TOPOMAP_FAST, 0, MANY - 1, 1, 1, 0, {"anneal"}},
    {"tree",
     HIERARCHIES,
     TOPOMAP_DEFAULT,
     TOPOMAP_DEFAULT,
     0,
     SLOW,
     1,
     1,
     0,
     {"anneal", "anneal-hot"}},
    {"tree",
     HIERARCHIES,
     TOPOMAP_DEFAULT,
     TOPOMAP_DEFAULT,
     SLOW + 1,
     MANY - 1,
     1,
     1,
     0,
     {"anneal"}},
    {"tree",
     HIERARCHIES,
     TOPOMAP_STRONG,
     TOPOMAP_STRONG,
     0,
     UINT32_MAX,
     2,
     1,
     0,
     {"anneal", "anneal-hot"}},
    {"top-down", HIERARCHIES, TOPOMAP_STRONG, TOPOMAP_STRONG, 0, SLOW, 1, 1, 1, {"anneal"}},
    {"rb-wrap", TOPOMAP_ON_TORUS, TOPOMAP_FAST, TOPOMAP_DEFAULT, 0, MANY - 1, 1, 1, 0, {"anneal"}},
    {"rb-wrap",
     TOPOMAP_ON_TORUS,
     TOPOMAP_STRONG,
     TOPOMAP_STRONG,
     0,
     UINT32_MAX,
     3,
     1,
     0,
     {"anneal", "anneal-hot"}},
    {"refine", TOPOMAP_ON_ALL, TOPOMAP_FAST, TOPOMAP_STRONG, 0, UINT32_MAX, 1, 1, 0, {NULL}},
};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

typedef struct portfolio {
    topomap_problem *problem;
    const topomap_map_options *options;
    topomap_mapping *mapping;
    uint32_t *trial; /* [slots] */
    size_t capacity;
    topomap_score score; /* of the best so far; only J without an objective */
    int is_auto, recognised, pays;
    uint32_t *near; /* [slots] of the lowest J so far, with an objective; else NULL */
    topomap_score near_score;
    char near_name[64];
} portfolio;

static int report(portfolio *p, const char *name, const topomap_score *score, double seconds,
                  topomap_error *err)
{
    topomap_mapping *mapping = p->mapping;
    topomap_candidate *row;

    if (topomap_grow(&mapping->candidate, &p->capacity, mapping->candidates + 1, sizeof *row,
                     err) != 0)
        return -1;
    row = &mapping->candidate[mapping->candidates++];
    snprintf(row->name, sizeof row->name, "%s", name);
    row->J = score->J;
    row->congestion = score->max;
    row->seconds = seconds;
    return 0;
}

static int consider(portfolio *p, const char *name, double started, topomap_error *err)
{
    topomap_mapping *mapping = p->mapping;
    topomap_score score = {0};

    if (p->problem->objective &&
        topomap_objective_score(p->problem->objective, p->problem->graph, p->problem->machine,
                                p->trial, &score, err) != 0)
        return -1;
    score.J = topomap_problem_cost(p->problem, p->trial);
    if (p->near && (mapping->candidates == 0 || score.J < p->near_score.J)) {
        p->near_score = score;
        snprintf(p->near_name, sizeof p->near_name, "%s", name);
        memcpy(p->near, p->trial, p->problem->weights.vertices * sizeof *p->near);
    }
    if (mapping->candidates == 0 ||
        (p->problem->objective ? topomap_score_better(&score, &p->score) : score.J < mapping->J)) {
        p->score = score;
        mapping->J = score.J;
        mapping->congestion = score.max;
        snprintf(mapping->algorithm, sizeof mapping->algorithm, "%s", name);
        memcpy(mapping->slot_of_rank, p->trial, p->problem->weights.vertices * sizeof *p->trial);
    }
    return report(p, name, &score, topomap_clock_cpu() - started, err);
}

static int unsuitable(const struct topomap_algorithm_impl *impl, const topomap_machine *machine,
                      topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "algorithm '%s' works on: %s; this machine is a %s", impl->row.name,
                             impl->row.machines, machine->kind_name);
}

/* One word of a name: construct into the trial, refine it, or begin from the given mapping. */
static int run_word(portfolio *p, const char *word, size_t length, int first, topomap_error *err)
{
    const char *comma = memchr(word, ',', length);
    size_t name = comma ? (size_t)(comma - word) : length;
    const struct topomap_algorithm_impl *impl = topomap_algorithm_find(word, name);
    topomap_problem *problem = p->problem;
    int refines;

    if (!impl)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "no algorithm '%.*s'; `topomap algorithms` lists them",
                                 (int)(name > 64 ? 64 : name), word);
    if (strcmp(impl->row.kind, "portfolio") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "'%s' stands alone, without '+' or ','",
                                 impl->row.name);
    refines = strcmp(impl->row.kind, "refine") == 0;
    if (!(impl->on & (1u << problem->machine->kind)))
        return unsuitable(impl, problem->machine, err);
    if (first ? 0 : !refines || strcmp(impl->row.name, "refine") == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "'%s' cannot stand after '+': it does not refine", impl->row.name);
    if (topomap_parameters_set(problem, impl, comma ? comma + 1 : word + length,
                               comma ? length - name - 1 : 0, err) != 0)
        return -1;
    if (refines && first)
        memcpy(p->trial, problem->start, problem->weights.vertices * sizeof *p->trial);
    if (!impl->run) /* refine */
        return problem->objective && !p->is_auto ? topomap_map_relieve(problem, p->trial, err)
                                                 : topomap_map_swap(problem, p->trial, err);
    return impl->run(problem, p->trial, err);
}

static int run_name(portfolio *p, const char *name, topomap_error *err)
{
    const char *word = name;
    double started = topomap_clock_cpu();

    for (;;) {
        size_t length = strcspn(word, "+");

        if (run_word(p, word, length, word == name, err) != 0)
            return -1;
        if (word[length] == '\0')
            break;
        word += length + 1;
    }
    if (p->problem->inter_only && topomap_problem_sort_inside(p->problem, p->trial, err) != 0)
        return -1;
    return consider(p, name, started, err);
}

/* The best placement so far becomes the trial, a refinement improves it. */
static int refine_best(portfolio *p, const char *start, const uint32_t *placement,
                       const char *refinement, topomap_error *err)
{
    double started = topomap_clock_cpu();
    char name[64];

    memcpy(p->trial, placement, p->problem->weights.vertices * sizeof *p->trial);
    if (run_word(p, refinement, strlen(refinement), 0, err) != 0)
        return -1;
    if (p->problem->inter_only && topomap_problem_sort_inside(p->problem, p->trial, err) != 0)
        return -1;
    snprintf(name, sizeof name, "%s+%s", start, refinement);
    return consider(p, name, started, err);
}

/* Has the optimum been found? Only J has a bound. */
static int is_optimal(const portfolio *p)
{
    return !p->problem->objective && p->mapping->J <= p->mapping->bound * (1 + 1e-12);
}

/* Nonzero where J went down from `*J` by what makes more time worth it; `*J` is the new one then.
 */
static int paid(const portfolio *p, double *J)
{
    const topomap_mapping *mapping = p->mapping;
    double now = mapping->candidate[mapping->candidates - 1].J, before = *J;

    *J = now < before ? now : before;
    return now < (1 - turns[p->problem->effort].pays) * before;
}

/* Refines a placement by each refinement, then by the best of them while that pays. */
static int refine_by_turns(portfolio *p, const char *start, const char *const *refinement,
                           const uint32_t *best, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    double least = topomap_problem_cost(problem, best), time = turns[problem->effort].probe;
    double most = turns[problem->effort].most * (problem->machine->slots < SOME ? 2 : 1);
    const char *chosen = NULL;
    int status = 0;

    problem->patience = !refinement[0] || refinement[1] ? time : problem->straight ? 0.3 : 1.0;
    p->pays = 0;
    for (size_t r = 0; refinement[r] && !topomap_problem_late(problem) && !is_optimal(p); r++) {
        double J = least;

        status = refine_best(p, start, best, refinement[r], err);
        if (status != 0)
            break;
        p->pays |= paid(p, &J);
        if (J < least || !chosen)
            chosen = refinement[r];
        least = J < least ? J : least;
    }
    while (status == 0 && p->pays && refinement[1] && !topomap_problem_late(problem) &&
           (time *= turns[problem->effort].growth) <= most) {
        problem->patience = time;
        status = refine_best(p, start, best, chosen, err);
        p->pays = status == 0 && paid(p, &least);
    }
    problem->patience = 1.0;
    return status;
}

/* One is tried however late it is: on a busy machine the time may be up before. */
static int worth_trying(const portfolio *p)
{
    if (is_optimal(p))
        return 0;
    return p->mapping->candidates < 2 || !topomap_problem_late(p->problem);
}

/* Did the construction fail for want of a grid in the graph? */
static int has_no_grid(const topomap_problem *problem, const topomap_error *why)
{
    return why->code == TOPOMAP_EUSAGE && problem->lattice && !problem->lattice->dims;
}

/* Of a grid without a flaw on a hierarchy, no partition has been better than the best boxes. */
static int boxes_are_enough(const topomap_problem *problem)
{
    return problem->flawless;
}

/* Annealing has not bettered straight cuts: nothing is left to find for it but time. */
static int nothing_to_refine(const topomap_problem *problem)
{
    return problem->straight && problem->effort < TOPOMAP_STRONG;
}

/* Constructs with every seed, then refines the best of them. */
static int run_candidate(portfolio *p, size_t i, uint32_t *best, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    uint32_t seeds = problem->effort == TOPOMAP_STRONG ? candidates[i].seeds : 1;
    uint64_t seed = problem->seed;
    double least = INFINITY;
    int status = 0;

    for (uint32_t k = 0; status == 0 && k < seeds && worth_trying(p); k++) {
        problem->seed = seed + k;
        status = run_name(p, candidates[i].name, err);
        if (status != 0 && has_no_grid(problem, err)) {
            problem->seed = seed;
            return 0;
        }
        if (status == 0 && p->mapping->candidate[p->mapping->candidates - 1].J < least) {
            least = p->mapping->candidate[p->mapping->candidates - 1].J;
            memcpy(best, p->trial, problem->weights.vertices * sizeof *best);
        }
    }
    problem->seed = seed;
    if (!candidates[i].any_graph)
        p->recognised = 1;
    if (status != 0 || least > REFINE_WITHIN * p->mapping->J ||
        (!candidates[i].any_graph && problem->effort == TOPOMAP_FAST &&
         problem->machine->slots >= SOME))
        return status;
    return nothing_to_refine(problem)
               ? 0
               : refine_by_turns(p, candidates[i].name, candidates[i].refine, best, err);
}

/* Is this row for this machine, this effort, and what is known by now? */
static int suits(const portfolio *p, size_t i)
{
    const topomap_problem *problem = p->problem;
    uint32_t slots = problem->machine->slots;

    if (problem->effort < candidates[i].from || problem->effort > candidates[i].to ||
        slots < candidates[i].least || slots > candidates[i].most ||
        !(candidates[i].on & (1u << problem->machine->kind)))
        return 0;
    if (candidates[i].any_graph && p->recognised &&
        (problem->effort == TOPOMAP_FAST || slots >= MANY || boxes_are_enough(problem)))
        return 0;
    if (candidates[i].else_only && p->pays)
        return 0;
    /* From a baseline that is worse than the best, a search takes longest and seldom catches up. */
    return strcmp(candidates[i].name, "refine") != 0 || p->mapping->candidate[0].J <= p->mapping->J;
}

/* What exchanges of two have left: quick, and worth it wherever something is left. */
static int polish(portfolio *p, uint32_t *best, topomap_error *err)
{
    const topomap_problem *problem = p->problem;
    char name[sizeof p->mapping->algorithm];

    if (problem->objective || !worth_trying(p) || nothing_to_refine(problem) ||
        (problem->effort == TOPOMAP_FAST && problem->machine->slots >= SOME))
        return 0;
    memcpy(best, p->mapping->slot_of_rank, problem->weights.vertices * sizeof *best);
    memcpy(name, p->mapping->algorithm, sizeof name);
    return refine_best(p, name, best, "cycles", err);
}

static int run_auto(portfolio *p, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    uint32_t *best = topomap_alloc(problem->weights.vertices, sizeof *best, err);
    int status;

    if (!best)
        return -1;
    memcpy(p->trial, problem->start, problem->weights.vertices * sizeof *p->trial);
    status = consider(p, p->options->start_name ? p->options->start_name : "identity",
                      topomap_clock_cpu(), err);
    if (status == 0)
        status = topomap_bound_J(problem, &p->mapping->bound, err);
    for (size_t i = 0; status == 0 && i < CANDIDATES; i++) {
        if (!suits(p, i))
            continue;
        if (worth_trying(p))
            status = run_candidate(p, i, best, err);
    }
    if (status == 0)
        status = polish(p, best, err);
    free(best);
    return status;
}

/* ---- Congestion ------------------------------------------------------------------------------ */

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

/* Relieves a placement [slots], which a candidate of that name has found. */
static int run_relief(portfolio *p, const uint32_t *from, const char *found, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    char name[sizeof p->mapping->algorithm + sizeof "+relieve"];
    double started = topomap_clock_cpu();

    snprintf(name, sizeof name, "%s+relieve", found);
    memcpy(p->trial, from, problem->weights.vertices * sizeof *p->trial);
    if (topomap_map_relieve(problem, p->trial, err) ||
        (problem->inter_only && topomap_problem_sort_inside(problem, p->trial, err)))
        return -1;
    return consider(p, name, started, err);
}

/* First the candidates for J. Of all, the placement of the lowest J is mostly the best one to
 * relieve; with more time, that of the lowest congestion too. */
static int run_congestion(portfolio *p, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    uint32_t n = problem->weights.vertices;
    uint32_t *least = topomap_alloc(n, sizeof *least, err);
    char name[sizeof p->mapping->algorithm];
    double deadline = problem->deadline, now = topomap_clock_wall();
    int status = least ? 0 : -1;

    if (deadline > 0) /* what is left is for what the candidates for J do not look at */
        problem->deadline = now + CANDIDATES_TIME * (deadline - now);
    if (status == 0)
        status = run_auto(p, err);
    problem->deadline = deadline;
    for (size_t i = 0; status == 0 && i < LINKED; i++)
        if (linked[i].from <= problem->effort && !topomap_problem_late(problem))
            status = run_name(p, linked[i].name, err);
    if (status == 0 && !topomap_problem_late(problem) && !isinf(p->score.max)) {
        memcpy(least, p->mapping->slot_of_rank, n * sizeof *least);
        memcpy(name, p->mapping->algorithm, sizeof name);
        if (!isinf(p->near_score.max))
            status = run_relief(p, p->near, p->near_name, err);
        if (status == 0 && !topomap_problem_late(problem) &&
            (problem->effort > TOPOMAP_FAST || isinf(p->near_score.max)) &&
            memcmp(least, p->near, n * sizeof *least) != 0)
            status = run_relief(p, least, name, err);
    }
    free(least);
    return status;
}

int topomap_portfolio_run(topomap_problem *problem, const topomap_map_options *options,
                          topomap_mapping *mapping, topomap_error *err)
{
    portfolio p = {.problem = problem, .options = options, .mapping = mapping};
    int status;

    p.is_auto = !options->algorithm || strcmp(options->algorithm, "auto") == 0;
    mapping->congestion_model = problem->objective ? problem->objective->model : NULL;
    p.trial = topomap_alloc(problem->weights.vertices, sizeof *p.trial, err);
    if (problem->objective)
        p.near = topomap_alloc(problem->weights.vertices, sizeof *p.near, err);
    if (!p.trial || (problem->objective && !p.near)) {
        free(p.near);
        free(p.trial);
        return -1;
    }
    if (p.is_auto && problem->objective)
        status = run_congestion(&p, err);
    else if (p.is_auto)
        status = run_auto(&p, err);
    else
        status = run_name(&p, options->algorithm, err);
    free(p.near);
    free(p.trial);
    return status;
}
