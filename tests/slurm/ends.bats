#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# However the ranks of a step end, it ends under --topomap=auto as it does without: the same status,
# the same output, and no sooner a profile than all of them have come to the end of MPI.
bats_require_minimum_version 1.5.0

load ../mpi/mpis
load ../mpi/ends
load mpis
load bed

setup_file() {
  bed_up --nodes 2 --cpus 8
  for mpi in $MPIS; do
    mpi_is_here $mpi || continue
    mpi_compile $mpi -w -pthread -o "ends.$mpi" "$TOPOMAP_SOURCE/tests/mpi/ends.c"
  done
}

teardown_file() { bed_down; }

setup() { bed_begin; }

# ended MPI OPTION -- WORD...: what srun says is in `err`, what the program says in `out`; prints the status.
ended() {
  local mpi=$1 option=$2 type status=0
  shift 3
  case $mpi in *mpich) type=pmi2 ;; *) type=pmix ;; esac
  timeout 60 srun --mpi=$type -K -N2 -n4 --ntasks-per-node=2 $option "$BATS_FILE_TMPDIR/ends.$mpi" "$@" \
    </dev/null >out 2>err || status=$?
  echo "$status"
}

profiles() { topomap profile list --json | jq 'map(select(.graph)) | length'; }

unprofiled() { ended "$1" --topomap=off -- "$2" "$3"; }

profiled() {
  rm -rf cache
  ended "$1" --topomap=auto -- "$2" "$3"
}

walk() { # MPI
  local mpi=$1 end who what status
  while read -r end who what status; do
    case $end in
      no-files) what=whole ;;
    esac
    ends_alike "$mpi" "$end" "$who" "$status"
    # The profiled run's: unprofiled ones leave none.
    case $what in
      none) [ "$(profiles)" -eq 0 ] ;;
      whole) [ "$(profiles)" -eq 1 ] ;;
    esac
  done < <(ends_rows)
}

@test "MPICH" {
  [ -x "$BATS_FILE_TMPDIR/ends.mpich" ] || skip "no MPICH here"
  need_mpi pmi2
  walk mpich
}

@test "Open MPI" {
  [ -x "$BATS_FILE_TMPDIR/ends.openmpi" ] || skip "no Open MPI here"
  need_mpi pmix
  walk openmpi
}

@test "MPICH: ranks that have no memory left" {
  [ -x "$BATS_FILE_TMPDIR/ends.mpich" ] || skip "no MPICH here"
  need_mpi pmi2
  [ "$(unprofiled mpich no-memory all)" -eq 0 ] || skip "this MPICH needs some memory"
  [ "$(profiled mpich no-memory all)" -eq 0 ]
  [ "$(end_lines out | wc -l)" -eq 4 ]
  [ "$(profiles)" -eq 1 ]
}

# What a rank calls between MPI_Finalize and what MPI does first there.
quiet() { # MPI
  local mpi=$1
  [ -x "$BATS_FILE_TMPDIR/ends.$mpi" ] || return 0
  [ "$(unprofiled "$mpi" watching all)" -eq 0 ]
  ! grep -qx unwatched out || skip "needs PR_SET_SYSCALL_USER_DISPATCH"
  cp out plain
  [ "$(profiled "$mpi" watching all)" -eq 0 ]
  [ "$(end_lines out | wc -l)" -eq 8 ]
  end_lines plain | diff - <(end_lines out)
  [ "$(profiles)" -eq 1 ]
}

@test "MPICH: a rank's end makes no system call of the profiler's" { need_mpi pmi2; quiet mpich; }

@test "Open MPI: a rank's end makes no system call of the profiler's" { need_mpi pmix; quiet openmpi; }

# The MPI that the rest takes.
one() {
  MPI=mpich
  [ -x "$BATS_FILE_TMPDIR/ends.mpich" ] && starts_mpi pmi2 || MPI=openmpi
  [ -x "$BATS_FILE_TMPDIR/ends.$MPI" ] || skip "no MPI here"
}

@test "a rank that never ends, and scancel" {
  one
  ended "$MPI" "-J never --topomap=auto" -- never one >status &
  local i
  for i in {1..600}; do [ "$(end_lines out 2>/dev/null | wc -l)" -lt 4 ] || break; sleep 0.1; done
  scancel -n never
  wait
  [ "$(cat status)" -ne 0 ]
  settled
  [ "$(profiles)" -eq 0 ]
}

# How many processes have the memory of a step whose profile goes to this test's folder; its head says
# which that is (lib/graph/formats/parts.h). slurmstepd's environment does not tell, which slurmd clears
# from 23.11 on.
memories() {
  local memory
  find /proc/[0-9]*/fd -lname '/memfd:topomap*' 2>/dev/null | while read -r memory; do
    ! head -c 8192 "$memory" 2>/dev/null | grep -qaF "$theirs" || echo "$memory" | cut -d/ -f3
  done | sort -u | wc -l
}

helpers() { find /proc/[0-9]*/exe -lname "$BATS_FILE_TMPDIR/the-helper" 2>/dev/null | wc -l; }

# gone WHAT: srun ends before slurmstepd, which is not waited for on the node.
gone() {
  for _ in {1..600}; do [ "$("$1")" -ne 0 ] || return 0; sleep 0.1; done
  echo "$("$1") $1 are left"
  return 1
}

@test "nothing of it is left on the node, and an ordinary user's part is that user's" {
  one
  id nobody >/dev/null || skip "no user nobody"
  local theirs
  theirs=$(mktemp -d /tmp/topomap-theirs.XXXXXX)
  chmod 777 "$theirs"
  chmod o+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file" "$BATS_FILE_TMPDIR"
  # The helper by a name that no other suite's has.
  cp "$TOPOMAP_BUILD/plugin/topomap-node" "$BATS_FILE_TMPDIR/the-helper"
  plugstack "node_helper=$BATS_FILE_TMPDIR/the-helper"
  cd "$theirs"
  XDG_CACHE_HOME=$theirs/cache setpriv --reuid=nobody --regid=nogroup --clear-groups srun \
    --mpi="$([ $MPI = mpich ] && echo pmi2 || echo pmix)" -N2 -n4 --topomap=auto "$BATS_FILE_TMPDIR/ends.$MPI" finalize all </dev/null
  ls cache/topomap/profiles/*.tmg
  [ "$(find cache -not -user nobody | wc -l)" -eq 0 ]
  gone helpers
  gone memories
  # It would have been seen.
  local seen=0
  XDG_CACHE_HOME=$theirs/mine timeout 60 srun -N2 -n2 --topomap=auto --topomap-options=mpi=$MPI,key=seen \
    sh -c ': >up; while [ ! -e down ]; do sleep 0.1; done' </dev/null &
  for _ in {1..600}; do [ ! -e up ] || break; sleep 0.1; done
  for _ in {1..600}; do seen=$(memories); [ "$seen" -eq 0 ] || break; sleep 0.1; done
  : >down
  wait
  [ "$seen" -gt 0 ]
  cd /
  rm -rf "$theirs"
}

@test "a helper that hangs holds up no step" {
  one
  local helper
  helper=$(sed -n 's/.*node_helper=\([^ ]*\).*/\1/p' "$BED/plain")
  printf '#!/bin/sh\n[ "$1" != collect ] || exec sleep 1000.%s\nexec "%s" "$@"\n' $$ "$helper" >slow
  chmod +x slow
  chmod o+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$BATS_TEST_TMPDIR" 2>/dev/null || true
  plugstack "node_helper=$PWD/slow node_ms=1000"
  [ "$(ended "$MPI" --topomap=auto -- finalize all)" -eq 0 ]
  [ "$(end_lines out | wc -l)" -eq 4 ]
  settled
  [ "$(profiles)" -eq 0 ]
  ! pgrep -fx "sleep 1000.$$" || false
}

@test "the ranks touch no file of it" {
  one
  strace -o self true 2>/dev/null || skip "no strace"
  local type=pmix
  [ $MPI = openmpi ] || type=pmi2
  printf '#!/bin/sh\nexec strace -ff -y -e trace=%%file,write,writev,ftruncate -o "%s/calls" "$@"\n' "$PWD" >traced
  chmod +x traced
  srun --mpi=$type -N2 -n4 --topomap=auto ./traced "$BATS_FILE_TMPDIR/ends.$MPI" finalize all </dev/null >out 2>err
  [ "$(profiles)" -eq 1 ]
  [ "$(cat calls.* | wc -l)" -ge 100 ]
  ! grep -h "$PWD/cache" calls.* || false
}
