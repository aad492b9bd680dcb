/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders of runs that are profiled: made, and taken in when a run is over, by whoever comes
 * first. */
#include "config.h"
#include "graph/formats/tmg.h"
#include "plugin/store/claim.h"
#include "plugin/store/entry.h"
#include "plugin/store/folder.h"
#include "plugin/store/join.h"
#include "plugin/store/sweep.h"
#include "util/alloc.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUN_FILES = 65536, STALE_DAYS = 60, TRIES = 100, NAME = 64, OTHERS = 16 };

/* ---- What is in a folder ----------------------------------------------------------------- */

static void remove_folder(int runs, const char *name)
{
    int folder = store_folder_own(runs, name);
    DIR *list = folder < 0 ? NULL : store_folder_list(folder);
    struct dirent *row;

    for (int i = 0; list && i < RUN_FILES && (row = readdir(list)) != NULL; i++)
        unlinkat(folder, row->d_name, 0); /* which takes no folder, and so not "." and ".." */
    if (list)
        closedir(list);
    if (folder >= 0)
        close(folder);
    unlinkat(runs, name, AT_REMOVEDIR);
}

/* Under another name first: whoever finds it half removed, since its remover was killed, removes
 * the rest. */
static const char over[] = "over.";

static void remove_taken(int runs, const char *name)
{
    char now[sizeof over + STORE_ITEM];

    snprintf(now, sizeof now, "%s%s", over, name);
    remove_folder(runs, renameat(runs, name, runs, now) ? name : now);
}

/* ---- The beginning ----------------------------------------------------------------------- */

/* mkdtemp(3) beside a descriptor. */
static int make_run(int runs, uint32_t job, uint32_t step, char name[NAME])
{
    for (int i = 0; i < TRIES; i++) {
        struct timespec now;
        unsigned long number;

        clock_gettime(CLOCK_REALTIME, &now);
        number = (unsigned long)now.tv_nsec + ((unsigned long)getpid() << 8) + (unsigned long)i;
        snprintf(name, NAME, "%u.%u-%06lx", job, step, number & 0xffffff);
        if (!mkdirat(runs, name, 0700))
            return store_folder_own(runs, name);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int store_run_begin(const store *store, uint32_t job, uint32_t step, const store_entry *entry,
                    char **folder, topomap_error *err)
{
    int profiles = store_folder_open(store, "profiles", 1, err), runs, run, failed;
    char name[NAME], path[STORE_PATH], text[STORE_ENTRY_TEXT];

    if (profiles < 0)
        return -1;
    close(profiles); /* it is there when the run is over */
    runs = store_folder_open(store, "run", 1, err);
    if (runs < 0)
        return -1;
    run = make_run(runs, job, step, name);
    snprintf(path, sizeof path, "%s/run/%s", store->root, name);
    failed = run < 0 || store_file_write(run, STORE_RUN_ABOUT, text, store_entry_print(entry, text),
                                         store_sweep_now(runs));
    if (failed)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: %s", path, strerror(errno));
    else if (!(*folder = topomap_strdup(path, err)))
        failed = 1;
    if (run >= 0)
        close(run);
    if (failed)
        remove_folder(runs, name);
    close(runs);
    return failed ? -1 : 0;
}

/* ---- The end ----------------------------------------------------------------------------- */

/* What can be known of a profile by its header alone. */
static int check_header(const struct topomap_tmg_header *header, uint64_t size, uint64_t most,
                        topomap_error *err)
{
    if (memcmp(header->magic, TOPOMAP_TMG_MAGIC, sizeof header->magic) != 0 ||
        le64toh(header->size) != size)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no whole profile");
    if (le32toh(header->version) != TOPOMAP_TMG_VERSION)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the run left a profile of format %lu, and this topomap's is %d: "
                                 "the nodes' profiler is of another version",
                                 (unsigned long)le32toh(header->version), TOPOMAP_TMG_VERSION);
    if (size > most)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the profile has %llu bytes, more than the store takes",
                                 (unsigned long long)size);
    return 0;
}

/* Whole, of our format, and as large as the store takes: the planner checks the rest. */
static int check_profile(int run, uint64_t most, topomap_error *err)
{
    int fd = openat(run, STORE_RUN_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct topomap_tmg_header header = {.size = 0};
    struct stat status;
    int good;

    if (fd < 0)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no profile");
    good = !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           read(fd, &header, sizeof header) == sizeof header;
    close(fd);
    if (!good)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no whole profile");
    return check_header(&header, (uint64_t)status.st_size, most, err);
}

/* The one before stays beside it: whoever looks finds a graph at every moment. */
static int take_profile(const store *store, int run, const store_entry *entry, topomap_error *err)
{
    char name[STORE_KEY + 16], before[STORE_KEY + 16], beside[STORE_BESIDE];
    int profiles = store_folder_open(store, "profiles", 1, err), failed;

    if (profiles < 0)
        return -1;
    snprintf(name, sizeof name, "%s.tmg", entry->key);
    snprintf(before, sizeof before, "%s.old.tmg", entry->key);
    failed = store_file_make(profiles, name, beside); /* a name that is nobody else's */
    if (failed >= 0) {
        close(failed);
        unlinkat(profiles, beside, 0);
    }
    if (failed >= 0 && !linkat(profiles, name, profiles, beside, 0)) {
        renameat(profiles, beside, profiles, before);
        unlinkat(profiles, beside,
                 0); /* still there where both are links to one file already (rename(2)) */
    }
    failed = renameat(run, STORE_RUN_FILE, profiles, name);
    if (failed)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s/profiles/%s: %s", store->root, name,
                          strerror(errno));
    close(profiles);
    return failed;
}

/* What the run has left comes into the store, and its counts to what others have made of them. */
static int take(const store *store, int run, store_entry *entry, topomap_error *why)
{
    store_entry now = *entry;
    topomap_error err;
    int taken;

    store_entry_read(store, &now); /* others may have used it meanwhile */
    if (faccessat(run, STORE_RUN_FILE, F_OK, AT_SYMLINK_NOFOLLOW) && store_join(run, 0, why))
        taken = 0;
    else
        taken = !check_profile(run, store->most, why) && !take_profile(store, run, &now, why);
    snprintf(now.program, sizeof now.program, "%s", entry->program); /* of a damaged one */
    snprintf(now.words, sizeof now.words, "%s", entry->words);
    now.id = entry->id;
    now.family = entry->family;
    now.ranks = entry->ranks;
    if (taken) {
        now.made = (int64_t)time(NULL);
        now.profiles++;
        now.launches = now.tries = 0;
    } else {
        now.tries++;
    }
    if (store_entry_write(store, &now, &err) && taken)
        *why = err;
    *entry = now;
    return taken;
}

static int is_whole(int run, int soon)
{
    return !check_profile(run, UINT64_MAX, NULL) || !store_join(run, soon, NULL);
}

/* Whose run it is that is taken in. */
enum whose {
    OWN,
    ANOTHERS,      /* one that has left nothing whole may still be going on */
    ANOTHERS_SOON, /* and a launch waits for it */
};

/* \return 1: there is a new profile, 0: there is none */
static int take_over(const store *store, int runs, const char *name, int run, store_entry *entry,
                     topomap_error *why)
{
    int taken = take(store, run, entry, why);

    remove_taken(runs, name);
    if (taken)
        store_evict(store, entry->key);
    return taken;
}

/* As take_over(), for who has claimed the run first. */
static int fold(const store *store, int runs, const char *name, enum whose whose,
                store_entry *entry, topomap_error *why)
{
    int run = store_folder_own(runs, name), taken = 0, mine;
    store_entry own = {0};

    if (run < 0)
        return topomap_error_set(why, TOPOMAP_EINPUT, "another launch has taken it"), 0;
    if (whose != OWN && !is_whole(run, whose == ANOTHERS_SOON)) {
        close(run);
        return topomap_error_set(why, TOPOMAP_EINPUT, "the run left no profile"), 0;
    }
    if (store_entry_read_from(run, STORE_RUN_ABOUT, &own) ||
        store_entry_read_from(run, STORE_RUN_TAKING, &own))
        *entry = own;
    mine = store_claim(run);
    if (mine >= 0) {
        taken = take_over(store, runs, name, run, entry, why);
        close(mine);
    } else {
        taken = errno == ENOENT && whose == OWN; /* what others take is whole; it is counted once */
        topomap_error_set(why, TOPOMAP_EINPUT, "%s",
                          errno == ENOENT ? "another launch has taken it" : strerror(errno));
        store_entry_read(store, entry);
    }
    close(run);
    return taken;
}

/* ---- Others' runs ------------------------------------------------------------------------ */

typedef struct others {
    const store *store;
    enum whose whose;
    int folded;
    topomap_error *why;
} others;

/* A run that has left a whole profile is taken in; of the others it matters how old they are: by
 * the file that was written when the run began, since nodes have clocks of their own. */
static int look_at_run(int runs, store_item *item, void *context)
{
    others *o = context;
    store_entry entry = {0};
    char path[STORE_ITEM + sizeof STORE_RUN_ABOUT];
    struct stat status;

    if (fstatat(runs, item->name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(status.st_mode))
        return 0;
    if (!strncmp(item->name, over, sizeof over - 1)) {
        remove_folder(runs, item->name);
        return 0;
    }
    if (fold(o->store, runs, item->name, o->whose, &entry, o->why)) {
        o->folded++;
        return 0;
    }
    snprintf(path, sizeof path, "%s/" STORE_RUN_ABOUT, item->name);
    if (fstatat(runs, path, &status, AT_SYMLINK_NOFOLLOW) &&
        fstatat(runs, item->name, &status, AT_SYMLINK_NOFOLLOW))
        return 0;
    item->seconds = (int64_t)status.st_mtime;
    return 1;
}

static void remove_run(int runs, const store_item *item, void *context)
{
    (void)context;
    remove_folder(runs, item->name);
}

static int sweep(const store *store, int runs, enum whose whose, unsigned most, topomap_error *why)
{
    others found = {.store = store, .whose = whose, .why = why};
    const store_broom broom = {.most = most,
                               .days = STALE_DAYS,
                               .look = look_at_run,
                               .remove = remove_run,
                               .context = &found};

    store_sweep(runs, &broom);
    return found.folded;
}

int store_fold_some(const store *store, unsigned most, topomap_error *why)
{
    int runs = store_folder_open(store, "run", 0, why), folded;

    if (runs < 0)
        return 0;
    folded = sweep(store, runs, ANOTHERS_SOON, most, why);
    close(runs);
    return folded;
}

/* ---- One's own --------------------------------------------------------------------------- */

int store_run_fold(const store *store, const char *folder, store_entry *entry, topomap_error *why)
{
    int runs = store_folder_open(store, "run", 0, why), taken;
    const char *slash = strrchr(folder, '/');

    *entry = (store_entry){0};
    if (runs < 0)
        return 0;
    taken = fold(store, runs, slash ? slash + 1 : folder, OWN, entry, why);
    sweep(store, runs, ANOTHERS, OTHERS, NULL);
    close(runs);
    return taken;
}

int store_run_end(const store *store, const char *folder, store_entry *entry, topomap_error *why)
{
    store_entry found;
    int taken = store_run_fold(store, folder, &found, why);

    if (*found.key)
        *entry = found;
    else if (store_entry_read(store, entry) && entry->has_graph) /* another one has taken it */
        taken = 1;
    return taken;
}
