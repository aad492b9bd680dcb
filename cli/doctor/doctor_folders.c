/* SPDX-License-Identifier: BSD-3-Clause */
/* The policy, the folders that all users write to, and on which disks things are. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "cli/doctor/doctor.h"
#include "plugin/policy/policy.h"
#include "util/full_io.h"

/* ---- Who may use it --------------------------------------------------------------------- */

int doctor_for_everybody(const char *path, mode_t bit, char part[DOCTOR_PATH])
{
    struct stat status;

    snprintf(part, DOCTOR_PATH, "%s", path);
    while (*part) {
        char *slash = strrchr(part, '/');

        if (!stat(part, &status) && !(status.st_mode & bit))
            return 0;
        bit = S_IXOTH;
        if (!slash || slash == part)
            break;
        *slash = 0;
    }
    return 1;
}

void doctor_readers(const char *path, const char *advice, doctor_verdict *verdict)
{
    char part[DOCTOR_PATH];
    struct stat status;

    if (!doctor_for_everybody(path, S_IROTH, part))
        doctor_say(verdict, DOCTOR_PROBLEM, advice, "%s cannot be read by everybody: %s", path,
                   part);
    else if (!stat(path, &status) && status.st_mode & (S_IWGRP | S_IWOTH))
        doctor_say(verdict, DOCTOR_PROBLEM, "chmod go-w",
                   "%s can be written by others than its owner", path);
}

/* ---- The policy ------------------------------------------------------------------------------ */

static struct {
    char first[512];
    int count;
} mistakes;

static void take_mistake(const char *text)
{
    if (!mistakes.count++)
        snprintf(mistakes.first, sizeof mistakes.first, "%s", text);
}

void doctor_policy(doctor_site *site, doctor_verdict *verdict)
{
    topomap_error err = {0};
    policy policy;

    if (!*site->policy) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "no policy= in plugstack.conf; default=%s",
                   *site->mode ? site->mode : "only-when-asked");
        return;
    }
    if (policy_read(site->policy, &policy, take_mistake, &err)) {
        doctor_say(verdict, DOCTOR_PROBLEM, "correct it: `topomap policy check` has all mistakes",
                   "%s", *mistakes.first ? mistakes.first : err.text);
        return;
    }
    doctor_say(verdict, DOCTOR_OK, NULL, "%s, %zu rule%s; default=%s", site->policy, policy.rules,
               policy.rules == 1 ? "" : "s", site->mode);
    doctor_readers(site->policy, "let everybody read it: srun reads it as the user", verdict);
    policy_clear(&policy);
}

/* ---- Where files are ------------------------------------------------------------------------ */

/* linux/magic.h and the file systems' own sources. */
static const struct {
    unsigned long magic;
    const char *name;
} shared_disks[] = {
    {0x6969, "NFS"},       {0xff534d42, "CIFS"},   {0xfe534d42, "SMB"},   {0x517b, "SMB"},
    {0x65735546, "FUSE"},  {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},  {0x00c36400, "Ceph"},
    {0x5346414f, "AFS"},   {0x6b414653, "AFS"},    {0x01021997, "9P"},    {0x19830326, "BeeGFS"},
    {0x7461636f, "OCFS2"}, {0x01161970, "GFS2"},   {0xaad7aaea, "PanFS"}, {0x20030528, "OrangeFS"},
};

/* \return the name of a network's or FUSE's file system; NULL: it is the node's own */
static const char *shared_disk(const char *path)
{
    struct statfs found;

    if (statfs(path, &found))
        return NULL;
    for (size_t i = 0; i < sizeof shared_disks / sizeof *shared_disks; i++)
        if ((unsigned long)found.f_type % (1ul << 32) == shared_disks[i].magic)
            return shared_disks[i].name;
    return NULL;
}

/* A launch must not wait for a file server, nor a node's death be everybody's. */
void doctor_disks(doctor_site *site, doctor_verdict *verdict)
{
    const struct {
        const char *what, *path;
    } rows[] = {{"the planner is", site->planner},
                {"the node helper is", site->node_helper},
                {"the plugin is", site->plugin_ok ? site->plugin : ""},
                {"the profilers are", site->profiler}};
    int looked = 0, shared = 0;

    doctor_say(verdict, DOCTOR_OK, NULL, "%s", "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *disk = *rows[i].path ? shared_disk(rows[i].path) : NULL;

        looked += *rows[i].path != 0;
        shared += disk != NULL;
        if (disk)
            doctor_add(verdict, "%s on %s: %s", rows[i].what, disk, rows[i].path);
    }
    if (!looked) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL,
                   "neither planner nor node helper nor plugin nor profilers are known");
    } else if (shared) {
        verdict->status = DOCTOR_WARNING;
        snprintf(verdict->advice, sizeof verdict->advice,
                 "install topomap on the nodes' own disks: a launch waits for that file system");
    } else {
        doctor_add(verdict,
                   "planner, node helper, plugin and profilers are on this node's own disks");
    }
}

/* ---- Folders that all users write to -------------------------------------------------------- */

/* Where what is a user's goes instead (plugin/store/place.c). */
#define OWN_CACHE "$XDG_CACHE_HOME/topomap, else ~/.cache/topomap"

struct folder {
    const char *word, *path;
    const char *without; /* what is so where it is not set */
    int is_shared;       /* nodes read what srun writes there */
};

static void look_at(const struct folder *folder, doctor_verdict *verdict)
{
    char make[DOCTOR_PATH + 128];
    struct stat status;

    snprintf(make, sizeof make,
             folder->is_shared ? "install -d -m 1777 -o root %s"
                               : "install -d -m 711 -o root %s, and each user's own in it by a "
                                 "prolog, or with mode 1777 by themselves",
             folder->path);
    if (!*folder->path)
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "no %s in plugstack.conf: %s", folder->word,
                   folder->without);
    else if (stat(folder->path, &status))
        doctor_say(verdict, DOCTOR_PROBLEM, make, "%s: %s", folder->path, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        doctor_say(verdict, DOCTOR_PROBLEM, make, "%s is no folder", folder->path);
    else if (status.st_mode & S_IWOTH && !(status.st_mode & S_ISVTX))
        doctor_say(
            verdict, DOCTOR_PROBLEM, make,
            "%s has mode %04o: anybody may put something in a user's place, so that it is not "
            "used",
            folder->path, status.st_mode & 07777);
    else if (!(status.st_mode & S_IWOTH))
        doctor_say(verdict, DOCTOR_PROBLEM, make, "%s has mode %04o: users cannot write there",
                   folder->path, status.st_mode & 07777);
    else if (status.st_uid != 0)
        doctor_say(verdict, DOCTOR_PROBLEM, make,
                   "%s belongs to user %u, who can rename what others have there", folder->path,
                   status.st_uid);
    else if (folder->is_shared && !shared_disk(folder->path))
        doctor_say(verdict, DOCTOR_WARNING,
                   "name a folder that srun's node and the compute nodes share (where there is one "
                   "machine, nothing)",
                   "%s is on this node's own disk: other nodes do not see it", folder->path);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "%s, mode %04o", folder->path, status.st_mode & 07777);
}

/* ---- Folders with one for each user ------------------------------------------------------- */

/* What is in such a folder under the numbers of users. */
struct users {
    unsigned count, wrong;
    char first[DOCTOR_PATH]; /* of those that their users cannot have: why */
};

static const char *why_not_theirs(unsigned long user, const struct stat *status)
{
    if (S_ISLNK(status->st_mode))
        return "a link";
    if (!S_ISDIR(status->st_mode))
        return "no folder";
    if (status->st_uid != user)
        return "another user's";
    return status->st_mode & (S_IWGRP | S_IWOTH) ? "open to others" : NULL;
}

/* \return -1: it cannot be listed */
static int look_at_users(const char *path, struct users *users)
{
    TOPOMAP_CLOSED_DIR DIR *list = opendir(path);
    const struct dirent *row;

    *users = (struct users){0};
    while (list && (row = readdir(list)) != NULL) {
        struct stat status;
        const char *why;

        if (!cli_is_digits(row->d_name, 10) ||
            fstatat(dirfd(list), row->d_name, &status, AT_SYMLINK_NOFOLLOW))
            continue;
        users->count++;
        why = why_not_theirs(strtoul(row->d_name, NULL, 10), &status);
        if (why && !users->wrong++)
            snprintf(users->first, sizeof users->first, "%.300s/%s is %s", path, row->d_name, why);
    }
    return list ? 0 : -1;
}

/* Root makes each user's folder, or anybody makes their own: then anybody may have been first. */
static void look_at_own(const struct folder *folder, doctor_verdict *verdict)
{
    char make[DOCTOR_PATH + 128];
    struct users users;
    struct stat status;
    int is_open, listed;

    snprintf(make, sizeof make,
             "install -d -m 711 -o root %s, and for each user %s/UID: -m 700 -o UID", folder->path,
             folder->path);
    if (!*folder->path || stat(folder->path, &status) || !S_ISDIR(status.st_mode) ||
        (status.st_mode & S_IWOTH && !(status.st_mode & S_ISVTX)) || status.st_uid != 0) {
        look_at(folder, verdict);
        return;
    }
    is_open = (status.st_mode & S_IWOTH) != 0;
    listed = !look_at_users(folder->path, &users);
    if (users.wrong)
        doctor_say(
            verdict, DOCTOR_WARNING,
            "ask its owner, then remove it and make the user's own: install -d -m 700 -o UID",
            "%s%s: what is that user's goes to " OWN_CACHE, users.first,
            users.wrong > 1 ? ", and it is not the only one" : "");
    else if (!is_open && listed && !users.count)
        doctor_say(verdict, DOCTOR_PROBLEM, make,
                   "%s has mode %04o: users cannot write there, and none has a folder there",
                   folder->path, status.st_mode & 07777);
    else if (is_open)
        doctor_say(verdict, DOCTOR_OK, NULL,
                   "%s, mode %04o: who makes another's folder there first sends that user's files "
                   "to " OWN_CACHE "; %u users' folders, none such",
                   folder->path, status.st_mode & 07777, users.count);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "%s, mode %04o, %u users' folders", folder->path,
                   status.st_mode & 07777, users.count);
}

void doctor_store(doctor_site *site, doctor_verdict *verdict)
{
    const struct folder folder = {"store=", site->store, "profiles go to users' own " OWN_CACHE, 0};

    look_at_own(&folder, verdict);
}

void doctor_records(doctor_site *site, doctor_verdict *verdict)
{
    const struct folder folder = {"records=", site->records,
                                  "plans are recorded for whoever asks, in users' own " OWN_CACHE,
                                  0};

    look_at_own(&folder, verdict);
}

void doctor_spool(doctor_site *site, doctor_verdict *verdict)
{
    const struct folder folder = {"spool=", site->spool,
                                  "of bindings over 96 KiB, nodes deal out the CPUs in order", 1};

    look_at(&folder, verdict);
}
