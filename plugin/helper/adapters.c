/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/helper/helper.h"
#include "util/full_io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FABRICS "/sys/class/infiniband"
#define INTERFACES "/sys/class/net"

/* What the file of an attribute begins with. */
static int begins(const char *path, const char *with)
{
    char text[16];
    TOPOMAP_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text) : -1;

    return got >= (ssize_t)strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* States are InfiniBand's, of RoCE too: 4 is active (show_state() of the kernel's
 * drivers/infiniband/core/sysfs.c). \return 0: no port is */
static uint32_t active_port(const char *name)
{
    enum { PORTS = 8 };
    char path[320];

    for (uint32_t port = 1; port <= PORTS; port++) {
        snprintf(path, sizeof path, FABRICS "/%s/ports/%u/state", name, port);
        if (begins(path, "4:"))
            return port;
    }
    return 0;
}

static int is_up(const char *name)
{
    char path[320];

    snprintf(path, sizeof path, INTERFACES "/%s/operstate", name);
    return strncmp(name, "hsn", 3) == 0 && begins(path, "up");
}

static void list(node_adapters *adapters, const char *folder, int fabrics)
{
    TOPOMAP_CLOSED_DIR DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && adapters->count < NODE_ADAPTERS && (entry = readdir(dir))) {
        uint32_t port = 0;

        if (!topomap_nics_is_name(entry->d_name) || *entry->d_name == '.')
            continue;
        port = fabrics ? active_port(entry->d_name) : 0;
        if (!port && (fabrics || !is_up(entry->d_name)))
            continue;
        strcpy(adapters->adapter[adapters->count].name, entry->d_name);
        adapters->adapter[adapters->count++].port = port;
    }
}

void node_adapters_list(node_adapters *adapters)
{
    *adapters = (node_adapters){0};
    list(adapters, FABRICS, 1);
    list(adapters, INTERFACES, 0);
}

static uint32_t find(const node_adapters *adapters, const char *name, size_t length)
{
    for (uint32_t i = 0; i < adapters->count; i++)
        if (strlen(adapters->adapter[i].name) == length &&
            memcmp(adapters->adapter[i].name, name, length) == 0)
            return i;
    return UINT32_MAX;
}

/* One entry's names that are listed, behind `to`. \return its end */
static char *keep_entry(const node_adapters *adapters, const char *entry, char *to, char *gone)
{
    char *first = to;

    while (*entry) {
        size_t length = strcspn(entry, ",");
        uint32_t at = find(adapters, entry, length);

        if (at == UINT32_MAX && !*gone) {
            memcpy(gone, entry, length);
            gone[length] = 0;
        } else if (at != UINT32_MAX) {
            if (to > first)
                *to++ = ',';
            to += sprintf(to, "%s", adapters->adapter[at].name);
            if (adapters->adapter[at].port)
                to += sprintf(to, ":%u", adapters->adapter[at].port);
        }
        entry += length + (entry[length] == ',');
    }
    *to = 0;
    return to + 1;
}

int node_adapters_keep(const node_adapters *adapters, topomap_node_nics *nics, char **memory,
                       char *gone)
{
    /* A name and what is behind it are two characters at least, a port two more. */
    char *text = malloc(2 * (size_t)nics->bytes + 1), *to = text;

    *gone = 0;
    if (!text)
        return -1;
    for (uint32_t at = 0; at < nics->bytes; at += (uint32_t)strlen(nics->text + at) + 1)
        to = keep_entry(adapters, nics->text + at, to, gone);
    free(*memory);
    *memory = text;
    nics->text = text;
    nics->bytes = (uint32_t)(to - text);
    return 0;
}
