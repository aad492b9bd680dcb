/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of others that links libtopomap, for tests/cli/library.bats:
 *   place DATABASE NODES TASKS GRAPH     the step's layout, one line, after what the database is
 *   place --size BYTES [known]           a search whose options are BYTES larger than this header
 * has them (0: of no size); known: with something in the last of them */
#include <stdlib.h>
#include <string.h>
#include <topomap/db.h>
#include <topomap/plan.h>
#include <topomap/topomap.h>

static int fail(const topomap_error *err)
{
    fprintf(stderr, "place: %s\n", err->text);
    return (int)err->code + 1;
}

static int sized(long more, int known)
{
    struct {
        topomap_map_options options;
        unsigned char later[64];
    } longer = {.options = {.algorithm = "identity", .contiguous = 1}};
    topomap_graph *graph = NULL;
    topomap_machine *machine = NULL;
    topomap_mapping *mapping = NULL;
    topomap_error err;
    int status;

    longer.options.size = more ? (size_t)((long)sizeof longer.options + more) : 0;
    longer.later[more > 0 ? more - 1 : 0] = (unsigned char)known;
    status = topomap_graph_read("ring:4", NULL, &graph, &err) ||
             topomap_machine_parse("tree:2:2@1:10", &machine, &err) ||
             topomap_map(graph, machine, &longer.options, &mapping, &err);
    topomap_mapping_free(mapping);
    topomap_machine_free(machine);
    topomap_graph_free(graph);
    return status ? fail(&err) : 0;
}

/* Everything that a step needs. */
struct step {
    topomap_db *db;
    topomap_names nodes;
    uint32_t *tasks;
    topomap_graph *graph;
    topomap_machine *machine;
    topomap_bindings by_slot;
    topomap_mapping *mapping;
    topomap_plan plan;
};

static int place(struct step *s, char **argv, topomap_error *err)
{
    topomap_db_allocation allocation = {.size = sizeof allocation, .nodes = &s->nodes};
    topomap_map_options options = {.size = sizeof options, .effort = TOPOMAP_DEFAULT, .seed = 1};
    topomap_db_summary summary;
    char *layout;

    if (topomap_db_open(argv[1], &s->db, err) || topomap_db_summarise(s->db, &summary, err) ||
        topomap_hostlist_expand(argv[2], 0, &s->nodes, err))
        return -1;
    printf("hosts %llu, %s\n", (unsigned long long)summary.hosts, summary.topology);
    allocation.tasks = s->tasks = calloc(s->nodes.count, sizeof *s->tasks);
    if (!s->tasks || topomap_counts_parse(argv[3], s->nodes.count, s->tasks, err) ||
        topomap_db_machine(s->db, &allocation, &s->machine, &s->by_slot, err) ||
        topomap_graph_read(argv[4], NULL, &s->graph, err) ||
        topomap_map(s->graph, s->machine, &options, &s->mapping, err) ||
        topomap_plan_make(s->machine, s->mapping->slot_of_rank, &s->by_slot, &s->plan, err))
        return -1;
    layout = topomap_layout_format(s->plan.nodes, s->plan.first, s->plan.task, err);
    if (!layout)
        return -1;
    printf("layout %s\n", layout);
    free(layout);
    return 0;
}

int main(int argc, char **argv)
{
    struct step s = {0};
    topomap_error err;
    int status;

    if (argc > 2 && strcmp(argv[1], "--size") == 0)
        return sized(atol(argv[2]), argc > 3 && strcmp(argv[3], "known") == 0);
    if (argc != 5)
        return 2;
    status = place(&s, argv, &err) ? fail(&err) : 0;
    topomap_plan_clear(&s.plan);
    topomap_mapping_free(s.mapping);
    topomap_graph_free(s.graph);
    topomap_machine_free(s.machine);
    topomap_bindings_clear(&s.by_slot);
    free(s.tasks);
    topomap_names_clear(&s.nodes);
    topomap_db_close(s.db);
    return status;
}
