# SPDX-License-Identifier: BSD-3-Clause
# Tests on a real Slurm, which contrib/testbed/testbed starts; they need root and skip without.
check_PROGRAMS += tests/slurm/fake-planner
tests_slurm_fake_planner_SOURCES = tests/slurm/fake-planner.c
tests_slurm_fake_planner_LDADD = plugin/planner/liblaunch.la topology-db/libdb.la lib/libcore.la
EXTRA_DIST += tests/slurm/mpis.bash tests/slurm/bed.bash tests/slurm/silence.bash tests/slurm/stuck.bash tests/slurm/verify.bats tests/slurm/verify-vm.bats tests/slurm/reorder.bats \
  tests/slurm/plugin.bats tests/slurm/policy.bats tests/slurm/options.bats \
  tests/slurm/launches.bats tests/slurm/gpus.bats tests/slurm/gpu-options.bats tests/slurm/faults.bats tests/slurm/limits.bats tests/slurm/partial.bats tests/slurm/records.bats tests/slurm/auto.bats tests/slurm/loaded.bats tests/slurm/torch.bats tests/slurm/trust.bats tests/slurm/ends.bats tests/slurm/times.bats \
  tests/slurm/privileges.bats tests/slurm/words.bats tests/slurm/async.bats tests/slurm/contained.bats tests/slurm/mixed.bats tests/slurm/upgrades.bats tests/slurm/testbed.bats tests/slurm/fabric.bats tests/slurm/proof.bats tests/slurm/launchers.bats \
  tests/slurm/node.bats tests/slurm/plugin-vm.bats tests/slurm/vm.bats tests/slurm/ends-vm.bats tests/slurm/gpus-vm.bats tests/slurm/launchers-vm.bats tests/slurm/vm-node tests/slurm/vm-gpus tests/slurm/case.c
EXTRA_DIST += tests/slurm/order.bats tests/slurm/doctor.bats tests/slurm/book.bats \
  tests/slurm/masks.bats tests/slurm/masks-vm.bats tests/slurm/masks.awk tests/slurm/random-steps.awk tests/slurm/compare-masks
# srun cannot load a plugin that wants AddressSanitizer's runtime first.
if !SANITIZERS
TESTS += tests/slurm/order.bats tests/slurm/doctor.bats tests/slurm/book.bats tests/slurm/node.bats tests/slurm/masks.bats
TESTS += tests/slurm/verify.bats tests/slurm/reorder.bats tests/slurm/testbed.bats tests/slurm/fabric.bats \
  tests/slurm/plugin.bats tests/slurm/policy.bats tests/slurm/options.bats \
  tests/slurm/launches.bats tests/slurm/gpus.bats tests/slurm/gpu-options.bats tests/slurm/faults.bats tests/slurm/limits.bats tests/slurm/partial.bats tests/slurm/records.bats tests/slurm/auto.bats tests/slurm/loaded.bats tests/slurm/torch.bats tests/slurm/trust.bats tests/slurm/ends.bats tests/slurm/times.bats \
  tests/slurm/privileges.bats tests/slurm/words.bats tests/slurm/async.bats tests/slurm/contained.bats tests/slurm/mixed.bats tests/slurm/upgrades.bats tests/slurm/proof.bats tests/slurm/launchers.bats
endif

# In a virtual node of 16 CPUs, for which `auto/deps --vm` installs qemu and a kernel.
VM_TESTS = tests/slurm/plugin-vm.bats tests/slurm/vm.bats tests/slurm/verify-vm.bats tests/slurm/ends-vm.bats \
  tests/slurm/gpus-vm.bats tests/slurm/launchers-vm.bats tests/slurm/masks-vm.bats
VM_FORMS = 100
check-vm: all-tests
	TOPOMAP_VM_FORMS=$(VM_FORMS) $(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(VM_TESTS)'
.PHONY: check-vm

# A real lldpd on each system of a fabric of namespaces, for which `auto/deps --lldpd` installs it.
EXTRA_DIST += tests/slurm/lldpd.bats
check-lldpd: cli/topomap$(EXEEXT)
	TOPOMAP_BUILD='$(abs_top_builddir)' TOPOMAP_SOURCE='$(abs_top_srcdir)' bats $(srcdir)/tests/slurm/lldpd.bats
.PHONY: check-lldpd
# 30 random plans with each launcher; the suites have three, and one in the virtual node.
PLANS = 30
check-launchers: all-tests
	TOPOMAP_BUILD='$(abs_top_builddir)' TOPOMAP_SOURCE='$(abs_top_srcdir)' PLANS=$(PLANS) \
	  bats -f ' by ' $(srcdir)/tests/slurm/launchers.bats $(srcdir)/tests/slurm/launchers-vm.bats
.PHONY: check-launchers

# 1,000 launches in a row and 50 at once; the suite has 60 and 50.
LAUNCHES = 1000
check-launches: all-tests
	TOPOMAP_BUILD='$(abs_top_builddir)' TOPOMAP_SOURCE='$(abs_top_srcdir)' TOPOMAP_LAUNCHES=$(LAUNCHES) \
	  bats -f 'many launches' $(srcdir)/tests/slurm/faults.bats
.PHONY: check-launches

# For faults.bats, partial.bats, loaded.bats and gpus.bats: preloaded into srun; plugins beside topomap's.
check_LTLIBRARIES = tests/slurm/false-items.la tests/slurm/damage.la tests/slurm/hooks.la tests/slurm/pyxis.la
tests_slurm_pyxis_la_SOURCES = tests/slurm/pyxis.c
tests_slurm_pyxis_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_slurm_pyxis_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_slurm_hooks_la_SOURCES = tests/slurm/hooks.c
tests_slurm_hooks_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_slurm_hooks_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_slurm_damage_la_SOURCES = tests/slurm/damage.c
tests_slurm_damage_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_slurm_damage_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_slurm_false_items_la_SOURCES = tests/slurm/false-items.c
tests_slurm_false_items_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_slurm_false_items_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

# A file system that never answers: `stuck-mount DIR` until SIGTERM.
check_PROGRAMS += tests/slurm/stuck-mount
tests_slurm_stuck_mount_SOURCES = tests/slurm/stuck-mount.c

# For words.bats: what the plugin knows of srun's options.
check_PROGRAMS += tests/slurm/option-table
tests_slurm_option_table_SOURCES = tests/slurm/option-table.c
tests_slurm_option_table_LDADD = plugin/libspank.la

# For mixed.bats: the plugin of a later version, which speaks another format to the nodes.
check_LTLIBRARIES += tests/slurm/later-plugin.la
tests_slurm_later_plugin_la_SOURCES = plugin/spank.c
tests_slurm_later_plugin_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) -DPLUGIN_FORMAT=2
tests_slurm_later_plugin_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,nodelete -rpath /nowhere
tests_slurm_later_plugin_la_LIBADD = plugin/libspank.la

# For mixed.bats too: the profilers of a later version, which know no memory of this version's and write another
# format; by the names that the plugin looks for, in a folder of their own.
later_profilers =
if HAVE_OPENMPI
later_profilers += tests/slurm/later/libtopomap-profile-openmpi.so
endif
if HAVE_MPICH
later_profilers += tests/slurm/later/libtopomap-profile-mpich.so
endif
check_DATA += $(later_profilers)
CLEANFILES += tests/slurm/later/libtopomap-profile-openmpi.so tests/slurm/later/libtopomap-profile-mpich.so
later_profiler = $(MKDIR_P) $(@D) && $$mpicc $(profile_four) -DTOPOMAP_TMG_VERSION=2 -DTOPOMAP_PART_MEMORY_VERSION=3

tests/slurm/later/libtopomap-profile-openmpi.so: $(profile_needs)
	$(AM_V_GEN)mpicc='$(MPICC_OPENMPI)'; $(later_profiler) -DPROFILE_SONAME='"$(OPENMPI_SONAME)"' $(profile_flags) -o $@

tests/slurm/later/libtopomap-profile-mpich.so: $(profile_needs)
	$(AM_V_GEN)mpicc='$(MPICC_MPICH)'; $(later_profiler) -DPROFILE_SONAME='"$(MPICH_SONAME)"' $(profile_flags) -o $@
