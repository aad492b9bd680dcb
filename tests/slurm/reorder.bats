#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# MPI's topology functions with reorder on a real Slurm: nodes and their names are the launcher's, and
# distances the fabric's.
bats_require_minimum_version 1.5.0
load bed
load mpis

setup_file() {
  export LIBRARIES=$TOPOMAP_BUILD/contrib/reorder/.libs
  export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 # MPI's own leaks; the library is preloaded
  bed_up gpus
  local mpi
  for mpi in openmpi mpich; do
    [ ! -e "$LIBRARIES/libtopomap-reorder-$mpi.so" ] ||
      mpicc.$mpi -w -o topologies.$mpi "$TOPOMAP_SOURCE/tests/mpi/topologies.c"
  done
}

teardown_file() {
  [ -z "${BED:-}" ] || bed_down
}

reordered() { # MPI PMI WHAT...
  local mpi=$1 pmi=$2
  shift 2
  cd "$BATS_FILE_TMPDIR"
  [ -e topologies.$mpi ] || skip "no $mpi here"
  need_mpi $pmi
  unset TOPOMAP_REORDER_NODES
  run --separate-stderr timeout 300 srun --mpi=$pmi -N8 -n16 --ntasks-per-node=2 --topomap=off \
    env LD_PRELOAD="$LIBRARIES/libtopomap-reorder-$mpi.so" TOPOMAP_REORDER=verbose ./topologies.$mpi "$@"
  echo "$output $stderr"
  [ "$status" -eq 0 ]
  grep -qx ok <<<"$output"
}

both() { # MPI PMI: pairs of ranks that are on different nodes; a ring over nodes whose switches alternate
  reordered "$1" "$2" adjacent 8 weighted
  [[ $stderr == *"16 ranks on 8 nodes (fabric), J from "* ]]
  [ "$(awk '/^across/ { print ($2 > 1600 && $3 == 16) }' <<<"$output")" = 1 ]
  reordered "$1" "$2" ring 16
  [[ $stderr == *"(fabric), J from "* ]]
  [ "$(awk '/^across/ { print ($2 == 32 && $3 == 16) }' <<<"$output")" = 1 ]
}

@test "MPICH through pmi2" { both mpich pmi2; }
# Open MPI 4.1 with 16 ranks at times fails to start under mpi/pmix, with or without topomap.
# bats test_tags=campaign
@test "Open MPI through pmix" { both openmpi pmix; }
