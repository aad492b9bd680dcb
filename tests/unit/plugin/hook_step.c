/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/plugin/hook_step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/common/environment.h"
#include "plugin/srun/srun.h"
#include "tests/unit/scratch.h"
#include "topology-db/db.h"
#include "util/clock.h"

spank_f slurm_spank_init, slurm_spank_init_post_opt, slurm_spank_local_user_init, slurm_spank_exit;

static topomap_error err;

/* ---- A step ------------------------------------------------------------------------------- */

struct layout *layout;
struct result *result;

void make_layout(void)
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

/* Its commands are left in "asked". */
static void fake_scontrol(const char *line, char *word, size_t size)
{
    char script[2048];

    snprintf(script, sizeof script, "#!/bin/sh\ncat >'%s'\n%s\n", scratch_path("asked"), line);
    snprintf(word, size, "scontrol=%s", scratch_text("scontrol", script));
    assert_int_equal(chmod(scratch_path("scontrol"), 0700), 0);
    unlink(scratch_path("asked"));
}

static void in_child(const struct launch *launch)
{
    static char db[512], planner[512], deadline[] = "deadline_ms=12000", program[] = "a.out";
    static char *program_words[] = {program, NULL};
    static char scontrol[512] = "scontrol=none";
    char cluster[32];
    char *words[] = {planner, db, deadline, scontrol, (char *)launch->word};
    int64_t before;
    spank_t spank;

    if (launch->fake) {
        setenv("FAKE_PLANNER", launch->fake, 1);
        if (strcmp(launch->fake, "hang") == 0)
            strcpy(deadline, "deadline_ms=300");
    }
    /* What a job remembers of its planners is this one's alone. */
    snprintf(cluster, sizeof cluster, "test-%ld", (long)(launch->same_job ? getppid() : getpid()));
    setenv("SLURM_CLUSTER_NAME", cluster, 1);
    if (launch->scontrol)
        fake_scontrol(launch->scontrol, scontrol, sizeof scontrol);
    if (launch->job_cpus) {
        setenv("SLURM_JOB_ID", JOB_TEXT, 1);
        setenv("SLURM_JOB_CPUS_PER_NODE", launch->job_cpus, 1);
    }
    mock_begin(S_CTX_LOCAL, JOB, STEP);
    make_layout();
    slurm_mock.nodes = NODES;
    slurm_mock.tasks = TASKS;
    slurm_mock.launcher.layout = &layout->layout;
    slurm_mock.launcher.count = 1;
    slurm_mock.launcher.words = program_words;
    snprintf(db, sizeof db, "db=%s", launch->db ? launch->db : scratch_path("good.db"));
    snprintf(planner, sizeof planner, "planner=%s",
             launch->planner ? launch->planner
             : launch->fake  ? FAKE_PLANNER
                             : REAL_PLANNER);
    spank = mock_spank();
    if (launch->bend_load)
        launch->bend_load();
    result->status = slurm_spank_init(spank, launch->word ? 5 : 4, words);
    mock_option("topomap", launch->topomap ? launch->topomap : scratch_path("far.csv"));
    if (launch->required)
        mock_option("topomap-options", "required");
    if (launch->explain)
        mock_option("topomap-explain", launch->explain);
    if (launch->bend)
        launch->bend();
    before = topomap_clock_ms();
    result->status |= slurm_spank_local_user_init(spank, 0, NULL);
    result->place_ms = topomap_clock_ms() - before;
    result->layout = *layout;
    result->applied = getenv(PLUGIN_ENV_CARRIED_PLAN) && *getenv(PLUGIN_ENV_CARRIED_PLAN) == '1';
    result->refused = getenv(PLUGIN_ENV_REFUSED) != NULL;
    result->bindings = getenv(PLUGIN_ENV_CARRIED_BINDINGS) != NULL;
    result->spooled = getenv(PLUGIN_ENV_CARRIED_SPOOL) != NULL;
    if (launch->bend_end)
        launch->bend_end();
    before = topomap_clock_ms();
    result->status |= slurm_spank_exit(spank, 0, NULL);
    result->end_ms = topomap_clock_ms() - before;
    strcpy(result->said, slurm_mock.said);
    mock_end();
}

void run(const struct launch *launch)
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

/* ---- Asynchronous steps ------------------------------------------------------------------- */

static int64_t async_began;

static void keep_said(void)
{
    if (!*result->said)
        strcpy(result->said, slurm_mock.said);
    result->end_ms = topomap_clock_ms() - async_began;
}

int run_async(const char *topomap, const char *options, char *word, void (*bend)(void))
{
    char *words[] = {word};
    int status;
    pid_t child;

    memset(result, 0, sizeof *result);
    fflush(NULL);
    child = fork();
    if (!child) {
        mock_begin(S_CTX_LOCAL, JOB, STEP);
        slurm_mock.tasks = TASKS;
        ((plugin_launcher *)plugin_launcher_get())->async = 1;
        atexit(keep_said);
        if (bend)
            bend();
        async_began = topomap_clock_ms();
        if (slurm_spank_init(mock_spank(), word ? 1 : 0, words) ||
            (topomap && mock_option("topomap", topomap)) ||
            (options && mock_option("topomap-options", options)) ||
            slurm_spank_init_post_opt(mock_spank(), 0, NULL))
            _exit(99);
        keep_said();
        mock_end();
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

int is_permuted(void)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (result->layout.tid[i] != i)
            return 1;
    return 0;
}

void assert_permutation(void)
{
    unsigned seen = 0;

    for (uint32_t i = 0; i < TASKS; i++) {
        assert_true(result->layout.tid[i] < TASKS);
        assert_true(i % EACH == 0 || result->layout.tid[i] > result->layout.tid[i - 1]);
        seen |= 1u << result->layout.tid[i];
    }
    assert_int_equal(seen, (1u << TASKS) - 1);
}

void assert_fault(struct launch launch, const char *text)
{
    for (launch.required = 0; launch.required < 2; launch.required++) {
        run(&launch);
        if (is_permuted() || mock_said("") || result->applied || result->bindings)
            fail_msg("'%s': the layout was touched", text);
        strcpy(slurm_mock.said, result->said);
        if (mock_said("topomap") != 1 || mock_said(text) != 1)
            fail_msg("expected '%s' once, found '%s'", text, result->said);
        assert_int_equal(mock_said(launch.required ? " required" : "Slurm's own layout"), 1);
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

int hook_step_setup(void **state)
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
int hook_step_teardown(void **state)
{
    rmdir(scratch_path("spool"));
    return scratch_teardown(state);
}
