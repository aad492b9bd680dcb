/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/sql_functions.h"
#include "util/alloc.h"
#include "util/hostlist.h"
#include "util/names/known.h"

#define TEXT_MOST ((size_t)128 << 20)
enum { HOSTS_MOST = 1000000 };

void db_json_clear(struct db_json *json)
{
    json_decref(json->root);
    free(json->text);
    *json = (struct db_json){0};
}

static json_t *parse(const struct db_import *import, const char *text, size_t size, size_t line)
{
    json_error_t why;
    json_t *root = json_loadb(text, size, 0, &why);

    if (!root)
        db_fail(import,
                line           ? line
                : why.line > 0 ? (size_t)why.line
                               : 1,
                "expected JSON: %.150s", why.text);
    return root;
}

/* ---- Collected from hosts ------------------------------------------------------------------ */

struct part {
    char host[DB_KEY];
    size_t line; /* its first */
    char *text;
    size_t size, room;
};

struct parts {
    topomap_known hosts;
    struct part *part; /* [count] of each host */
    size_t count, room;
};

static void parts_clear(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->part[i].text);
    free(parts->part);
    topomap_known_clear(&parts->hosts);
}

static int find_part(const struct db_import *import, struct parts *parts, const char *host,
                     size_t length, size_t line, struct part **part)
{
    struct part made = {.line = line};
    uint32_t at;

    if (topomap_known_number(&parts->hosts, host, length, &at, import->err))
        return -1;
    if (at == HOSTS_MOST)
        return db_fail(import, line, "more than %d hosts", HOSTS_MOST);
    snprintf(made.host, sizeof made.host, "%.*s", (int)length, host);
    if (at == parts->count &&
        TOPOMAP_APPEND(parts->part, parts->count, parts->room, import->err, made))
        return -1;
    *part = &parts->part[at];
    return 0;
}

/* `HOST: text`; the text keeps its blanks, which may be inside of a string. */
static int take_line(const struct db_import *import, struct parts *parts, const char *text,
                     size_t size, size_t line)
{
    const char *colon = memchr(text, ':', size);
    size_t length = colon ? (size_t)(colon - text) : 0, rest;
    struct part *part = NULL;

    if (!topomap_is_node_name(text, length))
        return db_fail(import, line,
                       "expected a JSON document, or lines 'HOST: a line of its document'");
    rest = size - length - 1;
    if (find_part(import, parts, text, length, line, &part) ||
        topomap_grow(&part->text, &part->room, part->size + rest + 2, 1, import->err))
        return -1;
    memcpy(part->text + part->size, colon + 1, rest);
    part->size += rest;
    part->text[part->size++] = '\n';
    part->text[part->size] = '\0';
    return 0;
}

static int read_parts(const struct db_import *import, struct parts *parts, const char *text,
                      size_t size)
{
    size_t line = 1;

    for (const char *at = text, *end = text + size; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);

        if (strspn(at, " \t\r") < length && take_line(import, parts, at, length, line))
            return -1;
        at += length + 1;
    }
    return 0;
}

/* Where a host's document begins, or NULL. Lines before it that begin like no JSON are what a
 * command had to say: a warning, or that a host is down or a tool not there, which is all of it
 * then. */
static const char *find_document(const struct part *part)
{
    const char *at = part->text;

    for (;;) {
        at += strspn(at, " \t\r\n");
        if (!*at || strchr("{[\"", *at))
            return *at ? at : NULL;
        at += strcspn(at, "\n");
    }
}

/* Warns of the hosts that have none, unless it is all of them. */
static int count_messages(struct db_import *import, const struct parts *parts)
{
    size_t messages = 0, line = 0;

    for (size_t i = parts->hosts.count; i-- > 0;)
        if (!find_document(&parts->part[i])) {
            messages++;
            line = parts->part[i].line;
        }
    if (messages && messages == parts->hosts.count) {
        const char *said = parts->part[0].text + strspn(parts->part[0].text, " \t\r\n");
        size_t length = strcspn(said, "\r\n");

        return db_fail(import, line, "expected JSON, not '%.*s'",
                       (int)(length < 100 ? length : 100), said);
    }
    if (messages) {
        import->report->partial = 1;
        db_warn(import, line, "%zu of %zu hosts answered with a message and no JSON: left out",
                messages, parts->hosts.count);
    }
    return 0;
}

static int read_collected(struct db_import *import, const char *text, size_t size, json_t *root)
{
    TOPOMAP_CLEANUP(parts_clear) struct parts parts = {0};

    if (!root)
        return topomap_error_set(import->err, TOPOMAP_ESYSTEM, "out of memory: JSON");
    if (read_parts(import, &parts, text, size) || count_messages(import, &parts))
        return -1;
    for (size_t i = 0; i < parts.hosts.count; i++) {
        const struct part *part = &parts.part[i];
        const char *text = find_document(part);
        json_t *document;

        if (!text)
            continue;
        document = parse(import, text, part->size - (size_t)(text - part->text), part->line);
        if (!document)
            return -1;
        if (json_object_set_new(root, part->host, document))
            return db_fail(import, part->line, "'%.60s' cannot be a host's name", part->host);
    }
    return 0;
}

/* ---- Reading ------------------------------------------------------------------------------- */

int db_json_read(struct db_import *import, struct db_json *json)
{
    TOPOMAP_FREED char *text = NULL;
    size_t size, start;

    if (topomap_input_all(import->input, TEXT_MOST, &text, &size, import->err))
        return -1;
    start = strspn(text, " \t\r\n");
    if (start == size)
        return db_fail(import, 1, "empty: expected JSON");
    if (text[start] != '{' && text[start] != '[' && text[start] != '"') {
        json->root = json_object();
        return read_collected(import, text, size, json->root);
    }
    json->root = parse(import, text, size, 0);
    json->text = topomap_take(&text);
    return json->root ? 0 : -1;
}

/* ---- Values -------------------------------------------------------------------------------- */

const char *db_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? text : NULL;
}

int64_t db_json_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    int64_t number = -1;

    if (json_is_integer(value))
        number = json_integer_value(value);
    else if (text && *text && strlen(text) < 11 && !text[strspn(text, "0123456789")])
        number = strtoll(text, NULL, 10);
    return number >= 0 && number <= INT32_MAX ? number : -1;
}

json_t *db_json_first(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return json_is_array(value) ? json_array_get(value, 0) : value;
}

/* Where each object inside \p depth brackets of any kind begins, in their order. \p line [*count],
 * ends with free(); none where the document was collected */
static int find_lines(const struct db_json *json, unsigned depth, size_t **lines, size_t *count,
                      topomap_error *err)
{
    unsigned open = 0;
    size_t line = 1, room = 0;
    int quoted = 0;

    *lines = NULL;
    *count = 0;
    for (const char *at = json->text; at && *at; at++) {
        line += *at == '\n';
        if (quoted) {
            if (*at == '\\' && at[1])
                at++;
            else
                quoted = *at != '"';
        } else if (*at == '"') {
            quoted = 1;
        } else if (*at == '{' || *at == '[') {
            if (open++ == depth && *at == '{' && TOPOMAP_APPEND(*lines, *count, room, err, line))
                return -1;
        } else if (*at == '}' || *at == ']') {
            open -= open > 0;
        }
    }
    return 0;
}

int db_json_each(struct db_import *import, const struct db_json *json, const char *key,
                 const char *expected,
                 int (*take)(struct db_import *import, void *data, const json_t *object,
                             size_t line),
                 void *data)
{
    const json_t *list = key ? json_object_get(json->root, key) : json->root;
    TOPOMAP_FREED size_t *line = NULL;
    size_t lines;

    if (!json_is_array(list))
        return db_fail(import, 1, "%s", expected);
    if (find_lines(json, key ? 2 : 1, &line, &lines, import->err))
        return -1;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (take(import, data, json_array_get(list, i), i < lines ? line[i] : 0))
            return -1;
    return 0;
}
