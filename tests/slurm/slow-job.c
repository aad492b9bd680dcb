/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into srun: a slurmctld that does not answer when it is asked for a job. */
#include <slurm/slurm.h>
#include <unistd.h>

/* 26.05 asks for steps, too (slurm/slurm.h). */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
typedef slurm_step_id_t job_id;
#else
typedef uint32_t job_id;
#endif

__attribute__((visibility("default"))) int slurm_load_job(job_info_msg_t **answer, job_id job,
                                                          uint16_t flags)
{
    (void)answer, (void)job, (void)flags;
    sleep(600);
    return -1;
}
