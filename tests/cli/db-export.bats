#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db export
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  shared="$TOPOMAP_SOURCE/../shared/data"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
  # Two pods of 2 leaves and 2 spines, 2 cores; 2 nodes a leaf.
  for p in 1 2; do
    for l in 1 2; do
      leaf=$(((p - 1) * 2 + l))
      for h in 1 2; do echo "leaf$leaf $h node$(((leaf - 1) * 2 + h))/mlx5_0 1 4xEDR"; done
      for s in 1 2; do echo "leaf$leaf $((20 + s)) spine$p-$s $l 4xHDR"; done
    done
    for s in 1 2; do echo "spine$p-$s 21 core$s $p 4xHDR"; done
  done > links
  make links
}

make() { # LINKS: the database t.db of them
  rm -f t.db
  awk -f "$TOPOMAP_SOURCE/tests/cli/fabric.awk" "$1" > dump
  topomap db import --db t.db ibnetdiscover dump
}

teardown() {
  [ -z "$controller" ] || kill -KILL "$controller"
}

# What a real slurmctld makes of topology.conf: `scontrol show topology`, in the file topology.
slurm_reads() { # HOSTLIST < topology.conf
  command -v slurmctld scontrol > /dev/null || skip "no slurm"
  [ "$(id -u)" -eq 0 ] || skip "slurmctld needs root here"
  local port=$((20000 + $$ % 12000))
  mkdir -p state
  cat > topology.conf
  # Another's port is no sign of life: who answers must have this controller's name.
  while (exec 4<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do port=$((port + 1)); done
  cat > slurm.conf <<END
ClusterName=check$$
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
TopologyPlugin=topology/tree
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/slurmctld.pid
NodeName=$1 NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
END
  export SLURM_CONF=$PWD/slurm.conf
  setpriv --pdeathsig KILL slurmctld -D -i -f slurm.conf > slurmctld.log 2>&1 3>&- &
  controller=$!
  for i in $(seq 600); do
    scontrol show config 2> err | grep -q "^ClusterName *= check$$\$" && break
    kill -0 "$controller" || { cat slurmctld.log; controller=; return 1; }
    sleep 0.1
  done
  scontrol show topology > topology
  grep -q SwitchName topology
  ! grep -iE 'switch|topolog' slurmctld.log | grep -iE 'error|warn|invalid|fatal'
}

@test "db export slurm-topology: one tree, that slurmctld takes" {
  topomap db export --db t.db --to slurm-topology > conf
  grep -v '^#' conf > lines
  cat > expected <<'END'
SwitchName=leaf1 Nodes=node[1-2]
SwitchName=leaf2 Nodes=node[3-4]
SwitchName=leaf3 Nodes=node[5-6]
SwitchName=leaf4 Nodes=node[7-8]
SwitchName=spine1-1 Switches=leaf[1-2]
SwitchName=spine2-1 Switches=leaf[3-4]
SwitchName=core1 Switches=spine1-1,spine2-1
END
  cmp lines expected
  slurm_reads 'node[1-8]' < conf
  grep -q '^SwitchName=leaf3 Level=0 LinkSpeed=1 Nodes=node\[5-6\]' topology
  grep -q '^SwitchName=spine1-1 Level=1 .*Nodes=node\[1-4\] Switches=leaf\[1-2\]' topology
  grep -q '^SwitchName=core1 Level=2 .*Nodes=node\[1-8\]' topology
}

@test "db export slurm-topology: rails, service nodes on spines, names that Slurm cannot have" {
  sed 's/leaf1 /A0;leaf:1,a /' links > odd
  for n in 1 2 3 4; do echo "railB 1$n node$n/mlx5_1 1 4xEDR"; done >> odd
  echo "spine2-1 30 io1/mlx5_0 1 4xEDR" >> odd
  make odd
  topomap db export --db t.db --to slurm-topology > conf
  # node1..4 hang on railB too, so that its leaf and theirs are one group.
  [ "$(grep -o 'Nodes=.*' conf | sort | paste -sd' ')" = 'Nodes=io1 Nodes=node[1-4] Nodes=node[5-6] Nodes=node[7-8]' ]
  grep -q '^SwitchName=spine2-1_hosts Nodes=io1$' conf
  grep -q '^SwitchName=A0_leaf_1_a Nodes=node\[1-4\]' conf
  slurm_reads 'node[1-8],io1' < conf
  grep -q 'Nodes=io1,node\[1-8\] Switches=' topology || grep -q 'Nodes=io1,node\[5-8\] Switches=' topology
}

@test "db export slurm-topology: a torus has its switches below one" {
  i=0
  for x in 0 1 2 3 4; do
    for y in 0 1 2 3; do
      echo "sw$x$y 1 sw$(((x + 1) % 5))$y 2 4xHDR"
      echo "sw$x$y 3 sw$x$(((y + 1) % 4)) 4 4xHDR"
      i=$((i + 1)); echo "sw$x$y 5 t$i/mlx5_0 1 4xHDR"
    done
  done > torus
  make torus
  [ "$(topomap db show --db t.db --summary --json | jq -r .evidence | cut -d' ' -f1)" = 5x4 ]
  topomap db export --db t.db --to slurm-topology > conf
  [ "$(grep -c '^SwitchName=sw[0-4][0-3] Nodes=t[0-9]*$' conf)" -eq 20 ]
  slurm_reads 't[1-20]' < conf
  grep -q 'Level=1 .*Nodes=t\[1-20\]' topology
}

@test "db export links: every cable once, by names; a job's hosts and the switches between them" {
  topomap db export --db t.db --to links -o all.csv
  head -1 all.csv | grep -q '^# all hosts: node\[1-8\]$'
  # The generator's own list, end by end.
  norm() { awk -F, '{ a = $1 "," $2; b = $3 "," $4; print (a < b ? a "," b : b "," a) "," $5 }' | sort; }
  awk '{ r = $5 == "4xHDR" ? "212.500" : "103.124"; sub("/.*", "", $3); print $1 "," $2 "," $3 "," $4 "," r }' links | norm > want
  grep -v '^#' all.csv | norm > got
  sed -i 's/,212\.500$/,R/; s/,212\.5$/,R/; s/,103\.12[0-9]$/,Q/' want got
  cmp want got
  # node1 and node3 are in one pod: no core between them, both spines are.
  topomap db export --db t.db --to links --nodes node3,NODE1.site > pod.csv
  head -1 pod.csv | grep -q '^# all hosts: NODE1.site,node3$'
  [ "$(grep -v '^#' pod.csv | cut -d, -f1,3 | tr , '\n' | sort -u | paste -sd,)" = NODE1.site,leaf1,leaf2,node3,spine1-1,spine1-2 ]
  [ "$(grep -vc '^#' pod.csv)" -eq 6 ]
  topomap db export --db t.db --to links --nodes node1,node8 > far.csv
  [ "$(grep -v '^#' far.csv | cut -d, -f1,3 | tr , '\n' | grep -c core | cat)" -eq 4 ]
  run -3 topomap db export --db t.db --to links --nodes node1,nowhere
  [[ $output == *"'nowhere'"* ]]
}

@test "db export links: a link that is down is none" {
  grep -q 'PN:21 .*PN:21 .*LOG=DWN' "$data/subnet.lst"
  topomap db import --db down.db opensm-lst "$data/subnet.lst"
  topomap db export --db down.db --to links | grep -v '^#' > got
  # Six links: one is down, one is of an adapter without a host.
  [ "$(grep -c . got)" -eq 4 ]
  ! grep -q ',21,.*,21,' got
}

@test "db export links: imports back as the same fabric" {
  topomap formats | grep -q '^ *links ' || skip "no importer of links"
  { cat links; for n in 1 2 3; do echo "leaf4 1$n node$n/mlx5_1 1 4xEDR"; done; } > rails
  make rails
  topomap db export --db t.db --to links > one.csv
  topomap db import --db back.db links one.csv
  topomap db export --db back.db --to links > two.csv
  sort one.csv > one; sort two.csv > two
  cmp one two
  for d in t back; do
    topomap db show --db $d.db --summary --json | jq -c '[.hosts,.switches,.links,.topology]' > $d
    topomap db show --db $d.db --json | jq -c '.[] | [.name, (.attached | split(",") | sort)]' >> $d
  done
  cmp t back
}

@test "db export scotch-arch: a uniform tree as tleaf, anything else as deco 0; Scotch reads both" {
  topomap db export --db t.db --to scotch-arch > tree.arch
  [ "$(paste -sd' ' tree.arch)" = 'tleaf 3 2 2 2 2 2 2' ]
  grep -v node8 links > uneven
  make uneven
  topomap db export --db t.db --to scotch-arch > deco.arch
  [ "$(head -2 deco.arch | paste -sd' ')" = 'deco 0' ]
  # Terminal 6 is node7: distances to node1..node6 in hops.
  [ "$(tail -1 deco.arch)" = '6 6 6 6 4 4' ]
  awk 'NR == 3 { n = $1; most = $2 } NR > 3 && NR <= 3 + n { if ($1 != NR - 4 || $2 != 1 || $3 > most || seen[$3]++) bad = 1 } END { exit bad || n != 7 }' deco.arch
  # One node a leaf is no level, but its hops count.
  grep -v ' node[2468]/' links > single
  make single
  topomap db export --db t.db --to scotch-arch > single.arch
  [ "$(paste -sd' ' single.arch)" = 'tleaf 2 2 2 2 4' ]
  topomap db export --db t.db --to scotch-arch --nodes node1 > alone.arch
  [ "$(paste -sd' ' alone.arch)" = 'deco 0 1 1 0 1 1' ]
  command -v atst > /dev/null || skip "no scotch"
  atst single.arch | grep -q 'max=6'
  atst tree.arch | grep -q 'nbr=8'
  atst tree.arch | grep -q 'max=6'
  atst deco.arch | grep -q 'nbr=7'
}

@test "db export dot and json" {
  topomap db export --db t.db --to json > all.json
  [ "$(jq -c '[.topology, (.hosts | length), (.switches | length), (.links | length)]' all.json)" = '["fat-tree",8,10,20]' ]
  [ "$(jq -c '.links[0]' all.json)" = '{"host":"node1","port":1,"to":"leaf1","to_port":1,"width":4,"speed":"EDR","gbps":103.124}' ]
  topomap db export --db t.db --to dot > all.dot
  [ "$(grep -c ' -- ' all.dot)" -eq 20 ]
  if command -v dot > /dev/null; then dot -Tplain all.dot | grep -c '^edge' | grep -qx 20; fi
}

@test "db export: a network that only Slurm's topology file tells of, in every format" {
  cat > tree.conf <<'END'
SwitchName=top Switches=mid,leafC
SwitchName=mid Switches=leafA,leafB
SwitchName=leafA Nodes=n[1-2]
SwitchName=leafB Nodes=n[3-4]
SwitchName=leafC Nodes=n[5-6]
END
  topomap db import --db s.db slurm-topology tree.conf
  topomap db export --db s.db --to slurm-topology | grep -v '^#' | sort > tree
  sed 's/mid,leafC/leafC,mid/' tree.conf | sort > want
  diff want tree
  topomap db export --db s.db --to links | grep -v '^#' | sort > got
  printf '%s\n' leafA,,mid,, leafB,,mid,, leafC,,top,, mid,,top,, n1,,leafA,, n2,,leafA,, n3,,leafB,, n4,,leafB,, n5,,leafC,, n6,,leafC,, > want
  diff want got
  # n1 to n6 passes leafA, mid, top and leafC.
  [ "$(topomap db export --db s.db --to scotch-arch | tail -1)" = '5 5 5 5 2' ]
  [ "$(topomap db export --db s.db --to dot | grep -c ' -- ')" -eq 10 ]
  topomap db export --db s.db --to json > s.json
  [ "$(jq -c '[(.hosts | length), (.switches | length), (.links | length), .links[0].port]' s.json)" = '[6,5,10,null]' ]
  # n5 and n6 do not route by mid.
  [ "$(topomap db export --db s.db --to links --nodes n5,n6 | grep -c ,leafC,)" -eq 2 ]
  [ "$(topomap db export --db s.db --to links --nodes n5,n6 | wc -l)" -eq 3 ]
}

@test "db export: blocks, rings and a machine of coordinates by Slurm's topology file" {
  printf 'BlockName=b%d Nodes=n[%d-%d]\n' 1 1 2 2 3 4 3 5 6 4 7 8 > block.conf
  echo BlockSizes=2,4 >> block.conf
  topomap db import --db s.db slurm-topology block.conf
  topomap db export --db s.db --to slurm-topology > conf
  [ "$(grep -c 'Nodes=' conf)" -eq 4 ]
  [ "$(grep -c 'Switches=b\[[13]-[24]\]$' conf)" -eq 2 ]
  [ "$(topomap db export --db s.db --to scotch-arch | paste -sd' ')" = 'tleaf 3 2 2 2 2 2 2' ]
  cat > ring.yaml <<'END'
- topology: r
  cluster_default: true
  ring:
    rings:
    - ring: r1
      nodes: n[1-8]
END
  topomap db import --db ring.db slurm-topology ring.yaml
  [ "$(topomap db export --db ring.db --to links | grep -c '^n[1-8],,r1(')" -eq 8 ]
  [ "$(topomap db export --db ring.db --to scotch-arch | tail -1)" = '3 4 5 6 5 4 3' ]
  # Hosts with coordinates have Slurm's switches beside them.
  topomap db import --db cray.db xtdb2proc "$data/gemini.xtdb2proc"
  topomap db show --db cray.db --json | jq -r '.[].name' > names
  { echo "SwitchName=a Nodes=$(head -1 names)"; echo "SwitchName=b Nodes=$(sed -n 2p names)"; echo "SwitchName=c Switches=a,b"; } > two.conf
  topomap db import --db cray.db slurm-topology two.conf
  topomap db export --db cray.db --to slurm-topology > conf
  [ "$(grep -c 'Nodes=nid[0-9]*$' conf)" -eq 2 ]
  grep -q '^SwitchName=c Switches=a,b$' conf
}

cray_links() { # a Gemini of three routers in a row
  cat <<'END'
c0-0c0s0g0l12[(0,0,0)] X+ -> c0-0c0s1g0l10[(1,0,0)] LinkType: cable11x
c0-0c0s1g0l10[(1,0,0)] X- -> c0-0c0s0g0l12[(0,0,0)] LinkType: cable11x
c0-0c0s1g0l12[(1,0,0)] X+ -> c0-0c0s2g0l10[(2,0,0)] LinkType: backplane
c0-0c0s2g0l10[(2,0,0)] X- -> c0-0c0s1g0l12[(1,0,0)] LinkType: backplane
END
}

cray_nodes() { # NODENAME...
  echo "   NID    (HEX)    NODENAME     TYPE    STATUS        MODE"
  local nid=0
  for name in "$@"; do
    printf '%6d %#8x  %s  compute  up  batch\n' $nid $nid "$name"
    nid=$((nid + 1))
  done
}

@test "db export: nodes of a Cray hang on their routers" {
  cray_links > g.links
  cray_nodes c0-0c0s0n0 c0-0c0s0n1 c0-0c0s1n0 c0-0c0s1n1 c0-0c0s2n0 c0-0c0s2n1 > g.nodes
  topomap db import --db g.db cray-links g.links
  topomap db import --db g.db xtprocadmin g.nodes
  topomap db export --db g.db --to links > g.csv
  grep '^nid' g.csv > got
  for n in 0 1 2 3 4 5; do echo "nid0000$n,,c0-0c0s$((n / 2))g0,,"; done > want
  diff want got
  [ "$(grep -c '^c0' g.csv)" -eq 2 ]
  [ "$(grep '^c0' g.csv | cut -d, -f1-4,6 | paste -sd' ')" = 'c0-0c0s0g0,11,c0-0c0s1g0,9,cable11x c0-0c0s1g0,11,c0-0c0s2g0,9,backplane' ]
  head -1 g.csv | grep -qx '# all hosts: nid\[00000-00005\]'
  topomap db export --db g.db --to slurm-topology > conf
  [ "$(grep -o 'SwitchName=c.*Nodes=.*' conf | paste -sd' ')" = 'SwitchName=c0-0c0s0g0 Nodes=nid[00000-00001] SwitchName=c0-0c0s1g0 Nodes=nid[00002-00003] SwitchName=c0-0c0s2g0 Nodes=nid[00004-00005]' ]
  [ "$(topomap db export --db g.db --to scotch-arch | tail -1)" = '4 4 3 3 2' ]
  [ "$(topomap db export --db g.db --to dot | grep -c ' -- ')" -eq 8 ]
  [ "$(topomap db export --db g.db --to json | jq '[.links[] | select(.host)] | length')" -eq 6 ]
}

@test "db export: no empty files: hosts that hang on no known switch, or none at all" {
  cray_links > g.links
  topomap db import --db g.db cray-links g.links
  run -3 topomap db export --db g.db --to slurm-topology
  fails_with 3 g.db: host
  topomap db export --db g.db --to links | grep -c ^c0 | grep -qx 2
  cray_nodes c5-0c0s0n0 c5-0c0s0n1 > elsewhere
  topomap db import --db g.db xtprocadmin elsewhere
  for format in slurm-topology links scotch-arch; do
    run -3 topomap db export --db g.db --to $format -o made
    fails_with 3 2 "$format"
    [ ! -e made ]
  done
  topomap db export --db g.db --to json | jq -e '.hosts | length == 2' > two
}

@test "db export: usage, and what cannot be exported" {
  run -2 topomap db export --db t.db
  run -2 topomap db export --db t.db --to nothing
  fails_with 2 slurm-topology links scotch-arch dot json
  for format in $(sed 's/.*there are //; s/,//g' <<<"$output"); do
    topomap help db export | grep -q -- "--to.*$format"
  done
  run -3 topomap db export --db none.db --to dot
  topomap db import --db cray.db xtdb2proc "$data/gemini.xtdb2proc"
  run -3 topomap db export --db cray.db --to links
  fails_with 3 cray.db: links
  topomap db export --db cray.db --to json | jq -e '.hosts[0].coordinates' > coordinates
  run -4 topomap db export --db t.db --to links -o /none/here
  [ ! -e /none ]
}

@test "real: three-level trees, tori and dragonflies as Scotch architectures and Slurm trees" {
  [ -d "$shared/ib/generated" ] || skip "no data"
  for f in ft2.ibnetdiscover torus.ibnetdiscover dfly-dfsssp.ibnetdiscover rail.ibnetdiscover ft3-1024.ibnetdiscover.xz; do
    rm -f r.db
    topomap db import --db r.db ibnetdiscover "$shared/ib/generated/$f"
    hosts=$(topomap db show --db r.db --summary --json | jq .hosts)
    topomap db export --db r.db --to slurm-topology > r.conf
    [ "$(grep -c Nodes= r.conf)" -ge 1 ]
    topomap db export --db r.db --to scotch-arch > r.arch
    if command -v atst > /dev/null; then atst r.arch | grep -q "nbr=$hosts"; fi
  done
}
