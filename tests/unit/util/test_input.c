/* SPDX-License-Identifier: BSD-3-Clause */
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

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/input.h"

static topomap_input *opened(const char *path)
{
    topomap_input *input = NULL;
    topomap_error err;

    if (topomap_input_open(path, &input, &err))
        fail_msg("%s", err.text);
    return input;
}

static void assert_line(topomap_input *input, const char *expected, size_t lineno)
{
    topomap_error err;
    char *line;
    size_t length;
    int got = topomap_input_line(input, 0, &line, &length, &err);

    if (got < 0)
        fail_msg("%s", err.text);
    assert_int_equal(got, 1);
    assert_string_equal(line, expected);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(topomap_input_lineno(input), lineno);
}

static void assert_end(topomap_input *input)
{
    topomap_error err;
    char *line;
    size_t length;

    assert_int_equal(topomap_input_line(input, 0, &line, &length, &err), 0);
    assert_int_equal(topomap_input_line(input, 0, &line, &length, &err), 0);
}

static const char sample[] = "one\r\n\n  two \nlast";

static void check_sample(topomap_input *input)
{
    topomap_error err;
    const char *peeked;
    size_t size;

    assert_int_equal(topomap_input_peek(input, 5, &peeked, &size, &err), 0);
    assert_int_equal(size, 5);
    assert_memory_equal(peeked, "one\r\n", 5);
    assert_line(input, "one", 1);
    assert_line(input, "", 2);
    assert_int_equal(topomap_input_peek(input, 100, &peeked, &size, &err), 0);
    assert_int_equal(size, 11);
    assert_line(input, "  two ", 3);
    assert_line(input, "last", 4);
    assert_end(input);
    assert_int_equal(topomap_input_lineno(input), 4);
    topomap_input_close(input);
}

static void test_lines(void **state)
{
    size_t size = strlen(sample);
    topomap_input *input;
    topomap_error err;

    (void)state;
    check_sample(opened(scratch_write("plain", sample, size)));
    check_sample(opened(scratch_xz("packed.xz", sample, size)));
    check_sample(opened(scratch_zstd("packed.zst", sample, size)));
    assert_int_equal(topomap_input_memory("memory", sample, size, &input, &err), 0);
    check_sample(input);
}

/* As spreadsheets write it; but within the text it is text. */
static void test_mark(void **state)
{
    char marked[64], *text;
    topomap_input *input;
    topomap_error err;
    void *bytes;
    size_t size;
    int mapped;

    (void)state;
    size = (size_t)snprintf(marked, sizeof marked, "\xef\xbb\xbf%s", sample);
    check_sample(opened(scratch_write("marked", marked, size)));
    check_sample(opened(scratch_zstd("marked.zst", marked, size)));
    input = opened(scratch_write("marked", marked, size));
    assert_int_equal(topomap_input_all(input, 0, &text, &size, &err), 0);
    assert_string_equal(text, sample);
    free(text);
    topomap_input_close(input);
    input = opened(scratch_text("marked", marked));
    assert_int_equal(topomap_input_map(input, 1 << 20, &bytes, &size, &mapped, &err), 0);
    assert_int_equal(mapped, 0);
    assert_int_equal(size, strlen(sample));
    assert_memory_equal(bytes, sample, size);
    free(bytes);
    topomap_input_close(input);
    input = opened(scratch_text("within", "a\n\xef\xbb\xbf\n"));
    assert_line(input, "a", 1);
    assert_line(input, "\xef\xbb\xbf", 2);
    assert_end(input);
    topomap_input_close(input);
    input = opened(scratch_text("alone", "\xef\xbb\xbf"));
    assert_end(input);
    topomap_input_close(input);
}

static void test_empty(void **state)
{
    topomap_input *input = opened(scratch_text("empty", ""));
    topomap_error err;
    const char *peeked;
    char *text;
    size_t size = 9;

    (void)state;
    assert_end(input);
    assert_int_equal(topomap_input_peek(input, 4, &peeked, &size, &err), 0);
    assert_int_equal(size, 0);
    assert_int_equal(topomap_input_all(input, 0, &text, &size, &err), 0);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
    topomap_input_close(input);
    assert_int_equal(topomap_input_memory("memory", NULL, 0, &input, &err), 0);
    assert_end(input);
    topomap_input_close(input);
}

/* Longer than any buffer inside, with lines across its borders; packed likewise. */
static void test_large(void **state)
{
    size_t room = 3 << 20, size = 0, count = 0, n = 0;
    char *text = malloc(room);
    const char *paths[3];

    (void)state;
    assert_non_null(text);
    while (size + 300 < room) {
        size_t width = count * 7 % 290;

        memset(text + size, 'a' + (int)(count % 26), width);
        size += width;
        text[size++] = '\n';
        count++;
    }
    paths[0] = scratch_write("large", text, size);
    paths[1] = scratch_xz("large.xz", text, size);
    paths[2] = scratch_zstd("large.zst", text, size);
    for (size_t i = 0; i < 3; i++) {
        topomap_input *input = opened(paths[i]);
        topomap_watch watch = {.done = 0};
        topomap_error err;
        struct stat about;
        char *line;
        size_t length;

        for (n = 0; topomap_input_line(input, 0, &line, &length, &err) == 1; n++) {
            assert_int_equal(length, n * 7 % 290);
            assert_int_equal(strlen(line), length);
            if (length)
                assert_int_equal(line[length - 1], 'a' + (int)(n % 26));
        }
        assert_int_equal(n, count);
        topomap_input_close(input);

        /* Who watches sees bytes of the file as it is stored, and ever more. */
        input = opened(paths[i]);
        topomap_input_watch(input, &watch);
        assert_int_equal(stat(paths[i], &about), 0);
        assert_int_equal(atomic_load(&watch.total), about.st_size);
        for (uint64_t before = 0; topomap_input_line(input, 0, &line, &length, &err) == 1;) {
            assert_true(atomic_load(&watch.done) >= before);
            before = atomic_load(&watch.done);
            assert_true(before > 0);
        }
        assert_int_equal(atomic_load(&watch.done), about.st_size);
        assert_string_equal(atomic_load(&watch.stage), "reading");
        topomap_input_close(input);

        input = opened(paths[i]);
        assert_line(input, "", 1);
        assert_int_equal(topomap_input_all(input, 0, &line, &length, &err), 0);
        assert_int_equal(length, size - 1);
        assert_memory_equal(line, text + 1, length);
        assert_int_equal(line[length], 0);
        free(line);
        topomap_input_close(input);

        input = opened(paths[i]);
        assert_int_equal(topomap_input_all(input, size - 1, &line, &length, &err), -1);
        assert_int_equal(err.code, TOPOMAP_EINPUT);
        assert_message(err.text, "more than");
        topomap_input_close(input);
    }
    free(text);
}

static void test_most(void **state)
{
    topomap_input *input = opened(scratch_text("most", "12345"));
    topomap_error err;
    const char *peeked;
    size_t size;

    (void)state;
    assert_true(topomap_input_most(input) == SIZE_MAX);
    assert_int_equal(topomap_input_peek(input, 1, &peeked, &size, &err), 0);
    assert_int_equal(topomap_input_most(input), 5);
    topomap_input_close(input);
    input = opened(scratch_xz("most.xz", "12345", 5));
    assert_int_equal(topomap_input_peek(input, 1, &peeked, &size, &err), 0);
    assert_true(topomap_input_most(input) == SIZE_MAX);
    topomap_input_close(input);
}

/* Reads a whole file by lines; 0 or the failure. */
static int read_through(const char *path, size_t limit, topomap_error *err)
{
    topomap_input *input;
    char *line;
    size_t length;
    int got;

    if (topomap_input_open(path, &input, err))
        return -1;
    while ((got = topomap_input_line(input, limit, &line, &length, err)) == 1)
        ;
    topomap_input_close(input);
    return got;
}

/* What unpacks to more than it should is refused at once; what may be more is told. */
static void test_limit(void **state)
{
    static const struct {
        const char *option;
        int good; /* 5000 bytes; -1: no size */
    } sizes[] = {
        {NULL, 1},
        {"unpacked=5000", 1},
        {"unpacked=4999", 0},
        {"unpacked=4K", 0},
        {"unpacked=5K", 1},
        {"unpacked=1T", 1},
        {"other=4K", 1},
        {"unpacked=", -1},
        {"unpacked=0", -1},
        {"unpacked=4k", -1},
        {"unpacked=-1", -1},
        {"unpacked=4KB", -1},
        {"unpacked=99999999999999999999", -1},
        {"unpacked=99999999T", -1},
    };
    char bytes[5000], *text;
    topomap_error err;
    size_t size;

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int zstd = 0; zstd < 2; zstd++) {
            const char *option[] = {sizes[i].option, NULL};
            topomap_input *input = opened(zstd ? scratch_zstd("l.zst", bytes, sizeof bytes)
                                               : scratch_xz("l.xz", bytes, sizeof bytes));
            int status = topomap_input_unpacked(input, option, &err);

            assert_int_equal(status, sizes[i].good < 0 ? -1 : 0);
            if (status) {
                assert_int_equal(err.code, TOPOMAP_EUSAGE);
            } else if (topomap_input_all(input, 0, &text, &size, &err) == 0) {
                assert_int_equal(sizes[i].good, 1);
                free(text);
            } else {
                assert_int_equal(sizes[i].good, 0);
                assert_int_equal(err.code, TOPOMAP_EINPUT);
                assert_message(err.text, "unpacked=SIZE");
            }
            topomap_input_close(input);
        }
}

static void test_refused(void **state)
{
    const char *fifo = scratch_path("fifo");
    topomap_error err;

    (void)state;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(read_through(fifo, 0, &err), -1);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    assert_message(err.text, "FIFO");
    assert_int_equal(read_through("/", 0, &err), -1);
    assert_message(err.text, "directory");
    assert_int_equal(read_through("/dev/zero", 0, &err), -1);
    assert_message(err.text, "device");
    assert_int_equal(read_through(scratch_path("absent"), 0, &err), -1);
    assert_message(err.text, "No such file");

    assert_int_equal(read_through(scratch_write("nul", "ab\nc\0d\n", 7), 0, &err), -1);
    assert_message(err.text, "nul:2: ");
    assert_message(err.text, "binary");
    assert_int_equal(read_through(scratch_text("long", "ab\n123456\n"), 5, &err), -1);
    assert_message(err.text, "long:2: ");
    assert_int_equal(read_through(scratch_text("fits", "ab\n12345\n"), 5, &err), 0);
}

/* Every proper prefix of a packed file is an error, or too short to be recognised as packed. */
static void test_truncated(void **state)
{
    static const char text[] = "a line\nand another\nand the last one, which is rather long\n";
    size_t sizes[2], magic[2] = {6, 4};
    char *packed[2];
    topomap_error err;

    (void)state;
    packed[0] = scratch_slurp(scratch_xz("whole.xz", text, strlen(text)), &sizes[0]);
    packed[1] = scratch_slurp(scratch_zstd("whole.zst", text, strlen(text)), &sizes[1]);
    for (size_t i = 0; i < 2; i++) {
        for (size_t cut = magic[i]; cut < sizes[i]; cut++) {
            const char *path = scratch_write("cut", packed[i], cut);

            assert_int_equal(read_through(path, 0, &err), -1);
            assert_int_equal(err.code, TOPOMAP_EINPUT);
            assert_message(err.text, "cut: ");
        }
        assert_int_equal(read_through(scratch_write("cut", packed[i], sizes[i]), 0, &err), 0);
        packed[i][sizes[i] / 2] ^= 0x55;
        if (i == 0) /* zstd without a checksum may not see it */
            assert_int_equal(read_through(scratch_write("cut", packed[i], sizes[i]), 0, &err), -1);
        free(packed[i]);
    }
}

/* `cat a.xz b.xz` and `cat a.zst b.zst` hold both texts; other bytes after the end are refused. */
static void test_joined(void **state)
{
    const char *paths[2];
    topomap_error err;

    (void)state;
    paths[0] = scratch_xz("one.xz", "one\n", 4);
    paths[1] = scratch_zstd("one.zst", "one\n", 4);
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        char *packed = scratch_slurp(paths[i], &size);
        char *twice = malloc(2 * size);
        topomap_input *input;

        assert_non_null(twice);
        memcpy(twice, packed, size);
        memcpy(twice + size, packed, size);
        input = opened(scratch_write("twice", twice, 2 * size));
        assert_line(input, "one", 1);
        assert_line(input, "one", 2);
        assert_end(input);
        topomap_input_close(input);
        memset(twice + size, 'x', size);
        assert_int_equal(read_through(scratch_write("tail", twice, 2 * size), 0, &err), -1);
        free(packed);
        free(twice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_mark),
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_large),
        cmocka_unit_test(test_most),    cmocka_unit_test(test_limit),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_joined),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
