# SPDX-License-Identifier: BSD-3-Clause
# A plan, from a request: inputs, decision, answer. `topomap map` calls it, too.
noinst_LTLIBRARIES += plugin/planner/libplanner.la
plugin_planner_libplanner_la_SOURCES = plugin/planner/plan/gpus.c plugin/planner/plan/plan.h \
  plugin/planner/plan/gpu_search.c \
  plugin/planner/plan/gpu_order.c \
  plugin/planner/plan/gpu_machine.c \
  plugin/planner/plan/gpu_tasks.c \
  plugin/planner/plan/gpu_cores.c \
  plugin/planner/plan/assign_nics.c \
  plugin/planner/plan/choose_objective.c \
  plugin/planner/plan/layout_candidates.c \
  plugin/planner/plan/inputs.c \
  plugin/planner/plan/constraints.c \
  plugin/planner/plan/profile_graph.c \
  plugin/planner/plan/decide.c \
  plugin/planner/plan/answer.c \
  plugin/planner/plan/read_record.c
plugin_planner_libplanner_la_LIBADD = plugin/libchild.la

include plugin/planner/request/local.mk
