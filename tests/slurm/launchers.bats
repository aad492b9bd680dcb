#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Other launchers inside an allocation take topomap's plans in their own formats: every rank is on its node.
bats_require_minimum_version 1.5.0

load bed
load ../mpi/mpis
load mpis

setup_file() {
  mpi_settings
  export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  bed_up --nodes 7 --cpus 8
}

teardown_file() { bed_down; }

setup() {
  bed_begin
  programs=$TOPOMAP_BUILD/contrib/testbed/programs
  # Ranks are bound to cores that are there, whatever the testbed's Slurm says.
  most=$(hwloc-calc -N core all)
}

# For a few plans, or PLANS, on scattered nodes with uneven counts: runs `start FORMAT RANKS` inside an allocation of them, and
# compares where whereami found its ranks.
try() { # PROGRAM FORMAT start
  local program=$1 format=$2 start=$3 round
  [ -x "$program" ] || skip "needs ${program##*.}"
  for round in $(seq "${PLANS:-3}"); do
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
    # A rank that MPI keeps from its end leaves by itself (finish.h), which launchers take for a failure: on a busy machine
    # that is none of the plan's, once all have said where they are.
    status=0
    salloc -Q -w "$nodes" --ntasks-per-node=2 timeout 60 bash -c 'set -e; . ./start; "$@"' _ "$start" "$program" "$ranks" >out 2>err </dev/null || status=$?
    case $status in
      0) ;;
      124 | 137) cat out err && false ;; # it hung
      *) [ "$(grep -c '^[0-9]' out)" = "$ranks" ] || { cat out err && false; } ;;
    esac
    diff <(awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' out | sort -n | cut -d' ' -f2) want || { cat file out err && false; }
    ! grep -h "topomap: placed\|better by" out err || false
  done
  [ -z "${PLANS-}" ] || echo "# $format: $round plans, each rank on its node" >&3
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

# fails LAUNCHER... OPTION: leaves the status of a program that fails in `failed`. The mpirun of Open MPI 6.0.0's release
# candidates mostly never ends then, whoever starts it: it is not asked.
fails() {
  local status=0
  if "$1" --version 2>/dev/null | grep -q ' 6\.0\.0rc'; then
    status=1
  else
    timeout -k 5 100 topomap run "${@: -1}" -- "${@:1:$# - 1}" false >/dev/null 2>&1 || status=$?
  fi
  echo "$status" >failed
}
export -f fails

# auto: the profile is the one that srun would use, and the next run goes by it. srun's own launch: where Slurm starts that MPI.
# TMPDIR is a folder that is not there, which Open MPI makes for itself, without a dash, which PRRTE's options cannot have.
by_auto() { # MPI TYPE LAUNCHER...
  local mpi=$1 type=$2 program=$programs/halo.$1 by_srun=1
  shift 2
  [ -x "$program" ] || skip "needs halo.$mpi"
  plugstack compare=0
  starts_mpi "$type" || by_srun=0
  # shellcheck disable=SC2016
  BY_SRUN=$by_srun salloc -Q -N 4 --ntasks-per-node=2 timeout 200 bash -c 'for i in 1 2; do
      topomap run --topomap=auto -- "${@:2}" 4x2 --iterations 5 >out.$i 2>err.$i || echo "failed: $?" >>err.$i
    done
    [ "$BY_SRUN" = 0 ] || srun -v --mpi="$1" -n 8 --topomap=auto "${@: -1}" 4x2 --iterations 5 >out.3 2>err.3
    TOPOMAP=off topomap run --topomap=auto -- "${@:2}" 4x2 --iterations 5 >out.4 2>err.4
    TMPDIR=/tmp/none.$$ topomap run --topomap=auto -- "${@:2}" 4x2 --iterations 5 >out.5 2>err.5
    rm -rf "/tmp/none.$$"
    fails "${@:2:$# - 2}" --topomap=auto' _ "$type" "$@" "$program" </dev/null
  [[ $(grep topomap err.1) == "topomap run: "*profile*layout* && $(grep -c topomap err.1) -eq 1 ]]
  run ! grep topomap err.2
  [ "$(grep -c ' 0 wrong messages' out.? | grep -c ':1$')" = $((4 + by_srun)) ] || { cat out.* err.* && false; }
  # One case, of the graph that the program has; launch 2 was placed, and srun's after it.
  settled 30 || true
  topomap profile list --json >list
  [ "$(jq length list)" = 1 ]
  [ "$(jq -r '.[0] | "\(.program) \(.ranks) \(.launches)"' list)" = "halo.$mpi 8 $((2 + by_srun))" ]
  [ "$(jq -c '[.[0].runs[].nodes] | unique' list)" = '[4]' ]
  "$program" --graph-only 4x2 real.csv --iterations 5
  topomap graph convert "$(jq -r '.[0].graph' list)" seen.csv
  diff <(awk -F, '/^[0-9]/ && $3 > 1000 { print $1 "," $2 "," int($3 / 1000) }' real.csv | sort) \
    <(awk -F, '/^[0-9]/ && $3 > 1000 { print $1 "," $2 "," int($3 / 1000) }' seen.csv | sort)
  [ "$by_srun" = 0 ] || grep -q 'topomap: graph: \|topomap: .* lower\|placed' err.3 || { cat err.3 && false; }
  run ! grep topomap err.4
  grep -q '^topomap run: .*/tmp/none[.][0-9]*/topomap.run' err.5 || { cat err.5 && false; }
  [ "$(cat failed)" != 0 ] || { cat ends && false; }
  [ -z "$(ls "$XDG_CACHE_HOME/topomap/run")" ]
}

# bats test_tags=campaign
@test "topomap run --topomap=auto: Open MPI" {
  command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
  by_auto openmpi pmix mpirun.openmpi --allow-run-as-root --oversubscribe -n 8
}

@test "topomap run --topomap=auto: MPICH" {
  command -v mpiexec.hydra >/dev/null || skip "needs hydra"
  by_auto mpich pmi2 mpiexec.hydra -n 8
}

# bats test_tags=campaign
@test "topomap run --topomap=auto: srun without the plugin" {
  by_auto mpich pmi2 srun --mpi=pmi2 -n 8
}

# `topomap run` in an allocation: every rank is where the launcher's file has it, which --print shows, and the status is the
# launcher's. That is another layout than the launcher's own, and the launcher's own sruns are not placed.
by_run() { # PROGRAM RANKS COMMAND...
  local program=$1 ranks=$2
  shift 2
  [ -x "$program" ] || skip "needs ${program##*.}"
  plugstack default=on verbose
  TMPDIR=$(mktemp -d /tmp/launchersXXXXXX) # no other test's
  export TMPDIR
  awk -v n="$ranks" 'BEGIN { for (i = 0; i < n; i++) print i "," (i + n / 2) % n "," 1000 }' >graph.csv
  salloc -Q -N 5 --ntasks-per-node=2 timeout 100 bash -c 'topomap run --print --topomap graph.csv -- "$@" >print
    topomap run --topomap graph.csv -- "$@" >out 2>err; echo "$?" >status
    TOPOMAP=off topomap run -- "$@" >alone
    fails "${@:1:$# - 1}" --topomap=graph.csv' _ "$@" "$program" </dev/null
  sed -n '/^rank /{ s/^rank [0-9]*=//; s/ .*//p; d }; /^node[^ ]*$/{ s/:.*//; p }' print >want
  [ "$(wc -l <want)" = "$ranks" ]
  diff <(awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' out | sort -n | cut -d' ' -f2) want || { cat print out err && false; }
  ! diff -q <(awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' alone | sort -n | cut -d' ' -f2) want
  [ "$(cat status)" = 0 ]
  [ "$(cat failed)" != 0 ]
  run ! grep "topomap run:\|topomap: placed" err
  run ! compgen -G "$TMPDIR/topomap.run.*"
  rm -rf "$TMPDIR"
}

# bats test_tags=campaign
@test "topomap run: Open MPI" {
  command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
  by_run "$programs/whereami.openmpi" 10 mpirun.openmpi --allow-run-as-root -n 10
}

@test "topomap run: MPICH, by steps of srun in place of ssh" {
  command -v mpiexec.hydra >/dev/null || skip "needs hydra"
  by_run "$programs/whereami.mpich" 8 mpiexec.hydra -n 8
}

@test "topomap run: scancel reaches the launcher once, with and without --full" {
  printf '%s\n' '#!/bin/sh' '[ "$1" != --version ] || { echo "(Open MPI) 4.1"; exit; }' 'trap "echo USR1 >>got" USR1' \
    'trap "echo TERM >>got; exit" TERM' 'echo >ready' 'while :; do sleep 0.1; done' >mpirun.traps
  chmod +x mpirun.traps
  job=$(sbatch --parsable -N 2 --ntasks-per-node=2 -o out --wrap "exec topomap run --topomap ring:4 -- ./mpirun.traps -np 4")
  until [ -e ready ]; do [ -n "$(squeue -h -j "$job")" ]; sleep 0.1; done
  scancel --full --signal=USR1 "$job"
  until [ -s got ]; do [ -n "$(squeue -h -j "$job")" ]; sleep 0.1; done
  sleep 1 # a second one would have come
  scancel --batch --signal=USR1 "$job"
  until [ "$(wc -l <got)" -ge 2 ]; do [ -n "$(squeue -h -j "$job")" ]; sleep 0.1; done
  sleep 1
  scancel --full --signal=TERM "$job"
  while [ -n "$(squeue -h -j "$job")" ]; do sleep 0.1; done
  cat out
  [ "$(paste -sd' ' got)" = "USR1 USR1 TERM" ]
}

@test "topomap run: srun" {
  by_run "$programs/whereami.mpich" 8 srun --mpi=pmi2 -n 8
}
