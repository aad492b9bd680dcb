/* SPDX-License-Identifier: BSD-3-Clause */
/* Fat trees: levels of switches, hosts on the lowest, links between neighbouring levels only, and
 * a way up and down between any two leaves. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/kinds/kinds.h"
#include "util/alloc.h"
#include "util/sorted.h"

enum {
    LEVELS = 16,
    CHOICES = 16, /* of what a leaf is, at most */
    SAMPLES = 16, /* leaves from which ways are searched */
    TRIES = 64,   /* leaves that an idle one is compared with */
};

struct tree {
    topomap_part *part;
    uint16_t *level;
    uint32_t *number; /* [switches] scratch */
    uint8_t *seen;    /* [switches] scratch: 1 on the way up, 2 on the way down */
    uint64_t crossing, missing, upper_ports;
    size_t at_level[LEVELS], levels, unreached;
    uint32_t up[LEVELS]; /* cables to the level above that most switches of a level have */
    uint32_t leaf_ports; /* that most leaves have */
    uint32_t parallel;   /* cables between most joined pairs */
    double reach;        /* share of leaves that a leaf reaches by going up, then down */
};

/* ---- Levels ------------------------------------------------------------------------------ */

/* Levels are hops from the switches with at least so many ports of hosts. */
static void spread(topomap_part *part, uint32_t least, uint16_t *level, uint32_t *leaf)
{
    size_t leaves = 0;

    for (uint32_t i = 0; i < part->switches.count; i++)
        if (part->ports[i] >= least)
            leaf[leaves++] = i;
    topomap_switches_spread(&part->switches, leaf, leaves, level);
}

static int subset(const topomap_switches *s, uint32_t a, uint32_t b)
{
    uint32_t j = s->first[b];

    for (uint32_t i = s->first[a]; i < s->first[a + 1]; i++, j++) {
        while (j < s->first[b + 1] && s->neighbour[j] < s->neighbour[i])
            j++;
        if (j == s->first[b + 1] || s->neighbour[j] != s->neighbour[i])
            return 0;
    }
    return 1;
}

/* A leaf whose hosts are all away looks like a switch of level 2, but hangs where a leaf hangs. */
static void find_idle_leaves(const topomap_switches *s, uint16_t *level)
{
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t above, tried = 0;

        if (level[i] != 2 || s->first[i + 1] - s->first[i] < 2)
            continue;
        above = s->neighbour[s->first[i]];
        for (uint32_t k = s->first[above]; k < s->first[above + 1] && tried < TRIES; k++)
            if (level[s->neighbour[k]] == 0 && ++tried && subset(s, i, s->neighbour[k])) {
                level[i] = 0;
                break;
            }
    }
}

static uint64_t count_crossing(const topomap_switches *s, const uint16_t *level)
{
    uint64_t crossing = 0;

    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            crossing += s->neighbour[k] > i && level[i] == level[s->neighbour[k]];
    return crossing;
}

/* A leaf has at least `least` ports of hosts: the different numbers that switches have, ascending,
 * so that some service nodes on a spine do not make it a leaf; but most hosts are on leaves. */
static size_t choices_of(const topomap_part *part, uint32_t *number, uint32_t *choice)
{
    uint64_t left_out = 0;
    size_t choices = 0;

    memcpy(number, part->ports, part->switches.count * sizeof *number);
    qsort(number, part->switches.count, sizeof *number, topomap_by_u32);
    for (uint32_t i = 0; i < part->switches.count && choices < CHOICES; i++) {
        if (number[i] && (!i || number[i] != number[i - 1]) && left_out * 4 <= part->all_ports)
            choice[choices++] = number[i];
        left_out += number[i];
    }
    return choices;
}

/* How many links upwards most switches of a level have, and how many the others lack. */
static uint64_t count_lacking(const topomap_part *part, const uint16_t *level, uint16_t of,
                              uint32_t *number, uint32_t *most)
{
    const topomap_switches *s = &part->switches;
    uint64_t lacking = 0;
    size_t count = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t cables = 0;

        if (level[i] != of)
            continue;
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
            if (level[s->neighbour[k]] == of + 1)
                cables += part->cables[k];
        number[count++] = cables;
    }
    *most = topomap_most_frequent(number, count);
    for (size_t i = 0; i < count; i++)
        lacking += number[i] < *most ? *most - number[i] : 0;
    return lacking;
}

/* How badly levels fit, best 0: links inside a level, then levels, then links that lack. */
struct misfit {
    uint64_t crossing, levels, lacking;
};

static struct misfit measure(const topomap_part *part, const uint16_t *level, uint32_t *number)
{
    struct misfit m = {count_crossing(&part->switches, level), 0, 0};
    uint32_t most;

    for (uint32_t i = 0; i < part->switches.count; i++)
        if (level[i] >= m.levels && level[i] != TOPOMAP_FAR)
            m.levels = level[i] + 1u;
    for (uint16_t of = 0; of + 1u < m.levels && of < LEVELS; of++)
        m.lacking += count_lacking(part, level, of, number, &most);
    return m;
}

static int better(struct misfit a, struct misfit b)
{
    if (a.crossing != b.crossing)
        return a.crossing < b.crossing;
    return a.levels != b.levels ? a.levels < b.levels : a.lacking < b.lacking;
}

int topomap_part_levels(topomap_part *part, uint16_t *level, uint64_t *crossing, topomap_error *err)
{
    uint32_t choice[CHOICES], best = 0;
    TOPOMAP_FREED uint32_t *scratch = topomap_alloc(part->switches.count, sizeof *scratch, err);
    struct misfit least = {UINT64_MAX, 0, 0};
    size_t choices;

    if (!scratch)
        return -1;
    choices = choices_of(part, scratch, choice);
    for (size_t i = 0; i < choices; i++) {
        struct misfit here;

        spread(part, choice[i], level, scratch);
        find_idle_leaves(&part->switches, level);
        here = measure(part, level, scratch);
        if (better(here, least)) {
            least = here;
            best = choice[i];
        }
    }
    spread(part, best, level, scratch);
    find_idle_leaves(&part->switches, level);
    *crossing = least.crossing;
    return 0;
}

/* ---- What is at each level ----------------------------------------------------------------- */

static void count_levels(struct tree *t)
{
    for (uint32_t i = 0; i < t->part->switches.count; i++) {
        if (t->level[i] >= LEVELS) {
            t->unreached++;
            continue;
        }
        t->at_level[t->level[i]]++;
        if (t->level[i] >= t->levels)
            t->levels = t->level[i] + 1u;
        if (t->level[i])
            t->upper_ports += t->part->ports[i];
    }
}

static void count_links(struct tree *t)
{
    const topomap_part *part = t->part;
    const topomap_switches *s = &part->switches;
    size_t count = 0;

    for (size_t level = 0; level + 1 < t->levels; level++)
        t->missing += count_lacking(part, t->level, (uint16_t)level, t->number, &t->up[level]);
    for (uint32_t i = 0; i < s->count; i++)
        if (t->level[i] == 0)
            t->number[count++] = part->ports[i];
    t->leaf_ports = topomap_most_frequent(t->number, count);
    count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->first[i + 1] > s->first[i])
            t->number[count++] = part->cables[s->first[i]];
    t->parallel = topomap_most_frequent(t->number, count);
}

/* Marks what a leaf reaches by going up, then down. A switch reached on the way up may be left
 * both ways; one reached on the way down only downwards. */
static size_t reach_from(struct tree *t, uint32_t leaf)
{
    const topomap_switches *s = &t->part->switches;
    uint32_t head = 0, tail = 0, turn;
    size_t leaves = 0;

    memset(t->seen, 0, s->count);
    t->seen[leaf] = 1;
    s->queue[tail++] = leaf;
    while (head < tail) {
        uint32_t at = s->queue[head++];

        for (uint32_t k = s->first[at]; k < s->first[at + 1]; k++)
            if (!t->seen[s->neighbour[k]] && t->level[s->neighbour[k]] == t->level[at] + 1) {
                t->seen[s->neighbour[k]] = 1;
                s->queue[tail++] = s->neighbour[k];
            }
    }
    turn = tail;
    for (head = 0; head < tail; head++) {
        uint32_t at = s->queue[head];

        for (uint32_t k = s->first[at]; k < s->first[at + 1]; k++)
            if (!t->seen[s->neighbour[k]] && t->level[s->neighbour[k]] + 1 == t->level[at]) {
                t->seen[s->neighbour[k]] = 2;
                s->queue[tail++] = s->neighbour[k];
            }
    }
    for (uint32_t i = turn; i < tail; i++)
        leaves += t->level[s->queue[i]] == 0;
    return leaves;
}

static void count_reach(struct tree *t)
{
    size_t leaves = t->at_level[0], step = leaves / SAMPLES + 1, seen = 0, sum = 0, tried = 0;

    t->reach = 1;
    for (uint32_t i = 0; i < t->part->switches.count && leaves > 1; i++)
        if (t->level[i] == 0 && seen++ % step == 0) {
            sum += reach_from(t, i);
            tried++;
        }
    if (tried)
        t->reach = (double)sum / (double)(tried * (leaves - 1));
}

/* ---- The verdict --------------------------------------------------------------------------- */

static void describe_levels(const struct tree *t, topomap_verdict *verdict)
{
    if (t->levels == 1) {
        topomap_verdict_say(verdict, "one switch, %" PRIu64 " ports of hosts", t->part->all_ports);
        return;
    }
    topomap_verdict_say(verdict, "%zu levels of switches, from the leaves:", t->levels);
    for (size_t i = 0; i < t->levels; i++)
        topomap_verdict_say(verdict, "%s%zu", i ? ", " : " ", t->at_level[i]);
    topomap_verdict_say(verdict, "; %" PRIu64 " links between neighbouring levels",
                        t->part->all_cables);
    if (t->parallel > 1)
        topomap_verdict_say(verdict, ", most %u in parallel", t->parallel);
    topomap_verdict_say(verdict, "; most leaves have %u hosts and %u links up", t->leaf_ports,
                        t->up[0]);
    if (t->up[0] && t->leaf_ports > t->up[0])
        topomap_verdict_say(verdict, " (tapered %.3g:1)", (double)t->leaf_ports / t->up[0]);
}

static void describe_faults(const struct tree *t, topomap_verdict *verdict)
{
    if (t->upper_ports)
        topomap_verdict_say(verdict, "; %" PRIu64 " ports of hosts on switches above the leaves",
                            t->upper_ports);
    if (t->missing)
        topomap_verdict_say(verdict,
                            "; %" PRIu64 " links fewer upwards than most switches of a level have",
                            t->missing);
    if (t->crossing)
        topomap_verdict_say(verdict, "; %" PRIu64 " of %" PRIu64 " joined pairs are of one level",
                            t->crossing, t->part->pairs);
    if (t->reach < 1)
        topomap_verdict_say(verdict, "; %.3g%% of the other leaves reached by going up, then down",
                            100 * t->reach);
}

static int decide(struct tree *t, topomap_verdict *verdict)
{
    const topomap_part *part = t->part;

    if (t->unreached || t->crossing * 10 > part->pairs) {
        topomap_verdict_say(verdict,
                            "no fat tree: %" PRIu64 " of %" PRIu64 " joined pairs are of one level",
                            t->crossing, part->pairs);
        return 0;
    }
    count_reach(t);
    if (t->reach < 0.9) {
        topomap_verdict_say(
            verdict, "no fat tree: %.3g%% of the other leaves reached by going up, then down",
            100 * t->reach);
        return 0;
    }
    count_links(t);
    strcpy(verdict->topology, "fat-tree");
    describe_levels(t, verdict);
    describe_faults(t, verdict);
    verdict->confidence = t->reach;
    if (part->pairs)
        verdict->confidence *= 1 - (double)t->crossing / (double)part->pairs;
    verdict->confidence *=
        1 - (double)t->missing / (double)(part->all_cables + t->missing + !part->all_cables);
    verdict->confidence *= 1 - (double)t->upper_ports / (double)part->all_ports / 2;
    return 1;
}

int topomap_is_tree(topomap_part *part, topomap_verdict *verdict, topomap_error *err)
{
    uint32_t count = part->switches.count;
    TOPOMAP_FREED uint16_t *level = topomap_alloc(count, sizeof *level, err);
    TOPOMAP_FREED uint32_t *number = topomap_alloc(count, sizeof *number, err);
    TOPOMAP_FREED uint8_t *seen = topomap_alloc(count, 1, err);
    struct tree t = {.part = part, .level = level, .number = number, .seen = seen};

    if (!level || !number || !seen || topomap_part_levels(part, level, &t.crossing, err))
        return -1;
    count_levels(&t);
    if (!decide(&t, verdict))
        return 0;
    part->level = topomap_take(&level);
    return 1;
}
