/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fabric/network.h"
#include "fabric/shapes.h"
#include "tests/unit/messages.h"

static void list(topomap_fabric *f, const char *a, uint32_t aport, const char *b, uint32_t bport)
{
    topomap_link link = {.aport = aport, .bport = bport, .line = f->links + 1};
    topomap_error err;

    assert_int_equal(topomap_fabric_find(f, a, &link.a, &err), 0);
    assert_int_equal(topomap_fabric_find(f, b, &link.b, &err), 0);
    assert_int_equal(topomap_fabric_list(f, &link, &err), 0);
}

static void listings_of_one_link_are_joined(void **state)
{
    topomap_fabric f = {0};
    topomap_error err;
    size_t one_sided;

    (void)state;
    list(&f, "s1", 1, "s2", 2);
    list(&f, "s2", 2, "s1", 1);
    list(&f, "s1", 0, "s2", 0); /* without ports: a link of its own */
    list(&f, "h1", 0, "s1", 3);
    list(&f, "h2", 0, "s1", 4);
    assert_int_equal(topomap_fabric_match(&f, "file", &one_sided, &err), 0);
    assert_int_equal(f.links, 4);
    assert_int_equal(one_sided, 3);
    assert_true(topomap_fabric_is(&f, topomap_fabric_lookup(&f, "h1"), TOPOMAP_VERTEX_HOST));
    assert_true(topomap_fabric_is(&f, topomap_fabric_lookup(&f, "s1"), TOPOMAP_VERTEX_SWITCH));
    assert_int_equal(topomap_fabric_lookup(&f, "s3"), UINT32_MAX);
    topomap_fabric_clear(&f);
}

static void a_port_has_one_link(void **state)
{
    topomap_fabric f = {0};
    topomap_error err;

    (void)state;
    list(&f, "s1", 1, "s2", 2);
    list(&f, "s3", 5, "s1", 1);
    assert_int_equal(topomap_fabric_match(&f, "file", NULL, &err), -1);
    assert_message(err.text, "file:2:|port 1|'s1'|line 1");
    topomap_fabric_clear(&f);
}

/* A wrapping dimension of two has one link, or two where it is wanted; ports go by dimension. */
static void tori_wrap(void **state)
{
    topomap_torus torus = {.dims = 2, .dim = {3, 2}, .wrap = {1, 1}, .links = 1, .taken = 4};
    topomap_error err;

    (void)state;
    for (torus.twice = 0; torus.twice < 2; torus.twice++) {
        topomap_fabric f = {0};
        uint32_t *first;
        topomap_end *end;

        assert_int_equal(topomap_torus_join(&torus, &f, &err), 0);
        assert_int_equal(f.links, torus.twice ? 12 : 9);
        assert_int_equal(
            topomap_ends_list(6, f.links, f.link, TOPOMAP_ENDS_BY_PORT, &first, &end, &err), 0);
        for (uint32_t v = 0; v < 6; v++) {
            assert_int_equal(first[v + 1] - first[v], torus.twice ? 4 : 3);
            for (uint32_t i = first[v]; i < first[v + 1]; i++)
                assert_true(end[i].port > 4 && (i == first[v] || end[i].port > end[i - 1].port));
        }
        free(first);
        free(end);
        topomap_fabric_clear(&f);
    }
}

static void usual_rates_fill_gaps(void **state)
{
    const double rates[] = {2, 0, 3, 2, 3};
    topomap_fabric f = {0};
    topomap_network *n;
    topomap_error err;
    double rate;

    (void)state;
    for (uint32_t v = 0; v < 6; v++)
        assert_int_equal(topomap_fabric_addf(&f,
                                             v < 2 ? TOPOMAP_VERTEX_HOST : TOPOMAP_VERTEX_SWITCH,
                                             &err, "v%u", v),
                         0);
    for (uint32_t v = 0; v < 5; v++)
        assert_int_equal(
            topomap_fabric_join(
                &f, &(topomap_link){.a = v, .b = v + 1, .rate = rates[v], .ends = 3}, &err),
            0);
    assert_int_equal(topomap_fabric_rate(&f, 0, 1, &rate, &err), 0);
    assert_true(rate == 3);
    assert_int_equal(topomap_fabric_rate(&f, 0, 0, &rate, &err), 0);
    assert_true(rate == 2);
    assert_int_equal(topomap_fabric_rate(&f, 1, 0, &rate, &err), 0);
    assert_true(rate == 3); /* the first link is a host's */
    assert_int_equal(topomap_network_of(&f, NULL, 6, 2, &n, &err), 0);
    assert_string_equal(n->unit, "s");
    assert_string_equal(n->name[5], "v5");
    assert_true(n->capacity[topomap_network_link(n, 1, 2)] == 2);
    assert_true(n->capacity[topomap_network_link(n, 2, 3)] == 3);
    topomap_network_free(n);
    topomap_fabric_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings_of_one_link_are_joined),
        cmocka_unit_test(a_port_has_one_link),
        cmocka_unit_test(tori_wrap),
        cmocka_unit_test(usual_rates_fill_gaps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
