/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/reply.h"
#include "plan/bindings.h"
#include "plugin/common/percent.h"

#include <stdlib.h>
#include <string.h>

/* What is being read: lines up to the "end" line. */
struct cursor {
    char *at, *end;
    plugin_reply *reply;
    int has_status;
};

static int read_status(struct cursor *cursor, char *value)
{
    static const char *const words[] = {"failed", "unchanged", "applied", "left"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcmp(value, words[i])) {
            cursor->reply->status = (enum plugin_status)i;
            cursor->has_status = 1;
            return 0;
        }
    }
    return -1;
}

static int read_quiet(struct cursor *cursor, char *value)
{
    cursor->reply->quiet = !strcmp(value, "1");
    return cursor->reply->quiet || !strcmp(value, "0") ? 0 : -1;
}

static int read_profile(struct cursor *cursor, char *value)
{
    cursor->reply->damaged = !strcmp(value, "damaged");
    return 0;
}

static int read_line(struct cursor *cursor, char *value)
{
    cursor->reply->line = value;
    return 0;
}

static int is_token(const char *value, const char *characters, size_t most)
{
    size_t length = strlen(value);

    return length && length <= most && strspn(value, characters) == length;
}

static int read_plan_id(struct cursor *cursor, char *value)
{
    cursor->reply->plan_id = value;
    return is_token(value, "0123456789abcdefABCDEF", 64) ? 0 : -1;
}

static int read_gain(struct cursor *cursor, char *value)
{
    cursor->reply->gain = value;
    return is_token(value, "0123456789.-", 32) ? 0 : -1;
}

static int read_layout(struct cursor *cursor, char *value)
{
    cursor->reply->layout = value;
    return 0;
}

static int read_bindings(struct cursor *cursor, char *value)
{
    cursor->reply->bindings = value;
    return 0;
}

static int read_cores(struct cursor *cursor, char *value)
{
    cursor->reply->cores = value;
    return 0;
}

static int read_detail(struct cursor *cursor, char *value)
{
    cursor->reply->detail = value;
    return 0;
}

static int read_searched(struct cursor *cursor, char *value)
{
    cursor->reply->searched = value;
    return is_token(value, "0123456789.", 32) ? 0 : -1;
}

static int read_input_db(struct cursor *cursor, char *value)
{
    cursor->reply->input_db = value;
    return 0;
}

static int read_input_graph(struct cursor *cursor, char *value)
{
    cursor->reply->input_graph = value;
    return 0;
}

static int read_explain(struct cursor *cursor, char *value)
{
    char *end;
    unsigned long size = strtoul(value, &end, 10);

    if (!is_token(value, "0123456789", 10) || *end || size >= (size_t)(cursor->end - cursor->at) ||
        cursor->at[size] != '\n')
        return -1;
    cursor->reply->explain = cursor->at;
    cursor->reply->explain_size = size;
    cursor->at += size + 1;
    return 0;
}

static int read_flag(struct cursor *cursor, enum plugin_flag flag, const char *value)
{
    cursor->reply->flag[flag] = !strcmp(value, "1");
    return cursor->reply->flag[flag] || !strcmp(value, "0") ? 0 : -1;
}

#define FLAG(name, which)                                                                          \
    static int name(struct cursor *cursor, char *value)                                            \
    {                                                                                              \
        return read_flag(cursor, which, value);                                                    \
    }

FLAG(read_on, PLUGIN_FLAG_ON)
FLAG(read_asked, PLUGIN_FLAG_ASKED)
FLAG(read_verbose, PLUGIN_FLAG_VERBOSE)
FLAG(read_required, PLUGIN_FLAG_REQUIRED)
FLAG(read_bind, PLUGIN_FLAG_BIND)

/* More than there is room for is nobody's loss. */
static int read_tell(struct cursor *cursor, char *value)
{
    plugin_reply *reply = cursor->reply;
    char *text = strchr(value, ' ');

    if (!text)
        return -1;
    *text++ = 0;
    if (plugin_percent_read(text))
        return -1;
    if (reply->tells < PLUGIN_TELLS)
        reply->tell[reply->tells++] = (plugin_tell){!strcmp(value, "line"), text};
    return 0;
}

static int read_later(struct cursor *cursor, char *value)
{
    if (cursor->reply->laters < PLUGIN_LATERS)
        cursor->reply->later[cursor->reply->laters++] = value;
    return 0;
}

static int read_spool(struct cursor *cursor, char *value)
{
    cursor->reply->spool = value;
    return 0;
}

static int read_in_order(struct cursor *cursor, char *value)
{
    cursor->reply->in_order = value;
    return 0;
}

static int read_preload(struct cursor *cursor, char *value)
{
    cursor->reply->preload = value;
    return 0;
}

static const struct row {
    const char *key;
    int (*read)(struct cursor *cursor, char *value);
} rows[] = {
    {"status", read_status},
    {"quiet", read_quiet},
    {"line", read_line},
    {"plan-id", read_plan_id},
    {"gain", read_gain},
    {"layout", read_layout},
    {"bindings", read_bindings},
    {"explain", read_explain},
    {"cores", read_cores},
    {"detail", read_detail},
    {"searched", read_searched},
    {"input-db", read_input_db},
    {"input-graph", read_input_graph},
    {"profile", read_profile},
    {"on", read_on},
    {"asked", read_asked},
    {"verbose", read_verbose},
    {"required", read_required},
    {"bind", read_bind},
    {"tell", read_tell},
    {"later", read_later},
    {"spool", read_spool},
    {"in-order", read_in_order},
    {"preload", read_preload},
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
            return rows[i].read(cursor, space ? space + 1 : newline);
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
