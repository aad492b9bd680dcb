/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/* The profiles that a user's programs have left: what --topomap=auto places them with.
 *
 *     ROOT/profiles/KEY.tmg      the communication graph
 *     ROOT/profiles/KEY.old.tmg  the one before it, if the program was profiled again
 *     ROOT/profiles/KEY.meta     lines "name value": whose it is, and how often it was used
 *     ROOT/run/JOB.STEP-XXXXXX/  a step that is being profiled: the parts of its nodes (part.NODE,
 *                                lib/graph/formats/parts.h), profile.tmg made of them, and `entry`:
 *                                whose profile it is, lines as in .meta; entry.taken while it is
 *                                taken into the store
 *     ROOT/programs/KEY          cached facts about a program (program.h)
 *     ROOT/records/              records of plans, if the site's folder cannot be used
 *     ROOT/.../.tidy             state that limits a folder's size and age
 *
 * ROOT is the user's number in a folder of the site's, where that is the user's own, else
 * $XDG_CACHE_HOME/topomap, else ~/.cache/topomap. Every file appears whole, by rename, so that jobs
 * at once need no lock; the last one's profile stays. A file that is missing or damaged costs a
 * profile, nothing else. */
/* clang-format on */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "topomap/topomap.h"
#include "util/full_io.h"

/* ---- place --------------------------------------------------------------------- */
/* Where a user's own files are: in the site's folder, where that has a folder of this user's, else
 * in the user's own cache. In the site's, whoever is first makes FOLDER/UID: where that is
 * another's, a link, no folder or open to others, or cannot be made, the user loses nothing but the
 * place. */

enum { STORE_NOTE = 256, STORE_ROOT = 4096 - 256 };

/** This user's folder in the site's, the site's being an absolute path.
 *  \param make  1: it is made (mode 0700) where there is none
 *  \param path  what it is called, also where it does not serve
 *  \param note  why it does not
 *  \return its descriptor, or -1 */
int store_place_site(const char *site, int make, char path[STORE_ROOT], char note[STORE_NOTE]);

/** The user's own: $XDG_CACHE_HOME/topomap, else ~/.cache/topomap of $HOME, else of the user's
 * entry in passwd. Nothing is made. Fails where there is no home. */
int store_place_own(char path[STORE_ROOT], topomap_error *err);

/* ---- profile_store ------------------------------------------------------------- */

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
    uint64_t loaded; /* where it is to be remembered which one it loads (program.h) */
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

/** The profile of a step, in its folder; beside it are its parts (run.h). */
#define STORE_RUN_FILE "profile.tmg"

/* ---- entry --------------------------------------------------------------------- */
/* An entry of the store as text. */

/* The longest has 5 KiB: 40 times of 100 bytes, and 1 KiB of texts. */
enum { STORE_ENTRY_TEXT = 8192 };

/** Lines "name value". \return how long they are */
size_t store_entry_print(const store_entry *entry, char text[STORE_ENTRY_TEXT]);
/** Reads such a file beside \p at into \p entry, with the key that its names have.
 *  \return 1, or 0: there is none */
int store_entry_read_from(int at, const char *name, store_entry *entry);

/** store_entry_read() in the opened folder of profiles. */
int store_entry_read_at(int profiles, store_entry *entry);

/** The other entries of its family that have a graph of as many ranks, those used last first.
 *  \param list  [most] */
unsigned store_kin_others(int profiles, const store_entry *wanted, store_entry *list,
                          unsigned most);

/** Those not used for longest go until the rest fits, a few at a time where there are many; never
 *  \p keep. */
void store_evict(const store *store, const char *keep);

/* ---- stored_profile ------------------------------------------------------------ */
/* The file of a profile, in the folder of its run and in the store. */

/** Whether an open folder of a run has one that is whole, of our format, and no larger than \p
 *  most bytes: the planner checks the rest. \return 0, or -1: \p err (or NULL) says why not */
int store_profile_check(int run, uint64_t most, topomap_error *err);
/** Moves it to where the store has that of \p key. */
int store_profile_take(const store *store, int run, const char *key, topomap_error *err);

/* ---- cache --------------------------------------------------------------------- */
/* The dynamic linker's cache of library names, /etc/ld.so.cache, which ldconfig(8) writes. */

typedef struct store_cache {
    char *bytes; /* NULL: there is none that is known */
    size_t size;
    size_t begin; /* of the part with the entries, from which texts are counted */
    size_t entries;
} store_cache;

/** A missing, broken or unknown one is an empty one. store_cache_close() ends it. */
void store_cache_open(const char *path, store_cache *cache);
void store_cache_close(store_cache *cache);
/** The next path of a library, from entry *at on (0 first), which moves on; NULL: no more. Lent. */
const char *store_cache_next(const store_cache *cache, const char *name, size_t *at);

/* ---- store_folder -------------------------------------------------------------- */
/* The store's folders, opened once and used by their descriptors alone: what somebody puts in their
 * place later does not matter. */

/** A folder beside \p at (or AT_FDCWD) that is this user's and that nobody else can write; a link
 * is none. \return its descriptor, or -1 with errno: EPERM, where it is another's */
int store_folder_own(int at, const char *name);
/** The same, made (mode 0700) where there is none. */
int store_folder_make(int at, const char *name);

/** What errno says of these, for people. */
const char *store_folder_why(void);

/** The store itself. \return its descriptor, or -1 with errno, EPERM where it is not this user's */
int store_folder_root(const store *store);
/** "profiles" or "run" of the store. \return its descriptor; -1: \p err is filled */
int store_folder_open(const store *store, const char *below, int make, topomap_error *err);

/** Its names; the descriptor stays as it is. NULL with errno. */
DIR *store_folder_list(int folder);

/** Reads a small plain file of this user's into \p text, which it ends with a NUL.
 *  \return 1, or 0: there is none, or a longer one */
int store_file_read(int at, const char *name, char *text, size_t room);
enum { STORE_BESIDE = 64 };

/** Makes a file that is to take the place of \p name, or to be gone soon. \p beside is what it is
 *  called. \return its descriptor, or -1 with errno */
int store_file_make(int at, const char *name, char beside[STORE_BESIDE]);
/** Whether such a file has this name. */
int store_file_is_beside(const char *name);
/** Writes a file in the folder \p at: it appears whole, or not at all.
 *  \param now  the folder's time (see folder time, below): the file gets no earlier one; 0: not
 *      known
 *  Returns 0, or -1 with errno set. */
int store_file_write(int at, const char *name, const char *text, size_t size, int64_t now);

/* ---- folder time --------------------------------------------------------------- */
/* The time of a folder that is kept within limits. Old files are removed, and a computer's clock
 * may be wrong by months for a while: no single look at that clock may remove anything. A folder
 * has a time of its own, which follows the clock, but moves no faster than twice the time that has
 * passed, as each computer counts it from its start (no jump of the clock changes that), and at
 * each look by at most a day too far. When a computer that has not looked before, or not for long,
 * has started, nobody knows how much time has passed: the folder's time moves by ten minutes. Where
 * each launch is another start, the folder's time falls behind, and old files stay longer. */

enum { STORE_BOOTS = 32 };

/* A computer's start, when it looked last. */
typedef struct store_boot {
    char id[40]; /* the kernel's boot id */
    int64_t up;  /* seconds since that start */
    int64_t now; /* the folder's time */
} store_boot;

typedef struct store_folder_time {
    int64_t now;                  /* seconds since 1970; 0: never looked at */
    unsigned boots;               /* rows of boot[] in use */
    store_boot boot[STORE_BOOTS]; /* the computer that looked last comes first */
} store_folder_time;

/** Moves the folder's time towards this computer's date.
 *  \param there  date that the folder's file system gave a file made just now, or 0 */
void store_folder_time_advance(store_folder_time *time, int64_t there);

/** Sets the time of a file that was written while the computer's clock was more than a day behind,
 *  so that the file does not seem older than it is.
 *  \param now  the folder's time, 0: not known */
void store_folder_time_stamp(int fd, int64_t now);

/* ---- sweep --------------------------------------------------------------------- */
/* Keeping a folder of any size within limits by a little work at a time: each call looks at a few
 * names, from where the last one stopped, and removes what is too old or too much. What it must
 * know for that is in a file of the folder, `.tidy`; whoever comes with an older one of these does
 * what was done already, and nothing worse. */

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
    void (*remove)(int folder, const char *name);
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

/** The folder's time, 0: not known. */
int64_t store_sweep_now(int folder);
