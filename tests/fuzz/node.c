/* SPDX-License-Identifier: BSD-3-Clause */
/* What topomap-node reads of slurmstepd and decodes for it, what slurmstepd reads of topomap-node,
 * and what srun checks of bindings. All of it is a user's to forge: an input may take no more time
 * and memory than is said. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "plan/bindings.h"
#include "plugin/helper/helper.h"

enum { TASKS = 8 };

/* ---- The decoder in topomap-node --------------------------------------------------------- */

static int decode(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_bindings_text(bytes, size);
    node_question question = {.step_tasks = TASKS};
    node_answer answer = {0}, back;
    topomap_error err;
    unsigned char *wire = NULL;
    size_t arrays;
    void *memory;
    int taken;

    /* For whom it is, so that it is for this step. */
    if (!topomap_bindings_decode_node(text, strlen(text), 0, node_room(TASKS), &answer.plan,
                                      &memory, &err)) {
        question.job = answer.plan.job;
        question.step = answer.plan.step;
        question.local_tasks = answer.plan.tasks;
    }
    free(memory);
    node_plan_decode(&question, text, strlen(text), &answer, &memory);
    taken = answer.found == NODE_PLANNED;
    arrays = taken ? topomap_node_plan_size(&answer.plan) : 0;
    if (taken && *answer.why_not_planned)
        abort();
    if (arrays > node_room(TASKS))
        abort();
    wire = malloc(NODE_HEAD + arrays);
    if (!wire)
        abort();
    node_answer_head(&answer, wire);
    if (arrays)
        memcpy(wire + NODE_HEAD, memory, arrays);
    /* What it answers, slurmstepd takes. */
    if (node_answer_read(wire, NODE_HEAD + arrays, question.job, question.step,
                         question.local_tasks, &back) ||
        back.found != answer.found)
        abort();
    free(wire);
    free(memory);
    free(text);
    return taken;
}

int fuzz_node_plan(const void *what, const uint8_t *bytes, size_t size)
{
    (void)what;
    return decode(bytes, size);
}

/* The bytes and their checksum, or nothing but that would be tried. What topomap-node makes of it,
 * slurmstepd takes. */
int fuzz_node_nics(const void *what, const uint8_t *bytes, size_t size)
{
    static const node_adapters adapters = {.count = 3,
                                           .adapter = {{"mlx5_0", 1}, {"mlx5_2", 8}, {"hsn0", 0}}};
    char *text = malloc(size + 16), *names = NULL;
    node_question question = {.job = 17, .step = 3, .local_tasks = TASKS, .step_tasks = TASKS};
    node_answer answer = {0}, back;
    unsigned char *wire;
    size_t length;

    (void)what;
    if (!text)
        abort();
    memcpy(text, bytes, size);
    length = size + (size_t)sprintf(text + size, " %08x", topomap_crc32(0, text, size));
    question.text[NODE_NICS] = text;
    question.length[NODE_NICS] = (uint32_t)length;
    node_nics_decode(&question, &adapters, &answer, &names);
    if (answer.nics.bytes > node_room(TASKS))
        abort();
    length = answer.found & NODE_NAMED ? answer.nics.bytes : 0;
    wire = malloc(NODE_HEAD + length);
    if (!wire)
        abort();
    node_answer_head(&answer, wire);
    if (length)
        memcpy(wire + NODE_HEAD, names, length);
    if (node_answer_read(wire, NODE_HEAD + length, 17, 3, TASKS, &back) ||
        back.found != answer.found)
        abort();
    free(wire);
    free(names);
    free(text);
    return answer.found == NODE_NAMED;
}

/* ---- What topomap-node reads ------------------------------------------------------------- */

static int read_question(const uint8_t *bytes, size_t size)
{
    int fd = open(fuzz_file(bytes, size), O_RDONLY | O_CLOEXEC);
    node_question question, again;
    topomap_error err;
    void *memory, *written = NULL, *copy;
    size_t length = 0;
    int taken = fd >= 0 && node_question_read(fd, &question, &memory, &err) == 0;

    if (fd < 0)
        abort();
    close(fd);
    if (taken) {
        for (int i = 0; i < NODE_TEXTS; i++)
            if (question.text[i] &&
                question.length[i] > node_text_most((enum node_text)i, question.step_tasks))
                abort();
        written = node_question_write(&question, &length);
        if (length != size || memcmp(written, bytes, size) != 0)
            abort();
        fd = open(fuzz_file(written, length), O_RDONLY | O_CLOEXEC);
        if (node_question_read(fd, &again, &copy, &err) || again.job != question.job)
            abort();
        close(fd);
        free(copy);
        free(written);
    }
    free(memory);
    return taken;
}

int fuzz_node_question(const void *what, const uint8_t *bytes, size_t size)
{
    (void)what;
    return read_question(bytes, size);
}

void fuzz_node_question_seeds(struct fuzz_seeds *seeds)
{
    node_question question = {.job = 17, .step = 3, .node = 1, .local_tasks = 4, .step_tasks = 8};
    size_t size;
    void *bytes;

    for (int i = 0; i < 3; i++) {
        if (i == 1)
            node_question_set(&question, NODE_BINDINGS, "T1AgAAAAAAAAAAAAA");
        if (i == 2) {
            node_question_set(&question, NODE_FOLDER, "/spool");
            node_question_set(&question, NODE_NOTE, "01234567 /spool/topomap-17.3-ABCDEF");
            node_question_set(&question, NODE_IN_ORDER, "");
            node_question_set(&question, NODE_LIBRARY, "/usr/lib/x.so");
        }
        bytes = node_question_write(&question, &size);
        fuzz_seeds_add(seeds, bytes, size);
        free(bytes);
    }
}

/* ---- What slurmstepd reads --------------------------------------------------------------- */

/* What the task's hooks do with a plan: every number of it is looked at. */
static volatile uint32_t seen;

static void use(const topomap_node_plan *plan)
{
    uint32_t sum = 0;

    for (uint32_t core = 0; plan->cores && core < plan->cores; core++)
        for (uint32_t i = plan->core_first[core]; i < plan->core_first[core + 1]; i++)
            sum += plan->pu_os[i];
    for (uint32_t task = 0; plan->cores && task < plan->tasks; task++)
        for (uint32_t i = plan->task_first[task]; i < plan->task_first[task + 1]; i++)
            sum += plan->pu_os[plan->run[2 * (size_t)i] + plan->run[2 * (size_t)i + 1] - 1];
    seen = sum;
}

static int read_answer(const uint8_t *bytes, size_t size)
{
    uint32_t *aligned = calloc(1, size + 1);
    node_answer answer;
    int taken;

    if (!aligned)
        abort();
    if (size)
        memcpy(aligned, bytes, size);
    taken = node_answer_read(aligned, size, 17, 3, 4, &answer) == 0;
    if (taken) {
        if (size > node_answer_most(4) || answer.found & ~(uint32_t)NODE_ALL ||
            strlen(answer.why_not_planned) >= NODE_WHY ||
            strlen(answer.why_not_spooled) >= NODE_WHY)
            abort();
        if (answer.found & NODE_PLANNED)
            use(&answer.plan);
    } else if (answer.found) {
        abort();
    }
    free(aligned);
    return taken;
}

int fuzz_node_answer(const void *what, const uint8_t *bytes, size_t size)
{
    (void)what;
    return read_answer(bytes, size);
}

void fuzz_node_answer_seeds(struct fuzz_seeds *seeds)
{
    static const struct {
        uint32_t task_first[5];
        uint16_t core_first[3], pu_os[4], run[2 * 4];
    } arrays = {{0, 1, 2, 3, 4}, {0, 2, 4}, {0, 2, 1, 3}, {3, 1, 2, 1, 1, 1, 0, 1}};
    node_answer answer = {.found = NODE_READABLE};
    unsigned char wire[NODE_HEAD + sizeof arrays];
    size_t size;

    node_answer_why(answer.why_not_planned, "bindings: not for \xc3\xa4 step");
    node_answer_head(&answer, wire);
    fuzz_seeds_add(seeds, wire, NODE_HEAD);
    answer =
        (node_answer){.found = NODE_PLANNED | NODE_SPOOLED,
                      .plan = {.job = 17, .step = 3, .tasks = 4, .cores = 2, .pus = 4, .runs = 4}};
    size = topomap_node_plan_size(&answer.plan);
    node_answer_head(&answer, wire);
    memcpy(wire + NODE_HEAD, &arrays, size);
    fuzz_seeds_add(seeds, wire, NODE_HEAD + size);
}

/* ---- What srun checks -------------------------------------------------------------------- */

enum { NODES = 8 };

static struct {
    uint32_t job, step, nodes, task_first[NODES + 1];
} of;

static int check(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_bindings_text(bytes, size);
    topomap_error err;
    int taken = topomap_bindings_check(text, of.job, of.step, of.nodes, of.task_first, &err) == 0;

    free(text);
    return taken;
}

/* Learns of which step a text is, as far as its first nodes tell. */
static void learn(const char *text)
{
    topomap_node_plan plan;
    topomap_error err;
    void *memory;

    memset(&of, 0, sizeof of);
    while (of.nodes < NODES && !topomap_bindings_decode_node(text, strlen(text), of.nodes, SIZE_MAX,
                                                             &plan, &memory, &err)) {
        of.job = plan.job;
        of.step = plan.step;
        of.task_first[of.nodes + 1] = of.task_first[of.nodes] + plan.tasks;
        of.nodes++;
        free(memory);
    }
}

/* Bindings that it takes, nodes can decode. */
int fuzz_bindings_check(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_bindings_text(bytes, size);
    int taken;

    (void)what;
    learn(text);
    taken = check(bytes, size);
    for (uint32_t node = 0; taken && node < of.nodes; node++) {
        topomap_node_plan plan;
        topomap_error err;
        void *memory;

        if (topomap_bindings_decode_node(text, strlen(text), node, SIZE_MAX, &plan, &memory,
                                         &err) ||
            !topomap_node_plan_counts(&plan) || !topomap_node_plan_is_sound(&plan))
            abort();
        free(memory);
    }
    free(text);
    return taken;
}
