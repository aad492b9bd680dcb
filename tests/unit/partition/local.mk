# Unit tests of partitions.
check_PROGRAMS += tests/unit/partition/test_balance
TESTS += tests/unit/partition/test_balance

tests_unit_partition_test_balance_SOURCES = tests/unit/partition/test_balance.c
tests_unit_partition_test_balance_LDADD = $(UNIT_LIBS)
