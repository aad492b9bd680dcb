/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of parts of an HPE Cray EX: what stands where, as letters and numbers from the cabinet
 * inwards. x3000c0r15j14 is a jack of a switch, x3000c0s17b1n0h0 an interface of a node. */
#pragma once

#include "topomap/topomap.h"

enum { XNAME_PARTS = 8, XNAME_TEXT = 96 };

struct xname {
    int parts;
    char letter[XNAME_PARTS];
    uint32_t number[XNAME_PARTS];
};

/** Reads one in any spelling: X1000C0R1J3, x1000.c0.r1.j3, x1000c00r01j03. -1 where it is none. */
int xname_parse(const char *text, struct xname *name);
/** Its first \p parts parts, lower case and without zeros in front. \p text  [XNAME_TEXT] */
void xname_format(const struct xname *name, int parts, char *text);
/** A switch's jack; \p port: -1, or that of x1000c0r1j3p0. A controller between the switch and the
 *  jack (x1000c0r1b0j3) is left out of the name. */
int xname_jack(struct xname *name, uint32_t *jack, int *port);
/** A node, whose parts the name keeps; \p nic: its interface, -1: the name has none. */
int xname_node(struct xname *name, int *nic);
