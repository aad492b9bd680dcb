/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/args.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TOPOMAP_PLANNER
#error "the build names the planner's path"
#endif
#ifndef TOPOMAP_PROFILER
#error "the build names the folder of the profilers"
#endif
static const char default_db[] = "/var/lib/topomap/topology.db"; /* as the command line's */

enum { HOUR_MS = 3600000 };

/* ---- Values ------------------------------------------------------------------------------ */

struct row {
    const char *name; /* with '=' where a value follows */
    int (*read)(const struct row *row, const char *value, void *to);
    size_t at;                    /* in plugin_args */
    enum topomap_request_key key; /* of a setting */
    unsigned long most;           /* of a number */
    const char *or_word;          /* accepted instead of a whole path, or NULL */
    const char *without;          /* characters that the path must not contain, or NULL */
};

static int path(const struct row *row, const char *value, void *to)
{
    if ((*value != '/' && (!row->or_word || strcmp(value, row->or_word) != 0)) ||
        (row->without && strpbrk(value, row->without)))
        return -1;
    *(const char **)to = value;
    return 0;
}

static int read_number(const char *value, unsigned long most, unsigned *to)
{
    char *end;
    unsigned long read;

    errno = 0;
    read = strtoul(value, &end, 10);
    if (errno || *end || end == value || *value == '-' || !read || read > most)
        return -1;
    *to = (unsigned)read;
    return 0;
}

static int number(const struct row *row, const char *value, void *to)
{
    return read_number(value, row->most, to);
}

int plugin_args_milliseconds(const char *value, unsigned *to)
{
    return read_number(value, HOUR_MS, to);
}

static int mode(const struct row *row, const char *value, void *to)
{
    (void)row;
    return policy_mode_read(value, to);
}

static int setting(const struct row *row, const char *value, void *to)
{
    int bare = topomap_request_row_of(row->key)->flag && !*value;

    return policy_set(to, row->key, bare ? "1" : value, POLICY_BY_SITE);
}

#define AT(member) .at = offsetof(plugin_args, member)

static const struct row rows[] = {
    {"planner=", path, AT(planner)},
    {"node_helper=", path, AT(node_helper)},
    {"db=", path, AT(db)},
    {"policy=", path, AT(policy)},
    {"spool=", path, AT(spool)},
    {"deadline_ms=", number, AT(deadline_ms), .most = HOUR_MS},
    {"node_ms=", number, AT(node_ms), .most = HOUR_MS},
    {"end_ms=", number, AT(end_ms), .most = HOUR_MS},
    {"default=", mode, AT(site.mode)},
    {"min_gain=", setting, AT(site.settings), .key = TOPOMAP_REQUEST_MIN_GAIN},
    {"required", setting, AT(site.settings), .key = TOPOMAP_REQUEST_REQUIRED},
    {"verbose", setting, AT(site.settings), .key = TOPOMAP_REQUEST_VERBOSE},
    {"records=", path, AT(records)},
    {"record_days=", number, AT(record_limits.days), .most = 36500},
    {"record_megabytes=", number, AT(record_limits.megabytes), .most = 1 << 20},
    {"store=", path, AT(store)},
    {"scontrol=", path, AT(scontrol), .or_word = "none"},
    {"profiler=", path, AT(profiler), .without = ": \t"}, /* it stands in LD_PRELOAD */
    {"compare=", setting, AT(site.settings), .key = TOPOMAP_REQUEST_COMPARE},
};

static const struct row *row_of(const char *word, const char **value)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].name);
        int takes_value = rows[i].name[length - 1] == '=';

        if (!strncmp(word, rows[i].name, length) && (takes_value || !word[length])) {
            *value = word + length;
            return &rows[i];
        }
    }
    return NULL;
}

void plugin_args_describe(const plugin_args *args,
                          void (*say)(const char *name, const char *value, const char *origin))
{
    static const char *const words[] = {
        "planner=", "deadline_ms=", "node_ms=", "end_ms=",      "policy=",
        "spool=",   "scontrol=",    "records=", "record_days=", "record_megabytes="};
    const char *value;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct row *row = row_of(words[i], &value);
        const void *at = (const char *)args + row->at;
        int is_number = row->read == number, is_limit = !strncmp(words[i], "record_", 7);
        char name[32], text[16];

        snprintf(name, sizeof name, "%.*s", (int)strlen(words[i]) - 1, words[i]);
        value = text;
        if (is_number)
            snprintf(text, sizeof text, "%u", *(const unsigned *)at);
        else
            value = *(const char *const *)at;
        if (value && (args->records || !is_limit))
            say(name, value, args->said & 1u << (row - rows) ? "plugstack.conf" : "default");
    }
}

const char *plugin_args_db(const plugin_args *args, enum policy_origin *origin)
{
    const char *db = getenv("TOPOMAP_DB");

    *origin = db && *db                ? POLICY_BY_ENVIRONMENT
              : args->db == default_db ? POLICY_BY_DEFAULT
                                       : POLICY_BY_SITE;
    return db && *db ? db : args->db;
}

void plugin_args_read(int count, char **words, plugin_args *args,
                      void (*pass_over)(const char *word))
{
    policy_settings_clear(&args->site.settings);
    *args = (plugin_args){.planner = TOPOMAP_PLANNER,
                          .profiler = TOPOMAP_PROFILER,
                          .db = default_db,
                          .record_limits = {.days = 30, .megabytes = 64},
                          .deadline_ms = PLUGIN_DEADLINE_MS,
                          .node_ms = PLUGIN_NODE_MS,
                          .end_ms = PLUGIN_END_MS,
                          .site.mode = POLICY_ASK,
                          .count = count,
                          .words = words};
    for (int i = 0; i < count; i++) {
        const char *value;
        const struct row *row = row_of(words[i], &value);

        if (row && !row->read(row, value, (char *)args + row->at))
            args->said |= 1u << (row - rows);
        else if (pass_over)
            pass_over(words[i]);
    }
    if (args->records)
        policy_set(&args->site.settings, TOPOMAP_REQUEST_RECORDS, "1", POLICY_BY_SITE);
}
