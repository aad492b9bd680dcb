#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names that others made: what a terminal would obey in them never reaches one.
bats_require_minimum_version 1.5.0
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
