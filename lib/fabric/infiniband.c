/* SPDX-License-Identifier: BSD-3-Clause */
/* What descriptions of InfiniBand adapters say. They are labels that an administrator, a driver or
 * nobody has set. */
#include "config.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "fabric/infiniband.h"
#include "util/hostlist.h"

const struct ib_speed ib_speeds[IB_SPEEDS + 2] = {
    {"???", 0},       {"SDR", 2500},   {"DDR", 5000},  {"QDR", 10000},
    {"FDR10", 10312}, {"FDR", 14062},  {"EDR", 25781}, {"HDR", 53125},
    {"NDR", 106250},  {"XDR", 212500}, {NULL, 0},
};

/* Rates a lane as opensm (SPD=) and ibdiagnet (LSA) print them, in Gb/s, rounded or not. */
static const struct {
    const char *rate, *name;
} rates[] = {
    {"2.5", "SDR"},    {"5", "DDR"},         {"5.0", "DDR"},      {"10", "QDR"},
    {"10.0", "QDR"},   {"10.3125", "FDR10"}, {"14", "FDR"},       {"14.0625", "FDR"},
    {"25", "EDR"},     {"26", "EDR"},        {"25.78125", "EDR"}, {"50", "HDR"},
    {"53", "HDR"},     {"53.125", "HDR"},    {"100", "NDR"},      {"106", "NDR"},
    {"106.25", "NDR"}, {"200", "XDR"},       {"212", "XDR"},      {"212.5", "XDR"},
};

uint8_t ib_speed_named(const char *text, size_t length)
{
    for (uint8_t i = 1; ib_speeds[i].name; i++)
        if (strlen(ib_speeds[i].name) == length && strncmp(ib_speeds[i].name, text, length) == 0)
            return i;
    return 0;
}

uint8_t ib_speed_of_rate(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strlen(rates[i].rate) == length && strncmp(rates[i].rate, text, length) == 0)
            return ib_speed_named(rates[i].name, strlen(rates[i].name));
    return ib_speed_named(text, length);
}

uint32_t ib_mbps(uint32_t width, uint32_t speed)
{
    uint64_t rate;

    if (speed >= sizeof ib_speeds / sizeof *ib_speeds - 1)
        return 0;
    rate = (uint64_t)ib_speeds[speed].mbps * width;
    return (uint32_t)(speed <= 3 ? rate * 4 / 5 : rate); /* SDR, DDR, QDR: 8b/10b */
}

/* Names of adapters: a prefix, then digits and letters as the pattern says: 'd' digits, 'w' word
 * characters, '_' itself. Kernel names, the older "HCA-n" of the OFED scripts, and the names that
 * rdma-core's udev rules give ("rocep3s0", "ibp65s0"). */
static const struct {
    const char *prefix, *rest;
} adapters[] = {
    {"hca-", "d"},  {"mlx", "d_w"},  {"hfi", "d_d"}, {"qib", "d"},   {"roce", "w"},
    {"ib", "w"},    {"opa", "w"},    {"mthca", "d"}, {"ipath", "d"}, {"bnxt_re", "d"},
    {"irdma", "d"}, {"cxgb", "d_d"}, {"hns_", "d"},
};

static int matches(const char *word, const char *end, const char *prefix, const char *rest)
{
    size_t length = strlen(prefix);

    if ((size_t)(end - word) <= length || strncasecmp(word, prefix, length) != 0)
        return 0;
    for (word += length; *rest; rest++) {
        const char *start = word;

        if (*rest == 'd')
            while (word < end && isdigit((unsigned char)*word))
                word++;
        else if (*rest == 'w')
            while (word < end && (isalnum((unsigned char)*word) || *word == '_'))
                word++;
        else if (word < end && *word == *rest)
            word++;
        if (word == start)
            return 0;
    }
    return word == end;
}

static int is_adapter(const char *word, const char *end)
{
    for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++)
        if (matches(word, end, adapters[i].prefix, adapters[i].rest))
            return 1;
    return 0;
}

static const char *word_end(const char *word)
{
    while (*word && *word != ' ')
        word++;
    return word;
}

static int is_word(const char *word, const char *end)
{
    return topomap_is_node_name(word, (size_t)(end - word)) && strncmp(word, "0x", 2) != 0;
}

/* What a description that is one word says where nobody has set it: a maker's part number
 * ("MT25408"), or no name. */
static int is_nobody(const char *word, const char *end)
{
    static const char *const nobody[] = {"localhost", "none", "unknown"};
    const char *digits = word + 2;

    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++)
        if (strncasecmp(word, nobody[i], strlen(nobody[i])) == 0 &&
            (end == word + strlen(nobody[i]) || word[strlen(nobody[i])] == '.'))
            return 1;
    if (end - word <= 4 || strncmp(word, "MT", 2) != 0)
        return 0;
    while (digits < end && isdigit((unsigned char)*digits))
        digits++;
    return digits == end;
}

static int copy_word(const char *word, const char *end, char *copy, size_t size)
{
    if ((size_t)(end - word) >= size)
        return 0;
    memcpy(copy, word, (size_t)(end - word));
    copy[end - word] = 0;
    return 1;
}

static void split(const char *description, const char **first, const char **end,
                  const char **second)
{
    *first = description + strspn(description, " ");
    *end = word_end(*first);
    *second = *end + strspn(*end, " ");
}

int ib_host_name(const char *description, char *host, size_t size)
{
    const char *first, *end, *second;

    split(description, &first, &end, &second);
    if (!is_word(first, end) ||
        (*second ? !is_adapter(second, word_end(second)) : is_nobody(first, end)))
        return 0;
    return copy_word(first, end, host, size);
}

int ib_adapter_name(const char *description, char *adapter, size_t size)
{
    const char *first, *end, *second;

    split(description, &first, &end, &second);
    return *second && is_adapter(second, word_end(second)) &&
           copy_word(second, word_end(second), adapter, size);
}

int ib_is_aggregation(const char *description, uint32_t device)
{
    return device == 0xcf09 || strcasestr(description, "aggregation node") != NULL;
}
