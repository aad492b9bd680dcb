/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON output, escaped output, and quoting for the shell. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "util/alloc.h"
#include "util/safe_text.h"

struct writer {
    FILE *out;
    const char *escaped;
};

/* jansson calls it with each piece of the text. */
static int write_piece(const char *text, size_t size, void *data)
{
    const struct writer *w = data;

    for (size_t i = 0; i < size; i++)
        if (strchr(w->escaped, text[i]))
            fprintf(w->out, "\\u%04x", (unsigned)text[i]);
        else
            putc_unlocked(text[i], w->out);
    return 0;
}

int cli_json_write(FILE *out, const json_t *value, const char *escaped, size_t flags)
{
    struct writer w = {out, escaped};

    return value ? json_dump_callback(value, write_piece, &w, JSON_ENSURE_ASCII | flags) : -1;
}

int cli_json(FILE *out, json_t *value, size_t flags)
{
    size_t how = flags & JSON_COMPACT ? flags : flags | JSON_INDENT(2);
    int failed = cli_json_write(out, value, "\x7f", how);

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
        char *word = strndup(text, length);

        json_array_append_new(list, word ? cli_json_text(word) : NULL);
        free(word);
        text += length + (text[length] == separator);
    }
    return list;
}

json_t *cli_json_text(const char *text)
{
    json_t *made = text ? json_string(text) : json_null();
    size_t length = made ? 0 : strlen(text), taken;
    TOPOMAP_FREED char *shown = made ? NULL : malloc(length * TOPOMAP_SAFE_GROWTH + 1);

    if (shown)
        made = json_stringn(shown, topomap_safe_text(text, length, 1, shown, &taken));
    return made;
}

json_t *cli_json_filled(const char *text)
{
    return cli_json_text(text && *text ? text : NULL);
}

json_t *cli_json_count(uint64_t count)
{
    return count ? json_integer((json_int_t)count) : json_null();
}

int cli_answer(const cli_call *call, int failed, const topomap_error *err, json_t *json,
               size_t flags)
{
    if (!failed)
        return json ? cli_json(stdout, json, flags) : CLI_DONE;
    json_decref(json);
    return cli_fail(call, err);
}

/* Takes the next argument as the JSON value of a type of cli_json_object()'s format. */
static json_t *next_value(char type, va_list *args)
{
    switch (type) {
    case 's':
        return cli_json_text(va_arg(*args, const char *));
    case 'S':
        return cli_json_filled(va_arg(*args, const char *));
    case 'b':
        return json_boolean(va_arg(*args, int));
    case 'i':
        return json_integer(va_arg(*args, int));
    case 'u':
        return json_integer(va_arg(*args, uint32_t));
    case 'c':
        return cli_json_count(va_arg(*args, uint32_t));
    case 'U':
        return json_integer((json_int_t)va_arg(*args, uint64_t));
    case 'z':
        return json_integer((json_int_t)va_arg(*args, size_t));
    case 'r':
        return json_real(va_arg(*args, double));
    case 'O':
        return json_incref(va_arg(*args, json_t *));
    case 'n':
        return json_null();
    default:
        return va_arg(*args, json_t *);
    }
}

static int set_all(json_t *object, const char *format, va_list *args)
{
    int failed = 0;

    while (*format) {
        size_t length = strcspn(format, ":");
        char key[64];

        snprintf(key, sizeof key, "%.*s", (int)length, format);
        format += length + 1;
        failed |= json_object_set_new(object, key, next_value(*format, args));
        format += 1 + (format[1] == ' ');
    }
    return failed;
}

void cli_json_set(json_t *object, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_all(object, format, &args);
    va_end(args);
}

json_t *cli_json_object(const char *format, ...)
{
    json_t *object = json_object();
    va_list args;
    int failed;

    va_start(args, format);
    failed = set_all(object, format, &args);
    va_end(args);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *cli_json_numbers(const uint32_t *number, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(number[i]));
    return list;
}

json_t *cli_json_bytes(double bytes)
{
    return json_integer(bytes < 0x1p63 ? (json_int_t)bytes : INT64_MAX);
}

void cli_shell_quote(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, stdout);
    putchar('\'');
}

void cli_put_escaped(FILE *out, void (*put)(FILE *out, const char *text), const char *format,
                     va_list texts)
{
    for (; *format; format++)
        if (*format == '%' && *++format == 's')
            put(out, va_arg(texts, const char *));
        else
            fputc(*format, out);
}
