/* SPDX-License-Identifier: BSD-3-Clause */
/* Words by which somebody wants topomap, or does not, whatever they are written for. */
#ifndef TOPOMAP_REQUEST_ON_OFF_H
#define TOPOMAP_REQUEST_ON_OFF_H

/** Whether \p word is off, no, 0 or false, in any case; NULL is not. */
int topomap_request_means_off(const char *word);
/** Whether \p word is on, yes, 1, true or auto, in any case; NULL is not. */
int topomap_request_means_on(const char *word);

#endif
