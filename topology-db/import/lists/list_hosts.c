/* SPDX-License-Identifier: BSD-3-Clause */
/* The site's own map: lines `GUID node` or `name node`, where name is what the fabric's dump calls
 * the host (or a Cray NID or component name) and node what Slurm calls it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/import.h"
#include "util/hostlist.h"

struct entry {
    uint64_t guid; /* or 0, then key */
    char key[DB_KEY], node[DB_KEY];
    size_t line;
};

/* `0x2c903...`, 16 digits, or `0002:c903:...`; 0 where it is none of these. */
static uint64_t read_guid(const char *text)
{
    uint64_t guid = 0;
    int digits = 0, prefix = strncmp(text, "0x", 2) == 0, colons = 0;

    for (text += prefix ? 2 : 0; *text; text++) {
        char c = *text;

        if (c == ':' && !prefix && digits && digits % 4 == 0 && isxdigit((unsigned char)text[1])) {
            colons++;
            continue;
        }
        if (!isxdigit((unsigned char)c) || ++digits > 16)
            return 0;
        guid = guid << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return prefix || (digits == 16 && (!colons || colons == 3)) ? guid : 0;
}

static int read_line(struct db_import *import, void *content, char *line)
{
    struct entry entry = {.line = topomap_input_lineno(import->input)};
    char *word[3];
    int words;

    line[strcspn(line, "#")] = 0;
    words = db_words(line, " \t", word, 3);
    if (!words)
        return 0;
    if (words != 2)
        return db_fail_here(import, "expected two words: a GUID or a name, and the Slurm node");
    if (strlen(word[0]) >= DB_KEY || strlen(word[1]) >= DB_KEY)
        return db_fail_here(import, "a name of more than %d characters", DB_KEY - 1);
    if (!topomap_is_node_name(word[1], strlen(word[1])))
        return db_fail_here(import, "'%.60s' is not a node name", word[1]);
    entry.guid = read_guid(word[0]);
    if (!entry.guid && read_guid(word[1]))
        return db_fail_here(
            import, "'%.60s' is a GUID; expected the GUID first, then the Slurm node", word[1]);
    if (!entry.guid)
        db_host_key(word[0], entry.key);
    strcpy(entry.node, word[1]);
    return db_list_add(content, &entry, sizeof entry, import->err);
}

TOPOMAP_COMPARE(by_from, struct entry, TOPOMAP_ORDER(x->guid, y->guid), strcmp(x->key, y->key))

static int check(struct db_import *import, void *content)
{
    const struct db_list *map = content;
    struct entry *entry = map->row;

    if (!map->rows)
        return db_fail_here(import, "no line 'GUID-or-name node'");
    TOPOMAP_SORT(entry, map->rows, by_from);
    for (size_t i = 1; i < map->rows; i++)
        if (by_from(&entry[i - 1], &entry[i]) == 0)
            return db_fail(import, entry[i].line, "mapped on line %zu too", entry[i - 1].line);
    return 0;
}

static int write_map(struct db_import *import, void *content)
{
    const struct db_list *map = content;
    const struct entry *entry = map->row;

    for (size_t i = 0; i < map->rows; i++)
        if (DB_ADD(import, "INSERT INTO alias", DB_INT(import->source),
                   DB_INT_IF(entry[i].guid, entry[i].guid),
                   DB_NAME(entry[i].guid ? NULL : entry[i].key), DB_TEXT(entry[i].node)))
            return -1;
    import->report->hosts = map->rows;
    return 0;
}

const db_importer db_host_map = {
    .row = {"hosts", "site map: lines 'GUID-or-name node'"},
    .tables = {"alias"},
    .size = sizeof(struct db_list),
    .line = read_line,
    .check = check,
    .write = write_map,
    .clear = db_list_clear,
};
