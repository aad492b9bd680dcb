/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal handlers and process limits: a command that is interrupted leaves no partial file
 * (lib/util/output.h). The library leaves both alone. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "util/output.h"

enum { DESCRIPTORS = 1024, STACK_WANTED = 8 << 20, STACK_LEAST = 512 << 10 };

/* "/proc/self/fd/N", without snprintf, which a signal handler must not call. */
static void descriptor_path(char *text, int fd)
{
    char digits[12];
    size_t count = 0, at = strlen(strcpy(text, "/proc/self/fd/"));

    do
        digits[count++] = (char)('0' + fd % 10);
    while (fd /= 10);
    while (count)
        text[at++] = digits[--count];
    text[at] = '\0';
}

/* Our unfinished files are among our descriptors, and known by the ending of their names. */
static void remove_unfinished(void)
{
    static const char ending[] = TOPOMAP_PUBLISH_ENDING;

    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
        char itself[40], name[4096];
        ssize_t size;

        if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDWR)
            continue;
        descriptor_path(itself, fd);
        size = readlink(itself, name, sizeof name - 1);
        if (size < (ssize_t)sizeof ending)
            continue;
        name[size] = '\0';
        if (!strcmp(name + size - (sizeof ending - 1), ending))
            unlink(name);
    }
}

/* Dies of the signal, so that who waits for us sees it. */
static void stop(int number)
{
    int keep = errno;

    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
    errno = keep;
}

static void out_of_time(int number)
{
    static const char text[] =
        "topomap: stopped: the limit of processor time (ulimit -t) is reached\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);

    (void)number;
    (void)ignored;
    remove_unfinished();
    _exit(CLI_FAILED);
}

/* Let write() fail with EFBIG. A handler, as what is ignored stays so in programs that we start. */
static void go_on(int number)
{
    (void)number;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;

    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

/* Soft limit and hard limit alike mean SIGKILL at once (setrlimit(2)); a second between them lets
 * the signal come first that can be caught. */
static void part_time_limits(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur == limit.rlim_max && limit.rlim_cur > 1) {
        limit.rlim_cur--;
        setrlimit(RLIMIT_CPU, &limit);
    }
}

/* The main thread's stack grows to the limit of the moment; a soft one can be lifted. */
static int stack_suffices(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= STACK_WANTED)
        return 1;
    limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : STACK_WANTED;
    setrlimit(RLIMIT_STACK, &limit);
    return limit.rlim_cur >= STACK_LEAST;
}

int cli_prepare(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM};

    if (!stack_suffices()) {
        fprintf(stderr,
                "topomap: the stack's limit (ulimit -s) is below the %d KiB that are needed: "
                "raise it\n",
                STACK_LEAST >> 10);
        return CLI_FAILED;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        handle(ends[i], stop);
    handle(SIGXCPU, out_of_time);
    handle(SIGXFSZ, go_on);
    part_time_limits();
    return CLI_DONE;
}
