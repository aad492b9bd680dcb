#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What a user can forge for slurmstepd, and file systems that never answer: the step runs as it does without
# topomap, with one line, as much memory in slurmstepd, and not noticeably longer; the nodes stay idle.
bats_require_minimum_version 1.5.0

load silence
load stuck

# Of each task: its rank, slurmstepd's peak in KiB, and the CPUs.
readonly show='echo "$SLURM_PROCID $(sed -n "s/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p" /proc/$PPID/status) $(sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status)"'

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed HELPER=$TOPOMAP_BUILD/plugin/topomap-node
  cd "$BATS_FILE_TMPDIR"
  mount_stuck
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --bare --nodes 2 --cpus 2 --dir "$BED")"
}

teardown_file() {
  release_stuck || true
  "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir spool
  plugstack "node_helper=$HELPER spool=$PWD/spool"
  STEP='srun -N2 -n4'
  launch
  base=$(sort -k2n out | tail -1 | cut -d' ' -f2)
  cut -d' ' -f1,3 out | sort >masks
  [ "$(wc -l <masks)" -eq 4 ]
}

plugstack() { # WORDS
  printf 'optional %s %s\noptional %s\n' "$TOPOMAP_BUILD/plugin/.libs/spank_topomap.so" "$1" \
    "$TOPOMAP_BUILD/tests/slurm/.libs/damage.so" >"$BED/etc/plugstack.conf"
}

launch() { # [NAME=VALUE...]: out, err
  # shellcheck disable=SC2086 # words
  env "$@" timeout 60 $STEP sh -c "$show" </dev/null >out 2>err
}

# costs_a_line TEXT NAME=VALUE...
costs_a_line() {
  local text=$1 peak
  shift
  echo "$text: ${*:0:200}"
  launch "$@"
  cat err out
  peak=$(sort -k2n out | tail -1 | cut -d' ' -f2)
  echo "slurmstepd has $peak KiB at most ($base)"
  cut -d' ' -f1,3 out | sort | diff masks -
  [ "$(grep -c topomap: err)" -eq 1 ]
  grep -qF -- "$text" err
  grep -q "binding" err
  ((peak < base + 4096))
  all_idle
}

all_idle() {
  local i
  for i in {1..600}; do
    [ "$(sinfo -h -N -o %T | sort -u)" != idle ] || return 0
    sleep 0.1
  done
  sinfo -N
  return 1
}

# Helpers of this build that nothing holds are gone.
none_left() {
  local i process left
  for i in {1..600}; do
    left=
    for process in /proc/[0-9]*; do
      [[ $(readlink "$process/exe") != "$HELPER" ]] || left+=" $process"
    done
    [ -n "$left" ] || return 0
    sleep 0.1
  done
  echo "left: $left"
  return 1
}

@test "bindings that unfold to hundreds of megabytes, are long, or none" {
  costs_a_line memory DAMAGE_BINDINGS=T1kzHDBogACn_fBAn_fABBiggAt74EP_74IBACo-7cq
  costs_a_line longer DAMAGE_BINDINGS="T1$(head -c 100000 /dev/zero | tr '\0' A)"
  costs_a_line checksum DAMAGE_BINDINGS="T1$(head -c 60000 /dev/zero | tr '\0' _)"
  costs_a_line version DAMAGE_BINDINGS=' '
  none_left
}

@test "a plan's file that is too large, a link, a pipe, a folder, another's, everybody's, has two names" {
  local note="01234567 $PWD/spool/topomap-@-ABCDEF"
  truncate -s 64M large
  costs_a_line 67108864 DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/large"
  ln -s /etc/passwd link
  costs_a_line "Too many levels of symbolic links" DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/link"
  mkfifo pipe
  costs_a_line plan DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/pipe"
  mkdir folder
  costs_a_line plan DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/folder"
  echo plan >others && chown 12345 others
  costs_a_line plan DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/others"
  echo plan >everybodys && chmod 666 everybodys
  costs_a_line plan DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/everybodys"
  echo plan >two && ln two names
  costs_a_line plan DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/two"
  echo plan >one
  costs_a_line plan DAMAGE_NOTE="$note" DAMAGE_FILE="$PWD/one"
  none_left
}

@test "a plan's file elsewhere, of another step, or where the node names no folder" {
  local path
  for path in /etc/passwd "$PWD/topomap-@-ABCDEF" "$PWD/spool/../topomap-@-ABCDEF" "$PWD/spool/topomap-1.@-ABCDEF" \
    "$PWD/spool/topomap-@-ABCDEFG" "$PWD/spool/x/topomap-@-ABCDEF"; do
    costs_a_line spool= DAMAGE_NOTE="01234567 $path"
  done
  costs_a_line name DAMAGE_NOTE=01234567
  plugstack "node_helper=$HELPER"
  costs_a_line "names no folder, spool=" DAMAGE_NOTE="01234567 $PWD/spool/topomap-@-ABCDEF"
}

@test "a spool folder on a file system that never answers" {
  needs_stuck
  plugstack "node_helper=$HELPER spool=$STUCK"
  costs_a_line "topomap-node did not answer within 1000 ms" DAMAGE_NOTE="01234567 $STUCK/topomap-@-ABCDEF"
}

@test "the node helper on a file system that never answers, not there, none" {
  local one=T1kzHDBogACn_fBAn_fABBiggAt74EP_74IBACo-7cq
  plugstack node_helper=/nonexist/topomap-node
  costs_a_line "cannot start /nonexist/topomap-node: No such file or directory" DAMAGE_BINDINGS=$one
  plugstack node_helper=/bin/true
  costs_a_line "topomap-node ended without an answer" DAMAGE_BINDINGS=$one
  # A step that carries nothing starts none, whatever the node says.
  plugstack node_helper=/nonexist/topomap-node
  launch
  silent err
  needs_stuck
  plugstack "node_helper=$STUCK/topomap-node"
  costs_a_line "did not start within 1000 ms" DAMAGE_BINDINGS=$one
}

@test "the same as another user" {
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null || true
  STEP="setpriv --reuid=65534 --regid=65534 --clear-groups $STEP"
  launch || skip "no launch as nobody here"
  "$HELPER" --version >/dev/null
  setpriv --reuid=65534 test -x "$HELPER" || skip "the build folder is not everybody's"
  echo root >roots && chmod 600 roots
  costs_a_line memory DAMAGE_BINDINGS=T1kzHDBogACn_fBAn_fABBiggAt74EP_74IBACo-7cq
  mv roots "spool/topomap-1.0-ABCDEF"
  costs_a_line spool= DAMAGE_NOTE="01234567 $PWD/spool/topomap-1.0-ABCDEF"
}

# Those that hung until here end with the file system.
@test "nothing is left when the file system lets go" {
  needs_stuck
  release_stuck
  none_left
  all_idle
}
