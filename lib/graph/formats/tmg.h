/* SPDX-License-Identifier: BSD-3-Clause */
/* The native file of a graph: what topomap_graph has in memory, to be mapped and used as it is.
 * All numbers are little-endian; topomap-tmg(5) says the same for others.
 *
 *     header     96 bytes, below
 *     table      32 bytes for each section, below
 *     sections   each from a multiple of 8 on (this writer: of 64), in any order; zeros between
 *
 * Arrays have no element size of their own: it follows from the section's size and the counts of
 * the header. A rank's arcs are offset[rank] to offset[rank + 1], by ascending target. Each arc
 * takes 4 bytes for its target, 8 for its bytes and 2 for its messages (4 where a count is 2^16 or
 * more, 8 from 2^32 on).
 *
 * Phases: the sections of phase 0 are the whole graph; those of phase i > 0 are a graph of the
 * same ranks with a TOPOMAP_TMG_PHASE section for its counts. The whole is the phases' sum.
 *
 * Versions: a reader refuses a version that it does not know. A section of an unknown kind is
 * skipped, unless its kind has TOPOMAP_TMG_NEEDED, which makes the file unreadable without it. */
#pragma once

#include <stdint.h>

#include "graph/formats/io.h"

/* ---- tmg ----------------------------------------------------------------------- */

#define TOPOMAP_TMG_MAGIC "\x89TMG\r\n\x1a\n"
#ifndef TOPOMAP_TMG_VERSION /* a test builds a later one */
#define TOPOMAP_TMG_VERSION 1
#endif
enum { TOPOMAP_TMG_ALIGN = 64, TOPOMAP_TMG_PHASES = 4096 };

struct topomap_tmg_header {
    unsigned char magic[8];
    uint32_t version;
    uint32_t sections;        /* rows of the table */
    uint64_t size;            /* of the file */
    uint64_t ranks, arcs;     /* arcs are directed */
    uint64_t pairs;           /* undirected pairs with an arc in one or both directions */
    uint64_t bytes, messages; /* sums over the arcs; messages 0 where they are not known */
    uint64_t phases;          /* beside the whole */
    uint64_t reserved[2];     /* 0 */
    uint64_t checksum;        /* XXH64, seed 0, of the header with 0 here and the table */
};

struct topomap_tmg_section {
    uint32_t kind;
    uint32_t phase;
    uint64_t offset;   /* from the file's beginning */
    uint64_t size;     /* in bytes */
    uint64_t checksum; /* XXH64, seed 0, of the section */
};

enum topomap_tmg_kind {
    TOPOMAP_TMG_OFFSET = 1,   /* u64 [ranks + 1] */
    TOPOMAP_TMG_TARGET = 2,   /* u32 [arcs] */
    TOPOMAP_TMG_BYTES = 3,    /* u64 [arcs] */
    TOPOMAP_TMG_MESSAGES = 4, /* u16, u32 or u64 [arcs]; where they are known */
    TOPOMAP_TMG_PHASE = 5,    /* u64 arcs, pairs, bytes, messages of a phase */
    /* Of ranks, in phase 0, each where there is one. */
    TOPOMAP_TMG_LOAD = 6,        /* u64 [ranks] the first vertex weight */
    TOPOMAP_TMG_LOAD_MORE = 7,   /* u64 [ranks][k] further vertex weights */
    TOPOMAP_TMG_VERTEX_SIZE = 8, /* u64 [ranks] */
    TOPOMAP_TMG_COORDINATE = 9,  /* IEEE double [ranks][dimensions], 1 to 8 dimensions, finite */
    TOPOMAP_TMG_NAME = 10,       /* `ranks` texts, a NUL after each */
    /* Texts with a NUL at the end. */
    TOPOMAP_TMG_PATTERN = 11,
    TOPOMAP_TMG_SOURCE = 12,
    TOPOMAP_TMG_NOTE = 13,
    TOPOMAP_TMG_BARRIER =
        14, /* u64 1: no rank begins the phase before all have ended those before */
    TOPOMAP_TMG_COMPUTE = 15, /* IEEE double: seconds that a rank computes, above 0 */
    TOPOMAP_TMG_KINDS = 16,
};
#define TOPOMAP_TMG_NEEDED UINT32_C(0x80000000)

/* ---- tmg io -------------------------------------------------------------------- */

/** 0 where this machine's numbers are little-endian, as the file's. */
int topomap_tmg_order(topomap_error *err);
int topomap_tmg_write(const topomap_graph *graph, FILE *file, topomap_error *err);
