#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The profiler where programs do more than send: threads, spawned processes, aborts, MPIs that are loaded
# late or not at all, ranks that lack it; and Fortran's other calls.
bats_require_minimum_version 1.5.0

load profiler

setup() {
  cd "$BATS_TEST_TMPDIR"
  profile=$PWD/profile.tmg
}

teardown() {
  ! mountpoint -q readonly/p.tmg.parts || umount readonly/p.tmg.parts
  ! mountpoint -q readonly || umount readonly
}

# here MPI SOURCE: compiles tests/mpi/SOURCE.c as ./SOURCE
here() {
  mpi_is_here "$1" && [ -e "$(library "$1")" ] || return 1
  mpi_compile "$1" -w -pthread -o "$2" "$TOPOMAP_SOURCE/tests/mpi/$2.c"
}

# profiled MPI RANKS PROGRAM...
profiled() {
  local mpi=$1 ranks=$2
  shift 2
  rm -f "$profile"
  mpi_run "$mpi" "$ranks" env LD_PRELOAD="$(library "$mpi")" TOPOMAP_PROFILE="$profile" "$@"
}

other_calls() {
  here "$1" calls
  local ranks
  for ranks in 2 3; do
    profiled "$1" "$ranks" ./calls expected
    [ "$(wc -l <expected)" -ge 2 ]
    arcs >/dev/null
    grep '^[0-9]' arcs.csv | diff expected -
  done
}
@test "every other call: with requests, persistent, one-sided, among neighbours" { each_mpi other_calls; }

# Bytes between every two of 8 ranks, but for what monitoring counts of MPI_Init.
@test "collectives are what Open MPI's own monitoring counts" {
  here openmpi collectives || skip "no Open MPI here"
  ompi_info 2>/dev/null | grep -q 'MCA pml: monitoring' || skip "no monitoring here"
  ompi_info | grep -Eq 'Open MPI: (4\.1|5|v?6)' || skip "another Open MPI"
  mkdir alone counted
  OMPI_MCA_pml_monitoring_enable=2 OMPI_MCA_pml_monitoring_enable_output=3 OMPI_MCA_pml_monitoring_filename=$PWD/alone/p \
    mpi_run openmpi 2 ./collectives 4096 >/dev/null 2>&1 || skip "its monitoring crashes by itself" # 6.0rc2
  OMPI_MCA_pml_monitoring_enable=2 OMPI_MCA_pml_monitoring_enable_output=3 OMPI_MCA_coll_han_priority=0 \
    OMPI_MCA_pml_monitoring_filename=$PWD/counted/p profiled openmpi 8 ./collectives 4096 65536
  cat counted/*.prof >counted/all.prof
  "$TOPOMAP" graph convert counted/all.prof counted.csv
  arcs >/dev/null
  awk -F, '/^[0-9]/ { if (FILENAME == "arcs.csv") ours[$1 "," $2] = $3; else theirs[$1 "," $2] = $3 }
    END {
      for (pair in theirs) {
        off = ours[pair] - theirs[pair]
        if (off < 0) off = -off
        if (off > theirs[pair] / 50 + 1000) { print pair, ours[pair], theirs[pair]; bad = 1 }
        n++
      }
      for (pair in ours) if (!(pair in theirs)) { print pair, "ours alone"; bad = 1 }
      exit bad || n < 20
    }' arcs.csv counted.csv
}

threads() {
  here "$1" threads
  local status=0
  # Programs with threads at times never end under Open MPI 6.0.0's release candidates, with or without the profiler.
  ! "mpirun.$1" --version 2>/dev/null | grep -q ' 6\.0\.0rc' || return 0
  profiled "$1" 3 ./threads || status=$?
  [ "$status" -ne 77 ] || return 0
  [ "$status" -eq 0 ]
  [ "$(arcs)" = "0,1,16000,2000 1,2,16000,2000 2,0,16000,2000 " ]
}
# bats test_tags=campaign
@test "threads: no message is lost" { each_mpi threads; }

spawned() {
  here "$1" spawn
  # Debian's MPICH 4.0 cannot spawn, with or without the profiler.
  mpi_run "$1" 2 "$PWD/spawn" >/dev/null 2>&1 || return 0
  profiled "$1" 2 "$PWD/spawn"
  [ "$(arcs)" = "0,1,40,1 " ]
}
@test "MPI_Comm_spawn: the job alone, not what it spawns" { each_mpi spawned; }

aborted() {
  here "$1" traffic
  run profiled "$1" 2 ./traffic # without its operand: usage, MPI_Abort
  [ "$status" -ne 0 ]
  [ ! -e "$profile" ]
  run -3 "$TOPOMAP" graph info "$profile.parts"
  [[ $output == *"profile: rank "* ]]
  rm -r "$profile.parts"
}
@test "MPI_Abort: the process that gives up leaves a part that is not whole" { each_mpi aborted; }

# As an interpreter does it: MPI comes with an extension, and is not there for all.
late() {
  cat >extension.c <<'END'
#include <mpi.h>
int run(void)
{
    int rank, other;
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return other != 1 - rank;
}
END
  cat >interpreter.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *extension = dlopen("./extension.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = extension ? (int (*)(void))dlsym(extension, "run") : 0;
    return run ? run() : (puts(dlerror()), 2);
}
END
  mpi_compile "$1" -shared -fPIC -o extension.so extension.c
  cc -o interpreter interpreter.c -ldl
  profiled "$1" 2 ./interpreter
  [ "$(arcs)" = "0,1,4,1 1,0,4,1 " ]
}
@test "an MPI that an interpreter loads for itself" { each_mpi late; }

# strange MPI LEAST PROGRAM...: runs well under the profilers of other MPIs, unprofiled, which LEAST lines or one say.
strange() {
  local mpi=$1 least=$2 kind said
  shift 2
  for kind in openmpi mpich mpi-abi; do
    [ "$kind" != "$(mpi_kind "$mpi")" ] && [ -e "$(library "$kind")" ] || continue
    echo "$mpi under the profiler of $kind"
    run -0 mpi_run "$mpi" 3 env LD_PRELOAD="$(library "$kind")" TOPOMAP_PROFILE="$profile" "$@"
    echo "$output"
    said=$(grep -c "^topomap: .*profile.* lib.*" <<<"$output" || true)
    [ "$said" -ge "$least" ]
    [ "$said" -le 1 ]
    [ ! -e "$profile" ]
  done
}

strange_calls() {
  here "$1" calls
  strange "$1" 1 ./calls expected
}
@test "the profiler of another MPI: nothing is recorded, and every call goes through" { each_mpi strange_calls; }

harmless() {
  run -0 env LD_PRELOAD="$(library "$1")" TOPOMAP_PROFILE="$profile" sh -c 'echo well; true'
  [ "$output" = well ]
  run -0 env LD_BIND_NOW=1 LD_PRELOAD="$(library "$1")" TOPOMAP_PROFILE="$profile" /bin/echo well
  [ "$output" = well ]
  ! ldd "$(library "$1")" | grep -i mpi || false
  [ ! -e "$profile" ]
}
@test "programs without MPI start with it, and need no MPI" { each_mpi harmless; }

# Where a rank has no part, the parts of the others stay, and say which one it is; the next run starts anew.
lacking() {
  here "$1" threads
  local rank='${PMI_RANK:-$OMPI_COMM_WORLD_RANK}' without
  mkdir "$1" && profile=$PWD/$1/p.tmg
  for without in 0 1; do
    rm -f "$profile"
    profiled "$1" 2 sh -c "[ $rank != $without ] || unset LD_PRELOAD; exec $PWD/threads"
    [ "$(ls "$1")" = p.tmg.parts ]
    run -3 "$TOPOMAP" graph info "$profile.parts"
    [[ $output == *"$profile.parts: "*"rank $without "*2*1* ]]
    # Parts of a larger run, too.
    cp "$profile.parts"/part.[01] "$profile.parts/part.7"
    profiled "$1" 2 "$PWD/threads"
    [ "$(ls "$1")" = p.tmg ]
    [ "$(arcs)" = "0,1,16000,2000 1,0,16000,2000 " ]
  done
}
# bats test_tags=campaign
@test "where a rank lacks the library nobody waits, and no profile is written" { each_mpi lacking; }

@test "all parts in a folder are a graph" {
  here mpich threads || skip "no MPICH here"
  profiled mpich 2 sh -c 'export LD_PRELOAD=$LD_PRELOAD; exec "$0"' "$PWD/threads"
  arcs >whole
  mkdir readonly
  mount -t tmpfs none readonly 2>/dev/null || skip "cannot mount"
  profile=$PWD/readonly/p.tmg
  run_again() { mpi_run mpich 2 env LD_PRELOAD="$(library mpich)" TOPOMAP_PROFILE="$profile" "$PWD/threads" 2>said; }
  # A folder has its name.
  mkdir "$profile"
  run_again
  cat said
  [ "$(cat said)" = "topomap: no profile in $profile: is there, and is no regular file" ]
  [ ! -e "$profile.parts" ]
  rmdir "$profile"
  # Where the whole cannot be written, the parts stay.
  mkdir -m 755 "$profile.parts"
  mount -t tmpfs -o mode=755 none "$profile.parts"
  mount -o remount,ro readonly
  run_again
  cat said
  grep -q "^topomap: .*$profile: " said
  [ "$(wc -l <said)" -eq 1 ]
  profile=$profile.parts
  arcs | diff whole -
  "$TOPOMAP" map --graph "$profile" --machine tree:2:1@1:10 >/dev/null
}

# bats test_tags=campaign
@test "a folder that another user, or a link, has put there is left alone" {
  here mpich threads || skip "no MPICH here"
  mkdir elsewhere
  touch elsewhere/part.0
  local planted
  for planted in link open theirs; do
    case $planted in
      link) ln -s elsewhere "$profile.parts" ;;
      open) mkdir -m 777 "$profile.parts" ;;
      theirs) mkdir "$profile.parts" && chown 65534 "$profile.parts" 2>/dev/null || continue ;;
    esac
    run -0 mpi_run mpich 2 env LD_PRELOAD="$(library mpich)" TOPOMAP_PROFILE="$profile" "$PWD/threads"
    echo "$planted: $output"
    [[ $output == "topomap: "*"$profile: "* ]]
    [ -z "$(ls "$profile.parts/" | grep -v '^part.0$')" ]
    [ -e elsewhere/part.0 ]
    rm -rf "$profile.parts"
  done
}

# fortran_grid INTERFACE MPI: compiles ./grid
fortran_grid() {
  local use=$1 mpi=$2 comm=integer win=integer request=integer
  mpi_has_fortran "$mpi" || skip "no Fortran for $mpi here"
  case $use in
    mpif) use="implicit none\n  include 'mpif.h'" ;;
    mpi) use="use mpi" ;;
    mpi_f08) use="use mpi_f08" comm="type(MPI_Comm)" win="type(MPI_Win)" request="type(MPI_Request)" ;;
  esac
  sed "s/@USE@/$use/; s/@COMM@/$comm/; s/@WIN@/$win/; s/@REQUEST@/$request/" \
    "$TOPOMAP_SOURCE/tests/mpi/grid.f90.in" >grid.f90
  "mpifort.$mpi" -w -fallow-argument-mismatch -o grid grid.f90
}

grid() { # INTERFACE MPI
  fortran_grid "$1" "$2"
  profiled "$2" 3 ./grid
  # To the next: 16 + 24 + 8 + 40 + 12 bytes in 5 messages; to the last: 16, and the 32 that it gets.
  [ "$(arcs)" = "0,1,100,5 0,2,48,2 1,0,48,2 1,2,100,5 2,0,100,5 2,1,48,2 " ]
}
@test "Open MPI, Fortran's other calls: mpif.h" { grid mpif openmpi; }
@test "Open MPI, Fortran's other calls: use mpi" { grid mpi openmpi; }
@test "Open MPI, Fortran's other calls: use mpi_f08" { grid mpi_f08 openmpi; }
@test "MPICH, Fortran's other calls: mpif.h" { grid mpif mpich; }
@test "MPICH, Fortran's other calls: use mpi" { grid mpi mpich; }
@test "MPICH, Fortran's other calls: use mpi_f08" { grid mpi_f08 mpich; }
@test "the profiler of another MPI, Fortran" {
  local mpi use
  for mpi in openmpi mpich; do for use in mpif mpi_f08; do
    fortran_grid "$use" "$mpi"
    strange "$mpi" 0 ./grid # 0: the profiler has none of that MPI's names
  done; done
}
