#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# However ranks end, a program that is profiled ends as it does without: the same status, the same
# output, and nobody waits for a rank that has gone.
bats_require_minimum_version 1.5.0

load profiler
load ends

setup() {
  cd "$BATS_TEST_TMPDIR"
  profile=$PWD/profile.tmg
  export MPI_SECONDS=60 # where one rank hangs, the MPI's own ranks hang with it
}

# ended MPI WORD...: runs the program, whose output is in `out`, and prints its status.
ended() {
  local mpi=$1 status=0
  shift
  mpi_run "$mpi" 3 "$@" >out 2>err || status=$?
  echo "$status"
}

# What a run has left beside the file's name: "whole", "parts" or "nothing"; both is a mistake.
left() {
  local found=
  [ ! -e "$profile" ] || found=whole
  [ ! -e "$profile.parts" ] || found=${found}parts
  echo "${found:-nothing}"
}

check_left() { # PROFILE WHO
  case $1-$2 in
    whole-*) [ "$(left)" = whole ] ;;
    either-*) ;;
    files-all) [ "$(left)" = nothing ] ;;
    *) [ "$(left)" != whole ] ;;
  esac
  [ "$1" = either ] || [ ! -e "$profile.parts" ] || run -3 "$TOPOMAP" graph info "$profile.parts"
}

unprofiled() { ended "$1" ./ends "$2" "$3"; }

profiled() {
  rm -rf "$profile" "$profile.parts"
  ended "$1" env LD_PRELOAD="$(library "$1")" TOPOMAP_PROFILE="$profile" ./ends "$2" "$3"
}

walk() { # MPI
  local mpi=$1 end who what status
  mpi_compile "$mpi" -w -pthread -o ends "$TOPOMAP_SOURCE/tests/mpi/ends.c"
  while read -r end who what status; do
    ends_alike "$mpi" "$end" "$who" "$status"
    [ "$end $who" = "no-files all" ] || ! grep -q '^topomap:' out.profiled err.profiled
    check_left "$what" "$who"
  done < <(ends_rows)
}

@test "Open MPI" {
  mpi_is_here openmpi && [ -e "$(library openmpi)" ] || skip "no Open MPI here"
  walk openmpi
}

@test "MPICH" {
  mpi_is_here mpich && [ -e "$(library mpich)" ] || skip "no MPICH here"
  walk mpich
}

@test "a rank that never ends: the others' parts are there, and the signal that ends it comes as ever" {
  local mpi status
  for mpi in openmpi mpich; do
    mpi_is_here $mpi && [ -e "$(library $mpi)" ] || continue
    mpi_compile $mpi -w -pthread -o ends "$TOPOMAP_SOURCE/tests/mpi/ends.c"
    rm -rf "$profile.parts"
    status=$(MPI_SECONDS=4 ended $mpi env LD_PRELOAD="$(library $mpi)" TOPOMAP_PROFILE="$profile" ./ends never one)
    echo "$mpi: $status"
    [ "$status" -ne 0 ]
    [ ! -e "$profile" ]
    run -3 "$TOPOMAP" graph info "$profile.parts"
    [[ $output == *"rank 2 "*3* ]]
  done
}
