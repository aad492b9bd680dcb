#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db diff
bats_require_minimum_version 1.5.0

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  shared="$TOPOMAP_SOURCE/../shared/data"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
  for l in 1 2 3; do
    for h in 1 2 3; do echo "leaf$l $h node$(((l - 1) * 3 + h))/mlx5_0 1 4xEDR"; done
    for s in 1 2; do echo "leaf$l $((20 + s)) spine$s $l 4xHDR"; done
  done > links
  make links a.db
}

make() { # LINKS DB [awk option...]
  awk -f "$TOPOMAP_SOURCE/tests/cli/fabric.awk" "${@:3}" "$1" > dump
  topomap db import --db "$2" ibnetdiscover dump
}

@test "db diff: the same fabric with other GUIDs and LIDs is equal by names, and not by GUIDs" {
  tac links > backwards
  make backwards b.db -v base=7340032
  run -0 topomap db diff a.db b.db
  [ "$output" = "no differences" ]
  [ "$(topomap db diff a.db b.db --json | jq -c '[.equal, .changes]')" = '[true,[]]' ]
  run -1 topomap db diff a.db b.db --guids
  [ "$(grep -c '^added vertex 0x' <<<"$output")" -eq 14 ]
  [ "$(grep -c '^removed vertex 0x' <<<"$output")" -eq 14 ]
  run -0 topomap db diff a.db a.db --guids
}

@test "db diff: hosts, switches, links and rates that came, went or changed" {
  sed -e '/^leaf3 22/d' -e '/node5/s/EDR/HDR/' -e 's/node9/node10/' links > other
  { echo "leaf4 21 spine1 4 4xHDR"; echo "leaf4 1 node11/mlx5_0 1 4xEDR"; } >> other
  make other b.db
  run -1 topomap db diff a.db b.db
  [ "$output" = "removed host node9: up, compute, class none
added host node10: up, compute, class none
added host node11: up, compute, class none
added switch leaf4
changed link leaf2[2] - node5 mlx5_0[1]: 4xEDR -> 4xHDR
removed link leaf3[3] - node9 mlx5_0[1]: 4xEDR
added link leaf3[3] - node10 mlx5_0[1]: 4xEDR
removed link leaf3[22] - spine2[3]: 4xHDR
added link leaf4[1] - node11 mlx5_0[1]: 4xEDR
added link leaf4[21] - spine1[4]: 4xHDR" ]
  topomap db diff b.db a.db --json > d.json || [ $? -eq 1 ]
  [ "$(jq -c '[.equal, (.changes | length), ([.changes[] | select(.change == "changed")] | length)]' d.json)" = '[false,10,1]' ]
  [ "$(jq -c '.changes[0]' d.json)" = '{"change":"added","what":"host","name":"node9","before":null,"after":"up, compute, class none"}' ]
}

@test "db diff: classes" {
  command -v lstopo-no-graphics || skip "no lstopo"
  cp a.db b.db
  lstopo-no-graphics --input "pack:1 core:4 pu:1" --of xml four.xml
  lstopo-no-graphics --input "pack:1 core:6 pu:1" --of xml six.xml
  topomap db import --db a.db hwloc four.xml --nodes 'node[1-9]'
  topomap db import --db b.db hwloc four.xml --nodes 'node[1-8]'
  topomap db import --db b.db hwloc six.xml --nodes 'node9'
  run -1 topomap db diff a.db b.db
  [ "${#lines[@]}" -eq 2 ]
  [[ ${lines[0]} == "changed host node9: up, compute, class 4c"*" -> up, compute, class 6c"* ]]
  [[ ${lines[1]} == "added class 6c"* ]]
}

@test "db diff: a fabric and its links as a list between hosts are equal, and one rate is not" {
  topomap db synth torus:4x4,rails=2 -o synth
  topomap db import --db torus.db ibnetdiscover synth/*.ibnetdiscover
  for name in a torus; do
    topomap db export --db $name.db --to links > $name.csv
    [ "$(grep -vc '^#' $name.csv)" -eq "$(topomap db show --db $name.db --summary --json | jq .links)" ]
    topomap db import --db $name-2.db links $name.csv
    run -0 topomap db diff $name.db $name-2.db
    [ "$output" = "no differences" ]
    run -0 topomap db diff $name-2.db $name.db
  done
  awk -F, -v OFS=, '/^node5,/ { $5 = 25 } !/^node7,/' a.csv > slower
  topomap db import --db slower.db links slower
  run -1 topomap db diff a.db slower.db
  [ "$output" = "changed link leaf2[2] - node5: 103.124 Gb/s -> 25 Gb/s
removed link leaf3[1] - node7: 103.124 Gb/s" ]
}

@test "db diff: bad usage and files" {
  run -2 topomap db diff a.db
  run -3 topomap db diff a.db none.db
  echo text > text.db
  run -3 topomap db diff text.db a.db
}

@test "db diff: a simulator gives out new GUIDs and LIDs; what its ibnetdiscover prints is the same fabric" {
  command -v ibsim ibnetdiscover setpriv || skip "no ibsim"
  lib=$(find /usr/lib /usr/local/lib -name libumad2sim.so -print -quit 2>/dev/null)
  [ -n "$lib" ] || skip "no libumad2sim"
  awk '
    function name(n) { sub("/", " ", n); return n }
    function add(n, p, m, q, r) {
      if (!(n in text)) order[++count] = n
      text[n] = text[n] "[" p "]\t\"" m "\"[" q "]\t# lid 0 " r "\n"
    }
    { add(name($1), $2, name($3), $4, $5); add(name($3), $4, name($1), $2, $5) }
    END {
      for (i = 1; i <= count; i++)
        print (order[i] ~ " " ? "Hca\t1 \"" : "Switch\t36 \"") order[i] "\"\n" text[order[i]]
    }' links > net
  export IBSIM_SOCKNAME=topomap-diff-$$
  mkfifo stdin
  exec 9<>stdin
  setpriv --pdeathsig KILL ibsim -N 64 -S 32 -P 2048 -s net <&9 > sim.log 2>&1 3>&- 9>&- &
  sim=$!
  for _ in {1..600}; do ! grep -q "$IBSIM_SOCKNAME" /proc/net/unix || break; sleep 0.1; done
  LD_PRELOAD=$lib ibnetdiscover > again 2> err 3>&- 9>&-
  kill -KILL "$sim"
  topomap db import --db b.db ibnetdiscover again
  run -0 topomap db diff a.db b.db
  run -1 topomap db diff a.db b.db --guids
}
