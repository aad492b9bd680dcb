/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/bindings.h"
#include "util/alloc.h"

static void one_line(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            *text = ' ';
}

static void write_failure(FILE *out, topomap_error *err)
{
    one_line(err->text);
    fprintf(out, "status failed\nline %s\nquiet 0\n", err->text);
}

static void write_left(FILE *out, planner_answer *answer)
{
    one_line(answer->line);
    fprintf(out, "status unchanged\nline %s\nquiet 0\ngain 0\n", answer->line);
    if (answer->damaged)
        fprintf(out, "profile damaged\n");
}

/* What a replay must find again. */
static void write_inputs(FILE *out, const planner_request *request, const planner_answer *answer)
{
    char digest[64];

    fprintf(out, "searched %.6f\n", answer->searched);
    if (planner_inputs_digest(request->asked.db, digest) == 0)
        fprintf(out, "input-db %s\n", digest);
    if (request->asked.graph && planner_inputs_digest(request->asked.graph, digest) == 0)
        fprintf(out, "input-graph %s\n", digest);
}

/* Programs that meet at rank 0 want to know where it is. */
static void write_master(FILE *out, const planner_request *request, const topomap_plan *plan)
{
    for (uint32_t node = 0; node < plan->nodes; node++)
        if (plan->first[node + 1] > plan->first[node] && plan->task[plan->first[node]] == 0)
            fprintf(out, "master %s\n", request->nodes.name[node]);
}

static int write_answer(FILE *out, const planner_request *request, planner_answer *answer,
                        topomap_error *err)
{
    TOPOMAP_FREED char *layout = NULL;
    uint32_t id;

    if (answer->left) {
        write_left(out, answer);
        return 0;
    }
    layout = topomap_layout_format(answer->plan.nodes, answer->plan.first, answer->plan.task, err);
    if (!layout)
        return -1;
    id = topomap_crc32(0, layout, strlen(layout));
    if (answer->bindings)
        id = topomap_crc32(id, answer->bindings, strlen(answer->bindings));
    one_line(answer->line);
    one_line(answer->detail);
    fprintf(out, "status %s\nline %s\nquiet %d\nplan-id %08x\ngain %.3f\nlayout %s\n",
            answer->applied ? "applied" : "unchanged", answer->line, answer->quiet, id,
            answer->applied ? fmax(answer->gain, -1e9) : 0.0, layout);
    if (answer->bindings)
        fprintf(out, "bindings %s\n", answer->bindings);
    if (answer->cores)
        fprintf(out, "cores %s\n", answer->cores);
    if (answer->gpus)
        fprintf(out, "gpus %s\n", answer->gpus);
    write_master(out, request, &answer->plan);
    if (answer->nics)
        fprintf(out, "nics %s\n", answer->nics);
    if (*answer->detail)
        fprintf(out, "detail %s\n", answer->detail);
    if (request->asked.record)
        write_inputs(out, request, answer);
    if (answer->explain) {
        fprintf(out, "explain %zu\n", answer->explain_size);
        fwrite(answer->explain, 1, answer->explain_size, out);
        fputc('\n', out);
    }
    return 0;
}

char *planner_answer_seal(FILE *out, char **text, size_t *size)
{
    enum { END = sizeof "end 00000000\n" };
    char *sealed = fclose(out) == 0 ? realloc(*text, *size + END) : NULL;

    if (!sealed) {
        free(*text);
        return NULL;
    }
    snprintf(sealed + *size, END, "end %08x\n", topomap_crc32(0, sealed, *size));
    *size += END - 1;
    return sealed;
}

char *planner_failure_text(topomap_error *err, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    if (!out)
        return NULL;
    fprintf(out, "topomap-reply 1\n");
    write_failure(out, err);
    return planner_answer_seal(out, &text, size);
}

char *planner_answer_text(const planner_request *request, size_t *size)
{
    planner_answer answer = {0};
    topomap_error err;
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    if (!out)
        return NULL;
    fprintf(out, "topomap-reply 1\n");
    if (request->asked.judge) {
        double gain;

        if (planner_judge_layout(request, &gain, &err) != 0)
            write_failure(out, &err);
        else
            fprintf(out, "status unchanged\nline judged\nquiet 1\ngain %.3f\n", gain);
        return planner_answer_seal(out, &text, size);
    }
    if (planner_decide(request, &answer, &err) != 0 ||
        write_answer(out, request, &answer, &err) != 0)
        write_failure(out, &err);
    planner_answer_clear(&answer);
    return planner_answer_seal(out, &text, size);
}
