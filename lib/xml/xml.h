/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads XML by expat and calls a function of the caller for each tag. A document that declares
 * entities is refused, so that nothing can be amplified, and nothing is loaded from elsewhere. */
#pragma once

#include "topomap/topomap.h"

enum { TOPOMAP_XML_DEPTH = 64, TOPOMAP_XML_ATTRIBUTES = 64 };

enum topomap_xml_event { TOPOMAP_XML_OPEN, TOPOMAP_XML_CLOSE };

/** A tag. All of it is lent until the function that gets it returns. */
typedef struct topomap_xml {
    const char *path; /* for messages */
    size_t line;      /* where the tag begins */
    const char *name; /* of the element */
    const char *text; /* of a closing tag: the text since the previous tag, without blanks around
                         it; else "" */
    uint32_t depth;   /* elements that are open, this one included */
    const char *const
        *attribute; /* of an opening tag: names and values alternate; ends with NULL */
} topomap_xml;

/** Takes a tag. Returns 0, or -1 with `err` set to end the reading. */
typedef int topomap_xml_take(const topomap_xml *xml, enum topomap_xml_event event, void *data,
                             topomap_error *err);

/** Reads a document and calls \p take, with \p data, for each element that opens, and for each that
 *  closes; an empty one does both. Without \p take (NULL) it only checks the document, before a
 * parser gets it whose time may grow quadratically with the depth or with an element's attributes.
 *  Returns 0, or -1 with `err` set ("PATH:LINE: ..."), if the text is no XML, has a NUL among its
 *  \p size bytes, exceeds TOPOMAP_XML_DEPTH or TOPOMAP_XML_ATTRIBUTES, or declares an entity. */
int topomap_xml_read(const char *path, const char *text, size_t size, topomap_xml_take *take,
                     void *data, topomap_error *err);
/** The value of an attribute of the element that opens; NULL if it has no such attribute. */
const char *topomap_xml_get(const topomap_xml *xml, const char *name);
/** Fills \p err with "PATH:LINE: ..." and TOPOMAP_EINPUT; returns -1. */
int topomap_xml_fail(const topomap_xml *xml, topomap_error *err, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);
