# The planner: a process of its own, started by the plugin for each step. `topomap map --replay` runs
# the same code.
noinst_LTLIBRARIES += plugin/planner/libplanner.la
plugin_planner_libplanner_la_SOURCES = plugin/planner/request.c plugin/planner/request.h \
  plugin/planner/ask.c plugin/planner/ask.h \
  plugin/planner/scontrol.c plugin/planner/scontrol.h \
  plugin/planner/cores.c plugin/planner/cores.h \
  plugin/planner/inputs.c plugin/planner/inputs.h \
  plugin/planner/profile.c plugin/planner/profile.h \
  plugin/planner/decide.c plugin/planner/decide.h \
  plugin/planner/answer.c plugin/planner/answer.h \
  plugin/planner/record.c plugin/planner/record.h
plugin_planner_libplanner_la_LIBADD = plugin/libchild.la

# A launch, from what srun knows: policy, profiles and all that is in files.
noinst_LTLIBRARIES += plugin/planner/liblaunch.la
plugin_planner_liblaunch_la_SOURCES = plugin/planner/facts.c plugin/planner/facts.h \
  plugin/planner/verdict.c plugin/planner/verdict.h \
  plugin/planner/site.c plugin/planner/site.h \
  plugin/planner/settle.c plugin/planner/settle.h \
  plugin/planner/auto.c plugin/planner/auto.h \
  plugin/planner/compose.c plugin/planner/compose.h \
  plugin/planner/carry.c plugin/planner/carry.h \
  plugin/planner/cage.c plugin/planner/cage.h \
  plugin/planner/caged.c plugin/planner/caged.h plugin/common/filter.h \
  plugin/planner/explanation.c plugin/planner/explanation.h \
  plugin/planner/launch.c plugin/planner/launch.h \
  plugin/planner/keep.c plugin/planner/keep.h \
  plugin/planner/writers.c plugin/planner/writers.h \
  plugin/planner/end.c plugin/planner/end.h \
  plugin/common/spool.c plugin/common/spool_read.c plugin/common/spool_tidy.c plugin/common/spool.h
plugin_planner_liblaunch_la_LIBADD = plugin/librecord.la plugin/planner/libplanner.la plugin/libsite.la plugin/libreply.la \
  plugin/policy/libpolicy.la plugin/store/libstore.la
pkglibexec_PROGRAMS += plugin/topomap-planner
plugin_topomap_planner_SOURCES = plugin/planner/main.c plugin/common/oom.c plugin/common/oom.h plugin/planner/memory.c plugin/planner/memory.h
plugin_topomap_planner_LDFLAGS = $(program_link_flags)
plugin_topomap_planner_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la

check_PROGRAMS += tests/unit/plugin/test_stored_profile
tests_unit_plugin_test_stored_profile_SOURCES = tests/unit/plugin/test_stored_profile.c
tests_unit_plugin_test_stored_profile_LDADD = plugin/planner/libplanner.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
TESTS += tests/unit/plugin/test_stored_profile

check_PROGRAMS += tests/unit/plugin/test_scontrol
tests_unit_plugin_test_scontrol_SOURCES = tests/unit/plugin/test_scontrol.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_scontrol_LDADD = plugin/planner/libplanner.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
TESTS += tests/unit/plugin/test_scontrol

check_PROGRAMS += tests/unit/plugin/test_planner_memory
tests_unit_plugin_test_planner_memory_SOURCES = tests/unit/plugin/test_planner_memory.c plugin/planner/memory.c plugin/planner/memory.h \
  tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_planner_memory_LDADD = lib/libcore.la $(CMOCKA_LIBS)
TESTS += tests/unit/plugin/test_planner_memory

check_PROGRAMS += tests/unit/plugin/test_cage
tests_unit_plugin_test_cage_SOURCES = tests/unit/plugin/test_cage.c tests/unit/attempts.c tests/unit/attempts.h \
  tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_cage_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
TESTS += tests/unit/plugin/test_cage

check_PROGRAMS += tests/unit/plugin/test_explanation
tests_unit_plugin_test_explanation_SOURCES = tests/unit/plugin/test_explanation.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_explanation_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
TESTS += tests/unit/plugin/test_explanation

check_PROGRAMS += tests/unit/plugin/test_spool_tidy
tests_unit_plugin_test_spool_tidy_SOURCES = tests/unit/plugin/test_spool_tidy.c tests/unit/plugin/fake_clock.c tests/unit/plugin/fake_clock.h \
  tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_spool_tidy_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
TESTS += tests/unit/plugin/test_spool_tidy
