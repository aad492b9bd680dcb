/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/helper/helper.h"

#include <stddef.h>
#include <string.h>

struct head {
    char magic[8];
    uint32_t found;
    uint32_t plan[8]; /* the numbers that a topomap_node_plan begins with */
    uint32_t nics[4]; /* likewise those of a topomap_node_nics */
    char why_not_spooled[NODE_WHY], why_not_planned[NODE_WHY], why_not_named[NODE_WHY];
    char rest[NODE_HEAD - 8 - 13 * 4 - 3 * NODE_WHY]; /* zero */
};

_Static_assert(sizeof(struct head) == NODE_HEAD, "the head has the size that is said");
_Static_assert(offsetof(topomap_node_plan, task_first) == sizeof((struct head *)0)->plan &&
                   offsetof(topomap_node_nics, text) == sizeof((struct head *)0)->nics,
               "the head has all numbers");

static const char magic[] = "tmnodea3";

size_t node_answer_most(uint32_t local_tasks)
{
    return NODE_HEAD + node_room(local_tasks);
}

void node_answer_why(char why[NODE_WHY], const char *text)
{
    size_t length = strnlen(text, NODE_WHY - 1);

    memset(why, 0, NODE_WHY);
    for (size_t i = 0; i < length; i++)
        why[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
}

void node_answer_head(const node_answer *answer, unsigned char bytes[NODE_HEAD])
{
    struct head head = {.found = answer->found};

    memcpy(head.magic, magic, sizeof head.magic);
    if (answer->found & NODE_PLANNED)
        memcpy(head.plan, &answer->plan, sizeof head.plan);
    if (answer->found & NODE_NAMED)
        memcpy(head.nics, &answer->nics, sizeof head.nics);
    memcpy(head.why_not_spooled, answer->why_not_spooled, NODE_WHY);
    memcpy(head.why_not_planned, answer->why_not_planned, NODE_WHY);
    memcpy(head.why_not_named, answer->why_not_named, NODE_WHY);
    memcpy(bytes, &head, sizeof head);
}

/* Printable ASCII, then nothing but zeros. */
static int is_why(const char why[NODE_WHY])
{
    size_t length = strnlen(why, NODE_WHY);

    for (size_t i = 0; i < NODE_WHY; i++)
        if (i < length ? why[i] < ' ' || why[i] > '~' : why[i])
            return 0;
    return length < NODE_WHY;
}

static int is_plan(const char *arrays, size_t size, topomap_node_plan *plan)
{
    if (!topomap_node_plan_counts(plan) || topomap_node_plan_size(plan) != size)
        return 0;
    if (size)
        topomap_node_plan_lay(plan, arrays);
    return topomap_node_plan_is_sound(plan);
}

/* The last bytes of the answer. \param size  of all behind the head */
static int is_nics(uint32_t tasks, const char *bytes, size_t size, topomap_node_nics *nics)
{
    if (nics->bytes > size)
        return 0;
    nics->text = bytes + (size - nics->bytes);
    return nics->by && topomap_node_nics_is_sound(nics, tasks);
}

int node_answer_read(const void *bytes, size_t size, uint32_t job, uint32_t step,
                     uint32_t local_tasks, node_answer *answer)
{
    const char *arrays = (const char *)bytes + sizeof(struct head);
    topomap_node_plan *plan = &answer->plan;
    struct head head;

    memset(answer, 0, sizeof *answer);
    if (size < sizeof head || size > node_answer_most(local_tasks))
        return -1;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, magic, sizeof head.magic) || head.found & ~(uint32_t)NODE_ALL ||
        !is_why(head.why_not_spooled) || !is_why(head.why_not_planned) ||
        !is_why(head.why_not_named))
        return -1;
    size -= sizeof head;
    if (head.found & NODE_NAMED) {
        memcpy(&answer->nics, head.nics, sizeof head.nics);
        if (!is_nics(local_tasks, arrays, size, &answer->nics))
            return -1;
        size -= answer->nics.bytes;
    }
    if (head.found & NODE_PLANNED) {
        memcpy(plan, head.plan, sizeof head.plan);
        if (plan->job != job || plan->step != step || plan->tasks != local_tasks ||
            !is_plan(arrays, size, plan))
            return -1;
    } else if (size) {
        return -1;
    }
    answer->found = head.found;
    memcpy(answer->why_not_spooled, head.why_not_spooled, NODE_WHY);
    memcpy(answer->why_not_planned, head.why_not_planned, NODE_WHY);
    memcpy(answer->why_not_named, head.why_not_named, NODE_WHY);
    return 0;
}
