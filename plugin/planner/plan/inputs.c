/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/graph.h"
#include "graph/open/open.h"
#include "metric/metric.h"
#include "plugin/planner/request/request.h"
#include "request/request.h"
#include "util/alloc.h"
#include "util/hash64.h"
#include "util/full_io.h"
#include "plan/node_plan.h"

void planner_inputs_note(planner_inputs *in, const char *format, ...)
{
    size_t used = strlen(in->note);
    va_list args;

    if (used && used + 2 < sizeof in->note)
        used += (size_t)snprintf(in->note + used, sizeof in->note - used, "; ");
    va_start(args, format);
    vsnprintf(in->note + used, sizeof in->note - used, format, args);
    va_end(args);
}

void planner_inputs_print_routes(const planner_inputs *in, const char *model, FILE *out)
{
    const char *how = in->routes == TOPOMAP_DB_ROUTES_SHARED    ? in->routing
                      : in->routes == TOPOMAP_DB_ROUTES_UNKNOWN ? "not known"
                                                                : "not those of the tables";

    if (strcmp(model, "routes") == 0 && in->routes == TOPOMAP_DB_ROUTES_PREDICTED)
        fprintf(out,
                "topomap: routes: predicted (OpenSM %s); import the tables with `topomap db import "
                "lft` for certainty\n",
                in->routing);
    else if (strcmp(model, "exact") == 0)
        fprintf(out,
                "topomap: routes: %s%s; traffic is assumed to use all shortest paths equally\n",
                strncmp(how, "ar_", 3) == 0 ? "adaptive, " : "", how);
}

void planner_inputs_fall_back(planner_inputs *in, const char *why)
{
    int kind = in->request->asked.objective.kind;

    if (kind != TOPOMAP_REQUEST_OBJECTIVE_AUTO)
        planner_inputs_note(in, "placed for J, not for %s: %.160s",
                            topomap_plan_objective((enum topomap_objective_kind)kind), why);
    in->objective = TOPOMAP_OBJECTIVE_J;
}

static void take_cores(planner_inputs *in, const char *text, topomap_error *why)
{
    if (text && planner_cores_read(in->request, &in->by_slot, text, &in->cores, why) == 0)
        in->told = topomap_cores_format(&in->cores, why);
    if (in->told)
        snprintf(in->cores_detail, sizeof in->cores_detail,
                 "the job's cores, by scontrol: %.300s%s", in->told,
                 strlen(in->told) > 300 ? "..." : "");
    else
        snprintf(in->cores_detail, sizeof in->cores_detail,
                 "the job's cores are not known (%.240s): the plan is for whole nodes", why->text);
}

/* Which GPUs the job has is looked at again on the node, so where it is not told, all are taken. */
static void take_gpus(planner_inputs *in, const char *text, topomap_error *why)
{
    size_t used = strlen(in->cores_detail);
    TOPOMAP_FREED char *told = NULL;

    if (text && planner_gpus_read(in->request, text, &in->gpus, why) == 0)
        told = planner_gpus_format(&in->gpus, why);
    if (told)
        snprintf(in->cores_detail + used, sizeof in->cores_detail - used, "%sGPUs: %.60s",
                 used ? "; its " : "the job's ", told);
}

/* \return nonzero: scontrol has told the job's cores, and of some node they are a part */
static int ask_job(planner_inputs *in)
{
    int cores = planner_cores_wanted(in->request, &in->by_slot),
        gpus = planner_gpus_ask(in->request, &in->gpus);
    topomap_error why;
    TOPOMAP_FREED char *text = NULL;

    if (!cores && !gpus)
        return 0;
    text = planner_cores_ask(in->request, &in->by_slot, &why);
    if (cores)
        take_cores(in, text, &why);
    if (gpus)
        take_gpus(in, text, &why);
    return in->told && in->cores.first[in->cores.nodes] > 0;
}

/* Who names an objective that goes by links has places that are cores. */
static int may_be_gpus(const planner_inputs *in, int links)
{
    int kind = in->request->asked.objective.kind;

    return !links && (kind == TOPOMAP_OBJECTIVE_J || kind == TOPOMAP_REQUEST_OBJECTIVE_AUTO);
}

/* By all cores of its nodes, which also says how many these have; most jobs have all of them. */
static int make_machine(planner_inputs *in, topomap_db *db, topomap_db_allocation *allocation,
                        topomap_error *err)
{
    if (topomap_db_machine(db, allocation, &in->machine, &in->by_slot, err) != 0 ||
        planner_gpus_open(db, in->request, &in->gpus, err) != 0)
        return -1;
    if (!ask_job(in))
        return 0;
    topomap_machine_free(in->machine);
    topomap_bindings_clear(&in->by_slot);
    in->machine = NULL;
    allocation->cores = &in->cores;
    return topomap_db_machine(db, allocation, &in->machine, &in->by_slot, err);
}

/* Who is bound next to a GPU is bound to cores. */
static enum topomap_bind bind_of(const planner_request *request)
{
    return request->asked.bind == TOPOMAP_REQUEST_BIND_GPU ? TOPOMAP_BIND_CORE
                                                           : (enum topomap_bind)request->asked.bind;
}

/* \p links: they must be known. */
static int open_machine(planner_inputs *in, int links, topomap_error *err)
{
    const planner_request *r = in->request;
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = &r->nodes,
                                        .tasks = r->tasks,
                                        .cpus_per_task = r->asked.cpus_per_task,
                                        .threads_per_core = r->asked.threads_per_core,
                                        .bind = bind_of(r),
                                        .compact = r->asked.compact,
                                        .cores = r->cores.nodes ? &r->cores : NULL};
    topomap_db_times times;
    topomap_error why;
    topomap_db *db;
    int status;

    if (topomap_db_open(r->asked.db, &db, err) != 0)
        return -1;
    status = make_machine(in, db, &allocation, err);
    if (status == 0 && may_be_gpus(in, links))
        planner_gpu_machine_make(db, &allocation, in);
    if (status == 0)
        status = planner_constraints_asides(in, err);
    if (status == 0 && in->slot_gpu)
        in->objective = TOPOMAP_OBJECTIVE_J;
    else if (status == 0 && links)
        status = topomap_db_machine_links(db, &allocation, r->asked.capacity, in->machine, err);
    else if (status == 0 && r->asked.objective.kind != TOPOMAP_OBJECTIVE_J && r->nodes.count > 1 &&
             topomap_db_machine_links(db, &allocation, r->asked.capacity, in->machine, &why) != 0)
        planner_inputs_fall_back(in, why.text);
    else if (status == 0)
        in->objective = planner_objective(&r->asked, in->machine);
    if (status == 0 && r->asked.explain && in->machine->network &&
        topomap_db_routing(db, &in->routes, in->routing, sizeof in->routing, &why) != 0)
        in->routes = TOPOMAP_DB_ROUTES_UNKNOWN; /* no reason to fail a launch */
    if (status == 0 && (links || in->objective == TOPOMAP_OBJECTIVE_TIME))
        status = topomap_db_time_costs(db, &in->costs, &in->measured, err);
    if (status == 0 && !(in->measured & TOPOMAP_DB_MEMORY_RATE))
        in->costs.memory_rate = topomap_time_memory(in->machine, &in->costs);
    if (status == 0 && planner_message_bytes(&r->asked, in->objective, 1) > 0)
        status = topomap_db_message_bytes(db, &in->message_bytes, err);
    if (status == 0)
        status = planner_layouts_of_step(r, db, in->machine, &in->layouts, err);
    if (status == 0 && r->asked.capacity && in->objective == TOPOMAP_OBJECTIVE_J)
        planner_inputs_note(in,
                            "capacity= is for objectives that go by links, and was passed over");
    if (status == 0 && r->asked.explain && topomap_db_times_of(db, &times, &why) == 0)
        topomap_db_times_put(&times, in->age, sizeof in->age);
    topomap_db_close(db);
    in->by_slot.job = r->asked.job;
    in->by_slot.step = r->asked.step;
    return status;
}

/* ---- tasks=node: a graph of GPUs --------------------------------------------------------- */

static int has_one_a_node(const planner_request *request)
{
    for (size_t node = 0; node < request->nodes.count; node++)
        if (request->tasks[node] != 1)
            return 0;
    return 1;
}

/* Returns how many of the graph's vertices each task stands for: with tasks=node the GPUs of a
 * node, or 0 if their number is not known or differs between nodes: the graph's size decides then.
 * Returns 1 without tasks=node and, with a note, if some node has not exactly one task. */
static uint32_t node_tasks_each(planner_inputs *in)
{
    const planner_request *request = in->request;
    uint32_t gpu[TOPOMAP_DEVICES_MOST], each = 0;
    uint32_t said = topomap_gpu_bound_count(request->asked.step_gpus);

    if (request->asked.tasks_are != TOPOMAP_TASKS_NODE)
        return 1;
    if (!has_one_a_node(request)) {
        planner_inputs_note(in, "tasks=node is for steps of one task on each node, and was passed "
                                "over");
        return 1;
    }
    if (said && said <= TOPOMAP_DEVICES_MOST)
        return said;
    for (uint32_t node = 0; node < request->nodes.count; node++) {
        uint32_t gpus = planner_gpus_of(request, &in->gpus, node, gpu);

        if (!gpus || (node && gpus != each))
            return 0;
        each = gpus;
    }
    return each;
}

/* Returns \p each if the ranks are a multiple of it and fit on the nodes, else the ranks per node;
 * 0 if the nodes cannot share them evenly either. */
static uint32_t settle(uint32_t ranks, uint32_t nodes, uint32_t each)
{
    if (each && ranks % each == 0 && ranks / each <= nodes)
        return each;
    return ranks % nodes == 0 ? ranks / nodes : 0;
}

/* Task t stands for the \p each vertices from t * each on. */
static int fold_by(planner_inputs *in, uint32_t each, topomap_error *err)
{
    uint32_t ranks = topomap_graph_ranks(in->graph);
    TOPOMAP_FREED uint32_t *task = topomap_alloc(ranks, sizeof *task, err);
    topomap_graph *folded;

    for (uint32_t r = 0; task && r < ranks; r++)
        task[r] = r / each;
    if (!task || topomap_graph_blocks(in->graph, task, ranks / each, &folded, err))
        return -1;
    in->fold = each;
    in->unfolded = in->graph;
    in->graph = folded;
    return 0;
}

/* Replaces the graph of GPUs by one of tasks.
 * \param known  the result of node_tasks_each()
 * Returns 0, or -1 with \p err set, if the nodes cannot share the graph's ranks evenly. */
static int node_tasks_fold(planner_inputs *in, uint32_t known, topomap_error *err)
{
    uint32_t nodes = (uint32_t)in->request->nodes.count, ranks = topomap_graph_ranks(in->graph);
    uint32_t each = settle(ranks, nodes, known);

    if (known == 1)
        return 0;
    if (!each)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "tasks=node: the graph has %u ranks, which %u nodes cannot share "
                                 "evenly",
                                 ranks, nodes);
    if (each == 1)
        return 0;
    if (fold_by(in, each, err))
        return -1;
    if (known && each != known)
        planner_inputs_note(in, "tasks=node: the graph has %u ranks a node, which has %u GPUs",
                            each, known);
    snprintf(in->detail, sizeof in->detail,
             "tasks=node: each task stands for %u of the graph's %u ranks, the GPUs of its node",
             each, ranks);
    return 0;
}

/* Does the same with a stored profile, which has the number of workers that its tasks had. If some
 * node of the step has not exactly one task, the graph is dropped with a note. */
static int node_tasks_profile(planner_inputs *in, topomap_error *err)
{
    uint32_t tasks = topomap_machine_slots(in->machine), ranks = topomap_graph_ranks(in->graph);
    size_t used = strlen(in->detail);

    if (ranks == tasks)
        return 0;
    if (!has_one_a_node(in->request)) {
        planner_inputs_note(
            in, "the profile is of %u workers of tasks that were alone on their nodes", ranks);
        topomap_graph_free(in->graph);
        in->graph = NULL;
        return 0;
    }
    snprintf(in->detail + used, sizeof in->detail - used,
             "; each task stands for its %u workers of %u", ranks / tasks, ranks);
    return fold_by(in, ranks / tasks, err);
}

/* The graph that was named; without one, ranks talk to their neighbours in rank order. */
static const char *graph_of(planner_inputs *in, char *chain, size_t size, uint32_t tasks)
{
    const char *named = in->request->asked.graph;

    if (named && strcmp(named, "auto") != 0)
        return named;
    planner_inputs_note(in, "%s: ranks are taken to talk to their neighbours in rank order",
                        named ? "no profile of this program is stored"
                              : "no communication graph was named (--topomap=FILE or a pattern)");
    snprintf(chain, size, "chain:%u", tasks);
    return chain;
}

/* Leaves the graph NULL where the profile is of no use, and the note says why. */
static int open_profile(planner_inputs *in, topomap_error *err)
{
    planner_profile profile;

    if (planner_profile_open(in->request, topomap_machine_slots(in->machine), &profile, err) != 0)
        return -1;
    in->graph = profile.graph;
    in->damaged = profile.damaged;
    if (*profile.line)
        planner_inputs_note(in, "%s", profile.line);
    snprintf(in->detail, sizeof in->detail, "%s", profile.detail);
    return in->graph ? node_tasks_profile(in, err) : 0;
}

/* --topomap=yes, no: words of other options, and of TOPOMAP. Always -1. */
static int not_read(const char *what, topomap_error *err)
{
    const char *meant = topomap_request_means_off(what)  ? "off"
                        : topomap_request_means_on(what) ? "on (or auto)"
                                                         : NULL;

    if (meant && access(what, F_OK) != 0)
        topomap_error_set(err, TOPOMAP_EINPUT,
                          "`%.20s` is neither a file nor a pattern: did you mean --topomap=%s?",
                          what, meant);
    return -1;
}

static int open_graph(planner_inputs *in, topomap_error *err)
{
    uint32_t tasks = topomap_machine_slots(in->machine), each = node_tasks_each(in), ranks;
    uint32_t most = each == 1 ? tasks : tasks * TOPOMAP_DEVICES_MOST;
    char chain[32];
    const char *what, *note;

    if (in->request->asked.stored != PLANNER_PROFILE_NONE)
        return open_profile(in, err);
    what = graph_of(in, chain, sizeof chain, each ? each * tasks : tasks);
    if (topomap_graph_open(what, most, NULL, NULL, in->request->watch, &in->graph, err) != 0)
        return not_read(what, err);
    if (node_tasks_fold(in, each, err) != 0)
        return -1;
    ranks = topomap_graph_ranks(in->graph);
    if (ranks > tasks)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%.300s: the graph has %u ranks, the step only %u tasks; a mesh "
                                 "in a file is divided: FILE,parts=%u",
                                 what, ranks, tasks, tasks);
    note = topomap_graph_note(in->unfolded ? in->unfolded : in->graph);
    if (note)
        planner_inputs_note(in, "%.200s", note);
    if (ranks < tasks)
        planner_inputs_note(in, "the graph has %u ranks, the step %u tasks: the rest is spread",
                            ranks, tasks);
    return 0;
}

uint32_t *planner_inputs_slots(const planner_inputs *in, const uint32_t *layout, topomap_error *err)
{
    uint32_t slots = topomap_machine_slots(in->machine);
    uint32_t *of_task = topomap_alloc(slots, sizeof *of_task, err);

    for (uint32_t s = 0; of_task && s < slots; s++)
        of_task[layout[s]] = planner_gpu_machine_slot(in, s);
    return of_task;
}

int planner_inputs_machine(const planner_request *request, int links, planner_inputs *inputs,
                           topomap_error *err)
{
    *inputs = (planner_inputs){.request = request, .costs = TOPOMAP_TIME_COSTS};
    return open_machine(inputs, links, err);
}

int planner_inputs_open(const planner_request *request, planner_inputs *inputs, topomap_error *err)
{
    if (planner_inputs_machine(request, 0, inputs, err) != 0 || open_graph(inputs, err) != 0)
        return -1;
    inputs->start = planner_inputs_slots(inputs, request->layout, err);
    return inputs->start ? 0 : -1;
}

void planner_inputs_clear(planner_inputs *inputs)
{
    topomap_machine_free(inputs->machine);
    topomap_bindings_clear(&inputs->by_slot);
    topomap_graph_free(inputs->graph);
    topomap_graph_free(inputs->unfolded);
    free(inputs->start);
    planner_layouts_clear(&inputs->layouts);
    topomap_cores_clear(&inputs->cores);
    free(inputs->told);
    planner_gpus_clear(&inputs->gpus);
    free(inputs->slot_gpu);
    *inputs = (planner_inputs){0};
}

static const off_t DIGEST_MOST = (off_t)8 << 30;

/* The digest of the bytes as they are stored, packed or not. The path may come from an untrusted
 * record. */
int planner_inputs_digest(const char *path, char digest[64])
{
    enum { CHUNK = 1 << 20 };
    char mesh[TOPOMAP_GRAPH_PATH];
    uint32_t parts;
    struct stat found;
    int fd = topomap_untrusted_open(
        AT_FDCWD, topomap_graph_divided(path, mesh, &parts) ? mesh : path, O_RDONLY, &found);
    TOPOMAP_CLOSED_FILE FILE *in = fd < 0 || found.st_size > DIGEST_MOST ? NULL : fdopen(fd, "r");
    TOPOMAP_FREED unsigned char *bytes = malloc(CHUNK);
    uint64_t total = 0, hash;
    topomap_hash64 sum;
    size_t got;

    if (!in && fd >= 0)
        close(fd);
    if (!in || !bytes)
        return -1;
    topomap_hash64_begin(&sum);
    for (; (got = fread(bytes, 1, CHUNK, in)) == CHUNK; total += CHUNK)
        topomap_hash64_add(&sum, bytes, CHUNK);
    hash = topomap_hash64_end(&sum, bytes, got);
    snprintf(digest, 64, "%llu %016llx", (unsigned long long)(total + got),
             (unsigned long long)hash);
    return ferror(in) ? -1 : 0;
}
