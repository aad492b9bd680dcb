# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of GPUs: how the planner sees them, and what the hooks of slurmstepd do with them.
GPU_TESTS = tests/unit/plugin/gpus/test_gpu_order tests/unit/plugin/gpus/test_gres_conf tests/unit/plugin/gpus/test_hooks_gpus
check_PROGRAMS += $(GPU_TESTS)
TESTS += $(GPU_TESTS)

tests_unit_plugin_gpus_test_gpu_order_SOURCES = tests/unit/plugin/gpus/test_gpu_order.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_gpus_test_gpu_order_CPPFLAGS = $(AM_CPPFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
tests_unit_plugin_gpus_test_gpu_order_LDADD = plugin/planner/libplanner.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_gpus_test_gres_conf_SOURCES = tests/unit/plugin/gpus/test_gres_conf.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_gpus_test_gres_conf_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_gpus_test_hooks_gpus_SOURCES = tests/unit/plugin/gpus/test_hooks_gpus.c tests/unit/plugin/hook_node.c \
  tests/unit/plugin/hook_node.h $(HOOK_SOURCES)
tests_unit_plugin_gpus_test_hooks_gpus_CPPFLAGS = $(tests_unit_plugin_test_hooks_node_CPPFLAGS)
tests_unit_plugin_gpus_test_hooks_gpus_DEPENDENCIES = $(tests_unit_plugin_test_hooks_node_DEPENDENCIES)
tests_unit_plugin_gpus_test_hooks_gpus_LDADD = $(HOOK_LIBS)
