/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "topology-db/import/hwloc/hwloc.h"

#include <hwloc.h>
#include <hwloc/diff.h>
#include <stdlib.h>
#include <string.h>

#include "machine/shape.h"
#include "util/input.h"
#include "xml/xml.h"

enum { XML_MOST = 256 << 20, ROOT_MOST = 4096 };

/* What the child says before the XML. */
enum outcome { PATCHED = 'p', NO_BASE = 'b', NO_DIFF = 'd', MISFIT = 'm' };

int db_hwloc_is_diff(const char *xml, size_t size)
{
    char head[ROOT_MOST + 1];

    if (size > ROOT_MOST)
        size = ROOT_MOST;
    memcpy(head, xml, size);
    head[size] = 0;
    return strstr(head, "<topologydiff") != NULL;
}

/* refname="..." of the root element, for messages; "" where there is none. */
static void read_refname(const char *xml, char *name, size_t size)
{
    const char *root = strstr(xml, "<topologydiff"), *end = root ? strchr(root, '>') : NULL;
    const char *at = root ? strstr(root, "refname=\"") : NULL;

    *name = 0;
    if (at && end && at < end)
        snprintf(name, size, "%.*s", (int)strcspn(at + 9, "\""), at + 9);
}

/* As hwloc-diff loads its files: every object, or depths and indices would be others. */
static int load_base(char *xml, size_t size, hwloc_topology_t *topology)
{
    topomap_shape_lower_version(xml);
    return hwloc_topology_init(topology) ||
                   hwloc_topology_set_all_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
                   hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
                   hwloc_topology_set_xmlbuffer(*topology, xml, (int)size) ||
                   hwloc_topology_load(*topology)
               ? -1
               : 0;
}

static enum outcome patch(char *base, size_t base_size, const char *xml, size_t size, char **made,
                          int *length)
{
    hwloc_topology_t topology;
    hwloc_topology_diff_t diff;

    if (load_base(base, base_size, &topology))
        return NO_BASE;
    if (hwloc_topology_diff_load_xmlbuffer(xml, (int)size, &diff, NULL))
        return NO_DIFF;
    if (hwloc_topology_diff_apply(topology, diff, 0) ||
        hwloc_topology_export_xmlbuffer(topology, made, length, 0))
        return MISFIT;
    return PATCHED;
}

struct difference {
    char *base;
    size_t base_size;
    const char *xml;
    size_t size;
};

static void child(FILE *reply, void *data)
{
    struct difference *d = data;
    char *made = NULL;
    int length = 0;
    enum outcome outcome = patch(d->base, d->base_size, d->xml, d->size, &made, &length);

    fputc(outcome, reply);
    if (outcome == PATCHED) /* the length counts the NUL */
        fwrite(made, 1, (size_t)length, reply);
}

static int explain(const char *path, const char *base_path, char outcome, topomap_error *err)
{
    const char *what = outcome == NO_BASE   ? "hwloc cannot load the topology that it refers to"
                       : outcome == NO_DIFF ? "hwloc cannot load it: the XML is cut or damaged, or "
                                              "says that the two are too different"
                       : outcome == MISFIT  ? "it does not fit this base"
                                            : "hwloc crashes on it: the XML is cut or damaged";

    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: an hwloc difference: %s (base=%s)", path,
                             what, base_path);
}

int db_hwloc_patch(const char *path, const char *base_path, char **xml, size_t *size,
                   topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    TOPOMAP_FREED char *base = NULL, *reply = NULL;
    struct difference d = {.xml = *xml, .size = *size};
    size_t replied = 0;
    char name[200];

    if (!base_path) {
        read_refname(*xml, name, sizeof name);
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s:1: an hwloc difference (<topologydiff>): give the whole "
                                 "topology that it refers to%s%s with --option base=FILE",
                                 path, *name ? ", " : "", name);
    }
    if (topomap_input_open(base_path, &input, err) ||
        topomap_input_all(input, XML_MOST, &base, &d.base_size, err) ||
        topomap_xml_read(base_path, base, d.base_size, NULL, NULL, err))
        return -1;
    d.base = base;
    if (db_hwloc_ask(path, child, &d, XML_MOST, &reply, &replied, err))
        return -1;
    if (replied < 2 || *reply != PATCHED || reply[replied - 1])
        return explain(path, base_path, (char)(replied ? *reply : 0), err);
    memmove(reply, reply + 1, replied - 1);
    free(*xml);
    *xml = topomap_take(&reply);
    *size = replied - 2;
    return 0;
}
