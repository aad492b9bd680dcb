# SPDX-License-Identifier: BSD-3-Clause
# Where the testbed finds topomap. Sourced by testbed and vm.
# shellcheck shell=bash

# find_build CHECKOUT [BUILD]: sets TOPOMAP, PLANNER, NODE_HELPER, PLUGIN and PROFILER to absolute paths: from BUILD
# (--build), else $TOPOMAP_BUILD, else the checkout when it was built, else an installed prefix.
# Fails with what to run.
find_build() {
  local checkout=$1 build=${2:-${TOPOMAP_BUILD:-}} prefix plugin
  if [[ -z $build && -e $checkout/cli/topomap ]]; then
    build=$checkout
  fi
  if [[ -n $build ]]; then
    build=$(cd "$build" 2>/dev/null && pwd) || die "$E_USAGE" "no build folder ${2:-$TOPOMAP_BUILD}"
    TOPOMAP=$build/cli/topomap
    PLANNER=$build/plugin/topomap-planner
    NODE_HELPER=$build/plugin/topomap-node
    PLUGIN=$build/plugin/.libs/spank_topomap.so
    PROFILER=$build/contrib/profile
  elif prefix=$(command -v topomap); then
    TOPOMAP=$prefix
    prefix=$(dirname "$(dirname "$(readlink -f "$prefix")")")
    PLANNER=$prefix/libexec/topomap/topomap-planner
    NODE_HELPER=$prefix/libexec/topomap/topomap-node
    for plugin in "$prefix"/lib/slurm/spank_topomap.so "$prefix"/lib/*/slurm*/spank_topomap.so; do
      [[ ! -e $plugin ]] || PLUGIN=$plugin
    done
    PLUGIN=${PLUGIN:-$prefix/lib/slurm/spank_topomap.so}
  else
    die "$E_OTHER" "topomap is not built: run make in the build folder and name that folder" \
      "with --build DIR or TOPOMAP_BUILD (or leave topomap out with --bare)"
  fi
  local file
  for file in "$TOPOMAP" "$PLANNER" "$PLUGIN"; do
    [[ -x $file || ( $file == "$PLUGIN" && -r $file ) ]] ||
      die "$E_OTHER" "$file is missing: run make${build:+ in $build} (or leave topomap out with --bare)"
  done
  [[ -x $NODE_HELPER ]] || NODE_HELPER= # an earlier build has none, and no word for it
  export TOPOMAP PLANNER NODE_HELPER PLUGIN PROFILER=${PROFILER:-}
}

# A path in plugstack.conf ends at a blank.
plugstack_line() {
  local database=$1 file
  for file in "$PLUGIN" "$PLANNER" "$NODE_HELPER" "$database" "$PROFILER"; do
    [[ $file != *[[:space:]]* ]] || die "$E_OTHER" "plugstack.conf cannot hold a path with a blank: $file"
  done
  printf 'optional %s planner=%s db=%s %s %s %s\n' "$PLUGIN" "$PLANNER" "$database" \
    "${NODE_HELPER:+node_helper=$NODE_HELPER}" "${PROFILER:+profiler=$PROFILER}" "${TOPOMAP_TESTBED_PLUGIN_ARGS:-}"
}
