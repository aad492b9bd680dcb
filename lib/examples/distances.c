/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a site's topology database and says how far hosts are from each other: hops, the cost of a
 * byte in tenths of a hop over a reference link, and the way.
 *
 *   distances DATABASE HOSTS
 *   distances /var/lib/topomap/topology.db 'node[01-04]' */
#include <stdio.h>
#include <string.h>
#include <topomap/db.h>

static int say(topomap_db *db, const char *a, const char *b, topomap_error *err)
{
    topomap_db_distance distance = {0};

    if (topomap_db_distance_between(db, a, b, &distance, err) != 0)
        return -1;
    printf("%s %s %u %g", a, b, distance.hops, distance.cost);
    for (const char *at = distance.route; at && *at; at++)
        if (at == distance.route || at[-1] == '\n')
            printf(" %.*s", (int)strcspn(at, "\n"), at);
    putchar('\n');
    topomap_db_distance_clear(&distance);
    return 0;
}

static int say_all(topomap_db *db, const topomap_names *hosts, topomap_error *err)
{
    topomap_db_summary summary;

    if (topomap_db_summarise(db, &summary, err) != 0)
        return -1;
    printf("# %s: %llu hosts, %llu switches\n", summary.topology, (unsigned long long)summary.hosts,
           (unsigned long long)summary.switches);
    for (size_t i = 0; i < hosts->count; i++)
        for (size_t k = i + 1; k < hosts->count; k++)
            if (say(db, hosts->name[i], hosts->name[k], err) != 0)
                return -1;
    return 0;
}

int main(int argc, char **argv)
{
    topomap_db *db = NULL;
    topomap_names hosts = {0};
    topomap_error err;
    int status = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: distances DATABASE HOSTS\n");
        return 2;
    }
    if (topomap_db_open(argv[1], &db, &err) != 0 ||
        topomap_hostlist_expand(argv[2], 0, &hosts, &err) != 0 || say_all(db, &hosts, &err) != 0) {
        fprintf(stderr, "distances: %s\n", err.text);
        status = (int)err.code + 1;
    }
    topomap_names_clear(&hosts);
    topomap_db_close(db);
    return status;
}
