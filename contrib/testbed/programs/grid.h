/* The process grid of the halo exchange: who stands where, and who talks to whom. */
#ifndef TESTBED_GRID_H
#define TESTBED_GRID_H

#include <stdint.h>
#include <stdio.h>

enum grid_order {
    GRID_ROW,     /* rank r stands at position r, row by row */
    GRID_SHUFFLE, /* a seeded shuffle of that: neighbours in the grid are far apart by rank */
};

enum { GRID_NEIGHBOURS = 4 };

struct grid {
    int columns, rows;
    int *position; /* position[rank] = column + columns * row; columns * rows entries, owned */
    int *rank;     /* the inverse; columns * rows entries, owned */
};

/* Makes the grid of `size`, "PXxPY" with PX, PY of 1..4096 and at most 1,048,576 ranks. The shuffle
 * is Fisher and Yates's, from the highest position down, with splitmix64 (Steele, Lea and Flood
 * 2014) seeded by `seed`, and the remainder of its output: the same on every machine. Returns 0, or
 * -1 for a bad size or no memory, with nothing to free. */
int grid_make(struct grid *grid, const char *size, enum grid_order order, uint64_t seed);

void grid_free(struct grid *grid);

/* The ranks left, right, above and below `rank`, in this order; -1 beyond the border. */
void grid_neighbours(const struct grid *grid, int rank, int neighbour[GRID_NEIGHBOURS]);

/* Writes the directed communication graph, "u,v,bytes,messages" with a header line, edges by u and
 * then by v: `messages` messages of `bytes` bytes each to every neighbour. Returns 0, or -1 when
 * the file cannot be written. */
int grid_write_graph(const struct grid *grid, const char *path, uint64_t bytes, uint64_t messages);

#endif
