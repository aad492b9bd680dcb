dnl SPDX-License-Identifier: BSD-3-Clause
# TOPOMAP_MPI_WORDS(PREFIX, WORDS)
# What a compiler wrapper says of itself, sorted into PREFIX_CPPFLAGS and PREFIX_LIBS.
AC_DEFUN([TOPOMAP_MPI_WORDS], [
  $1_CPPFLAGS= $1_LIBS=
  for word in $2; do
    AS_CASE([$word], [-I*|-D*], [$1_CPPFLAGS="$$1_CPPFLAGS $word"],
      [-L*|-l*|-Wl,*], [$1_LIBS="$$1_LIBS $word"])
  done
])

# TOPOMAP_MPI_ABI_TRY(WORDS)
# Whether these words compile and link a program of the standard's ABI; once one did, no more.
AC_DEFUN([TOPOMAP_MPI_ABI_TRY], [
  AS_IF([test "x$have_mpi_abi" = xno], [
    TOPOMAP_MPI_WORDS([MPI_ABI], [$1])
    CPPFLAGS="$topomap_cppflags $MPI_ABI_CPPFLAGS" LIBS="$topomap_libs $MPI_ABI_LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_ABI_VERSION != 1
#error another ABI
#endif]], [[int version, minor; return MPI_Abi_get_version(&version, &minor);]])], [have_mpi_abi=yes])
    CPPFLAGS=$topomap_cppflags LIBS=$topomap_libs
  ])
])

# TOPOMAP_MPI_ABI
# The MPI standard's own ABI, by a folder that is named, the wrapper of Open MPI 6 or MPICH 5, or what
# Debian has of them without a wrapper that works: a header each, and libmpi_abi.so.
AC_DEFUN([TOPOMAP_MPI_ABI], [
  AC_ARG_WITH([mpi-abi], [AS_HELP_STRING([--with-mpi-abi=DIR],
    [header and library of the MPI standard ABI (DIR/include, DIR/lib); --without-mpi-abi: nothing for it])])
  have_mpi_abi=no topomap_cppflags=$CPPFLAGS topomap_libs=$LIBS
  AS_CASE([$with_mpi_abi],
    [no], [],
    [/*], [TOPOMAP_MPI_ABI_TRY([-I$with_mpi_abi/include -L$with_mpi_abi/lib -lmpi_abi])
      AS_IF([test "x$have_mpi_abi" = xno],
        [AC_MSG_ERROR([$with_mpi_abi has no include/mpi.h and lib/libmpi_abi.so of the MPI standard ABI])])],
    [AC_PATH_PROGS([MPICC_ABI], [mpicc_abi mpicc_abi.openmpi mpicc_abi.mpich])
      AC_MSG_CHECKING([for the MPI standard ABI])
      AS_IF([test -n "$MPICC_ABI"], [TOPOMAP_MPI_ABI_TRY([`$MPICC_ABI -show 2>/dev/null`])])
      AS_IF([test -n "$MPICC_MPICH"], [TOPOMAP_MPI_ABI_TRY([`$MPICC_MPICH -mpi-abi -show 2>/dev/null`])])
      AS_IF([test -n "$MPICC_OPENMPI"], [
        topomap_words=-lmpi_abi
        for folder in `$MPICC_OPENMPI --showme:libdirs`; do topomap_words="-L$folder $topomap_words"; done
        for folder in `$MPICC_OPENMPI --showme:incdirs`; do
          TOPOMAP_MPI_ABI_TRY([-I$folder/standard_abi $topomap_words])
        done
      ])
      for word in $MPICH_CPPFLAGS; do
        AS_CASE([$word], [-I*/mpich/include], [
          TOPOMAP_MPI_ABI_TRY([`AS_ECHO(["$word"]) | $SED 's,/mpich/include$,/mpi_abi_mpich/include,'` -lmpi_abi])])
      done
      AC_MSG_RESULT([$have_mpi_abi])])
  AS_IF([test "x$have_mpi_abi" = xno], [MPI_ABI_CPPFLAGS= MPI_ABI_LIBS=])
  AC_SUBST([MPI_ABI_CPPFLAGS])
  AC_SUBST([MPI_ABI_LIBS])
  AM_CONDITIONAL([HAVE_MPI_ABI], [test "x$have_mpi_abi" = xyes])
  AM_CONDITIONAL([REORDER_MPI_ABI], [test "x$have_mpi_abi" = xyes && test "x$enable_reorder" != xno])
])

# TOPOMAP_MPI_SONAME(VARIABLE, COMPILER)
# The number at the end of the soname of the library that programs of this MPI need.
AC_DEFUN([TOPOMAP_MPI_SONAME], [
  AS_ECHO(['#include <mpi.h>
int main(void) { return MPI_Init(0, 0); }']) >conftest.c
  AS_IF([$2 -w -o conftest conftest.c >&AS_MESSAGE_LOG_FD 2>&1],
    [$1=`${OBJDUMP:-objdump} -p conftest 2>/dev/null |
      $SED -n 's/^ *NEEDED *lib\(mpi\|mpich\|mpi_[[a-z0-9_]]*\)\.so\.//p' | $SED 1q`])
  rm -f conftest.c conftest
])

# TOPOMAP_MPI
# Open MPI and MPICH, each by its own compiler wrapper; what the wrappers add goes into
# {OPENMPI,MPICH}_{CPPFLAGS,LIBS} for the libraries that automake builds.
AC_DEFUN([TOPOMAP_MPI], [
  AC_ARG_WITH([openmpi], [AS_HELP_STRING([--without-openmpi], [nothing for Open MPI])])
  AC_ARG_WITH([mpich], [AS_HELP_STRING([--without-mpich], [nothing for MPICH])])
  AC_ARG_ENABLE([reorder], [AS_HELP_STRING([--disable-reorder], [no libraries for MPI's topology functions])])
  AS_IF([test "x$with_openmpi" != xno], [AC_PATH_PROGS([MPICC_OPENMPI], [mpicc.openmpi])])
  AS_IF([test "x$with_mpich" != xno], [AC_PATH_PROGS([MPICC_MPICH], [mpicc.mpich])])
  AS_IF([test -n "$MPICC_OPENMPI"], [
    OPENMPI_CPPFLAGS=`$MPICC_OPENMPI --showme:compile`
    OPENMPI_LIBS=`$MPICC_OPENMPI --showme:link`
    TOPOMAP_MPI_SONAME([OPENMPI_SONAME], [$MPICC_OPENMPI])
  ])
  AS_IF([test -n "$MPICC_MPICH"], [
    TOPOMAP_MPI_WORDS([MPICH], [`$MPICC_MPICH -link_info`])
    TOPOMAP_MPI_SONAME([MPICH_SONAME], [$MPICC_MPICH])
  ])
  AC_SUBST([OPENMPI_CPPFLAGS])
  AC_SUBST([OPENMPI_LIBS])
  AC_SUBST([OPENMPI_SONAME], [${OPENMPI_SONAME:-40}])
  AC_SUBST([MPICH_CPPFLAGS])
  AC_SUBST([MPICH_LIBS])
  AC_SUBST([MPICH_SONAME], [${MPICH_SONAME:-12}])
  AM_CONDITIONAL([HAVE_OPENMPI], [test -n "$MPICC_OPENMPI"])
  AM_CONDITIONAL([HAVE_MPICH], [test -n "$MPICC_MPICH"])
  AM_CONDITIONAL([REORDER_OPENMPI], [test -n "$MPICC_OPENMPI" && test "x$enable_reorder" != xno])
  AM_CONDITIONAL([REORDER_MPICH], [test -n "$MPICC_MPICH" && test "x$enable_reorder" != xno])
  TOPOMAP_MPI_ABI
  # The MPIs that were found, by their names in file names.
  MPIS=
  AS_IF([test -n "$MPICC_OPENMPI"], [MPIS="$MPIS openmpi"])
  AS_IF([test -n "$MPICC_MPICH"], [MPIS="$MPIS mpich"])
  AS_IF([test "x$have_mpi_abi" = xyes], [MPIS="$MPIS mpi-abi"])
  AC_SUBST([MPIS])
  AM_CONDITIONAL([REORDER], [test -n "$MPIS" && test "x$enable_reorder" != xno])
])
