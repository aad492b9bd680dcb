/* SPDX-License-Identifier: BSD-3-Clause */
/* NVLink domains: which nodes' GPUs reach each other over NVLink. A line a node or a GPU of it:
 *
 *   node01, 8c1a...-..., 32766      node, fabric.clusterUuid, fabric.cliqueId of nvidia-smi
 *   node01 8c1a...-....32766        the Kubernetes label nvidia.com/gpu.clique
 *
 * N/A and a UUID of zeros: the node is in none. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/import.h"
#include "util/hostlist.h"

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

static int read_line(struct db_import *import, void *content, char *line)
{
    char *word[4], domain[DB_DOMAIN];
    int words;

    line[strcspn(line, "#")] = 0;
    words = db_words(line, ", \t", word, 4);
    if (!words || (words == 3 && strcmp(word[0], "node") == 0))
        return 0;
    if (words < 2 || words > 3)
        return db_fail_here(import, "expected a node, a cluster UUID and a clique");
    if (!topomap_is_node_name(word[0], strlen(word[0])))
        return db_fail_here(import, "'%.60s' is not a node name", word[0]);
    if (is_none(word[1]))
        return 0;
    if (words == 2 && !strchr(word[1], '.'))
        return db_fail_here(import, "no clique behind the UUID");
    if (strlen(word[1]) > 60 || !is_word(word[1], words == 2 ? "-." : "-"))
        return db_fail_here(import, "'%.60s' is not a cluster UUID", word[1]);
    if (words == 3 && (strlen(word[2]) > 10 || word[2][strspn(word[2], "0123456789")]))
        return db_fail_here(import, "'%.40s' is not a clique: expected a number", word[2]);
    snprintf(domain, sizeof domain, "%s%s%s", word[1], words == 3 ? "." : "",
             words == 3 ? word[2] : "");
    return db_domains_add(content, word[0], domain, topomap_input_lineno(import->input),
                          import->err);
}

static int check(struct db_import *import, void *content)
{
    struct db_list *list = content;

    if (!list->rows)
        return db_fail_here(import, "no node is in an NVLink domain");
    return db_domains_check(import, list);
}

static int write_cliques(struct db_import *import, void *content)
{
    const struct db_list *list = content;

    import->report->hosts += list->rows;
    return db_domains_write(import, list);
}

const db_importer db_nvlink_cliques = {
    .row =
        {"nvlink-cliques",
         "NVLink domains: lines 'node, cluster UUID, clique', of nvidia-smi's fabric.clusterUuid "
         "and fabric.cliqueId"},
    .tables = {"clique"},
    .size = sizeof(struct db_list),
    .line = read_line,
    .check = check,
    .write = write_cliques,
    .clear = db_list_clear,
};
