# SPDX-License-Identifier: BSD-3-Clause
# InfiniBand's tools: a file a format, what their readers share, and the fabric that they join.
topology_db_libdb_la_SOURCES += \
  topology-db/import/ib/ib.h topology-db/import/ib/ib_fabric.c topology-db/import/ib/ib_join.c \
  topology-db/import/ib/ib_merge.c topology-db/import/ib/ib_read.c topology-db/import/ib/ib_read.h \
  topology-db/import/ib/ib_words.c topology-db/import/ib/ibnetdiscover.c \
  topology-db/import/ib/ib_ports.c topology-db/import/ib/ib_subnet_list.c topology-db/import/ib/ib_net_dump.c \
  topology-db/import/ib/ib_write.c topology-db/import/ib/ib_lft.c \
  topology-db/import/ib/counters.c topology-db/import/ib/ufm_links.c topology-db/import/ib/opa_links.c
