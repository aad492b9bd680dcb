/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: what each sends whenever it is started. */
#include <stdlib.h>

#include "profile.h"
#include "table.h"

#ifdef PROFILE_MPI_ABI
#define PMPI_Request_f2c PMPI_Request_fromint
#endif

typedef struct request {
    uint64_t key;
    profile_message *message;
    uint32_t count;
} request;

static profile_table by_key;
static request *requests;
static uint32_t used, size;

#define KEY(handle) ((uint64_t)(uintptr_t)(handle))

static request *find(uint64_t key)
{
    uint32_t i = profile_table_find(&by_key, key);

    return i == PROFILE_NONE ? NULL : &requests[i];
}

/* The last one takes the room of the one that goes. */
static void forget(uint64_t key)
{
    request *r = find(key), *last;

    if (!r)
        return;
    free(r->message);
    profile_table_remove(&by_key, key);
    last = &requests[--used];
    if (r != last) {
        *r = *last;
        *profile_table_at(&by_key, r->key) = (uint32_t)(r - requests);
    }
}

static void keep(uint64_t key, profile_message *own, uint32_t count)
{
    uint32_t *at;

    forget(key); /* an MPI that freed it otherwise may use the handle again */
    if (!own || !profile_grow(&requests, &size, used, sizeof *requests) ||
        !(at = profile_table_at(&by_key, key))) {
        free(own);
        return;
    }
    *at = used;
    requests[used++] = (request){key, own, count};
}

void profile_keep(MPI_Request handle)
{
    uint32_t count;
    profile_message *own = profile_capture_end(&count);

    if (!count)
        return;
    if (!profile_lock()) {
        free(own);
        return;
    }
    keep(KEY(handle), own, count);
    profile_unlock();
}

void profile_start(MPI_Request handle)
{
    const request *r;

    if (!profile_lock())
        return;
    r = find(KEY(handle));
    for (uint32_t i = 0; r && i < r->count; i++)
        profile_count(r->message[i].record, r->message[i].bytes, r->message[i].messages);
    profile_unlock();
}

void profile_startall(int count, profile_array handles)
{
    for (int i = 0; i < count; i++)
        profile_start(handles.fortran ? PMPI_Request_f2c(((const MPI_Fint *)handles.at)[i])
                                      : ((const MPI_Request *)handles.at)[i]);
}

void profile_forget_request(MPI_Request handle)
{
    if (!profile_lock())
        return;
    forget(KEY(handle));
    profile_unlock();
}

void profile_end_requests(void)
{
    for (uint32_t i = 0; i < used; i++)
        free(requests[i].message);
    free(requests);
    requests = NULL;
    used = size = 0;
    profile_table_clear(&by_key);
}
