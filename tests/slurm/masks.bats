#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Random steps on a real Slurm that binds tasks: topomap never lets two tasks share CPUs that they do not share without
# it (masks.awk), whatever the step's options are.
bats_require_minimum_version 1.5.0
load bed

setup_file() {
  # A testbed's nodes all are this machine.
  export CPUS=$(($(nproc) < 8 ? $(nproc) : 8))
  mkdir "$BATS_FILE_TMPDIR/etc"
  echo 'TaskPlugin=task/affinity' >"$BATS_FILE_TMPDIR/etc/slurm.conf"
  bed_up --nodes 4 --cpus "$CPUS" --etc "$BATS_FILE_TMPDIR/etc" --fabric fat-tree:leaves=2,hosts=2,spines=1,scatter=1
}

teardown_file() { bed_down; }

setup() { cd "$BATS_TEST_TMPDIR"; }

# random_steps COUNT PLACED [SEED]: of COUNT steps, at least PLACED are placed, and all are ok.
random_steps() {
  ((CPUS >= 2)) || skip "needs two CPUs"
  awk -v SEED="${3:-1}" -v COUNT="$1" -v NODES=4 -v CPUS="$CPUS" -f "$TOPOMAP_SOURCE/tests/slurm/random-steps.awk" >steps
  "$TOPOMAP_SOURCE/tests/slurm/compare-masks" <steps >out 2>&1 || { grep -v '^ok' out; false; }
  tail -1 out
  [ "$(grep -c '^ok' out)" -eq "$1" ]
  [ "$(sed -n 's/.* \([0-9]*\) placed.*/\1/p' out)" -ge "$2" ]
}

@test "random steps share CPUs as without topomap" { random_steps 20 8; }

# bats test_tags=campaign
@test "500 random steps share CPUs as without topomap" { random_steps 500 200 "${MASKS_SEED:-2}"; }

differ() { # EACH NUMA
  run ! awk -v EACH="$1" -v NUMA="$2" -f "$TOPOMAP_SOURCE/tests/slurm/masks.awk" off on
  echo "$output"
}
same() { awk -v EACH="$1" -v NUMA="$2" -f "$TOPOMAP_SOURCE/tests/slurm/masks.awk" off on; }

@test "the comparison finds shared CPUs, too few CPUs and remote memory" {
  printf '%s\n' '0 a 0-1 default' '1 a 0-1 default' >off
  cp off on
  same 1 0:0-1
  printf '%s\n' '1 a 1 default' '0 a 0 default' >on
  same 1 0:0-1
  printf '%s\n' '0 a 0 default' '1 a 0 default' >on
  differ 1 0:0-1
  [[ $output == "a: "* ]]
  printf '%s\n' '0 a 0 default' '1 a 0-1 default' >on
  differ 1 0:0-1
  printf '%s\n' '0 a 0 default' '1 b 0 default' >on
  differ 1 0:0-1
  printf '%s\n' '0 a 0 default' '1 a 1 default' >on
  differ 2 0:0-1
  [[ $output == *"fewer than 2"* ]]
  printf '%s\n' '0 a 0-1,8 bind:0-1' '1 a 2 bind:0' >off
  printf '%s\n' '0 a 2 bind:0' '1 a 8 bind:1' >on
  same 1 '0:0-7 1:8-15'
  printf '%s\n' '0 a 2 bind:0' '1 a 8 bind:0' >on
  differ 1 '0:0-7 1:8-15'
  [[ $output == *"memory bind:0" ]]
}
