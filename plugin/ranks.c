/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/ranks.h"
#include "util/alloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int plugin_ranks_alloc(plugin_ranks *ranks, uint32_t nodes, uint32_t tasks, topomap_error *err)
{
    ranks->nodes = nodes;
    ranks->tasks = tasks;
    ranks->first = topomap_alloc((size_t)nodes + 1, sizeof *ranks->first, err);
    ranks->id = topomap_alloc(tasks, sizeof *ranks->id, err);
    if (ranks->first && ranks->id)
        return 0;
    plugin_ranks_clear(ranks);
    return -1;
}

void plugin_ranks_clear(plugin_ranks *ranks)
{
    free(ranks->first);
    free(ranks->id);
    memset(ranks, 0, sizeof *ranks);
}

int plugin_ranks_check(const plugin_ranks *ranks, topomap_error *err)
{
    unsigned char *seen = topomap_alloc(ranks->tasks, 1, err);
    const char *problem = NULL;

    if (!seen)
        return -1;
    for (uint32_t node = 0; node < ranks->nodes && !problem; node++) {
        for (uint32_t i = ranks->first[node]; i < ranks->first[node + 1] && !problem; i++) {
            if (ranks->id[i] >= ranks->tasks || seen[ranks->id[i]]++)
                problem = "task ids are no permutation";
            else if (i > ranks->first[node] && ranks->id[i] < ranks->id[i - 1])
                problem = "task ids do not ascend within a node";
        }
    }
    free(seen);
    return problem ? topomap_error_set(err, TOPOMAP_EINPUT, "%s", problem) : 0;
}

/* Text that grows by printing. */
struct text {
    char *bytes;
    size_t size, capacity;
};

static int add(struct text *text, topomap_error *err, const char *format, ...) TOPOMAP_PRINTF(3, 4);

static int add(struct text *text, topomap_error *err, const char *format, ...)
{
    va_list args;
    int length;

    if (topomap_grow(&text->bytes, &text->capacity, text->size + 64, 1, err))
        return -1;
    va_start(args, format);
    length = vsnprintf(text->bytes + text->size, 64, format, args);
    va_end(args);
    text->size += (size_t)length;
    return 0;
}

char *plugin_ranks_format(const plugin_ranks *ranks, topomap_error *err)
{
    struct text text = {0};
    int failed = add(&text, err, "%s", "");

    for (uint32_t node = 0; node < ranks->nodes && !failed; node++) {
        if (node)
            failed = add(&text, err, ";");
        for (uint32_t i = ranks->first[node], next; i < ranks->first[node + 1] && !failed;
             i = next) {
            const char *comma = i > ranks->first[node] ? "," : "";

            for (next = i + 1;
                 next < ranks->first[node + 1] && ranks->id[next] == ranks->id[next - 1] + 1;
                 next++)
                ;
            failed = next == i + 1
                         ? add(&text, err, "%s%u", comma, ranks->id[i])
                         : add(&text, err, "%s%u-%u", comma, ranks->id[i], ranks->id[next - 1]);
        }
    }
    if (!failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

char *plugin_ranks_counts(const plugin_ranks *ranks, topomap_error *err)
{
    struct text text = {0};
    int failed = add(&text, err, "%s", "");

    for (uint32_t node = 0, next; node < ranks->nodes && !failed; node = next) {
        uint32_t count = ranks->first[node + 1] - ranks->first[node];

        for (next = node + 1;
             next < ranks->nodes && ranks->first[next + 1] - ranks->first[next] == count; next++)
            ;
        failed = add(&text, err, "%s%u", node ? "," : "", count);
        if (!failed && next > node + 1)
            failed = add(&text, err, "(x%u)", next - node);
    }
    if (!failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

/* A number without sign; NULL where there is none below `limit`. */
static const char *read_number(const char *text, uint32_t limit, uint32_t *number)
{
    uint64_t value = 0;
    const char *c = text;

    for (; *c >= '0' && *c <= '9' && value < limit; c++)
        value = value * 10 + (uint64_t)(*c - '0');
    *number = (uint32_t)value;
    return c == text || value >= limit ? NULL : c;
}

/* "3" or "3-7", from *at on. */
static const char *read_range(const char *text, plugin_ranks *ranks, uint32_t *at, uint32_t end)
{
    uint32_t low, high;
    const char *c = read_number(text, ranks->tasks, &low);

    high = low;
    if (c && *c == '-')
        c = read_number(c + 1, ranks->tasks, &high);
    if (!c || high < low || high - low >= end - *at)
        return NULL;
    for (uint32_t id = low; id <= high; id++)
        ranks->id[(*at)++] = id;
    return c;
}

static int parse(const char *text, plugin_ranks *ranks)
{
    uint32_t at = 0;

    for (uint32_t node = 0; node < ranks->nodes; node++) {
        if (node && *text++ != ';')
            return -1;
        while (at < ranks->first[node + 1]) {
            if (at > ranks->first[node] && *text++ != ',')
                return -1;
            text = read_range(text, ranks, &at, ranks->first[node + 1]);
            if (!text)
                return -1;
        }
    }
    return *text ? -1 : 0;
}

int plugin_ranks_parse(const char *text, const plugin_ranks *like, plugin_ranks *ranks,
                       topomap_error *err)
{
    if (plugin_ranks_alloc(ranks, like->nodes, like->tasks, err))
        return -1;
    memcpy(ranks->first, like->first, ((size_t)like->nodes + 1) * sizeof *like->first);
    if (parse(text, ranks)) {
        plugin_ranks_clear(ranks);
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the layout does not have the step's nodes and task counts");
    }
    if (plugin_ranks_check(ranks, err)) {
        plugin_ranks_clear(ranks);
        return -1;
    }
    return 0;
}
