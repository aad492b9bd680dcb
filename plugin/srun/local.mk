# SPDX-License-Identifier: BSD-3-Clause
# In srun, before the launch: what is asked, what Slurm knows of the step, the planner's answer put into place.
plugin_libspank_la_SOURCES += \
  plugin/srun/async.c plugin/srun/srun.h plugin/srun/breaker.c \
  plugin/srun/distribution.c plugin/srun/facts.c \
  plugin/srun/gpu_options.c \
  plugin/srun/job.c plugin/srun/slurm_layout.c plugin/srun/checked_memory.c \
  plugin/srun/options.c plugin/srun/procmap.c \
  plugin/srun/slurm_options.c plugin/srun/slurm_options.h plugin/srun/step.c \
  plugin/srun/step_request.c plugin/srun/command_line.c
