/* SPDX-License-Identifier: BSD-3-Clause */
/* Made machines: a specification becomes a fabric in memory, faults are put into it, and the
 * writers print it as the fabric's own tools would. */
#pragma once

#include "fabric/shapes.h"
#include "topology-db/db.h"
#include "util/random.h"

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

/** Switches, then adapters: vertex switches + host * rails + rail. A host's link has its switch as
 *  a; a link that only a lists, or that is missing, says so in its ends. */
struct synth_fabric {
    topomap_fabric base;
    uint32_t switches, hosts, rails;
    uint8_t width[SYNTH_CLASSES], speed[SYNTH_CLASSES];
    uint8_t ports[TOPOMAP_FATTREE_LEVELS + 1];    /* of a switch, by level */
    uint32_t divisor[TOPOMAP_FATTREE_LEVELS + 1]; /* by level: how destinations are dealt to equal
                                                     ports */
    uint32_t group; /* switches of a dragonfly's group; 0: of no dragonfly */
    int grid; /* links' classes are dimensions: routes take the lowest that shortens the way */
};

/** GUIDs below the numbers that IEEE gave to the maker of most adapters (0002c9). */
static inline uint64_t synth_guid(const struct synth_fabric *fabric, uint32_t vertex)
{
    return vertex < fabric->switches ? 0x0002c90200000000u + vertex + 1
                                     : 0x0002c90300000000u + 4u * (vertex - fabric->switches + 1);
}

static inline uint32_t synth_lid(uint32_t vertex)
{
    return vertex + 1;
}

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
/** Numbers from 0 in a random order. */
void synth_deal(topomap_random *random, uint32_t *order, uint32_t count);
int synth_faults_make(const struct synth_faults *faults, struct synth_fabric *fabric,
                      struct synth_log *log, topomap_error *err);

/* ---- Files ------------------------------------------------------------------------------- */

int synth_write_ibnetdiscover(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
int synth_write_lfts(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
/** What `opareport -o links -x` prints, LLDP's neighbours of all systems, AWS's
 * describe-instance-topology. */
int synth_write_opa(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
int synth_write_lldp(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
/** Slingshot's point-to-point file, and the addresses of hosts' interfaces; vertices have xnames.
 */
int synth_slingshot_name(struct synth_fabric *fabric, const struct synth_spec *spec,
                         topomap_error *err);
int synth_write_slingshot_cables(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
int synth_write_slingshot_ama(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
int synth_write_aws(const struct synth_fabric *fabric, FILE *out, topomap_error *err);

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
