/* SPDX-License-Identifier: BSD-3-Clause */
/* The text that tells the nodes which NICs their tasks are next to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/bindings.h"
#include "plan/node_plan.h"
#include "tests/unit/messages.h"

enum { MOST = 1 << 16 };

static topomap_error err;

/* The text of three nodes: two alike, and one of which nothing is known. */
static char *three(const char *kind)
{
    const char *const kinds[] = {kind, kind, ""};
    char *text = topomap_nics_encode(1, 17, 3, 3, kinds, &err);

    assert_non_null(text);
    return text;
}

static int decode(const char *text, uint32_t node, topomap_node_nics *nics, char **memory)
{
    return topomap_nics_decode_node(text, strlen(text), 17, 3, node, MOST, nics, memory, &err);
}

static void each_node_reads_its_part(void **state)
{
    char *text = three("t:mlx5_0*3,mlx5_1+mlx5_2,-"), *memory;
    topomap_node_nics nics;

    (void)state;
    assert_non_null(strstr(text, "N1 set 17.3 t:mlx5_0*3,mlx5_1+mlx5_2,-;- 0*2,1 "));
    assert_int_equal(decode(text, 1, &nics, &memory), 0);
    assert_int_equal(nics.set, 1);
    assert_int_equal(nics.by, TOPOMAP_NICS_BY_TASK);
    assert_int_equal(nics.entries, 5);
    assert_string_equal(topomap_node_nics_entry(&nics, 2), "mlx5_0");
    assert_string_equal(topomap_node_nics_entry(&nics, 3), "mlx5_1,mlx5_2");
    assert_string_equal(topomap_node_nics_entry(&nics, 4), "");
    assert_null(topomap_node_nics_entry(&nics, 5));
    assert_true(topomap_node_nics_is_sound(&nics, 5));
    assert_false(topomap_node_nics_is_sound(&nics, 4));
    free(memory);
    assert_int_equal(decode(text, 2, &nics, &memory), 0);
    assert_int_equal(nics.by, 0);
    assert_null(memory);
    assert_true(topomap_node_nics_is_sound(&nics, 5));
    assert_int_equal(decode(text, 3, &nics, &memory), -1);
    assert_message(err.text, "node");
    free(text);
}

static void kinds_are_told_apart(void **state)
{
    static const char *const kinds[] = {"g:hsn0,hsn1", "b:hsn0,hsn1", "g:hsn0,hsn1"};
    char *text = topomap_nics_encode(0, 17, 3, 3, kinds, &err), *memory;
    topomap_node_nics nics;

    (void)state;
    assert_non_null(strstr(text, "N1 advise 17.3 g:hsn0,hsn1;b:hsn0,hsn1 0,1,0 "));
    for (uint32_t node = 0; node < 3; node++) {
        assert_int_equal(decode(text, node, &nics, &memory), 0);
        assert_int_equal(nics.by, *kinds[node]);
        assert_int_equal(nics.set, 0);
        assert_true(topomap_node_nics_is_sound(&nics, 7));
        free(memory);
    }
    free(text);
}

/* The text with another body and a checksum that is right. */
static char *sealed(const char *body)
{
    char *text = malloc(strlen(body) + 10);

    assert_non_null(text);
    sprintf(text, "%s %08x", body, topomap_crc32(0, body, strlen(body)));
    return text;
}

static void what_is_no_such_text_is_refused(void **state)
{
    static const char *const bodies[] = {
        "",
        "N1 set 17.3",
        "N2 set 17.3 t:a 0",
        "N1 set 17.4 t:a 0",
        "N1 sets 17.3 t:a 0",
        "N1 set 17.3 x:a 0",
        "N1 set 17.3 ta 0",
        "N1 set 17.3 t: 0",
        "N1 set 17.3 t:a, 0",
        "N1 set 17.3 t:a++b 0",
        "N1 set 17.3 t:a+ 0",
        "N1 set 17.3 t:a/b 0",
        "N1 set 17.3 t:a=b 0",
        "N1 set 17.3 t:a*0 0",
        "N1 set 17.3 t:a*x 0",
        "N1 set 17.3 t:a*65537 0",
        "N1 set 17.3 t:a*65536,b 0",
        "N1 set 17.3 t:abcdefghijklmnopqrstuvwxyz123456*2 0",
        "N1 set 17.3 t:abcdefghijklmnopqrstuvwxyz12345*65536 0",
        "N1 set 17.3 t:a 1",
        "N1 set 17.3 t:a;t:b 2",
        "N1 set 17.3 t:a x",
        "N1 set 17.3 t:a 0*0,0",
        "N1 set 17.3 t:a 99999999999999999999",
    };
    topomap_node_nics nics;
    char *memory, *text;

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        text = sealed(bodies[i]);
        if (decode(text, 0, &nics, &memory) != -1)
            fail_msg("taken: '%s'", bodies[i]);
        assert_null(memory);
        free(text);
    }
    text = three("t:hsn0");
    text[strlen(text) - 1] ^= 1;
    assert_int_equal(decode(text, 0, &nics, &memory), -1);
    assert_message(err.text, "checksum");
    free(text);
}

/* What slurmstepd takes of topomap-node's answer. */
static void unsound_parts_are_refused(void **state)
{
    static const struct {
        const char *text;
        uint32_t bytes, entries, by, set;
        int sound;
    } rows[] = {
        {"mlx5_0:1,mlx5_1:2\0", 19, 2, 't', 1, 1}, {"hsn0\0hsn1", 10, 2, 't', 0, 1},
        {"hsn0\0hsn1", 9, 2, 't', 0, 0},           {"hsn0\0hsn1", 10, 3, 't', 0, 0},
        {"hsn0\0hsn1", 10, 2, 'x', 0, 0},          {"hsn0\0hsn1", 10, 2, 'g' + 256, 0, 0},
        {"hsn0\0hsn1", 10, 2, 't', 2, 0},          {"hsn0,\0hsn1", 11, 2, 't', 1, 0},
        {",hsn0\0hsn1", 11, 2, 't', 1, 0},         {"hsn0:\0hsn1", 11, 2, 't', 1, 0},
        {"hsn0:123\0hsn1", 14, 2, 't', 1, 0},      {"hsn0 x\0hsn1", 12, 2, 't', 1, 0},
        {"hsn0=x\0hsn1", 12, 2, 't', 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const topomap_node_nics nics = {.set = rows[i].set,
                                        .by = rows[i].by,
                                        .entries = rows[i].entries,
                                        .bytes = rows[i].bytes,
                                        .text = rows[i].text};

        if (topomap_node_nics_is_sound(&nics, 2) != rows[i].sound)
            fail_msg("row %zu", i);
    }
}

static void more_kinds_than_there_is_room_for(void **state)
{
    enum { NODES = TOPOMAP_NICS_KINDS + 1 };
    static char text[NODES][16];
    const char *kind[NODES];

    (void)state;
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(text[i], sizeof text[i], "t:hsn%u", i);
        kind[i] = text[i];
    }
    assert_null(topomap_nics_encode(1, 17, 3, NODES, kind, &err));
    assert_message(err.text, "256 kinds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_reads_its_part),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(what_is_no_such_text_is_refused),
        cmocka_unit_test(unsound_parts_are_refused),
        cmocka_unit_test(more_kinds_than_there_is_room_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
