/* SPDX-License-Identifier: BSD-3-Clause */
/* What the testbed's programs read from their command line, and how they shuffle. */
#ifndef TESTBED_OPTIONS_H
#define TESTBED_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { OPTIONS_MOST = 16 };

/* What follows an option's name, as `to` takes it; false where it is none. */
typedef bool option_reader(const char *text, int most, void *to);

/* A number from 1 to `most`, and nothing behind it: an int. */
static inline bool read_number(const char *text, int most, void *to)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < 1 || value > most)
        return false;
    *(int *)to = (int)value;
    return true;
}

static inline bool read_text(const char *text, int most, void *to)
{
    (void)most;
    *(const char **)to = text;
    return true;
}

struct option_row {
    const char *name;    /* without the dashes */
    option_reader *read; /* NULL: nothing follows it, and `to` is a bool */
    void *to;
    int most; /* of a number */
};

/* Every option, in turn; false where one is not known or its value is none. */
static inline bool parse_options(int argc, char **argv, const struct option_row *row, int rows)
{
    struct option option[OPTIONS_MOST + 1] = {{0}};
    int chosen;

    for (int i = 0; i < rows; i++)
        option[i] = (struct option){row[i].name, row[i].read != NULL, NULL, i};
    while ((chosen = getopt_long(argc, argv, "", option, NULL)) != -1) {
        if (chosen >= rows ||
            (row[chosen].read && !row[chosen].read(optarg, row[chosen].most, row[chosen].to)))
            return false;
        if (!row[chosen].read)
            *(bool *)row[chosen].to = true;
    }
    return true;
}

/* Steele, Lea and Flood 2014. */
static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
