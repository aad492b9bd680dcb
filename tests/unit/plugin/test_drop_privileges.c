/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a program that slurmstepd starts after dropping privileges, from the users that
 * user_init has: real and saved root, effective the step's; and what becomes of programs that
 * misbehave there. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/common/child.h"
#include "plugin/sandbox/sandbox.h"
#include "plugin/node/node.h"
#include "tests/unit/messages.h"
#include "util/clock.h"

enum { USER = 65534, GROUP = 65533, OTHER = 12 };

static char self[4096];

/* ---- The program: this one ----------------------------------------------------------------- */

static int limit_of(int resource)
{
    struct rlimit limit;

    return getrlimit(resource, &limit) || limit.rlim_max > 1 << 20 ? -1 : (int)limit.rlim_max;
}

/* The sets of capabilities that it has, in one: "0" where all are empty. */
static unsigned long long capabilities(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    unsigned long long all = 0, set;
    char line[256];

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "CapPrm: %llx", &set) == 1 || sscanf(line, "CapEff: %llx", &set) == 1)
            all |= set;
    if (status)
        fclose(status);
    return all;
}

static int inspect(void)
{
    uid_t uid[3];
    gid_t gid[3], groups[8];
    char folder[64] = "?";
    int count = getgroups(8, groups), variables = 0;

    while (environ[variables])
        variables++;
    getresuid(&uid[0], &uid[1], &uid[2]);
    getresgid(&gid[0], &gid[1], &gid[2]);
    dprintf(3, "uid %u %u %u gid %u %u %u groups %d %u back %d %d caps %llx nnp %d env %d in %s",
            uid[0], uid[1], uid[2], gid[0], gid[1], gid[2], count, count ? groups[0] : 0,
            setuid(0) == 0, seteuid(0) == 0, capabilities(), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
            variables, getcwd(folder, sizeof folder));
    dprintf(3, " core %d file %d files %d processes %d cpu %d", limit_of(RLIMIT_CORE),
            limit_of(RLIMIT_FSIZE), limit_of(RLIMIT_NOFILE), limit_of(RLIMIT_NPROC),
            limit_of(RLIMIT_CPU));
    return 0;
}

static int answer_endlessly(void)
{
    static char zeros[4096];

    while (write(3, zeros, sizeof zeros) > 0)
        ;
    return 0;
}

static int take_all_memory(void)
{
    for (size_t i = 0; i < 1 << 20; i++) {
        char *some = malloc(1 << 20);

        if (!some)
            return 1;
        memset(some, 1, 1 << 20);
    }
    return 0;
}

static int hang(void)
{
    return pause();
}

static int say_nothing(void)
{
    return 3;
}

static int say_garbage(void)
{
    return write(3, "garbage", 7) == 7 ? 0 : 1;
}

/* By the name of the file: topomap-node has the same words always. */
static const struct role {
    const char *name;
    int (*run)(void);
    const char *says;
    unsigned node_ms; /* a minute: on a busy machine, too, it ends before that */
} roles[] = {
    {"endless", answer_endlessly, "Message too long", 60000},
    {"greedy", take_all_memory, "ended", 60000},
    {"hangs", hang, "700 ms", 700},
    {"nothing", say_nothing, "ended", 60000},
    {"garbage", say_garbage, "topomap-node", 60000},
};

/* ---- Tests ------------------------------------------------------------------------------- */

/* In a child, since it does not come back from there: users as in user_init. */
static int as_in_user_init(int (*test)(void))
{
    static const gid_t groups[] = {OTHER};
    int status;
    pid_t pid = fork();

    if (!pid) {
        if (setgroups(1, groups) || setresgid(0, GROUP, 0) || setresuid(0, USER, 0))
            _exit(99);
        _exit(test());
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int look(void)
{
    static const char *const words[] = {"inspect", NULL};
    static const char wanted[] =
        "uid 65534 65534 65534 gid 65533 65533 65533 groups 1 12 back 0 0 caps 0 nnp 1 env 0 in / "
        "core 0 file 0 files 16 processes 0 cpu 7";
    struct plugin_child_files files = {.unprivileged = 1, .cpu_seconds = 7, .ends_with_us = 1};
    char reply[4096] = "";
    struct plugin_child_answer answer = {
        .bytes = reply, .capacity = sizeof reply, .most = sizeof reply - 1};
    const struct plugin_child_talk talk = {"x", 1, plugin_child_receive, &answer,
                                           topomap_clock_ms() + 20000};
    pid_t pid;

    if (plugin_child_ask("/proc/self/exe", words, &files, &talk, &pid))
        return 3;
    plugin_child_end(pid, 20000);
    if (!strcmp(reply, wanted))
        return 0;
    fprintf(stderr, "found  %s\nwanted %s\n", reply, wanted);
    return 4;
}

static void it_is_the_users_for_good(void **state)
{
    (void)state;
    /* Emulated, /proc/self/exe is the emulator itself. */
    if (geteuid() || getenv("TOPOMAP_EMULATED"))
        skip();
    assert_int_equal(as_in_user_init(look), 0);
}

static void misbehaviour_costs_a_line(void **state)
{
    const node_question question = {.job = 1, .local_tasks = 2, .step_tasks = 2};
    char folder[] = "/tmp/topomap-privileges-XXXXXX", path[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0755), 0);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const plugin_node_site site = {.helper = path, .node_ms = roles[i].node_ms};
        node_answer answer;
        topomap_error err;
        void *memory;

        snprintf(path, sizeof path, "%s/%s", folder, roles[i].name);
        assert_int_equal(symlink(self, path), 0);
#ifdef TOPOMAP_SANITIZED
        if (roles[i].run == take_all_memory)
            continue;
#endif
        assert_int_equal(plugin_node_ask(&site, &question, &answer, &memory, &err), -1);
        if (!message_has(err.text, roles[i].says))
            fail_msg("%s: '%s' does not say '%s'", roles[i].name, err.text, roles[i].says);
        assert_null(memory);
        assert_int_equal(answer.found, 0);
        unlink(path);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left over */
    snprintf(path, sizeof path, "%s/greedy", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* Longer than what memory is asked for at a time. */
static void long_questions_arrive_whole(void **state)
{
    enum { LONG = 200 * 1000 };
    node_question question = {.job = 17, .step = 3, .local_tasks = 2, .step_tasks = 10 * 1000},
                  back;
    char *text = malloc(LONG + 1);
    FILE *file = tmpfile();
    topomap_error err;
    size_t size;
    void *bytes, *memory;

    (void)state;
    assert_non_null(text);
    assert_non_null(file);
    for (int i = 0; i < LONG; i++)
        text[i] = (char)('a' + i % 23);
    text[LONG] = 0;
    assert_int_equal(node_question_set(&question, NODE_FOLDER, ""), 0);
    assert_int_equal(node_question_set(&question, NODE_BINDINGS, text), 0);
    assert_int_equal(node_question_set(&question, NODE_LIBRARY, "/x.so"), 0);
    bytes = node_question_write(&question, &size);
    assert_non_null(bytes);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    rewind(file);
    assert_int_equal(node_question_read(fileno(file), &back, &memory, &err), 0);
    assert_int_equal(back.length[NODE_BINDINGS], LONG);
    assert_string_equal(back.text[NODE_FOLDER], "");
    assert_string_equal(back.text[NODE_BINDINGS], text);
    assert_null(back.text[NODE_NOTE]);
    assert_string_equal(back.text[NODE_LIBRARY], "/x.so");
    free(memory);
    free(bytes);
    free(text);
    fclose(file);
}

/* \return 0: no file, no process, but memory; 1: the kernel has no such filter */
static int in_the_cell(void)
{
    char *memory;

    plugin_decoder_sandbox();
    errno = 0;
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0 || errno == EINVAL)
        return 1;
    if (open("/dev/null", O_RDONLY) >= 0 || errno != EPERM)
        return 2;
    if (fork() >= 0 || errno != EPERM)
        return 3;
    if (setuid(0) == 0 || kill(getppid(), 0) == 0)
        return 4;
    memory = malloc(8 << 20);
    if (!memory)
        return 5;
    memset(memory, 1, 8 << 20);
    free(memory);
    return write(STDERR_FILENO, "", 0) == 0 ? 0 : 6;
}

static void who_has_read_can_open_nothing(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (!pid)
        _exit(in_the_cell());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 1)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The role is the name by which the file was found; after exec that is in the auxiliary vector. */
static const struct role *role_of(void)
{
    const char *path = (const char *)getauxval(AT_EXECFN), *name = path ? strrchr(path, '/') : NULL;

    for (size_t i = 0; name && i < sizeof roles / sizeof *roles; i++)
        if (!strcmp(name + 1, roles[i].name))
            return &roles[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_users_for_good),
        cmocka_unit_test(misbehaviour_costs_a_line),
        cmocka_unit_test(long_questions_arrive_whole),
        cmocka_unit_test(who_has_read_can_open_nothing),
    };

    if (argc == 1 && !strcmp(argv[0], "inspect"))
        return inspect();
    if (role_of())
        return role_of()->run();
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
