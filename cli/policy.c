/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap policy check: is the site's policy file right, and what does it make of a job? It is the
 * code that srun runs. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cli.h"
#include "plugin/policy/policy.h"
#include "util/alloc.h"
#include "util/text.h"

enum { GROUPS_MOST = 65536 };

static int told;

static void print_problem(const char *text)
{
    told = 1;
    fprintf(stderr, "topomap policy check: %s\n", text);
}

static void not_understood(const char *word)
{
    fprintf(stderr, "topomap policy check: --topomap-options: '%s' is not understood\n", word);
}

/* ---- The job ----------------------------------------------------------------------------- */

/* "partition=batch" and so on, in any order. */
static int read_fact(const cli_call *call, const char *word, policy_job *job)
{
    const char *equals = strchr(word, '=');
    char known[160] = "";

    for (int fact = 0; equals && fact < POLICY_FACTS; fact++) {
        const char *name = policy_fact_name((enum policy_fact)fact);

        if (strlen(name) == (size_t)(equals - word) && !strncasecmp(word, name, strlen(name))) {
            if ((fact == POLICY_NODES || fact == POLICY_TASKS) &&
                !cli_is_digits(equals + 1, SIZE_MAX))
                return cli_usage_error(call, "%s= takes a count, not '%s'", name, equals + 1);
            job->fact[fact] = equals + 1;
            if (fact == POLICY_PROGRAM && strrchr(equals, '/')) /* as srun: without its folder */
                job->fact[fact] = strrchr(equals, '/') + 1;
            return 0;
        }
    }
    for (int fact = 0; fact < POLICY_FACTS; fact++)
        topomap_text_append(known, sizeof known, "%s%s=", fact ? ", " : "",
                            policy_fact_name((enum policy_fact)fact));
    return cli_usage_error(call, "'%s' is not known of a job: %s", word, known);
}

static const struct passwd *find_user(const char *user)
{
    const struct passwd *entry = user ? getpwnam(user) : NULL;

    return entry || !user || !cli_is_digits(user, 9) ? entry
                                                     : getpwuid((uid_t)strtoul(user, NULL, 10));
}

/* Rules may say the name or the number, and srun knows both. NULL: this machine does not. */
static char *user_of(const char *user)
{
    const struct passwd *entry = find_user(user);
    char *text = NULL;

    return !entry || asprintf(&text, "%s,%u", entry->pw_name, entry->pw_uid) < 0 ? NULL : text;
}

/* The same of each of the groups that were named. */
static char *group_names(const char *groups)
{
    TOPOMAP_FREED char *copy = strdup(groups);
    char *text = NULL, *rest = NULL;
    size_t size;
    FILE *out = copy ? open_memstream(&text, &size) : NULL;

    for (char *name = out ? strtok_r(copy, ",", &rest) : NULL; name;
         name = strtok_r(NULL, ",", &rest)) {
        const struct group *row = getgrnam(name);

        if (!row && cli_is_digits(name, 9))
            row = getgrgid((gid_t)strtoul(name, NULL, 10));
        if (row)
            fprintf(out, "%s%s,%u", ftell(out) ? "," : "", row->gr_name, row->gr_gid);
        else
            fprintf(out, "%s%s", ftell(out) ? "," : "", name);
    }
    if (out)
        fclose(out);
    return text;
}

/* The groups of a user that this machine knows, as srun would find them. NULL: not known. */
static char *groups_of(const char *user)
{
    const struct passwd *entry = find_user(user);
    int count = GROUPS_MOST;
    TOPOMAP_FREED gid_t *group = entry ? calloc(GROUPS_MOST, sizeof *group) : NULL;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!group || getgrouplist(entry->pw_name, entry->pw_gid, group, &count) < 0 ||
        !(out = open_memstream(&text, &size)))
        return NULL;
    for (int i = 0; i < count; i++) {
        const struct group *row = getgrgid(group[i]);

        fprintf(out, "%s%u%s%s", i ? "," : "", group[i], row ? "," : "", row ? row->gr_name : "");
    }
    fclose(out);
    return text;
}

static int read_job(const cli_call *call, policy_job *job, policy_said *said, policy_site *site)
{
    const char *mode = call->options.default_mode;
    int status = call->options.job ? read_fact(call, call->options.job, job) : 0;

    for (int i = 1; !status && i < call->operands; i++)
        status = call->options.job ? read_fact(call, call->operand[i], job)
                                   : cli_usage_error(call, "'%s' needs --job", call->operand[i]);
    site->mode = POLICY_ASK;
    if (!status && mode && policy_mode_read(mode, &site->mode))
        status = cli_usage_error(call, "--default takes on, off, auto or only-when-asked, not '%s'",
                                 mode);
    said->step = call->options.topomap;
    said->step_options = call->options.topomap_options;
    return status;
}

/* ---- The answer -------------------------------------------------------------------------- */

struct answer {
    const policy *policy;
    const policy_job *job;
    const policy_rule *rule; /* that applies */
    policy_decision decision;
};

/* Each rule up to the one that applies, into the list where there is one. */
static void print_rules(const struct answer *answer, json_t *list)
{
    for (size_t i = 0; i < answer->policy->rules; i++) {
        const policy_rule *rule = &answer->policy->rule[i];
        char why[512];
        int fits = policy_rule_fits(rule, answer->job, why, sizeof why);

        if (list)
            cli_json_add(list, "rule:s line:i fits:b why:s", rule->name, (int)rule->line, fits,
                         why);
        else
            printf("%s:%u: rule '%s' %s: %s\n", answer->policy->path, rule->line, rule->name,
                   fits ? "applies" : "does not fit", why);
        if (rule == answer->rule)
            break;
    }
}

/* Each setting into the list, or those that a step has. */
static void print_settings(const struct answer *answer, json_t *list)
{
    const policy_decision *decision = &answer->decision;
    const policy_settings *settings = &decision->settings;

    for (int i = 0; i < TOPOMAP_REQUEST_SETTINGS; i++) {
        enum topomap_request_key key = (enum topomap_request_key)i;
        const char *value = policy_get(settings, key), *word = topomap_request_row_of(key)->word;
        char origin[512];

        policy_origin_text(settings->value[key] ? settings->origin[key] : POLICY_BY_DEFAULT,
                           answer->policy, answer->rule, origin, sizeof origin);
        if (list)
            cli_json_add(list, "name:s value:s origin:s forced:b", word, value, origin,
                         answer->rule && answer->rule->force & 1u << key ? 1 : 0);
        else if (value && decision->on)
            printf("  %-11s %-12s %s%s\n", word, value, origin,
                   decision->overruled & 1u << key ? ", whatever the options say" : "");
    }
}

static void print_json(const struct answer *answer)
{
    const policy_decision *decision = &answer->decision;
    json_t *rules = json_array(), *settings = json_array();

    print_rules(answer, rules);
    print_settings(answer, settings);
    cli_json(stdout,
             cli_json_object("file:s rules:i rule:s considered:o on:b asked:b why:s settings:o",
                             answer->policy->path, (int)answer->policy->rules,
                             answer->rule ? answer->rule->name : NULL, rules, decision->on,
                             decision->asked, decision->why, settings),
             0);
}

static void print_text(const struct answer *answer)
{
    print_rules(answer, NULL);
    if (!answer->rule)
        printf("no rule applies\n");
    printf("%s: %s\n", answer->decision.on ? "on" : "off", answer->decision.why);
    print_settings(answer, NULL);
}

/* A rule behind one that fits every step. */
static void warn_unreachable(const policy *policy)
{
    const policy_rule *all = NULL;

    for (size_t i = 0; i < policy->rules; i++) {
        int asks = 0;

        for (int fact = 0; fact < POLICY_FACTS; fact++)
            asks |= policy->rule[i].wants[fact] != NULL;
        if (all)
            fprintf(stderr,
                    "topomap policy check: %s:%u: rule '%s' is never reached: rule '%s' in line %u "
                    "fits every step\n",
                    policy->path, policy->rule[i].line, policy->rule[i].name, all->name, all->line);
        if (!asks && !all)
            all = &policy->rule[i];
    }
}

/* What only the planner would find out, at each launch. \return the number of mistakes */
static int check_graphs(const policy *policy)
{
    int mistakes = 0;

    for (size_t i = 0; i < policy->rules; i++) {
        const policy_rule *rule = &policy->rule[i];
        const char *graph = rule->settings.value[TOPOMAP_REQUEST_GRAPH];
        topomap_graph *made = NULL;
        topomap_error err;

        if (graph && *graph == '/' && access(graph, R_OK) != 0) {
            fprintf(stderr, "topomap policy check: %s:%u: warning: rule '%s': %s: %s\n",
                    policy->path, rule->line, rule->name, graph, strerror(errno));
        } else if (graph && *graph != '/' && topomap_graph_read(graph, NULL, &made, &err) != 0) {
            fprintf(stderr, "topomap policy check: %s:%u: rule '%s': %s\n", policy->path,
                    rule->line, rule->name, err.text);
            mistakes++;
        }
        topomap_graph_free(made);
    }
    return mistakes;
}

/* Facts as srun has them; the caller frees the texts with free(). */
static void complete(policy_job *job, char **user, char **groups)
{
    const char *named = job->fact[POLICY_USER], *group = job->fact[POLICY_GROUP];

    *user = user_of(named);
    *groups = group ? group_names(group) : groups_of(named);
    if (*user)
        job->fact[POLICY_USER] = *user;
    if (*groups)
        job->fact[POLICY_GROUP] = *groups;
}

static int answer_job(const cli_call *call, const policy *policy, const policy_job *job,
                      const policy_said *said, const policy_site *site)
{
    struct answer answer = {.policy = policy, .job = job, .rule = policy_find(policy, job)};
    topomap_error err;

    if (policy_settle(said, site, policy, answer.rule, not_understood, &answer.decision, &err))
        return cli_fail(call, &err);
    if (call->options.json)
        print_json(&answer);
    else
        print_text(&answer);
    policy_settings_clear(&answer.decision.settings);
    return CLI_DONE;
}

static int run_check(const cli_call *call)
{
    policy_job job = {{0}};
    policy_said said = {0};
    policy_site site = {0};
    policy policy;
    topomap_error err;
    TOPOMAP_FREED char *user = NULL, *groups = NULL;
    int status = read_job(call, &job, &said, &site);

    if (status)
        return status;
    if (policy_read(call->operand[0], &policy, print_problem, &err))
        return told ? CLI_INPUT : cli_fail(call, &err);
    warn_unreachable(&policy);
    complete(&job, &user, &groups);
    if (check_graphs(&policy))
        status = CLI_INPUT;
    else if (call->options.job || call->options.topomap || call->options.json)
        status = answer_job(call, &policy, &job, &said, &site);
    else
        printf("%s: %zu rule%s\n", policy.path, policy.rules, policy.rules == 1 ? "" : "s");
    policy_clear(&policy);
    return status;
}

static const char policy_text[] =
    "Rules, one a line, in the style of slurm.conf; the first one that fits a step applies:\n"
    "  Rule=NAME [Partition=|Account=|QOS=|User=|Group=|Program=|Mpi=LIST] [Nodes=|Tasks=RANGE]\n"
    "    [Mode=on|off|auto|only-when-asked] [Graph=FILE|Pattern=PATTERN] [Objective=] [Weight=]\n"
    "    [Effort=] [Bind=] [Layout=] [Contiguous=yes|no] [MinGain=PERCENT] [Seed=] [Time=]\n"
    "    [Capacity=measured|FILE] [Keep=GROUP[:LEVEL]] [Pin=RANK:first|RANK:NODE]\n"
    "    [Nic=off|advise|set] [Required=yes|no] [Records=yes|no] [Compare=]\n"
    "    [Force=yes|KEY,...]\n"
    "LIST: names with wildcards, separated by commas; RANGE: 4, 2-16, 64-, -8. Program: the first\n"
    "word of srun's command, without its folder. Mpi: Slurm's plugin of --mpi or MpiDefault, as\n"
    "pmix*, cray_shasta, none. auto: steps whose graph is known, and MPI programs, whose first\n"
    "launch is profiled (Compare=N, 20: one launch in N uses Slurm's layout to measure its time\n"
    "and is profiled again). Users' options win, but over what Force names; TOPOMAP=off and\n"
    "--topomap=off always work. Accounts and QOS fit in capital and small letters. '#' outside\n"
    "quotes begins a comment, '\\' at the end of a line continues it.\n"
    "--job takes what is known of the job, in words: --job partition=batch user=alice nodes=64.\n";

static const cli_option check_options[] = {
    {"job", "FACT=VALUE", TEXT(job),
     "which rule applies to such a job, and why; more facts may follow"},
    {"topomap", "WHAT", TEXT(topomap), "as if srun had --topomap=WHAT"},
    {"topomap-options", "WORDS", TEXT(topomap_options), "as if srun had --topomap-options=WORDS"},
    {"default", "MODE", TEXT(default_mode), "plugstack.conf's default= (only-when-asked)"},
    {CLI_JSON},
    {0},
};

CLI_COMMAND(cli_policy_check, "policy check", "FILE [FACT=VALUE...]",
            "check a site's policy file; ask it about a job", check_options, 1, 1 + POLICY_FACTS,
            run_check, policy_text);
