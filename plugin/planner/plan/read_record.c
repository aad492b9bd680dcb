/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan/bindings.h"
#include "util/alloc.h"
#include "util/input.h"
#include "util/full_io.h"

enum { RECORD_MOST = 64 << 20 };
static const long long TIME_MOST = 253402300799; /* the last second of the year 9999 */

static int bad(const char *path, const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: %s", path, what);
}

/* The job's cores and GPUs are those that were told then; nobody is asked again. */
static int settle_cores(planner_record *record, topomap_error *err)
{
    planner_request *request = &record->request;

    free(request->asked.scontrol);
    request->asked.scontrol = NULL;
    if (record->reply.gpus && !request->asked.gpus &&
        topomap_request_set(&request->asked, TOPOMAP_REQUEST_GPUS, record->reply.gpus, err) != 0)
        return -1;
    if (!record->reply.cores || request->cores.nodes)
        return 0;
    return topomap_cores_parse(record->reply.cores, (uint32_t)request->nodes.count, &request->cores,
                               err);
}

/* Header, request and reply, cut at the line that ends the request. */
static int read_parts(const char *path, char *text, size_t size, planner_record *record,
                      topomap_error *err)
{
    static const char last[] = "\nend\n";
    char *request = strstr(text, "topomap-request 1\n");
    char *end = request ? strstr(request, last) : NULL;
    topomap_error inner;
    TOPOMAP_CLOSED_FILE FILE *in = NULL;

    if (sscanf(text, "topomap-plan 1\nversion %31s\ntime %lld\n", record->version, &record->time) !=
            2 ||
        record->time < 0 || record->time > TIME_MOST || !end)
        return bad(path, "not a record of a plan (`records=` in plugstack.conf)", err);
    end += sizeof last - 1;
    in = fmemopen(request, (size_t)(end - request), "r");
    if (!in)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (planner_request_read(in, &record->request, &inner) != 0 ||
        plugin_reply_read(end, size - (size_t)(end - text), &record->reply, &inner) != 0 ||
        settle_cores(record, &inner) != 0)
        return bad(path, inner.text, err);
    return 0;
}

int planner_record_read(const char *path, planner_record *record, topomap_error *err)
{
    topomap_input *input;
    size_t size;
    int status;

    *record = (planner_record){0};
    if (topomap_input_open(path, &input, err) != 0)
        return -1;
    status = topomap_input_all(input, RECORD_MOST, &record->bytes, &size, err);
    topomap_input_close(input);
    if (status == 0 && read_parts(path, record->bytes, size, record, err) == 0)
        return 0;
    planner_record_clear(record);
    return -1;
}

void planner_record_clear(planner_record *record)
{
    planner_request_clear(&record->request);
    free(record->bytes);
    *record = (planner_record){0};
}

int planner_record_plan(const planner_record *record, topomap_plan *plan, topomap_error *err)
{
    const planner_request *request = &record->request;
    uint32_t nodes = (uint32_t)request->nodes.count, tasks = request->first[nodes];

    *plan = (topomap_plan){.nodes = nodes, .tasks = tasks};
    if (!record->reply.layout)
        return topomap_error_set(err, TOPOMAP_EINPUT, "nothing was planned: %.300s",
                                 record->reply.line);
    plan->first = topomap_alloc(nodes + 1u, sizeof *plan->first, err);
    plan->task = topomap_alloc(tasks, sizeof *plan->task, err);
    if (!plan->first || !plan->task)
        return -1;
    memcpy(plan->first, request->first, (nodes + 1u) * sizeof *plan->first);
    if (topomap_layout_parse(record->reply.layout, nodes, plan->first, plan->task, err) != 0 ||
        (record->reply.bindings &&
         topomap_bindings_decode(record->reply.bindings, &plan->bindings, err) != 0))
        return -1;
    if (plan->bindings.nodes &&
        (plan->bindings.nodes != nodes ||
         memcmp(plan->bindings.task_first, plan->first, (nodes + 1u) * sizeof *plan->first) != 0))
        return topomap_error_set(err, TOPOMAP_EINPUT, "the record's bindings are of another step");
    return 0;
}

/* ---- Where tasks are --------------------------------------------------------------------- */

static int same_pus(const topomap_bindings *a, uint32_t i, const topomap_bindings *b, uint32_t k)
{
    uint32_t count = a->pu_start[i + 1] - a->pu_start[i];

    return count == b->pu_start[k + 1] - b->pu_start[k] &&
           memcmp(a->pu + a->pu_start[i], b->pu + b->pu_start[k], count * sizeof *a->pu) == 0;
}

/* The tasks of one node where slots are GPUs: each on that of the GPU of its number there. */
static void place_on_gpus(const planner_inputs *in, const topomap_bindings *b, uint32_t node,
                          const uint32_t *task, uint8_t *taken, uint32_t *slot_of)
{
    uint32_t first = in->request->first[node], end = in->request->first[node + 1];
    uint32_t from = b->gpu_first ? b->gpu_first[node] : 0;
    uint32_t gpus = b->gpu_first ? b->gpu_first[node + 1] - from : 0;

    for (uint32_t t = first; t < end; t++) {
        uint32_t slot = planner_gpu_machine_slot(in, t);

        for (uint32_t s = first; t - first < gpus && s < end; s++)
            if (in->slot_gpu[s] == b->gpu[from + b->gpu_place[from + t - first]])
                slot = s;
        if (!taken[slot]) {
            taken[slot] = 1;
            slot_of[task[t]] = slot;
        }
    }
}

/* The tasks of one node: each on the first free slot that has its CPUs, else on the first free. */
static void place_node(const planner_inputs *in, const topomap_bindings *bindings, uint32_t node,
                       const uint32_t *task, uint8_t *taken, uint32_t *slot_of)
{
    const uint32_t *first = in->request->first;
    int known = bindings->nodes && bindings->class_of[node] != UINT32_MAX && in->by_slot.nodes;

    if (in->slot_gpu)
        place_on_gpus(in, bindings, node, task, taken, slot_of);
    for (int by_cpus = known; by_cpus >= 0; by_cpus--)
        for (uint32_t t = first[node]; t < first[node + 1]; t++)
            for (uint32_t s = first[node]; slot_of[task[t]] == UINT32_MAX && s < first[node + 1];
                 s++)
                if (!taken[s] && (!by_cpus || same_pus(bindings, t, &in->by_slot, s))) {
                    taken[s] = 1;
                    slot_of[task[t]] = s;
                }
}

static int place(const planner_inputs *in, const plugin_reply *reply,
                 const topomap_bindings *bindings, uint32_t *slot_of, topomap_error *err)
{
    uint32_t nodes = (uint32_t)in->request->nodes.count, tasks = in->request->first[nodes];
    TOPOMAP_FREED uint32_t *task = topomap_alloc(tasks, sizeof *task, err);
    TOPOMAP_FREED uint8_t *taken = topomap_alloc(tasks, sizeof *taken, err);

    if (!task || !taken ||
        topomap_layout_parse(reply->layout, nodes, in->request->first, task, err) != 0)
        return -1;
    memset(slot_of, 0xff, tasks * sizeof *slot_of);
    for (uint32_t node = 0; node < nodes; node++)
        place_node(in, bindings, node, task, taken, slot_of);
    return 0;
}

int planner_record_slots(const planner_inputs *inputs, const plugin_reply *reply, uint32_t *slot_of,
                         topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_bindings_clear) topomap_bindings bindings = {0};
    uint32_t nodes = (uint32_t)inputs->request->nodes.count;

    if (!reply->layout)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the planner failed: %.300s", reply->line);
    if (reply->bindings && topomap_bindings_decode(reply->bindings, &bindings, err) != 0)
        return -1;
    if (bindings.nodes &&
        (bindings.nodes != nodes || memcmp(bindings.task_first, inputs->request->first,
                                           (nodes + 1u) * sizeof *bindings.task_first) != 0))
        return topomap_error_set(err, TOPOMAP_EINPUT, "the plan is for another step");
    return place(inputs, reply, &bindings, slot_of, err);
}
