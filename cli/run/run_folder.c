/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan's file for the launcher, in a private folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "cli/subprocess.h"

enum { FOLDER_MS = 3000 }; /* deadline for creating files in $TMPDIR or /tmp */

static int write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "wxe");
    int failed = !out;

    if (out) {
        failed |= fputs(text, out) < 0;
        failed |= fchmod(fileno(out), 0600) != 0;
        failed |= fclose(out) != 0;
    }
    return failed ? -1 : 0;
}

struct making {
    const char *above, *text;
};

/* The result of make_folder(). */
struct made {
    run_folder folder;
    char why[CLI_WHY];
};

static int make_folder(void *answer, void *with)
{
    const struct making *m = with;
    struct made *made = answer;
    run_folder *f = &made->folder;

    snprintf(f->path, sizeof f->path, "%s/topomap.run.XXXXXX", m->above);
    if (!mkdtemp(f->path)) {
        snprintf(made->why, sizeof made->why, "%s: %s", f->path, strerror(errno));
        return 0;
    }
    snprintf(f->file, sizeof f->file, "%s/ranks", f->path);
    if (write_file(f->file, m->text) == 0)
        return 0;
    snprintf(made->why, sizeof made->why, "%s: %s", f->path, strerror(errno));
    unlink(f->file);
    rmdir(f->path);
    return 0;
}

/* Launchers split options that name files at other characters, and PRRTE 3 at a dash, too. */
static int is_plain(const char *path, int dashes)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./+@%-";

    return *path == '/' && !path[strspn(path, plain)] && (dashes || !strchr(path, '-'));
}

int run_folder_make(run_folder *folder, const char *text, int dashes, char why[CLI_WHY])
{
    struct making m = {.above = getenv("TMPDIR"), .text = text};
    struct made made = {.why = ""};

    if (!m.above || strlen(m.above) > sizeof folder->path - 32 || !is_plain(m.above, dashes))
        m.above = "/tmp";
    if (cli_call_in_child(make_folder, &m, &made, sizeof made, FOLDER_MS) != CLI_CHILD_DONE)
        snprintf(made.why, sizeof made.why, "%.200s: no answer within %d s", m.above,
                 FOLDER_MS / 1000);
    *folder = made.folder;
    if (*made.why)
        snprintf(why, CLI_WHY, "%s", made.why);
    return *made.why ? -1 : 0;
}

static int remove_folder(void *answer, void *with)
{
    const run_folder *folder = with;

    (void)answer;
    unlink(folder->file);
    rmdir(folder->path);
    return 0;
}

void run_folder_remove(const run_folder *folder)
{
    char done = 0;

    (void)cli_call_in_child(remove_folder, (void *)folder, &done, sizeof done, FOLDER_MS);
}
