/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/closeness.h"

#include <stddef.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* Of an odd allocation most are refused at one of the first nodes; of a cube of four dimensions
 * that is whole there are 384. */
enum { MOST_LOOKS = 512 };

typedef struct topomap_seat {
    uint64_t router;
    uint32_t slots, node;
} seat;

TOPOMAP_COMPARE(by_place, seat, TOPOMAP_ORDER(x->router, y->router),
                TOPOMAP_ORDER(x->slots, y->slots) ?: TOPOMAP_ORDER(x->node, y->node))

/* Are a box's routers few enough for numbers? */
static int is_numbered(const topomap_machine *m)
{
    uint64_t routers = 1;

    for (uint32_t d = 0; d < m->dims; d++) {
        routers *= m->dim[d];
        if (routers > UINT32_MAX)
            return 0;
    }
    return 1;
}

int topomap_symmetries_open(const topomap_machine *m, uint32_t from, uint32_t to,
                            topomap_symmetries *s, topomap_error *err)
{
    const uint32_t *first = m->slot_first;

    *s = (topomap_symmetries){.machine = m, .from = from, .to = to, .done = 1};
    if (m->kind != TOPOMAP_MACHINE_TORUS || !is_numbered(m) ||
        first[from + 1] - first[from] != first[to + 1] - first[to] ||
        first[from + 1] == first[from])
        return 0;
    s->seat = topomap_alloc(m->nodes, sizeof *s->seat, err);
    if (!s->seat)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        if (first[i + 1] > first[i])
            s->seat[s->seats++] = (seat){topomap_torus_router(m, m->coord + (size_t)i * m->dims),
                                         first[i + 1] - first[i], i};
    qsort(s->seat, s->seats, sizeof *s->seat, by_place);
    topomap_identity(s->axis, m->dims);
    s->done = 0;
    return 0;
}

void topomap_symmetries_close(topomap_symmetries *s)
{
    free(s->seat);
    *s = (topomap_symmetries){0};
}

static int axes_fit(const topomap_symmetries *s)
{
    const topomap_machine *m = s->machine;

    for (uint32_t d = 0; d < m->dims; d++)
        if (m->dim[s->axis[d]] != m->dim[d] || m->wrap[s->axis[d]] != m->wrap[d])
            return 0;
    return 1;
}

static void advance(topomap_symmetries *s)
{
    if (++s->turned < 1u << s->machine->dims)
        return;
    s->turned = 0;
    do
        s->done = !topomap_next_order(s->axis, s->machine->dims);
    while (!s->done && !axes_fit(s));
}

static int is_turned(const topomap_symmetries *s, uint32_t d)
{
    return s->turned >> d & 1;
}

/* How far each dimension is moved so that the node comes to where it is to be; 0 where it does not,
 * or where another one does the same. */
static int shifts(const topomap_symmetries *s, uint32_t *shift)
{
    const topomap_machine *m = s->machine;
    const uint16_t *from = m->coord + (size_t)s->from * m->dims;
    const uint16_t *to = m->coord + (size_t)s->to * m->dims;

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t size = m->dim[d], at = from[s->axis[d]];

        if (is_turned(s, d))
            at = size - 1 - at;
        shift[d] = (to[d] + size - at) % size;
        if ((shift[d] && !m->wrap[d]) || (is_turned(s, d) && size <= (m->wrap[d] ? 2 : 1)))
            return 0;
    }
    return 1;
}

static uint64_t router_after(const topomap_symmetries *s, const uint32_t *shift, uint32_t node)
{
    const topomap_machine *m = s->machine;
    const uint16_t *at = m->coord + (size_t)node * m->dims;
    uint16_t to[TOPOMAP_MACHINE_DIMS];

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t size = m->dim[d], x = at[s->axis[d]];

        to[d] = (uint16_t)(((is_turned(s, d) ? size - 1 - x : x) + shift[d]) % size);
    }
    return topomap_torus_router(m, to);
}

/* The first seat at a router; `seats` where nodes there have no slots. */
static uint32_t first_at(const topomap_symmetries *s, uint64_t router)
{
    size_t low = topomap_sorted_rows(s->seat, s->seats, sizeof *s->seat, offsetof(seat, router),
                                     (int64_t)router);

    return low < s->seats && s->seat[low].router == router ? (uint32_t)low : s->seats;
}

static uint32_t count_at(const topomap_symmetries *s, uint32_t first)
{
    uint32_t count = 1;

    while (first + count < s->seats && s->seat[first + count].router == s->seat[first].router)
        count++;
    return count;
}

/* The nodes of one router to those of another one, each to one of its size. */
static int seat_all(const topomap_symmetries *s, uint32_t first, uint32_t count, uint32_t other,
                    uint32_t *node_to)
{
    if (other == s->seats || count_at(s, other) != count)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (s->seat[first + i].slots != s->seat[other + i].slots)
            return 0;
        node_to[s->seat[first + i].node] = s->seat[other + i].node;
    }
    return 1;
}

static int try_on(const topomap_symmetries *s, const uint32_t *shift, uint32_t *node_to)
{
    uint32_t nodes = s->machine->nodes, count;

    topomap_identity(node_to, nodes);
    for (uint32_t i = 0; i < s->seats; i += count) {
        count = count_at(s, i);
        if (!seat_all(s, i, count, first_at(s, router_after(s, shift, s->seat[i].node)), node_to))
            return 0;
    }
    /* At its router it may be another node: these are all alike. */
    for (uint32_t i = 0; i < nodes; i++)
        if (node_to[i] == s->to) {
            node_to[i] = node_to[s->from];
            break;
        }
    node_to[s->from] = s->to;
    return 1;
}

int topomap_symmetries_next(topomap_symmetries *s, uint32_t *node_to)
{
    uint32_t shift[TOPOMAP_MACHINE_DIMS];
    int found = 0;

    while (!found && !s->done && s->looked < MOST_LOOKS) {
        if (shifts(s, shift)) {
            s->looked++;
            found = try_on(s, shift, node_to);
        }
        advance(s);
    }
    return found;
}
