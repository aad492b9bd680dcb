/* SPDX-License-Identifier: BSD-3-Clause */
/* Which phase of the program it is. A blocking collective of all ranks that none leaves before all
 * have come to it divides what is before it from what is after it, and all ranks pass the same
 * ones in the same order (MPI 4.1, 6.1 and 6.14): what is counted of them here is the same on every
 * rank, without a word between them. Iterations pass the same ones again: a phase goes by the
 * collective that began it and the one before that, by where they are called and how many bytes
 * they have, in powers of two. (Where all are called in one place, as those of Python and of
 * MPICH's Fortran are, and those that a program has wrapped, it is the sizes and kinds that tell.)
 */
#include <pthread.h>
#include <stdlib.h>

#include "profile.h"
#include "table.h"

enum {
    SLOTS = (PROFILE_PHASES - 1) / 2, /* names that have phases: of the collective, and after it */
    NAMES = 4096
};
#define ODD UINT64_C(0x9e3779b97f4a7c15) /* the golden ratio's digits, as good as random */

typedef struct name {
    uint32_t passed;
    uint32_t slot; /* from 1 on; 0: none, its traffic is in phase 0 */
} name;

static struct {
    profile_table by_key;
    name *name;
    uint32_t names, size;
    uint32_t holder[SLOTS + 1], slots; /* a slot's name */
    uint64_t passed, last;             /* last: the border before */
    pthread_t thread;
    int lost; /* no phases can be told: for want of memory, or threads pass them in any order */
} state;

static uint32_t number_of(uint64_t key)
{
    uint32_t i = profile_table_find(&state.by_key, key), *at;

    if (i != PROFILE_NONE || state.names == NAMES)
        return i;
    if (!profile_grow(&state.name, &state.size, state.names, sizeof *state.name) ||
        !(at = profile_table_at(&state.by_key, key))) {
        state.lost = 1;
        return PROFILE_NONE;
    }
    state.name[state.names] = (name){0, 0};
    return *at = state.names++;
}

/* Of slots' names, the one that was passed least; of those, the one that came first. */
static uint32_t least_slot(void)
{
    uint32_t slot = 1;

    for (uint32_t s = 2; s <= SLOTS; s++) {
        uint32_t a = state.holder[s], b = state.holder[slot];

        if (state.name[a].passed < state.name[b].passed ||
            (state.name[a].passed == state.name[b].passed && a < b))
            slot = s;
    }
    return slot;
}

/* Programs begin with many collectives that never come again: such a one gives way to any other,
 * and one that did come again to what was passed twice as often. So a place changes hands as often
 * as a count can double, and no more. */
static void take_slot(uint32_t number, uint32_t *gone)
{
    name *own = &state.name[number], *least;
    uint32_t slot;

    if (state.slots < SLOTS) {
        own->slot = ++state.slots;
        state.holder[own->slot] = number;
        return;
    }
    slot = least_slot();
    least = &state.name[state.holder[slot]];
    if (least->passed > 1 && own->passed / 2 < least->passed)
        return;
    least->slot = 0;
    own->slot = *gone = slot;
    state.holder[slot] = number;
}

uint32_t profile_phases_pass(const void *site, uint64_t bytes, int threads, uint32_t *gone)
{
    unsigned size = bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
    uint64_t border = (uint64_t)(uintptr_t)site * 128 + size + 1, pair = border + state.last * ODD;
    uint32_t number = number_of(pair ? pair : 1);
    name *own;

    *gone = 0;
    state.last = border;
    if (threads && state.passed && !pthread_equal(state.thread, pthread_self()))
        state.lost = 1;
    state.thread = pthread_self();
    /* A polynomial of the numbers: in another order it is another one. */
    state.passed = (state.passed + number + 1) * ODD + 1;
    if (number == PROFILE_NONE)
        return 0;
    own = &state.name[number];
    if (own->passed < UINT32_MAX)
        own->passed++;
    if (!own->slot && !(own->passed & (own->passed - 1))) /* looked for now and then */
        take_slot(number, gone);
    return own->slot ? 2 * own->slot - 1 : 0;
}

uint64_t profile_phases_passed(void)
{
    return state.lost ? 0 : state.passed;
}

void profile_phases_end(void)
{
    free(state.name);
    profile_table_clear(&state.by_key);
    state.name = NULL;
    state.names = state.size = state.slots = 0;
    state.passed = state.last = 0;
    state.lost = 0;
}
