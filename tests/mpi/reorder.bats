#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# MPI's topology functions with reorder, and libtopomap-mpi, under each MPI. Nodes are made up:
# TOPOMAP_REORDER_NODES has a node (and CPU) for each rank.
bats_require_minimum_version 1.5.0

load mpis

public() { # MPI: the library that programs link
  case $1 in abi-*) echo topomap-mpi-abi ;; *) echo "topomap-mpi-$1" ;; esac
}
preloaded() { echo "$LIBRARIES/libtopomap-reorder-$(mpi_kind "$1").so"; }
has() { mpi_is_here "$1" && [ -e "$(preloaded "$1")" ]; }

setup_file() {
  mpi_settings
  export OMPI_MCA_btl=tcp,self,vader
  export ASAN_OPTIONS=detect_leaks=0 # MPI's own
  export LIBRARIES=$TOPOMAP_BUILD/contrib/reorder/.libs
  cd "$BATS_FILE_TMPDIR"
  mkdir -p include/topomap
  ln -s "$TOPOMAP_SOURCE/lib/include/topomap/topomap.h" "$TOPOMAP_SOURCE/contrib/reorder/topomap-mpi.h" include/topomap
  local mpi
  for mpi in $MPIS; do
    has $mpi || continue
    mpi_compile $mpi -w -o topologies.$mpi "$TOPOMAP_SOURCE/tests/mpi/topologies.c"
    mpi_compile $mpi -w -o random.$mpi "$TOPOMAP_SOURCE/tests/mpi/random.c"
    mpi_compile $mpi -w -Iinclude -o ranks.$mpi "$TOPOMAP_SOURCE/tests/mpi/ranks.c" -L"$LIBRARIES" \
      "-l$(public $mpi)" -Wl,-rpath,"$LIBRARIES",--allow-shlib-undefined -lm
  done
  # An 8-core node: 2 packages of 2 caches of 2 cores of 2 PUs; two nodes a switch, not in a row.
  lstopo-no-graphics --of xml --input "package:2 numa:1 l3:2 core:2 pu:2" >node.xml
  printf 'SwitchName=a Nodes=n0,n2\nSwitchName=b Nodes=n1,n3\nSwitchName=top Switches=a,b\n' >topology.conf
  "$TOPOMAP_BUILD/cli/topomap" db import --db tree.db slurm-topology topology.conf
  printf 'n%d %d 0 0\n' 0 0 1 1 2 2 3 3 >ring
  "$TOPOMAP_BUILD/cli/topomap" db import --db ring.db coordinates ring
}

setup() {
  cd "$BATS_FILE_TMPDIR"
  export TOPOMAP_REORDER=verbose TOPOMAP_REORDER_NODES=n0,n0,n1,n1,n2,n2,n3,n3
  unset TOPOMAP_DB TOPOMAP_REORDER_INSIDE TOPOMAP_REORDER_SECONDS TOPOMAP
}

needs() { # MPI
  has "$1" || skip "no $1 here"
}

# launch MPI PRELOADED PROGRAM...: 8 ranks. A library of a build with sanitizers wants theirs first.
launch() {
  local mpi=$1 library=$2 asan
  shift 2
  asan=$(ldd "$LIBRARIES/lib$(public "$mpi").so" | awk '/libasan/ { print $3 }')
  MPI_SECONDS=200 mpi_run "$mpi" 8 env LD_PRELOAD="$asan${asan:+${library:+:}}$library" "$@"
}

topologies() { # MPI WHAT...: standard output in $output, what the library says in $stderr
  local mpi=$1
  shift
  needs "$mpi"
  run --separate-stderr launch "$mpi" "$(preloaded "$mpi")" ./topologies.$mpi "$@"
  echo "$mpi $*: $output $stderr"
  [ "$status" -eq 0 ]
  grep -qx ok <<<"$output"
}

across() { # OLD NEW: bytes between nodes
  grep -qx "across $1 $2" <<<"$output"
}

distributed() { # MPI: groups of two that talk much, in the order that puts them on different nodes
  topologies "$1" adjacent 4 weighted
  across 811 8
  [[ $stderr == *"J from 16244 to 5002"* ]]
  topologies "$1" adjacent 4
  across 12 8
  topologies "$1" declared 4 weighted
  across 811 8
  topologies "$1" declared 4
  across 12 8
}
@test "Open MPI: distributed graphs" { distributed openmpi; }
@test "MPICH: distributed graphs" { distributed mpich; }
@test "the standard's ABI over Open MPI: distributed graphs" { distributed abi-openmpi; }
@test "the standard's ABI over MPICH: distributed graphs" { distributed abi-mpich; }

graphs() { # MPI: a ring in another order, on all processes and on some
  topologies "$1" ring 8
  across 16 8
  topologies "$1" ring 6
  across 12 6
}
@test "Open MPI: graphs, and processes that are left out" { graphs openmpi; }
@test "MPICH: graphs, and processes that are left out" { graphs mpich; }

grids() { # MPI: columns of a grid are on nodes; a natural order that nothing beats stays
  TOPOMAP_REORDER_NODES=n0,n1,n2,n3,n0,n1,n2,n3 topologies "$1" grid 4 2
  across 20 12
  TOPOMAP_REORDER_NODES=n0,n1,n2,n3,n0,n1,n2,n3 topologies "$1" grid 8w
  across 16 8
  TOPOMAP_REORDER_NODES=n0,n1,n2,n3,n0,n1,n2,n3 topologies "$1" grid 3 2
  topologies "$1" grid 2 4
  across 12 12
  grep -qx 'moved 0' <<<"$output"
}
@test "Open MPI: grids" { grids openmpi; }
# bats test_tags=campaign
@test "MPICH: grids" { grids mpich; }
@test "the standard's ABI over Open MPI: grids" { grids abi-openmpi; }
@test "the standard's ABI over MPICH: grids" { grids abi-mpich; }

@test "what MPI refuses is refused, by MPI" {
  topologies mpich refused
  topologies openmpi refused
}

inside() { # MPI: one node whose neighbours in the grid share nothing; then two nodes
  export TOPOMAP_REORDER_INSIDE=$PWD/node.xml
  TOPOMAP_REORDER_NODES=n/0,n/8,n/2,n/10,n/4,n/12,n/6,n/14 topologies "$1" grid 4 2
  [[ $stderr == *"8 ranks on 1 nodes (tree), J from 76 to 64"* ]]
  TOPOMAP_REORDER_NODES=a/0,a/8,a/2,a/10,b/4,b/12,b/6,b/14 topologies "$1" grid 2 4
  across 8 4
  [[ $stderr == *"J from 232 to 144"* ]]
}
@test "Open MPI: inside nodes, by hwloc's levels" { inside openmpi; }
@test "MPICH: inside nodes, by hwloc's levels" { inside mpich; }

@test "the database says which nodes are near; without it, or where it lacks a node, all are alike" {
  TOPOMAP_DB=$PWD/tree.db topologies mpich grid 8
  [[ $stderr == *"(fabric), J from 288 to 208"* ]]
  topologies mpich grid 8
  [[ $stderr == *"ranks stay"* ]]
  TOPOMAP_DB=$PWD/tree.db TOPOMAP_REORDER_NODES=n0,n0,n1,n1,n2,n2,n9,n9 topologies mpich grid 8
  [[ $stderr == *"no node 'n9'"*"ranks stay"* ]]
  mkfifo fifo
  TOPOMAP_DB=$PWD/fifo topologies mpich grid 8
  [[ $stderr == *fifo*"ranks stay"* ]]
}

@test "off: for all, or for one process alone, which must not hang the others" {
  TOPOMAP=off topologies mpich ring 8
  across 16 16
  TOPOMAP_REORDER=off topologies openmpi ring 8
  grep -qx 'moved 0' <<<"$output"
  TOPOMAP=no ranks mpich map
  across 808 808
  export PROGRAM=$PWD/topologies.mpich
  printf '#!/bin/sh\n[ "$PMI_RANK" != 3 ] || export TOPOMAP=off\nexec "$PROGRAM" "$@"\n' >one-off
  chmod +x one-off
  run --separate-stderr launch mpich "$LIBRARIES/libtopomap-reorder-mpich.so" ./one-off adjacent 4 weighted
  [ "$status" -eq 0 ]
  across 811 811
}

@test "count: what could be gained is said, and nothing is changed" {
  TOPOMAP_REORDER=count topologies mpich adjacent 4 weighted
  across 811 811
  [[ $stderr == *"J from 16244 to 5002, 69.2 % lower; ranks stay"* ]]
}

@test "programs that take their new ranks for those of the world are left alone, with one line" {
  needs mpich
  cp topologies.mpich lmp
  cp topologies.mpich lmp_mpi
  local name
  for name in lmp lmp_mpi; do
    TOPOMAP_REORDER= run --separate-stderr launch mpich "$(preloaded mpich)" ./$name adjacent 4 weighted
    [ "$status" -eq 0 ]
    across 811 811
    [ "$(grep -c "ranks .*LAMMPS" <<<"$stderr")" -eq 1 ]
  done
}

@test "a step that topomap has placed keeps its ranks; one that it has left alone does not" {
  TOPOMAP_APPLIED=1 topologies mpich adjacent 4 weighted
  across 811 811
  [[ $stderr == *"ranks "*launch* ]]
  TOPOMAP_APPLIED=0 topologies mpich adjacent 4 weighted
  across 811 8
}

profiled() { # MPI: a profile is of the ranks that the launcher gave, and the same without the library
  needs "$1"
  local kind=$(mpi_kind "$1") of
  local profiler=$TOPOMAP_BUILD/contrib/profile/libtopomap-profile-$kind.so
  [ -e "$profiler" ] || skip "no profiler for $1 here"
  for of in "$profiler" "$profiler:$(preloaded "$1")" "$(preloaded "$1"):$profiler"; do
    rm -rf seen.tmg*
    TOPOMAP_PROFILE=$PWD/seen.tmg run --separate-stderr launch "$1" "$of" ./topologies.$1 adjacent 4 weighted
    echo "$of: $output $stderr"
    [ "$status" -eq 0 ]
    across 811 811
    "$TOPOMAP_BUILD/cli/topomap" graph convert seen.tmg seen.csv
    [ -e alone.csv ] || cp seen.csv alone.csv
    cmp seen.csv alone.csv
    [[ $of != *reorder* || $stderr == *"ranks "*profile* ]]
  done
  rm alone.csv
}
@test "Open MPI: a profile is of the launcher's ranks" { profiled openmpi; }
@test "MPICH: a profile is of the launcher's ranks" { profiled mpich; }

random() { # MPI ROUNDS
  needs "$1"
  TOPOMAP_REORDER= TOPOMAP_REORDER_NODES=n0,n1,n0,n2,n1,n0,n2,n2 run --separate-stderr \
    launch "$1" "$(preloaded "$1")" ./random.$1 "$2"
  echo "$1: $output $stderr"
  [ "$status" -eq 0 ]
  [[ $output =~ ^ok,\ [1-9][0-9]*\ better$ ]]
}
@test "Open MPI: loops, double edges, weights of 0, parts of the world: what was asked for, and never worse" { random openmpi 40; }
# bats test_tags=campaign
@test "MPICH: loops, double edges, weights of 0, parts of the world: what was asked for, and never worse" { random mpich 10; } # its ranks wait by spinning

@test "a search without time ends, and is not worse" {
  TOPOMAP_REORDER_SECONDS=1e-9 topologies mpich adjacent 4 weighted
  [ "$(awk '/^across/ { print ($3 <= $2) }' <<<"$output")" = 1 ]
}

fortran() { # INTERFACE MPI
  local use=$1 mpi=$2 comm=integer
  needs "$mpi"
  mpi_has_fortran "$mpi" || skip "no Fortran for $mpi here"
  case $use in
    mpif) use="implicit none\n  include 'mpif.h'" ;;
    mpi) use="use mpi" ;;
    mpi_f08) use="use mpi_f08"; comm="type(MPI_Comm)" ;;
  esac
  sed "s/@USE@/$use/; s/@COMM@/$comm/" "$TOPOMAP_SOURCE/tests/mpi/topologies.f90.in" >"$BATS_TEST_TMPDIR/t.f90"
  mpifort.$mpi -w -fallow-argument-mismatch -o "$BATS_TEST_TMPDIR/t" "$BATS_TEST_TMPDIR/t.f90"
  TOPOMAP_REORDER= run --separate-stderr launch "$mpi" "$(preloaded "$mpi")" "$BATS_TEST_TMPDIR/t"
  echo "$output $stderr"
  [ "$(tr '\n' ';' <<<"$output")" = "declared moved 6;declared moved 6;adjacent moved 6;adjacent moved 6;grid moved 0;" ]
}
@test "Open MPI, Fortran: mpif.h" { fortran mpif openmpi; }
@test "Open MPI, Fortran: use mpi" { fortran mpi openmpi; }
@test "Open MPI, Fortran: use mpi_f08" { fortran mpi_f08 openmpi; }
# bats test_tags=campaign
@test "MPICH, Fortran: mpif.h" { fortran mpif mpich; }
# bats test_tags=campaign
@test "MPICH, Fortran: use mpi" { fortran mpi mpich; }
# bats test_tags=campaign
@test "MPICH, Fortran: use mpi_f08" { fortran mpi_f08 mpich; }

ranks() { # MPI WHAT
  needs "$1"
  run --separate-stderr launch "$1" "" ./ranks.$1 "$2"
  echo "$1 $2: $output $stderr"
  [ "$status" -eq 0 ] && grep -qx ok <<<"$output"
}
# What is measured while other programs use the processors puts nodes in any order.
ranks_measured() { ranks "$@" || ranks "$@" || ranks "$@"; }

library() { # MPI
  ranks "$1" map
  across 808 15
  ranks "$1" tree
  across 808 15
  TOPOMAP_REORDER_NODES=n0,n1,n2,n3,n0,n1,n2,n3 ranks "$1" rings
  ranks "$1" bipart # refused: no torus
  TOPOMAP_DB=$PWD/ring.db ranks "$1" bipart
  across 808 15
  ranks "$1" refine
  across 808 15
}
@test "Open MPI: libtopomap-mpi maps and refines" { library openmpi; }
# bats test_tags=campaign
@test "MPICH: libtopomap-mpi maps and refines" { library mpich; }
@test "the standard's ABI over Open MPI: libtopomap-mpi maps and refines" { library abi-openmpi; }
@test "the standard's ABI over MPICH: libtopomap-mpi maps and refines" { library abi-mpich; }

measured() { # MPI
  export TOPOMAP_REORDER_INSIDE=$PWD/node.xml
  TOPOMAP_REORDER_NODES=n0/0,n0/8,n0/2,n0/10,n0/4,n0/12,n0/6,n0/14 ranks "$1" inside
  [ "$(grep -v ok <<<"$output" | tr '\n' ';')" = "level l3;level numa;level node;distance 3;distance 1;distance 3;distance 2;distance 3;distance 2;distance 3;" ]
  TOPOMAP_REORDER_NODES=n0/0,n0/8,n0/1,n0/10,n1/4,n1/12,n1/6,n2 ranks "$1" inside
  [ "$(grep -v ok <<<"$output" | tr '\n' ';')" = "level core;level l3;level node;distance 3;distance 1;distance 3;" ]
  unset TOPOMAP_REORDER_INSIDE
  ranks "$1" manhattan
  ranks_measured "$1" all-to-all
  TOPOMAP_REORDER_NODES=n0,n0,n1,n1,n2,n2,n3,n4 ranks_measured "$1" all-to-all # an odd tournament
}
@test "Open MPI: measured insides, hops and pairs of nodes become targets" { measured openmpi; }
# bats test_tags=campaign
@test "MPICH: measured insides, hops and pairs of nodes become targets" { measured mpich; }
