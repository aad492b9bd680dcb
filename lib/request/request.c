/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "request/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"

const topomap_request_row *topomap_request_row_of(enum topomap_request_key key)
{
    return &topomap_request_rows[key];
}

void topomap_request_takes(enum topomap_request_key key, char *text, size_t size)
{
    const topomap_request_row *row = &topomap_request_rows[key];
    const char *word = row->takes;
    size_t used = 0;

    if (row->read != topomap_request_word) {
        snprintf(text, size, row->most > 0 ? "%s from %g to %g" : "%s", row->takes, row->least,
                 row->most);
        return;
    }
    *text = '\0';
    while (*word && used < size) {
        size_t length = strcspn(word, " ");
        const char *next = word + length + (word[length] == ' ');

        used += (size_t)snprintf(text + used, size - used, "%s%.*s",
                                 word == row->takes ? ""
                                 : *next            ? ", "
                                                    : " or ",
                                 (int)length, word);
        word = next;
    }
}

int topomap_request_fits(enum topomap_request_key key, const char *text)
{
    const topomap_request_row *row = &topomap_request_rows[key];
    union topomap_request_value value = {0};

    if (row->whole_path && *text != '/' && !(row->no_path && strcmp(text, row->no_path) == 0))
        return 0;
    if (row->read == topomap_request_text)
        return *text != '\0';
    return row->read(row, text, &value) == 0;
}

static void *value_of(topomap_request *request, const topomap_request_row *row)
{
    return (char *)request + row->at;
}

static int is_kept(const topomap_request_row *row)
{
    return row->line || row->option;
}

void topomap_request_init(topomap_request *request)
{
    *request = (topomap_request){0};
    for (int key = 0; key < TOPOMAP_REQUEST_KEYS; key++) {
        const topomap_request_row *row = &topomap_request_rows[key];

        if (is_kept(row) && row->fallback)
            row->read(row, row->fallback, value_of(request, row));
    }
}

void topomap_request_clear(topomap_request *request)
{
    for (int key = 0; key < TOPOMAP_REQUEST_KEYS; key++) {
        const topomap_request_row *row = &topomap_request_rows[key];

        if (is_kept(row) && row->read == topomap_request_text)
            free(*(char **)value_of(request, row));
    }
    *request = (topomap_request){0};
}

int topomap_request_has(const topomap_request *request, enum topomap_request_key key)
{
    return (request->said >> key & 1) != 0;
}

int topomap_request_set(topomap_request *request, enum topomap_request_key key, const char *text,
                        topomap_error *err)
{
    const topomap_request_row *row = &topomap_request_rows[key];
    char takes[160], *copy;

    if (row->read == topomap_request_text) {
        if (topomap_request_has(request, key))
            return topomap_error_set(err, TOPOMAP_EINPUT, "given twice");
        copy = topomap_strdup(text, err);
        if (!copy)
            return -1;
        *(char **)value_of(request, row) = copy;
    } else if (row->read(row, text, value_of(request, row)) != 0) {
        topomap_request_takes(key, takes, sizeof takes);
        return topomap_error_set(err, TOPOMAP_EINPUT, "expected %s, found '%.100s'", takes, text);
    }
    request->said |= (uint64_t)1 << key;
    return 0;
}

int topomap_request_read_line(topomap_request *request, size_t number, char *line,
                              topomap_error *err)
{
    char *value = strchr(line, ' ');
    topomap_error inner;

    if (!value)
        return topomap_error_set(err, TOPOMAP_EINPUT, "request:%zu: expected 'key value'", number);
    *value++ = '\0';
    for (int key = 0; key < TOPOMAP_REQUEST_KEYS; key++) {
        const char *own = topomap_request_rows[key].line;

        if (!own || strcmp(own, line) != 0)
            continue;
        if (topomap_request_set(request, (enum topomap_request_key)key, value, &inner) == 0)
            return 0;
        return topomap_error_set(err, inner.code, "request:%zu: %s: %.400s", number, line,
                                 inner.text);
    }
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "request:%zu: unknown key '%.40s': the plugin is not of this "
                             "planner's version, " PACKAGE_VERSION,
                             number, line);
}

void topomap_request_write_line(FILE *out, enum topomap_request_key key, const char *text)
{
    fprintf(out, "%s %s\n", topomap_request_rows[key].line, text);
}

static int is_one_of(const char *value, const char *const *words)
{
    for (; value && *words; words++)
        if (!strcasecmp(value, *words))
            return 1;
    return 0;
}

int topomap_request_means_off(const char *word)
{
    return is_one_of(word, (const char *const[]){"off", "no", "0", "false", NULL});
}

int topomap_request_means_on(const char *word)
{
    return is_one_of(word, (const char *const[]){"on", "yes", "1", "true", "auto", NULL});
}
