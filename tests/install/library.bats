#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# libtopomap as a site's installation has it: its recorded interface, what of it can be written to, its manual pages,
# and the examples, built against it and run.
bats_require_minimum_version 1.5.0

setup_file() {
  export root=$BATS_FILE_TMPDIR/root
  env -u MAKEFLAGS -u MFLAGS make -s -C "$TOPOMAP_BUILD" DESTDIR="$root" install-libLTLIBRARIES install-topomapincludeHEADERS \
    install-pkgconfigDATA install-nodist_cmakeDATA install-dist_examplesDATA install-library-names \
    >"$BATS_FILE_TMPDIR/install.log" 2>&1 || { cat "$BATS_FILE_TMPDIR/install.log" >&2; return 1; }
  libdir=$(dirname "$(find "$root" -name libtopomap.so)")
  export libdir
}

setup() {
  library=$libdir/libtopomap.so
  PATH=$TOPOMAP_BUILD/cli:$PATH
  cd "$BATS_TEST_TMPDIR"
}

# needs TOOL PACKAGE
needs() { command -v "$1" >/dev/null || skip "there is no $1 here (package $2)"; }

# The examples of the installation, and where a copy of them was built.
examples() { dirname "$(find "$root" -name place_ranks.c)"; }

# run_examples FOLDER: each does what it says, with the installed library.
run_examples() {
  local LD_LIBRARY_PATH=$libdir built=$1
  export LD_LIBRARY_PATH
  # The line that its own comment shows.
  local shown; shown=$(sed -n 's/^ \*   place_ranks \(.*\) >hosts$/\1/p' "$(examples)/place_ranks.c")
  [ -n "$shown" ]
  eval "\"\$built/place_ranks\" $shown >hosts 2>said"
  [ "$(sort hosts | uniq -c | awk '$1 == 4' | wc -l)" -eq 8 ]
  awk '/^J / { exit !($2 + 0 < $6 + 0) }' said
  run -2 "$built/place_ranks" stencil2d:5:8x4 tree:4:4:2@1:10:40 'node[01-07]'
  [[ $output == "place_ranks: 7 hosts "*" 8 nodes" ]]

  topomap db synth fat-tree:k=4,levels=3 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db site.db
  run -0 "$built/distances" site.db 'node[01-03]'
  [ "${lines[0]}" = "# fat-tree: 16 hosts, 20 switches" ]
  [ "${lines[1]%% leaf*}" = "node01 node02 2 20 node01" ]
  [ "${#lines[@]}" -eq 4 ]
  run -3 "$built/distances" none.db node01
  [[ $output == *none.db* ]]
}

@test "pkg-config: the examples are built against the installed copy, and run" {
  needs pkg-config pkg-config
  cp -R "$(examples)" built
  chmod -R u+w built
  PKG_CONFIG_LIBDIR=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root make -s -C built -f Makefile.pkg-config CC="${CC:-cc}" CFLAGS="-Wall -Wextra -Werror"
  run_examples "$PWD/built"
}

@test "CMake: the same, and a version that is none is refused" {
  needs cmake cmake
  cmake -S "$(examples)" -B built -DCMAKE_PREFIX_PATH="${libdir%/lib*}" -Dtopomap_DIR="$libdir/cmake/topomap" >log 2>&1 || { cat log; false; }
  cmake --build built >log 2>&1 || { cat log; false; }
  run_examples "$PWD/built"
  mkdir later
  printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(later C)' 'find_package(topomap 99 REQUIRED)' >later/CMakeLists.txt
  run ! cmake -S later -B later/built -Dtopomap_DIR="$libdir/cmake/topomap"
  [[ $output == *'requested version "99"'* ]]
}

# stub HEADERS OUTPUT: a library that has the interface of these headers (their folder is "topomap"), and nothing in it.
stub() {
  awk -f "$TOPOMAP_SOURCE/tests/install/interface.awk" "$1"/topomap/*.h >"$2.c"
  "${CC:-cc}" -g -shared -fPIC -fvisibility=hidden -I"$1" -Wl,-soname,libtopomap.so.0 \
    -Wl,--version-script="$TOPOMAP_SOURCE/lib/libtopomap.map" -o "$2" "$2.c"
}

# differs OLD HEADERS NEW HEADERS: what others would see of it. What has been added is no change of what they know.
differs() {
  abidiff --no-added-syms --drop-private-types --headers-dir1 "$2/topomap" --headers-dir2 "$4/topomap" "$1" "$3"
}

@test "the interface is the recorded one: what was there stays as it was" {
  needs abidiff abigail-tools
  readelf -SW "$library" | grep -q '\.debug_info' || skip "the library was built without -g"
  local recorded=$TOPOMAP_SOURCE/tests/data/abi
  stub "$recorded" recorded.so
  [ "$(nm -D --defined-only recorded.so | grep -c ' T ')" -gt 60 ]
  differs recorded.so "$recorded" "$library" "$TOPOMAP_SOURCE/lib/include"
}

@test "a member of another type, one in between, a struct that grew and a function that is gone are told; a new function is not" {
  needs abidiff abigail-tools
  local recorded=$TOPOMAP_SOURCE/tests/data/abi
  stub "$recorded" recorded.so
  changed() { # FILE SED-EXPRESSION: the recorded headers with that, as another library
    rm -rf changed
    cp -R "$recorded" changed
    chmod -R u+w changed
    sed -i "$2" "changed/topomap/$1"
    ! cmp -s "changed/topomap/$1" "$recorded/topomap/$1"
    stub changed changed.so
    differs recorded.so "$recorded" changed.so changed
  }
  run ! changed db.h 's/^    uint32_t hops;/    uint64_t hops;/'
  [[ $output == *"type of 'uint32_t hops' changed"* ]]
  run ! changed topomap.h 's/^    double mix;  .*/    int more; double mix;/'
  [[ $output == *"topomap_map_options"*"int more"* ]]
  run ! changed time.h '/^TOPOMAP_PUBLIC void topomap_time_clear/d'
  [[ $output == *"topomap_time_clear"* ]]
  run ! changed topomap.h 's/^} topomap_map_options;/    double another;\n} topomap_map_options;/'
  [[ $output == *"'double another'"* ]]
  changed time.h 's/^TOPOMAP_PUBLIC void topomap_time_clear.*/&\nTOPOMAP_PUBLIC int topomap_time_new(int a);/'
}

# state LIBRARY: objects that can be written to once the library is loaded: in .data and .bss, and those of threads.
# .data.rel.ro and the like are read-only by then (RELRO).
state() { objdump -t "$1" | awk 'NF > 3 && $(NF - 2) ~ /^\.(t?data|t?bss)$/ && / O / { sub(/\.[0-9]+$/, "", $NF); print $NF }' | sort; }

@test "the library keeps nothing between calls" {
  needs objdump binutils
  # The compiler's own start and end; the lock around METIS, which has libc's rand() to itself; and SQLite's list of
  # file systems, of which ours is a row.
  printf '%s\n' __TMC_END__ __dso_handle completed metis_lock vfs | sort >known
  state "$library" >found
  cat found
  comm -13 known found >new
  [ ! -s new ]
  grep -qx metis_lock found
  echo 'static int kept; int f(void); int f(void) { return kept++; }' >kept.c
  "${CC:-cc}" -shared -fPIC -o kept.so kept.c
  state kept.so | grep -qx kept
}

@test "each public function has a manual page, by its name, and mandoc finds nothing" {
  local folder name
  folder=$(dirname "$(find "$root" -name libtopomap.3)")
  sed -n 's/^ *\(topomap_[a-z0-9_]*\);$/\1/p' "$TOPOMAP_SOURCE/lib/libtopomap.map" >names
  [ "$(wc -l <names)" -gt 60 ]
  while read -r name; do
    page=$(sed -n 's,^\.so man3/\(.*\)$,\1,p' "$folder/$name.3")
    grep -q "^\.SS .*\b$name()" "$folder/${page:-$name.3}" || { echo "$name has no page"; false; }
  done <names
  diff <("$TOPOMAP_SOURCE/auto/man3" --pages | sort) <(cd "$folder" && grep -l '^\.TH .* 3 .*"Library Functions"' *.3 | sed 's/\.3$//' | sort)
  run -2 "$TOPOMAP_SOURCE/auto/man3" nonsense
  [[ $output == "auto/man3: "*nonsense*--pages* ]]
  needs mandoc mandoc
  for page in $("$TOPOMAP_SOURCE/auto/man3" --pages); do
    run mandoc -Tlint -Wwarning "$folder/$page.3"
    [ "$(grep -vc 'missing date, using ""' <<<"$output")" -eq 0 ] || { echo "$output"; false; }
  done
}
