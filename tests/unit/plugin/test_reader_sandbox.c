/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process that reads others' graphs cannot do, tried one by one in children of this one,
 * behind each of the two layers and behind both. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/sandbox/sandbox.h"
#include "plugin/planner/launch/launch.h"
#include "tests/unit/attempts.h"
#include "tests/unit/scratch.h"

static const char *there, *missing, *folder;

enum { REFUSED, DONE, OTHERWISE, NO_LAYER };

static int close_layers(int by)
{
    if (by == (LANDLOCK | FILTER)) {
        plugin_reader_sandbox();
        return 0;
    }
    return by == LANDLOCK ? plugin_reader_landlock() : plugin_reader_seccomp();
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
        if (errno == EPERM || errno == EACCES || errno == ENOSYS)
            _exit(REFUSED);
        fprintf(stderr, "# %s: %s\n", attempt->what, strerror(errno));
        _exit(OTHERWISE);
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

static int try_nothing(void)
{
    return 0;
}

static int filter_exists(void)
{
    static const struct attempt nothing = {"nothing", try_nothing, FILTER, 0};

    return try_behind(FILTER, &nothing) != NO_LAYER;
}

static void refused_behind(int layers)
{
    int tried = 0;

    for (size_t i = 0; i < attempts_count; i++) {
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

static int has_no_new_privileges(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    int value = 0;

    while (status && fgets(line, sizeof line, status))
        sscanf(line, "NoNewPrivs: %d", &value);
    if (status)
        fclose(status);
    return value;
}

static int work_inside(void)
{
    char bytes[64], *memory;
    pthread_t thread;
    void *back = NULL;
    int ends[2], fd;

    if (pipe(ends))
        return 1;
    plugin_reader_sandbox();
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
    if (kill(getpid(), 0) || syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0))
        return 5;
    return write(ends[1], "x", 1) == 1 && has_no_new_privileges() ? 0 : 6;
}

static int status_of(int (*inside)(void))
{
    int status;
    pid_t pid = fork();

    if (!pid)
        _exit(inside());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void it_reads_and_counts(void **state)
{
    int status = status_of(work_inside);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int fail_inside(void)
{
    prctl(PR_SET_DUMPABLE, 0);
    plugin_reader_sandbox();
    abort();
}

/* What went wrong in a library ends it as it does outside. */
static void it_aborts(void **state)
{
    int status = status_of(fail_inside);

    (void)state;
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* Locks as SQLite has them, folders, and the numbers that libraries size themselves by. */
static int look_inside(void)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};
    struct rlimit limit;
    struct stat status;
    DIR *list;
    int fd;

    plugin_reader_sandbox();
    fd = open(there, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fcntl(fd, F_SETLK, &lock) || fcntl(fd, F_GETFD) != FD_CLOEXEC)
        return 1;
    if (fstat(fd, &status) || stat(there, &status) || lstat(there, &status) ||
        fstatat(AT_FDCWD, there, &status, 0) || access(there, R_OK) ||
        faccessat(AT_FDCWD, there, R_OK, AT_EACCESS))
        return 2;
    list = opendir(folder);
    if (!list || !readdir(list) || closedir(list))
        return 3;
    if (getrlimit(RLIMIT_STACK, &limit) || sysconf(_SC_NPROCESSORS_ONLN) < 1 ||
        sysconf(_SC_PHYS_PAGES) < 1 || clock() == (clock_t)-1 || usleep(1))
        return 4;
    return 0;
}

static void it_looks_about(void **state)
{
    int status = status_of(look_inside);

    (void)state;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- The answer from there ----------------------------------------------------------------- */

static void a_failure_comes_back(void **state)
{
    planner_request request = {.asked = {.db = (char *)missing, .graph = (char *)there}};
    char *reply;
    size_t size = 0;

    (void)state;
    reply = planner_sandboxed_answer(&request, &size);
    assert_non_null(reply);
    assert_int_equal(strlen(reply), size);
    assert_non_null(strstr(reply, "status failed\n"));
    assert_non_null(strstr(reply, missing));
    free(reply);
    assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0); /* we are outside */
}

static int setup(void **state)
{
    int ends[2];

    if (scratch_setup(state) || pipe(ends))
        return -1;
    there = scratch_text("there", "0 1 5\n");
    missing = scratch_path("missing");
    folder = scratch_path(".");
    attempts_on = (struct attempts_on){
        .file = there,
        .missing = missing,
        .folder = folder,
        .process = (int)syscall(434, getpid(), 0), /* pidfd_open, of Linux 5.3 */
        .pipe = ends[0],
        .memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)};
    return 0;
}

static int teardown(void **state)
{
    shmctl(attempts_on.memory, IPC_RMID, NULL);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landlock_refuses),     cmocka_unit_test(the_filter_refuses),
        cmocka_unit_test(both_refuse),          cmocka_unit_test(it_reads_and_counts),
        cmocka_unit_test(a_failure_comes_back), cmocka_unit_test(it_aborts),
        cmocka_unit_test(it_looks_about),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
