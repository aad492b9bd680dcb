/* SPDX-License-Identifier: BSD-3-Clause */
/* One entry of the store: its names, and its file. */
#include "config.h"
#include "plugin/store/store.h"
#include "util/hash64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { META = 4096 };

/* ---- Names ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t before, const char *bytes, size_t size)
{
    uint64_t both[2] = {before, topomap_hash64_all(bytes, size)};

    return topomap_hash64_all(both, sizeof both);
}

/* For people: one line. */
static void show(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);

    snprintf(to + used, size - used, "%s%s", used ? " " : "", text);
    for (char *c = to; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

void store_entry_name(store_entry *entry, const char *program, uint64_t id, char *const *words,
                      const char *key, uint32_t ranks)
{
    const char *slash = strrchr(program, '/');

    *entry = (store_entry){.id = id, .family = id, .ranks = ranks};
    show(entry->program, sizeof entry->program, slash ? slash + 1 : program);
    if (key) {
        entry->family = mix(entry->family ^ 1, key, strlen(key));
        show(entry->words, sizeof entry->words, "key");
        show(entry->words, sizeof entry->words, key);
    }
    for (size_t i = 0; !key && words && words[i]; i++) {
        entry->family = mix(entry->family, words[i], strlen(words[i]));
        if (strlen(entry->words) < sizeof entry->words - 1)
            show(entry->words, sizeof entry->words, words[i]);
    }
    snprintf(entry->key, sizeof entry->key, "%016llx",
             (unsigned long long)mix(entry->family, (const char *)&ranks, sizeof ranks));
}

/* ---- The file ---------------------------------------------------------------------------- */

static void path_of(const store *store, const char *key, const char *suffix, char path[STORE_PATH])
{
    snprintf(path, STORE_PATH, "%s/profiles/%.16s%s", store->root, key, suffix);
}

void store_graph_path(const store *store, const char *key, int before, char path[STORE_PATH])
{
    path_of(store, key, before ? ".old.tmg" : ".tmg", path);
}

static uint64_t number_of(const char *text)
{
    return strtoull(text, NULL, 10);
}

static void read_line(store_entry *entry, const char *name, const char *value)
{
    if (!strcmp(name, "program"))
        snprintf(entry->program, sizeof entry->program, "%s", value);
    else if (!strcmp(name, "words"))
        snprintf(entry->words, sizeof entry->words, "%s", value);
    else if (!strcmp(name, "id"))
        entry->id = strtoull(value, NULL, 16);
    else if (!strcmp(name, "family"))
        entry->family = strtoull(value, NULL, 16);
    else if (!strcmp(name, "ranks"))
        entry->ranks = (uint32_t)number_of(value);
    else if (!strcmp(name, "made"))
        entry->made = (int64_t)number_of(value);
    else if (!strcmp(name, "launches"))
        entry->launches = (uint32_t)number_of(value);
    else if (!strcmp(name, "profiles"))
        entry->profiles = (uint32_t)number_of(value);
    else if (!strcmp(name, "tries"))
        entry->tries = (uint32_t)number_of(value);
}

/* Lines that make no sense are passed over. */
static void read_text(char *text, store_entry *entry)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *space = strchr(line, ' ');

        for (char *c = line; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                *c = '?';
        if (space) {
            *space = 0;
            read_line(entry, line, space + 1);
        }
    }
}

static int read_meta(const char *path, store_entry *entry)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    char text[META];
    ssize_t size = -1;

    if (fd < 0)
        return 0;
    if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size < META)
        size = read(fd, text, sizeof text - 1);
    close(fd);
    if (size < 0)
        return 0;
    text[size] = 0;
    read_text(text, entry);
    entry->bytes += (uint64_t)status.st_size;
    entry->used = (int64_t)status.st_mtime;
    return 1;
}

static int graph_status(const store *store, const char *key, int before, struct stat *status)
{
    char path[STORE_PATH];

    store_graph_path(store, key, before, path);
    return !stat(path, status) && S_ISREG(status->st_mode);
}

int store_entry_read(const store *store, store_entry *entry)
{
    struct stat graph, before;
    char path[STORE_PATH];
    store_entry read = *entry;
    int has_meta;

    read.made = 0;
    read.launches = read.profiles = read.tries = 0;
    read.bytes = 0;
    path_of(store, entry->key, ".meta", path);
    has_meta = read_meta(path, &read);
    read.has_graph = graph_status(store, entry->key, 0, &graph);
    read.has_before = graph_status(store, entry->key, 1, &before);
    if (!has_meta && !read.has_graph)
        return 0;
    read.bytes += read.has_graph ? (uint64_t)graph.st_size : 0;
    read.bytes += read.has_before ? (uint64_t)before.st_size : 0;
    if (read.has_graph && !has_meta)
        read.used = (int64_t)graph.st_mtime;
    if (read.has_graph && !read.made)
        read.made = (int64_t)graph.st_mtime;
    *entry = read;
    return 1;
}

static int write_text(int fd, const store_entry *entry)
{
    char text[META];
    int length = snprintf(
        text, sizeof text,
        "program %s\nwords %s\nid %016llx\nfamily %016llx\nranks %u\nmade %lld\nlaunches %u\n"
        "profiles %u\ntries %u\n",
        entry->program, entry->words, (unsigned long long)entry->id,
        (unsigned long long)entry->family, entry->ranks, (long long)entry->made, entry->launches,
        entry->profiles, entry->tries);

    return write(fd, text, (size_t)length) == length ? 0 : -1;
}

int store_entry_write(const store *store, const store_entry *entry, topomap_error *err)
{
    char path[STORE_PATH], whole[STORE_PATH];
    int fd, failed;

    path_of(store, entry->key, ".XXXXXX", path);
    path_of(store, entry->key, ".meta", whole);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: %s", store->root, strerror(errno));
    failed = write_text(fd, entry);
    failed |= close(fd);
    if (failed || rename(path, whole)) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: %s", whole, strerror(errno));
        unlink(path);
        return -1;
    }
    return 0;
}

void store_remove_graphs(const store *store, const char *key)
{
    char path[STORE_PATH];

    for (int before = 0; before < 2; before++) {
        store_graph_path(store, key, before, path);
        unlink(path);
    }
}

int store_remove(const store *store, const char *key)
{
    store_entry entry = {0};
    char path[STORE_PATH];
    int was;

    snprintf(entry.key, sizeof entry.key, "%s", key);
    was = store_entry_read(store, &entry);
    store_remove_graphs(store, key);
    path_of(store, key, ".meta", path);
    unlink(path);
    return was;
}
