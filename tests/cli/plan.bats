#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Plans as files: made by a dry run, replayed, and asked why a rank is where it is.
bats_require_minimum_version 1.5.0

load ../messages

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH TOPOMAP_DB=$BATS_FILE_TMPDIR/t.db
  topomap db synth fat-tree:leaves=4,hosts=4,spines=2 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db
  list=$(topomap db export --to links | sed -n 's/^# all hosts: //p')
  export NODES=$list
  lstopo-no-graphics -i 'pack:2 core:4 pu:2' --of xml >node.xml
  topomap db import hwloc node.xml --nodes "$list" --db t.db
  # Each talks most to the rank 32 further on, and a little to its neighbour.
  awk 'BEGIN { for (i = 0; i < 64; i++) { print i "," (i + 32) % 64 "," 500 + i; print i "," (i + 1) % 64 ",7" } }' >far.csv
}

setup() {
  cd "$BATS_FILE_TMPDIR"
  mine=$BATS_TEST_TMPDIR/mine.plan
}

make_plan() { topomap map --graph far.csv --nodes "$NODES" --tasks-per-node 4 --format plan -o "$mine" "$@"; }

@test "--format plan has the mapping of --format json, and a replay has it again" {
  local words
  for words in '' '--effort fast --seed 4' '--bind pu --layout compact' '--objective congestion' --contiguous \
    '--objective mix:0.3 --seed 2' '--time 1 --effort strong' \
    '--cores 0-3,6(x16) --cpus-per-task 2'; do
    echo "$words"
    # shellcheck disable=SC2086 # words
    make_plan $words
    # shellcheck disable=SC2086 # words
    topomap map --graph far.csv --nodes "$NODES" --tasks-per-node 4 --json $words >json
    run -0 topomap map --replay "$mine"
    has_tokens "$output" 0.0
    topomap map --replay "$mine" -o perm
    diff perm <(jq -r '.placement[].slot' json)
  done
}

@test "a plan of --mapping, --algorithm, --machine and what else no request has is none of the planner's" {
  run -2 make_plan --algorithm rb
  run -2 make_plan --mapping perm
  local words
  for words in '--threads 2' '--levels inter' '--balance 5' '--congestion equal' '--from csv'; do
    # shellcheck disable=SC2086 # words
    run -2 make_plan $words
    fails_with 2 "${words% *}"
  done
  run -2 topomap map --graph far.csv --machine torus:4x4x4 --format plan
  run -2 topomap map --graph far.csv --format plan
  run -3 topomap map --graph far.csv --nodes "$NODES" --tasks-per-node 4 --cores 3-1 --format plan
}

@test "a plan looked at from elsewhere, and with another graph or database than it was made of" {
  make_plan
  mkdir -p "$BATS_TEST_TMPDIR/away"
  cd "$BATS_TEST_TMPDIR/away"
  local command
  for command in 'why 3' "report -o page.html"; do
    # shellcheck disable=SC2086 # words
    run -3 topomap $command --plan "$mine"
    fails_with 3 far.csv --graph
    # shellcheck disable=SC2086 # words
    run -0 --separate-stderr topomap $command --plan "$mine" --graph "$BATS_FILE_TMPDIR/far.csv"
    [ -z "$stderr" ]
    sed 's/,7$/,8/' "$BATS_FILE_TMPDIR/far.csv" >other.csv
    # shellcheck disable=SC2086 # words
    run -0 --separate-stderr topomap $command --plan "$mine" --graph other.csv
    warns_with other.csv
  done
  sed 's,^db .*,db gone.db,' "$mine" >gone
  for command in show 'why 3' 'report -o page.html'; do
    # shellcheck disable=SC2086 # words
    run -3 topomap $command --plan gone
    fails_with 3 gone.db --db
  done
  run -0 topomap show --plan gone --db "$BATS_FILE_TMPDIR/t.db"
  # A search that had no limit was not ended by one.
  run topomap map --replay "$mine" --graph other.csv
  has_tokens "$output" other.csv
}

@test "what a step asks for and its nodes have not: a note, and the plan" {
  local words
  for words in '--tasks-per-node 4' '--tasks-per-node 16' '--tasks-per-node 4 --cpus-per-task 4' \
    '--tasks-per-node 8 --threads-per-core 1'; do
    # shellcheck disable=SC2086 # words
    run -0 --separate-stderr topomap map --graph ring:16 --nodes "$NODES" $words --json
    [ -z "$stderr" ]
  done
  while IFS=: read -r words expected; do
    # shellcheck disable=SC2086 # words
    run -0 --separate-stderr topomap map --graph ring:16 --nodes "$NODES" $words --json
    warns_with 'topomap map: ' $expected --overcommit
  done <<'END'
--tasks-per-node 17:17 node01 16
--tasks-per-node 4,2(x15) --cpus-per-task 5:4 20 node01 16
--tasks-per-node 9 --threads-per-core 1:9 node01 8
END
}

@test "a node that is named twice" {
  run -2 topomap map --graph ring:8 --nodes 'node[01-03],node02' --tasks-per-node 4
  fails_with 2 node02
}

@test "why: every number is what the graph, the placement and db distance say" {
  make_plan
  local rank partner
  for rank in 0 17 63; do
    topomap why $rank --plan "$mine" --json >why
    jq -e '.J_before >= .J' why
    while read -r partner bytes node distance; do
      want=$(awk -F, -v a="$rank" -v b="$partner" '($1 == a && $2 == b) || ($1 == b && $2 == a) { sum += $3 } END { print sum }' far.csv)
      [ "$bytes" = "$want" ]
      own=$(jq -r .node why)
      [ "$node" = "$own" ] ||
        [ "$(topomap db distance "$own" "$node" --json | jq '.cost')" = "$distance" ]
    done < <(jq -r '.partners[] | "\(.rank) \(.bytes) \(.node) \(.distance)"' why)
    run -0 topomap why $rank --plan "$mine" --most 1
    [[ $output == "rank $rank of step 0.0: $(jq -r .node why) "* ]]
    [[ $output == *"and "*" more"* ]]
  done
}

@test "why: an exchange of two ranks changes J by what is said" {
  make_plan --effort fast
  topomap map --replay "$mine" -o perm
  topomap why 5 --plan "$mine" --json >why
  other=$(jq .exchange.rank why)
  J() { topomap eval --graph far.csv --nodes "$NODES" --tasks-per-node 4 --mapping "$1" --json | jq .J; }
  awk -v a=6 -v b="$((other + 1))" 'NR == FNR { slot[NR] = $1; next } { print FNR == a ? slot[b] : FNR == b ? slot[a] : $1 }' \
    perm perm >exchanged
  jq -ne --argjson before "$(J perm)" --argjson after "$(J exchanged)" --argjson said "$(jq .exchange.J_change why)" \
    '($after - $before - $said) | fabs < 1e-6 * $before'
}
