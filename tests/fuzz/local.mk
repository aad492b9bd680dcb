# SPDX-License-Identifier: BSD-3-Clause
# Every parser under a fuzzer (targets.c). `make check` replays seeds and mutations of them;
# `make fuzz FUZZ_SECONDS=N FUZZ_RUNS=N` gives each target N seconds or N executions of libFuzzer in a build of
# its own with clang (auto/deps --fuzz), and FUZZ_TARGETS names some of them.
FUZZ_SOURCES = tests/fuzz/fuzz.h tests/fuzz/targets.c tests/fuzz/files.c tests/fuzz/texts.c tests/fuzz/tmg.c \
  tests/fuzz/parts.c tests/fuzz/bound.c \
  tests/fuzz/db.c tests/fuzz/damage.c tests/fuzz/database.c tests/fuzz/database.h \
  tests/fuzz/protocol.c tests/fuzz/node.c plugin/helper/decode.c plugin/helper/helper.h plugin/helper/adapters.c \
  tests/fuzz/carried.c plugin/node/cpus.c plugin/node/cpus.h plugin/common/format.c plugin/common/reply.h plugin/common/format.h plugin/common/preload.c plugin/common/preload.h \
  plugin/common/ranks.c plugin/common/ranks.h plugin/srun/command_line.c plugin/srun/srun.h \
  plugin/srun/slurm_options.c plugin/srun/slurm_options.h \
  tests/fuzz/site.c cli/db/refresh.h cli/db/refresh_conf.c cli/page/page_site.h cli/page/page_site_user.c plugin/common/record.c plugin/common/reply.h
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) -I$(top_srcdir)/tests

check_PROGRAMS += tests/fuzz/replay
TESTS += tests/fuzz/replay
tests_fuzz_replay_SOURCES = $(FUZZ_SOURCES) tests/fuzz/replay.c
tests_fuzz_replay_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_replay_LDADD = plugin/planner/liblaunch.la plugin/planner/libplanner.la plugin/helper/libnode.la plugin/libreply.la plugin/policy/libpolicy.la \
  plugin/store/libstore.la topology-db/libdb.la lib/libcore.la

EXTRA_PROGRAMS += tests/fuzz/libfuzzer
tests_fuzz_libfuzzer_SOURCES = $(FUZZ_SOURCES) tests/fuzz/libfuzzer.c
tests_fuzz_libfuzzer_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_libfuzzer_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_libfuzzer_LDADD = plugin/planner/liblaunch.la plugin/planner/libplanner.la plugin/helper/libnode.la plugin/libreply.la plugin/policy/libpolicy.la \
  plugin/store/libstore.la topology-db/libdb.la lib/libcore.la

EXTRA_DIST += tests/fuzz/run tests/data/fuzz/calibration.csv tests/data/fuzz/links.csv \
  tests/data/fuzz/bluegene.txt tests/data/fuzz/counters.txt tests/data/fuzz/cliques.txt tests/data/fuzz/matrix.txt \
  tests/data/fuzz/nccl.xml tests/data/fuzz/ama.txt tests/data/fuzz/pt_pt.csv \
  tests/data/fuzz/opa.csv tests/data/fuzz/opa.xml tests/data/fuzz/ufm.json tests/data/fuzz/lldp.json tests/data/fuzz/lldpd.json tests/data/fuzz/netq.json \
  tests/data/fuzz/collected.txt tests/data/fuzz/aws.json tests/data/fuzz/gcp.csv tests/data/fuzz/gcp.json \
  tests/data/fuzz/topograph.json tests/data/fuzz/topograph.yaml
.PHONY: fuzz fuzz-launch
fuzz:
	$(srcdir)/tests/fuzz/run '$(abs_top_srcdir)' '$(abs_top_builddir)/fuzz' '$(FUZZ_SECONDS)' '$(FUZZ_RUNS)' \
	  $(FUZZ_TARGETS)

# What srun and slurmstepd decode, or their helpers for them: 5 million executions each, in
# little memory (2,000 names of hosts, of 1 KiB each, are the most), and in milliseconds an input (bound.c).
fuzz-launch:
	FUZZ_MEMORY=4 $(MAKE) $(AM_MAKEFLAGS) fuzz FUZZ_RUNS=5000000 FUZZ_TARGETS=--launch
