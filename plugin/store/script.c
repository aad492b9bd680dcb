/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/program.h"
#include "util/alloc.h"
#include "util/hash64.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bounds: of a script's contents, of the modules that are looked at, of the words before it. */
enum { CONTENTS = 4 << 20, MODULES = 256, WORDS = 32 };

/* How the interpreter's name begins (python3.11), and how modules' and scripts' names end. A
 * shell's are not looked at: scripts of jobs come and go in a folder. */
static const struct row {
    const char *program, *module, *script;
} rows[] = {
    {"python", ".py", ".py"}, {"pypy", ".py", ".py"}, {"Rscript", ".R", ".R"}, {"R", ".R", ".R"},
    {"julia", ".jl", ".jl"},  {"perl", ".pm", ".pl"}, {"bash", NULL, NULL},    {"dash", NULL, NULL},
    {"ksh", NULL, NULL},      {"zsh", NULL, NULL},    {"sh", NULL, NULL},
};

/* "python" is of python3.11 too, "R" not of Rename. */
static const struct row *find_row(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].program);

        if (!strncmp(name, rows[i].program, length) &&
            strspn(name + length, "0123456789.-") == strlen(name + length))
            return &rows[i];
    }
    return NULL;
}

static int ends(const char *name, const char *ending)
{
    size_t length = strlen(name), end = ending ? strlen(ending) : 0;

    return end && length > end && !strcmp(name + length - end, ending);
}

/* A script that is started by its own name. */
static const struct row *find_script_row(const char *program)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ends(program, rows[i].script))
            return &rows[i];
    return NULL;
}

/* \return 0 where there is no such plain file */
static int hash_file(const char *path, uint64_t *hash)
{
    TOPOMAP_CLEANUP(store_elf_close) store_elf file;
    TOPOMAP_FREED char *bytes = NULL;
    size_t size;

    if (store_elf_open(path, &file))
        return 0;
    size = file.size < CONTENTS ? (size_t)file.size : CONTENTS;
    bytes = malloc(size + 1);
    if (!bytes || store_elf_get(&file, 0, bytes, size))
        return 0;
    *hash = topomap_hash64_all(bytes, size) ^ file.size;
    return 1;
}

/* In whatever order the folder has them. */
static uint64_t hash_modules(const char *script, const char *ending)
{
    const char *slash = strrchr(script, '/');
    TOPOMAP_FREED char *folder =
        slash ? strndup(script, (size_t)(slash - script) + 1) : strdup("./");
    TOPOMAP_CLOSED_DIR DIR *list = folder ? opendir(folder) : NULL;
    const struct dirent *row;
    uint64_t all = 0;

    for (int looked = 0; list && looked < MODULES && (row = readdir(list)) != NULL;) {
        struct stat status;

        if (!ends(row->d_name, ending))
            continue;
        looked++;
        if (!fstatat(dirfd(list), row->d_name, &status, 0) && S_ISREG(status.st_mode)) {
            const uint64_t of[] = {(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                                   (uint64_t)status.st_mtim.tv_nsec};

            all += store_program_cache_key(topomap_hash64_all(of, sizeof of), row->d_name);
        }
    }
    return all;
}

/* The first word that is a file; what follows is the script's own. */
static char *find_script(char *const *words, const char *folder, uint64_t *hash)
{
    for (int i = 0; i < WORDS && words[i]; i++) {
        char *path = NULL;

        if (!*words[i] || *words[i] == '-')
            continue;
        if (asprintf(&path, "%s%s%s", *words[i] != '/' && folder ? folder : "",
                     *words[i] != '/' && folder ? "/" : "", words[i]) < 0)
            return NULL;
        if (hash_file(path, hash))
            return path;
        free(path);
    }
    return NULL;
}

int store_script_is(const char *program)
{
    return find_row(program) || find_script_row(program);
}

uint64_t store_script_id(const char *program, char *const *words, const char *folder, uint64_t id)
{
    const struct row *row = find_row(program), *own = find_script_row(program);
    uint64_t all[3] = {id, 0, 0};
    TOPOMAP_FREED char *script = row   ? find_script(words, folder, &all[1])
                                 : own ? strdup(program)
                                       : NULL;

    if (!script)
        return id;
    if (own || row->module)
        all[2] = hash_modules(script, own ? own->module : row->module);
    return topomap_hash64_all(all, sizeof all);
}
