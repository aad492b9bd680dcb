/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static const struct {
    const char *name, *grammar;
    const char *keys; /* that it takes, each between spaces */
    int words;        /* the shape is key=value words, too */
    int (*build)(const topomap_spec *, topomap_machine **, topomap_error *);
} kinds[] = {
    {"tree", "tree:4:16:8[*SLOTS]@1:10:100[,node=N][,alloc=FILE]", " node alloc ", 0,
     topomap_spec_tree},
    {"torus", "torus:XxYxZ[*SLOTS][@INSIDE:HOP][,wrap=xz][,base=B][,routers=N][,alloc=FILE]",
     " wrap base routers alloc ", 0, topomap_spec_torus},
    {"mesh", "mesh:XxY[*SLOTS][@INSIDE:HOP][,base=B][,routers=N][,alloc=FILE]",
     " base routers alloc ", 0, topomap_spec_mesh},
    {"matrix", "matrix:FILE[*SLOTS][@INSIDE][,alloc=FILE]", " alloc ", 0, topomap_spec_matrix},
    {"fattree",
     "fattree:k=K,levels=L[,hosts=N][,taper=N][*SLOTS][@INSIDE:HOP][,alloc=FILE] (or leaves=N, "
     "hosts=, spines=, links=)",
     " alloc ", 1, topomap_spec_fattree},
    {"dragonfly", "dragonfly:p=P,a=A,h=H[,groups=G][,valiant=V][*SLOTS][@INSIDE:HOP][,alloc=FILE]",
     " alloc ", 1, topomap_spec_dragonfly},
    {"percs", "percs:supernodes=S[,links=N][,seed=N][*SLOTS][@INSIDE:HOP][,alloc=FILE]", " alloc ",
     1, topomap_spec_percs},
    {"gpus",
     "gpus:nodes=N,gpus=G[,rails=R][,unit=NODES][,pod=NODES][,taper=N][,domain=NODES][,nvlink=GPUS]"
     "[,switch=GPUS][,numa=GPUS][,package=GPUS][@NVLINK:HOP][,alloc=FILE]",
     " alloc ", 1, topomap_spec_gpus},
    {"links", "links:FILE[*SLOTS][@INSIDE:HOP][,alloc=FILE]", " alloc ", 0, topomap_spec_links},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Where the last ",key=" of a known key begins, so that a file name may hold a comma. */
static char *last_key(char *text, char **key, char **value)
{
    for (char *at = text + strlen(text); at-- > text;) {
        char *name = at + 1, *equal;

        if (*at != ',' || !(equal = strchr(name, '=')))
            continue;
        if (strspn(name, "abcdefghijklmnopqrstuvwxyz") != (size_t)(equal - name))
            continue;
        *key = name;
        *value = equal + 1;
        return at;
    }
    return NULL;
}

/* \param words  nonzero: another key belongs to the shape, and ends the search */
static int split_keys(topomap_spec *spec, const char *allowed, int words, topomap_error *err)
{
    const struct {
        const char *name;
        char **value;
    } keys[] = {{"node", &spec->node},
                {"alloc", &spec->alloc},
                {"wrap", &spec->wrap},
                {"base", &spec->base},
                {"routers", &spec->routers}};
    char *key, *value, *at;

    while ((at = last_key(spec->body, &key, &value)) != NULL) {
        char padded[32];
        size_t i = 0;

        snprintf(padded, sizeof padded, " %.*s ",
                 (int)(value - key - 1 < 20 ? value - key - 1 : 20), key);
        if (words && !strstr(allowed, padded))
            return 0;
        *at = '\0';
        value[-1] = '\0';
        while (i < sizeof keys / sizeof keys[0] && strcmp(keys[i].name, key) != 0)
            i++;
        if (i == sizeof keys / sizeof keys[0] || !strstr(allowed, padded))
            return topomap_spec_fail(spec, err, "unknown key '%s'; this kind takes:%s", key,
                                     allowed[1] ? allowed : " none");
        if (*keys[i].value)
            return topomap_spec_fail(spec, err, "key '%s' is given twice", key);
        *keys[i].value = value;
    }
    return 0;
}

static int split_costs(topomap_spec *spec, topomap_error *err)
{
    char *at = strrchr(spec->body, '@'), *text;

    if (!at || at[1 + strspn(at + 1, "0123456789.:eE+-")] != '\0')
        return 0;
    *at = '\0';
    for (text = at + 1;; text++) {
        char *end;
        double value = strtod(text, &end);

        if (end == text || !isfinite(value) || value < 0)
            return topomap_spec_fail(spec, err, "expected costs such as @1:10:100, found '@%s'",
                                     at + 1);
        if (spec->costs == TOPOMAP_SPEC_NUMBERS)
            return topomap_spec_fail(spec, err, "more than %d costs", TOPOMAP_SPEC_NUMBERS);
        spec->cost[spec->costs++] = value;
        if (*end == '\0')
            return 0;
        if (*end != ':')
            return topomap_spec_fail(spec, err, "expected ':' between costs, found '%s'", end);
        text = end;
    }
}

static int split_slots(topomap_spec *spec, topomap_error *err)
{
    char *at = strrchr(spec->body, '*');

    spec->slots = 1;
    if (!at || at[1] == '\0' || at[1 + strspn(at + 1, "0123456789")] != '\0')
        return 0;
    *at = '\0';
    if (topomap_spec_numbers(at + 1, ':', &spec->slots, 1) != 1)
        return topomap_spec_fail(spec, err, "expected slots per node after '*', found '%s'",
                                 at + 1);
    return 0;
}

static int unknown_kind(const char *text, topomap_error *err)
{
    char list[160] = "";

    for (size_t i = 0; i < KINDS; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s:",
                 i == 0          ? ""
                 : i + 1 < KINDS ? ", "
                                 : " or ",
                 kinds[i].name);
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "machine '%s': expected %s, as in tree:4:16:8@1:10:100, "
                             "torus:8x8x8*4 or fattree:k=16,levels=3",
                             text, list);
}

int topomap_machine_parse(const char *text, topomap_machine **machine, topomap_error *err)
{
    topomap_spec spec = {.text = text};
    size_t i = 0;
    TOPOMAP_FREED char *copy = NULL;

    while (i < KINDS && !(strncmp(text, kinds[i].name, strlen(kinds[i].name)) == 0 &&
                          text[strlen(kinds[i].name)] == ':'))
        i++;
    if (i == KINDS)
        return unknown_kind(text, err);
    copy = topomap_strdup(text, err);
    if (!copy)
        return -1;
    spec.body = copy + strlen(kinds[i].name) + 1;
    if (split_keys(&spec, kinds[i].keys, kinds[i].words, err) || split_costs(&spec, err) ||
        split_slots(&spec, err))
        return -1;
    if (*spec.body == '\0')
        return topomap_spec_fail(&spec, err, "expected %s", kinds[i].grammar);
    return kinds[i].build(&spec, machine, err);
}
