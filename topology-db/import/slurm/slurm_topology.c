/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/slurm/slurm_topology.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"

/* ---- What Slurm refuses --------------------------------------------------------------------- */

struct name {
    const char *text;
    uint32_t topology, unit;
};

TOPOMAP_COMPARE(by_name, struct name, TOPOMAP_ORDER(x->topology, y->topology),
                strcmp(x->text, y->text))

/* Units sorted by topology and name, each name once. */
static struct name *sort_units(const struct slurm_file *file)
{
    struct name *name = topomap_alloc(file->units, sizeof *name, file->err);

    if (!name)
        return NULL;
    for (uint32_t i = 0; i < file->units; i++)
        name[i] = (struct name){file->unit[i].name, file->unit[i].topology, i};
    TOPOMAP_SORT(name, file->units, by_name);
    for (size_t i = 1; i < file->units; i++)
        if (by_name(&name[i - 1], &name[i]) == 0) {
            slurm_fail(file, file->unit[name[i].unit].line, "'%.60s' is there on line %zu too",
                       name[i].text, file->unit[name[i - 1].unit].line);
            free(name);
            return NULL;
        }
    return name;
}

static int find_children(struct slurm_file *file)
{
    TOPOMAP_FREED struct name *name = sort_units(file);
    int result = name ? 0 : -1;

    for (size_t i = 0; !result && i < file->members; i++) {
        struct slurm_member *member = &file->member[i];
        const struct slurm_unit *unit = &file->unit[member->unit];
        struct name wanted = {member->name, unit->topology, 0}, *found;

        if (!member->is_switch)
            continue;
        found = bsearch(&wanted, name, file->units, sizeof *name, by_name);
        if (found)
            member->child = found->unit;
        else
            result = slurm_fail(file, unit->line,
                                "switch '%.60s' has a child '%.60s' that is nowhere defined",
                                unit->name, member->name);
    }
    return result;
}

/* Takes switches without parents away until none is left. */
static int find_loops(const struct slurm_file *file)
{
    TOPOMAP_FREED uint32_t *parents = topomap_alloc(file->units, sizeof *parents, file->err);
    TOPOMAP_FREED uint32_t *queue = topomap_alloc(file->units, sizeof *queue, file->err);
    size_t head = 0, tail = 0;
    int result = parents && queue ? 0 : -1;

    for (size_t i = 0; !result && i < file->members; i++)
        if (file->member[i].is_switch)
            parents[file->member[i].child]++;
    for (size_t u = 0; !result && u < file->units; u++)
        if (!parents[u])
            queue[tail++] = (uint32_t)u;
    while (!result && head < tail) {
        const struct slurm_unit *unit = &file->unit[queue[head++]];

        for (size_t i = unit->first; i < unit->first + unit->members; i++)
            if (file->member[i].is_switch && --parents[file->member[i].child] == 0)
                queue[tail++] = file->member[i].child;
    }
    for (size_t u = 0; !result && u < file->units; u++)
        if (parents[u])
            result = slurm_fail(file, file->unit[u].line,
                                "switch '%.60s' is below itself or below such a switch",
                                file->unit[u].name);
    return result;
}

TOPOMAP_COMPARE(by_host, struct name, by_name(x, y), TOPOMAP_ORDER(x->unit, y->unit))

/* A node is in one block, ring or torus of a topology; it may be on several switches. */
static int find_twice(const struct slurm_file *file)
{
    TOPOMAP_FREED struct name *name = topomap_alloc(file->members, sizeof *name, file->err);
    size_t count = 0;

    if (!name)
        return -1;
    for (size_t i = 0; i < file->members; i++) {
        uint32_t topology = file->unit[file->member[i].unit].topology;

        if (file->topology[topology].kind != SLURM_TREE)
            name[count++] = (struct name){file->member[i].name, topology, file->member[i].unit};
    }
    TOPOMAP_SORT(name, count, by_host);
    for (size_t i = 1; i < count; i++)
        if (by_name(&name[i - 1], &name[i]) == 0)
            return slurm_fail(file, file->unit[name[i].unit].line,
                              "node '%.60s' is in '%.60s' and '%.60s'", name[i].text,
                              file->unit[name[i - 1].unit].name, file->unit[name[i].unit].name);
    return 0;
}

static int check_topology(const struct slurm_file *file, const struct slurm_topology *topology)
{
    if (!topology->units && topology->kind != SLURM_FLAT)
        return slurm_fail(file, topology->line, "topology '%.60s' has no %s", topology->name,
                          topology->kind == SLURM_TREE ? "switch" : "unit");
    for (uint32_t i = 0; i < topology->size_count; i++) {
        uint32_t base = topology->sizes[0], times = topology->sizes[i] / base;

        if (topology->sizes[i] % base || times & (times - 1) ||
            (i && topology->sizes[i] <= topology->sizes[i - 1]))
            return slurm_fail(file, topology->line,
                              "block size %u is not a larger power-of-two multiple of the base %u",
                              topology->sizes[i], base);
    }
    return 0;
}

static int check_ring(const struct slurm_file *file, const struct slurm_unit *unit)
{
    if (file->topology[unit->topology].kind != SLURM_RING ||
        (unit->members && unit->members <= SLURM_RING_MOST))
        return 0;
    return slurm_fail(file, unit->line, "ring '%.60s' has %zu nodes, not 1 to %d", unit->name,
                      unit->members, SLURM_RING_MOST);
}

static int check_all(struct slurm_file *file)
{
    if (!file->topologies)
        return slurm_fail(file, 1,
                          "no SwitchName=, BlockName= or RingName= line, and no "
                          "topology in YAML");
    for (size_t i = 0; i < file->topologies; i++)
        if (check_topology(file, &file->topology[i]))
            return -1;
    if (find_children(file) || find_loops(file) || find_twice(file))
        return -1;
    for (size_t u = 0; u < file->units; u++)
        if (check_ring(file, &file->unit[u]))
            return -1;
    return 0;
}

/* ---- The importer --------------------------------------------------------------------------- */

/* topology.conf's first word holds a '='; YAML's first line a list, a document or a `key:`. */
static int is_yaml(struct db_import *import, int *yaml)
{
    const char *bytes, *at, *end;
    size_t size;

    if (topomap_input_peek(import->input, 65536, &bytes, &size, import->err))
        return -1;
    *yaml = 0;
    for (at = bytes, end = bytes + size; at < end; at++) {
        if (*at == '#')
            while (at + 1 < end && *at != '\n')
                at++;
        if (*at != ' ' && *at != '\t' && *at != '\r' && *at != '\n' && *at != '#')
            break;
    }
    if (at < end && strchr("-%[{", *at))
        *yaml = 1;
    for (; at < end && *at != '\n' && *at != '='; at++)
        if (*at == ':')
            *yaml = 1;
    return 0;
}

/* The topology that distances come from: the option's, else the cluster's default, else the first.
 */
static int choose(struct db_import *import, const struct slurm_file *file, size_t *chosen)
{
    const char *name = db_option(import, "topology");

    *chosen = 0;
    for (size_t i = file->topologies; i-- > 0;)
        if (name ? strcmp(name, file->topology[i].name) == 0 : file->topology[i].is_default)
            *chosen = i;
    if (name && strcmp(name, file->topology[*chosen].name) != 0)
        return topomap_error_set(import->err, TOPOMAP_EUSAGE, "%s: no topology '%.60s' in it",
                                 import->path, name);
    return 0;
}

static int read_file(struct db_import *import, void *content)
{
    struct slurm_file *file = content;

    file->import = import;
    file->err = import->err;
    if (is_yaml(import, &file->yaml))
        return -1;
    return file->yaml ? slurm_read_yaml(import->input, file) : slurm_read_conf(import->input, file);
}

static int check(struct db_import *import, void *content)
{
    size_t chosen;

    return check_all(content) || choose(import, content, &chosen) ? -1 : 0;
}

static int write_topologies(struct db_import *import, const struct slurm_file *file, size_t chosen)
{
    DB_STATEMENT *insert =
        db_prepare(import->file, "INSERT INTO slurm_topology VALUES(?,?,?,?,?,?)", import->err);

    for (size_t i = 0; insert && i < file->topologies; i++) {
        const struct slurm_topology *topology = &file->topology[i];
        char sizes[SLURM_SIZES * 11 + 1] = "";

        for (uint32_t k = 0; k < topology->size_count; k++)
            sprintf(sizes + strlen(sizes), "%s%u", k ? "," : "", topology->sizes[k]);
        if (DB_PUT(insert, import->err, DB_INT(i), DB_INT(import->source), DB_NAME(topology->name),
                   DB_TEXT(slurm_kind_names[topology->kind]), DB_INT(i == chosen), DB_TEXT(sizes)))
            return -1;
    }
    return insert ? 0 : -1;
}

static int write_units(struct db_import *import, const struct slurm_file *file)
{
    DB_STATEMENT *insert =
        db_prepare(import->file, "INSERT INTO slurm_unit VALUES(?,?,?,?,?)", import->err);

    for (size_t i = 0; insert && i < file->units; i++) {
        const struct slurm_unit *unit = &file->unit[i];
        char dims[40] = "";

        if (unit->dim[0])
            snprintf(dims, sizeof dims, "%ux%ux%u", unit->dim[0], unit->dim[1], unit->dim[2]);
        if (DB_PUT(insert, import->err, DB_INT(i), DB_INT(import->source), DB_INT(unit->topology),
                   DB_NAME(unit->name), DB_TEXT(dims)))
            return -1;
    }
    return insert ? 0 : -1;
}

static int write_members(struct db_import *import, const struct slurm_file *file)
{
    DB_STATEMENT *insert =
        db_prepare(import->file, "INSERT INTO slurm_member VALUES(?,?,?,?,?)", import->err);

    for (size_t i = 0; insert && i < file->members; i++) {
        const struct slurm_member *member = &file->member[i];

        if (DB_PUT(insert, import->err, DB_INT(import->source), DB_INT(member->unit),
                   DB_INT_IF(member->is_switch, member->child),
                   DB_TEXT_IF(!member->is_switch, member->name), DB_INT(member->position)))
            return -1;
    }
    return insert ? 0 : -1;
}

static int write_file(struct db_import *import, void *content)
{
    const struct slurm_file *file = content;
    size_t chosen;
    int64_t hosts;

    if (choose(import, file, &chosen) || write_topologies(import, file, chosen) ||
        write_units(import, file) || write_members(import, file) ||
        slurm_put_setting(import->file, import->source, "format", file->yaml ? "yaml" : "conf",
                          import->err) ||
        db_number(import->file, "SELECT count(DISTINCT lower(host)) FROM slurm_member", 0, &hosts,
                  import->err))
        return -1;
    import->report->hosts = (uint64_t)hosts;
    import->report->switches = file->topology[chosen].units;
    for (size_t i = 0; i < file->units; i++)
        import->report->links += file->unit[i].topology == chosen ? file->unit[i].members : 0;
    return 0;
}

static const topomap_graph_option options[] = {
    {"topology", "NAME",
     "topology.yaml: the one that distances come from, else the cluster's default"},
    {NULL, NULL, NULL},
};

const db_importer db_slurm_topology = {
    .row = {"slurm-topology",
            "Slurm's topology.conf or topology.yaml: distances where no fabric has the nodes",
            options},
    .singleton = 1,
    .tables = {"slurm_topology", "slurm_unit", "slurm_member", "slurm_setting"},
    .size = sizeof(struct slurm_file),
    .begin = read_file,
    .check = check,
    .write = write_file,
    .free = slurm_file_free,
};
