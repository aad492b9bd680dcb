#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# topomap doctor beside a real Slurm, all well; tests/cli/doctor.bats breaks things.
bats_require_minimum_version 1.5.0
load bed

setup_file() {
  chmod go+x "$BATS_RUN_TMPDIR" # as a site's folders are
  cd "$BATS_FILE_TMPDIR"
  setpriv --reuid 65534 --clear-groups test -x "$TOPOMAP_BUILD/plugin/topomap-planner" || skip "the build folder is not everybody's"
  mkdir -m 1777 records store
  echo 'Rule=all Mode=on' >policy
  chmod 644 policy
  export TOPOMAP_TESTBED_PLUGIN_ARGS="$TOPOMAP_TESTBED_PLUGIN_ARGS records=$PWD/records store=$PWD/store policy=$PWD/policy"
  bed_up --nodes 4 --cpus 4
}

teardown_file() { bed_down; }

status_of() { jq -r --arg n "$1" '.checks[] | select(.name == $n).status' json; }

@test "all is well, as srun finds it" {
  run -0 topomap doctor --deadline 30
  run -0 --separate-stderr topomap doctor --deadline 30 --json
  echo "$output" >json
  jq -c '.checks[]' json
  for name in slurm.conf slurm plugstack.conf plugin "plugin build" "plugin symbols" planner "node helper" disks database \
    "database nodes" policy store records "dry run"; do
    echo "$name"
    [ "$(status_of "$name")" = ok ]
  done
  # And so it is: a step is placed.
  run -0 srun -N4 -n8 --topomap=ring:8 -v true
  [[ $output == *"topomap: "* ]]
}

@test "the release that the plugin is built for is srun's" {
  run -0 --separate-stderr topomap doctor --deadline 30 --json
  echo "$output" >json
  version=$(srun --version | grep -o '[0-9][0-9]\.[0-9][0-9]' | head -1)
  [[ $(jq -r '.checks[] | select(.name == "plugin build").found' json) == *"built for Slurm $version" ]]
}
