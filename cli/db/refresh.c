/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db refresh: all sources at once, and the last good database where one of them fails. The
 * new one is made in a private folder, by processes with a limit of time, and takes the old one's
 * place whole, or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/cli.h"
#include "cli/db/refresh.h"
#include "topology-db/db.h"
#include "util/publish.h"
#include "util/whole.h"

enum { PATH_SIZE = 512, COPY_SIZE = 1 << 16 };

typedef struct refresh {
    const cli_call *call;
    refresh_conf conf;
    const char *db;
    char folder[PATH_SIZE / 2], made[PATH_SIZE], dump[PATH_SIZE];
    topomap_publish *publish;
    uint64_t hosts, lost, changes;
} refresh;

/* Nobody waits for a refresh: what it was about stays as it is, and the reason is told. */
static int keep(const refresh *r, const char *format, ...) TOPOMAP_PRINTF(2, 3);
static int keep(const refresh *r, const char *format, ...)
{
    char text[CLI_WHY + 200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "topomap db refresh: %s stays as it was: %s\n", r->db, text);
    return CLI_NO;
}

/* ---- Files ------------------------------------------------------------------------------------
 */

static int copy(int from, int to)
{
    char *buffer = malloc(COPY_SIZE);
    ssize_t got = -1;

    while (buffer && (got = read(from, buffer, COPY_SIZE)) > 0)
        if (topomap_whole_write(to, buffer, (size_t)got)) {
            got = -1;
            break;
        }
    free(buffer);
    return got < 0 ? -1 : 0;
}

static int copy_file(const char *from, const char *to)
{
    struct stat about;
    int in = topomap_untrusted_open(AT_FDCWD, from, O_RDONLY, &about), out, status = -1;

    if (in < 0)
        return errno == ENOENT ? 0 : -1; /* there is none yet */
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out >= 0)
        status = copy(in, out) | close(out);
    close(in);
    return status;
}

static int write_dump(const refresh *r, const char *text)
{
    int out = open(r->dump, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int failed = out < 0 || topomap_whole_write(out, text, strlen(text));

    return (out >= 0 && close(out)) || failed ? -1 : 0;
}

static int open_folder(refresh *r)
{
    const char *above = getenv("TMPDIR");

    if (!above || *above != '/' || strlen(above) > sizeof r->folder - 32)
        above = "/tmp";
    snprintf(r->folder, sizeof r->folder, "%s/topomap-refresh.XXXXXX", above);
    if (!mkdtemp(r->folder)) {
        *r->folder = '\0';
        return -1;
    }
    snprintf(r->made, sizeof r->made, "%s/new.db", r->folder);
    return copy_file(r->db, r->made);
}

static void close_folder(const refresh *r)
{
    if (!*r->folder)
        return;
    unlink(r->made);
    if (*r->dump)
        unlink(r->dump);
    rmdir(r->folder);
}

/* ---- Sources ----------------------------------------------------------------------------------
 */

static int import(refresh *r, const refresh_source *s, const char *file, char why[CLI_WHY])
{
    char *words[12 + 2 * REFRESH_WORDS] = {"/proc/self/exe", "db", "import", "--db", r->made};
    int used = 5, status;
    char *text;

    if (s->nodes) {
        words[used++] = "--nodes";
        words[used++] = (char *)s->nodes;
    }
    for (int i = 0; i < s->options; i++) {
        words[used++] = "--option";
        words[used++] = (char *)s->option[i];
    }
    words[used++] = (char *)s->format;
    words[used++] = (char *)file;
    status = cli_capture(words, (unsigned)(s->seconds * 1000), &text, why);
    free(text);
    return status;
}

/* A command's answer is a file that is called by the format, so that the next one takes its place.
 */
static int ask(refresh *r, const refresh_source *s, char why[CLI_WHY])
{
    char *const words[] = {"/bin/sh", "-c", (char *)s->command, NULL};
    char *text;
    int status = cli_capture(words, (unsigned)(s->seconds * 1000), &text, why);

    if (*r->dump)
        unlink(r->dump);
    snprintf(r->dump, sizeof r->dump, "%s/%s", r->folder, s->format);
    if (status == 0 && write_dump(r, text) != 0) {
        snprintf(why, CLI_WHY, "%s: %s", r->dump, strerror(errno));
        status = -1;
    } else if (status > 0 && !*why) {
        snprintf(why, CLI_WHY, "it ended with status %d", status);
    }
    free(text);
    return status;
}

static int take_sources(refresh *r)
{
    for (int i = 0; i < r->conf.sources; i++) {
        const refresh_source *s = &r->conf.source[i];
        char why[CLI_WHY] = "";
        int status = s->command ? ask(r, s, why) : 0;

        if (status == 0)
            status = import(r, s, s->command ? r->dump : s->file, why);
        if (status != 0)
            return keep(r, "line %zu, %s: %s", s->lineno, s->format,
                        *why ? why : "it could not be imported");
    }
    return 0;
}

/* ---- What has changed -------------------------------------------------------------------------
 */

static int tell(const topomap_db_change *change, void *data)
{
    refresh *r = data;

    r->changes++;
    r->lost += !strcmp(change->what, "host") && !strcmp(change->change, "removed");
    printf("%s %s %s\n", change->change, change->what, change->name);
    return 0;
}

static int compare(refresh *r)
{
    topomap_db_summary summary = {.hosts = 0};
    topomap_db *before, *after = NULL;
    topomap_error err;
    int status;

    if (access(r->db, F_OK) != 0) {
        printf("%s is new\n", r->db);
        return 0;
    }
    status = topomap_db_open(r->db, &before, &err);
    if (status == 0) {
        status = topomap_db_open(r->made, &after, &err) ||
                         topomap_db_summarise(before, &summary, &err) ||
                         topomap_db_diff(before, after, 0, tell, r, &err)
                     ? -1
                     : 0;
        topomap_db_close(after);
        topomap_db_close(before);
    }
    if (status != 0)
        return keep(r, "%s", err.text);
    r->hosts = summary.hosts;
    if (!r->changes)
        printf("no differences\n");
    if (!cli_get(r->call, "force") && (double)r->lost > r->conf.lose / 100 * (double)r->hosts)
        return keep(r,
                    "%llu of %llu hosts would vanish, and the limit is %g %% (lose); with --force "
                    "they do",
                    (unsigned long long)r->lost, (unsigned long long)r->hosts, r->conf.lose);
    return 0;
}

/* ---- The new one's place ----------------------------------------------------------------------
 */

static int place(refresh *r)
{
    topomap_publish *publish = r->publish;
    topomap_error err;
    int in = open(r->made, O_RDONLY | O_CLOEXEC), failed;

    r->publish = NULL;
    failed = in < 0 || copy(in, topomap_publish_fd(publish));
    if (in >= 0)
        close(in);
    if (failed || topomap_publish_overtaken(publish)) {
        topomap_publish_abandon(publish);
        return keep(r, "%s",
                    failed ? strerror(errno)
                           : "another import has changed it meanwhile; try again");
    }
    if (topomap_publish_commit(publish, 0, &err))
        return keep(r, "%s", err.text);
    return 0;
}

/* Slurm's file, where it would be another one. */
static int write_topology(const refresh *r)
{
    char *words[] = {"/proc/self/exe", "db", "export", "--db", (char *)r->db, "--to",
                     "slurm-topology", NULL, NULL,     NULL};
    char why[CLI_WHY], *wanted = NULL, *there = NULL;
    char *const cat[] = {"cat", r->conf.topology, NULL};
    int status, same;

    if (!r->conf.topology)
        return 0;
    status = cli_capture(words, 60000, &wanted, why);
    same = status == 0 && cli_capture(cat, 10000, &there, why) == 0 && !strcmp(wanted, there);
    free(wanted);
    free(there);
    if (same)
        return 0;
    words[7] = "-o";
    words[8] = r->conf.topology;
    if (status == 0) {
        status = cli_capture(words, 60000, &wanted, why);
        free(wanted);
    }
    if (status == 0) {
        printf("%s has changed: scontrol reconfigure\n", r->conf.topology);
        return 0;
    }
    fprintf(stderr, "topomap db refresh: %s stays as it was: %s\n", r->conf.topology, why);
    return CLI_NO;
}

/* ---- The command ------------------------------------------------------------------------------
 */

static int refresh_all(refresh *r)
{
    topomap_error err;
    int status;

    if (topomap_publish_begin(r->db, &r->publish, &err))
        return keep(r, "%s", err.text);
    if (open_folder(r))
        return keep(r, "%s: %s", *r->folder ? r->folder : "no private folder", strerror(errno));
    status = take_sources(r);
    if (status == 0)
        status = compare(r);
    if (status == 0 && !cli_get(r->call, "dry-run")) {
        status = place(r);
        if (status == 0)
            status = write_topology(r);
    }
    return status;
}

static int run(const cli_call *call)
{
    refresh r = {.call = call};
    topomap_error err;
    int status;

    if (!cli_get(call, "config"))
        return cli_usage_error(call, "--config FILE: what to import");
    if (refresh_conf_read(cli_get(call, "config"), &r.conf, &err)) {
        status = cli_fail(call, &err);
    } else {
        r.db = cli_get(call, "db") || !r.conf.db ? cli_database(call) : r.conf.db;
        status = refresh_all(&r);
    }
    topomap_publish_abandon(r.publish);
    close_folder(&r);
    refresh_conf_clear(&r.conf);
    return status;
}

static const cli_option options[] = {
    {"config", "FILE", "what to import (below)", NULL},
    {"db", "DB", "topology database, in place of the configuration's", NULL},
    {"dry-run", NULL, "print what would change, and change nothing", NULL},
    {"force", NULL, "however many hosts vanish", NULL},
    {NULL, NULL, NULL, NULL},
};

static const char text[] =
    "All sources are imported into a copy of the database, which takes its place in one step when "
    "all\n"
    "have succeeded; what has changed is printed. Where a source fails, is late, or too many hosts "
    "would\n"
    "vanish, the database stays as it was, a line says why, and the exit status is 1. Imports that "
    "no\n"
    "line is about stay.\n"
    "\n"
    "The configuration is lines such as these; '#' begins a comment, but not within a source's "
    "line:\n"
    "  db /var/lib/topomap/topology.db\n"
    "  # Percent of the hosts that may vanish (default 5):\n"
    "  lose 5\n"
    "  # Is written from the database, where that has changed:\n"
    "  topology /etc/slurm/topology.conf\n"
    "  # source FORMAT [nodes=HOSTLIST] [option=K=V] [seconds=60] file=PATH\n"
    "  source hwloc nodes=node[1-64] file=/etc/topomap/node.xml\n"
    "  # source FORMAT [...] command=COMMAND, a shell's, to the end of the line\n"
    "  source ibnetdiscover seconds=120 command=ibnetdiscover\n"
    "contrib/packaging/systemd has a service and a timer for it.\n";

const cli_command cli_refresh_commands[] = {
    {"db refresh", "", "import all sources in one step, or keep the last good database", options, 0,
     0, run, text},
    {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
