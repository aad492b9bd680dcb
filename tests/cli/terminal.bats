#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What a terminal gets and a pipe does not: colours, lines that fit, and how far something has come.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  cd "$BATS_TEST_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH LC_ALL=C.UTF-8 TERM=xterm-256color XDG_CACHE_HOME=$PWD/cache HOME=$PWD
  unset NO_COLOR COLORTERM TOPOMAP_DB
}

# What a terminal of so many columns gets of a command; its exit status is in `status`.
terminal() { # COLUMNS COMMAND
  script -qec "stty cols $1; ${*:2}; echo \$? >status" /dev/null </dev/null | tr -d '\r'
}

database() { # t.db, $NODES and a plan of 16 ranks on 8 nodes
  topomap db synth fat-tree:leaves=4,hosts=2,spines=2 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db >/dev/null
  NODES=$(topomap db export --db t.db --to links | sed -n 's/^# all hosts: //p')
  topomap map --graph random:n=64,deg=4 --db t.db --nodes "$NODES" --tasks-per-node 8 --format plan -o plan
}

@test "every command takes --color, lists it in its help, its manual page and its completion, and refuses other words" {
  local name count=0
  while read -r name; do
    # shellcheck disable=SC2086
    topomap help $name | grep -q -e '--color auto|always|never'
    # shellcheck disable=SC2086
    topomap help --words $name | grep -qx -e '--color'
    # shellcheck disable=SC2086
    topomap help --man "${name%% *}" | grep -qF '\-\-color \fIauto|always|never'
    count=$((count + 1))
  done < <(topomap help --all | sed -n 's/^  \([a-z-]*\( [a-z-]*\)\{0,1\}\)  .*/\1/p')
  [ "$count" -ge 30 ]
  run -2 topomap formats --color blue
  fails_with 2 'topomap formats: ' --color auto always never blue
  run -2 topomap formats --color always --color never
  fails_with 2 --color
}

@test "colours are on a terminal alone, and as NO_COLOR, TERM and --color say" {
  database
  terminal 80 topomap db check --db t.db --nodes nobody >out
  [ "$(cat status)" = 1 ]
  grep -q $'^\e\\[3[13]m\\(warning\\|error\\)\e\\[0m ' out
  NO_COLOR=1 terminal 80 topomap db check --db t.db --nodes nobody >plain
  run ! grep -q $'\e' plain
  NO_COLOR='' terminal 80 topomap db check --db t.db --nodes nobody | grep -q $'\e'
  TERM=dumb terminal 80 topomap db check --db t.db --nodes nobody | run ! grep -q $'\e'
  terminal 80 topomap db check --db t.db --nodes nobody --color never | run ! grep -q $'\e'
  run -1 topomap db check --db t.db --nodes nobody
  [[ $output != *$'\e'* ]]
  diff <(printf '%s\n' "$output") plain
  NO_COLOR=1 run -1 topomap db check --db t.db --nodes nobody --color always
  [[ $output == *$'\e[0m '* ]]
  # What a name has in it is shown, colours or not; JSON has none.
  run -3 topomap graph info $'no\e[31mfile' --color always
  [[ $output == $'\e[31mtopomap graph info:\e[0m '*'no\x1b[31mfile'* ]]
  topomap db show --db t.db --json --color always >json
  jq -e . json
}

@test "show: a node a line, aligned, as wide as the terminal; in a pipe nothing is cut" {
  database
  topomap show --plan plan --db t.db >piped
  [ "$(wc -l <piped)" = 10 ]
  run ! grep -q ' $' piped
  run ! grep -q '\.\.\.$' piped
  # Columns begin where their heads do.
  awk 'NR == 2 { at = index($0, "RANKS"); next } NR > 2 && (substr($0, at - 1, 2) !~ /^ [0-9]/) { bad = 1 } END { exit bad || !at }' piped
  # Each has all ranks of its node.
  diff <(awk 'NR > 2 { print $1, $2 }' piped) <(topomap show --plan plan --db t.db --json | jq -r '
    def ranges: reduce .[] as $r ([]; if length > 0 and .[-1][1] + 1 == $r then .[-1][1] = $r else . + [[$r, $r]] end)
      | map(if .[0] == .[1] then "\(.[0])" elif .[0] + 1 == .[1] then "\(.[0]),\(.[1])" else "\(.[0])-\(.[1])" end) | join(",");
    .[] | "\(.node) \(.ranks | ranges)"')
  terminal 40 topomap show --plan plan --db t.db --color never >narrow
  [ "$(sed 1d narrow | wc -L)" -le 40 ]
  [ "$(wc -l <narrow)" = 10 ]
  [ "$(sed 1d narrow | awk '{ print $1 }')" = "$(sed 1d piped | awk '{ print $1 }')" ]
  terminal 80 topomap show --plan plan --db t.db | grep -q $'\e\\[1mNODE\e\\[0m'
}

@test "progress: on a terminal, from two seconds on, with a share, a rate and an estimate; gone when finished" {
  local search='topomap map --graph random:n=1600,deg=8 --machine tree:400:4@1:10 --effort strong --json -o out'
  terminal 80 "$search" >screen
  [ "$(cat status)" = 0 ]
  grep -q $'\e\\[Kmap: search: [0-9]* s, [0-9]* %, [0-9.]* candidates/s, about [0-9a-z ]* left' screen
  # Nothing but it is on the terminal, no line is as wide as that, and the last thing erases it.
  sed 's/\x1b\[K/\n/g' screen >lines
  [ "$(wc -L <lines)" -le 79 ]
  run ! grep -qv '^\(map: search.*\)\{0,1\}$' lines
  [ "$(tail -c 3 screen)" = $'\e[K' ]
  # The same map as without, and in a pipe nothing.
  $search 2>err
  [ ! -s err ]
  jq -c '.placement' out >piped
  terminal 80 "$search" >screen
  diff piped <(jq -c '.placement' out)
}

@test "progress: what is quick shows none" {
  terminal 80 topomap map --graph ring:16 --machine mesh:16 -o out >screen
  [ ! -s screen ]
  topomap db synth fat-tree:leaves=2,hosts=4,spines=1 -o made >/dev/null
  terminal 80 topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover >screen
  run ! grep -q $'\e' screen
}

# A command on a terminal that goes on only three seconds after it has started the thread that shows how far it has come: what
# is quick on some machine is long on any. It was shown, and erased before anything else was written.
held() { # SUBCOMMAND ARGUMENTS
  command -v strace >/dev/null || skip "needs strace"
  ASAN_OPTIONS=detect_leaks=0 terminal 80 "exec strace -qq -o /dev/null -e trace=clone,clone3 \
    -e inject=clone,clone3:delay_exit=3000000:when=1 topomap $*" >screen
  grep -q $'\e\\[K'"$1"'\(: [a-z ]*\)\{0,1\}: [0-9]' screen
  run ! grep -q "^$1:" <(sed 's/.*\x1b\[K//' screen)
}

@test "progress: a plan and its replay, however fast the machine" {
  topomap db synth fat-tree:leaves=8,hosts=4,spines=2 -o made
  topomap db import ibnetdiscover made/fabric.ibnetdiscover --db t.db >/dev/null
  nodes=$(topomap db export --db t.db --to links | sed -n 's/^# all hosts: //p')
  held map --graph random:n=256,deg=8 --db t.db --nodes "$nodes" --tasks-per-node 8 --objective J --format plan -o plan
  held map --replay plan
  grep -q '^replay of ' screen
}

# bats test_tags=campaign
@test "progress: reading a graph, however long that takes" {
  # The last line comes when the others have been seen to wait.
  cat >slow <<'END'
echo from,to,bytes
awk 'BEGIN { for (i = 0; i < 60000; i++) printf("%d,%d,100\n", i % 1000, (i + 1) % 1000) }'
until grep -q reading screen; do sleep 0.1; done
echo 1,0,100
END
  script -qfec 'sh slow | topomap graph info -' screen </dev/null >out
  grep -q $'\e\\[Kgraph info: reading: [0-9]* s, [0-9.]* [kM]B, [0-9.]* [kM]*B/s' screen
  run ! grep -q '^graph info:' <(sed 's/.*\x1b\[K//' screen)
  grep -q 'ranks  *1000' screen
  rm screen
  script -qfec 'sh slow | topomap map --graph - --machine mesh:1000 --algorithm identity --json -o map' screen </dev/null >out
  grep -q $'\e\\[Kmap: reading: [0-9]* s, [0-9.]* [kM]B, ' screen
  run ! grep -q '^map:' <(sed 's/.*\x1b\[K//' screen)
  jq -e '.placement | length == 1000' map
}
