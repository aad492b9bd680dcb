#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# No job is hurt by what becomes of topomap's files: the thirty cells that matter most (make check-faults
# walks all of them).
bats_require_minimum_version 1.5.0

@test "jobs run as without topomap, whatever becomes of the files that it touches" {
  [[ $EUID -eq 0 ]] || skip "needs root"
  cd "$BATS_TEST_TMPDIR"
  "$TOPOMAP_SOURCE/tests/faults/walk" --most >out 2>&1 3>&- || { cat out; false; }
  tail -1 out
  [ "$(grep -c '^ok ' out)" -ge 20 ]
}

@test "the table has 300 cells and more, and the thirty are of it" {
  [ "$("$TOPOMAP_SOURCE/tests/faults/walk" --list | wc -l)" -ge 300 ]
  [ "$("$TOPOMAP_SOURCE/tests/faults/walk" --list --most | wc -l)" -eq 30 ]
}
