# SPDX-License-Identifier: BSD-3-Clause
# In slurmstepd, on each node: this node's slice of a plan, its tasks' CPUs and GPUs, and its part of a profile.
plugin_libspank_la_SOURCES += \
  plugin/node/bind.c plugin/node/cpus.c plugin/node/cpus.h plugin/node/node.c \
  plugin/node/node.h plugin/node/gpu_variables.c plugin/node/nic_environment.c plugin/node/kernel.c plugin/node/memory_policy.c plugin/node/parts.c
