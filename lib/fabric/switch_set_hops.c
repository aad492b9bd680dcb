/* SPDX-License-Identifier: BSD-3-Clause */
/* Hops between many sets of switches at once: 64 breadth-first searches share each look at a link,
 * one bit each (Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
 * VLDB 2014). A launch on 1,000 of 10,000 hosts starts from some 500 leaf switches. */
#include "fabric/switches.h"
#include "util/alloc.h"

enum { TOGETHER = 64 };

struct search {
    topomap_arena memory;
    const topomap_switches *switches;
    const topomap_switch_set *set;
    size_t sets;
    uint32_t *first, *of;            /* sets that switch i is in: of[first[i] .. first[i + 1]) */
    uint64_t *seen, *front, *coming; /* [switches] bit k: search k was, is, will be there */
    uint32_t *active, *touched;      /* switches with a bit in front, in coming */
    uint32_t actives, touches;
    uint64_t *done; /* [sets] searches that have met it */
    uint64_t left;  /* how many pairs of a search and a set have not met */
    uint16_t *hops; /* row of the batch's first search */
};

static int search_make(struct search *s, topomap_error *err)
{
    uint32_t count = s->switches->count;
    size_t members = 0;

    for (size_t i = 0; i < s->sets; i++)
        members += s->set[i].count;
    s->first = topomap_arena_alloc(&s->memory, count + 1u, sizeof *s->first, err);
    s->of = topomap_arena_alloc(&s->memory, members, sizeof *s->of, err);
    s->seen = topomap_arena_alloc(&s->memory, count, sizeof *s->seen, err);
    s->front = topomap_arena_alloc(&s->memory, count, sizeof *s->front, err);
    s->coming = topomap_arena_alloc(&s->memory, count, sizeof *s->coming, err);
    s->active = topomap_arena_alloc(&s->memory, count, sizeof *s->active, err);
    s->touched = topomap_arena_alloc(&s->memory, count, sizeof *s->touched, err);
    s->done = topomap_arena_alloc(&s->memory, s->sets, sizeof *s->done, err);
    if (s->memory.is_short)
        return -1;
    for (size_t i = 0; i < s->sets; i++)
        for (size_t k = 0; k < s->set[i].count; k++)
            s->first[s->set[i].at[k]]++;
    for (uint32_t i = 1; i <= count; i++)
        s->first[i] += s->first[i - 1];
    /* first[] holds ends; filling from the back leaves beginnings. */
    for (size_t i = s->sets; i-- > 0;)
        for (size_t k = 0; k < s->set[i].count; k++)
            s->of[--s->first[s->set[i].at[k]]] = (uint32_t)i;
    return 0;
}

/* The searches in \p bits have come to a switch: they meet its sets. */
static void meet(struct search *s, uint32_t at, uint64_t bits, uint16_t far)
{
    for (uint32_t i = s->first[at]; i < s->first[at + 1]; i++) {
        uint32_t set = s->of[i];
        uint64_t fresh = bits & ~s->done[set];

        s->done[set] |= fresh;
        for (; fresh; fresh &= fresh - 1) {
            s->hops[(size_t)__builtin_ctzll(fresh) * s->sets + set] = far;
            s->left--;
        }
    }
}

static void touch(struct search *s, uint32_t at, uint64_t bits)
{
    if (!s->coming[at])
        s->touched[s->touches++] = at;
    s->coming[at] |= bits;
}

/* What is coming becomes the front, where it is new. */
static void arrive(struct search *s, uint16_t far)
{
    s->actives = 0;
    for (uint32_t i = 0; i < s->touches; i++) {
        uint32_t at = s->touched[i];
        uint64_t fresh = s->coming[at] & ~s->seen[at];

        s->coming[at] = 0;
        if (!fresh)
            continue;
        s->seen[at] |= fresh;
        s->front[at] = fresh;
        s->active[s->actives++] = at;
        meet(s, at, fresh, far);
    }
    s->touches = 0;
}

static void search_batch(struct search *s, size_t base, size_t count)
{
    const uint32_t *first = s->switches->first, *neighbour = s->switches->neighbour;
    uint16_t far = 0;

    for (uint32_t i = 0; i < s->switches->count; i++)
        s->seen[i] = 0;
    for (size_t i = 0; i < s->sets; i++)
        s->done[i] = 0;
    s->left = (uint64_t)count * s->sets;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < s->set[base + k].count; i++)
            touch(s, s->set[base + k].at[i], (uint64_t)1 << k);
    for (arrive(s, far); s->actives && s->left && far < TOPOMAP_FAR - 1; arrive(s, ++far))
        for (uint32_t i = 0; i < s->actives; i++) {
            uint64_t bits = s->front[s->active[i]];

            for (uint32_t n = first[s->active[i]]; n < first[s->active[i] + 1]; n++)
                touch(s, neighbour[n], bits);
        }
}

int topomap_switches_between(const topomap_switches *switches, const topomap_switch_set *set,
                             size_t sets, uint16_t *hops, topomap_error *err)
{
    struct search s = {.switches = switches, .set = set, .sets = sets};
    int result = search_make(&s, err);

    for (size_t i = 0; !result && i < sets * sets; i++)
        hops[i] = TOPOMAP_FAR;
    for (size_t base = 0; !result && base < sets; base += TOGETHER) {
        s.hops = hops + base * sets;
        search_batch(&s, base, sets - base < TOGETHER ? sets - base : TOGETHER);
    }
    topomap_arena_clear(&s.memory);
    return result;
}
