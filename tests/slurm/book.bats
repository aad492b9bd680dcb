#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The commands of the book (doc) that need Slurm, on the testbed, with those between them that they go on from: what they print is
# what is shown.
bats_require_minimum_version 1.5.0
load ../book
load mpis
load bed

setup_file() {
  [[ $EUID -eq 0 ]] || skip "needs root"
  export BED=$BATS_FILE_TMPDIR/bed
  export ASAN_OPTIONS=detect_leaks=0 # PMIx's own
  chmod go+x "$BATS_RUN_TMPDIR" # as a site's folders are
  eval "$("$TOPOMAP_SOURCE/contrib/testbed/testbed" up --build "$TOPOMAP_BUILD" --cpus 2 --dir "$BED" \
    --fabric fat-tree:leaves=4,hosts=3,spines=2,scatter=1)"
}

teardown_file() { bed_down; }

setup() {
  cd "$BATS_TEST_TMPDIR"
  export XDG_CACHE_HOME=$PWD/cache
  PATH=$TOPOMAP_BUILD/cli:$TOPOMAP_BUILD/contrib/verify:$PATH
  unset TOPOMAP TOPOMAP_GRAPH TOPOMAP_PROFILE LD_PRELOAD
}

# Who reads the book takes longer from a launch to the next command than the planner to keep its profile.
book_after() { settled || true; }

@test "the user's guide does what it says" {
  need_mpi pmix
  book_run "$TOPOMAP_SOURCE/doc/users.md" here testbed
}
@test "the administrator's guide does what it says under Slurm" { book_run "$TOPOMAP_SOURCE/doc/administrators.md" testbed; }
