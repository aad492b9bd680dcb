/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading small XML files of elements, attributes and texts: comments, declarations, sections of
 * CDATA and processing instructions are passed over; entities but the five of XML itself stay as
 * they are written. Nothing is loaded from elsewhere. */
#ifndef TOPOMAP_XML_H
#define TOPOMAP_XML_H

#include "topomap/topomap.h"

enum { TOPOMAP_XML_DEPTH = 64, TOPOMAP_XML_ATTRIBUTES = 64 };

enum topomap_xml_event { TOPOMAP_XML_END, TOPOMAP_XML_OPEN, TOPOMAP_XML_CLOSE };

typedef struct topomap_xml {
    const char *path; /* for messages */
    char *at;         /* the rest of the text, which is written to */
    size_t line;
    const char *name; /* of the element that was opened or closed; lent until the text goes */
    const char *text; /* where one closes: what stood before its end, behind the tag before; lent
                         likewise */
    uint32_t depth;   /* elements that are open, this one included while it opens */
    uint32_t attributes;
    struct {
        const char *name, *value;
    } attribute[TOPOMAP_XML_ATTRIBUTES];
    const char *open[TOPOMAP_XML_DEPTH];
    int closing; /* an empty element has been opened */
} topomap_xml;

/** \p text  ends with a NUL, is written to, and must outlive the reader */
void topomap_xml_begin(topomap_xml *xml, const char *path, char *text);
/** Reads a text to its end, for a caller that gives it to another parser, whose time may grow with
 *  the square of the depth or of an element's attributes. Returns 0, or -1 with `err` set
 *  ("PATH:LINE: ...") if the text is no XML, has a NUL among its \p size bytes, or exceeds
 *  TOPOMAP_XML_DEPTH or TOPOMAP_XML_ATTRIBUTES. */
int topomap_xml_check(const char *path, const char *text, size_t size, topomap_error *err);
/** The next element that opens, with its attributes, or closes; an empty one does both. At the end
 *  of the text all that was opened must be closed. -1 and a message with the line on failure. */
int topomap_xml_next(topomap_xml *xml, topomap_error *err);
/** Of the element that was opened last; NULL where it has no such attribute. */
const char *topomap_xml_get(const topomap_xml *xml, const char *name);
/** Fills \p err with "PATH:LINE: ..." and TOPOMAP_EINPUT; returns -1. */
int topomap_xml_fail(const topomap_xml *xml, topomap_error *err, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);

#endif
