/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in the folder of a run besides its profile. */
#include "config.h"
#include "plugin/store/store.h"
#include "plugin/store/run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int store_run_write(const char *folder, const char *name, const char *text, size_t size)
{
    TOPOMAP_CLOSED int run = store_folder_own(AT_FDCWD, folder);

    return run < 0 ? -1 : store_file_write(run, name, text, size, 0);
}

char *store_run_read(const char *folder, const char *name, size_t room)
{
    TOPOMAP_CLOSED int run = store_folder_own(AT_FDCWD, folder);
    char *text = run < 0 ? NULL : malloc(room);

    if (text && store_file_read(run, name, text, room))
        return text;
    free(text);
    return NULL;
}

int store_run_join(const char *folder, char path[STORE_PATH])
{
    TOPOMAP_CLOSED int run = store_folder_own(AT_FDCWD, folder);

    return run >= 0 && snprintf(path, STORE_PATH, "%s/%s", folder, STORE_RUN_FILE) < STORE_PATH &&
           (!faccessat(run, STORE_RUN_FILE, F_OK, AT_SYMLINK_NOFOLLOW) ||
            !store_join(run, 0, NULL));
}
