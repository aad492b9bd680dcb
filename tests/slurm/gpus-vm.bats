#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Slurm's options for GPUs where cgroups constrain devices, as most sites have it: in the virtual node of 2 packages x 4
# cores x 2 threads, with four GPUs, each task opens just the GPUs that Slurm gave it, takes the planned one, and is bound
# next to it. GPUs 0 and 3 are next to package 1 (CPUs 8-15), 1 and 2 next to package 0; NVLink joins 0 with 2 and 1 with 3.
# Each launch takes seconds there: of all forms the first few, TOPOMAP_VM_FORMS of them (`make check-vm`: all).
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  command -v qemu-system-x86_64 >/dev/null || skip "needs qemu (auto/deps --vm)"
  export FORMS=$BATS_FILE_TMPDIR/forms OUT=$BATS_FILE_TMPDIR/out
  # order: tasks see all of the step's GPUs, those that talk near to each other first, and CPUs go with them; own: each
  # has GPUs of its own, which stay, and CPUs go with the planned one; default: the same without bind=gpu; left: the same, but which one each has is not
  # known beforehand, and CPUs are Slurm's. Behind it what each task may open.
  cat >"$FORMS" <<'FORMS'
order 0,1,2,3/0,1,2,3/0,1,2,3/0,1,2,3 --gpus-per-node=4
default 0/1/2/3 --gpus-per-task=1
own 3/1 --gpus-per-node=4 --gpu-bind=map_gpu:3,1
own 0,1/2,3 --gpus-per-task=2
order 0,1/0,1/0,1/0,1 --gpus-per-node=2
order 0,1,2/0,1,2/0,1,2 --gpus-per-node=3
order 0,1,2,3/0,1,2,3/0,1,2,3/0,1,2,3 --gpus=4
order 0,1,2,3/0,1,2,3/0,1,2,3/0,1,2,3 --gres=gpu:4
order 0,1/0,1 --gres=gpu:2
order 0,1,2,3/0,1,2,3 --gpus-per-node=4
left -/-/-/- --gres=none
left -/-/-/-
left 0,1,2,3/0,1,2,3/0,1,2,3/0,1,2,3 --gpus-per-node=4 --gpu-bind=none
left 0,1,2,3/0,1,2,3/0,1,2,3/0,1,2,3 --gpus-per-node=4 --gpu-bind=closest
left 0,1,2,3 --gpus-per-node=4
own 0/1 --gpus-per-task=1
own 0/1/2/3 --gpus-per-task=1
default 0/1/2/3 --gpus=4 --ntasks-per-gpu=1
left 0/0/1/1 --gpus=2 --ntasks-per-gpu=2
own 0,1/2,3 --gres=gpu:4 --gpus-per-task=2
default 0/1/2/3 --gpus-per-node=4 --gpu-bind=single:1
own 0/1/2/3 --gpus-per-node=4 --gpu-bind=verbose,single:1
left 0/0/1/1 --gpus-per-node=4 --gpu-bind=single:2
own 0/1 --gpus-per-node=2 --gpu-bind=single:1
own 0/1 --gpus-per-node=2 --gpu-bind=map_gpu:0,1
own 1/0 --gpus-per-node=2 --gpu-bind=map_gpu:1,0
default 3/2/1/0 --gpus-per-node=4 --gpu-bind=map_gpu:3,2,1,0
own 2/3/0/1 --gpus-per-node=4 --gpu-bind=verbose,map_gpu:2,3,0,1
left 2/2/2/2 --gpus-per-node=4 --gpu-bind=map_gpu:2
left 3/1/3/1 --gpus-per-node=4 --gpu-bind=map_gpu:3,1
own 0,1/2,3 --gpus-per-node=4 --gpu-bind=mask_gpu:0x3,0xc
own 2/0 --gpus-per-node=4 --gpu-bind=mask_gpu:0x4,0x1
own 3/2/1/0 --gpus-per-node=4 --gpu-bind=mask_gpu:0x8,0x4,0x2,0x1
left 0,1,2,3/0,1,2,3 --gpus-per-node=4 --gpu-bind=mask_gpu:0xf
own 0/1/2/3 --gpus-per-node=4 --gpu-bind=per_task:1
own 0,1/2,3 --gpus-per-node=4 --gpu-bind=per_task:2
own 1/0 --gpus-per-task=1 --gpu-bind=map_gpu:1,0
order 0,1,2,3/0,1,2,3/0,1,2,3/0,1,2,3 --gpus-per-node=4 --topomap-options=nic=advise
own 0/1/2/3 --tres-per-task=gres/gpu:1
own 2/0 --gpus-per-node=4 --tres-bind=gres/gpu:map:2,0
own 0/1/2/3 --gpus-per-node=4 --tres-bind=gres/gpu:single:1
own 0,1/2,3 --gpus-per-node=4 --tres-bind=gres/gpu:per_task:2
hold - -n1 -c4 --gpus-per-node=1 --cpu-bind=none
order 1,2,3/1,2,3/1,2,3 -c2 --gpus-per-node=3
own 1/2/3 -c2 --gpus-per-task=1
left 3/2/1 -c2 --gpus-per-node=3 --gpu-bind=map_gpu:2,1,0
FORMS
  # Before 23.11 there are no such options.
  slurmd -V | awk '{ split($2, part, "."); exit !(part[1] part[2] < 2311) }' && sed -i '/--tres-/d' "$FORMS"
  "$TOPOMAP_SOURCE/contrib/testbed/vm" run --constrain --gpus 4 --timeout 3000 -- \
    "$TOPOMAP_SOURCE/tests/slurm/vm-gpus" "$FORMS" "${TOPOMAP_VM_FORMS:-4}" >"$OUT" 2>&1
  export COUNT
  COUNT=$(awk '$2 == "task" && $1 > n { n = $1 } END { print n + 0 }' "$OUT")
}

form() { # NUMBER: sets kind, devices, options
  read -r kind devices options < <(sed -n "$1p" "$FORMS")
}
# What went on, where a test fails.
show() { # NUMBER
  echo "== $kind $devices $options"
  grep "^$1 " "$OUT"
}

# `each CHECK`: of all forms that ran.
each() {
  local number wrong=0
  [ "$COUNT" -ge "$(($(wc -l <"$FORMS") < ${TOPOMAP_VM_FORMS:-4} ? $(wc -l <"$FORMS") : ${TOPOMAP_VM_FORMS:-4}))" ] || { tail -n 20 "$OUT"; return 1; }
  for ((number = 1; number <= COUNT; number++)); do
    form "$number"
    [ "$kind" = hold ] || "$1" "$number" || { show "$number"; wrong=1; }
  done
  return "$wrong"
}
tasks() { sed -n "s/^$1 task //p" "$OUT" | sort -n; } # NUMBER

given() { # each task opens what it was given, and is told of as many
  [ "$(tasks "$1" | cut -d' ' -f3 | paste -s -d/)" = "$devices" ] || return 1
  tasks "$1" | awk -v kind="$kind" '{ own = $3 == "-" ? 0 : split($3, open, ","); told = $4 == "-" ? 0 : split($4, seen, ","); delete has
    for (i = 1; i <= told; i++) if (seen[i] >= told || has[seen[i]]++) exit 1
    # With --gpu-bind=none Slurm before 23.02 tells of none.
    if (own != told && !(kind == "left" && !told)) exit 1 }'
}
@test "no task ever has a GPU that it was not given, nor one fewer" {
  each given
}

# The device behind the number that a task takes: that of its local id among all, or of its own the planned one.
taken() { # NUMBER: RANK GPU CPUS
  tasks "$1" | awk -v kind="$kind" '{ split($3, open, ","); n = split($4, seen, ",")
    print $1, kind == "order" ? open[seen[$2 % n + 1] + 1] : $6, $5 }'
}
planned() {
  case $kind in left) [ "$(tasks "$1" | cut -d' ' -f6 | sort -u)" = - ]; return ;; esac
  [ "$(sed -n "s/^$1 plan //p" "$OUT")" = "$(taken "$1" | cut -d' ' -f2 | paste -s -d' ')" ] || return 1
  [ "$kind" = order ] || paste -d' ' <(tr / '\n' <<<"$devices") <(taken "$1" | cut -d' ' -f2) |
    awk '{ split($1, open, ","); for (i in open) if (open[i] == $2) next; exit 1 }'
}
@test "each takes the GPU that was planned" {
  each planned
}

# Package 1 for 0 and 3. Which cores a job has is Slurm's affair: as many are next to GPUs as there can be.
near() {
  case $kind in left) return 0 ;; esac
  taken "$1" | awk '{ count = split($3, part, ",")
    near = $2 == 0 || $2 == 3; tasks[near]++
    for (i = 1; i <= count; i++) { split(part[i], end, "-"); for (cpu = end[1]; cpu <= (end[2] == "" ? end[1] : end[2]); cpu++) {
      wrong += used[cpu]++; has[int(cpu / 8)]++; right += int(cpu / 8) == near; own[NR]++ } }
    wrong += !own[NR] || own[NR] != own[1] }
    END { for (p = 0; p < 2; p++) could += tasks[p] * own[1] < has[p] ? tasks[p] * own[1] : has[p]; exit wrong || right != could }'
}
@test "each is bound to CPUs next to its GPU, and no two to the same" {
  each near
}

@test "nothing is said but what Slurm says of bindings" {
  local number
  for number in $(grep -E '^[0-9]+ said .*topomap: .*(binding|own layout|passed)' "$OUT" | cut -d' ' -f1); do
    form "$number"
    # Which GPU a task has is not known on the node either.
    [ "$kind" = left ] || { show "$number"; return 1; }
  done
}
