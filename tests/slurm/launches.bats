#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every kind of launch on a real Slurm, with the real planner: every rank where the dry run says for the
# same nodes and counts, or left alone, as Slurm has it.
bats_require_minimum_version 1.5.0
load bed
load mpis

setup_file() {
  export PROGRAMS=$TOPOMAP_BUILD/contrib/testbed/programs
  bed_up gpus
  # In a file, since sbatch and srun inside salloc start shells of their own.
  cat >who <<'END'
#!/bin/sh
echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_STEP_NODELIST $SLURM_STEP_TASKS_PER_NODE ${TOPOMAP_APPLIED:--}"
END
  chmod +x who
  export WHO=$PWD/who
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
  bed_idle
}

# Ranks talk most to those half a step away: Slurm's blocks are the worst.
graph() { # RANKS
  local file=$BATS_FILE_TMPDIR/far.$1.csv
  [ -e "$file" ] || awk -v n="$1" 'BEGIN {
    for (i = 0; i < n; i++) { j = (i + int(n / 2)) % n; k = (i + 1) % n
      if (i != j) print i "," j ",1000"; if (i != k) print i "," k ",10" } }' >"$file"
  echo "$file"
}

# The slot of each rank in a layout that $WHO printed, nodes in the step's order.
slots() {
  scontrol show hostnames "$(awk 'NR == 1 { print $3 }' "$1")" |
    awk 'NR == FNR { name[++nodes] = $1; next }
      { node[FNR - 1] = $2; count[$2]++; ranks = FNR }
      END { for (i = 1; i <= nodes; i++) { first[name[i]] = s; s += count[name[i]] }
        for (r = 0; r < ranks; r++) print first[node[r]] + k[node[r]]++ }' - "$1"
}

# as_planned RANKS OUT SLURM [OPTION...]: OUT is what the dry run makes of the layout in SLURM, on the
# nodes that OUT had.
as_planned() {
  local ranks=$1 out=$2 slurm=$3
  shift 3
  awk '{ print $1, $2, $5 }' "$out" | paste -sd';'
  slots "$slurm" >"$slurm.slots"
  read -r _ _ list counts applied _ <"$out"
  [ "$applied" = 1 ]
  topomap map --graph "$(graph "$ranks")" --nodes "$list" --tasks-per-node "$counts" --effort fast \
    --mapping "$slurm.slots" --json "$@" | jq -r '.placement[] | "\(.rank) \(.node)"' | sort -n >"$out.plan"
  [ "$(wc -l <"$out.plan")" -eq "$ranks" ]
  cut -d' ' -f1,2 "$out" | diff "$out.plan" -
}

# placed RANKS COMMAND OPTION...: with and without topomap. Both get nodes of the same counts.
placed() {
  local ranks=$1
  shift
  echo "$*"
  "$@" --topomap=off "$WHO" </dev/null | sort -n >slurm
  "$@" --topomap="$(graph "$ranks")" "$WHO" </dev/null 2>err | sort -n >out
  if grep topomap: err; then return 1; fi
  as_planned "$ranks" out slurm
}

@test "srun alone: counts, threads, lists of nodes, memory, overcommit" {
  placed 16 srun -N8 -n16
  placed 16 srun -N8 -n16 --ntasks-per-node=2
  placed 11 srun -N6 -n11
  placed 13 srun -N7 -n13
  placed 8 srun -w node01,node03,node06,node08 -n8
  placed 8 srun -x node02,node04 -N4 -n8
  placed 8 srun -N4 -n8 --threads-per-core=1
  placed 8 srun -N4 -n8 --ntasks-per-core=1
  placed 8 srun -N4 -n8 --mem-bind=local
  placed 8 srun -N4 -n8 --mem-bind=map_mem:0
  placed 8 srun -N4 -n8 --hint=nomultithread
  placed 8 srun -N4 -n8 --exclusive --kill-on-bad-exit=1
  placed 24 srun -N4 -n24 -O
  placed 4 srun -w node01,node02,node03,node05 -n4 -c2
}

@test "inside salloc: several steps, parts of the allocation, relative nodes" {
  export -f placed as_planned slots graph
  salloc -N8 -n16 bash -euc '
    placed 16 srun
    placed 8 srun -N4 -n8
    placed 8 srun -r3 -N4 -n8
    placed 8 srun --relative=2 -N4 -n8
    placed 8 srun --overlap -N4 -n8
    placed 8 srun --exact -N4 -n8
    placed 8 srun -x node02,node05 -N4 -n8
    placed 8 srun -N4 -n8 -m plane=2 --topomap=on' 2>said || { cat said; false; }
}

@test "steps at once: --overlap on the same nodes, --exact side by side" {
  local g
  g=$(graph 4)
  salloc -N4 -n8 --ntasks-per-node=2 --topomap="$g" sh -c '
    srun --topomap=off -N2 -n4 $WHO </dev/null >slurm
    for i in 1 2 3; do srun --overlap -N2 -n4 $WHO </dev/null >overlap$i & done; wait
    for i in 1 2; do srun --exact -N2 -n4 -c1 sh -c "$WHO; sleep 1" </dev/null >exact$i & done; wait'
  local file
  for file in slurm overlap1 overlap2 overlap3 exact1 exact2; do sort -n -o $file $file; done
  for file in overlap1 overlap2 overlap3 exact1 exact2; do as_planned 4 $file slurm; done
  [ "$(cut -d' ' -f3 exact1 exact2 | sort -u | wc -l)" -eq 2 ]
}

@test "sbatch: several steps, an array; the directive reaches all of them" {
  srun -N4 -n8 --ntasks-per-node=2 "$WHO" </dev/null | sort -n >slurm
  cat >job <<END
#!/bin/sh
#SBATCH -N4 -n8 --ntasks-per-node=2 --array=0-1 -o out.%a
#SBATCH --topomap=$(graph 8)
srun \$WHO | sort -n >first.\$SLURM_ARRAY_TASK_ID
srun -n8 \$WHO | sort -n >second.\$SLURM_ARRAY_TASK_ID
srun --topomap=off \$WHO | sort -n >off.\$SLURM_ARRAY_TASK_ID
touch done.\$SLURM_ARRAY_TASK_ID
END
  sbatch job
  for _ in {1..600}; do [ -e done.0 ] && [ -e done.1 ] && break; sleep 0.1; done
  cat out.*
  for i in 0 1; do
    as_planned 8 first.$i slurm
    as_planned 8 second.$i slurm
    [ "$(awk '{ print $5 }' off.$i | sort -u)" = - ]
  done
}

# bats test_tags=campaign
@test "a requeued job is placed on its new nodes" {
  srun -N4 -n8 --ntasks-per-node=2 "$WHO" </dev/null | sort -n >slurm
  cat >job <<END
#!/bin/sh
#SBATCH -N4 -n8 --ntasks-per-node=2 --requeue -o log --topomap=$(graph 8)
srun \$WHO | sort -n >run\$SLURM_RESTART_COUNT.part
mv run\$SLURM_RESTART_COUNT.part run\$SLURM_RESTART_COUNT
[ -n "\$SLURM_RESTART_COUNT" ] || sleep 60
END
  sbatch job
  for _ in {1..600}; do [ ! -e run ] || break; sleep 0.1; done
  local id
  id=$(squeue -h -o %i)
  scontrol requeue "$id"
  for _ in {1..600}; do [ "$(squeue -h -o %t)" != PD ] || break; sleep 0.1; done
  scontrol update "jobid=$id" "ExcNodeList=$(awk 'NR == 1 { print $3 }' run)" StartTime=now
  for _ in {1..600}; do [ ! -e run1 ] || break; sleep 0.1; done
  cat log
  as_planned 8 run slurm
  as_planned 8 run1 slurm
  [ "$(awk 'NR == 1 { print $3 }' run)" != "$(awk 'NR == 1 { print $3 }' run1)" ]
}

@test "--multi-prog: each rank runs its own program, where the layout says" {
  cat >a <<'END'
#!/bin/sh
echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_STEP_NODELIST $SLURM_STEP_TASKS_PER_NODE $TOPOMAP_APPLIED a $1"
END
  sed 's/ a / b /' a >b
  chmod +x a b
  printf '0-2,7 ./a %%t\n3-6 ./b %%o\n' >programs
  srun -N4 -n8 --ntasks-per-node=2 "$WHO" </dev/null | sort -n >slurm
  srun -N4 -n8 --ntasks-per-node=2 --topomap="$(graph 8)" --multi-prog programs </dev/null | sort -n >out
  as_planned 8 out slurm
  [ "$(awk '{ print $6 $7 }' out | paste -sd' ')" = "a0 a1 a2 b0 b1 b2 b3 a7" ]
}

@test "labels, standard input of one rank, output by rank, and a bad exit follow the ranks" {
  srun -N4 -n8 --ntasks-per-node=2 -l --topomap="$(graph 8)" "$WHO" </dev/null >out
  [ "$(awk -F'[: ]+' '$1 != $2' out | wc -l)" -eq 0 ]
  [ "$(echo hello | srun -N4 -n8 --ntasks-per-node=2 -l --input=5 --topomap="$(graph 8)" cat)" = "5: hello" ]
  srun -N4 -n8 --ntasks-per-node=2 -o 'out.%t.%N' --topomap="$(graph 8)" "$WHO" </dev/null
  for file in out.*.*; do
    read -r rank node _ <"$file"
    [ "$file" = "out.$rank.$node" ]
  done
  [ "$(cat out.*.* | wc -l)" -eq 8 ]
  run -143 --separate-stderr srun -N4 -n8 --ntasks-per-node=2 --kill-on-bad-exit=1 --topomap="$(graph 8)" \
    sh -c '[ $SLURM_PROCID -ne 6 ] || exit 3; exec sleep 60' </dev/null
  [[ $stderr == *": task 6: Exited with exit code 3"* ]] # wording: Slurm's own
}

@test "GPUs that the database does not know: each task has its own; the inside of nodes is Slurm's, unless the user asks" {
  export WHOSE='echo $SLURM_PROCID $SLURMD_NODENAME $SLURM_STEP_NODELIST $SLURM_STEP_TASKS_PER_NODE $TOPOMAP_APPLIED $SLURM_LOCALID $CUDA_VISIBLE_DEVICES $(echo $TOPOMAP_BINDINGS | cut -c1-2)'
  srun -N4 -n8 --ntasks-per-node=2 "$WHO" </dev/null | sort -n >slurm
  step() { srun -N4 -n8 --ntasks-per-node=2 --topomap="$(graph 8)" "$@" sh -c "$WHOSE" </dev/null | sort -n >out; }
  step --gpus-per-task=1
  as_planned 8 out slurm
  [ "$(awk '$6 != $7 || NF != 7' out | wc -l)" -eq 0 ]
  step --gpus-per-task=1 --gpu-bind=single:1
  as_planned 8 out slurm
  [ "$(awk '$6 != $7 || NF != 7' out | wc -l)" -eq 0 ]
  step --gpus-per-node=2
  [ "$(awk '$8 != "T1"' out | wc -l)" -eq 0 ]
  step --gpus-per-task=1 --topomap-options=bind=core
  as_planned 8 out slurm
  [ "$(awk '$6 != $7 || $8 != "T1"' out | wc -l)" -eq 0 ]
}

@test "topomap:SOCKET[:CORE] places nodes and leaves their inside to Slurm" {
  srun -N4 -n8 --ntasks-per-node=2 "$WHO" </dev/null | sort -n >slurm
  local distribution
  for distribution in block cyclic fcyclic block:cyclic cyclic:block 'block:block,Pack' 'block,NoPack' '*'; do
    echo "$distribution"
    srun -N4 -n8 --ntasks-per-node=2 -m "topomap:$distribution" --topomap="$(graph 8)" "$WHO" \
      </dev/null | sort -n >out
    as_planned 8 out slurm
  done
  run ! srun -n2 -m topomap:nonsense true </dev/null
}

@test "heterogeneous: a step in several components is left alone, with a line; one in a component is placed" {
  srun -N2 -n4 "$WHO" : -N2 -n4 "$WHO" </dev/null | sort -n >slurm
  srun -N2 -n4 --topomap="$(graph 4)" "$WHO" : -N2 -n4 "$WHO" </dev/null 2>err | sort -n >out
  diff <(cut -d' ' -f1,2 slurm) <(cut -d' ' -f1,2 out)
  grep -q 'topomap: .*heterogeneous' err
  srun -N2 -n4 "$WHO" </dev/null | sort -n >slurm
  salloc -N2 -n4 --topomap="$(graph 4)" : -N2 -n4 sh -c '
    srun --het-group=0,1 $WHO </dev/null >both; srun --het-group=0-1 $WHO </dev/null >range
    srun $WHO </dev/null >first; srun --het-group=1 $WHO </dev/null >second
    for pair in mpich:pmi2 openmpi:pmix; do
      srun --het-group=1 --mpi=${pair#*:} $PROGRAMS/whereami.${pair%:*} </dev/null >${pair%:*} || :
    done' 2>err
  cat err
  [ "$(grep -c 'heterogeneous' err)" -eq 2 ]
  [ "$(awk '$5 != "-"' both range | wc -l)" -eq 0 ]
  local step
  for step in first second; do
    sort -n -o $step $step
    as_planned 4 $step slurm
  done
  [ "$(cut -d' ' -f3 first second | sort -u | wc -l)" -eq 2 ]
  cut -d' ' -f1,2 second >ranks
  local pair
  for pair in mpich:pmi2 openmpi:pmix; do
    step=${pair%:*}
    [ -x "$PROGRAMS/whereami.$step" ] && starts_mpi "${pair#*:}" || continue
    awk '!/^#/ { print $1, $2 }' $step | sort -n | diff ranks -
  done
}

@test "one task, an interactive step, a host file" {
  [ "$(srun -n1 --topomap=ring:2 hostname </dev/null 2>&1)" = node01 ]
  printf 'node02\nnode01\nnode01\n' >hosts
  [ "$(SLURM_HOSTFILE=hosts srun -n3 --topomap=ring:3 "$WHO" </dev/null 2>err | sort -n | awk '{ print $2 $5 }' | paste -sd' ')" \
    = "node02- node01- node01-" ]
  grep -q "the user's own" err
  # With a terminal, which srun --pty gives to its first task.
  script -qefc 'srun --pty -N2 -n2 --topomap=ring:2 sh -c "tty || :"' /dev/null </dev/null >out
  grep -q /dev/pts/ out
}

@test "--mpi=none, pmi2 and pmix; MPICH and Open MPI: ranks, nodes and local ranks are right" {
  srun -N4 -n8 --ntasks-per-node=2 "$WHO" </dev/null | sort -n >slurm
  srun -N4 -n8 --ntasks-per-node=2 --mpi=none --topomap="$(graph 8)" "$WHO" </dev/null | sort -n >out
  as_planned 8 out slurm
  cut -d' ' -f1,2 out >ranks
  local pair ran=
  for pair in mpich:pmi2 openmpi:pmix; do
    [ -x "$PROGRAMS/whereami.${pair%:*}" ] && starts_mpi "${pair#*:}" || continue
    srun -w "$(awk 'NR == 1 { print $3 }' out)" -N4 -n8 --ntasks-per-node=2 --mpi="${pair#*:}" --topomap="$(graph 8)" \
      "$PROGRAMS/whereami.${pair%:*}" </dev/null >mpi
    awk '!/^#/ { print $1, $2 }' mpi | sort -n | diff ranks -
    [ "$(awk '!/^#/ { print $2, $3 }' mpi | sort -u | wc -l)" -eq 8 ]
    ran=1
  done
  [ -n "$ran" ] || skip "no MPI was built"
}
