/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/sorted.h"

void topomap_ranges_print(FILE *out, const uint32_t *number, uint32_t count, uint32_t least)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && number[end] == number[end - 1] + 1; end++)
            ;
        fprintf(out, "%s%u", i ? "," : "", number[i]);
        if (end - i > 1)
            fprintf(out, "%s%u", end - i >= least ? "-" : ",", number[end - 1]);
    }
}
