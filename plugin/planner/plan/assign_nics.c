/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan/node_plan.h"
#include "util/alloc.h"

struct naming {
    const planner_inputs *in;
    const topomap_plan *plan;
    const uint32_t *gpu;
    const topomap_devices *devices; /* of the node */
    uint32_t node, first, tasks;
    uint32_t nic_of[TOPOMAP_DEVICES_MOST]; /* of each of its GPUs */
    uint8_t *near; /* [devices * PLANNER_CPUS_NEAR] of each NIC; NULL: not made yet */
    uint8_t mask[PLANNER_CPUS_NEAR];
    uint32_t turn[TOPOMAP_DEVICES_MOST]; /* tasks that have a NIC already */
    FILE *out;
};

/* ---- NICs --------------------------------------------------------------------------------- */

/* Amazon's are chosen by libfabric: none of the variables is about them. */
static int is_of_use(const topomap_device *device)
{
    return device->kind == TOPOMAP_DEVICE_NIC && device->state != 0 &&
           topomap_nics_is_name(device->name) && strcmp(device->vendor, "amazon") != 0;
}

static uint32_t count_nics(const topomap_devices *devices)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < devices->count; i++)
        count += (uint32_t)is_of_use(&devices->device[i]);
    return count;
}

static const char *name_of(const struct naming *n, uint32_t nic)
{
    return nic != UINT32_MAX && is_of_use(&n->devices->device[nic]) ? n->devices->device[nic].name
                                                                    : NULL;
}

/* Nodes of one class mostly follow each other. */
static int take_devices(struct naming *n, const topomap_devices *devices, topomap_error *err)
{
    if (n->devices == devices)
        return 0;
    free(n->near);
    n->near = NULL;
    n->devices = devices;
    return devices && devices->gpus ? topomap_devices_nics(devices, n->nic_of, err) : 0;
}

/* ---- By GPUs ------------------------------------------------------------------------------ */

/* The NICs of several GPUs, each once. */
static void put_nics_of(struct naming *n, const uint32_t *gpu, uint32_t gpus)
{
    const char *name;
    int put = 0;

    for (uint32_t i = 0; i < gpus; i++) {
        int before = 0;

        for (uint32_t k = 0; k < i; k++)
            before |= n->nic_of[gpu[k]] == n->nic_of[gpu[i]];
        name = before ? NULL : name_of(n, n->nic_of[gpu[i]]);
        if (name)
            fprintf(n->out, "%s%s", put++ ? "+" : "", name);
    }
    if (!put)
        fputc('-', n->out);
}

static void put_by_index(struct naming *n, enum topomap_nics_by by)
{
    fprintf(n->out, "%c:", by);
    for (uint32_t gpu = 0; gpu < n->devices->gpus; gpu++) {
        fputs(gpu ? "," : "", n->out);
        put_nics_of(n, &gpu, 1);
    }
}

static void put_by_task(struct naming *n)
{
    uint32_t all[TOPOMAP_DEVICES_MOST];
    uint32_t gpus = planner_gpus_of(n->in->request, &n->in->gpus, n->node, all);

    fprintf(n->out, "%c:", TOPOMAP_NICS_BY_TASK);
    if (n->tasks == 1 && gpus > 1) {
        put_nics_of(n, all, gpus);
        return;
    }
    for (uint32_t i = 0; i < n->tasks; i++) {
        fputs(i ? "," : "", n->out);
        put_nics_of(n, &n->gpu[n->first + i], 1);
    }
}

/* Whether it is known which GPU each task of the node takes. */
static int are_known(const struct naming *n)
{
    for (uint32_t i = 0; i < n->tasks; i++)
        if (!n->gpu || n->gpu[n->first + i] >= n->devices->gpus)
            return 0;
    return 1;
}

/* ---- By CPUs ------------------------------------------------------------------------------ */

/* Whether two devices are near each other: at level 0 a device only to itself, at level 1 also to
 * those at its NUMA node, at level 2 also to those in its package. */
static int are_near(const topomap_device *a, const topomap_device *b, int level)
{
    return a == b || (level > 0 && a->numa >= 0 && a->numa == b->numa) ||
           (level > 1 && a->package >= 0 && a->package == b->package);
}

/* Adds one to each PU next to a device that is near the NIC. */
static void add_near(struct naming *n, uint32_t nic, int level)
{
    const topomap_device *device = n->devices->device;
    uint8_t *near = n->near + (size_t)nic * PLANNER_CPUS_NEAR;

    memset(n->mask, 0, sizeof n->mask);
    for (uint32_t i = 0; i < n->devices->count; i++)
        if (device[i].cpus && are_near(&device[nic], &device[i], level))
            planner_cpus_near(device[i].cpus, n->mask);
    for (uint32_t pu = 0; pu < PLANNER_CPUS_NEAR; pu++)
        near[pu] = (uint8_t)(near[pu] + n->mask[pu]);
}

/* A device's own CPUs are mostly its NUMA node's, and sometimes a cache's within that. */
static int open_near(struct naming *n, topomap_error *err)
{
    if (n->near)
        return 0;
    n->near = topomap_alloc((size_t)n->devices->count * PLANNER_CPUS_NEAR, 1, err);
    for (uint32_t i = 0; n->near && i < n->devices->count; i++)
        for (int level = 0; level < 3 && is_of_use(&n->devices->device[i]); level++)
            add_near(n, i, level);
    return n->near ? 0 : -1;
}

static uint32_t near_of(const struct naming *n, uint32_t nic, uint32_t task)
{
    const topomap_bindings *b = &n->plan->bindings;
    uint32_t sum = 0;

    for (uint32_t i = b->pu_start[task]; i < b->pu_start[task + 1]; i++)
        sum += n->near[(size_t)nic * PLANNER_CPUS_NEAR + b->pu[i]];
    return sum;
}

/* Of NICs that are as near the fastest, of these the one that the fewest tasks have. */
static uint32_t best_of(struct naming *n, uint32_t task)
{
    uint32_t best = UINT32_MAX, most = 0;

    for (uint32_t i = n->devices->gpus; i < n->devices->count; i++) {
        const topomap_device *device = &n->devices->device[i];
        uint32_t near = is_of_use(device) ? near_of(n, i, task) : 0;

        if (!is_of_use(device))
            continue;
        if (best == UINT32_MAX || near > most ||
            (near == most &&
             (device->mbps > n->devices->device[best].mbps ||
              (device->mbps == n->devices->device[best].mbps && n->turn[i] < n->turn[best])))) {
            best = i;
            most = near;
        }
    }
    if (best != UINT32_MAX)
        n->turn[best]++;
    return best;
}

static int put_by_cpus(struct naming *n, topomap_error *err)
{
    if (open_near(n, err))
        return -1;
    memset(n->turn, 0, sizeof n->turn);
    fprintf(n->out, "%c:", TOPOMAP_NICS_BY_CPUS);
    for (uint32_t i = 0; i < n->tasks; i++) {
        const char *name = name_of(n, best_of(n, n->first + i));

        fprintf(n->out, "%s%s", i ? "," : "", name ? name : "-");
    }
    return 0;
}

static int are_bound(const struct naming *n)
{
    const topomap_bindings *b = &n->plan->bindings;

    return b->nodes && n->in->request->asked.bind != TOPOMAP_BIND_NONE &&
           b->class_of[n->node] != UINT32_MAX;
}

/* ---- A node ------------------------------------------------------------------------------- */

static int put_node(struct naming *n, topomap_error *err)
{
    const char *said = n->in->request->asked.step_gpus;

    if (!n->tasks || !count_nics(n->devices))
        return 0;
    /* "left": the user has said how, or Slurm's index says nothing. */
    if (n->devices->gpus && topomap_gpu_is_bound(said))
        put_by_index(n, TOPOMAP_NICS_BY_OWN_GPU);
    else if (n->devices->gpus && are_known(n))
        put_by_task(n);
    else if (n->devices->gpus && said && strcmp(said, "0") != 0 && strcmp(said, "left") != 0)
        put_by_index(n, TOPOMAP_NICS_BY_TURN);
    else if (are_bound(n))
        return put_by_cpus(n, err);
    return 0;
}

/* Entries that are alike are one, and how many: "hsn0,hsn0" is "hsn0*2", which is no longer. */
static void fold(char *kind)
{
    char *to = strchr(kind, ':'), *at = to ? ++to : NULL;

    while (at) {
        size_t length = strcspn(at, ",");
        char *next = at[length] ? at + length + 1 : NULL, times[16];
        uint32_t count = 1;

        for (; next && strcspn(next, ",") == length && !strncmp(next, at, length); count++)
            next = next[length] ? next + length + 1 : NULL;
        memmove(to, at, length);
        to += length;
        if (count > 1) {
            snprintf(times, sizeof times, "*%u", count);
            memcpy(to, times, strlen(times));
            to += strlen(times);
        }
        *to = next ? ',' : 0;
        to += next != NULL;
        at = next;
    }
}

static char *kind_of(struct naming *n, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    int status;

    n->out = open_memstream(&text, &size);
    status = n->out && n->devices ? put_node(n, err) : 0;
    if (topomap_printed(n->out, &text, status == 0 ? err : NULL) && status == 0) {
        fold(text);
        return text;
    }
    free(text);
    return NULL;
}

/* ---- All ---------------------------------------------------------------------------------- */

static void tell_kind(FILE *out, const planner_inputs *in, uint32_t node, uint32_t nodes,
                      const char *kind)
{
    static const char *const by[] = {['t'] = "tasks",
                                     ['c'] = "tasks by their CPUs",
                                     ['g'] = "a task by its number, GPUs",
                                     ['b'] = "tasks by their GPUs"};

    fprintf(out, "  NICs on %s", in->request->nodes.name[node]);
    if (nodes > 1)
        fprintf(out, " and the next %u", nodes - 1);
    if (*kind)
        fprintf(out, ": %s %s\n", by[(unsigned char)*kind], kind + 2);
    else
        fprintf(out, ": not known\n");
}

static char *tell(const planner_inputs *in, uint32_t nodes, char *const *kind, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (uint32_t node = 0, count; out && node < nodes; node += count) {
        for (count = 1; node + count < nodes && strcmp(kind[node + count], kind[node]) == 0;
             count++)
            ;
        tell_kind(out, in, node, count, kind[node]);
    }
    return topomap_printed(out, &text, err);
}

static int are_any(uint32_t nodes, char *const *kind)
{
    for (uint32_t node = 0; node < nodes; node++)
        if (*kind[node])
            return 1;
    return 0;
}

static int make_kinds(const planner_inputs *in, const topomap_plan *plan, const uint32_t *gpu,
                      char **kind, topomap_error *err)
{
    struct naming n = {.in = in, .plan = plan, .gpu = gpu};
    const topomap_db_device_classes *all = &in->gpus.all;
    int status = 0;

    for (n.node = 0; status == 0 && n.node < plan->nodes; n.node++) {
        uint32_t class = all->nodes ? all->class_of[n.node] : TOPOMAP_DB_NO_DEVICES;

        n.first = plan->first[n.node];
        n.tasks = plan->first[n.node + 1] - n.first;
        if (take_devices(&n, class == TOPOMAP_DB_NO_DEVICES ? NULL : &all->class[class], err) ||
            !(kind[n.node] = kind_of(&n, err)))
            status = -1;
    }
    free(n.near);
    return status;
}

int planner_nics_make(const planner_inputs *in, const topomap_plan *plan, const uint32_t *gpu,
                      planner_nics *nics, topomap_error *err)
{
    int wanted = in->request->asked.nic, status;
    TOPOMAP_FREED char **kind = NULL;

    *nics = (planner_nics){0};
    if (wanted == TOPOMAP_NIC_OFF)
        return 0;
    kind = topomap_alloc(plan->nodes, sizeof *kind, err);
    if (!kind)
        return -1;
    status = make_kinds(in, plan, gpu, kind, err);
    if (status == 0 && !(nics->told = tell(in, plan->nodes, kind, err)))
        status = -1;
    if (status == 0 && are_any(plan->nodes, kind)) {
        nics->text = topomap_nics_encode(wanted == TOPOMAP_NIC_SET, in->request->asked.job,
                                         in->request->asked.step, plan->nodes,
                                         (const char *const *)kind, err);
        status = nics->text ? 0 : -1;
    }
    for (uint32_t node = 0; node < plan->nodes; node++)
        free(kind[node]);
    return status;
}

void planner_nics_clear(planner_nics *nics)
{
    free(nics->text);
    free(nics->told);
    *nics = (planner_nics){0};
}
