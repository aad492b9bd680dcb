# SPDX-License-Identifier: BSD-3-Clause
# Better ranks while a program runs, for each MPI that configure found.
# libtopomap-reorder-*.so is preloaded and answers MPI's topology functions, programs link
# libtopomap-mpi-*.so. Both are made of the same parts; the placement library in them stays hidden.
EXTRA_DIST += contrib/reorder/README.md

reorder_parts = contrib/reorder/reorder.h contrib/reorder/topomap-mpi.h \
  contrib/reorder/settings.c contrib/reorder/programs.c contrib/reorder/team.c contrib/reorder/inside.c \
  contrib/reorder/target.c contrib/reorder/edges.c contrib/reorder/place.c
reorder_calls = contrib/reorder/functions.c contrib/reorder/fortran.c
reorder_public = contrib/reorder/library.c contrib/reorder/targets.c contrib/reorder/measure.c \
  contrib/reorder/measure.h
reorder_hide = -Wl,--exclude-libs,ALL

if REORDER_OPENMPI
noinst_LTLIBRARIES += contrib/reorder/libparts-openmpi.la
contrib_reorder_libparts_openmpi_la_SOURCES = $(reorder_parts)
contrib_reorder_libparts_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CPPFLAGS)
contrib_reorder_libparts_openmpi_la_LIBADD = topology-db/libdb.la $(HWLOC_LIBS) $(OPENMPI_LIBS)
lib_LTLIBRARIES += contrib/reorder/libtopomap-mpi-openmpi.la
contrib_reorder_libtopomap_mpi_openmpi_la_SOURCES = $(reorder_public)
contrib_reorder_libtopomap_mpi_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CPPFLAGS)
contrib_reorder_libtopomap_mpi_openmpi_la_LIBADD = contrib/reorder/libparts-openmpi.la
contrib_reorder_libtopomap_mpi_openmpi_la_LDFLAGS = $(AM_LDFLAGS) $(reorder_hide) -version-info 0:0:0 -no-undefined
pkglib_LTLIBRARIES += contrib/reorder/libtopomap-reorder-openmpi.la
contrib_reorder_libtopomap_reorder_openmpi_la_SOURCES = $(reorder_calls)
contrib_reorder_libtopomap_reorder_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CPPFLAGS)
contrib_reorder_libtopomap_reorder_openmpi_la_LIBADD = contrib/reorder/libparts-openmpi.la
contrib_reorder_libtopomap_reorder_openmpi_la_LDFLAGS = $(AM_LDFLAGS) $(reorder_hide) -module -avoid-version -shared -no-undefined
pkgconfig_DATA += contrib/reorder/topomap-mpi-openmpi.pc
endif

if REORDER_MPICH
noinst_LTLIBRARIES += contrib/reorder/libparts-mpich.la
contrib_reorder_libparts_mpich_la_SOURCES = $(reorder_parts)
contrib_reorder_libparts_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CPPFLAGS)
contrib_reorder_libparts_mpich_la_LIBADD = topology-db/libdb.la $(HWLOC_LIBS) $(MPICH_LIBS)
lib_LTLIBRARIES += contrib/reorder/libtopomap-mpi-mpich.la
contrib_reorder_libtopomap_mpi_mpich_la_SOURCES = $(reorder_public)
contrib_reorder_libtopomap_mpi_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CPPFLAGS)
contrib_reorder_libtopomap_mpi_mpich_la_LIBADD = contrib/reorder/libparts-mpich.la
contrib_reorder_libtopomap_mpi_mpich_la_LDFLAGS = $(AM_LDFLAGS) $(reorder_hide) -version-info 0:0:0 -no-undefined
pkglib_LTLIBRARIES += contrib/reorder/libtopomap-reorder-mpich.la
contrib_reorder_libtopomap_reorder_mpich_la_SOURCES = $(reorder_calls)
contrib_reorder_libtopomap_reorder_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CPPFLAGS)
contrib_reorder_libtopomap_reorder_mpich_la_LIBADD = contrib/reorder/libparts-mpich.la
contrib_reorder_libtopomap_reorder_mpich_la_LDFLAGS = $(AM_LDFLAGS) $(reorder_hide) -module -avoid-version -shared -no-undefined
pkgconfig_DATA += contrib/reorder/topomap-mpi-mpich.pc
endif

# A Fortran layer over the standard's ABI calls the C names.
if REORDER_MPI_ABI
noinst_LTLIBRARIES += contrib/reorder/libparts-mpi-abi.la
contrib_reorder_libparts_mpi_abi_la_SOURCES = $(reorder_parts)
contrib_reorder_libparts_mpi_abi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_ABI_CPPFLAGS)
contrib_reorder_libparts_mpi_abi_la_LIBADD = topology-db/libdb.la $(HWLOC_LIBS) $(MPI_ABI_LIBS)
lib_LTLIBRARIES += contrib/reorder/libtopomap-mpi-abi.la
contrib_reorder_libtopomap_mpi_abi_la_SOURCES = $(reorder_public)
contrib_reorder_libtopomap_mpi_abi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_ABI_CPPFLAGS)
contrib_reorder_libtopomap_mpi_abi_la_LIBADD = contrib/reorder/libparts-mpi-abi.la
contrib_reorder_libtopomap_mpi_abi_la_LDFLAGS = $(AM_LDFLAGS) $(reorder_hide) -version-info 0:0:0 -no-undefined
pkglib_LTLIBRARIES += contrib/reorder/libtopomap-reorder-mpi-abi.la
contrib_reorder_libtopomap_reorder_mpi_abi_la_SOURCES = contrib/reorder/functions.c
contrib_reorder_libtopomap_reorder_mpi_abi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_ABI_CPPFLAGS)
contrib_reorder_libtopomap_reorder_mpi_abi_la_LIBADD = contrib/reorder/libparts-mpi-abi.la
contrib_reorder_libtopomap_reorder_mpi_abi_la_LDFLAGS = $(AM_LDFLAGS) $(reorder_hide) -module -avoid-version -shared -no-undefined
pkgconfig_DATA += contrib/reorder/topomap-mpi-abi.pc
endif

if REORDER_OPENMPI
topomapinclude_HEADERS += contrib/reorder/topomap-mpi.h
dist_man_MANS += contrib/reorder/topomap-mpi.3
else
if REORDER_MPICH
topomapinclude_HEADERS += contrib/reorder/topomap-mpi.h
dist_man_MANS += contrib/reorder/topomap-mpi.3
else
if REORDER_MPI_ABI
topomapinclude_HEADERS += contrib/reorder/topomap-mpi.h
dist_man_MANS += contrib/reorder/topomap-mpi.3
endif
endif
endif
EXTRA_DIST += contrib/reorder/topomap-mpi.h contrib/reorder/topomap-mpi.3
