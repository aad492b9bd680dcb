/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/spec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/input.h"

static const struct {
    const char *name, *grammar;
    const char *keys; /* that it takes, each between spaces */
    int words;        /* the shape is key=value words, too */
    int (*build)(const topomap_spec *, topomap_machine **, topomap_error *);
} kinds[] = {
    {"tree", "tree:4:16:8[*SLOTS]@1:10:100[,node=N][,alloc=FILE]", " node alloc ", 0,
     topomap_spec_tree},
    {"torus", "torus:XxYxZ[*SLOTS][@INSIDE:HOP][,wrap=xz][,base=B][,routers=N][,alloc=FILE]",
     " wrap base routers alloc ", 0, topomap_spec_torus},
    {"mesh", "mesh:XxY[*SLOTS][@INSIDE:HOP][,base=B][,routers=N][,alloc=FILE]",
     " base routers alloc ", 0, topomap_spec_mesh},
    {"matrix", "matrix:FILE[*SLOTS][@INSIDE][,alloc=FILE]", " alloc ", 0, topomap_spec_matrix},
    {"fattree",
     "fattree:k=K,levels=L[,hosts=N][,taper=N][*SLOTS][@INSIDE:HOP][,alloc=FILE] (or leaves=N, "
     "hosts=, spines=, links=)",
     " alloc ", 1, topomap_spec_fattree},
    {"dragonfly", "dragonfly:p=P,a=A,h=H[,groups=G][,valiant=V][*SLOTS][@INSIDE:HOP][,alloc=FILE]",
     " alloc ", 1, topomap_spec_dragonfly},
    {"percs", "percs:supernodes=S[,links=N][,seed=N][*SLOTS][@INSIDE:HOP][,alloc=FILE]", " alloc ",
     1, topomap_spec_percs},
    {"gpus",
     "gpus:nodes=N,gpus=G[,rails=R][,unit=NODES][,pod=NODES][,taper=N][,domain=NODES][,nvlink=GPUS]"
     "[,switch=GPUS][,numa=GPUS][,package=GPUS][@NVLINK:HOP][,alloc=FILE]",
     " alloc ", 1, topomap_spec_gpus},
    {"links", "links:FILE[*SLOTS][@INSIDE:HOP][,alloc=FILE]", " alloc ", 0, topomap_spec_links},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

int topomap_spec_fail(const topomap_spec *spec, topomap_error *err, const char *format, ...)
{
    char text[384];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return topomap_error_set(err, TOPOMAP_EUSAGE, "machine '%s': %s", spec->text, text);
}

int topomap_spec_numbers(const char *text, char separator, uint32_t *number, uint32_t limit)
{
    uint32_t count = 0;

    for (;;) {
        char *end;
        unsigned long long value;

        if (!isdigit((unsigned char)*text) || count == limit)
            return -1;
        errno = 0;
        value = strtoull(text, &end, 10);
        if (errno || value == 0 || value > UINT32_MAX)
            return -1;
        number[count++] = (uint32_t)value;
        if (*end == '\0')
            return (int)count;
        if (*end != separator)
            return -1;
        text = end + 1;
    }
}

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
    uint8_t *seen = topomap_alloc(limit / 8 + 1, 1, err);
    size_t capacity = 0, length;
    char *line;
    int got = seen ? 0 : -1;

    while (seen && (got = topomap_input_line(input, 0, &line, &length, err)) == 1) {
        uint32_t id = 0;

        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#')
            continue;
        got = -1;
        if (read_id(input, line, limit, &id, err) != 0)
            break;
        if (seen[id / 8] & (1u << (id % 8))) {
            topomap_input_fail(input, err, "node %u is listed twice", id);
            break;
        }
        seen[id / 8] |= (uint8_t)(1u << (id % 8));
        if (topomap_grow(ids, &capacity, *count + 1, sizeof **ids, err) != 0)
            break;
        (*ids)[(*count)++] = id;
    }
    free(seen);
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

/* Where the last ",key=" of a known key begins, so that a file name may hold a comma. */
static char *last_key(char *text, char **key, char **value)
{
    for (char *at = text + strlen(text); at-- > text;) {
        char *name = at + 1, *equal;

        if (*at != ',' || !(equal = strchr(name, '=')))
            continue;
        if (strspn(name, "abcdefghijklmnopqrstuvwxyz") != (size_t)(equal - name))
            continue;
        *key = name;
        *value = equal + 1;
        return at;
    }
    return NULL;
}

/* \param words  nonzero: another key belongs to the shape, and ends the search */
static int split_keys(topomap_spec *spec, const char *allowed, int words, topomap_error *err)
{
    const struct {
        const char *name;
        char **value;
    } keys[] = {{"node", &spec->node},
                {"alloc", &spec->alloc},
                {"wrap", &spec->wrap},
                {"base", &spec->base},
                {"routers", &spec->routers}};
    char *key, *value, *at;

    while ((at = last_key(spec->body, &key, &value)) != NULL) {
        char padded[32];
        size_t i = 0;

        snprintf(padded, sizeof padded, " %.*s ",
                 (int)(value - key - 1 < 20 ? value - key - 1 : 20), key);
        if (words && !strstr(allowed, padded))
            return 0;
        *at = '\0';
        value[-1] = '\0';
        while (i < sizeof keys / sizeof keys[0] && strcmp(keys[i].name, key) != 0)
            i++;
        if (i == sizeof keys / sizeof keys[0] || !strstr(allowed, padded))
            return topomap_spec_fail(spec, err, "unknown key '%s'; this kind takes:%s", key,
                                     allowed[1] ? allowed : " none");
        if (*keys[i].value)
            return topomap_spec_fail(spec, err, "key '%s' is given twice", key);
        *keys[i].value = value;
    }
    return 0;
}

static int split_costs(topomap_spec *spec, topomap_error *err)
{
    char *at = strrchr(spec->body, '@'), *text;

    if (!at || at[1 + strspn(at + 1, "0123456789.:eE+-")] != '\0')
        return 0;
    *at = '\0';
    for (text = at + 1;; text++) {
        char *end;
        double value = strtod(text, &end);

        if (end == text || !isfinite(value) || value < 0)
            return topomap_spec_fail(spec, err, "expected costs such as @1:10:100, found '@%s'",
                                     at + 1);
        if (spec->costs == TOPOMAP_SPEC_NUMBERS)
            return topomap_spec_fail(spec, err, "more than %d costs", TOPOMAP_SPEC_NUMBERS);
        spec->cost[spec->costs++] = value;
        if (*end == '\0')
            return 0;
        if (*end != ':')
            return topomap_spec_fail(spec, err, "expected ':' between costs, found '%s'", end);
        text = end;
    }
}

static int split_slots(topomap_spec *spec, topomap_error *err)
{
    char *at = strrchr(spec->body, '*');

    spec->slots = 1;
    if (!at || at[1] == '\0' || at[1 + strspn(at + 1, "0123456789")] != '\0')
        return 0;
    *at = '\0';
    if (topomap_spec_numbers(at + 1, ':', &spec->slots, 1) != 1)
        return topomap_spec_fail(spec, err, "expected slots per node after '*', found '%s'",
                                 at + 1);
    return 0;
}

static int unknown_kind(const char *text, topomap_error *err)
{
    char list[160] = "";

    for (size_t i = 0; i < KINDS; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s:",
                 i == 0          ? ""
                 : i + 1 < KINDS ? ", "
                                 : " or ",
                 kinds[i].name);
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "machine '%s': expected %s, as in tree:4:16:8@1:10:100, "
                             "torus:8x8x8*4 or fattree:k=16,levels=3",
                             text, list);
}

int topomap_machine_parse(const char *text, topomap_machine **machine, topomap_error *err)
{
    topomap_spec spec = {.text = text};
    size_t i = 0;
    TOPOMAP_FREED char *copy = NULL;

    while (i < KINDS && !(strncmp(text, kinds[i].name, strlen(kinds[i].name)) == 0 &&
                          text[strlen(kinds[i].name)] == ':'))
        i++;
    if (i == KINDS)
        return unknown_kind(text, err);
    copy = topomap_strdup(text, err);
    if (!copy)
        return -1;
    spec.body = copy + strlen(kinds[i].name) + 1;
    if (split_keys(&spec, kinds[i].keys, kinds[i].words, err) || split_costs(&spec, err) ||
        split_slots(&spec, err))
        return -1;
    if (*spec.body == '\0')
        return topomap_spec_fail(&spec, err, "expected %s", kinds[i].grammar);
    return kinds[i].build(&spec, machine, err);
}
