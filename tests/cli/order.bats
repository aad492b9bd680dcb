#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What Slurm's layout is in a dry run: node index, topology, a file; the database's own answer.
bats_require_minimum_version 1.5.0

load ../messages

readonly nodes='node[01,03-04,06-07,09-10,12]'

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  # Twelve nodes, dealt round four leaf switches: node05 is beside node01.
  for n in {01..12}; do echo "node$n,1,leaf$(((10#$n - 1) % 4 + 1)),$(((10#$n - 1) / 4 + 1)),100"; done >links
  for s in 1 2 3 4; do echo "leaf$s,10,spine,$s,100"; done >>links
  cat >topology.yaml <<'EOF'
- topology: leaves
  tree:
    switches:
      - {switch: s1, nodes: 'node[01,05,09]'}
      - {switch: s2, nodes: 'node[02,06,10]'}
      - {switch: s3, nodes: 'node[03,07,11]'}
      - {switch: s4, nodes: 'node[04,08,12]'}
      - {switch: top, children: 's[1-4]'}
- topology: halves
  block:
    block_sizes: [6]
    blocks:
      - {block: b1, nodes: 'node[07-12]'}
      - {block: b2, nodes: 'node[01-06]'}
EOF
  printf 'SLURM_VERSION = 26.05.3\nSelectTypeParameters = CR_CORE\nTopologyParam = (null)\nTopologyPlugin = topology/flat\n' >new
  sed s/26.05.3/25.11.7/ new >old
}

setup() {
  cd "$BATS_FILE_TMPDIR"
  PATH=$TOPOMAP_BUILD/cli:$PATH
  export TOPOMAP_DB=$BATS_TEST_TMPDIR/t.db
  topomap db import links links
}

J() { topomap eval --graph stencil2d:5:4x4 --nodes "$nodes" --tasks-per-node 2 --json "$@" | jq .J; }
layout() { topomap map --graph stencil2d:5:4x4 --nodes "$nodes" --tasks-per-node 2 --format plan "$@" | grep -a -m1 ^layout; }

@test "the database says what Slurm's layout is; one of an earlier topomap: the node index" {
  local index topology
  [ "$(topomap db show --summary --json | jq -c '[.slurm_order, .slurm_order_evidence]')" = '["node-index","no slurm-config is imported"]' ]
  index=$(J)
  topomap db import slurm-topology topology.yaml
  [ "$(J)" = "$index" ]
  run -0 topomap db import slurm-config new
  [ "$output" = "new: slurm-config: Slurm's order is topology: Slurm 26.05.3, topology/tree" ]
  topology=$(J)
  [ "$topology" != "$index" ]
  [ "$(J --slurm-order topology)" = "$topology" ]
  [ "$(J --slurm-order node-index)" = "$index" ]
  topomap db import slurm-config old
  [ "$(J)" = "$index" ]
  [ "$(J --slurm-order topology)" = "$topology" ]
}

@test "map, its candidates and its plan go by it" {
  topomap db import slurm-topology topology.yaml
  [ "$(layout)" = 'layout 0,1;2,3;4,5;6,7;8,9;10,11;12,13;14,15' ]
  [ "$(layout --slurm-order topology)" = 'layout 0,1;8,9;12,13;4,5;10,11;2,3;6,7;14,15' ]
  [ "$(layout --slurm-order topology:halves)" = 'layout 8,9;10,11;12,13;14,15;0,1;2,3;4,5;6,7' ]
  topomap map --graph stencil2d:5:4x4 --nodes "$nodes" --tasks-per-node 2 --slurm-order topology --json >json
  [ "$(jq -c '[.before.J, .candidates[0].name]' json)" = "[$(J --slurm-order topology),\"slurm-topology\"]" ]
  # Counts belong to nodes, wherever these come.
  [ "$(topomap map --graph ring:5 --nodes 'node[01-04]' --tasks-per-node 2,1,0,2 --slurm-order topology:halves --format plan |
    grep -a -m1 ^layout)" = 'layout 0,1;2;;3,4' ]
}

@test "the layouts that Slurm could have made are candidates, with the J that they have" {
  local name J
  topomap db import slurm-topology topology.yaml
  topomap map --graph stencil2d:5:4x4 --nodes "$nodes" --tasks-per-node 2 --slurm-order node-index --json >json
  { for i in 1 2; do printf '%s\n' node{01,03,04,06,07,09,10,12}; done; } >cyclic
  # Two at a time are a block of two, and that is the baseline.
  [ "$(jq -c '[.candidates[:3][].name]' json)" = '["slurm-block","cyclic","topology"]' ]
  for name in cyclic topology; do
    [ "$(jq --arg name $name '.candidates[] | select(.name == $name).J' json)" = "$(J --slurm-order $name)" ]
  done
  topomap map --graph stencil2d:5:4x4 --nodes "$nodes" --tasks-per-node 2 --slurm-order topology --json >json
  [ "$(jq -c '[.candidates[:3][].name]' json)" = '["slurm-topology","block","cyclic"]' ]
  # As the planner has them, and tells people; nodes of unequal counts keep theirs.
  topomap map --graph ring:14 --nodes 'node[01-04]' --tasks-per-node 5,1,6,2 --format plan --slurm-order node-index >plan
  grep -aq '^  candidate slurm ' plan
  grep -aq '^  candidate plane=3 ' plan
  topomap map --graph ring:14 --nodes 'node[01-04]' --tasks-per-node 5,1,6,2 --slurm-order node-index --json >json
  printf 'node%s\n' 01 01 01 02 03 03 03 04 04 01 01 03 03 03 >plane
  J=$(topomap eval --graph ring:14 --nodes 'node[01-04]' --tasks-per-node 5,1,6,2 --slurm-order plane --json | jq .J)
  [ "$(jq '.candidates[] | select(.name == "plane=3").J' json)" = "$J" ]
  # Without Slurm's topology they go along the leaf switches.
  TOPOMAP_DB=$BATS_TEST_TMPDIR/other.db
  topomap db import links links
  topomap map --graph stencil2d:5:4x4 --nodes "$nodes" --tasks-per-node 2 --json >json
  printf '%s\n' node{01,09,03,07,04,12,06,10}{,} >leaves
  [ "$(jq '.candidates[] | select(.name == "topology").J' json)" = "$(J --slurm-order leaves)" ]
}

@test "a file has the node of each task" {
  topomap db import slurm-topology topology.yaml
  { echo '# ours'; printf '%s\n' node{01,09,06,10,03,07,04,12}{,}; } >file
  [ "$(layout --slurm-order file)" = "$(layout --slurm-order topology)" ]
  [ "$(J --slurm-order file)" = "$(J --slurm-order topology)" ]
  printf 'node01\nnode05\n' >stranger
  printf 'node01\nnode01\nnode01\n' >many
  printf 'node01\n' >few
  run -3 topomap eval --graph ring:16 --nodes "$nodes" --tasks-per-node 2 --slurm-order stranger
  fails_with 3 stranger:2: node05 --nodes
  run -3 topomap eval --graph ring:16 --nodes "$nodes" --tasks-per-node 2 --slurm-order many
  fails_with 3 many:3: node01 2
  run -3 topomap eval --graph ring:16 --nodes "$nodes" --tasks-per-node 2 --slurm-order few
  fails_with 3 few:1: 16 1
  run ! topomap eval --graph ring:16 --nodes "$nodes" --tasks-per-node 2 --slurm-order no-such-file
}

@test "a topology that is not known: an error where it was asked for, else a warning" {
  run -3 topomap eval --graph ring:16 --nodes "$nodes" --tasks-per-node 2 --slurm-order topology
  fails_with 3 'db import slurm-topology'
  printf 'SLURM_VERSION = 26.05.3\nTopologyPlugin = topology/tree\n' >tree
  topomap db import slurm-config tree
  run -0 --separate-stderr topomap eval --graph ring:16 --nodes "$nodes" --tasks-per-node 2 --json
  warns_with 'topomap eval: ' 'db import slurm-topology'
  topomap db import slurm-topology topology.yaml
  run -3 topomap eval --graph ring:16 --nodes "$nodes" --tasks-per-node 2 --slurm-order topology:no
  fails_with 3 "'no'"
  run -2 topomap eval --graph ring:16 --machine torus:4x4 --slurm-order topology
  echo 'NodeName=n1' >conf
  run -3 topomap db import slurm-config conf
  [[ $output == *"conf:1: no SLURM_VERSION"* ]]
}

@test "TopologyPlugin's flat is not believed of a Slurm that may have a topology.yaml" {
  local index
  index=$(J)
  run -0 topomap db import slurm-config new
  has_tokens "${lines[0]}" 'new: slurm-config: ' node-index 26.05.3 topology/flat topology.yaml
  has_tokens "${lines[1]}" 'db import slurm-topology topology.yaml' '--option topology.yaml=none'
  run -0 --separate-stderr J
  [ "$output" = "$index" ]
  warns_with 'topomap eval: ' 'db import slurm-topology topology.yaml'
  run -0 --separate-stderr layout
  warns_with 'topomap map: ' 'db import slurm-topology'
  run -0 --separate-stderr J --slurm-order node-index
  [ -z "$stderr" ]
  run -0 topomap db import slurm-config new --option topology.yaml=none
  [ "$output" = "new: slurm-config: Slurm's order is node-index: Slurm 26.05.3, topology/flat" ]
  run -0 --separate-stderr J
  [ "$output" = "$index" ]
  [ -z "$stderr" ]
  run -2 topomap db import slurm-config new --option topology.yaml=some
  # A topology.conf is what the plugin reads, and flat reads none.
  topomap db import slurm-config new
  echo 'SwitchName=s Nodes=node[01-12]' >topology.conf
  topomap db import slurm-topology topology.conf
  run -0 --separate-stderr J
  warns_with 'db import slurm-topology topology.yaml'
  topomap db import slurm-topology topology.yaml
  run -0 --separate-stderr J
  [ "$output" != "$index" ]
  [ -z "$stderr" ]
  # With what decides nothing by a topology, there is no doubt.
  topomap db import slurm-topology topology.conf
  run -0 topomap db import slurm-config old
  [ "$output" = "old: slurm-config: Slurm's order is node-index: Slurm 25.11.7, topology/flat" ]
}

@test "select/linear asks no topology" {
  local index
  index=$(J)
  topomap db import slurm-topology topology.yaml
  { echo 'SelectType = select/linear'; cat new; } >linear
  run -0 topomap db import slurm-config linear
  [ "$output" = "linear: slurm-config: Slurm's order is node-index: Slurm 26.05.3, topology/tree, select/linear" ]
  [ "$(J)" = "$index" ]
  sed -i s/linear/cons_tres/ linear
  topomap db import slurm-config linear
  [ "$(J)" != "$index" ]
}

@test "in a ring a step's nodes are ranked among the job's" {
  ring() { topomap map --graph ring:4 --nodes 'node[06,09-11]' --tasks-per-node 1 --format plan "$@" | grep -a -m1 ^layout; }
  cat >ring.yaml <<'EOF'
- topology: rings
  ring:
    rings:
      - {ring: all, nodes: 'node[09,11,01,03,05,07,08,02,12,04,10,06]'}
EOF
  unset SLURM_JOB_NODELIST
  topomap db import slurm-topology ring.yaml
  topomap db import slurm-config new
  # By itself the step goes round the end: 10 06 09 11.
  run -0 --separate-stderr ring
  [ "$output" = 'layout 1;2;0;3' ]
  warns_with 'topomap map: ' --job-nodes
  run -0 --separate-stderr ring --job-nodes 'node[01-12]'
  [ "$output" = 'layout 3;0;2;1' ]
  [ -z "$stderr" ]
  run -0 --separate-stderr ring --job-nodes 'node[01,03,06,09-11]'
  [ "$output" = 'layout 1;2;0;3' ]
  [ -z "$stderr" ]
  [ "$(ring --job-nodes 'node[01-12]' --slurm-order topology:rings)" = 'layout 3;0;2;1' ]
  # In a job, where it is the job's.
  export SLURM_JOB_NODELIST='node[01-12]'
  run -0 --separate-stderr ring
  [ "$output" = 'layout 3;0;2;1' ]
  [ -z "$stderr" ]
  run -0 --separate-stderr ring --job-nodes 'node[06,09-11]'
  [ "$output" = 'layout 1;2;0;3' ]
  [ -z "$stderr" ]
  SLURM_JOB_NODELIST='node[01-10]'
  run -0 --separate-stderr ring
  [ "$output" = 'layout 1;2;0;3' ]
  [[ $stderr == *"--job-nodes"* ]]
  run -2 topomap map --graph ring:4 --nodes 'node[06,09-11]' --tasks-per-node 1 --job-nodes 'node[06,09]'
  fails_with 2 node10
  run ! topomap map --graph ring:4 --nodes 'node[06,09-11]' --tasks-per-node 1 --job-nodes 'node['
  run -2 topomap eval --graph ring:16 --machine torus:4x4 --job-nodes 'node[01-12]'
  # In the others each node has its own.
  topomap db import slurm-topology topology.yaml
  run -0 --separate-stderr ring
  [ -z "$stderr" ]
}
