/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI a program needs and which build it is, from ELF files made here, whole and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/store/cache.h"
#include "plugin/store/memo.h"
#include "plugin/store/program.h"
#include "util/random.h"

static char folder[] = "/tmp/topomap-program-XXXXXX";
static char path[64], self[4096];

/* A program file: header, four segments, then its dynamic section, names, note and interpreter. */
enum { NAMES = 1024, DYNAMIC = 16 };

struct image {
    ElfW(Ehdr) header;
    ElfW(Phdr) segment[4];
    ElfW(Dyn) dynamic[DYNAMIC];
    char names[NAMES];
    ElfW(Nhdr) note;
    char note_name[4];
    unsigned char id[20];
    char interpreter[32];
};

#define BASE 0x400000

static void set_segment(struct image *image, int i, uint32_t type, size_t at, size_t size)
{
    image->segment[i] = (ElfW(Phdr)){.p_type = type,
                                     .p_offset = at,
                                     .p_vaddr = BASE + at,
                                     .p_filesz = size,
                                     .p_memsz = size,
                                     .p_align = 4};
}

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* A program that needs the libraries of `needed`, NULL after the last; `tag` (DT_RPATH, DT_RUNPATH,
 * or 0) says the folders where they are. */
static struct image image_with(const char *const *needed, int tag, const char *folders)
{
    struct image image = {.header = __ehdr_start};
    size_t used = 1;
    int rows = 0;

    image.header.e_type = ET_DYN;
    image.header.e_phoff = offsetof(struct image, segment);
    image.header.e_phentsize = sizeof(ElfW(Phdr));
    image.header.e_phnum = 4;
    set_segment(&image, 0, PT_LOAD, 0, sizeof image);
    set_segment(&image, 1, PT_DYNAMIC, offsetof(struct image, dynamic), sizeof image.dynamic);
    set_segment(&image, 2, PT_NOTE, offsetof(struct image, note),
                sizeof image.note + sizeof image.note_name + sizeof image.id);
    set_segment(&image, 3, PT_INTERP, offsetof(struct image, interpreter), 32);
    for (; *needed; needed++) {
        image.dynamic[rows].d_tag = DT_NEEDED;
        image.dynamic[rows++].d_un.d_val = used;
        strcpy(image.names + used, *needed);
        used += strlen(*needed) + 1;
    }
    if (tag) {
        image.dynamic[rows].d_tag = tag;
        image.dynamic[rows++].d_un.d_val = used;
        strcpy(image.names + used, folders);
        used += strlen(folders) + 1;
    }
    image.dynamic[rows].d_tag = DT_STRTAB;
    image.dynamic[rows++].d_un.d_ptr = BASE + offsetof(struct image, names);
    image.dynamic[rows].d_tag = DT_STRSZ;
    image.dynamic[rows].d_un.d_val = used;
    image.note = (ElfW(Nhdr)){.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID};
    memcpy(image.note_name, "GNU", 4);
    memset(image.id, 0x5a, sizeof image.id);
    strcpy(image.interpreter, "/lib64/ld-linux-x86-64.so.2");
    return image;
}

static struct image image_of(const char *const *needed)
{
    return image_with(needed, 0, NULL);
}

static void write_to(const char *file, const void *bytes, size_t size)
{
    FILE *out = fopen(file, "w");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    chmod(file, 0755);
}

static void write_bytes(const void *bytes, size_t size)
{
    write_to(path, bytes, size);
}

static store_program read_image(const struct image *image)
{
    store_program program;
    topomap_error err;

    write_bytes(image, sizeof *image);
    assert_int_equal(store_program_read(NULL, path, &program, &err), 0);
    return program;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static enum store_mpi mpi_of(const char *const *needed)
{
    struct image image = image_of(needed);

    return read_image(&image).mpi;
}

static void test_mpi_of_libraries(void **state)
{
    (void)state;
    assert_int_equal(mpi_of(LIST("libmpi.so.40", "libc.so.6")), STORE_MPI_OPENMPI);
    assert_int_equal(mpi_of(LIST("libm.so.6", "libmpi_usempif08.so.40")), STORE_MPI_OPENMPI);
    assert_int_equal(mpi_of(LIST("libmpi_mpifh.so.40")), STORE_MPI_OPENMPI);
    assert_int_equal(mpi_of(LIST("libopen_mpi.so.40")), STORE_MPI_OPENMPI); /* Open MPI 6 */
    assert_int_equal(mpi_of(LIST("libmpich.so.12", "libc.so.6")), STORE_MPI_MPICH);
    assert_int_equal(mpi_of(LIST("libmpi.so.12")), STORE_MPI_MPICH);
    assert_int_equal(mpi_of(LIST("libmpichfort.so.12")), STORE_MPI_MPICH);
    assert_int_equal(mpi_of(LIST("libmpi_gnu_91.so.12")), STORE_MPI_MPICH);
    assert_int_equal(mpi_of(LIST("libmpifort_cray.so.12")), STORE_MPI_MPICH);
    assert_int_equal(mpi_of(LIST("libc.so.6", "libmpi_abi.so.1")), STORE_MPI_ABI);
    assert_int_equal(mpi_of(LIST("libmpi_abi.so.0")),
                     STORE_MPI_NONE); /* of a development version */
    assert_int_equal(mpi_of(LIST("libc.so.6")), STORE_MPI_NONE);
    assert_int_equal(mpi_of(LIST("libmpi.so.1")), STORE_MPI_NONE); /* of an age with another ABI */
    assert_int_equal(mpi_of(LIST("libmpi.so.x")),
                     STORE_MPI_NONE); /* libmpi.so may be on this machine */
}

static void test_reasons(void **state)
{
    struct image image = image_of(LIST("libscorep_adapter.so.9", "libmpi.so.40"));

    (void)state;
    assert_string_equal(read_image(&image).why, "libscorep_adapter.so.9 watches its MPI already");
    image = image_of(LIST("libmpi.so.40", "libmpich.so.12"));
    assert_string_equal(read_image(&image).why, "it needs two MPIs");
    image = image_of(LIST("libmpi_abi.so.1", "libmpi.so.40"));
    assert_string_equal(read_image(&image).why, "it needs two MPIs");
    image = image_of(LIST("libmpi.so.40"));
    image.segment[3].p_type = PT_NULL;
    assert_string_equal(read_image(&image).why, "it is linked statically");
    image = image_of(LIST("libmpi.so.40"));
    image.header.e_machine ^= 1;
    assert_string_equal(read_image(&image).why, "it is for another kind of machine");
    image = image_of(LIST("libmpi.so.40"));
    image.dynamic[0].d_un.d_val = 1 << 20;
    assert_string_equal(read_image(&image).why, "its table of names is broken");
    image = image_of(LIST("libmpi.so.40"));
    image.header.e_phnum = 60000;
    assert_string_equal(read_image(&image).why, "its program headers are broken");
    image = image_of(LIST("libmpi.so.40"));
    image.segment[1].p_offset = (ElfW(Off)) - 8;
    assert_string_equal(read_image(&image).why, "its dynamic section is broken");
}

static store_program read_text(const char *text)
{
    store_program program;
    topomap_error err;

    write_bytes(text, strlen(text));
    assert_int_equal(store_program_read(NULL, path, &program, &err), 0);
    return program;
}

static void test_no_programs(void **state)
{
    store_program program;
    topomap_error err;

    (void)state;
    assert_string_equal(read_text("#!/bin/sh\nexec ./solver\n").why, "it is a script");
    assert_string_equal(read_text("").why, "it is no ELF file");
    assert_string_equal(read_text("#").why, "it is no ELF file");
    assert_int_equal(store_program_read(NULL, "/nonexist", &program, &err), -1);
    assert_int_equal(store_program_read(NULL, folder, &program, &err), -1);
    unlink(path);
    assert_int_equal(mkfifo(path, 0755), 0);
    assert_int_equal(store_program_read(NULL, path, &program, &err), -1);
    unlink(path);
}

/* The build id says it where there is one: what else changes is no other program. Without, the
 * contents do. */
static void test_identity(void **state)
{
    struct image image = image_of(LIST("libmpi.so.40"));
    store_program first = read_image(&image), next;

    (void)state;
    assert_true(first.has_build_id);
    image.interpreter[31] ^= 1;
    next = read_image(&image);
    assert_true(next.id == first.id);
    image.id[19] ^= 1;
    next = read_image(&image);
    assert_true(next.id != first.id);
    image.segment[2].p_type = PT_NULL;
    first = read_image(&image);
    assert_false(first.has_build_id);
    assert_true(read_image(&image).id == first.id);
    image.interpreter[31] ^= 1;
    next = read_image(&image);
    assert_true(next.id != first.id);
    assert_true(read_text("#!/bin/sh\n./a\n").id != read_text("#!/bin/sh\n./b\n").id);
}

/* Contents longer than one piece count to their last byte. */
static void test_long_contents(void **state)
{
    static char bytes[200001];
    store_program first, next;

    (void)state;
    memset(bytes, 'x', sizeof bytes - 1);
    first = read_text(bytes);
    bytes[199999] = 'y';
    next = read_text(bytes);
    assert_true(next.id != first.id);
    bytes[199999] = 'x';
    bytes[70000] = 'y';
    next = read_text(bytes);
    assert_true(next.id != first.id);
}

/* Cut anywhere, and with bytes changed anywhere: an answer, and no crash (under sanitizers). */
static void test_broken_files(void **state)
{
    struct image image = image_of(LIST("libc.so.6", "libmpich.so.12"));
    topomap_random random = {7};
    store_program program;
    topomap_error err;

    (void)state;
    for (size_t size = 0; size < sizeof image; size += size < 600 ? 1 : 37) {
        write_bytes(&image, size);
        assert_int_equal(store_program_read(NULL, path, &program, &err), 0);
    }
    for (int i = 0; i < 3000; i++) {
        struct image broken = image;
        unsigned char *bytes = (unsigned char *)&broken;

        for (int k = 0; k < 3; k++)
            bytes[topomap_random_below(&random, k ? 600 : sizeof image)] =
                (unsigned char)topomap_random_below(&random, 256);
        read_image(&broken);
    }
}

static void test_finding(void **state)
{
    char *found, search[128];

    (void)state;
    read_text("#!/bin/sh\n");
    snprintf(search, sizeof search, "/nonexist::%s", folder);
    found = store_program_find("program", NULL, search);
    assert_string_equal(found, path);
    free(found);
    found = store_program_find("./program", folder, NULL);
    assert_non_null(found);
    free(found);
    found = store_program_find(path, "/", "");
    assert_string_equal(found, path);
    free(found);
    assert_null(store_program_find("program", NULL, NULL));
    assert_null(store_program_find("", NULL, search));
    chmod(path, 0644);
    assert_null(store_program_find("program", NULL, search));
}

/* ---- The libraries of libraries ---------------------------------------------------------- */

static void in_folder(char to[128], const char *name)
{
    snprintf(to, 128, "%s/%s", folder, name);
}

static void write_library(const char *name, struct image image)
{
    char file[128];

    in_folder(file, name);
    image.segment[3].p_type = PT_NULL; /* which has no interpreter */
    write_to(file, &image, sizeof image);
}

static void remove_file(const char *name)
{
    char file[128];

    in_folder(file, name);
    assert_int_equal(unlink(file), 0);
}

/* What the program needs an MPI by, where it names liba.so, which names libb.so, which names it. */
static enum store_mpi mpi_through(int tag, const char *folders, int tag_of_a,
                                  const char *folders_of_a)
{
    struct image program = image_with(LIST("libc.so.6", "liba.so"), tag, folders);

    write_library("liba.so", image_with(LIST("libb.so"), tag_of_a, folders_of_a));
    return read_image(&program).mpi;
}

/* As ld.so(8) says it. */
static void test_libraries_of_libraries(void **state)
{
    char there[128];

    (void)state;
    in_folder(there, "");
    write_library("libb.so", image_of(LIST("liba.so", "libmpich.so.12"))); /* in a circle, too */
    assert_int_equal(mpi_through(0, NULL, 0, NULL), STORE_MPI_NONE);
    assert_int_equal(mpi_through(DT_RPATH, there, 0, NULL), STORE_MPI_MPICH);
    assert_int_equal(mpi_through(DT_RPATH, "/nonexist:$ORIGIN", 0, NULL), STORE_MPI_MPICH);
    assert_int_equal(mpi_through(DT_RPATH, "$ORIGIN/lib:relative:$LIB:", 0, NULL), STORE_MPI_NONE);
    assert_int_equal(mpi_through(DT_RUNPATH, "${ORIGIN}", 0, NULL),
                     STORE_MPI_NONE); /* of its own */
    assert_int_equal(mpi_through(DT_RUNPATH, "${ORIGIN}", DT_RUNPATH, "$ORIGIN/."),
                     STORE_MPI_MPICH);
    assert_int_equal(mpi_through(DT_RPATH, there, DT_RUNPATH, "/nonexist"), STORE_MPI_NONE);
    setenv("LD_LIBRARY_PATH", there, 1);
    assert_int_equal(mpi_through(0, NULL, 0, NULL), STORE_MPI_MPICH);
    write_library("libb.so", image_of(LIST("libipm.so", "libmpich.so.12")));
    assert_int_equal(mpi_through(0, NULL, 0, NULL), STORE_MPI_NONE);
    unsetenv("LD_LIBRARY_PATH");
    remove_file("liba.so");
    remove_file("libb.so");
}

/* A library of another machine is passed over; broken ones and others than files are as good as
 * none. */
static void test_libraries_that_are_none(void **state)
{
    struct image program =
        image_with(LIST("libz-own.so", "liba.so"), DT_RUNPATH, "$ORIGIN/sub:$ORIGIN");
    struct image other = image_of(LIST("libmpi.so.40"));
    char sub[128], file[160];

    (void)state;
    in_folder(sub, "sub");
    assert_int_equal(mkdir(sub, 0755), 0);
    snprintf(file, sizeof file, "%s/liba.so", sub);
    write_library("liba.so", image_of(LIST("libmpich.so.12")));
    other.header.e_machine ^= 1;
    write_to(file, &other, sizeof other);
    assert_int_equal(read_image(&program).mpi, STORE_MPI_MPICH);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0644), 0);
    assert_int_equal(read_image(&program).mpi, STORE_MPI_MPICH);
    assert_int_equal(unlink(file), 0);
    other = image_of(LIST("libmpi.so.40"));
    other.segment[1].p_offset = (ElfW(Off)) - 8;
    write_to(file, &other, sizeof other);
    assert_int_equal(read_image(&program).mpi, STORE_MPI_NONE);
    unlink(file);
    rmdir(sub);
    remove_file("liba.so");
}

/* ---- The linker's cache ------------------------------------------------------------------ */

static void test_real_cache(void **state)
{
    store_cache cache;
    const char *found;
    size_t at = 0;

    (void)state;
    store_cache_open("/etc/ld.so.cache", &cache);
    if (!cache.entries)
        skip(); /* not glibc's, or none */
    found = store_cache_next(&cache, "libc.so.6", &at);
    assert_non_null(found);
    assert_int_equal(access(found, R_OK), 0);
    at = 0;
    assert_null(store_cache_next(&cache, "libno-such.so.9", &at));
    store_cache_close(&cache);
}

/* An older cache of `old` entries, and the newer one behind it with one library. */
static size_t make_cache(char bytes[512], uint32_t old)
{
    static const char texts[] = "libx.so\0/lib/libx.so";
    uint32_t one = 1, at_name = 72, at_path = 80;
    size_t begin = old ? (16 + old * 12 + 7) / 8 * 8 : 0;

    memset(bytes, 0, 512);
    if (old) {
        memcpy(bytes, "ld.so-1.7.0", 11);
        memcpy(bytes + 12, &old, 4);
    }
    memcpy(bytes + begin, "glibc-ld.so.cache1.1", 20);
    memcpy(bytes + begin + 20, &one, 4);
    memcpy(bytes + begin + 48 + 4, &at_name, 4);
    memcpy(bytes + begin + 48 + 8, &at_path, 4);
    memcpy(bytes + begin + 72, texts, sizeof texts);
    return begin + 72 + sizeof texts;
}

static void test_made_caches(void **state)
{
    topomap_random random = {5};
    char bytes[512];
    store_cache cache;
    size_t at, size;

    (void)state;
    for (uint32_t old = 0; old < 3; old++) {
        size = make_cache(bytes, old);
        write_bytes(bytes, size);
        store_cache_open(path, &cache);
        at = 0;
        assert_string_equal(store_cache_next(&cache, "libx.so", &at), "/lib/libx.so");
        assert_null(store_cache_next(&cache, "libx.so", &at));
        store_cache_close(&cache);
    }
    for (int i = 0; i < 3000; i++) { /* an answer, and no crash (under sanitizers) */
        size = make_cache(bytes, (uint32_t)(i % 3));
        for (int k = 0; k < 3; k++)
            bytes[topomap_random_below(&random, size)] = (char)topomap_random_below(&random, 256);
        write_bytes(bytes, i % 5 ? size : topomap_random_below(&random, size));
        store_cache_open(path, &cache);
        for (at = 0; store_cache_next(&cache, "libx.so", &at);)
            ;
        store_cache_close(&cache);
    }
}

/* ---- What it costs ----------------------------------------------------------------------- */

static store fresh_store(void)
{
    topomap_error err;
    char command[128];
    store made;

    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_int_equal(store_open(NULL, &made, &err), 0);
    return made;
}

static store_program read_stored(const store *store)
{
    store_program program;
    topomap_error err;

    assert_int_equal(store_program_read(store, path, &program, &err), 0);
    return program;
}

/* Bytes that this process has read so far. */
static unsigned long long bytes_read(void)
{
    FILE *in = fopen("/proc/self/io", "r");
    unsigned long long bytes = 0;

    assert_non_null(in);
    assert_int_equal(fscanf(in, "rchar: %llu", &bytes), 1);
    fclose(in);
    return bytes;
}

/* A program of 300 MB without a build id: its contents say which one it is, as ever, and are read
 * once. */
static void test_long_programs(void **state)
{
    struct image image = image_of(LIST("libmpi.so.40"));
    store store = fresh_store();
    unsigned long long before;
    store_program first, again;
    char command[192];

    (void)state;
    image.segment[2].p_type = PT_NULL;
    first = read_image(&image);
    assert_true(read_stored(&store).id == first.id);
    assert_int_equal(access(store.root, F_OK), -1); /* nothing was worth remembering */
    assert_int_equal(truncate(path, 300 << 20), 0);
    before = bytes_read();
    first = read_stored(&store);
    assert_true(bytes_read() - before > 200 << 20);
    before = bytes_read();
    again = read_stored(&store);
    assert_true(bytes_read() - before < 100000);
    assert_true(again.id == first.id && again.mpi == STORE_MPI_OPENMPI);
    assert_int_equal(store_program_read(NULL, path, &again, &(topomap_error){0}), 0);
    assert_true(again.id == first.id); /* which stores of 0.1.0 know */
    /* Another file is read anew. */
    assert_int_equal(truncate(path, (300 << 20) + 1), 0);
    assert_true(read_stored(&store).id != first.id);
    assert_int_equal(truncate(path, 300 << 20), 0);
    /* Where nobody came to the end of it, nobody begins again. */
    snprintf(command, sizeof command, "rm -r '%s/topomap/programs'; chmod 755 '%s'", folder, path);
    assert_int_equal(system(command), 0);
    first = read_stored(&store);
    snprintf(command, sizeof command, "for f in '%s'/topomap/programs/*; do echo reading >$f; done",
             folder);
    assert_int_equal(system(command), 0);
    before = bytes_read();
    again = read_stored(&store);
    assert_true(bytes_read() - before < 100000 && again.id != first.id);
    assert_true(read_stored(&store).id == again.id);
}

/* What this program, looking at the one at `path` ("look") or at what it starts ("start"), asks the
 * kernel; -1: nobody counts. */
static int count_calls(const char *what)
{
    char command[8192];
    FILE *out;
    int calls = -1;

    snprintf(command, sizeof command,
             "strace -f -o '%s/trace' '%s' %s '%s' 2>/dev/null && "
             "awk '/begin-to-count/ { on = 1; n = 0 } on { n++ } END { print n }' '%s/trace'",
             folder, self, what, path, folder);
    out = popen(command, "r");
    assert_non_null(out);
    if (fscanf(out, "%d", &calls) != 1)
        calls = -1;
    pclose(out);
    return calls;
}

/* 40 folders to search, 14 libraries that are in none or the last of them. */
static void make_many_folders(int are_there)
{
    const char *names[40] = {NULL};
    static char name[14][24];
    static char search[4096];
    char file[192];
    size_t used = 0;

    for (int i = 0; i < 40; i++) {
        snprintf(file, sizeof file, "%s/d%d", folder, i);
        mkdir(file, 0755);
        used += (size_t)snprintf(search + used, sizeof search - used, "%s%s", i ? ":" : "", file);
    }
    for (int i = 0; i < 14; i++) {
        struct image library = image_of(LIST(i == 5 ? "libmpich.so.12" : "libc.so.6"));

        snprintf(name[i], sizeof name[i], "libn%d.so", i);
        names[i] = name[i];
        library.segment[3].p_type = PT_NULL;
        snprintf(file, sizeof file, "%s/d%d/%s", folder, i < 6 ? 9 : 39, name[i]);
        if (are_there)
            write_to(file, &library, sizeof library);
    }
    setenv("LD_LIBRARY_PATH", search, 1);
    write_bytes(&(struct image){0}, 0);
    {
        struct image program = image_of(names);

        write_bytes(&program, sizeof program);
    }
}

static void test_many_folders(void **state)
{
    store store = fresh_store();
    store_program program;
    char file[192];
    int calls;

    (void)state;
    make_many_folders(1);
    calls = count_calls("look");
    program = read_stored(&store);
    assert_int_equal(program.mpi, STORE_MPI_MPICH);
    if (calls >= 0)
        assert_true(calls >= 100 && calls <= 700);
    calls = count_calls("look");
    if (calls >= 0)
        assert_true(calls >= 5 && calls <= 60);
    assert_int_equal(read_stored(&store).mpi, STORE_MPI_MPICH);
    /* A library that is another now is looked at. */
    snprintf(file, sizeof file, "%s/d9/libn5.so", folder);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(read_stored(&store).mpi, STORE_MPI_NONE);
    make_many_folders(1);
    setenv("LD_LIBRARY_PATH", "/nonexist", 1);
    assert_int_equal(read_stored(&store).mpi, STORE_MPI_NONE);
    /* Nowhere: so much is looked for, and no more. */
    store = fresh_store();
    make_many_folders(0);
    calls = count_calls("look");
    if (calls >= 0)
        assert_true(calls >= 400 && calls <= 700);
    program = read_stored(&store);
    assert_int_equal(program.mpi, STORE_MPI_NONE);
    assert_string_equal(program.why, "not known: its libraries are in too many places");
    calls = count_calls("look");
    if (calls >= 0)
        assert_true(calls >= 5 && calls <= 60);
    unsetenv("LD_LIBRARY_PATH");
}

/* Many programs: what is remembered of them has a limit. */
static void test_many_programs(void **state)
{
    store store = fresh_store();
    char command[160];

    (void)state;
    for (unsigned i = 0; i < 2 * STORE_MEMOS; i++)
        assert_int_equal(store_memo_write(&store, i, "contents 1\n"), 0);
    snprintf(command, sizeof command, "test $(ls '%s/topomap/programs' | wc -l) -le %d", folder,
             STORE_MEMOS + STORE_MEMOS / 8);
    assert_int_equal(system(command), 0);
}

/* ---- Wrappers ---------------------------------------------------------------------------- */

static void test_started(void **state)
{
    struct image image = image_of(LIST("libmpi.so.40"));
    char *words[] = {"-x", "A=1", "/bin/sh", "./absent", "./program", "9", NULL};
    store_program program = read_text("#!/bin/sh\nexec \"$@\"\n"), direct;
    store_program before = program;
    char *found;

    (void)state;
    direct = read_image(&image);
    found = store_program_started(NULL, words, folder, "/bin", &program);
    assert_non_null(found);
    free(found);
    assert_int_equal(program.mpi, STORE_MPI_OPENMPI);
    assert_true(program.id != direct.id && program.id != before.id);
    before = program;
    words[4] = "nothing";
    assert_null(store_program_started(NULL, words, folder, "/bin", &program));
    assert_true(program.id == before.id);
}

/* The words of a script's command, the last of which is a program of an MPI. */
static char *start_it(int count, const char *last, store_program *program)
{
    static char name[31][16];
    char *words[32] = {NULL};

    for (int i = 0; i < count; i++) {
        snprintf(name[i], sizeof name[i], "word%d", i);
        words[i] = name[i];
    }
    words[count] = (char *)last;
    return store_program_started(NULL, words, folder, getenv("LD_LIBRARY_PATH"), program);
}

/* 30 words along 40 folders: so much is looked for, and no more, and then it is not known. */
static void test_many_words(void **state)
{
    store_program program = {.why = "it is a script"};
    char *found;
    int calls;

    (void)state;
    make_many_folders(1);
    write_bytes(&(struct image){0}, 0);
    {
        struct image image = image_of(LIST("libmpi.so.40"));

        write_bytes(&image, sizeof image);
    }
    found = start_it(10, "./program", &program);
    assert_non_null(found);
    free(found);
    assert_int_equal(program.mpi, STORE_MPI_OPENMPI);
    program = (store_program){.why = "it is a script"};
    assert_null(start_it(0, "nothing", &program));
    assert_string_equal(program.why, "it is a script");
    assert_null(start_it(30, "./program", &program));
    assert_int_equal(program.mpi, STORE_MPI_NONE);
    assert_string_equal(program.why, "not known: its words would be looked for in too many places");
    calls = count_calls("start");
    if (calls >= 0)
        assert_true(calls >= 500 && calls <= 560);
    unsetenv("LD_LIBRARY_PATH");
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/program", folder);
    return 0;
}

static int tear_down(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* What count_calls() counts. */
static int look(const char *program)
{
    store_program found;
    topomap_error err;
    store store;

    if (store_open(NULL, &store, &err))
        return 1;
    access("/begin-to-count", F_OK);
    return store_program_read(&store, program, &found, &err) != 0;
}

static int start(void)
{
    store_program found = {0};

    access("/begin-to-count", F_OK);
    free(start_it(30, "./program", &found));
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mpi_of_libraries),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_no_programs),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_long_contents),
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_libraries_of_libraries),
        cmocka_unit_test(test_libraries_that_are_none),
        cmocka_unit_test(test_real_cache),
        cmocka_unit_test(test_made_caches),
        cmocka_unit_test(test_long_programs),
        cmocka_unit_test(test_many_folders),
        cmocka_unit_test(test_many_programs),
        cmocka_unit_test(test_started),
        cmocka_unit_test(test_many_words),
    };

    if (argc == 3 && !strcmp(argv[1], "look"))
        return look(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "start"))
        return start();
    assert_non_null(realpath("/proc/self/exe", self));
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
