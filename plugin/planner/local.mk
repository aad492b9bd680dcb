# The planner: a process of its own, started by the plugin for each step. `topomap map --replay` runs
# the same code.
noinst_LTLIBRARIES += plugin/planner/libplanner.la
plugin_planner_libplanner_la_SOURCES = plugin/planner/plan/request.c plugin/planner/plan/request.h \
  plugin/planner/plan/ask.c plugin/planner/plan/ask.h \
  plugin/planner/plan/scontrol.c plugin/planner/plan/scontrol.h \
  plugin/planner/plan/cores.c plugin/planner/plan/cores.h \
  plugin/planner/plan/inputs.c plugin/planner/plan/inputs.h \
  plugin/planner/plan/profile.c plugin/planner/plan/profile.h \
  plugin/planner/plan/decide.c plugin/planner/plan/decide.h \
  plugin/planner/plan/answer.c plugin/planner/plan/answer.h \
  plugin/planner/plan/record.c plugin/planner/plan/record.h
plugin_planner_libplanner_la_LIBADD = plugin/libchild.la

# A launch, from what srun knows: policy, profiles and all that is in files.
noinst_LTLIBRARIES += plugin/planner/liblaunch.la
plugin_planner_liblaunch_la_SOURCES = plugin/planner/launch/facts.c plugin/planner/launch/facts.h \
  plugin/planner/launch/verdict.c plugin/planner/launch/verdict.h \
  plugin/planner/launch/site.c plugin/planner/launch/site.h \
  plugin/planner/launch/settle.c plugin/planner/launch/settle.h \
  plugin/planner/launch/auto.c plugin/planner/launch/auto.h \
  plugin/planner/launch/compose.c plugin/planner/launch/compose.h \
  plugin/planner/launch/carry.c plugin/planner/launch/carry.h \
  plugin/planner/launch/cage.c plugin/planner/launch/cage.h \
  plugin/planner/launch/caged.c plugin/planner/launch/caged.h plugin/common/filter.h \
  plugin/planner/launch/explanation.c plugin/planner/launch/explanation.h \
  plugin/planner/launch/launch.c plugin/planner/launch/launch.h \
  plugin/planner/launch/keep.c plugin/planner/launch/keep.h \
  plugin/planner/launch/writers.c plugin/planner/launch/writers.h \
  plugin/planner/launch/end.c plugin/planner/launch/end.h \
  plugin/common/spool.c plugin/common/spool_read.c plugin/common/spool_tidy.c plugin/common/spool.h
plugin_planner_liblaunch_la_LIBADD = plugin/librecord.la plugin/planner/libplanner.la plugin/libsite.la plugin/libreply.la \
  plugin/policy/libpolicy.la plugin/store/libstore.la
pkglibexec_PROGRAMS += plugin/topomap-planner
plugin_topomap_planner_SOURCES = plugin/planner/main.c plugin/common/oom.c plugin/common/oom.h plugin/planner/memory.c plugin/planner/memory.h
plugin_topomap_planner_LDFLAGS = $(program_link_flags)
plugin_topomap_planner_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la
