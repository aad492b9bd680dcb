# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of kinds of networks.
check_PROGRAMS += tests/unit/fabric/kinds/test_kinds
TESTS += tests/unit/fabric/kinds/test_kinds

tests_unit_fabric_kinds_test_kinds_SOURCES = tests/unit/fabric/kinds/test_kinds.c
tests_unit_fabric_kinds_test_kinds_LDADD = $(UNIT_LIBS)
