#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Which GPU, NIC and CPUs each task of an allocation gets, by `topomap map`.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  cd "$BATS_TEST_TMPDIR"
}

import() { topomap db import --db t.db "$@" >/dev/null; }
# Rank, GPUs, NICs and CPUs of an allocation of TASKS on each of the NODES.
placed() { # NODES TASKS GRAPH [OPTION...]
  topomap map --db t.db --nodes "$1" --tasks-per-node "$2" --graph "$3" --json "${@:4}" |
    jq -c '.placement[] | [.rank, .gpus[0], .nics[0], (.cpus // [] | map(tostring) | join(","))]' | tr -d '[]"' | tr '\n' ' '
}

@test "MI250X: pairs and what joins them first, cores and NIC of the GPU's NUMA node" {
  import hwloc "$data/mi250x.xml"
  [ "$(placed mi01 8 alltoall:8)" = '0,0,hsn0,12,13,28,29 1,1,hsn0,14,15,30,31 2,2,hsn1,4,5,20,21 3,3,hsn1,6,7,22,23 4,4,hsn2,0,1,16,17 5,5,hsn2,2,3,18,19 6,6,hsn3,8,9,24,25 7,7,hsn3,10,11,26,27 ' ]
  [ "$(placed mi01 8 chain:8 --cpus-per-task 2)" = '0,1,hsn0,14,30 1,0,hsn0,12,28 2,6,hsn3,8,24 3,7,hsn3,10,26 4,5,hsn2,2,18 5,4,hsn2,0,16 6,2,hsn1,4,20 7,3,hsn1,6,22 ' ]
  [ "$(placed mi01 2 chain:2 --cpus-per-task 2)" = '0,0,hsn0,12,28 1,1,hsn0,14,30 ' ]
  topomap map --db t.db --nodes mi01 --tasks-per-node 16 --graph chain:16 | grep -q '  cpus 14,30 .*  gpus 1 0 6 7 5 4 2 3 1 0 6 7 5 4 2 3  nics hsn0 hsn0 hsn3 hsn3 hsn2 hsn2 hsn1 hsn1 hsn0 hsn0 hsn3 hsn3 hsn2 hsn2 hsn1 hsn1$'
  # Somebody says what tasks are bound to: nothing of GPUs is planned.
  [ "$(placed mi01 2 chain:2 --bind core)" = '0,null,null,0,16 1,null,null,8,24 ' ]
}

@test "--gpus-per-task: Slurm gives each task its own, as a launch with srun's option has it" {
  import hwloc "$data/mi250x.xml"
  [ "$(placed mi01 4 chain:4 --gpus-per-task 1)" = "$(placed mi01 4 chain:4 --gpus-per-task 1 --bind gpu)" ]
  [ "$(placed mi01 4 chain:4 --gpus-per-task 1 --bind none)" = '0,0,hsn0, 1,1,hsn0, 2,2,hsn1, 3,3,hsn1, ' ]
  [ "$(placed mi01 2 chain:2 --gpus-per-task 1 --bind core)" = '0,0,hsn0,0,16 1,1,hsn0,8,24 ' ]
  [ "$(topomap map --db t.db --nodes mi01 --tasks-per-node 4 --graph chain:4 --gpus-per-task 2 --json | jq -c '[.placement[].gpus]')" = '[[0,1],[2,3],[4,5],[6,7]]' ]
  # More than there are, or none that the database knows: nothing is planned by them.
  [ "$(placed mi01 2 chain:2 --gpus-per-task 5)" = '0,null,null, 1,null,null, ' ]
  [ "$(placed mi01 8 chain:8 --gpus-per-task 1)" = '0,0,hsn0,12,13,28,29 1,1,hsn0,14,15,30,31 2,2,hsn1,4,5,20,21 3,3,hsn1,6,7,22,23 4,4,hsn2,0,1,16,17 5,5,hsn2,2,3,18,19 6,6,hsn3,8,9,24,25 7,7,hsn3,10,11,26,27 ' ]
  [[ $(placed mi01 4 chain:4 --gpus-per-task 2 --bind gpu --cpus-per-task 2) == '0,0,'*' 1,2,'*' 2,4,'*' 3,6,'* ]]
  topomap map --db t.db --nodes mi01 --tasks-per-node 8 --graph chain:8 --gpus-per-task 1 --format plan >plan
  grep -qx 'step-gpus bound:1' plan
  run ! grep -q '^bind ' plan
  grep -q '^bindings T2' plan
  topomap eval --db t.db --nodes mi01 --tasks-per-node 8 --graph chain:8 --gpus-per-task 1 --json | jq -e '.ranks == 8'
  for bad in 0 x 1.5 ''; do
    run -2 topomap eval --db t.db --nodes mi01 --tasks-per-node 8 --graph chain:8 --gpus-per-task "$bad"
  done
  run -2 topomap map --db t.db --nodes mi01 --tasks-per-node 8 --graph chain:8 --gpus-per-task none
  run -2 topomap map --machine mesh:2x2 --graph ring:4 --gpus-per-task 1
  fails_with 2 --gpus-per-task --nodes
}

@test "GH200, H100: a task a GPU, its NIC; two tasks on a package each, or side by side" {
  import hwloc "$data/gh200.xml"
  [ "$(placed gh01 4 ring:4)" = '0,0,mlx5_0,0,1,2,3 1,1,mlx5_1,4,5,6,7 2,2,mlx5_2,8,9,10,11 3,3,mlx5_3,12,13,14,15 ' ]
  rm t.db
  import gpu-matrix "$data/h100.topo" --nodes 'n[1-2]'
  [ "$(placed 'n[1-2]' 2 ring:4)" = '0,0,mlx5_0, 1,4,mlx5_6, 2,0,mlx5_0, 3,4,mlx5_6, ' ]
  [ "$(placed 'n[1-2]' 2 ring:4 --layout compact)" = '0,0,mlx5_0, 1,1,mlx5_3, 2,0,mlx5_0, 3,1,mlx5_3, ' ]
}

@test "--format plan has the order, which a replay finds again" {
  import hwloc "$data/mi250x.xml"
  topomap map --db t.db --nodes mi01 --tasks-per-node 8 --graph chain:8 --format plan -o p.plan
  grep -q '^bindings T2' p.plan
  grep -q 'GPUs 52\.0 %' p.plan
  run -0 topomap map --replay p.plan --db t.db
  topomap map --db t.db --nodes mi01 --tasks-per-node 8 --graph chain:8 --bind core --format plan | grep -q '^bindings T1'
}

@test "an explanation, show and why have the GPU and the NIC of each task, also where they are Slurm's" {
  import hwloc "$data/mi250x.xml" --nodes 'mi[01-02]'
  { echo '# hosts: mi[01-02]'; printf 'mi%s,1,leaf,%s,100\n' 01 1 02 2; } >links
  import links links
  topomap map --db t.db --nodes 'mi[01-02]' --tasks-per-node 8 --graph chain:16 --format plan -o p.plan
  grep -q '^bindings T2' p.plan
  topomap show --plan p.plan --db t.db >text
  [ "$(grep -c '  1 0 6 7 5 4 2 3  hsn0 hsn0 hsn3 hsn3 hsn2 hsn2 hsn1 hsn1$' text)" -eq 2 ]
  grep -q "^NODE  RANKS  SLURM'S RANKS  GPUS             NICS$" text
  topomap show --plan p.plan --db t.db --json >json
  [ "$(jq -c '.[0] | [.gpus, .nics]' json)" = '[[1,0,6,7,5,4,2,3],["hsn0","hsn0","hsn3","hsn3","hsn2","hsn2","hsn1","hsn1"]]' ]
  jq -e 'all(.[]; (.ranks | length) == (.gpus | length))' json
  # `why` says of each rank what `show` says, and the CPUs that are next to its GPU.
  topomap map --db t.db --nodes 'mi[01-02]' --tasks-per-node 8 --graph chain:16 --json >placed
  local rank
  for rank in 0 5 11; do
    [ "$(topomap why $rank --plan p.plan --db t.db --json | jq -c '[.gpus, .nics, .cpus]')" = \
      "$(jq -c ".placement[$rank] | [.gpus, .nics, .cpus]" placed)" ]
    [ "$(topomap why $rank --plan p.plan --db t.db --json | jq -c '.partners[0] | [.gpus, .nics, .cpus]')" = \
      "$(jq -c ".placement[$(topomap why $rank --plan p.plan --db t.db --json | jq '.partners[0].rank')] | [.gpus, .nics, .cpus]" placed)" ]
  done
  topomap why 2 --plan p.plan --db t.db | grep -q '^rank 2 of step .*: mi0[12] CPUs 8,9,24,25 GPU 6 NIC hsn3, '
  # All talk to all: Slurm's order.
  topomap map --db t.db --nodes 'mi[01-02]' --tasks-per-node 8 --graph alltoall:16 --format plan -o p.plan
  [ "$(topomap show --plan p.plan --db t.db --json | jq -c 'map(.gpus) | unique')" = '[[0,1,2,3,4,5,6,7]]' ]
  topomap map --db t.db --nodes 'mi[01-02]' --tasks-per-node 8 --graph alltoall:16 >text
  [ "$(grep -c '  gpus 0 1 2 3 4 5 6 7  nics hsn0 hsn0 hsn1 hsn1 hsn2 hsn2 hsn3 hsn3$' text)" -eq 2 ]
  # No column where nothing is known of them.
  topomap map --db t.db --nodes 'mi[01-02]' --tasks-per-node 8 --graph chain:16 --bind core --format plan -o p.plan
  run -0 topomap show --plan p.plan --db t.db
  [[ $output == *"SLURM'S RANKS"* && $output != *GPUS* && $output != *NICS* ]]
  [ "$(topomap show --plan p.plan --db t.db --json | jq -c 'map(keys) | add | unique')" = '["node","ranks","ranks_before"]' ]
  run -0 topomap why 2 --plan p.plan --db t.db
  [[ $output != *GPU* ]]
}

@test "several nodes on rails: those that talk between nodes take GPUs whose NICs are on one leaf" {
  { echo '# hosts: n[1-2]'
    for n in 1 2; do for r in 1 2 3 4; do echo "n$n,$r,leaf$r,$n,100"; done; done
    for r in 1 2 3 4; do echo "leaf$r,9,spine,$r,100"; done; } >links
  import links links
  import nccl-topology "$data/a100.nccl.xml" --nodes 'n[1-2]'
  # Within each node all talk; between them every rank with one that is not of its number there.
  awk 'BEGIN { for (n = 0; n < 2; n++) for (i = 0; i < 4; i++) for (k = 0; k < i; k++) print 4 * n + i "," 4 * n + k ",1000"
    print "0,5,900\n1,6,900\n2,7,900\n3,4,900" }' >pairs.csv
  topomap map --db t.db --nodes 'n[1-2]' --tasks-per-node 4 --graph pairs.csv --json >made
  [ "$(jq '[.placement[:4][].node, .placement[4:][].node] | unique | length' made)" -eq 2 ]
  [ "$(jq '[.placement[:4][].node] | unique | length' made)" -eq 1 ]
  nic() { jq -r ".placement[$1].nics[0]" made; }
  for pair in 0:5 1:6 2:7 3:4; do [ "$(nic "${pair%:*}")" = "$(nic "${pair#*:}")" ]; done
  [ "$(for i in 0 1 2 3; do nic $i; done | sort | uniq | wc -l)" -eq 4 ]
  jq -e '.before.J > .J' made
  topomap map --db t.db --nodes 'n[1-2]' --tasks-per-node 4 --graph pairs.csv --format plan -o p.plan
  grep -q '^status applied' p.plan
  grep -q '^bindings T2' p.plan
  run -0 topomap map --replay p.plan --db t.db
  # `why` finds each rank on its GPU: its cost is the plan's.
  topomap why 0 --plan p.plan --db t.db --json | jq -e .
  # An objective that goes by links has places that are cores, and leaves the nodes as they are.
  topomap map --db t.db --nodes 'n[1-2]' --tasks-per-node 4 --graph pairs.csv --objective congestion --json >made
  [ "$(nic 0)" != "$(nic 5)" ]
}
