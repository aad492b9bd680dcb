#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap-verify on a real Slurm with --mpi=pmix: a placed step is as planned, others are not.
bats_require_minimum_version 1.5.0
load bed
load mpis

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export VERIFY=$TOPOMAP_BUILD/contrib/verify/topomap-verify
  export ASAN_OPTIONS=detect_leaks=0 # PMIx's own
  [ -x "$VERIFY" ] || return 0
  bed_up gpus
  # Ranks talk most to those half a step away: Slurm's blocks are the worst.
  export GRAPH=$PWD/far.csv STEP="--mpi=pmix -N8 -n16 --ntasks-per-node=2"
  awk 'BEGIN { for (i = 0; i < 16; i++) print i "," (i + 8) % 16 ",1000\n" i "," (i + 1) % 16 ",10" }' >"$GRAPH"
  topomap map --graph "$GRAPH" --nodes 'node[01-08]' --tasks-per-node 2 --effort fast --format json -o plan.json
}

teardown_file() {
  if [ -n "${BED:-}" ]; then bed_down; fi
}

setup() {
  [ -n "${BED:-}" ] || skip "no PMIx here"
  need_mpi pmix
  cd "$BATS_FILE_TMPDIR"
}

@test "a placed step: node, local rank and CPUs of every task are what the dry run planned" {
  [ "$(jq '[.placement[].node] | unique | length' plan.json)" -eq 8 ]
  [ "$(jq -c '[.placement[] | select(.node == "node01") | .rank]' plan.json)" != "[0,1]" ]
  run --separate-stderr srun $STEP --topomap="$GRAPH" "$VERIFY" --plan plan.json
  echo "$output $stderr"
  [ "$status" -eq 0 ]
  [[ $output == "topomap-verify: 16 tasks "* ]]
}

@test "without a file: what the launch has planned, the CPUs of all tasks" {
  bound=$(srun $STEP --topomap="$GRAPH" sh -c 'echo ${TOPOMAP_BINDINGS:+bound}' | grep -c bound || true)
  [ "$bound" -eq 16 ]
  run --separate-stderr srun $STEP --topomap="$GRAPH" "$VERIFY"
  echo "$output $stderr"
  [ "$status" -eq 0 ]
  [[ $output == "topomap-verify: 16 tasks "*CPUs*" $bound "* ]]
}

@test "Slurm's own layout is not the plan" {
  # Which of the equally good plans is found is left to the planner: in this one, rank 0 is elsewhere.
  jq 'if .placement[0].node == "node01" then .placement |= map(.node |=
        (if . == "node01" then "node08" elif . == "node08" then "node01" else . end)) else . end' \
    plan.json >elsewhere.json
  run --separate-stderr srun $STEP --topomap=off "$VERIFY" --plan elsewhere.json
  echo "$output $stderr"
  [ "$status" -eq 1 ]
  [[ $output == "topomap-verify: rank 0: "*node01*node*"; 16 of 16 tasks "* ]]
  [ "$(wc -l <<<"$output")" -eq 1 ]
}

@test "a step without a plan, a plan for another step, a damaged one" {
  run --separate-stderr srun $STEP --topomap=off "$VERIFY"
  [ "$status" -ne 0 ]
  [[ $output == *plan* ]]
  run --separate-stderr srun --mpi=pmix -N4 -n8 --topomap="$GRAPH" "$VERIFY" --plan plan.json
  [ "$status" -ne 0 ]
  [[ $output == *PMIx*" 8 tasks"*" 16"* ]]
  head -c 100 plan.json >cut.json
  run --separate-stderr srun $STEP "$VERIFY" --plan cut.json
  [ "$status" -ne 0 ]
  [[ $output == *"16 of 16 tasks"* ]]
}

@test "CPUs that are not the planned ones" {
  jq '.placement[5].cpus = [63]' plan.json >moved.json
  run --separate-stderr srun $STEP --topomap="$GRAPH" "$VERIFY" --plan moved.json
  echo "$output $stderr"
  [ "$status" -eq 1 ]
  [[ $output == "topomap-verify: rank 5: "*CPUs*" 63; 1 of 16 tasks "* ]]
}

# Each GPU is next to the CPU of the other's number. By map_gpu:1,0 the node's first task has GPU 1, and GPU 1's CPU.
@test "CPUs that go by the GPU that Slurm gives a task are compared with those planned for that GPU" {
  cp "$TOPOMAP_DB" before.db
  printf '\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t1\t0\nGPU1\tSYS\t X \t0\t1\n' >two.topo
  topomap db import --db "$TOPOMAP_DB" gpu-matrix two.topo --nodes 'node[01-08]'
  local gpus first
  for gpus in --gpus-per-task=1:1 '--gpus-per-node=2 --gpu-bind=map_gpu:1,0:0'; do
    srun $STEP ${gpus%:*} --topomap="$GRAPH" --topomap-options=bind=gpu \
      sh -c 'echo $SLURM_LOCALID $SLURM_STEP_GPUS $(taskset -cp $$ | sed "s/.* //")' </dev/null | sort -u >places
    cat places
    first=${gpus##*:}
    diff places <(printf '0 %s %s\n1 %s %s\n' $((1 - first)) "$first" "$first" $((1 - first)))
    run --separate-stderr srun $STEP ${gpus%:*} --topomap="$GRAPH" --topomap-options=bind=gpu "$VERIFY"
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    [[ $output == "topomap-verify: 16 tasks "*CPUs*" 16 "* ]]
  done
  run --separate-stderr srun $STEP --gpus-per-task=1 --topomap="$GRAPH" --topomap-options=bind=gpu \
    sh -c 'TOPOMAP_GPU=7 exec "$0"' "$VERIFY"
  mv before.db "$TOPOMAP_DB"
  [ "$status" -ne 0 ]
  [[ $output == "topomap-verify: rank 0: "*GPUs*" 7)"*"; 16 of 16 "* ]]
}

# The fake planner makes its text long by CPUs that no node has: the tasks do without, and the line tells.
@test "bindings that came in a file" {
  local cpus=$(nproc --all)
  [ "$cpus" -ge 2 ] && [ "$cpus" -le 100 ] || skip "needs 2 to 100 CPUs"
  cp "$BED/etc/plugstack.conf" before
  mkdir -p spool
  echo "optional $TOPOMAP_BUILD/plugin/.libs/spank_topomap.so planner=$TOPOMAP_BUILD/tests/slurm/fake-planner node_helper=$TOPOMAP_BUILD/plugin/topomap-node deadline_ms=60000 node_ms=60000 end_ms=60000 spool=$PWD/spool" \
    >"$BED/etc/plugstack.conf"
  # Linux gives the environment a quarter of the stack.
  FAKE_PLANNER=reverse-and-bind-long run --separate-stderr bash -c "ulimit -s 500; export FILL=$(printf '%023000d' 0); srun --mpi=pmix -N4 -n8 --ntasks-per-node=2 -m topomap '$VERIFY'"
  cp before "$BED/etc/plugstack.conf"
  echo "$output $stderr"
  [ "$status" -eq 1 ]
  grep -qx 'topomap-verify: rank 0: .*CPUs \([0-9]*\), .* \1,1.*; 8 of 8 tasks .*' <<<"$output"
  [ -z "$(ls -A spool)" ]
}

@test "without PMIx it says how to start it" {
  run --separate-stderr srun --mpi=none -N1 -n1 --topomap=off "$VERIFY"
  [ "$status" -eq 4 ]
  [[ $stderr == *"srun --mpi=pmix"* ]]
}
