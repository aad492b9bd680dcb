#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the built files ask of other libraries, against the tables in tests/data/symbols (made by
# tests/install/symbol-names): a plugin that names a function that srun lacks is srun's death, as soon as it is called.
bats_require_minimum_version 1.5.0

setup() {
  tables=$TOPOMAP_SOURCE/tests/data/symbols
  cd "$TOPOMAP_BUILD"
  plugin=plugin/.libs/spank_topomap.so
}

# strong FILE: NAME or NAME@VERSION a line. A weak symbol may be missing: whoever calls it has to ask first.
strong() {
  readelf --dyn-syms -W "$1" | awk '$7 == "UND" && $5 == "GLOBAL" { sub(/@@/, "@", $8); print $8 }' |
    grep -Ev '^__(asan|ubsan|lsan|sanitizer)_' | LC_ALL=C sort -u
}

# built: every program and library that a site installs.
built() {
  local file
  for file in "$plugin" plugin/topomap-planner plugin/topomap-node cli/topomap contrib/{verify,measure}/topomap-* \
    contrib/{profile,reorder}/libtopomap-*.so {contrib/reorder/,lib/,}.libs/*.so; do
    [[ -e $file && $file != *.[ch] ]] || continue
    [[ ! -e ${file%/*}/.libs/${file##*/} ]] || file=${file%/*}/.libs/${file##*/}
    if [[ $(head -c 4 "$file") == $'\x7fELF' ]]; then printf '%s\n' "$file"; fi
  done
}

# lacks TABLE < names: those that it has not.
lacks() { LC_ALL=C comm -23 - "$1"; }

# all_in TABLE PREFIX: fails with the names of the built files that begin with PREFIX and are not in TABLE.
all_in() {
  local file names status=0 seen=0
  while read -r file; do
    names=$(strong "$file" | sed 's/@.*//' | grep "^$2" | LC_ALL=C sort -u) || continue
    seen=1
    names=$(lacks "$tables/$1" <<<"$names")
    [[ -z $names ]] || { echo "$file names what $1 has not: " $names; status=1; }
  done < <(built)
  [[ $seen == 1 ]] || { echo "nothing of $1 is used"; return 1; }
  return $status
}

@test "the plugin names nothing that a supported Slurm lacks" {
  local table names missing='' versions=0
  names=$(strong "$plugin" | grep -v @)
  [[ $names == *spank_get_item* ]]
  for table in "$tables"/slurm/*; do
    versions=$((versions + 1))
    names=$(strong "$plugin" | grep -v @ | lacks "$table")
    [[ -z $names ]] || missing+="Slurm ${table##*/} lacks:"$(printf ' %s' $names)$'\n'
  done
  ((versions >= 8))
  printf '%s' "$missing"
  [[ -z $missing ]]
}

@test "each release whose step layout the plugin reads has a table, and the reverse" {
  diff <(sed -n 's/^ *{"\([0-9][0-9]\.[0-9][0-9]\)\.",.*/\1/p' "$TOPOMAP_SOURCE/plugin/srun/slurm_layout.c") <(LC_ALL=C ls "$tables/slurm")
}

@test "the tables of Slurm hold what its versions are known to have and to lack" {
  grep -qx slurm_job_cpus_allocated_str_on_node_id "$tables"/slurm/23.11
  run ! grep -qx slurm_job_cpus_allocated_str_on_node_id "$tables"/slurm/24.11
  grep -qx slurm_client_init_plugins "$tables"/slurm/23.02
  run ! grep -qx spank_prepend_task_argv "$tables"/slurm/23.02
  grep -qx slurm_get_cluster_info "$tables"/slurm/24.05
  run ! grep -qx slurm_xlate_job_id "$tables"/slurm/24.05
  grep -qx slurm_free_ctl_conf "$tables"/slurm/25.11
  run ! grep -qx slurm_free_ctl_conf "$tables"/slurm/26.05
  local table
  for table in "$tables"/slurm/*; do grep -qx spank_get_item "$table"; done
}

@test "the installed Slurm has what its table has" {
  local version table
  version=$(sed -n 's/^SLURM_VERSION = //p' Makefile)
  table=$tables/slurm/${version%.*}
  [[ -n $version ]]
  [[ -e $table ]] || skip "no table of Slurm $version"
  "$TOPOMAP_SOURCE/tests/install/symbol-names" slurm "$(sed -n 's/^SLURM_PREFIX = //p' Makefile)" >"$BATS_TEST_TMPDIR/here" ||
    skip "its programs are not here"
  [[ -s $BATS_TEST_TMPDIR/here ]] || skip "its programs are not here"
  diff "$table" "$BATS_TEST_TMPDIR/here"
}

# A function that has only got a newer version (pthread_create@GLIBC_2.34) is an old one.
@test "nothing is newer than glibc 2.28" {
  local file names status=0 count=0
  while read -r file; do
    count=$((count + 1))
    names=$(strong "$file" | sed -n 's/@GLIBC_2\.\([0-9]*\).*/ \1/p' | awk '$2 > 28 { print $1 }' | LC_ALL=C sort -u |
      lacks "$tables/glibc-2.28")
    [[ -z $names ]] || { echo "$file:" $names; status=1; }
  done < <(built)
  ((count >= 3))
  return $status
}

@test "hwloc 2.2, SQLite 3.26 and jansson 2.11 have what is used of them" {
  all_in hwloc-2.2 hwloc_
  all_in sqlite-3.26 sqlite3_
  all_in jansson-2.11 json_
}

# PMIX_VALUE_LOAD and others have become functions of nearly the same names.
@test "PMIx 2.2 has what is used of it" {
  local names name status=0
  names=$(built | while read -r file; do strong "$file"; done | sed 's/@.*//' | grep ^PMIx_) || skip "built without PMIx"
  for name in $names; do
    grep -qxE "$name|${name^^}" "$tables/pmix-2.2" || { echo "PMIx 2.2 lacks $name"; status=1; }
  done
  return $status
}

@test "a name that a table lacks is found" {
  printf 'int close_range(unsigned a, unsigned b, int c);\nint slurm_job_cpus_allocated_str_on_node_id(void);
int f(void) { return close_range(9, 9, 0) + slurm_job_cpus_allocated_str_on_node_id(); }\n' >"$BATS_TEST_TMPDIR/f.c"
  cc -shared -fPIC -o "$BATS_TEST_TMPDIR/f.so" "$BATS_TEST_TMPDIR/f.c"
  plugin=$BATS_TEST_TMPDIR/f.so
  [[ $(strong "$plugin" | grep -v @ | lacks "$tables/slurm/24.11") == *slurm_job_cpus_allocated_str_on_node_id* ]]
  [[ -z $(strong "$plugin" | grep slurm_ | lacks "$tables/slurm/23.11") ]]
  [[ -z $(lacks "$tables/glibc-2.28" <<<pthread_create) ]]
  [[ -n $(lacks "$tables/glibc-2.28" <<<close_range) ]]
}
