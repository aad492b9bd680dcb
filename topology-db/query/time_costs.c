/* SPDX-License-Identifier: BSD-3-Clause */
/* What predicted time costs, by an imported calibration. */
#include <math.h>
#include <string.h>

#include "topology-db/store.h"

/* Of levels: seconds, and seconds a byte. */
struct measured {
    int network, classes; /* the calibration has hops; and such of other classes of link */
    int told;             /* times of bytes were told apart from latencies */
    double latency, hop_latency;
    double byte, memory_byte;
};

static void take_level(struct measured *m, const char *level, double latency, double byte)
{
    int hop = strncmp(level, "hop", 3) == 0, router = strcmp(level, "router") == 0;

    if (!hop && !router) {
        m->memory_byte = fmax(m->memory_byte, byte);
        return;
    }
    m->told |= byte > 0;
    if (hop && level[3]) {
        m->classes = 1;
        return;
    }
    m->network |= hop;
    *(hop ? &m->hop_latency : &m->latency) = latency;
    m->byte += byte;
}

static double positive(double value)
{
    return value > 0 && isfinite(value) ? value : 0;
}

static int read_levels(sqlite3 *file, struct measured *m, topomap_error *err)
{
    DB_ROWS rows =
        db_ask_if(file, "level_time", "SELECT level, latency, rate FROM level_time", err);

    while (db_next(&rows)) {
        double rate = positive(sqlite3_column_double(rows.row, 2));

        take_level(m, db_column_text(rows.row, 0), positive(sqlite3_column_double(rows.row, 1)),
                   rate > 0 ? positive(1 / rate) : 0);
    }
    return rows.result;
}

/* Every way has a host's link at either end: where these are of a class of their own, what they
 * take more than a hop is part of leaving a node. */
static int add_ends(sqlite3 *file, struct measured *m, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(file,
               "SELECT latency FROM level_time WHERE level = 'hop:' ||"
               " (SELECT link_class(width, speed, mbps, link.kind) FROM link JOIN vertex"
               " ON vertex.id IN (a, b) WHERE vertex.kind <> 0 GROUP BY 1 ORDER BY count(*) DESC, 1"
               " LIMIT 1)",
               err);

    if (db_next(&rows))
        m->latency = positive(m->latency +
                              2 * (positive(sqlite3_column_double(rows.row, 0)) - m->hop_latency));
    return rows.result;
}

static void take_network(const struct measured *m, topomap_time_costs *costs, unsigned *measured)
{
    costs->latency = m->latency;
    costs->hop_latency = m->hop_latency;
    *measured |= TOPOMAP_DB_LATENCY | TOPOMAP_DB_HOP_LATENCY;
    if (m->byte > 0 && isfinite(m->byte)) {
        costs->rate = 1 / m->byte;
        *measured |= TOPOMAP_DB_RATE;
    }
}

int topomap_db_time_costs(topomap_db *db, topomap_time_costs *costs, unsigned *measured,
                          topomap_error *err)
{
    struct measured m = {0};

    *measured = 0;
    if (costs->size != sizeof *costs)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "topomap_time_costs: begin with TOPOMAP_TIME_COSTS");
    if (db_imported(db, err) || read_levels(db->file, &m, err) ||
        (m.classes && add_ends(db->file, &m, err)))
        return -1;
    /* Of one message size alone, a latency has the bytes' time in it. */
    if (m.network && m.told)
        take_network(&m, costs, measured);
    if (m.memory_byte > 0) {
        costs->memory_rate = 1 / m.memory_byte;
        *measured |= TOPOMAP_DB_MEMORY_RATE;
    }
    return 0;
}

/* That of most cables, of two the higher; where no rate is known it stays as it is. */
static int cable_rate(sqlite3 *file, double *rate, topomap_error *err)
{
    DB_ROWS rows = db_ask(file,
                          "SELECT link_mbps(width, speed, mbps) AS each, sum(count) FROM"
                          " (SELECT width, speed, mbps, count(*) AS count FROM link"
                          "  WHERE coalesce(state, 0) <> 1 GROUP BY 1, 2, 3)" /* IB_DOWN */
                          " WHERE each > 0 GROUP BY each ORDER BY 2 DESC, 1 DESC LIMIT 1",
                          err);

    if (db_next(&rows))
        *rate = 1e6 / 8 * sqlite3_column_double(rows.row, 0);
    return rows.result;
}

int topomap_db_message_bytes(topomap_db *db, double *bytes, topomap_error *err)
{
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;
    unsigned measured;

    if (topomap_db_time_costs(db, &costs, &measured, err) != 0 ||
        (!(measured & TOPOMAP_DB_RATE) && cable_rate(db->file, &costs.rate, err) != 0))
        return -1;
    *bytes = costs.rate * costs.hop_latency;
    return 0;
}
