/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap-node: what a launch needs of files and texts that a user could have forged, or that a
 * file system may never give, in a process of its own. slurmstepd starts it as the user, without
 * privileges, environment or open files (plugin/sandbox), and does not wait for one that
 * hangs. */
#include "config.h"
#include "plugin/helper/helper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "plugin/common/child.h"
#include "util/full_io.h"

static const struct row {
    const char *name;
    int (*run)(void);
} rows[] = {
    {"plan", node_plan_main},
    {"collect", node_collect_main},
};

int main(int argc, char **argv)
{
    if (topomap_standard_files_open())
        return 1;
    if (argc == 2 && !strcmp(argv[1], "--version")) {
        printf("topomap-node %s\n", PACKAGE_VERSION);
        return 0;
    }
    plugin_oom_first();
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; argc == 2 && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(argv[1], rows[i].name) && fcntl(NODE_REPLY_FD, F_GETFD) >= 0)
            return rows[i].run();
    fprintf(stderr, "topomap-node: started by the launch plugin in slurmstepd, with a question on "
                    "standard input and a pipe on file descriptor 3\n");
    return 2;
}
