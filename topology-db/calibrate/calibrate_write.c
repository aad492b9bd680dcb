/* SPDX-License-Identifier: BSD-3-Clause */
/* A calibration as the file that db import takes, and as a matrix. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "machine/shape.h"
#include "topology-db/calibrate/calibrate.h"
#include "util/alloc.h"
#include "util/output.h"

/* In a calibration: no time for a byte at all. */
static const double boundless = 1e12;

static void put_level(FILE *out, const char *level, const char *class, const topomap_db_time *time)
{
    fprintf(out, "%s%s%s,%.9g,%.9g\n", level, *class ? ":" : "", class, time->latency_us,
            time->us_per_byte * boundless > 1 ? 1 / time->us_per_byte : boundless);
}

static int is_free(const topomap_db_hop *hop)
{
    return !(hop->cost.latency_us > 0 || hop->cost.us_per_byte > 0);
}

static void put_calibration(FILE *out, const topomap_db_calibration *r,
                            const topomap_db_hop *reference)
{
    const struct db_calibrated *own = r->own;

    if (r->latency_only)
        fprintf(out,
                "# one message size alone, in which a byte's time is not told apart: import with\n"
                "# --option size=%.0f\n",
                r->size > 0 ? r->size : 1);
    fprintf(out, "level,latency_us,bandwidth_MBps\n");
    for (size_t i = 0; i < r->insides; i++)
        if (!r->inside[i].node_class && topomap_shape_level_named(r->inside[i].level) >= 0)
            put_level(out, r->inside[i].level, "", &r->inside[i].median);
    if (r->base.latency_us > 0 || r->base.us_per_byte > 0 || !own->routed)
        put_level(out, "router", "", &r->base);
    put_level(out, "hop", "", &reference->cost);
    for (size_t i = 0; i < r->hops; i++)
        if (&r->hop[i] != reference && r->hop[i].latency_known && !is_free(&r->hop[i]))
            put_level(out, "hop", r->hop[i].name, &r->hop[i].cost);
}

int topomap_db_calibration_write(const topomap_db_calibration *r, const char *path,
                                 topomap_error *err)
{
    const topomap_db_hop *reference = NULL;
    topomap_output *output;

    for (size_t i = 0; i < r->hops; i++)
        if (r->hop[i].reference)
            reference = &r->hop[i];
    /* Any that costs something, where the pairs do not tell it from the others. */
    for (size_t i = 0; reference && is_free(reference) && i < r->hops; i++)
        reference = is_free(&r->hop[i]) ? reference : &r->hop[i];
    if (!reference || is_free(reference))
        return topomap_error_set(
            err, TOPOMAP_EINPUT,
            "no cost of a hop came out of %zu pairs: they take as long however "
            "far apart they are",
            r->pairs);
    if (topomap_output_open(path, &output, err))
        return -1;
    put_calibration(topomap_output_file(output), r, reference);
    return topomap_output_commit(output, err);
}

/* ---- The matrix -------------------------------------------------------------------------- */

struct matrix {
    const topomap_db_calibration *result;
    const struct db_calibrated *own;
    double size;
    size_t nodes;
    uint32_t *name; /* [nodes] of measured.name; UINT32_MAX: not measured */
    const char **text;
    float *cost;
    struct db_path path; /* scratch */
    topomap_arena arena;
};

/* In nanoseconds. */
static void set_cost(const struct matrix *m, size_t i, size_t j, const topomap_db_time *time)
{
    m->cost[i * m->nodes + j] = m->cost[j * m->nodes + i] =
        (float)(1000 * (time->latency_us / m->size + time->us_per_byte));
}

static int choose_nodes(struct matrix *m, const topomap_names *nodes, topomap_error *err)
{
    const struct db_measured *measured = &m->own->measured;
    size_t most = nodes ? nodes->count : measured->names;
    TOPOMAP_FREED uint8_t *seen = topomap_alloc(measured->names, 1, err);

    m->name = topomap_arena_alloc(&m->arena, most, sizeof *m->name, err);
    m->text = topomap_arena_alloc(&m->arena, most, sizeof *m->text, err);
    if (!seen || m->arena.is_short)
        return -1;
    for (size_t i = 0; i < m->own->pairs; i++)
        seen[m->own->pair[i].from] = seen[m->own->pair[i].to] = 1;
    for (uint32_t i = 0; !nodes && i < measured->names; i++)
        if (seen[i]) {
            m->name[m->nodes] = i;
            m->text[m->nodes++] = measured->name[i];
        }
    for (size_t i = 0; nodes && i < nodes->count; i++) {
        m->name[i] = UINT32_MAX;
        for (uint32_t k = 0; k < measured->names; k++)
            if (seen[k] && strcasecmp(measured->name[k], nodes->name[i]) == 0)
                m->name[i] = k;
        m->text[m->nodes++] = nodes->name[i];
    }
    return 0;
}

/* What its links cost; by f(h) where they are not known. */
static int predict(struct matrix *m, size_t i, size_t j, topomap_db_time *time, topomap_error *err)
{
    const topomap_db_calibration *r = m->result;
    struct db_path *path = &m->path;
    topomap_db_time sum = r->base, line;
    double slowest = 0, hops = 0;
    int complete = m->own->routed;

    for (int back = 0; back < 2; back++) {
        if (db_paths_between(m->own->paths, m->text[back ? j : i], m->text[back ? i : j], path,
                             err))
            return -1;
        hops += path->hops / 2.0;
        complete &= path->complete;
        for (size_t k = 0; k < path->cables; k++) {
            const topomap_db_hop *hop = db_calibrated_hop(m->own, r, path->cable[k]);

            complete &= hop != NULL;
            sum.latency_us += hop ? hop->cost.latency_us / 2 : 0;
            sum.us_per_byte += hop ? hop->cost.us_per_byte / 2 : 0;
            slowest = hop && hop->cost.us_per_byte > slowest ? hop->cost.us_per_byte : slowest;
        }
    }
    sum.us_per_byte = r->bottleneck ? slowest : sum.us_per_byte;
    line = (topomap_db_time){r->latency.base + hops * r->latency.per_hop,
                             r->byte.base + hops * r->byte.per_hop};
    *time = complete ? sum : line;
    return 0;
}

static int fill_gaps(struct matrix *m, topomap_error *err)
{
    topomap_db_time time;

    for (size_t i = 0; i < m->nodes; i++)
        for (size_t j = 0; j < i; j++) {
            if (m->cost[i * m->nodes + j] > 0)
                continue;
            if (!m->own->paths)
                return topomap_error_set(err, TOPOMAP_EINPUT,
                                         "'%s' and '%s' were not measured, and there is no "
                                         "database to say how far apart they are (--db)",
                                         m->text[j], m->text[i]);
            if (predict(m, i, j, &time, err))
                return -1;
            set_cost(m, i, j, &time);
        }
    return 0;
}

static int fill(struct matrix *m, topomap_error *err)
{
    size_t names = m->own->measured.names;
    TOPOMAP_FREED uint32_t *place = topomap_alloc(names, sizeof *place, err);

    m->cost = topomap_arena_alloc(&m->arena, m->nodes, m->nodes * sizeof *m->cost, err);
    if (!place || !m->cost)
        return -1;
    for (size_t i = 0; i < m->nodes; i++)
        if (m->name[i] != UINT32_MAX)
            place[m->name[i]] = (uint32_t)i + 1;
    for (size_t i = 0; i < m->own->pairs; i++) {
        const struct db_pair *pair = &m->own->pair[i];
        size_t a = place[pair->from], b = place[pair->to];

        if (a && b)
            set_cost(m, a - 1, b - 1, &pair->time);
    }
    return fill_gaps(m, err);
}

static int write_matrix(const struct matrix *m, const char *path, topomap_error *err)
{
    topomap_output *output;
    FILE *out;

    if (topomap_output_open(path, &output, err))
        return -1;
    out = topomap_output_file(output);
    fprintf(out, "# nanoseconds a byte, in messages of %.0f bytes; nodes in this order:\n",
            m->size);
    for (size_t i = 0; i < m->nodes; i++)
        fprintf(out, "# %s\n", m->text[i]);
    for (size_t i = 0; i < m->nodes; i++)
        for (size_t j = 0; j < m->nodes; j++)
            fprintf(out, "%.7g%c", m->cost[i * m->nodes + j], j + 1 < m->nodes ? ' ' : '\n');
    return topomap_output_commit(output, err);
}

int topomap_db_calibration_matrix(const topomap_db_calibration *result, double size,
                                  const topomap_names *nodes, const char *path, topomap_error *err)
{
    struct matrix m = {.result = result, .own = result->own, .size = size};
    int failed;

    if (!(size >= 1))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "a message of the matrix has 1 byte at least");
    failed = choose_nodes(&m, nodes, err) || fill(&m, err) || write_matrix(&m, path, err);
    free(m.path.cable);
    topomap_arena_clear(&m.arena);
    return DB_STATUS(failed);
}
