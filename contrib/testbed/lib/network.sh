# SPDX-License-Identifier: BSD-3-Clause
# The fabric with contention: `testbed --contention`. Sourced by testbed, cluster and node.
#
# All of it is inside namespaces that die with the testbed. The testbed's own network namespace has the
# switches (bridges) and slurmctld; each node has one of its own, with fab0 in the fabric, whose links are
# rate-limited, and adm0 in a network for Slurm's own traffic, which is not. COMMAND runs in the testbed's.
# shellcheck shell=bash

readonly ADMIN_NET=10.78 FABRIC_NET=10.77

# host_part INDEX: what follows the network's 16 bits.
host_part() { printf '%d.%d' $(($1 / 250)) $(($1 % 250 + 1)); }

# bits_of RATE: bits/s of 50mbit, 400kbit, 1gbit.
bits_of() {
  [[ $1 =~ ^([1-9][0-9]{0,8})([kmg]?)bit$ ]] ||
    die "$E_USAGE" "$1 is no rate: a whole number and bit, kbit, mbit or gbit, as in 50mbit"
  local -A factor=([k]=1000 [m]=1000000 [g]=1000000000)
  printf '%d' $((BASH_REMATCH[1] * ${factor[${BASH_REMATCH[2]}]:-1}))
}

# network_plan DIR RATE SLOW...: what will be made, in DIR/network, from DIR/fabric and DIR/names.
network_plan() {
  local dir=$1 rate slow='' word bits
  rate=$(bits_of "$2") || exit
  shift 2
  for word; do
    bits=$(bits_of "${word##*,}") || exit
    slow+="${word%,*},$bits "
  done
  mkdir -p "$dir/network"
  # shellcheck disable=SC2154 # the caller's
  awk -v rate="$rate" -v slow="$slow" -v dir="$dir/network" -f "$here/lib/network.awk" \
    "$dir/names" "$dir/fabric/fabric.ibnetdiscover" "$dir/fabric/fabric.lfts" || exit "$E_INPUT"
  sort -V "$dir/network/places" >"$dir/network/order"
  rm -- "$dir/network/places"
}

# What the namespace is to have before any interface: no IPv6, whose messages are sent unasked; no packet
# filter on bridges; and windows that keep links busy but do not fill queues.
network_settings() {
  local -A value=(
    [net/ipv6/conf/all/disable_ipv6]=1 [net/ipv6/conf/default/disable_ipv6]=1
    [net/bridge/bridge-nf-call-iptables]=0
    [net/ipv4/tcp_slow_start_after_idle]=0
    [net/ipv4/tcp_rmem]='4096 131072 131072' [net/ipv4/tcp_wmem]='4096 65536 65536'
  )
  local key
  for key in "${!value[@]}"; do
    { printf '%s' "${value[$key]}" >"/proc/sys/$key"; } 2>/dev/null
  done
  ip link set lo up
}

# Ports of switches pass no broadcasts on. ip says bcast_flood since 5.11 only; /sys shows the network of whoever
# mounted it.
network_quiet() {
  local sys=$1/network/sys port status=0
  mkdir -p "$sys" && mount -t sysfs sysfs "$sys" || return
  for port in "$sys"/class/net/s[0-9]*p[0-9]*/brport/broadcast_flood; do
    [[ ! -e $port ]] || echo 0 >"$port" || status=1
  done
  umount "$sys" && rmdir "$sys" || status=1
  return "$status"
}

# network_up DIR: in the testbed's network namespace, before the nodes start.
network_up() {
  local dir=$1 index=0
  network_settings
  {
    printf 'link add adm0 type bridge\naddr add %s.255.254/16 dev adm0\nlink set adm0 up\n' "$ADMIN_NET"
    while read -r _; do
      printf 'link add a%d type veth peer name m%d\nlink set a%d master adm0\nlink set a%d up\n' \
        "$index" "$index" "$index" "$index"
      index=$((index + 1))
    done <"$dir/nodes"
  } >"$dir/network/admin"
  ip -batch "$dir/network/admin" && ip -batch "$dir/network/links" &&
    network_quiet "$dir" && bridge -batch "$dir/network/routes" && tc -batch "$dir/network/rates"
}

# network_join DIR NAME: in the node's own namespaces. /sys shows the network of whoever mounted it, and UCX
# looks there for interfaces; the cgroup file system stays.
network_join() {
  local dir=$1 name=$2 index
  index=$(($(grep -nx "$name" "$dir/names" | cut -d: -f1) - 1))
  network_settings
  nsenter --net=/proc/1/ns/net ip -batch - <<END
link set n$index netns $$
link set m$index netns $$
END
  ip -batch - <<END
link set n$index name fab0
link set m$index name adm0
addr add $FABRIC_NET.$(host_part "$index")/16 dev fab0
addr add $ADMIN_NET.$(host_part "$index")/16 dev adm0
link set fab0 up
link set adm0 up
END
  [[ ! -s $dir/network/$name.links ]] || ip -batch "$dir/network/$name.links"
  tc -batch "$dir/network/$name.rates"
  if [[ -d /sys/fs/cgroup ]]; then
    mount --rbind /sys/fs/cgroup "$dir/node/$name/cgroup"
    mount -t sysfs sysfs /sys
    mount --rbind "$dir/node/$name/cgroup" /sys/fs/cgroup
  fi
}
