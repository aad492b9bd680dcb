/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"
#include "plugin/common/run_planner.h"
#include "plugin/common/reply.h"
#include "util/alloc.h"

#include <stdlib.h>

int plugin_facts_ask(const plugin_facts *facts, char **bytes, plugin_reply *reply, int *late,
                     topomap_error *err)
{
    const plugin_layout *layout = facts->layout;
    plugin_launch launch = {.planner = facts->args->planner,
                            .deadline_ms = facts->args->deadline_ms,
                            .memory = plugin_launch_memory(layout ? layout->ranks.tasks : 0)};
    char *request = plugin_facts_text(facts, err);
    size_t size;
    int failed;

    *bytes = NULL;
    launch.request = request;
    failed = !request || plugin_launch_ask(&launch, bytes, &size, late, err);
    free(request);
    if (*late)
        plugin_breaker_trip(facts->job);
    return failed ? -1 : plugin_reply_read(*bytes, size, reply, err);
}

char *plugin_not_placed_ask(const plugin_facts *facts, plugin_reply *reply, int *late)
{
    char *bytes = NULL;

    if (plugin_breaker_is_tripped(facts->job) ||
        !plugin_facts_ask(facts, &bytes, reply, late, NULL))
        return bytes;
    free(bytes);
    return NULL;
}

void plugin_not_placed_explain(plugin_facts facts, const char *why)
{
    plugin_reply reply;
    int late = 0;
    TOPOMAP_FREED char *bytes = NULL;

    facts.reason = why;
    bytes = plugin_not_placed_ask(&facts, &reply, &late);
    if (bytes)
        plugin_step_end_tell(&reply);
}
