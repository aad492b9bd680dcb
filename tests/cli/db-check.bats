#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db check: faults put into a fabric, one at a time and together.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  shared="$TOPOMAP_SOURCE/../shared/data"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
  # 4 leaves of 4 nodes with two rails each, 2 spines.
  for l in 1 2 3 4; do
    for h in 1 2 3 4; do
      n=$(((l - 1) * 4 + h))
      echo "leaf$l $h node$n/mlx5_0 1 4xEDR"
      echo "leaf$l $((h + 10)) node$n/mlx5_1 1 4xEDR"
    done
    for s in 1 2; do echo "leaf$l $((20 + s)) spine$s $l 4xHDR"; done
  done > links
}

make() { # LINKS [awk option...]: the database t.db of them
  rm -f t.db
  awk -f "$TOPOMAP_SOURCE/tests/cli/fabric.awk" "${@:2}" "$1" > dump
  topomap db import --db t.db ibnetdiscover dump
}

@test "db check: a whole fabric has nothing but information, exit 0" {
  make links
  run -0 topomap db check --db t.db --nodes 'node[1-16]'
  [ "${#lines[@]}" -eq 1 ]
  [[ $output == "info missing-class: "* ]]
  [ "$(topomap db check --db t.db --json | jq -c '[.ok, .findings[].check]')" = '[true,"missing-class"]' ]
}

@test "db check: degraded links, slower and narrower, between switches and to hosts" {
  sed -e 's/^\(leaf2 22 .*\) 4xHDR/\1 4xEDR/' -e 's/^\(leaf3 2 .*\) 4xEDR/\1 1xEDR/' links > worse
  make worse
  run -1 topomap db check --db t.db
  [ "$(grep -c degraded-link <<<"$output")" -eq 2 ]
  has_tokens "$(grep '^warning degraded-link: leaf2 ' <<<"$output")" 'port 22' 'spine2 port 2' 4xEDR 4xHDR
  has_tokens "$(grep '^warning degraded-link: leaf3 ' <<<"$output")" 'port 2' 'node10 mlx5_0' 'port 1' 1xEDR 4xEDR
}

@test "db check: half of the links slower is another kind of node, not a fault" {
  sed -e '/^leaf[12] /s/4xEDR/4xFDR/' links > mixed
  make mixed
  run -0 topomap db check --db t.db
  has_tokens "$(grep '^info degraded-link: ' <<<"$output")" 16 32
}

@test "db check: nodes of another name with slower adapters are not degraded" {
  { cat links; for n in 1 2; do echo "leaf$n 30 login$n/mlx5_0 1 4xFDR"; done; } > login
  make login
  run -0 topomap db check --db t.db
  [[ $output != *degraded-link* ]]
}

@test "db check: a missing rail, an unnamed adapter, a switch with fewer links" {
  grep -v -e 'node7/mlx5_1' -e '^leaf4 21' links > fewer
  make fewer -v generic=node3/mlx5_0
  run -1 topomap db check --db t.db
  has_tokens "$(grep '^warning missing-rail: node3: ' <<<"$output")" 1 2
  has_tokens "$(grep '^warning missing-rail: node7: ' <<<"$output")" 1 2
  [[ $output == *"warning unnamed-adapter: 0x"*" \"MT4129 ConnectX7   Mellanox Technologies\" at leaf1 port 3;"* ]]
  has_tokens "$(grep '^info fewer-links: leaf4: ' <<<"$output")" 1 0 2
  [ "$(grep -c -e missing-rail -e unnamed -e fewer-links <<<"$output")" -eq 4 ]
}

@test "db check: one-way records and dangling neighbours" {
  sed 's/^\(leaf1 21 .*\)/\1 a/' links > oneway
  make oneway
  run -1 topomap db check --db t.db
  [ "$(grep -c one-way <<<"$output")" -eq 1 ]
  [[ $output == *"warning one-way: leaf1 port 21 to spine1 port 1;"* ]]
  # The discovery never reached spine2: its neighbours alone tell of it.
  awk -f "$TOPOMAP_SOURCE/tests/cli/fabric.awk" links | awk -v RS= -v ORS='\n\n' '!/# "spine2" base/' > torn
  rm t.db
  topomap db import --db t.db ibnetdiscover torn
  run -1 topomap db check --db t.db
  [[ $output == *"warning dangling: switch spine2 0x"* ]]
  [ "$(grep -c one-way <<<"$output")" -eq 4 ]
}

@test "db check: nodes of Slurm that the fabric has not, and the reverse; short and full names" {
  make links
  run -1 topomap db check --db t.db --nodes 'NODE[1-15].cluster.site,gpu[1-2]'
  [[ $output == *"error unknown-node: gpu1: "* ]]
  [[ $output == *"error unknown-node: gpu2: "* ]]
  [[ $output == *"info other-host: node16;"* ]]
  [ "$(grep -c -e unknown-node -e other-host <<<"$output")" -eq 3 ]
  run -2 topomap db check --db t.db --nodes 'node[1-'
}

@test "db check: lines of a hosts file that name nothing, and those that are the other way round" {
  make links
  printf '%s\n' 'node3 tux3' '0x0002c90300000999 tux98' 'blade7 tux99' >hosts
  topomap db import --db t.db hosts hosts
  run -1 topomap db check --db t.db
  [ "$(grep '^warning unused-name: ' <<<"$output" | cut -d' ' -f3 | tr -d ':;,' | sort | paste -sd' ')" = '0x0002c90300000999 blade7' ]
  has_tokens "$output" tux98 tux99
  # A spreadsheet's byte order mark is none of a name.
  printf '\xef\xbb\xbfnode4 tux4\r\n' >hosts
  topomap db import --db t.db hosts hosts
  run -0 topomap db show tux4 --db t.db
  echo 'tux3 0x0002c90300000999' >hosts
  run -3 topomap db import --db t.db hosts hosts
  fails_with 3 hosts:1: 0x0002c90300000999 GUID
}

@test "db check: routing tables of another day than the fabric" {
  topomap db synth fat-tree:leaves=4,hosts=3,spines=2 -o made >none
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db import --db t.db lft made/fabric.lfts
  run -0 topomap db check --db t.db
  [[ $output != *broken-routes* ]]
  topomap db synth fat-tree:leaves=3,hosts=4,spines=2 -o later >none
  topomap db import --db t.db ibnetdiscover later/fabric.ibnetdiscover
  run -1 topomap db check --db t.db
  grep -q '^warning broken-routes: .*[1-9]' <<<"$output"
  topomap db import --db t.db lft later/fabric.lfts
  run -0 topomap db check --db t.db
}

@test "db check: nodes of which only the inside is known" {
  make links
  lstopo-no-graphics -i 'package:1 core:2 pu:1' --of xml >class.xml
  topomap db import --db t.db hwloc class.xml --nodes 'node[15-18]'
  run -1 topomap db check --db t.db
  [ "$(grep '^warning stray-node: ' <<<"$output" | cut -d' ' -f3 | paste -sd' ')" = 'node17: node18:' ]
  # Slurm's are another finding; without any network there is none.
  echo 'SwitchName=s1 Nodes=node[1-18]' > topology.conf
  topomap db import --db t.db slurm-topology topology.conf
  run -1 topomap db check --db t.db
  [ "$(grep -c '^error unknown-node: node1[78]: ' <<<"$output")" -eq 2 ]
  [[ $output != *stray-node* ]]
  topomap db import --db alone.db hwloc class.xml --nodes 'node[1-2]'
  run topomap db check --db alone.db
  [[ $output != *stray-node* ]]
}

@test "db check: an imported topology.conf says what Slurm has" {
  make links
  echo 'SwitchName=s1 Nodes=node[1-15],gone[1-2]' > topology.conf
  topomap db import --db t.db slurm-topology topology.conf
  run -1 topomap db check --db t.db
  [ "$(grep -c -e '^error unknown-node: gone[12]:' -e '^info other-host: node16;' <<<"$output")" -eq 3 ]
  [ "$(grep -c -e unknown-node -e other-host <<<"$output")" -eq 3 ]
}

@test "db check: disconnected parts, several subnets, partial dumps" {
  grep -v -e '^leaf[12] 22' -e '^leaf[34] 21' links > halves
  make halves
  run -1 topomap db check --db t.db
  has_tokens "$(grep '^error disconnected: ' <<<"$output")" '3 switch' leaf '8 host'
  # Rails without a link between them: every host is on both.
  sed 's/^\(leaf[0-9]\) \(1[1-4]\) /\1b \2 /' links | grep -v spine > rails
  for l in 1 2 3 4; do echo "leaf$l 21 spine1 $l 4xHDR"; echo "leaf${l}b 21 spine2 $l 4xHDR"; done >> rails
  make rails
  run -0 topomap db check --db t.db
  has_tokens "$(grep '^info disconnected: ' <<<"$output")" '5 switch' plane
  { cat dump; echo "ibwarn: [1234] mad_rpc: _do_madrpc failed"; } > errors
  sed -i 's/leaf/blade/g; s/spine/top/g; s/node/n/g' links
  make links -v base=9000000
  topomap db import --db t.db ibnetdiscover errors
  run -1 topomap db check --db t.db
  has_tokens "$(grep '^info subnets: ' <<<"$output")" 2
  [[ $output == *"warning partial-import: ibnetdiscover "*"/errors: "* ]]
}

@test "db check: age, and nodes without a class where others have one" {
  make links
  command -v lstopo-no-graphics || skip "no lstopo"
  lstopo-no-graphics --input "pack:1 core:4 pu:1" --of xml node.xml
  topomap db import --db t.db hwloc node.xml --nodes 'node[1-15]'
  run -1 topomap db check --db t.db
  [[ $output == "warning missing-class: node16;"* ]]
  sqlite3 t.db "UPDATE source SET time = time - 86400 * 40 WHERE importer = 'ibnetdiscover'" 2>/dev/null || skip "no sqlite3"
  run -1 topomap db check --db t.db
  has_tokens "$(grep '^warning age: ibnetdiscover ' <<<"$output")" 40
  run -1 topomap db check --db t.db --max-age 41
  [[ $output != *" age:"* ]]
  run -2 topomap db check --db t.db --max-age soon
}

found() { # CHECK: its findings
  topomap db check --db t.db --json | jq -r --arg c "$1" '.findings[] | select(.check == $c) | "\(.severity) \(.text)"'
}

@test "db check: --list and the manual have every check, and a finding is of one of them" {
  topomap db check --list > checks
  [ "$(cut -d' ' -f1 checks | sort -u | tr '\n' ' ')" = "error info warning " ]
  for check in missing-cable wrong-rail nic-speed localhost degraded-link other-host; do
    [ "$(awk -v c=$check '$2 == c && NF > 5' checks | wc -l)" -eq 1 ]
  done
  [ "$(awk '{ print $2 }' checks | sort | uniq -d | wc -l)" -eq 0 ]
  topomap help --man db > page
  while read -r _ check _; do grep -qxF ".B ${check//-/\\-}" page || { echo "$check" && false; }; done < checks
  grep -v mlx5_1 links | sed 's/^\(leaf3 2 .*\) 4xEDR/\1 1xEDR/' > worse
  make worse
  topomap db check --db t.db --json | jq -r '.findings[].check' | sort -u > told
  [ -s told ]
  awk '{ print $2 }' checks | sort | comm -13 - told | wc -l | grep -qx 0
}

@test "db check: an old chip's links are not degraded where a ports report tells no devices" {
  report() { # of lines NAME PORT NAME PORT SPEED, each from both ends
    awk 'function guid(n) { if (!(n in id)) id[n] = ++ids; return sprintf("0x%016x", id[n]) }
      function line(a, p, b, q) { printf "%s %5d %2d %s 4x %s - %s %5d %2d %s ( '"'%s' - '%s'"' )\n",
        a ~ /^n/ ? "CA" : "SW", 1, p, guid(a), $5, b ~ /^n/ ? "CA" : "SW", 1, q, guid(b), a ~ /^n/ ? a " HCA-1" : a, b ~ /^n/ ? b " HCA-1" : b }
      { line($1, $2, $3, $4); line($3, $4, $1, $2) }'
  }
  { for l in 1 2 3 4; do
      echo "edge$l 1 n$l 1 QDR"; for s in 1 2 3 4; do echo "edge$l $((10 + s)) core$s $l QDR"; done
    done
    for l in 1 2; do echo "old 1$l edge$l 20 DDR"; done; echo "old 1 n9 1 DDR"; } > fabric
  report < fabric > dump
  topomap db import --db t.db ibnetdiscover dump
  [ -z "$(found degraded-link)" ] || { found degraded-link && false; }
  rm t.db; sed 's/^\(edge2 13 .*\) QDR/\1 SDR/' fabric | report > dump
  topomap db import --db t.db ibnetdiscover dump
  [[ "$(found degraded-link)" == "warning "*4xSDR*4xQDR ]]
  [ "$(found degraded-link | grep -c -e edge2.*core3 -e core3.*edge2)" -eq 1 ]
}

@test "real: a ports report with a chip of DDR among QDR: one cable of SDR is told of, none of that chip's" {
  dump="$shared/ib/plafrim/ib-subnet-fe80_0_0_0.txt"
  [ -r "$dump" ] || skip "no data"
  topomap db import --db t.db ibnetdiscover "$dump"
  [ "$(found degraded-link | grep -c '4036-8500 port 7 .*4036-8524 port 7: 4xSDR')" -eq 1 ]
  [ "$(found degraded-link | grep -c Infiniscale-III)" -eq 0 ]
}

@test "db check: missing cables of a torus and of a dragonfly, as many as were left out" {
  for spec in torus:5x4x3 torus:4x4x4,links=2 mesh:6x6x3 dragonfly:a=4,p=2,h=2 dragonfly:a=4,p=1,h=2,groups=5; do
    rm -rf made t.db
    topomap db synth "$spec,lft=no" -o made > none
    topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
    [ -z "$(found missing-cable)" ] || { echo "$spec" && found missing-cable && false; }
    rm -rf made t.db
    topomap db synth "$spec,lft=no,fault=missing:3,seed=4" -o made > none
    topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
    [ "$(found missing-cable | wc -l)" -eq "$(grep -vc node made/faults.txt)" ] || { echo "$spec" && cat made/faults.txt && found missing-cable && false; }
    grep -v node made/faults.txt | while read -r _ a _ b; do
      a=${a%[*} b=${b%[*}
      # Groups are called by a switch that lacks the link.
      found missing-cable | grep -qE -e "(^warning|of) ($a|$b)[: ].*(to|of) ($a|$b)[: ]" ||
        { echo "$spec: $a $b" && found missing-cable && false; }
    done
  done
}

# Links of a dragonfly g0s0, g0s1, ...: every two switches of a group are joined or, with leaves, each of them to those of its group;
# CABLES for every two groups of the first one's size, one for others. A group's ports go to its switches H each.
fly() { # "SWITCHES of each group" CABLES H [LEAVES]
  awk -v sizes="$1" -v cables="$2" -v h="$3" -v leaves="${4:-0}" '
    function link(a, b) { print a, ++port[a], b, ++port[b], "4xHDR" }
    function host(sw) { print sw, ++port[sw], "node" ++hosts "/mlx5_0 1 4xHDR" }
    function gate(g, to, r) { return "g" g "s" int((r * (n - 1) + (to - g - 1 + n) % n) / h) % size[g + 1] }
    BEGIN {
      n = split(sizes, size, " ")
      for (g = 0; g < n; g++) {
        for (a = 0; a < size[g + 1]; a++) {
          for (l = 0; l < leaves; l++) link("g" g "l" l, "g" g "s" a)
          for (b = a + 1; b < size[g + 1] && !leaves; b++) link("g" g "s" a, "g" g "s" b)
          if (!leaves) host("g" g "s" a)
        }
        for (l = 0; l < leaves; l++) host("g" g "l" l)
      }
      for (g = 0; g < n; g++) for (k = g + 1; k < n; k++)
        for (r = 0; r < (size[g + 1] == size[1] && size[k + 1] == size[1] ? cables : 1); r++) link(gate(g, k, r), gate(k, g, r))
    }'
}

@test "db check: groups of another size, and one that has fewer links to all, were built so" {
  big="16 16 16 16 16 16 16 16 16 16 16"
  fly "$big 8" 2 2 > small
  fly "4 4 4 4 4 4 4 4 4 4 4 4" 2 6 > alike
  awk '($1 ~ /^g3s/) != ($3 ~ /^g3s/) && $3 !~ /node/ { g = $1 ~ /^g3s/ ? $3 : $1; sub(/s.*/, "", g); if (had[g]++) next } { print }' alike > tapered
  [ "$(diff alike tapered | grep -c '^<')" -eq 11 ]
  for links in small alike tapered; do
    make $links
    [ "$(topomap db show --db t.db --summary --json | jq -r .topology)" = dragonfly ]
    [ -z "$(found missing-cable)" ] || { echo $links && found missing-cable && false; }
  done
  # A small group's missing cable is one of its kind, and so is that of two others.
  awk '$1 " " $3 !~ /^g2s[0-9]+ g11s/ && !($1 " " $3 ~ /^g0s[0-9]+ g1s/ && !done++)' small > fewer
  make fewer
  [ "$(found missing-cable | sed 's/;.*//' | sort)" = "warning the groups of g0s0 and of g1s0: 1 of the 2 global links that most pairs of groups like them have
warning the groups of g2s0 and of g11s0: 0 of the 1 global links that most pairs of groups like them have" ] || { found missing-cable && false; }
}

@test "db check: the switch that lacks a global cable is named where one alone has fewer" {
  # The last of four switches has no global cables.
  fly "4 4 4 4 4 4 4" 1 2 > whole
  fly "4 4 4 4 4 4 4 4 4" 1 2 3 > plus
  for links in whole plus; do
    make $links
    [ -z "$(found missing-cable)" ]
    a=$(grep -E '^g0s[0-9] .* g1s' $links | cut -d' ' -f1) b=$(grep -E '^g0s[0-9] .* g1s' $links | cut -d' ' -f3)
    grep -vE '^g0s[0-9] .* g1s' $links > less
    make less
    [ "$(found missing-cable)" = "warning the groups of $a and of $b: 0 of the 1 global links that most pairs of groups like them have; $a has 1, where most of its group's have 2; $b has 1, where most of its group's have 2" ] || { found missing-cable && false; }
  done
  # Seven cables for four switches of two: the last one has one in any case.
  fly "4 4 4 4 4 4 4 4" 1 2 | grep -vE '^g0s[0-9] .* g1s' > less
  make less
  [ "$(found missing-cable)" = "warning the groups of g0s0 and of g1s0: 0 of the 1 global links that most pairs of groups like them have" ] || { found missing-cable && false; }
}

@test "db check: levels of other hosts leave a dragonfly's missing cables to be told" {
  fly "4 4 4 4 4 4 4" 1 2 | grep -vE '^g0s[0-9] .* g1s' > less
  make less
  found missing-cable > before
  [ "$(wc -l < before)" -eq 1 ]
  topomap db synth dragonfly:a=4,p=2,h=2,as=slingshot -o made > none
  topomap db import --db t.db slingshot-ama made/fabric.slingshot-ama
  found missing-cable | diff before -
  # Of levels alone nothing is missing.
  rm t.db
  topomap db import --db t.db slingshot-ama made/fabric.slingshot-ama
  [ -z "$(found missing-cable)" ]
}

@test "db check: NICs on another rail's switch" {
  # Each rail has a switch of its own for four nodes.
  for u in 0 1; do for n in 1 2 3 4; do for r in 0 1; do
    echo "leaf$u-$r $n node$((u * 4 + n))/mlx5_$r 1 4xEDR"; done; done; done > rails
  for u in 0 1; do for r in 0 1; do echo "leaf$u-$r 20 spine $((u * 2 + r + 1)) 4xEDR"; done; done >> rails
  make rails
  [ -z "$(found wrong-rail)" ] || { found wrong-rail && false; }
  # Two cables are swapped.
  sed -e 's,^leaf1-0 2 ,leaf1-X 2 ,; s,^leaf1-1 2 ,leaf1-0 2 ,; s,^leaf1-X,leaf1-1,' rails > swapped
  make swapped
  [ "$(found wrong-rail | sort)" = "warning node6 mlx5_0 is on leaf1-1, which has mlx5_1 of its other peers
warning node6 mlx5_1 is on leaf1-0, which has mlx5_0 of its other peers" ] || { found wrong-rail && false; }
  # Hosts with all NICs on one switch have no rails, also where others there have one NIC.
  make links
  [ -z "$(found wrong-rail)" ]
  { for n in {1..16}; do echo "leaf1 $n cn$n/mlx5_0 1 4xEDR"; done
    for n in {13..16}; do echo "leaf1 $((n + 10)) cn$n/mlx5_1 1 4xEDR"; done; echo "leaf1 30 spine1 1 4xEDR"; } > both
  make both
  [ -z "$(found wrong-rail)" ] || { found wrong-rail && false; }
}

@test "db check: a NIC of another speed than the node's others, or than this NIC of its peers" {
  for n in 1 2 3 4 5 6; do for r in 0 1 2 3; do
    echo "leaf$r $n node$n/mlx5_$r 1 4xHDR"; done; echo "leaf0 1$n node$n/mlx4_0 1 4xEDR"; done > nics
  for r in 0 1 2 3; do echo "leaf$r 30 spine $((r + 1)) 4xHDR"; done >> nics
  make nics
  [ -z "$(found nic-speed)" ] || { found nic-speed && false; }
  # What degraded-link tells of is not told twice.
  grep -v mlx4 nics | sed 's/^\(leaf2 3 .*\) 4xHDR/\1 4xEDR/' > slow
  make slow
  [ "$(found degraded-link | wc -l) $(found nic-speed | wc -l)" = "1 0" ]
  sed 's/^\(leaf2 3 .*\) 4xHDR/\1 4xNDR/; s/^\(leaf0 15 .*\) 4xEDR/\1 4xHDR/' nics > fast
  make fast
  [ "$(found nic-speed)" = "warning node3 mlx5_2 on leaf2: 4xNDR, where the node's others have 4xHDR
warning node5 mlx4_0 on leaf0: 4xHDR, where this NIC of most of its peers has 4xEDR" ] || { found nic-speed && false; }
  # Two nodes, each with one NIC that is faster: no peers say whether they are to be so.
  { for n in 1 2; do for r in 0 1 2 3; do echo "leaf$r $n dgx$n/mlx5_$r 1 4xHDR"; done; echo "leaf9 $n dgx$n/mlx5_4 1 4xNDR"; done
    for r in 0 1 2 3 9; do echo "leaf$r 30 spine $((r + 1)) 4xNDR"; done; } > storage
  make storage
  [ -z "$(found nic-speed)" ] || { found nic-speed && false; }
}

@test "db check: a host that is called localhost" {
  printf '%s,1,leaf1,%s,100\n' node1 1 localhost 2 localhostess 3 > list
  topomap db import --db t.db links list
  [ "$(found localhost)" = "warning localhost: 1 ports" ]
}

@test "db check: no database, bad database" {
  run -3 topomap db check --db none.db
  echo text > text.db
  run -3 topomap db check --db text.db
}

@test "real: the NDR dump's unnamed adapters, one line each" {
  dump="$shared/ib/topograph-dgx-ndr.ibnetdiscover"
  [ -r "$dump" ] || skip "no data"
  unknown=$(grep '^Ca' "$dump" | sed 's/.*# "//; s/".*//' | grep -c '^MT4129')
  topomap db import --db t.db ibnetdiscover "$dump"
  run -1 topomap db check --db t.db
  [ "$(grep -c '^warning unnamed-adapter' <<<"$output")" -eq "$unknown" ]
  # One node's HCA-5 and HCA-6 are swapped: on those leaves all others of its name have the other one.
  [ "$(grep -c '^warning wrong-rail' <<<"$output")" -eq 2 ]
  [[ $output == *"wrong-rail: b08-p1-dgx-08-c01 HCA-6 "*"MF0;B09-P1-IBLEAF-03-08:MQM9701/U1"*HCA-5* ]]
  [[ $output == *"warning localhost: localhost: 3 ports;"* ]]
}

# ---- GPUs and NICs ----------------------------------------------------------------------------

devices() { # CHECK: its findings
  topomap db check --db t.db --json | jq -r --arg c "$1" '.findings[] | select(.check == $c) | "\(.severity) \(.text)"'
}

@test "db check: whole nodes with GPUs have no findings about them" {
  data="$TOPOMAP_SOURCE/tests/data/db"
  topomap db import --db t.db nccl-topology "$data/a100.nccl.xml" --nodes 'a[1-8]'
  topomap db import --db t.db hwloc "$data/mi250x.xml" --nodes 'm[1-8]'
  topomap db import --db t.db gpu-matrix "$data/h100.topo" --nodes 'h[1-8]'
  [ -z "$(devices far-nic)$(devices missing-nvlink)$(devices nic-down)" ]
}

@test "db check: a GPU whose NIC is elsewhere, once for all nodes that are so" {
  data="$TOPOMAP_SOURCE/tests/data/db"
  awk -F'\t' -v OFS='\t' '/^NIC0/ { for (i = 2; i < 10; i++) $i = "SYS" } /^GPU[0-7]/ { $10 = "SYS" } { print }' "$data/h100.topo" >moved
  topomap db import --db t.db gpu-matrix "$data/h100.topo" --nodes 'h[1-8]'
  topomap db import --db t.db gpu-matrix moved --nodes 'h[9-12]'
  [ "$(devices far-nic)" = "warning h9 and 3 more: GPU 0: its nearest NIC mlx5_1 is NODE away, where most GPUs have one on their PCI switch" ]
  run -1 topomap db check --db t.db
}

@test "db check: missing NVLinks, by the node's other pairs and by its peers" {
  data="$TOPOMAP_SOURCE/tests/data/db"
  sed '/dev="3"/,/<\/gpu>/s/count="2"/count="1"/' "$data/a100.nccl.xml" >weak
  sed '/dev="3"/,/<\/gpu>/{/nvlink/d}' "$data/a100.nccl.xml" >none
  topomap db import --db t.db nccl-topology "$data/a100.nccl.xml" --nodes 'h[1-8]'
  topomap db import --db t.db nccl-topology weak --nodes 'h[9-12]'
  topomap db import --db t.db nccl-topology none --nodes h13
  [ "$(devices missing-nvlink)" = "warning h9 and 3 more: GPU 3 to GPUs 0-2: 6 NVLinks, where other pairs have 12
warning h13: GPU 3 to GPUs 0-2: no NVLink, where other pairs have 12" ]
  # Of links that are no mesh only the peers can tell.
  rm t.db
  sed '/XGMIBandwidth/,$ { s/>1000000 200000 />1000000 100000 /; s/>200000 1000000 />100000 1000000 / }' "$data/mi250x.xml" >slow
  topomap db import --db t.db hwloc "$data/mi250x.xml" --nodes 'm[1-4]'
  topomap db import --db t.db hwloc slow --nodes m5
  [ "$(devices missing-nvlink)" = "warning m5: GPU 0 to GPU 1: 100000 MB/s, where other pairs have 200000 MB/s" ]
}

@test "db check: a NIC that is down, by the node's own XML or by the fabric" {
  data="$TOPOMAP_SOURCE/tests/data/db"
  topomap db import --db t.db hwloc "$data/gh200.xml"
  [ "$(devices nic-down)" = "warning gh01: NIC mlx5_3, that of GPU 3, is down" ]
  sed 's/Port1State" value="1"/Port1State" value="4"/' "$data/gh200.xml" >up
  topomap db import --db t.db hwloc up
  [ -z "$(devices nic-down)" ]
}
