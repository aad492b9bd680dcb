/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program that srun's plugin starts finds: descriptors, signals, limits, its session; and
 * what becomes of one that cannot be started. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/common/child.h"
#include "util/clock.h"

/* ---- Descriptors ------------------------------------------------------------------------- */

static int is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* In a child: more descriptors than the folder's reader takes at once, with gaps. */
static int closes_all_from(int (*way)(int), int first)
{
    static const int gaps[] = {5, 10, 11, 63, 64, 900};
    int status;
    pid_t pid = fork();

    if (!pid) {
        for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
            dup2(0, gaps[i]);
        for (int fd = 100; fd < 400; fd++)
            dup2(0, fd);
        dup2(0, first - 1);
        if (way(first) || !is_open(first - 1))
            _exit(1);
        for (int fd = first; fd < 1024; fd++)
            if (is_open(fd))
                _exit(2);
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int by_any(int first)
{
    plugin_descriptors_close_from(first);
    return 0;
}

static void every_way_closes_all(void **state)
{
    (void)state;
    assert_true(closes_all_from(by_any, 5));
    assert_true(closes_all_from(plugin_descriptors_by_folder, 5));
    assert_true(closes_all_from(plugin_descriptors_by_number, 5));
    /* Older kernels have no such call, and some sandboxes forbid it. */
    if (plugin_descriptors_by_range(1 << 20) == 0)
        assert_true(closes_all_from(plugin_descriptors_by_range, 5));
    else
        assert_true(errno == ENOSYS || errno == EPERM);
}

/* ---- A program: this one ----------------------------------------------------------------- */

/* Whether the program itself has taken a signal by now. */
static int is_own(int number)
{
#ifdef __SANITIZE_ADDRESS__ /* its runtime catches these before main() */
    return number == SIGBUS || number == SIGFPE || number == SIGSEGV;
#else
    (void)number;
    return 0;
#endif
}

/* What it is as the started program, for descriptor 3. */
static int inspect(void)
{
    struct sigaction action;
    struct rlimit core;
    struct stat file, null;
    sigset_t blocked;

    for (int fd = 0; fd < 1024; fd++)
        if (is_open(fd))
            dprintf(3, "%d ", fd);
    stat("/dev/null", &null);
    for (int fd = 1; fd <= 2; fd++)
        if (!fstat(fd, &file) && file.st_rdev == null.st_rdev)
            dprintf(3, "null ");
    for (int fd = 0; fd <= 3; fd += 3)
        if (!fstat(fd, &file) && S_ISFIFO(file.st_mode))
            dprintf(3, "pipe ");
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < 32; number++)
        if (sigismember(&blocked, number) ||
            (!is_own(number) && !sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL))
            dprintf(3, "signal %d ", number);
    getrlimit(RLIMIT_CORE, &core);
    dprintf(3, "%s core %d", getsid(0) == getpid() ? "leader" : "member", (int)core.rlim_max);
    return 0;
}

/* \return what inspect() says */
static const char *said(void)
{
    static const char *const words[] = {"inspect", NULL};
    static char reply[4096];
    int request[2], answer[2];
    struct plugin_child_files files = {0};
    size_t size = 0;
    ssize_t more;
    pid_t pid;

    assert_int_equal(plugin_child_pipe(request), 0);
    assert_int_equal(plugin_child_pipe(answer), 0);
    files.request = request[0];
    files.reply = answer[1];
    assert_int_equal(
        plugin_child_start("/proc/self/exe", words, &files, topomap_clock_ms() + 20000, &pid), 0);
    plugin_child_close(&request[0]);
    plugin_child_close(&answer[1]);
    plugin_child_close(&request[1]);
    while ((more = read(answer[0], reply + size, sizeof reply - 1 - size)) > 0)
        size += (size_t)more;
    reply[size] = 0;
    plugin_child_close(&answer[0]);
    assert_int_equal(plugin_child_end(pid, 20000), 0);
    return reply;
}

static void handle(int number)
{
    (void)number;
}

static void it_finds_nothing_of_ours(void **state)
{
    struct sigaction caught = {.sa_handler = handle}, ignored = {.sa_handler = SIG_IGN}, before[2];
    int few = dup2(0, 7), many = dup2(0, 300);
    sigset_t some, old;

    (void)state;
    sigaction(SIGUSR1, &caught, &before[0]);
    sigaction(SIGTERM, &ignored, &before[1]);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &some, &old);
    assert_string_equal(said(), "0 1 2 3 null null pipe pipe leader core 0");
    assert_int_equal(sigaction(SIGUSR1, &before[0], &caught), 0); /* ours stay as they were */
    assert_true(caught.sa_handler == handle);
    sigaction(SIGTERM, &before[1], NULL);
    pthread_sigmask(SIG_SETMASK, &old, &some);
    assert_true(sigismember(&some, SIGUSR2));
    assert_false(sigismember(&some, SIGUSR1));
    assert_true(is_open(few) && is_open(many));
    close(few);
    close(many);
}

static void it_finds_null_where_we_have_none(void **state)
{
    int kept = dup(STDERR_FILENO);

    (void)state;
    close(STDERR_FILENO);
    assert_string_equal(said(), "0 1 2 3 null null pipe pipe leader core 0");
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    close(kept);
}

/* ---- None -------------------------------------------------------------------------------- */

static void assert_no_start(const char *path, int64_t wait_ms, int why)
{
    static const char *const words[] = {"named", NULL};
    struct plugin_child_files files;
    int ends[2];
    pid_t pid;

    assert_int_equal(plugin_child_pipe(ends), 0);
    files = (struct plugin_child_files){.request = ends[0], .reply = ends[1]};
    assert_int_equal(plugin_child_start(path, words, &files, topomap_clock_ms() + wait_ms, &pid),
                     why);
    plugin_child_close(&ends[0]);
    plugin_child_close(&ends[1]);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left over */
    assert_int_equal(errno, ECHILD);
}

static void what_cannot_run_says_why(void **state)
{
    static const char text[] = "neither a script nor a program";
    char script[] = "/tmp/topomap-child-XXXXXX";
    int fd = mkstemp(script);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text), sizeof text);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    assert_no_start("/nonexist/planner", 20000, ENOENT);
    assert_no_start("/", 20000, EACCES);
    assert_no_start(script, 20000, ENOEXEC);
    unlink(script);
}

static int stuck;

/* In place of libc's: a program on a file system that does not answer. */
int execve(const char *path, char *const *words, char *const *environment)
{
    while (stuck)
        pause();
    return (int)syscall(SYS_execve, path, words, environment);
}

static void what_does_not_start_in_time_is_left(void **state)
{
    int64_t before = topomap_clock_ms();

    (void)state;
    stuck = 1;
    assert_no_start("/proc/self/exe", 200, ETIMEDOUT);
    stuck = 0;
    assert_true(topomap_clock_ms() - before >= 200);
    assert_true(topomap_clock_ms() - before < 30000);
}

/* srun's parent may ignore SIGCHLD, and srun inherits that: nothing is left to be reaped, and a
 * group of that number may be anybody's. */
static void what_the_kernel_has_reaped_is_not_killed(void **state)
{
    static const char *const words[] = {"sh", "-c", "sleep 60 >/dev/null & echo $! >&3", NULL};
    struct plugin_child_files files = {0};
    int request[2], reply[2], other;
    char text[32] = "";
    pid_t pid;

    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(plugin_child_pipe(request) || plugin_child_pipe(reply), 0);
    files.request = request[0];
    files.reply = reply[1];
    assert_int_equal(plugin_child_start("/bin/sh", words, &files, topomap_clock_ms() + 10000, &pid),
                     0);
    close(reply[1]);
    assert_true(read(reply[0], text, sizeof text - 1) > 0);
    while (!kill(pid, 0))
        usleep(1000);
    assert_int_equal(plugin_child_kill(pid, 1000, 1000), 0);
    other = atoi(text);
    assert_int_equal(getpgid(other), pid);
    assert_int_equal(kill(other, SIGKILL), 0);
    signal(SIGCHLD, SIG_DFL);
    close(request[0]);
    close(request[1]);
    close(reply[0]);
}

/* As slurm 22.05 to 26.05 name them, with systemd and without, and beside hierarchies of version 1.
 */
static void only_slurmstepd_has_an_outside(void **state)
{
    static const struct {
        const char *text, *path;
    } cases[] = {
        {"0::/system.slice/slurmstepd.scope/job_7/step_0/slurm\n",
         "/sys/fs/cgroup/system.slice/slurmstepd.scope/system/cgroup.procs"},
        {"0::/system.slice/n1_slurmstepd.scope/job_12/step_batch/slurm",
         "/sys/fs/cgroup/system.slice/n1_slurmstepd.scope/system/cgroup.procs"},
        {"4:freezer:/slurm/uid_0/job_3/step_0\n0::/job_4/a/job_3/step_0/slurm\n",
         "/sys/fs/cgroup/job_4/a/system/cgroup.procs"},
        {"0::/scope/job_7/step_0/user/task_0\n", NULL},
        {"0::/scope/job_7/step_0/user/slurm\n", NULL},
        {"0::/scope/job_7/slurm\n", NULL},
        {"0::/scope/step_0/slurm\n", NULL},
        {"0::/scope/job_7/step_0/slurms\n", NULL},
        {"0::/system.slice/slurmd.service\n", NULL},
        {"0::/\n", NULL},
        {"0::/slurm\n", NULL},
        {"4:freezer:/scope/job_7/step_0/slurm\n", NULL},
        {"", NULL},
    };
    char path[PLUGIN_GROUP_PATH], long_text[2048];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(plugin_group_outside(cases[i].text, path), cases[i].path ? 0 : -1);
        if (cases[i].path)
            assert_string_equal(path, cases[i].path);
    }
    snprintf(long_text, sizeof long_text, "0::/%01500d/job_7/step_0/slurm\n", 0);
    assert_int_equal(plugin_group_outside(long_text, path), -1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_closes_all),
        cmocka_unit_test(it_finds_nothing_of_ours),
        cmocka_unit_test(it_finds_null_where_we_have_none),
        cmocka_unit_test(what_cannot_run_says_why),
        cmocka_unit_test(what_does_not_start_in_time_is_left),
        cmocka_unit_test(what_the_kernel_has_reaped_is_not_killed),
        cmocka_unit_test(only_slurmstepd_has_an_outside),
    };

    if (argc == 1 && !strcmp(argv[0], "inspect"))
        return inspect();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
