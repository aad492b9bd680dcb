/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "cli/launch/records.h"
#include "cli/subprocess.h"
#include "util/clock.h"

/* In this order: what one finds, the next ones go by. */
static const doctor_check checks[] = {
    {"slurm.conf", doctor_slurm_conf, "slurm.conf, and slurmctld where `scontrol` is asked for it"},
    {"slurm", doctor_slurm, "srun"},
    {"plugstack.conf", doctor_plugstack, "plugstack.conf and what it includes"},
    {"plugin", doctor_plugin,
     "the plugin's file, and slurmctld where `scontrol` is asked for its folder"},
    {"plugin build", doctor_build, "the plugin's file"},
    {"plugin symbols", doctor_symbols, "the plugin's file and Slurm's libraries"},
    {"planner", doctor_planner, "the planner, which was started with --version"},
    {"node helper", doctor_node_helper, "topomap-node, which was started with --version"},
    {"mpi", doctor_mpi, "the folders of MPI libraries"},
    {"profilers", doctor_profilers, "the profilers' folder"},
    {"disks", doctor_disks, "the file systems of planner, node helper, profilers and plugin"},
    {"database", doctor_database, "the file system of the database"},
    {"database age", doctor_age, "the file system of the database"},
    {"database nodes", doctor_nodes, "the file system of the database"},
    {"slurm order", doctor_order, "the file system of the database, and slurmctld"},
    {"database faults", doctor_faults, "the file system of the database"},
    {"policy", doctor_policy, "the file system of the policy"},
    {"store", doctor_store, "the file system of store="},
    {"records", doctor_records, "the file system of records="},
    {"spool", doctor_spool, "the file system of spool="},
    {"dry run", doctor_dry_run, "the planner"},
};
enum { CHECKS = sizeof checks / sizeof *checks, SITE_MS = 5000 };

static const char *const words[] = {"ok", "warning", "problem", "skipped"};

/* What a check's process writes. */
struct answer {
    doctor_verdict verdict;
    doctor_site site;
};

/* ---- One check in its process ---------------------------------------------------------------- */

/* What is started in it stays silent, and ends with it. */
static int run_check(void *made, void *with)
{
    const doctor_check *check = with;
    struct answer *answer = made;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    check->run(&answer->site, &answer->verdict);
    return 0;
}

static void run_row(const doctor_check *check, double seconds, doctor_site *site,
                    doctor_verdict *verdict)
{
    unsigned more = check->run == doctor_dry_run ? site->deadline_ms : 0; /* it ends the planner */
    struct answer answer = {.site = *site};
    doctor_check row = *check;

    switch (cli_call_in_child(run_check, &row, &answer, sizeof answer,
                              (int64_t)(seconds * 1000) + more)) {
    case CLI_CHILD_DONE:
        *verdict = answer.verdict;
        *site = answer.site;
        break;
    case CLI_CHILD_NONE:
        doctor_say(verdict, DOCTOR_PROBLEM, "free memory or processes of this machine",
                   "no process for the check: %s", strerror(errno));
        break;
    case CLI_CHILD_DIED:
        doctor_say(verdict, DOCTOR_PROBLEM, "report it to topomap's developers",
                   "the check itself died while it looked at %s", check->looks_at);
        break;
    case CLI_CHILD_LATE:
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "look for a file system or a service that does not answer, or give it longer "
                   "(--deadline)",
                   "no answer within %.3g s from %s", seconds, check->looks_at);
        break;
    }
}

static doctor_site find_site(unsigned ms)
{
    int64_t until = topomap_clock_ms() + ms;
    doctor_site site = {.db = ""};
    doctor_verdict verdict;

    for (int i = 0; i < CHECKS; i++) {
        if (checks[i].run == doctor_slurm_conf || checks[i].run == doctor_plugstack)
            run_row(&checks[i], (double)(until - topomap_clock_ms()) / 1000, &site, &verdict);
    }
    return site;
}

void cli_site_records(char *path, size_t size)
{
    const doctor_site site = find_site(SITE_MS);

    snprintf(path, size, "%s", site.records);
}

void cli_site_db(char *path, size_t size, unsigned ms)
{
    const doctor_site site = find_site(ms);

    snprintf(path, size, "%s", site.db);
}

char *cli_site_words(unsigned ms)
{
    const doctor_site site = find_site(ms);

    return strdup(site.words);
}

/* ---- Answers -------------------------------------------------------------------------------- */

static void print_row(const cli_call *call, const doctor_check *check,
                      const doctor_verdict *verdict)
{
    static const enum terminal_paint paints[] = {TERMINAL_GOOD, TERMINAL_WARN, TERMINAL_BAD,
                                                 TERMINAL_PLAIN};

    cli_paint(call, stdout, paints[verdict->status], "%-8s", words[verdict->status]);
    printf(" %-16s %s\n", check->name, verdict->found);
    if (*verdict->advice)
        printf("%-25s -> %s\n", "", verdict->advice);
    fflush(stdout);
}

/* Paths may be in any encoding. */
static json_t *row_json(const doctor_check *check, const doctor_verdict *verdict)
{
    return cli_json_object("name:s status:s found:s advice:s", check->name, words[verdict->status],
                           verdict->found, verdict->advice);
}

/* The whole path. */
static int take_path(const cli_call *call, const char *option, const char *path, char *to)
{
    char here[DOCTOR_PATH] = "";

    if (path && *path != '/' && !getcwd(here, sizeof here))
        return cli_usage_error(call, "--%s: %s: %s", option, path, strerror(errno));
    if (path && snprintf(to, DOCTOR_PATH, "%s%s%s", here, *here ? "/" : "", path) >= DOCTOR_PATH)
        return cli_usage_error(call, "--%s: the path is too long", option);
    return 0;
}

static int run_doctor(const cli_call *call)
{
    const cli_options *o = &call->options;
    json_t *list = o->json ? json_array() : NULL;
    doctor_site site = {.db_said = o->db != NULL, .max_age = o->max_age};
    int problems = 0, status;

    if ((status = take_path(call, "slurm-conf", o->slurm_conf, site.slurm_conf)) ||
        (status = take_path(call, "plugstack", o->plugstack, site.plugstack)) ||
        (status = take_path(call, "db", o->db, site.db)))
        return status;
    for (int i = 0; i < CHECKS; i++) {
        doctor_verdict verdict = {0};

        run_row(&checks[i], o->deadline, &site, &verdict);
        problems += verdict.status == DOCTOR_PROBLEM;
        if (list)
            json_array_append_new(list, row_json(&checks[i], &verdict));
        else
            print_row(call, &checks[i], &verdict);
    }
    if (list)
        cli_json(stdout, cli_json_object("ok:b checks:o", !problems, list), 0);
    return problems ? CLI_NO : CLI_DONE;
}

static const char doctor_text[] =
    "Looks at what a launch needs, on the node where it runs: Slurm's configuration, the plugin\n"
    "and what it was built for, planner, profilers, database, policy, folders, MPI libraries;\n"
    "then the planner plans a step of a few nodes. Each line says what to do. Exit status 1 where\n"
    "there is a problem; warnings do not count. Run it as root on a login node and on a compute\n"
    "node: as another user it tells what that user can read. Each check has a process of its own\n"
    "and ends at the deadline.\n"
    "slurm.conf is --slurm-conf, else $SLURM_CONF, else what `scontrol show config` says, else\n"
    "/etc/slurm/slurm.conf. The plugin is looked for where srun does it: its path in\n"
    "plugstack.conf, else along PluginDir, else in the plugin folder of the Slurm that topomap\n"
    "was built for.\n";

static const cli_option doctor_options[] = {
    {"db", "DB", TEXT(db), "topology database (else $TOPOMAP_DB, else db= in plugstack.conf)"},
    {"slurm-conf", "FILE", TEXT(slurm_conf), "slurm.conf"},
    {"plugstack", "FILE", TEXT(plugstack),
     "plugstack.conf (default: the one that slurm.conf names)"},
    {"max-age", "DAYS", NUMBER(max_age, 0, 1e6, 30),
     "sources of the database may be as old as this (default 30)"},
    {"deadline", "SECONDS", NUMBER(deadline, 0.1, 600, 5), "of each check (default 5)"},
    {CLI_JSON},
    {0},
};

CLI_COMMAND(cli_doctor, "doctor", "",
            "what is wrong where steps are not placed, and what to do about it", doctor_options, 0,
            0, run_doctor, doctor_text);
