/* SPDX-License-Identifier: BSD-3-Clause */
/* Google Cloud: `gcloud compute instances list`, as
 * --format="csv[no-heading](zone,resourceStatus.physicalHost,name)"
 *
 *   us-central1-a,/CCCC/bbbb/0000,node-0
 *
 * or as JSON, with resourceStatus.physicalHostTopology.{cluster,block,subblock,host} or
 * resourceStatus.physicalHost. A host that two instances share is a level, too. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/cloud/levels.h"
#include "topology-db/import/json_reader.h"
#include "util/alloc.h"
#include "util/text.h"

enum { PLACE = 512, PARTS = 4 };

struct entry {
    char zone[DB_KEY], place[PLACE], name[DB_KEY]; /* place: "/CCCC/bbbb/0000", or "" */
    size_t line;
};

static int add(struct db_import *import, struct levels *levels, const char *zone, const char *place,
               const char *name, size_t line)
{
    struct entry entry = {.line = line};
    const char *slash = strrchr(zone, '/'); /* of a URL */

    if (!*name || strlen(name) >= DB_KEY || strlen(zone) >= DB_KEY || strlen(place) >= PLACE ||
        (*place && *place != '/'))
        return db_fail(import, line,
                       "expected a zone, a physical host such as /CCCC/bbbb/0000, and a name, "
                       "not '%.40s,%.40s,%.40s'",
                       zone, place, name);
    strcpy(entry.zone, slash ? slash + 1 : zone);
    strcpy(entry.place, place);
    strcpy(entry.name, name);
    return db_list_add(&levels->rows, &entry, sizeof entry, import->err);
}

/* ---- CSV ----------------------------------------------------------------------------------- */

static int read_line(struct db_import *import, void *content, char *line)
{
    size_t lineno = topomap_input_lineno(import->input);
    char *field[PARTS];
    int fields;

    if (!line[strspn(line, " \t")] || *line == '#')
        return 0;
    fields = db_fields(line, ',', field, PARTS);
    if (lineno == 1 && strcmp(field[0], "zone") == 0)
        return 0;
    if (fields != 3)
        return db_fail(import, lineno,
                       "expected zone,physicalHost,name: gcloud compute instances list "
                       "--format=\"csv[no-heading](zone,resourceStatus.physicalHost,name)\"");
    return add(import, content, field[0], field[1], field[2], lineno);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static int take_instance(struct db_import *import, void *levels, const json_t *instance,
                         size_t line)
{
    static const char *const parts[PARTS] = {"cluster", "block", "subblock", "host"};
    const json_t *status = json_object_get(instance, "resourceStatus");
    const json_t *topology = json_object_get(status, "physicalHostTopology");
    const char *host = db_json_text(status, "physicalHost"), *name = db_json_text(instance, "name");
    const char *zone = db_json_text(instance, "zone");
    char place[PLACE] = "";

    if (topology)
        for (int i = 0; i < PARTS; i++) {
            const char *part = db_json_text(topology, parts[i]);

            if (part)
                topomap_text_append(place, sizeof place, "/%s", part);
        }
    return add(import, levels, zone ? zone : "", *place || !host ? place : host, name ? name : "",
               line);
}

static int read_json(struct db_import *import, void *levels)
{
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};

    return db_json_read(import, &json)
               ? -1
               : db_json_each(import, &json, NULL,
                              "expected a list of instances, as `gcloud compute instances list "
                              "--format=json` prints it",
                              take_instance, levels);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static int begin(struct db_import *import, void *content)
{
    char first;

    if (db_first_byte(import, &first))
        return -1;
    return first == '{' || first == '[' ? read_json(import, content) : 0;
}

TOPOMAP_COMPARE(by_place, struct entry, strcmp(x->place, y->place), TOPOMAP_ORDER(x->line, y->line))

/* The zone, and each part with those before it, the last where it is shared. */
static int put(struct db_import *import, struct levels *levels, const struct entry *entry,
               int shared)
{
    char text[LEVELS_MOST][PLACE];
    const char *level[LEVELS_MOST];
    int count = 0, zone = *entry->zone != 0;

    for (const char *at = entry->place; *at && count + 1 < LEVELS_MOST; count++) {
        at++;
        at += strcspn(at, "/");
        snprintf(text[count], PLACE, "%.*s", (int)(at - entry->place), entry->place);
    }
    if (count > 1 && !shared)
        count--;
    level[0] = entry->zone;
    for (int i = 0; i < count; i++)
        level[i + zone] = text[i];
    return levels_add(levels, import, entry->name, level, count ? count + zone : 0, entry->line);
}

static int check(struct db_import *import, void *data)
{
    struct levels *levels = data;
    struct entry *entry = levels->rows.row;
    size_t rows = levels->rows.rows;

    TOPOMAP_SORT(entry, rows, by_place);
    for (size_t i = 0; i < rows; i++) {
        int shared = (i && strcmp(entry[i - 1].place, entry[i].place) == 0) ||
                     (i + 1 < rows && strcmp(entry[i + 1].place, entry[i].place) == 0);

        if (put(import, levels, &entry[i], shared))
            return -1;
    }
    return levels_finish(import, levels);
}

const db_importer db_gcp_topology = {
    .row = {"gcp-topology",
            "Google Cloud: lines 'zone,physicalHost,name' or the JSON of `gcloud compute instances "
            "list`; levels, no links"},
    LEVELS_IMPORTER,
    .begin = begin,
    .line = read_line,
    .check = check,
};
