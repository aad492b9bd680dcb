#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What an installed file has against errors in C, read from the file: what the compiler or linker here can do must
# be in it.
bats_require_minimum_version 1.5.0

setup_file() {
  export root=$BATS_FILE_TMPDIR/root
  env -u MAKEFLAGS -u MFLAGS make -s -C "$TOPOMAP_BUILD" install DESTDIR="$root" >"$BATS_FILE_TMPDIR/install.log" 2>&1 ||
    { cat "$BATS_FILE_TMPDIR/install.log" >&2; return 1; }
}

# installed: every ELF file below $root.
installed() {
  local file
  find "$root" -type f ! -name '*.a' | while read -r file; do
    [[ $(head -c 4 "$file" | tr -d '\0') != $'\x7fELF' ]] || printf '%s\n' "$file"
  done
}

# The profilers bind MPI's names lazily (contrib/profile/local.mk).
is_lazy() { [[ ${1##*/} == libtopomap-profile-* ]]; }

# flag NAME: whether configure found that the compiler takes it.
flag() { grep -E '^(HARDEN_[A-Z]*|PIE_LDFLAGS) =' "$TOPOMAP_BUILD/Makefile" | grep -qE -e " $1( |\$)"; }

relro() { readelf -lW "$1" | grep -q GNU_RELRO; }
now() { is_lazy "$1" || readelf -dW "$1" | grep -qE 'BIND_NOW|FLAGS_1.*NOW'; }
pie() { readelf -hW "$1" | grep -qE 'Type: *DYN'; }
# Neither a stack that may be executed nor any other part that may be written and executed.
nx() { readelf -lW "$1" | grep -qE 'GNU_STACK .* RW +0x' && ! readelf -lW "$1" | grep -qE ' RWE '; }
nothing_to_relocate() { ! readelf -dW "$1" | grep -q TEXTREL; }
guarded() { readelf --dyn-syms -W "$1" | grep -q '__stack_chk_fail'; }
fortified() { readelf --dyn-syms -W "$1" | grep -qE ' __[a-z]+_chk'; }
branches() { readelf -nW "$1" | grep -qE 'IBT|BTI'; }

# each CHECK [FILE...]: fails with the names of the files that CHECK refuses, by default of all.
each() {
  local check=$1 file status=0 count=0
  shift
  while read -r file; do
    count=$((count + 1))
    "$check" "$file" || { echo "$file: not $check"; status=1; }
  done < <(if (($#)); then printf '%s\n' "$@"; else installed; fi)
  ((count > 0)) || { echo "no file"; return 1; }
  return "$status"
}

@test "the planner, the node's helper, the command and the plugin are installed" {
  for name in topomap topomap-planner topomap-node spank_topomap.so; do
    installed | grep -q "/$name\$"
  done
}

@test "what is read at a call is read-only by then: RELRO, and all bound at the start" {
  ! flag -Wl,-z,relro || each relro
  ! flag -Wl,-z,now || each now
}

@test "programs lie anywhere in memory" {
  ! flag -pie || each pie
  each nothing_to_relocate
}

@test "nothing that can be written can be executed" {
  each nx
}

@test "arrays on the stack are guarded, and libc's functions know their sizes" {
  local file big=()
  # Of the programs each has such arrays; a small library may have none.
  while read -r file; do
    case ${file##*/} in topomap | topomap-planner | topomap-node | spank_topomap.so) big+=("$file") ;; esac
  done < <(installed)
  ((${#big[@]} == 4))
  ! flag -fstack-protector-strong || each guarded "${big[@]}"
  ! flag -D_FORTIFY_SOURCE=[23] || each fortified "${big[@]}"
}

# The linker keeps the mark only where the C library's own start files have it, too.
@test "branch targets are marked where compiler and C library can" {
  local flag=-fcf-protection
  flag "$flag" || flag=-mbranch-protection=standard
  flag "$flag" || skip "the compiler has neither"
  echo 'int main(void) { return 0; }' >"$BATS_TEST_TMPDIR/plain.c"
  cc "$flag" -o "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/plain.c"
  # Where the start files are without it, our own object files must have it.
  if branches "$BATS_TEST_TMPDIR/plain"; then
    each branches
  else
    find "$TOPOMAP_BUILD"/{lib,topology-db,plugin,cli} -name '*.o' >"$BATS_TEST_TMPDIR/objects"
    (($(wc -l <"$BATS_TEST_TMPDIR/objects") > 100))
    mapfile -t objects <"$BATS_TEST_TMPDIR/objects"
    each branches "${objects[@]}"
  fi
}

@test "a file without any of it is found" {
  cd "$BATS_TEST_TMPDIR"
  echo 'int main(void) { return 0; }' >plain.c
  cc -fno-pie -no-pie -fno-stack-protector -Wl,-z,norelro -Wl,-z,lazy -Wl,-z,execstack -o plain plain.c
  for check in relro now pie nx guarded fortified; do run ! "$check" "$PWD/plain"; done
  printf '%s\n' "$PWD/plain" >found
  run -1 each relro "$PWD/plain"
  [[ $output == *"plain: not relro"* ]]
}
