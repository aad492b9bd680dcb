#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Slurm in the middle of an upgrade: slurmctld is upgraded first, then the nodes, then srun. Two
# Slurms and a build of topomap for each:
#   TOPOMAP_TEST_SLURM_OLD=/opt/slurm-25.05 TOPOMAP_TEST_BUILD_OLD=../build-25.05 \
#   TOPOMAP_TEST_SLURM_NEW=/opt/slurm-25.11 TOPOMAP_TEST_BUILD_NEW=../build-25.11 bats upgrades.bats
# which auto/check --slurm NEW --slurm-old OLD sets.
bats_require_minimum_version 1.5.0

setup_file() {
  local name
  [[ $EUID -eq 0 ]] || skip "needs root"
  for name in SLURM_OLD BUILD_OLD SLURM_NEW BUILD_NEW; do
    name=TOPOMAP_TEST_$name
    [[ -n ${!name:-} ]] || { export LACK="two releases of Slurm in use at once: $name names none"; return 0; }
    printf -v "$name" %s "$(cd "${!name}" && pwd)"
    export "${name?}"
  done
  export OLD=$TOPOMAP_TEST_SLURM_OLD NEW=$TOPOMAP_TEST_SLURM_NEW
  export OLD_PLUGIN=$TOPOMAP_TEST_BUILD_OLD/plugin/.libs/spank_topomap.so
  export NEW_PLUGIN=$TOPOMAP_TEST_BUILD_NEW/plugin/.libs/spank_topomap.so
  export GRAPH=$BATS_FILE_TMPDIR/far.csv
  for r in {0..3}; do echo "$r,$((r + 4)),1000"; done >"$GRAPH"
}

setup() {
  [[ -z ${LACK:-} ]] || skip "$LACK" # bats 1.8 fails where setup_file skips
  cd "$BATS_TEST_TMPDIR" || return
  BED=$BATS_TEST_TMPDIR/bed
}

teardown() {
  [[ ! -d ${BED:-} ]] || "$TOPOMAP_SOURCE/contrib/testbed/testbed" down "$BED"
}

# A prefix whose slurmctld is CONTROLLER's, and whose slurmd is, by node, FIRST's for the first two
# and LAST's for the others, each with its own plugin.
up() { # CONTROLLER FIRST LAST
  mkdir -p mix/bin mix/sbin
  ln -s "${!1}"/bin/* mix/bin/
  ln -s "${!2}"/sbin/slurmstepd mix/sbin/
  ln -s "${!1}"/sbin/slurmctld mix/sbin/
  cat >mix/sbin/slurmd <<END
#!/bin/bash
slurmd=${!2}/sbin/slurmd which=$2
[[ " \$* " != *" -N node0"[34]" "* ]] || { slurmd=${!3}/sbin/slurmd which=$3; }
for word; do
  [[ \$word != */slurm.conf ]] || { sed "s|^PlugStackConfig=.*|PlugStackConfig=$PWD/\$which.stack|" "\$word" >"\$word.\$\$"; word+=.\$\$; }
  words+=("\$word")
done
exec "\$slurmd" "\${words[@]}"
END
  chmod 755 mix/sbin/slurmd
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up \
    --slurm mix --build "$TOPOMAP_BUILD" --nodes 4 --cpus 2 --dir "$BED" --fabric fat-tree:leaves=2,hosts=2,spines=1,scatter=1)"
  local which plugin
  for which in OLD NEW; do
    plugin=${which}_PLUGIN
    sed "s|^optional [^ ]*|optional ${!plugin}|" "$BED/etc/plugstack.conf" >"$which.stack"
    mkdir "$which"
    sed "s|^PlugStackConfig=.*|PlugStackConfig=$PWD/$which.stack|" "$SLURM_CONF" >"$which/slurm.conf"
    cp "$BED"/etc/{mpi,cgroup}.conf "$which/"
  done
  topomap map --graph "$GRAPH" --nodes 'node[01-04]' --tasks-per-node 2 --effort fast --format json |
    jq -r '.placement[] | "\(.rank) \(.node)"' | sort -n >planned
}

is_placed() { # WHICH: by its srun, as the dry run says, bound, and nothing is said
  SLURM_CONF=$PWD/$1/slurm.conf timeout 100 "${!1}/bin/srun" -N4 -n8 --distribution=topomap --topomap="$GRAPH" \
    sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME ${TOPOMAP_APPLIED}${TOPOMAP_BINDINGS%%"${TOPOMAP_BINDINGS#??}"}"' \
    </dev/null >out 2>err
  cat out err
  sort -n out | diff <(sed 's/$/ 1T1/' planned) -
  run ! grep topomap err
  SLURM_CONF=$PWD/$1/slurm.conf timeout 100 "${!1}/bin/srun" -N4 -n8 --topomap=/nonexistent true </dev/null 2>err
  cat err
  [ "$(grep -c "topomap: .*layout" err)" -eq 1 ]
}

# The nodes' releases, each once.
releases() {
  scontrol -o show nodes | sed -n 's/.* Version=\([0-9]*\.[0-9]*\).*/\1/p' | sort -u | paste -sd' '
}

@test "slurmctld is upgraded, nodes and srun are not" {
  up NEW OLD OLD
  [ "$(releases)" != "$(slurmctld -V | sed 's/^slurm[^ ]* \([0-9]*\.[0-9]*\).*/\1/')" ]
  is_placed OLD
}

@test "half of the nodes are upgraded" {
  up NEW OLD NEW
  [ "$(releases | wc -w)" -eq 2 ]
  is_placed OLD
  # A srun that is newer than a slurmd is nothing that Slurm supports (25.05's fails on nodes of 23.11).
  : >none.stack
  mkdir none
  sed "s|^PlugStackConfig=.*|PlugStackConfig=$PWD/none.stack|" "$SLURM_CONF" >none/slurm.conf
  cp "$BED"/etc/{mpi,cgroup}.conf none/
  if SLURM_CONF=$PWD/none/slurm.conf timeout 100 "$NEW/bin/srun" -N4 -n8 true </dev/null; then
    is_placed NEW
  else
    echo "srun of the newer Slurm does not start steps on the older nodes, with no plugin"
  fi
}

@test "all nodes are upgraded, srun is not" {
  up NEW NEW NEW
  is_placed OLD
  is_placed NEW
}

@test "a plugin that was built for the other release is refused by Slurm, and steps that ask for nothing run" {
  up NEW NEW NEW
  sed -i "s|^optional [^ ]*|optional $OLD_PLUGIN|" NEW.stack
  SLURM_CONF=$PWD/NEW/slurm.conf timeout 100 "$NEW/bin/srun" -N4 -n8 sh -c 'echo "$SLURM_PROCID"' </dev/null >out
  [ "$(wc -l <out)" -eq 8 ]
  run ! env "SLURM_CONF=$PWD/NEW/slurm.conf" timeout 100 "$NEW/bin/srun" -N4 -n8 --topomap="$GRAPH" true
  echo "$output"
  [[ $output == *"unrecognized option '--topomap="* ]]
}
