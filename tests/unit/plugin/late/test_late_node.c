/* SPDX-License-Identifier: BSD-3-Clause */
/* slurmstepd's hooks and a topomap-node that is late or hangs, in virtual time: at the step's
 * start, where Slurm's binding then stays, and at its end, where the node's part of a profile is
 * collected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/node/node.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/fake_clock.h"
#include "tests/unit/plugin/hook_node.h"
#include "tests/unit/plugin/late/late_peer.h"
#include "tests/unit/scratch.h"
#include "util/clock.h"

enum { NODE_TASKS = 4 };

static topomap_error err;
static struct machine machine;
static struct node node; /* with a good plan */

/* ---- The helper: this program, by one of two names ------------------------------------------ */

static char late_word[512], lingers_word[512]; /* node_helper=PATH */

static int stuck;

/* In place of libc's: a program on a file system that does not answer. */
int execve(const char *path, char *const *words, char *const *environment)
{
    while (stuck)
        pause();
    return (int)syscall(SYS_execve, path, words, environment);
}

/* Waits, and then does what topomap-node does; of collect, ends. */
static int be_late(char **argv)
{
    late_peer_wait();
    if (!strcmp(argv[1], "collect"))
        return 0;
    execv(NODE_HELPER, argv);
    return 92;
}

/* Answers, and does not end. */
static int linger(void)
{
    if (write(3, "garbage", 7) == 7)
        close(3);
    return pause();
}

static int help(char **argv)
{
    const char *self = (const char *)getauxval(AT_EXECFN);

    return self && strstr(self, "/lingers") ? linger() : be_late(argv);
}

/* ---- A step's start -------------------------------------------------------------------------- */

/* The wait for its exec is on time. \param ms  when it goes on; 0: never */
static void go_on_after(int64_t ms)
{
    fake_clock_begin();
    fake_clock_late(1);
    if (ms)
        fake_clock_at(ms, late_peer_let_go, NULL);
}

static void assert_nothing_runs(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void assert_bound(int64_t ms)
{
    run(&node);
    for (uint32_t task = 0; task < node.tasks; task++)
        assert_false(is_slurms(&node, task));
    assert_string_equal(result->said, "");
    assert_int_equal(result->init_ms, ms);
    assert_nothing_runs();
}

/* Slurm's binding stays, and one line says \p why. */
static void assert_not_bound(const char *why, int64_t ms)
{
    run(&node);
    for (uint32_t task = 0; task < node.tasks; task++)
        assert_true(is_slurms(&node, task));
    if (!strstr(result->said, why) || !message_has(result->said, "topomap:|binding") ||
        strchr(strchr(result->said, '\n') + 1, '\n'))
        fail_msg("expected '%s' in one line, found '%s'", why, result->said);
    assert_int_equal(result->init_ms, ms);
    assert_nothing_runs();
}

/* 85 % of node_ms are for the answer. */
static void an_answer_within_the_budget_binds(void **state)
{
    (void)state;
    node.helper = late_word;
    node.time = "node_ms=1000";
    go_on_after(849);
    assert_bound(849);
    node.time = "node_ms=30000";
    go_on_after(25499);
    assert_bound(25499);
    node.helper = NULL;
    fake_clock_begin();
    assert_bound(0);
}

static void a_late_answer_leaves_slurms_binding(void **state)
{
    static const struct {
        const char *word;
        int64_t goes_on, took;
        const char *says;
    } rows[] = {
        {"node_ms=1000", 851, 850, "topomap-node did not answer within 1000 ms"},
        {"node_ms=1000", 0, 850, "topomap-node did not answer within 1000 ms"},
        {"node_ms=30000", 25501, 25500, "topomap-node did not answer within 30000 ms"},
        {"node_ms=200", 0, 170, "topomap-node did not answer within 200 ms"},
        {"verbose", 0, 850, "within 1000 ms"}, /* left out */
        {"node_ms=soon", 0, 850, "within 1000 ms"},
        {"node_ms=0", 0, 850, "within 1000 ms"},
        {"node_ms=3600001", 0, 850, "within 1000 ms"},
    };

    (void)state;
    node.helper = late_word;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        node.time = rows[i].word;
        go_on_after(rows[i].goes_on);
        assert_not_bound(rows[i].says, rows[i].took);
    }
}

static void a_helper_that_does_not_start_leaves_slurms_binding(void **state)
{
    (void)state;
    node.helper = late_word;
    node.time = "node_ms=1000";
    fake_clock_begin();
    fake_clock_late(0);
    stuck = 1;
    assert_not_bound("/late did not start within 1000 ms", 850);
    stuck = 0;
}

/* After its answer it has 2 % of node_ms to end, and is killed then. */
static void a_helper_that_does_not_end_is_killed(void **state)
{
    (void)state;
    node.helper = lingers_word;
    node.time = "node_ms=1000";
    fake_clock_begin();
    fake_clock_child_stays(1);
    assert_not_bound("topomap-node's answer is not one", 20);
    node.time = "node_ms=10000";
    fake_clock_begin();
    fake_clock_child_stays(1);
    assert_not_bound("topomap-node's answer is not one", 200);
}

/* ---- A step's end ---------------------------------------------------------------------------- */

/* A task of one has failed, which is to be written whatever it has left. */
static int64_t collect(unsigned node_ms)
{
    const plugin_node_site site = {.helper = strchr(late_word, '/'), .node_ms = node_ms};
    int64_t before;

    plugin_parts_open();
    assert_true(plugin_parts_begin(1, 0, 1, 1, scratch_path("part")) >= 0);
    before = topomap_clock_ms();
    plugin_parts_task_exit(&site, 1 << 8);
    assert_nothing_runs();
    return topomap_clock_ms() - before;
}

static void parts_are_waited_for_within_the_budget(void **state)
{
    static const struct {
        unsigned node_ms;
        int64_t goes_on, took;
    } rows[] = {
        {1000, 849, 849},      /* in time */
        {1000, 0, 850},        /* never: it is killed */
        {1000, 851, 850},      /* too late */
        {30000, 20000, 20000}, /* no longer than it takes */
        {30000, 26000, 25500},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_clock_begin();
        fake_clock_child_stays(1);
        if (rows[i].goes_on)
            fake_clock_at(rows[i].goes_on, late_peer_let_go, NULL);
        assert_int_equal(collect(rows[i].node_ms), rows[i].took);
    }
}

/* ---- Shares ---------------------------------------------------------------------------------- */

static void the_budget_is_divided(void **state)
{
    static const unsigned all[] = {1, 2, 49, 100, 1000, 1001, 30000, 3600000};
    const plugin_node_budget usual = plugin_node_budget_of(1000);

    (void)state;
    assert_int_equal(usual.answer_ms, 850);
    assert_int_equal(usual.exit_ms, 20);
    assert_int_equal(usual.kill_ms, 100);
    assert_int_equal(usual.cpu_seconds, 2);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const plugin_node_budget b = plugin_node_budget_of(all[i]);

        assert_true(b.answer_ms > 0 && b.exit_ms > 0 && b.kill_ms > 0);
        assert_true(all[i] < 49 || b.answer_ms + b.exit_ms + b.kill_ms <= (int)all[i]);
        assert_true(b.cpu_seconds * 1000 >= 2 * all[i] && b.cpu_seconds * 1000 < 2 * all[i] + 1000);
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* A node of 8 cores, whose tasks get the cores in the order of a plan that is not Slurm's. */
static int setup(void **state)
{
    topomap_bindings b;

    if (hook_node_setup(state))
        return -1;
    snprintf(late_word, sizeof late_word, "node_helper=%s", late_peer_make("late"));
    snprintf(lingers_word, sizeof lingers_word, "node_helper=%s", late_peer_make("lingers"));
    open_machine(&machine, describe("pack:2 [numa] core:4 pu:2", 0));
    plan(&machine, NODE_TASKS, 2, TOPOMAP_BIND_CORE, NULL, &b);
    node = (struct node){
        .tasks = NODE_TASKS, .cores = "0-7", .cpuset = machine.all, .online = machine.all};
    node.bindings = topomap_bindings_encode(&b, &err);
    topomap_bindings_clear(&b);
    return node.bindings ? 0 : -1;
}

static int teardown(void **state)
{
    close_machine(&machine);
    free((char *)(uintptr_t)node.bindings);
    return hook_node_teardown(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_within_the_budget_binds),
        cmocka_unit_test(a_late_answer_leaves_slurms_binding),
        cmocka_unit_test(a_helper_that_does_not_start_leaves_slurms_binding),
        cmocka_unit_test(a_helper_that_does_not_end_is_killed),
        cmocka_unit_test(parts_are_waited_for_within_the_budget),
        cmocka_unit_test(the_budget_is_divided),
    };

    if (argc == 2 && !strcmp(argv[0], "topomap-node"))
        return help(argv);
    return cmocka_run_group_tests(tests, setup, teardown);
}
