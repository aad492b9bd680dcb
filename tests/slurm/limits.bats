#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A user's limits (ulimit) are the launch's, too: whatever they are, a step that Slurm would run is run, with one line of
# topomap's at most, and nothing is left behind that is not whole.
bats_require_minimum_version 1.5.0

load bed
load silence

readonly STEP="-N4 -n8 --ntasks-per-node=2"

setup_file() {
  bed_up four
  cp "$BED/plain" "$BATS_FILE_TMPDIR/plugstack.conf"
  awk 'BEGIN { for (i = 0; i < 8; i++) print i "," (i + 4) % 8 ",1000" }' >"$BATS_FILE_TMPDIR/graph.csv"
  export GRAPH=$BATS_FILE_TMPDIR/graph.csv
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir -m 1777 records spool store
  mkdir -m 1777 told
  export XDG_CACHE_HOME=$PWD/cache
  sed "s,\$, records=$PWD/records spool=$PWD/spool store=$PWD/store," "$BATS_FILE_TMPDIR/plugstack.conf" >"$BED/etc/plugstack.conf"
}

# limited COMMAND...: sets status; what it says goes through pipes, which no limit is about, to out and err.
# Slurm itself may wait for good where it lacks a descriptor or memory (24.11 and later), and leave its job.
limited() {
  { { timeout -k 2 "${patience:-40}" "$@" </dev/null 2>&3 || echo $? >status; } 3>&1 >&4 | cat >err; } 4>&1 | cat >out
  status=$(cat status 2>/dev/null || echo 0)
  rm -f status
  [ "$status" -eq 0 ] || cleared
}

# The nodes are free again.
cleared() {
  squeue -h -o %A | xargs -r scancel
  for _ in {1..600}; do [ -n "$(squeue -h)" ] || break; sleep 0.1; done
}

# started PREFIX [OPTION...]: a step.
started() {
  local -a prefix
  read -ra prefix <<<"$1"
  shift
  # shellcheck disable=SC2086 # words
  limited "${prefix[@]}" srun $STEP "$@" sh -c 'echo "$SLURM_PROCID"'
  sort -n out >ranks
}

# compared BELOW PREFIX: a step under these limits, without topomap and with all that topomap can write. Slurm alone is
# tried under lower limits, with BELOW: at the limit's edge it depends on which of srun's threads is the first whether
# a step starts, with Slurm alone, too.
compared() {
  local record
  patience=10 started "$1"
  shift
  [ "$status" -eq 0 ] || return 0
  mv ranks ranks.alone
  started "$1" --topomap="$GRAPH" --topomap-explain="$PWD/told/why"
  count=$((count + 1))
  [ "$status" -eq 0 ] || { echo "$1: status $status"; cat err; return 1; }
  cmp ranks.alone ranks || { echo "$1"; return 1; }
  [ "$(grep -c topomap: err)" -le 1 ] || { echo "$1"; cat err; return 1; }
  # Whole, or not there.
  [ ! -e told/why ] || [ -s told/why ] || { echo "$1: an empty explanation"; return 1; }
  rm -f told/why
  while read -r record; do
    tail -n 1 "$record" | grep -q '^end [0-9a-f]\{8\}$' || { echo "$1: $record is cut"; return 1; }
  done < <(find records cache -name '*.plan' 2>/dev/null)
  [ -z "$(ls -A spool)" ] || { echo "$1: left in the spool"; return 1; }
}

# each PREFIX LIMIT LEAST [MARGIN]: compares for every limit of standard input, with Slurm alone under limits lower by
# MARGIN; that many steps at least run.
each() {
  local value
  count=0
  while read -r value; do
    compared "$1 prlimit --$2=$((value > ${4:-0} ? value - ${4:-0} : value))" "$1 prlimit --$2=$value" || return 1
  done
  echo "$2: $count steps ran"
  [ "$count" -ge "$3" ]
}

@test "without limits a record and an explanation are written" {
  started env --topomap="$GRAPH" --topomap-explain="$PWD/told/why"
  cat err
  [ "$status" -eq 0 ]
  silent err
  [ -s told/why ]
  [ "$(find records -name '*.plan' | wc -l)" -eq 1 ]
}

@test "ulimit -f" {
  each "" fsize 4 < <(printf '%s\n' 0 1 100 1024)
}

# bats test_tags=campaign
@test "ulimit -n" {
  each "" nofile 4 4 < <(seq 8 2 28; seq 32 4 48)
}

@test "ulimit -v" {
  # Each of srun's threads may reserve 64 MiB for an arena of its own: whether Slurm 26.05 alone starts a step under
  # 140 to 260 MB then depends on which thread is first.
  export MALLOC_ARENA_MAX=1
  each "" as 3 20000000 < <(seq 60000000 40000000 340000000)
}

@test "ulimit -t, -c and -s" {
  each "" cpu 2 < <(printf '%s\n' 1 2)
  each "" core 1 <<<0
  each "" stack 2 < <(printf '%s\n' 16384 65536 262144 600000 1048576)
}

@test "ulimit -u" {
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null || true
  chmod 777 .
  export HOME=$PWD
  # A user whom no other test has: all processes of a user count, those of the nodes, too.
  local users user as
  mapfile -t users < <(getent passwd | awk -F: '$3 > 0 && $3 < 1000 { print $3 }')
  user=${users[$$ % ${#users[@]}]}
  as="setpriv --reuid=$user --regid=$user --clear-groups"
  timeout 60 $as srun -n1 true </dev/null || skip "no launch as user $user here"
  # The planner and what it starts are as many as srun itself at most: with less room than that, whether srun gets its
  # threads is by who ends when.
  local least
  least=$(($(ps -L -u $user -o lwp= | wc -l) + 4))
  for _ in {1..12}; do # search: the fewest processes that srun needs
    started "$as prlimit --nproc=$least"
    [ "$status" -ne 0 ] || break
    least=$((least + 3))
  done
  [ "$status" -eq 0 ] || skip "too many other processes"
  each "$as" nproc 2 4 < <(printf '%s\n' $((least + 8)) $((least + 16)))
}

# Programs of MPI have profiles: a run's folder is made, and the entry in the store.
# bats test_tags=campaign
@test "--topomap=auto under ulimit -f, -n and -v" {
  local program type=pmi2 value count=0
  program=$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich
  [ -x "$program" ] || skip "needs MPICH"
  # shellcheck disable=SC2086 # words
  timeout 60 srun --mpi=$type $STEP "$program" 4x2 --iterations 2 </dev/null >out 2>&1 || skip "it does not start here"
  # Far from the edges of what srun itself needs.
  for value in fsize=0 fsize=1 fsize=300 nofile=32 nofile=40 as=300000000; do
    echo "$value"
    # shellcheck disable=SC2086 # words
    patience=10 limited prlimit --$value srun --mpi=$type $STEP "$program" 4x2 --iterations 2
    [ "$status" -eq 0 ] || continue
    count=$((count + 1))
    # shellcheck disable=SC2086 # words
    limited prlimit --$value srun --mpi=$type $STEP --topomap=auto "$program" 4x2 --iterations 2
    cat err
    [ "$status" -eq 0 ]
    # And at the end one more, where the profile has no room.
    [ "$(grep topomap: err | grep -vc 'topomap: .*profile .*: File too large$')" -le 1 ]
    # srun does not wait for what is done at the end.
    for _ in {1..600}; do [ -n "$(find store cache -path '*/run/*' -type d 2>/dev/null)" ] || break; sleep 0.1; done
    [ -z "$(find store cache -path '*/run/*' -type d 2>/dev/null)" ]
    [ -z "$(find store cache -type f -name '.*.*-*-*' 2>/dev/null)" ]
    [ -z "$(find store cache -type f -empty ! -name .tidy 2>/dev/null)" ]
    rm -rf store/0 cache
  done
  [ "$count" -ge 4 ]
}
