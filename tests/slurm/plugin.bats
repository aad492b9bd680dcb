#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spank_topomap.so in a real Slurm, with a planner that does what $FAKE_PLANNER says.
bats_require_minimum_version 1.5.0
load silence
load mpis

readonly show='echo "$SLURM_PROCID $SLURMD_NODENAME applied=$TOPOMAP_APPLIED id=$TOPOMAP_PLAN_ID gain=$TOPOMAP_GAIN"'
readonly forward='0 node01
1 node02
2 node03
3 node04'
readonly reversed='0 node04
1 node03
2 node02
3 node01'

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --bare --nodes 4 --cpus 4 --dir "$BED")"
  export PROGRAMS=$TOPOMAP_BUILD/contrib/testbed/programs
  export PLUGIN=$TOPOMAP_BUILD/plugin/.libs/spank_topomap.so
  export PLANNER=$TOPOMAP_BUILD/tests/slurm/fake-planner
}

teardown_file() {
  "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  plugstack "planner=$PLANNER deadline_ms=60000 node_ms=60000"
  export FAKE_PLANNER=reverse FAKE_PLANNER_LOG=$BATS_TEST_TMPDIR/request
}

plugstack() { # ARGUMENTS [required]
  echo "${2:-optional} $PLUGIN node_helper=$TOPOMAP_BUILD/plugin/topomap-node end_ms=60000 $1" >"$BED/etc/plugstack.conf"
}

# Ranks and nodes in rank order, and nothing but ours on standard error.
ranks() {
  "$@" sh -c "$show" </dev/null >out 2>err || return # srun would read the test's own input
  grep -v 'job [0-9]* \|allocation\|Submitted' err >said || true
  sort -n out >sorted
  cut -d' ' -f1,2 sorted
}

one_line() { # TEXT: it is the one thing that was said
  [ "$(wc -l <said)" -eq 1 ]
  [[ $(cat said) == "srun: topomap: "*"$1"* ]]
}

@test "links libc and Slurm alone, and shows SPANK's symbols alone" {
  [ "$(ldd "$PLUGIN" | grep -cv 'linux-vdso\|libc\.so\|libpthread\.so\|libdl\.so\|ld-linux')" -eq 0 ]
  run -0 bash -c "nm -D --defined-only '$PLUGIN' | awk '{print \$3}' | sort | tr '\n' ' '"
  [ "$output" = "plugin_name plugin_type plugin_version slurm_spank_exit slurm_spank_init slurm_spank_init_post_opt \
slurm_spank_local_user_init slurm_spank_task_exit slurm_spank_task_init slurm_spank_user_init spank_plugin_version " ]
  run ! bash -c "nm -D --undefined-only '$PLUGIN' | grep -v GLIBC | grep -v ' w ' | grep -vE ' (slurm|spank)_[a-z_]+\$'"
}

@test "without topomap nothing changes" {
  [ "$(ranks srun -n4 -N4)" = "$forward" ]
  [ ! -e request ]
  run ! grep -q 'applied=[01]' out
}

@test "every spelling of the distribution" {
  local spelling
  for spelling in --distribution=topomap '--distribution topomap' --dist=topomap '--distrib topomap' \
    '-m topomap' -mtopomap '-Qm topomap' -Qmtopomap --distribution=TopoMap -m\ topomap:cyclic:block \
    -Qmtopomap:cyclic; do
    echo "$spelling"
    # shellcheck disable=SC2086 # words
    [ "$(ranks srun -n4 -N4 $spelling)" = "$reversed" ]
  done
  [ "$(ranks env SLURM_DISTRIBUTION=topomap srun -n4 -N4)" = "$reversed" ]
  [ "$(ranks env SLURM_DISTRIBUTION=topomap:cyclic srun -n4 -N4)" = "$reversed" ]
  [ "$(ranks env SLURM_DISTRIBUTION=topomap srun -n4 -N4 -m cyclic)" = "$forward" ]
}

@test "the task sees that it was placed" {
  ranks srun -n4 -N4 -m topomap
  [ "$(head -1 sorted)" = "0 node04 applied=1 id=9f3c01aa gain=12.5" ]
  [ ! -s said ]
  run -0 srun --export=NONE -n2 -N2 -m topomap /usr/bin/env
  [ "$(grep -c '^TOPOMAP_APPLIED=1$' <<<"$output")" -eq 2 ]
  [ "$(grep -c '^TOPOMAP_GAIN=12.5$' <<<"$output")" -eq 2 ]
}

@test "a program's own words are its own" {
  run -0 srun -n1 echo -m topomap --distribution=topomap
  [ "$output" = "-m topomap --distribution=topomap" ]
  run -0 srun -n1 -- echo -mtopomap
  [ "$output" = "-mtopomap" ]
  run ! srun -n1 -m nonsense true
  run ! srun -n1 --distribution=topomapx true
}

@test "topomap:SOCKET leaves the inside of nodes to Slurm" {
  FAKE_PLANNER=reverse-and-bind ranks srun -n4 -N4 -m topomap:cyclic
  grep -qx 'bind none' request
  run -0 --separate-stderr srun -n2 -N2 -m topomap:cyclic sh -c 'echo $SLURM_DISTRIBUTION'
  [ "${lines[0]}" = block:cyclic ]
}

@test "the request says what the step is" {
  ranks srun -n7 -N2 -w "node[01-02]" -c1 --topomap=ring:7 \
    --topomap-options=seed=3,effort=strong,bind=numa,objective=congestion,time=0.25,min-gain=1.5
  cut -d' ' -f1 request | tr '\n' ' ' >keys
  [ "$(cat keys)" = "topomap-request job step db graph nodes tasks layout cpus-per-task job-cpus scontrol scontrol-time bind \
objective weight effort seed time min-gain explain end " ]
  grep -qx 'graph ring:7' request
  grep -qx 'nodes node\[01-02\]' request
  grep -qx 'tasks 4,3' request
  grep -qx 'layout 0-3;4-6' request
  grep -qx 'weight auto' request
  grep -qx 'time 0.25' request
  run -0 srun -n2 -N2 --overcommit -c2 -m topomap true
  grep -qx 'cpus-per-task 2' request
  run ! grep -q '^threads-per-core' request
  SRUN_CPUS_PER_TASK=1 SLURM_CPUS_PER_TASK=2 run -0 srun -n2 -N2 --hint=nomultithread -m topomap true
  grep -qx 'cpus-per-task 1' request
  grep -qx 'threads-per-core 1' request
  rm request
  salloc -Q -n2 -N2 --hint=nomultithread srun -m topomap true
  grep -qx 'threads-per-core 1' request
  TOPOMAP_DB=/elsewhere run -0 srun -n2 -N2 -m topomap true
  grep -qx 'db /elsewhere' request
}

@test "which graph: the step's, the job's, the environment's, none" {
  export TOPOMAP_GRAPH=ring:9
  ranks srun -n4 -N4 -m topomap
  grep -qx 'graph ring:9' request
  ranks srun -n4 -N4 -m topomap --topomap=ring:4
  grep -qx 'graph ring:4' request
  ranks srun -n4 -N4 --topomap=ring:4 -m topomap
  grep -qx 'graph ring:4' request
  SLURM_TOPOMAP=ring:5 ranks srun -n4 -N4 -m topomap
  grep -qx 'graph ring:5' request
  SLURM_TOPOMAP=ring:5 ranks srun -n4 -N4 --topomap=ring:4
  grep -qx 'graph ring:4' request
  unset TOPOMAP_GRAPH
  ranks srun -n4 -N4 -m topomap
  run ! grep -q ^graph request
}

@test "salloc and sbatch hand topomap to the steps inside" {
  echo x >file
  [ "$(ranks salloc -n4 -N4 --topomap=file srun)" = "$reversed" ]
  grep -qx "graph $PWD/file" request
  [ "$(ranks salloc -n4 -N4 -m topomap srun)" = "$reversed" ]
  [ "$(ranks salloc -n4 -N4 -m topomap srun --topomap=off)" = "$forward" ]
  [ "$(ranks salloc -n4 -N4 -m topomap srun -m cyclic)" = "$forward" ]

  printf '#!/bin/sh\n#SBATCH -n4 -N4 --topomap=file\n#SBATCH --topomap-options=seed=5\ncd /\n' >job
  # By its path: with --export=NONE the job's PATH is a login's.
  printf "%s sh -c '%s' | sort -n\n" "$(command -v srun)" "$show" >>job
  local option
  for option in '' --export=NONE; do
    rm -f request
    # shellcheck disable=SC2086
    PATH=${TOPOMAP_TESTBED_SLURM:+$TOPOMAP_TESTBED_SLURM/bin:}/usr/bin:/bin sbatch $option -W -o batch job
    if [ -n "$option" ]; then
      grep -q 'planner ended with status 2' batch # $FAKE_PLANNER was not exported
    else
      [ "$(cut -d' ' -f1,2 batch)" = "$reversed" ]
      grep -qx "graph $PWD/file" request
      grep -qx 'seed 5' request
    fi
  done
  SBATCH_DISTRIBUTION=topomap sbatch -W -n4 -N4 -o batch --wrap "srun sh -c '$show' | sort -n"
  [ "$(cut -d' ' -f1,2 batch)" = "$reversed" ]
}

@test "a job inside a job begins afresh" {
  salloc -n4 -N2 --topomap=ring:4 sbatch -n1 -o batch -W --wrap 'env | grep SLURM_TOPOMAP || echo none'
  [ "$(cat batch)" = none ]
}

@test "off switches" {
  [ "$(TOPOMAP=off ranks srun -n4 -N4 -m topomap)" = "$forward" ]
  [ "$(ranks srun -n4 -N4 -m topomap --topomap=off)" = "$forward" ]
  plugstack "planner=$PLANNER default=on"
  [ "$(ranks srun -n4 -N4)" = "$reversed" ]
  [ "$(ranks srun -n4 -N4 --topomap=off)" = "$forward" ]
  [ "$(ranks srun -n4 -N4 -m cyclic)" = "$forward" ]
}

@test "steps that are left alone" {
  [ "$(ranks srun -n1 -m topomap)" = "0 node01" ]
  [ ! -s said ]
  printf 'node02\nnode01\n' >hosts
  [ "$(SLURM_HOSTFILE=hosts ranks srun -n2 --topomap=ring:2)" = "$(printf '0 node02\n1 node01')" ]
  one_line "the user's own"
  srun -n2 -N2 -m topomap hostname : -n1 -N1 hostname >out 2>err
  [ "$(sort out | tr '\n' ' ')" = "node01 node02 node03 " ]
  [ "$(grep -c 'topomap: .*heterogeneous' err)" -ge 1 ]
  srun -v --pty -n2 -N2 -m topomap hostname </dev/null >out 2>err
  grep -q 'topomap: .*interactive' err
  [ ! -e request ]
}

@test "binding: this node's slice, inside what the step may use" {
  export FAKE_PLANNER=reverse-and-bind
  local cpus='echo $SLURM_PROCID $(sed -n s/^Cpus_allowed_list://p /proc/self/status)'
  [ "$(nproc --all)" -ge 2 ] || skip "needs two CPUs"
  local last=$(($(nproc --all) - 1))
  # As many cores allocated as tasks, cores 0 and 1; the plan is the last CPU first.
  srun -n2 -N1 -m topomap sh -c "$cpus" >out 2>err
  [ "$(sort -n out)" = "$(printf '0 1\n1 0')" ]
  silent err
  # One core of a node: what was planned is not allowed, and the task goes where it may.
  srun -n2 -N2 -m topomap sh -c "$cpus" >out 2>err
  [ "$(awk '{print $2}' out | tr '\n' ' ')" = "0 0 " ]
  # More cores than this machine has, by Slurm's belief: left alone, said once a step.
  if [ "$(nproc --all)" -lt 4 ]; then
    srun -n8 -N2 -m topomap sh -c "$cpus" >out 2>err
    [ "$(awk '{print $2}' out | sort -u)" = "0-$last" ]
    [ "$(grep -c "topomap: .*binding" err)" -eq 1 ]
  fi
  srun -n2 -N1 --cpu-bind=none -m topomap sh -c "$cpus" >out 2>err
  grep -qx 'bind none' request
  [ "$(sort -n out | awk '{print $2}' | sort -u)" = "0-$last" ]
  SLURM_CPU_BIND=none srun -n2 -N1 -m topomap true
  grep -qx 'bind none' request
  SLURM_CPU_BIND=verbose srun -n2 -N1 -m topomap true
  run ! grep -q 'bind none' request
}

@test "bindings that are too long for the environment go through the spool folder" {
  export FAKE_PLANNER=reverse-and-bind-long
  local cpus='echo $SLURM_PROCID $(sed -n s/^Cpus_allowed_list://p /proc/self/status) ${TOPOMAP_BINDINGS:-none}'
  mkdir spool
  # Linux gives the environment a quarter of the stack, and 128 KiB at least.
  step() { (ulimit -s 500 && FILL=$(printf '%023000d' 0) srun -v -n8 -N4 --ntasks-per-node=2 -m topomap sh -c "$cpus" >out 2>err </dev/null); }
  [ "$(nproc --all)" -ge 2 ] || skip "needs two CPUs"
  local last=$(($(nproc --all) - 1)) rank
  for rank in {0..7}; do echo "$rank $((last - (rank + 1 - rank / 2) % 2)) none"; done >planned
  # Dealt out in order, the first of a node's tasks have the first of these CPUs.
  for local in 0 1; do echo "$((last - local))"; done | sort -n >dealt
  for rank in {0..7}; do echo "$rank $(sed -n "$((rank % 2 + 1))p" dealt) none"; done >in-order
  # Nowhere to put them, said under -v; there; a folder that is not; one that is full.
  step
  grep -q 'topomap: .*bindings.*spool=' err
  sort -n out | diff in-order -
  plugstack "planner=$PLANNER deadline_ms=60000 node_ms=60000 spool=$PWD/spool"
  step
  cat out
  run ! grep -q 'spool=' err
  sort -n out | diff planned -
  [ -z "$(ls -A spool)" ]
  run ! srun -n8 -N4 --ntasks-per-node=2 -m topomap sh -c 'exit 3' </dev/null
  [ -z "$(ls -A spool)" ]
  plugstack "planner=$PLANNER deadline_ms=60000 node_ms=60000 spool=/nonexist"
  step
  grep -q 'bindings.* /nonexist: .*No such file' err
  sort -n out | diff in-order -
  mkdir full hidden
  mount -t tmpfs -o size=16k tmpfs full
  plugstack "planner=$PLANNER deadline_ms=60000 node_ms=60000 spool=$PWD/full"
  step
  [ -z "$(ls -A full)" ]
  umount full
  grep -q 'bindings.*No space left' err
  sort -n out | diff in-order -
  # A folder that the nodes do not share: they find nothing there and say so.
  mount -t tmpfs tmpfs hidden
  plugstack "planner=$PLANNER deadline_ms=60000 node_ms=60000 spool=$PWD/hidden"
  step
  umount hidden
  grep -q "topomap: $PWD/hidden/topomap-.*: No such file" err
  sort -n out | diff in-order -
  # A file that goes, or that others may write, between the launch and the tasks.
  local how
  for how in unlink chmod; do
    plugstack "planner=$PLANNER deadline_ms=60000 node_ms=60000 spool=$PWD/spool"
    echo "required $TOPOMAP_BUILD/tests/slurm/.libs/damage.so" >>"$BED/etc/plugstack.conf"
    DAMAGE_SPOOL=$how step
    grep -q "topomap: $PWD/spool/topomap-" err
    sort -n out | diff in-order -
    [ -z "$(ls -A spool)" ]
  done
}

@test "MPI: each rank runs where the layout says (MPICH over pmi2, Open MPI over pmix)" {
  local pair ran=
  for pair in mpich:pmi2 openmpi:pmix; do
    [ -x "$PROGRAMS/whereami.${pair%:*}" ] && starts_mpi "${pair#*:}" || continue
    srun -n4 -N4 "--mpi=${pair#*:}" -m topomap "$PROGRAMS/whereami.${pair%:*}" >out 2>err
    [ "$(grep -v '^#' out | awk '{print $1, $2}')" = "$reversed" ]
    srun -n6 -N2 "--mpi=${pair#*:}" -m topomap "$PROGRAMS/whereami.${pair%:*}" >out 2>err
    [ "$(grep -v '^#' out | awk '{print $2}' | uniq -c | awk '{print $1 $2}' | tr '\n' ' ')" = "2node02 4node01 " ]
    ran=1
  done
  [ -n "$ran" ] || skip "no MPI was built"
}

@test "explain, to standard error and to a file" {
  ranks srun -n4 -N4 -m topomap --topomap-explain
  [ "$(cat said)" = "$(printf 'before: 9\nafter: 3')" ]
  ranks srun -n4 -N4 -m topomap --topomap-explain=file
  [ "$(cat file)" = "$(printf 'before: 9\nafter: 3')" ]
  [ ! -s said ]
  [ "$(ranks srun -n4 -N4 -m topomap --topomap-explain=/nonexist/file)" = "$reversed" ]
  one_line "/nonexist/file: "
  ranks srun -n4 -N4 -m topomap --topomap-explain=/dev/full
  one_line "/dev/full: No space left on device"
}

@test "explain, where nothing was changed: the reason, in one line, and no former text stays in the file" {
  printf 'node02\nnode01\n' >hosts
  local reason command
  while IFS='|' read -r reason command; do
    echo "$reason: $command"
    # shellcheck disable=SC2086 # words
    $command --topomap-explain hostname </dev/null 2>err >/dev/null
    grep topomap: err >said
    one_line "$reason"
    echo old >file
    # shellcheck disable=SC2086 # words
    $command --topomap-explain=file hostname </dev/null 2>err >/dev/null
    cat file
    [ "$(wc -l <file)" -eq 1 ]
    grep -q "^topomap: .*$reason" file
  done <<'END'
off: the site has mode only-when-asked|srun -n4 -N4
off: --topomap=off|srun -n4 -N4 --topomap=OFF
off: TOPOMAP=off in the environment|env TOPOMAP=OFF srun -n4 -N4 -m topomap
off: TOPOMAP=off in the environment|env TOPOMAP=no srun -n4 -N4 -m topomap
off: TOPOMAP=off in the environment|env TOPOMAP=0 srun -n4 -N4 -m topomap
one task has one place|srun -n1 -m topomap
the user's own|env SLURM_HOSTFILE=hosts srun -n2 --topomap=ring:2
no such graph|env FAKE_PLANNER=failed srun -n4 -N4 -m topomap
left alone|srun -n4 -N4 --topomap=auto
END
  # A job's file is about the steps that are placed.
  salloc -Q -n4 -N4 -m topomap --topomap-explain=file sh -c 'srun true; srun -n1 -N1 true' </dev/null 2>err
  [ "$(cat file)" = "$(printf 'before: 9\nafter: 3')" ]
}

@test "options alone ask for nothing, and that is said once" {
  for options in required effort=fast; do
    ranks srun -n4 -N4 --topomap-options=$options
    one_line "off: " && grep -q "only-when-asked.*--topomap-options.*--topomap=on" said
  done
  for word in on Yes 1 true auto; do
    ranks env TOPOMAP=$word srun -n4 -N4
    one_line "off: " && grep -q "only-when-asked.*TOPOMAP.*--topomap=on" said
  done
  # A folder, as modules have such variables, is nobody's wish.
  ranks env TOPOMAP=/opt/topomap srun -n4 -N4
  run ! grep topomap err
  # Not where topomap is switched off, nor of what a job has for its steps.
  ranks srun -n4 -N4 --topomap=off --topomap-options=required
  run ! grep topomap err
  ranks salloc -Q -n4 -N4 --topomap-options=effort=fast srun
  run ! grep topomap err
}

@test "a step that asks hears that nothing was changed; one whose job asks does not" {
  export FAKE_PLANNER=unchanged-quiet
  ranks srun -n4 -N4 -m topomap
  one_line "nothing to gain"
  ranks salloc -Q -n4 -N4 --topomap=on srun
  [ ! -s said ]
}

# None of this suite's is left; another one may run beside it.
no_planner() { [ -z "$(find /proc/[0-9]*/exe -lname "$TOPOMAP_BUILD/*fake-planner" 2>/dev/null)" ]; }

@test "what is said: nothing, the summary under verbose or -v, a line for what is not understood" {
  ranks srun -n4 -N4 -m topomap
  [ ! -s said ]
  ranks srun -n4 -N4 -m topomap --topomap-options=verbose
  one_line "reversed for a gain of 12.5%"
  [ "$(ranks srun -n4 -N4 -m topomap --topomap-options=colour=red,seed=x)" = "$reversed" ]
  [ "$(grep -c "topomap: --topomap-options: 'colour=red'" said)" -eq 1 ]
  [ "$(grep -c "topomap: --topomap-options: 'seed=x'" said)" -eq 1 ]
  plugstack "planner=$PLANNER verbsoe deadline_ms=soon"
  [ "$(ranks srun -n4 -N4 -m topomap)" = "$reversed" ]
  [ ! -s said ] # not the user's doing
  [ "$(ranks srun -v -n4 -N4 -m topomap)" = "$reversed" ]
  [ "$(grep -c "topomap: plugstack.conf: '.*'" said)" -eq 2 ]
  FAKE_PLANNER=unchanged ranks srun -n4 -N4 -m topomap
  [ "$(tail -1 said)" = "srun: topomap: nothing to gain" ]
  [ "$(head -1 sorted)" = "0 node01 applied=0 id=00 gain=" ]
}

@test "a planner that fails costs one line" {
  local way text
  while IFS=: read -r way text; do
    echo "$way"
    plugstack "planner=$PLANNER deadline_ms=$([ "$way" = hang ] && echo 1000 || echo 60000)"
    export FAKE_PLANNER=$way
    [ "$(ranks srun -n4 -N4 -m topomap)" = "$forward" ]
    one_line "$text"
    grep -q "layout" said
    [ "$(head -1 sorted)" = "0 node01 applied=0 id= gain=" ]
  done <<'END'
failed:no such graph
other-counts:task counts
other-job:bindings: 
wrong-checksum:changed
garbage:not one
flood:over 16 MiB
silent:status 3
killed:killed
hang:deadline
END
  no_planner
}

@test "a planner that cannot start costs one line" {
  local path text
  touch "$BATS_TEST_TMPDIR/plain"
  while IFS='|' read -r path text; do
    plugstack "planner=$path"
    [ "$(ranks srun -n4 -N4 -m topomap)" = "$forward" ]
    one_line "$path: $text"
  done <<END
/nonexist/planner|No such file or directory
$BATS_TEST_TMPDIR/plain|Permission denied
/|Permission denied
END
}

@test "required: the step fails before its program starts, and the job goes on" {
  export FAKE_PLANNER=failed
  # The step is launched, and its tasks have the status that the line names.
  run -1 --separate-stderr srun -n4 -N4 -m topomap --topomap-options=required touch ran
  [ ! -e ran ]
  [ "$(grep -c 'error: topomap: no such graph.*required.*status 1' <<<"$stderr")" -eq 1 ]
  run -0 timeout 30 salloc -n4 -N4 sh -c \
    'srun -m topomap --topomap-options=required touch ran; srun -n1 -N1 echo next; squeue -h -s'
  [ ! -e ran ]
  [[ $output == *next* ]]
  plugstack "planner=/nonexist/planner required" required
  run ! srun -n4 -N4 -m topomap touch ran
  [ ! -e ran ]
  run -0 srun -n4 -N4 touch ran
  for _ in {1..600}; do [ "$(squeue -h; sinfo -h -o %T)" != idle ] || break; sleep 0.1; done
  [ "$(squeue -h; sinfo -h -o %T)" = idle ] # nothing hangs, no node was drained
}

@test "steps at once, each placed by itself, and no planner is left" {
  salloc -n4 -N4 sh -c 'for i in 1 2 3 4 5 6; do
    srun --overlap -m topomap sh -c "echo $i \$SLURM_PROCID \$SLURMD_NODENAME \$TOPOMAP_APPLIED" &
  done; wait' >out 2>err
  for i in 1 2 3 4 5 6; do
    [ "$(sort -n out | sed -n "s/^$i \(.*\) 1$/\1/p")" = "$reversed" ]
  done
  no_planner
}
