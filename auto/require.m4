dnl SPDX-License-Identifier: BSD-3-Clause
# TOPOMAP_REQUIRE_PKG(PREFIX, PKG-CONFIG MODULE, DEBIAN PACKAGE)
# A pkg-config module that must be there; its absence names the package to install.
AC_DEFUN([TOPOMAP_REQUIRE_PKG], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 was not found: install the package $3 (auto/deps installs everything)])])
])

# TOPOMAP_REQUIRE_HEADER_LIB(PREFIX, HEADER, LIBRARY, FUNCTION, DEBIAN PACKAGE)
# The same for libraries without a pkg-config file.
AC_DEFUN([TOPOMAP_REQUIRE_HEADER_LIB], [
  AC_CHECK_HEADER([$2], [],
    [AC_MSG_ERROR([$2 was not found: install the package $5 (auto/deps installs everything)])])
  topomap_save_LIBS=$LIBS
  AC_CHECK_LIB([$3], [$4], [],
    [AC_MSG_ERROR([lib$3 was not found: install the package $5 (auto/deps installs everything)])])
  LIBS=$topomap_save_LIBS
  $1_LIBS=-l$3
  AC_SUBST([$1_LIBS])
])
