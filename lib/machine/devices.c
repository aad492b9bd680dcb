/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices one by one, and the tables of their pairs. */
#include "machine/devices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

/* ---- Words ------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    double cost;
} nears[TOPOMAP_NEARS] = {
    [TOPOMAP_NEAR_UNKNOWN] = {"", 8},    [TOPOMAP_NEAR_SELF] = {"X", 0},
    [TOPOMAP_NEAR_SWITCH] = {"PIX", 4},  [TOPOMAP_NEAR_SWITCHES] = {"PXB", 5},
    [TOPOMAP_NEAR_BRIDGE] = {"PHB", 6},  [TOPOMAP_NEAR_NUMA] = {"NODE", 6},
    [TOPOMAP_NEAR_PACKAGE] = {"PKG", 7}, [TOPOMAP_NEAR_NODE] = {"SYS", 8},
};

const char *topomap_near_word(enum topomap_near near)
{
    return near < TOPOMAP_NEARS ? nears[near].word : "";
}

enum topomap_near topomap_near_of(const char *word)
{
    for (int i = TOPOMAP_NEAR_SELF; i < TOPOMAP_NEARS; i++)
        if (strcmp(nears[i].word, word) == 0)
            return (enum topomap_near)i;
    return TOPOMAP_NEAR_UNKNOWN;
}

double topomap_near_cost(enum topomap_near near)
{
    return nears[near < TOPOMAP_NEARS ? near : TOPOMAP_NEAR_UNKNOWN].cost;
}

/* Hexadecimal digits, at most \p most of them; -1 where there is none. */
static int hex(const char **at, int most, uint64_t *value)
{
    int digits = 0;

    *value = 0;
    for (; digits < most; digits++, (*at)++) {
        char c = **at;
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;

        if (digit < 0)
            break;
        *value = *value << 4 | (uint64_t)digit;
    }
    return digits ? 0 : -1;
}

uint64_t topomap_bus_parse(const char *text)
{
    uint64_t part[3], device, function = 0;
    int parts = 0;

    do {
        text += parts > 0;
        if (parts == 3 || hex(&text, 8, &part[parts++]))
            return 0;
    } while (*text == ':');
    if (parts == 2) {
        part[2] = part[1];
        part[1] = part[0];
        part[0] = 0;
    }
    device = part[2];
    if (*text == '.') {
        text++;
        if (hex(&text, 1, &function))
            return 0;
    }
    return parts < 2 || *text || part[1] > 0xff || device > 0x1f || function > 7
               ? 0
               : part[0] << 16 | part[1] << 8 | device << 3 | function;
}

const char *topomap_bus_format(uint64_t bus, char *text)
{
    snprintf(text, 20, "%04x:%02x:%02x.%x", (unsigned)(bus >> 16), (unsigned)(bus >> 8 & 0xff),
             (unsigned)(bus >> 3 & 0x1f), (unsigned)(bus & 7));
    return text;
}

/* ---- One by one -------------------------------------------------------------------------- */

topomap_device *topomap_devices_add(topomap_devices *devices, enum topomap_device_kind kind,
                                    topomap_error *err)
{
    topomap_device *device;

    if (devices->count == TOPOMAP_DEVICES_MOST) {
        topomap_error_set(err, TOPOMAP_EINPUT, "more than %d GPUs and NICs in one node",
                          TOPOMAP_DEVICES_MOST);
        return NULL;
    }
    if (!devices->device)
        devices->device = topomap_alloc(TOPOMAP_DEVICES_MOST, sizeof *devices->device, err);
    if (!devices->device)
        return NULL;
    device = &devices->device[devices->count++];
    *device = (topomap_device){.kind = kind, .numa = -1, .package = -1, .state = -1};
    return device;
}

int topomap_device_has_name(const topomap_device *device, const char *name, size_t length)
{
    for (const char *at = device->names; *at; at += *at == ',') {
        size_t own = strcspn(at, ",");

        if (own == length && strncmp(at, name, own) == 0)
            return 1;
        at += own;
    }
    return 0;
}

void topomap_device_called(topomap_device *device, const char *name, int first)
{
    size_t used = strlen(device->names);

    if (!*name || strpbrk(name, ", \t\n"))
        return;
    if ((first || !*device->name) && strlen(name) < sizeof device->name)
        strcpy(device->name, name);
    if (!topomap_device_has_name(device, name, strlen(name)) &&
        used + strlen(name) + 2 < sizeof device->names)
        sprintf(device->names + used, "%s%s", used ? "," : "", name);
}

void topomap_devices_clear(topomap_devices *devices)
{
    for (uint32_t i = 0; i < devices->count; i++)
        free(devices->device[i].cpus);
    free(devices->device);
    free(devices->near);
    free(devices->links);
    free(devices->mbytes);
    *devices = (topomap_devices){0};
}

/* ---- Pairs ------------------------------------------------------------------------------- */

int topomap_devices_pairs(topomap_devices *d, topomap_error *err)
{
    d->gpus = 0;
    for (uint32_t i = 0; i < d->count; i++)
        d->gpus += d->device[i].kind == TOPOMAP_DEVICE_GPU;
    d->near = topomap_alloc((size_t)d->count * d->count, sizeof *d->near, err);
    d->links = topomap_alloc((size_t)d->gpus * d->gpus, sizeof *d->links, err);
    d->mbytes = topomap_alloc((size_t)d->gpus * d->gpus, sizeof *d->mbytes, err);
    if (!d->near || !d->links || !d->mbytes)
        return -1;
    for (uint32_t i = 0; i < d->count; i++)
        topomap_devices_set_near(d, i, i, TOPOMAP_NEAR_SELF);
    return 0;
}

void topomap_devices_set_near(topomap_devices *d, uint32_t a, uint32_t b, enum topomap_near near)
{
    d->near[(size_t)a * d->count + b] = d->near[(size_t)b * d->count + a] = (uint8_t)near;
}

void topomap_devices_set_link(topomap_devices *d, uint32_t a, uint32_t b, uint32_t links,
                              uint32_t mbytes)
{
    if (a == b)
        return;
    links = links < UINT16_MAX ? links : UINT16_MAX;
    d->links[(size_t)a * d->gpus + b] = d->links[(size_t)b * d->gpus + a] = (uint16_t)links;
    d->mbytes[(size_t)a * d->gpus + b] = d->mbytes[(size_t)b * d->gpus + a] = mbytes;
}

static int by_place(const topomap_device *x, const topomap_device *y)
{
    /* Those without a bus id stay in the order in which they came: they have no other. */
    return TOPOMAP_ORDER(x->kind, y->kind)
               ?: TOPOMAP_ORDER(!x->bus, !y->bus) ?: TOPOMAP_ORDER(x->bus, y->bus);
}

/* A stable sort of a few. */
void topomap_devices_sort(topomap_devices *d, uint32_t *tag)
{
    for (uint32_t i = 1; i < d->count; i++) {
        topomap_device moved = d->device[i];
        uint32_t at = i, own = tag ? tag[i] : 0;

        for (; at && by_place(&moved, &d->device[at - 1]) < 0; at--) {
            d->device[at] = d->device[at - 1];
            if (tag)
                tag[at] = tag[at - 1];
        }
        d->device[at] = moved;
        if (tag)
            tag[at] = own;
    }
}

/* How many bridges two devices have in common, from the host bridge down. */
static uint32_t common(const topomap_device *a, const topomap_device *b)
{
    uint32_t same = 0;

    while (same < a->bridges && same < b->bridges && a->bridge[same] == b->bridge[same])
        same++;
    return same;
}

/* nvidia-smi counts bridges: a port of the switch towards each device is one of it. */
static enum topomap_near near_of(const topomap_device *a, const topomap_device *b)
{
    uint32_t same = common(a, b);

    if (same)
        return a->bridges - same <= 1 && b->bridges - same <= 1 ? TOPOMAP_NEAR_SWITCH
                                                                : TOPOMAP_NEAR_SWITCHES;
    if (a->root && a->root == b->root)
        return TOPOMAP_NEAR_BRIDGE;
    if (a->numa >= 0 && a->numa == b->numa)
        return TOPOMAP_NEAR_NUMA;
    if (a->package >= 0 && a->package == b->package)
        return TOPOMAP_NEAR_PACKAGE;
    return (a->numa >= 0 && b->numa >= 0) || (a->package >= 0 && b->package >= 0)
               ? TOPOMAP_NEAR_NODE
               : TOPOMAP_NEAR_UNKNOWN;
}

int topomap_devices_finish(topomap_devices *d, topomap_error *err)
{
    if (!d->near) {
        topomap_devices_sort(d, NULL);
        if (topomap_devices_pairs(d, err))
            return -1;
    }
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!topomap_devices_near(d, i, j))
                topomap_devices_set_near(d, i, j, near_of(&d->device[i], &d->device[j]));
    return 0;
}

double topomap_devices_cost(const topomap_devices *d, uint32_t a, uint32_t b)
{
    double fabric = topomap_near_cost(topomap_devices_near(d, a, b)), link;
    uint32_t most = 0, own = d->mbytes[(size_t)a * d->gpus + b], most_links = 0;

    if (a == b)
        return 0;
    if (!topomap_devices_linked(d, a, b))
        return fabric;
    for (size_t i = 0; i < (size_t)d->gpus * d->gpus; i++) {
        most = d->mbytes[i] > most ? d->mbytes[i] : most;
        most_links = d->links[i] > most_links ? d->links[i] : most_links;
    }
    link = own ? (double)most / own : (double)most_links / d->links[(size_t)a * d->gpus + b];
    link = link < 1 ? 1 : link > 4 ? 4 : link;
    return link < fabric ? link : fabric;
}

/* ---- NICs -------------------------------------------------------------------------------- */

/* Whether NIC y is a better one for a GPU than x, or as good (0). */
static int better(const topomap_devices *d, uint32_t gpu, uint32_t x, uint32_t y)
{
    enum topomap_near nx = topomap_devices_near(d, gpu, x), ny = topomap_devices_near(d, gpu, y);
    uint32_t cx = common(&d->device[gpu], &d->device[x]);
    uint32_t cy = common(&d->device[gpu], &d->device[y]);

    nx = nx ? nx : TOPOMAP_NEARS;
    ny = ny ? ny : TOPOMAP_NEARS;
    return TOPOMAP_ORDER(nx, ny)
               ?: TOPOMAP_ORDER(cy, cx) ?: TOPOMAP_ORDER(d->device[y].mbps, d->device[x].mbps);
}

/* The NICs that are best for a GPU, marked; how many. */
static uint32_t best_nics(const topomap_devices *d, uint32_t gpu, uint8_t *best)
{
    uint32_t found = UINT32_MAX, count = 0;

    memset(best, 0, d->count);
    for (uint32_t i = d->gpus; i < d->count; i++)
        if (d->device[i].state != 0 && (found == UINT32_MAX || better(d, gpu, found, i) > 0))
            found = i;
    for (uint32_t i = d->gpus; found != UINT32_MAX && i < d->count; i++)
        if (d->device[i].state != 0 && better(d, gpu, found, i) == 0) {
            best[i] = 1;
            count++;
        }
    return count;
}

int topomap_devices_nics(const topomap_devices *d, uint32_t *nic, topomap_error *err)
{
    TOPOMAP_FREED uint8_t *best = topomap_alloc((size_t)d->gpus * d->count, 1, err);

    if (!best)
        return -1;
    for (uint32_t g = 0; g < d->gpus; g++) {
        uint8_t *own = best + (size_t)g * d->count;
        uint32_t nics = best_nics(d, g, own), before = 0, sharers = 0, wanted;

        nic[g] = UINT32_MAX;
        if (!nics)
            continue;
        /* Rows of GPUs behind this one are filled here first, and again in their turn. */
        for (uint32_t h = 0; h < d->gpus; h++) {
            uint8_t *other = best + (size_t)h * d->count;

            best_nics(d, h, other);
            if (memcmp(own, other, d->count) == 0) {
                before += h < g;
                sharers++;
            }
        }
        wanted = sharers > nics ? (uint32_t)((uint64_t)before * nics / sharers) : before;
        for (uint32_t i = d->gpus; i < d->count; i++)
            if (own[i] && wanted-- == 0)
                nic[g] = i;
    }
    return 0;
}

uint32_t topomap_devices_rails(const topomap_devices *d, uint32_t *rail, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *nic = topomap_alloc(d->gpus, sizeof *nic, err);
    uint32_t rails = 0;

    if (!nic || topomap_devices_nics(d, nic, err))
        return 0;
    memset(rail, 0, d->gpus * sizeof *rail);
    for (uint32_t i = d->gpus; i < d->count; i++) {
        int used = 0;

        for (uint32_t g = 0; g < d->gpus; g++)
            if (nic[g] == i) {
                rail[g] = rails;
                used = 1;
            }
        rails += (uint32_t)used;
    }
    return rails ? rails : 1;
}
