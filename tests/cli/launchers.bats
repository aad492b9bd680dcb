#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Plans in the formats of other launchers: each says what --json says.
bats_require_minimum_version 1.5.0

load ../messages

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH TOPOMAP_DB=$BATS_FILE_TMPDIR/t.db
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2,scatter=1 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db
  NODES=$(topomap db export --to links | sed -n 's/^# all hosts: //p')
  export NODES
  # PUs are numbered as Linux does: a core's second thread comes behind all cores.
  lstopo-no-graphics -i 'pack:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)' --of xml >node.xml
  topomap db import hwloc node.xml --nodes "$NODES" --db t.db
  awk 'BEGIN { n = 22; for (i = 0; i < n; i++) { print i "," (i + 11) % n "," 500 + i; print i "," (i + 1) % n ",7" } }' >far.csv
}

setup() {
  cd "$BATS_FILE_TMPDIR"
  out=$BATS_TEST_TMPDIR/out
}

# Uneven counts on scattered nodes.
map() { topomap map --graph far.csv --nodes "$NODES" --tasks-per-node '3(x6),2(x2)' "$@"; }

# The nodes of all ranks, a line each.
nodes_of() { map --json "$@" | jq -r '.placement | sort_by(.rank)[].node'; }

@test "slurm-hostfile and machinefile have each rank's host" {
  nodes_of >want
  map --format slurm-hostfile >"$out"
  head -n 1 "$out" | grep -q '^# .*-m arbitrary -n 22 '
  diff <(grep -v '^#' "$out") want
  map --format machinefile -o "$out"
  diff <(sed -n '/^#/!s/:1$//p' "$out") want
  # It is not the block order.
  ! diff -q want <(sort -V want) || false
}

# CPUs of Linux by the numbers in a rankfile, as an orted on such a node binds: cpus PER_CORE CORES FILE
bound() {
  awk -v threads="$1" -v cores="$2" '
    BEGIN { n = split(cores, core, " ") }
    /^rank/ {
      split($2, where, "="); list = $3; sub("slot=", "", list); text = ""
      m = split(list, part, ",")
      for (i = 1; i <= m; i++) {
        k = split(part[i], end, "-")
        for (u = end[1]; u <= end[k]; u++)
          if (threads) { c = core[int(u / 2) + 1]; text = text " " (c + (u % 2 ? 8 : 0)) }
          else { c = core[u + 1]; text = text " " c " " (c + 8) }
      }
      print where[1], where[2] text
    }' "$3" | while read -r rank node cpus; do echo "$rank $node $(xargs -n1 <<<"$cpus" | sort -n | xargs)"; done
}

# The same by --json: RANK NODE CPUS
planned() {
  map --json "$@" | jq -r '.placement | sort_by(.rank)[] | "\(.rank) \(.node) \(.cpus | sort | map(tostring) | join(" "))"'
}

@test "rankfiles have each rank's cores, as they are counted within the job's" {
  map --format openmpi-rankfile >"$out"
  head -n 1 "$out" | grep -q '^# mpirun -n 22 --rankfile '
  diff <(bound '' '0 1 2 3 4 5 6 7' "$out") <(planned)
  map --format prrte-rankfile --cores '1-3,6-7(x8)' >"$out"
  head -n 1 "$out" | grep -q '^# mpirun -n 22 --map-by rankfile:file='
  diff <(bound '' '1 2 3 6 7' "$out") <(planned --cores '1-3,6-7(x8)')
}

@test "where tasks have parts of cores, hardware threads are counted" {
  map --format openmpi-rankfile --bind pu --cores '2-4(x8)' >"$out"
  grep -q '^# mpirun .*--use-hwthread-cpus' "$out"
  diff <(bound 1 '2 3 4' "$out") <(planned --bind pu --cores '2-4(x8)')
  map --format prrte-rankfile --bind pu | head -n 1 | grep -q ':hwtcpus '
}

@test "without bindings a rankfile has a core for each rank of a node, and says so" {
  map --format openmpi-rankfile --bind none >"$out"
  grep -q '^# .*\<cores\>' "$out"
  diff <(sed -n 's/^rank [0-9]*=\(.*\) slot=.*/\1/p' "$out") <(nodes_of --bind none)
  [ "$(grep -c '^rank' "$out")" = 22 ]
  [ "$(sed -n 's/^rank [0-9]*=//p' "$out" | sort -u | wc -l)" = 22 ]
}

@test "mpich-rank-order has all ranks in the order of the nodes" {
  map --format mpich-rank-order >"$out"
  # Laid out block by block, rank by rank of the file.
  grep -v '^#' "$out" | tr -d '\n' | tr , '\n' >order
  [ "$(sort -n order | xargs)" = "$(seq 0 21 | xargs)" ]
  sort -V <(nodes_of) >filled
  diff <(paste -d' ' order filled | sort -n | cut -d' ' -f2) <(nodes_of)
}

# As RFC 34 unfolds a map: the nodes' numbers, rank by rank.
unfold() { jq '.map[] | . as [$node, $nodes, $tasks, $repeat] | range($repeat) | range($nodes) | . as $n | range($tasks) | $node + $n' "$1"; }

@test "flux-taskmap unfolds to the placement" {
  map --format flux-taskmap >"$out"
  [ "$(jq .version "$out")" = 1 ]
  diff <(unfold "$out") <(nodes_of | while read -r node; do echo $(($(sort -Vu <(nodes_of) | grep -nx "$node" | cut -d: -f1) - 1)); done)
  # What is regular is short.
  topomap map --graph far.csv --nodes "${NODES}" --tasks-per-node '3(x6),2(x2)' --algorithm identity --format flux-taskmap >"$out"
  [ "$(jq -c .map "$out")" = '[[0,6,3,1],[6,2,2,1]]' ]
}

@test "pjsub-vcoord has the number of each rank's node in the list, a line a rank" {
  map --format pjsub-vcoord >"$out"
  [ "$(grep -cx '([0-9]*)' "$out")" = "$(wc -l <"$out")" ]
  sort -Vu <(nodes_of) >list
  diff <(tr -d '()' <"$out" | while read -r number; do sed -n "$((number + 1))p" list; done) <(nodes_of)
}

@test "--from-plan writes a record so, without the database" {
  map --format plan -o "$BATS_TEST_TMPDIR/plan" --cores '1-3,6-7(x8)'
  map --format openmpi-rankfile --cores '1-3,6-7(x8)' >want
  TOPOMAP_DB=/nowhere topomap map --from-plan "$BATS_TEST_TMPDIR/plan" --format openmpi-rankfile >"$out"
  # On a node tasks may stand in another order: the plan that travels numbers them by their CPUs.
  diff <(grep -v '^#' want) <(grep -v '^#' "$out")
  diff <(topomap map --from-plan "$BATS_TEST_TMPDIR/plan" --format slurm-hostfile) <(map --cores '1-3,6-7(x8)' --format slurm-hostfile)
}

@test "formats of launchers: usage" {
  run -2 map --format nonsense
  fails_with 2 text perm json plan slurm-hostfile openmpi-rankfile prrte-rankfile machinefile mpich-rank-order flux-taskmap pjsub-vcoord nonsense
  run -2 topomap map --graph far.csv --machine torus:22 --format machinefile
  [[ $output == *"--nodes"* ]]
  map --format plan -o "$BATS_TEST_TMPDIR/plan"
  run -2 topomap map --from-plan "$BATS_TEST_TMPDIR/plan"
  fails_with 2 --from-plan --format slurm-hostfile
  run -2 topomap map --from-plan "$BATS_TEST_TMPDIR/plan" --format perm
  run -2 topomap map --replay "$BATS_TEST_TMPDIR/plan" --format machinefile
  [[ $output == *"--from-plan"* ]]
  run -3 topomap map --from-plan far.csv --format machinefile
  [ "$(topomap map --help | grep -c 'mpich-rank-order\|flux-taskmap')" -ge 2 ]
}

@test "--cores-of: a job's own cores, as scontrol tells them, are what a rankfile counts within" {
  mkdir -p bin
  cat >bin/scontrol <<'END'
#!/bin/sh
cat >asked
echo "JobId=77 JobName=x Nodes=$NODES CPU_IDs=8-15 Mem=0 GRES="
echo "NodeName=${NODES%%[*}01 CoresPerSocket=4 Sockets=2 ThreadsPerCore=2"
END
  chmod +x bin/scontrol
  PATH=$PWD/bin:$PATH map --cores-of 77 --format openmpi-rankfile -o "$out"
  grep -q '^show job 77$' asked
  # The second package alone: the same as when the cores are named.
  map --cores '4-7(x8)' --format openmpi-rankfile | diff "$out" -
  map --format openmpi-rankfile | { ! diff -q "$out" -; }
  run -2 map --cores-of x --format openmpi-rankfile
  printf '#!/bin/sh\nexit 1\n' >bin/scontrol
  PATH=$PWD/bin:$PATH run -0 --separate-stderr map --cores-of 77 --format openmpi-rankfile
  warns_with 'topomap map: ' cores nodes
  run -2 topomap map --graph ring:4 --machine tree:2:2 --cores-of 77
  fails_with 2 --cores --cores-of --nodes
}
