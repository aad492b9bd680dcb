#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `topomap report`: what the page says is what other commands say, nothing in a name is markup, and a browser draws it
# without a complaint and without asking anybody for anything.
bats_require_minimum_version 1.5.0
load ../messages
load page

setup() {
  cd "$BATS_TEST_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH LC_ALL=C.UTF-8 XDG_CACHE_HOME=$PWD/cache
  unset TOPOMAP_DB SLURM_CONF
}

@test "the page's figures are those of map and eval" {
  graph=random:n=64,deg=5,seed=3 machine='fattree:k=4,levels=3*4'
  topomap report --graph $graph --machine "$machine" --objective congestion -o page.html
  data page.html
  topomap map --graph $graph --machine "$machine" --objective congestion -o mapping
  topomap eval --graph $graph --machine "$machine" --congestion routes --time --json >before
  topomap eval --graph $graph --machine "$machine" --mapping mapping --congestion routes --time --json >after
  for when in before after; do
    jq -e --slurpfile e $when --arg when $when '
      def near(a; b): (a - b | fabs) <= 1e-8 * (a | fabs);
      (.figures | map({(.name): .[$when]}) | add) as $f |
      near($f.J; $e[0].J) and near($f["hop-bytes"]; $e[0].hop_bytes) and near($f["predicted time"]; $e[0].time.seconds)
      and near($f["busiest link"]; $e[0].congestion.max) and near(.links.busiest | map(.[$when]) | max; $e[0].congestion.max)
      and .links.count == $e[0].congestion.links and .links[$when].idle == $e[0].congestion.links - $e[0].congestion.used
      and ([.levels[] | .[$when]] == [$e[0].levels[].bytes])' json
  done
  # Each rank once on a node, and shares of J that add up to it twice.
  jq -e '.rank | length == 64' json
  jq -e '[.node[].after | split(",")[] | split("-") | map(tonumber) | range(.[0]; .[-1] + 1)] | sort == [range(64)]' json
  jq -e '(([.rank[][5]] | add) / 2 - (.figures[] | select(.name == "J").after) | fabs) < 0.001' json
  diff <(jq -r '.rank[][1]' json) <(awk '{ print int($1 / 4) }' mapping)
  # The sums of the matrices are the graph's bytes, in any order.
  bytes=$(topomap graph info $graph --json | jq .bytes)
  jq -e --argjson bytes "$bytes" '.matrices | length == 3 and all(.[]; ([.bytes | _nwise(3)[2]] | add) == $bytes)' json
}

@test "a launch's page is its record's; without a record it says so" {
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)
  topomap map --graph stencil2d:5:4x4 --db t.db --nodes "$nodes" --tasks-per-node 2 --format plan -o plan
  topomap report --plan plan -o page.html
  data page.html
  topomap show --plan plan --json >shown
  jq -e --slurpfile s shown '[.node[].name] == [$s[0][].node]
    and ([.node[].after | split(",")[] | split("-") | map(tonumber) | range(.[0]; .[-1] + 1)] == [$s[0][].ranks[]])' json
  [ "$(figure J after)" = "$(for r in {0..15}; do topomap why $r --plan plan --json; done | jq -s 'map(.J) | add / 2')" ]
  [ "$(jq .ranks json)" = 16 ]
  # Predicted times are those that the plan went by: the line's gain is theirs.
  topomap db synth fat-tree:leaves=4,hosts=4,spines=2,scatter=1,names=host%02d -o routed
  topomap db import --db r.db ibnetdiscover routed/fabric.ibnetdiscover
  topomap db import --db r.db lft routed/fabric.lfts
  topomap graph permute stencil2d:5:4x4 --seed 3 -o shuffled.tmg
  topomap map --graph shuffled.tmg --db r.db --nodes 'host[01-08]' --tasks-per-node 2 --format plan -o timed
  topomap report --plan timed -o page.html
  data page.html
  lower=$(jq -r '.line | capture("time (?<gain>[0-9.]+) % lower").gain' json)
  [ "$(awk -v b="$(figure 'predicted time' before)" -v a="$(figure 'predicted time' after)" 'BEGIN { printf "%.1f", 100 * (1 - a / b) }')" = "$lower" ]
  # CPUs are those that were sent to the nodes, where GPUs decide on them, too.
  printf '\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t1\t1\nGPU1\tSYS\t X \t0\t0\n' >two.topo
  lstopo-no-graphics -i 'package:2 core:1 pu:1' --of xml >class.xml
  topomap db import --db t.db hwloc class.xml --nodes "$nodes"
  topomap db import --db t.db gpu-matrix two.topo --nodes "$nodes"
  topomap map --graph stencil2d:5:4x4 --db t.db --nodes "$nodes" --tasks-per-node 2 --format plan -o plan
  for rank in {0..15}; do topomap why $rank --plan plan --json | jq -r '.cpus | map(tostring) | join(",")'; done >cpus
  grep -q '[0-9]' cpus
  topomap report --plan plan -o page.html
  data page.html
  diff <(jq -r '.rank[][2]' json) cpus
  run -3 topomap report -o page2.html
  fails_with 3 records
  [ ! -e page2.html ]
}

@test "the table of ranks has GPUs and NICs where tasks have some, as show has them" {
  topomap db import --db t.db hwloc "$TOPOMAP_SOURCE/tests/data/db/mi250x.xml" --nodes 'mi[01-02]'
  { echo '# hosts: mi[01-02]'; printf 'mi%s,1,leaf,%s,100\n' 01 1 02 2; } >links
  topomap db import --db t.db links links
  topomap map --db t.db --nodes 'mi[01-02]' --tasks-per-node 8 --graph chain:16 --format plan -o plan
  topomap report --plan plan --db t.db -o page.html
  data page.html
  topomap show --plan plan --db t.db --json >shown
  jq -e --slurpfile shown shown '
    [$shown[0][] | [.ranks, .gpus, .nics] | transpose[]] | sort == ($page.rank | to_entries | map([.key, .value[6], .value[7]]))' \
    -n --argjson page "$(cat json)"
  drawn page.html
  grep -q '>GPU</button>.*>NIC</button>' dom
  grep -q '<td class="">hsn0</td>' dom
}

@test "a training job's groups are spread as map says; other graphs have none" {
  topomap db synth fat-tree:leaves=4,hosts=4,spines=2,scatter=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  at=(--graph parallel:tp=2,dp=4,pp=4 --db t.db --nodes "$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)"
    --tasks-per-node 2)
  topomap report "${at[@]}" -o page.html
  data page.html
  topomap map "${at[@]}" --json >mapped
  jq -e --slurpfile m mapped '($m[0].groups | length) == 3 and
    (.group | map([.[0], .[1], .[2], .[3], .[6], .[7]])) == [$m[0].groups[] | . as $g | .spread[] | [$g.name, $g.groups, $g.size, .level, .mean, .most]]
    and (.group | map([.[4], .[5]])) == [$m[0].before.groups[].spread[] | [.mean, .most]]' json
  drawn page.html
  grep -q '<table id="groups">' dom
  topomap report --graph ring:8 --machine mesh:8 -o page.html
  data page.html
  jq -e '.group == []' json
  drawn page.html
  run ! grep -q '<table id="groups">' dom
}

@test "two plans side by side" {
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)
  topomap map --graph random:n=16,deg=3 --db t.db --nodes "$nodes" --tasks-per-node 2 --format plan -o one
  topomap map --graph random:n=16,deg=3 --db t.db --nodes "$nodes" --tasks-per-node 2 --contiguous --format plan -o two
  topomap report --compare one two -o page.html
  data page.html
  for plan in one two; do
    topomap report --plan $plan -o $plan.html
    jq '{figures, levels, matrices, node, rank, links}' <(sed -n 's|.*id="data">\(.*\)</script>|\1|p' $plan.html) >$plan.json
  done
  jq -e --slurpfile one one.json --slurpfile two two.json \
    '(.a | {figures, levels, matrices, node, rank, links}) == $one[0] and (.b | {figures, levels, matrices, node, rank, links}) == $two[0]' json
  drawn page.html
  [ "$(grep -o '<canvas' dom | wc -l)" -eq 2 ]
  [ "$(grep -o '<table id="pair">.*' dom | sed 's|</table>.*||' | grep -o '<tr><td' | wc -l)" -eq "$(jq '.a.figures | length' json)" ]
  run -2 topomap report --compare one -o page.html
  run -2 topomap report one two -o page.html
  run -3 topomap report --compare one none -o other.html
  [ ! -e other.html ]
}

@test "nothing in a name is markup" {
  name='<script>document.title="bad"<_script><img src=x onerror=alert(1)>&amp;.csv'
  printf '0,1,5\n1,2,5\n' >"$name"
  topomap report --graph "$name" --machine 'mesh:4' -o page.html
  data page.html
  [ "$(jq -r .title json)" = "$name" ]
  [ "$(grep -o '<script' page.html | wc -l)" -eq 2 ]
  run ! grep -q '<img' page.html
  # And nothing is to come from elsewhere.
  run ! grep -E 'https?://' <(sed 's|http://www.w3.org/2000/svg||g' page.html)
  drawn page.html
  run ! grep -q '<img' dom
  grep -q 'bad' dom
}

# bats test_tags=campaign
@test "a browser draws trees, tori, dragonflies and GPUs, at a desk's and a phone's width" {
  local machine
  for machine in 'fattree:k=4,levels=3*4' 'torus:4x4x4' 'dragonfly:p=2,a=4,h=2' 'tree:4:4:4@1:10:100' 'gpus:nodes=8,gpus=8,rails=4'; do
    echo "$machine"
    topomap report --graph stencil2d:5:8x8 --machine "$machine" -o page.html
    data page.html
    drawn page.html
    [ "$(grep -o '<canvas' dom | wc -l)" -eq 3 ]
    # Each cable that is known is drawn twice, before and after.
    [ "$(grep -o '<path' dom | wc -l)" -eq "$(jq '(.links.picture.cable // []) | length / 2' json)" ]
    [ "$(grep -o '<table id="ranks">.*' dom | sed 's|</table>.*||' | grep -o '<tr><td' | wc -l)" -eq 64 ]
    drawn page.html 390,800
  done
}

@test "the network's picture: every cable once with what its fuller way carries, every vertex where nothing else is" {
  local machine shape
  while read -r shape machine; do
    echo "$machine"
    topomap report --graph random:n=36,deg=5,seed=3 --machine "$machine" --objective time -o page.html
    data page.html
    jq -e --arg shape "$shape" '.links as $l | $l.picture as $p | ($p.cable | [_nwise(4)]) as $c | ($p.vertex | length) as $n
      | $p.shape == $shape and $p.left_out == 0 and ($c | length) * 2 == $l.count
      and ($c | map([.[0], .[1]] | sort) | unique | length) == ($c | length) and all($c[]; .[0] < $n and .[1] < $n and .[0] != .[1])
      and ($c | map(.[2]) | max) == ($l.busiest | map(.before) | max) and ($c | map(.[3]) | max) == ($l.busiest | map(.after) | max)
      and ($p.vertex | map(.[1:3]) | unique | length) == $n
      and all($p.vertex[]; .[1] > 0 and .[2] > 0 and .[1] < $p.width and .[2] < $p.height)' json
  done <<'END'
levels fattree:k=6,levels=3
levels fattree:k=12,levels=2
grid torus:4x3x3
grid mesh:6x6
ring dragonfly:p=2,a=4,h=2,groups=5
END
  # Nodes are below all switches, beside those of their own switch.
  topomap report --graph ring:54 --machine fattree:k=6,levels=3 -o page.html
  data page.html
  jq -e '.links.picture.vertex | (map(select(.[3] == 1)) | sort_by(.[1])) as $nodes | ($nodes | length) == 54
    and ($nodes | map(.[2]) | unique | length) == 1 and all(.[]; .[3] == 1 or .[2] < $nodes[0][2])
    and ($nodes | map(.[0])) == [range(54) | "node\(.)"]' json
}

@test "the busiest links say whose traffic is most of theirs; of equals the lower ranks; by routes alone" {
  of() { jq -c --arg name "$1" '.links.busiest[] | select(.name == $name).by_after | map(.[2] = (100 * .[2] | round))' json; }
  printf '0 3 100\n1 2 50\n0 1 7\n' >g.edges
  topomap report --graph g.edges --machine mesh:4 --algorithm identity -o page.html
  data page.html
  [ "$(of 'router 1 -> router 2')" = '[[0,3,67],[1,2,33]]' ]
  [ "$(of 'router 0 -> router 1')" = '[[0,3,93],[0,1,7]]' ]
  [ "$(of 'router 2 -> router 3')" = '[[0,3,100]]' ]
  printf '%s 5 10\n' 4 3 2 1 0 >g.edges
  topomap report --graph g.edges --machine mesh:6 --algorithm identity -o page.html
  data page.html
  [ "$(of 'router 4 -> router 5')" = '[[0,5,20],[1,5,20],[2,5,20]]' ]
  drawn page.html
  grep -q '0 → 5 20 %, 1 → 5 20 %, 2 → 5 20 %' dom
  printf '# hosts: n[1-2]\nn1,1,s,1,100\nn2,1,s,2,100\n' >links
  topomap db import --db t.db links links
  topomap report --graph ring:2 --db t.db --nodes 'n[1-2]' --tasks-per-node 1 --objective congestion -o page.html
  data page.html
  jq -e '.links.model == "exact" and (.links.busiest | length) > 0 and all(.links.busiest[]; .by_after == [])' json
}

@test "a site's page and Prometheus' text: numbers of all users' records, and nothing of their words" {
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  nodes=$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)
  mkdir -p "site/$EUID" site/notes
  at=(--db t.db --nodes "$nodes" --tasks-per-node 2 --format plan)
  cp /dev/null secret.csv
  for i in 0 1 2 3 4 5; do echo "$i,$((i + 8)),100" >>secret.csv; done
  topomap map --graph "$PWD/secret.csv" "${at[@]}" -o "site/$EUID/1.0.plan"
  topomap map --graph random:n=16,deg=3 "${at[@]}" -o "site/$EUID/2.0.plan"
  topomap map --graph ring:16 "${at[@]}" -o "site/$EUID/3.0.plan"
  topomap map --graph nosuch:16 "${at[@]}" -o "site/$EUID/4.0.plan"
  sed -i "s/^time 0/time $(date +%s)/" "site/$EUID"/*.plan
  [ "$(grep -lx 'status applied' "site/$EUID"/*.plan | wc -l)" -eq 2 ]
  # What is no record, and what nobody is to wait for or to be led by.
  echo junk >"site/$EUID/5.0.plan"
  mkfifo "site/$EUID/6.0.plan"
  ln -s "$PWD/site/$EUID/1.0.plan" "site/$EUID/7.0.plan"
  timeout 60 topomap report --records "$PWD/site" -o site.prom
  run -2 topomap report -o site.prom
  fails_with 2 '--records FOLDER' FILE.prom
  cat site.prom
  value() { sed -n "s/^topomap_$1 //p" site.prom; }
  [ "$(value 'steps{result="placed"}')" = 2 ]
  [ "$(value 'steps{result="left"}')" = 1 ]
  [ "$(value 'steps{result="failed"}')" = 1 ]
  [ "$(value 'steps_not_placed{reason="no_graph"}')" = 1 ]
  [ "$(value gain_percent_count)" = 2 ]
  gains=$(sed -n 's/^gain //p' "site/$EUID"/[12].0.plan | paste -sd+)
  jq -ne "($gains) - $(value gain_percent_sum) | fabs < 0.001"
  [ "$(value records_unreadable)" = 3 ]
  # Each line is a comment or a name, labels and a number; no series is there twice.
  run ! grep -vE '^(# (HELP|TYPE) topomap_[a-z_]+ .+|topomap_[a-z_]+(\{[a-z]+="[^"]*"\})? [0-9.e+-]+)$' site.prom
  [ -z "$(grep -v '^#' site.prom | cut -d' ' -f1 | sort | uniq -d)" ]
  timeout 60 topomap report --records "$PWD/site" -o site.html
  run ! grep -E 'secret|random|nosuch|node' <(sed 's/a node that the database does not know//' site.html site.prom | grep -v '^[.a-z:@*{]') # wording: dropped, not compared
  run -3 topomap report --records "$PWD/none" -o site.html
  run -2 topomap report --records "$PWD/site" -o site.txt
}

# forge FROM TO SCRIPT: a record that sed's SCRIPT has changed, with the checksum of its new reply.
forge() {
  sed "$3" "$1" | python3 -c '
import sys, zlib
head, start, rest = sys.stdin.read().partition("topomap-reply 1\n")
reply = start + rest[:rest.rindex("end ")]
print(head + reply + "end %08x" % zlib.crc32(reply.encode()))' >"$2"
}

@test "a site's page: a record whose numbers are out of range is unreadable" {
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  mkdir -p "site/$EUID"
  topomap map --graph random:n=16,deg=3 --db t.db --nodes "$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)" \
    --tasks-per-node 2 --format plan -o "site/$EUID/1.0.plan"
  local n=2 script
  for script in 's/^gain .*/gain 99999999999999999999999999999999/' 's/^gain .*/gain --..--/' 's/^gain .*/gain -/' \
    '/^status/a searched 99999999999999999999999999999999' '/^status/a searched ..' \
    's/^time .*/time -9223372036854775808/' 's/^time .*/time -1/' 's/^time .*/time 9223372036854775807/'; do
    forge "site/$EUID/1.0.plan" "site/$EUID/$((n++)).0.plan" "$script"
  done
  # What is only improbable is read.
  forge "site/$EUID/1.0.plan" "site/$EUID/$n.0.plan" 's/^gain .*/gain 9999999999/; s/^time .*/time 253402300799/'
  topomap report --records "$PWD/site" -o site.prom
  topomap report --records "$PWD/site" -o site.html
  grep -qx 'topomap_records_unreadable 8' site.prom
  grep -qx 'topomap_gain_percent_count 2' site.prom
  awk '/^topomap_gain_percent_sum/ { exit !($2 <= 200) }' site.prom
  run -3 topomap why 0 --job "site/$EUID/2.0.plan"
  fails_with 3 "site/$EUID/2.0.plan"
}

@test "a record that names a FIFO, a device or a folder as its database or graph: nothing waits" {
  local path script
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  for i in 0 1 2 3 4 5; do echo "$i,$((i + 8)),100" >>graph.csv; done
  topomap map --graph "$PWD/graph.csv" --db "$PWD/t.db" --format plan -o good.plan --tasks-per-node 2 \
    --nodes "$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)"
  mkfifo fifo
  for path in "$PWD/fifo" /dev/zero "$PWD"; do
    for script in "s,^db .*,db $path," "s,^graph .*,graph $path,"; do
      # A record of a launch has its inputs' sizes and hashes, which are compared with those of the files.
      forge good.plan bad.plan "$script; /^status/a input-db 1 0\ninput-graph 1 0"
      run -3 timeout 60 topomap why 0 --job bad.plan
      fails_with 3 "$path"
      run -3 timeout 60 topomap report --plan bad.plan -o page.html
      fails_with 3 "$path"
      run timeout 60 topomap map --replay bad.plan
      [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
      has_tokens "$output" "$path"
    done
  done
}

@test "a site's page: as root each user's records are read with that user's rights" {
  [[ $EUID -eq 0 ]] || skip "needs root"
  mkdir -p site/0 site/65533 site/65532
  topomap map --graph ring:4 --machine mesh:4 >/dev/null # the program is there
  cat >record <<'END'
topomap-plan 1
END
  install -m 600 -o 65533 record site/65533/1.0.plan
  install -m 600 -o 65533 record site/65532/1.0.plan
  chmod 755 . site
  chmod 700 site/*
  chown 65533 site/65533
  chown 65532 site/65532
  # A folder that another has made for a user, root for one, is not opened to that user.
  mkdir -m 700 site/65531
  install -m 600 -o 65533 record site/65531/1.0.plan
  chown -R 65533 site/65531
  install -m 600 -o 65533 record site/0/1.0.plan
  chown 65533 site/0
  ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=setresuid,openat -o trace topomap report --records "$PWD/site" -o site.prom
  grep setresuid trace
  grep -q "setresuid(65533, 65533, 65533) *= 0" trace
  grep -q "setresuid(65532, 65532, 65532) *= 0" trace
  # That of another in a user's folder is not read for him.
  [ "$(grep -c '"1.0.plan".*= -1 EACCES' trace)" -eq 1 ]
  grep -qx 'topomap_records_unreadable 2' site.prom
  grep -qx 'topomap_users_unreadable 2' site.prom
  run ! grep -q 'setresuid(65531\|setresuid(0' trace
}

@test "db report: each switch, host and cable is drawn once, and the page has what db check finds" {
  local spec
  for spec in fat-tree:k=4,levels=3,fault=degraded:2 torus:4x4x3 mesh:3x3x2x2 dragonfly:a=4,p=2,h=2; do
    echo "$spec"
    rm -rf made t.db
    topomap db synth "$spec" -o made
    topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
    topomap db report --db t.db -o fabric.svg
    topomap db export --db t.db --to svg -o again.svg
    cmp fabric.svg again.svg
    topomap db export --db t.db --to json -o all.json
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' fabric.svg
    [ "$(grep -c '<circle class="s"' fabric.svg)" -eq "$(jq '.switches | length' all.json)" ]
    [ "$(grep -c '<rect class="h' fabric.svg)" -eq "$(jq '.hosts | length' all.json)" ]
    [ "$(grep -c '^<path class="r[0-9]" d=' fabric.svg)" -eq "$(jq '.links | length' all.json)" ]
    # No two vertices are at one place.
    [ -z "$(sed -n 's/^<circle.* cx="\([^"]*\)" cy="\([^"]*\)".*/\1 \2/p; s/^<rect class="h[^x]* x="\([^"]*\)" y="\([^"]*\)".*/\1 \2/p' fabric.svg | sort | uniq -d)" ]
    for rate in $(jq -r '.links[].gbps' all.json | sort -u); do
      grep -qF ">$(awk -v r="$rate" 'BEGIN { printf "%.6g", r }') Gb/s" fabric.svg
    done
    topomap db report --db t.db -o fabric.html
    [ "$(sed -n '/<table id="findings">/,$p' fabric.html | grep -c '^<tr><td>')" -eq "$(topomap db check --db t.db --json | jq '.findings | length')" ]
    grep -q "<th scope=\"row\">switches</th><td>$(jq '.switches | length' all.json)</td>" fabric.html
    # Nodes and links are counted by kind, and all are.
    [ "$(sed -n '/<table id="nodes">/,/<\/table>/s|^<tr>.*<td>\([0-9]*\)</td></tr>$|\1|p' fabric.html | awk '{ n += $1 } END { print n }')" = "$(jq '.hosts | length' all.json)" ]
    [ "$(sed -n '/<table id="rates">/,/<\/table>/s|^<tr><td>\(.*\) Gb/s</td><td>\([0-9]*\)</td></tr>$|\1 \2|p' fabric.html)" = \
      "$(jq -r '.links | group_by(-.gbps)[] | "\(.[0].gbps) \(length)"' all.json)" ]
  done
}

@test "db report: names are no markup; a database without links says that there is no picture" {
  printf '# hosts: n[1-2]\nn1,1,<script>alert(1)</script>,1,100\nn2,1,<script>alert(1)</script>,2,100\n' >links
  topomap db import --db t.db links links
  topomap db report --db t.db -o fabric.html
  run ! grep -q '<script' fabric.html
  grep -q '&lt;script&gt;' fabric.html
  topomap db report --db t.db -o fabric.svg
  run ! grep -q '<script' fabric.svg
  # Of Slurm's names alone nobody knows how they are joined.
  topomap db synth torus:3x3x3,cray=gemini -o cray
  topomap db import --db none.db xtprocadmin cray/machine.xtprocadmin
  topomap db report --db none.db -o none.html
  grep -q 'No picture: .*\<svg\>' none.html
  grep -q '<th scope="row">hosts</th><td>[1-9]' none.html
  [ "$(sed -n '/<table id="sources">/,/<\/table>/p' none.html | grep -c '^<tr><td>xtprocadmin</td><td>-</td><td>20..-..-.. ..:..</td><td>[0-9]* [smhd][a-z]*</td><td>no</td>')" = 1 ]
  run -2 topomap db report --db t.db -o fabric.gif
  run -3 topomap db report --db gone.db -o fabric.html
}

@test "db report: a Cray's nodes stand where their routers do; what is not up, and what db check finds of links, is marked" {
  topomap db synth torus:5x4x3,cray=gemini,fault=missing:3 -o cray
  topomap db import --db cray.db xtdb2proc cray/machine.xtdb2proc
  topomap db report --db cray.db -o cray.svg
  topomap db show --db cray.db --json >hosts
  [ "$(grep -c '<rect class="h' cray.svg)" = "$(jq length hosts)" ]
  [ "$(grep -c '<rect class="hd"' cray.svg)" = "$(jq 'map(select(.status != "up")) | length' hosts)" ]
  # A place for each router, a name for each slice, and each node inside of its own place.
  [ "$(grep -c '<rect class="p"' cray.svg)" = 60 ]
  [ "$(grep -o '>z=[0-9]*<' cray.svg | tr -dc '0-9\n' | paste -sd' ')" = '0 1 2' ]
  [ -z "$(sed -n 's/^<rect class="h[^x]* x="\([^"]*\)" y="\([^"]*\)".*/\1 \2/p' cray.svg | sort | uniq -d)" ]
  jq -r '.[] | "\(.name) \(.attached)"' hosts | while read -r name at; do grep -q ">$name[^<]* at $at</title>" cray.svg; done
  topomap db synth fat-tree:k=4,levels=3,fault=degraded:2 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db report --db t.db -o fabric.svg
  topomap db check --db t.db --json | jq -r '.findings[] | select(.check == "degraded-link") | .text' >found
  [ -s found ]
  [ "$(grep -c '^<path class="f".*<title>' fabric.svg)" = "$(wc -l <found)" ]
  while read -r text; do grep -qF "<title>degraded-link: $text</title>" fabric.svg; done <found
}

@test "db report: PNG and PDF are the picture, as large as it is" {
  grep -q '^#define HAVE_CAIRO 1' "$TOPOMAP_BUILD/config.h" || skip "built without cairo"
  export ASAN_OPTIONS=detect_leaks=0 # fontconfig's own
  topomap db synth torus:4x4x3 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  topomap db report --db t.db -o fabric.svg
  topomap db report --db t.db -o fabric.png
  topomap db report --db t.db -o fabric.pdf
  read -r wide high < <(sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' fabric.svg)
  [ "$(file -b fabric.png | sed 's/.*data, \([0-9]*\) x \([0-9]*\),.*/\1 \2/')" = "$((2 * wide)) $((2 * high))" ]
  [ "$(head -c 5 fabric.pdf)" = %PDF- ]
  grep -aq '/Count 1$' fabric.pdf
  grep -aq "/MediaBox \[ 0 0 $wide $high \]" fabric.pdf
}

@test "report as a picture: one sheet with the figures, vertices and cables of the page, and no name is markup" {
  cp "$(topomap graph generate random:n=64,deg=5,seed=3 -o g.csv && echo g.csv)" '<script>.csv'
  local machine
  for machine in 'fattree:k=4,levels=3*4' torus:4x4x4 'dragonfly:a=4,p=2,h=2' tree:4:16@1:10; do
    topomap report --graph '<script>.csv' --machine "$machine" -o page.html
    data page.html
    topomap report --graph '<script>.csv' --machine "$machine" -o sheet.svg
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' sheet.svg
    run ! grep -q '<script' sheet.svg
    grep -q '>&lt;script&gt;.csv</text>' sheet.svg
    grep -qF ">$(jq -r .line json)</text>" sheet.svg
    # Before and after, each vertex and each cable once; where links are not known there is a line that says so.
    [ "$(grep -c '<circle' sheet.svg)" = "$(jq '2 * (.links.picture.vertex // [] | length)' json)" ]
    [ "$(grep -c '<path class="\(l[0-7]\|idle\)"' sheet.svg)" = "$(jq '(.links.picture.cable // [] | length) / 2' json)" ]
    [ "$(grep -c '>[^<]*links [^<]*known' sheet.svg)" = "$(jq 'if .links == null then 1 else 0 end' json)" ]
    # Cells of the two matrices by node.
    [ "$(grep -o 'h[0-9]*v1' sheet.svg | tr -dc '0-9\n' | sed 's/1$//' | awk '{ n += $1 } END { print n }')" = "$(jq '[.matrices[1, 2].bytes | length / 3] | add' json)" ]
    for figure in $(jq -r '.figures[] | .before, .after' json); do
      grep -qF ">$(awk -v x="$figure" 'BEGIN { printf "%.6g", x }')<" sheet.svg
    done
  done
  run -2 topomap report --graph ring:8 --machine mesh:8 -o sheet.gif
  [[ $output == *"FILE.html, FILE.svg, FILE.png or FILE.pdf"* ]]
  run -2 topomap report --compare a b -o sheet.png
  grep -q '^#define HAVE_CAIRO 1' "$TOPOMAP_BUILD/config.h" || return 0
  export ASAN_OPTIONS=detect_leaks=0 # fontconfig's own
  # A4 across: twice as many pixels as points.
  topomap report --graph '<script>.csv' --machine torus:4x4x4 -o sheet.png
  [ "$(file -b sheet.png | sed 's/.*data, \([0-9]*\) x \([0-9]*\),.*/\1 \2/')" = '1684 1190' ]
  topomap report --graph '<script>.csv' --machine torus:4x4x4 -o sheet.pdf
  [ "$(head -c 5 sheet.pdf)" = %PDF- ]
  grep -aq '/Count 1$' sheet.pdf
  grep -aq '/MediaBox \[ 0 0 842 595 \]' sheet.pdf
  # A launch's record likewise.
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  topomap map --graph stencil2d:5:4x4 --db t.db --nodes "$(topomap db show --db t.db --json | jq -r '.[].name' | paste -sd,)" --tasks-per-node 2 --format plan -o plan
  topomap report --plan plan -o sheet.png
  [ "$(head -c 4 sheet.png | tail -c 3)" = PNG ]
  # However many cells there are: the page has pairs in place of so many.
  topomap report --graph alltoall:128 --machine tree:16:8 -o sheet.svg
  [ "$(grep -o 'h[0-9]*v1' sheet.svg | tr -dc '0-9\n' | sed 's/1$//' | awk '{ n += $1 } END { print n }')" = $((2 * 128 * 127)) ]
}

@test "report: no table of ranks above 20,000, usage" {
  topomap report --graph ring:20001 --machine 'tree:32:32:32@1:10:100' --algorithm identity -o page.html
  data page.html
  jq -e '.rank == null and (.node | length) == 1024 and .links == null' json
  [ "$(stat -c %s page.html)" -lt 5000000 ]
  # The sharing of links is not followed for as long as eval does: the bound, of both then.
  topomap report --graph random:2048,deg=8 --machine 'fattree:k=16,levels=3*2' --algorithm identity -o page.html
  data page.html
  topomap eval --graph random:2048,deg=8 --machine 'fattree:k=16,levels=3*2' --congestion routes --json >before
  jq -e --slurpfile e before '(.figures | map({(.name): .before}) | add) as $f
    | ($f["predicted time, at least"] * 12.5e9 / $e[0].congestion.max - 1 | fabs) < 0.001' json
  run -2 topomap report --graph ring:4 --machine mesh:4
  [[ $output == *"--output takes FILE.html"* ]]
  run -2 topomap report --graph ring:4 --machine mesh:4 -o page.txt
  run -2 topomap report --plan x --machine mesh:4 -o page.html
}

@test "db report: coordinates of which few are taken, of a grid that is too large to draw" {
  printf 'a 99 999 49999\nb 0 0 0\n' >far
  topomap db import --db far.db coordinates far
  run -3 topomap db report --db far.db -o far.svg
  [[ $output == *"no switches"* ]]
  printf 'a 1 0 0\nb 0 0 1\n' >near
  topomap db import --db near.db coordinates near
  topomap db report --db near.db -o near.svg
  # The picture has room for all places, also where nobody is.
  [ "$(sed -n 's/.*viewBox="0 0 \([0-9.]*\) .*/\1/p' near.svg | head -n 1 | cut -d. -f1)" -ge 143 ]
}
