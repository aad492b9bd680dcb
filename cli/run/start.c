/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher: with our input and output, and with what signals we get. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/apart.h"
#include "cli/run/run.h"

enum { FOLDER_MS = 3000 }; /* where files are made in none of it, there are none */

/* ---- Files --------------------------------------------------------------------------------- */

static int write_file(const char *path, const char *text, mode_t mode)
{
    FILE *out = fopen(path, "wxe");
    int failed = !out;

    if (out) {
        failed |= fputs(text, out) < 0;
        failed |= fchmod(fileno(out), mode) != 0;
        failed |= fclose(out) != 0;
    }
    return failed ? -1 : 0;
}

/* What ssh is to hydra, whose own launcher for Slurm takes no host twice: steps beside each other,
 * which are not placed themselves. */
static const char shell_text[] = "#!/bin/sh\n"
                                 "while case $1 in -*) true ;; *) false ;; esac; do shift; done\n"
                                 "host=$1\n"
                                 "shift\n"
                                 "TOPOMAP=off exec srun --overlap --mpi=none -Q -N1 -n1 -w "
                                 "\"$host\" --input none sh -c \"$*\"\n";

struct making {
    const char *above, *text;
    int shell;
};

/* What comes of it. */
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
    snprintf(f->shell, sizeof f->shell, "%s/shell", f->path);
    if (write_file(f->file, m->text, 0600) == 0 &&
        (!m->shell || write_file(f->shell, shell_text, 0700) == 0))
        return 0;
    snprintf(made->why, sizeof made->why, "%s: %s", f->path, strerror(errno));
    unlink(f->file);
    unlink(f->shell);
    rmdir(f->path);
    return 0;
}

int run_folder_make(run_folder *folder, const char *text, int shell, int dashes, char why[CLI_WHY])
{
    struct making m = {.above = getenv("TMPDIR"), .text = text, .shell = shell};
    struct made made = {.why = ""};

    if (!m.above || *m.above != '/' || strlen(m.above) > sizeof folder->path - 32 ||
        (!dashes && strchr(m.above, '-')))
        m.above = "/tmp";
    if (cli_apart(make_folder, &m, &made, sizeof made, FOLDER_MS) != CLI_APART_DONE)
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
    unlink(folder->shell);
    rmdir(folder->path);
    return 0;
}

void run_folder_remove(const run_folder *folder)
{
    char done = 0;

    (void)cli_apart(remove_folder, (void *)folder, &done, sizeof done, FOLDER_MS);
}

/* ---- The process ------------------------------------------------------------------------------
 */

static const int handed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
enum { HANDED = sizeof handed / sizeof *handed };
static volatile pid_t launcher;
static struct sigaction before[HANDED];

/* What the terminal's keys send, the kernel sends to the launcher, too: twice is another thing to
 * it than once. */
static void hand_on(int number, siginfo_t *from, void *context)
{
    int keep = errno;

    (void)context;
    if (launcher > 0 && from->si_code != SI_KERNEL)
        kill(launcher, number);
    errno = keep;
}

/* Those that whoever started us ignores stay ignored, in the launcher, too. */
static void take_signals(void)
{
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART};

    for (int i = 0; i < HANDED; i++)
        if (sigaction(handed[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(handed[i], &action, NULL);
}

/* The number may be another process's from then on, and a signal is for us. */
static void give_signals_back(void)
{
    launcher = 0;
    for (int i = 0; i < HANDED; i++)
        if (before[i].sa_handler != SIG_IGN)
            sigaction(handed[i], &before[i], NULL);
}

/* Handlers of ours end at exec. Blocked until the number of the process is known. */
static pid_t start(char *const *command)
{
    sigset_t all, old;
    pid_t pid;

    fflush(stdout);
    fflush(stderr);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        execvp(command[0], command);
        dprintf(STDERR_FILENO, "topomap run: %s: %s\n", command[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    launcher = pid;
    take_signals();
    sigprocmask(SIG_SETMASK, &old, NULL);
    return pid;
}

int run_start(char *const *command)
{
    pid_t pid = start(command);
    int status = 0;
    siginfo_t ended;

    if (pid < 0) { /* no process beside ours: ours then, and what it has been given stays */
        execvp(command[0], command);
        fprintf(stderr, "topomap run: %s: %s\n", command[0], strerror(errno));
        return W_EXITCODE(errno == ENOENT ? 127 : 126, 0);
    }
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    give_signals_back();
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

int run_finish(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
