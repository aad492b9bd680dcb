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
#include <sys/wait.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plugin/environment.h"
#include "tests/unit/mock_slurm.h"
#include "tests/unit/scratch.h"
#include "topology-db/db.h"

spank_f slurm_spank_init, slurm_spank_local_user_init, slurm_spank_exit;

enum { JOB = 17, STEP = 3, NODES = 4, TASKS = 16, EACH = TASKS / NODES };

static topomap_error err;

/* ---- A step ------------------------------------------------------------------------------- */

/* What srun has made before the hook, on pages of its own. */
struct layout {
    slurm_step_layout_t layout;
    uint16_t tasks[NODES];
    uint32_t *tids[NODES];
    uint32_t tid[TASKS];
    char nodes[64];
};

struct result {
    struct layout layout; /* after the hook */
    int status;
    int applied, refused, bindings, spooled; /* in the environment */
    char said[MOCK_SAID];
};

static struct layout *layout;
static struct result *result;

struct launch {
    const char *topomap; /* --topomap= */
    const char *db;      /* else the good one */
    const char *planner; /* else the real one */
    const char *fake;    /* what the fake planner does */
    const char *word;    /* one more of plugstack.conf */
    const char *cores;   /* of the job */
    void (*bend)(void);  /* what else is wrong */
    int required;
};

static void make_layout(void)
{
    memset(layout, 0, sizeof *layout);
    strcpy(layout->nodes, "n1,n2,n3,n4");
    for (uint32_t i = 0; i < TASKS; i++)
        layout->tid[i] = i;
    for (int node = 0; node < NODES; node++) {
        layout->tasks[node] = EACH;
        layout->tids[node] = layout->tid + node * EACH;
    }
    layout->layout = (slurm_step_layout_t){.node_cnt = NODES,
                                           .node_list = layout->nodes,
                                           .tasks = layout->tasks,
                                           .task_cnt = TASKS,
                                           .task_dist = SLURM_DIST_BLOCK,
                                           .tids = layout->tids};
}

static void in_child(const struct launch *launch)
{
    static char db[512], planner[512], deadline[] = "deadline_ms=4000", program[] = "a.out";
    static char *program_words[] = {program, NULL};
    char *words[] = {planner, db, deadline, (char *)launch->word};
    spank_t spank;

    if (launch->fake) {
        setenv("FAKE_PLANNER", launch->fake, 1);
        if (strcmp(launch->fake, "hang") == 0)
            strcpy(deadline, "deadline_ms=300");
    }
    mock_begin(S_CTX_LOCAL, JOB, STEP);
    make_layout();
    slurm_mock.nodes = NODES;
    slurm_mock.tasks = TASKS;
    slurm_mock.job_cores = launch->cores;
    slurm_mock.launcher.layout = &layout->layout;
    slurm_mock.launcher.count = 1;
    slurm_mock.launcher.words = program_words;
    snprintf(db, sizeof db, "db=%s", launch->db ? launch->db : scratch_path("good.db"));
    snprintf(planner, sizeof planner, "planner=%s",
             launch->planner ? launch->planner
             : launch->fake  ? FAKE_PLANNER
                             : REAL_PLANNER);
    spank = mock_spank();
    result->status = slurm_spank_init(spank, launch->word ? 4 : 3, words);
    mock_option("topomap", launch->topomap ? launch->topomap : scratch_path("far.csv"));
    if (launch->required)
        mock_option("topomap-options", "required");
    if (launch->bend)
        launch->bend();
    result->status |= slurm_spank_local_user_init(spank, 0, NULL);
    result->layout = *layout;
    result->applied = getenv(PLUGIN_ENV_CARRIED_PLAN) && *getenv(PLUGIN_ENV_CARRIED_PLAN) == '1';
    result->refused = getenv(PLUGIN_ENV_REFUSED) != NULL;
    result->bindings = getenv(PLUGIN_ENV_CARRIED_BINDINGS) != NULL;
    result->spooled = getenv(PLUGIN_ENV_CARRIED_SPOOL) != NULL;
    result->status |= slurm_spank_exit(spank, 0, NULL);
    strcpy(result->said, slurm_mock.said);
    mock_end();
}

/* srun is a process of its own; its leaks are counted too. */
static void run(const struct launch *launch)
{
    pid_t child;
    int status;

    memset(result, 0, sizeof *result);
    result->status = -1;
    fflush(NULL);
    child = fork();
    if (!child) {
        in_child(launch);
        exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) || result->status)
        fail_msg("a hook failed: %x, %d", status, result->status);
}

static int is_permuted(void)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (result->layout.tid[i] != i)
            return 1;
    return 0;
}

/* The tasks of each node ascend, and all are there. */
static void assert_permutation(void)
{
    unsigned seen = 0;

    for (uint32_t i = 0; i < TASKS; i++) {
        assert_true(result->layout.tid[i] < TASKS);
        assert_true(i % EACH == 0 || result->layout.tid[i] > result->layout.tid[i - 1]);
        seen |= 1u << result->layout.tid[i];
    }
    assert_int_equal(seen, (1u << TASKS) - 1);
}

/* Without `required` one line at info, with it one at error and no task is to run. */
static void assert_fault(struct launch launch, const char *text)
{
    for (launch.required = 0; launch.required < 2; launch.required++) {
        run(&launch);
        if (is_permuted() || mock_said("") || result->applied || result->bindings)
            fail_msg("'%s': the layout was touched", text);
        strcpy(slurm_mock.said, result->said);
        if (mock_said("topomap") != 1 || mock_said(text) != 1)
            fail_msg("expected '%s' once, found '%s'", text, result->said);
        assert_int_equal(mock_said(launch.required
                                       ? "; topomap is required, the step does not start"
                                       : "; the step runs with Slurm's own layout"),
                         1);
        assert_int_equal(result->refused, launch.required);
        slurm_mock.said[0] = 0;
    }
}

/* ---- Files -------------------------------------------------------------------------------- */

static void make_db(const char *name, const char *nodes)
{
    const char *xml = scratch_path("node.xml");
    topomap_db_import_options options = {.nodes = nodes};
    hwloc_topology_t topology;
    topomap_db *db;

    hwloc_topology_init(&topology);
    hwloc_topology_set_synthetic(topology, "pack:2 [numa] core:4 pu:2");
    hwloc_topology_load(topology);
    assert_int_equal(hwloc_topology_export_xml(topology, xml, 0), 0);
    hwloc_topology_destroy(topology);
    assert_int_equal(topomap_db_create(scratch_path(name), &db, &err), 0);
    assert_int_equal(topomap_db_import(db, "hwloc", xml, &options, NULL, &err), 0);
    topomap_db_close(db);
}

/* Bytes of a good database, cut or changed. */
static void make_bad_dbs(void)
{
    size_t size;
    char *bytes = scratch_slurp(scratch_path("good.db"), &size);
    static char noise[20000];

    scratch_write("cut.db", bytes, 3000);
    bytes[63] = 99; /* SQLite's user_version, which is the schema's */
    scratch_write("newer.db", bytes, size);
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(i * 2654435761u >> 13);
    scratch_write("noise", noise, sizeof noise);
    free(bytes);
}

static int setup(void **state)
{
    static const char *const sparse[] = {"sparse", "sparse.csv", "sparse.tmg", "sparse.mtx"};
    int failed = scratch_setup(state);

    layout = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (failed || layout == MAP_FAILED || result == MAP_FAILED)
        return -1;
    unsetenv("TOPOMAP_DB");
    unsetenv("TOPOMAP");
    unsetenv("TOPOMAP_GRAPH");
    make_db("good.db", "n[1-4]");
    make_db("others.db", "m[1-4]");
    make_bad_dbs();
    scratch_text("far.csv",
                 "0,8,1000\n1,9,1000\n2,10,1000\n3,11,1000\n4,12,1\n5,13,1\n6,14,1\n7,15,1\n");
    scratch_text("empty", "");
    scratch_text("cut.graph", "8 4\n2\n");
    scratch_text("negative.csv", "0,1,-5\n1,2,3\n");
    scratch_text("large.csv", "0,1,99999999999999999999999\n");
    scratch_text("sum.csv", "0,1,9223372036854775807\n1,2,9223372036854775807\n");
    scratch_text("more.csv", "0,16,1\n");
    scratch_text("plain", "");
    for (size_t i = 0; i < sizeof sparse / sizeof *sparse; i++)
        failed |= truncate(scratch_text(sparse[i], ""), (off_t)10 << 30);
    failed |= mkfifo(scratch_path("fifo"), 0600);
    failed |= mkdir(scratch_path("spool"), 0700);
    return failed;
}

/* The folder below would be in the way of scratch_teardown(), which removes files. */
static int teardown(void **state)
{
    rmdir(scratch_path("spool"));
    return scratch_teardown(state);
}

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

static void a_job_with_a_part_of_its_nodes_is_placed(void **state)
{
    const struct launch launch = {.cores = "0-3;4,7;0-7;2-3"};

    (void)state;
    run(&launch);
    assert_null(strstr(result->said, "info:"));
    assert_permutation();
    assert_true(result->applied && result->bindings);
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
        {"negative.csv", "negative.csv:1: bytes is negative"},
        {"large.csv", "large.csv:1"},
        {"sum.csv", "sum.csv"},
        {"more.csv", "the graph has 17 ranks, the step only 16 tasks"},
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
    assert_fault((struct launch){.topomap = "line\nbreak"}, "has a line break");
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
        {"failed", "no such graph"},
        {"other-counts", "the layout does not have the step's nodes and task counts"},
        {"other-job", "the plan is for another step"},
        {"wrong-checksum", "cut or changed"},
        {"garbage", "not one"},
        {"flood", "over 16 MiB"},
        {"silent", "ended with status 3 and no answer"},
        {"killed", "killed"},
        {"hang", "before its deadline"},
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

static void an_unknown_slurm(void **state)
{
    static const struct {
        void (*bend)(void);
        const char *text;
    } rows[] = {
        {other_version, "and this is 99.11.3: rebuild it"},
        {other_magic, "not as expected (handle)"},
        {no_job, "not as expected (handle)"},
        {wild_job, "not as expected (handle)"},
        {no_layout, "not as expected (pointer)"},
        {wild_layout, "not as expected (pointer)"},
        {other_job, "not as expected (job)"},
        {other_words, "not as expected (job)"},
        {other_uid, "not as expected (job)"},
        {other_step, "not as expected (job)"},
        {more_nodes, "not as expected (node and task counts)"},
        {fewer_tasks, "not as expected (node and task counts)"},
        {no_tids, "not as expected (arrays)"},
        {wild_tids, "not as expected (task ids)"},
        {wild_counts, "not as expected (arrays)"},
        {wild_names, "not as expected (node list)"},
        {odd_names, "not as expected (node list)"},
        {large_count, "not as expected (task ids)"},
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
        assert_int_equal(mock_said("; the step runs with Slurm's own layout"), 1);
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
    assert_fault((struct launch){.bend = lock_layout}, "not as expected (not writable)");
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

static int files_of_spool(void)
{
    return rmdir(scratch_path("spool")) || mkdir(scratch_path("spool"), 0700);
}

static void long_bindings_and_the_spool(void **state)
{
    char word[512];
    struct launch launch = {.fake = "reverse-and-bind-long"};

    (void)state;
    snprintf(word, sizeof word, "spool=%s", scratch_path("spool"));
    run(&launch); /* nowhere to put them */
    assert_true(result->applied && !result->bindings && !result->spooled);
    launch.word = word;
    run(&launch);
    assert_true(result->applied && result->spooled);
    assert_int_equal(files_of_spool(), 0); /* removed at the end */
    launch.bend = no_file_may_grow;
    run(&launch);
    assert_true(result->applied && !result->bindings && !result->spooled);
    assert_int_equal(files_of_spool(), 0);
    launch.bend = NULL;
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

static void records_are_kept(void **state)
{
    const char *folder = scratch_path("spool");
    char word[512], line[64] = "";
    struct launch launch = {.word = word};

    (void)state;
    snprintf(word, sizeof word, "records=%s", folder);
    run(&launch);
    assert_true(result->applied);
    assert_int_equal(take_records(folder, line), 1);
    assert_string_equal(line, "topomap-plan 1\n");
    launch.bend = no_file_may_grow;
    run(&launch);
    assert_true(result->applied);
    assert_int_equal(take_records(folder, line), 0);
    launch.bend = NULL;
    launch.topomap = "stencil2d:5:99"; /* a failure is recorded too */
    run(&launch);
    assert_int_equal(take_records(folder, line), 1);
    launch.topomap = NULL;
    strcpy(word, "records=/nonexist");
    run(&launch);
    assert_true(result->applied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_placed),
        cmocka_unit_test(a_job_with_a_part_of_its_nodes_is_placed),
        cmocka_unit_test(bad_graphs),
        cmocka_unit_test(bad_databases),
        cmocka_unit_test(bad_planners),
        cmocka_unit_test(an_unknown_slurm),
        cmocka_unit_test(task_ids_that_are_none),
        cmocka_unit_test(a_layout_that_cannot_be_written),
        cmocka_unit_test(a_full_environment),
        cmocka_unit_test(long_bindings_and_the_spool),
        cmocka_unit_test(records_are_kept),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
