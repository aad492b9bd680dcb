/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/sandbox/sandbox.h"
#include "plugin/sandbox/seccomp.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
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
int plugin_reader_landlock(void)
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

#define ALLOW FILTER_ALLOW_CALL
#define ALLOW_WITHOUT FILTER_ALLOW_WITHOUT
#define ALLOW_ONLY(name, i, value)                                                                 \
    FILTER_UNLESS(SYS_##name, 4), FILTER_LOAD_ARGUMENT(i), FILTER_UNLESS(value, 1), FILTER_ALLOW,  \
        FILTER_FAIL(EPERM)
#define OR(value) FILTER_UNLESS(value, 1), FILTER_ALLOW

/* A libc may be newer than the headers here; the numbers from 424 on (Linux 5.1) are every
 * machine's. */
enum { SAME_EVERYWHERE = 424, CLOSE_RANGE = 436, FACCESSAT2 = 439 };

#define CHANGES (O_ACCMODE | O_CREAT | O_TRUNC)

/* What SQLite, the unpackers, METIS and a libc need for reading files, memory, threads and clocks,
 * by strace(1). What is not here fails: of what is newer with ENOSYS, on which a libc has a way
 * without it (clone3 and openat2, whose arguments no filter sees), else with EPERM. */
int plugin_reader_seccomp(void)
{
    const uint32_t own = (uint32_t)getpid();
    struct sock_filter rows[] = {
        FILTER_LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_MACHINE, 1, 0),
        FILTER_FAIL(EPERM), FILTER_LOAD(nr), /* x32's, of the same machine, are none of these */
        /* What is open. */
        ALLOW(read), ALLOW(pread64), ALLOW(lseek), ALLOW(readv), ALLOW(preadv), ALLOW(write),
        ALLOW(writev), ALLOW(pwrite64), ALLOW(close), FILTER_UNLESS(CLOSE_RANGE, 1), FILTER_ALLOW,
        ALLOW(ppoll), ALLOW(fadvise64),
        /* Memory, but none that can be run. */
        ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW_WITHOUT(PROT_EXEC, mmap, 2),
        ALLOW_WITHOUT(PROT_EXEC, mprotect, 2),
        /* Threads; a process is one without CLONE_THREAD. */
        ALLOW(futex), FILTER_UNLESS(SYS_clone, 4), FILTER_LOAD_ARGUMENT(0),
        FILTER_UNLESS_BITS(CLONE_THREAD, 1), FILTER_ALLOW, FILTER_FAIL(EPERM), ALLOW(exit),
        ALLOW(exit_group), ALLOW(set_robust_list), ALLOW(set_tid_address), ALLOW(sched_yield),
#ifdef SYS_membarrier
        ALLOW(membarrier),
#endif
#ifdef SYS_rseq
        ALLOW(rseq),
#endif
        /* Signals, to itself alone (abort(3)). */
        ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
        ALLOW(restart_syscall), ALLOW_ONLY(kill, 0, own), ALLOW_ONLY(tgkill, 0, own),
        /* Clocks, and who and where it is. */
        ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(nanosleep),
        ALLOW(gettimeofday), ALLOW(getrusage), ALLOW(times), ALLOW(getpid), ALLOW(getppid),
        ALLOW(gettid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid), ALLOW(uname),
        ALLOW(sysinfo), ALLOW(getcpu), ALLOW(getrandom), ALLOW_ONLY(prlimit64, 0, 0),
        ALLOW_ONLY(sched_getaffinity, 0, 0),
        /* Files. Their locks are SQLite's; F_SETOWN and F_SETSIG would send signals. */
        ALLOW_WITHOUT(CHANGES, openat, 2),
#ifdef SYS_fstat
        ALLOW(fstat),
#endif
#ifdef SYS_newfstatat
        ALLOW(newfstatat),
#endif
#ifdef SYS_statx
        ALLOW(statx),
#endif
        ALLOW(fstatfs), ALLOW(statfs), ALLOW(faccessat), FILTER_UNLESS(FACCESSAT2, 1), FILTER_ALLOW,
        ALLOW(readlinkat), ALLOW(getdents64), ALLOW(getcwd), FILTER_UNLESS(SYS_fcntl, 22),
        FILTER_LOAD_ARGUMENT(1), OR(F_GETFD), OR(F_SETFD), OR(F_GETFL), OR(F_DUPFD_CLOEXEC),
        OR(F_GETLK), OR(F_SETLK), OR(F_SETLKW), OR(F_OFD_GETLK), OR(F_OFD_SETLK), OR(F_OFD_SETLKW),
        FILTER_FAIL(EPERM),
#ifdef SYS_open /* the older ones, where a machine has them */
        ALLOW_WITHOUT(CHANGES, open, 1), ALLOW(stat), ALLOW(lstat), ALLOW(access), ALLOW(readlink),
        ALLOW(getdents), ALLOW(poll), ALLOW(time),
#endif
        FILTER_FROM(SAME_EVERYWHERE, 1), FILTER_FAIL(ENOSYS), FILTER_FAIL(EPERM)};
    struct sock_fprog program = {.len = sizeof rows / sizeof *rows, .filter = rows};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) ? -1 : 0;
}

#else

int plugin_reader_seccomp(void)
{
    return -1;
}

#endif

void plugin_reader_sandbox(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    plugin_reader_landlock();
    plugin_reader_seccomp();
}
