/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/sql_functions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/infiniband.h"
#include "fabric/switches.h"

/* nid000123 and nid123 are nid00123: sites pad NIDs with five or six digits. */
static void pad_nid(char *key)
{
    size_t digits = strspn(key + 3, "0123456789");

    if (digits && digits <= 9 && !key[3 + digits])
        snprintf(key, DB_KEY, "nid%05lu", strtoul(key + 3, NULL, 10));
}

void db_host_key(const char *name, char *key)
{
    size_t end = strspn(name, "0123456789.") == strlen(name) ? strlen(name) : strcspn(name, ".");
    size_t i;

    for (i = 0; i < end && i < DB_KEY - 1; i++)
        key[i] = (char)tolower((unsigned char)name[i]);
    key[i] = 0;
    if (strncmp(key, "nid", 3) == 0)
        pad_nid(key);
}

int db_natural_order(const char *a, const char *b)
{
    const char *x = a, *y = b;

    while (*x && *y) {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            const char *p = x + strspn(x, "0"), *q = y + strspn(y, "0");
            size_t m = strspn(p, "0123456789"), n = strspn(q, "0123456789");
            int order = m != n ? (m < n ? -1 : 1) : strncmp(p, q, m);

            if (order)
                return order;
            x = p + m;
            y = q + n;
        } else {
            int order = tolower((unsigned char)*x++) - tolower((unsigned char)*y++);

            if (order)
                return order;
        }
    }
    return *x || *y ? (*x ? 1 : -1) : strcmp(a, b);
}

/* ---- In questions -------------------------------------------------------------------------- */

/* What a finding has room for tells names apart. */
static int human(void *unused, int m, const void *a, int n, const void *b)
{
    char x[1024], y[1024];

    (void)unused;
    snprintf(x, sizeof x, "%.*s", m, (const char *)a);
    snprintf(y, sizeof y, "%.*s", n, (const char *)b);
    return db_natural_order(x, y);
}

static void peers(sqlite3_context *context, int count, sqlite3_value **value)
{
    const char *name = (const char *)sqlite3_value_text(value[0]);
    char kind[DB_KEY];
    size_t used = 0;

    (void)count;
    for (; name && *name && *name != '.' && used + 1 < sizeof kind; name++)
        if (!isdigit((unsigned char)*name))
            kind[used++] = (char)tolower((unsigned char)*name);
        else if (!used || kind[used - 1] != '#')
            kind[used++] = '#';
    sqlite3_result_text(context, kind, (int)used, SQLITE_TRANSIENT);
}

static void link_mbps(sqlite3_context *context, int count, sqlite3_value **value)
{
    int64_t mbps = sqlite3_value_int64(value[2]);

    (void)count;
    sqlite3_result_int64(context, mbps ? mbps
                                       : ib_mbps((uint32_t)sqlite3_value_int(value[0]),
                                                 (uint32_t)sqlite3_value_int(value[1])));
}

static void link_class(sqlite3_context *context, int count, sqlite3_value **value)
{
    uint32_t width = (uint32_t)sqlite3_value_int(value[0]);
    uint32_t speed = (uint32_t)sqlite3_value_int(value[1]);
    int64_t mbps = sqlite3_value_int64(value[2]);
    const char *kind = (const char *)sqlite3_value_text(value[3]);
    char name[40] = "unknown";

    (void)count;
    if (kind && *kind)
        snprintf(name, sizeof name, "%s", kind);
    else if (mbps)
        snprintf(name, sizeof name, "%gG", (double)mbps / 1000.0);
    else if (width && speed && speed <= IB_SPEEDS)
        snprintf(name, sizeof name, "%ux%s", width, ib_speeds[speed].name);
    sqlite3_result_text(context, name, -1, SQLITE_TRANSIENT);
}

static void link_cost(sqlite3_context *context, int count, sqlite3_value **value)
{
    uint64_t reference = (uint64_t)sqlite3_value_int64(value[0]);
    uint64_t mbps = (uint64_t)sqlite3_value_int64(value[1]), cost = TOPOMAP_HOP;

    (void)count;
    if (reference && mbps)
        cost = (reference * TOPOMAP_HOP + mbps / 2) / mbps;
    sqlite3_result_int64(context, cost < 1                   ? 1
                                  : cost > TOPOMAP_COST_MOST ? TOPOMAP_COST_MOST
                                                             : (int64_t)cost);
}

int db_functions_register(sqlite3 *file, topomap_error *err)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *context, int count, sqlite3_value **value);
    } functions[] = {{"link_mbps", 3, link_mbps},
                     {"link_class", 4, link_class},
                     {"link_cost", 2, link_cost},
                     {"peers", 1, peers}};
    int code = sqlite3_create_collation(file, "human", SQLITE_UTF8, NULL, human);

    for (size_t i = 0; code == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        code = sqlite3_create_function(file, functions[i].name, functions[i].arguments,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, functions[i].call,
                                       NULL, NULL);
    return code == SQLITE_OK ? 0 : db_failed(file, err);
}
