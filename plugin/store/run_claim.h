/* SPDX-License-Identifier: BSD-3-Clause */
/* Who takes a run in: one process at a time, and the next one where that was killed over it. */
#ifndef TOPOMAP_PLUGIN_STORE_RUN_CLAIM_H
#define TOPOMAP_PLUGIN_STORE_RUN_CLAIM_H

/* In the folder of a run: whose profile it will be; and what that is called once somebody has begun
 * to take it in. */
#define STORE_RUN_ABOUT "entry"
#define STORE_RUN_TAKING "entry.taken"

/** Claims the run of a folder for this process, as long as the descriptor is open: it holds a lock
 * that ends with the process. Where the file system has no locks, the first claim is the only one.
 *  \return a descriptor, which the caller closes, or -1 with errno, ENOENT: it is another's, or is
 * gone */
int store_claim(int run);

#endif
