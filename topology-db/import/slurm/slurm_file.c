/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the content of Slurm's topology file in memory. */
#include <stdlib.h>

#include "topology-db/import/slurm/slurm_topology.h"
#include "util/alloc.h"

const char *const slurm_kind_names[SLURM_KINDS] = {
    [SLURM_TREE] = "tree", [SLURM_BLOCK] = "block",   [SLURM_FLAT] = "flat",
    [SLURM_RING] = "ring", [SLURM_TORUS] = "torus3d",
};

int slurm_add_topology(struct slurm_file *file, const char *name, enum slurm_kind kind, size_t line)
{
    struct slurm_topology topology = {topomap_arena_strdup(&file->names, name, file->err), kind,
                                      .line = line};

    return topology.name ? TOPOMAP_APPEND(file->topology, file->topologies, file->topology_room,
                                          file->err, topology)
                         : -1;
}

int slurm_add_unit(struct slurm_file *file, const char *name, size_t line)
{
    struct slurm_unit unit = {
        .topology = (uint32_t)file->topologies - 1, .first = file->members, .line = line};

    if (strlen(name) >= DB_KEY)
        return slurm_fail(file, line, "a name of more than %d characters", DB_KEY - 1);
    if (file->units == SLURM_UNITS_MOST)
        return slurm_fail(file, line, "more than %d switches, blocks or rings", SLURM_UNITS_MOST);
    unit.name = topomap_arena_strdup(&file->names, name, file->err);
    file->topology[unit.topology].units++;
    return unit.name ? TOPOMAP_APPEND(file->unit, file->units, file->unit_room, file->err, unit)
                     : -1;
}

int slurm_add_members(struct slurm_file *file, const char *list, int is_switch, size_t line)
{
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    topomap_error why;

    if (topomap_hostlist_expand(list, 0, &names, &why))
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(file->err, why.code, "%s", why.text)
                                           : slurm_fail(file, line, "%.300s", why.text);
    if (names.count > SLURM_MEMBERS_MOST - file->members)
        return slurm_fail(file, line, "more than %d names", SLURM_MEMBERS_MOST);
    if (topomap_grow(&file->member, &file->member_room, file->members + names.count,
                     sizeof *file->member, file->err))
        return -1;
    for (size_t i = 0; i < names.count; i++) {
        file->member[file->members++] = (struct slurm_member){
            (uint32_t)file->units - 1, UINT32_MAX, (uint8_t)is_switch, (uint32_t)i, names.name[i]};
        names.name[i] = NULL;
        file->unit[file->units - 1].members++;
    }
    return 0;
}

void slurm_file_clear(void *content)
{
    struct slurm_file *file = content;

    topomap_arena_clear(&file->names);
    for (size_t i = 0; i < file->members; i++)
        free(file->member[i].name);
    free(file->topology);
    free(file->unit);
    free(file->member);
}
