/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin's hooks; each only says which concern's function runs, and in which program:
 *
 *   hook              srun                   sbatch, salloc       slurmstepd (as the user)
 *   (library loaded)  --distribution         --distribution
 *   init              options, arguments     options, arguments   options
 *   init_post_opt     tell of --async        export to the job    an empty file in memory (as root)
 *   local_user_init   place the step
 *   exit              remove its file,
 *                     keep its profile
 *   user_init                                                     ask topomap-node for this
 *                                                                 node's plan, preload the
 *                                                                 profiler
 *   task_init                                                     bind this task, order its GPUs
 *   task_exit, exit                                               after the last task, topomap-node
 *                                                                 writes what the profiler saw
 *                                                                 (as root)
 *
 * slurmd itself and its prolog run nothing of it. A hook in slurmstepd always returns success:
 * another value would drain the node. */
#include "config.h"
#include "plugin/common/args.h"
#include "plugin/common/format.h"
#include "plugin/common/report.h"
#include "plugin/node/node.h"
#include "plugin/srun/srun.h"

#include <slurm/spank.h>

#define HOOK __attribute__((visibility("default")))

/* spank.h's SPANK_PLUGIN, with symbols that stay visible. */
extern HOOK const char plugin_name[], plugin_type[];
extern HOOK const unsigned int plugin_version, spank_plugin_version;
SPANK_PLUGIN(topomap, 1)

HOOK spank_f slurm_spank_init, slurm_spank_init_post_opt, slurm_spank_local_user_init,
    slurm_spank_user_init, slurm_spank_task_init, slurm_spank_task_exit, slurm_spank_exit;

static plugin_args site;

/* For `topomap doctor`, which reads it in the file. */
static const char build[] __attribute__((used)) = "topomap-plugin " PACKAGE_VERSION;

/* An administrator's error, or a word of another version's during an upgrade, is no line for each
 * user; `topomap doctor` says it. Slurm heeds -v by the time of local_user_init. */
static void pass_over(const char *word)
{
    plugin_report_detail(0, "plugstack.conf: '%s' is not understood and was passed over", word);
}

static void tell_words(int count, char **words)
{
    plugin_args read = {0};

    plugin_args_read(count, words, &read, pass_over);
    policy_settings_clear(&read.site.settings);
}

int slurm_spank_init(spank_t spank, int count, char *words[])
{
    spank_context_t context = spank_context();

    if (context == S_CTX_LOCAL)
        plugin_step_forget();
    if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR) {
        plugin_report_begin();
        plugin_options_forget(context == S_CTX_ALLOCATOR);
        plugin_args_read(count, words, &site, NULL);
    }
    if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR || context == S_CTX_REMOTE)
        plugin_options_register(spank);
    return 0;
}

int slurm_spank_init_post_opt(spank_t spank, int count, char *words[])
{
    (void)count, (void)words;
    if (spank_context() == S_CTX_ALLOCATOR)
        plugin_options_export();
    if (spank_context() == S_CTX_LOCAL)
        plugin_async_leave(spank, &site);
    if (spank_context() == S_CTX_REMOTE)
        plugin_parts_open();
    return 0;
}

int slurm_spank_local_user_init(spank_t spank, int count, char *words[])
{
    tell_words(count, words);
    plugin_step_place(spank, &site);
    plugin_format_carry(PLUGIN_FORMAT);
    return 0;
}

int slurm_spank_user_init(spank_t spank, int count, char *words[])
{
    plugin_node_site node;

    if (spank_context() == S_CTX_REMOTE) {
        plugin_node_site_read(count, words, &node);
        plugin_bind_node(spank, PLUGIN_FORMAT, &node);
    }
    return 0;
}

int slurm_spank_task_init(spank_t spank, int count, char *words[])
{
    (void)count, (void)words;
    if (spank_context() == S_CTX_REMOTE) {
        plugin_bind_task(spank);
        plugin_parts_hand_over();
    }
    return 0;
}

int slurm_spank_task_exit(spank_t spank, int count, char *words[])
{
    plugin_node_site node;
    int status = 0;

    if (spank_context() == S_CTX_REMOTE) {
        plugin_node_site_read(count, words, &node);
        if (spank_get_item(spank, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS)
            status = 0;
        plugin_parts_task_exit(&node, status);
    }
    return 0;
}

int slurm_spank_exit(spank_t spank, int count, char *words[])
{
    plugin_node_site node;

    (void)spank;
    if (spank_context() == S_CTX_LOCAL)
        plugin_step_end();
    if (spank_context() == S_CTX_REMOTE) {
        plugin_node_site_read(count, words, &node);
        plugin_parts_end(&node);
    }
    return 0;
}
