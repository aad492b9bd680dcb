/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/bindings.h"
#include "util/alloc.h"
#include "graph/graph.h"
#include "plan/plan.h"

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

/* ---- Was a layout right for what a program then sent? ------------------------------------- */

/* J of a layout, as the search computes it. */
static int by_J(const planner_inputs *in, const uint32_t *slots, double *value, topomap_error *err)
{
    double bytes = planner_message_bytes(&in->request->asked, in->objective, in->message_bytes);
    topomap_weights w;

    *value = 0;
    if (topomap_weights_of_messages(in->graph, topomap_graph_ranks(in->graph),
                                    topomap_message_bytes(in->graph, bytes), &w, err) != 0)
        return -1;
    for (uint32_t u = 0; u < w.vertices; u++)
        for (uint64_t e = w.offset[u]; e < w.offset[u + 1]; e++)
            if (u < w.target[e])
                *value += (double)w.weight[e] *
                          topomap_machine_distance(in->machine, slots[u], slots[w.target[e]]);
    topomap_weights_clear(&w);
    return 0;
}

static int by_time(const planner_inputs *in, const uint32_t *slots, double *value,
                   topomap_error *err)
{
    topomap_time time;

    if (topomap_time_evaluate(in->graph, in->machine, slots, &in->costs, &time, err) != 0)
        return -1;
    *value = time.seconds;
    topomap_time_clear(&time);
    return 0;
}

static int judge(planner_inputs *in, double *gain, topomap_error *err)
{
    const planner_request *request = in->request;
    uint32_t slots = topomap_machine_slots(in->machine);
    int (*value)(const planner_inputs *, const uint32_t *, double *, topomap_error *) =
        in->objective == TOPOMAP_OBJECTIVE_TIME ? by_time : by_J;
    TOPOMAP_FREED uint32_t *layout = topomap_alloc(slots, sizeof *layout, err), *judged = NULL;
    double before, after;

    planner_objective_costs(&request->asked, in->graph, &in->costs);
    if (!layout ||
        topomap_layout_parse(request->asked.judge, (uint32_t)request->nodes.count, request->first,
                             layout, err) != 0 ||
        !(judged = planner_inputs_slots(in, layout, err)) ||
        value(in, in->start, &before, err) != 0 || value(in, judged, &after, err) != 0)
        return -1;
    *gain = before > 0 ? 100 * (before - after) / before : 0;
    return 0;
}

/* Compares the layout that the request names to be judged with Slurm's, by J or predicted time,
 * whichever is the objective.
 * \param gain  out: how much less it costs, in percent; negative: it costs more
 * Returns 0, or -1 with \p err set, e.g. for other objectives. */
static int judge_layout(const planner_request *request, double *gain, topomap_error *err)
{
    TOPOMAP_CLEANUP(planner_inputs_clear) planner_inputs in = {0};

    if (planner_inputs_open(request, &in, err) != 0)
        return -1;
    if (in.objective != TOPOMAP_OBJECTIVE_J && in.objective != TOPOMAP_OBJECTIVE_TIME)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "layouts are judged by J and time alone");
    return judge(&in, gain, err);
}

char *planner_answer_text(const planner_request *request, size_t *size)
{
    TOPOMAP_CLEANUP(planner_answer_clear) planner_answer answer = {0};
    topomap_error err;
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    double gain = 0;

    if (!out)
        return NULL;
    fprintf(out, "topomap-reply 1\n");
    if (request->asked.judge ? judge_layout(request, &gain, &err) != 0
                             : planner_decide(request, &answer, &err) != 0 ||
                                   write_answer(out, request, &answer, &err) != 0)
        write_failure(out, &err);
    else if (request->asked.judge)
        fprintf(out, "status unchanged\nline judged\nquiet 1\ngain %.3f\n", gain);
    return planner_answer_seal(out, &text, size);
}
