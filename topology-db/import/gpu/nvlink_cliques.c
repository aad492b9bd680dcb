/* SPDX-License-Identifier: BSD-3-Clause */
/* NVLink domains: which nodes' GPUs reach each other over NVLink. A line a node or a GPU of it:
 *
 *   node01, 8c1a...-..., 32766      node, fabric.clusterUuid, fabric.cliqueId of nvidia-smi
 *   node01 8c1a...-....32766        the Kubernetes label nvidia.com/gpu.clique
 *
 * N/A and a UUID of zeros: the node is in none. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology-db/derive/derive.h"
#include "topology-db/import/import.h"

enum { DOMAIN = 80 };

struct entry {
    char key[DB_KEY], node[DB_KEY], domain[DOMAIN];
    size_t line;
};

static int is_none(const char *uuid)
{
    return strcasecmp(uuid, "N/A") == 0 || strcmp(uuid, "-") == 0 || !uuid[strspn(uuid, "0-.")];
}

static int is_word(const char *text, const char *also)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(also, *text))
            return 0;
    return 1;
}

static int read_line(struct db_import *import, void *content, char *line, topomap_error *err)
{
    struct entry entry = {.line = topomap_input_lineno(import->input)};
    char *word[4];
    int words;

    line[strcspn(line, "#")] = 0;
    words = db_words(line, ", \t", word, 4);
    if (!words || (words == 3 && strcmp(word[0], "node") == 0))
        return 0;
    if (words < 2 || words > 3)
        return topomap_input_fail(import->input, err,
                                  "expected a node, a cluster UUID and a clique");
    if (strlen(word[0]) >= DB_KEY || !is_word(word[0], ".-_"))
        return topomap_input_fail(import->input, err, "'%.60s' is not a node name", word[0]);
    if (is_none(word[1]))
        return 0;
    if (words == 2 && !strchr(word[1], '.'))
        return topomap_input_fail(import->input, err, "no clique behind the UUID");
    if (strlen(word[1]) > 60 || !is_word(word[1], words == 2 ? "-." : "-"))
        return topomap_input_fail(import->input, err, "'%.60s' is not a cluster UUID", word[1]);
    if (words == 3 && (strlen(word[2]) > 10 || word[2][strspn(word[2], "0123456789")]))
        return topomap_input_fail(import->input, err, "'%.40s' is not a clique: expected a number",
                                  word[2]);
    db_host_key(word[0], entry.key);
    strcpy(entry.node, word[0]);
    snprintf(entry.domain, sizeof entry.domain, "%s%s%s", word[1], words == 3 ? "." : "",
             words == 3 ? word[2] : "");
    return db_list_add(content, &entry, sizeof entry, err);
}

static int by_node(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->key, y->key);

    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static int check(struct db_import *import, void *content, topomap_error *err)
{
    const struct db_list *list = content;
    struct entry *entry = list->row;

    if (!list->rows)
        return topomap_input_fail(import->input, err, "no node is in an NVLink domain");
    qsort(entry, list->rows, sizeof *entry, by_node);
    for (size_t i = 1; i < list->rows; i++)
        if (strcmp(entry[i - 1].key, entry[i].key) == 0 &&
            strcmp(entry[i - 1].domain, entry[i].domain) != 0)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s:%zu: node '%.100s' is in another domain on line %zu",
                                     import->path, entry[i].line, entry[i].node, entry[i - 1].line);
    return 0;
}

static int write_cliques(struct db_import *import, void *content, topomap_error *err)
{
    const struct db_list *list = content;
    const struct entry *entry = list->row;
    sqlite3_stmt *insert = db_prepare(import->file, "INSERT INTO clique VALUES(?,?,?)", err);
    int result = insert ? 0 : -1;

    for (size_t i = 0; !result && i < list->rows; i++) {
        if (i && strcmp(entry[i - 1].key, entry[i].key) == 0)
            continue;
        result = DB_PUT(insert, err, DB_INT(import->source), DB_TEXT(entry[i].node),
                        DB_TEXT(entry[i].domain));
        import->report->hosts++;
    }
    sqlite3_finalize(insert);
    return result;
}

const db_importer db_nvlink_cliques = {
    .row =
        {"nvlink-cliques",
         "NVLink domains: lines 'node, cluster UUID, clique', of nvidia-smi's fabric.clusterUuid "
         "and fabric.cliqueId",
         NULL},
    .tables = {"clique"},
    .read = db_read_content,
    .size = sizeof(struct db_list),
    .line = read_line,
    .check = check,
    .write = write_cliques,
    .free = db_list_free,
};
