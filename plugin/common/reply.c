/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/reply.h"
#include "plan/bindings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What is being read: lines up to the "end" line. */
struct cursor {
    char *at, *end;
    plugin_reply *reply;
    int has_status;
};

struct row {
    const char *key;
    int (*read)(struct cursor *cursor, const struct row *row, char *value);
    size_t at;      /* of a text or a flag, in plugin_reply */
    const char *of; /* a text's characters, or NULL: any; a number's sign, or NULL: none */
    size_t most;    /* characters of a text; digits of a number before its point */
};

static int read_status(struct cursor *cursor, const struct row *row, char *value)
{
    static const char *const words[] = {"failed", "unchanged", "applied", "left"};

    (void)row;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcmp(value, words[i])) {
            cursor->reply->status = (enum plugin_status)i;
            cursor->has_status = 1;
            return 0;
        }
    }
    return -1;
}

static int read_profile(struct cursor *cursor, const struct row *row, char *value)
{
    (void)row;
    cursor->reply->damaged = !strcmp(value, "damaged");
    return 0;
}

static void write_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127 || *text == '%')
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            putc(*text, out);
}

void plugin_percent_line(FILE *out, const char *key, const char *text)
{
    if (!text)
        return;
    fprintf(out, "%s ", key);
    write_text(out, text);
    putc('\n', out);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int plugin_percent_read(char *text)
{
    char *to = text;

    for (; *text; text++, to++) {
        int high = *text == '%' ? digit(text[1]) : 0,
            low = *text == '%' && high >= 0 ? digit(text[2]) : 0;

        if (high < 0 || low < 0 || (*text == '%' && !high && !low))
            return -1;
        if (*text == '%') {
            *to = (char)(high << 4 | low);
            text += 2;
        } else {
            *to = *text;
        }
    }
    *to = 0;
    return 0;
}

#define DIGITS "0123456789"

static int is_token(const char *value, const char *characters, size_t most)
{
    size_t length = strlen(value);

    return length && length <= most && strspn(value, characters) == length;
}

static int read_text(struct cursor *cursor, const struct row *row, char *value)
{
    *(const char **)((char *)cursor->reply + row->at) = value;
    return !row->of || is_token(value, row->of, row->most) ? 0 : -1;
}

/* A decimal number of at most `most` digits before its point and 9 behind it; a minus sign only
 * where the row allows it. strtod() depends on the locale of srun. */
static int read_decimal(struct cursor *cursor, const struct row *row, char *value)
{
    const char *digits = value + (row->of && *value == '-');
    size_t whole = strspn(digits, DIGITS), point = digits[whole] == '.',
           part = point ? strspn(digits + whole + 1, DIGITS) : 0;

    *(const char **)((char *)cursor->reply + row->at) = value;
    return whole && whole <= row->most && part <= 9 && !digits[whole + point + part] ? 0 : -1;
}

static int read_explain(struct cursor *cursor, const struct row *row, char *value)
{
    char *end;
    unsigned long size = strtoul(value, &end, 10);

    (void)row;
    if (!is_token(value, DIGITS, 10) || *end || size >= (size_t)(cursor->end - cursor->at) ||
        cursor->at[size] != '\n')
        return -1;
    cursor->reply->explain = cursor->at;
    cursor->reply->explain_size = size;
    cursor->at += size + 1;
    return 0;
}

static int read_flag(struct cursor *cursor, const struct row *row, char *value)
{
    int *flag = (int *)((char *)cursor->reply + row->at);

    *flag = !strcmp(value, "1");
    return *flag || !strcmp(value, "0") ? 0 : -1;
}

/* More than there is room for is nobody's loss. */
static int read_tell(struct cursor *cursor, const struct row *row, char *value)
{
    plugin_reply *reply = cursor->reply;
    char *text = strchr(value, ' ');

    (void)row;
    if (!text)
        return -1;
    *text++ = 0;
    if (plugin_percent_read(text))
        return -1;
    if (reply->tells < PLUGIN_TELLS)
        reply->tell[reply->tells++] = (plugin_tell){!strcmp(value, "line"), text};
    return 0;
}

static int read_later(struct cursor *cursor, const struct row *row, char *value)
{
    (void)row;
    if (cursor->reply->laters < PLUGIN_LATERS)
        cursor->reply->later[cursor->reply->laters++] = value;
    return 0;
}

#define AT(member) offsetof(plugin_reply, member)

static const struct row rows[] = {
    {"status", read_status, 0, NULL, 0},
    {"quiet", read_flag, AT(quiet), NULL, 0},
    {"line", read_text, AT(line), NULL, 0},
    {"plan-id", read_text, AT(plan_id), DIGITS "abcdefABCDEF", 64},
    {"gain", read_decimal, AT(gain), "-", 10},
    {"layout", read_text, AT(layout), NULL, 0},
    {"bindings", read_text, AT(bindings), NULL, 0},
    {"explain", read_explain, 0, NULL, 0},
    {"cores", read_text, AT(cores), NULL, 0},
    {"gpus", read_text, AT(gpus), NULL, 0},
    {"detail", read_text, AT(detail), NULL, 0},
    {"searched", read_decimal, AT(searched), NULL, 10},
    {"input-db", read_text, AT(input_db), NULL, 0},
    {"input-graph", read_text, AT(input_graph), NULL, 0},
    {"profile", read_profile, 0, NULL, 0},
    {"on", read_flag, AT(flag[PLUGIN_FLAG_ON]), NULL, 0},
    {"asked", read_flag, AT(flag[PLUGIN_FLAG_ASKED]), NULL, 0},
    {"verbose", read_flag, AT(flag[PLUGIN_FLAG_VERBOSE]), NULL, 0},
    {"required", read_flag, AT(flag[PLUGIN_FLAG_REQUIRED]), NULL, 0},
    {"bind", read_flag, AT(flag[PLUGIN_FLAG_BIND]), NULL, 0},
    {"tell", read_tell, 0, NULL, 0},
    {"later", read_later, 0, NULL, 0},
    {"spool", read_text, AT(spool), NULL, 0},
    {"in-order", read_text, AT(in_order), NULL, 0},
    {"nics", read_text, AT(nics), NULL, 0},
    {"master", read_text, AT(master),
     DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-", 255},
    {"preload", read_text, AT(preload), NULL, 0},
};

/* One line; a key that is not known is for a later plugin. */
static int read_row(struct cursor *cursor)
{
    char *line = cursor->at;
    char *newline = memchr(line, '\n', (size_t)(cursor->end - line));
    char *space;

    if (!newline || memchr(line, 0, (size_t)(newline - line)))
        return -1;
    *newline = 0;
    cursor->at = newline + 1;
    space = strchr(line, ' ');
    if (space)
        *space = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(line, rows[i].key))
            return rows[i].read(cursor, &rows[i], space ? space + 1 : newline);
    return 0;
}

static const char first[] = "topomap-reply 1\n";

/* A later planner's: it begins so, and has another number. */
static int is_other(const char *bytes, size_t size)
{
    enum { NAME = sizeof "topomap-reply " - 1 };

    return size > NAME && !memcmp(bytes, first, NAME) &&
           (size < sizeof first - 1 || memcmp(bytes, first, sizeof first - 1) != 0);
}

int plugin_reply_read(char *bytes, size_t size, plugin_reply *reply, topomap_error *err)
{
    enum { END = sizeof "end 00000000\n" - 1, FIRST = sizeof first - 1 };
    struct cursor cursor = {.reply = reply};
    char last[END + 1];

    memset(reply, 0, sizeof *reply);
    for (int flag = 0; flag < PLUGIN_FLAGS; flag++)
        reply->flag[flag] = -1;
    reply->line = "";
    if (is_other(bytes, size))
        return topomap_error_set(
            err, TOPOMAP_EINPUT,
            "the planner's reply is of another format than this plugin's: they "
            "are of different versions");
    if (size < FIRST + END || memcmp(bytes, first, FIRST))
        return topomap_error_set(err, TOPOMAP_EINPUT, "the planner's reply is not one");
    snprintf(last, sizeof last, "end %08x\n", topomap_crc32(0, bytes, size - END));
    if (memcmp(bytes + size - END, last, END))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the planner's reply was cut or changed (checksum)");
    cursor.at = bytes + FIRST;
    cursor.end = bytes + size - END;
    while (cursor.at < cursor.end)
        if (read_row(&cursor))
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "the planner's reply has a line that makes no sense");
    if (!cursor.has_status)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the planner's reply has no status");
    if (reply->status == PLUGIN_APPLIED && !reply->layout)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the planner's reply has no layout");
    return 0;
}
