/* SPDX-License-Identifier: BSD-3-Clause */
#include "xml/xml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static const char blanks[] = " \t\r\n";

int topomap_xml_fail(const topomap_xml *xml, topomap_error *err, const char *format, ...)
{
    char text[384];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s:%zu: %s", xml->path, xml->line, text);
}

void topomap_xml_begin(topomap_xml *xml, const char *path, char *text)
{
    *xml = (topomap_xml){.path = path, .at = text, .line = 1};
}

static void go(topomap_xml *xml, size_t bytes)
{
    for (; bytes; bytes--)
        xml->line += *xml->at++ == '\n';
}

static void skip_blanks(topomap_xml *xml)
{
    go(xml, strspn(xml->at, blanks));
}

/* To behind the text that ends a comment or the like. */
static int skip_to(topomap_xml *xml, const char *end, topomap_error *err)
{
    const char *found = strstr(xml->at, end);

    if (!found)
        return topomap_xml_fail(xml, err, "cut: '%s' is missing", end);
    go(xml, (size_t)(found - xml->at) + strlen(end));
    return 0;
}

/* What tells nothing, up to the next tag: 1, or 0 at the end. */
static int find_tag(topomap_xml *xml, topomap_error *err)
{
    for (;;) {
        go(xml, strcspn(xml->at, "<"));
        if (!*xml->at)
            return 0;
        if (strncmp(xml->at, "<!--", 4) == 0) {
            if (skip_to(xml, "-->", err))
                return -1;
        } else if (strncmp(xml->at, "<![CDATA[", 9) == 0) {
            if (skip_to(xml, "]]>", err))
                return -1;
        } else if (xml->at[1] == '?' || xml->at[1] == '!') {
            if (skip_to(xml, ">", err))
                return -1;
        } else {
            return 1;
        }
    }
}

static size_t name_length(const char *text)
{
    return strcspn(text, " \t\r\n/>=<\"'");
}

/* In place. */
static void decode(char *value)
{
    static const struct {
        const char *name;
        char is;
    } entities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *to = value;

    while (*value) {
        size_t i = 0, all = sizeof entities / sizeof *entities;

        while (i < all && strncmp(value, entities[i].name, strlen(entities[i].name)) != 0)
            i++;
        *to++ = i < all ? entities[i].is : *value;
        value += i < all ? strlen(entities[i].name) : 1;
    }
    *to = 0;
}

static int read_attribute(topomap_xml *xml, topomap_error *err)
{
    size_t length = name_length(xml->at);
    char *name = xml->at, *value, *end, quote;

    if (!length)
        return topomap_xml_fail(xml, err, "expected an attribute, found '%.20s'", xml->at);
    if (xml->attributes == TOPOMAP_XML_ATTRIBUTES)
        return topomap_xml_fail(xml, err, "more than %d attributes", TOPOMAP_XML_ATTRIBUTES);
    go(xml, length);
    skip_blanks(xml);
    if (*xml->at != '=')
        return topomap_xml_fail(xml, err, "attribute '%.*s' has no value",
                                (int)(length < 40 ? length : 40), name);
    go(xml, 1);
    skip_blanks(xml);
    quote = *xml->at;
    if (!quote)
        return topomap_xml_fail(xml, err, "cut inside attribute '%.*s'",
                                (int)(length < 40 ? length : 40), name);
    if (quote != '"' && quote != '\'')
        return topomap_xml_fail(xml, err, "attribute '%.*s': expected a value in quotes",
                                (int)(length < 40 ? length : 40), name);
    value = xml->at + 1;
    end = strchr(value, quote);
    if (!end)
        return topomap_xml_fail(xml, err, "cut inside attribute '%.*s'",
                                (int)(length < 40 ? length : 40), name);
    go(xml, (size_t)(end - xml->at) + 1);
    name[length] = 0;
    *end = 0;
    decode(value);
    xml->attribute[xml->attributes].name = name;
    xml->attribute[xml->attributes++].value = value;
    return 0;
}

static int close_element(topomap_xml *xml, const char *name, topomap_error *err)
{
    if (!xml->depth || strcmp(xml->open[xml->depth - 1], name) != 0)
        return topomap_xml_fail(xml, err, "</%.40s> closes what is not open", name);
    xml->depth--;
    xml->name = name;
    xml->attributes = 0;
    return TOPOMAP_XML_CLOSE;
}

/* \p text  where it begins that stands before the tag at hand */
static int read_close(topomap_xml *xml, char *text, topomap_error *err)
{
    size_t length;
    char *name, *end = xml->at;

    go(xml, 2);
    name = xml->at;
    length = name_length(name);
    go(xml, length);
    skip_blanks(xml);
    if (!length || *xml->at != '>')
        return topomap_xml_fail(xml, err, "expected '>'");
    go(xml, 1);
    name[length] = 0;
    *end = 0;
    text += strspn(text, blanks);
    while (end > text && strchr(blanks, end[-1]))
        *--end = 0;
    decode(text);
    xml->text = text;
    return close_element(xml, name, err);
}

static int read_open(topomap_xml *xml, topomap_error *err)
{
    size_t length;
    char *name;

    go(xml, 1);
    name = xml->at;
    length = name_length(name);
    if (!length)
        return topomap_xml_fail(xml, err, "expected an element's name behind '<'");
    if (xml->depth == TOPOMAP_XML_DEPTH)
        return topomap_xml_fail(xml, err, "more than %d elements inside each other",
                                TOPOMAP_XML_DEPTH);
    go(xml, length);
    xml->attributes = 0;
    for (;;) {
        skip_blanks(xml);
        if (*xml->at == '>' || (*xml->at == '/' && xml->at[1] == '>'))
            break;
        if (!*xml->at)
            return topomap_xml_fail(xml, err, "cut inside <%.*s", (int)(length < 40 ? length : 40),
                                    name);
        if (read_attribute(xml, err))
            return -1;
    }
    xml->closing = *xml->at == '/';
    go(xml, xml->closing ? 2 : 1);
    name[length] = 0;
    xml->name = xml->open[xml->depth++] = name;
    return TOPOMAP_XML_OPEN;
}

int topomap_xml_next(topomap_xml *xml, topomap_error *err)
{
    char *text = xml->at;
    int there;

    if (xml->closing) {
        xml->closing = 0;
        xml->text = "";
        return close_element(xml, xml->open[xml->depth - 1], err);
    }
    there = find_tag(xml, err);
    if (there < 0)
        return -1;
    if (!there)
        return xml->depth ? topomap_xml_fail(xml, err, "cut: <%.40s> is not closed",
                                             xml->open[xml->depth - 1])
                          : TOPOMAP_XML_END;
    return xml->at[1] == '/' ? read_close(xml, text, err) : read_open(xml, err);
}

const char *topomap_xml_get(const topomap_xml *xml, const char *name)
{
    for (uint32_t i = 0; i < xml->attributes; i++)
        if (strcmp(xml->attribute[i].name, name) == 0)
            return xml->attribute[i].value;
    return NULL;
}

int topomap_xml_check(const char *path, const char *text, size_t size, topomap_error *err)
{
    char *copy = topomap_strdup(text, err);
    int event = copy ? TOPOMAP_XML_OPEN : -1;
    topomap_xml xml;

    topomap_xml_begin(&xml, path, copy);
    while (event > TOPOMAP_XML_END)
        event = topomap_xml_next(&xml, err);
    if (!event && strlen(text) != size)
        event = topomap_xml_fail(&xml, err, "a NUL byte: the file is binary, XML was expected");
    free(copy);
    return event;
}
