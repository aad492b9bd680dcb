#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Which GPU each task takes, on nodes with eight (nothing is behind them), by a database that has them as an MI250X's.
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed
  cd "$BATS_FILE_TMPDIR"
  # The nodes have adapters: of Slingshot hsn0 to hsn3, and of InfiniBand mlx5_0 to mlx5_9, of which mlx5_0's second port is
  # active, and none of mlx5_6.
  for i in 0 1 2 3; do mkdir -p class/net/hsn$i && echo up >class/net/hsn$i/operstate; done
  for i in 0 1 2 3 4 5 6 7 8 9; do
    mkdir -p class/infiniband/mlx5_$i/ports/{1,2}
    echo '4: ACTIVE' >class/infiniband/mlx5_$i/ports/1/state
    echo '1: DOWN' >class/infiniband/mlx5_$i/ports/2/state
  done
  echo '1: DOWN' | tee class/infiniband/mlx5_{0,6}/ports/1/state >/dev/null
  echo '4: ACTIVE' >class/infiniband/mlx5_0/ports/2/state
  eval "$(unshare -m sh -c 'mount --bind class /sys/class && exec "$@"' sh \
    "$TOPOMAP_SOURCE/contrib/testbed/testbed" up --build "$TOPOMAP_BUILD" --nodes 2 --cpus 8 --gpus 8 --dir "$BED")"
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
  for _ in {1..600}; do [ "$(squeue -h; sinfo -h -o %T)" != idle ] || break; sleep 0.1; done
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
    grep -q 'GPUs 52.0 %' err
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

# The number of tasks for which CPUs are planned by GPUs, of 16.
planned() { srun -N2 -n16 "$@" --topomap=chain:16 sh -c 'echo "$TOPOMAP_BINDINGS"' </dev/null | grep -c ^T2; }

@test "where Slurm gives each task a GPU, the GPUs stay, and CPUs are planned by them" {
  local options
  for options in --gpus-per-task=1 '--gpus=16 --ntasks-per-gpu=1' '--gpus-per-node=8 --gpu-bind=single:1' '--gpus-per-node=8 --gpu-bind=map_gpu:7,6,5,4,3,2,1,0'; do
    as_slurm $options --topomap-options=bind=gpu
    [ "$(planned $options --topomap-options=bind=gpu)" -eq 16 ]
    [ "$(planned $options)" -eq 16 ]
    [ "$(planned $options --cpu-bind=cores)" -eq 0 ]
  done
  [ "$(planned --gpus-per-task=1 --mem-bind=map_mem:0)" -eq 0 ]
  [ "$(planned --gpus-per-task=1 --topomap-options=bind=core)" -eq 0 ]
  [ "$(planned --gpus-per-node=8 --gpu-bind=closest)" -eq 0 ]
}

@test "where gres.conf counts GPUs otherwise than by number, they and the tasks' CPUs are left alone" {
  cp "$BED/etc/gres.conf" gres.conf
  printf 'Name=gpu File=%s\n' "$BED/gpu[4-7]" "$BED/gpu[0-3]" >"$BED/etc/gres.conf"
  as_slurm --gpus-per-node=8
  as_slurm --gpus-per-task=1 --topomap-options=bind=gpu
  srun -v -N2 -n16 --gpus-per-node=8 --topomap=chain:16 true </dev/null 2>err
  cp gres.conf "$BED/etc/gres.conf"
  grep -q "gres.conf .*GPUs" err
  # Slurm chooses by the tasks' CPUs.
  sed -i 's/$/ Cores=0-7/' "$BED/etc/gres.conf"
  [ "$(planned --gpus-per-task=1)" -eq 0 ]
  [ "$(planned --gpus-per-task=1 --topomap-options=bind=gpu)" -eq 16 ]
  [ "$(planned --gpus-per-node=8 --gpu-bind=map_gpu:7,6,5,4,3,2,1,0)" -eq 16 ]
  cp gres.conf "$BED/etc/gres.conf"
  step --gpus-per-node=8 --topomap=chain:16
  values 0,1,2,3,4,5,6,7 1,0,6,7,5,4,2,3
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
  [ "$(grep -c "GPUs .*planned .*binding" err)" -eq 1 ]
}

# Each task's TOPOMAP_NIC, then what libraries find, of a step of 8 tasks on node01 (which may be completing the one before).
nics() { # OPTION...
  srun -w node01 -N1 -n8 "$@" sh -c 'echo "$SLURM_LOCALID ${TOPOMAP_NIC--} ${UCX_NET_DEVICES--} ${NCCL_IB_HCA--} ${MPICH_OFI_NIC_POLICY--} ${MPICH_OFI_NIC_MAPPING--}"' \
    </dev/null 2>err | sort -n | cut -d' ' -f2- >out
  cat err
}

@test "nic=: nothing without it, advise tells, set sets what MPICH goes by" {
  nics --gpus-per-node=8 --topomap=chain:8
  [ "$(sort -u out)" = '- - - - -' ]
  # The tasks' GPUs are 1,0,6,7,5,4,2,3.
  nics --gpus-per-node=8 --topomap=chain:8 --topomap-options=nic=advise --topomap-explain
  grep -q '^  NICs on node01: tasks hsn0\*2,hsn3\*2,hsn2\*2,hsn1\*2$' err
  [ "$(paste -s -d, out)" = 'hsn0 - - - -,hsn0 - - - -,hsn3 - - - -,hsn3 - - - -,hsn2 - - - -,hsn2 - - - -,hsn1 - - - -,hsn1 - - - -' ]
  nics --gpus-per-node=8 --topomap=chain:8 --topomap-options=nic=set
  [ "$(cut -d' ' -f1 out | paste -s -d,)" = 'hsn0,hsn0,hsn3,hsn3,hsn2,hsn2,hsn1,hsn1' ]
  [ "$(cut -d' ' -f2- out | sort -u)" = '- - USER 0:0,1;1:6,7;2:4,5;3:2,3' ]
  # What the user has set stays, and what goes with it is left alone.
  MPICH_OFI_NIC_POLICY=NUMA nics --gpus-per-node=8 --topomap=chain:8 --topomap-options=nic=set
  [ "$(cut -d' ' -f2- out | sort -u)" = '- - NUMA -' ]
}

@test "nic=set where Slurm gives each task its GPU, and where a step has a part of its job's: by the GPUs that a task has" {
  nics --gpus-per-task=1 --topomap=chain:8 --topomap-options=nic=set
  [ "$(cut -d' ' -f1 out | paste -s -d,)" = 'hsn0,hsn0,hsn1,hsn1,hsn2,hsn2,hsn3,hsn3' ]
  [ "$(cut -d' ' -f2- out | sort -u)" = '- - - -' ]
  MPICH_GPU_SUPPORT_ENABLED=1 nics --gpus-per-node=8 --gpu-bind=map_gpu:7,6,5,4,3,2,1,0 --topomap=chain:8 --topomap-options=nic=set
  [ "$(cut -d' ' -f1 out | paste -s -d,)" = 'hsn3,hsn3,hsn2,hsn2,hsn1,hsn1,hsn0,hsn0' ]
  [ "$(cut -d' ' -f2- out | sort -u)" = '- - GPU -' ]
  salloc -w node01 -N1 -n8 --gpus-per-node=8 bash -c "$(declare -f nics); nics --gpus-per-node=4 --topomap=chain:8 --topomap-options=nic=set"
  [ "$(cut -d' ' -f1 out | paste -s -d,)" = 'hsn0,hsn0,hsn1,hsn1,hsn0,hsn0,hsn1,hsn1' ]
  # Two GPUs a task, and their NICs.
  srun -N1 -n4 --gpus-per-task=2 --topomap=chain:4 --topomap-options=nic=set sh -c 'echo "$SLURM_STEP_GPUS $TOPOMAP_NIC"' </dev/null | sort >out
  [ "$(cut -d' ' -f2 out | paste -s -d,)" = 'hsn0,hsn1,hsn2,hsn3' ]
  # One task alone has those of all GPUs of its node, of which MPICH can be told none.
  srun -N2 -n2 --gpus-per-node=8 --topomap=chain:2 --topomap-options=nic=set sh -c 'echo "$TOPOMAP_NIC ${MPICH_OFI_NIC_POLICY-}"' </dev/null | sort -u >out
  [ "$(cat out)" = 'hsn0,hsn1,hsn2,hsn3 ' ]
  # Parts of GPUs are left alone.
  CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50 nics --gpus-per-node=8 --topomap=chain:8 --topomap-options=nic=set
  [ "$(sort -u out)" = '- - - - -' ]
}

@test "nic=set on InfiniBand: UCX's and NCCL's, with the active port; a NIC that is down is not set, and a line says so" {
  topomap db import --db ib.db hwloc "$BED/class.xml" --nodes 'node[01-02]' >/dev/null
  printf '# hosts: node[01-02]\nnode01,1,leaf,1,100\nnode02,1,leaf,2,100\n' >links
  topomap db import --db ib.db links links >/dev/null
  topomap db import --db ib.db gpu-matrix "$TOPOMAP_SOURCE/tests/data/db/h100.topo" --nodes 'node[01-02]' >/dev/null
  export TOPOMAP_DB=$PWD/ib.db
  nics --gpus-per-node=8 --topomap=chain:8 --topomap-options=nic=set
  mv out set
  UCX_NET_DEVICES=eth0 nics --gpus-per-node=8 --topomap=chain:8 --topomap-options=nic=set
  mv out users
  srun -N2 -n2 --gpus-per-node=8 --topomap=chain:2 --topomap-options=nic=set sh -c 'echo "$NCCL_IB_HCA"' </dev/null | sort -u >alone
  head set users alone
  [ "$(sed -n 1p set)" = 'mlx5_0 mlx5_0:2 =mlx5_0:2 - -' ]
  [ "$(sed -n 2p set)" = 'mlx5_3 mlx5_3:1 =mlx5_3:1 - -' ]
  [ "$(cut -d' ' -f1 set | paste -s -d,)" = 'mlx5_0,mlx5_3,mlx5_4,mlx5_5,-,mlx5_7,mlx5_8,mlx5_9' ]
  [ "$(sed -n 5p set)" = '- - - - -' ]
  [ "$(grep -c 'NIC mlx5_6 .*nic=' err)" -eq 1 ]
  [ "$(sed -n 2p users)" = 'mlx5_3 eth0 =mlx5_3:1 - -' ]
  # One task alone has all of the node's GPUs.
  [ "$(cat alone)" = =mlx5_0:2,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_7:1,mlx5_8:1,mlx5_9:1 ]
}

@test "in pyxis's containers ranks, GPUs and TOPOMAP_ variables are as outside" {
  cp "$BED/etc/plugstack.conf" plain
  for where in before after; do
    [ $where = before ] && echo "optional $TOPOMAP_BUILD/tests/slurm/.libs/pyxis.so" >"$BED/etc/plugstack.conf" && cat plain >>"$BED/etc/plugstack.conf"
    [ $where = before ] || { cat plain && echo "optional $TOPOMAP_BUILD/tests/slurm/.libs/pyxis.so"; } >"$BED/etc/plugstack.conf"
    srun --container-image ubuntu -m topomap -N2 -n16 --gpus-per-node=8 --topomap=chain:16 --topomap-options=nic=advise \
      sh -c 'echo "$SLURM_PROCID $IMAGE $ROCR_VISIBLE_DEVICES $TOPOMAP_NIC ${TOPOMAP_PLAN_ID:+plan} ${TOPOMAP_APPLIED-}"' </dev/null | sort -n >out
    cat out
    [ "$(cut -d' ' -f2,3 out | sort -u)" = 'ubuntu 1,0,6,7,5,4,2,3' ]
    [ "$(head -n 8 out | cut -d' ' -f4 | paste -s -d,)" = hsn0,hsn0,hsn3,hsn3,hsn2,hsn2,hsn1,hsn1 ]
    [ "$(cut -d' ' -f5,6 out | sort -u)" = 'plan 0' ]
  done
  cp plain "$BED/etc/plugstack.conf"
}

@test "nic= where tasks have no GPU: the NIC next to the CPUs, while they are bound to those" {
  # This machine has not the CPUs that the database says: nobody is bound.
  nics --gres=none --topomap=chain:8 --topomap-options=nic=set --topomap-explain
  grep -q '^  NICs on node01: tasks .*CPUs hsn2\*2,hsn1\*2,hsn3\*2,hsn0\*2$' err
  [ "$(sort -u out)" = '- - - - -' ]
  # Slurm binds them: nobody knows where they will be.
  nics --gres=none --topomap=chain:8 --topomap-options=nic=set,bind=none --topomap-explain
  grep -q '^  NICs on node01: .*known$' err
  [ "$(sort -u out)" = '- - - - -' ]
}
