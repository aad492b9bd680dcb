#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The scripts that prepare and run everything: what they refuse, and that they say why.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  source=${TOPOMAP_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
  cd "$BATS_TEST_TMPDIR"
}

@test "auto/check: unknown options and parts, and a folder that holds no Slurm" {
  run -2 "$source/auto/check" --nonsense
  run -2 "$source/auto/check" --only
  run -2 "$source/auto/check" --only demo,nonsense
  fails_with 2 auto/check: nonsense
  run -2 "$source/auto/check" --jobs 0
  run -2 "$source/auto/check" --jobs two
  run -2 "$source/auto/check" --but slurm/times
  run -2 "$source/auto/check" --only slurm --but slurm/nonsense
  fails_with 2 auto/check: --but slurm/nonsense tests/slurm/nonsense.bats
  run -2 "$source/auto/check" --slurm "$PWD"
  fails_with 2 auto/check: "$PWD" bin/srun
  run -2 "$source/auto/check" --slurm / --release trixie
  run -2 "$source/auto/demo" --build
  run -2 "$source/auto/deps" --nonsense
  run -2 "$source/auto/lint" --nonsense
}

# site: a checkout's scripts with nothing to build, and a PATH without apt, as RHEL and SLES have it.
site() {
  mkdir -p site/auto bin slurm/bin
  cp "$source"/auto/{check,deps,demo} site/auto/
  printf '#!/bin/sh\n%s\n' "${1:-exit 0}" >site/bootstrap
  printf '#!/bin/sh\n' >slurm/bin/srun
  chmod 755 site/bootstrap slurm/bin/srun
  ln -sf /bin/* /usr/bin/* bin/
  rm -f bin/apt* bin/dpkg* bin/sudo
}

@test "where there is no apt: a line, and on it goes" {
  site
  PATH=$PWD/bin run -77 site/auto/deps
  [ "$output" = "auto/deps: no apt here: its table of packages says what is needed; configure and the tests name what is missing" ]
  local line=$output
  PATH=$PWD/bin run -0 site/auto/check --slurm "$PWD/slurm" --fast --only sanitized
  [ "$output" = "$line"$'\n'"0 passed, 0 failed" ]
  site 'echo bootstrap; exit 9'
  PATH=$PWD/bin run -1 site/auto/demo
  [[ $output == *"$line"$'\n'* && $output == *bootstrap* ]]
}

@test "packages that apt cannot install end auto/check" {
  site
  printf '#!/bin/sh\nexit 100\n' >bin/apt-get
  printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
  printf '#!/bin/sh\n"$@"\n' >bin/sudo
  chmod 755 bin/{apt-get,dpkg-query,sudo}
  PATH=$PWD/bin run -1 site/auto/check --slurm "$PWD/slurm" --fast --only sanitized
  [[ $output != *" passed"* ]]
}

# old_and_new OLD NEW: prefixes of two Slurms, by name only.
old_and_new() {
  local prefix
  for prefix in old:$1 new:$2; do
    mkdir -p "${prefix%:*}"/{bin,sbin}
    printf '#!/bin/sh\n' >"${prefix%:*}/bin/srun"
    printf '#!/bin/sh\necho slurm-wlm %s\n' "${prefix#*:}" >"${prefix%:*}/sbin/slurmctld"
    chmod 755 "${prefix%:*}"/{bin/srun,sbin/slurmctld}
  done
}

@test "auto/check --slurm-old: beside --slurm, a Slurm, and an older one" {
  run -2 "$source/auto/check" --slurm-old "$PWD"
  [[ $output == "usage: "*"[--slurm PREFIX [--slurm-old PREFIX] | --release"* ]]
  run -2 "$source/auto/check" --release trixie --slurm-old "$PWD"
  old_and_new 24.11.5 26.05.0-0rc1
  run -2 "$source/auto/check" --slurm "$PWD/new" --slurm-old "$PWD"
  fails_with 2 auto/check: "$PWD" bin/srun
  run -2 "$source/auto/check" --slurm "$PWD/old" --slurm-old "$PWD/new"
  fails_with 2 --slurm "$PWD/new" 26.05 "$PWD/old" 24.11
  run -2 "$source/auto/check" --slurm "$PWD/new" --slurm-old "$PWD/new"
  rm old/sbin/slurmctld
  run -2 "$source/auto/check" --slurm "$PWD/new" --slurm-old "$PWD/old"
  fails_with 2 "$PWD/old" "$PWD/new" 26.05
}

@test "auto/check --slurm-old: builds for both, and the suite of upgrades knows them" {
  site
  old_and_new 24.11.5 25.05.1
  unset MAKEFLAGS MFLAGS MAKELEVEL TOPOMAP_TEST_{SLURM,BUILD}_{OLD,NEW}
  # A build whose one test tells what it knows.
  cat >site/configure <<'END'
#!/bin/sh
echo "$*" >configured
mkdir -p tests
cat >Makefile <<'MAKE'
all: ; @touch built
list-tests: ; @echo tests/slurm/plugin.bats tests/slurm/upgrades.bats
slurm-tests: ; @touch built-for-slurm
check check-TESTS: ; @[ -z "$(TESTS)" ] || { echo "$(TESTS)"; echo ":test-result: PASS" >tests/one.trs; env | grep ^TOPOMAP_TEST_ | sort; \
	[ -z "$$TOPOMAP_TEST_BUILD_OLD" ] || { cd "$$TOPOMAP_TEST_BUILD_OLD" && cat configured ../plain/configured && ls "$$PWD/built"; }; }
MAKE
END
  chmod 755 site/configure
  PATH=$PWD/bin TMPDIR=$PWD run -0 site/auto/check --slurm "$PWD/new" --slurm-old "$PWD/old" --only slurm/upgrades
  local build
  build=$(sed -n 's/^TOPOMAP_TEST_BUILD_OLD=\(.*\)\/old$/\1/p' <<<"$output")
  [ "$(sed '1,/tests\/slurm/d; /^plain: done after /d' <<<"$output")" = "TOPOMAP_TEST_BUILD_NEW=$build/plain
TOPOMAP_TEST_BUILD_OLD=$build/old
TOPOMAP_TEST_SLURM_NEW=$PWD/new
TOPOMAP_TEST_SLURM_OLD=$PWD/old
-q --enable-werror --with-slurm=$PWD/old
-q --enable-werror --with-slurm=$PWD/new
$build/old/built
1 passed, 0 failed" ]
  [[ $output == *$'\n'tests/slurm/upgrades.bats$'\n'* ]]
  PATH=$PWD/bin TMPDIR=$PWD run -0 site/auto/check --slurm "$PWD/new" --only slurm/upgrades
  [[ $output != *TOPOMAP_TEST_SLURM* ]]
  mkdir -p site/tests/slurm
  touch site/tests/slurm/plugin.bats
  PATH=$PWD/bin TMPDIR=$PWD run -0 site/auto/check --slurm "$PWD/new" --only slurm
  [[ $output == *"tests/slurm/plugin.bats tests/slurm/upgrades.bats"* ]]
  PATH=$PWD/bin TMPDIR=$PWD run -0 site/auto/check --slurm "$PWD/new" --only slurm --but slurm/plugin
  [[ $output != *tests/slurm/plugin.bats* && $output == *tests/slurm/upgrades.bats* ]]
}

@test "auto/check: Slurms go beside each other, what judges by time and all that is no Slurm alone" {
  site
  unset MAKEFLAGS MFLAGS MAKELEVEL
  cat >site/configure <<'END'
#!/bin/sh
mkdir -p tests
cat >Makefile <<'MAKE'
all: ; @:
list-tests: ; @echo tests/unit/map/test_a tests/cli/b.bats tests/slurm/times.bats tests/slurm/d.bats tests/slurm/e.bats tests/mpi/f.bats
check check-TESTS: ; @[ -z "$(TESTS)" ] || { set -- $(MAKEFLAGS); for word; do case $$word in -j*) echo "$$word: $(TESTS)" ;; esac; done; \
	for test in $(TESTS); do mkdir -p "$${test%/*}"; echo ":test-result: PASS" >"$$test.trs"; done; }
MAKE
END
  chmod 755 site/configure
  local told
  for told in '2' '1 --jobs 1' '3 --jobs 3'; do
    # shellcheck disable=SC2086 # words
    PATH=$PWD/bin TMPDIR=$PWD run -0 site/auto/check --fast --only unit,cli,slurm,mpi ${told#?}
    [ "$(grep ^-j <<<"$output")" = "-j1: tests/unit/map/test_a tests/cli/b.bats
-j${told%% *}: tests/slurm/d.bats tests/slurm/e.bats
-j1: tests/mpi/f.bats tests/slurm/times.bats" ]
    [ "${lines[-1]}" = "6 passed, 0 failed" ]
  done
}

@test "auto/check --release: a release that nobody knows, one whose Slurm is too old, one that cannot be made here" {
  local suite
  export TOPOMAP_ROOTS=$PWD/roots
  run -1 "$source/auto/check" --release potato
  fails_with 1 potato
  for suite in bullseye 11 trixie,11; do
    run -2 "$source/auto/check" --release "$suite"
    fails_with 2 auto/check: 11 20.11 'build-slurm SOURCE PREFIX' 'auto/check --slurm PREFIX'
  done
  run -0 "$source/auto/check" --help
  [[ $output != *bullseye* ]]
  [ ! -e roots ]
  local as=()
  [ "$(id -u)" -ne 0 ] || as=(setpriv --reuid 65534 --clear-groups)
  chmod 755 .
  run -77 "${as[@]}" "$source/auto/root" make trixie
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
  fails_with 77 trixie "$PWD/roots/trixie.log"
  [ ! -e roots/trixie ]
  [ ! -e roots/trixie.making ]
}

@test "tests/run-bats: a suite that hangs ends with its time, and all of it with its caller" {
  printf '%s\n' '@test "is well" {' '  true' '}' '@test "hangs" {' '  sleep 61.7' '}' >left.bats
  # Without what bats has for its own parts.
  local clean="env -i PATH=${PATH#*/bats-core:} TMPDIR=$PWD"
  run -124 $clean TOPOMAP_SUITE_SECONDS=2 "$source/tests/run-bats" --tap left.bats
  [[ $output == *"ok 1 is well"* ]]
  run -1 pgrep -fx 'sleep 61.7'
  setpriv --pdeathsig TERM true 2>/dev/null || skip "setpriv has no --pdeathsig here"
  $clean sh -c '"$0" --tap left.bats >out 2>&1; :' "$source/tests/run-bats" 3>&- &
  for _ in {1..100}; do ! pgrep -fx 'sleep 61.7' || break; sleep 0.1; done
  pgrep -fx 'sleep 61.7'
  kill $!
  for _ in {1..100}; do pgrep -fx 'sleep 61.7' || break; sleep 0.1; done
  run -1 pgrep -fx 'sleep 61.7'
}
