/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/json.h"

#include "cli/cli.h"

int cli_json(FILE *out, json_t *value, size_t flags)
{
    size_t how = flags & JSON_COMPACT ? flags : flags | JSON_INDENT(2);
    int failed = !value || json_dumpf(value, out, JSON_ENSURE_ASCII | how);

    fputc('\n', out);
    json_decref(value);
    return failed ? CLI_FAILED : CLI_DONE;
}
