/* SPDX-License-Identifier: BSD-3-Clause */
/* AWS: `aws ec2 describe-instance-topology`, whose lists of network nodes begin at the top,
 *
 *   {"Instances":[{"InstanceId":"i-0a..","NetworkNodes":["nn-1","nn-2","nn-3"],"ZoneId":".."}],
 *    "NextToken":".."}
 *
 * and, for the names, `aws ec2 describe-instances`, of which a private DNS name is taken:
 *
 *   {"Reservations":[{"Instances":[{"InstanceId":"i-0a..","PrivateDnsName":"ip-10-0-0-1.internal"}]}]}
 */
#include <string.h>

#include "topology-db/import/cloud/levels.h"
#include "topology-db/import/json_reader.h"
#include "util/alloc.h"

/* Of all pages of one answer. */
struct pages {
    struct levels levels; /* first, as levels_write() wants it */
    size_t pages, going_on;
    json_t *names; /* by InstanceId, read with the first page */
};

static void pages_clear(void *data)
{
    struct pages *pages = data;

    json_decref(pages->names);
    levels_clear(&pages->levels);
}

/* ---- Names --------------------------------------------------------------------------------- */

static int read_names(struct db_import *import, void *names)
{
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};
    json_t *reservation, *instance;
    size_t i, k;

    if (db_json_read(import, &json))
        return -1;
    json_array_foreach(json_object_get(json.root, "Reservations"), i, reservation)
        json_array_foreach(json_object_get(reservation, "Instances"), k, instance)
    {
        const char *id = db_json_text(instance, "InstanceId");
        const char *name = db_json_text(instance, "PrivateDnsName");
        char node[DB_KEY];

        if (!id || !name)
            continue; /* it has ended */
        snprintf(node, sizeof node, "%.*s", (int)strcspn(name, "."), name);
        if (json_object_set_new(names, id, json_string(node)))
            return db_fail(import, 0, "'%.60s' cannot be an instance's name", node);
    }
    if (!json_object_size(names))
        return db_fail(import, 1,
                       "no \"Reservations\" with \"Instances\" that have a PrivateDnsName: "
                       "expected what `aws ec2 describe-instances` prints");
    return 0;
}

/* ---- Instances ----------------------------------------------------------------------------- */

static int take_instance(struct db_import *import, void *data, const json_t *instance, size_t line)
{
    struct pages *pages = data;
    const char *id = db_json_text(instance, "InstanceId"), *level[LEVELS_MOST], *name;
    const json_t *nodes = json_object_get(instance, "NetworkNodes");
    size_t count = json_array_size(nodes);

    if (!id || count > LEVELS_MOST || (nodes && !json_is_null(nodes) && !json_is_array(nodes)))
        return db_fail(import, line,
                       "expected an instance with \"InstanceId\" and a list of at most %d "
                       "\"NetworkNodes\"",
                       LEVELS_MOST);
    for (size_t i = 0; i < count; i++) {
        level[i] = json_string_value(json_array_get(nodes, i));
        if (!level[i] || !*level[i])
            return db_fail(import, line, "\"NetworkNodes\" of '%.60s': expected names", id);
    }
    name = json_string_value(json_object_get(pages->names, id));
    if (name && levels_alias(&pages->levels, id, name, import->err))
        return -1;
    return levels_add(&pages->levels, import, id, level, (int)count, line);
}

/* The option's file is read once: it may be standard input. */
static int begin(struct db_import *import, void *data)
{
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};
    struct pages *pages = data;
    const char *path = db_option(import, "names");

    if (path && !pages->names) {
        pages->names = json_object();
        if (!pages->names)
            return topomap_error_set(import->err, TOPOMAP_ESYSTEM, "out of memory: names");
        if (db_read_other(import, path, read_names, pages->names))
            return -1;
    }
    if (db_json_read(import, &json))
        return -1;
    pages->pages++;
    pages->going_on += db_json_text(json.root, "NextToken") != NULL;
    return db_json_each(
        import, &json, "Instances",
        "no list \"Instances\": expected what `aws ec2 describe-instance-topology` prints",
        take_instance, pages);
}

static int check(struct db_import *import, void *data)
{
    struct pages *pages = data;

    if (pages->going_on == pages->pages) { /* none was the last one */
        import->report->partial = 1;
        db_warn(import, 0, "the answer goes on (NextToken): import all its pages at once");
    }
    return levels_finish(import, &pages->levels);
}

static const topomap_graph_option options[] = {
    {"names", "FILE",
     "what `aws ec2 describe-instances` prints: nodes are called by their private DNS names"},
    {NULL, NULL, NULL},
};

const db_importer db_aws_topology = {
    .row = {"aws-topology",
            "AWS: `aws ec2 describe-instance-topology`; levels, no links; several pages are one "
            "source",
            options},
    .tables = {"vertex", "link", "alias", "clique"},
    .joins = 1,
    .size = sizeof(struct pages),
    .begin = begin,
    .check = check,
    .write = levels_write,
    .clear = pages_clear,
};
