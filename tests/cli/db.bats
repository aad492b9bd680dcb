#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db import|show|distance: as an administrator types them.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  shared="$TOPOMAP_SOURCE/../shared/data"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
}

@test "db import: one line of summary, nothing on standard error, and a summary to read back" {
  run --separate-stderr -0 topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  [ "${#lines[@]}" -eq 1 ]
  has_tokens "$output" '5 host' '5 switch' '20 link' '7 adapter' 1
  [ -z "$stderr" ]
  topomap db show --db t.db --summary --json > s.json
  [ "$(jq -c '[.hosts,.switches,.links,.classes,.topology,.subnets,.unknown_adapters,.partial]' s.json)" = \
    '[5,5,20,0,"fat-tree",1,1,false]' ]
  run -0 topomap db show --db t.db --summary
  [[ $output == *"topology          fat-tree"* ]]
}

@test "db: the database is --db, else TOPOMAP_DB" {
  TOPOMAP_DB=env.db topomap db import ibnetdiscover "$data/tree.ibnetdiscover"
  [ -f env.db ]
  TOPOMAP_DB=env.db run -0 topomap db show node1
  TOPOMAP_DB=env.db run -3 topomap db show --db none.db
  fails_with 3 none.db:
}

@test "db show: hosts in natural order, one host by its Slurm name, JSON" {
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  run -0 topomap db show --db t.db
  [ "$(awk 'NR > 1 { print $1 }' <<<"$output" | paste -sd,)" = node1,node2,Node3.cluster,node5,node10 ]
  [ "$(topomap db show --db t.db --json | jq -r 'map(.name) | join(",")')" = node1,node2,Node3.cluster,node5,node10 ]
  [ "$(topomap db show --db t.db NODE3 --json | jq -r '.name, .attached, .class')" = "Node3.cluster
leaf2
null" ]
  run -3 topomap db show --db t.db node4
  fails_with 3 node4
  run -2 topomap db show --db t.db node1 --summary
}

@test "db show: rails, planes and ports of one node; adapters of unknown hosts" {
  run -0 topomap db import --db t.db ibnetdiscover "$data/report.ports"
  has_tokens "$output" '2 host' '2 switch' '10 link' '7 adapter' 3
  topomap db show --db t.db node2 --json > n.json
  [ "$(jq -c '[.name, .rails, .planes, (.ports | length)]' n.json)" = '["node2",2,[1],3]' ]
  [ "$(jq -c '.ports[0] | [.guid, .port, .rail, .plane, .switch_port, .width, .speed, .state]' n.json)" = \
    '["0x0002c90300000401",1,1,1,4,4,"QDR","up"]' ]
  [ "$(jq -c '.ports[1] | [.guid, .port, .rail, .switch, .width, .speed, .state]' n.json)" = \
    '["0x0002c90300000402",2,null,null,null,null,"down"]' ]
  run -0 topomap db show --db t.db node2
  [[ ${lines[2]} == *"0x0002c90300000402"*"port 2  down"* ]]
  [ "$(topomap db show --db t.db --summary --json | jq -c '[.planes, .unknown_adapters]')" = '[1,3]' ]
  [ "$(topomap db show --db t.db --unknown --json | jq -c '[.[].guid] | unique | length')" = 3 ]
  run -0 topomap db show --db t.db --unknown
  [ "${#lines[@]}" -eq 4 ]
  [[ ${lines[2]} == "0x0002c90300000301  port 1"*'"MT25408 ConnectX Mellanox Technologies"' ]]
  run -2 topomap db show --db t.db --unknown --summary
}

@test "db import: ibdiagnet's and opensm's files" {
  run -0 topomap db import --db t.db opensm-lst "$data/subnet.lst"
  has_tokens "$output" '2 host' '2 switch' '6 link' '3 adapter' 1
  run -0 topomap db import --db t.db ibdiagnet "$data/rack.net_dump"
  has_tokens "$output" '2 host' '2 switch' '6 link'
  [ "$(topomap db show --db t.db --summary --json | jq .subnets)" = 2 ]
  run -3 topomap db import --db t.db ibnetdiscover "$data/subnet.lst"
  fails_with 3 subnet.lst:1: opensm-lst
}

@test "db distance: hops, cost, route" {
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  topomap db distance --db t.db node1 node10 --json > d.json
  [ "$(jq -c '[.hops,.route]' d.json)" = '[4,["node1","leaf1","spine1","leaf2","node10"]]' ]
  # Two 4xEDR hops to hosts, at 53.125 / 25.78125 of a 4xHDR hop between switches, and two of those.
  jq -e '.cost * 100 | round == 6122' d.json
  run -0 topomap db distance --db t.db node1 node2
  [[ $output == *"hops   2"*"route  node1 leaf1 node2"* ]]
  run -3 topomap db distance --db t.db node1 nowhere
  [[ $output == *"'nowhere'"* ]]
  run -2 topomap db distance --db t.db node1
}

@test "db import: a bad file is refused with its line, exit 3, and nothing changes" {
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  sum=$(sha256sum t.db)
  head -c 3000 "$data/tree.ibnetdiscover" > cut
  head -c 4096 /dev/urandom > noise
  : > empty
  sed 's/^Switch\t41/Switch\t41000000000/' "$data/tree.ibnetdiscover" > huge
  tac "$data/tree.ibnetdiscover" > backwards
  for bad in cut noise empty huge backwards; do
    run --separate-stderr -3 topomap db import --db t.db ibnetdiscover $bad
    [ -z "$output" ]
    [[ $stderr == *"$bad:"* ]]
  done
  [[ $(sha256sum t.db) == "$sum" ]]
  run -3 topomap db import --db t.db ibnetdiscover missing
  run -2 topomap db import --db t.db nosuchformat "$data/tree.ibnetdiscover"
  [[ $output == *"ibnetdiscover"* ]]
  run -2 topomap db import --db t.db ibnetdiscover
  run -2 topomap db import --db t.db xtdb2proc "$data/gemini.xtdb2proc" --option wrap=maybe
  [[ $(sha256sum t.db) == "$sum" ]]
  [ "$(ls)" = "backwards
cut
empty
huge
noise
t.db" ]
}

@test "db import: an option that the format does not have is refused with those it has" {
  run -2 topomap db import --db t.db xtdb2proc "$data/gemini.xtdb2proc" --option wrap=maybe
  fails_with 2 wrap yes no xz maybe
  run -2 topomap db import --db t.db xtdb2proc "$data/gemini.xtdb2proc" --option warp=yes
  fails_with 2 warp=yes 'wrap=yes|no|AXES' shape=titan
  run -2 topomap db import --db t.db xtdb2proc "$data/gemini.xtdb2proc" --option wrap=yes --option wrap=no
  fails_with 2 wrap
  run -2 topomap db import --db t.db hosts "$data/hosts.map" --option wrap=yes
  fails_with 2 hosts option
  [ ! -e t.db ]
  topomap formats | grep -A1 '^  xtdb2proc' | grep -q 'wrap=yes|no|AXES'
  topomap formats --json | jq -e '.imports[] | select(.name == "xtdb2proc") | .options[0].name == "wrap"'
  topomap help --man db | grep -q '^.B xtdb2proc'
}

@test "db import: what other tools and other modes print is refused by name" {
  printf 'Unicast lids [0x0-0x8c] of switch Lid 2 guid 0x1 (x):\n' > lfts
  printf 'Ca\t : 0x00000000001000ff ports 1 devid 0x0 vendid 0x0 "n1 HCA-1"\n' > list
  printf 'Switch\t8 "Switch1"\n[1]\t"Hca1"[1]\n' > net
  run -3 topomap db import --db t.db ibnetdiscover lfts
  fails_with 3 lfts:1: routing
  run -3 topomap db import --db t.db ibnetdiscover list
  fails_with 3 list:1: -l -H -S -R
  run -3 topomap db import --db t.db ibnetdiscover net
  fails_with 3 net:1: ibsim
  [ ! -e t.db ]
}

@test "db import: a dump with errors of its tool is partial, exit 0, with a warning" {
  { sed -n '1,10p' "$data/tree.ibnetdiscover"
    echo "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,29) bad status 110; Connection timed out"
    sed -n '11,$p' "$data/tree.ibnetdiscover"; } > torn
  run --separate-stderr -0 topomap db import --db t.db ibnetdiscover torn
  [[ $output == *"partial" ]]
  warns_with torn:11: 110
  [ "$(topomap db show --db t.db --summary --json | jq .partial)" = true ]
}

@test "db: reading works in a folder that cannot be written, and leaves nothing there" {
  mkdir ro
  topomap db import --db ro/t.db ibnetdiscover "$data/tree.ibnetdiscover"
  mount -t tmpfs none ro 2>/dev/null && umount ro || skip "cannot mount"
  cp -r ro img && mount --bind img ro && mount -o remount,ro,bind ro
  run -0 topomap db show --db ro/t.db --summary
  run -0 topomap db distance --db ro/t.db node1 node2
  run -4 topomap db import --db ro/t.db ibnetdiscover "$data/tree.ibnetdiscover"
  umount ro
  [ "$(ls img)" = t.db ]
}

@test "db import: node classes from hwloc, for nodes that no fabric knows too" {
  command -v lstopo-no-graphics || skip "no lstopo"
  lstopo-no-graphics --input "pack:2 core:4 pu:2" --of xml node.xml
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  run -2 topomap db import --db t.db hwloc node.xml
  [[ $output == *"--nodes"* ]]
  topomap db import --db t.db hwloc node.xml --nodes 'node[1-2],gpu7'
  sed -i 's/version="2.0"/version="3.0"/' node.xml
  topomap db import --db t.db hwloc node.xml --nodes node10
  [ "$(topomap db show --db t.db --summary --json | jq -c '[.hosts,.classes]')" = '[6,1]' ]
  class=$(topomap db show --db t.db node1 --json | jq -r .class)
  [[ $class == 8c16t-* ]]
  [ "$(topomap db show --db t.db node10 --json | jq -r .class)" = "$class" ]
  [ "$(topomap db show --db t.db node5 --json | jq -r .class)" = null ]
  [ "$(topomap db show --db t.db gpu7 --json | jq -r .status)" = "not in the fabric" ]
  run -0 topomap map --graph stencil2d:5:4x2 --db t.db --nodes node1,node10 --tasks-per-node 4
  [[ $output == *"node10"*"cpus"* ]]
}

@test "db import: Cray tables in either order give the same" {
  topomap db import --db a.db xtprocadmin "$data/gemini.xtprocadmin"
  topomap db import --db a.db xtdb2proc "$data/gemini.xtdb2proc"
  topomap db import --db b.db xtdb2proc "$data/gemini.xtdb2proc"
  topomap db import --db b.db xtprocadmin "$data/gemini.xtprocadmin"
  topomap db show --db a.db > a
  topomap db show --db b.db > b
  cmp a b
  [ "$(topomap db show --db a.db nid00026 --json | jq -r '.status, .attached')" = "down
1,1,2" ]
  [ "$(topomap db distance --db a.db nid00000 nid00023 --json | jq .hops)" = 2 ]
  topomap db import --db a.db xtdb2proc "$data/gemini.xtdb2proc" --option wrap=no
  [ "$(topomap db distance --db a.db nid00000 nid00023 --json | jq .hops)" = 3 ]
}

# ---- Real dumps; counts by grep and awk alone ------------------------------------------------

@test "real: the NDR dump's hosts, unnamed adapters, switches and links" {
  dump="$shared/ib/topograph-dgx-ndr.ibnetdiscover"
  [ -r "$dump" ] || skip "no data"
  hosts=$(grep '^Ca' "$dump" | sed 's/.*# "//; s/".*//' | awk '$2 ~ /^(HCA-|mlx[0-9]+_)/ { print tolower($1) }' | sort -u | wc -l)
  unknown=$(grep '^Ca' "$dump" | sed 's/.*# "//; s/".*//' | grep -v Aggregation | awk '$2 !~ /^(HCA-|mlx[0-9]+_)/' | wc -l)
  switches=$(grep -c '^Switch' "$dump")
  ports=$(grep -c '^\[' "$dump")
  topomap db import --db t.db ibnetdiscover "$dump"
  [ "$(topomap db show --db t.db --summary --json | jq -c '[.hosts,.unknown_adapters,.switches,.links,.topology]')" = \
    "[$hosts,$unknown,$switches,$((ports / 2)),\"fat-tree\"]" ]
}

@test "a database that another program left in WAL mode is imported into, unless it has changes in its log" {
  command -v sqlite3 >/dev/null || skip "no sqlite3"
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  [ "$(sqlite3 t.db 'PRAGMA journal_mode=WAL')" = wal ]
  ln -s t.db link.db
  topomap db import --db link.db ibnetdiscover made/fabric.ibnetdiscover
  [ "$(sqlite3 t.db 'PRAGMA journal_mode; PRAGMA integrity_check' | paste -sd' ')" = "delete ok" ]
  [ "$(topomap db show --db t.db --json | jq length)" = 8 ]
  # sqlite3 goes on while the log is there.
  mkfifo words
  sqlite3 t.db <words >out &
  exec 7>words
  echo "PRAGMA journal_mode=WAL; UPDATE source SET name = 'other'; SELECT 'written';" >&7
  timeout 60 sh -c 'until grep -q written out; do sleep 0.1; done'
  [ -s t.db-wal ]
  for name in t.db link.db; do
    run -3 topomap db import --db "$name" ibnetdiscover made/fabric.ibnetdiscover
    fails_with 3 "$name: " WAL t.db-wal "sqlite3 '$name'" journal_mode=DELETE
  done
  exec 7>&-
  wait
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
}

@test "real: multi-rail hosts, tori and dragonflies are what they are" {
  [ -d "$shared/ib/generated" ] || skip "no data"
  topomap db import --db r.db ibnetdiscover "$shared/ib/generated/rail.ibnetdiscover"
  [ "$(topomap db show --db r.db gpu01 --json | jq -r .attached)" = railA-leaf1,railB-leaf1 ]
  [ "$(topomap db show --db r.db --summary --json | jq .hosts)" = 16 ]
  topomap db import --db t.db ibnetdiscover "$shared/ib/generated/torus.ibnetdiscover"
  topomap db show --db t.db --summary --json > t.json
  [ "$(jq -r .topology t.json)" = torus ]
  [ "$(jq .confidence t.json | cut -c1-3)" = 1.0 ] || [ "$(jq .confidence t.json)" = 1 ]
  has_tokens "$(jq -r .evidence t.json)" 4x4x4 xyz 64 192
  run -0 topomap map --graph torus4d:4x4x4x2 --db t.db --nodes 'tn[0001-0128]' --tasks-per-node 1 --algorithm rb-wrap
  topomap db import --db d.db ibnetdiscover "$shared/ib/generated/dfly-dfsssp.ibnetdiscover"
  topomap db show --db d.db --summary > d
  grep -q '^topology  *dragonfly$' d
  grep -q '\<9 groups .*\<4 switches.*a=4 p=2 h=2' d
  grep -q 'confidence  *1$' d
}

@test "real: Titan's 19200 nodes, and every one's coordinates" {
  [ -r "$shared/cray/titan.map.xz" ] || skip "no data"
  topomap db import --db t.db xtprocadmin "$shared/cray/titan-derived.xtprocadmin.xz"
  topomap db import --db t.db xtdb2proc "$shared/cray/titan-derived.xtdb2proc.xz"
  topomap db show --db t.db --json | jq -r '.[] | "\(.name) \(.type) \(.attached)"' > ours
  xzcat "$shared/cray/titan.map.xz" | awk '{ printf "nid%05d %s %d,%d,%d\n", $1, $3, $4, $5, $6 }' | sort > theirs
  sort ours | cmp - theirs
}

@test "real: Edison's coordinates are groups, chassis and blades; its job's nodes are known" {
  [ -r "$shared/cray/edison-excerpt.xtdb2proc" ] || skip "no data"
  topomap db import --db e.db xtdb2proc "$shared/cray/edison-excerpt.xtdb2proc"
  [ "$(topomap db show --db e.db --summary --json | jq -c '[.hosts,.topology]')" = \
    "[$(grep -c '^cpu=' "$shared/cray/edison-excerpt.xtdb2proc"),\"dragonfly\"]" ]
  nodes=$(jq -r '[.[].nodelist[]] | unique | join(",")' "$shared/cray/edison-job4478544-sacct.json")
  run -0 topomap eval --graph ring:$(tr ',' '\n' <<<"$nodes" | wc -l) --db e.db --nodes "$nodes" --tasks-per-node 1
}
