# SPDX-License-Identifier: BSD-3-Clause
# How ranks may end (ends.c), for the suites that compare profiled runs with unprofiled ones. Rows of
# END WHO PROFILE STATUS TIER:
#   PROFILE  whole, none, or files: none where the ranks write the profile themselves, whole where the node does
#   STATUS   same: the profiled run has the status and the lines of an unprofiled one; fails: any status but 0, unless an unprofiled run
#            has 0, too (MPICH 4.2's mpiexec);
#            chance: it depends on whether the launcher or another rank first sees that a rank has gone
#   TIER     auto/check runs the rows with +, the campaigns all
# A profiled run must not hang where an unprofiled one ends, and never prints what no rank of the program prints.
# shellcheck shell=bash
ENDS='
finalize   one whole same
finalize   all whole same   +
exit       one none  chance
exit       all none  chance
exit-3     one none  fails  +
_exit      one none  chance
_exit      all none  chance +
quick_exit one none  chance
quick_exit all none  chance
abort      one none  fails
signal     one none  fails
kill       one none  fails  +
exec       one none  chance
exec       all none  chance +
atexit     one whole same
atexit     all whole same
pmpi       one whole same
pmpi       all whole same
fork       one whole same
fork       all whole same
mpi-abort  one none  fails  +
mpi-abort  all none  fails
thread     one none  chance
thread     all none  chance
no-files   one files same
no-files   all files same   +
closing    all whole same   +
sandbox    all whole same   +
session    all none  same
'
# The rows of this tier: "END WHO PROFILE STATUS".
ends_rows() { echo "$ENDS" | awk -v all="${TOPOMAP_CAMPAIGNS:-}" 'NF && (all || $5 == "+") { print $1, $2, $3, $4 }'; }

# What the program itself prints, in any order; the other lines are the MPI's.
end_lines() { grep -a -x -e 'rank [0-9]* of [0-9]* got [0-9]*' -e executed -e 'a session' "$1" | sort; }

# ends_alike MPI END WHO STATUS: compares a profiled run with an unprofiled one (profiled, unprofiled: functions of the
# suite that leave `out` and `err` and print the status). The profiled run's files are then out.profiled and
# err.profiled. MPICH 4.2 does not end well after a fork, profiled or not: a fixed number of unprofiled runs shows
# whether this MPI does, and if not, `what`, the profile that is expected, becomes either.
ends_alike() {
  local with without=0 runs=1 i
  with=$(profiled "$1" "$2" "$3")
  cp out out.profiled
  cp err err.profiled
  echo "$1 $2 $3: status $with"
  # Under srun, ranks may wait in MPI_Finalize for good for one that has gone.
  if [ "$with" -eq 124 ]; then
    [ "$4" = chance ] && [ "$(unprofiled "$1" "$2" "$3")" -eq 124 ] || return 1
  fi
  end_lines out.profiled >lines.profiled
  case $4 in
    fails) [ "$with" -ne 0 ] || [ "$(unprofiled "$1" "$2" "$3")" -eq 0 ] || return 1 ;&
    chance)
      ! grep -vxE 'executed|rank [0-9]+ of [0-9]+ got [0-9]+' lines.profiled
      return
      ;;
  esac
  [ "$2" != fork ] || runs=5
  for ((i = 0; i < runs; i++)); do
    without=$(unprofiled "$1" "$2" "$3")
    [ "$without" -eq 0 ] || [ "$2" != fork ] || { what=either; return 0; }
  done
  end_lines out | diff - lines.profiled && [ "$with" = "$without" ]
}
