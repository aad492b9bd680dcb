/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/slurm_options.h"

#include <slurm/slurm.h>
#include <string.h>

#define NONE PLUGIN_TAKES_NONE
#define VALUE PLUGIN_TAKES_VALUE
#define MAYBE PLUGIN_TAKES_MAYBE

enum {
    SRUN = PLUGIN_SRUN,
    SALLOC = PLUGIN_SALLOC,
    SBATCH = PLUGIN_SBATCH,
    ALL = SRUN | SALLOC | SBATCH,
};

/* What the programs' getopt tables have from 22.05 to 26.05 (the slurm_cli_opt_t objects of
 * src/common/slurm_opt.c that one of the three has a function for), and topomap's own. A row that
 * differs between programs or releases is there several times. */
static const plugin_slurm_option rows[] = {
    {"accel-bind", 0, VALUE, SRUN, 0, 0},
    {"account", 'A', VALUE, ALL, 0, 0},
    {"acctg-freq", 0, VALUE, ALL, 0, 0},
    {"array", 'a', VALUE, SBATCH, 0, 0},
    {"async", 0, NONE, SRUN, 2605, 0},
    {"autocomplete", 0, VALUE, ALL, 2302, 0},
    {"batch", 0, VALUE, SBATCH, 0, 0},
    {"bb", 0, VALUE, ALL, 0, 0},
    {"bbf", 0, VALUE, ALL, 0, 0},
    {"bcast", 0, MAYBE, SRUN, 0, 0},
    {"bcast-exclude", 0, VALUE, SRUN, 0, 0},
    {"begin", 'b', VALUE, ALL, 0, 0},
    {"bell", 0, NONE, SALLOC, 0, 0},
    {"chdir", 'D', VALUE, ALL, 0, 0},
    {"cluster", 0, VALUE, ALL, 0, 0},
    {"cluster-constraint", 0, VALUE, ALL, 0, 0},
    {"clusters", 'M', VALUE, ALL, 0, 0},
    {"comment", 0, VALUE, ALL, 0, 0},
    {"compress", 0, MAYBE, SRUN, 0, 0},
    {"consolidate-segments", 0, NONE, ALL, 2511, 0},
    {"constraint", 'C', VALUE, ALL, 0, 0},
    {"container", 0, VALUE, ALL, 0, 0},
    {"container-id", 0, VALUE, ALL, 2302, 0},
    {"container-type", 0, VALUE, ALL, 2605, 0},
    {"context", 0, VALUE, ALL, 0, 0},
    {"contiguous", 0, NONE, ALL, 0, 0},
    {"core-spec", 'S', VALUE, ALL, 0, 0},
    {"cores-per-socket", 0, VALUE, ALL, 0, 0},
    {"cpu-bind", 0, VALUE, SRUN, 0, 0},
    {"cpu-freq", 0, VALUE, ALL, 0, 0},
    {"cpu_bind", 0, VALUE, SRUN, 0, 0},
    {"cpus-per-gpu", 0, VALUE, ALL, 0, 0},
    {"cpus-per-task", 'c', VALUE, ALL, 0, 0},
    {"deadline", 0, VALUE, ALL, 0, 0},
    {"debugger-test", 0, NONE, SRUN, 0, 0},
    {"delay-boot", 0, VALUE, ALL, 0, 0},
    {"dependency", 'd', VALUE, ALL, 0, 0},
    {"disable-status", 'X', NONE, SRUN, 0, 0},
    {"distribution", 'm', VALUE, ALL, 0, 0},
    {"epilog", 0, VALUE, SRUN, 0, 0},
    {"error", 'e', VALUE, SRUN | SBATCH, 0, 0},
    {"exact", 0, NONE, SRUN, 0, 0},
    {"exclude", 'x', VALUE, ALL, 0, 0},
    {"exclusive", 0, MAYBE, ALL, 0, 0},
    {"export", 0, VALUE, SRUN | SBATCH, 0, 0},
    {"export-file", 0, VALUE, SBATCH, 0, 2302},
    {"export-file", 0, VALUE, SBATCH, 2405, 0},
    {"external", 0, NONE, SBATCH, 2505, 0},
    {"external-launcher", 0, NONE, SRUN, 2311, 2311},
    {"external-launcher", 0, MAYBE, SRUN, 2405, 0},
    {"extra", 0, VALUE, ALL, 2302, 0},
    {"extra-node-info", 'B', VALUE, ALL, 0, 0},
    {"get-user-env", 0, MAYBE, SALLOC | SBATCH, 0, 2405},
    {"get-user-env", 0, MAYBE, SBATCH, 2411, 2411},
    {"get-user-env", 0, NONE, SBATCH, 2505, 0},
    {"gid", 0, VALUE, ALL, 0, 2302},
    {"gid", 0, VALUE, SBATCH, 2311, 0},
    {"gpu-bind", 0, VALUE, ALL, 0, 0},
    {"gpu-freq", 0, VALUE, ALL, 0, 0},
    {"gpus", 'G', VALUE, ALL, 0, 0},
    {"gpus-per-node", 0, VALUE, ALL, 0, 0},
    {"gpus-per-socket", 0, VALUE, ALL, 0, 0},
    {"gpus-per-task", 0, VALUE, ALL, 0, 0},
    {"gres", 0, VALUE, ALL, 0, 0},
    {"gres-flags", 0, VALUE, ALL, 0, 0},
    {"help", 'h', NONE, ALL, 0, 0},
    {"het-group", 0, VALUE, SRUN, 0, 0},
    {"hint", 0, VALUE, ALL, 0, 0},
    {"hold", 'H', NONE, ALL, 0, 0},
    {"ignore-pbs", 0, NONE, SBATCH, 0, 0},
    {"ignore-signals", 0, VALUE, SRUN, 2605, 0},
    {"immediate", 'I', MAYBE, SRUN | SALLOC, 0, 0},
    {"input", 'i', VALUE, SRUN | SBATCH, 0, 0},
    {"interactive", 0, NONE, SRUN, 0, 0},
    {"job-name", 'J', VALUE, ALL, 0, 0},
    {"jobid", 0, VALUE, SRUN, 0, 0},
    {"kill-command", 'K', MAYBE, SALLOC, 0, 0},
    {"kill-on-bad-exit", 'K', MAYBE, SRUN, 0, 0},
    {"kill-on-invalid-dep", 0, VALUE, SBATCH, 0, 0},
    {"label", 'l', NONE, SRUN, 0, 0},
    {"licenses", 'L', VALUE, ALL, 0, 0},
    {"mail-type", 0, VALUE, ALL, 0, 0},
    {"mail-user", 0, VALUE, ALL, 0, 0},
    {"mcs-label", 0, VALUE, ALL, 0, 0},
    {"mem", 0, VALUE, ALL, 0, 0},
    {"mem-bind", 0, VALUE, ALL, 0, 0},
    {"mem-per-cpu", 0, VALUE, ALL, 0, 0},
    {"mem-per-gpu", 0, VALUE, ALL, 0, 0},
    {"mem-update", 0, VALUE, ALL, 2605, 0},
    {"mincpus", 0, VALUE, ALL, 0, 0},
    {"mpi", 0, VALUE, SRUN, 0, 0},
    {"msg-timeout", 0, VALUE, SRUN, 0, 0},
    {"multi-prog", 0, NONE, SRUN, 0, 0},
    {"network", 0, VALUE, ALL, 0, 0},
    {"nice", 0, MAYBE, ALL, 0, 0},
    {"no-allocate", 'Z', NONE, SRUN, 0, 0},
    {"no-bell", 0, NONE, SALLOC, 0, 0},
    {"no-kill", 'k', MAYBE, ALL, 0, 0},
    {"no-requeue", 0, NONE, SBATCH, 0, 0},
    {"no-shell", 0, NONE, SALLOC, 0, 0},
    {"nodefile", 'F', VALUE, ALL, 0, 0},
    {"nodelist", 'w', VALUE, ALL, 0, 0},
    {"nodes", 'N', VALUE, ALL, 0, 0},
    {"ntasks", 'n', VALUE, ALL, 0, 0},
    {"ntasks-per-core", 0, VALUE, ALL, 0, 0},
    {"ntasks-per-gpu", 0, VALUE, ALL, 0, 0},
    {"ntasks-per-node", 0, VALUE, ALL, 0, 0},
    {"ntasks-per-socket", 0, VALUE, ALL, 0, 0},
    {"ntasks-per-tres", 0, VALUE, ALL, 0, 0},
    {"oom-kill-step", 0, MAYBE, ALL, 2411, 0},
    {"open-mode", 0, VALUE, SRUN | SBATCH, 0, 0},
    {"output", 'o', VALUE, SRUN | SBATCH, 0, 0},
    {"overcommit", 'O', NONE, ALL, 0, 0},
    {"overlap", 0, MAYBE, SRUN, 0, 0},
    {"oversubscribe", 's', NONE, ALL, 0, 0},
    {"pack-group", 0, VALUE, SRUN, 0, 0},
    {"parsable", 0, NONE, SBATCH, 0, 2511},
    {"parsable", 0, NONE, SRUN | SBATCH, 2605, 0},
    {"partition", 'p', VALUE, ALL, 0, 0},
    {"power", 0, VALUE, ALL, 0, 2311},
    {"prefer", 0, VALUE, ALL, 0, 0},
    {"preserve-env", 'E', NONE, SRUN, 0, 0},
    {"priority", 0, VALUE, ALL, 0, 0},
    {"profile", 0, VALUE, ALL, 0, 0},
    {"prolog", 0, VALUE, SRUN, 0, 0},
    {"propagate", 0, MAYBE, SRUN | SBATCH, 0, 0},
    {"pty", 0, NONE, SRUN, 0, 2205},
    {"pty", 0, MAYBE, SRUN, 2302, 0},
    {"qos", 'q', VALUE, ALL, 0, 0},
    {"quiet", 'Q', NONE, ALL, 0, 0},
    {"quit-on-interrupt", 0, NONE, SRUN, 0, 0},
    {"reboot", 0, NONE, ALL, 0, 0},
    {"relative", 'r', VALUE, SRUN, 0, 0},
    {"requeue", 0, NONE, SBATCH, 0, 2505},
    {"requeue", 0, MAYBE, SBATCH, 2511, 0},
    {"reservation", 0, VALUE, ALL, 0, 0},
    {"resources", 0, VALUE, ALL, 2511, 0},
    {"resv-ports", 0, MAYBE, SRUN, 0, 2311},
    {"resv-ports", 0, MAYBE, ALL, 2405, 0},
    {"segment", 0, VALUE, ALL, 2405, 0},
    {"send-libs", 0, MAYBE, SRUN, 0, 0},
    {"signal", 0, VALUE, ALL, 0, 0},
    {"slurmd-debug", 0, VALUE, SRUN, 0, 0},
    {"sockets-per-node", 0, VALUE, ALL, 0, 0},
    {"spread-job", 0, NONE, ALL, 0, 0},
    {"spread-segments", 0, NONE, ALL, 2511, 0},
    {"stepmgr", 0, NONE, ALL, 2405, 0},
    {"switches", 0, VALUE, ALL, 0, 0},
    {"task-epilog", 0, VALUE, SRUN, 0, 0},
    {"task-prolog", 0, VALUE, SRUN, 0, 0},
    {"tasks-per-node", 0, VALUE, ALL, 0, 0},
    {"test-only", 0, NONE, SRUN | SBATCH, 0, 0},
    {"thread-spec", 0, VALUE, ALL, 0, 0},
    {"threads", 'T', VALUE, SRUN, 0, 0},
    {"threads-per-core", 0, VALUE, ALL, 0, 0},
    {"time", 't', VALUE, ALL, 0, 0},
    {"time-min", 0, VALUE, ALL, 0, 0},
    {"tmp", 0, VALUE, ALL, 0, 0},
    {"topomap", 0, VALUE, ALL, 0, 0},
    {"topomap-explain", 0, MAYBE, ALL, 0, 0},
    {"topomap-options", 0, VALUE, ALL, 0, 0},
    {"treewidth", 0, VALUE, SRUN, 2311, 0},
    {"tres-bind", 0, VALUE, ALL, 2311, 0},
    {"tres-per-task", 0, VALUE, ALL, 2302, 0},
    {"uid", 0, VALUE, ALL, 0, 2302},
    {"uid", 0, VALUE, SBATCH, 2311, 0},
    {"unbuffered", 'u', NONE, SRUN, 0, 0},
    {"usage", 0, NONE, ALL, 0, 0},
    {"use-min-nodes", 0, NONE, ALL, 0, 0},
    {"verbose", 'v', NONE, ALL, 0, 0},
    {"version", 'V', NONE, ALL, 0, 0},
    {"wait", 'W', NONE, SBATCH, 0, 0},
    {"wait", 'W', VALUE, SRUN, 0, 0},
    {"wait-all-nodes", 0, VALUE, SALLOC | SBATCH, 0, 0},
    {"wait-for-children", 0, NONE, SRUN, 2505, 0},
    {"wckey", 0, VALUE, ALL, 0, 0},
    {"whole", 0, NONE, SRUN, 0, 0},
    {"wrap", 0, VALUE, SBATCH, 0, 0},
    {"x11", 0, MAYBE, SRUN | SALLOC, 0, 0}, /* but where Slurm is built without */
};

static const size_t row_count = sizeof rows / sizeof *rows;

unsigned plugin_slurm_release(void)
{
    return SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER) * 100 +
           SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER);
}

static int is_in(const plugin_slurm_option *row, enum plugin_program program, unsigned release)
{
    return (row->programs & program) && release >= row->first &&
           (!row->last || release <= row->last);
}

const plugin_slurm_option *plugin_slurm_option_named(enum plugin_program program, unsigned release,
                                                     const char *name, size_t length)
{
    const plugin_slurm_option *found = NULL;
    int several = 0;

    for (size_t i = 0; i < row_count; i++) {
        if (strncmp(rows[i].name, name, length) != 0 || !is_in(&rows[i], program, release))
            continue;
        if (!rows[i].name[length])
            return &rows[i];
        several |= found != NULL;
        found = &rows[i];
    }
    return several ? NULL : found;
}

const plugin_slurm_option *plugin_slurm_option_lettered(enum plugin_program program,
                                                        unsigned release, char letter)
{
    for (size_t i = 0; letter && i < row_count; i++)
        if (rows[i].letter == letter && is_in(&rows[i], program, release))
            return &rows[i];
    return NULL;
}

const plugin_slurm_option *plugin_slurm_option_row(size_t index)
{
    return index < row_count ? &rows[index] : NULL;
}
