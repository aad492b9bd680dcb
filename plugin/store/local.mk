# SPDX-License-Identifier: BSD-3-Clause
# Profiles of earlier runs, and what a program is: what the planner and `topomap profile` share.
noinst_LTLIBRARIES += plugin/store/libstore.la
plugin_store_libstore_la_SOURCES = plugin/store/program.c plugin/store/run.h plugin/store/program.h plugin/store/elf.c \
  plugin/store/elf_dependencies.c plugin/store/cache.c \
  plugin/store/entry.c plugin/store/store_folder.c plugin/store/run.c \
  plugin/store/join.c \
  plugin/store/folder_time.c plugin/store/program_cache.c plugin/store/place.c plugin/store/sweep.c \
  plugin/store/profile_store.c plugin/store/store.h plugin/store/related_profiles.c \
  plugin/store/outcome.c plugin/store/stored_profile.c plugin/store/trust.c \
  plugin/store/script.c
