/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans that travel in a file of a shared folder. */
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

#include "plugin/common/spool.h"
#include "tests/unit/messages.h"

static char folder[] = "/tmp/topomap-spool-XXXXXX";

static const char *path_of(const char *note)
{
    return note + 9; /* behind the checksum */
}

static char *written(const char *text)
{
    topomap_error err;
    char *note = NULL;

    assert_int_equal(plugin_spool_write(folder, 17, 3, text, &note, &err), 0);
    return note;
}

static const plugin_spool_place here = {folder, 17, 3};

enum { MOST = 1 << 20 };

static void assert_refused(char *note, const char *why)
{
    topomap_error err;
    size_t size;
    char *text;

    assert_int_equal(plugin_spool_read(note, &here, MOST, &text, &size, &err), -1);
    if (!message_has(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
    plugin_spool_remove(note);
    free(note);
}

static void test_round_trip(void **state)
{
    size_t size = 300000, got;
    char *text = malloc(size + 1), *note, *back;
    topomap_error err;
    struct stat found;

    (void)state;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i % 26);
    text[size] = 0;
    note = written(text);
    assert_non_null(strstr(note, "/topomap-17.3-"));
    assert_int_equal(stat(path_of(note), &found), 0);
    assert_int_equal(found.st_mode & 07777, 0600);
    assert_int_equal(plugin_spool_read(note, &here, MOST, &back, &got, &err), 0);
    assert_int_equal(got, size);
    assert_string_equal(text, back);
    free(back);
    plugin_spool_remove(note);
    assert_int_equal(access(path_of(note), F_OK), -1);
    free(note);
    free(text);
}

static void test_two_steps_at_once(void **state)
{
    char *one = written("one"), *two = written("two"), *text;
    topomap_error err;
    size_t size;

    (void)state;
    assert_string_not_equal(one, two);
    assert_int_equal(plugin_spool_read(one, NULL, MOST, &text, &size, &err), 0);
    assert_string_equal(text, "one");
    free(text);
    plugin_spool_remove(one);
    plugin_spool_remove(two);
    free(one);
    free(two);
}

static void test_folders(void **state)
{
    topomap_error err;
    char *note = NULL;

    (void)state;
    assert_int_equal(plugin_spool_write("/does/not/exist", 1, 0, "x", &note, &err), -1);
    assert_message(err.text, "No such file");
    assert_int_equal(plugin_spool_write("relative", 1, 0, "x", &note, &err), -1);
    assert_null(note);
}

/* What another user of the folder could have put in the file's place. */
static void test_not_ours(void **state)
{
    char other[256], *note = written("plan");

    (void)state;
    chmod(path_of(note), 0620);
    assert_refused(note, "srun");

    note = written("plan");
    snprintf(other, sizeof other, "%s/elsewhere", folder);
    assert_int_equal(rename(path_of(note), other), 0);
    assert_int_equal(symlink(other, path_of(note)), 0);
    assert_refused(note, path_of(note));
    unlink(other);

    note = written("plan");
    assert_int_equal(link(path_of(note), other), 0);
    assert_refused(note, "plan");
    unlink(other);

    note = written("plan");
    unlink(path_of(note));
    assert_int_equal(mkfifo(path_of(note), 0600), 0);
    assert_refused(note, "plan");

    if (geteuid() == 0) {
        note = written("plan");
        assert_int_equal(chown(path_of(note), 12345, (gid_t)-1), 0);
        assert_refused(note, "plan");
    }
}

static void test_damaged(void **state)
{
    char *note = written("length");
    FILE *file;

    (void)state;
    assert_int_equal(truncate(path_of(note), 5), 0);
    assert_refused(note, "plan");

    note = written("length");
    assert_int_equal(truncate(path_of(note), 0), 0);
    assert_refused(note, "0 bytes");

    note = written("length");
    assert_int_equal(truncate(path_of(note), (off_t)1 << 40), 0);
    assert_refused(note, "1099511627776");

    note = written("length");
    file = fopen(path_of(note), "r+");
    assert_non_null(file);
    fputc('A', file);
    assert_int_equal(fclose(file), 0);
    assert_refused(note, "plan");

    note = written("a plan");
    unlink(path_of(note));
    assert_refused(note, "No such file");
    assert_refused(strdup("0123"), "damaged");
    assert_refused(strdup("01234567 relative"), "damaged");
    assert_refused(strdup(""), "damaged");
}

/* What somebody else wrote into the environment: a file that is this user's, and not the step's. */
static void test_elsewhere(void **state)
{
    static const struct {
        const char *folder;
        uint32_t job, step;
    } rows[] = {{"/tmp", 17, 3}, {"", 17, 3},    {"/", 17, 3},
                {folder, 17, 4}, {folder, 1, 3}, {folder, 17, 30}};
    char note[512], *own = written("plan"), *text, below[256];
    topomap_error err;
    size_t size;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plugin_spool_place place = {rows[i].folder, rows[i].job, rows[i].step};

        assert_int_equal(plugin_spool_read(own, &place, MOST, &text, &size, &err), -1);
        if (!message_has(err.text, "spool="))
            fail_msg("row %zu: %s", i, err.text);
    }
    for (int i = 0; i < 6; i++) {
        static const char *const formats[] = {
            "00000000 %s/sub/topomap-17.3-ABCDEF", "00000000 %s/../topomap-17.3-ABCDEF",
            "00000000 %s/topomap-17.3-ABCDE/",     "00000000 %s/topomap-17.3-ABC.EF",
            "00000000 %s/topomap-17.3-ABCDEFG",    "00000000 %sx/topomap-17.3-ABCDEF"};

        snprintf(note, sizeof note, formats[i], folder);
        assert_int_equal(plugin_spool_read(note, &here, MOST, &text, &size, &err), -1);
        assert_true(message_has(err.text, "step") || message_has(err.text, "damaged"));
    }
    /* A slash more in either plugstack.conf is the same folder. */
    snprintf(below, sizeof below, "%s//", folder);
    assert_int_equal(
        plugin_spool_read(own, &(plugin_spool_place){below, 17, 3}, MOST, &text, &size, &err), 0);
    free(text);
    /* As large as the step may have, and no larger. */
    assert_int_equal(plugin_spool_read(own, &here, 4, &text, &size, &err), 0);
    free(text);
    assert_int_equal(plugin_spool_read(own, &here, 3, &text, &size, &err), -1);
    plugin_spool_remove(own);
    free(own);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* Nothing of ours may be left in it. */
static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_two_steps_at_once),
        cmocka_unit_test(test_folders),    cmocka_unit_test(test_not_ours),
        cmocka_unit_test(test_damaged),    cmocka_unit_test(test_elsewhere),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
