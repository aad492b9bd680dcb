/* SPDX-License-Identifier: BSD-3-Clause */
/* Networks of tests, from a few cables. */
#ifndef TESTS_UNIT_CABLES_H
#define TESTS_UNIT_CABLES_H

#include <assert.h>

#include "fabric/network.h"

/** Cables between two vertices, with the capacity of all of them. */
typedef struct test_cable {
    uint32_t a, b, cables;
    double capacity;
} test_cable;

/** As topomap_network_new(). */
static inline int network_of_cables(uint32_t vertices, size_t count, const test_cable *cable,
                                    uint32_t nodes, const uint32_t *vertex_of,
                                    topomap_network **network, topomap_error *err)
{
    topomap_link link[64];
    size_t links = 0;

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < cable[i].cables; k++) {
            assert(links < sizeof link / sizeof *link);
            link[links++] = (topomap_link){.a = cable[i].a,
                                           .b = cable[i].b,
                                           .rate = cable[i].capacity / cable[i].cables,
                                           .ends = 3};
        }
    return topomap_network_new(vertices, links, link, nodes, vertex_of, network, err);
}

#endif
