#include "grid.h"
#include "options.h"

#include <stdbool.h>
#include <stdlib.h>

static bool parse_size(const char *text, int *columns, int *rows)
{
    char *end;
    long x = strtol(text, &end, 10);
    long y;

    if (end == text || *end != 'x')
        return false;
    text = end + 1;
    y = strtol(text, &end, 10);
    if (end == text || *end != '\0' || x < 1 || y < 1 || x > 4096 || y > 4096 || x * y > 1048576)
        return false;
    *columns = (int)x;
    *rows = (int)y;
    return true;
}

static void shuffle(int *position, int count, uint64_t seed)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(splitmix64(&seed) % (uint64_t)(i + 1));
        int kept = position[i];

        position[i] = position[j];
        position[j] = kept;
    }
}

int grid_make(struct grid *grid, const char *size, enum grid_order order, uint64_t seed)
{
    int count;

    if (!parse_size(size, &grid->columns, &grid->rows))
        return -1;
    count = grid->columns * grid->rows;
    grid->position = malloc((size_t)count * sizeof(int));
    grid->rank = malloc((size_t)count * sizeof(int));
    if (!grid->position || !grid->rank) {
        grid_free(grid);
        return -1;
    }
    for (int r = 0; r < count; r++)
        grid->position[r] = r;
    if (order == GRID_SHUFFLE)
        shuffle(grid->position, count, seed);
    for (int r = 0; r < count; r++)
        grid->rank[grid->position[r]] = r;
    return 0;
}

void grid_free(struct grid *grid)
{
    free(grid->position);
    free(grid->rank);
    grid->position = grid->rank = NULL;
}

void grid_neighbours(const struct grid *grid, int rank, int neighbour[GRID_NEIGHBOURS])
{
    int place = grid->position[rank];
    int x = place % grid->columns;
    int y = place / grid->columns;

    neighbour[0] = x > 0 ? grid->rank[place - 1] : -1;
    neighbour[1] = x + 1 < grid->columns ? grid->rank[place + 1] : -1;
    neighbour[2] = y > 0 ? grid->rank[place - grid->columns] : -1;
    neighbour[3] = y + 1 < grid->rows ? grid->rank[place + grid->columns] : -1;
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int grid_write_graph(const struct grid *grid, const char *path, uint64_t bytes, uint64_t messages)
{
    FILE *file = fopen(path, "w");
    int neighbour[GRID_NEIGHBOURS];
    bool failed;

    if (!file)
        return -1;
    fputs("u,v,bytes,messages\n", file);
    for (int u = 0; u < grid->columns * grid->rows; u++) {
        grid_neighbours(grid, u, neighbour);
        qsort(neighbour, GRID_NEIGHBOURS, sizeof(neighbour[0]), compare_ranks);
        for (int i = 0; i < GRID_NEIGHBOURS; i++)
            if (neighbour[i] >= 0)
                fprintf(file, "%d,%d,%llu,%llu\n", u, neighbour[i],
                        (unsigned long long)(bytes * messages), (unsigned long long)messages);
    }
    failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? -1 : 0;
}
