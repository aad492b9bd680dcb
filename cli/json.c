/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/json.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int cli_json(FILE *out, json_t *value, size_t flags)
{
    size_t how = flags & JSON_COMPACT ? flags : flags | JSON_INDENT(2);
    int failed = !value || json_dumpf(value, out, JSON_ENSURE_ASCII | how);

    fputc('\n', out);
    json_decref(value);
    return failed ? CLI_FAILED : CLI_DONE;
}

json_t *cli_json_words(const char *text, char separator)
{
    const char ends[] = {separator, 0};
    json_t *list = json_array();

    while (text && *text) {
        size_t length = strcspn(text, ends);

        json_array_append_new(list, json_stringn(text, length));
        text += length + (text[length] == separator);
    }
    return list;
}

json_t *cli_json_text(const char *text)
{
    json_t *made = json_string(text);
    char *ascii = made ? NULL : strdup(text);

    if (!ascii)
        return made;
    for (char *c = ascii; *c; c++)
        *c = (unsigned char)*c < 128 ? *c : '?';
    made = json_string(ascii);
    free(ascii);
    return made;
}

json_t *cli_json_bytes(double bytes)
{
    return json_integer(bytes < 0x1p63 ? (json_int_t)bytes : INT64_MAX);
}
