/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/site.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    gid_t *group =
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
    if (out)
        fclose(out);
    free(group);
    return text;
}

static const char *program_of(spank_t spank)
{
    char **words = NULL;
    int count = 0;
    const char *slash;

    if (spank_get_item(spank, S_JOB_ARGV, &count, &words) || count < 1 || !words || !words[0])
        return NULL;
    slash = strrchr(words[0], '/');
    return slash ? slash + 1 : words[0];
}

static void count_of(spank_t spank, spank_item_t item, char text[16])
{
    uint32_t count;

    if (spank_get_item(spank, item, &count) == ESPANK_SUCCESS)
        snprintf(text, 16, "%u", count);
}

/* srun has put the job's partition, account and QOS into its environment by now. */
const policy_rule *plugin_site_rule(spank_t spank, const policy *policy)
{
    char nodes[16] = "", tasks[16] = "";
    char *user = policy_asks(policy, POLICY_USER) ? user_of(getuid()) : NULL;
    char *groups = policy_asks(policy, POLICY_GROUP) ? groups_of() : NULL;
    const policy_job job = {.fact = {[POLICY_PARTITION] = getenv("SLURM_JOB_PARTITION"),
                                     [POLICY_ACCOUNT] = getenv("SLURM_JOB_ACCOUNT"),
                                     [POLICY_QOS] = getenv("SLURM_JOB_QOS"),
                                     [POLICY_USER] = user,
                                     [POLICY_GROUP] = groups,
                                     [POLICY_PROGRAM] = program_of(spank),
                                     [POLICY_NODES] = nodes,
                                     [POLICY_TASKS] = tasks}};
    const policy_rule *rule;

    count_of(spank, S_JOB_NNODES, nodes);
    count_of(spank, S_JOB_TOTAL_TASK_COUNT, tasks);
    rule = policy_find(policy, &job);
    free(user);
    free(groups);
    return rule;
}
