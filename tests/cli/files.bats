#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every command that writes a file: whole or not at all, whatever another user has prepared and
# whatever ends the command.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  data="$TOPOMAP_SOURCE/tests/data/db"
  topomap="$TOPOMAP_BUILD/cli/topomap"
  cd "$BATS_TEST_TMPDIR"
  mkdir in here
  cp "$data/tree.ibnetdiscover" in/dump
  "$topomap" db import --db in/t.db ibnetdiscover in/dump
  "$topomap" graph generate ring:4 -o in/g.tmg
  printf '%s\n' 1 0 3 2 >in/mapping
  awk 'BEGIN {
    print "kind,from,to,hops,size,latency_us,bandwidth_MBps"
    split("1 2 3 5 10", n)
    for (i = 1; i < 5; i++) for (j = i + 1; j < 6; j++) for (s = 8; s <= 524288; s *= 16)
      printf "pair,node%d,node%d,,%d,%.9f,%.3f\n", n[i], n[j], s, 1 + s / 10000, s / (1 + s / 10000)
  }' >in/measured
  "$topomap" map --graph ring:4 --db in/t.db --nodes node1,node2 --tasks-per-node 2 --format plan -o in/plan
  umask 022
}

# name of the target in its folder; the words of the command, @ for the target's path
readonly WRITERS='
out.tmg     graph generate ring:16 -o @
out.edges   graph generate ring:16 --output=@
out.tmg     graph convert ring:16 @
out.json    graph convert in/g.tmg @ --to json
out.metis   graph scale in/g.tmg --factor 2 -o @
out.tmg     graph merge in/g.tmg in/g.tmg -o @
out.tmg     graph permute in/g.tmg --mapping in/mapping -o @
out.tmg     graph partition stencil2d:5:8x8 --parts 4 --method rb -o @
out.map     map --graph ring:16 --machine torus:4x4 -o @
out.json    map --graph ring:16 --machine torus:4x4 --format json -o @
out.plan    map --graph ring:4 --db in/t.db --nodes node1,node2 --tasks-per-node 2 --format plan -o @
out.perm    map --replay in/plan --graph ring:4 --db in/t.db -o @
out.links   db export --db in/t.db --to links -o @
out.json    db export --db in/t.db --to json -o @
out.dot     db export --db in/t.db --to dot -o @
out.db      db import --db @ ibnetdiscover in/dump
out.cal     db calibrate in/measured --db in/t.db -o @
out.matrix  db calibrate in/measured --db in/t.db --matrix @
fabric.ibnetdiscover  db synth fat-tree:k=4,levels=2 -o here'

# each FUNCTION: runs it with $name, and $words in which @ is still to be replaced, for every writer.
each() {
  local name words count=0
  while read -r name words; do
    [ -n "$name" ] || continue
    count=$((count + 1))
    echo "now: topomap $words ($name)"
    "$1" # not beside || or &&, which would let its failures pass
  done <<<"$WRITERS"
  [ "$count" -eq 19 ]
}

command_of() { command=("$topomap" ${words//@/$1}); }

# Everything below here/ with its content, owner and mode, but for how it was reached and when.
state() { (cd here && find . -mindepth 1 -printf '%p %y %m %u %i %l ' -type f -exec sha256sum {} \; -o -printf '\n' | sort); }

wipe() { find here -mindepth 1 -delete; chmod 755 here; }

writes() {
  command_of "here/$name"
  "${command[@]}" >out 2>err
  [ -s "here/$name" ]
  [ "$(stat -c %a "here/$name")" = 640 ]
  case $words in
    *" db synth "* | "db synth "*) ;;
    *) [ "$(ls -A here)" = "$name" ] ;;
  esac
  before=$(stat -c %i "here/$name")
  chmod 606 "here/$name"
  "${command[@]}" >out 2>err
  [ "$(stat -c %a "here/$name")" = 606 ]
  [ "$(stat -c %i "here/$name")" != "$before" ]
  [ -z "$(find here -name '*topomap-new*')" ]
  wipe
}
@test "every writer: a new file as the umask has it, an old one is replaced whole and keeps its mode" {
  umask 027
  each writes
}

# What a command asks the system for: nothing that could be there already, nothing by a name that
# another could foresee.
traced() {
  command_of "here/$name"
  for round in new old; do
    strace -f -e trace=open,openat,creat,rename,renameat,renameat2,link,linkat,symlink,mkdir -o trace "${command[@]}" >out 2>err
    grep -E 'O_CREAT|O_TMPFILE|creat\(' trace >made || true
    run -1 grep -vE 'O_TMPFILE|O_CREAT\|O_EXCL\|O_NOFOLLOW\|O_CLOEXEC' made
    [ -s made ]
    run -1 grep -E -- '-(journal|wal|shm)"|\.import|O_TRUNC' trace
    # Read-write opens of named files in the folder: the lock of an import alone.
    run -1 grep -E 'O_(RDWR|WRONLY)' <(grep -F '"here' trace | grep -vE 'out\.db", O_RDWR\|O_NOCTTY')
  done
  wipe
}
@test "every writer: no file is made but new ones by names that nobody could foresee" {
  command -v strace >/dev/null || skip "no strace"
  export ASAN_OPTIONS=detect_leaks=0
  each traced
}

refused() {
  command_of "here/$name"
  run --separate-stderr -4 "${command[@]}"
  fails_with 4 "$@"
  [ "$(state)" = "$before" ]
}
in_everybodys_folder() {
  chmod 777 here
  before=$(state)
  refused folder
  chmod 1777 here
  # A link, a file, a FIFO of another user's. Root's are none.
  if [ "$(id -u)" = 0 ]; then
    cp in/t.db in/victim
    ln -s ../in/victim "here/$name"
    chown -h nobody "here/$name"
    before=$(state)
    refused user
    cmp in/t.db in/victim
    rm "here/$name"
    install -m 666 -o nobody in/victim "here/$name"
    before=$(state)
    refused user
    rm "here/$name"
    mkfifo "here/$name"
    chown nobody "here/$name"
    before=$(state)
    case $words in
      "db import "*) ;; # reads it first, and a FIFO is no database
      *) refused user ;;
    esac
    rm "here/$name"
  fi
  "${command[@]}" >out 2>err
  [ -s "here/$name" ]
  wipe
}
@test "every writer: a folder where others can replace files is refused, and what they have put there" {
  each in_everybodys_folder
}

@test "a copy that another user has prepared is not what an import publishes" {
  [ "$(id -u)" = 0 ] || skip "not root"
  chmod 1777 here
  install -m 666 -o nobody in/t.db here/t.db.import
  exec 7<>here/t.db.import
  before=$(sha256sum here/t.db.import)
  "$topomap" db import --db here/t.db ibnetdiscover in/dump
  [ "$(stat -c '%U %a' here/t.db)" = "$(id -un) 644" ]
  echo evil >&7
  run -1 grep -q evil here/t.db
  [ "$(sqlite3 here/t.db 'PRAGMA integrity_check')" = ok ]
}

@test "what is no regular file is written to: pipes, devices, descriptors" {
  each_direct() {
    case $words in
      "db import"* | "db synth"*) return 0 ;;
      "graph convert"*--to*) ;;
      graph*) words="$words --to edges" ;;
    esac
    command_of /dev/stdout
    "${command[@]}" 2>err | cat >piped
    [ -s piped ]
    { echo first; "${command[@]}" 2>err; } >appended
    [ "$(head -1 appended)" = first ]
    [ "$(wc -l <appended)" -eq $(($(wc -l <piped) + 1)) ]
    mkfifo fifo
    command_of fifo
    timeout 60 cat fifo >through &
    "${command[@]}" >out 2>err
    wait $!
    [ -s through ]
    command_of /dev/null
    "${command[@]}" >out 2>err
    [ -c /dev/null ]
    command_of /dev/full
    run -4 "${command[@]}"
    rm fifo
  }
  each each_direct
}

# What a signal leaves, on a file system that makes no files without names: strace says so in its
# place, and sends the signal when the file is finished but has not its name yet.
stopped() {
  command_of "here/$name"
  "${command[@]}" >out 2>err
  # Where there is a file already, as there is below: what is opened before the new one differs by that.
  strace -f -e trace=openat -o trace "${command[@]}" >out 2>err
  before=$(state)
  [ -n "$before" ]
  which=$(grep -n O_TMPFILE <(grep -F 'openat(' trace) | head -1 | cut -d: -f1)
  for signal in INT TERM HUP PIPE QUIT; do
    run env --default-signal=INT,TERM,HUP,PIPE,QUIT strace -f -o trace -e inject=openat:error=EOPNOTSUPP:when="$which" -e inject=fsync:signal=SIG$signal:when=1 \
      -e trace=openat,fsync,unlink,unlinkat "${command[@]}"
    [ "$status" -eq $((128 + $(kill -l $signal))) ]
    grep -q 'topomap-new", O_RDWR|O_CREAT|O_EXCL' trace
    [ "$(state)" = "$before" ]
  done
  wipe
}
@test "every writer: signals leave nothing, and the old file" {
  command -v strace >/dev/null || skip "no strace"
  export ASAN_OPTIONS=detect_leaks=0
  each stopped
}

# Nor does a kill, where files can be made without names.
killed() {
  command_of "here/$name"
  "${command[@]}" >out 2>err
  before=$(state)
  run strace -f -o /dev/null -e inject=fsync:signal=SIGKILL:when=1 -e trace=fsync "${command[@]}"
  [ "$status" -eq 137 ]
  [ "$(state)" = "$before" ]
  wipe
}
@test "every writer: a kill leaves nothing, and the old file" {
  command -v strace >/dev/null || skip "no strace"
  export ASAN_OPTIONS=detect_leaks=0
  strace -f -e trace=openat -o trace "$topomap" graph generate ring:4 -o here/x.tmg
  ! grep -q 'topomap-new' trace || skip "the file system makes no files without names"
  wipe
  each killed
}

# ---- Limits ------------------------------------------------------------------------------------

# limited STATUSES TEXT LIMIT: the command says TEXT and leaves all as it was; or it is done.
limited() {
  command_of "here/$name"
  "${command[@]}" >out 2>err
  before=$(state)
  status=0
  output=$(prlimit "$3" "${command[@]}" 2>&1) || status=$?
  if [ "$status" -eq 0 ] && [[ " $1 " == *" 0 "* ]]; then
    [ -z "$(find here -name '*topomap-new*')" ]
  else
    [[ " $1 " == *" $status "* ]] || { echo "status $status: $output"; return 1; }
    [[ $output =~ $2 ]] || { echo "$output"; return 1; }
    [ "$(state)" = "$before" ]
    [ -z "$(find here -name '*topomap-new*')" ]
  fi
  wipe
}
no_file() { limited "4" "File too large|ulimit -f" --fsize=0; }
little_file() { limited "0 4" "File too large|ulimit -f" --fsize=40; }
@test "every writer under ulimit -f: an error, not a signal" {
  each no_file
  each little_file
}

descriptors() { for most in 3 4 5 6 7 8; do limited "0 4 127" "Too many open files|unable to open|Error 24" --nofile=$most; done; }
# bats test_tags=campaign
@test "every writer under ulimit -n" { each descriptors; }

memory() { for most in 9000000 15000000 20000000 25000000 30000000; do limited "0 4 127" "emory|failed to map|cannot allocate" --as=$most; done; }
# bats test_tags=campaign
@test "every writer under ulimit -v" {
  ! grep -q __asan_init "$topomap" || skip "a sanitizer's shadow needs more"
  each memory
}

stack() { for most in 65536 262144; do limited "4" "the stack's limit \(ulimit -s\) is below" --stack=$most:$most; done; }
soft_stack() { limited "0" "" --stack=65536:8388608; }
@test "every writer under ulimit -s: an error, or the soft limit is lifted" {
  ! grep -q __asan_init "$topomap" || skip "a sanitizer needs more"
  each stack
  each soft_stack
}

others() {
  limited "0" "" --core=0
  limited "0" "" --locks=0
  limited "0" "" --cpu=30
}
processes() { limited "0 4" "cannot start|Resource temporarily|fork" --nproc=1; }
@test "every writer under ulimit -c, -x, -t and -u" {
  each others
  each processes
}

@test "a command that runs out of processor time says so and leaves nothing" {
  run -4 prlimit --cpu=2:2 "$topomap" map --graph stencil3d:27:74x74x73 --machine torus:74x74x73 --effort strong --time 300 -o here/x
  fails_with 4 'ulimit -t'
  [ -z "$(ls -A here)" ]
}
