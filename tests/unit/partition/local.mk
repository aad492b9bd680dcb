# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of partitions.
check_PROGRAMS += tests/unit/partition/test_balance
TESTS += tests/unit/partition/test_balance

tests_unit_partition_test_balance_SOURCES = tests/unit/partition/test_balance.c
tests_unit_partition_test_balance_LDADD = $(UNIT_LIBS)
check_PROGRAMS += tests/unit/partition/test_small
TESTS += tests/unit/partition/test_small

tests_unit_partition_test_small_SOURCES = tests/unit/partition/test_small.c
tests_unit_partition_test_small_LDADD = $(UNIT_LIBS)
