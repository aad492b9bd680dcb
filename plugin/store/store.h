/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiles that a user's programs have left: what --topomap=auto places them with.
 *
 *     ROOT/profiles/KEY.tmg      the communication graph
 *     ROOT/profiles/KEY.old.tmg  the one before it, where it was profiled again
 *     ROOT/profiles/KEY.meta     lines "name value": whose it is, and how often it was used
 *     ROOT/run/JOB.STEP-XXXXXX/  a step that is being profiled: what its nodes leave (part.NODE,
 *                                lib/graph/formats/parts.h), profile.tmg of them, and whose profile
 * it is (entry, lines as in .meta); entry.taken while it is taken in
 *
 *     ROOT/programs/KEY          what was costly to find out about a program (memo.h)
 *     ROOT/records/              records of plans, where the site's folder does not serve
 * (record.h) ROOT/.../.tidy             what keeps a folder within its limits (sweep.h)
 *
 * ROOT is the user's number in a folder of the site's, where that is the user's own, else
 * $XDG_CACHE_HOME/topomap, else ~/.cache/topomap. Every file appears whole, by rename, so that jobs
 * at once need no lock; the last one's profile stays. A file that is missing or damaged costs a
 * profile, nothing else. */
#ifndef TOPOMAP_STORE_H
#define TOPOMAP_STORE_H

#include "plugin/store/place.h"
#include "topomap/topomap.h"

enum { STORE_KEY = 16, STORE_PATH = 4096 };

#define STORE_BYTES ((uint64_t)128 << 20) /* of all profiles, where nobody says otherwise */
#define STORE_ENTRIES 1024

typedef struct store {
    char root[STORE_ROOT]; /* not yet there, it may be */
    int is_site;
    char note[STORE_NOTE]; /* why it is not in the site's folder, where one was named; or "" */
    uint64_t most;         /* bytes; the profiles that were not used for longest go */
} store;

/** One program at one size. */
typedef struct store_entry {
    char key[STORE_KEY + 1]; /* of family and ranks */
    char program[128];       /* its name, for people */
    char words[256];         /* its arguments, or the user's key, for people; cut */
    uint64_t id, family;     /* of the program; of the program and its words */
    uint32_t ranks;
    int64_t made;      /* when it was profiled, seconds since 1970; 0: not yet */
    uint32_t launches; /* placed with it since */
    uint32_t profiles; /* how often it was profiled */
    uint32_t tries;    /* profiled launches since then that left no profile */
    int has_graph, has_before;
    uint64_t bytes; /* on disk */
    int64_t used;   /* when last, seconds since 1970 */
} store_entry;

/** Finds the root. In the site's folder the user's own is made; else nothing is.
 *  \param site  an absolute folder with one for each user, or NULL. Where it does not serve, the
 *      user's own place does, and found->note says why
 *  Fails where there is no home, or what is there is another user's. */
int store_open(const char *site, store *found, topomap_error *err);
/** All that the user may have profiles in: the site's folder, if there is one of the user's in it,
 *  then the user's own place. Makes nothing. \return how many, or -1 */
int store_open_all(const char *site, store found[2], topomap_error *err);

/** Fills the names of an entry: family, key, ranks, program, words.
 *  \param words  its arguments, NULL after the last; or, with \p key, what the user calls it */
void store_entry_name(store_entry *entry, const char *program, uint64_t id, char *const *words,
                      const char *key, uint32_t ranks);
/** Reads what is stored under entry->key. \return 1: there is an entry (perhaps without a graph),
 * 0: none; then the rest of \p entry is as it was */
int store_entry_read(const store *store, store_entry *entry);
/** Writes its counts and times. */
int store_entry_write(const store *store, const store_entry *entry, topomap_error *err);
/** The path of its graph, or of the one before. Cut where it is too long. */
void store_graph_path(const store *store, const char *key, int before, char path[STORE_PATH]);
/** Removes the entry. \return 1: it was there */
int store_remove(const store *store, const char *key);
/** Removes the graphs alone, where they turned out to be damaged. */
void store_remove_graphs(const store *store, const char *key);

/** All entries, those used last first. \p list ends with free(). */
int store_list(const store *store, store_entry **list, size_t *count, topomap_error *err);
/** An entry with a graph of the same family at another number of ranks, the nearest below, else the
 *  nearest above; of a very large store among the first 512. \return 1: found */
int store_other_size(const store *store, const store_entry *wanted, store_entry *found);

/** A new folder for a step that is to be profiled, with all that store_run_fold() needs.
 *  \param entry  whose profile it will be
 *  \param folder  its path; ends with free(). Nothing is left where this fails. */
int store_run_begin(const store *store, uint32_t job, uint32_t step, const store_entry *entry,
                    char **folder, topomap_error *err);
/** Takes the profile out of the folder of a run that is over, if there is a whole one, and removes
 *  the folder; then the oldest entries, where the store has grown too large. Of several that do so
 *  at once one does it.
 *  \param entry  as the folder's own file says, its counts brought up to date; without a key where
 *      the folder is gone: another one has taken it
 *  \return 1: there is a new profile; 0: the step left none, or \p why it cannot be stored */
int store_run_fold(const store *store, const char *folder, store_entry *entry, topomap_error *why);
/** The same for whoever began the run and still has its entry. */
int store_run_end(const store *store, const char *folder, store_entry *entry, topomap_error *why);
/** Folds runs of srun's that were killed: those that have left a whole profile, or all parts of
 * one, where these are few. Each call looks at \p most folders of runs, and at no more. \return how
 * many profiles are new; \p why of the last one that was not taken */
int store_fold_some(const store *store, unsigned most, topomap_error *why);

/** The profile of a step, in its folder; beside it are its parts (join.h). */
#define STORE_RUN_FILE "profile.tmg"

#endif
