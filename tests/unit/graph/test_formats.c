/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers and writers of graph files on good, damaged and hostile input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/graph/graphs.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"

/* One small graph in every format: 0-1 weighs 5, 0-2 weighs 8, rank 3 is alone. */
static const char metis_text[] = "% small\n4 2 001\n2 5 3 8\n1 5\n1 8\n\n";
static const char edges_text[] = "# ranks 4\nfrom,to,bytes\n0,1,3\n0,2,4\n1,0,2\n2,0,4\n";
static const char matrix_text[] = "%%MatrixMarket matrix coordinate integer general\n% small\n"
                                  "4 4 5\n1 2 3\n1 3 4\n2 1 2\n2 2 99\n3 1 4\n";
static const char json_text[] = "{\"ranks\": 4, \"arcs\": [[0,1,3],\n[0,2,4],[1,0,2],\n[2,0,4]]}\n";

static const char scotch_text[] = "0\n4 4\n0 010\n2 5 1 8 2\n1 5 0\n1 8 0\n0\n";
static const char treematch_text[] = "0 3 4 0 \n2 0 0 0 \n4 0 0 0 \n0 0 0 0 \n";
static const char monitoring_text[] =
    "# POINT TO POINT\nE\t0\t1\t3 bytes\t0 msgs sent\nE\t0\t2\t4 bytes\t0 msgs sent\t0,0,1\n"
    "E\t1\t0\t2 bytes\t0 msgs sent\nI\t2\t0\t4 bytes\t0 msgs sent\n# COLLECTIVES\n"
    "D\tMPI COMM WORLD\tprocs: 0,1,2,3\nA2A\t0\t9 bytes\t1 msgs sent\n"
    "C\t3\t0\t9 bytes\t1 msgs sent\n";
static const char mpip_text[] =
    "@ mpiP\n@ MPI Task Assignment      : 3 node\n------- Start Communication Matrix ------\n\n"
    "Statistics of rank: 0\nSource\tTarget\tTotal Amount\tTotal Count\n0\t0\t7\t0\n0\t1\t3\t0\n"
    "0\t2\t4\t0\n0\t3\t0\t0\n1\t0\t2\t0\n2\t0\t4\t0\n------- End Communication Matrix ------\n";

/* Sends of bytes: three of the small graph's numbers in one communicator of four. */
#define NCCL_INIT(r)                                                                               \
    "n:1" r ":7 [" r "] NCCL INFO comm 0xa rank " r " nranks 4 cudaDev " r                         \
    " busId 1 commId 0x5 - Init COMPLETE\n"
#define NCCL_SEND(r, n, to)                                                                        \
    "n:1" r ":7 [" r "] NCCL INFO Send: opCount 0 sendbuff 0x1 recvbuff (nil) count " n            \
    " datatype 0 op 0 root " to " comm 0xa [nranks=4] stream 0x2\n"
static const char nccl_text[] =
    NCCL_INIT("0") NCCL_INIT("1") NCCL_INIT("2") NCCL_INIT("3") NCCL_SEND("0", "3", "1")
        NCCL_SEND("0", "4", "2") NCCL_SEND("1", "2", "0") NCCL_SEND("2", "4", "0");
/* Rank 0's part. */
#define TORCH_CALL(values, op, bytes, group)                                                       \
    "{\"name\": \"record_param_comms\", \"inputs\": {\"values\": [[7,true],[\"0\",\"d\"]," values  \
    "]}, \"attrs\": [{\"name\": \"collective_name\", \"value\": \"" op                             \
    "\"}, {\"name\": \"dtype\", \"value\": \"Byte\"}, {\"name\": \"in_msg_nelems\", "              \
    "\"value\": " bytes "}, {\"name\": \"pg_name\", \"value\": \"" group "\"}"
static const char torch_text[] =
    "{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": [\n{\"name\": \"## process_group:init ##\", "
    "\"inputs\": {\"values\": [\"[{\\\"pg_name\\\": \\\"0\\\", \\\"ranks\\\": [], "
    "\\\"group_size\\\": 4}]\"]}},\n" TORCH_CALL("1,\"send\"", "send", "3", "0") "]},\n" TORCH_CALL(
        "2,\"send\"", "send", "4",
        "0") "]},\n" TORCH_CALL("0", "allreduce", "1",
                                "one") ", {\"name\": \"pg_size\", \"value\": 1}, {\"name\": "
                                       "\"global_rank_stride\", \"value\": "
                                       "1}]}]}\n";

enum {
    UNDIRECTED = 1,
    MESSAGES = 2,
    READ_ONLY = 4,
    BINARY = 8,
    LAST_LINE = 16,
    FIRST = 32, /* only rank 0's */
};
static struct {
    const char *format, *suffix, *text;
    size_t size, slack; /* so many prefixes at most are files, too */
    int is;
} small[] = {
    {"tmg", "tmg", NULL, 0, 0, BINARY}, /* by small_setup */
    {"metis", "graph", metis_text, sizeof metis_text - 1, 4, UNDIRECTED | LAST_LINE},
    {"edges", "csv", edges_text, sizeof edges_text - 1, 35, 0},
    {"matrix-market", "mtx", matrix_text, sizeof matrix_text - 1, 4, 0},
    {"json", "json", json_text, sizeof json_text - 1, 4, 0},
    {"scotch", "grf", scotch_text, sizeof scotch_text - 1, 4, UNDIRECTED},
    {"treematch", "mat", treematch_text, sizeof treematch_text - 1, 4, 0},
    {"ompi-monitoring", "prof", monitoring_text, sizeof monitoring_text - 1, 120, 0},
    {"mpip", "mpiP", mpip_text, sizeof mpip_text - 1, 20, MESSAGES | READ_ONLY},
    {"nccl-log", "log", nccl_text, sizeof nccl_text - 1, sizeof nccl_text, READ_ONLY},
    {"torch-trace", "json", torch_text, sizeof torch_text - 1, 4, READ_ONLY | MESSAGES | FIRST},
};
enum { SMALL = sizeof small / sizeof *small };

static topomap_graph *small_graph_as(int is)
{
    static const uint32_t from[] = {0, 0, 1, 2}, to[] = {1, 2, 0, 0};
    static const uint64_t bytes[] = {3, 4, 2, 4};
    topomap_graph *graph = NULL;

    assert_int_equal(topomap_graph_new(4, is & FIRST ? 2 : 4, from, to, bytes, NULL, &graph, NULL),
                     0);
    return graph;
}

static topomap_graph *small_graph(void)
{
    return small_graph_as(0);
}

static char *small_tmg;

static int small_setup(void **state)
{
    topomap_graph *graph;
    int failed = scratch_setup(state);

    if (failed)
        return failed;
    graph = small_graph();
    failed = topomap_graph_write(graph, scratch_path("small.tmg"), NULL, NULL);
    topomap_graph_free(graph);
    small_tmg = scratch_slurp(scratch_path("small.tmg"), &small[0].size);
    small[0].text = small_tmg;
    return failed || !small_tmg;
}

static int small_teardown(void **state)
{
    free(small_tmg);
    return scratch_teardown(state);
}

/* Each format has a small file above, so that none escapes these tests. */
static void test_all_formats(void **state)
{
    const topomap_graph_format *row;
    size_t i;

    (void)state;
    for (i = 0; (row = topomap_graph_format_row(i)); i++) {
        assert_true(i < SMALL);
        assert_string_equal(row->name, small[i].format);
        assert_non_null(row->help);
        assert_non_null(strstr(row->suffix, small[i].suffix));
    }
    assert_int_equal(i, SMALL);
}

/* By content under any name, by name, by the format's word; plain, packed, with CRLF, without a
 * final newline. */
static void test_good(void **state)
{
    (void)state;
    for (int i = 0; i < SMALL; i++) {
        topomap_graph *expected = small_graph_as(small[i].is);
        const char *text = small[i].text;
        size_t size = small[i].size, used = 0;
        char crlf[1600], any[40];
        const char *paths[6];

        for (size_t k = 0; k < size; k++) {
            if (text[k] == '\n' && !(small[i].is & BINARY))
                crlf[used++] = '\r';
            crlf[used++] = text[k];
        }
        snprintf(any, sizeof any, "x.%s", small[i].suffix);
        paths[0] = scratch_write("any", text, size);
        paths[1] = scratch_write("crlf", crlf, used);
        paths[2] = scratch_xz("any.xz", text, size);
        paths[3] = scratch_zstd("any.zst", text, size);
        paths[4] = scratch_write("cut", text, small[i].is & (BINARY | LAST_LINE) ? size : size - 1);
        paths[5] = scratch_write(any, text, size);
        for (int k = 0; k < 6; k++) {
            topomap_graph *graph = graph_good(paths[k], k % 2 ? small[i].format : NULL);

            graph_same(graph, expected, !(small[i].is & MESSAGES), 1);
            topomap_graph_free(graph);
            graph = graph_good(paths[k], NULL);
            graph_same(graph, expected, !(small[i].is & MESSAGES), 1);
            topomap_graph_free(graph);
        }
        topomap_graph_free(expected);
    }
}

/* Every prefix of a good file is refused, or (where a number or line is cut so that the rest still
 * reads) gives a sound graph; the sanitizers see what else could go wrong. */
static void test_truncated(void **state)
{
    (void)state;
    for (int i = 0; i < SMALL; i++) {
        size_t size = small[i].size, refused = 0;

        for (size_t cut = 0; cut < size; cut++) {
            const char *path = scratch_write("cut", small[i].text, cut);
            topomap_graph *graph = NULL;
            topomap_error err;

            if (!topomap_graph_read(path, small[i].format, &graph, &err)) {
                graph_sound(graph);
                topomap_graph_free(graph);
                continue;
            }
            assert_int_equal(err.code, TOPOMAP_EINPUT);
            assert_ptr_equal(strstr(err.text, path), err.text);
            refused++;
        }
        /* An edge list is one line after the other: most prefixes are edge lists. */
        assert_true(refused + small[i].slack >= size);
    }
}

static void test_hostile_bytes(void **state)
{
    static const unsigned char elf[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 10, 0, 0, 0};
    char noise[4000];

    (void)state;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(i * 2654435761u >> 13);
    for (int i = 0; i < SMALL; i++) {
        char name[32];

        snprintf(name, sizeof name, "binary.%s", small[i].suffix);
        graph_bad(scratch_write(name, elf, sizeof elf), NULL, TOPOMAP_EINPUT, name);
        graph_bad(scratch_write(name, elf, sizeof elf), small[i].format, TOPOMAP_EINPUT, name);
        graph_bad(scratch_write(name, noise, sizeof noise), small[i].format, TOPOMAP_EINPUT, name);
        graph_bad(scratch_text("empty", ""), small[i].format, TOPOMAP_EINPUT, "empty");
        graph_bad(scratch_text("blank", "\n \n\n"), small[i].format, TOPOMAP_EINPUT, "blank");
    }
    graph_bad(scratch_text("empty", ""), NULL, TOPOMAP_EINPUT, "empty");
    graph_bad(scratch_write("elf", elf, sizeof elf), NULL, TOPOMAP_EINPUT, "program");
    graph_bad(scratch_text("prose", "Dear reader,\nthis is text\n"), NULL, TOPOMAP_EINPUT,
              "not recognised");
    graph_bad(scratch_text("rows", "0 1 2 3 4 \n5 6 7 8 9 \n"), NULL, TOPOMAP_EINPUT,
              "not recognised");
    graph_bad(scratch_text("any", metis_text), "metiss", TOPOMAP_EUSAGE, "metiss");
}

/* Each byte of each small file replaced by others: no crash, and what is accepted is sound. */
static void test_damaged(void **state)
{
    static const char others[] = "0 9-\n,%x.\"[";

    (void)state;
    for (int i = 0; i < SMALL; i++) {
        size_t size = small[i].size;
        char text[1600];

        for (size_t at = 0; at < size; at++)
            for (const char *other = others; *other; other++) {
                topomap_graph *graph = NULL;

                memcpy(text, small[i].text, size);
                text[at] = *other;
                if (!topomap_graph_read(scratch_write("x", text, size), small[i].format, &graph,
                                        NULL))
                    graph_sound(graph);
                topomap_graph_free(graph);
            }
    }
}

/* One GiB of address space, or what there was. AddressSanitizer itself needs terabytes. */
static void limit_memory(int on)
{
#ifndef __SANITIZE_ADDRESS__
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = on ? (rlim_t)1 << 30 : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
#else
    (void)on;
#endif
}

/* Headers that promise more than the file can hold fail before memory is asked for; the limit on
 * address space makes sure. Packed files vouch for nothing and must fail as well. */
static void test_huge_counts(void **state)
{
    static const struct {
        const char *suffix, *text;
    } huge[] = {
        {"graph", "2000000000 4000000000\n2\n1\n"},
        {"graph", "2147483648 9223372036854775807 001\n2 1\n"},
        {"graph", "5 9223372036854775807\n2\n1\n"},
        {"graph", "4294967297 1\n2\n1\n"},
        {"csv", "# ranks 2000000000\n0,1,1\n"},
        {"csv", "0,2000000000,1\n"},
        {"csv", "0,99999999999,1\n"},
        {"mtx", "%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 "
                "9000000000000000000\n1 2\n"},
        {"mtx", "%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 2\n"},
        {"mtx", "%%MatrixMarket matrix array integer general\n2000000000 2000000000\n1\n"},
        {"mtx", "%%MatrixMarket matrix array integer symmetric\n2147483648 2147483648\n1\n"},
        {"json", "{\"ranks\":2000000000,\"arcs\":[[0,1,1]]}"},
        {"json", "{\"ranks\":99999999999999999999,\"arcs\":[[0,1,1]]}"},
    };

    (void)state;
    limit_memory(1);
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        char name[32];

        graph_bad_file(huge[i].suffix, huge[i].text, "file.");
        snprintf(name, sizeof name, "huge.%s.xz", huge[i].suffix);
        graph_bad(scratch_xz(name, huge[i].text, strlen(huge[i].text)), NULL, TOPOMAP_EINPUT,
                  "huge.");
    }
    limit_memory(0);
}

static void test_edges_dialects(void **state)
{
    static const char *const good[] = {
        "# ranks 4\n0,1,3\n0,2,4\n1,0,2\n2,0,4\n",
        "# ranks 4\n0 1 3\n0 2 4\n1 0 2\n2 0 4\n",
        "0\t1\t3\n#c\n  0\t2 4\t\n# ranks 4\n1\t0\t2 # two\n\n2\t0\t4\n",
        "src;dst;weight\n0;1;3\n0; 2 ;4\n1;0;2\n2;0;4\n# ranks 4\n",
        "\"target\",\"source\",\"what\",\"bytes\"\n1,0,abc,3\n2,0,,4\n0,1,n1,2\n0,2,x,4\n# ranks "
        "4\n",
        "# ranks 4\n2 0 1\n0 1 2.6e0\n0 2 4.0\n1 0 1\n1 0 1\n2 0 3\n3 3 17\n",
    };
    topomap_graph *expected = small_graph(), *graph;
    uint64_t messages;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        graph = graph_good(scratch_text("dialect", good[i]), NULL);
        graph_same(graph, expected, 1, 1);
        topomap_graph_free(graph);
    }
    topomap_graph_free(expected);
    graph = graph_good(scratch_text("pairs", "0 1\n1 0\n0 1\n"), "edges");
    assert_int_equal(graph_arc(graph, 0, 1), 2);
    topomap_graph_free(graph);
    graph = graph_good(scratch_text("words", "From To\nhello world\nworld hello\n"), NULL);
    assert_int_equal(graph->ranks, 2);
    assert_int_equal(graph_arc(graph, 1, 0), 1);
    topomap_graph_free(graph);
    graph = graph_good(scratch_text("four", "0 1 10 2\n1 2 20 3\n"), NULL);
    assert_int_equal(topomap_graph_messages(graph, &messages), 1);
    assert_int_equal(messages, 5);
    topomap_graph_free(graph);
}

static void test_edges_bad(void **state)
{
    (void)state;
    graph_bad_file("csv", "n1,n2,x\n", "file.csv:1:|bytes|`x`");
    graph_bad_file("csv", "a,b\nb,c\n", "file.csv:1:|`from to");
    graph_bad_file("txt", "# a letter\n\nhello world\n", "file.txt:3:|edge");
    graph_bad_file("txt", "hello world\n", "`from to`");
    graph_bad_file("txt", "hello 1\n", "file.txt:1:|edge");
    graph_bad_file("txt", "0 1\nhello world\n", "file.txt:2:|sending");
    graph_bad_file("csv", "n1,,5\n", "file.csv:1:|receiving");
    graph_bad_file("csv", "0,1,5\n0,n2,5\n", "file.csv:2:|receiving");
    graph_bad_file("csv", "0,1,-5\n", "file.csv:1:|bytes");
    graph_bad_file("csv", "0,-1,5\n", "file.csv:1:|receiving");
    graph_bad_file("csv", "0,1,\n", "file.csv:1:|bytes");
    graph_bad_file("csv", "0,1,5\n0,1\n", "file.csv:2:|2 fields|line 1|3");
    graph_bad_file("csv", "0,1\n0,1,5\n", "file.csv:2:|2");
    graph_bad_file("csv", "0\n", "2 to 4 fields");
    graph_bad_file("csv", "0,1,2,3,4\n", "2 to 4 fields");
    graph_bad_file("csv", "0,1,5x\n", "file.csv:1: ");
    graph_bad_file("csv", "0,1,nan\n", "file.csv:1: ");
    graph_bad_file("csv", "0,1,1e99\n", "file.csv:1: ");
    graph_bad_file("csv", "0,1,9223372036854775808\n", "2^63 or more");
    graph_bad_file("csv", "from,bytes\n0,1\n", "file.csv:1:|header");
    graph_bad_file("csv", "from,to,to\n0,1,1\n", "file.csv:1:|header");
    graph_bad_file("csv", "# ranks 2\n0,2,1\n", "file.csv:2:|2");
    graph_bad_file("csv", "0,2,1\n# ranks 2\n", "file.csv:2:|rank 2|2 ranks");
    graph_bad_file("csv", "# nothing\n", "edges");
    graph_bad_file("csv", "0,1,4611686018427387904\n1,0,4611686018427387904\n", "file.csv:2:|2^63");
}

enum { STAR = 20000 };

/* METIS without weights: vertex 1 and all others. */
static const char *star_text(void)
{
    static char text[STAR * 10];
    size_t used = (size_t)sprintf(text, "%d %d\n", STAR + 1, STAR);

    for (int v = 2; v <= STAR + 1; v++)
        used += (size_t)sprintf(text + used, "%d ", v);
    for (int v = 2; v <= STAR + 1; v++)
        used += (size_t)sprintf(text + used, "\n1");
    return text;
}

/* What looks alike is told apart. */
static void test_sniff(void **state)
{
    topomap_graph *graph = graph_good(scratch_text("a", "4 4\n2 4\n1 3\n2 4\n1 3\n"), NULL);

    (void)state;
    assert_int_equal(topomap_graph_edges(graph), 4); /* a METIS ring of 4, not 5 pairs of numbers */
    topomap_graph_free(graph);
    graph = graph_good(scratch_text("a", "5 7\n1 2\n2 1\n"), NULL);
    assert_int_equal(topomap_graph_ranks(graph), 8);
    topomap_graph_free(graph);
    graph = graph_good(scratch_text("a", "1 2\n2 3\n3 4\n4 5\n"), NULL);
    assert_int_equal(topomap_graph_edges(graph), 4);
    topomap_graph_free(graph);
    graph = graph_good(scratch_text("a", star_text()), NULL); /* a line longer than is looked at */
    assert_int_equal(topomap_graph_edges(graph), STAR);
    topomap_graph_free(graph);
    /* A damaged METIS file is still called one where its name or header says so. */
    graph_bad(scratch_text("b.graph", "4 4\n2 4\n1 3\n2 4\n1 2\n"), NULL, TOPOMAP_EINPUT, "vertex");
    graph_bad(scratch_text("b", "4 4 001\n2 4\n1 3\n"), NULL, TOPOMAP_EINPUT, "ends after 2 of 4");
}

/* Through every chain of two formats. */
static void test_round_trips(void **state)
{
    topomap_graph *graph = graph_random(60, 500, 0, 11), *undirected, *back;
    const char *first, *second;

    (void)state;
    for (uint64_t i = 0; i < graph->arcs; i++) /* dense formats have no arcs of 0 bytes */
        graph->bytes[i] += !graph->bytes[i];
    assert_int_equal(topomap_graph_finish(graph, NULL), 0);
    first = scratch_path("start.graph");
    assert_int_equal(topomap_graph_write(graph, first, NULL, NULL), 0);
    undirected = graph_good(first, NULL);
    assert_int_equal(undirected->pairs, graph->pairs);
    assert_int_equal(undirected->total_bytes, graph->total_bytes);
    /* An edge of weight 1 is an arc of 1 byte and one of 0 bytes. */
    for (uint64_t i = 0; i < undirected->arcs; i++)
        undirected->bytes[i] += !undirected->bytes[i];
    assert_int_equal(topomap_graph_finish(undirected, NULL), 0);
    for (int i = 0; i < SMALL; i++)
        for (int k = 0; k < SMALL; k++) {
            /* Undirected formats give up directions, so what comes back equals that graph. */
            topomap_graph *from = (small[i].is | small[k].is) & UNDIRECTED ? undirected : graph;

            if ((small[i].is | small[k].is) & READ_ONLY)
                continue;
            first = scratch_path("first");
            second = scratch_path("second");
            assert_int_equal(topomap_graph_write(from, first, small[i].format, NULL), 0);
            back = graph_good(first, NULL);
            graph_same(back, from, 1, 1);
            assert_int_equal(topomap_graph_write(back, second, small[k].format, NULL), 0);
            topomap_graph_free(back);
            back = graph_good(second, NULL);
            graph_same(back, from, 1, 1);
            topomap_graph_free(back);
        }
    topomap_graph_free(undirected);
    topomap_graph_free(graph);
}

static void test_round_trip_extras(void **state)
{
    topomap_graph *graph = graph_random(50, 300, 1, 5), *back;
    static const char *const keeps[] = {"edges", "json", "tmg", "ompi-monitoring"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *path = scratch_path("messages");

        assert_int_equal(topomap_graph_write(graph, path, keeps[i], NULL), 0);
        back = graph_good(path, NULL);
        graph_same(back, graph, 1, 1);
        topomap_graph_free(back);
    }
    topomap_graph_free(graph);
    graph = graph_good(graph_file("graph", "3 2 011\n5 2 6\n6 1 6 3 4\n7 2 4\n"), NULL);
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"load.json", "load.graph", "load.tmg", "load.grf"};
        const char *path = scratch_path(names[i]);

        assert_int_equal(topomap_graph_write(graph, path, NULL, NULL), 0);
        back = graph_good(path, NULL);
        graph_same(back, graph, 1, 1);
        topomap_graph_free(back);
    }
    topomap_graph_free(graph);
}

static void test_write(void **state)
{
    topomap_graph *graph = small_graph(), *back;
    const char *path = scratch_path("out.tsv"), *link = scratch_path("link.csv");
    topomap_error err;
    struct stat about;
    char *text;

    (void)state;
    umask(027);
    assert_int_equal(topomap_graph_write(graph, path, NULL, &err), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(topomap_graph_write(graph, path, NULL, &err), 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0604);
    text = scratch_slurp(path, NULL);
    assert_non_null(strstr(text, "0\t1\t3\n"));
    free(text);
    /* A link stays a link, and what cannot be written leaves the old file as it was. */
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(topomap_graph_write(graph, link, "metis", &err), 0);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    back = graph_good(path, "metis");
    graph_same(back, graph, 1, 1);
    topomap_graph_free(back);
    assert_int_equal(topomap_graph_write(graph, "/dev/null", "json", &err), 0);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(topomap_graph_write(graph, "/dev/full", "json", &err), -1);
    assert_int_equal(err.code, TOPOMAP_ESYSTEM);
    assert_int_equal(topomap_graph_write(graph, "/nonexistent/a.csv", NULL, &err), -1);
    assert_int_equal(err.code, TOPOMAP_ESYSTEM);
    assert_int_equal(topomap_graph_write(graph, scratch_path("a.xyz"), NULL, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    assert_int_equal(topomap_graph_write(graph, scratch_path("a.csv.xz"), NULL, &err), -1);
    assert_message(err.text, ".xz");
    assert_int_equal(topomap_graph_write(graph, scratch_path("a"), "word", &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE);
    topomap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_formats),
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_hostile_bytes),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_huge_counts),
        cmocka_unit_test(test_edges_dialects),
        cmocka_unit_test(test_edges_bad),
        cmocka_unit_test(test_sniff),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_round_trip_extras),
        cmocka_unit_test(test_write),
    };

    return cmocka_run_group_tests(tests, small_setup, small_teardown);
}
