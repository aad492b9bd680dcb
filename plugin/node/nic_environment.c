/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/node/cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { MPICH_NICS = 64 };

/* ---- Which -------------------------------------------------------------------------------- */

/* Adds an entry's names that are not there yet. */
static int add(char names[PLUGIN_NICS_VALUE], const char *entry)
{
    size_t used = strlen(names);

    while (entry && *entry) {
        size_t length = strcspn(entry, ",");
        int there = 0;

        for (const char *at = names; *at && !there; at += strcspn(at, ",") + (strchr(at, ',') != 0))
            there = strcspn(at, ",") == length && strncmp(at, entry, length) == 0;
        if (!there) {
            if (used + length + 2 > PLUGIN_NICS_VALUE)
                return -1;
            if (used)
                names[used++] = ',';
            memcpy(names + used, entry, length);
            used += length;
            names[used] = 0;
        }
        entry += length + (entry[length] == ',');
    }
    return 0;
}

/* The k-th of a list of indices, and how many there are; UINT32_MAX: it is no index. */
static uint32_t index_at(const char *list, uint32_t k, uint32_t *count)
{
    uint32_t found = UINT32_MAX;
    char *end;

    for (*count = 0; list && *list; ++*count) {
        unsigned long number = *list >= '0' && *list <= '9' ? strtoul(list, &end, 10) : 0;

        if (*list < '0' || *list > '9' || (*end && *end != ','))
            return UINT32_MAX;
        if (*count == k && number < TOPOMAP_NICS_GPUS)
            found = (uint32_t)number;
        list = end + (*end == ',');
    }
    return found;
}

/* Those of the GPUs that the task has, or of the one that it takes by its number. */
static int add_by_gpus(const plugin_nics_task *task, char names[PLUGIN_NICS_VALUE])
{
    uint32_t count, first = 0, last;

    index_at(task->step_gpus, 0, &count);
    last = count;
    if (count && task->nics->by == TOPOMAP_NICS_BY_TURN && task->tasks > 1) {
        first = task->local % count;
        last = first + 1;
    }
    for (uint32_t k = first; k < last; k++) {
        uint32_t gpu = index_at(task->step_gpus, k, &count);

        if (add(names, gpu == UINT32_MAX ? NULL : topomap_node_nics_entry(task->nics, gpu)))
            return -1;
    }
    return 0;
}

int plugin_nics_of_task(const plugin_nics_task *task, char names[PLUGIN_NICS_VALUE])
{
    int status;

    *names = 0;
    status = topomap_node_nics_by_local(task->nics)
                 ? add(names, topomap_node_nics_entry(task->nics, task->local))
                 : add_by_gpus(task, names);
    return status == 0 && *names ? 0 : -1;
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* UCX and NCCL know the devices of InfiniBand and RoCE by their names and ports. */
static int put_ports(const plugin_nics_task *task, const char *begin, char *value)
{
    char names[PLUGIN_NICS_VALUE - 1];
    size_t used = strlen(begin);

    if (plugin_nics_of_task(task, value) || strlen(value) >= sizeof names - used)
        return -1;
    strcpy(names, value);
    strcpy(value, begin);
    for (const char *at = names; *at; at += strcspn(at, ",") + (strchr(at, ',') != NULL)) {
        size_t length = strcspn(at, ",");

        if (!memchr(at, ':', length))
            continue;
        if (used > strlen(begin))
            value[used++] = ',';
        memcpy(value + used, at, length);
        used += length;
        value[used] = 0;
    }
    return used > strlen(begin) ? 0 : -1;
}

/* The number of Slingshot's interface hsnN, which is that of MPICH's NIC; of one alone. */
static int hsn_of(const plugin_nics_task *task, uint32_t local, uint32_t *number)
{
    plugin_nics_task other = *task;
    char names[PLUGIN_NICS_VALUE];

    other.local = local;
    if (plugin_nics_of_task(&other, names) || strncmp(names, "hsn", 3) != 0 || !names[3] ||
        names[3 + strspn(names + 3, "0123456789")])
        return -1;
    *number = (uint32_t)strtoul(names + 3, NULL, 10);
    return 0;
}

static int is_by_number(const plugin_nics_task *task)
{
    return task->nics->by != TOPOMAP_NICS_BY_OWN_GPU;
}

/* Which GPUs Slurm has given to the node's other tasks is not known here: MPICH looks itself. */
static int put_policy(const plugin_nics_task *task, const char *begin, char *value)
{
    uint32_t number;

    (void)begin;

    if (hsn_of(task, task->local, &number) || (!is_by_number(task) && !task->mpich_gpus))
        return -1;
    strcpy(value, is_by_number(task) ? "USER" : "GPU");
    return 0;
}

/* "0:0,1;1:2,3": of each NIC the local ranks. \param number  [tasks] the NIC of each */
static int list_mapping(const uint32_t *number, uint32_t tasks, char *value)
{
    uint32_t used = 0, kinds = 0;

    for (uint32_t nic = 0; nic < MPICH_NICS; nic++) {
        uint32_t ranks = 0;

        for (uint32_t local = 0; local < tasks; local++) {
            if (number[local] != nic)
                continue;
            if (used + 32 > PLUGIN_NICS_VALUE)
                return -1;
            used += (uint32_t)(ranks++ ? sprintf(value + used, ",%u", local)
                                       : sprintf(value + used, "%s%u:%u", kinds++ ? ";" : "", nic,
                                                 local));
        }
    }
    return 0;
}

/* The same for all tasks of a node (intro_mpi(3) of HPE Cray MPI). */
static int put_mapping(const plugin_nics_task *task, const char *begin, char *value)
{
    TOPOMAP_FREED uint32_t *number = NULL;

    (void)begin;

    *value = 0;
    if (!is_by_number(task))
        return 0;
    number = calloc(task->tasks, sizeof *number);
    if (!number)
        return -1;
    for (uint32_t local = 0; local < task->tasks; local++)
        if (hsn_of(task, local, &number[local]) || number[local] >= MPICH_NICS)
            return -1;
    return list_mapping(number, task->tasks, value);
}

static const struct {
    const char *name;
    size_t with;
    int (*put)(const plugin_nics_task *task, const char *begin, char *value);
    const char *begin; /* of the value; with "=" NCCL takes whole names, not prefixes */
} rows[PLUGIN_NICS_VARIABLES] = {
    {"UCX_NET_DEVICES", 1, put_ports, ""},
    {"NCCL_IB_HCA", 1, put_ports, "="},
    {"MPICH_OFI_NIC_POLICY", 2, put_policy, ""},
    {"MPICH_OFI_NIC_MAPPING", 1, put_mapping, ""},
};

const char *plugin_nics_variable(size_t index, size_t *with)
{
    if (index >= PLUGIN_NICS_VARIABLES)
        return NULL;
    *with = rows[index].with;
    return rows[index].name;
}

int plugin_nics_value(const plugin_nics_task *task, size_t index, char value[PLUGIN_NICS_VALUE])
{
    return rows[index].put(task, rows[index].begin, value);
}
