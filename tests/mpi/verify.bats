#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap-verify under Open MPI's launcher, which is a PMIx server, binds, and tells the locality.
bats_require_minimum_version 1.5.0

load mpis

setup() {
  mpi_settings
  export ASAN_OPTIONS=detect_leaks=0
  verify=$TOPOMAP_BUILD/contrib/verify/topomap-verify
  [ -x "$verify" ] || skip "no PMIx here"
  command -v mpirun.openmpi >/dev/null || skip "no Open MPI here"
  mapfile -t cpus < <(hwloc-calc --physical --intersect PU all | tr ',' '\n')
  [ "${#cpus[@]}" -ge 2 ] || skip "needs two CPUs"
  cd "$BATS_TEST_TMPDIR"
  unset TOPOMAP_BINDINGS TOPOMAP_PLAN_ID
}

plan() { # CPU...: one task on each, on this host
  jq -n --arg node "$(hostname)" '{placement: [$ARGS.positional | to_entries[] | {rank: .key, node: $node, cpus: [.value | tonumber]}]}' --args "$@" >plan.json
}

launch() { # OPTION... PROGRAM...
  mpi_run openmpi 2 "$@"
}

@test "two tasks bound as planned, with their locality" {
  plan "${cpus[0]}" "${cpus[1]}"
  run --separate-stderr launch --bind-to hwthread "$verify" --plan plan.json
  echo "$output $stderr"
  [ "$status" -eq 0 ]
  [ "$output" = "topomap-verify: 2 tasks are where the plan says, CPUs of 2 and PMIx's locality of 2 compared" ]
}

@test "other CPUs, another node, another size" {
  plan "${cpus[1]}" "${cpus[0]}"
  run --separate-stderr launch --bind-to hwthread "$verify" --plan plan.json
  [ "$status" -eq 1 ]
  [[ $output == "topomap-verify: rank 0: "*"CPUs ${cpus[0]},"*" ${cpus[1]}; 2 of 2 tasks "* ]]
  plan "${cpus[0]}" "${cpus[1]}"
  jq '.placement[1].node = "elsewhere"' plan.json >other.json
  run --separate-stderr launch --bind-to hwthread "$verify" --plan other.json
  [ "$status" -eq 1 ]
  [[ $output == *"2 tasks "*" 1"* ]]
  plan "${cpus[@]:0:1}"
  run --separate-stderr launch --bind-to hwthread "$verify" --plan plan.json
  [ "$status" -ne 0 ]
  [[ $output == *"of 2 tasks"* ]]
}

@test "CPUs as planned, but not those that PMIx tells others" {
  plan "${cpus[1]}" "${cpus[1]}"
  run --separate-stderr launch --bind-to hwthread taskset -c "${cpus[1]}" "$verify" --plan plan.json
  echo "$output $stderr"
  [ "$status" -eq 1 ]
  [[ $output == "topomap-verify: rank 0: "*PMIx*CPUs*"; 1 of 2 tasks "* ]]
}

@test "no PMIx, bad usage" {
  run -4 "$verify"
  [[ $output == *"srun --mpi=pmix"* ]]
  run -2 "$verify" --plan
  run -2 "$verify" plan.json
  run -0 "$verify" --help
}
