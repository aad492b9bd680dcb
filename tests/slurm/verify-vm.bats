#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Where binding is real (the virtual node's 2 packages of 4 cores): topomap-verify, and ranks that are
# reordered inside a node whose cgroups hide each task's neighbours.
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  command -v qemu-system-x86_64 >/dev/null || skip "needs qemu (auto/deps --vm)"
  export OUT=$BATS_FILE_TMPDIR/out VERIFY=$TOPOMAP_BUILD/contrib/verify/topomap-verify
  export LIBRARY=$TOPOMAP_BUILD/contrib/reorder/.libs/libtopomap-reorder-mpich.so
  cd "$BATS_FILE_TMPDIR"
  [ ! -e "$LIBRARY" ] || mpicc.mpich -w -o topologies "$TOPOMAP_SOURCE/tests/mpi/topologies.c"
  cat >steps <<'END'
here=$PWD
cd /tmp
awk 'BEGIN { print "u,v,bytes"; for (i = 0; i < 4; i++) print i "," i + 4 ",1000" }' >pairs.csv
topomap map --graph pairs.csv --nodes vmnode01 --tasks-per-node 8 --effort fast --format json -o plan.json
step() { name=$1; shift; timeout 100 "$@" 2>&1 | sed "s/^/$name /"; echo "$name status ${PIPESTATUS[0]}"; }
srun --mpi=list 2>&1 | grep -q pmix && echo starts pmix
if [ -x "$VERIFY" ] && srun --mpi=list 2>&1 | grep -q pmix; then
  step launch srun --mpi=pmix -n8 -c2 --topomap=pairs.csv "$VERIFY"
  step file srun --mpi=pmix -n8 -c2 --topomap=pairs.csv "$VERIFY" --plan plan.json
  step slurm srun --mpi=pmix -n8 -c2 --topomap=off "$VERIFY" --plan plan.json
fi
if [ -x "$here/topologies" ]; then
  step reorder srun --mpi=pmi2 -n8 -c2 --cpu-bind=cores -m block:cyclic --topomap=off \
    env LD_PRELOAD="$LIBRARY" TOPOMAP_REORDER=verbose "$here/topologies" grid 8
fi
END
  "$TOPOMAP_SOURCE/contrib/testbed/vm" run --constrain --timeout 600 -- bash steps >"$OUT" 2>&1
}

setup() {
  cat "$OUT"
}

@test "topomap-verify: masks of whole cores are what the launch, and the dry run, have planned" {
  [ -x "$VERIFY" ] || skip "no PMIx here"
  grep -qx 'starts pmix' "$OUT" || skip "this Slurm has no mpi/pmix"
  grep -qx 'launch topomap-verify: 8 tasks .*CPUs .*\<8\>.*' "$OUT"
  grep -qx 'launch status 0' "$OUT"
  grep -qx 'file topomap-verify: 8 tasks .*CPUs .*\<8\>.*' "$OUT"
  grep -qx 'file status 0' "$OUT"
  grep -qx 'slurm topomap-verify: rank .*CPUs .*\<8 tasks .*' "$OUT"
  grep -qx 'slurm status 1' "$OUT"
}

# Tasks dealt round the packages: a chain of them costs 7 steps from package to package, and one at best.
@test "a chain of ranks, dealt round the packages, is laid along the cores" {
  [ -e "$LIBRARY" ] || skip "no MPICH here"
  grep -qx 'reorder ok' "$OUT"
  grep -q 'reorder topomap: MPI_Cart_create: 8 ranks on 1 nodes (tree), J from ' "$OUT"
  read -r before after < <(sed -n 's/.* J from \([0-9]*\) to \([0-9]*\), .*/\1 \2/p' "$OUT")
  [ "$((2 * after))" -lt "$before" ]
}
