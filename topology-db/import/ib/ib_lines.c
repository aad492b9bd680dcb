/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines around the records of an InfiniBand dump, and lines of files that are none. */
#include <ctype.h>
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
        if (strncmp(line, foreign[i].begin, strlen(foreign[i].begin)) == 0)
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

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(line, begins[i], strlen(begins[i])) == 0)
            return 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]))
            return 1;
    return 0;
}

/* The tools go on after an error, so the file is whole in form and may be incomplete in content. */
static int note_error(struct ib_reader *r, const char *line)
{
    r->import->report->partial = 1;
    db_warn(r->import, ib_line(r), "the tool met an error: %.200s", line);
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

int ib_other_line(struct ib_reader *r, char *line)
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
    if (is_error(line))
        return note_error(r, line);
    snprintf(what, sizeof what, "not a line of %s",
             r->grammar ? r->grammar->what : "an InfiniBand tool's output");
    return ib_fail(r, what, line);
}
