/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983) by swaps: a vertex is
 * proposed a place close to one of its neighbours, in exchange with who is there. Gains are in
 * O(degree), as in Schulz & Traeff (VieM), section 3.2. */
#include "map/refine/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

enum {
    DRAWS = 4096,     /* table of exponential random numbers */
    WINDOW = 4096,    /* vertices, neighbours mostly, that a cache holds */
    BLOCK = 1024,     /* proposals at one temperature; fewer where vertices are few */
    EDGES = 10000000, /* looked at in search of samples, about */
    SAMPLES = 512,    /* swaps priced to find the scale of the temperatures */
    BATCH = 32,       /* proposals made at once */
    SPARSE = 64,      /* arcs, up to which sums over them live long enough */
    LOOKS = 16,       /* at how many swaps are accepted, while it cools */
};

/* The edge u-x costs what it did, distances being symmetric: left out on both sides. */
static inline __attribute__((always_inline)) double
move_delta(const topomap_anneal *a, enum topomap_closeness_how how, uint32_t u, uint32_t x)
{
    uint32_t p = a->code[u], q = a->code[x];
    double sum = 0.0;

    for (uint64_t e = a->offset[u]; e < a->offset[u + 1]; e++) {
        uint32_t v = a->arc[e].target, there = a->code[v];

        if (v != x)
            sum += a->arc[e].weight * (topomap_closeness_distance(a->close, how, q, there) -
                                       topomap_closeness_distance(a->close, how, p, there));
    }
    return sum;
}

static inline __attribute__((always_inline)) double
swap_delta(const topomap_anneal *a, enum topomap_closeness_how how, uint32_t u, uint32_t x)
{
    return move_delta(a, how, u, x) + move_delta(a, how, x, u);
}

double topomap_anneal_delta(const topomap_anneal *a, uint32_t u, uint32_t x)
{
    switch (a->close->how) { /* once, not at each arc */
    case TOPOMAP_CLOSE_BITS:
        return swap_delta(a, TOPOMAP_CLOSE_BITS, u, x);
    case TOPOMAP_CLOSE_RAILS:
        return swap_delta(a, TOPOMAP_CLOSE_RAILS, u, x);
    case TOPOMAP_CLOSE_TABLE:
        return swap_delta(a, TOPOMAP_CLOSE_TABLE, u, x);
    case TOPOMAP_CLOSE_TORUS:
        return swap_delta(a, TOPOMAP_CLOSE_TORUS, u, x);
    case TOPOMAP_CLOSE_ANY:
        break;
    }
    return swap_delta(a, TOPOMAP_CLOSE_ANY, u, x);
}

/* ---- Nested groups ---------------------------------------------------------------------------
 * A swap across groups of a level takes a vertex away from whom it shares a group below that level
 * with, wherever it goes. That is added up once, and again when a neighbour has moved. It comes
 * closer only to some of those that it meets at that very level. So most proposals are seen to be
 * too dear before any arc is looked at. */

static __attribute__((noinline)) void add_losses(topomap_anneal *a, uint32_t v, topomap_loss *loss)
{
    const topomap_closeness *c = a->close;
    float weight[TOPOMAP_CLOSE_LEVELS + 1];

    memset(weight, 0, (c->levels + 1) * sizeof *weight);
    for (uint64_t e = a->offset[v]; e < a->offset[v + 1]; e++)
        weight[c->level_of[topomap_closeness_code_bit(a->code[v], a->code[a->arc[e].target])]] +=
            a->arc[e].weight;
    loss->all = 1.0f;
    for (uint32_t l = 1; l <= c->levels; l++) {
        loss[l].all = 0.0f;
        for (uint32_t below = 0; below < l; below++)
            loss[l].all += weight[below] * (c->by_level[l] - c->by_level[below]);
        loss[l].least = loss[l].all - weight[l] * c->most_closer[l];
    }
}

static inline const topomap_loss *losses(topomap_anneal *a, uint32_t v)
{
    topomap_loss *loss = a->loss + (size_t)v * (a->close->levels + 1);

    if (loss->all == 0.0f)
        add_losses(a, v, loss);
    return loss;
}

/* What u saves at x's place by being closer to some than this level. */
static inline float saved(const topomap_anneal *a, uint32_t level, uint32_t u, uint32_t x)
{
    const float *closer = a->close->closer[level];
    uint32_t there = a->code[x];
    float sum = 0.0f;

    for (uint64_t e = a->offset[u]; e < a->offset[u + 1]; e++)
        sum +=
            a->arc[e].weight * closer[topomap_closeness_code_bit(there, a->code[a->arc[e].target])];
    return sum;
}

/* The change of J, or something else above `most` where it is more. */
static inline float nested_delta(topomap_anneal *a, uint32_t u, uint32_t x, float most)
{
    uint32_t level = a->close->level_of[topomap_closeness_code_bit(a->code[u], a->code[x])];
    const topomap_loss *first = losses(a, u) + level, *second = losses(a, x) + level;
    float delta = level ? first->least + second->least : 0.0f;

    if (level == 0 || delta > most)
        return delta;
    delta = first->all - saved(a, level, u, x);
    if (delta + second->least > most)
        return delta + second->least;
    return delta + second->all - saved(a, level, x, u);
}

static void forget_losses(topomap_anneal *a, uint32_t v)
{
    uint32_t stride = a->close->levels + 1;

    a->loss[(size_t)v * stride].all = 0.0f;
    for (uint64_t e = a->offset[v]; e < a->offset[v + 1]; e++)
        a->loss[(size_t)a->arc[e].target * stride].all = 0.0f;
}

void topomap_anneal_swap(topomap_anneal *a, uint32_t u, uint32_t x)
{
    uint32_t code = a->code[u];

    if (a->loss) {
        forget_losses(a, u);
        forget_losses(a, x);
    }
    a->code[u] = a->code[x];
    a->code[x] = code;
    topomap_moves_exchange(a->place, a->at, u, x);
}

/* A number below bound from 16 random bits. */
static inline uint32_t below16(uint32_t bits, uint32_t bound)
{
    return (uint32_t)(((uint64_t)(bits & 0xffff) * bound) >> 16);
}

/* The level of the smallest group that holds both places; close->levels where none does. */
static inline __attribute__((always_inline)) uint32_t
meeting(const topomap_anneal *a, enum topomap_closeness_how how, uint32_t u, uint32_t v)
{
    const topomap_closeness *c = a->close;
    uint32_t level = 0;

    if (how == TOPOMAP_CLOSE_BITS)
        return c->level_of[topomap_closeness_bit(a->code[u], a->code[v])];
    if (how == TOPOMAP_CLOSE_RAILS)
        return c->level_of[topomap_closeness_rails_bit(c, a->code[u], a->code[v])];
    if (how == TOPOMAP_CLOSE_TABLE || how == TOPOMAP_CLOSE_TORUS) {
        if ((a->code[u] ^ a->code[v]) >> c->node_bits)
            return c->levels ? c->levels : 1; /* places that are nodes */
        return c->node_bits ? c->level_of[topomap_closeness_bit(a->code[u], a->code[v])] : 0;
    }
    while (level < c->levels && c->group[level][a->place[u]] != c->group[level][a->place[v]])
        level++;
    return c->levels ? level : 1;
}

/* A place in the group of v's at a level, by 32 random bits. */
static inline uint32_t in_group(const topomap_closeness *c, uint32_t level, uint32_t place,
                                uint32_t bits)
{
    uint32_t group = c->group[level][place], start = c->start[level][group];

    return start + (uint32_t)(((uint64_t)bits * (c->start[level][group + 1] - start)) >> 32);
}

/* Near v's node: the node itself half the time. */
static inline uint32_t near_place(const topomap_closeness *c, uint32_t place, uint64_t bits)
{
    uint32_t node = c->machine->node_of[c->slot[c->first[place]]];
    uint32_t near = c->near_first[node + 1] - c->near_first[node], low = (uint32_t)bits, lo;

    if ((bits >> 63) && near) {
        uint32_t other = c->near_node[c->near_first[node] + below16((uint32_t)(bits >> 40), near)];

        if (c->node_first[other] < c->node_first[other + 1]) /* nodes may have no slots */
            node = other;
    }
    lo = c->node_first[node];
    return lo + (uint32_t)(((uint64_t)low * (c->node_first[node + 1] - lo)) >> 32);
}

/* The partner of one proposal, or UINT32_MAX. */
static inline __attribute__((always_inline)) uint32_t
propose(topomap_anneal *a, enum topomap_closeness_how how, uint32_t u)
{
    const topomap_closeness *c = a->close;
    uint64_t bits = topomap_random_next(&a->random), first = a->offset[u];
    uint64_t degree = a->offset[u + 1] - first;
    uint32_t v, level, place, x;

    if (degree == 0)
        return UINT32_MAX;
    v = a->arc[first + ((bits >> 32) * degree >> 32)].target;
    level = meeting(a, how, u, v);
    if (level <= a->lowest || level > a->highest + 1)
        return UINT32_MAX;
    if (how != TOPOMAP_CLOSE_BITS && c->near_first && level >= c->levels) {
        place = near_place(c, a->place[v], topomap_random_next(&a->random));
    } else {
        place = in_group(c, a->lowest + below16((uint32_t)(bits >> 16), level - a->lowest),
                         a->place[v], (uint32_t)bits << 16 | (uint32_t)(bits & 0xffff));
    }
    x = a->at[place];
    if (x == u || (c->shape && c->shape[place] != c->shape[a->place[u]]))
        return UINT32_MAX;
    return x;
}

/* Proposals for a window of vertices at one temperature. */
typedef struct step {
    uint32_t first, vertices, proposals;
    double temperature;
} step;

typedef struct proposal {
    uint32_t u, x;
    float most; /* that J may grow by */
} proposal;

static inline uint32_t draw_vertex(const step *now, uint64_t bits)
{
    return now->first + (uint32_t)(((bits >> 32) * now->vertices) >> 32);
}

/* Where groups are nested, so many proposals at once that what one waits for, memory mostly, does
 * not hold up the next. Each is still one after those before it have been accepted. */
static uint32_t propose_nested(topomap_anneal *a, const step *now, uint32_t count,
                               const float *draw, proposal *list)
{
    const topomap_closeness *c = a->close;
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = topomap_random_next(&a->random), where = topomap_random_next(&a->random);
        uint32_t u = draw_vertex(now, bits), v, x, level, levels, place;
        uint64_t first = a->offset[u], degree = a->offset[u + 1] - first;

        if (degree == 0)
            continue;
        v = a->arc[first + ((where >> 32) * degree >> 32)].target;
        level = c->level_of[topomap_closeness_code_bit(a->code[u], a->code[v])];
        levels = level > a->lowest ? level - a->lowest : 0;
        place = in_group(c, a->lowest + below16((uint32_t)(where >> 16), levels), a->place[v],
                         (uint32_t)where << 16 | (uint32_t)(where & 0xffff));
        x = a->at[place];
        list[found] = (proposal){u, x, (float)now->temperature * draw[bits % DRAWS]};
        found += (levels != 0) & (x != u);
    }
    return found;
}

static void block_nested(topomap_anneal *a, const step *now, const float *draw)
{
    proposal list[BATCH];

    for (uint32_t i = 0; i < now->proposals; i += BATCH) {
        uint32_t left = now->proposals - i;
        uint32_t found = propose_nested(a, now, left < BATCH ? left : BATCH, draw, list);

        for (uint32_t k = 0; k < found; k++) {
            float delta = nested_delta(a, list[k].u, list[k].x, list[k].most);

            if (delta > list[k].most)
                continue;
            topomap_anneal_swap(a, list[k].u, list[k].x);
            a->change += delta;
            a->accepted++;
        }
    }
}

static inline __attribute__((always_inline)) void
block(topomap_anneal *a, enum topomap_closeness_how how, const step *now, const float *draw)
{
    for (uint32_t i = 0; i < now->proposals; i++) {
        uint64_t bits = topomap_random_next(&a->random);
        uint32_t u = draw_vertex(now, bits);
        uint32_t x = propose(a, how, u);
        double delta;

        if (x == UINT32_MAX)
            continue;
        delta = swap_delta(a, how, u, x);
        if (delta > now->temperature * draw[bits % DRAWS])
            continue;
        topomap_anneal_swap(a, u, x);
        a->change += delta;
        a->accepted++;
    }
}

static void run_block(topomap_anneal *a, const step *now, const float *draw)
{
    switch (a->close->how) {
    case TOPOMAP_CLOSE_BITS:
        if (a->loss)
            block_nested(a, now, draw);
        else
            block(a, TOPOMAP_CLOSE_BITS, now, draw);
        return;
    case TOPOMAP_CLOSE_RAILS:
        block(a, TOPOMAP_CLOSE_RAILS, now, draw);
        return;
    case TOPOMAP_CLOSE_TABLE:
        block(a, TOPOMAP_CLOSE_TABLE, now, draw);
        return;
    case TOPOMAP_CLOSE_TORUS:
        block(a, TOPOMAP_CLOSE_TORUS, now, draw);
        return;
    case TOPOMAP_CLOSE_ANY:
        block(a, TOPOMAP_CLOSE_ANY, now, draw);
        return;
    }
}

double topomap_anneal_arcs(const topomap_anneal *a)
{
    double arcs = (double)a->offset[a->vertices], squares = 0.0;

    for (uint32_t v = 0; v < a->vertices; v++) {
        double degree = (double)(a->offset[v + 1] - a->offset[v]);

        squares += degree * degree;
    }
    return arcs > 0.0 ? arcs / a->vertices + squares / arcs : 0.0;
}

/* What swaps change J by here, mostly for the worse: the median, and the tenth that change it
 * least. */
static int sample(topomap_anneal *a, double *median, double *low, topomap_error *err)
{
    TOPOMAP_FREED double *cost = topomap_alloc(SAMPLES, sizeof *cost, err);
    double edges = 8.0 + topomap_anneal_arcs(a);
    uint32_t count = 0, tries = (uint32_t)fmin(64 * SAMPLES, SAMPLES + EDGES / edges);

    if (!cost)
        return -1;
    for (uint32_t i = 0; i < tries && count < SAMPLES; i++) {
        uint32_t u = topomap_random_below(&a->random, a->vertices);
        uint32_t x = propose(a, a->close->how, u);
        double delta = x == UINT32_MAX ? 0.0 : topomap_anneal_delta(a, u, x);

        if (delta != 0.0)
            cost[count++] = fabs(delta);
    }
    TOPOMAP_SORT(cost, count, topomap_by_double);
    *median = count ? cost[count / 2] : 0.0;
    *low = count ? cost[count / 10] : 0.0;
    return 0;
}

/* One round of proposals for everybody, large graphs window by window: vertices are numbered by the
 * places where they start. Nonzero when time is up. */
static int round_at(topomap_anneal *a, const topomap_problem *problem, uint32_t windows,
                    uint32_t each, double temperature, const float *draw)
{
    for (uint32_t i = 0; i < windows; i++) {
        uint32_t first = (uint32_t)((uint64_t)a->vertices * i / windows);
        uint32_t last = (uint32_t)((uint64_t)a->vertices * (i + 1) / windows);
        step now = {first, last - first, each, temperature};

        if (++a->blocks % 8 == 0 && topomap_problem_late(problem))
            return 1;
        run_block(a, &now, draw);
    }
    return 0;
}

static void cool(topomap_anneal *a, const topomap_problem *problem, const topomap_cooling *cooling,
                 double temperature, double cold, const float *draw)
{
    uint32_t windows = a->vertices / WINDOW ? a->vertices / WINDOW : 1;
    uint32_t each = windows > 1 ? 2 * WINDOW : a->vertices < BLOCK / 4 ? 4 * a->vertices : BLOCK;
    uint64_t all = (uint64_t)windows * each, rounds = cooling->proposals / all + 1;
    uint64_t look = rounds / LOOKS + 1;
    double factor = cold < temperature ? pow(cold / temperature, 1.0 / (double)rounds) : 1.0;

    a->accepted = 0;
    for (uint64_t r = 1; r <= rounds; r++, temperature *= factor) {
        if (round_at(a, problem, windows, each, temperature, draw))
            return;
        if (r % look)
            continue;
        if ((double)a->accepted < cooling->quiet * (double)(look * all))
            return;
        a->accepted = 0;
    }
}

/* Sums over many arcs seldom live until they are used again, and are of no use where most are cut.
 */
int topomap_anneal_sums(const topomap_anneal *a)
{
    return a->close->how == TOPOMAP_CLOSE_BITS && !a->close->shape &&
           topomap_anneal_arcs(a) <= SPARSE;
}

int topomap_anneal_run(topomap_anneal *a, const topomap_problem *problem,
                       const topomap_cooling *cooling, topomap_error *err)
{
    TOPOMAP_FREED float *draw = topomap_alloc(DRAWS, sizeof *draw, err);
    double median, low;

    if (!draw)
        return -1;
    a->highest = a->close->shape ? UINT32_MAX - 1 : a->lowest;
    if (!a->loss && topomap_anneal_sums(a))
        a->loss = topomap_arena_alloc(&a->memory, (size_t)a->vertices * (a->close->levels + 1),
                                      sizeof *a->loss, err);
    if (a->memory.is_short || sample(a, &median, &low, err))
        return -1;
    a->highest = UINT32_MAX - 1;
    for (uint32_t i = 0; i < DRAWS; i++)
        draw[i] = (float)-log((i + 0.5) / DRAWS);
    if (median > 0.0) /* else no swap costs anything, nor gains */
        cool(a, problem, cooling, median * cooling->hot, low * cooling->cold, draw);
    return 0;
}

/* ---- Between the problem and the state ------------------------------------------------------ */

/* Rows of places: what vertices of one place send to those of another, added up. `mark` finds a
 * neighbour's arc in the row under construction. */
static void add_row(topomap_anneal *a, const topomap_weights *w, const uint32_t *vertex,
                    const uint32_t *place_of, uint32_t p, uint64_t *mark)
{
    const topomap_closeness *c = a->close;
    uint64_t at = a->offset[p], first = at;

    for (uint32_t i = c->first[p]; i < c->first[p + 1]; i++)
        for (uint64_t e = w->offset[vertex[i]]; e < w->offset[vertex[i] + 1]; e++) {
            uint32_t q = place_of[w->target[e]];

            if (q == p)
                continue;
            if (mark[q] < first + 1 || mark[q] > at) {
                a->arc[at] = (topomap_arc){.target = q};
                mark[q] = ++at;
            }
            a->arc[mark[q] - 1].weight += (float)w->weight[e];
        }
    a->offset[p + 1] = at;
}

static int quotient(topomap_anneal *a, const topomap_weights *w, const uint32_t *slot_of,
                    topomap_error *err)
{
    const topomap_closeness *c = a->close;
    uint32_t n = w->vertices;
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    /* By position; by slot, then place by vertex; and by vertex. */
    uint32_t *vertex = topomap_arena_alloc(&memory, n, sizeof *vertex, err);
    uint32_t *position = topomap_arena_alloc(&memory, n, sizeof *position, err);
    uint32_t *place_of = topomap_arena_alloc(&memory, n, sizeof *place_of, err);
    uint64_t *mark = topomap_arena_alloc(&memory, c->places, sizeof *mark, err);

    if (memory.is_short)
        return -1;
    for (uint32_t p = 0; p < c->places; p++)
        for (uint32_t i = c->first[p]; i < c->first[p + 1]; i++)
            position[c->slot[i]] = i;
    for (uint32_t v = 0; v < n; v++)
        vertex[position[slot_of[v]]] = v;
    for (uint32_t p = 0; p < c->places; p++)
        for (uint32_t i = c->first[p]; i < c->first[p + 1]; i++)
            place_of[vertex[i]] = p;
    for (uint32_t p = 0; p < c->places; p++)
        add_row(a, w, vertex, place_of, p, mark);
    return 0;
}

int topomap_anneal_init(topomap_anneal *a, const topomap_problem *problem,
                        const topomap_closeness *close, const uint32_t *slot_of, topomap_error *err)
{
    const topomap_weights *w = &problem->weights;
    uint32_t n = close->places;

    *a = (topomap_anneal){.close = close, .vertices = n, .random = {problem->seed}};
    a->offset = topomap_arena_alloc(&a->memory, (size_t)n + 1, sizeof *a->offset, err);
    a->arc = topomap_arena_alloc(&a->memory, w->offset[w->vertices], sizeof *a->arc, err);
    a->place = topomap_arena_alloc(&a->memory, n, sizeof *a->place, err);
    a->code = topomap_arena_alloc(&a->memory, n, sizeof *a->code, err);
    a->at = topomap_arena_alloc(&a->memory, n, sizeof *a->at, err);
    if (a->memory.is_short || quotient(a, w, slot_of, err)) {
        topomap_anneal_clear(a);
        return -1;
    }
    for (uint32_t p = 0; p < n; p++) {
        a->place[p] = a->at[p] = p;
        a->code[p] = close->code[p];
    }
    return 0;
}

void topomap_anneal_clear(topomap_anneal *a)
{
    topomap_arena_clear(&a->memory);
    *a = (topomap_anneal){0};
}

void topomap_anneal_store(const topomap_anneal *a, uint32_t *slot_of, uint32_t *scratch)
{
    const topomap_closeness *c = a->close;
    uint32_t slots = c->machine->slots;

    /* Vertex p is what was at place p. */
    for (uint32_t p = 0; p < a->vertices; p++)
        for (uint32_t i = 0; i < c->first[p + 1] - c->first[p]; i++)
            scratch[c->slot[c->first[p] + i]] = c->slot[c->first[a->place[p]] + i];
    for (uint32_t v = 0; v < slots; v++)
        slot_of[v] = scratch[slot_of[v]];
    memset(scratch, 0xff, slots * sizeof *scratch);
}
