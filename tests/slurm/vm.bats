#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The whole path where binding is real: planner, database and plugin in the virtual node of 2
# packages x 4 cores x 2 threads (core c has the PUs 2c and 2c + 1), with task/affinity, first
# without cgroups and then confined by them. tests/slurm/vm-node says what is run.
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  command -v qemu-system-x86_64 >/dev/null || skip "needs qemu (auto/deps --vm)"
  export FREE=$BATS_FILE_TMPDIR/free CONSTRAINED=$BATS_FILE_TMPDIR/constrained
  "$TOPOMAP_SOURCE/contrib/testbed/vm" run --timeout 1800 -- \
    "$TOPOMAP_SOURCE/tests/slurm/vm-node" free >"$FREE" 2>"$FREE.err"
  "$TOPOMAP_SOURCE/contrib/testbed/vm" run --constrain --timeout 1800 -- \
    "$TOPOMAP_SOURCE/tests/slurm/vm-node" constrained >"$CONSTRAINED" 2>"$CONSTRAINED.err"
}

setup() {
  out=$FREE
}

show() { # what is wrong, when a test fails
  grep -e "^$1 " "$out" | sort -k2n
  tail -n 5 "$out.err"
}

# "0-1,4" -> "0,1,4"
expand() {
  awk '{ n = split($NF, part, ","); list = ""
         for (i = 1; i <= n; i++) { m = split(part[i], end, "-")
           for (cpu = end[1]; cpu <= end[m]; cpu++) list = list (list == "" ? "" : ",") cpu }
         $NF = list; print }'
}
tasks() { awk -v n="$1" '$1 == n && $2 ~ /^[0-9]+$/ { print $2, $3 }' "$out" | expand | sort -n; }
plan() { awk -v n="$1" '$1 == n && $2 == "plan" { print $3, $4 }' "$out" | expand | sort -n; }
said() { awk -v n="$1" '$1 == n && $2 == "said" { print $3 }' "$out"; }
job_cpus() { awk -v n="$1" '$1 == n && $2 == "job" { print $3 }' "$out" | expand | tr , '\n' | sort -n | paste -sd,; }

# Lines that tell whoever asked that no rank moves; the tasks are bound as planned all the same.
stays() { grep -c "^$1 says .*topomap: Slurm's layout stays: nothing better" "$out"; }

as_planned() { # STEP TASKS [PLAN]
  show "$1"
  [ "$(tasks "$1" | wc -l)" -eq "$2" ]
  [ "$(tasks "$1")" = "$(plan "${3:-$1}")" ]
  [ "$(said "$1")" -eq "$(stays "$1")" ]
}
same() { # STEP OTHER
  show "$1"
  show "$2"
  [ "$(tasks "$1" | wc -l)" -eq 8 ]
  [ "$(tasks "$1")" = "$(tasks "$2")" ]
}
cpus_of() { tasks "$1" | awk '{ print $2 }' | tr , '\n' | sort -n | paste -sd,; }
core_of() { tasks "$1" | awk -v rank="$2" '$1 == rank { split($2, cpu, ","); print int(cpu[1] / 2) }'; }
package_of() { echo $(($(core_of "$1" "$2") / 4)); }

@test "a task a core: every mask is what the dry run says" {
  as_planned pairs8 8
  as_planned alone8 8 pairs8
}

@test "bind=pu: a task a hardware thread, as in the dry run" {
  as_planned pairs16 16
}

@test "layout=compact and spread, and threads: masks as in the dry run, though no rank moves" {
  as_planned compact 4
  [ "$(tasks compact | awk '{ print $2 }' | paste -sd' ')" = "0,1 2,3 4,5 6,7" ]
  as_planned spread 4
  [ "$(tasks spread | awk '{ print $2 }' | paste -sd' ')" = "0,1 4,5 8,9 12,13" ]
  as_planned hybrid 2
  [ "$(tasks hybrid | awk '{ print $2 }' | paste -sd' ')" = "0,1,2,3,4,5,6,7 8,9,10,11,12,13,14,15" ]
  as_planned threads1 2
  [ "$(tasks threads1 | awk '{ print $2 }' | paste -sd' ')" = "0,2,4,6 8,10,12,14" ]
}

@test "a batch script's #SBATCH-style --topomap binds its steps" {
  as_planned batch 8 pairs8
}

@test "four tasks get Slurm's two cores: pairs that talk share one" {
  show pairs4
  [ "$(tasks pairs4 | wc -l)" -eq 4 ]
  [ "$(core_of pairs4 0)" = "$(core_of pairs4 2)" ]
  [ "$(core_of pairs4 1)" = "$(core_of pairs4 3)" ]
  [ "$(core_of pairs4 0)" != "$(core_of pairs4 1)" ]
}

@test "a plan without a gain leaves Slurm's binding" {
  same chain8 slurm
  [ "$(said chain8)" -eq 1 ] && [ "$(stays chain8)" -eq 1 ]
}

@test "an explicit --cpu-bind wins" {
  same cores_on cores
}

@test "topomap:SOCKET leaves the inside of the node to Slurm" {
  same block_on block
}

@test "a class that is not this node's: Slurm's binding, said once" {
  for class in small large longer; do
    same "$class" slurm
    [ "$(said "$class")" -eq 1 ]
  done
  grep -q "^small says .*database.*binding" "$out"
}

# partial: what both runs do on a node of which other jobs have cores 1 and 3: the planner knows that.
partial() {
  as_planned some 4
  as_planned threads 8
  as_planned packed 3
  for step in some threads; do
    show "$step"
    [ "$(said "$step")" -eq 0 ]
    [ "$(cpus_of "$step")" = "$(job_cpus "$step")" ]
  done
  [ "$(job_cpus some)" = 0,1,4,5,8,9,10,11 ]
  [ "$(tasks some | wc -l)" -eq 4 ]
  [ "$(tasks threads | wc -l)" -eq 8 ]
  for pair in 0 1; do
    [ "$(package_of some $pair)" = "$(package_of some $((pair + 2)))" ]
  done
  for pair in 0 1 2 3; do
    [ "$(package_of threads $pair)" = "$(package_of threads $((pair + 4)))" ]
  done
}

@test "part of a node: the job's own cores, every one, and pairs in one package" {
  partial
}

@test "part of a node under cgroups" {
  out=$CONSTRAINED
  partial
}

side_by_side() {
  show left
  show right
  [ "$(said left)" -eq 0 ] && [ "$(said right)" -eq 0 ]
  [ "$(tasks left | wc -l)" -eq 4 ] && [ "$(tasks right | wc -l)" -eq 4 ]
  [ "$(cat <(tasks left) <(tasks right) | awk '{ print $2 }' | tr , '\n' | sort -n | uniq | wc -l)" -eq 16 ]
}

@test "two --exact steps at once share no CPU" {
  side_by_side
}

@test "two --exact steps at once share no CPU under cgroups" {
  out=$CONSTRAINED
  side_by_side
}
