#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db import of Slingshot, Ethernet, Omni-Path, managed fabrics and clouds: small files made
# here, what is refused, and real samples where they are, their counts found by other means.
bats_require_minimum_version 1.5.0

load ../messages
load imports

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  shared="$TOPOMAP_SOURCE/../shared/data"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
}

refused() { # FORMAT FILE TOKEN...: refused with these facts, and no database is made
  local format=$1 file=$2; shift 2
  run -3 topomap db import --db none.db "$format" "$file"
  fails_with 3 "$@"
  [ ! -e none.db ]
}

# ---- Slingshot -------------------------------------------------------------------------------

address() { # GROUP SWITCH PORT
  local n=$(($1 << 11 | $2 << 6 | $3))
  printf '02:00:00:%02x:%02x:%02x' $((n >> 16)) $((n >> 8 & 255)) $((n & 255))
}
line() { # HOST NIC GROUP SWITCH PORT: as the address tool prints it
  printf '%s NIC %d macaddr %s logaddr %05d location %03d.%02d.%02d\n' "$1" "$2" "$(address "$3" "$4" "$5")" \
    $(($3 << 11 | $4 << 6 | $5)) "$3" "$4" "$5"
}

@test "slingshot-ama: group, switch and port of each address; hops as minimal ways have them" {
  { line n1 0 0 31 42; line n2 0 0 31 0; line n3 0 0 7 1; line n4 0 168 10 49; line n4 1 168 11 49; } > t
  grep -q '02:00:00:00:07:ea logaddr 02026' t
  grep -q '02:00:00:05:42:b1' t
  topomap db import --db a.db slingshot-ama t
  [ "$(summary a.db hosts switches links topology)" = '[4,4,5,"dragonfly"]' ]
  [ "$(hops a.db n1 n2) $(hops a.db n1 n3) $(hops a.db n1 n4)" = "2 3 5" ]
  [ "$(topomap db show --db a.db n4 --json | jq -r '.attached, .ports[].port')" = "$(printf '%s\n' g168s10,g168s11 1 2)" ]
  [ "$(topomap db show --db a.db n1 --json | jq -c '.ports[0] | [.switch, .switch_port]')" = '["g0s31",42]' ]
  # It knows that it knows no rates, and maps by levels.
  run -2 topomap eval --db a.db --graph ring:4 --nodes 'n[1-4]' --tasks-per-node 1 --time
  fails_with 2 links
  [ "$(topomap map --db a.db --graph ring:4 --nodes 'n[1-4]' --tasks-per-node 1 --json | jq .max_dilation)" = 5 ]
}

@test "slingshot-ama: labels of srun, JSON of ip, cxi_stat, doubled lines; what tells no place warns" {
  {
    echo "0: $(line n1 0 2 3 4)"
    echo "1: $(line n1 0 2 3 4)"
    echo "n2: [{\"ifindex\":5,\"ifname\":\"hsn0\",\"address\":\"$(address 2 3 5)\",\"broadcast\":\"ff:ff:ff:ff:ff:ff\"}]"
    echo "n2: [{\"ifindex\":6,\"ifname\":\"hsn1\",\"address\":\"$(address 2 4 5)\",\"broadcast\":\"ff:ff:ff:ff:ff:ff\"}]"
    echo "n3:     MAC: $(address 2 4 6)"
    echo 'srun: error: n4: task 3: Exited with exit code 1'
    echo 'n5 hsn0 a4:bf:01:3e:00:11'
  } > t
  run --separate-stderr -0 topomap db import --db a.db slingshot-ama t
  warns_with t:7: 1 02:00:00:
  [ "$(summary a.db hosts switches links)" = '[3,2,4]' ]
  [ "$(hops a.db n1 n2) $(hops a.db n1 n3) $(hops a.db n2 n3)" = "2 3 2" ]
  { line n1 0 2 3 4; line n9 0 2 3 4; } > two; refused slingshot-ama two two:2: "'n9'" "'n1'" 1
  { line n1 0 2 3 4; line n1 0 2 3 5; } > nic; refused slingshot-ama nic 'NIC 0' "'n1'"
  line n1 0 2 3 4 | sed 's/002.03.04/002.03.05/' > cut; refused slingshot-ama cut 'cut:1:' 'location 2.3.4'
  echo "$(address 2 3 4)" > bare; refused slingshot-ama bare 'bare:1:' host
  echo 'n5 hsn0 a4:bf:01:3e:00:11' > burnt; refused slingshot-ama burnt 'burnt:1:' 'slingshot-cables'
  : > empty; refused slingshot-ama empty empty
}

cables() { # the header and some cables; xnames as $1 spells them
  cat <<'END' | sed -E "$1"
#run-time information,,,
"#	head:	On branch; it's up, ""today""",,,
cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,stage,link_type,src_group,dst_group,route
1,x3000c0r15j1,none,x9000c1r3j3,none,1,global,0,1,['a','b']
2,x9000c1r1j10,none,x9000c1r3j12,none,1,local,1,1,[]
e1,x3000c0r15j14,none,x3000c0s17b1n0h0,x3000c0s4b1n0h1,1,edge,0,none,[]
e2,x9000c1r1j100,none,x9000c1s0b0n0h0,x9000c1s0b0n1h0,1,edge,1,none,[]
e3,x9000c1r3j100,none,x9000c1s0b0n0h1,x9000c1s0b0n1h1,1,edge,1,none,[]
END
}

@test "slingshot-cables: two links a cable, one to each node of a split one; every spelling is one fabric" {
  cables '' > c.csv
  topomap db import --db a.db slingshot-cables c.csv --option rate=200
  [ "$(summary a.db hosts switches links)" = '[4,3,10]' ]
  [ "$(hops a.db x3000c0s17b1n0 x9000c1s0b0n1) $(hops a.db x3000c0s17b1n0 x3000c0s4b1n0)" = "3 2" ]
  for spelling in '/^[0-9e]+,/s/([0-9])([crsbjnh])/\1.\2/g' '/^[0-9e]+,/s/x/X/g; s/r([0-9])j/R0\1J/g' \
    's/r([0-9]+)j/r\1b0j/g'; do
    cables "$spelling" | xz > d.csv.xz
    ! xzcat d.csv.xz | cmp -s - c.csv || false
    rm -f b.db
    topomap db import --db b.db slingshot-cables d.csv.xz --option rate=200
    topomap db diff a.db b.db
  done
  sed 's/x9000c1r3j12/x9000c1s3j12/' c.csv > odd; refused slingshot-cables odd 'odd:5:' "'x9000c1s3j12'"
  sed 's/dst_conn_a/there/' c.csv > head; refused slingshot-cables head 'head:3:' 'dst_conn_a'
  sed 's/^2,.*/2,x9000c1r1j10/' c.csv > cut; refused slingshot-cables cut 'cut:5:' 'cut'
  sed 's/^2,.*/2,x9000c1r1j100,none,x9000c1r3j12,none,1,local,1,1,[]/' c.csv > twice
  refused slingshot-cables twice twice:
  head -2 c.csv > none; refused slingshot-cables none 'cable_id'
  run -2 topomap db import --db none.db slingshot-cables c.csv --option rate=fast
}

@test "slingshot-cables: the same fabric as the table of 'show fabric' has it" {
  cables '' | grep -v ^e > c.csv
  {
    echo '|      xname      |  type  |      dst      | hostname | status | subtype | speed   |'
    for pair in x3000c0r15j1:x9000c1r3j3 x9000c1r1j10:x9000c1r3j12; do
      for p in 0 1; do
        echo "| ${pair%:*}p$p | fabric | ${pair#*:} | unknown | True | Local | BS_200G |"
        echo "| ${pair#*:}p$p | fabric | ${pair%:*} | unknown | True | Local | BS_200G |"
      done
    done
  } > table
  topomap db import --db a.db cray-links table
  topomap db import --db b.db slingshot-cables c.csv --option rate=200
  topomap db diff a.db b.db
}

# ---- Omni-Path, UFM --------------------------------------------------------------------------

guid() { printf '0x001175010%07x' "$1"; }
opa_lines() { # two hosts on two switches, as opaextractsellinks prints them
  cat <<END
NodeGUID;Port;NodeType;NodeDesc;NodeGUID;Port;NodeType;NodeDesc
$(guid 1);1;FI;n1 hfi1_0;$(guid 100);7;SW;leaf 1
$(guid 2);1;FI;n2 hfi1_0;$(guid 101);8;SW;leaf 2
$(guid 100);48;SW;leaf 1;$(guid 101);48;SW;leaf 2
END
}
port() { echo "<Port id=\"x\"><NodeGUID>$1</NodeGUID><PortNum>$2</PortNum><NodeType>$3</NodeType><NodeDesc>$4</NodeDesc></Port>"; }
opa_xml() {
  cat <<END
<?xml version="1.0" encoding="utf-8" ?>
<Report date="x" options="-o links -x"><LinkSummary><LinkCount>3</LinkCount>
<Link id="1">
 <Rate>100g</Rate> <!-- as it runs -->
 $(port "$(guid 1)" 1 FI 'n1 hfi1_0')
 $(port "$(guid 100)" 7 SW 'leaf 1')
</Link>
<Link id="2"><Rate>100g</Rate>$(port "$(guid 2)" 1 FI 'n2 hfi1_0')$(port "$(guid 101)" 8 SW 'leaf 2')</Link>
<Link id="3"><Rate>100g</Rate>$(port "$(guid 100)" 48 SW 'leaf 1')$(port "$(guid 101)" 48 SW 'leaf 2')</Link>
</LinkSummary></Report>
END
}

@test "opa-links: three forms of one fabric are equal; rates are lanes" {
  opa_lines > a; opa_xml > b
  # A planned topology: with rates, and in the columns that its header names.
  {
    echo 'Rate;MTU;Internal;LinkDetails;CableLength;CableLabel;CableDetails;NodeGUID;Port;NodeDesc;PortGUID;NodeType;PortDetails;NodeGUID;Port;NodeDesc;PortGUID;NodeType;PortDetails'
    echo "100g;2048;0;a link;11m;S1;model;$(guid 1);1;n1 hfi1_0;$(guid 1);FI;;$(guid 100);7;leaf 1;;SW;"
    echo "100g;;0;;;;;$(guid 2);1;n2 hfi1_0;;FI;;$(guid 101);8;leaf 2;;SW;"
    echo "100g;;1;;;;;$(guid 100);48;leaf 1;;SW;;$(guid 101);48;leaf 2;;SW;"
  } > c
  for f in a b c; do topomap db import --db $f.db opa-links $f; done
  [ "$(summary a.db hosts switches links)" = '[2,2,3]' ]
  [ "$(hops a.db n1 n2)" = 3 ]
  topomap db diff b.db c.db --guids
  run -1 topomap db diff a.db b.db --guids # nothing but rates, which the first form does not have
  [ "$(grep -c '4xEDR' <<< "$output")" = 3 ]
  [ "$(topomap db diff a.db b.db --json | jq -c '[.changes[] | [.change, .what]] | unique')" = '[["changed","link"]]' ]
  tail -n +2 a | sed 's/0x[0-9a-f]*//g' > no-guids
  topomap db import --db d.db opa-links no-guids
  topomap db diff a.db d.db
}

@test "opa-links: what is cut, of no type, no rate, or of two types is refused with its line" {
  opa_lines | sed 's/;FI;n2/;CA;n2/' > type; refused opa-links type 'type:3:' FI SW "'CA'"
  opa_lines | sed '3s/;8;/;900;/' > port; refused opa-links port 'port:3:' "'900'"
  opa_lines | sed '4s/;SW;leaf 2$//' > cut; refused opa-links cut 'cut:4:' 8 12 19
  opa_lines | sed '4s/0x[0-9a-f]*/0xzz/' > guid; refused opa-links guid 'guid:4:' '0xzz'
  opa_lines | sed '4s/SW;leaf 1/FI;leaf 1/' > two; refused opa-links two 'two:4:' 'elsewhere'
  opa_xml | sed 's/100g/fast/' > rate; refused opa-links rate 'rate:3:' 100g "'fast'"
  opa_xml | head -6 > end; refused opa-links end 'end:7:' '<Link>'
  opa_xml | sed '6d' > one; refused opa-links one '<Port>' '<Link>' 1
  : > none; refused opa-links none link
  printf '<a>\0</a>' > nul; refused opa-links nul 'NUL'
}

@test "real: a planned director's links: as many as lines, and its chips by awk" {
  list="$shared/ethernet/opa-linksum_swd06.csv"
  [ -r "$list" ] || skip "no data"
  topomap db import --db a.db opa-links "$list"
  [ "$(summary a.db switches links)" = "[$(awk -F';' '{print $9; print $12}' "$list" | sort -u | wc -l),$(wc -l < "$list")]" ]
  topomap db import --db b.db opa-links "$shared/ethernet/opa-topology_links.txt"
  [ "$(topomap db show --db b.db --json | jq -c 'map(.name)')" = '["bender","mindy2"]' ]
}

ufm() { # FROM PORT DNAME DESC TO PORT DESC
  printf '{"source_guid":"%s","source_port":"%s","source_port_dname":"%s","source_port_node_description":"%s",' "${@:1:4}"
  printf '"destination_guid":"%s","destination_port":%s,"destination_port_node_description":"%s","width":"4x","capabilities":[]}' "${@:5}"
}
ufm_list() {
  echo '['
  ufm 0c42a10300000001 1 HCA-1/1 'n1 mlx5_0' 0c42a10300000064 3 'leaf01:1/2/1'; echo ,
  ufm 0c42a10300000002 1 HCA-1/1 'MT4129 ConnectX7   Mellanox Technologies' 0c42a10300000064 4 'leaf01:4'; echo ,
  ufm 0c42a10300000064 9 9 'leaf01:9' 0c42a10300000065 9 'MF0;spine:MQM9701/U1:9'
  echo ']'
}

@test "ufm-links: adapters by description and port, switches without the port's name" {
  ufm_list > u.json
  topomap db import --db a.db ufm-links u.json
  [ "$(summary a.db hosts switches links unknown_adapters partial)" = '[1,2,3,1,false]' ]
  topomap db import --db a.db hosts <(:) 2> /dev/null || echo '0x0c42a10300000002 n2' > map
  topomap db import --db a.db hosts map
  [ "$(hops a.db n1 n2)" = 2 ]
  [ "$(topomap db export --db a.db --to links | grep -c 'MF0;spine:MQM9701/U1,9')" = 1 ]
  sed 's/"destination_port":4/"destination_port":400/' u.json > port; refused ufm-links port 'port:3:' destination_port 1 254
  sed 's/"source_guid":"0c42a10300000064"/"source_guid":"spine"/' u.json > guid; refused ufm-links guid 'guid:4:' 'source_guid'
  head -c 200 u.json > cut; refused ufm-links cut 'cut:2:' JSON
  echo '{}' > object; refused ufm-links object 'object:1:' links
}

# ---- Ethernet --------------------------------------------------------------------------------

# A neighbour as lldpd prints it: INTERFACE SYSTEM KIND PORT. Hosts' ports are known by MAC address.
neighbour() {
  local id descr
  case $3 in
  switch) id="{\"type\":\"ifname\",\"value\":\"$4\"}" descr='a cable' ;;
  *) id='{"type":"mac","value":"0c:42:a1:00:00:01"}' descr=$4 ;;
  esac
  jq -nc --arg interface "$1" --arg name "$2" --arg kind "$3" --arg descr "$descr" --argjson id "$id" '{name: $interface, via: "LLDP", chassis: [
    {id: [{type: "mac", value: "x"}], name: [{value: $name}], descr: [{value: "\($kind) of the test"}],
     capability: [{type: "Bridge", enabled: ($kind == "switch")}, {type: "Station", enabled: false}]}],
    port: [{id: [$id], descr: [{value: $descr}], "auto-negotiation": [{supported: true, current: [{value: "100GBaseCR4 - x"}]}]}]}'
}
system() { jq -sc '{lldp: [{interface: .}]}'; } # of neighbours, a line each

two_planes() { # n1 and n2 on leaf1 and leaf2, which do not know each other; leaf1 has a spine, over a LAG of two
  { neighbour ens1 leaf1.site switch swp17s0; neighbour ens2 leaf2 switch Ethernet3/1; } | system > n1.json
  { neighbour ens1 leaf1 switch swp17s1; neighbour ens2 leaf2 switch Ethernet3/2; } | system > n2.json
  { neighbour swp1 spine switch swp1; neighbour swp2 spine switch swp2; neighbour swp17s0 n1.site host ens1
    neighbour swp17s1 n2 host ens1; } | system > leaf1.json
}

@test "lldp: hosts and switches, planes, breakout ports, a LAG; a file a system, an object, lines" {
  two_planes
  topomap db import --db a.db lldp n1.json n2.json leaf1.json
  [ "$(summary a.db hosts switches links planes)" = '[2,3,6,2]' ]
  [ "$(topomap db export --db a.db --to links | sort)" = "$(sort <<'END'
# all hosts: n[1-2]
leaf1,1,spine,1,100
leaf1,2,spine,2,100
n1,1,leaf1,17000,100
n1,2,leaf2,3001,100
n2,1,leaf1,17001,100
n2,2,leaf2,3002,100
END
)" ]
  [ "$(topomap db show --db a.db n1 --json | jq -c '[.rails, .planes]')" = '[2,[1,2]]' ]
  jq -n '[inputs | {key: input_filename[:-5], value: .}] | from_entries' n1.json n2.json leaf1.json > all
  topomap db import --db b.db lldp all
  # Of many hosts at once, each host's lines in their order.
  for s in n1 n2 leaf1; do jq . $s.json | sed "s/^/$s: /" >$s.lines; done
  paste -d '\n' n1.lines n2.lines leaf1.lines | sed '/^$/d' | zstd -q > lines.zst
  topomap db import --db c.db lldp lines.zst
  topomap db import --db d.db lldp --nodes n1 n1.json
  topomap db diff a.db b.db
  topomap db diff a.db c.db
  # hosts=, with their domain or of nobody that is there.
  topomap db import --db e.db lldp all --option hosts=n1.site,n2.site
  [ "$(summary e.db hosts)" = '[2]' ]
  run -3 topomap db import --db none.db lldp all --option hosts=nobody
  fails_with 3 hosts=nobody
  [ "$(summary d.db hosts switches links)" = '[1,2,2]' ]
  # From switches alone, and from hosts alone; the shape of `-f json`, too.
  topomap db import --db e.db lldp leaf1.json
  [ "$(summary e.db hosts switches links)" = '[2,2,4]' ]
  jq '{lldp: {interface: [.lldp[0].interface[] | {(.name): {chassis: {(.chassis[0].name[0].value): (.chassis[0] | del(.name) | .id = .id[0])},
    port: {id: .port[0].id[0]}}}]}}' n1.json > n1
  topomap db import --db f.db lldp n1
  [ "$(summary f.db hosts switches links)" = '[1,2,2]' ]
  topomap db import --db g.db lldp n1.json n2.json leaf1.json --option interfaces=ens1,swp
  [ "$(summary g.db hosts switches links)" = '[2,2,4]' ]
}

@test "lldp: a switch that tells others other names of its ports; a port of several; localhost; containers' bridges" {
  two_planes
  { neighbour ens1 leaf1 switch etp17a; neighbour ens2 leaf2 switch Po1; } | system > n1.json
  { neighbour ens1 leaf1 switch etp17b; neighbour ens2 leaf2 switch Po1; neighbour ens3 localhost switch 9; } | system > n2.json
  jq -c '.lldp[0].interface[2].chassis[0] |= (.descr[0].value = "Debian GNU/Linux 12 Linux 6.1.0 #1 SMP x86_64" | .capability[0].enabled = true)' \
    leaf1.json > t && mv t leaf1.json
  run --separate-stderr -0 topomap db import --db a.db lldp n1.json n2.json leaf1.json
  warns_with 1 localhost
  [ "$(summary a.db hosts switches links)" = '[2,3,6]' ]
  [ "$(topomap db export --db a.db --to links | grep -c 'leaf1,1700[01],100')" = 2 ]
  run -0 topomap db import --db h.db lldp leaf1.json --option hosts=n1,n2,spine
  [ "$(summary h.db hosts switches links)" = '[3,1,4]' ]
}

@test "lldp: what is no neighbour list is refused with a way out" {
  echo '{"lldp":[{"interface":[{"name":"eth0","chassis":[{"id":[{"value":"x"}],"name":[{"value":"s"}]}]}]}]}' > n1.json
  refused lldp n1.json 'n1.json:1:' "'n1'" interface port
  echo '{"lldp":[{}]}' > n2.json; refused lldp n2.json lldpd
  echo '[1]' > n3.json; refused lldp n3.json 'n3.json:1:' keys
  echo 'lldpcli: cannot connect' > n4.json; refused lldp n4.json 'n4.json:1:' JSON
  printf 'n1: {"lldp"\nn2: {}\n' > lines; refused lldp lines 'lines:1:' JSON
  : > n5.json; refused lldp n5.json 'n5.json:1:' 'empty'
  run -3 topomap db import --db none.db lldp --nodes 'n[1-2]' n2.json
  fails_with 3 '--nodes NODE' NODE.json
}

# What lldpd 1.0.16 of Debian 12 says on four hosts, two leaves and two spines, all of them plain Linux, whose
# switches are bridges (contrib/testbed/lldp): names with a domain, ports by MAC address.
linux_everywhere() { jq -c . "$TOPOMAP_SOURCE/tests/data/fuzz/lldpd.json"; }
links_built() {
  printf '%s\n' '# all hosts: n[1-4]' n1,1,leaf1,1, n2,1,leaf1,2, n3,1,leaf2,1, n4,1,leaf2,2, leaf1,31,spine1,1, \
    leaf2,31,spine1,2, leaf1,32,spine2,1, leaf2,32,spine2,2,
}

@test "lldp: real output where switches are Linux, too: told from hosts by what is beside them, else by hosts=" {
  links_built >built; topomap db import --db built.db links built
  linux_everywhere >all
  run --separate-stderr -0 topomap db import --db a.db lldp all
  warns_with 2 spine1
  topomap db diff built.db a.db
  run --separate-stderr -0 topomap db import --db a.db lldp all --option hosts='n[1-4]'
  [ -z "$stderr" ]
  topomap db diff built.db a.db
  # A cable between two hosts, which do not forward: neither is a switch for that, and spines stay switches.
  jq -c '. as $all | .n1.lldp[0].interface += [$all.leaf1.lldp[0].interface[1] | .name = "ens9" | .port[0].descr[0].value = "ens9"]
    | .n2.lldp[0].interface += [$all.leaf1.lldp[0].interface[0] | .name = "ens9" | .port[0].descr[0].value = "ens9"]' all >pair
  run --separate-stderr -0 topomap db import --db pair.db lldp pair
  warns_with 2 spine1
  topomap db diff built.db pair.db
  # From hosts alone: the leaves.
  jq -c '{n1, n2, n3, n4}' all >hosts
  topomap db import --db b.db lldp hosts
  [ "$(summary b.db hosts switches links)" = '[4,2,4]' ]
  # A host with containers beside switches that say what they are stays a host, also behind a cable to another host.
  containers='(.. | objects | select(.name[0]?.value? == "n1.site") | .capability[0].enabled) = true'
  jq -c "$containers"' | (.. | objects | select((.name[0]?.value?) as $n | ["leaf1.site","leaf2.site","spine1.site","spine2.site"] |
    index($n)) | .descr[0].value) = "SONiC Software Version: SONiC.202305"
    | .n1.lldp[0].interface += [.leaf1.lldp[0].interface[1] | .name = "ens9" | .port[0].descr[0].value = "ens9"]' all >sonic
  run --separate-stderr -0 topomap db import --db c.db lldp sonic
  warns_with '1 link'
  topomap db diff built.db c.db
  # Where all forward there is no telling.
  jq -c '(.. | objects | select(.type? == "Bridge") | .enabled) = true' all >all-forward
  refused lldp all-forward 'all-forward:1:' 'hosts=HOSTLIST'
  topomap db import --db d.db lldp all-forward --option hosts='n[1-4]'
  topomap db diff built.db d.db
}

@test "lldp: case does not count in names; a host that answers with a message is left out" {
  linux_everywhere | sed 's/"n1\.site"/"N1.Site"/; s/"leaf1\.site"/"LEAF1"/g' >all
  topomap db import --db a.db lldp all
  [ "$(summary a.db hosts switches links)" = '[4,4,8]' ]
  [ "$(hops a.db n1 n2) $(hops a.db N1 n3)" = "2 4" ]
  jq -r 'to_entries[] | "\(.key): \(.value | tojson)"' all | sed 's/^n4: .*/n4: sh: 1: lldpcli: not found/; $a spine3: ' >lines
  run --separate-stderr -0 topomap db import --db b.db lldp lines
  warns_with 2 9
  topomap db diff a.db b.db # its leaf tells of n4
  # A warning before the document is no document, and does not take its place.
  jq -r 'to_entries[] | "\(.key): lldpcli: a warning", "\(.key):   of two lines", "\(.key): \(.value | tojson)"' all >warned
  run --separate-stderr -0 topomap db import --db c.db lldp warned
  [ "$(grep -c 'of 9 hosts' <<<"$stderr")" -eq 0 ]
  topomap db diff a.db c.db
  printf 'n1: lldpcli: cannot connect\r\nn2: lldpcli: cannot connect\r\n' >down
  refused lldp down 'down:1:' JSON "'lldpcli: cannot connect'"
}

netq() {
  cat <<'END'
[{"nodes":[{"compounded_nodes":[
   {"id":"node0","name":"leaf1","device_type":"switch","tier":1},
   {"id":"node1","name":"n1","device_type":"discovered_via_lldp","tier":-1},
   {"id":"node2","name":"n2","device_type":"discovered_via_lldp","tier":-1}]}],
  "links":[{"compounded_links":[
   {"id":"a","interfaces":[{"node":"node0","interface":"swp1"},{"node":"node1","interface":"ens1"}]},
   {"id":"b","interfaces":[{"node":"node2","interface":"ens1"},{"node":"node0","interface":"swp2s1"}]}]}]}]
END
}

@test "netq: nodes and links in groups; a link of a node that is not there is refused" {
  netq > g.json
  topomap db import --db a.db netq g.json
  [ "$(topomap db export --db a.db --to links | tr '\n' ' ')" = '# all hosts: n[1-2] n1,1,leaf1,1, n2,1,leaf1,2001, ' ]
  netq | sed 's/"node":"node2"/"node":"node7"/' > node; refused netq node 'node:7:' "'node7'"
  netq | sed 's/"interface":"ens1"//; s/,}/}/' > port; refused netq port 'port:5:' 'link 1'
  netq | jq 'del(.[0].links)' > none; refused netq none 'none:1:' NetQ
}

@test "real: NetQ's graph: hosts, switches and links by jq" {
  graph="$shared/ethernet/topograph-netq-topologyGraph.json"
  [ -r "$graph" ] || skip "no data"
  topomap db import --db a.db netq "$graph"
  [ "$(summary a.db hosts switches links topology)" = "$(jq -c '[[.[].nodes[].compounded_nodes[] | select(.tier < 0)], [.[].nodes[].compounded_nodes[] |
    select(.tier > 0)], [.[].links[].compounded_links[]]] | map(length) + ["fat-tree"]' "$graph")" ]
  [ "$(hops a.db dgx-01 dgx-02) $(hops a.db dgx-01 dgx-08)" = "2 4" ]
}

# ---- Clouds ----------------------------------------------------------------------------------

levels_alone() { # DB NODES: what any database of levels is: it maps, and knows no rates
  [ "$(summary "$1" links topology)" = '[0,"tree"]' ]
  topomap db show --db "$1" --summary | grep -q '\<rates\>'
  run -2 topomap eval --db "$1" --graph ring:4 --nodes "$2" --tasks-per-node 1 --time
  fails_with 2 links
  topomap map --db "$1" --graph ring:4 --nodes "$2" --tasks-per-node 1 --json > map.json
  [ "$(jq .congestion map.json)" = null ]
}

aws() {
  cat <<'END'
{"Instances": [
  {"InstanceId": "i-1", "NetworkNodes": ["nn-top", "nn-a", "nn-a1"], "ZoneId": "use1-az1"},
  {"InstanceId": "i-2", "NetworkNodes": ["nn-top", "nn-b", "nn-b1"]},
  {"InstanceId": "i-3", "NetworkNodes": ["nn-top", "nn-a", "nn-a1"]},
  {"InstanceId": "i-4", "NetworkNodes": ["nn-top", "nn-a", "nn-a2"]},
  {"InstanceId": "i-5"}]}
END
}

@test "aws-topology: levels from the top; names of describe-instances; several pages; instances without a place" {
  aws > t.json
  run --separate-stderr -0 topomap db import --db a.db aws-topology t.json
  warns_with t.json:6: 1
  [ "$(summary a.db hosts switches partial)" = '[4,6,true]' ]
  [ "$(hops a.db i-1 i-3) $(hops a.db i-1 i-4) $(hops a.db i-1 i-2)" = "2 4 6" ]
  levels_alone a.db 'i-[1-4]'
  # A ring in an order that the levels do not have is put into theirs.
  [ "$(jq '[.hop_bytes, .ranks] | .[0] / .[1]' map.json)" = "$(jq -n '(2 + 4 + 6 + 6) / 4 * 128')" ] || { jq . map.json && false; }
  jq '{Reservations: [.Instances[] | {Instances: [{InstanceId, PrivateDnsName: "ip-10-0-0-\(.InstanceId[2:]).ec2.internal"}]}]}' t.json > names.json
  topomap db import --db b.db aws-topology t.json --option names=names.json
  [ "$(hops b.db ip-10-0-0-1 ip-10-0-0-4.ec2.internal) $(hops b.db i-1 ip-10-0-0-2)" = "4 6" ]
  jq '.Instances |= .[:2] | .NextToken = "x"' t.json > p1; jq '.Instances |= .[2:4]' t.json > p2
  run --separate-stderr -0 topomap db import --db c.db aws-topology p1
  warns_with NextToken
  run --separate-stderr -0 topomap db import --db c.db aws-topology p1 p2
  [[ $stderr != *NextToken* ]]
  topomap db diff a.db c.db
  topomap db import --db d.db aws-topology p1 p2 --option names=- <names.json
  [ "$(hops d.db ip-10-0-0-1 ip-10-0-0-4.ec2.internal)" = 4 ]
  jq '.Instances[4].NetworkNodes = null' t.json >null
  topomap db import --db d.db aws-topology null
  topomap db diff a.db d.db
}

@test "aws-topology beside a fabric: hosts with links keep congestion and time, those with levels alone have none" {
  topomap db synth fat-tree:leaves=2,hosts=4,spines=2,lft=no -o made > none
  topomap db import --db a.db ibnetdiscover made/fabric.ibnetdiscover
  topomap eval --db a.db --graph ring:8 --nodes 'node[01-08]' --tasks-per-node 1 --time --congestion exact --json | jq '[.congestion, .time]' > before
  aws > t.json
  topomap db import --db a.db aws-topology t.json
  topomap eval --db a.db --graph ring:8 --nodes 'node[01-08]' --tasks-per-node 1 --time --congestion exact --json | jq '[.congestion, .time]' > after
  diff before after
  for nodes in 'i-[1-4]' 'node[01-02],i-[1-2]'; do
    run -2 topomap eval --db a.db --graph ring:4 --nodes "$nodes" --tasks-per-node 1 --time
    fails_with 2 links
    topomap map --db a.db --graph ring:4 --nodes "$nodes" --tasks-per-node 1 --json | jq -e '.congestion == null'
  done
}

@test "aws-topology: two parents, an instance twice, a level that is an instance, other JSON are refused" {
  aws | sed '3s/nn-b1/nn-a1/' > two; refused aws-topology two 'two:3:' "'nn-a1'"
  aws | sed '4s/i-3/i-1/; 4s/nn-a1/nn-a2/' > twice; refused aws-topology twice "'i-1'"
  aws | sed '4s/nn-a1/i-1/' > level; refused aws-topology level 'level:4:' "'i-1'"
  aws | sed 's/i-4/a b/' > name; refused aws-topology name "'a b'"
  aws | sed 's/"nn-b", "nn-b1"/1/' > number; refused aws-topology number 'number:3:' "'i-2'"
  echo '{"Reservations": []}' > other; refused aws-topology other 'describe-instance-topology'
  aws > t; run -3 topomap db import --db none.db aws-topology t --option names=t
  [[ $output == *"describe-instances"* ]]
  run -3 topomap db import --db none.db aws-topology t --option names=nowhere
}

@test "gcp-topology: lines and both shapes of JSON are one; a host is a level where it is shared" {
  cat > t.csv <<'END'
us-c1-a,/CCCC/bbbb/0000,n1
us-c1-a,/CCCC/bbbb/0000,n2
us-c1-a,/CCCC/bbbb/0001,n3
us-c1-a,/CCCC/cccc/0002,n4
us-c1-b,/DDDD/bbbb/0003,n5
us-c1-b,,n6
END
  run --separate-stderr -0 topomap db import --db a.db gcp-topology t.csv
  [[ $stderr == *"t.csv:6: 1 instances"* ]]
  [ "$(hops a.db n1 n2) $(hops a.db n1 n3) $(hops a.db n1 n4) $(hops a.db n1 n5)" = "2 3 5 9" ]
  levels_alone a.db 'n[1-4]'
  jq -Rn '[inputs | split(",") | {zone: "https://x/zones/\(.[0])", name: .[2], resourceStatus: {physicalHost: .[1]}}]' t.csv > j
  jq -Rn '[inputs | split(",") | (.[1] | split("/")) as $p | {zone: .[0], name: .[2],
    resourceStatus: {physicalHostTopology: {cluster: $p[1], block: $p[2], host: $p[3]}}}]' t.csv > k
  { printf '\xef\xbb\xbf'; sed 's/$/\r/' t.csv; } >l
  { printf '\xef\xbb\xbf \n'; cat j; } >m
  for f in j k l m; do topomap db import --db $f.db gcp-topology $f; topomap db diff a.db $f.db; done
  echo 'us-c1-a,CCCC,n1' > bad; refused gcp-topology bad 'bad:1:' '/CCCC/bbbb/0000'
  echo 'us-c1-a' > cut; refused gcp-topology cut 'cut:1:' 'csv[no-heading]'
  echo '{"a": 1}' > j; refused gcp-topology j 'j:1:' instances
}

@test "oci-topology: pdsh's lines and an object; GPU memory fabrics are NVLink domains" {
  jq -n '[["n1","i","b1","l1","g1"],["n2","i","b1","l2","g1"],["n3","i","b2","l3","g2"],["n4","i","b1","l1","g1"]] | map({(.[0]):
    {rackId: "r", rdmaTopologyData: {customerHPCIslandId: .[1], customerNetworkBlock: .[2], customerLocalBlock: .[3],
     customerGpuMemoryFabric: .[4]}}}) | add' > all
  for n in n1 n2 n3 n4; do jq ".$n" all | sed "s/^/$n: /"; done | sort -R --random-source=all -k 1,1 -s > pdsh
  topomap db import --db a.db oci-topology all
  topomap db import --db b.db oci-topology pdsh
  topomap db diff a.db b.db
  [ "$(hops a.db n1 n4) $(hops a.db n1 n2) $(hops a.db n1 n3)" = "2 4 6" ]
  [ "$(topomap db show --db a.db n2 --json | jq -r .domain)" = g1 ]
  levels_alone a.db 'n[1-4]'
  { cat pdsh; echo 'n5: curl: (7) Failed to connect'; } >some
  run --separate-stderr -0 topomap db import --db c.db oci-topology some
  warns_with 1 5
  topomap db diff a.db c.db
  jq .n1 all > one; refused oci-topology one 'one:1:'
  jq '.n1 = 1' all > bad; refused oci-topology bad "'n1'"
}

@test "topograph: its answer and its model of the same cluster are one" {
  cat > m.yaml <<'END'
# a model
switches:
  core:
    switches: [s1, s2]
  s1:
    switches:
    - leaf1
    - leaf2
  s2: {switches: [leaf3]}
blocks:
- switch: leaf1
  nodes: ["n[1-2]"]
  annotations:
    accelerator.topology.test/domain: nvl-1
- switch: leaf2
  nodes:
  - n3
- switch: leaf3
  nodes:
  - n4
END
  jq -n '{instances: [["n1","leaf1","s1"],["n2","leaf1","s1"],["n3","leaf2","s1"],["n4","leaf3","s2"]] | map({id: .[0],
    network_layers: [.[1], .[2], "core"], labels: (if .[1] == "leaf1" then {"accelerator.topograph.run/domain": "nvl-1"} else {} end)})}' > a.json
  topomap db import --db a.db topograph m.yaml
  topomap db import --db b.db topograph a.json
  topomap db diff a.db b.db
  [ "$(hops a.db n1 n2) $(hops a.db n1 n3) $(hops a.db n1 n4)" = "2 4 6" ]
  [ "$(topomap db show --db b.db n2 --json | jq -r .domain)" = nvl-1 ]
  levels_alone b.db 'n[1-4]'
  sed 's/s2: {switches: \[leaf3\]}/s2: {switches: [core]}/; s/leaf3/s2/' m.yaml > circle; refused topograph circle 'circle:'
  sed 's/n\[1-2\]/n[1-/' m.yaml > list; refused topograph list 'list:12:'
  sed 's/^blocks:/others:/' m.yaml > none; refused topograph none "'blocks'"
  printf 'a: [\n' > cut; refused topograph cut YAML
  echo '{}' > empty; refused topograph empty 'instances'
}

@test "real: topograph's models: nodes by scontrol or python, levels by grep" {
  [ -d "$shared/slurm" ] || skip "no data"
  for f in "$shared"/slurm/topograph-model-*.yaml; do
    rm -f t.db
    topomap db import --db t.db topograph "$f"
    nodes=$(python3 -c '
import sys, yaml
def size(text):
    if "[" not in text: return 1
    inner = text[text.index("[") + 1:text.index("]")]
    return sum(int(p.split("-")[-1]) - int(p.split("-")[0]) + 1 for p in inner.split(","))
print(sum(size(n) for b in yaml.safe_load(open(sys.argv[1]))["blocks"] for n in b["nodes"]))' "$f") || skip "no python3-yaml"
    [ "$(summary t.db hosts links topology)" = "[$nodes,0,\"tree\"]" ]
  done
}

# ---- Standard input --------------------------------------------------------------------------

@test "-: dumps, graphs, mappings and machines' lists from a pipe, packed or not; limits hold" {
  aws > t.json
  topomap db import --db a.db aws-topology t.json 2> said
  xz -c t.json | topomap db import --db b.db aws-topology - 2>> said
  zstd -qc t.json | topomap db import --db b.db aws-topology - 2>> said # again: the same source
  topomap db diff a.db b.db
  [ "$(grep -c 'standard input:6: 1 ' said)" = 2 ]
  line n1 0 0 31 42 | topomap db import --db a.db slingshot-ama -
  [ "$(summary a.db hosts)" = '[5]' ]
  run -3 topomap db import --db none.db gcp-topology - < t.json
  fails_with 3 'standard input:1:'
  printf '0,1,100\n1,2,50\n' > g.csv
  [ "$(topomap graph info --json - < g.csv)" = "$(topomap graph info --json g.csv)" ]
  printf '2\n1\n0\n' > m
  [ "$(xz -c g.csv | topomap eval --graph - --machine tree:2:2 --mapping m --json)" = \
    "$(topomap eval --graph g.csv --machine tree:2:2 --mapping - --json < m)" ]
  [ "$(topomap eval --graph g.csv --machine matrix:- --json <<< $'0 1 2\n1 0 1\n2 1 0' | jq .ranks)" = 3 ]
  large() { { echo '['; head -c 150M /dev/zero | tr '\0' ' '; } | topomap db import --db none.db ufm-links -; }
  run -3 large
  [[ $output == *"standard input"*"134217728"* ]] || { echo "$output"; false; }
  run -3 topomap db import --db none.db aws-topology - < /dev/null
  mkfifo fifo; run -3 timeout 10 topomap db import --db none.db aws-topology fifo
  [[ $output == *FIFO* ]]
  [ ! -e none.db ]
}

@test "hostile or odd: too many nodes in few words, levels in circles, a line behind an escaped quote" {
  { echo 'blocks:'; echo '- switch: s'; echo '  nodes:'; for i in $(seq 3); do echo '  - "a[0-499999]"'; done; } >many
  refused topograph many 'many:' 1000000
  printf '%s\n' '{"Instances":[' '{"InstanceId":"i-1\"","NetworkNodes":["a"]},' '{"InstanceId":"i-2","NetworkNodes":["a","a"]}]}' | sed 's/\\"//' >circle
  refused aws-topology circle 'circle:3:' "'a'"
  jq -n '[["a", "b"], ["b", "a"]] | {Instances: [range(2) as $i | {InstanceId: "i-\($i)", NetworkNodes: .[$i]}]}' >circle
  refused aws-topology circle "'a'"
  # The line of what comes behind an escaped quote.
  printf '%s\n' '{"Instances":[' '{"InstanceId":"i-1","Note":"5\"","NetworkNodes":["a"]},' '{"InstanceId":7}]}' >quoted
  refused aws-topology quoted 'quoted:3:'
}

@test "db synth as=: a machine through its own dump is that machine, by links and by distances" {
  local spec as format
  for spec in fat-tree:k=4,levels=3 torus:4x3,hosts=2,rails=2 dragonfly:a=4,p=2,h=2,fault=missing:3; do
    rm -rf made ./*.db
    topomap db synth "$spec,as=opa" -o made
    topomap db synth "$spec,as=lldp" -o made
    topomap db import --db ib.db ibnetdiscover made/fabric.ibnetdiscover
    topomap db import --db opa.db opa-links made/fabric.opa
    topomap db import --db lldp.db lldp made/fabric.lldp
    topomap db diff ib.db opa.db
    # Ethernet's 100 Gb/s are less than EDR's; nothing else differs.
    topomap db diff ib.db lldp.db >changes || true
    grep -c '^changed link .*: 103.124 Gb/s -> 100 Gb/s$' changes
    run ! grep -v '^changed link .*: 103.124 Gb/s -> 100 Gb/s$' changes
  done
  rm -rf made ./*.db
  topomap db synth fat-tree:k=4,levels=3,as=aws -o made
  topomap db import --db ib.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db import --db aws.db aws-topology made/fabric.aws-topology
  for db in ib aws; do topomap eval --graph random:n=16,deg=4 --db $db.db --nodes 'node[01-16]' --tasks-per-node 1 --json | jq -c '[.J, .hop_bytes]'; done | uniq | wc -l | grep -qx 1
  run -2 topomap db synth torus:4x4,as=none -o made
  # Slingshot: its cables are the machine's, in the plan's spelling; addresses know groups and switches.
  for spec in dragonfly:a=4,p=2,h=2 dragonfly:a=16,p=3,h=1,groups=9,rails=2,fault=missing:2; do
    rm -rf made ./*.db
    topomap db synth "$spec,as=slingshot" -o made
    topomap db import --db ib.db ibnetdiscover made/fabric.ibnetdiscover
    topomap db import --db cables.db slingshot-cables made/fabric.hsn_pt_pt.csv --option rate=100
    topomap db diff ib.db cables.db >changes || true
    run ! grep -vE '^changed link .*: 103.124 Gb/s -> 100 Gb/s( |$)' changes
    topomap db import --db ama.db slingshot-ama made/fabric.slingshot-ama
    [ "$(summary ama.db hosts topology)" = "$(summary ib.db hosts topology)" ]
    for node in x1000c0s0b0n0 x1000c0s1b0n0 x1000c1s0b0n0; do
      for db in ib ama; do
        topomap db show --db $db.db --json "$node" | jq -c '[.ports | length]'
      done | uniq | wc -l | grep -qx 1
    done
    # Two hosts are on one switch by both, or by neither.
    [ "$(hops ib.db x1000c0s0b0n0 x1000c0s0b0n1) $(hops ama.db x1000c0s0b0n0 x1000c0s0b0n1)" = "2 2" ]
    [ "$(hops ama.db x1000c0s0b0n0 x1000c1s0b0n0)" -gt 2 ]
  done
  run -2 topomap db synth torus:4x4,as=slingshot -o made
  fails_with 2 dragonfly 512
  for option in names=cn%03d first=0; do
    run -2 topomap db synth dragonfly:a=4,p=2,h=2,as=slingshot,$option -o refused
    fails_with 2 as=slingshot
    [ ! -e refused ]
  done
}
