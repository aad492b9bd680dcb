/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders of runs that are profiled: made, and taken in when a run is over, by whoever comes
 * first. */
#include "config.h"
#include "plugin/store/run.h"
#include "plugin/store/store.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/full_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
        unsigned long number = (unsigned long)(topomap_clock_date_ns() % 1000000000) +
                               ((unsigned long)getpid() << 8) + (unsigned long)i;

        snprintf(name, NAME, "%u.%u-%06lx", job, step, number & 0xffffff);
        if (!mkdirat(runs, name, 0700))
            return store_folder_own(runs, name);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int store_run_begin(const store *store, uint32_t job, uint32_t step, const store_entry *entry,
                    const store_plan *plan, char **folder, topomap_error *err)
{
    /* The folder of profiles is made here, since it must exist when the run is over. */
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 1, err);
    TOPOMAP_CLOSED int runs = profiles < 0 ? -1 : store_folder_open(store, "run", 1, err);
    TOPOMAP_CLOSED int run = -1;
    char name[NAME], path[STORE_PATH], text[STORE_ENTRY_TEXT + STORE_PLAN_TEXT];
    size_t length = store_entry_print(entry, text);

    if (runs < 0)
        return -1;
    run = make_run(runs, job, step, name);
    snprintf(path, sizeof path, "%s/run/%s", store->root, name);
    length += store_plan_print(plan, text + length);
    if (run < 0 || store_file_write(run, STORE_RUN_ABOUT, text, length, store_sweep_now(runs)))
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: %s", path, strerror(errno));
    else if ((*folder = topomap_strdup(path, err)))
        return 0;
    remove_folder(runs, name);
    return -1;
}

/* ---- Claiming a run ----------------------------------------------------------------------- */

/* Returns 0 if another process has taken the run in, and removed the file, between our opening it
 * and locking it. */
static int is_still(int run, int fd)
{
    struct stat locked, there;

    return !fstat(fd, &locked) && !fstatat(run, STORE_RUN_TAKING, &there, AT_SYMLINK_NOFOLLOW) &&
           locked.st_ino == there.st_ino && locked.st_dev == there.st_dev;
}

int store_claim(int run)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat about;
    int first = !renameat(run, STORE_RUN_ABOUT, run, STORE_RUN_TAKING), fd, mine;

    if (!first && errno != ENOENT)
        return -1;
    fd = topomap_untrusted_open(run, STORE_RUN_TAKING, O_RDWR | O_NOFOLLOW, &about);
    if (fd < 0)
        return -1;
    if (!fcntl(fd, F_OFD_SETLK, &all))
        mine = is_still(run, fd);
    else
        mine = first && errno != EAGAIN && errno != EACCES;
    if (mine)
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

/* ---- The end ----------------------------------------------------------------------------- */

/* Whose run it is that is taken in. */
enum whose {
    OWN,
    ANOTHERS,      /* one that has left nothing whole may still be going on */
    ANOTHERS_SOON, /* and a launch waits for it */
};

static enum store_left take_over(const store *store, int runs, const char *name, int run,
                                 store_entry *entry, topomap_error *why)
{
    enum store_left left = store_outcome_take(store, name, run, entry, why);

    remove_taken(runs, name);
    if (left == STORE_LEFT_PROFILE)
        store_evict(store, entry->key);
    return left;
}

/* As take_over(), for who has claimed the run first. */
static enum store_left fold(const store *store, int runs, const char *name, enum whose whose,
                            store_entry *entry, topomap_error *why)
{
    TOPOMAP_CLOSED int run = store_folder_own(runs, name), mine = -1;
    enum store_left left = STORE_LEFT_NOTHING;
    store_entry own = {0};

    if (run < 0)
        return topomap_error_set(why, TOPOMAP_EINPUT, "another launch has taken it"), left;
    if (whose != OWN && store_profile_check(run, UINT64_MAX, NULL) &&
        store_join(run, whose == ANOTHERS_SOON, NULL))
        return topomap_error_set(why, TOPOMAP_EINPUT, "the run left no profile"), left;
    if (store_entry_read_from(run, STORE_RUN_ABOUT, &own) ||
        store_entry_read_from(run, STORE_RUN_TAKING, &own))
        *entry = own;
    mine = store_claim(run);
    if (mine >= 0)
        return take_over(store, runs, name, run, entry, why);
    if (errno == ENOENT && whose == OWN) /* what others take is whole; it is counted once */
        left = STORE_LEFT_PROFILE;
    topomap_error_set(why, TOPOMAP_EINPUT, "%s",
                      errno == ENOENT ? "another launch has taken it" : strerror(errno));
    store_entry_read(store, entry);
    return left;
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

static int sweep(const store *store, int runs, enum whose whose, unsigned most, topomap_error *why)
{
    others found = {.store = store, .whose = whose, .why = why};
    const store_broom broom = {.most = most,
                               .days = STALE_DAYS,
                               .look = look_at_run,
                               .remove = remove_folder,
                               .context = &found};

    store_sweep(runs, &broom);
    return found.folded;
}

int store_fold_some(const store *store, unsigned most, topomap_error *why)
{
    TOPOMAP_CLOSED int runs = store_folder_open(store, "run", 0, why);

    return runs < 0 ? 0 : sweep(store, runs, ANOTHERS_SOON, most, why);
}

/* ---- One's own --------------------------------------------------------------------------- */

enum store_left store_run_fold(const store *store, const char *folder, store_entry *entry,
                               topomap_error *why)
{
    TOPOMAP_CLOSED int runs = store_folder_open(store, "run", 0, why);
    const char *slash = strrchr(folder, '/');
    enum store_left left;

    *entry = (store_entry){0};
    if (runs < 0)
        return STORE_LEFT_NOTHING;
    left = fold(store, runs, slash ? slash + 1 : folder, OWN, entry, why);
    sweep(store, runs, ANOTHERS, OTHERS, NULL);
    return left;
}

enum store_left store_run_end(const store *store, const char *folder, store_entry *entry,
                              topomap_error *why)
{
    store_entry found;
    enum store_left left = store_run_fold(store, folder, &found, why);

    if (*found.key)
        *entry = found;
    else if (store_entry_read(store, entry) && entry->has_graph) /* another one has taken it */
        left = STORE_LEFT_PROFILE;
    return left;
}

void store_run_drop(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    char above[STORE_PATH];
    TOPOMAP_CLOSED int runs = -1;

    if (slash &&
        snprintf(above, sizeof above, "%.*s", (int)(slash - folder), folder) < (int)sizeof above)
        runs = open(above, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (runs >= 0)
        remove_taken(runs, slash + 1);
}

/* ---- Other files in a run's folder -------------------------------------------------------- */

int store_run_write(const char *folder, const char *name, const char *text, size_t size)
{
    TOPOMAP_CLOSED int run = store_folder_own(AT_FDCWD, folder);

    return run < 0 ? -1 : store_file_write(run, name, text, size, 0);
}

char *store_run_read(const char *folder, const char *name, size_t room)
{
    TOPOMAP_CLOSED int run = store_folder_own(AT_FDCWD, folder);
    char *text = run < 0 ? NULL : malloc(room);

    if (text && store_file_read(run, name, text, room))
        return text;
    free(text);
    return NULL;
}

int store_run_join(const char *folder, char path[STORE_PATH])
{
    TOPOMAP_CLOSED int run = store_folder_own(AT_FDCWD, folder);

    return run >= 0 && snprintf(path, STORE_PATH, "%s/%s", folder, STORE_RUN_FILE) < STORE_PATH &&
           (!faccessat(run, STORE_RUN_FILE, F_OK, AT_SYMLINK_NOFOLLOW) ||
            !store_join(run, 0, NULL));
}
