#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap profile: the store that --topomap=auto keeps, made here by hand.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH=$TOPOMAP_BUILD/cli:$PATH
  cd "$BATS_TEST_TMPDIR"
  export XDG_CACHE_HOME=$PWD/cache HOME=$PWD
  store=cache/topomap/profiles
}

# entry KEY PROGRAM RANKS PATTERN DAYS-AGO
entry() {
  mkdir -p "$store"
  topomap graph generate "$4" -o "$store/$1.tmg"
  printf 'program %s\nwords in.dat\nid 00000000000000aa\nfamily 00000000000000bb\nranks %s\nmade 1700000000\nlaunches 7\nprofiles 2\ntries 0\n' \
    "$2" "$3" >"$store/$1.meta"
  touch -d "$5 days ago" "$store/$1.meta"
}

@test "nothing is stored, nothing is there: an empty list" {
  run -0 topomap profile list
  [ "${#lines[@]}" -eq 1 ]
  [ "$(topomap profile list --json)" = "[]" ]
  run -1 topomap profile show abcdef
  run -0 topomap profile rm --all
  [ ! -e cache ]
}

@test "list: used last first; for programs too" {
  entry 00000000000000a1 solver 64 stencil2d:5:8x8 3
  entry 00000000000000a2 mesher 16 ring:16 1
  run -0 topomap profile list
  [[ ${lines[1]} == "00000000000000a2     16  2023-11-14 "*"         7         -  mesher in.dat" ]]
  [[ ${lines[2]} == "00000000000000a1     64  "* ]]
  [ "$(topomap profile list --json | jq -r '.[] | "\(.key) \(.ranks) \(.program) \(.launches) \(.graph)"' | head -1)" = \
    "00000000000000a2 16 mesher 7 $PWD/$store/00000000000000a2.tmg" ]
}

@test "show: by the key's beginning; its pattern" {
  entry 00000000000000a1 solver 64 'sum(stencil2d:5:8x8,bytes=100000,alltoall:n=64,group=64,bytes=4)' 3
  entry 0000ffff000000a2 mesher 16 random:n=16,deg=3 1
  run -0 topomap profile show 00000000
  [[ $output == *"program    solver in.dat"* ]]
  [[ $output == *"64 ranks, 2016 pairs, "* ]]
  [[ $output == *"pattern    stencil2d:5:8x8,"* ]]
  has_tokens "$(grep '^fit ' <<<"$output")" 8x8 '5.56 %' 99. '100.00 %'
  [ "$(topomap graph recognise "$store/00000000000000a1.tmg")" = stencil2d:5:8x8 ]
  topomap graph info "$store/00000000000000a1.tmg" | grep '^fit *8x8, explains 5.56 % '
  run -0 topomap profile show 0000f
  [[ $output != *pattern* ]]
  run -1 topomap profile show 0000
  fails_with 1 0000
  run -1 topomap profile show 0
  run -1 topomap profile show 00000000000000a1ff
  run -2 topomap profile show
}

# timed LAYOUT SECONDS [LAYOUT SECONDS...]: runs, p placed and s in Slurm's layout, of the entry.
timed() {
  entry 00000000000000a1 solver 64 ring:64 1
  echo 'refused 2' >>"$store/00000000000000a1.meta"
  printf 'time %s 8 900 %s 0.5 1700000000\n' "$@" >>"$store/00000000000000a1.meta"
}

@test "one verdict in show, list and JSON: enough runs on both sides, beyond the noise or within" {
  local says word missing tokens runs
  while IFS='|' read -r runs says word missing tokens; do
    echo "$runs"
    # shellcheck disable=SC2086 # words
    timed $runs
    run -0 topomap profile show 0000
    has_tokens "$(grep '^launches ' <<<"$output")" "5 placed" "2 refused"
    IFS=, read -ra tokens <<<"$tokens"
    has_tokens "$(grep '^verdict  ' <<<"$output")" "${tokens[@]}"
    [ "$(topomap profile show 0000 --json | jq -r '.measured | "\(.says) \(.slurm_runs_missing) \(.placed_runs_missing) \(.noise_seconds | type)"')" = "$says $missing" ]
    [ "$(topomap profile list --json | jq -r '.[0] | "\(.launches) \(.refused)"')" = "5 2" ]
    topomap profile list | grep -Eq "^0{14}a1     64  .*         5 +$word  solver in.dat$"
  done <<'END'
s 1.66 s 1.77 p 2.06|nothing|-|1 2 null|1 in,2 placed,refused: 2
s 1.66 s 1.77 p 2.06 p 2.07|nothing|-|1 1 number|1 in,1 placed,refused: 2
s 1.66 s 1.77 s 1.7 p 2.06 p 2.07 p 2.06|slower|-21.2 %|0 0 number|21.2 % slower,3.5 %
s 2.06 s 2.07 s 2.06 p 1.66 p 1.77 p 1.7|faster|17.5 %|0 0 number|17.5 % faster,2.9 %
s 1.66 s 1.77 s 1.7 p 1.69 p 1.7 p 1.72|noise|noise|0 0 number|(0.0 %,4.1 %
END
  # One side alone has no times to compare.
  timed s 1.66 s 1.77
  [ "$(topomap profile show 0000 --json | jq .measured)" = null ]
  topomap profile show 0000 | grep -q '^verdict .* 1 in .* 3 placed'
  # Nor have runs placed with a profile that is gone.
  timed s 1.66 s 1.77 s 1.7 p 2.06 p 2.07 p 2.06
  echo 'stopped 1' >>"$store/00000000000000a1.meta"
  topomap profile list | grep -q ' stopped  solver'
  rm "$store/00000000000000a1.tmg"
  run -0 topomap profile show 0000
  has_tokens "$(grep '^verdict  ' <<<"$output")" "0 in" "3 placed"
  run ! grep -E '^(stopped|           placed) ' <<<"$output"
}

@test "rm: one, several, all" {
  entry 00000000000000a1 solver 64 ring:64 3
  entry 1111ffff000000a2 mesher 16 ring:16 1
  entry 2222ffff000000a2 third 16 ring:16 1
  run -1 topomap profile rm 1111 9999
  [ "$(ls "$store")" = "$(printf '%s\n' 00000000000000a1.{meta,tmg} 2222ffff000000a2.{meta,tmg})" ]
  run -2 topomap profile rm
  run -2 topomap profile rm --all 0000
  topomap profile rm --all
  [ -z "$(ls "$store")" ]
}

@test "damaged: a graph that is none, a meta that is garbage, strangers in the folder" {
  entry 00000000000000a1 solver 64 ring:64 3
  echo garbage >"$store/00000000000000a1.tmg"
  head -c 3000 /dev/urandom >"$store/1111ffff000000a2.meta"
  echo hello >"$store/README"
  mkdir "$store/2222ffff000000a2.meta"
  entry 3333ffff000000a2 $'s\xc3' 8 ring:8 1
  run -0 topomap profile list
  [ "$(topomap profile list --json | jq 'map(.program) | index("s\\xc3")')" != null ]
  run -0 topomap profile show 00000000000000a1
  [[ $output == *"graph      damaged: "* ]]
  run -0 topomap profile show 1111
  [[ $output == *"graph      none yet"* ]]
  topomap profile rm --all
  [ -e "$store/README" ]
}

@test "a site's store has a folder for each user" {
  mkdir -p "site/$(id -u)/profiles"
  topomap graph generate ring:8 -o "site/$(id -u)/profiles/0123456789abcdef.tmg"
  [ "$(topomap profile list --store "$PWD/site" --json | jq -r '.[].key')" = 0123456789abcdef ]
  run -3 topomap profile list --store site
  # Beside it, what launches have put into the user's own place.
  entry 00000000000000a1 solver 64 ring:64 3
  [ "$(topomap profile list --store "$PWD/site" --json | jq -r '.[].key')" = "$(printf '%s\n' 0123456789abcdef 00000000000000a1)" ]
  run -0 topomap profile show 0000 --store "$PWD/site"
  [[ $output == *"$PWD/$store/00000000000000a1.tmg"* ]]
  # One that is not the user's alone is none of the user's.
  chmod 777 "site/$(id -u)"
  [ "$(topomap profile list --store "$PWD/site" --json | jq -r '.[].key')" = 00000000000000a1 ]
  [ "$(topomap profile list --store /nonexist --json | jq -r '.[].key')" = 00000000000000a1 ]
  chmod 755 "site/$(id -u)"
  topomap profile rm 0000 0123 --store "$PWD/site"
  [ "$(topomap profile list --store "$PWD/site" --json | jq length)" -eq 0 ]
}
