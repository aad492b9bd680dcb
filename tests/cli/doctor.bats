#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap doctor: a made site that is all well, then each thing of it broken. tests/slurm/doctor.bats
# has a real one.
bats_require_minimum_version 1.5.0

load ../messages

setup_file() {
  export PATH=$TOPOMAP_BUILD/cli:$PATH
  chmod go+x "$BATS_RUN_TMPDIR" # as a site's folders are
  cd "$BATS_FILE_TMPDIR"
  topomap db synth fat-tree:leaves=4,hosts=4,spines=2,names=node%02d -o made
  topomap db import --db t.db ibnetdiscover made/fabric.ibnetdiscover
  # The release that the plugin was built for, as it says itself.
  mkdir bin
  echo 'exit 1' >bin/srun
  echo "optional $TOPOMAP_BUILD/plugin/.libs/spank_topomap.so" >plugstack.conf
  touch slurm.conf
  built=$(PATH=$PWD/bin:$PATH topomap doctor --slurm-conf slurm.conf --json |
    jq -r '.checks[] | select(.name == "plugin build").found | match("Slurm ([0-9.]+)").captures[0].string')
  export built
  [[ $built == [0-9][0-9].[0-9][0-9] ]]
}

# A site: what a test breaks is a file here, or a word of the plugin's line.
setup() {
  cd "$BATS_TEST_TMPDIR"
  unset TOPOMAP_DB SLURM_CONF LD_LIBRARY_PATH
  mkdir -p bin etc/more etc/plugstack.conf.d lib libexec profilers
  mkdir -m 1777 store records spool
  cp "$BATS_FILE_TMPDIR/t.db" .
  chmod 644 t.db
  cp "$TOPOMAP_BUILD/plugin/.libs/spank_topomap.so" lib/
  cp "$TOPOMAP_BUILD/plugin/topomap-planner" "$TOPOMAP_BUILD/plugin/topomap-node" libexec/
  chmod 755 lib/* libexec/*
  for mpi in openmpi mpich mpi-abi; do cp lib/spank_topomap.so "profilers/libtopomap-profile-$mpi.so"; done
  srun_says "slurm $built.9"
  echo 'Rule=a Mode=on Pattern=ring:4' >policy.conf
  chmod 644 policy.conf
  printf '# a comment\nClusterName=x\npluginDIR=%s \\\n  DebugFlags=none\ninclude more/nodes.conf\n' "$PWD/lib" >etc/slurm.conf
  printf 'NodeName=DEFAULT CPUs=8\nNodeName=node[01-08] CPUs=4\nNodeName=node09,node[10-16]\n' >etc/more/nodes.conf
  echo 'include plugstack.conf.d/*.conf' >etc/plugstack.conf
  words="planner=$PWD/libexec/topomap-planner db=$PWD/t.db node_helper=$PWD/libexec/topomap-node profiler=$PWD/profilers policy=$PWD/policy.conf store=$PWD/store records=$PWD/records spool=$PWD/spool deadline_ms=16000"
  line optional
  export SLURM_CONF=$PWD/etc/slurm.conf PATH=$PWD/bin:$PATH
}

teardown() {
  [ ! -e fuse.pid ] || { kill "$(cat fuse.pid)" && umount -l fuse; } 2>/dev/null || true
}

# mounted PROGRAM...: starts it, for $PWD/fuse; fails where it cannot be mounted.
mounted() {
  [ -x "$1" ] || return 1
  mkdir -p fuse
  "$@" "$PWD/fuse" >fuse.ready 2>&1 3>&- &
  echo $! >fuse.pid
  local i
  for i in {1..600}; do
    ! grep -q ready fuse.ready || return 0
    kill -0 "$(cat fuse.pid)" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

srun_says() {
  printf '#!/bin/sh\necho "%s"\n' "$1" >bin/srun
  chmod 755 bin/srun
}

line() { # required|optional [WORDS]
  echo "$1 spank_topomap.so ${2-$words}" >etc/plugstack.conf.d/topomap.conf
}

# word NAME=VALUE in place of the line's own
word() { line optional "$(sed -E "s,(^| )${1%%=*}=[^ ]*,\1$1," <<<"$words")"; }

# check NAME STATUS TOKEN...: doctor ends with 1 where it is a problem, else with 0, and has these facts and advice.
check() {
  local status=0
  topomap doctor --json >json || status=$?
  jq -c --arg n "$1" '.checks[] | select(.name == $n)' json
  [ "$(jq -r --arg n "$1" '.checks[] | select(.name == $n).status' json)" = "$2" ]
  has_tokens "$(jq -r --arg n "$1" '.checks[] | select(.name == $n).found' json)" "${@:3}"
  [ "$2" = ok ] || [ "$2" = skipped ] || [ -n "$(jq -r --arg n "$1" '.checks[] | select(.name == $n).advice' json)" ]
  [ "$(jq '.ok' json)" = "$([ $status -eq 0 ] && echo true || echo false)" ]
  [ "$2" != problem ] || [ $status -eq 1 ]
}

needs_root() { [ "$(id -u)" = 0 ] || skip "the folders are root's"; }

@test "all is well: exit 0, a line a check, and the same for programs" {
  needs_root
  run topomap doctor
  echo "$output"
  [ $status -eq 0 ]
  [ "${lines[0]}" = "ok       slurm.conf       $PWD/etc/slurm.conf, 2 NodeName lines" ]
  run -0 --separate-stderr topomap doctor --json
  [ "$(jq -r .ok <<<"$output")" = true ]
  [ "$(jq -r '.checks[0] | keys | join(" ")' <<<"$output")" = "advice found name status" ]
  check "database nodes" ok 16
  check "dry run" ok 4
  check policy ok policy.conf 1
  check "plugin build" ok "topomap-plugin "
  check planner ok "libexec/topomap-planner, topomap-planner "
  check "node helper" ok "libexec/topomap-node, topomap-node "
  for folder in store records; do check $folder ok "mode 1777"; done
}

@test "slurm.conf that is not there, by each way to name it" {
  export SLURM_CONF=$PWD/none
  check slurm.conf problem "$PWD/none" 'No such file'
  run -0 topomap doctor --slurm-conf etc/slurm.conf --json
  unset SLURM_CONF
  printf '#!/bin/sh\n[ "$1 $2" = "show config" ] && echo "SLURM_CONF              = %s"\n' "$PWD/etc/slurm.conf" >bin/scontrol
  chmod 755 bin/scontrol
  check slurm.conf ok "$PWD/etc/slurm.conf"
}

@test "plugstack.conf: not there, without the line, twice, required, a word that is none" {
  rm etc/plugstack.conf
  check plugstack.conf problem "No such file"
  touch etc/plugstack.conf
  check plugstack.conf problem plugin
  run -0 topomap doctor --plugstack etc/plugstack.conf.d/topomap.conf
  echo 'PlugStackConfig='"$PWD/etc/plugstack.conf.d/topomap.conf" >>etc/slurm.conf
  check plugstack.conf ok "topomap.conf: spank_topomap.so, default=only-when-asked"
  line required
  check plugstack.conf warning required
  line optional "$words default=maybe plannner=/x"
  check plugstack.conf problem default=maybe plannner=/x
  line optional && line optional >>/dev/null
  cat etc/plugstack.conf.d/topomap.conf etc/plugstack.conf.d/topomap.conf >two
  mv two etc/plugstack.conf.d/topomap.conf
  check plugstack.conf problem 2
}

@test "the plugin: not there, no library, another's, cut, to be written by anybody" {
  rm lib/spank_topomap.so
  check plugin problem spank_topomap.so "$PWD/lib"
  check "plugin build" skipped ""
  echo hello >lib/spank_topomap.so
  check plugin problem library
  cp "$TOPOMAP_BUILD/plugin/topomap-planner" lib/spank_topomap.so
  check plugin problem ""
  head -c 20000 "$TOPOMAP_BUILD/plugin/.libs/spank_topomap.so" >lib/spank_topomap.so
  check plugin problem ""
  cp "$TOPOMAP_BUILD/plugin/.libs/spank_topomap.so" lib/
  chmod 757 lib/spank_topomap.so
  check plugin problem written
  chmod 700 lib/spank_topomap.so
  check plugin problem read
}

scontrol_says() { # LINE...
  printf '%s\n' "$@" >config
  printf '#!/bin/sh\n[ "$1 $2" != "show config" ] || cat "%s"\n' "$PWD/config" >bin/scontrol
  chmod 755 bin/scontrol
}

without_plugin_dir() { sed -i '/^pluginDIR/d; /DebugFlags/d' etc/slurm.conf; }

@test "the plugin's folder without PluginDir in slurm.conf: what scontrol says, else that of the Slurm it is built for" {
  without_plugin_dir
  scontrol_says 'Configuration data' 'PluginDir               = '"$PWD/lib" 'SLURM_CONF = /x'
  check plugin ok "$PWD/lib/spank_topomap.so"
  rm lib/spank_topomap.so
  check plugin problem spank_topomap.so "$PWD/lib"
  scontrol_says
  slurms=$(sed -n 's/^SLURM_PLUGINDIR = //p' "$TOPOMAP_BUILD/Makefile")
  [ -n "$slurms" ] && [ ! -e "$slurms/spank_topomap.so" ] || skip "no folder of Slurm's without a plugin of topomap's"
  check plugin problem spank_topomap.so "$slurms"
  has_tokens "$(jq -r '.checks[] | select(.name == "plugin").advice' json)" plugstack.conf
}

@test "the plugin is where topomap was installed to, but Slurm looks elsewhere" {
  needs_root
  own=$(make -s -C "$TOPOMAP_BUILD" -f Makefile -f - where <<<'where: ; @echo $(spankdir)' | tail -n 1)
  [ -d "$own" ] || skip "no folder $own to mount on"
  unshare -m true || skip "no namespace for a mount"
  mkdir empty
  sed -i "s,$PWD/lib,$PWD/empty," etc/slurm.conf
  unshare -m sh -c 'mount --bind "$1" "$2" && topomap doctor --json' _ "$PWD/lib" "$own" >json || [ $? -eq 1 ]
  run -0 jq -r '.checks[] | select(.name == "plugin") | .status, .found, .advice' json
  [ "${lines[0]}" = problem ]
  has_tokens "${lines[1]}" spank_topomap.so "$PWD/empty" "$own"
  has_tokens "${lines[2]}" "PluginDir=$PWD/empty:$own" slurm.conf "$own/spank_topomap.so" plugstack.conf
}

@test "a plugin for another Slurm, another topomap's, and no srun" {
  srun_says "slurm 19.05.2"
  check "plugin build" problem "$built" 19.05.2
  srun_says "slurm-wlm $built.1-rc1"
  check "plugin build" ok "$built"
  echo 'exit 1' >bin/srun
  check slurm warning srun
  check "plugin build" warning version
  srun_says "slurm $built.9"
  sed -i 's/topomap-plugin [0-9]/topomap-plugin 9/' lib/spank_topomap.so
  check "plugin build" warning 'topomap-plugin 9.0.0'
}

@test "symbols that this Slurm does not have" {
  command -v "${CC:-cc}" || skip "needs a C compiler"
  mkdir slurm
  nm -D --undefined-only lib/spank_topomap.so | awk '/ (slurm|spank)_/ && $1 == "U" { print "int " $2 "(void) { return 0; }" }' >all.c
  [ "$(wc -l <all.c)" -gt 4 ]
  grep -v spank_getenv all.c >some.c
  printf '#include <stdio.h>\nint main(void) { puts("slurm %s.9"); return 0; }\n' "$built" >srun.c
  for which in all some; do
    "${CC:-cc}" -w -shared -fPIC -o slurm/libslurmfull.so $which.c
    "${CC:-cc}" -o bin/srun srun.c -Wl,--no-as-needed -Lslurm -lslurmfull -Wl,-rpath,"$PWD/slurm"
    if [ $which = all ]; then
      check "plugin symbols" ok slurm/libslurmfull.so
    else
      check "plugin symbols" problem 1 spank_getenv
    fi
  done
}

@test "the planner: not there, not to be run, none, another version's, the plugin's own" {
  word planner=/nonexistent/planner
  check planner problem "/nonexistent/planner: No such file"
  check "dry run" skipped ""
  word planner="$PWD/none" && touch none
  check planner problem "Permission denied"
  printf '#!/bin/sh\necho hello\n' >none && chmod 755 none
  check planner problem hello
  printf '#!/bin/sh\necho topomap-planner 0.0.1\n' >none
  check planner problem 'topomap-planner 0.0.1'
  word planner="$PWD/libexec/topomap-planner"
  chmod 750 libexec
  check planner problem "$PWD/libexec"
  chmod 755 libexec
  line optional "${words#* }"
  topomap doctor --json | jq -r '.checks[] | select(.name == "planner").found' | grep '/topomap-planner'
}

@test "the node helper: not there, another version's, the plugin's own" {
  word node_helper=/nonexistent/helper
  check "node helper" problem "/nonexistent/helper: No such file"
  printf '#!/bin/sh\necho topomap-node 0.0.1\n' >none && chmod 755 none
  word node_helper="$PWD/none"
  check "node helper" problem 'topomap-node 0.0.1'
  line optional "$(sed -E 's,node_helper=[^ ]*,,' <<<"$words")"
  topomap doctor --json | jq -r '.checks[] | select(.name == "node helper").found' | grep '/topomap-node'
}

@test "a planner that hangs: the check that waits ends at its deadline, and says what it waited for" {
  words=${words/deadline_ms=16000/deadline_ms=300}
  printf '#!/bin/sh\nexec sleep 1000\n' >hangs && chmod 755 hangs
  word planner="$PWD/hangs"
  SECONDS=0
  run -1 topomap doctor --deadline 0.5
  [ $SECONDS -lt 30 ]
  has_tokens "$output" 0.5 planner --version
  # One that is right but for plans.
  printf '#!/bin/sh\n[ "$1" != --version ] || exec %s --version\nexec sleep 1000\n' "$PWD/libexec/topomap-planner" >hangs
  word planner="$PWD/hangs"
  check "dry run" problem planner 300
  printf '#!/bin/sh\n[ "$1" != --version ] || exec %s --version\nexit 3\n' "$PWD/libexec/topomap-planner" >hangs
  check "dry run" problem ""
}

@test "a pipe in place of slurm.conf" {
  mkfifo fifo
  SECONDS=0
  run -1 timeout 60 topomap doctor --slurm-conf fifo
  [ $SECONDS -lt 30 ]
  has_tokens "${lines[0]}" problem slurm.conf "fifo: " FIFO
}

@test "profilers: not there, none, a library of theirs that is missing" {
  mkdir mpi
  touch mpi/libmpich.so.12
  export LD_LIBRARY_PATH=$PWD/mpi
  rm profilers/libtopomap-profile-mpich.so
  check profilers problem "profilers/libtopomap-profile-mpich.so: No such file"
  echo hello >profilers/libtopomap-profile-mpich.so
  check profilers problem ELF
  command -v "${CC:-cc}" || skip "needs a C compiler"
  echo 'int gone(void) { return 0; }' | "${CC:-cc}" -shared -fPIC -o libgone.so -x c -
  echo 'int gone(void); int f(void) { return gone(); }' | "${CC:-cc}" -shared -fPIC -o profilers/libtopomap-profile-mpich.so -x c - -L. -lgone
  check profilers problem libgone.so
}

@test "MPI libraries: by name; one that is not known" {
  mkdir mpi
  touch mpi/libmpi.so.40 mpi/libmpi.so.40.30.4
  export LD_LIBRARY_PATH=$PWD/mpi
  check mpi ok "openmpi: $PWD/mpi/libmpi.so.40"
  touch mpi/libmpi.so.77
  check mpi warning "$PWD/mpi/libmpi.so.77"
}

# Without libraries of the system's: a root with what the command itself needs.
@test "no MPI library at all" {
  needs_root
  unshare -m true || skip "no namespace for a mount"
  mkdir -p root/proc root/dev
  for file in "$TOPOMAP_BUILD/cli/topomap" $(ldd "$TOPOMAP_BUILD/cli/topomap" | grep -o '/[^ )]*'); do
    cp --parents -L "$file" root/
  done
  unshare -m sh -c 'mount --bind /proc root/proc && mount --bind /dev root/dev && chroot root "$1" doctor --json' \
    _ "$TOPOMAP_BUILD/cli/topomap" >json || [ $? -eq 1 ]
  run -0 jq -r '.checks[] | select(.name == "mpi") | .status, .found, .advice' json
  [ "${lines[0]}" = warning ]
  [[ ${lines[1]} == *MPI* && ${lines[2]} == *MPI* ]]
}

# bats test_tags=campaign
@test "planner, helper, plugin or profilers on a file system that is not the node's own" {
  needs_root
  mkdir behind
  cp -r libexec profilers lib behind/
  mounted "$TOPOMAP_BUILD/tests/faults/slow-mount" "$PWD/behind" || skip "no FUSE here"
  word planner="$PWD/fuse/libexec/topomap-planner"
  check disks warning FUSE "$PWD/fuse/libexec/topomap-planner"
  [[ $(jq -r '.checks[] | select(.name == "disks").found' json) != *profilers* ]]
  word profiler="$PWD/fuse/profilers"
  check disks warning profilers FUSE "$PWD/fuse/profilers"
  word node_helper="$PWD/fuse/libexec/topomap-node"
  sed -i "s,$PWD/lib,$PWD/fuse/lib," etc/slurm.conf
  check disks warning FUSE "$PWD/fuse/libexec/topomap-node" "$PWD/fuse/lib/spank_topomap.so"
}

@test "a file system of the profilers' that never answers" {
  needs_root
  mounted "$TOPOMAP_BUILD/tests/slurm/stuck-mount" || skip "no FUSE here"
  word profiler="$PWD/fuse/mpi"
  SECONDS=0
  run -1 topomap doctor --deadline 0.5
  [ $SECONDS -lt 60 ]
  has_tokens "$(grep '^problem  disks ' <<<"$output")" 0.5 planner 'node helper' profilers
}

@test "the database: not there, none, empty, not everybody's; --db and TOPOMAP_DB go before db=" {
  word db=/nonexistent/t.db
  check database problem "/nonexistent/t.db"
  check "database age" skipped ""
  check "dry run" skipped ""
  TOPOMAP_DB=$PWD/t.db check database ok "t.db: 16 hosts, 6 switches"
  run -1 env TOPOMAP_DB= SLURM_CONF="$PWD/none" topomap doctor --json # one that is empty names none
  jq -e '.checks[] | select(.name == "database").found | contains("/var/lib/topomap/topology.db")' <<<"$output"
  run ! topomap doctor --db /nonexistent/other.db
  [[ $output == *"/nonexistent/other.db"* ]]
  word db="$PWD/none"
  head -c 5000 /dev/urandom >none
  check database problem "$PWD/none"
  word db="$PWD/t.db"
  chmod 640 t.db
  check database problem read
  chmod 646 t.db
  check database problem written
  chmod 644 t.db
  printf '\377' | dd of=t.db bs=1 seek=60 conv=notrunc status=none
  check database problem "t.db"
}

@test "the database's age and faults" {
  check "database age" ok '1 source'
  run topomap doctor --max-age 0 --json
  has_tokens "$(jq -r '.checks[] | select(.name == "database age") | "\(.status) \(.found)"' <<<"$output")" warning 1 0
  check "database faults" ok none
  topomap db synth fat-tree:leaves=4,hosts=4,spines=2,names=node%02d,fault=degraded:1 -o made
  topomap db import --db f.db ibnetdiscover made/fabric.ibnetdiscover
  chmod 644 f.db
  word db="$PWD/f.db"
  check "database faults" warning "1: "
}

@test "nodes of slurm.conf that the database does not know, and the reverse" {
  printf 'NodeName=node[15-16],other[1-3]\n' >etc/more/nodes.conf
  check "database nodes" problem 3 5 'other[1-3]' 14 'node[01-14]'
  echo 'NodeName=node[15-16]' >etc/more/nodes.conf
  check "database nodes" ok 2 14 'node[01-14]'
  echo 'NodeName=node[15-' >etc/more/nodes.conf
  check "database nodes" problem "NodeName: "
  : >etc/more/nodes.conf
  check "database nodes" skipped ""
}

@test "the policy: not there, a mistake, to be written by others, not to be read" {
  word policy=/nonexistent
  check policy problem "/nonexistent: No such file"
  word policy="$PWD/policy.conf"
  printf 'Rule=b Mode=maybe\nRule=c Modus=on\n' >>policy.conf
  check policy problem policy.conf:2: Mode "'maybe'"
  echo 'Rule=a Mode=on' >policy.conf
  chmod 666 policy.conf
  check policy problem written
  chmod 600 policy.conf
  check policy problem read
  line optional "${words/policy=* store/default=auto store}"
  check policy skipped "default=auto"
}

# bats test_tags=campaign
@test "store, records, spool: not there, a file, not sticky, not anybody's, a user's, not shared" {
  needs_root
  for folder in store records spool; do
    chmod 777 $folder
    check $folder problem 0777
    chmod 755 $folder
    check $folder problem 0755
    chmod 1777 $folder && chown 1 $folder
    check $folder problem 1
    rmdir $folder
    check $folder problem "No such file"
    touch $folder
    check $folder problem folder
    rm $folder && mkdir -m 1777 $folder
  done
  check spool warning disk
  line optional "db=$PWD/t.db"
  for folder in store records spool; do check $folder skipped "no $folder= in plugstack.conf"; done
  check store skipped profiles "\$XDG_CACHE_HOME/topomap"
  check records skipped plans "\$XDG_CACHE_HOME/topomap"
}

@test "store, records: root's with a folder for each user; one that somebody else made first" {
  needs_root
  for folder in store records; do
    chmod 711 $folder
    check $folder problem folder
    install -d -m 700 -o 1000 $folder/1000
    check $folder ok 0711 1
    chmod 1777 $folder
    check $folder ok 1777 first
    chown 65534 $folder/1000
    check $folder warning "$folder/1000" "\$XDG_CACHE_HOME/topomap"
    rmdir $folder/1000
    ln -s /tmp $folder/1001
    touch $folder/1002
    check $folder warning only
    rm $folder/100*
    install -d -m 770 -o 1000 $folder/1000
    check $folder warning "$folder/1000" open
    rmdir $folder/1000
    check $folder ok 1777
  done
}

@test "bad usage" {
  run -2 topomap doctor now
  run -2 topomap doctor --deadline 0
  run -2 topomap doctor --max-age young
}

@test "the order in which Slurm gives tasks to nodes is the dry run's" {
  slurm_is() { scontrol_says "SLURM_VERSION = $1" "TopologyPlugin = topology/$2"; } # VERSION PLUGIN
  printf '#!/bin/sh\nexit 1\n' >bin/scontrol
  chmod 755 bin/scontrol
  check "slurm order" skipped answer
  slurm_is 25.11.7 tree
  check "slurm order" ok "node-index (Slurm 25.11.7, topology/tree)"
  slurm_is 26.05.3 tree
  check "slurm order" warning 26.05.3 topology/tree node-index
  topomap db import --db t.db slurm-config config
  check "slurm order" warning "db import slurm-topology"
  echo 'SwitchName=s Nodes=node[01-16]' >topology.conf
  topomap db import --db t.db slurm-topology topology.conf
  check "slurm order" ok "topology (Slurm 26.05.3, topology/tree)"
  slurm_is 26.05.3 flat
  check "slurm order" warning node-index
  # topology.yaml overrides the plugin, which Slurm does not say.
  topomap db import --db t.db slurm-config config
  check "slurm order" ok "node-index (Slurm 26.05.3, topology/flat)"
  printf -- '- topology: t\n  tree: {switches: [{switch: s, nodes: "node[01-16]"}]}\n' >etc/topology.yaml
  check "slurm order" warning etc/topology.yaml TopologyPlugin topology/flat
  slurm_is 26.05.3 tree
  topomap db import --db t.db slurm-config config
  check "slurm order" warning etc/topology.yaml TopologyPlugin topology/tree
  topomap db import --db t.db slurm-topology etc/topology.yaml
  check "slurm order" ok "topology (Slurm 26.05.3, topology/tree)"
  echo 'SelectType = select/linear' >>config
  check "slurm order" warning node-index 26.05.3 topology/tree select/linear
}
