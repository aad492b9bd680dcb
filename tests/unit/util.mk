check_PROGRAMS += tests/unit/test_input
TESTS += tests/unit/test_input
tests_unit_test_input_SOURCES = tests/unit/test_input.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_test_input_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/test_publish
TESTS += tests/unit/test_publish
tests_unit_test_publish_SOURCES = tests/unit/test_publish.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_test_publish_LDADD = $(UNIT_LIBS)
