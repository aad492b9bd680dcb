/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of plans: where they go, and what stays of them; and folders of any size kept within
 * limits under clocks that jump. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plugin/common/reply.h"
#include "plugin/store/store.h"
#include "tests/unit/messages.h"
#include "tests/unit/plugin/fake_clock.h"
#include "util/clock.h"

enum { DAY = 86400 };

static char folder[] = "/tmp/topomap-record-XXXXXX", site[64], own[96], cache[96];

static const plugin_record_limits few = {.days = 30, .megabytes = 1};

static void fresh(void)
{
    char command[128];

    fake_clock_set(0);
    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    snprintf(site, sizeof site, "%s/site", folder);
    snprintf(own, sizeof own, "%s/%u", site, (unsigned)geteuid());
    snprintf(cache, sizeof cache, "%s/topomap/records", folder);
    assert_int_equal(mkdir(site, 0755), 0);
}

static void write_record(uint32_t job, char path[256])
{
    topomap_error err;

    assert_int_equal(plugin_record_write(site, job, 0, "request\n", "reply\n", 6, path, 256, &err),
                     0);
}

static void set_time(const char *path, int64_t seconds)
{
    const struct timespec when = {.tv_sec = seconds}, times[2] = {when, when};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* What a launch does, on a computer whose clock has jumped: the files that it makes have that time,
 * where the file system is its own. */
static void launch_at(uint32_t job, int64_t jump, int is_own)
{
    int64_t now = topomap_clock_date();
    char path[256];

    fake_clock_set(jump);
    write_record(job, path);
    if (is_own && (jump > 0 || !fake_clock_stamped()))
        set_time(path, now + jump);
    plugin_record_tidy(site, &few);
    fake_clock_set(0);
}

static unsigned count_records(const char *in)
{
    DIR *list = opendir(in);
    const struct dirent *row;
    unsigned count = 0;

    while (list && (row = readdir(list)) != NULL)
        count += strstr(row->d_name, ".plan") != NULL;
    if (list)
        closedir(list);
    return count;
}

/* A record of that age and size that somebody's earlier launch has left. */
static void leave(uint32_t job, int64_t age, off_t size)
{
    char path[160];
    int fd;

    snprintf(path, sizeof path, "%s/%u.0.plan", own, job);
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size) | close(fd), 0);
    set_time(path, topomap_clock_date() - age);
}

static int is_there(uint32_t job)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%u.0.plan", own, job);
    return !access(path, F_OK);
}

/* ---- Where they go ----------------------------------------------------------------------- */

static void goes_to(const char *where)
{
    char path[256], found[256];
    struct stat status;

    write_record(7, path);
    assert_memory_equal(path, where, strlen(where));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(plugin_record_find(site, "7.0", found, sizeof found), 1);
    assert_string_equal(found, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(plugin_record_find(site, "7.0", found, sizeof found), 0);
}

/* Whoever is first shuts nobody out. */
static void test_where(void **state)
{
    char elsewhere[96], found[256];

    (void)state;
    fresh();
    goes_to(own);
    assert_int_equal(chmod(own, 0770), 0);
    goes_to(cache);
    assert_int_equal(unlinkat(AT_FDCWD, own, AT_REMOVEDIR), 0);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    assert_int_equal(mkdir(elsewhere, 0755) | symlink(elsewhere, own), 0);
    goes_to(cache);
    assert_int_equal(rmdir(elsewhere), 0); /* nothing came into it */
    assert_int_equal(unlink(own) | mknod(own, S_IFREG | 0600, 0), 0);
    goes_to(cache);
    assert_int_equal(unlink(own), 0);
    if (!geteuid()) {
        assert_int_equal(mkdir(own, 0755) | chown(own, 65534, 65534), 0);
        goes_to(cache);
        assert_int_equal(rmdir(own), 0);
    }
    assert_int_equal(chmod(site, 0777), 0);
    goes_to(cache);
    assert_int_equal(chmod(site, 0711), 0);
    goes_to(own);
    assert_int_equal(plugin_record_find(site, "../7.0", found, sizeof found), 0);
    assert_int_equal(plugin_record_find(NULL, "8.0", found, sizeof found), 0);
}

/* No room, and no signal where the site or the user allows no file any size. */
static void test_what_cannot_be_written(void **state)
{
    pid_t child;
    int status;

    (void)state;
    fresh();
    child = fork();
    if (!child) {
        const struct rlimit none = {0, 0};
        topomap_error err = {0};
        char path[256];

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        if (plugin_record_write(site, 7, 0, "request\n", "reply\n", 6, path, 256, &err) != -1)
            _exit(1);
        plugin_record_tidy(site, &few);
        _exit(message_has(err.text, "File too large") ? 0 : 2);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(rmdir(own), 0); /* nothing is left in it */
}

/* ---- How many stay ----------------------------------------------------------------------- */

static void test_age_and_size(void **state)
{
    char path[256];

    (void)state;
    fresh();
    launch_at(1, 0, 0);
    leave(2, 40 * DAY, 100);
    leave(3, DAY, 900000);
    leave(4, 3600, 900000);
    launch_at(5, 0, 0);
    assert_false(is_there(2) || is_there(3));
    assert_true(is_there(1) && is_there(4) && is_there(5));
    write_record(5, path);
    assert_non_null(strstr(path, "/5.0-1.plan"));
}

static unsigned long used(void)
{
    DIR *list = opendir(own);
    const struct dirent *row;
    unsigned long sum = 0;
    struct stat status;

    while (list && (row = readdir(list)) != NULL)
        if (strstr(row->d_name, ".plan") && !fstatat(dirfd(list), row->d_name, &status, 0))
            sum += (unsigned long)status.st_size;
    closedir(list);
    return sum;
}

/* 10,000 records, a hundred times what may stay: each launch does a little, and in a few hundred
 * all is as it should be: those of the last hours are what stays. */
static void test_many(void **state)
{
    enum { MANY = 10000, SIZE = 10000 };

    (void)state;
    fresh();
    launch_at(1, 0, 0);
    for (uint32_t i = 0; i < MANY; i++)
        leave(1000 + i, (int64_t)i * 60, SIZE); /* a week of them */
    for (uint32_t i = 0; i < 85; i++)
        launch_at(20000 + i, 0, 0);
    assert_true(used() <= 1u << 20);
    assert_true(used() > 700000);
    for (uint32_t i = 0; i < 60; i++)
        assert_true(is_there(1000 + i));
    for (uint32_t i = 0; i < 85; i++)
        assert_true(is_there(20000 + i));
}

/* All of one hour, so that none is older than another to speak of. */
static void test_many_at_once(void **state)
{
    (void)state;
    fresh();
    launch_at(1, 0, 0);
    for (uint32_t i = 0; i < 3000; i++)
        leave(1000 + i, 7200, 5000);
    for (uint32_t i = 0; i < 30; i++)
        launch_at(20000 + i, 0, 0);
    assert_true(used() <= 1u << 20);
    assert_true(used() > 900000);
}

/* ---- Clocks that jump -------------------------------------------------------------------- */

/* Whatever one computer's clock says for a while, and however many launches it has meanwhile,
 * nothing of the last days goes; and whatever was written then is no older than it is. */
static void test_jumps(void **state)
{
    static const int jumps[] = {30, 60, -30, -60, 3650, -3650};
    const unsigned count = sizeof jumps / sizeof *jumps;

    (void)state;
    for (int is_kernels = 0; is_kernels < 2; is_kernels++) {
        uint32_t job = 100;

        fresh();
        launch_at(1, 0, 0);
        leave(2, 10 * DAY, 100);
        for (unsigned i = 0; i < 10 * count; i++)
            launch_at(job++, (int64_t)jumps[i / 10] * DAY, is_kernels);
        for (unsigned i = 0; i < 10 * count; i++) /* to and fro */
            launch_at(job++, (int64_t)jumps[i % count] * DAY, is_kernels);
        launch_at(3, 0, 0);
        assert_true(is_there(1) && is_there(2) && is_there(3));
        assert_int_equal(count_records(own), 3 + 20 * count);
    }
}

/* The first look of all may be at a wrong clock, too. */
static void test_first_look_under_a_wrong_clock(void **state)
{
    (void)state;
    fresh();
    assert_int_equal(mkdir(own, 0700), 0);
    for (uint32_t i = 0; i < 300; i++)
        leave(1000 + i, (int64_t)i * 360, 100);
    for (uint32_t i = 0; i < 20; i++)
        launch_at(1 + i, 60 * DAY, 1);
    launch_at(21, 0, 0);
    assert_int_equal(count_records(own), 321);
}

/* So much time goes by: all that is there becomes so much older. With `boot`, another computer has
 * looked last. */
static void pass(int64_t seconds, const char *boot)
{
    DIR *list = opendir(own);
    const struct dirent *row;
    struct stat status;

    assert_non_null(list);
    while ((row = readdir(list)) != NULL) {
        char path[512];

        snprintf(path, sizeof path, "%s/%.255s", own, row->d_name);
        if (*row->d_name != '.' && !stat(path, &status))
            set_time(path, (int64_t)status.st_mtime - seconds);
    }
    closedir(list);
    fake_clock_pass(own, seconds, boot);
}

/* Time that has really gone by counts, on one computer and on others. */
static void test_time_goes_by(void **state)
{
    (void)state;
    fresh();
    launch_at(1, 0, 0);
    pass(29 * DAY, "");
    launch_at(2, 0, 0);
    assert_true(is_there(1));
    pass(2 * DAY, "");
    launch_at(3, 0, 0);
    assert_false(is_there(1));
    assert_true(is_there(2));
    for (uint32_t i = 0; i < 32; i++) {
        pass(DAY, "00000000-0000-0000-0000-000000000000");
        launch_at(4 + i, 0, 0);
    }
    assert_false(is_there(2) || is_there(3));
    assert_true(is_there(10));
}

static void call_it(store_folder_time *kept, const char *id)
{
    snprintf(kept->boot[0].id, sizeof kept->boot[0].id, "%s", id);
}

/* Two computers with the same wrong clock, and file system, which look in turns. */
static void test_turns(void **state)
{
    const int64_t real = topomap_clock_date();
    store_folder_time kept = {0};
    char own_id[40];

    (void)state;
    store_folder_time_advance(&kept, real);
    if (!kept.boots)
        skip(); /* no /proc */
    strcpy(own_id, kept.boot[0].id);
    fake_clock_set(60 * DAY);
    for (int i = 0; i < 1000; i++) {
        for (unsigned k = 0; k < kept.boots; k++)
            strcpy(kept.boot[k].id, strcmp(kept.boot[k].id, own_id) ? own_id : "another");
        store_folder_time_advance(&kept, real + 60 * DAY);
    }
    fake_clock_set(0);
    assert_int_equal(kept.boots, 2);
    assert_true(kept.now >= real && kept.now <= real + 700);
}

/* The folder's time under a clock that has jumped, and its file system's with it. */
static void test_the_clock(void **state)
{
    const int64_t real = topomap_clock_date();
    store_folder_time first = {0}, kept;
    char name[40];

    (void)state;
    store_folder_time_advance(&first, real);
    if (!first.boots)
        skip(); /* no /proc */
    assert_true(first.now >= real && first.now < real + 60);
    for (int jump = -60; jump <= 60; jump += 30) {
        fake_clock_set((int64_t)jump * DAY);
        kept = first;
        for (int i = 0; i < 100; i++) /* in the same moment */
            store_folder_time_advance(&kept, real + (int64_t)jump * DAY);
        assert_true(kept.now >= first.now - 60 && kept.now <= first.now + 60);
        /* Starts that have not looked before: ten minutes each. */
        for (unsigned i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "%x", i);
            call_it(&kept, name);
            store_folder_time_advance(&kept, real + (int64_t)jump * DAY);
        }
        assert_true(kept.now >= first.now - 7 * DAY && kept.now <= first.now + 7 * DAY);
        assert_int_equal(kept.boots, STORE_BOOTS);
        assert_string_equal(kept.boot[0].id, first.boot[0].id);
        assert_string_equal(kept.boot[1].id, "3e7");
    }
    /* Of two that differ, the one that moves less. */
    fake_clock_set(0);
    kept = first;
    call_it(&kept, "another");
    store_folder_time_advance(&kept, real + 60 * DAY);
    assert_true(kept.now < real + 60);
}

/* A month goes by: with a clock that is right the folder's goes on as much, with a wrong one a day
 * more, whoever has looked meanwhile; and it comes back at once. */
static void test_a_month(void **state)
{
    const int64_t real = topomap_clock_date();
    store_folder_time first = {0}, kept;

    (void)state;
    store_folder_time_advance(&first, real);
    if (!first.boots)
        skip();
    first.now -= 30 * DAY;
    first.boot[0].now -= 30 * DAY;
    first.boot[0].up -= 30 * DAY;
    kept = first;
    store_folder_time_advance(&kept, real);
    assert_true(kept.now >= real && kept.now <= real + 60);
    fake_clock_set(60 * DAY);
    kept = first;
    store_folder_time_advance(&kept, real + 60 * DAY);
    assert_true(kept.now >= real + DAY && kept.now <= real + DAY + 60);
    first.now += 20 * DAY;
    store_folder_time_advance(&first, real + 60 * DAY);
    assert_true(first.now >= real + DAY && first.now <= real + DAY + 60);
    fake_clock_set(-60 * DAY);
    kept.boot[0].up -= 30 * DAY;
    store_folder_time_advance(&kept, real - 60 * DAY);
    assert_true(kept.now >= real - 60 * DAY && kept.now <= real - 58 * DAY);
    fake_clock_set(0);
}

static int set_up(void **state)
{
    (void)state;
    umask(022);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_what_cannot_be_written),
        cmocka_unit_test(test_age_and_size),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_first_look_under_a_wrong_clock),
        cmocka_unit_test(test_time_goes_by),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_the_clock),
        cmocka_unit_test(test_a_month),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
