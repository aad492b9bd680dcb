/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* Two hash tables, both linear in the partners that a process really has: (communicator, rank) to
 * the record, which a message of a known pair meets first; and world rank to the record. */
typedef struct entry {
    uint64_t key; /* 0: free */
    uint32_t record;
} entry;

typedef struct table {
    entry *entry;
    uint32_t size, used; /* size is a power of two */
} table;

/* A communicator or a window that has been seen. */
typedef struct place {
    uint64_t handle;
    int is_window, id;
    int world; /* its ranks are those of MPI_COMM_WORLD */
    MPI_Group group;
} place;

/* One message of a persistent request. */
typedef struct kept {
    uint32_t record;
    uint64_t bytes, messages;
} kept;

typedef struct persistent {
    MPI_Request request;
    kept *kept;
    uint32_t count;
} persistent;

enum { NOBODY = UINT32_MAX };

int profile_on;

static struct {
    pthread_mutex_t mutex;
    int threads, full; /* full: memory ran out, and something is missing */
    table by_pair, by_world;
    profile_record *record;
    uint32_t records, records_size;
    place *place;
    uint32_t places, places_size, last; /* last: the place used last */
    int next_id;
    MPI_Group world;
    persistent *persistent;
    uint32_t persistents, persistents_size;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static __thread struct {
    int on;
    kept *kept;
    uint32_t count, size;
} capture;

static void lock(void)
{
    if (state.threads)
        pthread_mutex_lock(&state.mutex);
}

static void unlock(void)
{
    if (state.threads)
        pthread_mutex_unlock(&state.mutex);
}

/* Room for one more element; 0 without memory. */
static int grow(void *array, uint32_t *size, uint32_t used, size_t element)
{
    void **at = array, *grown;
    uint32_t wanted = *size ? *size * 2 : 16;

    if (used < *size)
        return 1;
    grown = wanted > *size ? realloc(*at, wanted * element) : NULL;
    if (!grown) {
        state.full = 1;
        return 0;
    }
    *at = grown;
    *size = wanted;
    return 1;
}

static uint32_t slot_of(const table *t, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 32) & (t->size - 1);

    while (t->entry[i].key && t->entry[i].key != key)
        i = (i + 1) & (t->size - 1);
    return i;
}

static int rehash(table *t)
{
    table larger = {.size = t->size ? t->size * 2 : 64, .used = t->used};

    larger.entry = calloc(larger.size, sizeof *larger.entry);
    if (!larger.entry) {
        state.full = 1;
        return 0;
    }
    for (uint32_t i = 0; i < t->size; i++)
        if (t->entry[i].key)
            larger.entry[slot_of(&larger, t->entry[i].key)] = t->entry[i];
    free(t->entry);
    *t = larger;
    return 1;
}

/* The entry of a key, new (record NOBODY) where there was none; NULL without memory. */
static entry *look_up(table *t, uint64_t key)
{
    entry *e;

    if (t->used * 2 >= t->size && !rehash(t))
        return NULL;
    e = &t->entry[slot_of(t, key)];
    if (!e->key) {
        e->key = key;
        e->record = NOBODY;
        t->used++;
    }
    return e;
}

/* The place of a handle, at the place used last or by search: programs have few at a time. */
static place *find_place(uint64_t handle, int is_window)
{
    if (state.last < state.places && state.place[state.last].handle == handle &&
        state.place[state.last].is_window == is_window)
        return &state.place[state.last];
    for (uint32_t i = 0; i < state.places; i++)
        if (state.place[i].handle == handle && state.place[i].is_window == is_window) {
            state.last = i;
            return &state.place[i];
        }
    return NULL;
}

static place *new_place(uint64_t handle, int is_window, MPI_Group group)
{
    place *p;
    int same;

    if (!grow(&state.place, &state.places_size, state.places, sizeof *state.place)) {
        PMPI_Group_free(&group);
        return NULL;
    }
    p = &state.place[state.places];
    *p = (place){.handle = handle, .is_window = is_window, .id = ++state.next_id, .group = group};
    p->world = PMPI_Group_compare(group, state.world, &same) == MPI_SUCCESS && same == MPI_IDENT;
    state.last = state.places++;
    return p;
}

/* Handles are pointers in Open MPI and integers in MPICH. */
#define HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

static place *place_of_comm(MPI_Comm comm)
{
    place *p = find_place(HANDLE(comm), 0);
    MPI_Group group;
    int inter = 0;

    if (p)
        return p;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
        (inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group)) !=
            MPI_SUCCESS)
        return NULL;
    return new_place(HANDLE(comm), 0, group);
}

static place *place_of_window(MPI_Win win)
{
    place *p = find_place(HANDLE(win), 1);
    MPI_Group group;

    if (p)
        return p;
    if (PMPI_Win_get_group(win, &group) != MPI_SUCCESS)
        return NULL;
    return new_place(HANDLE(win), 1, group);
}

static uint32_t record_of_world(int partner)
{
    entry *e = look_up(&state.by_world, (uint64_t)partner + 1);

    if (!e || e->record != NOBODY)
        return e ? e->record : NOBODY;
    if (!grow(&state.record, &state.records_size, state.records, sizeof *state.record))
        return NOBODY;
    state.record[state.records] = (profile_record){.partner = partner};
    return e->record = state.records++;
}

static uint32_t record_of(place *p, int rank)
{
    int partner = MPI_UNDEFINED;
    entry *e;

    if (!p || rank < 0)
        return NOBODY;
    if (p->world)
        return record_of_world(rank);
    e = look_up(&state.by_pair, ((uint64_t)p->id << 32) | ((uint32_t)rank + 1));
    if (!e || e->record != NOBODY)
        return e ? e->record : NOBODY;
    if (PMPI_Group_translate_ranks(p->group, 1, &rank, state.world, &partner) != MPI_SUCCESS ||
        partner == MPI_UNDEFINED)
        return NOBODY;
    return e->record = record_of_world(partner);
}

static void add(uint32_t record, uint64_t bytes, uint64_t messages)
{
    if (record == NOBODY)
        return;
    if (!capture.on) {
        state.record[record].bytes_out += bytes;
        state.record[record].messages_out += messages;
        return;
    }
    if (grow(&capture.kept, &capture.size, capture.count, sizeof *capture.kept))
        capture.kept[capture.count++] = (kept){record, bytes, messages};
}

void profile_add(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages)
{
    if (rank == MPI_PROC_NULL)
        return;
    lock();
    add(record_of(place_of_comm(comm), rank), bytes, messages);
    unlock();
}

void profile_add_window(MPI_Win win, int rank, uint64_t out, uint64_t in)
{
    uint32_t record;

    if (rank == MPI_PROC_NULL)
        return;
    lock();
    record = record_of(place_of_window(win), rank);
    if (record != NOBODY) {
        state.record[record].bytes_out += out;
        state.record[record].messages_out += out > 0;
        state.record[record].bytes_in += in;
        state.record[record].messages_in += in > 0;
    }
    unlock();
}

void profile_capture(void)
{
    capture.on = 1;
    capture.count = 0;
}

static persistent *find_request(MPI_Request request)
{
    for (uint32_t i = 0; i < state.persistents; i++)
        if (state.persistent[i].request == request)
            return &state.persistent[i];
    return NULL;
}

void profile_keep(MPI_Request request)
{
    kept *own = NULL;

    capture.on = 0;
    if (capture.count == 0)
        return;
    own = malloc(capture.count * sizeof *own);
    if (own)
        memcpy(own, capture.kept, capture.count * sizeof *own);
    lock();
    if (!own || !grow(&state.persistent, &state.persistents_size, state.persistents,
                      sizeof *state.persistent)) {
        state.full = 1;
        free(own);
    } else
        state.persistent[state.persistents++] = (persistent){request, own, capture.count};
    unlock();
}

void profile_start(MPI_Request request)
{
    const persistent *p;

    lock();
    p = find_request(request);
    for (uint32_t i = 0; p && i < p->count; i++) {
        state.record[p->kept[i].record].bytes_out += p->kept[i].bytes;
        state.record[p->kept[i].record].messages_out += p->kept[i].messages;
    }
    unlock();
}

void profile_startall(int count, profile_array requests)
{
    for (int i = 0; i < count; i++)
        profile_start(requests.fortran ? PMPI_Request_f2c(((const MPI_Fint *)requests.at)[i])
                                       : ((const MPI_Request *)requests.at)[i]);
}

void profile_forget_request(MPI_Request request)
{
    persistent *p;

    lock();
    p = find_request(request);
    if (p) {
        free(p->kept);
        *p = state.persistent[--state.persistents];
    }
    unlock();
}

static void forget(uint64_t handle, int is_window)
{
    place *p;

    lock();
    p = find_place(handle, is_window);
    if (p) {
        PMPI_Group_free(&p->group);
        *p = state.place[--state.places];
    }
    unlock();
}

void profile_forget_comm(MPI_Comm comm)
{
    forget(HANDLE(comm), 0);
}

void profile_forget_win(MPI_Win win)
{
    forget(HANDLE(win), 1);
}

int profile_begin(int threads)
{
    state.threads = threads;
    if (PMPI_Comm_group(MPI_COMM_WORLD, &state.world) != MPI_SUCCESS ||
        !place_of_comm(MPI_COMM_WORLD))
        return -1;
    profile_on = 1;
    return 0;
}

static int by_partner(const void *a, const void *b)
{
    int x = ((const profile_record *)a)->partner, y = ((const profile_record *)b)->partner;

    return (x > y) - (x < y);
}

const profile_record *profile_records(size_t *count)
{
    profile_on = 0; /* sorted, the tables' indices are void */
    if (state.records)
        qsort(state.record, state.records, sizeof *state.record, by_partner);
    *count = state.records;
    return state.record;
}

void profile_end(void)
{
    profile_on = 0;
    for (uint32_t i = 0; i < state.places; i++)
        PMPI_Group_free(&state.place[i].group);
    PMPI_Group_free(&state.world);
    for (uint32_t i = 0; i < state.persistents; i++)
        free(state.persistent[i].kept);
    free(state.persistent);
    free(state.place);
    free(state.record);
    free(state.by_pair.entry);
    free(state.by_world.entry);
    state.persistent = NULL;
    state.place = NULL;
    state.record = NULL;
    state.by_pair = state.by_world = (table){0};
    state.persistents = state.places = state.records = 0;
}
