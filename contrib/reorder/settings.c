/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "contrib/reorder/reorder.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "request/request.h"

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int is(const char *value, const char *word)
{
    return value && strcmp(value, word) == 0;
}

void reorder_settings_read(reorder_settings *settings)
{
    const char *how = variable("TOPOMAP_REORDER"), *seconds = variable("TOPOMAP_REORDER_SECONDS");
    double limit = seconds ? strtod(seconds, NULL) : 0;

    *settings = (reorder_settings){
        .off = topomap_request_means_off(variable("TOPOMAP")) || is(how, "off"),
        .verbose = is(how, "verbose") || is(how, "count"),
        .counts = is(how, "count"),
        .placed = is(variable("TOPOMAP_APPLIED"), "1"),
        .seconds = isfinite(limit) && limit > 0 ? limit : 2.0,
        .db = variable("TOPOMAP_DB"),
        .nodes = variable("TOPOMAP_REORDER_NODES"),
        .inside = variable("TOPOMAP_REORDER_INSIDE"),
    };
    settings->db_named = settings->db != NULL;
    if (!settings->db)
        settings->db = "/var/lib/topomap/topology.db";
}

void reorder_settings_node(const reorder_settings *settings, int rank, char *name, size_t size,
                           int *cpu)
{
    const char *item = settings->nodes;
    size_t length;

    for (int i = 0; i < rank && item; i++)
        item = (item = strchr(item, ',')) ? item + 1 : NULL;
    item = item ? item : "";
    length = strcspn(item, "/,");
    snprintf(name, size, "%.*s", (int)length, item);
    *cpu = item[length] == '/' ? atoi(item + length + 1) : -1;
}

void reorder_say(const reorder_settings *settings, const char *format, ...)
{
    char line[1024];
    va_list list;

    if (!settings->verbose)
        return;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    fprintf(stderr, "topomap: %s\n", line);
}
