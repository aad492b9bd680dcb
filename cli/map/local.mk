# SPDX-License-Identifier: BSD-3-Clause
# `topomap map` and `eval`. The planner runs the same library.
cli_topomap_SOURCES += cli/map/map_command.h cli/map/map_command.c cli/map/map_plan.c cli/map/map_replay.c cli/map/map_result.c cli/map/map_order.c cli/map/map_inputs.c cli/map/map_time.c
