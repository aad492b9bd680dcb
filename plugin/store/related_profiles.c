/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program has left elsewhere: in other folders, and at other numbers of ranks. */
#include "config.h"
#include "plugin/store/store.h"

#include <dirent.h>
#include <string.h>

enum { LOOKED_AT = 512 };

/* ---- The entries of a family ------------------------------------------------------------- */

typedef void visit(const store_entry *entry, void *context);

/* Those with a graph, but for the wanted one itself. */
static void walk(int profiles, const store_entry *wanted, visit *visit, void *context)
{
    TOPOMAP_CLOSED_DIR DIR *list = store_folder_list(profiles);
    const struct dirent *row;

    for (int looked = 0; list && looked < LOOKED_AT && (row = readdir(list)) != NULL;) {
        store_entry entry = {0};

        if (strspn(row->d_name, "0123456789abcdef") != STORE_KEY ||
            strcmp(row->d_name + STORE_KEY, ".meta") != 0)
            continue;
        looked++;
        if (!store_entry_read_from(profiles, row->d_name, &entry))
            continue;
        memcpy(entry.key, row->d_name, STORE_KEY);
        if (entry.family == wanted->family && entry.ranks && strcmp(entry.key, wanted->key) != 0 &&
            store_entry_read_at(profiles, &entry) && entry.has_graph)
            visit(&entry, context);
    }
}

/* ---- One to take the place of what is not there ------------------------------------------ */

/* Whose folders agree, at one number of ranks. */
struct size {
    store_entry nearest;
    int has_nearest, agree, differ;
};

struct look {
    const store_entry *wanted;
    store_kin *kin;
    struct size own, elsewhere; /* other sizes: of the same case, of any */
    int agree;
};

/* Of two numbers of ranks, which one is better to scale from. */
static int is_nearer(uint32_t wanted, uint32_t a, uint32_t b)
{
    if ((a < wanted) != (b < wanted))
        return a < wanted;
    return a < wanted ? a > b : a < b;
}

static void look_at_size(const struct look *look, const store_entry *entry, struct size *size)
{
    size->agree |= entry->agrees > 0;
    size->differ |= entry->differs > 0;
    if (size->has_nearest && !is_nearer(look->wanted->ranks, entry->ranks, size->nearest.ranks))
        return;
    size->nearest = *entry;
    size->has_nearest = 1;
}

static int is_used_later(const store_entry *a, const store_entry *b)
{
    return a->used != b->used ? a->used > b->used : strcmp(a->key, b->key) > 0;
}

static void look_at(const store_entry *entry, void *context)
{
    struct look *look = context;
    store_kin *kin = look->kin;

    if (entry->ranks != look->wanted->ranks) {
        look_at_size(look, entry,
                     entry->place == look->wanted->place ? &look->own : &look->elsewhere);
        return;
    }
    kin->folders++;
    kin->differ += entry->differs > 0;
    look->agree |= entry->agrees > 0;
    if (!kin->has_alike || is_used_later(entry, &kin->alike))
        kin->alike = *entry;
    kin->has_alike = 1;
}

void store_kin_find(const store *store, const store_entry *wanted, store_kin *kin)
{
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 0, NULL);
    struct look look = {.wanted = wanted, .kin = kin};
    const struct size *size;

    memset(kin, 0, sizeof *kin);
    if (profiles < 0)
        return;
    walk(profiles, wanted, look_at, &look);
    kin->has_alike = look.agree && !kin->differ;
    size = look.own.has_nearest ? &look.own : &look.elsewhere;
    kin->has_size = size->has_nearest && (size == &look.own || (size->agree && !size->differ));
    kin->size = size->nearest;
}

/* ---- Whether folders agree --------------------------------------------------------------- */

struct others {
    const store_entry *wanted;
    store_entry *list;
    unsigned count, most;
};

/* The last ones used. */
static void take(const store_entry *entry, void *context)
{
    struct others *others = context;
    unsigned at = others->count;

    if (entry->ranks != others->wanted->ranks)
        return;
    while (at && is_used_later(entry, &others->list[at - 1]))
        at--;
    if (at == others->most)
        return;
    others->count += others->count < others->most;
    memmove(others->list + at + 1, others->list + at,
            (others->count - at - 1) * sizeof *others->list);
    others->list[at] = *entry;
}

unsigned store_kin_others(int profiles, const store_entry *wanted, store_entry *list, unsigned most)
{
    struct others others = {.wanted = wanted, .list = list, .most = most};

    walk(profiles, wanted, take, &others);
    return others.count;
}
