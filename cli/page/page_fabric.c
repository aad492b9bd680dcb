/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db report: what a database has, drawn, and what is wrong with it. */
#define _GNU_SOURCE /* memfd_create */

#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "cli/picture/picture.h"
#include "topology-db/db.h"
#include "topology-db/export/export.h"
#include "util/clock.h"
#include "util/output.h"
#include "util/full_io.h"

static void put_row(FILE *out, const char *name, const char *format, ...) TOPOMAP_PRINTF(3, 4);
static void put_row(FILE *out, const char *name, const char *format, ...)
{
    char text[640];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    page_put(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, text);
}

static void put_summary(FILE *out, const topomap_db_summary *s)
{
    fputs("<section><h2>Inventory</h2><table id=\"inventory\"><tbody>\n", out);
    put_row(out, "hosts", "%" PRIu64, s->hosts);
    put_row(out, "switches", "%" PRIu64, s->switches);
    put_row(out, "links", "%" PRIu64, s->links);
    put_row(out, "kinds of nodes", "%" PRIu64, s->classes);
    put_row(out, "planes", "%" PRIu64, s->planes);
    put_row(out, "unknown adapters", "%" PRIu64, s->unknown_adapters);
    put_row(out, "topology", "%s", s->topology);
    put_row(out, "because", "%s", s->evidence);
    fputs("</tbody></table></section>\n", out);
}

/* ---- Counts ------------------------------------------------------------------------------ */

static int put_hosts(const topomap_db_count *count, void *data)
{
    page_put(data, "<tr><td>%s</td><td>%s</td><td>%s</td>", *count->status ? count->status : "-",
             *count->type ? count->type : "-", *count->class_name ? count->class_name : "-");
    fprintf(data, "<td>%" PRIu64 "</td></tr>\n", count->count);
    return 0;
}

static int put_links(const topomap_db_count *count, void *data)
{
    FILE *out = data;

    if (count->gbps > 0)
        fprintf(out, "<tr><td>%.6g Gb/s", count->gbps);
    else
        fputs("<tr><td>not known", out);
    fprintf(out, "</td><td>%" PRIu64 "</td></tr>\n", count->count);
    return 0;
}

static int put_counts(FILE *out, topomap_db *db, topomap_error *err)
{
    fputs("<section><h2>Nodes and links</h2>", out);
    page_table(out, "nodes", NULL, "status|type|class|nodes");
    if (topomap_db_count_hosts(db, put_hosts, out, err) != 0)
        return -1;
    fputs("</tbody></table>", out);
    page_table(out, "rates", NULL, "rate|links");
    if (topomap_db_count_links(db, put_links, out, err) != 0)
        return -1;
    fputs("</tbody></table></section>\n", out);
    return 0;
}

/* ---- Sources ----------------------------------------------------------------------------- */

struct sources {
    FILE *out;
    time_t now;
};

static void put_age(FILE *out, double seconds)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    size_t i = 0;
    double count;

    while (i + 1 < sizeof units / sizeof *units && seconds < units[i].seconds)
        i++;
    count = floor(fmax(0, seconds) / units[i].seconds);
    fprintf(out, "%.0f %s%s", count, units[i].unit, count > 1 ? "s" : "");
}

static int put_source(const topomap_db_source *source, void *data)
{
    const struct sources *sources = data;
    FILE *out = sources->out;
    char date[32];

    topomap_db_date_put(source->time, date);
    page_put(out, "<tr><td>%s</td><td>%s</td><td>%s</td><td>", source->importer,
             *source->name ? source->name : "-", date); /* there is one at most */
    put_age(out, difftime(sources->now, (time_t)source->time));
    fprintf(out, "</td><td>%s</td><td>%" PRIu64 "</td></tr>\n", source->partial ? "yes" : "no",
            source->warnings);
    return 0;
}

/* How old what is drawn is. */
static int put_sources(FILE *out, topomap_db *db, topomap_error *err)
{
    struct sources sources = {out, (time_t)topomap_clock_date()};

    fputs("<section><h2>Sources</h2><div class=\"wide\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"Sources\">",
          out);
    page_table(out, "sources", NULL, "format|file|imported (UTC)|age|partial|warnings");
    if (topomap_db_sources(db, put_source, &sources, err) != 0)
        return -1;
    fputs("</tbody></table></div></section>\n", out);
    return 0;
}

/* ---- Findings ---------------------------------------------------------------------------- */

struct findings {
    FILE *out;
    uint64_t count;
};

static int put_finding(const topomap_db_finding *finding, void *data)
{
    static const char *const severities[] = {"info", "warning", "error"};
    struct findings *findings = data;

    findings->count++;
    page_put(findings->out, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
             severities[finding->severity], finding->check, finding->text, finding->remedy);
    return 0;
}

static int put_findings(FILE *out, topomap_db *db, double max_age, topomap_error *err)
{
    const topomap_db_check_options options = {.max_age = max_age};
    struct findings findings = {out, 0};

    fputs("<section><h2>What db check finds</h2>", out);
    page_table(out, "findings", NULL, "severity|check|what|remedy");
    if (topomap_db_check(db, &options, put_finding, &findings, err) != 0)
        return -1;
    fprintf(out, "</tbody></table><p class=\"note\">%" PRIu64 " finding%s</p></section>\n",
            findings.count, findings.count == 1 ? "" : "s");
    return 0;
}

/* The picture is made as a file; where the database lists no links there is none. */
static void put_picture(FILE *out, topomap_db *db)
{
    TOPOMAP_CLOSED int fd = memfd_create("picture", MFD_CLOEXEC);
    topomap_error why = {0, ""};
    char path[64], bytes[65536];
    ssize_t got;

    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    fputs("<section><h2>The fabric</h2>\n", out);
    if (fd < 0 || topomap_db_export(db, "svg", NULL, 0, path, &why) != 0) {
        page_put(out, "<p class=\"note\">No picture: %s</p>\n",
                 fd < 0 ? "out of memory" : why.text);
    } else if (lseek(fd, 0, SEEK_SET) == 0) {
        fputs("<figure class=\"wide\">\n", out);
        while ((got = read(fd, bytes, sizeof bytes)) > 0)
            fwrite(bytes, 1, (size_t)got, out);
        fputs("</figure>\n", out);
    }
    fputs("</section>\n", out);
}

static int put_page(FILE *out, topomap_db *db, const char *name, double max_age, topomap_error *err)
{
    topomap_db_summary summary;

    if (topomap_db_summarise(db, &summary, err) != 0)
        return -1;
    page_begin(out, name, "A topology database");
    put_picture(out, db);
    put_summary(out, &summary);
    if (put_counts(out, db, err) != 0 || put_sources(out, db, err) != 0 ||
        put_findings(out, db, max_age, err) != 0)
        return -1;
    fputs("</main></body></html>\n", out);
    return 0;
}

static int write_page(topomap_db *db, const char *name, const char *path, double max_age,
                      topomap_error *err)
{
    topomap_output *output;

    if (topomap_output_open(path, &output, err) != 0)
        return -1;
    if (put_page(topomap_output_file(output), db, name, max_age, err) != 0) {
        topomap_output_abandon(output);
        return -1;
    }
    return topomap_output_commit(output, err);
}

static int write_drawing(topomap_db *db, const char *path, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_draw_clear) topomap_drawing drawing = {0};

    return db_draw(db, &drawing, err) != 0 ? -1 : picture_write(&drawing, path, err);
}

static int run_report(const cli_call *call)
{
    const char *output = call->options.output;
    int is_page = cli_ends_in(output, ".html");
    topomap_error err;
    CLI_DB_CLOSED topomap_db *db = NULL;
    int status;

    if (!is_page && !picture_is_format(output))
        return cli_usage_error(call, "--output takes FILE.html, %s", picture_formats);
    if (topomap_db_open(cli_database(call), &db, &err) != 0)
        return cli_fail(call, &err);
    status = is_page ? write_page(db, cli_database(call), output, call->options.max_age, &err)
             : cli_ends_in(output, ".svg") ? topomap_db_export(db, "svg", NULL, 0, output, &err)
                                           : write_drawing(db, output, &err);
    return status == 0 ? CLI_DONE : cli_fail(call, &err);
}

static const char report_text[] =
    "Switches, hosts and cables as they are joined: a fat tree by levels, a torus or mesh slice\n"
    "beside slice, anything else in a ring; cables in colours by their rates, those that `db\n"
    "check` finds fault with and hosts that are not up marked; what has a name tells it where it\n"
    "is pointed at. A Cray's nodes stand where their routers do, also where no links are listed.\n"
    "The page has the inventory, the sources with their age, and what `db check` finds beside it.\n"
    "It needs nothing else.\n";

static const cli_option report_options[] = {
    {CLI_DB},
    {"max-age", "DAYS", NUMBER(max_age, 0, 1e6, 30),
     "a source that is older is a finding (default 30)"},
    {"output", "FILE.html|.svg|.png|.pdf", TEXT(output), "the page, or the picture alone",
     .alias = "o"},
    {0},
};

CLI_COMMAND(cli_db_report, "db report", "",
            "the fabric drawn, with the inventory and what is wrong with it", report_options, 0, 0,
            run_report, report_text);
