/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows, and the readers of their values. */
#ifndef TOPOMAP_REQUEST_TABLE_H
#define TOPOMAP_REQUEST_TABLE_H

#include "request/request.h"

/** What a reader may write to. */
union topomap_request_value {
    char *text;
    int word;
    uint32_t count;
    uint64_t large;
    double number;
    struct topomap_request_objective objective;
};

extern const topomap_request_row topomap_request_rows[TOPOMAP_REQUEST_KEYS];

/** Of texts, which topomap_request_set() keeps itself. */
int topomap_request_text(const topomap_request_row *row, const char *text, void *to);
int topomap_request_word(const topomap_request_row *row, const char *text, void *to);

#endif
