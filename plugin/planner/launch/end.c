/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/common/spool.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/store/store.h"
#include "plugin/common/reply.h"
#include "util/alloc.h"

/* Lines of a launch's request that do not hold for judging its run, which has a graph of its own
 * and needs neither record nor explanation. */
static int is_replaced(const char *line)
{
    static const char *const keys[] = {"graph ", "profile", "record ", "explain ", "min-gain "};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strncmp(line, keys[i], strlen(keys[i])))
            return 1;
    return 0;
}

/* Makes the request that judges a launch from the launch's own, which follows a line with the
 * layout that resulted. */
static char *rewrite(char *planned, const char *graph)
{
    char *text = NULL, *rest = NULL, *layout = strtok_r(planned, "\n", &rest), *line;
    size_t size;
    FILE *out;

    if (!layout || strncmp(layout, "layout ", 7) != 0)
        return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL && strcmp(line, "end") != 0)
        if (!is_replaced(line))
            fprintf(out, "%s\n", line);
    fprintf(out, "graph %s\nprofile exact\njudge %s\nend\n", graph, layout + 7);
    return topomap_printed(out, &text, NULL);
}

/* Judges whether the layout of a finished run was right for what the run sent, and writes the gain
 * into the run's folder. Does nothing if the plan is missing or the profile incomplete. */
static void judge_run(const char *folder)
{
    TOPOMAP_FREED char *planned = store_run_read(folder, STORE_RUN_PLANNED, STORE_PLANNED),
                       *request = NULL, *bytes = NULL;
    char graph[STORE_PATH];
    plugin_reply reply;
    topomap_error err;
    size_t size;

    if (planned && store_run_join(folder, graph))
        request = rewrite(planned, graph);
    if (request)
        bytes = planner_launch_answer(request, &size, &err);
    if (bytes && !plugin_reply_read(bytes, size, &reply, &err) &&
        reply.status == PLUGIN_UNCHANGED && reply.gain)
        store_run_write(folder, STORE_RUN_JUDGED, reply.gain, strlen(reply.gain));
}

static void end_spool(planner_verdict *verdict, const char *note)
{
    (void)verdict;
    plugin_spool_remove(note);
}

static void end_taken(planner_verdict *verdict, const store_entry *entry, enum store_left left,
                      const topomap_error *why)
{
    if (left == STORE_LEFT_PROFILE)
        planner_tell(verdict, 0, "profile of %s on %u ranks stored: %s", entry->program,
                     entry->ranks, entry->key);
    else if (!left && *entry->key) /* else another launch has taken it */
        planner_tell(verdict, verdict->decision.asked, "no profile of %s was stored: %s",
                     entry->program, why->text);
}

/* Takes what a run has left into the store. */
static void end_run(planner_verdict *verdict, const char *folder)
{
    store_entry entry = {0};
    topomap_error why;
    store found;

    judge_run(folder);
    if (store_open(verdict->facts->args.store, &found, &why))
        planner_tell(verdict, verdict->decision.asked, "no profile was stored: %s", why.text);
    else
        end_taken(verdict, &entry, store_run_end(&found, folder, &entry, &why), &why);
}

/* srun refused the placement, and the run kept Slurm's own layout. */
static void end_own(planner_verdict *verdict, const char *folder)
{
    store_run_write(folder, STORE_RUN_REFUSED, "1", 1);
    end_run(verdict, folder);
}

static const struct {
    const char *word;
    void (*end)(planner_verdict *verdict, const char *what);
} rows[] = {{"spool ", end_spool}, {"run ", end_run}, {"own ", end_own}};

char *planner_end(const planner_facts *facts, size_t *size)
{
    planner_verdict verdict = {
        .facts = facts, .verbose = facts->verbose, .decision.asked = facts->asked};
    char *text = NULL;

    verdict.out = open_memstream(&text, size);
    if (!verdict.out)
        return NULL;
    fprintf(verdict.out, "topomap-reply 1\nstatus left\n");
    for (size_t i = 0; i < facts->later.count; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (!strncmp(facts->later.text[i], rows[k].word, strlen(rows[k].word)))
                rows[k].end(&verdict, facts->later.text[i] + strlen(rows[k].word));
    return planner_answer_seal(verdict.out, &text, size);
}
