/* SPDX-License-Identifier: BSD-3-Clause */
/* What help and the manual pages say beyond a command's line and its options. */
#include <string.h>

#include "cli/cli.h"

static const struct {
    const char *command, *text;
} texts[] = {
    {"db calibrate", cli_calibrate_text},
    {"db distance", cli_distance_text},
    {"db synth", cli_synth_text},
    {"doctor", cli_doctor_text},
    {"graph generate", cli_pattern_text},
    {"map", cli_map_text},
    {"policy check", cli_policy_text},
    {"profile list", cli_profile_text},
    {"why", cli_why_text},
};

const char *cli_text(const cli_command *command)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].command, command->name) == 0)
            return texts[i].text;
    return NULL;
}
