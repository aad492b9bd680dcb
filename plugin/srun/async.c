/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/srun.h"
#include "plugin/common/reply.h"
#include "plugin/common/report.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char why[] = "an asynchronous step (--async) is launched by the job's stepmgr and "
                          "cannot be placed";

/* The status is srun's own for its errors (_set_exit_code in src/srun/srun.c). Slurm ignores a
 * hook's failure unless plugstack.conf calls the plugin required. */
static _Noreturn void end_srun(void)
{
    const char *text = getenv("SLURM_EXIT_ERROR");
    int status = text && atoi(text) ? atoi(text) : 1;

    plugin_report_error("%s; topomap is required: srun exits with status %d and makes no step", why,
                        status);
    exit(status);
}

static plugin_facts facts_of(spank_t spank, const plugin_args *args,
                             const plugin_step_request *wish)
{
    const char *job =
        getenv("SLURM_JOB_ID"); /* of an allocation; else this srun is the job's only one */

    return (plugin_facts){.spank = spank,
                          .args = args,
                          .job = job ? (uint32_t)strtoul(job, NULL, 10) : 0,
                          .launcher = plugin_launcher_get(),
                          .said = &wish->said,
                          .explain = &wish->explain};
}

/* What the site wants is in its files. Where nobody tells, it is what the options say.
 * \param late  set where the planner has missed its deadline
 * \return nonzero: topomap is on */
static int judge(spank_t spank, const plugin_args *args, plugin_step_request *wish, int *late)
{
    const plugin_facts facts = facts_of(spank, args, wish);
    plugin_reply reply;
    TOPOMAP_FREED char *bytes = plugin_not_placed_ask(&facts, &reply, late);

    if (!bytes || reply.status != PLUGIN_LEFT)
        return wish->asked;
    plugin_reply_print(&reply);
    wish->asked = reply.flag[PLUGIN_FLAG_ASKED] > 0;
    wish->required = reply.flag[PLUGIN_FLAG_REQUIRED] > 0;
    return reply.flag[PLUGIN_FLAG_ON] > 0;
}

void plugin_async_leave(spank_t spank, const plugin_args *args)
{
    const plugin_launcher *launcher = plugin_launcher_get();
    plugin_step_request wish;
    int late = 0;

    if (!launcher->async)
        return;
    memset(&wish, 0, sizeof wish);
    if (!plugin_step_request_find(spank, args, launcher, 0, &wish) ||
        !judge(spank, args, &wish, &late))
        return;
    if (wish.required)
        end_srun();
    plugin_step_request_leave(&wish, wish.asked, why);
    if (*wish.left && wish.explain.wanted && wish.explain.file && !late)
        plugin_not_placed_explain(facts_of(spank, args, &wish), wish.left);
}
