# SPDX-License-Identifier: BSD-3-Clause
# A plan, from a request: inputs, decision, answer. `topomap map` calls it, too.
noinst_LTLIBRARIES += plugin/planner/libplanner.la
plugin_planner_libplanner_la_SOURCES = plugin/planner/plan/gpus.c plugin/planner/plan/gpus.h \
  plugin/planner/plan/gpu_search.c plugin/planner/plan/gpu_search.h \
  plugin/planner/plan/gpu_order.c plugin/planner/plan/gpu_order.h \
  plugin/planner/plan/gpu_machine.c plugin/planner/plan/gpu_machine.h \
  plugin/planner/plan/gpu_tasks.c plugin/planner/plan/gpu_tasks.h \
  plugin/planner/plan/gpu_cores.c plugin/planner/plan/gpu_cores.h \
  plugin/planner/plan/node_tasks.c plugin/planner/plan/node_tasks.h \
  plugin/planner/plan/nics.c plugin/planner/plan/nics.h \
  plugin/planner/plan/objective.c plugin/planner/plan/objective.h \
  plugin/planner/plan/layouts.c plugin/planner/plan/layouts.h \
  plugin/planner/plan/inputs.c plugin/planner/plan/inputs.h \
  plugin/planner/plan/constraints.c plugin/planner/plan/constraints.h \
  plugin/planner/plan/profile.c plugin/planner/plan/profile.h \
  plugin/planner/plan/judge_layout.c plugin/planner/plan/judge_layout.h plugin/planner/plan/decide.c plugin/planner/plan/decide.h \
  plugin/planner/plan/answer.c plugin/planner/plan/answer.h \
  plugin/planner/plan/record.c plugin/planner/plan/record.h
plugin_planner_libplanner_la_LIBADD = plugin/libchild.la

include plugin/planner/request/local.mk
