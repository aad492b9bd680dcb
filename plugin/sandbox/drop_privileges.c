/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/sandbox/sandbox.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { DESCRIPTORS = 16 };

/* glibc's functions change all threads of the process (nptl(7)), those that the parent had before
 * the fork included where that was not glibc's; here there is one. Machines of 32 bits have numbers
 * of 16 under the plain name. */
#ifdef SYS_setresuid32
#define SETRESUID SYS_setresuid32
#define SETRESGID SYS_setresgid32
#define SETUID SYS_setuid32
#define SETGROUPS SYS_setgroups32
#else
#define SETRESUID SYS_setresuid
#define SETRESGID SYS_setresgid
#define SETUID SYS_setuid
#define SETGROUPS SYS_setgroups
#endif

#define SAME ((uid_t)-1)

static int are(uid_t uid, gid_t gid)
{
    uid_t real, effective, saved;
    gid_t real_group, effective_group, saved_group;

    return !getresuid(&real, &effective, &saved) &&
           !getresgid(&real_group, &effective_group, &saved_group) && real == uid &&
           effective == uid && saved == uid && real_group == gid && effective_group == gid &&
           saved_group == gid;
}

/* The supplementary groups are the user's already: slurmstepd sets them before its effective user,
 * and groups have no saved ones to come back. The capabilities go with the last of the users that
 * is root (capabilities(7)). A limit of the user's on processes, which counts all of them, must not
 * keep this one from its exec (execve(2), EAGAIN). */
static int become(uid_t uid, gid_t gid)
{
    struct rlimit many = {RLIM_INFINITY, RLIM_INFINITY};

    if (are(uid, gid))
        return 0;
    if (syscall(SETRESUID, SAME, 0, SAME))
        return -1;
    setrlimit(RLIMIT_NPROC, &many);
    return syscall(SETRESGID, gid, gid, gid) || syscall(SETRESUID, uid, uid, uid) ? -1 : 0;
}

void plugin_lower_limit(int resource, unsigned long long most)
{
    struct rlimit now;

    if (getrlimit(resource, &now))
        return;
    if (now.rlim_cur > most)
        now.rlim_cur = most;
    if (now.rlim_max > most)
        now.rlim_max = most;
    setrlimit(resource, &now);
}

static int raise_as(uid_t uid, gid_t gid)
{
    errno = 0;
    if (become(uid, gid) || !are(uid, gid))
        return errno ? errno : EPERM;
    if (uid && (!syscall(SETUID, 0) || !syscall(SETRESUID, SAME, 0, SAME)))
        return EPERM;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return errno;
    plugin_lower_limit(RLIMIT_NPROC, 0);
    plugin_lower_limit(RLIMIT_NOFILE, DESCRIPTORS);
    return chdir("/") ? errno : 0;
}

int plugin_drop_privileges(void)
{
    plugin_lower_limit(RLIMIT_FSIZE, 0);
    return raise_as(geteuid(), getegid());
}

int plugin_drop_privileges_to(const struct plugin_user *user)
{
    if (geteuid() == 0 && syscall(SETGROUPS, user->groups_count, user->groups))
        return errno;
    return raise_as(user->uid, user->gid);
}

int plugin_regain_root(void)
{
    return syscall(SETRESUID, SAME, 0, SAME) ? -1 : 0;
}
