/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances and machines from a database, against what the dumps' text says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "topology-db/db.h"
#include "util/input.h"
#include "util/random.h"

static topomap_error err;

static void import(topomap_db *db, const char *importer, const char *path, const char *nodes)
{
    topomap_db_import_options options = {.nodes = nodes};

    if (topomap_db_import(db, importer, path, &options, NULL, &err))
        fail_msg("%s", err.text);
}

static topomap_db *database(const char *importer, const char *path)
{
    const char *db_path = scratch_path("m.db");
    topomap_db *db;

    unlink(db_path);
    assert_int_equal(topomap_db_create(db_path, &db, &err), 0);
    import(db, importer, path, NULL);
    return db;
}

static const char *synthetic(const char *description)
{
    hwloc_topology_t topology;
    const char *path = scratch_path("node.xml");

    hwloc_topology_init(&topology);
    hwloc_topology_set_synthetic(topology, description);
    hwloc_topology_load(topology);
    assert_int_equal(hwloc_topology_export_xml(topology, path, 0), 0);
    hwloc_topology_destroy(topology);
    return path;
}

/* A machine of `nodes` with these tasks; the bindings may be NULL. */
static topomap_machine *machine(topomap_db *db, const char *nodes, const uint32_t *tasks,
                                uint32_t cpus, enum topomap_bind bind, topomap_bindings *bindings)
{
    topomap_names names;
    topomap_machine *made = NULL;
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = &names,
                                        .tasks = tasks,
                                        .cpus_per_task = cpus,
                                        .bind = bind};

    assert_int_equal(topomap_hostlist_expand(nodes, 0, &names, &err), 0);
    if (topomap_db_machine(db, &allocation, &made, bindings, &err))
        made = NULL;
    topomap_names_clear(&names);
    return made;
}

/* ---- Insides ----------------------------------------------------------------------------- */

/* The PUs of a task as text. */
static const char *cpus(const topomap_bindings *b, uint32_t task)
{
    static char text[512];

    text[0] = 0;
    for (uint32_t i = b->pu_start[task]; i < b->pu_start[task + 1]; i++)
        sprintf(text + strlen(text), "%s%u", i > b->pu_start[task] ? "," : "", b->pu[i]);
    return text;
}

static void three_nodes(void **state)
{
    topomap_db *db = database("ibnetdiscover", TEST_DATA "/db/tree.ibnetdiscover");
    uint32_t tasks[] = {2, 4, 1};
    topomap_bindings b;
    topomap_machine *m;

    (void)state;
    import(db, "hwloc", synthetic("pack:2 [numa] l3:2 core:2 pu:2"), "node[1-2]");
    m = machine(db, "NODE3,node1.site,node10", tasks, 1, TOPOMAP_BIND_CORE, &b);
    assert_non_null(m);
    assert_string_equal(topomap_machine_kind(m), "fabric");
    assert_int_equal(topomap_machine_slots(m), 7);
    assert_string_equal(topomap_machine_node_name(m, 0), "NODE3");
    /* No inside known: the node is all there is. */
    assert_true(topomap_machine_distance(m, 0, 1) == 6);
    /* Tasks on cores 0, 2, 4, 6: one per L3, two per NUMA node. */
    assert_true(topomap_machine_distance(m, 2, 3) == 3);
    assert_true(topomap_machine_distance(m, 2, 4) == 6);
    assert_true(topomap_machine_distance(m, 4, 5) == 3);
    /* leaf2, leaf1, leaf2. */
    /* 4xEDR to the hosts costs 53.125 / 25.78125 of a hop over the 4xHDR between switches. */
    assert_float_equal(topomap_machine_distance(m, 0, 2), 2 * 20.61 + 20, 0.01);
    assert_float_equal(topomap_machine_distance(m, 0, 6), 2 * 20.61, 0.01);
    assert_int_equal(topomap_machine_hops(m, 0, 2), 4);
    assert_int_equal(topomap_machine_hops(m, 0, 6), 2);
    assert_int_equal(topomap_machine_hops(m, 0, 1), 0);
    assert_int_equal(b.nodes, 3);
    assert_true(b.class_of[0] == UINT32_MAX && b.class_of[1] == 0 && b.class_of[2] == UINT32_MAX);
    assert_int_equal(b.task_first[1], 2);
    assert_string_equal(cpus(&b, 0), "");
    assert_string_equal(cpus(&b, 2), "0,1");
    assert_string_equal(cpus(&b, 3), "4,5");
    assert_string_equal(cpus(&b, 5), "12,13");
    topomap_machine_free(m);
    topomap_bindings_clear(&b);
    topomap_db_close(db);
}

/* Two packages of four cores: the same step spread and compact; where tasks fill the node or are
 * too many, the two are the same. */
static void layouts(void **state)
{
    static const struct {
        uint32_t tasks, cpus;
        enum topomap_bind bind;
        const char *spread, *compact; /* PUs of task 1 */
        double spread_apart, compact_apart;
    } row[] = {
        {2, 1, TOPOMAP_BIND_CORE, "8,9", "2,3", 6, 2},
        {2, 4, TOPOMAP_BIND_CORE, "8,9,10,11", "4,5,6,7", 6, 3},
        {4, 1, TOPOMAP_BIND_PU, "4", "1", 3, 1},
        {8, 1, TOPOMAP_BIND_CORE, "2,3", "2,3", 2, 2},
        {9, 1, TOPOMAP_BIND_CORE, "1", "1", 1, 1},
    };
    topomap_db *db = database("ibnetdiscover", TEST_DATA "/db/tree.ibnetdiscover");

    (void)state;
    import(db, "hwloc", synthetic("pack:2 [numa] l3:2 core:2 pu:2"), "node1");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int compact = 0; compact < 2; compact++) {
            char *name = (char *)(uintptr_t) "node1";
            topomap_names names = {.name = &name, .count = 1};
            topomap_db_allocation allocation = {.size = sizeof allocation,
                                                .nodes = &names,
                                                .tasks = &row[i].tasks,
                                                .cpus_per_task = row[i].cpus,
                                                .bind = row[i].bind,
                                                .compact = compact};
            topomap_bindings b;
            topomap_machine *m;

            assert_int_equal(topomap_db_machine(db, &allocation, &m, &b, &err), 0);
            assert_string_equal(cpus(&b, 1), compact ? row[i].compact : row[i].spread);
            assert_true(topomap_machine_distance(m, 0, 1) ==
                        (compact ? row[i].compact_apart : row[i].spread_apart));
            topomap_machine_free(m);
            topomap_bindings_clear(&b);
        }
    topomap_db_close(db);
}

static void bindings_by_unit(void **state)
{
    static const struct {
        uint32_t tasks, cpus;
        enum topomap_bind bind;
        uint32_t task;
        const char *pus;
        double near; /* distance of slots 0 and 1 */
    } row[] = {
        {8, 1, TOPOMAP_BIND_CORE, 7, "14,15", 2},
        {2, 8, TOPOMAP_BIND_CORE, 1, "8,9,10,11,12,13,14,15", 6},
        {3, 3, TOPOMAP_BIND_CORE, 1, "4,5,6,7", 3}, /* 3 CPUs are 2 cores of 2 PUs */
        {2, 99, TOPOMAP_BIND_CORE, 1, "", 1},       /* more than there are: not bound */
        {16, 1, TOPOMAP_BIND_CORE, 3, "3", 1},      /* a hardware thread each */
        {32, 1, TOPOMAP_BIND_CORE, 4, "", 1},
        {16, 1, TOPOMAP_BIND_PU, 3, "3", 1},
        {8, 1, TOPOMAP_BIND_PU, 3, "6", 2},
        {2, 3, TOPOMAP_BIND_PU, 1, "8,9,10", 6},
        {4, 1, TOPOMAP_BIND_NUMA, 3, "8,9,10,11,12,13,14,15", 3},
        {4, 1, TOPOMAP_BIND_NONE, 3, "", 3},
    };
    topomap_db *db = database("ibnetdiscover", TEST_DATA "/db/tree.ibnetdiscover");

    (void)state;
    import(db, "hwloc", synthetic("pack:2 [numa] l3:2 core:2 pu:2"), "node1");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        topomap_bindings b;
        topomap_machine *m;

        m = machine(db, "node1", &row[i].tasks, row[i].cpus, row[i].bind, &b);
        if (!m)
            fail_msg("case %zu: %s", i, err.text);
        if (strcmp(cpus(&b, row[i].task), row[i].pus) ||
            topomap_machine_distance(m, 0, 1) != row[i].near)
            fail_msg("case %zu: '%s', %g", i, cpus(&b, row[i].task),
                     topomap_machine_distance(m, 0, 1));
        assert_true((b.class_of[0] == 0) == (*row[i].pus != 0));
        topomap_machine_free(m);
        topomap_bindings_clear(&b);
    }
    topomap_db_close(db);
}

/* Nodes of a database without a network are 2 hops apart. */
static void insides_alone(void **state)
{
    const char *path = scratch_path("m.db");
    uint32_t tasks[] = {1, 1};
    topomap_machine *m;
    topomap_db *db;

    (void)state;
    unlink(path);
    assert_int_equal(topomap_db_create(path, &db, &err), 0);
    assert_int_equal(
        topomap_db_import(db, "hwloc", synthetic("pack:1 core:2 pu:1"), NULL, NULL, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EUSAGE); /* the XML names no host */
    assert_message(err.text, "--nodes");
    import(db, "hwloc", synthetic("pack:1 core:2 pu:1"), "p[1-2]");
    m = machine(db, "p1,p2", tasks, 1, TOPOMAP_BIND_CORE, NULL);
    assert_non_null(m);
    assert_int_equal(topomap_machine_hops(m, 0, 1), 2);
    topomap_machine_free(m);
    topomap_db_close(db);
}

/* Two files of one name, for two nodes: the second import leaves the first one's node alone. */
static void two_classes(void **state)
{
    topomap_db *db = database("ibnetdiscover", TEST_DATA "/db/tree.ibnetdiscover");
    uint32_t tasks[] = {4, 4};
    topomap_machine *m;

    (void)state;
    import(db, "hwloc", synthetic("pack:2 [numa] core:2 pu:1"), "node1");
    import(db, "hwloc", synthetic("pack:1 [numa] l3:2 core:2 pu:1"), "node2");
    m = machine(db, "node1,node2", tasks, 1, TOPOMAP_BIND_CORE, NULL);
    assert_non_null(m);
    assert_true(topomap_machine_distance(m, 0, 1) == 3 && topomap_machine_distance(m, 1, 2) == 6);
    assert_true(topomap_machine_distance(m, 4, 5) == 2 && topomap_machine_distance(m, 5, 6) == 6);
    topomap_machine_free(m);
    topomap_db_close(db);
}

/* ---- Fabrics ----------------------------------------------------------------------------- */

/* An independent reading of a whole dump: every node by its quoted id, links by port lines. */
enum { NODES = 4096, LINKS = 16384 };
struct graph {
    char id[NODES][20], host[NODES][64];
    uint32_t nodes, links, from[LINKS], to[LINKS];
};

static uint32_t node_of(struct graph *g, const char *id)
{
    for (uint32_t i = 0; i < g->nodes; i++)
        if (strncmp(g->id[i], id, 18) == 0)
            return i;
    snprintf(g->id[g->nodes], 19, "%.18s", id);
    return g->nodes++;
}

static struct graph *read_graph(const char *path)
{
    struct graph *g = calloc(1, sizeof *g);
    topomap_input *input;
    char *line;
    size_t length;
    uint32_t at = 0;

    assert_int_equal(topomap_input_open(path, &input, &err), 0);
    while (topomap_input_line(input, 0, &line, &length, &err) > 0) {
        char *id = strchr(line, '"');

        if (id && line[0] == '[') {
            g->from[g->links] = at;
            g->to[g->links++] = node_of(g, id + 1);
        } else if (id) {
            at = node_of(g, id + 1);
            sscanf(strstr(line, "# \"") + 3, "%63[^ \"]", g->host[at]);
        }
    }
    topomap_input_close(input);
    return g;
}

/* Hops from a host over switches, all its adapters at once; hosts do not forward. */
static void spread(const struct graph *g, const char *host, uint32_t *hops)
{
    int changed = 1;

    for (uint32_t i = 0; i < g->nodes; i++)
        hops[i] = g->id[i][0] == 'H' && strcmp(g->host[i], host) == 0 ? 0 : 1000;
    for (uint32_t h = 0; changed; h++) {
        changed = 0;
        for (uint32_t l = 0; l < g->links; l++)
            if (hops[g->from[l]] == h && (h == 0 || g->id[g->from[l]][0] == 'S') &&
                hops[g->to[l]] > h + 1)
                hops[g->to[l]] = h + 1, changed = 1;
    }
}

static uint32_t to_host(const struct graph *g, const uint32_t *hops, const char *host)
{
    uint32_t best = 1000;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (g->id[i][0] == 'H' && strcmp(g->host[i], host) == 0 && hops[i] < best)
            best = hops[i];
    return best;
}

static int collect(const topomap_db_host *host, void *data)
{
    topomap_names *names = data;

    names->name = realloc(names->name, (names->count + 1) * sizeof *names->name);
    names->name[names->count++] = strdup(host->name);
    return 0;
}

/* Compares all hosts with some hosts: the machine, and db distance with its route's length. */
static void check_fabric(const char *file)
{
    char path[512];
    struct graph *g;
    topomap_db *db;
    topomap_names names = {0};
    uint32_t *tasks, *hops;
    topomap_machine *m;

    snprintf(path, sizeof path, "%s", file);
    db = database("ibnetdiscover", path);
    g = read_graph(path);
    hops = calloc(g->nodes, sizeof *hops);
    assert_int_equal(topomap_db_hosts(db, NULL, collect, &names, &err), 0);
    tasks = calloc(names.count, sizeof *tasks);
    for (size_t i = 0; i < names.count; i++)
        tasks[i] = 1;
    {
        topomap_db_allocation allocation = {.size = sizeof allocation,
                                            .nodes = &names,
                                            .tasks = tasks,
                                            .cpus_per_task = 1,
                                            .bind = TOPOMAP_BIND_CORE};

        assert_int_equal(topomap_db_machine(db, &allocation, &m, NULL, &err), 0);
    }
    for (uint32_t i = 0; i < names.count; i += 1 + (uint32_t)names.count / 12) {
        spread(g, names.name[i], hops);
        for (uint32_t j = 0; j < names.count; j++) {
            uint32_t expected = to_host(g, hops, names.name[j]);
            topomap_db_distance d;

            if (topomap_machine_hops(m, i, j) != expected)
                fail_msg("%s: %s to %s: %u hops, not %u", path, names.name[i], names.name[j],
                         topomap_machine_hops(m, i, j), expected);
            assert_true(topomap_machine_distance(m, i, j) == 10.0 * expected);
            if (j % 16)
                continue;
            assert_int_equal(
                topomap_db_distance_between(db, names.name[i], names.name[j], &d, &err), 0);
            assert_int_equal(d.hops, expected);
            expected++; /* nodes on the route */
            for (const char *at = d.route; at; at = strchr(at + 1, '\n'))
                expected--;
            assert_int_equal(expected, 0);
            free(d.route);
        }
    }
    topomap_machine_free(m);
    topomap_names_clear(&names);
    topomap_db_close(db);
    free(tasks);
    free(hops);
    free(g);
}

static void fabrics(void **state)
{
    static const char *const files[] = {
        "dfly-dfsssp.ibnetdiscover", "ft2.ibnetdiscover",   "ft3-1024.ibnetdiscover.xz",
        "rail.ibnetdiscover",        "torus.ibnetdiscover",
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];

        snprintf(path, sizeof path, SHARED_DATA "/ib/generated/%s", files[i]);
        if (access(path, R_OK))
            skip();
        check_fabric(path);
    }
}

static void routes(void **state)
{
    topomap_db *db = database("ibnetdiscover", TEST_DATA "/db/tree.ibnetdiscover");
    topomap_db_distance d;

    (void)state;
    assert_int_equal(topomap_db_distance_between(db, "node1", "NODE3.cluster", &d, &err), 0);
    assert_string_equal(d.route, "node1\nleaf1\nspine1\nleaf2\nNode3.cluster");
    assert_int_equal(d.hops, 4);
    assert_float_equal(d.cost, 2 * 20.61 + 20, 0.001);
    free(d.route);
    /* Two rails: leaf1 and leaf3; the nearer one counts. */
    assert_int_equal(topomap_db_distance_between(db, "node2", "node5", &d, &err), 0);
    assert_string_equal(d.route, "node2\nleaf1\nnode5");
    free(d.route);
    assert_int_equal(topomap_db_distance_between(db, "node2", "Node2", &d, &err), 0);
    assert_true(d.hops == 0 && d.cost == 0);
    free(d.route);
    assert_int_equal(topomap_db_distance_between(db, "node2", "node77", &d, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "'node77'");
    topomap_db_close(db);
}

static void names_what_it_does_not_know(void **state)
{
    topomap_db *db = database("ibnetdiscover", TEST_DATA "/db/tree.ibnetdiscover");
    uint32_t tasks[] = {1, 1};

    (void)state;
    assert_null(machine(db, "node1,node99", tasks, 1, TOPOMAP_BIND_CORE, NULL));
    assert_message(err.text, "'node99'");
    import(db, "hwloc", synthetic("pack:1 core:2 pu:1"), "node99");
    assert_null(machine(db, "node1,node99", tasks, 1, TOPOMAP_BIND_CORE, NULL));
    assert_message(err.text, "'node99'");
    topomap_db_close(db);
}

/* ---- Cray -------------------------------------------------------------------------------- */

static uint32_t around(long a, long b, long size)
{
    long way = labs(a - b);

    return (uint32_t)(way < size - way ? way : size - way);
}

static void gemini(void **state)
{
    topomap_db *db = database("xtdb2proc", TEST_DATA "/db/gemini.xtdb2proc");
    static const char *const no_wrap[] = {"wrap=no", NULL};
    topomap_db_import_options mesh = {.option = no_wrap};
    uint32_t tasks[] = {2, 1, 1, 1};
    topomap_machine *m;
    topomap_db_distance d;

    (void)state;
    /* nid 0 and 1 share a router; 2 is at 0,1,0; 22 (x=1, s=2, n=0) at 1,0,2 after the hole. */
    m = machine(db, "nid00000,nid00001,nid2,nid000023", tasks, 1, TOPOMAP_BIND_CORE, NULL);
    assert_non_null(m);
    assert_string_equal(topomap_machine_kind(m), "torus");
    assert_true(topomap_machine_distance(m, 0, 1) == 6);
    assert_true(topomap_machine_distance(m, 0, 2) == 10); /* one router, two nodes */
    assert_int_equal(topomap_machine_hops(m, 0, 2), 0);
    assert_true(topomap_machine_distance(m, 0, 3) == 20);
    assert_int_equal(topomap_machine_hops(m, 0, 4), 1 + 0 + 1); /* z: 0 to 2 of 3 wraps */
    topomap_machine_free(m);
    assert_int_equal(topomap_db_distance_between(db, "nid00000", "nid00023", &d, &err), 0);
    assert_true(d.hops == 2 && d.cost == 30 && !d.route);
    assert_int_equal(
        topomap_db_import(db, "xtdb2proc", TEST_DATA "/db/gemini.xtdb2proc", &mesh, NULL, &err), 0);
    assert_int_equal(topomap_db_distance_between(db, "nid00000", "nid00023", &d, &err), 0);
    assert_int_equal(d.hops, 3);
    topomap_db_close(db);
}

static void aries(void **state)
{
    topomap_db *db = database("xtdb2proc", TEST_DATA "/db/aries.xtdb2proc");
    uint32_t tasks[] = {1, 1, 1, 1, 1, 1};
    /* group, chassis, blade: 0,0,0  0,0,0  0,0,1  0,1,0  0,1,1  1,0,0 */
    topomap_machine *m =
        machine(db, "nid00[100,101,104,108,112,132]", tasks, 1, TOPOMAP_BIND_CORE, NULL);
    static const uint32_t expected[] = {0, 0, 1, 1, 2, 4};

    (void)state;
    assert_non_null(m);
    for (uint32_t j = 1; j < 6; j++) {
        assert_int_equal(topomap_machine_hops(m, 0, j), expected[j]);
        assert_true(topomap_machine_distance(m, 0, j) == 10 + 10 * expected[j]);
    }
    topomap_machine_free(m);
    topomap_db_close(db);
}

/* A thousand scattered nodes of the real machine, against the map of its coordinates. */
static void titan(void **state)
{
    static int at[32768][3];
    static uint8_t drawn[32768];
    enum { SOME = 1000 };
    topomap_db *db;
    topomap_input *input;
    topomap_random random = {7};
    topomap_names names = {0};
    uint32_t tasks[SOME], nid[SOME];
    topomap_machine *m;
    char *line;
    size_t length;

    (void)state;
    if (access(SHARED_DATA "/cray/titan.map.xz", R_OK))
        skip();
    assert_int_equal(topomap_input_open(SHARED_DATA "/cray/titan.map.xz", &input, &err), 0);
    while (topomap_input_line(input, 0, &line, &length, &err) > 0) {
        int n, x, y, z;

        if (sscanf(line, "%d %*s %*s %d %d %d", &n, &x, &y, &z) == 4)
            at[n][0] = x + 1, at[n][1] = y, at[n][2] = z;
    }
    topomap_input_close(input);
    db = database("xtdb2proc", SHARED_DATA "/cray/titan-derived.xtdb2proc.xz");
    names.name = calloc(SOME, sizeof *names.name);
    while (names.count < SOME) {
        uint32_t n = topomap_random_below(&random, 32768);
        char name[16];

        if (!at[n][0] || drawn[n]++)
            continue;
        snprintf(name, sizeof name, "nid%05u", n);
        nid[names.count] = n;
        tasks[names.count] = 1;
        names.name[names.count++] = strdup(name);
    }
    {
        topomap_db_allocation allocation = {.size = sizeof allocation,
                                            .nodes = &names,
                                            .tasks = tasks,
                                            .cpus_per_task = 1,
                                            .bind = TOPOMAP_BIND_CORE};

        assert_int_equal(topomap_db_machine(db, &allocation, &m, NULL, &err), 0);
    }
    for (uint32_t i = 0; i < SOME; i++)
        for (uint32_t j = 0; j < SOME; j += 17) {
            const int *a = at[nid[i]], *b = at[nid[j]];
            uint32_t expected =
                around(a[0], b[0], 25) + around(a[1], b[1], 16) + around(a[2], b[2], 24);

            if (i != j && topomap_machine_hops(m, i, j) != expected)
                fail_msg("%s to %s: %u hops, not %u", names.name[i], names.name[j],
                         topomap_machine_hops(m, i, j), expected);
        }
    topomap_machine_free(m);
    topomap_names_clear(&names);
    topomap_db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_nodes), cmocka_unit_test(bindings_by_unit),
        cmocka_unit_test(layouts),     cmocka_unit_test(insides_alone),
        cmocka_unit_test(two_classes), cmocka_unit_test(fabrics),
        cmocka_unit_test(routes),      cmocka_unit_test(names_what_it_does_not_know),
        cmocka_unit_test(gemini),      cmocka_unit_test(aries),
        cmocka_unit_test(titan),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
