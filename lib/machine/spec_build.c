/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the machine of a specification: of all its nodes, or of those in a file (alloc=). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/spec.h"
#include "util/alloc.h"
#include "util/input.h"

static int read_id(topomap_input *input, const char *line, uint64_t limit, uint32_t *id,
                   topomap_error *err)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = isdigit((unsigned char)*line) ? strtoull(line, &end, 10) : 0;
    if (!isdigit((unsigned char)*line) || errno || end[strspn(end, " \t")] != '\0')
        return topomap_input_fail(input, err, "expected one node id, found '%.40s'", line);
    if (value >= limit)
        return topomap_input_fail(input, err, "node %llu does not exist: the machine has %llu",
                                  value, (unsigned long long)limit);
    *id = (uint32_t)value;
    return 0;
}

static int read_ids(topomap_input *input, uint64_t limit, uint32_t **ids, size_t *count,
                    topomap_error *err)
{
    TOPOMAP_FREED uint8_t *seen = topomap_alloc(limit / 8 + 1, 1, err);
    size_t capacity = 0, length;
    char *line;
    int got;

    if (!seen)
        return -1;
    while ((got = topomap_input_line(input, 0, &line, &length, err)) == 1) {
        uint32_t id = 0;

        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            continue;
        if (read_id(input, line, limit, &id, err) != 0)
            return -1;
        if (seen[id / 8] & (1u << (id % 8)))
            return topomap_input_fail(input, err, "node %u is listed twice", id);
        seen[id / 8] |= (uint8_t)(1u << (id % 8));
        if (TOPOMAP_APPEND(*ids, *count, capacity, err, id))
            return -1;
    }
    if (got == 0 && *count == 0)
        return topomap_input_fail(input, err, "expected node ids, one per line, found none");
    return got;
}

int topomap_spec_alloc(const char *path, uint64_t limit, uint32_t **ids, uint32_t *count,
                       topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    TOPOMAP_FREED uint32_t *list = NULL;
    size_t length = 0;

    if (topomap_input_open(path, &input, err) || read_ids(input, limit, &list, &length, err))
        return -1;
    *ids = topomap_take(&list);
    *count = (uint32_t)length;
    return 0;
}

int topomap_spec_frame(uint32_t nodes, uint32_t slots, char *const *names,
                       topomap_machine **machine, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *per_node = topomap_alloc(nodes, sizeof *per_node, err);

    if (!per_node)
        return -1;
    for (uint32_t i = 0; i < nodes; i++)
        per_node[i] = slots;
    return topomap_machine_frame(nodes, per_node, names, machine, err);
}

int topomap_spec_build(const topomap_spec *spec, uint64_t nodes, uint32_t slots,
                       topomap_spec_fill *fill, void *shape, topomap_machine **out,
                       topomap_error *err)
{
    TOPOMAP_MACHINE_FREED topomap_machine *machine = NULL;
    TOPOMAP_FREED uint32_t *ids = NULL;
    uint32_t count = (uint32_t)nodes;

    if ((spec->alloc && topomap_spec_alloc(spec->alloc, nodes, &ids, &count, err)) ||
        topomap_spec_frame(count, slots, NULL, &machine, err) || fill(machine, ids, shape, err) ||
        topomap_machine_finish(machine, err))
        return -1;
    *out = topomap_take(&machine);
    return 0;
}
