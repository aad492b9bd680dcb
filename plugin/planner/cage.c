/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/cage.h"
#include "plugin/filter.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- Landlock: by what is opened (landlock(7), Linux 5.13) --------------------------------- */

/* The kernel's numbers: headers are older than kernels. */
enum { CREATE_RULESET = 444, RESTRICT_SELF = 446, ASK_VERSION = 1 };
enum {
    EXECUTE = 1 << 0,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    FIRST = (1 << 13) - 1, /* all of version 1 */
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    IOCTL_DEV = 1 << 15,
    BIND_AND_CONNECT_TCP = 3,
    ABSTRACT_SOCKETS_AND_SIGNALS = 3
};

struct ruleset {
    uint64_t files, net, scoped;
};

/* What a version of the kernel's can forbid. */
static const struct {
    int version;
    uint32_t size; /* of a ruleset */
    struct ruleset more;
} versions[] = {
    {1, 8, {FIRST & ~(READ_FILE | READ_DIR), 0, 0}},
    {2, 8, {REFER, 0, 0}},
    {3, 8, {TRUNCATE, 0, 0}},
    {4, 16, {0, BIND_AND_CONNECT_TCP, 0}},
    {5, 16, {IOCTL_DEV, 0, 0}},
    {6, 24, {0, 0, ABSTRACT_SOCKETS_AND_SIGNALS}},
};

/* Without a rule there is no exception. */
int planner_cage_landlock(void)
{
    long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION), fd;
    struct ruleset all = {0};
    size_t size = 0;
    int failed;

    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i].version <= version) {
            all.files |= versions[i].more.files;
            all.net |= versions[i].more.net;
            all.scoped |= versions[i].more.scoped;
            size = versions[i].size;
        }
    fd = size ? syscall(CREATE_RULESET, &all, size, 0) : -1;
    if (fd < 0)
        return -1;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    failed = syscall(RESTRICT_SELF, fd, 0) != 0;
    close((int)fd);
    return failed ? -1 : 0;
}

/* ---- A filter: by the number of a system call ---------------------------------------------- */

#ifdef FILTER_POSSIBLE

#define DENY(name) FILTER_UNLESS(SYS_##name, 1), FILTER_FAIL(EPERM)
/* glibc has a way without it, whose arguments a filter can see. */
#define LACK(name) FILTER_UNLESS(SYS_##name, 1), FILTER_FAIL(ENOSYS)
#define DENY_OPEN(name, flags)                                                                     \
    FILTER_UNLESS(SYS_##name, 4), FILTER_LOAD_ARGUMENT(flags),                                     \
        FILTER_UNLESS_BITS(O_ACCMODE | O_CREAT | O_TRUNC, 1), FILTER_FAIL(EPERM), FILTER_ALLOW

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* What is not here is allowed: the libraries' ways with memory, threads and clocks are their own.
 */
int planner_cage_filter(void)
{
    struct sock_filter rows[] = {
        FILTER_LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_MACHINE, 1, 0),
        FILTER_FAIL(EPERM), FILTER_LOAD(nr),
#ifdef __x86_64__ /* x32's have the same machine */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), FILTER_FAIL(EPERM),
#endif
        /* Programs and processes; threads are both's. */
        DENY(execve), DENY(execveat), LACK(clone3), FILTER_UNLESS(SYS_clone, 4),
        FILTER_LOAD_ARGUMENT(0), FILTER_UNLESS_BITS(CLONE_THREAD, 1), FILTER_ALLOW,
        FILTER_FAIL(EPERM),
#ifdef SYS_fork
        DENY(fork), DENY(vfork),
#endif
        /* Other processes. */
        DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev), DENY(kill), DENY(tkill),
        DENY(rt_sigqueueinfo), DENY(pidfd_getfd),
        /* Other machines, and those that answer here. */
        DENY(socket), DENY(socketpair), DENY(connect), DENY(bind), DENY(listen), DENY(accept4),
        DENY(sendto), DENY(sendmsg),
        /* Files. */
        LACK(openat2), DENY_OPEN(openat, 2), DENY(unlinkat), DENY(renameat2), DENY(linkat),
        DENY(symlinkat), DENY(mkdirat), DENY(mknodat), DENY(truncate), DENY(fchmodat), DENY(fchmod),
        DENY(fchownat), DENY(fchown), DENY(utimensat), DENY(setxattr), DENY(lsetxattr),
        DENY(fsetxattr),
#ifdef SYS_renameat
        DENY(renameat),
#endif
#ifdef SYS_open
        DENY_OPEN(open, 1), DENY(creat), DENY(unlink), DENY(rmdir), DENY(rename), DENY(link),
        DENY(symlink), DENY(mkdir), DENY(mknod), DENY(chmod), DENY(chown), DENY(lchown),
#endif
        /* What the kernel has of its own, for root too. */
        DENY(mount), DENY(umount2), DENY(pivot_root), DENY(chroot), DENY(unshare), DENY(setns),
        DENY(bpf), DENY(perf_event_open), DENY(keyctl), DENY(add_key), DENY(request_key),
        DENY(init_module), DENY(finit_module), DENY(delete_module), DENY(kexec_load), DENY(reboot),
#ifdef SYS_userfaultfd
        DENY(userfaultfd),
#endif
#ifdef SYS_io_uring_setup /* whose requests no filter sees */
        DENY(io_uring_setup),
#endif
        FILTER_ALLOW};
    struct sock_fprog program = {.len = sizeof rows / sizeof *rows, .filter = rows};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) ? -1 : 0;
}

#else

int planner_cage_filter(void)
{
    return -1;
}

#endif

void planner_cage_close(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    planner_cage_landlock();
    planner_cage_filter();
}
