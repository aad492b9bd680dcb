# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of fabrics in memory.
check_PROGRAMS += tests/unit/fabric/test_fabric
TESTS += tests/unit/fabric/test_fabric

tests_unit_fabric_test_fabric_SOURCES = tests/unit/fabric/test_fabric.c
tests_unit_fabric_test_fabric_LDADD = $(UNIT_LIBS)
