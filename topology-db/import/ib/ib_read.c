/* SPDX-License-Identifier: BSD-3-Clause */
/* The importers of InfiniBand dumps, whose kinds of file are told apart by content. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/ib/ib_read.h"
#include "util/alloc.h"

/* ---- Files of another kind, by a line of theirs ------------------------------------------- */

#define LISTS                                                                                      \
    "a node list (ibnetdiscover -l, -H, -S or -R), which has no links; import the normal output,"
#define DIFFERENCE                                                                                 \
    "a difference between two fabrics (ibnetdiscover --diff); import the normal output,"
#define NET "a net file of the simulator ibsim, not ibnetdiscover's output; run it and import that,"
#define LFTS                                                                                       \
    "routing tables (dump_lfts or ibroute), not a fabric's links; import them as lft, and here "   \
    "the output of ibnetdiscover,"
#define JSON "JSON of another program, not what an InfiniBand tool prints,"
#define LINKINFO "iblinkinfo's output; import that of ibnetdiscover,"
#define CSV                                                                                        \
    "ibdiagnet2.db_csv; import ibdiagnet2.ibnetdiscover or ibdiagnet2.net_dump of the same run,"

/* The first that fits. A kind that has lines of records' form too comes before them. */
static const struct {
    const char *begin, *what;
} foreign[] = {
    {"Switch\t:", LISTS},
    {"Switch\t :", LISTS},
    {"Switch :", LISTS},
    {"Ca\t:", LISTS},
    {"Ca\t :", LISTS},
    {"Ca :", LISTS},
    {"Rt\t:", LISTS},
    {"Rt\t :", LISTS},
    {"Rt :", LISTS},
    {"< ", DIFFERENCE},
    {"> ", DIFFERENCE},
    {"Hca\t", NET},
    {"Hca ", NET},
    {"Switch: ", LINKINFO},
    {"Switch 0x", LINKINFO},
    {"CA: ", LINKINFO},
    {"CA '", "ibstat's output, which is of one node; import that of ibnetdiscover,"},
    {"Unicast lids", LFTS},
    {"Multicast mlids", "multicast tables (dump_mfts), not a fabric's links,"},
    {"START_", CSV},
    {"[{", JSON},
    {"{\"", JSON},
    {"torus ", "a configuration of opensm's torus-2QoS, not a fabric that was discovered,"},
    {"mesh ", "a configuration of opensm's torus-2QoS, not a fabric that was discovered,"},
    {"<", "XML, not what an InfiniBand tool prints; hwloc's is imported as hwloc,"},
    {"SwitchName=", "Slurm's topology.conf; import it as slurm-topology,"},
    {"PK\x03\x04", "a zip archive; unpack it and import its files,"},
    {"\x1f\x8b", "a gzip file; unpack it (xz and zstd are read as they are),"},
};

static int refuse_foreign(struct ib_reader *r, char *line)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (db_begins(line, foreign[i].begin))
            return ib_fail(r, foreign[i].what, line);
    if (strcmp(line, "[") == 0 || strcmp(line, "{") == 0)
        return ib_fail(r, JSON, line);
    return 0;
}

/* ---- Progress and errors ------------------------------------------------------------------ */

/* `DR path slid 0; dlid 0; 0,1 -> new Channel Adapter {<16hex>} portnum 1 lid 0-0 ""`. Where a
 * ports report follows, this is the only place that has the adapters' node GUIDs. */
static int take_progress(struct ib_reader *r, char *line)
{
    char *arrow = strstr(line, " -> "), *brace = arrow ? strchr(arrow, '{') : NULL;
    uint64_t guid;

    if (!brace || !strstr(brace, "} portnum "))
        return strncmp(line, "DR path ", 8) == 0 ? 0 : IB_NOT_MINE;
    brace++;
    if (!strstr(arrow, "Channel Adapter {") || ib_read_guid(&brace, &guid))
        return 0;
    return TOPOMAP_APPEND(r->progress, r->progressed, r->progress_room, r->err, guid);
}

static int is_error(const char *line)
{
    static const char *const begins[] = {
        "src/", "ibwarn", "iberror", "ibpanic", "ibdebug", "ibdiscover", "ibnetdiscover:",
    };
    static const char *const words[] = {
        "umad", "imed out", "imeout", "bad status", "ailed", "rror", "ERR", "arning", "WARN",
    };

    if (db_begins_any(line, begins, sizeof begins / sizeof *begins))
        return 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]))
            return 1;
    return 0;
}

/* ---- A terminal --------------------------------------------------------------------------- */

/* `[root@a ~]# ibnetdiscover -s`, `root@a:~# `, `a $ ibnetdiscover`: copied with the output. */
static int is_prompt(const struct ib_reader *r, const char *line)
{
    size_t end = strcspn(line, "#$%>");
    const char *at = strchr(line, '@');

    if (at && at < line + end && line[end] && (!line[end + 1] || line[end + 1] == ' '))
        return 1;
    return !r->recorded && (strstr(line, "ibnetdiscover") || strstr(line, "ibdiagnet"));
}

/* A line of none of the grammars: progress and error lines, comments, a terminal's prompt; or an
 * error that names what other kind of file has such lines. */
static int other_line(struct ib_reader *r, char *line)
{
    int taken = take_progress(r, line);
    char what[128];

    if (taken != IB_NOT_MINE)
        return taken;
    if (line[0] == '#')
        return 0;
    if (refuse_foreign(r, line))
        return -1;
    if (is_prompt(r, line))
        return 0;
    if (is_error(line)) {
        /* The tools go on, so the file is whole in form and may be incomplete in content. */
        r->import->report->partial = 1;
        db_warn(r->import, ib_line(r), "the tool met an error: %.200s", line);
        return 0;
    }
    snprintf(what, sizeof what, "not a line of %s",
             r->grammar ? r->grammar->what : "an InfiniBand tool's output");
    return ib_fail(r, what, line);
}

/* ---- Records ---------------------------------------------------------------------------- */

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
    return result == IB_NOT_MINE ? other_line(r, line) : result;
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
    if (got < 0 || (r->grammar && r->grammar->end && r->grammar->end(r)))
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

/* Of formats that have LIDs. */
static const topomap_graph_option options[] = {
    {"routing", "minhop|updn|ftree|dor|adaptive|ar_updn|ar_ftree|ar_dor|ar_torus",
     "the subnet manager's routing engine, by which routes are predicted until routing tables are "
     "imported; without it minhop, on a torus dor. adaptive and ar_...: traffic uses all "
     "shortest paths, and tables do not count for loads and times"},
    {NULL, NULL, NULL}};

const db_importer db_ibnetdiscover = {
    .row = {"ibnetdiscover",
            "InfiniBand fabric: ibnetdiscover's output (also -g, --full) or its "
            "ports report (-p)",
            options},
    .begin = begin,
    IB_IMPORTER,
};

const db_importer db_ibdiagnet = {
    .row = {"ibdiagnet",
            "InfiniBand fabric: ibdiagnet2.ibnetdiscover, ibdiagnet2.net_dump or "
            "ibdiagnet.lst",
            options},
    .begin = begin,
    IB_IMPORTER,
};

const db_importer db_opensm_lst = {
    .row = {"opensm-lst", "InfiniBand fabric: opensm-subnet.lst or ibdiagnet.lst", options},
    .begin = begin,
    IB_IMPORTER,
};
