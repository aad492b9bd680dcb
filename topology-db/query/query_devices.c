/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/query/query.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/sql_functions.h"
#include "util/alloc.h"

/* Databases of earlier versions lack the tables until the next import. */
static int are_known(topomap_db *db, int *there, topomap_error *err)
{
    return db_imported(db, err) || db_has_table(db->file, "host_devices", there, err) ? -1 : 0;
}

/* ---- One node ------------------------------------------------------------------------------ */

static topomap_device *find_bus(topomap_devices *devices, uint64_t bus)
{
    for (uint32_t i = 0; bus && i < devices->count; i++)
        if (devices->device[i].bus == bus)
            return &devices->device[i];
    return NULL;
}

/* A later source wins. */
static int take_owned(topomap_db *db, const char *name, topomap_devices *devices,
                      topomap_error *err)
{
    DB_ROWS rows = {0};
    char key[DB_KEY];

    db_host_key(name, key);
    rows = DB_ASK(db->file,
                  "SELECT bus, uuid, state FROM own_device WHERE key = ?1 OR key IN (SELECT key"
                  " FROM nickname WHERE host = (SELECT id FROM host WHERE key = ?1))"
                  " ORDER BY source, rowid",
                  err, DB_TEXT(key));
    while (db_next(&rows)) {
        topomap_device *device = find_bus(devices, db_u64(rows.row, 0));
        const char *uuid = db_column_text(rows.row, 1);

        if (!device)
            continue;
        if (*uuid && strlen(uuid) < sizeof device->uuid)
            strcpy(device->uuid, uuid);
        if (!db_is_null(rows.row, 2))
            device->state = sqlite3_column_int(rows.row, 2);
    }
    return rows.result;
}

/* The fabric's ports say more than the node's own file, which may be old. A NIC is up where one of
 * its ports is. */
static int take_port(const topomap_db_port *port, void *data)
{
    topomap_devices *devices = data;

    for (uint32_t i = devices->gpus; *port->adapter && *port->state && i < devices->count; i++) {
        topomap_device *device = &devices->device[i];
        int up = strcmp(port->state, "up") == 0;

        if (strcmp(device->name, port->adapter) == 0)
            device->state = up || device->state == 2 ? 2 : 0;
    }
    return 0;
}

static int read_set(topomap_db *db, int64_t host, topomap_devices *devices, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(db->file,
                          "SELECT text FROM host_devices JOIN device_set"
                          " ON device_set.id = devices WHERE host=?",
                          err, DB_INT(host));

    *devices = (topomap_devices){0};
    if (db_next(&rows))
        return topomap_devices_parse(db_column_text(rows.row, 0), devices, err);
    return rows.result;
}

int topomap_db_devices(topomap_db *db, const char *node, topomap_devices *devices,
                       topomap_error *err)
{
    topomap_devices found = {0};
    DB_FINDER finder = {0};
    struct db_place place;
    int there, result;

    *devices = found;
    if (are_known(db, &there, err) || db_finder_open(db, &finder, err) ||
        db_finder_find(&finder, node, &place, err))
        return -1;
    if (!there)
        return 0;
    result = read_set(db, place.host, &found, err);
    if (!result && found.count)
        result = take_owned(db, place.name, &found, err) ||
                 topomap_db_ports(db, node, take_port, &found, err);
    for (uint32_t i = 0; i < found.count; i++)
        found.device[i].state -= found.device[i].state == 2;
    if (result) {
        topomap_devices_clear(&found);
        return -1;
    }
    *devices = found;
    return 0;
}

int topomap_db_domain(topomap_db *db, const char *node, char *domain, size_t size,
                      topomap_error *err)
{
    DB_ROWS rows = {0};
    int64_t id;
    int there;

    *domain = 0;
    if (are_known(db, &there, err) || db_host_id(db, node, &id, err))
        return -1;
    if (!there)
        return 0;
    rows = DB_ASK(db->file, "SELECT domain FROM host_domain WHERE host=?", err, DB_INT(id));
    if (db_next(&rows))
        snprintf(domain, size, "%s", db_column_text(rows.row, 0));
    return rows.result;
}

int topomap_db_shape(topomap_db *db, const char *node, topomap_shape *shape, topomap_error *err)
{
    DB_ROWS rows = {0};
    int64_t id;

    *shape = (topomap_shape){0};
    if (db_host_id(db, node, &id, err))
        return -1;
    rows = DB_ASK(db->file,
                  "SELECT shape FROM host JOIN class ON class.id = host.class WHERE host.id=?", err,
                  DB_INT(id));
    if (db_next(&rows))
        return topomap_shape_parse(db_column_text(rows.row, 0), shape, err);
    return rows.result;
}

/* ---- Many ---------------------------------------------------------------------------------- */

struct looking {
    topomap_db *db;
    topomap_db_device_classes *found;
    int64_t *set; /* [classes] */
    size_t room, set_room, domain_room;
    sqlite3_stmt *by_host;
};

static int add_class(struct looking *l, int64_t set, const char *text, uint32_t *class,
                     topomap_error *err)
{
    topomap_db_device_classes *found = l->found;

    for (*class = 0; *class < found->classes; ++*class)
        if (l->set[*class] == set)
            return 0;
    if (topomap_grow(&l->set, &l->set_room, *class + 1u, sizeof *l->set, err) ||
        topomap_grow(&found->class, &l->room, *class + 1u, sizeof *found->class, err) ||
        topomap_devices_parse(text, &found->class[*class], err))
        return -1;
    l->set[found->classes++] = set;
    return 0;
}

static int add_domain(struct looking *l, const char *name, uint32_t *domain, topomap_error *err)
{
    topomap_db_device_classes *found = l->found;

    for (*domain = found->domains; (*domain)-- > 0;) /* the last one, most often */
        if (strcmp(found->domain[*domain], name) == 0)
            return 0;
    *domain = found->domains;
    if (topomap_grow(&found->domain, &l->domain_room, *domain + 1u, sizeof *found->domain, err) ||
        !(found->domain[*domain] = topomap_strdup(name, err)))
        return -1;
    found->domains++;
    return 0;
}

static int look_up(struct looking *l, int64_t host, uint32_t node, topomap_error *err)
{
    topomap_db_device_classes *found = l->found;
    int row, result = 0;

    found->class_of[node] = found->domain_of[node] = TOPOMAP_DB_NO_DEVICES;
    sqlite3_bind_int64(l->by_host, 1, host);
    row = db_step(l->by_host, err);
    if (row == 1 && !db_is_null(l->by_host, 0))
        result = add_class(l, sqlite3_column_int64(l->by_host, 0), db_column_text(l->by_host, 1),
                           &found->class_of[node], err);
    if (row == 1 && !result && !db_is_null(l->by_host, 2))
        result = add_domain(l, db_column_text(l->by_host, 2), &found->domain_of[node], err);
    sqlite3_reset(l->by_host);
    return row < 0 || result ? -1 : 0;
}

static int look_all(struct looking *l, const topomap_names *nodes, int there, topomap_error *err)
{
    DB_FINDER finder = {0};

    if (there)
        l->by_host = db_prepare(l->db->file,
                                "SELECT s.id, s.text, o.domain FROM (SELECT ?1 AS host)"
                                " LEFT JOIN host_devices d USING(host)"
                                " LEFT JOIN device_set s ON s.id = d.devices"
                                " LEFT JOIN host_domain o USING(host)",
                                err);
    if ((there && !l->by_host) || db_finder_open(l->db, &finder, err))
        return -1;
    for (uint32_t i = 0; i < l->found->nodes; i++) {
        struct db_place place;

        l->found->class_of[i] = l->found->domain_of[i] = TOPOMAP_DB_NO_DEVICES;
        if (db_finder_find(&finder, nodes->name[i], &place, err) ||
            (there && look_up(l, place.host, i, err)))
            return -1;
    }
    return 0;
}

int topomap_db_devices_of(topomap_db *db, const topomap_names *nodes,
                          topomap_db_device_classes *out, topomap_error *err)
{
    topomap_db_device_classes found = {.nodes = (uint32_t)nodes->count};
    struct looking l = {.db = db, .found = &found};
    int there, result;

    if (are_known(db, &there, err))
        return -1;
    found.class_of = topomap_alloc(found.nodes, sizeof *found.class_of, err);
    found.domain_of = topomap_alloc(found.nodes, sizeof *found.domain_of, err);
    result = found.class_of && found.domain_of ? look_all(&l, nodes, there, err) : -1;
    sqlite3_finalize(l.by_host);
    free(l.set);
    if (result) {
        topomap_db_device_classes_clear(&found);
        return -1;
    }
    *out = found;
    return 0;
}

void topomap_db_device_classes_clear(topomap_db_device_classes *found)
{
    for (uint32_t i = 0; i < found->classes; i++)
        topomap_devices_clear(&found->class[i]);
    for (uint32_t i = 0; i < found->domains; i++)
        free(found->domain[i]);
    free(found->class);
    free(found->class_of);
    free(found->domain_of);
    free(found->domain);
    *found = (topomap_db_device_classes){0};
}
