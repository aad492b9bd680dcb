# SPDX-License-Identifier: BSD-3-Clause
# Where ranks can go: what a machine specification says, trees inside nodes, how close places are.
lib_libcore_la_SOURCES += \
  lib/machine/machine_coordinates.c lib/machine/torus_network.c lib/machine/machine.c lib/machine/machine.h lib/machine/shape.c \
  lib/machine/shape.h lib/machine/shape_hwloc.c lib/machine/symmetry.c lib/machine/distance.c lib/machine/joining.c \
  lib/machine/vicinity.c lib/machine/spec.c lib/machine/spec.h lib/machine/spec_build.c \
  lib/machine/spec_tree.c lib/machine/spec_torus.c lib/machine/spec_matrix.c lib/machine/clusters.c \
  lib/machine/spec_fabric.c lib/machine/fabric_machine.c lib/machine/closeness.c \
  lib/machine/closeness.h lib/machine/closeness_table.c \
  lib/machine/devices.c lib/machine/devices.h lib/machine/devices_text.c lib/machine/device_levels.c lib/machine/spec_gpus.c lib/machine/domains.c lib/machine/spec_gpus_network.c lib/machine/spec_words.c
