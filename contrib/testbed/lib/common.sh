# SPDX-License-Identifier: BSD-3-Clause
# Shared by the testbed's tools: messages, exit statuses, bounded running. Sourced, never run.
# shellcheck shell=bash

# The exit statuses of the topomap command.
# shellcheck disable=SC2034 # not all of them use all
readonly E_USAGE=2 E_INPUT=3 E_OTHER=4

say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die STATUS MESSAGE...
die() {
  local status=$1
  shift
  say "$@"
  exit "$status"
}

usage_error() {
  die "$E_USAGE" "$* (try ${0##*/} --help)"
}

# The comment block at the top of the calling script is its help.
print_help() {
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
}

is_count() {
  [[ $1 =~ ^[1-9][0-9]{0,5}$ ]]
}

# The Debian package of each program that the tools call.
declare -rA PACKAGE_OF=(
  [ibsim]=ibsim-utils [opensm]=opensm [ibnetdiscover]=infiniband-diags
  [dump_lfts]=infiniband-diags [slurmctld]=slurmctld [slurmd]=slurmd [srun]=slurm-client
  [lstopo-no-graphics]=hwloc-nox [qemu-system-x86_64]=qemu-system-x86 [busybox]=busybox-static
  [cpio]=cpio [modprobe]=kmod [setpriv]=util-linux [unshare]=util-linux [flock]=util-linux
  [ss]=iproute2 [ip]=iproute2 [tc]=iproute2 [bridge]=iproute2 [nsenter]=util-linux [timeout]=coreutils
  [xz]=xz-utils [jq]=jq [lldpd]=lldpd [lldpcli]=lldpd
)

# need PROGRAM...: fail with the packages' names when a program is missing.
need() {
  local program
  local -a lacking=()
  for program; do
    command -v "$program" >/dev/null || lacking+=("$program (package ${PACKAGE_OF[$program]:-?})")
  done
  ((${#lacking[@]} == 0)) || die "$E_OTHER" "not installed: ${lacking[*]}; auto/deps installs them"
}

need_root() {
  [[ $(id -u) == 0 ]] || die "$E_OTHER" "namespaces and slurmd need root: run it with sudo"
}

# wait_until SECONDS COMMAND...: 0 as soon as COMMAND succeeds, 1 when the time is over.
wait_until() {
  local end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
  shift
  until "$@"; do
    ((${EPOCHREALTIME/[.,]/} < end)) || return 1
    sleep 0.05
  done
}

# show_tail FILE...: the ends of logs, for a failure's message.
show_tail() {
  local file
  for file; do
    [[ -s $file ]] || continue
    printf -- '--- the end of %s\n' "$file" >&2
    tail -n 15 -- "$file" >&2
  done
}
