/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin's parts that need no Slurm to run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <slurm/slurm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "plan/bindings.h"
#include "plugin/node/cpus.h"
#include "plugin/common/run_planner.h"
#include "plugin/srun/srun.h"
#include "plugin/common/ranks.h"
#include "plugin/common/reply.h"
#include "tests/unit/messages.h"

/* ---- Layouts ----------------------------------------------------------------------------- */

/* 3 nodes with 3, 2 and 1 tasks. */
static void make_ranks(plugin_ranks *ranks)
{
    topomap_error err;

    assert_int_equal(plugin_ranks_alloc(ranks, 3, 6, &err), 0);
    ranks->first[1] = 3;
    ranks->first[2] = 5;
    ranks->first[3] = 6;
    for (uint32_t i = 0; i < 6; i++)
        ranks->id[i] = i;
}

static void layouts_round_trip(void **state)
{
    plugin_ranks like, ranks;
    topomap_error err;
    char *text;

    (void)state;
    make_ranks(&like);
    text = topomap_layout_format(like.nodes, like.first, like.id, &err);
    assert_string_equal(text, "0-2;3,4;5");
    free(text);
    text = plugin_ranks_counts(&like, &err);
    assert_string_equal(text, "3,2,1");
    free(text);
    assert_int_equal(plugin_ranks_parse("0,2,5;1,4;3", &like, &ranks, &err), 0);
    text = topomap_layout_format(ranks.nodes, ranks.first, ranks.id, &err);
    assert_string_equal(text, "0,2,5;1,4;3");
    free(text);
    plugin_ranks_clear(&ranks);
    plugin_ranks_clear(&like);
}

static void bad_layouts_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "0-2",
        "0-2;3-4",
        "0-2;3-4;5;",
        "0-2;3-4;5 ",
        "0-2;3-4;5;6",
        "0-3;4;5",
        "0-2;3;4-5",
        "0-2;3-4;6",
        "0-2;3-4;4",
        "0,2,1;3-4;5",
        "0-2;4-3;5",
        "0--2;3-4;5",
        "0-2;3-4;-5",
        "0-2;3-4;x",
        "0-2,;3-4;5",
        ",0-2;3-4;5",
        "0-2;;3-5",
        "0-2;3-4;5x",
        "0-2;3-4; 5",
        "0-4294967295;3-4;5",
        "0-2;3-4;4294967301",
        "0-2;3-4;99999999999999999999",
        "0 1 2;3 4;5",
        "0-2,3-4;5",
    };
    plugin_ranks like, ranks;
    topomap_error err;

    (void)state;
    make_ranks(&like);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(plugin_ranks_parse(texts[i], &like, &ranks, &err), -1);
    plugin_ranks_clear(&like);
}

static void only_a_named_mpi_is_surely_not_pmi2(void **state)
{
    (void)state;
    unsetenv("SLURM_MPI_TYPE");
    assert_true(plugin_mpi_may_be_pmi2("pmi2"));
    assert_false(plugin_mpi_may_be_pmi2("pmix"));
    assert_true(plugin_mpi_may_be_pmi2(NULL));
    setenv("SLURM_MPI_TYPE", "pmix_v4", 1);
    assert_false(plugin_mpi_may_be_pmi2(NULL));
    assert_true(plugin_mpi_may_be_pmi2("cray_shasta,pmi2"));
    unsetenv("SLURM_MPI_TYPE");
}

/* ---- mpi/pmi2's mapping ------------------------------------------------------------------ */

static uint32_t chosen_for(uint32_t nodes, uint32_t each, uint32_t (*node_of)(uint32_t rank),
                           uint32_t task_dist, int pmi2, int plane)
{
    plugin_ranks ranks;
    topomap_error err;
    uint32_t chosen = 0, at = 0;

    assert_int_equal(plugin_ranks_alloc(&ranks, nodes, nodes * each, &err), 0);
    for (uint32_t node = 0; node < nodes; node++) {
        for (uint32_t rank = 0; rank < nodes * each; rank++)
            if (node_of(rank) == node)
                ranks.id[at++] = rank;
        ranks.first[node + 1] = at;
    }
    assert_int_equal(plugin_ranks_check(&ranks, &err), 0);
    if (plugin_procmap_choose(&ranks, task_dist, pmi2, plane, &chosen, &err))
        chosen = 0;
    plugin_ranks_clear(&ranks);
    return chosen;
}

static uint32_t pairs_back(uint32_t rank) /* 4 nodes of 4: 33 22 11 00 33 22 11 00 */
{
    return 3 - rank / 2 % 4;
}

static uint32_t blocks_back(uint32_t rank) /* 8 nodes of 64 */
{
    return 7 - rank / 64;
}

static uint32_t scattered(uint32_t rank) /* 2 nodes of 512 */
{
    return __builtin_popcount(rank) & 1;
}

/* Slurm 26.05 along its topology: 2 tasks on the first node, 1 on the second, which has rank 0. */
static void block_maps_count_up_whatever_the_ids(void **state)
{
    uint32_t first[] = {0, 2, 3}, along[] = {1, 2, 0}, up[] = {0, 1, 2};
    plugin_ranks ranks = {.nodes = 2, .tasks = 3, .first = first, .id = along};

    (void)state;
    assert_false(plugin_procmap_is_honest(&ranks, SLURM_DIST_BLOCK));
    assert_false(plugin_procmap_is_honest(&ranks, SLURM_DIST_BLOCK_CFULL | SLURM_DIST_PACK_NODES));
    assert_false(plugin_procmap_is_honest(&ranks, SLURM_DIST_UNKNOWN));
    assert_true(plugin_procmap_is_honest(&ranks, SLURM_DIST_CYCLIC_BLOCK));
    assert_true(plugin_procmap_is_honest(&ranks, SLURM_DIST_PLANE));
    assert_true(plugin_procmap_is_honest(&ranks, SLURM_DIST_ARBITRARY));
    ranks.id = up;
    assert_true(plugin_procmap_is_honest(&ranks, SLURM_DIST_BLOCK));
}

static void mapping_stays_true(void **state)
{
    (void)state;
    assert_int_equal(chosen_for(4, 4, pairs_back, SLURM_DIST_BLOCK_CFULL, 1, 1),
                     SLURM_DIST_CYCLIC_CFULL);
    assert_int_equal(chosen_for(4, 4, pairs_back, SLURM_DIST_PACK_NODES | SLURM_DIST_BLOCK, 1, 1),
                     SLURM_DIST_PACK_NODES | SLURM_DIST_CYCLIC);
    assert_int_equal(chosen_for(4, 4, pairs_back, SLURM_DIST_PLANE, 1, 0), SLURM_DIST_PLANE);
    assert_int_equal(chosen_for(8, 64, blocks_back, SLURM_DIST_BLOCK, 1, 1), SLURM_DIST_PLANE);
    /* Too long for MPICH; another mpi plugin takes any length. */
    assert_int_equal(chosen_for(8, 64, blocks_back, SLURM_DIST_BLOCK, 1, 0), 0);
    assert_int_equal(chosen_for(2, 512, scattered, SLURM_DIST_BLOCK, 1, 1), 0);
    assert_int_equal(chosen_for(2, 512, scattered, SLURM_DIST_BLOCK, 0, 1), SLURM_DIST_CYCLIC);
}

/* ---- Replies ----------------------------------------------------------------------------- */

static size_t sign(char *text)
{
    size_t size = strlen(text);

    return size + (size_t)sprintf(text + size, "end %08x\n", topomap_crc32(0, text, size));
}

static const char good[] = "topomap-reply 1\nstatus applied\nline a line\nquiet 1\nplan-id 9f3c\n"
                           "gain 43.1\nnew-key with a value\nlayout 1;0\nexplain 9\nline one\n\n";

static void replies_are_read(void **state)
{
    char text[512];
    plugin_reply reply;
    topomap_error err;
    size_t size;

    (void)state;
    strcpy(text, good);
    size = sign(text);
    assert_int_equal(plugin_reply_read(text, size, &reply, &err), 0);
    assert_int_equal(reply.status, PLUGIN_APPLIED);
    assert_string_equal(reply.line, "a line");
    assert_string_equal(reply.plan_id, "9f3c");
    assert_string_equal(reply.gain, "43.1");
    assert_string_equal(reply.layout, "1;0");
    assert_null(reply.bindings);
    assert_int_equal(reply.explain_size, 9);
    assert_memory_equal(reply.explain, "line one\n", 9);
    strcpy(text, "topomap-reply 1\nstatus failed\ngain -1000000000.000\nsearched 0.014089\n");
    size = sign(text);
    assert_int_equal(plugin_reply_read(text, size, &reply, &err), 0);
    assert_string_equal(reply.gain, "-1000000000.000");
    assert_string_equal(reply.searched, "0.014089");
}

static void damaged_replies_are_refused(void **state)
{
    static const char *const bad[] = {
        "topomap-reply 1\n",
        "topomap-reply 2\nstatus failed\n",
        "topomap-reply 1\nstatus\n",
        "topomap-reply 1\nstatus maybe\n",
        "topomap-reply 1\nstatus applied\n", /* without a layout */
        "topomap-reply 1\nstatus failed\nquiet 2\n",
        "topomap-reply 1\nstatus failed\nplan-id x y\n",
        "topomap-reply 1\nstatus failed\ngain 1;rm\n",
        "topomap-reply 1\nstatus failed\ngain 99999999999999999999999999999999\n",
        "topomap-reply 1\nstatus failed\ngain --..--\n",
        "topomap-reply 1\nstatus failed\ngain 1.2.3\n",
        "topomap-reply 1\nstatus failed\ngain .5\n",
        "topomap-reply 1\nstatus failed\nsearched 99999999999\n",
        "topomap-reply 1\nstatus failed\nsearched -1\n",
        "topomap-reply 1\nstatus failed\nsearched ..\n",
        "topomap-reply 1\nstatus failed\nexplain 5\nabc\n",
        "topomap-reply 1\nstatus failed\nexplain -1\nabc\n",
        "topomap-reply 1\nstatus failed\nexplain 99999999999999999999\nabc\n",
        "topomap-reply 1\nstatus failed\nline unfinished",
    };
    char text[512], *copy;
    plugin_reply reply;
    topomap_error err;
    size_t size;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        strcpy(text, bad[i]);
        size = sign(text);
        assert_int_equal(plugin_reply_read(text, size, &reply, &err), -1);
    }
    strcpy(text, good);
    size = sign(text);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            copy = strndup(text, size);
            copy[i] ^= (char)(1 << bit);
            assert_int_equal(plugin_reply_read(copy, size, &reply, &err), -1);
            free(copy);
        }
        copy = strndup(text, i);
        assert_int_equal(plugin_reply_read(copy, i, &reply, &err), -1);
        free(copy);
    }
}

/* ---- CPUs -------------------------------------------------------------------------------- */

/* A node of 4 cores, PUs c and c + 4; tasks with the PUs of `plan`, `each` of them a task. */
static struct {
    topomap_node_plan plan;
    uint32_t task_first[9];
    uint16_t core_first[5], pu_os[8], run[2 * 8];
} four;

static void make_node(uint32_t tasks, uint32_t each, const uint32_t *plan)
{
    memset(&four, 0, sizeof four);
    for (uint32_t core = 0; core < 4; core++) {
        four.core_first[core + 1] = (uint16_t)(2 * core + 2);
        four.pu_os[2 * core] = (uint16_t)core;
        four.pu_os[2 * core + 1] = (uint16_t)(core + 4);
    }
    for (uint32_t i = 0; i < tasks * each; i++) {
        four.run[2 * i] = (uint16_t)(plan[i] % 4 * 2 + plan[i] / 4);
        four.run[2 * i + 1] = 1;
    }
    for (uint32_t task = 0; task <= tasks; task++)
        four.task_first[task] = task * each;
    four.plan = (topomap_node_plan){.tasks = tasks,
                                    .cores = 4,
                                    .pus = 8,
                                    .runs = tasks * each,
                                    .task_first = four.task_first,
                                    .core_first = four.core_first,
                                    .pu_os = four.pu_os,
                                    .run = four.run};
    assert_true(topomap_node_plan_is_sound(&four.plan));
}

/* Bits of allowed and chosen CPUs; -1: Slurm's binding stays. */
static int bits_of(unsigned allowed, uint32_t task)
{
    plugin_cpus set = {{allowed}}, mask;

    return plugin_cpus_of_task(&four.plan, &set, task, &mask) ? -1 : (int)mask.bit[0];
}

static void cpus_follow_the_plan_where_they_may(void **state)
{
    static const uint32_t cores[] = {3, 7, 1, 5}, numa[] = {2, 3, 2, 3}, pus[] = {3, 1, 0};
    static const uint32_t shared[] = {3, 7, 0, 4, 3, 7, 0, 4};

    (void)state;
    make_node(2, 2, cores); /* tasks on cores 3 and 1 */
    assert_int_equal(bits_of(0xff, 0), 0x88);
    assert_int_equal(bits_of(0xff, 1), 0x22);
    assert_int_equal(bits_of(0x55, 0), 0x44); /* cores 0 and 2 alone: the order stays */
    assert_int_equal(bits_of(0x55, 1), 0x11);
    assert_int_equal(bits_of(0x33, 0), 0x22); /* cores 0 and 1 */
    assert_int_equal(bits_of(0x33, 1), 0x11);
    assert_int_equal(bits_of(0x22, 0), 0x20); /* one core for two: a thread each */
    assert_int_equal(bits_of(0x22, 1), 0x02);
    assert_int_equal(bits_of(0x07, 0), 0x06); /* three PUs for four */
    assert_int_equal(bits_of(0x07, 1), 0x01);
    assert_int_equal(bits_of(0x04, 0), -1); /* fewer than tasks */
    assert_int_equal(bits_of(0x00, 0), -1);
    assert_int_equal(bits_of(0xff, 2), -1); /* no such task */

    make_node(2, 2, numa); /* both tasks on the PUs 2 and 3 */
    assert_int_equal(bits_of(0xff, 1), 0x0c);
    assert_int_equal(bits_of(0x04, 0), -1); /* one for both, though each has an allowed one */
    assert_int_equal(bits_of(0x04, 1), -1);
    assert_int_equal(bits_of(0x03, 0), 0x03); /* none of them: as many others, shared */
    assert_int_equal(bits_of(0x03, 1), 0x03);
    assert_int_equal(bits_of(0x00, 1), -1);

    make_node(4, 2, shared); /* two tasks a core, on cores 0 and 3 */
    assert_int_equal(bits_of(0x33, 0), 0x22);
    assert_int_equal(bits_of(0x33, 1), 0x11);
    assert_int_equal(bits_of(0x33, 2), 0x22);
    assert_int_equal(bits_of(0x33, 3), 0x11);

    make_node(3, 1, pus); /* first hardware threads: others only if there is no choice */
    assert_int_equal(bits_of(0x77, 2), 0x01);
    assert_int_equal(bits_of(0x77, 1), 0x02);
    assert_int_equal(bits_of(0x77, 0), 0x04);
    assert_int_equal(bits_of(0x33, 2), 0x01);
    assert_int_equal(bits_of(0x33, 1), 0x10);
    assert_int_equal(bits_of(0x33, 0), 0x02);
}

static void slurms_cores_cut_the_cpus(void **state)
{
    static const char *const bad[] = {"4", "0-4", "x", "0,", "0 1", "2-1", "-1", "0-", "0,,1"};
    static const uint32_t plan[] = {0};
    plugin_cpus set = {{0xff}};

    (void)state;
    make_node(1, 1, plan);
    assert_int_equal(plugin_cpus_cut(&set, "0-1,3", &four.plan), 0);
    assert_int_equal(set.bit[0], 0xbb);
    assert_int_equal(plugin_cpus_cut(&set, "1", &four.plan), 0);
    assert_int_equal(set.bit[0], 0x22);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strcmp(bad[i], "0,")) /* a list may end with a comma */
            assert_int_equal(plugin_cpus_cut(&set, bad[i], &four.plan), -1);
    assert_int_equal(set.bit[0], 0x22);
}

static void cpu_lists_and_masks_are_read(void **state)
{
    static const char *const lists[] = {"", "x", "3-", "2-1", "0 1", "8192", "0-3,,5"};
    static const char *const masks[] = {"", "0x", "0x1,", "0x1 0x2", "0xg", ",0x1"};
    plugin_cpus set, all, some;

    (void)state;
    assert_int_equal(plugin_cpus_read_list("0-2,9\n", &set), 0);
    assert_int_equal(set.bit[0], 0x0207);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_int_equal(plugin_cpus_read_list(lists[i], &set), -1);
    assert_int_equal(plugin_cpus_read_masks("0x0003,0x0C00,0x10000000000000000", &set), 0);
    assert_int_equal(set.bit[0], 0x0c03);
    assert_true(plugin_cpus_has(&set, 64));
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        assert_int_equal(plugin_cpus_read_masks(masks[i], &set), -1);
    assert_int_equal(plugin_cpus_read_list("0-15", &all), 0);
    assert_int_equal(plugin_cpus_read_list("3,15", &some), 0);
    assert_true(plugin_cpus_within(&some, &all));
    assert_false(plugin_cpus_within(&all, &some));
}

/* ---- Memory that is not there ------------------------------------------------------------ */

static void bad_addresses_are_no_crash(void **state)
{
    static const char constant[] = "constant";
    plugin_memory memory;
    char big[20000], copy[20000];

    (void)state;
    memset(big, 7, sizeof big);
    assert_int_equal(plugin_memory_open(&memory), 0);
    assert_int_equal(plugin_memory_read(&memory, big, copy, sizeof big), 0);
    assert_memory_equal(big, copy, sizeof big);
    assert_int_equal(plugin_memory_read(&memory, NULL, copy, 1), -1);
    assert_int_equal(plugin_memory_read(&memory, (void *)8, copy, 8), -1);
    assert_int_equal(plugin_memory_read(&memory, (void *)(UINTPTR_MAX - 100), copy, 8), -1);
    assert_int_equal(plugin_memory_read(&memory, constant, copy, sizeof constant), 0);
    assert_string_equal(copy, constant);
    assert_int_equal(plugin_memory_write(&memory, (void *)constant, "x", 1), -1);
    assert_int_equal(plugin_memory_read(&memory, constant, copy, sizeof constant), 0);
    assert_string_equal(copy, constant); /* nothing of a failure is left in the pipe */
    plugin_memory_close(&memory);
}

/* ---- A process that is not the planner --------------------------------------------------- */

static void odd_programs_are_survived(void **state)
{
    topomap_error err;
    char *reply;
    size_t size;

    (void)state;
    assert_int_equal(plugin_launch_run("/nonexist", "x", 1000, &reply, &size, &err), -1);
    assert_int_equal(plugin_launch_run("/bin/true", "x", 1000, &reply, &size, &err), -1);
    assert_message(err.text, "status 0");
    assert_int_equal(plugin_launch_run("/bin/cat", "x", 300, &reply, &size, &err), -1);
    assert_message(err.text, "no answer");
}

static int held;

/* In place of libc's: a planner that a file system holds in the kernel never ends. */
pid_t waitpid(pid_t pid, int *status, int options)
{
    if (held && !(options & WNOHANG))
        fail_msg("srun waits for a process that cannot be killed");
    return held ? 0 : wait4(pid, status, options, NULL);
}

static void a_planner_that_cannot_be_killed_is_left(void **state)
{
    struct timespec before, after;
    topomap_error err;
    char *reply;
    size_t size;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &before);
    held = 1;
    assert_int_equal(plugin_launch_run("/bin/cat", "x", 100, &reply, &size, &err), -1);
    held = 0;
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec < 30);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_round_trip),
        cmocka_unit_test(bad_layouts_are_refused),
        cmocka_unit_test(mapping_stays_true),
        cmocka_unit_test(block_maps_count_up_whatever_the_ids),
        cmocka_unit_test(only_a_named_mpi_is_surely_not_pmi2),
        cmocka_unit_test(replies_are_read),
        cmocka_unit_test(damaged_replies_are_refused),
        cmocka_unit_test(cpus_follow_the_plan_where_they_may),
        cmocka_unit_test(slurms_cores_cut_the_cpus),
        cmocka_unit_test(cpu_lists_and_masks_are_read),
        cmocka_unit_test(bad_addresses_are_no_crash),
        cmocka_unit_test(odd_programs_are_survived),
        cmocka_unit_test(a_planner_that_cannot_be_killed_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
