/* SPDX-License-Identifier: BSD-3-Clause */
/* A store of the test's own, and runs that it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/plugin/stores.h"

char folder[] = "/tmp/topomap-store-XXXXXX";
unsigned char profile_version = 1;

store fresh(void)
{
    topomap_error err;
    char command[64];
    store made;

    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_int_equal(store_open(NULL, &made, &err), 0);
    return made;
}

store_entry named(const char *word, uint32_t ranks)
{
    char *words[] = {(char *)word, NULL};
    store_entry entry;

    store_entry_name(&entry, "/opt/solver", 17, words, NULL, ranks);
    return entry;
}

void write_profile(const char *run, size_t size, size_t said)
{
    unsigned char *bytes = calloc(1, size);
    char path[STORE_PATH];
    FILE *out;

    memcpy(bytes, "\x89TMG\r\n\x1a\n", 8);
    bytes[8] = profile_version;
    for (int i = 0; i < 8; i++)
        bytes[16 + i] = (unsigned char)(said >> 8 * i);
    snprintf(path, sizeof path, "%s/%s", run, STORE_RUN_FILE);
    out = fopen(path, "w");
    assert_non_null(out);
    fwrite(bytes, 1, size, out);
    fclose(out);
    free(bytes);
}

int run(const store *store, store_entry *entry, size_t size)
{
    topomap_error err;
    char *made;
    int taken;

    assert_int_equal(store_run_begin(store, 5, 0, entry, NULL, &made, &err), 0);
    if (size)
        write_profile(made, size, size);
    taken = store_run_end(store, made, entry, &err);
    free(made);
    return taken;
}

unsigned count_names(const char *in)
{
    DIR *list = opendir(in);
    const struct dirent *row;
    unsigned count = 0;

    assert_non_null(list);
    while ((row = readdir(list)) != NULL)
        count += *row->d_name != '.';
    closedir(list);
    return count;
}

char *begin(const store *store, const store_entry *entry)
{
    topomap_error err;
    char *made;

    assert_int_equal(store_run_begin(store, 7, 1, entry, NULL, &made, &err), 0);
    return made;
}

int stores_setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int stores_teardown(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
