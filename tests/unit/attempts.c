/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "tests/unit/attempts.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

struct attempts_on attempts_on = {.process = -1, .pipe = -1, .memory = -1};

/* ---- Files ------------------------------------------------------------------------------------
 */

static int open_to_write(void)
{
    return open(attempts_on.file, O_WRONLY);
}

static int open_to_read_and_write(void)
{
    return open(attempts_on.file, O_RDWR | O_APPEND);
}

static int make_file(void)
{
    return open(attempts_on.missing, O_CREAT | O_RDONLY, 0600);
}

static int make_nameless(void)
{
    return open(attempts_on.folder, O_TMPFILE | O_RDWR, 0600);
}

static int empty_file(void)
{
    return truncate(attempts_on.file, 0);
}

static int empty_by_open(void)
{
    return open(attempts_on.file, O_TRUNC | O_RDONLY);
}

static int remove_file(void)
{
    return unlink(attempts_on.file);
}

static int rename_file(void)
{
    return rename(attempts_on.file, attempts_on.missing);
}

static int link_file(void)
{
    return link(attempts_on.file, attempts_on.missing);
}

static int link_by_name(void)
{
    return symlink(attempts_on.file, attempts_on.missing);
}

static int make_folder(void)
{
    return mkdir(attempts_on.missing, 0700);
}

static int make_pipe(void)
{
    return mkfifo(attempts_on.missing, 0600);
}

static int open_to_all(void)
{
    return chmod(attempts_on.file, 0666);
}

static int start_program(void)
{
    static char *const words[] = {"true", NULL};

    return execv("/bin/true", words);
}

static int start_process(void)
{
    pid_t pid = fork();

    if (!pid)
        _exit(0);
    return pid;
}

static int start_process_by_number(void)
{
    long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

    if (!pid)
        _exit(0);
    return (int)pid;
}

static int start_process_by_newer(void)
{
    uint64_t how[8] = {[4] = SIGCHLD};
    long pid = syscall(435, how, sizeof how); /* clone3 */

    if (!pid)
        _exit(0);
    return (int)pid;
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int call_somebody(void)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return fd < 0 ? fd : connect(fd, (struct sockaddr *)&to, sizeof to);
}

static int look_into_parent(void)
{
    return (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}

static int end_parent(void)
{
    return kill(getppid(), SIGCONT);
}

static int leave_namespace(void)
{
    return (int)syscall(SYS_unshare, 0x10000000); /* of users, which anybody may */
}

static int mount_something(void)
{
    return mount("none", attempts_on.folder, "tmpfs", 0, NULL);
}

static int ask_a_ring(void)
{
    char parameters[256] = "";

    return (int)syscall(425, 4, parameters); /* io_uring_setup */
}

/* ---- Other processes, by calls that end or change them ------------------------------------- */

static int signal_thread_of_parent(void)
{
    return (int)syscall(SYS_tgkill, getppid(), getppid(), 0);
}

static int signal_parents_thread(void)
{
    return (int)syscall(SYS_tkill, getppid(), 0);
}

static int signal_parents_group(void)
{
    return kill(0, 0);
}

static int queue_for_parent(void)
{
    siginfo_t info = {.si_code = SI_QUEUE};

    return (int)syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), SIGCONT, &info);
}

static int signal_by_descriptor(void)
{
    return (int)syscall(424, attempts_on.process, 0, NULL, 0); /* pidfd_send_signal */
}

static int find_parent(void)
{
    return (int)syscall(434, getppid(), 0); /* pidfd_open */
}

/* O_ASYNC would then send F_SETSIG's signal. */
static int own_by_parent(void)
{
    return fcntl(attempts_on.pipe, F_SETOWN, getppid());
}

static int send_when_ready(void)
{
    return fcntl(attempts_on.pipe, F_SETFL, O_ASYNC);
}

static int limit_parent(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit)) /* its own */
        return -1;
    return (int)syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, &limit, NULL);
}

static int slow_parent(void)
{
    return setpriority(PRIO_PROCESS, (id_t)getppid(), 19);
}

static int slow_parents_disk(void)
{
    return (int)syscall(SYS_ioprio_set, 1, getppid(), 0);
}

static int move_parent(void)
{
    unsigned long cpus[128] = {1};

    return (int)syscall(SYS_sched_setaffinity, getppid(), sizeof cpus, cpus);
}

static int schedule_parent(void)
{
    struct sched_param how = {0};

    return sched_setscheduler(getppid(), SCHED_OTHER, &how);
}

/* ---- What lies beside files' contents, and what is no file --------------------------------- */

static int open_to_all_by_newer(void)
{
    return (int)syscall(452, AT_FDCWD, attempts_on.file, 0666, 0); /* fchmodat2 */
}

static int touch_file(void)
{
    return utimensat(AT_FDCWD, attempts_on.file, NULL, 0);
}

#ifdef SYS_utime
static int touch_file_by_older(void)
{
    return (int)syscall(SYS_utime, attempts_on.file, NULL);
}

static int touch_file_by_old(void)
{
    return (int)syscall(SYS_utimes, attempts_on.file, NULL);
}
#endif

static int change_attribute(void)
{
    return setxattr(attempts_on.file, "user.topomap", "1", 1, 0);
}

static int remove_attribute(void)
{
    return removexattr(attempts_on.file, "user.topomap-kept");
}

static int remove_links_attribute(void)
{
    return lremovexattr(attempts_on.file, "user.topomap-kept");
}

static int remove_opened_attribute(void)
{
    int fd = open(attempts_on.file, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? 0 : fremovexattr(fd, "user.topomap-kept");
}

static int remove_shared_memory(void)
{
    return shmctl(attempts_on.memory, IPC_RMID, NULL);
}

static int make_shared_memory(void)
{
    return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
}

static int make_queue(void)
{
    return (int)syscall(SYS_mq_open, "topomap-cage", O_CREAT | O_RDWR, 0600, NULL);
}

static int remove_queue(void)
{
    return (int)syscall(SYS_mq_unlink, "topomap-no-such");
}

static int make_memory_file(void)
{
    return (int)syscall(SYS_memfd_create, "x", 0);
}

/* ---- Code ---------------------------------------------------------------------------------- */

static int map_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
               ? -1
               : 0;
}

static int make_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return page == MAP_FAILED ? 0 : mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

/* Newer than all that anybody knows. */
static int call_unknown(void)
{
    return (int)syscall(4000);
}

const struct attempt attempts[] = {
    {"write a file", open_to_write, LANDLOCK | FILTER, 1},
    {"read and write a file", open_to_read_and_write, LANDLOCK | FILTER, 1},
    {"make a file", make_file, LANDLOCK | FILTER, 1},
    {"make a nameless file", make_nameless, LANDLOCK | FILTER, 1},
    {"empty a file", empty_file, LANDLOCK | FILTER, 3},
    {"empty a file by opening it", empty_by_open, LANDLOCK | FILTER, 3},
    {"remove a file", remove_file, LANDLOCK | FILTER, 1},
    {"rename a file", rename_file, LANDLOCK | FILTER, 1},
    {"link a file", link_file, LANDLOCK | FILTER, 1},
    {"link by name", link_by_name, LANDLOCK | FILTER, 1},
    {"make a folder", make_folder, LANDLOCK | FILTER, 1},
    {"make a pipe", make_pipe, LANDLOCK | FILTER, 1},
    {"open a file to all", open_to_all, FILTER, 0},
    {"start a program", start_program, LANDLOCK | FILTER, 1},
    {"start a process", start_process, FILTER, 0},
    {"start a process by number", start_process_by_number, FILTER, 0},
    {"start a process by clone3", start_process_by_newer, FILTER, 0},
    {"open a socket", open_socket, FILTER, 0},
    {"call somebody", call_somebody, LANDLOCK | FILTER, 4},
    {"look into the parent", look_into_parent, LANDLOCK | FILTER, 1},
    {"signal the parent", end_parent, LANDLOCK | FILTER, 6},
    {"leave the namespace", leave_namespace, FILTER, 0},
    {"mount", mount_something, LANDLOCK | FILTER, 1},
    {"use io_uring", ask_a_ring, FILTER, 0},
    {"signal a thread of the parent", signal_thread_of_parent, LANDLOCK | FILTER, 6},
    {"signal the parent's thread", signal_parents_thread, LANDLOCK | FILTER, 6},
    {"signal its group", signal_parents_group, FILTER, 0},
    {"queue a signal for the parent", queue_for_parent, LANDLOCK | FILTER, 6},
    {"signal by a descriptor", signal_by_descriptor, LANDLOCK | FILTER, 6},
    {"have a descriptor of the parent", find_parent, FILTER, 0},
    {"have the parent own a pipe", own_by_parent, FILTER, 0},
    {"have signals sent", send_when_ready, FILTER, 0},
    {"limit the parent", limit_parent, FILTER, 0},
    {"slow the parent", slow_parent, FILTER, 0},
    {"slow the parent's disk", slow_parents_disk, FILTER, 0},
    {"move the parent", move_parent, FILTER, 0},
    {"schedule the parent", schedule_parent, FILTER, 0},
    {"open a file to all by fchmodat2", open_to_all_by_newer, FILTER, 0},
    {"touch a file", touch_file, FILTER, 0},
#ifdef SYS_utime
    {"touch a file by utime", touch_file_by_older, FILTER, 0},
    {"touch a file by utimes", touch_file_by_old, FILTER, 0},
#endif
    {"change an attribute", change_attribute, FILTER, 0},
    {"remove an attribute", remove_attribute, FILTER, 0},
    {"remove a link's attribute", remove_links_attribute, FILTER, 0},
    {"remove an attribute of what is open", remove_opened_attribute, FILTER, 0},
    {"remove shared memory", remove_shared_memory, FILTER, 0},
    {"make shared memory", make_shared_memory, FILTER, 0},
    {"make a queue", make_queue, FILTER, 0},
    {"remove a queue", remove_queue, FILTER, 0},
    {"make a file of memory", make_memory_file, FILTER, 0},
    {"map code", map_code, FILTER, 0},
    {"make code", make_code, FILTER, 0},
    {"call the unknown", call_unknown, FILTER, 0},
};

const size_t attempts_count = sizeof attempts / sizeof *attempts;
