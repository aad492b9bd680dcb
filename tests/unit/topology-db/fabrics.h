/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics made by rule, with faults, as ibnetdiscover would print them. */
#pragma once

#include <stdint.h>

enum { FABRIC_SWITCHES = 2048, FABRIC_LINKS = 16384 };

struct fabric {
    uint32_t switches, links;
    uint32_t hosts[FABRIC_SWITCHES];
    uint8_t gone[FABRIC_SWITCHES]; /* missing with all their links */
    uint8_t port[FABRIC_SWITCHES]; /* the last one given out */
    uint32_t a[FABRIC_LINKS], b[FABRIC_LINKS];
    uint8_t aport[FABRIC_LINKS], bport[FABRIC_LINKS];
    uint8_t cut[FABRIC_LINKS]; /* missing */
};

struct fabric *fabric_new(uint32_t switches);
/** Joins two switches; ports 0: the next free ones. */
void fabric_join(struct fabric *f, uint32_t a, uint32_t aport, uint32_t b, uint32_t bport);
/** Grid of switches with hosts each: x varies fastest; wrap is a bit a dimension. Ports 2d+1 up and
 *  2d+2 down in every dimension, or any where \p scrambled. */
struct fabric *fabric_grid(uint32_t dims, const uint32_t *dim, uint32_t wrap, uint32_t hosts,
                           int scrambled);
/** Leaves with hosts, each joined `parallel` times to every spine of its pod; and, where there are
 *  cores, every spine j of a pod to the cores of plane j. */
struct fabric *fabric_tree(uint32_t pods, uint32_t leaves, uint32_t spines, uint32_t cores,
                           uint32_t hosts, uint32_t parallel);
/** Groups of rows x columns switches, each row and column joined all to all; every two groups by
 *  `between` links. */
struct fabric *fabric_dragonfly(uint32_t groups, uint32_t rows, uint32_t columns, uint32_t hosts,
                                uint32_t between);
/** Removes every n-th link from the first on. */
void fabric_cut(struct fabric *f, uint32_t first, uint32_t every);
/** Writes it (scratch file of that name) and frees it; returns the path. Hosts of switch s are
 *  h<s>-<k>; switches sw<s>; links 4xHDR. */
const char *fabric_write(struct fabric *f, const char *name);
