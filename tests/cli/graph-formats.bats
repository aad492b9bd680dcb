#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Graph files of other programs: real ones against counts by awk, options, and what is refused.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  comm="$TOPOMAP_SOURCE/../shared/data/comm"
  cd "$BATS_TEST_TMPDIR"
  printf '0,1,100,2\n1,0,50,1\n1,2,7,1\n' >small.csv
}

# "ranks edges bytes messages" of a file by topomap, for the awk programs to be compared with.
counts() {
  topomap graph info "$1" --json 2>/dev/null | jq -r '"\(.ranks) \(.edges) \(.bytes) \(.messages)"'
}

# The same from lines `from to bytes messages` on standard input.
sum_up='$1 != $2 { pair = $1 < $2 ? $1 " " $2 : $2 " " $1
                   if (!(pair in seen)) { seen[pair] = 1; edges++ }
                   bytes += $3; messages += $4 }
        { n = $1 >= n ? $1 + 1 : n; n = $2 >= n ? $2 + 1 : n }
        END { printf "%d %d %.0f %.0f\n", n, edges, bytes, messages }'

@test "every mpiP report: as many ranks, pairs, bytes and messages as awk finds" {
  [ -d "$comm" ] || skip "no data"
  for file in "$comm"/*.mpiP.xz; do
    expected=$(xzcat "$file" | awk -F'\t' '
      /Start Communication Matrix/ { inside = 1 }
      /End Communication Matrix/ { inside = 0 }
      inside && $1 ~ /^[0-9]+$/ && ($3 > 0 || $4 > 0 || $1 == $2) { print $1, $2, $3, $4 }' |
      awk "$sum_up")
    [ "$(counts "$file")" = "$expected" ]
    topomap graph convert "$file" x.tmg
    [ "$(counts x.tmg)" = "$expected" ]
  done
}

@test "the TreeMatch matrix and the Open MPI profile: counts as awk's" {
  [ -d "$comm" ] || skip "no data"
  expected=$(awk '{ for (i = 1; i <= NF; i++) if ($i > 0) print NR - 1, i - 1, $i, 0 }' \
    "$comm/netloc-app64.mat" | awk "$sum_up")
  [ "$(counts "$comm/netloc-app64.mat")" = "${expected% *} null" ]
  expected=$(awk -F'[\t ]' '{ print $2, $3, $4, $6 }' "$comm/openmpi-monitoring-4ranks.prof" |
    awk "$sum_up")
  [ "$(counts "$comm/openmpi-monitoring-4ranks.prof")" = "$expected" ]
}

@test "every real file through every format that is written, and back" {
  [ -d "$comm" ] || skip "no data"
  for file in "$comm"/*; do
    topomap graph convert "$file" first.csv 2>err
    topomap graph info first.csv --json | jq 'del(.messages)' >first
    for format in tmg edges matrix-market json treematch ompi-monitoring; do
      topomap graph convert first.csv between --to "$format"
      topomap graph convert between last.csv
      case $format in
        # neither has messages; a dense matrix has no arcs of 0 bytes
        matrix-market) awk -F, -v OFS=, '!/^#/ { NF = 3 } 1' first.csv | cmp - last.csv ;;
        treematch) awk -F, -v OFS=, '!/^#/ { NF = 3 } $3 != 0' first.csv | cmp - last.csv ;;
        *) cmp first.csv last.csv ;;
      esac
    done
    jq 'del(.pattern, .pattern_fit)' first >counts # these formats do not tell which way bytes go
    for format in metis scotch; do
      topomap graph convert first.csv between --to "$format"
      topomap graph info between --json | jq 'del(.messages, .pattern, .pattern_fit)' | cmp counts -
    done
  done
}

@test "a profile of nothing but background converts, with a warning that says so" {
  printf '@ mpiP\n------- Start Communication Matrix ---\n0\t0\t28\t7\n0\t1\t20\t5\n0\t2\t8\t2\n1\t0\t84\t9\n------- End Communication Matrix ---\n' >ft.mpiP
  run -0 --separate-stderr topomap graph convert ft.mpiP out.tmg
  warns_with 84
  run -0 --separate-stderr topomap graph info out.tmg --json
  warns_with 84
  jq -e '.edges == 2 and (.note | contains("84 bytes"))' <<<"$output"
  [ -d "$comm" ] || skip "no data"
  run -0 --separate-stderr topomap graph info "$comm"/ft.*.xz
  [[ -n $stderr ]]
  for file in "$comm"/{amg,bt,cg,lulesh,mini,netloc,openmpi}*; do
    run -0 --separate-stderr topomap graph info "$file"
    [ -z "$stderr" ]
  done
}

@test "min-bytes leaves out the background: the pairs that carry traffic" {
  [ -d "$comm" ] || skip "no data"
  while read -r name pairs; do
    topomap graph convert "$comm"/$name.* x.csv --option min-bytes=100
    [ "$(grep -c '^[0-9]' x.csv)" -eq "$pairs" ]
  done <<<$'bt 384\ncg 248\nlulesh2 936\namg2013 3128'
}

@test "not a usable graph: refused with the reason" {
  printf '@ mpiP\n@ MPI Task Assignment      : 0 n\n@--- Callsites: 1 ---\n' >plain.mpiP
  run -3 topomap graph info plain.mpiP
  fails_with 3 plain.mpiP
  printf '@ mpiP\n------- Start Communication Matrix ---\n0\t1\t5000\t5\n' >cut.mpiP
  run -3 topomap graph info cut.mpiP
  [[ $output == *truncated* ]]
  printf '@ mpiP\n------- Start Communication Matrix ---\n0\t0\t28\t7\n0\t1\t0\t0\n------- End Communication Matrix ---\n' >none.mpiP
  run -3 topomap graph info none.mpiP
  fails_with 3 none.mpiP: 2
  run -3 topomap graph convert none.mpiP x.csv --option min-bytes=1000
  printf '# POINT TO POINT\n# COLLECTIVES\nC\t0\t1\t5 bytes\t1 msgs sent\n' >c.prof
  run -3 topomap graph info c.prof
  [[ $output == *"tags=EISRC"* ]]
  run -0 topomap graph info c.prof --option tags=C
  printf 'O2A\t0\t5 bytes\t1 msgs sent\n' >o.prof
  run -3 topomap graph info o.prof --from ompi-monitoring
  fails_with 3 o.prof
  printf '0 1 2 \n1 0 3 \n' >wide.mat
  run -3 topomap graph info wide.mat
  fails_with 3 wide.mat:2: 3
}

@test "a text of two words a line is no graph; names with a header or bytes are one" {
  printf 'hello world\ngood morning\n' >letter.txt
  cp letter.txt letter.csv
  cp letter.txt letter
  for file in letter.txt letter.csv "letter --from edges"; do
    # shellcheck disable=SC2086
    run --separate-stderr -3 topomap graph info $file
    [ -z "$output" ] && fails_with 3 "${file% --from*}:1:" '`hello`'
  done
  run -3 topomap graph info letter
  fails_with 3 letter:
  run -3 topomap map --graph letter.txt --machine mesh:4
  { echo from to; cat letter; } >named.txt
  [ "$(counts named.txt)" = "4 2 2 null" ]
  sed 's/$/ 5/' letter >bytes.txt
  [ "$(counts bytes.txt)" = "4 2 10 null" ]
}

@test "where a file's name says no format, those are named that are written" {
  topomap graph generate ring:4 -o ring.csv
  local formats; formats=$(topomap formats --json)
  for to in x.zzz "x.csv --to zzz"; do
    run -2 topomap graph convert ring.csv $to
    for format in $(jq -r ".formats[] | select(.write) | .name" <<<"$formats"); do [[ "$output," == *" $format,"* ]]; done
    for format in $(jq -r ".formats[] | select(.write | not) | .name" <<<"$formats"); do [[ "$output," != *" $format,"* ]]; done
  done
}

@test "options: those of the format, with values that it takes" {
  run -2 topomap graph convert small.csv x.tmg --option min-bytes=5
  fails_with 2 min-bytes
  printf '0 9 \n9 0 \n' >m.mat
  run -2 topomap graph info m.mat --option min-bytes
  run -2 topomap graph info m.mat --option min-bytes=x
  run -2 topomap graph info ring:4 --option min-bytes=1
  run -0 topomap formats
  [[ $output == *"min-bytes=N"* ]]
  topomap formats --json | jq -e '.formats[] | select(.name == "mpip") | .options[0].name == "min-bytes"'
}

@test "merge adds up, scale multiplies, permute renumbers" {
  topomap graph merge small.csv small.csv -o twice.csv
  printf '# ranks 3\nfrom,to,bytes,messages\n0,1,200,4\n1,0,100,2\n1,2,14,2\n' | cmp - twice.csv
  topomap graph scale small.csv --factor 2 --to edges >scaled.csv
  printf '# ranks 3\nfrom,to,bytes,messages\n0,1,200,2\n1,0,100,1\n1,2,14,1\n' | cmp - scaled.csv
  printf '2\n0\n1\n' >order
  topomap graph permute small.csv --mapping order -o permuted.csv
  printf '# ranks 3\nfrom,to,bytes,messages\n0,1,7,1\n0,2,50,1\n2,0,100,2\n' | cmp - permuted.csv
  topomap graph permute stencil2d:5:8x8 --seed 3 -o a.tmg
  topomap graph permute stencil2d:5:8x8 --seed 3 -o b.tmg
  cmp a.tmg b.tmg
  topomap graph info a.tmg --json | jq -e '.ranks == 64 and .edges == 112 and .pattern == "stencil2d:5:8x8"'
  printf '2\n2\n1\n' >bad
  run -2 topomap graph permute small.csv --mapping bad -o x.csv
  fails_with 2 2
  run -2 topomap graph permute small.csv
  run -2 topomap graph scale small.csv
  run -3 topomap graph scale small.csv --factor 1e17
  [[ $output == *"2^63"* ]]
}

@test "merge: the files of single ranks, one of which sent nothing" {
  printf '# POINT TO POINT\nE\t0\t1\t5000 bytes\t1 msgs sent\n' >p.0.prof
  printf '# POINT TO POINT\n# OSC\n' >p.1.prof
  printf '# POINT TO POINT\nE\t2\t1\t6000 bytes\t2 msgs sent\n' >p.2.prof
  run -3 topomap graph merge p.0.prof p.1.prof p.2.prof -o x.csv
  topomap graph merge p.?.prof --option empty=yes -o x.csv
  [ "$(counts x.csv)" = "3 2 11000 3" ]
  run -0 --separate-stderr topomap graph info p.0.prof
  warns_with 1 2
  topomap graph convert x.csv x.prof
  run -0 --separate-stderr topomap graph info x.prof
  [ -z "$stderr" ]
}

@test "tmg: a changed byte in header, table or sections is noticed" {
  topomap graph generate stencil3d:7:4x4x4 -o whole.tmg
  size=$(stat -c %s whole.tmg)
  for at in 0 9 20 50 90 100 130 500 1000 $((size - 1)); do
    cp whole.tmg x.tmg
    old=$(od -An -tu1 -j "$at" -N 1 x.tmg)
    printf "\\x$(printf %x $(((old + 1) % 256)))" | dd of=x.tmg bs=1 seek="$at" conv=notrunc status=none
    if cmp -s whole.tmg x.tmg; then false; fi
    run -3 topomap graph info x.tmg --from tmg
  done
  head -c $((size - 1)) whole.tmg >x.tmg
  run -3 topomap graph info x.tmg
  [[ $output == *truncated* ]]
  xz -k whole.tmg
  [ "$(counts whole.tmg.xz)" = "$(counts whole.tmg)" ]
}

@test "halo exchange of a sparse matrix: options, and what they are refused for" {
  topomap graph generate stencil2d:5:10x8 -o grid.mtx
  topomap graph convert grid.mtx halo.csv --option rows-per-rank=10
  [ "$(grep -c ',80,1$' halo.csv)" -eq 14 ]
  seq 0 79 | awk '{ print int($1 / 10) }' >part
  topomap graph convert grid.mtx same.csv --option partition=part
  cmp halo.csv same.csv
  topomap graph info grid.mtx --option parts=8 --json | jq -e '.ranks == 8 and .bytes <= 1600'
  run -2 topomap graph info grid.mtx --option parts=81
  run -3 topomap graph info grid.mtx --option partition=absent
  run -2 topomap graph info grid.mtx --option parts=8 --option rows-per-rank=10
}

@test "edge lists between names" {
  printf 'alice,bob,10\nbob,"carol d",20\n' >names.csv
  topomap graph convert names.csv numbers.csv
  printf '# ranks 3\n# name 0 alice\n# name 1 bob\n# name 2 carol d\nfrom,to,bytes\n0,1,10\n1,2,20\n' |
    cmp - numbers.csv
  topomap graph convert numbers.csv names.json
  jq -e '.names == ["alice", "bob", "carol d"]' names.json
}

@test "planner: what a graph's user should know is in the line and the explanation of a launch" {
  printf '@ mpiP\n------- Start Communication Matrix ---\n0\t0\t28\t7\n0\t1\t20\t5\n0\t2\t8\t2\n1\t0\t84\t9\n2\t3\t8\t1\n3\t0\t8\t1\n------- End Communication Matrix ---\n' >ft.mpiP
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | head -2 | paste -sd,)
  printf '%s\n' 'topomap-request 1' 'job 1' 'step 0' "db $PWD/t.db" "graph $PWD/ft.mpiP" "nodes $nodes" 'tasks 2(x2)' \
    'layout 0,2;1,3' 'objective J' 'seed 1' 'time 60' 'explain 1' end | "$TOPOMAP_BUILD/plugin/topomap-planner" 3>reply
  grep -q '^line .*\<84 bytes' reply
  grep -q '^topomap: .*\<84 bytes' reply
  grep -qx 'quiet 0' reply
}

@test "planner: database and graph are opened by a process that may open nothing for writing" {
  command -v strace >/dev/null || skip "no strace"
  ! grep -q __asan_init "$TOPOMAP_BUILD/plugin/topomap-planner" || skip "a sanitizer needs more of the kernel"
  printf '0 1 5\n1 2 5\n2 3 5\n' >g.edges
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | head -2 | paste -sd,)
  printf '%s\n' 'topomap-request 1' 'job 1' 'step 0' "db $PWD/t.db" "graph $PWD/g.edges" "nodes $nodes" 'tasks 2(x2)' \
    'layout 0,2;1,3' 'objective J' 'seed 1' 'time 60' 'explain 1' end |
    strace -f -o trace -e trace=openat,prctl,execve,seccomp "$TOPOMAP_BUILD/plugin/topomap-planner" 3>reply
  grep -q '^status applied' reply
  grep -q 'PR_SET_SECCOMP.* = 0' trace || skip "no filters in this kernel"
  caged=$(awk '/PR_SET_SECCOMP.* = 0/ { print $1; exit }' trace)
  # By that process, after it was caged; by no other.
  awk -v caged="$caged" '
    /PR_SET_SECCOMP.* = 0/ { closed = 1 }
    /t\.db"|g\.edges"/ { seen++; if (!closed || $1 != caged) bad = 1 }
    END { exit bad || seen < 2 }' trace
}

@test "a small file that unpacks to a lot is refused, and taken where that is asked for" {
  # 300 MB from 20 KB; a line that adds nothing to the graph.
  yes '# 1234567890123456789012345678901234567890' | head -c 300000000 | cat <(echo 0 1 5) - | zstd -q -19 -o bomb.edges.zst
  [ "$(stat -c %s bomb.edges.zst)" -lt 100000 ]
  run --separate-stderr -3 topomap graph info bomb.edges.zst
  fails_with 3 bomb.edges.zst: 256 unpacked=SIZE
  run -0 topomap graph info bomb.edges.zst --option unpacked=1G
  run --separate-stderr -2 topomap graph info bomb.edges.zst --option unpacked=much
  fails_with 2 512M 20G
  run --separate-stderr -3 topomap map --graph bomb.edges.zst --machine mesh:2
  fails_with 3 bomb.edges.zst: 256
  yes '# 1234567890123456789012345678901234567890' | head -c 300000000 | zstd -q -19 -o bomb.dump.zst
  run --separate-stderr -3 topomap db import --db t.db ibnetdiscover bomb.dump.zst
  fails_with 3 bomb.dump.zst: 256
  [ ! -e t.db ]
  { head -c 200000 /dev/zero | tr '\0' '['; } >deep.json
  run --separate-stderr -3 topomap graph info deep.json --from json
}
