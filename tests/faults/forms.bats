#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A job does with topomap what it does without, in whichever form it is launched: the forms that matter most (make
# check-faults walks all of them).
bats_require_minimum_version 1.5.0

@test "jobs of all forms run as without topomap" {
  [[ $EUID -eq 0 ]] || skip "needs root"
  cd "$BATS_TEST_TMPDIR"
  "$TOPOMAP_SOURCE/tests/faults/walk" --most-forms >out 2>&1 3>&- || { cat out; false; }
  tail -1 out
  [ "$(grep -c '^ok ' out)" -ge 30 ]
}

@test "the table has 60 forms and more" {
  "$TOPOMAP_SOURCE/tests/faults/walk" --list launch >cells
  [ "$(cut -d/ -f2 cells | sort -u | wc -l)" -ge 60 ]
  "$TOPOMAP_SOURCE/tests/faults/walk" --list --most-forms >most
  [ "$(sort cells most | uniq -d | wc -l)" -eq "$(wc -l <most)" ]
}
