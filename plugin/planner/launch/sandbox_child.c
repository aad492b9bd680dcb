/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/common/child.h"
#include "plugin/sandbox/sandbox.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/planner/request/request.h"
#include "util/alloc.h"
#include "util/full_io.h"

enum { REPLY_FD = 3 };
enum kind { QUESTION, ANSWER, FAILURE, REPLY, KINDS };

/* No message is larger than what may come of it. */
static const uint64_t most[KINDS] = {[QUESTION] = PLANNER_CORES_COMMANDS,
                                     [ANSWER] = PLANNER_CORES_ANSWER,
                                     [FAILURE] = sizeof((topomap_error *)0)->text,
                                     [REPLY] = (uint64_t)1 << 30};

struct head {
    enum kind kind;
    int code; /* of a failure */
    uint64_t size;
};

/* What one of the two has open. */
struct ends {
    int in, out;
};

/* ---- Messages ------------------------------------------------------------------------------ */

static int send_message(const struct ends *ends, enum kind kind, int code, const char *bytes,
                        size_t size)
{
    const struct head head = {.kind = kind, .code = code, .size = size};

    return topomap_whole_write(ends->out, &head, sizeof head) ||
                   topomap_whole_write(ends->out, bytes, size)
               ? -1
               : 0;
}

/* \return the bytes with a NUL, or NULL: the other one has ended, or says what nobody says */
static char *take_message(const struct ends *ends, struct head *head)
{
    char *bytes;

    if (topomap_whole_read(ends->in, head, sizeof *head) || (unsigned)head->kind >= KINDS ||
        head->size > most[head->kind])
        return NULL;
    bytes = malloc(head->size + 1);
    if (bytes && topomap_whole_read(ends->in, bytes, head->size)) {
        free(bytes);
        return NULL;
    }
    if (bytes)
        bytes[head->size] = '\0';
    return bytes;
}

/* ---- Inside -------------------------------------------------------------------------------- */

static char *ask_outside(void *with, const char *commands, topomap_error *err)
{
    const struct ends *ends = with;
    struct head head;
    char *text = send_message(ends, QUESTION, 0, commands, strlen(commands))
                     ? NULL
                     : take_message(ends, &head);

    if (text && head.kind == ANSWER)
        return text;
    topomap_error_set(err, text ? head.code : TOPOMAP_ESYSTEM, "%s",
                      text ? text : "the planner has ended");
    free(text);
    return NULL;
}

static _Noreturn void answer_inside(const planner_request *request, struct ends ends, pid_t parent)
{
    planner_request asking = *request;
    size_t size = 0;
    char *text;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    close(STDIN_FILENO);
    close(REPLY_FD);
    plugin_reader_sandbox();
    asking.ask = ask_outside;
    asking.ask_with = &ends;
    text = planner_answer_text(&asking, &size);
    _exit(text && !send_message(&ends, REPLY, 0, text, size) ? 0 : 1);
}

/* ---- Outside ------------------------------------------------------------------------------- */

/* Of who may have been taken over by what it read, no other command. */
static int answer_question(const planner_request *request, const struct ends *ends,
                           const char *commands)
{
    topomap_error err;
    TOPOMAP_FREED char *text = NULL;

    if (planner_cores_is_question(request, commands))
        text = planner_cores_question(request, commands, &err);
    else
        topomap_error_set(&err, TOPOMAP_EINPUT, "scontrol is asked about nodes alone");
    return text ? send_message(ends, ANSWER, 0, text, strlen(text))
                : send_message(ends, FAILURE, err.code, err.text, strlen(err.text));
}

/* \return the reply, or NULL: the process has ended without one */
static char *listen_outside(const planner_request *request, const struct ends *ends, size_t *size)
{
    struct head head;
    char *bytes;

    while ((bytes = take_message(ends, &head)) != NULL) {
        *size = head.size;
        if (head.kind == REPLY)
            return bytes;
        if (head.kind != QUESTION || answer_question(request, ends, bytes)) {
            free(bytes);
            return NULL;
        }
        free(bytes);
    }
    return NULL;
}

static char *tell_end(pid_t pid, size_t *size)
{
    topomap_error err;
    int status = 0;

    kill(pid, SIGKILL); /* of one that has ended it changes nothing */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        topomap_error_set(&err, TOPOMAP_ESYSTEM,
                          "the search for a placement was ended by signal %d (%s)",
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        topomap_error_set(&err, TOPOMAP_ESYSTEM, "out of memory");
    return planner_failure_text(&err, size);
}

char *planner_sandboxed_answer(const planner_request *request, size_t *size)
{
    int up[2], down[2];
    struct ends ends;
    pid_t pid, parent = getpid();
    char *reply;

    if (plugin_child_pipes(up, down))
        return planner_answer_text(request, size);
    pid = fork();
    if (!pid) {
        close(up[0]);
        close(down[1]);
        answer_inside(request, (struct ends){.in = down[0], .out = up[1]}, parent);
    }
    close(up[1]);
    close(down[0]);
    ends = (struct ends){.in = up[0], .out = down[1]};
    reply = pid > 0 ? listen_outside(request, &ends, size) : planner_answer_text(request, size);
    close(up[0]);
    close(down[1]);
    if (pid > 0 && reply)
        waitpid(pid, NULL, WNOHANG); /* giving back its memory takes a while */
    return reply || pid < 0 ? reply : tell_end(pid, size);
}
