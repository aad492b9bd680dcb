/* SPDX-License-Identifier: BSD-3-Clause */
/* What the plugin finds in the words and the environment of srun, salloc and sbatch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/srun/srun.h"

static const struct line {
    const char *before, *after;
    int on, nodes_only, other, cpu_bind;
} lines[] = {
    {"srun -n 4 a.out", "srun -n 4 a.out", 0, 0, 0, 0},
    {"srun --distribution=topomap a.out", "srun --topomap=on a.out", 1, 0, 0, 0},
    {"/usr/bin/srun --dist=topomap a.out", "/usr/bin/srun --topomap=on a.out", 1, 0, 0, 0},
    {"srun --distribution topomap a.out", "srun --topomap-options= --topomap=on a.out", 1, 0, 0, 0},
    {"srun -m topomap a.out", "srun --topomap-options= --topomap=on a.out", 1, 0, 0, 0},
    {"srun -mtopomap a.out", "srun --topomap=on a.out", 1, 0, 0, 0},
    {"srun -lum topomap a.out", "srun -lu --topomap=on a.out", 1, 0, 0, 0},
    {"srun -lumtopomap a.out", "srun -lu a.out", 1, 0, 0, 0},
    {"srun -m topomap:cyclic:block a",
     "srun --topomap-options= --distribution=block:cyclic:block a", 1, 1, 0, 0},
    {"srun -lmtopomap:fcyclic a", "srun -lmblock:fcyclic a", 1, 1, 0, 0},
    {"srun --distribution=topomap:block a", "srun --distribution=block:block a", 1, 1, 0, 0},
    {"srun -m topomap -m cyclic a", "srun --topomap-options= --topomap=on -m cyclic a", 0, 0, 1, 0},
    {"srun -m cyclic -m topomap a", "srun -m cyclic --topomap-options= --topomap=on a", 1, 0, 0, 0},
    /* Not ours: other words, other programs, the program's own options. */
    {"srun -m topomapx a", "srun -m topomapx a", 0, 0, 1, 0},
    {"srun -m topomap: a", "srun -m topomap: a", 0, 0, 1, 0},
    {"sinfo -m topomap", "sinfo -m topomap", 0, 0, 0, 0},
    {"slurmd -m topomap", "slurmd -m topomap", 0, 0, 0, 0},
    {"srun a.out -m topomap", "srun a.out -m topomap", 0, 0, 0, 0},
    {"srun -- -m topomap", "srun -- -m topomap", 0, 0, 0, 0},
    {"srun - -m topomap", "srun - -m topomap", 0, 0, 0, 0},
    {"srun -n -m topomap", "srun -n -m topomap", 0, 0, 0, 0}, /* -m is the value of -n */
    {"srun -J topomap -o -m a", "srun -J topomap -o -m a", 0, 0, 0, 0},
    /* Values in the next word, and optional ones that are not. */
    {"srun --job-name -m -m topomap a", "srun --job-name -m --topomap-options= --topomap=on a", 1,
     0, 0, 0},
    {"srun -K0 -k -I5 -m topomap a", "srun -K0 -k -I5 --topomap-options= --topomap=on a", 1, 0, 0,
     0},
    {"srun --exclusive a -m topomap", "srun --exclusive a -m topomap", 0, 0, 0, 0},
    {"srun -W 5 -m topomap a", "srun -W 5 --topomap-options= --topomap=on a", 1, 0, 0, 0},
    {"sbatch -W -m topomap a", "sbatch -W --topomap-options= --topomap=on a", 1, 0, 0, 0},
    {"sbatch --wait -m topomap a", "sbatch --wait --topomap-options= --topomap=on a", 1, 0, 0, 0},
    {"salloc -K -m topomap a", "salloc -K --topomap-options= --topomap=on a", 1, 0, 0, 0},
    /* Another plugin's options. */
    {"srun --container-image=x -m topomap a",
     "srun --container-image=x --topomap-options= --topomap=on a", 1, 0, 0, 0},
    {"srun --container-image x --container-writable -m topomap a",
     "srun --container-image x --container-writable --topomap-options= --topomap=on a", 1, 0, 0, 0},
    {"srun --container-imag x -m topomap a", "srun --container-imag x -m topomap a", 0, 0, 0, 0},
    {"srun --some-flag -m topomap a", "srun --some-flag --topomap-options= --topomap=on a", 1, 0, 0,
     0},
    /* Nothing there. */
    {"srun -m", "srun -m", 0, 0, 0, 0},
    {"srun --distribution", "srun --distribution", 0, 0, 0, 0},
    {"srun", "srun", 0, 0, 0, 0},
    {"srun --cpu-bind=cores a", "srun --cpu-bind=cores a", 0, 0, 0, 1},
    {"srun --cpu_bind=verbose,none a", "srun --cpu_bind=verbose,none a", 0, 0, 0, 1},
    {"srun --cpu-bind=v a", "srun --cpu-bind=v a", 0, 0, 0, 0},
    {"srun a --cpu-bind=cores", "srun a --cpu-bind=cores", 0, 0, 0, 0},
};

static int split(const char *text, char **words)
{
    char *copy = strdup(text), *rest = NULL;
    int count = 0;

    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static void distribution_is_rewritten(void **state)
{
    /* A program's words are never freed; here they stay reachable. */
    static char *all[sizeof lines / sizeof *lines][32];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char **words = all[i], joined[256] = "";
        int count = split(lines[i].before, words);
        plugin_launcher launcher = {.program = plugin_command_line_program(words[0])};

        if (launcher.program)
            plugin_distribution_rewrite(count, words, &launcher);
        for (int j = 0; j < count; j++) {
            strcat(joined, j ? " " : "");
            strcat(joined, words[j]);
        }
        assert_string_equal(joined, lines[i].after);
        assert_int_equal(launcher.on, lines[i].on);
        assert_int_equal(launcher.nodes_only, lines[i].nodes_only);
        assert_int_equal(launcher.other, lines[i].other);
        assert_int_equal(launcher.cpu_bind, lines[i].cpu_bind);
    }
}

static void pairings_are_noted(void **state)
{
    const int per_task = plugin_slurm_release() >= 2302; /* before, srun has no --tres-per-task */
    const int tres_bind = plugin_slurm_release() >= 2311;
    const struct {
        const char *line;
        int gpus, mem_bind, het;
    } rows[] = {
        {"srun -n 4 a", 0, 0, 0},
        {"srun --gpus-per-task=1 a", 1, 0, 0},
        {"srun --gpus-per-task 2 a", 1, 0, 0},
        {"srun --gpus=4 --gpus-per-node=2 a", 0, 0, 0},
        {"srun --ntasks-per-gpu=1 a", 1, 0, 0},
        {"srun --gpu-bind=closest a", 1, 0, 0},
        {"srun --gpus-per-task=1 --gpu-bind=none a", 0, 0, 0},
        {"srun --gpu-bind=verbose,none a", 0, 0, 0},
        {"srun --tres-per-task=cpu:4 a", 0, 0, 0},
        {"srun --tres-per-task=cpu:4,gres/gpu:1 a", per_task, 0, 0},
        {"srun --ntasks-per-tres=1 a", 1, 0, 0},
        {"srun --gpu-bind=v,single:2 a", 1, 0, 0},
        {"srun --gpu-bind=per_task:1 a", 1, 0, 0},
        {"srun --gpu-bind=map_gpu:3,2,1,0 a", 1, 0, 0},
        {"srun --gpu-bind=mask_gpu:0x3,0xc a", 1, 0, 0},
        {"srun --gpus-per-socket=2 --gres=gpu:4 a", 0, 0, 0},
        {"srun --tres-bind=gres/gpu:single:1 a", tres_bind, 0, 0},
        {"srun --tres-bind=gres/nic:closest+gres/gpu:verbose,closest a", tres_bind, 0, 0},
        {"srun --gpus-per-task=1 --tres-bind=gres/gpu:none a", !tres_bind, 0, 0},
        {"srun --tres-bind=gres/nic:closest a", 0, 0, 0},
        {"srun a --gpus-per-task=1", 0, 0, 0},
        {"srun --het-group=0,1 a", 0, 0, 1},
        {"srun --het-group 0-1 a", 0, 0, 1},
        {"srun --other x --het=0-2 a", 0, 0, 1},
        {"srun --het-group=1 a", 0, 0, 0},
        {"srun --het-group 1 -n2 a", 0, 0, 0},
        {"srun a : b", 0, 0, 1},
        {"srun --mem-bind=local a", 0, 0, 0},
        {"srun --mem-bind=verbose,prefer,local a", 0, 0, 0},
        {"srun --mem-bind=none a", 0, 0, 0},
        {"srun --mem-bind=map_mem:0,1 a", 0, 1, 0},
        {"srun --mem-bind=rank a", 0, 1, 0},
        {"srun --mem-bind=q,mask_mem:0x1 a", 0, 1, 0},
    };
    static char *all[sizeof rows / sizeof *rows][32];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int count = split(rows[i].line, all[i]);
        plugin_launcher launcher = {.program = PLUGIN_SRUN};

        plugin_distribution_rewrite(count, all[i], &launcher);
        assert_int_equal(plugin_gpus_are_bound(&launcher.gpus), rows[i].gpus);
        assert_int_equal(launcher.mem_bind, rows[i].mem_bind);
        assert_int_equal(launcher.het, rows[i].het);
    }
}

/* What a job's options leave to its steps; a step's own win. */
static void pairings_are_inherited(void **state)
{
    static const struct {
        const char *name, *value, *line;
        int gpus;
    } rows[] = {
        {"SLURM_GPUS_PER_TASK", "1", "srun a", 1},
        {"SLURM_GPUS_PER_TASK", "", "srun a", 0},
        {"SLURM_GPUS_PER_TASK", "1", "srun --gpu-bind=none a", 0},
        {"SLURM_NTASKS_PER_GPU", "2", "srun a", 1},
        {"SLURM_NTASKS_PER_TRES", "2", "srun a", 1},
        {"SLURM_GPU_BIND", "closest", "srun a", 1},
        {"SLURM_GPU_BIND", "closest", "srun --gpu-bind=none a", 0},
        {"SLURM_GPU_BIND", "none", "srun --gpus-per-task=1 a", 0},
        {"SLURM_TRES_BIND", "gres/gpu:map_gpu:1,0", "srun a", 1},
        {"SLURM_TRES_BIND", "gres/gpu:none", "srun --gpus-per-task=1 a", 0},
        {"SLURM_TRES_PER_TASK", "cpu=2,gres/gpu=1", "srun a", 1},
        {"SLURM_TRES_PER_TASK", "cpu=2", "srun a", 0},
        {"SLURM_GPUS_PER_NODE", "4", "srun a", 0},
    };
    static char *all[sizeof rows / sizeof *rows][32];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int count = split(rows[i].line, all[i]);
        plugin_launcher launcher = {.program = PLUGIN_SRUN};

        setenv(rows[i].name, rows[i].value, 1);
        plugin_distribution_rewrite(count, all[i], &launcher);
        unsetenv(rows[i].name);
        if (plugin_gpus_are_bound(&launcher.gpus) != rows[i].gpus)
            fail_msg("%s=%s %s", rows[i].name, rows[i].value, rows[i].line);
    }
}

/* What the planner is told of the step's GPUs. */
static void gpus_are_told(void **state)
{
    const int tres_bind = plugin_slurm_release() >= 2311;
    const struct {
        const char *line, *told;
    } rows[] = {
        {"srun -n 4 a", ""},
        {"srun --gpus-per-node=4 a", "step-gpus 4\n"},
        {"srun --gpus-per-node=a100:2,v100:1 a", "step-gpus 3\n"},
        {"srun --gpus-per-node a100:2 a", "step-gpus 2\n"},
        {"srun --gpus=8 a", "step-gpus total:8\n"},
        {"srun -G 8 a", "step-gpus total:8\n"},
        {"srun -Ga100:6,h100:2 a", "step-gpus total:8\n"},
        {"srun --gpus=8 --gpus-per-node=2 a", "step-gpus 2\n"},
        {"srun --gres=gpu:2 a", "step-gpus 2\n"},
        {"srun --gres=gpu a", "step-gpus 1\n"},
        {"srun --gres=gpu:a100 a", "step-gpus 1\n"},
        {"srun --gres=gpu:a100:3,nic:2 a", "step-gpus 3\n"},
        {"srun --gres=nic:2 a", "step-gpus 0\n"},
        {"srun --gres=none a", "step-gpus 0\n"},
        {"srun --gres=gpu:4K a", "step-gpus left\n"},
        {"srun --gpus-per-socket=2 a", "step-gpus left\n"},
        {"srun --gpus=x a", ""},
        {"srun --gpus-per-task=1 a", "step-gpus bound:1\n"},
        {"srun --gpus-per-task=a100:2 a", "step-gpus bound:2\n"},
        {"srun --gpus-per-task=x a", "step-gpus bound\n"},
        {"srun --ntasks-per-gpu=1 a", "step-gpus bound:1\n"},
        {"srun --ntasks-per-gpu=2 a", "step-gpus bound\n"},
        {"srun --gpus-per-node=4 --gpu-bind=none a", "step-gpus left\n"},
        {"srun --gpus-per-node=4 --gpu-bind=closest a", "step-gpus bound\n"},
        {"srun --gpus-per-node=4 --gpu-bind=map_gpu:0,1 a", "step-gpus bound:map:0,1\n"},
        {"srun --gpu-bind=v,map_gpu:3 a", "step-gpus bound:map:3\n"},
        {"srun --gpu-bind=map_gpu:3*2 a", "step-gpus bound\n"},
        {"srun --gpu-bind=map_gpu: a", "step-gpus bound\n"},
        {"srun --gpu-bind=mask_gpu:0x3,0xC a", "step-gpus bound:mask:0x3,0xC\n"},
        {"srun --gpu-bind=verbose,per_task:2 a", "step-gpus bound:2\n"},
        {"srun --gpu-bind=single:1 a", "step-gpus bound:1\n"},
        {"srun --gpu-bind=single:2 a", "step-gpus bound\n"},
        {"srun --gpus-per-task=2 --gpu-bind=single:1 a", "step-gpus bound:1\n"},
        {"srun --tres-bind=gres/gpu:map:1,0+gres/nic:closest a",
         tres_bind ? "step-gpus bound:map:1,0\n" : ""},
        {"srun --tres-per-task=cpu:4,gres/gpu:2 a", tres_bind ? "step-gpus bound:2\n" : ""},
        {"srun --tres-per-task=gres/gpu:a100=2,cpu=1 a", tres_bind ? "step-gpus bound:2\n" : ""},
        {"srun --tres-per-task=gres/gpu a", tres_bind ? "step-gpus bound\n" : ""},
        {"srun --gpus-per-node=4 --tres-bind=gres/gpu:none a",
         tres_bind ? "step-gpus left\n" : "step-gpus 4\n"},
        {"srun --gpus-per-node=4 --gres=none a", "step-gpus 0\n"},
        {"srun a --gpus-per-node=4", ""},
    };
    static char *all[sizeof rows / sizeof *rows][32];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int count = split(rows[i].line, all[i]);
        plugin_launcher launcher = {.program = PLUGIN_SRUN};
        char *told = NULL;
        size_t size;
        FILE *out = open_memstream(&told, &size);

        plugin_distribution_rewrite(count, all[i], &launcher);
        plugin_gpus_write(out, &launcher.gpus);
        fclose(out);
        if (strcmp(told, rows[i].told))
            fail_msg("%s: expected '%s', found '%s'", rows[i].line, rows[i].told, told);
        free(told);
    }
}

static void threads_of_a_core(void **state)
{
    static const struct {
        const char *line, *threads, *hint; /* of the job */
        unsigned wanted;
    } rows[] = {
        {"srun -n 4 a", NULL, NULL, 0},
        {"srun --threads-per-core=1 a", NULL, NULL, 1},
        {"srun --threads-per-core 2 a", NULL, "nomultithread", 2},
        {"srun --hint=nomultithread a", NULL, NULL, 1},
        {"srun --hint nomultithread,memory_bound a", "2", NULL, 1},
        {"srun --hint=multithread a", "1", NULL, 0},
        {"srun --hint=compute_bound a", NULL, NULL, 0},
        {"srun -B 2:4:1 a", NULL, NULL, 1},
        {"srun --extra-node-info=2:4 a", NULL, NULL, 0},
        {"srun -B2 a", "1", NULL, 1},
        {"srun a", NULL, "nomultithread", 1},
        {"srun a --threads-per-core=1", NULL, "memory_bound", 0},
    };
    static char *all[sizeof rows / sizeof *rows][32];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int count = split(rows[i].line, all[i]);
        plugin_launcher launcher = {.program = PLUGIN_SRUN};

        setenv("SLURM_THREADS_PER_CORE", rows[i].threads ? rows[i].threads : "", 1);
        setenv("SLURM_HINT", rows[i].hint ? rows[i].hint : "", 1);
        plugin_distribution_rewrite(count, all[i], &launcher);
        assert_int_equal(launcher.threads_per_core, rows[i].wanted);
    }
    unsetenv("SLURM_THREADS_PER_CORE");
    unsetenv("SLURM_HINT");
}

/* Beginnings are getopt's: unique among the options that this program has in this release. */
static void options_by_release(void **state)
{
    static const struct {
        enum plugin_program program;
        unsigned release;
        const char *name, *full; /* NULL: none, or several */
        enum plugin_takes takes;
    } rows[] = {
        {PLUGIN_SRUN, 2205, "dist", "distribution", PLUGIN_TAKES_VALUE},
        {PLUGIN_SRUN, 2205, "lab", "label", PLUGIN_TAKES_NONE},
        {PLUGIN_SBATCH, 2205, "lab", NULL, 0},
        {PLUGIN_SRUN, 2205, "container-type", NULL, 0},
        {PLUGIN_SRUN, 2511, "container-type", NULL, 0},
        {PLUGIN_SRUN, 2605, "container-type", "container-type", PLUGIN_TAKES_VALUE},
        {PLUGIN_SRUN, 2605, "ignore-signals", "ignore-signals", PLUGIN_TAKES_VALUE},
        {PLUGIN_SALLOC, 2605, "ignore-signals", NULL, 0},
        {PLUGIN_SBATCH, 2605, "mem-update", "mem-update", PLUGIN_TAKES_VALUE},
        {PLUGIN_SRUN, 2505, "reso", NULL, 0},
        {PLUGIN_SRUN, 2511, "reso", "resources", PLUGIN_TAKES_VALUE},
        {PLUGIN_SRUN, 2511, "async", NULL, 0},
        {PLUGIN_SRUN, 2605, "as", "async", PLUGIN_TAKES_NONE},
        {PLUGIN_SRUN, 2612, "as", "async", PLUGIN_TAKES_NONE},
        {PLUGIN_SBATCH, 2505, "external", "external", PLUGIN_TAKES_NONE},
        {PLUGIN_SRUN, 2505, "external", "external-launcher", PLUGIN_TAKES_MAYBE},
        {PLUGIN_SRUN, 2311, "external", "external-launcher", PLUGIN_TAKES_NONE},
        {PLUGIN_SBATCH, 2205, "wait", "wait", PLUGIN_TAKES_NONE},
        {PLUGIN_SRUN, 2205, "wait", "wait", PLUGIN_TAKES_VALUE},
        {PLUGIN_SALLOC, 2205, "wait", "wait-all-nodes", PLUGIN_TAKES_VALUE},
        {PLUGIN_SBATCH, 2505, "requeue", "requeue", PLUGIN_TAKES_NONE},
        {PLUGIN_SBATCH, 2511, "requeue", "requeue", PLUGIN_TAKES_MAYBE},
        {PLUGIN_SRUN, 2205, "power", "power", PLUGIN_TAKES_VALUE},
        {PLUGIN_SRUN, 2405, "power", NULL, 0},
        {PLUGIN_SRUN, 2205, "seg", NULL, 0},
        {PLUGIN_SRUN, 2405, "seg", "segment", PLUGIN_TAKES_VALUE},
        {PLUGIN_SRUN, 2205, "topomap", "topomap", PLUGIN_TAKES_VALUE},
        {PLUGIN_SRUN, 2205, "topomap-", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const plugin_slurm_option *found = plugin_slurm_option_named(
            rows[i].program, rows[i].release, rows[i].name, strlen(rows[i].name));

        if (!found != !rows[i].full || (found && strcmp(found->name, rows[i].full) != 0))
            fail_msg("%s in %u is %s", rows[i].name, rows[i].release, found ? found->name : "none");
        if (found)
            assert_int_equal(found->takes, rows[i].takes);
    }
    assert_string_equal(plugin_slurm_option_lettered(PLUGIN_SALLOC, 2205, 'K')->name,
                        "kill-command");
    assert_string_equal(plugin_slurm_option_lettered(PLUGIN_SRUN, 2205, 'K')->name,
                        "kill-on-bad-exit");
    assert_null(plugin_slurm_option_lettered(PLUGIN_SALLOC, 2205, 'r'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distribution_is_rewritten), cmocka_unit_test(pairings_are_noted),
        cmocka_unit_test(pairings_are_inherited),    cmocka_unit_test(gpus_are_told),
        cmocka_unit_test(threads_of_a_core),         cmocka_unit_test(options_by_release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
