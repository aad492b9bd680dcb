/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that users and Slurm give: host lists, specifications, patterns, plans. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "graph/open/open.h"
#include "machine/shape.h"
#include "plan/bindings.h"
#include "plan/plan.h"
#include "topomap/topomap.h"
#include "util/hostlist.h"

double fuzz_product(const char *text)
{
    double product = 1;

    while (*text) {
        if (isdigit((unsigned char)*text)) {
            double number = strtod(text, (char **)&text);

            product *= number > 1 && number < 1e11 ? number : 1;
        } else {
            text++;
        }
    }
    return product;
}

static int same_names(const topomap_names *a, const topomap_names *b)
{
    if (a->count != b->count)
        return 0;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->name[i], b->name[i]) != 0)
            return 0;
    return 1;
}

static int are_nodes(const topomap_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!topomap_is_node_name(names->name[i], strlen(names->name[i])))
            return 0;
    return 1;
}

/* What was expanded folds to a text that expands to the same, if all are names of nodes. */
int fuzz_hostlist(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), *folded;
    topomap_names names, again;
    topomap_error err;
    int taken;

    (void)what;
    taken = topomap_hostlist_expand(text, 2000, &names, &err) == 0;
    free(text);
    if (!taken)
        return 0;
    folded = topomap_hostlist_fold(&names, &err);
    if (!folded) {
        if (are_nodes(&names))
            abort();
        topomap_names_clear(&names);
        return 1;
    }
    if (topomap_hostlist_expand(folded, 0, &again, &err) || !same_names(&names, &again))
        abort();
    free(folded);
    topomap_names_clear(&names);
    topomap_names_clear(&again);
    return 1;
}

int fuzz_counts(const void *what, const uint8_t *bytes, size_t size)
{
    static const size_t sizes[] = {1, 3, 7, 4096};
    char *text = fuzz_text(bytes, size);
    uint32_t counts[4096], again[4096];
    topomap_error err;
    int taken = 0;

    (void)what;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *back;

        if (topomap_counts_parse(text, sizes[i], counts, &err))
            continue;
        back = topomap_counts_format(counts, sizes[i], &err);
        if (!back || topomap_counts_parse(back, sizes[i], again, &err) ||
            memcmp(counts, again, sizes[i] * sizeof *counts) != 0)
            abort();
        free(back);
        taken = 1;
    }
    free(text);
    return taken;
}

/* ---- Machines and patterns ----------------------------------------------------------------- */

static void look_at_machine(const topomap_machine *machine)
{
    uint32_t last = topomap_machine_slots(machine) - 1;
    double d = topomap_machine_distance(machine, 0, last);

    if (!(d >= 0) || d != topomap_machine_distance(machine, last, 0) ||
        topomap_machine_distance(machine, last, last) != 0 ||
        topomap_machine_level_of(machine, 0, last) >= topomap_machine_levels(machine) ||
        topomap_machine_node_of(machine, last) >= topomap_machine_nodes(machine))
        abort();
}

/* Large machines are no mistake, so the texts that ask for one are left out. */
int fuzz_spec(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    /* A fat tree's or a dragonfly's size is a power of its numbers. */
    int is_power = strncmp(text, "fattree:", 8) == 0 || strncmp(text, "dragonfly:", 10) == 0 ||
                   strncmp(text, "percs:", 6) == 0;
    topomap_machine *machine;
    topomap_error err;
    int taken = 0;

    (void)what;
    if (fuzz_product(text) < (is_power ? 40 : 2e4) &&
        topomap_machine_parse(text, &machine, &err) == 0) {
        look_at_machine(machine);
        topomap_machine_free(machine);
        taken = 1;
    }
    free(text);
    return taken;
}

/* A file that a specification names: `matrix:FILE`, `torus:4x4,alloc=FILE`. */
int fuzz_spec_file(const void *prefix, const uint8_t *bytes, size_t size)
{
    char spec[128];
    topomap_machine *machine;
    topomap_error err;

    snprintf(spec, sizeof spec, "%s%s", (const char *)prefix, fuzz_file(bytes, size));
    if (topomap_machine_parse(spec, &machine, &err))
        return 0;
    look_at_machine(machine);
    topomap_machine_free(machine);
    return 1;
}

/* Small enough to be made: units and exponents make large numbers of small ones, and some patterns
 * have the cube of what they say. */
static int is_small(const char *text)
{
    int cubic = strstr(text, "fem3d") || strstr(text, "amr");

    for (const char *at = text; *at; at++)
        if (isdigit((unsigned char)*at) && at[1] && strchr("KMGTeE", at[1]))
            return 0;
    return fuzz_product(text) < (cubic ? 50 : 1e3);
}

int fuzz_pattern(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    topomap_graph *graph;
    topomap_error err;
    int taken = 0;

    (void)what;
    if (!strchr(text, '/') && is_small(text) &&
        topomap_graph_open(text, 2000, NULL, NULL, NULL, &graph, &err) == 0) {
        if (!topomap_graph_ranks(graph))
            abort();
        topomap_graph_free(graph);
        taken = 1;
    }
    free(text);
    return taken;
}

/* ---- Plans --------------------------------------------------------------------------------- */

int fuzz_shape(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), *back, *again;
    topomap_shape shape, other;
    topomap_error err;
    int taken;

    (void)what;
    taken = topomap_shape_parse(text, &shape, &err) == 0;
    free(text);
    if (!taken)
        return 0;
    back = topomap_shape_format(&shape, &err);
    if (!back || topomap_shape_parse(back, &other, &err))
        abort();
    again = topomap_shape_format(&other, &err);
    if (!again || strcmp(back, again) != 0)
        abort();
    free(back);
    free(again);
    topomap_shape_clear(&shape);
    topomap_shape_clear(&other);
    return 1;
}

int fuzz_layout(const void *what, const uint8_t *bytes, size_t size)
{
    static const uint32_t first[] = {0, 4, 4, 6, 9};
    char *text = fuzz_text(bytes, size), *back;
    uint32_t task[9], again[9];
    topomap_error err;
    int taken;

    (void)what;
    taken = topomap_layout_parse(text, 4, first, task, &err) == 0;
    free(text);
    if (!taken)
        return 0;
    back = topomap_layout_format(4, first, task, &err);
    if (!back || topomap_layout_parse(back, 4, first, again, &err) ||
        memcmp(task, again, sizeof task) != 0)
        abort();
    free(back);
    return 1;
}

/* One node alone is as in the whole. */
static void check_node(const char *text, const topomap_bindings *whole, uint32_t node)
{
    topomap_node_plan one;
    topomap_error err;
    uint32_t first = whole->task_first[node], tasks = whole->task_first[node + 1] - first;
    void *memory;

    if (topomap_bindings_decode_node(text, strlen(text), node, SIZE_MAX, &one, &memory, &err))
        abort();
    if (one.tasks != tasks || !one.cores != (whole->class_of[node] == UINT32_MAX) ||
        !topomap_node_plan_counts(&one) || !topomap_node_plan_is_sound(&one))
        abort();
    for (uint32_t task = 0; one.cores && task < tasks; task++) {
        uint32_t pus = 0;

        for (uint32_t i = one.task_first[task]; i < one.task_first[task + 1]; i++)
            pus += one.run[2 * (size_t)i + 1];
        if (pus != whole->pu_start[first + task + 1] - whole->pu_start[first + task])
            abort();
    }
    free(memory);
}

/* The same CPUs dealt out in order are bindings too, and in order already. */
static void check_in_order(const topomap_bindings *bindings)
{
    topomap_bindings again;
    topomap_error err;
    char *once = topomap_bindings_in_order(bindings, &err), *twice;

    if (bindings->gpu_first) { /* the CPUs are the GPUs' */
        if (once)
            abort();
        return;
    }
    if (!once || topomap_bindings_decode(once, &again, &err))
        abort();
    twice = topomap_bindings_in_order(&again, &err);
    if (!twice || strcmp(once, twice) != 0)
        abort();
    topomap_bindings_clear(&again);
    free(once);
    free(twice);
}

static void check_bindings(const char *text, const topomap_bindings *bindings)
{
    topomap_bindings again;
    topomap_error err;
    char *back = topomap_bindings_encode(bindings, &err), *third;

    if (!back || topomap_bindings_decode(back, &again, &err))
        abort();
    third = topomap_bindings_encode(&again, &err);
    if (!third || strcmp(back, third) != 0)
        abort();
    for (uint32_t node = 0; node < bindings->nodes && node < 8; node++)
        check_node(text, bindings, node);
    check_in_order(bindings);
    free(back);
    free(third);
    topomap_bindings_clear(&again);
}

/* The bytes as a body with the right head and checksum (plan/bindings.h), or nothing but the
 * checksum would be tried. Every byte stands for some character of the alphabet; a first '~' for
 * the head of bindings with orders of GPUs. */
char *fuzz_bindings_text(const uint8_t *bytes, size_t size)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    topomap_sextet_writer sum = {0};
    int gpus = size && bytes[0] == '~';
    char *text = malloc(size + BINDINGS_CRC_CHARACTERS + 3);

    if (!text)
        abort();
    bytes += gpus;
    size -= (size_t)gpus;
    memcpy(text, gpus ? BINDINGS_MAGIC_GPUS : BINDINGS_MAGIC, 2);
    for (size_t i = 0; i < size; i++)
        text[2 + i] =
            bytes[i] && strchr(alphabet, bytes[i]) ? (char)bytes[i] : alphabet[bytes[i] & 63];
    topomap_sextet_put(&sum, 0, 4);
    topomap_sextet_put(&sum, topomap_crc32(0, text, size + 2), 32);
    memcpy(text + 2 + size, sum.text, BINDINGS_CRC_CHARACTERS);
    text[2 + size + BINDINGS_CRC_CHARACTERS] = 0;
    free(sum.text);
    return text;
}

int fuzz_bindings(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_bindings_text(bytes, size);
    topomap_bindings bindings;
    topomap_error err;
    int taken;

    (void)what;
    taken = topomap_bindings_decode(text, &bindings, &err) == 0;
    if (taken) {
        check_bindings(text, &bindings);
        topomap_bindings_clear(&bindings);
    }
    free(text);
    return taken;
}
