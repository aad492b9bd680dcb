/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/spool.h"
#include "plan/bindings.h"
#include "util/alloc.h"
#include "util/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CRC = PLUGIN_SPOOL_CRC, PATH_ROOM = PLUGIN_SPOOL_PATH };

/* The step's tasks read the file before srun is told that they run, so it must be whole, and seen
 * by other nodes, when this returns: closed for NFS, synced for the rest. */
static int fill(int fd, const char *path, const char *text, topomap_error *err)
{
    int failed = topomap_whole_write(fd, text, strlen(text)) || fsync(fd), why = errno;

    if (close(fd) && !failed) {
        failed = 1;
        why = errno;
    }
    if (!failed)
        return 0;
    unlink(path);
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot be written: %s", path,
                             strerror(why));
}

int plugin_spool_write(const char *folder, uint32_t job, uint32_t step, const char *text,
                       char **note, topomap_error *err)
{
    char *made = topomap_alloc(PATH_ROOM, 1, err), *path;
    int length, fd;

    if (!made)
        return -1;
    path = made + CRC + 1;
    length = snprintf(made, PATH_ROOM, "%08x %s/topomap-%u.%u-XXXXXX",
                      topomap_crc32(0, text, strlen(text)), folder, job, step);
    if (*folder != '/' || length >= PATH_ROOM)
        topomap_error_set(err, TOPOMAP_EUSAGE, "spool=%.200s: no usable folder", folder);
    else if ((fd = mkostemp(path, O_CLOEXEC)) < 0) /* O_EXCL, mode 0600 */
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.200s: no plan can be put there: %s", folder,
                          strerror(errno));
    else if (!fill(fd, path, text, err)) {
        *note = made;
        return 0;
    }
    free(made);
    return -1;
}

void plugin_spool_remove(const char *note)
{
    if (strlen(note) > CRC + 1 && note[CRC] == ' ' && note[CRC + 1] == '/')
        unlink(note + CRC + 1);
}
