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
    int64_t *level; /* [levels] switches with levels, which are no cables; sorted */
    size_t levels;
};

/* Pairs that ought to be alike, by how many cables they have. */
struct usual {
    uint32_t pairs[CABLES_MOST + 1], all;
    uint32_t cables; /* of most, of equals the more */
    int is_told;     /* what settle() said */
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
    DB_ROWS rows = DB_ASK(n->check->file, "SELECT label FROM switch WHERE id=?", n->check->err,
                          DB_INT(n->part->switches.id[sw]));

    snprintf(label, LABEL, "%.*s", LABEL - 1, db_next(&rows) ? db_column_text(rows.row, 0) : "");
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
        const int32_t *place = &part->place[(size_t)i * TOPOMAP_DIMS];
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
    TOPOMAP_FREED uint32_t *at = list_places(n->part, &positions, n->check->err);
    int result = at || !positions ? 0 : -1;

    for (uint32_t d = 0; at && !result && d < n->part->dims; d++)
        result = tell_dimension(n, at, positions, d);
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

/* The switch of a group that is to be looked at: the only one with fewer global cables than most of
 * the group's that have some; UINT32_MAX: it is not told by their number. Dragonfly+ groups have
 * leaves without, and where groups share the ports unevenly the last switch has fewer.
 *  \param number  [switches] scratch */
static uint32_t find_short(const topomap_part *part, uint32_t group, uint32_t *number,
                           uint32_t *usual)
{
    uint32_t found = UINT32_MAX, count = 0, fewer = 0;

    for (uint32_t i = 0; i < part->switches.count; i++)
        if (part->group[i] == group && count_global(part, i))
            number[count++] = count_global(part, i);
    *usual = count ? topomap_most_frequent(number, count) : 0;
    for (uint32_t i = 0; i < part->switches.count; i++) {
        uint32_t cables = part->group[i] == group ? count_global(part, i) : 0;

        if (cables && cables < *usual) {
            found = i;
            fewer++;
        }
    }
    return fewer == 1 ? found : UINT32_MAX;
}

static uint32_t first_switch(const topomap_part *part, uint32_t group)
{
    uint32_t i = 0;

    while (part->group[i] != group)
        i++;
    return i;
}

struct between {
    struct neighbours *n;
    topomap_arena arena;   /* of the arrays */
    uint32_t *cables;      /* [groups * groups] */
    uint32_t *members;     /* [groups] */
    uint32_t *kind;        /* [groups] of that size */
    uint32_t *number;      /* [groups or switches, the more] scratch */
    uint8_t *short_of_all; /* [groups] fewer than usual to every other: it was built so */
    uint32_t kinds;
    struct usual *usual; /* [kinds * kinds] of pairs of groups, the lower kind first */
};

static int between_alloc(struct between *w)
{
    const topomap_part *part = w->n->part;
    topomap_error *err = w->n->check->err;
    uint32_t groups = part->groups;
    uint32_t most = groups > part->switches.count ? groups : part->switches.count;

    w->cables = topomap_arena_alloc(&w->arena, (size_t)groups * groups, sizeof *w->cables, err);
    w->members = topomap_arena_alloc(&w->arena, groups, sizeof *w->members, err);
    w->kind = topomap_arena_alloc(&w->arena, groups, sizeof *w->kind, err);
    w->number = topomap_arena_alloc(&w->arena, most, sizeof *w->number, err);
    w->short_of_all = topomap_arena_alloc(&w->arena, groups, sizeof *w->short_of_all, err);
    return w->arena.is_short ? -1 : 0;
}

static void count_between(struct between *w)
{
    const topomap_part *part = w->n->part;

    for (uint32_t i = 0; i < part->switches.count; i++) {
        w->members[part->group[i]]++;
        for (uint32_t k = part->switches.first[i]; k < part->switches.first[i + 1]; k++)
            w->cables[(size_t)part->group[i] * part->groups +
                      part->group[part->switches.neighbour[k]]] += part->cables[k];
    }
}

/* Groups of one size are of one kind: a small one has fewer cables to each. */
static int find_sizes(struct between *w)
{
    uint32_t groups = w->n->part->groups;

    for (uint32_t g = 0; g < groups; g++) {
        uint32_t k = 0;

        while (k < w->kinds && w->number[k] != w->members[g])
            k++;
        if (k == w->kinds)
            w->number[w->kinds++] = w->members[g];
        w->kind[g] = k;
    }
    w->usual = topomap_arena_alloc(&w->arena, (size_t)w->kinds * w->kinds, sizeof *w->usual,
                                   w->n->check->err);
    return w->usual ? 0 : -1;
}

static struct usual *usual_of(const struct between *w, uint32_t a, uint32_t b)
{
    uint32_t x = w->kind[a], y = w->kind[b];

    return &w->usual[(size_t)(x < y ? x : y) * w->kinds + (x < y ? y : x)];
}

/* \return how many kinds of pairs have some that are to be told of */
static uint32_t settle_pairs(struct between *w)
{
    uint32_t groups = w->n->part->groups, told = 0;

    for (uint32_t a = 0; a < groups; a++)
        for (uint32_t b = a + 1; b < groups; b++)
            count_pair(usual_of(w, a, b), w->cables[(size_t)a * groups + b]);
    for (size_t i = 0; i < (size_t)w->kinds * w->kinds; i++) {
        w->usual[i].is_told = settle(&w->usual[i]);
        told += (uint32_t)w->usual[i].is_told;
    }
    for (uint32_t a = 0; a < groups; a++) {
        w->short_of_all[a] = 1;
        for (uint32_t b = 0; b < groups; b++)
            if (a != b && w->cables[(size_t)a * groups + b] >= usual_of(w, a, b)->cables)
                w->short_of_all[a] = 0;
    }
    return told;
}

static int tell_groups(struct between *w, uint32_t a, uint32_t b)
{
    const topomap_part *part = w->n->part;
    const uint32_t group[] = {a, b};
    uint32_t usual;
    char label[2][LABEL], hint[2][3 * LABEL] = {"", ""};

    for (int i = 0; i < 2; i++) {
        uint32_t sw = find_short(part, group[i], w->number, &usual);
        uint32_t named = sw == UINT32_MAX ? first_switch(part, group[i]) : sw;

        if (read_label(w->n, named, label[i]))
            return -1;
        if (sw != UINT32_MAX)
            snprintf(hint[i], sizeof hint[i], "; %s has %u, where most of its group's have %u",
                     label[i], count_global(part, sw), usual);
    }
    return db_found(w->n->check,
                    "the groups of %s and of %s: %u of the %u global links that most pairs of "
                    "groups like them have%s%s",
                    label[0], label[1], w->cables[(size_t)a * part->groups + b],
                    usual_of(w, a, b)->cables, hint[0], hint[1]);
}

static int tell_short_pairs(struct between *w)
{
    uint32_t groups = w->n->part->groups;
    int result = 0;

    for (uint32_t a = 0; !result && a < groups; a++)
        for (uint32_t b = a + 1; !result && b < groups; b++)
            if (!w->short_of_all[a] && !w->short_of_all[b] && usual_of(w, a, b)->is_told &&
                w->cables[(size_t)a * groups + b] < usual_of(w, a, b)->cables)
                result = tell_groups(w, a, b);
    return result;
}

static int tell_between(struct neighbours *n)
{
    struct between w = {.n = n};
    int result = between_alloc(&w);

    if (!result) {
        count_between(&w);
        result = find_sizes(&w);
    }
    if (!result && settle_pairs(&w))
        result = tell_short_pairs(&w);
    topomap_arena_clear(&w.arena);
    return result;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return TOPOMAP_ORDER(x, y);
}

/* Of such a part no cable is known, or not all of them. */
static int has_levels(const struct neighbours *n)
{
    const topomap_switches *s = &n->part->switches;
    uint32_t i = 0;

    while (n->levels && i < s->count &&
           !bsearch(&s->id[i], n->level, n->levels, sizeof *n->level, by_id))
        i++;
    return n->levels && i < s->count;
}

static int tell_part(const topomap_part *part, void *data)
{
    struct neighbours *n = data;
    int result = 0;

    n->part = part;
    if ((!part->place && !part->group) || has_levels(n))
        return 0;
    if (part->place)
        return tell_torus(n);
    if (part->all_to_all)
        result = tell_inside(n);
    return result ? result : tell_between(n);
}

static int read_levels(struct neighbours *n)
{
    DB_ROWS rows =
        db_ask(n->check->file, "SELECT * FROM " DB_LEVEL_ENDS " ORDER BY 1", n->check->err);
    size_t room = 0;

    while (db_next(&rows)) {
        if (TOPOMAP_APPEND(n->level, n->levels, room, n->check->err,
                           sqlite3_column_int64(rows.row, 0)))
            return -1;
    }
    return rows.result;
}

int db_check_missing_cables(struct db_check *check)
{
    struct neighbours n = {.check = check};
    int result = read_levels(&n);

    if (!result)
        result = db_judge_parts(check->file, tell_part, &n, check->err);
    free(n.level);
    return result;
}
