/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a profiled run: seeds, and contents whose checksums hold, so that what is behind them
 * is reached. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "graph/formats/parts.h"

/* All of a run of two ranks in one part: a graph comes of it. */
void fuzz_part_seeds(struct fuzz_seeds *seeds)
{
    static const topomap_part_row row[] = {{1, 0, 10, 2, 0, 0}, {0, 1, 5, 1, 70, 3}};
    struct {
        struct topomap_part_header header;
        struct topomap_part_rank rank[2];
        topomap_part_row row[2];
    } part = {.header = {.ranks = 2, .run = 7, .program = "program"}};

    for (uint32_t count = 0; count <= 2; count++) {
        for (uint32_t i = 0; i < count; i++)
            part.rank[i] = (struct topomap_part_rank){
                .rank = i,
                .flags = TOPOMAP_PART_WHOLE,
                .rows = 1,
                .passed = 3,
                .checksum = topomap_part_checksum(&row[i], 1),
            };
        part.header.count = count;
        topomap_part_seal(&part.header, part.rank);
        memcpy((char *)part.rank + count * sizeof *part.rank, row, count * sizeof *row);
        fuzz_seeds_add(seeds, &part, part.header.size);
    }
}

int fuzz_part(const void *what, const uint8_t *bytes, size_t size)
{
    int fd = open(fuzz_file(bytes, size), O_RDONLY | O_CLOEXEC), status;
    topomap_graph *graph = NULL;
    topomap_parts parts = {0};
    topomap_error err;

    (void)what;
    if (fd < 0)
        abort();
    status = topomap_parts_add(&parts, fd, 0, "part", &err) != 0 ||
             topomap_parts_take(&parts, "folder", &graph, &err) != 0;
    if (parts.count > size / sizeof(struct topomap_part_rank) ||
        (status == 0 && topomap_graph_ranks(graph) > size / sizeof(struct topomap_part_rank)))
        abort();
    if (status == 0)
        topomap_graph_free(graph);
    topomap_parts_clear(&parts);
    close(fd);
    return status == 0;
}

static void mend(uint8_t *bytes, size_t size)
{
    const size_t head = sizeof(struct topomap_part_header);
    struct topomap_part_header header;
    struct topomap_part_rank rank;
    size_t left, most = (size - head) / sizeof rank;

    memcpy(&header, bytes, head);
    header.count = most ? header.count % (uint32_t)(most + 1) : 0;
    header.program[TOPOMAP_PART_PROGRAM - 1] = 0;
    left = size - head - header.count * sizeof rank;
    for (uint32_t i = 0; i < header.count; i++) {
        uint8_t *at = bytes + head + i * sizeof rank;

        memcpy(&rank, at, sizeof rank);
        if (rank.rows <= left / sizeof(topomap_part_row)) {
            /* By memory that is aligned as rows are. */
            topomap_part_row *row = malloc(rank.rows * sizeof *row + 1);

            if (!row)
                abort();
            memcpy(row, bytes + size - left, rank.rows * sizeof *row);
            for (uint64_t k = 0; k < rank.rows; k++)
                row[k].phase %= TOPOMAP_PART_PHASES;
            memcpy(bytes + size - left, row, rank.rows * sizeof *row);
            rank.checksum = topomap_part_checksum(row, rank.rows);
            left -= rank.rows * sizeof *row;
            free(row);
        }
        memcpy(at, &rank, sizeof rank);
    }
    topomap_part_seal(&header, (const void *)(bytes + head));
    memcpy(bytes, &header, head);
}

int fuzz_part_content(const void *what, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = (uint8_t *)fuzz_text(bytes, size);
    int taken;

    if (size >= sizeof(struct topomap_part_header))
        mend(copy, size);
    taken = fuzz_part(what, copy, size);
    free(copy);
    return taken;
}
