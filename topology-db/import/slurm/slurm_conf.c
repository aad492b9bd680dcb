/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.conf: keyword=value words; a backslash at a line's end continues it. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/slurm/slurm_topology.h"
#include "util/alloc.h"

enum word { SWITCH, BLOCK, RING, NODES, SWITCHES, SIZES, LEVELS, SPEED, WORDS };

static const char *const keywords[WORDS] = {
    [SWITCH] = "SwitchName",  [BLOCK] = "BlockName",   [RING] = "RingName",
    [NODES] = "Nodes",        [SWITCHES] = "Switches", [SIZES] = "BlockSizes",
    [LEVELS] = "BlockLevels", [SPEED] = "LinkSpeed",
};

static int find_keyword(const char *text, size_t length)
{
    for (int i = 0; i < WORDS; i++)
        if (strlen(keywords[i]) == length && strncasecmp(keywords[i], text, length) == 0)
            return i;
    return WORDS;
}

/* Takes keyword=value words apart; a value may stand in double quotes. */
static int read_words(const struct slurm_file *file, char *line, size_t number, const char **value)
{
    while (*(line += strspn(line, " \t"))) {
        char *equals = strchr(line, '='), *end;
        size_t length = strcspn(line, "= \t");
        int word = equals == line + length ? find_keyword(line, length) : WORDS;

        if (word == WORDS)
            return slurm_fail(file, number,
                              "expected SwitchName=, Switches=, Nodes=, LinkSpeed=, BlockName=, "
                              "BlockSizes=, BlockLevels= or RingName=, not '%.60s'",
                              line);
        if (value[word])
            return slurm_fail(file, number, "%s is given twice", keywords[word]);
        value[word] = equals + 1;
        if (equals[1] == '"') {
            value[word] = equals + 2;
            end = strchr(equals + 2, '"');
            if (!end)
                return slurm_fail(file, number, "a quote without its end");
        } else {
            end = equals + 1 + strcspn(equals + 1, " \t");
        }
        line = *end ? end + 1 : end;
        *end = 0;
    }
    return 0;
}

static int set_kind(struct slurm_file *file, enum slurm_kind kind, size_t line)
{
    if (!file->topologies)
        return slurm_add_topology(file, "default", kind, line);
    if (file->topology[0].kind != kind)
        return slurm_fail(file, line, "a file is a tree, blocks or rings, not two of them");
    return 0;
}

/* Block sizes: the base and power-of-two multiples of it. */
static int read_sizes(struct slurm_file *file, const char *text, size_t line)
{
    struct slurm_topology *topology = &file->topology[0];

    if (topology->size_count)
        return slurm_fail(file, line, "BlockSizes is given twice");
    while (*text) {
        char *end;
        unsigned long size = strtoul(text, &end, 10);

        if (*text < '0' || *text > '9' || (*end && *end != ',') || !size || size > INT32_MAX ||
            topology->size_count == SLURM_SIZES)
            return slurm_fail(file, line, "expected sizes such as 30,120, not '%.40s'", text);
        topology->sizes[topology->size_count++] = (uint32_t)size;
        text = *end ? end + 1 : end;
    }
    return 0;
}

/* 23.11's word for it: level n joins 2^n blocks, whose size is one here. */
static int read_levels(struct slurm_file *file, const char *text, size_t line)
{
    struct slurm_topology *topology = &file->topology[0];
    uint32_t wanted = 1;

    if (topology->size_count)
        return slurm_fail(file, line, "BlockLevels is given twice, or with BlockSizes");
    while (*text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;

        if (end != text && *end == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtoul(end + 1, &end, 10);
        if (*text < '0' || *text > '9' || (*end && *end != ',') || first > last ||
            last >= SLURM_SIZES)
            return slurm_fail(file, line, "expected levels such as 0-1,3, not '%.40s'", text);
        for (; first <= last; first++)
            wanted |= 1u << first;
        text = *end ? end + 1 : end;
    }
    for (uint32_t level = 0; level < SLURM_SIZES; level++)
        if (wanted >> level & 1)
            topology->sizes[topology->size_count++] = 1u << level;
    return 0;
}

static int take_unit(struct slurm_file *file, const char **value, enum word word,
                     enum slurm_kind kind, size_t line)
{
    const char *members = value[NODES] ? value[NODES] : value[SWITCHES];

    if (set_kind(file, kind, line))
        return -1;
    if (!*value[word])
        return slurm_fail(file, line, "%s needs a name", keywords[word]);
    if (kind != SLURM_TREE && (value[SWITCHES] || !value[NODES]))
        return slurm_fail(file, line, "%s needs Nodes=", keywords[word]);
    if (value[NODES] && value[SWITCHES])
        return slurm_fail(file, line, "switch '%.60s' has both Nodes and Switches", value[word]);
    if (slurm_add_unit(file, value[word], line))
        return -1;
    return members ? slurm_add_members(file, members, !value[NODES], line) : 0;
}

static int take_line(struct slurm_file *file, char *line, size_t number)
{
    static const struct {
        enum word word;
        enum slurm_kind kind;
    } units[] = {{SWITCH, SLURM_TREE}, {BLOCK, SLURM_BLOCK}, {RING, SLURM_RING}};
    const char *value[WORDS] = {0};

    if (read_words(file, line, number, value))
        return -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (value[units[i].word])
            return take_unit(file, value, units[i].word, units[i].kind, number);
    if ((value[SIZES] || value[LEVELS]) && set_kind(file, SLURM_BLOCK, number))
        return -1;
    if (value[SIZES])
        return read_sizes(file, value[SIZES], number);
    if (value[LEVELS])
        return read_levels(file, value[LEVELS], number);
    for (int i = 0; i < WORDS; i++)
        if (value[i])
            return slurm_fail(file, number, "%s without a name before it", keywords[i]);
    return 0;
}

int slurm_read_conf(topomap_input *input, struct slurm_file *file)
{
    TOPOMAP_FREED char *whole = NULL;
    char *line;
    size_t length, used = 0, room = 0, first = 0;
    int got;

    while ((got = topomap_input_line(input, 16 << 20, &line, &length, file->err)) > 0) {
        int goes_on;

        line[strcspn(line, "#")] = 0;
        for (length = strlen(line); length && strchr(" \t", line[length - 1]);)
            line[--length] = 0;
        goes_on = length && line[length - 1] == '\\';
        if (goes_on)
            line[length - 1] = ' ';
        first = used ? first : topomap_input_lineno(input);
        if (used + length > (size_t)16 << 20)
            return topomap_error_set(file->err, TOPOMAP_EINPUT, "a line of more than 16 MiB");
        if (topomap_grow(&whole, &room, used + length + 1, 1, file->err))
            return -1;
        memcpy(whole + used, line, length + 1);
        used += length;
        if (!goes_on && take_line(file, whole, first))
            return -1;
        if (!goes_on)
            used = 0;
    }
    return DB_STATUS(got < 0 || (used && take_line(file, whole, first)));
}
