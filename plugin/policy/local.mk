# SPDX-License-Identifier: BSD-3-Clause
# The site's policy: what srun and `topomap policy check` share. libc only.
noinst_LTLIBRARIES += plugin/policy/libpolicy.la
plugin_policy_libpolicy_la_SOURCES = plugin/policy/policy.h plugin/policy/read.c \
  plugin/policy/match.c plugin/policy/settings.c \
  plugin/policy/resolve.c
