/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"
#include "plugin/common/launch.h"
#include "plugin/common/report.h"
#include "util/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One step an srun. */
static struct {
    const plugin_args *args;
    char *request;
    uint64_t memory;
} kept;

void plugin_step_end_tell(const plugin_reply *reply)
{
    for (unsigned i = 0; i < reply->tells; i++)
        plugin_report_detail(reply->tell[i].loud, "%s", reply->tell[i].text);
}

static char *write_request(const plugin_reply *reply, const plugin_args *args, uint32_t job,
                           uint32_t step, int asked, int verbose)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "topomap-request 2\njob %u\nstep %u\nasked %d\nverbose %d\n", job, step, asked,
            verbose);
    plugin_facts_site(out, args);
    for (unsigned i = 0; i < reply->laters; i++)
        fprintf(out, "later %s\n", reply->later[i]);
    fprintf(out, "end\n");
    return topomap_printed(out, &text, NULL);
}

void plugin_step_end_take(const plugin_reply *reply, const plugin_args *args, uint32_t job,
                          uint32_t step, uint64_t memory, int asked, int verbose)
{
    free(kept.request);
    kept.memory = memory;
    kept.request = reply->laters ? write_request(reply, args, job, step, asked, verbose) : NULL;
    kept.args = args;
}

void plugin_step_end_refuse(void)
{
    char *row = kept.request ? strstr(kept.request, "\nlater run ") : NULL;

    if (row)
        memcpy(row, "\nlater own ", strlen("\nlater own "));
}

void plugin_step_end(void)
{
    plugin_launch launch = {.word = "end", .stays = 1, .memory = kept.memory};
    TOPOMAP_FREED char *bytes = NULL;
    plugin_reply reply;
    size_t size;
    int late;

    if (!kept.request)
        return;
    launch.planner = kept.args->planner;
    launch.deadline_ms = kept.args->end_ms;
    launch.request = kept.request;
    if (!plugin_launch_ask(&launch, &bytes, &size, &late, NULL) &&
        !plugin_reply_read(bytes, size, &reply, NULL))
        plugin_step_end_tell(&reply);
    free(kept.request);
    kept.request = NULL;
}
