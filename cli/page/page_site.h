/* SPDX-License-Identifier: BSD-3-Clause */
/* What launches of a whole site came to, from the records that they have left: numbers alone,
 * without users' words, paths or names. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "topomap/topomap.h"

enum { SITE_BINS = 10, SITE_REASONS = 16, SITE_DAYS = 31 };

/** Sums over records. The process that reads a user's records returns that user's sums. */
typedef struct page_site {
    uint64_t users, shut, late;           /* folders; those that could not be read; not in time */
    uint64_t records, bad;                /* read; no records */
    uint64_t placed, stayed, failed;      /* steps */
    uint64_t ranks;                       /* of placed steps */
    double gain, searched, searched_most; /* sums: percent of placed steps, seconds of all */
    uint64_t bin[SITE_BINS];              /* placed steps by gain, 10 percent each */
    uint64_t reason[SITE_REASONS];        /* of the others, by site_reason_row() */
    uint64_t day_placed[SITE_DAYS], day_other[SITE_DAYS]; /* the last is today */
    uint64_t profiles, compared, faster, slower; /* programs; with a verdict; beyond the noise */
    double faster_percent;                       /* sum over the faster ones */
} page_site;

/** Reads all users' records in a site's folder, and what its store has measured. Each user's are
 *  read by a process with that user's rights, where this one may give up its own, and within
 *  seconds. \param store  NULL: not looked at \param now  seconds since 1970 */
int page_site_read(const char *records, const char *store, int64_t now, page_site *site,
                   topomap_error *err);
/** One user's, by whoever may read them; adds to \p site. */
void page_site_read_user(int folder, const char *store, int64_t now, page_site *site);

/** Why a step was not placed, row i of the table: a word for programs and one for people. The last
 *  one is any other reason; NULL behind it. */
const char *page_site_reason(size_t i, const char **words);

/** For people, and for node_exporter's textfile collector (Prometheus' text format 0.0.4). */
void page_site_html(FILE *out, const page_site *site, int64_t now);
void page_site_prom(FILE *out, const page_site *site);
