/* SPDX-License-Identifier: BSD-3-Clause */
/* `scontrol show config`: what of it decides in which order Slurm gives tasks to nodes. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/import.h"
#include "topology-db/query/query.h"

/* The first releases with topology.yaml, and with block steps along the topology. */
enum { WITH_YAML = 2505, WITH_RANKS = 2605 };

/* ---- Reading ------------------------------------------------------------------------------ */

#define FIELD(name)                                                                                \
    offsetof(topomap_db_slurm_config, name), sizeof(((topomap_db_slurm_config *)NULL)->name)

/* Where each is in what scontrol prints, and in the database. */
static const struct field {
    const char *key, *setting;
    size_t at, size;
} fields[] = {
    {"SLURM_VERSION", "version", FIELD(version)},
    {"TopologyPlugin", "plugin", FIELD(plugin)},
    {"TopologyParam", "topology", FIELD(topology)},
    {"SelectType", "select_type", FIELD(select_type)},
    {"SelectTypeParameters", "select", FIELD(select)},
    {NULL, "topology.yaml", FIELD(yaml)}, /* the import's option */
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* A line `Key = value` or `Key=value`; others are not looked at. Values that are too long for what
 * we look for in them are cut. */
static void take_line(char *line, topomap_db_slurm_config *config)
{
    char *equals = strchr(line, '='), *value;
    size_t length;

    if (!equals)
        return;
    line += strspn(line, " \t");
    length = strcspn(line, " \t=");
    value = equals + 1 + strspn(equals + 1, " \t");
    value[strcspn(value, " \t\r")] = 0;
    for (const struct field *f = fields; f < fields + FIELDS; f++)
        if (f->key && strlen(f->key) == length && strncasecmp(f->key, line, length) == 0)
            snprintf((char *)config + f->at, f->size, "%s", value);
}

/* Year and month as one number: 2605; 0 where it is no version. */
static int release_of(const char *version)
{
    char *end;
    unsigned long year = strtoul(version, &end, 10), month;

    if (end == version || *end != '.' || year > 99)
        return 0;
    month = strtoul(end + 1, &end, 10);
    return *end == '.' && month <= 12 ? (int)(year * 100 + month) : 0;
}

static int read_config(topomap_input *input, topomap_db_slurm_config *config, topomap_error *err)
{
    char *line;
    size_t length;
    int got;

    *config = (topomap_db_slurm_config){0};
    while ((got = topomap_input_line(input, 0, &line, &length, err)) > 0)
        take_line(line, config);
    if (got < 0)
        return -1;
    return release_of(config->version)
               ? 0
               : topomap_input_fail(
                     input, err, "no SLURM_VERSION: expected what `scontrol show config` prints");
}

int topomap_db_slurm_config_read(const char *text, topomap_db_slurm_config *config,
                                 topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;

    return DB_STATUS(
        topomap_input_memory("scontrol show config", text, strlen(text), &input, err) ||
        read_config(input, config, err));
}

/* ---- Deciding ----------------------------------------------------------------------------- */

static int has_word(const char *list, const char *word)
{
    while (*list) {
        size_t length = strcspn(list, ",");

        if (strlen(word) == length && strncasecmp(word, list, length) == 0)
            return 1;
        list += length + (list[length] == ',');
    }
    return 0;
}

/* The nodes themselves are in the order of the topology (slurm 23.02 and later,
 * slurmctld/read_config.c, _sort_node_record_table_ptr), so cyclic and plane layouts, too, are.
 * \p kind NULL: of any. */
static const char *node_rank_word(const topomap_db_slurm_config *config, const char *kind)
{
    static const struct {
        const char *word, *kind;
        int since;
    } words[] = {{"SwitchAsNodeRank", "tree", 2302}, {"BlockAsNodeRank", "block", 2511}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((!kind || strcmp(words[i].kind, kind) == 0) &&
            has_word(config->topology, words[i].word) &&
            release_of(config->version) >= words[i].since)
            return words[i].word;
    return NULL;
}

/* Topologies that rank nodes in 26.05. */
static int is_ranked(const char *kind)
{
    return has_word("tree,block,ring,torus3d", kind);
}

/* What keeps 26.05 from ranks: only select/cons_tres asks for them (slurm 26.05,
 * select/cons_tres/job_test.c). An earlier topomap kept no SelectType. */
static const char *unranked_by(const topomap_db_slurm_config *config)
{
    static const char off[] = "CR_NO_DIST_TOPO_BLOCK";

    if (*config->select_type && strcmp(config->select_type, "select/cons_tres") != 0)
        return config->select_type;
    return has_word(config->select, off) ? off : NULL;
}

/* Whether another topology than TopologyPlugin's may decide: that of a topology.yaml (slurm 25.05
 * and later) that nobody imported. scontrol does not show it: the plugin is flat's, if it was not
 * left in slurm.conf. */
static int is_unsure(const topomap_db_slurm_config *config, const char *kind)
{
    int release = release_of(config->version);

    return release >= WITH_YAML && strcmp(config->yaml, "none") != 0 &&
           (!is_ranked(kind) || *config->yaml) &&
           (node_rank_word(config, NULL) || (release >= WITH_RANKS && !unranked_by(config)));
}

/* \p kind: of the topology, by its name in TopologyPlugin without "topology/". */
static void decide(const topomap_db_slurm_config *config, const char *kind, int is_yaml,
                   topomap_db_slurm_order *order)
{
    const char *word = node_rank_word(config, kind), *off = unranked_by(config), *last;
    int ranked = release_of(config->version) >= WITH_RANKS && is_ranked(kind);

    order->numbered = word != NULL;
    order->ranked = ranked && !off;
    order->topology = order->numbered || order->ranked;
    order->unsure = !is_yaml && is_unsure(config, kind);
    last = word ? word : ranked && off ? off : order->unsure ? "if there is no topology.yaml" : "";
    snprintf(order->because, sizeof order->because, "Slurm %s, topology/%s%s%s", config->version,
             *kind ? kind : "?", *last ? ", " : "", last);
}

/* ---- The database ------------------------------------------------------------------------- */

int slurm_put_setting(sqlite3 *file, int64_t source, const char *name, const char *value,
                      topomap_error *err)
{
    return DB_RUN(file, "INSERT OR REPLACE INTO slurm_setting VALUES(?,?,?)", err, DB_TEXT(name),
                  DB_INT(source), DB_TEXT(value));
}

int slurm_get_setting(sqlite3 *file, const char *name, char *text, size_t size, topomap_error *err)
{
    DB_ROWS rows =
        db_ask_if(file, "slurm_setting", "SELECT value FROM slurm_setting WHERE name=?", err);

    *text = 0;
    if (rows.row)
        sqlite3_bind_text(rows.row, 1, name, -1, SQLITE_STATIC);
    if (db_next(&rows))
        snprintf(text, size, "%s", db_column_text(rows.row, 0));
    return rows.result;
}

/* topology.yaml overrides TopologyPlugin, topology.conf is what the plugin reads
 * (src/interfaces/topology.c, topology_g_init, 25.05 and later). */
static int find_kind(sqlite3 *file, const topomap_db_slurm_config *config, char *kind, size_t size,
                     int *is_yaml, topomap_error *err)
{
    char format[16];
    const char *slash = strrchr(config->plugin, '/');
    DB_ROWS rows = {0};

    snprintf(kind, size, "%s", slash ? slash + 1 : config->plugin);
    if (slurm_get_setting(file, "format", format, sizeof format, err))
        return -1;
    *is_yaml = strcmp(format, "yaml") == 0 && release_of(config->version) >= WITH_YAML;
    if (!*is_yaml)
        return 0;
    rows = db_ask(file, "SELECT kind FROM slurm_topology WHERE chosen", err);
    if (db_next(&rows))
        snprintf(kind, size, "%s", (const char *)sqlite3_column_text(rows.row, 0));
    return rows.result;
}

int topomap_db_slurm_order_of(topomap_db *db, const topomap_db_slurm_config *config,
                              topomap_db_slurm_order *order, topomap_error *err)
{
    topomap_db_slurm_config stored = {0};
    char kind[64];
    int is_yaml;

    *order = (topomap_db_slurm_order){0};
    if (!db->file)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: nothing has been imported yet",
                                 db->path);
    for (const struct field *f = fields; !config && f < fields + FIELDS; f++)
        if (slurm_get_setting(db->file, f->setting, (char *)&stored + f->at, f->size, err))
            return -1;
    if (!config)
        config = &stored;
    if (!*config->version) {
        snprintf(order->because, sizeof order->because, "no slurm-config is imported");
        return 0;
    }
    if (find_kind(db->file, config, kind, sizeof kind, &is_yaml, err))
        return -1;
    decide(config, kind, is_yaml, order);
    return 0;
}

/* ---- The importer ------------------------------------------------------------------------- */

static int read_file(struct db_import *import, void *content)
{
    topomap_db_slurm_config *config = content;
    const char *yaml = db_option(import, "topology.yaml");

    if (read_config(import->input, config, import->err))
        return -1;
    if (yaml)
        snprintf(config->yaml, sizeof config->yaml, "%s", yaml);
    return 0;
}

static int write_file(struct db_import *import, void *content)
{
    for (const struct field *f = fields; f < fields + FIELDS; f++)
        if (slurm_put_setting(import->file, import->source, f->setting,
                              (const char *)content + f->at, import->err))
            return -1;
    return 0;
}

static const topomap_graph_option options[] = {
    {"topology.yaml", "none",
     "Slurm 25.05 and later: there is no topology.yaml, so TopologyPlugin decides"},
    {NULL, NULL, NULL},
};

const db_importer db_slurm_config = {
    .row = {"slurm-config",
            "what `scontrol show config` prints: in which order Slurm gives tasks to nodes",
            options},
    .singleton = 1,
    .tables = {"slurm_setting"},
    .size = sizeof(topomap_db_slurm_config),
    .begin = read_file,
    .write = write_file,
};
