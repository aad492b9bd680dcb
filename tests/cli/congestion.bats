#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# map --objective congestion, and the planner with it.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_TEST_TMPDIR"
}

# The congestion that eval finds for a mapping file, and J.
found() { topomap eval --graph "$1" --machine "$2" --mapping map --congestion "$3" --json | jq -c '[.congestion, .J]'; }

@test "map --objective congestion: JSON has both layouts' congestion as eval prints it, and each candidate's" {
  for machine in torus:4x4*4@1:10 fattree:k=4,levels=3*4@1:10 dragonfly:p=2,a=4,h=1*2; do
    graph=stencil2d:9:8x5
    topomap map --graph $graph --machine "$machine" --objective congestion --effort fast --json >json
    topomap map --graph $graph --machine "$machine" --objective congestion --effort fast -o map
    model=$(jq -r .congestion.model json)
    [ "$model" = routes ]
    [ "$(jq -c '[.congestion, .J]' json)" = "$(found $graph "$machine" "$model")" ]
    seq 0 39 >map
    [ "$(jq -c '[.before.congestion, .before.J]' json)" = "$(found $graph "$machine" "$model")" ]
    jq -e '.objective == "congestion" and .congestion.max <= .before.congestion.max and .congestion.max == ([.candidates[].congestion] | min)' json
    jq -e '.congestion.max == .before.congestion.max or ((1 - .congestion.max / .before.congestion.max) * 100 - .gain | fabs < 1e-6)' json
  done
}

@test "map --objective congestion: lower than the map for J, in text too" {
  awk 'BEGIN { srand(2); for (u = 0; u < 64; u++) for (k = 0; k < 3; k++) print u "," int(rand() * 64) "," 1 + int(rand() * 50) }' >graph.csv
  topomap map --graph graph.csv --machine torus:8x8 --objective J -o map
  for model in exact routes; do
    topomap map --graph graph.csv --machine torus:8x8 --objective J -o map
    for_J=$(found graph.csv torus:8x8 $model | jq '.[0].max')
    topomap map --graph graph.csv --machine torus:8x8 --objective congestion --congestion $model -o map
    jq -en "$(found graph.csv torus:8x8 $model | jq '.[0].max') < 0.9 * $for_J"
  done
  run -0 topomap map --graph graph.csv --machine torus:8x8 --objective congestion --congestion exact
  has_tokens "$output" congestion % exact
  run -0 topomap map --graph graph.csv --machine torus:8x8 --objective J --json
  jq -e '.objective == "J" and .congestion == null and (.candidates[0] | has("congestion") | not)' <<<"$output"
}

@test "map --objective congestion: refine and +relieve by name" {
  seq 0 63 | shuf --random-source=<(yes) >start
  cp start map
  for model in exact routes; do
    cp start map
    before=$(found stencil2d:5:8x8 mesh:8x8 $model | jq '.[0].max')
    topomap map --graph stencil2d:5:8x8 --machine mesh:8x8 --algorithm refine --objective congestion --congestion $model --mapping start -o map
    jq -en "$(found stencil2d:5:8x8 mesh:8x8 $model | jq '.[0].max') < $before / 2"
  done
  topomap map --graph stencil2d:5:8x8 --machine mesh:8x8 --algorithm rb+relieve --effort fast -o map
  [ "$(sort -n map | uniq | wc -l)" -eq 64 ]
}

@test "map --objective mix: its value is that of its two parts, and its share is checked" {
  topomap map --graph random:n=64,deg=4 --machine torus:4x4x4 --objective mix:0.3 --effort fast --json >json
  jq -e '.objective == "mix" and .mix <= 1 and .mix <= ([.candidates[].mix] | min) * 1.000001' json
  jq -e '(0.3 * .J / .before.J + 0.7 * .congestion.max / .before.congestion.max - .mix | fabs) < 1e-9' json
  jq -e '(.gain - 100 * (1 - .mix) | fabs) < 1e-9' json
  run -0 topomap map --graph ring:8 --machine torus:8 --objective mix
  [[ $output == *"mix 0.0 %"*"mix 1.0000"* ]]
  for share in 0 1 -1 x '' 0.5x nan; do
    run -2 topomap map --graph ring:8 --machine torus:8 --objective "mix:$share"
    fails_with 2 J mix
  done
}

@test "map --objective congestion: what cannot be is refused with the way out" {
  run -2 topomap map --graph ring:8 --machine tree:2:4@1:10 --objective congestion
  fails_with 2 congestion J
  run -2 topomap map --graph ring:8 --machine tree:2:4@1:10 --objective mix
  fails_with 2 mix
  run -2 topomap map --graph ring:8 --machine percs:supernodes=1 --objective congestion --congestion routes
  fails_with 2 exact
  run -2 topomap map --graph ring:8 --machine torus:8 --objective congestion --congestion nonsense
  fails_with 2 exact routes adaptive
  run -2 topomap map --graph ring:8 --machine torus:8 --congestion exact
  fails_with 2 '--objective congestion'
  run -2 topomap map --graph ring:8 --machine torus:8 --objective speed
  fails_with 2 J congestion time mix
}

@test "fattree: machines have the routes of db synth's tables" {
  while read -r made spec; do
    rm -rf made t.db
    topomap db synth "$made" -o made
    topomap db import --db t.db lft made/fabric.lfts
    topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
    topomap db show --db t.db --json | jq -r '.[].name' >names
    n=$(wc -l <names)
    seq 0 $((n - 1)) | shuf --random-source=<(yes) >map
    for graph in ring:$n stencil2d:9:$((n / 4))x4; do
      topomap eval --graph $graph --db t.db --nodes "$(paste -sd, names)" --tasks-per-node 1 --mapping map --congestion routes --json >a
      topomap eval --graph $graph --machine "$spec" --mapping map --congestion routes --json >b
      [ "$(jq .congestion.used a)" = "$(jq .congestion.used b)" ]
      # other units: the rates are known on one side only
      jq -en --slurpfile a a --slurpfile b b '$a[0].congestion.max / $a[0].congestion.mean - $b[0].congestion.max / $b[0].congestion.mean | fabs < 1e-9'
    done
  done <<END
fat-tree:k=8,levels=3 fattree:k=8,levels=3
fat-tree:k=6,levels=2,hosts=2,taper=3 fattree:k=6,levels=2,hosts=2,taper=3
fat-tree:leaves=4,hosts=3,spines=2,links=2 fattree:leaves=4,hosts=3,spines=2,links=2
fat-tree:k=4,levels=4 fattree:k=4,levels=4
END
}

@test "planner and map: tables that miss a node's routes are passed over for all shortest paths" {
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made
  grep -v "node01" made/fabric.lfts >gap.lfts # the entries of one host
  topomap db import --db t.db lft gap.lfts
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)
  run -3 topomap eval --graph stencil2d:9:4x4 --db t.db --nodes "$nodes" --tasks-per-node 2 --congestion routes
  topomap map --graph stencil2d:9:4x4 --db t.db --nodes "$nodes" --tasks-per-node 2 --objective congestion --json >json
  jq -e '.congestion.model == "exact"' json
  plan t.db "$nodes" congestion >reply
  grep -q '\<exact\>' reply
}

# plan DB NODES OBJECTIVE [LINE]: the planner's reply for 16 tasks on 8 nodes.
plan() {
  printf '%s\n' 'topomap-request 1' 'job 1' 'step 0' "db $PWD/$1" 'graph stencil2d:9:4x4' "nodes $2" 'tasks 2(x8)' \
    'layout 0,8;1,9;2,10;3,11;4,12;5,13;6,14;7,15' "objective $3" ${4:+"$4"} 'seed 1' 'time 60' 'explain 1' end |
    "$TOPOMAP_BUILD/plugin/topomap-planner" 3>&1
}

@test "planner: objective congestion over a fabric's routes; its gain is of congestion" {
  topomap db synth fat-tree:leaves=8,hosts=4,spines=2 -o made
  topomap db import --db t.db lft made/fabric.lfts
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | awk 'NR % 4 == 1' | paste -sd,)
  plan t.db "$nodes" congestion >reply
  grep -q '^status applied' reply
  grep -qE '^line 16 .*\<8\>.*congestion.* [0-9.]+ %' reply
  grep -q '\<model .*routes\>' reply
  topomap map --graph stencil2d:9:4x4 --db t.db --nodes "$nodes" --tasks-per-node 2 --objective congestion --json >json
  jq -e '.congestion.model == "routes" and .congestion.unit == "s"' json
  plan t.db "$nodes" congestion 'contiguous 1' >reply
  grep -qE '^line 16 .*\<8\>.* contiguous .*congestion.* [0-9.]+ %' reply
  [ "$(grep '^layout ' reply | cut -c8- | tr ';' '\n' | awk -F, '$2 != $1 + 1' | wc -l)" -eq 0 ]
  plan t.db "$nodes" mix >reply
  grep -qE '^line 16 .*\<8\>.*\<mix\>.* [0-9.]+ %' reply
  plan t.db "$nodes" J >reply
  run ! grep -q congestion reply
}

@test "objective mix with its share: map, map for a plan, and the planner take it alike, with a background too" {
  topomap db synth fat-tree:leaves=8,hosts=4,spines=2 -o made
  topomap db import --db t.db lft made/fabric.lfts
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | awk 'NR % 4 == 1' | paste -sd,)
  topomap db export --db t.db --to links | awk -F, -v OFS=, '/^leaf01.*spine/ { $5 *= 0.9; print }' >loads.csv
  local on=(--graph stencil2d:9:4x4 --db t.db --nodes "$nodes" --tasks-per-node 2 --seed 1)
  for objective in mix mix:0.3; do
    topomap map "${on[@]}" --objective $objective --json >json
    jq -e '.objective == "mix" and .mix > 0 and .mix <= 1' json
    topomap map "${on[@]}" --objective $objective --background loads.csv --json >json
    jq -e '.objective == "mix" and .mix > 0 and .mix <= 1' json
    topomap map "${on[@]}" --objective $objective --format plan -o plan
    grep -q "^objective $objective$" plan
    plan t.db "$nodes" $objective >reply
    grep -qE '^line 16 .*\<8\>.*\<mix\>.* [0-9.]+ %' reply
  done
  for share in 0 1 -1 half ''; do
    plan t.db "$nodes" "mix:$share" >reply
    grep -q '^status failed' reply
    run -2 topomap map "${on[@]}" --objective "mix:$share"
  done
}

@test "planner: without links it goes by J and says so in one line" {
  printf 'SwitchName=s%d Nodes=n[%d-%d]\n' 0 0 3 1 4 7 >topology.conf
  echo 'SwitchName=top Switches=s[0-1]' >>topology.conf
  topomap db import --db t.db slurm-topology topology.conf
  plan t.db 'n[0-7]' congestion >reply
  grep -q '^status applied' reply
  [ "$(grep -c '^line .*\<J\>.*\<congestion\>.*links' reply)" -eq 1 ]
  grep -q '^quiet 0' reply
  plan t.db 'n[0-7]' J >other
  [ "$(grep ^layout reply)" = "$(grep ^layout other)" ]
}

@test "adaptive: a dragonfly's detours by way of every other group, each with the same share" {
  # Two ranks on one router send to two on another; four groups of one router: two detours.
  printf '0,2,100\n1,3,100\n' >graph.csv
  for v in 25 50 100; do
    topomap eval --graph graph.csv --machine "dragonfly:p=2,a=1,h=3,valiant=$v" --congestion adaptive --json >json
    # A host's link carries 100, the minimal one what is left of 200, a detour half of the rest; a
    # message by a detour is on one link more.
    jq -e --argjson v $v '.congestion | .model == "adaptive" and (.max - ([100, 200 * (1 - $v / 100), 200 * $v / 200] | max) | fabs < 1e-9)
      and (.mean * .links - 200 * (3 + $v / 100) | fabs < 1e-9)' json || { cat json; false; }
  done
  # Inside a group there are none, and without valiant= there are none.
  topomap eval --graph alltoall:8 --machine dragonfly:p=2,a=4,h=2,valiant=60 --congestion adaptive --json | jq -c '.congestion | del(.model)' >a
  topomap eval --graph alltoall:8 --machine dragonfly:p=2,a=4,h=2 --congestion routes --json | jq -c '.congestion | del(.model)' >b
  diff a b
  for machine in dragonfly:p=2,a=4,h=2 dragonfly:p=2,a=2,h=1,groups=2,valiant=50 torus:4x4; do
    run -2 topomap eval --graph ring:8 --machine "$machine" --congestion adaptive
    fails_with 2 adaptive dragonfly:
    run -2 topomap map --graph ring:8 --machine "$machine" --objective congestion --congestion adaptive
    fails_with 2 adaptive dragonfly:
  done
}

@test "adaptive: what the search moves is what eval finds; predicted time goes by it" {
  machine=dragonfly:p=2,a=4,h=2,valiant=40
  for graph in stencil3d:7:6x4x3 random:n=60,deg=4,seed=3; do
    for objective in congestion mix; do
      topomap map --graph $graph --machine $machine --objective $objective --effort fast --json >json
      topomap map --graph $graph --machine $machine --objective $objective --effort fast -o map
      [ "$(jq -r .congestion.model json)" = adaptive ]
      [ "$(jq -c '[.congestion, .J]' json)" = "$(found $graph $machine adaptive)" ]
      jq -e '.congestion.max <= .before.congestion.max or .J < .before.J' json
    done
    topomap map --graph $graph --machine $machine --objective time --effort fast -o map
    topomap eval --graph $graph --machine $machine --mapping map --time --json >after
    topomap eval --graph $graph --machine $machine --time --json >before
    jq -en --slurpfile a after --slurpfile b before '$a[0].time.model == "adaptive" and $a[0].time.seconds <= $b[0].time.seconds'
  done
}

@test "group-first: neighbours stay in a dragonfly's groups; lower J than by distances alone" {
  machine=dragonfly:p=4,a=8,h=4
  for graph in stencil3d:7:8x11x12 stencil2d:5:33x32; do
    for algorithm in group-first top-down; do
      topomap map --graph $graph --machine $machine --algorithm $algorithm -o map
      topomap eval --graph $graph --machine $machine --mapping map --json | jq .J >$algorithm
    done
    [ "$(cat group-first)" -lt "$(cat top-down)" ]
  done
  for other in fattree:k=4 torus:4x4 tree:4:4@1:10; do
    run -2 topomap map --graph ring:8 --machine $other --algorithm group-first
    [[ $output == *group-first* ]]
  done
  topomap db synth dragonfly:a=4,p=2,h=2 -o made
  topomap db import --db fly.db ibnetdiscover made/fabric.ibnetdiscover
  run -2 topomap map --graph ring:16 --db fly.db --nodes 'node[01-16]' --tasks-per-node 1 --algorithm group-first
  fails_with 2 group-first dragonfly: top-down
  # Cliques of a group's size go to a group each, in whatever order they are.
  awk 'BEGIN { for (u = 0; u < 72; u++) for (v = u + 9; v < 72; v += 9) print u "," v ",1000" }' >graph.csv
  topomap map --graph graph.csv --machine dragonfly:p=2,a=4,h=2 --algorithm group-first --format perm -o perm
  [ "$(awk '{ g = int($NF / 8); c = (NR - 1) % 9; if ((c in at) && at[c] != g) bad++; at[c] = g } END { print bad + 0, NR }' perm)" = "0 72" ] || { cat perm; false; }
}
