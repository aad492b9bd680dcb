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
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/cloud/levels.h"
#include "topology-db/import/json.h"
#include "util/alloc.h"

/* Of all pages of one answer. */
struct pages {
    struct levels levels; /* first, as levels_write() wants it */
    size_t pages, going_on;
    json_t *names; /* by InstanceId, read with the first page */
};

struct reader {
    struct db_import *import;
    struct pages *pages;
    struct levels *levels;
    topomap_error *err;
};

static void pages_free(void *data)
{
    TOPOMAP_FREED struct pages *pages = data;

    json_decref(pages->names);
    levels_clear(&pages->levels);
}

/* ---- Names --------------------------------------------------------------------------------- */

static int take_names(struct reader *r, const json_t *root)
{
    json_t *reservation, *instance;
    size_t i, k;

    json_array_foreach(json_object_get(root, "Reservations"), i, reservation)
        json_array_foreach(json_object_get(reservation, "Instances"), k, instance)
    {
        const char *id = db_json_text(instance, "InstanceId");
        const char *name = db_json_text(instance, "PrivateDnsName");
        char node[DB_KEY];

        if (!id || !name)
            continue; /* it has ended */
        snprintf(node, sizeof node, "%.*s", (int)strcspn(name, "."), name);
        if (json_object_set_new(r->pages->names, id, json_string(node)))
            return db_json_fail(r->import, 0, r->err, "'%.60s' cannot be an instance's name", node);
    }
    if (!json_object_size(r->pages->names))
        return db_json_fail(r->import, 1, r->err,
                            "no \"Reservations\" with \"Instances\" that have a PrivateDnsName: "
                            "expected what `aws ec2 describe-instances` prints");
    return 0;
}

/* The option's file, read as the import's, and once: it may be standard input. */
static int read_names(struct reader *r)
{
    const char *path = db_option(r->import, "names"), *own = r->import->path;
    topomap_input *input = r->import->input;
    struct db_json json = {0};
    int result;

    if (!path || r->pages->names)
        return 0;
    r->pages->names = json_object();
    if (!r->pages->names)
        return topomap_error_set(r->err, TOPOMAP_ESYSTEM, "out of memory: names");
    if (topomap_input_open(path, &r->import->input, r->err)) {
        r->import->input = input;
        return -1;
    }
    r->import->path = topomap_input_called(path);
    result = topomap_input_unpacked(r->import->input, r->import->options->option, r->err) ||
                     db_json_read(r->import, &json, r->err)
                 ? -1
                 : take_names(r, json.root);
    db_json_clear(&json);
    topomap_input_close(r->import->input);
    r->import->input = input;
    r->import->path = own;
    return result;
}

/* ---- Instances ----------------------------------------------------------------------------- */

static int take_instance(struct reader *r, const json_t *instance, size_t line)
{
    const char *id = db_json_text(instance, "InstanceId"), *level[LEVELS_MOST], *name;
    const json_t *nodes = json_object_get(instance, "NetworkNodes");
    size_t count = json_array_size(nodes);

    if (!id || count > LEVELS_MOST || (nodes && !json_is_null(nodes) && !json_is_array(nodes)))
        return db_json_fail(r->import, line, r->err,
                            "expected an instance with \"InstanceId\" and a list of at most %d "
                            "\"NetworkNodes\"",
                            LEVELS_MOST);
    for (size_t i = 0; i < count; i++) {
        level[i] = json_string_value(json_array_get(nodes, i));
        if (!level[i] || !*level[i])
            return db_json_fail(r->import, line, r->err,
                                "\"NetworkNodes\" of '%.60s': expected names", id);
    }
    name = json_string_value(json_object_get(r->pages->names, id));
    if (name && levels_alias(r->levels, id, name, r->err))
        return -1;
    return levels_add(r->levels, r->import, id, level, (int)count, line, r->err);
}

static int take_instances(struct reader *r, const struct db_json *json)
{
    json_t *list = json_object_get(json->root, "Instances"), *instance;
    size_t *line, lines, i;
    int result;

    if (!json_is_array(list))
        return db_json_fail(r->import, 1, r->err,
                            "no list \"Instances\": expected what `aws ec2 "
                            "describe-instance-topology` prints");
    result = db_json_lines(json, 2, &line, &lines, r->err);
    json_array_foreach(list, i, instance) if (!result) result =
        take_instance(r, instance, i < lines ? line[i] : 0);
    free(line);
    r->pages->pages++;
    r->pages->going_on += db_json_text(json->root, "NextToken") != NULL;
    return result;
}

static int begin(struct db_import *import, void *data, topomap_error *err)
{
    struct pages *pages = data;
    struct reader r = {.import = import, .pages = pages, .levels = &pages->levels, .err = err};
    struct db_json json = {0};
    int result = read_names(&r) || db_json_read(import, &json, err) ? -1 : 0;

    if (!result)
        result = take_instances(&r, &json);
    db_json_clear(&json);
    return result;
}

static int check(struct db_import *import, void *data, topomap_error *err)
{
    struct pages *pages = data;

    if (pages->going_on == pages->pages) { /* none was the last one */
        import->report->partial = 1;
        db_warn(import, 0, "the answer goes on (NextToken): import all its pages at once");
    }
    return levels_finish(&pages->levels, import, "aws", err);
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
    .free = pages_free,
};
