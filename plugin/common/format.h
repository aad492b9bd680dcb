/* SPDX-License-Identifier: BSD-3-Clause */
/* Which format srun's plugin speaks to the nodes' plugin: during a rolling upgrade they may be of
 * different versions. */
#pragma once

#include <slurm/spank.h>
#include <stddef.h>

/** The format of the SLURM_TOPOMAP_ variables of environment.h, all of them together. It becomes
 *  another number when an older node would misread one of them; a variable that older nodes may
 *  pass over is no new format. SLURM_TOPOMAP_REFUSED means the same in all of them. */
#ifndef PLUGIN_FORMAT
#define PLUGIN_FORMAT 1
#endif

/** In srun, when a step has been placed or not: names the format, if anything travels. */
void plugin_format_carry(unsigned format);

/** In slurm_spank_user_init: does this node's plugin understand what srun's has sent? Takes the
 *  name of the format away, so that the tasks do not find it. Srun of before formats had names
 *  spoke the first. \param why  what is said where it does not */
int plugin_format_is_known(spank_t spank, unsigned format, char *why, size_t size);
