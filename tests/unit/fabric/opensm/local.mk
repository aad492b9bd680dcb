# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of forwarding tables that OpenSM would set.
check_PROGRAMS += tests/unit/fabric/opensm/test_opensm
TESTS += tests/unit/fabric/opensm/test_opensm
EXTRA_DIST += tests/data/opensm/README tests/data/opensm/irregular.fabric tests/data/opensm/missing-cables.fabric \
  tests/data/opensm/tapered.fabric tests/data/opensm/three-levels.fabric tests/data/opensm/torus.fabric \
  tests/data/opensm/triple-cables.fabric tests/data/opensm/two-lids.fabric tests/data/opensm/two-ports.fabric

tests_unit_fabric_opensm_test_opensm_SOURCES = tests/unit/fabric/opensm/test_opensm.c
tests_unit_fabric_opensm_test_opensm_LDADD = $(UNIT_LIBS)
