/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of communication graphs share. */
#ifndef TESTS_UNIT_GRAPHS_H
#define TESTS_UNIT_GRAPHS_H

#include "graph/graph.h"

/** Reads a file or makes a pattern that must be good. */
topomap_graph *graph_good(const char *what, const char *format);
/** Reads one that must be refused with \p code and a text that has \p part in it. */
void graph_bad(const char *what, const char *format, enum topomap_code code, const char *part);
/** The same of a file "file.SUFFIX" with this text, which is made. */
void graph_bad_file(const char *suffix, const char *text, const char *part);
/** Path of a file "file.SUFFIX" with a text in it, lent. */
const char *graph_file(const char *suffix, const char *text);

/** What is known of a pattern by counting. */
struct graph_known {
    const char *pattern;
    uint32_t ranks;
    uint64_t edges, bytes;
};
/** Fails where a pattern is not what is known of it. */
void graph_known_all(const struct graph_known *known, size_t count);
/** The bytes of an arc, UINT64_MAX where there is none. */
uint64_t graph_arc(const topomap_graph *graph, uint32_t from, uint32_t to);
/** Checks the rows' order, the totals and the pairs against a slow count. */
void graph_sound(const topomap_graph *graph);
/** Fails where the two differ; \p messages, \p load: nonzero to compare these too. */
void graph_same(const topomap_graph *a, const topomap_graph *b, int messages, int load);
/** Path of a file of ../shared/bench/instances, lent; skips the test where it is not there. */
const char *graph_instance(const char *name);
/** A graph of random arcs, some of 0 bytes; the same for the same seed. */
topomap_graph *graph_random(uint32_t ranks, size_t arcs, int messages, uint64_t seed);

/** The same of everything that graphs may have. */
void graph_same_all(const topomap_graph *a, const topomap_graph *b);
/** 5 ranks with everything; two phases. */
topomap_graph *graph_full(int messages);

#endif
