#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap-measure under each MPI: what it measures, in which rounds, and that the fit takes it. All
# processes are on one machine, so that times themselves say nothing.
bats_require_minimum_version 1.5.0

load mpis

setup() {
  export TOPOMAP=$TOPOMAP_BUILD/cli/topomap
  mpi_settings
  export OMPI_MCA_btl=tcp,self,vader
  export ASAN_OPTIONS=detect_leaks=0 # MPI's own
  cd "$BATS_TEST_TMPDIR"
  db=$BATS_TEST_TMPDIR/db
}

measure() { # MPI RANKS OPTION...
  local mpi=$1 ranks=$2; shift 2
  local program=$TOPOMAP_BUILD/contrib/measure/topomap-measure-$mpi
  [ -e "$program" ] || skip "no $mpi here"
  mpi_run "$mpi" "$ranks" "$program" --sizes 0,4096 --trips 2 --repeat 3 "$@"
}

fabric() {
  "$TOPOMAP" db synth fat-tree:leaves=2,hosts=3,spines=1,links=1 -o f
  "$TOPOMAP" db import --db "$db" ibnetdiscover f/fabric.ibnetdiscover
}

all_pairs() {
  measure "$1" 5 --as-nodes 'node[01-05]' -o m
  grep -q '^# topomap-measure .* 5 nodes, 5 processes' m
  grep -qx 'kind,from,to,hops,size,latency_us,bandwidth_MBps' m
  # Every two of five nodes at either size, each once, the lower rank first.
  [ "$(grep -c '^pair,' m)" = 20 ]
  for i in 1 2 3 4; do
    for j in $(seq $((i + 1)) 5); do
      [ "$(grep -c "^pair,node0$i,node0$j,,\(0\|4096\)," m)" = 2 ]
    done
  done
  # A time for all, and its bandwidth: bytes a microsecond.
  awk -F, '/^pair/ && (!($6 > 0) || ($5 > 0 ? ($7 * $6 / $5 - 1) ^ 2 > 1e-4 : $7 != "")) { bad = 1 } END { exit bad }' m
}
@test "Open MPI: all pairs of five nodes" { all_pairs openmpi; }
@test "MPICH: all pairs of five nodes" { all_pairs mpich; }

sample() {
  measure "$1" 6 --as-nodes 'n[1-6]' --rounds 1 --seed 3 -o one
  # One round: three pairs, every node in one.
  [ "$(grep '^pair' one | cut -d, -f2,3 | sort -u | tr ',' '\n' | sort | tr '\n' ' ')" = "n1 n2 n3 n4 n5 n6 " ]
  measure "$1" 6 --as-nodes 'n[1-6]' --pairs 4 --seed 3 --alone > four
  [ "$(grep '^pair' four | cut -d, -f2,3 | sort -u | wc -l)" = 4 ]
  # The first three of them are that round.
  [ "$(grep '^pair' one four | sed 's/^[^:]*://' | cut -d, -f2,3 | sort -u | wc -l)" = 4 ]
}
@test "Open MPI: a sample of rounds and of pairs" { sample openmpi; }
@test "MPICH: a sample of rounds and of pairs" { sample mpich; }

database() {
  fabric
  measure "$1" 6 --as-nodes 'node0[1-6]' --db "$db" --contention 2,4 -o m
  [ "$(grep -c '^pair,node01,node02,2,' m)" = 2 ]
  [ "$(grep -c '^pair,node01,node04,4,' m)" = 2 ]
  # Three nodes a leaf: one pair on each at 2 hops; at 4 hops all six are at it.
  [ "$(grep '^contention,' m | awk -F, '$4 == 2' | cut -d, -f2,3 | tr ',' '\n' | sort -u | wc -l)" = 4 ]
  [ "$(grep '^contention,' m | awk -F, '$4 == 4' | cut -d, -f2,3 | tr ',' '\n' | sort -u | wc -l)" = 6 ]
  run --separate-stderr -0 "$TOPOMAP" db calibrate m --db "$db" --json
  [ "$(jq -c '[.pairs, [.distances[].pairs], ([.distances[].slowdown] | map(. > 0))]' <<<"$output")" = '[15,[6,9],[true,true]]' ]
  "$TOPOMAP" db calibrate m --matrix x
  "$TOPOMAP" map --graph ring:12 --machine 'matrix:x*2' --algorithm two-stage -o placed
  [ "$(sort -n placed | uniq | wc -l)" = 12 ]
}
@test "Open MPI: hops and contention by the database, and the fit" { database openmpi; }
@test "MPICH: hops and contention by the database, and the fit" { database mpich; }

inside() {
  measure "$1" 3 --only inside -o m
  [ "$(grep -c '^pair' m)" = 0 ]
  # What two CPUs of a machine have in common at last is the node; nothing with one CPU.
  if [ "$(nproc)" -gt 1 ]; then
    [ "$(grep -c "^inside,$(hostname),[a-z0-9]*,,\(0\|4096\),[0-9.]*" m)" -ge 2 ]
  fi
}
@test "Open MPI: inside a node" { inside openmpi; }
@test "MPICH: inside a node" { inside mpich; }

@test "usage and failures: one line, the exit status, and no process left waiting" {
  for mpi in openmpi mpich; do
    [ -e "$TOPOMAP_BUILD/contrib/measure/topomap-measure-$mpi" ] || continue
    run measure $mpi 2 --contention 2
    [ "$status" -eq 2 ]
    [[ $output == *"needs --db"* ]]
    run measure $mpi 2 --sizes 1.5
    [ "$status" -eq 2 ]
    run measure $mpi 2 --as-nodes 'n[1-3]'
    [ "$status" -eq 2 ]
    [[ $output == *3*"2 processes"* ]]
    run measure $mpi 2 --as-nodes 'n[1-2]' --db none.db
    # MPICH's launcher kills the others where one has given up MPI_Finalize, and then tells another status.
    [ "$status" -ne 0 ]
    [[ $output == *none.db* ]]
    run measure $mpi 2 --as-nodes 'n[1-2]' -o none/m
    [ "$status" -ne 0 ]
    [[ $output == *none/m* ]]
    run measure $mpi 1 --help
    [ "$status" -eq 0 ]
    [[ $output == *--as-nodes* ]]
  done
}

@test "on a terminal it says how many rounds are done, and nothing of that stays" {
  local program=$TOPOMAP_BUILD/contrib/measure/topomap-measure-openmpi repeat
  [ -e "$program" ] || skip "no Open MPI here"
  # Each process has a terminal of its own; only the first one's is written to. How many messages
  # take the two seconds after which it speaks is the machine's affair.
  for repeat in 100 400 1600 6400; do # search: what takes two seconds here
    rm -f screen.*
    mpi_run openmpi 4 sh -c "script -qec '$program --sizes 65536 --trips 3000 --repeat $repeat --as-nodes node[1-4] -o m' screen.\$\$ </dev/null >/dev/null"
    [ "$(grep -c '^pair,' m)" = 6 ]
    cat screen.* >screens
    ! grep -q round screens || break
  done
  grep -q $'\e\\[Ktopomap-measure: round [12] of 3, [0-9.]* rounds/s, about [0-9]* s left' screens
  grep -qP '\r\e\[K(?!topomap)' screens # erased at the end
  [ "$(grep -l 'round' screen.* | wc -l)" = 1 ]
}
