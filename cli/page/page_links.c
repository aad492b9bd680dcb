/* SPDX-License-Identifier: BSD-3-Clause */
/* What links carry: the busiest ones, and how many carry how much. */
#include <math.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "util/alloc.h"
#include "util/sorted.h"

typedef struct row {
    uint32_t link;
    double most;
} row;

TOPOMAP_COMPARE(by_load, row, TOPOMAP_ORDER(y->most, x->most), TOPOMAP_ORDER(x->link, y->link))

enum { PAIRS = 3 }; /* of ranks, that have most of a link's bytes */

/* [from, to, share of the link's bytes], ... */
static json_t *pairs_json(const topomap_link_pair *pair, double bytes)
{
    json_t *list = json_array();

    for (int k = 0; k < PAIRS && pair[k].bytes; k++)
        json_array_append_new(list,
                              json_pack("[I, I, f]", (json_int_t)pair[k].from,
                                        (json_int_t)pair[k].to, (double)pair[k].bytes / bytes));
    return list;
}

static json_t *busiest(topomap_link_loads *const load[2], const row *rows, uint32_t count,
                       topomap_error *err)
{
    uint32_t link[PAGE_LINKS], links = 0;
    topomap_link_pair pair[2][PAGE_LINKS * PAIRS];
    double bytes[2][PAGE_LINKS];
    json_t *list;

    while (links < count && links < PAGE_LINKS && rows[links].most > 0) {
        link[links] = rows[links].link;
        links++;
    }
    for (int i = 0; i < 2; i++)
        if (topomap_link_loads_pairs(load[i], link, links, PAIRS, pair[i], bytes[i], err) != 0)
            return NULL;
    list = json_array();
    for (uint32_t i = 0; i < links; i++) {
        char name[128];

        topomap_link_loads_name(load[0], link[i], name, sizeof name);
        cli_json_add(list, "name:s before:r after:r by_before:o by_after:o", name,
                     topomap_link_loads_share(load[0], link[i]),
                     topomap_link_loads_share(load[1], link[i]),
                     pairs_json(&pair[0][i * PAIRS], bytes[0][i]),
                     pairs_json(&pair[1][i * PAIRS], bytes[1][i]));
    }
    return list;
}

/* Bins of equal width from 0 to the most of both, and the figure of the most loaded link: of phases
 * it is the sum of each one's. */
static json_t *histogram(const topomap_link_loads *load, double most)
{
    const topomap_congestion *congestion = topomap_link_loads_congestion(load);
    uint32_t bin[PAGE_BINS] = {0};

    for (uint32_t link = 0; link < congestion->links; link++) {
        double share = topomap_link_loads_share(load, link);
        int at = most > 0 ? (int)(share / most * PAGE_BINS) : 0;

        if (share > 0)
            bin[at < PAGE_BINS ? at : PAGE_BINS - 1]++;
    }
    return cli_json_object("max:r idle:u bins:o", congestion->max,
                           congestion->links - congestion->used, cli_json_numbers(bin, PAGE_BINS));
}

static json_t *make(const page_job *job, topomap_link_loads *const load[2], topomap_error *err)
{
    const topomap_congestion *congestion = topomap_link_loads_congestion(load[0]);
    uint32_t links = congestion->links;
    TOPOMAP_FREED row *rows = topomap_alloc(links ? links : 1, sizeof *rows, err);
    double most;

    if (!rows)
        return NULL;
    for (uint32_t link = 0; link < links; link++)
        rows[link] = (row){link, fmax(topomap_link_loads_share(load[0], link),
                                      topomap_link_loads_share(load[1], link))};
    TOPOMAP_SORT(rows, links, by_load);
    most = links ? rows[0].most : 0;
    return cli_json_object("model:s unit:s count:u most:r busiest:o before:o after:o picture:o",
                           congestion->model, congestion->unit, links, most,
                           busiest(load, rows, links, err), histogram(load[0], most),
                           histogram(load[1], most), page_network(job, load, err));
}

static void free_both(topomap_link_loads *(*load)[2])
{
    topomap_link_loads_free((*load)[0]);
    topomap_link_loads_free((*load)[1]);
}

/* Trees and matrices have no links, and where there is no way for some messages there are no
 * loads. */
json_t *page_links(const page_job *job, topomap_error *err)
{
    TOPOMAP_CLEANUP(free_both) topomap_link_loads *load[2] = {NULL, NULL};
    const char *model = NULL;
    topomap_error why;

    for (int i = 0; i < 2; i++) {
        if (topomap_link_loads_new(job->graph, job->machine, job->slot[i], model, &load[i], &why) !=
            0)
            return json_null();
        model = topomap_link_loads_congestion(load[i])->model;
    }
    return make(job, load, err);
}
