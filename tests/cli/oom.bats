#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Where a job's memory ends, what topomap has started ends before the job's program.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkfifo question
}

# started PROGRAM...: as the plugin starts it; sets pid. It waits for its question.
started() {
  "$@" <question 3>reply &
  pid=$!
  exec 9>question
}

teardown() {
  exec 9>&-
  [ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
}

# The number is there once the program runs, not yet at its fork.
is_first() {
  for _ in {1..600}; do
    [ "$(cat "/proc/$pid/oom_score_adj")" != 1000 ] || return 0
    sleep 0.1
  done
  cat "/proc/$pid/oom_score_adj"
  return 1
}

@test "the planner is the first that the kernel ends" {
  started "$TOPOMAP_BUILD/plugin/topomap-planner"
  is_first
}

@test "the planner at a step's end is, too" {
  started "$TOPOMAP_BUILD/plugin/topomap-planner" end
  is_first
}

@test "topomap-node is, as slurmstepd's child as well" {
  [[ $EUID -ne 0 ]] || echo -500 >/proc/self/oom_score_adj || true
  started "$TOPOMAP_BUILD/plugin/topomap-node" plan
  is_first
}
