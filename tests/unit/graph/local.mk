# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of communication graphs.
GRAPH_TESTS = tests/unit/graph/test_graph tests/unit/graph/test_formats tests/unit/graph/test_patterns \
  tests/unit/graph/test_pattern_meshes tests/unit/graph/test_pattern_families tests/unit/graph/test_lattice \
  tests/unit/graph/test_graph_files tests/unit/graph/test_tmg tests/unit/graph/test_parts tests/unit/graph/test_part_phases
check_PROGRAMS += $(GRAPH_TESTS)
TESTS += $(GRAPH_TESTS)
GRAPH_HELPERS = tests/unit/graph/graphs.c tests/unit/graph/graphs.h tests/unit/scratch.c tests/unit/scratch.h

tests_unit_graph_test_graph_SOURCES = tests/unit/graph/test_graph.c $(GRAPH_HELPERS)
tests_unit_graph_test_graph_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_formats_SOURCES = tests/unit/graph/test_formats.c $(GRAPH_HELPERS)
tests_unit_graph_test_formats_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_patterns_SOURCES = tests/unit/graph/test_patterns.c $(GRAPH_HELPERS)
tests_unit_graph_test_patterns_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_graph_files_SOURCES = tests/unit/graph/test_graph_files.c $(GRAPH_HELPERS)
tests_unit_graph_test_graph_files_LDADD = $(UNIT_LIBS)
check_PROGRAMS += tests/unit/graph/test_metis
TESTS += tests/unit/graph/test_metis
tests_unit_graph_test_metis_SOURCES = tests/unit/graph/test_metis.c $(GRAPH_HELPERS)
tests_unit_graph_test_metis_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_pattern_meshes_SOURCES = tests/unit/graph/test_pattern_meshes.c $(GRAPH_HELPERS)
tests_unit_graph_test_pattern_meshes_LDADD = $(UNIT_LIBS) -lm
tests_unit_graph_test_pattern_families_SOURCES = tests/unit/graph/test_pattern_families.c $(GRAPH_HELPERS)
tests_unit_graph_test_pattern_families_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_lattice_SOURCES = tests/unit/graph/test_lattice.c $(GRAPH_HELPERS)
tests_unit_graph_test_lattice_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_tmg_SOURCES = tests/unit/graph/test_tmg.c $(GRAPH_HELPERS)
tests_unit_graph_test_tmg_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_parts_SOURCES = tests/unit/graph/test_parts.c $(GRAPH_HELPERS)
tests_unit_graph_test_parts_LDADD = $(UNIT_LIBS)
tests_unit_graph_test_part_phases_SOURCES = tests/unit/graph/test_part_phases.c $(GRAPH_HELPERS)
tests_unit_graph_test_part_phases_LDADD = $(UNIT_LIBS)
