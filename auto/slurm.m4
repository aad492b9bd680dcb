dnl SPDX-License-Identifier: BSD-3-Clause
# TOPOMAP_SLURM
# Slurm's public plugin headers, their version, the folder that its SPANK plugins are installed to and that of
# its programs: those of --with-slurm=DIR, else of the Slurm that auto/find-slurm finds.
AC_DEFUN([TOPOMAP_SLURM], [
  AC_ARG_WITH([slurm],
    [AS_HELP_STRING([--with-slurm=DIR],
      [prefix of the Slurm to build for (default: that of the srun in PATH, else of the system)])],
    [], [with_slurm=])
  AC_ARG_WITH([spankdir],
    [AS_HELP_STRING([--with-spankdir=DIR],
      [where the plugin goes (default: that Slurm's plugin folder; with a --prefix of topomap's own and no
       --with-slurm, LIBDIR/slurm)])])
  AS_CASE([$with_slurm],
    [yes], [with_slurm=],
    [no], [AC_MSG_ERROR([topomap is a plugin of Slurm: --without-slurm is not possible])])
  topomap_multiarch=`$CC -print-multiarch 2>/dev/null`
  slurm_prefix= slurm_plugins= slurm_bin=
  AS_IF([topomap_found=`"$srcdir/auto/find-slurm" "$topomap_multiarch" "$with_slurm"`], [
    slurm_prefix=`AS_ECHO(["$topomap_found"]) | sed -n 's/^prefix=//p'`
    slurm_plugins=`AS_ECHO(["$topomap_found"]) | sed -n 's/^plugins=//p'`
    slurm_bin=`AS_ECHO(["$topomap_found"]) | sed -n 's/^bin=//p'`
  ], [AS_IF([test "x$with_slurm" != x],
    [AC_MSG_ERROR([no Slurm in $with_slurm: there is no $with_slurm/include/slurm/spank.h])])])
  # A system's headers: that 23.11's are no strict prototypes is not our warning.
  SLURM_CPPFLAGS=
  AS_CASE([$slurm_prefix], [''|/usr], [], [SLURM_CPPFLAGS="-isystem $slurm_prefix/include"])

  topomap_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
  AC_CHECK_HEADERS([slurm/spank.h slurm/slurm.h], [],
    [AC_MSG_ERROR([Slurm's headers were not found: install the package libslurm-dev, or give --with-slurm=DIR])])
  AC_COMPUTE_INT([slurm_major], [SLURM_VERSION_NUMBER >> 16], [[#include <slurm/slurm.h>]], [slurm_major=0])
  AC_COMPUTE_INT([slurm_minor], [SLURM_VERSION_NUMBER >> 8 & 255], [[#include <slurm/slurm.h>]], [slurm_minor=0])
  AC_COMPUTE_INT([slurm_micro], [SLURM_VERSION_NUMBER & 255], [[#include <slurm/slurm.h>]], [slurm_micro=0])
  CPPFLAGS=$topomap_save_CPPFLAGS
  SLURM_VERSION=`printf '%d.%02d.%d' $slurm_major $slurm_minor $slurm_micro`
  AS_IF([test $(($slurm_major * 100 + $slurm_minor)) -lt 2205],
    [AC_MSG_ERROR([Slurm $SLURM_VERSION is too old: topomap needs 22.05 or newer; give --with-slurm=DIR])])

  AS_IF([test "x$with_spankdir" != x && test "x$with_spankdir" != xyes && test "x$with_spankdir" != xno],
      [spankdir=$with_spankdir],
    [test "x$slurm_plugins" = x || { test "x$with_slurm" = x && test "x$prefix" != xNONE &&
      test "x$prefix" != "x$slurm_prefix"; }],
      [spankdir='${libdir}/slurm'],
    [spankdir=$slurm_plugins])
  AC_MSG_NOTICE([Slurm $SLURM_VERSION of ${slurm_prefix:-the compiler's own headers}; the plugin goes to $spankdir])
  AC_DEFINE_UNQUOTED([SLURM_BINDIR], ["$slurm_bin"], [Folder of srun and scontrol of the Slurm that this is for; empty: only PATH knows])
  AC_DEFINE_UNQUOTED([SLURM_PLUGINDIR], ["$slurm_plugins"],
    [Folder of that Slurm's own plugins, where it looks without PluginDir; empty: not known])
  SLURM_BINDIR=$slurm_bin
  SLURM_PLUGINDIR=$slurm_plugins
  AC_SUBST([SLURM_CPPFLAGS])
  AC_SUBST([SLURM_VERSION])
  AC_SUBST([SLURM_PREFIX], [$slurm_prefix])
  AC_SUBST([SLURM_BINDIR])
  AC_SUBST([SLURM_PLUGINDIR])
  AC_SUBST([spankdir])
])
