/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher's process: it has our input and output, and gets each signal once, as if it had been
 * started in our place.
 *
 * It is in our process group, so that it keeps the terminal. Whoever signals the group, or all
 * processes of the job (scancel --full), therefore reaches it as well as us, and siginfo does not
 * tell that apart from a signal to us alone. A third process of the group, the witness, does: a
 * signal that it gets, too, has reached the launcher. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "util/clock.h"

/* The witness may receive a shared signal up to LATER_MS later or EARLIER_MS earlier than we do. */
enum { LATER_MS = 300, EARLIER_MS = 2000, STEP_US = 1000 };

static const int passed_on[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                                SIGALRM, SIGTSTP, SIGCONT, SIGTTIN, SIGTTOU};

/* Per signal: how many the witness has received, and when the last one. */
struct receipt {
    atomic_uint count;
    atomic_llong ms; /* of topomap_clock_ms() */
};

struct witness {
    pid_t pid;
    struct receipt *got; /* [NSIG], shared */
    unsigned seen[NSIG]; /* how many of these were compared with ours */
};

static void signals_of(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(set, passed_on[i]);
    sigaddset(set, SIGCHLD);
}

/* Without a witness, each signal counts as one to us alone. */
static void start_witness(struct witness *w, const sigset_t *set)
{
    pid_t parent = getpid();
    int number;

    w->got = mmap(NULL, NSIG * sizeof *w->got, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                  -1, 0);
    w->pid = w->got == MAP_FAILED ? -1 : fork();
    if (w->pid)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (;;)
        if (sigwait(set, &number) == 0) {
            w->got[number].ms = topomap_clock_ms();
            w->got[number].count++;
        }
}

static void end_witness(struct witness *w)
{
    if (w->pid > 0) {
        kill(w->pid, SIGKILL);
        waitpid(w->pid, NULL, 0);
    }
    if (w->got != MAP_FAILED)
        munmap(w->got, NSIG * sizeof *w->got);
}

static int has_seen(struct witness *w, int number)
{
    const struct receipt *got = &w->got[number];
    int64_t now = topomap_clock_ms();

    while (w->pid > 0) {
        if (got->count != w->seen[number]) {
            w->seen[number] = got->count;
            if (got->ms >= now - EARLIER_MS)
                return 1;
        }
        if (topomap_clock_ms() >= now + LATER_MS)
            return 0;
        topomap_clock_sleep(STEP_US);
    }
    return 0;
}

/* A signal by the terminal's keys (si_code SI_KERNEL) has already reached the whole group. */
static void pass_on(struct witness *w, pid_t launcher, const siginfo_t *signal)
{
    int seen = has_seen(w, signal->si_signo);

    if (!seen && signal->si_code != SI_KERNEL)
        kill(launcher, signal->si_signo);
}

/* We stop when the launcher does, by the same signal, and whoever started us sees that. */
static void stop_as(int number)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, before;
    sigset_t set;

    if (number != SIGSTOP)
        sigaction(number, &usual, &before);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* stops here */
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (number != SIGSTOP)
        sigaction(number, &before, NULL);
}

/* Returns nonzero if the launcher has ended. */
static int look_at(pid_t launcher)
{
    siginfo_t state = {.si_pid = 0};

    while (waitid(P_PID, (id_t)launcher, &state, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           state.si_pid) {
        if (state.si_code != CLD_STOPPED)
            return 1;
        waitid(P_PID, (id_t)launcher, &state, WSTOPPED | WNOHANG);
        stop_as(state.si_status);
        state.si_pid = 0;
    }
    return 0;
}

static int wait_for(pid_t launcher, struct witness *w, const sigset_t *set)
{
    siginfo_t signal;
    int status = 0;

    while (!look_at(launcher)) {
        if (sigwaitinfo(set, &signal) > 0 && signal.si_signo != SIGCHLD)
            pass_on(w, launcher, &signal);
    }
    while (waitpid(launcher, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static int not_started(char *const *command)
{
    dprintf(STDERR_FILENO, "topomap run: %s: %s\n", command[0], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

int run_start(char *const *command)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, child;
    struct witness witness = {.pid = -1};
    sigset_t set, before;
    int status;
    pid_t pid;

    fflush(stdout);
    fflush(stderr);
    signals_of(&set);
    sigaction(SIGCHLD, &usual, &child);
    sigprocmask(SIG_BLOCK, &set, &before);
    start_witness(&witness, &set);
    pid = fork();
    if (pid <= 0) { /* if there can be no process beside ours, ours becomes the launcher */
        if (pid < 0)
            end_witness(&witness);
        sigaction(SIGCHLD, &child, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(command[0], command);
        status = not_started(command);
        if (pid == 0)
            _exit(status);
        return W_EXITCODE(status, 0);
    }
    status = wait_for(pid, &witness, &set);
    end_witness(&witness);
    sigaction(SIGCHLD, &child, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
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
