/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores of a job that has a part of its nodes: what scontrol prints on several versions of
 * Slurm, when it is asked, and a scontrol that does not do what it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/planner/request/request.h"
#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "util/clock.h"

static topomap_error err;

/* ---- Records ------------------------------------------------------------------------------ */

#define HEAD "scontrol: show job 7\n"
#define NODE(name, sockets, cores, threads)                                                        \
    "NodeName=" name " Arch=x86_64 CoresPerSocket=" #cores                                         \
    "  CPUAlloc=3 CPUEfctv=4 CPUTot=4 NodeAddr=127.0.0.1 NodeHostName=" name                       \
    " OS=Linux 6.1 #1 SMP PREEMPT_DYNAMIC  RealMemory=1 Sockets=" #sockets                         \
    " Boards=1 State=MIXED ThreadsPerCore=" #threads " TmpDisk=0 \n"

/* As the versions write the line, with what is between. */
static const char *const forms[] = {
    /* 22.05: two blanks before each group */
    HEAD "JobId=7 JobName=a b UserId=u(1) NumNodes=3 ReqB:S:C:T=0:0:*:* Socks/Node=* "
         "JOB_GRES=gpu:4   Nodes=n1,n[3-4] CPU_IDs=0-3,8 Mem=100 GRES=gpu:2(IDX:0-1)   "
         "Nodes=n2 CPU_IDs=4 Mem=0 GRES= MinCPUsNode=1 Command=(null) WorkDir=/tmp Power= \n",
    /* 24.11 */
    HEAD "JobId=7 JobName=x NodeList=n[1-4] NumNodes=4 AllocTRES=cpu=3,node=4 JOB_GRES=(null)   "
         "Nodes=n[1,3-4] CPU_IDs=0-3,8 Mem=100 GRES=   Nodes=n2 CPU_IDs=4 Mem=0 "
         "GRES=gpu:tesla:1(IDX:3) MinCPUsNode=1\n",
    /* 26.05: one blank, and the whole command at the end */
    HEAD "JobId=7 JobName=x SLUID=s621M81YVQ1H00 UserId=u(1) ReqNodeList=n[1-4] JOB_GRES=(null) "
         "Nodes=n1 CPU_IDs=0-3,8 Mem=0 GRES= Nodes=n2 CPU_IDs=4 Mem=0 GRES= Nodes=n[3-4] "
         "CPU_IDs=0-3,8 Mem=0 GRES= MinCPUsNode=1 SubmitLine=srun a \"b\" WorkDir=/tmp\n",
    /* without readline the prompt is where the record begins; others of the array before it */
    "scontrol: JobId=6 ArrayJobId=6 ArrayTaskId=1 JOB_GRES=(null) Nodes=n9 CPU_IDs=9 Mem=0 GRES= \n"
    "JobId=7 ArrayJobId=6 ArrayTaskId=2 JOB_GRES=(null) Nodes=n[1-4] CPU_IDs=0-3,8 Mem=0 GRES= "
    "Nodes=n2 CPU_IDs=4 Mem=0 GRES= \n",
};

static void every_version_s_record_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        planner_slurm_job job;

        if (planner_scontrol_job(forms[i], 7, &job, &err) != 0)
            fail_msg("form %zu: %s", i, err.text);
        for (const char *const *name = (const char *const[]){"n1", "n3", "n4", NULL}; *name;
             name++) {
            size_t at = topomap_names_find(&job.names, *name, 0);

            assert_true(at < job.names.count);
            assert_int_equal(strncmp(job.cpus[at], "0-3,8 ", 6), 0);
        }
        assert_true(topomap_names_find(&job.names, "n2", 1) < job.names.count);
        assert_int_equal(topomap_names_find(&job.names, "n9", 0), job.names.count);
        planner_slurm_job_clear(&job);
    }
}

static void gpus_of_a_node(void **state)
{
    static const struct {
        const char *gres, *gpus; /* NULL: it is not told which */
    } rows[] = {
        {"", ""},
        {"gpu:4(IDX:0-3) ", "0 1 2 3 "},
        {"gpu:2(IDX:0,3)\n", "0 3 "},
        {"gpu:tesla:1(IDX:3) MinCPUsNode=1", "3 "},
        {"gpu:b:2(IDX:2-3),gpu:a:2(IDX:0-1)", "0 1 2 3 "},
        {"nic:2(IDX:0-1),gpu:3(IDX:1,4-5),x", "1 4 5 "},
        {"gpu:0(IDX:) gpu:1(IDX:0)", ""},
        {"gpumem:2(IDX:0-1)", ""},
        {"shard:4(IDX:0-1)", ""},
        {"gpu:2", NULL},
        {"gpu:2(IDX:N/A)", NULL},
        {"gpu:2(IDX:0-", NULL},
        {"gpu:2(IDX:1-0)", NULL},
        {"gpu:a:1(IDX:0),gpu:b:1(IDX:0)", NULL},
        {"gpu:9(IDX:0-8)", NULL}, /* more than there is room */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t gpu[8], count;
        char told[64] = "";
        int status = planner_scontrol_gpus(rows[i].gres, gpu, 8, &count);

        for (uint32_t k = 0; status == 0 && k < count; k++)
            sprintf(told + strlen(told), "%u ", gpu[k]);
        if (status != (rows[i].gpus ? 0 : -1) || (rows[i].gpus && strcmp(told, rows[i].gpus)))
            fail_msg("%s: %d, '%s'", rows[i].gres, status, told);
    }
}

static void records_that_tell_nothing(void **state)
{
    static char cut[256], list[128];
    static const char *const texts[] = {
        "",
        "\n",
        "scontrol: \n",
        "slurm_load_jobs error: Invalid job id specified\n",
        "JobId=70 Nodes=n1 CPU_IDs=0 Mem=0 GRES=\n",
        "JobId=7 JobName=x NodeList=n1 NumNodes=1\n",
        "JobId=7 Nodes=n1 Mem=0 CPU_IDs=0\n",
        "JobId=7 Nodes=n[1 CPU_IDs=0 Mem=0\n",
        "JobId=7 Nodes= CPU_IDs=0 Mem=0\n",
        "JobId=8 Comment=JobId=7 Nodes=n1 CPU_IDs=0 Mem=0 GRES=\n",
        cut,
    };

    (void)state;
    memset(list, '1', sizeof list - 1);
    list[127] = 0; /* as long as the older versions write at most */
    snprintf(cut, sizeof cut, "JobId=7 Nodes=n1 CPU_IDs=%s Mem=0 GRES=\n", list);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        planner_slurm_job job;

        if (planner_scontrol_job(texts[i], 7, &job, &err) != -1 || err.code == TOPOMAP_ESYSTEM)
            fail_msg("'%s' was taken", texts[i]);
        assert_int_equal(job.names.count, 0);
    }
}

static void slurm_s_counts_of_a_node(void **state)
{
    static const char text[] =
        HEAD "JobId=7 Nodes=n1\nscontrol: show node n1,n2\n" NODE("n1", 2, 4, 2)
            NODE("n2", 1, 64, 1) "NodeName=n3 CoresPerSocket=x Sockets=1\n"
                                 "Node n4 not found\n";
    const struct {
        const char *name;
        uint32_t cores, threads;
    } rows[] = {{"n1", 8, 2}, {"n2", 64, 1}, {"n3", 0, 1}, {"n4", 0, 1}, {"n", 0, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        planner_slurm_node node = planner_scontrol_node(text, rows[i].name);

        assert_int_equal(node.cores, rows[i].cores);
        assert_int_equal(node.threads, rows[i].threads);
    }
}

static void cpus_are_cores_by_slurm_s_threads(void **state)
{
    static const struct {
        const char *cpus;
        uint32_t threads;
        const char *cores; /* NULL: no list of a node of eight */
    } rows[] = {
        {"0-3,5 Mem=0", 1, "0 1 2 3 5 "},
        {"0-3,8-9 Mem", 2, "0 1 4 "},
        {"0-15\n", 2, "0 1 2 3 4 5 6 7 "},
        {"4-7,12-15", 4, "1 3 "},
        {"0-31", 4, "0 1 2 3 4 5 6 7 "},
        {"7", 1, "7 "},
        {"8", 1, NULL},
        {"14-15", 2, "7 "},
        {"14-16", 2, NULL},
        {"1-2", 2, NULL},
        {"3", 2, NULL},
        {"3,2", 1, NULL},
        {"2,2", 1, NULL},
        {"3-2", 1, NULL},
        {"", 1, NULL},
        {"0,", 1, NULL},
        {"0-", 1, NULL},
        {"(null)", 1, NULL},
        {"0;1", 1, NULL},
        {"4294967296", 1, NULL},
        {"0-4294967295", 2, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64] = "";
        uint32_t core[8], count;
        int status = planner_scontrol_cores(rows[i].cpus, rows[i].threads, 8, core, &count);

        if (status != (rows[i].cores ? 0 : -1))
            fail_msg("'%s': %d", rows[i].cpus, status);
        for (uint32_t c = 0; !status && c < count; c++)
            sprintf(text + strlen(text), "%u ", core[c]);
        if (rows[i].cores)
            assert_string_equal(text, rows[i].cores);
    }
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* Nodes n1, n2 of 8 cores of 2 threads, n3 of 4 cores of 1, n4 not known inside. */
static uint32_t pus[2][9] = {{0, 2, 4, 6, 8, 10, 12, 14, 16}, {0, 1, 2, 3, 4}};
static topomap_bindings_class classes[] = {{8, pus[0], NULL}, {4, pus[1], NULL}};
static uint32_t class_of[] = {0, 0, 1, UINT32_MAX};
static const topomap_bindings insides = {
    .classes = 2, .node_class = classes, .nodes = 4, .class_of = class_of};

/* A request for four nodes with one task each. */
static void make_request(const char *more, planner_request *request)
{
    char text[1024];
    FILE *in;

    snprintf(text, sizeof text,
             "topomap-request 1\njob 7\nstep 0\ndb /db\nnodes n[1-4]\ntasks 1(x4)\nlayout "
             "0;1;2;3\n%send\n",
             more);
    in = fmemopen(text, strlen(text), "r");
    if (planner_request_read(in, request, &err) != 0)
        fail_msg("%s: %s", more, err.text);
    fclose(in);
}

static void who_has_whole_nodes_asks_nobody(void **state)
{
    static const struct {
        const char *lines;
        int asks;
    } rows[] = {
        {"job-cpus 16(x2),4,1\nscontrol /s\n", 0},
        {"job-cpus 16(x2),4,1\n", 0},
        {"job-cpus 16,8,4,1\nscontrol /s\n", 1},
        {"job-cpus 16,8,4,1\n", 0},
        {"job-cpus 16,8,4,1\nscontrol /s\nbind none\n", 0},
        {"job-cpus 16,8,4,1\nscontrol /s\ncores *\n", 0},
        {"job-cpus 16(x2),3,1\nscontrol /s\n", 1},
        {"scontrol /s\n", 1},
        {"job-cpus 16(x3)\nscontrol /s\n", 1},
        {"job-cpus sixteen\nscontrol /s\n", 1},
        {"job-cpus 16(x4)\njob-nodes n[1-3]\nscontrol /s\n", 1},
        {"job-cpus 4,1,16(x3)\njob-nodes n[3-4],n0,n[1-2]\nscontrol /s\n", 0},
        {"job-cpus 16(x2),4(x2)\njob-nodes n[0-3]\nscontrol /s\n", 1},
        {"job-cpus 16(x2),4\njob-nodes n[1-3]\nscontrol /s\n", 0}, /* n4 has no inside */
        {"job-cpus 16(x2),4\njob-nodes n[1-3\nscontrol /s\n", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        planner_request request;

        make_request(rows[i].lines, &request);
        if (planner_cores_wanted(&request, &insides) != rows[i].asks)
            fail_msg("%s: expected %d", rows[i].lines, rows[i].asks);
        planner_request_clear(&request);
    }
}

/* Class 1 is counted by n3. */
#define NODES NODE("n1", 2, 4, 2) NODE("n3", 1, 4, 1)

static void answers_become_lists_of_cores(void **state)
{
    static const struct {
        const char *text, *cores; /* or what the error says, with '!' */
    } rows[] = {
        {"JobId=7 Nodes=n[1-2] CPU_IDs=0-3,8-9 Mem=0 GRES= Nodes=n3 CPU_IDs=1-2 Mem=0 GRES= "
         "Nodes=n4 CPU_IDs=0-99 Mem=0 GRES=\n" NODES,
         "0-1,4(x2);1-2;*"},
        {"JobId=7 Nodes=n1,n4 CPU_IDs=0-15 Mem=0 GRES= Nodes=n2 CPU_IDs=14-15 Mem=0 GRES= "
         "Nodes=n[3,5-9] CPU_IDs=0-3 Mem=0 GRES=\n" NODES,
         "*;7;*(x2)"},
        {"JobId=7 Nodes=n[1-4] CPU_IDs=0-3 Mem=0 GRES=\n" NODES, "0-1(x2);*(x2)"},
        /* nodes that this user may not see have one thread a core for scontrol */
        {"JobId=7 Nodes=n[1-4] CPU_IDs=0-3 Mem=0 GRES=\nslurm_load_node error: Access denied\n",
         "0-3(x2);*(x2)"},
        {"JobId=7 Nodes=n[1-3] CPU_IDs=0-3 Mem=0 GRES=\n" NODES, "!n4"},
        {"JobId=7 Nodes=n[1-4] CPU_IDs=0-5 Mem=0 GRES=\n" NODES, "!CPUs of n3"},
        {"JobId=7 Nodes=n[1-4] CPU_IDs=1-2 Mem=0 GRES=\n" NODES, "!CPUs of n1"},
        {"JobId=7 Nodes=n[1-4] CPU_IDs=0-3 Mem=0 GRES=\n" NODE("n1", 16, 1, 1) NODE("n3", 1, 4, 1),
         "!16 cores|n1|8"},
        {"JobId=9 Nodes=n[1-4] CPU_IDs=0-3 Mem=0 GRES=\n" NODES, "!job 7"},
    };
    planner_request request;

    (void)state;
    make_request("scontrol /s\n", &request);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topomap_cores cores, again;
        int status = planner_cores_read(&request, &insides, rows[i].text, &cores, &err);
        char *text;

        assert_int_equal(status, *rows[i].cores == '!' ? -1 : 0);
        if (status) {
            if (!message_has(err.text, rows[i].cores + 1))
                fail_msg("expected '%s', found '%s'", rows[i].cores + 1, err.text);
            continue;
        }
        text = topomap_cores_format(&cores, &err);
        assert_string_equal(text, rows[i].cores);
        assert_int_equal(topomap_cores_parse(text, 4, &again, &err), 0);
        assert_memory_equal(again.first, cores.first, 5 * sizeof *cores.first);
        assert_memory_equal(again.core, cores.core, cores.first[4] * sizeof *cores.core);
        topomap_cores_clear(&again);
        topomap_cores_clear(&cores);
        free(text);
    }
    planner_request_clear(&request);
}

/* ---- Programs ----------------------------------------------------------------------------- */

static const char *program(const char *name, const char *script)
{
    const char *path = scratch_text(name, script);

    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static void scontrol_is_asked_for_one_node_of_each_class(void **state)
{
    char lines[512], *asked, *text;
    const char *path = program("scontrol", "#!/bin/sh\n"
                                           "{ echo $*; cat; } >${0%/*}/asked\n"
                                           "printf 'JobId=7 Nodes=n[1-4] CPU_IDs=2-3 Mem=0\\n"
                                           "NodeName=n1 Sockets=2 CoresPerSocket=4 "
                                           "ThreadsPerCore=2\\n'\n");
    planner_request request;
    topomap_cores cores;
    size_t size;

    (void)state;
    snprintf(lines, sizeof lines, "scontrol /no/such/program:%s\nscontrol-time 9\n", path);
    make_request(lines, &request);
    text = planner_cores_ask(&request, &insides, &err);
    if (!text || planner_cores_read(&request, &insides, text, &cores, &err) != 0)
        fail_msg("%s", err.text);
    free(text);
    assert_int_equal(cores.first[1], 1);
    assert_int_equal(cores.core[0], 1);
    assert_int_equal(cores.first[2], 2);
    topomap_cores_clear(&cores);
    planner_request_clear(&request);
    asked = scratch_slurp(scratch_path("asked"), &size);
    assert_string_equal(asked, "-a -d -o\nshow job 7\nshow node n1,n3\n");
    free(asked);
}

static void programs_that_do_not_answer(void **state)
{
    static const char *const words[] = {"scontrol", NULL};
    static const struct {
        const char *script, *says;
    } rows[] = {
        {"#!/bin/sh\necho JobId=7; exec sleep 60 >&-\n", NULL}, /* it lingers with nothing open */
        {"#!/bin/sh\necho JobId=7; exit 3\n", NULL},
        {"#!/bin/sh\necho JobId=7; kill -9 $$\n", NULL},
        {"#!/bin/sh\nexec sleep 60\n", "time"},
        {"#!/bin/sh\necho JobId=7; exec sleep 60\n", "time"},
        {"#!/bin/sh\nsleep 60 & echo JobId=7\n", "time"},
        {"#!/bin/sh\nyes\n", "10000"},
        {"#!/bin/sh\nexit 1\n", "says nothing"},
        {"#!/bin/sh\ncat >&2\n", "says nothing"},
        {"#!/no/such/interpreter\n", "cannot be run"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[16], *text;
        double began = topomap_clock_wall();

        snprintf(name, sizeof name, "fails%zu", i);
        text = planner_run_program(program(name, rows[i].script), words, "show job 7\n", 0.5, 10000,
                                   &err);
        if (topomap_clock_wall() - began > 5)
            fail_msg("row %zu took %.1f s", i, topomap_clock_wall() - began);
        if (rows[i].says && (text || !message_has(err.text, rows[i].says)))
            fail_msg("row %zu: expected '%s', found '%s'", i, rows[i].says, text ? text : err.text);
        if (!rows[i].says)
            assert_string_equal(text, "JobId=7\n");
        free(text);
    }
    assert_null(planner_run_program("/no/such/a:/no/such/b", words, "", 1, 100, &err));
    assert_message(err.text, "/no/such/b");
    assert_null(planner_run_program("", words, "", 1, 100, &err));
}

/* Nothing of the planner's stays open in it: who waits for the planner's reply waits for no other.
 */
static void a_program_has_nothing_of_ours(void **state)
{
    static const char *const words[] = {"fds", NULL};
    const char *path = program("fds", "#!/bin/sh\nls -l /proc/self/fd | sed -n 's/.* \\([0-9]*\\) "
                                      "-> \\(.*\\)/\\1 \\2/p'\n");
    int fd = dup(STDERR_FILENO);
    char *text = planner_run_program(path, words, "", 5, 10000, &err);

    (void)state;
    assert_non_null(text);
    assert_non_null(strstr(text, "0 pipe:"));
    assert_non_null(strstr(text, "2 /dev/null"));
    for (char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strtol(line, NULL, 10) > 2 && !strstr(line, "/proc/"))
            fail_msg("it has %s", line);
    close(fd);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_s_record_is_read),
        cmocka_unit_test(gpus_of_a_node),
        cmocka_unit_test(records_that_tell_nothing),
        cmocka_unit_test(slurm_s_counts_of_a_node),
        cmocka_unit_test(cpus_are_cores_by_slurm_s_threads),
        cmocka_unit_test(who_has_whole_nodes_asks_nobody),
        cmocka_unit_test(answers_become_lists_of_cores),
        cmocka_unit_test(scontrol_is_asked_for_one_node_of_each_class),
        cmocka_unit_test(programs_that_do_not_answer),
        cmocka_unit_test(a_program_has_nothing_of_ours),
    };

    return cmocka_run_group_tests_name("scontrol", tests, scratch_setup, scratch_teardown);
}
