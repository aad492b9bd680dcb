#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The testbed itself: what every other Slurm test stands on.
bats_require_minimum_version 1.5.0

setup() {
  source=${TOPOMAP_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
  testbed=$source/contrib/testbed/testbed
  fabric=$source/contrib/testbed/fabric
  [ "$(id -u)" = 0 ] || skip "needs root"
  cd "$BATS_TEST_TMPDIR"
}

# The leaf switch of each host, in the order of names.
leaves() {
  awk '/^Ca/ { host = $5; sub(/.*"/, "", host); getline; leaf = $0; sub(/.*# lid [0-9]+ lmc [0-9]+ "/, "", leaf)
    sub(/".*/, "", leaf); print host, leaf }' "$1" | sort | cut -d' ' -f2
}

# Processes, mounts and links that carry the testbed's folder in their name.
leftovers() {
  pgrep -f "$1" || true
  grep -F "$1" /proc/mounts || true
}

@test "fabric: scattered names never have two neighbours on one leaf" {
  "$fabric" fat-tree:leaves=4,hosts=4,spines=2,scatter=1 -o scattered
  [ "$(leaves scattered/fabric.ibnetdiscover | wc -l)" -eq 16 ]
  [ "$(leaves scattered/fabric.ibnetdiscover | sort | uniq -c | awk '$1 == 4' | wc -l)" -eq 4 ]
  [ "$(leaves scattered/fabric.ibnetdiscover | uniq | wc -l)" -eq 16 ]
  "$fabric" fat-tree:leaves=4,hosts=4,spines=2 -o rows
  [ "$(leaves rows/fabric.ibnetdiscover | uniq | wc -l)" -eq 4 ]
}

@test "fabric: every switch of a torus has a routing table" {
  "$fabric" torus:3x3x3 -o torus
  [ "$(grep -c '^Unicast lids' torus/fabric.lfts)" -eq 27 ]
  [ "$(grep -c '^Switch' torus/fabric.ibnetdiscover)" -eq 27 ]
}

@test "fabric: a SPEC that nobody can make is an error and leaves nothing" {
  run -3 "$fabric" fat-tree:leaves=0,hosts=1,spines=1 -o wrong
  run -3 "$fabric" ring:8x8 -o wrong
  [ ! -e wrong/fabric.ibnetdiscover ]
}

@test "testbed: sixteen tasks on eight nodes, each on the node that it was given" {
  run -0 --separate-stderr "$testbed" run --bare -- srun -N8 -n16 sh -c 'echo $SLURMD_NODENAME $(hostname)'
  [ "$(sort <<<"$output" | uniq -c | awk '$1 == 2 && $2 == $3' | wc -l)" -eq 8 ]
}

@test "testbed: --slurm, or the environment, names an installation whose programs run" {
  mkdir -p prefix/bin prefix/sbin
  for program in bin/srun bin/sinfo bin/scontrol sbin/slurmctld sbin/slurmd; do
    ln -s "$(command -v "${program#*/}")" prefix/$program
  done
  run -2 --separate-stderr "$testbed" run --bare --slurm prefix -- true
  [[ $stderr == *prefix*sbin/slurmstepd* ]]
  : >prefix/sbin/slurmstepd
  chmod 755 prefix/sbin/slurmstepd
  run -0 --separate-stderr "$testbed" run --bare --nodes 2 --slurm prefix -- sh -c 'command -v srun && srun -N2 hostname'
  [ "${lines[0]}" = "$PWD/prefix/bin/srun" ]
  [ "${#lines[@]}" -eq 3 ]
  TOPOMAP_TESTBED_SLURM=$PWD/prefix run -0 --separate-stderr "$testbed" run --bare --nodes 2 -- \
    sh -c 'command -v slurmctld; echo $TOPOMAP_TESTBED_SLURM'
  [ "$output" = "$PWD/prefix/sbin/slurmctld
$PWD/prefix" ]
}

@test "testbed: the command's exit status and standard input are its own" {
  run -7 "$testbed" run --bare --nodes 2 -- sh -c 'exit 7'
  [ "$(echo hello | "$testbed" run --bare --nodes 2 -- cat)" = hello ]
}

@test "testbed: the dump's host names become the nodes" {
  "$fabric" torus:2x3,prefix=rack -o torus
  run -0 --separate-stderr "$testbed" run --bare --fabric torus/fabric.ibnetdiscover -- sinfo -h -N -o %N
  [ "$output" = "$(printf 'rack0%d\n' 1 2 3 4 5 6)" ]
}

@test "testbed: up and down, beside a second one" {
  eval "$("$testbed" up --bare --nodes 2 --dir "$PWD/one")"
  run -0 "$testbed" run --bare --nodes 3 -- srun -N3 true
  [ "$(srun -N2 hostname | sort | paste -s -d' ')" = "node01 node02" ]
  "$testbed" down
  [ -z "$(leftovers "$PWD/one")" ]
  run -3 "$testbed" down
}

@test "testbed: nothing is left when it is ended or killed half-way" {
  for signal in TERM KILL; do
    mkdir -p "at$signal"
    TMPDIR=$PWD/at$signal "$testbed" run --bare -- srun -N8 sleep 100 3>&- &
    sleep 1.5
    found='' # what runs while it starts comes and goes
    for _ in {1..600}; do found=$(leftovers "$PWD/at$signal"); [ -z "$found" ] || break; sleep 0.1; done
    [ -n "$found" ]
    kill -"$signal" $!
    wait $! || true
    for _ in {1..600}; do [ -n "$(leftovers "$PWD/at$signal")" ] || break; sleep 0.1; done
    [ -z "$(leftovers "$PWD/at$signal")" ]
  done
  [ -z "$(ls -A atTERM)" ]
}

@test "testbed: a network namespace with nothing but lo will do" {
  run -0 --separate-stderr unshare -n "$testbed" run --bare -- srun -N8 hostname
  [ "$(sort -u <<<"$output" | wc -l)" -eq 8 ]
}

# bats test_tags=campaign
@test "testbed: MPI programs start on both MPIs and say where they are" {
  programs=${TOPOMAP_BUILD:-$source}/contrib/testbed/programs
  [ -x "$programs/whereami.openmpi" ] && [ -x "$programs/whereami.mpich" ] || skip "not built for both MPIs"
  # Debian testing's 26.05 has no mpi/pmix.
  run -0 --separate-stderr "$testbed" run --bare -- sh -ec "
    for pair in openmpi:pmix mpich:pmi2; do
      srun --mpi=list 2>&1 | grep -qw \${pair#*:} || continue
      echo started \$pair
      srun -N8 -n16 --mpi=\${pair#*:} $programs/whereami.\${pair%:*}
      srun -N8 -n16 --mpi=\${pair#*:} $programs/halo.\${pair%:*} 4x4 --bytes 1000
    done"
  started=$(grep -c '^started' <<<"$output")
  grep -qx 'started mpich:pmi2' <<<"$output"
  # rank r is local task r mod 2 of node r/2 in Slurm's block layout, by Slurm and by PMIx
  [ "$(awk '$1 ~ /^[0-9]+$/ && $2 == sprintf("node%02d", $1 / 2 + 1) && $3 == $1 % 2 &&
    ($6 == "-" || ($6 == $1 && $7 == $3 && $8 == $2))' <<<"$output" | wc -l)" -eq $((16 * started)) ]
  [ "$(grep -c '^halo 4x4: .* 0 wrong messages' <<<"$output")" -eq "$started" ]
}

@test "halo: the graph has every neighbour pair both ways, and the shuffle hurts" {
  halo=$(ls "${TOPOMAP_BUILD:-$source}"/contrib/testbed/programs/halo.* 2>/dev/null | grep -v '\.c$' | head -n 1)
  [ -n "$halo" ] || skip "not built"
  "$halo" --graph-only 4x4 row.csv --order row --bytes 10 --iterations 3
  "$halo" --graph-only 4x4 shuffle.csv --bytes 10 --iterations 3
  [ "$(sed 1d row.csv | wc -l)" -eq 48 ]
  [ "$(sed 1d shuffle.csv | awk -F, '{ seen[$1 "," $2]++; ok += seen[$2 "," $1] } END { print ok }')" -eq 24 ]
  [ "$(sed 1d row.csv | awk -F, '$3 != 30 || $4 != 3')" = "" ]
  # pairs that share a node of two: 8 of 24 in rows
  [ "$(sed 1d row.csv | awk -F, 'int($1 / 2) == int($2 / 2) { n++ } END { print n / 2 }')" -eq 8 ]
  [ "$(sed 1d shuffle.csv | awk -F, 'int($1 / 2) == int($2 / 2) { n++ } END { print n / 2 }')" -lt 4 ]
}
