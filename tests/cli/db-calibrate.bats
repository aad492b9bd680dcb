#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db calibrate: measured times become costs, and costs move ranks.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
  unset TOPOMAP_DB
}

# Three switches in a row, two nodes each: s1 - s2 at 100 Gb/s, s2 - s3 at 200, hosts at 400.
chain() {
  for n in 1 2 3 4 5 6; do echo "n$n,1,s$(((n + 1) / 2)),$((n % 2 + 1)),400"; done > links
  printf 's1,9,s2,8,100\ns2,9,s3,8,200\n' >> links
  topomap db import --db chain.db links links
}

# measure FIRST SECOND: latency is 1 + what each of the two trunks takes; 10,000 MB/s everywhere.
measure() {
  awk -v first="$1" -v second="$2" 'BEGIN {
    print "# made"; print "kind,from,to,hops,size,latency_us,bandwidth_MBps"
    for (i = 1; i <= 6; i++) for (j = i + 1; j <= 6; j++) {
      a = int((i + 1) / 2); b = int((j + 1) / 2)
      us = 1 + (a < 2 && b > 1 ? first : 0) + (a < 3 && b > 2 ? second : 0)
      for (s = 8; s <= 524288; s *= 16) printf "pair,n%d,n%d,,%d,%.9f,%.3f\n", i, j, s, us + s / 10000, s / (us + s / 10000)
    }
    for (i = 1; i <= 6; i++) { printf "inside,n%d,core,,8,0.2,\ninside,n%d,node,,8,0.4,\n", i, i }
  }'
}
cost() { topomap db distance --db chain.db "$1" "$2" --json | jq '.cost * 1000 | round'; }

@test "db calibrate: each class of link its cost, which db import takes and db distance tells" {
  chain
  [ "$(cost n1 n3)" = 30000 ] # by rates, against 200 Gb/s: 2 * 5 to hosts and 20
  measure 3 6 > m
  run -0 --separate-stderr topomap db calibrate m --db chain.db -o c --json
  jq -e '.pairs == 15 and .nodes == 6 and (.outliers | length) == 0 and .bandwidth_model == "slowest link"' <<<"$output"
  jq -e '[.links[] | {(.class): .latency_us}] | add
    | (.["100G"] - 3 | fabs) < 1e-3 and (.["200G"] - 6 | fabs) < 1e-3 and (.["400G"] - 0.5 | fabs) < 1e-3' <<<"$output"
  jq -e '[.inside[] | select(.class == null) | [.level, .nodes]] == [["core", 6], ["node", 6]]' <<<"$output"
  topomap db import --db chain.db calibration c --option size=1000
  # A byte of 1,000: 0.0005 us to a host, 0.003 and 0.006 between switches, and 0.0001 each; costs are
  # whole thousandths of a hop over s2 - s3, so that 2 * 0.0006 come out as 196 / 1000 of 0.0061.
  ratio=$(jq -n "$(cost n1 n3) / $(cost n1 n2)")
  jq -en "($ratio - (0.0012 + 0.0031) / 0.0012 | fabs) < 0.03"
  ratio=$(jq -n "$(cost n3 n5) / $(cost n1 n2)")
  jq -en "($ratio - (0.0012 + 0.0061) / 0.0012 | fabs) < 0.03"
}

@test "topomap map: heavy traffic leaves a link class that was measured dear" {
  chain
  printf '0 1 1000\n1 2 1\n' > g
  where() { topomap map --objective J --graph g --db chain.db --nodes n1,n3,n5 --tasks-per-node 1 --format json | jq -r '.placement | sort_by(.rank) | map(.node) | join(" ")'; }
  before=$(where) # by rates, s2 - s3 is the cheap one
  [[ $before == "n3 n5 n1" || $before == "n5 n3 n1" ]]
  measure 1 9 > m
  topomap db calibrate m --db chain.db -o c
  topomap db import --db chain.db calibration c --option size=1000
  after=$(where)
  [[ $after == "n1 n3 n5" || $after == "n3 n1 n5" ]]
}

@test "leaving a node: what hosts and switches of one class leave over is the level router" {
  for n in 1 2 3 4 5 6; do echo "n$n,1,s$(((n + 1) / 2)),$((n % 2 + 1)),100"; done > links
  printf 's1,9,s2,8,100\ns2,9,s3,8,100\n' >> links
  topomap db import --db chain.db links links
  measure 2 2 > m # 2 a hop: 1 = 2 * 2 - 3 would be less than nothing, so 5 more
  awk -F, -v OFS=, '/^pair/ { $6 += 5 } { print }' m > m5
  topomap db calibrate m5 --db chain.db -o c
  grep -q '^router,2,' c
  grep -q '^hop,2,' c
  topomap db import --db chain.db calibration c --option size=1
  jq -en "($(cost n1 n2) / $(cost n1 n3) - 6 / 8 | fabs) < 0.001"
  jq -en "($(cost n1 n2) / $(cost n1 n5) - 6 / 10 | fabs) < 0.001"
}

@test "leaving a node: what is constant is nobody's where only one end has links of the class" {
  for n in 1 2 3 4 5 6; do echo "n$n,1,s$(((n + 1) / 2)),$((n % 2 + 1)),$((n < 3 ? 400 : 200))"; done > links
  printf 's1,9,s2,8,100\ns2,9,s3,8,100\n' >> links
  topomap db import --db chain.db links links
  measure 0.5 0 | grep -E '^[#k]|n[12],n[3-6],' > m # each 1.5 us, over one link of 400G, one of 200G, and one or two trunks
  [ "$(grep -c '^pair' m)" = 40 ]
  topomap db calibrate m --db chain.db -o c
  grep -q '^router,1.5,' c
  run -1 grep '^hop:400G' c
  topomap db import --db chain.db calibration c
  run -0 topomap map --db chain.db --nodes 'n[1-6]' --tasks-per-node 1 --graph stencil2d:5:3x2 --objective time
  has_tokens "$(grep '^costs ' <<<"$output")" 'latency 1.5 us' 'hop 0 us' measured
}

@test "db calibrate --matrix: the measured machine maps in two stages" {
  measure 3 6 > m
  topomap db calibrate m --matrix x 2>err && false
  grep -q hops err
  chain
  topomap db calibrate m --db chain.db --matrix x --size 1000
  [ "$(grep -vc '#' x)" = 6 ]
  # n1 - n3: 4 us / 1,000 B + 0.1 ns
  grep -v '#' x | awk 'NR == 1 { exit !($1 == 0 && $3 > 4.0999 && $3 < 4.1001) }'
  topomap map --graph stencil2d:5:4x6 --machine "matrix:x*4" --algorithm two-stage -o placed
  [ "$(sort -n placed | uniq | wc -l)" = 24 ]
  ours=$(topomap eval --graph stencil2d:5:4x6 --machine "matrix:x*4" --mapping placed --json | jq .J)
  slurm=$(topomap eval --graph stencil2d:5:4x6 --machine "matrix:x*4" --json | jq .J)
  jq -en "$ours <= $slurm"
  # Other nodes in another order; a pair that was not measured is fitted.
  grep -v 'n1,n3,' m > gap
  topomap db calibrate gap --db chain.db --matrix y --nodes n3,n1 --size 1000
  [ "$(grep -vc '#' y)" = 2 ]
  grep -v '#' y | awk 'NR == 1 { exit !($1 == 0 && $2 > 4.0999 && $2 < 4.1001) }'
}

@test "a torus by coordinates: a hop and leaving a node, as Lindgren's method 1 has them" {
  awk 'BEGIN { for (y = 0; y < 5; y++) for (x = 0; x < 6; x++) print "t" i++, x, y }' > nodes
  topomap db import --db chain.db coordinates nodes --option dims=6x5
  for i in $(seq 0 28); do for j in $(seq $((i + 1)) 29); do echo "t$i t$j"; done; done > pairs
  topomap db distance --db chain.db --pairs pairs > ways
  [ "$(wc -l < ways)" = 435 ]
  # 10,000 round trips of 8 bytes take 26.9 + 2.4 h ms; one pair, a bad cable's, much longer.
  awk 'BEGIN { print "kind,from,to,hops,size,latency_us,bandwidth_MBps" }
    { printf "pair,%s,%s,,8,%.6f,\n", $1, $2, (26.9 + 2.4 * $3 + (NR == 77 ? 40 : 0)) / 20 }' ways > m
  run -0 --separate-stderr topomap db calibrate m --db chain.db -o c --json
  jq -e '(.latency.per_hop * 20 - 2.4 | fabs) < 1e-3 and (.latency.base * 20 - 26.9 | fabs) < 1e-2 and .healthy' <<<"$output"
  jq -e '(.outliers | length) == 1 and .outliers[0].measured.latency_us > 3' <<<"$output"
  topomap db import --db chain.db calibration c --option size=8
  [ "$(cost t0 t1)" -ge 122000 ] # 10 * (26.9 + 2.4) / 2.4 = 122.083
  [ "$(cost t0 t1)" -le 122200 ]
}

@test "db calibrate: nodes of two classes, each with its own line and levels" {
  command -v lstopo-no-graphics >/dev/null || skip "no lstopo"
  chain
  lstopo-no-graphics --input "pack:1 core:4 pu:1" --of xml thin.xml
  lstopo-no-graphics --input "pack:2 core:8 pu:1" --of xml fat.xml
  topomap db import --db chain.db hwloc thin.xml --nodes n1,n3,n5
  topomap db import --db chain.db hwloc fat.xml --nodes n2,n4,n6
  measure 2 2 > m
  # Between two fat nodes 4 us more; inside them half as long; 5 more between all, so that no base is less than 0.
  awk -F, -v OFS=, '$1 == "pair" { $6 += 5 } $1 == "pair" && $2 ~ /[246]$/ && $3 ~ /[246]$/ { $6 += 4 }
    $1 == "inside" && $2 ~ /[246]$/ { $6 /= 2 } { print }' m > m2
  run -0 --separate-stderr topomap db calibrate m2 --db chain.db --json
  jq -e '[.node_classes[] | .pairs] | sort == [3, 3, 9]' <<<"$output"
  fat=$(topomap db show n2 --db chain.db --json | jq -r .class) thin=$(topomap db show n1 --db chain.db --json | jq -r .class)
  [ "$fat" != "$thin" ]
  at() { jq --arg c "$1" '.node_classes[] | select(.classes == $c).latency | .base + 3.5 * .per_hop' <<<"$output"; }
  jq -en "$(at "$fat") - $(at "$thin") - 4 | fabs < 1e-3"
  jq -e --arg f "$fat" '.inside[] | select(.class == $f and .level == "core") | .nodes == 3 and .latency_us == 0.1' <<<"$output"
  jq -e --arg t "$thin" '.inside[] | select(.class == $t and .level == "core") | .nodes == 3 and .latency_us == 0.2' <<<"$output"
}

@test "db calibrate: usage, a busy fabric, and a node that the database does not know" {
  chain
  measure 3 6 > m
  run -2 topomap db calibrate
  run -2 topomap db calibrate m --db chain.db --nodes n1,n2
  run -2 topomap db calibrate m --db chain.db --matrix x --size 0
  sed 's/n6/n7/' m > unknown
  run -3 topomap db calibrate unknown --db chain.db
  [[ $output == *n7* ]]
  [ ! -e x ]
  awk -F, -v OFS=, '/^pair/ { $6 *= 1 + (NR * 7 % 11) / 3 } { print }' m > busy
  run -0 --separate-stderr topomap db calibrate busy --db chain.db
  warns_with fabric
}
