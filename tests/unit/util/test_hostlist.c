/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/hostlist.h"

/* The names joined by blanks, for comparing. */
static char *joined(const char *text)
{
    static char line[4096];
    topomap_names names;
    topomap_error err;

    if (topomap_hostlist_expand(text, 0, &names, &err))
        return strcpy(line, err.text);
    line[0] = 0;
    for (size_t i = 0; i < names.count; i++) {
        strcat(line, i ? " " : "");
        strcat(line, names.name[i]);
    }
    topomap_names_clear(&names);
    return line;
}

static void expands(void **state)
{
    (void)state;
    assert_string_equal(joined("n1"), "n1");
    assert_string_equal(joined("n2,n1,n2"), "n2 n1 n2");
    assert_string_equal(joined("tux[0-3,12,018-020]"),
                        "tux0 tux1 tux2 tux3 tux12 tux018 tux019 tux020");
    assert_string_equal(joined("a[1-2]b[3-4]"), "a1b3 a1b4 a2b3 a2b4");
    assert_string_equal(joined("c[9-11]-ib,x"), "c9-ib c10-ib c11-ib x");
    assert_string_equal(joined("circe-n[001-003],n[019-020]"),
                        "circe-n001 circe-n002 circe-n003 n019 n020");
    assert_string_equal(joined(" a , b\n"), "a b");
    assert_string_equal(joined("pi[3,0-2,4]"), "pi3 pi0 pi1 pi2 pi4");
}

static void refuses(void **state)
{
    static const char *const bad[] = {"",
                                      "a,,b",
                                      ",a",
                                      "a,",
                                      "a[",
                                      "a]",
                                      "a[1",
                                      "a[]",
                                      "a[1-]",
                                      "a[-2]",
                                      "a[3-1]",
                                      "a[1,]",
                                      "a[x]",
                                      "a[1]]",
                                      "a[[1]",
                                      "a[1-2-3]",
                                      "a[1;2]",
                                      "a[99999999999999999999]",
                                      "a[0-9999999]",
                                      "a[1][1][1][1][1][1][1][1][1]"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        topomap_names names = {.count = 77};
        topomap_error err = {.text = ""};

        if (topomap_hostlist_expand(bad[i], 0, &names, &err) == 0)
            fail_msg("'%s' was accepted", bad[i]);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_int_equal(strncmp(err.text, "host list: ", 11), 0);
        assert_int_equal(names.count, 77); /* untouched */
    }
}

static void keeps_the_limit(void **state)
{
    topomap_names names;
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_hostlist_expand("n[0-9]", 10, &names, &err), 0);
    assert_int_equal(names.count, 10);
    topomap_names_clear(&names);
    assert_int_equal(topomap_hostlist_expand("n[0-10]", 10, &names, &err), -1);
    assert_int_equal(topomap_hostlist_expand("n[0-9999999999]x[0-9999999999]", 0, &names, &err),
                     -1);
}

static void folds(void **state)
{
    static const struct {
        const char *in, *out;
    } row[] = {
        {"n1", "n1"},
        {"login,n1", "login,n1"},
        {"n[1-3]", "n[1-3]"},
        {"n3,n2,n1", "n[3,2,1]"},
        {"n[8-11]", "n[8-11]"},
        {"n[008-011]", "n[008-011]"},
        {"n08,n9,n10", "n[08,9-10]"},
        {"a[1-2]b[3-4]", "a1b[3-4],a2b[3-4]"},
        {"r[1-3]n1-ib", "r[1-3]n1-ib"},
        {"n1,n1", "n[1,1]"},
        {"x,x", "x,x"},
        {"n[1,3,5-6],m[1-2]", "n[1,3,5-6],m[1-2]"},
        {"n1,n12", "n[1,12]"},
        {"n1a,n1b", "n1a,n1b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_names names;
        char *text, *before, *after;

        assert_int_equal(topomap_hostlist_expand(row[i].in, 0, &names, NULL), 0);
        text = topomap_hostlist_fold(&names, NULL);
        assert_string_equal(text, row[i].out);
        before = strdup(joined(row[i].in));
        after = joined(text);
        assert_string_equal(before, after); /* the same names in the same order */
        free(before);
        free(text);
        topomap_names_clear(&names);
    }
}

static void fold_refuses(void **state)
{
    static char *bad[] = {"n[1]", "", "a#b", "a=b", "a;b", "a,b", "a b", "-o", ".a", "a\xe9"};
    topomap_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        topomap_names names = {1, &bad[i]};

        assert_null(topomap_hostlist_fold(&names, &err));
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_false(topomap_is_node_name(bad[i], strlen(bad[i])));
    }
    assert_true(topomap_is_node_name("n-1_a.b", 7));
}

static void counts(void **state)
{
    static const char *const bad[] = {"",      "4(x3)", "4,4",         "1,2,3,4,5",
                                      "4(x5)", "x",     "4(x0),1(x4)", "4(3),1",
                                      "-1",    "4,",    "99999999999", "1(x99999999999999)"};
    uint32_t got[4];
    char *text;

    (void)state;
    assert_int_equal(topomap_counts_parse("4(x3),2", 4, got, NULL), 0);
    assert_true(got[0] == 4 && got[1] == 4 && got[2] == 4 && got[3] == 2);
    text = topomap_counts_format(got, 4, NULL);
    assert_string_equal(text, "4(x3),2");
    free(text);
    assert_int_equal(topomap_counts_parse("7", 4, got, NULL), 0);
    assert_true(got[0] == 7 && got[3] == 7);
    assert_int_equal(topomap_counts_parse("1,2,0,3", 4, got, NULL), 0);
    assert_true(got[0] == 1 && got[1] == 2 && got[2] == 0 && got[3] == 3);
    text = topomap_counts_format(got, 4, NULL);
    assert_string_equal(text, "1,2,0,3");
    free(text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        topomap_error err;

        if (topomap_counts_parse(bad[i], 4, got, &err) == 0)
            fail_msg("'%s' was accepted", bad[i]);
        assert_int_equal(got[0], 1); /* untouched */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expands),         cmocka_unit_test(refuses),
        cmocka_unit_test(keeps_the_limit), cmocka_unit_test(folds),
        cmocka_unit_test(fold_refuses),    cmocka_unit_test(counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
