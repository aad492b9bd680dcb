/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "graph/formats/tmg.h"
#include "plugin/store/store.h"
#include "util/full_io.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What can be known of a profile by its header alone. */
static int check_header(const struct topomap_tmg_header *header, uint64_t size, uint64_t most,
                        topomap_error *err)
{
    if (memcmp(header->magic, TOPOMAP_TMG_MAGIC, sizeof header->magic) != 0 ||
        le64toh(header->size) != size)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no whole profile");
    if (le32toh(header->version) != TOPOMAP_TMG_VERSION)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the run left a profile of format %lu, and this topomap's is %d: "
                                 "the nodes' profiler is of another version",
                                 (unsigned long)le32toh(header->version), TOPOMAP_TMG_VERSION);
    if (size > most)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the profile has %llu bytes, more than the store takes",
                                 (unsigned long long)size);
    return 0;
}

/* Whole, of our format, and as large as the store takes: the planner checks the rest. */
int store_profile_check(int run, uint64_t most, topomap_error *err)
{
    struct topomap_tmg_header header = {.size = 0};
    struct stat status;
    TOPOMAP_CLOSED int fd =
        topomap_untrusted_open(run, STORE_RUN_FILE, O_RDONLY | O_NOFOLLOW, &status);

    if (fd < 0)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no profile");
    if (status.st_uid != geteuid() || read(fd, &header, sizeof header) != sizeof header)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no whole profile");
    return check_header(&header, (uint64_t)status.st_size, most, err);
}

/* The one before stays beside it: whoever looks finds a graph at every moment. */
int store_profile_take(const store *store, int run, const char *key, topomap_error *err)
{
    char name[STORE_KEY + 16], before[STORE_KEY + 16], beside[STORE_BESIDE];
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 1, err);
    int free_name;

    if (profiles < 0)
        return -1;
    snprintf(name, sizeof name, "%s.tmg", key);
    snprintf(before, sizeof before, "%s.old.tmg", key);
    free_name = store_file_make(profiles, name, beside); /* a name that is nobody else's */
    if (free_name >= 0) {
        close(free_name);
        unlinkat(profiles, beside, 0);
    }
    if (free_name >= 0 && !linkat(profiles, name, profiles, beside, 0)) {
        renameat(profiles, beside, profiles, before);
        unlinkat(profiles, beside,
                 0); /* still there where both are links to one file already (rename(2)) */
    }
    if (!renameat(run, STORE_RUN_FILE, profiles, name))
        return 0;
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s/profiles/%s: %s", store->root, name,
                             strerror(errno));
}
