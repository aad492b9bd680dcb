/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "cli/page/site.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/common/child.h"
#include "util/whole.h"

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

static void read_in_process(int folder, uid_t uid, const char *store, int64_t now, int fd)
{
    page_site site = {.users = 1};

    setpgid(0, 0);
    setenv("XDG_CACHE_HOME", "/nonexistent", 1); /* the site's store alone */
    if (become(uid) == 0) {
        page_site_read_user(folder, store, now, &site);
        (void)topomap_whole_write(fd, &site, sizeof site);
    }
    _exit(0);
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
    to->slower_percent += from->slower_percent;
}

static void read_user(int folder, uid_t uid, const char *store, int64_t now, page_site *site)
{
    page_site user;
    int ends[2];
    pid_t pid;

    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        site->shut++;
        return;
    }
    pid = fork();
    if (pid == 0)
        read_in_process(folder, uid, store, now, ends[1]);
    close(ends[1]);
    if (pid < 0)
        site->shut++;
    else if (topomap_whole_await(ends[0], &user, sizeof user, MILLISECONDS) == 0)
        add(&user, site);
    else
        site->late++;
    close(ends[0]);
    if (pid > 0)
        plugin_child_kill(pid, 100, 500);
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
        int folder;

        if (!is_uid(row->d_name))
            continue;
        folder = openat(dirfd(list), row->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) {
            site->shut++;
            continue;
        }
        read_user(folder, (uid_t)strtoul(row->d_name, NULL, 10), store, now, site);
        close(folder);
    }
    closedir(list);
    return 0;
}
