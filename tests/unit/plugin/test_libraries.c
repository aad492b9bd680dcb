/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI a program needs by its libraries, and where the linker finds those. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/store/store.h"
#include "plugin/store/program.h"
#include "tests/unit/plugin/images.h"
#include "util/random.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries_of_libraries),
        cmocka_unit_test(test_libraries_that_are_none),
        cmocka_unit_test(test_real_cache),
        cmocka_unit_test(test_made_caches),
    };

    return cmocka_run_group_tests(tests, images_setup, images_teardown);
}
