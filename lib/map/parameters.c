/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/problem.h"

#include <stdio.h>
#include <string.h>

/* The piece before the next comma; moves behind the comma. */
static size_t next_piece(const char **at, const char *end, const char **piece)
{
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    size_t length = (size_t)((comma ? comma : end) - *at);

    *piece = *at;
    *at = comma ? comma + 1 : end;
    return length;
}

static const topomap_parameter *find(const topomap_algorithm_impl *impl, const char *name,
                                     size_t length)
{
    for (const topomap_parameter *p = impl->parameters; p && p->name; p++)
        if (strlen(p->name) == length && strncmp(p->name, name, length) == 0)
            return p;
    return NULL;
}

static int number(const char *text, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || *value > UINT32_MAX)
            return -1;
        *value = *value * 10 + (uint64_t)(text[i] - '0');
    }
    return length ? 0 : -1;
}

static int refuse_name(const topomap_algorithm_impl *impl, const char *piece, size_t length,
                       topomap_error *err)
{
    char known[256] = "";
    size_t used = 0;

    for (const topomap_parameter *p = impl->parameters; p && p->name; p++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s=%s", used ? ", " : "",
                                 p->name, p->value);
    return topomap_error_set(err, TOPOMAP_EUSAGE, "algorithm '%s' takes %s%s, not '%.*s'",
                             impl->row.name, used ? "the parameters " : "no parameters", known,
                             (int)(length > 64 ? 64 : length), piece);
}

static int check(const topomap_algorithm_impl *impl, const char *piece, size_t length,
                 topomap_error *err)
{
    const char *equals = memchr(piece, '=', length);
    size_t name = equals ? (size_t)(equals - piece) : length;
    const topomap_parameter *p = equals ? find(impl, piece, name) : NULL;
    uint64_t value;

    if (!p)
        return refuse_name(impl, piece, length, err);
    if (p->most &&
        (number(equals + 1, length - name - 1, &value) != 0 || value < p->least || value > p->most))
        return topomap_error_set(
            err, TOPOMAP_EUSAGE, "%s of '%s' is from %llu to %llu, not '%.*s'", p->name,
            impl->row.name, (unsigned long long)p->least, (unsigned long long)p->most,
            (int)(length - name - 1 > 32 ? 32 : length - name - 1), equals + 1);
    return 0;
}

int topomap_parameters_set(topomap_problem *problem, const topomap_algorithm_impl *impl,
                           const char *given, size_t length, topomap_error *err)
{
    const char *at = given, *piece;

    problem->parameters = given;
    problem->parameters_length = length;
    while (at < given + length) {
        size_t size = next_piece(&at, given + length, &piece);

        if (check(impl, piece, size, err) != 0)
            return -1;
    }
    return 0;
}

/* The last value given. */
static const char *given(const topomap_problem *problem, const char *name, size_t *length)
{
    const char *at = problem->parameters, *end = at + problem->parameters_length, *piece;
    const char *value = NULL;
    size_t name_length = strlen(name);

    while (at < end) {
        size_t size = next_piece(&at, end, &piece);

        if (size <= name_length || piece[name_length] != '=' ||
            strncmp(piece, name, name_length) != 0)
            continue;
        value = piece + name_length + 1;
        *length = size - name_length - 1;
    }
    return value;
}

uint64_t topomap_parameter_number(const topomap_problem *problem, const char *name,
                                  uint64_t fallback)
{
    size_t length;
    const char *text = given(problem, name, &length);
    uint64_t value;

    return text && number(text, length, &value) == 0 ? value : fallback;
}

int topomap_parameter_text(const topomap_problem *problem, const char *name, char *text,
                           size_t size)
{
    size_t length;
    const char *value = given(problem, name, &length);

    if (!value)
        return 0;
    snprintf(text, size, "%.*s", (int)(length < size ? length : size), value);
    return 1;
}
