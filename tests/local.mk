# Unit tests are cmocka programs, one per room; `make check` runs them and the bats files.
UNIT_LIBS = topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
include tests/unit/db.mk

check_PROGRAMS += tests/unit/test_input
TESTS += tests/unit/test_input
tests_unit_test_input_SOURCES = tests/unit/test_input.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_test_input_LDADD = $(UNIT_LIBS)
