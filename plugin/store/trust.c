/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/run.h"
#include "util/sorted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COUNTED_FIRST = 3, /* placed launches; then one in */
    COUNTED_EVERY = 10
};

/* Part of the wall time that placing must be slower by, to be stopped. */
#define SLOWER 0.02
/* Message counts that differ by this much are of runs that did as much. */
#define AS_MUCH 0.02

/* ---- What to do next --------------------------------------------------------------------- */

static int is_comparable(const store_time *a, const store_time *b)
{
    double x = (double)a->messages, y = (double)b->messages;

    return a->nodes == b->nodes && fabs(x - y) <= AS_MUCH * fmax(x, y);
}

store_choice store_trust_choose(const store_entry *entry, uint64_t every)
{
    uint32_t number = entry->number + 1, placed = entry->launches + 1;

    if (entry->stopped)
        return (store_choice){.stopped = 1, .count = every && number % every == 0};
    if (every && (number == 3 || number == 5 || (number > 5 && number % every == 0)))
        return (store_choice){.count = 1};
    return (store_choice){.place = 1,
                          .count = placed <= COUNTED_FIRST || placed % COUNTED_EVERY == 0};
}

/* ---- The verdict on the times ------------------------------------------------------------ */

static double median(const double *sorted, unsigned count)
{
    return count ? (sorted[count / 2] + sorted[(count - 1) / 2]) / 2 : 0;
}

/* Of few runs the whole range, else that of the middle half. */
static double spread(const double *sorted, unsigned count)
{
    unsigned cut = count < 8 ? 0 : count / 4;

    return count ? sorted[count - 1 - cut] - sorted[cut] : 0;
}

static double measure(const store_entry *entry, int placed, store_comparison *made)
{
    double wall[STORE_TIMES], mpi[STORE_TIMES];
    unsigned count = 0;

    for (unsigned i = 0; i < entry->times; i++)
        if (entry->time[i].placed == placed && (!placed || entry->has_graph) &&
            is_comparable(&entry->time[i], &entry->time[entry->times - 1])) {
            wall[count] = entry->time[i].wall;
            mpi[count++] = entry->time[i].mpi;
        }
    qsort(wall, count, sizeof *wall, topomap_by_double);
    qsort(mpi, count, sizeof *mpi, topomap_by_double);
    made->runs[placed] = count;
    made->wall[placed] = median(wall, count);
    made->mpi[placed] = median(mpi, count);
    made->least[placed] = count ? wall[0] : 0;
    made->most[placed] = count ? wall[count - 1] : 0;
    return spread(wall, count);
}

void store_trust_judge(store_comparison *times)
{
    double less = times->wall[0] - times->wall[1];

    for (int placed = 0; placed < 2; placed++)
        times->missing[placed] =
            times->runs[placed] < STORE_ENOUGH ? STORE_ENOUGH - times->runs[placed] : 0;
    times->gain = times->runs[0] && times->runs[1] ? 100 * less / times->wall[0] : 0;
    if (times->missing[0] || times->missing[1] || times->noise < 0)
        times->verdict = STORE_UNDECIDED;
    else if (fabs(less) <= times->noise)
        times->verdict = STORE_WITHIN_NOISE;
    else
        times->verdict = less > 0 ? STORE_GAIN : STORE_LOSS;
}

store_comparison store_trust_compare(const store_entry *entry)
{
    uint32_t placed = entry->launches > entry->refused ? entry->launches - entry->refused : 0;
    store_comparison made = {.placed = placed, .refused = entry->refused};
    double spreads = measure(entry, 0, &made) + measure(entry, 1, &made);

    made.stopped = entry->has_graph ? entry->stopped : STORE_GOES_ON;
    made.noise = made.runs[0] > 1 && made.runs[1] > 1 ? spreads / 2 : -1;
    store_trust_judge(&made);
    return made;
}

int store_trust_settle(store_entry *entry)
{
    const store_comparison times = store_trust_compare(entry);

    if (entry->stopped || times.verdict != STORE_LOSS || times.gain > -100 * SLOWER)
        return 0;
    entry->stopped = STORE_SLOWER;
    return 1;
}

const char *const store_verdict_word[] = {"nothing", "slower", "noise", "faster"};

void store_verdict_print(const store_comparison *times, char text[STORE_VERDICT_TEXT])
{
    double noise = 100 * times->noise / times->wall[0];
    char refused[48] = "";

    if (times->refused)
        snprintf(refused, sizeof refused, "; placements refused: %u", times->refused);
    if (times->verdict == STORE_UNDECIDED)
        snprintf(text, STORE_VERDICT_TEXT,
                 "undecided; runs still needed: %u in Slurm's layout, %u placed%s",
                 times->missing[0], times->missing[1], refused);
    else if (times->verdict == STORE_WITHIN_NOISE)
        snprintf(text, STORE_VERDICT_TEXT, "within the noise (%.1f %%; noise: %.1f %%)",
                 times->gain, noise);
    else
        snprintf(text, STORE_VERDICT_TEXT, "%.1f %% %s (noise: %.1f %%)", fabs(times->gain),
                 store_verdict_word[times->verdict], noise);
}

void store_trust_print(const store_comparison *times, char text[STORE_VERDICT_TEXT])
{
    char verdict[STORE_VERDICT_TEXT];

    *text = 0;
    if (!times->runs[0] || !times->runs[1])
        return;
    store_verdict_print(times, verdict);
    snprintf(text, STORE_VERDICT_TEXT,
             "Slurm's layout %.4g s (%u run%s), placed %.4g s (%u run%s): %.150s", times->wall[0],
             times->runs[0], times->runs[0] == 1 ? "" : "s", times->wall[1], times->runs[1],
             times->runs[1] == 1 ? "" : "s", verdict);
}
