/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/helper/helper.h"
#include "util/alloc.h"
#include "util/full_io.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_MOST = 64 << 20, NONE = -1, STEP = 64 << 10 };

struct head {
    char magic[8];
    uint32_t job, step, node, local_tasks, step_tasks;
    uint32_t length[NODE_TEXTS];
};

static const char magic[] = "tmnodeq2";

size_t node_room(uint32_t tasks)
{
    uint64_t room = (64u << 10) + 64 * (uint64_t)tasks;

    return room < ROOM_MOST ? (size_t)room : ROOM_MOST;
}

size_t node_text_most(enum node_text text, uint32_t step_tasks)
{
    return text == NODE_BINDINGS || text == NODE_IN_ORDER || text == NODE_NICS
               ? node_room(step_tasks)
               : NODE_PATH;
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

/* Bytes as they come: who promises much and sends little is given little memory. */
struct texts {
    char *bytes;
    size_t size, room;
};

static int read_text(int fd, struct texts *texts, uint32_t length)
{
    while (length) {
        size_t step = length < STEP ? length : STEP;

        if (topomap_grow(&texts->bytes, &texts->room, texts->size + step, 1, NULL) ||
            topomap_whole_read(fd, texts->bytes + texts->size, step))
            return -1;
        texts->size += step;
        length -= (uint32_t)step;
    }
    if (topomap_grow(&texts->bytes, &texts->room, texts->size + 1, 1, NULL))
        return -1;
    texts->bytes[texts->size++] = 0;
    return 0;
}

static int read_texts(int fd, const struct head *head, struct texts *texts)
{
    char more;

    for (int i = 0; i < NODE_TEXTS; i++) {
        if (head->length[i] == (uint32_t)NONE)
            continue;
        if (head->length[i] > node_text_most((enum node_text)i, head->step_tasks) ||
            read_text(fd, texts, head->length[i]))
            return -1;
    }
    return topomap_whole_read(fd, &more, 1) ? 0 : -1;
}

int node_question_read(int fd, node_question *question, void **memory, topomap_error *err)
{
    struct head head;
    struct texts texts = {0};
    const char *at;
    int failed;

    *memory = NULL;
    if (topomap_whole_read(fd, &head, sizeof head) || memcmp(head.magic, magic, sizeof head.magic))
        return bad(err);
    failed = read_texts(fd, &head, &texts);
    *memory = texts.bytes;
    if (failed)
        return bad(err);
    *question = (node_question){.job = head.job,
                                .step = head.step,
                                .node = head.node,
                                .local_tasks = head.local_tasks,
                                .step_tasks = head.step_tasks};
    at = texts.bytes;
    for (int i = 0; i < NODE_TEXTS; i++) {
        if (head.length[i] == (uint32_t)NONE)
            continue;
        question->text[i] = at;
        question->length[i] = head.length[i];
        at += head.length[i] + 1;
    }
    return 0;
}
