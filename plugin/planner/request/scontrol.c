/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/request/request.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

#define BLANKS " \t\r\n"
enum { PRINTED = 127 /* characters of CPU_IDs at most, before 25.05 (src/scontrol/info_job.c) */ };

/* ---- Words ------------------------------------------------------------------------------- */

struct word {
    const char *at;
    size_t length;
};

/* The next word of the line, or of the text. */
static int next_word(const char **at, const char *end, struct word *word)
{
    *at += strspn(*at, BLANKS);
    if (*at >= end)
        return 0;
    word->at = *at;
    word->length = strcspn(*at, BLANKS);
    *at += word->length;
    return 1;
}

/* The value, where the word begins with this key; "Key=" is one with a value of no length. */
static const char *value_of(const struct word *word, const char *key, size_t *length)
{
    size_t size = strlen(key);

    if (word->length < size || strncmp(word->at, key, size) != 0)
        return NULL;
    *length = word->length - size;
    return word->at + size;
}

static int has_value(const struct word *word, const char *key, const char *value)
{
    size_t length;
    const char *found = value_of(word, key, &length);

    return found && length == strlen(value) && strncmp(found, value, length) == 0;
}

static int to_number(const char *text, size_t length, uint32_t most, uint32_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        *number = *number * 10 + (uint32_t)(text[i] - '0');
        if (*number > most)
            return -1;
    }
    return length ? 0 : -1;
}

/* The line whose first word is \p key with \p value. Without readline, scontrol prints its prompt
 * where the line begins. */
static const char *find_record(const char *text, const char *key, const char *value,
                               const char **end)
{
    for (const char *line = text; *line; line = **end ? *end + 1 : *end) {
        const char *at = line;
        struct word word = {0};

        *end = line + strcspn(line, "\n");
        while (next_word(&at, *end, &word) && has_value(&word, "scontrol:", ""))
            ;
        if (word.at && has_value(&word, key, value))
            return line;
    }
    return NULL;
}

/* ---- Nodes ------------------------------------------------------------------------------- */

static void read_count(const struct word *word, const char *key, uint32_t *count)
{
    size_t length;
    const char *value = value_of(word, key, &length);

    if (value && to_number(value, length, 1 << 20, count) != 0)
        *count = 0;
}

planner_slurm_node planner_scontrol_node(const char *text, const char *name)
{
    uint32_t sockets = 0, of_socket = 0, threads = 0;
    const char *end, *at = find_record(text, "NodeName=", name, &end);
    struct word word;

    if (!at)
        return (planner_slurm_node){0, 1};
    while (next_word(&at, end, &word)) {
        read_count(&word, "Sockets=", &sockets);
        read_count(&word, "CoresPerSocket=", &of_socket);
        read_count(&word, "ThreadsPerCore=", &threads);
    }
    if (!sockets || !of_socket || !threads || of_socket > UINT32_MAX / sockets)
        return (planner_slurm_node){0, 1};
    return (planner_slurm_node){sockets * of_socket, threads};
}

/* ---- Jobs -------------------------------------------------------------------------------- */

/* \param room  of the job's three arrays */
static int add_name(planner_slurm_job *job, size_t *room, char **name, const char *cpus,
                    topomap_error *err)
{
    topomap_names *names = &job->names;
    size_t need = names->count + 1;

    if (topomap_grow_beside(&job->cpus, *room, need, sizeof *job->cpus, err) != 0 ||
        topomap_grow_beside(&job->gres, *room, need, sizeof *job->gres, err) != 0 ||
        topomap_grow(&names->name, room, need, sizeof *names->name, err) != 0)
        return -1;
    job->gres[names->count] = "";
    job->cpus[names->count] = cpus;
    names->name[names->count++] = *name;
    *name = NULL;
    return 0;
}

/* Nodes that have the same. */
static int add_group(planner_slurm_job *job, size_t *room, const char *list, size_t length,
                     const char *cpus, topomap_error *err)
{
    TOPOMAP_FREED char *text = topomap_strndup(list, length, err);
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};

    if (!text || topomap_hostlist_expand(text, 0, &names, err) != 0)
        return -1;
    for (size_t i = 0; i < names.count; i++)
        if (add_name(job, room, &names.name[i], cpus, err) != 0)
            return -1;
    return 0;
}

int planner_scontrol_job(const char *text, uint32_t id, planner_slurm_job *job, topomap_error *err)
{
    char number[16];
    const char *end, *at, *nodes = NULL, *cpus, *gres;
    struct word word;
    size_t length = 0, cpus_length, gres_length, group = 0, room = 0;
    int status = 0;

    *job = (planner_slurm_job){0};
    snprintf(number, sizeof number, "%u", id);
    at = find_record(text, "JobId=", number, &end);
    if (!at)
        return topomap_error_set(err, TOPOMAP_EINPUT, "scontrol does not know job %u", id);
    while (status == 0 && next_word(&at, end, &word)) {
        cpus = nodes ? value_of(&word, "CPU_IDs=", &cpus_length) : NULL;
        if (cpus && cpus_length == PRINTED)
            status = topomap_error_set(err, TOPOMAP_EINPUT,
                                       "scontrol may have cut a list of CPUs short");
        else if (cpus) {
            group = job->names.count;
            status = add_group(job, &room, nodes, length, cpus, err);
        }
        gres = value_of(&word, "GRES=", &gres_length); /* behind the CPUs of the same nodes */
        for (; gres && group < job->names.count; group++)
            job->gres[group] = gres;
        nodes = value_of(&word, "Nodes=", &length);
    }
    if (status == 0 && !job->names.count)
        status = topomap_error_set(err, TOPOMAP_EINPUT, "scontrol tells no CPUs of job %u", id);
    if (status != 0)
        planner_slurm_job_clear(job);
    return status;
}

void planner_slurm_job_clear(planner_slurm_job *job)
{
    topomap_names_clear(&job->names);
    free(job->cpus);
    free(job->gres);
    *job = (planner_slurm_job){0};
}

/* ---- CPUs -------------------------------------------------------------------------------- */

/* "3" or "3-4" from *at on. */
static int read_range(const char **at, uint32_t *low, uint32_t *high)
{
    enum { CPU_MOST = 1 << 20 };
    size_t digits = strspn(*at, "0123456789");

    if (to_number(*at, digits, CPU_MOST, low) != 0)
        return -1;
    *at += digits;
    *high = *low;
    if (**at != '-')
        return 0;
    digits = strspn(++*at, "0123456789");
    if (to_number(*at, digits, CPU_MOST, high) != 0 || *high < *low)
        return -1;
    *at += digits;
    return 0;
}

int planner_scontrol_cores(const char *cpus, uint32_t threads, uint32_t cores, uint32_t *core,
                           uint32_t *count)
{
    const char *end = cpus + strcspn(cpus, BLANKS);
    uint32_t low, high, least = 0;

    *count = 0;
    for (;; cpus++) {
        if (read_range(&cpus, &low, &high) != 0 || low < least || low % threads ||
            (high + 1) % threads || high / threads >= cores)
            return -1;
        for (uint32_t c = low / threads; c <= high / threads; c++)
            core[(*count)++] = c;
        least = high + 1;
        if (cpus == end)
            return 0;
        if (*cpus != ',')
            return -1;
    }
}

/* ---- GPUs -------------------------------------------------------------------------------- */

static int add_list(const char *at, uint32_t *gpu, uint32_t room, uint32_t *count)
{
    for (uint32_t low, high;; at++) {
        if (read_range(&at, &low, &high) != 0 || high - low >= room - *count)
            return -1;
        for (uint32_t i = low; i <= high; i++)
            gpu[(*count)++] = i;
        if (*at != ',')
            return *at == ')' ? 0 : -1;
    }
}

/* "gpu", "gpu:a100", with a count of 0 or with "(IDX:...)"; \p length  up to its parenthesis */
static int is_none(const char *item, size_t length)
{
    return length > 2 && item[length - 1] == '0' && item[length - 2] == ':';
}

int planner_scontrol_gpus(const char *gres, uint32_t *gpu, uint32_t room, uint32_t *count)
{
    static const char indices[] = "(IDX:";
    const char *end = gres + strcspn(gres, BLANKS);

    *count = 0;
    while (gres < end) {
        size_t length = strcspn(gres, "(," BLANKS);
        const char *list = gres + length;

        if (!strncmp(gres, "gpu", 3) && (gres[3] == ':' || length == 3) && !is_none(gres, length) &&
            (strncmp(list, indices, sizeof indices - 1) ||
             add_list(list + sizeof indices - 1, gpu, room, count)))
            return -1;
        gres = list + (*list == '(' ? strcspn(list, ")" BLANKS) : 0);
        gres += gres < end && *gres == ')';
        gres += gres < end && *gres == ',';
    }
    qsort(gpu, *count, sizeof *gpu, topomap_by_u32);
    for (uint32_t i = 1; i < *count; i++)
        if (gpu[i] == gpu[i - 1])
            return -1;
    return 0;
}
