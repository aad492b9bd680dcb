/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/policy/settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int one_of(const char *words, const char *value)
{
    size_t length = strlen(value);

    for (const char *word = words; length && *word; word += strcspn(word, " ")) {
        word += *word == ' ';
        if (strcspn(word, " ") == length && !strncmp(word, value, length))
            return 1;
    }
    return 0;
}

/* Digits, and a point where fractions are meant. */
static int is_number(const char *kind, const char *value)
{
    size_t digits = strspn(value, "0123456789");

    if (*kind == 'f' && digits && value[digits] == '.')
        digits += 1 + strspn(value + digits + 1, "0123456789");
    return digits && !value[digits] && digits < 16;
}

static int is_percent(const char *kind, const char *value)
{
    (void)kind;
    return is_number("fraction", value) && strtod(value, NULL) <= 100;
}

/* One of the words, or mix with the share of J in it. */
static int is_objective(const char *words, const char *value)
{
    double share = 0;

    if (strncmp(value, "mix:", 4) != 0)
        return one_of(words, value);
    if (is_number("fraction", value + 4))
        share = strtod(value + 4, NULL);
    return share > 0 && share < 1;
}

static int is_name(const char *kind, const char *value)
{
    (void)kind;
    return *value != 0;
}

/* Steps start in any folder. */
static int is_path(const char *kind, const char *value)
{
    (void)kind;
    return *value == '/';
}

static const policy_key_row rows[POLICY_KEYS] = {
    [POLICY_GRAPH] = {"graph", "Graph", NULL, 0, is_name, "a file or pattern"},
    [POLICY_BIND] = {"bind", "Bind", "core", 0, one_of, "core pu numa none"},
    [POLICY_LAYOUT] = {"layout", "Layout", "spread", 0, one_of, "compact spread"},
    [POLICY_CONTIGUOUS] = {"contiguous", "Contiguous", "0", 1, one_of, "0 1"},
    [POLICY_OBJECTIVE] = {"objective", "Objective", "J", 0, is_objective,
                          "J congestion mix mix:SHARE"},
    [POLICY_EFFORT] = {"effort", "Effort", "fast", 0, one_of, "fast default strong"},
    [POLICY_SEED] = {"seed", "Seed", "1", 0, is_number, "integer"},
    [POLICY_TIME] = {"time", "Time", NULL, 0, is_number, "fraction"},
    [POLICY_MIN_GAIN] = {"min-gain", "MinGain", "0", 0, is_percent, "percent"},
    [POLICY_CAPACITY] = {"capacity", "Capacity", NULL, 0, is_path, "the whole path of a file"},
    [POLICY_REQUIRED] = {"required", "Required", "0", 1, one_of, "0 1"},
    [POLICY_RECORDS] = {"records", "Records", "0", 1, one_of, "0 1"},
    [POLICY_VERBOSE] = {"verbose", NULL, "0", 1, one_of, "0 1"},
    [POLICY_KEY] = {"key", NULL, NULL, 0, is_name, "a name"},
    [POLICY_MPI] = {"mpi", NULL, NULL, 0, one_of, "openmpi mpich mpi-abi"},
    [POLICY_PROFILE] = {"profile", NULL, "0", 1, one_of, "0 1"},
    [POLICY_PROFILE_EVERY] = {"profile-every", "ProfileEvery", "50", 0, is_number, "integer"},
};

const policy_key_row *policy_key(enum policy_key key)
{
    return &rows[key];
}

const char *policy_get(const policy_settings *settings, enum policy_key key)
{
    return settings->value[key] ? settings->value[key] : rows[key].fallback;
}

int policy_flag(const policy_settings *settings, enum policy_key key)
{
    return strcmp(policy_get(settings, key), "1") == 0;
}

int policy_binds(const policy_settings *settings, int own, int paired)
{
    int asked = settings->value[POLICY_BIND] && settings->origin[POLICY_BIND] >= POLICY_BY_JOB;

    return !own && (asked || !paired) && strcmp(policy_get(settings, POLICY_BIND), "none") != 0;
}

int policy_set(policy_settings *settings, enum policy_key key, const char *value,
               enum policy_origin origin)
{
    char *copy;

    if (rows[key].flag && !strcasecmp(value, "yes"))
        value = "1";
    else if (rows[key].flag && !strcasecmp(value, "no"))
        value = "0";
    if (!rows[key].valid(rows[key].what, value))
        return -1;
    copy = strdup(value);
    if (!copy)
        return -1;
    free(settings->value[key]);
    settings->value[key] = copy;
    settings->origin[key] = origin;
    return 0;
}

int policy_settings_add(policy_settings *to, const policy_settings *from)
{
    for (int key = 0; key < POLICY_KEYS; key++)
        if (from->value[key] &&
            policy_set(to, (enum policy_key)key, from->value[key], from->origin[key]))
            return -1;
    return 0;
}

/* One `key=value` or `flag`; 0 where it was understood. The graph is no key: --topomap names it. */
static int read_word(policy_settings *settings, char *word, enum policy_origin origin)
{
    char *equals = strchr(word, '=');
    int status = -1;

    if (equals)
        *equals = 0;
    for (int key = POLICY_GRAPH + 1; key < POLICY_KEYS; key++)
        if (!strcmp(word, rows[key].name) && (equals || rows[key].flag))
            status = policy_set(settings, (enum policy_key)key, equals ? equals + 1 : "1", origin);
    if (equals)
        *equals = '=';
    return status;
}

void policy_settings_read(policy_settings *settings, const char *words, enum policy_origin origin,
                          void (*bad)(const char *word))
{
    char *copy = words ? strdup(words) : NULL, *rest = NULL;

    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word;
         word = strtok_r(NULL, ",", &rest))
        if (read_word(settings, word, origin))
            bad(word);
    free(copy);
}

void policy_settings_clear(policy_settings *settings)
{
    for (int key = 0; key < POLICY_KEYS; key++)
        free(settings->value[key]);
    memset(settings, 0, sizeof *settings);
}
