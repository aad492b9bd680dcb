/* SPDX-License-Identifier: BSD-3-Clause */
/* The objectives that go by links, congestion, mix and time: what a placement reaches, and which of
 * two is better. */
#ifndef TOPOMAP_OBJECTIVE_H
#define TOPOMAP_OBJECTIVE_H

#include "machine/machine.h"
#include "fabric/network.h"
#include "topomap/time.h"

typedef struct topomap_objective {
    const topomap_network *network;
    topomap_network *grid;           /* owned: a torus's own */
    const char *model;               /* static */
    double share;                    /* of J in the mix, above 0 and below 1; 0: congestion alone */
    double J0, max0, time0;          /* the baseline's, with the mix and with the time */
    int by_time;                     /* predicted time comes first */
    uint64_t budget;                 /* of its sharing of links (metric/prediction.h) */
    const topomap_time_costs *costs; /* of it; NULL: the usual ones */
} topomap_objective;

/** What a placement reaches; INFINITY where an edge has no way. */
typedef struct topomap_score {
    double J;
    double over;      /* load a slot above the level's limit; 0 without one */
    double max, mean; /* 0 without an objective */
    double mix;       /* 0 without a mix */
    double time;      /* predicted seconds; 0 where the objective is another one */
} topomap_score;

/** \param model  "exact", "routes" or "adaptive"; NULL: topomap_congestion_usual()
 *  TOPOMAP_EUSAGE where the machine's links are not known, or it has no routes to go by. */
int topomap_objective_open(const topomap_machine *machine, enum topomap_objective_kind kind,
                           const char *model, topomap_objective *objective, topomap_error *err);
void topomap_objective_close(topomap_objective *objective);

/** The numbers of topomap_congestion_evaluate(); J is the caller's. -1 where memory is short.
 *  \param slot_of  [ranks of the graph] */
int topomap_objective_score(const topomap_objective *objective, const topomap_graph *graph,
                            const topomap_machine *machine, const uint32_t *slot_of,
                            topomap_score *score, topomap_error *err);
/** The mix of a J and a maximum (enum topomap_objective_kind); 0 where the objective is none. */
double topomap_objective_mix(const topomap_objective *objective, double J, double max);
/** Nonzero where \p a is better: the lower excess of load, then the lower mix, then the lower
 * time and with it the lower J, then the lower maximum, the lower mean, the lower J. Numbers that
 * differ by rounding only (1e-9 of them) are equal. */
int topomap_score_better(const topomap_score *a, const topomap_score *b);

#endif
