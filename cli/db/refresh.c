/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db refresh: imports all sources at once, or keeps the last good database if one fails.
 * Answers of commands and the new database are made in a private folder beside the database, by
 * processes with a deadline. The database is locked from the first import until the new one has
 * replaced it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/db/refresh.h"
#include "cli/subprocess.h"
#include "topology-db/db.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/folder.h"
#include "util/output.h"
#include "util/full_io.h"

enum { PATH_SIZE = 512, COPY_SIZE = 1 << 16 };
static const uint64_t ANSWER_MOST = 1 << 30; /* bytes that a command may print */

typedef struct refresh {
    const cli_call *call;
    refresh_conf conf;
    const char *db;
    int above, folder, lock;  /* the database's folder, the private one, the database; or -1 */
    char name[PATH_SIZE / 2]; /* of the private folder in the database's */
    char path[PATH_SIZE], made[PATH_SIZE + 16]; /* of it, and of the new database in it */
    uint64_t changes;
} refresh;

/* Prints why the database stays as it was. Returns the exit status. */
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

/* ---- Files ---------------------------------------------------------------------------------- */

static int copy(int from, int to)
{
    TOPOMAP_FREED char *buffer = malloc(COPY_SIZE);
    ssize_t got = -1;

    while (buffer && (got = read(from, buffer, COPY_SIZE)) > 0)
        if (topomap_whole_write(to, buffer, (size_t)got)) {
            got = -1;
            break;
        }
    return got < 0 ? -1 : 0;
}

static int copy_file(const char *from, const char *to)
{
    struct stat about;
    TOPOMAP_CLOSED int in = topomap_untrusted_open(AT_FDCWD, from, O_RDONLY, &about);
    int out;

    if (in < 0)
        return errno == ENOENT ? 0 : -1; /* there is none yet */
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return out < 0 ? -1 : copy(in, out) | close(out);
}

/* Removes what a refresh that was killed has left. */
static void clear_folder(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *opened = again < 0 ? NULL : fdopendir(again);
    const struct dirent *row;

    while (opened && (row = readdir(opened)) != NULL)
        unlinkat(folder, row->d_name, 0);
    if (opened)
        closedir(opened);
    else if (again >= 0)
        close(again);
}

/* Opens the private folder and locks it against another refresh of the same database. */
static int take_folder(refresh *r)
{
    struct stat about;

    if (mkdirat(r->above, r->name, 0700) && errno != EEXIST)
        return keep(r, "no folder %s beside it: %s", r->name, strerror(errno));
    r->folder = openat(r->above, r->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (r->folder < 0 || fstat(r->folder, &about))
        return keep(r, "%s: %s", r->name, strerror(errno));
    if (about.st_uid != geteuid() || about.st_mode & 077)
        return keep(r, "%s is not a private folder of this user: remove it", r->name);
    if (flock(r->folder, LOCK_EX | LOCK_NB) || fstat(r->folder, &about) || !about.st_nlink) {
        close(r->folder); /* it is the other one's */
        r->folder = -1;
        return keep(r, "another refresh of it is running; try again when it is done");
    }
    clear_folder(r->folder);
    return 0;
}

static int open_folder(refresh *r)
{
    struct topomap_folder found;
    char self[40];
    topomap_error err;
    ssize_t length;

    if (topomap_folder_find(r->db, &found, &err) || topomap_folder_check(r->db, &found, &err))
        return keep(r, "%s", err.text);
    r->above = fcntl(found.fd, F_DUPFD_CLOEXEC, 3);
    snprintf(r->name, sizeof r->name, ".%.200s.refresh", found.name);
    topomap_folder_clear(&found);
    if (take_folder(r))
        return CLI_NO;
    snprintf(self, sizeof self, "/proc/self/fd/%d", r->folder);
    length = readlink(self, r->path, sizeof r->path);
    if (length < 0 || length == sizeof r->path)
        return keep(r, "%s: the path of its folder is not known", r->name);
    r->path[length] = '\0';
    snprintf(r->made, sizeof r->made, "%s/new.db", r->path);
    return 0;
}

static void close_all(refresh *r)
{
    refresh_conf_clear(&r->conf);
    if (r->folder >= 0) {
        clear_folder(r->folder);
        unlinkat(r->above, r->name, AT_REMOVEDIR);
        close(r->folder);
    }
    if (r->above >= 0)
        close(r->above);
    if (r->lock >= 0)
        close(r->lock);
}

/* ---- Sources -------------------------------------------------------------------------------- */

static int import(refresh *r, const refresh_source *s, const char *file, char why[CLI_WHY])
{
    char *words[12 + 2 * REFRESH_WORDS] = {"/proc/self/exe", "db", "import", "--db", r->made};
    int used = 5;
    TOPOMAP_FREED char *text = NULL;

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
    return cli_capture(words, topomap_clock_ms(), (unsigned)(s->seconds * 1000), &text, why);
}

/* The file for a source's answer: its format, and a number if another source has the same, so that
 * the next refresh's import replaces this one's. */
static void name_answer(const refresh *r, const refresh_source *s, char *path, size_t size)
{
    int same = 0;

    for (const refresh_source *other = r->conf.source; other < s; other++)
        same += other->command && !strcmp(other->format, s->format);
    if (same)
        snprintf(path, size, "%s/%s.%d", r->path, s->format, same + 1);
    else
        snprintf(path, size, "%s/%s", r->path, s->format);
}

static int run_command(const refresh_source *s, const char *path, char why[CLI_WHY])
{
    char *const words[] = {"/bin/sh", "-c", (char *)s->command, NULL};
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status = -1;

    if (out >= 0)
        status = cli_capture_to(words, topomap_clock_ms(), (unsigned)(s->seconds * 1000), out,
                                ANSWER_MOST, why);
    if (out < 0 || (close(out) && status == 0)) {
        snprintf(why, CLI_WHY, "%s: %s", path, strerror(errno));
        status = -1;
    } else if (status > 0 && !*why) {
        snprintf(why, CLI_WHY, "it ended with status %d", status);
    }
    return status;
}

static int refuse(const refresh *r, const refresh_source *s, const char *why)
{
    return keep(r, "line %zu, %s: %s", s->lineno, s->format,
                *why ? why : "it could not be imported");
}

static int run_commands(const refresh *r)
{
    for (const refresh_source *s = r->conf.source; s < r->conf.source + r->conf.sources; s++) {
        char why[CLI_WHY] = "", path[PATH_SIZE + 64];

        name_answer(r, s, path, sizeof path);
        if (s->command && run_command(s, path, why) != 0)
            return refuse(r, s, why);
    }
    return 0;
}

static int import_all(refresh *r)
{
    for (const refresh_source *s = r->conf.source; s < r->conf.source + r->conf.sources; s++) {
        char why[CLI_WHY] = "", path[PATH_SIZE + 64];

        name_answer(r, s, path, sizeof path);
        if (import(r, s, s->command ? path : s->file, why) != 0)
            return refuse(r, s, why);
    }
    return 0;
}

/* ---- What has changed ----------------------------------------------------------------------- */

static int tell(const topomap_db_change *change, void *data)
{
    refresh *r = data;

    r->changes++;
    printf("%s %s %s\n", change->change, change->what, change->name);
    return 0;
}

/* Refuses a network that has lost more than `lose` percent: its dump may be truncated. */
static int check_losses(const refresh *r, const topomap_db_loss *loss)
{
    for (int i = 0; i < TOPOMAP_DB_LOSSES; i++)
        if ((double)loss[i].lost > r->conf.lose / 100 * (double)loss[i].before)
            return keep(r,
                        "%llu of %llu %s would be lost, and the limit is %g %% (lose); --force "
                        "lifts it",
                        (unsigned long long)loss[i].lost, (unsigned long long)loss[i].before,
                        loss[i].what, r->conf.lose);
    return 0;
}

static int compare(refresh *r)
{
    topomap_db_loss loss[TOPOMAP_DB_LOSSES];
    CLI_DB_CLOSED topomap_db *before = NULL;
    CLI_DB_CLOSED topomap_db *after = NULL;
    topomap_error err;

    if (access(r->db, F_OK) != 0) {
        printf("%s is new\n", r->db);
        return 0;
    }
    if (topomap_db_open(r->db, &before, &err) || topomap_db_open(r->made, &after, &err) ||
        topomap_db_losses(before, after, loss, &err) ||
        topomap_db_diff(before, after, 0, tell, r, &err))
        return keep(r, "%s", err.text);
    if (!r->changes)
        printf("no differences\n");
    return r->call->options.force ? 0 : check_losses(r, loss);
}

/* ---- The new one's place -------------------------------------------------------------------- */

static int place(const refresh *r, topomap_publish *publish)
{
    topomap_error err;
    TOPOMAP_CLOSED int in = open(r->made, O_RDONLY | O_CLOEXEC);
    int failed = in < 0 || copy(in, topomap_publish_fd(publish));

    if (failed || topomap_publish_overtaken(publish)) {
        topomap_publish_abandon(publish);
        return keep(r, "%s",
                    failed ? strerror(errno)
                           : "another import has changed it meanwhile; try again");
    }
    return topomap_publish_commit(publish, 1, &err) ? keep(r, "%s", err.text) : 0;
}

/* Slurm's file, where it would be another one. */
static int write_topology(const refresh *r)
{
    char *words[] = {"/proc/self/exe", "db", "export", "--db", (char *)r->db, "--to",
                     "slurm-topology", NULL, NULL,     NULL};
    TOPOMAP_FREED char *wanted = NULL, *there = NULL, *nothing = NULL;
    char *const cat[] = {"cat", r->conf.topology, NULL};
    char why[CLI_WHY];
    int status;

    if (!r->conf.topology)
        return 0;
    status = cli_capture(words, topomap_clock_ms(), 60000, &wanted, why);
    if (status == 0 && cli_capture(cat, topomap_clock_ms(), 10000, &there, why) == 0 &&
        !strcmp(wanted, there))
        return 0;
    words[7] = "-o";
    words[8] = r->conf.topology;
    if (status == 0 && cli_capture(words, topomap_clock_ms(), 60000, &nothing, why) == 0) {
        printf("%s has changed: scontrol reconfigure\n", r->conf.topology);
        return 0;
    }
    fprintf(stderr, "topomap db refresh: %s stays as it was: %s\n", r->conf.topology, why);
    return CLI_NO;
}

/* ---- The command ---------------------------------------------------------------------------- */

/* Imports all sources into a copy that is made under the database's lock: it has the changes of
 * imports that ended while the commands ran, and imports that begin now are refused. */
static int replace(refresh *r)
{
    topomap_publish *publish;
    topomap_error err;
    int failed;

    if (topomap_db_lock(r->db, &r->lock, &err) || topomap_publish_begin(r->db, &publish, &err))
        return keep(r, "%s", err.text);
    failed = (copy_file(r->db, r->made) && keep(r, "%s: %s", r->made, strerror(errno))) ||
             import_all(r) || compare(r);
    if (!failed && !r->call->options.dry_run)
        return place(r, publish);
    topomap_publish_abandon(publish);
    return failed ? CLI_NO : 0;
}

static int run(const cli_call *call)
{
    TOPOMAP_CLEANUP(close_all)
    refresh r = {.call = call, .above = -1, .folder = -1, .lock = -1};
    topomap_error err;

    if (!call->options.config)
        return cli_usage_error(call, "--config FILE: what to import");
    if (refresh_conf_read(call->options.config, &r.conf, &err))
        return cli_fail(call, &err);
    r.db = call->options.db || !r.conf.db ? cli_database(call) : r.conf.db;
    return open_folder(&r) || run_commands(&r) || replace(&r) ||
                   (!call->options.dry_run && write_topology(&r))
               ? CLI_NO
               : CLI_DONE;
}

static const cli_option options[] = {
    {"config", "FILE", TEXT(config), "what to import (below)"},
    {"db", "DB", TEXT(db), "topology database, in place of the configuration's"},
    {"dry-run", NULL, FLAG(dry_run), "print what would change, and change nothing"},
    {"force", NULL, FLAG(force), "ignore the limit `lose` on lost hosts, switches and links"},
    {0},
};

static const char text[] =
    "All sources are imported into a copy of the database, which takes its place in one step when\n"
    "all have succeeded; what has changed is printed. If a source fails or is late, or if more\n"
    "hosts would lose their links, or more switches or links would vanish, than `lose` allows,\n"
    "the database stays as it was, a line says why, and the exit status is 1. Imports of other\n"
    "sources are kept.\n"
    "\n"
    "The configuration is lines such as these; '#' begins a comment, but not in a source's line:\n"
    "  db /var/lib/topomap/topology.db\n"
    "  # Percent of the hosts, switches and links that may vanish (default 5):\n"
    "  lose 5\n"
    "  # Is written from the database, where that has changed:\n"
    "  topology /etc/slurm/topology.conf\n"
    "  # source FORMAT [nodes=HOSTLIST] [option=K=V] [seconds=60] file=PATH\n"
    "  source hwloc nodes=node[1-64] file=/etc/topomap/node.xml\n"
    "  # source FORMAT [...] command=COMMAND, a shell's, to the end of the line\n"
    "  source ibnetdiscover seconds=120 command=ibnetdiscover\n"
    "contrib/packaging/systemd has a service and a timer for it.\n";

CLI_COMMAND(cli_db_refresh, "db refresh", "",
            "import all sources in one step, or keep the last good database", options, 0, 0, run,
            text);
