# SPDX-License-Identifier: BSD-3-Clause
# Profiles of earlier runs, and what a program is: what the planner and `topomap profile` share.
noinst_LTLIBRARIES += plugin/store/libstore.la
plugin_store_libstore_la_SOURCES = plugin/store/program.c plugin/store/program.h plugin/store/elf.c plugin/store/elf.h \
  plugin/store/elf_dependencies.c plugin/store/elf_dependencies.h plugin/store/cache.c plugin/store/cache.h \
  plugin/store/entry.c plugin/store/entry_text.c plugin/store/entry.h plugin/store/folder.c plugin/store/folder.h plugin/store/run.c \
  plugin/store/join.c plugin/store/join.h plugin/store/run_claim.c plugin/store/run_claim.h \
  plugin/store/folder_time.c plugin/store/folder_time.h plugin/store/program_cache.c plugin/store/program_cache.h plugin/store/place.c plugin/store/place.h plugin/store/sweep.c plugin/store/sweep.h \
  plugin/store/store.c plugin/store/store.h plugin/store/related_profiles.c plugin/store/planned.c \
  plugin/store/outcome.c plugin/store/outcome.h plugin/store/profile.c plugin/store/profile.h plugin/store/trust.c plugin/store/trust.h \
  plugin/store/script.c plugin/store/script.h plugin/store/loaded.c plugin/store/loaded.h
