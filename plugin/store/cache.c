/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/store.h"
#include "plugin/store/program.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* glibc's dl-cache.h: the newer format, alone or behind the older one, whose entries of 12 bytes a
 * number after its mark counts. */
static const char old_mark[] = "ld.so-1.7.0", new_mark[] = "glibc-ld.so.cache1.1";

enum { MOST = 32 << 20, OLD_HEAD = 16, OLD_ENTRY = 12, NEW_HEAD = 48, NEW_ENTRY = 24 };

/* Numbers of an entry: its flags, name, path. */
enum { AT_COUNT = sizeof new_mark - 1, AT_NAME = 4, AT_PATH = 8 };

static uint32_t number_at(const store_cache *cache, size_t at)
{
    uint32_t number;

    memcpy(&number, cache->bytes + at, sizeof number);
    return number;
}

static int has_mark(const store_cache *cache, size_t at, const char *mark)
{
    return at <= cache->size && cache->size - at >= NEW_HEAD &&
           !memcmp(cache->bytes + at, mark, strlen(mark));
}

static int find_entries(store_cache *cache)
{
    size_t old;

    if (has_mark(cache, 0, old_mark)) {
        old = OLD_HEAD + (size_t)number_at(cache, OLD_HEAD - 4) * OLD_ENTRY;
        cache->begin = (old + 7) & ~(size_t)7;
    }
    if (!has_mark(cache, cache->begin, new_mark))
        return -1;
    cache->entries = number_at(cache, cache->begin + AT_COUNT);
    return cache->entries <= (cache->size - cache->begin - NEW_HEAD) / NEW_ENTRY ? 0 : -1;
}

void store_cache_open(const char *path, store_cache *cache)
{
    TOPOMAP_CLEANUP(store_elf_close) store_elf file;
    TOPOMAP_CLEANUP(store_cache_close) store_cache made = {0};

    *cache = made;
    if (store_elf_open(path, &file) || file.size > MOST)
        return;
    made.size = (size_t)file.size;
    made.bytes = malloc(made.size + 1);
    if (!made.bytes || store_elf_get(&file, 0, made.bytes, made.size) || find_entries(&made))
        return;
    made.bytes[made.size] = 0; /* every text in it ends */
    *cache = made;
    made.bytes = NULL;
}

void store_cache_close(store_cache *cache)
{
    free(cache->bytes);
    *cache = (store_cache){0};
}

static const char *text_at(const store_cache *cache, uint32_t at)
{
    return at < cache->size - cache->begin ? cache->bytes + cache->begin + at : "";
}

const char *store_cache_next(const store_cache *cache, const char *name, size_t *at)
{
    while (*at < cache->entries) {
        size_t entry = cache->begin + NEW_HEAD + (*at)++ * NEW_ENTRY;

        if (!strcmp(text_at(cache, number_at(cache, entry + AT_NAME)), name))
            return text_at(cache, number_at(cache, entry + AT_PATH));
    }
    return NULL;
}
