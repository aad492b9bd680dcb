/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/store.h"

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

int db_names_register(sqlite3 *file, topomap_error *err)
{
    return sqlite3_create_collation(file, "human", SQLITE_UTF8, NULL, human) == SQLITE_OK &&
                   sqlite3_create_function(file, "peers", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                           NULL, peers, NULL, NULL) == SQLITE_OK
               ? 0
               : db_failed(file, err);
}
