#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap map, eval, algorithms, help: as a user types them.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  shared="$TOPOMAP_SOURCE/../shared"
  cd "$BATS_TEST_TMPDIR"
}

@test "map: the text names the winner, the levels and each node's ranks" {
  run -0 topomap map --graph stencil2d:5:8x4 --machine tree:2:4:4@1:10:100
  [[ $output == *"32 ranks on 16 nodes (tree)"* ]]
  [[ $output == *"cost J"* ]]
  [ "$(grep -c '^  node [0-9]* *ranks' <<<"$output")" -eq 16 ]
}

@test "map: a mapping file has one slot per rank, and eval says what map said" {
  topomap map --graph stencil3d:7:4x4x4 --machine torus:4x4*4@1:10 --format perm -o map
  [ "$(sort -n map | uniq | wc -l)" -eq 64 ]
  planned=$(topomap map --graph stencil3d:7:4x4x4 --machine torus:4x4*4@1:10 --json | jq .J)
  evaluated=$(topomap eval --graph stencil3d:7:4x4x4 --machine torus:4x4*4@1:10 --mapping map --json | jq .J)
  [ "$planned" = "$evaluated" ]
}

@test "map: the same seed gives the same bytes" {
  topomap map --graph stencil2d:9:12x10 --machine tree:4:5:6 --seed 3 -o one
  topomap map --graph stencil2d:9:12x10 --machine tree:4:5:6 --seed 3 -o two
  cmp one two
  topomap map --graph stencil2d:9:12x10 --machine tree:4:5:6 --seed 3 --threads 3 -o three
  cmp one three
}

@test "map: JSON has candidates with J and time, phases, and a placement of every rank" {
  topomap map --graph ring:12 --machine mesh:4x3 --json >json
  jq -e '(.candidates | length) >= 2 and (.candidates[0] | has("J") and has("seconds"))' json
  jq -e '.seconds | has("read") and has("tree") and has("group") and has("inter") and has("intra") and has("refine")' json
  jq -e '[.placement[].slot] | sort == [range(12)]' json
  jq -e '.time.seconds <= .before.time.seconds and .lower_bound <= .J and .congestion.model == "routes"' json
  topomap map --graph ring:12 --machine mesh:4x3 --objective J --json | jq -e '.J <= .before.J and .congestion == null'
}

@test "map: Slurm's other layouts are candidates: one that is better than what was found is the answer" {
  local each=(--graph fft:8x8 --machine 'dragonfly:p=2,a=4,h=2*2@1:10' --effort fast --seed 4 --objective mix --levels inter)
  topomap map "${each[@]}" --json >json
  jq -e '.algorithm == "cyclic" and .mix == ([.candidates[].mix] | min) and .candidates[1].name == "cyclic"' json
  jq -e '([.candidates[] | select(.name != "cyclic").mix] | min) > .mix' json
  run -0 topomap map "${each[@]}"
  [[ $output == *", cyclic, mix "*" % lower"* ]]
  # Round robin over 72 nodes of two slots.
  jq -e '[.placement[:64][].node] == [range(64)]' json
  # One slot a node: all of them are the same.
  topomap map --graph ring:12 --machine mesh:4x3 --json >json
  jq -e '[.candidates[].name | select(test("^(block|cyclic|plane|topology)"))] == []' json
}

@test "map: messages count beside bytes, a hop's latency each; the gain is that of the sum, and J of bytes is beside it" {
  printf '0 1 100 1\n0 2 0 50\n1 3 0 50\n' >graph
  local each=(--graph graph --machine tree:2:2@1:10)
  topomap map "${each[@]}" --json >json
  # 1,250 bytes a message: 1350 + 10 * 125000 before, 125000 + 10 * 1350 after.
  jq -e '.weight == "bytes+messages" and .weighed == {message_bytes: 1250, J: 138500, J_before: 1251350}' json
  jq -e '(.gain - 100 * (1 - 138500 / 1251350) | fabs) < 1e-9 and .J == 1000 and .before.J == 100' json
  jq -e '([.candidates[].J] | min) == 138500 and .candidates[0].J == 1251350' json
  topomap map "${each[@]}" -o map
  topomap eval "${each[@]}" --mapping map --json | jq -e '.J == 1000'
  run -0 topomap map "${each[@]}"
  [[ $output == *", J (weight=bytes+messages) 88.9 % lower"*"cost J "*" 100 "*" 1000"* ]]
  has_tokens "$output" bytes+messages 1251350 138500 1250
  topomap map "${each[@]}" --weight bytes --json | jq -e '.weight == "bytes" and .J == 100 and has("weighed") == false'
  run -2 topomap map "${each[@]}" --weight messages
  fails_with 2 --weight bytes bytes+messages auto
  # A graph that does not count them stays one of bytes.
  cut -d' ' -f1-3 graph >silent
  topomap map --graph silent --machine tree:2:2@1:10 --weight bytes+messages --json | jq -e '.weight == "bytes" and .J == 100'
  # Predicted time has latencies of its own.
  each=(--graph graph --machine 'fattree:k=2,levels=2*2@1:10')
  topomap map "${each[@]}" --objective time --json | jq -e '.weight == "bytes"'
  topomap map "${each[@]}" --objective time --weight bytes+messages --json | jq -e '.weight == "bytes+messages"'
}

@test "map: a message weighs what a cable carries during one hop's latency" {
  printf '0 1 100 1\n0 2 0 50\n1 3 0 50\n' >graph
  worth() { topomap map --db t.db --graph graph --nodes n1,n2 --tasks-per-node 2 --objective J --json "$@" | jq ".weighed.message_bytes | floor"; }
  for rate in 100:1250 25:313 0.001:1 '':1250; do
    printf 'n1,1,s1,1,%s\nn2,1,s2,1,%s\ns1,2,s2,2,%s\n' "${rate%:*}" "${rate%:*}" "${rate%:*}" >links
    topomap db import --db t.db links links
    [ "$(worth)" -eq "${rate#*:}" ]
  done
  printf 'n1,1,s1,1,100\nn2,1,s2,1,25\nn3,1,s2,3,25\ns1,2,s2,2,100\ns1,3,s2,4,25\n' >links
  topomap db import --db t.db links links
  [ "$(worth)" -eq 313 ]
  printf 'level,latency_us,bandwidth_MBps\nrouter,2,20000\nhop,0.5,20000\n' >c
  topomap db import --db t.db calibration c
  [ "$(worth)" -eq 5000 ]
  # A launch has it, too; records of before messages counted replay as they were made.
  topomap map --db t.db --graph graph --nodes n1,n2 --tasks-per-node 2 --objective J --format plan >plan
  grep -aqx 'weight auto' plan
  grep -aq '^line .*, J (weight=bytes+messages) .* % lower' plan
  topomap map --replay plan --json | jq -e .same
  topomap map --db t.db --graph graph --nodes n1,n2 --tasks-per-node 2 --weight bytes --format plan >bytes
  sed -i '/^weight /d' bytes
  topomap map --replay bytes --json | jq -e .same
}

@test "map: ranks of unequal load are spread over nodes; the imbalance is told before and after" {
  printf '6 8 011\n7 2 10 3 10 6 1\n6 1 10 3 10 5 1\n5 1 10 2 10\n4 5 10 6 10\n3 4 10 6 10 2 1\n2 4 10 5 10 1 1\n' >graph
  topomap map --graph graph --machine tree:3:2@1:10 --balance 5 --json >json
  jq -e '(.before.load_imbalance - 18/13.5 | fabs) < 1e-9 and (.load_imbalance - 14/13.5 | fabs) < 1e-9 and .J > .before.J' json
  jq -e '.J == 80 and .load_imbalance > 1.33' <<<"$(topomap map --graph graph --machine tree:3:2@1:10 --balance off --json)"
  jq -e '.J == 80' <<<"$(topomap map --graph graph --machine tree:3:2@1:10 --json)"
  jq -e '.J == 80' <<<"$(topomap map --graph graph --machine tree:3:2@1:10 --balance 30 --json)"
  run -0 topomap map --graph graph --machine tree:3:2@1:10 --balance 5
  [[ $output == *"fullest node/mean "*" 1.333 "*" 1.037"* ]]
  run -0 topomap eval --graph graph --machine tree:3:2@1:10
  [[ $output == *"load          1.3333 "* ]]
  run -2 topomap map --graph graph --machine tree:3:2@1:10 --balance much
  jq -e '.J > 80' <<<"$(topomap map --graph graph --machine tree:3:2@1:10 --algorithm tree+level --json)"
}

@test "map: refine improves the mapping that it is given, never worsens it" {
  seq 0 63 | shuf --random-source=<(yes) >start
  before=$(topomap eval --graph stencil2d:5:8x8 --machine mesh:8x8 --mapping start --json | jq '.J | round')
  after=$(topomap map --graph stencil2d:5:8x8 --machine mesh:8x8 --algorithm refine --mapping start --json | jq '.J | round')
  [ "$after" -lt "$before" ]
}

@test "map: every algorithm of the list runs on a torus, and the list is JSON too" {
  for name in $(topomap algorithms --json | jq -r '.[] | select(.machines | index("torus")) | .name'); do
    graph=ring:16 machine=torus:4x4
    case $name in # grids only
      mxovlp | mxov-al) graph=stencil2d:5:2x8 ;;
      stack | fold) graph=stencil2d:5:2x8 machine=torus:4x2x2 ;;
      nodecart) graph=stencil2d:5:2x8 ;;
    esac
    topomap map --graph $graph --machine $machine --algorithm "$name" -o "map-$name"
    [ "$(sort -n "map-$name" | uniq | wc -l)" -eq 16 ]
  done
  topomap algorithms --json | jq -e 'all(has("name") and has("source") and (.kind | IN("construct", "refine", "portfolio")))'
}

@test "eval: J of the identity equals the recorded one of the bench instances" {
  [ -e "$shared/bench/peers.tsv" ] || skip "no bench instances here"
  checked=0
  while IFS=$'\t' read -r name machine; do
    graph="$shared/bench/instances/${name%@*}.graph"
    expected=$(awk -F'\t' -v i="$name" '$1 == i && $2 == "identity" { print $4 }' "$shared/bench/peers.tsv")
    found=$(topomap eval --graph "$graph" --machine "$machine" --json | jq '.J | round')
    [ "$found" = "$expected" ] || { echo "$name: $found, expected $expected"; return 1; }
    checked=$((checked + 1))
  done <<END
q_rgg120k_n128@h4.16.2	tree:4:16:2@1:10:100
q_road_n2048@h2.8.16.8	tree:2:8:16:8@1:5:20:100
d_fftpencil_32x64_nat@h4.16.32	tree:4:16:32@1:10:100
d_stencil3d7_12x16x20_perm@tree16x8_n60	tree:4:16:16:8@1:10:40:100,node=2,alloc=$shared/bench/instances/alloc_tree16x8_n60.txt
t_stencil3d7_16x16x16_perm@t16x16x16	torus:16x16x16*1@1:10
t_stencil3d7_16x16x16_nat@t12x12x12_holes512.c8	torus:12x12x12*8@1:10,alloc=$shared/bench/instances/alloc_t12x12x12_holes512.txt
END
  [ "$checked" -eq 6 ]
}

@test "eval: --pin tells whether a rank is on its node, by status as well" {
  seq 0 3 >straight
  run -0 topomap eval --graph ring:4 --machine tree:2:2@1:10 --mapping straight --pin 1:first
  has_tokens "${lines[-1]}" pin 'rank 1' 0
  run -1 topomap eval --graph ring:4 --machine tree:2:2@1:10 --mapping straight --pin 2:first
  has_tokens "${lines[-1]}" pin 'rank 2' 1 0
  topomap eval --graph ring:4 --machine tree:2:2@1:10 --pin 0:first --json | jq -e '.pin == {"rank": 0, "node": 0, "kept": true}'
  topomap map --graph ring:4 --machine tree:2:2@1:10 --pin 3:first -o pinned
  topomap eval --graph ring:4 --machine tree:2:2@1:10 --mapping pinned --pin 3:first
  for bad in 4:first x 0:nowhere; do
    run -2 topomap eval --graph ring:4 --machine tree:2:2@1:10 --pin $bad
    [[ $output == "topomap eval: --pin $bad: "* ]]
  done
}

@test "map: bottom-up takes the groups that a matrix tells of; alloc= has some of its rows" {
  printf '%s\n' '0 1 9 9' '1 0 9 9' '9 9 0 1' '9 9 1 0' >m.txt
  printf '%s\n' 0,2,5 1,3,5 >pairs.csv
  topomap map --graph pairs.csv --machine matrix:m.txt --algorithm bottom-up --json | jq -e '.J == 10'
  printf '%s\n' 3 0 >rows
  [ "$(topomap eval --graph ring:2 --machine matrix:m.txt,alloc=rows --json | jq '.J / .bytes')" = "$(topomap eval --graph ring:2 --machine mesh:2@9 --json | jq '.J / .bytes')" ]
  printf '%s\n' 0 1 2 >rows
  run -2 topomap map --graph ring:3 --machine matrix:m.txt,alloc=rows --algorithm bottom-up
  fails_with 2 1 top-down
}

@test "bad usage exits 2, bad input 3, each with one line that names the matter" {
  run -2 topomap map --machine torus:4x4
  [[ $output == *"--graph"* ]]
  run -2 topomap map --graph ring:4
  [[ $output == *"--machine SPEC, or --nodes"* ]]
  run -2 topomap map --graph ring:17 --machine torus:4x4
  [[ $output == *"17 ranks"*"16 slots"* ]]
  run -2 topomap map --graph ring:16 --machine torus:4x4 --effort quick
  run -2 topomap map --graph ring:16 --machine torus:4x4 --nonsense
  run -2 topomap nonsense
  echo "not a graph" >graph
  run -3 topomap map --graph graph --machine torus:4x4
  [[ $output == *"graph"* ]]
  printf '0\n0\n' >twice
  run -3 topomap eval --graph ring:2 --machine torus:2 --mapping twice
  fails_with 3 'slot 0' 1
  printf '0\n' >short
  run -3 topomap eval --graph ring:2 --machine torus:2 --mapping short
  [[ $output == *"short:1"* ]]
}

@test "a result that cannot be written is an error, and nothing half is left" {
  run -4 topomap map --graph ring:4 --machine torus:4 -o "$PWD/no/such/folder/map"
  run -4 sh -c 'topomap map --graph ring:4 --machine torus:4 >/dev/full'
  [ ! -e no ]
}

@test "help: every command of the overview has a page; --version and --help work everywhere" {
  topomap help --all >overview
  sed -n 's/^  \([a-z ]*[a-z]\)  .*/\1/p' overview >commands
  [ "$(wc -l <commands)" -ge 30 ]
  while read -r command; do
    # shellcheck disable=SC2086 # two words are two arguments
    topomap help $command | grep -q "^usage: topomap $command"
    topomap $command --help | grep -q "^usage: topomap $command"
  done <commands
  topomap --version | grep -q '^topomap [0-9]'
}

@test "map: parameters stand behind the algorithm's comma, and are listed" {
  topomap algorithms --json | jq -e '.[] | select(.name == "np") | .parameters[0].name == "block"'
  topomap algorithms | grep -q 'np,block=N'
  topomap map --graph stencil2d:5:8x8 --machine tree:4:4:4@1:10:100 --algorithm tree,grouped=1+np,block=16 --json >m.json
  jq -e '.seconds.group > 0 and .algorithm == "tree,grouped=1+np,block=16"' m.json
  topomap map --graph stencil2d:5:8x8 --machine tree:4:4:4@1:10:100 | grep -q 'phases .*inter'
  for x in 3 2 1 0; do echo $x; done >places
  printf '0,1,9\n1,2,1\n2,3,1\n' >chain.csv
  topomap map --graph chain.csv --machine mesh:4 --algorithm affn,coordinates=places --format perm >map
  [ "$(tr '\n' ' ' <map)" = "3 2 1 0 " ]
  run -2 topomap map --graph chain.csv --machine mesh:4 --algorithm np,blocks=4
  fails_with 2 block=N blocks=4
  run -3 topomap map --graph chain.csv --machine mesh:4 --algorithm affn,coordinates=none
}

@test "map: what a file of coordinates is called does not matter" {
  awk 'BEGIN { for (i = 0; i < 24; i++) print i % 6, int(i / 6) }' >places
  cp places xlevel.txt # an algorithm's name in it
  jq -n '[range(24) | [., (. + 1) % 24, . * 37 % 101 + 1], [., (. + 6) % 24, . * 61 % 103 + 1]] as $arcs |
    {ranks: 24, load: [range(24) | if . % 6 == 0 then 10 else 1 end], arcs: $arcs}' >loads.json
  for file in places xlevel.txt; do
    topomap map --graph loads.json --machine mesh:3x4*2@1:10 --algorithm affn,coordinates=$file+swap --format perm >map.$file
  done
  cmp map.places map.xlevel.txt
  topomap map --graph loads.json --machine mesh:3x4*2@1:10 --algorithm affn,coordinates=places+level --format perm >map.level
  run ! cmp -s map.places map.level
}
