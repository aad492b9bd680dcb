#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# During a rolling upgrade: the plugin of srun, that of the nodes and the planner are of different
# versions, or the nodes have none yet. A step is placed right, or not at all with one line.
# later-plugin.so is this plugin, but for the format that it speaks to the nodes; the profilers of the folder
# later are these, but for the memory that they know and the format that they write.
bats_require_minimum_version 1.5.0

load bed
load silence
load mpis

setup_file() {
  export GRAPH=$BATS_FILE_TMPDIR/far.csv
  cd "$BATS_FILE_TMPDIR" || return
  bed_up four
  # Ranks talk to those half the job away: no block of ranks is good. Two CPUs a node: tasks are really bound.
  for r in {0..3}; do echo "$r,$((r + 4)),1000"; done >"$GRAPH"
  # srun reads plugstack.conf of its own: slurmd and slurmstepd keep the testbed's.
  mkdir srun
  sed "s|^PlugStackConfig=.*|PlugStackConfig=$PWD/srun/plugstack.conf|" "$SLURM_CONF" >srun/slurm.conf
  cp "$(dirname "$SLURM_CONF")"/{mpi,cgroup}.conf srun/
  export NODES_STACK=$BED/etc/plugstack.conf SRUN_STACK=$PWD/srun/plugstack.conf
  cp "$NODES_STACK" this.conf
  sed "s|[^ ]*spank_topomap.so|$TOPOMAP_BUILD/tests/slurm/.libs/later-plugin.so|" this.conf >later.conf
  : >none.conf
  # Another build's, whatever it is: TOPOMAP_OTHER_BUILD=DIR bats mixed.bats
  if [[ -n ${TOPOMAP_OTHER_BUILD:-} ]]; then
    sed "s|$TOPOMAP_BUILD|$TOPOMAP_OTHER_BUILD|g" this.conf >other.conf
    [[ -x $TOPOMAP_OTHER_BUILD/plugin/topomap-node ]] || sed -i 's| node_helper=[^ ]*||' other.conf
  fi
  cp this.conf "$SRUN_STACK"
  export SLURM_CONF=$PWD/srun/slurm.conf
  who="$(launch /dev/null)"
  [ "$(wc -l <<<"$who")" -eq 8 ]
  echo "$who" >placed
}

teardown_file() { bed_down; }

launch() { # ERRORS: "rank node" of each task
  srun -N4 -n8 --topomap="$GRAPH" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' </dev/null 2>"$1" | sort -n
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  stacks this this
}

stacks() { # SRUN NODES
  cp "$BATS_FILE_TMPDIR/$1.conf" "$SRUN_STACK"
  cp "$BATS_FILE_TMPDIR/$2.conf" "$NODES_STACK"
}

tasks() { # what the tasks of a placed step find; leaves out and err
  srun -N4 -n8 --topomap="$GRAPH" sh -c 'env | grep TOPOMAP_ | grep -v -e _DB -e _TESTBED -e _BUILD -e _SOURCE -e OTHER; true' \
    </dev/null >out 2>err
  cat err
}

is_slurms() { # FILE: rank and node as Slurm lays them out
  srun -N4 -n8 --topomap=off sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' </dev/null | sort -n | diff - "$1"
}

@test "this version everywhere: placed, bound, and nothing is said" {
  launch err >out
  diff "$BATS_FILE_TMPDIR/placed" out
  run ! is_slurms out
  silent err
  tasks
  grep -q TOPOMAP_BINDINGS=T1 out
  grep -q TOPOMAP_APPLIED=1 out
  run ! grep SLURM_TOPOMAP out
}

@test "srun's plugin is of a later format than the nodes': placed, one line, Slurm's binding" {
  stacks later this
  launch err >out
  cat err
  diff "$BATS_FILE_TMPDIR/placed" out
  [ "$(grep -c topomap err)" -eq 1 ]
  grep -q "format 2.*format 1.*binding" err
  tasks
  run ! grep -e TOPOMAP_BINDINGS -e TOPOMAP_APPLIED out
}

@test "the nodes' plugin is of a later format than srun's: placed, one line, Slurm's binding" {
  stacks this later
  launch err >out
  cat err
  diff "$BATS_FILE_TMPDIR/placed" out
  [ "$(grep -c topomap err)" -eq 1 ]
  grep -q "format 1.*format 2.*binding" err
  tasks
  run ! grep -e TOPOMAP_BINDINGS -e SLURM_TOPOMAP -e TOPOMAP_APPLIED out
}

@test "the later format everywhere works as this one does" {
  stacks later later
  launch err >out
  diff "$BATS_FILE_TMPDIR/placed" out
  silent err
  tasks
  grep -q TOPOMAP_BINDINGS=T1 out
}

@test "steps that ask for nothing hear nothing, whoever is later" {
  for stacks in 'later this' 'this later'; do
    # shellcheck disable=SC2086
    stacks $stacks
    srun -N4 -n8 true </dev/null 2>err
    silent err
  done
}

@test "steps that are only profiled, because the site wants it, hear nothing either" {
  local program=$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich
  [ -x "$program" ] || skip "needs MPICH"
  for stacks in 'this this' 'later this' 'this later'; do
    # shellcheck disable=SC2086
    stacks $stacks
    rm -rf store
    mkdir -m 1777 store
    sed -i "s|\$| default=auto store=$PWD/store|" "$SRUN_STACK" "$NODES_STACK"
    srun --mpi=pmi2 -N4 -n8 "$program" 4x2 --iterations 2 </dev/null >out 2>err
    cat err
    silent err
    [[ $stacks == 'this this' ]] || continue # and there it was profiled
    for _ in {1..600}; do [ -z "$(find store -name '*.tmg')" ] || break; sleep 0.1; done
    [ -n "$(find store -name '*.tmg')" ]
  done
}

@test "required: a step that is not to start does not, in either direction" {
  for stacks in 'later this' 'this later' 'later later'; do
    # shellcheck disable=SC2086
    stacks $stacks
    run ! srun -N4 -n8 --topomap=/nonexistent --topomap-options=required touch ran </dev/null
    [[ $output == *required* ]]
    [ ! -e ran ]
  done
}

@test "nodes that have no plugin yet: placed, nothing is said" {
  stacks this none
  launch err >out
  diff "$BATS_FILE_TMPDIR/placed" out
  silent err
}

@test "srun that has no plugin yet: Slurm's layout, nothing is said" {
  stacks none this
  srun -N4 -n8 sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"' </dev/null 2>err | sort -n >out
  silent err
  stacks this this
  is_slurms out
}

planner() { # COMMAND: stands between plugin and planner
  local real
  real=$(sed -n 's/.*planner=\([^ ]*\).*/\1/p' "$BATS_FILE_TMPDIR/this.conf")
  [ -x "$real" ]
  printf '#!/bin/sh\n%s\n' "${1/REAL/$real}" >between
  chmod 755 between
  sed "s|planner=[^ ]*|planner=$PWD/between|" "$BATS_FILE_TMPDIR/this.conf" >"$SRUN_STACK"
}

@test "a plugin later than the planner: Slurm's layout and one line that says so" {
  for change in 's/^end$/tomorrow 1\nend/' '1s/ 2$/ 3/'; do
    planner "sed '$change' | exec REAL"
    launch err >out
    cat err
    is_slurms out
    [ "$(grep -c topomap err)" -eq 1 ]
    grep -q "plugin .*version.*layout" err
  done
}

@test "a planner later than the plugin: its reply's new lines are passed over, another reply is refused" {
  # Closes what it has added to, as a planner does.
  planner 'exec 4>&3 3>&-
REAL 3>reply.$$ && body=$(grep -v "^end " reply.$$ && echo "tomorrow 1") && printf "%s\n" "$body" >reply.$$ &&
printf "%send %s\n" "" "$(gzip -c reply.$$ | tail -c8 | od -An -tx4 -N4 --endian=little | tr -d " ")" >>reply.$$ && exec cat reply.$$ >&4'
  launch err >out
  cat err
  diff "$BATS_FILE_TMPDIR/placed" out
  silent err
  planner 'REAL 3>reply.$$; sed "1s/1/2/" reply.$$ >&3'
  launch err >out
  cat err
  is_slurms out
  [ "$(grep -c topomap err)" -eq 1 ]
  grep -q "format .*versions" err
}

@test "another build's plugin on either side, and its planner" {
  [[ -n ${TOPOMAP_OTHER_BUILD:-} ]] || skip "TOPOMAP_OTHER_BUILD names no other build"
  for stacks in 'this other' 'other this' 'other other'; do
    echo "srun, nodes: $stacks"
    # shellcheck disable=SC2086
    stacks $stacks
    launch err >out
    cat err
    diff "$BATS_FILE_TMPDIR/placed" out || is_slurms out
    [ "$(grep -c topomap err)" -le 1 ]
    [ -s err ] || diff "$BATS_FILE_TMPDIR/placed" out
    tasks
    run ! srun -N4 -n8 --topomap=/nonexistent --topomap-options=required touch ran </dev/null
    [ ! -e ran ]
  done
  for planner in "$TOPOMAP_BUILD" "$TOPOMAP_OTHER_BUILD"; do
    [[ $planner == "$TOPOMAP_BUILD" ]] && stacks other this || stacks this other
    sed -i "s|planner=[^ ]*|planner=$planner/plugin/topomap-planner|" "$SRUN_STACK"
    echo "planner of $planner: $(cat "$SRUN_STACK")"
    launch err >out
    cat err
    diff "$BATS_FILE_TMPDIR/placed" out || { is_slurms out && [ "$(grep -c topomap err)" -eq 1 ]; }
  done
}

# ---- The profiler ---------------------------------------------------------------------------

# Eight ranks of an MPI program under --topomap=auto; topomap's lines are in `said`.
need_profiler() {
  export XDG_CACHE_HOME=$PWD/cache
  MPI=mpich TYPE=pmi2
  [ -x "$TOPOMAP_BUILD/contrib/testbed/programs/halo.mpich" ] || MPI=openmpi TYPE=pmix
  HALO=$TOPOMAP_BUILD/contrib/testbed/programs/halo.$MPI LATER=$TOPOMAP_BUILD/tests/slurm/later
  [ -x "$HALO" ] || skip "needs an MPI"
  need_mpi "$TYPE"
  [ -e "$LATER/libtopomap-profile-$MPI.so" ]
}

halo() { # OPTION...
  timeout 100 srun --mpi="$TYPE" -N4 -n8 "$@" "$HALO" 4x2 --iterations 5 </dev/null >out 2>err || { cat err; return 1; }
  sed -n 's/^srun: topomap: //p' err >said
  cat said
  grep -q ' 0 wrong messages' out
}

# Of what is said of it, the first line; the other one comes at the step's end, and srun waits a tenth of a second for it.
first_launch() {
  head -1 said | grep -xE "no profile .*layout.*"
}

stored() { topomap profile list --json | jq -c "$1"; }

# profiler FOLDER [WORD...]: srun's plugin has the profilers of FOLDER preloaded
profiler() {
  local folder=$1
  shift
  sed "s|profiler=[^ ]*|profiler=$folder|; s|\$| $*|" "$BATS_FILE_TMPDIR/this.conf" >"$SRUN_STACK"
}

upgraded() { # mount|umount NODE FOLDER: as the node sees it, the later profilers are there
  local slurmd
  # Other testbeds may have nodes of that name.
  for slurmd in $(pgrep -f "slurmd.*-N $2( |\$)") none; do
    ! grep -qs "$BED/" "/proc/$slurmd/cmdline" "/proc/$slurmd/environ" || break
  done
  [ "$slurmd" != none ]
  case $1 in
    mount) nsenter -t "$slurmd" -m mount --bind "$LATER" "$3" ;;
    umount) nsenter -t "$slurmd" -m umount "$3" ;;
  esac
}

@test "the profilers of some nodes are later: no rank waits for another, no profile, one line for who asked" {
  need_profiler
  mkdir lib
  cp "$TOPOMAP_BUILD/contrib/profile/libtopomap-profile-$MPI.so" lib
  local node
  # Once the first rank's is the later one.
  for node in node03 node01; do
    profiler "$PWD/lib"
    upgraded mount "$node" "$PWD/lib"
    halo --topomap=auto --topomap-options=key="$node"
    first_launch
    ! sed 1d said | grep -vx "no profile .*halo.$MPI .*rank [0-9] .*\<8\>.*\<6 ranks.*"
    profiler "$PWD/lib" default=auto
    halo
    silent err
    upgraded umount "$node" "$PWD/lib"
  done
  [ "$(stored 'map(select(.graph)) | length')" -eq 0 ]
  [ -z "$(ls cache/topomap/run)" ]
  profiler "$PWD/lib"
  halo --topomap=auto --topomap-options=key=node01
  [ "$(stored 'map(select(.graph)) | length')" -eq 1 ]
}

@test "the profilers are all later than the nodes' plugin: they leave its memory alone, and after three runs no more are profiled" {
  need_profiler
  local launch
  profiler "$LATER"
  for launch in 1 2; do
    halo --topomap=auto
    first_launch
    ! sed 1d said | grep -vx "no profile .*halo.$MPI .*"
  done
  profiler "$LATER" default=auto
  for launch in 3 4; do
    halo
    silent err
  done
  profiler "$LATER"
  halo --topomap=auto
  [ "$(wc -l <said)" -eq 1 ]
  grep -q '\<3 runs' said
  [ "$(stored 'map(select(.graph)) | length')" -eq 0 ]
  [ -z "$(ls cache/topomap/run)" ]
}

@test "a profile that is stored places steps whose new one is refused, and stays" {
  need_profiler
  halo --topomap=auto
  local graph
  graph=$(stored '.[0].graph' | tr -d '"')
  cp "$graph" before
  profiler "$LATER"
  halo --topomap=auto --topomap-options=profile --topomap-explain=explained
  grep -q "^topomap: graph: .*halo.$MPI, 8 ranks" explained
  grep -q 'no profile ' said
  cmp before "$graph"
  [ "$(stored '.[0].profiles')" -eq 1 ]
}

@test "a stored profile of a later format: Slurm's layout, one line for who asked, and the next one is this version's" {
  need_profiler
  halo --topomap=auto
  local graph
  graph=$(stored '.[0].graph' | tr -d '"')
  TOPOMAP_PROFILE=$PWD/later.tmg LD_PRELOAD=$LATER/libtopomap-profile-$MPI.so halo
  [ ! -s said ]
  run ! topomap map --graph later.tmg --nodes 'node[01-04]' --tasks-per-node 2
  [[ $output == *"version 2 "*tmg*"version 1"* ]]
  cp later.tmg "$graph"
  halo --topomap=auto
  [ "$(wc -l <said)" -eq 1 ]
  grep -q "version 2 .*tmg.*version 1.*layout" said
  halo --topomap=auto --topomap-explain=explained
  [ ! -s said ]
  grep -q "^topomap: graph: .*halo.$MPI, 8 ranks" explained
  cp later.tmg "$graph"
  profiler "$TOPOMAP_BUILD/contrib/profile" default=auto
  halo
  silent err
}
