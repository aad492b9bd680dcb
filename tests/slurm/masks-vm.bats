#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every kind of binding that Slurm knows, where binding is real: the virtual node's 2 x 4 cores of 2 threads, with
# and without topomap (compare-masks). CPUs 0 to 7 are of NUMA node 0, 8 to 15 of node 1.
bats_require_minimum_version 1.5.0

setup() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  command -v qemu-system-x86_64 >/dev/null || skip "needs qemu (auto/deps --vm)"
  cd "$BATS_TEST_TMPDIR"
}

# A kind of --cpu-bind that the user names stays. Slurm's own order of threads is not the kernel's.
explicit='
8 stays -N1 -n8 --cpu-bind=none
8 stays -N1 -n8 --cpu-bind=rank --exclusive
8 stays -N1 -n8 --cpu-bind=map_cpu:0,2,4,6,8,10,12,14 --exclusive
8 stays -N1 -n8 --cpu-bind=mask_cpu:0x3,0xc,0x30,0xc0,0x300,0xc00,0x3000,0xc000 --exclusive
8 stays -N1 -n8 --cpu-bind=rank_ldom --exclusive
4 stays -N1 -n4 --cpu-bind=map_ldom:0,1 --exclusive
4 stays -N1 -n4 --cpu-bind=mask_ldom:0x1,0x2 --exclusive
8 stays -N1 -n8 --cpu-bind=sockets
8 stays -N1 -n8 --cpu-bind=cores
8 stays -N1 -n8 --cpu-bind=threads
8 stays -N1 -n8 --cpu-bind=ldoms
8 stays -N1 -n8 --cpu-bind=verbose,cores
8 stays -N1 -n8 -c2 --cpu-bind=cores --mem-bind=local
'
# These leave the kind to topomap.
implicit='
8 alone -N1 -n8 --cpu-bind=verbose
8 alone -N1 -n8 --cpu-bind=quiet
8 alone -N1 -n8 --mem-bind=none
8 alone -N1 -n8 --mem-bind=local
8 alone -N1 -n8 -c2 --mem-bind=local
8 alone -N1 -n8 --mem-bind=prefer,local
8 alone -N1 -n8 --mem-bind=verbose,local
8 alone -N1 -n8 --mem-bind=rank
4 alone -N1 -n4 --mem-bind=map_mem:0,1
4 alone -N1 -n4 --mem-bind=mask_mem:0x1,0x2
8 alone -N1 -n8 --mem-bind=sort,local
8 alone -N1 -n8 --threads-per-core=1
4 alone -N1 -n4 --threads-per-core=1 -c2
8 alone -N1 -n8 --threads-per-core=2
8 alone -N1 -n8 --hint=compute_bound
4 alone -N1 -n4 --hint=memory_bound
8 alone -N1 -n8 --hint=multithread
8 alone -N1 -n8 --hint=nomultithread
4 alone -N1 -n4 -c2 --hint=nomultithread
16 alone -N1 -n16
16 alone -N1 -n16 --mem-bind=local
8 alone -N1 -n8 -c1
8 alone -N1 -n8 -c2
5 alone -N1 -n5 -c3
4 alone -N1 -n4 -c4
4 alone -N1 -n4 -c3 --threads-per-core=1 -O
8 alone -N1 -n8 --ntasks-per-core=1
8 alone -N1 -n8 --ntasks-per-core=2
4 alone -N1 -n4 --ntasks-per-socket=2
8 alone -N1 -n8 --exclusive
4 alone -N1 -n4 --exact
20 alone -N1 -n20 -O
6 alone -N1 -n6 -c4 -O
8 alone -N1 -n8 -m topomap:block
8 alone -N1 -n8 -m topomap:cyclic
8 alone -N1 -n8 -m topomap:fcyclic
8 alone -N1 -n8 -m topomap:block:cyclic
8 alone -N1 -n8 -c2 --topomap-options=bind=core --mem-bind=local
8 alone -N1 -n8 --topomap-options=bind=pu --mem-bind=local
8 alone -N1 -n8 --topomap-options=bind=none --mem-bind=local
4 alone -N1 -n4 --topomap-options=layout=compact --mem-bind=local
4 alone -N1 -n4 --topomap-options=layout=spread --mem-bind=local
8 shared -N1 -n8
8 shared -N1 -n8 -c2 --mem-bind=local
16 shared -N1 -n16
'

# in_node STEPS PLACED [OPTION...]: fails unless all steps are ok and at least PLACED of them are placed.
in_node() {
  local steps=$1 placed=$2
  shift 2
  grep . <<<"$steps" >steps
  "$TOPOMAP_SOURCE/contrib/testbed/vm" run --timeout 1500 "$@" -- \
    sh -c "'$TOPOMAP_SOURCE/tests/slurm/compare-masks' <'$PWD/steps'" >out 2>&1 || { grep -v '^ok' out; false; }
  tail -1 out
  [ "$(grep -c '^ok' out)" -eq "$(wc -l <steps)" ]
  [ "$(sed -n 's/.* \([0-9]*\) placed.*/\1/p' out)" -ge "$placed" ]
}

@test "each kind of --cpu-bind stays; others share no CPUs, and memory follows" { in_node "$explicit$implicit" 30; }

@test "the same with jobs that are confined to their cores" { in_node "$explicit$implicit" 30 --constrain; }

@test "random steps on a node of two threads a core" {
  in_node "$(awk -v SEED=3 -v COUNT="${TOPOMAP_VM_STEPS:-60}" -v NODES=1 -v CPUS=16 \
    -f "$TOPOMAP_SOURCE/tests/slurm/random-steps.awk")" 15
}
