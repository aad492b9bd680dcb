/* SPDX-License-Identifier: BSD-3-Clause */
/* --topomap=auto below another launcher: what srun's plugin asks of the planner when a step begins
 * and when it has ended, asked by us, in processes that may be killed. The profile is in the same
 * store, under the same name. */
#define _GNU_SOURCE /* memfd_create */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch/records.h"
#include "cli/map/map_command.h"
#include "cli/run/run.h"
#include "cli/subprocess.h"
#include "graph/formats/parts.h"
#include "plugin/common/child.h"
#include "plugin/common/environment.h"
#include "plugin/common/reply.h"
#include "plugin/planner/launch/launch.h"
#include "plugin/planner/request/request.h"
#include "plugin/store/store.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"
#include "util/full_io.h"

enum {
    SITE_MS = 5000, /* for plugstack.conf, of the whole time */
    END_MS = 5000,  /* a later launch takes in what is not taken in by then */
    ROOM = 1 << 20, /* of an environment that the planner has nothing to put into */
    REPLY_MOST = 64 << 20
};

/* ---- What is asked ------------------------------------------------------------------------- */

/* Records and spooled bindings are of Slurm's steps, whose numbers these are not. */
static void write_site(FILE *out, const char *words)
{
    static const char *const others[] = {"records=", "spool="};

    for (size_t length; *words; words += length + (words[length] == '\n')) {
        char word[4096];
        int skip = 0;

        length = strcspn(words, "\n");
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            skip |= strncmp(words, others[i], strlen(others[i])) == 0;
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        if (!skip && length && length < sizeof word)
            plugin_percent_line(out, "site", word);
    }
}

static int write_layout(FILE *out, const run_allocation *a, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    TOPOMAP_FREED uint32_t *tasks = NULL;
    TOPOMAP_FREED char *layout = NULL;

    if (topomap_hostlist_expand(a->nodes, 0, &names, err) != 0 ||
        !(tasks = topomap_alloc(names.count, sizeof *tasks, err)) ||
        topomap_counts_parse(a->tasks, names.count, tasks, err) != 0 ||
        !(layout = cli_layout_text(&names, tasks, NULL, err)))
        return -1;
    fprintf(out, "step-nodes %zu\nstep-tasks %u\nnodes %s\ntasks %s\nlayout %s\n", names.count,
            a->ranks, a->nodes, a->tasks, layout);
    return 0;
}

/* As srun has it (plugin/srun/job.c): the site's own, or none. */
static void write_scontrol(FILE *out, const char *words)
{
    static const char word[] = "scontrol=";
    const char *found = NULL;
    size_t length = 0;

    for (const char *at = words; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strncmp(at, word, sizeof word - 1) == 0)
            found = at + sizeof word - 1;
    if (!found) {
        cli_request_scontrol(out);
        return;
    }
    length = strcspn(found, "\n");
    if (length != 4 || strncmp(found, "none", 4) != 0)
        fprintf(out, "scontrol %.*s\nscontrol-time 5\n", (int)length, found);
}

static void write_job(FILE *out, const run_allocation *a, const char *site)
{
    const char *cpus = getenv("SLURM_JOB_CPUS_PER_NODE"), *nodes = getenv("SLURM_JOB_NODELIST");

    if (!a->job)
        return;
    if (cpus && *cpus && nodes && *nodes)
        fprintf(out, "job-cpus %s\njob-nodes %s\n", cpus, nodes);
    write_scontrol(out, site);
}

static const char *number_of(const run_allocation *a)
{
    return a->job && cli_is_digits(a->job, SIZE_MAX) ? a->job : "0";
}

static char *question_text(const run_question *q, const char *site, topomap_error *err)
{
    const char *options = q->call->options.topomap_options;
    char input[4096], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int failed;

    if (!out) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
        return NULL;
    }
    fprintf(out, "topomap-request 2\njob %s\nstep 0\n", number_of(q->allocation));
    write_site(out, site);
    plugin_percent_line(out, "said-step", "auto");
    plugin_percent_line(out, "said-step-options", options);
    plugin_percent_line(out, "said-job-options", getenv(PLUGIN_ENV_JOB_OPTIONS));
    if (plugin_descriptors_input(input, sizeof input))
        plugin_percent_line(out, "input", input);
    for (char *const *word = q->program; *word; word++)
        plugin_percent_line(out, "word", *word);
    failed = write_layout(out, q->allocation, err);
    write_job(out, q->allocation, site);
    fprintf(out, "explain 0\nroom %d\nend\n", ROOM);
    if (fclose(out) != 0 && !failed)
        failed = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (!failed)
        return text;
    free(text);
    return NULL;
}

/* ---- The planner, in a process of its own --------------------------------------------------- */

struct asking {
    const char *text;
    const char *db, *mpi;
    int64_t until;     /* in topomap_clock_ms()'s milliseconds */
    int reply, record; /* descriptors of memory that both processes have */
};

static int record_to; /* in that process */

static void print(int to, const char *bytes, size_t size)
{
    if (bytes)
        (void)topomap_whole_write(to, bytes, size);
}

/* As a record of the launch would have it (plugin/common/reply.h). */
static char *answer(const char *request, size_t *size, topomap_error *err)
{
    static const char head[] = "topomap-plan 1\nversion " PACKAGE_VERSION "\ntime 0\n";
    char *bytes = planner_launch_answer(request, size, err);

    if (bytes) {
        print(record_to, head, sizeof head - 1);
        print(record_to, request, strlen(request));
        print(record_to, bytes, *size);
    }
    return bytes;
}

static void no_wait(double seconds)
{
    (void)seconds; /* --deadline counts */
}

static int read_facts(const char *text, planner_facts *facts)
{
    TOPOMAP_CLOSED_FILE FILE *in = fmemopen((char *)text, strlen(text), "r");
    topomap_error err;
    int kind;

    return !in || planner_request_kind(in, &kind, &err) || planner_facts_read(in, facts, &err) ? -1
                                                                                               : 0;
}

static int ask(void *done, void *with)
{
    const struct asking *asking = with;
    planner_facts facts = {0};
    size_t size = 0;
    char *reply;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (asking->db)
        setenv("TOPOMAP_DB", asking->db, 1);
    if (asking->mpi)
        setenv("SLURM_MPI_TYPE", asking->mpi, 1); /* whose MPI a script loads (identify.c) */
    record_to = asking->record;
    if (read_facts(asking->text, &facts))
        return -1;
    reply = planner_launch(&facts, answer, no_wait, &size);
    print(asking->reply, reply, size);
    *(char *)done = 1;
    return reply ? 0 : -1;
}

static unsigned left(int64_t until)
{
    int64_t ms = until - topomap_clock_ms();

    return ms > 0 ? (unsigned)ms : 0;
}

/* \return the reply, or NULL with the reason; \p ms of the whole */
static char *ask_in_child(struct asking *asking, unsigned ms, size_t *size, char why[CLI_WHY])
{
    static const char *const reasons[] = {
        [CLI_CHILD_DONE] = "out of memory",
        [CLI_CHILD_NONE] = "no process for it",
        [CLI_CHILD_DIED] = "the planner ended without an answer",
    };
    char done = 0, *reply = NULL;
    enum cli_child how = cli_call_in_child(ask, asking, &done, sizeof done, left(asking->until));

    if (how == CLI_CHILD_DONE)
        reply = cli_capture_text(asking->reply, REPLY_MOST, size);
    if (how == CLI_CHILD_LATE)
        snprintf(why, CLI_WHY, "no answer within %g s", ms / 1000.0);
    else if (!reply)
        snprintf(why, CLI_WHY, "%s", reasons[how]);
    return reply;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void say(const char *line)
{
    fprintf(stderr, "topomap run: %s\n", line);
}

static int take_later(const plugin_reply *reply, const char *job, const char *site, run_auto *made)
{
    size_t size;
    FILE *out = reply->laters ? open_memstream(&made->later, &size) : NULL;

    if (!out)
        return reply->laters ? -1 : 0;
    fprintf(out, "topomap-request 2\njob %s\nstep 0\nasked %d\nverbose %d\n", job,
            reply->flag[PLUGIN_FLAG_ASKED] > 0, reply->flag[PLUGIN_FLAG_VERBOSE] > 0);
    write_site(out, site);
    for (unsigned i = 0; i < reply->laters; i++)
        fprintf(out, "later %s\n", reply->later[i]);
    fprintf(out, "end\n");
    return fclose(out) ? -1 : 0;
}

/* "LIBRARY FOLDER/FILE". */
static int take_preload(const plugin_reply *reply, run_auto *made)
{
    const char *blank = reply->preload ? strchr(reply->preload, ' ') : NULL;
    const char *slash = blank ? strrchr(blank, '/') : NULL;

    if (!slash)
        return 0;
    made->library = strndup(reply->preload, (size_t)(blank - reply->preload));
    made->run = strndup(blank + 1, (size_t)(slash - blank - 1));
    return made->library && made->run ? 0 : -1;
}

/* The record becomes the launcher's file as any record does. */
static int convert(const run_question *q, const struct asking *asking, run_auto *made,
                   char why[CLI_WHY])
{
    int record = asking->record;
    char path[32], *words[] = {"/proc/self/exe",
                               "map",
                               "--from-plan",
                               path,
                               "--format",
                               (char *)q->launcher->format,
                               NULL};

    snprintf(path, sizeof path, "/proc/self/fd/%d", record);
    if (lseek(record, 0, SEEK_SET) == 0 &&
        cli_capture(words, asking->until - q->ms, q->ms, &made->text, why) == 0)
        return 0;
    free(made->text);
    made->text = NULL;
    if (!*why)
        snprintf(why, CLI_WHY, "the plan cannot be written for %s", q->launcher->name);
    return -1;
}

static int take(const run_question *q, const char *site, plugin_reply *reply,
                const struct asking *asking, run_auto *made, char why[CLI_WHY])
{
    for (unsigned i = 0; i < reply->tells; i++)
        if (reply->tell[i].loud)
            say(reply->tell[i].text);
    made->required = reply->flag[PLUGIN_FLAG_REQUIRED] > 0;
    if (take_preload(reply, made) || take_later(reply, number_of(q->allocation), site, made)) {
        snprintf(why, CLI_WHY, "out of memory");
        return -1;
    }
    if (reply->status == PLUGIN_FAILED) {
        snprintf(why, CLI_WHY, "%s", reply->line);
        return -1;
    }
    if (*reply->line && (reply->status == PLUGIN_UNCHANGED || !reply->quiet ||
                         reply->flag[PLUGIN_FLAG_VERBOSE] > 0))
        say(reply->line);
    if (reply->status != PLUGIN_APPLIED || convert(q, asking, made, why) == 0)
        return 0;
    run_auto_drop(made); /* the store has it as placed */
    return -1;
}

static int plan(const run_question *q, const char *site, struct asking *asking, run_auto *made,
                char why[CLI_WHY])
{
    size_t size = 0;
    TOPOMAP_FREED char *bytes = ask_in_child(asking, q->ms, &size, why);
    plugin_reply reply;
    topomap_error err;

    if (!bytes)
        return -1;
    if (plugin_reply_read(bytes, size, &reply, &err) == 0)
        return take(q, site, &reply, asking, made, why);
    snprintf(why, CLI_WHY, "%s", err.text);
    return -1;
}

int run_auto_plan(const run_question *q, run_auto *made, char why[CLI_WHY])
{
    struct asking asking = {
        .db = q->call->options.db, .mpi = q->launcher->mpi, .until = topomap_clock_ms() + q->ms};
    topomap_error err = {.text = "out of memory"};
    TOPOMAP_FREED char *site = cli_site_words(q->ms < SITE_MS ? q->ms : SITE_MS);
    TOPOMAP_FREED char *text = site ? question_text(q, site, &err) : NULL;
    TOPOMAP_CLOSED int reply = memfd_create("reply", MFD_CLOEXEC);
    TOPOMAP_CLOSED int record = memfd_create("record", 0); /* `topomap map` reads it */

    *made = (run_auto){.ranks = q->allocation->ranks};
    asking.text = text;
    asking.reply = reply;
    asking.record = record;
    *why = '\0';
    if (text && reply >= 0 && record >= 0)
        return plan(q, site, &asking, made, why);
    snprintf(why, CLI_WHY, "%s", text ? "no memory for the planner's answer" : err.text);
    return -1;
}

/* ---- The end -------------------------------------------------------------------------------- */

struct ending {
    const run_auto *made;
    int status;
};

enum { SAID = 4096 };

/* A rank's, or what it has left at the beginning of MPI. \return nonzero: it says now how the run
 * ended */
static int change_part(int folder, const char *name, int status)
{
    struct stat about;
    TOPOMAP_CLOSED int fd = topomap_untrusted_open(folder, name, O_RDWR | O_NOFOLLOW, &about);
    struct topomap_part_header header;
    struct topomap_part_rank rank = {0};

    if (fd < 0 || pread(fd, &header, sizeof header, 0) != sizeof header || header.count > 1 ||
        pread(fd, &rank, header.count * sizeof rank, sizeof header) !=
            (ssize_t)(header.count * sizeof rank))
        return 0;
    header.status = (uint32_t)status;
    header.checksum = 0;
    topomap_part_seal(&header, &rank);
    return pwrite(fd, &header, sizeof header, 0) == sizeof header;
}

/* A rank that came to the end of MPI does not know how the run has ended. Where none has left
 * anything, that is said, too: it is not a run that had no MPI, since nobody has looked
 * (plugin/store/outcome.c). */
static void note_end(const struct ending *ending)
{
    struct topomap_part_header header = {.ranks = ending->made->ranks,
                                         .status = (uint32_t)ending->status};
    int folder = open(ending->made->run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    const struct dirent *row;
    int parts = 0, done = ending->status == 0;

    while (list && (!parts || !done) && (row = readdir(list)) != NULL) {
        const char *number = row->d_name + sizeof TOPOMAP_PART_NAME - 1;

        if (strncmp(row->d_name, TOPOMAP_PART_NAME, sizeof TOPOMAP_PART_NAME - 1) || !*number ||
            number[strspn(number, "0123456789")])
            continue;
        parts++;
        done = done || change_part(folder, row->d_name, ending->status);
    }
    if (list && !parts) {
        topomap_part_seal(&header, NULL);
        (void)store_run_write(ending->made->run, TOPOMAP_PART_NAME "0", (const char *)&header,
                              sizeof header);
    }
    if (list)
        closedir(list);
    else if (folder >= 0)
        close(folder);
}

static void add_tells(char *bytes, size_t size, char said[SAID])
{
    plugin_reply reply;

    if (plugin_reply_read(bytes, size, &reply, NULL))
        return;
    for (unsigned i = 0; i < reply.tells; i++)
        if (reply.tell[i].loud)
            topomap_text_append(said, SAID, "topomap run: %s\n", reply.tell[i].text);
}

static int end(void *said, void *with)
{
    const struct ending *ending = with;
    planner_facts facts = {0};
    size_t size = 0;
    char *reply;

    signal(SIGXFSZ, SIG_IGN);
    if (ending->made->run)
        note_end(ending);
    if (read_facts(ending->made->later, &facts))
        return -1;
    reply = planner_end(&facts, &size);
    if (reply)
        add_tells(reply, size, said);
    return 0;
}

void run_auto_end(const run_auto *made, int status)
{
    struct ending ending = {.made = made, .status = status};
    char said[SAID] = "";

    if (made->later && cli_call_in_child(end, &ending, said, sizeof said, END_MS) == CLI_CHILD_DONE)
        fputs(said, stderr);
}

static int drop(void *done, void *with)
{
    const run_auto *made = with;

    store_run_drop(made->run);
    *(char *)done = 1;
    return 0;
}

static void forget_run(run_auto *made)
{
    free(made->library);
    free(made->run);
    free(made->later);
    made->library = made->run = made->later = NULL;
}

void run_auto_drop(run_auto *made)
{
    char done = 0;

    if (made->run)
        (void)cli_call_in_child(drop, made, &done, sizeof done, END_MS);
    forget_run(made);
}

void run_auto_clear(run_auto *made)
{
    free(made->text);
    forget_run(made);
    *made = (run_auto){.text = NULL};
}
