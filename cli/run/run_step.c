/* SPDX-License-Identifier: BSD-3-Clause */
/* A step in place of ssh for MPICH's and Intel MPI's mpiexec, whose own launcher for Slurm takes no
 * host twice. mpiexec is given a path of this very program, so that no script has to be written,
 * and calls it as it calls ssh: "PATH [-OPTION...] HOST COMMAND...". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "util/text.h"

void run_step_path(char *path, size_t size)
{
    snprintf(path, size, "/proc/%ld/exe", (long)getpid());
}

static int is_step_path(const char *name)
{
    static const char digits[] = "0123456789";
    size_t length;

    if (strncmp(name, "/proc/", 6) != 0)
        return 0;
    length = strspn(name + 6, digits);
    return length && !strcmp(name + 6 + length, "/exe");
}

/* The words of a command with a blank between, as ssh(1) hands them to a shell. */
static char *join(char **word)
{
    size_t size = 1;
    char *text;

    for (char **at = word; *at; at++)
        size += strlen(*at) + 1;
    text = calloc(size, 1);
    for (char **at = word; text && *at; at++)
        topomap_text_append(text, size, "%s%s", at > word ? " " : "", *at);
    return text;
}

static int become_srun(char **word)
{
    char *command;

    while (*word && **word == '-')
        word++;
    command = *word && word[1] ? join(word + 1) : NULL;
    if (!command || setenv("TOPOMAP", "off", 1)) {
        fprintf(stderr, "topomap run: the launcher named no host and command\n");
        return CLI_USAGE;
    }
    execlp("srun", "srun", "--overlap", "--mpi=none", "-Q", "-N1", "-n1", "-w", *word, "--input",
           "none", "sh", "-c", command, (char *)NULL);
    fprintf(stderr, "topomap run: srun: %s\n", strerror(errno));
    free(command);
    return errno == ENOENT ? 127 : 126;
}

int cli_step(int argc, char **argv)
{
    return argc > 0 && is_step_path(argv[0]) ? become_srun(argv + 1) : -1;
}
