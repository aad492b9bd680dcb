# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of what a plan says.
check_PROGRAMS += tests/unit/plan/test_nics tests/unit/plan/test_bindings tests/unit/plan/test_layout
TESTS += tests/unit/plan/test_nics tests/unit/plan/test_bindings tests/unit/plan/test_layout

tests_unit_plan_test_bindings_SOURCES = tests/unit/plan/test_bindings.c
tests_unit_plan_test_bindings_LDADD = lib/plan/libthin.la $(CMOCKA_LIBS)
tests_unit_plan_test_layout_SOURCES = tests/unit/plan/test_layout.c
tests_unit_plan_test_layout_LDADD = $(UNIT_LIBS)
tests_unit_plan_test_nics_SOURCES = tests/unit/plan/test_nics.c
tests_unit_plan_test_nics_LDADD = lib/plan/libthin.la $(CMOCKA_LIBS)
