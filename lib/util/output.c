/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/safe_text.h"

struct topomap_output {
    FILE *file;
    FILE *text;               /* over it: makes what is written safe */
    char *path;               /* for messages; NULL: standard output */
    topomap_publish *publish; /* NULL where it is written to directly */
};

static int system_fail(const char *path, const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot %s: %s", path, what,
                             strerror(errno));
}

/* /dev/stdout is what standard output is, with its place in the file and whether it appends; what
 * else is no regular file is opened, not made. */
static int open_directly(const struct topomap_folder *folder)
{
    if (folder->number >= 0)
        return fcntl(folder->number, F_DUPFD_CLOEXEC, 0);
    return openat(folder->fd, folder->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
}

static int open_descriptor(topomap_output *output, int *fd, topomap_error *err)
{
    struct topomap_folder folder;

    if (topomap_folder_find(output->path, &folder, err))
        return -1;
    if (folder.number < 0 && (!folder.exists || S_ISREG(folder.file.st_mode))) {
        if (topomap_publish_begin_at(output->path, &folder, &output->publish, err))
            return -1;
        /* The stream has a descriptor of its own to close. */
        *fd = fcntl(topomap_publish_fd(output->publish), F_DUPFD_CLOEXEC, 0);
    } else {
        *fd = open_directly(&folder);
        topomap_folder_clear(&folder);
    }
    return *fd < 0 ? system_fail(output->path, "open", err) : 0;
}

/* Standard output has a stream of its own here, exact whatever stdout is. */
static int open_output(topomap_output *output, const char *path, topomap_error *err)
{
    int fd = -1;

    if (!strcmp(path, "-")) {
        path = "standard output";
        fflush(stdout);
        fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            return system_fail(path, "open", err);
    } else {
        output->path = topomap_strdup(path, err);
        if (!output->path || open_descriptor(output, &fd, err))
            return -1;
    }
    output->file = fdopen(fd, "w");
    output->text = output->file ? topomap_safe_stream(output->file) : NULL;
    if (output->text)
        return 0;
    system_fail(path, "write", err);
    if (!output->file)
        close(fd);
    return -1;
}

int topomap_output_open(const char *path, topomap_output **output, topomap_error *err)
{
    topomap_output *made = topomap_alloc(1, sizeof *made, err);

    if (!made)
        return -1;
    if (open_output(made, path, err)) {
        topomap_output_abandon(made);
        return -1;
    }
    *output = made;
    return 0;
}

FILE *topomap_output_file(topomap_output *output)
{
    return output->text;
}

FILE *topomap_output_bytes(topomap_output *output)
{
    return output->file;
}

/* Everything out of the buffers. */
static int finish(topomap_output *output)
{
    int failed = fflush(output->text) || ferror(output->text);
    int keep = errno;

    if (fclose(output->text) && !failed) {
        failed = 1;
        keep = errno;
    }
    output->text = NULL;
    if (!failed && (fflush(output->file) || ferror(output->file))) {
        failed = 1;
        keep = errno;
    }
    if (fclose(output->file) && !failed) {
        failed = 1;
        keep = errno;
    }
    output->file = NULL;
    errno = keep;
    return failed ? -1 : 0;
}

int topomap_output_commit(topomap_output *output, topomap_error *err)
{
    int status = 0;

    if (finish(output)) {
        status = system_fail(output->path ? output->path : "standard output", "write", err);
    } else if (output->publish) {
        status = topomap_publish_commit(output->publish, 0, err);
        output->publish = NULL;
    }
    topomap_output_abandon(output);
    return status;
}

void topomap_output_abandon(topomap_output *output)
{
    if (!output)
        return;
    if (output->text)
        fclose(output->text);
    if (output->file)
        fclose(output->file);
    topomap_publish_abandon(output->publish);
    free(output->path);
    free(output);
}
