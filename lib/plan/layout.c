/* SPDX-License-Identifier: BSD-3-Clause */

#include "plan/plan.h"
#include "util/alloc.h"
#include "util/sorted.h"
#include "util/text.h"

char *topomap_layout_format(uint32_t nodes, const uint32_t *first, const uint32_t *task,
                            topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (uint32_t i = 0; out && i < nodes; i++) {
        if (i)
            fputc(';', out);
        topomap_ranges_print(out, task + first[i], first[i + 1] - first[i], 3);
    }
    return topomap_printed(out, &text, err);
}

static int bad(const char *text, const char *at, const char *expected, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "layout, character %zu: expected %s",
                             (size_t)(at - text) + 1, expected);
}

static int read_number(const char **at, uint32_t *value)
{
    const char *end = *at;
    uint64_t number;

    if (topomap_text_number(&end, &number) || number >= UINT32_MAX)
        return -1;
    *value = (uint32_t)number;
    *at = end;
    return 0;
}

/* One node's tasks: ascending, and as many as it has. */
static int read_node(const char *text, const char **at, uint32_t tasks, uint32_t count,
                     uint32_t *task, uint8_t *seen, topomap_error *err)
{
    uint32_t filled = 0;

    while (filled < count) {
        uint32_t low, high;

        if (filled && *(*at)++ != ',')
            return bad(text, *at - 1, "',' and more tasks of this node", err);
        if (read_number(at, &low) != 0)
            return bad(text, *at, "a task id", err);
        high = low;
        if (**at == '-' && ((*at)++, read_number(at, &high) != 0))
            return bad(text, *at, "the last task of a range", err);
        if (high < low || high >= tasks || high - low >= count - filled ||
            (filled && low <= task[filled - 1]))
            return bad(text, *at, "ascending tasks of this step, as many as the node has", err);
        for (; low <= high; low++) {
            if (seen[low]++)
                return bad(text, *at, "each task once", err);
            task[filled++] = low;
        }
    }
    return 0;
}

int topomap_layout_parse(const char *text, uint32_t nodes, const uint32_t *first, uint32_t *task,
                         topomap_error *err)
{
    uint32_t tasks = first[nodes];
    TOPOMAP_FREED uint8_t *seen = topomap_alloc(tasks, 1, err);
    const char *at = text;

    if (!seen)
        return -1;
    for (uint32_t i = 0; i < nodes; i++) {
        if (read_node(text, &at, tasks, first[i + 1] - first[i], task + first[i], seen, err))
            return -1;
        if (*at++ != (i + 1 < nodes ? ';' : '\0'))
            return bad(text, at - 1, i + 1 < nodes ? "';' before the next node" : "the end", err);
    }
    return 0;
}
