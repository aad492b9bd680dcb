#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Predicted communication time: eval --time, map --objective time, and what a simulator says to it.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_TEST_TMPDIR"
}

seconds() { jq .time.seconds; }

@test "eval --time: seconds, what bounds each phase and where, as text and as JSON" {
  topomap eval --graph 'phases(stencil2d:5:4x4,alltoall:16,bytes=1000000)' --machine fattree:k=4,levels=3 --time --json >json
  jq -e '.time | .rates_assumed and .model == "routes" and (.phases | length == 2)' json
  jq -e '.time.phases | all(.bound_by | IN("link", "node", "latency"))' json
  jq -e '.time | .seconds > (.phases | map(.seconds) | max) and .seconds < 1.001 * (.phases | map(.seconds) | add)' json
  # A barrier divides them: as a file of both formats, the whole is their sum.
  topomap graph generate 'phases(stencil2d:5:4x4,alltoall:16,bytes=1000000)' -o two.json
  jq -c '.phases[1].barrier = true' two.json >barrier.json
  topomap graph convert barrier.json barrier.tmg
  for file in barrier.json barrier.tmg; do
    topomap eval --graph $file --machine fattree:k=4,levels=3 --time --json |
      jq -e '.time | (.seconds - (.phases | map(.seconds) | add) | fabs) < 1e-12'
  done
  topomap graph convert barrier.tmg again.json
  jq -e '.phases | map(.barrier) == [null, true]' again.json
  jq -e '.time.phases[1] | .bound_by != "latency" and (.where | test("->"))' json
  run -0 topomap eval --graph alltoall:16,bytes=1000000 --machine fattree:k=4,levels=3 --time
  has_tokens "$(grep '^time ' <<<"$output")" routes 100
  [[ $output == *"phase 0 "*" bound by "* ]]
  run -0 topomap eval --graph alltoall:16 --machine fattree:k=4,levels=3
  [[ $output != *predicted* ]]
}

@test "eval --time: costs are those that are given, rates those of the links" {
  local at=(eval --graph alltoall:16,bytes=1000000 --machine torus:4x4 --time --json)
  one=$(topomap "${at[@]}" --time-costs latency=0,hop=0,overhead=0,rate=100 | seconds)
  half=$(topomap "${at[@]}" --time-costs latency=0,hop=0,overhead=0,rate=50 | seconds)
  jq -en "($half - 2 * $one | fabs) < 1e-9 * $one"
  printf 'n1,1,s,1,8\nn2,1,s,2,8\nn3,1,s,3,4\n' >links
  topomap eval --graph ring:3,bytes=1000000 --machine links:links --time --time-costs latency=5,hop=1,overhead=0 --json >json
  # 1 MB to each side at 4 Gb/s, over two hops.
  jq -e '.time.rates_assumed == false and (.time.seconds - 0.004007 | fabs) < 1e-9' json
  jq -e '.time.phases[0] | .bound_by == "node" and (.where | IN("n3 -> s", "s -> n3"))' json
  for words in nothing rate=0 rate= rate=x latency=-1 latency=1,,hop=1 hop=nan rate=1x; do
    run -2 topomap "${at[@]}" --time-costs "$words"
  done
  run -2 topomap eval --graph ring:4 --machine torus:4 --time-costs rate=1
  fails_with 2 --time-costs --time
  run -2 topomap eval --graph ring:4 --machine tree:2:2@1:10 --time
  fails_with 2 links
}

@test "eval --congestion routes: tori and meshes go dimension by dimension, dragonflies the shortest way of theirs" {
  topomap graph generate alltoall:27 -o all.tmg
  for machine in torus:3x3x3 mesh:3x3x3; do
    one=$(topomap eval --graph all.tmg --machine $machine --congestion routes --json)
    jq -e '.congestion | .model == "routes" and .used == .links' <<<"$one"
    two=$(topomap eval --graph all.tmg --machine $machine --congestion exact --json)
    # The same bytes and hops: the mean over links is the same.
    jq -en "($(jq .congestion.mean <<<"$one") - $(jq .congestion.mean <<<"$two") | fabs) < 1e-6"
  done
  topomap eval --graph alltoall:72 --machine dragonfly:p=2,a=4,h=2 --congestion routes --json |
    jq -e '.congestion | .used == .links'
}

@test "map: the time is the default where links are known, and --rate gives the rate of cables that have none" {
  for machine in torus:4x4x2 mesh:8x4 fattree:k=4,levels=3,taper=2*2 dragonfly:p=2,a=4,h=2,groups=4,valiant=25 gpus:nodes=4,gpus=8; do
    topomap map --graph random:32,deg=4,bytes=1000000 --machine "$machine" --objective time --json >time
    topomap map --graph random:32,deg=4,bytes=1000000 --machine "$machine" --json >json
    cmp <(jq .placement time) <(jq .placement json)
    topomap map --graph random:32,deg=4,bytes=1000000 --machine "$machine" --rate 200 --json >fast
    jq -en "($(jq .before.time.seconds json) / $(jq .before.time.seconds fast) - 2 | fabs) < 1e-9"
    run -0 topomap map --graph random:32,deg=4,bytes=1000000 --machine "$machine" --rate 200
    has_tokens "$output" 'predicted time' '200 Gb/s'
  done
  for machine in tree:4:8@1:10 torus:1*32; do
    topomap map --graph random:32,deg=4 --machine "$machine" --json | jq -e '.objective == "J"'
  done
}

@test "computation: a pattern, a file and a profile tell it; it is added to the predicted time" {
  local each=(--machine torus:4x4x4)
  for graph in 'phases(stencil2d:5:8x8,bytes=1M,compute=2ms,stencil2d:9:8x8)' 'phases(compute=2000us,stencil2d:5:8x8,bytes=1M,stencil2d:9:8x8)'; do
    topomap graph generate "$graph" -o graph.tmg
    topomap graph info graph.tmg --json | jq -e '.compute == 0.002'
    topomap eval --graph graph.tmg "${each[@]}" --time --json >json
    jq -e '.compute == 0.002 and .time.seconds < 0.002' json
    run -0 topomap eval --graph "$graph" "${each[@]}" --time
    has_tokens "$output" "$(jq '.time.seconds + 0.002 | . * 1e8 | round / 1e8' json)"
    topomap graph permute graph.tmg --seed 3 -o other.tmg
    topomap map --graph other.tmg "${each[@]}" --json >json
    jq -e '.compute == 0.002 and .time.seconds < .before.time.seconds' json
    run -0 topomap map --graph other.tmg "${each[@]}"
    has_tokens "$output" 0.002 "$(jq -r '(1 - (.time.seconds + 0.002) / (.before.time.seconds + 0.002)) * 1000 | round / 10' json) %"
  done
  topomap graph info 'sum(ring:4,0.5*phases(ring:4,compute=1s))' --json | jq -e '.compute == 0.5'
  topomap graph info 'blocks(phases(ring:4,compute=1s),phases(ring:4,compute=3s))' --json | jq -e '.compute == 3'
  topomap graph info ring:4 --json | jq -e 'has("compute") | not'
  for wrong in 'sum(ring:4,compute=3ms)' 'phases(ring:4,compute=3)' 'phases(ring:4,compute=0s)' 'phases(ring:4,compute=1s,compute=1s)' 'phases(ring:4,compute=1h)'; do
    run -2 topomap eval --graph "$wrong" --machine torus:4
    fails_with 2 compute=
  done
  run -2 topomap eval --graph 'phases(compute=1s)' --machine torus:4
}

@test "map --objective time: never above the baseline, as eval says, and the gain is that of the time" {
  for machine in torus:4x4x2 fattree:k=4,levels=3,taper=2*2 dragonfly:p=2,a=4,h=2,groups=4; do
    topomap map --graph random:32,deg=4,bytes=1000000 --machine "$machine" --objective time --json >json
    jq -e '.objective == "time" and .time.seconds <= .before.time.seconds' json
    jq -e '(.gain - 100 * (1 - .time.seconds / .before.time.seconds) | fabs) < 1e-9' json
    # A candidate's time is that of its most loaded links, or of all of them where that is quickly told.
    jq -e '(.candidates | map(.time) | min) <= .time.seconds * 1.000001' json
    topomap map --graph random:32,deg=4,bytes=1000000 --machine "$machine" --objective time --format perm -o map
    [ "$(topomap eval --graph random:32,deg=4,bytes=1000000 --machine "$machine" --mapping map --time --json | seconds)" = "$(jq .time.seconds json)" ]
    for other in J congestion; do
      topomap map --graph random:32,deg=4,bytes=1000000 --machine "$machine" --objective $other --format perm -o other
      jq -en "$(jq .time.seconds json) <= 1.02 * $(topomap eval --graph random:32,deg=4,bytes=1000000 --machine "$machine" --mapping other --time --json | seconds)"
    done
  done
  run -0 topomap map --graph random:32,deg=4,bytes=1000000 --machine torus:4x4x2 --objective time
  [[ $output == *", time "*" % lower"* ]]
  [[ $output == *"predicted time "*" s before, "*" s after"* ]]
  # Where a message's overhead is nearly all, no map is better; where links are slow, one is.
  jq -e '.gain < 1' <<<"$(topomap map --graph random:32,deg=4 --machine torus:4x4x2 --objective time --time-costs overhead=1000 --json)"
  jq -e '.gain > 10' <<<"$(topomap map --graph random:32,deg=4 --machine torus:4x4x2 --objective time --time-costs rate=0.001 --json)"
  run -2 topomap eval --graph ring:4 --machine torus:4 --rate 1
  fails_with 2 --rate --time
  for cost in rate=0 memory=0 latency=1,rate=0.0; do
    run -2 topomap map --graph ring:4 --machine torus:2x2 --objective time --time-costs "$cost"
    fails_with 2 "${cost##*,}"
    run -2 topomap eval --graph ring:4 --machine torus:2x2 --time --time-costs "$cost"
    fails_with 2 "${cost##*,}"
  done
  run -2 topomap map --graph ring:4 --machine tree:2:2@1:10 --objective time
  fails_with 2 time links gpus:
}

# bats test_tags=campaign
@test "map --objective time: many links just below the busiest one, and ranks whose numbers say nothing" {
  local at=(--objective time --time-costs latency=0,hop=0,overhead=0 --json)
  # 100 kB take 8 us. By powers of the loads alone, the busiest link keeps 20 of them.
  topomap map --graph random:128,deg=6,bytes=100000 --machine fattree:k=8,levels=3,taper=4 "${at[@]}" >json
  jq -e '.time.seconds < 153e-6' json
  # What is found is found again.
  for i in 1 2; do topomap map --graph random:32,deg=4,bytes=100000 --machine fattree:k=4,levels=3,taper=2*2 "${at[@]}" | jq -c .placement; done >twice
  [ "$(sort -u twice | wc -l)" -eq 1 ]
  # As fast as in natural order, where grids and partitions find more.
  topomap graph permute nas-cg:128 --seed 5 -o shuffled.tmg
  topomap map --graph shuffled.tmg --machine torus:8x4x4 "${at[@]}" | jq -e '.time.seconds < 469e-6'
}

@test "a launch with objective=time is planned by it, and says so" {
  topomap db synth fat-tree:leaves=4,hosts=4,spines=1,scatter=1 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db
  topomap db import lft made/fabric.lfts --db t.db
  nodes=$(topomap db show --db t.db | awk 'NR > 1 && $2 == "up" { print $1 }' | paste -sd,)
  topomap map --db t.db --nodes "$nodes" --tasks-per-node 2 --graph random:32,deg=4,bytes=1000000 --objective time --format plan >plan
  grep -qE 'placed by .*, time [0-9.]+ % lower|nothing better' plan
  topomap map --db t.db --nodes "$nodes" --tasks-per-node 2 --graph random:32,deg=4,bytes=1000000 --objective time --json |
    jq -e '.congestion.model == "routes" and .time.seconds > 0'
}

# request DB NODES GRAPH [LINE...]: the planner's reply for 16 tasks on 8 nodes.
request() {
  printf '%s\n' 'topomap-request 1' 'job 1' 'step 0' "db $PWD/$1" "nodes $2" "graph $3" 'tasks 2(x8)' \
    'layout 0,8;1,9;2,10;3,11;4,12;5,13;6,14;7,15' "${@:4}" 'seed 1' 'explain 1' end |
    "$TOPOMAP_BUILD/plugin/topomap-planner" 3>&1
}

@test "objective auto: time where links are known, by the routes that are known; of equal times J" {
  topomap db synth fat-tree:leaves=8,hosts=4,spines=2 -o made
  topomap db import --db ib.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db export --db ib.db --to links -o links.csv
  topomap db import --db t.db links links.csv
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | awk 'NR % 4 == 1' | paste -sd,)
  topomap graph generate stencil2d:9:4x4,bytes=1000000 -o natural.tmg
  topomap graph permute natural.tmg --seed 5 -o graph.tmg
  at=(map --graph graph.tmg --db t.db --nodes "$nodes" --tasks-per-node 2 --json)
  topomap "${at[@]}" | jq -e '.objective == "time" and .congestion.model == "exact" and .time.seconds < .before.time.seconds'
  request t.db "$nodes" stencil2d:9:4x4 'objective auto' >reply
  grep -q '^line 16 ranks .*, time [0-9.]* % lower' reply
  grep -q '^topomap: routes: not known' reply

  rm t.db
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  topomap "${at[@]}" | jq -e '.objective == "time" and .congestion.model == "routes"'
  topomap db import --db t.db lft made/fabric.lfts
  topomap "${at[@]}" >json
  jq -e '.objective == "time" and .time.seconds < .before.time.seconds and .congestion.model == "routes"' json
  topomap "${at[@]}" --objective J | jq -e '.objective == "J" and .time == null'
  request t.db "$nodes" stencil2d:9:4x4 'objective auto' >reply
  grep -q '^line 16 ranks .*, time [0-9.]* % lower' reply
  grep -q 'predicted time .* s before, .* s after' reply
  # As a request of an earlier topomap: one that says nothing is for J.
  request t.db "$nodes" stencil2d:9:4x4 >reply
  grep -q '^line 16 ranks .*, J [0-9.]* % lower' reply
  # The adapter of a rank that sends to all takes as long whoever is where; others that talk get closer.
  awk 'BEGIN { print "# ranks 8\nfrom,to,bytes"; for (i = 1; i < 8; i++) print "0," i ",100000"
    for (i = 1; i < 4; i++) print i "," i + 4 ",1000" }' >pairs.csv
  first=$(topomap db show --db t.db --json | jq -r '.[].name' | awk 'NR <= 8' | paste -sd,)
  topomap map --graph pairs.csv --db t.db --nodes "$first" --tasks-per-node 1 --json >json
  jq -e '.objective == "J" and .time.seconds == .before.time.seconds and .J < .before.J' json
}

@test "a layout is judged by what it was made for: of another layout time and J as the reply said, of the same nothing" {
  topomap db synth fat-tree:leaves=8,hosts=4,spines=2 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db import --db t.db lft made/fabric.lfts
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | awk 'NR % 4 == 1' | paste -sd,)
  topomap graph generate stencil2d:9:4x4,bytes=1000000 -o graph.tmg
  for objective in time J; do
    request t.db "$nodes" "$PWD/graph.tmg" "objective $objective" >reply
    gain=$(sed -n "s/^line 16 ranks .*, $objective \([0-9.]*\) % lower.*/\1/p" reply)
    [ "$gain" != 0.0 ] && [ -n "$gain" ]
    request t.db "$nodes" "$PWD/graph.tmg" "objective $objective" "judge $(sed -n 's/^layout //p' reply)" >judged
    grep -qx 'status unchanged' judged
    [ "$(awk '/^gain / { printf "%.1f", $2 }' judged)" = "$gain" ] || { cat reply judged && false; }
    request t.db "$nodes" "$PWD/graph.tmg" "objective $objective" 'judge 0,8;1,9;2,10;3,11;4,12;5,13;6,14;7,15' >judged
    grep -qx 'gain 0.000' judged
  done
  request t.db "$nodes" "$PWD/graph.tmg" 'objective congestion' 'judge 0,8;1,9;2,10;3,11;4,12;5,13;6,14;7,15' >judged
  grep -q '^line .*\<J\>.*\<time\>' judged
}

@test "phases are judged one after the other, while the search goes on too" {
  topomap graph generate fft:8x8,bytes=100000,phases -o phases.tmg
  topomap graph generate fft:8x8,bytes=100000 -o sum.tmg
  for objective in congestion time; do
    for graph in phases sum; do
      topomap map --graph $graph.tmg --machine torus:4x4x4 --objective $objective --algorithm rb+relieve --effort fast \
        --format perm -o $graph.map
      topomap eval --graph phases.tmg --machine torus:4x4x4 --mapping $graph.map --congestion routes --json |
        jq .congestion.max >$graph.max
    done
    # The same bytes in all: as a sum they do not tell which of them meet on a link.
    jq -en "$(cat phases.max) < 0.9 * $(cat sum.max)"
  done
}

@test "phases without barriers: candidates are judged by ranks that go on by themselves" {
  # The NAS benchmark CG's: sums in the rows of an 8x8 grid by recursive doubling, then the transpose.
  for far in 1 2 4; do
    awk -v far=$far 'BEGIN { for (i = 0; i < 64; i++) { c = i % 8; print i "," i - c + (int(c / far) % 2 ? c - far : c + far) ",16384" } }' |
      sed '1i u,v,bytes' >$far.csv
  done
  awk 'BEGIN { print "u,v,bytes"; for (i = 0; i < 64; i++) if (i % 8 != int(i / 8)) print i "," i % 8 * 8 + int(i / 8) ",16384" }' >8.csv
  topomap graph generate 'phases(1.csv,2.csv,4.csv,8.csv)' -o natural.tmg
  for seed in 3 5; do
    topomap graph permute natural.tmg --seed $seed -o graph.tmg
    for machine in torus:4x4*4 fattree:k=4,levels=3,taper=2*4; do
      for objective in time J congestion; do
        topomap map --graph graph.tmg --machine "$machine" --objective $objective --format perm -o map
        topomap eval --graph graph.tmg --machine "$machine" --mapping map --time --json | seconds >$objective
      done
      jq -en "$(cat time) <= 1.001 * ([$(cat J), $(cat congestion)] | min)"
    done
  done
}

@test "db export simgrid: tori and fat trees are its own zones, other machines have every route" {
  topomap db export --machine torus:4x3x5 --to simgrid -o torus.xml
  grep -q 'topology="TORUS" topo_parameters="4,3,5"' torus.xml
  topomap db export --machine fattree:k=4,levels=3 --to simgrid -o tree.xml
  grep -q 'topology="FAT_TREE" topo_parameters="3;2,2,4;1,2,2;1,1,1"' tree.xml
  topomap db export --machine dragonfly:p=1,a=2,h=1 --to simgrid --latency 2 -o fly.xml
  [ "$(grep -c '<host ' fly.xml)" -eq 6 ]
  [ "$(grep -c '<route ' fly.xml)" -eq 36 ]
  [ "$(grep -c '<link id="[0-9]*" bandwidth="12500000000Bps" latency="2e-06s"/>' fly.xml)" -eq 24 ]
  topomap db synth fat-tree:leaves=2,hosts=2,spines=2 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db
  topomap db export --db t.db --to simgrid -o db.xml
  [ "$(grep -c '<host ' db.xml)" -eq 4 ]
  [ "$(grep -c '<route ' db.xml)" -eq 16 ]
  name=$(topomap db show --db t.db | awk 'NR == 2 { print $1 }')
  grep -q "<host id=\"$name\"" db.xml
  run -2 topomap db export --machine torus:4x4 --to dot
  run -2 topomap db export --machine torus:4x4 --to simgrid --db t.db
  run -2 topomap db export --machine tree:2:2@1:10 --to simgrid
  fails_with 2 links
}

# bats test_tags=campaign
@test "predictions are what SimGrid simulates" {
  command -v smpirun >/dev/null || skip "there is no SimGrid here"
  ! grep -q __asan_init "$TOPOMAP_BUILD/.libs/libtopomap.so" || skip "SimGrid's stacks and a sanitizer's do not go together"
  MACHINES="torus:4x6 dragonfly:p=2,a=3,h=2,groups=4 fattree:k=4,levels=3 fattree:k=4,levels=3/half mesh:4x5" \
    TASKS="1" ORDERS=natural GRAPHS="random fft" LAYOUTS="block random time" KEEP=results \
    "$TOPOMAP_SOURCE/tests/sim/run" "$TOPOMAP_BUILD" "$TOPOMAP_SOURCE"
  [ "$(wc -l <results)" -eq 30 ]
  awk -F'\t' '{ e = $8 / $7 - 1; if (e > 0.01 || e < -0.01) { print; bad = 1 } } END { exit bad }' results
  # Nobody's map is slower than the block layout.
  awk -F'\t' '$5 == "block" { block[$1, $3] = $7 } $5 == "time" && $7 > 1.001 * block[$1, $3] { print; bad = 1 } END { exit bad }' results
}

@test "a database's calibration: its latencies take the place of what is assumed, one by one" {
  printf 'n1,1,s1,1,100\nn2,1,s2,1,100\ns1,2,s2,2,100\n' >links
  topomap db import --db c.db links links
  local at=(--graph ring:2,bytes=1 --db c.db --nodes n1,n2 --tasks-per-node 1)
  latency() { topomap eval "${at[@]}" --time --json "$@" | jq '.time.phases[0].latency * 1e9 | round'; }
  [ "$(latency)" -eq 1300 ]
  run -0 topomap eval "${at[@]}" --time
  [[ $output != *"costs "* ]]
  printf 'level,latency_us,bandwidth_MBps\ncore,0.1,9000\nnode,0.1,4000\nrouter,2,20000\nhop,0.5,20000\n' >c
  topomap db import --db c.db calibration c
  [ "$(latency)" -eq 3500 ] # three hops
  [ "$(latency --time-costs latency=7)" -eq 8500 ]
  [ "$(latency --time-costs hop=1,overhead=0)" -eq 5000 ]
  topomap eval "${at[@]}" --time --time-costs hop=1 --json >json
  jq -e '.time.costs | map_values(.from) == {rate: "measured", latency: "measured", hop: "given", overhead: "assumed", memory: "measured"}' json
  jq -e '.time.costs | .rate.value == 80 and .latency.value == 2 and .memory.value == 4' json
  run -0 topomap eval "${at[@]}" --time
  has_tokens "$(grep '^costs ' <<<"$output")" 'latency 2 us' 'hop 0.5 us' 'overhead 0.2 us' 'memory 4 GB/s' measured assumed
  # The cables' own rates stay: to both neighbours, which are one.
  jq -en --argjson t "$(topomap eval "${at[@]/ring:2,bytes=1/ring:2,bytes=1000000000}" --time --json)" '($t.time.seconds - 0.16 | fabs) < 1e-5'
  run -0 topomap map "${at[@]}" --objective time
  has_tokens "$(grep '^costs ' <<<"$output")" 'hop 0.5 us' measured
  topomap map "${at[@]}" --objective time --json | jq -e '.time.costs.latency.from == "measured" and .time.seconds > 3e-6'
  # Without being asked for time, a graph without messages has no latencies: 0 is nobody's measurement.
  topomap db synth fat-tree:k=4,levels=2 -o made
  topomap db import --db ib.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db import --db ib.db lft made/fabric.lfts
  sed 's/[49]000$/400000/' c >quick
  topomap db import --db ib.db calibration quick
  printf '0 2 5000\n1 3 7000\n' >silent
  run -0 topomap map --graph silent --db ib.db --nodes node01,node03 --tasks-per-node 2
  has_tokens "$(grep '^costs ' <<<"$output")" 'memory 400 GB/s' measured latencies messages
  topomap map --graph silent --db ib.db --nodes node01,node03 --tasks-per-node 2 --json >json
  jq -e '.time.costs.latency == {value: 0, unit: "us", from: "left out"}' json
  topomap map "${at[@]}" --objective time --format plan -o plan
  grep -q 'topomap: .*latenc.*\<2 us.*\<0\.5 us' plan
  # A class of link that most hosts have alone: each way has two of it, whatever its hops.
  printf 'level,latency_us,bandwidth_MBps\nhop,0.5,20000\nhop:100G,1.5,20000\n' >c
  topomap db import --db c.db calibration c
  [ "$(latency)" -eq 3500 ] # 2 * (1.5 - 0.5) and three hops
  # Times of one message size say nothing of latencies.
  printf 'level,latency_us,bandwidth_MBps\nrouter,20,1e12\nhop,5,1e12\n' >c
  topomap db import --db c.db calibration c
  [ "$(latency)" -eq 1300 ]
  # Cables without a rate have what was measured.
  sed -i 's/100$//' links
  topomap db import --db c.db links links
  printf 'level,latency_us,bandwidth_MBps\nrouter,2,20000\nhop,0.5,20000\n' >c
  topomap db import --db c.db calibration c
  run -0 topomap eval "${at[@]}" --time
  [[ $output == *"cables of 80 Gb/s measured"* ]]
}

@test "measured times: from pairs to db calibrate to predicted time" {
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made
  topomap db import --db c.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db import --db c.db lft made/fabric.lfts
  # 0.8 us and 0.3 us a hop, 10 GB/s.
  awk 'BEGIN {
    print "kind,from,to,hops,size,latency_us,bandwidth_MBps"
    for (i = 1; i <= 8; i++) for (j = i + 1; j <= 8; j++)
      for (s = 8; s <= 524288; s *= 16) {
        us = 0.8 + 0.3 * (int((i - 1) / 2) == int((j - 1) / 2) ? 2 : 4) + s / 10000
        printf "pair,node%02d,node%02d,,%d,%.9f,%.3f\n", i, j, s, us, s / us
      }
  }' >m
  topomap db calibrate m --db c.db -o c
  topomap db import --db c.db calibration c
  topomap eval --graph ring:2,bytes=1 --db c.db --nodes node01,node08 --tasks-per-node 1 --time --json >json
  jq -e '.time.phases[0].latency * 1e6 - 2 | fabs < 0.01' json
  jq -e '.time.costs.latency | .from == "measured" and (.value - 0.8 | fabs) < 0.01' json
}

@test "what is assumed of copies inside a node takes nobody off it, however fast its links are" {
  printf '0,1,1000000\n' >one.csv
  for i in 0 2 4 6 8 10 12 14; do echo "$i,$((i + 1)),1000000"; done >pairs.csv
  for speed in EDR NDR; do
    topomap db synth fat-tree:leaves=4,hosts=3,spines=2,scatter=1,speed=$speed -o $speed
    topomap db import --db $speed.db ibnetdiscover $speed/fabric.ibnetdiscover
    topomap db import --db $speed.db lft $speed/fabric.lfts
    for graph in one pairs; do
      topomap map --db $speed.db --graph $graph.csv --nodes 'node[01-08]' --tasks-per-node 2 --json >json
      jq -e '.J == .lower_bound and .levels[0].bytes == .bytes' json || { cat json && false; }
    done
  done
  # What is said counts.
  memory() { topomap eval --graph ring:16 "$@" --time --json | jq -r '.time.costs.memory | "\(.value | floor) \(.from)"'; }
  on=(--db EDR.db --nodes 'node[01-08]' --tasks-per-node 2)
  [ "$(memory "${on[@]}")" = '12 assumed' ]
  [ "$(memory --db NDR.db "${on[@]:2}")" = '53 assumed' ]
  [ "$(memory "${on[@]}" --time-costs memory=3)" = '3 given' ]
  [ "$(memory --machine 'fattree:k=4,levels=2*2')" = '12 assumed' ]
  [ "$(memory --machine 'fattree:k=4,levels=2*2' --time-costs rate=400)" = '50 assumed' ]
  [ "$(memory --machine 'fattree:k=4,levels=2*2' --time-costs rate=40)" = '10 assumed' ]
}
