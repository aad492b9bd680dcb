# Unit tests of host lists, node shapes and the topology database.
DB_TESTS = tests/unit/test_hostlist
check_PROGRAMS += $(DB_TESTS)
TESTS += $(DB_TESTS)

tests_unit_test_hostlist_SOURCES = tests/unit/test_hostlist.c
tests_unit_test_hostlist_LDADD = $(UNIT_LIBS)
