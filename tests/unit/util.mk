check_PROGRAMS += tests/unit/test_input
TESTS += tests/unit/test_input
tests_unit_test_input_SOURCES = tests/unit/test_input.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_test_input_LDADD = $(UNIT_LIBS)
