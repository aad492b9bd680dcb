/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "table.h"

/* What a process holds is linear in the partners that it really has, and in the communicators and
 * windows that are there: each of these has a table from its ranks to records, which goes with it.
 */
enum kind { COMM, WINDOW, LOCAL, KINDS }; /* LOCAL: the own group of one between two */

typedef struct place {
    uint64_t key;
    int world; /* its ranks are those of MPI_COMM_WORLD; it has neither group nor table of its own
                */
    MPI_Group group;
    profile_table by_rank; /* to the record, or STRANGER */
} place;

enum { STRANGER = UINT32_MAX - 1 }; /* not in MPI_COMM_WORLD */
enum { SMALL = 4096 };              /* so small a part of a process's bytes is no phase */

int profile_on;

/* For libraries beside this one that would change ranks (contrib/reorder). */
PROFILE_API int topomap_profile_is_on(void);
int topomap_profile_is_on(void)
{
    return profile_on;
}

static struct {
    pthread_mutex_t mutex;
    int threads;
    profile_table by_world, by_key; /* world rank to record; handle to place */
    /* Phase 0 has a record for each partner; the others' have the same numbers, as far as they go.
     * The `phase` of a record is not 0 once it has been used: these are `rows`. */
    struct phase {
        profile_record *record;
        uint32_t size;
    } phase[PROFILE_PHASES];
    uint32_t records, rows, now; /* now: a phase */
    place *place;
    uint32_t places, places_size, last; /* last: the place used last */
    int lost;                           /* something, for want of memory */
    MPI_Group world; /* made when a communicator asks for it: MPICH's is O(ranks) */
    int has_world;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

int profile_lock(void)
{
    if (state.threads)
        pthread_mutex_lock(&state.mutex);
    if (profile_on)
        return 1;
    profile_unlock();
    return 0;
}

void profile_unlock(void)
{
    if (state.threads)
        pthread_mutex_unlock(&state.mutex);
}

/* ---- Communicators and windows ----------------------------------------------------------- */

/* Handles are pointers in Open MPI and integers in MPICH. */
#define KEY(handle, kind) ((uint64_t)(uintptr_t)(handle)*KINDS + (kind))

static place *find_place(uint64_t key)
{
    uint32_t i;

    if (state.last < state.places && state.place[state.last].key == key)
        return &state.place[state.last];
    i = profile_table_find(&state.by_key, key);
    if (i == PROFILE_NONE)
        return NULL;
    state.last = i;
    return &state.place[i];
}

static place *new_place(uint64_t key)
{
    uint32_t *at;

    if (!profile_grow(&state.place, &state.places_size, state.places, sizeof *state.place) ||
        !(at = profile_table_at(&state.by_key, key))) {
        state.lost = 1;
        return NULL;
    }
    *at = state.last = state.places++;
    state.place[*at] = (place){.key = key, .world = 1};
    return &state.place[*at];
}

static int make_world(void)
{
    if (!state.has_world)
        state.has_world = PMPI_Comm_group(MPI_COMM_WORLD, &state.world) == MPI_SUCCESS;
    return state.has_world;
}

/* Of a group, which is the place's from then on. */
static place *new_place_of(uint64_t key, MPI_Group group)
{
    place *p = make_world() ? new_place(key) : NULL;
    int same;

    if (p)
        p->world =
            PMPI_Group_compare(group, state.world, &same) == MPI_SUCCESS && same == MPI_IDENT;
    if (p && !p->world)
        p->group = group;
    else
        PMPI_Group_free(&group);
    return p;
}

static place *place_of_comm(MPI_Comm comm)
{
    uint64_t key = KEY(comm, COMM);
    place *p = find_place(key);
    MPI_Group group;
    int inter = 0;

    if (p)
        return p;
    if (comm == MPI_COMM_WORLD)
        return new_place(key);
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
        (inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group)) !=
            MPI_SUCCESS)
        return NULL;
    return new_place_of(key, group);
}

static place *place_of_local(MPI_Comm comm)
{
    uint64_t key = KEY(comm, LOCAL);
    place *p = find_place(key);
    MPI_Group group;

    return p || PMPI_Comm_group(comm, &group) != MPI_SUCCESS ? p : new_place_of(key, group);
}

static place *place_of_window(MPI_Win win)
{
    uint64_t key = KEY(win, WINDOW);
    place *p = find_place(key);
    MPI_Group group;

    return p || PMPI_Win_get_group(win, &group) != MPI_SUCCESS ? p : new_place_of(key, group);
}

static void clear_place(place *p)
{
    if (!p->world)
        PMPI_Group_free(&p->group);
    profile_table_clear(&p->by_rank);
}

/* The last place takes the room of the one that goes. */
static void forget(uint64_t key)
{
    place *p, *last;

    if (!profile_lock())
        return;
    p = find_place(key);
    if (p) {
        clear_place(p);
        profile_table_remove(&state.by_key, key);
        last = &state.place[--state.places];
        if (p != last) {
            *p = *last;
            *profile_table_at(&state.by_key, p->key) = (uint32_t)(p - state.place);
        }
    }
    profile_unlock();
}

void profile_forget_comm(MPI_Comm comm)
{
    forget(KEY(comm, COMM));
    forget(KEY(comm, LOCAL));
}

void profile_forget_win(MPI_Win win)
{
    forget(KEY(win, WINDOW));
}

/* ---- Partners ---------------------------------------------------------------------------- */

static uint32_t record_of_world(int partner)
{
    uint32_t found = profile_table_find(&state.by_world, (uint64_t)partner + 1), *at;
    struct phase *all = &state.phase[0];

    if (found != PROFILE_NONE)
        return found;
    if (!profile_grow(&all->record, &all->size, state.records, sizeof *all->record) ||
        !(at = profile_table_at(&state.by_world, (uint64_t)partner + 1))) {
        state.lost = 1;
        return PROFILE_NONE;
    }
    all->record[state.records] = (profile_record){.partner = (uint32_t)partner};
    return *at = state.records++;
}

static uint32_t record_of(place *p, int rank)
{
    int partner = MPI_UNDEFINED;
    uint32_t found, *at;

    if (!p || rank < 0)
        return PROFILE_NONE;
    if (p->world)
        return record_of_world(rank);
    found = profile_table_find(&p->by_rank, (uint64_t)rank + 1);
    if (found != PROFILE_NONE)
        return found;
    if (PMPI_Group_translate_ranks(p->group, 1, &rank, state.world, &partner) != MPI_SUCCESS)
        return PROFILE_NONE;
    found = partner == MPI_UNDEFINED ? STRANGER : record_of_world(partner);
    if (found != PROFILE_NONE && (at = profile_table_at(&p->by_rank, (uint64_t)rank + 1)) != NULL)
        *at = found;
    return found;
}

static int grow_phase(struct phase *phase)
{
    uint32_t size = state.phase[0].size;
    profile_record *grown = realloc(phase->record, size * sizeof *grown);

    if (!grown) {
        state.lost = 1;
        return 0;
    }
    memset(grown + phase->size, 0, (size - phase->size) * sizeof *grown);
    phase->record = grown;
    phase->size = size;
    return 1;
}

/* The end of MPI is too late to ask for memory: it is reserved with each row that is used first. */
static __attribute__((noinline)) profile_record *first_use(uint32_t record)
{
    struct phase *now = &state.phase[state.now];

    if (record >= now->size && !grow_phase(now))
        return NULL;
    now->record[record].phase = 1;
    profile_memory_reserve(++state.rows);
    return &now->record[record];
}

/* The partner's record in the current phase; NULL without memory. */
static inline profile_record *record_now(uint32_t record)
{
    const struct phase *now = &state.phase[state.now];

    return record < now->size && now->record[record].phase ? &now->record[record]
                                                           : first_use(record);
}

void profile_count(uint32_t record, uint64_t bytes, uint64_t messages)
{
    profile_record *now = record_now(record);

    if (!now)
        return;
    now->bytes_out += bytes;
    now->messages_out += messages;
}

static void add(place *p, int rank, uint64_t bytes, uint64_t messages)
{
    uint32_t record = record_of(p, rank);

    if (record < STRANGER && !profile_captured(record, bytes, messages))
        profile_count(record, bytes, messages);
}

void profile_add(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages)
{
    if (rank == MPI_PROC_NULL || !profile_lock())
        return;
    add(place_of_comm(comm), rank, bytes, messages);
    profile_unlock();
}

void profile_add_local(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages)
{
    if (!profile_lock())
        return;
    add(place_of_local(comm), rank, bytes, messages);
    profile_unlock();
}

void profile_add_window(MPI_Win win, int rank, uint64_t out, uint64_t in)
{
    profile_record *now;
    uint32_t record;

    if (rank == MPI_PROC_NULL || !profile_lock())
        return;
    record = record_of(place_of_window(win), rank);
    now = record < STRANGER ? record_now(record) : NULL;
    if (now) {
        now->bytes_out += out;
        now->messages_out += out > 0;
        now->bytes_in += in;
        now->messages_in += in > 0;
    }
    profile_unlock();
}

/* ---- Phases ------------------------------------------------------------------------------ */

/* Adds a phase to phase 0. Its memory stays, for the next phase with this number. */
static void drop_phase(uint32_t number)
{
    struct phase *phase = &state.phase[number];

    for (uint32_t i = 0; i < phase->size && i < state.records; i++) {
        const profile_record *r = &phase->record[i];
        profile_record *sum = &state.phase[0].record[i];

        state.rows -= r->phase && sum->phase;
        sum->phase |= r->phase;
        sum->bytes_out += r->bytes_out;
        sum->messages_out += r->messages_out;
        sum->bytes_in += r->bytes_in;
        sum->messages_in += r->messages_in;
    }
    phase->size = 0;
}

void profile_border(MPI_Comm comm, const void *site, MPI_Count elements, MPI_Datatype type)
{
    uint64_t bytes = profile_bytes(elements, type);
    const place *p;
    uint32_t gone;

    if (!profile_lock())
        return;
    p = place_of_comm(comm);
    if (p && p->world) {
        state.now = profile_phases_pass(site, bytes, state.threads, &gone);
        for (uint32_t k = 0; gone && k < 2; k++)
            drop_phase(2 * gone - k);
    }
    profile_unlock();
}

void profile_border_end(void)
{
    if (!profile_lock())
        return;
    state.now += state.now % 2;
    profile_unlock();
}

/* ---- Begin and end ----------------------------------------------------------------------- */

int profile_begin(int threads)
{
    state.threads = threads;
    state.lost = 0;
    if (!place_of_comm(MPI_COMM_WORLD))
        return -1;
    profile_on = 1;
    return 0;
}

static int is_empty(const profile_record *r)
{
    return !(r->bytes_out | r->messages_out | r->bytes_in | r->messages_in);
}

static uint64_t bytes_of(const struct phase *phase)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < phase->size && i < state.records; i++)
        sum += phase->record[i].bytes_out + phase->record[i].bytes_in;
    return sum;
}

/* Programs add up a number in many places, and each would have its partners once more. */
static void drop_small_phases(void)
{
    uint64_t all = 0;

    for (uint32_t k = 0; k < PROFILE_PHASES; k++)
        all += bytes_of(&state.phase[k]);
    for (uint32_t k = 1; k < PROFILE_PHASES; k++)
        if (bytes_of(&state.phase[k]) <= all / SMALL)
            drop_phase(k);
}

/* Copies the rows, partner by partner. \return how many there are; the first \p room are copied */
static size_t copy_rows(profile_record *row, size_t room)
{
    size_t rows = 0;

    for (uint32_t i = 0; i < state.records; i++)
        for (uint32_t k = 0; k < PROFILE_PHASES; k++) {
            const struct phase *phase = &state.phase[k];

            if (i >= phase->size || is_empty(&phase->record[i]))
                continue;
            if (rows < room) {
                row[rows] = phase->record[i];
                row[rows].partner = state.phase[0].record[i].partner;
                row[rows].phase = k;
            }
            rows++;
        }
    return rows;
}

/* A thread that is still inside MPI must not hold the end up, nor find its records gone. */
static int end_recording(void)
{
    profile_on = 0;
    return state.threads ? pthread_mutex_trylock(&state.mutex) : 0;
}

size_t profile_rows(void)
{
    return state.rows;
}

int profile_records(profile_record *row, size_t room, profile_part *part)
{
    size_t rows;

    if (end_recording())
        return -1;
    drop_small_phases();
    part->passed = state.rows > room ? 0 : profile_phases_passed();
    for (uint32_t k = 1; !part->passed && k < PROFILE_PHASES; k++)
        drop_phase(k);
    rows = copy_rows(row, room);
    part->record = row;
    part->count = rows < room ? rows : room;
    part->whole = !state.lost && rows <= room;
    profile_unlock();
    return 0;
}

int profile_end(void)
{
    if (end_recording())
        return -1;
    for (uint32_t i = 0; i < state.places; i++)
        clear_place(&state.place[i]);
    if (state.has_world)
        PMPI_Group_free(&state.world);
    profile_phases_end();
    for (uint32_t k = 0; k < PROFILE_PHASES; k++) {
        free(state.phase[k].record);
        state.phase[k] = (struct phase){0};
    }
    free(state.place);
    profile_table_clear(&state.by_key);
    profile_table_clear(&state.by_world);
    state.place = NULL;
    state.has_world = 0;
    state.places = state.places_size = state.records = state.rows = state.now = 0;
    profile_unlock();
    return 0;
}
