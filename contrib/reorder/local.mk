# SPDX-License-Identifier: BSD-3-Clause
# Better ranks while a program runs, for each MPI that configure found.
# libtopomap-reorder-*.so is preloaded and answers MPI's topology functions, programs link
# libtopomap-mpi-*.so. Both are made of the same parts; the placement library in them stays hidden.
EXTRA_DIST += contrib/reorder/README.md contrib/reorder/mpi.mk.in contrib/reorder/topomap-mpi.pc.in

reorder_parts = contrib/reorder/reorder.h contrib/reorder/topomap-mpi.h \
  contrib/reorder/settings.c contrib/reorder/programs.c contrib/reorder/team.c contrib/reorder/node_cores.c \
  contrib/reorder/target.c contrib/reorder/gather_edges.c contrib/reorder/place.c
# A Fortran layer over the standard's ABI calls the C names.
reorder_calls_mpi_abi = contrib/reorder/topology_functions.c
reorder_calls_openmpi = $(reorder_calls_mpi_abi) contrib/reorder/fortran.c
reorder_calls_mpich = $(reorder_calls_openmpi)
reorder_public = contrib/reorder/library.c contrib/reorder/targets.c contrib/reorder/measure.c \
  contrib/reorder/measure.h
reorder_hide = -Wl,--exclude-libs,ALL

include contrib/reorder/openmpi.mk
include contrib/reorder/mpich.mk
include contrib/reorder/mpi-abi.mk

contrib/reorder/topomap-mpi-%.pc: contrib/reorder/topomap-mpi.pc
	$(AM_V_GEN)sed 's/@mpi[@]/$*/' $< >$@.tmp && mv $@.tmp $@
CLEANFILES += contrib/reorder/topomap-mpi-openmpi.pc contrib/reorder/topomap-mpi-mpich.pc contrib/reorder/topomap-mpi-abi.pc

if REORDER
topomapinclude_HEADERS += contrib/reorder/topomap-mpi.h
dist_man_MANS += contrib/reorder/topomap-mpi.3
endif
EXTRA_DIST += contrib/reorder/topomap-mpi.h contrib/reorder/topomap-mpi.3
