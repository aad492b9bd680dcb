#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db collect: the commands that it prints, run with a stand-in for srun that goes from node to node.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir bin
  cat >bin/srun <<'END'
#!/bin/bash
echo "$TOPOMAP $*" >>"$SEEN"
while [ "$1" != sh ]; do [ "$1" != -w ] || list=$2; shift; done
for NODE in ${list//,/ }; do NODE=$NODE "$@"; done
END
  printf '#!/bin/sh\necho "$NODE"\n' >bin/hostname
  export PATH=$PWD/bin:$TOPOMAP_BUILD/cli:$PATH SEEN=$PWD/seen
}

summary() { topomap db show --db "$1" --summary --json | jq -c "[.$2]"; }

@test "slingshot: addresses of all interfaces of all nodes" {
  # Of no real /sys: cat tells what a node's interface has there.
  printf '#!/bin/sh\ncase $NODE in n1) echo 02:00:00:00:07:ea ;; *) echo 02:00:00:00:0f:eb ;; esac\n' >bin/cat
  topomap db collect slingshot --nodes n1,n2 --db a.db --srun '-p debug -t 5' >commands
  topomap db collect slingshot --nodes n1,n2 >without
  run ! grep -q -e --db without
  sed -i 's,/sys/class/net/hsn\*,/sys/class/net/hsn0,' commands
  chmod +x bin/*
  sh commands
  grep -q '^off -p debug -t 5 -N 2 --ntasks-per-node=1 -w n1,n2 sh -c ' seen
  [ "$(summary a.db hosts)" = '[2]' ]
}

@test "lldp: what hosts say of their switch" {
  cat >bin/lldpcli <<'END'
#!/bin/sh
[ "$*" = "show neighbors details -f json0" ] || exit 1
echo '{"lldp":[{"interface":[{"name":"eth0","via":"LLDP","chassis":[{"id":[{"type":"mac","value":"00:00:00:00:00:01"}],"name":[{"value":"leaf1"}],"capability":[{"type":"Bridge","enabled":true}]}],"port":[{"id":[{"type":"ifname","value":"swp'"${NODE#n}"'"}]}]}]}]}'
END
  chmod +x bin/*
  topomap db collect lldp --nodes n1,n2,n3 --db a.db | sh
  [ "$(summary a.db 'hosts, .switches, .links')" = '[3,1,3]' ]
}

@test "gcp and oci: what instances are told of their place; one without an answer is left out" {
  cat >bin/curl <<'END'
#!/bin/sh
case "$*" in
  "-sf -m 10 -H Metadata-Flavor: Google http://metadata.google.internal/computeMetadata/v1/instance/zone") printf projects/1/zones/us-c1-a ;;
  "-sf -m 10 -H Metadata-Flavor: Google http://metadata.google.internal/computeMetadata/v1/instance/attributes/physical_host")
    [ "$NODE" != n4 ] || exit 22; printf '/c/b%d/%d' $((${NODE#n} / 2)) "${NODE#n}" ;;
  "-sf -m 10 -H Authorization: Bearer Oracle http://169.254.169.254/opc/v2/host/")
    [ "$NODE" != n4 ] || exit 22
    printf '{"id": "x",\n"rdmaTopologyData": {"customerHPCIslandId": "c",\n"customerNetworkBlock": "b%d", "customerLocalBlock": "l%d"}}' \
      $((${NODE#n} / 2)) "${NODE#n}" ;;
  *) exit 1 ;;
esac
END
  chmod +x bin/*
  topomap db collect gcp --nodes n1,n2,n3,n4 --db gcp.db | sh
  topomap db collect oci --nodes n1,n2,n3,n4 --db oci.db | sh 2>err
  has_tokens "$(<err)" 1 4
  for db in gcp oci; do
    [ "$(summary $db.db hosts)" = '[3]' ]
    near=$(topomap db distance --db $db.db n2 n3 --json | jq .hops) far=$(topomap db distance --db $db.db n1 n2 --json | jq .hops)
    [ "$near" -lt "$far" ]
  done
}

@test "hwloc and gpu: one node for all of them; NVLink domains of all" {
  printf '#!/bin/sh\n[ "$NODE" = n1 ] && exec %s -i "pack:2 core:4 pu:1" --of xml\n' "$(PATH=${PATH#"$PWD/bin":} command -v lstopo-no-graphics)" >bin/lstopo-no-graphics
  cat >bin/nvidia-smi <<'END'
#!/bin/sh
case $1 in
  topo) printf '\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\t0-3\t0\nGPU1\tNV4\t X \t4-7\t1\n' ;;
  *) echo "8c1a0000-0000-0000-0000-00000000000${NODE#n}, 32766"; echo "second GPU" ;;
esac
END
  chmod +x bin/*
  topomap db collect hwloc --nodes n1,n2 --db a.db | sh
  topomap db collect gpu --nodes n1,n2 --db a.db | sh
  [ "$(summary a.db 'hosts, .classes')" = '[2,1]' ]
  [ "$(topomap db show --db a.db n2 --json | jq '.gpus | length')" = 2 ]
  [ "$(for n in n1 n2; do topomap db show --db a.db "$n" --json | jq -r .domain; done | sort -u | wc -l)" = 2 ]
  # Each is asked of one node but the domains.
  [ "$(grep -c -e '-w n1 ' seen)" = 2 ]
}

@test "names are quoted, and usage" {
  run -0 topomap db collect lldp --nodes "n1,n2" --db "it's; rm -rf x"
  [[ $output == *"--db 'it'\\''s; rm -rf x' lldp -" ]]
  run -2 topomap db collect lldp
  [[ $output == *"--nodes HOSTLIST"* ]]
  run -2 topomap db collect none --nodes n1
  fails_with 2 slingshot lldp hwloc gpu gcp oci
  run -2 topomap db collect lldp --nodes 'n[1'
}
