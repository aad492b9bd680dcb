#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# auto/release on made trees.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR"
  command -v git >/dev/null || skip "no git here"
  export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
}

# tree NEWS-HEADING: a checkout that lacks nothing.
tree() {
  mkdir -p tree/auto tree/.ci tree/tests/data/{compat/1.2.3,abi/topomap} tree/lib/include/topomap tree/topology-db tree/contrib/packaging
  cp "$TOPOMAP_SOURCE/auto/release" tree/auto/
  echo 'AC_INIT([topomap], [1.2.3], [], [topomap])' >tree/configure.ac
  printf '%s\n' 'topomap NEWS' '' "$1" '** Upgrading' 'Nothing is to be done.' '* 1.2.2 (2026-01-02)' '** Upgrading' 'old' >tree/NEWS
  touch tree/tests/data/compat/1.2.3/version
  tee tree/lib/include/topomap/a.h tree/tests/data/abi/topomap/a.h <<<'int a;' >/dev/null
  printf '#!/bin/sh\necho "not ok: Spack"\necho "1 passed, $(cat recipes 2>/dev/null || echo 0) failed"\n! test -e recipes\n' >tree/contrib/packaging/check-texts
  chmod +x tree/contrib/packaging/check-texts
  echo 'libtopomap_la_LDFLAGS = -version-info 0:0:0' >tree/topology-db/local.mk
  git -c init.defaultBranch=main init -q tree
  git -C tree add -A
  git -C tree commit -qm all
}

@test "a tree that has all of it; what takes its time is only named in a dry run" {
  tree '* 1.2.3 (2026-11-26)'
  run -0 tree/auto/release --dry-run
  [ "$(grep -c '^ok ' <<<"$output")" -eq 9 ]
  grep -q '^ok   .*recipes.*\<1 passed, 0 failed' <<<"$output"
  [[ $output == *"would run .ci/run"* && $output == *"would run auto/lint"* && $output == *"tag v1.2.3: 4 lines"* ]]
  [ -z "$(git -C tree tag)" ]
  run -2 tree/auto/release --nonsense
}

@test "what is missing is named, each with the way out, and nothing long is begun" {
  tree '* 1.2.3 (unreleased)'
  git -C tree tag v1.2.2
  echo '** Nothing' >tree/lib/include/topomap/a.h
  echo 1 >tree/recipes
  rm -r tree/tests/data/compat/1.2.3
  sed -i '4d' tree/NEWS
  git -C tree commit -qam 'a header'
  touch tree/new
  run -1 tree/auto/release
  grep -q '^NO   .*: ?? ' <<<"$output"
  grep -q '^NO   NEWS: .*1\.2\.3 (unreleased).*1\.2\.3 (YYYY-MM-DD)' <<<"$output"
  grep -q '^NO   NEWS: 1\.2\.3 .*\*\* Upgrading' <<<"$output"
  [[ $output == *"NO   no tests/data/compat/1.2.3: "* ]]
  grep -q '^NO   .*headers.*v1\.2\.2$' <<<"$output" || grep -q '^NO   .*headers.*v1\.2\.2\>' <<<"$output"
  grep -q '^NO   .*tests/data/abi/topomap/a\.h .*lib/include/topomap/a\.h: cp ' <<<"$output"
  grep -q '^NO   .*recipes.*not ok: .*contrib/packaging/check-texts' <<<"$output"
  [ "$(grep -c 'not run' <<<"$output")" -eq 3 ]
  git -C tree tag v1.2.3
  run -1 tree/auto/release --dry-run
  grep -q '^NO   .*v1\.2\.3\>' <<<"$output"
}

# bats test_tags=campaign
@test "with all of it there: lint, suites and the archive are run, and the tag has NEWS" {
  tree '* 1.2.3 (2026-11-26)'
  printf '#!/bin/sh\n' >tree/auto/lint
  printf '#!/bin/sh\n' >tree/bootstrap
  printf '#!/bin/sh\nexit "$(cat ../status)"\n' >tree/.ci/run
  # An archive of the same bytes wherever it is made; of others where DIFFER is set.
  printf '#!/bin/sh\ntest ! -e "${0%%/*}/config.status" || exit 1\nprintf "dist:\\n\\t@echo same${DIFFER:+ $PWD} >topomap-1.2.3.tar.xz\\n" >Makefile\n' >tree/configure
  chmod +x tree/auto/lint tree/bootstrap tree/.ci/run tree/configure
  echo '*.tar.xz' >tree/.gitignore
  git -C tree add -A
  git -C tree commit -qm 'what is run'
  echo 1 >status
  run -1 tree/auto/release
  [[ $output == *"NO   every suite: .ci/run failed"* && -z $(git -C tree tag) ]]
  echo 0 >status
  DIFFER=1 run -1 tree/auto/release
  [[ $output == *"NO   "*archive*twice* && -z $(git -C tree tag) ]]
  [ ! -e tree/topomap-1.2.3.tar.xz ]
  # Also where the source is configured in place.
  touch tree/config.status
  echo config.status >>tree/.git/info/exclude
  run -0 tree/auto/release
  [ "$(git -C tree tag)" = v1.2.3 ]
  git -C tree tag -l --format='%(contents)' v1.2.3 | grep -qx 'Nothing is to be done.' # wording: the tree's own NEWS
  run -1 grep -x old <(git -C tree tag -l --format='%(contents)' v1.2.3)
  [ -s tree/topomap-1.2.3.tar.xz ]
}

@test "this tree's own version is in NEWS, with notes for upgrades" {
  version=$(sed -n 's/^AC_INIT(\[topomap\], \[\([^]]*\)\].*/\1/p' "$TOPOMAP_SOURCE/configure.ac")
  grep -m 1 '^\* ' "$TOPOMAP_SOURCE/NEWS" | grep -qE "^\* $version \((unreleased|[0-9-]{10})\)$"
  awk '/^\* / { n++ } n == 1 && /^\*\* Upgrading$/ { found = 1 } END { exit !found }' "$TOPOMAP_SOURCE/NEWS"
}
