#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Manual pages: one for all that is installed, and each says what the tables say.
bats_require_minimum_version 1.5.0

setup() {
  PATH=$TOPOMAP_BUILD/cli:$PATH
  man=$TOPOMAP_SOURCE/doc/man
  cd "$BATS_TEST_TMPDIR"
}

# shown FILE: the page without roff's escapes.
shown() { sed 's/\\-/-/g; s/\\f[A-Z]//g' "$1"; }

# variable NAME: its words in the Makefile.
variable() {
  printf 'include Makefile\nshow-%s:\n\t@printf "%%s\\n" $(%s)\n' "$1" "$1" >"$BATS_TEST_TMPDIR/show.mk"
  env -u MAKEFLAGS -u MFLAGS make -s -C "$TOPOMAP_BUILD" -f "$BATS_TEST_TMPDIR/show.mk" "show-$1"
}

@test "everything that is installed in bin and libexec, and each configuration file, has a page" {
  local name pages count=0
  pages=" $( (variable man_MANS; variable dist_man_MANS; variable man1_MANS) | sed 's,.*/,,' | tr '\n' ' ')"
  for name in $(variable bin_PROGRAMS) $(variable bin_SCRIPTS) $(variable pkglibexec_PROGRAMS); do
    name=${name##*/}
    [[ $name != topomap-measure-* ]] || name=topomap-measure
    [[ $pages =~ \ ${name%.exe}\.[18]\  ]] || { echo "$name has no page in$pages"; false; }
    count=$((count + 1))
  done
  [ "$count" -ge 3 ]
  for name in topomap-plugin.8 topomap-policy.5 topomap-refresh.conf.5 topomap-record.5 topomap-database.5 \
    topomap-tmg.5 topomap-graph-formats.5 topomap-srun.1 topomap-doctor.8 topomap-refresh.8; do
    [[ $pages == *" $name "* ]] || { echo "no $name"; false; }
  done
  # Each first word of a command has one, too.
  while read -r name; do
    [[ $pages =~ \ topomap-$name\.[18]\  ]] || { echo "topomap $name has no page"; false; }
  done < <(topomap help --words | grep -v '^help$' | sort -u)
  # A page that another one names is there.
  while read -r name; do
    [[ $pages == *" $name "* ]] || { echo "$name is named, and is not there"; false; }
  done < <(cat "$man"/* | shown /dev/stdin | sed -n 's/^\.BR \(topomap[a-z.-]*\) (\([1-8]\)).*/\1.\2/p' | sort -u)
}

@test "topomap-plugin(8) has each word of plugstack.conf, and no other" {
  sed -n '/^static const struct row rows/,/^};/s/^    {"\([a-z_]*\)=\{0,1\}",.*/\1/p' "$TOPOMAP_SOURCE/plugin/common/args.c" | sort >words
  [ "$(wc -l <words)" -ge 15 ]
  sed -n '/^\.SH WORDS/,/^\.SH FILES/s/^\.\(BI\|B\) \([a-z_]*\)\(=.*\)\{0,1\}$/\2/p' "$man/topomap-plugin.8" | sort >told
  diff words told
}

@test "topomap-database(5) has each table with its columns" {
  command -v sqlite3 >/dev/null || skip "no sqlite3 here"
  topomap db import --db t.db ibnetdiscover "$TOPOMAP_SOURCE/tests/data/db/tree.ibnetdiscover"
  local table columns count=0
  shown "$man/topomap-database.5" >page
  while read -r table; do
    columns=$(sqlite3 t.db "SELECT group_concat(name, ', ') FROM pragma_table_info('$table')")
    grep -A1 -x "\.B $table" page | tail -1 | grep -qxF "($columns)" || { echo "$table ($columns)"; false; }
    count=$((count + 1))
  done < <(sqlite3 t.db "SELECT name FROM sqlite_master WHERE type = 'table'")
  [ "$count" -ge 35 ]
  [ "$count" -eq "$(grep -c '^\.B [a-z_]*$' page)" ] || { grep '^\.B [a-z_]*$' page; false; }
  [ "$(sqlite3 t.db 'PRAGMA application_id')" = "$((0x544d4150))" ]
  grep -q "\<schema\>.* $(sqlite3 t.db 'PRAGMA user_version')\." page
}

@test "topomap-policy(5) has each key that a rule may have, topomap-graph-formats(5) each format" {
  topomap help --man policy.5 | shown /dev/stdin >page
  local word
  for word in Rule= Mode= Pattern= Force= partition account qos user group program nodes tasks; do
    grep -q "^\.B $word" page
  done
  topomap help policy check | grep -oE '\b[A-Z][A-Za-z]+=' | grep -vE '^(FACT|NAME|PERCENT|LAUNCHES|TOPOMAP)=' | tr -d = | sort -u >keys
  [ "$(wc -l <keys)" -ge 15 ]
  while read -r word; do
    grep -qiE "^\.B $word(=|$)" page || { echo "$word is not in topomap-policy(5)"; false; }
  done <keys
  sed -n 's/^\.B \([A-Z][A-Za-z]*\)\(=.*\)\?$/\1/p' page >rows
  [ "$(wc -l <rows)" -ge 20 ]
  while read -r word; do
    grep -qx "$word" keys || { echo "$word is not in \`topomap help policy check\`"; false; }
  done <rows
  topomap help --man graph-formats.5 | shown /dev/stdin >page
  while read -r word; do
    grep -qx "\.B $word" page
  done < <(topomap help --words graph convert --from)
  [ "$(topomap help --words graph convert --from | wc -l)" -ge 10 ]
}

@test "topomap-refresh.conf(5) has what the reader takes, topomap-record(5) what records have" {
  local word
  shown "$man/topomap-refresh.conf.5" >page
  for word in db lose topology source; do
    grep -q "^\.BI $word " page
  done
  for word in nodes= option= seconds= file= command=; do
    grep -q "$word" page
  done
  sed -n '/^\.SH EXAMPLES/,/^\.fi/p' page | grep '^[a-z]' >refresh.conf
  [ "$(wc -l <refresh.conf)" -ge 4 ]
  sed -i "s,/var/lib/topomap,$PWD," refresh.conf # it is read: only what it names is not here
  run -1 topomap db refresh --config refresh.conf
  [[ $output != *"expected"* ]]
  topomap db synth fat-tree:k=4,levels=2 -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  topomap map --db t.db --graph ring:8 --nodes "$(topomap db show --db t.db --json | jq -r '[.[].name][:4] | join(",")')" --tasks-per-node 2 --format plan -o plan
  shown "$man/topomap-record.5" >page
  [ "$(head -1 plan)" = "topomap-plan 1" ]
  grep -qx '\.B topomap-plan 1' page
  grep -qx '\.B topomap-request 1' page
  grep -qx '\.B topomap-reply 1' page
  [ "$(grep -cE '^(version|time|db|graph|nodes|tasks|layout|status|gain) ' plan)" -ge 9 ]
  for word in $(sed -n 's/^\(version\|time\|db\|graph\|nodes\|tasks\|layout\|bindings\|status\|line\|plan-id\|gain\|input-graph\|input-db\) .*/\1/p' plan | sort -u); do
    grep -qE "^\.(B|BI|BR) .*\b$word\b" page || { echo "$word"; false; }
  done
}

@test "topomap-srun(1) has each variable that tasks see and that the plugin reads" {
  topomap help --man srun | shown /dev/stdin | sed -n '/^\.SH ENVIRONMENT/,/^\.SH SEE/p' >page
  sed -n 's/^#define PLUGIN_ENV_[A-Z_]* "\(TOPOMAP_[A-Z_]*\)".*/\1/p' "$TOPOMAP_SOURCE/plugin/common/environment.h" >names
  [ "$(wc -l <names)" -ge 9 ]
  for word in TOPOMAP TOPOMAP_GRAPH TOPOMAP_DB $(grep -v MEMORY names); do # the memory is between plugin and profiler
    grep -qE "^\.B (.*, )?$word(,|$)" page || { echo "$word"; false; }
  done
}

@test "a page of several commands is not called by its first one's summary" {
  local name count=0
  while read -r name; do
    topomap help --man "$name" >page
    [ "$(grep -c '^\.SS "topomap ' page)" -gt 1 ] || continue
    count=$((count + 1))
    [ "$(sed -n '/^\.SH NAME/{n;s/.* \\- //p}' page)." != "$(sed -n '/^\.SS "topomap /{n;p;q}' page)" ] || { head -3 page; false; }
  done < <(topomap help --words | grep -v '^help$' | sort -u)
  [ "$count" -ge 3 ]
}

@test "pages of what goes by a configuration say so of TOPOMAP_DB" {
  local page
  for page in run doctor.8; do # doctor.bats sees that it is so
    run -0 topomap help --man "$page"
    [[ $output == *"where \-\-db does not name it; it goes before db= of plugstack.conf."* ]] # wording: the page itself
  done
  run -0 topomap help --man refresh.8
  [[ $output == *"neither \-\-db nor the configuration's db names it."* ]] # wording: the page itself
}

@test "mandoc has nothing to say of any page" {
  command -v mandoc >/dev/null || skip "no mandoc here"
  local page
  for page in "$man"/* $(find "$TOPOMAP_SOURCE/lib" "$TOPOMAP_SOURCE/contrib" -name '*.[1-8]') "$TOPOMAP_BUILD"/cli/*.[1-8]; do
    mandoc -T lint -W warning "$page" | grep -v 'missing date, using ""' || true
  done >said
  cat said
  [ ! -s said ]
}
