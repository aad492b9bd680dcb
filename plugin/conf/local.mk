# SPDX-License-Identifier: BSD-3-Clause
# Slurm's own configuration, for what may be killed: the planner, `topomap doctor`. Neither srun nor slurmstepd.
noinst_LTLIBRARIES += plugin/libslurmlines.la
plugin_libslurmlines_la_SOURCES = plugin/conf/slurm_lines.c plugin/conf/slurm_lines.h
