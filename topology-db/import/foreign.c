/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/import.h"

#include <string.h>

#include "util/alloc.h"
#include "util/input.h"

enum { LOOK = 16384 };

/* start: what the file begins with, after white space and # lines; marks: texts that must all be in
 * its first 16 KiB. */
static const struct {
    const char *start, *marks[2], *what;
} known[] = {
    {"[",
     {"\"DomainUUID\"", "\"GpuIDList\""},
     "NVLink compute nodes in NetQ's JSON: an inventory without links of a fabric"},
    {"[",
     {"\"compounded_links\"", NULL},
     "a topology graph in NetQ's JSON: import it with the format 'netq'"},
    {"switches:",
     {"switches:", NULL},
     "a cluster model of topograph: not Slurm's topology.yaml, whose root is a list of topologies; "
     "import it with the format 'topograph'"},
    {"blocks:",
     {"nodes:", NULL},
     "a cluster model of topograph: not Slurm's topology.yaml, whose root is a list of topologies; "
     "import it with the format 'topograph'"},
    {"{", {"\"R_lite\"", NULL}, "a resource set of Flux (R): it lists cores, no network"},
    {"{", {"\"graph\"", "\"metadata\""}, "a resource graph of Flux (JGF): no network"},
    {"tleaf", {"tleaf", NULL}, "a target architecture of Scotch: it names no hosts"},
    {"Edge: ",
     {"Fabric: ", NULL},
     "output of fmn-show-status: it tells which links are down, not which switches they join"},
    {"<?xml", {"<topology", NULL}, "an hwloc XML: import it with the format 'hwloc'"},
};

/* Where a text's first line of content begins. */
static const char *skip_comments(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#')
            return text;
        text += strcspn(text, "\n");
    }
}

void db_foreign_explain(const char *path, topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    TOPOMAP_FREED char *text = NULL;
    topomap_error ignored;
    const char *bytes;
    size_t size;

    if (!err || err->code != TOPOMAP_EINPUT || topomap_input_open(path, &input, &ignored) ||
        topomap_input_peek(input, LOOK, &bytes, &size, &ignored) ||
        !(text = topomap_strndup(bytes, size, &ignored)))
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (db_begins(skip_comments(text), known[i].start) && strstr(text, known[i].marks[0]) &&
            (!known[i].marks[1] || strstr(text, known[i].marks[1]))) {
            topomap_error_set(err, TOPOMAP_EINPUT, "%s: %s", path, known[i].what);
            return;
        }
}
