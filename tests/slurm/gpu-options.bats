#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Slurm's options for GPUs, each without topomap, with it, and with bind=gpu: a task never has a GPU that Slurm has not
# given it, and never one fewer; the device that it takes, its CPUs and its node are those of the record; the program's
# status is the same. GPUs 0 and 3 are next to CPU 1, 1 and 2 next to CPU 0; NVLink joins 0 with 2 and 1 with 3.
bats_require_minimum_version 1.5.0
load bed

setup_file() {
  taskset -c 0,1 true 2>/dev/null || skip "needs the CPUs 0 and 1"
  cd "$BATS_FILE_TMPDIR"
  bed_up --nodes 2 --cpus 2 --gpus 4
  { printf '\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n'
    printf 'GPU0\t X \tSYS\tNV4\tNODE\t1\t1\nGPU1\tSYS\t X \tNODE\tNV4\t0\t0\n'
    printf 'GPU2\tNV4\tNODE\t X \tSYS\t0\t0\nGPU3\tNODE\tNV4\tSYS\t X \t1\t1\n'; } >four.topo
  mkdir -m 1777 records
  export RECORDS=$PWD/records
  sed -i "s,\$, records=$RECORDS," "$BED/etc/plugstack.conf"
  topomap db import --db "$TOPOMAP_DB" gpu-matrix four.topo --nodes 'node[01-02]' >/dev/null
  cat >who <<'END'
#!/bin/sh
seen=${CUDA_VISIBLE_DEVICES-}
for other in "${ROCR_VISIBLE_DEVICES-}" "${ZE_AFFINITY_MASK-}" "${GPU_DEVICE_ORDINAL-}"; do
  [ "$seen" = "$other" ] || seen=variables-differ
done
cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_LOCALID ${SLURM_STEP_GPUS:--} ${seen:--} $cpus"
# A status of the program's own.
exit $((SLURM_PROCID == 1 ? 3 : 0))
END
  chmod +x who
  export WHO=$PWD/who
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
}

# Leaves NAME (a line a task, by rank), NAME.err, NAME.status and, where topomap was asked, its record as NAME.plan.
launch() { # NAME OPTION...
  local name=$1 i
  shift
  rm -rf "$name" "$name".* "$RECORDS"/*
  # A command in front of srun that sets its environment, or makes an allocation, comes by WITH.
  "${with[@]}" timeout 60 srun "$@" "$WHO" </dev/null 2>"$name.err" | sort -n >"$name"
  echo "${PIPESTATUS[0]}" >"$name.status"
  for i in "$RECORDS"/*/*.plan; do [ ! -e "$i" ] || mv "$i" "$name.plan"; done
}

# What tasks have, whatever its order: node, local id, the step's GPUs, those that are seen.
given() { # NAME
  awk '{ count = split($5, seen, ","); delete has
    for (i = 1; i <= count; i++) has[seen[i]]++
    list = ""; for (i = 0; i < 16; i++) while (has[i]-- > 0) list = list "," i
    print $2, $3, $4, list == "" ? $5 : list }' "$1" | sort
}

# Every task is where the record says, on its CPUs, and the GPU that it takes is the record's: that of its local id
# among those that it sees, or one of its own.
as_planned() { # NAME KIND
  local rank node localid step seen cpus why gpu list
  while read -r rank node localid step seen cpus; do
    case $rank in 2) continue ;; esac # two tasks of a node, and one of the other, are enough
    why=$(topomap why "$rank" --plan "$1.plan" --db "$TOPOMAP_DB" --json)
    [ "$(jq -r .node <<<"$why")" = "$node" ] || return 1
    case $(jq -r '.cpus | map(tostring) | join(",")' <<<"$why") in '' | "${cpus/-/,}") ;; *) return 1 ;; esac
    gpu=$(jq -r '.gpus[0] // "-"' <<<"$why")
    IFS=, read -ra list <<<"$seen"
    case $2,$gpu in
      order,-) return 1 ;;
      *,-) ;;
      order,*) [ "$gpu" = "${list[localid % ${#list[@]}]}" ] ;;
      *) [[ ,$seen, == *",$gpu,"* ]] ;;
    esac || return 1
  done <"$1"
}

# On each node where the GPUs that two tasks take are next to different CPUs, each task is bound to its own's.
near_gpus() { # NAME KIND
  awk -v kind="$2" '{ count = split($5, seen, ","); gpu = seen[kind == "own" ? 1 : $3 % count + 1]
      node[NR] = $2; cpu[NR] = $6; near[NR] = substr("1001", gpu + 1, 1); on[$2] = on[$2] near[NR] }
    END { for (i = 1; i <= NR; i++) if (on[node[i]] ~ /01|10/ && cpu[i] != near[i]) exit 1 }' "$1"
}

# The form of options leaves to every task what Slurm gives it. KIND: order, tasks see all of the step's GPUs, those that
# talk near to each other first, and CPUs go with them; own, each has GPUs of its own, which stay as Slurm lists them, and
# CPUs go with them, with bind=gpu and without; same, nothing of GPUs is planned.
form() { # KIND OPTION...
  local kind=$1 name tasks=4 sizes=(-N2 -n4)
  shift
  case " $* " in *' -n2 '*) tasks=2 sizes=(-N2) ;; esac
  launch slurm "${sizes[@]}" "$@"
  launch placed "${sizes[@]}" "$@" --topomap="chain:$tasks"
  launch bound "${sizes[@]}" "$@" --topomap="chain:$tasks" --topomap-options=bind=gpu
  echo "== $kind $*"
  tail -n 6 slurm placed bound slurm.err placed.err bound.err
  for name in placed bound; do
    diff slurm.status "$name.status" || return 1
    diff <(given slurm) <(given "$name") || return 1
    ! grep -E 'topomap.*(on this node|own layout)' "$name.err" || return 1
    as_planned "$name" "$kind" || return 1
  done
  case $kind in
    order) [ "$(<slurm.status)" -eq 3 ] && [ "$(wc -l <placed)" -eq "$tasks" ] && near_gpus placed order && near_gpus bound order ;;
    own) diff <(cut -d' ' -f1-5 slurm) <(cut -d' ' -f1-5 placed) && diff <(cut -d' ' -f1-5 placed) <(cut -d' ' -f1-5 bound) &&
      near_gpus placed own && near_gpus bound own ;;
    same) diff <(cut -d' ' -f1-5 slurm) <(cut -d' ' -f1-5 placed) && diff <(cut -d' ' -f1-5 placed) <(cut -d' ' -f1-5 bound) ;;
  esac
}

# Forms one a line, as form() takes them; '#' begins a comment.
table() {
  local line help
  help=$(srun --help)
  while read -r line; do
    case $line in '' | '#'*) continue ;; esac
    # Before 23.11 there are no such options.
    case $line in *--tres-*) [[ $help == *--tres-bind* ]] || line="same ${line#* }" ;; esac
    # shellcheck disable=SC2086 # options are words
    form $line || return 1
  done
}

# bats test_tags=campaign
@test "GPUs by count: of the job, of a node, as generic resources" {
  with=()
  table <<'END'
order --gpus-per-node=4
order --gpus-per-node=3
order --gpus-per-node=2
order --gpus-per-node=1
order --gpus=8
order --gpus=4 --gpus-per-node=2
order --gres=gpu:4
order --gres=gpu:2
order --gres=gpu
order --gres=gpu:4 --gpus=8
# One task has all of its node's.
same --gpus-per-node=4 -n2
same --gres=none
same --gpus-per-node=0
same --gpus-per-socket=4 --sockets-per-node=1
END
}

@test "GPUs of tasks" {
  with=()
  table <<'END'
own --gpus-per-task=1
own --gpus-per-task=2
own --gpus-per-task=1 -n2
own --gpus=4 --ntasks-per-gpu=1
own --gpus=2 --ntasks-per-gpu=2
own --gres=gpu:4 --gpus-per-task=2
own --tres-per-task=gres/gpu:1
own --tres-per-task=gres/gpu:2
own --tres-per-task=cpu:1,gres/gpu:1
END
}

# bats test_tags=campaign
@test "--gpu-bind" {
  with=()
  table <<'END'
same --gpus-per-node=4 --gpu-bind=none
same --gpus-per-node=4 --gpu-bind=verbose,none
same --gpus-per-task=1 --gpu-bind=none
same --gpus-per-node=4 --gpu-bind=verbose
same --gpus-per-node=4 --gpu-bind=closest
same --gpus-per-node=4 --gpu-bind=verbose,closest
own --gpus-per-node=4 --gpu-bind=single:1
own --gpus-per-node=4 --gpu-bind=single:2
own --gpus-per-node=2 --gpu-bind=verbose,single:1
own --gpus-per-node=2 --gpu-bind=map_gpu:0,1
own --gpus-per-node=2 --gpu-bind=map_gpu:1,0
own --gpus-per-node=4 --gpu-bind=map_gpu:3,2
own --gpus-per-node=4 --gpu-bind=verbose,map_gpu:3,2
own --gpus-per-node=4 --gpu-bind=map_gpu:3,1
own --gpus-per-node=4 --gpu-bind=map_gpu:2
same --gpus-per-node=4 --gpu-bind=map_gpu:9,1
own --gpus-per-node=4 --gpu-bind=mask_gpu:0x3,0xc
own --gpus-per-node=4 --gpu-bind=mask_gpu:0x8,0x1
own --gpus-per-node=4 --gpu-bind=mask_gpu:0xf
own --gpus-per-node=4 --gpu-bind=per_task:1
own --gpus-per-node=4 --gpu-bind=per_task:2
own --gpus=8 --gpu-bind=per_task:2
own --gpus-per-task=1 --gpu-bind=map_gpu:1,0
own --gpus-per-task=2 --gpu-bind=single:1
same --gpus-per-task=2 --gpu-bind=closest
same --gpus-per-node=4 --gpu-bind=nonsense
END
}

@test "--tres-bind" {
  with=()
  table <<'END'
same --gpus-per-node=4 --tres-bind=gres/gpu:none
same --gpus-per-node=4 --tres-bind=gres/gpu:closest
own --gpus-per-node=4 --tres-bind=gres/gpu:single:1
own --gpus-per-node=4 --tres-bind=gres/gpu:verbose,single:1
own --gpus-per-node=4 --tres-bind=gres/gpu:map:3,0
own --gpus-per-node=4 --tres-bind=gres/gpu:mask:0x8,0x1
own --gpus-per-node=4 --tres-bind=gres/gpu:per_task:1
own --gpus-per-node=4 --tres-bind=gres/gpu:per_task:2
own --gpus-per-task=1 --tres-bind=gres/gpu:map:1,0
END
}

# bats test_tags=campaign
@test "what the environment says, and what a job leaves to its step" {
  with=(env SLURM_GPUS_PER_NODE=4)
  form order
  with=(env SLURM_GPUS_PER_NODE=4 SLURM_GPU_BIND=single:1)
  form own
  with=(env SLURM_GPU_BIND=map_gpu:3,2)
  form own --gpus-per-node=4
  with=(env SLURM_GPUS_PER_TASK=1)
  form own
  with=(salloc -Q -N2 -n4 --gpus-per-node=4)
  form order
  form own --gpus-per-task=1
  form own --gpu-bind=map_gpu:3,0
  form own --gpu-bind=per_task:2
  # A step that has fewer is given any of them.
  form same --gpus-per-node=2
  form same --gpus-per-node=1
  with=(salloc -Q -N2 -n4 --gpus-per-node=2)
  form order
  form own --ntasks-per-gpu=1
  form same --gres=none
}
