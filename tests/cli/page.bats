#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The parts of `topomap report`'s page: the inside of nodes, and what is for those who do not see it, or not all of it.
bats_require_minimum_version 1.5.0
load page

setup() {
  cd "$BATS_TEST_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH LC_ALL=C.UTF-8 XDG_CACHE_HOME=$PWD/cache
  unset TOPOMAP_DB SLURM_CONF
}

# jq's own _nwise() is slow where there is much.
by='def by($n): . as $all | [range(0; length; $n) as $i | $all[$i:$i + $n]]; '

# Nodes of eight GPUs, two to a switch.
gpu_nodes() {
  topomap db import --db t.db hwloc "$TOPOMAP_SOURCE/tests/data/db/mi250x.xml" --nodes "mi[1-$1]"
  {
    echo "# hosts: mi[1-$1]"
    for ((i = 1; i <= $1; i++)); do echo "mi$i,1,leaf$(((i + 1) / 2)),$i,100"; done
    for ((i = 2; i <= ($1 + 1) / 2; i++)); do echo "leaf1,$((100 + i)),leaf$i,100,100"; done
  } >links
  topomap db import --db t.db links links
}

@test "inside a node: its ranks have the CPUs, GPUs and NICs that show and why have, their bytes add up, and a picker shows each" {
  gpu_nodes 3
  topomap map --db t.db --nodes 'mi[1-3]' --tasks-per-node 8 --graph stencil2d:5:6x4 --format plan -o plan
  topomap report --plan plan --db t.db -o page.html
  data page.html
  topomap show --plan plan --db t.db --json >shown
  for rank in {0..23}; do topomap why $rank --plan plan --json | jq -r '.cpus | join(",")'; done >cpus
  jq '.inside as $i | [$i.node[] | {node: .name} + (.after | [_nwise(6)] | {ranks: map(.[0]), gpus: map(.[4]), nics: map($i.nic[1][.[5]])})]' json >mine
  jq -e --slurpfile s shown '. == [$s[0][] | {node, ranks, gpus, nics}]' mine
  # The same ranges as the CPUs that why lists, rank by rank.
  expand() { awk -F, '{ for (i = 1; i <= NF; i++) { n = split($i, r, "-"); for (c = r[1]; c <= r[n]; c++) printf("%s%d", (i > 1 || c > r[1]) ? "," : "", c) } print "" }'; }
  diff <(jq -r '.inside as $i | [$i.node[].after | _nwise(6)] | sort_by(.[0])[] | $i.cpus[.[1]]' json | expand) cpus
  # Before: Slurm's layout, each rank once, and every CPU with one rank.
  jq -e '.inside.node | map(.before | [_nwise(6)] | map(.[0])) == [[range(8)], [range(8; 16)], [range(16; 24)]]' json
  jq -e '.inside.node[] | .before | [_nwise(6)[1]] | unique | length == 8' json
  for when in before after; do
    jq -e --arg when $when '(.rank | map(.[3])) == ([.inside.node[][$when] | _nwise(6)] | sort_by(.[0]) | map(.[2] + .[3]))' json
    jq -e --arg when $when '[.node[]["out_" + $when]] == [.inside.node[][$when] | [_nwise(6)[3]] | add]' json
  done
  drawn page.html
  [ "$(grep -o '<option' dom | wc -l)" -eq 3 ]
  grep -q '<title>GPU 4[^<]*; rank ' dom
  # Every core twice, every device twice, and what they are in.
  [ "$(grep -o '<title>core ' dom | wc -l)" -eq "$(jq '2 * (.inside.shape[0].cpus | length)' json)" ]
  [ "$(grep -o '<title>GPU \|<title>NIC ' dom | wc -l)" -eq "$(jq '2 * (.inside.device[0] | length)' json)" ]
  [ "$(grep -o 'class="box"' dom | wc -l)" -eq "$(jq '2 * (1 + ([.inside.shape[0].level[].group | unique | length] | add))' json)" ]
}

@test "inside a node: places of a specified machine, the section that says why it is empty, and none" {
  topomap report --graph ring:64 --machine 'tree:2:4:8@1:10:100,node=2' -o page.html
  data page.html
  jq -e '.inside.database == false and (.inside.node | length) == 8 and (.inside.shape | length) == 1
    and .inside.shape[0].leaf == "place" and (.inside.shape[0].level | map(.group)) == [[0, 0, 1, 1, 2, 2, 3, 3]]' json
  drawn page.html
  [ "$(grep -o '<title>place ' dom | wc -l)" -eq 16 ]
  topomap report --graph ring:8 --machine mesh:8 -o page.html
  data page.html
  jq -e '.inside == null' json
  drawn page.html
  run ! grep -q '<h2[^>]*>Inside a node' dom
  printf '# hosts: n[1-2]\nn1,1,s,1,100\nn2,1,s,2,100\n' >links
  topomap db import --db t.db links links
  topomap report --graph ring:4 --db t.db --nodes 'n[1-2]' --tasks-per-node 2 -o page.html
  data page.html
  drawn page.html
  grep -q 'database.*inside' dom
}

@test "measured times stand beside predicted ones, where the store has them of the launch's profile and as many nodes" {
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)
  key=00000000000000a1
  mkdir -p -m 700 cache/topomap/profiles
  topomap graph generate random:n=16,deg=3 -o cache/topomap/profiles/$key.tmg
  meta() {
    printf 'program solver\nranks 16\nmade 1700000000\n' >cache/topomap/profiles/$key.meta
    printf 'time %s 900 %s 0.5 1700000000\n' "$@" >>cache/topomap/profiles/$key.meta
  }
  topomap map --graph "$PWD/cache/topomap/profiles/$key.tmg" --db t.db --nodes "$nodes" --tasks-per-node 2 --format plan -o plan
  meta 's 8' 4.0 's 8' 4.1 's 8' 4.05 'p 8' 3.0 'p 8' 3.1 'p 8' 3.2
  # A graph that somebody named is not what the store has times of.
  topomap report --plan plan -o page.html
  data page.html
  jq -e '.figures | map(.name) | index("measured time") == null' json
  sed -i '0,/^layout /s//profile exact\nprofiled solver, 16 ranks\nlayout /' plan
  topomap report --plan plan -o page.html
  data page.html
  topomap profile show $key --json >stored
  jq -e --slurpfile s stored '$s[0].measured as $m | .figures[] | select(.name == "measured time") | .before == $m.slurm_seconds
    and .after == $m.placed_seconds and .runs == [$m.slurm_runs, $m.placed_runs] and .says == "faster" and (.noise - $m.noise_seconds | fabs) < 1e-9' json
  [ "$(figure 'measured time' after)" = 3.1 ]
  drawn page.html
  grep -q '>23.5 % lower<.*>medians of 3 and 3 runs, noise ' dom
  # Too few for a verdict; one layout alone; then times of another number of nodes.
  meta 's 8' 4.0 's 8' 4.1 'p 8' 3.0
  topomap report --plan plan -o page.html
  data page.html
  jq -e '.figures[] | select(.name == "measured time") | .says == "nothing" and .noise == null and .runs == [2, 1]' json
  meta 'p 8' 3.0
  topomap report --plan plan -o page.html
  data page.html
  jq -e '.figures[] | select(.name == "measured time") | .before == null and .after == 3' json
  drawn page.html
  grep -q '>not compared' dom
  meta 's 4' 4.0 'p 4' 3.0
  topomap report --plan plan -o page.html
  data page.html
  jq -e '.figures | map(.name) | index("measured time") == null' json
}

@test "a large network is drawn as groups: each vertex in one, each cable in the fullest of its pair" {
  local machine groups name first
  while read -r machine groups name; do
    echo "$machine"
    topomap report --graph ring:8000 --machine "$machine" --algorithm identity -o page.html
    data page.html
    jq -e --argjson groups "$groups" --arg name "$name" "$by"'.links as $l | $l.picture as $p | ($p.cable | by(4)) as $c
      | ($p.vertex | length) == $groups and $p.vertex[0][0] == $name and $p.of > 6000 and ($p.vertex | map(.[1:3]) | unique | length) == $groups
      and ($c | map([.[0], .[1]] | sort) | unique | length) == ($c | length) and all($c[]; .[0] < $groups and .[1] < $groups and .[0] != .[1])
      and (($l.busiest | map(.after) | max) >= ($c | map(.[3]) | max))' json
  done <<'END'
torus:20x20x20 1000 router 0 and 7 more
torus:30x30x30 960 router 0 and 31 more
fattree:k=32,levels=3 1280 leaf0, 16 nodes
dragonfly:p=8,a=16,h=8 129 g0-r0 and 15 more, 128 nodes
END
  drawn page.html
  grep -q '\<18576\>.*\<129\>' dom
}

# bats test_tags=campaign
@test "100,000 ranks: a page of nodes or larger parts, below 5 MB; every rank is found on it" {
  local machine
  for machine in 'tree:1:20:500:10@1:10:100:1000,node=1' 'torus:50x50x40' 'fattree:k=32,levels=3*16'; do
    echo "$machine"
    topomap report --graph stencil2d:5:400x250 --machine "$machine" --algorithm identity -o page.html
    [ "$(stat -c %s page.html)" -lt 5000000 ]
    data page.html
    jq -e '.rank == null and (.node | length) <= 10000
      and ([.node[].after | split(",")[] | split("-") | map(tonumber) | range(.[0]; .[-1] + 1)] | sort == [range(100000)])
      and (([.node[].sums[3]] | add) / 2 / (.figures[] | select(.name == "J").after) - 1 | fabs) < 1e-9' json
    # What stays and what leaves is all that is sent, from both of its ends.
    jq -e --argjson bytes "$(topomap graph info stencil2d:5:400x250 --json | jq .bytes)" \
      '[.node[] | .out_after + .sums[1]] | add == 2 * $bytes' json
  done
  drawn page.html
  grep -q 'Where is rank' dom
}

@test "matrices have each pair of ranks, or smaller cells, for who looks closer" {
  topomap report --graph stencil2d:5:40x25 --machine 'torus:10x10x10' -o page.html
  data page.html
  python3 - >mine <<'END'
import json
pairs = json.load(open("json"))["pairs"]
numbers, rank = iter(pairs["arc"]), 0
for count in numbers:
    to = 0
    for _ in range(count):
        to += next(numbers)
        print(rank, to, pairs["value"][next(numbers)], sep=",")
    rank += 1
END
  topomap graph convert stencil2d:5:40x25 g.edges --to edges
  diff <(sort mine) <(grep '^[0-9]' g.edges | cut -d, -f1-3 | sort)
  jq -e '.matrices[1:] | all(.[]; .finer == null and (.place | sort == [range(1000)]))' json
  # Six steps nearer, 16 ranks of 1,000 a side are left, of both layouts at once; keys point at a pair of them.
  after page.html '
    const buttons = [...document.querySelectorAll(`[aria-label="Zoom in: by node, before"]`)];
    for (let i = 0; i < 6; i++) buttons[0].click();
    const canvas = document.querySelectorAll("canvas")[1];
    canvas.focus();
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown"}));
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
    said([...document.querySelectorAll("output")].map((o) => o.textContent).join("|"));
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "0"}));
    said(document.querySelectorAll("output")[2].textContent);'
  rank=$(jq '.matrices[1].place | index(493)' json) other=$(jq '.matrices[1].place | index(494)' json)
  bytes=$(awk -F, -v a="$rank" -v b="$other" '$1 == a && $2 == b { print $3 }' mine)
  grep -qE "\\|rank $rank .*$node .*rank $other .*$node: ${bytes}B; 16 .*\\<1000\\>" dom
  topomap report --graph stencil2d:5:400x250 --machine 'torus:50x50x40' --algorithm identity -o page.html
  data page.html
  bytes=$(topomap graph info stencil2d:5:400x250 --json | jq .bytes)
  jq -e --argjson bytes "$bytes" "$by"'.pairs == null and all(.matrices[]; .finer.cells > 1024 and .finer.cells * .finer.each >= 100000
    and (.finer.cell | by(2) | map(.[1]) | add) == $bytes)' json
}

@test "matrices by node have lines between nodes, switches and NVLink domains, on the page and on the sheet" {
  local n blue
  topomap report --graph stencil2d:5:16x8 --machine 'gpus:nodes=16,gpus=8,rails=4,unit=8,domain=4' -o page.html
  data page.html
  jq -e '.matrices[0] as $r | [$r.nodes, $r.groups, $r.domains] == [[], [], []]' json
  jq -e 'all(.matrices[1:][]; .nodes == [range(8; 128; 8)] and .groups == [64] and .domains == [32, 64, 96])' json
  # At a domain's beginning the first six pixels are a dash, the next six what is below; at a switch's a line is below the dashes.
  after page.html '
    const canvas = document.querySelectorAll("canvas")[2];
    canvas.focus(); // it is drawn
    const {width} = canvas, {data} = canvas.getContext("2d").getImageData(0, 0, width, width);
    const at = (x, y) => [...data.slice(4 * (y * width + x), 4 * (y * width + x) + 3)].join(",");
    const edges = [1, 2, 3].map((part) => Math.round(part * width / 4));
    said(edges.map((e) => at(e, 3) + " " + at(3, e)).join(" "));
    said(edges.map((e) => at(e, 9) === at(e, 3)).join(" ") + " " + at(edges[0], 9) + " " + at(edges[1], 9));
    said("as wide as it is seen: " + (width === canvas.clientWidth));'
  grep -q 'said: as wide as it is seen: true<' dom # wording: what this test printed
  blue='90,225,255'
  grep -q "said: $blue $blue $blue $blue $blue $blue<" dom
  grep -Eq 'said: false false false 1[0-9]*,1[0-9]*,1[0-9]* 2[0-9]{2},[0-9]{2},[0-9]{2}<' dom
  grep -q 'red .*switches.*dashed .*NVLink' dom
  topomap report --graph stencil2d:5:16x8 --machine 'gpus:nodes=16,gpus=8,rails=4,unit=8,domain=4' -o page.svg
  [ "$(grep -c '<path class="domains"' page.svg)" -eq 12 ]
  [ "$(grep -c '<path class="switches"' page.svg)" -eq 4 ]
  grep -q '>red: .*switches.*dashed: .*NVLink' page.svg
  topomap report --graph stencil2d:5:12x12 --machine 'dragonfly:p=2,a=4,h=2*2' -o dragonfly.html
  data dragonfly.html
  jq -e 'all(.matrices[1:][]; .dragonfly == [range(16; 144; 16)])' json
  after dragonfly.html ''
  grep -q 'orange .*dragonfly' dom
  topomap report --graph stencil2d:5:12x12 --machine 'dragonfly:p=2,a=4,h=2*2' -o dragonfly.svg
  [ "$(grep -c '<path class="dragonfly"' dragonfly.svg)" -eq 32 ]
  # Of a database: every other node is in one of two domains, so that each next one is in the other.
  { echo '# hosts: n[1-8]'; for n in {1..8}; do echo "n$n,1,leaf,$n,100"; done; } >links
  for n in {1..8}; do echo "n$n aaaaaaaa-0000-4000-8000-00000000000$((n % 2)) 1"; done >cliques
  topomap db import --db t.db links links
  topomap db import --db t.db hwloc "$TOPOMAP_SOURCE/tests/data/db/gh200.xml" --nodes 'n[1-8]'
  topomap db import --db t.db nvlink-cliques cliques
  topomap map --graph ring:32 --db t.db --nodes 'n[1-8]' --tasks-per-node 4 --format plan -o plan
  topomap report --plan plan --db t.db -o page.html
  data page.html
  jq -e 'all(.matrices[1:][]; .groups == [] and .domains == [range(4; 32; 4)])' json
  # Without domains there is no word of them.
  topomap report --graph ring:64 --machine 'tree:4:4:4@1:10:100' -o page.html
  data page.html
  jq -e 'all(.matrices[]; .domains == [])' json
  drawn page.html
  run ! grep -q NVLink <(sed '/<script>/,/<\/script>/d' dom)
}

@test "a loss is called one, short times have their unit, the figures in full are there, and what is not known has no column" {
  topomap report --graph stencil2d:5:8x8 --machine 'gpus:nodes=8,gpus=8,rails=4' --algorithm random -o page.html
  data page.html
  grep -q '64 .*random, [a-zA-Z]* [0-9.]* % higher<' page.html
  after page.html 'said([...document.querySelectorAll("th button")].map((b) => b.textContent).join("|"));
    said(document.querySelector("details table").rows.length + " " + document.querySelectorAll("main > table").length);'
  grep -q '>[0-9.]* ns → [0-9.]* ns<' dom
  grep -q 'said: link|before|after|rank|.*|rank|node|node before|bytes|J before|J after|name|' dom
  grep -q "said: $(($(jq '.figures | length' json) + 1)) 0<" dom
}

@test "links of a database without routing tables are there for every objective, and the plan is what it was" {
  topomap db synth fat-tree:leaves=4,hosts=3,spines=2 -o made
  topomap db import --db ib.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db export --db ib.db --to links -o links.csv
  topomap db import --db t.db links links.csv
  at=(--graph random:n=24,deg=4,seed=3 --db t.db --nodes "$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)"
    --tasks-per-node 2)
  topomap report "${at[@]}" -o page.html
  data page.html
  topomap map "${at[@]}" --format perm -o mapping
  topomap eval "${at[@]}" --congestion exact --json >before
  topomap eval "${at[@]}" --congestion exact --mapping mapping --json >after
  jq -e --slurpfile b before --slurpfile a after '.links as $l | $l.model == "exact" and $l.picture.vertex != null
    and ([[$l.before.max, $b[0].congestion.max], [$l.after.max, $a[0].congestion.max]] | all(.[]; (.[0] / .[1] - 1 | fabs) < 1e-8))
    and (.figures | map(.name) | index("predicted time") == null)' json
  diff <(jq -r '.rank[][1]' json) <(awk '{ print int($1 / 2) }' mapping)
  drawn page.html
  grep -q 'shortest .*\<exact\>' dom
  topomap map "${at[@]}" --format plan -o plan
  topomap report --plan plan -o launch.html
  diff <(data launch.html && jq '.links.after' json) <(data page.html && jq '.links.after' json)
}

# bats test_tags=campaign
@test "contrast, names, headings and keys of every kind of page" {
  local machine
  for machine in 'fattree:k=4,levels=3*4' 'torus:4x4x4' 'dragonfly:p=2,a=4,h=2' 'tree:4:4:4@1:10:100' 'gpus:nodes=8,gpus=8,rails=4'; do
    echo "$machine"
    topomap report --graph stencil2d:5:8x8 --machine "$machine" -o page.html
    checked page.html
  done
  gpu_nodes 3
  topomap map --db t.db --nodes 'mi[1-3]' --tasks-per-node 8 --graph stencil2d:5:6x4 --format plan -o one
  topomap map --db t.db --nodes 'mi[1-3]' --tasks-per-node 8 --graph ring:24 --format plan -o two
  topomap report --plan one --db t.db -o page.html
  checked page.html
  topomap report --compare one two --db t.db -o page.html
  checked page.html
  topomap report --graph ring:20001 --machine 'tree:32:32:32@1:10:100' --algorithm identity -o page.html
  checked page.html
  topomap db report --db t.db -o page.html
  checked page.html
  mkdir -p "site/$EUID"
  cp one "site/$EUID/1.0.plan"
  topomap report --records "$PWD/site" -o page.html
  checked page.html
  # And what is wrong is found.
  sed 's/--dim:#595963/--dim:#a0a0a8/' page.html >bad.html
  run checked bad.html
  [[ $status -eq 1 && $output == *'contrast 2.'* ]]
}

@test "the README's picture is what auto/pictures makes: the same texts, as many cables, switches and nodes" {
  [ -x "$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich" ] || skip "no MPICH here"
  command -v chromium-headless-shell || command -v chromium || skip "no Chromium here"
  "$TOPOMAP_SOURCE/auto/pictures" "$TOPOMAP_BUILD" demo.svg
  parts() { grep -o '<text[^>]*>[^<]*\|aria-label="[^"]*"\|<path\|<rect[^>]*class="[^"]*"' "$1" | sed 's/<rect.*class=/<rect class=/' | sort; }
  diff <(parts "$TOPOMAP_SOURCE/doc/demo.svg") <(parts demo.svg)
  [ "$(parts demo.svg | grep -c '"switch"')" -eq 12 ]
  [ "$(parts demo.svg | grep -c '"node"')" -eq 16 ]
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' demo.svg
}
