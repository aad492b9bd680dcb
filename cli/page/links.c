/* SPDX-License-Identifier: BSD-3-Clause */
/* What links carry: the busiest ones, and how many carry how much. */
#include "cli/page/page.h"

#include <math.h>
#include <stdlib.h>

#include "cli/json.h"
#include "metric/loads.h"
#include "util/alloc.h"

typedef struct row {
    uint32_t link;
    double most;
} row;

static int by_load(const void *a, const void *b)
{
    const row *x = a, *y = b;

    return x->most != y->most ? (x->most < y->most ? 1 : -1) : (x->link > y->link ? 1 : -1);
}

static json_t *busiest(topomap_loads *const load[2], const row *rows, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count && i < PAGE_LINKS && rows[i].most > 0; i++) {
        char name[128];

        topomap_loads_name(load[0], rows[i].link, name, sizeof name);
        json_array_append_new(list, json_pack("{s:o, s:f, s:f}", "name", cli_json_text(name),
                                              "before", topomap_loads_share(load[0], rows[i].link),
                                              "after", topomap_loads_share(load[1], rows[i].link)));
    }
    return list;
}

/* Bins of equal width from 0 to the most of both; links without traffic are counted apart. */
static json_t *histogram(const topomap_loads *load, double most)
{
    uint32_t bin[PAGE_BINS] = {0}, idle = 0, links = topomap_loads_links(load);
    json_t *list = json_array();

    for (uint32_t link = 0; link < links; link++) {
        double share = topomap_loads_share(load, link);
        int at = most > 0 ? (int)(share / most * PAGE_BINS) : 0;

        if (share > 0)
            bin[at < PAGE_BINS ? at : PAGE_BINS - 1]++;
        else
            idle++;
    }
    for (int i = 0; i < PAGE_BINS; i++)
        json_array_append_new(list, json_integer(bin[i]));
    return json_pack("{s:I, s:o}", "idle", (json_int_t)idle, "bins", list);
}

static json_t *make(topomap_loads *const load[2], topomap_error *err)
{
    uint32_t links = topomap_loads_links(load[0]);
    row *rows = topomap_alloc(links ? links : 1, sizeof *rows, err);
    json_t *made;

    for (uint32_t link = 0; rows && link < links; link++)
        rows[link] = (row){
            link, fmax(topomap_loads_share(load[0], link), topomap_loads_share(load[1], link))};
    if (!rows)
        return NULL;
    if (links)
        qsort(rows, links, sizeof *rows, by_load);
    made = json_pack("{s:s, s:s, s:I, s:f, s:o, s:o, s:o}", "model", topomap_loads_model(load[0]),
                     "unit", topomap_loads_unit(load[0]), "count", (json_int_t)links, "most",
                     links ? rows[0].most : 0.0, "busiest", busiest(load, rows, links), "before",
                     histogram(load[0], links ? rows[0].most : 0), "after",
                     histogram(load[1], links ? rows[0].most : 0));
    free(rows);
    return made;
}

/* Trees and matrices have no links, and where there is no way for some messages there are no
 * loads. */
json_t *page_links(const page_job *job, topomap_error *err)
{
    topomap_loads *load[2] = {NULL, NULL};
    topomap_error why;
    json_t *made = NULL;
    int status = topomap_loads_new(job->graph, job->machine, job->slot[0], NULL, &load[0], &why);

    if (status == 0)
        status = topomap_loads_new(job->graph, job->machine, job->slot[1],
                                   topomap_loads_model(load[0]), &load[1], &why);
    if (status == 0)
        made = make(load, err);
    else
        made = json_null();
    topomap_loads_free(load[0]);
    topomap_loads_free(load[1]);
    return made;
}
