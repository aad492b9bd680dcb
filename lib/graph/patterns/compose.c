/* SPDX-License-Identifier: BSD-3-Clause */
/* PATTERN -> graph: a single pattern, or sum(), phases() and blocks() of patterns and files. */
#include <stdlib.h>
#include <string.h>

#include "graph/patterns/patterns.h"
#include "util/alloc.h"

enum kind { SUM, PHASES, BLOCKS, KINDS };
static const char *const kinds[KINDS] = {"sum", "phases", "blocks"};

typedef struct context {
    const char *text; /* all of it, for messages */
    uint64_t most;    /* ranks of a pattern; 0: any number */
    topomap_pattern_read *read;
    topomap_error *err;
} context;

typedef struct operands {
    topomap_operand *part;
    size_t count, capacity;
    uint64_t arcs;           /* of all parts */
    uint64_t repeat, couple; /* of blocks(); 0: not said */
    double compute;          /* of phases(), in seconds; 0: not given */
} operands;

static int evaluate(const context *c, const char *at, const char *end, int depth,
                    topomap_graph **graph);

static size_t name_length(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789-_");
}

static enum kind composition_at(const char *at, const char *end)
{
    size_t length = name_length(at);

    if (at + length >= end || at[length] != '(')
        return KINDS;
    for (enum kind kind = SUM; kind < KINDS; kind++)
        if (strlen(kinds[kind]) == length && !strncmp(kinds[kind], at, length))
            return kind;
    return KINDS;
}

static const topomap_pattern *pattern_at(const char *at, const char *end)
{
    size_t length = name_length(at);

    if (at + length > end || (at + length < end && !strchr(":,", at[length])))
        return NULL;
    return topomap_pattern_named(at, length);
}

int topomap_pattern_is_named(const char *text)
{
    const char *end = text + strlen(text);

    return composition_at(text, end) != KINDS || pattern_at(text, end) != NULL;
}

/* Past a factor such as `0.5*`; `at` itself where there is none. */
static const char *skip_factor(const char *at)
{
    const char *star = at + strspn(at, "0123456789.e-");

    return star > at && *star == '*' ? star + 1 : at;
}

/* Whether [at, end), up to its first comma, goes on with the options of `pattern`. */
static int is_option(const topomap_pattern *pattern, const char *at, const char *end)
{
    const char *operand = skip_factor(at);
    size_t length;

    if (pattern_at(operand, end) || composition_at(operand, end) != KINDS)
        return 0;
    while (end > at && memchr(at, ',', (size_t)(end - at)))
        end = memchr(at, ',', (size_t)(end - at));
    length = (size_t)(end - at);
    if (memchr(at, '=', length))
        return strncmp(at, "couple=", 7) != 0 && strncmp(at, "compute=", 8) != 0;
    for (int i = 0; pattern->param[i].name; i++)
        if (pattern->param[i].type == TOPOMAP_PARAM_FLAG &&
            strlen(pattern->param[i].name) == length &&
            !strncmp(pattern->param[i].name, at, length))
            return 1;
    return length > 1 && strchr(TOPOMAP_PATTERN_LETTERS, *at) &&
           (at[1] == ':' || (length > 2 && at[2] == ':'));
}

/* Where the operand at `at` ends: at the comma behind it, or at `end`. */
static const char *operand_end(const char *at, const char *end)
{
    const topomap_pattern *pattern = pattern_at(skip_factor(at), end);
    int open = 0;

    for (const char *p = at; p < end; p++) {
        open += *p == '(';
        open -= *p == ')';
        if (*p == ',' && !open && (!pattern || !is_option(pattern, p + 1, end)))
            return p;
    }
    return end;
}

static int take_phases(const topomap_pattern_out *out, uint32_t phases, topomap_graph **phase,
                       topomap_error *err)
{
    const topomap_arcs *a = &out->arcs;

    for (uint32_t i = 0; i < phases; i++) {
        size_t first = i ? out->phase[i] : 0;
        size_t end = i + 1 < phases ? out->phase[i + 1] : a->count;

        if (topomap_graph_new((uint32_t)out->ranks, end - first, a->from + first, a->to + first,
                              a->bytes + first, NULL, &phase[i], err))
            return -1;
    }
    return 0;
}

static int out_take(topomap_pattern_out *out, topomap_graph **graph, topomap_error *err)
{
    uint32_t phases = out->phases > 1 ? out->phases : 0;
    topomap_graph **phase = topomap_alloc(phases, sizeof *phase, err);
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    int status = !phase || take_phases(out, phases, phase, err) ||
                 topomap_arcs_take(&out->arcs, (uint32_t)out->ranks, &made, err) ||
                 (phases && topomap_graph_set_phases(made, phase, phases, err));

    topomap_graph_free_list(phase, status ? phases : 0);
    if (status)
        return -1;
    made->load = topomap_take(&out->load);
    *graph = topomap_take(&made);
    return 0;
}

static int make(const context *c, const topomap_pattern *pattern, const char *at, const char *end,
                topomap_graph **graph)
{
    topomap_error why;
    topomap_pattern_out out = {.err = &why, .most = c->most};
    topomap_pattern_args args;
    int status;

    if (topomap_pattern_parse(pattern, c->text, at, end, &args, c->err))
        return -1;
    status = pattern->make(&args, &out);
    topomap_arena_clear(&out.memory);
    status = status || out_take(&out, graph, &why);
    topomap_arcs_clear(&out.arcs);
    free(out.load);
    free(out.phase);
    if (!status)
        return 0;
    return topomap_error_set(c->err, why.code == TOPOMAP_EINPUT ? TOPOMAP_EUSAGE : why.code,
                             "pattern `%.*s`: %s", (int)(end - at > 100 ? 100 : end - at), at,
                             why.text);
}

/* ---- Several -------------------------------------------------------------------------------- */

static int read_file(const context *c, const char *at, const char *end, topomap_graph **graph)
{
    TOPOMAP_FREED char *path = topomap_strndup(at, (size_t)(end - at), c->err);
    char near[300];
    int status;

    if (!path)
        return -1;
    status = *path ? c->read(path, graph, c->err) : 1;
    if (status <= 0)
        return status;
    topomap_pattern_suggest(path, near, sizeof near);
    return topomap_pattern_fail(c->text, at, c->err, "neither a file nor a pattern: %s", near);
}

static int take_factor(const context *c, const char **at, double *factor)
{
    const char *behind = skip_factor(*at), *end = *at;

    *factor = 1.0;
    if (behind == *at)
        return 0;
    if (topomap_pattern_real(&end, factor) || end + 1 != behind ||
        !(*factor > 0.0 && *factor <= 0x1p62))
        return topomap_pattern_fail(c->text, *at, c->err, "a factor above 0 expected");
    *at = behind;
    return 0;
}

static int add_operand(const context *c, const char *at, const char *end, int depth, operands *list)
{
    topomap_operand *part;

    if (topomap_grow(&list->part, &list->capacity, list->count + 1, sizeof *list->part, c->err))
        return -1;
    part = &list->part[list->count];
    *part = (topomap_operand){0};
    if (take_factor(c, &at, &part->factor) ||
        evaluate(c, at, end, depth + 1, (topomap_graph **)&part->graph))
        return -1;
    list->count++;
    list->arcs += part->graph->arcs;
    if (list->arcs > TOPOMAP_PATTERN_MOST)
        return topomap_pattern_fail(c->text, at, c->err,
                                    "more arcs in all than allowed: " TOPOMAP_PATTERN_LIMIT);
    return 0;
}

/* Reads a time such as `2ms`. */
static int read_seconds(const char *at, const char *end, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

    if (topomap_pattern_real(&at, seconds) || !(*seconds > 0))
        return -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == (size_t)(end - at) &&
            !strncmp(units[i].name, at, (size_t)(end - at))) {
            *seconds *= units[i].seconds;
            return 0;
        }
    return -1;
}

/* `compute=2ms` of phases(): 1 if [at, end) is one, -1 if it is not valid. */
static int take_compute(const context *c, enum kind kind, const char *at, const char *end,
                        operands *list)
{
    if (strncmp(at, "compute=", 8))
        return 0;
    if (kind != PHASES || list->compute > 0 || read_seconds(at + 8, end, &list->compute))
        return topomap_pattern_fail(c->text, at, c->err,
                                    "compute= takes a time such as 2ms, once, in phases() only");
    return 1;
}

/* Returns the seconds that a rank computes. On the same ranks the parts' seconds add up; blocks are
 * different ranks, which compute at the same time. */
static double compute_of(const operands *list, enum kind kind)
{
    double sum = list->compute, most = 0;

    for (size_t i = 0; i < list->count; i++) {
        double part = list->part[i].graph->compute * list->part[i].factor;

        sum += part;
        most = part > most ? part : most;
    }
    return kind == BLOCKS ? most : sum;
}

/* `5` and `couple=64K` of blocks(): 1 where [at, end) is such a thing, -1 where it is a bad one. */
static int take_setting(const context *c, enum kind kind, const char *at, const char *end,
                        operands *list)
{
    int couple = !strncmp(at, "couple=", 7);
    const char *number = couple ? at + 7 : at;
    uint64_t *to = couple ? &list->couple : &list->repeat;

    if (kind != BLOCKS || (!couple && (size_t)(end - at) != strspn(at, "0123456789")))
        return 0;
    if (*to || topomap_pattern_count(&number, to) || number != end || !*to ||
        *to >= UINT64_C(1) << 62)
        return topomap_pattern_fail(c->text, at, c->err, "%s",
                                    couple ? "couple= takes bytes, once"
                                           : "how often the graph is repeated expected, once");
    return 1;
}

static int take_operands(const context *c, enum kind kind, const char *at, const char *end,
                         int depth, operands *list)
{
    for (;; at++) {
        const char *comma = operand_end(at, end);
        int got = comma == at ? topomap_pattern_fail(c->text, at, c->err, "a pattern expected")
                              : take_compute(c, kind, at, comma, list);

        got = got ? got : take_setting(c, kind, at, comma, list);
        if (got < 0 || (!got && add_operand(c, at, comma, depth, list)))
            return -1;
        at = comma;
        if (at == end)
            break;
    }
    if (!list->count)
        return topomap_pattern_fail(c->text, end, c->err, "a pattern expected");
    if (list->repeat && list->count > 1)
        return topomap_pattern_fail(c->text, end, c->err,
                                    "blocks() takes one graph and how often, or several graphs");
    return 0;
}

static int compose(const context *c, enum kind kind, const char *at, const char *end, int depth,
                   topomap_graph **graph)
{
    operands list = {0};
    int open = 1, status = -1;
    const char *close = at + strlen(kinds[kind]) + 1;

    if (depth >= TOPOMAP_PATTERN_DEPTH)
        return topomap_pattern_fail(c->text, at, c->err, "more than %d compositions in each other",
                                    TOPOMAP_PATTERN_DEPTH);
    at = close;
    for (; close < end && open; close++)
        open += (*close == '(') - (*close == ')');
    if (open)
        return topomap_pattern_fail(c->text, end, c->err, "`)` expected");
    if (close != end)
        return topomap_pattern_fail(c->text, close, c->err, "nothing expected behind the `)`");
    if (!take_operands(c, kind, at, end - 1, depth, &list))
        status = kind == BLOCKS
                     ? topomap_combine_blocks(list.part, list.count, list.repeat ? list.repeat : 1,
                                              list.couple, graph, c->err)
                     : topomap_combine_same(list.part, list.count, kind == PHASES, graph, c->err);
    if (!status)
        (*graph)->compute = compute_of(&list, kind);
    for (size_t i = 0; i < list.count; i++)
        topomap_graph_free((topomap_graph *)list.part[i].graph);
    free(list.part);
    return status;
}

static int evaluate(const context *c, const char *at, const char *end, int depth,
                    topomap_graph **graph)
{
    enum kind kind = composition_at(at, end);
    const topomap_pattern *pattern = pattern_at(at, end);

    if (kind != KINDS)
        return compose(c, kind, at, end, depth, graph);
    if (pattern)
        return make(c, pattern, at, end, graph);
    return read_file(c, at, end, graph);
}

int topomap_pattern_generate(const char *text, uint64_t most, topomap_pattern_read *read,
                             topomap_graph **graph, topomap_error *err)
{
    context c = {text, most, read, err};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    char near[300];

    if (!topomap_pattern_is_named(text)) {
        topomap_pattern_suggest(text, near, sizeof near);
        return topomap_error_set(err, TOPOMAP_EUSAGE, "`%.100s` is no pattern: %s", text, near);
    }
    if (evaluate(&c, text, text + strlen(text), 0, &made))
        return -1;
    free(made->pattern);
    made->pattern = topomap_strdup(text, err);
    if (!made->pattern)
        return -1;
    *graph = topomap_take(&made);
    return 0;
}
