/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/helper/helper.h"
#include "plan/bindings.h"

/* Room for ports that node_adapters_keep() puts behind names. */
static size_t room_for_nics(const node_question *question, const node_answer *answer)
{
    size_t plan = answer->found & NODE_PLANNED ? topomap_node_plan_size(&answer->plan) : 0;

    return (node_answer_most(question->local_tasks) - NODE_HEAD - plan) / 2;
}

void node_nics_decode(const node_question *question, const node_adapters *adapters,
                      node_answer *answer, char **memory)
{
    topomap_error err;
    char gone[TOPOMAP_NIC_NAME] = "";

    if (topomap_nics_decode_node(question->text[NODE_NICS], question->length[NODE_NICS],
                                 question->job, question->step, question->node,
                                 room_for_nics(question, answer), &answer->nics, memory, &err)) {
        node_answer_why(answer->why_not_named, err.text);
        return;
    }
    if (!answer->nics.by)
        return;
    if (!topomap_node_nics_is_sound(&answer->nics, question->local_tasks) ||
        node_adapters_keep(adapters, &answer->nics, memory, gone))
        topomap_error_set(&err, TOPOMAP_EINPUT, "the text of NICs is for other tasks");
    else
        answer->found |= NODE_NAMED;
    if (*gone)
        topomap_error_set(&err, TOPOMAP_EINPUT,
                          "the NIC %s is not on this node, or down: tasks next to it choose "
                          "themselves",
                          gone);
    if (*gone || !(answer->found & NODE_NAMED))
        node_answer_why(answer->why_not_named, err.text);
}

void node_plan_decode(const node_question *question, const char *text, size_t size,
                      node_answer *answer, void **memory)
{
    topomap_node_plan *plan = &answer->plan;
    topomap_error err;

    if (topomap_bindings_decode_node(text, size, question->node, node_room(question->step_tasks),
                                     plan, memory, &err))
        node_answer_why(answer->why_not_planned, err.text);
    else if (plan->job == question->job && plan->step == question->step &&
             plan->tasks == question->local_tasks && (plan->cores || plan->gpus))
        answer->found |= NODE_PLANNED;
    if (answer->found & NODE_PLANNED &&
        NODE_HEAD + topomap_node_plan_size(plan) > node_answer_most(question->local_tasks)) {
        answer->found &= ~(uint32_t)NODE_PLANNED;
        node_answer_why(answer->why_not_planned,
                        "this node's part of the plan is longer than 64 KiB and 64 bytes a task");
    }
}
