/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.conf of Slurm's topology/tree: every node below one switch, every switch below one
 * other (topology.conf(5); checked with slurmctld 22.05). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/export/export.h"
#include "util/alloc.h"
#include "util/names/known.h"

enum { NAME = 128 };

struct writer {
    struct db_export *x;
    struct db_groups groups;
    char (*name)[NAME]; /* [groups] */
    topomap_known taken;
};

/* What may stand in a host list: letters, digits, '-', '_', '.'. */
static int put_name(struct writer *w, uint32_t g, topomap_error *err)
{
    const struct db_group *group = &w->groups.group[g];
    char *name = w->name[g];
    size_t used = 0;
    uint32_t at;

    for (const char *c = w->x->sw[group->top].label; *c && used < 96; c++)
        name[used++] = isalnum((unsigned char)*c) || strchr("-_.", *c) ? *c : '_';
    /* Where levels are not known, what joins the leaves is named after the first of them; and a
     * switch above the leaves with hosts of its own is two for Slurm. */
    snprintf(name + used, NAME - used, "%s",
             group->level && w->x->sw[group->top].level <= 0   ? "_and_all"
             : !group->level && w->x->sw[group->top].level > 0 ? "_hosts"
             : used                                            ? ""
                                                               : "switch");
    used = strlen(name);
    for (uint32_t n = 2; topomap_known_find(&w->taken, name, strlen(name)) != UINT32_MAX; n++) {
        if (n > w->groups.count + 1)
            return topomap_error_set(err, TOPOMAP_EINPUT, "too many switches called '%.*s'",
                                     (int)used, name);
        snprintf(name + used, NAME - used, "_%u", n);
    }
    return topomap_known_number(&w->taken, name, strlen(name), &at, err);
}

static size_t stem_of(const char *name)
{
    size_t length = strlen(name);

    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    return strlen(name) - length > 9 ? strlen(name) : length;
}

/* Nonzero if \p next is \p name with the number at its end one higher, padded alike. */
static int follows(const char *name, const char *next)
{
    size_t stem = stem_of(name), digits = strlen(name) - stem;
    char expected[16];

    snprintf(expected, sizeof expected, "%0*lu", (int)digits, strtoul(name + stem, NULL, 10) + 1);
    return digits && stem && stem_of(next) == stem && strncmp(name, next, stem) == 0 &&
           strcmp(next + stem, expected) == 0;
}

/* Ranges of numbers at the ends of names alone: slurmctld 22.05 stops at `spine[1-2]-1`. */
static void put_list(struct writer *w, const char *key, const topomap_names *names)
{
    FILE *out = w->x->out;

    fprintf(out, " %s=", key);
    for (size_t i = 0, end; i < names->count; i = end) {
        const char *name = names->name[i];
        size_t stem = stem_of(name);

        for (end = i + 1; end < names->count && follows(names->name[end - 1], names->name[end]);
             end++)
            ;
        if (end - i > 1)
            fprintf(out, "%s%.*s[%s-%s]", i ? "," : "", (int)stem, name, name + stem,
                    names->name[end - 1] + stem);
        else
            fprintf(out, "%s%s", i ? "," : "", name);
    }
    fputc('\n', out);
}

/* A line for each group with its members, in the order of hosts or groups. */
static int put_groups(struct writer *w, const uint32_t *parent_of, uint32_t members,
                      char *(*name_of)(struct writer *w, uint32_t member), const char *key,
                      topomap_error *err)
{
    TOPOMAP_FREED uint32_t *first = topomap_alloc(w->groups.count + 2u, sizeof *first, err);
    TOPOMAP_FREED char **list = topomap_alloc(members, sizeof *list, err);

    if (!first || !list)
        return -1;
    for (uint32_t m = 0; m < members; m++)
        if (parent_of[m] != UINT32_MAX)
            first[parent_of[m] + 2]++;
    for (uint32_t g = 0; g < w->groups.count; g++)
        first[g + 2] += first[g + 1];
    /* Filling moves first[g + 1] from where group g begins to where it ends. */
    for (uint32_t m = 0; m < members; m++)
        if (parent_of[m] != UINT32_MAX)
            list[first[parent_of[m] + 1]++] = name_of(w, m);
    for (uint32_t g = 0; g < w->groups.count; g++) {
        topomap_names names = {first[g + 1] - first[g], list + first[g]};

        if (!names.count)
            continue;
        fprintf(w->x->out, "SwitchName=%s", w->name[g]);
        put_list(w, key, &names);
    }
    return 0;
}

static char *host_name(struct writer *w, uint32_t host)
{
    return w->x->host[host].name;
}

static char *group_name(struct writer *w, uint32_t group)
{
    return w->name[group];
}

static int write_all(struct writer *w, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *parent = topomap_alloc(w->groups.count, sizeof *parent, err);

    w->name = topomap_alloc(w->groups.count, sizeof *w->name, err);
    if (!w->name || !parent)
        return -1;
    for (uint32_t g = 0; g < w->groups.count; g++) {
        if (put_name(w, g, err))
            return -1;
        parent[g] = w->groups.group[g].parent;
    }
    fprintf(w->x->out, "# topology.conf for TopologyPlugin=topology/tree, written by topomap.\n"
                       "# Switches that join the same ones are one here, named after the first.\n");
    return DB_STATUS(put_groups(w, w->groups.of_host, w->x->hosts, host_name, "Nodes", err) ||
                     put_groups(w, parent, w->groups.count, group_name, "Switches", err));
}

static void writer_clear(struct writer *w)
{
    topomap_known_clear(&w->taken);
    free(w->name);
    db_groups_clear(&w->groups);
}

static int run_slurm(struct db_export *x, topomap_error *err)
{
    TOPOMAP_CLEANUP(writer_clear) struct writer w = {.x = x};

    if (db_groups_make(x, &w.groups, err))
        return -1;
    if (!w.groups.count)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: no host hangs on a switch", x->db->path);
    return write_all(&w, err);
}

const db_exporter db_export_slurm = {
    .row = {"slurm-topology", "topology.conf of Slurm's topology/tree"},
    .run = run_slurm,
    .links = 1,
};
