# The views: what all facts together say; what kind of network it is, one file a kind.
topology_db_libdb_la_SOURCES += \
  topology-db/derive/cray.c topology-db/derive/cray.h topology-db/derive/derive.c topology-db/derive/derive.h \
  topology-db/derive/derive_fabric.c topology-db/derive/derive_nics.c topology-db/derive/derive_planes.c \
  topology-db/derive/classify.c topology-db/derive/classify.h topology-db/derive/classify_fabric.c \
  topology-db/derive/classify_tree.c topology-db/derive/classify_torus.c topology-db/derive/torus.c \
  topology-db/derive/torus.h topology-db/derive/classify_dragonfly.c topology-db/derive/grid.c \
  topology-db/derive/grid.h topology-db/derive/classify_coordinates.c topology-db/derive/derive_cray.c \
  topology-db/derive/derive_slurm.c topology-db/derive/cray_shape.c topology-db/derive/cray_shape.h \
  topology-db/derive/derive_routes.c
