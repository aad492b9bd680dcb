#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Binding where it is real: the virtual node's 2 x 4 cores of 2 threads (PUs 2c and 2c + 1), with
# task/affinity and cgroups. The planner gives local task i the whole core 7 - i.
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  command -v qemu-system-x86_64 >/dev/null || skip "needs qemu (auto/deps --vm)"
  export OUT=$BATS_FILE_TMPDIR/out
  cat >"$BATS_FILE_TMPDIR/steps" <<'END'
show='echo $SLURM_PROCID $(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)'
echo "optional $TOPOMAP_BUILD/plugin/.libs/spank_topomap.so planner=$TOPOMAP_BUILD/tests/slurm/fake-planner node_helper=$TOPOMAP_BUILD/plugin/topomap-node deadline_ms=9000" \
  >"${SLURM_CONF%/*}/plugstack.conf"
export FAKE_PLANNER=reverse-and-bind FAKE_PLANNER_THREADS=2
step() { echo "$1: $(shift; "$@" sh -c "$show" 2>&1 | sort -n | paste -sd' ')"; }
step plain srun -n8 --cpu-bind=cores
step explicit srun -n8 --cpu-bind=cores -m topomap
step whole srun -n8 -m topomap
step half srun -n4 -m topomap
step socket srun -n4 -m topomap:cyclic
memory='echo $SLURM_PROCID $(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status) $(awk "NR == 1 { print \$2 }" /proc/self/numa_maps)'
echo "memory: $(srun -n8 --mem-bind=local -m topomap sh -c "$memory" 2>&1 | sort -n | paste -sd' ')"
echo "preferred: $(srun -n8 --mem-bind=prefer,local -m topomap sh -c "$memory" 2>&1 | sort -n | paste -sd' ')"
echo "slurms-memory: $(srun -n8 --mem-bind=local --cpu-bind=cores sh -c "$memory" 2>&1 | sort -n | awk '{ print $3 }' | sort | uniq -c | xargs)"
step one-thread srun -n4 --threads-per-core=1 -m topomap
srun -n3 sleep 60 &
sleep 3
step shared srun -n4 -m topomap
kill $!
wait
END
  "$TOPOMAP_SOURCE/contrib/testbed/vm" run --constrain --bare -- bash "$BATS_FILE_TMPDIR/steps" >"$OUT" 2>&1
}

is() { # STEP EXPECTED
  cat "$OUT"
  [ "$(sed -n "s/^$1: //p" "$OUT")" = "$2" ]
}

@test "an explicit --cpu-bind stays" {
  is explicit "$(sed -n 's/^plain: //p' "$OUT")"
}

@test "tasks that have a thread each keep the plan's order over the allowed cores" {
  is whole "0 11 1 10 2 9 3 8 4 3 5 2 6 1 7 0"
  is half "0 9 1 8 2 1 3 0"
}

@test "tasks that have a core each get whole cores in the plan's order" {
  is one-thread "0 10-11 1 8-9 2 2-3 3 0-1"
}

# CPUs 0 to 7 are of NUMA node 0, 8 to 15 of node 1.
@test "--mem-bind=local follows the tasks to their new CPUs" {
  is memory "0 11 bind:1 1 10 bind:1 2 9 bind:1 3 8 bind:1 4 3 bind:0 5 2 bind:0 6 1 bind:0 7 0 bind:0"
  is preferred "0 11 prefer:1 1 10 prefer:1 2 9 prefer:1 3 8 prefer:1 4 3 prefer:0 5 2 prefer:0 6 1 prefer:0 7 0 prefer:0"
  is slurms-memory "4 bind:0 4 bind:1"
}

@test "topomap:SOCKET is Slurm's own binding" {
  is socket "0 0 1 8 2 1 3 9"
}

@test "on a shared node, tasks stay inside what Slurm allowed" {
  is shared "0 11 1 10 2 3 3 2"
}

@test "a start of the virtual node that hangs is ended, tried again and said" {
  run env TOPOMAP_VM_PATIENCE=1 "$TOPOMAP_SOURCE/contrib/testbed/vm" run --bare -- true
  echo "$output"
  [ "$status" -ne 0 ]
  [ "$(grep -c 'virtual node .*\<1 second' <<<"$output")" -eq 3 ]
}
