#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Machines with links: fattree:, dragonfly:, percs:, links:, gpus:.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_TEST_TMPDIR"
}

traffic() {
  awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) for (k = 1; k < 4; k++) print i, (i * 7 + k * 5) % n, 10 + i * k }' >g.edges
}

# Distances and loads of a shuffled placement, rounded where sums may come in another order.
of_eval() {
  topomap eval --congestion exact --json "$@" |
    jq -c '[.ranks, .J, .hop_bytes, .max_dilation, .congestion.unit, .congestion.links,
            (.congestion.max * 1e12 | round), (.congestion.mean * 1e12 | round)]'
}

@test "links: of an exported database is the database's machine: hops, costs, congestion" {
  while read -r spec ranks; do
    rm -rf made t.db
    topomap db synth "$spec" -o made
    topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
    topomap db export --db t.db --to links -o t.csv
    nodes=$(topomap db show --db t.db --json | jq -r '[.[].name] | join(",")')
    seq 0 $((ranks - 1)) | shuf --random-source=<(yes) >map
    traffic "$ranks"
    of_eval --graph g.edges --db t.db --nodes "$nodes" --tasks-per-node 1 --mapping map >database
    of_eval --graph g.edges --machine "links:t.csv@6:10" --mapping map >file
    diff database file || { echo "$spec"; return 1; }
    checked=$((checked + 1))
  done <<END
fat-tree:k=4,levels=3 16
fat-tree:leaves=4,hosts=3,spines=2,links=2,trunk=HDR 12
fat-tree:leaves=4,hosts=4,spines=3,fault=degraded:4 16
dragonfly:a=4,p=2,h=2 72
torus:4x3,hosts=2 24
END
  [ "$checked" -eq 5 ]
}

@test "fattree: and dragonfly: are the shapes that db synth makes" {
  while read -r made machine ranks; do
    rm -rf made t.db
    topomap db synth "$made" -o made
    topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
    nodes=$(topomap db show --db t.db --json | jq -r '[.[].name] | join(",")')
    traffic "$ranks"
    rate=$(topomap db export --db t.db --to links | awk -F, '!/^#/ { print $5; exit }')
    topomap eval --congestion exact --json --graph g.edges --db t.db --nodes "$nodes" --tasks-per-node 1 >a.json
    topomap eval --congestion exact --json --graph g.edges --machine "$machine" >b.json
    jq -se '(.[0] | [.J, .hop_bytes, .max_dilation, .congestion.links, .congestion.used]) ==
            (.[1] | [.J, .hop_bytes, .max_dilation, .congestion.links, .congestion.used])' a.json b.json
    jq -se --argjson rate "$rate" '(.[0].congestion.max * $rate * 1e9 / 8 / .[1].congestion.max - 1) | fabs < 1e-9' a.json b.json
    checked=$((checked + 1))
  done <<END
fat-tree:k=4,levels=3 fattree:k=4,levels=3@6:10 16
fat-tree:k=6,levels=2,hosts=2,taper=3 fattree:k=6,levels=2,hosts=2,taper=3@6:10 12
fat-tree:leaves=4,hosts=3,spines=2,links=2 fattree:leaves=4,hosts=3,spines=2,links=2@6:10 12
dragonfly:a=4,p=2,h=2 dragonfly:p=2,a=4,h=2@6:10 72
dragonfly:a=4,p=2,h=2,groups=5 dragonfly:p=2,a=4,h=2,groups=5@6:10 40
END
  [ "$checked" -eq 5 ]
}

@test "a fabric's nodes can be chosen, and both models load its links" {
  printf '0\n3\n9\n' >nodes
  topomap eval --graph ring:6 --machine "fattree:k=4,levels=3*2@1:10,alloc=nodes" --congestion fast --json >e.json
  jq -e '.ranks == 6 and .max_dilation == 6 and .congestion.unit == "bytes" and .congestion.max > 0' e.json
  topomap eval --graph ring:6 --machine "percs:supernodes=2*2@1:10,alloc=nodes" --congestion exact --json >e.json
  jq -e '.max_dilation == 1 and .congestion.unit == "s"' e.json
  topomap map --graph ring:32 --machine dragonfly:p=2,a=4,h=2 -o map
  [ "$(sort -n map | uniq | wc -l)" -eq 32 ]
}

@test "map: algorithms that need links have those of a database" {
  topomap db synth fat-tree:leaves=4,hosts=2 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '[.[].name] | join(",")')
  for name in greedy bisect rcm rcm+swap; do
    topomap map --graph ring:16 --db t.db --nodes "$nodes" --tasks-per-node 2 --algorithm "$name" --format perm -o map
    [ "$(sort -n map | uniq | wc -l)" -eq 16 ]
  done
}

@test "refusals name the matter" {
  run -2 topomap eval --graph ring:2 --machine fattree:k=5
  fails_with 2 k=
  run -2 topomap eval --graph ring:2 --machine fattree:k=4,leaves=3
  fails_with 2 k=4
  run -2 topomap eval --graph ring:2 --machine fattree:k=4,alloc=x,levels=2
  [[ $output == *"alloc="* ]]
  run -2 topomap eval --graph ring:2 --machine fattree:k=254,levels=6
  fails_with 2 k=254
  run -2 topomap eval --graph ring:2 --machine fattree:k=4,k=6
  fails_with 2 k
  run -2 topomap eval --graph ring:2 --machine dragonfly:p=1,a=2,h=1,groups=9
  [[ $output == *"a*h + 1"* ]]
  run -2 topomap eval --graph ring:2 --machine percs:supernodes=289,links=2
  [[ $output == *"288 D links"* ]]
  run -2 topomap eval --graph ring:2 --machine percs:supernodes=0
  run -2 topomap eval --graph ring:2 --machine percs:seed=1
  fails_with 2 supernodes=
  run -3 topomap eval --graph ring:2 --machine links:none
  echo "# nothing" >two.csv
  run -3 topomap eval --graph ring:2 --machine links:two.csv
}

# The database's nodes in the order of a torus specification: x fastest, then the nodes of a router.
torus_order() {
  topomap db show --db t.db --json |
    jq -r 'map(. + {at: (.attached | ltrimstr("sw_") | split("[,_]"; "") | map(tonumber) | reverse)})
           | sort_by(.at, .name) | .[].name'
}

@test "torus: is the machine of xtprocadmin's and ibnetdiscover's dumps of one, whole and scattered" {
  while read -r made machine beside; do
    rm -rf made t.db
    topomap db synth "$made" -o made
    for format in xtprocadmin xtdb2proc ibnetdiscover; do
      for dump in made/*."$format"; do
        [ ! -f "$dump" ] || topomap db import --db t.db "$format" "$dump"
      done
    done
    torus_order >names
    for step in 1 3; do
      awk -v s="$step" '(NR - 1) % s == 0' names >chosen
      awk -v s="$step" '(NR - 1) % s == 0 { print NR - 1 }' names >alloc
      ranks=$(wc -l <chosen)
      seq 0 $((ranks - 1)) | shuf --random-source=<(yes) >map
      traffic "$ranks"
      topomap eval --json --graph g.edges --db t.db --nodes "$(paste -sd, chosen)" --tasks-per-node 1 --mapping map >a.json
      topomap eval --json --graph g.edges --machine "$machine,alloc=alloc" --mapping map >b.json
      # Hosts on switches are two hops further apart than routers that are hosts.
      jq -se --argjson b "$beside" '(.[0] | [.J, .hop_bytes, .max_dilation]) ==
        (.[1] | [.J, .hop_bytes + $b * .bytes, .max_dilation + $b])' a.json b.json
      checked=$((checked + 1))
    done
  done <<END
torus:5x4x3,cray=gemini torus:5x4x3@6:10,base=10,routers=2 0
torus:6x5x4,cray=seastar torus:6x5x4@6:10,base=10 0
torus:4x3x5,hosts=2 torus:4x3x5@6:10,base=20,routers=2 2
mesh:5x4x3 mesh:5x4x3@6:10,base=20 2
END
  [ "$checked" -eq 8 ]
}

@test "gpus: maps of training jobs on scattered nodes keep to rails and units, and never cost more" {
  seq 0 127 | shuf --random-source=<(yes) | head -32 >nodes
  machine=gpus:nodes=128,gpus=8,rails=8,unit=16,alloc=nodes
  for graph in parallel:tp=8,pp=4,dp=8 parallel:tp=4,pp=4,dp=16 ring:256; do
    topomap map --graph "$graph" --machine "$machine" -o map
    J=$(topomap map --graph "$graph" --machine "$machine" --json | jq .J)
    topomap eval --graph "$graph" --machine "$machine" --mapping map --json >ours
    topomap eval --graph "$graph" --machine "$machine" --json >slurm
    jq -e -n --slurpfile a ours --slurpfile b slurm --argjson J "$J" '$a[0].J == $J and $a[0].J <= $b[0].J and $a[0].J >= $a[0].lower_bound'
    [ "$(jq -c '[.levels[].name]' ours)" = '["node","leaf","spine"]' ]
  done
  # tp never leaves a node; what dp sends goes by one rail, between nodes: 20 or 40 a byte, never 21.
  topomap map --graph parallel:tp=8,pp=4,dp=8 --machine "$machine" -o map
  awk '{ if ((NR - 1) % 8 == 0) node = int($1 / 8); if (int($1 / 8) != node) exit 1 }' map
}

@test "gpus: predicted time, and the objectives that go by links" {
  machine=gpus:nodes=16,gpus=4,rails=4,unit=4,taper=4
  topomap eval --graph stencil2d:5:8x8 --machine "$machine" --json --time | jq -e '.time.seconds > 0'
  before=$(topomap eval --graph stencil2d:5:8x8 --machine "$machine" --json --congestion exact | jq .congestion.max)
  for objective in congestion time mix; do
    topomap map --graph stencil2d:5:8x8 --machine "$machine" --objective $objective -o map
    topomap eval --graph stencil2d:5:8x8 --machine "$machine" --mapping map --json --congestion exact |
      jq -e --argjson before "$before" '.congestion.max <= $before'
  done
  run -2 topomap eval --graph ring:4 --machine gpus:nodes=2,gpus=2,rails=3
  fails_with 2 rails=3 gpus=2
}

# One case of each kind of `make bench-training`, by its own bars; all twenty take a minute.
# bats test_tags=campaign
@test "gpus: no host list is better than the maps of training jobs (bench-training)" {
  TOPOMAP=$TOPOMAP_BUILD/cli/topomap CASES='rail-6|taper-4|plain-2|rack-4' "$TOPOMAP_SOURCE/tests/bench/training" >table
  [[ "$(<table)" == *"4 cases;"*"all bars are held"* ]] # wording: the line of tests/bench/training
  awk -F'\t' 'NR > 1 && NF > 8 { for (i = 4; i < 11; i++) if (i != 7 && $i > 1.0001) exit 1; rows++ } END { exit rows != 4 }' table
}

@test "gpus: time counts what NVLink carries, so that tensor groups stay in their nodes; strong is never behind default" {
  machine=gpus:nodes=16,gpus=4,rails=4,unit=4
  graph=parallel:tp=4,pp=4,dp=4
  topomap eval --graph $graph --machine $machine --json --time | jq -e '.time.costs.memory == {value: 450, unit: "GB/s", from: "assumed"}'
  topomap eval --graph $graph --machine $machine,nvlink=1 --json --time | jq -e '.time.costs.memory.value == 25'
  topomap eval --graph $graph --machine $machine --json --time --time-costs memory=80 | jq -e '.time.costs.memory | .value == 80 and .from == "given"'
  topomap map --graph $graph --machine $machine --objective time --json >map
  jq -e '.levels[0] | .name == "node" and .bytes > 0' map
  jq -e '[.groups[] | select(.name == "tp") | .spread[0].most] == [1]' map
  # Few slots: what a search finds there is luck, which strong has, too.
  seq 0 255 | shuf --random-source=<(yes 47) | head -32 >nodes
  for effort in default strong; do
    topomap map --graph stencil2d:5:32x8 --machine gpus:nodes=256,gpus=8,unit=16,nvlink=1,numa=2,alloc=nodes --effort $effort --json >$effort
  done
  jq -e -n --slurpfile a strong --slurpfile b default '$a[0].J <= $b[0].J'
}
