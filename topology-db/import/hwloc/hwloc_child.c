/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading an hwloc XML in a process of its own. libhwloc trusts the XML: 2.9 ends in a
 * segmentation fault where an object's cpuset is missing, prints to standard error where objects
 * are out of order, takes 512 MiB for a bitmap with one bit at 2^32, and obeys HWLOC_* variables.
 * In a child, a crash is one error message, nothing is printed, memory is bounded, and the
 * variables are gone. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine/shape.h"
#include "topology-db/import/hwloc/hwloc.h"
#include "util/alloc.h"

enum { REPLY_MOST = 16 << 20 };

/* Bytes of address space; a sanitizer's shadow needs more than any limit. */
#if defined __SANITIZE_ADDRESS__
#define MEMORY_MOST RLIM_INFINITY
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define MEMORY_MOST RLIM_INFINITY
#endif
#endif
#ifndef MEMORY_MOST
#define MEMORY_MOST ((rlim_t)2 << 30)
#endif

extern char **environ;

/* What the child sends: an error (code TOPOMAP_OK: none), then the host's name, the shape's text,
 * its adapters, its devices and what of these is this node's alone, each with its NUL. What follows
 * the shape may be missing: hwloc may crash on what it did not need to look at before. */

static void forget_variables(void)
{
    for (char **at = environ; at && *at;) {
        char name[64];
        size_t length = strcspn(*at, "=");

        at++;
        if (strncmp(at[-1], "HWLOC_", 6) != 0 || length >= sizeof name)
            continue;
        memcpy(name, at[-1], length);
        name[length] = 0;
        unsetenv(name);
        at = environ; /* the list has moved */
    }
}

struct load {
    const char *path;
    char *xml;
    size_t size;
};

static void send_devices(struct load *load, FILE *reply)
{
    topomap_devices devices;
    TOPOMAP_FREED char *text = NULL;

    if (db_hwloc_devices(load->xml, load->size, &devices, NULL))
        return;
    text = devices.count ? topomap_devices_format(&devices, NULL) : NULL;
    if (text) {
        fprintf(reply, "%s%c", text, 0);
        db_hwloc_print_owned(&devices, reply);
        fputc(0, reply);
    }
    topomap_devices_clear(&devices);
}

static void child(FILE *reply, void *data)
{
    static const struct rlimit memory = {MEMORY_MOST, MEMORY_MOST};
    struct load *load = data;
    topomap_shape shape;
    topomap_error err = {.code = TOPOMAP_OK};
    char *host = NULL, *text = NULL;

    setrlimit(RLIMIT_AS, &memory);
    forget_variables();
    if (topomap_shape_from_hwloc(load->path, load->xml, load->size, &shape, &host, &err) == 0) {
        text = topomap_shape_format(&shape, &err);
        err.code = text ? TOPOMAP_OK : err.code;
    }
    fwrite(&err, sizeof err, 1, reply);
    if (!text)
        return;
    fprintf(reply, "%s%c%s%c", host ? host : "", 0, text, 0);
    if (fflush(reply) || db_hwloc_nics(load->xml, load->size, reply))
        return;
    fputc(0, reply);
    if (fflush(reply) == 0)
        send_devices(load, reply);
}

/* The text that begins at *at, and *at behind its NUL; NULL where it is not whole. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *nul = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

    if (nul)
        *at = nul + 1;
    return nul ? text : NULL;
}

/* Takes a whole reply apart; anything less than whole is a child that crashed. */
static int take_reply(const char *path, const char *reply, size_t size, db_hwloc_inside *inside,
                      topomap_error *err)
{
    char **const texts[] = {&inside->host, &inside->text, &inside->nics, &inside->devices,
                            &inside->owned};
    enum { SHAPE = 1, ALL = sizeof texts / sizeof *texts };
    const char *at = reply + sizeof(topomap_error), *end = reply + size, *text;
    topomap_error sent;
    int whole = 0;

    if (size >= sizeof sent) {
        memcpy(&sent, reply, sizeof sent);
        if (sent.code != TOPOMAP_OK)
            return topomap_error_set(err, sent.code, "%s", sent.text);
    }
    for (; size > sizeof sent && whole < ALL && (text = next_text(&at, end)); whole++)
        if (*text && !(*texts[whole] = topomap_strdup(text, err)))
            return -1;
    if (whole <= SHAPE)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: hwloc crashes on it: the XML is cut or damaged", path);
    if (whole < ALL)
        free(topomap_take(&inside->devices)); /* nobody knows what of them is this node's alone */
    return 0;
}

int db_hwloc_load(const char *path, char *xml, size_t size, db_hwloc_inside *inside,
                  topomap_error *err)
{
    struct load load = {path, xml, size};
    TOPOMAP_FREED char *reply = NULL;
    size_t replied;

    if (db_hwloc_ask(path, child, &load, REPLY_MOST, &reply, &replied, err))
        return -1;
    return take_reply(path, reply, replied, inside, err);
}

void db_hwloc_inside_clear(db_hwloc_inside *inside)
{
    free(inside->text);
    free(inside->host);
    free(inside->nics);
    free(inside->devices);
    free(inside->owned);
    *inside = (db_hwloc_inside){0};
}
