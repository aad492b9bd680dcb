/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/** Bytes that the environment may still take. A program whose environment and words take more than
 *  the kernel's limit does not start; there is room left for what slurmd adds. */
long plugin_environment_left(void);
