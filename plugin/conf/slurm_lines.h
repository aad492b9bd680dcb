/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of slurm.conf, gres.conf, plugstack.conf. */
#pragma once

#include "topomap/topomap.h"

/** \param line  without its comment, joined to those that continue it; free to be changed
 *  \param path  the file that it is in
 *  \return 0, or -1 with \p err set: nothing more is read */
typedef int slurm_line_reader(char *line, const char *path, void *data, topomap_error *err);

/** What "include WORD" means: a file that has to be there (slurm.conf, gres.conf:
 * src/common/parse_config.c), or those that match a pattern, of which none need be
 * (plugstack.conf: src/common/spank.c). */
enum slurm_includes { SLURM_INCLUDES_FILES, SLURM_INCLUDES_PATTERNS };

/** Reads a file as Slurm's parser does: '#' begins a comment, '\' at the end of a line continues
 * it, includes, without case and relative to the folder of the file that has them, stand for what
 * the files say, ten deep at most. Blocks as long as the file system does: only for processes that
 * may be killed. \return 0, or -1: what a reader said, TOPOMAP_EINPUT (no such file, no plain one,
 * lines too long), no memory */
int slurm_lines_read(const char *path, enum slurm_includes includes, slurm_line_reader *each,
                     void *data, topomap_error *err);
