#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The order in which Slurm gives tasks to nodes, with each topology that this Slurm has: the dry run
# has the same layout and the same gain as the launch, and the step is placed.
bats_require_minimum_version 1.5.0

# Twelve nodes, dealt round four leaf switches.
readonly FABRIC=fat-tree:leaves=4,hosts=3,spines=2,scatter=1
readonly EIGHT='node[01,03-04,06-07,09-10,12]'

release() { # as a number: 2205, 2605
  slurmd -V | sed -n 's/.* \([0-9][0-9]\)\.\([0-9][0-9]\).*/\1\2/p'
}

since() { # RELEASE WHAT
  (($(release) >= $1)) || skip "Slurm $(slurmd -V | cut -d' ' -f2) has no $2"
}

# topology.yaml needs a Slurm that was built with libyaml.
since_yaml() {
  since "$@"
  local prefix
  prefix=$(dirname "$(dirname "$(command -v slurmctld)")")
  compgen -G "$prefix/lib*/slurm*/serializer_yaml.so" >/dev/null ||
    { [[ $prefix == /usr ]] && compgen -G '/usr/lib/*/slurm*/serializer_yaml.so' >/dev/null; } ||
    skip "this Slurm was built without YAML"
}

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export DUMP=$BATS_FILE_TMPDIR/fabric
  "$TOPOMAP_SOURCE/contrib/testbed/fabric" "$FABRIC" -o "$DUMP" >"$BATS_FILE_TMPDIR/made" 2>&1
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir etc
  export XDG_CACHE_HOME=$PWD/cache
  BED='' order=()
  PATH=$TOPOMAP_BUILD/cli:$PATH
}

teardown() {
  [[ -z $BED ]] || "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

# Starts a Slurm with the files of etc, and tells its database what the administrator would.
start() {
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --fabric "$DUMP/fabric.ibnetdiscover" --etc etc --cpus 4 \
    --dir "$BATS_TEST_TMPDIR/bed")"
  BED=$BATS_TEST_TMPDIR/bed
  export SLURM_CONF TOPOMAP_DB PATH
  cp "$TOPOMAP_DB" mine.db
  TOPOMAP_DB=$BATS_TEST_TMPDIR/mine.db
  local file
  for file in etc/topology.*; do
    [[ ! -e $file ]] || topomap db import slurm-topology "$file"
  done
  scontrol show config >config
  topomap db import slurm-config config
}

order_is() {
  [ "$(topomap db show --summary --json | jq -r .slurm_order)" = "$1" ]
}

# real OPTIONS...: "task node" lines of a step; its nodes and counts go into the file step.
real() {
  srun "$@" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"
    [ "$SLURM_PROCID" != 0 ] || echo "$SLURM_STEP_NODELIST $SLURM_STEP_TASKS_PER_NODE $SLURM_STEP_NUM_TASKS" >step' \
    </dev/null | sort -n
}

# The same of the dry run's record: its line "layout" has the tasks of each node.
dry() {
  scontrol show hostnames "$(awk '$1 == "nodes" { print $2 }' plan)" >hosts
  awk '$1 == "layout" { print $2; exit }' plan | tr ';' '\n' | paste -d' ' hosts - | awk '{
      n = split($2, part, ",")
      for (i = 1; i <= n; i++) { m = split(part[i], end, "-"); for (t = end[1]; t <= end[m]; t++) print t, $1 } }' | sort -n
}

# Slurm's layout and the gain, digit for digit: the table of the explanation, without its head.
table() {
  awk '/cost J|hop-bytes|dilation|most hops|^  [0-9]+ hops|^  node  / { print }' "$1" | sed 's/  */ /g'
}

# same GRAPH OPTIONS...: a step as Slurm makes it, its dry run, and the same step placed.
same() {
  local graph=$1 nodes counts tasks
  shift
  real "$@" >real
  read -r nodes counts tasks <step
  topomap map --graph "$graph" --nodes "$nodes" --tasks-per-node "$counts" "${order[@]}" --format plan -o plan
  dry >dry
  diff real dry
  topomap map --graph "$graph" --nodes "$nodes" --tasks-per-node "$counts" "${order[@]}" --effort fast >mapped
  # The testbed's database knows the fabric alone: the launch needs no more.
  srun "$@" --distribution=topomap --topomap="$graph" --topomap-explain="$PWD/explained" \
    sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME $TOPOMAP_APPLIED"' </dev/null | sort -n >placed
  table mapped >table.map
  table explained >table.launch
  diff table.map table.launch
  [ "$(wc -l <placed)" -eq "$tasks" ]
  topomap map --graph "$graph" --nodes "$nodes" --tasks-per-node "$counts" "${order[@]}" --effort fast --json >mapped.json
  [ "$(jq '.gain > 0' mapped.json)" != true ] ||
    diff <(jq -r '.placement[] | "\(.rank) \(.node) 1"' mapped.json) placed
}

tree() {
  topomap db import --db tree.db ibnetdiscover "$DUMP/fabric.ibnetdiscover"
  topomap db export --db tree.db --to slurm-topology >etc/topology.conf
  echo TopologyPlugin=topology/tree >etc/slurm.conf
}

@test "a tree: the dry run is the launch, digit for digit, and Slurm's layout is what it says" {
  local graph expected=node-index
  tree
  start
  (($(release) < 2605)) || expected=topology
  order_is "$expected"
  for graph in stencil2d:5:4x4 stencil2d:5:8x2 stencil2d:5:16x1; do
    same "$graph" -w "$EIGHT" -N 8 -n 16 --ntasks-per-node=2
    topomap map --graph "$graph" --nodes "$EIGHT" --tasks-per-node 2 --json >default.json
    [ "$(jq .gain default.json)" = "$(jq .gain mapped.json)" ]
    echo "# $graph: $(jq .gain mapped.json) %" >&3
  done
  same stencil2d:5:11x1 -w "$EIGHT" -N 8 -n 11
  [ "$(real -m cyclic -w "$EIGHT" -N 8 -n 16 | head -2 | tail -1)" = "1 node03" ]
}

# like NAME OPTIONS...: what J has the candidate of that name, and what has the step that Slurm makes.
like() {
  local name=$1 nodes counts tasks J
  shift
  real "$@" >real
  read -r nodes counts tasks <step
  cut -d' ' -f2 real >nodes
  topomap map --graph "random:$tasks,deg=6" --nodes "$nodes" --tasks-per-node "$counts" --slurm-order node-index --json >mapped.json
  J=$(topomap eval --graph "random:$tasks,deg=6" --nodes "$nodes" --tasks-per-node "$counts" --slurm-order nodes --json | jq .J)
  echo "# $name of $counts: J $J" >&3
  [ "$(jq --arg name "$name" '.candidates[] | select(.name == $name).J' mapped.json)" = "$J" ]
}

@test "cyclic and plane are as Slurm deals them, nodes of unequal counts among them" {
  tree
  start
  like cyclic -w "$EIGHT" -N 8 -n 16 --ntasks-per-node=2 -m cyclic
  like cyclic -w "$EIGHT" -N 8 -n 11 -m cyclic
  like plane=2 -w 'node[03,07,10]' -N 3 -n 12 -m plane=2
  like plane=2 -w 'node[03,07,10]' -N 3 -n 10 -m plane=2
  srun -w "$EIGHT" -N 8 -n 11 --distribution=topomap --topomap=stencil2d:5:11x1 --topomap-explain="$PWD/explained" true </dev/null
  grep -q '^  candidate cyclic  *J ' explained
}

@test "a tree whose nodes are laid out by index: CR_NO_DIST_TOPO_BLOCK" {
  since 2605 CR_NO_DIST_TOPO_BLOCK
  tree
  echo SelectTypeParameters=CR_Core,CR_NO_DIST_TOPO_BLOCK >>etc/slurm.conf
  start
  order_is node-index
  same stencil2d:5:4x4 -w "$EIGHT" -N 8 -n 16 --ntasks-per-node=2
}

@test "SwitchAsNodeRank: nodes are numbered by leaf switches" {
  since 2302 SwitchAsNodeRank
  tree
  echo TopologyParam=SwitchAsNodeRank >>etc/slurm.conf
  start
  order_is topology
  same stencil2d:5:4x4 -w "$EIGHT" -N 8 -n 16 --ntasks-per-node=2
  # By its names, in any order, the allocation is the same one.
  topomap eval --graph stencil2d:5:4x4 --nodes "$EIGHT" --tasks-per-node 2 --json >eval.json
  [ "$(jq .J eval.json)" = "$(jq .before.J mapped.json)" ]
}

@test "SwitchAsNodeRank: of a node on two leaf switches the last numbers it, the first ranks it" {
  since 2302 SwitchAsNodeRank
  cat >etc/topology.conf <<'EOF'
SwitchName=s1 Nodes=node[02,04,06,08]
SwitchName=s2 Nodes=node[01-03,09,10]
SwitchName=s3 Nodes=node[05,07,11,12]
SwitchName=top Switches=s[1-3]
EOF
  printf '%s\n' TopologyPlugin=topology/tree TopologyParam=SwitchAsNodeRank >etc/slurm.conf
  start
  same stencil2d:5:6x4 -N 12 -n 24 --ntasks-per-node=2
  [ "$(topomap eval --graph stencil2d:5:6x4 --nodes 'node[01-12]' --tasks-per-node 2 --json | jq .J)" = "$(jq .before.J mapped.json)" ]
}

# With TopologyPlugin=topology/tree slurmctld does not start; beside a topology.yaml it does.
@test "select/linear does not ask the topology" {
  since_yaml 2605 'block layout along its topology'
  cat >etc/topology.yaml <<'EOF'
- topology: leaves
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: s[1-3]
      - switch: s1
        nodes: node[02,05,08,11]
      - switch: s2
        nodes: node[01,04,07,10]
      - switch: s3
        nodes: node[03,06,09,12]
EOF
  printf '%s\n' SelectType=select/linear SelectTypeParameters=CR_Memory >etc/slurm.conf
  start
  order_is node-index
  same stencil2d:5:4x4 -w "$EIGHT" -N 8 -n 16 --ntasks-per-node=2
}

blocks() {
  cat >etc/topology.conf <<'EOF'
BlockName=b1 Nodes=node[01,04,07,10]
BlockName=b2 Nodes=node[02,05,08,11]
BlockName=b3 Nodes=node[03,06,09,12]
EOF
  # 23.11 counts levels.
  if (($(release) < 2405)); then echo BlockLevels=0; else echo BlockSizes=4; fi >>etc/topology.conf
  echo TopologyPlugin=topology/block >etc/slurm.conf
}

@test "blocks and segments" {
  since 2311 topology/block
  local expected=node-index
  blocks
  start
  (($(release) < 2605)) || expected=topology
  order_is "$expected"
  same stencil2d:5:6x4 -N 12 -n 24
  (($(release) >= 2411)) || return 0
  same stencil2d:5:4x4 -N 4 -n 16 --segment=2
  (($(release) >= 2511)) || return 0
  same stencil2d:5:4x4 -N 4 -n 16 --segment=2 --spread-segments
  same stencil2d:5:4x4 -N 4 -n 16 --segment=2 --consolidate-segments
}

@test "BlockAsNodeRank: nodes are numbered by blocks" {
  since 2511 BlockAsNodeRank
  blocks
  echo TopologyParam=BlockAsNodeRank >>etc/slurm.conf
  start
  order_is topology
  same stencil2d:5:6x4 -N 12 -n 24
}

# part OPTION LIST...: steps on some nodes of a job that has all twelve; --job-nodes, or in the job.
part() {
  local job list nodes counts layout
  salloc -Q --no-shell -N 12 -n 24 --ntasks-per-node=2 "$1"
  shift
  job=$(squeue -h -o %i)
  order=(--job-nodes 'node[01-12]')
  for list; do
    same stencil2d:5:4x2 --jobid="$job" -w "$list" -N 4 -n 8
    layout=$(grep ^layout plan)
    read -r nodes counts _ <step
    SLURM_JOB_NODELIST=$(squeue -h -o %N) topomap map --graph stencil2d:5:4x2 --nodes "$nodes" --tasks-per-node "$counts" \
      --format plan -o plan
    [ "$(grep ^layout plan)" = "$layout" ]
  done
  scancel "$job"
}

@test "rings" {
  since_yaml 2605 topology/ring
  cat >etc/topology.yaml <<'EOF'
- topology: rings
  cluster_default: true
  ring:
    rings:
      - ring: odd
        nodes: node[09,11,01,03,05,07]
      - ring: even
        nodes: node[08,02,12,04,10,06]
EOF
  start
  order_is topology
  same stencil2d:5:6x4 -N 12 -n 24 --segment=6
  same stencil2d:5:4x2 -N 4 -n 8 -w 'node[09,11,07,05]'
  part --segment=6 'node[09,11,07,05]' 'node[09,07,08,06]'
}

@test "a torus along its curve, also round the end" {
  since_yaml 2605 topology/torus3d
  cat >etc/topology.yaml <<'EOF'
- topology: torus
  cluster_default: true
  torus3d:
    toruses:
      - name: pod
        dims: {x: 4, y: 3, z: 1}
        nodes: node[01,09,05,12,02,10,06,11,03,08,04,07]
        placements:
          - dims: {x: 4, y: 3, z: 1}
          - dims: {x: 2, y: 2, z: 1}
            anchor_seed: {x: 3, y: 2, z: 0}
          - dims: {x: 3, y: 2, z: 1}
EOF
  start
  order_is topology
  same stencil2d:5:6x4 -N 12 -n 24
  same stencil2d:5:4x2 -N 4 -n 8
  same stencil2d:5:4x3 -N 6 -n 12
  part --exclusive 'node[01,12,03,07]'
}

@test "several topologies, by partition" {
  since_yaml 2505 topology.yaml
  cat >etc/topology.yaml <<'EOF'
- topology: leaves
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: s[1-4]
      - switch: s4
        nodes: node[04,08,12]
      - switch: s3
        nodes: node[03,07,11]
      - switch: s2
        nodes: node[02,06,10]
      - switch: s1
        nodes: node[01,05,09]
- topology: racks
  block:
    block_sizes: [4]
    blocks:
      - block: b1
        nodes: node[02,05,08,11]
      - block: b2
        nodes: node[01,04,07,10]
      - block: b3
        nodes: node[03,06,09,12]
- topology: none
  flat: true
EOF
  cat >etc/slurm.conf <<'EOF'
PartitionName=racks Nodes=ALL Topology=racks
PartitionName=none Nodes=ALL Topology=none
EOF
  start
  local expected=node-index
  (($(release) < 2605)) || expected=topology
  order_is "$expected"
  same stencil2d:5:6x4 -N 12 -n 24
  ((! $(($(release) >= 2605)))) || order=(--slurm-order topology:racks)
  same stencil2d:5:6x4 -p racks -N 12 -n 24
  ((! $(($(release) >= 2605)))) || order=(--slurm-order topology:none)
  same stencil2d:5:6x4 -p none -N 12 -n 24
}

# The nodes of all tasks as MPICH reads them from mpi/pmi2, by PMI's own lines: "task node".
mapped() {
  srun "$@" perl -e 'open(my $fd, "+<&=", $ENV{PMI_FD}) or die;
    sub ask { syswrite $fd, "$_[0]\n"; sysread $fd, my $answer, 4096; return $answer }
    ask("cmd=init pmi_version=1 pmi_subversion=1");
    my ($space) = ask("cmd=get_my_kvsname") =~ /kvsname=(\S+)/;
    my $map = ask("cmd=get kvsname=$space key=PMI_process_mapping");
    ask("cmd=finalize");
    exit if $ENV{PMI_RANK};
    my $task = 0;
    while ($map =~ /\((\d+),(\d+),(\d+)\)/g) {
      for my $node ($1 .. $1 + $2 - 1) { print $task++, " $node\n" for 1 .. $3 }
    }' </dev/null >map
  awk 'NR == FNR { name[FNR - 1] = $1; next } { print $1, name[$2] }' hosts map
}

@test "MPICH under mpi/pmi2 with uneven counts runs where topomap is switched on, placed or not" {
  since 2605 'block layout along its topology'
  local program=$TOPOMAP_BUILD/contrib/testbed/programs/whereami.mpich step=(-w "$EIGHT" -N 8 -n 13 --mpi=pmi2) way
  local -A ways=([placed]=stencil2d:5:13x1 ["nothing to place by"]=/no/such/graph ["profiled first"]=auto)
  tree
  start
  scontrol show hostnames "$EIGHT" >hosts
  real "${step[@]}" >real
  # A step that asked for nothing is Slurm's, with a map that is not its layout's: MPICH 4.0 aborts.
  run ! diff real <(mapped "${step[@]}")
  run ! diff real <(mapped "${step[@]}" --topomap=off)
  diff real <(mapped "${step[@]}" --topomap=random:n=13,deg=4 --topomap-options=min-gain=99)
  diff real <(mapped "${step[@]}" --topomap=/no/such/graph)
  # A site that has it on, and whose planner is gone.
  cp "$BED/etc/plugstack.conf" plugstack.conf
  sed -i 's|$| default=on planner=/nonexistent|' "$BED/etc/plugstack.conf"
  diff real <(mapped "${step[@]}")
  run ! diff real <(mapped "${step[@]}" --topomap=off)
  cp plugstack.conf "$BED/etc/plugstack.conf"
  srun "${step[@]}" --topomap=random:n=13,deg=4 sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME $TOPOMAP_APPLIED"' </dev/null |
    sort -n >placed
  run ! grep -v ' 1$' placed
  diff <(cut -d' ' -f1,2 placed) <(mapped "${step[@]}" --topomap=random:n=13,deg=4)
  [ -x "$program" ] || skip "no MPICH: only the maps were looked at"
  for way in "${!ways[@]}"; do
    timeout 60 srun "${step[@]}" --topomap="${ways[$way]}" "$program" >"$way"
    [ "$(grep -vc '^#' "$way")" -eq 13 ]
  done
  awk '!/^#/ { print $1, $2 }' 'profiled first' | sort -n | diff real -
}
