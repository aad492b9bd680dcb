/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/policy/policy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *policy_get(const policy_settings *settings, enum topomap_request_key key)
{
    return settings->value[key] ? settings->value[key] : topomap_request_row_of(key)->fallback;
}

int policy_flag(const policy_settings *settings, enum topomap_request_key key)
{
    return strcmp(policy_get(settings, key), "1") == 0;
}

int policy_binds(const policy_settings *settings, int own, int paired)
{
    int asked = settings->value[TOPOMAP_REQUEST_BIND] &&
                settings->origin[TOPOMAP_REQUEST_BIND] >= POLICY_BY_JOB;

    return !own && (asked || !paired) &&
           strcmp(policy_get(settings, TOPOMAP_REQUEST_BIND), "none") != 0;
}

int policy_set(policy_settings *settings, enum topomap_request_key key, const char *value,
               enum policy_origin origin)
{
    int flag = topomap_request_row_of(key)->flag;
    char *copy;

    if (flag && !strcasecmp(value, "yes"))
        value = "1";
    else if (flag && !strcasecmp(value, "no"))
        value = "0";
    copy = topomap_request_fits(key, value) ? strdup(value) : NULL;
    if (!copy)
        return -1;
    free(settings->value[key]);
    settings->value[key] = copy;
    settings->origin[key] = origin;
    return 0;
}

int policy_settings_add(policy_settings *to, const policy_settings *from)
{
    for (int key = 0; key < TOPOMAP_REQUEST_SETTINGS; key++)
        if (from->value[key] &&
            policy_set(to, (enum topomap_request_key)key, from->value[key], from->origin[key]))
            return -1;
    return 0;
}

/* The key that a word begins with, or that it is; TOPOMAP_REQUEST_SETTINGS: none */
static enum topomap_request_key key_of(const char *word)
{
    size_t length = strcspn(word, "=");
    int key = TOPOMAP_REQUEST_GRAPH + 1;

    for (; key < TOPOMAP_REQUEST_SETTINGS; key++) {
        const char *own = topomap_request_row_of((enum topomap_request_key)key)->word;

        if (strlen(own) == length && !strncmp(own, word, length))
            break;
    }
    return (enum topomap_request_key)key;
}

/* One `key=value` or `flag`; 0 where it was understood. The graph is no key: --topomap names it. */
static int read_word(policy_settings *settings, const char *word, enum policy_origin origin)
{
    enum topomap_request_key key = key_of(word);
    const char *equals = strchr(word, '=');

    if (key == TOPOMAP_REQUEST_SETTINGS || (!equals && !topomap_request_row_of(key)->flag))
        return -1;
    return policy_set(settings, key, equals ? equals + 1 : "1", origin);
}

void policy_settings_expected(const char *word, char *text, size_t size)
{
    enum topomap_request_key key = key_of(word);
    size_t used = 0;
    char takes[160];

    if (key != TOPOMAP_REQUEST_SETTINGS) {
        topomap_request_takes(key, takes, sizeof takes);
        snprintf(text, size, "%s takes %s", topomap_request_row_of(key)->word, takes);
        return;
    }
    used = (size_t)snprintf(text, size, "there is no such key; the keys are");
    for (int k = TOPOMAP_REQUEST_GRAPH + 1; k < TOPOMAP_REQUEST_SETTINGS && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s %s",
                                 k == TOPOMAP_REQUEST_GRAPH + 1 ? "" : ",",
                                 topomap_request_row_of((enum topomap_request_key)k)->word);
}

void policy_settings_read(policy_settings *settings, const char *words, enum policy_origin origin,
                          void (*bad)(const char *word))
{
    char *copy = words ? strdup(words) : NULL, *rest = NULL;

    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word;
         word = strtok_r(NULL, ",", &rest))
        if (read_word(settings, word, origin) && bad)
            bad(word);
    free(copy);
}

void policy_settings_clear(policy_settings *settings)
{
    for (int key = 0; key < TOPOMAP_REQUEST_SETTINGS; key++)
        free(settings->value[key]);
    memset(settings, 0, sizeof *settings);
}
