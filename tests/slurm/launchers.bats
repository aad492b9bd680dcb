#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Other launchers inside an allocation take topomap's plans in their own formats: every rank is on its node.
bats_require_minimum_version 1.5.0

load bed
load ../mpi/mpis

setup_file() {
  mpi_settings
  export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  bed_up 7
}

teardown_file() { bed_down; }

setup() {
  bed_begin
  programs=$TOPOMAP_BUILD/contrib/testbed/programs
  # Ranks are bound to cores that are there, whatever the testbed's Slurm says.
  most=$(hwloc-calc -N core all)
}

# For a few plans on scattered nodes with uneven counts: runs `start FORMAT RANKS` inside an allocation of them, and
# compares where whereami found its ranks.
try() { # PROGRAM FORMAT start
  local program=$1 format=$2 start=$3 round
  [ -x "$program" ] || skip "needs ${program##*.}"
  for round in 1 2 3; do
    awk -v seed="$round" -v most="$most" 'BEGIN { srand(seed)
      for (i = 1; i <= 7; i++) if (rand() < 0.8 || i == 1) { nodes = nodes (nodes ? "," : "") "node0" i; k = most > 1 && rand() < 0.6 ? 2 : 1
        tasks = tasks (tasks ? "," : "") k; sum += k }
      print nodes, tasks, sum, split(nodes, list, ",") }' >shape
    read -r nodes tasks ranks count <shape
    awk -v n="$ranks" -v seed="$round" 'BEGIN { srand(seed + 10)
      for (i = 0; i < n; i++) for (k = 0; k < 3; k++) { j = int(rand() * n); if (j != i) print i "," j "," 1 + int(rand() * 900) }
      for (i = 0; i < n; i++) print i "," (i + 1) % n ",1" }' >graph.csv
    topomap map --graph graph.csv --nodes "$nodes" --tasks-per-node "$tasks" --cores "0-$((most - 1))(x$count)" --format plan -o plan
    topomap map --from-plan plan --format "$format" -o file
    topomap map --from-plan plan --format slurm-hostfile | grep -v '^#' >want
    [ "$(wc -l <want)" = "$ranks" ]
    salloc -Q -w "$nodes" --ntasks-per-node=2 timeout 60 bash -c 'set -e; . ./start; "$@"' _ "$start" "$program" "$ranks" >out 2>err </dev/null ||
      { cat out err && false; }
    diff <(awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' out | sort -n | cut -d' ' -f2) want || { cat file out err && false; }
    ! grep -h "topomap: placed\|better by" out err || false
  done
}

@test "srun -m arbitrary by slurm-hostfile, as where the plugin is not installed" {
  echo 'by_srun() { SLURM_HOSTFILE=file srun --topomap=off --mpi=pmi2 -m arbitrary -n "$2" "$1"; }' >start
  try "$programs/whereami.mpich" slurm-hostfile by_srun
}

@test "Open MPI's mpirun by its rankfile, whose own srun is not placed" {
  command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
  plugstack default=on verbose
  cat >start <<'END'
by_4() { mpirun.openmpi -n "$2" --rankfile file "$1"; }
by_5() { mpirun.openmpi -n "$2" --map-by rankfile:file=file "$1"; }
END
  case $(mpirun.openmpi --version | head -n 1) in
    *' '[1-4].*) try "$programs/whereami.openmpi" openmpi-rankfile by_4 ;;
    *) try "$programs/whereami.openmpi" prrte-rankfile by_5 ;;
  esac
}

@test "MPICH's mpiexec by a machine file, a proxy a line" {
  command -v mpiexec.hydra >/dev/null || skip "needs hydra"
  # What ssh is to hydra, without a daemon on each node.
  cat >shell <<'END'
#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac; do shift; done
host=$1
shift
exec srun --overlap --mpi=none -N1 -n1 -w "$host" --input none sh -c "$*"
END
  chmod +x shell
  echo 'by_hydra() { mpiexec.hydra -launcher ssh -launcher-exec "$PWD/shell" -f file -n "$2" "$1"; }' >start
  try "$programs/whereami.mpich" machinefile by_hydra
}

# `topomap run` in an allocation: every rank is where the launcher's file has it, which --print shows, and the status is the
# launcher's. That is another layout than the launcher's own, and the launcher's own sruns are not placed.
by_run() { # PROGRAM RANKS COMMAND...
  local program=$1 ranks=$2
  shift 2
  [ -x "$program" ] || skip "needs ${program##*.}"
  plugstack default=on verbose
  awk -v n="$ranks" 'BEGIN { for (i = 0; i < n; i++) print i "," (i + n / 2) % n "," 1000 }' >graph.csv
  salloc -Q -N 5 --ntasks-per-node=2 timeout 100 bash -c 'topomap run --print --topomap graph.csv -- "$@" >print
    topomap run --topomap graph.csv -- "$@" >out 2>err; echo "$?" >status
    TOPOMAP=off topomap run -- "$@" >alone
    topomap run --topomap graph.csv -- "${@:1:$# - 1}" false >/dev/null 2>&1; echo "$?" >>status' _ "$@" "$program" </dev/null
  sed -n '/^rank /{ s/^rank [0-9]*=//; s/ .*//p; d }; /^node[^ ]*$/{ s/:.*//; p }' print >want
  [ "$(wc -l <want)" = "$ranks" ]
  diff <(awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' out | sort -n | cut -d' ' -f2) want || { cat print out err && false; }
  ! diff -q <(awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' alone | sort -n | cut -d' ' -f2) want
  [ "$(head -n 1 status)" = 0 ]
  [ "$(tail -n 1 status)" != 0 ]
  run ! grep "topomap run:\|topomap: placed" err
  run ! compgen -G "${TMPDIR:-/tmp}/topomap.run.*"
}

@test "topomap run: Open MPI" {
  command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
  by_run "$programs/whereami.openmpi" 10 mpirun.openmpi --allow-run-as-root -n 10
}

@test "topomap run: MPICH, by steps of srun in place of ssh" {
  command -v mpiexec.hydra >/dev/null || skip "needs hydra"
  by_run "$programs/whereami.mpich" 8 mpiexec.hydra -n 8
}

@test "topomap run: srun" {
  by_run "$programs/whereami.mpich" 8 srun --mpi=pmi2 -n 8
}
