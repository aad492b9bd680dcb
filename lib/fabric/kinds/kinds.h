/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network switches make: one file a kind. Each kind looks at one connected part of the
 * graph of switches (a plane, a rail, a subnet, or the whole fabric). */
#pragma once

#include "fabric/coordinates.h"
#include "fabric/switches.h"

enum {
    TOPOMAP_TORUS_LINKS = 2 * TOPOMAP_DIMS,
};

/** One connected part of the graph of switches. */
typedef struct topomap_part {
    topomap_switches switches;
    uint32_t *ports;   /* [switches] ports of adapters on each */
    uint32_t *cables;  /* as switches.neighbour: parallel ones to that neighbour */
    uint16_t *sockets; /* likewise, at the lower of two switches: the lower port << 8 | the higher
                          port of one such cable; 0 unknown */
    uint64_t all_ports, pairs, all_cables;

    /* What the kind that it is leaves behind. */
    uint16_t *level; /* [switches] fat tree: 0 leaves; TOPOMAP_FAR unknown; or NULL */
    uint32_t dims;   /* torus */
    uint32_t dim[TOPOMAP_DIMS];
    uint8_t wrap[TOPOMAP_DIMS];
    int32_t *place;  /* [switches * TOPOMAP_DIMS] coordinates, -1 unknown; or NULL */
    uint32_t *group; /* [switches] dragonfly: its group, from 0; or NULL */
    uint32_t groups;
    int all_to_all; /* in which every two switches are joined */
} topomap_part;

typedef struct topomap_verdict {
    char topology[16], evidence[512];
    double confidence; /* 0..1 */
} topomap_verdict;

/** Joins the switches of a part, whose count and ports are there; its sums are made. On failure the
 *  part is to be cleared too.
 *  \param trunk   as topomap_switches_join()
 *  \param cables  [count] parallel ones of each; their sockets are not known yet */
int topomap_part_join(topomap_part *part, const topomap_trunk *trunk, const uint32_t *cables,
                      size_t count, topomap_error *err);
void topomap_part_clear(topomap_part *part);
/** Says what kind it is, "irregular" where it is none, and why. */
int topomap_part_judge(topomap_part *part, topomap_verdict *verdict, topomap_error *err);

/* ---- Between the kinds --------------------------------------------------------------------- */

/** Appends to the evidence; what does not fit is cut. */
void topomap_verdict_say(topomap_verdict *verdict, const char *format, ...) TOPOMAP_PRINTF(2, 3);

/** 1: the part is of this kind, and the verdict says so; 0: it is not, and the verdict's evidence
 *  says why in a few words; -1: failure. */
typedef int topomap_kind_test(topomap_part *part, topomap_verdict *verdict, topomap_error *err);
topomap_kind_test topomap_is_tree, topomap_is_torus, topomap_is_dragonfly,
    topomap_is_dragonfly_plus;

/** Levels of switches from those with adapters: the fewest links inside a level that a choice of
 *  leaves gives. Returns how many joined pairs are of one level; \p level is [switches]. */
int topomap_part_levels(topomap_part *part, uint16_t *level, uint64_t *crossing,
                        topomap_error *err);
/** The most frequent of \p count numbers, the smallest of equals; sorts them. */
uint32_t topomap_most_frequent(uint32_t *number, size_t count);
