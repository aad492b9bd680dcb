# SPDX-License-Identifier: BSD-3-Clause
# Unit tests are cmocka programs, one per room; the rest is bats. Both speak TAP, so that
# `make check` counts single tests.
EXTRA_DIST += tests/unit/messages.h
UNIT_LIBS = topology-db/libdb.la lib/libcore.la $(CMOCKA_LIBS)
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/auto/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-unit
TEST_EXTENSIONS = .bats
BATS_LOG_DRIVER = $(TAP_DRIVER)
BATS_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-bats
AM_BATS_LOG_FLAGS = --tap
# Time is not the subject of most tests, and a machine may be busy: every wait of a launch is long.
AM_TESTS_ENVIRONMENT = \
  TOPOMAP_TESTBED_PLUGIN_ARGS="$${TOPOMAP_TESTBED_PLUGIN_ARGS-deadline_ms=60000 node_ms=60000 end_ms=60000}"; \
  export TOPOMAP_TESTBED_PLUGIN_ARGS; \
  CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
  TOPOMAP_BUILD='$(abs_top_builddir)'; export TOPOMAP_BUILD; \
  TOPOMAP_SOURCE='$(abs_top_srcdir)'; export TOPOMAP_SOURCE;

include tests/unit/util/local.mk
include tests/unit/xml/local.mk
include tests/unit/fabric/kinds/local.mk
include tests/unit/fabric/opensm/local.mk
include tests/unit/graph/local.mk
include tests/unit/partition/local.mk
include tests/unit/fabric/local.mk
include tests/unit/machine/local.mk
include tests/unit/metric/local.mk
include tests/unit/map/local.mk
include tests/unit/plan/local.mk
include tests/unit/topology-db/local.mk
include tests/unit/request/local.mk
include tests/unit/plugin/local.mk
include tests/unit/plugin/gpus/local.mk
include tests/unit/plugin/late/local.mk
include tests/cli/local.mk
include tests/slurm/local.mk
include tests/faults/local.mk
include tests/install/local.mk
include tests/mpi/local.mk
include tests/fuzz/local.mk

# What auto/check picks from.
list-tests:
	@echo $(TESTS)

# All parts of auto/parts, or PARTS of them.
check-nightly:
	$(srcdir)/auto/check --all$(if $(PARTS),=$(PARTS))
# The demo and the tests on every Debian release whose Slurm is supported, each in a bare root of its own.
RELEASES = bookworm,trixie,forky
check-releases:
	$(srcdir)/auto/check --release $(RELEASES)
# What the suites of tests/slurm need, without the many programs of the unit tests.
# A make of its own, as `all` is one: side by side they would make the same files.
slurm-tests: all
	$(MAKE) $(AM_MAKEFLAGS) $(filter-out tests/unit/% tests/fuzz/% tests/bench/%,$(check_PROGRAMS)) \
	  $(filter tests/unit/contrib/%,$(check_PROGRAMS)) $(check_LTLIBRARIES) $(check_DATA)
# The plugin, and the tests' own.
slurm-plugins: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) plugin/spank_topomap.la $(check_LTLIBRARIES)
all-tests: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(check_LTLIBRARIES) $(check_DATA)
.PHONY: list-tests check-nightly check-releases slurm-tests slurm-plugins all-tests

# The library's threads, and threads that call it, under ThreadSanitizer: a build of its own. METIS is not part of it,
# and only one thread at a time is in there.
THREADED = tests/unit/map/test_threads tests/unit/map/test_callers
.PHONY: check-threads
check-threads:
	mkdir -p threads
	test -e threads/Makefile || { cd threads && '$(abs_srcdir)/configure' -q CC='$(CC)' CFLAGS='-O1 -g -fsanitize=thread'; }
	cd threads && $(MAKE) -s $(THREADED)
	cd threads && for program in $(THREADED); do TSAN_OPTIONS=halt_on_error=1 ./$$program || exit 1; done
.PHONY: clean-threads
clean-local: clean-threads
clean-threads:
	rm -rf threads

# Long campaigns, beside the suite. BENCH is a folder of mapping instances (tests/bench/map-rivals).
EXTRA_DIST += tests/run-unit tests/coverage/unwalled.c tests/run-bats tests/bench/db-speed tests/bench/make-fabric \
  tests/bench/make-cray tests/bench/congestion tests/bench/graph-speed tests/bench/map-scale \
  tests/bench/map-rivals tests/bench/map-target.awk tests/bench/map-summary.awk tests/bench/seats.awk tests/bench/same-maps
.PHONY: bench bench-scale bench-congestion bench-db bench-graph
# All EFFORTS beside gpmetis and Scotch in the same run, and the tools on record.
bench: cli/topomap$(EXEEXT)
	@test -n "$(BENCH)" || { echo "make bench BENCH=FOLDER: a folder of mapping instances" >&2; exit 2; }
	for effort in $(or $(EFFORTS),fast default strong); do \
	  echo "== $$effort"; \
	  TOPOMAP=cli/topomap$(EXEEXT) $(srcdir)/tests/bench/map-rivals "$(BENCH)" --effort $$effort || exit 1; \
	done

bench-scale: cli/topomap$(EXEEXT)
	TOPOMAP=cli/topomap$(EXEEXT) $(srcdir)/tests/bench/map-scale $(BENCH_OPTIONS)

# What the objective congestion gains over J; DATA is a folder of fabric dumps, or nothing.
bench-congestion: cli/topomap$(EXEEXT)
	TOPOMAP=cli/topomap$(EXEEXT) DATA="$(DATA)" $(srcdir)/tests/bench/congestion $(BENCH_OPTIONS)

# Import and look-up of the topology database, as ratios to sha256sum and sqlite3 in the same run.
EXTRA_PROGRAMS += tests/bench/db-distances
tests_bench_db_distances_SOURCES = tests/bench/db-distances.c
tests_bench_db_distances_LDADD = topology-db/libdb.la lib/libcore.la
bench-db: cli/topomap$(EXEEXT) tests/bench/db-distances$(EXEEXT)
	$(srcdir)/tests/bench/db-speed '$(abs_top_builddir)' '$(abs_top_srcdir)'

# What a launch costs, in the planner and on the nodes; the nodes' program also stands behind tests.
check_PROGRAMS += tests/bench/node-hooks
tests_bench_node_hooks_SOURCES = tests/bench/node-hooks.c
tests_bench_node_hooks_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) \
  -DNODE_HELPER='"$(abs_top_builddir)/plugin/topomap-node"'
tests_bench_node_hooks_LDADD = plugin/libspank.la plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la
EXTRA_PROGRAMS += tests/bench/launch-replay
tests_bench_launch_replay_SOURCES = tests/bench/launch-replay.c
tests_bench_launch_replay_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_bench_launch_replay_LDADD = plugin/libspank.la
EXTRA_DIST += tests/bench/launch
.PHONY: bench-launch
bench-launch: all tests/bench/node-hooks$(EXEEXT) tests/bench/launch-replay$(EXEEXT) tests/bench/graph-read$(EXEEXT)
	$(srcdir)/tests/bench/launch '$(abs_top_builddir)' '$(abs_top_srcdir)'

# Reading graph files, as ratios to gpmetis and Scotch in the same run.
EXTRA_PROGRAMS += tests/bench/graph-read
tests_bench_graph_read_SOURCES = tests/bench/graph-read.c
tests_bench_graph_read_LDADD = lib/libcore.la
bench-graph: cli/topomap$(EXEEXT) tests/bench/graph-read$(EXEEXT)
	$(srcdir)/tests/bench/graph-speed '$(abs_top_builddir)'

# What profiling costs a program, with and without in one run, for each MPI.
EXTRA_DIST += tests/bench/profile-cost tests/bench/profile-calls.c
.PHONY: bench-profile
bench-profile: all
	$(srcdir)/tests/bench/profile-cost '$(abs_top_builddir)' '$(abs_top_srcdir)' $(BENCH_ROUNDS)

# MPI kernels on fabrics with real contention; the script says which variables there are.
EXTRA_DIST += tests/bench/fabric
.PHONY: bench-fabric
bench_fabric_variables = FABRICS KERNELS ORDERS LAYOUTS TASKS RATE BYTES ITERATIONS REPEAT KEEP
bench-fabric: all
	$(foreach name,$(bench_fabric_variables),$(if $($(name)),$(name)='$($(name))')) \
	  $(srcdir)/tests/bench/fabric '$(abs_top_builddir)' '$(abs_top_srcdir)'

# Graphs played on simulated fabrics; the script says which variables there are.
EXTRA_DIST += tests/sim/run tests/sim/summary.awk tests/sim/scotch.awk tests/sim/play.c
.PHONY: bench-sim
bench_sim_variables = MACHINES TASKS GRAPHS ORDERS LAYOUTS LARGE LIMIT BUDGET KEEP FULL
bench-sim: all
	$(foreach name,$(bench_sim_variables),$(if $($(name)),$(name)='$($(name))')) \
	  $(srcdir)/tests/sim/run '$(abs_top_builddir)' '$(abs_top_srcdir)'

# Training jobs on scattered GPU nodes, beside host lists as others make them: J, predicted time, and bars of both.
EXTRA_DIST += tests/bench/training
.PHONY: bench-training
bench-training: cli/topomap$(EXEEXT)
	$(if $(CASES),CASES='$(CASES)') TOPOMAP=cli/topomap$(EXEEXT) $(srcdir)/tests/bench/training $(BENCH_OPTIONS)

# Scattered instances of clouds, beside lists that the clouds' own scripts would sort.
EXTRA_DIST += tests/bench/clouds
.PHONY: bench-clouds
bench-clouds: cli/topomap$(EXEEXT)
	$(if $(CASES),CASES='$(CASES)') $(if $(SEED),SEED='$(SEED)') TOPOMAP=cli/topomap$(EXEEXT) $(srcdir)/tests/bench/clouds $(BENCH_OPTIONS)

# Steps of a training job by PyTorch's gloo on a fabric with real contention; the script says which variables there are.
EXTRA_DIST += tests/bench/gloo tests/bench/gloo.py
.PHONY: bench-gloo
bench_gloo_variables = CASES FABRIC RATE STEPS REPEAT
bench-gloo: all
	$(foreach name,$(bench_gloo_variables),$(if $($(name)),$(name)='$($(name))')) \
	  $(srcdir)/tests/bench/gloo '$(abs_top_builddir)' '$(abs_top_srcdir)'

# The experiments of the papers; PAPERS picks some, and their size: make bench-papers PAPERS="viem full".
PAPERS =
papers_files = tests/bench/papers/run tests/bench/papers/common tests/bench/papers/amr \
  tests/bench/papers/libtopomap tests/bench/papers/hiertopomap tests/bench/papers/viem \
  tests/bench/papers/kth tests/bench/papers/bhatele
EXTRA_DIST += $(papers_files)
papers_benches = tests/bench/viem-speed
check_PROGRAMS += $(papers_benches)
tests_bench_viem_speed_SOURCES = tests/bench/viem-speed.c
tests_bench_viem_speed_LDADD = lib/libcore.la
.PHONY: bench-papers
bench-papers: cli/topomap$(EXEEXT) $(papers_benches)
	TOPOMAP='$(abs_top_builddir)/cli/topomap$(EXEEXT)' BENCH_BIN='$(abs_top_builddir)/tests/bench' \
	  $(srcdir)/tests/bench/papers/run $(PAPERS)
