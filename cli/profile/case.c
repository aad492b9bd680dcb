/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "cli/profile/case.h"

#include <stdio.h>

#include "cli/json.h"
#include "plugin/store/program.h"

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

void cli_profile_case_print(const store_entry *entry)
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

void cli_profile_case_word(const store_comparison *times, char word[16])
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
        json_array_append_new(runs,
                              json_pack("{s:b, s:i, s:I, s:f, s:f, s:I}", "placed",
                                        entry->time[i].placed, "nodes", (int)entry->time[i].nodes,
                                        "messages", (json_int_t)entry->time[i].messages, "seconds",
                                        entry->time[i].wall, "mpi_seconds", entry->time[i].mpi,
                                        "when", (json_int_t)entry->time[i].when));
    return runs;
}

static json_t *measured_json(const store_comparison *times)
{
    if (!times->runs[0] || !times->runs[1])
        return json_null();
    return json_pack("{s:f, s:f, s:i, s:i, s:i, s:i, s:o, s:f, s:s}", "slurm_seconds",
                     times->wall[0], "placed_seconds", times->wall[1], "slurm_runs",
                     (int)times->runs[0], "placed_runs", (int)times->runs[1], "slurm_runs_missing",
                     (int)times->missing[0], "placed_runs_missing", (int)times->missing[1],
                     "noise_seconds", times->noise < 0 ? json_null() : json_real(times->noise),
                     "gain_percent", times->gain, "says", store_verdict_word[times->verdict]);
}

int cli_profile_case_json(const store_entry *entry, json_t *object)
{
    const store_comparison times = store_trust_compare(entry);
    json_t *more = json_pack(
        "{s:I, s:I, s:o, s:o, s:s?, s:i, s:s?, s:o, s:o, s:o}", "launches",
        (json_int_t)times.placed, "refused", (json_int_t)times.refused, "folder",
        cli_json_text(entry->folder), "input", cli_json_text(entry->input), "mpi",
        loaded_mpi(entry), "number", (int)entry->number, "stopped", stops[times.stopped], "last",
        cli_json_text(entry->last), "runs", runs_json(entry), "measured", measured_json(&times));
    int failed = !more || json_object_update(object, more);

    json_decref(more);
    return failed ? -1 : 0;
}
