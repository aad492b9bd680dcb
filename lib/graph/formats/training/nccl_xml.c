/* SPDX-License-Identifier: BSD-3-Clause */
/* NCCL's graphs in XML (NCCL_GRAPH_DUMP_FILE): <graphs><graph id pattern ..><channel> with the GPUs
 * of one node in order, <gpu dev= [rank=]/>, and <net dev=/> at the ends where NICs join it to
 * other nodes (NCCL's src/graph/search.cc). Graph 0 is of rings, whose last GPU is followed by the
 * first where no NIC is; graph 1 of trees, a chain inside a node. The others (CollNet, NVLS) are
 * for switches that reduce. Ranks are those of the file; where it has none (before 2.19) and no
 * NIC, it is all of a node and its devices are the ranks. What NICs join is not told. */
#include <stdlib.h>
#include <string.h>

#include "graph/formats/lines.h"
#include "graph/formats/training/nccl.h"

#define FILE_LIMIT ((size_t)64 << 20)

enum { GRAPH_RINGS, GRAPH_TREES };

struct reader {
    topomap_input *input;
    topomap_arcs arcs;
    uint64_t ranks, graph; /* graph: the id of the one that is open */
    int channel, nets;     /* one is open; NICs in the file */
    uint32_t first, last;  /* GPUs of the channel */
    size_t gpus;           /* in it */
};

static int fail(const struct reader *in, const char *text, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: %s", topomap_input_path(in->input), text);
}

/* The number of an attribute of the tag [at, end). */
static int attribute(const char *at, const char *end, const char *name, uint64_t *value)
{
    size_t length = strlen(name);

    for (; at + length + 3 < end; at++)
        if ((*at == ' ' || *at == '\t' || *at == '\n') && !memcmp(at + 1, name, length) &&
            at[length + 1] == '=' && (at[length + 2] == '"' || at[length + 2] == '\'')) {
            at += length + 3;
            return topomap_text_number(&at, value);
        }
    return -1;
}

static int add(struct reader *in, uint32_t from, uint32_t to, topomap_error *err)
{
    if (from == to)
        return 0;
    if (topomap_arcs_add(&in->arcs, from, to, 1, 0, err))
        return -1;
    return in->graph == GRAPH_TREES ? topomap_arcs_add(&in->arcs, to, from, 1, 0, err) : 0;
}

static int gpu(struct reader *in, const char *at, const char *end, topomap_error *err)
{
    uint64_t rank;

    if (attribute(at, end, "rank", &rank)) {
        if (attribute(at, end, "dev", &rank))
            return fail(in, "a gpu without dev or rank", err);
    }
    if (topomap_lines_rank(in->input, rank, &in->ranks, err) ||
        (in->gpus && add(in, in->last, (uint32_t)rank, err)))
        return -1;
    in->last = (uint32_t)rank;
    if (!in->gpus++)
        in->first = in->last;
    return 0;
}

/* What stands between < and >. */
static int tag(struct reader *in, const char *at, const char *end, topomap_error *err)
{
    size_t length = 0;

    while (at + length < end && !memchr(" \t\n/", at[length], 4))
        length++;
    if (length == 5 && !memcmp(at, "graph", 5)) {
        if (attribute(at, end, "id", &in->graph))
            return fail(in, "a graph without id", err);
    } else if (length == 7 && !memcmp(at, "channel", 7)) {
        in->channel = 1;
        in->gpus = 0;
    } else if (!strncmp(at, "/channel>", 9)) {
        if (in->channel && in->graph == GRAPH_RINGS && !in->nets && in->gpus > 1 &&
            add(in, in->last, in->first, err))
            return -1;
        in->channel = 0;
    } else if (length == 3 && !memcmp(at, "net", 3)) {
        in->nets = 1;
    } else if (in->channel && length == 3 && !memcmp(at, "gpu", 3) && in->graph <= GRAPH_TREES) {
        return gpu(in, at, end, err);
    }
    return 0;
}

static int finish(struct reader *in, topomap_graph **graph, topomap_error *err)
{
    if (!in->arcs.count)
        return fail(in, "no channel of a ring or tree joins two GPUs", err);
    if (in->nets)
        return fail(in,
                    "the graph of one node of several: what joins it to the others is not in it; "
                    "a log (NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,GRAPH,COLL) has all",
                    err);
    if (topomap_lines_plausible(in->input, in->ranks, in->arcs.count, err) ||
        topomap_arcs_take(&in->arcs, (uint32_t)in->ranks, graph, err))
        return -1;
    if (!topomap_graph_set_text(&(*graph)->source, err, "NCCL's graphs") &&
        !topomap_graph_set_text(&(*graph)->note, err,
                                "NCCL's graphs have no bytes: each connection of each ring and "
                                "tree counts 1"))
        return 0;
    topomap_graph_free(*graph);
    return -1;
}

static int nccl_xml_read(topomap_input *input, const topomap_graph_options *options,
                         topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.input = input, .graph = UINT64_MAX};
    char *text = NULL, *at, *end;
    size_t size;
    int status;

    (void)options;
    if (topomap_input_all(input, FILE_LIMIT, &text, &size, err))
        return -1;
    status = 0;
    for (at = text; !status && (at = strchr(at, '<')); at = end) {
        end = strchr(at, '>');
        if (!end)
            status = fail(&in, "the file ends inside a tag: it is truncated", err);
        else
            status = tag(&in, at + 1, end, err);
    }
    if (!status)
        status = finish(&in, graph, err);
    topomap_arcs_clear(&in.arcs);
    free(text);
    return status;
}

const topomap_graph_io topomap_nccl_graphs = {
    .row = {"nccl-graph",
            "NCCL's graphs of one node in XML (NCCL_GRAPH_DUMP_FILE); each connection 1", "xml", 1,
            0, NULL},
    .magic = "<graphs",
    .read = nccl_xml_read,
};
