/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of patterns, and what the files of the families share. */
#include "graph/patterns/patterns.h"

#include <math.h>
#include <string.h>

#include "util/alloc.h"
#include "util/names/near.h"
#include "util/text.h"

static const topomap_pattern *const families[] = {
    topomap_patterns_grid,     topomap_patterns_groups, topomap_patterns_product,
    topomap_patterns_trees,    topomap_patterns_random, topomap_patterns_nas,
    topomap_patterns_training, topomap_patterns_meshes, topomap_patterns_points,
    topomap_patterns_amr,
};

const topomap_pattern *topomap_pattern_at(size_t i)
{
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const topomap_pattern *row = families[f]; row->row.name; row++)
            if (!i--)
                return row;
    return NULL;
}

const topomap_pattern *topomap_pattern_named(const char *name, size_t length)
{
    const topomap_pattern *row;

    for (size_t i = 0; (row = topomap_pattern_at(i)); i++)
        if (strlen(row->row.name) == length && !strncmp(row->row.name, name, length))
            return row;
    return NULL;
}

const topomap_graph_pattern_info *topomap_graph_pattern_row(size_t i)
{
    const topomap_pattern *pattern = topomap_pattern_at(i);

    return pattern ? &pattern->row : NULL;
}

int topomap_graph_pattern_grammar(size_t i, char *text, size_t size)
{
    const topomap_pattern *pattern = topomap_pattern_at(i);

    if (!pattern)
        return 0;
    topomap_pattern_grammar(pattern, text, size);
    return 1;
}

int topomap_graph_pattern_parameter(size_t i, size_t k, topomap_graph_pattern_param *param)
{
    const topomap_pattern *pattern = topomap_pattern_at(i);

    if (!pattern)
        return 0;
    for (size_t at = 0; at <= k; at++)
        if (!pattern->param[at].name)
            return 0;
    *param = (topomap_graph_pattern_param){pattern->param[k].name, pattern->param[k].values,
                                           pattern->param[k].fallback, pattern->param[k].help};
    return 1;
}

/* ---- Near names ---------------------------------------------------------------------------- */

void topomap_pattern_suggest(const char *text, char *out, size_t room)
{
    size_t length = strcspn(text, ":(,)"), least = TOPOMAP_NEAR_EDITS;
    const topomap_pattern *row;

    *out = '\0';
    for (size_t i = 0; (row = topomap_pattern_at(i)); i++) {
        size_t edits = topomap_near_edits(text, length, row->row.name);

        least = edits < least ? edits : least;
    }
    if (least < TOPOMAP_NEAR_EDITS) {
        for (size_t i = 0; (row = topomap_pattern_at(i)); i++)
            if (topomap_near_edits(text, length, row->row.name) == least)
                topomap_text_append(out, room, "%s%s", *out ? " or " : "did you mean the pattern ",
                                    row->row.name);
        topomap_text_append(out, room, "?");
        return;
    }
    for (size_t i = 0; (row = topomap_pattern_at(i)); i++)
        topomap_text_append(out, room, "%s%s", *out ? ", " : "the patterns are ", row->row.name);
}

/* ---- What a pattern's file uses ------------------------------------------------------------ */

const topomap_pattern_value *topomap_pattern_get(const topomap_pattern_args *args, const char *name)
{
    const topomap_pattern_param *param = args->pattern->param;
    int i = 0;

    while (strcmp(param[i].name, name) != 0)
        i++;
    return &args->value[i];
}

uint64_t topomap_pattern_number(const topomap_pattern_args *args, const char *name)
{
    return topomap_pattern_get(args, name)->number;
}

uint64_t topomap_pattern_number_or(const topomap_pattern_args *args, const char *name,
                                   uint64_t fallback)
{
    const topomap_pattern_value *value = topomap_pattern_get(args, name);

    return value->given ? value->number : fallback;
}

uint64_t topomap_pattern_times(uint64_t a, uint64_t b)
{
    return b && a > TOPOMAP_GRAPH_SUM / b ? TOPOMAP_GRAPH_SUM : a * b;
}

int topomap_pattern_size(topomap_pattern_out *out, uint64_t ranks, uint64_t arcs)
{
    if (!ranks)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE, "no ranks");
    if (out->most && ranks > out->most)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                 "%llu ranks, and there may be %llu at most",
                                 (unsigned long long)ranks, (unsigned long long)out->most);
    if (ranks > TOPOMAP_PATTERN_MOST)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                 "%llu ranks; " TOPOMAP_PATTERN_LIMIT " ranks",
                                 (unsigned long long)ranks);
    if (arcs > TOPOMAP_PATTERN_MOST)
        return topomap_error_set(
            out->err, TOPOMAP_EUSAGE,
            "%llu ranks with up to %llu neighbours; " TOPOMAP_PATTERN_LIMIT " arcs",
            (unsigned long long)ranks, (unsigned long long)((arcs - 1) / ranks + 1));
    out->ranks = ranks;
    return topomap_arcs_reserve(&out->arcs, arcs + !arcs, out->err);
}

int topomap_pattern_phase(topomap_pattern_out *out)
{
    return TOPOMAP_APPEND(out->phase, out->phases, out->phase_capacity, out->err, out->arcs.count);
}

int topomap_pattern_pair(topomap_pattern_out *out, uint64_t from, uint64_t to, uint64_t bytes)
{
    return topomap_pattern_arc(out, from, to, bytes) || topomap_pattern_arc(out, to, from, bytes)
               ? -1
               : 0;
}

uint64_t topomap_pattern_whole(double bytes)
{
    double whole = rint(bytes);

    return whole < 1.0 ? 1 : (uint64_t)whole;
}

int topomap_pattern_send(topomap_pattern_out *out, uint64_t from, uint64_t to, double bytes)
{
    if (from == to || bytes <= 0.0)
        return 0;
    if (rint(bytes) >= 0x1p62)
        return topomap_error_set(out->err, TOPOMAP_EUSAGE, "the bytes of a pair reach 2^62");
    return topomap_pattern_arc(out, from, to, topomap_pattern_whole(bytes));
}

uint64_t topomap_pattern_root(uint64_t n)
{
    uint64_t side = (uint64_t)sqrt((double)n);

    while (side * side > n)
        side--;
    while ((side + 1) * (side + 1) <= n)
        side++;
    return side;
}

int topomap_pattern_curve(const uint32_t a[3], const uint32_t b[3], int first, int step)
{
    uint32_t most = 0;
    int deciding = first;

    for (int k = first; k >= 0 && k < 3; k += step) {
        uint32_t differ = a[k] ^ b[k];

        if (most < differ && most < (most ^ differ)) {
            most = differ;
            deciding = k;
        }
    }
    return TOPOMAP_ORDER(a[deciding], b[deciding]);
}
