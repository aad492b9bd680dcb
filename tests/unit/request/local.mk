# SPDX-License-Identifier: BSD-3-Clause
check_PROGRAMS += tests/unit/request/test_request
TESTS += tests/unit/request/test_request
tests_unit_request_test_request_SOURCES = tests/unit/request/test_request.c
tests_unit_request_test_request_LDADD = $(UNIT_LIBS)
