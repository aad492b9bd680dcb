/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/async.h"
#include "plugin/explain.h"
#include "plugin/report.h"
#include "plugin/wish.h"

#include <stdlib.h>
#include <string.h>

static const char why[] = "an asynchronous step (--async) is launched by the job's stepmgr and "
                          "cannot be placed";

/* What srun exits with where it gives up itself (_set_exit_code in src/srun/srun.c). A hook's own
 * failure is heeded only where plugstack.conf calls the plugin required. */
static void end_srun(void)
{
    const char *text = getenv("SLURM_EXIT_ERROR");
    int status = text ? atoi(text) : 0;

    exit(status ? status : 1);
}

void plugin_async_leave(spank_t spank, const plugin_args *args)
{
    const plugin_launcher *launcher = plugin_launcher_get();
    plugin_wish wish;
    int required;

    if (!launcher->async)
        return;
    memset(&wish, 0, sizeof wish);
    if (!plugin_wish_find(spank, args, launcher, 0, &wish))
        goto out;
    required = policy_flag(&wish.decision.settings, POLICY_REQUIRED);
    if (!required) {
        plugin_wish_leave(&wish.explain, wish.decision.asked, why);
        goto out;
    }
    plugin_explain_reason(&wish.explain, why);
    plugin_report_error("%s; topomap is required, the step does not start", why);
    end_srun();
out:
    policy_settings_clear(&wish.decision.settings);
}
