#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# GPUs and NICs of nodes: hwloc's XML, `nvidia-smi topo -m`, NCCL's topology, NVLink domains.
bats_require_minimum_version 1.5.0

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  shared="$TOPOMAP_SOURCE/../shared/data"
  cd "$BATS_TEST_TMPDIR"
}

import() { topomap db import --db t.db "$@" >/dev/null; }
node() { topomap db show --db t.db "$1" --json | jq -c "$2"; }

@test "hwloc: MI250X, whose NUMA nodes stand in another order than its GPUs" {
  import hwloc "$data/mi250x.xml"
  [ "$(node mi01 '[.gpus[] | [.index, .name, .numa, .cpus, .nic]]')" = \
    '[[0,"rsmi0",3,"12-13,28-29","hsn0"],[1,"rsmi1",3,"14-15,30-31","hsn0"],[2,"rsmi2",1,"4-5,20-21","hsn1"],[3,"rsmi3",1,"6-7,22-23","hsn1"],[4,"rsmi4",0,"0-1,16-17","hsn2"],[5,"rsmi5",0,"2-3,18-19","hsn2"],[6,"rsmi6",2,"8-9,24-25","hsn3"],[7,"rsmi7",2,"10-11,26-27","hsn3"]]' ]
  [ "$(node mi01 '[.gpus[].rail]')" = '[0,0,1,1,2,2,3,3]' ]
  [ "$(node mi01 '.gpus[0].links | map([.gpu, .mbytes])')" = '[[1,200000],[2,50000],[6,100000]]' ]
  [ "$(node mi01 '[.gpus[0].uuid, .gpus[1].nic_near, .gpus[0].nic_near, .gpus[0].vendor]')" = '["00000000000000a0","PHB","NODE","amd"]' ]
  [ "$(node mi01 '[.nics[] | [.name, .numa, .gpus]]')" = '[["hsn0",3,[0,1]],["hsn1",1,[2,3]],["hsn2",0,[4,5]],["hsn3",2,[6,7]]]' ]
  [ "$(node mi01 '[.nics[].gpu]')" = '[1,3,5,7]' ]
}

@test "hwloc: GH200, each GPU on its own package; a NIC that is down is not a GPU's" {
  import hwloc "$data/gh200.xml"
  [ "$(node gh01 '[.gpus[] | [.name, .bus, .package, .nic]]')" = \
    '[["cuda0","0009:01:00.0",0,"mlx5_0"],["cuda1","0019:01:00.0",1,"mlx5_1"],["cuda2","0029:01:00.0",2,"mlx5_2"],["cuda3","0039:01:00.0",3,"mlx5_0"]]' ]
  [ "$(node gh01 '[.gpus[3].uuid, .nics[3].state, .nics[0].state, .gpus[0].names]')" = '["GPU-00000003-1111-2222-3333-444444444444","down","up",["cuda0","nvml0"]]' ]
  # For a list of nodes, what is one node's alone is that node's.
  import hwloc "$data/gh200.xml" --nodes 'gh[01-04]'
  [ "$(node gh02 '[.gpus[3].uuid, .nics[3].state, .gpus[3].nic]')" = '[null,null,"mlx5_3"]' ]
  [ "$(node gh01 '.nics[3].state')" = '"down"' ]
}

@test "hwloc: PVC, whose GPUs have subdevices that are linked; a NIC for each GPU of a package" {
  import hwloc "$data/pvc.xml"
  [ "$(node pvc01 '[.gpus[] | [.name, .package, .nic]]')" = \
    '[["ze0",0,"hsn0"],["ze1",0,"hsn1"],["ze2",0,"hsn2"],["ze3",1,"hsn4"],["ze4",1,"hsn5"],["ze5",1,"hsn6"]]' ]
  # A stack of each to a stack of the other, twice.
  [ "$(node pvc01 '[.gpus[].links[].mbytes] | unique')" = '[52000]' ]
  [ "$(node pvc01 '[(.gpus[0].links | length), .gpus[0].uuid, .gpus[0].vendor]')" = '[5,"00000000-0000-0000-0018-0000002f0bd6","intel"]' ]
}

@test "db show draws packages, NUMA nodes, PCI switches, GPUs, NICs and the links" {
  import hwloc "$data/gh200.xml"
  run -0 topomap db show --db t.db gh01
  [[ $output == *"NUMA node 3  CPUs 12-15"*"GPU 3  cuda3"*"0039:01:00.0"*"NIC mlx5_0 (SYS)"*"NIC mlx5_3"*down* ]]
  [[ $output == *"GPU0 "*X*150GB/s* ]]
  rm t.db
  import nccl-topology "$data/a100.nccl.xml" --nodes n1
  run -0 topomap db show --db t.db n1
  [[ $output == *"PCI switch 0000:81:00.0"$'\n'"    GPU 2  nvml2"*"NIC mlx5_2 (PIX)"* ]]
  [[ $output == *NV12* ]]
}

@test "nvidia-smi topo -m: an H100 node with two NICs that no GPU is next to; escape sequences" {
  import gpu-matrix "$data/h100.topo" --nodes 'n[1-2]'
  [ "$(node n2 '[.gpus[].nic]')" = '["mlx5_0","mlx5_3","mlx5_4","mlx5_5","mlx5_6","mlx5_7","mlx5_8","mlx5_9"]' ]
  [ "$(node n2 '[.gpus[].rail]')" = '[0,1,2,3,4,5,6,7]' ]
  [ "$(node n2 '[.gpus[3].numa, .gpus[4].numa, .gpus[4].cpus, (.gpus[0].links | length), .gpus[0].links[0].links]')" = '[0,1,"56-111,168-223",7,18]' ]
}

@test "nvidia-smi topo -m: what is cut, wrapped or does not agree is refused with its line" {
  head='	GPU0	GPU1	NIC0	CPU Affinity	NUMA Affinity'
  printf '%s\nGPU0	 X 	NV4	PIX	0-7	0\nGPU1	NV4	 X 	SYS	8-15	1\nNIC0	PIX	SYS	 X \n' "$head" >good
  import gpu-matrix good --nodes a
  [ "$(node a '[.gpus[0].nic, .gpus[0].links[0].links, .nics[0].name]')" = '["NIC0",4,"NIC0"]' ]
  sed '$d' good >cut
  sed 's/SYS	8-15/PHB	8-15/' good >unequal
  sed 's/NV4	PIX/NV4/' good >short
  sed 's/NV4	PIX/NVx	PIX/' good >word
  sed 's/ X 	NV4/NV4	NV4/' good >diagonal
  sed 's/^GPU1/GPU7/' good >other
  echo 'GPU 0: NVIDIA H100' >list
  for f in cut:'row of NIC0 is missing' unequal:'unequal:4: GPU1 to NIC0' short:"short:2: GPU0, NIC0: '0-7' is none" word:"'NVx' is none of" \
    diagonal:'diagonal alone' other:'expected the row of GPU1' list:'no header'; do
    run -3 topomap db import --db no.db gpu-matrix "${f%%:*}" --nodes a
    [[ $output == *"${f#*:}"* ]]
  done
  [ ! -e no.db ]
  run -2 topomap db import --db no.db gpu-matrix good
  [[ $output == *--nodes* ]]
}

@test "NCCL's topology: switches, NVSwitches, affinities; what is none is refused" {
  import nccl-topology "$data/a100.nccl.xml" --nodes n1
  [ "$(node n1 '[.gpus[] | [.nic, .nic_near, .numa, .cpus]]')" = '[["mlx5_0","PIX",0,"0-15"],["mlx5_1","PIX",0,"0-15"],["mlx5_2","PIX",1,"16-47"],["mlx5_3","PIX",1,"16-47"]]' ]
  [ "$(node n1 '.gpus[0].links | map([.gpu, .links, .mbytes])')" = '[[1,12,240000],[2,12,240000],[3,12,240000]]' ]
  [ "$(node n1 '.nics[0] | [.mbps, .bus]')" = '[200000,"0000:0b:00.0"]' ]
  # Clouds' files: classes alone, switches that no machine has.
  cat >cloud <<'XML'
<system version="1"><cpu numaid="0" affinity="00000000,00ffffff"><pci busid="ffff:ff:01.0" class="0x060400">
<pci busid="0002:00:00.0" class="0x030200"/><pci busid="0001:00:00.0" class="0x030200"/><pci busid="0101:00:00.0" class="0x020700"/></pci></cpu></system>
XML
  import nccl-topology cloud --nodes c1
  [ "$(node c1 '[.gpus[].bus, .gpus[0].nic, .gpus[0].nic_near]')" = '["0001:00:00.0","0002:00:00.0","0101:00:00.0","PIX"]' ]
  echo '<graphs version="1"></graphs>' >graph
  head -c 600 "$data/a100.nccl.xml" >cut
  echo '<system version="1"><cpu numaid="0" affinity="xyz"/></system>' >affinity
  echo '<system version="1"><cpu><pci busid="7"/></cpu></system>' >bus
  echo '<system version="1"/>' >empty
  for f in graph:'expected <system>' cut:'cut' affinity:'hexadecimal' bus:"busid '7'" empty:'no GPU'; do
    run -3 topomap db import --db no.db nccl-topology "${f%%:*}" --nodes a
    [[ $output == *"${f%%:*}:"*"${f#*:}"* ]]
  done
}

@test "several sources of one node are joined by bus id, in whichever order they come" {
  cat >nccl <<'XML'
<system version="1"><cpu numaid="0"><pci busid="0009:01:00.0" class="0x030200"><gpu dev="0" sm="90"><nvlink target="0019:01:00.0" count="6" tclass="0x030200"/></gpu></pci></cpu>
<cpu numaid="1"><pci busid="0019:01:00.0" class="0x030200"><gpu dev="1" sm="90"/></pci></cpu></system>
XML
  import hwloc "$data/gh200.xml"
  import nccl-topology nccl --nodes gh01
  node gh01 '[.gpus, .nics]' >one
  rm t.db
  import nccl-topology nccl --nodes gh01
  import hwloc "$data/gh200.xml"
  node gh01 '[.gpus, .nics]' >other
  cmp one other
  [ "$(jq -c '[.[0][0].links[0], (.[0] | length)]' one)" = '[{"gpu":1,"links":6,"mbytes":150000},4]' ]
  # The same file again takes its own place; another hwloc file of the node wins over the earlier.
  import hwloc "$data/gh200.xml"
  [ "$(node gh01 '.gpus | length')" = 4 ]
}

@test "NVLink domains: cliques, and Slurm's blocks where there are none" {
  cat >cliques <<'END'
# node, fabric.clusterUuid, fabric.cliqueId
n1, 11111111-2222-3333-4444-555555555555, 32766
n1, 11111111-2222-3333-4444-555555555555, 32766
n2 11111111-2222-3333-4444-555555555555.32766
n3, 11111111-2222-3333-4444-555555555555, 7
n4, N/A, N/A
n5, 00000000-0000-0000-0000-000000000000, 0
END
  printf 'BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-5]\nBlockSizes=2\n' >topology.conf
  import slurm-topology topology.conf
  [ "$(node n4 .domain)" = '"b2"' ]
  import nvlink-cliques cliques
  [ "$(for n in 1 2 3 4 5; do node n$n .domain; done | tr '\n' ' ')" = \
    '"11111111-2222-3333-4444-555555555555.32766" "11111111-2222-3333-4444-555555555555.32766" "11111111-2222-3333-4444-555555555555.7" null null ' ]
  run -0 topomap db show --db t.db n1
  [[ $output == *"NVLink domain 11111111"* ]]
  printf 'n1, 1-1, 1\nn1, 1-1, 2\n' >twice
  echo 'n1, N/A, N/A' >none
  echo 'n1' >short
  echo 'n1, 1-1, x' >clique
  for f in twice:'is in another domain on line 1' none:'no node is in' short:'expected a node' clique:"'x' is not a clique"; do
    run -3 topomap db import --db no.db nvlink-cliques "${f%%:*}"
    [[ $output == *"${f#*:}"* ]]
  done
}

@test "a database of the first release has no devices, and takes some" {
  db="$TOPOMAP_SOURCE/tests/data/compat/0.1.0/db/torus.db.xz"
  xz -dc "$db" >t.db
  sqlite3 t.db 'DROP TABLE IF EXISTS host_devices; DROP TABLE IF EXISTS own_device; DROP TABLE IF EXISTS host_domain'
  name=$(topomap db show --db t.db --json | jq -r '.[0].name')
  [ "$(node "$name" '[.gpus, .nics, .domain]')" = '[[],[],null]' ]
  import nccl-topology "$data/a100.nccl.xml" --nodes "$name"
  [ "$(node "$name" '.gpus | length')" = 4 ]
}

@test "real files: GPUs and NICs as many as in the text, and each GPU's NIC" {
  [ -d "$shared/gpu" ] || skip
  import nccl-topology "$shared/gpu/oci-h100-nccl-topo.xml" --nodes oci
  [ "$(node oci '[(.gpus | length), (.nics | length), ([.gpus[].nic_near] | unique), ([.gpus[].links[].links] | unique)]')" = '[8,8,["PIX"],[18]]' ]
  for f in azure-ndv2:8:1 azure-ndv4:8:8; do
    IFS=: read -r name gpus nics <<<"$f"
    import nccl-topology "$shared/gpu/$name-nccl-topo.xml" --nodes "$name"
    [ "$(node "$name" '[(.gpus | length), (.nics | length)]')" = "[$gpus,$nics]" ]
  done
  import hwloc "$shared/gpu/prrte-turin-4gpu-nvml.xml.xz" --nodes 'turin[1-2]'
  [ "$(node turin1 '[.gpus[] | [.nic, .nic_near]]')" = '[["mlx5_0","PXB"],["mlx5_3","PXB"],["mlx5_4","PXB"],["mlx5_5","PXB"]]' ]
  import hwloc "$shared/hwloc/mpibind-eas-tioga.xml" --nodes tioga
  [ "$(node tioga '[.gpus[] | [.name, .numa, .nic]]')" = '[["rsmi0",3,"hsi0"],["rsmi1",3,"hsi0"],["rsmi2",1,"hsi1"],["rsmi3",1,"hsi1"],["rsmi4",0,"hsi2"],["rsmi5",0,"hsi2"],["rsmi6",2,"hsi3"],["rsmi7",2,"hsi3"]]' ]
  import hwloc "$shared/hwloc/hwloc-nvidiaDGX2.xml" --nodes dgx2
  [ "$(node dgx2 '[(.gpus | length), ([.gpus[].links[].mbytes] | unique), ([.gpus[].links | length] | unique)]')" = '[16,[150000],[15]]' ]
  import hwloc "$shared/hwloc/flux-tuo.SPX.xml" --nodes tuo
  [ "$(node tuo '[.gpus[] | [.name, .nic, .nic_near]]')" = '[["rsmi0","hsi0","PHB"],["rsmi1","hsi1","PHB"],["rsmi2","hsi2","PHB"],["rsmi3","hsi3","PHB"]]' ]
}
