/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin's hooks as srun calls them, with the real planner: every fault leaves the step as
 * Slurm made it and says one line; with `required` its tasks are refused, with the same line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <hwloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plugin/common/environment.h"
#include "plugin/srun/srun.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/hook_step.h"
#include "tests/unit/scratch.h"
#include "util/clock.h"

/* ---- What goes well ----------------------------------------------------------------------- */

static void a_step_is_placed(void **state)
{
    const struct launch launch = {0};

    (void)state;
    run(&launch);
    strcpy(slurm_mock.said, result->said);
    assert_int_equal(mock_said(""), 0);
    assert_true(is_permuted());
    assert_permutation();
    assert_true(result->applied && result->bindings && !result->refused && !result->spooled);
    slurm_mock.said[0] = 0;
}

/* Slurm's cores are two CPUs each, as slurm.conf says. */
#define NODE " echo NodeName=n1 CoresPerSocket=4 Sockets=2 ThreadsPerCore=2"
#define JOB_LINE "echo JobId=" JOB_TEXT " Nodes="

static void a_job_with_a_part_of_its_nodes_is_placed(void **state)
{
    const struct launch launch = {.job_cpus = "8,4,16,4",
                                  .word = "verbose",
                                  .scontrol = JOB_LINE
                                  "n1 CPU_IDs=0-7 Mem=0 GRES= Nodes=n2 CPU_IDs=8-9,14-15 Mem=0 "
                                  "GRES= Nodes=n3 CPU_IDs=0-15 Nodes=n4 CPU_IDs=4-7;" NODE};
    size_t size;
    char *asked;

    (void)state;
    run(&launch);
    assert_message(result->said, "scontrol|0-3;4,7;*;2-3");
    assert_permutation();
    assert_true(result->applied && result->bindings);
    asked = scratch_slurp(scratch_path("asked"), &size);
    assert_string_equal(asked, "show job " JOB_TEXT "\nshow node n1\n");
    free(asked);
}

static void a_job_with_whole_nodes_asks_nobody(void **state)
{
    const struct launch launch = {.job_cpus = "16(x4)", .word = "verbose", .scontrol = "exit 1"};

    (void)state;
    run(&launch);
    assert_null(strstr(result->said, "job's cores"));
    assert_true(is_permuted() && result->applied && result->bindings);
    assert_int_equal(access(scratch_path("asked"), F_OK), -1);
}

/* A quarter of the deadline, which is 12 s, and the step is placed for whole nodes. */
static void a_scontrol_that_fails_costs_the_cores_alone(void **state)
{
    static const char *const lines[][2] = {
        {"sleep 60", "time"},
        {"exit 1", "says nothing"},
        {"yes", "bytes"},
        {"echo Invalid job id specified", "job " JOB_TEXT},
        {JOB_LINE "n[1-3] CPU_IDs=0-7 Mem=0;" NODE, "n4"},
        {JOB_LINE "n[1-4] CPU_IDs=16-17 Mem=0;" NODE, "n1"},
        {"echo JobId=" JOB_TEXT " Nodes=n[1-4] CPU_IDs=0-7;" NODE, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct launch launch = {
            .job_cpus = "8(x4)", .word = "verbose", .scontrol = lines[i][0]};
        double began = topomap_clock_wall();

        run(&launch);
        assert_permutation();
        if (!is_permuted() || !result->applied || !result->bindings || result->refused)
            fail_msg("'%s': not placed: %s", lines[i][0], result->said);
        if (lines[i][1]
                ? !message_has(result->said, lines[i][1]) || !strstr(result->said, "whole nodes")
                : !strstr(result->said, "by scontrol: 0-3(x4)"))
            fail_msg("'%s': %s", lines[i][0], result->said);
        assert_true(topomap_clock_wall() - began < 11);
    }
}

/* ---- Faults of files and of the planner ----------------------------------------------------- */

static void bad_graphs(void **state)
{
    static const char *const rows[][2] = {
        {"nonexistent", "nonexistent"},
        {"", ""}, /* the folder itself */
        {"fifo", "fifo"},
        {"empty", "empty"},
        {"cut.graph", "cut.graph:"},
        {"negative.csv", "negative.csv:1:"},
        {"large.csv", "large.csv:1"},
        {"sum.csv", "sum.csv"},
        {"more.csv", "17 ranks"},
        {"noise", "noise"},
        {"sparse", "sparse"},
        {"sparse.csv", "sparse.csv"},
        {"sparse.tmg", "sparse.tmg"},
        {"sparse.mtx", "sparse.mtx"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_fault((struct launch){.topomap = scratch_path(rows[i][0])}, rows[i][1]);
    assert_fault((struct launch){.topomap = "stencil2d:5:99"}, "stencil2d");
    assert_fault((struct launch){.topomap = "line\nbreak"}, "break");
}

static void bad_databases(void **state)
{
    static const char *const rows[][2] = {
        {"nonexistent", "nonexistent"},
        {"empty", "empty"},
        {"noise", "noise"},
        {"cut.db", "cut.db"},
        {"newer.db", "schema version 99"},
        {"others.db", "n1"},
        {"fifo", "fifo"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_fault((struct launch){.db = scratch_path(rows[i][0])}, rows[i][1]);
}

static void bad_planners(void **state)
{
    static const char *const rows[][2] = {
        {"failed", "no such graph"},   {"other-counts", "task counts"}, {"other-job", "bindings:"},
        {"wrong-checksum", "changed"}, {"garbage", "not one"},          {"next-version", "format"},
        {"flood", "over 16 MiB"},      {"silent", "status 3"},          {"killed", "killed"},
        {"hang", "deadline"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_fault((struct launch){.fake = rows[i][0]}, rows[i][1]);
    assert_fault((struct launch){.planner = "/nonexist/planner"}, "No such file");
    assert_fault((struct launch){.planner = scratch_path("plain")}, "Permission denied");
    assert_fault((struct launch){.planner = "/"}, "Permission denied");
}

/* ---- A Slurm that is not as we know it ------------------------------------------------------- */

static void other_version(void)
{
    slurm_mock.version = "99.11.3";
}
static void other_magic(void)
{
    slurm_mock.handle.magic++;
}
static void no_job(void)
{
    slurm_mock.handle.job = NULL;
}
static void wild_job(void)
{
    slurm_mock.handle.job = (void *)8;
}
static void no_layout(void)
{
    slurm_mock.launcher.layout = NULL;
}
static void wild_layout(void)
{
    slurm_mock.launcher.layout = (void *)(UINTPTR_MAX - 64);
}
/* What the handle points to says something else than the items. */
static mock_job *another(void)
{
    static mock_job other;

    other = slurm_mock.launcher;
    slurm_mock.handle.job = &other;
    return &other;
}
static void other_job(void)
{
    another()->job++;
}
static void other_uid(void)
{
    another()->uid++;
}
static void other_step(void)
{
    another()->step++;
}
static void other_words(void)
{
    another()->count++;
}
static void more_nodes(void)
{
    slurm_mock.nodes++;
}
static void fewer_tasks(void)
{
    slurm_mock.tasks--;
}
static void no_tids(void)
{
    layout->layout.tids = NULL;
}
static void wild_tids(void)
{
    layout->tids[2] = (void *)16;
}
static void wild_counts(void)
{
    layout->layout.tasks = (void *)24;
}
static void wild_names(void)
{
    layout->layout.node_list = (void *)24;
}
static void odd_names(void)
{
    strcpy(layout->nodes, "n1,n2 n3\n");
}
static void large_count(void)
{
    layout->tasks[1] = 60000;
}
static void same_tid(void)
{
    layout->tid[5] = 4;
}
static void large_tid(void)
{
    layout->tid[7] = 1u << 30;
}
static void falling_tids(void)
{
    layout->tid[0] = 1, layout->tid[1] = 0;
}

/* The first step of a job waits, the next ones do not, and are told, where they ask. */
static void one_deadline_is_enough_for_a_job(void **state)
{
    const struct launch hanging = {.fake = "hang", .same_job = 1}, good = {.same_job = 1},
                        other = {0};
    double began;

    (void)state;
    run(&hanging);
    assert_message(result->said, "deadline");
    began = topomap_clock_wall();
    for (int i = 0; i < 10; i++) {
        run(&hanging);
        assert_message(result->said, "off");
    }
    assert_true(topomap_clock_wall() - began < 10 * 0.3 || getenv("TOPOMAP_EMULATED"));
    run(&good);
    assert_true(!is_permuted() && !result->applied);
    run(&other);
    assert_true(is_permuted() && result->applied);
}

static void an_unknown_slurm(void **state)
{
    static const struct {
        void (*bend)(void);
        const char *text;
    } rows[] = {
        {other_version, "99.11.3"},
        {other_magic, "(handle)"},
        {no_job, "(handle)"},
        {wild_job, "(handle)"},
        {no_layout, "(pointer)"},
        {wild_layout, "(pointer)"},
        {other_job, "(job)"},
        {other_words, "(job)"},
        {other_uid, "(job)"},
        {other_step, "(job)"},
        {more_nodes, "(node and task counts)"},
        {fewer_tasks, "(node and task counts)"},
        {no_tids, "(arrays)"},
        {wild_tids, "(task ids)"},
        {wild_counts, "(arrays)"},
        {wild_names, "(node list)"},
        {odd_names, "(node list)"},
        {large_count, "(task ids)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_fault((struct launch){.bend = rows[i].bend}, rows[i].text);
}

/* Task ids that are no permutation: they stay as they are. */
static void task_ids_that_are_none(void **state)
{
    static void (*const bends[])(void) = {same_tid, large_tid, falling_tids};

    (void)state;
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
        const struct launch launch = {.bend = bends[i]};

        run(&launch);
        make_layout();
        bends[i]();
        assert_memory_equal(result->layout.tid, layout->tid, sizeof layout->tid);
        strcpy(slurm_mock.said, result->said);
        assert_int_equal(mock_said("Slurm's own layout"), 1);
        slurm_mock.said[0] = 0;
    }
}

static void lock_layout(void)
{
    assert_int_equal(mprotect(layout, 65536, PROT_READ), 0);
}

static void a_layout_that_cannot_be_written(void **state)
{
    (void)state;
    assert_fault((struct launch){.bend = lock_layout}, "(not writable)");
}

/* ---- Environment, spool ---------------------------------------------------------------------- */

static void fill_environment(void)
{
    char *large = malloc(120001), name[16];

    memset(large, 'x', 120000);
    large[120000] = 0;
    for (int i = 0; i < 17; i++) {
        snprintf(name, sizeof name, "FILL%d", i);
        setenv(name, large, 1);
    }
    free(large);
}

/* The planner cannot be started with it, and the tasks could not either. */
static void a_full_environment(void **state)
{
    const struct launch launch = {.bend = fill_environment};

    (void)state;
    run(&launch);
    assert_false(result->applied || result->bindings);
}

static void no_file_may_grow(void)
{
    const struct rlimit none = {1, 1};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
}

/* Linux gives the environment a quarter of the stack. */
static void little_room(void)
{
    struct rlimit stack;

    getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = 600 << 10;
    setrlimit(RLIMIT_STACK, &stack);
}

static void little_room_and_no_file(void)
{
    little_room();
    no_file_may_grow();
}

/* The planner removes them, and srun waits 100 ms for it (plugin/srun/step.c). */
static int files_of_spool(void)
{
    static const struct timespec pause = {.tv_nsec = 20000000};

    for (int i = 0; i < 500 && rmdir(scratch_path("spool")); i++)
        nanosleep(&pause, NULL);
    return mkdir(scratch_path("spool"), 0700);
}

static void long_bindings_and_the_spool(void **state)
{
    char word[512];
    struct launch launch = {.fake = "reverse-and-bind-long", .bend = little_room};

    (void)state;
    if (getenv("TOPOMAP_EMULATED")) /* qemu leaves the stack's limit as it is */
        skip();
    snprintf(word, sizeof word, "spool=%s", scratch_path("spool"));
    run(&launch); /* nowhere to put them */
    assert_true(result->applied && !result->bindings && !result->spooled);
    launch.word = word;
    run(&launch);
    assert_true(result->applied && result->spooled);
    assert_int_equal(files_of_spool(), 0); /* removed at the end */
    launch.bend = little_room_and_no_file;
    run(&launch);
    assert_true(result->applied && !result->bindings && !result->spooled);
    assert_int_equal(files_of_spool(), 0);
    launch.bend = little_room;
    launch.word = "spool=/nonexist";
    run(&launch);
    assert_true(result->applied && !result->spooled);
}

/* The records of this user, removed; the last one's first line. */
static int take_records(const char *folder, char line[64])
{
    char own[600], path[1200];
    const struct dirent *entry;
    DIR *stream;
    int count = 0;

    snprintf(own, sizeof own, "%.500s/%u", folder, geteuid());
    stream = opendir(own);
    while (stream && (entry = readdir(stream)) != NULL) {
        FILE *in;

        snprintf(path, sizeof path, "%s/%s", own, entry->d_name);
        if (*entry->d_name == '.' || !(in = fopen(path, "re")))
            continue;
        assert_non_null(fgets(line, 64, in));
        fclose(in);
        unlink(path);
        count++;
    }
    if (stream)
        closedir(stream);
    rmdir(own);
    return count;
}

/* Nobody waits for them. */
static int wait_for_records(const char *folder, char line[64])
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    int count = 0;

    for (int i = 0; !count && i < 250; i++) {
        nanosleep(&pause, NULL);
        count = take_records(folder, line);
    }
    return count;
}

static void records_are_kept(void **state)
{
    const char *folder = scratch_path("spool");
    char word[512], line[64] = "";
    struct launch launch = {.word = word};

    (void)state;
    snprintf(word, sizeof word, "records=%s", folder);
    run(&launch);
    assert_true(result->applied);
    assert_int_equal(wait_for_records(folder, line), 1);
    assert_string_equal(line, "topomap-plan 1\n");
    launch.bend = no_file_may_grow;
    run(&launch);
    assert_true(result->applied);
    assert_int_equal(take_records(folder, line), 0);
    launch.bend = NULL;
    launch.topomap = "stencil2d:5:99"; /* a failure is recorded too */
    run(&launch);
    assert_int_equal(wait_for_records(folder, line), 1);
    launch.topomap = NULL;
    setenv("XDG_CACHE_HOME", "/proc/self", 1); /* where nobody makes anything */
    strcpy(word, "records=/nonexist");
    run(&launch);
    assert_true(result->applied);
    unsetenv("XDG_CACHE_HOME");
}

/* ---- Asynchronous steps ------------------------------------------------------------------- */

static void asynchronous_steps_are_not_placed(void **state)
{
    static const char line[] = "info: topomap: an asynchronous step (--async) is launched by the "
                               "job's stepmgr and cannot be placed\n";
    char on[] = "default=on", required[] = "required";

    (void)state;
    assert_int_equal(run_async("ring:16", NULL, NULL, NULL), 0);
    assert_message(result->said, line);
    assert_int_equal(run_async(NULL, NULL, NULL, NULL), 0);
    assert_null(strstr(result->said, "info: "));
    assert_int_equal(run_async(NULL, NULL, on, NULL), 0);
    assert_null(strstr(result->said, "info: "));
    assert_int_equal(run_async("off", "required", NULL, NULL), 0);
    assert_null(strstr(result->said, "info: "));
    assert_int_equal(run_async("ring:16", "required", NULL, NULL), 1);
    assert_message(result->said, "required|status 1");
    assert_null(strstr(result->said, "info: "));
    assert_int_equal(run_async("ring:16", NULL, required, NULL), 1);
    setenv("SLURM_EXIT_ERROR", "42", 1);
    assert_int_equal(run_async("ring:16", "required", NULL, NULL), 42);
    assert_message(result->said, "required|status 42");
    unsetenv("SLURM_EXIT_ERROR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_placed),
        cmocka_unit_test(a_job_with_a_part_of_its_nodes_is_placed),
        cmocka_unit_test(a_job_with_whole_nodes_asks_nobody),
        cmocka_unit_test(a_scontrol_that_fails_costs_the_cores_alone),
        cmocka_unit_test(bad_graphs),
        cmocka_unit_test(bad_databases),
        cmocka_unit_test(bad_planners),
        cmocka_unit_test(one_deadline_is_enough_for_a_job),
        cmocka_unit_test(an_unknown_slurm),
        cmocka_unit_test(task_ids_that_are_none),
        cmocka_unit_test(a_layout_that_cannot_be_written),
        cmocka_unit_test(a_full_environment),
        cmocka_unit_test(long_bindings_and_the_spool),
        cmocka_unit_test(records_are_kept),
        cmocka_unit_test(asynchronous_steps_are_not_placed),
    };

    return cmocka_run_group_tests(tests, hook_step_setup, hook_step_teardown);
}
