/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process that reads others' graphs cannot do, tried one by one in children of this one,
 * behind each of the two layers and behind both. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/planner/cage.h"
#include "plugin/planner/caged.h"
#include "tests/unit/scratch.h"

static const char *there, *missing, *folder;

/* ---- What is tried: \return negative where it failed --------------------------------------- */

static int open_to_write(void)
{
    return open(there, O_WRONLY);
}

static int open_to_read_and_write(void)
{
    return open(there, O_RDWR | O_APPEND);
}

static int make_file(void)
{
    return open(missing, O_CREAT | O_RDONLY, 0600);
}

static int make_nameless(void)
{
    return open(folder, O_TMPFILE | O_RDWR, 0600);
}

static int empty_file(void)
{
    return truncate(there, 0);
}

static int empty_by_open(void)
{
    return open(there, O_TRUNC | O_RDONLY);
}

static int remove_file(void)
{
    return unlink(there);
}

static int rename_file(void)
{
    return rename(there, missing);
}

static int link_file(void)
{
    return link(there, missing);
}

static int link_by_name(void)
{
    return symlink(there, missing);
}

static int make_folder(void)
{
    return mkdir(missing, 0700);
}

static int make_pipe(void)
{
    return mkfifo(missing, 0600);
}

static int open_to_all(void)
{
    return chmod(there, 0666);
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
    return mount("none", folder, "tmpfs", 0, NULL);
}

static int ask_a_ring(void)
{
    char parameters[256] = "";

    return (int)syscall(425, 4, parameters); /* io_uring_setup */
}

enum { LANDLOCK = 1, FILTER = 2 };

static const struct attempt {
    const char *what;
    int (*try)(void);
    int by;      /* the layers that refuse it */
    int version; /* of Landlock, that does */
} attempts[] = {
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
    {"open a socket", open_socket, FILTER, 0},
    {"call somebody", call_somebody, LANDLOCK | FILTER, 4},
    {"look into the parent", look_into_parent, LANDLOCK | FILTER, 1},
    {"signal the parent", end_parent, LANDLOCK | FILTER, 6},
    {"leave the namespace", leave_namespace, FILTER, 0},
    {"mount", mount_something, LANDLOCK | FILTER, 1},
    {"use io_uring", ask_a_ring, FILTER, 0},
};

enum { REFUSED, DONE, OTHERWISE, NO_LAYER };

static int close_layers(int by)
{
    if (by == (LANDLOCK | FILTER)) {
        planner_cage_close();
        return 0;
    }
    return by == LANDLOCK ? planner_cage_landlock() : planner_cage_filter();
}

/* \return one of the above, of a child that has these layers */
static int try_behind(int by, const struct attempt *attempt)
{
    int status;
    pid_t pid = fork();

    if (!pid) {
        if (close_layers(by))
            _exit(NO_LAYER);
        errno = 0;
        if (attempt->try() >= 0)
            _exit(DONE);
        if (errno != EPERM && errno != EACCES)
            fprintf(stderr, "# %s: %s\n", attempt->what, strerror(errno));
        _exit(errno == EPERM || errno == EACCES ? REFUSED : OTHERWISE);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Of the kernel; 0: none. */
static long landlock_version(void)
{
    long version = syscall(444, NULL, 0, 1);

    return version < 0 ? 0 : version;
}

static int filter_exists(void)
{
    static const struct attempt nothing = {"nothing", open_socket, FILTER, 0};

    return try_behind(FILTER, &nothing) != NO_LAYER;
}

static void refused_behind(int layers)
{
    int tried = 0;

    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        const struct attempt *attempt = &attempts[i];
        int got;

        if (!(attempt->by & layers & LANDLOCK && attempt->version <= landlock_version()) &&
            !(attempt->by & layers & FILTER && filter_exists()))
            continue;
        got = try_behind(layers, attempt);
        if (got != REFUSED)
            fail_msg("behind %d, %s: %s", layers, attempt->what,
                     got == DONE ? "done" : "failed for another reason");
        tried++;
        assert_int_equal(access(there, R_OK), 0);
        assert_int_equal(access(missing, F_OK), -1);
    }
    if (!tried)
        skip();
}

static void landlock_refuses(void **state)
{
    (void)state;
    refused_behind(LANDLOCK);
}

static void the_filter_refuses(void **state)
{
    (void)state;
    refused_behind(FILTER);
}

static void both_refuse(void **state)
{
    (void)state;
    refused_behind(LANDLOCK | FILTER);
}

/* ---- What goes on -------------------------------------------------------------------------- */

static void *nothing(void *context)
{
    return context;
}

static int work_inside(void)
{
    char bytes[64], *memory;
    pthread_t thread;
    void *back = NULL;
    int ends[2], fd;

    if (pipe(ends))
        return 1;
    planner_cage_close();
    fd = open(there, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, bytes, sizeof bytes) <= 0)
        return 2;
    if (pthread_create(&thread, NULL, nothing, bytes) || pthread_join(thread, &back) ||
        back != bytes)
        return 3;
    memory = malloc(64 << 20);
    if (!memory)
        return 4;
    memset(memory, 1, 64 << 20);
    free(memory);
    return write(ends[1], "x", 1) == 1 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 5;
}

static void it_reads_and_counts(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (!pid)
        _exit(work_inside());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- The answer from there ----------------------------------------------------------------- */

static void a_failure_comes_back(void **state)
{
    planner_request request = {.db = (char *)missing, .graph = (char *)there};
    char *reply;
    size_t size = 0;

    (void)state;
    reply = planner_caged_answer(&request, &size);
    assert_non_null(reply);
    assert_int_equal(strlen(reply), size);
    assert_non_null(strstr(reply, "status failed\n"));
    assert_non_null(strstr(reply, missing));
    free(reply);
    assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0); /* we are outside */
}

static int setup(void **state)
{
    if (scratch_setup(state))
        return -1;
    there = scratch_text("there", "0 1 5\n");
    missing = scratch_path("missing");
    folder = scratch_path(".");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landlock_refuses),     cmocka_unit_test(the_filter_refuses),
        cmocka_unit_test(both_refuse),          cmocka_unit_test(it_reads_and_counts),
        cmocka_unit_test(a_failure_comes_back),
    };

    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
