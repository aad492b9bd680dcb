/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/parts.h"

#include <string.h>

#include "util/hash64.h"

uint64_t topomap_part_checksum(const topomap_part_row *row, uint64_t rows)
{
    return topomap_hash64_all(row, rows * sizeof *row);
}

void topomap_part_seal(struct topomap_part_header *header, const struct topomap_part_rank *table)
{
    memcpy(header->magic, TOPOMAP_PART_MAGIC, sizeof header->magic);
    header->version = TOPOMAP_PART_VERSION;
    header->size = sizeof *header + header->count * (uint64_t)sizeof *table;
    for (uint32_t i = 0; i < header->count; i++)
        header->size += table[i].rows * sizeof(topomap_part_row);
    header->checksum = 0;
    header->checksum =
        topomap_hash64_two(header, sizeof *header, table, header->count * sizeof *table);
}
