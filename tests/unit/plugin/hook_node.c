/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/plugin/hook_node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/common/environment.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/clock.h"

spank_f slurm_spank_user_init, slurm_spank_task_init, slurm_spank_init;

static topomap_error err;

/* ---- A node's slurmstepd ------------------------------------------------------------------ */

struct result *result;

/* task/affinity gives each task one CPU or a core of its own; here the first allowed ones in turn,
 * so that none begins with what it is to get. */
static plugin_cpus slurms_mask(const struct node *node, uint32_t task)
{
    static plugin_cpus of; /* what `list` is of */
    static uint32_t list[PLUGIN_CPUS], count;
    plugin_cpus mask = {{0}};

    if (!count || memcmp(&of, &node->cpuset, sizeof of) != 0) {
        of = node->cpuset;
        count = 0;
        for (uint32_t cpu = 0; cpu < PLUGIN_CPUS; cpu++)
            if (plugin_cpus_has(&of, cpu))
                list[count++] = cpu;
    }
    plugin_cpus_add(&mask, list[task % count]);
    return mask;
}

static void set_variables(const struct node *node, uint32_t task)
{
    for (int i = 0; i < HOOK_VARIABLES && node->variable[i]; i++)
        mock_setenv(node->variable[i], task + 1 == node->tasks && node->value_of_last[i]
                                           ? node->value_of_last[i]
                                           : node->value[i]);
}

static void keep_variables(const struct node *node, uint32_t task)
{
    for (int i = 0; task < HOOK_TASKS && i < HOOK_VARIABLES && node->variable[i]; i++) {
        const char *value = mock_getenv(node->variable[i]);

        snprintf(result->value[task][i], sizeof result->value[task][i], "%s", value ? value : "-");
    }
}

/* One after the other in this process, where each task has one of its own in slurmstepd. */
static void run_hooks(const struct node *node)
{
    const char *helper = node->helper ? node->helper : "node_helper=" NODE_HELPER;
    const char *time = node->time ? node->time : "node_ms=60000";
    char *words[] = {(char *)helper, (char *)time, NULL};
    int64_t before;
    spank_t spank;

    mock_begin(S_CTX_REMOTE, JOB, STEP);
    spank = mock_spank();
    slurm_mock.local_tasks = node->tasks;
    slurm_mock.step_cores = node->cores;
    slurm_mock.cpuset = node->cpuset;
    slurm_mock.online = node->online;
    slurm_mock.numa_cpus = node->numa_cpus;
    slurm_mock.fixed_policy = node->fixed_memory;
    slurm_mock.constrained = node->constrained;
    if (node->step_gpus)
        mock_setenv("SLURM_STEP_GPUS", node->step_gpus);
    if (node->bindings)
        mock_setenv(PLUGIN_ENV_CARRIED_BINDINGS, node->bindings);
    mock_setenv(PLUGIN_ENV_CARRIED_PLAN, "1 9f3c01aa 12.5");
    if (node->format)
        mock_setenv(PLUGIN_ENV_CARRIED_FORMAT, node->format);
    if (node->bind_list)
        mock_setenv("SLURM_CPU_BIND_LIST", node->bind_list);
    result->status = slurm_spank_init(spank, 2, words);
    before = topomap_clock_ms();
    result->status |= slurm_spank_user_init(spank, 2, words);
    result->init_ms = topomap_clock_ms() - before;
    for (uint32_t task = 0; task < node->tasks; task++) {
        slurm_mock.task = (int)task;
        slurm_mock.mask = slurms_mask(node, task);
        slurm_mock.policy = (plugin_memory_policy){.mode = node->memory};
        if (node->memory)
            plugin_kernel_numa_nodes(&slurm_mock.mask, &slurm_mock.policy.nodes);
        set_variables(node, task);
        result->status |= slurm_spank_task_init(spank, 0, NULL);
        keep_variables(node, task);
        result->mask[task] = slurm_mock.mask;
        if (task < HOOK_TASKS)
            result->policy[task] = slurm_mock.policy;
        result->set[task] = memcmp(&slurm_mock.mask, &(plugin_cpus){{0}}, sizeof(plugin_cpus)) != 0;
    }
    strcpy(result->said, slurm_mock.said);
    mock_end();
}

void run(const struct node *node)
{
    memset(result, 0, sizeof *result);
    result->status = -1;
    run_hooks(node);
    if (result->status)
        fail_msg("a hook failed: %d", result->status);
}

int is_slurms(const struct node *node, uint32_t task)
{
    plugin_cpus mask = slurms_mask(node, task);

    return !memcmp(&mask, &result->mask[task], sizeof mask);
}

/* ---- A class and its plans ---------------------------------------------------------------- */

static void import(struct machine *m, const char *path)
{
    const char *db_path = scratch_path("hooks.db");
    topomap_db_import_options options = {.nodes = "n1"};

    unlink(db_path);
    assert_int_equal(topomap_db_create(db_path, &m->db, &err), 0);
    if (topomap_db_import(m->db, "hwloc", path, &options, NULL, &err))
        fail_msg("%s: %s", path, err.text);
}

void plan(const struct machine *m, uint32_t tasks, uint32_t cpus, enum topomap_bind bind,
          const char *cores, topomap_bindings *b)
{
    char *name = (char *)"n1";
    topomap_names names = {1, &name};
    topomap_cores has = {0};
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = &names,
                                        .tasks = &tasks,
                                        .cpus_per_task = cpus,
                                        .bind = bind,
                                        .cores = cores ? &has : NULL};
    topomap_machine *made;

    if (cores)
        assert_int_equal(topomap_cores_parse(cores, 1, &has, &err), 0);
    if (topomap_db_machine(m->db, &allocation, &made, b, &err))
        fail_msg("%s", err.text);
    b->job = JOB;
    b->step = STEP;
    topomap_machine_free(made);
    topomap_cores_clear(&has);
}

void open_machine(struct machine *m, const char *path)
{
    topomap_bindings b;

    memset(m, 0, sizeof *m);
    import(m, path);
    plan(m, 1, 1, TOPOMAP_BIND_CORE, NULL, &b);
    m->inside = b.node_class[0];
    b.classes = 0;
    m->pus = m->inside.pu_first[m->inside.cores];
    for (uint32_t i = 0; i < m->pus; i++)
        plugin_cpus_add(&m->all, m->inside.pu_os[i]);
    topomap_bindings_clear(&b);
}

void close_machine(struct machine *m)
{
    free(m->inside.pu_first);
    free(m->inside.pu_os);
    topomap_db_close(m->db);
}

const char *describe(const char *text, int cut)
{
    const char *path = scratch_path("node.xml");
    hwloc_bitmap_t keep = hwloc_bitmap_alloc();
    hwloc_topology_t topology;

    hwloc_topology_init(&topology);
    assert_int_equal(hwloc_topology_set_synthetic(topology, text), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    for (int i = 0; i < hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU); i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i);

        if (!cut || pu->parent->logical_index % 3 || pu->sibling_rank == 0)
            hwloc_bitmap_set(keep, pu->os_index);
    }
    assert_int_equal(hwloc_topology_restrict(topology, keep, 0), 0);
    assert_int_equal(hwloc_topology_export_xml(topology, path, 0), 0);
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(keep);
    return path;
}

struct machine small;

void open_small(struct node *node, topomap_bindings *b)
{
    open_machine(&small, describe("pack:2 [numa] core:4 pu:2", 0));
    plan(&small, 4, 1, TOPOMAP_BIND_CORE, NULL, b);
    *node = (struct node){.tasks = 4, .cores = "0-7", .cpuset = small.all, .online = small.all};
}

void open_small_bound(struct node *node, topomap_bindings *b)
{
    open_small(node, b);
    node->bindings = topomap_bindings_encode(b, &err);
    assert_non_null(node->bindings);
}

void close_small(struct node *node, topomap_bindings *b)
{
    free((char *)(uintptr_t)node->bindings);
    topomap_bindings_clear(b);
    close_machine(&small);
}

int hook_node_setup(void **state)
{
    result = malloc(sizeof *result);
    return !result ? -1 : scratch_setup(state);
}

int hook_node_teardown(void **state)
{
    free(result);
    return scratch_teardown(state);
}

/* ---- Masks -------------------------------------------------------------------------------- */

void check_planned(const char *what, const struct node *node, const topomap_bindings *b)
{
    for (uint32_t task = 0; task < node->tasks; task++) {
        plugin_cpus planned = {{0}};

        for (uint32_t i = b->pu_start[task]; i < b->pu_start[task + 1]; i++)
            plugin_cpus_add(&planned, b->pu[i]);
        if (memcmp(&planned, &result->mask[task], sizeof planned))
            fail_msg("%s: task %u of %u has not the planned CPUs: %s", what, task, node->tasks,
                     result->said);
    }
    if (*result->said)
        fail_msg("%s: said %s", what, result->said);
}

void check_disjoint(const char *what, const struct node *node)
{
    plugin_cpus used = {{0}};

    for (uint32_t task = 0; task < node->tasks; task++)
        for (uint32_t cpu = 0; cpu < PLUGIN_CPUS; cpu++)
            if (plugin_cpus_has(&result->mask[task], cpu)) {
                if (plugin_cpus_has(&used, cpu))
                    fail_msg("%s: CPU %u has two of %u tasks", what, cpu, node->tasks);
                plugin_cpus_add(&used, cpu);
            }
}

void assert_left(const struct node *node, const char *text)
{
    run(node);
    for (uint32_t task = 0; task < node->tasks; task++)
        if (!is_slurms(node, task))
            fail_msg("task %u was bound", task);
    if (!text)
        assert_string_equal(result->said, "");
    else if (!message_has(result->said, text) || strchr(strchr(result->said, '\n') + 1, '\n'))
        fail_msg("expected '%s', found '%s'", text, result->said);
}
