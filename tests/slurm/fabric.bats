#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The fabric with contention (contrib/testbed --contention): its namespaces, its rates, its routes, and what
# topomap-measure and `topomap db calibrate` make of it.
# bats file_tags=campaign
bats_require_minimum_version 1.5.0

setup() {
  source=${TOPOMAP_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
  build=${TOPOMAP_BUILD:-$source}
  testbed=$source/contrib/testbed/testbed
  [ "$(id -u)" = 0 ] || skip "needs root"
  export PROGRAMS=$build/contrib/testbed/programs MEASURE=$build/contrib/measure/topomap-measure-mpich
  cd "$BATS_TEST_TMPDIR"
}

need_mpich() { [ -x "$PROGRAMS/kernels.mpich" ] || skip "no MPICH"; }

# Network namespaces of the processes that carry this folder in their command lines.
namespaces() {
  for pid in $(pgrep -f "$1"); do readlink "/proc/$pid/ns/net"; done 2>/dev/null | sort -u
}

@test "refusals: what needs --contention, what it cannot have, links that are not there" {
  run -2 "$testbed" run --rate 10mbit -- true
  run -2 "$testbed" run --contention --rate fast -- true
  run -2 "$testbed" up --contention
  run -3 "$testbed" run --bare --contention --nodes 4 --slow leaf01,9,1mbit -- true
  [[ $output == *leaf01*" 9"* ]]
  run -2 "$testbed" run --bare --contention --fabric fat-tree:leaves=1,hosts=1,spines=1 -- true
}

@test "every node has its own network, and nothing is left after kill -9" {
  own=$(readlink /proc/self/ns/net)
  mkdir bed
  TMPDIR=$PWD/bed "$testbed" run --bare --contention --nodes 4 -- srun -N4 sleep 100 3>&- &
  for _ in {1..600}; do [ "$(namespaces "$PWD/bed" | wc -l)" -lt 6 ] || break; sleep 0.1; done
  # the testbed script's, that of switches and slurmctld, four nodes'
  namespaces "$PWD/bed" >made
  [ "$(grep -cvxF "$own" made)" -eq 5 ]
  kill -KILL $!
  wait $! || true
  for _ in {1..600}; do [ -n "$(pgrep -f "$PWD/bed")" ] || break; sleep 0.1; done
  grep -vxF "$own" made >theirs
  ! cat <(readlink /proc/[0-9]*/ns/net 2>/dev/null) | grep -qxFf theirs || false
  ! ip -o link | grep -q ': \(s[0-9]*p[0-9]*\|fab0\|adm0\)'
}

@test "transfers take what the links' rates say, over the links of the routing tables" {
  need_mpich
  cat >inside <<'END'
set -e
transfer() { # NODES
  srun -Q -w "$1" -N "$(tr , '\n' <<<"$1" | wc -l)" -n2 --mpi=pmi2 "$PROGRAMS/kernels.mpich" --bytes 1000000 \
    --iterations 1 --repeat 3 halo2d:natural </dev/null | awk '{ print $5 }'
}
sent() {
  ip -j -s link | jq -r '.[] | "\(.ifname) \(.stats64.tx.bytes)"' |
    awk 'NR == FNR { if ($6 != "fab0") name[$6] = $1 " " $3; next } $1 in name { print name[$1], $2 }' \
      "$TOPOMAP_TESTBED_DIR/network/table" - | sort
}
transfer node01 >same
transfer node01,node05 >leaf
sent >before
transfer node01,node02 >trunk
sent >after
paste -d' ' before after | awk '$6 - $3 > 500000 { print $1, $2 }' | sort >passed
for pair in 'node01 node02' 'node02 node01'; do
  topomap db distance $pair --json | jq -r '.route | .[]' >way
  awk 'NR > 2 { print last, $1 } { last = $1 }' way | grep -v '^node'
done | sort >planned
END
  # The second host of a leaf stands four names on; trunks have half of the hosts' rate.
  "$source/contrib/testbed/fabric" fat-tree:leaves=4,hosts=2,spines=2,scatter=1 -o dump
  slow=()
  for leaf in 1 2 3 4; do slow+=(--slow "leaf0$leaf,3,40mbit" --slow "leaf0$leaf,4,40mbit"); done
  "$testbed" run --contention --build "$build" --rate 120mbit "${slow[@]}" --fabric dump/fabric.ibnetdiscover -- bash inside
  [ "$(wc -l <planned)" -eq 6 ]
  diff planned passed
  echo "same $(cat same) leaf $(cat leaf) trunk $(cat trunk)"
  times_are_long_enough
}

# A quarter of the bytes goes each way: 0.25 MB over 120 and 40 Mb/s are 16.7 and 50 ms. Other programs make that longer,
# never shorter.
times_are_long_enough() {
  awk -v leaf="$(cat leaf)" -v trunk="$(cat trunk)" 'BEGIN { exit !(trunk > 0.045 && leaf > 0.015) }'
}

@test "the kernels: shuffled ranks exchange the same messages, all as much" {
  need_mpich
  for kernel in halo2d halo3d cg fft spmv; do
    for order in natural shuffled; do
      "$PROGRAMS/kernels.mpich" --graph-only 64 "$kernel-$order" --bytes 65536 "$kernel:$order"
      awk -F, 'NR > 1 && ($1 == $2 || $1 > 63 || $2 > 63 || $3 < 1) { bad = 1 } END { exit bad }' "$kernel-$order"
      # What borders a grid sends less.
      awk -F, -v kernel="$kernel" '{ all += $3 } END { exit !(all / 64 > 45000 && all / 64 < 66000) }' "$kernel-$order"
    done
    diff <(cut -d, -f3 "$kernel-natural" | sort) <(cut -d, -f3 "$kernel-shuffled" | sort)
    ! cmp -s "$kernel-natural" "$kernel-shuffled"
  done
  run -2 "$PROGRAMS/kernels.mpich" --graph-only 64 none fft:sideways
}

@test "measured there, the fit gives both classes of links their rates, and names the one bad cable" {
  need_mpich
  [ -x "$MEASURE" ] || skip "no topomap-measure-mpich"
  # EDR, and QDR where two leaves of four meet the spine: of 100 Mb/s, 12.5 MB/s and 3.88; node03's cable: a fifth.
  # Ways over one and over two such links tell the slowest link from the sum over all.
  "$source/contrib/testbed/fabric" fat-tree:leaves=4,hosts=2,spines=1 -o even
  sed '/"leaf0[12]"\[3\]/s/EDR/QDR/; /"spine01"\[[12]\]/s/EDR/QDR/' even/fabric.net >uneven.net
  "$source/contrib/testbed/fabric" ./uneven.net -o uneven
  [ "$(grep -c 4xQDR uneven/fabric.ibnetdiscover)" -eq 4 ]
  cat >inside <<'END'
set -e
srun -Q --mpi=pmi2 -N7 -n7 "$MEASURE" --db "$TOPOMAP_DB" --only between --alone --trips 2 --repeat 2 \
  --sizes 65536,196608 -o measured.csv </dev/null
topomap db calibrate measured.csv --db "$TOPOMAP_DB" --json >fit.json
topomap db calibrate measured.csv --db "$TOPOMAP_DB"
END
  ! busy || skip "other programs hold the processors, and measured times would be theirs"
  "$testbed" run --contention --build "$build" --nodes 7 --rate 100mbit --slow node03,1,20mbit \
    --fabric uneven/fabric.ibnetdiscover -- bash inside
  fit_is_right
}

# More that could run than processors, for a second.
busy() {
  for _ in {1..10}; do cut -d' ' -f4 /proc/loadavg; sleep 0.1; done |
    awk -F/ -v processors="$(nproc)" '{ all += $1 - 1 } END { exit !(all / NR > processors / 2) }'
}

# Within 15 % of both rates, and no other cable slow by its rate: latencies here are those of the processors.
fit_is_right() {
  jq -e 'def within(is): . > 0.85 * is and . < 1.15 * is;
    (.links[] | select(.class == "4xEDR").bandwidth_MBps | within(12.5)) and
    (.links[] | select(.class == "4xQDR").bandwidth_MBps | within(100 / 8 * 32000 / 103124)) and
    ([.bad_cables[] | select(.us_per_byte > 0.01)] | length == 1 and (.[0].cable | contains("node03")))' fit.json
}
