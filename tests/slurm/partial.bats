#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Nodes of which other jobs have a part: the plan is for the cores that the job really has, and the dry run
# with the same `--cores` says the same.
bats_require_minimum_version 1.5.0
load bed

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  mkdir -m 1777 records
  export TOPOMAP_TESTBED_PLUGIN_ARGS="$TOPOMAP_TESTBED_PLUGIN_ARGS records=$BATS_FILE_TMPDIR/records"
  bed_up --nodes 4 --cpus 8 --fabric fat-tree:leaves=2,hosts=2,spines=1,scatter=1
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
}

teardown() {
  scancel --user=root
  for _ in {1..600}; do [ -n "$(squeue -h)" ] || break; sleep 0.1; done
}

hold() { # NODE CORES: a job that keeps them; prints its id
  local job
  job=$(sbatch --parsable -o /dev/null -w "$1" -n "$2" --wrap 'sleep 1000')
  for _ in {1..600}; do [ "$(squeue -h -j "$job" -o %t)" != R ] || break; sleep 0.1; done
  echo "$job"
}

graph() { # RANKS: who talks is half the ranks apart
  awk -v n="$1" 'BEGIN { for (i = 0; i < n / 2; i++) print i "," i + n / 2 ",1000" }' >"far.$1.csv"
  echo "$PWD/far.$1.csv"
}

# As a site says it in plugstack.conf, for one command.
with_scontrol() { # PATH COMMAND...
  local conf=$BED/etc/plugstack.conf status=0
  sed "s|\$| scontrol=$1|" "$conf" >"$PWD/plugstack.conf"
  shift
  sed "s|^PlugStackConfig=.*|PlugStackConfig=$PWD/plugstack.conf|" "$SLURM_CONF" >"$PWD/slurm.conf"
  SLURM_CONF=$PWD/slurm.conf "$@" || status=$?
  return "$status"
}

# What Slurm says that the job has, as --cores takes it, in the order of its nodes.
slurm_cores() { # JOB
  scontrol -d show job "$1" | sed -n 's/^ *Nodes=\([^ ]*\) CPU_IDs=\([^ ]*\) .*/\1 \2/p' |
    while read -r nodes cpus; do scontrol show hostnames "$nodes" | sed "s/$/ $cpus/"; done | sort |
    awk '{ print $2 }' | paste -sd';'
}

# The CPUs of all tasks of each node in an explanation, "node 1 2 5 6", and what the dry run has.
explained() { # FILE
  sed -n 's/^  \(node[0-9]*\) *ranks [^ ]* *cpus \(.*\)/\1 \2/p' "$1" |
    while read -r node cpus; do echo "$node $(tr ' ' '\n' <<<"$cpus" | sort -n | paste -sd' ')"; done | sort
}
planned() { # GRAPH NODES COUNTS CORES OPTION...
  topomap map --graph "$1" --nodes "$2" --tasks-per-node "$3" --cores "$4" --effort fast --json "${@:5}" |
    jq -r '.placement[] | "\(.node) \(.cpus | map(tostring) | join(","))"' | sort -k1,1 -k2n |
    awk '{ list[$1] = list[$1] " " $2 } END { for (node in list) print node list[node] }' | sort
}

step() { # TASKS OPTION...: in the allocation; leaves why and the cores
  local tasks=$1
  shift
  graph "$tasks" >/dev/null
  slurm_cores "$SLURM_JOB_ID" >cores
  srun -n "$tasks" --topomap="$PWD/far.$tasks.csv" --topomap-explain=why "$@" \
    sh -c 'echo "$SLURM_STEP_NODELIST $SLURM_STEP_TASKS_PER_NODE"' </dev/null 2>err | sort -u >step
  cat cores step err why
  read -r nodes counts <step
  explained why | diff <(planned "far.$tasks.csv" "$nodes" "$counts" "$(cat cores)") -
}

in_job() { # SALLOC-OPTIONS... -- BODY
  local words=()
  while [ "$1" != -- ]; do words+=("$1"); shift; done
  shift
  export -f graph slurm_cores explained planned step
  salloc -Q "${words[@]}" bash -euc "set -o pipefail; $*" </dev/null
}

@test "cores taken by another job, differently on each node" {
  first=$(hold node01 1)
  second=$(hold node01 2)
  third=$(hold node03 3)
  fourth=$(hold node01 1)
  scancel "$second"
  in_job -w 'node[01-04]' -n 16 --ntasks-per-node=4 -- 'step 16
    [ "$(cat cores)" = "1-2,4-5;0-3;3-6;0-3" ]
    explained why | grep -qx "node01 1 2 4 5"
    explained why | grep -qx "node03 3 4 5 6"'
  scancel "$first" "$third" "$fourth"
}

@test "uneven counts, threads, and the way that tasks are spread" {
  hold node02 3 >/dev/null
  in_job -w 'node[01-03]' -N3 -n 14 -- 'step 14
    read -r _ counts <step
    [[ $counts == *,* ]]
    step 6
    graph 6 >/dev/null
    srun -n 6 --topomap=$PWD/far.6.csv --topomap-explain=why --topomap-options=layout=compact true </dev/null
    read -r nodes counts <step
    explained why | diff <(planned far.6.csv "$nodes" "$counts" "$(cat cores)" --layout compact) -'
}

@test "a step on some of the job's nodes, not the first" {
  hold node02 2 >/dev/null
  in_job -w 'node[01-04]' -n 16 --ntasks-per-node=4 -- '
    slurm_cores "$SLURM_JOB_ID" >all
    cut -d";" -f2,4 all >some
    graph 8 >/dev/null
    srun -w node02,node04 -N2 -n 8 --topomap=$PWD/far.8.csv --topomap-explain=why true </dev/null
    cat all why
    [ "$(cat some)" = "2-5;0-3" ]
    explained why | diff <(planned far.8.csv "node[02,04]" 4 "2-5;0-3") -'
}

# bats test_tags=campaign
@test "array jobs and components of heterogeneous jobs: each by its own cores" {
  hold node02 2 >/dev/null
  graph 4 >/dev/null
  cat >job <<END
#!/bin/bash
#SBATCH -w node02 -N1 -n 2 --array=0-1 -o out.%a
srun -n2 --topomap=chain:2 --topomap-options=layout=compact --topomap-explain=why.\$SLURM_ARRAY_TASK_ID true
sleep 2
touch done.\$SLURM_ARRAY_TASK_ID
END
  export GRAPH=$PWD/far.4.csv
  salloc -Q -w node01 -n 4 : -w node02 -n 4 bash -c '
    srun -n4 --topomap=$GRAPH --topomap-options=layout=compact --topomap-explain=first true </dev/null
    srun --het-group=1 -n4 --topomap=$GRAPH --topomap-options=layout=compact --topomap-explain=second true </dev/null' </dev/null
  cat first second
  [ "$(explained first)" = "node01 0 1 2 3" ]
  [ "$(explained second)" = "node02 2 3 4 5" ]
  sbatch job
  for _ in {1..600}; do [ ! -e done.0 ] || [ ! -e done.1 ] || break; sleep 0.1; done
  cat why.0 why.1
  [ "$(cat <(explained why.0) <(explained why.1) | sort)" = "$(printf 'node02 2 3\nnode02 4 5')" ]
}

# The step's record has what was asked and told; a replay finds the same plan and asks nobody.
record() { # JOB.STEP
  echo "$BATS_FILE_TMPDIR/records/0/$1.plan"
}

@test "whole nodes ask nobody, parts of nodes ask scontrol once; a replay has the cores from the record" {
  graph 16 >/dev/null
  scontrol=$(command -v scontrol)
  printf '#!/bin/sh\necho asked >>%s\nexec %s "$@"\n' "$PWD/asked" "$scontrol" >counting
  chmod +x counting
  with_scontrol "$PWD/counting" srun -N4 --exclusive -n 16 --ntasks-per-node=4 --topomap="$PWD/far.16.csv" \
    --topomap-explain=why sh -c 'echo $SLURM_JOB_ID.$SLURM_STEP_ID' </dev/null >ids
  explained why | diff <(planned far.16.csv 'node[01-04]' 4 '*') -
  [ ! -e asked ]
  grep '^job-cpus 8(x4)$' "$(record "$(head -1 ids)")"
  ! grep '^cores' "$(record "$(head -1 ids)")" || false
  hold node02 3 >/dev/null
  with_scontrol "$PWD/counting" srun -w 'node[01-04]' -n 16 --ntasks-per-node=4 --topomap="$PWD/far.16.csv" \
    --topomap-explain=why sh -c 'echo $SLURM_JOB_ID.$SLURM_STEP_ID' </dev/null >ids
  [ "$(wc -l <asked)" -eq 1 ]
  cat why
  explained why | diff <(planned far.16.csv 'node[01-04]' 4 '0-3;3-6;0-3(x2)') -
  grep "cores.* scontrol: 0-3;3-6;0-3(x2)" why
  record=$(record "$(head -1 ids)")
  grep -x 'cores 0-3;3-6;0-3(x2)' "$record"
  topomap map --replay "$record" >replay
  cat replay
  grep -q '^replay of .*same' replay
  topomap why 5 --plan "$record"
  [ "$(wc -l <asked)" -eq 1 ]
}

@test "a whole node is what it was without" {
  graph 16 >/dev/null
  srun -N4 --exclusive -n 16 --ntasks-per-node=4 --topomap="$PWD/far.16.csv" --topomap-explain=why true </dev/null
  explained why | diff <(planned far.16.csv 'node[01-04]' 4 '*') -
}

@test "a scontrol that hangs costs a quarter of the deadline at most, and the step is placed for whole nodes" {
  graph 8 >/dev/null
  printf '#!/bin/sh\nsleep 600\n' >hanging
  chmod +x hanging
  with_scontrol "$PWD/hanging" srun -v -w 'node[01-04]' -n8 --ntasks-per-node=2 \
    --topomap="$PWD/far.8.csv" --topomap-explain=why sh -c 'echo $TOPOMAP_APPLIED' </dev/null >out 2>err
  [ "$(sort out | uniq -c | awk '{ print $1, $2 }')" = "8 1" ]
  grep "cores .*scontrol .*nodes" err
  explained why | diff <(planned far.8.csv 'node[01-04]' 2 '*') -
}

@test "scontrol=none asks nobody" {
  graph 8 >/dev/null
  hold node02 3 >/dev/null
  with_scontrol none srun -w 'node[01-04]' -n8 --ntasks-per-node=2 --topomap="$PWD/far.8.csv" \
    --topomap-explain=why true </dev/null
  explained why | diff <(planned far.8.csv 'node[01-04]' 2 '*') -
}
