#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Which Slurm configure builds for: auto/find-slurm on made installations, and configure's own words.
bats_require_minimum_version 1.5.0

setup() {
  find_slurm=$TOPOMAP_SOURCE/auto/find-slurm
  cd "$BATS_TEST_TMPDIR"
}

# install PREFIX PLUGINS: what a Slurm leaves there.
install() {
  mkdir -p "$1"/{include/slurm,bin} "$1/$2"
  touch "$1/include/slurm/spank.h" "$1/$2/topology_tree.so"
  printf '#!/bin/sh\n' >"$1/bin/srun"
  chmod +x "$1/bin/srun"
}

# found PREFIX PLUGINS: what find-slurm is to say.
found() { printf 'prefix=%s\nplugins=%s\nbin=%s' "$1" "$1/$2" "$1/bin"; }

@test "the plugin folder is where that Slurm has its plugins" {
  local folder
  for folder in lib/slurm lib64/slurm lib/i-linux-gnu/slurm-wlm lib/i-linux-gnu/slurm; do
    rm -rf here
    install "$PWD/here" "$folder"
    run -0 "$find_slurm" i-linux-gnu here
    [ "$output" = "$(found "$PWD/here" "$folder")" ]
  done
}

@test "an empty folder of that name does not count" {
  install "$PWD/here" lib64/slurm
  mkdir -p here/lib/slurm here/lib/i-linux-gnu/slurm-wlm
  touch here/lib/slurm/spank_topomap.so
  run -0 "$find_slurm" i-linux-gnu here
  [ "$output" = "$(found "$PWD/here" lib64/slurm)" ]
}

@test "with headers alone, the folder beside the library" {
  mkdir -p here/include/slurm here/lib64 there/include/slurm there/lib/i-linux-gnu
  touch {here,there}/include/slurm/spank.h here/lib64/libslurm.so there/lib/i-linux-gnu/libslurm.so
  run -0 "$find_slurm" i-linux-gnu here
  [ "$output" = "$(found "$PWD/here" lib64/slurm)" ]
  run -0 "$find_slurm" i-linux-gnu there
  [ "$output" = "$(found "$PWD/there" lib/i-linux-gnu/slurm-wlm)" ]
}

@test "a folder without Slurm is said to be none" {
  mkdir here
  run -1 "$find_slurm" '' here
  [ -z "$output" ]
}

@test "without a folder: the srun in PATH, through links; one without headers is passed over" {
  install "$PWD/site" lib/slurm
  mkdir bin bare
  ln -s ../site/bin/srun bin/srun
  PATH=$PWD/bin:$PATH run -0 "$find_slurm" ''
  [ "$output" = "$(found "$PWD/site" lib/slurm)" ]
  cp site/bin/srun bare/srun
  PATH=$PWD/bare:$PATH PKG_CONFIG_PATH=$PWD run "$find_slurm" ''
  [[ $output != *"$PWD"* ]]
}

@test "without a folder and srun: what pkg-config knows" {
  install "$PWD/site" lib64/slurm
  rm site/bin/srun
  printf 'includedir=%s\nName: slurm\nDescription: -\nVersion: 1\n' "$PWD/site/include" >slurm.pc
  # Nothing but what the script needs, so that no srun of this machine is found.
  mkdir tools
  ln -s "$(command -v sh)" "$(command -v dirname)" "$(command -v readlink)" "$(command -v pkg-config)" tools
  PATH=$PWD/tools PKG_CONFIG_PATH=$PWD run -0 "$find_slurm" ''
  [ "$output" = "$(found "$PWD/site" lib64/slurm)" ]
}

# configured OPTION...: configure's line about Slurm; it ends when it goes on after that.
configured() {
  [ -x "$TOPOMAP_SOURCE/configure" ] || skip "no configure here"
  mkdir -p build
  (cd build && "$TOPOMAP_SOURCE/configure" --without-pmix "$@" 2>&1) | grep -m 1 -E '^configure: (Slurm|error: .*Slurm)'
}

# made PREFIX VERSION: an installation whose headers configure takes.
made() {
  install "$1" lib64/slurm
  printf '#define SLURM_VERSION_NUM(a,b,c) (((a) << 16) + ((b) << 8) + (c))\n#define SLURM_VERSION_NUMBER SLURM_VERSION_NUM(%s)\n' \
    "$2" >"$1/include/slurm/slurm.h"
}

# bats test_tags=campaign
@test "configure names version and folder, --with-spankdir wins, a Slurm before 22.05 is refused" {
  made "$PWD/site" 25,11,7
  [ "$(configured --with-slurm="$PWD/site")" = \
    "configure: Slurm 25.11.7 of $PWD/site; the plugin goes to $PWD/site/lib64/slurm" ]
  made "$PWD/old" 20,11,4
  [[ $(configured --with-slurm="$PWD/old" --with-spankdir=/some/where) == *"20.11.4 is too old"* ]]
  made "$PWD/old" 22,5,8
  [[ $(configured --with-slurm="$PWD/old" --with-spankdir=/some/where) == *"22.05.8 of $PWD/old; the plugin goes to /some/where" ]]
  [[ $(configured --with-slurm="$PWD/none") == *"no Slurm in $PWD/none"* ]]
}

@test "the programs that this build knows are those of its Slurm" {
  local bin
  bin=$(sed -n 's/^#define SLURM_BINDIR "\(.*\)"/\1/p' "$TOPOMAP_BUILD/config.h")
  [ "$bin" = "$(sed -n 's/^SLURM_PREFIX = //p' "$TOPOMAP_BUILD/Makefile")/bin" ]
}
