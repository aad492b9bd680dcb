#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What people read: messages that say the way out, explanations, completion, the page of srun's options.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH=$TOPOMAP_BUILD/cli:$PATH
  cd "$BATS_TEST_TMPDIR"
  export XDG_CACHE_HOME=$PWD/cache HOME=$PWD
}

database() { # t.db and $NODES
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db
  NODES=$(topomap db export --db t.db --to links | sed -n 's/^# all hosts: //p')
  export TOPOMAP_DB=$PWD/t.db
}

@test "a file that is missing is no unknown pattern" {
  local name
  for name in nofile.csv mesh.mtx,parts=16 profile.tmg; do
    run -3 topomap graph info "$name"
    [ "$output" = "topomap graph info: $name: cannot open: No such file or directory" ]
    run -3 topomap map --graph "$name" --machine mesh:4x4
    has_tokens "$output" "topomap map: $name: " 'No such file or directory'
  done
  run -3 topomap graph info stencil2q:5:3x3
  fails_with 3 stencil2q:5:3x3 stencil2d
  run -3 topomap graph info yes # of three letters, two are not changed
  fails_with 3 stencil2d
}

@test "a program in a graph's place: the graph was forgotten" {
  printf '#!/bin/sh\n' >script
  run -3 topomap graph info ./script
  fails_with 3 ./script --topomap
  run -3 topomap map --graph "$(command -v sort)" --machine mesh:4x4
  fails_with 3 "$(command -v sort)"
  printf '#from to bytes\n0 1 5\n' >edges
  topomap graph info edges
}

@test "a mesh larger than the job is told about parts=, which works wherever a graph file is named" {
  topomap graph generate stencil2d:5:64x64 -o mesh.mtx
  run -2 topomap map --graph mesh.mtx --machine tree:4:4@1:10
  fails_with 2 4096 16 FILE,parts=16
  run -2 topomap map --graph stencil2d:5:64x64 --machine tree:4:4@1:10
  fails_with 2 4096 16 && [[ $output != *parts=* ]]
  topomap map --graph mesh.mtx,parts=16 --machine tree:4:4@1:10 --json >json
  jq -e '.placement | length == 16' json
  [ "$(topomap graph info mesh.mtx,parts=16 --json | jq .ranks)" -eq 16 ]
  topomap graph partition mesh.mtx --parts 16 --method rb -o blocks.csv
  topomap graph convert mesh.mtx,parts=16 same.csv
  cmp blocks.csv same.csv
  run -2 topomap graph info mesh.mtx,parts=5000
  [[ $output == *"expected 1 to 4096"* ]]
  database
  topomap map --graph mesh.mtx,parts=16 --nodes "$NODES" --tasks-per-node 2 --format plan -o plan
  run -0 topomap map --replay plan
  topomap map --graph mesh.mtx,parts=17 --nodes "$NODES" --tasks-per-node 2 --format plan -o plan
  has_tokens "$(grep '^line ' plan)" mesh.mtx,parts=17: 17 16 FILE,parts=16
  cp mesh.mtx mesh.mtx,parts=16 # a file's own name goes first
  [ "$(topomap graph info mesh.mtx,parts=16 --json | jq .ranks)" -eq 4096 ]
}

@test "an explanation has a line for each kind of candidate: the best, and of how many" {
  topomap map --graph random:n=64,deg=4 --machine tree:4:16@1:10 --json >json
  topomap map --graph random:n=64,deg=4 --machine tree:4:16@1:10 >text
  [ -z "$(sed -n 's/^  candidate \([^ ]*\) .*/\1/p' text | sort | uniq -d)" ]
  jq -r '.candidates | group_by(.name)[] | "\(.[0].name) \(map(.J) | min | round) \(length)"' json | sort >expected
  sed -n 's/^  candidate \([^ ]*\) *J \([0-9]*\) in [0-9.]* ms\(, the best of \([0-9]*\)\)\{0,1\}$/\1 \2 \4/p' text |
    awk '{ print $1, $2, $3 ? $3 : 1 }' | sort | diff expected -
  awk '$3 > 1' expected | grep .
}

@test "why, show and --replay: a file, a step, a job, or the last launch" {
  database
  mkdir -p cache/topomap/records
  local id
  for id in 7.0 7.1 12.0; do
    topomap map --graph ring:16 --nodes "$NODES" --tasks-per-node 2 --format plan -o plan
    sed "s/^job .*/job ${id%.*}/; s/^step .*/step ${id#*.}/" plan >"cache/topomap/records/$id.plan"
    touch -d "2026-01-01 10:00:0$((10#${id#*.} + ${id%.*} % 5))" "cache/topomap/records/$id.plan"
  done
  [ "$(ls -t cache/topomap/records | tr '\n' ' ')" = "7.1.plan 12.0.plan 7.0.plan " ] ||
    [ "$(ls -t cache/topomap/records | head -1)" = 7.1.plan ]
  run -0 topomap show
  [[ ${lines[0]} == "step 7.1: "* ]]
  [ "${#lines[@]}" -eq 10 ]
  [[ ${lines[1]} == "NODE "*"  RANKS"*"  SLURM'S RANKS" ]]
  [[ ${lines[2]} =~ ^node0?1\ +[0-9,-]+\ +0,1$ ]]
  run -0 topomap show --job 12
  [[ ${lines[0]} == "step 12.0: "* ]]
  run -0 topomap show --plan 7.0
  [[ ${lines[0]} == "step 7.0: "* ]]
  [ "$(topomap show --job 7 --json | jq -c 'map(.ranks) | add | sort')" = "$(jq -nc '[range(16)]')" ]
  run -0 topomap why 3
  [[ ${lines[0]} == "rank 3 of step 7.1: "* ]]
  run -0 topomap why 3 --job 12.0
  [[ ${lines[0]} == "rank 3 of step 12.0: "* ]]
  run topomap map --replay
  [[ $output == *"replay of 7.1: "* ]]
  # Jobs have their own folders, many of them.
  mkdir 12 12.0 2026.11
  run -0 topomap show --job 12
  run topomap map --replay 12.0
  [[ $output == *"replay of 12.0: "* ]]
  run -3 topomap show --job 2026.11
  fails_with 3 2026.11
  cp plan 99
  run -0 topomap show --plan 99
  rm -r 12 12.0 2026.11 99
  run topomap map --replay 12
  [[ $output == *"replay of 12.0: "* ]]
  run -3 topomap why 3 --job 99
  fails_with 3 99 "$PWD/cache/topomap/records" --topomap-options=records
  # The site's folder is looked into without being named; one that is named stands in its place.
  mkdir -m 1777 site other
  mkdir -m 700 "site/$EUID"
  sed "s/^job .*/job 20/; s/^step .*/step 3/" plan >"site/$EUID/20.3.plan"
  echo 'NodeName=node[1-8]' >slurm.conf
  echo "optional $PWD/spank_topomap.so records=$PWD/site" >plugstack.conf
  export SLURM_CONF=$PWD/slurm.conf
  run -0 topomap show
  [[ ${lines[0]} == "step 20.3: "* ]]
  run -0 topomap why 3 --job 20
  run -3 topomap why 3 --job 20 --records other
  fails_with 3 20 other "$PWD/cache/topomap/records"
  rm -r cache/topomap/records site
  run -3 topomap show
  fails_with 3 records
}

@test "no line of a list ends with blanks" {
  database
  mkdir -p cache/topomap/profiles
  topomap graph generate ring:16 -o cache/topomap/profiles/00000000000000a1.tmg
  printf 'program solver\nwords \nid 00000000000000aa\nfamily 00000000000000bb\nranks 16\nmade 1\nlaunches 7\nprofiles 2\ntries 0\n' \
    >cache/topomap/profiles/00000000000000a1.meta
  topomap map --graph ring:16 --nodes "$NODES" --tasks-per-node 2 --format plan -o plan
  local words
  while read -r words; do
    # shellcheck disable=SC2086
    topomap $words >out 2>&1 || [ $? -lt 3 ]
    [ -s out ]
    echo "topomap $words"
    run -1 grep -n '[[:blank:]]$' out
  done <<'END'
help
help map
help db import
formats
formats stencil3d
algorithms
profile list
profile show 0000
db show
db show --summary
db show node01
db check
db export --to links
graph info cache/topomap/profiles/00000000000000a1.tmg
map --graph ring:16 --machine tree:4:4@1:10
eval --graph ring:16 --machine tree:4:4@1:10
eval --time --graph ring:16 --machine fattree:k=4
map --replay plan
show --plan plan
why 3 --plan plan
doctor
END
}

@test "topomap-srun(1) has every option and every key" {
  topomap help --man srun | sed 's/\\-/-/g' >page
  topomap help --words srun >options
  [ "$(wc -l <options)" -eq 3 ]
  while read -r option; do
    grep -q "^\.B ${option%=}\\\\fR" page
  done <options
  topomap help --words srun --topomap-options >keys
  [ "$(wc -l <keys)" -ge 15 ]
  while read -r key; do
    grep -qE "^\.B ${key%=}( |$)" page
  done <keys
  grep -q '^mpi=$' keys
  grep -q '^\.B mpi .*openmpi, mpich, mpi-abi or nccl' page # wording: the page itself
  grep -q 'distribution=topomap' page
}
