#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The profiler that NCCL loads, called by a program as NCCL calls it.
bats_require_minimum_version 1.5.0

setup() {
  PATH="$TOPOMAP_BUILD/cli:$TOPOMAP_BUILD/tests/unit/contrib:$PATH"
  export NCCL_PROFILER_PLUGIN=$TOPOMAP_BUILD/contrib/profile/libtopomap-profile-nccl.so
  unset "${!SLURM_@}" "${!TOPOMAP_PROFILE@}" RANK WORLD_SIZE
  cd "$BATS_TEST_TMPDIR"
}

# Rank $2 of four, of a NCCL with version $1: tensor groups 0 1 and 2 3, data groups 0 2 and 1 3.
rank() {
  RANK=$2 WORLD_SIZE=4 nccl-host "$1" "comm0:7:4:$2" "comm1:$((20 + $2 / 2)):2:$(($2 % 2))" "comm2:$((30 + $2 % 2)):2:$(($2 / 2))" \
    1:AllReduce:ncclFloat32:1000:0 2:ReduceScatter:ncclBfloat16:100:0 0:AlltoAll:ncclInt64:5:0 \
    $([ "$2" != 0 ] || echo 0:Send:Unknown:10:3) $([ "$2" != 3 ] || echo 0:Recv:Unknown:10:0) 2:AllGather:ncclFloat8e4m3:50:0 "${@:3}"
}

run_all() { # VERSION [WORD]
  local rank
  for rank in 3 1 2 0; do rank "$1" $rank "${@:2}" & done
  wait
}

@test "who sends how much to whom, by communicators whose ranks are not the job's, of both versions" {
  for version in 4 5; do
    TOPOMAP_PROFILE=$version.tmg run_all $version
    topomap graph convert $version.tmg $version.edges --to edges
    # A ring of two: an all-reduce goes whole to the other, a reduce-scatter's and an all-gather's share, too.
    diff - <(grep -v '^[^0-9]' $version.edges | tr , ' ' | sort) <<'END'
0 1 4040 3
0 2 290 3
0 3 50 2
1 0 4040 3
1 2 40 1
1 3 290 3
2 0 290 3
2 1 40 1
2 3 4040 3
3 0 40 1
3 1 290 3
3 2 4040 3
END
    [ ! -e $version.tmg.parts ]
    topomap graph info $version.tmg | grep -q 'NCCL.*nccl-host'
  done
}

@test "whose task has several processes goes by RANK, whose has one by Slurm's number" {
  SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 TOPOMAP_PROFILE=torchrun.tmg run_all 5
  [ "$(topomap graph info torchrun.tmg --json | jq .ranks)" = 4 ]
  for task in 0 1; do
    SLURM_PROCID=$((1 - task)) SLURM_STEP_NUM_TASKS=2 TOPOMAP_PROFILE=$PWD/slurm.tmg \
      nccl-host 4 "comm0:7:2:$task" $([ $task = 1 ] || echo 0:Send:ncclInt8:9:1) &
  done
  wait
  # Rank 0 of the communicator is task 1.
  topomap graph convert slurm.tmg slurm.edges --to edges
  grep -q '^1,0,9,1$' slurm.edges
}

@test "children leave nothing, and a rank that is missing leaves no graph" {
  TOPOMAP_PROFILE=x.tmg run_all 4 fork
  [ -e x.tmg ]
  # An earlier run's, of more ranks.
  mkdir -m 755 y.tmg.parts
  touch y.tmg.parts/part.{3,4,11}
  for r in 0 1 2; do TOPOMAP_PROFILE=y.tmg rank 5 $r; done
  rm y.tmg.parts/part.3
  [ "$(ls y.tmg.parts | grep -c 'part.[0-9]')" = 3 ]
  [ ! -e y.tmg ]
  run topomap graph info y.tmg.parts
  [[ "$output" == *"rank 3"* ]]
}

@test "without a profile to write nothing is asked of NCCL, and without the plugin NCCL goes on" {
  run -0 run_all 5
  [ -z "$(ls -A)" ]
  NCCL_PROFILER_PLUGIN=/nonexistent.so TOPOMAP_PROFILE=x.tmg run -0 rank 5 0
  [ "$output" = "no profiler" ]
  TOPOMAP_PROFILE=x.tmg run -0 nccl-host 5 comm0:7:1:0 0:AllReduce:ncclInt8:5:0 # no rank is known
  [ -z "$(ls -A)" ]
}

@test "parts with communicators that cannot be are refused" {
  for r in 0 1 2 3; do
    [ $r = 3 ] || TOPOMAP_PROFILE=z.tmg rank 4 $r
  done
  # Behind header and table of one rank: its number there, the communicator's size, a partner.
  while read -r byte why; do
    cp -r z.tmg.parts damaged
    printf '\xff\xff\xff\x7f' | dd of=damaged/part.0 bs=1 seek=$byte conv=notrunc status=none
    run -3 topomap graph convert damaged out.tmg
    [[ "$output" == *"part.0: $why"* ]]
    [ ! -e out.tmg ]
    rm -r damaged
  done <<'END'
368 a communicator's ranks are impossible
387 a communicator's ranks are impossible
408 a partner is no rank of its communicator
END
}
