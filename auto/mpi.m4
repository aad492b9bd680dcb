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
  ])
  AS_IF([test -n "$MPICC_MPICH"], [
    topomap_mpich=`$MPICC_MPICH -link_info`
    for word in $topomap_mpich; do
      AS_CASE([$word], [-I*|-D*], [MPICH_CPPFLAGS="$MPICH_CPPFLAGS $word"],
        [-L*|-l*], [MPICH_LIBS="$MPICH_LIBS $word"])
    done
  ])
  AC_SUBST([OPENMPI_CPPFLAGS])
  AC_SUBST([OPENMPI_LIBS])
  AC_SUBST([MPICH_CPPFLAGS])
  AC_SUBST([MPICH_LIBS])
  AM_CONDITIONAL([HAVE_OPENMPI], [test -n "$MPICC_OPENMPI"])
  AM_CONDITIONAL([HAVE_MPICH], [test -n "$MPICC_MPICH"])
  AM_CONDITIONAL([REORDER_OPENMPI], [test -n "$MPICC_OPENMPI" && test "x$enable_reorder" != xno])
  AM_CONDITIONAL([REORDER_MPICH], [test -n "$MPICC_MPICH" && test "x$enable_reorder" != xno])
])
