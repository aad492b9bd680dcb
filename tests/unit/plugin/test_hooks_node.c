/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin's hooks as slurmstepd calls them, on nodes of every kind, large ones too: the masks
 * that they set are the plan's, and inside what Slurm and the kernel allow, whatever that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/common/environment.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/hook_node.h"
#include "tests/unit/scratch.h"
#include "util/random.h"

spank_f slurm_spank_user_init, slurm_spank_task_init, slurm_spank_init, slurm_spank_init_post_opt,
    slurm_spank_exit;

#ifdef TOPOMAP_SANITIZED
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static topomap_error err;

/* ---- What Slurm allows -------------------------------------------------------------------- */

/* Which cores a step has, and how its cgroup cuts them. */
struct allowed {
    char cores[40960]; /* every second core of 8,192 is listed alone */
    plugin_cpus by_cores, cpuset;
    uint32_t count; /* cores */
};

static void allow(const struct machine *m,
                  int (*has)(const struct machine *m, uint32_t core, void *data), void *data,
                  struct allowed *a)
{
    memset(a, 0, sizeof *a);
    for (uint32_t core = 0; core < m->inside.cores; core++) {
        if (!has(m, core, data))
            continue;
        sprintf(a->cores + strlen(a->cores), "%s%u", a->count++ ? "," : "", core);
        for (uint32_t i = m->inside.pu_first[core]; i < m->inside.pu_first[core + 1]; i++)
            plugin_cpus_add(&a->by_cores, m->inside.pu_os[i]);
    }
    a->cpuset = a->by_cores;
}

static int every(const struct machine *m, uint32_t core, void *data)
{
    (void)m, (void)core, (void)data;
    return 1;
}

static int first_half(const struct machine *m, uint32_t core, void *data)
{
    (void)data;
    return core < (m->inside.cores + 1) / 2;
}

static int last_third(const struct machine *m, uint32_t core, void *data)
{
    (void)data;
    return core >= m->inside.cores - (m->inside.cores + 2) / 3;
}

static int odd(const struct machine *m, uint32_t core, void *data)
{
    (void)data;
    return core % 2 || m->inside.cores == 1;
}

static int by_chance(const struct machine *m, uint32_t core, void *data)
{
    return topomap_random_below(data, 3) > 0 || core == m->inside.cores - 1;
}

static int one(const struct machine *m, uint32_t core, void *data)
{
    (void)data;
    return core == m->inside.cores / 2;
}

/* ---- Masks -------------------------------------------------------------------------------- */

static uint32_t size_of(const plugin_cpus *set)
{
    uint32_t count = 0;

    for (uint32_t cpu = 0; cpu < PLUGIN_CPUS; cpu++)
        count += (uint32_t)plugin_cpus_has(set, cpu);
    return count;
}

static void check_inside(const char *what, const struct node *node, const plugin_cpus *allowed)
{
    for (uint32_t task = 0; task < node->tasks; task++)
        if (!plugin_cpus_within(&result->mask[task], allowed) || !size_of(&result->mask[task]))
            fail_msg("%s: task %u of %u is outside what is allowed", what, task, node->tasks);
}

static int is_disjoint(const topomap_bindings *b)
{
    plugin_cpus used = {{0}};

    for (uint32_t i = 0; i < b->pu_start[b->task_first[1]]; i++) {
        if (plugin_cpus_has(&used, b->pu[i]))
            return 0;
        plugin_cpus_add(&used, b->pu[i]);
    }
    return 1;
}

/* A plan that binds no task is for tasks that need more CPUs than there are. */
static void check_overcommitted(const char *what, const struct node *node, uint32_t cpus,
                                const plugin_cpus *has)
{
    run(node);
    if (node->tasks * cpus <= size_of(has))
        fail_msg("%s: the plan does not bind %u tasks", what, node->tasks);
    for (uint32_t task = 0; task < node->tasks; task++)
        assert_true(is_slurms(node, task));
    assert_string_equal(result->said, "");
}

/* The plan knew what the step has: the masks are the plan. */
static void as_planned(const char *what, const struct machine *m, const struct allowed *a,
                       uint32_t tasks, uint32_t cpus, enum topomap_bind bind)
{
    struct node node = {.tasks = tasks, .cores = a->cores, .cpuset = a->cpuset, .online = m->all};
    topomap_bindings b;
    char *text;

    plan(m, tasks, cpus, bind, a->cores, &b);
    node.bindings = text = topomap_bindings_encode(&b, &err);
    assert_non_null(text);
    if (b.pu_start[tasks]) {
        run(&node);
        check_planned(what, &node, &b);
        check_inside(what, &node, &a->by_cores);
        node.cpuset = m->all; /* no cgroup: Slurm's list of cores is the bound */
        run(&node);
        check_planned(what, &node, &b);
    } else {
        check_overcommitted(what, &node, cpus, &a->by_cores);
    }
    topomap_bindings_clear(&b);
    free(text);
}

/* The plan was for the whole node, and the step has a part. */
static void as_well_as_can_be(const char *what, const struct machine *m, const struct allowed *a,
                              uint32_t tasks, uint32_t cpus, enum topomap_bind bind)
{
    struct node node = {.tasks = tasks, .cores = a->cores, .cpuset = a->cpuset, .online = m->all};
    plugin_cpus both = a->by_cores;
    topomap_bindings b;
    char *text;

    for (size_t i = 0; i < sizeof both.bit / sizeof *both.bit; i++)
        both.bit[i] &= a->cpuset.bit[i];
    plan(m, tasks, cpus, bind, NULL, &b);
    node.bindings = text = topomap_bindings_encode(&b, &err);
    run(&node);
    check_inside(what, &node, &a->cpuset);
    if (!b.pu_start[tasks]) {
        check_overcommitted(what, &node, cpus, &m->all);
    } else if (!*result->said) {
        check_inside(what, &node, &both);
        if (is_disjoint(&b))
            check_disjoint(what, &node);
    } else {
        assert_true(bind == TOPOMAP_BIND_NUMA || size_of(&both) < tasks);
        for (uint32_t task = 0; task < tasks; task++)
            assert_true(is_slurms(&node, task));
        assert_message(result->said, "binding");
        assert_null(strchr(strchr(result->said, '\n') + 1, '\n'));
    }
    topomap_bindings_clear(&b);
    free(text);
}

/* A cgroup that has the first hardware thread of each core alone. */
static void first_threads(const struct machine *m, struct allowed *a)
{
    memset(&a->cpuset, 0, sizeof a->cpuset);
    for (uint32_t core = 0; core < m->inside.cores; core++) {
        uint32_t cpu = m->inside.pu_os[m->inside.pu_first[core]];

        if (plugin_cpus_has(&a->by_cores, cpu))
            plugin_cpus_add(&a->cpuset, cpu);
    }
}

static void all_of(const char *name, const struct machine *m, const struct allowed *a)
{
    const struct {
        uint32_t tasks, cpus;
        enum topomap_bind bind;
        int whole; /* the plan is for the whole node */
    } rows[] = {
        {1, 1, TOPOMAP_BIND_CORE, 0},
        {3, 1, TOPOMAP_BIND_CORE, 0},
        {3, 4, TOPOMAP_BIND_CORE, 0},
        {2, 1, TOPOMAP_BIND_NUMA, 0},
        {(a->count + 1) / 2, 1, TOPOMAP_BIND_CORE, 0},
        {a->count, 1, TOPOMAP_BIND_CORE, 0},
        {a->count, 1, TOPOMAP_BIND_NUMA, 0},
        {2 * a->count, 1, TOPOMAP_BIND_CORE, 0},
        {2 * a->count, 1, TOPOMAP_BIND_PU, 0},
        {1, 3, TOPOMAP_BIND_CORE, 1},
        {(a->count + 1) / 2, 1, TOPOMAP_BIND_CORE, 1},
        {a->count, 1, TOPOMAP_BIND_PU, 1},
        {a->count, 1, TOPOMAP_BIND_NUMA, 1},
        {2 * a->count, 1, TOPOMAP_BIND_CORE, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char what[512];

        if (rows[i].tasks > TASKS_MOST)
            continue;
        snprintf(what, sizeof what, "%.200s, cores %.100s, row %zu", name, a->cores, i);
        (rows[i].whole ? as_well_as_can_be : as_planned)(what, m, a, rows[i].tasks, rows[i].cpus,
                                                         rows[i].bind);
    }
}

static void try_machine(const char *name, const char *path)
{
    static int (*const shapes[])(const struct machine *m, uint32_t core,
                                 void *data) = {every, first_half, last_third, odd, by_chance, one};
    static struct allowed a;
    topomap_random random = {11};
    struct machine m;

    open_machine(&m, path);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (i % (SANITIZED ? 6 : m.pus > 512 ? 3 : 1)) /* each runs many processes */
            continue;
        allow(&m, shapes[i], &random, &a);
        if (!a.count)
            continue;
        all_of(name, &m, &a);
        first_threads(&m, &a);
        as_well_as_can_be(name, &m, &a, a.count, 1, TOPOMAP_BIND_CORE);
        as_well_as_can_be(name, &m, &a, a.count, 1, TOPOMAP_BIND_PU);
        as_well_as_can_be(name, &m, &a, 2, 4, TOPOMAP_BIND_CORE);
    }
    close_machine(&m);
}

/* ---- Machines ----------------------------------------------------------------------------- */

static void large_and_odd_classes(void **state)
{
    static const struct {
        const char *name, *text;
        int cut;
    } rows[] = {
        {"two packages of 64 cores of two threads", "pack:2 [numa] l3:8 core:8 pu:2", 0},
        {"one package of 128 cores", "pack:1 [numa] l3:16 core:8 pu:1", 0},
        {"SNC4", "pack:2 group:4 [numa] core:14 pu:2", 0},
        {"NPS4", "pack:2 group:4 [numa] l3:2 core:8 pu:2", 0},
        {"hybrid cores", "pack:1 [numa] l3:1 l2:8 core:3 pu:2", 1},
        {"four threads a core", "pack:1 group:4 [numa] core:16 pu:4", 0},
        {"threads far apart", "pack:2 [numa] core:8 pu:2(indexes=8*2:2*1)", 0},
        {"one core", "pack:1 core:1 pu:1", 0},
        {"1,024 PUs", "pack:16 [numa] core:32 pu:2", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try_machine(rows[i].name, describe(rows[i].text, rows[i].cut));
}

/* The exports of real nodes, where they lie beside the checkout. */
static void real_classes(void **state)
{
    DIR *folder = opendir(SHARED_DATA "/hwloc");
    struct dirent *entry;
    int files = 0;

    (void)state;
    if (!folder)
        skip();
    while ((entry = readdir(folder))) {
        char path[512];

        if (!strstr(entry->d_name, ".xml"))
            continue;
        snprintf(path, sizeof path, SHARED_DATA "/hwloc/%.300s", entry->d_name);
        try_machine(entry->d_name, path);
        files++;
    }
    closedir(folder);
    assert_true(files > 0);
}

/* ---- Plans and nodes that are not right ---------------------------------------------------- */

static void damaged_plans_leave_slurms_masks(void **state)
{
    static const char *const texts[] = {
        "", "T1", "T", "garbage", "T1AAAA", "T1========", "T2AAAAAAAAAA", "%n%s%s%n", " T1"};
    topomap_random random = {5};
    topomap_bindings b;
    struct node node;
    char *good, *text;

    (void)state;
    open_small(&node, &b);
    good = topomap_bindings_encode(&b, &err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        node.bindings = texts[i];
        assert_left(&node, "binding");
    }
    for (size_t cut = 0; cut < strlen(good); cut += SANITIZED ? 8 : 1) {
        node.bindings = text = strndup(good, cut);
        assert_left(&node, "binding");
        free(text);
    }
    for (int i = 0; i < (SANITIZED ? 40 : 500); i++) {
        text = strdup(good);
        text[topomap_random_below(&random, (uint32_t)strlen(good))] =
            (char)(1 + topomap_random_below(&random, 255));
        node.bindings = text;
        run(&node);
        check_inside("a damaged plan", &node, &small.all);
        if (strcmp(text, good) != 0)
            assert_left(&node, "binding");
        free(text);
    }
    node.bindings = good;
    run(&node);
    check_planned("the good one", &node, &b);
    free(good);
    topomap_bindings_clear(&b);
    close_machine(&small);
}

/* During a rolling upgrade srun's plugin may be newer than the node's, or older. */
static void plans_of_other_formats_are_not_looked_at(void **state)
{
    static const char *const others[] = {"2 0.9.0", "0", "x", "4294967297 0.1.0", "2"};
    static const char *const ours[] = {NULL, "1 0.1.0", "1", "1 99.0"};
    topomap_bindings b;
    struct node node;

    (void)state;
    open_small_bound(&node, &b);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        node.format = others[i];
        assert_left(&node, "binding");
        assert_message(result->said, "reads format 1;");
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        node.format = ours[i];
        run(&node);
        check_planned("its own format", &node, &b);
        assert_string_equal(result->said, "");
    }
    close_small(&node, &b);
}

static void plans_for_others_are_nobodys(void **state)
{
    topomap_bindings b;
    struct node node;
    char *text;

    (void)state;
    open_small(&node, &b);
    node.bindings = NULL;
    assert_left(&node, NULL);
    for (int i = 0; i < 3; i++) {
        b.job = JOB + (i == 0);
        b.step = STEP + (i == 1);
        node.tasks = 4 + (i == 2);
        node.bindings = text = topomap_bindings_encode(&b, &err);
        assert_left(&node, NULL);
        free(text);
    }
    topomap_bindings_clear(&b);
    close_machine(&small);
}

static void nodes_of_another_kind_say_so(void **state)
{
    topomap_bindings b;
    struct node node;

    (void)state;
    open_small_bound(&node, &b);
    node.cores = "0-8";
    assert_left(&node, "cores|database");
    node.cores = "0-x";
    assert_left(&node, "cores|database");
    node.cores = "0-1"; /* two cores for four tasks: four threads */
    run(&node);
    check_inside("two cores", &node, &(plugin_cpus){{0x0f}});
    check_disjoint("two cores", &node);
    close_small(&node, &b);
}

/* What task/affinity bound to, and the CPUs that there are, tell that the class is another one. */
static void slurms_own_masks_are_believed(void **state)
{
    topomap_bindings b;
    struct node node;

    (void)state;
    open_small_bound(&node, &b);
    node.bind_list = "0x0003,0x000c,0x0030,0x00c0";
    run(&node);
    check_planned("bound where the class has CPUs", &node, &b);
    node.cores = "0-3";
    node.bind_list = "0x0003,0x0300";
    assert_left(&node, "CPUs|cores|database");
    node.cores = "0-7";
    node.bind_list = "0x0003";
    memset(&node.online, 0, sizeof node.online);
    assert_int_equal(plugin_cpus_read_list("0-31", &node.online), 0);
    assert_left(&node, "CPUs|database");
    assert_int_equal(plugin_cpus_read_list("0-7", &node.online), 0);
    assert_left(&node, "CPUs|database");
    node.bind_list = "garbage";
    run(&node);
    check_planned("no masks", &node, &b);
    close_small(&node, &b);
}

/* The cpuset shrinks between srun's look and the tasks' start. */
static void no_cpu_is_left(void **state)
{
    topomap_bindings b;
    struct node node;

    (void)state;
    open_small_bound(&node, &b);
    node.cores = "0-3";
    memset(&node.cpuset, 0, sizeof node.cpuset);
    assert_int_equal(plugin_cpus_read_list("12-15", &node.cpuset), 0);
    assert_left(&node, "CPUs|tasks");
    node.cores = NULL; /* not known: what task/affinity gave each is all there is */
    run(&node);
    check_inside("without a list of cores", &node, &node.cpuset);
    close_small(&node, &b);
}

/* In slurmd, slurmstepd and the prolog these run as root: of the job they ask nothing, and give its
 * options, which the user wrote, to nobody. */
static void hooks_of_root_ask_for_nothing(void **state)
{
    static const spank_context_t contexts[] = {S_CTX_REMOTE, S_CTX_SLURMD, S_CTX_JOB_SCRIPT};
    char word[] = "spool=/tmp", *words[] = {word, NULL};
    topomap_bindings b;
    struct node node;
    char *text;

    (void)state;
    open_small(&node, &b);
    text = topomap_bindings_encode(&b, &err);
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
        mock_begin(contexts[i], JOB, STEP);
        mock_setenv(PLUGIN_ENV_CARRIED_BINDINGS, text);
        mock_setenv("SLURM_TOPOMAP", "/etc/shadow");
        assert_int_equal(slurm_spank_init(mock_spank(), 1, words), 0);
        for (int k = 0; k < slurm_mock.options; k++)
            assert_int_equal(slurm_mock.option[k].cb(slurm_mock.option[k].val, "/etc/shadow", 1),
                             0);
        assert_int_equal(slurm_spank_init_post_opt(mock_spank(), 1, words), 0);
        assert_int_equal(slurm_spank_exit(mock_spank(), 1, words), 0);
        if (contexts[i] != S_CTX_REMOTE) {
            assert_int_equal(slurm_mock.options, 0);
            assert_int_equal(slurm_spank_user_init(mock_spank(), 1, words), 0);
            assert_int_equal(slurm_spank_task_init(mock_spank(), 1, words), 0);
        }
        assert_int_equal(slurm_mock.asked, 0);
        assert_string_equal(slurm_mock.said, "");
        mock_end();
    }
    free(text);
    topomap_bindings_clear(&b);
    close_machine(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_and_odd_classes),
        cmocka_unit_test(real_classes),
        cmocka_unit_test(damaged_plans_leave_slurms_masks),
        cmocka_unit_test(plans_of_other_formats_are_not_looked_at),
        cmocka_unit_test(plans_for_others_are_nobodys),
        cmocka_unit_test(nodes_of_another_kind_say_so),
        cmocka_unit_test(slurms_own_masks_are_believed),
        cmocka_unit_test(no_cpu_is_left),
        cmocka_unit_test(hooks_of_root_ask_for_nothing),
    };

    return cmocka_run_group_tests(tests, hook_node_setup, hook_node_teardown);
}
