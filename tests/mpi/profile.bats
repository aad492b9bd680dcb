#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The profiler under each MPI: what it writes is what the programs sent.

load mpis

setup_file() {
  export TOPOMAP=$TOPOMAP_BUILD/cli/topomap
  mpi_settings
  export OMPI_MCA_btl=tcp,self,vader
  local mpi
  for mpi in $MPIS; do
    mpi_is_here $mpi || continue
    mpi_compile $mpi -w -o "$BATS_FILE_TMPDIR/traffic.$mpi" "$TOPOMAP_SOURCE/tests/mpi/traffic.c"
  done
}

# run MPI RANKS PROGRAM...: under the profiler, which writes $profile.
profiled() {
  local mpi=$1 ranks=$2; shift 2
  local library=$TOPOMAP_BUILD/contrib/profile/libtopomap-profile-$(mpi_kind "$mpi").so
  [ -e "$library" ] && mpi_is_here "$mpi" || skip "no $mpi here"
  mpi_run "$mpi" "$ranks" env LD_PRELOAD="$library" TOPOMAP_PROFILE="$profile" "$@"
}

setup() {
  profile=$BATS_TEST_TMPDIR/profile.tmg
}

# The arcs of the profile as lines from,to,bytes,messages.
arcs() {
  "$TOPOMAP" graph convert "$profile" "$BATS_TEST_TMPDIR/arcs.csv"
  grep '^[0-9]' "$BATS_TEST_TMPDIR/arcs.csv"
}

traffic() {
  profiled "$1" "$2" "$BATS_FILE_TMPDIR/traffic.$1" "$BATS_TEST_TMPDIR/expected"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/expected")" -ge 12 ]
  arcs | diff "$BATS_TEST_TMPDIR/expected" -
}

# ring INTERFACE MPI: 3 ranks, each 50 + 2 * 25 doubles to the next, and one to rank 0.
ring() {
  local use=$1 mpi=$2 request=integer
  mpi_has_fortran "$mpi" || skip "no Fortran for $mpi here"
  case $use in
    mpif) use="implicit none\n  include 'mpif.h'" ;;
    mpi) use="use mpi" ;;
    mpi_f08) use="use mpi_f08"; request="type(MPI_Request)" ;;
  esac
  sed "s/@USE@/$use/; s/@REQUEST@/$request/" "$TOPOMAP_SOURCE/tests/mpi/ring.f90.in" \
    >"$BATS_TEST_TMPDIR/ring.f90"
  mpifort.$mpi -w -fallow-argument-mismatch -o "$BATS_TEST_TMPDIR/ring" "$BATS_TEST_TMPDIR/ring.f90"
  profiled "$mpi" 3 "$BATS_TEST_TMPDIR/ring"
  [ "$(arcs | tr '\n' ' ')" = "0,1,800,3 1,0,8,1 1,2,800,3 2,0,808,4 " ]
}

@test "Open MPI, C: every kind of call, on 4 and 7 ranks" {
  traffic openmpi 4
  traffic openmpi 7
}

@test "MPICH, C: every kind of call, on 4 and 7 ranks" {
  traffic mpich 4
  traffic mpich 7
}

@test "the standard's ABI over Open MPI, C: every kind of call, on 4 and 7 ranks" {
  traffic abi-openmpi 4
  traffic abi-openmpi 7
}

@test "the standard's ABI over MPICH, C: every kind of call, on 4 and 7 ranks" {
  traffic abi-mpich 4
  traffic abi-mpich 7
}

@test "Open MPI, Fortran: mpif.h" { ring mpif openmpi; }
@test "Open MPI, Fortran: use mpi" { ring mpi openmpi; }
@test "Open MPI, Fortran: use mpi_f08" { ring mpi_f08 openmpi; }
@test "MPICH, Fortran: mpif.h" { ring mpif mpich; }
@test "MPICH, Fortran: use mpi" { ring mpi mpich; }
@test "MPICH, Fortran: use mpi_f08" { ring mpi_f08 mpich; }

@test "a profile is a communication graph: it maps" {
  traffic mpich 4
  run "$TOPOMAP" map --graph "$profile" --machine tree:2:2@1:10 --json
  [ "$status" -eq 0 ]
  [ "$(jq .ranks <<<"$output")" = 4 ]
  "$TOPOMAP" graph info "$profile" | grep 'MPI profile of traffic'
}

@test "without TOPOMAP_PROFILE nothing is written" {
  profile=
  profiled mpich 4 "$BATS_FILE_TMPDIR/traffic.mpich" "$BATS_TEST_TMPDIR/expected"
  [ "$(ls "$BATS_TEST_TMPDIR")" = expected ]
}

@test "a profile that cannot be written is one line, and the program ends well" {
  profile=$BATS_TEST_TMPDIR/none/profile.tmg
  run profiled mpich 4 "$BATS_FILE_TMPDIR/traffic.mpich" "$BATS_TEST_TMPDIR/expected"
  [ "$status" -eq 0 ]
  [ "$output" = "topomap: no profile in $profile: cannot be written: No such file or directory" ]
}
