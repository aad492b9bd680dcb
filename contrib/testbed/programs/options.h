/* What the testbed's programs read from their command line, and how they shuffle. */
#ifndef TESTBED_OPTIONS_H
#define TESTBED_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A number from 1 to `most`, and nothing behind it. */
static inline bool parse_number(const char *text, int most, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < 1 || value > most)
        return false;
    *number = (int)value;
    return true;
}

/* Every option, in turn; false where one is not known or its value is none. */
static inline bool parse_options(int argc, char **argv, const struct option *options,
                                 bool (*parse)(int option, void *settings), void *settings)
{
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (!parse(option, settings))
            return false;
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
