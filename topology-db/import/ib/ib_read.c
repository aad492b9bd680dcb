/* SPDX-License-Identifier: BSD-3-Clause */
/* The importers of InfiniBand dumps, whose kinds of file are told apart by content. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/ib/ib_read.h"
#include "util/alloc.h"

static const struct ib_grammar *const grammars[] = {
    &ib_normal,
    &ib_ports_report,
    &ib_subnet_list,
    &ib_net_dump,
};

static int choose(struct ib_reader *r, char *line)
{
    const struct ib_grammar *found = NULL;
    char what[256];

    for (size_t i = 0; !found && i < sizeof grammars / sizeof *grammars; i++)
        if (grammars[i]->recognise(line))
            found = grammars[i];
    if (!found)
        return 0;
    if (found->importer[0] == r->import->importer || found->importer[1] == r->import->importer) {
        r->grammar = found;
        r->own = topomap_alloc(1, found->own + 1, r->err);
        return r->own ? 0 : -1;
    }
    snprintf(what, sizeof what, "%s; import it as %s:", found->what, found->importer[0]->row.name);
    return ib_fail(r, what, line);
}

static int read_line(struct ib_reader *r, char *line)
{
    int result = IB_NOT_MINE;

    ib_skip_blanks(&line);
    if (!*line)
        return 0;
    if (!r->grammar && choose(r, line))
        return -1;
    if (r->grammar)
        result = r->grammar->line(r, line);
    return result == IB_NOT_MINE ? ib_other_line(r, line) : result;
}

/* ustar's mark, POSIX pax "ustar Interchange Format". */
static int refuse_tar(struct db_import *import)
{
    const char *bytes;
    size_t size;

    if (topomap_input_peek(import->input, 512, &bytes, &size, import->err))
        return -1;
    if (size >= 262 && memcmp(bytes + 257, "ustar", 5) == 0)
        return db_fail(import, 0, "a tar archive; unpack it and import its files");
    return 0;
}

static int read_lines(struct ib_reader *r)
{
    char *line;
    size_t length;
    int got;

    if (refuse_tar(r->import))
        return -1;
    while ((got = topomap_input_line(r->import->input, 0, &line, &length, r->err)) > 0)
        if (read_line(r, line))
            return -1;
    if (got < 0)
        return -1;
    if (r->grammar && r->grammar->end(r))
        return -1;
    /* Nothing but a tool's errors must not take the place of a fabric. */
    if (!r->fabric->vertices)
        return db_fail_here(r->import,
                            "no Switch, Ca or Rt record and no port line: the tool found "
                            "nothing, or this is not its output");
    return ib_join(r->fabric, r->import);
}

static int begin(struct db_import *import, void *fabric)
{
    struct ib_reader r = {.import = import, .fabric = fabric, .err = import->err};
    int result = read_lines(&r);

    if (r.own && r.grammar->clear)
        r.grammar->clear(r.own);
    free(r.own);
    free(r.progress);
    return result;
}

const db_importer db_ibnetdiscover = {
    .row = {"ibnetdiscover",
            "InfiniBand fabric: ibnetdiscover's output (also -g, --full) or its "
            "ports report (-p)",
            NULL},
    .tables = {"vertex", "port", "link"},
    .size = sizeof(struct ib_fabric),
    .begin = begin,
    .write = ib_write,
    .derived = ib_count_hosts,
    .free = ib_free,
};

const db_importer db_ibdiagnet = {
    .row = {"ibdiagnet",
            "InfiniBand fabric: ibdiagnet2.ibnetdiscover, ibdiagnet2.net_dump or "
            "ibdiagnet.lst",
            NULL},
    .tables = {"vertex", "port", "link"},
    .size = sizeof(struct ib_fabric),
    .begin = begin,
    .write = ib_write,
    .derived = ib_count_hosts,
    .free = ib_free,
};

const db_importer db_opensm_lst = {
    .row = {"opensm-lst", "InfiniBand fabric: opensm-subnet.lst or ibdiagnet.lst", NULL},
    .tables = {"vertex", "port", "link"},
    .size = sizeof(struct ib_fabric),
    .begin = begin,
    .write = ib_write,
    .derived = ib_count_hosts,
    .free = ib_free,
};
