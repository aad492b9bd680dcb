#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A real lldpd on each system of a fabric of namespaces (contrib/testbed/lldp): what topomap reads of what it says is
# what was built. `make check-lldpd` runs it; auto/deps --lldpd installs lldpd.
bats_require_minimum_version 1.5.0

setup() {
  source=${TOPOMAP_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
  PATH="${TOPOMAP_BUILD:-$source}/cli:$PATH"
  lldp=$source/contrib/testbed/lldp
  [ "$(id -u)" = 0 ] || skip "needs root"
  for tool in lldpd lldpcli jq ip setpriv unshare; do command -v "$tool" >/dev/null || skip "no $tool"; done
  unshare --net --mount --uts --pid --fork --mount-proc true 2>/dev/null || skip "needs namespaces"
  cd "$BATS_TEST_TMPDIR"
}

# Two leaves and a spine, which two cables join to each leaf; n1 has a leg on either leaf, n4 is behind a port of a
# breakout cable, and n2 and n3 have a cable of their own, which is none of the fabric's.
cables() {
  cat <<'END'
bridge leaf1 leaf2 spine1
leaf1 swp1 n1 ens1f0np0
leaf2 swp1 n1 ens1f1np1
leaf1 swp2 n2 ens1
leaf2 swp2 n3 eth0
leaf2 swp3s1 n4 eth0
n2 ens9 n3 eth9
leaf1 swp31 spine1 swp1
leaf1 swp32 spine1 swp2
leaf2 swp31 spine1 swp3
leaf2 swp32 spine1 swp4
END
}
links() {
  printf '%s\n' '# all hosts: n[1-4]' n1,1,leaf1,1, n1,2,leaf2,1, n2,1,leaf1,2, n3,1,leaf2,2, n4,1,leaf2,3001, \
    leaf1,31,spine1,1, leaf1,32,spine1,2, leaf2,31,spine1,3, leaf2,32,spine1,4,
}

@test "refusals: no cables, a line that is none, no folder" {
  run -3 "$lldp" nowhere -o out
  echo 'leaf1 swp1 n1' >short
  run -3 "$lldp" short -o out
  [[ $output == *"short:1: expected SYSTEM PORT SYSTEM PORT"* ]]
  run -2 "$lldp" short
}

@test "the fabric found is the fabric built, from either shape of JSON, a file a system or collected" {
  cables >fabric
  links >list
  topomap db import --db built.db links list
  # What an earlier run has left in the folder does not count.
  mkdir out
  echo '{"lldp":[{"interface":[{"name":"eth0","chassis":[{"name":[{"value":"old"}]}]}]}]}' >out/old.json0
  "$lldp" fabric -o out --wait 120
  rm out/old.json0
  mkdir files
  for f in out/*.json0; do cp "$f" "files/$(basename "$f" .json0).json"; done
  topomap db import --db json0.db lldp files/*.json --option hosts='n[1-4]'
  topomap db diff built.db json0.db
  topomap db import --db json.db lldp out/*.json --option hosts='n[1-4]'
  topomap db diff built.db json.db
  for f in out/*.json0; do sed "s/^/$(basename "$f" .json0): /" "$f"; done >collected
  topomap db import --db collected.db lldp collected --option hosts='n[1-4]'
  topomap db diff built.db collected.db
  # Nobody has to say which are hosts, though all are Debian.
  topomap db import --db told.db lldp collected
  topomap db diff built.db told.db
}
