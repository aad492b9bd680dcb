/* SPDX-License-Identifier: BSD-3-Clause */
/* What the plugin and the planner read of each other (plugin/protocol.md), and the command line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "plan/bindings.h"
#include "plugin/common/ranks.h"
#include "plugin/common/reply.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/policy/policy.h"
#include "plugin/srun/srun.h"

int fuzz_request(const void *what, const uint8_t *bytes, size_t size)
{
    FILE *in = size ? fmemopen((void *)(uintptr_t)bytes, size, "r") : NULL;
    planner_request request;
    topomap_error err;
    int taken;

    (void)what;
    if (!in)
        return 0;
    taken = planner_request_read(in, &request, &err) == 0;
    if (taken) {
        if (!request.asked.db || !request.nodes.count)
            abort();
        planner_request_clear(&request);
    }
    fclose(in);
    return taken;
}

/* The bytes, and a reply that is right. */
int fuzz_record(const void *what, const uint8_t *bytes, size_t size)
{
    static const char reply[] = "topomap-reply 1\nstatus unchanged\nline \nquiet 0\nlayout 0-3\n";
    char *text = malloc(size + sizeof reply + 16);
    planner_record record;
    topomap_error err;
    int taken;

    (void)what;
    if (!text)
        abort();
    if (size)
        memcpy(text, bytes, size);
    sprintf(text + size, "%send %08x\n", reply, topomap_crc32(0, reply, sizeof reply - 1));
    taken = planner_record_read(fuzz_file((const uint8_t *)text, size + strlen(text + size)),
                                &record, &err) == 0;
    if (taken) {
        if (!record.request.asked.db || !record.reply.layout || strlen(record.version) > 31)
            abort();
        planner_record_clear(&record);
    }
    free(text);
    return taken;
}

/* Lists of cores ascend, and are as many as the nodes. */
int fuzz_cores(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    topomap_cores cores;
    topomap_error err;
    int taken = 0;

    (void)what;
    for (uint32_t nodes = 1; nodes < 5; nodes++) {
        if (topomap_cores_parse(text, nodes, &cores, &err) != 0)
            continue;
        taken = 1;
        if (cores.nodes != nodes || cores.first[0])
            abort();
        for (uint32_t node = 0; node < nodes; node++)
            for (uint32_t i = cores.first[node]; i < cores.first[node + 1]; i++)
                if (cores.core[i] >= 8192 ||
                    (i > cores.first[node] && cores.core[i] <= cores.core[i - 1]))
                    abort();
        topomap_cores_clear(&cores);
    }
    free(text);
    return taken;
}

/* What the plugin does with a reply that it believes. */
static void use_reply(const plugin_reply *reply)
{
    uint32_t first[] = {0, 4, 8, 10}, id[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    plugin_ranks like = {3, 10, first, id}, ranks;
    topomap_error err;

    if (reply->layout && plugin_ranks_parse(reply->layout, &like, &ranks, &err) == 0) {
        if (plugin_ranks_check(&ranks, &err))
            abort();
        plugin_ranks_clear(&ranks);
    }
    if (reply->bindings)
        topomap_bindings_check(reply->bindings, 17, 0, 3, first, &err);
    for (size_t i = 0; i < reply->explain_size; i++)
        *(volatile const char *)&reply->explain[i];
    if (strlen(reply->line) > SIZE_MAX / 2)
        abort();
}

/* The bytes between the right first line and the right checksum. */
int fuzz_reply(const void *what, const uint8_t *bytes, size_t size)
{
    static const char head[] = "topomap-reply 1\n";
    enum { HEAD = sizeof head - 1, END = 13 };
    char *text = malloc(HEAD + size + END + 1);
    plugin_reply reply;
    topomap_error err;
    int taken;

    (void)what;
    if (!text)
        abort();
    memcpy(text, head, HEAD);
    if (size)
        memcpy(text + HEAD, bytes, size);
    sprintf(text + HEAD + size, "end %08x\n", topomap_crc32(0, text, HEAD + size));
    taken = plugin_reply_read(text, HEAD + size + END, &reply, &err) == 0;
    if (taken)
        use_reply(&reply);
    free(text);
    return taken;
}

static void pass_over(const char *word)
{
    if (strlen(word) > 1 << 20)
        abort();
}

/* A policy file, asked about some steps; its first rule's name is --topomap-options, too. */
int fuzz_policy(const void *what, const uint8_t *bytes, size_t size)
{
    static const policy_job jobs[] = {
        {{0}}, {{"debug", "bio", "high", "alice,1001", "staff,users", "solver.x", "64", "1536"}}};
    const policy_said said = {.step = "ring:4", .environment_graph = "/g"};
    const policy_site site = {.mode = POLICY_ON};
    policy policy;
    policy_decision decision;
    topomap_error err;

    (void)what;
    if (policy_read(fuzz_file(bytes, size), &policy, NULL, &err))
        return 0;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const policy_rule *rule = policy_find(&policy, &jobs[i]);
        policy_said options = said;

        if (policy.rules)
            options.job_options = policy.rule[0].name;
        if (policy_settle(&options, &site, &policy, rule, pass_over, &decision, &err))
            abort();
        for (int key = 0; key < TOPOMAP_REQUEST_SETTINGS; key++)
            if (rule && rule->force & 1u << key &&
                strcmp(policy_get(&decision.settings, (enum topomap_request_key)key),
                       rule->settings.value[key]) != 0)
                abort();
        if (!memchr(decision.why, 0, sizeof decision.why))
            abort();
        policy_settings_clear(&decision.settings);
    }
    policy_clear(&policy);
    return 1;
}

static void see_word(int index, const plugin_option_word *option, void *context)
{
    char **words = context;

    if (option->words < 1 || option->words > 2 || !words[index] || strlen(option->name) > 1000 ||
        (option->value && strlen(option->value) > 100000))
        abort();
}

/* Words between newlines. */
int fuzz_words(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), *keep;
    char *words[64];
    int count = 0;

    (void)what;
    for (char *at = strtok_r(text, "\n", &keep); at && count < 63; at = strtok_r(NULL, "\n", &keep))
        words[count++] = at;
    words[count] = NULL;
    for (int program = PLUGIN_SRUN; count && program <= PLUGIN_SBATCH; program++)
        plugin_command_line_scan((enum plugin_program)program, count, words, see_word, words);
    if (count)
        plugin_command_line_program(words[0]);
    free(text);
    return count > 0;
}
