/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of GPUs and NICs. Nodes of one set of devices are told of once. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/check/check.h"
#include "topology-db/query/query.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* Nodes of one name but for its numbers that have the same devices. */
struct group {
    int64_t set;
    uint32_t hosts;
    char *name, *peers; /* of the first host; what it has in common with its peers */
    topomap_devices devices;
};

struct groups {
    struct group *group;
    size_t count, room;
};

static void groups_clear(struct groups *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->group[i].name);
        free(g->group[i].peers);
        topomap_devices_clear(&g->group[i].devices);
    }
    free(g->group);
}

static int add_group(struct db_check *check, struct groups *g, sqlite3_stmt *row)
{
    struct group *group;

    if (topomap_grow(&g->group, &g->room, g->count + 1, sizeof *g->group, check->err))
        return -1;
    group = &g->group[g->count];
    *group = (struct group){.set = sqlite3_column_int64(row, 0), .hosts = db_u32(row, 2)};
    if (topomap_devices_parse(db_column_text(row, 4), &group->devices, check->err))
        return -1;
    g->count++;
    group->peers = db_column_copy(row, 1, check->err);
    group->name = db_column_copy(row, 3, check->err);
    return group->peers && group->name ? 0 : -1;
}

/* In the order of their first hosts. An older database has none. */
static int read_groups(struct db_check *check, struct groups *g)
{
    static const char sql[] =
        "SELECT d.devices, peers(host.name) AS kind, count(*), host.name, s.text, min(host.id)"
        " FROM host_devices d JOIN host ON host.id = d.host JOIN device_set s ON s.id = d.devices"
        " GROUP BY d.devices, kind ORDER BY min(host.id)";
    DB_ROWS rows = db_ask_if(check->file, "host_devices", sql, check->err);

    while (db_next(&rows))
        if (add_group(check, g, rows.row))
            return -1;
    return rows.result;
}

/* "node01", "node01 and 11 more". */
static const char *who(const struct group *group, char *text, size_t size)
{
    if (group->hosts > 1)
        snprintf(text, size, "%.200s and %u more", group->name, group->hosts - 1);
    else
        snprintf(text, size, "%.200s", group->name);
    return text;
}

static int with_groups(struct db_check *check,
                       int (*tell)(struct db_check *, const struct groups *, const struct group *))
{
    TOPOMAP_CLEANUP(groups_clear) struct groups g = {0};
    int result = read_groups(check, &g);

    for (size_t i = 0; !result && i < g.count; i++)
        if (g.group[i].devices.gpus)
            result = tell(check, &g, &g.group[i]);
    return result;
}

/* ---- Where a GPU's NIC is -------------------------------------------------------------------- */

/* On its PCI switch, next to its NUMA node, elsewhere. */
static uint32_t tier(enum topomap_near near)
{
    return near == TOPOMAP_NEAR_UNKNOWN || near > TOPOMAP_NEAR_NUMA ? 2
           : near > TOPOMAP_NEAR_SWITCHES                           ? 1
                                                                    : 0;
}

static int tell_far(struct db_check *check, const struct groups *all, const struct group *group)
{
    static const char *const places[] = {"on their PCI switch", "next to their NUMA node"};
    const topomap_devices *d = &group->devices;
    TOPOMAP_FREED uint32_t *nic = topomap_alloc(d->gpus, sizeof *nic, check->err);
    uint32_t tiers[3] = {0}, usual;
    int result = nic ? topomap_devices_nics(d, nic, check->err) : -1;

    (void)all;
    for (uint32_t g = 0; !result && g < d->gpus && nic[g] != UINT32_MAX; g++)
        tiers[tier(topomap_devices_near(d, g, nic[g]))]++;
    usual = tiers[0] * 2 > d->gpus ? 0 : (tiers[0] + tiers[1]) * 2 > d->gpus ? 1 : 2;
    for (uint32_t g = 0; !result && g < d->gpus && nic[g] != UINT32_MAX; g++) {
        enum topomap_near near = topomap_devices_near(d, g, nic[g]);
        char name[256], bus[20];

        if (tier(near) <= usual)
            continue;
        result = db_found(
            check, "%s: GPU %u%s%s: its nearest NIC %s is %s away, where most GPUs have one %s",
            who(group, name, sizeof name), g, d->device[g].bus ? " at " : "",
            d->device[g].bus ? topomap_bus_format(d->device[g].bus, bus) : "",
            d->device[nic[g]].name, topomap_near_word(near), places[usual]);
    }
    return result;
}

int db_check_far_nics(struct db_check *check)
{
    return with_groups(check, tell_far);
}

/* ---- Links between GPUs ---------------------------------------------------------------------- */

enum { KINDS = 64 };

struct expected {
    uint32_t links, mbytes;
    int there;
};

static struct expected link_of(const topomap_devices *d, uint32_t a, uint32_t b)
{
    size_t pair = (size_t)a * d->gpus + b;

    return (struct expected){d->links[pair], d->mbytes[pair], topomap_devices_linked(d, a, b)};
}

/* Rates differ in their last digits by how they were worked out. */
static int is_less(struct expected is, struct expected should)
{
    if (!should.there)
        return 0;
    return !is.there || (is.links && is.links < should.links) ||
           (is.mbytes && is.mbytes < should.mbytes - should.mbytes / 50);
}

/* What three quarters of a node's pairs have, where as many have the same. */
static struct expected usual_pair(const topomap_devices *d)
{
    struct expected kind[KINDS], none = {0};
    uint32_t count[KINDS] = {0}, kinds = 0, pairs = d->gpus * (d->gpus - 1) / 2;

    for (uint32_t i = 0; i < d->gpus; i++)
        for (uint32_t j = 0; j < i; j++) {
            struct expected one = link_of(d, i, j);
            uint32_t k = 0;

            while (k < kinds && (kind[k].links != one.links || kind[k].mbytes != one.mbytes))
                k++;
            if (k == KINDS)
                continue; /* no three quarters are left for one of these */
            kind[k] = one;
            kinds += k == kinds;
            count[k]++;
        }
    for (uint32_t k = 0; k < kinds; k++)
        if (kind[k].there && (uint64_t)count[k] * 4 >= (uint64_t)pairs * 3)
            return kind[k];
    return none;
}

static int same_gpus(const topomap_devices *a, const topomap_devices *b)
{
    if (a->gpus != b->gpus)
        return 0;
    for (uint32_t i = 0; i < a->gpus; i++)
        if (a->device[i].bus != b->device[i].bus)
            return 0;
    return 1;
}

/* What most nodes of its name with these GPUs have; NULL where there are too few to tell. */
static const struct group *usual_group(const struct groups *all, const struct group *group)
{
    const struct group *most = NULL;
    uint32_t hosts = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct group *other = &all->group[i];

        if (strcmp(other->peers, group->peers) != 0 || !same_gpus(&other->devices, &group->devices))
            continue;
        hosts += other->hosts;
        if (!most || other->hosts > most->hosts)
            most = other;
    }
    return most && hosts >= 3 && most->hosts * 2 > hosts ? most : NULL;
}

static int tell_missing(struct db_check *check, const struct group *group, uint32_t gpu,
                        const uint32_t *peer, uint32_t peers, struct expected is,
                        struct expected should)
{
    char name[256], has[64], wanted[64];
    TOPOMAP_FREED char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out)
        topomap_ranges_print(out, peer, peers, 2);
    if (!topomap_printed(out, &text, check->err))
        return -1;
    if (is.there && is.links && should.links > is.links) {
        snprintf(has, sizeof has, "%u NVLinks", is.links);
        snprintf(wanted, sizeof wanted, "%u", should.links);
    } else {
        snprintf(has, sizeof has, is.there ? "%u MB/s" : "no NVLink", is.mbytes);
        snprintf(wanted, sizeof wanted,
                 should.links    ? "%u"
                 : should.mbytes ? "%u MB/s"
                                 : "some",
                 should.links ? should.links : should.mbytes);
    }
    return db_found(check, "%s: GPU %u to GPU%s %s: %s, where other pairs have %s",
                    who(group, name, sizeof name), gpu, peers > 1 ? "s" : "", text, has, wanted);
}

/* Of the pairs that lack something, each is told of the GPU that has most of them. */
static int tell_links(struct db_check *check, const struct groups *all, const struct group *group)
{
    const topomap_devices *d = &group->devices;
    const struct group *usual = usual_group(all, group);
    struct expected inside = usual_pair(d);
    TOPOMAP_FREED uint8_t *lacks = topomap_alloc((size_t)d->gpus * d->gpus, 1, check->err);
    TOPOMAP_FREED uint32_t *peer = topomap_alloc(d->gpus, sizeof *peer, check->err);
    int result = lacks && peer ? 0 : -1;

    for (uint32_t i = 0; !result && i < d->gpus; i++)
        for (uint32_t j = 0; j < d->gpus; j++)
            lacks[(size_t)i * d->gpus + j] =
                i != j && (is_less(link_of(d, i, j), inside) ||
                           (usual && is_less(link_of(d, i, j), link_of(&usual->devices, i, j))));
    while (!result) {
        uint32_t worst = 0, most = 0, peers = 0;
        struct expected should;

        for (uint32_t i = 0; i < d->gpus; i++) {
            uint32_t count = 0;

            for (uint32_t j = 0; j < d->gpus; j++)
                count += lacks[(size_t)i * d->gpus + j];
            if (count > most) {
                most = count;
                worst = i;
            }
        }
        if (!most)
            break;
        for (uint32_t j = 0; j < d->gpus; j++)
            if (lacks[(size_t)worst * d->gpus + j]) {
                peer[peers++] = j;
                lacks[(size_t)worst * d->gpus + j] = lacks[(size_t)j * d->gpus + worst] = 0;
            }
        should = usual ? link_of(&usual->devices, worst, peer[0]) : inside;
        if (!is_less(link_of(d, worst, peer[0]), should))
            should = inside;
        result = tell_missing(check, group, worst, peer, peers, link_of(d, worst, peer[0]), should);
    }
    return result;
}

int db_check_gpu_links(struct db_check *check)
{
    return with_groups(check, tell_links);
}

/* ---- NICs that are down ---------------------------------------------------------------------- */

/* A NIC that no GPU would use may be meant for something else. */
static int tell_down(struct db_check *check, const char *node, topomap_devices *d)
{
    TOPOMAP_FREED uint32_t *nic = topomap_alloc(d->gpus, sizeof *nic, check->err);
    TOPOMAP_FREED uint32_t *user = topomap_alloc(d->gpus, sizeof *user, check->err);
    int32_t state[TOPOMAP_DEVICES_MOST];
    int result = 0;

    for (uint32_t i = 0; i < d->count; i++) {
        state[i] = d->device[i].state;
        d->device[i].state = -1;
    }
    if (!nic || !user || topomap_devices_nics(d, nic, check->err))
        return -1;
    for (uint32_t i = d->gpus; !result && i < d->count; i++) {
        TOPOMAP_FREED char *text = NULL;
        char bus[20] = "";
        uint32_t users = 0;
        size_t size;
        FILE *out;

        if (state[i] != 0)
            continue;
        for (uint32_t g = 0; g < d->gpus; g++)
            if (nic[g] == i)
                user[users++] = g;
        out = open_memstream(&text, &size);
        if (out && users) {
            fprintf(out, ", that of GPU%s ", users > 1 ? "s" : "");
            topomap_ranges_print(out, user, users, 2);
            fputc(',', out);
        }
        if (!topomap_printed(out, &text, check->err))
            return -1;
        result = db_found_as(check, users || !d->gpus ? check->row->severity : TOPOMAP_DB_INFO,
                             "%s: NIC %s%s is down", node,
                             *d->device[i].name ? d->device[i].name
                                                : topomap_bus_format(d->device[i].bus, bus),
                             text);
    }
    return result;
}

int db_check_nics_down(struct db_check *check)
{
    static const char sql[] =
        "SELECT name FROM host WHERE id IN (SELECT host FROM host_devices) AND"
        " (key IN (SELECT key FROM own_device WHERE state = 0) OR id IN (SELECT host FROM nickname"
        "  WHERE key IN (SELECT key FROM own_device WHERE state = 0)) OR id IN (SELECT adapter.host"
        "  FROM port JOIN adapter ON adapter.vertex = port.vertex WHERE port.state = 1))"
        " ORDER BY id";
    DB_ROWS rows = db_ask_if(check->file, "host_devices", sql, check->err);

    while (db_next(&rows)) {
        const char *name = db_column_text(rows.row, 0);
        TOPOMAP_CLEANUP(topomap_devices_clear) topomap_devices devices = {0};
        int result = topomap_db_devices(check->db, name, &devices, check->err)
                         ? -1
                         : tell_down(check, name, &devices);

        if (result)
            return result;
    }
    return rows.result;
}
