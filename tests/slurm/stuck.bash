# SPDX-License-Identifier: BSD-3-Clause
# A file system that never answers (stuck-mount.c), for the suites of what waits for none.
# shellcheck shell=bash

# STUCK: a folder that never answers, in a setup_file; empty: not here. For nodes that shall see it, before they have
# mounts of their own.
mount_stuck() {
  export STUCK=$BATS_FILE_TMPDIR/stuck
  mkdir "$STUCK"
  "$TOPOMAP_BUILD/tests/slurm/stuck-mount" "$STUCK" >"$STUCK.ready" 2>&1 3>&- &
  echo $! >"$STUCK.pid"
  local i
  for i in {1..600}; do
    ! grep -q ready "$STUCK.ready" || return 0
    kill -0 "$(cat "$STUCK.pid")" 2>/dev/null || break
    sleep 0.1
  done
  STUCK=
}

release_stuck() {
  kill "$(cat "$BATS_FILE_TMPDIR/stuck.pid")" 2>/dev/null
}

needs_stuck() {
  [ -n "$STUCK" ] || skip "no file system that never answers: $(cat "$BATS_FILE_TMPDIR/stuck.ready")"
}
