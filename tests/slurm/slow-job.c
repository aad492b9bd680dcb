/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into srun: a slurmctld that does not answer when it is asked for a job. */
#include <slurm/slurm.h>
#include <unistd.h>

__attribute__((visibility("default"))) int slurm_load_job(job_info_msg_t **answer, uint32_t job,
                                                          uint16_t flags)
{
    (void)answer, (void)job, (void)flags;
    sleep(600);
    return -1;
}
