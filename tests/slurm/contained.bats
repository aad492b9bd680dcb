#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# SlurmdParameters=contain_spank (24.11 and later): slurmstepd calls user_init, task_post_fork and task_exit in
# processes of their own that share its memory (CLONE_VM; slurm 24.11, src/slurmd/slurmstepd/mgr.c).
bats_require_minimum_version 1.5.0

load silence
load stuck

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed
  cd "$BATS_FILE_TMPDIR" || return
  (($(slurmd -V | sed -n 's/.* \([0-9][0-9]\)\.\([0-9][0-9]\).*/\1\2/p') >= 2411)) || {
    export LACK="Slurm $(slurmd -V | cut -d' ' -f2) has no contain_spank"
    return 0
  }
  mount_stuck
  mkdir etc
  echo 'SlurmdParameters=config_overrides,contain_spank' >etc/slurm.conf
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --build "$TOPOMAP_BUILD" --nodes 4 --cpus 2 --dir "$BED" \
    --etc etc --fabric fat-tree:leaves=2,hosts=2,spines=1,scatter=1)"
  cp "$BED/etc/plugstack.conf" plain
}

teardown_file() {
  [[ -n ${LACK:-} ]] || release_stuck || true
  [[ ! -d ${BED:-} ]] || "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

setup() {
  [[ -z ${LACK:-} ]] || skip "$LACK" # bats 1.8 fails where setup_file skips
  cd "$BATS_TEST_TMPDIR" || return
  cp "$BATS_FILE_TMPDIR/plain" "$BED/etc/plugstack.conf"
  for r in {0..3}; do echo "$r,$((r + 4)),1000"; done >far.csv
}

idle() {
  for _ in {1..600}; do [ "$(sinfo -h -N -o %T | sort -u)" != idle ] || return 0; sleep 0.1; done
  sinfo -N
  return 1
}

@test "a step is placed, and its tasks are told and bound" {
  [[ $(scontrol show config) == *contain_spank* ]]
  srun -N4 -n8 --topomap="$PWD/far.csv" sh -c 'echo "$SLURM_PROCID $TOPOMAP_APPLIED $TOPOMAP_BINDINGS"' </dev/null >out 2>err
  cat out err
  silent err
  [ "$(wc -l <out)" -eq 8 ]
  [ "$(cut -d' ' -f2 out | sort -u)" = 1 ]
  [ "$(grep -c ' T1' out)" -eq 8 ]
  idle
}

@test "a step is profiled, and the next one is placed by it" {
  local program=$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich
  [ -x "$program" ] || skip "needs MPICH"
  mkdir -m 1777 store
  sed -i "s|\$| store=$PWD/store|" "$BED/etc/plugstack.conf"
  srun --mpi=pmi2 -N4 -n8 --topomap=auto "$program" 4x2 --iterations 2 </dev/null >out 2>err
  cat out err
  for _ in {1..600}; do [ -z "$(find store -name '*.tmg')" ] || break; sleep 0.1; done
  [ "$(find store -name '*.tmg' | wc -l)" -eq 1 ]
  srun -v --mpi=pmi2 -N4 -n8 --topomap=auto "$program" 4x2 --iterations 2 </dev/null >out 2>err
  grep 'topomap: .*J .* lower' err
  idle
}

@test "a helper that a file system holds costs a second and a line" {
  needs_stuck
  sed -i "s|\$| node_helper=$STUCK/helper|" "$BED/etc/plugstack.conf"
  timeout 30 srun -N4 -n8 --topomap="$PWD/far.csv" true </dev/null 2>err
  cat err
  [ "$(grep -c topomap: err)" -eq 1 ]
  grep -q "[0-9] ms.*binding" err
  idle
}
