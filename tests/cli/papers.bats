#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The scripts of `make bench-papers` at their smallest sizes: all rows come out, with values that can be true.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  export TOPOMAP="$TOPOMAP_BUILD/cli/topomap" BENCH_BIN="$TOPOMAP_BUILD/tests/bench" SIZE=smoke FORMAT=tsv
  papers=$TOPOMAP_SOURCE/tests/bench/papers
  cd "$BATS_TEST_TMPDIR"
}
# rows PATTERN: how many lines of the output match.
rows() { grep -cP "$1" out; }
# number ROW-PATTERN COLUMN: that cell, without its unit.
number() { grep -P "$1" out | head -1 | cut -f "$2" | grep -oP '^[-+]?[0-9.e-]+'; }
holds() { awk "BEGIN { exit !($1) }" </dev/null; }

# bats test_tags=campaign
@test "bench-papers libtopomap: strategies beside a random layout, on all machines" {
  "$papers/run" libtopomap > out
  [ "$(rows '^3\^3\t27\t(random|identity|greedy|bisect|rcm)\t')" = 5 ]
  [ "$(rows '^2 supernodes\t64\t')" = 5 ]
  [ "$(rows '^(Juropa|Ranger)-like, [0-9]+ a host\t32\t')" = 20 ]
  # Cuts keep neighbours together; one rank a host: no link is worse than the cable of the rank that sends most.
  holds "$(number '^3\^3\t27\tbisect' 10) < $(number '^3\^3\t27\trandom' 10)"
  [ "$(number '^Juropa-like, 1 a host\t32\tgreedy' 4)" = "$(number '^Juropa-like, 1 a host\t32\tgreedy' 5)" ]
  holds "$(number '^Juropa-like, 8 a host\t32\tbisect' 9) < -20"
  holds "$(number '^rcm, 512 ranks' 2) < 0.1 && $(number '^greedy, 64 PERCS' 2) > 0"
}

# bats test_tags=campaign
@test "bench-papers hiertopomap: hop-bytes fall on each machine, and no time is missing" {
  "$papers/run" hiertopomap > out
  [ "$(rows '^Stampede\t64\t(amr|grid)\ttree\t')" = 2 ]
  [ "$(rows '^Kraken\t96\t(amr|grid)\t(tree|rb|rb-wrap)\t')" = 6 ]
  [ "$(rows '^Intrepid\t64\t(amr|grid)\t(tree|rb|rb-wrap)\t')" = 6 ]
  while read -r fall; do holds "${fall% %} < -20 && ${fall% %} > -95"; done < <(grep -P '^(Stampede|Kraken|Intrepid)\t' out | cut -f 6)
  [ "$(rows '\t(kept|missed)$')" = 9 ]
  [ "$(rows '^torus, (greedy|bisect|rcm)\t64\t0\.')" = 3 ]
}

# bats test_tags=campaign
@test "bench-papers viem: searches gain, the slow gain takes the same path, models are compared" {
  "$papers/run" viem > out
  for search in 'N\^2 \(up' 'N_p' 'N_1\t' 'N_2' 'N_10'; do
    holds "$(number "^$search" 2) > 1 && $(number "^$search" 2) < 60"
  done
  holds "$(number '^N_10' 2) > $(number '^N_1\t' 2)"
  holds "$(number '^top-down\t' 2) > 10 && $(number '^random' 2) < -50"
  holds "$(number '^top-down \+ N_10' 2) >= $(number '^top-down\t' 2)"
  [ "$(rows '^(GreedyAllC|LibTopoMap, (greedy|recursive|RCM))\t[-+]')" = 4 ]
  [ "$(rows '^(64|256)\t[0-9]+\t[0-9.]+\t[0-9.]+\t[0-9.]+\t.*\tyes$')" = 2 ]
  holds "$(number '^256\t[0-9]+\t' 4) > $(number '^64\t[0-9]+\t' 4)"
  [ "$(rows '^(64|256)\t0\.[0-9]+\t0\.[0-9]+\t')" = 2 ]
  [ "$(rows '^(identity|top-down\+nc10)\t\+')" = 2 ]
}

@test "bench-papers kth: the measured costs come back, and every map is one to one" {
  "$papers/run" kth > out
  [ "$(grep -P '^same' out | cut -f 2 | tr '\n' ' ')" = "11.1 14.4 14.5 " ]
  [ "$(number '^a, a hop' 2) $(number '^b, leaving' 2) $(number '^deviation' 2)" = "2.40 26.90 0.00" ]
  [ "$(rows '^64\t3\t(iterative|random|two-stage|two-stage-refine|auto)\t.*\tyes\t')" = 5 ]
  holds "$(number '^64\t3\ttwo-stage\t' 6) < -20"
}

@test "bench-papers bhatele: patterns are identified, heuristics stay near, findNext is no spiral" {
  "$papers/run" bhatele > out
  [ "$(grep -P '^(MILC|POP|WRF)\t' out | cut -f 3 | tr '\n' ' ')" = "4x4x4x4 8x32 32x16 16x16 32x16 " ]
  [ "$(rows '^(MILC|POP|WRF)\t.*\t(torus4d|stencil2d:5):[0-9x]+\t')" = 5 ]
  [ "$(rows '^9x8 on 12x6\t(mxovlp|mxov-al|coce|exco|affn)\t[12]\.')" = 5 ]
  [ "$(rows '^(bft|mht|affn|coce|coce-mht)\t[123]\.\d+\t[23]\.')" = 5 ]
  holds "$(number '^8x8\t4x4x4\tfold' 4) <= $(number '^8x8\t4x4x4\tstack' 4)"
  [ "$(rows '^(256|1024)\t\d+x\d+(\t[0-9.]+){4}\t')" = 2 ]
}

@test "bench-papers: a word that is no paper, a command that is not there, a failure inside a table" {
  run -2 "$papers/run" viem vlem
  [[ $output == *usage:*hiertopomap* ]]
  TOPOMAP=/nowhere/topomap run -2 "$papers/run" kth
  fails_with 2 /nowhere/topomap
  printf '#!/bin/sh\ncase $* in *"--algorithm rcm"*) exit 4 ;; esac\nexec "%s" "$@"\n' "$TOPOMAP" > limps
  chmod +x limps
  TOPOMAP=$PWD/limps run ! "$papers/run" libtopomap
}
