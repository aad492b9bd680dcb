# SPDX-License-Identifier: BSD-3-Clause
# Which kinds of MPI start-up the Slurm under test has; loaded by the suites that start MPI programs.
# shellcheck shell=bash

# starts_mpi TYPE: does srun have --mpi=TYPE? Debian testing's 26.05 has no mpi/pmix.
starts_mpi() {
  srun --mpi=list 2>&1 | grep -q -x "[[:space:]]*$1"
}

need_mpi() { # TYPE
  starts_mpi "$1" || skip "this Slurm has no --mpi=$1"
}
