/* SPDX-License-Identifier: BSD-3-Clause */
/* NAME[:LEADING...][,NAME=VALUE...] by the pattern's own table. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "graph/patterns/patterns.h"
#include "util/text.h"

typedef struct reader {
    const topomap_pattern *pattern;
    topomap_pattern_args *args;
    const char *text; /* all of it, for messages */
    const char *end;
    topomap_error *err;
} reader;

int topomap_pattern_fail(const char *text, const char *at, topomap_error *err, const char *format,
                         ...)
{
    char what[300];
    va_list list;

    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (!*at)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "pattern `%.100s`: at its end: %s", text,
                                 what);
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "pattern `%.100s`: at character %zu (`%.30s`): %s", text,
                             (size_t)(at - text) + 1, at, what);
}

/* ---- How it is written --------------------------------------------------------------------- */

static void shape_text(const topomap_pattern *pattern, const topomap_pattern_param *param,
                       char *text, size_t room)
{
    static const char letters[] = "XxYxZxTxUxVxWxR";
    int dims = pattern->dims;

    if (dims && dims <= TOPOMAP_PATTERN_DIMS)
        snprintf(text, room, "%.*s", 2 * dims - 1, letters);
    else
        snprintf(text, room, "%s", param->values);
}

void topomap_pattern_grammar(const topomap_pattern *pattern, char *text, size_t room)
{
    char shape[32];

    snprintf(text, room, "%s", pattern->row.name);
    for (int i = 0; pattern->param[i].name; i++) {
        const topomap_pattern_param *param = &pattern->param[i];
        const char *values = param->type == TOPOMAP_PARAM_SHAPE ? shape : param->values;
        const char *open = param->fallback ? "[" : "", *close = param->fallback ? "]" : "";

        if (values == shape)
            shape_text(pattern, param, shape, sizeof shape);
        if (i < pattern->leading)
            topomap_text_append(text, room, ":%s%s%s", open, values, close);
        else
            topomap_text_append(text, room, "%s%s%s%s%s%s", open, i ? "," : ":", param->name,
                                values ? "=" : "", values ? values : "", close);
    }
}

/* ---- Values -------------------------------------------------------------------------------- */

int topomap_pattern_real(const char **at, double *value)
{
    const char *p = *at;
    double sum = 0;
    int digits = 0, scale = 0, exponent = 0, down;

    for (; *p >= '0' && *p <= '9'; p++, digits++)
        sum = sum * 10 + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++, digits++, scale--)
            sum = sum * 10 + (*p - '0');
    if (!digits || digits > 30)
        return -1;
    if (*p == 'e' || *p == 'E') {
        down = *++p == '-';
        p += *p == '-' || *p == '+';
        if (*p < '0' || *p > '9')
            return -1;
        for (; *p >= '0' && *p <= '9'; p++)
            exponent = exponent < 1000 ? exponent * 10 + (*p - '0') : exponent;
        scale += down ? -exponent : exponent;
    }
    *value = sum * pow(10, scale);
    *at = p;
    return isfinite(*value) ? 0 : -1;
}

int topomap_pattern_count(const char **at, uint64_t *value)
{
    static const char units[] = "KMGT";
    const char *p = *at, *unit;
    double real;

    if (topomap_text_number(&p, value))
        return -1;
    if (*p == '.' || *p == 'e' || *p == 'E') {
        p = *at;
        if (topomap_pattern_real(&p, &real) || real >= 0x1p63 || real != floor(real))
            return -1;
        *value = (uint64_t)real;
    }
    unit = *p ? strchr(units, *p) : NULL;
    if (unit) {
        int shift = 10 * (int)(unit - units + 1);

        if (*value >= TOPOMAP_GRAPH_SUM >> shift)
            return -1;
        *value <<= shift;
        p++;
    }
    *at = p;
    return 0;
}

static void range_text(const topomap_pattern_param *param, char *text, size_t room)
{
    if (!param->least && !param->most)
        snprintf(text, room, "a number from 1 to 2^31");
    else if (param->most >= 0x1p20)
        snprintf(text, room, "a number from %.10g to 2^%d", param->least, ilogb(param->most));
    else
        snprintf(text, room, "a number from %.10g to %.10g", param->least, param->most);
}

static int set_number(const reader *r, int i, const char *at, const char *end)
{
    const topomap_pattern_param *param = &r->pattern->param[i];
    topomap_pattern_value *value = &r->args->value[i];
    const char *begin = at;
    double least = param->least, most = param->most;
    char range[80];
    int bad;

    if (least == 0 && most == 0) {
        least = 1;
        most = (double)TOPOMAP_GRAPH_RANKS;
    }
    if (param->type == TOPOMAP_PARAM_REAL) {
        bad = topomap_pattern_real(&at, &value->real);
    } else {
        bad = topomap_pattern_count(&at, &value->number);
        value->real = (double)value->number;
    }
    if (!bad && at == end && value->real >= least && value->real <= most)
        return 0;
    range_text(param, range, sizeof range);
    return topomap_pattern_fail(r->text, begin, r->err, "%s= takes %s", param->name, range);
}

static int set_word(const reader *r, int i, const char *at, const char *end)
{
    const topomap_pattern_param *param = &r->pattern->param[i];
    topomap_pattern_value *value = &r->args->value[i];
    const char *word = param->values;

    for (value->number = 0;; value->number++) {
        size_t length = strcspn(word, "|");

        if (length == (size_t)(end - at) && !strncmp(word, at, length))
            return 0;
        if (!word[length])
            break;
        word += length + 1;
    }
    return topomap_pattern_fail(r->text, at, r->err, "%s= takes %s", param->name, param->values);
}

/* Takes any text. A flag has none, and is 1. */
static int set_text(const reader *r, int i, const char *at, const char *end)
{
    r->args->value[i].text = at;
    r->args->value[i].length = (size_t)(end - at);
    r->args->value[i].number = 1;
    return 0;
}

static int set_shape(const reader *r, int i, const char *at, const char *end)
{
    const topomap_pattern_param *param = &r->pattern->param[i];
    topomap_pattern_args *args = r->args;
    int least = r->pattern->dims ? r->pattern->dims : (int)param->least;
    int most = r->pattern->dims ? r->pattern->dims : (int)param->most;
    char form[32];

    shape_text(r->pattern, param, form, sizeof form);
    for (args->dims = 0;; at++) {
        uint64_t *dim = &args->dim[args->dims];
        const char *begin = at;

        if (topomap_text_number(&at, dim) || *dim < 1 || *dim > TOPOMAP_GRAPH_RANKS)
            return topomap_pattern_fail(r->text, begin, r->err,
                                        "a size from 1 to 2^31 expected (%s)", form);
        args->dims++;
        if (at == end || *at != 'x')
            break;
        if (args->dims == most)
            return topomap_pattern_fail(r->text, at, r->err, "no more than %d dimension%s (%s)",
                                        most, most > 1 ? "s" : "", form);
    }
    if (at != end)
        return topomap_pattern_fail(r->text, at, r->err, "`x` or `,` expected (%s)", form);
    if (args->dims < least)
        return topomap_pattern_fail(r->text, at, r->err, "one more dimension expected (%s)", form);
    return 0;
}

/* Where a letter's dimension is among those of the shape; -1: nowhere. */
static int dimension(const reader *r, char letter)
{
    static const char letters[] = TOPOMAP_PATTERN_LETTERS;
    const char *at = letter ? strchr(letters, letter) : NULL;

    return at && at - letters < r->args->dims ? (int)(at - letters) : -1;
}

static int set_wrap(const reader *r, int i, const char *at, const char *end)
{
    uint64_t *bits = &r->args->value[i].number;

    *bits = 0;
    for (; at < end; at++) {
        int k = dimension(r, *at);

        if (k < 0)
            return topomap_pattern_fail(r->text, at, r->err,
                                        "wrap= takes letters of dimensions, here %.*s",
                                        r->args->dims, TOPOMAP_PATTERN_LETTERS);
        *bits |= UINT64_C(1) << k;
    }
    return 0;
}

/* x:N, x+:N, x-:N */
static int is_side(const char *at)
{
    return *at && strchr(TOPOMAP_PATTERN_LETTERS, *at) &&
           (at[1] == ':' || ((at[1] == '+' || at[1] == '-') && at[2] == ':'));
}

static int set_side(const reader *r, int i, const char *at, const char *end)
{
    int named = is_side(at), k = named ? dimension(r, *at) : 0;
    char sign = named ? at[1] : ':';
    const char *number = named ? at + 2 + (sign != ':') : at;
    int last = named ? k : r->args->dims - 1;
    uint64_t bytes;
    const char *begin = number;

    (void)i;
    if (k < 0)
        return topomap_pattern_fail(r->text, at, r->err, "no such dimension; there are %.*s",
                                    r->args->dims, TOPOMAP_PATTERN_LETTERS);
    if (topomap_pattern_count(&number, &bytes) || number != end || bytes < 1 ||
        bytes > TOPOMAP_GRAPH_SUM / 2)
        return topomap_pattern_fail(r->text, begin, r->err,
                                    "bytes= takes a number from 1 to 2^62, or bytes by direction "
                                    "(x:64,y:32)");
    for (; k <= last; k++) {
        if (sign != '+')
            r->args->side[k][0] = bytes;
        if (sign != '-')
            r->args->side[k][1] = bytes;
    }
    return 0;
}

static int set_factor(const reader *r, int i, const char *at, const char *end)
{
    topomap_pattern_args *args = r->args;

    if (set_number(r, i, at, end))
        return -1;
    if (args->factors == TOPOMAP_PATTERN_FACTORS)
        return topomap_pattern_fail(r->text, at, r->err, "no more than %d factors",
                                    TOPOMAP_PATTERN_FACTORS);
    args->factor[args->factors].param = i;
    args->factor[args->factors++].size = args->value[i].number;
    return 0;
}

static int set_value(const reader *r, int i, const char *at, const char *end)
{
    static int (*const set[])(const reader *r, int i, const char *at, const char *end) = {
        [TOPOMAP_PARAM_COUNT] = set_number,  [TOPOMAP_PARAM_REAL] = set_number,
        [TOPOMAP_PARAM_WORD] = set_word,     [TOPOMAP_PARAM_TEXT] = set_text,
        [TOPOMAP_PARAM_FLAG] = set_text,     [TOPOMAP_PARAM_SHAPE] = set_shape,
        [TOPOMAP_PARAM_WRAP] = set_wrap,     [TOPOMAP_PARAM_SIDES] = set_side,
        [TOPOMAP_PARAM_FACTOR] = set_factor,
    };

    return set[r->pattern->param[i].type](r, i, at, end);
}

/* ---- Items --------------------------------------------------------------------------------- */

static int unknown(const reader *r, const char *at)
{
    char form[260];

    topomap_pattern_grammar(r->pattern, form, sizeof form);
    return topomap_pattern_fail(r->text, at, r->err, "no option of %s; the form is %s",
                                r->pattern->row.name, form);
}

static int take_item(const reader *r, const char *at, const char *end, int *last)
{
    const topomap_pattern_param *param = r->pattern->param;
    const char *equals = memchr(at, '=', (size_t)(end - at));
    size_t length = equals ? (size_t)(equals - at) : (size_t)(end - at);

    if (!equals && *last >= 0 && param[*last].type == TOPOMAP_PARAM_SIDES && is_side(at))
        return set_side(r, *last, at, end);
    for (int i = 0; param[i].name; i++) {
        if (strlen(param[i].name) != length || strncmp(param[i].name, at, length) != 0)
            continue;
        if ((param[i].type == TOPOMAP_PARAM_FLAG) != !equals)
            return topomap_pattern_fail(r->text, at, r->err, "%s %s", param[i].name,
                                        equals ? "takes no value" : "needs a value");
        if (r->args->value[i].given && param[i].type != TOPOMAP_PARAM_FACTOR)
            return topomap_pattern_fail(r->text, at, r->err, "%s is said twice", param[i].name);
        r->args->value[i].given = 1;
        *last = i;
        return set_value(r, i, equals ? equals + 1 : at, end);
    }
    return unknown(r, at);
}

static const char *find(const char *at, const char *end, const char *stops)
{
    while (at < end && !strchr(stops, *at))
        at++;
    return at;
}

/* What stands without a name, in its order. Returns where the rest begins, NULL on failure. */
static const char *take_leading(const reader *r, const char *at)
{
    for (int i = 0; i < r->pattern->leading; i++) {
        const char *end = find(at, r->end, i + 1 < r->pattern->leading ? ":,=" : ",=");

        if (end < r->end && *end == '=')
            return at;
        if (end == at && r->pattern->param[i].fallback)
            return at;
        r->args->value[i].given = 1;
        if (set_value(r, i, at, end))
            return NULL;
        at = end;
        if (at == r->end || *at == ',')
            return at + (at < r->end);
        at++;
    }
    return at;
}

static int take_all(const reader *r, const char *at)
{
    int last = -1;

    if (at == r->end)
        return 0;
    at = take_leading(r, at + 1); /* behind the colon */
    if (!at)
        return -1;
    if (at == r->end)
        return at[-1] == ',' ? unknown(r, at) : 0;
    for (;; at++) {
        const char *end = find(at, r->end, ",");

        if (take_item(r, at, end, &last))
            return -1;
        at = end;
        if (at == r->end)
            return 0;
    }
}

/* Directions that the text leaves out. */
static void fill_sides(const reader *r, const char *fallback)
{
    uint64_t bytes = 0;

    topomap_text_number(&fallback, &bytes);
    for (int k = 0; k < r->args->dims; k++)
        for (int up = 0; up < 2; up++)
            if (!r->args->side[k][up])
                r->args->side[k][up] = bytes;
}

/* Defaults come last, but the shape first: letters mean its dimensions. */
static int fill_defaults(const reader *r)
{
    const topomap_pattern_param *param = r->pattern->param;

    for (int i = 0; param[i].name; i++) {
        const char *text = param[i].fallback;

        if (param[i].type == TOPOMAP_PARAM_SIDES)
            fill_sides(r, text);
        if (r->args->value[i].given || param[i].type == TOPOMAP_PARAM_SIDES)
            continue;
        if (!text)
            return topomap_pattern_fail(r->text, r->end, r->err, "%s is missing", param[i].name);
        if (*text && set_value(r, i, text, text + strlen(text)))
            return -1;
    }
    return 0;
}

int topomap_pattern_parse(const topomap_pattern *pattern, const char *text, const char *begin,
                          const char *end, topomap_pattern_args *args, topomap_error *err)
{
    reader r = {pattern, args, text, end, err};
    const char *at = begin + strlen(pattern->row.name);

    memset(args, 0, sizeof *args);
    args->pattern = pattern;
    if (at < end && *at != ':')
        return topomap_pattern_fail(text, at, err, "`:` expected");
    if (take_all(&r, at))
        return -1;
    return fill_defaults(&r);
}
