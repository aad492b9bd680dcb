/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap profile list|show|rm: the profiles that --topomap=auto has kept. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/graph/graph_files.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"
#include "plugin/store/run.h"
#include "util/alloc.h"
#include "util/sorted.h"
#include "graph/graph.h"

/* The site's store and the user's own: where the site's folder has none of the user's, launches
 * have used the other one. */
typedef struct stores {
    store store[2];
    int count;
} stores;

typedef struct row {
    store_entry entry;
    const store *store;
} row;

static int open_stores(const cli_call *call, stores *found)
{
    topomap_error err;

    found->count = store_open_all(call->options.store, found->store, &err);
    return found->count < 0 ? cli_fail(call, &err) : CLI_DONE;
}

TOPOMAP_COMPARE(by_use, row, TOPOMAP_ORDER(y->entry.used, x->entry.used),
                strcmp(x->entry.key, y->entry.key))

static int add_rows(const store *from, row **list, size_t *count, topomap_error *err)
{
    TOPOMAP_FREED store_entry *entries = NULL;
    size_t more, room = *count;

    if (store_list(from, &entries, &more, err) ||
        topomap_grow(list, &room, *count + more + 1, sizeof **list, err))
        return -1;
    for (size_t i = 0; i < more; i++)
        (*list)[(*count)++] = (row){.entry = entries[i], .store = from};
    return 0;
}

/* Lists all entries of the stores, used last first. The caller frees \p list with free(), after a
 * failure, too. */
static int list_stores(const cli_call *call, const stores *from, row **list, size_t *count)
{
    topomap_error err;

    *list = NULL;
    *count = 0;
    for (int i = 0; i < from->count; i++)
        if (add_rows(&from->store[i], list, count, &err))
            return cli_fail(call, &err);
    TOPOMAP_SORT(*list, *count, by_use);
    return CLI_DONE;
}

static void date_of(int64_t seconds, char text[32])
{
    time_t when = (time_t)seconds;
    struct tm parts;

    if (!seconds || !localtime_r(&when, &parts) || !strftime(text, 32, "%Y-%m-%d %H:%M", &parts))
        snprintf(text, 32, "-");
}

/* Whether a key begins with what the user typed, as with git's. */
static int is_meant(const store_entry *entry, const char *word)
{
    size_t length = strlen(word);

    return length >= 4 && length <= STORE_KEY && !strncmp(entry->key, word, length);
}

static const char *const layouts[2] = {"Slurm's layout", "placed"};

static const char *const stops[] = {
    [STORE_GOES_ON] = NULL,
    [STORE_SLOWER] = "its runs took longer than those in Slurm's layout",
    [STORE_WORSE] = "the messages of its runs had shorter routes in Slurm's layout",
};

/* ---- For people -------------------------------------------------------------------------- */

static void print_times(const store_comparison *times)
{
    char verdict[STORE_VERDICT_TEXT];
    const char *name = "time";

    for (int placed = 0; placed < 2; placed++)
        if (times->runs[placed]) {
            printf("%-11s%-14s %u run%s, median %.4g s (%.4g to %.4g), %.0f %% of it in MPI\n",
                   name, layouts[placed], times->runs[placed], times->runs[placed] == 1 ? "" : "s",
                   times->wall[placed], times->least[placed], times->most[placed],
                   100 * times->mpi[placed] / times->wall[placed]);
            name = "";
        }
    store_verdict_print(times, verdict);
    if (times->runs[0] || times->runs[1])
        printf("verdict    %s\n", verdict);
}

/* NULL: the program's file tells. */
static const char *loaded_mpi(const store_entry *entry)
{
    return entry->mpi && entry->mpi < STORE_MPIS ? store_mpi_name((enum store_mpi)entry->mpi)
                                                 : NULL;
}

static void print_case(const store_entry *entry)
{
    const store_comparison times = store_trust_compare(entry);

    if (*entry->folder)
        printf("folder     %s\n", entry->folder);
    if (*entry->input)
        printf("input      %s\n", entry->input);
    if (loaded_mpi(entry))
        printf("MPI        %s, as it loads it\n", loaded_mpi(entry));
    print_times(&times);
    if (times.stopped)
        printf("stopped    not placed any more: %s\n", stops[times.stopped]);
    if (*entry->last)
        printf("last       %s\n", entry->last);
}

static void verdict_word(const store_comparison *times, char word[16])
{
    if (times->stopped)
        snprintf(word, 16, "stopped");
    else if (times->verdict == STORE_UNDECIDED)
        snprintf(word, 16, "-");
    else if (times->verdict == STORE_WITHIN_NOISE)
        snprintf(word, 16, "noise");
    else
        snprintf(word, 16, "%.1f %%", times->gain);
}

/* ---- For programs ------------------------------------------------------------------------ */

static json_t *runs_json(const store_entry *entry)
{
    json_t *runs = json_array();

    for (unsigned i = 0; i < entry->times; i++)
        cli_json_add(runs, "placed:b nodes:u messages:U seconds:r mpi_seconds:r when:U",
                     entry->time[i].placed, entry->time[i].nodes, entry->time[i].messages,
                     entry->time[i].wall, entry->time[i].mpi, entry->time[i].when);
    return runs;
}

static json_t *measured_json(const store_comparison *times)
{
    if (!times->runs[0] || !times->runs[1])
        return json_null();
    return cli_json_object(
        "slurm_seconds:r placed_seconds:r slurm_runs:u placed_runs:u slurm_runs_missing:u "
        "placed_runs_missing:u noise_seconds:o gain_percent:r says:s",
        times->wall[0], times->wall[1], times->runs[0], times->runs[1], times->missing[0],
        times->missing[1], times->noise < 0 ? json_null() : json_real(times->noise), times->gain,
        store_verdict_word[times->verdict]);
}

static json_t *case_json(const store_entry *entry)
{
    const store_comparison times = store_trust_compare(entry);

    return cli_json_object(
        "launches:u refused:u folder:s input:s mpi:s number:u stopped:s last:s runs:o measured:o",
        times.placed, times.refused, entry->folder, entry->input, loaded_mpi(entry), entry->number,
        stops[times.stopped], entry->last, runs_json(entry), measured_json(&times));
}

/* What the store says about an entry; NULL where memory is short. */
static json_t *to_json(const store *store, const store_entry *entry)
{
    char path[STORE_PATH], id[17];
    json_t *object;

    store_graph_path(store, entry->key, 0, path);
    snprintf(id, sizeof id, "%016llx", (unsigned long long)entry->id);
    object = cli_json_object(
        "key:s program:s words:s ranks:u workers:u build:s graph:s made:U used:U profiles:u "
        "tries:u bytes:U",
        entry->key, entry->program, entry->words, entry->ranks, entry->workers ? entry->workers : 1,
        id, entry->has_graph ? path : NULL, entry->made, entry->used, entry->profiles, entry->tries,
        entry->bytes);
    if (json_object_update_new(object, case_json(entry)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* ---- list -------------------------------------------------------------------------------- */

static void print_entry(const store_entry *entry)
{
    const store_comparison times = store_trust_compare(entry);
    char made[32], measured[16];

    date_of(entry->made, made);
    verdict_word(&times, measured);
    printf("%s %6u  %-16s  %8u  %8s  %s%s%s\n", entry->key, entry->ranks, made, times.placed,
           measured, entry->program, *entry->words ? " " : "", entry->words);
}

static int run_list(const cli_call *call)
{
    json_t *array = NULL;
    stores found;
    size_t count;
    TOPOMAP_FREED row *list = NULL;
    int status = open_stores(call, &found);

    if (!status)
        status = list_stores(call, &found, &list, &count);
    if (status)
        return status;
    if (call->options.json)
        array = json_array();
    else
        printf("%-16s %6s  %-16s  %8s  %8s  %s\n", "key", "ranks", "profiled", "launches",
               "measured", "program");
    for (size_t i = 0; i < count; i++) {
        if (array)
            json_array_append_new(array, to_json(list[i].store, &list[i].entry));
        else
            print_entry(&list[i].entry);
    }
    return array ? cli_json(stdout, array, 0) : CLI_DONE;
}

void cli_profile_words(void)
{
    store found[2];
    topomap_error err;
    int count = store_open_all(NULL, found, &err);

    for (int i = 0; i < count; i++) {
        TOPOMAP_FREED store_entry *entries = NULL;
        size_t many;

        if (store_list(&found[i], &entries, &many, &err))
            continue;
        for (size_t k = 0; k < many; k++)
            puts(entries[k].key);
    }
}

/* ---- show -------------------------------------------------------------------------------- */

static void print_graph(const char *path)
{
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    topomap_recognition pattern;
    topomap_error err;

    if (topomap_graph_read(path, "tmg", &graph, &err)) {
        printf("graph      damaged: %s\n", err.text);
        return;
    }
    printf("graph      %s\n           %u ranks, %llu pairs, %llu bytes\n", path,
           topomap_graph_ranks(graph), (unsigned long long)topomap_graph_edges(graph),
           (unsigned long long)topomap_graph_bytes(graph));
    cli_graph_print_phases("phases     ", graph);
    if (!topomap_graph_recognise(graph, 0, &pattern, &err) && pattern.dims) {
        printf("pattern    %s%s\nfit        ", pattern.text,
               pattern.exact ? "" : ", but for light messages");
        cli_graph_print_fit(&pattern);
    }
}

static void show(const store *store, const store_entry *entry)
{
    const store_comparison times = store_trust_compare(entry);
    char made[32], used[32], path[STORE_PATH], workers[48] = "", refused[64] = "";

    date_of(entry->made, made);
    date_of(entry->used, used);
    store_graph_path(store, entry->key, 0, path);
    if (entry->workers)
        snprintf(workers, sizeof workers, ", each with %u workers", entry->workers);
    if (times.refused)
        snprintf(refused, sizeof refused, ", %u refused (Slurm's layout stayed)", times.refused);
    printf(
        "key        %s\nprogram    %s%s%s\nbuild      %016llx\nranks      %u%s\nprofiled   %s, %u "
        "time%s\nlaunches   %u placed with it%s, last used %s\n",
        entry->key, entry->program, *entry->words ? " " : "", entry->words,
        (unsigned long long)entry->id, entry->ranks, workers, made, entry->profiles,
        entry->profiles == 1 ? "" : "s", times.placed, refused, used);
    print_case(entry);
    if (entry->tries)
        printf("tries      %u runs since left no profile\n", entry->tries);
    if (entry->has_graph)
        print_graph(path);
    else
        printf("graph      none yet\n");
}

/* The one entry that a word means; in the first store, where both have it. */
static int find(const cli_call *call, const stores *from, const char *word, row *found)
{
    size_t count, hits = 0;
    TOPOMAP_FREED row *list = NULL;
    int status = list_stores(call, from, &list, &count);

    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        if (is_meant(&list[i].entry, word)) {
            hits += !hits || strcmp(found->entry.key, list[i].entry.key) != 0;
            if (hits == 1 && (found->store == NULL || list[i].store < found->store))
                *found = list[i];
        }
    if (hits == 1)
        return CLI_DONE;
    fprintf(stderr, "topomap %s: %s '%s'; `topomap profile list` has them\n", call->command->name,
            hits ? "several profiles begin with" : "no profile", word);
    return CLI_NO;
}

static int run_show(const cli_call *call)
{
    row meant = {0};
    stores found;
    int status = open_stores(call, &found);

    if (!status)
        status = find(call, &found, call->operand[0], &meant);
    if (status)
        return status;
    if (call->options.json)
        return cli_json(stdout, to_json(meant.store, &meant.entry), 0);
    show(meant.store, &meant.entry);
    return CLI_DONE;
}

/* ---- rm ---------------------------------------------------------------------------------- */

static int remove_all(const cli_call *call, const stores *from)
{
    size_t count;
    TOPOMAP_FREED row *list = NULL;
    int status = list_stores(call, from, &list, &count);

    for (size_t i = 0; !status && i < count; i++)
        store_remove(list[i].store, list[i].entry.key);
    return status;
}

static int run_rm(const cli_call *call)
{
    stores found;
    int status, worst = CLI_DONE;

    if (!call->options.all == !call->operands)
        return cli_usage_error(call, "either KEYs or --all says which profiles go");
    status = open_stores(call, &found);
    if (status)
        return status;
    if (call->options.all)
        return remove_all(call, &found);
    for (int i = 0; i < call->operands; i++) {
        row meant = {0};

        status = find(call, &found, call->operand[i], &meant);
        for (int k = 0; !status && k < found.count; k++)
            store_remove(&found.store[k], meant.entry.key);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static const char profile_text[] =
    "Profiles are in $XDG_CACHE_HOME/topomap, else in ~/.cache/topomap. --store DIR is the site's\n"
    "folder (store= in plugstack.conf), with one for each user in it; both are looked at, as\n"
    "launches use the user's own where the site's has none of the user's. A profile belongs to a\n"
    "program (its build id, else its contents; a script's, too), its arguments, folder and input\n"
    "(or the user's key), and number of ranks. KEY may be cut to its first four digits or more.\n"
    "Times are compared of runs on as many nodes and with as many messages as the last. The noise\n"
    "is half of the sum of both layouts' ranges (from 8 runs on, of their middle halves). A\n"
    "verdict needs 3 runs of each layout; a run whose placement was refused has Slurm's layout.\n";

#define STORE "store", "DIR", TEXT(store), "the site's folder of profiles"

static const cli_option list_options[] = {{STORE}, {CLI_JSON}, {0}};
static const cli_option rm_options[] = {{STORE}, {"all", NULL, FLAG(all), "all of them"}, {0}};

CLI_COMMAND(cli_profile_list, "profile list", "",
            "the profiles that --topomap=auto has kept, used last first", list_options, 0, 0,
            run_list, profile_text);
CLI_COMMAND(cli_profile_show, "profile show", "KEY",
            "one profile: whose it is, how often it was used, and its pattern", list_options, 1, 1,
            run_show, NULL);
CLI_COMMAND(cli_profile_rm, "profile rm", "[KEY...]",
            "remove profiles; the next launch makes them anew", rm_options, 0, 65536, run_rm, NULL);
