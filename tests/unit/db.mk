# Unit tests of host lists, node shapes and the topology database.
DB_TESTS = tests/unit/test_hostlist tests/unit/test_shape
check_PROGRAMS += $(DB_TESTS)
TESTS += $(DB_TESTS)

# Real dumps, where they lie beside the checkout; the tests that need them are skipped without.
DB_TEST_CPPFLAGS = $(AM_CPPFLAGS) -DSHARED_DATA='"$(abs_top_srcdir)/../shared/data"' \
  -DTEST_DATA='"$(abs_top_srcdir)/tests/data"'

tests_unit_test_hostlist_SOURCES = tests/unit/test_hostlist.c
tests_unit_test_hostlist_LDADD = $(UNIT_LIBS)
tests_unit_test_shape_SOURCES = tests/unit/test_shape.c
tests_unit_test_shape_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_test_shape_LDADD = $(UNIT_LIBS)
