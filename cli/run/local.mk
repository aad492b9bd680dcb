# SPDX-License-Identifier: BSD-3-Clause
# `topomap run`: other launchers than srun start a plan.
cli_topomap_SOURCES += cli/run/run.h cli/run/run_command.c cli/run/run_settings.c cli/run/run_auto.c cli/run/allocation.c cli/run/launcher.c cli/run/run_folder.c cli/run/process.c cli/run/run_step.c
