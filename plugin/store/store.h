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
 *     ROOT/programs/KEY          what was costly to find out about a program (program_cache.h), or
 * is known of its runs alone (loaded.h) ROOT/records/              records of plans, where the
 * site's folder does not serve (record.h) ROOT/.../.tidy             what keeps a folder within its
 * limits (sweep.h)
 *
 * ROOT is the user's number in a folder of the site's, where that is the user's own, else
 * $XDG_CACHE_HOME/topomap, else ~/.cache/topomap. Every file appears whole, by rename, so that jobs
 * at once need no lock; the last one's profile stays. A file that is missing or damaged costs a
 * profile, nothing else. */
#ifndef TOPOMAP_STORE_H
#define TOPOMAP_STORE_H

#include "plugin/store/place.h"
#include "topomap/topomap.h"

enum { STORE_KEY = 16, STORE_PATH = 4096, STORE_TIMES = 40 };

#define STORE_BYTES ((uint64_t)128 << 20) /* of all profiles, where nobody says otherwise */
#define STORE_ENTRIES 1024

typedef struct store {
    char root[STORE_ROOT]; /* not yet there, it may be */
    int is_site;
    char note[STORE_NOTE]; /* why it is not in the site's folder, where one was named; or "" */
    uint64_t most;         /* bytes; the profiles that were not used for longest go */
} store;

/** One run that was measured. */
typedef struct store_time {
    int placed; /* by topomap; 0: it ran in Slurm's layout */
    uint32_t nodes;
    uint64_t messages; /* of all ranks */
    double wall, mpi;  /* seconds: of the slowest rank, from MPI_Init to MPI_Finalize; that a rank
                          was inside MPI, on average */
    int64_t when;      /* it ended, seconds since 1970 */
} store_time;

/** Why a program is no longer placed, until it is profiled again. */
enum store_stop {
    STORE_GOES_ON,
    STORE_SLOWER, /* its runs took longer than those in Slurm's layout */
    STORE_WORSE,  /* its messages would have had shorter routes in Slurm's layout */
};

/** One program at one size, in one case. */
typedef struct store_entry {
    char key[STORE_KEY + 1]; /* of family, ranks and case */
    char program[128];       /* its name, for people */
    char words[256];         /* its arguments, or the user's key, for people; cut */
    uint64_t id, family;     /* of the program; of the program and its words */
    uint64_t place;          /* of the case: folder and input; 0: any */
    char folder[256];        /* where it ran, for people; cut */
    char input[256];         /* the file that it read from standard input, likewise, or "" */
    uint32_t ranks;          /* of the step: its tasks */
    uint32_t workers;        /* of each task in the profile, where there are several; else 0 */
    int64_t made;            /* when it was profiled, seconds since 1970; 0: not yet */
    uint32_t launches;       /* planned with it since */
    uint32_t refused;        /* of these, launches that kept Slurm's layout */
    uint32_t profiles;       /* how often it was profiled */
    uint32_t tries;          /* profiled launches since then that left no profile */
    char last[160];          /* the last of them: why; or "" */
    uint32_t number; /* launches since there is a profile, in whatever layout; the one that left it
                        is the first */
    uint32_t agrees, differs; /* profiles of other folders that were like this one when it was made,
                                 and that were not */
    uint32_t changed; /* the profile was replaced, since so many percent of the bytes of a run
                         went elsewhere; until that is said; else 0 */
    uint32_t worse;   /* placed runs in a row that Slurm's layout would have suited better */
    enum store_stop stopped;
    uint32_t mpi; /* enum store_mpi: which one its last run loaded, where the program does not name
                     one; else 0 */
    store_time time[STORE_TIMES]; /* the oldest first */
    unsigned times;
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
/** Says which case it is. The key of an entry without one is what it was before there were cases.
 *  \param input  the file that is its standard input; NULL: none is */
void store_entry_case(store_entry *entry, const char *folder, const char *input);
/** Adds a run that was measured; the oldest goes where there are too many. */
void store_entry_time(store_entry *entry, const store_time *time);
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
/** Others of an entry's family that have a graph; of a very large store among the first 512. */
typedef struct store_kin {
    store_entry alike; /* of the same number of ranks, in another folder, where profiles of two
                          folders agreed and none differed: the one used last */
    store_entry size;  /* of another number of ranks, in the same case, or where folders agree: the
                          nearest below, else the nearest above */
    int has_alike, has_size;
    unsigned folders; /* others that have a profile at this number of ranks */
    unsigned differ;  /* of these, how many differed from one before */
} store_kin;
void store_kin_find(const store *store, const store_entry *wanted, store_kin *kin);

/** What a run is counted for. */
enum store_purpose {
    STORE_PROFILES, /* it leaves a profile */
    STORE_CHECKS,   /* what it sends is compared with the profile that it is placed with */
    STORE_COMPARES, /* it runs in Slurm's layout, for its time, and leaves a profile */
};
typedef struct store_plan {
    enum store_purpose purpose;
    int placed, refused;         /* by the plan; but refused, so that Slurm's layout stayed */
    char against[STORE_KEY + 1]; /* the profile that it is compared with, or "" */
    uint32_t mpi;    /* enum store_mpi: whose profiler it has, where that goes by what earlier runs
                        have loaded, or is a guess; else 0 */
    uint64_t loaded; /* where it is to be remembered which one it loads (loaded.h) */
    uint32_t nodes; /* that it runs on; 0: as many as leave a part, which is each rank below another
                       launcher than srun */
} store_plan;

/** What a run has left. */
enum store_left {
    STORE_LEFT_NOTHING,
    STORE_LEFT_PROFILE,
    STORE_LEFT_COUNTS, /* the profile stays: the run was like it */
};

/** A new folder for a step that is to be profiled, with all that store_run_fold() needs.
 *  \param entry  whose profile it will be
 *  \param plan  what it is counted for; NULL: for that profile
 *  \param folder  its path; ends with free(). Nothing is left where this fails. */
int store_run_begin(const store *store, uint32_t job, uint32_t step, const store_entry *entry,
                    const store_plan *plan, char **folder, topomap_error *err);
/** Takes the profile out of the folder of a run that is over, if there is a whole one, and removes
 *  the folder; then the oldest entries, where the store has grown too large. Of several that do so
 *  at once one does it.
 *  \param entry  as the folder's own file says, its counts brought up to date; without a key where
 *      the folder is gone: another one has taken it
 *  \param why  the step left none, or it cannot be stored */
enum store_left store_run_fold(const store *store, const char *folder, store_entry *entry,
                               topomap_error *why);
/** The same for whoever began the run and still has its entry. */
enum store_left store_run_end(const store *store, const char *folder, store_entry *entry,
                              topomap_error *why);
/** Removes the folder of a run that is not to be counted. */
void store_run_drop(const char *folder);
/** What a run's folder has beside its profile: the request that it was planned with and the layout
 *  that came of it; what the layout was worth for what the run then sent, in percent. */
#define STORE_RUN_PLANNED "planned"
#define STORE_RUN_JUDGED "judged"
#define STORE_RUN_REFUSED "refused" /* the placement */
enum { STORE_PLANNED = 4 << 20 };
int store_run_write(const char *folder, const char *name, const char *text, size_t size);
/** Ends with free(); NULL: there is none, or one of \p room bytes and more. */
char *store_run_read(const char *folder, const char *name, size_t room);
/** Makes the profile of the parts that a run has left, for who wants to look at it before it is
 *  taken in. \return 1, and its path; 0: there is none */
int store_run_join(const char *folder, char path[STORE_PATH]);

/** Folds runs of srun's that were killed: those that have left a whole profile, or all parts of
 * one, where these are few. Each call looks at \p most folders of runs, and at no more. \return how
 * many profiles are new; \p why of the last one that was not taken */
int store_fold_some(const store *store, unsigned most, topomap_error *why);

/** The profile of a step, in its folder; beside it are its parts (join.h). */
#define STORE_RUN_FILE "profile.tmg"

#endif
