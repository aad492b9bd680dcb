/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the messages that a thread adds while it makes a persistent request, for that request. */
#include <stdlib.h>

#include "profile.h"
#include "table.h"

/* Every message reads this. The library is loaded at the program's start, so that the fast
 * initial-exec model may be used. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    int on;
    profile_message *message;
    uint32_t count, size;
} capture;

void profile_capture(void)
{
    capture.on = 1;
    capture.count = 0;
}

int profile_captured(uint32_t record, uint64_t bytes, uint64_t messages)
{
    if (!capture.on)
        return 0;
    if (profile_grow(&capture.message, &capture.size, capture.count, sizeof *capture.message))
        capture.message[capture.count++] = (profile_message){record, bytes, messages};
    return 1;
}

profile_message *profile_capture_end(uint32_t *count)
{
    profile_message *own = NULL;

    capture.on = 0;
    *count = capture.count;
    if (capture.count) {
        own = realloc(capture.message, capture.count * sizeof *own);
        capture.message = NULL;
        capture.size = 0;
    }
    return own;
}
