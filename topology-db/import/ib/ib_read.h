/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers of InfiniBand dumps share. A grammar reads the lines of one kind of file;
 * ib_read.c picks it by the file's content and feeds it. */
#pragma once

#include "topology-db/import/ib/ib.h"

struct ib_grammar;

struct ib_reader {
    struct db_import *import;
    struct ib_fabric *fabric;
    topomap_error *err;
    const struct ib_grammar *grammar; /* NULL until a line has told */
    void *own;                        /* the grammar's, of its size, zeroed */
    size_t recorded;                  /* how many records there were */
    uint64_t *progress;               /* node GUIDs of adapters in progress lines */
    size_t progressed, progress_room;
};

enum { IB_NOT_MINE = 1 };

struct ib_grammar {
    const char *what;               /* for messages: what it is */
    const db_importer *importer[2]; /* that take it; messages name the first */
    size_t own;
    /** Whether a line, its leading blanks gone, is of this kind of file. */
    int (*recognise)(const char *line);
    /** Takes a line, its leading blanks gone: 0, -1, or IB_NOT_MINE. */
    int (*line)(struct ib_reader *r, char *line);
    /** NULL, or the end of the file: makes the fabric ready to be joined. */
    int (*end)(struct ib_reader *r);
    /** NULL, or ends what \p own holds beside itself. */
    void (*clear)(void *own);
};

extern const struct ib_grammar ib_normal, ib_ports_report, ib_subnet_list, ib_net_dump;

/** "PATH:LINE: WHAT at 'AT'"; returns -1. */
int ib_fail(struct ib_reader *r, const char *what, const char *at);
size_t ib_line(const struct ib_reader *r);
/** Marks a vertex as recorded by the line at hand, and makes its GUID the fabric's last one. */
void ib_record(struct ib_reader *r, struct ib_vertex *vertex, uint64_t guid);

/* ---- Words: each moves *at behind what it read ------------------------------------------- */

void ib_skip_blanks(char **at);
/** A decimal number up to \p most. */
int ib_read_number(char **at, uint32_t most, uint32_t *value);
/** Up to 16 hexadecimal digits; returns how many, 0 where there are none or more. */
int ib_read_hex(char **at, uint64_t *value);
/** A GUID, with or without 0x; zero is none. */
int ib_read_guid(char **at, uint64_t *guid);
/** `4`, `4x`, `??`: lanes, 0 unknown. */
int ib_read_width(char **at, uint8_t *width);
/** The name of a speed: its row, 0 for one that this program does not know, which is a warning. */
int ib_read_speed(struct ib_reader *r, char **at, uint8_t *speed);
