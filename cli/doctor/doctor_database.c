/* SPDX-License-Identifier: BSD-3-Clause */
/* The topology database: can it be read, how old is it, does it know Slurm's nodes; and a plan by
 * it, made by the very planner that srun would start. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "plugin/common/run_planner.h"
#include "plugin/common/reply.h"
#include "topology-db/db.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/hostlist.h"
#include "util/text.h"

enum { DRY_NODES = 4 };

static topomap_db *open_database(const doctor_site *site, doctor_verdict *verdict)
{
    topomap_error err;
    topomap_db *db;

    if (!site->db_ok)
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "no database that can be read");
    else if (!topomap_db_open(site->db, &db, &err))
        return db;
    else
        doctor_say(verdict, DOCTOR_PROBLEM, "import it again", "%s", err.text);
    return NULL;
}

void doctor_database(doctor_site *site, doctor_verdict *verdict)
{
    topomap_db_summary summary;
    topomap_error err;
    CLI_DB_CLOSED topomap_db *db = NULL;
    const char *own = cli_environment("TOPOMAP_DB");

    if (!*site->db)
        snprintf(site->db, DOCTOR_PATH, "%s", own ? own : CLI_SITE_DATABASE);
    if (topomap_db_open(site->db, &db, &err)) {
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "make it with `topomap db import`, or say db= in plugstack.conf", "%s",
                   err.text);
        return;
    }
    if (topomap_db_summarise(db, &summary, &err)) {
        doctor_say(verdict, DOCTOR_PROBLEM, "import it again", "%s", err.text);
        return;
    }
    site->db_ok = 1;
    doctor_say(verdict, DOCTOR_OK, NULL,
               "%s: %" PRIu64 " hosts, %" PRIu64 " switches, %" PRIu64 " node classes, %s",
               site->db, summary.hosts, summary.switches, summary.classes, summary.topology);
    if (!summary.hosts)
        doctor_say(verdict, DOCTOR_PROBLEM, "import the fabric's dump with `topomap db import`",
                   "%s has no hosts", site->db);
    else
        doctor_readers(site->db, "let everybody read it: the planner reads it as the user",
                       verdict);
}

/* ---- Findings of `db check` ----------------------------------------------------------------- */

struct findings {
    const char *check; /* the one that counts; NULL: all but those that have a row here */
    topomap_names names;
    size_t room;
    int count;
    char first[400], all[900]; /* texts */
};

static int is_of_a_row(const char *check)
{
    return !strcmp(check, "age") || !strcmp(check, "unknown-node") || !strcmp(check, "other-host");
}

/* A finding of a node begins with its name. */
static void keep_name(struct findings *findings, const char *text)
{
    topomap_names *names = &findings->names;

    if (topomap_grow(&names->name, &findings->room, names->count + 1, sizeof *names->name, NULL) ==
        0)
        names->name[names->count++] = strndup(text, strcspn(text, ":; "));
}

static int take_finding(const topomap_db_finding *finding, void *data)
{
    struct findings *findings = data;

    if (findings->check ? strcmp(finding->check, findings->check) != 0
                        : is_of_a_row(finding->check) || finding->severity == TOPOMAP_DB_INFO)
        return 0;
    if (!findings->count++)
        snprintf(findings->first, sizeof findings->first, "%s", finding->text);
    topomap_text_append(findings->all, sizeof findings->all, "%s%s", *findings->all ? "; " : "",
                        finding->text);
    if (findings->check)
        keep_name(findings, finding->text);
    return 0;
}

static int run_checks(topomap_db *db, const topomap_names *nodes, double max_age,
                      struct findings *findings, doctor_verdict *verdict)
{
    const topomap_db_check_options options = {.nodes = nodes, .max_age = max_age};
    topomap_error err;

    if (!topomap_db_check(db, &options, take_finding, findings, &err))
        return 0;
    doctor_say(verdict, DOCTOR_PROBLEM, "import it again", "%s", err.text);
    return -1;
}

void doctor_age(doctor_site *site, doctor_verdict *verdict)
{
    struct findings old = {.check = "age"}, all = {.check = "age"};
    CLI_DB_CLOSED topomap_db *db = open_database(site, verdict);
    topomap_db_times times = {0};
    char age[160] = "";

    if (!db)
        return;
    if (topomap_db_times_of(db, &times, NULL) == 0)
        topomap_db_times_put(&times, age, sizeof age);
    if (run_checks(db, NULL, site->max_age, &old, verdict) ||
        run_checks(db, NULL, -1, &all, verdict))
        return;
    if (old.count)
        doctor_say(verdict, DOCTOR_WARNING, "dump the fabric again and import it",
                   "%d of %d sources are older than %.3g days: %s", old.count, all.count,
                   site->max_age, old.all);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "%d source%s, %s; %s", all.count,
                   all.count == 1 ? "" : "s", age, all.all);
}

/* "n[1-3], n7", cut. */
static void folded(const struct findings *findings, char text[400])
{
    topomap_error err;
    TOPOMAP_FREED char *list =
        findings->count ? topomap_hostlist_fold(&findings->names, &err) : NULL;

    snprintf(text, 400, "%.390s", list ? list : "");
}

void doctor_nodes(doctor_site *site, doctor_verdict *verdict)
{
    struct findings unknown = {.check = "unknown-node"}, others = {.check = "other-host"};
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names nodes = {0};
    char text[400];
    topomap_error err;
    CLI_DB_CLOSED topomap_db *db = NULL;
    TOPOMAP_FREED char *list = *site->slurm_conf ? doctor_nodes_of(site->slurm_conf) : NULL;

    if (!list) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL,
                   "no NodeName in slurm.conf (nodes may be dynamic)");
        return;
    }
    if ((db = open_database(site, verdict)) == NULL)
        return;
    if (topomap_hostlist_expand(list, 0, &nodes, &err)) {
        doctor_say(verdict, DOCTOR_PROBLEM, "correct slurm.conf", "NodeName: %s", err.text);
        return;
    }
    if (run_checks(db, &nodes, 1e9, &unknown, verdict) ||
        run_checks(db, &nodes, 1e9, &others, verdict))
        return;
    folded(&unknown, text);
    if (unknown.count)
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "import the dump that has them, or a hosts file that maps their names; steps on "
                   "them are not placed",
                   "%d of Slurm's %zu nodes are not in the database: %s", unknown.count,
                   nodes.count, text);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "it knows all of Slurm's %zu nodes", nodes.count);
    folded(&others, text);
    if (others.count)
        doctor_add(verdict, "%d of its hosts are not in slurm.conf: %s", others.count, text);
}

void doctor_faults(doctor_site *site, doctor_verdict *verdict)
{
    struct findings faults = {.check = NULL};
    CLI_DB_CLOSED topomap_db *db = open_database(site, verdict);

    if (!db || run_checks(db, NULL, 1e9, &faults, verdict))
        return;
    if (faults.count)
        doctor_say(verdict, DOCTOR_WARNING, "`topomap db check` has them all and what to do",
                   "%d: %s", faults.count, faults.first);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "none");
}

/* ---- The dry run ---------------------------------------------------------------------------- */

static int take_host(const topomap_db_host *host, void *data)
{
    struct findings *hosts = data;

    if (!strcmp(host->status, "up") && *host->attached && hosts->names.count < DRY_NODES)
        keep_name(hosts, host->name);
    return 0;
}

/* A task on each of the database's first nodes (plugin/protocol.md). */
static char *make_request(const doctor_site *site, const topomap_names *nodes)
{
    topomap_error err;
    TOPOMAP_FREED char *list = topomap_hostlist_fold(nodes, &err);
    char *text = NULL;
    size_t size;
    FILE *out = list ? open_memstream(&text, &size) : NULL;

    if (!out)
        return NULL;
    fprintf(out,
            "topomap-request 1\njob 1\nstep 0\ndb %s\ngraph chain:%zu\nnodes %s\ntasks 1(x%zu)\n"
            "layout ",
            site->db, nodes->count, list, nodes->count);
    for (size_t i = 0; i < nodes->count; i++)
        fprintf(out, "%s%zu", i ? ";" : "", i);
    fprintf(out, "\ncpus-per-task 1\nbind core\ntime %.3f\nend\n", site->deadline_ms / 4000.);
    fclose(out);
    return text;
}

static void plan(const doctor_site *site, const char *request, size_t nodes,
                 doctor_verdict *verdict)
{
    int64_t began = topomap_clock_ms(), took;
    plugin_reply answer;
    topomap_error err;
    char *reply = NULL;
    size_t size;

    if (plugin_launch_run(site->planner, request, site->deadline_ms, &reply, &size, &err) ||
        plugin_reply_read(reply, size, &answer, &err)) {
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "the database may be on a slow file system, or the planner's libraries are "
                   "missing: run it with `ldd`; deadline_ms= in plugstack.conf gives it longer",
                   "%s (%u ms)", err.text, site->deadline_ms);
        return;
    }
    took = topomap_clock_ms() - began;
    if (answer.status == PLUGIN_FAILED)
        doctor_say(verdict, DOCTOR_PROBLEM, "`topomap map` with --db and --nodes tells more",
                   "the planner failed: %s", answer.line);
    else if (took > site->deadline_ms / 2)
        doctor_say(verdict, DOCTOR_WARNING,
                   "put planner and database on the node's own disk, or raise deadline_ms=",
                   "a plan of %zu nodes took %d ms of %u", nodes, (int)took, site->deadline_ms);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "a plan of %zu node%s in %d ms of %u", nodes,
                   nodes == 1 ? "" : "s", (int)took, site->deadline_ms);
}

void doctor_dry_run(doctor_site *site, doctor_verdict *verdict)
{
    struct findings hosts = {.check = ""};
    topomap_error err;
    CLI_DB_CLOSED topomap_db *db = NULL;
    TOPOMAP_FREED char *request = NULL;

    if (!*site->planner) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "no planner");
        return;
    }
    if ((db = open_database(site, verdict)) == NULL)
        return;
    (void)topomap_db_hosts(db, NULL, take_host, &hosts, &err);
    request = hosts.names.count ? make_request(site, &hosts.names) : NULL;
    if (request)
        plan(site, request, hosts.names.count, verdict);
    else
        doctor_say(verdict, DOCTOR_PROBLEM, "import the fabric's dump again",
                   "no host of the database is up and joined to the network");
}
