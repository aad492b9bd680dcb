#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The plugin's table of options against the srun, salloc and sbatch that are installed: every name
# that their help and usage mention, every name that getopt has (a beginning that several names
# have makes it list them), every name of the table, and beginnings and letters. What the programs
# do with each is what the table says.
bats_require_minimum_version 1.5.0

setup_file() {
  local version
  cd "$BATS_FILE_TMPDIR"
  # Enough for the programs to read their options; nobody listens.
  cat >slurm.conf <<END
ClusterName=none
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=1
AuthType=auth/none
CredType=cred/none
MpiDefault=none
NodeName=localhost
PartitionName=all Nodes=ALL
PlugStackConfig=$PWD/plugstack.conf
END
  echo "optional $TOPOMAP_BUILD/plugin/.libs/spank_topomap.so" >plugstack.conf
  export SLURM_CONF=$PWD/slurm.conf
  version=$(srun --version | sed -n 's/^slurm[^ ]* \([0-9][0-9]\)\.\([0-9][0-9]\).*/\1\2/p')
  [ -n "$version" ]
  export RELEASE=$version
}

names() { # PROGRAM: all names that it says it has
  local letter
  "$1" --help | grep -oE -e '--[a-z][a-z0-9_-]+'
  "$1" --usage | grep -oE -e '--[a-z][a-z0-9_-]+'
  for letter in {a..z}; do
    timeout 5 "$1" "--$letter" --nosuch 2>&1 | grep -oE -e "'--[a-z][a-z0-9_-]+'" | tr -d "'"
  done
}

said() { # PROGRAM WORD...: what it answers, nothing of which is ever run
  timeout 5 "$@" </dev/null 2>&1
}

check() { # PROGRAM < lines of option-table: prints what differs
  local program=$1 name full takes answer
  while read -r name full takes; do
    case $takes,$name in
      value,--*) answer=$(said "$program" "$name"); [[ $answer == *"option '--$full' requires an argument"* ]] ;;
      none,--*) answer=$(said "$program" "$name=x"); [[ $answer == *"option '--$full' doesn't allow an argument"* ]] ;;
      maybe,--*)
        answer=$(said "$program" "$name" --nosuch)
        [[ $answer == *"unrecognized option '--nosuch'"* && $(said "$program" "$name=x" --nosuch) != *"doesn't allow"* ]] ||
          [[ $full == x11 && $answer == *"unrecognized option '$name'"* ]] # a Slurm without it
        ;;
      absent,--*)
        answer=$(said "$program" "$name" --nosuch)
        [[ $answer == *"unrecognized option '$name'"* || $answer == *"option '$name' is ambiguous"* ]]
        ;;
      value,-?) answer=$(said "$program" "$name"); [[ $answer == *"option requires an argument -- '${name#-}'"* ]] ;;
      absent,-?) answer=$(said "$program" "$name" --nosuch); [[ $answer == *"invalid option -- '${name#-}'"* ]] ;;
      *,-?) answer=$(said "$program" "$name" --nosuch); [[ $answer == *"unrecognized option '--nosuch'"* ]] ;;
      *) false ;;
    esac || printf '%s %s: the table says %s %s; %s\n' "$program" "$name" "$full" "$takes" "${answer%%$'\n'*}"
  done
}

compare() { # PROGRAM LEAST: all of its options, at least so many
  local own=.
  names "$1" | sed 's/^--//' | sort -u >names
  "$1" --help | grep -q -e --topomap || own='^--?t($|o)' # built for another release: not loaded
  "$TOPOMAP_BUILD/tests/slurm/option-table" "$1" "$RELEASE" <names | sort -u >all
  # -h and -V end the program before it says anything of what follows.
  grep -vE -e '^-[hV] ' all | if [[ $own == . ]]; then cat; else grep -vE -e "$own"; fi >table
  check "$1" <table >differs
  cat differs
  echo "$1, release $RELEASE: $(wc -l <names) names, $(wc -l <table) words"
  [ "$(wc -l <names)" -ge "$2" ]
  [ ! -s differs ]
}

setup() {
  cd "$BATS_TEST_TMPDIR"
}

@test "srun has the options that the plugin thinks it has" {
  compare srun 130
}

# bats test_tags=campaign
@test "salloc has the options that the plugin thinks it has" {
  compare salloc 85
}

# bats test_tags=campaign
@test "sbatch has the options that the plugin thinks it has" {
  compare sbatch 100
}

@test "the comparison finds an option that the table lacks, has wrongly, or has too much" {
  check srun <<'END' >differs
--account - absent
--label label value
--nosuch nosuch none
--nice nice none
-l label value
-y label none
--immediate immediate maybe
END
  cat differs
  [ "$(cut -d: -f1 differs | paste -sd,)" = "srun --account,srun --label,srun --nosuch,srun --nice,srun -l,srun -y" ]
}
