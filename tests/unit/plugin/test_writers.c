/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that a stuck file system holds are few, whoever else writes meanwhile. */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <linux/keyctl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64]; /* of this program alone, as the keyring is all of the user's */
static pid_t stuck[PLANNER_WRITERS_MOST];

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/no/such/folder/%ld", (long)getpid());
    return 0;
}

/* A writer that joins and stays. \return its number; 0: it may not */
static pid_t join(void)
{
    int said[2];
    char word = 0;
    pid_t pid;

    assert_int_equal(pipe(said), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        word = planner_writers_join(folder) ? 'n' : 'y';
        if (write(said[1], &word, 1) == 1 && word == 'y')
            pause();
        _exit(0);
    }
    assert_true(pid > 0);
    close(said[1]);
    assert_int_equal(read(said[0], &word, 1), 1);
    close(said[0]);
    if (word == 'y')
        return pid;
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return 0;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void fill(void)
{
    for (int i = 0; i < PLANNER_WRITERS_MOST; i++) {
        stuck[i] = join();
        assert_true(stuck[i] > 0);
    }
}

static void clear(void)
{
    for (int i = 0; i < PLANNER_WRITERS_MOST; i++)
        end(stuck[i]);
}

static int has_keyring(void)
{
    return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1) > 0;
}

static void as_many_as_may_and_no_more(void **state)
{
    pid_t next;

    (void)state;
    if (!has_keyring())
        skip();
    fill();
    assert_int_equal(join(), 0);
    end(stuck[0]);
    next = join();
    assert_true(next > 0);
    stuck[0] = next;
    clear();
}

/* Somebody of the same user in a container, who sees other processes behind the same numbers.
 * \return 0; 77: this may not make one */
static int write_in_a_container(void)
{
    pid_t pid;
    int status;

    if (unshare(CLONE_NEWPID))
        return 77;
    pid = fork();
    if (pid == 0)
        _exit(planner_writers_join("/of/a/container") ? 1 : 0);
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : 1;
}

static void containers_do_not_hide_them(void **state)
{
    pid_t pid;
    int status;

    (void)state;
    if (!has_keyring())
        skip();
    fill();
    pid = fork();
    if (pid == 0)
        _exit(write_in_a_container());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WEXITSTATUS(status) != 77) {
        assert_int_equal(status, 0);
        assert_int_equal(join(), 0);
    }
    clear();
    if (WEXITSTATUS(status) == 77)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_may_and_no_more),
        cmocka_unit_test(containers_do_not_hide_them),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
