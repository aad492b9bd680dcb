#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db import of every source that is not InfiniBand: Cray, Slurm, coordinates, lists of
# links, calibrations. Counts of real files are found by grep and awk alone.
bats_require_minimum_version 1.5.0

load ../messages
load imports

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  shared="$TOPOMAP_SOURCE/../shared/data"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
}

cost() { topomap db distance --db "$1" "$2" "$3" --json | jq '.cost * 100 | round'; }

# ---- Cray ------------------------------------------------------------------------------------

@test "xtprocadmin: warnings before the table, other columns, repeated headers, rows without mode" {
  cat > t <<'END'
Warning: the database is slow
   NID    (HEX)    NODENAME     TYPE ARCH  OS CPUS
     1      0x1  c0-0c0s0n1  service   XT CNL    4
   NID    (HEX)    NODENAME     TYPE    STATUS        MODE
    10      0xa  c0-0c0s2n2  compute        up
    11      0xb  c10-12c0s2n3  compute admindown batch
END
  run --separate-stderr -0 topomap db import --db t.db xtprocadmin t
  warns_with t:1: Warning
  [ "$(topomap db show --db t.db --json | jq -c 'map([.name, .status])')" = \
    '[["nid00001","up"],["nid00010","up"],["nid00011","admindown"]]' ]
  topomap db show --db t.db nid000010
}

@test "xtprocadmin and xtdb2proc: what is cut, wrapped or disagrees is refused with its line" {
  head='   NID    (HEX)    NODENAME     TYPE    STATUS        MODE'
  printf '%s\n 12 0xd c0-0c0s3n0 compute up batch\n' "$head" > hex
  printf '%s\n 12 0xc c0-0c0s3n0 compute\nup batch\n' "$head" > wrapped
  printf 'Error: cannot connect to the database\n' > error
  printf ' 12 0xc c0-0c0s3n0 compute up batch\n' > headless
  printf '%s\n' "$head" > empty
  for f in hex:2:'do not agree' wrapped:2:'no STATUS' error:1:'no header line' headless:1:'no header line' empty:1:'no rows'; do
    run -3 topomap db import --db t.db xtprocadmin "${f%%:*}"
    [[ $output == *"${f%%:*}:"*"${f##*:}"* ]]
  done
  sed "0,/processor_status/s/proces\(sor_status\)/proces\n\1/" "$data/gemini.xtdb2proc" > wrapped2
  ! cmp -s wrapped2 "$data/gemini.xtdb2proc" || false
  run -3 topomap db import --db t.db xtdb2proc wrapped2
  [ ! -e t.db ]
}

gemini_links() { # a ring of three routers in X, two links in Y to a second blade
  cat <<'END'
c0-0c0s0g0l00[(0,0,0)] X+ -> c0-0c0s1g0l10[(1,0,0)] LinkType: cable11x
c0-0c0s0g0l01[(0,0,0)] X+ -> c0-0c0s1g0l11[(1,0,0)] LinkType: cable11x
c0-0c0s1g0l10[(1,0,0)] X- -> c0-0c0s0g0l00[(0,0,0)] LinkType: cable11x
c0-0c0s1g0l11[(1,0,0)] X- -> c0-0c0s0g0l01[(0,0,0)] LinkType: cable11x
c0-0c0s1g0l12[(1,0,0)] X+ -> c0-0c0s2g0l10[(2,0,0)] LinkType: cable11x
c0-0c0s1g0l13[(1,0,0)] X+ -> c0-0c0s2g0l11[(2,0,0)] LinkType: cable11x
c0-0c0s2g0l10[(2,0,0)] X- -> c0-0c0s1g0l12[(1,0,0)] LinkType: cable11x
c0-0c0s2g0l11[(2,0,0)] X- -> c0-0c0s1g0l13[(1,0,0)] LinkType: cable11x
c0-0c0s0g0l20[(0,0,0)] Y+ -> c0-0c0s0g1l20[(0,1,0)] LinkType: mezzanine
c0-0c0s0g1l20[(0,1,0)] Y- -> c0-0c0s0g0l20[(0,0,0)] LinkType: mezzanine
c0-0c0s0g1l30[(0,1,0)] Y+ -> unused
END
}
nodes() { # NODENAME...
  echo "   NID    (HEX)    NODENAME     TYPE    STATUS        MODE"
  local nid=0
  for name in "$@"; do
    printf '%6d %#8x  %s  compute  up  batch\n' $nid $nid "$name"
    nid=$((nid + 1))
  done
}

@test "cray-links: Gemini's pairs of routers, two nodes each; a pair's rate is all its links'" {
  gemini_links > g.links
  nodes c0-0c0s0n0 c0-0c0s0n1 c0-0c0s0n2 c0-0c0s1n0 c0-0c0s2n1 > g.nodes
  topomap db import --db a.db cray-links g.links
  topomap db import --db a.db xtprocadmin g.nodes
  topomap db import --db b.db xtprocadmin g.nodes
  topomap db import --db b.db cray-links g.links
  [ "$(summary a.db hosts switches links topology)" = '[5,4,5,"torus"]' ]
  topomap db show --db a.db > a; topomap db show --db b.db > b; cmp a b
  [ "$(topomap db show --db a.db nid00002 --json | jq -r .attached)" = 0,1,0 ]
  # One router: 0 hops. Two cables of 9.375 Gb/s are what most pairs have: 10 tenths. One mezzanine
  # link of 18.75 Gb/s is the same; leaving a node is 10.
  [ "$(hops a.db nid0 nid1) $(cost a.db nid0 nid1)" = "0 1000" ]
  [ "$(hops a.db nid0 nid4) $(cost a.db nid0 nid4)" = "2 3000" ]
  [ "$(hops a.db nid0 nid2) $(cost a.db nid0 nid2)" = "1 2000" ]
  # With one of its two cables a pair costs twice as much.
  grep -v 'l13.*l11\|l11.*l13' g.links > thin
  topomap db import --db a.db cray-links thin
  [ "$(hops a.db nid0 nid4) $(cost a.db nid0 nid4)" = "2 4000" ]
}

@test "cray-links: SeaStar has a router a node; one-sided lists warn; two peers of a port do not" {
  cat > s <<'END'
c0-0c0s0s0l0[(0,0,0)] X+ -> c0-0c0s0s1l1[(1,0,0)]
c0-0c0s0s1l1[(1,0,0)] X- -> c0-0c0s0s0l0[(0,0,0)]
c0-0c0s0s1l0[(1,0,0)] X+ -> c0-0c0s0s2l1[(2,0,0)]
END
  nodes c0-0c0s0n0 c0-0c0s0n1 c0-0c0s0n2 > n
  run --separate-stderr -0 topomap db import --db t.db cray-links s
  warns_with 1 2
  topomap db import --db t.db xtprocadmin n
  [ "$(hops t.db nid0 nid2)" = 2 ]
  echo 'c0-0c0s0s0l0[(0,0,0)] X+ -> c0-0c0s0s2l2[(2,0,0)]' >> s
  run -3 topomap db import --db u.db cray-links s
  fails_with 3 'port 1' c0-0c0s0s0
  sed -i '$d; s/^\(c0-0c0s0s1l0\)\[(1,0,0)\]/\1[(5,0,0)]/' s
  run -3 topomap db import --db u.db cray-links s
  fails_with 3 s:3: c0-0c0s0s1
  head -c 60 s > cut
  run -3 topomap db import --db u.db cray-links cut
  : > none
  run -3 topomap db import --db u.db cray-links none
  [ ! -e u.db ]
}

@test "real: Theta's Aries list: routers, cables, and hops by breadth-first search over its lines" {
  list="$shared/cray/theta-aries.interconnect.xz"
  [ -r "$list" ] || skip "no data"
  xzcat "$list" | awk '$4 != "unused" && $4 != "processor"' > lines
  routers=$(xzcat "$list" | sed 's/a0l.*//' | sort -u | wc -l)
  run --separate-stderr -0 topomap db import --db t.db cray-links "$list"
  [ -z "$stderr" ]
  [ "$(summary t.db switches links topology)" = "[$routers,$(($(wc -l < lines) / 2)),\"dragonfly\"]" ]
  picks="c0-0c0s0 c0-0c0s7 c1-0c2s15 c0-0c1s0 c10-0c0s3 c5-1c1s9 c3-1c0s1"
  nodes $(for p in $picks; do echo "${p}n0"; done) > n
  topomap db import --db t.db xtprocadmin n
  sed 's/a0l[0-7]*([0-9:]*)//g' lines | awk -v picks="$picks" '
    { if (!(($1, $4) in seen)) { seen[$1, $4] = 1; near[$1] = near[$1] " " $4 } }
    END {
      n = split(picks, p, " ")
      for (i = 1; i <= n; i++) {
        delete d; d[p[i]] = 0; head = 0; tail = 1; q[0] = p[i]
        while (head < tail) {
          at = q[head++]; m = split(near[at], w, " ")
          for (k = 1; k <= m; k++) if (!(w[k] in d)) { d[w[k]] = d[at] + 1; q[tail++] = w[k] }
        }
        for (j = 1; j <= n; j++) printf "%d %d %d\n", i - 1, j - 1, d[p[j]]
      }
    }' > theirs
  for i in 0 1 2 3 4 5 6; do for j in 0 1 2 3 4 5 6; do
    echo "$i $j $(hops t.db nid$i nid$j)"
  done; done > ours
  cmp ours theirs
  # Its coordinates are what the shape of its floor gives; another floor's are not.
  topomap db import --db t.db cray-links "$list" --option shape=theta
  run -3 topomap db import --db t.db cray-links "$list" --option shape=edison
  fails_with 3 edison
}

@test "real: Titan's coordinates from its shape, from its tables and from its map are the same" {
  [ -r "$shared/cray/titan.map.xz" ] || skip "no data"
  topomap db import --db shape.db xtprocadmin "$shared/cray/titan-derived.xtprocadmin.xz" --option shape=titan
  topomap db import --db map.db coordinates "$shared/cray/titan.map.xz"
  for db in shape map; do
    topomap db show --db $db.db --json | jq -r '.[] | "\(.name) \(.attached)"' | sort > $db
  done
  xzcat "$shared/cray/titan.map.xz" | awk '{ printf "nid%05d %d,%d,%d\n", $1, $4, $5, $6 }' | sort > theirs
  cmp shape theirs
  cmp map theirs
  [ "$(summary map.db hosts switches topology)" = '[19200,9600,"torus"]' ]
  # A shape of another floor is refused with a node that shows it, in either order.
  run -3 topomap db import --db map.db xtprocadmin "$shared/cray/titan-derived.xtprocadmin.xz" --option shape=xt-class3:columns=24,rows=8
  fails_with 3 nid shape
  topomap db import --db late.db xtprocadmin "$shared/cray/titan-derived.xtprocadmin.xz" --option shape=xt-class3:columns=25,rows=9
  run -3 topomap db import --db late.db coordinates "$shared/cray/titan.map.xz"
  run -2 topomap db import --db late.db xtprocadmin "$shared/cray/titan-derived.xtprocadmin.xz" --option shape=atlantis
}

@test "real: the excerpts of xtprocadmin, Edison's shape, Slingshot's tables" {
  [ -r "$shared/cray/edison-excerpt.xtdb2proc" ] || skip "no data"
  topomap db import --db d.db xtprocadmin "$shared/cray/daint-xtprocadmin-excerpt.txt"
  [ "$(summary d.db hosts)" = "[$(grep -c ' c[0-9]*-[0-9]*c' "$shared/cray/daint-xtprocadmin-excerpt.txt")]" ]
  topomap db import --db e.db xtdb2proc "$shared/cray/edison-excerpt.xtdb2proc" --option shape=edison
  run -3 topomap db import --db e.db xtdb2proc "$shared/cray/edison-excerpt.xtdb2proc" --option shape=theta
  table="$shared/cray/slingshot-stt-show-fabric.txt"
  # A pair of jacks has as many links as the end with more rows lists, down ports left out.
  links=$(awk -F'|' '/^\| x/ && $7 !~ /False/ { gsub(/ /, ""); a = $2; sub(/p.*/, "", a)
      n[a, $4]++; if (a < $4) pair[a, $4] = a " " $4; else pair[$4, a] = $4 " " a }
    END { for (p in pair) { split(pair[p], e, " "); x = n[e[1], e[2]]; y = n[e[2], e[1]]; s += x > y ? x : y } print s }' "$table")
  run --separate-stderr -0 topomap db import --db s.db cray-links "$table"
  [[ $stderr == *truncated* ]]
  [ "$(summary s.db switches links partial)" = "[4,$links,true]" ]
  run -3 topomap db import --db s.db cray-links "$shared/cray/slingshot-fmn-show-status-details.txt"
  [[ $output == *"fmn-show-status"* ]]
}

# ---- Coordinates -----------------------------------------------------------------------------

@test "coordinates: any number of dimensions, wrapping in each or not" {
  printf '# five dimensions\nn0 0 0 0 0 0\nn1 3 0 0 0 1\nn2 0 3 0 0 0\n' > five
  topomap db import --db t.db coordinates five --option dims=4x4x4x4x2 --option wrap=ac
  [ "$(hops t.db n0 n1) $(hops t.db n0 n2) $(cost t.db n0 n1)" = "2 3 3000" ]
  topomap db import --db t.db coordinates five --option dims=4x4x4x4x2
  [ "$(hops t.db n0 n1) $(hops t.db n0 n2)" = "2 1" ]
  topomap db import --db t.db coordinates five --option wrap=none
  [ "$(summary t.db topology) $(hops t.db n0 n1)" = '["mesh"] 4' ]
  run -0 topomap map --graph ring:6 --db t.db --nodes n0,n1,n2 --tasks-per-node 2
  run -3 topomap db import --db t.db coordinates five --option dims=2x4x4x4x2
  fails_with 3 n1 3,0,0,0,1 2x4x4x4x2
  run -2 topomap db import --db t.db coordinates five --option dims=4x4
  run -2 topomap db import --db t.db coordinates five --option wrap=xq
  printf 'n0 0 0\nn1 0\n' > uneven
  printf 'n0 0 0\nn0 0 1\n' > twice
  printf 'n0 0 0 0 0 0 0 0 0 0\n' > nine
  printf 'n0 70000\n' > large
  for f in uneven twice nine large; do run -3 topomap db import --db u.db coordinates $f; done
  [ ! -e u.db ]
}

@test "coordinates: Gemini node maps with a first line; their last number is a NIC" {
  printf '3 4\nnid00010 0 0 1 0\nnid00011 0 0 1 1\nnid00012 0 2 1 0\n' > map
  topomap db import --db t.db coordinates map
  [ "$(topomap db show --db t.db nid11 --json | jq -r .attached) $(hops t.db nid10 nid000011)" = "0,0,1 0" ]
  sed -i 1d map
  topomap db import --db u.db coordinates map
  [ "$(hops u.db nid10 nid12)" = 1 ] # 2 of 3 around
  printf '4 3\nnid00010 0 0 1 0\n' > cut
  run -3 topomap db import --db u.db coordinates cut
  fails_with 3 4 1
}

@test "bluegene: X,Y,Z,T rows of cores, locations; a small partition is a mesh" {
  for x in 0 1 2 3; do for t in 0 1; do echo "b$x <$x,0,0,$t>"; done; done > p
  topomap db import --db t.db bluegene p
  [ "$(summary t.db hosts topology) $(hops t.db b0 b3)" = '[4,"mesh"] 3' ]
  topomap db import --db t.db bluegene p --option wrap=yes
  [ "$(summary t.db topology) $(hops t.db b0 b3)" = '["torus"] 1' ]
  for i in $(seq 0 511); do echo "b$i $((i % 8)),$((i / 8 % 8)),$((i / 64)),0"; done > midplane
  topomap db import --db m.db bluegene midplane
  [ "$(summary m.db topology) $(hops m.db b0 b7)" = '["torus"] 1' ]
  printf 'R00-M0-N00-J00-C00 0,0,0,0,0,0\nR00-M0-N02-J10-C03 0,0,1,2,1,3\n' > q
  topomap db import --db q.db bluegene q --option dims=4x4x4x4x2
  [ "$(hops q.db R00-M0-N00-J00 R00-M0-N02-J10)" = 4 ]
}

# ---- Links -----------------------------------------------------------------------------------

@test "links: hosts, switches, rates; from both ends; hosts on several switches are named" {
  cat > l <<'END'
from,port,to,port,Gb/s
node1,1,leaf1,1,100
node2,1,leaf1,2,100
leaf1,2,node2,1,100
node3,,leaf2,,50
leaf1,9,"core, one",1,100
"core, one",2,leaf2,9,100,optical
END
  topomap db import --db t.db links l
  [ "$(summary t.db hosts switches links subnets)" = '[3,3,5,1]' ]
  [ "$(topomap db distance --db t.db node1 node3 --json | jq -c .route)" = \
    '["node1","leaf1","core, one","leaf2","node3"]' ]
  [ "$(hops t.db node1 node3) $(cost t.db node1 node3)" = "4 5000" ] # a hop at half the rate is 20
  printf 'gpu1,1,a,1,100\ngpu1,2,b,1,100\ngpu2,1,a,2,100\ngpu2,2,b,2,100\n' > rails
  topomap db import --db r.db links rails --option hosts='gpu[1-2]'
  [ "$(summary r.db hosts switches links) $(hops r.db gpu1 gpu2)" = '[2,2,4] 2' ]
  (echo '# hosts: gpu[1-2]'; cat rails) > named
  topomap db import --db n.db links named
  [ "$(summary n.db hosts switches links)" = '[2,2,4]' ]
  printf 'gpu1 node01\n' > map
  topomap db import --db n.db hosts map
  [ "$(hops n.db node01 gpu2) $(hops n.db gpu1 gpu2)" = "2 2" ]
  printf 'a,1,s,1,10\nb,1,s,1,10\n' > port
  printf 'a,x,s,1,10\nb,1,s,q,10\n' > number
  printf '# hosts: a,b\na,1,b,1,10\n' > direct
  printf 'a,1,s\n' > short
  for f in port number direct short; do run -3 topomap db import --db u.db links $f; done
  [ ! -e u.db ]
}

# ---- Slurm -----------------------------------------------------------------------------------

@test "slurm-topology: trees as graphs, in any order, with continued lines" {
  cat > topology.conf <<'END'
switchname=top Switches=s[1-2] LinkSpeed=100   # two parents each
SwitchName=top2 Switches=s[1-2]
SwitchName=s1 \
  Nodes=a[1-2]b[3-4],n[01-02]
SWITCHNAME=s2 NODES="n[03-04]"
END
  topomap db import --db t.db slurm-topology topology.conf
  [ "$(summary t.db hosts switches links topology)" = '[8,4,12,"tree"]' ]
  [ "$(hops t.db a1b3 n02) $(hops t.db a2b4 n04)" = "2 4" ]
  [ "$(topomap db show --db t.db n03 --json | jq -r .attached,.status)" = "s2
up" ]
  run -0 topomap map --graph ring:4 --db t.db --nodes n[01-04] --tasks-per-node 1
}

@test "slurm-topology: the fabric's own links win; Slurm's are for nodes that it lacks" {
  printf 'SwitchName=s1 Nodes=node[1-2]\nSwitchName=s2 Nodes=node[10,77]\nSwitchName=s3 Switches=s[1-2]\n' > c
  topomap db import --db a.db slurm-topology c
  topomap db import --db a.db ibnetdiscover "$data/tree.ibnetdiscover"
  topomap db import --db b.db ibnetdiscover "$data/tree.ibnetdiscover"
  topomap db import --db b.db slurm-topology c
  topomap db show --db a.db > a; topomap db show --db b.db > b; cmp a b
  [ "$(topomap db distance --db a.db node1 node10 --json | jq -r '.route[2]')" = spine1 ]
  [ "$(topomap db distance --db a.db node1 node77 --json | jq -r '.route[2]')" = s3 ]
  [ "$(topomap db show --db a.db node77 --json | jq -r .status)" = "not in the fabric" ]
  run -0 topomap eval --graph ring:3 --db a.db --nodes node1,node2,node77 --tasks-per-node 1
}

@test "slurm-topology: blocks aggregate, rings and tori are what they are" {
  printf 'BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\nBlockSizes=2,4\n' > b
  topomap db import --db b.db slurm-topology b
  [ "$(summary b.db hosts switches topology)" = '[6,3,"block"]' ]
  [ "$(hops b.db n1 n2) $(hops b.db n1 n3) $(hops b.db n1 n6)" = "2 4 6" ]
  # As 23.11 says it.
  sed s/BlockSizes=2,4/BlockLevels=0-1/ b > l
  topomap db import --db l.db slurm-topology l
  [ "$(hops l.db n1 n2) $(hops l.db n1 n3) $(hops l.db n1 n6)" = "2 4 6" ]
  for f in 1- 16 1-0 a 0,,1; do
    sed "s/BlockSizes=2,4/BlockLevels=$f/" b > bad
    run -3 topomap db import --db none.db slurm-topology bad
    fails_with 3 bad:4: levels
  done
  echo 'RingName=r Nodes=n[5,1-4,6]' > r
  topomap db import --db r.db slurm-topology r
  [ "$(summary r.db topology) $(hops r.db n5 n1) $(hops r.db n5 n6) $(hops r.db n5 n3)" = '["ring"] 1 1 3' ]
  cat > t.yaml <<'END'
- {topology: t, torus3d: {toruses: [{name: p, dims: {x: 4, y: 2, z: 1}, regions: [
    {anchor: {x: 0, y: 0, z: 0}, dims: {x: 4, y: 1, z: 1}, nodes: "n[1-4]"},
    {anchor: {x: 0, y: 1, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: "n[5-6]"}]}]}}
END
  topomap db import --db t.db slurm-topology t.yaml
  [ "$(summary t.db topology) $(hops t.db n1 n4) $(hops t.db n3 n5) $(hops t.db n2 n6)" = '["torus"] 1 3 1' ]
}

@test "slurm-topology: what Slurm refuses is refused with its line" {
  local -A bad=(
    [both]='SwitchName=a Nodes=n1 Switches=b' [orphan]='SwitchName=a Switches=b'
    [loop]=$'SwitchName=a Switches=b\nSwitchName=b Switches=a' [twice]=$'SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2'
    [word]='SwitchName=a Nodez=n1' [mixed]=$'SwitchName=a Nodes=n1\nBlockName=b Nodes=n2'
    [sizes]=$'BlockName=a Nodes=n[1-2]\nBlockSizes=2,6' [blocks]=$'BlockName=a Nodes=n1\nBlockName=b Nodes=n1'
    [ring]='RingName=a Nodes=n[1-17]' [none]='# nothing' [list]='SwitchName=a Nodes=n[1-'
    [root]='a: b' [treelist]='- {topology: t, tree: [1]}' [switches]='- {topology: t, tree: {switches: 1}}'
    [two]='- {topology: t, flat: true, block: {block_sizes: [1], blocks: []}}'
    [twodict]='- {topology: t, flat: {alpha_step_rank: true}, tree: {switches: []}}'
    [noname]='- {flat: true}' [nokind]='- {topology: t}' [same]='[{topology: t, flat: true}, {topology: t, flat: true}]'
    [rings]='- {topology: t, ring: {rings: {}}}' [toruses]='- {topology: t, torus3d: {toruses: 3}}'
    [fit]='- {topology: t, torus3d: {toruses: [{name: p, dims: {x: 2, y: 2, z: 1}, nodes: "n[1-3]"}]}}'
    [regions]='- {topology: t, torus3d: {toruses: [{name: p, dims: {x: 1, y: 1, z: 1}, regions: 1}]}}'
    [placements]='- {topology: t, torus3d: {toruses: [{name: p, dims: {x: 1, y: 1, z: 1}, nodes: n, placements: 1}]}}'
    [ysizes]='- {topology: t, block: {block_sizes: [4, 12], blocks: [{block: b, nodes: "n[1-4]"}]}}'
    [yaml]='- {topology: t' )
  for name in "${!bad[@]}"; do
    printf '%s\n' "${bad[$name]}" > "$name"
    run -3 topomap db import --db t.db slurm-topology "$name"
    [[ $output == *"$name:"[0-9]* ]]
  done
  [ ! -e t.db ]
}

@test "real: Slurm's own and generated topology files" {
  [ -d "$shared/slurm" ] || skip "no data"
  printf 'ClusterName=c\nSlurmctldHost=localhost\n' > slurm.conf
  export SLURM_CONF=$PWD/slurm.conf
  for f in "$shared"/slurm/*.conf; do
    units=$(grep -ciE '^[[:space:]]*(switch|block)name=' "$f")
    topomap db import --db t.db slurm-topology "$f"
    # Hosts by Slurm's own expansion of host lists.
    if command -v scontrol > /dev/null; then
      hosts=$(grep -oiE '[[:space:]]nodes=[^ ]+' "$f" | sed 's/.*=//' | while read -r list; do scontrol show hostnames "$list"; done | sort -u | wc -l)
      [ "$(summary t.db hosts switches)" = "[$hosts,$units]" ]
    else
      [ "$(summary t.db switches)" = "[$units]" ]
    fi
  done
  yaml="$shared/slurm/slurm-manpage.topology.yaml"
  topomap db import --db y.db slurm-topology "$yaml"
  [ "$(summary y.db switches topology)" = '[3,"tree"]' ]
  [ "$(hops y.db node01 node02) $(hops y.db node01 node03)" = "2 4" ]
  topomap db import --db y.db slurm-topology "$yaml" --option topology=topo5
  [ "$(hops y.db node01 node11)" = 4 ] # 2,2,0 of 4x4x2
  run -2 topomap db import --db y.db slurm-topology "$yaml" --option topology=topo99
  for f in "$shared"/slurm/topograph-model*.yaml "$shared"/ib/topograph-netq*.json "$shared"/other/*; do
    run -3 topomap db import --db none.db slurm-topology "$f"
  done
  run -3 topomap db import --db none.db slurm-topology "$shared/slurm/topograph-model-medium.yaml"
  fails_with 3 topograph
  run -3 topomap db import --db none.db links "$shared/ib/topograph-netq-topologyGraph.json"
  [[ $output == *"NetQ's JSON"* ]]
  [ ! -e none.db ]
}

# ---- Costs -----------------------------------------------------------------------------------

@test "calibration: measured costs take the place of ratios, between nodes and inside them" {
  cat > c <<'END'
level,latency_us,bandwidth_MBps
core,0,50000
node,0,20000
hop,0,25000
hop:4xEDR,0.65536,20000
END
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  topomap db import --db t.db calibration c --option size=65536
  # 4xHDR between switches: 10 a hop; 4xEDR to hosts: (0.01 + 0.05) / 0.04 ns = 1.5 hops.
  [ "$(cost t.db node1 node10)" = 5000 ]
  topomap db import --db u.db calibration c
  topomap db import --db u.db ibnetdiscover "$data/tree.ibnetdiscover"
  [ "$(cost u.db node1 node10)" = 5000 ]
  # Two ranks on each of two nodes with no known inside: 12.5 inside a node, 30 across a leaf.
  j=$(topomap eval --graph ring:4 --db t.db --nodes node1,node2 --tasks-per-node 2 --json | jq .J)
  w=$(topomap eval --graph ring:4 --db t.db --nodes node1,node2 --tasks-per-node 2 --json | jq '.hop_bytes / 4')
  jq -en "($j - 2 * $w * (12.5 + 30)) | fabs < 1"
  for bad in 'node,1,1' 'hop,1' 'hop,-1,1' 'hop,1,0' $'hop,1,1\nhop,1,1' $'hop,1,1\nwarp,1,1'; do
    printf '%s\n' "$bad" > bad
    run -3 topomap db import --db t.db calibration bad
  done
}

# ---- hwloc -----------------------------------------------------------------------------------

repeat() { yes -- "$1" | head -n "$2" | paste -sd' '; } # TEXT TIMES

@test "text that would take a parser time by the square of its size is refused before it gets it" {
  local format
  # libyaml: the depth, in both styles, and the anchors.
  repeat '[' 20000 >flow.yaml
  { echo '# a comment'; repeat '{"[":' 20000; } >mixed.yaml
  repeat - 20000 >block.yaml
  seq -f '- &a%.0f x' 20000 >anchors.yaml
  for format in slurm-topology topograph; do
    run -3 topomap db import --db t.db "$format" mixed.yaml
    fails_with 3 mixed.yaml:2 64
    run -3 topomap db import --db t.db "$format" block.yaml
    fails_with 3 block.yaml:1 64
    run -3 topomap db import --db t.db "$format" anchors.yaml
    fails_with 3 anchors.yaml:101 100
  done
  run -3 topomap db import --db t.db slurm-topology flow.yaml
  fails_with 3 flow.yaml:1 64
  # jansson has a limit of its own.
  repeat '[' 200000 >deep.json
  for format in topograph aws-topology netq lldp; do
    run -3 topomap db import --db t.db "$format" deep.json
    fails_with 3 deep.json:1
  done
  # libxml2, by hwloc: attributes and depth.
  { echo '<topology version="2.0">'; echo "<object type=\"Machine\" $(seq -f 'a%.0f="1"' 20000 | paste -sd' ')></object></topology>"; } >attributes.xml
  { echo '<topology version="2.0">'; repeat '<object>' 20000; } >depth.xml
  echo '<topologydiff></topologydiff>' >diff.xml
  for format in attributes depth; do
    run -3 topomap db import --db t.db hwloc "$format.xml" --nodes n1
    fails_with 3 "$format.xml:2" 64
    run -3 topomap db import --db t.db hwloc diff.xml --nodes n1 --option "base=$format.xml"
    fails_with 3 "$format.xml:2" 64
  done
  printf '<topology version="2.0">\n</topology>\0<object>' >nul.xml
  run -3 topomap db import --db t.db hwloc nul.xml --nodes n1
  fails_with 3 nul.xml:2 NUL
  [ ! -e t.db ]
}

@test "hwloc: a difference is applied to the topology that it refers to" {
  command -v hwloc-diff || skip "no hwloc-diff"
  lstopo-no-graphics --input "pack:2 core:4 pu:2" --of xml base.xml
  hwloc-annotate base.xml base.xml root info HostName n1
  sed 's/\(name="HostName" value="\)n1"/\1n2"/' base.xml > other.xml
  ! cmp -s base.xml other.xml || false
  hwloc-diff base.xml other.xml diff.xml
  grep -q '<topologydiff' diff.xml
  run -3 topomap db import --db t.db hwloc diff.xml
  [[ $output == *"base.xml"*"--option base=FILE"* ]]
  topomap db import --db t.db hwloc base.xml
  topomap db import --db t.db hwloc diff.xml --option base=base.xml
  [ "$(topomap db show --db t.db --json | jq -r 'map(.name) | join(",")')" = n1,n2 ]
  [ "$(topomap db show --db t.db --json | jq -r 'map(.class) | unique | length')" = 1 ]
  lstopo-no-graphics --input "pack:1 core:2 pu:1" --of xml small.xml
  run -3 topomap db import --db t.db hwloc diff.xml --option base=small.xml
  head -c 150 diff.xml > cut.xml
  run -3 topomap db import --db t.db hwloc cut.xml --option base=base.xml
  [ "$(topomap db show --db t.db --json | jq length)" = 2 ]
}

@test "real: every hwloc XML: cores and PUs as its text has them" {
  [ -d "$shared/hwloc" ] || skip "no data"
  for f in "$shared"/hwloc/*.xml; do
    topomap db import --db t.db hwloc "$f" --nodes x
    class=$(topomap db show --db t.db x --json | jq -r .class)
    # PUs: objects of type PU; those outside the allowed set are left out, and their cores.
    pus=$(grep -o '<object type="PU"' "$f" | wc -l)
    cores=$(grep -o '<object type="Core"' "$f" | wc -l)
    case $f in
      *disallowed*) [[ $class =~ ^[0-9]+c[0-9]+t- ]] ;;
      *) [[ $class == ${cores}c${pus}t-* ]] || { echo "$f: $class, not $cores cores and $pus PUs"; false; } ;;
    esac
  done
}

@test "links: who is a host is said, and what cannot be one is refused" {
  printf '# all hosts:\nsw a,1,sw b,1,100\n' >switches.csv
  topomap db import --db s.db links switches.csv
  [ "$(topomap db show --db s.db --summary --json | jq -c '[.hosts,.switches,.links]')" = '[0,2,1]' ]
  printf '# all hosts: a\na,1,s1,1,100\nb,1,s1,2,100\n' >one.csv
  topomap db import --db o.db links one.csv
  [ "$(topomap db show --db o.db --summary --json | jq -c '[.hosts,.switches,.links]')" = '[1,2,2]' ]
  printf 'a,1,s1,1,100\nb,1,s1,2,100\na,2,b,2,100\n# hosts: a,b\n' >direct.csv
  run -3 topomap db import --db d.db links direct.csv
  fails_with 3 direct.csv:3: "'a'" "'b'"
  printf '"n 1",1,s1,1,100\nn2,1,s1,2,100\n' >blank.csv
  run -3 topomap db import --db d.db links blank.csv
  fails_with 3 "'n 1'"
  [ ! -e d.db ]
}

@test "links and coordinates under a new file name replace what they said of the same network" {
  printf 'n1,1,s1,1,100\nn2,1,s1,2,100\n' >monday.csv
  printf 'n1,1,s1,1,200\nn3,1,s1,2,200\n' >tuesday.csv
  printf 'm1,1,t1,1,100\nm2,1,t1,2,100\n' >elsewhere.csv
  for file in monday elsewhere tuesday; do topomap db import --db l.db links $file.csv; done
  [ "$(topomap db show --db l.db --json | jq -r '[.[].name] | join(",")')" = m1,m2,n1,n3 ]
  printf 'a 1 2\nb 3 4\nc 1 1\n' >first
  printf 'a 1 2\nb 2 4\n' >second
  topomap db import --db c.db coordinates first
  topomap db import --db c.db coordinates second
  [ "$(topomap db show --db c.db --json | jq -r '[.[].name] | join(",")')" = a,b ]
}

@test "db distance --pairs goes on after a pair without an answer" {
  printf 'a 1 2\nb 3 4\n' >places
  topomap db import --db c.db coordinates places
  printf 'a b\na nowhere\nb a\n' >pairs
  run --separate-stderr -3 topomap db distance --db c.db --pairs pairs
  [ "$(cut -d' ' -f1-3 <<<"$output")" = "$(printf 'a b 4\na nowhere -\nb a 4')" ]
  [[ $stderr == *"pairs:2: "*"'nowhere'"* ]]
  run --separate-stderr -3 topomap db distance --db c.db --pairs pairs --json
  [ "$(jq -s -c 'map(.hops)' <<<"$output")" = '[4,null,4]' ]
}
