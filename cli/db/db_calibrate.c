/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db calibrate */

#include "cli/cli.h"
#include "topology-db/calibrate/calibrate.h"

/* MB/s of a time, 0 where none was told. */
static double mbps(double us_per_byte)
{
    return us_per_byte > 1e-12 ? 1 / us_per_byte : 0;
}

/* ---- For programs ------------------------------------------------------------------------ */

static json_t *time_json(const topomap_db_time *time)
{
    double rate = mbps(time->us_per_byte);

    return cli_json_object("latency_us:r bandwidth_MBps:o", time->latency_us,
                           rate > 0 ? json_real(rate) : json_null());
}

/* A time, and what else is known of it. */
static json_t *time_and(const topomap_db_time *time, json_t *more)
{
    json_t *one = time_json(time);

    json_object_update_new(one, more);
    return one;
}

static json_t *line_json(const topomap_db_line *line)
{
    return cli_json_object("per_hop:r base:r sigma:r rms:r r2:r outliers:z", line->per_hop,
                           line->base, line->sigma, line->rms, line->r2, line->outliers);
}

static json_t *hop_json(const void *row)
{
    const topomap_db_hop *hop = row;

    return time_and(
        &hop->cost,
        cli_json_object("class:s links:U reference:b latency_measured:b bandwidth_measured:b",
                        hop->name, hop->links, hop->reference, hop->latency_known,
                        hop->byte_known));
}

static json_t *distance_json(const void *row)
{
    const topomap_db_distance_class *d = row;

    return time_and(&d->median,
                    cli_json_object("hops:r pairs:z slowdown:o", d->hops, d->pairs,
                                    d->slowdown > 0 ? json_real(d->slowdown) : json_null()));
}

static json_t *inside_json(const void *row)
{
    const topomap_db_inside *inside = row;

    return time_and(&inside->median, cli_json_object("level:s class:s nodes:z", inside->level,
                                                     inside->node_class, inside->nodes));
}

static json_t *group_json(const void *row)
{
    const topomap_db_group *group = row;

    return cli_json_object("classes:s pairs:z latency:o byte:o", group->name, group->pairs,
                           line_json(&group->latency), line_json(&group->byte));
}

static json_t *outlier_json(const void *row)
{
    const topomap_db_outlier *o = row;

    return cli_json_object("from:s to:s hops:r measured:o fitted:o", o->from, o->to, o->hops,
                           time_json(&o->measured), time_json(&o->fitted));
}

static json_t *culprit_json(const void *row)
{
    const topomap_db_culprit *c = row;

    return cli_json_object("cable:s pairs:z outliers:z alternatives:i latency_us:r us_per_byte:r",
                           c->cable, c->pairs, c->outliers, c->alternatives, c->excess.latency_us,
                           c->excess.us_per_byte);
}

static json_t *list_json(const void *rows, size_t count, size_t size, json_t *(*row)(const void *))
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, row((const char *)rows + i * size));
    return list;
}

#define ROWS(rows, count, row) list_json(r->rows, r->count, sizeof *r->rows, row)

static int print_json(const topomap_db_calibration *r)
{
    json_t *all = cli_json_object(
        "nodes:z pairs:z healthy:b bandwidth_model:s latency:o byte:o base:o links:o", r->nodes,
        r->pairs, r->healthy, r->bottleneck ? "slowest link" : "sum of links",
        line_json(&r->latency), line_json(&r->byte), time_json(&r->base),
        ROWS(hop, hops, hop_json));

    cli_json_set(all, "distances:o inside:o node_classes:o outliers:o bad_cables:o",
                 ROWS(distance, distances, distance_json), ROWS(inside, insides, inside_json),
                 ROWS(group, groups, group_json), ROWS(outlier, outliers, outlier_json),
                 ROWS(culprit, culprits, culprit_json));
    return cli_json(stdout, all, JSON_REAL_PRECISION(12));
}

/* ---- For people -------------------------------------------------------------------------- */

static void print_time(const topomap_db_time *time)
{
    printf(" %10.3f us", time->latency_us);
    if (mbps(time->us_per_byte) > 0)
        printf(" %10.1f MB/s", mbps(time->us_per_byte));
}

static void print_fit(const topomap_db_calibration *r)
{
    const topomap_db_line *l = &r->latency, *b = &r->byte;

    printf("latency, us       %.4g a hop + %.4g   sigma %.3g   R2 %.3f   %zu outliers\n",
           l->per_hop, l->base, l->sigma, l->r2, l->outliers);
    if (!r->latency_only)
        printf("a byte, ns        %.4g a hop + %.4g   sigma %.3g   R2 %.3f   %zu outliers\n",
               1000 * b->per_hop, 1000 * b->base, 1000 * b->sigma, b->r2, b->outliers);
    printf("leaving a node   ");
    print_time(&r->base);
    putchar('\n');
    for (size_t i = 0; i < r->hops; i++) {
        const topomap_db_hop *hop = &r->hop[i];

        printf("a hop %-11s", *hop->name ? hop->name : "");
        print_time(&hop->cost);
        printf("%s%s\n", hop->latency_known ? "" : "   latency not told apart",
               hop->byte_known || r->latency_only ? "" : "   bandwidth not told apart");
    }
}

static void print_tables(const topomap_db_calibration *r)
{
    for (size_t i = 0; i < r->distances; i++) {
        const topomap_db_distance_class *d = &r->distance[i];

        printf("%-4g hops apart  ", d->hops);
        print_time(&d->median);
        printf("   %zu pairs", d->pairs);
        if (d->slowdown > 0)
            printf("   all at once %.2f times as long", d->slowdown);
        putchar('\n');
    }
    for (size_t i = 0; i < r->insides; i++) {
        printf("%-17s", r->inside[i].level);
        print_time(&r->inside[i].median);
        printf("   %zu nodes%s%s\n", r->inside[i].nodes, r->inside[i].node_class ? ", class " : "",
               r->inside[i].node_class ? r->inside[i].node_class : "");
    }
    for (size_t i = 0; i < r->groups; i++)
        printf("class %s: latency %.4g a hop + %.4g us; a byte %.4g a hop + %.4g ns; %zu pairs\n",
               r->group[i].name, r->group[i].latency.per_hop, r->group[i].latency.base,
               1000 * r->group[i].byte.per_hop, 1000 * r->group[i].byte.base, r->group[i].pairs);
}

static void print_outliers(const topomap_db_calibration *r)
{
    for (size_t i = 0; i < r->outliers; i++) {
        const topomap_db_outlier *o = &r->outlier[i];

        printf("outlier %s %s, %g hops:", o->from, o->to, o->hops);
        print_time(&o->measured);
        printf(", expected");
        print_time(&o->fitted);
        putchar('\n');
    }
    for (size_t i = 0; i < r->culprits; i++) {
        const topomap_db_culprit *c = &r->culprit[i];

        printf("bad cable %s: %zu of %zu pairs over it are outliers, by %.3g us and %.3g ns a byte",
               c->cable, c->outliers, c->pairs, c->excess.latency_us, 1000 * c->excess.us_per_byte);
        if (c->alternatives > 1)
            printf("; one of %d that the pairs do not tell apart", c->alternatives);
        putchar('\n');
    }
}

static int print_report(const topomap_db_calibration *r)
{
    printf("%zu nodes, %zu pairs\n", r->nodes, r->pairs);
    if (r->pairs)
        print_fit(r);
    print_tables(r);
    print_outliers(r);
    return CLI_DONE;
}

/* ---- The command ------------------------------------------------------------------------- */

static int write_files(const cli_call *call, const topomap_db_calibration *r)
{
    const char *output = call->options.output, *matrix = call->options.matrix;
    const char *list = call->options.nodes;
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    double size = call->options.size;
    topomap_error err;

    if (!size)
        size = r->latency_only && r->size > 0 ? r->size : 65536;
    return (list && topomap_hostlist_expand(list, 0, &names, &err)) ||
                   (output && topomap_db_calibration_write(r, output, &err)) ||
                   (matrix &&
                    topomap_db_calibration_matrix(r, size, list ? &names : NULL, matrix, &err))
               ? cli_fail(call, &err)
               : CLI_DONE;
}

static int run_calibrate(const cli_call *call)
{
    const char *output = call->options.output, *matrix = call->options.matrix;
    int quiet =
        (output && *output == '-' && !output[1]) || (matrix && *matrix == '-' && !matrix[1]);
    CLI_DB_CLOSED topomap_db *db = NULL;
    TOPOMAP_CLEANUP(topomap_db_calibration_clear) topomap_db_calibration result = {0};
    topomap_error err;
    int status;

    if (call->options.nodes && !matrix)
        return cli_usage_error(call, "--nodes is the order of --matrix");
    if (((call->options.db || cli_environment("TOPOMAP_DB")) &&
         topomap_db_open(cli_database(call), &db, &err)) ||
        topomap_db_calibrate(call->operand[0], db, &result, &err))
        return cli_fail(call, &err);
    status = write_files(call, &result);
    if (!status && !quiet)
        status = call->options.json ? print_json(&result) : print_report(&result);
    if (!status && result.pairs && !result.healthy)
        fprintf(stderr,
                "topomap db calibrate: warning: times scatter by more than a fifth about the fit: "
                "the fabric was busy, or is sick\n");
    return status;
}

static const cli_option calibrate_options[] = {
    {"db", "DB", TEXT(db),
     "topology database: routes, classes of links and nodes (or $TOPOMAP_DB)"},
    {"output", "FILE", TEXT(output), "write the calibration, for `db import calibration`",
     .alias = "o"},
    {"matrix", "FILE", TEXT(matrix), "write what a byte costs between every two nodes, ns"},
    {"size", "BYTES", NUMBER(size, 1, 1e12, 0),
     "--matrix: of a message; 65536 where it is left out"},
    {"nodes", "HOSTLIST", TEXT(nodes), "--matrix: these nodes in this order"},
    {CLI_JSON},
    {0},
};

static const char calibrate_text[] =
    "MEASURED is what topomap-measure-openmpi or topomap-measure-mpich wrote. A pair's times over\n"
    "all sizes are latency + size / bandwidth. Over all pairs each of the two is a line in the\n"
    "hops, f(h) = a h + b, by least squares without outliers (beyond 3.5 deviations, estimated\n"
    "from the median absolute residual). With a database a hop of each class of link has its own\n"
    "cost, in the file's levels hop and hop:CLASS; b is the level router; a byte takes as long as\n"
    "over the slowest link, or the sum over all, whichever fits. The rest is told, not written:\n"
    "times by distance (in a fat tree, by level), by classes of nodes, how much longer messages\n"
    "take all at once, outliers, and the cables that they have in common.\n"
    "  topomap db calibrate measured.csv --db DB -o costs.csv\n"
    "  topomap db import --db DB calibration costs.csv\n"
    "`eval --time` and the objective time on DB then go by the measured latencies, too. The\n"
    "measured matrix is a machine of one slot a node, or more with *SLOTS:\n"
    "  topomap db calibrate measured.csv --matrix m\n"
    "  topomap map --graph G --machine 'matrix:m*16' --algorithm two-stage\n";

CLI_COMMAND(
    cli_db_calibrate, "db calibrate", "MEASURED",
    "fit what a hop, leaving a node and levels inside nodes cost to measured times, and name the "
    "cables that are slow",
    calibrate_options, 1, 1, run_calibrate, calibrate_text);
