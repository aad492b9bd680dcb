/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/full_io.h"

#include <fcntl.h>
#include <unistd.h>

int topomap_standard_files_open(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) < 0 && /* open(2) takes the lowest number that is free */
            open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return -1;
    return 0;
}
