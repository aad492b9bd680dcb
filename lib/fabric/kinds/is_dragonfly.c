/* SPDX-License-Identifier: BSD-3-Clause */
/* Dragonflies (J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-Driven, Highly-Scalable
 * Dragonfly Topology", 2008): groups of switches that are joined to each other, all to all or in
 * rows and columns as on Cray XC, and every two groups by some link. Dragonfly+ (A. Shpiner et al.,
 * "Dragonfly+: Low Cost Topology for Scaling Datacenters", 2017): groups are trees of two levels,
 * joined by their upper switches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/kinds/kinds.h"
#include "util/alloc.h"

enum { GROUPS_LEAST = 3, GROUPS_MOST = 1024, SHARED_MOST = 256 };
#define WORK_MOST 200000000u /* steps of counting shared neighbours */

struct groups {
    topomap_arena memory;
    topomap_part *part;
    uint32_t *shared;   /* [directed neighbours] switches that both ends are joined to */
    uint8_t *keep;      /* likewise: it joins switches of one group */
    uint32_t *group_of; /* [switches] part->group takes it over if the part is one */
    uint32_t *number;   /* [switches] scratch */
    uint32_t count;
    uint32_t *members;      /* [groups] */
    uint32_t size;          /* most groups' */
    uint8_t *joined;        /* [groups * groups] */
    uint64_t pairs;         /* of groups that are joined */
    uint64_t inside, whole; /* joined pairs inside groups; how many whole groups would have */
    uint32_t columns, rows; /* whole groups: size x 1, or rows and columns */
};

static uint32_t count_shared(const topomap_switches *s, uint32_t a, uint32_t b)
{
    uint32_t p = s->first[a], q = s->first[b], shared = 0;

    while (p < s->first[a + 1] && q < s->first[b + 1]) {
        if (s->neighbour[p] < s->neighbour[q]) {
            p++;
        } else if (s->neighbour[p] > s->neighbour[q]) {
            q++;
        } else {
            shared++;
            p++;
            q++;
        }
    }
    return shared;
}

/* Groups are what links with at least `least` shared neighbours join; or, by levels, all links but
 * those inside an upper level. */
static void find_groups(struct groups *g, uint32_t least, const uint16_t *level)
{
    topomap_switches *s = &g->part->switches;

    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            g->keep[k] = level ? level[i] != level[s->neighbour[k]] : g->shared[k] >= least;
    g->count = topomap_switches_parts(s, g->keep, g->group_of);
}

/* How many groups there are, how large, and which are joined. */
static int count_groups(struct groups *g, topomap_error *err)
{
    const topomap_switches *s = &g->part->switches;

    free(g->members);
    free(g->joined);
    g->joined = NULL;
    g->pairs = g->inside = 0;
    g->members = topomap_alloc(g->count, sizeof *g->members, err);
    g->joined = topomap_alloc((size_t)g->count * g->count, 1, err);
    if (!g->members || !g->joined)
        return -1;
    for (uint32_t i = 0; i < s->count; i++) {
        g->members[g->group_of[i]]++;
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
            uint32_t a = g->group_of[i], b = g->group_of[s->neighbour[k]];

            if (a == b)
                g->inside += s->neighbour[k] > i;
            else if (a < b && !g->joined[(size_t)a * g->count + b]) {
                g->joined[(size_t)a * g->count + b] = 1;
                g->pairs++;
            }
        }
    }
    memcpy(g->number, g->members, g->count * sizeof *g->number);
    g->size = topomap_most_frequent(g->number, g->count);
    return 0;
}

/* Rows and columns from how many switches of its group most switches are joined to, each being
 * joined to all of its row and all of its column. */
static int find_rows(struct groups *g)
{
    const topomap_switches *s = &g->part->switches;
    uint32_t degree;

    for (uint32_t i = 0; i < s->count; i++) {
        g->number[i] = 0;
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            g->number[i] += g->group_of[s->neighbour[k]] == g->group_of[i];
    }
    degree = topomap_most_frequent(g->number, s->count);
    g->columns = g->size;
    g->rows = 1;
    if (degree + 1 == g->size)
        return 1;
    for (uint32_t rows = 2; rows * rows <= g->size; rows++)
        if (g->size % rows == 0 && rows + g->size / rows - 2 == degree) {
            g->rows = rows;
            g->columns = g->size / rows;
            return 1;
        }
    return 0;
}

/* A group that lacks switches lacks their links. */
static uint64_t whole_links(const struct groups *g)
{
    uint64_t links = 0, degree = g->rows + g->columns - 2;

    for (uint32_t a = 0; a < g->count; a++) {
        uint64_t each = g->members[a], lacking = g->size - each;

        if (g->rows == 1)
            links += each * (each - 1) / 2;
        else if (each > lacking)
            links += g->size * degree / 2 - lacking * degree;
    }
    return links;
}

/* Share of what a whole dragonfly of these groups would have; 0: these are no groups of one. */
static double rate(struct groups *g)
{
    uint64_t all = (uint64_t)g->count * (g->count - 1) / 2, members = 0;
    double share;

    if (g->count < GROUPS_LEAST || g->size < 2 || !find_rows(g))
        return 0;
    for (uint32_t a = 0; a < g->count; a++) {
        if (g->members[a] > g->size)
            return 0;
        members += g->members[a];
    }
    g->whole = whole_links(g);
    if (!g->whole)
        return 0;
    share = (double)g->inside / (double)g->whole;
    if (share > 1)
        share = 1;
    return share * ((double)g->pairs / (double)all) *
           ((double)members / ((double)g->count * g->size));
}

/* ---- Dragonfly ----------------------------------------------------------------------------- */

static uint32_t most_frequent_far(struct groups *g)
{
    const topomap_part *part = g->part;
    const topomap_switches *s = &part->switches;
    size_t count = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t far = 0;

        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            if (g->group_of[s->neighbour[k]] != g->group_of[i])
                far += part->cables[k];
        if (far)
            g->number[count++] = far;
    }
    return topomap_most_frequent(g->number, count);
}

static void describe(struct groups *g, topomap_verdict *verdict)
{
    const topomap_part *part = g->part;
    uint32_t far = most_frequent_far(g);

    memcpy(g->number, part->ports, part->switches.count * sizeof *g->number);
    topomap_verdict_say(verdict, "%u groups of %u switches", g->count, g->size);
    if (g->rows == 1)
        topomap_verdict_say(verdict, ", joined all to all");
    else
        topomap_verdict_say(verdict, " in %u rows of %u, each row and column joined all to all",
                            g->rows, g->columns);
    topomap_verdict_say(verdict, " (%" PRIu64 " of %" PRIu64 " joined pairs); ", g->inside,
                        g->whole);
    topomap_verdict_say(verdict,
                        "%" PRIu64 " of %" PRIu64 " pairs of groups joined; a=%u p=%u h=%u",
                        g->pairs, (uint64_t)g->count * (g->count - 1) / 2, g->size,
                        topomap_most_frequent(g->number, part->switches.count), far);
}

/* What the verdict leaves behind. */
static int keep_groups(struct groups *g, int all_to_all)
{
    free(g->part->group);
    g->part->group = g->group_of;
    g->part->groups = g->count;
    g->part->all_to_all = all_to_all;
    g->group_of = NULL;
    return 1;
}

static int try_groups(struct groups *g, topomap_verdict *verdict, topomap_error *err)
{
    const topomap_switches *s = &g->part->switches;
    uint32_t least[SHARED_MOST], best = 0;
    size_t choices = 0;
    uint8_t seen[SHARED_MOST + 1] = {0};

    for (uint32_t k = 0; k < s->first[s->count]; k++)
        seen[g->shared[k] < SHARED_MOST ? g->shared[k] : SHARED_MOST] = 1;
    for (uint32_t shared = 1; shared < SHARED_MOST; shared++)
        if (seen[shared])
            least[choices++] = shared;
    for (size_t i = 0; i < choices; i++) {
        double here;

        find_groups(g, least[i], NULL);
        if (g->count < GROUPS_LEAST || g->count > GROUPS_MOST || g->count * 2 > s->count)
            continue;
        if (count_groups(g, err))
            return -1;
        here = rate(g);
        if (here > verdict->confidence) {
            verdict->confidence = here;
            best = least[i];
        }
    }
    if (verdict->confidence < 0.7) {
        verdict->confidence = 0;
        topomap_verdict_say(
            verdict,
            "no dragonfly: no groups of switches that are joined among themselves, and each "
            "with every other");
        return 0;
    }
    find_groups(g, best, NULL);
    if (count_groups(g, err))
        return -1;
    rate(g);
    describe(g, verdict);
    strcpy(verdict->topology, "dragonfly");
    return keep_groups(g, g->rows == 1);
}

static int groups_open(struct groups *g, topomap_part *part, topomap_error *err)
{
    const topomap_switches *s = &part->switches;
    uint32_t joined = s->first[s->count];

    *g = (struct groups){.part = part};
    g->shared = topomap_arena_alloc(&g->memory, joined, sizeof *g->shared, err);
    g->keep = topomap_arena_alloc(&g->memory, joined, sizeof *g->keep, err);
    g->number = topomap_arena_alloc(&g->memory, s->count, sizeof *g->number, err);
    g->group_of = topomap_alloc(s->count, sizeof *g->group_of, err);
    return g->memory.is_short || !g->group_of ? -1 : 0;
}

static void groups_close(struct groups *g)
{
    topomap_arena_clear(&g->memory);
    free(g->group_of);
    free(g->members);
    free(g->joined);
}

int topomap_is_dragonfly(topomap_part *part, topomap_verdict *verdict, topomap_error *err)
{
    const topomap_switches *s = &part->switches;
    TOPOMAP_CLEANUP(groups_close) struct groups g = {0};
    uint64_t work = 0;

    for (uint32_t i = 0; i < s->count; i++)
        work += (uint64_t)(s->first[i + 1] - s->first[i]) * (s->first[i + 1] - s->first[i]);
    if (work > WORK_MOST) {
        topomap_verdict_say(verdict,
                            "no dragonfly: its switches join too many others to look for groups");
        return 0;
    }
    if (groups_open(&g, part, err))
        return -1;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            g.shared[k] = count_shared(s, i, s->neighbour[k]);
    return try_groups(&g, verdict, err);
}

/* ---- Dragonfly+ ---------------------------------------------------------------------------- */

static int judge_plus(struct groups *g, uint64_t crossing, topomap_verdict *verdict)
{
    uint64_t all = (uint64_t)g->count * (g->count - 1) / 2, members = 0;

    for (uint32_t a = 0; a < g->count; a++)
        members += g->members[a] < g->size ? g->members[a] : g->size;
    if (g->size < 3 || g->pairs * 10 < all * 9 || members * 10 < (uint64_t)g->count * g->size * 9)
        return 0;
    verdict->confidence =
        (double)g->pairs / (double)all * (double)members / ((double)g->count * g->size);
    topomap_verdict_say(
        verdict,
        "dragonfly+: %u groups of %u switches that are trees of two levels; %" PRIu64 " of %" PRIu64
        " pairs of groups joined by %" PRIu64 " pairs of upper switches",
        g->count, g->size, g->pairs, all, crossing);
    strcpy(verdict->topology, "dragonfly");
    return keep_groups(g, 0);
}

int topomap_is_dragonfly_plus(topomap_part *part, topomap_verdict *verdict, topomap_error *err)
{
    const topomap_switches *s = &part->switches;
    TOPOMAP_CLEANUP(groups_close) struct groups g = {0};
    TOPOMAP_FREED uint16_t *level = topomap_alloc(s->count, sizeof *level, err);
    uint64_t crossing, lower = 0;

    if (!level || groups_open(&g, part, err) || topomap_part_levels(part, level, &crossing, err))
        return -1;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            lower += level[i] != 1 && level[i] == level[s->neighbour[k]];
    find_groups(&g, 0, level);
    if (lower || g.count < GROUPS_LEAST || g.count > GROUPS_MOST)
        return 0;
    return count_groups(&g, err) ? -1 : judge_plus(&g, crossing, verdict);
}
