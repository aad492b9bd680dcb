# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of the plugin, its planner, its store and its helper.
PLUGIN_TESTS = \
  tests/unit/plugin/test_program \
  tests/unit/plugin/test_libraries \
  tests/unit/plugin/test_program_cost \
  tests/unit/plugin/test_store \
  tests/unit/plugin/test_store_tidy \
  tests/unit/plugin/test_join \
  tests/unit/plugin/test_loaded \
  tests/unit/plugin/test_trust \
  tests/unit/plugin/test_record \
  tests/unit/plugin/test_plugin \
  tests/unit/plugin/test_child \
  tests/unit/plugin/test_breaker \
  tests/unit/plugin/test_drop_privileges \
  tests/unit/plugin/test_command_line \
  tests/unit/plugin/test_spool \
  tests/unit/plugin/test_hooks_node \
  tests/unit/plugin/test_hooks_moved \
  tests/unit/plugin/test_hooks_srun \
  tests/unit/plugin/test_standard_error \
  tests/unit/plugin/test_stored_profile \
  tests/unit/plugin/test_scontrol \
  tests/unit/plugin/test_planner_memory \
  tests/unit/plugin/test_reader_sandbox \
  tests/unit/plugin/test_explanation \
  tests/unit/plugin/test_writers \
  tests/unit/plugin/test_spool_tidy \
  tests/unit/plugin/test_part_memory \
  tests/unit/plugin/test_layouts
check_PROGRAMS += $(PLUGIN_TESTS)
TESTS += $(PLUGIN_TESTS)

STORE_LIBS = plugin/store/libstore.la lib/libcore.la $(CMOCKA_LIBS)
IMAGES = tests/unit/plugin/images.c tests/unit/plugin/images.h
tests_unit_plugin_test_program_SOURCES = tests/unit/plugin/test_program.c $(IMAGES)
tests_unit_plugin_test_program_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_libraries_SOURCES = tests/unit/plugin/test_libraries.c $(IMAGES)
tests_unit_plugin_test_libraries_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_program_cost_SOURCES = tests/unit/plugin/test_program_cost.c $(IMAGES)
tests_unit_plugin_test_program_cost_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_record_SOURCES = tests/unit/plugin/test_record.c tests/unit/plugin/fake_clock.c tests/unit/plugin/fake_clock.h
tests_unit_plugin_test_record_LDADD = plugin/librecord.la plugin/store/libstore.la lib/libcore.la $(CMOCKA_LIBS)
STORES = tests/unit/plugin/stores.c tests/unit/plugin/stores.h
tests_unit_plugin_test_store_SOURCES = tests/unit/plugin/test_store.c $(STORES)
tests_unit_plugin_test_store_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_store_tidy_SOURCES = tests/unit/plugin/test_store_tidy.c tests/unit/plugin/fake_clock.c \
  tests/unit/plugin/fake_clock.h $(STORES)
tests_unit_plugin_test_store_tidy_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_join_SOURCES = tests/unit/plugin/test_join.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_join_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_loaded_SOURCES = tests/unit/plugin/test_loaded.c $(STORES)
tests_unit_plugin_test_loaded_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_trust_SOURCES = tests/unit/plugin/test_trust.c $(STORES)
tests_unit_plugin_test_trust_LDADD = $(STORE_LIBS)
tests_unit_plugin_test_plugin_SOURCES = tests/unit/plugin/test_plugin.c
tests_unit_plugin_test_plugin_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_unit_plugin_test_plugin_LDADD = plugin/libspank.la $(CMOCKA_LIBS)
tests_unit_plugin_test_child_SOURCES = tests/unit/plugin/test_child.c
tests_unit_plugin_test_child_LDADD = plugin/libspank.la $(CMOCKA_LIBS)
tests_unit_plugin_test_breaker_SOURCES = tests/unit/plugin/test_breaker.c
tests_unit_plugin_test_breaker_LDADD = plugin/libspank.la $(CMOCKA_LIBS)
tests_unit_plugin_test_drop_privileges_SOURCES = tests/unit/plugin/test_drop_privileges.c plugin/sandbox/decoder_sandbox.c plugin/sandbox/sandbox.h
tests_unit_plugin_test_drop_privileges_LDADD = plugin/libspank.la $(CMOCKA_LIBS)
tests_unit_plugin_test_command_line_SOURCES = tests/unit/plugin/test_command_line.c
tests_unit_plugin_test_command_line_LDADD = plugin/libspank.la $(CMOCKA_LIBS)
tests_unit_plugin_test_spool_SOURCES = tests/unit/plugin/test_spool.c
tests_unit_plugin_test_spool_LDADD = plugin/libspank.la $(CMOCKA_LIBS)
# The hooks, with Slurm and the kernel in the test's hands; the node's masks, and srun's faults.
HOOK_SOURCES = plugin/spank.c tests/unit/plugin/mock_slurm.c tests/unit/plugin/mock_slurm.h tests/unit/scratch.c \
  tests/unit/scratch.h
HOOK_OWN = plugin/libspank.la topology-db/libdb.la lib/libcore.la
HOOK_LIBS = $(HOOK_OWN) $(HWLOC_LIBS) $(CMOCKA_LIBS)
tests_unit_plugin_test_hooks_srun_SOURCES = tests/unit/plugin/test_hooks_srun.c tests/unit/plugin/hook_step.c \
  tests/unit/plugin/hook_step.h $(HOOK_SOURCES)
tests_unit_plugin_test_hooks_srun_CPPFLAGS = $(DB_TEST_CPPFLAGS) $(SLURM_CPPFLAGS) \
  -DREAL_PLANNER='"$(abs_top_builddir)/plugin/topomap-planner"' \
  -DFAKE_PLANNER='"$(abs_top_builddir)/tests/slurm/fake-planner"'
tests_unit_plugin_test_hooks_srun_LDADD = $(HOOK_LIBS)
tests_unit_plugin_test_standard_error_SOURCES = tests/unit/plugin/test_standard_error.c tests/unit/plugin/hook_step.c \
  tests/unit/plugin/hook_step.h $(HOOK_SOURCES)
tests_unit_plugin_test_standard_error_CPPFLAGS = $(tests_unit_plugin_test_hooks_srun_CPPFLAGS)
tests_unit_plugin_test_standard_error_LDADD = $(HOOK_LIBS)
tests_unit_plugin_test_hooks_node_SOURCES = tests/unit/plugin/test_hooks_node.c tests/unit/plugin/hook_node.c \
  tests/unit/plugin/hook_node.h $(HOOK_SOURCES)
tests_unit_plugin_test_hooks_node_CPPFLAGS = $(DB_TEST_CPPFLAGS) $(SLURM_CPPFLAGS) \
  -DNODE_HELPER='"$(abs_top_builddir)/plugin/topomap-node"'
tests_unit_plugin_test_hooks_node_DEPENDENCIES = $(HOOK_OWN) plugin/topomap-node$(EXEEXT)
tests_unit_plugin_test_hooks_node_LDADD = $(HOOK_LIBS)
tests_unit_plugin_test_hooks_moved_SOURCES = tests/unit/plugin/test_hooks_moved.c tests/unit/plugin/hook_node.c \
  tests/unit/plugin/hook_node.h $(HOOK_SOURCES)
tests_unit_plugin_test_hooks_moved_CPPFLAGS = $(tests_unit_plugin_test_hooks_node_CPPFLAGS)
tests_unit_plugin_test_hooks_moved_DEPENDENCIES = $(tests_unit_plugin_test_hooks_node_DEPENDENCIES)
tests_unit_plugin_test_hooks_moved_LDADD = $(HOOK_LIBS)
tests_unit_plugin_test_stored_profile_SOURCES = tests/unit/plugin/test_stored_profile.c
tests_unit_plugin_test_stored_profile_LDADD = plugin/planner/libplanner.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_layouts_SOURCES = tests/unit/plugin/test_layouts.c
tests_unit_plugin_test_layouts_LDADD = plugin/planner/libplanner.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_scontrol_SOURCES = tests/unit/plugin/test_scontrol.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_scontrol_LDADD = plugin/planner/libplanner.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_planner_memory_SOURCES = tests/unit/plugin/test_planner_memory.c plugin/planner/memory_limit.c plugin/planner/memory_limit.h \
  tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_planner_memory_LDADD = lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_reader_sandbox_SOURCES = tests/unit/plugin/test_reader_sandbox.c tests/unit/attempts.c tests/unit/attempts.h \
  tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_reader_sandbox_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_writers_SOURCES = tests/unit/plugin/test_writers.c
tests_unit_plugin_test_writers_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_explanation_SOURCES = tests/unit/plugin/test_explanation.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_explanation_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_spool_tidy_SOURCES = tests/unit/plugin/test_spool_tidy.c tests/unit/plugin/fake_clock.c tests/unit/plugin/fake_clock.h \
  tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_spool_tidy_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_test_part_memory_SOURCES = tests/unit/plugin/test_part_memory.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_test_part_memory_CPPFLAGS = $(AM_CPPFLAGS) -DNODE_HELPER='"$(abs_top_builddir)/plugin/topomap-node"'
tests_unit_plugin_test_part_memory_DEPENDENCIES = lib/libcore.la plugin/topomap-node$(EXEEXT)
tests_unit_plugin_test_part_memory_LDADD = $(UNIT_LIBS)
