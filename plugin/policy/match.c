/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/policy/policy.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(char *text, size_t size, const char *format, ...) TOPOMAP_PRINTF(3, 4);

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* "4", "2-16", "64-", "-8" (read.c has checked the form). */
static int in_range(const char *range, const char *count)
{
    unsigned long long number = strtoull(count, NULL, 10), low, high;
    const char *dash = strchr(range, '-');

    low = strtoull(range, NULL, 10);
    if (dash == range)
        low = 0;
    high = !dash ? low : dash[1] ? strtoull(dash + 1, NULL, 10) : UINT32_MAX;
    return number >= low && number <= high;
}

/* Does one of the names, separated by commas, fit one of the patterns? */
static int one_fits(const char *patterns, const char *names, int flags)
{
    char pattern[256], name[256];

    for (; *patterns; patterns += strcspn(patterns, ","), patterns += *patterns == ',') {
        snprintf(pattern, sizeof pattern, "%.*s", (int)strcspn(patterns, ","), patterns);
        for (const char *n = names; *n; n += strcspn(n, ","), n += *n == ',') {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(n, ","), n);
            if (!fnmatch(pattern, name, flags))
                return 1;
        }
    }
    return 0;
}

/* Slurm makes accounts and QOS small letters, however they were written. */
static int fits(enum policy_fact fact, const char *wants, const char *has)
{
    int flags = fact == POLICY_ACCOUNT || fact == POLICY_QOS ? FNM_CASEFOLD : 0;

    return fact == POLICY_NODES || fact == POLICY_TASKS ? in_range(wants, has)
                                                        : one_fits(wants, has, flags);
}

int policy_rule_fits(const policy_rule *rule, const policy_job *job, char *why, size_t size)
{
    *why = 0;
    for (int fact = 0; fact < POLICY_FACTS; fact++) {
        const char *wants = rule->wants[fact], *has = job->fact[fact];
        const char *name = policy_fact_name((enum policy_fact)fact);

        if (!wants)
            continue;
        if (!has || !*has) {
            snprintf(why, size, "%s is not known, it wants %s", name, wants);
            return 0;
        }
        if (!fits((enum policy_fact)fact, wants, has)) {
            snprintf(why, size, "%s is %s, it wants %s", name, has, wants);
            return 0;
        }
        append(why, size, "%s%s %s fits %s", *why ? ", " : "", name, has, wants);
    }
    if (!*why)
        snprintf(why, size, "it fits every step");
    return 1;
}

const policy_rule *policy_find(const policy *policy, const policy_job *job)
{
    char why[512];

    for (size_t i = 0; i < policy->rules; i++)
        if (policy_rule_fits(&policy->rule[i], job, why, sizeof why))
            return &policy->rule[i];
    return NULL;
}

int policy_asks(const policy *policy, enum policy_fact fact)
{
    for (size_t i = 0; i < policy->rules; i++)
        if (policy->rule[i].wants[fact])
            return 1;
    return 0;
}
