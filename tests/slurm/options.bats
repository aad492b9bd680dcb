#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every key of --topomap-options, from srun to what the tasks see, with the real planner; and the dry
# run says the same.
bats_require_minimum_version 1.5.0
load bed

readonly nodes='node[01,03-04,06-07,09-10,12]'
readonly who='echo "$SLURM_PROCID $SLURMD_NODENAME"'

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bed_up --cpus 4 --fabric fat-tree:leaves=4,hosts=3,spines=2,scatter=1
  # A 4 x 4 grid whose ranks are shuffled: no block of ranks is good.
  "$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich" --graph-only 4x4 "$BATS_FILE_TMPDIR/halo.csv"
  export GRAPH=$BATS_FILE_TMPDIR/halo.csv
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
}

launch() { # OPTIONS: on the scattered nodes, two tasks each; leaves `out` and `why`
  srun -w "$nodes" -N 8 -n 16 --ntasks-per-node=2 --topomap="$GRAPH" --topomap-explain=why \
    --topomap-options="$1" sh -c "$who" </dev/null 2>err | sort -n >out
}

dry() { # OPTION...: "rank node" as planned
  topomap map --graph "$GRAPH" --nodes "$nodes" --tasks-per-node 2 --effort fast --format json "$@" |
    jq -r '.placement[] | "\(.rank) \(.node)"' | sort -n
}

cpus() { # the planned CPUs of each node's tasks, from the explanation; which task has which may differ
  sed -n 's/^  node[0-9]* *ranks [^ ]* *cpus \(.*\)/\1/p' why |
    while read -r words; do echo "$words" | tr ' ' '\n' | sort | paste -sd' '; done | sort -u
}

@test "contiguous: each node has consecutive ranks, J falls, and the dry run is the same" {
  launch contiguous
  cat why
  dry --contiguous | diff out -
  awk '$2 != last { if (seen[$2]++) exit 1; last = $2 }' out
  [ "$(uniq -c -f1 out | wc -l)" -eq 8 ]
  grep -q 'contiguous' why
  launch seed=1
  run ! awk '$2 != last { if (seen[$2]++) exit 1; last = $2 }' out
  launch contiguous=no
  dry | diff out -
}

@test "contiguous with objective=congestion: blocks, and the most loaded link" {
  launch contiguous,objective=congestion
  cat err why
  awk '$2 != last { if (seen[$2]++) exit 1; last = $2 }' out
  grep -qi congestion why
}

@test "contiguous with uneven counts" {
  srun -w 'node[02,05,08,11]' -N 4 -n 7 --topomap=stencil2d:5:7x1 --topomap-options=contiguous \
    sh -c "$who" </dev/null | sort -n >out
  awk '$2 != last { if (seen[$2]++) exit 1; last = $2 }' out
  [ "$(wc -l <out)" -eq 7 ]
}

@test "weight: messages count where the graph has them, and the figure says so" {
  # Halves of the grid's edges are of many small messages.
  awk -F, 'BEGIN { print "from,to,bytes,messages" }
    { print $1, $2, $3, ($1 + $2) % 3 ? 1 : 1000 }' OFS=, <(grep '^[0-9]' "$GRAPH") >counted.csv
  GRAPH=$PWD/counted.csv
  launch objective=J
  grep -q '^topomap: 16 ranks .*, J (weight=bytes+messages) [0-9.]* %' why
  grep -q '^  J, bytes+messages .* [0-9]* bytes' why
  dry --objective J | diff out -
  launch objective=J,weight=bytes
  grep -q '^topomap: 16 ranks .*, J [0-9.]* % lower' why
  run ! grep -q messages why
  dry --objective J --weight bytes | diff out -
  launch objective=J,weight=messages
  grep -q "weight" err
  grep -q "bytes, bytes+messages .*auto" err
}

@test "keep and pin: groups are on nodes and the rank on the first, though Slurm's layout costs less; the dry run is the same" {
  GRAPH=parallel:tp=2,dp=8,layers=1,seq=1,batches=1,hidden=64 # replicas talk, tensor ranks hardly
  launch keep=tp,pin=5:first
  cat err why
  dry --keep tp --pin 5:first | diff out -
  awk '{ node[int($1 / 2)] = node[int($1 / 2)] " " $2 } END { for (g in node) { split(node[g], n, " "); if (n[1] != n[2]) exit 1 } }' out
  grep -qx '5 node01' out
  grep -q 'tp of 2: nodes .* 1.00 (   1)$' why
  launch keep=zz
  grep -q 'keep=zz' err
}

@test "keep=segment: consecutive ranks stay on so many nodes as the job's --segment says" {
  GRAPH=random:n=16,deg=5,seed=3
  SLURM_JOB_SEGMENT_SIZE=2 launch keep=segment
  cat err why
  grep -q "together .*, time [0-9.]* % lower" why
  # The nodes are 01,03 04,06 07,09 10,12.
  [ "$(awk '{ n = substr($2, 5) + 0; print int($1 / 4), int(n / 3.1) }' out | sort -u | wc -l)" -eq 4 ]
  launch keep=segment
  grep -q 'keep=segment .*--segment' err why
}

@test "tasks=node: a task stands for the GPUs of its node, and TOPOMAP_MASTER_ADDR is the host of rank 0" {
  local training=parallel:tp=4,pp=2,dp=4
  fold() { # GRAPH OPTIONS [TASKS]
    srun -w "$nodes" -N 8 -n "${3:-8}" --topomap="$1" --topomap-options="$2" --topomap-explain=why \
      sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME ${TOPOMAP_MASTER_ADDR-}"' </dev/null 2>err | sort -n >out
    cat err
  }
  fold $training tasks=node
  grep -q '^topomap: tasks=node: .*\<4\>.*\<32 ranks' why
  [ "$(cut -d' ' -f3 out | sort -u)" = "$(sed -n '1s/^0 \([^ ]*\) .*/\1/p' out)" ]
  mv out folded
  # The same as who adds up what nodes send each other.
  topomap graph convert $training gpus.csv
  awk -F, '/^[0-9]/ { sum[int($1 / 4) "," int($2 / 4)] += $3 } END { for (p in sum) { split(p, n, ","); if (n[1] != n[2]) print p "," sum[p] } }' gpus.csv |
    sort >nodes.csv
  fold "$PWD/nodes.csv" effort=fast
  diff folded out
  fold $training tasks=node,pin=0:first
  [ "$(cut -d' ' -f3 out | sort -u)" = node01 ]
  grep -q '^0 node01 ' out
  fold $training tasks=node,keep=tp # a tensor group is a task
  diff folded out
  run ! grep -q 'keep=' err why
  TOPOMAP=off fold $training tasks=node
  [ "$(cut -d' ' -f3 out | sort -u)" = '' ]
  # What is no such graph, or no such step.
  fold parallel:tp=4,pp=3,dp=3 tasks=node
  grep -q 'tasks=node: .*\<36 ranks.*\<8 nodes' err
  fold $training tasks=node 16
  grep -q '\<32 ranks.*\<16\>' err
  fold ring:16 tasks=node 16
  grep -q 'tasks=node ' err why
}

@test "min-gain: below it the layout stays Slurm's, and it is said" {
  srun -w "$nodes" -N 8 -n 16 --ntasks-per-node=2 sh -c "$who" </dev/null | sort -n >slurm
  launch min-gain=99
  diff slurm out
  grep -q 'topomap: .*[0-9.]* %.*min-gain .*99.0 %' why
  launch min-gain=5
  run ! diff slurm out
}

@test "seed, effort and time: the same as the dry run with the same" {
  local effort
  for effort in fast default strong; do
    launch "effort=$effort,seed=3,time=5"
    topomap map --graph "$GRAPH" --nodes "$nodes" --tasks-per-node 2 --effort "$effort" --seed 3 --json |
      jq -r '.placement[] | "\(.rank) \(.node)"' | sort -n | diff out -
  done
}

@test "bind and layout: which CPUs of a node that is not full" {
  local options planned
  while read -r options planned; do
    echo "$options"
    srun -w "$nodes" -N 8 -n 16 --ntasks-per-node=2 --exclusive --topomap="$GRAPH" \
      --topomap-explain=why --topomap-options="$options" true </dev/null
    cat why
    [ "$(cpus)" = "$planned" ]
  done <<'END'
bind=core 0 2
layout=spread 0 2
layout=compact 0 1
bind=pu,layout=compact 0 1
bind=numa 0-3 0-3
END
  launch bind=none
  run ! grep -q cpus why
}

@test "bind: what a rule of the site forces reaches the tasks, whatever the user says" {
  local bound='echo "${TOPOMAP_BINDINGS:+bound}"'
  chmod 755 .
  cp "$BED/etc/plugstack.conf" before
  echo 'Rule=all Mode=on Bind=core Force=Bind' >rules
  sed -i "s|\$| policy=$PWD/rules|" "$BED/etc/plugstack.conf"
  srun -w "$nodes" -N 8 -n 16 --exclusive --topomap="$GRAPH" --topomap-options=bind=none sh -c "$bound" </dev/null >forced 2>err
  cp before "$BED/etc/plugstack.conf"
  srun -w "$nodes" -N 8 -n 16 --exclusive --topomap="$GRAPH" --topomap-options=bind=none sh -c "$bound" </dev/null >free
  cat err forced free
  [ "$(sort forced | uniq -c | xargs)" = "16 bound" ]
  [ "$(sort free | uniq -c | xargs)" = 16 ]
  grep -q "bind .*core .*'all'" err
}

@test "layout with threads: each task's CPUs are side by side" {
  srun -w "$nodes" -N 8 -n 16 --ntasks-per-node=2 -c 2 --topomap="$GRAPH" --topomap-explain=why \
    true </dev/null
  cat why
  [ "$(cpus)" = "0,1 2,3" ]
}

@test "required: a graph that is not there stops the step; verbose shows the summary" {
  run ! srun -w "$nodes" -N 8 -n 16 --topomap=/nonexistent --topomap-options=required touch ran </dev/null
  [ ! -e ran ]
  launch verbose
  grep -q 'topomap: 16 ranks .*\<8 nodes' err
}

@test "capacity: with objective=congestion, what other jobs take of the links counts; else it is passed over, and said" {
  local other=$BATS_TEST_TMPDIR/other.csv
  launch objective=congestion
  sed -n 's/.*most loaded link *\([^ ]*\) *\([^ ]*\) .*/\2/p' why >free
  # All up links of one leaf are nearly full of other jobs.
  topomap db export --to links | awk -F, -v OFS=, '/^leaf01.*spine/ { $5 *= 0.9; print }' >"$other"
  cat "$other" free
  [ "$(wc -l <"$other")" -eq 2 ]
  launch "objective=congestion,capacity=$other"
  cat why err
  sed -n 's/.*most loaded link *\([^ ]*\) *\([^ ]*\) .*/\2/p' why >busy
  cat busy
  [ "$(cat busy)" != "$(cat free)" ]
  dry --objective congestion --background "$other" | diff out -
  # The same, as the database has it: by counters of the leaf's ports, a second apart.
  guid=$(sed -n 's/.*Switch.*"S-\([0-9a-f]*\)".*"leaf01".*/\1/p' "$(find "$BED" -name '*.ibnetdiscover' | head -1)")
  for count in 0 1; do
    awk -F, -v guid="$guid" -v n=$count '{ printf "   GUID 0x%s port %d: [PortXmitData == %.0f (x)] [PortRcvData == %.0f (x)]\n", guid, $2, n * $5 * 1e9 / 32, n * $5 * 1e9 / 32 }' "$other"
  done >counters
  topomap db import counters counters --option seconds=1
  cp out by_file
  launch "objective=congestion,capacity=measured"
  cat err why
  measured=$(sed -n 's/.*most loaded link *\([^ ]*\) *\([^ ]*\) .*/\2/p' why)
  jq -en "($measured / $(cat busy) - 1 | fabs) < 1e-3" # the file's rates are rounded
  diff out by_file
  dry --objective congestion --background measured | diff out -
  launch "objective=J,capacity=$other"
  grep -q 'capacity= .*links' err
  launch "objective=congestion,capacity=/nonexistent"
  grep -q '\<J\>.*congestion.*/nonexistent' err
  [ "$(wc -l <out)" -eq 16 ]
}

@test "what is no key, or has no sense, is passed over with a line" {
  local word
  for word in colour=red bind=cores layout=dense min-gain=101 min-gain=-1 capacity=here.csv seed=x effort=max \
    contiguous=maybe time=; do
    launch "$word"
    grep -qF -- "topomap: --topomap-options: '$word'" err
    [ "$(wc -l <out)" -eq 16 ]
  done
  launch keys=x,mpi=intel,effort=max,seed
  grep -q "'keys=x' .*bind, layout, .*, key, mpi, profile, compare$" err
  grep -q "'mpi=intel' .*openmpi, mpich, mpi-abi .*nccl$" err
  grep -q "'effort=max' .*fast, default .*strong$" err
  grep -q "'seed' .*number" err
}

# graph WHAT...: topomap's line of a launch of 16 tasks
graph() {
  srun -w "$nodes" -N 8 -n 16 --ntasks-per-node=2 "$@" </dev/null 2>err >out || true
  sed -n 's/^srun: topomap: //p' err
}

@test "what --topomap names: a file that is missing, a program, a mesh that is too large or divided" {
  run graph --topomap=nofile.csv true
  [[ $output == "nofile.csv: cannot open: No such file or directory"* ]]
  run graph --topomap=Yes true
  [[ $output == "\`Yes\` "*--topomap=on*auto* ]]
  run graph --topomap=no true
  [[ $output == "\`no\` "*--topomap=off* ]]
  run graph --topomap "$(command -v hostname)" arg
  [[ $output == *"hostname: "*--topomap* ]]
  topomap graph generate stencil2d:5:64x64 -o mesh.mtx
  run graph --topomap=mesh.mtx sh -c "$who"
  [[ $output == *"/mesh.mtx: "*"4096 ranks"*"16 tasks"*FILE,parts=16* ]]
  graph --topomap=mesh.mtx,parts=16 --topomap-explain=why sh -c "$who"
  grep -q '^topomap: 16 ranks .*\<8 nodes' why
  sort -n out >placed
  topomap map --graph mesh.mtx,parts=16 --nodes "$nodes" --tasks-per-node 2 --effort fast --json |
    jq -r '.placement[] | "\(.rank) \(.node)"' | sort -n | diff placed -
}

@test "-m topomap without a graph says which one it took" {
  run graph -m topomap true
  [[ $output == *graph*neighbours* ]]
  TOPOMAP_GRAPH=stencil2d:5:4x4 run graph -m topomap true
  [[ $output == *"graph: stencil2d:5:4x4 (environment)"* ]]
  run graph -m topomap --topomap=stencil2d:5:4x4 true
  [[ $output != *graph:* ]]
}
