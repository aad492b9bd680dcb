/* SPDX-License-Identifier: BSD-3-Clause */
/* A planner for the plugin's tests: does what $FAKE_PLANNER names (a row of `behaviours`) with the
 * request, and leaves the request in $FAKE_PLANNER_LOG. It places nothing for anybody's good. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plugin/planner/launch/launch.h"
#include "plugin/planner/request/request.h"

enum { REPLY_FD = 3, MOST = 1 << 20 };

static char *field(const char *request, const char *key)
{
    size_t length = strlen(key);

    for (const char *line = request; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length) && line[length] == ' ')
            return strndup(line + length + 1, strcspn(line + length + 1, "\n"));
    }
    return NULL;
}

/* A reply that grows. */
static char reply[MOST];
static size_t reply_size;

static void say(const char *format, ...) TOPOMAP_PRINTF(1, 2);

static void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    reply_size += (size_t)vsnprintf(reply + reply_size, MOST - reply_size, format, args);
    va_end(args);
}

static void begin(const char *status)
{
    say("topomap-reply 1\nstatus %s\n", status);
}

static void finish(uint32_t change)
{
    say("end %08x\n", topomap_crc32(0, reply, reply_size) ^ change);
}

static void send_reply(void)
{
    for (size_t done = 0; done < reply_size;) {
        ssize_t some = write(REPLY_FD, reply + done, reply_size - done);

        if (some <= 0)
            exit(1);
        done += (size_t)some;
    }
}

/* How many tasks each node of a layout has. */
static uint32_t counts_of(const char *layout, uint32_t *count, uint32_t *tasks)
{
    uint32_t nodes = 1;

    count[0] = *tasks = 0;
    while (*layout) {
        char *end;
        unsigned long low = strtoul(layout, &end, 10), high = low;

        if (*end == '-')
            high = strtoul(end + 1, &end, 10);
        count[nodes - 1] += (uint32_t)(high - low + 1);
        *tasks += (uint32_t)(high - low + 1);
        if (*end == ';')
            count[nodes++] = 0;
        layout = *end ? end + 1 : end;
    }
    return nodes;
}

/* Task ids from the last to the first, node by node, with the same counts. */
static void say_reversed(const char *request, uint32_t skew)
{
    static uint32_t count[65536];
    uint32_t tasks, nodes = counts_of(field(request, "layout"), count, &tasks), left = tasks;

    say("layout ");
    for (uint32_t node = 0; node < nodes; node++) {
        left -= count[node];
        say("%s%u-%u", node ? ";" : "", left + skew, left + count[node] - 1);
    }
    say("\n");
}

/* All nodes have this machine's PUs, $FAKE_PLANNER_THREADS (1) in a row to a core; task i gets the
 * core i places from the last. */
static void say_bindings(const char *request, uint32_t other_job)
{
    static uint32_t count[65536];
    uint32_t tasks, nodes = counts_of(field(request, "layout"), count, &tasks);
    const char *asked = getenv("FAKE_PLANNER_THREADS");
    uint32_t threads = asked ? (uint32_t)atoi(asked) : 1;
    uint32_t cores = (uint32_t)sysconf(_SC_NPROCESSORS_CONF) / threads;
    topomap_bindings_class inside = {cores, calloc(cores + 1, 4), calloc(cores * threads, 4)};
    topomap_bindings bindings = {
        .job = (uint32_t)atoi(field(request, "job")) + other_job,
        .step = (uint32_t)atoi(field(request, "step")),
        .classes = 1,
        .node_class = &inside,
        .nodes = nodes,
        .class_of = calloc(nodes, 4),
        .task_first = calloc(nodes + 1, 4),
        .pu_start = calloc(tasks + 1, 4),
        .pu = calloc(tasks * threads, 4),
    };
    topomap_error err = {.text = ""};
    uint32_t task = 0;
    char *text;

    for (uint32_t core = 0; core < cores; core++)
        inside.pu_first[core + 1] = (core + 1) * threads;
    for (uint32_t pu = 0; pu < cores * threads; pu++)
        inside.pu_os[pu] = pu;
    for (uint32_t node = 0; node < nodes; node++) {
        for (uint32_t local = 0; local < count[node]; local++, task++) {
            for (uint32_t i = 0; i < threads; i++)
                bindings.pu[task * threads + i] = (cores - 1 - local % cores) * threads + i;
            bindings.pu_start[task + 1] = (task + 1) * threads;
        }
        bindings.task_first[node + 1] = task;
    }
    text = topomap_bindings_encode(&bindings, &err);
    say("bindings %s\n", text ? text : err.text);
}

/* As say_bindings() over 8,192 PUs, of which a task gets one that this machine has, the last first,
 * and half of those that no machine of a test has: 25 kB for two tasks a node, too long for an
 * environment that has little room (`ulimit -s 500`, and 23 kB of the test's own). All nodes'
 * tasks share the same sets of PUs; task i of node j has set i + j. */
static void say_long_bindings(const char *request)
{
    enum { PUS = 8192, FIRST = 128 };
    static uint32_t count[65536], first[PUS + 1], os[PUS];
    uint32_t tasks, nodes = counts_of(field(request, "layout"), count, &tasks), used = 0, task = 0;
    uint32_t real = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
    topomap_bindings_class inside = {PUS, first, os};
    topomap_bindings bindings = {
        .job = (uint32_t)atoi(field(request, "job")),
        .step = (uint32_t)atoi(field(request, "step")),
        .classes = 1,
        .node_class = &inside,
        .nodes = nodes,
        .class_of = calloc(nodes, 4),
        .task_first = calloc(nodes + 1, 4),
        .pu_start = calloc(tasks + 1, 4),
        .pu = calloc((size_t)tasks * PUS, 4),
    };
    topomap_error err = {.text = ""};
    char *text;

    for (uint32_t pu = 0; pu < PUS; pu++) {
        first[pu + 1] = pu + 1;
        os[pu] = pu;
    }
    for (uint32_t node = 0; node < nodes; node++) {
        for (uint32_t local = 0; local < count[node]; local++, task++) {
            uint32_t set = (local + node) % count[node];
            uint64_t random = set + 1;

            bindings.pu[used++] = (real - 1 - set % real);
            for (uint32_t pu = FIRST; pu < PUS; pu++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                if (random >> 63)
                    bindings.pu[used++] = pu;
            }
            bindings.pu_start[task + 1] = used;
        }
        bindings.task_first[node + 1] = task;
    }
    text = topomap_bindings_encode(&bindings, &err);
    say("bindings %s\n", text ? text : err.text);
}

static void applied(const char *request)
{
    begin("applied");
    say("line reversed for a gain of 12.5%%\nquiet 1\nplan-id 9f3c01aa\ngain 12.5\n");
    say_reversed(request, 0);
}

static void reverse(const char *request)
{
    static const char text[] = "before: 9\nafter: 3\n";

    applied(request);
    if (!strcmp(field(request, "explain"), "1"))
        say("explain %zu\n%s\n", strlen(text), text);
    finish(0);
}

static void reverse_and_bind(const char *request)
{
    applied(request);
    if (!field(request, "bind") || strcmp(field(request, "bind"), "none"))
        say_bindings(request, 0);
    finish(0);
}

static void reverse_and_bind_long(const char *request)
{
    applied(request);
    say_long_bindings(request);
    finish(0);
}

static void unchanged(const char *request)
{
    (void)request;
    begin("unchanged");
    say("line nothing to gain\nquiet 0\nplan-id 00\n");
    finish(0);
}

static void unchanged_quiet(const char *request)
{
    (void)request;
    begin("unchanged");
    say("line nothing to gain\nquiet 1\nplan-id 00\n");
    finish(0);
}

static void failed(const char *request)
{
    (void)request;
    begin("failed");
    say("line no such graph\nquiet 0\n");
    finish(0);
}

static void other_counts(const char *request)
{
    begin("applied");
    say_reversed(request, 1);
    finish(0);
}

static void other_job(const char *request)
{
    applied(request);
    say_bindings(request, 1);
    finish(0);
}

static void wrong_checksum(const char *request)
{
    applied(request);
    finish(1);
}

static void next_version(const char *request)
{
    (void)request;
    say("topomap-reply 2\nplaced yes\n");
    finish(0);
}

static void garbage(const char *request)
{
    (void)request;
    for (int i = 0; i < 1000; i++)
        say("%c\001garbage\n", i % 100);
    finish(0);
}

static void flood(const char *request)
{
    (void)request;
    memset(reply, 'x', sizeof reply);
    while (write(REPLY_FD, reply, sizeof reply) > 0)
        ;
}

static void silent(const char *request)
{
    (void)request;
    exit(3);
}

static void killed(const char *request)
{
    (void)request;
    raise(SIGKILL);
}

static void hang(const char *request)
{
    (void)request;
    if (fork() == 0) /* a child with the reply's descriptor open must not keep srun waiting */
        sleep(600);
    sleep(600);
}

/* `raw`: srun gets it as it is; the others are the answers that a planner makes a reply of. */
static const struct {
    const char *name;
    void (*act)(const char *request);
    int raw;
} behaviours[] = {
    {"reverse", reverse, 0},
    {"reverse-and-bind", reverse_and_bind, 0},
    {"reverse-and-bind-long", reverse_and_bind_long, 0},
    {"unchanged", unchanged, 0},
    {"unchanged-quiet", unchanged_quiet, 0},
    {"failed", failed, 0},
    {"other-counts", other_counts, 0},
    {"other-job", other_job, 0},
    {"wrong-checksum", wrong_checksum, 1},
    {"garbage", garbage, 1},
    {"next-version", next_version, 1},
    {"flood", flood, 1},
    {"silent", silent, 1},
    {"killed", killed, 1},
    {"hang", hang, 1},
};

static void leave_log(const char *request)
{
    const char *log = getenv("FAKE_PLANNER_LOG");
    FILE *out = log ? fopen(log, "w") : NULL;

    if (!out)
        return;
    fputs(request, out);
    fclose(out);
}

static char *answer(const char *request, size_t *size, topomap_error *err)
{
    const char *name = getenv("FAKE_PLANNER");

    (void)err;
    leave_log(request);
    for (size_t i = 0; name && i < sizeof behaviours / sizeof *behaviours; i++)
        if (!strcmp(name, behaviours[i].name)) {
            behaviours[i].act(request);
            if (behaviours[i].raw) {
                send_reply();
                exit(0);
            }
            *size = reply_size;
            return memcpy(calloc(1, reply_size + 1), reply, reply_size);
        }
    exit(2);
}

static void nobody_waits(double seconds)
{
    (void)seconds;
}

/* What plugin/planner/main.c does, with other answers. */
int main(int argc, char **argv)
{
    int is_end = argc > 1 && !strcmp(argv[1], "end"), kind;
    planner_facts facts = {0};
    topomap_error err;
    char *text;
    size_t size;

    signal(SIGXFSZ, SIG_IGN);
    if (planner_request_kind(stdin, &kind, &err) || kind != 2 ||
        planner_facts_read(stdin, &facts, &err))
        return 1;
    text =
        is_end ? planner_end(&facts, &size) : planner_launch(&facts, answer, nobody_waits, &size);
    memcpy(reply, text, size);
    reply_size = size;
    send_reply();
    free(text);
    planner_facts_clear(&facts);
    return 0;
}
