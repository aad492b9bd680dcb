/* SPDX-License-Identifier: BSD-3-Clause */
/* One target, named by the variable FUZZ_TARGET, for libFuzzer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_TARGET");

    (void)argc;
    (void)argv;
    for (target = fuzz_targets(); target->run; target++)
        if (name && strcmp(target->name, name) == 0)
            return 0;
    fputs("FUZZ_TARGET must name one of the targets (replay --list)\n", stderr);
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_run(target, bytes, size);
    return 0;
}
