/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan/node_plan.h"
#include "plugin/planner/request/request.h"
#include "util/alloc.h"
#include "util/cores.h"

/* Nonzero if tasks are to be next to GPUs: bind=gpu was given, or no bind= at all. */
static int are_wanted(const planner_request *request)
{
    return request->asked.bind == TOPOMAP_REQUEST_BIND_GPU ||
           !topomap_request_has(&request->asked, TOPOMAP_REQUEST_BIND);
}

/* ---- The database and the request --------------------------------------------------------- */

static int has_gpus(const topomap_db_device_classes *known)
{
    for (uint32_t i = 0; i < known->classes; i++)
        if (known->class[i].gpus)
            return 1;
    return 0;
}

/* "left" and "none" are no counts. */
static int is_left(const char *said)
{
    return said && (*said < '0' || *said > '9') && strncmp(said, "total:", 6) != 0;
}

int planner_gpus_open(topomap_db *db, const planner_request *request, planner_gpus *gpus,
                      topomap_error *err)
{
    const char *job = request->asked.gpus;
    int all = request->asked.nic != TOPOMAP_NIC_OFF || request->asked.keep, wanted, folds;
    topomap_error why;

    *gpus = (planner_gpus){.bound = topomap_gpu_is_bound(request->asked.step_gpus) &&
                                    are_wanted(request)};
    gpus->none = !gpus->bound && is_left(request->asked.step_gpus);
    wanted = !gpus->none && are_wanted(request);
    folds = !gpus->none && request->asked.tasks_are == TOPOMAP_TASKS_NODE;
    /* What is not known of GPUs is no reason not to place a step. */
    if ((all || wanted || folds) &&
        topomap_db_devices_of(db, &request->nodes, &gpus->devices, &why))
        topomap_db_device_classes_clear(&gpus->devices);
    if (all)
        gpus->all = gpus->devices;
    if ((wanted || folds) && has_gpus(&gpus->devices))
        gpus->counted = gpus->devices;
    if (wanted)
        gpus->known = gpus->counted;
    if (!gpus->counted.nodes || !job)
        return 0;
    gpus->none = strcmp(job, "none") == 0;
    return gpus->none ? 0
                      : topomap_cores_parse(job, (uint32_t)request->nodes.count, &gpus->job, err);
}

void planner_gpus_clear(planner_gpus *gpus)
{
    topomap_db_device_classes_clear(&gpus->devices);
    topomap_cores_clear(&gpus->job);
    *gpus = (planner_gpus){0};
}

/* ---- The job ------------------------------------------------------------------------------ */

int planner_gpus_ask(const planner_request *request, const planner_gpus *gpus)
{
    return gpus->counted.nodes && !gpus->none && request->asked.scontrol && !request->asked.gpus;
}

static int add_node(topomap_cores *job, size_t *room, uint32_t node, const char *gres,
                    topomap_error *err)
{
    uint32_t gpu[TOPOMAP_DEVICES_MOST], count, from = job->first[node];

    if (planner_scontrol_gpus(gres, gpu, TOPOMAP_DEVICES_MOST, &count))
        return topomap_error_set(err, TOPOMAP_EINPUT, "scontrol does not tell the job's GPUs");
    if (!count)
        return 1;
    if (topomap_grow(&job->core, room, (size_t)from + count, sizeof *job->core, err))
        return -1;
    memcpy(job->core + from, gpu, count * sizeof *gpu);
    job->first[node + 1] = from + count;
    return 0;
}

/* \return 1: it has none of some node */
static int add_nodes(const planner_request *request, const planner_slurm_job *told,
                     topomap_cores *job, topomap_error *err)
{
    const topomap_names *step = &request->nodes;
    size_t room = 0;
    int status = 0;

    job->nodes = (uint32_t)step->count;
    job->first = topomap_alloc(step->count + 1, sizeof *job->first, err);
    if (!job->first)
        return -1;
    for (size_t node = 0, at = 0; status == 0 && node < step->count; node++, at++) {
        at = topomap_names_find(&told->names, step->name[node], at);
        if (at == told->names.count)
            return topomap_error_set(err, TOPOMAP_EINPUT, "scontrol's job is not on %.64s",
                                     step->name[node]);
        status = add_node(job, &room, (uint32_t)node, told->gres[at], err);
    }
    return status;
}

int planner_gpus_read(const planner_request *request, const char *text, planner_gpus *gpus,
                      topomap_error *err)
{
    TOPOMAP_CLEANUP(planner_slurm_job_clear) planner_slurm_job told = {0};
    topomap_cores job = {0};
    int status;

    if (planner_scontrol_job(text, request->asked.job, &told, err))
        return -1;
    status = add_nodes(request, &told, &job, err);
    gpus->none |= status > 0;
    if (status == 0)
        gpus->job = job;
    else
        topomap_cores_clear(&job);
    return status < 0 ? -1 : 0;
}

char *planner_gpus_format(const planner_gpus *gpus, topomap_error *err)
{
    if (gpus->none && gpus->counted.nodes)
        return topomap_strdup("none", err);
    return gpus->job.nodes ? topomap_cores_format(&gpus->job, err) : NULL;
}

/* ---- The step ----------------------------------------------------------------------------- */

const topomap_devices *planner_gpus_devices(const planner_gpus *gpus, uint32_t node)
{
    uint32_t class = gpus->counted.nodes ? gpus->counted.class_of[node] : TOPOMAP_DB_NO_DEVICES;

    return class == TOPOMAP_DB_NO_DEVICES ? NULL : &gpus->counted.class[class];
}

static uint32_t job_count(const planner_gpus *gpus, uint32_t node)
{
    const topomap_devices *devices = planner_gpus_devices(gpus, node);
    uint32_t count =
        gpus->job.nodes ? gpus->job.first[node + 1] - gpus->job.first[node] : UINT32_MAX;

    if (!devices)
        return 0;
    return count && count != UINT32_MAX ? count : devices->gpus; /* '*' is all */
}

/* A step that has fewer than its job is given any of them. */
static int has_all(const planner_request *request, const planner_gpus *gpus, uint32_t node)
{
    const char *said = request->asked.step_gpus;
    uint64_t sum = 0;

    if (!said || gpus->bound)
        return 1;
    if (*said >= '0' && *said <= '9')
        return strtoul(said, NULL, 10) >= job_count(gpus, node);
    for (uint32_t i = 0; i < gpus->counted.nodes; i++)
        sum += job_count(gpus, i);
    return strtoul(said + strlen("total:"), NULL, 10) >= sum;
}

uint32_t planner_gpus_of(const planner_request *request, const planner_gpus *gpus, uint32_t node,
                         uint32_t gpu[TOPOMAP_DEVICES_MOST])
{
    const topomap_devices *devices = planner_gpus_devices(gpus, node);
    uint32_t count, from = gpus->job.nodes ? gpus->job.first[node] : 0;
    int listed = gpus->job.nodes && gpus->job.first[node + 1] > from;

    if (!devices || gpus->none || !has_all(request, gpus, node))
        return 0;
    count = job_count(gpus, node);
    for (uint32_t i = 0; i < count; i++) {
        gpu[i] = listed ? gpus->job.core[from + i] : i;
        if (gpu[i] >= devices->gpus)
            return 0; /* Slurm counts others than the database */
    }
    return count;
}
