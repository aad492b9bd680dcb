/* SPDX-License-Identifier: BSD-3-Clause */
/* A fabric as a list of links between named hosts and switches.
 *
 * As a file: one link a line, `name,port,name,port,Gb/s`. Names with commas or quotes stand in
 * double quotes, a quote inside doubled. A port is a number, or empty. The rate is a number, or
 * empty or `?` where it is not known; what follows it is the link's class ("backplane"), which may
 * be left out. Lines that begin with # are comments, and a first line whose ports are not numbers
 * is a header; but
 *
 *     # hosts: HOSTLIST
 *     # switches: HOSTLIST
 *     # all hosts: HOSTLIST
 *
 * say which names are hosts and which are switches; after `all hosts`, all other names are
 * switches. A name of neither kind is a host if all its
 * links go to one neighbour and that neighbour has others too; else it is a switch. So hosts on
 * several switches (rails) must be listed. A link may be listed from both ends. Two hosts that are
 * joined directly are refused: hosts do not route. */
#ifndef TOPOMAP_LINKS_H
#define TOPOMAP_LINKS_H

#include "fabric/fabric.h"
#include "util/input.h"

/** Reads a file as above and matches its listings. \p hosts: a host list that counts as a `#
 * hosts:` line, or NULL. On failure \p fabric is to be cleared too. */
int topomap_links_read(topomap_input *input, const char *hosts, topomap_fabric *fabric,
                       topomap_error *err);

#endif
