#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names that others made: what a terminal would obey in them never reaches one.
bats_require_minimum_version 1.5.0
load ../messages
load page
export LC_ALL=C.UTF-8 # bash goes by it where it reads $'\u009b' below

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  cd "$BATS_TEST_TMPDIR"
  # ESC, BEL, DEL, C1 as UTF-8 and as a byte, right-to-left override, line separator, no UTF-8.
  nasty=$'\e]0;title\a\e[31m\x7f\u009b31m\x9b\u202e\u2028\xff\xc3'
  awk -v nasty="$nasty" '{ gsub(/leaf1/, "leaf" nasty "1"); gsub(/node10/, "node" nasty "10"); print }' \
    "$TOPOMAP_SOURCE/tests/data/db/tree.ibnetdiscover" >dump
  grep -q $'\e' dump
  topomap db import --db t.db ibnetdiscover dump >import.out 2>&1
  topomap db import --db clean.db ibnetdiscover "$TOPOMAP_SOURCE/tests/data/db/tree.ibnetdiscover" >>import.out 2>&1
  printf 'from,to,bytes\n%s,b,5\nb,%s,5\n' "a$nasty" "a$nasty" >names.csv
  printf '0 1 5\n1 %s 7\n' "$nasty" >bad.edges
  printf '[rule %s]\nPartition=%s\nMode=no%s\n' "$nasty" "$nasty" "$nasty" >policy
  printf 'node1 %s\n' "$nasty" >mapping
  cp names.csv "g$nasty.csv"
}

# Nothing but text, newlines and tabs, and that UTF-8 as iconv knows it.
safe() { # FILE
  iconv -f UTF-8 -t UTF-8 "$1" >/dev/null
  run -1 env LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]' "$1"
  run -1 env LC_ALL=C grep -aP '\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1"
}

@test "no printing command lets control characters through" {
  safe import.out
  count=0
  while read -r words; do
    echo "now: topomap $words"
    # shellcheck disable=SC2086
    topomap ${words//@/$nasty} >out 2>err || [ $? -lt 5 ]
    cat out err >both
    [ -s both ]
    safe both
    count=$((count + 1))
  done <<'END'
db show --db t.db
db show --db t.db --json
db show --db t.db --summary
db show --db t.db node1
db show --db t.db node5 --json
db show --db t.db no@de
db check --db t.db
db check --db t.db --json
db diff t.db clean.db
db diff clean.db t.db --json
db distance --db t.db node1 node2
db distance --db t.db node1 node2 --json
db distance --db t.db node1 @
db import --db t.db links bad.edges
db import --db t.db coordinates mapping
db import --db t.db @ dump
db export --db t.db --to @
db synth @
graph info names.csv
graph info names.csv --json
graph info g@.csv
graph info bad.edges --from edges
graph info bad.edges --from matrix-market
graph info no@thing
graph recognise names.csv
graph generate @
graph convert names.csv x.@
map --graph bad.edges --machine mesh:2
map --graph names.csv --machine tree:2@
map --graph names.csv --db t.db --nodes node1,node2 --tasks-per-node 1
map --graph names.csv --db t.db --nodes node1,@ --tasks-per-node 1
map --graph names.csv --db t.db --nodes node1,node2 --tasks-per-node 1 --json
eval --graph names.csv --db t.db --nodes node1,node2 --tasks-per-node 1
eval --graph names.csv --machine mesh:2 --mapping mapping
policy check policy
why 0 --plan mapping
profile show @
doctor --db t.db
@ @
help @
END
  [ "$count" -eq 40 ]
}

@test "what is shown in place of them says what they are; machines read the names as they are" {
  topomap db show --db t.db >out
  grep -F '\x1b]0;title\x07\x1b[31m\x7f\u009b31m\x9b\u202e\u2028\xff' out
  # JSON tells every character, in ASCII.
  printf 'from,to,bytes\na\u009b\x7f\u202e,b,5\n' >exact.csv
  topomap graph convert exact.csv - --to json >exact.json
  [ "$(jq -r '.. | strings' exact.json | grep -c $'\u009b\x7f\u202e')" -ge 1 ]
  topomap graph convert exact.csv - --to edges | grep -c $'\u009b' || true
  printf '%s' 'plain: ä ‰ 日本 👍' >name
  printf 'from,to,bytes\nä日,b\n' >utf8.csv
  run -3 topomap graph info utf8.csv
  [[ $output != *'\u'* ]]
}

@test "a full standard output is still noticed" {
  run -4 bash -c 'topomap db show --db t.db >/dev/full'
  run -4 bash -c 'topomap db show --db t.db --json >/dev/full'
  run -4 bash -c 'topomap graph generate ring:4 >/dev/full'
}

# hostile.db: t.db after somebody wrote names into it that no importer writes, and a plan of it.
forge() {
  name=a${nasty//;/} # a ';' would end a field
  printf 'from,to,bytes\n%s,b,5\nb,%s,5\n' "$name" "$name" >named.csv
  cp t.db hostile.db
  sqlite3 hostile.db "UPDATE switch SET label = label || CAST(x'1b5d303b707769071b5b333167c29b7fe280aeff3c6920782226efbfbe' AS TEXT);
    UPDATE host SET status = CAST(x'1b5b333167ff' AS TEXT), type = CAST(x'1b5b333167ff0a' AS TEXT)"
}

@test "every export shows the control characters of names, and is what readers of its format take" {
  forge
  nodes=$(topomap db show --db hostile.db --json | jq -r '.[] | select(.attached != "").name' | paste -sd,)
  for format in links dot json svg slurm-topology simgrid scotch-arch; do
    topomap db export --db hostile.db --to $format -o $format
    safe $format
    topomap db export --db hostile.db --to $format | cmp - $format
  done
  # A new format is added here.
  run -2 topomap db export --db hostile.db --to none
  [ "$(grep -o 'there are .*' <<<"$output" | tr ',' '\n' | wc -l)" -eq 7 ]
  xmllint --noout --nonet svg
  xmllint --noout --nonet simgrid
  jq -e '.switches | all(.name | contains("\u001b]0;pwi\u0007\u001b[31g\u009b\u007f\u202e") and endswith("\\xff<i x\"&\ufffe"))' json
  topomap db import --db again.db links links
  [ "$(topomap db export --db again.db --to json | jq '.links | length')" -eq "$(jq '.links | length' json)" ]
  grep -F '\\x1b]0;pwi\\x07' dot
  for format in text json perm plan slurm-hostfile openmpi-rankfile prrte-rankfile machinefile mpich-rank-order pjsub-vcoord; do
    topomap map --graph ring:4 --db hostile.db --nodes "$(cut -d, -f1-4 <<<"$nodes")" --tasks-per-node 1 --format $format -o out ||
      [ $format = pjsub-vcoord ]
    safe out
  done
}

@test "pages and what Prometheus reads show them, and a browser draws the page" {
  forge
  topomap db report --db hostile.db -o fabric.html
  safe fabric.html
  topomap map --graph named.csv --db hostile.db --nodes node1,node2 --tasks-per-node 1 --format plan -o plan
  topomap report --plan plan --db hostile.db -o page.html
  safe page.html
  data page.html
  mkdir -p site/"$(id -u)"
  cp plan site/"$(id -u)"/1.0
  sed "s/^line .*/line $nasty/" plan >site/"$(id -u)"/1.1
  topomap report --records "$PWD/site" -o site.html
  topomap report --records "$PWD/site" -o site.prom
  safe site.html
  safe site.prom
  run ! grep -v '^#\|^topomap_[a-z_]*\({[a-z]*="[a-zA-Z+0-9 _-]*"}\)\? [0-9.eE+-]*$' site.prom
  drawn page.html
}

@test "names in graphs' files are shown as well, and JSON has them as they are" {
  forge
  for format in csv edges matrix-market metis json; do
    topomap graph convert named.csv "out.$format" --to $format 2>err || continue
    safe "out.$format"
  done
  [ -s out.json ] && [ -s out.edges ]
  jq -e '.names | any(startswith("a\u001b]0title\u0007") and endswith("\\xff\\xc3"))' out.json
  printf 'from,to,bytes\na\x7f\u00e4,b,5\n' >del.csv
  topomap graph convert del.csv x.tmg
  topomap graph convert x.tmg del.json
  jq -e '.names[0] == "a\u007fä"' del.json
}

@test "names that are not UTF-8 are shown by every command, and the import warns of the first line" {
  printf '# hosts: n[1-3]\nn1,1,sw\xe9,1,100\nn2,1,sw\xe9,2,100\nn3,1,s2,2,100\nsw\xe9,3,s2,3,100\n' >latin1.csv
  run --separate-stderr topomap db import --db l.db links latin1.csv
  warns_with latin1.csv:2 UTF-8
  [ "$(topomap db show --db l.db --json | jq -r '.[0].attached')" = 'sw\xe9' ]
  topomap db show --db l.db n1 --json | jq -e .
  for format in links dot json svg slurm-topology simgrid; do
    topomap db export --db l.db --to $format >$format
    safe $format
  done
  xmllint --noout --nonet simgrid
  jq -e '.switches | any(.name == "sw\\xe9")' json
  topomap db export --db l.db --to links | topomap db import --db same.db links -
  diff json <(topomap db export --db same.db --to json)
  # Valid UTF-8 stays, without a warning.
  iconv -f LATIN1 -t UTF-8 latin1.csv >utf8.csv
  run --separate-stderr topomap db import --db u.db links utf8.csv
  [ -z "$stderr" ]
  [ "$(topomap db show --db u.db --json | jq -r '.[0].attached')" = 'swé' ]
  # A name of more than one line stays one.
  echo 'n1: {"lldp":{"interface":[{"swp1":{"chassis":{"leaf\nhosts 99":{"capability":[{"type":"Bridge","enabled":true}]}},"port":{"id":{"type":"ifname","value":"swp2"}}}}]}}' >all.lldp
  topomap db import --db m.db lldp all.lldp
  topomap db export --db m.db --to links >links
  grep -F 'leaf\x0ahosts 99' links
  run ! grep '^hosts 99' links
}

@test "a name that no node can have is no host, with a warning, and no file for others has it" {
  port=0
  for name in 'a#b' 'a=b' 'a;b' -oProxyCommand=id .hidden '$(id)' ok1 ok2; do echo "\"$name\",1,s1,$((port += 1)),100"; done >odd.csv
  run --separate-stderr topomap db import --db o.db links odd.csv
  warns_with odd.csv 6 'a#b'
  [ "$(topomap db show --db o.db --json | jq -c '[.[].name]')" = '["ok1","ok2"]' ]
  [ "$(topomap db show --db o.db --summary --json | jq .unknown_adapters)" -eq 6 ]
  topomap db export --db o.db --to slurm-topology | grep -x 'SwitchName=s1 Nodes=ok\[1-2\]'
  topomap db export --db o.db --to links >odd.links
  run ! grep 'a#b\|oProxy\|;' odd.links
  # The site's map gives one a name.
  printf -- '-oProxyCommand=id ok3\n' >map
  run --separate-stderr topomap db import --db o.db hosts map
  warns_with 5
  topomap db export --db o.db --to slurm-topology | grep -x 'SwitchName=s1 Nodes=ok\[1-3\]'
  for name in -n1 .n1 'n;1' 'n=1'; do
    printf '%s\n' "x $name" >bad.map
    run topomap db import --db o.db hosts bad.map
    fails_with 3 bad.map:1
  done
  # A database that another program wrote.
  cp t.db odd.db
  sqlite3 odd.db "UPDATE host SET key = '-oproxycommand=id', name = '-oProxyCommand=id' WHERE name = 'node1'"
  for format in slurm-topology links; do
    run topomap db export --db odd.db --to $format
    fails_with 3 odd.db -oProxyCommand=id
  done
  for format in slurm-hostfile openmpi-rankfile prrte-rankfile machinefile; do
    run topomap map --graph ring:2 --db odd.db --nodes=-oProxyCommand=id,node2 --tasks-per-node 1 --format $format
    fails_with 2 -oProxyCommand=id
  done
  topomap map --graph ring:2 --db odd.db --nodes=-oProxyCommand=id,node2 --tasks-per-node 1 --format plan -o plan
  run ! topomap map --from-plan plan --format machinefile -o from-plan
  [ ! -e from-plan ]
}
