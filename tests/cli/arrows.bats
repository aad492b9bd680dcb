#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# auto/arrows: which file may include which, and how large rooms and files may be.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  source=${TOPOMAP_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
  cd "$BATS_TEST_TMPDIR"
  file lib/util/random.h
  file lib/map/refine/swap.c '#include "util/random.h"'
}

# file NAME LINE...: a file of the tree at hand.
file() {
  mkdir -p "$(dirname "$1")"
  [ $# -eq 1 ] && : >"$1" || printf '%s\n' "${@:2}" >"$1"
}

arrows() { "$source/auto/arrows" "$BATS_TEST_TMPDIR"; }

@test "auto/arrows: the tree keeps to the rules" {
  run -0 "$source/auto/arrows"
  [ -z "$output" ]
}

@test "auto/arrows: what it cannot look at" {
  run -2 "$source/auto/arrows" --nonsense
  [ "$output" = "usage: auto/arrows [--picture] [TREE]" ]
  mkdir empty
  run -2 "$source/auto/arrows" empty
  [ "$output" = "auto/arrows: no folder of code in $PWD/empty" ]
}

@test "auto/arrows: the picture in HACKING.md is of this tree, and names a room that does not say what it is" {
  run -0 "$source/auto/arrows" --picture
  diff <(printf '%s\n' "$output") <(sed -n '/^```house$/,/^```$/{ /^```/d; p }' "$source/HACKING.md")
  printf '# What any program needs.\n' >lib/util/local.mk
  run -1 "$source/auto/arrows" --picture .
  [[ $output == *"  util/ "*"  What any program needs."* ]] # wording: the line is this test's own
  has_tokens "$output" lib/map/refine: local.mk
  [[ $output == *"  map/refine/ "* && $output == *"-> util"* ]]
}

@test "auto/arrows: an include of a floor above" {
  run -0 arrows
  file lib/map/split/tree.h
  file lib/map/auto/registry.h
  file lib/map/papers/cells.c '#include "map/split/tree.h"' '#include "map/auto/registry.h"'
  run -0 arrows
  file lib/map/refine/swap.c '#include "util/random.h"' '# include "../split/tree.h"'
  run -1 arrows
  [ "$output" = "lib/map/refine/swap.c:2: includes lib/map/split/tree.h, and lib/map/split lies above lib/map/refine: move what both need down to lib/map/refine, or hand it over as an argument" ]
  file lib/map/refine/swap.c
  file topology-db/db.h
  file lib/include/topomap/topomap.h '#include "topology-db/db.h"'
  file plugin/spank.c '#include <topomap/topomap.h>' '#include "topology-db/db.h"'
  run -1 arrows
  fails_with 1 lib/include/topomap/topomap.h:1: topology-db/db.h
  [ "${#lines[@]}" -eq 1 ]
}

@test "auto/arrows: circles of two rooms, said once, and of three" {
  file lib/graph/halo.c '#include "partition/partition.h"'
  file lib/graph/graph.h
  file lib/partition/partition.h
  file lib/partition/balance.c '#include "partition/partition.h"' '#include "graph/graph.h"'
  run -1 arrows
  [ "$output" = "lib/graph/halo.c:1: a circle: lib/graph includes lib/partition, and lib/partition/balance.c:2 leads back: move what both need into one of the two, or below both" ]
  file lib/partition/balance.c '#include "machine/machine.h"'
  file lib/machine/machine.h
  run -0 arrows
  file lib/machine/machine.c '#include "graph/graph.h"'
  run -1 arrows
  [[ $output == *"lib/machine/machine.c:1"* ]]
}

@test "auto/arrows: two files that use functions of each other" {
  file lib/util/odd.c 'static int half(int n)' '{' '}' 'int topomap_odd(int n)' '{' '    return topomap_even(n - 1);' '}'
  file lib/util/even.c 'int topomap_even(int n)' '{' '    /* not topomap_odd(n) */ return n % 2;' '}'
  run -0 arrows
  file lib/util/even.c 'int topomap_even(int n)' '{' '    puts("topomap_odd"); /* not' '     * topomap_odd(n) */' '}'
  run -0 arrows
  file lib/util/even.c '/* Pairs. */' 'int topomap_even(int n)' '{' '    return each(n - 1, topomap_odd);' '}'
  run -1 arrows
  fails_with 1 lib/util/odd.c:6 'topomap_even()' lib/util/even.c:4 'topomap_odd()'
}

@test "auto/arrows: rooms and files that are too large" {
  for i in $(seq 39); do file "lib/util/f$i.c"; done
  seq -f '// %g' 600 >lib/util/f1.c
  run -0 arrows
  file lib/util/f40.c
  echo '// 601' >>lib/util/f1.c
  run -1 arrows
  [ "${lines[0]}" = "lib/util/f1.c:601: has 601 lines, and 600 are the most: take out what is a thing of its own" ]
  [ "${lines[1]}" = "lib/util: has 41 files of code, and 40 are the most: give what belongs together a folder of its own" ]
  [ "${#lines[@]}" -eq 2 ]
}
