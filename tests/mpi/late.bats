#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The profiler in programs that load their MPI when they run: interpreters and their extensions, functions that
# are asked for by name, libraries that stand in for an MPI; and what it must leave as it is.
bats_require_minimum_version 1.5.0

load profiler

setup() {
  cd "$BATS_TEST_TMPDIR"
  profile=$PWD/profile.tmg
}

# under PROFILER MPI PROGRAM...: two processes ($RANKS) with the profiler of PROFILER, what they say in `said`.
under() {
  local profiler=$1 mpi=$2
  shift 2
  rm -rf "$profile"
  mpi_run "$mpi" "${RANKS:-2}" env LD_PRELOAD="$(library "$profiler")" TOPOMAP_PROFILE="$profile" "$@" >said 2>&1 || { cat said; return 1; }
}

others() { # MPI: whose profilers are of another one
  local kind
  for kind in openmpi mpich mpi-abi; do
    [ "$kind" = "$(mpi_kind "$1")" ] || [ ! -e "$(library "$kind")" ] || echo "$kind"
  done
}

# The library that a program of that MPI needs.
library_of() { # MPI
  case $1 in
    abi-*) mpi_abi_library "$1" ;;
    *) echo 'int MPI_Init(void *, void *); int main(void) { return MPI_Init(0, 0); }' >needs.c
       "mpicc.$1" -o needs needs.c && ldd needs | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3; exit }' ;;
  esac
}

named() {
  local library flags other
  library=$(library_of "$1")
  [ -n "$library" ]
  mpi_compile "$1" -c -o named.o "$TOPOMAP_SOURCE/tests/mpi/named.c"
  cc -o named named.o -ldl
  for flags in '' g gd; do
    under "$1" "$1" ./named "$library" $flags
    [ "$(arcs)" = "0,1,4,1 1,0,4,1 " ]
    for other in $(others "$1"); do
      under "$other" "$1" ./named "$library" $flags
      [ "$(grep -c "^topomap: no profile: the program's MPI is " said)" -eq 1 ]
      [ ! -e "$profile" ]
    done
  done
}
@test "functions that are asked for by name, as Julia and ctypes do" { each_mpi named; }

extension() { # MPI: ./interpreter [LIBRARY]... opens each for itself, and calls its run()
  cat >extension.c <<'END'
#include <mpi.h>
int run(void)
{
    int rank, other;
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    return other != 1 - rank;
}
int end(void) { return MPI_Finalize(); }
END
  cat >interpreter.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *extension[8];
    for (int i = 1; i < argc; i++) {
        int (*run)(void);
        extension[i] = dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL);
        run = extension[i] ? (int (*)(void))dlsym(extension[i], "run") : 0;
        if (!run) return puts(dlerror()), 2;
        if (run()) return 3;
    }
    for (int i = argc; i-- > 1;)
        if (((int (*)(void))dlsym(extension[i], "end"))()) return 4;
    return 0;
}
END
  mpi_compile "$1" -shared -fPIC -o extension.so extension.c
  cc -o interpreter interpreter.c -ldl
}

# What the profiler calls itself could not be found later: no profile, and the program runs.
bound() {
  extension "$1"
  under "$1" "$1" env LD_BIND_NOW=1 ./interpreter ./extension.so
  [ "$(cat said)" = "topomap: no profile: the program loads its MPI itself, and LD_BIND_NOW is set" ]
  local other
  for other in $(others "$1"); do under "$other" "$1" env LD_BIND_NOW=1 ./interpreter ./extension.so; done
}
@test "LD_BIND_NOW: an MPI that comes later is used, and not profiled" { each_mpi bound; }

# The MUMPS for one process brings a few of MPI's names along, in C and Fortran.
stands_in() {
  extension "$1"
  cat >alone.c <<'END'
int MPI_Init(int *argc, char ***argv);
int MPI_Sendrecv(long a, int b, int c, int d, int e, int *f);
int MPI_Finalize(void);
void mpi_allreduce_(int *a, int *b);
static int begun;
int MPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; return begun++ ? 9 : 0; }
int MPI_Sendrecv(long a, int b, int c, int d, int e, int *f) { *f = (int)a + b + c + d + e; return 0; }
int MPI_Finalize(void) { return begun-- - 1; }
void mpi_allreduce_(int *a, int *b) { *b = *a; }
END
  cat >solver.c <<'END'
int MPI_Init(int *argc, char ***argv);
int MPI_Sendrecv(long a, int b, int c, int d, int e, int *f);
int MPI_Finalize(void);
void mpi_allreduce_(int *a, int *b);
int run(void)
{
    int sum = 0, copy = 0;
    if (MPI_Init(0, 0) || MPI_Sendrecv(1, 2, 3, 4, 5, &sum)) return 1;
    mpi_allreduce_(&sum, &copy);
    return copy != 15;
}
int end(void) { return MPI_Finalize(); }
END
  cc -shared -fPIC -o libalone.so alone.c
  cc -shared -fPIC -o solver.so solver.c -L. -lalone -Wl,-rpath,"$PWD"
  local kind both=1
  # Open MPI 4 makes itself be there for all: whoever comes later has its names.
  mpi_run "$1" 2 ./interpreter ./extension.so ./solver.so >alone 2>&1 || both=
  for kind in "$(mpi_kind "$1")" $(others "$1"); do
    under "$kind" "$1" ./interpreter ./solver.so
    [ ! -e "$profile" ]
    [ -n "$both" ] || continue
    under "$kind" "$1" ./interpreter ./extension.so ./solver.so
    [ "$kind" != "$(mpi_kind "$1")" ] || [ "$(arcs)" = "0,1,4,2 1,0,4,2 " ]
  done
}
@test "a library that stands in for MPI keeps its callers, alone and beside an MPI" { each_mpi stands_in; }

# A tool of the program's own, as Score-P's libraries are.
watched() {
  cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int seen;
int MPI_Sendrecv(const void *a, int b, MPI_Datatype c, int d, int e, void *f, int g, MPI_Datatype h, int i, int j, MPI_Comm k, MPI_Status *l)
{
    seen++;
    return PMPI_Sendrecv(a, b, c, d, e, f, g, h, i, j, k, l);
}
int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { printf("seen %d\n", seen); return PMPI_Finalize(); }
END
  cat >program.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
  mpi_compile "$1" -shared -fPIC -o libtool.so -Wl,-soname,libtool.so tool.c
  mpi_compile "$1" -o program program.c -Wl,--no-as-needed -L. -ltool -Wl,-rpath,"$PWD"
  local kind
  for kind in "$(mpi_kind "$1")" $(others "$1"); do
    under "$kind" "$1" ./program
    [ "$(grep -c '^seen 1$' said)" -eq 2 ]
    [[ $(grep -v '^seen' said) == "topomap: "*libtool.so*MPI* ]]
    [ ! -e "$profile" ]
  done
}
@test "a tool that the program is linked with keeps all calls" { each_mpi watched; }

@test "dlsym goes on untouched: RTLD_NEXT, RTLD_DEFAULT, what is not there" {
  cat >next.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int MARK(void);
int MARK(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "mark");
    return OWN + 10 * (next ? next() : 0);
}
END
  cc -shared -fPIC -DOWN=1 -DMARK=mark -o libfirst.so next.c
  cc -shared -fPIC -DOWN=2 -DMARK=mark -o libsecond.so next.c
  cat >main.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int mark(void);
int main(void)
{
    int (*found)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "mark");
    void *own = dlopen(0, RTLD_LAZY);
    int missing = !dlsym(own, "MPI_T_nothing"), said = dlerror() != 0, again = dlerror() != 0;
    printf("%d %d %d %d %d\n", mark(), found(), missing, said, again);
    return 0;
}
END
  cc -o main main.c -L. -Wl,--no-as-needed -lfirst -lsecond -ldl -Wl,-rpath,"$PWD"
  [ "$(./main)" = "21 21 1 1 0" ]
  # An allocator that asks before it can allocate.
  cat >allocator.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>
void *malloc(size_t size)
{
    static void *(*next)(size_t);
    static int asks;
    if (!next) {
        if (asks++) _exit(9);
        *(void **)&next = dlsym(RTLD_NEXT, "malloc");
        asks = 0;
    }
    return next(size);
}
END
  cc -shared -fPIC -fno-builtin -o allocator.so allocator.c -ldl
  local kind
  for kind in openmpi mpich mpi-abi; do
    [ -e "$(library "$kind")" ] || continue
    run -0 env LD_PRELOAD="$(library "$kind")" TOPOMAP_PROFILE="$profile" ./main
    [ "$output" = "21 21 1 1 0" ]
    run -0 env LD_PRELOAD="$PWD/allocator.so:$(library "$kind")" ./main
    [ "$output" = "21 21 1 1 0" ]
  done
}

# AddressSanitizer insists on being the first library.
sanitized() {
  echo 'int main(int argc, char **argv) { (void)argv; return argc - 1; }' >plain.c
  cc -fsanitize=address -o plain plain.c && ./plain || skip "no AddressSanitizer here"
  run -0 env LD_PRELOAD="$(library "$1")" ./plain
  [ -z "$output" ]
}
@test "programs with AddressSanitizer start" { each_mpi sanitized; }

# As f2py makes it: an extension in Fortran, with constants of Fortran's own.
in_fortran() {
  mpi_is_here "$1" && [ -e "$(library "$1")" ] && mpi_has_fortran "$1" || skip "no $1 here, or none with Fortran"
  local use kind
  cat >opens.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *extension = dlopen("./grid.so", RTLD_LAZY | RTLD_LOCAL);
    int (*run)(int, char **) = extension ? (int (*)(int, char **))dlsym(extension, "main") : 0;
    return run ? run(argc, argv) : (puts(dlerror()), 2);
}
END
  cc -o opens opens.c -ldl
  for use in mpif mpi_f08; do
    if [ $use = mpif ]; then
      sed "s/@USE@/implicit none\n  include 'mpif.h'/; s/@COMM@/integer/; s/@WIN@/integer/; s/@REQUEST@/integer/"
    else
      sed "s/@USE@/use mpi_f08/; s/@COMM@/type(MPI_Comm)/; s/@WIN@/type(MPI_Win)/; s/@REQUEST@/type(MPI_Request)/"
    fi <"$TOPOMAP_SOURCE/tests/mpi/grid.f90.in" >grid.f90
    "mpifort.$1" -w -fallow-argument-mismatch -shared -fPIC -o grid.so grid.f90
    for kind in "$(mpi_kind "$1")" $(others "$1"); do
      RANKS=3 under "$kind" "$1" ./opens
      [ "$kind" != "$1" ] || [ "$(arcs)" = "0,1,100,5 0,2,48,2 1,0,48,2 1,2,100,5 2,0,100,5 2,1,48,2 " ]
    done
  done
}
@test "an extension in Fortran: Open MPI" { in_fortran openmpi; }
@test "an extension in Fortran: MPICH" { in_fortran mpich; }

@test "mpi4py" {
  python=/usr/bin/python3
  "$python" -c 'import mpi4py' 2>/dev/null || skip "no mpi4py here"
  cat >run.py <<'END'
from mpi4py import MPI
world = MPI.COMM_WORLD
other = 1 - world.rank
got = bytearray(1000)
world.Sendrecv(bytearray(1000), other, 0, got, other)
END
  local mpi kind
  mpi=$("$python" -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")')
  under "$mpi" "$mpi" "$python" run.py
  [ "$(arcs)" = "0,1,1000,1 1,0,1000,1 " ]
  under "$mpi" "$mpi" sh -c "$python run.py; true"
  [ "$(arcs)" = "0,1,1000,1 1,0,1000,1 " ]
  for kind in $(others "$mpi"); do
    under "$kind" "$mpi" "$python" run.py
    grep -q "^topomap: .*profile.* lib" said
  done
}
