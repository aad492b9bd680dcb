#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Counters of ports: db import counters, and what --background measured makes of them.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_TEST_TMPDIR"
}

# Two leaves of two hosts, a spine: node01 and node02 on leaf01 (LID 1), whose port 3 leads to port 1 of the
# spine (LID 3).
fabric() { # DB
  topomap db synth fat-tree:leaves=2,hosts=2,spines=1 -o made
  topomap db import --db "$1" ibnetdiscover made/fabric.ibnetdiscover
  printf '0 1 1000000000\n' >there
  printf '1 0 1000000000\n' >back
  rate=$(topomap db export --db "$1" --to links | awk -F, '$1 == "leaf01" && $3 == "spine01" { print $5 }')
  [ "$(topomap db export --db "$1" --to links | awk -F, '$1 == "leaf01" && $3 == "spine01" { print $2 $4 }')" = 31 ]
  grep -q '^Switch.*"leaf01".* lid 1 ' made/fabric.ibnetdiscover
  grep -q '^Switch.*"spine01".* lid 3 ' made/fabric.ibnetdiscover
}

# section LID PORT SENT RECEIVED [extended]: as perfquery prints it
section() {
  printf '# Port %scounters: Lid %d port %d (CapMask: 0x5300)\nPortSelect:......................%d\n' "${5:+$5 }" "$1" "$2" "$2"
  printf 'CounterSelect:...................0x0000\nPortXmitData:....................%s\nPortRcvData:.....................%s\n' "$3" "$4"
  printf 'PortXmitPkts:....................101733204203\n'
}
# At the rate of the cables, seconds in which one counts this many fours of bytes: a share of the cable's.
words() { jq -n "$rate * 1e9 / 8 / 4 * $1 | round"; }
# seconds GRAPH [OPTION...]: of 1 GB between node01 and node03
seconds() {
  local graph=$1
  shift
  set -o pipefail
  topomap eval --graph "$graph" --db c.db --nodes node01,node03 --tasks-per-node 1 --time \
    --time-costs latency=0,hop=0,overhead=0 --json "$@" | jq .time.seconds
}
# times FACTOR A B: A is so many times B
times() { jq -en "($2 / $3 / $1 - 1 | fabs) < 1e-6"; }

@test "two readings are a rate, of which the link has that much less, in its direction alone" {
  fabric c.db
  section 1 3 1000000000000 77 extended >before
  section 1 3 "$(jq -n "1000000000000 + $(words 5)")" 77 extended >after
  run -0 topomap db import --db c.db counters before after --option seconds=10
  has_tokens "$output" '1 port'
  free=$(seconds there)
  times 1 "$(jq -n "8 / $rate")" "$free"
  times 2 "$(seconds there --background measured)" "$free" # 5 seconds' worth in 10: half
  times 1 "$(seconds back --background measured)" "$free"
  # The same of a file of links, which counts in both directions.
  echo "leaf01,3,spine01,1,$(jq -n "$rate / 2")" >half.csv
  times 2 "$(seconds there --background half.csv)" "$free"
  times 2 "$(seconds back --background half.csv)" "$free"
  topomap eval --graph there --db c.db --nodes node01,node03 --tasks-per-node 1 --congestion exact --background measured --json >json
  times 2 "$(jq .congestion.max json)" "$free"
  # Another import takes its place; a link that is full keeps a hundredth.
  section 1 3 "$(jq -n "1000000000000 + $(words 40)")" 77 extended >after
  run -0 --separate-stderr topomap db import --db c.db counters before after --option seconds=10
  warns_with '1 cable'
  times 100 "$(seconds there --background measured)" "$free"
}

@test "timestamps, one file or two, packed, the other end's counter, ibqueryerrors' lines: all the same" {
  fabric c.db
  free=$(seconds there)
  begin=1000000000000 end=$(jq -n "1000000000000 + $(words 15)")
  { echo 'timestamp 1795571674.5'; section 1 3 $begin 0 extended; } >before
  { echo '# timestamp 1795571694.5'; section 1 3 "$end" 0 extended; } >after
  cat before after >both
  xz -k both
  for files in "before after" both both.xz; do
    # shellcheck disable=SC2086 # one word or two
    topomap db import --db c.db counters $files
    times 4 "$(seconds there --background measured)" "$free"
  done
  # The spine received it.
  { section 3 1 0 $begin extended; section 3 1 0 "$end" extended; } >both
  topomap db import --db c.db counters both --option seconds=20
  times 4 "$(seconds there --background measured)" "$free"
  # One reading alone, since a reset.
  section 1 3 "$(words 15)" 0 extended >one
  topomap db import --db c.db counters one --option seconds=20
  times 4 "$(seconds there --background measured)" "$free"
  # By GUID, with what is printed around it; a counter of 0 is left out where errors are listed.
  guid=$(sed -n 's/^switchguid=\(0x[0-9a-f]*\).*/\1/p' made/fabric.ibnetdiscover | head -1)
  for value in $begin "$end"; do
    printf 'Errors for %s "leaf01"\n   GUID %s port ALL: [LinkDownedCounter == 1] [PortXmitData == 5 (20.000B)]\n' "$guid" "$guid"
    printf '   GUID %s port 3: [LinkDownedCounter == 1] [PortXmitData == %s (1.000TB)] [PortXmitPkts == 9 (9.000)]\n' "$guid" "$value"
    printf '   GUID %s port 2: [SymbolErrorCounter == 1]\n       Link info:      1   3[  ] ==( 4X)==>  0x1 3 1[  ] "spine01" ( )\n\n## Summary: 3 nodes\n' "$guid"
  done >errors
  run -0 --separate-stderr topomap db import --db c.db counters errors --option seconds=20 --json
  warns_with 2
  jq -e '.ports == 1' <<<"$output"
  times 4 "$(seconds there --background measured)" "$free"
}

@test "the fabric's dump may come later, and again; LIDs that it does not have are counted" {
  fabric other.db
  section 1 3 0 0 extended >before
  section 1 3 "$(words 5)" 0 extended >after
  for lid in 99 100; do
    section $lid 1 0 0 extended >>before
    section $lid 1 10 10 extended >>after
  done
  run -0 --separate-stderr topomap db import --db c.db counters before after --option seconds=10
  [ -z "$stderr" ]
  for again in 1 2; do
    topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover
    times 2 "$(seconds there --background measured)" "$(seconds there)"
  done
  run -0 --separate-stderr topomap db import --db c.db counters before after --option seconds=10
  warns_with 2 3 LID GUID
  # Two subnets with the same LIDs: nobody knows whose they are.
  sed 's/2c902/2c912/g; s/2c903/2c913/g; s/"node0/"else0/; s/"leaf/"eleaf/; s/"spine/"espine/' made/fabric.ibnetdiscover >second
  topomap db import --db c.db ibnetdiscover second
  run -3 seconds there --background measured
  fails_with 3 c.db 'db import counters'
}

@test "counters that tell no rate are left out and counted: reset, at the top, in one reading alone" {
  fabric c.db
  { section 1 1 500 0; section 1 2 4294967295 10; section 1 3 0 0; section 3 1 0 0 extended; section 3 2 7 7; section 1 0 1 1; section 1 255 9 9; } >before
  { section 1 1 400 9; section 1 2 4294967295 20; section 1 3 "$(jq -n "[$(words 5), 4294967295] | min")" 0; section 3 1 0 "$(words 5)" extended; } >after
  run -0 --separate-stderr topomap db import --db c.db counters before after --option seconds=10
  has_tokens "$output" '4 port'
  warns_with '1 counter' 3
  times 2 "$(seconds there --background measured)" "$(seconds there)"
  # Counters of 64 bits count before those of 32 of the same port.
  { section 1 3 0 0; section 1 3 0 0 extended; section 1 3 4294967295 0; section 1 3 "$(words 5)" 0 extended; } >both
  run -0 --separate-stderr topomap db import --db c.db counters both --option seconds=10
  warns_with '1 counter' 32 'perfquery -x'
  times 2 "$(seconds there --background measured)" "$(seconds there)"
  # Nothing is left.
  { section 1 1 500 500; section 1 1 4 4; } >both
  run -3 topomap db import --db c.db counters both --option seconds=10
  fails_with 3 2
  { section 1 1 500 500; section 1 1 4294967295 4294967295; } >both
  run -3 topomap db import --db c.db counters both --option seconds=10
  fails_with 3 2 32 'perfquery -x'
  times 2 "$(seconds there --background measured)" "$(seconds there)" # as before
}

@test "what is refused says what was expected" {
  fabric c.db
  section 1 3 5 5 extended >one
  run -3 topomap db import --db c.db counters one
  fails_with 3 one: 'BEFORE AFTER' '--option seconds=N'
  run -3 topomap db import --db c.db counters one one
  fails_with 3 'port 3' 'LID 0x1'
  { echo 'timestamp 5'; cat one; echo 'timestamp 5'; cat one; } >same
  run -3 topomap db import --db c.db counters same
  run -3 topomap db import --db c.db counters made/fabric.ibnetdiscover
  fails_with 3 perfquery ibqueryerrors --counters
  : >empty
  run -3 topomap db import --db c.db counters empty
  fails_with 3 empty
  for bad in '# Port counters: Lid 0 port 1' '# Port counters: Lid 65535 port 1' '# Port counters: DR path 0,1 port 1' \
    '# Port counters: Lid 5 port 256' '   GUID 0x port 1: [PortXmitData == 1 (1)]' 'timestamp noon' 'timestamp -1' hello \
    $'# Port counters: Lid 5 port 1\nPortXmitData:....-5' $'# Port counters: Lid 5 port 1\nPortXmitData:....99999999999999999999'; do
    { cat one; echo "$bad"; } >bad
    run -3 topomap db import --db c.db counters bad --option seconds=1
    [[ $output == *"bad:"* ]]
  done
  for seconds in 0 -1 x 1s ''; do
    run -2 topomap db import --db c.db counters one --option seconds=$seconds
  done
  run -3 topomap db import --db c.db counters one absent --option seconds=1
  [[ $output == *"absent: "* ]]
  run -2 topomap db import --db c.db lft made/fabric.lfts made/fabric.lfts
  fails_with 2 lft lldp aws-topology counters
  # Nothing was measured, or none of these links.
  run -3 seconds there --background measured
  fails_with 3 c.db 'db import counters'
  run -2 topomap eval --graph there --db c.db --nodes node01,node03 --tasks-per-node 1 --background measured
  fails_with 2 --background --congestion --time
  run -2 topomap map --graph there --db c.db --nodes node01,node03 --tasks-per-node 1 --background measured
  fails_with 2 --background congestion mix time
  run -2 topomap eval --graph there --machine torus:2 --time --background measured
  echo 'leaf01,3,spine01,1,50' >measured
  run -3 seconds there --background measured # the word, not the file
  seconds there --background ./measured
}

@test "a database of an earlier version: measured traffic is missed, and imported" {
  xz -dc "$TOPOMAP_SOURCE/tests/data/compat/0.1.0/db/fat-tree.db.xz" >c.db
  nodes=$(topomap db show --db c.db --json | jq -r '[.[].name] | "\(.[0]),\(.[1])"')
  printf '0 1 1000000000\n' >there
  set -o pipefail
  ask() { topomap eval --graph there --db c.db --nodes "$nodes" --tasks-per-node 1 --time --json "$@"; }
  ask | jq -e '.time.seconds > 0 and .time.costs.latency.from == "assumed"'
  run -3 ask --background measured
  fails_with 3 c.db 'db import counters'
  lid=$(topomap db show --db c.db "${nodes%,*}" --json | jq '.ports[0].lid')
  section "$lid" 1 0 0 extended >before
  section "$lid" 1 1000000000 0 extended >after
  topomap db import --db c.db counters before after --option seconds=1
  jq -en --argjson a "$(ask)" --argjson b "$(ask --background measured)" '$b.time.seconds > $a.time.seconds * 1.1'
}

@test "maps go by what is left, in topomap and in a launch" {
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made
  topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db import --db c.db lft made/fabric.lfts
  rate=$(topomap db export --db c.db --to links | awk -F, '$1 ~ /leaf/ { print $5; exit }')
  # All cables of leaf01 are nine tenths full, both ways.
  for port in 1 2 3 4; do section 1 $port 0 0 extended; done >before
  for port in 1 2 3 4; do section 1 $port "$(words 9)" "$(words 9)" extended; done >after
  topomap db import --db c.db counters before after --option seconds=10
  printf '0 1 1000000\n1 0 1000000\n2 3 1\n3 2 1\n' >pair
  local at=(--graph pair --db c.db --nodes 'node[01-04]' --tasks-per-node 1)
  printf '0 1 1000000000\n' >there
  for on in node01,node02 node01,node03; do
    for rest in "" "--background measured"; do
      # shellcheck disable=SC2086 # two words
      topomap eval --graph there --db c.db --nodes $on --tasks-per-node 1 --time --time-costs latency=0,hop=0,overhead=0 $rest \
        --json >json
      jq -e '.time.model == "routes"' json
      jq .time.seconds json
    done | grep -v true | paste -sd' ' >both
    times 10 "$(cut -d' ' -f2 both)" "$(cut -d' ' -f1 both)"
  done
  for objective in congestion time; do
    topomap map "${at[@]}" --objective $objective --background measured --json >json
    jq -e '[.placement[] | select(.rank < 2).node] | sort == ["node03", "node04"]' json
    topomap map "${at[@]}" --objective $objective --background measured --format plan -o plan
    grep -q '^capacity measured$' plan
    sed -n '/^topomap-request/,/^end/p' plan | "$TOPOMAP_BUILD/plugin/topomap-planner" 3>reply
    grep -q '^status applied' reply
    grep -q '^layout 2;3;0;1$\|^layout 3;2;0;1$\|^layout 2;3;1;0$\|^layout 3;2;1;0$' reply
  done
}

@test "counters of a simulated fabric, by the real tools" {
  for tool in ibsim opensm ibnetdiscover dump_lfts setpriv perfquery ibqueryerrors; do
    command -v $tool || skip "no $tool"
  done
  cat >load <<'END'
LD_PRELOAD=$SIM_PRELOAD
export LD_PRELOAD
read_all() {
  date '+timestamp %s.%N'
  ibqueryerrors --counters --skip-sl
}
read_one() {
  date '+timestamp %s.%N'
  perfquery -x "$1" 1
}
lid=$(sed -n 's/.*"node04 HCA-1" lid \([0-9]*\) .*/\1/p' fabric.ibnetdiscover)
read_all >before; read_one "$lid" >before.one
for i in $(seq 20); do perfquery -x "$lid" 1; done
read_one "$lid" >after.one; read_all >after
END
  "$TOPOMAP_SOURCE/contrib/testbed/fabric" fat-tree:leaves=2,hosts=2,spines=1 -o sim -- bash "$PWD/load"
  topomap db import --db c.db ibnetdiscover sim/fabric.ibnetdiscover
  run -0 topomap db import --db c.db counters sim/before.one sim/after.one
  has_tokens "$output" '1 port'
  # Two ends of six cables. What was asked of node04 went over its cable; what was asked of node01, too, over node01's.
  run -0 --separate-stderr topomap db import --db c.db counters sim/before sim/after --json
  jq -e '.ports == 12' <<<"$output"
  [[ $stderr != *LID* && $stderr != *GUID* ]]
  printf '0 1 1000000000\n' >there
  seconds there --background measured
}
