#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The profiler tells phases apart, under each MPI: what each has, and where there are none.
bats_require_minimum_version 1.5.0

load profiler

setup() {
  cd "$BATS_TEST_TMPDIR"
  profile=$PWD/profile.tmg
}

# The bytes of rank 1's arcs, phase by phase: "1>5:500000 / 1>2:250000".
phases() {
  "$TOPOMAP" graph convert "$profile" x.json
  jq -r '[.phases // [] | .[] | [.arcs[] | select(.[0] == 1 and .[2] > 0) | "1>\(.[1]):\(.[2])"] | join(" ")] | join(" / ")' x.json
}

# program MPI WHAT: tests/mpi/phases.c on 8 ranks; the whole profile is what it is without borders.
program() {
  rm -f "$profile"
  mpi_run "$1" 8 env LD_PRELOAD="$(library "$1")" TOPOMAP_PROFILE="$profile" ./phases "$2"
  [ -e "$profile" ]
}

each_mpi() { # FUNCTION
  local mpi tried=0
  for mpi in $MPIS; do
    mpi_is_here "$mpi" && [ -e "$(library "$mpi")" ] || continue
    echo "$mpi"
    mpi_compile "$mpi" -w -O0 -pthread -o phases "$TOPOMAP_SOURCE/tests/mpi/phases.c"
    "$1" "$mpi"
    tried=1
  done
  [ "$tried" = 1 ] || skip "no MPI here"
}

is_two() {
  [ "$(phases)" = "1>5:500000 / 1>2:250000" ]
  [ "$("$TOPOMAP" graph info "$profile" --json | jq -c '[.bytes, .phases, .phase_bytes]')" = "[6000000,2,[4000000,2000000]]" ]
}

two() {
  local what
  for what in two dup; do
    echo "$what"
    program "$1" "$what"
    is_two
  done
}

own() {
  program "$1" own
  [ "$(phases)" = "$(for to in 0 2 3 4 5 6 7; do printf '1>%d:250000 ' "$to"; done)/ 1>2:250000" ]
}

start() {
  program "$1" start
  [ "$(phases)" = "1>5:500000 / 1>2:250512" ]
}

one() {
  local what
  for what in one parts pending apart alike; do
    echo "$what"
    program "$1" "$what"
    [ "$("$TOPOMAP" graph info "$profile" --json | jq '.phases')" = null ]
    [ "$what" = one ] || "$TOPOMAP" graph info "$profile" --json | jq -e '.bytes == 6000000'
  done
}

threads() {
  program "$1" threads
  "$TOPOMAP" graph info "$profile" --json | jq -e '.phases == null and .bytes == 6000000'
}

# bats test_tags=campaign
@test "an iteration of two phases, by borders of all ranks" {
  each_mpi two
}

@test "a collective that all wait for is a phase of its own" {
  each_mpi own
}

@test "borders that the program passes once leave room for those of its iterations" {
  each_mpi start
}

# bats test_tags=campaign
@test "one phase: all alike, no borders of all ranks, nobody waits, or ranks that disagree" {
  each_mpi one
}

@test "one phase: borders of several threads" {
  each_mpi threads
}

fortran() {
  local mpi use
  case $1 in abi-*) return 0 ;; esac
  mpi=$1
  mpi_has_fortran "$mpi" || return 0
  for use in "implicit none\n  include 'mpif.h'" "use mpi" "use mpi_f08"; do
    echo "$use"
    sed "s/@USE@/$use/" "$TOPOMAP_SOURCE/tests/mpi/phases.f90.in" >phases.f90
    mpifort.$mpi -w -fallow-argument-mismatch -o phases phases.f90
    program "$mpi" ""
    "$TOPOMAP" graph convert "$profile" x.json
    jq -e '[.phases[].arcs[] | select(.[0] == 1 and .[2] > 1000) | [.[1], (.[2] / 1000 | floor)]] == [[5, 80], [2, 40]]' x.json
  done
}

# bats test_tags=campaign
@test "Fortran: an iteration of two phases" {
  each_mpi fortran
}

# bats test_tags=campaign
@test "phases add up, and the time of a map knows them" {
  mpi_is_here mpich && [ -e "$(library mpich)" ] || skip "no mpich here"
  mpi_compile mpich -w -O0 -pthread -o phases "$TOPOMAP_SOURCE/tests/mpi/phases.c"
  program mpich two
  run -0 "$TOPOMAP" graph info "$profile"
  [[ $output == *"phases    2: 66.7 %, 33.3 %"* ]]
  "$TOPOMAP" graph convert "$profile" x.json
  jq -e '(.arcs | map(.[2:]) | transpose | map(add)) == ([.phases[].arcs[]] | map(.[2:]) | transpose | map(add))' x.json
  "$TOPOMAP" eval --graph "$profile" --machine fattree:k=4,levels=2 --time --json | jq -e '.time.phases | length == 2'
}
