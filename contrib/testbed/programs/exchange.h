/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a pattern, sent and checked. */
#ifndef TESTBED_EXCHANGE_H
#define TESTBED_EXCHANGE_H

#include "patterns.h"

#include <mpi.h>

/* One rank's part of a pattern. */
struct part {
    const struct message **in, **out; /* [ins], [outs], by phase */
    int ins, outs, phases;
    unsigned char *buffer;  /* of all messages, in behind each other, then out */
    unsigned char *to_send; /* the first that goes out */
    MPI_Request *request;
    MPI_Status *status; /* MPICH's MPI_STATUSES_IGNORE makes gcc 12 warn */
};

/* False: no memory; part_free() ends it in either case. */
bool part_make(struct part *part, const struct pattern *pattern, int rank);
void part_free(struct part *part);

/* Writes what this rank is to send: no two messages of a run are alike. */
void part_fill(const struct part *part, int iteration);
/* One iteration, phase by phase; `wait` ends the requests of a phase. */
void part_exchange(const struct part *part,
                   void (*wait)(int requests, MPI_Request *request, MPI_Status *status));
/* How many of the messages that this rank has got are not what was sent. */
int part_wrong(const struct part *part, int iteration);

#endif
