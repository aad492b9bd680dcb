/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/left.h"
#include "plugin/common/launch.h"
#include "plugin/common/reply.h"
#include "plugin/srun/breaker.h"
#include "plugin/srun/later.h"

#include <stdlib.h>

char *plugin_left_ask(const plugin_facts *facts, plugin_reply *reply, int *late)
{
    plugin_launch launch = {.planner = facts->args->planner,
                            .deadline_ms = facts->args->deadline_ms,
                            .memory = plugin_launch_memory(0)};
    topomap_error err;
    char *request, *bytes = NULL;
    size_t size;

    if (plugin_breaker_is_tripped(facts->job))
        return NULL;
    request = plugin_facts_text(facts, &err);
    launch.request = request;
    if (request && !plugin_launch_ask(&launch, &bytes, &size, late, &err) &&
        plugin_reply_read(bytes, size, reply, &err)) {
        free(bytes);
        bytes = NULL;
    }
    if (*late)
        plugin_breaker_trip(facts->job);
    free(request);
    return bytes;
}

void plugin_left_explain(plugin_facts facts, const char *why)
{
    plugin_reply reply;
    int late = 0;
    char *bytes;

    facts.reason = why;
    bytes = plugin_left_ask(&facts, &reply, &late);
    if (bytes)
        plugin_later_tell(&reply);
    free(bytes);
}
