#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Who talks to whom, as a picture: in a pipe, on a terminal, as a file.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  cd "$BATS_TEST_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH LC_ALL=C.UTF-8
  unset NO_COLOR COLORTERM
}

# The cells by the edges of the graph: rows of EACH ranks, what is in a cell behind its row and column.
cells() { # FILE EACH
  awk -F, -v each="$2" '/^[0-9]/ { sum[int($1 / each) " " int($2 / each)] += $3 }
    END { for (at in sum) if (sum[at]) print at, sum[at] }' "$1" | sort
}

cells_of_json() { jq -r '.bytes | to_entries[] | .key as $r | .value | to_entries[] | select(.value > 0) | "\($r) \(.key) \(.value)"' "$1" | sort; }

@test "graph show --json: sums of bytes that round up to 2^63 stay positive" {
  printf '0,1,9223372036854775000\n' >huge.csv
  topomap graph show huge.csv --json >json
  jq -e '.bytes[0][1] > 9e18' json
}

@test "graph show --json: cells are the sums of their ranks' bytes" {
  topomap graph generate random:n=101,deg=5,seed=3 -o graph.csv
  local cells each
  for cells in 1 7 50 101 4000; do
    topomap graph show graph.csv --cells "$cells" --json >json
    each=$(((101 + cells - 1) / cells))
    [ "$(jq .cells json)" = $(((101 + each - 1) / each)) ]
    diff <(cells_of_json json) <(cells graph.csv "$each")
    [ "$(jq '.first[1] // '"$each" json)" = "$each" ]
  done
}

@test "graph show --mapping: ranks stand where the mapping puts them" {
  topomap graph generate ring:12 -o ring.csv
  topomap graph permute ring.csv --seed 5 -o mixed.csv
  topomap map --graph mixed.csv --machine mesh:12 -o perm
  topomap graph show mixed.csv --mapping perm --json >json
  diff <(cells_of_json json) <(awk -F, 'NR == FNR { at[NR - 1] = $1; next } /^[0-9]/ && $3 { print at[$1], at[$2], $3 }' perm mixed.csv | sort)
  run -3 topomap graph show ring.csv --mapping mixed.csv
}

@test "graph show in a pipe: characters, a row a line, within 80 columns" {
  printf '0,1,1\n1,2,1000\n2,3,1000000\n3,0,1000000\n' >four.csv
  run -0 topomap graph show four.csv
  [[ ${lines[0]} == "four.csv: 4 ranks, 2001001 bytes"* ]]
  [ "${lines[2]}" = "0   ..    " ]
  [ "${lines[3]}" = "      ++  " ]
  [ "${lines[4]}" = "        @@" ]
  [ "${lines[5]}" = "  @@      " ]
  [[ ${lines[6]} == "1 .."*"@@ 1000000 bytes "*1* ]]
  topomap graph show stencil3d:7:20x20x20 >out
  run ! grep -q $'\033' out
  [ "$(wc -L <out)" -le 80 ]
  [ "$(wc -l <out)" -ge 30 ]
  printf '0,1,0\n' >none.csv
  run -0 topomap graph show none.csv
  [[ -n $output && $output != *@* ]]
}

@test "graph show on a terminal: colours, two rows a line; NO_COLOR and --color decide otherwise" {
  terminal() { script -qec "$*" /dev/null </dev/null | tr -d '\r'; }
  export TERM=xterm-256color
  terminal topomap graph show ring:16 >out
  grep -q $'\033\\[38;5;' out
  [ "$(grep -c $'▀\|▄' out)" = 8 ]
  COLORTERM=truecolor terminal topomap graph show ring:16 | grep -q $'\033\\[38;2;'
  NO_COLOR=1 terminal topomap graph show ring:16 | run ! grep -q $'\033'
  terminal topomap graph show ring:16 --color never | run ! grep -q $'\033'
  TERM=dumb terminal topomap graph show ring:16 | run ! grep -q $'\033'
  topomap graph show ring:16 --color always | grep -q $'\033'
  # Where the locale has no such characters there is a line a row.
  LC_ALL=C topomap graph show ring:16 --color always >out
  grep -q $'\033\\[48;5;' out
  run ! grep -q $'▀\|▄' out
  [ "$(wc -l <out)" = 19 ]
}

@test "graph show -o: every cell that is not empty is drawn, and nothing from a name is markup" {
  command -v xmllint >/dev/null || skip "no xmllint"
  topomap graph generate random:n=60,deg=4 -o graph.csv
  cp graph.csv '<b onload="x">&amp;.csv'
  topomap graph show '<b onload="x">&amp;.csv' -o out.svg
  xmllint --noout out.svg
  # Lengths of the paths' runs add up to the cells.
  [ "$(grep -o 'h[0-9]*v1' out.svg | tr -dc '0-9\n' | sed 's/1$//' | awk '{ n += $1 } END { print n }')" = "$(cells graph.csv 1 | wc -l)" ]
  run ! grep -q '<b ' out.svg
  xmllint --xpath 'string(//*[local-name()="title"])' out.svg | grep -qF '<b onload="x">&amp;.csv: 60 ranks'
  [ "$(stat -c %s out.svg)" -lt 100000 ]
  topomap graph show graph.csv -o again.svg
  topomap graph show graph.csv -o once.svg
  cmp again.svg once.svg
}

# The size that a PNG says: IHDR's width and height.
png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4, $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'; }

@test "graph show -o: PNG and PDF, where it was built with cairo; else it says so" {
  if ! grep -q '^#define HAVE_CAIRO 1' "$TOPOMAP_BUILD/config.h"; then
    run -2 topomap graph show ring:8 -o out.png
    fails_with 2 cairo FILE.svg
    [ ! -e out.png ]
    return
  fi
  export ASAN_OPTIONS=detect_leaks=0 # fontconfig's own
  # Twice as many pixels as the SVG is wide and high.
  topomap graph show ring:8 -o out.svg
  topomap graph show ring:8 -o out.png
  [ "$(head -c 8 out.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
  [ "$(png_size out.png)" = "$(sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' out.svg | awk '{ print 2 * $1, 2 * $2 }')" ]
  topomap graph show ring:8 -o again.png
  cmp out.png again.png
  printf '0,1,5\n' >$'<b>\e[31m\xff.csv'
  topomap graph show $'<b>\e[31m\xff.csv' -o out.pdf
  [ "$(head -c 5 out.pdf)" = %PDF- ]
  [ "$(tail -c 6 out.pdf)" = %%EOF ]
  grep -aq '/Count 1$' out.pdf
  grep -aq '/MediaBox \[ 0 0 730 750 \]' out.pdf
  run ! grep -aq $'\e\\[31m' out.pdf
}

@test "graph show: usage" {
  run -2 topomap graph show ring:8 -o out.gif
  [[ $output == *"FILE.svg, FILE.png or FILE.pdf"* ]]
  run -2 topomap graph show ring:8 --color blue
  run -2 topomap graph show ring:8 --cells 0
  run -3 topomap graph show nothing.csv
}
