/* SPDX-License-Identifier: BSD-3-Clause */
#include "xml/xml.h"

#include <expat.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { NAME = 41 }; /* bytes of an open element's name that a message has, with the NUL */

struct reader {
    topomap_xml xml;
    XML_Parser parser;
    topomap_xml_take *take;
    void *data;
    topomap_error *err;
    int failed;
    char *text; /* since the tag before */
    size_t used, room;
    char open[TOPOMAP_XML_DEPTH][NAME];
};

int topomap_xml_fail(const topomap_xml *xml, topomap_error *err, const char *format, ...)
{
    char text[384];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s:%zu: %s", xml->path, xml->line, text);
}

const char *topomap_xml_get(const topomap_xml *xml, const char *name)
{
    for (const char *const *at = xml->attribute; *at; at += 2)
        if (strcmp(at[0], name) == 0)
            return at[1];
    return NULL;
}

/* Expat 2.9 deprecates the function that earlier releases have. */
static size_t current_line(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
    return XML_GetCurrentLineNumber64(parser);
#else
    return XML_GetCurrentLineNumber(parser);
#endif
}

/* expat may still call some functions after it was stopped (expat.h, XML_StopParser()). */
static void stop_if(struct reader *r, int failed)
{
    if (failed && !r->failed) {
        r->failed = 1;
        XML_StopParser(r->parser, XML_FALSE);
    }
}

static void begin_tag(struct reader *r, const char *name, const char *const *attribute)
{
    r->xml.line = current_line(r->parser);
    r->xml.name = name;
    r->xml.attribute = attribute;
    r->xml.text = "";
}

static void give(struct reader *r, enum topomap_xml_event event)
{
    if (!r->failed && r->take)
        stop_if(r, r->take(&r->xml, event, r->data, r->err));
    r->used = 0;
}

static void XMLCALL at_open(void *of, const XML_Char *name, const XML_Char **attribute)
{
    struct reader *r = of;
    size_t values = 0;

    if (r->failed)
        return;
    begin_tag(r, name, (const char *const *)attribute);
    while (attribute[values])
        values++;
    if (values > 2 * TOPOMAP_XML_ATTRIBUTES) {
        stop_if(r, topomap_xml_fail(&r->xml, r->err, "more than %d attributes",
                                    TOPOMAP_XML_ATTRIBUTES));
    } else if (r->xml.depth == TOPOMAP_XML_DEPTH) {
        stop_if(r, topomap_xml_fail(&r->xml, r->err, "more than %d elements inside each other",
                                    TOPOMAP_XML_DEPTH));
    } else {
        snprintf(r->open[r->xml.depth++], NAME, "%s", name);
        give(r, TOPOMAP_XML_OPEN);
    }
}

static void XMLCALL at_close(void *of, const XML_Char *name)
{
    static const char blanks[] = " \t\r\n", *const none[] = {NULL};
    struct reader *r = of;

    if (r->failed)
        return;
    begin_tag(r, name, none);
    if (r->used) {
        while (r->used && strchr(blanks, r->text[r->used - 1]))
            r->used--;
        r->text[r->used] = '\0';
        r->xml.text = r->text + strspn(r->text, blanks);
    }
    give(r, TOPOMAP_XML_CLOSE);
    r->xml.depth--;
}

static void XMLCALL at_text(void *of, const XML_Char *text, int length)
{
    struct reader *r = of;

    if (r->failed || !r->take)
        return;
    stop_if(r, topomap_grow(&r->text, &r->room, r->used + (size_t)length + 1, 1, r->err));
    if (!r->failed)
        memcpy(r->text + r->used, text, (size_t)length);
    r->used += r->failed ? 0 : (size_t)length;
}

static void refuse_entity(struct reader *r, const char *name, const char *what)
{
    r->xml.line = current_line(r->parser);
    if (!r->failed)
        stop_if(r, topomap_xml_fail(&r->xml, r->err, "the entity '%.40s' is %s", name, what));
}

static void XMLCALL at_entity(void *of, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int length, const XML_Char *base,
                              const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)is_parameter, (void)value, (void)length;
    (void)base, (void)system, (void)public, (void)notation;
    refuse_entity(of, name, "declared, which is not allowed here");
}

static void XMLCALL at_skipped(void *of, const XML_Char *name, int is_parameter)
{
    (void)is_parameter;
    refuse_entity(of, name, "not known");
}

static int explain(struct reader *r)
{
    enum XML_Error why = XML_GetErrorCode(r->parser);

    r->xml.line = current_line(r->parser);
    if (why == XML_ERROR_NO_MEMORY)
        return topomap_error_set(r->err, TOPOMAP_ESYSTEM, "out of memory");
    if (r->xml.depth && (why == XML_ERROR_NO_ELEMENTS || why == XML_ERROR_UNCLOSED_TOKEN ||
                         why == XML_ERROR_PARTIAL_CHAR || why == XML_ERROR_UNCLOSED_CDATA_SECTION))
        return topomap_xml_fail(&r->xml, r->err, "cut: <%s> is not closed",
                                r->open[r->xml.depth - 1]);
    return topomap_xml_fail(&r->xml, r->err, "XML was expected: %s", XML_ErrorString(why));
}

static int parse(struct reader *r, const char *text, size_t size)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, at_open, at_close);
    XML_SetCharacterDataHandler(r->parser, at_text);
    XML_SetEntityDeclHandler(r->parser, at_entity);
    XML_SetSkippedEntityHandler(r->parser, at_skipped);
    if (XML_Parse(r->parser, text, (int)size, XML_TRUE) == XML_STATUS_OK && !r->failed)
        return 0;
    return r->failed ? -1 : explain(r);
}

int topomap_xml_read(const char *path, const char *text, size_t size, topomap_xml_take *take,
                     void *data, topomap_error *err)
{
    struct reader r = {.xml = {.path = path, .line = 1}, .take = take, .data = data, .err = err};
    const char *nul = memchr(text, 0, size);
    int status;

    if (nul) {
        for (const char *at = text; (at = memchr(at, '\n', (size_t)(nul - at))); at++)
            r.xml.line++;
        return topomap_xml_fail(&r.xml, err, "a NUL byte: the file is binary, XML was expected");
    }
    if (size > INT_MAX)
        return topomap_xml_fail(&r.xml, err, "more than %d bytes", INT_MAX);
    r.parser = XML_ParserCreate(NULL);
    if (!r.parser)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    status = parse(&r, text, size);
    XML_ParserFree(r.parser);
    free(r.text);
    return status;
}
