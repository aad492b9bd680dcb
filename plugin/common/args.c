/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TOPOMAP_PLANNER
#error "the build names the planner's path"
#endif
#ifndef TOPOMAP_PROFILER
#error "the build names the folder of the profilers"
#endif
#define DEFAULT_DB "/var/lib/topomap/topology.db" /* as the command line's */

static int read_planner(plugin_args *args, const char *value)
{
    if (*value != '/')
        return -1;
    args->planner = value;
    return 0;
}

static int read_node_helper(plugin_args *args, const char *value)
{
    if (*value != '/')
        return -1;
    args->node_helper = value;
    return 0;
}

static int read_db(plugin_args *args, const char *value)
{
    if (*value != '/')
        return -1;
    args->db = value;
    args->db_origin = POLICY_BY_SITE;
    return 0;
}

static int read_policy(plugin_args *args, const char *value)
{
    if (*value != '/')
        return -1;
    args->policy = value;
    return 0;
}

static int read_spool(plugin_args *args, const char *value)
{
    if (*value != '/')
        return -1;
    args->spool = value;
    return 0;
}

static int read_store(plugin_args *args, const char *value)
{
    if (*value != '/')
        return -1;
    args->store = value;
    return 0;
}

static int read_scontrol(plugin_args *args, const char *value)
{
    if (*value != '/' && strcmp(value, "none"))
        return -1;
    args->scontrol = value;
    return 0;
}

static int read_profiler(plugin_args *args, const char *value)
{
    if (*value != '/' || strpbrk(value, ": \t"))
        return -1;
    args->profiler = value;
    return 0;
}

static int read_profile_every(plugin_args *args, const char *value)
{
    return policy_set(&args->site.settings, POLICY_PROFILE_EVERY, value, POLICY_BY_SITE);
}

static int read_records(plugin_args *args, const char *value)
{
    if (*value != '/' || policy_set(&args->site.settings, POLICY_RECORDS, "1", POLICY_BY_SITE))
        return -1;
    args->records = value;
    return 0;
}

static int read_number(const char *value, unsigned long most, unsigned *number)
{
    char *end;
    unsigned long read;

    errno = 0;
    read = strtoul(value, &end, 10);
    if (errno || *end || end == value || *value == '-' || !read || read > most)
        return -1;
    *number = (unsigned)read;
    return 0;
}

static int read_record_days(plugin_args *args, const char *value)
{
    return read_number(value, 36500, &args->record_limits.days);
}

static int read_record_megabytes(plugin_args *args, const char *value)
{
    return read_number(value, 1 << 20, &args->record_limits.megabytes);
}

static int read_deadline(plugin_args *args, const char *value)
{
    return read_number(value, 3600000, &args->deadline_ms);
}

static int read_default(plugin_args *args, const char *value)
{
    return policy_mode_read(value, &args->site.mode);
}

static int read_min_gain(plugin_args *args, const char *value)
{
    return policy_set(&args->site.settings, POLICY_MIN_GAIN, value, POLICY_BY_SITE);
}

static int read_required(plugin_args *args, const char *value)
{
    (void)value;
    return policy_set(&args->site.settings, POLICY_REQUIRED, "1", POLICY_BY_SITE);
}

static int read_verbose(plugin_args *args, const char *value)
{
    (void)value;
    return policy_set(&args->site.settings, POLICY_VERBOSE, "1", POLICY_BY_SITE);
}

static const struct row {
    const char *name; /* with '=' where a value follows */
    int (*read)(plugin_args *args, const char *value);
} rows[] = {
    {"planner=", read_planner},
    {"node_helper=", read_node_helper},
    {"db=", read_db},
    {"policy=", read_policy},
    {"spool=", read_spool},
    {"deadline_ms=", read_deadline},
    {"default=", read_default},
    {"min_gain=", read_min_gain},
    {"required", read_required},
    {"verbose", read_verbose},
    {"records=", read_records},
    {"record_days=", read_record_days},
    {"record_megabytes=", read_record_megabytes},
    {"store=", read_store},
    {"scontrol=", read_scontrol},
    {"profiler=", read_profiler},
    {"profile_every=", read_profile_every},
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
    char deadline[16], days[16], megabytes[16];
    const struct {
        const char *word, *value;
    } values[] = {{"planner=", args->planner},
                  {"deadline_ms=", deadline},
                  {"policy=", args->policy},
                  {"spool=", args->spool},
                  {"scontrol=", args->scontrol},
                  {"records=", args->records},
                  {"record_days=", args->records ? days : NULL},
                  {"record_megabytes=", args->records ? megabytes : NULL}};
    const char *none;

    snprintf(deadline, sizeof deadline, "%u", args->deadline_ms);
    snprintf(days, sizeof days, "%u", args->record_limits.days);
    snprintf(megabytes, sizeof megabytes, "%u", args->record_limits.megabytes);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const struct row *row = row_of(values[i].word, &none);
        char name[32];

        snprintf(name, sizeof name, "%.*s", (int)strlen(values[i].word) - 1, values[i].word);
        if (values[i].value)
            say(name, values[i].value,
                args->said & 1u << (row - rows) ? "plugstack.conf" : "default");
    }
}

const char *plugin_args_db(const plugin_args *args, enum policy_origin *origin)
{
    const char *db = getenv("TOPOMAP_DB");

    *origin = db && *db ? POLICY_BY_ENVIRONMENT : args->db_origin;
    return db && *db ? db : args->db;
}

void plugin_args_read(int count, char **words, plugin_args *args,
                      void (*pass_over)(const char *word))
{
    policy_settings_clear(&args->site.settings);
    *args = (plugin_args){.planner = TOPOMAP_PLANNER,
                          .profiler = TOPOMAP_PROFILER,
                          .db = DEFAULT_DB,
                          .record_limits = {.days = 30, .megabytes = 64},
                          .deadline_ms = 2000,
                          .site.mode = POLICY_ASK,
                          .count = count,
                          .words = words};
    for (int i = 0; i < count; i++) {
        const char *value;
        const struct row *row = row_of(words[i], &value);

        if (row && !row->read(args, value)) {
            args->said |= 1u << (row - rows);
            continue;
        }
        pass_over(words[i]);
    }
}
