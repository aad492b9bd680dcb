/* SPDX-License-Identifier: BSD-3-Clause */
/* NVLink domains: nodes whose GPUs reach each other without a NIC. */
#ifndef TOPOMAP_MACHINE_DOMAINS_H
#define TOPOMAP_MACHINE_DOMAINS_H

#include "machine/machine.h"

enum { TOPOMAP_NO_DOMAIN = UINT32_MAX };

/** Brings nodes of one domain closer, in a matrix: two of them are no farther than \p cost and
 *  \p hops, on whatever rails. Sites whose nodes are in several domains are divided. Other kinds of
 *  machines are TOPOMAP_EUSAGE; so is what would have more than 16,384 sites.
 *  \param domain_of  [nodes] numbers, or TOPOMAP_NO_DOMAIN */
int topomap_machine_set_domains(topomap_machine *machine, const uint32_t *domain_of, double cost,
                                uint32_t hops, topomap_error *err);

#endif
