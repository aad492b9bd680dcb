/* SPDX-License-Identifier: BSD-3-Clause */
/* What it costs to find out about a program: bytes read, calls to the kernel, files kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/store/program.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/images.h"

static char self[4096];

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
    assert_message(program.why, "libraries");
    calls = count_calls("look");
    if (calls >= 0)
        assert_true(calls >= 5 && calls <= 60);
    unsetenv("LD_LIBRARY_PATH");
}

static int count_memos(void)
{
    char programs[160];
    int files = 0;
    DIR *list;

    snprintf(programs, sizeof programs, "%s/topomap/programs", folder);
    list = opendir(programs);
    assert_non_null(list);
    for (struct dirent *row; (row = readdir(list));)
        files += *row->d_name != '.';
    closedir(list);
    return files;
}

/* Many programs: what is remembered of them has a limit. What is as new as the clock that the sweep
 * goes by stays until that is a second older, and all of this takes a few seconds. */
static void test_many_programs(void **state)
{
    store store = fresh_store();
    int files;

    (void)state;
    for (unsigned i = 0; i < 2 * STORE_PROGRAMS_CACHED; i++)
        assert_int_equal(store_program_cache_write(&store, i, "contents 1\n"), 0);
    files = count_memos();
    for (unsigned late = 0; late < 5 && files > STORE_PROGRAMS_CACHED + STORE_PROGRAMS_CACHED / 8;
         late++) {
        sleep(1);
        for (unsigned i = 0; i < STORE_PROGRAMS_CACHED / 8; i++)
            assert_int_equal(store_program_cache_write(&store, i, "contents 1\n"), 0);
        files = count_memos();
    }
    assert_true(files >= STORE_PROGRAMS_CACHED / 2 &&
                files <= STORE_PROGRAMS_CACHED + STORE_PROGRAMS_CACHED / 8);
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
    assert_message(program.why, "script");
    assert_null(start_it(30, "./program", &program));
    assert_int_equal(program.mpi, STORE_MPI_NONE);
    assert_message(program.why, "words");
    calls = count_calls("start");
    if (calls >= 0)
        assert_true(calls >= 500 && calls <= 560);
    unsetenv("LD_LIBRARY_PATH");
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
        cmocka_unit_test(test_long_programs),
        cmocka_unit_test(test_many_folders),
        cmocka_unit_test(test_many_programs),
        cmocka_unit_test(test_many_words),
    };

    if (argc == 3 && !strcmp(argv[1], "look"))
        return look(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "start"))
        return start();
    assert_non_null(realpath("/proc/self/exe", self));
    return cmocka_run_group_tests(tests, images_setup, images_teardown);
}
