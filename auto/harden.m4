dnl SPDX-License-Identifier: BSD-3-Clause
# TOPOMAP_HARDEN
# What compiler and linker do against errors in C, each asked for by a program that has to link: HARDEN_CPPFLAGS,
# HARDEN_CFLAGS, HARDEN_LDFLAGS for everything, PIE_LDFLAGS for programs (libtool gives libraries -fPIC last).
AC_DEFUN([TOPOMAP_HARDEN], [
  AC_ARG_ENABLE([hardening], [AS_HELP_STRING([--disable-hardening],
    [without stack protector, _FORTIFY_SOURCE, full RELRO, PIE and marked branch targets])])
  HARDEN_CPPFLAGS= HARDEN_CFLAGS= HARDEN_LDFLAGS= PIE_LDFLAGS=
  AS_VAR_COPY([topomap_cflags], [CFLAGS])
  AS_VAR_COPY([topomap_cppflags], [CPPFLAGS])
  AS_VAR_COPY([topomap_ldflags], [LDFLAGS])
  AS_IF([test "x$enable_hardening" != xno], [
    # -fcf-protection is x86's, -mbranch-protection arm64's.
    for topomap_flag in -fstack-protector-strong -fcf-protection -mbranch-protection=standard -fPIE; do
      CFLAGS="$topomap_cflags -Werror $topomap_flag"
      TOPOMAP_HARDEN_TRY([$topomap_flag], [], [HARDEN_CFLAGS="$HARDEN_CFLAGS $topomap_flag"])
    done
    for topomap_flag in relro now noexecstack; do
      CFLAGS="$topomap_cflags -Werror"
      LDFLAGS="$topomap_ldflags -Wl,-z,$topomap_flag"
      TOPOMAP_HARDEN_TRY([-Wl,-z,$topomap_flag], [], [HARDEN_LDFLAGS="$HARDEN_LDFLAGS -Wl,-z,$topomap_flag"])
    done
    LDFLAGS="$topomap_ldflags -pie"
    CFLAGS="$topomap_cflags -Werror -fPIE"
    TOPOMAP_HARDEN_TRY([-pie], [], [PIE_LDFLAGS=-pie])
    LDFLAGS=$topomap_ldflags
    # The C library says what it makes of it: nothing without optimization, and 3 is newer than 2. A number that
    # the builder gives stands. AddressSanitizer watches the plain functions.
    CFLAGS="$topomap_cflags $SAN_CFLAGS -Werror"
    AS_CASE(["$topomap_cppflags $topomap_cflags"], [*_FORTIFY_SOURCE*], [], [
      for topomap_level in 3 2; do
        AS_IF([test "x$HARDEN_CPPFLAGS" = x], [
          topomap_flag="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$topomap_level"
          CPPFLAGS="$topomap_cppflags $topomap_flag -DTOPOMAP_LEVEL=$topomap_level"
          TOPOMAP_HARDEN_TRY([-D_FORTIFY_SOURCE=$topomap_level], [
#include <stdio.h>
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL < TOPOMAP_LEVEL
#error
#endif
], [HARDEN_CPPFLAGS=$topomap_flag])
        ])
      done
    ])
  ])
  AS_VAR_COPY([CFLAGS], [topomap_cflags])
  AS_VAR_COPY([CPPFLAGS], [topomap_cppflags])
  AS_VAR_COPY([LDFLAGS], [topomap_ldflags])
  AC_SUBST([HARDEN_CPPFLAGS])
  AC_SUBST([HARDEN_CFLAGS])
  AC_SUBST([HARDEN_LDFLAGS])
  AC_SUBST([PIE_LDFLAGS])
  AM_CONDITIONAL([HARDENED], [test "x$enable_hardening" != xno])
])

# TOPOMAP_HARDEN_TRY(WHAT, PROLOGUE, ACTION)
AC_DEFUN([TOPOMAP_HARDEN_TRY], [
  AC_MSG_CHECKING([whether $CC takes $1])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[$2]], [])], [AC_MSG_RESULT([yes])
    $3], [AC_MSG_RESULT([no])])
])
