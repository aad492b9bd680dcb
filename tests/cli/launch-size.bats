#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# 65,536 tasks on 512 nodes of 128: the planner's plan through encoding, environment or file, and every node's own
# hooks, against the dry run's CPUs.
bats_require_minimum_version 1.5.0

setup_file() {
  command -v lstopo-no-graphics || skip "needs lstopo-no-graphics"
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_FILE_TMPDIR"
  export XDG_CACHE_HOME=$PWD/cache
  lstopo-no-graphics -i 'package:2 numa:4 l3:2 core:8 pu:2' --of xml >node.xml
  topomap db synth fat-tree:k=16,levels=3,lft=no,names=node%04d -o dumps
  topomap db import --db t.db ibnetdiscover dumps/fabric.ibnetdiscover
  topomap db import --db t.db hwloc node.xml --nodes 'node[0001-1024]'
}

setup() {
  cd "$BATS_FILE_TMPDIR"
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  hooks=$TOPOMAP_BUILD/tests/bench/node-hooks
}

# plan GRAPH: the planner's reply and what the dry run says of each rank: its node's place in the step and its CPUs.
plan() {
  {
    printf 'topomap-request 1\njob 17\nstep 3\ndb %s\ngraph %s\nnodes node[0001-0512]\n' "$PWD/t.db" "$1"
    echo 'tasks 128(x512)'
    echo "layout $(seq 0 128 65535 | awk '{ printf "%s%d-%d", (NR > 1 ? ";" : ""), $1, $1 + 127 }')"
    printf 'cpus-per-task 1\neffort fast\nseed 1\ntime 100\nend\n'
  } >request
  "$TOPOMAP_BUILD/plugin/topomap-planner" <request 3>reply
  head -3 reply
  topomap map --db t.db --graph "$1" --nodes 'node[0001-0512]' --tasks-per-node 128 --effort fast --json |
    jq -r '.placement[] | "\(.rank) \(.node[4:] | tonumber - 1) \(.cpus | sort | map(tostring) | join(","))"' |
    sort -n >planned
  [ "$(wc -l <planned)" -eq 65536 ]
}

# nodes HOW OPTION...: what the nodes make of it, and that it took that way.
nodes() {
  local how=$1
  shift
  "$hooks" --cpus 256 "$@" reply 17 3 2>said | sort -n >bound
  tail -1 said
  [[ $(tail -1 said) == "carried $how nodes 512 tasks 65536 "* ]]
}

bytes_a_task() { # MOST
  awk -v most="$1" '/^carried/ { for (i = 1; i < NF; i++) if ($i == "bytes/task") exit !($(i + 1) <= most) }' said
}

@test "a grid: every node alike, all CPUs as planned, next to no bytes a task" {
  plan stencil3d:7:32x32x64
  nodes whole
  diff planned bound
  bytes_a_task 0.05
  # All of the node's cores, by Slurm's own list; a class that does not fit is another matter.
  nodes whole --cores 0-127
  diff planned bound
}

@test "no two nodes alike: at most two bytes a task, through the environment and through a file" {
  topomap graph generate stencil3d:7:32x32x64 -o grid.graph
  topomap graph permute --seed 5 grid.graph -o shuffled.graph
  plan "$PWD/shuffled.graph"
  nodes whole
  diff planned bound
  bytes_a_task 2
  # Linux gives the environment a quarter of the stack; srun looks how much of it is left.
  mkdir spool
  ulimit -s 600
  nodes spooled --spool "$PWD/spool"
  diff planned bound
  [ -z "$(ls -A spool)" ]
}

@test "where nodes cannot read the file, or there is none: the same CPUs, in the order of the tasks" {
  ulimit -s 600
  awk '{ print $2, $3 }' planned | sort -n -k1,1 -k2,2 >cpus
  for lost in '--lost' ''; do
    if [ -n "$lost" ]; then nodes spooled --spool "$PWD/spool" "$lost"; else nodes in-order; fi
    [ $(($(grep -c 'in order' said) / 512)) -eq "$([ -n "$lost" ] && echo 1 || echo 0)" ]
    awk '{ print $2, $3 }' bound | sort -n -k1,1 -k2,2 | diff cpus -
    # Ranks ascend on a node, and with them the first CPU, which the class has in the order of its cores.
    sort -k2,2n -k1,1n bound | awk -v node=-1 '{ split($3, c, ","); if ($2 == node && c[1] <= last) exit 1; node = $2; last = c[1] }'
  done
}
