# SPDX-License-Identifier: BSD-3-Clause
# The MPIs that tests run programs under: openmpi, mpich, and programs of the MPI standard's ABI under
# the one (abi-openmpi) and the other (abi-mpich).
MPIS="mpich openmpi abi-mpich abi-openmpi"

mpi_settings() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  # Debian 11's Open MPI (4.1.0) takes UCX for windows where it cannot have them, and every MPI_Win_create fails.
  export OMPI_MCA_osc=^ucx
}

# The library of ours that fits: libtopomap-*-$(mpi_kind MPI).so.
mpi_kind() { case $1 in abi-*) echo mpi-abi ;; *) echo "$1" ;; esac }

# A variable of the build.
mpi_built() { sed -n "s/^$1 = //p" "$TOPOMAP_BUILD/Makefile"; }

# mpi_abi_library MPI: that MPI's libmpi_abi.so.1. Debian lets the system choose one of the two.
mpi_abi_library() {
  local library
  for library in /usr/lib/*/"libmpi_abi_${1#abi-}.so.1"*; do
    [ ! -f "$library" ] || { echo "$library"; return 0; }
  done
  return 1
}

mpi_is_here() { # MPI
  case $1 in
    abi-*) [ -n "$(mpi_built MPI_ABI_LIBS)" ] && mpi_abi_library "$1" >/dev/null && command -v "mpirun.${1#abi-}" >/dev/null ;;
    *) command -v "mpicc.$1" >/dev/null ;;
  esac
}

mpi_compile() { # MPI WORD...
  local mpi=$1
  shift
  case $mpi in
    abi-*) cc $(mpi_built MPI_ABI_CPPFLAGS) "$@" $(mpi_built MPI_ABI_LIBS) ;;
    *) "mpicc.$mpi" "$@" ;;
  esac
}

# Debian 11's Open MPI has its Fortran compiler's settings under a name that the compiler does not look for.
mpi_has_fortran() { # MPI
  "mpifort.$1" -show >/dev/null 2>&1
}

mpi_run() { # MPI RANKS WORD...: 100 seconds at most, or $MPI_SECONDS
  local mpi=$1 ranks=$2 many= paths=()
  shift 2
  case $mpi in
    abi-*)
      mkdir -p "$BATS_FILE_TMPDIR/$mpi"
      ln -sf "$(mpi_abi_library "$mpi")" "$BATS_FILE_TMPDIR/$mpi/libmpi_abi.so.1"
      paths=(env LD_LIBRARY_PATH="$BATS_FILE_TMPDIR/$mpi${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}")
      ;;
  esac
  # The variable for it has another name in each of Open MPI 4, 5 and 6.
  [[ $mpi != *openmpi ]] || many=--oversubscribe
  # MPICH 4.0's mpiexec dies of SIGPIPE where ranks have ended before it hands the end of its input on to them: an
  # input that does not end.
  [ -p "$BATS_FILE_TMPDIR/input" ] || mkfifo "$BATS_FILE_TMPDIR/input"
  # Open MPI 4.1's mpirun, once told to end, at times waits for good for ranks that it has killed.
  timeout -k 5 "${MPI_SECONDS:-100}" "mpirun.${mpi#abi-}" $many -n "$ranks" "${paths[@]}" "$@" <>"$BATS_FILE_TMPDIR/input"
}
