/* SPDX-License-Identifier: BSD-3-Clause */
/* ftree: fat trees. Each destination's routes are made from its switch up to the roots, and from
 * each switch on the way down to all others. */
#include <inttypes.h>
#include <string.h>

#include "fabric/opensm/subnet.h"
#include "util/keyed.h"
#include "util/names/known.h"
#include "util/sorted.h"

enum {
    LEVELS = 8, /* OpenSM refuses trees with more */
    NO_DIGIT = 255,
};

/* Routes are counted by the direction in which they were made. */
enum { UP, DOWN, DIRECTIONS };

/* All cables from one switch to another. */
struct group {
    uint32_t peer;
    uint32_t first; /* its lowest port; cable[].next has the others */
    uint32_t cables, routes[DIRECTIONS];
};

/* Groups of a switch: order[first .. first + count). */
struct list {
    uint32_t first, count;
};

struct ftree_switch {
    struct list up, down, sibling; /* groups to a lower, higher and the same rank */
    uint32_t hosts;                /* ends of hosts */
    int has_index;
    uint64_t index; /* LEVELS digits of a byte, the first one is the highest */
};

struct ftree_cable {
    uint32_t next; /* port of the next cable of the group, or OPENSM_NONE */
    uint32_t routes[DIRECTIONS];
};

struct ftree {
    topomap_opensm_subnet *subnet;
    struct ftree_switch *node; /* [switches] */
    struct ftree_cable *cable; /* [ports] */
    struct group *group;       /* [groups], at most as many as ports */
    uint32_t *order;           /* [groups] numbers of groups */
    uint32_t groups;
    uint8_t *rank;   /* [switches] distance from a root; OPENSM_NO_PATH: not connected */
    uint8_t *hops;   /* [switches] to the present destination */
    uint32_t *queue; /* [switches] */
    uint32_t leaf_rank;
};

/* ---- Ranks ------------------------------------------------------------------------------- */

/* Ranks all switches by their distance from those of rank 0. Returns the greatest rank. */
static uint32_t spread_ranks(struct ftree *tree)
{
    uint32_t roots = 0, end;

    for (uint32_t i = 0; i < tree->subnet->count; i++)
        if (!tree->rank[i])
            tree->queue[roots++] = i;
    end = topomap_opensm_spread(tree->subnet, tree->rank, tree->queue, roots);
    return end ? tree->rank[tree->queue[end - 1]] : 0;
}

/* Counts the hosts of each switch. Returns how many there are. */
static uint64_t count_hosts(struct ftree *tree)
{
    const topomap_opensm_subnet *subnet = tree->subnet;
    uint64_t all = 0;

    for (uint32_t i = 0; i < subnet->count; i++) {
        for (uint32_t p = subnet->node[i].first; p < subnet->node[i + 1].first; p++)
            tree->node[i].hosts += subnet->port[p].is_host;
        all += tree->node[i].hosts;
    }
    return all;
}

/* The switches that are the farthest from hosts are the roots.
 * Returns nonzero if all hosts are at switches of the greatest rank, and there are as many levels
 * as OpenSM takes. */
static int rank_switches(struct ftree *tree)
{
    uint32_t count = tree->subnet->count, height;

    for (uint32_t i = 0; i < count; i++)
        tree->rank[i] = tree->node[i].hosts ? 0 : OPENSM_NO_PATH;
    height = spread_ranks(tree);
    for (uint32_t i = 0; i < count; i++)
        tree->rank[i] = tree->rank[i] == height ? 0 : OPENSM_NO_PATH;
    tree->leaf_rank = spread_ranks(tree);
    for (uint32_t i = 0; i < count; i++)
        if (tree->node[i].hosts && tree->rank[i] != tree->leaf_rank)
            return 0;
    return tree->leaf_rank >= 1 && tree->leaf_rank < LEVELS;
}

/* ---- Groups ------------------------------------------------------------------------------ */

static void add_to_list(struct ftree *tree, struct list *list, uint32_t port)
{
    uint32_t peer = tree->subnet->port[port].peer;

    for (uint32_t i = 0; i < list->count; i++) {
        struct group *group = &tree->group[list->first + i];
        uint32_t last = group->first;

        if (group->peer != peer)
            continue;
        while (tree->cable[last].next != OPENSM_NONE)
            last = tree->cable[last].next;
        tree->cable[last].next = port;
        group->cables++;
        return;
    }
    tree->order[tree->groups] = tree->groups;
    tree->group[tree->groups++] = (struct group){.peer = peer, .first = port, .cables = 1};
    list->count++;
}

/* Lists a switch's groups to peers whose ranks are less (-1), equal (0) or greater (1). */
static struct list list_groups(struct ftree *tree, uint32_t at, int rank)
{
    const topomap_opensm_subnet *subnet = tree->subnet;
    struct list list = {tree->groups, 0};

    for (uint32_t p = subnet->node[at].first; p < subnet->node[at + 1].first; p++) {
        uint32_t peer = subnet->port[p].peer;

        if (peer != OPENSM_NONE && TOPOMAP_ORDER(tree->rank[peer], tree->rank[at]) == rank)
            add_to_list(tree, &list, p);
    }
    return list;
}

static struct group *group_at(const struct ftree *tree, struct list list, uint32_t i)
{
    return &tree->group[tree->order[list.first + i]];
}

/* Sorts a list, stably, by its routes of a direction, then by the peers' indexes. It is nearly
 * sorted each time. */
static void sort_list(struct ftree *tree, struct list list, int direction)
{
    uint32_t *order = tree->order + list.first;

    for (uint32_t i = 1; i < list.count; i++) {
        uint32_t moved = order[i], routes = tree->group[moved].routes[direction], to = i;
        uint64_t index = tree->node[tree->group[moved].peer].index;

        for (; to; to--) {
            const struct group *before = &tree->group[order[to - 1]];

            if (before->routes[direction] < routes ||
                (before->routes[direction] == routes && tree->node[before->peer].index <= index))
                break;
            order[to] = order[to - 1];
        }
        order[to] = moved;
    }
}

/* The port of a group with the fewest routes of a direction, the first of equals. */
static uint32_t least_used(const struct ftree *tree, const struct group *group, int direction)
{
    const struct ftree_cable *cable = tree->cable;
    uint32_t best = group->first;

    for (uint32_t p = cable[best].next; p != OPENSM_NONE; p = cable[p].next)
        if (cable[p].routes[direction] < cable[best].routes[direction])
            best = p;
    return best;
}

static void count_route(struct ftree *tree, struct group *group, uint32_t port, int direction)
{
    group->routes[direction]++;
    tree->cable[port].routes[direction]++;
}

/* ---- Indexes ----------------------------------------------------------------------------- */

/* Gives a switch the lowest free index of a rank, in which the digit `place` is free and the others
 * are those of the switch `like`. */
static int give_index(struct ftree *tree, topomap_known *known, uint32_t to, uint32_t like,
                      uint32_t rank, uint32_t place, topomap_error *err)
{
    uint32_t shift = 8 * (LEVELS - 1 - place), number;
    uint64_t index = UINT64_MAX, others = (uint64_t)rank << 56;

    others |= tree->node[like].index & (UINT64_MAX >> 8) & ~((uint64_t)0xff << shift);
    for (uint64_t digit = 0; digit < NO_DIGIT && index == UINT64_MAX; digit++) {
        uint64_t tried = others | digit << shift;

        if (topomap_known_find(known, &tried, sizeof tried) == UINT32_MAX)
            index = tried;
    }
    tree->node[to].index = index;
    tree->node[to].has_index = 1;
    return topomap_known_number(known, &index, sizeof index, &number, err);
}

/* Gives an index to each peer in a list that has none, queues it, and sorts the list. */
static int index_list(struct ftree *tree, topomap_known *known, uint32_t at, struct list list,
                      uint32_t rank, uint32_t place, uint32_t *end, topomap_error *err)
{
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t peer = group_at(tree, list, i)->peer;

        if (tree->node[peer].has_index)
            continue;
        if (give_index(tree, known, peer, at, rank, place, err))
            return -1;
        tree->queue[(*end)++] = peer;
    }
    sort_list(tree, list, UP); /* no route is counted yet: by the indexes alone */
    return 0;
}

/* Indexes all switches that a leaf reaches by going up and down. */
static int index_switches(struct ftree *tree, uint32_t leaf, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_known_clear) topomap_known known = {0};
    uint32_t end = 1, number;
    uint64_t index = (uint64_t)tree->leaf_rank << 56;

    for (uint32_t place = tree->leaf_rank + 1; place < LEVELS; place++)
        index |= (uint64_t)NO_DIGIT << 8 * (LEVELS - 1 - place);
    for (uint32_t i = 0; i < tree->subnet->count; i++)
        tree->node[i].index = UINT64_MAX;
    tree->node[leaf].index = index;
    tree->node[leaf].has_index = 1;
    tree->queue[0] = leaf;
    if (topomap_known_number(&known, &index, sizeof index, &number, err))
        return -1;
    for (uint32_t first = 0; first < end; first++) {
        uint32_t at = tree->queue[first], rank = tree->rank[at];

        if (rank < tree->leaf_rank &&
            index_list(tree, &known, at, tree->node[at].down, rank + 1, rank + 1, &end, err))
            return -1;
        if (rank && index_list(tree, &known, at, tree->node[at].up, rank - 1, rank, &end, err))
            return -1;
    }
    return 0;
}

/* Lists the switches of the lowest level by index, from the first to the last one with hosts.
 * Returns how many there are, 0 if fewer than two of them have hosts.
 * \param leaf  [switches] out: a is the switch
 * \param from  out: the first one in leaf[] */
static uint32_t list_leaves(const struct ftree *tree, topomap_keyed *leaf, uint32_t *from)
{
    uint32_t count = 0, last = 0;

    *from = OPENSM_NONE;
    for (uint32_t i = 0; i < tree->subnet->count; i++)
        if (tree->rank[i] == tree->leaf_rank) {
            uint64_t index = tree->node[i].index;

            leaf[count++] = (topomap_keyed){index > INT64_MAX ? INT64_MAX : (int64_t)index, i, 0};
        }
    qsort(leaf, count, sizeof *leaf, topomap_keyed_order);
    for (uint32_t i = 0; i < count; i++)
        if (tree->node[leaf[i].a].hosts) {
            *from = *from == OPENSM_NONE ? i : *from;
            last = i;
        }
    return last > *from ? last - *from + 1 : 0;
}

/* ---- Refusals ---------------------------------------------------------------------------- */

/* Whether a switch has as many groups, of as many cables, as the first switch of its rank. */
static int is_alike(const struct ftree *tree, uint32_t model, uint32_t at)
{
    const struct ftree_switch *first = &tree->node[model], *node = &tree->node[at];

    if (node->up.count != first->up.count)
        return 0;
    for (uint32_t i = 0; i < node->up.count; i++)
        if (group_at(tree, node->up, i)->cables != group_at(tree, first->up, 0)->cables)
            return 0;
    if (tree->rank[at] == tree->leaf_rank)
        return 1;
    return node->down.count == first->down.count &&
           (!node->down.count ||
            group_at(tree, node->down, 0)->cables == group_at(tree, first->down, 0)->cables);
}

static int is_regular(const struct ftree *tree)
{
    uint32_t model[LEVELS];

    memset(model, 0xff, sizeof model);
    for (uint32_t i = 0; i < tree->subnet->count; i++) {
        uint32_t rank = tree->rank[i];

        if (rank == OPENSM_NO_PATH)
            continue;
        if (model[rank] == OPENSM_NONE)
            model[rank] = i;
        else if (!is_alike(tree, model[rank], i))
            return 0;
    }
    return 1;
}

/* OpenSM sorts the hosts of a leaf with siblings by a comparison that reads beyond them. */
static int check_leaves(const struct ftree *tree, topomap_error *err)
{
    for (uint32_t i = 0; i < tree->subnet->count; i++)
        if (tree->node[i].hosts && tree->node[i].sibling.count)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "a cable joins the switch with GUID 0x%016" PRIx64
                                     " to another leaf switch: OpenSM's ftree sets tables there "
                                     "that cannot be predicted",
                                     tree->subnet->node[i].guid);
    return 0;
}

/* ---- Routes ------------------------------------------------------------------------------ */

static void set_entry(struct ftree *tree, uint32_t lid, uint32_t port, uint32_t hops)
{
    const topomap_opensm_subnet *subnet = tree->subnet;
    uint32_t peer = subnet->port[port].peer;

    subnet->table[peer][lid] = subnet->port[subnet->port[port].back].number;
    tree->hops[peer] = (uint8_t)hops;
}

/* Makes routes to a destination, which `at` is `hops` away from, on the switches below `at` but
 * `from`. Returns nonzero if there are hosts below.
 * The depth is bounded: each call has more hops, which stay below OPENSM_NO_PATH. */
static int go_down(struct ftree *tree, uint32_t at, uint32_t from, uint32_t lid, uint32_t hops)
{
    const struct list lists[] = {tree->node[at].down, tree->node[at].sibling};
    int has_hosts = tree->node[at].hosts > 0;

    if (!has_hosts && !lists[0].count)
        return 0;
    sort_list(tree, lists[0], UP);
    sort_list(tree, lists[1], UP);
    for (uint32_t l = 0; l < (lid ? 2 : 1); l++)
        for (uint32_t i = 0; i < lists[l].count; i++) {
            struct group *group = group_at(tree, lists[l], i);
            uint32_t port = least_used(tree, group, UP);

            if (group->peer == from || hops + 1 >= tree->hops[group->peer])
                continue;
            set_entry(tree, lid, port, hops + 1);
            if (go_down(tree, group->peer, OPENSM_NONE, lid, hops + 1)) {
                has_hosts = 1;
                count_route(tree, group, port, UP);
            }
        }
    return has_hosts;
}

/* Makes routes to a destination, which `at` is `hops` away from, on the switches below and above
 * `at`, with the exception of `from`. The main route, by the first group, is the one that counts.
 * Returns nonzero if a route passes a switch with hosts below. The depth is bounded likewise. */
static int go_up(struct ftree *tree, uint32_t at, uint32_t from, uint32_t lid, int is_main,
                 uint32_t hops)
{
    struct list up = tree->node[at].up, sibling = tree->node[at].sibling;
    int has_hosts = go_down(tree, at, from, lid, hops);
    struct group *first;

    if (!tree->rank[at])
        return has_hosts;
    sort_list(tree, up, DOWN);
    first = group_at(tree, up, 0);
    for (uint32_t i = 0; i < up.count; i++) {
        struct group *group = group_at(tree, up, i);
        uint32_t port = least_used(tree, group, DOWN);
        int counts = is_main && group == first, nearer = hops + 1 < tree->hops[group->peer];

        if (counts)
            count_route(tree, group, port, DOWN);
        if (nearer)
            set_entry(tree, lid, port, hops + 1);
        if (counts || nearer)
            has_hosts |= go_up(tree, group->peer, at, lid, counts, hops + 1);
    }
    sort_list(tree, sibling, DOWN);
    for (uint32_t i = 0; i < sibling.count; i++) {
        struct group *group = group_at(tree, sibling, i);
        uint32_t port = least_used(tree, group, DOWN);

        if (hops + 1 >= tree->hops[group->peer])
            continue;
        set_entry(tree, lid, port, hops + 1);
        if (go_up(tree, group->peer, at, lid, 0, hops + 1)) {
            has_hosts = 1;
            count_route(tree, first, port, DOWN);
        }
    }
    return has_hosts;
}

/* Makes the routes to a destination at a switch; those to LID 0 are only counted. */
static void route_to(struct ftree *tree, uint32_t at, uint32_t lid, int is_main, uint32_t hops)
{
    memset(tree->hops, OPENSM_NO_PATH, tree->subnet->count);
    tree->hops[at] = (uint8_t)hops;
    go_up(tree, at, OPENSM_NONE, lid, is_main, hops);
}

/* Routes to the hosts of a leaf, and to LID 0 as often as it has fewer than `most` hosts. */
static void route_hosts(struct ftree *tree, uint32_t leaf, uint32_t most)
{
    topomap_opensm_subnet *subnet = tree->subnet;

    for (uint32_t p = subnet->node[leaf].first; p < subnet->node[leaf + 1].first; p++) {
        uint32_t lid;

        if (!subnet->port[p].is_host)
            continue;
        lid = subnet->end[subnet->port[p].end].lid;
        subnet->table[leaf][lid] = subnet->port[p].number;
        route_to(tree, leaf, lid, 1, 1);
    }
    for (uint32_t i = tree->node[leaf].hosts; i < most; i++)
        route_to(tree, leaf, 0, 1, 1);
}

static void route_all(struct ftree *tree, const topomap_keyed *leaf, uint32_t leaves)
{
    topomap_opensm_subnet *subnet = tree->subnet;
    uint32_t most = 0;

    for (uint32_t i = 0; i < leaves; i++)
        if (tree->node[leaf[i].a].hosts > most)
            most = tree->node[leaf[i].a].hosts;
    for (uint32_t i = 0; i < leaves; i++)
        route_hosts(tree, leaf[i].a, most);
    for (uint32_t i = 0; i < subnet->count; i++) {
        uint32_t lid = subnet->node[i].lid;

        subnet->table[i][0] = TOPOMAP_NO_PORT;
        if (tree->rank[i] == OPENSM_NO_PATH || !lid)
            continue;
        subnet->table[i][lid] = 0;
        route_to(tree, i, lid, 0, 0);
    }
}

/* ---- The engine -------------------------------------------------------------------------- */

static int route_ftree(topomap_opensm_subnet *subnet, topomap_error *err)
{
    struct ftree tree = {.subnet = subnet};
    topomap_arena *arena = &subnet->arena;
    topomap_keyed *leaf = topomap_arena_alloc(arena, subnet->count, sizeof *leaf, err);
    uint32_t first = 0, leaves;

    tree.node = topomap_arena_alloc(arena, subnet->count, sizeof *tree.node, err);
    tree.rank = topomap_arena_alloc(arena, subnet->count, sizeof *tree.rank, err);
    tree.hops = topomap_arena_alloc(arena, subnet->count, sizeof *tree.hops, err);
    tree.queue = topomap_arena_alloc(arena, subnet->count, sizeof *tree.queue, err);
    tree.cable = topomap_arena_alloc(arena, subnet->ports, sizeof *tree.cable, err);
    tree.group = topomap_arena_alloc(arena, subnet->ports, sizeof *tree.group, err);
    tree.order = topomap_arena_alloc(arena, subnet->ports, sizeof *tree.order, err);
    if (arena->is_short)
        return -1;
    if (subnet->lmc || subnet->joins_hosts || subnet->count < 2 || count_hosts(&tree) < 2 ||
        !rank_switches(&tree))
        return 1;
    for (uint32_t p = 0; p < subnet->ports; p++)
        tree.cable[p].next = OPENSM_NONE;
    for (uint32_t i = 0; i < subnet->count; i++)
        if (tree.rank[i] != OPENSM_NO_PATH) {
            tree.node[i].up = list_groups(&tree, i, -1);
            tree.node[i].down = list_groups(&tree, i, 1);
            tree.node[i].sibling = list_groups(&tree, i, 0);
        }
    while (!tree.node[first].hosts)
        first++;
    if (index_switches(&tree, first, err))
        return -1;
    leaves = list_leaves(&tree, leaf, &first);
    if (!leaves || !is_regular(&tree))
        return 1;
    if (check_leaves(&tree, err))
        return -1;
    route_all(&tree, leaf + first, leaves);
    return 0;
}

const topomap_opensm_engine topomap_opensm_ftree = {
    "ftree", "shifted routes of a fat tree; refuses where the tree lacks cables between switches",
    route_ftree};
