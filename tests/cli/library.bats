#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# libtopomap as other programs see it.
bats_require_minimum_version 1.5.0

load ../messages

# listed FOLDER: the names of its symbol list.
listed() { sed -n 's/^ *\(topomap_[a-z0-9_]*\);$/\1/p' "$1"/libtopomap.map; }

# exported LIBRARY: what it defines for others, each with its version.
exported() { nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }'; }

setup() {
  PATH=$TOPOMAP_BUILD/cli:$PATH
  cd "$BATS_TEST_TMPDIR"
}

# compiled FLAG...: place.c, as a program of others is: the headers and libtopomap.so, and nothing else of topomap.
compiled() {
  local sanitizers # whose runtime a program has to bring along
  read -ra sanitizers < <(sed -n 's/^SAN_CFLAGS = //p' "$TOPOMAP_BUILD/Makefile") || true
  "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "${sanitizers[@]}" "$@" -I"$TOPOMAP_SOURCE/lib/include" -o place "$TOPOMAP_SOURCE/tests/cli/place.c" \
    -L"$TOPOMAP_BUILD/.libs" -ltopomap -Wl,-rpath,"$TOPOMAP_BUILD/.libs"
}

@test "libtopomap exports the functions of its headers, by its list, and nothing else" {
  local library=$TOPOMAP_BUILD/.libs/libtopomap.so names
  names=$(cat "$TOPOMAP_SOURCE"/lib/include/topomap/*.h | sed 's,/\*.*\*/,,' | grep -v '^ \*' |
    grep -oE '\btopomap_[a-z0-9_]+\(' | tr -d '(' | LC_ALL=C sort -u)
  [ "$(wc -l <<<"$names")" -gt 40 ]
  diff <(echo "$names") <(listed "$TOPOMAP_SOURCE/lib")
  diff <(echo "$names") <(exported "$library" | sed 's/@@TOPOMAP_1.0$//' | LC_ALL=C sort)
}

@test "a program that links libtopomap opens the site's database and places ranks as topomap does" {
  compiled
  topomap db synth fat-tree:k=4,levels=3 -o made
  TOPOMAP_DB=site.db topomap db import ibnetdiscover made/fabric.ibnetdiscover
  local nodes='node[01-04,09-12]'
  topomap map --db site.db --nodes "$nodes" --tasks-per-node 4 --graph stencil2d:5:8x4 --format plan -o plan
  layout=$(grep '^layout ' plan | tail -n 1)
  [ "$layout" != "$(grep '^layout ' plan | head -n 1)" ]
  run -0 ./place site.db "$nodes" 4 stencil2d:5:8x4
  [ "$output" = "hosts 16, fat-tree"$'\n'"$layout" ]
  run -3 ./place none.db "$nodes" 4 stencil2d:5:8x4
  [[ $output == *none.db* ]]
}

@test "structs that a program fills carry their size: an older one, a later one, and none" {
  compiled
  run -2 ./place --size 0
  fails_with 2 topomap_map_options 0 'sizeof(topomap_map_options)'
  run -2 ./place --size -8
  fails_with 2 'sizeof(topomap_map_options)'
  run -0 ./place --size 8
  run -2 ./place --size 8 known
  fails_with 2 libtopomap 0
}

@test "the headers are C++'s, too, each by itself" {
  command -v c++ >/dev/null || skip "there is no C++ compiler here"
  for header in "$TOPOMAP_SOURCE"/lib/include/topomap/*.h; do
    echo "#include <topomap/${header##*/}>" | c++ -Wall -Wextra -Werror -fsyntax-only -I"$TOPOMAP_SOURCE/lib/include" -x c++ -
    echo "#include <topomap/${header##*/}>" | "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$TOPOMAP_SOURCE/lib/include" -x c -
  done
}
