/* SPDX-License-Identifier: BSD-3-Clause */
/* What srun and slurmstepd, or their helpers, decode takes ten milliseconds of processor time at
 * most, whatever is in it. */
#include "config.h"
#include <stdlib.h>
#include <time.h>

#include "fuzz/fuzz.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#undef TOPOMAP_SANITIZED
#define TOPOMAP_SANITIZED 1 /* make fuzz gives clang its flags, not configure its option */
#endif
#endif

/* AddressSanitizer takes several times that. What a fuzzer has kept (fuzz/corpus), the plain
 * build's replay can be given, too. */
#ifdef TOPOMAP_SANITIZED
#define SECONDS_MOST 0.05
#else
#define SECONDS_MOST 0.01
#endif

enum { TRIES = 5 };

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One measurement may have been disturbed, five may not. */
int fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
    for (int i = 0; i < TRIES; i++) {
        double before = cpu_seconds();
        int taken = target->run(target->what, bytes, size);

        if (!target->launch || cpu_seconds() - before < SECONDS_MOST)
            return taken;
    }
    abort();
}
