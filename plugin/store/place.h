/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a user's own files are: in the site's folder, where that has a folder of this user's, else
 * in the user's own cache. In the site's, whoever is first makes FOLDER/UID: where that is
 * another's, a link, no folder or open to others, or cannot be made, the user loses nothing but the
 * place. */
#ifndef TOPOMAP_STORE_PLACE_H
#define TOPOMAP_STORE_PLACE_H

#include "topomap/topomap.h"

#include <stddef.h>

enum { STORE_NOTE = 256, STORE_ROOT = 4096 - 256 };

/** This user's folder in the site's, the site's being an absolute path.
 *  \param make  1: it is made (mode 0700) where there is none
 *  \param path  what it is called, also where it does not serve
 *  \param note  why it does not
 *  \return its descriptor, or -1 */
int store_place_site(const char *site, int make, char path[STORE_ROOT], char note[STORE_NOTE]);

/** The user's own: $XDG_CACHE_HOME/topomap, else ~/.cache/topomap of $HOME, else of the user's
 * entry in passwd. Nothing is made. Fails where there is no home. */
int store_place_own(char path[STORE_ROOT], topomap_error *err);

#endif
