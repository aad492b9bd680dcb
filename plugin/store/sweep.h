/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeping a folder of any size within limits by a little work at a time: each call looks at a few
 * names, from where the last one stopped, and removes what is too old or too much. What it must
 * know for that is in a file of the folder, `.tidy`; whoever comes with an older one of these does
 * what was done already, and nothing worse. */
#ifndef TOPOMAP_STORE_SWEEP_H
#define TOPOMAP_STORE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

enum { STORE_ITEM = 96 };

typedef struct store_item {
    char name[STORE_ITEM];
    int64_t seconds; /* since 1970, when it was made or used last */
    uint64_t bytes;
} store_item;

typedef struct store_broom {
    unsigned most;         /* names that are looked at in one call */
    unsigned days;         /* what is older goes; 0: nothing does for its age */
    uint64_t bytes, count; /* of all; of what is more the oldest go; 0: there is no limit */
    const char *keep;      /* which stays, or NULL */
    /* Looks at a name of the folder. \return 1: it is an item, whose time and bytes are filled; its
     * name is what it was, unless it is filled too; 0: it is none, or is gone */
    int (*look)(int folder, store_item *item, void *context);
    /* NULL: it is a file, which is unlinked */
    void (*remove)(int folder, const store_item *item, void *context);
    void *context;
} store_broom;

/** What most brooms look with: a regular file is an item, of the time when it was written. */
int store_sweep_file(int folder, store_item *item, void *context);

/** A call's part of the work. Nothing is done where the folder cannot be read. */
void store_sweep(int folder, const store_broom *broom);

/** The same for a folder of others', too, whose files this user has a part of: what must be known
 * for it is in another folder. \param notes  that folder, the user's own \param there  what the
 * file system of \p folder says of a file made just now */
void store_sweep_shared(int folder, int notes, int64_t there, const store_broom *broom);

/** The folder's time (folder_time.h), 0: not known. */
int64_t store_sweep_now(int folder);

#endif
