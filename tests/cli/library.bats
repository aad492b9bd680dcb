#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# libtopomap as other programs see it.
bats_require_minimum_version 1.5.0

# listed FOLDER: the names of its symbol list.
listed() { sed -n 's/^ *\(topomap_[a-z0-9_]*\);$/\1/p' "$1"/libtopomap.map; }

# exported LIBRARY: what it defines for others, each with its version.
exported() { nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }'; }

@test "libtopomap exports the functions of its headers, by its list, and nothing else" {
  local library=$TOPOMAP_BUILD/.libs/libtopomap.so names
  names=$(cat "$TOPOMAP_SOURCE"/lib/include/topomap/*.h | sed 's,/\*.*\*/,,' | grep -v '^ \*' |
    grep -oE '\btopomap_[a-z0-9_]+\(' | tr -d '(' | LC_ALL=C sort -u)
  [ "$(wc -l <<<"$names")" -gt 40 ]
  diff <(echo "$names") <(listed "$TOPOMAP_SOURCE/lib")
  diff <(echo "$names") <(exported "$library" | sed 's/@@TOPOMAP_0.1$//' | LC_ALL=C sort)
}
