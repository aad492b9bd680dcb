/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/trust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COUNTED_FIRST = 3, /* placed launches; then one in */
    COUNTED_EVERY = 10,
    ENOUGH = 3 /* runs of each layout, to stop by */
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

static void count_runs(const store_entry *entry, unsigned runs[2])
{
    runs[0] = runs[1] = 0;
    for (unsigned i = 0; i < entry->times; i++)
        runs[entry->time[i].placed] +=
            (unsigned)is_comparable(&entry->time[i], &entry->time[entry->times - 1]);
}

static int is_for_comparison(uint32_t number, uint64_t every)
{
    return every && (number == 3 || number == 5 || (number > 5 && number % every == 0));
}

store_choice store_trust_choose(const store_entry *entry, uint64_t every, uint64_t compare)
{
    uint32_t number = entry->number + 1, placed = entry->launches + 1;
    unsigned runs[2];

    count_runs(entry, runs);
    if (compare && (runs[0] < compare || runs[1] < compare))
        return (store_choice){.place = runs[1] < runs[0], .count = 1};
    if (entry->stopped)
        return (store_choice){.stopped = 1};
    if (!compare && is_for_comparison(number, every))
        return (store_choice){.count = 1};
    return (store_choice){.place = 1,
                          .count = placed <= COUNTED_FIRST || placed % COUNTED_EVERY == 0};
}

/* ---- What the times say ------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

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
        if (entry->time[i].placed == placed &&
            is_comparable(&entry->time[i], &entry->time[entry->times - 1])) {
            wall[count] = entry->time[i].wall;
            mpi[count++] = entry->time[i].mpi;
        }
    qsort(wall, count, sizeof *wall, by_size);
    qsort(mpi, count, sizeof *mpi, by_size);
    made->runs[placed] = count;
    made->wall[placed] = median(wall, count);
    made->mpi[placed] = median(mpi, count);
    made->least[placed] = count ? wall[0] : 0;
    made->most[placed] = count ? wall[count - 1] : 0;
    return spread(wall, count);
}

store_comparison store_trust_compare(const store_entry *entry)
{
    store_comparison made = {.says = 0};
    double spreads = measure(entry, 0, &made) + measure(entry, 1, &made), less;

    if (!made.runs[0] || !made.runs[1])
        return made;
    less = made.wall[0] - made.wall[1];
    made.noise = spreads / 2;
    made.gain = 100 * less / made.wall[0];
    if (made.runs[0] > 1 && made.runs[1] > 1 && fabs(less) > made.noise)
        made.says = less > 0 ? 1 : -1;
    return made;
}

int store_trust_settle(store_entry *entry)
{
    const store_comparison times = store_trust_compare(entry);

    if (entry->stopped || times.says >= 0 || times.runs[0] < ENOUGH || times.runs[1] < ENOUGH ||
        times.gain > -100 * SLOWER)
        return 0;
    entry->stopped = STORE_SLOWER;
    return 1;
}

void store_trust_print(const store_comparison *times, char text[160])
{
    static const char *const words[] = {"slower", "within the noise", "faster"};
    char gain[32];

    *text = 0;
    if (!times->runs[0] || !times->runs[1])
        return;
    snprintf(gain, sizeof gain, "%.1f %% ", fabs(times->gain));
    snprintf(text, 160, "Slurm's layout %.4g s (%u run%s), placed %.4g s (%u run%s): %s%s",
             times->wall[0], times->runs[0], times->runs[0] == 1 ? "" : "s", times->wall[1],
             times->runs[1], times->runs[1] == 1 ? "" : "s", times->says ? gain : "",
             words[times->says + 1]);
}
