# SPDX-License-Identifier: BSD-3-Clause
# `topomap run`: other launchers than srun start a plan.
cli_topomap_SOURCES += cli/run/run.h cli/run/run.c cli/run/settings.c cli/run/auto.c cli/run/allocation.c cli/run/launcher.c cli/run/folder.c cli/run/process.c cli/run/step.c
