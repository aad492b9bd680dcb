/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/helper/decode.h"
#include "plan/bindings.h"

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
