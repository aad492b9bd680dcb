# SPDX-License-Identifier: BSD-3-Clause
# What is asked: the request, and what scontrol tells of the job beside it.
plugin_planner_libplanner_la_SOURCES += plugin/planner/request/read_request.c plugin/planner/request/request.h \
  plugin/planner/request/scontrol.c \
  plugin/planner/request/job_cores.c
