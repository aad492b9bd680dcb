/* SPDX-License-Identifier: BSD-3-Clause */
/* What ports send and receive, in bytes a second: their counters, read twice.
 *
 * perfquery (infiniband-diags) prints a section a port, and `ibqueryerrors --counters` a line:
 *
 *   # Port extended counters: Lid 5 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
 *   PortXmitData:....................36298026860928
 *   PortRcvData:.....................12279028775751
 *
 *      GUID 0x2c90200000005 port 1: [PortXmitData == 36298026860928 (132.050TB)] [PortRcvData ==
 * ...
 *
 * Data is counted in fours of bytes (perfquery(8); InfiniBand Architecture Specification, volume 1,
 * PortCounters). The counters of "Port counters" have 32 bits and stay at the top, which a port of
 * 100 Gb/s reaches in less than two seconds. Lines `timestamp SECONDS`, with or without a # before
 * them, are what a site's script prints before each reading; the tools tell no time. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/import.h"
#include "topology-db/sql_functions.h"

enum { SENT, RECEIVED, COUNTERS };
enum { LID_MOST = 0xbfff, PORT_MOST = 254, ALL_PORTS = 255 };

static const char *const names[COUNTERS] = {"PortXmitData", "PortRcvData"};

struct reading {
    uint64_t guid; /* or 0, then lid */
    uint32_t lid, port;
    int wide;     /* counters of 64 bits, as the file says */
    size_t order; /* in the files */
    double time;  /* of the timestamp before it, or -1 */
    uint64_t count[COUNTERS];
    uint8_t has[COUNTERS];
};

struct rate {
    uint64_t guid;
    uint32_t lid, port;
    double bytes[COUNTERS]; /* a second; negative: not known */
};

struct counters {
    struct db_list readings, rates;
    double seconds; /* by the option, or 0 */
    double time;    /* of the last timestamp, or -1 */
    int inside;     /* lines are the last reading's */
    size_t sums, lost_single, lost_reset, lost_stuck;
};

static void counters_clear(void *content)
{
    struct counters *c = content;

    free(c->readings.row);
    free(c->rates.row);
}

/* ---- Lines --------------------------------------------------------------------------------- */

static int read_whole(const char *text, int base, uint64_t most, uint64_t *number)
{
    char *end;

    if (!isxdigit((unsigned char)*text))
        return -1;
    errno = 0;
    *number = strtoull(text, &end, base);
    return errno || end == text || *number > most ? -1 : 0;
}

/* What follows \p key in the line, as a number. */
static int number_after(const char *line, const char *key, int base, uint64_t most,
                        uint64_t *number)
{
    const char *at = strstr(line, key);

    return at ? read_whole(at + strlen(key), base, most, number) : -1;
}

static int read_time(struct db_import *import, struct counters *c, const char *line)
{
    char *end;

    c->time = strtod(line, &end);
    return end > line && !end[strspn(end, " \t")] && c->time >= 0 && c->time < 1e15
               ? 0
               : db_fail_here(import, "expected 'timestamp SECONDS'");
}

static int add_reading(struct counters *c, struct reading reading, topomap_error *err)
{
    reading.time = c->time;
    reading.order = c->readings.rows;
    return db_list_add(&c->readings, &reading, sizeof reading, err);
}

/* "# Port extended counters: Lid 5 port 1 (CapMask: ..." */
static int begin_section(struct db_import *import, struct counters *c, const char *line, int wide)
{
    uint64_t lid, port;
    struct reading reading;

    if (number_after(line, "Lid ", 10, LID_MOST, &lid) || !lid ||
        number_after(line, " port ", 10, ALL_PORTS, &port))
        return db_fail_here(import,
                            "expected '# Port counters: Lid N port N' with a LID from 1 to "
                            "%d and a port (perfquery LID PORT)",
                            LID_MOST);
    c->sums += port == ALL_PORTS;
    c->inside = port > 0 && port <= PORT_MOST; /* port 0 is the switch itself */
    reading = (struct reading){.lid = (uint32_t)lid, .port = (uint32_t)port, .wide = wide};
    return c->inside ? add_reading(c, reading, import->err) : 0;
}

/* "PortXmitData:....................123"; earlier releases have the names without "Port" */
static int read_field(struct db_import *import, struct counters *c, char *line)
{
    size_t length = strcspn(line, ":");
    const char *value = line + length + strspn(line + length, ":. ");
    struct reading *now =
        c->inside ? (struct reading *)c->readings.row + c->readings.rows - 1 : NULL;

    line[length] = 0;
    for (int k = 0; now && k < COUNTERS; k++) {
        if (strcmp(line, names[k]) != 0 && strcmp(line, k == SENT ? "XmtData" : "RcvData") != 0)
            continue;
        if (read_whole(value, 10, UINT64_MAX, &now->count[k]))
            return db_fail_here(import, "%s: expected a number, not '%.40s'", names[k], value);
        now->has[k] = 1;
    }
    return 0;
}

/* "GUID 0x2c90200000005 port 1: [PortXmitData == 123 (0.1KB)] ..."; where errors are listed,
 * counters of 0 are left out. */
static int read_errors(struct db_import *import, struct counters *c, const char *line)
{
    struct reading reading = {0};
    uint64_t port;
    int has = 0;

    if (strstr(line, " port ALL:")) {
        c->sums++;
        return 0;
    }
    if (number_after(line, "GUID 0x", 16, UINT64_MAX, &reading.guid) || !reading.guid ||
        number_after(line, " port ", 10, PORT_MOST, &port))
        return db_fail_here(import, "expected 'GUID 0x... port N: [...'");
    for (int k = 0; k < COUNTERS; k++) {
        char key[32];

        snprintf(key, sizeof key, "[%s == ", names[k]);
        has |= number_after(line, key, 10, UINT64_MAX, &reading.count[k]) == 0;
        reading.has[k] = 1;
    }
    reading.port = (uint32_t)port;
    return has && port ? add_reading(c, reading, import->err) : 0;
}

static int read_line(struct db_import *import, void *content, char *line)
{
    /* Messages of the tools about ports that do not answer, mostly on standard error. */
    static const char *const complaints[] = {"ibwarn", "iberror",
                                             "perfquery:", "ibqueryerrors:", "Query SA failed"};
    struct counters *c = content;
    size_t name;

    line += strspn(line, " \t");
    name = strcspn(line, ":");
    if (db_begins(line, "timestamp ") || db_begins(line, "# timestamp "))
        return read_time(import, c, strchr(line, 'p') + 2);
    if (db_begins(line, "# Port extended counters: ") || db_begins(line, "# Port counters: "))
        return begin_section(import, c, line, line[7] == 'e');
    if (db_begins(line, "GUID "))
        return read_errors(import, c, line);
    if (*line == '#' || db_begins(line, "Data Counters for ") || db_begins(line, "Errors for ") ||
        db_begins(line, "Link info:"))
        c->inside = 0;
    else if (db_begins_any(line, complaints, sizeof complaints / sizeof *complaints))
        db_warn(import, topomap_input_lineno(import->input), "the tool says: %.200s", line);
    else if (line[name] == ':' && line[name + 1] == '.')
        return read_field(import, c, line);
    else if (*line)
        return db_fail_here(import,
                            "not what perfquery or ibqueryerrors --counters prints: '%.40s'", line);
    return 0;
}

/* ---- Rates --------------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_port, struct reading,
                TOPOMAP_ORDER(x->guid, y->guid) ?: TOPOMAP_ORDER(x->lid, y->lid),
                TOPOMAP_ORDER(x->port, y->port) ?: x->wide - y->wide)

/* In the order of the files, which qsort() may not keep. */
TOPOMAP_COMPARE(by_port_and_time, struct reading, by_port(x, y), TOPOMAP_ORDER(x->order, y->order))

/* Of one counter in all readings of a port. */
static double rate_of(struct counters *c, const struct reading *r, size_t n, int k, double seconds)
{
    uint64_t begin = n > 1 ? r[0].count[k] : 0, end = r[n - 1].count[k];

    for (size_t i = 0; i < n; i++) {
        if (!r[i].has[k])
            return -1;
        if (i && r[i].count[k] < r[i - 1].count[k]) {
            c->lost_reset++;
            return -1;
        }
    }
    if (!r->wide && end == UINT32_MAX) {
        c->lost_stuck++;
        return -1;
    }
    return 4.0 * (double)(end - begin) / seconds;
}

/* The counters of 64 bits come behind those of 32 of the same port, and count where they can. */
static int add_rate(struct counters *c, const struct reading *r, const double *bytes,
                    topomap_error *err)
{
    struct rate rate = {r->guid, r->lid, r->port, {bytes[SENT], bytes[RECEIVED]}};
    struct rate *last = c->rates.row;

    if (bytes[SENT] < 0 && bytes[RECEIVED] < 0)
        return 0;
    last = c->rates.rows ? last + c->rates.rows - 1 : NULL;
    if (!last || last->guid != r->guid || last->lid != r->lid || last->port != r->port)
        return db_list_add(&c->rates, &rate, sizeof rate, err);
    for (int k = 0; k < COUNTERS; k++)
        last->bytes[k] = bytes[k] >= 0 ? bytes[k] : last->bytes[k];
    return 0;
}

static int find_rate(struct db_import *import, struct counters *c, const struct reading *r,
                     size_t n)
{
    double bytes[COUNTERS], seconds = c->seconds;

    if (!(seconds > 0)) {
        seconds = r[n - 1].time - r[0].time;
        if (r[0].time < 0 || r[n - 1].time < 0 || !(seconds > 0))
            return db_fail(
                import, 0,
                "no time passes between the readings of port %u of %s 0x%llx: say --option "
                "seconds=N, or print a line 'timestamp SECONDS' before each reading",
                r->port, r->guid ? "GUID" : "LID",
                (unsigned long long)(r->guid ? r->guid : r->lid));
    }
    for (int k = 0; k < COUNTERS; k++)
        bytes[k] = rate_of(c, r, n, k, seconds);
    return add_rate(c, r, bytes, import->err);
}

static int check_rates(struct db_import *import, struct counters *c)
{
    if (!c->rates.rows)
        return db_fail(
            import, 0,
            "no rate came out: %zu counters were reset between the readings, %zu of 32 bits are at "
            "their top (use perfquery -x)",
            c->lost_reset, c->lost_stuck);
    if (c->lost_reset)
        db_warn(import, 0, "%zu counters were reset between the readings, and are left out",
                c->lost_reset);
    if (c->lost_stuck)
        db_warn(import, 0,
                "%zu counters of 32 bits are at their top, and are left out: use perfquery -x",
                c->lost_stuck);
    if (c->lost_single)
        db_warn(import, 0, "%zu ports are in one reading alone, and are left out", c->lost_single);
    if (c->sums)
        db_warn(import, 0,
                "%zu sums over all ports of a switch or adapter are left out: ask for each port",
                c->sums);
    return 0;
}

static int check(struct db_import *import, void *content)
{
    struct counters *c = content;
    struct reading *r = c->readings.row;
    int twice = 0;

    if (!c->readings.rows)
        return db_fail_here(import, "no port's counters: expected what perfquery -x LID PORT or "
                                    "ibqueryerrors --counters prints");
    TOPOMAP_SORT(r, c->readings.rows, by_port_and_time);
    for (size_t i = 1; i < c->readings.rows; i++)
        twice |= by_port(&r[i - 1], &r[i]) == 0;
    if (!twice && !(c->seconds > 0))
        return db_fail(
            import, 0,
            "each port is there once, and totals are no rate: give two readings (`db import "
            "counters BEFORE AFTER`), or --option seconds=N, the seconds since the counters were "
            "reset");
    for (size_t i = 0, n; i < c->readings.rows; i += n) {
        for (n = 1; i + n < c->readings.rows && by_port(&r[i], &r[i + n]) == 0;)
            n++;
        if (twice && n == 1)
            c->lost_single++;
        else if (find_rate(import, c, r + i, n))
            return -1;
    }
    return check_rates(import, c);
}

static int begin(struct db_import *import, void *content)
{
    const char *seconds = db_option(import, "seconds");
    struct counters *c = content;
    char *end;

    c->time = -1;
    if (!seconds)
        return 0;
    c->seconds = strtod(seconds, &end);
    return end > seconds && !*end && c->seconds > 0 && c->seconds < 1e9
               ? 0
               : topomap_error_set(import->err, TOPOMAP_EUSAGE,
                                   "option seconds takes a number above 0, not '%.40s'", seconds);
}

/* ---- Into the database --------------------------------------------------------------------- */

/* Counters of ports that no dump of a fabric has are kept: the dump may come later. Where there is
 * a fabric they are worth a word, and so is a cable that carries more than it can. */
static int compare(struct db_import *import)
{
    int64_t vertices, unknown, full;

    if (db_number(import->file, "SELECT count(*) FROM vertex", 0, &vertices, import->err) ||
        db_number(import->file,
                  DB_TRAFFIC "SELECT count(*) FROM traffic WHERE rowid NOT IN (SELECT row FROM "
                             "whose)",
                  0, &unknown, import->err) ||
        db_number(import->file,
                  DB_TRAFFIC "SELECT count(*) FROM flow WHERE mbps > 0 AND max(coalesce(there, 0),"
                             " coalesce(back, 0)) > 137500.0 * mbps",
                  0, &full, import->err))
        return -1;
    if (vertices && unknown)
        db_warn(import, 0,
                "%lld of %llu ports are of LIDs or GUIDs that the fabric's dump does not have, or "
                "has in several subnets (which GUIDs tell apart: ibqueryerrors --counters)",
                (long long)unknown, (unsigned long long)import->report->ports);
    if (full)
        db_warn(import, 0,
                "%lld cables carry a tenth more than their rate, or yet more: is the time between "
                "the readings right?",
                (long long)full);
    return 0;
}

static int write_rates(struct db_import *import, void *content)
{
    const struct counters *c = content;
    const struct rate *rate = c->rates.row;

    for (size_t i = 0; i < c->rates.rows; i++) {
        const double *bytes = rate[i].bytes;

        if (DB_ADD(import, "INSERT INTO traffic", DB_INT(import->source),
                   DB_INT_IF(rate[i].guid, rate[i].guid), DB_INT_IF(!rate[i].guid, rate[i].lid),
                   DB_INT(rate[i].port), DB_REAL_IF(bytes[SENT] >= 0, bytes[SENT]),
                   DB_REAL_IF(bytes[RECEIVED] >= 0, bytes[RECEIVED])))
            return -1;
    }
    import->report->ports = c->rates.rows;
    return compare(import);
}

static const topomap_graph_option options[] = {
    {"seconds", "N",
     "between the two readings; of one reading, since the counters were reset; without it, lines "
     "'timestamp SECONDS' before each reading tell"},
    {NULL, NULL, NULL},
};

const db_importer db_counters = {
    .row = {"counters",
            "what InfiniBand ports carry, for --background measured: two readings of perfquery -x "
            "or ibqueryerrors --counters, in one file or one after the other",
            options},
    .singleton = 1,
    .joins = 1,
    .tables = {"traffic"},
    .size = sizeof(struct counters),
    .begin = begin,
    .line = read_line,
    .check = check,
    .write = write_rates,
    .clear = counters_clear,
};
