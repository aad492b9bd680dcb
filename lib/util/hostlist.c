/* SPDX-License-Identifier: BSD-3-Clause */
/* Host list expressions as in Slurm's man pages (slurm.conf(5), "NodeName"; scontrol(1),
 * "show hostnames"), and the counts of SLURM_TASKS_PER_NODE (srun(1), output environment). */
#include "util/hostlist.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

enum {
    NAME_MAX_LENGTH = 1024, /* Slurm's own limit is 1024 (MAXHOSTRANGELEN and getnodename.h) */
    BRACKETS = 8,
    DIGITS = 18, /* fits an uint64_t */
    LIMIT = 1000000,
};

struct expansion {
    topomap_names names;
    size_t capacity, limit;
    char name[NAME_MAX_LENGTH + 1];
    topomap_error *err;
};

static int fail(topomap_error *err, const char *what, const char *text, size_t length)
{
    return topomap_error_set(err, TOPOMAP_EUSAGE, "host list: %s at '%.*s'", what,
                             (int)(length > 60 ? 60 : length), text);
}

static int emit(struct expansion *x, size_t length)
{
    char *copy;

    if (x->names.count >= x->limit)
        return topomap_error_set(x->err, TOPOMAP_EUSAGE,
                                 "host list: more than %zu names; give a shorter list", x->limit);
    if (!length)
        return topomap_error_set(x->err, TOPOMAP_EUSAGE, "host list: an empty name");
    if (topomap_grow(&x->names.name, &x->capacity, x->names.count + 1, sizeof(char *), x->err))
        return -1;
    copy = topomap_strndup(x->name, length, x->err);
    if (!copy)
        return -1;
    x->names.name[x->names.count++] = copy;
    return 0;
}

static int append(struct expansion *x, size_t *at, const char *text, size_t length)
{
    if (length > NAME_MAX_LENGTH - *at)
        return fail(x->err, "a name of more than 1024 characters", text, length);
    memcpy(x->name + *at, text, length);
    *at += length;
    return 0;
}

static int number(const char **text, uint64_t *value, int *width)
{
    const char *start = *text;

    if (topomap_text_number(text, value) || *text - start > DIGITS)
        return -1;
    *width = (int)(*text - start);
    return 0;
}

static int expand(struct expansion *x, size_t at, const char *text, const char *end, int depth);

/* One `a` or `a-b` of a bracket; what follows the bracket is at \p rest. */
static int expand_range(struct expansion *x, size_t at, const char **text, const char *close,
                        const char *end, int depth)
{
    const char *start = *text;
    uint64_t low, high;
    int width, ignored;

    if (number(text, &low, &width))
        return fail(x->err, "a bracket holds numbers and ranges only,", start,
                    (size_t)(close - start));
    high = low;
    if (*text < close && **text == '-') {
        (*text)++;
        if (number(text, &high, &ignored))
            return fail(x->err, "a range needs a number after '-',", start,
                        (size_t)(close - start));
    }
    if (high < low)
        return fail(x->err, "a descending range", start, (size_t)(*text - start));
    for (uint64_t value = low; value <= high; value++) {
        char digits[32];
        size_t inner = at;
        int length = snprintf(digits, sizeof digits, "%0*" PRIu64, width, value);

        if (append(x, &inner, digits, (size_t)length) ||
            expand(x, inner, close + 1, end, depth + 1))
            return -1;
    }
    return 0;
}

/* Writes every name that \p text .. \p end makes after the first \p at characters of x->name. */
static int expand(struct expansion *x, size_t at, const char *text, const char *end, int depth)
{
    const char *open = memchr(text, '[', (size_t)(end - text));
    const char *close;

    if (append(x, &at, text, (size_t)((open ? open : end) - text)))
        return -1;
    if (!open)
        return emit(x, at);
    if (depth == BRACKETS)
        return fail(x->err, "more than 8 brackets in one name", open, (size_t)(end - open));
    close = memchr(open, ']', (size_t)(end - open));
    for (text = open + 1;; text++) {
        if (expand_range(x, at, &text, close, end, depth))
            return -1;
        if (text == close)
            return 0;
        if (*text != ',')
            return fail(x->err, "expected ',' or ']'", text, (size_t)(end - text));
    }
}

/* The end of the name at \p text: its comma or blank outside brackets. NULL: unbalanced. */
static const char *name_end(const char *text)
{
    int open = 0;

    for (; *text && (open || !strchr(", \t\r\n", *text)); text++) {
        if ((*text == '[' && open) || (*text == ']' && !open))
            return NULL;
        if (*text == '[')
            open = 1;
        else if (*text == ']')
            open = 0;
    }
    return open ? NULL : text;
}

static int expand_all(struct expansion *x, const char *text)
{
    const char *blanks = " \t\r\n";

    text += strspn(text, blanks);
    for (;;) {
        const char *end = name_end(text);

        if (!end)
            return fail(x->err, "unbalanced brackets", text, strlen(text));
        if (end == text)
            return topomap_error_set(x->err, TOPOMAP_EUSAGE, "host list: an empty name");
        if (expand(x, 0, text, end, 0))
            return -1;
        text = end + strspn(end, blanks);
        if (!*text)
            return 0;
        if (*text == ',')
            text += 1 + strspn(text + 1, blanks);
    }
}

int topomap_hostlist_expand(const char *text, size_t limit, topomap_names *names,
                            topomap_error *err)
{
    struct expansion x = {.limit = limit ? limit : LIMIT, .err = err};

    if (expand_all(&x, text)) {
        topomap_names_clear(&x.names);
        return -1;
    }
    *names = x.names;
    return 0;
}

void topomap_names_clear(topomap_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    memset(names, 0, sizeof *names);
}

int topomap_is_node_name(const char *name, size_t length)
{
    static const char allowed[] =
        "-.0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    return length && length <= 255 && strspn(name, allowed) >= length && *name != '-' &&
           *name != '.';
}

size_t topomap_names_find(const topomap_names *names, const char *name, size_t at)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t here = (at + i) % names->count;

        if (strcmp(names->name[here], name) == 0)
            return here;
    }
    return names->count;
}

/* ---- Folding ----------------------------------------------------------------------------- */

/* Where the varying number of a run lies: name[0..prefix), digits, then the suffix. */
struct run {
    size_t prefix, digits;
};

static size_t digits_at(const char *name, size_t at)
{
    size_t n = 0;

    while (isdigit((unsigned char)name[at + n]))
        n++;
    return n;
}

/* The last number of a name. */
static int last_number(const char *name, struct run *run)
{
    size_t end = strlen(name);

    while (end && !isdigit((unsigned char)name[end - 1]))
        end--;
    run->prefix = end;
    while (run->prefix && isdigit((unsigned char)name[run->prefix - 1]))
        run->prefix--;
    run->digits = end - run->prefix;
    return run->digits && run->digits <= DIGITS ? 0 : -1;
}

/* Whether \p b is \p a with another number at run->prefix; *digits is its length in \p b. */
static int same_but_number(const char *a, const struct run *run, const char *b, size_t *digits)
{
    if (strncmp(a, b, run->prefix) != 0)
        return 0;
    *digits = digits_at(b, run->prefix);
    return *digits && *digits <= DIGITS &&
           strcmp(a + run->prefix + run->digits, b + run->prefix + *digits) == 0;
}

/* Finds the one number in which \p a and \p b differ (the last one where they are equal). */
static int find_run(const char *a, const char *b, struct run *run)
{
    size_t i = 0, ignored;

    if (strcmp(a, b) == 0)
        return last_number(a, run);
    while (a[i] == b[i])
        i++;
    while (i && isdigit((unsigned char)a[i - 1]))
        i--;
    run->prefix = i;
    run->digits = digits_at(a, i);
    if (!run->digits || run->digits > DIGITS)
        return -1;
    return same_but_number(a, run, b, &ignored) ? 0 : -1;
}

/* Prints names[from .. to) of one run as one bracket. */
static void print_run(FILE *out, char **name, size_t from, size_t to, const struct run *run)
{
    size_t i = from;

    fprintf(out, "%.*s[", (int)run->prefix, name[from]);
    while (i < to) {
        const char *low = name[i] + run->prefix;
        size_t width = digits_at(low, 0), last = i;
        uint64_t value = strtoull(low, NULL, 10);
        char next[32];

        while (last + 1 < to) {
            size_t digits = digits_at(name[last + 1] + run->prefix, 0);

            snprintf(next, sizeof next, "%0*" PRIu64, (int)width, value + 1);
            if (strlen(next) != digits || memcmp(next, name[last + 1] + run->prefix, digits) != 0)
                break;
            last++, value++;
        }
        fprintf(out, "%s%.*s", i > from ? "," : "", (int)width, low);
        if (last > i)
            fprintf(out, "-%.*s", (int)digits_at(name[last], run->prefix),
                    name[last] + run->prefix);
        i = last + 1;
    }
    fprintf(out, "]%s", name[from] + run->prefix + run->digits);
}

char *topomap_hostlist_fold(const topomap_names *names, topomap_error *err)
{
    char *text = NULL;
    size_t size, end;
    FILE *out;

    for (size_t i = 0; i < names->count; i++)
        if (!topomap_is_node_name(names->name[i], strlen(names->name[i]))) {
            topomap_error_set(err, TOPOMAP_EUSAGE,
                              "host list: '%.200s' is not a node name: letters, digits, '.', '-' "
                              "and '_'",
                              names->name[i]);
            return NULL;
        }
    out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < names->count; i = end) {
        struct run run;
        size_t digits;

        end = i + 1;
        if (end < names->count && find_run(names->name[i], names->name[end], &run) == 0)
            while (end < names->count &&
                   same_but_number(names->name[i], &run, names->name[end], &digits))
                end++;
        fputs(i ? "," : "", out);
        if (end > i + 1)
            print_run(out, names->name, i, end, &run);
        else
            fputs(names->name[i], out);
    }
    return topomap_printed(out, &text, err);
}

/* ---- Counts ------------------------------------------------------------------------------ */

/* Reads one `4` or `4(x3)` at *text. */
static int count_item(const char **text, uint32_t *count, uint64_t *times)
{
    uint64_t value;
    int width;

    *times = 1;
    if (number(text, &value, &width) || value > UINT32_MAX)
        return -1;
    *count = (uint32_t)value;
    if (**text != '(')
        return 0;
    if ((*text)[1] != 'x')
        return -1;
    *text += 2;
    if (number(text, times, &width) || !*times || **text != ')')
        return -1;
    (*text)++;
    return 0;
}

/* Reads \p text into \p counts (NULL: only checks); *found is how many counts it holds. */
static int counts_read(const char *text, size_t nodes, uint32_t *counts, size_t *found,
                       topomap_error *err)
{
    const char *at = text;

    for (*found = 0;; at++) {
        uint32_t count;
        uint64_t times;

        if (count_item(&at, &count, &times) || (*at && *at != ','))
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "counts: '%.60s' is not a list such as 4(x3),2", text);
        if (times > nodes - *found)
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "counts: '%.60s' is for more than the %zu nodes given", text,
                                     nodes);
        for (uint64_t i = 0; counts && i < times; i++)
            counts[*found + i] = count;
        *found += times;
        if (!*at)
            return 0;
    }
}

int topomap_counts_parse(const char *text, size_t nodes, uint32_t *counts, topomap_error *err)
{
    size_t found;

    if (counts_read(text, nodes, NULL, &found, err))
        return -1;
    if (found != nodes && strpbrk(text, ",("))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "counts: '%.60s' is for %zu nodes, but %zu are given", text, found,
                                 nodes);
    counts_read(text, nodes, counts, &found, NULL);
    for (size_t i = found; i < nodes; i++)
        counts[i] = counts[0];
    return 0;
}

char *topomap_counts_format(const uint32_t *counts, size_t nodes, topomap_error *err)
{
    char *text = NULL;
    size_t size, end;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; out && i < nodes; i = end) {
        for (end = i + 1; end < nodes && counts[end] == counts[i]; end++)
            ;
        fprintf(out, "%s%" PRIu32, i ? "," : "", counts[i]);
        if (end > i + 1)
            fprintf(out, "(x%zu)", end - i);
    }
    return topomap_printed(out, &text, err);
}
