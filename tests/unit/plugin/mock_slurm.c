/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "tests/unit/plugin/mock_slurm.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

mock slurm_mock;

void mock_begin(spank_context_t context, uint32_t job, uint32_t step)
{
    mock_end();
    slurm_mock.context = context;
    slurm_mock.job = job;
    slurm_mock.step = step;
    slurm_mock.handle = (mock_handle){.magic = 0x00a5a500, .job = &slurm_mock.launcher};
    slurm_mock.launcher = (mock_job){.job = job, .step = step};
}

void mock_end(void)
{
    for (int i = 0; i < MOCK_VARIABLES; i++)
        free(slurm_mock.variable[i]);
    memset(&slurm_mock, 0, sizeof slurm_mock);
}

spank_t mock_spank(void)
{
    void *handle = &slurm_mock.handle;

    return handle;
}

/* ---- The job's environment --------------------------------------------------------------- */

static int find(const char *name)
{
    size_t length = strlen(name);

    for (int i = 0; slurm_mock.variable[i]; i++)
        if (!strncmp(slurm_mock.variable[i], name, length) && slurm_mock.variable[i][length] == '=')
            return i;
    return -1;
}

const char *mock_getenv(const char *name)
{
    int at = find(name);

    return at < 0 ? NULL : slurm_mock.variable[at] + strlen(name) + 1;
}

void mock_setenv(const char *name, const char *value)
{
    int at = find(name), last = 0;

    while (slurm_mock.variable[last])
        last++;
    if (at >= 0) {
        free(slurm_mock.variable[at]);
        slurm_mock.variable[at] = slurm_mock.variable[--last];
        slurm_mock.variable[last] = NULL;
    }
    if (value && last < MOCK_VARIABLES &&
        asprintf(&slurm_mock.variable[last], "%s=%s", name, value) < 0)
        abort();
}

spank_err_t spank_getenv(spank_t spank, const char *name, char *text, int size)
{
    int at = find(name);

    (void)spank;
    slurm_mock.asked++;
    if (at < 0)
        return ESPANK_ENV_NOEXIST;
    return snprintf(text, (size_t)size, "%s", slurm_mock.variable[at] + strlen(name) + 1) < size
               ? ESPANK_SUCCESS
               : ESPANK_NOSPACE;
}

spank_err_t spank_setenv(spank_t spank, const char *name, const char *value, int overwrite)
{
    (void)spank, (void)overwrite;
    slurm_mock.asked++;
    mock_setenv(name, value);
    return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t spank, const char *name)
{
    (void)spank;
    slurm_mock.asked++;
    mock_setenv(name, NULL);
    return ESPANK_SUCCESS;
}

/* ---- Items ------------------------------------------------------------------------------- */

static spank_err_t get_text(va_list args, const char *text)
{
    if (!text)
        return ESPANK_ERROR;
    *va_arg(args, const char **) = text;
    return ESPANK_SUCCESS;
}

static spank_err_t get_number(va_list args, uint32_t number)
{
    *va_arg(args, uint32_t *) = number;
    return ESPANK_SUCCESS;
}

static spank_err_t get_words(va_list args)
{
    *va_arg(args, int *) = slurm_mock.launcher.count;
    *va_arg(args, char ***) = slurm_mock.launcher.words;
    return ESPANK_SUCCESS;
}

/* What only one of the two programs has, as in src/common/plugstack.c. */
static spank_err_t get_of_srun(spank_item_t item, va_list args)
{
    switch (item) {
    case S_JOB_NNODES:
        return get_number(args, slurm_mock.nodes);
    case S_JOB_TOTAL_TASK_COUNT:
        return get_number(args, slurm_mock.tasks);
    default:
        return ESPANK_NOT_REMOTE;
    }
}

static spank_err_t get_of_stepd(spank_item_t item, va_list args)
{
    switch (item) {
    case S_JOB_ENV:
        *va_arg(args, char ***) = slurm_mock.variable;
        return ESPANK_SUCCESS;
    case S_JOB_NODEID:
        return get_number(args, slurm_mock.node);
    case S_JOB_LOCAL_TASK_COUNT:
        return get_number(args, slurm_mock.local_tasks);
    case S_JOB_TOTAL_TASK_COUNT:
        return get_number(args, slurm_mock.tasks ? slurm_mock.tasks : slurm_mock.local_tasks);
    case S_TASK_ID:
        *va_arg(args, int *) = slurm_mock.task;
        return ESPANK_SUCCESS;
    case S_STEP_ALLOC_CORES:
        return get_text(args, slurm_mock.step_cores);
    default:
        return ESPANK_NOT_LOCAL;
    }
}

/* Of the header that the plugin was built with. */
static const char *built_version(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%02d.%02d.%d", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
             SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER), SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
    return text;
}

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
    spank_err_t status;
    va_list args;

    (void)spank;
    slurm_mock.asked++;
    va_start(args, item);
    if (item == S_JOB_ID)
        status = get_number(args, slurm_mock.job);
    else if (item == S_JOB_STEPID)
        status = get_number(args, slurm_mock.step);
    else if (item == S_JOB_UID)
        status = get_number(args, slurm_mock.launcher.uid);
    else if (item == S_JOB_GID)
        status = get_number(args, slurm_mock.launcher.gid);
    else if (item == S_JOB_ARGV)
        status = get_words(args);
    else if (item == S_SLURM_VERSION)
        status = get_text(args, slurm_mock.version ? slurm_mock.version : built_version());
    else if (slurm_mock.context == S_CTX_REMOTE)
        status = get_of_stepd(item, args);
    else
        status = get_of_srun(item, args);
    va_end(args);
    return status;
}

spank_context_t spank_context(void)
{
    return slurm_mock.context;
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *option)
{
    (void)spank;
    if (slurm_mock.options < 8)
        slurm_mock.option[slurm_mock.options++] = *option;
    return ESPANK_SUCCESS;
}

int mock_option(const char *name, const char *value)
{
    for (int i = 0; i < slurm_mock.options; i++)
        if (!strcmp(slurm_mock.option[i].name, name))
            return slurm_mock.option[i].cb(slurm_mock.option[i].val, value, 0);
    return -1;
}

/* ---- What is said ------------------------------------------------------------------------ */

#define SAYS(function, kind)                                                                       \
    void function(const char *format, ...)                                                         \
    {                                                                                              \
        size_t used = strlen(slurm_mock.said);                                                     \
        char line[2048];                                                                           \
        va_list args;                                                                              \
                                                                                                   \
        va_start(args, format);                                                                    \
        vsnprintf(line, sizeof line, format, args);                                                \
        va_end(args);                                                                              \
        snprintf(slurm_mock.said + used, MOCK_SAID - used, "%s: %s\n", kind, line);                \
    }

SAYS(slurm_info, "info")
SAYS(slurm_error, "error")
SAYS(slurm_verbose, "verbose")
SAYS(slurm_spank_log, "user")

int mock_said(const char *text)
{
    int count = 0;

    for (char *line = slurm_mock.said; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");

        count += strncmp(line, "verbose:", 8) != 0 && memmem(line, length, text, strlen(text));
    }
    return count;
}

/* ---- The kernel -------------------------------------------------------------------------- */

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    (void)pid;
    memset(set, 0, size);
    memcpy(set, slurm_mock.mask.bit, size < sizeof slurm_mock.mask ? size : sizeof slurm_mock.mask);
    return 0;
}

/* sched_setaffinity(2): what the cpuset leaves of it; nothing is an error. */
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    plugin_cpus wanted = {{0}};
    unsigned long some = 0;

    (void)pid;
    memcpy(wanted.bit, set, size < sizeof wanted ? size : sizeof wanted);
    for (size_t i = 0; i < sizeof wanted.bit / sizeof *wanted.bit; i++) {
        wanted.bit[i] &= slurm_mock.cpuset.bit[i];
        some |= wanted.bit[i];
    }
    if (!some) {
        errno = EINVAL;
        return -1;
    }
    slurm_mock.mask = wanted;
    return 0;
}

void plugin_kernel_online(plugin_cpus *online)
{
    *online = slurm_mock.online;
}

int plugin_kernel_numa_nodes(const plugin_cpus *cpus, plugin_cpus *nodes)
{
    memset(nodes, 0, sizeof *nodes);
    for (uint32_t cpu = 0; slurm_mock.numa_cpus && cpu < PLUGIN_CPUS; cpu++)
        if (plugin_cpus_has(cpus, cpu))
            plugin_cpus_add(nodes, cpu / slurm_mock.numa_cpus);
    return slurm_mock.numa_cpus ? 0 : -1;
}

int plugin_kernel_get_policy(plugin_memory_policy *policy)
{
    *policy = slurm_mock.policy;
    return 0;
}

int plugin_kernel_set_policy(const plugin_memory_policy *policy)
{
    if (slurm_mock.fixed_policy)
        return -1;
    slurm_mock.policy = *policy;
    return 0;
}

/* AddressSanitizer needs more address space than the planner may have. */
#ifdef __SANITIZE_ADDRESS__
int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *set,
            struct rlimit *was)
{
    (void)pid, (void)resource, (void)set, (void)was;
    errno = EPERM;
    return -1;
}
#endif

/* Of slurmstepd; plugin/node/bind.c. */
extern bool gres_use_local_device_index(void);
bool gres_use_local_device_index(void)
{
    return slurm_mock.constrained != 0;
}
