/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"
#include "util/alloc.h"

#include <fcntl.h>
#include <grp.h>
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

/* srun has put the job's partition, account and QOS into its environment, which is ours, and the
 * name of the mpi plugin that it has loaded, MpiDefault's too (plugin/srun/mpi.c). */
const policy_rule *planner_site_rule(const planner_facts *facts, const policy *policy)
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

/* The site's own database: a user's of $TOPOMAP_DB is nobody's switch. */
int planner_site_is_off(const planner_facts *facts, char *path, size_t size)
{
    int length = snprintf(path, size, "%s.off", facts->args.db);

    return length > 0 && (size_t)length < size &&
           !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}
