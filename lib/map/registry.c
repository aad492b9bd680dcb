/* SPDX-License-Identifier: BSD-3-Clause */
/* Every algorithm is a row; help, completion, tests and the portfolio walk this table. */
#include <string.h>

#include "map/problem.h"

#define ALL "tree,torus,mesh,matrix,fabric"
#define GRID "torus,mesh"
#define BH "Bhatele (2010)"
#define KTH "Lindgren (KTH)"
#define HIERARCHY "tree,matrix,fabric"
#define VIEM "Schulz, Traeff: VieM"
#define HTM "Wu, Xiong, Lan: HierTopoMap"
#define LTM "Hoefler, Snir: LibTopoMap"
#define LINKED "torus,mesh,fabric" /* with links: hosts.c refuses the others */

static const struct topomap_algorithm_impl algorithms[] = {
    {{"auto", "topomap", "portfolio", ALL, "the best of what suits the machine; Slurm's layout is always a candidate"},
     TOPOMAP_ON_ALL, NULL},
    {{"identity", "baseline", "construct", ALL, "rank r on slot r: Slurm's block layout"},
     TOPOMAP_ON_ALL, topomap_map_identity},
    {{"random", "baseline", "construct", ALL, "a seeded shuffle"},
     TOPOMAP_ON_ALL, topomap_map_random},
    {{"tree", HTM ", Alg. 1", "construct", ALL,
      "recursive partition along the machine's tree (neighbour joining where it has none)"},
     TOPOMAP_ON_ALL, topomap_map_tree},
    {{"matched", "topomap", "construct", ALL,
      "ranks that talk most are paired, pairs too, until groups are mapped by tree or rb-wrap: fast"},
     TOPOMAP_ON_ALL, topomap_map_matched},
    {{"rb", HTM ", Alg. 2", "construct", "torus,mesh",
      "recursive coordinate bipartition as published: wraparound ignored"},
     TOPOMAP_ON_TORUS, topomap_map_rb},
    {{"rb-wrap", "topomap, after " HTM, "construct", "torus,mesh",
      "recursive coordinate bipartition that sees wraparound and orients its halves"},
     TOPOMAP_ON_TORUS, topomap_map_rb_wrap},
    {{"mxovlp", BH ", MXOVLP", "construct", GRID,
      "a 2-D grid of ranks on a 2-D mesh: the largest common rectangle, then what is left"},
     TOPOMAP_ON_TORUS, topomap_map_mxovlp},
    {{"mxov-al", "Bhatele et al. (HiPC 2010), MXOV+AL", "construct", GRID,
      "mxovlp with the longer sides aligned at each step"},
     TOPOMAP_ON_TORUS, topomap_map_mxov_al},
    {{"coce", BH ", COCE", "construct", GRID,
      "grows from all corners towards the centre; any graph, laid out where it is no grid"},
     TOPOMAP_ON_TORUS, topomap_map_coce},
    {{"exco", "Bhatele et al. (HiPC 2010), EXCO", "construct", GRID,
      "grows from one corner"},
     TOPOMAP_ON_TORUS, topomap_map_exco},
    {{"affn", BH ", AFFN", "construct", GRID,
      "stretches the ranks' grid, or a layout of the graph, over the machine's"},
     TOPOMAP_ON_TORUS, topomap_map_affn},
    {{"stack", BH ", stacking", "construct", GRID,
      "a 2-D grid of ranks on a 3-D mesh: one piece a plane, each translated"},
     TOPOMAP_ON_TORUS, topomap_map_stack},
    {{"fold", BH ", folding", "construct", GRID,
      "likewise, every second piece reflected"},
     TOPOMAP_ON_TORUS, topomap_map_fold},
    {{"chain", BH ", eq. 12.1", "construct", GRID,
      "ranks in a row, by prefix sums of their loads, along a row through the machine"},
     TOPOMAP_ON_TORUS, topomap_map_chain},
    {{"bft", BH ", BFT", "construct", GRID,
      "breadth-first from a random rank and one end of the machine, each near its parent"},
     TOPOMAP_ON_TORUS, topomap_map_bft},
    {{"mht", BH ", MHT", "construct", GRID,
      "the rank with the most placed neighbours next, near their centroid"},
     TOPOMAP_ON_TORUS, topomap_map_mht},
    {{"coce-mht", BH ", COCE+MHT", "construct", GRID,
      "ranks at the corners first, then as mht"},
     TOPOMAP_ON_TORUS, topomap_map_coce_mht},
    {{"brick", BH ", NAMD", "construct", GRID,
      "inside the box of its two main partners, where there is most room, then outwards"},
     TOPOMAP_ON_TORUS, topomap_map_brick},
    {{"two-stage", KTH ", Alg. 4", "construct", ALL, "ranks to nodes, then, in each node, to cores"},
     TOPOMAP_ON_ALL, topomap_map_two_stage},
    {{"two-stage-refine", KTH ", Alg. 5", "refine", ALL,
      "the node stage of a mapping refined, its core stage made anew"},
     TOPOMAP_ON_ALL, topomap_map_two_stage_refine},
    {{"greedy", LTM ", Alg. 1, 3.1", "construct", LINKED,
      "heaviest edge next, to the closest host under the loads so far; the best of several starts"},
     TOPOMAP_ON_LINKED, topomap_map_greedy},
    {{"bisect", LTM ", Alg. 2, 3.2", "construct", LINKED,
      "recursive bisection of the network, switches included, and of the graph, half by half"},
     TOPOMAP_ON_LINKED, topomap_map_bisect},
    {{"rcm", LTM ", 3.3; switches kept", "construct", LINKED,
      "reverse Cuthill-McKee on both graphs, the network ordered with its switches"},
     TOPOMAP_ON_LINKED, topomap_map_rcm},
    {{"rcm-literal", LTM ", 3.3", "construct", LINKED,
      "the same with switches removed first, as published: the identity on fat trees"},
     TOPOMAP_ON_LINKED, topomap_map_rcm_literal},
    {{"top-down", VIEM ", 3.1", "construct", HIERARCHY,
      "perfectly balanced partitions along the hierarchy, each cut lowered by swaps"},
     TOPOMAP_ON_TREE | TOPOMAP_ON_MATRIX, topomap_map_top_down},
    {{"bottom-up", VIEM ", 3.1", "construct", "tree",
      "perfectly balanced blocks from the inside out (groups of a level all of one size)"},
     TOPOMAP_ON_TREE, topomap_map_bottom_up},
    {{"mueller-merbach", "Mueller-Merbach 1970, as in " VIEM ", 2", "construct", ALL,
      "the rank that talks most to those placed, on the slot nearest to those taken"},
     TOPOMAP_ON_ALL, topomap_map_mueller_merbach},
    {{"greedy-all-c", "Glantz, Meyerhenke, Noe: GreedyAllC, as in " VIEM ", 2", "construct", ALL,
      "the rank that talks most to those placed, on the slot where that costs least"},
     TOPOMAP_ON_ALL, topomap_map_greedy_all_c},
    {{"multisection", VIEM ", 4 (RMS)", "construct", HIERARCHY,
      "k-way partitions along the hierarchy, corrected to its sizes"},
     TOPOMAP_ON_TREE | TOPOMAP_ON_MATRIX, topomap_map_multisection},
    {{"refine", "topomap", "refine", ALL, "swap search from the given mapping (--mapping)"},
     TOPOMAP_ON_ALL, NULL},
    {{"swap", "topomap, gains after Schulz, Traeff: VieM, 3.2", "refine", ALL,
      "swaps of whole nodes, then of ranks, with O(degree) gains; after any other with '+'"},
     TOPOMAP_ON_ALL, topomap_map_swap},
    {{"anneal", "topomap", "refine", ALL,
      "simulated annealing by swaps of whole groups, then of ranks, with O(degree) gains"},
     TOPOMAP_ON_ALL, topomap_map_anneal},
    {{"anneal-hot", "topomap", "refine", ALL,
      "the same from a temperature at which little of the start is left: for dense graphs"},
     TOPOMAP_ON_ALL, topomap_map_anneal_hot},
    {{"threshold", LTM ", 3.5", "refine", ALL,
      "threshold accepting: random swaps that make J worse by less and less, with O(degree) gains"},
     TOPOMAP_ON_ALL, topomap_map_threshold},
    {{"n2", VIEM ", 2 and 3.2", "refine", ALL, "swaps of all pairs of ranks, in cyclic order"},
     TOPOMAP_ON_ALL, topomap_map_n2},
    {{"np", VIEM ", 2 and 3.2", "refine", ALL,
      "swaps of pairs inside blocks of 64 consecutive ranks, in cyclic order"},
     TOPOMAP_ON_ALL, topomap_map_np},
    {{"nc1", VIEM ", 3.3", "refine", ALL, "swaps of pairs that communicate, in random order"},
     TOPOMAP_ON_ALL, topomap_map_nc1},
    {{"nc2", VIEM ", 3.3", "refine", ALL,
      "swaps of pairs at most 2 apart in the communication graph, in random order"},
     TOPOMAP_ON_ALL, topomap_map_nc2},
    {{"nc10", VIEM ", 3.3", "refine", ALL,
      "swaps of pairs at most 10 apart in the communication graph, in random order"},
     TOPOMAP_ON_ALL, topomap_map_nc10},
};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

const struct topomap_algorithm_impl *topomap_algorithm_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ALGORITHMS; i++)
        if (strlen(algorithms[i].row.name) == length &&
            strncmp(algorithms[i].row.name, name, length) == 0)
            return &algorithms[i];
    return NULL;
}

const topomap_algorithm *topomap_algorithm_row(size_t i)
{
    return i < ALGORITHMS ? &algorithms[i].row : NULL;
}
