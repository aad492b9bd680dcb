/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores of each node a job has, inside topomap; for all: topomap/hosts.h. */
#pragma once

#include "topomap/hosts.h"

/** The inverse of topomap_cores_parse(). NULL on failure; ends with free(). */
char *topomap_cores_format(const topomap_cores *cores, topomap_error *err);
