/* SPDX-License-Identifier: BSD-3-Clause */
/* The seeds of every target, and mutations of them from a fixed random seed, without libFuzzer:
 *
 *     replay                      all targets, as TAP
 *     replay TARGET FILE...       these inputs alone, such as one that libFuzzer found
 *     replay --list [launch]      the targets' names; of what a launch decodes alone
 *     replay --seeds TARGET DIR   writes the target's seeds as files
 *
 * FUZZ_RUNS says how many mutations a target gets. Data beside the checkout is used where it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

enum { RUNS = 3000, MOST_SIZE = 256 << 10 };

static const char *folders[3];
static char folder_text[2][4096];

static void find_folders(void)
{
    const char *source = getenv("TOPOMAP_SOURCE");

    if (!source)
        return;
    snprintf(folder_text[0], sizeof folder_text[0], "%s/tests/data", source);
    snprintf(folder_text[1], sizeof folder_text[1], "%s/../shared/data", source);
    folders[0] = folder_text[0];
    folders[1] = folder_text[1];
    folders[2] = getenv("FUZZ_CORPUS");
}

/* xorshift64*: the same mutations everywhere. */
static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545f4914f6cdd1du >> 16) % below;
}

/* ---- Mutations ----------------------------------------------------------------------------- */

struct buffer {
    uint8_t bytes[MOST_SIZE];
    size_t size;
};

static void change_byte(struct buffer *b, const struct fuzz_seeds *seeds)
{
    static const char interesting[] = "0-9,[]\"#:; \t\n\r\xff{}()='/.x";

    (void)seeds;
    if (b->size)
        b->bytes[draw(b->size)] =
            draw(2) ? (uint8_t)interesting[draw(sizeof interesting)] : (uint8_t)draw(256);
}

static void remove_range(struct buffer *b, const struct fuzz_seeds *seeds)
{
    size_t at, length;

    (void)seeds;
    if (!b->size)
        return;
    at = draw(b->size);
    length = draw(draw(4) ? 8 : b->size) + 1;
    length = length > b->size - at ? b->size - at : length;
    memmove(b->bytes + at, b->bytes + at + length, b->size - at - length);
    b->size -= length;
}

static void insert(struct buffer *b, const uint8_t *bytes, size_t size)
{
    uint8_t piece[256];
    size_t at = draw(b->size + 1);

    size = size > sizeof piece ? sizeof piece : size;
    if (size > MOST_SIZE - b->size)
        return;
    memcpy(piece, bytes, size);
    memmove(b->bytes + at + size, b->bytes + at, b->size - at);
    memcpy(b->bytes + at, piece, size);
    b->size += size;
}

static void repeat_range(struct buffer *b, const struct fuzz_seeds *seeds)
{
    size_t from = draw(b->size + 1);

    (void)seeds;
    insert(b, b->bytes + from, draw(b->size - from + 1));
}

static void insert_other(struct buffer *b, const struct fuzz_seeds *seeds)
{
    size_t seed = draw(seeds->count), from = draw(seeds->size[seed] + 1);

    insert(b, seeds->bytes[seed] + from, draw(seeds->size[seed] - from + 1));
}

static void insert_number(struct buffer *b, const struct fuzz_seeds *seeds)
{
    static const char *const numbers[] = {
        "0",
        "-1",
        "255",
        "65536",
        "2147483648",
        "4294967296",
        "18446744073709551616",
        "1e400",
        "00000000000000000000000000000000000001",
        "nan",
    };
    const char *number = numbers[draw(sizeof numbers / sizeof *numbers)];

    (void)seeds;
    insert(b, (const uint8_t *)number, strlen(number));
}

static void cut(struct buffer *b, const struct fuzz_seeds *seeds)
{
    (void)seeds;
    b->size = draw(b->size + 1);
}

static void (*const mutations[])(struct buffer *b, const struct fuzz_seeds *seeds) = {
    change_byte, change_byte, remove_range, repeat_range, insert_other, insert_number, cut,
};

/* ---- Runs ---------------------------------------------------------------------------------- */

/* An exact copy, so that a sanitizer sees a read past its end. */
static int run(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    int taken;

    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    taken = fuzz_run(target, copy, size);
    free(copy);
    return taken;
}

/* Seeds that the target takes come to the front; if there are any, they alone are mutated. */
static size_t sort_seeds(const struct fuzz_target *target, struct fuzz_seeds *seeds)
{
    size_t taken = 0, most = target->divisor > 100 ? 10 : SIZE_MAX;

    for (size_t i = 0; i < seeds->count && taken < most; i++)
        if (run(target, seeds->bytes[i], seeds->size[i])) {
            uint8_t *bytes = seeds->bytes[i];
            size_t size = seeds->size[i];

            seeds->bytes[i] = seeds->bytes[taken];
            seeds->size[i] = seeds->size[taken];
            seeds->bytes[taken] = bytes;
            seeds->size[taken++] = size;
        }
    return taken;
}

static void mutate(const struct fuzz_target *target, const struct fuzz_seeds *seeds, size_t good,
                   size_t runs)
{
    static struct buffer b;

    for (size_t i = 0; i < runs; i++) {
        size_t seed = draw(good && draw(8) ? good : seeds->count);

        b.size = seeds->size[seed] > MOST_SIZE ? MOST_SIZE : seeds->size[seed];
        memcpy(b.bytes, seeds->bytes[seed], b.size);
        for (uint64_t times = draw(4) + 1; times; times--)
            mutations[draw(sizeof mutations / sizeof *mutations)](&b, seeds);
        run(target, b.bytes, b.size);
    }
}

static int replay_all(void)
{
    const struct fuzz_target *target = fuzz_targets();
    const char *asked = getenv("FUZZ_RUNS");
    size_t runs = asked ? strtoul(asked, NULL, 10) : RUNS;

    for (int number = 1; target->run; target++, number++) {
        struct fuzz_seeds seeds;
        size_t good;

        fuzz_seeds_read(target, folders, &seeds);
        state = 0x9e3779b97f4a7c15u;
        good = sort_seeds(target, &seeds);
        mutate(target, &seeds, good, runs / (size_t)target->divisor);
        /* A target takes some of its own texts; whole files may all be for other targets. */
        printf("%sok %d - %s: %zu of %zu seeds taken, mutations survived\n",
               target->texts && !good ? "not " : "", number, target->name, good, seeds.count);
        fflush(stdout);
        fuzz_seeds_clear(&seeds);
        if (!target[1].run)
            printf("1..%d\n", number);
    }
    return 0;
}

/* ---- Single inputs and seeds ---------------------------------------------------------------- */

static const struct fuzz_target *find(const char *name)
{
    for (const struct fuzz_target *target = fuzz_targets(); target->run; target++)
        if (strcmp(target->name, name) == 0)
            return target;
    fprintf(stderr, "replay: no target '%s'\n", name);
    exit(2);
}

static int replay_files(const struct fuzz_target *target, char **path)
{
    static uint8_t bytes[1 << 20];

    for (; *path; path++) {
        FILE *in = fopen(*path, "r");
        size_t size;

        if (!in) {
            perror(*path);
            return 1;
        }
        size = fread(bytes, 1, sizeof bytes, in);
        fclose(in);
        printf("%s: %s\n", *path, run(target, bytes, size) ? "taken" : "refused");
    }
    return 0;
}

static int write_seeds(const struct fuzz_target *target, const char *folder)
{
    struct fuzz_seeds seeds;

    fuzz_seeds_read(target, folders, &seeds);
    for (size_t i = 0; i < seeds.count; i++) {
        char path[4096];
        FILE *out;

        snprintf(path, sizeof path, "%s/seed-%03zu", folder, i);
        out = fopen(path, "w");
        if (!out || fwrite(seeds.bytes[i], 1, seeds.size[i], out) != seeds.size[i] ||
            fclose(out) != 0) {
            perror(path);
            return 1;
        }
    }
    fuzz_seeds_clear(&seeds);
    return 0;
}

static int list(int launch_alone)
{
    for (const struct fuzz_target *target = fuzz_targets(); target->run; target++)
        if (target->launch || !launch_alone)
            puts(target->name);
    return 0;
}

int main(int argc, char **argv)
{
    find_folders();
    if (argc == 1)
        return replay_all();
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list(0);
    if (argc == 3 && strcmp(argv[1], "--list") == 0 && strcmp(argv[2], "launch") == 0)
        return list(1);
    if (argc == 4 && strcmp(argv[1], "--seeds") == 0)
        return write_seeds(find(argv[2]), argv[3]);
    if (argc > 2)
        return replay_files(find(argv[1]), argv + 2);
    fputs("usage: replay [--list [launch] | --seeds TARGET DIR | TARGET FILE...]\n", stderr);
    return 2;
}
