/* SPDX-License-Identifier: BSD-3-Clause */
/* srun's descriptor 2 may be closed when the plugin is loaded, and one of Slurm's sockets when the
 * plugin has something to say: nothing is then written to it, by Slurm's logger or otherwise. */
#define _GNU_SOURCE /* dup3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/plugin/hook_step.h"
#include "tests/unit/scratch.h"

enum { STANDARD_ERROR = 2 };

static int output[2];  /* a pipe: what a user's descriptor 2 is */
static int sockets[2]; /* what Slurm opens */

static void is_open(void)
{
    dup2(output[1], STANDARD_ERROR);
}

static void is_closed(void)
{
    close(STANDARD_ERROR);
}

/* plugstack.conf, which Slurm has open while it loads plugins. */
static void is_for_reading(void)
{
    dup2(open("/dev/null", O_RDONLY), STANDARD_ERROR);
}

/* Of this process alone, as what Slurm opens for itself. */
static void is_slurms(void)
{
    dup3(sockets[1], STANDARD_ERROR, O_CLOEXEC);
}

static void becomes_a_socket(void)
{
    dup2(sockets[1], STANDARD_ERROR);
}

static void stays(void)
{
}

static size_t size_in(int fd)
{
    static char bytes[1 << 16];
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    ssize_t size = poll(&ready, 1, 0) == 1 ? read(fd, bytes, sizeof bytes) : 0;

    return size > 0 ? (size_t)size : 0;
}

static const struct {
    void (*at_load)(void), (*later)(void);
    int usable;
} rows[] = {
    {is_open, stays, 1},        {is_open, becomes_a_socket, 0},        {is_open, is_closed, 0},
    {is_closed, stays, 0},      {is_closed, becomes_a_socket, 0},      {is_closed, is_open, 0},
    {is_for_reading, stays, 0}, {is_for_reading, becomes_a_socket, 0}, {is_slurms, stays, 0},
};

static void lines_go_to_the_users_descriptor_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int required = 0; required < 2; required++) {
            const struct launch launch = {.topomap = "no-such-file.csv",
                                          .word = "verbose",
                                          .bend_load = rows[i].at_load,
                                          .bend = rows[i].later,
                                          .required = required};

            run(&launch);
            if ((*result->said != 0) != rows[i].usable)
                fail_msg("row %zu: said '%s'", i, result->said);
            assert_int_equal(result->refused, required);
        }
    }
}

static void explanations_go_to_the_users_descriptor_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct launch launch = {
            .explain = "", .bend_load = rows[i].at_load, .bend = rows[i].later};
        size_t written, stray;

        size_in(output[0]);
        run(&launch);
        written = size_in(output[0]);
        stray = size_in(sockets[0]);
        if ((written > 100) != rows[i].usable || stray)
            fail_msg("row %zu: %zu bytes to the user, %zu to Slurm's socket", i, written, stray);
        assert_true(result->applied && is_permuted());
    }
}

static int setup(void **state)
{
    return pipe(output) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || hook_step_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_go_to_the_users_descriptor_alone),
        cmocka_unit_test(explanations_go_to_the_users_descriptor_alone),
    };

    return cmocka_run_group_tests(tests, setup, hook_step_teardown);
}
