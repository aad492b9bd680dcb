/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"

#include <linux/keyctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* The user's key may be there, with jobs of a cluster that is not ours. */
static void be_a_cluster_of_our_own(void)
{
    char name[64];

    snprintf(name, sizeof name, "test-%ld-%d", (long)getpid(), rand());
    setenv("SLURM_CLUSTER_NAME", name, 1);
}

static int has_keyring(void)
{
    return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1) > 0;
}

static void a_job_is_late_for_good(void **state)
{
    (void)state;
    if (!has_keyring())
        skip();
    be_a_cluster_of_our_own();
    assert_false(plugin_breaker_is_tripped(17));
    plugin_breaker_trip(17);
    assert_true(plugin_breaker_is_tripped(17));
    assert_false(plugin_breaker_is_tripped(18));
    plugin_breaker_trip(18);
    assert_true(plugin_breaker_is_tripped(17));
    assert_true(plugin_breaker_is_tripped(18));
    setenv("SLURM_RESTART_COUNT", "1", 1); /* requeued */
    assert_false(plugin_breaker_is_tripped(17));
    unsetenv("SLURM_RESTART_COUNT");
    be_a_cluster_of_our_own();
    assert_false(plugin_breaker_is_tripped(17));
    plugin_breaker_trip(0);
    assert_false(plugin_breaker_is_tripped(0));
}

/* As in a batch script below a slurmd that systemd has started. */
static void a_session_keyring_without_the_users_will_do(void **state)
{
    pid_t child;
    int status;

    (void)state;
    if (!has_keyring())
        skip();
    be_a_cluster_of_our_own();
    child = fork();
    if (child == 0) {
        if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
            _exit(2);
        plugin_breaker_trip(17);
        _exit(!plugin_breaker_is_tripped(17));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(plugin_breaker_is_tripped(17)); /* another session of the user's */
}

static long keys(void)
{
    FILE *list = fopen("/proc/keys", "r");
    char line[512];
    long count = 0;

    if (!list)
        return 0;
    while (fgets(line, sizeof line, list))
        count += strstr(line, "topomap:late: ") != NULL;
    fclose(list);
    return count;
}

static void many_jobs_are_one_key_of_bounded_size(void **state)
{
    (void)state;
    if (!has_keyring())
        skip();
    be_a_cluster_of_our_own();
    for (uint32_t job = 1; job <= 1000; job++)
        plugin_breaker_trip(job);
    for (uint32_t job = 951; job <= 1000; job++)
        assert_true(plugin_breaker_is_tripped(job));
    assert_false(plugin_breaker_is_tripped(1));
    assert_true(keys() <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_late_for_good),
        cmocka_unit_test(a_session_keyring_without_the_users_will_do),
        cmocka_unit_test(many_jobs_are_one_key_of_bounded_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
