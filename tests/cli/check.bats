#!/usr/bin/env bats
# The scripts that prepare and run everything: what they refuse, and that they say why.
bats_require_minimum_version 1.5.0

setup() {
  source=${TOPOMAP_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
  cd "$BATS_TEST_TMPDIR"
}

@test "auto/check: unknown options and parts, and a folder that holds no Slurm" {
  run -2 "$source/auto/check" --nonsense
  run -2 "$source/auto/check" --only
  run -2 "$source/auto/check" --only demo,nonsense
  [[ $output == "auto/check: no part nonsense ("* ]]
  run -2 "$source/auto/check" --slurm "$PWD"
  [[ $output == "auto/check: $PWD is no prefix of a Slurm: no bin/srun" ]]
  run -2 "$source/auto/check" --slurm / --release trixie
  run -2 "$source/auto/demo" --build
  run -2 "$source/auto/deps" --nonsense
}

@test "auto/check --release: a release that nobody knows; one that cannot be made here" {
  TOPOMAP_ROOTS=$PWD/roots run -1 "$source/auto/check" --release potato
  [[ $output == *"no Debian release potato is known here"* ]]
  [ ! -e roots ]
  local as=()
  [ "$(id -u)" -ne 0 ] || as=(setpriv --reuid 65534 --clear-groups)
  chmod 755 .
  TOPOMAP_ROOTS=$PWD/roots run -77 "${as[@]}" "$source/auto/root" make trixie
  [ "$output" = "auto/root: a root of another release needs root: run it with sudo" ]
}

@test "auto/root: one that was interrupted is not taken, and what cannot be made says why" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  mkdir -p roots/trixie.making bin
  # A debootstrap that fails half-way.
  printf '#!/bin/sh\nmkdir -p "$3/etc"\necho half; exit 1\n' >bin/debootstrap
  chmod 755 bin/debootstrap
  [ -e /usr/share/debootstrap/scripts/sid ] || skip "no debootstrap here"
  PATH=$PWD/bin:$PATH TOPOMAP_ROOTS=$PWD/roots run -77 "$source/auto/root" make trixie
  [[ $output == *"no trixie can be made (see $PWD/roots/trixie.log)" ]]
  [ ! -e roots/trixie ]
  [ ! -e roots/trixie.making ]
}
