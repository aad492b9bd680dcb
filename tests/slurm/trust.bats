#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --topomap=auto is right or silent: a profile belongs to its case, each use of it is compared with
# what the program did, and what it gained is measured.
# bats file_tags=campaign
bats_require_minimum_version 1.5.0

load ../mpi/mpis
load mpis
load bed

setup_file() {
  export MPI=mpich TYPE=pmi2
  mpi_is_here mpich || export MPI=openmpi TYPE=pmix
  mpi_is_here "$MPI" || skip "needs an MPI"
  bed_up eight
  mpi_compile "$MPI" -w -o program "$TOPOMAP_SOURCE/tests/slurm/case.c"
  export PROGRAM=$PWD/program
}

teardown_file() { bed_down; }

setup() { bed_begin; }

# launch [OPTION...]: topomap's lines are in `said`.
launch() {
  local status=0
  timeout 100 srun --mpi="$TYPE" -N8 -n16 --ntasks-per-node=2 --topomap=auto "$@" "${WORDS[@]:-$PROGRAM}" </dev/null >out 2>err || status=$?
  settled 30 || true
  sed -n 's/^srun: topomap: //p' err >said
  cat err
  return $status
}

says() { # the one line, a regular expression; none: nothing
  [ $# -gt 0 ] || { [ ! -s said ]; return; }
  [ "$(wc -l <said)" -eq 1 ] && grep -Eq "$1" said
}

profiles() { topomap profile list --json | jq -r "$1"; }

case_is() { echo "$1 ${2:-0} ${3:-0}" >case; }

leaves_one='Slurm.s layout'

@test "each folder has its own profile, until two agree" {
  local folder
  mkdir a b c d
  for folder in a b; do
    cd $folder; case_is 8
    launch; says "$leaves_one"
    cd ..
  done
  cd b; launch; says; cd ..
  # The third folder is placed with what the first two agree in, and has a profile of its own then.
  cd c; case_is 8; launch --topomap-explain=explained
  says
  grep -q '\<16 ranks.*\<8\>.* %' explained
  [ "$(profiles length)" -eq 3 ]
  [ "$(profiles 'map(select(.folder | endswith("/c")))[0] | .graph != null and .number == 1')" = true ]
  cd ../d; case_is 4
  cp -r ../cache ../before
  launch; says
  # That was wrong, and is known from now on: each folder has its own.
  launch
  grep -q '100 %.*\<program\>.*profile' said
  mkdir ../e; cd ../e; case_is 4
  launch; says 'folders.*'"$leaves_one"
  # A key of the user's is of all folders.
  launch --topomap-options=key=mine; says "$leaves_one"
  cd ../a; launch --topomap-options=key=mine; says
}

@test "what the program reads is a part of its case; so is what its script says" {
  case_is 8
  echo x >one; echo y >two
  launch --input=one; says "$leaves_one"
  launch --input=one; says
  launch --input=two; says "folder .*1 .*$leaves_one"
  topomap profile list --json | jq -e 'map(.input) | sort == ["one", "two"]'
  WORDS=(sh ./script)
  echo "exec $PROGRAM" >script
  launch --topomap-options=mpi=$MPI; says "$leaves_one"
  launch --topomap-options=mpi=$MPI; says
  echo "true; exec $PROGRAM" >script
  launch --topomap-options=mpi=$MPI; says "$leaves_one"
  # Standard input of srun's.
  srun --mpi="$TYPE" -N8 -n16 --ntasks-per-node=2 --topomap=auto "$PROGRAM" <script >out 2>err
  [ "$(profiles 'map(select(.input | endswith("/script"))) | length')" -eq 1 ]
}

@test "a run that failed, or sent nothing, leaves no profile: the next one says so" {
  case_is 8 3
  run ! launch
  launch || true
  head -n1 said | grep -Eq 'status 3'
  grep -q 'no profile .*program .*status 3' said
  [ "$(profiles '.[0].graph')" = null ]
  case_is 0
  launch; head -n1 said | grep -q 'status 3'
  case_is 8
  launch
  says '\<3 runs .*--topomap-options=profile'
  launch --topomap-options=profile; says "$leaves_one"
  launch; says
  [ "$(profiles '.[0].last')" = "" ]
}

@test "a run that is not as its profile leaves a better one, and the next launch says so" {
  case_is 8
  launch; says "$leaves_one"
  case_is 4
  launch; says
  launch --topomap-options=compare=0
  says '100 %.*\<program\>.*profile'
  launch --topomap-options=compare=0 --topomap-explain=explained; says
  grep -q '\<16 ranks.*\<8\>.* %' explained
  [ "$(profiles '.[0].profiles')" -eq 2 ]
}

@test "times in both layouts: launches 3 and 5 in Slurm's, profiled again, shown; never with compare=0" {
  local i
  case_is 8 0 1
  launch; says "$leaves_one"
  for i in 2 3 4 5 6 7; do
    launch
    case $i in
      3 | 5) says "^launch $i of program .*compare=20" ;;
      *) says ;;
    esac
  done
  topomap profile show "$(profiles '.[0].key')" | tee shown
  grep -Eq "^time       Slurm's layout 3 runs, .*[0-9.]+ s \(.*\), [0-9]+ %" shown
  grep -Eq '^           placed         4 runs, median ' shown
  grep -Eq '^verdict    .* [0-9.]+ %\)$' shown
  grep -Eq "^folder     $PWD\$" shown
  [ "$(profiles '.[0].runs | length')" -eq 7 ]
  [ "$(profiles '.[0].profiles')" -eq 3 ]
  [ "$(profiles '.[0] | .measured.slurm_runs')" -eq 3 ]
  topomap profile list | grep -Eq ' (noise|-?[0-9.]+ %)  program$'
  topomap profile rm --all
  plugstack compare=0
  for i in 1 2 3 4 5 6; do launch; done
  says
  [ "$(profiles '.[0].runs | length')" -eq 4 ]
}

@test "a layout that makes the program slower is given up, and tried again when asked" {
  local i
  case_is 8 0 1500
  for i in 1 2 3 4 5 6; do launch; done
  launch
  says "^program .*[0-9.]+ s \(3 runs\).* [0-9.]+ s \(3 runs\): [0-9.]+ % .*--topomap-options=profile"
  topomap profile list | grep -q ' stopped  program$'
  topomap profile show "$(profiles '.[0].key')" | grep '^stopped  '
  launch --topomap-options=profile
  says '^program '
  launch; says
  [ "$(profiles '.[0].stopped')" = null ]
}

@test "a program that is another each time is not placed, once that was worse twice" {
  local shift
  plugstack compare=0
  # By J, what was made for the sixth and seventh neighbour is worse than rank order for the next.
  for shift in 6 7 8; do
    case_is $shift
    launch --topomap-options=objective=J
  done
  [ "$(profiles '.[0].profiles')" -eq 3 ]
  launch --topomap-options=objective=J
  grep "^program .*--topomap-options=profile" said
}
