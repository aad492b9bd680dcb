# SPDX-License-Identifier: BSD-3-Clause
# The command line, as users type it.
CLI_TESTS = \
  tests/cli/map.bats \
  tests/cli/machines.bats \
  tests/cli/congestion.bats \
  tests/cli/time.bats tests/cli/counters.bats \
  tests/cli/papers.bats \
  tests/cli/order.bats \
  tests/cli/plan.bats tests/cli/launchers.bats tests/cli/run.bats \
  tests/cli/policy.bats \
  tests/cli/compat.bats \
  tests/cli/doctor.bats \
  tests/cli/library.bats \
  tests/cli/check.bats \
  tests/cli/arrows.bats \
  tests/cli/profile.bats \
  tests/cli/db.bats \
  tests/cli/db-crash.bats \
  tests/cli/devices.bats \
  tests/cli/gpu-nodes.bats tests/cli/gpus.bats \
  tests/cli/db-calibrate.bats \
  tests/cli/db-check.bats \
  tests/cli/db-diff.bats tests/cli/db-forget.bats \
  tests/cli/db-export.bats \
  tests/cli/sources.bats tests/cli/fabrics.bats tests/cli/collect.bats tests/cli/refresh.bats \
  tests/cli/routes.bats \
  tests/cli/graph.bats tests/cli/graph-show.bats tests/cli/terminal.bats tests/cli/report.bats tests/cli/page.bats \
  tests/cli/graph-formats.bats \
  tests/cli/graph-training.bats tests/cli/training.bats tests/cli/nccl-profiler.bats \
  tests/cli/launch-size.bats tests/cli/oom.bats \
  tests/cli/files.bats \
  tests/cli/book.bats tests/cli/text.bats tests/cli/words.bats tests/cli/usage.bats tests/cli/completion.bats tests/cli/manual.bats tests/cli/release.bats
dist_check_SCRIPTS = $(CLI_TESTS)
TESTS += $(CLI_TESTS)
EXTRA_DIST += tests/book.bash tests/messages.bash tests/cli/imports.bash tests/cli/page.bash tests/cli/page_checks.js tests/cli/place.c tests/cli/fabric.awk tests/data/compat
