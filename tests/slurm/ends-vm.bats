#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Where Slurm kills a batch job with its control group (proctrack/cgroup), and with it whatever the job's
# last srun has left behind: the profile is stored by then, or the next launch stores it.
bats_require_minimum_version 1.5.0

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  command -v qemu-system-x86_64 >/dev/null || skip "needs qemu (auto/deps --vm)"
  export OUT=$BATS_FILE_TMPDIR/out PROGRAM=$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich
  export TOPOMAP_TESTBED_PLUGIN_ARGS="$TOPOMAP_TESTBED_PLUGIN_ARGS store=/tmp/store records=/tmp/records"
  cat >"$BATS_FILE_TMPDIR/steps" <<'END'
cd /tmp
mkdir -m 1777 store records
# `profile list` has the profiles of who runs the tests, too.
export HOME=/tmp/home XDG_CACHE_HOME=/tmp/home
ended() { while [ -n "$(squeue -h)" ]; do sleep 0.2; done; }
job() { # NAME LINE...: a batch job, and how it ended
  local name=$1 id
  shift
  printf '%s\n' '#!/bin/bash' "$@" >"$name.sh"
  id=$(sbatch --parsable -o "$name.out" -n8 -c2 "$name.sh")
  ended
  scontrol -o show job "$id" | sed -n "s/.* JobState=\([A-Z]*\) .*/$name state \1/p"
  sed "s/^/$name said /" "$name.out"
}
runs() { ls store/0/run 2>/dev/null | wc -l; }
found() { # NAME: what the store has, a second after and at one time
  local before=none profiles
  sleep 1
  while [ "$before" != "$(runs)" ]; do
    before=$(runs)
    profiles=$(topomap profile list --store /tmp/store --json | jq 'map(select(.graph)) | length')
  done
  echo "$1 runs $before"
  echo "$1 profiles $profiles"
}
scontrol show config | sed -n 's/^ProctrackType *= /track /p'
halo() { echo "srun --mpi=pmi2 -n8 -c2 --topomap=auto --topomap-options=key=$1 $PROGRAM 4x2 --iterations 2 >/dev/null"; }
for i in 1 2 3; do job "last$i" "$(halo $i)"; done
found killed
# Another program's launch looks after them.
job next "$(halo 4)" 'for i in $(seq 300); do [ -n "$(ls /tmp/store/0/run)" ] || break; sleep 0.2; done'
found next
job again "$(halo 1)"
echo "left $(pgrep -c topomap)"
echo "groups $(find /sys/fs/cgroup -type d -name 'job_*' | wc -l)"
echo "node $(sinfo -h -o %T)"
# A helper on the node that a file system holds in the kernel for good.
mkdir held
"$TOPOMAP_BUILD/tests/slurm/stuck-mount" /tmp/held >held.ready 2>&1 &
for i in $(seq 600); do grep -q ready held.ready && break; sleep 0.2; done
sed -i 's|node_helper=[^ ]*|node_helper=/tmp/held/topomap-node|' "${SLURM_CONF%/*}/plugstack.conf"
printf '0,4,9000\n1,5,9000\n2,6,9000\n3,7,9000\n' >pairs.csv
job held "srun -n8 -c2 --topomap=/tmp/pairs.csv true"
for id in $(ps -eo pid=,stat=,comm= | awk '$2 ~ /^D/ && $3 == "slurmstepd" { print $1 }'); do
  echo "held in $(sed -n 's|^0::.*slurmstepd.scope/||p' "/proc/$id/cgroup")"
done
echo "held groups $(find /sys/fs/cgroup -type d -name 'job_*' | wc -l)"
echo "held node $(sinfo -h -o '%T %E')"
END
  "$TOPOMAP_SOURCE/contrib/testbed/vm" run --constrain --timeout 900 -- bash "$BATS_FILE_TMPDIR/steps" >"$OUT" 2>&1
}

setup() {
  [ -x "$PROGRAM" ] || skip "no MPICH here"
  cat "$OUT"
}

is() { [ "$(sed -n "s/^$1 //p" "$OUT")" = "$2" ]; }

@test "batch jobs whose last line is srun end well" {
  is track proctrack/cgroup
  local name
  for name in last1 last2 last3 next again; do is "$name state" COMPLETED; done
  for name in last1 last2 last3 next; do
    is "$name said" "srun: topomap: no profile of this program at this size is stored: it runs with Slurm's layout and leaves one"
  done
}

@test "no profile is lost: what the job's end has cut off, the next launch stores" {
  local profiles runs
  profiles=$(sed -n 's/^killed profiles //p' "$OUT") runs=$(sed -n 's/^killed runs //p' "$OUT")
  # One whose end came between storing it and taking its run away is seen twice.
  [ $((profiles + runs)) -ge 3 ]
  is "next runs" 0
  [ "$(sed -n 's/^next profiles //p' "$OUT")" -eq 4 ]
  run ! grep '^again said .*topomap: .*profile' "$OUT"
}

@test "no process, control group or drained node is left" {
  is left 0
  is groups 0
  is node idle
}

@test "a helper that a file system holds for good holds neither its step nor the node" {
  is "held in" system
  is "held state" COMPLETED
  grep -q "^held said .*/topomap-node .* [0-9]* ms.*binding" "$OUT"
  is "held groups" 0
  is "held node" "idle none"
}
