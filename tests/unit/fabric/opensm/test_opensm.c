/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted forwarding tables are equal to those that opensm set in the fabrics of
 * tests/data/opensm, and broken fabrics do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/opensm/opensm.h"
#include "tests/unit/messages.h"

enum { SUBNET = 1, MOST = 4096 };

/* A fabric while it is written down, and the ports of its hosts. */
struct plan {
    topomap_lft_fabric fabric;
    topomap_opensm_end end[MOST];
    size_t ends;
};

static void begin(struct plan *plan)
{
    *plan = (struct plan){0};
    plan->fabric.vertex = calloc(MOST + 1, sizeof *plan->fabric.vertex);
    plan->fabric.cable = calloc(MOST, sizeof *plan->fabric.cable);
    assert_non_null(plan->fabric.vertex);
    assert_non_null(plan->fabric.cable);
}

static uint32_t add_vertex(struct plan *plan, uint8_t kind, uint64_t guid, uint16_t lid)
{
    uint32_t v = plan->fabric.count++;

    assert_true(v < MOST);
    plan->fabric.vertex[v] =
        (topomap_lft_vertex){.id = v, .subnet = SUBNET, .guid = guid, .lid = lid, .kind = kind};
    return v;
}

/* One direction of a cable. */
static void add_half(struct plan *plan, uint32_t a, uint8_t port, uint32_t b, uint8_t peer_port)
{
    assert_true(plan->fabric.cables < MOST);
    plan->fabric.cable[plan->fabric.cables++] = (topomap_cable){a, b, 0, port, peer_port};
}

static void add_cable(struct plan *plan, uint32_t a, uint8_t port, uint32_t b, uint8_t peer_port)
{
    add_half(plan, a, port, b, peer_port);
    add_half(plan, b, peer_port, a, port);
}

static void add_end(struct plan *plan, uint32_t vertex, uint8_t port, uint16_t lid, uint8_t lmc)
{
    assert_true(plan->ends < MOST);
    plan->end[plan->ends++] = (topomap_opensm_end){vertex, lid, port, lmc};
}

static void finish(struct plan *plan)
{
    topomap_error err;

    assert_int_equal(topomap_lft_index(&plan->fabric, &err), 0);
}

static int route(struct plan *plan, const char *engine, const char **used, topomap_error *err)
{
    return topomap_opensm_route(&plan->fabric, SUBNET, plan->end, plan->ends, engine, used, err);
}

/* ---- Tables of opensm -------------------------------------------------------------------- */

static FILE *open_data(const char *name)
{
    char path[4096];
    FILE *in;

    snprintf(path, sizeof path, "%s/tests/data/opensm/%s", getenv("TOPOMAP_SOURCE"), name);
    in = fopen(path, "r");
    if (!in)
        fail_msg("cannot open %s", path);
    return in;
}

/* Compares the entries of a table line, from LID 1 on. Returns how many differ. */
static unsigned compare_table(const struct plan *plan, char *line)
{
    const topomap_lft *lft;
    uint32_t lid = 1;
    unsigned wrong = 0;
    char *save, *word = strtok_r(line, " \n", &save);

    lft = &plan->fabric.lft[strtoul(word, NULL, 10)];
    while ((word = strtok_r(NULL, " \n", &save)) != NULL) {
        unsigned long expected = *word == '-' ? TOPOMAP_NO_PORT : strtoul(word, NULL, 10);

        wrong += expected != (lid < lft->lids ? lft->port[lid] : TOPOMAP_NO_PORT);
        lid++;
    }
    return wrong;
}

static void read_cable(struct plan *plan, const char *line)
{
    unsigned a, port, b, peer_port, lid = 0, lmc = 0;

    assert_true(sscanf(line, "cable %u %u %u %u %u %u", &a, &port, &b, &peer_port, &lid, &lmc) >=
                4);
    add_cable(plan, a, (uint8_t)port, b, (uint8_t)peer_port);
    if (lid)
        add_end(plan, b, (uint8_t)peer_port, (uint16_t)lid, (uint8_t)lmc);
}

/* Routes a fabric of tests/data/opensm by each engine that it has tables of. */
static void compare_fabric(const char *name, const char *engines)
{
    static struct plan plan;
    FILE *in = open_data(name);
    char *line = NULL, engine[16], expected[16], compared[64] = "";
    size_t room = 0;
    unsigned long long guid;
    unsigned lid;

    begin(&plan);
    while (getline(&line, &room, in) > 0) {
        const char *used;
        topomap_error err;

        if (sscanf(line, "switch %llx %u", &guid, &lid) == 2)
            add_vertex(&plan, IB_SWITCH, guid, (uint16_t)lid);
        else if (strcmp(line, "host\n") == 0)
            add_vertex(&plan, IB_ADAPTER, 0, 0);
        else if (strncmp(line, "cable ", 6) == 0)
            read_cable(&plan, line);
        else if (sscanf(line, "tables %15s %15s", engine, expected) == 2) {
            if (!plan.fabric.lft)
                finish(&plan);
            if (route(&plan, engine, &used, &err))
                fail_msg("%s, %s: %s", name, engine, err.text);
            assert_string_equal(used, expected);
            snprintf(compared + strlen(compared), sizeof compared - strlen(compared), "%s%s",
                     *compared ? " " : "", engine);
        } else if (strncmp(line, "table ", 6) == 0) {
            unsigned wrong = compare_table(&plan, line + 6);

            if (wrong)
                fail_msg("%s, %s: %u entries of a table differ", name, engine, wrong);
        } else
            assert_int_equal(line[0], '#');
    }
    assert_string_equal(compared, engines);
    free(line);
    fclose(in);
    topomap_lft_clear(&plan.fabric);
}

static void test_tables(void **name)
{
    compare_fabric(*name, "dor ftree minhop updn");
}

/* ---- Calls ------------------------------------------------------------------------------- */

/* Two leaves with two hosts each, and two spines. */
static void begin_tree(struct plan *plan)
{
    begin(plan);
    for (uint16_t i = 0; i < 4; i++)
        add_vertex(plan, IB_SWITCH, 0x10 + i, (uint16_t)(1 + i));
    for (uint32_t leaf = 0; leaf < 2; leaf++)
        for (uint8_t i = 0; i < 2; i++) {
            uint32_t host = add_vertex(plan, IB_ADAPTER, 0x20 + plan->fabric.count, 0);

            add_cable(plan, leaf, i + 1, 2 + i, (uint8_t)(leaf + 1));
            add_cable(plan, leaf, i + 3, host, 1);
            add_end(plan, host, 1, (uint16_t)(10 + plan->ends), 0);
        }
}

static void test_choice(void **data)
{
    static struct plan plan;
    const char *used = NULL;
    topomap_error err;

    (void)data;
    begin_tree(&plan);
    finish(&plan);
    assert_int_equal(route(&plan, "minhop", &used, &err), 0);
    assert_string_equal(used, "minhop");
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(plan.fabric.lft[i].lids, 14);
        assert_true(plan.fabric.lft[i].asked);
        assert_int_equal(plan.fabric.lft[i].port[0], TOPOMAP_NO_PORT);
        assert_int_equal(plan.fabric.lft[i].port[i + 1], 0);
    }
    assert_int_equal(plan.fabric.lft[0].port[10], 3);
    assert_int_equal(plan.fabric.lft[0].port[12], 1);
    assert_int_equal(plan.fabric.lft[0].port[13], 2);
    assert_null(plan.fabric.lft[4].port);
    topomap_lft_clear(&plan.fabric);
}

static void test_same_bytes(void **data)
{
    static struct plan plan[2];
    const topomap_opensm_engine *engine;
    const char *used;
    topomap_error err;

    (void)data;
    begin_tree(&plan[0]);
    begin_tree(&plan[1]);
    finish(&plan[0]);
    finish(&plan[1]);
    for (size_t i = 0; (engine = topomap_opensm_engine_at(i)) != NULL; i++) {
        assert_true(*engine->help);
        /* Tables that are there already are replaced. */
        assert_int_equal(route(&plan[0], "ftree", &used, &err), 0);
        assert_int_equal(route(&plan[0], engine->name, &used, &err), 0);
        assert_int_equal(route(&plan[1], engine->name, &used, &err), 0);
        for (uint32_t v = 0; v < 4; v++)
            assert_memory_equal(plan[0].fabric.lft[v].port, plan[1].fabric.lft[v].port,
                                plan[1].fabric.lft[v].lids);
    }
    topomap_lft_clear(&plan[0].fabric);
    topomap_lft_clear(&plan[1].fabric);
}

static void test_unknown_engine(void **data)
{
    static struct plan plan;
    const char *used;
    topomap_error err;

    (void)data;
    begin_tree(&plan);
    finish(&plan);
    assert_int_equal(route(&plan, "fat", &used, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_true(message_has(err.text, "fat|minhop|updn|ftree|dor"));
    assert_null(plan.fabric.lft[0].port);
    topomap_lft_clear(&plan.fabric);
}

/* ---- Broken fabrics ---------------------------------------------------------------------- */

/* Routes a tree by all engines; the tables are right for its hosts whatever was added to it. */
static void route_broken(struct plan *plan)
{
    const topomap_opensm_engine *engine;
    const char *used;
    topomap_error err;

    finish(plan);
    for (size_t i = 0; (engine = topomap_opensm_engine_at(i)) != NULL; i++) {
        assert_int_equal(route(plan, engine->name, &used, &err), 0);
        assert_int_equal(plan->fabric.lft[0].port[10], 3);
        assert_int_equal(plan->fabric.lft[1].port[12], 3);
        assert_int_not_equal(plan->fabric.lft[0].port[12], TOPOMAP_NO_PORT);
    }
    topomap_lft_clear(&plan->fabric);
}

static void test_broken_cables(void **data)
{
    static struct plan plan;

    (void)data;
    begin_tree(&plan);
    add_cable(&plan, 0, 20, 0, 21);
    add_cable(&plan, 1, 22, 1, 22);
    add_half(&plan, 0, 23, 2, 24);
    add_cable(&plan, 0, 0, 3, 0);
    add_cable(&plan, 0, TOPOMAP_NO_PORT, 3, TOPOMAP_NO_PORT);
    add_cable(&plan, 0, 1, 3, 9);
    add_vertex(&plan, IB_SWITCH, 0x10, 0);
    add_vertex(&plan, IB_SWITCH, 0x10, 0);
    plan.fabric.vertex[plan.fabric.count - 1].subnet = SUBNET + 1;
    add_cable(&plan, 2, 30, plan.fabric.count - 1, 1);
    route_broken(&plan);
}

static void test_broken_ends(void **data)
{
    static struct plan plan;
    uint32_t host;

    (void)data;
    begin_tree(&plan);
    host = add_vertex(&plan, IB_ADAPTER, 0, 0);
    add_cable(&plan, 0, 9, host, 1);
    add_end(&plan, host, 1, 0, 0);      /* no LID */
    add_end(&plan, host, 2, 50, 0);     /* no cable */
    add_end(&plan, 0, 1, 51, 0);        /* a switch */
    add_end(&plan, MOST + 1, 1, 52, 0); /* no vertex */
    add_end(&plan, plan.end[0].vertex, 1, 53, 0);
    route_broken(&plan);
}

static void refuse_end(uint16_t lid, uint8_t lmc, const char *tokens)
{
    static struct plan plan;
    const char *used = "unchanged";
    topomap_error err;
    uint32_t host;

    begin_tree(&plan);
    host = add_vertex(&plan, IB_ADAPTER, 0, 0);
    add_cable(&plan, 0, 9, host, 1);
    add_end(&plan, host, 1, lid, lmc);
    finish(&plan);
    assert_int_equal(route(&plan, "minhop", &used, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_true(message_has(err.text, tokens));
    assert_string_equal(used, "unchanged");
    assert_null(plan.fabric.lft[0].port);
    topomap_lft_clear(&plan.fabric);
}

static void test_broken_lids(void **data)
{
    (void)data;
    refuse_end(TOPOMAP_LIDS, 0, "0xc000|0xbfff");
    refuse_end(TOPOMAP_LIDS - 2, 2, "0xc001|0xbfff");
    refuse_end(11, 0, "0xb");
    refuse_end(3, 0, "0x3");
    refuse_end(8, 2, "0xa");
    refuse_end(20, 8, "0x14|8|7");
}

static void test_empty(void **data)
{
    static struct plan plan;
    const topomap_opensm_engine *engine;
    const char *used;
    topomap_error err;

    (void)data;
    for (uint32_t switches = 0; switches < 3; switches++) {
        begin(&plan);
        for (uint32_t i = 0; i < switches; i++)
            add_vertex(&plan, IB_SWITCH, 1, 0);
        finish(&plan);
        for (size_t i = 0; (engine = topomap_opensm_engine_at(i)) != NULL; i++) {
            assert_int_equal(route(&plan, engine->name, &used, &err), 0);
            assert_string_equal(used, strcmp(engine->name, "dor") == 0 ? "dor" : "minhop");
        }
        topomap_lft_clear(&plan.fabric);
    }
}

/* A chain that is longer than hops can count. */
static void test_long_chain(void **data)
{
    enum { LENGTH = 400 };
    static struct plan plan;
    const topomap_opensm_engine *engine;
    const char *used;
    topomap_error err;

    (void)data;
    begin(&plan);
    for (uint32_t i = 0; i < LENGTH; i++)
        add_vertex(&plan, IB_SWITCH, i, (uint16_t)(1 + i));
    for (uint32_t i = 0; i + 1 < LENGTH; i++)
        add_cable(&plan, i, 1, i + 1, 2);
    for (uint16_t i = 0; i < 2; i++) {
        add_vertex(&plan, IB_ADAPTER, 0, 0);
        add_cable(&plan, i ? LENGTH - 1 : 0, 3, LENGTH + i, 1);
        add_end(&plan, LENGTH + i, 1, (uint16_t)(1000 + i), 0);
    }
    finish(&plan);
    for (size_t i = 0; (engine = topomap_opensm_engine_at(i)) != NULL; i++) {
        assert_int_equal(route(&plan, engine->name, &used, &err), 0);
        assert_int_equal(plan.fabric.lft[254].port[1000], 2);
        assert_int_equal(plan.fabric.lft[255].port[1000], TOPOMAP_NO_PORT);
    }
    topomap_lft_clear(&plan.fabric);
}

/* OpenSM's ftree sets arbitrary tables if a cable joins leaves. */
static void test_joined_leaves(void **data)
{
    static struct plan plan;
    const char *used;
    topomap_error err;

    (void)data;
    begin_tree(&plan);
    add_cable(&plan, 0, 9, 1, 9);
    finish(&plan);
    assert_int_equal(route(&plan, "ftree", &used, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_true(message_has(err.text, "ftree|0x0000000000000010"));
    assert_int_equal(route(&plan, "minhop", &used, &err), 0);
    assert_int_equal(plan.fabric.lft[0].port[12], 9);
    topomap_lft_clear(&plan.fabric);
}

#define TEST_TABLES(name)                                                                          \
    {                                                                                              \
        "equal to opensm's tables: " name, test_tables, NULL, NULL, (void *)name ".fabric"         \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_TABLES("three-levels"),
        TEST_TABLES("tapered"),
        TEST_TABLES("missing-cables"),
        TEST_TABLES("triple-cables"),
        TEST_TABLES("torus"),
        TEST_TABLES("irregular"),
        TEST_TABLES("two-ports"),
        TEST_TABLES("two-lids"),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_unknown_engine),
        cmocka_unit_test(test_broken_cables),
        cmocka_unit_test(test_broken_ends),
        cmocka_unit_test(test_broken_lids),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_joined_leaves),
    };

    return cmocka_run_group_tests_name("opensm", tests, NULL, NULL);
}
