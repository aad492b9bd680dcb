/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends how much to whom, communicator by communicator. Callers see to it that one thread is
 * here at a time. */
#pragma once

#include "contrib/profile/part.h"

/** A communicator that this process has a rank in: the one with the same id, size and rank, where
 * that was seen before. \return its number from 0; UINT32_MAX where memory is short, or there are
 * too many */
uint32_t nccl_traffic_comm(uint64_t id, uint32_t ranks, uint32_t rank);

/** A call of `count` elements of a type by NCCL's names of both ("AllReduce", "ncclBfloat16"). \p
 * root: or the peer. What sends nothing is passed over. */
void nccl_traffic_add(uint32_t comm, const char *function, const char *type, uint64_t count,
                      int root);

/** How many rows nccl_traffic_records() writes, where there is room for them. */
size_t nccl_traffic_rows(void);
/** Writes all of it to row[room], as a part has it (TOPOMAP_PART_COMM in graph/formats/parts.h),
 * and fills part's record, count and whole: all found room, and nothing was lost for want of
 * memory. No system call. */
void nccl_traffic_records(profile_record *row, size_t room, profile_part *part);
