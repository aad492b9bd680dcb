# SPDX-License-Identifier: BSD-3-Clause
# How ranks may end (ends.c): rows "END WHO PROFILE", where PROFILE says whether a profile is left of it:
# whole, none, or files (below). Loaded by the suites that walk them.
# shellcheck shell=bash
ENDS='
finalize   one whole
finalize   all whole
exit       one none
exit       all none
exit-3     one none
_exit      one none
_exit      all none
quick_exit one none
quick_exit all none
abort      one none
signal     one none
kill       one none
exec       one none
exec       all none
atexit     one whole
atexit     all whole
pmpi       one whole
pmpi       all whole
fork       one whole
fork       all whole
mpi-abort  one none
mpi-abort  all none
thread     one none
thread     all none
no-files   one files
no-files   all files
closing    all whole
session    all none
'
# files: the ranks of a launched step need none, those of a user's own profile do.

# What the program itself says, in any order; the rest is the MPI's and tells of processes.
end_lines() { grep -a -x -e 'rank [0-9]* of [0-9]* got [0-9]*' -e executed -e 'a session' "$1" | sort; }

# ends_alike MPI END WHO: a profiled run ends as an unprofiled one (profiled, unprofiled: of the suite, they leave
# `out` and `err` and print the status). Where a rank has gone, whether the launcher or another rank sees it first is
# chance, and so are the status and what the others still say: both ways are tried again, but nobody ever hangs. Where
# unprofiled runs differ from each other, one of their statuses will do, and lines that are theirs.
# Nothing can be said of the profile where an end that is to be well is not, as after a fork under MPICH 4.2:
# then `what` is made either.
ends_alike() {
  local with without i statuses=''
  rm -f lines.first lines.all lines.vary
  for _ in 1 2 3; do
    with=$(profiled "$@")
    cp out out.profiled
    cp err err.profiled
    for i in {1..8}; do
      without=$(unprofiled "$@")
      echo "$* ($i): $without without, $with with"
      statuses+=" $without "
      lines_seen
      [[ $statuses == *" $with "* ]] && lines_are_theirs || continue
      [ "$with" = 0 ] || [ "$2" = finalize ] || [ "$what" != whole ] || what=either
      return 0
    done
    [ "$with" -ne 124 ] || return 1
  done
  diff out out.profiled
  return 1
}

# Of the unprofiled runs: the lines of the first, all, and whether there are different ones (lines.vary).
lines_seen() {
  end_lines out >lines.now
  [ -e lines.first ] || cp lines.now lines.first
  cmp -s lines.first lines.now || touch lines.vary
  cat lines.now >>lines.all
  sort -u -o lines.all lines.all
}

lines_are_theirs() {
  end_lines out.profiled >lines.profiled
  cmp -s lines.now lines.profiled ||
    { [ -e lines.vary ] && [ -z "$(sort -u lines.profiled | comm -23 - lines.all)" ]; }
}
