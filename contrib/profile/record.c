/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdlib.h>

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

int profile_on;

static struct {
    pthread_mutex_t mutex;
    int threads;
    profile_table by_world, by_key; /* world rank to record; handle to place */
    profile_record *record;
    uint32_t records, records_size;
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

    if (found != PROFILE_NONE)
        return found;
    if (!profile_grow(&state.record, &state.records_size, state.records, sizeof *state.record) ||
        !(at = profile_table_at(&state.by_world, (uint64_t)partner + 1))) {
        state.lost = 1;
        return PROFILE_NONE;
    }
    state.record[state.records] = (profile_record){.partner = (uint32_t)partner};
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

void profile_count(uint32_t record, uint64_t bytes, uint64_t messages)
{
    state.record[record].bytes_out += bytes;
    state.record[record].messages_out += messages;
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
    uint32_t record;

    if (rank == MPI_PROC_NULL || !profile_lock())
        return;
    record = record_of(place_of_window(win), rank);
    if (record < STRANGER) {
        state.record[record].bytes_out += out;
        state.record[record].messages_out += out > 0;
        state.record[record].bytes_in += in;
        state.record[record].messages_in += in > 0;
    }
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

static int by_partner(const void *a, const void *b)
{
    uint32_t x = ((const profile_record *)a)->partner, y = ((const profile_record *)b)->partner;

    return (x > y) - (x < y);
}

/* A thread that is still inside MPI must not hold the end up, nor find its records gone. */
static int end_recording(void)
{
    profile_on = 0;
    return state.threads ? pthread_mutex_trylock(&state.mutex) : 0;
}

/* Sorted, the tables' indices are void: whoever gets the lock later finds profile_on 0. */
const profile_record *profile_records(size_t *count, int *whole)
{
    static const profile_record none;

    if (end_recording())
        return NULL;
    if (state.records)
        qsort(state.record, state.records, sizeof *state.record, by_partner);
    *count = state.records;
    *whole = !state.lost;
    profile_unlock();
    return state.records ? state.record : &none;
}

void profile_end(void)
{
    if (end_recording())
        return;
    for (uint32_t i = 0; i < state.places; i++)
        clear_place(&state.place[i]);
    if (state.has_world)
        PMPI_Group_free(&state.world);
    profile_end_requests();
    free(state.place);
    free(state.record);
    profile_table_clear(&state.by_key);
    profile_table_clear(&state.by_world);
    state.place = NULL;
    state.record = NULL;
    state.has_world = 0;
    state.places = state.places_size = state.records = state.records_size = 0;
    profile_unlock();
}
