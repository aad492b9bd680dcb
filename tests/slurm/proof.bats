#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The whole path on a real Slurm: a fabric that the InfiniBand tools printed, the database, the
# plugin, the planner, real MPI programs; every rank compared with the dry run.
bats_require_minimum_version 1.5.0
load bed
load mpis

readonly nodes='node[01,03-04,06-07,09-10,12]'

setup_file() {
  export PROGRAMS=$TOPOMAP_BUILD/contrib/testbed/programs
  cd "$BATS_FILE_TMPDIR"
  bed_up --cpus 2 --fabric fat-tree:leaves=4,hosts=3,spines=2,scatter=1
  "$PROGRAMS/halo.mpich" --graph-only 4x4 "$BATS_FILE_TMPDIR/halo.csv"
  export GRAPH=$BATS_FILE_TMPDIR/halo.csv
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
}

# What the dry run says of the same allocation: "rank node cpus" in rank order.
plan() { # HOSTLIST COUNTS [OPTION...]
  local list=$1 counts=$2
  shift 2
  topomap map --graph "$GRAPH" --nodes "$list" --tasks-per-node "$counts" --effort fast \
    --format json "$@" |
    jq -r '.placement[] | "\(.rank) \(.node) \(.cpus | map(tostring) | join(","))"' | sort -n
}

# What whereami printed: the same three columns.
placed() {
  awk '!/^#/ { print $1, $2, $4 }' "$1" | sort -n
}

launch() { # OPTION... -- PROGRAM: on the scattered nodes, two tasks each
  srun -w "$nodes" -N 8 -n 16 --ntasks-per-node=2 "$@"
}

@test "the fabric and the node names come from the dump; the nodes are on four leaf switches" {
  run -0 topomap db show --summary --json
  [ "$(jq .hosts <<<"$output")" -eq 12 ]
  [ "$(jq .switches <<<"$output")" -eq 6 ]
  [ "$(jq -r .topology <<<"$output")" = fat-tree ]
  [ "$(topomap db distance node01 node03 --json | jq .hops)" -eq 4 ]
}

@test "MPICH: every rank is on the node and the CPU that the dry run says" {
  [ -x "$PROGRAMS/whereami.mpich" ] || skip "no MPICH"
  launch --mpi=pmi2 --distribution=topomap --topomap="$GRAPH" "$PROGRAMS/whereami.mpich" >out
  plan "$nodes" 2 >planned
  placed out | diff planned -
  [ "$(awk '!/^#/ && $5 != 1' out | wc -l)" -eq 0 ]
}

@test "Open MPI: the same, and PMIx says the same rank and node" {
  [ -x "$PROGRAMS/whereami.openmpi" ] || skip "no Open MPI"
  need_mpi pmix
  launch --mpi=pmix --distribution=topomap --topomap="$GRAPH" "$PROGRAMS/whereami.openmpi" >out
  plan "$nodes" 2 >planned
  placed out | diff planned -
  [ "$(awk '!/^#/ && ($6 != $1 || $8 != $2)' out | wc -l)" -eq 0 ]
}

@test "the halo exchange runs to its end with right messages, placed, with both MPIs" {
  launch --mpi=pmi2 -m topomap --topomap="$GRAPH" "$PROGRAMS/halo.mpich" 4x4 --iterations 3
  ! starts_mpi pmix ||
    launch --mpi=pmix -m topomap --topomap="$GRAPH" "$PROGRAMS/halo.openmpi" 4x4 --iterations 3
}

@test "the gain is real: J falls, against block and cyclic, and the job is told the objective's gain" {
  block=$(topomap eval --graph "$GRAPH" --nodes "$nodes" --tasks-per-node 2 --json | jq ".J | floor")
  awk 'BEGIN { for (r = 0; r < 16; r++) print (r % 8) * 2 + int(r / 8) }' >cyclic
  cyclic=$(topomap eval --graph "$GRAPH" --nodes "$nodes" --tasks-per-node 2 --mapping cyclic --json | jq ".J | floor")
  topomap map --graph "$GRAPH" --nodes "$nodes" --tasks-per-node 2 --effort fast --json >map
  placed=$(jq '.J | floor' map)
  [ "$((placed * 10))" -lt "$((block * 8))" ]
  [ "$((placed * 10))" -lt "$((cyclic * 8))" ]
  launch -m topomap --topomap="$GRAPH" sh -c 'echo $TOPOMAP_GAIN' | sort -u >gain
  awk -v gain="$(jq .gain map)" '{ d = $1 - gain; exit !(d * d < 0.01) }' gain
}

@test "uneven counts: the same plan as the dry run" {
  srun -w 'node[02,05,08,11]' -N 4 -n 7 -m topomap --topomap=stencil2d:5:7x1 --mpi=none \
    sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' | sort -n >out
  counts=$(srun -w 'node[02,05,08,11]' -N 4 -n 7 sh -c 'echo "$SLURMD_NODENAME"' | sort | uniq -c |
    awk '{ print $1 }' | paste -sd,)
  topomap map --graph stencil2d:5:7x1 --nodes 'node[02,05,08,11]' --tasks-per-node "$counts" \
    --effort fast --json | jq -r '.placement[] | "\(.rank) \(.node)"' | diff - out
}

@test "#SBATCH --topomap=FILE reaches the steps inside; salloc too" {
  cat >job.sh <<END
#!/bin/sh
#SBATCH -w $nodes -N 8 -n 16 --ntasks-per-node=2
#SBATCH --topomap=$GRAPH
#SBATCH -o $PWD/batch.out
srun --mpi=pmi2 $PROGRAMS/whereami.mpich
echo finished
END
  sbatch job.sh
  for _ in $(seq 600); do grep -q finished batch.out 2>/dev/null && break; sleep 0.2; done
  cat batch.out
  plan "$nodes" 2 >planned
  grep -v finished batch.out | placed /dev/stdin | diff planned -
  salloc -w "$nodes" -N 8 -n 16 --ntasks-per-node=2 --topomap="$GRAPH" \
    srun --mpi=pmi2 "$PROGRAMS/whereami.mpich" >out
  placed out | diff planned -
}

@test "an explicit --cpu-bind wins: ranks move, the inside of nodes is Slurm's" {
  launch --cpu-bind=none --mpi=pmi2 -m topomap --topomap="$GRAPH" "$PROGRAMS/whereami.mpich" >out
  plan "$nodes" 2 | cut -d' ' -f1,2 >planned
  placed out | cut -d' ' -f1,2 | diff planned -
  [ "$(awk '!/^#/ && $4 == "0"' out | wc -l)" -eq 0 ]
}

@test "without topomap, and with it off, the layout is Slurm's" {
  launch sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' | sort -n >slurm
  launch --topomap=off sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' | sort -n | diff slurm -
  TOPOMAP=off launch -m topomap --topomap="$GRAPH" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' |
    sort -n | diff slurm -
}

@test "whatever is missing or broken, the job runs as Slurm would run it and says one line" {
  launch sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' | sort -n >slurm
  : >empty
  head -c 4096 /dev/urandom >noise
  mkdir folder
  mkfifo fifo
  printf '16 24\n1 2\n' >truncated.graph
  topomap graph generate ring:17 -o large.csv
  for graph in /nonexistent empty noise folder fifo truncated.graph large.csv stencil2d:5:99 nonsense; do
    echo "graph $graph"
    launch -m topomap --topomap="$graph" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' 2>err | sort -n | diff slurm -
    [ "$(grep -c topomap: err)" -eq 1 ]
    grep -q layout err
  done
  cp "$TOPOMAP_DB" cut && truncate -s 3000 cut
  for db in /nonexistent empty noise folder cut; do
    echo "database $db"
    TOPOMAP_DB=$PWD/$db launch -m topomap --topomap="$GRAPH" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' 2>err | sort -n | diff slurm -
    [ "$(grep -c topomap: err)" -eq 1 ]
    grep -q layout err
  done
}

@test "a node that the database does not know is named, and the job runs" {
  # The same fabric, but one host has another name there.
  sed 's/node12/other12/' "$BED/fabric/fabric.ibnetdiscover" >renamed
  topomap db import --db "$PWD/other" ibnetdiscover renamed
  TOPOMAP_DB=$PWD/other launch -m topomap --topomap="$GRAPH" true 2>err
  [ "$(grep -c topomap: err)" -eq 1 ]
  grep -q node12 err
}

@test "a step without a graph says so and takes ranks to talk to their neighbours" {
  launch -m topomap true 2>err
  [ "$(grep -c topomap: err)" -eq 1 ]
  grep -q graph err
}

@test "--topomap-explain shows each node's ranks and the levels before and after" {
  launch -m topomap --topomap="$GRAPH" --topomap-explain=why true
  [ "$(grep -c '^  node[0-9]* *ranks' why)" -eq 8 ]
  grep -q '4 hops' why
  grep -q 'cost J' why
  [[ $(tail -n 1 why) == "topomap: database: "*20*" UTC" ]]
}
