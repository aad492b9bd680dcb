/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI a program needs and which build it is, from ELF files made here, whole and broken. */
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

#include "plugin/store/program.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/images.h"
#include "util/random.h"

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
    assert_int_equal(mpi_of(LIST("libnccl.so.2", "libc.so.6")), STORE_MPI_NCCL);
    assert_int_equal(mpi_of(LIST("libnccl.so.2", "libmpi.so.40")),
                     STORE_MPI_OPENMPI); /* the MPI's */
    assert_int_equal(mpi_of(LIST("libmpich.so.12", "libnccl.so.2")), STORE_MPI_MPICH);
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
    assert_message(read_image(&image).why, "two MPIs");
    image = image_of(LIST("libmpi_abi.so.1", "libmpi.so.40"));
    assert_message(read_image(&image).why, "two MPIs");
    image = image_of(LIST("libmpi.so.40"));
    image.segment[3].p_type = PT_NULL;
    assert_message(read_image(&image).why, "statically");
    image = image_of(LIST("libmpi.so.40"));
    image.header.e_machine ^= 1;
    assert_message(read_image(&image).why, "machine");
    image = image_of(LIST("libmpi.so.40"));
    image.dynamic[0].d_un.d_val = 1 << 20;
    assert_message(read_image(&image).why, "names");
    image = image_of(LIST("libmpi.so.40"));
    image.header.e_phnum = 60000;
    assert_message(read_image(&image).why, "headers");
    image = image_of(LIST("libmpi.so.40"));
    image.segment[1].p_offset = (ElfW(Off)) - 8;
    assert_message(read_image(&image).why, "dynamic");
}

static void test_no_programs(void **state)
{
    store_program program;
    topomap_error err;

    (void)state;
    assert_message(read_text("#!/bin/sh\nexec ./solver\n").why, "script");
    assert_message(read_text("").why, "ELF");
    assert_message(read_text("#").why, "ELF");
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

static void put(const char *name, const char *text)
{
    char path[4096];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

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
    /* Without one of an MPI, the first that may load one. */
    words[4] = "nothing";
    program = before;
    found = store_program_started(NULL, words, folder, "/bin", &program);
    assert_string_equal(found, "/bin/sh");
    free(found);
    assert_true(program.loads && !program.mpi && program.id != before.id);
    words[2] = "/bin/true";
    program = before;
    assert_null(store_program_started(NULL, words, folder, "/bin", &program));
    assert_true(program.id == before.id);
    /* What an interpreter has among its words is its script's. */
    words[2] = "/bin/sh";
    program = before;
    program.loads = STORE_LOADS_AS_INTERPRETER;
    assert_null(store_program_started(NULL, words, folder, "/bin", &program));
}

static enum store_loads loads_of(const char *name, const char *text)
{
    char file[4096];
    store_program program;

    put(name, text);
    snprintf(file, sizeof file, "%s/%s", folder, name);
    assert_int_equal(store_program_read(NULL, file, &program, NULL), 0);
    return program.loads;
}

static void test_loads(void **state)
{
    struct image image = image_of(LIST("libmpi.so.40"));
    store_program program;

    (void)state;
    assert_int_equal(loads_of("launch", "#!/bin/sh\n"), STORE_LOADS_AS_SCRIPT);
    assert_int_equal(loads_of("python3.11", "#!/bin/bash\n"), STORE_LOADS_AS_INTERPRETER);
    assert_int_equal(loads_of("solve.jl", "#!/usr/bin/env julia\n"), STORE_LOADS_AS_INTERPRETER);
    assert_int_equal(loads_of("data", "7\n"), STORE_LOADS_NONE);
    assert_int_equal(read_image(&image).loads, STORE_LOADS_NONE);
    image = image_of(LIST("libc.so.6"));
    assert_int_equal(read_image(&image).loads, STORE_LOADS_NONE);
    assert_int_equal(store_program_read(NULL, "/bin/sh", &program, NULL), 0);
    assert_int_equal(program.loads, STORE_LOADS_AS_INTERPRETER);
}

/* A program with a table of symbols behind it, of which \p name is one. */
static store_program read_with_symbol(struct image image, const char *name, size_t before)
{
    static struct {
        struct image image;
        ElfW(Shdr) section[3];
        char names[5 << 20];
    } whole;
    store_program program;

    memset(&whole, 0, sizeof whole);
    image.header.e_shoff = offsetof(__typeof__(whole), section);
    image.header.e_shentsize = sizeof(ElfW(Shdr));
    image.header.e_shnum = 3;
    whole.image = image;
    whole.section[1] = (ElfW(Shdr)){.sh_type = SHT_SYMTAB, .sh_link = 2};
    whole.section[2] = (ElfW(Shdr)){.sh_type = SHT_STRTAB,
                                    .sh_offset = offsetof(__typeof__(whole), names),
                                    .sh_size = before + strlen(name) + 1};
    strcpy(whole.names + before, name);
    write_bytes(&whole, sizeof whole);
    assert_int_equal(store_program_read(NULL, path, &program, NULL), 0);
    return program;
}

/* MPI inside the program: linked statically, wholly or but for the system's libraries. */
static void test_own_mpi(void **state)
{
    struct image image = image_of(LIST("libc.so.6"));

    (void)state;
    assert_true(read_with_symbol(image, "PMPI_Init", 1).has_own_mpi);
    assert_message(read_with_symbol(image, "PMPI_Init", 1).why, "MPI|statically");
    assert_true(read_with_symbol(image, "PMPI_Init", 4800000).has_own_mpi);
    assert_false(read_with_symbol(image, "PMPI_Initial", 1).has_own_mpi);
    assert_false(read_with_symbol(image, "MPI_Init", 1).has_own_mpi); /* one that stands in */
    image.segment[3].p_type = PT_NULL;
    assert_true(read_with_symbol(image, "PMPI_Init", 1).has_own_mpi);
    assert_message(read_with_symbol(image, "MPI_Init", 1).why, "statically");
    image.header.e_machine ^= 1;
    assert_false(read_with_symbol(image, "PMPI_Init", 1).has_own_mpi);
    image = image_of(LIST("libmpi.so.40"));
    assert_false(read_with_symbol(image, "PMPI_Init", 1).has_own_mpi);
    assert_int_equal(read_with_symbol(image, "PMPI_Init", 1).mpi, STORE_MPI_OPENMPI);
}

/* An interpreter is what its script says, and the modules beside it; nothing else is. */
static void test_scripts(void **state)
{
    char *words[] = {"-m", "mpi4py", "run.py", "9", NULL}, *none[] = {"-c", "import x", NULL};
    char own[4096];
    uint64_t id, other;

    (void)state;
    put("run.py", "print(1)");
    id = store_script_id("/usr/bin/python3.11", words, folder, 17);
    assert_true(id != 17 && id == store_script_id("python3", words, folder, 17));
    assert_true(store_script_id("/usr/bin/pythonic", words, folder, 17) == 17);
    assert_true(store_script_id("/usr/bin/python3", none, folder, 17) == 17);
    put("data.txt", "7");
    assert_true(store_script_id("python3", words, folder, 17) == id);
    put("module.py", "x = 1");
    other = store_script_id("python3", words, folder, 17);
    assert_true(other != id);
    put("run.py", "print(2)");
    assert_true(store_script_id("python3", words, folder, 17) != other);
    /* One that is started by its own name has its contents in the id already. */
    snprintf(own, sizeof own, "%s/run.py", folder);
    id = store_script_id(own, none, folder, 17);
    put("module.py", "x = 1234");
    assert_true(store_script_id(own, none, folder, 17) != id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mpi_of_libraries), cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_no_programs),      cmocka_unit_test(test_identity),
        cmocka_unit_test(test_long_contents),    cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_finding),          cmocka_unit_test(test_started),
        cmocka_unit_test(test_scripts),          cmocka_unit_test(test_loads),
        cmocka_unit_test(test_own_mpi),
    };

    return cmocka_run_group_tests(tests, images_setup, images_teardown);
}
