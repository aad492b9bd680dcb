# SPDX-License-Identifier: BSD-3-Clause
# A real Slurm for a suite, whose tests can each begin with an empty store of profiles. Suites that need the same kind
# of Slurm use one that stays up between them, one suite at a time, where the driver of the suites keeps a folder for
# that ($TOPOMAP_BEDS; auto/check stops what is left in it). A suite that changes slurm.conf or kills daemons has its own.
# shellcheck shell=bash

# bed_options KIND: the options of contrib/testbed/testbed for a kind of Slurm that suites share.
bed_options() {
  case $1 in
    four) echo --nodes 4 --cpus 2 --fabric fat-tree:leaves=2,hosts=2,spines=1,scatter=1 ;;
    eight) echo --nodes 8 --cpus 8 ;;
    gpus) echo --nodes 8 --cpus 2 --gpus 2 ;;
  esac
}

# bed_up KIND | OPTION...: a shared Slurm of that kind, or one of the suite's own with these options of testbed. Sets BED
# to its folder, and keeps plugstack.conf as it is in $BED/plain. Called by setup_file.
bed_up() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  cd "$BATS_FILE_TMPDIR" || return
  local options
  options=$(bed_options "$1")
  if [[ -n $options && -n ${TOPOMAP_BEDS:-} ]]; then
    # shellcheck disable=SC2086 # options
    bed_take "$1" $options
  else
    export BED=$BATS_FILE_TMPDIR/bed
    # shellcheck disable=SC2068,SC2086 # options
    bed_start ${options:-$@}
  fi
  eval "$(cat "$BED/settings")"
}

bed_start() { # OPTION...
  local started
  started=$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --build "$TOPOMAP_BUILD" "$@" --dir "$BED") || return
  echo "$started" >"$BED/settings"
  cp "$BED/etc/plugstack.conf" "$BED/plain"
}

# bed_take KIND OPTION...: the first of that kind that no suite holds. The lock is this process's, and its tests'.
bed_take() {
  local kind=$1 number lock
  shift
  for number in {1..16}; do
    export BED=$TOPOMAP_BEDS/$kind.$number
    exec {lock}>"$BED.lock"
    ! flock -n "$lock" || break
    exec {lock}>&-
  done
  # A Slurm that has ended would keep squeue waiting.
  if [[ -s $BED/unshare.pid ]] && kill -0 "$(cat "$BED/unshare.pid")" 2>/dev/null && bed_restore; then return; fi
  [[ ! -e $BED/unshare.pid ]] || bed_stop
  rm -rf "$BED"
  cd / || return # the daemons' folder, which outlives the suite's
  bed_start "$@" {lock}>&- 3>&- 4>&- # bats waits for whoever holds its descriptors
  cd "$BATS_FILE_TMPDIR" || return
  mkdir "$BED/first"
  cp -r "$BED/etc" "$BED/topology.db" "$BED/first"
}

# What the suite before has changed is put back; fails if the Slurm is not well.
bed_restore() {
  rm -rf "$BED/etc"/* "$BED"/topology.db* && cp -r "$BED/first/." "$BED" || return
  cp "$BED/etc/plugstack.conf" "$BED/plain"
  local SLURM_CONF=$BED/etc/slurm.conf
  export SLURM_CONF
  bed_idle
}

bed_stop() { "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"; }

# Ends the suite's use of the Slurm; called by teardown_file.
bed_down() {
  [[ -d ${BED:-} ]] || return 0
  case $BED in
    "$BATS_FILE_TMPDIR"/*) bed_stop ;;
    *) bed_idle || bed_stop ;;
  esac
}

# bed_idle: no job is left and all nodes are idle; what runs is cancelled.
bed_idle() {
  local end=$((SECONDS + 120))
  timeout 60 squeue -h -o %A | xargs -r timeout 60 scancel
  until [ "$(timeout 60 squeue -h; timeout 60 sinfo -h -o %T)" = idle ]; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

bed_begin() {
  cd "$BATS_TEST_TMPDIR" || return
  export XDG_CACHE_HOME=$PWD/cache
  unset TOPOMAP TOPOMAP_GRAPH TOPOMAP_PROFILE LD_PRELOAD
  cp "$BED/plain" "$BED/etc/plugstack.conf"
  bed_idle
}

# not_sanitized WHY: skips a test that a planner built with sanitizers cannot pass.
not_sanitized() { ! grep -qs 'define TOPOMAP_SANITIZED 1' "$TOPOMAP_BUILD/config.h" || skip "sanitizers: $1"; }

plugstack() { # WORDS behind the plugin's line
  sed "s,\$, $*," "$BED/plain" >"$BED/etc/plugstack.conf"
}

# What srun has left to the planner is done: a run's folder is gone. srun itself waits a tenth of a second for that, and
# on a busy machine it takes longer.
settled() { # [TENTHS]
  local i
  for ((i = 0; i < ${1:-600}; i++)); do [ -n "$(ls "$XDG_CACHE_HOME/topomap/run" 2>/dev/null)" ] || return 0; sleep 0.1; done
  return 1
}
