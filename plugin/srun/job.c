/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPONENTS_MOST = 1024, NAME_SIZE = 64 };

static const char *get(const char *name, const char *suffix)
{
    char full[NAME_SIZE];
    const char *value;

    snprintf(full, sizeof full, "%s%s", name, suffix);
    value = getenv(full);
    if (!value || !*value)
        return NULL;
    for (const char *c = value; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 127)
            return NULL;
    return value;
}

static int is_job(const char *suffix, uint32_t job)
{
    const char *id = get("SLURM_JOB_ID", suffix);

    return id && strtoul(id, NULL, 10) == job;
}

/* srun sets SLURM_JOB_CPUS_PER_NODE before this hook runs, in a job of its own too
 * (_set_env_vars in src/srun/srun_job.c). The components of a heterogeneous job have theirs behind
 * salloc's and sbatch's or srun's own suffix, and then the plain ones are of several.
 * \return nonzero and the suffix of the job's variables, or 0 */
static int find_suffix(uint32_t job, char suffix[NAME_SIZE])
{
    static const char *const kinds[] = {"_HET_GROUP_", "_PACK_GROUP_"};
    int components = 0;

    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (int i = 0; i < COMPONENTS_MOST; i++, components++) {
            snprintf(suffix, NAME_SIZE, "%s%d", kinds[kind], i);
            if (is_job(suffix, job))
                return 1;
            if (!get("SLURM_JOB_ID", suffix))
                break;
        }
    *suffix = '\0';
    return !components && is_job(suffix, job);
}

static void write_cpus(FILE *out, uint32_t job)
{
    char suffix[NAME_SIZE];
    const char *cpus, *nodes;

    if (!find_suffix(job, suffix) || !(cpus = get("SLURM_JOB_CPUS_PER_NODE", suffix)))
        return;
    fprintf(out, "job-cpus %s\n", cpus);
    nodes = get("SLURM_JOB_NODELIST", suffix);
    if (nodes) /* in a job of srun's own it is not there, and the step has all of the nodes */
        fprintf(out, "job-nodes %s\n", nodes);
}

/* The folder of this srun. \return 0 where it is not known */
static int own_folder(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    if (!slash || strpbrk(path, ":\n"))
        return 0;
    *slash = '\0';
    return 1;
}

/* The scontrol that belongs to this srun lies beside it, or where configure has found Slurm. */
static void write_scontrol(FILE *out, const char *site)
{
    static const char built_for[] = SLURM_BINDIR;
    char own[PATH_MAX];
    int has_own = !site && own_folder(own, sizeof own);
    int has_built = !site && *built_for && !(has_own && !strcmp(own, built_for));

    if (site)
        fprintf(out, "scontrol %s\n", site);
    else if (has_own || has_built)
        fprintf(out, "scontrol %s%s%s%s%s\n", has_own ? own : "", has_own ? "/scontrol" : "",
                has_own && has_built ? ":" : "", has_built ? built_for : "",
                has_built ? "/scontrol" : "");
}

void plugin_job_write(FILE *out, uint32_t job, const plugin_args *args)
{
    write_cpus(out, job);
    if (args->scontrol && !strcmp(args->scontrol, "none"))
        return;
    write_scontrol(out, args->scontrol);
    fprintf(out, "scontrol-time %u.%03u\n", args->deadline_ms / 4 / 1000,
            args->deadline_ms / 4 % 1000);
}
