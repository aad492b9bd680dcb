/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm's own view of the network: topology.conf (topology.conf(5)) and topology.yaml (24.11 and
 * later), in memory while they are read. */
#pragma once

#include "topology-db/import/import.h"
#include "util/hostlist.h"

enum slurm_kind { SLURM_TREE, SLURM_BLOCK, SLURM_FLAT, SLURM_RING, SLURM_TORUS, SLURM_KINDS };

enum {
    SLURM_SIZES = 16,
    SLURM_RING_MOST = 16,
    SLURM_UNITS_MOST = 500000,
    SLURM_MEMBERS_MOST = 2000000,
    SLURM_TORUS_MOST = 1000000 /* places of all toruses of a file */
};

extern const char *const slurm_kind_names[SLURM_KINDS];

struct slurm_topology {
    char *name;
    enum slurm_kind kind;
    int is_default;
    uint32_t sizes[SLURM_SIZES], size_count; /* of blocks */
    size_t units, line;
};

/* A switch, a block, a ring or a torus. */
struct slurm_unit {
    char *name;
    uint32_t topology;
    uint32_t dim[3];       /* of a torus */
    size_t first, members; /* of the file's */
    size_t line;
};

struct slurm_member {
    uint32_t unit;
    uint32_t child;    /* a unit, when it is known; UINT32_MAX: a node */
    uint8_t is_switch; /* names a unit */
    uint32_t position; /* of a node in a ring or torus, x + X * (y + Y * z) */
    char *name;
};

struct slurm_file {
    struct slurm_topology *topology;
    size_t topologies, topology_room;
    struct slurm_unit *unit;
    size_t units, unit_room;
    struct slurm_member *member;
    size_t members, member_room;
    uint64_t places; /* of toruses */
    int yaml;
    const struct db_import *import; /* for messages */
    topomap_error *err;
};

/** Adds one; the new one is the last of its array. \p name is copied. */
int slurm_add_topology(struct slurm_file *file, const char *name, enum slurm_kind kind,
                       size_t line);
int slurm_add_unit(struct slurm_file *file, const char *name, size_t line);
/** Nodes or switches of the last unit, from a host list. */
int slurm_add_members(struct slurm_file *file, const char *list, int is_switch, size_t line);
/** Frees a struct slurm_file and what it has. */
void slurm_file_free(void *content);
/** What is wrong at a line: TOPOMAP_EINPUT. */
#define slurm_fail(file, line, ...) db_fail((file)->import, (line) ? (line) : 1, __VA_ARGS__)

int slurm_read_conf(topomap_input *input, struct slurm_file *file);
int slurm_read_yaml(topomap_input *input, struct slurm_file *file);
