/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/question.h"
#include "util/whole.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM_MOST = 64 << 20, NONE = -1 };

struct head {
    char magic[8];
    uint32_t job, step, node, local_tasks, step_tasks;
    uint32_t length[NODE_TEXTS];
};

static const char magic[] = "tmnodeq1";

size_t node_room(uint32_t tasks)
{
    uint64_t room = (64u << 10) + 64 * (uint64_t)tasks;

    return room < ROOM_MOST ? (size_t)room : ROOM_MOST;
}

size_t node_text_most(enum node_text text, uint32_t step_tasks)
{
    return text == NODE_BINDINGS || text == NODE_IN_ORDER ? node_room(step_tasks) : NODE_PATH;
}

int node_question_set(node_question *question, enum node_text text, const char *value)
{
    size_t most = node_text_most(text, question->step_tasks),
           length = value ? strnlen(value, most + 1) : 0;

    if (length > most)
        return -1;
    question->text[text] = value;
    question->length[text] = (uint32_t)length;
    return 0;
}

void *node_question_write(const node_question *question, size_t *size)
{
    struct head head = {.job = question->job,
                        .step = question->step,
                        .node = question->node,
                        .local_tasks = question->local_tasks,
                        .step_tasks = question->step_tasks};
    char *bytes, *at;

    memcpy(head.magic, magic, sizeof head.magic);
    *size = sizeof head;
    for (int i = 0; i < NODE_TEXTS; i++) {
        head.length[i] = question->text[i] ? question->length[i] : (uint32_t)NONE;
        *size += question->text[i] ? question->length[i] : 0;
    }
    bytes = malloc(*size);
    if (!bytes)
        return NULL;
    memcpy(bytes, &head, sizeof head);
    at = bytes + sizeof head;
    for (int i = 0; i < NODE_TEXTS; i++) {
        if (question->text[i] && question->length[i])
            memcpy(at, question->text[i], question->length[i]);
        at += question->text[i] ? question->length[i] : 0;
    }
    return bytes;
}

static int bad(topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "what topomap-node was asked is no question");
}

/* \return bytes of the texts with their NULs, or 0: they are longer than they may be */
static size_t size_of(const struct head *head)
{
    size_t size = 0;

    for (int i = 0; i < NODE_TEXTS; i++) {
        if (head->length[i] == (uint32_t)NONE)
            continue;
        if (head->length[i] > node_text_most((enum node_text)i, head->step_tasks))
            return 0;
        size += (size_t)head->length[i] + 1;
    }
    return size ? size : 1;
}

int node_question_read(int fd, node_question *question, void **memory, topomap_error *err)
{
    struct head head;
    size_t size;
    char *at, more;

    *memory = NULL;
    if (topomap_whole_read(fd, &head, sizeof head) || memcmp(head.magic, magic, sizeof head.magic))
        return bad(err);
    size = size_of(&head);
    at = *memory = size ? malloc(size) : NULL;
    if (!at)
        return bad(err);
    *question = (node_question){.job = head.job,
                                .step = head.step,
                                .node = head.node,
                                .local_tasks = head.local_tasks,
                                .step_tasks = head.step_tasks};
    for (int i = 0; i < NODE_TEXTS; i++) {
        if (head.length[i] == (uint32_t)NONE)
            continue;
        if (topomap_whole_read(fd, at, head.length[i]))
            return bad(err);
        at[head.length[i]] = 0;
        question->text[i] = at;
        question->length[i] = head.length[i];
        at += head.length[i] + 1;
    }
    return topomap_whole_read(fd, &more, 1) ? 0 : bad(err);
}
