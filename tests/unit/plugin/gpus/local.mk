# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of how the planner sees GPUs.
GPU_TESTS = tests/unit/plugin/gpus/test_gpu_order tests/unit/plugin/gpus/test_gres_conf
check_PROGRAMS += $(GPU_TESTS)
TESTS += $(GPU_TESTS)

tests_unit_plugin_gpus_test_gpu_order_SOURCES = tests/unit/plugin/gpus/test_gpu_order.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_gpus_test_gpu_order_CPPFLAGS = $(AM_CPPFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
tests_unit_plugin_gpus_test_gpu_order_LDADD = plugin/planner/libplanner.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
tests_unit_plugin_gpus_test_gres_conf_SOURCES = tests/unit/plugin/gpus/test_gres_conf.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_plugin_gpus_test_gres_conf_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
