/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/common/report.h"
#include "util/safe_text.h"
#include "util/full_io.h"

#include <fcntl.h>
#include <slurm/spank.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_SIZE = 1024 };

/* Descriptor 2 when Slurm loaded the plugin. Where a user closes it (2>&-), srun's next socket gets
 * its number, and Slurm's logger waits 5 s a line for that socket to take the text
 * (_log_printf in src/common/log.c). */
static struct {
    int checked; /* nonzero in srun, sbatch and salloc; slurmstepd replaces its own on purpose */
    int usable;
    dev_t device;
    ino_t inode;
} standard_error;

/* A descriptor that srun inherited survived an exec, which those that Slurm opens itself rarely
 * do. */
void plugin_report_begin(void)
{
    int flags = fcntl(STDERR_FILENO, F_GETFL), at_exec = fcntl(STDERR_FILENO, F_GETFD);
    struct stat status;

    if (standard_error.checked) /* Slurm may load the plugin again, when it has opened sockets */
        return;
    standard_error.checked = 1;
    standard_error.usable = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
                            !(at_exec & FD_CLOEXEC) && !fstat(STDERR_FILENO, &status);
    if (!standard_error.usable)
        return;
    standard_error.device = status.st_dev;
    standard_error.inode = status.st_ino;
}

static int is_usable(void)
{
    struct stat status;

    return !standard_error.checked ||
           (standard_error.usable && !fstat(STDERR_FILENO, &status) &&
            status.st_dev == standard_error.device && status.st_ino == standard_error.inode);
}

/* Planner's lines and users' words end up here: one line that no terminal obeys, whatever they
 * hold. */
static void format_line(char line[LINE_SIZE], const char *format, va_list args)
{
    vsnprintf(line, LINE_SIZE, format, args);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    topomap_safe_line(line, LINE_SIZE);
}

#define FORMAT(line, format)                                                                       \
    char line[LINE_SIZE];                                                                          \
    va_list args;                                                                                  \
                                                                                                   \
    va_start(args, format);                                                                        \
    format_line(line, format, args);                                                               \
    va_end(args)

void plugin_report_error(const char *format, ...)
{
    FORMAT(line, format);

    if (is_usable())
        slurm_error("topomap: %s", line);
}

void plugin_report_detail(int verbose, const char *format, ...)
{
    FORMAT(line, format);

    if (!is_usable())
        return;
    if (verbose)
        slurm_info("topomap: %s", line);
    else
        slurm_verbose("topomap: %s", line);
}

void plugin_report_node(const char *format, ...)
{
    FORMAT(line, format);

    slurm_spank_log("topomap: %s", line);
}

void plugin_report_text(const char *text, size_t size)
{
    enum { PIECE = 4096 };
    char safe[PIECE * TOPOMAP_SAFE_GROWTH];
    size_t taken, length;

    for (; size && is_usable(); text += taken, size -= taken) {
        length = topomap_safe_text(text, size < PIECE ? size : PIECE, size <= PIECE, safe, &taken);
        topomap_whole_write(STDERR_FILENO, safe, length);
    }
}
