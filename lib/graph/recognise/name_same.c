/* SPDX-License-Identifier: BSD-3-Clause */
/* Are two graphs one but for the names of their vertices? Colours are refined by those of the
 * neighbours until they tell no more apart; then one vertex of each graph that look alike gets a
 * colour of its own, and so on, until every vertex has one, and all edges are compared (Weisfeiler
 * and Leman, 1968; McKay, "Practical graph isomorphism", 1981, without its backtracking: in the
 * graphs of this program's patterns, vertices that look alike are alike). */
#include <stdlib.h>
#include <string.h>

#include "graph/recognise/name.h"
#include "util/alloc.h"
#include "util/random.h"

enum { ROUNDS = 8, CHOSEN = 64 };
#define STEP 0x9e3779b97f4a7c15u /* odd: labels stay apart */

typedef struct colour {
    uint64_t key;
    uint32_t vertex;
} colour;

typedef struct side {
    const topomap_rows *rows;
    const uint32_t *label;
    uint64_t *now, *next; /* [vertices] */
    colour *sorted;       /* [vertices] */
} side;

static uint64_t mix(uint64_t x)
{
    topomap_random random = {x};

    return topomap_random_next(&random);
}

static void round_of(side *s)
{
    const topomap_rows *r = s->rows;
    uint64_t *keep = s->now;

    for (uint32_t u = 0; u < r->vertices; u++) {
        uint64_t sum = 3 * mix(s->now[u]);

        for (uint64_t e = r->offset[u]; e < r->offset[u + 1]; e++)
            sum += mix(s->now[r->target[e]] + 1 + (s->label ? s->label[e] : 0) * STEP);
        s->next[u] = sum;
    }
    s->now = s->next;
    s->next = keep;
}

static int by_key(const void *a, const void *b)
{
    const colour *p = a, *q = b;

    return p->key != q->key ? (p->key > q->key) - (p->key < q->key)
                            : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* Sorts the vertices by colour; returns how many colours there are. */
static uint32_t sort(side *s)
{
    uint32_t n = s->rows->vertices, colours = 0;

    for (uint32_t u = 0; u < n; u++)
        s->sorted[u] = (colour){s->now[u], u};
    qsort(s->sorted, n, sizeof *s->sorted, by_key);
    for (uint32_t i = 0; i < n; i++)
        colours += i == 0 || s->sorted[i].key != s->sorted[i - 1].key;
    return colours;
}

/* Refines both until nothing more is told apart; the number of colours, 0 where they differ. */
static uint32_t refine(side *a, side *b, uint32_t colours)
{
    for (;;) {
        uint32_t more;

        for (int i = 0; i < ROUNDS; i++) {
            round_of(a);
            round_of(b);
        }
        more = sort(a);
        if (more != sort(b))
            return 0;
        for (uint32_t i = 0; i < a->rows->vertices; i++)
            if (a->sorted[i].key != b->sorted[i].key)
                return 0;
        if (more == colours || more == a->rows->vertices)
            return more;
        colours = more;
    }
}

/* The first of the smallest colour that several vertices have. */
static uint32_t choose(const side *s)
{
    uint32_t n = s->rows->vertices, best = 0, least = UINT32_MAX;

    for (uint32_t i = 0, run = 1; i < n; i++, run++) {
        if (i + 1 < n && s->sorted[i + 1].key == s->sorted[i].key)
            continue;
        if (run > 1 && run < least) {
            least = run;
            best = i + 1 - run;
        }
        run = 0;
    }
    return best;
}

static int edges_agree(const side *a, const side *b, uint32_t *map, uint32_t *mark)
{
    uint32_t n = a->rows->vertices;

    for (uint32_t i = 0; i < n; i++)
        map[a->sorted[i].vertex] = b->sorted[i].vertex;
    memset(mark, 0xff, n * sizeof *mark);
    for (uint32_t u = 0; u < n; u++) {
        const uint64_t *of = &a->rows->offset[u], *there = &b->rows->offset[map[u]];

        if (of[1] - of[0] != there[1] - there[0])
            return 0;
        for (uint64_t e = there[0]; e < there[1]; e++)
            mark[b->rows->target[e]] = u;
        for (uint64_t e = of[0]; e < of[1]; e++)
            if (mark[map[a->rows->target[e]]] != u)
                return 0; /* labels may differ here; that is for the caller to weigh */
    }
    return 1;
}

static int is_tree(const topomap_rows *rows, uint32_t *stack, uint8_t *seen)
{
    uint32_t count = 1;

    if (rows->offset[rows->vertices] != 2 * ((uint64_t)rows->vertices - 1))
        return 0;
    stack[0] = 0;
    seen[0] = 1;
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t e = rows->offset[stack[i]]; e < rows->offset[stack[i] + 1]; e++) {
            uint32_t v = rows->target[e];

            if (!seen[v])
                stack[count++] = v;
            seen[v] = 1;
        }
    return count == rows->vertices;
}

static int compare(side *a, side *b, uint32_t *map, uint32_t *scratch, uint8_t *seen)
{
    uint32_t n = a->rows->vertices, colours = refine(a, b, 1);

    /* Of trees, colours tell all. */
    if (colours && colours < n && is_tree(a->rows, scratch, seen)) {
        memset(map, 0xff, n * sizeof *map);
        memset(seen, 0, n);
        return is_tree(b->rows, scratch, seen);
    }
    for (uint64_t i = 1; colours && colours < n; i++) {
        uint32_t at = choose(a);

        if (i > CHOSEN)
            return 0;
        a->now[a->sorted[at].vertex] = b->now[b->sorted[at].vertex] = mix(i);
        colours = refine(a, b, colours);
    }
    return colours && edges_agree(a, b, map, scratch);
}

static int side_open(side *s, const topomap_labelled *graph, topomap_arena *memory,
                     topomap_error *err)
{
    uint32_t n = graph->rows.vertices;

    s->rows = &graph->rows;
    s->label = graph->label;
    s->now = topomap_arena_alloc(memory, n, sizeof *s->now, err);
    s->next = topomap_arena_alloc(memory, n, sizeof *s->next, err);
    s->sorted = topomap_arena_alloc(memory, n, sizeof *s->sorted, err);
    return memory->is_short ? -1 : 0;
}

int topomap_labelled_same(const topomap_labelled *a, const topomap_labelled *b, uint32_t *map,
                          topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    side one = {0}, other = {0};
    uint32_t n = a->rows.vertices, *scratch;
    uint8_t *seen;

    if (n != b->rows.vertices || a->rows.offset[n] != b->rows.offset[n])
        return 0;
    scratch = topomap_arena_alloc(&memory, n, sizeof *scratch, err);
    seen = topomap_arena_alloc(&memory, n, sizeof *seen, err);
    if (side_open(&one, a, &memory, err) || side_open(&other, b, &memory, err))
        return -1;
    return compare(&one, &other, map, scratch, seen);
}
