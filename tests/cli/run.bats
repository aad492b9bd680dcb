#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap run: other launchers start a plan; whatever goes wrong, they start as they are written. Real launchers are in
# tests/slurm/launchers.bats; those here tell what they are given.
bats_require_minimum_version 1.5.0

load ../messages

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH TMPDIR=$BATS_FILE_TMPDIR/tmp
  mkdir tmp bin
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made >/dev/null
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db >/dev/null
  # NAME VERSION
  launcher() {
    printf '#!/bin/sh\n[ "$1" != --version ] || { echo "%s"; exit; }\n' "$2" >"bin/$1"
    cat >>"bin/$1" <<'END'
echo "$0" "$@" "$SLURM_HOSTFILE" | sed "s,[^ =]*/topomap.run[^/]*,FOLDER,g; s,/proc/[0-9]*/exe,/proc/N/exe,; s,^[^ ]*/,,; s, $,,"
for word in "$@" "$SLURM_HOSTFILE"; do
  case $word in *topomap.run.*/ranks) file=${word#*file=}; [ "$(stat -c %a "$(dirname "$file")")" = 700 ] && grep -v '^#' "$file" ;; esac
done
END
    chmod +x "bin/$1"
  }
  launcher mpirun.four "mpirun (Open MPI) 4.1.4"
  launcher mpirun.five "mpirun (Open MPI) 5.0.7"
  launcher mpiexec.hydra "HYDRA build details:"
  launcher mpiexec.intel "Intel(R) MPI Library for Linux* OS, Version 2021.11"
  launcher mpirun.other "prun 17"
  launcher mpirun.six "mpirun (Open MPI) 6.0.0"
  launcher prun.three "prun (PRRTE) 3.0.8"
  launcher prterun.four "prterun (PRRTE) 4.1.0"
  launcher srun ""
  launcher flux ""
  # Calls its -launcher-exec as mpiexec calls ssh.
  printf '%s\n' '#!/bin/sh' '[ "$1" != --version ] || { echo "HYDRA build details:"; exit; }' 'exec "$4" -x node01 proxy --it "'"'is quoted'"'"' >bin/mpiexec.step
  chmod +x bin/mpiexec.step
  printf '#!/bin/sh\necho "TopologyPlugin = topology/%s"\n' tree >bin/scontrol
  chmod +x bin/scontrol
}

setup() {
  cd "$BATS_FILE_TMPDIR"
  export PATH=$PWD/bin:$PATH
  unset TOPOMAP TOPOMAP_GRAPH TOPOMAP_DB SLURM_JOB_ID SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE SLURM_HOSTFILE
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2)
}

teardown() {
  [ ! -e fuse.pid ] || { kill "$(cat fuse.pid)"; rm fuse.pid; } # what it holds goes with it
  run ! compgen -G "$BATS_FILE_TMPDIR/tmp/topomap.run.*"
}

# The hosts of a launcher's file, rank by rank.
hosts() { topomap map --graph ring:8 --db t.db --nodes 'node[01-04]' --tasks-per-node 2 --format slurm-hostfile | grep -v '^#'; }

placed() { # WORDS COMMAND...: the launcher has these words, and its file the plan's hosts
  local words=$1
  shift
  run --separate-stderr topomap run "${at[@]}" --topomap ring:8 -- "$@"
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = "$words" ]
  [ -z "$stderr" ]
  diff <(printf '%s\n' "${lines[@]:1}" | sed 's/^rank [0-9]*=//; s/ slot.*//; s/:1$//') <(hosts)
}

stands() { # TOKENS COMMAND...: runs as it is written, and one line with the tokens says why
  local why=$1
  shift
  run --separate-stderr topomap run "${at[@]}" --topomap ring:8 -- "$@"
  echo "$output $stderr"
  [ "$status" -eq 0 ]
  [ "$output" = "$*" ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  # shellcheck disable=SC2086 # words
  has_tokens "$stderr" 'topomap run: ' $why
}

@test "each launcher is known by its version, and given the plan in its own words" {
  placed "mpirun.four --rankfile FOLDER/ranks -np 8 a.out -n 3" mpirun.four -np 8 a.out -n 3
  placed "mpirun.five --map-by rankfile:file=FOLDER/ranks --np 8 a.out" mpirun.five --np 8 a.out
  placed "mpiexec.hydra -launcher ssh -launcher-exec ssh -f FOLDER/ranks -n 8 a.out" mpiexec.hydra -n 8 a.out
  placed "mpiexec.intel -launcher ssh -launcher-exec ssh -f FOLDER/ranks -n 8 -env A b a.out -f" mpiexec.intel -n 8 -env A b a.out -f
}

@test "PRRTE, and Flux by its documentation" {
  placed "prun.three --map-by rankfile:file=FOLDER/ranks --dvm-uri file:uri -n 8 a.out" prun.three --dvm-uri file:uri -n 8 a.out
  placed "prterun.four --map-by rankfile:file=FOLDER/ranks -n 8 a.out" prterun.four -n 8 a.out
  stands "--map-by" prun.three --map-by node -n 8 a.out
  # Flux has the map in the option itself (RFC 34), and the hosts that it is for.
  run --separate-stderr topomap run "${at[@]}" --topomap ring:8 -- flux run -o mpi=none -n 8 a.out run
  [ -z "$stderr" ]
  map=$(topomap map --graph ring:8 --db t.db --nodes 'node[01-04]' --tasks-per-node 2 --format flux-taskmap)
  [ "$output" = "flux run --requires=hosts:node01,node02,node03,node04 -N 4 --taskmap=manual:$map -o mpi=none -n 8 a.out run" ]
  stands "--taskmap" flux submit --taskmap=cyclic -n 8 a.out
  stands "-N8" flux run -N8 -n 8 a.out
  stands "flux" flux resource list
  # Its own numbers of ranks a node, and its own order of the nodes, are what the map has to have.
  stands "Flux" flux run -n 7 a.out
  at=(--db t.db --nodes node02,node01 --tasks-per-node 4)
  stands "Flux" flux run -n 8 a.out
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2)
}

@test "a plan that is no word of a command, which execve takes up to 128 KiB of: not placed" {
  awk 'BEGIN { srand(1); for (i = 0; i < 16384; i++) if ((j = int(rand() * 16384)) != i) print i "," j ",1" }' >long.csv
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2048)
  run --separate-stderr topomap run "${at[@]}" --topomap long.csv --topomap-options effort=fast -- flux run -n 16384 a.out
  [ "$output" = "flux run -n 16384 a.out" ]
  [ "$stderr" = "topomap run: not placed: the plan is longer than a word of a command may be, 128 KiB" ]
}

@test "srun has a host file, of nodes that each have a task first" {
  run --separate-stderr topomap run "${at[@]}" --topomap ring:10 -- srun -n10 a.out
  [ "${lines[0]}" = "srun -m arbitrary -n10 a.out FOLDER/ranks" ]
  [ "$(printf '%s\n' "${lines[@]:1}" | sort | uniq -c | awk '{ printf "%s%s", $1, $2 }')" = 2node012node021node031node041node051node061node071node08 ]
}

@test "the number of ranks: in each spelling, behind options with words of their own, or all" {
  local words
  for words in '-np 8' '--np=8' '-n8' '-n 8' '--mca btl self,tcp -np 8' '--oversubscribe -x A -np 8' '--tag-output -np 8 --'; do
    # shellcheck disable=SC2086
    placed "mpirun.four --rankfile FOLDER/ranks $words a.out" mpirun.four $words a.out
  done
  run --separate-stderr topomap run "${at[@]}" --topomap ring:16 -- mpirun.four a.out -np 3
  [ "${#lines[@]}" = 17 ]
  run --separate-stderr topomap run "${at[@]}" -- mpiexec.hydra a.out
  [ "${#lines[@]}" = 2 ]
  [ "$stderr" = "topomap run: no graph was named: ranks are taken to talk to their neighbours" ]
}

@test "the allocation is Slurm's, whose cores scontrol is asked for; nodes without ranks are left out" {
  export SLURM_JOB_ID=7 SLURM_JOB_NODELIST='node[01-03,05]' SLURM_TASKS_PER_NODE='2(x2),1,3' TOPOMAP_DB=t.db
  at=()
  run --separate-stderr topomap run --topomap ring:4 -- mpirun.four -n 4 a.out
  [ -z "$stderr" ]
  [ "$(printf '%s\n' "${lines[@]:1}" | sed 's/^rank [0-9]*=//; s/ .*//' | sort | uniq -c | awk '{ printf "%s%s", $1, $2 }')" = 2node012node02 ]
  run --separate-stderr topomap run --topomap ring:8 -- mpirun.four a.out
  [ "$(printf '%s\n' "${lines[@]:1}" | sed 's/^rank [0-9]*=//; s/ .*//' | sort | uniq -c | awk '{ printf "%s%s", $1, $2 }')" = 2node012node021node033node05 ]
  # In a job, steps stand in for ssh.
  run --separate-stderr topomap run --topomap ring:8 -- mpiexec.hydra -n 8 a.out
  [ "${lines[0]}" = "mpiexec.hydra -launcher ssh -launcher-exec /proc/N/exe -f FOLDER/ranks -n 8 a.out" ]
}

@test "what is in the way, in a line, and the program runs: ranks that are placed already, several programs, other launchers" {
  local option
  for option in '--map-by core' '--rank-by=node' '-H node01' '-npernode 2' '--rankfile mine' '--bind-to none'; do
    # shellcheck disable=SC2086
    stands "${option%%[ =]*}" mpirun.four $option -np 8 a.out
  done
  for option in '-f mine' '-ppn 2' '-hosts node01' '-bind-to core'; do
    # shellcheck disable=SC2086
    stands "${option%% *}" mpiexec.hydra $option -n 8 a.out
  done
  stands "-w" srun -w node01 -n 2 a.out
  for option in -mcyclic -wnode01 -N4 '-W 60 -N 4'; do
    # shellcheck disable=SC2086
    stands ranks srun $option -n8 a.out
  done
  stands programs mpirun.four -np 4 a.out : -np 4 b.out
  stands launcher mpirun.other -np 8 a.out
  stands ranks mpirun.four -np many a.out
  stands "100 16" mpirun.four -np 100 a.out
  printf '#!/bin/sh\necho "TopologyPlugin = topology/block"\n' >bin/scontrol
  stands "arbitrary topology/block" srun -n 8 a.out
  printf '#!/bin/sh\nexit 1\n' >bin/scontrol
  stands scontrol srun -n 8 a.out
  printf '#!/bin/sh\necho "TopologyPlugin = topology/tree"\n' >bin/scontrol
}

@test "faults: no allocation, no database, none of the graph, no time, a planner that is killed, no folder" {
  at=(--db t.db)
  stands --nodes mpirun.four -np 8 a.out
  at=(--db none.db --nodes 'node[01-08]' --tasks-per-node 2)
  stands "none.db" mpirun.four -np 8 a.out
  at=(--db t.db --nodes 'other[01-08]' --tasks-per-node 2)
  stands "other01" mpirun.four -np 8 a.out
  at=(--db t.db --nodes 'node[01-08' --tasks-per-node 2)
  stands "node[01-08" mpirun.four -np 8 a.out
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2 --topomap nowhere.tmg)
  run --separate-stderr topomap run "${at[@]}" -- mpirun.four -np 8 a.out
  [ "$output" = "mpirun.four -np 8 a.out" ]
  [[ $stderr == "topomap run: "*nowhere.tmg* ]]
  head -c 9000 /dev/urandom >bad
  at=(--db bad --nodes 'node[01-08]' --tasks-per-node 2)
  stands "bad" mpirun.four -np 8 a.out
  run --separate-stderr topomap run --db t.db "${at[@]:2}" --topomap bad -- mpirun.four -np 8 a.out
  [ "$output" = "mpirun.four -np 8 a.out" ]
  [[ $stderr == "topomap run: "*bad* ]]
  mkfifo stuck.db
  at=(--db stuck.db --nodes 'node[01-08]' --tasks-per-node 2 --deadline 0.3)
  stands "" mpirun.four -np 8 a.out
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2 --deadline 0.001)
  stands "0.001" mpirun.four -np 8 a.out
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2)
  TMPDIR=$PWD/nowhere stands "nowhere/topomap.run" mpirun.four -np 8 a.out
  # A launcher that does not tell its version: it is asked five seconds, then runs.
  local nap="sleep 1000.$$" # of this run of the tests alone
  printf '#!/bin/sh\n[ "$1" != --version ] || exec %s\necho mpirun.slow "$@"\n' "$nap" >bin/mpirun.slow
  chmod +x bin/mpirun.slow
  stands "5" mpirun.slow -np 8 a.out
  run pgrep -f "$nap"
  [ "$status" -ne 0 ]
}

# A site whose profilers are files, and a program that is said to have an MPI.
auto_site() {
  mkdir -p profilers
  touch profilers/libtopomap-profile-{openmpi,mpich}.so
  printf '#!/bin/sh\n' >a.out
  chmod +x a.out
  printf 'ClusterName=made\n' >slurm.conf
  echo "optional spank_topomap.so profiler=$PWD/profilers $*" >plugstack.conf
  export SLURM_CONF=$PWD/slurm.conf XDG_CACHE_HOME=$PWD/cache.$BATS_TEST_NUMBER
  # What a launcher is started with, and whether the ranks have somewhere to leave their parts.
  cat >bin/mpirun.auto <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "(Open MPI) 4.1"; exit; }
for word; do case $word in TOPOMAP_PROFILE_FOLDER=*) [ -d "${word#*=}" ] && echo is there ;; esac; done
echo mpirun.auto "$@" | sed "s,$PWD/,,g; s,/run/[^ ]*,/RUN,"
exit "${STATUS-0}"
END
  sed 's/(Open MPI) 4.1/HYDRA/; s/mpirun.auto/mpiexec.auto/; s/TOPOMAP_PROFILE_FOLDER=\*) \[ -d "${word#\*=}" \]/*\/run\/*) [ -d "$word" ]/' bin/mpirun.auto >bin/mpiexec.auto
  chmod +x bin/*.auto
}

@test "auto: the profiler is preloaded by the launcher's own means, behind what the user has there" {
  auto_site
  local auto=(--topomap auto --topomap-options)
  run --separate-stderr topomap run "${at[@]}" "${auto[@]}" mpi=openmpi -- mpirun.auto -np 8 ./a.out 1
  [ "${#stderr_lines[@]}" -ge 2 ] && has_tokens "${stderr_lines[0]}" 'topomap run: ' profile && has_tokens "${stderr_lines[1]}" 'topomap run: ' a.out
  [ "$output" = "is there
mpirun.auto -x LD_PRELOAD=profilers/libtopomap-profile-openmpi.so -x TOPOMAP_PROFILE_FOLDER=cache.$BATS_TEST_NUMBER/topomap/RUN -np 8 ./a.out 1" ]
  LD_PRELOAD=$PWD/none.so run --separate-stderr topomap run "${at[@]}" "${auto[@]}" mpi=mpich -- mpiexec.auto -n 8 ./a.out 2
  [[ $output == *"mpiexec.auto -genv LD_PRELOAD none.so:profilers/libtopomap-profile-mpich.so -genv TOPOMAP_PROFILE_FOLDER cache.$BATS_TEST_NUMBER/topomap/RUN -n 8 ./a.out 2" ]]
  # What has its own is left alone; status and an environment's wish; nothing is left in the store.
  STATUS=3 TOPOMAP_GRAPH=auto run -3 --separate-stderr topomap run "${at[@]}" --topomap-options mpi=openmpi -- mpirun.auto -x LD_PRELOAD=mine -np 8 ./a.out 3
  [ "$output" = "mpirun.auto -x LD_PRELOAD=mine -np 8 ./a.out 3" ]
  has_tokens "$stderr" LD_PRELOAD
  [ -z "$(ls "$XDG_CACHE_HOME/topomap/run")" ]
  run --separate-stderr topomap run "${at[@]}" "${auto[@]}" mpi=openmpi --print -- mpirun.auto -np 8 ./a.out 4
  [ "$output" = "mpirun.auto -np 8 ./a.out 4" ]
  has_tokens "$stderr" 'topomap run: ' auto
}

@test "auto: placed by a stored profile, which goes where it is damaged" {
  auto_site compare_every=0
  local auto=(--topomap auto --topomap-options mpi=openmpi) entry
  # What a run of 8 ranks has left, each talking to the one four away.
  topomap run "${at[@]}" "${auto[@]}" -- mpirun.auto -np 8 ./a.out 2>/dev/null
  entry=$(echo "$XDG_CACHE_HOME"/topomap/profiles/*.meta)
  for r in 0 1 2 3; do echo "$r,$((r + 4)),1000000"; done >far.csv
  topomap graph convert far.csv "${entry%.meta}.tmg"
  run --separate-stderr topomap run "${at[@]}" "${auto[@]}" -- mpirun.auto -np 8 ./a.out
  [[ $stderr == "topomap run: "*a.out* ]]
  [[ $output == "is there
mpirun.auto --rankfile "*"/ranks -x LD_PRELOAD=profilers/libtopomap-profile-openmpi.so -x TOPOMAP_PROFILE_FOLDER="*" -np 8 ./a.out" ]]
  echo damaged >"${entry%.meta}.tmg"
  run --separate-stderr topomap run "${at[@]}" "${auto[@]}" -- mpirun.auto -np 8 ./a.out
  [[ ${lines[-1]} == "mpirun.auto -x LD_PRELOAD="* ]]
}

@test "auto: a launcher that hands on no variables, or comes back before the end: nothing is profiled, and nothing judged" {
  auto_site
  local auto=(--topomap auto --topomap-options mpi=openmpi) command
  printf '#!/bin/sh\necho "${0##*/}" "$@"\nenv | grep TOPOMAP_PROFILE_FOLDER && echo profiled\nexit 0\n' | tee bin/flux >bin/srun
  unprofiled() { # WHY COMMAND...
    local why=$1
    shift
    run --separate-stderr topomap run "${at[@]}" "${auto[@]}" -- "$@"
    echo "$output $stderr"
    [ "$output" = "$*" ]
    [ "${#stderr_lines[@]}" -eq 2 ]
    [ "${stderr_lines[1]}" = "topomap run: not profiled: $why" ]
    [ -z "$(ls "$XDG_CACHE_HOME/topomap/run")" ]
    run ! compgen -G "$XDG_CACHE_HOME/topomap/profiles/*.meta"
  }
  OMPI_MCA_mca_base_env_list=A=1 unprofiled "OMPI_MCA_mca_base_env_list keeps the profiler from the ranks" mpirun.auto -np 8 ./a.out
  unprofiled "mca_base_env_list keeps the profiler from the ranks" mpirun.auto --mca mca_base_env_list A -np 8 ./a.out
  unprofiled "--export keeps the profiler from the ranks" srun --export=NONE -n8 ./a.out
  SLURM_EXPORT_ENV=A unprofiled "SLURM_EXPORT_ENV keeps the profiler from the ranks" srun -n 8 ./a.out
  unprofiled "flux submit returns before the program has ended" flux submit -n 8 ./a.out
  for command in 'srun --export=ALL -n8 ./a.out' 'flux submit --wait -n 8 ./a.out' 'flux run -n 8 ./a.out'; do
    # shellcheck disable=SC2086
    run --separate-stderr topomap run "${at[@]}" "${auto[@]}" -- $command
    [[ $output == *TOPOMAP_PROFILE_FOLDER=* ]]
    run ! grep "not profiled" <<<"$stderr"
  done
}

@test "auto: a script whose run has left nothing at all: that it loads no MPI is not concluded" {
  auto_site
  at+=(--topomap auto)
  for STATUS in 0 1 0; do
    export STATUS
    run --separate-stderr topomap run "${at[@]}" -- mpirun.auto -np 8 ./a.out
    echo "$stderr"
    [ "$status" = "$STATUS" ]
    [[ $output == "is there"* ]]
    run ! grep "no MPI" <<<"$stderr"
  done
  [ -z "$(ls "$XDG_CACHE_HOME/topomap/run")" ]
}

# Hosts are names of this machine, and what stands in for ssh takes one. The hosts' file is of a mount namespace of its own.
prrte_hosts() {
  cat >agent <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do shift; done
host=$1
shift
exec unshare --uts bash -c 'hostname "$1"; shift; eval "$*"' _ "$host" "$@"
END
  printf '#!/bin/sh\necho "$PMIX_RANK $(hostname)"\n' >rank
  chmod +x agent rank
  for i in 1 2 3 4; do echo "127.0.0.1 node0$i"; done >hosts
  for i in 1 2 3 4; do echo "node0$i slots=2"; done >slots
  for i in 0 1 2 3; do echo "$i,$((i + 4)),1000000"; done >far.csv
  cat >in-hosts <<'END'
set -e
hostname node01
mount --bind hosts /etc/hosts
run() { timeout 60 topomap run --db t.db --nodes 'node[01-04]' --tasks-per-node 2 --topomap far.csv -- "$@" | sort -n; }
export PRTE_MCA_plm_ssh_agent=$PWD/agent PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
PRTE_MCA_prte_default_hostfile=$PWD/slots run prterun -n 8 ./rank >without
prte --hostfile slots --report-uri "$PWD/uri" >ready 2>&1 &
for _ in $(seq 600); do ! grep -q ready ready || break; sleep 0.1; done
run prun --dvm-uri "file:$PWD/uri" -n 8 ./rank >within
timeout 60 prun --dvm-uri "file:$PWD/uri" -n 8 ./rank | sort -n >alone
kill %1
END
}

@test "PRRTE's own: prterun, and prun within a DVM" {
  command -v prun >/dev/null && command -v prte >/dev/null || skip "needs PRRTE"
  unshare --mount --uts --pid --fork true 2>/dev/null || skip "needs root and namespaces, for hosts' names"
  prrte_hosts
  timeout 100 unshare --mount --uts --pid --fork --mount-proc bash in-hosts 3>&- || { cat ready && false; }
  topomap map --graph far.csv --db t.db --nodes 'node[01-04]' --tasks-per-node 2 --format slurm-hostfile | grep -v '^#' | awk '{ print NR - 1, $1 }' >want
  diff within want
  diff without want
  run ! diff -q alone want
}

@test "auto: no program, no profiler, no store: it runs as it is written" {
  auto_site
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2 --topomap auto --topomap-options mpi=openmpi)
  auto_stands() { # WHY COMMAND...
    local why=$1
    shift
    run --separate-stderr topomap run "${at[@]}" -- "$@"
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    [ "$output" = "$*" ]
    # shellcheck disable=SC2086 # words
    has_tokens "$stderr" 'topomap run: ' $why
  }
  auto_stands "./none" mpirun.auto -np 8 ./none
  auto_stands "--map-by" mpirun.auto --map-by node -np 8 ./a.out
  XDG_CACHE_HOME=/dev/null auto_stands "" mpirun.auto -np 8 ./a.out
  rm profilers/*openmpi*
  auto_stands "libtopomap-profile-openmpi.so" mpirun.auto -np 8 ./a.out
}

@test "required: nothing runs, status 1; off: nothing is said; words of srun's alone" {
  run --separate-stderr topomap run --db none.db --nodes 'node[01-08]' --tasks-per-node 2 --topomap-options required -- mpirun.four -np 8 a.out
  [ "$status" -eq 1 ]
  [ -z "$output" ]
  fails_with 1 none.db:
  run --separate-stderr topomap run "${at[@]}" --topomap off --topomap-options required -- mpirun.four -np 8 a.out
  [ "$output$stderr" = "mpirun.four -np 8 a.out" ]
  TOPOMAP=off run --separate-stderr topomap run "${at[@]}" -- mpirun.four -np 8 a.out
  [ "$output$stderr" = "mpirun.four -np 8 a.out" ]
  run --separate-stderr topomap run "${at[@]}" --topomap ring:8 --topomap-options min-gain=1,verbose,effort=strong,contiguous -- mpirun.four -np 8 a.out
  [ "${lines[0]}" = "mpirun.four --rankfile FOLDER/ranks -np 8 a.out" ]
  has_tokens "${stderr_lines[0]}" 'topomap run: ' min-gain srun
  has_tokens "${stderr_lines[1]}" 'topomap run: ' 8 'Open MPI 4' node01,node02,node03,node04
  run -2 topomap run "${at[@]}" --topomap-options nothing=1 -- mpirun.four a.out
}

# told GRAPH: what the launcher is given by it, and no line
told() {
  run --separate-stderr topomap run "${at[@]}" --topomap-options verbose -- mpirun.four -np 8 a.out
  [ "${lines[0]}" = "mpirun.four --rankfile FOLDER/ranks -np 8 a.out" ]
  [[ $stderr == "topomap run: 8 "* ]]
  diff <(printf '%s\n' "${lines[@]:1}") \
    <(topomap map --graph "$1" --effort fast --db t.db --nodes 'node[01-08]' --tasks-per-node 1 --format openmpi-rankfile | grep -v '^#')
}

@test "what a job was told, and the environment: as srun takes it" {
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 1)
  topomap graph generate random:8,deg=2,seed=3 -o "$BATS_TEST_TMPDIR/own.csv"
  SLURM_TOPOMAP=random:8,deg=2,seed=5 TOPOMAP_GRAPH=ring:8 told random:8,deg=2,seed=5
  SLURM_TOPOMAP=own.csv SLURM_TOPOMAP_FOLDER=$BATS_TEST_TMPDIR told "$BATS_TEST_TMPDIR/own.csv"
  SLURM_TOPOMAP=on TOPOMAP_GRAPH=random:8,deg=2,seed=5 told random:8,deg=2,seed=5
  SLURM_TOPOMAP=off SLURM_TOPOMAP_OPTIONS=required run --separate-stderr topomap run "${at[@]}" -- mpirun.four -np 8 a.out
  [ "$output$stderr" = "mpirun.four -np 8 a.out" ]
  SLURM_TOPOMAP_OPTIONS=required run --separate-stderr topomap run --db none.db "${at[@]:2}" -- mpirun.four -np 8 a.out
  [ "$status" -eq 1 ]
  local word
  for word in '' on off; do # names no graph, and is nobody's wish to go without
    TOPOMAP_GRAPH=$word run --separate-stderr topomap run "${at[@]}" -- mpirun.four -np 8 a.out
    [ "${lines[0]}" = "mpirun.four --rankfile FOLDER/ranks -np 8 a.out" ]
    [[ $stderr == "topomap run: "*graph* ]]
  done
}

@test "the search is a launch's, and so is the database of plugstack.conf" {
  at=(--nodes 'node[01-08]' --tasks-per-node 8)
  local graph=random:n=64,deg=4 effort
  for effort in fast default; do
    topomap map --graph "$graph" --effort $effort --db t.db "${at[@]}" --format openmpi-rankfile >"$BATS_TEST_TMPDIR/$effort"
  done
  ! cmp -s "$BATS_TEST_TMPDIR/fast" "$BATS_TEST_TMPDIR/default"
  cd "$BATS_TEST_TMPDIR"
  printf 'ClusterName=c\nPlugStackConfig=%s/plugstack.conf\n' "$PWD" >slurm.conf
  echo "optional spank_topomap.so db=$BATS_FILE_TMPDIR/t.db" >plugstack.conf
  SLURM_CONF=$PWD/slurm.conf topomap run "${at[@]}" --topomap "$graph" --print -- mpirun.four -np 64 a.out | tail -n +3 | grep -v '^#' >ranks
  grep -v '^#' fast | diff ranks -
}

@test "--print: the command, quoted, and the file; nothing runs" {
  topomap run "${at[@]}" --topomap ring:8 --print -- mpirun.four -np 8 ./a.out "two words" "it's" >printed
  [ "$(head -n 1 printed)" = "mpirun.four --rankfile FILE -np 8 ./a.out 'two words' 'it'\\''s'" ]
  diff <(sed -n 's/^rank [0-9]*=\([^ ]*\) .*/\1/p' printed) <(hosts)
}

@test "status, input, output and signals are the launcher's own" {
  printf '#!/bin/sh\n[ "$1" != --version ] || { echo "(Open MPI) 4.1"; exit; }\nshift 4\nexec "$@"\n' >bin/mpirun.real
  chmod +x bin/mpirun.real
  run -7 topomap run "${at[@]}" --topomap ring:8 -- mpirun.real -np 8 sh -c 'exit 7'
  [ "$(echo typed | topomap run "${at[@]}" --topomap ring:8 -- mpirun.real -np 8 cat)" = typed ]
  run -134 topomap run "${at[@]}" --topomap ring:8 -- mpirun.real -np 8 sh -c 'ulimit -c 0; kill -ABRT $$'
  run -127 topomap run "${at[@]}" --topomap off -- "$PWD/none"
  # A signal goes on, once, and the folder is taken away.
  # shellcheck disable=SC2016
  topomap run "${at[@]}" --topomap ring:8 -- mpirun.real -np 8 sh -c 'trap "echo term >>got; exit 3" TERM; echo >ready; while :; do sleep 0.1; done' 3>&- &
  for _ in $(seq 600); do [ ! -e ready ] || break; sleep 0.1; done
  kill -TERM $!
  status=0
  wait $! || status=$?
  [ "$status" -eq 3 ]
  [ "$(cat got)" = term ]
}

@test "a folder for files whose path launchers would misread is not taken" {
  local folder
  for folder in 'a blank' a:b a,b 'a"b' 'a;b'; do
    mkdir -p "$folder"
    TMPDIR="$PWD/$folder" placed "mpirun.four --rankfile FOLDER/ranks -np 8 a.out" mpirun.four -np 8 a.out
    [ -z "$(ls -A "$folder")" ]
    TMPDIR="$PWD/$folder" run topomap run "${at[@]}" --topomap ring:8 -- mpirun.real -np 8 echo
    rm -r "$folder"
  done
  # Nothing in there is executed.
  if [ "$EUID" -eq 0 ] && unshare -m true; then
    mkdir noexec steps
    printf '#!/bin/sh\necho "srun $TOPOMAP $*"\n' >steps/srun
    chmod +x steps/srun
    PATH=$PWD/steps:$PATH
    export SLURM_JOB_ID=7 SLURM_JOB_NODELIST='node[01-04]' SLURM_TASKS_PER_NODE='2(x4)'
    run unshare -m sh -c 'mount -t tmpfs -o noexec none noexec && TMPDIR=$PWD/noexec exec topomap run --db t.db --topomap ring:8 -- mpiexec.step -n 8 sh -c "echo \$0 \$1"'
    echo "$output"
    [ "${lines[0]}" = "srun off --overlap --mpi=none -Q -N1 -n1 -w node01 --input none sh -c proxy --it 'is quoted'" ]
  fi
}

# mpirun.signals tells what reaches it; it is started by sh, in whose place a job's script or a shell may be.
signals() { # HOW [BEFORE]: got has what reached the launcher, in order
  local how=$1 pid count=0
  rm -f got ready
  : >got
  setsid --fork sh -c "$2 exec \"\$@\"" - topomap run "${at[@]}" --topomap ring:8 -- mpirun.signals -np 8 3>&- </dev/null
  until [ -s ready ]; do sleep 0.05; done
  pid=$(ps -o ppid= -p "$(cat ready)" | tr -d ' ')
  group=$(ps -o pgid= -p "$pid" | tr -d ' ')
  for signal in USR1 TERM INT USR1 USR1 CONT; do
    case $how in
      process) kill -s $signal "$pid" ;;
      group) kill -s $signal -- "-$group" ;;
      # As scancel --full does: one process after the other.
      each) for process in $(ps -o pid= -g "$(ps -o sid= -p "$pid" | tr -d ' ')" | sort -rn); do kill -s $signal "$process"; done ;;
    esac
    count=$((count + 1))
    until [ "$(wc -l <got)" -ge "$count" ]; do kill -0 "$pid"; sleep 0.05; done
    sleep 0.5 # for a second one
  done
  kill -s HUP "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
  paste -sd' ' got
}

@test "each signal reaches the launcher once: sent to the process, its group, all of the job" {
  local how
  cat >signals.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    FILE *out;
    sigset_t all;
    int number = 0;
    if (argc > 1 && !strcmp(argv[1], "--version"))
        return puts("mpirun (Open MPI) 4.1.4") < 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    out = fopen("ready.new", "w");
    fprintf(out, "%d\n", getpid());
    fclose(out);
    rename("ready.new", "ready");
    while (number != SIGHUP && sigwait(&all, &number) == 0) {
        out = fopen("got", "a");
        fprintf(out, "%s\n", sigabbrev_np(number));
        fclose(out);
    }
    return 0;
}
END
  ${CC:-cc} -D_GNU_SOURCE -o bin/mpirun.signals signals.c || skip "needs a compiler and glibc 2.32"
  for how in process group each; do
    [ "$(signals $how)" = "USR1 TERM INT USR1 USR1 CONT HUP" ]
  done
  # A job in the background ignores SIGINT; its launcher may handle it all the same.
  [ "$(signals process "trap '' INT;")" = "USR1 TERM INT USR1 USR1 CONT HUP" ]
}

@test "terminal keys stop and continue the launcher, and the shell sees it" {
  command -v script >/dev/null || skip "needs script"
  printf '%s\n' '#!/bin/sh' '[ "$1" != --version ] || { echo "(Open MPI) 4.1"; exit; }' 'trap "echo INT >>got; exit 3" INT' \
    'trap "echo CONT >>got" CONT' 'echo >ready' 'while :; do sleep 0.1; done' >bin/mpirun.stops
  chmod +x bin/mpirun.stops
  rm -f got ready stopped
  cat >session <<'END'
set -m
topomap run "$@" --topomap ring:8 -- mpirun.stops -np 8
echo "status $?" >>stopped
fg >/dev/null
echo "status $?" >>stopped
END
  mkfifo keys
  env --default-signal=INT,QUIT script -qec "bash session ${at[*]@Q}" /dev/null <keys >typed 2>&1 3>&- &
  exec {key}>keys
  until [ -e ready ]; do kill -0 $!; sleep 0.05; done
  printf '\032' >&"$key"
  until [ -s stopped ]; do kill -0 $!; sleep 0.05; done
  until [ -s got ]; do kill -0 $!; sleep 0.05; done
  printf '\003' >&"$key"
  exec {key}>&-
  wait $!
  [ "$(paste -sd' ' stopped)" = "status 148 status 3" ]
  [ "$(paste -sd' ' got)" = "CONT INT" ]
}

@test "a file system that never answers: of the database, the graph, TMPDIR" {
  [ "$EUID" -eq 0 ] || skip "needs root, to mount"
  [ -x "$TOPOMAP_BUILD/tests/slurm/stuck-mount" ] || skip "no FUSE here"
  mkdir -p fuse
  "$TOPOMAP_BUILD/tests/slurm/stuck-mount" "$PWD/fuse" >fuse.ready 2>&1 3>&- &
  echo $! >fuse.pid
  for _ in {1..600}; do ! grep -q ready fuse.ready || break; sleep 0.1; done
  grep -q ready fuse.ready || skip "no FUSE here"
  SECONDS=0
  at=(--db "$PWD/fuse/t.db" --nodes 'node[01-08]' --tasks-per-node 2 --deadline 0.5)
  stands "0.5" mpirun.four -np 8 a.out
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2 --deadline 0.5 --topomap "$PWD/fuse/graph")
  run --separate-stderr topomap run "${at[@]}" -- mpirun.four -np 8 a.out
  [ "$output" = "mpirun.four -np 8 a.out" ]
  has_tokens "$stderr" 'topomap run: ' 0.5
  at=(--db t.db --nodes 'node[01-08]' --tasks-per-node 2)
  TMPDIR=$PWD/fuse run --separate-stderr topomap run "${at[@]}" --topomap ring:8 -- mpirun.four -np 8 a.out
  [ "$output" = "mpirun.four -np 8 a.out" ]
  has_tokens "$stderr" 'topomap run: ' /fuse 3
  # What writes a part there is held by the kernel, and not the rank, which ends when it wants to, as finish.h does.
  library=$TOPOMAP_BUILD/contrib/profile/libtopomap-profile-mpich.so program=$TOPOMAP_BUILD/contrib/testbed/programs/whereami.mpich
  if [ -e "$library" ] && [ -x "$program" ]; then
    LD_PRELOAD=$library TOPOMAP_PROFILE_FOLDER=$PWD/fuse timeout -s KILL 30 "$program" >rank.out 3>&-
    grep -q "^0 " rank.out
  fi
  auto_site
  XDG_CACHE_HOME=$PWD/fuse run --separate-stderr topomap run "${at[@]}" --deadline 0.5 --topomap auto --topomap-options mpi=openmpi -- mpirun.auto -np 8 ./a.out
  [ "$output" = "mpirun.auto -np 8 ./a.out" ]
  has_tokens "$stderr" 'topomap run: ' 0.5
  XDG_CACHE_HOME=$PWD/fuse run -1 --separate-stderr topomap run "${at[@]}" --deadline 0.5 --topomap auto --topomap-options mpi=openmpi,required -- mpirun.auto -np 8 ./a.out
  [ -z "$output" ]
  fails_with 1 0.5
  [ "$SECONDS" -lt 60 ]
}
