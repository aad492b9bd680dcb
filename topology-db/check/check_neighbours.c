/* SPDX-License-Identifier: BSD-3-Clause */
/* Cables that the shape of a network makes one expect: between neighbours in a torus or mesh,
 * between switches of a dragonfly's group, and between its groups. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/check/check.h"
#include "topology-db/derive/derive.h"
#include "util/alloc.h"

enum { PLACES_MOST = 1 << 24, CABLES_MOST = 255, LABEL = 80 };

struct neighbours {
    struct db_check *check;
    const topomap_part *part;
};

/* Pairs that ought to be alike, by how many cables they have. */
struct usual {
    uint32_t pairs[CABLES_MOST + 1], all;
    uint32_t cables; /* of most, of equals the more */
};

static void count_pair(struct usual *usual, uint32_t cables)
{
    usual->pairs[cables < CABLES_MOST ? cables : CABLES_MOST]++;
    usual->all++;
}

/* Where a fifth of them have fewer, it was built so; as in degraded-link. */
static int settle(struct usual *usual)
{
    uint32_t fewer = 0;

    for (uint32_t i = 1; i <= CABLES_MOST; i++)
        if (usual->pairs[i] && usual->pairs[i] >= usual->pairs[usual->cables])
            usual->cables = i;
    for (uint32_t i = 0; i < usual->cables; i++)
        fewer += usual->pairs[i];
    return fewer && (uint64_t)fewer * 5 <= usual->all;
}

static int read_label(struct neighbours *n, uint32_t sw, char *label)
{
    struct db_rows rows = DB_ASK(n->check->file, "SELECT label FROM switch WHERE id=?",
                                 n->check->err, DB_INT(n->part->switches.id[sw]));

    snprintf(label, LABEL, "%.*s", LABEL - 1, db_next(&rows) ? db_column_text(rows.row, 0) : "");
    db_end(&rows);
    return rows.result;
}

static uint32_t cables_between(const topomap_part *part, uint32_t a, uint32_t b)
{
    uint32_t at = topomap_switches_link(&part->switches, a, b);

    return at == UINT32_MAX ? 0 : part->cables[at];
}

static int tell_pair(struct neighbours *n, uint32_t a, uint32_t b, const struct usual *usual,
                     const char *kind)
{
    uint32_t cables = cables_between(n->part, a, b);
    char from[LABEL], to[LABEL];

    if (read_label(n, a, from) || read_label(n, b, to))
        return -1;
    if (!cables)
        return db_found(n->check, "%s to %s: no cable, where %s have %u", from, to, kind,
                        usual->cables);
    return db_found(n->check, "%s to %s: %u of the %u cables that %s have", from, to, cables,
                    usual->cables, kind);
}

/* ---- Tori and meshes ------------------------------------------------------------------------- */

/* [positions] the switch at each place, UINT32_MAX none; NULL with *positions 0: too many to look
 * at. */
static uint32_t *list_places(const topomap_part *part, size_t *positions, topomap_error *err)
{
    uint32_t *at;

    *positions = 1;
    for (uint32_t d = 0; d < part->dims; d++) {
        *positions *= part->dim[d];
        if (!*positions || *positions > PLACES_MOST)
            *positions = 0;
    }
    at = *positions ? topomap_alloc(*positions, sizeof *at, err) : NULL;
    if (!at)
        return NULL;
    memset(at, 0xff, *positions * sizeof *at);
    for (uint32_t i = 0; i < part->switches.count; i++) {
        const int32_t *place = &part->place[(size_t)i * TOPOMAP_TORUS_DIMS];
        size_t position = 0;
        int known = 1;

        for (uint32_t d = 0; d < part->dims; d++) {
            known &= place[d] >= 0 && (uint32_t)place[d] < part->dim[d];
            position = position * part->dim[d] + (known ? (uint32_t)place[d] : 0);
        }
        if (known)
            at[position] = i;
    }
    return at;
}

/* The switch one step up a dimension, UINT32_MAX where there is none. */
static uint32_t step(const topomap_part *part, const uint32_t *at, size_t position, uint32_t d)
{
    size_t stride = 1, place;

    for (uint32_t e = d + 1; e < part->dims; e++)
        stride *= part->dim[e];
    place = position / stride % part->dim[d];
    if (place + 1 < part->dim[d])
        return at[position + stride];
    return part->wrap[d] && part->dim[d] > 2 ? at[position - place * stride] : UINT32_MAX;
}

static int tell_dimension(struct neighbours *n, const uint32_t *at, size_t positions, uint32_t d)
{
    struct usual usual = {0};
    char kind[40];
    int result = 0;

    for (size_t p = 0; p < positions; p++) {
        uint32_t to = at[p] == UINT32_MAX ? UINT32_MAX : step(n->part, at, p, d);

        if (to != UINT32_MAX)
            count_pair(&usual, cables_between(n->part, at[p], to));
    }
    if (!settle(&usual))
        return 0;
    snprintf(kind, sizeof kind, "most neighbours in dimension %u", d + 1);
    for (size_t p = 0; !result && p < positions; p++) {
        uint32_t to = at[p] == UINT32_MAX ? UINT32_MAX : step(n->part, at, p, d);

        if (to != UINT32_MAX && cables_between(n->part, at[p], to) < usual.cables)
            result = tell_pair(n, at[p], to, &usual, kind);
    }
    return result;
}

static int tell_torus(struct neighbours *n)
{
    size_t positions;
    uint32_t *at = list_places(n->part, &positions, n->check->err);
    int result = at || !positions ? 0 : -1;

    for (uint32_t d = 0; at && !result && d < n->part->dims; d++)
        result = tell_dimension(n, at, positions, d);
    free(at);
    return result;
}

/* ---- Dragonflies ----------------------------------------------------------------------------- */

/* Of groups in which all switches are joined. */
static int tell_inside(struct neighbours *n)
{
    const topomap_part *part = n->part;
    struct usual usual = {0};
    int result = 0;

    for (uint32_t a = 0; a < part->switches.count; a++)
        for (uint32_t b = a + 1; b < part->switches.count; b++)
            if (part->group[a] == part->group[b])
                count_pair(&usual, cables_between(part, a, b));
    if (!settle(&usual))
        return 0;
    for (uint32_t a = 0; !result && a < part->switches.count; a++)
        for (uint32_t b = a + 1; !result && b < part->switches.count; b++)
            if (part->group[a] == part->group[b] && cables_between(part, a, b) < usual.cables)
                result = tell_pair(n, a, b, &usual, "most pairs inside groups");
    return result;
}

/* Cables that leave a switch's group. */
static uint32_t count_global(const topomap_part *part, uint32_t sw)
{
    uint32_t count = 0;

    for (uint32_t k = part->switches.first[sw]; k < part->switches.first[sw + 1]; k++)
        if (part->group[part->switches.neighbour[k]] != part->group[sw])
            count += part->cables[k];
    return count;
}

/* The switch of a group that is to be looked at: the one with the fewest global cables. */
static uint32_t find_short(const topomap_part *part, uint32_t group)
{
    uint32_t best = UINT32_MAX, least = 0;

    for (uint32_t i = 0; i < part->switches.count; i++)
        if (part->group[i] == group) {
            uint32_t count = count_global(part, i);

            if (best == UINT32_MAX || count < least) {
                best = i;
                least = count;
            }
        }
    return best;
}

static int tell_groups(struct neighbours *n, uint32_t a, uint32_t b, uint32_t cables,
                       const struct usual *usual)
{
    uint32_t end[] = {find_short(n->part, a), find_short(n->part, b)}, global[2];
    char label[2][LABEL];

    for (int i = 0; i < 2; i++) {
        if (end[i] == UINT32_MAX || read_label(n, end[i], label[i]))
            return -1;
        global[i] = count_global(n->part, end[i]);
    }
    return db_found(n->check,
                    "the groups of %s and of %s: %u of the %u global links that most pairs of "
                    "groups have; these two switches have the fewest of theirs, %u and %u",
                    label[0], label[1], cables, usual->cables, global[0], global[1]);
}

static int tell_between(struct neighbours *n)
{
    const topomap_part *part = n->part;
    uint32_t groups = part->groups;
    uint32_t *cables = topomap_alloc((size_t)groups * groups, sizeof *cables, n->check->err);
    struct usual usual = {0};
    int result = cables ? 0 : -1;

    for (uint32_t i = 0; cables && i < part->switches.count; i++)
        for (uint32_t k = part->switches.first[i]; k < part->switches.first[i + 1]; k++)
            cables[(size_t)part->group[i] * groups + part->group[part->switches.neighbour[k]]] +=
                part->cables[k];
    for (uint32_t a = 0; cables && a < groups; a++)
        for (uint32_t b = a + 1; b < groups; b++)
            count_pair(&usual, cables[(size_t)a * groups + b]);
    if (cables && settle(&usual))
        for (uint32_t a = 0; !result && a < groups; a++)
            for (uint32_t b = a + 1; !result && b < groups; b++)
                if (cables[(size_t)a * groups + b] < usual.cables)
                    result = tell_groups(n, a, b, cables[(size_t)a * groups + b], &usual);
    free(cables);
    return result;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static int tell_part(const topomap_part *part, void *data)
{
    struct neighbours *n = data;
    int result = 0;

    n->part = part;
    if (part->place)
        return tell_torus(n);
    if (!part->group)
        return 0;
    if (part->all_to_all)
        result = tell_inside(n);
    return result ? result : tell_between(n);
}

/* Levels, and what Slurm's file tells, are no cables. */
int db_check_missing_cables(struct db_check *check)
{
    struct neighbours n = {.check = check};
    int64_t levels;

    if (db_number(check->file, "SELECT EXISTS (SELECT 1 FROM link WHERE kind='" DB_LEVEL "')", 0,
                  &levels, check->err))
        return -1;
    return levels ? 0 : db_judge_parts(check->file, tell_part, &n, check->err);
}
