# SPDX-License-Identifier: BSD-3-Clause
# What suites of the profiler share: its libraries, and what a run has left in $profile. Loads mpis.
# shellcheck shell=bash
load mpis

setup_file() {
  export TOPOMAP=$TOPOMAP_BUILD/cli/topomap
  mpi_settings
  export OMPI_MCA_btl=tcp,self,vader
}

# The profiler that fits an MPI.
library() { echo "$TOPOMAP_BUILD/contrib/profile/libtopomap-profile-$(mpi_kind "$1").so"; }

arcs() {
  "$TOPOMAP" graph convert "$profile" arcs.csv
  grep '^[0-9]' arcs.csv | tr '\n' ' '
}

each_mpi() { # FUNCTION
  local mpi tried=0
  for mpi in $MPIS; do
    mpi_is_here "$mpi" && [ -e "$(library "$mpi")" ] || continue
    echo "$mpi"
    "$1" "$mpi"
    tried=1
  done
  [ "$tried" = 1 ] || skip "no MPI here"
}
