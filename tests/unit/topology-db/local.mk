# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of the topology database.
DB_TESTS = tests/unit/topology-db/test_db tests/unit/topology-db/test_db_machine \
  tests/unit/topology-db/test_db_cores tests/unit/topology-db/test_db_ib tests/unit/topology-db/test_db_ib_model \
  tests/unit/topology-db/test_db_routes tests/unit/topology-db/test_db_classify \
  tests/unit/topology-db/test_switches tests/unit/topology-db/test_db_cray tests/unit/topology-db/test_calibrate \
  tests/unit/topology-db/test_slurm_order tests/unit/topology-db/test_db_gpus
check_PROGRAMS += $(DB_TESTS)
TESTS += $(DB_TESTS)
EXTRA_DIST += tests/data/db/tree.ibnetdiscover tests/data/db/gemini.xtprocadmin \
  tests/data/db/gemini.xtdb2proc tests/data/db/aries.xtdb2proc tests/data/db/hosts.map \
  tests/data/db/report.ports tests/data/db/subnet.lst tests/data/db/rack.net_dump \
  tests/data/db/nic.xml tests/data/db/mi250x.xml tests/data/db/gh200.xml tests/data/db/a100.nccl.xml \
  tests/data/db/h100.topo tests/data/db/pvc.xml

# Real dumps, where they lie beside the checkout; the tests that need them are skipped without.
DB_TEST_CPPFLAGS = $(AM_CPPFLAGS) -DSHARED_DATA='"$(abs_top_srcdir)/../shared/data"' \
  -DTEST_DATA='"$(abs_top_srcdir)/tests/data"'

DB_HELPERS = tests/unit/topology-db/imports.c tests/unit/topology-db/imports.h tests/unit/scratch.c tests/unit/scratch.h
tests_unit_topology_db_test_db_SOURCES = tests/unit/topology-db/test_db.c $(DB_HELPERS)
tests_unit_topology_db_test_db_cray_SOURCES = tests/unit/topology-db/test_db_cray.c $(DB_HELPERS)
tests_unit_topology_db_test_db_cray_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_topology_db_test_db_cray_LDADD = $(UNIT_LIBS)
tests_unit_topology_db_test_db_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_topology_db_test_db_LDADD = $(UNIT_LIBS)
tests_unit_topology_db_test_db_machine_SOURCES = tests/unit/topology-db/test_db_machine.c tests/unit/scratch.c \
  tests/unit/scratch.h
tests_unit_topology_db_test_db_machine_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_topology_db_test_db_machine_LDADD = $(UNIT_LIBS)
tests_unit_topology_db_test_db_cores_SOURCES = tests/unit/topology-db/test_db_cores.c tests/unit/scratch.c \
  tests/unit/scratch.h
tests_unit_topology_db_test_db_cores_LDADD = $(UNIT_LIBS) $(HWLOC_LIBS)
tests_unit_topology_db_test_db_routes_SOURCES = tests/unit/topology-db/test_db_routes.c tests/unit/scratch.c \
  tests/unit/scratch.h
tests_unit_topology_db_test_db_routes_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_topology_db_test_db_routes_LDADD = $(UNIT_LIBS)
tests_unit_topology_db_test_calibrate_SOURCES = tests/unit/topology-db/test_calibrate.c tests/unit/scratch.c \
  tests/unit/scratch.h
tests_unit_topology_db_test_calibrate_LDADD = $(UNIT_LIBS) -lm
tests_unit_topology_db_test_slurm_order_SOURCES = tests/unit/topology-db/test_slurm_order.c tests/unit/scratch.c \
  tests/unit/scratch.h
tests_unit_topology_db_test_slurm_order_LDADD = $(UNIT_LIBS) $(SQLITE_LIBS)
tests_unit_topology_db_test_switches_SOURCES = tests/unit/topology-db/test_switches.c
tests_unit_topology_db_test_switches_LDADD = $(UNIT_LIBS)
tests_unit_topology_db_test_db_classify_SOURCES = tests/unit/topology-db/test_db_classify.c tests/unit/topology-db/fabrics.c \
  tests/unit/topology-db/fabrics.h tests/unit/scratch.c tests/unit/scratch.h
tests_unit_topology_db_test_db_classify_LDADD = $(UNIT_LIBS)
IB_DATABASE = tests/unit/topology-db/ib_database.c tests/unit/topology-db/ib_database.h tests/unit/scratch.c \
  tests/unit/scratch.h
tests_unit_topology_db_test_db_ib_SOURCES = tests/unit/topology-db/test_db_ib.c $(IB_DATABASE)
tests_unit_topology_db_test_db_ib_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_topology_db_test_db_ib_LDADD = $(UNIT_LIBS)
tests_unit_topology_db_test_db_ib_model_SOURCES = tests/unit/topology-db/test_db_ib_model.c $(IB_DATABASE)
tests_unit_topology_db_test_db_ib_model_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_topology_db_test_db_ib_model_LDADD = $(UNIT_LIBS)
tests_unit_topology_db_test_db_gpus_SOURCES = tests/unit/topology-db/test_db_gpus.c $(DB_HELPERS)
tests_unit_topology_db_test_db_gpus_CPPFLAGS = $(DB_TEST_CPPFLAGS)
tests_unit_topology_db_test_db_gpus_LDADD = $(UNIT_LIBS)
