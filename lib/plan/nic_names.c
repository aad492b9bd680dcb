/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/node_plan.h"
#include "plan/bindings.h"
#include "util/alloc.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BY "tcgb"
#define NAMES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

int topomap_nics_is_name(const char *name)
{
    size_t length = strnlen(name, TOPOMAP_NIC_NAME);

    return length && length < TOPOMAP_NIC_NAME && *name != '-' && strspn(name, NAMES) == length;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* The kinds' numbers into `of`, which begin where they are first met; how many, or 0: too many. */
static uint32_t number_kinds(uint32_t nodes, const char *const *kind, uint32_t *of,
                             const char **known)
{
    uint32_t kinds = 0;

    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t k = node ? of[node - 1] : 0;

        if (k >= kinds || strcmp(known[k], kind[node]) != 0)
            for (k = 0; k < kinds && strcmp(known[k], kind[node]) != 0; k++)
                ;
        if (k == kinds) {
            if (kinds == TOPOMAP_NICS_KINDS)
                return 0;
            known[kinds++] = kind[node];
        }
        of[node] = k;
    }
    return kinds;
}

static void put_all(FILE *out, uint32_t nodes, const uint32_t *of, uint32_t kinds,
                    const char *const *known)
{
    for (uint32_t k = 0; k < kinds; k++)
        fprintf(out, "%s%s", k ? ";" : "", *known[k] ? known[k] : "-");
    fputc(' ', out);
    for (uint32_t node = 0, count; node < nodes; node += count) {
        for (count = 1; node + count < nodes && of[node + count] == of[node]; count++)
            ;
        fprintf(out, node ? ",%u" : "%u", of[node]);
        if (count > 1)
            fprintf(out, "*%u", count);
    }
}

char *topomap_nics_encode(int set, uint32_t job, uint32_t step, uint32_t nodes,
                          const char *const *kind, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *of = topomap_alloc(nodes, sizeof *of, err);
    TOPOMAP_FREED char *text = NULL;
    const char *known[TOPOMAP_NICS_KINDS];
    char *sealed = NULL;
    size_t size = 0;
    FILE *out = of ? open_memstream(&text, &size) : NULL;
    uint32_t kinds;

    if (!out)
        return NULL;
    fprintf(out, "N1 %s %u.%u ", set ? "set" : "advise", job, step);
    kinds = number_kinds(nodes, kind, of, known);
    put_all(out, nodes, of, kinds, known);
    if (!kinds)
        topomap_error_set(err, TOPOMAP_EINPUT, "nodes are of more than %d kinds by their NICs",
                          TOPOMAP_NICS_KINDS);
    if (fclose(out) == 0 && kinds)
        sealed = topomap_alloc(size + 10, 1, err);
    if (sealed)
        snprintf(sealed, size + 10, "%s %08x", text, topomap_crc32(0, text, size));
    return sealed;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static int bad(topomap_error *err, const char *what)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "the text of NICs: %s", what);
}

static int number(const char **at, uint32_t most, uint32_t *value)
{
    uint64_t number;

    if (topomap_text_number(at, &number) || number > most)
        return -1;
    *value = (uint32_t)number;
    return 0;
}

/* How many are alike: "*4", or nothing for one. */
static int times(const char **at, uint32_t most, uint32_t *count)
{
    *count = 1;
    if (**at != '*')
        return 0;
    ++*at;
    return number(at, most, count) || !*count ? -1 : 0;
}

/* Which kind a node is of, from where the nodes begin. */
static int kind_of(const char *at, uint32_t node, uint32_t *kind)
{
    for (uint32_t done = 0, count;; done += count) {
        if (number(&at, TOPOMAP_NICS_KINDS, kind) || times(&at, UINT32_MAX / 2, &count))
            return -1;
        if (node - done < count)
            return 0;
        if (*at++ != ',')
            return -1;
    }
}

/* One entry's names into `to`, commas in place of '+'; its length, 0: there is none, or -1. */
static int entry_of(const char *at, size_t length, char *to)
{
    char name[TOPOMAP_NIC_NAME];
    size_t used = 0;

    if (length == 1 && *at == '-')
        return 0;
    while (used < length) {
        size_t own = strcspn(at + used, "+*,; ");

        if (own >= sizeof name || used + own > length)
            return -1;
        memcpy(name, at + used, own);
        name[own] = 0;
        if (!topomap_nics_is_name(name))
            return -1;
        memcpy(to + used, name, own);
        used += own;
        if (used < length)
            to[used++] = ',';
    }
    return to[used - 1] == ',' ? -1 : (int)used;
}

/* A kind's entries, unfolded. \return NULL, or what is wrong */
static const char *unfold(const char *at, size_t most, topomap_node_nics *nics, char **memory,
                          topomap_error *err)
{
    TOPOMAP_FREED char *entry = topomap_alloc(strcspn(at, "; ") + 1, 1, err);
    const char *problem = NULL;
    size_t room = 0;

    for (uint32_t count; entry && !problem; at++) {
        size_t own = strcspn(at, "*,; ");
        int length = own ? entry_of(at, own, entry) : -1;

        at += own;
        if (length < 0 || times(&at, TOPOMAP_NICS_ENTRIES, &count)) {
            problem = "a name that is none";
        } else if (count + nics->entries > TOPOMAP_NICS_ENTRIES ||
                   nics->bytes + (uint64_t)count * ((uint32_t)length + 1) > most) {
            problem = "a node has more than there is room for";
        } else if (topomap_grow(memory, &room, nics->bytes + count * ((size_t)length + 1), 1,
                                err)) {
            problem = "there is no memory for it";
        }
        for (uint32_t i = 0; !problem && i < count; i++) {
            memcpy(*memory + nics->bytes, entry, (size_t)length);
            (*memory)[nics->bytes + (uint32_t)length] = 0;
            nics->bytes += (uint32_t)length + 1;
            nics->entries++;
        }
        if (*at != ',')
            break;
    }
    if (entry && !problem && *at != ';' && *at != ' ')
        problem = "a name that is none";
    return entry ? problem : "there is no memory for it";
}

/* What is before the kinds. \return where they begin, or NULL */
static const char *head(const char *text, uint32_t job, uint32_t step, topomap_node_nics *nics,
                        topomap_error *err)
{
    char ours[64];
    int length;

    for (int set = 0; set < 2; set++) {
        length = snprintf(ours, sizeof ours, "N1 %s %u.%u ", set ? "set" : "advise", job, step);
        if (strncmp(text, ours, (size_t)length) == 0) {
            nics->set = (uint32_t)set;
            return text + length;
        }
    }
    bad(err, "it is not of this version, or of another step");
    return NULL;
}

static int decode(const char *text, uint32_t job, uint32_t step, uint32_t node, size_t most,
                  topomap_node_nics *nics, char **memory, topomap_error *err)
{
    const char *at = head(text, job, step, nics, err), *nodes = at, *problem;
    uint32_t kind;

    if (!at)
        return -1;
    nodes += strcspn(nodes, " ");
    if (!*nodes || kind_of(nodes + 1, node, &kind))
        return bad(err, "it has nothing for this node");
    for (; kind; kind--) {
        at += strcspn(at, ";");
        if (*at++ != ';' || at > nodes)
            return bad(err, "it has not the kind of this node");
    }
    if (*at == '-')
        return 0;
    if (!strchr(BY, *at) || at[1] != ':')
        return bad(err, "a kind of nodes that is not known");
    nics->by = (unsigned char)*at;
    problem = unfold(at + 2, most, nics, memory, err);
    nics->text = *memory;
    return problem ? bad(err, problem) : 0;
}

int topomap_nics_decode_node(const char *text, size_t size, uint32_t job, uint32_t step,
                             uint32_t node, size_t most, topomap_node_nics *nics, char **memory,
                             topomap_error *err)
{
    enum { SEAL = 9 };
    char sum[SEAL + 1];
    int status;

    *nics = (topomap_node_nics){0};
    *memory = NULL;
    if (size <= SEAL || strnlen(text, size) != size)
        return bad(err, "it is none");
    snprintf(sum, sizeof sum, " %08x", topomap_crc32(0, text, size - SEAL));
    if (memcmp(text + size - SEAL, sum, SEAL) != 0)
        return bad(err, "it was cut or changed (checksum)");
    status = decode(text, job, step, node, most, nics, memory, err);
    if (status == 0)
        return 0;
    free(*memory);
    *memory = NULL;
    *nics = (topomap_node_nics){0};
    return -1;
}

/* ---- A node's part ------------------------------------------------------------------------ */

/* "mlx5_0", or "mlx5_0:1". */
static int is_word(const char *word, size_t length)
{
    char copy[TOPOMAP_NIC_NAME + 4], *port;

    if (length >= sizeof copy)
        return 0;
    memcpy(copy, word, length);
    copy[length] = 0;
    port = strchr(copy, ':');
    if (port) {
        *port++ = 0;
        if (!*port || strlen(port) > 2 || strspn(port, "0123456789") != strlen(port))
            return 0;
    }
    return topomap_nics_is_name(copy);
}

static int is_entry(const char *entry)
{
    while (*entry) {
        size_t length = strcspn(entry, ",");

        if (!is_word(entry, length))
            return 0;
        entry += length;
        if (*entry && !*++entry)
            return 0;
    }
    return 1;
}

int topomap_node_nics_by_local(const topomap_node_nics *nics)
{
    return nics->by == TOPOMAP_NICS_BY_TASK || nics->by == TOPOMAP_NICS_BY_CPUS;
}

int topomap_node_nics_is_sound(const topomap_node_nics *nics, uint32_t tasks)
{
    uint32_t entries = 0;

    if (nics->set > 1 || !nics->by)
        return !nics->by && nics->set <= 1 && !nics->entries && !nics->bytes;
    if (nics->by > 127 || !strchr(BY, (int)nics->by) || !nics->bytes || nics->text[nics->bytes - 1])
        return 0;
    if (topomap_node_nics_by_local(nics) ? nics->entries != tasks
                                         : nics->entries > TOPOMAP_NICS_GPUS)
        return 0;
    for (uint32_t at = 0; at < nics->bytes; entries++) {
        if (!is_entry(nics->text + at))
            return 0;
        at += (uint32_t)strlen(nics->text + at) + 1;
    }
    return entries == nics->entries;
}

const char *topomap_node_nics_entry(const topomap_node_nics *nics, uint32_t entry)
{
    const char *at = nics->text;

    if (!nics->by || entry >= nics->entries)
        return NULL;
    for (; entry; entry--)
        at += strlen(at) + 1;
    return at;
}
