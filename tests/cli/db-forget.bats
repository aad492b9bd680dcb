#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap db show --sources and db forget: what a database was made from, and one of them taken out again.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  PATH="$TOPOMAP_BUILD/cli:$PATH"
  data="$TOPOMAP_SOURCE/tests/data/db"
  cd "$BATS_TEST_TMPDIR"
  topomap db synth fat-tree:leaves=2,hosts=3,spines=2 -o tree >synth
  cat >two.xml <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1024"/>
    <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="3">
      <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="4"/>
    </object>
    <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="5">
      <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="6"/>
    </object>
  </object>
</topology>
END
}

# All that a database says, but for when it was imported.
dump() {
  sqlite3 "$1" .dump | sed "/INTO source /s/,[0-9]\{10\},/,TIME,/; s/INTO fact VALUES('changed',[0-9]*)/CHANGED/"
}

refused() { # WORD... -- TOKEN...: db forget says that it cannot
  local words=()
  while [ "$1" != -- ]; do words+=("$1"); shift; done
  run -2 --separate-stderr topomap db forget --db t.db "${words[@]}"
  fails_with 2 "${@:2}"
}

@test "what was imported, in lines and as JSON" {
  topomap db import --db t.db ibnetdiscover tree/fabric.ibnetdiscover
  topomap db import --db t.db hwloc two.xml --nodes 'node[1-3]'
  run -0 topomap db show --db t.db --sources
  [ "${#lines[@]}" -eq 2 ]
  [[ ${lines[0]} =~ ^hwloc\ +20[0-9-]+\ [0-9:]+\ "$PWD/two.xml for node[1-3]"$ ]] # wording: a column
  [[ ${lines[1]} =~ ^ibnetdiscover\ +20[0-9-]+\ [0-9:]+\ "$PWD/tree/fabric.ibnetdiscover"$ ]]
  [ "$(topomap db show --db t.db --sources --json | jq -r '.[] | "\(.format) \(.name) \(.partial) \(.warnings) \(.imported > 1.7e9)"')" = \
    "$(printf '%s\n' "hwloc $PWD/two.xml for node[1-3] false 0 true" "ibnetdiscover $PWD/tree/fabric.ibnetdiscover false 0 true")" ]
  run -2 topomap db show --db t.db --sources --summary
}

@test "a source of every kind leaves nothing behind" {
  command -v sqlite3 >/dev/null || skip "no sqlite3"
  topomap db import --db base.db ibnetdiscover tree/fabric.ibnetdiscover
  topomap db import --db base.db hwloc two.xml --nodes 'node[01-03]'
  printf 'node01 0 0\nnode02 0 1\n' >places
  printf 'SLURM_VERSION = 26.05.3\nTopologyPlugin = topology/tree\n' >slurm.conf
  printf 'SwitchName=s1 Nodes=node[01-06]\n' >topology.conf
  local format file more
  while read -r format file more; do
    cp base.db t.db
    # shellcheck disable=SC2086 # words
    topomap db import --db t.db "$format" "$file" $more
    run ! cmp <(dump base.db) <(dump t.db)
    # shellcheck disable=SC2086 # words
    topomap db forget --db t.db "$format" "$file" $more >said
    has_tokens "$(<said)" '6 host' '4 switch' '10 link' || { echo "$format"; return 1; }
    cmp <(dump base.db) <(dump t.db) || { echo "$format"; diff <(dump base.db) <(dump t.db); return 1; }
  done <<END
hwloc two.xml --nodes=other[1-4]
hwloc $data/gh200.xml --nodes=gpu[1-2]
nccl-topology $data/a100.nccl.xml --nodes=gpu[1-2]
gpu-matrix $data/h100.topo --nodes=gpu[1-2]
xtprocadmin $data/gemini.xtprocadmin
xtdb2proc $data/gemini.xtdb2proc
opensm-lst $data/subnet.lst
hosts $data/hosts.map
lft tree/fabric.lfts
coordinates places
slurm-config slurm.conf
slurm-topology topology.conf
END
}

@test "the source that is meant: by its name, its file, its format alone" {
  topomap db import --db t.db ibnetdiscover tree/fabric.ibnetdiscover
  for nodes in 'node[1-3]' 'node[4-6]'; do topomap db import --db t.db hwloc two.xml --nodes "$nodes"; done
  cp t.db before.db
  refused hwloc -- 2 hwloc "$PWD/two.xml for node[1-3]" "$PWD/two.xml for node[4-6]"
  refused hwloc two.xml -- 2 hwloc "$PWD/two.xml for node[1-3]" "$PWD/two.xml for node[4-6]"
  refused hwloc two.xml --nodes 'node[1-4]' -- hwloc "'two.xml for node[1-4]'" "$PWD/two.xml for node[1-3]" "$PWD/two.xml for node[4-6]"
  refused hwloc other.xml -- hwloc "'other.xml'" "$PWD/two.xml for node[1-3]" "$PWD/two.xml for node[4-6]"
  refused ibnetdiscover fabric -- ibnetdiscover "'fabric'" "'$PWD/tree/fabric.ibnetdiscover'"
  refused lft -- lft 'topomap db show --sources'
  cmp t.db before.db
  run -2 topomap db forget --db t.db hwloc --nodes 'node[4-6]'
  topomap db forget --db before.db hwloc two.xml --nodes 'node[4-6]'
  topomap db forget --db t.db hwloc "$PWD/two.xml for node[4-6]"
  topomap db diff t.db before.db
  [ "$(topomap db show --db t.db --sources --json | jq -r '.[].format' | paste -sd' ')" = "hwloc ibnetdiscover" ]
  # The file itself may be gone, and its name lead elsewhere.
  mv two.xml gone.xml
  topomap db forget --db t.db hwloc "$PWD/two.xml"
  topomap db forget --db t.db ibnetdiscover
  [ "$(topomap db show --db t.db --sources --json)" = "[]" ]
  topomap db show --db t.db --summary | grep -qE '^sources +0\>'
  topomap db import --db t.db ibnetdiscover tree/fabric.ibnetdiscover
  topomap db diff t.db t.db
}

@test "a database that is not there is not made, and a reader keeps what it has open" {
  run -3 --separate-stderr topomap db forget --db none.db hwloc
  [ ! -e none.db ]
  fails_with 3 none.db:
  topomap db import --db t.db ibnetdiscover tree/fabric.ibnetdiscover
  exec 5<t.db
  topomap db forget --db t.db ibnetdiscover
  cmp <(topomap db show --db t.db --json) <(echo '[]')
  [ "$(stat -Lc %i /dev/fd/5)" != "$(stat -c %i t.db)" ]
}
