#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The database survives what happens to it: kills, full disks, other imports, damage; and readers
# leave nothing where it lies.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
}

teardown() {
  [ -z "${disk:-}" ] || { umount "$disk" 2>/dev/null; rmdir "$disk"; } || true
}

can_make_nameless() {
  command -v strace > /dev/null && ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=openat topomap graph generate ring:4 -o x.tmg 2>&1 |
    grep -q 'O_TMPFILE.*= [0-9]'
}

# A small file system that everybody may look into, at $disk.
make_disk() {
  disk=$(mktemp -d "${TMPDIR:-/tmp}/topomap-disk.XXXXXX")
  mount -t tmpfs -o "mode=755,size=$1" none "$disk" 2>/dev/null || skip "cannot mount"
}

as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

fabric() { awk -f "$TOPOMAP_SOURCE/tests/bench/make-fabric" -v k="$1" -v speed="$2"; }

# All that a database says, but the time of its imports.
contents() {
  sqlite3 "file:$1?immutable=1" 'PRAGMA integrity_check' '.dump' | sed "/INTO source /s/,[0-9]\{10\},/,TIME,/; s/INTO fact VALUES('changed',[0-9]*)/CHANGED/"
}

@test "200 imports killed at random moments: the database is the one before or after" {
  fabric 10 EDR > v1
  fabric 10 HDR > v2
  topomap db import --db before.db ibnetdiscover "$data/tree.ibnetdiscover"
  cp v1 dump
  topomap db import --db before.db ibnetdiscover dump
  cp v2 dump
  cp before.db after.db
  start=${EPOCHREALTIME/./}
  topomap db import --db after.db ibnetdiscover dump
  took=$((${EPOCHREALTIME/./} - start))
  contents after.db > after
  [ "$(head -1 after)" = ok ]
  ! cmp -s after <(contents before.db) || false
  mkfifo never
  exec 8<>never
  nameless=false
  ! can_make_nameless || nameless=true
  RANDOM=1 old=0 new=0 left=0
  for i in $(seq 200); do
    cp before.db t.db
    topomap db import --db t.db ibnetdiscover dump > out 2>&1 &
    printf -v delay '0.%06d' $((took * (RANDOM % 110) / 100))
    read -r -t "$delay" -u 8 || true
    kill -9 $! 2>/dev/null || true
    wait $! || true
    # How long an import takes is what the machine does beside it: later where this one was killed, sooner where not.
    if cmp -s before.db t.db; then
      old=$((old + 1)) took=$((took * 26 / 25 + 1))
    else
      contents t.db | cmp - after
      new=$((new + 1)) took=$((took * 24 / 25))
    fi
    while read -r file; do
      left=$((left + 1))
      ! "$nameless" || contents "$file" | cmp - after
      rm "$file"
    done < <(find . -name '*t.db.*')
  done
  echo "$old before, $new after, $left with a copy left behind"
  [ $old -gt 20 ]
  [ $new -gt 20 ]
  # Where files can be made without names, one has its name when it is whole, just before it is put in place; where
  # they had names from the beginning, each of those killed would leave one.
  ! "$nameless" || [ $left -le 10 ]
  # What an earlier version has left is nothing to this one.
  head -c 100000 /dev/urandom > t.db.import
  cp before.db t.db
  topomap db import --db t.db ibnetdiscover dump
  contents t.db | cmp - after
}

@test "the first import of all, killed: no database, and the next one makes it" {
  fabric 10 HDR > dump
  mkfifo never
  exec 8<>never
  for i in 01 02 04 06 08 10 15 20; do
    topomap db import --db t.db ibnetdiscover dump > out 2>&1 &
    read -r -t "0.0$i" -u 8 || true
    kill -9 $! 2>/dev/null || true
    wait $! || true
    if [ -e t.db ]; then
      [ "$(topomap db show --db t.db --summary --json | jq .hosts)" = 250 ]
      rm t.db
    fi
  done
  topomap db import --db t.db ibnetdiscover dump
  [ "$(topomap db show --db t.db --summary --json | jq .hosts)" = 250 ]
  [ -z "$(ls -A | grep 't\.db.')" ]
}

@test "a full disk: exit 4, the database as before, nothing left" {
  make_disk 512k
  topomap db import --db "$disk"/t.db ibnetdiscover "$data/tree.ibnetdiscover"
  sum=$(sha256sum "$disk"/t.db)
  fabric 16 HDR > dump
  # Full while rows are written, while the copy is made, and from the beginning.
  for room in 200 40 0; do
    free=$(($(stat -f -c '%a*%S' "$disk") / 1024))
    dd if=/dev/zero of="$disk"/fill bs=1k count=$((free - room)) status=none || true
    run --separate-stderr -4 topomap db import --db "$disk"/t.db ibnetdiscover dump
    [[ $stderr == *"disk"*"full"* || $stderr == *"No space left"* ]]
    [ "$(sha256sum "$disk"/t.db)" = "$sum" ]
    rm "$disk"/fill
    [ "$(ls "$disk")" = t.db ]
  done
  topomap db show --db "$disk"/t.db node1
}

@test "a folder or file system that cannot be written: exit 4, with the reason" {
  make_disk 4m
  topomap db import --db "$disk"/t.db ibnetdiscover "$data/tree.ibnetdiscover"
  sum=$(sha256sum "$disk"/t.db)
  mount -o remount,ro "$disk"
  run --separate-stderr -4 topomap db import --db "$disk"/t.db ibnetdiscover "$data/tree.ibnetdiscover"
  fails_with 4 /t.db: 'Read-only file system'
  run --separate-stderr -4 topomap db import --db "$disk"/new.db ibnetdiscover "$data/tree.ibnetdiscover"
  fails_with 4 'Read-only file system'
  mount -o remount,rw "$disk"
  cp "$data/tree.ibnetdiscover" "$disk"/dump
  if as_nobody "$TOPOMAP_BUILD/cli/topomap" --version > /dev/null; then
    run --separate-stderr -4 as_nobody "$TOPOMAP_BUILD/cli/topomap" db import --db "$disk"/t.db \
      ibnetdiscover "$disk"/dump
    fails_with 4 t.db: 'Permission denied'
  fi
  rm "$disk"/dump
  [ "$(sha256sum "$disk"/t.db)" = "$sum" ]
  [ "$(ls "$disk")" = t.db ]
  run --separate-stderr -4 topomap db import --db nowhere/t.db ibnetdiscover "$data/tree.ibnetdiscover"
  fails_with 4 nowhere/t.db: 'No such file'
}

@test "another import runs: exit 4, and neither disturbs the other" {
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  sum=$(sha256sum t.db)
  # A lock for writing, as an import has it, by whoever may write: sqlite3's own here.
  mkfifo words
  sqlite3 t.db < words > said &
  exec 7> words
  echo 'BEGIN IMMEDIATE; SELECT 1;' >&7
  until [ -s said ]; do sleep 0.05; done
  run --separate-stderr -4 topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  fails_with 4 t.db: locked
  [ "$(sha256sum t.db)" = "$sum" ]
  exec 7>&-
  wait
  # Whoever may only read holds no import up.
  exec 7< t.db
  flock 7
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  rm words said
  [ "$(ls -A)" = t.db ]
}

@test "imports at once: each one is whole or is told to wait" {
  fabric 10 HDR > dump
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  for i in 1 2 3 4 5 6; do
    { status=0; topomap db import --db t.db ibnetdiscover dump > out$i 2> err$i || status=$?; echo $status > status$i; } &
  done
  wait
  for i in 1 2 3 4 5 6; do
    [ "$(cat status$i)" = 0 ] || { [ "$(cat status$i)" = 4 ] && grep -q locked err$i; }
  done
  grep -qx 0 status?
  [ "$(topomap db show --db t.db --summary --json | jq .hosts)" = 255 ]
  [ -z "$(ls -A | grep 't\.db.')" ]
}

@test "a newer schema, another program's file, an empty file, garbage: said so, exit 3, untouched" {
  topomap db import --db newer.db ibnetdiscover "$data/tree.ibnetdiscover"
  cp newer.db cut.db
  cp newer.db good.db
  sqlite3 newer.db 'PRAGMA user_version=99'
  sqlite3 foreign.db 'CREATE TABLE host(id)'
  head -c 100000 /dev/urandom > noise.db
  printf 'SQLite format 3\0' > stub.db
  echo text > text.db
  sum=$(sha256sum *.db)
  for db in newer foreign noise stub text; do
    for what in "show --db $db.db" "show --db $db.db --summary" "distance --db $db.db node1 node2" \
      "import --db $db.db ibnetdiscover $data/tree.ibnetdiscover"; do
      run --separate-stderr -3 topomap db $what
      case $db in
        newer) fails_with 3 newer.db: 99 ;;
        *) fails_with 3 "$db.db:" ;;
      esac
    done
  done
  [ "$(sha256sum *.db)" = "$sum" ]
  cp good.db less.db
  sqlite3 less.db 'DROP TABLE attach'
  run --separate-stderr -3 topomap db show --db less.db
  fails_with 3 less.db: attach
  size=$(stat -c %s good.db)
  for part in 1 2 3 5 9; do
    head -c $((size * part / 10)) good.db > cut.db
    run --separate-stderr topomap db show --db cut.db
    [ "$status" -eq 3 ] || [ "$status" -eq 0 ]
    run --separate-stderr topomap db distance --db cut.db node1 node10
    [ "$status" -eq 3 ] || [ "$status" -eq 0 ]
    run --separate-stderr topomap db show --db cut.db --summary
    [ "$status" -eq 3 ] || [ "$status" -eq 0 ]
  done
  : > empty.db
  run --separate-stderr -3 topomap db show --db empty.db
  run --separate-stderr -3 topomap db show --db .
  mkfifo fifo
  run --separate-stderr -3 timeout 10 "$TOPOMAP_BUILD/cli/topomap" db show --db fifo
}

@test "a database with a view, a trigger, another table or column: said so, exit 3, and nothing of it runs" {
  topomap db import --db good.db ibnetdiscover "$data/tree.ibnetdiscover"
  count=0
  while IFS='|' read -r what sql; do
    cp good.db t.db
    sqlite3 t.db "$sql"
    sum=$(sha256sum t.db)
    for command in "db show --db t.db" "db check --db t.db" "db export --db t.db --to links" "db diff t.db good.db" \
      "db import --db t.db ibnetdiscover $data/tree.ibnetdiscover" "map --graph ring:2 --db t.db --nodes node1,node2 --tasks-per-node 1"; do
      run --separate-stderr -3 topomap $command
      fails_with 3 t.db: "$what" ||
        { echo "$what: $command: $stderr"; false; }
    done
    [ "$(sha256sum t.db)" = "$sum" ]
    count=$((count + 1))
  done <<'END'
table 'real'|ALTER TABLE host RENAME TO real; CREATE VIEW host AS SELECT * FROM real;
view 'v'|CREATE VIEW v AS SELECT 1;
trigger 't'|CREATE TRIGGER t AFTER INSERT ON host BEGIN DELETE FROM source; END;
table 'more'|CREATE TABLE more(x);
table 'fact'|ALTER TABLE fact ADD COLUMN more;
table 'fact'|DROP TABLE fact; CREATE TABLE fact(name TEXT PRIMARY KEY, value DEFAULT (randomblob(1000000000))) WITHOUT ROWID;
table 'fts'|CREATE VIRTUAL TABLE fts USING fts5(x);
index 'i'|CREATE INDEX i ON host(abs(id));
table 'sqlite_stat1'|ANALYZE;
END
  [ "$count" -eq 9 ]
  # One of the first form lacks a table that is made with the next import.
  cp good.db t.db
  sqlite3 t.db 'DROP TABLE slurm_setting; VACUUM'
  topomap db show --db t.db --summary
  topomap db import --db t.db ibnetdiscover "$data/tree.ibnetdiscover"
  [ "$(sqlite3 t.db 'SELECT count(*) FROM slurm_setting')" = 0 ]
}

# A sanitizer's build would say so on standard error, and exit with another status.
# bats test_tags=campaign
@test "random bytes changed in a database: no reader crashes" {
  topomap db import --db good.db ibnetdiscover "$data/tree.ibnetdiscover"
  topomap db import --db good.db xtdb2proc "$data/gemini.xtdb2proc"
  size=$(stat -c %s good.db)
  RANDOM=7
  for i in $(seq 60); do
    cp good.db t.db
    for n in $(seq $((RANDOM % 30 + 1))); do
      printf "\\x$(printf %02x $((RANDOM % 256)))" |
        dd of=t.db bs=1 seek=$((100 + (RANDOM * 32768 + RANDOM) % (size - 100))) conv=notrunc status=none
    done
    for what in show "show --summary" "show node1" "distance node1 node10" "distance nid00000 nid00023"; do
      run --separate-stderr timeout 20 "$TOPOMAP_BUILD/cli/topomap" db ${what%% *} --db t.db ${what#* }
      [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "$i: $what: $status $stderr"; false; }
    done 3>&-
    run --separate-stderr timeout 20 "$TOPOMAP_BUILD/cli/topomap" map --graph ring:4 --db t.db \
      --nodes node1,node2 --tasks-per-node 2
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "$i: map: $status $stderr"; false; }
  done
}

@test "50 readers at once while imports replace the database: each sees one or the other" {
  fabric 8 EDR > v1
  fabric 8 HDR > v2
  cp v1 dump
  topomap db import --db t.db ibnetdiscover dump
  { for i in 1 2 3 4 5 6 7 8; do
      cp v$((i % 2 + 1)) dump
      topomap db import --db t.db ibnetdiscover dump > /dev/null
    done; touch done; } &
  importer=$!
  for i in $(seq 50); do
    { status=0
      topomap db show --db t.db --summary --json > out$i 2> err$i || status=$?
      topomap db distance --db t.db node00000 node00127 --json >> out$i 2>> err$i || status=$?
      echo $status > status$i; } &
    readers="$readers $!"
  done
  wait $importer $readers
  [ -e done ]
  [ "$(cat status* | sort -u)" = 0 ]
  [ "$(cat err* | wc -c)" -eq 0 ]
  [ "$(cat out* | jq -c '[.hosts,.hops]' | sort | uniq -c | awk '{ print $1, $2 }' | sort)" = "50 [128,null]
50 [null,6]" ]
  [ -z "$(ls -A | grep 't\.db.')" ]
}

@test "a reader on a read-only file system and without permissions locks, writes and makes nothing" {
  command -v strace > /dev/null || skip "no strace"
  make_disk 4m
  topomap db import --db "$disk"/t.db ibnetdiscover "$data/tree.ibnetdiscover"
  chmod 444 "$disk"/t.db
  mount -o remount,ro "$disk"
  export ASAN_OPTIONS=detect_leaks=0
  as_nobody "$TOPOMAP_BUILD/cli/topomap" --version > /dev/null || skip "cannot change the user"
  for what in "show --summary" "show node1" "distance node1 node10"; do
    strace -f -o trace setpriv --reuid=65534 --regid=65534 --clear-groups \
      "$TOPOMAP_BUILD/cli/topomap" db ${what%% *} --db "$disk/t.db" ${what#* }
    grep -F "$disk" trace > ours
    grep -q 't\.db", O_RDONLY' ours
    run -1 grep -E 'O_RDWR|O_WRONLY|O_CREAT|unlink|rename|-journal|-wal|-shm' ours
    run -1 grep -E 'flock|F_SETLK|F_OFD_SETLK|fsync|fdatasync|ftruncate|pwrite' trace
  done
  [ "$(ls "$disk")" = t.db ]
}
