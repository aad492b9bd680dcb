#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The scripts that prepare and run everything: what they refuse, and that they say why.
bats_require_minimum_version 1.5.0

load ../messages

setup() {
  source=${TOPOMAP_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
  cd "$BATS_TEST_TMPDIR"
}

@test "auto/check: unknown options, suites and parts, and a folder that holds no Slurm" {
  local words
  for words in --nonsense --only '--jobs 0' '--jobs two' '--shuffle x' '--all=unit --only cli' '--slurm-old /'; do
    # shellcheck disable=SC2086 # words
    run -2 "$source/auto/check" $words
    [[ $output == "Usage: auto/check "* ]]
  done
  run -2 "$source/auto/check" --only demo,nonsense
  fails_with 2 auto/check: nonsense
  run -2 "$source/auto/check" --only slurm/nonsense
  fails_with 2 auto/check: slurm/nonsense
  run -2 "$source/auto/check" --all=unit,nonsense
  fails_with 2 auto/check: nonsense auto/parts
  run -2 "$source/auto/check" --slurm "$PWD"
  fails_with 2 auto/check: "$PWD" bin/srun
  run -2 "$source/auto/check" --slurm / --release trixie
  run -2 "$source/auto/demo" --build
  run -2 "$source/auto/deps" --nonsense
  [[ $output == *nonsense* ]]
  run -2 "$source/auto/lint" --nonsense
  run -2 "$source/auto/affected" one two
}

# site: a checkout's scripts with nothing to build, and a PATH without apt, as RHEL and SLES have it.
site() {
  mkdir -p site/auto bin slurm/bin
  cp "$source"/auto/{check,deps,demo,parts} site/auto/
  mkdir -p site/tests site/contrib/testbed
  cp -r "$source"/tests/slurm site/tests/
  printf '#!/bin/sh\n%s\n' "${1:-exit 0}" >site/bootstrap
  printf '#!/bin/sh\n' >slurm/bin/srun
  chmod 755 site/bootstrap slurm/bin/srun
  ln -sf /bin/* /usr/bin/* bin/
  rm -f bin/apt* bin/dpkg* bin/sudo
}

# fake_build TEST...: a checkout whose configure makes a build with these tests, each of which passes and prints what
# auto/check has told make.
fake_build() {
  site
  cat >site/configure <<'END'
#!/bin/sh
echo "$*" >configured
mkdir -p tests
cat >Makefile <<'MAKE'
all all-tests slurm-tests: ; @touch built.$@
list-tests: ; @echo @TESTS@
check-TESTS: ; @set -- $(MAKEFLAGS); for word; do case $$word in -j*) echo "$$word$${TOPOMAP_CAMPAIGNS:+ campaigns}: $(TESTS)" ;; esac; done; \
	env | grep ^TOPOMAP_TEST_ | sort; \
	[ -z "$$TOPOMAP_TEST_BUILD_OLD" ] || { cd "$$TOPOMAP_TEST_BUILD_OLD" && cat configured ../plain/configured && ls "$$PWD/built.all" && cd ../plain; }; \
	for test in $(TESTS); do mkdir -p "$${test%/*}"; echo ":test-result: PASS" >"$$test.trs"; done
MAKE
END
  sed -i "s,@TESTS@,$*," site/configure
  chmod 755 site/configure
  unset MAKEFLAGS MFLAGS MAKELEVEL TOPOMAP_CAMPAIGNS TOPOMAP_TEST_{SLURM,BUILD}_{OLD,NEW}
}

fake_check() { PATH=$PWD/bin TMPDIR=$PWD run -0 site/auto/check "$@"; }

@test "where there is no apt: a line, and on it goes" {
  fake_build
  PATH=$PWD/bin run -77 site/auto/deps
  [[ $output == "auto/deps: "* && ${#lines[@]} -eq 1 ]]
  local line=$output
  fake_check --only slurm
  [[ ${lines[0]} == "$line" && ${lines[-1]} == "0 passed, 0 failed" ]]
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
  PATH=$PWD/bin run -1 site/auto/check --only slurm
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
  fake_build tests/slurm/plugin.bats tests/slurm/upgrades.bats
  old_and_new 24.11.5 25.05.1
  fake_check --slurm "$PWD/new" --slurm-old "$PWD/old" --only slurm/upgrades --jobs 2
  local build
  build=$(sed -n 's/^TOPOMAP_TEST_BUILD_OLD=\(.*\)\/old$/\1/p' <<<"$output")
  [ "$(sed '1,/tests\/slurm/d; /^longest/d' <<<"$output")" = "TOPOMAP_TEST_BUILD_NEW=$build/plain
TOPOMAP_TEST_BUILD_OLD=$build/old
TOPOMAP_TEST_SLURM_NEW=$PWD/new
TOPOMAP_TEST_SLURM_OLD=$PWD/old
-q --enable-werror --with-slurm=$PWD/old
-q --enable-werror --with-slurm=$PWD/new
$build/old/built.all
1 passed, 0 failed" ]
  fake_check --slurm "$PWD/new" --only slurm/upgrades
  [[ $output != *TOPOMAP_TEST_SLURM* ]]
  fake_check --slurm "$PWD/new" --only slurm
  [[ $output == *"tests/slurm/plugin.bats tests/slurm/upgrades.bats"* ]]
}

@test "auto/check leaves out campaigns, whole suites of them too; --all=PART runs them" {
  fake_build tests/unit/map/test_a tests/cli/b.bats tests/slurm/times.bats tests/slurm/plugin.bats tests/mpi/f.bats
  mkdir -p site/tests/{unit,cli,mpi}
  fake_check --only unit,cli,slurm,mpi --jobs 3
  [ "$(grep ^-j <<<"$output")" = "-j3: tests/slurm/plugin.bats tests/mpi/f.bats tests/unit/map/test_a tests/cli/b.bats" ]
  [ "${lines[-1]}" = "4 passed, 0 failed" ]
  fake_check --all=times,mpi --jobs 1
  [ "$(grep ^-j <<<"$output")" = "-j1 campaigns: tests/slurm/times.bats
-j1 campaigns: tests/mpi/f.bats" ]
  [ "${lines[-1]}" = "2 passed, 0 failed" ]
}

@test "auto/check: a bootstrap that prints anything is a failure, and one that fails is the end" {
  fake_build tests/cli/b.bats
  mkdir -p site/tests/cli
  printf '#!/bin/sh\necho Makefile.am:7: warning >&2\n' >site/bootstrap
  PATH=$PWD/bin TMPDIR=$PWD run -1 site/auto/check --only cli
  has_tokens "$output" Makefile.am:7: bootstrap "1 passed, 1 failed"
  echo 'exit 9' >>site/bootstrap
  PATH=$PWD/bin TMPDIR=$PWD run -1 site/auto/check --only cli
  has_tokens "$output" Makefile.am:7:
  [[ $output != *passed* ]]
}

@test "auto/check --shuffle: all suites, in an order that its seed determines" {
  fake_build tests/unit/{a,b,c,d,e,f,g,h}
  mkdir -p site/tests/unit
  local seed order
  declare -A seen
  for seed in 1 2 3 1; do
    fake_check --only unit --shuffle $seed --jobs 1
    order=$(sed -n 's/^-j1: //p' <<<"$output")
    [ "$(tr ' ' '\n' <<<"$order" | sort | paste -sd' ')" = "$(echo tests/unit/{a,b,c,d,e,f,g,h})" ]
    [ "$order" = "${seen[$seed]:-$order}" ]
    seen[$seed]=$order
  done
  [ "$(printf '%s\n' "${seen[@]}" | sort -u | wc -l)" -gt 1 ]
}

@test "auto/parts: its groups of packages are auto/deps', its suites those that there are, and HACKING has each part" {
  local name groups minutes command reach group
  while IFS='|' read -r name groups minutes command reach; do
    name=${name% }
    echo "$name"
    for group in $groups; do [ "$group" = - ] || grep -q "^$group: " "$source/auto/deps"; done
    [ "$minutes" -gt 0 ]
    grep -q "^| \`$name\` |" "$source/HACKING.md"
  done < <(grep -v '^#' "$source/auto/parts" | sed 's/ | /|/; s/ | /|/; s/ | /|/; s/ | /|/')
  # Every suite is in a part.
  local suite suites
  suites=$(awk -F ' [|] ' '$4 ~ /^suites / { sub(/^suites /, "", $4); print $4 }' "$source/auto/parts" | paste -sd'|')
  (cd "$source" && find tests -name '*.bats' ! -name '*-vm.bats') | while read -r suite; do
    case $suite in tests/slurm/vm.bats | tests/slurm/lldpd.bats | tests/slurm/launchers.bats) continue ;; esac
    echo "$suite" | grep -qE "$suites" || { echo "$suite is in no part" && false; }
  done
}

@test "auto/affected: suites and parts that a change reaches" {
  command -v git >/dev/null || skip "no git"
  mkdir -p tree/{auto,cli,lib,tests/{cli,unit}}
  cd tree
  cp "$source"/auto/{affected,parts} auto/
  printf '#include "low.h"\nint low_count(void)\n{\n}\n' >lib/low.c
  echo 'int low_count(void);' >lib/low.h
  printf '#include "high.h"\n#include "low.h"\nint high_count(void)\n{\n    return low_count();\n}\n' >lib/high.c
  echo 'int high_count(void);' >lib/high.h
  printf '#include "high.h"\nint main(void) { return high_count(); }\n' >cli/map.c
  printf 'int other_thing(void)\n{\n}\n' >cli/plan.c
  printf '#include "low.h"\nint main(void) { return low_count(); }\n' >tests/unit/test_low.c
  printf '#include "high.h"\nint main(void) { return high_count(); }\n' >tests/unit/test_high.c
  printf 'load helper\n@test "one" { topomap map; }\n' >tests/cli/map.bats
  printf '@test "two" { topomap plan; }\n' >tests/cli/plan.bats
  echo 'help() { true; }' >tests/cli/helper.bash
  git init -q . && git add -A && git -c user.name=a -c user.email=a commit -qm one
  reached() { # FILE: the suites
    echo '/* more */' >>"$1"
    auto/affected HEAD | sed -n 's/^suites: \([^ ]*\) .*/\1/p'
    git checkout -q -- "$1"
  }
  [ "$(reached lib/low.c)" = cli/map,unit/test_high,unit/test_low ]
  [ "$(reached lib/high.c)" = cli/map,unit/test_high ]
  [ "$(reached cli/plan.c)" = cli/plan ]
  [ "$(reached tests/cli/helper.bash)" = cli/map ]
  [ "$(reached tests/unit/test_low.c)" = unit/test_low ]
  touch configure.ac
  run -0 auto/affected HEAD
  [[ $output == *"unit,cli,slurm,mpi,install,fuzz"*parts:*packages* ]]
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
  local nap="sleep 61.$$" # of this run of the tests alone
  printf '%s\n' '@test "is well" {' '  true' '}' '@test "hangs" {' "  $nap" '}' >left.bats
  # Without what bats has for its own parts.
  local clean="env -i PATH=${PATH#*/bats-core:} TMPDIR=$PWD"
  run -124 $clean TOPOMAP_SUITE_SECONDS=2 "$source/tests/run-bats" --tap left.bats
  [[ $output == *"ok 1 is well"* ]]
  run -1 pgrep -fx "$nap"
  setpriv --pdeathsig TERM true 2>/dev/null || skip "setpriv has no --pdeathsig here"
  $clean sh -c '"$0" --tap left.bats >out 2>&1; :' "$source/tests/run-bats" 3>&- &
  for _ in {1..600}; do ! pgrep -fx "$nap" || break; sleep 0.1; done
  pgrep -fx "$nap"
  kill $!
  for _ in {1..600}; do pgrep -fx "$nap" || break; sleep 0.1; done
  run -1 pgrep -fx "$nap"
}
