/* SPDX-License-Identifier: BSD-3-Clause */
/* What descriptions of InfiniBand adapters say. They are labels that an administrator, a driver or
 * nobody has set. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "topology-db/ib.h"

const struct ib_speed ib_speeds[] = {
    {"???", 0},       {"SDR", 2500},   {"DDR", 5000},  {"QDR", 10000},
    {"FDR10", 10312}, {"FDR", 14062},  {"EDR", 25781}, {"HDR", 53125},
    {"NDR", 106250},  {"XDR", 212500}, {NULL, 0},
};

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
    {"hca-", "d"},  {"mlx", "d_d"},   {"mlx4_bond_", "d"}, {"mlx5_bond_", "d"}, {"hfi", "d_d"},
    {"qib", "d"},   {"roce", "w"},    {"ib", "w"},         {"opa", "w"},        {"mthca", "d"},
    {"ipath", "d"}, {"bnxt_re", "d"}, {"irdma", "d"},      {"cxgb", "d_d"},     {"hns_", "d"},
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

/* Letters, digits, '.', '-' and '_', beginning with a letter or digit. */
static int is_word(const char *word, const char *end)
{
    if (end == word || !isalnum((unsigned char)*word))
        return 0;
    for (const char *at = word; at < end; at++)
        if (!isalnum((unsigned char)*at) && !strchr(".-_", *at))
            return 0;
    return strncmp(word, "0x", 2) != 0;
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

int ib_host_name(const char *description, char *host, size_t size)
{
    const char *first = description + strspn(description, " ");
    const char *end = word_end(first);
    const char *second = end + strspn(end, " ");

    if (!is_word(first, end) || (size_t)(end - first) >= size)
        return 0;
    if (*second ? !is_adapter(second, word_end(second)) : is_nobody(first, end))
        return 0;
    memcpy(host, first, (size_t)(end - first));
    host[end - first] = 0;
    return 1;
}

int ib_is_aggregation(const char *description, uint32_t device)
{
    return device == 0xcf09 || strstr(description, "Aggregation Node") != NULL;
}
