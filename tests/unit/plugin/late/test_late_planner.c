/* SPDX-License-Identifier: BSD-3-Clause */
/* srun's hooks and a planner that is late, in virtual time: at the launch, at the step's end, and
 * for a step that srun only queues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/fake_clock.h"
#include "tests/unit/plugin/hook_step.h"
#include "tests/unit/plugin/late/late_peer.h"
#include "tests/unit/scratch.h"
#include "util/clock.h"

enum { DEADLINE_MS = 12000 }; /* hook_step.c's */

static const char *planner;

/* ---- The planner: this program ------------------------------------------------------------- */

/* Waits at the part of the step that $LATE_PLANNER names, "launch" or "end", and answers. */
static int plan(int is_end)
{
    const char *late = getenv("LATE_PLANNER");
    char text[512], request[4096];
    int size;

    while (read(STDIN_FILENO, request, sizeof request) > 0)
        ;
    if (late && !strcmp(late, is_end ? "end" : "launch"))
        late_peer_wait();
    size = snprintf(text, sizeof text, "topomap-reply 1\n%s",
                    is_end ? "status left\ntell line the profile is stored\n"
                           : "status unchanged\nline nothing to gain\nquiet 0\nplan-id 00\n"
                             "later run somewhere\n");
    size += snprintf(text + size, sizeof text - (size_t)size, "end %08x\n",
                     topomap_crc32(0, text, (size_t)size));
    return write(3, text, (size_t)size) == size ? 0 : 1;
}

static int stuck;

/* In place of libc's: a program on a file system that does not answer. */
int execve(const char *path, char *const *words, char *const *environment)
{
    while (stuck)
        pause();
    return (int)syscall(SYS_execve, path, words, environment);
}

/* ---- When it answers ------------------------------------------------------------------------ */

/* The wait for its exec is on time. */
static void never(void)
{
    fake_clock_begin();
    fake_clock_late(1);
}

static void just_in_time(void)
{
    never();
    fake_clock_at(DEADLINE_MS - 1, late_peer_let_go, NULL);
}

static void too_late(void)
{
    never();
    fake_clock_at(DEADLINE_MS + 1, late_peer_let_go, NULL);
}

static void not_started(void)
{
    fake_clock_begin();
    fake_clock_late(0);
    stuck = 1;
}

static void after_twenty_seconds(void)
{
    never();
    fake_clock_at(20000, late_peer_let_go, NULL);
}

static struct launch step_of(const char *late, const char *word)
{
    if (late)
        setenv("LATE_PLANNER", late, 1);
    else
        unsetenv("LATE_PLANNER");
    return (struct launch){.planner = planner, .word = word};
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void the_planner_misses_its_deadline(void **state)
{
    static void (*const bends[])(void) = {never, too_late};
    struct launch launch = step_of("launch", NULL);

    (void)state;
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
        launch.bend = bends[i];
        assert_fault(launch, "the planner did not answer before its deadline");
        assert_int_equal(result->place_ms, DEADLINE_MS);
        assert_int_equal(result->end_ms, 0);
    }
}

static void an_answer_just_before_the_deadline_counts(void **state)
{
    struct launch launch = step_of("launch", NULL);

    (void)state;
    launch.bend = just_in_time;
    run(&launch);
    assert_int_equal(result->place_ms, DEADLINE_MS - 1);
    assert_message(result->said, "nothing to gain"); /* wording: of the fake planner */
    assert_null(strstr(result->said, "deadline"));
}

static void a_planner_on_time_takes_no_time(void **state)
{
    struct launch launch = step_of(NULL, NULL);

    (void)state;
    run(&launch);
    assert_int_equal(result->place_ms, 0);
    assert_int_equal(result->end_ms, 0);
    assert_message(result->said, "nothing to gain");       /* wording: of the fake planner */
    assert_message(result->said, "the profile is stored"); /* wording: of the fake planner */
}

static void the_planner_does_not_start(void **state)
{
    struct launch launch = step_of(NULL, NULL);

    (void)state;
    launch.bend = not_started;
    assert_fault(launch, "did not start before its deadline");
    assert_int_equal(result->place_ms, DEADLINE_MS);
}

/* It is not killed: what it does is worth doing without srun. */
static void the_end_is_left_to_the_planner_after_a_tenth_of_a_second(void **state)
{
    struct launch launch = step_of("end", NULL);

    (void)state;
    launch.bend_end = never;
    run(&launch);
    assert_int_equal(result->end_ms, 100);
    assert_null(strstr(result->said, "stored"));
    late_peer_let_go(NULL);
}

static void end_ms_is_how_long_srun_waits_for_the_end(void **state)
{
    struct launch launch = step_of("end", "end_ms=30000");

    (void)state;
    launch.bend_end = after_twenty_seconds;
    run(&launch);
    assert_int_equal(result->end_ms, 20000);               /* no longer than it takes */
    assert_message(result->said, "the profile is stored"); /* wording: of the fake planner */
    launch.bend_end = never;
    run(&launch);
    assert_int_equal(result->end_ms, 30000);
    late_peer_let_go(NULL);
    launch.word = "end_ms=250";
    run(&launch);
    assert_int_equal(result->end_ms, 250);
    late_peer_let_go(NULL);
}

/* A value that makes no sense is passed over. */
static void a_wrong_end_ms_is_the_default(void **state)
{
    static const char *const wrong[] = {"end_ms=", "end_ms=0", "end_ms=-5", "end_ms=1s",
                                        "end_ms=3600001"};
    struct launch launch = step_of("end", NULL);

    (void)state;
    launch.bend_end = never;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        launch.word = wrong[i];
        run(&launch);
        assert_int_equal(result->end_ms, 100);
        late_peer_let_go(NULL);
    }
}

static void late_async(void)
{
    char job[32];

    snprintf(job, sizeof job, "late-%ld", (long)getpid());
    setenv("SLURM_CLUSTER_NAME", job, 1); /* no other step's missed deadline counts */
    never();
}

static int run_late_async(const char *options)
{
    char word[512];

    snprintf(word, sizeof word, "planner=%s", planner);
    return run_async("ring:16", options, word, late_async);
}

/* The deadline is waited for once, and the options alone decide. */
static void an_asynchronous_step_waits_once_for_a_late_planner(void **state)
{
    (void)state;
    setenv("LATE_PLANNER", "launch", 1);
    assert_int_equal(run_late_async(NULL), 0);
    assert_int_equal(result->end_ms, 2000);
    assert_message(result->said, "info: topomap:|--async");
    assert_int_equal(run_late_async("required"), 1);
    assert_int_equal(result->end_ms, 2000);
    assert_message(result->said, "required");
}

static int setup(void **state)
{
    if (hook_step_setup(state))
        return -1;
    planner = late_peer_make("planner");
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_planner_misses_its_deadline),
        cmocka_unit_test(an_answer_just_before_the_deadline_counts),
        cmocka_unit_test(a_planner_on_time_takes_no_time),
        cmocka_unit_test(the_planner_does_not_start),
        cmocka_unit_test(the_end_is_left_to_the_planner_after_a_tenth_of_a_second),
        cmocka_unit_test(end_ms_is_how_long_srun_waits_for_the_end),
        cmocka_unit_test(a_wrong_end_ms_is_the_default),
        cmocka_unit_test(an_asynchronous_step_waits_once_for_a_late_planner),
    };

    if (!strcmp(argv[0], "topomap-planner"))
        return plan(argc > 1 && !strcmp(argv[1], "end"));
    return cmocka_run_group_tests(tests, setup, hook_step_teardown);
}
