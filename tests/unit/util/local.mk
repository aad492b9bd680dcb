# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of what all rooms use.
check_PROGRAMS += tests/unit/util/test_input
TESTS += tests/unit/util/test_input
tests_unit_util_test_input_SOURCES = tests/unit/util/test_input.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_util_test_input_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/util/test_publish
TESTS += tests/unit/util/test_publish
tests_unit_util_test_publish_SOURCES = tests/unit/util/test_publish.c tests/unit/scratch.c tests/unit/scratch.h
tests_unit_util_test_publish_LDADD = $(UNIT_LIBS)

check_PROGRAMS += tests/unit/util/test_hostlist
TESTS += tests/unit/util/test_hostlist
tests_unit_util_test_hostlist_SOURCES = tests/unit/util/test_hostlist.c
tests_unit_util_test_hostlist_LDADD = $(UNIT_LIBS)
