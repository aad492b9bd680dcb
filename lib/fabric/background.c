/* SPDX-License-Identifier: BSD-3-Clause */
/* Other jobs' traffic, as less capacity of the links that it is on (Hoefler & Snir, ICS 2011,
 * section 2.2). */
#include <stdlib.h>
#include <string.h>

#include "fabric/links.h"
#include "fabric/network.h"
#include "util/alloc.h"

/* A link that other jobs fill is not gone: it still gets a share. */
#define LEAST_SHARE 0.01

struct name {
    const char *text;
    uint32_t vertex;
};

static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static uint32_t find_name(const struct name *names, uint32_t count, const char *text)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (strcmp(names[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(names[low].text, text) == 0 ? names[low].vertex : UINT32_MAX;
}

/* The bytes a second that a row takes off a link that has `whole` of them. */
static void take(double *capacity, double whole, double bytes)
{
    double left = *capacity - bytes;

    *capacity = left > whole * LEAST_SHARE ? left : whole * LEAST_SHARE;
}

static size_t take_all(topomap_network *network, const struct name *names, const double *whole,
                       const topomap_links *links)
{
    size_t used = 0;

    for (size_t i = 0; i < links->links; i++) {
        const topomap_link *row = &links->link[i];
        uint32_t a = find_name(names, network->vertices, topomap_links_name(links, row->a));
        uint32_t b = find_name(names, network->vertices, topomap_links_name(links, row->b));
        uint32_t there, back;

        if (a == UINT32_MAX || b == UINT32_MAX)
            continue;
        there = topomap_network_link(network, a, b);
        back = topomap_network_link(network, b, a);
        if (there == UINT32_MAX || back == UINT32_MAX)
            continue;
        take(&network->capacity[there], whole[there], row->mbps * 1e6 / 8);
        take(&network->capacity[back], whole[back], row->mbps * 1e6 / 8);
        used++;
    }
    return used;
}

static int apply(topomap_network *network, const char *path, const topomap_links *links,
                 topomap_error *err)
{
    struct name *names = topomap_alloc(network->vertices, sizeof *names, err);
    double *whole = topomap_alloc(network->links, sizeof *whole, err);
    int status = names && whole ? 0 : -1;

    if (status == 0) {
        for (uint32_t v = 0; v < network->vertices; v++)
            names[v] = (struct name){network->name[v], v};
        qsort(names, network->vertices, sizeof *names, by_text);
        memcpy(whole, network->capacity, network->links * sizeof *whole);
        if (links->links && !take_all(network, names, whole, links))
            status = topomap_error_set(err, TOPOMAP_EINPUT,
                                       "%s: none of its %zu links is one of this network; names "
                                       "are those of `topomap db export --to links`",
                                       path, links->links);
    }
    free(names);
    free(whole);
    return status;
}

int topomap_network_background(topomap_network *network, const char *path, topomap_error *err)
{
    topomap_links links = {0};
    topomap_input *input;
    int status;

    if (!network->name || strcmp(network->unit, "s") != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "background traffic needs a network whose links have names and "
                                 "rates, from a topology database");
    if (topomap_input_open(path, &input, err))
        return -1;
    status = topomap_links_read(input, NULL, &links, err);
    topomap_input_close(input);
    if (status == 0)
        status = apply(network, path, &links, err);
    topomap_links_clear(&links);
    return status;
}
