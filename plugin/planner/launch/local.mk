# SPDX-License-Identifier: BSD-3-Clause
# A launch, from what srun knows: policy, profiles and all that is in files.
noinst_LTLIBRARIES += plugin/planner/liblaunch.la
plugin_planner_liblaunch_la_SOURCES = plugin/planner/launch/facts.c \
  plugin/planner/launch/resolve_placement.c \
  plugin/planner/launch/auto.c plugin/planner/launch/identify.c \
  plugin/planner/launch/compose_request.c \
  plugin/planner/launch/gres_conf.c \
  plugin/planner/launch/forward_bindings.c \
  plugin/sandbox/reader_sandbox.c plugin/sandbox/sandbox.h \
  plugin/planner/launch/sandbox_child.c plugin/sandbox/seccomp.h \
  plugin/planner/launch/explanation.c \
  plugin/planner/launch/launch.c plugin/planner/launch/launch.h \
  plugin/planner/launch/background_writers.c \
  plugin/planner/launch/end.c \
  plugin/common/spool.c plugin/common/spool_read.c plugin/common/spool_tidy.c plugin/common/spool.h
plugin_planner_liblaunch_la_LIBADD = plugin/libslurmlines.la plugin/librecord.la plugin/planner/libplanner.la plugin/libsite.la plugin/libreply.la \
  plugin/policy/libpolicy.la plugin/store/libstore.la
