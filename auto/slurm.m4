# TOPOMAP_SLURM
# Slurm's public plugin headers, and the folder that its SPANK plugins are installed to.
AC_DEFUN([TOPOMAP_SLURM], [
  AC_ARG_WITH([slurm],
    [AS_HELP_STRING([--with-slurm=DIR], [prefix of Slurm's headers (DIR/include/slurm/spank.h)])],
    [SLURM_CPPFLAGS="-I$withval/include"], [SLURM_CPPFLAGS=])
  AC_ARG_WITH([spankdir],
    [AS_HELP_STRING([--with-spankdir=DIR], [where the plugin goes (default: LIBDIR/slurm-wlm)])],
    [spankdir=$withval], [spankdir='${libdir}/slurm-wlm'])
  topomap_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
  AC_CHECK_HEADERS([slurm/spank.h slurm/slurm.h], [],
    [AC_MSG_ERROR([Slurm's headers were not found: install the package libslurm-dev, or give --with-slurm=DIR])])
  CPPFLAGS=$topomap_save_CPPFLAGS
  AC_SUBST([SLURM_CPPFLAGS])
  AC_SUBST([spankdir])
])
