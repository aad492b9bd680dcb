# Unit tests of communication graphs.
GRAPH_TESTS = tests/unit/test_graph tests/unit/test_formats tests/unit/test_patterns \
  tests/unit/test_pattern_meshes tests/unit/test_pattern_families tests/unit/test_lattice \
  tests/unit/test_graph_files tests/unit/test_tmg tests/unit/test_parts
check_PROGRAMS += $(GRAPH_TESTS)
TESTS += $(GRAPH_TESTS)
GRAPH_HELPERS = tests/unit/graphs.c tests/unit/graphs.h tests/unit/scratch.c tests/unit/scratch.h

tests_unit_test_graph_SOURCES = tests/unit/test_graph.c $(GRAPH_HELPERS)
tests_unit_test_graph_LDADD = $(UNIT_LIBS)
tests_unit_test_formats_SOURCES = tests/unit/test_formats.c $(GRAPH_HELPERS)
tests_unit_test_formats_LDADD = $(UNIT_LIBS)
tests_unit_test_patterns_SOURCES = tests/unit/test_patterns.c $(GRAPH_HELPERS)
tests_unit_test_patterns_LDADD = $(UNIT_LIBS)
tests_unit_test_graph_files_SOURCES = tests/unit/test_graph_files.c $(GRAPH_HELPERS)
tests_unit_test_graph_files_LDADD = $(UNIT_LIBS)
check_PROGRAMS += tests/unit/test_metis
TESTS += tests/unit/test_metis
tests_unit_test_metis_SOURCES = tests/unit/test_metis.c $(GRAPH_HELPERS)
tests_unit_test_metis_LDADD = $(UNIT_LIBS)
tests_unit_test_pattern_meshes_SOURCES = tests/unit/test_pattern_meshes.c $(GRAPH_HELPERS)
tests_unit_test_pattern_meshes_LDADD = $(UNIT_LIBS) -lm
tests_unit_test_pattern_families_SOURCES = tests/unit/test_pattern_families.c $(GRAPH_HELPERS)
tests_unit_test_pattern_families_LDADD = $(UNIT_LIBS)
tests_unit_test_lattice_SOURCES = tests/unit/test_lattice.c $(GRAPH_HELPERS)
tests_unit_test_lattice_LDADD = $(UNIT_LIBS)
tests_unit_test_tmg_SOURCES = tests/unit/test_tmg.c $(GRAPH_HELPERS)
tests_unit_test_tmg_LDADD = $(UNIT_LIBS)
tests_unit_test_parts_SOURCES = tests/unit/test_parts.c $(GRAPH_HELPERS)
tests_unit_test_parts_LDADD = $(UNIT_LIBS)
