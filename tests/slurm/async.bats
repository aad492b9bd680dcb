#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# srun --async: the job's stepmgr launches the step, topomap cannot place it and says so; with
# `required` there is no step.
bats_require_minimum_version 1.5.0
load bed

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return
  bed_up --nodes 2 --cpus 2 --fabric fat-tree:leaves=2,hosts=1,spines=1
  srun --help | grep -q -e --async || {
    export LACK="srun of $(srun --version) has no --async"
    return 0
  }
  printf '%s\n' SlurmctldParameters=enable_stepmgr PrologFlags=contain >>"$SLURM_CONF"
  scontrol reconfigure
  for _ in {1..600}; do [ "$(sinfo -h -o %t)" != idle ] || break; sleep 0.1; done
}

teardown_file() { bed_down; }

setup() {
  [[ -z ${LACK:-} ]] || skip "$LACK" # bats 1.8 fails where setup_file skips
  cd "$BATS_TEST_TMPDIR" || return
}

in_job() { # COMMAND: in an allocation; leaves out, err and status
  status=0
  timeout 100 salloc -Q --stepmgr -N2 -n4 "${job[@]}" bash -c "$1" </dev/null >out 2>err || status=$?
  cat out err
}

ran() { # COUNT: so many tasks wrote their file
  for _ in {1..600}; do [ "$(find . -name 'ran.*' | wc -l)" -ge "$1" ] || sleep 0.1; done
  [ "$(find . -name 'ran.*' | wc -l)" -eq "$1" ]
}
readonly mark='sh -c '\''echo "$TOPOMAP_APPLIED" >ran.$SLURM_PROCID'\'
readonly told='topomap: .*--async'

@test "who asks for topomap is told once that an asynchronous step is not placed, and it runs" {
  job=()
  in_job "srun --async -o /dev/null --distribution=topomap --topomap=ring:4 $mark; echo status \$?; sleep 2"
  grep -qx 'status 0' out
  [ "$(grep -c 'topomap' err)" -eq 1 ]
  grep -q "$told" err
  ran 4
  [ "$(cat ran.* | tr -d '\n')" = "" ]
}

@test "so does the job's #SBATCH --topomap, and --topomap-explain has it; who asks for nothing hears nothing" {
  job=(--topomap=ring:4)
  in_job "srun --async -o /dev/null --topomap-explain=why true; cat why"
  grep -q "$told" out
  [ "$(grep -c "$told" err)" -eq 1 ]
  job=()
  in_job "srun --async -o /dev/null $mark; sleep 2"
  run ! grep topomap err
  ran 4
}

@test "required: srun fails with one line and there is no step" {
  job=()
  in_job "srun --async -o /dev/null --topomap=ring:4 --topomap-options=required $mark; echo status \$?; sleep 2; squeue -h -s -o %i"
  grep -qx 'status 1' out
  [ "$(grep -c topomap err)" -eq 1 ]
  grep -q "error: .*required.*status 1" err
  run ! grep -E '^[0-9]+\.[0-9]' out
  run ! grep Submitted out
  ran 0
}

@test "a step that is not asynchronous is placed in the same job" {
  job=()
  in_job "srun --topomap=ring:4 $mark"
  ran 4
  [ "$(sort -u ran.*)" = 0 ] || [ "$(sort -u ran.*)" = 1 ]
}
