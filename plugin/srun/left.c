/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/left.h"
#include "plugin/common/launch.h"
#include "plugin/common/reply.h"
#include "plugin/srun/breaker.h"
#include "plugin/srun/later.h"

#include <stdlib.h>

void plugin_left_explain(plugin_facts facts, const char *why)
{
    plugin_launch launch = {.planner = facts.args->planner,
                            .deadline_ms = facts.args->deadline_ms,
                            .memory = plugin_launch_memory(0)};
    topomap_error err;
    char *request, *bytes;
    plugin_reply reply;
    size_t size;
    int late = 0;

    if (plugin_breaker_is_tripped(facts.job))
        return;
    facts.reason = why;
    request = plugin_facts_text(&facts, &err);
    launch.request = request;
    if (request && !plugin_launch_ask(&launch, &bytes, &size, &late, &err)) {
        if (!plugin_reply_read(bytes, size, &reply, &err))
            plugin_later_tell(&reply);
        free(bytes);
    }
    if (late)
        plugin_breaker_trip(facts.job);
    free(request);
}
