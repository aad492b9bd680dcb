/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"

#define TRIES 1000

struct topomap_output {
    FILE *file;
    char *path;      /* where it shall appear */
    char *temporary; /* beside it, or NULL where it is written to directly */
};

static int system_fail(const char *path, const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot %s: %s", path, what,
                             strerror(errno));
}

static void output_free(topomap_output *output)
{
    free(output->path);
    free(output->temporary);
    free(output);
}

/* A new file with the mode of the one that it will replace, else the mode that the umask leaves,
 * which mkstemp would not give. */
static int open_temporary(topomap_output *output, const struct stat *old, topomap_error *err)
{
    size_t room = strlen(output->path) + 40;
    int fd = -1;

    output->temporary = topomap_alloc(room, 1, err);
    if (!output->temporary)
        return -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        snprintf(output->temporary, room, "%s.%ld.%d.tmp", output->path, (long)getpid(), i);
        fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return system_fail(output->path, "create a file beside it", err);
    if (!old || !fchmod(fd, old->st_mode & 0777))
        output->file = fdopen(fd, "w");
    if (output->file)
        return 0;
    system_fail(output->path, "write", err);
    close(fd);
    unlink(output->temporary);
    return -1;
}

static int open_output(topomap_output *output, const char *path, topomap_error *err)
{
    char resolved[PATH_MAX];
    struct stat about;
    int exists;

    if (!strcmp(path, "-")) {
        output->file = stdout;
        return 0;
    }
    exists = !stat(path, &about);
    if (exists && S_ISDIR(about.st_mode))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: is a directory", path);
    if (exists && !S_ISREG(about.st_mode)) {
        output->file = fopen(path, "we");
        output->path = topomap_strdup(path, err);
        if (!output->path)
            return -1;
        return output->file ? 0 : system_fail(path, "open", err);
    }
    output->path = topomap_strdup(exists && realpath(path, resolved) ? resolved : path, err);
    return output->path ? open_temporary(output, exists ? &about : NULL, err) : -1;
}

int topomap_output_open(const char *path, topomap_output **output, topomap_error *err)
{
    topomap_output *made = topomap_alloc(1, sizeof *made, err);

    if (!made)
        return -1;
    if (open_output(made, path, err)) {
        if (made->file && made->file != stdout)
            fclose(made->file);
        output_free(made);
        return -1;
    }
    *output = made;
    return 0;
}

FILE *topomap_output_file(topomap_output *output)
{
    return output->file;
}

/* Everything out of the buffers and, for a file of its own, onto the disk. */
static int finish(topomap_output *output)
{
    int failed = fflush(output->file) || ferror(output->file) ||
                 (output->temporary && fsync(fileno(output->file)));
    int keep = errno;

    if (output->file != stdout && fclose(output->file) && !failed) {
        failed = 1;
        keep = errno;
    }
    output->file = NULL;
    errno = keep;
    return failed ? -1 : 0;
}

int topomap_output_commit(topomap_output *output, topomap_error *err)
{
    const char *path = output->path ? output->path : "standard output";
    int status = 0;

    if (finish(output) || (output->temporary && rename(output->temporary, output->path))) {
        status = system_fail(path, "write", err);
        if (output->temporary)
            unlink(output->temporary);
    }
    output_free(output);
    return status;
}

void topomap_output_abandon(topomap_output *output)
{
    if (!output)
        return;
    if (output->file != stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    output_free(output);
}
