#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Whatever goes wrong, the step runs as Slurm would have run it, with one clear line; with `required` it
# fails before any task starts, with the same line.
bats_require_minimum_version 1.5.0

load bed
load silence

readonly who='echo "$SLURM_PROCID $SLURMD_NODENAME"'

setup_file() {
  bed_up four
  awk 'BEGIN { for (i = 0; i < 8; i++) print i "," (i + 4) % 8 ",1000" }' >"$BATS_FILE_TMPDIR/graph.csv"
  export GRAPH=$BATS_FILE_TMPDIR/graph.csv STEP="-N4 -n8 --ntasks-per-node=2"
  export PLUGIN=$TOPOMAP_BUILD/plugin/.libs/spank_topomap.so
  cp "$BED/plain" "$BATS_FILE_TMPDIR/plugstack.conf"
  # shellcheck disable=SC2086 # words
  srun $STEP sh -c "$who" </dev/null | sort -n >"$BATS_FILE_TMPDIR/slurm"
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
  cp "$BATS_FILE_TMPDIR/plugstack.conf" "$BED/etc/plugstack.conf"
}

# fault TEXT [COMMAND...] srun [OPTION...]
fault() {
  local text=$1
  shift
  echo "$text: $*"
  # shellcheck disable=SC2086 # words
  timeout 60 "$@" $STEP sh -c "$who" </dev/null 2>err | sort -n | diff "$BATS_FILE_TMPDIR/slurm" -
  cat err
  [ "$(grep -c topomap: err)" -eq 1 ]
  grep -qF -- "$text" err
  grep -q "^srun: topomap: .*layout" err
  # shellcheck disable=SC2086 # words
  run ! --separate-stderr timeout 60 "$@" $STEP --topomap-options=required touch ran </dev/null
  [ ! -e ran ]
  [ "$(grep -c topomap: <<<"$stderr")" -eq 1 ]
  [[ $stderr == *"srun: error: topomap: "*"$text"*required* ]]
}

@test "graphs: not there, unreadable, a folder, a pipe, cut, too many ranks, bad weights, huge" {
  mkdir folder
  mkfifo fifo
  printf '8 4\n2\n' >cut.graph
  printf '0,1,-5\n1,2,3\n' >negative.csv
  printf '0,1,99999999999999999999999\n' >large.csv
  printf '0,1,9223372036854775807\n1,2,9223372036854775807\n' >sum.csv
  topomap graph generate ring:9 -o nine.csv
  head -c 4096 /dev/urandom >noise
  truncate -s 10G sparse sparse.csv sparse.tmg sparse.mtx
  fault /nonexistent srun --topomap=/nonexistent
  fault folder srun --topomap=folder
  fault fifo srun --topomap=fifo
  fault cut.graph: srun --topomap=cut.graph
  fault negative.csv:1: srun --topomap=negative.csv
  fault "large.csv:1" srun --topomap=large.csv
  fault "sum.csv" srun --topomap=sum.csv
  fault "9 ranks" srun --topomap=nine.csv
  fault noise srun --topomap=noise
  local file
  for file in sparse sparse.csv sparse.tmg sparse.mtx; do fault $file srun --topomap=$file; done
}

@test "databases: not there, empty, cut, noise, of a newer topomap, without the nodes" {
  : >empty
  head -c 20000 /dev/urandom >noise
  cp "$TOPOMAP_DB" cut && truncate -s 3000 cut
  cp "$TOPOMAP_DB" newer && sqlite3 newer 'PRAGMA user_version = 99'
  sed 's/node0/host0/g' "$BED/fabric/fabric.ibnetdiscover" >renamed
  topomap db import --db others ibnetdiscover renamed
  local db
  for db in nonexistent empty noise cut; do
    fault "$PWD/$db" env TOPOMAP_DB="$PWD/$db" srun --topomap="$GRAPH"
  done
  fault "schema version 99" env TOPOMAP_DB="$PWD/newer" srun --topomap="$GRAPH"
  fault node01 env TOPOMAP_DB="$PWD/others" srun --topomap="$GRAPH"
}

@test "what a user may not read" {
  local as='setpriv --reuid=65534 --regid=65534 --clear-groups'
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null || true
  cp "$GRAPH" secret.csv
  cp "$TOPOMAP_DB" secret.db
  chmod 600 secret.csv secret.db
  $as srun -n1 true </dev/null || skip "no launch as nobody here"
  # shellcheck disable=SC2086 # words
  fault "secret.csv: cannot open: Permission denied" $as srun --topomap="$PWD/secret.csv"
  # shellcheck disable=SC2086 # words
  fault "secret.db: cannot open: Permission denied" env TOPOMAP_DB="$PWD/secret.db" $as srun --topomap="$GRAPH"
}

@test "hooks that read what is the user's run as the user, on the nodes too" {
  : >hooks
  chmod 666 hooks
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" 2>/dev/null || true
  echo "optional $TOPOMAP_BUILD/tests/slurm/.libs/hooks.so $PWD/hooks" >>"$BED/etc/plugstack.conf"
  # shellcheck disable=SC2086 # words
  setpriv --reuid=65534 --regid=65534 --clear-groups srun $STEP --topomap="$GRAPH" \
    sh -c 'echo $TOPOMAP_APPLIED' </dev/null | sort -u >out || skip "no launch as nobody here"
  [ "$(cat out)" = 1 ]
  sort -u hooks >seen
  cat seen
  grep -qx 'local_user_init srun 65534' seen
  grep -qx 'user_init slurmstepd 65534' seen
  grep -qx 'task_init slurmstepd 65534' seen
  [ "$(grep ' 0$' seen | grep -v '^init ' | grep -vc '^init_post_opt slurmstepd ')" -eq 0 ]
}

@test "a database that is being written to is no fault" {
  cp "$TOPOMAP_DB" locked
  sqlite3 locked 'BEGIN EXCLUSIVE' '.shell sleep 5' & # holds the lock while the step starts
  sleep 0.5
  # shellcheck disable=SC2086 # words
  TOPOMAP_DB=$PWD/locked timeout 60 srun $STEP --topomap="$GRAPH" sh -c 'echo $TOPOMAP_APPLIED' </dev/null 2>err | sort -u >out
  wait
  cat err
  [ "$(cat out)" = 1 ]
  silent err
}

@test "no memory for the planner" {
  not_sanitized "they take more memory than the limits here"
  awk 'BEGIN { for (i = 0; i < 16000000; i++) print "0,1,5" }' | zstd -q -o long.csv.zst
  # srun itself, limited, starts or not by how busy the machine is: each of its threads may take an arena of 64 MiB.
  local real
  real=$(sed -n 's/.*planner=\([^ ]*\).*/\1/p' "$BED/etc/plugstack.conf")
  [ -x "$real" ]
  printf '#!/bin/sh\nexec prlimit --as=160000000 "%s" "$@"\n' "$real" >limited
  chmod 755 limited
  sed -i "s|planner=[^ ]*|planner=$PWD/limited|" "$BED/etc/plugstack.conf"
  fault "out of memory" srun --topomap="$PWD/long.csv.zst"
}

@test "a Slurm that the plugin does not know: the layout is not touched" {
  local item text
  while IFS='|' read -r item text; do
    fault "$text" env LD_PRELOAD="$TOPOMAP_BUILD/tests/slurm/.libs/false-items.so" FALSE_ITEM="$item" \
      srun --topomap="$GRAPH"
  done <<'END'
version|and this is 99.11.3: rebuild it
no-version|not as expected (no version)
uid|not as expected (job)
argv|not as expected (job)
nodes|not as expected (node and task counts)
tasks|not as expected (node and task counts)
END
}

@test "another job's number is noticed" {
  # shellcheck disable=SC2086 # words
  LD_PRELOAD="$TOPOMAP_BUILD/tests/slurm/.libs/false-items.so" FALSE_ITEM=job srun $STEP --topomap="$GRAPH" \
    sh -c "$who" </dev/null 2>err | sort -n | diff "$BATS_FILE_TMPDIR/slurm" -
  grep -q '(job)' err
}

@test "nodes whose cores are not the database's: ranks move, Slurm's binding stays, one line" {
  lstopo-no-graphics -i 'pack:1 core:1 pu:2' --of xml >one.xml
  cp "$TOPOMAP_DB" other
  topomap db import --db other hwloc one.xml --nodes 'node[01-04]'
  # shellcheck disable=SC2086 # words
  TOPOMAP_DB=$PWD/other srun $STEP --topomap="$GRAPH" sh -c 'echo $TOPOMAP_APPLIED' </dev/null 2>err | sort | uniq -c >out
  cat err
  [ "$(awk '{ print $1, $2 }' out)" = "8 1" ]
  [ "$(grep -c topomap: err)" -eq 1 ]
  grep -q binding err
}

@test "a plan that is damaged on its way: ranks have moved, Slurm's binding stays" {
  echo "optional $TOPOMAP_BUILD/tests/slurm/.libs/damage.so" >>"$BED/etc/plugstack.conf"
  local text
  # shellcheck disable=SC2086 # words
  good=$(srun $STEP --topomap="$GRAPH" sh -c 'echo $TOPOMAP_BINDINGS' </dev/null | sort -u)
  for text in garbage T1AAAA T1 ' ' "$(head -c 5000 /dev/zero | tr '\0' A)" "${good%?}" "${good}A"; do
    echo "$text"
    # shellcheck disable=SC2086 # words
    DAMAGE_BINDINGS=$text srun $STEP --topomap="$GRAPH" true </dev/null 2>err
    cat err
    [ "$(grep -c topomap: err)" -eq 1 ]
    grep -q binding err
  done
  # A whole plan of another step is not this step's, and not worth a word.
  # shellcheck disable=SC2086 # words
  DAMAGE_BINDINGS=$good srun $STEP --topomap="$GRAPH" true </dev/null 2>err
  silent err
  for text in '' ' ' '%n%s%s' "$(head -c 100000 /dev/zero | tr '\0' A)"; do
    # shellcheck disable=SC2086 # words
    [ "$(DAMAGE_PLAN=$text srun $STEP --topomap="$GRAPH" printenv SLURM_PROCID </dev/null | wc -l)" -eq 8 ]
  done
}

@test "nodes without the plugin: the ranks move all the same" {
  sed "s,^PlugStackConfig=.*,PlugStackConfig=$PWD/plugstack.conf," "$BED/etc/slurm.conf" >slurm.conf
  cp "$BED/etc/plugstack.conf" plugstack.conf
  : >"$BED/etc/plugstack.conf"
  # shellcheck disable=SC2086 # words
  SLURM_CONF=$PWD/slurm.conf srun $STEP --topomap="$GRAPH" sh -c "$who" </dev/null 2>err | sort -n >out
  cat err
  silent err
  run ! diff "$BATS_FILE_TMPDIR/slurm" out
  [ "$(wc -l <out)" -eq 8 ]
}

@test "an environment so full that nothing fits: what Slurm can start, topomap does not hinder" {
  local low=0 high=140000 half i
  plain() { (export FULL && srun -n1 true) </dev/null >/dev/null 2>&1; }
  for i in {1..16}; do printf -v "FILL$i" '%120000s' x; done
  export "${!FILL@}" # from here on only srun is small enough to be started
  while ((high - low > 100)); do
    half=$(((low + high) / 2))
    printf -v FULL "%${half}s" x
    if plain; then low=$half; else high=$half; fi
  done
  printf -v FULL "%${low}s" x
  export FULL
  # shellcheck disable=SC2086 # words
  srun $STEP --topomap="$GRAPH" true </dev/null
  # shellcheck disable=SC2086 # words
  srun $STEP --topomap=/nonexistent true </dev/null
  unset FULL "${!FILL@}"
  echo "$low"
  ((low > 100))
}

# Planners of this testbed alone: others may run beside it.
planners() {
  local process
  for process in $(pgrep -x topomap-planner); do
    tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF" && echo "$process"
  done
}

# bats test_tags=campaign
@test "many launches in a row, and many at once: none fails, nothing is left" {
  local launches=${TOPOMAP_LAUNCHES:-60} i
  mkdir tmp
  export TMPDIR=$PWD/tmp
  ls -A /tmp >before
  : >err
  for ((i = 0; i < launches; i++)); do
    # shellcheck disable=SC2086 # words
    srun $STEP --topomap="$GRAPH" sh -c 'echo $TOPOMAP_APPLIED' </dev/null 2>>err | sort | uniq -c | awk '{ print $1, $2 }'
  done | sort | uniq -c | awk '{ print $1, $2, $3 }' >out
  cat out err
  [ "$(cat out)" = "$launches 8 1" ]
  run ! grep -v 'job [0-9]* ' err
  salloc $STEP sh -c 'for i in $(seq 50); do
    srun --overlap --topomap=$GRAPH --topomap-options=time=30 sh -c "echo \$TOPOMAP_APPLIED" </dev/null 2>>err & done; wait' 2>/dev/null | sort | uniq -c |
    awk '{ print $1, $2 }' >out
  cat out err
  [ "$(cat out)" = "400 1" ]
  # Fifty steps on a machine that is busy with other work: a helper may be too late, which costs a line and nothing else.
  [ "$(grep -c 'topomap-node .* [0-9]* ms' err)" -le 10 ]
  run ! grep -v 'job [0-9]* \|topomap-node .* [0-9]* ms.*binding' err
  # srun waits 100 ms for the planner that ends a step, which ends nevertheless.
  for ((i = 0; i < 100; i++)); do
    [ -n "$(planners)" ] || break
    sleep 0.2
  done
  [ -z "$(planners)" ]
  ls -A tmp
  [ -z "$(ls -A tmp)" ]
  [ -z "$(ls -A /tmp | comm -13 before - | grep -i 'planner\|spank\|spool')" ]
}
