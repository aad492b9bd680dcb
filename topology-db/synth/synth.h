/* SPDX-License-Identifier: BSD-3-Clause */
/* Made machines: a specification becomes a fabric in memory, faults are put into it, and the
 * writers print it as the fabric's own tools would. */
#ifndef TOPOMAP_DB_SYNTH_H
#define TOPOMAP_DB_SYNTH_H

#include "fabric/shapes.h"
#include "topology-db/db.h"

enum {
    SYNTH_WORDS = 24,
    SYNTH_DIMS = 6,
    SYNTH_RADIX = 254,        /* port numbers are one byte; 255 is none */
    SYNTH_LIDS = 0xbfff,      /* unicast LIDs of a subnet */
    SYNTH_ENTRIES = 32 << 20, /* rows of routing tables: 2.4 GB of text */
    SYNTH_CRAY_NODES = 1 << 18,
    SYNTH_NAME = 40,
};

/* ---- The specification ------------------------------------------------------------------- */

struct synth_word {
    char key[16], value[64];
    int used;
};

struct synth_spec {
    const char *text;
    char kind[16];
    char shape[64]; /* the first word, where it has no '=' */
    int shaped;     /* it was asked for */
    struct synth_word word[SYNTH_WORDS];
    size_t words;
};

int synth_spec_parse(const char *text, struct synth_spec *spec, topomap_error *err);
/** Value of a key or NULL; the key counts as known. */
const char *synth_value(struct synth_spec *spec, const char *key);
/** The same as a number within bounds. */
int synth_number(struct synth_spec *spec, const char *key, uint32_t least, uint32_t most,
                 uint32_t fallback, uint32_t *number, topomap_error *err);
/** Numbers like "4x4x2", each at least 1; 0 of them where \p text is NULL. */
int synth_list(const struct synth_spec *spec, const char *text, uint32_t *list, uint32_t most,
               uint32_t *count, topomap_error *err);
/** Fails on a key that nobody has asked for. */
int synth_finish(const struct synth_spec *spec, topomap_error *err);
/** "SPEC: text", TOPOMAP_EUSAGE. Returns -1. */
int synth_fail(const struct synth_spec *spec, topomap_error *err, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);

/* ---- The fabric -------------------------------------------------------------------------- */

enum synth_class { SYNTH_HOST, SYNTH_TRUNK, SYNTH_TOP, SYNTH_CLASSES };

struct synth_node {
    char name[2 * SYNTH_NAME + 40]; /* its description: 64 bytes at most */
    uint64_t guid;
    uint16_t lid;
    uint8_t ports, level; /* level: of a switch in a tree, from 1; elsewhere 1 */
};

struct synth_link {
    uint32_t a, b; /* indices of nodes; a host's link has its switch first */
    uint8_t aport, bport, width, speed;
    uint8_t class, rank; /* routes take links of the lowest rank that shorten the way */
    uint8_t ends;        /* 2; 1: only a lists it; 0: missing */
};

struct synth_fabric {
    uint32_t switches, hosts, rails; /* node[switches + host * rails + rail] are the adapters */
    struct synth_node *node;
    uint32_t nodes;
    size_t node_room;
    struct synth_link *link;
    uint32_t links;
    size_t link_room;
    uint8_t width[SYNTH_CLASSES], speed[SYNTH_CLASSES];
    uint32_t divisor[TOPOMAP_FATTREE_LEVELS +
                     1]; /* by level: how destinations are dealt to equal ports */
    uint32_t *host_leaf; /* scratch of the builders */
};

int synth_add_switch(struct synth_fabric *fabric, uint32_t ports, uint32_t level,
                     topomap_error *err, const char *format, ...) TOPOMAP_PRINTF(5, 6);
int synth_add_link(struct synth_fabric *fabric, uint32_t a, uint32_t aport, uint32_t b,
                   uint32_t bport, enum synth_class class, uint32_t rank, topomap_error *err);

/** Which hosts hang on the first switches: \p leaves switches, \p per adapters on each, ports 1 to
 *  per. \p spread: the rails of a host go to neighbouring switches (as in rail-optimised trees),
 *  else to one. */
struct synth_seats {
    uint32_t leaves, per;
    int spread;
};

/** The shapes: switches and links between them. */
int synth_fat_tree(struct synth_spec *spec, struct synth_fabric *fabric, struct synth_seats *seats,
                   topomap_error *err);
int synth_torus(struct synth_spec *spec, struct synth_fabric *fabric, struct synth_seats *seats,
                topomap_error *err);
int synth_dragonfly(struct synth_spec *spec, struct synth_fabric *fabric, struct synth_seats *seats,
                    topomap_error *err);

/* ---- Faults ------------------------------------------------------------------------------ */

struct synth_log {
    void (*fault)(const char *text, void *data);
    void *data;
    uint64_t faults;
    FILE *file;
};
void synth_log(struct synth_log *log, const char *format, ...) TOPOMAP_PRINTF(2, 3);

enum synth_fault { SYNTH_MISSING, SYNTH_DEGRADED, SYNTH_ONE_WAY, SYNTH_UNNAMED, SYNTH_FAULTS };

/** How many of each kind: a count, or per cent of what there is. */
struct synth_faults {
    uint32_t number[SYNTH_FAULTS];
    uint8_t percent[SYNTH_FAULTS];
    uint32_t seed;
};
int synth_faults_parse(struct synth_spec *spec, struct synth_faults *faults, topomap_error *err);
uint32_t synth_faults_count(const struct synth_faults *faults, enum synth_fault kind, uint32_t of);
int synth_faults_make(const struct synth_faults *faults, struct synth_fabric *fabric,
                      struct synth_log *log, topomap_error *err);

/* ---- Files ------------------------------------------------------------------------------- */

int synth_write_ibnetdiscover(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
int synth_write_lfts(const struct synth_fabric *fabric, FILE *out, topomap_error *err);

/** A Cray machine: nodes with coordinates, no switches. */
struct synth_cray_node {
    uint32_t nid, col, row, cage, slot, node, x, y, z;
    int down;
};
struct synth_cray {
    struct synth_cray_node *node;
    uint32_t nodes;
    size_t room;
};
int synth_cray_make(struct synth_spec *spec, const char *machine, struct synth_cray *cray,
                    topomap_error *err);
void synth_cray_write_admin(const struct synth_cray *cray, FILE *out);
void synth_cray_write_proc(const struct synth_cray *cray, FILE *out);

#endif
