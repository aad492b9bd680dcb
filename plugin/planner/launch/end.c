/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/common/spool.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/store/store.h"

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

    planner_judge_run(folder, planner_launch_answer);
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
