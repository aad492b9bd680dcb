/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/spec.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/sorted.h"

enum { SITES_MOST = 16384 };

/* Sites of the new matrix: an old one, and a domain. */
struct sites {
    uint64_t *key; /* [count] ascending: old site << 32 | domain */
    uint32_t count;
    uint32_t *site_of; /* [nodes] */
};

static uint64_t key_of(const topomap_machine *m, const uint32_t *domain_of, uint32_t node)
{
    return (uint64_t)m->site_of[node] << 32 | domain_of[node];
}

static int find_sites(const topomap_machine *m, const uint32_t *domain_of, struct sites *s,
                      topomap_error *err)
{
    s->key = topomap_alloc(m->nodes, sizeof *s->key, err);
    s->site_of = topomap_alloc(m->nodes, sizeof *s->site_of, err);
    if (!s->key || !s->site_of)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        s->key[i] = key_of(m, domain_of, i);
    qsort(s->key, m->nodes, sizeof *s->key, topomap_by_u64);
    for (uint32_t i = 0; i < m->nodes; i++)
        if (!i || s->key[i] != s->key[s->count - 1])
            s->key[s->count++] = s->key[i];
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint64_t key = key_of(m, domain_of, i);
        const uint64_t *at = bsearch(&key, s->key, s->count, sizeof key, topomap_by_u64);

        s->site_of[i] = (uint32_t)(at - s->key);
    }
    return s->count <= SITES_MOST
               ? 0
               : topomap_error_set(err, TOPOMAP_EUSAGE,
                                   "the allocation's nodes are in more than %d places", SITES_MOST);
}

static int same_domain(const struct sites *s, size_t i, size_t j)
{
    uint32_t a = (uint32_t)s->key[i], b = (uint32_t)s->key[j];

    return a == b && a != TOPOMAP_NO_DOMAIN;
}

static int rebuild(topomap_machine *m, struct sites *s, float most, uint16_t hops,
                   topomap_error *err)
{
    size_t n = s->count, cells = n * n;
    TOPOMAP_FREED float *cost = topomap_alloc(cells, sizeof *cost, err);
    TOPOMAP_FREED float *cross = m->site_cross ? topomap_alloc(cells, sizeof *cross, err) : NULL;
    TOPOMAP_FREED uint16_t *by_hops =
        m->site_hops ? topomap_alloc(cells, sizeof *by_hops, err) : NULL;

    if (!cost || (m->site_cross && !cross) || (m->site_hops && !by_hops))
        return -1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t old = (size_t)(s->key[i] >> 32) * m->sites + (size_t)(s->key[j] >> 32);
            size_t cell = i * n + j;
            int near = same_domain(s, i, j) && most < m->site_cost[old];

            cost[cell] = near ? most : m->site_cost[old];
            if (cross)
                cross[cell] = near ? 0 : m->site_cross[old];
            if (by_hops)
                by_hops[cell] = near && hops < m->site_hops[old] ? hops : m->site_hops[old];
        }
    free(m->site_cost);
    free(m->site_cross);
    free(m->site_hops);
    free(m->site_of);
    m->site_cost = topomap_take(&cost);
    m->site_cross = topomap_take(&cross);
    m->site_hops = topomap_take(&by_hops);
    m->site_of = topomap_take(&s->site_of);
    m->sites = (uint32_t)n;
    return 0;
}

int topomap_machine_set_domains(topomap_machine *machine, const uint32_t *domain_of, double cost,
                                uint32_t hops, topomap_error *err)
{
    struct sites s = {0};
    int status;

    if (machine->kind != TOPOMAP_MACHINE_MATRIX)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a %s has no NVLink domains",
                                 machine->kind_name);
    status = find_sites(machine, domain_of, &s, err) ||
             rebuild(machine, &s, (float)cost, (uint16_t)hops, err);
    free(s.key);
    free(s.site_of);
    return status ? -1 : 0;
}
