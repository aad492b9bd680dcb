/* SPDX-License-Identifier: BSD-3-Clause */
/* Made Cray machines: nodes with their places on the floor and their coordinates, as xtprocadmin
 * and xtdb2proc print them. The places follow the folded cabling of large Gemini and SeaStar
 * machines (all 19,200 nodes of one 25x16x24 Gemini machine satisfy the rule) and of Aries
 * cabinets. */
#include <string.h>

#include "topology-db/synth/synth.h"
#include "util/alloc.h"

enum { CAGES = 3, BLADES = 8, ARIES_CHASSIS = 6, ARIES_BLADES = 16, ARIES_ROW = 6 };

static int add(struct synth_cray *cray, struct synth_cray_node node, topomap_error *err)
{
    if (topomap_grow(&cray->node, &cray->room, cray->nodes + 1u, sizeof node, err))
        return -1;
    node.nid = cray->nodes;
    cray->node[cray->nodes++] = node;
    return 0;
}

/* ---- Tori -------------------------------------------------------------------------------- */

/* Where a node is in the torus. \p layers: of Y that one blade has (Gemini two, SeaStar four). */
static void locate(struct synth_cray_node *n, uint32_t cols, uint32_t rows, uint32_t layers)
{
    uint32_t fold = n->row % 2 ? rows - 1 - (n->row - 1) / 2 : n->row / 2;
    uint32_t cage = fold % 2 ? CAGES - 1 - n->cage : n->cage;

    n->x = n->col % 2 ? (n->col + 1) / 2 : (cols - n->col / 2) % cols;
    n->y = layers * fold + n->node * layers / 4;
    n->z = BLADES * cage + (cage % 2 ? BLADES - 1 - n->slot : n->slot);
}

static int make_torus(struct synth_spec *spec, uint32_t layers, struct synth_cray *cray,
                      topomap_error *err)
{
    uint32_t dim[3], dims, rows;

    spec->shaped = 1;
    if (strcmp(spec->kind, "torus") != 0 || synth_list(spec, spec->shape, dim, 3, &dims, err) ||
        dims != 3 || dim[2] > CAGES * BLADES || dim[0] > 4096 || dim[1] > 4096 ||
        (uint64_t)dim[0] * dim[1] * dim[2] * (4 / layers) > SYNTH_CRAY_NODES)
        return synth_fail(spec, err,
                          "expected torus:XxYxZ with Z up to %d (%d cages of %d blades in "
                          "a cabinet) and up to %d nodes",
                          CAGES * BLADES, CAGES, BLADES, SYNTH_CRAY_NODES);
    rows = (dim[1] + layers - 1) / layers;
    for (uint32_t i = 0; i < rows * dim[0] * CAGES * BLADES * 4; i++) {
        struct synth_cray_node n = {.node = i % 4,
                                    .slot = i / 4 % BLADES,
                                    .cage = i / 4 / BLADES % CAGES,
                                    .col = i / 4 / BLADES / CAGES % dim[0],
                                    .row = i / 4 / BLADES / CAGES / dim[0]};

        locate(&n, dim[0], rows, layers);
        if (n.y < dim[1] && n.z < dim[2] && add(cray, n, err))
            return -1;
    }
    return 0;
}

/* ---- Dragonflies ------------------------------------------------------------------------- */

/* Two cabinets a group; x, y, z are group, chassis of the group and blade. */
static int make_aries(struct synth_spec *spec, struct synth_cray *cray, topomap_error *err)
{
    uint32_t groups, chassis, blades, row;

    if (strcmp(spec->kind, "dragonfly") != 0)
        return synth_fail(spec, err, "cray=aries is a dragonfly:");
    if (synth_number(spec, "groups", 1, 241, 2, &groups, err) ||
        synth_number(spec, "chassis", 1, ARIES_CHASSIS, ARIES_CHASSIS, &chassis, err) ||
        synth_number(spec, "blades", 1, ARIES_BLADES, ARIES_BLADES, &blades, err))
        return -1;
    row = groups < ARIES_ROW ? groups : ARIES_ROW;
    for (uint32_t i = 0; i < groups * chassis * blades * 4; i++) {
        struct synth_cray_node n = {.node = i % 4, .z = i / 4 % blades};

        n.y = i / 4 / blades % chassis;
        n.x = i / 4 / blades / chassis;
        n.slot = n.z;
        n.cage = n.y % CAGES;
        n.col = 2 * (n.x % row) + n.y / CAGES;
        n.row = n.x / row;
        if (add(cray, n, err))
            return -1;
    }
    return 0;
}

/* ---- Faults and files -------------------------------------------------------------------- */

static int take_down(const struct synth_faults *faults, struct synth_cray *cray, topomap_error *err)
{
    uint32_t down = synth_faults_count(faults, SYNTH_MISSING, cray->nodes);
    TOPOMAP_FREED uint32_t *order = topomap_alloc(cray->nodes, sizeof *order, err);
    topomap_random random = {faults->seed};

    if (!order)
        return -1;
    synth_deal(&random, order, cray->nodes);
    for (uint32_t i = 0; i < down; i++)
        cray->node[order[i]].down = 1;
    return 0;
}

int synth_cray_make(struct synth_spec *spec, const char *machine, struct synth_cray *cray,
                    topomap_error *err)
{
    struct synth_faults faults;
    int result;

    if (strcmp(machine, "gemini") == 0)
        result = make_torus(spec, 2, cray, err);
    else if (strcmp(machine, "seastar") == 0)
        result = make_torus(spec, 4, cray, err);
    else if (strcmp(machine, "aries") == 0)
        result = make_aries(spec, cray, err);
    else
        return synth_fail(spec, err, "cray=%s: expected gemini, seastar or aries", machine);
    if (result || synth_faults_parse(spec, &faults, err))
        return -1;
    for (int kind = 0; kind < SYNTH_FAULTS; kind++)
        if (kind != SYNTH_MISSING && faults.number[kind])
            return synth_fail(spec, err,
                              "of a Cray machine only fault=missing:N, nodes that are "
                              "down");
    return take_down(&faults, cray, err);
}

void synth_cray_write_admin(const struct synth_cray *cray, FILE *out)
{
    fprintf(out, "   NID    (HEX)    NODENAME     TYPE    STATUS        MODE\n");
    for (uint32_t i = 0; i < cray->nodes; i++) {
        const struct synth_cray_node *n = &cray->node[i];
        char hex[16], place[48];

        snprintf(hex, sizeof hex, "0x%x", n->nid);
        snprintf(place, sizeof place, "c%u-%uc%us%un%u", n->col, n->row, n->cage, n->slot, n->node);
        fprintf(out, "%6u %8s %11s  compute %9s %11s\n", n->nid, hex, place,
                n->down ? "down" : "up", "batch");
    }
}

void synth_cray_write_proc(const struct synth_cray *cray, FILE *out)
{
    fprintf(out, "#\n# This file lists tables currently in the system database,\n#\n");
    for (uint32_t i = 0; i < cray->nodes; i++) {
        const struct synth_cray_node *n = &cray->node[i];

        fprintf(out,
                "cpu=%u,slot=%u,cage=%u,cabinet=null,cab_position=%u,cab_row=%u,x_coord=%u,"
                "y_coord=%u,z_coord=%u,process_slots=4,process_slots_free=4,"
                "processor_status='%s',processor_type='compute',alloc_mode='batch',"
                "processor_id=%u,od_allocator_id=0,next_red_black_switch=null,"
                "processor_spec=null\n",
                n->node, n->slot, n->cage, n->col, n->row, n->x, n->y, n->z,
                n->down ? "down" : "up", n->nid);
    }
}
