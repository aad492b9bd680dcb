#!/usr/bin/env bats
# topomap db import of Slingshot, Ethernet, Omni-Path, managed fabrics and clouds: small files made
# here, what is refused, and real samples where they are, their counts found by other means.
bats_require_minimum_version 1.5.0

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  shared="$TOPOMAP_SOURCE/../shared/data"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
}

summary() { # DB FIELD...
  local db=$1; shift
  topomap db show --db "$db" --summary --json | jq -c "[$(printf '.%s,' "$@" | sed 's/,$//')]"
}
hops() { topomap db distance --db "$1" "$2" "$3" --json | jq .hops; }
refused() { # FORMAT FILE WHAT... : refused with these words, and no database is made
  local format=$1 file=$2; shift 2
  run -3 topomap db import --db none.db "$format" "$file"
  for word in "$@"; do [[ $output == *"$word"* ]] || { echo "$output"; return 1; }; done
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
  [[ $output == *"links are not known"* ]]
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
  [[ $stderr == *"t:7: 1 addresses do not begin with 02:00:00:"*"1 more warning"* ]]
  [ "$(summary a.db hosts switches links)" = '[3,2,4]' ]
  [ "$(hops a.db n1 n2) $(hops a.db n1 n3) $(hops a.db n2 n3)" = "2 3 2" ]
  { line n1 0 2 3 4; line n9 0 2 3 4; } > two; refused slingshot-ama two "two:2: 'n9' has the address of 'n1' on line 1"
  { line n1 0 2 3 4; line n1 0 2 3 5; } > nic; refused slingshot-ama nic "NIC 0 of 'n1' has another address"
  line n1 0 2 3 4 | sed 's/002.03.04/002.03.05/' > cut; refused slingshot-ama cut 'cut:1:' 'location 2.3.4'
  echo "$(address 2 3 4)" > bare; refused slingshot-ama bare 'bare:1:' "a host's name"
  echo 'n5 hsn0 a4:bf:01:3e:00:11' > burnt; refused slingshot-ama burnt 'burnt:1:' 'slingshot-cables'
  : > empty; refused slingshot-ama empty 'no line with a host and an address'
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
  sed 's/x9000c1r3j12/x9000c1s3j12/' c.csv > odd; refused slingshot-cables odd 'odd:5:' "not 'x9000c1s3j12'"
  sed 's/dst_conn_a/there/' c.csv > head; refused slingshot-cables head 'head:3:' 'dst_conn_a'
  sed 's/^2,.*/2,x9000c1r1j10/' c.csv > cut; refused slingshot-cables cut 'cut:5:' 'cut'
  sed 's/^2,.*/2,x9000c1r1j100,none,x9000c1r3j12,none,1,local,1,1,[]/' c.csv > twice
  refused slingshot-cables twice "another link on line"
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
