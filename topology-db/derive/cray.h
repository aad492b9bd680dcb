/* SPDX-License-Identifier: BSD-3-Clause */
/* Cray component names and what both Cray importers share. */
#ifndef TOPOMAP_DB_CRAY_H
#define TOPOMAP_DB_CRAY_H

#include <stdint.h>

enum { CRAY_NID_MOST = 9999999, CRAY_COORDINATE_MOST = 65535 };

/** A node's place on the floor: c<col>-<row>c<cage>s<slot>n<node>. */
struct cray_name {
    uint32_t col, row, cage, slot, node;
};

/** Reads the whole of \p text; -1 where it is not such a name. */
int cray_name_parse(const char *text, struct cray_name *name);
/** As one number, for the database: 8 bits each for node, slot and cage, 16 for row and column. */
int64_t cray_name_pack(const struct cray_name *name);
void cray_name_unpack(int64_t packed, struct cray_name *name);
/** \param text [40] */
void cray_name_format(const struct cray_name *name, char *text);

/** A link of a router: c0-0c0s1a0l27 (Aries), ...g1l27 (Gemini), ...s2l3 (SeaStar); the number of
 *  the router is in name->node. The link's number is octal.
 *  \param kind   'a', 'g' or 's'
 *  \param after  where the text goes on; NULL: it must end there
 *  \return -1 where it is not such a name */
int cray_link_parse(const char *text, struct cray_name *name, char *kind, uint32_t *link,
                    const char **after);
/** The router of a node, both packed: Aries, one a blade; Gemini, one for nodes 0 and 1, one for 2
 *  and 3; SeaStar, one a node. */
int64_t cray_router_of(int64_t node, char kind);
/** \param text [40] */
void cray_router_format(const struct cray_name *name, char kind, char *text);

/** Decimal digits alone, at most \p most. */
int cray_number(const char *text, uint32_t most, uint32_t *value);

#endif
