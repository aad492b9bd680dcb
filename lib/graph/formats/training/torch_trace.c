/* SPDX-License-Identifier: BSD-3-Clause */
/* PyTorch's execution traces (Chakra's JSON, schema 1.0.3 and later), of one rank each:
 * {"schema": "1.1.1-chakra.0.0.4", "nodes": [{"name": .., "inputs": {"values": [..]}, "attrs":
 * [{"name": .., "type": .., "value": ..}]}]}. Calls are the nodes record_param_comms, whose
 * attributes are collective_name, dtype, in_msg_nelems, in_split_size, pg_name, pg_size,
 * global_rank_start and global_rank_stride (PyTorch's execution_trace_observer.cpp); among their
 * inputs the rank follows the pair [pg_name, pg_desc]: the caller's own in the group, or of one
 * that sends, receives, gathers, scatters, reduces or broadcasts the other one's, or the root's.
 * Groups are in the node "## process_group:init ##": its input is a text, which is JSON again and
 * may be cut: [{"pg_name": "0", "ranks": [], "group_size": 8, ..}, ..], no ranks: all. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "graph/formats/io.h"
#include "graph/formats/training/torch.h"
#include "util/alloc.h"

enum { WORD = 64 };

static const struct {
    const char *name;
    int bytes;
} types[] = {
    {"float8", 1},       {"float", 4},          {"double", 8}, {"half", 2},   {"bfloat16", 2},
    {"byte", 1},         {"char", 1},           {"bool", 1},   {"short", 2},  {"int", 4},
    {"long", 8},         {"uint16", 2},         {"uint32", 4}, {"uint64", 8}, {"complexhalf", 4},
    {"complexfloat", 8}, {"complexdouble", 16},
};
enum { TYPES = sizeof types / sizeof *types };

/* The node that is being read. */
struct node {
    char name[WORD], op[WORD], type[WORD], group[WORD];
    char attribute[WORD];    /* the name of the one that is being read */
    int inputs, behind_pair; /* inputs read so far; the last list among them is a pair of texts */
    uint64_t elements, size, start, stride;
    int64_t rank;
    int has_elements;
    size_t split, splits;
};

struct reader {
    topomap_torch trace;
    struct node node;
};

/* ---- JSON ------------------------------------------------------------------------------------ */

typedef int (*read_one)(struct reader *in, topomap_json *json, topomap_error *err);

/* Each element of a list, or each member of an object, whose name is in json->text. */
static int each(struct reader *in, topomap_json *json, char open, read_one read, topomap_error *err)
{
    int more;

    if (topomap_json_expect(json, open, err))
        return -1;
    for (size_t i = 0; (more = topomap_json_more(json, open == '[' ? ']' : '}', i, err)) == 1; i++)
        if ((open == '{' &&
             (topomap_json_string(json, err) || topomap_json_expect(json, ':', err))) ||
            read(in, json, err))
            return -1;
    return more;
}

static int keep_word(topomap_json *json, char *word, topomap_error *err)
{
    if (topomap_json_peek(json, err) != '"')
        return topomap_json_skip(json, err);
    if (topomap_json_string(json, err))
        return -1;
    snprintf(word, WORD, "%.*s", WORD - 1, json->text);
    return 0;
}

/* A number that is not negative; 0 and no failure for anything else. */
static int keep_number(topomap_json *json, uint64_t *value, topomap_error *err)
{
    int c = topomap_json_peek(json, err);

    *value = 0;
    return c < '0' || c > '9' ? topomap_json_skip(json, err)
                              : topomap_json_integer(json, "a number", value, err);
}

/* ---- Process groups -------------------------------------------------------------------------- */

static int group_at(struct reader *in, const char *name, uint32_t *id, topomap_error *err)
{
    size_t count = in->trace.names.count;

    if (topomap_known_number(&in->trace.names, name, strlen(name), id, err))
        return -1;
    return *id < count ? 0
                       : TOPOMAP_APPEND(in->trace.group, count, in->trace.group_capacity, err,
                                        (struct topomap_torch_group){0});
}

static int group_rank(struct reader *in, topomap_json *json, topomap_error *err)
{
    uint64_t rank;

    if (topomap_json_integer(json, "a rank", &rank, err) || rank >= TOPOMAP_GRAPH_RANKS)
        return -1;
    return TOPOMAP_APPEND(in->trace.rank, in->trace.ranks, in->trace.rank_capacity, err,
                          (uint32_t)rank);
}

static int group_key(struct reader *in, topomap_json *json, topomap_error *err)
{
    struct node *node = &in->node;

    if (!strcmp(json->text, "pg_name"))
        return keep_word(json, node->group, err);
    if (!strcmp(json->text, "group_size"))
        return keep_number(json, &node->size, err);
    if (strcmp(json->text, "ranks") != 0 || topomap_json_peek(json, err) != '[')
        return topomap_json_skip(json, err);
    return each(in, json, '[', group_rank, err);
}

static int group_read(struct reader *in, topomap_json *json, topomap_error *err)
{
    size_t first = in->trace.ranks, count;
    uint32_t id;

    in->node.size = 0;
    *in->node.group = '\0';
    if (each(in, json, '{', group_key, err) || group_at(in, in->node.group, &id, err))
        return -1;
    count = in->trace.ranks - first;
    if (in->trace.group[id].known || in->node.size > TOPOMAP_GRAPH_RANKS)
        return 0;
    in->trace.group[id] =
        (struct topomap_torch_group){.first = first,
                                     .size = count ? count : (size_t)in->node.size,
                                     .stride = 1,
                                     .listed = count > 0,
                                     .known = 1};
    return 0;
}

/* The text of the node: it ends where it was cut. */
static int groups_read(struct reader *in, const char *text, topomap_error *err)
{
    topomap_error ignored;
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    topomap_json json;

    if (topomap_input_memory("process groups", text, strlen(text), &input, err))
        return -1;
    topomap_json_begin(&json, input);
    (void)each(in, &json, '[', group_read, &ignored);
    topomap_json_clear(&json);
    return 0;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A list among the inputs: 1 where it is a pair of texts, 0 where it is anything else. */
static int pair_read(topomap_json *json, topomap_error *err)
{
    int more, texts = 1;
    size_t count = 0;

    if (topomap_json_expect(json, '[', err))
        return -1;
    for (; (more = topomap_json_more(json, ']', count, err)) == 1; count++) {
        texts &= topomap_json_peek(json, err) == '"';
        if (topomap_json_skip(json, err))
            return -1;
    }
    return more ? -1 : texts && count == 2;
}

/* An input of a call. */
static int rank_read(struct reader *in, topomap_json *json, topomap_error *err)
{
    int c = topomap_json_peek(json, err), pair;
    uint64_t rank;

    if (in->node.behind_pair && c >= '0' && c <= '9') {
        if (topomap_json_integer(json, "a rank", &rank, err))
            return -1;
        in->node.rank = rank < TOPOMAP_GRAPH_RANKS ? (int64_t)rank : TOPOMAP_TORCH_NONE;
        in->node.behind_pair = 0;
        return 0;
    }
    if (c != '[')
        return topomap_json_skip(json, err);
    pair = pair_read(json, err);
    in->node.behind_pair = pair == 1;
    return pair < 0 ? -1 : 0;
}

/* The first input, where it is a text. */
static int init_read(struct reader *in, topomap_json *json, topomap_error *err)
{
    if (in->node.inputs++ || topomap_json_peek(json, err) != '"')
        return topomap_json_skip(json, err);
    return topomap_json_string(json, err) || groups_read(in, json->text, err) ? -1 : 0;
}

static int inputs_key(struct reader *in, topomap_json *json, topomap_error *err)
{
    if (strcmp(json->text, "values") != 0 || topomap_json_peek(json, err) != '[')
        return topomap_json_skip(json, err);
    in->node.behind_pair = in->node.inputs = 0;
    if (!strcmp(in->node.name, "record_param_comms"))
        return each(in, json, '[', rank_read, err);
    return strstr(in->node.name, "process_group:init") ? each(in, json, '[', init_read, err)
                                                       : topomap_json_skip(json, err);
}

/* `[4,4,0,8]`, a text. */
static int splits_read(struct reader *in, const char *at, topomap_error *err)
{
    uint64_t value;

    in->node.split = in->trace.splits;
    while (*at && (*at < '0' || *at > '9'))
        at++;
    while (!topomap_text_number(&at, &value)) {
        if (TOPOMAP_APPEND(in->trace.split, in->trace.splits, in->trace.split_capacity, err,
                           (double)value))
            return -1;
        at += strspn(at, ", ");
    }
    in->node.splits = in->trace.splits - in->node.split;
    return 0;
}

static int attribute_value(struct reader *in, topomap_json *json, topomap_error *err)
{
    struct node *node = &in->node;
    const char *name = node->attribute;

    if (!strcmp(name, "collective_name"))
        return keep_word(json, node->op, err);
    if (!strcmp(name, "dtype"))
        return keep_word(json, node->type, err);
    if (!strcmp(name, "pg_name"))
        return keep_word(json, node->group, err);
    if (!strcmp(name, "pg_size"))
        return keep_number(json, &node->size, err);
    if (!strcmp(name, "global_rank_start"))
        return keep_number(json, &node->start, err);
    if (!strcmp(name, "global_rank_stride"))
        return keep_number(json, &node->stride, err);
    if (!strcmp(name, "in_msg_nelems")) {
        node->has_elements = 1;
        return keep_number(json, &node->elements, err);
    }
    if (!strcmp(name, "in_split_size") && topomap_json_peek(json, err) == '"')
        return topomap_json_string(json, err) ? -1 : splits_read(in, json->text, err);
    return topomap_json_skip(json, err);
}

static int attribute_key(struct reader *in, topomap_json *json, topomap_error *err)
{
    if (!strcmp(json->text, "name"))
        return keep_word(json, in->node.attribute, err);
    return strcmp(json->text, "value") ? topomap_json_skip(json, err)
                                       : attribute_value(in, json, err);
}

/* {"name": NAME, "type": .., "value": VALUE}, in this order. */
static int attribute_read(struct reader *in, topomap_json *json, topomap_error *err)
{
    *in->node.attribute = '\0';
    return each(in, json, '{', attribute_key, err);
}

static int node_key(struct reader *in, topomap_json *json, topomap_error *err)
{
    int ours = !strcmp(in->node.name, "record_param_comms");

    if (!strcmp(json->text, "name"))
        return keep_word(json, in->node.name, err);
    if (!strcmp(json->text, "inputs") && topomap_json_peek(json, err) == '{')
        return each(in, json, '{', inputs_key, err);
    if (!strcmp(json->text, "attrs") && ours && topomap_json_peek(json, err) == '[')
        return each(in, json, '[', attribute_read, err);
    return topomap_json_skip(json, err);
}

static int bytes_of(const char *type)
{
    for (int i = 0; i < TYPES; i++) {
        size_t length = strlen(types[i].name);

        if (!strncasecmp(type, types[i].name, length) &&
            (!type[length] || !strcmp(types[i].name, "float8")))
            return types[i].bytes;
    }
    return 0;
}

static int call_add(struct reader *in, topomap_error *err)
{
    const struct node *node = &in->node;
    int op = topomap_torch_op(node->op), bytes = bytes_of(node->type);
    struct topomap_torch_group *group;
    uint32_t id;

    if (!node->has_elements || !node->elements || !*node->op || !strcmp(node->op, "wait"))
        return 0;
    if (op < 0 || !bytes) {
        in->trace.strange++;
        return 0;
    }
    if (group_at(in, node->group, &id, err))
        return -1;
    group = &in->trace.group[id];
    if (!group->known && !group->size && node->stride && node->size &&
        node->size <= TOPOMAP_GRAPH_RANKS && node->start < TOPOMAP_GRAPH_RANKS &&
        node->stride < TOPOMAP_GRAPH_RANKS &&
        node->start + (node->size - 1) * node->stride < TOPOMAP_GRAPH_RANKS)
        *group = (struct topomap_torch_group){
            .size = (size_t)node->size, .start = node->start, .stride = node->stride};
    return TOPOMAP_APPEND(in->trace.call, in->trace.calls, in->trace.call_capacity, err,
                          (struct topomap_torch_call){.group = id,
                                                      .op = op,
                                                      .rank = node->rank,
                                                      .bytes = (double)node->elements * bytes,
                                                      .split = node->split,
                                                      .splits = node->splits});
}

static int node_read(struct reader *in, topomap_json *json, topomap_error *err)
{
    in->node = (struct node){.rank = TOPOMAP_TORCH_NONE};
    in->trace.nodes++;
    if (each(in, json, '{', node_key, err))
        return -1;
    return strcmp(in->node.name, "record_param_comms") == 0 ? call_add(in, err) : 0;
}

static int root_key(struct reader *in, topomap_json *json, topomap_error *err)
{
    if (strcmp(json->text, "nodes") != 0)
        return topomap_json_skip(json, err);
    return each(in, json, '[', node_read, err);
}

static int torch_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.trace = {.source = source}};
    int status;

    topomap_json_begin(&in.trace.json, source->input);
    status =
        each(&in, &in.trace.json, '{', root_key, err) || topomap_torch_graph(&in.trace, graph, err);
    topomap_json_clear(&in.trace.json);
    topomap_known_clear(&in.trace.names);
    free(in.trace.group);
    free(in.trace.rank);
    free(in.trace.call);
    free(in.trace.split);
    return status ? -1 : 0;
}

static int torch_sniff(const char *bytes, size_t size)
{
    size_t head = size < 400 ? size : 400;

    return size && memchr("{ \t\r\n", *bytes, 5) && memmem(bytes, head, "\"schema\"", 8) &&
                   memmem(bytes, head, "chakra", 6)
               ? TOPOMAP_SURE
               : TOPOMAP_SURE_NOT;
}

static const topomap_graph_option options[] = {
    {"rank", "N", "whose trace it is, where its collectives do not tell"},
    {NULL, NULL, NULL},
};
const topomap_graph_io topomap_torch_trace = {
    .row = {"torch-trace",
            "PyTorch's execution trace of one rank (Chakra JSON): what that rank sends, by its "
            "process groups",
            "json", 1, 0, options},
    .sniff = torch_sniff,
    .read = torch_read,
};
