#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# srun touches no file that topomap names, waits for no planner twice in a job, and the site's switch holds.
bats_require_minimum_version 1.5.0

load silence
load stuck

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed
  cd "$BATS_FILE_TMPDIR"
  export TOPOMAP_TESTBED_PLUGIN_ARGS=deadline_ms=20000 # the usual times of a node and of a step's end
  mount_stuck
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --build "$TOPOMAP_BUILD" --nodes 4 --cpus 2 --dir "$BED" \
    --fabric fat-tree:leaves=2,hosts=2,spines=1,scatter=1)"
  cp "$BED/etc/plugstack.conf" plain
}

teardown_file() {
  release_stuck || true
  "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  unset TOPOMAP TOPOMAP_GRAPH
  export XDG_CACHE_HOME=$PWD/cache
  cp "$BATS_FILE_TMPDIR/plain" "$BED/etc/plugstack.conf"
}

site() { # WORDS behind the plugin's line
  sed "s,\$, $*," "$BATS_FILE_TMPDIR/plain" >"$BED/etc/plugstack.conf"
}

# What srun itself asks the kernel for, by name, and whatever its own threads do; not its children.
@test "srun opens, looks at and makes no file of topomap's" {
  command -v strace >/dev/null || skip "no strace"
  mkdir site
  printf 'Rule=all Mode=on\n' >site/policy
  cp "$TOPOMAP_DB" site/db
  mkdir site/records site/store site/spool
  printf '0,1,1000\n2,3,1000\n' >site/graph.csv
  printf '#!/bin/sh\ntrue\n' >site/program && chmod 755 site/program
  site "policy=$PWD/site/policy records=$PWD/site/records store=$PWD/site/store spool=$PWD/site/spool db=$PWD/site/db"
  local way
  for way in "--topomap=$PWD/site/graph.csv --topomap-explain=$PWD/site/explained" --topomap=auto ""; do
    # shellcheck disable=SC2086 # words
    strace -qq -s 300 -e trace=file -o trace srun -N4 -n4 $way "$PWD/site/program" </dev/null
    [ "$(wc -l <trace)" -gt 20 ] # it has seen srun,
    grep -q 'spank_topomap\.so' trace # with the plugin
    grep -F "$PWD/" trace | grep -v '^execve' >seen || true
    # Slurm's own search for the program.
    grep -vE '^(access|faccessat2?|stat|newfstatat)\(.*site/program"' seen >ours || true
    cat ours
    [ ! -s ours ]
    [[ $way != *explain* ]] || [ -s site/explained ]
  done
  [ "$(find site/records -name '*.plan' | wc -l)" -ge 2 ] # the others did
}

@test "after one missed deadline topomap is off for the rest of the job, with a line for who asks" {
  needs_stuck
  site "db=$STUCK/db deadline_ms=1500"
  cat >batch <<'END'
for step in {1..6}; do srun -N4 -n4 --topomap=ring:4 true </dev/null 2>>said || echo failed; done
srun -N4 -n4 true </dev/null 2>unasked
END
  salloc -N4 bash batch >out 2>&1
  cat said unasked
  ! grep failed out || false
  [ "$(grep -c 'topomap:' said)" -eq 6 ]
  [ "$(grep -c 'topomap.* off .*deadline' said)" -eq 5 ]
  [ ! -s unasked ]
  # Another job asks anew.
  srun -N4 -n4 --topomap=ring:4 true </dev/null 2>said
  ! grep ' off ' said || false
  grep 'topomap:' said
}

# bats test_tags=campaign
@test "so it is where an explanation's file, or a step of one task, is all that the planner is asked for" {
  needs_stuck
  local way
  for way in "planner=$STUCK/planner" ""; do
    site "$way deadline_ms=1500"
    cat >batch <<END
for step in {1..5}; do srun \$1 --topomap=ring:4 --topomap-explain=\$2 true </dev/null 2>>said || echo failed; done
END
    local step file=$PWD/told
    [[ $way == *stuck* ]] || file=$STUCK/told
    for step in "-N4 -n4" "-N1 -n1"; do
      rm -f said
      salloc -N4 bash batch "$step" "$file" >out 2>&1
      cat out said
      ! grep failed out
      [ "$(grep -c 'topomap.* off .*deadline' said)" -eq 4 ]
    done
  done
}

@test "required steps of a job whose planner was late fail before they start, as they say" {
  needs_stuck
  site "db=$STUCK/db deadline_ms=1500"
  salloc -N4 sh -c 'srun -n4 --topomap=ring:4 true; srun -n4 --topomap=ring:4 --topomap-options=required touch ran' \
    </dev/null >out 2>&1 && false
  cat out
  grep -q ' off .*required' out
  [ ! -e ran ]
}

@test "a file beside the database switches topomap off from the next launch on, and on again" {
  cp "$TOPOMAP_DB" db
  site "db=$PWD/db default=on"
  applied() { srun -N4 -n8 --ntasks-per-node=2 "$@" sh -c 'echo $TOPOMAP_APPLIED' </dev/null 2>err | sort -u; }
  [ "$(applied --topomap=stencil2d:5:2x4)" != "" ]
  touch db.off
  [ "$(applied --topomap=stencil2d:5:2x4)" = "" ]
  [ "$(grep -c topomap: err)" -eq 1 ]
  grep -qF "db.off" err
  [ "$(applied)" = "" ]
  silent err
  rm db.off
  [ "$(applied --topomap=stencil2d:5:2x4)" != "" ]
}

# The file system never answers: who waits for it never ends.
@test "the end of a step does not wait for the store or the records" {
  needs_stuck
  site "records=$STUCK/records deadline_ms=1500 end_ms=100"
  timeout 100 srun -N4 -n4 --topomap=ring:4 true </dev/null
}

@test "who reads srun's output to its end does not wait for what a file system holds" {
  needs_stuck
  local word
  for word in planner db records store policy; do
    site "$word=$STUCK/$word verbose default=on deadline_ms=1500 end_ms=100"
    timeout 100 bash -c 'srun -N4 -n4 true </dev/null 2>&1 | cat' >out || { echo "$word: $?" && false; }
    cat out
  done
}

# bats test_tags=campaign
@test "records that are stuck hold a few processes of the user's, not one a step" {
  needs_stuck
  [ -e /proc/keys ] || skip "this kernel has no keyrings"
  site "records=$STUCK/records default=on end_ms=100"
  # Those of this testbed: others may run beside it.
  writers() {
    local process
    for process in $(pgrep -x topomap-planner); do
      ! grep -qaF "$BED" "/proc/$process/environ" 2>/dev/null || echo "$process"
    done | wc -l
  }
  local left before=$(writers)
  salloc -N4 sh -c 'for i in $(seq 12); do srun -n4 true; done' </dev/null >out 2>&1
  cat out
  sleep 3
  ! grep topomap: out || false
  left=$(($(writers) - before))
  echo "$left of 12"
  [ "$left" -ge 1 ] # they are seen
  [ "$left" -le 6 ]
}

# What becomes stuck while the step runs never answers: who waits for it without a limit never ends. How long srun and
# slurmstepd wait is for tests/unit/plugin/late.
# bats test_tags=campaign
@test "the end of a step does not wait for a planner, a store or a helper that is stuck by then" {
  needs_stuck
  local program=$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich real what
  [ -x "$program" ] || skip "needs MPICH"
  real=$(sed -n 's/.*planner=\([^ ]*\).*/\1/p' "$BATS_FILE_TMPDIR/plain")
  for what in planner store node_helper nothing; do
    rm -rf folder
    mkdir -m 1777 folder
    ln -sfn "$real" planner
    ln -sfn "$TOPOMAP_BUILD/plugin/topomap-node" node_helper
    ln -sfn folder store
    site "planner=$PWD/planner store=$PWD/store node_helper=$PWD/node_helper $([ $what = nothing ] || echo node_ms=1000 end_ms=100)"
    # The tasks begin when that has become stuck. ln -f would look at it.
    printf '#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.1; done\n' "$PWD/now.$what" >before
    chmod 755 before
    timeout 100 srun --mpi=pmi2 -N4 -n4 --topomap=auto --task-prolog="$PWD/before" "$program" 2x2 --iterations 2 </dev/null >out 2>err &
    for _ in {1..600}; do [ -z "$(ls folder/*/run 2>/dev/null)" ] || break; sleep 0.1; done
    [ $what = nothing ] || { ln -s "$STUCK/$what" now && mv -T now $what; }
    touch "now.$what"
    wait $!
  done
  [ -n "$(find folder -name '*.tmg')" ] # where nothing is stuck, that is what is done
}

# GROUP: a control group of 48 MiB, of either version; KILLS: the file that counts who was ended in it.
make_group() {
  local memory=/sys/fs/cgroup/memory
  if [ -e $memory/memory.limit_in_bytes ]; then
    GROUP=$memory/$(sed -n 's/^[0-9]*:memory:\///p' /proc/self/cgroup)/topomap-$$ KILLS=memory.oom_control
    mkdir -p "$GROUP" && echo 48M >"$GROUP/memory.limit_in_bytes"
  else
    GROUP=/sys/fs/cgroup/topomap-$$ KILLS=memory.events
    mkdir "$GROUP" && echo 48M >"$GROUP/memory.max" && echo 0 >"$GROUP/memory.swap.max"
  fi 2>/dev/null && bash -c 'echo $$ >"$1/cgroup.procs"' - "$GROUP" 2>/dev/null
}

@test "a planner that wants more memory than its control group has left fails its plan, and nobody is killed" {
  if ! make_group; then
    rmdir "$GROUP" 2>/dev/null || true
    skip "no control groups of memory here"
  fi
  awk 'BEGIN { for (i = 0; i < 3000000; i++) print int(i / 1800) % 1800 "," i % 1800 "," i + 1 }' >large.csv
  site ""
  bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$GROUP" \
    srun -N4 -n8 --ntasks-per-node=2 --topomap="$PWD/large.csv" sh -c 'echo "$SLURM_PROCID"' </dev/null >out 2>err || {
    cat err
    false
  }
  cat err
  killed=$(sed -n 's/^oom_kill //p' "$GROUP/$KILLS")
  rmdir "$GROUP" || true
  [ "$(sort -n out | xargs)" = "0 1 2 3 4 5 6 7" ]
  grep -q 'topomap: .*memory' err
  [ "${killed:-0}" -eq 0 ]
}
