#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap graph info|convert|generate|partition, formats: as a user types them.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_TEST_TMPDIR"
  printf '0,1,100,2\n1,0,50,1\n1,2,7,1\n' >small.csv
}

@test "graph info: text and JSON of a file with messages" {
  run -0 topomap graph info small.csv
  [[ $output == *"ranks     3"* ]]
  [[ $output == *"messages  4"* ]]
  topomap graph info small.csv --json >json
  jq -e '. == {"ranks":3,"edges":2,"bytes":157,"messages":4,"pattern":null}' json
}

@test "graph info: a pattern stands where a file does; a file of that name wins" {
  topomap graph info stencil2d:5:48x32 --json >json
  jq -e '.ranks == 1536 and .edges == 2992 and .messages == null and .pattern == "stencil2d:5:48x32"' json
  cp small.csv ring:9
  topomap graph info ring:9 --json | jq -e '.ranks == 3'
}

@test "graph generate: edges on standard output, other formats by name or --to" {
  run -0 --separate-stderr topomap graph generate ring:3,bytes=5
  [ "${lines[0]}" = "# ranks 3" ]
  [ "${lines[1]}" = "from,to,bytes" ]
  [ "${#lines[@]}" -eq 8 ]
  topomap graph generate ring:3,bytes=5 -o ring.graph
  printf '3 3 001\n2 10 3 10\n1 10 3 10\n1 10 2 10\n' | cmp - ring.graph
  topomap graph generate ring:3,bytes=5 --to json | jq -e '.ranks == 3 and (.arcs | length) == 6'
}

@test "graph convert: METIS through every format and back is byte for byte the same" {
  topomap graph generate stencil3d:27:4x5x6 -o first.graph
  for format in $(topomap formats --json | jq -r '.formats[] | select(.read and .write) | .name'); do
    topomap graph convert first.graph between --to "$format"
    topomap graph convert between last.graph --from "$format"
    cmp first.graph last.graph
    topomap graph convert between recognised.graph
    cmp first.graph recognised.graph
  done
}

@test "graph convert: packed input is read" {
  xz -k small.csv
  zstd -q small.csv
  topomap graph convert small.csv plain.json
  topomap graph convert small.csv.xz xz.json
  topomap graph convert small.csv.zst zstd.json
  cmp plain.json xz.json
  cmp plain.json zstd.json
}

@test "graph convert: over itself, and onto a full disk without a trace" {
  cp small.csv x.csv
  topomap graph convert x.csv x.csv
  topomap graph info x.csv --json | jq -e '.bytes == 157'
  run -4 topomap graph convert small.csv /dev/full --to json
  run -4 topomap graph convert small.csv nowhere/x.json
  [ "$(ls | sort | tr '\n' ' ')" = "small.csv x.csv " ]
}

@test "formats: both tables, and every pattern is named in its grammar" {
  run -0 topomap formats
  [[ $output == *metis* && $output == *stencil2d:5* ]]
  topomap formats --json >json
  jq -e '[.formats[].name] | contains(["metis", "edges", "matrix-market", "json"])' json
  jq -e '[.patterns[] | .name as $n | .grammar | startswith($n)] | all' json
}

@test "formats PATTERN, the manual and completion know every parameter" {
  run -0 topomap formats parallel
  has_tokens "$(grep 'tp=N' <<<"$output")" 1
  run -0 topomap formats ring
  has_tokens "$output" n=N
  run -2 topomap formats rang
  topomap formats --json >json
  jq -e '[.patterns[] | .parameters | length > 0] | all' json
  jq -e '.patterns[] | select(.name == "fem3d") | .parameters[] | select(.name == "solid") | .values == "box|ball|crank" and .default == "box"' json
  topomap help --man formats >page
  topomap help --words graph generate >words
  jq -r '.patterns[].name' json >names
  while read -r name; do
    grep -q "^.B ${name//-/\\\\-}" page
    grep -qx -- "$name" words
  done <names
  grep -q 'blocks(A,B,couple=N)' page
}

@test "patterns compose, with files too, wherever a graph is taken" {
  topomap graph generate 'blocks(ring:4,stencil2d:5:2x2,bytes=x:8,y:4,couple=1K)' -o both.csv
  topomap graph info both.csv --json | jq -e '.ranks == 8 and .edges == 4 + 4 + 4 and .bytes == 8 * 64 + 4 * 8 + 4 * 4 + 2048'
  topomap graph info 'sum(both.csv,0.5*alltoall:8)' --json | jq -e '.ranks == 8 and .edges == 28'
  topomap eval --graph 'phases(ring:16,alltoall:16)' --machine torus:4x4 --congestion exact --json >apart
  topomap eval --graph 'sum(ring:16,alltoall:16)' --machine torus:4x4 --congestion exact --json >at-once
  jq -es '.[0].J == .[1].J and .[0].congestion.max >= .[1].congestion.max' apart at-once
  run -0 topomap map --graph 'phases(fft:4x4,0.1*ring:16)' --machine tree:4:4@1:10 --effort fast
  topomap graph partition fem3d:8 --parts 16 --method rb -o parts.graph
  topomap graph info parts.graph --json | jq -e '.ranks == 16'
  for bad in 'sum(ring:4' 'sum()' 'blocks(ring:4,0)' 'sum(ring:4,rang:4)' ring:4,bites=3 stencil2d:6:3x3 nas-bt:8; do
    run -2 topomap eval --graph "$bad" --machine torus:4x4
    run -2 topomap graph generate "$bad"
  done
}

@test "bad input: exit 3, file and line, and no output" {
  printf '3 2 001\n2 5\n1 6 3 1\n2 1\n' >bad.graph
  run -3 --separate-stderr topomap graph convert bad.graph out.csv
  [ -z "$output" ]
  [[ $stderr == *"bad.graph:3: "* ]]
  [ ! -e out.csv ]
  : >empty.graph
  run -3 topomap graph info empty.graph
  fails_with 3 empty.graph
  head -c 3000 "$(command -v topomap)" >binary
  run -3 topomap graph info binary
  run -3 topomap graph info absent.graph
  fails_with 3 absent.graph: 'No such file or directory'
  run -3 topomap graph info absent
  fails_with 3 absent
  run -3 topomap graph info stencl2d:5:3x3
  fails_with 3 stencl2d stencil2d
  mkfifo fifo
  run -3 timeout 10 topomap graph info fifo
  [[ $output == *FIFO* ]]
  run -3 topomap graph info .
}

@test "bad usage: exit 2" {
  run -2 topomap graph generate stencil2d:5:3
  run -2 topomap graph generate small.csv
  run -2 topomap graph convert small.csv out.xyz
  run -2 topomap graph convert small.csv out.csv --from word
  run -2 topomap graph convert small.csv
  run -2 topomap graph info
  run -2 topomap graph
  [ ! -e out.csv ]
}

@test "graph partition: the graph of a mesh's blocks, and what is refused" {
  topomap graph generate stencil2d:5:40x30 -o mesh.csv
  run -0 topomap graph partition mesh.csv --parts 12 --method rb -o rb.graph
  topomap graph info rb.graph --json | jq -e '.ranks == 12 and .bytes > 0'
  run -0 topomap graph partition mesh.csv --parts 12 --method rms --machine tree:3:4@1:10 -o rms.csv
  topomap graph info rms.csv --json | jq -e '.ranks == 12'
  topomap graph partition mesh.csv --parts 12 --method rms --machine tree:3:4@1:10 -o again.csv
  cmp rms.csv again.csv
  run -2 topomap graph partition mesh.csv --parts 12 --method rms
  [[ $output == *"--machine SPEC"* ]]
  run -2 topomap graph partition mesh.csv --parts 13 --method rms --machine tree:3:4@1:10
  [[ $output == *"12 slots"* ]]
  run -2 topomap graph partition mesh.csv --parts 1201 --method rb
  fails_with 2 1 1200
  run -2 topomap graph partition mesh.csv --method rb
  run -2 topomap graph partition mesh.csv --parts 4 --method kway
}

# Renames ranks of a METIS file by a fixed multiplication.
shuffled() { # PATTERN -> file `shuffled`
  topomap graph generate "$1" -o natural --to edges
  local n; n=$(topomap graph info natural --json | jq .ranks)
  awk -F, -v n="$n" '$1 ~ /^[0-9]/ { print ($1 * 7919 + 13) % n, ($2 * 7919 + 13) % n, $3 }' natural > shuffled
}

@test "graph info and recognise: the pattern of a shuffled file, and the same for more ranks" {
  shuffled stencil2d:5:48x32
  topomap graph info shuffled --json > json
  jq -e '.pattern == "stencil2d:5:48x32" and .pattern_fit == {"dims":[48,32],"explained":1.0,"present":1.0,"bytes":1.0,"exact":true}' json
  topomap graph info shuffled | grep 'fit  *48x32, exact'
  [ "$(topomap graph recognise shuffled)" = stencil2d:5:48x32 ]
  [ "$(topomap graph recognise shuffled --scale 6144)" = stencil2d:5:96x64 ]
  [ "$(topomap graph recognise shuffled --scale 1531)" = stencil2d:5:1531x1 ]
  shuffled torus3d:9x8x7
  [ "$(topomap graph recognise shuffled --json | jq -r .pattern)" = torus3d:9x8x7 ]
  topomap graph generate "$(topomap graph recognise shuffled --scale 4032)" -o bigger --to metis
  topomap graph info bigger --json | jq -e '.ranks == 4032'
  shuffled alltoall:n=512,group=16
  [ "$(topomap graph recognise shuffled --scale 1024)" = alltoall:n=1024,group=16 ]
  run topomap graph recognise shuffled --scale 1000
  [ "$status" -eq 2 ]
}

# unweighted GRAPH: as METIS has it without weights
unweighted() {
  topomap graph generate "$1" | awk -F, '/^[0-9]/ { row[$1] = row[$1] " " $2 + 1; arcs++; if ($1 > last) last = $1 }
    END { print last + 1, arcs / 2; for (i = 0; i <= last; i++) print row[i] }'
}

@test "an edge of weight 1 in an undirected file goes both ways: no wavefront, no ring of a collective" {
  local spec
  for spec in torus2d:8x8 torus2d:16x8 stencil2d:5:4x4 ring:16 stencil3d:7:4x4x4 nas-cg:32 nas-mg:32; do
    unweighted "$spec" >plain.graph
    [ "$(topomap graph recognise plain.graph)" = "$spec" ]
    topomap graph convert plain.graph plain.grf --to scotch
    [ "$(topomap graph recognise plain.grf)" = "$spec" ]
  done
  unweighted torus2d:8x8 >plain.graph
  [ "$(topomap graph recognise plain.graph --scale 256)" = torus2d:16x16 ]
  topomap graph generate sweep:4x4,sweeps=1 | sed -E 's/^([0-9]+,[0-9]+),.*/\1,1/' >once.csv
  [ "$(topomap graph recognise once.csv)" = sweep:4x4,sweeps=1 ]
}

@test "graph recognise: training jobs by what goes which way, --scale by replicas; benchmarks and trees" {
  shuffled parallel:tp=8,pp=4,dp=8
  [ "$(topomap graph recognise shuffled)" = parallel:tp=8,pp=4,dp=8 ]
  [ "$(topomap graph recognise shuffled --scale 512)" = parallel:tp=8,pp=4,dp=16 ]
  run -2 topomap graph recognise shuffled --scale 100
  topomap graph info shuffled --json | jq -e '.pattern_fit.exact and .pattern_fit.bytes > 0.99'
  shuffled nas-bt:64
  [ "$(topomap graph recognise shuffled --scale 100)" = nas-bt:100 ]
  run -2 topomap graph recognise shuffled --scale 128
  shuffled tree:100,k=3
  [ "$(topomap graph recognise shuffled)" = tree:100,k=3 ]
  # all talk to all, but few of them matter: no all-to-all
  awk 'BEGIN { for (u = 0; u < 64; u++) for (v = 0; v < u; v++) print u, v, 2 ^ ((u * 7 + v * 13) % 20) }' >uneven
  run -1 topomap graph recognise uneven
}

# Molecular dynamics on 16 ranks, 4x2x2, as its profile has it: each face both ways (along a dimension of two it
# is the same neighbour twice), what crosses faces at the corners, barriers and reductions.
@test "graph recognise: a halo exchange under a program's reductions is no benchmark, nor a butterfly" {
  awk 'function to(u, v, b) { if (u != v) bytes[u "," v] += b }
    BEGIN {
      for (u = 0; u < 16; u++) {
        z = u % 2; y = int(u / 2) % 2; x = int(u / 4)
        to(u, x * 4 + y * 2 + 1 - z, 4910000 + 517 * u)
        to(u, x * 4 + (1 - y) * 2 + z, 2900000 + 911 * u)
        to(u, (x + 1) % 4 * 4 + y * 2 + z, 860000 + 407 * u)
        to(u, (x + 3) % 4 * 4 + y * 2 + z, 870000 - 313 * u)
        for (k = 1; k < 16; k *= 2) { to(u, (u + k) % 16, 8); v = int(u / k) % 2 ? u - k : u + k; to(u, v, 756) }
      }
      for (p in bytes) print p "," bytes[p]
    }' | sort -t, -n >md
  [ "$(topomap graph recognise md)" = stencil3d:7:2x2x4,wrap=z ]
  [ "$(topomap graph info md --json | jq -r '.pattern, .pattern_fit.exact, (.pattern_fit.bytes > 0.99)' | tr '\n' ' ')" = \
    "stencil3d:7:2x2x4,wrap=z false true " ]
  [ "$(topomap graph recognise md --scale 128)" = stencil3d:7:4x4x8,wrap=z ]
}

# Ranks that send round a ring, and put into a window that one rank shows, or that of the rank a quarter on.
@test "graph recognise: a ring and a window are no training job" {
  local n
  for n in 12 16 32; do
    awk -v n=$n 'BEGIN { for (u = 0; u < n; u++) { print u, (u + 1) % n, 1000; if (u) print u, 0, 8 } }' >window
    [ "$(topomap graph recognise window)" = ring:$n ]
    awk -v n=$n 'BEGIN { for (u = 0; u < n; u++) { print u, (u + 1) % n, 1000; print u, (u + n / 4) % n, 1500 } }' >window
    run -1 topomap graph recognise window
  done
}

@test "graph recognise: a graph without a pattern is answered with no" {
  awk 'BEGIN { for (i = 1; i < 200; i++) print i, int(i * 0.618) % i, 1 }' > irregular
  run topomap graph recognise irregular
  [ "$status" -eq 1 ]
  [[ $output == *"no pattern"* ]]
}
