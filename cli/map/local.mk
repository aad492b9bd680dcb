# SPDX-License-Identifier: BSD-3-Clause
# `topomap map` and `eval`. The planner runs the same library.
cli_topomap_SOURCES += cli/map/map.h cli/map/map.c cli/map/plan.c cli/map/replay.c cli/map/result.c cli/map/slurm_order.c cli/map/target.c cli/map/time_costs.c
