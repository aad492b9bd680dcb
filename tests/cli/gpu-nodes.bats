#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# GPU, NIC and CPUs of each of 1 to 8 tasks on the kinds of nodes that there are: first what has to hold on any of them, by a
# table that says whose is what; then the GPUs taken, as an expert would choose them.
bats_require_minimum_version 1.5.0

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  cd "$BATS_TEST_TMPDIR"
}

import() { topomap db import --db t.db "$@" >/dev/null; }

# gpu_matrix LINK GPUS NICS CPUS EACH: `nvidia-smi topo -m` of a node, by the NUMA node of each GPU and NIC and the CPUs of each
# NUMA node, EACH of them a package.
gpu_matrix() {
  awk -v link="$1" -v gpus="$2" -v nics="$3" -v cpus="$4" -v each="$5" '
    function name(i) { return i <= g ? "GPU" i - 1 : "NIC" i - g - 1 }
    BEGIN {
      g = split(gpus, at, " "); n = split(nics, nic, " "); split(cpus, cpu, " ")
      for (i = 1; i <= n; i++) at[g + i] = nic[i]
      for (i = 1; i <= g + n; i++) printf "\t%s", name(i)
      print "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"
      for (i = 1; i <= g + n; i++) {
        printf "%s", name(i)
        for (j = 1; j <= g + n; j++)
          printf "\t%s", i == j ? " X " : i <= g && j <= g ? link : at[i] == at[j] ? "PXB" :
            int(at[i] / each) == int(at[j] / each) ? "NODE" : "SYS"
        print i <= g ? "\t" cpu[at[i] + 1] "\t" at[i] "\t\tN/A" : "\t\t\t"
      }
      print "\nNIC Legend:\n"
      for (i = 0; i < n; i++) print "  NIC" i ": mlx5_" i
    }'
}

# cores_and_matrix CORES MATRIX...: n1, by hwloc's words for its cores and the arguments of gpu_matrix.
cores_and_matrix() {
  lstopo-no-graphics --input "$1" --of xml cores.xml
  gpu_matrix "${@:2}" >matrix
  import hwloc cores.xml --nodes n1
  import gpu-matrix matrix --nodes n1
}

# node KIND: imports it as n1, and says line by line of each GPU: number, NIC, the CPUs next to it.
node() {
  case $1 in
    dgx-a100) # NUMA nodes 3 1 7 5 of eight; NICs 4 and 5 are for storage
      cores_and_matrix "pack:2 numa:4 core:16 pu:1" NV12 "3 3 1 1 7 7 5 5" "3 3 1 1 0 0 7 7 5 5" \
        "0-15 16-31 32-47 48-63 64-79 80-95 96-111 112-127" 4
      printf '%s\n' '0 mlx5_0 48-63' '1 mlx5_1 48-63' '2 mlx5_2 16-31' '3 mlx5_3 16-31' '4 mlx5_6 112-127' '5 mlx5_7 112-127' \
        '6 mlx5_8 80-95' '7 mlx5_9 80-95'
      ;;
    dgx-h100)
      cores_and_matrix "pack:2 core:56 pu:1" NV18 "0 0 0 0 1 1 1 1" "0 0 0 0 1 1 1 1" "0-55 56-111" 1
      for g in {0..7}; do echo "$g mlx5_$g $([ "$g" -lt 4 ] && echo 0-55 || echo 56-111)"; done
      ;;
    mi250x) # NUMA nodes 3 1 0 2, a cache of two cores next to each GPU; two threads a core
      import hwloc "$data/mi250x.xml" --nodes n1
      printf '%s\n' '0 hsn0 12-13,28-29' '1 hsn0 14-15,30-31' '2 hsn1 4-5,20-21' '3 hsn1 6-7,22-23' '4 hsn2 0-1,16-17' \
        '5 hsn2 2-3,18-19' '6 hsn3 8-9,24-25' '7 hsn3 10-11,26-27'
      ;;
    pvc)
      import hwloc "$data/pvc.xml" --nodes n1
      printf '%s\n' '0 hsn0 0-5' '1 hsn1 0-5' '2 hsn2 0-5' '3 hsn4 6-11' '4 hsn5 6-11' '5 hsn6 6-11'
      ;;
    gh200)
      import hwloc "$data/gh200.xml" --nodes n1
      printf '%s\n' '0 mlx5_0 0-3' '1 mlx5_1 4-7' '2 mlx5_2 8-11' '3 mlx5_3 12-15'
      ;;
    gb200) # a tray of an NVL72: two Graces, two GPUs each
      cores_and_matrix "pack:2 core:72 pu:1" NV18 "0 0 1 1" "0 0 1 1" "0-71 72-143" 1
      printf '%s\n' '0 mlx5_0 0-71' '1 mlx5_1 0-71' '2 mlx5_2 72-143' '3 mlx5_3 72-143'
      ;;
  esac
}

# placed TASKS GRAPH: a line a task: GPU, NIC, CPUs.
placed() {
  topomap map --db t.db --nodes n1 --tasks-per-node "$1" --graph "$2" --bind gpu --json |
    jq -r '.placement[] | "\(.gpus[0]) \(.nics[0]) \(.cpus | map(tostring) | join(","))"'
}

# Each task's NIC and CPUs are its GPU's; no CPU is two tasks'; tasks of GPUs with the same cores share all of these evenly;
# GPUs have as many tasks as each other.
holds() { # TABLE TASKS <placed
  awk -v tasks="$2" '
    function fail(what) { print "task " FNR - 1 " on GPU " $1 ": " what; bad = 1 }
    NR == FNR { nic[$1] = $2; near[$1] = $3; gpus++; next }
    {
      n = split($3, cpu, ","); split("", own); all = 0
      threads = split(near[$1], ranges, ",")
      for (i = 1; i <= threads; i++) { split(ranges[i], end, "-"); for (c = end[1]; c <= end[2]; c++) { own[c] = 1; all++ } }
      if ($2 != nic[$1]) fail("not the NIC of its GPU: " $2)
      for (i = 1; i <= n; i++) {
        if (!(cpu[i] in own)) fail("CPU " cpu[i] " is far from it")
        if (taken[cpu[i]]++) fail("CPU " cpu[i] " is another task\047s, too")
      }
      uses[$1]++; sharers[near[$1]]++; part[FNR] = near[$1]; has[FNR] = n / threads; cores[near[$1]] = all / threads; lines++
    }
    END {
      for (i = 1; i <= lines; i++) if (has[i] != int(cores[part[i]] / sharers[part[i]])) {
        print "task " i - 1 " has " has[i] " of " cores[part[i]] " cores, which " sharers[part[i]] " tasks share"; bad = 1 }
      for (g in uses) if (uses[g] > int((tasks + gpus - 1) / gpus)) { print "GPU " g " has " uses[g] " tasks"; bad = 1 }
      if (lines != tasks) { print lines " tasks"; bad = 1 }
      exit bad
    }' "$1" -
}

all_hold() { # KIND
  local tasks graph
  node "$1" >table
  for tasks in 1 2 3 4 5 6 7 8; do
    for graph in "alltoall:$tasks" "chain:$tasks"; do
      placed "$tasks" "$graph" >placed
      holds table "$tasks" <placed || { echo "$1, $graph"; cat placed; return 1; }
    done
  done
}

# The GPUs of tasks 0, 1, ... that all talk to each other.
gpus() { placed "$1" "alltoall:$1" | cut -d' ' -f1 | xargs; }

@test "DGX A100: NUMA nodes in another order than the GPUs; tasks that are fewer are on NUMA nodes of their own" {
  all_hold dgx-a100
  [ "$(gpus 2)" = "0 2" ]
  [ "$(gpus 4)" = "0 4 2 6" ]
  [ "$(gpus 8)" = "0 1 2 3 4 5 6 7" ]
}

@test "DGX H100: as many tasks on a package as on the other" {
  all_hold dgx-h100
  [ "$(gpus 2)" = "0 4" ]
  [ "$(gpus 4 | tr ' ' '\n' | awk '$1 < 4' | wc -l)" -eq 2 ]
  [ "$(gpus 8)" = "0 1 2 3 4 5 6 7" ]
}

@test "MI250X: the two of a module first, which have the most links" {
  all_hold mi250x
  [ "$(gpus 2)" = "0 1" ]
  [ "$(gpus 4)" = "0 1 6 7" ]
  [ "$(gpus 8)" = "0 1 2 3 4 5 6 7" ]
}

@test "PVC: six GPUs, three a package" {
  all_hold pvc
  [ "$(gpus 2)" = "0 3" ]
  [ "$(gpus 4 | tr ' ' '\n' | awk '$1 < 3' | wc -l)" -eq 2 ]
  [ "$(gpus 6)" = "0 1 2 3 4 5" ]
}

@test "GH200: a GPU a package" {
  all_hold gh200
  [ "$(gpus 4)" = "0 1 2 3" ]
  [ "$(gpus 8)" = "0 1 2 3 0 1 2 3" ]
}

@test "a GB200 tray: two GPUs a Grace" {
  all_hold gb200
  [ "$(gpus 2)" = "0 2" ]
  [ "$(gpus 4)" = "0 1 2 3" ]
}

@test "planner: tasks=node goes by the nodes' GPUs where these are known; a profile of a node's workers by the profile" {
  topomap db synth fat-tree:leaves=2,hosts=4,spines=2 -o made
  import ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)
  gpu_matrix NV18 "0 0 1 1" "0 1" "0-3 4-7" 1 >matrix
  plan() { # TASKS LAYOUT KEY VALUE ...
    {
      printf '%s\n' 'topomap-request 1' 'job 1' 'step 0' "db $PWD/t.db" "nodes $nodes" "tasks $1" "layout $2" 'bind none' 'explain 1'
      printf '%s %s\n' "${@:3}"
      echo end
    } | "$TOPOMAP_BUILD/plugin/topomap-planner" 3>&1
  }
  one=('1(x8)' '0;1;2;3;4;5;6;7')
  # Nothing is known: the graph says how many there are, all of which talk.
  plan "${one[@]}" graph parallel:tp=2,dp=8 tasks-are node >why
  grep -q 'tasks=node.*\<2\>.*\<16\>' why
  import gpu-matrix matrix --nodes "${nodes%%,*}"
  plan "${one[@]}" graph parallel:tp=2,dp=8 tasks-are node >why # one node's are
  grep -q 'tasks=node.*\<2\>.*\<16\>' why
  import gpu-matrix matrix --nodes "$nodes"
  plan "${one[@]}" graph parallel:tp=2,dp=8 tasks-are node >why
  cat why
  grep -q 'tasks=node.*\<4\>.*\<16\>' why
  # What Slurm gives each task goes before that, and what it says without a count does not.
  plan "${one[@]}" graph parallel:tp=2,dp=8 tasks-are node step-gpus bound:1 >why
  cat why
  grep -q '\<16 ranks.*\<8\>' why
  plan "${one[@]}" graph parallel:tp=2,dp=8 tasks-are node step-gpus bound:2 >why
  grep -q 'tasks=node.*\<2\>.*\<16\>' why
  # More than the nodes' GPUs.
  plan "${one[@]}" graph parallel:tp=8,dp=8 tasks-are node >why
  grep -q 'tasks=node.*\<8\>.*\<64\>' why
  grep -q 'tasks=node.*\<8 ranks.*\<4 GPUs' why
  # Workers that a profile saw in each task.
  topomap graph generate parallel:tp=4,dp=8 -o workers.tmg
  plan "${one[@]}" graph "$PWD/workers.tmg" profile exact >why
  grep -q '\<4 workers.*\<32\>' why
  plan '2(x8)' '0,1;2,3;4,5;6,7;8,9;10,11;12,13;14,15' graph "$PWD/workers.tmg" profile exact >why
  cat why
  grep -q '^status unchanged' why
  grep -q '^line .*\<32 workers' why
}
