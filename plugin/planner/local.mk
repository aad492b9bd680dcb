# The planner: a process of its own, started by the plugin for each step.
pkglibexec_PROGRAMS += plugin/topomap-planner
plugin_topomap_planner_SOURCES = plugin/planner/main.c \
  plugin/planner/request.c plugin/planner/request.h \
  plugin/planner/decide.c plugin/planner/decide.h \
  plugin/planner/profile.c plugin/planner/profile.h
plugin_topomap_planner_LDADD = topology-db/libdb.la lib/libcore.la

check_PROGRAMS += tests/unit/test_stored_profile
tests_unit_test_stored_profile_SOURCES = tests/unit/test_stored_profile.c \
  plugin/planner/profile.c plugin/planner/profile.h
tests_unit_test_stored_profile_LDADD = topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
TESTS += tests/unit/test_stored_profile
