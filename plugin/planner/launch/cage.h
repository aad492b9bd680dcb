/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process that reads graphs and databases may do, which others have made. */
#ifndef TOPOMAP_PLANNER_CAGE_H
#define TOPOMAP_PLANNER_CAGE_H

/** From here on this process and its threads read files and use what they have open; they write,
 * make and remove no file, start no program or process, open no socket, reach no other process and
 * gain no privilege. What is tried fails with EPERM, EACCES or ENOSYS. Of a kernel that lacks one
 * of the two layers, the other; of one that lacks both, nothing. Before any other thread is
 * started. */
void planner_cage_close(void);

/** Its layers. \return 0, or -1: the kernel has none such */
int planner_cage_landlock(void);
int planner_cage_filter(void);

#endif
