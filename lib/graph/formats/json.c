/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: {"ranks": N, "arcs": [[from, to, bytes(, messages)], ...]}, messages for all arcs or for
 * none, and where they are known "load": [one a rank, or a list of several each], "sizes",
 * "coordinates": [[x, y, ...], ...], "names", "pattern", "source", "note",
 * "phases": [{"arcs": [...]}, ...], whose sum the arcs are (and may be left out); in a phase
 * "barrier": true where no rank begins it before all have ended those before. Other keys are for
 * others. */
#define _GNU_SOURCE /* uselocale */
#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "graph/formats/io.h"
#include "graph/formats/json_text.h"
#include "util/alloc.h"

enum { MOST_PHASES = 4096, MOST_LOADS = 1000 };

/* A list of numbers as long as there are ranks, or of as many rows. */
struct list {
    const char *what; /* for messages */
    size_t most;      /* numbers in a row */
    int real;
    void *value;
    size_t count, capacity, width; /* width: numbers in a row; 0: not known yet */
};

struct phase {
    topomap_arcs arcs;
    int seen, barrier;
};

struct reader {
    topomap_json json;
    uint64_t ranks;
    topomap_arcs arcs;
    struct phase *phase;
    size_t phases, capacity_phase;
    struct list load, sizes, coordinates;
    char *names;
    size_t names_size, names_count, names_capacity;
    char *pattern, *source, *note;
    unsigned seen; /* keys, by bit */
};

/* Calls `read` for each element of a list, or each member of an object. */
static int each(struct reader *in, char open,
                int (*read)(struct reader *in, void *to, size_t i, topomap_error *err), void *to,
                topomap_error *err)
{
    int more;

    if (topomap_json_expect(&in->json, open, err))
        return -1;
    for (size_t i = 0; (more = topomap_json_more(&in->json, open == '[' ? ']' : '}', i, err)) == 1;
         i++)
        if (read(in, to, i, err))
            return -1;
    return more;
}

/* The name of a member, into json.text. */
static int name_read(struct reader *in, topomap_error *err)
{
    return topomap_json_string(&in->json, err) || topomap_json_expect(&in->json, ':', err) ? -1 : 0;
}

/* ---- Arcs ---------------------------------------------------------------------------------- */

static int arc_fail(const struct reader *in, size_t i, const char *why, topomap_error *err)
{
    return topomap_json_fail(&in->json, err, "arc %zu of \"arcs\": %s", i, why);
}

static int arc_read(struct reader *in, void *to, size_t i, topomap_error *err)
{
    static const char form[] = "expected [from, to, bytes] or [from, to, bytes, messages]";
    topomap_arcs *arcs = to;
    uint64_t value[4] = {0};
    size_t count = 0;
    char what[40];
    topomap_error why;
    int more;

    if (topomap_json_peek(&in->json, err) != '[')
        return arc_fail(in, i, form, err);
    in->json.at++;
    snprintf(what, sizeof what, "arc %zu", i);
    for (; (more = topomap_json_more(&in->json, ']', count, err)) == 1; count++) {
        if (count == 4)
            return arc_fail(in, i, form, err);
        if (topomap_json_integer(&in->json, what, &value[count], err))
            return -1;
    }
    if (more < 0)
        return -1;
    if (count < 3)
        return arc_fail(in, i, form, err);
    if (!i)
        arcs->has_messages = count == 4;
    if (arcs->has_messages != (count == 4))
        return arc_fail(in, i, "all arcs have messages or none has", err);
    if (value[0] >= (in->ranks ? in->ranks : TOPOMAP_GRAPH_RANKS) ||
        value[1] >= (in->ranks ? in->ranks : TOPOMAP_GRAPH_RANKS))
        return arc_fail(in, i, "a rank is not below \"ranks\"", err);
    if (topomap_arcs_add(arcs, (uint32_t)value[0], (uint32_t)value[1], value[2], value[3], &why))
        return why.code == TOPOMAP_EINPUT ? arc_fail(in, i, why.text, err)
                                          : topomap_error_set(err, why.code, "%s", why.text);
    return 0;
}

static int arcs_read(struct reader *in, void *arcs, topomap_error *err)
{
    if (topomap_json_peek(&in->json, err) != '[')
        return topomap_json_fail(&in->json, err, "expected \"arcs\": [[from, to, bytes], ...]");
    return each(in, '[', arc_read, arcs, err);
}

static int barrier_read(struct reader *in, int *barrier, topomap_error *err)
{
    int c = topomap_json_peek(&in->json, err);

    if (c != 't' && c != 'f')
        return c < 0 ? -1
                     : topomap_json_fail(&in->json, err, "expected \"barrier\": true or false");
    *barrier = c == 't';
    return topomap_json_skip(&in->json, err);
}

static int phase_key_read(struct reader *in, void *ignored, size_t i, topomap_error *err)
{
    struct phase *phase = &in->phase[in->phases - 1];

    (void)ignored;
    (void)i;
    if (name_read(in, err))
        return -1;
    if (strcmp(in->json.text, "barrier") == 0)
        return barrier_read(in, &phase->barrier, err);
    if (strcmp(in->json.text, "arcs") != 0)
        return topomap_json_skip(&in->json, err);
    if (phase->seen++)
        return topomap_json_fail(&in->json, err, "\"arcs\" is there twice");
    return arcs_read(in, &phase->arcs, err);
}

static int phase_read(struct reader *in, void *ignored, size_t i, topomap_error *err)
{
    (void)ignored;
    if (i == MOST_PHASES)
        return topomap_json_fail(&in->json, err, "more than %d phases", MOST_PHASES);
    if (topomap_grow(&in->phase, &in->capacity_phase, i + 1, sizeof *in->phase, err))
        return -1;
    in->phase[in->phases++] = (struct phase){0};
    return each(in, '{', phase_key_read, NULL, err);
}

/* ---- Lists of ranks ------------------------------------------------------------------------ */

static int list_put(struct reader *in, struct list *list, topomap_error *err)
{
    if (topomap_grow(&list->value, &list->capacity, list->count + 1, 8, err) ||
        (list->real
             ? topomap_json_real(&in->json, list->what, (double *)list->value + list->count, err)
             : topomap_json_integer(&in->json, list->what, (uint64_t *)list->value + list->count,
                                    err)))
        return -1;
    list->count++;
    return 0;
}

/* One rank's: a number, or a list as long as that of every rank. */
static int row_read(struct reader *in, void *to, size_t i, topomap_error *err)
{
    struct list *list = to;
    size_t width = 0;
    int more;

    (void)i;
    if (topomap_json_peek(&in->json, err) != '[') {
        width = 1;
        if (list_put(in, list, err))
            return -1;
    } else {
        in->json.at++;
        for (; (more = topomap_json_more(&in->json, ']', width, err)) == 1; width++)
            if (width == list->most)
                return topomap_json_fail(&in->json, err, "%s: more than %zu a rank", list->what,
                                         list->most);
            else if (list_put(in, list, err))
                return -1;
        if (more < 0)
            return -1;
    }
    if (!width || (list->width && list->width != width))
        return topomap_json_fail(&in->json, err, "%s: as many for each rank", list->what);
    list->width = width;
    return 0;
}

static int rank_name_read(struct reader *in, void *ignored, size_t i, topomap_error *err)
{
    (void)ignored;
    if (topomap_json_string(&in->json, err) ||
        topomap_grow(&in->names, &in->names_capacity, in->names_size + in->json.length, 1, err))
        return -1;
    memcpy(in->names + in->names_size, in->json.text, in->json.length);
    in->names_size += in->json.length;
    in->names_count = i + 1;
    return 0;
}

/* ---- Keys ---------------------------------------------------------------------------------- */

static int read_ranks(struct reader *in, void *to, topomap_error *err)
{
    if (topomap_json_integer(&in->json, "\"ranks\"", to, err))
        return -1;
    if (in->ranks < 1 || in->ranks > TOPOMAP_GRAPH_RANKS)
        return topomap_json_fail(&in->json, err, "expected an object with \"ranks\": 1 to 2^31");
    return 0;
}

static int read_text(struct reader *in, void *to, topomap_error *err)
{
    char **text = to;

    if (topomap_json_string(&in->json, err))
        return -1;
    *text = topomap_strdup(in->json.text, err);
    return *text ? 0 : -1;
}

#define AT(member) offsetof(struct reader, member)
static const struct {
    const char *key;
    int (*read)(struct reader *in, void *to, topomap_error *err);
    int (*element)(struct reader *in, void *to, size_t i, topomap_error *err); /* of a list */
    size_t at; /* where it is kept */
} keys[] = {
    {"ranks", read_ranks, NULL, AT(ranks)},     {"arcs", arcs_read, NULL, AT(arcs)},
    {"phases", NULL, phase_read, AT(phase)},    {"load", NULL, row_read, AT(load)},
    {"sizes", NULL, row_read, AT(sizes)},       {"coordinates", NULL, row_read, AT(coordinates)},
    {"names", NULL, rank_name_read, AT(names)}, {"pattern", read_text, NULL, AT(pattern)},
    {"source", read_text, NULL, AT(source)},    {"note", read_text, NULL, AT(note)},
};
#undef AT
enum { KEYS = sizeof keys / sizeof *keys, KEY_RANKS = 0, KEY_ARCS = 1 };

static int key_read(struct reader *in, void *ignored, size_t i, topomap_error *err)
{
    (void)ignored;
    (void)i;
    if (name_read(in, err))
        return -1;
    for (unsigned k = 0; k < KEYS; k++) {
        if (strcmp(keys[k].key, in->json.text) != 0)
            continue;
        if (in->seen & 1u << k)
            return topomap_json_fail(&in->json, err, "\"%s\" is there twice", keys[k].key);
        in->seen |= 1u << k;
        return keys[k].element ? each(in, '[', keys[k].element, (char *)in + keys[k].at, err)
                               : keys[k].read(in, (char *)in + keys[k].at, err);
    }
    return topomap_json_skip(&in->json, err);
}

static int root_read(struct reader *in, topomap_error *err)
{
    int c;

    if (each(in, '{', key_read, NULL, err))
        return -1;
    c = topomap_json_peek(&in->json, err);
    if (c)
        return c < 0 ? -1 : topomap_json_fail(&in->json, err, "something follows the object");
    if (!(in->seen & 1u << KEY_RANKS))
        return topomap_json_fail(&in->json, err, "expected an object with \"ranks\": 1 to 2^31");
    if (!(in->seen & 1u << KEY_ARCS) && !in->phases)
        return topomap_json_fail(&in->json, err, "expected \"arcs\": [[from, to, bytes], ...]");
    return 0;
}

/* ---- The graph ----------------------------------------------------------------------------- */

/* Arcs that came before "ranks" are checked here. */
static int take_arcs(struct reader *in, topomap_arcs *arcs, topomap_graph **graph,
                     topomap_error *err)
{
    topomap_error why;

    if (!topomap_arcs_take(arcs, (uint32_t)in->ranks, graph, &why))
        return 0;
    if (why.code == TOPOMAP_EINPUT)
        return topomap_json_fail(&in->json, err, "%s", why.text);
    return topomap_error_set(err, why.code, "%s", why.text);
}

static int same_arcs(const topomap_graph *a, const topomap_graph *b)
{
    return a->arcs == b->arcs &&
           !memcmp(a->offset, b->offset, ((size_t)a->ranks + 1) * sizeof *a->offset) &&
           !memcmp(a->target, b->target, a->arcs * sizeof *a->target) &&
           !memcmp(a->bytes, b->bytes, a->arcs * sizeof *a->bytes);
}

/* The phases, and where *graph is NULL their sum as the whole, else a check that it is. */
static int take_phases(struct reader *in, topomap_graph **graph, topomap_error *err)
{
    topomap_graph **phase = topomap_alloc(in->phases, sizeof *phase, err);
    TOPOMAP_GRAPH_FREED topomap_graph *sum = NULL;
    int status = phase ? 0 : -1;

    for (size_t i = 0; !status && i < in->phases; i++) {
        status = take_arcs(in, &in->phase[i].arcs, &phase[i], err);
        if (!status)
            phase[i]->barrier = in->phase[i].barrier;
    }
    if (!status)
        status = topomap_graph_merge((const topomap_graph *const *)phase, in->phases, &sum, err);
    if (!status && *graph && !same_arcs(*graph, sum))
        status = topomap_json_fail(&in->json, err, "\"arcs\" are not the sum of the phases");
    if (!status && !*graph)
        *graph = topomap_take(&sum);
    if (!status)
        status = topomap_graph_set_phases(*graph, phase, (uint32_t)in->phases, err);
    topomap_graph_free_list(phase, status ? in->phases : 0);
    return status;
}

static int sum_check(const struct reader *in, const struct list *list, topomap_error *err)
{
    uint64_t total = 0;
    const uint64_t *value = list->value;

    for (size_t i = 0; i < list->count; i++) {
        if (value[i] >= TOPOMAP_GRAPH_SUM - total)
            return topomap_json_fail(&in->json, err, "%s: the sum reaches 2^63", list->what);
        total += value[i];
    }
    return 0;
}

static int length_check(const struct reader *in, size_t rows, const char *what, topomap_error *err)
{
    if (rows != in->ranks)
        return topomap_json_fail(&in->json, err, "%s: %zu entries for %llu ranks", what, rows,
                                 (unsigned long long)in->ranks);
    return 0;
}

/* One row a rank, and where they are no reals a sum that is none too large. */
static int list_check(const struct reader *in, const struct list *list, topomap_error *err)
{
    return length_check(in, list->count / list->width, list->what, err) ||
                   (!list->real && sum_check(in, list, err))
               ? -1
               : 0;
}

static int take_load(struct reader *in, topomap_graph *graph, topomap_error *err)
{
    size_t width = in->load.width;
    const uint64_t *value = in->load.value;

    if (!width)
        return 0;
    if (list_check(in, &in->load, err))
        return -1;
    graph->load = topomap_alloc(graph->ranks, sizeof *graph->load, err);
    graph->loads = (uint32_t)width;
    if (width > 1)
        graph->load_more =
            topomap_alloc((size_t)graph->ranks * (width - 1), sizeof *graph->load_more, err);
    if (!graph->load || (width > 1 && !graph->load_more))
        return -1;
    for (uint32_t r = 0; r < graph->ranks; r++) {
        graph->load[r] = value[r * width];
        if (width > 1)
            memcpy(graph->load_more + r * (width - 1), value + r * width + 1,
                   (width - 1) * sizeof *value);
    }
    return 0;
}

static int take_parts(struct reader *in, topomap_graph *graph, topomap_error *err)
{
    if (take_load(in, graph, err))
        return -1;
    if (in->sizes.count) {
        if (list_check(in, &in->sizes, err))
            return -1;
        graph->size = topomap_take(&in->sizes.value);
    }
    if (in->coordinates.count) {
        if (list_check(in, &in->coordinates, err))
            return -1;
        graph->dimensions = (uint32_t)in->coordinates.width;
        graph->coordinate = topomap_take(&in->coordinates.value);
    }
    if (in->names_count && (length_check(in, in->names_count, "\"names\"", err) ||
                            topomap_graph_set_names(graph, in->names, in->names_size, err)))
        return -1;
    graph->pattern = topomap_take(&in->pattern);
    graph->source = topomap_take(&in->source);
    graph->note = topomap_take(&in->note);
    return 0;
}

static int graph_make(struct reader *in, topomap_graph **graph, topomap_error *err)
{
    uint64_t arcs = in->arcs.count;
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    topomap_error why;

    for (size_t i = 0; i < in->phases; i++)
        arcs += in->phase[i].arcs.count;
    if (topomap_graph_plausible(in->ranks, arcs, &why) ||
        (in->phases > 1 && topomap_graph_plausible(in->ranks * in->phases, arcs, &why)))
        return topomap_json_fail(&in->json, err, "%s", why.text);
    if (((in->seen & 1u << KEY_ARCS) && take_arcs(in, &in->arcs, &made, err)) ||
        (in->phases && take_phases(in, &made, err)) || take_parts(in, made, err))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

static void reader_clear(struct reader *in)
{
    topomap_json_clear(&in->json);
    topomap_arcs_clear(&in->arcs);
    for (size_t i = 0; i < in->phases; i++)
        topomap_arcs_clear(&in->phase[i].arcs);
    free(in->phase);
    free(in->load.value);
    free(in->sizes.value);
    free(in->coordinates.value);
    free(in->names);
    free(in->pattern);
    free(in->source);
    free(in->note);
}

static int graph_json_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;
    struct reader in = {
        .load = {.what = "\"load\"", .most = MOST_LOADS},
        .sizes = {.what = "\"sizes\"", .most = 1},
        .coordinates = {.what = "\"coordinates\"", .most = 8, .real = 1},
    };
    int status;

    if (!plain)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    before = uselocale(plain); /* a point in a number is a point */
    topomap_json_begin(&in.json, source->input);
    status = root_read(&in, err) || graph_make(&in, graph, err) ? -1 : 0;
    reader_clear(&in);
    uselocale(before);
    freelocale(plain);
    return status;
}

static int graph_json_sniff(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r' && bytes[i] != '\n')
            return bytes[i] == '{' ? TOPOMAP_SURE_CHECKED : TOPOMAP_SURE_NOT;
    return TOPOMAP_SURE_NOT;
}

const topomap_graph_io topomap_graph_json = {
    .row = {"json", "{\"ranks\":N,\"arcs\":[[from,to,bytes,messages],...]}", "json", 1, 1, NULL},
    .sniff = graph_json_sniff,
    .read = graph_json_read,
    .write = topomap_json_write,
};
