/* SPDX-License-Identifier: BSD-3-Clause */
/* One entry of the store: its names, and its file. */
#include "config.h"
#include "plugin/store/store.h"
#include "plugin/store/program.h"
#include "util/hash64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names ------------------------------------------------------------------------------- */

/* For people: one line. */
static void show(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);

    snprintf(to + used, size - used, "%s%s", used ? " " : "", text);
    for (char *c = to; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

static void find_key(store_entry *entry)
{
    const uint64_t all[] = {entry->family, topomap_hash64_all(&entry->ranks, sizeof entry->ranks),
                            entry->place};

    snprintf(entry->key, sizeof entry->key, "%016llx",
             (unsigned long long)topomap_hash64_all(all, (entry->place ? 3 : 2) * sizeof *all));
}

void store_entry_name(store_entry *entry, const char *program, uint64_t id, char *const *words,
                      const char *key, uint32_t ranks)
{
    const char *slash = strrchr(program, '/');

    *entry = (store_entry){.id = id, .family = id, .ranks = ranks};
    show(entry->program, sizeof entry->program, slash ? slash + 1 : program);
    if (key) {
        entry->family = store_program_cache_key(entry->family ^ 1, key);
        show(entry->words, sizeof entry->words, "key");
        show(entry->words, sizeof entry->words, key);
    }
    for (size_t i = 0; !key && words && words[i]; i++) {
        entry->family = store_program_cache_key(entry->family, words[i]);
        if (strlen(entry->words) < sizeof entry->words - 1)
            show(entry->words, sizeof entry->words, words[i]);
    }
    find_key(entry);
}

void store_entry_case(store_entry *entry, const char *folder, const char *input)
{
    *entry->folder = *entry->input = 0;
    entry->place = store_program_cache_key(store_program_cache_key(1, folder), input ? input : "");
    show(entry->folder, sizeof entry->folder, folder);
    if (input)
        show(entry->input, sizeof entry->input, input);
    find_key(entry);
}

/* ---- The lines of an entry: a name and a value each -------------------------------------- */

/* How a member is written: as a text, or as a number, of 4 or 8 bytes. */
enum kind { TEXT, HEX, NUMBER, STOP };

#define AT(member) offsetof(store_entry, member)
#define OF(kind, member) kind, AT(member), sizeof((store_entry *)0)->member

/* First the members that identify an entry (`lasts`), then its history, which forget() clears. */
static const struct row {
    const char *name;
    enum kind kind;
    size_t at, size;
    int lasts;
} rows[] = {
    {"program", OF(TEXT, program), 1},
    {"words", OF(TEXT, words), 1},
    {"id", OF(HEX, id), 1},
    {"family", OF(HEX, family), 1},
    {"place", OF(HEX, place), 1},
    {"folder", OF(TEXT, folder), 1},
    {"input", OF(TEXT, input), 1},
    {"ranks", OF(NUMBER, ranks), 1},
    {"workers", OF(NUMBER, workers), 0},
    {"made", OF(NUMBER, made), 0},
    {"launches", OF(NUMBER, launches), 0},
    {"refused", OF(NUMBER, refused), 0},
    {"profiles", OF(NUMBER, profiles), 0},
    {"tries", OF(NUMBER, tries), 0},
    {"last", OF(TEXT, last), 0},
    {"number", OF(NUMBER, number), 0},
    {"agrees", OF(NUMBER, agrees), 0},
    {"differs", OF(NUMBER, differs), 0},
    {"changed", OF(NUMBER, changed), 0},
    {"worse", OF(NUMBER, worse), 0},
    {"stopped", OF(STOP, stopped), 0},
    {"mpi", OF(NUMBER, mpi), 0},
};

static const char time_name[] = "time";

/* ---- Reading ----------------------------------------------------------------------------- */

static void read_value(const struct row *row, const char *value, store_entry *entry)
{
    void *to = (char *)entry + row->at;
    uint64_t number = strtoull(value, NULL, row->kind == HEX ? 16 : 10);

    if (row->kind == TEXT)
        snprintf(to, row->size, "%s", value);
    else if (row->size == sizeof number)
        memcpy(to, &number, sizeof number);
    else
        *(uint32_t *)to =
            row->kind == STOP && number > STORE_WORSE ? STORE_GOES_ON : (uint32_t)number;
}

void store_entry_time(store_entry *entry, const store_time *time)
{
    if (entry->times == STORE_TIMES)
        memmove(entry->time, entry->time + 1, --entry->times * sizeof *time);
    entry->time[entry->times++] = *time;
}

static void read_time(const char *value, store_entry *entry)
{
    unsigned long long messages;
    long long when;
    store_time read;
    char layout;

    if (sscanf(value, "%c %u %llu %lf %lf %lld", &layout, &read.nodes, &messages, &read.wall,
               &read.mpi, &when) != 6 ||
        !(read.wall > 0 && read.wall < 1e9 && read.mpi >= 0))
        return;
    read.placed = layout == 'p';
    read.messages = messages;
    read.when = when;
    store_entry_time(entry, &read);
}

static void read_line(const char *name, const char *value, store_entry *entry)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            read_value(&rows[i], value, entry);
    if (!strcmp(time_name, name))
        read_time(value, entry);
}

/* Reads the lines of \p text, which it changes; unknown lines are skipped. */
static void parse(char *text, store_entry *entry)
{
    char *rest = NULL;

    entry->times = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *space = strchr(line, ' ');

        for (char *c = line; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                *c = '?';
        if (space) {
            *space = 0;
            read_line(line, space + 1, entry);
        }
    }
}

/* Clears all members but those that identify the entry. */
static void forget(store_entry *entry)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i].lasts)
            memset((char *)entry + rows[i].at, 0, rows[i].size);
    entry->times = 0;
}

/* ---- Writing ----------------------------------------------------------------------------- */

static int print_row(const struct row *row, const store_entry *entry, char *to, size_t room)
{
    const void *at = (const char *)entry + row->at;
    uint64_t number = 0;

    if (row->kind == TEXT)
        return snprintf(to, room, "%s %s\n", row->name, (const char *)at);
    if (row->size == sizeof number)
        memcpy(&number, at, sizeof number);
    else
        number = *(const uint32_t *)at;
    if (row->kind == HEX)
        return snprintf(to, room, "%s %016llx\n", row->name, (unsigned long long)number);
    return snprintf(to, room, "%s %lld\n", row->name, (long long)number);
}

size_t store_entry_print(const store_entry *entry, char text[STORE_ENTRY_TEXT])
{
    size_t used = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        used += (size_t)print_row(&rows[i], entry, text + used, STORE_ENTRY_TEXT - used);
    for (unsigned i = 0; i < entry->times; i++) {
        const store_time *time = &entry->time[i];

        used += (size_t)snprintf(
            text + used, STORE_ENTRY_TEXT - used, "%s %c %u %llu %.6f %.6f %lld\n", time_name,
            time->placed ? 'p' : 's', time->nodes, (unsigned long long)time->messages, time->wall,
            time->mpi, (long long)time->when);
    }
    return used;
}

/* ---- The file ---------------------------------------------------------------------------- */

enum { NAME = STORE_KEY + 16, EVICTED = 256 };

static const char meta[] = ".meta", graph[] = ".tmg", graph_before[] = ".old.tmg";

static void name_of(const char *key, const char *suffix, char name[NAME])
{
    snprintf(name, NAME, "%.16s%s", key, suffix);
}

void store_graph_path(const store *store, const char *key, int before, char path[STORE_PATH])
{
    snprintf(path, STORE_PATH, "%s/profiles/%.16s%s", store->root, key,
             before ? graph_before : graph);
}

int store_entry_read_from(int at, const char *name, store_entry *entry)
{
    char text[STORE_ENTRY_TEXT];

    if (!store_file_read(at, name, text, sizeof text))
        return 0;
    parse(text, entry);
    find_key(entry);
    return 1;
}

/* A plain file of this user's, its bytes added to the entry's. */
static int look_at(int profiles, const char *key, const char *suffix, store_entry *entry,
                   struct stat *status)
{
    char name[NAME];

    name_of(key, suffix, name);
    if (fstatat(profiles, name, status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status->st_mode) ||
        status->st_uid != geteuid())
        return 0;
    entry->bytes += (uint64_t)status->st_size;
    return 1;
}

int store_entry_read_at(int profiles, store_entry *entry)
{
    struct stat said, graph_now, unused;
    store_entry read = *entry;
    char text[STORE_ENTRY_TEXT], name[NAME];
    int has_meta;

    forget(&read);
    read.bytes = 0;
    name_of(entry->key, meta, name);
    has_meta = store_file_read(profiles, name, text, sizeof text) &&
               look_at(profiles, entry->key, meta, &read, &said);
    if (has_meta)
        parse(text, &read);
    read.has_graph = look_at(profiles, entry->key, graph, &read, &graph_now);
    read.has_before = look_at(profiles, entry->key, graph_before, &read, &unused);
    if (!has_meta && !read.has_graph)
        return 0;
    read.used = (int64_t)(has_meta ? said.st_mtime : graph_now.st_mtime);
    if (read.has_graph && !read.made)
        read.made = (int64_t)graph_now.st_mtime;
    *entry = read;
    return 1;
}

int store_entry_read(const store *store, store_entry *entry)
{
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 0, NULL);

    return profiles >= 0 && store_entry_read_at(profiles, entry);
}

int store_entry_write(const store *store, const store_entry *entry, topomap_error *err)
{
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 0, err);
    char text[STORE_ENTRY_TEXT], name[NAME];

    if (profiles < 0)
        return -1;
    name_of(entry->key, meta, name);
    if (!store_file_write(profiles, name, text, store_entry_print(entry, text),
                          store_sweep_now(profiles)))
        return 0;
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s/profiles/%s: %s", store->root, name,
                             strerror(errno));
}

/* ---- Removing ---------------------------------------------------------------------------- */

static int remove_file(int profiles, const char *key, const char *suffix)
{
    char name[NAME];

    name_of(key, suffix, name);
    return !unlinkat(profiles, name, 0);
}

static int remove_at(int profiles, const char *key)
{
    /* The names of the graphs first: an entry without any is one that is to be profiled. */
    return remove_file(profiles, key, graph) | remove_file(profiles, key, graph_before) |
           remove_file(profiles, key, meta);
}

void store_remove_graphs(const store *store, const char *key)
{
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 0, NULL);

    if (profiles < 0)
        return;
    remove_file(profiles, key, graph);
    remove_file(profiles, key, graph_before);
}

int store_remove(const store *store, const char *key)
{
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 0, NULL);

    return profiles >= 0 && remove_at(profiles, key);
}

/* ---- Not more than fits ------------------------------------------------------------------ */

/* An entry is found once, by the first of its files. */
static int look_at_entry(int profiles, store_item *item, void *context)
{
    static const char *const parts[] = {meta, graph, graph_before};
    size_t digits = strspn(item->name, "0123456789abcdef"), found = 3;
    store_entry entry = {0};
    struct stat status;

    (void)context;
    for (size_t i = 0; digits == STORE_KEY && i < 3; i++)
        if (!strcmp(item->name + STORE_KEY, parts[i]))
            found = i;
    if (found == 3)
        return 0;
    item->name[STORE_KEY] = 0;
    for (size_t i = 0; i < 3; i++)
        if (look_at(profiles, item->name, parts[i], &entry, &status)) {
            if (i < found)
                return 0;
            if (i == found)
                item->seconds = (int64_t)status.st_mtime;
        } else if (i == found) {
            return 0;
        }
    item->bytes = entry.bytes;
    return 1;
}

static void remove_entry(int profiles, const char *key)
{
    remove_at(profiles, key);
}

void store_evict(const store *store, const char *keep)
{
    const store_broom broom = {.most = EVICTED,
                               .bytes = store->most,
                               .count = STORE_ENTRIES,
                               .keep = keep,
                               .look = look_at_entry,
                               .remove = remove_entry};
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 0, NULL);

    if (profiles >= 0)
        store_sweep(profiles, &broom);
}
