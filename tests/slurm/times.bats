#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the parts of a profiled step say beside its messages: the time in MPI and in all, and how a task has failed.
# bats file_tags=campaign
bats_require_minimum_version 1.5.0

load ../mpi/mpis
load mpis
load bed

setup_file() {
  bed_up --nodes 2 --cpus 8
  for mpi in $MPIS; do
    mpi_is_here $mpi || continue
    mpi_compile $mpi -w -pthread -o "waits.$mpi" "$TOPOMAP_SOURCE/tests/mpi/waits.c"
    mpi_compile $mpi -w -pthread -o "ends.$mpi" "$TOPOMAP_SOURCE/tests/mpi/ends.c"
  done
}

teardown_file() { bed_down; }

# Between the plugin and the planner: the run's folder is kept before anything is made of it.
setup() {
  bed_begin
  local real
  real=$(sed -n 's/.*planner=\([^ ]*\).*/\1/p' "$BED/plain")
  [ -x "$real" ]
  cat >between <<END
#!/bin/sh
[ "\$1" != end ] || { rm -rf "$PWD/kept"; cp -r "$PWD/cache/topomap/run" "$PWD/kept"; }
exec "$real" "\$@"
END
  chmod +x between
  sed "s,planner=[^ ]*,planner=$PWD/between," "$BED/plain" >"$BED/etc/plugstack.conf"
}

# parts MPI WORD...: runs it, profiled, 2 ranks on each of 2 nodes; what `graph info` says of its parts is in `info`
# and, where that is a graph, in `json`.
parts() {
  local mpi=$1 type
  shift
  case $mpi in *mpich) type=pmi2 ;; *) type=pmix ;; esac
  rm -rf cache kept
  timeout 60 srun -K --mpi=$type -N2 -n4 --ntasks-per-node=2 --topomap=auto "$@" </dev/null >out 2>err || true
  [ -n "$(find kept -name 'part.*')" ]
  topomap graph info kept/* >info 2>&1 || true
  topomap graph info kept/* --json >json 2>/dev/null || true
  cat out err info
}

# MPI on this machine, for `one`.
one() {
  MPI=mpich
  [ -x "$BATS_FILE_TMPDIR/waits.mpich" ] && starts_mpi pmi2 || MPI=openmpi
  [ -x "$BATS_FILE_TMPDIR/waits.$MPI" ] || skip "no MPI here"
}

# holds CONDITION: of `json`. Other work makes every time longer, none shorter.
holds() { jq -e "$1" json; }

times() { # MPI
  local waits=$BATS_FILE_TMPDIR/waits.$1
  [ -x "$waits" ] || skip "no $1 here"
  need_mpi "$2"
  parts "$1" "$waits" sleep
  holds '.wall_seconds >= 0.99 and .mpi_seconds < .wall_seconds / 2'
  parts "$1" "$waits" barrier # three of four ranks wait
  holds '.wall_seconds >= 0.99 and .mpi_seconds >= 0.7 and .mpi_seconds < .wall_seconds'
  parts "$1" "$waits" messages # two of four
  holds '.mpi_seconds >= 0.45 and .mpi_seconds < 0.9 * .wall_seconds'
  parts "$1" "$waits" operation # all, and no second twice
  holds '.mpi_seconds <= .wall_seconds and .mpi_seconds >= 0.99'
  parts "$1" "$waits" threads # two of four
  holds '.mpi_seconds >= 0.45 and .mpi_seconds < 0.9 * .wall_seconds'
  grep -q '^time  *[0-9.]* s .*MPI_Init.*MPI_Finalize.* [0-9.]* s, [0-9.]* %' info
}

@test "time, MPICH" { times mpich pmi2; }

@test "time, Open MPI" { times openmpi pmix; }

fortran() { # MPI TYPE
  [ -x "$BATS_FILE_TMPDIR/waits.$1" ] || skip "no $1 here"
  mpi_has_fortran "$1" || skip "no Fortran for $1 here"
  need_mpi "$2"
  local use request
  while IFS='|' read -r use request; do
    sed "s/@USE@/$use/; s/@REQUEST@/$request/" "$TOPOMAP_SOURCE/tests/mpi/waits.f90.in" >waits.f90
    "mpifort.$1" -w -fallow-argument-mismatch -o waits waits.f90
    parts "$1" ./waits # two of four
    holds '.wall_seconds >= 1.04 and .mpi_seconds >= 0.5 and .mpi_seconds < 0.9 * .wall_seconds'
  done <<<"implicit none\n  include 'mpif.h'|integer
use mpi|integer
use mpi_f08|type(MPI_Request)"
}

@test "time, MPICH, Fortran" { fortran mpich pmi2; }

@test "time, Open MPI, Fortran" { fortran openmpi pmix; }

@test "how a task has failed" {
  one
  parts $MPI "$BATS_FILE_TMPDIR/ends.$MPI" exit-3 one
  grep -q 'profile: .* status 3$' info
  parts $MPI "$BATS_FILE_TMPDIR/ends.$MPI" kill one
  grep -q 'profile: .* signal 9$' info
  # After MPI's end: all are whole, and still it is no success.
  parts $MPI "$BATS_FILE_TMPDIR/waits.$MPI" none 5
  jq -e '.failed.exit_status == 5 and .ranks == 4' json
  grep -q '^failed  *.*part\.[01].* 5$' info
  parts $MPI "$BATS_FILE_TMPDIR/waits.$MPI" none
  jq -e '.failed == null and .ranks == 4' json
  # No rank of MPI at all.
  timeout 60 srun -N2 -n4 --topomap=auto --topomap-options=mpi=$MPI,key=none sh -c 'exit 4' </dev/null || true
  [ -n "$(find kept -name 'part.*')" ]
  run topomap graph info kept/*
  [[ $output == *'rank 0 '*4*0*part.*' status 4' ]]
}
