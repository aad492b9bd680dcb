/* SPDX-License-Identifier: BSD-3-Clause */
/* Tournaments, robust fits, and calibrations of made fabrics whose costs are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "topology-db/calibrate/calibrate.h"
#include "util/random.h"
#include "util/tournament.h"

static topomap_error err;

static void assert_near(double found, double wanted, double share)
{
    if (!(fabs(found - wanted) <= share * fabs(wanted)))
        fail_msg("%.9g is not %.9g within %g %%", found, wanted, 100 * share);
}

static double uniform(topomap_random *random)
{
    return ((double)(topomap_random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(topomap_random *random)
{
    double radius = sqrt(-2 * log(uniform(random)));

    return radius * cos(6.283185307179586 * uniform(random));
}

/* ---- Tournaments ------------------------------------------------------------------------- */

static void every_pair_meets_once(void **state)
{
    (void)state;
    assert_int_equal(topomap_tournament_rounds(0), 0);
    assert_int_equal(topomap_tournament_rounds(1), 0);
    for (uint32_t n = 2; n < 40; n++) {
        uint8_t met[40][40] = {{0}};
        uint32_t rounds = topomap_tournament_rounds(n);

        assert_int_equal(rounds, n % 2 ? n : n - 1);
        for (uint32_t r = 0; r < rounds; r++) {
            uint32_t byes = 0;

            for (uint32_t p = 0; p < n; p++) {
                uint32_t q = topomap_tournament_partner(n, r, p);

                if (q == TOPOMAP_TOURNAMENT_BYE) {
                    byes++;
                    continue;
                }
                assert_true(q < n && q != p);
                /* Disjoint: whom p meets meets p. */
                assert_int_equal(topomap_tournament_partner(n, r, q), p);
                met[p][q]++;
            }
            assert_int_equal(byes, n % 2);
        }
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++)
                assert_int_equal(met[p][q], p != q);
    }
}

/* The circle method with 4 places, by hand: 3 stays; 0-3 1-2, 1-3 0-2 (places sum to 2), 2-3 0-1.
 */
static void a_tournament_by_hand(void **state)
{
    static const uint32_t partner[3][4] = {{3, 2, 1, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}};

    (void)state;
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t p = 0; p < 4; p++)
            assert_int_equal(topomap_tournament_partner(4, r, p), partner[r][p]);
}

/* ---- Fits -------------------------------------------------------------------------------- */

static void outliers_do_not_bend_a_line(void **state)
{
    enum { ROWS = 100 };
    double x[2 * ROWS], y[ROWS], residual[ROWS];
    uint8_t outlier[ROWS];
    db_fit fit;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        x[2 * i] = 1;
        x[2 * i + 1] = i % 7;
        y[i] = 5 + 2 * (i % 7) + (i % 4 == 1 ? 3 + i % 7 : 0);
    }
    assert_int_equal(db_fit_linear(x, y, ROWS, 2, &fit, residual, outlier, &err), 0);
    assert_near(fit.coefficient[0], 5, 1e-9);
    assert_near(fit.coefficient[1], 2, 1e-9);
    assert_int_equal(fit.outliers, ROWS / 4);
    assert_near(fit.r2, 1, 1e-9);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(outlier[i], i % 4 == 1);
        assert_true(fabs(residual[i] - (outlier[i] ? 3 + i % 7 : 0)) < 1e-8);
    }
}

/* By hand: means 3 and 2.94, a = 10.4 / 10, b = 2.94 - 3.12, which is no cost; through the origin
 * a = (0.8 + 4.2 + 8.1 + 16.4 + 25) / 55. */
static void costs_are_not_negative(void **state)
{
    static const double x[] = {1, 1, 1, 2, 1, 3, 1, 4, 1, 5}, y[] = {0.8, 2.1, 2.7, 4.1, 5};
    double residual[5];
    uint8_t outlier[5];
    db_fit fit;

    (void)state;
    assert_int_equal(db_fit_linear(x, y, 5, 2, &fit, residual, outlier, &err), 0);
    assert_false(fit.known[0]);
    assert_true(fit.coefficient[0] == 0);
    assert_int_equal(fit.outliers, 0);
    assert_near(fit.coefficient[1], 54.5 / 55, 1e-9);
    assert_int_equal(db_fit_linear(x, y, 5, DB_FIT_COLUMNS + 1, &fit, residual, outlier, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
}

static void columns_that_say_the_same_are_not_told_apart(void **state)
{
    double x[30], y[10], residual[10];
    uint8_t outlier[10];
    db_fit fit;

    (void)state;
    for (int i = 0; i < 10; i++) {
        x[3 * i] = 1;
        x[3 * i + 1] = 2; /* the links to both hosts */
        x[3 * i + 2] = i;
        y[i] = 1 + 2 * 3 + 0.5 * i;
    }
    assert_int_equal(db_fit_linear(x, y, 10, 3, &fit, residual, outlier, &err), 0);
    assert_true(fit.known[0] && !fit.known[1] && fit.known[2]);
    assert_near(fit.coefficient[0], 7, 1e-9);
    assert_near(fit.coefficient[2], 0.5, 1e-9);
}

/* Rates 1/10 to hosts, 1/5 and 1/20 between switches: the last is never the slowest. */
static void the_slowest_link_counts(void **state)
{
    enum { ROWS = 60 };
    double x[3 * ROWS], y[ROWS], residual[ROWS];
    uint8_t outlier[ROWS];
    topomap_random random = {7};
    db_fit fit;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        x[3 * i] = 2;
        x[3 * i + 1] = i % 3 == 1;
        x[3 * i + 2] = i % 3 == 2 ? 2 : 0;
        y[i] = (x[3 * i + 1] > 0 ? 0.2 : 0.1) * (1 + 0.01 * normal(&random));
    }
    y[0] = 0.9;
    assert_int_equal(db_fit_slowest(x, y, ROWS, 3, &fit, residual, outlier, &err), 0);
    assert_near(fit.coefficient[0], 0.1, 0.01);
    assert_near(fit.coefficient[1], 0.2, 0.01);
    assert_true(fit.known[0] && fit.known[1] && !fit.known[2]);
    assert_true(outlier[0]);
}

/* ---- The thesis' appendix ---------------------------------------------------------------- */

/* 99 pairs as f(h) = a h + b and a deviation, ms for 10,000 round trips of 8 bytes. */
static const char *appendix(const char *name, double a, double b, double sigma)
{
    char text[99 * 80 + 200];
    size_t at =
        (size_t)snprintf(text, sizeof text, "kind,from,to,hops,size,latency_us,bandwidth\n");
    topomap_random random = {11};

    for (int i = 0; i < 99; i++) {
        int hops = i % 13;
        double ms = a * hops + b + sigma * normal(&random);

        at += (size_t)snprintf(text + at, sizeof text - at, "pair,n0,n%d,%d,8,%.6f,\n", i + 1, hops,
                               (ms > 1 ? ms : 1) / 20);
    }
    return scratch_text(name, text);
}

static void the_appendix(void **state)
{
    topomap_db_calibration r;
    char *text;

    (void)state;
    assert_int_equal(topomap_db_calibrate(appendix("healthy", 2.67, 28.68, 2.70), NULL, &r, &err),
                     0);
    assert_int_equal(r.pairs, 99);
    assert_near(20 * r.latency.per_hop, 2.67, 0.1);
    assert_near(20 * r.latency.base, 28.68, 0.05);
    assert_near(20 * r.latency.sigma, 2.70, 0.2);
    assert_true(r.healthy && r.latency_only);
    assert_int_equal(topomap_db_calibration_write(&r, scratch_path("costs"), &err), 0);
    text = scratch_slurp(scratch_path("costs"), NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "size=8"));
    assert_non_null(strstr(text, "\nrouter,"));
    free(text);
    topomap_db_calibration_clear(&r);
    /* A cabinet off. */
    assert_int_equal(topomap_db_calibrate(appendix("sick", 2.12, 45.2, 17.3), NULL, &r, &err), 0);
    assert_near(20 * r.latency.sigma, 17.3, 0.3);
    assert_near(20 * r.latency.base, 45.2, 0.25);
    assert_false(r.healthy);
    topomap_db_calibration_clear(&r);
}

/* ---- A made fabric ----------------------------------------------------------------------- */

enum { HOSTS = 16 };

struct fabric {
    topomap_db *db;
    const char *bad[2];        /* ends of the bad cable, or NULL */
    double noise, delay, rate; /* what the bad one adds, us; its MB/s, 0: as the others */
};

static topomap_db *make_fabric(const char *spec)
{
    topomap_db_report report;
    topomap_db *db;
    char *folder = strdup(scratch_path(strchr(spec, ':') + 1)), path[512], file[600];

    for (char *at = folder + strlen(folder); *at != '/'; at--)
        if (*at == ',' || *at == '=')
            *at = '-';
    snprintf(path, sizeof path, "%s.db", folder);
    if (topomap_db_synth(spec, folder, NULL, NULL, NULL, &err) ||
        topomap_db_create(path, &db, &err))
        fail_msg("%s", err.text);
    snprintf(file, sizeof file, "%s/fabric.ibnetdiscover", folder);
    assert_int_equal(topomap_db_import(db, "ibnetdiscover", file, NULL, &report, &err), 0);
    unlink(file);
    snprintf(file, sizeof file, "%s/fabric.lfts", folder);
    assert_int_equal(topomap_db_import(db, "lft", file, NULL, &report, &err), 0);
    unlink(file);
    snprintf(file, sizeof file, "%s/faults.txt", folder);
    unlink(file);
    assert_int_equal(rmdir(folder), 0);
    topomap_db_close(db);
    assert_int_equal(topomap_db_open(path, &db, &err), 0);
    free(folder);
    return db;
}

static int is_switch(const char *name)
{
    return strncmp(name, "node", 4) != 0;
}

/* One way over a route's names: 1 us, 0.1 us and 11,000 MB/s to a host, 0.3 us and 5,000 MB/s
 * between switches. */
static double one_way(const struct fabric *f, const char *a, const char *b, double size)
{
    topomap_db_distance d;
    double us = 1, slowest = 0;
    char *keep, *name, *before = NULL;

    assert_int_equal(topomap_db_distance_between(f->db, a, b, &d, &err), 0);
    for (name = strtok_r(d.route, "\n", &keep); name; name = strtok_r(NULL, "\n", &keep)) {
        if (before) {
            int trunk = is_switch(before) && is_switch(name);
            int bad =
                f->bad[0] && ((strcmp(before, f->bad[0]) == 0 && strcmp(name, f->bad[1]) == 0) ||
                              (strcmp(before, f->bad[1]) == 0 && strcmp(name, f->bad[0]) == 0));
            double byte = bad && f->rate > 0 ? 1 / f->rate : trunk ? 1 / 5000.0 : 1 / 11000.0;

            us += (trunk ? 0.3 : 0.1) + (bad ? f->delay : 0);
            slowest = byte > slowest ? byte : slowest;
        }
        before = name;
    }
    topomap_db_distance_clear(&d);
    return us + size * slowest;
}

static const char *measure(const struct fabric *f, const char *name)
{
    static const double size[] = {0, 8, 512, 4096, 65536, 262144};
    size_t room = 120 * 6 * 80 + 200;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, "kind,from,to,hops,size,latency_us,bandwidth_MBps\n");
    topomap_random random = {3};
    const char *path;

    for (int i = 0; i < HOSTS; i++)
        for (int j = i + 1; j < HOSTS; j++)
            for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
                char a[16], b[16];
                double us;

                snprintf(a, sizeof a, "node%02d", i + 1);
                snprintf(b, sizeof b, "node%02d", j + 1);
                us = (one_way(f, a, b, size[s]) + one_way(f, b, a, size[s])) / 2;
                us *= 1 + f->noise * normal(&random);
                at += (size_t)snprintf(text + at, room - at, "pair,%s,%s,,%.0f,%.9f,\n", a, b,
                                       size[s], us);
            }
    path = scratch_text(name, text);
    free(text);
    return path;
}

/* The base (1 us) cannot be told from two links to hosts: 0.1 + 0.5 us each. */
static void check_fit(const struct fabric *f, const char *name, double share)
{
    topomap_db_calibration r;
    const topomap_db_hop *trunk = NULL, *host = NULL;

    if (topomap_db_calibrate(measure(f, name), f->db, &r, &err))
        fail_msg("%s", err.text);
    assert_int_equal(r.pairs, HOSTS * (HOSTS - 1) / 2);
    assert_int_equal(r.hops, 2);
    for (size_t i = 0; i < r.hops; i++)
        *(strcmp(r.hop[i].name, "4xHDR") == 0 ? &trunk : &host) = &r.hop[i];
    assert_non_null(trunk);
    assert_non_null(host);
    assert_true(trunk->reference && r.bottleneck);
    assert_near(trunk->cost.latency_us, 0.3, share);
    assert_near(host->cost.latency_us, 0.6, share);
    assert_near(1 / trunk->cost.us_per_byte, 5000, share);
    assert_near(1 / host->cost.us_per_byte, 11000, share);
    assert_int_equal(r.distances, 2);
    if (f->bad[0]) {
        assert_int_equal(r.culprits, 1);
        assert_int_equal(r.culprit[0].alternatives, 1);
        assert_non_null(strstr(r.culprit[0].cable, f->bad[0]));
        assert_non_null(strstr(r.culprit[0].cable, f->bad[1]));
        if (f->delay > 0)
            assert_near(r.culprit[0].excess.latency_us, f->delay, 0.1);
        assert_true(r.culprit[0].outliers >= 0.9 * (double)r.culprit[0].pairs);
    } else {
        assert_int_equal(r.culprits, 0);
    }
    topomap_db_calibration_clear(&r);
}

static void a_fabric_of_known_costs(void **state)
{
    struct fabric f = {
        .db = make_fabric("fat-tree:leaves=4,hosts=4,spines=2,links=1,host=EDR,trunk=HDR")};

    (void)state;
    check_fit(&f, "clean", 1e-4);
    f.noise = 0.02;
    check_fit(&f, "noisy", 0.05);
    f.noise = 0;
    f.bad[0] = "leaf01";
    f.bad[1] = "spine02";
    f.delay = 2;
    check_fit(&f, "bad-trunk", 1e-4);
    f.noise = 0.02;
    check_fit(&f, "bad-trunk-noisy", 0.05);
    f.bad[0] = "node07";
    f.bad[1] = "leaf02";
    check_fit(&f, "bad-host", 0.05);
    f.delay = 0;
    f.rate = 1000;
    check_fit(&f, "slow-host", 0.05);
    f.bad[0] = "leaf03";
    f.bad[1] = "spine01";
    check_fit(&f, "slow-trunk", 0.05);
    topomap_db_close(f.db);
}

/* ---- Refusals ---------------------------------------------------------------------------- */

static void bad_files_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"", "measurements"},
        {"pair,a,b,2,8,1\n", "kind,"},
        {"pair,a,b,2,8,1,1,1\n", "kind,"},
        {"pear,a,b,2,8,1,\n", "pair"},
        {"pair,a,a,2,8,1,\n", "with itself"},
        {"pair,a,,2,8,1,\n", "name"},
        {"pair,a,b,2,-8,1,\n", "hops"},
        {"pair,a,b,2,8,nan,\n", "hops"},
        {"pair,a,b,,8,1,\n", "hops"},
    };
    topomap_db_calibration r;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(topomap_db_calibrate(scratch_text("bad", bad[i][0]), NULL, &r, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EINPUT);
        if (!message_has(err.text, bad[i][1]))
            fail_msg("%s", err.text);
    }
    /* As far as any other, whatever the hops: nothing to import. */
    assert_int_equal(
        topomap_db_calibrate(
            scratch_text("flat", "pair,a,b,2,8,1,\npair,a,c,4,8,1,\npair,b,c,6,8,1,\n"), NULL, &r,
            &err),
        0);
    assert_int_equal(topomap_db_calibration_write(&r, scratch_path("none"), &err), -1);
    topomap_db_calibration_clear(&r);
    /* Nodes of one switch: each of the two hops is half. */
    assert_int_equal(topomap_db_calibrate(
                         scratch_text("one", "pair,a,b,2,8,1,\npair,a,c,2,8,1,\npair,b,c,2,8,1,\n"),
                         NULL, &r, &err),
                     0);
    assert_near(r.hop[0].cost.latency_us, 0.5, 1e-9);
    topomap_db_calibration_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_meets_once),
        cmocka_unit_test(a_tournament_by_hand),
        cmocka_unit_test(outliers_do_not_bend_a_line),
        cmocka_unit_test(costs_are_not_negative),
        cmocka_unit_test(columns_that_say_the_same_are_not_told_apart),
        cmocka_unit_test(the_slowest_link_counts),
        cmocka_unit_test(the_appendix),
        cmocka_unit_test(a_fabric_of_known_costs),
        cmocka_unit_test(bad_files_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
