# SPDX-License-Identifier: BSD-3-Clause
# A testbed of a suite's own, whose tests each begin with an empty store of profiles; loaded by suites of profiled steps.
# shellcheck shell=bash

bed_up() { # NODES
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed
  cd "$BATS_FILE_TMPDIR"
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --build "$TOPOMAP_BUILD" --nodes "$1" --cpus 8 --dir "$BED")"
  cp "$BED/etc/plugstack.conf" "$BED/plain"
}

bed_down() {
  "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

bed_begin() {
  cd "$BATS_TEST_TMPDIR"
  export XDG_CACHE_HOME=$PWD/cache
  unset TOPOMAP TOPOMAP_GRAPH TOPOMAP_PROFILE LD_PRELOAD
  cp "$BED/plain" "$BED/etc/plugstack.conf"
  for _ in {1..100}; do [ "$(squeue -h; sinfo -h -o %T)" != idle ] || break; sleep 0.1; done
}

plugstack() { # WORDS behind the plugin's line
  sed "s,\$, $*," "$BED/plain" >"$BED/etc/plugstack.conf"
}

# What srun has left to the planner is done: a run's folder is gone. srun itself waits a tenth of a second for that, and
# on a busy machine it takes longer.
settled() { # [TENTHS]
  local i
  for ((i = 0; i < ${1:-100}; i++)); do [ -n "$(ls "$XDG_CACHE_HOME/topomap/run" 2>/dev/null)" ] || return 0; sleep 0.1; done
  return 1
}
