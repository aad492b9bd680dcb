/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tasks of a step find in their environment, and how it gets there. */
#pragma once

#define PLUGIN_ENV_APPLIED "TOPOMAP_APPLIED"
#define PLUGIN_ENV_PLAN_ID "TOPOMAP_PLAN_ID"
#define PLUGIN_ENV_GAIN "TOPOMAP_GAIN"
#define PLUGIN_ENV_BINDINGS "TOPOMAP_BINDINGS"
/* Instead of it, where the bindings came in a file: its note (spool.h). */
#define PLUGIN_ENV_SPOOL "TOPOMAP_SPOOL"

/* From srun to slurmstepd: with --export=NONE or a list of names, only SLURM_ and SPANK_ names
 * pass (env_array_merge_slurm_spank in src/common/env.c). PLAN is "applied plan-id gain", with "-"
 * for what is not known, and "quiet" behind it where the user has not asked for topomap. */
#define PLUGIN_ENV_CARRIED_PLAN "SLURM_TOPOMAP_PLAN"
#define PLUGIN_PLAN_QUIET "quiet"
#define PLUGIN_ENV_CARRIED_BINDINGS "SLURM_TOPOMAP_BINDINGS"
/* Where bindings are that are too long for it: a note of spool.h. Beside it, for nodes that cannot
 * read the file, the same CPUs dealt out in order: bindings that are short. */
#define PLUGIN_ENV_CARRIED_SPOOL "SLURM_TOPOMAP_SPOOL"
#define PLUGIN_ENV_CARRIED_IN_ORDER "SLURM_TOPOMAP_IN_ORDER"

/* Which NICs tasks are next to (plan/node_plan.h), and what each task finds of it: names, commas
 * between. */
#define PLUGIN_ENV_CARRIED_NICS "SLURM_TOPOMAP_NICS"
#define PLUGIN_ENV_NIC "TOPOMAP_NIC"

/* A task that is bound next to a GPU of its own finds which, by Slurm's index on its node: where
 * the cgroup constrains devices SLURM_STEP_GPUS does not tell. */
#define PLUGIN_ENV_GPU "TOPOMAP_GPU"

/* The node of rank 0. */
#define PLUGIN_ENV_CARRIED_MASTER "SLURM_TOPOMAP_MASTER"
#define PLUGIN_ENV_MASTER "TOPOMAP_MASTER_ADDR"

/* "format version" of what travels (format.h). */
#define PLUGIN_ENV_CARRIED_FORMAT "SLURM_TOPOMAP_FORMAT"

/* A step that is to be profiled: preload.h. And what its tasks find, beside LD_PRELOAD: the number
 * of the descriptor of the memory in which they leave what they saw (parts.h). PROFILE is a file
 * that a user names who profiles himself. */
#define PLUGIN_ENV_CARRIED_PROFILE "SLURM_TOPOMAP_PROFILE"
#define PLUGIN_ENV_PROFILE "TOPOMAP_PROFILE"
#define PLUGIN_ENV_PROFILE_MEMORY "TOPOMAP_PROFILE_MEMORY"
#define PLUGIN_ENV_NCCL_PROFILER "NCCL_PROFILER_PLUGIN" /* NCCL's own */

/* How a job's options reach the steps inside it: what sbatch or salloc was told, and where it was
 * called: a graph's relative path is meant from there. EXPLAIN is a path, or empty for standard
 * error. */
#define PLUGIN_ENV_JOB_TOPOMAP "SLURM_TOPOMAP"
#define PLUGIN_ENV_JOB_OPTIONS "SLURM_TOPOMAP_OPTIONS"
#define PLUGIN_ENV_JOB_EXPLAIN "SLURM_TOPOMAP_EXPLAIN"
#define PLUGIN_ENV_JOB_FOLDER "SLURM_TOPOMAP_FOLDER"

/* "job.step" of a step whose tasks must not run. */
#define PLUGIN_ENV_REFUSED "SLURM_TOPOMAP_REFUSED"

/* Linux takes 128 KiB a variable (MAX_ARG_STRLEN); a task whose environment has more does not
 * start. */
enum { PLUGIN_ENV_MOST = 96 << 10 };
