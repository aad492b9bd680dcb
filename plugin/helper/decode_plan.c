/* SPDX-License-Identifier: BSD-3-Clause */
/* `topomap-node plan`. First all that needs files, then nothing but the decoder: by then the
 * process can open none. */
#include "config.h"
#include "plugin/helper/helper.h"
#include "plugin/common/spool.h"
#include "plugin/sandbox/sandbox.h"
#include "util/alloc.h"
#include "util/full_io.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is to be decoded. */
struct source {
    const char *text; /* NULL: nothing */
    size_t size;
    char *file; /* owned */
};

/* \return 0, or -1 where the plan is in a file that cannot be used */
static int read_file(const node_question *question, struct source *source, topomap_error *err)
{
    plugin_spool_place place = {question->text[NODE_FOLDER], question->job, question->step};

    if (!place.folder)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the plan is in a file, and plugstack.conf of this node names no "
                                 "folder, spool=");
    if (plugin_spool_read(question->text[NODE_NOTE], &place, node_room(question->step_tasks),
                          &source->file, &source->size, err))
        return -1;
    source->text = source->file;
    return 0;
}

static void find(const node_question *question, struct source *source, node_answer *answer)
{
    enum node_text text = question->text[NODE_BINDINGS] ? NODE_BINDINGS : NODE_IN_ORDER;
    topomap_error err;

    *source = (struct source){0};
    if (text == NODE_IN_ORDER && question->text[NODE_NOTE]) {
        if (!read_file(question, source, &err))
            answer->found |= NODE_SPOOLED;
        else
            node_answer_why(answer->why_not_spooled, err.text);
    }
    if (source->text)
        return;
    source->text = question->text[text];
    source->size = question->length[text];
}

static int answer_it(const node_question *question)
{
    const char *library = question->text[NODE_LIBRARY];
    node_answer answer = {0};
    unsigned char head[NODE_HEAD];
    struct source source;
    node_adapters adapters;
    TOPOMAP_FREED void *memory = NULL;
    TOPOMAP_FREED char *names = NULL;
    int status;

    find(question, &source, &answer);
    if (library && access(library, R_OK) == 0)
        answer.found |= NODE_READABLE;
    if (question->text[NODE_NICS])
        node_adapters_list(&adapters);
    plugin_decoder_sandbox();
    if (source.text)
        node_plan_decode(question, source.text, source.size, &answer, &memory);
    if (question->text[NODE_NICS])
        node_nics_decode(question, &adapters, &answer, &names);
    node_answer_head(&answer, head);
    status = topomap_whole_write(NODE_REPLY_FD, head, sizeof head);
    if (!status && answer.found & NODE_PLANNED)
        status = topomap_whole_write(NODE_REPLY_FD, memory, topomap_node_plan_size(&answer.plan));
    if (!status && answer.found & NODE_NAMED)
        status = topomap_whole_write(NODE_REPLY_FD, names, answer.nics.bytes);
    free(source.file);
    return status ? 1 : 0;
}

int node_plan_main(void)
{
    node_question question;
    topomap_error err;
    TOPOMAP_FREED void *memory = NULL;

    return node_question_read(STDIN_FILENO, &question, &memory, &err) ? 1 : answer_it(&question);
}
