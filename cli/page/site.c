/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/page/site.h"
#include "cli/subprocess.h"

enum { MILLISECONDS = 30000, NOBODY = 65534 };

/* Who writes a record writes what is parsed: it is done with that user's rights. */
static int become(uid_t uid)
{
    const struct passwd *user;
    gid_t gid;

    if (geteuid() != 0)
        return 0;
    user = getpwuid(uid);
    gid = user ? user->pw_gid : NOBODY;
    return setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ? -1 : 0;
}

/* Whose records, and where. */
struct user {
    int folder;
    uid_t uid;
    const char *store;
    int64_t now;
};

static int read_as_user(void *site, void *with)
{
    const struct user *user = with;

    setenv("XDG_CACHE_HOME", "/nonexistent", 1); /* the site's store alone */
    if (become(user->uid))
        return -1;
    page_site_read_user(user->folder, user->store, user->now, site);
    return 0;
}

static void add(const page_site *from, page_site *to)
{
    to->users += from->users;
    to->records += from->records;
    to->bad += from->bad;
    to->placed += from->placed;
    to->stayed += from->stayed;
    to->failed += from->failed;
    to->ranks += from->ranks;
    to->gain += from->gain;
    to->searched += from->searched;
    if (from->searched_most > to->searched_most)
        to->searched_most = from->searched_most;
    for (int i = 0; i < SITE_BINS; i++)
        to->bin[i] += from->bin[i];
    for (int i = 0; i < SITE_REASONS; i++)
        to->reason[i] += from->reason[i];
    for (int i = 0; i < SITE_DAYS; i++) {
        to->day_placed[i] += from->day_placed[i];
        to->day_other[i] += from->day_other[i];
    }
    to->profiles += from->profiles;
    to->compared += from->compared;
    to->faster += from->faster;
    to->slower += from->slower;
    to->faster_percent += from->faster_percent;
}

static void read_user(struct user *user, page_site *site)
{
    page_site own = {.users = 1};

    switch (cli_apart(read_as_user, user, &own, sizeof own, MILLISECONDS)) {
    case CLI_APART_DONE:
        add(&own, site);
        break;
    case CLI_APART_LATE:
        site->late++;
        break;
    default:
        site->shut++;
    }
}

/* A folder that another has made under a user's number is not read for that user: what is in it
 * would be parsed with the user's rights, root's for one. */
static int open_folder(int records, const char *name, uid_t uid)
{
    int folder = openat(records, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    if (folder >= 0 && (fstat(folder, &status) != 0 || status.st_uid != uid)) {
        close(folder);
        return -1;
    }
    return folder;
}

static int is_uid(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    return digits && digits < 11 && !name[digits];
}

int page_site_read(const char *records, const char *store, int64_t now, page_site *site,
                   topomap_error *err)
{
    DIR *list = opendir(records);
    const struct dirent *row;

    *site = (page_site){0};
    if (!list)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: %s", records, strerror(errno));
    while ((row = readdir(list))) {
        struct user user = {
            .uid = (uid_t)strtoul(row->d_name, NULL, 10), .store = store, .now = now};

        if (!is_uid(row->d_name))
            continue;
        user.folder = open_folder(dirfd(list), row->d_name, user.uid);
        if (user.folder < 0) {
            site->shut++;
            continue;
        }
        read_user(&user, site);
        close(user.folder);
    }
    closedir(list);
    return 0;
}
