/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "request/request.h"

#include <stddef.h>
#include <strings.h>

static int is_one_of(const char *value, const char *const *words)
{
    for (; value && *words; words++)
        if (!strcasecmp(value, *words))
            return 1;
    return 0;
}

int topomap_request_means_off(const char *word)
{
    return is_one_of(word, (const char *const[]){"off", "no", "0", "false", NULL});
}

int topomap_request_means_on(const char *word)
{
    return is_one_of(word, (const char *const[]){"on", "yes", "1", "true", "auto", NULL});
}
