/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of plans that nobody has removed: of whom, how many, and how old; and that a launch writes
 * its own when nothing else is left to do. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plugin/common/spool.h"
#include "plugin/planner/launch/launch.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/store/store.h"
#include "tests/unit/plugin/fake_clock.h"
#include "tests/unit/scratch.h"
#include "util/clock.h"

enum { HOUR = 3600, DAY = 24 * HOUR, OTHER = 12345, LONG = 600, ROUNDS = 400 };

static const char *spool, *notes;
static char *note; /* of a file that was written just now */

static void set_time(const char *path, int64_t seconds)
{
    const struct timespec when = {.tv_sec = seconds}, times[2] = {when, when};

    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void make(const char *name, int64_t age)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", spool, name);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    set_time(path, topomap_clock_date() - age);
}

static int has(const char *name)
{
    char path[512];
    struct stat found;

    snprintf(path, sizeof path, "%s/%s", spool, name);
    return !lstat(path, &found);
}

static unsigned entries(void)
{
    DIR *list = opendir(spool);
    const struct dirent *row;
    unsigned count = 0;

    assert_non_null(list);
    while ((row = readdir(list)) != NULL)
        count += *row->d_name != '.';
    closedir(list);
    return count;
}

static int fresh(void **state)
{
    char command[512];
    topomap_error err;

    (void)state;
    spool = scratch_path("spool");
    notes = scratch_path("topomap/spool");
    snprintf(command, sizeof command, "rm -rf '%s' '%s'", spool, notes);
    setenv("XDG_CACHE_HOME", scratch_path(""), 1);
    free(note);
    fake_clock_set(0);
    return system(command) || mkdir(spool, 01777) ||
           plugin_spool_write(spool, 17, 3, "plan", &note, &err);
}

/* A folder that was looked at before has a time. */
static void looked_at(void)
{
    plugin_spool_tidy(note);
}

static void old_ones_go(void **state)
{
    (void)state;
    looked_at();
    make("topomap-1.0-AbcdE1", 8 * DAY);
    make("topomap-4294967295.4294967294-ZZZZZZ", 300 * DAY);
    make("topomap-2.0-AbcdE1", 6 * DAY);
    plugin_spool_tidy(note);
    assert_false(has("topomap-1.0-AbcdE1"));
    assert_false(has("topomap-4294967295.4294967294-ZZZZZZ"));
    assert_true(has("topomap-2.0-AbcdE1"));
    assert_int_equal(entries(), 2);
    plugin_spool_remove(note);
    assert_int_equal(entries(), 1);
}

static void nothing_else_goes(void **state)
{
    static const char *const others[] = {
        "topomap-1.0-AbcdE",   "topomap-1.0-AbcdE12", "topomap-1.0-Abc-E1", "topomap-1-AbcdE1",
        "topomap-.0-AbcdE1",   "topomap-1.-AbcdE1",   "topomap-1.0.AbcdE1", "xtopomap-1.0-AbcdE1",
        "topomap-1.0-AbcdE1x", ".topomap-1.0-AbcdE1", ".tidy.1-2-3",
    };
    char path[512];

    (void)state;
    looked_at();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        make(others[i], 300 * DAY);
    snprintf(path, sizeof path, "%s/topomap-1.0-folder", spool);
    assert_int_equal(mkdir(path, 0700), 0);
    set_time(path, 1);
    snprintf(path, sizeof path, "%s/topomap-1.0-itlink", spool);
    assert_int_equal(symlink(note + 9, path), 0);
    set_time(path, 1);
    make("topomap-1.0-theirs", 300 * DAY);
    if (geteuid() == 0) {
        snprintf(path, sizeof path, "%s/topomap-1.0-theirs", spool);
        assert_int_equal(chown(path, OTHER, OTHER), 0);
    }
    plugin_spool_tidy(note);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(has(others[i]));
    assert_true(has("topomap-1.0-folder"));
    assert_true(has("topomap-1.0-itlink"));
    assert_int_equal(has("topomap-1.0-theirs"), geteuid() == 0);
}

/* The clock is months ahead, of this computer and of the file system's, for some launches. */
static void clocks_that_jump(void **state)
{
    (void)state;
    looked_at();
    make("topomap-1.0-AbcdE1", HOUR);
    for (int i = 0; i < 20; i++) {
        fake_clock_set(200 * DAY);
        set_time(note + 9, topomap_clock_date());
        plugin_spool_tidy(note);
    }
    fake_clock_set(-200 * DAY);
    set_time(note + 9, topomap_clock_date());
    plugin_spool_tidy(note);
    fake_clock_set(0);
    plugin_spool_tidy(note);
    assert_true(has("topomap-1.0-AbcdE1"));
}

/* However many there are: some each time, and all in the end. */
static void many(void **state)
{
    char name[64];
    unsigned before;
    int rounds = 0;

    (void)state;
    looked_at();
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "topomap-%u.0-AbcdE1", i);
        make(name, 30 * DAY);
    }
    before = entries();
    for (; entries() > 1 && rounds < ROUNDS; rounds++) {
        plugin_spool_tidy(note);
        assert_true(before - entries() <= 1024);
        before = entries();
    }
    assert_int_equal(entries(), 1);
    assert_true(rounds > 2);
}

static void places(void **state)
{
    (void)state;
    looked_at();
    make("topomap-1.0-AbcdE1", 30 * DAY);
    setenv("XDG_CACHE_HOME", "/dev/null", 1); /* nowhere to keep the folder's time */
    plugin_spool_tidy(note);
    assert_true(has("topomap-1.0-AbcdE1"));
    plugin_spool_tidy("01234567 /does/not/exist/topomap-1.0-AbcdE1");
    plugin_spool_tidy("01234567 ");
}

/* ---- A launch ----------------------------------------------------------------------------- */

static unsigned explained, explained_among;

/* In place of the planner's. */
int planner_explanation_write(const char *path, const char *bytes, size_t size, double until,
                              topomap_error *err)
{
    (void)path, (void)bytes, (void)size, (void)until, (void)err;
    explained++;
    assert_int_equal(entries(), explained_among);
    return 0;
}

static char *answer(const char *request, size_t *size, topomap_error *err)
{
    char bindings[LONG + 1] = "", *text = NULL;
    FILE *out = open_memstream(&text, size);

    (void)request, (void)err;
    memset(bindings, 'A', LONG);
    fprintf(out,
            "topomap-reply 1\nstatus applied\nline placed\nquiet 1\nplan-id 1\ngain 3\n"
            "layout 0,2;1,3\nbindings %s\nexplain 4\nwhy\n\n",
            bindings);
    return planner_answer_seal(out, &text, size);
}

static void no_wait(double seconds)
{
    (void)seconds;
}

static void last_of_all(void **state)
{
    char request[1024], *reply;
    planner_facts facts = {0};
    topomap_error err;
    size_t size;
    FILE *in;

    (void)state;
    snprintf(request, sizeof request,
             "job 17\nstep 3\nsite db=/x.db\nsite spool=%s\nsaid-step ring:4\nsaid-distribution 1\n"
             "explain 1\nexplain-own 1\nexplain-file why\nroom 1000\nnodes n[1-2]\ntasks 2(x2)\n"
             "layout 0-1;2-3\nend\n",
             spool);
    in = fmemopen(request, strlen(request), "r");
    assert_non_null(in);
    if (planner_facts_read(in, &facts, &err))
        fail_msg("%s", err.text);
    fclose(in);
    looked_at();
    plugin_spool_remove(note);
    make("topomap-1.0-AbcdE1", 30 * DAY);
    explained_among = entries();
    reply = planner_launch(&facts, answer, no_wait, &size);
    assert_non_null(reply);
    if (!strstr(reply, "\nspool ") || !strstr(reply, "\nlater spool "))
        fail_msg("%s", reply);
    assert_int_equal(explained, 1);
    assert_true(wait(NULL) > 0); /* for who tidies up, as nobody does otherwise */
    assert_false(has("topomap-1.0-AbcdE1"));
    assert_int_equal(entries(), 1);
    planner_facts_clear(&facts);
    free(reply);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(old_ones_go, fresh),
        cmocka_unit_test_setup(nothing_else_goes, fresh),
        cmocka_unit_test_setup(clocks_that_jump, fresh),
        cmocka_unit_test_setup(many, fresh),
        cmocka_unit_test_setup(places, fresh),
        cmocka_unit_test_setup(last_of_all, fresh),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
