#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The site's policy on a real Slurm: which rule applies, who wins, what is left alone, and where every
# value comes from.
bats_require_minimum_version 1.5.0

readonly show='echo "$SLURM_PROCID $SLURMD_NODENAME"'
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
  sed -i 's/^PartitionName=.*/&\nPartitionName=debug Nodes=ALL MaxTime=INFINITE State=UP/' "$BED/etc/slurm.conf"
  scontrol reconfigure
  export PLUGIN=$TOPOMAP_BUILD/plugin/.libs/spank_topomap.so
  export PLANNER=$TOPOMAP_BUILD/tests/slurm/fake-planner
}

teardown_file() {
  "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  export FAKE_PLANNER=reverse FAKE_PLANNER_LOG=$BATS_TEST_TMPDIR/request
  unset TOPOMAP TOPOMAP_GRAPH
}

site() { # ARGUMENTS < POLICY
  cat >"$PWD/rules"
  chmod 755 "$BATS_TEST_TMPDIR"
  echo "optional $PLUGIN node_helper=$TOPOMAP_BUILD/plugin/topomap-node planner=$PLANNER deadline_ms=60000 node_ms=60000 end_ms=60000 policy=$PWD/rules $*" >"$BED/etc/plugstack.conf"
}

ranks() {
  rm -f request
  "$@" sh -c "$show" </dev/null >out 2>err || return
  grep topomap: err >said || true
  sort -n out
}

request_has() { # LINE
  grep -qx -- "$1" request
}

@test "rules are matched in order, on partition, account, user, group, counts and program" {
  site <<END
Rule=debug     Partition=debug                Mode=on Seed=1001
Rule=account   Account=cfd*,bio               Mode=on Seed=1002
Rule=tasks     Tasks=7                        Mode=on Seed=1003
Rule=nodes     Nodes=-2 Tasks=6               Mode=on Seed=1004
Rule=program   Program=env                    Mode=on Seed=1005
Rule=mpi       Mpi=pmi2,pmix*  Nodes=4 Tasks=8 Mode=on Seed=1009
Rule=none      Mpi=none        Nodes=4 Tasks=8 Mode=on Seed=1010
Rule=nobody    User=nobody                    Mode=on Seed=1006
Rule=both      User=root Group=root Tasks=4   Mode=on Seed=1007
Rule=number    User=0 Group=0 Tasks=3         Mode=on Seed=1008
Rule=rest      Mode=off
END
  while IFS='|' read -r seed options; do
    echo "$seed $options"
    rm -f request
    # shellcheck disable=SC2086 # words
    srun $options /bin/true </dev/null
    request_has "seed $seed"
  done <<'END'
1001|-p debug -n4 -N4
1002|-A cfd2 -n4 -N4
1002|-A bio -n4 -N4
1003|-n7 -N2
1004|-n6 -N2
1007|-n4 -N2
1008|-n3 -N3
1009|-n8 -N4 --mpi=pmi2
1010|-n8 -N4 --mpi=none
1010|-n8 -N4
END
  rm -f request
  srun -n6 -N3 env >/dev/null </dev/null
  request_has "seed 1005"
  [ "$(ranks srun -n5 -N4 | head -1)" = "0 node01" ]
  [ ! -e request ]
  [ ! -s said ]
}

@test "options beat the environment, that the rule, that plugstack.conf, that the default" {
  site default=on min_gain=1 <<<"Rule=all Mode=on Pattern=ring:4 MinGain=2 Effort=strong Bind=numa"
  [ "$(ranks srun -n4 -N4)" = "$reversed" ]
  request_has "graph ring:4"
  request_has "min-gain 2"
  request_has "effort strong"
  request_has "bind numa"
  [ ! -s said ]
  TOPOMAP_GRAPH=ring:5 ranks srun -n4 -N4
  request_has "graph ring:5"
  TOPOMAP_GRAPH=ring:5 ranks srun -n4 -N4 --topomap=ring:6 --topomap-options=min-gain=3,effort=fast
  request_has "graph ring:6"
  request_has "min-gain 3"
  request_has "effort fast"
  [ "$(TOPOMAP_GRAPH=ring:5 ranks salloc -n4 -N4 --topomap=ring:7 --topomap-options=seed=5,bind=pu \
    srun --topomap-options=bind=core)" = "$reversed" ]
  request_has "graph ring:7"
  request_has "seed 5"
  request_has "bind core"
  site default=on min_gain=1 </dev/null
  ranks srun -n4 -N4
  request_has "min-gain 1"
  run ! grep -q graph request
}

@test "Force: the rule wins, and the user is told" {
  site <<<"Rule=mpi Contiguous=yes MinGain=2 Effort=fast Mode=on Force=Contiguous,MinGain"
  ranks srun -n4 -N4 --topomap-options=contiguous=no,min-gain=0,effort=strong
  request_has "contiguous 1"
  request_has "min-gain 2"
  request_has "effort strong"
  [ "$(grep -c . said)" -eq 2 ]
  grep -q "contiguous .*1 .*'mpi'.*$PWD/rules:1" said
  grep -q "min-gain is 2 here, by rule 'mpi'" said
  site default=on <<<"Rule=never Mode=off Force=yes"
  [ "$(ranks srun -n4 -N4 --topomap=ring:4)" = "$forward" ]
  [ ! -e request ]
  [ "$(wc -l <said)" -eq 1 ]
  grep -q "'never'.*$PWD/rules:1.* off" said
  [ "$(ranks srun -n4 -N4)" = "$forward" ]
  [ ! -s said ]
  site <<<"Rule=softly Mode=off"
  [ "$(ranks srun -n4 -N4 -m topomap)" = "$reversed" ]
  site <<<"Rule=always Mode=on Force=yes"
  [ "$(TOPOMAP=off ranks srun -n4 -N4)" = "$forward" ]
  [ "$(ranks srun -n4 -N4 --topomap=off)" = "$forward" ]
  [ "$(ranks salloc -n4 -N4 --topomap=off srun)" = "$forward" ]
}

@test "modes: off, only-when-asked, auto (where the graph is known), on" {
  local mode
  for mode in off only-when-asked auto; do
    site "default=$mode" </dev/null
    [ "$(ranks srun -n4 -N4)" = "$forward" ]
    [ ! -e request ]
    [ "$(ranks srun -n4 -N4 -m topomap)" = "$reversed" ]
  done
  [ "$(TOPOMAP_GRAPH=ring:4 ranks srun -n4 -N4)" = "$reversed" ]
  site <<<"Rule=ring Mode=auto Pattern=ring:4"
  [ "$(ranks srun -n4 -N4)" = "$reversed" ]
  site default=on <<<"Rule=ask Mode=only-when-asked"
  [ "$(ranks srun -n4 -N4)" = "$forward" ]
}

@test "on for everybody: odd jobs and explicit choices are left alone, without a word" {
  site default=on </dev/null
  [ "$(ranks srun -n4 -N4)" = "$reversed" ]
  [ ! -s said ]
  printf 'node02\nnode01\n' >hosts
  local words
  while read -r words; do
    echo "$words"
    rm -f request
    # shellcheck disable=SC2086 # words
    $words hostname </dev/null >out 2>err
    [ ! -e request ]
    run ! grep topomap: err
  done <<'END'
srun -n1
srun --pty -n2 -N2
srun -n4 -N4 -m cyclic
srun -n4 -N4 -m block:cyclic
srun -n4 -N4 --cpu-bind=none
srun -n4 -N4 --cpu-bind=map_cpu:0
env SLURM_DISTRIBUTION=cyclic srun -n4 -N4
env SLURM_CPU_BIND=none srun -n4 -N4
env SLURM_HOSTFILE=hosts srun -n2
env SLURM_HOSTFILE=hosts srun -n2 -m arbitrary
salloc -n4 -N4 -m cyclic srun
srun -n2 -N2 hostname : -n1 -N1
END
  # The loudness of binding is no choice.
  [ "$(ranks srun -n4 -N4 --cpu-bind=quiet)" = "$reversed" ]
}

@test "a step that nobody asked for tells nothing, but to srun -v" {
  site default=on </dev/null
  FAKE_PLANNER=unchanged ranks srun -n4 -N4
  [ ! -s said ]
  FAKE_PLANNER=failed ranks srun -n4 -N4
  [ ! -s said ]
  FAKE_PLANNER=failed ranks srun -v -n4 -N4
  [ "$(grep -c 'no such graph; .*layout' said)" -eq 1 ]
}

@test "a policy that cannot be read leaves everybody alone who does not ask" {
  local text
  mkfifo fifo
  while IFS='|' read -r file text; do
    echo "$file"
    site default=on <<<$'Rule=good Mode=on\nRule=bad Mdoe=on'
    [ "$file" = rules ] || sed -i "s,policy=[^ ]*,policy=$file," "$BED/etc/plugstack.conf"
    [ "$(ranks srun -n4 -N4)" = "$forward" ]
    [ ! -s said ]
    [ "$(ranks srun -n4 -N4 -m topomap)" = "$reversed" ]
    [ "$(wc -l <said)" -eq 1 ]
    grep -qF "$text" said
  done <<END
rules|$PWD/rules:2: 'Mdoe'
/nonexist|/nonexist: No such file
$PWD/fifo|$PWD/fifo: 
$PWD|$PWD: 
END
}

@test "srun -v tells where every value comes from" {
  site min_gain=1 <<<"Rule=r Effort=strong Mode=on"
  TOPOMAP_GRAPH=ring:4 srun -v -n4 -N4 --topomap-options=seed=7 true </dev/null 2>err
  sed -n 's/^srun: topomap: //p' err >said
  cat said
  grep -q "^on: .*'r'.*$PWD/rules:1.* on" said
  grep -qx "graph ring:4 (environment)" said
  grep -qx "effort strong (rule 'r', $PWD/rules:1)" said
  grep -qx "seed 7 (option)" said
  grep -qx "min-gain 1 (plugstack.conf)" said
  grep -qx "bind core (default)" said
  grep -qx "time 15.000 (default)" said
  grep -qx "db /var/lib/topomap/topology.db (default)" said
  grep -qx "policy $PWD/rules (plugstack.conf)" said
  grep -qx "planner .*fake-planner (plugstack.conf)" said
  grep -q "^deadline_ms [0-9]* (" said
  grep -q "^node_ms [0-9]* (" said
  grep -q "^end_ms [0-9]* (" said
  # Every key of --topomap-options that has a value is there.
  local key
  for key in bind layout contiguous objective weight effort seed time min-gain required records verbose; do
    grep -q "^$key .* (.*)$" said
  done
  TOPOMAP=off srun -v -n4 -N4 true </dev/null 2>err
  grep -q "topomap: off: TOPOMAP=off" err
}

@test "off costs nothing: neither the policy nor the planner is touched" {
  command -v strace >/dev/null || skip "needs strace"
  site default=on <<<"Rule=r Mode=on"
  TOPOMAP=off strace -f -o trace srun -n4 -N4 true </dev/null
  run ! grep -q "$PWD/rules\|fake-planner" trace
  srun_opens() { grep -c "$PWD/rules" trace; }
  strace -f -o trace srun -n4 -N4 true </dev/null
  [ "$(srun_opens)" -eq 1 ]
}
