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
  site "policy=$PWD/site/policy records=$PWD/site/records store=$PWD/site/store spool=$PWD/site/spool db=$PWD/site/db deadline_ms=20000"
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
for i in 1 2 3 4 5 6; do
  begin=${EPOCHREALTIME/[.,]/}
  srun -N4 -n4 --topomap=ring:4 true </dev/null 2>>said || echo failed
  echo $(((${EPOCHREALTIME/[.,]/} - begin) / 1000)) >>took
done
srun -N4 -n4 true </dev/null 2>unasked
END
  salloc -N4 bash batch >out 2>&1
  cat said took
  ! grep failed out || false
  [ "$(grep -c 'topomap:' said)" -eq 6 ]
  [ "$(grep -c 'topomap.* off .*deadline' said)" -eq 5 ]
  [ "$(head -1 took)" -ge 1500 ]
  [ "$(tail -n +2 took | sort -n | head -1)" -lt 1500 ]
  [ ! -s unasked ]
  # Another job asks anew.
  srun -N4 -n4 --topomap=ring:4 true </dev/null 2>said
  ! grep ' off ' said || false
  grep 'topomap:' said
}

@test "so it is where an explanation's file, or a step of one task, is all that the planner is asked for" {
  needs_stuck
  local way
  for way in "planner=$STUCK/planner" ""; do
    site "$way deadline_ms=1500"
    cat >batch <<END
for i in 1 2 3 4 5; do
  begin=\${EPOCHREALTIME/[.,]/}
  srun \$1 --topomap=ring:4 --topomap-explain=\$2 true </dev/null 2>>said || echo failed
  echo \$(((\${EPOCHREALTIME/[.,]/} - begin) / 1000)) >>took
done
END
    local step file=$PWD/told
    [[ $way == *stuck* ]] || file=$STUCK/told
    for step in "-N4 -n4" "-N1 -n1"; do
      rm -f said took
      salloc -N4 bash batch "$step" "$file" >out 2>&1
      cat out said took
      ! grep failed out
      [ "$(head -1 took)" -ge 1500 ]
      [ "$(tail -n +2 took | sort -n | tail -1)" -lt 1500 ]
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
  site "db=$PWD/db default=on deadline_ms=20000"
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

# Seconds: srun's end waits a tenth of one for a store that never answers.
@test "the end of a step does not wait for the store or the records" {
  needs_stuck
  local plain
  elapsed() {
    local begin=${EPOCHREALTIME/[.,]/}
    srun -N4 -n4 "$@" true </dev/null 2>err
    echo $(((${EPOCHREALTIME/[.,]/} - begin) / 1000))
  }
  site "deadline_ms=1500"
  plain=$(elapsed --topomap=ring:4)
  site "records=$STUCK/records deadline_ms=1500"
  held=$(elapsed --topomap=ring:4)
  cat err
  echo "$plain ms, with records that are stuck $held ms"
  [ "$held" -lt $((plain + 3000)) ]
}

@test "who reads srun's output to its end does not wait for what a file system holds" {
  needs_stuck
  local word
  for word in planner db records store policy; do
    site "$word=$STUCK/$word verbose default=on deadline_ms=1500"
    timeout 30 bash -c 'srun -N4 -n4 true </dev/null 2>&1 | cat' >out || { echo "$word: $?" && false; }
    cat out
  done
}

@test "records that are stuck hold a few processes of the user's, not one a step" {
  needs_stuck
  [ -e /proc/keys ] || skip "this kernel has no keyrings"
  site "records=$STUCK/records default=on"
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

# What becomes stuck while the step runs. A tenth of a second is what srun waits for a planner that does not start, too;
# a second is what slurmstepd has for the node's part of a profile.
@test "the end of a step does not wait for a planner, a store or a helper that is stuck by then" {
  needs_stuck
  local program=$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich real i what
  [ -x "$program" ] || skip "needs MPICH"
  real=$(sed -n 's/.*planner=\([^ ]*\).*/\1/p' "$BATS_FILE_TMPDIR/plain")
  printf '#!/bin/sh\nsleep 1.5\n' >before
  printf '#!/bin/sh\ndate +%%s%%3N >>%s/ended\n' "$PWD" >after
  chmod 755 before after
  site "planner=$PWD/planner store=$PWD/store node_helper=$PWD/node_helper deadline_ms=20000"
  took() { # WHAT: milliseconds from the step's end to srun's
    rm -rf folder ended
    mkdir -m 1777 folder
    ln -sfn "$real" planner
    ln -sfn "$TOPOMAP_BUILD/plugin/topomap-node" node_helper
    ln -sfn folder store
    (
      sleep 1
      [ "$1" = nothing ] || { ln -s "$STUCK/$1" now && mv -T now "$1"; } # ln -f would look at it
    ) &
    srun --mpi=pmi2 -N4 -n4 --topomap=auto --task-prolog="$PWD/before" --task-epilog="$PWD/after" \
      "$program" 2x2 --iterations 2 </dev/null >out 2>err
    echo $((${EPOCHREALTIME/[.,]/} / 1000 - $(sort -n ended | tail -n 1)))
  }
  for i in 1 2 3; do
    for what in planner store node_helper nothing; do took $what >>$what.took; done
  done
  for _ in {1..100}; do [ -z "$(find folder -name '*.tmg')" ] || break; sleep 0.1; done
  [ -n "$(find folder -name '*.tmg')" ] # where nothing is stuck, that is what is done
  paste ./*.took
  least() { sort -n "$1.took" | head -1; }
  [ "$(least planner)" -lt $(($(least nothing) + 350)) ]
  [ "$(least store)" -lt $(($(least nothing) + 1500)) ]
  [ "$(least node_helper)" -lt $(($(least nothing) + 1500)) ]
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
  site "deadline_ms=20000"
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
