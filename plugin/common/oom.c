/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"

#include <fcntl.h>

#include "util/full_io.h"

void plugin_oom_first(void)
{
    static const char most[] = "1000"; /* proc(5); to raise it takes no privilege */
    TOPOMAP_CLOSED int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (file >= 0)
        (void)topomap_whole_write(file, most, sizeof most - 1);
}
