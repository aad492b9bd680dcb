# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of deadlines, in virtual time: fake_clock.c takes the place of lib/util/clock.c.
LATE_TESTS = tests/unit/plugin/late/test_late_planner tests/unit/plugin/late/test_late_node
check_PROGRAMS += $(LATE_TESTS)
TESTS += $(LATE_TESTS)

LATE_SOURCES = tests/unit/plugin/late/late_peer.c tests/unit/plugin/late/late_peer.h tests/unit/plugin/fake_clock.c \
  tests/unit/plugin/fake_clock.h $(HOOK_SOURCES)
tests_unit_plugin_late_test_late_planner_SOURCES = tests/unit/plugin/late/test_late_planner.c tests/unit/plugin/hook_step.c \
  tests/unit/plugin/hook_step.h $(LATE_SOURCES)
tests_unit_plugin_late_test_late_planner_CPPFLAGS = $(tests_unit_plugin_test_hooks_srun_CPPFLAGS)
tests_unit_plugin_late_test_late_planner_LDADD = $(HOOK_LIBS)
tests_unit_plugin_late_test_late_node_SOURCES = tests/unit/plugin/late/test_late_node.c tests/unit/plugin/hook_node.c \
  tests/unit/plugin/hook_node.h $(LATE_SOURCES)
tests_unit_plugin_late_test_late_node_CPPFLAGS = $(tests_unit_plugin_test_hooks_node_CPPFLAGS)
tests_unit_plugin_late_test_late_node_DEPENDENCIES = $(tests_unit_plugin_test_hooks_node_DEPENDENCIES)
tests_unit_plugin_late_test_late_node_LDADD = $(HOOK_LIBS)
