# SPDX-License-Identifier: BSD-3-Clause
# The ways through topomap that a thing is on. Sourced by walk.
# shellcheck shell=bash
#   asked         srun, whose user asks for topomap     unasked       ... who has not, where the site switches it on
#   auto          srun --topomap=auto of MPI programs   auto-unasked  ... where the site does
#   node          slurmstepd and topomap-node read a plan's file in the spool folder
#   spooled       ... whose plan has no room in the environment, so that the planner writes that file
#   piped         srun, where the site says verbose, too, and somebody reads its output to the end
#   byhand        the profiler, preloaded by hand       the others    the command line

launches='asked unasked auto auto-unasked node spooled piped byhand form-asked form-unasked form-explain form-off'

# Where each thing is; the one in question is put elsewhere.
places() {
  declare -gA at=()
  local thing
  for thing in db policy graph.csv capacity.csv records spool scontrol planner node_helper program store cache \
    profilers dump; do
    at[${thing%.csv}]=$work/sound/$thing
  done
  at[explanation]='' at[capacity]='' at[store]=''
}

plugstack() { # WORD...
  echo "optional $plugin planner=${at[planner]} node_helper=${at[node_helper]} db=${at[db]} policy=${at[policy]}" \
    "records=${at[records]} spool=${at[spool]} scontrol=${at[scontrol]} profiler=${at[profilers]}" \
    "${at[store]:+store=${at[store]}} deadline_ms=1500 $*" >"$bed/etc/plugstack.conf"
  echo "optional $build/tests/slurm/.libs/damage.so" >>"$bed/etc/plugstack.conf"
}

steps=(-N4 -n8 --ntasks-per-node=2)
as_user() { # NAME=VALUE... COMMAND...
  setpriv --reuid="$user" --regid="$user" --clear-groups \
    env -u TOPOMAP -u TOPOMAP_DB -u TOPOMAP_GRAPH "FAULTS=$work" "HOME=$work/home" "XDG_CACHE_HOME=${at[cache]}" "$@"
}

way_asked() { # NAME=VALUE...
  plugstack default=only-when-asked
  as_user "$@" srun "${steps[@]}" --topomap="${at[graph]}" ${at[explanation]:+"--topomap-explain=${at[explanation]}"} \
    ${at[capacity]:+"--topomap-options=objective=congestion,capacity=${at[capacity]}"} "${at[program]}"
}

way_unasked() {
  plugstack default=on
  as_user "$@" srun "${steps[@]}" "${at[program]}"
}

halo() {
  as_user "$@" --mpi="$type" "${steps[@]}" "$build/contrib/testbed/programs/halo.$mpi" 4x2 --iterations 2 >halo
  local status=$?
  grep -o '\b0 wrong messages' halo
  return $status
}

way_auto() {
  plugstack default=only-when-asked
  halo "$@" srun --topomap=auto
}

way_auto-unasked() {
  at[policy]=$work/sound/nothing
  plugstack default=auto
  halo "$@" srun
}

way_node() {
  plugstack default=only-when-asked
  [[ $* == *TOPOMAP=off* ]] || set -- "DAMAGE_NOTE=01234567 ${at[spool]}/topomap-@-ABCDEF"
  as_user "$@" srun "${steps[@]}" --topomap="${at[graph]}" \
    "${at[program]}"
}

# The planner hears that the environment has room for 10 bytes.
way_spooled() {
  printf '#!/bin/sh\nsed "s/^room .*/room 10/" | %s "$@"\n' "${at[planner]}" >"$work/sound/full"
  chmod 755 "$work/sound/full"
  at[planner]=$work/sound/full
  plugstack default=only-when-asked
  as_user "$@" srun "${steps[@]}" --topomap="${at[graph]}" "${at[program]}"
}

way_piped() {
  plugstack default=on verbose
  # shellcheck disable=SC2016 # the inner shell's
  as_user "$@" bash -o pipefail -c '"$@" 2>&1 | sed "/^srun: topomap: /d"' - srun "${steps[@]}" "${at[program]}"
}

way_byhand() {
  local preload="$build/contrib/profile/libtopomap-profile-$mpi.so"
  [[ $* != *TOPOMAP=off* ]] || preload=
  as_user TOPOMAP_PROFILE="${at[byhand]:-}" "mpiexec.$mpi" -n 4 env LD_PRELOAD="$preload" \
    "$build/contrib/testbed/programs/halo.$mpi" 2x2 --iterations 2 >halo
  local status=$?
  grep -o '\b0 wrong messages' halo
  return $status
}

topomap() { as_user "$build/cli/topomap" "$@"; }

way_show() { topomap db show --summary --db "${at[db]}"; }
way_check() { topomap policy check "${at[policy]}"; }
way_why() { topomap why 0 --plan 1.0 --records "${at[records]}"; }
way_profile() { topomap profile list --store "${at[store]}"; }
way_map() {
  if [[ -n ${at[mapping]:-} ]]; then
    [[ ! -p ${at[mapping]} ]] || timeout 10 cat "${at[mapping]}" >/dev/null &
    topomap map --graph ring:8 --machine tree:4:2@1:10 -o "${at[mapping]}"
  else
    topomap map --graph "${at[graph]}" --machine tree:4:2@1:10
  fi
}
way_import() { topomap db import --db "${at[database]:-$work/cell/new.db}" ibnetdiscover "${at[dump]}"; }
