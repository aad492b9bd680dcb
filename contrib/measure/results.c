/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "machine/shape.h"
#include "measure.h"
#include "topology-db/db.h"
#include "util/alloc.h"
#include "util/output.h"
#include "util/sorted.h"

enum { COLUMNS = sizeof(struct measure_row) / sizeof(double) };

int measure_add(struct measure_rows *rows, enum measure_kind kind, uint32_t from, uint32_t to,
                double hops, double size, double us, topomap_error *err)
{
    if (topomap_grow(&rows->row, &rows->room, rows->rows + 1, sizeof *rows->row, err))
        return -1;
    rows->row[rows->rows++] = (struct measure_row){kind, from, to, hops, size, us};
    return 0;
}

int measure_hops(const struct measure_job *job, const char *path, uint16_t **hops,
                 topomap_error *err)
{
    size_t n = job->nodes;
    topomap_db *db;
    topomap_db_router *router = NULL;
    int result = 0;

    if (!(*hops = topomap_alloc(n, n * sizeof **hops, err)) || topomap_db_open(path, &db, err))
        return -1;
    result = topomap_db_router_open(db, &router, err);
    for (size_t i = 0; !result && i < n; i++)
        for (size_t j = 0; !result && j < i; j++) {
            topomap_db_distance d;

            result = topomap_db_router_route(router, job->name[i], job->name[j], NULL, &d, err);
            if (result)
                break;
            (*hops)[i * n + j] = (*hops)[j * n + i] = (uint16_t)(d.hops < UINT16_MAX ? d.hops : 0);
            topomap_db_distance_clear(&d);
        }
    topomap_db_router_close(router);
    topomap_db_close(db);
    return result;
}

/* ---- Gathering --------------------------------------------------------------------------- */

static int gather(const struct measure_job *job, const struct measure_rows *own,
                  struct measure_rows *all, topomap_error *err)
{
    TOPOMAP_FREED int *counts = topomap_alloc((size_t)job->ranks, 2 * sizeof *counts, err);
    int *begins = counts ? counts + job->ranks : NULL;
    double total = 0, mine = (double)own->rows * COLUMNS;
    int failed = !counts, count = mine < INT_MAX ? (int)mine : 0;

    MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (!failed && total > INT_MAX)
        failed = topomap_error_set(err, TOPOMAP_EUSAGE,
                                   "%.0f times are more than one process can gather: measure a "
                                   "sample (--pairs, --rounds)",
                                   total / COLUMNS);
    if (!failed && job->rank == 0) {
        all->rows = (size_t)total / COLUMNS;
        all->row = topomap_alloc(all->rows, sizeof *all->row, err);
        failed = !all->row;
    }
    if (measure_agree(failed, err))
        return -1;
    MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 1; r < job->ranks; r++)
        begins[r] = begins[r - 1] + counts[r - 1];
    MPI_Gatherv(own->row, count, MPI_DOUBLE, all->row, counts, begins, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    return 0;
}

/* ---- Writing ----------------------------------------------------------------------------- */

static int by_row(const void *a, const void *b)
{
    const double *x = a, *y = b;
    static const int key[] = {0, 3, 1, 2, 4, 5}; /* kind, hops, from, to, size, time */

    for (int k = 0; k < COLUMNS; k++)
        if (x[key[k]] != y[key[k]])
            return x[key[k]] < y[key[k]] ? -1 : 1;
    return 0;
}

static void put_head(FILE *out, const struct measure_options *options,
                     const struct measure_job *job)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = 0;
    fprintf(out,
            "# topomap-measure %s: %" PRIu32 " nodes, %d processes, median of %d batches of %d "
            "round trips, %s\n# %s\n"
            "kind,from,to,hops,size,latency_us,bandwidth_MBps\n",
            topomap_version(), job->nodes, job->ranks, options->repeat, options->trips,
            options->alone ? "one pair at a time" : "node-disjoint pairs at once", library);
}

static void put_row(FILE *out, const struct measure_job *job, const struct measure_row *row,
                    const uint16_t *hops)
{
    static const char *const kinds[] = {"pair", "inside", "contention"};
    uint32_t from = (uint32_t)row->from, to = (uint32_t)row->to;
    int inside = (int)row->kind == MEASURE_INSIDE;
    const char *level = inside ? topomap_shape_level(to) : NULL;

    fprintf(out, "%s,%s,%s,", kinds[(int)row->kind], job->name[from],
            inside ? (level ? level : "node") : job->name[to]);
    if (!inside && hops)
        fprintf(out, "%u", hops[(size_t)from * job->nodes + to]);
    fprintf(out, ",%.0f,%.4f,", row->size, row->us);
    if (row->size > 0 && row->us > 0)
        fprintf(out, "%.3f", row->size / row->us);
    fputc('\n', out);
}

static int write_all(const struct measure_options *options, const struct measure_job *job,
                     const struct measure_rows *all, const uint16_t *hops, topomap_error *err)
{
    topomap_output *output;

    if (topomap_output_open(options->output ? options->output : "-", &output, err))
        return -1;
    put_head(topomap_output_file(output), options, job);
    for (size_t i = 0; i < all->rows; i++)
        put_row(topomap_output_file(output), job, &all->row[i], hops);
    return topomap_output_commit(output, err);
}

int measure_write(const struct measure_options *options, const struct measure_job *job,
                  struct measure_rows *rows, const uint16_t *hops, topomap_error *err)
{
    TOPOMAP_CLEANUP(measure_rows_clear) struct measure_rows all = {0};
    int failed = gather(job, rows, &all, err);

    if (!failed && job->rank == 0) {
        TOPOMAP_SORT(all.row, all.rows, by_row);
        failed = write_all(options, job, &all, hops, err);
    }
    return measure_agree(failed, err);
}
