/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the site's rules is about a step. */
#ifndef TOPOMAP_PLANNER_SITE_H
#define TOPOMAP_PLANNER_SITE_H

#include "plugin/planner/launch/facts.h"

/** The first rule that fits, or NULL. Lent by \p policy. */
const policy_rule *planner_site_rule(const planner_facts *facts, const policy *policy);

/** Has an administrator switched topomap off, by a file beside the database (the database's name
 *  and ".off")? \return nonzero, and its path */
int planner_site_is_off(const planner_facts *facts, char *path, size_t size);

#endif
