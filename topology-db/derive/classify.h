/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network it is: one file a kind. Each kind looks at one connected part of the graph
 * of switches (a plane, a rail, a subnet, or the whole fabric). */
#ifndef TOPOMAP_DB_CLASSIFY_H
#define TOPOMAP_DB_CLASSIFY_H

#include "topology-db/derive/derive.h"
#include "topology-db/switches.h"

enum {
    DB_TORUS_DIMS = 8, /* as many as machine/machine.h has */
    DB_TORUS_LINKS = 2 * DB_TORUS_DIMS,
};

/** One connected part of the graph of switches. */
struct db_part {
    uint32_t count;
    int64_t *id;                          /* [count] ascending */
    uint32_t *first, *neighbour, *cables; /* neighbours of i: [first[i], first[i + 1]), ascending;
                                             cables: parallel ones to that neighbour */
    uint16_t *sockets;                    /* likewise: the lower port << 8 | the higher port of one
                                             such cable, at the switch of lower number; 0 unknown */
    uint32_t *ports;                      /* [count] ports of adapters on each */
    uint64_t all_ports, pairs, all_cables;

    /* What the kind that it is leaves behind. */
    uint16_t *level; /* [count] fat tree: 0 leaves; TOPOMAP_FAR unknown; or NULL */
    uint32_t dims;   /* torus */
    uint32_t dim[DB_TORUS_DIMS];
    uint8_t wrap[DB_TORUS_DIMS];
    int32_t *place; /* [count * dims] coordinates, -1 unknown; or NULL */
};

/** Appends to a text; what does not fit is cut. */
void db_say(char *text, size_t size, const char *format, ...) TOPOMAP_PRINTF(3, 4);

/** 1: the part is of this kind, and the verdict says so; 0: it is not, and the verdict's evidence
 *  says why in a few words; -1: failure. */
typedef int db_kind_test(struct db_part *part, struct db_verdict *verdict, topomap_error *err);
db_kind_test db_is_tree, db_is_torus, db_is_dragonfly, db_is_dragonfly_plus;

/** Levels of switches from those with adapters: the fewest links inside a level that a choice of
 *  leaves gives. Returns how many joined pairs are of one level; \p level is [count]. */
int db_part_levels(const struct db_part *part, uint16_t *level, uint64_t *crossing,
                   topomap_error *err);
/** Nonzero if switches \p a and \p b are joined. */
int db_part_joined(const struct db_part *part, uint32_t a, uint32_t b);
/** The most frequent of \p count numbers, the smallest of equals; sorts them. */
uint32_t db_most_frequent(uint32_t *number, size_t count);

/** The verdict on all switches of the database; levels and places are written to table switch. */
int db_classify_fabric(sqlite3 *file, struct db_verdict *verdict, topomap_error *err);

#endif
