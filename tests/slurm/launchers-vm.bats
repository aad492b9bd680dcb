#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Other launchers where binding is real: in the virtual node of 2 packages x 4 cores x 2 threads, each rank of Open MPI's
# runs on the CPUs that the plan has for it, in batch jobs that have all of the node, a part with other jobs' cores in
# between, whose cores the launcher counts anew, or single hardware threads. One random plan of each kind, or PLANS.
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  command -v qemu-system-x86_64 >/dev/null || skip "needs qemu (auto/deps --vm)"
  command -v mpirun.openmpi >/dev/null || skip "needs Open MPI"
  export OUT=$BATS_FILE_TMPDIR/out
  cat >"$BATS_FILE_TMPDIR/steps" <<'END'
cd /tmp
export HOME=/tmp/home XDG_CACHE_HOME=/tmp/home OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ended() { while [ -n "$(squeue -h "$@")" ]; do sleep 0.2; done; }
# Takes a core and keeps it; prints the job's id once it has it.
hold() {
  local job
  job=$(sbatch --parsable -o /dev/null -n 1 -c 2 --wrap 'sleep 1000')
  until [ "$(squeue -h -j "$job" -o %t)" = R ]; do sleep 0.2; done
  echo "$job"
}
# A rank's number, and the CPUs that the kernel lets it have.
cat >mask <<'SH'
#!/bin/sh
echo "$OMPI_COMM_WORLD_RANK $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
SH
# In the job: what the plan says, what the launcher made of it, and the same by `topomap run`.
cat >job <<'SH'
#!/bin/bash
name=$1 ranks=$2 bind=$3
cpus=$(scontrol -d show job "$SLURM_JOB_ID" | sed -n 's/^ *Nodes=.* CPU_IDs=\([^ ]*\).*/\1/p')
echo "$name job $cpus"
cores=$(tr , '\n' <<<"$cpus" | awk -F- '{ for (cpu = $1; cpu <= (NF > 1 ? $2 : $1); cpu++) print int(cpu / 2) }' | sort -nu | paste -sd,)
set -- --graph "$name.csv" --nodes vmnode01 --tasks-per-node "$ranks" --cores "$cores" --bind "$bind" --effort fast
topomap map "$@" --format json | jq -r --arg name "$name" '.placement[] | "\($name) plan \(.rank) \(.cpus | map(tostring) | join(","))"'
topomap map "$@" --format plan -o "$name.plan"
topomap map --from-plan "$name.plan" --format openmpi-rankfile -o "$name.ranks"
threads=$(grep -o -e --use-hwthread-cpus "$name.ranks")
mpirun.openmpi $threads --rankfile "$name.ranks" -n "$ranks" ./mask | sed "s/^/$name mapped /"
set -- $threads -n "$ranks" ./mask
topomap run --print --topomap "$name.csv" --topomap-options "bind=$bind" -- mpirun.openmpi "$@" | sed -n "s/^rank \([0-9]*\)=vmnode01 slot=/$name slots \1 /p"
topomap run --topomap "$name.csv" --topomap-options "bind=$bind" -- mpirun.openmpi "$@" | sed "s/^/$name run /"
SH
chmod +x mask job
try() { # KIND ROUND SBATCH-OPTIONS RANKS BIND
  local name=$1$2
  awk -v n="$4" -v seed="$2" 'BEGIN { srand(seed); for (i = 0; i < n; i++) { print i "," (i + 1) % n ",1"
    for (k = 0; k < 2; k++) { j = int(rand() * n); if (j != i) print i "," j "," 1 + int(rand() * 900) } } }' >"$name.csv"
  sbatch --parsable -o "$name.out" -n "$4" $3 ./job "$name" "$4" "$5" >/dev/null
  ended --name=job
  sed '/^[a-z]*[0-9]* [a-z]* /!s/^/said /' "$name.out"
}
for round in $(seq "$PLANS"); do
  try whole "$round" "-c 2 --exclusive" $((2 + round % 7)) core
  try threads "$round" "" $((3 + 5 * round % 14)) pu
  held=($(hold) $(hold) $(hold) $(hold) $(hold))
  scancel "${held[round % 5]}" "${held[(round + 2) % 5]}"
  ended -j "${held[round % 5]},${held[(round + 2) % 5]}"
  try part "$round" "-c 2" $((2 + round % 4)) core
  scancel -n wrap
  ended
done
END
  PLANS=${PLANS:-1} "$TOPOMAP_SOURCE/contrib/testbed/vm" run --constrain --timeout 3000 -- bash "$BATS_FILE_TMPDIR/steps" \
    >"$OUT" 2>"$OUT.err"
}

# "0-1,4" -> "0,1,4"
expand() {
  awk '{ n = split($NF, part, ","); list = ""
         for (i = 1; i <= n; i++) { m = split(part[i], end, "-")
           for (cpu = end[1]; cpu <= end[m]; cpu++) list = list (list == "" ? "" : ",") cpu }
         $NF = list; print }'
}
facts() { awk -v n="$1" -v what="$2" '$1 == n && $2 == what { print $3, $4 }' "$OUT" | expand | sort -n; }

# The plan's CPUs are what each rank has; and in `topomap run`, those that its rankfile names, counted within the job.
as_planned() { # KIND UNIT
  local round name cpus
  for round in $(seq "${PLANS:-1}"); do
    name=$1$round
    grep -e "^$name " -e ^said "$OUT" || { cat "$OUT" "$OUT.err" && false; }
    [ "$(facts "$name" plan | wc -l)" -gt 1 ]
    [ "$(facts "$name" mapped)" = "$(facts "$name" plan)" ]
    cpus=$(awk -v n="$name" '$1 == n && $2 == "job" { print $3 }' "$OUT" | expand)
    [ -n "$(facts "$name" slots)" ]
    [ "$(facts "$name" run)" = "$(facts "$name" slots | awk -v cpus="$cpus" -v each="$2" 'BEGIN { split(cpus, cpu, ",") }
      { n = split($2, slot, ","); list = ""
        for (i = 1; i <= n; i++) for (k = 1; k <= each; k++) list = list (list == "" ? "" : ",") cpu[slot[i] * each + k]
        print $1, list }')" ]
  done
  [ -z "${PLANS-}" ] || echo "# $1: $round plans, each rank on its CPUs" >&3
}

@test "Open MPI by its rankfile, in a whole node: each rank has the plan's cores" {
  as_planned whole 2
}

@test "Open MPI by its rankfile, single hardware threads" {
  as_planned threads 1
}

@test "Open MPI by its rankfile, among other jobs' cores" {
  as_planned part 2
}
