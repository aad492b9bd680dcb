/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin, what it was built for and what it starts, read in the files; and the MPI libraries
 * that profilers are for. Nothing is run but planner and node helper, with --version. */
#include "config.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "plugin/common/child.h"
#include "plugin/store/store.h"
#include "plugin/store/program.h"
#include "util/clock.h"
#include "util/text.h"

enum { VERSION_MS = 5000 };

static const char install[] =
    "install the package of topomap that is built for this Slurm, on every node";

static int skip_without_plugin(const doctor_site *site, doctor_verdict *verdict)
{
    if (!site->plugin_ok)
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "no plugin to look at");
    return !site->plugin_ok;
}

/* ---- The plugin ---------------------------------------------------------------------------- */

/* A name without a folder is looked for along PluginDir (src/common/spank.c). */
static int find_plugin(doctor_site *site, char tried[DOCTOR_TEXT])
{
    char name[DOCTOR_PATH], folders[DOCTOR_PATH], *rest = NULL;

    if (strchr(site->plugin, '/')) {
        snprintf(tried, DOCTOR_TEXT, "%.1000s", site->plugin);
        return access(site->plugin, F_OK);
    }
    doctor_plugin_dir(site);
    snprintf(name, sizeof name, "%s", site->plugin);
    snprintf(folders, sizeof folders, "%s", site->plugin_dir);
    snprintf(tried, DOCTOR_TEXT, "%.200s in PluginDir, %.700s", name, folders);
    for (char *folder = strtok_r(folders, ":", &rest); folder;
         folder = strtok_r(NULL, ":", &rest)) {
        if (snprintf(site->plugin, DOCTOR_PATH, "%s/%s", folder, name) < DOCTOR_PATH &&
            access(site->plugin, F_OK) == 0)
            return 0;
    }
    snprintf(site->plugin, DOCTOR_PATH, "%s", name);
    return -1;
}

static void say_not_there(const doctor_site *site, const char *tried, doctor_verdict *verdict)
{
    char own[DOCTOR_PATH], advice[DOCTOR_TEXT];

    doctor_say(verdict, DOCTOR_PROBLEM, install, "not there: %s", tried);
    if (strchr(site->plugin, '/'))
        return;
    snprintf(advice, sizeof advice,
             "%s; one that is in another folder: add that to PluginDir in slurm.conf, or write its "
             "whole path in plugstack.conf",
             install);
    snprintf(own, sizeof own, "%s/%.200s", TOPOMAP_SPANKDIR, site->plugin);
    if (access(own, F_OK) == 0) {
        doctor_add(verdict, "it is in %s, where Slurm does not look", TOPOMAP_SPANKDIR);
        snprintf(
            advice, sizeof advice,
            "say PluginDir=%.300s:%.200s in slurm.conf, or %.300s in plugstack.conf, or put it "
            "into Slurm's folder",
            site->plugin_dir, TOPOMAP_SPANKDIR, own);
    }
    snprintf(verdict->advice, sizeof verdict->advice, "%s", advice);
}

/* A symbol that is looked for. */
struct wanted {
    const char *name;
    int found;
};

static int is_wanted(const char *name, void *data)
{
    struct wanted *wanted = data;

    wanted->found = !strcmp(name, wanted->name);
    return wanted->found;
}

void doctor_plugin(doctor_site *site, doctor_verdict *verdict)
{
    char tried[DOCTOR_TEXT];
    const char *why;
    struct stat status;
    struct wanted spank = {"slurm_spank_local_user_init", 0};

    if (!*site->plugin) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "plugstack.conf names none");
        return;
    }
    if (find_plugin(site, tried)) {
        say_not_there(site, tried, verdict);
        return;
    }
    why = doctor_elf_symbols(site->plugin, 1, is_wanted, &spank);
    if (why || !spank.found) {
        doctor_say(verdict, DOCTOR_PROBLEM, install, "%s: %s", site->plugin,
                   why ? why : "it is not topomap's plugin");
        return;
    }
    site->plugin_ok = 1;
    doctor_say(verdict, DOCTOR_OK, NULL, "%s", site->plugin);
    if (stat(site->plugin, &status))
        return;
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        doctor_say(verdict, DOCTOR_PROBLEM, "chmod go-w: Slurm runs it as root on every node",
                   "%s can be written by others than its owner", site->plugin);
    if (!(status.st_mode & S_IROTH))
        doctor_say(verdict, DOCTOR_PROBLEM, "chmod o+r: srun loads it as the user",
                   "%s cannot be read by everybody", site->plugin);
}

/* Slurm refuses a plugin of another major.minor release, also where it is optional
 * (src/common/plugin.c, SLURM_VERSION_NUMBER of slurm/slurm.h). */
void doctor_build(doctor_site *site, doctor_verdict *verdict)
{
    unsigned major, minor;
    char version[64] = "";
    uint32_t built;

    if (skip_without_plugin(site, verdict))
        return;
    if (doctor_elf_number(site->plugin, "plugin_version", &built)) {
        doctor_say(verdict, DOCTOR_PROBLEM, install, "%s does not say which Slurm it is built for",
                   site->plugin);
        return;
    }
    if (doctor_elf_text(site->plugin, "topomap-plugin ", 1, version, sizeof version))
        snprintf(version, sizeof version, "of an earlier version");
    doctor_say(verdict, DOCTOR_OK, NULL, "%s, built for Slurm %u.%02u", version, built >> 16 & 0xff,
               built >> 8 & 0xff);
    if (sscanf(site->version, "%u.%u", &major, &minor) != 2) {
        doctor_say(
            verdict, DOCTOR_WARNING,
            "it has to be the first two numbers of `srun --version`; another one is not loaded",
            "built for Slurm %u.%02u; this Slurm's version is not known", built >> 16 & 0xff,
            built >> 8 & 0xff);
    } else if (built >> 8 != (major << 8 | minor)) {
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "rebuild topomap at every upgrade of Slurm: srun does not load this one",
                   "built for Slurm %u.%02u, but srun is %s", built >> 16 & 0xff, built >> 8 & 0xff,
                   site->version);
    } else if (strcmp(version, "topomap-plugin " PACKAGE_VERSION) != 0) {
        doctor_say(verdict, DOCTOR_WARNING, install, "it is %s, this command is topomap %s",
                   version, PACKAGE_VERSION);
    }
}

/* ---- Its symbols ---------------------------------------------------------------------------- */

struct missing {
    const char *library[4]; /* srun and Slurm's own, with what they define */
    int libraries, count;
    char names[512];
};

static int look_for(const char *name, void *data)
{
    struct missing *missing = data;
    struct wanted wanted = {name, 0};

    if (strncmp(name, "slurm_", 6) != 0 && strncmp(name, "spank_", 6) != 0)
        return 0;
    for (int i = 0; i < missing->libraries && !wanted.found; i++)
        (void)doctor_elf_symbols(missing->library[i], 1, is_wanted, &wanted);
    if (!wanted.found) {
        missing->count++;
        topomap_text_append(missing->names, sizeof missing->names, "%s%s",
                            *missing->names ? " " : "", name);
    }
    return 0;
}

static int is_file(const char *folder, size_t length, const char *name, char path[DOCTOR_PATH])
{
    return length &&
           snprintf(path, DOCTOR_PATH, "%.*s/%s", (int)length, folder, name) < DOCTOR_PATH &&
           access(path, R_OK) == 0;
}

/* Along a list of folders with colons. */
static int is_along(const char *folders, const char *name, char path[DOCTOR_PATH])
{
    for (const char *at = folders; *at; at += strcspn(at, ":"), at += *at == ':')
        if (is_file(at, strcspn(at, ":"), name, path))
            return 1;
    return 0;
}

/* As ld.so finds it, near enough: the file's own folders, the environment's, the cache's, the
 * system's. */
static int find_library(const char *name, const char *own, char path[DOCTOR_PATH])
{
    const char *environment = getenv("LD_LIBRARY_PATH"), *cached;
    store_cache cache;
    size_t at = 0;
    int found = is_along(own, name, path) || (environment && is_along(environment, name, path));

    if (found)
        return 1;
    store_cache_open("/etc/ld.so.cache", &cache);
    cached = store_cache_next(&cache, name, &at);
    if (cached)
        snprintf(path, DOCTOR_PATH, "%s", cached);
    store_cache_close(&cache);
    return cached || is_along("/lib64:/usr/lib64:/lib:/usr/lib", name, path);
}

/* Calls each for every library that a file needs, with its path or NULL. \return NULL, or what is
 * wrong with the file */
static const char *needed(const char *path, void (*each)(const char *name, const char *at, void *),
                          void *data)
{
    char name[STORE_ELF_NAME], folders[STORE_ELF_PATHS], at[DOCTOR_PATH];
    store_elf_dynamic dynamic;
    store_elf file;
    const char *why = store_elf_open(path, &file) ? "it cannot be read" : NULL;

    if (why)
        return why;
    if (!(why = store_elf_read(&file)) && !(why = store_elf_dynamic_read(&file, &dynamic))) {
        store_elf_text(&file, &dynamic, DT_RUNPATH, folders);
        if (!*folders)
            store_elf_text(&file, &dynamic, DT_RPATH, folders);
        while (store_elf_needed(&file, &dynamic, name) > 0)
            each(name, find_library(name, folders, at) ? at : NULL, data);
        free(dynamic.row);
    }
    store_elf_close(&file);
    return why;
}

static void take_slurms(const char *name, const char *at, void *data)
{
    struct missing *missing = data;

    if (!strncmp(name, "libslurm", 8) && at && missing->libraries < 4)
        missing->library[missing->libraries++] = strdup(at);
}

void doctor_symbols(doctor_site *site, doctor_verdict *verdict)
{
    struct missing missing = {.libraries = 0};
    char *srun = store_program_find("srun", NULL, getenv("PATH"));
    const char *why = srun ? needed(srun, take_slurms, &missing) : "there is none in PATH";

    if (skip_without_plugin(site, verdict))
        return;
    if (why || !missing.libraries) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "srun's libraries are not known: %s",
                   why ? why : "it needs none of Slurm's");
        return;
    }
    missing.library[missing.libraries < 4 ? missing.libraries++ : 3] = srun;
    why = doctor_elf_symbols(site->plugin, 0, look_for, &missing);
    if (why)
        doctor_say(verdict, DOCTOR_PROBLEM, install, "%s: %s", site->plugin, why);
    else if (missing.count)
        doctor_say(
            verdict, DOCTOR_PROBLEM,
            "take the plugin out of plugstack.conf at once, and rebuild topomap against this "
            "Slurm: srun dies where it calls them",
            "%s lacks %d of the plugin's: %s", missing.library[0], missing.count, missing.names);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "%s has all of Slurm's that the plugin needs",
                   missing.library[0]);
}

/* ---- Programs that the plugin starts ------------------------------------------------------- */

/* One that srun or slurmstepd starts as the user. */
struct program {
    const char *name, *word; /* of plugstack.conf */
    char *path;              /* [DOCTOR_PATH] "" afterwards: not there */
    int said;
};

/* As srun starts it: on a file system that is stuck it costs VERSION_MS, and is left. */
static void ask_version(const char *path, char *line, size_t size)
{
    const char *const words[] = {path, "--version", NULL};
    struct plugin_child_files files = {.prints = 1, .ends_with_us = 1};
    struct plugin_child_answer answer = {.bytes = line, .capacity = size, .most = size - 1};
    const struct plugin_child_talk talk = {"", 0, plugin_child_receive, &answer,
                                           topomap_clock_ms() + VERSION_MS};
    pid_t pid;

    plugin_child_ask(path, words, &files, &talk, &pid);
    if (pid >= 0)
        plugin_child_kill(pid, 0, 1);
    line[answer.size] = 0;
    line[strcspn(line, "\n")] = 0;
}

static void check_version(const struct program *program, doctor_verdict *verdict)
{
    char line[128], name[64], part[DOCTOR_PATH];

    ask_version(program->path, line, sizeof line);
    snprintf(name, sizeof name, "%s ", program->name);
    doctor_say(verdict, DOCTOR_OK, NULL, "%s, %s", program->path, line);
    if (strncmp(line, name, strlen(name)) != 0)
        doctor_say(verdict, DOCTOR_PROBLEM, install, "%s does not run, or is none: %s",
                   program->path, *line ? line : "no answer");
    else if (strcmp(line + strlen(name), PACKAGE_VERSION) != 0)
        doctor_say(verdict, DOCTOR_PROBLEM, install, "%s is %s, this is topomap %s", program->path,
                   line, PACKAGE_VERSION);
    else if (!doctor_for_everybody(program->path, S_IXOTH, part))
        doctor_say(verdict, DOCTOR_PROBLEM, "let everybody run it: it is started as the user",
                   "%s: not everybody may use %s", program->path, part);
}

static void check_program(const doctor_site *site, const struct program *program,
                          doctor_verdict *verdict)
{
    char name[64], advice[128];

    snprintf(name, sizeof name, "/%s", program->name);
    if (!program->said && site->plugin_ok)
        (void)doctor_elf_text(site->plugin, name, 0, program->path, DOCTOR_PATH);
    if (!*program->path) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "no plugin that would start one");
        return;
    }
    if (access(program->path, X_OK) == 0 && !strchr(program->path, '\'')) {
        check_version(program, verdict);
        return;
    }
    snprintf(advice, sizeof advice,
             "install topomap on this node, too, or say %s in plugstack.conf", program->word);
    doctor_say(verdict, DOCTOR_PROBLEM, advice, "%s: %s", program->path, strerror(errno));
    *program->path = 0;
}

void doctor_planner(doctor_site *site, doctor_verdict *verdict)
{
    check_program(
        site, &(struct program){"topomap-planner", "planner=", site->planner, site->planner_said},
        verdict);
}

void doctor_node_helper(doctor_site *site, doctor_verdict *verdict)
{
    check_program(site,
                  &(struct program){"topomap-node", "node_helper=", site->node_helper,
                                    site->node_helper_said},
                  verdict);
}

/* ---- MPI ------------------------------------------------------------------------------------ */

static const char *const patterns[] = {
    "/usr/lib*/libmpi*.so.*",       "/usr/lib/*/libmpi*.so.*",
    "/usr/lib*/*/lib/libmpi*.so.*", "/usr/lib/*/*/lib/libmpi*.so.*",
    "/usr/local/lib*/libmpi*.so.*", "/usr/local/*/lib*/libmpi*.so.*",
    "/opt/*/lib*/libmpi*.so.*",     "/opt/*/*/lib*/libmpi*.so.*",
    "/opt/*/*/*/lib*/libmpi*.so.*", "/opt/cray/pe/mpich/*/*/*/*/lib/libmpi*.so.*",
};

/* The sonames alone, libmpi.so.40, not the files behind them, libmpi.so.40.30.4. */
static void take_mpi(const char *path, unsigned *mpis, char first[STORE_MPIS][DOCTOR_PATH],
                     char unknown[DOCTOR_PATH])
{
    const char *name = strrchr(path, '/') + 1, *end = strstr(name, ".so.");
    enum store_mpi mpi = store_needed_row(name);

    if (!end || end[4 + strspn(end + 4, "0123456789")])
        return;
    if (!mpi && (!strncmp(name, "libmpi.so.", 10) || !strncmp(name, "libmpich.so.", 12)))
        snprintf(unknown, DOCTOR_PATH, "%s", path);
    if (mpi && !(*mpis & 1u << mpi))
        snprintf(first[mpi], DOCTOR_PATH, "%s", path);
    if (mpi)
        *mpis |= 1u << mpi;
}

static void look_along(const char *pattern, unsigned *mpis, char first[STORE_MPIS][DOCTOR_PATH],
                       char unknown[DOCTOR_PATH])
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        take_mpi(found.gl_pathv[i], mpis, first, unknown);
    globfree(&found);
}

void doctor_mpi(doctor_site *site, doctor_verdict *verdict)
{
    char first[STORE_MPIS][DOCTOR_PATH] = {""}, unknown[DOCTOR_PATH] = "";
    const char *folders = getenv("LD_LIBRARY_PATH");

    for (const char *at = folders ? folders : ""; *at; at += strcspn(at, ":"), at += *at == ':') {
        char pattern[DOCTOR_PATH];

        if (snprintf(pattern, sizeof pattern, "%.*s/libmpi*.so.*", (int)strcspn(at, ":"), at) <
            DOCTOR_PATH)
            look_along(pattern, &site->mpis, first, unknown);
    }
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        look_along(patterns[i], &site->mpis, first, unknown);
    doctor_say(verdict, DOCTOR_OK, NULL, "%s", "");
    for (int i = 1; i < STORE_MPIS; i++)
        if (*first[i])
            doctor_add(verdict, "%s: %s", store_mpi_name((enum store_mpi)i), first[i]);
    if (!site->mpis)
        doctor_say(verdict, DOCTOR_WARNING,
                   "nothing where MPIs come by modules: run this with such a module loaded; "
                   "programs that are recognised are profiled by --topomap=auto",
                   "no MPI library is recognised in the usual folders and LD_LIBRARY_PATH");
    if (*unknown) {
        verdict->status = DOCTOR_WARNING;
        doctor_add(verdict, "not recognised: %s", unknown);
        snprintf(verdict->advice, sizeof verdict->advice,
                 "its programs are not profiled; where it has the ABI of a known one, mpi= in "
                 "--topomap-options says which");
    }
}

/* ---- Profilers ------------------------------------------------------------------------------ */

static void take_missing(const char *name, const char *at, void *data)
{
    if (!at)
        snprintf(data, DOCTOR_PATH, "%s", name);
}

void doctor_profilers(doctor_site *site, doctor_verdict *verdict)
{
    int there = 0;

    if (!*site->profiler) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "plugstack.conf is not known");
        return;
    }
    for (int i = 1; i < STORE_MPI_NCCL; i++) {
        const char *mpi = store_mpi_name((enum store_mpi)i), *why;
        char path[DOCTOR_PATH + 64], missing[DOCTOR_PATH] = "";

        /* As plugin/planner/launch/auto.c names them. */
        snprintf(path, sizeof path, "%s/libtopomap-profile-%s.so", site->profiler, mpi);
        why = access(path, R_OK) ? strerror(errno) : needed(path, take_missing, missing);
        if (!why && !*missing) {
            there++;
            continue;
        }
        if (!(site->mpis & 1u << i) && access(path, F_OK))
            continue;
        doctor_say(verdict, DOCTOR_PROBLEM,
                   "install the profilers on every node, or say profiler= in plugstack.conf: "
                   "--topomap=auto learns nothing without",
                   "%.900s: %s%s", path, why ? why : "it needs ", missing);
        return;
    }
    if (there)
        doctor_say(verdict, DOCTOR_OK, NULL, "%d in %s", there, site->profiler);
    else
        doctor_say(verdict, DOCTOR_WARNING, "nothing where programs are not profiled here",
                   "none in %s, and no MPI that one would be for", site->profiler);
}
