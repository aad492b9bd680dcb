/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives, pipelines, random graphs, the NAS benchmarks, training, refined meshes; and graphs
 * composed of several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "graph/open/open.h"
#include "graph/patterns/patterns.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

/* A model of 2 layers, h = 4, s = 8, V = 10: 560 parameters, 256 of them in the MLPs, and
 * activations of 8*4*2 = 64 bytes; 3 micro-batches a step. */
#define SMALL ",layers=2,hidden=4,seq=8,vocab=10,batches=3"

static const struct graph_known known[] = {
    {"fft:4x8,bytes=1", 32, 4 * 28 + 8 * 6, 2 * (4 * 28 + 8 * 6)},
    {"fft:4x8,bytes=1,second=10", 32, 4 * 28 + 8 * 6, 2 * (4 * 28 + 8 * 6 * 10)},
    {"fft:4x4,volume=1M", 16, 48, 96 * 16384},
    {"fft:1x5", 5, 10, 20 * 64},
    {"alltoall:6,group=6,bytes=2", 6, 15, 60},

    {"grid:4x8,bytes=1", 32, 32 + 8 * 4, 2 * (32 + 8 * 4)},
    {"grid:4x6,rows=butterfly,columns=none,bytes=1", 24, 4 * 7, 8 * 7},
    {"grid:3x8,rows=tree,columns=ring,bytes=1,second=5", 24, 3 * 7 + 24, 2 * (21 + 24 * 5)},
    {"grid:1x2,rows=ring,columns=tree,bytes=1", 2, 1, 4},

    {"tree:8,bytes=1", 8, 7, 14},
    {"tree:8,direction=down,bytes=1", 8, 7, 7},
    {"tree:8,carry=below,direction=down,bytes=1", 8, 7, 1 + 2 + 1 + 4 + 1 + 2 + 1},
    {"tree:6,carry=below,direction=up,bytes=1", 6, 5, 1 + 2 + 1 + 2 + 1},
    {"tree:13,k=3,bytes=1", 13, 12, 24},
    {"tree:13,k=3,carry=below,direction=up,bytes=1", 13, 12, 3 * 4 + 9},
    {"tree:1", 1, 0, 0},
    {"butterfly:8,bytes=1", 8, 12, 24},
    {"butterfly:6,bytes=1", 6, 2 + 4, 12},
    {"butterfly:8,kind=halving,bytes=64", 8, 12, 2 * 4 * (64 + 32 + 16)},
    {"butterfly:5,kind=dissemination,bytes=1", 5, 10, 15},
    {"butterfly:1", 1, 0, 0},
    {"master:512,bytes=1,back=3", 512, 511, 4 * 511},
    {"master:10,masters=2,bytes=1", 10, 9, 18},
    {"master:3,masters=3", 3, 2, 256},
    {"sweep:4x3,bytes=1", 12, 17, 17 * 8},
    {"sweep:4x3,bytes=1,sweeps=1", 12, 17, 17},
    {"sweep:4x3,bytes=1,sweeps=2", 12, 17, 34},
    {"sweep:4x3,bytes=1,sweeps=4", 12, 17, 68},

    {"random:n=1000,deg=6", 1000, 3000, 3000 * 128},
    {"random:10,deg=9,bytes=1", 10, 45, 90},
    {"random:10,deg=7,bytes=1", 10, 35, 70},
    {"random:9,deg=0", 9, 0, 0},
    {"powerlaw:n=1000,deg=8,bytes=1", 1000, 4000, 8000},

    /* p = 8, 162 points: 8*(162/8)^2*7 = 22963.5; 40 of it ahead, 15 of it (rounded) behind. */
    {"nas-bt:64", 64, 192, 64 * 3 * (918540 + 344452)},
    {"nas-bt:4", 4, 6, 4 * 3 * 55 * 8 * 81 * 81},
    {"nas-bt:9,class=S", 9, 27, 9 * 3 * 55 * 8 * 16 * 2},
    {"nas-bt:1", 1, 0, 0},
    {"nas-sp:9,class=S", 9, 27, 9 * 3 * 52 * 8 * 16 * 2},
    /* 4 x 4: two partners in the row, twelve ranks off the diagonal. */
    {"nas-cg:16", 16, 16 + 6, 32 * 8 * (26 * 37500 + 54) + 12 * 8 * 26 * 37500},
    /* 2 x 4: pairs 2-4 and 3-5 are transposed. */
    {"nas-cg:8", 8, 8 + 2, 16 * 8 * (26 * 37500 + 54) + 4 * 8 * 26 * 37500},
    {"nas-cg:1", 1, 0, 0},
    {"nas-ft:64", 64, 64 * 63 / 2, UINT64_C(64) * 63 * 524288},
    {"nas-ft:1024", 1024, 512 + 512 * 511, 1024 * (UINT64_C(1048576) + 511 * 4096)},
    {"nas-is:32", 32, 32 * 31 / 2, 32 * 31 * (4 * 131072 + 4)},
    /* 4 x 2 pencils of 41 x 81: 5 values in 160 planes and 10 in 162. */
    {"nas-lu:8", 8, 6 + 4, 12 * (19360 * 81) + 8 * (19360 * 162 / 4)},
    {"nas-lu:12", 12, 9 + 8, 18 * (19360 * 54) + 16 * (19360 * 162 / 4)},
    {"nas-lu:1", 1, 0, 0},
    /* 4 x 4 x 4 ranks; at two points a side every second one works: 8 more, 12 more edges. Faces
     * of l, l+2: l^2 + l(l+2) + (l+2)^2, three times, both ways, for l = 1 to 128; then 1, 3, 9
     * twice, both ways. */
    {"nas-mg:64", 64, 192 + 12, 64 * 6 * 8 * (65535 + 1530 + 32) + 8 * 4 * 8 * 13},
    {"nas-mg:8,class=S", 8, 12, 8 * 6 * 8 * (3 * 340 + 6 * 30 + 4 * 4) + 8 * 4 * 8 * 13},
    {"nas-mg:1", 1, 0, 0},

    {"parallel:", 1, 0, 0},
    {"parallel:tp=8,pp=8,dp=16", 1024, 1024 + 1024 * 7 / 8 + 1024, UINT64_C(31827321421824)},
    /* 4 all-reduces of 64 bytes for 3 batches of 2 layers; half of twice that. */
    {"parallel:tp=2" SMALL, 2, 1, 2 * 4 * 6 * 64},
    {"parallel:tp=4" SMALL, 4, 4, 4 * 4 * 6 * 64 * 6 / 4},
    {"parallel:tp=4,allreduce=direct" SMALL, 4, 6, 12 * 4 * 6 * 64 * 2 / 4},
    {"parallel:pp=2" SMALL, 2, 1, 2 * 3 * 64},
    {"parallel:pp=4" SMALL, 4, 3, 6 * 3 * 64},
    {"parallel:pp=4,interleave=2" SMALL, 4, 4, 6 * 3 * 64 * 2 + 2 * 3 * 64},
    {"parallel:dp=2" SMALL, 2, 1, 2 * 560 * 4},
    {"parallel:dp=2,zero=1" SMALL, 2, 1, 2 * (560 * 4 + 560 * 2) / 2},
    {"parallel:dp=2,zero=2" SMALL, 2, 1, 2 * (560 * 4 + 560 * 2) / 2},
    {"parallel:dp=2,zero=3" SMALL, 2, 1, 2 * (560 * 4 + 6 * 560 * 2) / 2},
    {"parallel:dp=4,gradient=2" SMALL, 4, 4, 4 * 560 * 2 * 6 / 4},
    /* Keys and values of 32 bytes of activations, and the gradients among two. */
    {"parallel:cp=2" SMALL, 2, 1, 2 * (6 * 6 * 32 + 560 * 4)},
    {"parallel:cp=2,kv=0.25" SMALL, 2, 1, 2 * (6 * 6 * 32 / 4 + 560 * 4)},
    /* 4 all-to-alls of 2 copies, a half each; 304 parameters are no expert's. */
    {"parallel:dp=2,ep=2" SMALL, 2, 1, 2 * (4 * 6 * 2 * 64 / 2 + 304 * 4)},
    /* 8 experts on 2 ranks, each held twice: 4*256 parameters, over two ranks. */
    {"parallel:dp=4,ep=2,experts=8" SMALL, 4, 2 + 4 + 2 - 2,
     4 * (4 * 6 * 2 * 64 / 2) + 4 * 304 * 4 * 6 / 4 + 4 * 1024 * 4},

    {"amr:levels=0,bytes=1", 512, 3 * 448, 6 * 448},
    {"amr:4x3,levels=0,bytes=1", 12, 17, 34},
    {"amr:2x2x2,levels=0,bytes=1", 8, 12, 24},
    {"amr:1x1,levels=1,bytes=1", 4, 4, 8},
    {"amr:2x2,levels=2,radius=2,n=4,bytes=1", 4, 4, 8},
};

static void test_known(void **state)
{
    (void)state;
    graph_known_all(known, sizeof known / sizeof *known);
}

static void has(const topomap_graph *graph, uint32_t u, const char *targets)
{
    char text[200] = "";
    size_t used = 0;

    for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", used ? " " : "",
                                 graph->target[i]);
    assert_string_equal(text, targets);
}

/* One rank's neighbours, by the published rules. */
static void test_neighbours(void **state)
{
    static const struct {
        const char *pattern;
        uint32_t rank;
        const char *targets;
    } rows[] = {
        {"tree:8", 0, "1 2 4"},
        {"tree:8", 4, "0 5 6"},
        {"tree:8", 7, "6"},
        {"tree:13,k=3", 1, "0 4 5 6"},
        {"tree:8,root=3", 3, "4 5 7"},
        {"tree:8,root=3", 7, "0 1 3"},
        {"butterfly:8", 5, "1 4 7"},
        {"butterfly:6", 0, "1"},
        {"butterfly:6", 1, "0 3 4"},
        {"butterfly:6", 5, "3 4"},
        {"butterfly:5,kind=dissemination", 4, "0 1 3"},
        {"master:10,masters=2", 0, "1 2 3 4 5"},
        {"master:10,masters=2", 1, "0 6 7 8 9"},
        {"sweep:4x3,sweeps=1", 0, "1 4"},
        {"sweep:4x3,sweeps=1,order=row", 0, "1 3"},
        {"sweep:4x3,sweeps=1", 11, ""},
        {"grid:2x5", 0, "1 4 5"},
        {"grid:2x5,order=column", 0, "1 2 8"},
        {"grid:8x1,columns=tree", 4, "0 5 6"},
        {"fft:2x3", 0, "1 2 3"},
        {"fft:2x3,order=column", 0, "1 2 4"},
        /* p = 4, (1, 1): one on in x, y, and the anti-diagonal. */
        {"nas-bt:16", 5, "1 2 4 6 8 9"},
        {"nas-sp:16", 0, "1 3 4 7 12 13"},
        {"nas-cg:16", 6, "4 7 9"},
        {"nas-cg:8", 2, "0 3 4"},
        {"nas-cg:32", 9, "3 8 11 13"},
        {"nas-lu:8", 1, "0 2 5"},
        /* 2 x 4 x 4; class S: 32 points, at two every second rank. */
        {"nas-mg:32,class=S", 31, "7 15 23 25 27 29 30"},
        {"nas-mg:32,class=S", 0, "1 2 6 8 24"},
        /* tp fastest, then cp, dp, pp. */
        {"parallel:tp=2,dp=2,pp=2", 0, "1 2 4"},
        {"parallel:tp=2,dp=2,pp=2,order=tp-cp-pp-dp", 0, "1 2 4"},
        {"parallel:tp=2,dp=3,pp=5,order=megatron", 0, "1 2 6"},
        {"parallel:tp=2,dp=3,pp=5,order=tp-cp-ep-dp-pp", 0, "1 2 6"},
        {"parallel:tp=2,dp=3,pp=5,order=deepspeed", 0, "1 2 6"},
        {"parallel:tp=2,dp=3,pp=5,order=tp-cp-ep-pp-dp", 0, "1 2 10"},
        {"parallel:tp=2,dp=3,pp=5,order=pp-dp-cp-tp", 0, "1 5 15"},
        {"parallel:cp=2,dp=4,ep=4", 0, "1 2 3 4"},
        {"parallel:tp=2,dp=3,pp=5,order=TP-DP-PP", 0, "1 2 6"},
        {"parallel:tp=2,dp=3,pp=5,order=torchtitan", 0, "1 2 6"},
        {"parallel:tp=2,dp=3,pp=5,order=use-tp-pp-dp-mapping", 0, "1 2 10"},
        /* Experts: by Megatron's RankGenerator, tp 1, ep 2 apart, stages behind them. */
        {"parallel:tp=2,dp=4,pp=2,ep=4", 0, "1 2 4 6 8"},
        {"parallel:tp=2,cp=2,dp=3,pp=2,ep=2,order=tp-cp-ep-pp-dp", 0, "1 2 4 8"},
        {"parallel:dp=4,ep=2,order=tp-dp-ep-pp", 0, "1 2"},
        /* Experts that are not divided: ranks next to each other hold different ones. */
        {"parallel:tp=2,dp=4,ep=4,etp=1", 0, "1 2 3 4"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_graph *graph = graph_good(rows[i].pattern, NULL);

        print_message("# %s\n", rows[i].pattern);
        has(graph, rows[i].rank, rows[i].targets);
        topomap_graph_free(graph);
    }
}

/* Who is in the group of a rank, by Megatron's RankGenerator; every group is of the same size. */
static void test_groups(void **state)
{
    static const struct {
        const char *pattern, *kind;
        uint32_t rank;
        const char *members;
    } rows[] = {
        {"parallel:tp=2,cp=2,dp=3,pp=2", "tp", 5, "4 5"},
        {"parallel:tp=2,cp=2,dp=3,pp=2", "cp", 5, "5 7"},
        {"parallel:tp=2,cp=2,dp=3,pp=2", "dp", 5, "1 5 9"},
        {"parallel:tp=2,cp=2,dp=3,pp=2", "pp", 5, "5 17"},
        {"parallel:tp=2,cp=2,dp=3,pp=2", "ep", 5, "5"},
        {"parallel:tp=2,dp=4,pp=2,ep=2", "ep", 13, "13 15"},
        {"parallel:tp=2,cp=2,dp=3,pp=2,ep=2,order=tp-cp-ep-pp-dp", "ep", 9, "9 11"},
        {"parallel:tp=2,dp=4,ep=4,etp=1", "ep", 6, "4 5 6 7"},
        /* Taken from cp and dp, where the order does not name it. */
        {"parallel:tp=2,cp=2,dp=4,ep=4,order=deepspeed", "ep", 11, "9 11 13 15"},
        {"parallel:tp=2,cp=2,dp=4,ep=4,pp=2,order=tp-cp-pp-dp", "ep", 25, "17 19 25 27"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_graph *graph = graph_good(rows[i].pattern, NULL);
        uint32_t *group = calloc(graph->ranks, sizeof *group), groups, size, there = 0;
        char text[200] = "";
        topomap_error err;

        print_message("# %s of %s\n", rows[i].kind, rows[i].pattern);
        assert_int_equal(topomap_graph_groups(graph, rows[i].kind, group, &groups, &size, &err), 0);
        assert_int_equal(groups * size, graph->ranks);
        for (uint32_t r = 0; r < graph->ranks; r++) {
            assert_true(group[r] < graph->ranks);
            if (group[r] != group[rows[i].rank])
                continue;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", there++ ? " " : "",
                     r);
        }
        assert_string_equal(text, rows[i].members);
        assert_int_equal(there, size);
        free(group);
        topomap_graph_free(graph);
    }
}

/* The same pairs as in the public instance. */
static void test_instances(void **state)
{
    topomap_graph *file, *made;

    (void)state;
    file = graph_good(graph_instance("d_fftpencil_32x64_nat.graph"), NULL);
    made = graph_good("fft:32x64,bytes=32", NULL);
    assert_int_equal(made->arcs, file->arcs);
    assert_memory_equal(made->target, file->target, made->arcs * sizeof *made->target);
    topomap_graph_free(file);
    topomap_graph_free(made);
}

/* ---- Random -------------------------------------------------------------------------------- */

static void test_random(void **state)
{
    static const char *const pattern[] = {"random:n=500,deg=6,spread=0.5",
                                          "powerlaw:n=500,deg=6,spread=0.5", "amr:6x6,levels=2"};
    char other[80];

    (void)state;
    for (int i = 0; i < 3; i++) {
        topomap_graph *a = graph_good(pattern[i], NULL), *b = graph_good(pattern[i], NULL), *c;

        snprintf(other, sizeof other, "%s,seed=5", pattern[i]);
        c = graph_good(other, NULL);
        graph_same(a, b, 0, 0);
        assert_true(a->arcs != c->arcs || memcmp(a->target, c->target, a->arcs * 4) != 0);
        for (uint64_t k = 0; i < 2 && k < a->arcs; k++)
            assert_true(a->bytes[k] >= 32 && a->bytes[k] <= 96);
        topomap_graph_free(a);
        topomap_graph_free(b);
        topomap_graph_free(c);
    }
}

/* Ranks with at least d neighbours fall as d^-(G-1): at G = 2.5, to 1/8 from one d to four times
 * that. */
static void test_powerlaw(void **state)
{
    topomap_graph *graph = graph_good("powerlaw:n=20000,deg=8,exponent=2.5", NULL);
    uint32_t over[2] = {0, 0}, most = 0;

    (void)state;
    for (uint32_t u = 0; u < graph->ranks; u++) {
        uint32_t degree = (uint32_t)(graph->offset[u + 1] - graph->offset[u]);

        over[0] += degree >= 12;
        over[1] += degree >= 48;
        most = degree > most ? degree : most;
    }
    assert_true(most > 100);
    assert_true(over[0] >= 5 * over[1] && over[0] <= 12 * over[1]);
    topomap_graph_free(graph);
}

/* ---- Refined meshes ------------------------------------------------------------------------ */

/* All blocks touch others; runs along the curve are as long as each other. */
static void test_amr(void **state)
{
    topomap_graph *fine = graph_good("amr:8x8x8,levels=2,bytes=1", NULL);
    topomap_graph *runs = graph_good("amr:8x8x8,levels=2,bytes=1,n=37,subcycle", NULL);
    uint64_t most = 0, least = UINT64_MAX;

    (void)state;
    for (uint32_t u = 0; u < fine->ranks; u++) /* six faces, each with at most four neighbours */
        assert_true(fine->offset[u + 1] >= fine->offset[u] + 3 &&
                    fine->offset[u + 1] <= fine->offset[u] + 24);
    assert_true(fine->ranks > 512 && fine->ranks < 8 * 8 * 512);
    assert_null(fine->load);
    assert_int_equal(runs->ranks, 37);
    for (uint32_t u = 0; u < 37; u++) {
        most = runs->load[u] > most ? runs->load[u] : most;
        least = runs->load[u] < least ? runs->load[u] : least;
    }
    assert_true(most - least <= 2 * 4);
    topomap_graph_free(fine);
    topomap_graph_free(runs);
}

/* ---- Several graphs -------------------------------------------------------------------------- */

static void same(const char *one, const char *other)
{
    topomap_graph *a = graph_good(one, NULL), *b = graph_good(other, NULL);

    print_message("# %s = %s\n", one, other);
    graph_same(a, b, 0, 1);
    assert_int_equal(a->phases, b->phases);
    for (uint32_t k = 0; k < a->phases; k++)
        graph_same(a->phase[k], b->phase[k], 0, 0);
    topomap_graph_free(a);
    topomap_graph_free(b);
}

static void test_sum(void **state)
{
    topomap_graph *graph;

    (void)state;
    same("sum(ring:6)", "ring:6");
    same("sum(ring:6,bytes=10,ring:6,bytes=5)", "ring:6,bytes=15");
    same("sum(ring:6,bytes=10,0.5*ring:6,bytes=10)", "ring:6,bytes=15");
    same("sum(3*ring:6,bytes=10)", "ring:6,bytes=30");
    same("sum(0.001*ring:6,bytes=10)", "ring:6,bytes=1");
    same("sum(sum(ring:6,bytes=1,ring:6,bytes=2),ring:6,bytes=4)", "ring:6,bytes=7");
    same("sum(stencil2d:5:4x4,bytes=x:64,y:32,periodic,ring:16)",
         "sum(ring:16,stencil2d:5:4x4,periodic,bytes=x:64,y:32)");
    graph = graph_good("sum(ring:4,chain:9)", NULL); /* the smaller one has the first ranks */
    assert_int_equal(graph->ranks, 9);
    assert_int_equal(graph->pairs, 9);
    assert_int_equal(graph_arc(graph, 0, 1), 128);
    assert_int_equal(graph_arc(graph, 3, 0), 64);
    topomap_graph_free(graph);
}

static void test_phases(void **state)
{
    topomap_graph *graph = graph_good("phases(ring:5,bytes=1,2*alltoall:5,bytes=1)", NULL);

    (void)state;
    assert_int_equal(graph->phases, 2);
    assert_int_equal(graph->total_bytes, 10 + 40);
    assert_int_equal(graph->phase[0]->total_bytes, 10);
    assert_int_equal(graph->phase[1]->total_bytes, 40);
    assert_int_equal(graph_arc(graph, 0, 1), 3);
    topomap_graph_free(graph);
    same("phases(phases(ring:5,chain:5),ring:5)", "phases(ring:5,chain:5,ring:5)");
    same("sum(phases(ring:5,chain:5),chain:5)", "phases(sum(ring:5,chain:5),chain:5)");
    same("blocks(phases(ring:5,chain:5),2)", "phases(blocks(ring:5,2),blocks(chain:5,2))");
    graph = graph_good("fft:4x2,phases", NULL);
    assert_int_equal(graph->phases, 2);
    assert_int_equal(graph->phase[0]->pairs, 4);
    assert_int_equal(graph->phase[1]->pairs, 12);
    topomap_graph_free(graph);
    graph = graph_good("parallel:tp=2,pp=2,dp=2,cp=2,phases", NULL);
    assert_int_equal(graph->phases, 5);
    assert_int_equal(graph->phase[0]->pairs, 8);
    assert_int_equal(graph->phase[1]->pairs, 8);
    assert_int_equal(graph->phase[2]->pairs, 0);
    assert_int_equal(graph->phase[3]->pairs, 8);
    assert_int_equal(graph->phase[4]->pairs, 16);
    topomap_graph_free(graph);
}

static void test_blocks(void **state)
{
    topomap_graph *graph;

    (void)state;
    same("grid:4x8,rows=alltoall,columns=alltoall,second=9,phases", "fft:4x8,second=9,phases");
    same("blocks(alltoall:4,5)", "alltoall:20,group=4");
    same("blocks(ring:4,ring:4,ring:4)", "blocks(ring:4,3)");
    same("blocks(ring:4)", "ring:4");
    graph = graph_good("blocks(ring:4,2*chain:6,bytes=5)", NULL);
    assert_int_equal(graph->ranks, 10);
    assert_int_equal(graph->pairs, 9);
    assert_int_equal(graph_arc(graph, 4, 5), 10);
    assert_true(graph_arc(graph, 3, 4) == UINT64_MAX);
    topomap_graph_free(graph);
    /* Shares of quarters and sixths overlap by one or two twelfths of 1200. */
    graph = graph_good("blocks(ring:4,ring:6,couple=1200)", NULL);
    assert_int_equal(graph->pairs, 4 + 6 + 8);
    assert_int_equal(graph_arc(graph, 0, 4), 200);
    assert_int_equal(graph_arc(graph, 0, 5), 100);
    assert_int_equal(graph_arc(graph, 1, 5), 100);
    assert_int_equal(graph_arc(graph, 9, 3), 200);
    topomap_graph_free(graph);
    graph = graph_good("blocks(ring:3,3,couple=300)", NULL);
    assert_int_equal(graph->pairs, 9 + 6);
    assert_int_equal(graph_arc(graph, 5, 8), 100);
    topomap_graph_free(graph);
}

/* Files stand where patterns do; loads and messages go along. */
static void test_files(void **state)
{
    char text[600];
    const char *edges = scratch_text("a.csv", "from,to,bytes,messages\n0,1,100,4\n1,2,10,1\n");
    char first[200];
    topomap_graph *graph;
    uint64_t messages;

    (void)state;
    snprintf(first, sizeof first, "%s", edges);
    snprintf(text, sizeof text, "blocks(%s,0.5*%s)", first, first);
    graph = graph_good(text, NULL);
    assert_int_equal(graph->ranks, 6);
    assert_int_equal(graph_arc(graph, 0, 1), 100);
    assert_int_equal(graph_arc(graph, 3, 4), 50);
    assert_int_equal(graph_arc(graph, 4, 5), 5);
    assert_true(topomap_graph_messages(graph, &messages));
    assert_int_equal(messages, 5 + 3);
    topomap_graph_free(graph);
    snprintf(text, sizeof text, "sum(%s,ring:3)", first);
    graph = graph_good(text, NULL);
    assert_int_equal(topomap_graph_messages(graph, &messages), 0);
    assert_int_equal(graph_arc(graph, 0, 1), 164);
    topomap_graph_free(graph);
    graph = graph_good("blocks(amr:4x4,levels=1,n=5,subcycle,ring:2)", NULL);
    assert_true(graph->load[0] > 1);
    assert_int_equal(graph->load[6], 1);
    topomap_graph_free(graph);
}

static void refused(const char *pattern, const char *part)
{
    graph_bad(pattern, NULL, TOPOMAP_EUSAGE, part);
}

static void test_refused(void **state)
{
    (void)state;
    refused("sum()", "character 5|`)`|pattern");
    refused("sum(ring:4", "`)`");
    refused("sum(ring:4)x", "character 12|`x`");
    refused("sum(ring:4,,ring:4)", "character 12|`,ring:4)`|pattern");
    refused("sum(ring:4,rang:4)", "character 12|`rang:4)`|ring");
    refused("sum(ring:4,bites=4)", "character 12|`bites=4)`|ring");
    refused("sum(0*ring:4)", "factor|0");
    refused("sum(-1*ring:4)", "factor|0");
    refused("sum(1e30*ring:4)", "factor|0");
    refused("sum(1e18*ring:4)", "2^63");
    refused("sum(ring:4,3)", "file|pattern");
    refused("blocks(ring:4,0)", "often");
    refused("blocks(ring:4,2,3)", "often|once");
    refused("blocks(ring:4,ring:4,3)", "graphs");
    refused("blocks(ring:4,99999999999)", "30000000");
    refused("blocks(alltoall:10000,1000)", "30000000");
    refused("blocks(ring:4,2,couple=x)", "couple=|bytes");
    refused("sum(sum(sum(sum(sum(sum(sum(sum(sum(ring:4)))))))))", "8 compositions");
    refused("tree:5,root=5", "root=5 of 5 ranks");
    refused("master:2,masters=3", "3 masters among 2 ranks");
    refused("random:10,deg=10", "10 neighbours among 10 ranks");
    refused("random:n=2e9,deg=8", "30000000");
    refused("powerlaw:100,deg=30", "power");
    refused("nas-bt:8", "square");
    refused("nas-bt:25,class=S", "3 points");
    refused("nas-cg:12", "power");
    refused("nas-cg:1048576", "1048576 ranks|30000000");
    refused("nas-ft:65536", "65536 ranks|30000000");
    refused("product:copies=2147483648", "2147483648 ranks|30000000");
    refused("sum(alltoall:4000,alltoall:4000)", "30000000");
    refused("nas-ft:12", "power");
    refused("nas-is:12,class=F", "class= takes S|W|A|B|C|D|E");
    refused("nas-lu:7", "product");
    refused("nas-mg:12", "power");
    refused("nas-mg:131072,class=S", "points");
    refused("parallel:tp=2,ep=3", "ep=3|cp*dp|1");
    refused("parallel:tp=2,cp=2,order=pp-tp-dp", "named");
    refused("parallel:tp=2,order=pp-tp-dp-tp", "order=|megatron");
    refused("parallel:tp=2,order=", "order=|megatron");
    refused("parallel:tp=2,dp=4,pp=2,ep=4,order=tp-ep-pp-dp", "experts");
    refused("parallel:tp=2,dp=4,ep=4,etp=4", "ep*etp|tp*cp*dp");
    refused("parallel:tp=65536,pp=65536", "30000000");
    refused("parallel:dp=1M,allreduce=direct", "30000000");
    refused("amr:8", "dimension");
    refused("amr:4096x4096,levels=8", "30000000");
    refused("amr:2x2,levels=0,n=5", "n=5|4");
    refused("fft:65536x65536", "30000000");
}

/* The planner has a use for as many ranks as the step has tasks. */
static void test_within(void **state)
{
    static const char *const large[] = {"ring:101", "sum(ring:4,stencil3d:7:1000x1000x100)",
                                        "parallel:dp=101", "delaunay:101"};
    topomap_graph *graph;
    topomap_error err;

    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(topomap_graph_open(large[i], 100, NULL, NULL, NULL, &graph, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EUSAGE);
        assert_message(err.text, "100");
    }
    assert_int_equal(topomap_graph_open("ring:100", 100, NULL, NULL, NULL, &graph, &err), 0);
    topomap_graph_free(graph);
    assert_int_equal(
        topomap_graph_open(scratch_text("w.csv", "0,500,1\n"), 100, NULL, NULL, NULL, &graph, &err),
        0);
    assert_int_equal(graph->ranks, 501);
    topomap_graph_free(graph);
}

/* Every pattern of the table is tried here or in the other files; and with nothing, or nonsense,
 * behind its name it is refused or made, but nothing else. */
static void test_bare(void **state)
{
    static const char *const tails[] = {
        "",   ":",  ":0",  ":1", ":2", ":3x3", ":5:3x3", ":n=4,seed=0", ":4,bytes=1e400",
        ":x", ":,", ":4,,"};
    const topomap_pattern *row;
    char text[100];

    (void)state;
    for (size_t i = 0; (row = topomap_pattern_at(i)); i++)
        for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
            topomap_graph *graph;
            topomap_error err;

            snprintf(text, sizeof text, "%s%s", row->row.name, tails[k]);
            if (!topomap_graph_generate(text, &graph, &err)) {
                graph_sound(graph);
                topomap_graph_free(graph);
            } else {
                assert_int_equal(err.code, TOPOMAP_EUSAGE);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),  cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_groups), cmocka_unit_test(test_instances),
        cmocka_unit_test(test_random), cmocka_unit_test(test_powerlaw),
        cmocka_unit_test(test_amr),    cmocka_unit_test(test_sum),
        cmocka_unit_test(test_phases), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bare),   cmocka_unit_test(test_within),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
