/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "plugin/common/reply.h"

void planner_tell(planner_verdict *verdict, int loud, const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    plugin_percent_line(verdict->out,
                        loud > 0 || (!loud && verdict->verbose) ? "tell line" : "tell log", line);
}

/* A job's file is about the steps that are placed. */
void planner_leave(planner_verdict *verdict, int loud, const char *why)
{
    const planner_facts *facts = verdict->facts;

    if (facts->explain_own && facts->explain && facts->explain_file && !verdict->why)
        verdict->why = strdup(why);
    loud = loud || (facts->explain_own && facts->explain && !facts->explain_file);
    planner_tell(verdict, loud ? 1 : PLANNER_LOG, "%s", why);
}

/* ---- Which of the site's rules is about a step ------------------------------------------- */

enum { GROUPS_MOST = 65536 };

/* "name,number": a rule may say either. */
static char *user_of(uid_t uid)
{
    const struct passwd *entry = getpwuid(uid);
    char *text = NULL;

    return asprintf(&text, "%s%s%u", entry ? entry->pw_name : "", entry ? "," : "", uid) < 0 ? NULL
                                                                                             : text;
}

/* Names and numbers of all groups of this process. */
static char *groups_of(void)
{
    int count = getgroups(0, NULL), first = 1;
    TOPOMAP_FREED gid_t *group =
        count >= 0 && count < GROUPS_MOST ? calloc((size_t)count + 1, sizeof *group) : NULL;
    char *text = NULL;
    size_t size;
    FILE *out = group ? open_memstream(&text, &size) : NULL;

    if (group && (count = getgroups(count, group)) >= 0)
        group[count++] = getegid();
    for (int i = 0; out && i < count; i++, first = 0) {
        const struct group *entry = getgrgid(group[i]);

        fprintf(out, "%s%u", first ? "" : ",", group[i]);
        if (entry)
            fprintf(out, ",%s", entry->gr_name);
    }
    return topomap_printed(out, &text, NULL);
}

static const char *program_of(const planner_facts *facts)
{
    const char *word = facts->words.count ? facts->words.text[0] : NULL;
    const char *slash = word ? strrchr(word, '/') : NULL;

    return slash ? slash + 1 : word;
}

static void count_of(uint32_t count, char text[16])
{
    if (count)
        snprintf(text, 16, "%u", count);
}

/* Returns the first rule that matches, which \p policy owns, or NULL. srun has put the job's
 * partition, account and QOS, and the name of the mpi plugin that it has loaded, MpiDefault's too
 * (plugin/srun/procmap.c), into its environment, which the planner inherits. */
static const policy_rule *site_rule(const planner_facts *facts, const policy *policy)
{
    char nodes[16] = "", tasks[16] = "";
    TOPOMAP_FREED char *user = policy_asks(policy, POLICY_USER) ? user_of(getuid()) : NULL;
    TOPOMAP_FREED char *groups = policy_asks(policy, POLICY_GROUP) ? groups_of() : NULL;
    const policy_job job = {.fact = {[POLICY_PARTITION] = getenv("SLURM_JOB_PARTITION"),
                                     [POLICY_ACCOUNT] = getenv("SLURM_JOB_ACCOUNT"),
                                     [POLICY_QOS] = getenv("SLURM_JOB_QOS"),
                                     [POLICY_USER] = user,
                                     [POLICY_GROUP] = groups,
                                     [POLICY_PROGRAM] = program_of(facts),
                                     [POLICY_MPI] = getenv("SLURM_MPI_TYPE"),
                                     [POLICY_NODES] = nodes,
                                     [POLICY_TASKS] = tasks}};

    count_of(facts->nodes, nodes);
    count_of(facts->tasks, tasks);
    return policy_find(policy, &job);
}

/* policy_settle() tells of words by name alone. */
static planner_verdict *telling;

static void not_understood(const char *word)
{
    char expected[700];

    policy_settings_expected(word, expected, sizeof expected);
    planner_tell(telling, 1,
                 "--topomap-options: '%.100s' is not understood and was passed over: %s", word,
                 expected);
}

/* ---- srun -v: every value with its origin ------------------------------------------------- */

static void describe_arg(const char *name, const char *value, const char *origin)
{
    /* The folder of records is not whether one is kept, which is a step's own. */
    planner_tell(telling, PLANNER_LOG, "%s%s %s (%s)", name,
                 strcmp(name, "records") ? "" : " folder", value, origin);
}

static void describe(const policy *policy, const policy_rule *rule)
{
    const policy_settings *settings = &telling->decision.settings;
    enum policy_origin by;
    const char *db = plugin_args_db(&telling->facts->args, &by);
    char text[64];

    policy_origin_text(by, NULL, NULL, text, sizeof text);
    planner_tell(telling, PLANNER_LOG, "db %s (%s)", db, text);
    plugin_args_describe(&telling->facts->args, describe_arg);
    for (int i = 0; i < TOPOMAP_REQUEST_SETTINGS; i++) {
        enum topomap_request_key key = (enum topomap_request_key)i;
        const char *value = policy_get(settings, key);
        char origin[512];

        policy_origin_text(settings->value[key] ? settings->origin[key] : POLICY_BY_DEFAULT, policy,
                           rule, origin, sizeof origin);
        if (value)
            planner_tell(telling, PLANNER_LOG, "%s %s (%s)", topomap_request_row_of(key)->word,
                         value, origin);
    }
}

static void say_overruled(const policy *policy, const policy_rule *rule)
{
    const policy_decision *decision = &telling->decision;

    for (int key = 0; key < TOPOMAP_REQUEST_SETTINGS; key++)
        if (decision->overruled & 1u << key)
            planner_tell(telling, 1, "%s is %s here, by rule '%s' of the site (%s:%u)",
                         topomap_request_row_of((enum topomap_request_key)key)->word,
                         policy_get(&decision->settings, (enum topomap_request_key)key), rule->name,
                         policy->path, rule->line);
}

/* ---- Who wants what ----------------------------------------------------------------------- */

/* The time that is left to the search where nobody names one; an hour at most. */
static int settle_time(policy_settings *settings, unsigned deadline_ms)
{
    const char *said = policy_get(settings, TOPOMAP_REQUEST_TIME);
    char text[32];

    if (said && strtod(said, NULL) > 3600)
        return policy_set(settings, TOPOMAP_REQUEST_TIME, "3600",
                          settings->origin[TOPOMAP_REQUEST_TIME]);
    snprintf(text, sizeof text, "%.3f", deadline_ms / 4e3);
    return said ? 0 : policy_set(settings, TOPOMAP_REQUEST_TIME, text, POLICY_BY_DEFAULT);
}

static int settle_with(const policy *policy, const policy_site *site, topomap_error *err)
{
    const planner_facts *facts = telling->facts;
    const policy_rule *rule = policy->rules ? site_rule(facts, policy) : NULL;
    policy_decision *decision = &telling->decision;

    if (policy_settle(&facts->said, site, policy, rule, not_understood, decision, err))
        return -1;
    telling->verbose = policy_flag(&decision->settings, TOPOMAP_REQUEST_VERBOSE);
    if (settle_time(&decision->settings, facts->args.deadline_ms))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (!decision->on) {
        planner_leave(telling, decision->asked, decision->why);
        return 0;
    }
    planner_tell(telling, PLANNER_LOG, "on: %s", decision->why);
    describe(policy, rule);
    say_overruled(policy, rule);
    return 1;
}

/* Returns nonzero if an administrator has switched topomap off by a file beside the site's
 * database (its name and ".off"). A database that a user names in $TOPOMAP_DB does not count. */
static int is_switched_off(void)
{
    const planner_facts *facts = telling->facts;
    char path[4096], why[4200];

    if (snprintf(path, sizeof path, "%s.off", facts->args.db) >= (int)sizeof path ||
        faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
        return 0;
    snprintf(why, sizeof why, "the site has switched topomap off (%s)", path);
    planner_leave(telling, policy_is_asked(&facts->said), why);
    return 1;
}

/* Rules that cannot be read must not place anybody's step against the site's will: then only those
 * who ask are served. */
int planner_resolve_placement(planner_verdict *verdict, topomap_error *err)
{
    const planner_facts *facts = verdict->facts;
    policy_site site = facts->args.site;
    TOPOMAP_CLEANUP(policy_clear) policy policy = {0};

    telling = verdict;
    if (is_switched_off())
        return 0;
    if (facts->args.policy && policy_read(facts->args.policy, &policy, NULL, err)) {
        site.mode = POLICY_ASK;
        planner_leave(verdict, policy_is_asked(&facts->said), err->text);
        free(verdict->why);
        verdict->why = NULL;
    }
    return settle_with(&policy, &site, err);
}
