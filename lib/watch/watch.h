/* SPDX-License-Identifier: BSD-3-Clause */
/* How far something long has come: counters of the caller's. Whoever does the work counts, another
 * thread may look at any time. Everything here takes NULL: nobody looks. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

typedef struct topomap_watch {
    _Atomic(const char *) stage;  /* a constant: "reading"; NULL: nothing has begun */
    _Atomic(const char *) unit;   /* a constant: what is counted; "B" for bytes */
    _Atomic uint64_t done, total; /* total 0: not known */
} topomap_watch;

static inline void topomap_watch_stage(topomap_watch *watch, const char *stage, const char *unit,
                                       uint64_t total)
{
    if (!watch)
        return;
    atomic_store(&watch->done, 0);
    atomic_store(&watch->total, total);
    atomic_store(&watch->unit, unit);
    atomic_store(&watch->stage, stage);
}

static inline void topomap_watch_at(topomap_watch *watch, uint64_t done)
{
    if (watch)
        atomic_store(&watch->done, done);
}

static inline void topomap_watch_add(topomap_watch *watch, uint64_t more)
{
    if (watch)
        atomic_fetch_add(&watch->done, more);
}
