/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/explain.h"
#include "plugin/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int plugin_explain_is_shown(const plugin_explain *explain)
{
    return explain->wanted && !explain->file;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(fd, bytes, size);

        if (done < 0 && errno != EINTR)
            return -1;
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return 0;
}

void plugin_explain_write(const plugin_explain *explain, const char *bytes, size_t size)
{
    int fd = STDERR_FILENO;

    if (explain->file)
        fd = open(explain->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                  0666);
    if ((fd < 0 || write_all(fd, bytes, size)) && explain->file)
        plugin_report_line("--topomap-explain: %s: %s", explain->file, strerror(errno));
    if (explain->file && fd >= 0)
        close(fd);
}

void plugin_explain_reason(const plugin_explain *explain, const char *why)
{
    char *text = NULL;
    int length;

    if (!explain->wanted || !explain->file)
        return;
    length = asprintf(&text, "topomap: %s\n", why);
    if (length < 0)
        return;
    plugin_explain_write(explain, text, (size_t)length);
    free(text);
}
