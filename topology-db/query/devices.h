/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPUs and NICs nodes have, and which NVLink domain they are in: for the launch, `db show`
 * and `db check`. A database of an earlier topomap, or one that was told nothing of them, has none.
 */
#ifndef TOPOMAP_DB_DEVICES_H
#define TOPOMAP_DB_DEVICES_H

#include "machine/devices.h"
#include "machine/shape.h"
#include "topology-db/db.h"

/** One node's own, with the UUIDs of its GPUs and the states of its NICs where a source was this
 *  node's, or a fabric lists its ports. None: count 0.
 *  \param node     a Slurm name; one that is not known is an error that names it
 *  \param devices  ends with topomap_devices_clear() */
int topomap_db_devices(topomap_db *db, const char *node, topomap_devices *devices,
                       topomap_error *err);

enum { TOPOMAP_DB_NO_DEVICES = UINT32_MAX };

/** The devices of many nodes: one of \p classes each, few for any number of nodes. */
typedef struct topomap_db_device_classes {
    uint32_t nodes, classes, domains;
    topomap_devices *class; /* [classes] without what is one node's alone */
    uint32_t *class_of;     /* [nodes] or TOPOMAP_DB_NO_DEVICES */
    uint32_t *domain_of;    /* [nodes] its NVLink domain, numbered by the first node; nodes of none
                               have TOPOMAP_DB_NO_DEVICES */
    char **domain;          /* [domains] names: "UUID.CLIQUE", or Slurm's block */
} topomap_db_device_classes;
/** \param nodes  Slurm names; one that is not known is an error that names it
 *  \param found  ends with topomap_db_device_classes_clear() */
int topomap_db_devices_of(topomap_db *db, const topomap_names *nodes,
                          topomap_db_device_classes *found, topomap_error *err);
void topomap_db_device_classes_clear(topomap_db_device_classes *found);

/** The machine of an allocation whose slots are GPUs. Inside nodes it goes by what joins these
 *  (topomap_devices_levels()), slots of one GPU being closest; between nodes by the database's
 *  network as topomap_db_machine() does, by the rails of the NICs that the GPUs use, and by NVLink
 *  domains. Nodes that hang on several leaf switches have their rails spread over these in the
 * order of the NICs. In tenths of a hop: an NVLink 1, two nodes of one domain 2, another rail an
 * NVLink more where NVLink joins all GPUs of every node, else two hops. Nodes without devices have
 * slots that are equally far. bind, compact, cores and CPUs of the allocation are not looked at.
 *  \param gpu      [slots] which of its node's GPUs a slot has, in topomap_devices_levels()'s order
 *                  of all GPUs: TOPOMAP_EUSAGE where one is not there, or stands before its turn
 *  \param machine  finished; ends with topomap_machine_free() */
int topomap_db_machine_gpus(topomap_db *db, const topomap_db_allocation *allocation,
                            const uint32_t *gpu, topomap_machine **machine, topomap_error *err);

/** A node's NVLink domain: "" where it is in none. \p domain [size] */
int topomap_db_domain(topomap_db *db, const char *node, char *domain, size_t size,
                      topomap_error *err);

/** The inside of a node's class; no core where none is known.
 *  \param shape  ends with topomap_shape_clear() */
int topomap_db_shape(topomap_db *db, const char *node, topomap_shape *shape, topomap_error *err);

#endif
