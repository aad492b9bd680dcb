# The public headers.
topomapincludedir = $(includedir)/topomap
topomapinclude_HEADERS = lib/include/topomap/topomap.h
