/* SPDX-License-Identifier: BSD-3-Clause */
/* A SPANK plugin that writes down as whom each of the hooks runs that spank_topomap.so has: lines
 * of "hook context euid" in the file that is its one argument. */
#include <slurm/spank.h>
#include <stdio.h>
#include <unistd.h>

#define HOOK __attribute__((visibility("default")))

extern HOOK const char plugin_name[], plugin_type[];
extern HOOK const unsigned int plugin_version, spank_plugin_version;
SPANK_PLUGIN(hooks, 1)

HOOK spank_f slurm_spank_init, slurm_spank_init_post_opt, slurm_spank_local_user_init,
    slurm_spank_user_init, slurm_spank_task_init;

static int note(const char *hook, int count, char *words[])
{
    static const char *const contexts[] = {[S_CTX_LOCAL] = "srun",
                                           [S_CTX_REMOTE] = "slurmstepd",
                                           [S_CTX_ALLOCATOR] = "allocator",
                                           [S_CTX_SLURMD] = "slurmd",
                                           [S_CTX_JOB_SCRIPT] = "script"};
    FILE *out = count == 1 ? fopen(words[0], "ae") : NULL;
    unsigned context = (unsigned)spank_context();

    if (out && context < sizeof contexts / sizeof *contexts && contexts[context])
        fprintf(out, "%s %s %d\n", hook, contexts[context], (int)geteuid());
    if (out)
        fclose(out);
    return 0;
}

int slurm_spank_init(spank_t spank, int count, char *words[])
{
    (void)spank;
    return note("init", count, words);
}

int slurm_spank_init_post_opt(spank_t spank, int count, char *words[])
{
    (void)spank;
    return note("init_post_opt", count, words);
}

int slurm_spank_local_user_init(spank_t spank, int count, char *words[])
{
    (void)spank;
    return note("local_user_init", count, words);
}

int slurm_spank_user_init(spank_t spank, int count, char *words[])
{
    (void)spank;
    return note("user_init", count, words);
}

int slurm_spank_task_init(spank_t spank, int count, char *words[])
{
    (void)spank;
    return note("task_init", count, words);
}
