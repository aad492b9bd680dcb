/* SPDX-License-Identifier: BSD-3-Clause */
/* Places the ranks of an MPI program: a list of hosts in rank order, one a line, as `mpiexec -f` of
 * MPICH and `mpirun --map-by seq --hostfile` of Open MPI take it.
 *
 *   place_ranks GRAPH MACHINE HOSTS
 *   place_ranks stencil2d:5:8x4 tree:4:4:2@1:10:40 'node[01-08]' >hosts
 *
 * GRAPH is a file or a pattern, MACHINE a specification (topomap_machine_parse()) of as many nodes
 * as there are HOSTS, in their order. */
#include <stdio.h>
#include <topomap/hosts.h>
#include <topomap/topomap.h>

struct place {
    topomap_graph *graph;
    topomap_machine *machine;
    topomap_names hosts;
    topomap_mapping *mapping;
};

static int search(struct place *p, char **argv, topomap_error *err)
{
    topomap_map_options options = {.size = sizeof options, .effort = TOPOMAP_DEFAULT, .seed = 1};

    if (topomap_graph_read(argv[1], NULL, &p->graph, err) ||
        topomap_machine_parse(argv[2], &p->machine, err) ||
        topomap_hostlist_expand(argv[3], 0, &p->hosts, err))
        return -1;
    if (p->hosts.count != topomap_machine_nodes(p->machine))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%zu hosts for a machine of %u nodes",
                                 p->hosts.count, topomap_machine_nodes(p->machine));
    return topomap_map(p->graph, p->machine, &options, &p->mapping, err);
}

int main(int argc, char **argv)
{
    struct place p = {0};
    topomap_error err;
    int status = 0;

    if (argc != 4) {
        fprintf(stderr, "usage: place_ranks GRAPH MACHINE HOSTS\n");
        return 2;
    }
    if (search(&p, argv, &err) != 0) {
        fprintf(stderr, "place_ranks: %s\n", err.text);
        status = (int)err.code + 1;
    } else {
        for (uint32_t rank = 0; rank < p.mapping->ranks; rank++)
            puts(p.hosts.name[topomap_machine_node_of(p.machine, p.mapping->slot_of_rank[rank])]);
        fprintf(stderr, "J %.0f, in rank order %.0f\n", p.mapping->J, p.mapping->J_before);
    }
    topomap_mapping_free(p.mapping);
    topomap_names_clear(&p.hosts);
    topomap_machine_free(p.machine);
    topomap_graph_free(p.graph);
    return status;
}
