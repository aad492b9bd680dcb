# SPDX-License-Identifier: BSD-3-Clause
# The planner: a process of its own for each step, started by the plugin. `topomap map` runs the same code.
pkglibexec_PROGRAMS += plugin/topomap-planner
plugin_topomap_planner_SOURCES = plugin/planner/main.c plugin/planner/planner_algorithms.c plugin/common/oom.c plugin/common/child.h plugin/planner/memory_limit.c plugin/planner/memory_limit.h
plugin_topomap_planner_LDFLAGS = $(program_link_flags)
plugin_topomap_planner_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la

include plugin/planner/plan/local.mk
include plugin/planner/launch/local.mk
