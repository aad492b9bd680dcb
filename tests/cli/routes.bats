#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Routing tables and made fabrics, against what InfiniBand's own tools say of the same fabric: a
# simulator (ibsim), the real subnet manager, and ibnetdiscover, dump_lfts and ibtracert.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  fabric="$TOPOMAP_SOURCE/contrib/testbed/fabric"
  cd "$BATS_TEST_TMPDIR"
  need=(ibsim opensm ibnetdiscover dump_lfts ibtracert jq)
}

needs_simulator() {
  for tool in "${need[@]}"; do
    command -v "$tool" >/dev/null || skip "no $tool"
  done
}

# routes_equal SPEC COUNT ENGINE [TORUS-CONFIG]: COUNT random pairs of hosts of a made fabric, routed
# by opensm: every port of every route as ibtracert prints it.
routes_equal() {
  needs_simulator
  topomap db synth "$1" -o made
  cat > trace <<'END'
#!/bin/bash
# The routes between the LIDs of each line of `lids`, 4 clients at a time (the simulator takes 10).
# Every client makes files below the folder it runs in: ten times as fast in memory.
mkdir traced
traced=$PWD/traced
export traced
memory=$(mktemp -d -p /dev/shm) || exit
trap 'rm -rf "$memory"' EXIT
# One for which the simulator has no time within a second would give up.
(cd "$memory" && LD_PRELOAD=$SIM_PRELOAD xargs -P 4 -L 1 sh -c 'ibtracert -t 60000 "$1" "$2" >"$traced/$0" 2>"$traced/$0.err"') <lids
END
  cat > pick <<END
#!/bin/bash
# What db distance says of random pairs, over this very fabric's tables.
set -e
topomap db import --db t.db lft fabric.lfts
topomap db import --db t.db ibnetdiscover fabric.ibnetdiscover
topomap db show --db t.db --json | jq -r '.[].name' >hosts
awk -v n=$2 'BEGIN { srand(7) } { h[NR] = \$1 } END { while (n) { a = 1 + int(rand() * NR); b = 1 + int(rand() * NR)
  if (a != b) { print h[a], h[b]; n-- } } }' hosts >pairs
topomap db distance --db t.db --json --pairs - <pairs >ours.json
jq -r '"\(input_line_number) \(.lids[0]) \(.lids[1])"' ours.json >lids
bash ../trace
END
  bash "$fabric" made/fabric.ibnetdiscover -o run --engine "$3" ${4:+--torus-config "$4"} -- bash ../pick
  cd run
  grep -q "$3 tables configured on all switches" opensm.log # wording: opensm's
  [ "$(jq -r .routing ours.json | sort | uniq -c | awk '{ print $1, $2 }')" = "$2 lft" ]
  # out>in:switch:out>in:...:out>in
  jq -r '. as $d | ([$d.end_ports[0]] + [$d.ports[][1]]) as $out | ([$d.ports[][0]] + [$d.end_ports[1]]) as $in
    | [range($out | length) | "\($out[.])>\($in[.]):" + if . < ($d.route | length) - 2 then $d.route[. + 1] else "" end]
    | join(":")' ours.json >ours
  for line in $(awk '{ print $1 }' lids); do
    sed -n 's/^\[\([0-9]*\)\] -> \([a-z]*\) port {[^}]*}\[\([0-9]*\)\] lid [0-9-]* "\(.*\)"$/\1>\3:\2:\4/p' "traced/$line" |
      sed 's/:switch:/:/; s/:ca:.*/:/' | paste -sd:
  done >theirs
  [ "$(wc -l <theirs)" = "$2" ]
  cmp ours theirs || { diff ours theirs; cat traced/*.err; false; }
}

guid() {
  printf '0x%x' $((0x2c90200000001 + $1))
}

@test "routes: 400 pairs of a fat tree (opensm ftree) equal ibtracert's" {
  routes_equal fat-tree:k=8,levels=3,names=n%03d 400 ftree
}

# bats test_tags=campaign
@test "routes: 350 pairs of a torus (torus-2QoS) equal ibtracert's" {
  { echo torus 4 4 3
    for link in xp:12 xm:36 yp:3 ym:9 zp:1 zm:2; do
      echo "${link%:*}_link $(guid 0) $(guid "${link#*:}")"
    done
    printf '%s_dateline 0\n' x y z; } > torus.conf
  routes_equal torus:4x4x3,hosts=2 350 torus-2QoS "$PWD/torus.conf"
}

# bats test_tags=campaign
@test "routes: 350 pairs of a dragonfly (dfsssp) equal ibtracert's" {
  routes_equal dragonfly:a=4,p=2,h=2 350 dfsssp
}

# ends DUMP: every port line as `description [port] description [port] rate`.
ends() {
  awk '/^(Switch|Ca)/ { desc = $0; sub(/^[^#]*# "/, "", desc); sub(/"[^"]*$/, "", desc) }
       /^\[/ { split($0, half, /# /); match(half[1], /"\[[0-9]+\]/); remote = substr(half[1], RSTART + 1, RLENGTH - 1)
         port = $1; sub(/\].*/, "]", port); name = half[2]; sub(/^[^"]*"/, "", name); sub(/" lid .*/, "", name)
         print desc, port, name, remote, $NF }' "$1" | sort
}

@test "synth: a dump by ibnetdiscover of the simulated fabric has the same hosts, switches, links, widths and speeds" {
  needs_simulator
  for spec in fat-tree:leaves=6,hosts=8,spines=3,links=2,host=FDR,trunk=HDR,rails=2,fault=degraded:9,missing:4 \
    torus:3x3x3,hosts=2,speed=FDR10,host=2xHDR dragonfly:a=4,p=2,h=2,host=QDR,trunk=12xEDR,global=DDR,fault=unnamed:3; do
    rm -rf made run
    topomap db synth "$spec" -o made
    bash "$fabric" made/fabric.ibnetdiscover -o run --engine minhop
    ends made/fabric.ibnetdiscover > before
    ends run/fabric.ibnetdiscover > after
    [ "$(wc -l <before)" -gt 100 ]
    [ "$(sed 's/.* //' before | sort -u | wc -l)" -gt 1 ]
    cmp before after
    for dump in made run; do
      topomap db import --db $dump.db ibnetdiscover $dump/fabric.ibnetdiscover
      topomap db show --db $dump.db > $dump.hosts
      topomap db show --db $dump.db --summary | grep -v '^sources ' > $dump.summary # with the minute of the import
    done
    cmp made.hosts run.hosts
    cmp made.summary run.summary
  done
}

@test "db distance: many pairs, from a file or standard input, as text or JSON; a bad line is named" {
  topomap db synth torus:4x3,hosts=2,names=n%d -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  run -0 topomap db distance --db t.db n1 n3 --json
  [ "$(jq -r .routing <<<"$output")" = shortest-path ]
  run --separate-stderr -0 topomap db import --db t.db lft made/fabric.lfts
  [[ $output == *"12 switches"*"432 table entries" ]]
  [ -z "$stderr" ]
  printf '# pairs\nn1 n2\n\nn1 n7\n' > pairs
  run -0 topomap db distance --db t.db --pairs pairs
  [ "$output" = "n1 n2 2 20 lft n1 sw_0_0 n2
n1 n7 3 30 lft n1 sw_0_0 sw_1_0 n7" ]
  [ "$(topomap db distance --db t.db --pairs - --json <pairs | jq -c '[.hops,.routing,.ports]')" = \
    '[2,"lft",[[1,2]]]
[3,"lft",[[1,3],[4,1]]]' ]
  printf 'n1 n2\nn1\n' > pairs
  run -3 topomap db distance --db t.db --pairs pairs
  fails_with 3 pairs:2:
  printf 'n1 n99\n' > pairs
  run -3 topomap db distance --db t.db --pairs pairs
  [[ $output == *"pairs:1: "*"'n99'"* ]]
  run -2 topomap db distance --db t.db n1 n2 --pairs pairs
  run -2 topomap db distance --db t.db n1 n2 --rail 2
  run -0 topomap db distance --db t.db n1 n7
  grep -q '^by .*routing' <<<"$output"
}

@test "db synth: what was made is said, as text or JSON; a bad specification is exit 2 and leaves nothing" {
  run --separate-stderr -0 topomap db synth fat-tree:k=4,levels=3,fault=degraded:1,unnamed:1 -o made
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[0]} == "fault: degraded "*" instead of 4xEDR" ]]
  [[ ${lines[1]} == "fault: unnamed node"* ]]
  [[ ${lines[2]} == "made: 16 hosts, 20 switches, 16 adapters, 48 links, 2 faults:"*"fabric.lfts" ]]
  diff <(sed -n 's/^fault: //p' <<<"$output") made/faults.txt
  topomap db synth torus:3x2x8,cray=gemini -o cray --json > j
  [ "$(jq -c '[.hosts,.files]' j)" = '[96,["faults.txt","machine.xtprocadmin","machine.xtdb2proc"]]' ]
  for bad in ring:4 torus:4x4,speed=fast fat-tree:k=5 'torus:4x4,fault=x:1'; do
    run --separate-stderr -2 topomap db synth "$bad" -o none
    [[ $stderr == *"$bad: "*"expected"* || $stderr == *"k= is even"* ]]
    [ -z "$output" ]
  done
  run -2 topomap db synth torus:4x4
  [ ! -e none ]
  run -0 topomap help db synth
  [[ $output == *"fat-tree:leaves=8,hosts=16,spines=4,links=4"* ]]
}

@test "real: every route of one site's ibroute tables leads there; a tar of them is refused by name" {
  site="$TOPOMAP_SOURCE/../shared/data/ib/plafrim"
  [ -r "$site/ibroutes.tar.xz" ] || skip "no data"
  mkdir tables
  tar xJf "$site/ibroutes.tar.xz" -C tables
  find tables -name '*.txt' -exec cat {} + > all
  run --separate-stderr -0 topomap db import --db t.db lft all
  [[ $output == *" $(grep -c '^Unicast' all) switches"*" $(grep -c '^0x' all) table entries" ]]
  topomap db import --db t.db ibnetdiscover "$site/ib-subnet-fe80_0_0_0.txt"
  topomap db show --db t.db --json | jq -r '.[].name' > hosts
  awk '{ h[NR] = $1 } END { for (i = 1; i <= NR; i++) for (j = 1; j <= NR; j++) if (i != j) print h[i], h[j] }' hosts > pairs
  topomap db distance --db t.db --pairs pairs > routes
  [ "$(awk '{ print $5 }' routes | sort | uniq -c | awk '{ print $1, $2 }')" = "$(wc -l <pairs) lft" ]
  run -3 topomap db import --db t.db lft "$site/ibroutes.tar.xz"
  fails_with 3 tar
}

@test "eval --congestion: the database's links, by each model; routes are those of the tables" {
  topomap db synth fat-tree:k=4,levels=3 -o made
  topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db c.db --json | jq -r '[.[].name] | join(",")')
  topomap db export --db c.db --to links -o links.csv
  topomap db import --db links.db links links.csv
  run -2 topomap eval --graph ring:16 --db links.db --nodes "$nodes" --tasks-per-node 1 --congestion routes
  fails_with 2 'topomap db import lft'
  topomap db import --db c.db lft made/fabric.lfts
  for model in exact fast routes; do
    topomap eval --graph alltoall:group=16,n=16 --db c.db --nodes "$nodes" --tasks-per-node 1 \
      --congestion $model --json >"$model.json"
  done
  # Whatever the way, every byte goes the same hops on this tree; only the spread differs.
  [ "$(jq -s 'map(.congestion.mean * 1e15 | round) | unique | length' exact.json fast.json routes.json)" -eq 1 ]
  [ "$(jq -r '[.congestion.model, .congestion.unit, .congestion.links] | @csv' exact.json)" = '"exact","s",96' ]
  jq -e '.congestion.max >= .congestion.mean and .congestion.used == 96' exact.json
  # The sum of what all links carry is the hop-bytes: mean * links * rate (all links have one rate).
  rate=$(topomap db export --db c.db --to links | awk -F, '!/^#/ && $5 > 0 { print $5; exit }')
  jq -e --argjson rate "$rate" '(.congestion.mean * .congestion.links * $rate * 1e9 / 8 / .hop_bytes - 1) |
    fabs < 1e-9' exact.json
}

@test "eval --background: other jobs' traffic takes from the links that it is on" {
  topomap db synth fat-tree:k=4,levels=3 -o made
  topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db show --db c.db --json >hosts.json
  first=$(jq -r '.[0].name' hosts.json) leaf=$(jq -r '.[0].attached' hosts.json)
  second=$(jq -r '.[1].name' hosts.json)
  evaluate() {
    topomap eval --graph ring:2 --db c.db --nodes "$first,$second" --tasks-per-node 1 --congestion exact \
      --json "$@" >cost.json && jq .congestion.max cost.json
  }
  rate=$(topomap db export --db c.db --to links | awk -F, '!/^#/ && $5 > 0 { print $5; exit }')
  free=$(evaluate)
  echo "$first,1,$leaf,,$(jq -n "$rate * 0.75")" >busy.csv
  jq -ne --argjson free "$free" --argjson busy "$(evaluate --background busy.csv)" '($busy / $free - 4) | fabs < 1e-6'
  echo "$first,1,$leaf,,$(jq -n "$rate * 9")" >busy.csv
  jq -ne --argjson free "$free" --argjson busy "$(evaluate --background busy.csv)" '($busy / $free - 100) | fabs < 1e-6'
  echo "elsewhere,1,nowhere,1,10" >other.csv
  run -3 evaluate --background other.csv
  fails_with 3 other.csv 1
  run -3 evaluate --background missing.csv
  run -2 topomap eval --graph ring:4 --machine torus:2x2 --background other.csv
  run -2 topomap eval --graph ring:4 --machine torus:2x2 --congestion exact --background other.csv
  run -2 topomap eval --graph ring:4 --machine tree:2:2@1:10 --congestion exact
  run -2 topomap eval --graph ring:4 --machine percs:supernodes=1 --congestion routes
}

@test "a machine's distances are those of db distance, pair by pair, where some links are slower" {
  local spec
  for spec in fat-tree:k=4,levels=3,fault=degraded:25% torus:4x3x2,hosts=1,fault=degraded:20% \
    dragonfly:a=4,p=1,h=1,fault=degraded:30% fat-tree:k=4,levels=3,host=EDR,trunk=HDR,fault=degraded:10%; do
    rm -rf made d.db
    topomap db synth "$spec" -o made
    topomap db import --db d.db ibnetdiscover made/fabric.ibnetdiscover
    topomap db show --db d.db --json | jq -r '.[].name' >names
    awk '{ name[NR] = $1 } END { for (i = 1; i <= NR; i++) for (j = 1; j < i; j++) print name[i], name[j] }' \
      names >pairs
    topomap db distance --db d.db --pairs pairs --json |
      jq -s 'flatten | (map(.cost) | add) / (map(.hops) | add)' >expected
    n=$(wc -l <names)
    topomap eval --graph "alltoall:group=$n,n=$n" --db d.db --nodes "$(paste -sd, names)" \
      --tasks-per-node 1 --json >cost.json
    echo "$spec: $(cat expected) $(jq '.J / .hop_bytes' cost.json)"
    jq -e --slurpfile expected expected '(.J / .hop_bytes / $expected[0] - 1) | fabs < 1e-6' cost.json
    # The spec's faults are what this is about.
    jq -ne --slurpfile expected expected '$expected[0] > 10.01'
  done
}

@test "routes are predicted as OpenSM sets them, by the engine that the import names, until tables are imported" {
  topomap db synth fat-tree:leaves=4,hosts=3,spines=2,scatter=1 -o made
  routes() { # WORD...: what a plan's explanation says of them
    topomap map --graph ring:8 --db c.db --nodes 'node[01-04]' --tasks-per-node 2 --format plan "$@" -o plan
    sed -n 's/^topomap: routes: //p' plan
  }
  topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover
  has_tokens "$(routes)" 'OpenSM minhop' 'topomap db import lft'
  [ -z "$(routes --objective J)" ]
  at=(--graph ring:8 --db c.db --nodes 'node[01-04]' --tasks-per-node 2)
  has_tokens "$(topomap map "${at[@]}")" 'OpenSM minhop' 'topomap db import lft'
  topomap map "${at[@]}" --json | jq -e '[.congestion, .before.congestion | .predicted_routes] == ["minhop", "minhop"]'
  has_tokens "$(topomap eval "${at[@]}" --congestion routes)" 'OpenSM minhop'
  topomap eval "${at[@]}" --congestion exact --json | jq -e '.congestion.predicted_routes == null'
  run -2 topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover --option routing=lash
  fails_with 2 routing 'minhop|updn|ftree|dor' lash
  topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover --option routing=ftree
  has_tokens "$(routes)" 'OpenSM ftree'
  topomap db import --db c.db lft made/fabric.lfts
  [ -z "$(routes)" ]
  topomap db forget --db c.db lft made/fabric.lfts
  has_tokens "$(routes)" 'OpenSM ftree'
  # An import without the option takes the usual engine again.
  topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover
  has_tokens "$(routes)" 'OpenSM minhop'
}

@test "adaptive routing and ECMP: all shortest paths count equally, imported tables do not, and explanations say so" {
  topomap db synth fat-tree:leaves=4,hosts=3,spines=2,scatter=1 -o made
  at=(--graph ring:8 --db c.db --nodes 'node[01-04]' --tasks-per-node 2)
  for routing in adaptive ar_updn; do
    topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover --option routing=$routing
    has_tokens "$(topomap map "${at[@]}")" 'routes:' adaptive "$routing"
    topomap db import --db c.db lft made/fabric.lfts
    has_tokens "$(topomap map "${at[@]}")" "$routing"
    topomap map "${at[@]}" --json | jq -e '.congestion | .model == "exact" and (has("predicted_routes") | not)'
    run -2 topomap map "${at[@]}" --objective time --congestion routes
    rm c.db
  done
  printf 'node01,1,s1,1,100\nnode02,1,s1,2,100\nnode03,1,s2,1,100\nnode04,1,s2,2,100\ns1,3,s2,3,100\n' >cables
  topomap db import --db c.db links cables
  has_tokens "$(topomap map "${at[@]}")" 'not known'
  topomap db import --db c.db links cables --option routing=ecmp
  has_tokens "$(topomap map "${at[@]}")" ecmp
  run -2 topomap db import --db c.db links cables --option routing=minhop
  fails_with 2 routing 'adaptive|ecmp' minhop
  topomap db forget --db c.db links cables
  sqlite3 c.db 'SELECT count(*) FROM routing' | grep -qx 0
}
