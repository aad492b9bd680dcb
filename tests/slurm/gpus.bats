#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Which GPU each task takes, on nodes with eight (nothing is behind them), by a database that has them as an MI250X's.
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed
  cd "$BATS_FILE_TMPDIR"
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --build "$TOPOMAP_BUILD" --nodes 2 --cpus 8 --gpus 8 --dir "$BED")"
  topomap db import --db "$TOPOMAP_DB" hwloc "$TOPOMAP_SOURCE/tests/data/db/mi250x.xml" --nodes 'node[01-02]' >/dev/null
  cat >who <<'END'
#!/bin/sh
echo "$SLURM_PROCID $SLURM_LOCALID step=${SLURM_STEP_GPUS:-} $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES $ZE_AFFINITY_MASK $GPU_DEVICE_ORDINAL"
END
  chmod +x who
  export WHO=$PWD/who
}

teardown_file() {
  "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  for _ in {1..100}; do [ "$(squeue -h; sinfo -h -o %T)" != idle ] || break; sleep 0.1; done
}

step() { srun -N2 -n16 "$@" "$WHO" </dev/null 2>err | sort -n >out; }

# What every task sees, and nothing else: `values STEP SEEN`. HIP and OpenCL count within ROCR_VISIBLE_DEVICES.
values() {
  [ "$(wc -l <out)" -eq 16 ]
  [ "$(cut -d' ' -f3- out | sort -u)" = "step=$1 $1 $2 $2 $1" ]
}

# The options ("$@") leave the tasks what they see without topomap, and no line is said.
as_slurm() {
  step "$@"
  [ "$(wc -l <out)" -eq 16 ]
  mv out slurm
  step "$@" --topomap=chain:16
  diff slurm out
  ! grep -q 'order of GPUs' err
}

@test "tasks that see all GPUs see those near to each other first, all of a node in one order" {
  local options
  for options in --gpus-per-node=8 --gpus=16 --gres=gpu:8; do
    step $options --topomap=chain:16
    cat err
    grep -q 'GPUs 52.0 % nearer to each other' err
    values 0,1,2,3,4,5,6,7 1,0,6,7,5,4,2,3
  done
  step --gpus-per-node=8 --topomap=chain:16 --topomap-explain=why
  [ "$(grep -c '^  node0[12]  .*  gpus 1 0 6 7 5 4 2 3  nics hsn0 hsn0 hsn3 hsn3 hsn2 hsn2 hsn1 hsn1$' why)" -eq 2 ]
  # Half of them, two tasks on each: the task of local id 4 takes the GPU of id 0.
  step --gpus-per-node=4 --topomap=chain:16
  values 0,1,2,3 1,0,2,3
  step --gpus-per-node=8
  values 0,1,2,3,4,5,6,7 0,1,2,3,4,5,6,7
  # A step of an allocation has all of its job's GPUs, where it does not say otherwise.
  salloc -N2 -n16 --gpus-per-node=8 bash -c 'srun --topomap=chain:16 "$WHO" </dev/null 2>err | sort -n >out'
  values 0,1,2,3,4,5,6,7 1,0,6,7,5,4,2,3
}

@test "GPUs that Slurm or the user has given to tasks stay theirs" {
  local options
  for options in --gpus-per-task=1 '--gpus=16 --ntasks-per-gpu=1' '--gpus-per-node=8 --gpu-bind=single:1' '--gpus-per-node=8 --gpu-bind=per_task:1' \
    '--gpus-per-node=8 --gpu-bind=map_gpu:7,6,5,4,3,2,1,0' '--gpus-per-node=8 --gpu-bind=mask_gpu:0xf,0xf0' '--gpus-per-node=8 --gpu-bind=closest' \
    '--gpus-per-node=8 --gpu-bind=none' --gres=none; do
    as_slurm $options
  done
  # So do they where somebody says how tasks are bound, or that they are not.
  for options in bind=core bind=pu bind=none; do
    as_slurm --gpus-per-node=8 --topomap-options=$options
  done
}

@test "bind=gpu where Slurm gives each task a GPU: the GPUs stay, and CPUs are planned by them" {
  local options
  for options in --gpus-per-task=1 '--gpus=16 --ntasks-per-gpu=1' '--gpus-per-node=8 --gpu-bind=single:1' '--gpus-per-node=8 --gpu-bind=map_gpu:7,6,5,4,3,2,1,0'; do
    as_slurm $options --topomap-options=bind=gpu
    srun -N2 -n16 $options --topomap=chain:16 --topomap-options=bind=gpu sh -c 'echo "$TOPOMAP_BINDINGS"' </dev/null >plans
    [ "$(cut -c1-2 plans | sort | uniq -c | tr -s ' ')" = ' 16 T2' ]
  done
}

@test "a step that has a part of its job's GPUs takes them in Slurm's order" {
  salloc -N2 -n16 --gpus-per-node=8 bash -c '
    srun --gpus-per-node=4 --topomap=chain:16 "$WHO" </dev/null 2>err | sort -n >out'
  cat err
  values 0,1,2,3 0,1,2,3
  ! grep -q 'order of GPUs' err
}

@test "a node that has other GPUs than were planned with keeps Slurm's order, and says so once" {
  # The job's GPUs are not told: all eight are planned with.
  sed -i "s,\$, scontrol=/bin/false," "$BED/etc/plugstack.conf"
  salloc -N2 -n16 --gpus-per-node=4 bash -c 'unset SLURM_GPUS_PER_NODE
    srun --topomap=chain:16 "$WHO" </dev/null 2>err | sort -n >out'
  cat err
  sed -i 's, scontrol=/bin/false,,' "$BED/etc/plugstack.conf"
  values 0,1,2,3 0,1,2,3
  [ "$(grep -c "GPUs on this node are not those that were planned with; Slurm's binding and order of GPUs stay" err)" -eq 1 ]
}
