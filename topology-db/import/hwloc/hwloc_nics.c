/* SPDX-License-Identifier: BSD-3-Clause */
/* What joins a node's hwloc XML to the fabric: the GUIDs of its adapters. Names and forms of the
 * infos: hwloc 2.9, topology-linux.c, OpenFabrics devices. */
#include "topology-db/import/hwloc/hwloc.h"

#include <ctype.h>
#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/shape.h"

/* `0002:c903:0006:db90`; of a GID, which is twice as long, the second half. 0: none. */
static uint64_t read_guid(const char *text)
{
    uint64_t guid = 0;
    int digits = 0;

    for (; *text; text++) {
        char c = *text;

        if (c == ':')
            continue;
        if (!isxdigit((unsigned char)c))
            return 0;
        guid = guid << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        digits++;
    }
    return digits == 16 || digits == 32 ? guid : 0;
}

static int has_guid(const char *name)
{
    size_t digits;

    if (strcmp(name, "NodeGUID") == 0 || strcmp(name, "SysImageGUID") == 0)
        return 1;
    if (strncmp(name, "Port", 4) != 0)
        return 0;
    digits = strspn(name + 4, "0123456789");
    return digits && strcmp(name + 4 + digits, "GID0") == 0;
}

static void print_device(hwloc_obj_t device, FILE *out)
{
    const char *name = device->name && *device->name ? device->name : "-";

    for (unsigned i = 0; i < device->infos_count; i++) {
        const struct hwloc_info_s *info = &device->infos[i];
        uint64_t guid = has_guid(info->name) ? read_guid(info->value) : 0;

        if (guid && !strpbrk(name, " \n"))
            fprintf(out, "%s %016" PRIx64 "\n", name, guid);
    }
}

int db_hwloc_nics(char *xml, size_t size, FILE *out)
{
    hwloc_topology_t topology;
    hwloc_obj_t device = NULL;
    int result;

    topomap_shape_lower_version(xml);
    if (hwloc_topology_init(&topology))
        return -1;
    result = hwloc_topology_set_xmlbuffer(topology, xml, (int)size + 1) ||
             hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
             hwloc_topology_load(topology);
    while (!result && (device = hwloc_get_next_osdev(topology, device)))
        print_device(device, out);
    hwloc_topology_destroy(topology);
    return result ? -1 : 0;
}

int db_hwloc_nic(const char **lines, char *device, size_t room, uint64_t *guid)
{
    size_t length = strcspn(*lines, " ");

    if (!(*lines)[length])
        return 0;
    snprintf(device, room, "%.*s", (int)(length < room ? length : room - 1), *lines);
    *guid = strtoull(*lines + length, NULL, 16);
    *lines += strcspn(*lines, "\n");
    *lines += **lines == '\n';
    return 1;
}
