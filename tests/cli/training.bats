#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Training jobs: groups that stay together (keep), ranks that are pinned to a node, and how far groups are spread.
bats_require_minimum_version 1.5.0

load ../messages

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH TOPOMAP_DB=$BATS_FILE_TMPDIR/t.db
  topomap db synth fat-tree:leaves=4,hosts=4,spines=2 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db
  list=$(topomap db export --to links | sed -n 's/^# all hosts: //p')
  export NODES=$list
}

setup() { cd "$BATS_TEST_TMPDIR"; }

# Most nodes that a group of SIZE ranks, APART from each other, is on: spread FILE SLOTS-A-NODE SIZE APART
spread() {
  awk -v slots="$2" -v size="$3" -v apart="$4" '/^[0-9]/ {
      r = n++; g = r % apart + int(r / (apart * size)) * apart; node = int($1 / slots)
      if (!((g, node) in seen)) { seen[g, node] = 1; most = ++nodes[g] > most ? nodes[g] : most } }
    END { print most }' "$1"
}

# Tensor parallel ranks talk little, replicas much: they would be placed apart.
apart=parallel:tp=4,dp=8,layers=1,seq=1,batches=1,hidden=64

@test "keep=tp: no group leaves a node, though J would be lower; without it they do" {
  topomap map --graph $apart --machine tree:8:4@1:10 -o loose
  [ "$(spread loose 8 4 1)" -gt 1 ]
  topomap map --graph $apart --machine tree:8:4@1:10 --keep tp -o kept
  [ "$(spread kept 8 4 1)" -eq 1 ]
  topomap map --graph $apart --machine tree:8:4@1:10 --keep tp:node --effort fast -o fast
  [ "$(spread fast 8 4 1)" -eq 1 ]
  topomap map --graph $apart --machine tree:8:4@1:10 --keep dp -o dp
  [ "$(spread dp 8 8 4)" -eq 1 ]
}

@test "keep where groups are too large, or not all fit: their largest equal pieces, and a line" {
  run -0 --separate-stderr topomap map --graph parallel:tp=16,dp=2 --machine tree:8:4@1:10 --keep tp -o kept
  warns_with 16 8
  [ "$(spread kept 8 8 1)" -eq 1 ]
  run -0 --separate-stderr topomap map --graph parallel:tp=4,dp=6 --machine tree:6:4@1:10 --keep tp -o kept
  warns_with 4 2
  [ "$(spread kept 6 2 1)" -eq 1 ]
  run -0 --separate-stderr topomap map --graph parallel:tp=5,dp=2 --machine tree:3:4@1:10 --keep tp -o kept
  warns_with 5
}

@test "keep on a leaf switch, and on a level of a tree; an unknown level is a node" {
  ep=parallel:tp=2,dp=16,ep=8,pp=2
  topomap map --graph $ep --machine 'fattree:k=8,levels=2*4@1:2' --keep ep:leaf -o kept
  # ep: 8 ranks, 2 apart, in leaves of 16 slots
  [ "$(spread kept 16 8 2)" -eq 1 ]
  topomap map --graph $ep --machine 'tree:4:4:4@1:10:100' --keep ep:level2 -o kept
  [ "$(spread kept 16 8 2)" -eq 1 ]
  run -0 --separate-stderr topomap map --graph $ep --machine 'tree:8:8@1:10' --keep tp:rack -o kept
  warns_with rack
  [ "$(spread kept 8 2 1)" -eq 1 ]
}

# Eight nodes of four GPUs on one leaf, every other one in one of two NVLink domains.
domains() {
  { echo '# hosts: n[1-8]'; for n in 1 2 3 4 5 6 7 8; do echo "n$n,1,leaf,$n,100"; done; } >links
  for n in 1 2 3 4 5 6 7 8; do echo "n$n aaaaaaaa-0000-4000-8000-00000000000$((n % 2)) 1"; done >cliques
  topomap db import --db nvl.db links links >/dev/null
  topomap db import --db nvl.db hwloc "$TOPOMAP_SOURCE/tests/data/db/gh200.xml" --nodes 'n[1-8]' >/dev/null
  topomap db import --db nvl.db nvlink-cliques cliques >/dev/null
}
nvl() { run -0 --separate-stderr topomap map --db nvl.db --nodes 'n[1-8]' --tasks-per-node 4 "$@" --json -o json; }
domains_of() { # SIZE STRIDE: the most domains that a group of ranks is in
  jq -r '.placement[] | "\(.rank) \(.node)"' json | awk -v size="$1" -v stride="$2" '
    { g = int($1 / (size * stride)) * stride + $1 % stride; d = substr($2, 2) % 2
      if (!((g, d) in seen)) { seen[g, d] = 1; most = ++n[g] > most ? n[g] : most } }
    END { print most }'
}

@test "keep=ep on NVLink domains, on any machine that has some; too large a group: its largest equal pieces, and a line" {
  domains
  # Experts talk little, replicas of them much.
  ep=parallel:tp=2,ep=8,dp=16,hidden=64,layers=1
  for objective in J congestion; do
    nvl --graph $ep --keep ep --objective $objective
    [ -z "$stderr" ] || [[ $stderr != *"not"* ]]
    [ "$(domains_of 8 2)" -eq 1 ]
    jq -e '.groups[] | select(.name == "ep").spread[] | select(.level == "domain").most == 1' json
  done
  nvl --graph parallel:dp=32,ep=32 --keep ep
  warns_with 32 domain 16
  [ "$(domains_of 16 1)" -eq 1 ]
  nvl --graph parallel:tp=16,dp=2 --keep tp:domain
  [ "$(domains_of 16 1)" -eq 1 ]
}

@test "keep=domain and keep=segment: consecutive ranks; without any a line" {
  domains
  nvl --graph random:n=32,deg=6,seed=4 --keep domain
  [ "$(domains_of 16 1)" -eq 1 ]
  nvl --graph random:n=32,deg=6,seed=4 --keep segment --segment 2
  # Of each domain two nodes are a segment: n1 n3, n5 n7, n2 n4, n6 n8.
  [ "$(jq -r '.placement[] | "\(.rank) \(.node)"' json | awk '{ n = substr($2, 2); print int($1 / 8), n % 2, int((n - 1) / 4) }' | sort -u | wc -l)" -eq 4 ]
  nvl --graph parallel:tp=8,dp=4 --keep tp:segment --segment 2
  [ "$(jq -r '.placement[] | "\(.rank) \(.node)"' json | awk '{ n = substr($2, 2); print int($1 / 8), n % 2, int((n - 1) / 4) }' | sort -u | wc -l)" -eq 4 ]
  nvl --graph ring:32 --keep segment
  warns_with keep=segment --segment
  run -0 --separate-stderr topomap map --graph ring:32 --machine tree:8:4@1:10 --keep domain -o kept
  warns_with keep=domain NVLink
  run -0 --separate-stderr topomap map --graph ring:32 --machine gpus:nodes=8,gpus=4,domain=4 --keep domain -o kept
  [[ $stderr != *keep=* ]]
  [ "$(spread kept 16 16 1)" -eq 1 ]
}

@test "groups that nobody knows: a line, and the map as without keep" {
  topomap map --graph ring:32 --machine tree:8:4@1:10 -o loose
  run -0 --separate-stderr topomap map --graph ring:32 --machine tree:8:4@1:10 --keep tp -o kept
  warns_with keep=tp parallel:
  cmp loose kept
  run -0 --separate-stderr topomap map --graph $apart --machine tree:8:4@1:10 --keep xp -o kept
  warns_with '`xp`'
  # A file of the pattern tells, one whose ranks have changed places does not.
  topomap graph generate $apart -o same.tmg
  topomap map --graph same.tmg --machine tree:8:4@1:10 --keep tp -o kept
  [ "$(spread kept 8 4 1)" -eq 1 ]
  topomap graph permute $apart --seed 3 -o other.tmg
  run -0 --separate-stderr topomap map --graph other.tmg --machine tree:8:4@1:10 --keep tp -o kept
  warns_with keep=tp
  topomap graph convert ring:32 - --to json | jq --arg p $apart '.pattern = $p' >false.json
  run -0 --separate-stderr topomap map --graph false.json --machine tree:8:4@1:10 --keep tp -o kept
  warns_with parallel:
  run -0 --separate-stderr topomap map --graph $apart --machine tree:8:4@1:10 --keep tp --contiguous -o kept
  warns_with contiguous keep= pin=
}

@test "pin: the rank is on its node, or on the first; beside keep, too" {
  node_of() { awk -v rank="$2" -v slots="$3" '/^[0-9]/ && n++ == rank { print int($1 / slots) }' "$1"; }
  for rank in 0 9 31; do
    topomap map --graph $apart --machine tree:8:4@1:10 --pin $rank:first -o pinned
    [ "$(node_of pinned $rank 8)" -eq 0 ]
    topomap map --graph $apart --machine tree:8:4@1:10 --pin $rank:first --keep tp -o pinned
    [ "$(node_of pinned $rank 8)" -eq 0 ]
    [ "$(spread pinned 8 4 1)" -eq 1 ]
  done
  last=$(scontrol show hostnames "$NODES" 2>/dev/null | tail -n 1 || true)
  [ -n "$last" ] || last=$(topomap db show --json | jq -r '.[].name' | tail -n 1)
  topomap map --graph parallel:tp=4,dp=16 --nodes "$NODES" --tasks-per-node 4 --pin "0:$last" --json >json
  jq -e --arg node "$last" '.placement[0].node == $node' json
  for bad in 0 x:first 0: 64:first 0:nowhere; do
    run -0 --separate-stderr topomap map --graph parallel:tp=4,dp=16 --nodes "$NODES" --tasks-per-node 4 --pin $bad -o perm
    warns_with "pin=$bad"
  done
}

# plan KEY VALUE...: the planner's reply for 16 tasks, dealt out to 4 nodes one by one.
plan() {
  local first
  first=$(topomap db show --json | jq -r '.[].name' | head -n 4 | paste -sd,)
  {
    printf '%s\n' 'topomap-request 1' 'job 1' 'step 0' "db $TOPOMAP_DB" "nodes $first" 'tasks 4(x4)' \
      'layout 0,4,8,12;1,5,9,13;2,6,10,14;3,7,11,15' 'bind none' 'explain 1'
    printf '%s %s\n' "$@"
    echo end
  } | "$TOPOMAP_BUILD/plugin/topomap-planner" 3>&1
}

@test "planner: what keep= and pin= ask for is done though Slurm's layout costs less, and where it has it that stays" {
  graph=parallel:tp=4,dp=4,layers=1,seq=1,batches=1,hidden=64
  plan graph $graph >reply
  grep -q '^status unchanged' reply # replicas together: nothing is better
  plan graph $graph keep tp >reply
  grep -q '^status applied' reply
  grep -qE '^line 16 .*\<4\>.*\<J\>.* [0-9.]+ %' reply
  [ "$(sed -n 's/^layout //p' reply | tr ';' '\n' | awk -F, '{ print int($1 / 4) == int($4 / 4) }' | sort -u)" = 1 ] ||
    [ "$(sed -n 's/^layout //p' reply | tr ';' '\n' | sed 's/-.*//' | awk '{ print $1 % 4 }' | sort -u)" = 0 ]
  plan graph $graph keep dp >reply
  grep -q '^status unchanged' reply
  plan graph $graph pin 0:first >reply
  grep -q '^status unchanged' reply
  plan graph $graph pin 1:first >reply
  grep -q '^status applied' reply
  sed -n 's/^layout //p' reply | grep -Eq '^([0-9]+,)*1(,[0-9]+)*;'
  plan graph $graph keep tp:rack >reply
  grep -q '^line .*\<rack\>' reply
}

@test "a plan with keep and pin is replayed" {
  topomap map --graph parallel:tp=4,dp=16 --nodes "$NODES" --tasks-per-node 4 --keep tp --pin 5:first --format plan -o mine.plan
  run -0 topomap map --replay mine.plan
  has_tokens "$output" replay
}

@test "planner: of a stored profile a gain below 1 % is none, unless min-gain says so; of a graph that is named it is one" {
  awk 'BEGIN { for (i = 0; i < 16; i++) for (j = i + 1; j < 16; j++) print i "," j "," (i == 0 && j == 5 ? 1500 : 1000) }' >all.csv
  topomap graph convert all.csv all.tmg
  plan graph "$PWD/all.tmg" >reply
  grep -q '^line 16 .*\<4\>.* 0\.[1-9] %' reply
  plan graph "$PWD/all.tmg" profile exact >reply
  grep -q '^status unchanged' reply
  grep -q '^line .* 0\.[1-9] %.*\<1 %' reply
  plan graph "$PWD/all.tmg" profile exact min-gain 0.01 >reply
  grep -q '^status applied' reply
}

@test "spread: map, eval and the planner's explanation tell over how many nodes and leaves groups are" {
  graph=parallel:tp=4,dp=4,pp=2
  awk 'BEGIN { for (r = 0; r < 32; r++) print r % 8 * 4 + int(r / 8) }' >dealt # rank r on node r % 8
  topomap eval --graph $graph --machine 'fattree:k=4,levels=2*4@1:2' --mapping dealt --json >json
  jq -e '[.groups[] | {name, groups, size}] == [{name: "tp", groups: 8, size: 4}, {name: "dp", groups: 8, size: 4},
      {name: "pp", groups: 16, size: 2}]' json
  # Nodes 0 to 3 in pairs on leaves; dp: ranks 4 apart, on two nodes in turn; pp: 16 apart, on the same.
  jq -e '[.groups[].spread[0] | [.level, .mean, .most]] == [["node", 4, 4], ["node", 2, 2], ["node", 1, 1]]' json
  jq -e '[.groups[].spread[1] | [.level, .most]] == [["leaf", 2], ["leaf", 2], ["leaf", 1]]' json
  topomap eval --graph $graph --machine 'fattree:k=4,levels=2*4@1:2' --mapping dealt | grep -Eq 'tp of 4: nodes +4.00 \( +4\)$'
  topomap map --graph $graph --machine 'fattree:k=4,levels=2*4@1:2' --mapping dealt --keep tp --json >json
  jq -e '.groups[0].spread[0].most == 1 and .before.groups[0].spread[0].most == 4' json
  topomap map --graph $graph --machine 'fattree:k=4,levels=2*4@1:2' --mapping dealt --keep tp |
    grep -Eq 'tp of 4: nodes +4.00 \( +4\) +1.00 \( +1\)$'
  topomap eval --graph ring:32 --machine tree:8:4@1:10 --json | jq -e 'has("groups") | not'
  plan graph parallel:tp=4,dp=4 >reply
  grep -Eq 'tp of 4: nodes +4.00 \( +4\) +1.00 \( +1\)' reply
}
