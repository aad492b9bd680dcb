# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of what a mapping is measured by.
check_PROGRAMS += tests/unit/metric/test_congestion tests/unit/metric/test_bound tests/unit/metric/test_time
TESTS += tests/unit/metric/test_congestion tests/unit/metric/test_bound tests/unit/metric/test_time

tests_unit_metric_test_congestion_SOURCES = tests/unit/metric/test_congestion.c tests/unit/metric/inputs.h \
  tests/unit/cables.h
tests_unit_metric_test_congestion_LDADD = $(UNIT_LIBS) -lm
tests_unit_metric_test_bound_SOURCES = tests/unit/metric/test_bound.c tests/unit/graph/graphs.c tests/unit/graph/graphs.h \
  tests/unit/scratch.c tests/unit/scratch.h
tests_unit_metric_test_bound_LDADD = $(UNIT_LIBS) -lm
tests_unit_metric_test_time_SOURCES = tests/unit/metric/test_time.c tests/unit/metric/inputs.h
tests_unit_metric_test_time_LDADD = $(UNIT_LIBS) -lm
check_PROGRAMS += tests/unit/metric/test_cost
TESTS += tests/unit/metric/test_cost
tests_unit_metric_test_cost_SOURCES = tests/unit/metric/test_cost.c tests/unit/metric/inputs.h
tests_unit_metric_test_cost_LDADD = $(UNIT_LIBS) -lm
