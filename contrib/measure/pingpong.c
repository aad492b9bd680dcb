/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 2 of Lindgren's thesis (KTH): one exchange to begin together, then round trips, one
 * clock around all of a batch. */
#include <stdlib.h>
#include <time.h>

#include "measure.h"
#include "util/sorted.h"

enum { TAG = 1, BATCHES_MOST = 1000 };

/* Long messages take fewer trips: 64 times 64 KiB is as good as 1,000 times 8 bytes. */
static int trips_of(int trips, double size)
{
    int fewer = (int)(trips * (4096 / (4096 + size)));

    return fewer < 2 ? 2 : fewer;
}

static double batch(const struct measure_job *job, int partner, int bytes, int trips)
{
    double begin;

    MPI_Sendrecv(NULL, 0, MPI_BYTE, partner, TAG, NULL, 0, MPI_BYTE, partner, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    begin = MPI_Wtime();
    for (int i = 0; i < trips; i++) {
        if (job->rank < partner)
            MPI_Send(job->buffer[0], bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD);
        MPI_Recv(job->buffer[1], bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (job->rank > partner)
            MPI_Send(job->buffer[0], bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) * 1e6 / (2.0 * trips);
}

double measure_pingpong(const struct measure_options *options, const struct measure_job *job,
                        int partner, double size)
{
    double us[BATCHES_MOST];
    int repeat = options->repeat < BATCHES_MOST ? options->repeat : BATCHES_MOST;

    batch(job, partner, (int)size, 1); /* connections and caches */
    for (int i = 0; i < repeat; i++)
        us[i] = batch(job, partner, (int)size, trips_of(options->trips, size));
    qsort(us, (size_t)repeat, sizeof *us, topomap_by_double);
    return repeat % 2 ? us[repeat / 2] : (us[repeat / 2 - 1] + us[repeat / 2]) / 2;
}

void measure_wait(void)
{
    static const struct timespec nap = {0, 200000};
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    /* NOLINTNEXTLINE(bugprone-infinite-loop): MPI_Test() sets `done`. */
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}
