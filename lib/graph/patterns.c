/* SPDX-License-Identifier: BSD-3-Clause */
/* NAME:SHAPE[,option...] -> graph. */
#include "graph/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "graph/text.h"
#include "util/alloc.h"

#define DEFAULT_BYTES 64
#define MOST_NAME 32

enum option {
    OPTION_BYTES = 1,
    OPTION_WRAP = 2,
    OPTION_ORDER = 4,
    OPTION_GROUP = 8,
    OPTION_RANKS = 16,
    OPTION_FACTOR = 32,
};

struct pattern {
    topomap_graph_pattern_info row;
    int dims;         /* of the shape; 0: options alone */
    int points[2];    /* that may stand before the shape; 0: none stands there */
    unsigned wrap;    /* to begin with */
    unsigned options; /* allowed */
    topomap_pattern_make make;
};

#define ORDER_WRAP "[,periodic|,wrap=LETTERS][,order=row|column][,bytes=N]"
#define ORDER "[,order=row|column][,bytes=N]"

static const struct pattern patterns[] = {
    {{"stencil2d", "stencil2d:5|9:XxY" ORDER_WRAP,
      "halo exchange on a grid; x varies fastest, or y where order=row (as MPI_Cart_create has "
      "it)"},
     2,
     {5, 9},
     0,
     OPTION_BYTES | OPTION_WRAP | OPTION_ORDER,
     topomap_pattern_grid},
    {{"stencil3d", "stencil3d:7|27:XxYxZ" ORDER_WRAP,
      "the same in three dimensions; edges carry an eighth of a face's bytes, corners a 64th"},
     3,
     {7, 27},
     0,
     OPTION_BYTES | OPTION_WRAP | OPTION_ORDER,
     topomap_pattern_grid},
    {{"torus2d", "torus2d:XxY" ORDER, "nearest neighbours on a periodic grid"},
     2,
     {0, 0},
     3,
     OPTION_BYTES | OPTION_ORDER,
     topomap_pattern_grid},
    {{"torus3d", "torus3d:XxYxZ" ORDER, "nearest neighbours on a periodic grid"},
     3,
     {0, 0},
     7,
     OPTION_BYTES | OPTION_ORDER,
     topomap_pattern_grid},
    {{"torus4d", "torus4d:XxYxZxT" ORDER, "nearest neighbours on a periodic grid (lattice QCD)"},
     4,
     {0, 0},
     15,
     OPTION_BYTES | OPTION_ORDER,
     topomap_pattern_grid},
    {{"ring", "ring:N[,bytes=N]", "each rank and the next, the last and the first"},
     1,
     {0, 0},
     1,
     OPTION_BYTES,
     topomap_pattern_grid},
    {{"chain", "chain:N[,bytes=N]", "each rank and the next"},
     1,
     {0, 0},
     0,
     OPTION_BYTES,
     topomap_pattern_grid},
    {{"alltoall", "alltoall:n=N[,group=N][,bytes=N]",
      "all pairs within groups of consecutive ranks (without group=, all ranks are one)"},
     0,
     {0, 0},
     0,
     OPTION_BYTES | OPTION_GROUP | OPTION_RANKS,
     topomap_pattern_alltoall},
    {{"product", "product:path|ring|all|copies=N[,...][,bytes=N]",
      "each rank and those that differ from it in one factor; the first varies fastest"},
     0,
     {0, 0},
     0,
     OPTION_BYTES | OPTION_FACTOR,
     topomap_pattern_product},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

const topomap_graph_pattern_info *topomap_graph_pattern_row(size_t i)
{
    return i < PATTERNS ? &patterns[i].row : NULL;
}

static int by_name(const char *text)
{
    size_t length = strcspn(text, ":");

    for (int i = 0; i < PATTERNS; i++)
        if (strlen(patterns[i].row.name) == length && !strncmp(patterns[i].row.name, text, length))
            return i;
    return -1;
}

int topomap_pattern_is_named(const char *text)
{
    return by_name(text) >= 0;
}

/* Edits (insert, delete, replace) from `a` [length] to `b`, both at most MOST_NAME long. */
static size_t edits(const char *a, size_t length, const char *b)
{
    size_t row[MOST_NAME + 1], width = strlen(b);

    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

            diagonal = row[j];
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[width];
}

void topomap_pattern_suggest(const char *text, char *out, size_t room)
{
    size_t length = strcspn(text, ":"), least = 3, used = 0;

    if (length && length <= MOST_NAME)
        for (int i = 0; i < PATTERNS; i++) {
            size_t distance = edits(text, length, patterns[i].row.name);

            least = distance < least ? distance : least;
        }
    if (least < 3) {
        for (int i = 0; i < PATTERNS && used < room; i++)
            if (edits(text, length, patterns[i].row.name) == least)
                used += (size_t)snprintf(out + used, room - used, "%s%s",
                                         used ? " or " : "did you mean the pattern ",
                                         patterns[i].row.name);
        if (used < room)
            snprintf(out + used, room - used, "?");
        return;
    }
    for (int i = 0; i < PATTERNS && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "the patterns are ",
                                 patterns[i].row.name);
}

static int grammar_fail(const topomap_pattern_args *args, int row, const char *at, const char *what,
                        topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EUSAGE, "pattern `%.100s`: %s at `%.40s`; the form is %s",
                             args->text, what, at, patterns[row].row.grammar);
}

/* A number from 1 to 2^31. */
static int take_size(const char **at, uint64_t *value)
{
    const char *begin = *at;

    if (topomap_text_number(at, value) || *value < 1 || *value > TOPOMAP_GRAPH_RANKS) {
        *at = begin;
        return -1;
    }
    return 0;
}

static int take_points(topomap_pattern_args *args, int row, const char **at, topomap_error *err)
{
    const struct pattern *pattern = &patterns[row];
    const char *begin = *at;
    uint64_t value;

    if (!pattern->points[0])
        return 0;
    if (topomap_text_number(at, &value) || **at != ':' ||
        (value != (uint64_t)pattern->points[0] && value != (uint64_t)pattern->points[1]))
        return grammar_fail(args, row, begin, "number of points", err);
    args->points = (int)value;
    ++*at;
    return 0;
}

static int take_shape(topomap_pattern_args *args, int row, const char **at, topomap_error *err)
{
    args->dims = patterns[row].dims;
    for (int k = 0; k < args->dims; k++) {
        if (k && *(*at)++ != 'x')
            return grammar_fail(args, row, *at - 1, "one more dimension expected", err);
        if (take_size(at, &args->dim[k]))
            return grammar_fail(args, row, *at, "a size from 1 to 2^31 expected", err);
    }
    return 0;
}

static int set_size(const char *value, uint64_t *to)
{
    return take_size(&value, to) || *value ? -1 : 0;
}

static int option_bytes(topomap_pattern_args *args, const char *value)
{
    return topomap_text_number(&value, &args->bytes) || *value || !args->bytes ? -1 : 0;
}

static int option_group(topomap_pattern_args *args, const char *value)
{
    return set_size(value, &args->group);
}

static int option_ranks(topomap_pattern_args *args, const char *value)
{
    return set_size(value, &args->ranks);
}

static int option_order(topomap_pattern_args *args, const char *value)
{
    args->last_fastest = !strcmp(value, "row");
    return args->last_fastest || !strcmp(value, "column") ? 0 : -1;
}

static int option_periodic(topomap_pattern_args *args, const char *value)
{
    (void)value;
    args->wrap = (1u << args->dims) - 1;
    return 0;
}

static int option_wrap(topomap_pattern_args *args, const char *value)
{
    static const char letters[TOPOMAP_PATTERN_DIMS + 1] = "xyzt";

    for (; *value; value++) {
        const char *letter = strchr(letters, *value);

        if (!letter || letter - letters >= args->dims)
            return -1;
        args->wrap |= 1u << (letter - letters);
    }
    return 0;
}

static int add_factor(topomap_pattern_args *args, enum topomap_pattern_factor_kind kind,
                      const char *value)
{
    if (args->factors == TOPOMAP_PATTERN_FACTORS)
        return -1;
    args->factor[args->factors].kind = kind;
    return set_size(value, &args->factor[args->factors++].size);
}

static int option_path(topomap_pattern_args *args, const char *value)
{
    return add_factor(args, TOPOMAP_FACTOR_PATH, value);
}

static int option_ring(topomap_pattern_args *args, const char *value)
{
    return add_factor(args, TOPOMAP_FACTOR_RING, value);
}

static int option_all(topomap_pattern_args *args, const char *value)
{
    return add_factor(args, TOPOMAP_FACTOR_ALL, value);
}

static int option_copies(topomap_pattern_args *args, const char *value)
{
    return add_factor(args, TOPOMAP_FACTOR_COPIES, value);
}

static const struct {
    const char *name;
    enum option option;
    int has_value;
    int (*set)(topomap_pattern_args *args, const char *value);
} options[] = {
    {"bytes", OPTION_BYTES, 1, option_bytes}, {"periodic", OPTION_WRAP, 0, option_periodic},
    {"wrap", OPTION_WRAP, 1, option_wrap},    {"order", OPTION_ORDER, 1, option_order},
    {"group", OPTION_GROUP, 1, option_group}, {"n", OPTION_RANKS, 1, option_ranks},
    {"path", OPTION_FACTOR, 1, option_path},  {"ring", OPTION_FACTOR, 1, option_ring},
    {"all", OPTION_FACTOR, 1, option_all},    {"copies", OPTION_FACTOR, 1, option_copies},
};

/* One `name` or `name=value` of `length` characters at `at`. */
static int take_option(topomap_pattern_args *args, int row, const char *at, size_t length,
                       topomap_error *err)
{
    const char *equals = memchr(at, '=', length);
    size_t name = equals ? (size_t)(equals - at) : length;
    char value[64] = "";

    if (equals && length - name - 1 < sizeof value)
        memcpy(value, equals + 1, length - name - 1);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strlen(options[i].name) != name || strncmp(options[i].name, at, name))
            continue;
        if (!(patterns[row].options & options[i].option))
            break;
        if (options[i].has_value != (equals != NULL) || (equals && !*value) ||
            options[i].set(args, value))
            return grammar_fail(args, row, at, "a wrong value", err);
        return 0;
    }
    return grammar_fail(args, row, at, "an unknown option", err);
}

/* Where a pattern has no shape, the options begin right behind the colon; a plain number there is
 * the number of ranks. */
static int take_options(topomap_pattern_args *args, int row, const char *at, topomap_error *err)
{
    int first = !patterns[row].dims;

    if (!first && *at && *at != ',')
        return grammar_fail(args, row, at, "`,` expected", err);
    while (*at || first) {
        const char *begin = first ? at : at + 1;
        size_t length = strcspn(begin, ",");
        const char *number = begin;

        if (first && *begin >= '0' && *begin <= '9') {
            if (take_size(&number, &args->ranks) || number != begin + length)
                return grammar_fail(args, row, begin, "a number of ranks expected", err);
        } else if (take_option(args, row, begin, length, err)) {
            return -1;
        }
        first = 0;
        at = begin + length;
    }
    if ((patterns[row].options & OPTION_RANKS) && !args->ranks)
        return grammar_fail(args, row, args->text, "the number of ranks is missing", err);
    return 0;
}

static int pattern_parse(const char *text, int row, topomap_pattern_args *args, topomap_error *err)
{
    const char *at = strchr(text, ':');

    memset(args, 0, sizeof *args);
    args->text = text;
    args->bytes = DEFAULT_BYTES;
    args->wrap = patterns[row].wrap;
    if (!at)
        return grammar_fail(args, row, text, "a size is missing", err);
    at++;
    if (take_points(args, row, &at, err) || take_shape(args, row, &at, err))
        return -1;
    return take_options(args, row, at, err);
}

int topomap_graph_generate(const char *text, topomap_graph **graph, topomap_error *err)
{
    topomap_pattern_args args;
    topomap_arcs arcs = {0};
    topomap_graph *made = NULL;
    topomap_error why;
    char near[300];
    int row = by_name(text);

    if (row < 0) {
        topomap_pattern_suggest(text, near, sizeof near);
        return topomap_error_set(err, TOPOMAP_EUSAGE, "`%.100s` is no pattern: %s", text, near);
    }
    if (pattern_parse(text, row, &args, err))
        return -1;
    if (patterns[row].make(&args, &arcs, &why) ||
        topomap_arcs_take(&arcs, (uint32_t)args.ranks, &made, &why)) {
        topomap_arcs_clear(&arcs);
        return topomap_error_set(err, why.code == TOPOMAP_EINPUT ? TOPOMAP_EUSAGE : why.code,
                                 "pattern `%.100s`: %s", text, why.text);
    }
    made->pattern = topomap_strdup(text, err);
    if (!made->pattern) {
        topomap_graph_free(made);
        return -1;
    }
    *graph = made;
    return 0;
}
