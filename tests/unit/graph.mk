# Unit tests of communication graphs.
GRAPH_TESTS = tests/unit/test_graph tests/unit/test_formats tests/unit/test_patterns \
  tests/unit/test_pattern_meshes tests/unit/test_lattice
check_PROGRAMS += $(GRAPH_TESTS)
TESTS += $(GRAPH_TESTS)
GRAPH_HELPERS = tests/unit/graphs.c tests/unit/graphs.h tests/unit/scratch.c tests/unit/scratch.h

tests_unit_test_graph_SOURCES = tests/unit/test_graph.c $(GRAPH_HELPERS)
tests_unit_test_graph_LDADD = $(UNIT_LIBS)
tests_unit_test_formats_SOURCES = tests/unit/test_formats.c $(GRAPH_HELPERS)
tests_unit_test_formats_LDADD = $(UNIT_LIBS)
tests_unit_test_patterns_SOURCES = tests/unit/test_patterns.c $(GRAPH_HELPERS)
tests_unit_test_patterns_LDADD = $(UNIT_LIBS)
tests_unit_test_pattern_meshes_SOURCES = tests/unit/test_pattern_meshes.c $(GRAPH_HELPERS)
tests_unit_test_pattern_meshes_LDADD = $(UNIT_LIBS) -lm
tests_unit_test_lattice_SOURCES = tests/unit/test_lattice.c $(GRAPH_HELPERS)
tests_unit_test_lattice_LDADD = $(UNIT_LIBS)
