#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db refresh: all sources in one step, or the last good database.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  cd "$BATS_TEST_TMPDIR"
  export PATH=$TOPOMAP_BUILD/cli:$PATH TMPDIR=$BATS_TEST_TMPDIR/tmp
  mkdir tmp
  topomap db synth fat-tree:leaves=4,hosts=5,spines=2 -o made >/dev/null
  mv made/fabric.ibnetdiscover good
  printf '%s\n' 'db t.db # here' >conf
  printf '%s\n' '# the fabric' 'source ibnetdiscover seconds=30 command=cat good' "source coordinates file=places" >>conf
  printf 'node%02d %d 0 0\n' 1 0 2 1 >places
}

teardown() {
  [ -z "$(ls -A "$BATS_TEST_TMPDIR/tmp")" ]
  run ! compgen -G "$BATS_TEST_TMPDIR/.*.refresh"
}

hosts() { topomap db show --db t.db --summary --json | jq .hosts; }

# Status 1, the reason in a line, and the database as it was.
kept() { # WHY OPTION...
  local before why=$1
  shift
  before=$(sha256sum <t.db)
  run --separate-stderr topomap db refresh --config conf "$@"
  echo "$output $stderr"
  [ "$status" -eq 1 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  has_tokens "$stderr" 'topomap db refresh: ' t.db $why
  [ "$(sha256sum <t.db)" = "$before" ]
}

@test "a new database, then one step for all that has changed; what no line is about stays" {
  run --separate-stderr -0 topomap db refresh --config conf
  [ "$output" = "t.db is new" ]
  [ -z "$stderr" ]
  [ "$(hosts)" = 20 ]
  topomap db report --db t.db -o page.html
  [ "$(grep -o '<tr><td>\(coordinates\|ibnetdiscover\)</td>' page.html | sort -u | wc -l)" = 2 ]
  lstopo-no-graphics -i 'pack:2 core:4 pu:1' --of xml >node.xml
  topomap db import --db t.db hwloc node.xml --nodes 'node[01-04]'
  chmod 640 t.db
  run -0 topomap db refresh --config conf
  [ "$output" = "no differences" ]
  [ "$(topomap db show --db t.db --summary --json | jq .classes)" = 1 ]
  [ "$(stat -c %a t.db)" = 640 ]
  # A host less, within the limit; what would change, and then does.
  cp good all
  awk 'BEGIN { RS = ""; ORS = "\n\n" } /(^|\n)Ca\t[^\n]*node07/ { next } { gsub(/\n\[[^\n]*node07[^\n]*/, "") } 1' all >good
  cp t.db before.db
  run -0 topomap db refresh --config conf --dry-run
  has_tokens "$output" removed node07
  cmp t.db before.db
  run -0 topomap db refresh --config conf
  has_tokens "$output" removed node07
  [ "$(hosts)" = 19 ]
}

@test "imports of what is known leave the time since which it is" {
  times() { topomap db show --db t.db --summary --json | jq -c "[.sources, .newest == .changed, .changed == $1]"; }
  topomap db import --db t.db ibnetdiscover good
  [ "$(times 0)" = '[1,true,false]' ]
  sqlite3 t.db "UPDATE fact SET value = 86400 WHERE name = 'changed'"
  topomap db import --db t.db ibnetdiscover good
  [ "$(times 86400)" = '[1,false,true]' ]
  run -0 topomap db show --db t.db --summary
  [[ ${lines[-1]} == "sources           1, "*" 20"*"1970-01-02 00:00 UTC" ]]
  topomap db import --db t.db coordinates places
  [ "$(times 86400)" = '[2,true,false]' ]
  sqlite3 t.db "UPDATE fact SET value = 86400 WHERE name = 'changed'"
  run -0 topomap db refresh --config conf
  [ "$output" = "no differences" ]
  [ "$(times 86400)" = '[2,false,true]' ]
  # An older database knows no such time.
  sqlite3 t.db "DELETE FROM fact WHERE name IN ('changed', 'contents')"
  run -0 topomap db show --db t.db --summary
  [[ ${lines[-1]} == "sources           2, imported 20"* && ${lines[-1]} != *since* ]]
}

@test "a source that fails, prints rubbish, is late, is not there: the last good one stays" {
  topomap db refresh --config conf
  local conf
  conf=$(cat conf)
  try() { printf '%s\n' "$conf" "source $1" >conf; kept "$2"; printf '%s\n' "$conf" >conf; }
  try 'lft command=echo gone >&2; exit 3' '5 lft gone'
  try 'lft command=exit 3' '5 lft 3'
  try 'lft command=echo rubbish' '5 lft'
  try "lft seconds=0.2 command=sleep 1000.$$" '5 lft 0.2'
  try 'hosts file=nowhere' 'nowhere'
  mkfifo pipe
  try 'hosts file=pipe' 'FIFO'
  run pgrep -f "sleep 1000.$$"
  [ "$status" -ne 0 ]
}

@test "hosts that vanish: a limit, and --force" {
  topomap db refresh --config conf
  topomap db synth fat-tree:leaves=2,hosts=5,spines=2 -o small >/dev/null
  cp small/fabric.ibnetdiscover good
  kept "10 20 5 lose"
  [[ $output == *"removed host "* ]]
  sed -i '1a lose 50' conf
  run -0 topomap db refresh --config conf
  [ "$(hosts)" = 10 ]
  topomap db synth fat-tree:leaves=1,hosts=2,spines=1 -o tiny >/dev/null
  cp tiny/fabric.ibnetdiscover good
  kept "8 10"
  run -0 topomap db refresh --config conf --force
  [ "$(hosts)" = 2 ]
}

# A host whose inside was imported for a list of nodes stays a host without any link.
@test "hosts that lose all their links, switches and links are limited, too" {
  lstopo-no-graphics -i 'pack:2 core:4 pu:1' --of xml >node.xml
  topomap db refresh --config conf
  topomap db import --db t.db hwloc node.xml --nodes 'node[01-20]'
  cp good all
  for hosts in 4 1; do
    topomap db synth "fat-tree:leaves=4,hosts=$hosts,spines=2" -o fewer >/dev/null
    cp fewer/fabric.ibnetdiscover good
    kept "$((20 - 4 * hosts)) 20 hosts lose"
    rm -r fewer
  done
  # All hosts are there, and a spine with its cables is not.
  topomap db synth fat-tree:leaves=4,hosts=5,spines=1 -o fewer >/dev/null
  cp fewer/fabric.ibnetdiscover good
  kept "1 6 switches"
  # All switches are there, and two cables of a spine are not.
  awk '/^[SC]/ { spine = /spine02/ } /^\[[12]\]/ && spine { next } /"\[[12]\]/ && /spine02/ { next } 1' all >good
  kept "2 28 links"
  # With --force; the check names the dump that lacks the nodes.
  topomap db synth fat-tree:leaves=4,hosts=4,spines=2 -o few >/dev/null
  cp few/fabric.ibnetdiscover good
  topomap db refresh --config conf --force
  # It is the dump with links, also where a list of places was imported after it.
  sleep 1
  topomap db import --db t.db coordinates places
  run topomap db check --db t.db
  echo "$output"
  [ "$(grep -c "stray-node: node[0-9]*: .*ibnetdiscover $PWD/.t.db.refresh/ibnetdiscover, imported 20" <<<"$output")" -eq 4 ]
}

@test "an import while the commands run is not lost" {
  topomap db refresh --config conf
  printf '%s\n' 'node09 7 7 7' >more
  printf '%s\n' 'db t.db' 'source ibnetdiscover command=topomap db import --db t.db coordinates more >/dev/null && cat good' >conf
  run --separate-stderr -0 topomap db refresh --config conf
  topomap db show --db t.db node09 --json | grep -q 7
}

@test "another writer has the lock: the refresh is refused" {
  topomap db refresh --config conf
  python3 -c 'import fcntl, struct, sys, time
f = open("t.db", "r+b")
fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)) # F_OFD_SETLK
print("locked", flush=True)
sys.stdin.read()' >said < <(until [ -e done ]; do sleep 0.05; done) 3>&- &
  until grep -q locked said; do kill -0 $!; sleep 0.05; done
  kept locked
  touch done
  wait $!
  run -0 topomap db refresh --config conf
}

@test "a command's answer is read as a file is: packed, large, with a NUL" {
  printf '%s\n' 'db t.db' 'source ibnetdiscover seconds=100 command=cat answer' >conf
  xz -c good >answer
  run -0 topomap db refresh --config conf
  [ "$(hosts)" = 20 ]
  # More than 64 MiB, of comments.
  { cat good; yes '# and so on, and so on, and so on, and so on, and so on' | head -c 70000000; } >answer
  run -0 topomap db refresh --config conf
  [ "$output" = "no differences" ]
  { head -c 2000 good; printf '\0'; tail -c +2001 good; } >answer
  run -3 topomap db import --db other.db ibnetdiscover answer
  local why=${output#*answer:}
  kept "${why%% *}"
  rm answer
}

@test "killing a refresh kills its commands, and the next one removes its files" {
  local signal
  printf '%s\n' 'db t.db' "source ibnetdiscover seconds=1000 command=sleep 1000.$$ | cat; cat good" >conf
  for signal in TERM KILL; do
    topomap db refresh --config conf 3>&- &
    until pgrep -f "sleep 1000.$$" >/dev/null; do kill -0 $!; sleep 0.05; done
    [ -e .t.db.refresh/ibnetdiscover ]
    # Another one of the same database, meanwhile.
    run -1 topomap db refresh --config conf
    kill -$signal $!
    wait $! || true
    for _ in {1..600}; do pgrep -f "sleep 1000.$$" >/dev/null || break; sleep 0.1; done
    run ! pgrep -f "sleep 1000.$$"
    [ ! -e t.db ]
  done
  printf '%s\n' 'db t.db' 'source ibnetdiscover command=ls -A .t.db.refresh >seen; cat good' >conf
  topomap db refresh --config conf
  [ "$(cat seen)" = ibnetdiscover ] # this one's own
  [ ! -e .t.db.refresh ]
}

@test "Slurm's topology file is written where it would be another one" {
  echo "topology $PWD/topology.conf" >>conf
  run -0 topomap db refresh --config conf
  has_tokens "$output" topology.conf 'scontrol reconfigure'
  diff topology.conf <(topomap db export --db t.db --to slurm-topology)
  local before
  before=$(stat -c %i topology.conf)
  run -0 topomap db refresh --config conf
  [ "$output" = "no differences" ]
  [ "$(stat -c %i topology.conf)" = "$before" ]
}

# The service's own settings, as systemd makes a mount namespace of them (systemd.exec(5), ProtectSystem=full).
@test "the systemd service may write the database and Slurm's topology file" {
  [[ $EUID -eq 0 ]] || skip "needs root"
  unshare -m true || skip "no mount namespaces here"
  local unit=$TOPOMAP_SOURCE/contrib/packaging/systemd/topomap-refresh.service
  mkdir -p etc/slurm etc/topomap var/topomap
  printf '%s\n' 'db /var/lib/topomap/topology.db' 'topology /etc/slurm/topology.conf' "source ibnetdiscover file=$PWD/good" >etc/topomap/refresh.conf
  grep -x ProtectSystem=full "$unit"
  sed -n 's/^ReadWritePaths=//p' "$unit" | tr ' ' '\n' | sed 's/^-//' >writable
  sed -n 's/^ExecStart=topomap/topomap/p' "$unit" >command
  [ -s command ]
  unshare -m sh -ec '
    mount --bind etc /etc
    mount --bind var /var/lib
    for path in /etc /usr; do mount --bind $path $path; mount -o remount,bind,ro $path; done
    while read -r path; do mount --bind "$path" "$path"; mount -o remount,bind,rw "$path"; done <writable
    ! touch /etc/other 2>/dev/null
    . ./command'
  [ -s var/topomap/topology.db ]
  [ -s etc/slurm/topology.conf ]
}

@test "comments: behind a blank, and not within a path or a command" {
  printf '%s\n' '  # all' 'db a#b.db	# the database' 'lose 5 #percent' 'topology topo.conf   # for Slurm' \
    'source ibnetdiscover command=cat good # which the shell sees' >conf
  run -0 topomap db refresh --config conf
  [ "${lines[0]}" = "a#b.db is new" ]
  [ -s topo.conf ]
  for line in 'db # none' 'lose # none'; do
    printf '%s\n' "$line" 'source ibnetdiscover file=good' >conf
    run -3 topomap db refresh --config conf
    [[ $output == *"conf:1: expected "* ]]
  done
}

@test "what the help shows of a configuration can be copied as it stands" {
  topomap help db refresh | sed '1,/^The configuration/d; s/^  //; /^contrib/,$d' >shown
  for word in db lose topology source; do grep "^$word " shown; done
  sed "s,/[^ ]*/,$PWD/,; s,command=.*,command=false," shown >conf
  topomap db import --db topology.db ibnetdiscover good
  lstopo-no-graphics -i 'pack:2 core:4 pu:1' --of xml >node.xml
  run -1 topomap db refresh --config conf
  fails_with 1 "$PWD/topology.db" ibnetdiscover 1
}

@test "a configuration that is wrong is refused with the line" {
  wrong() { # LINE WHY
    printf '%s\n' '# one' "$1" >bad
    run -3 topomap db refresh --config bad
    fails_with 3 bad:2: "${@:2}"
  }
  wrong 'source nothing file=x' "'nothing'" 'topomap formats'
  wrong 'source lft' file=PATH command=
  wrong 'source lft file=x command=y' file=PATH command=
  wrong 'source lft seconds=soon file=x' "'seconds'"
  wrong 'source lft words' "'words'"
  wrong 'lose much' PERCENT
  wrong 'refresh often' "'refresh'"
  wrong 'db' path
  echo '# nothing' >bad
  run -3 topomap db refresh --config bad
  fails_with 3 bad
  run -2 topomap db refresh
}
