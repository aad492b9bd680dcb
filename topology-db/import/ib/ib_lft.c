/* SPDX-License-Identifier: BSD-3-Clause */
/* Routing tables of an InfiniBand subnet's switches, as dump_lfts, dump_fts and ibroute
 * (infiniband-diags) print them: "Unicast lids [0x0-0x8c] of switch ... guid 0x...", rows of LID
 * (hexadecimal) and port (decimal, with leading zeros), "<n> valid lids dumped".
 *
 * What is kept is one byte a LID and switch, packed: a row's destination text says nothing that
 * the fabric's own dump does not, and the brief mode leaves it out. Only one table at a time is
 * unpacked. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "topology-db/import/ib/ib_read.h"
#include "fabric/infiniband.h"
#include "util/alloc.h"

enum { PREAMBLE_MOST = 100, PACK_LEVEL = 3 };

struct table {
    uint64_t guid;
    uint32_t lids; /* the highest LID + 1 */
    int seen;      /* the fabric has the switch */
    void *packed;
    size_t size;
};

struct tables {
    struct table *table; /* [count] in the order of the file */
    size_t count, room;
    topomap_known guids; /* of the tables */
    uint64_t entries;
};

struct reader {
    struct db_import *import;
    struct tables *tables;
    struct table *now; /* whose rows come, or NULL */
    uint8_t port[TOPOMAP_LIDS];
    uint32_t lids;
    uint64_t top;     /* the last LID that the header promises, or 0 */
    uint64_t rows;    /* of this table's section */
    uint64_t lost;    /* a last LID that no table has, or 0 */
    size_t preamble;  /* lines before the first header that say nothing */
    size_t conflicts; /* LIDs that a table has twice, differently */
    int multicast;    /* inside a multicast section */
};

static void tables_clear(void *content)
{
    struct tables *tables = content;

    for (size_t i = 0; i < tables->count; i++)
        free(tables->table[i].packed);
    free(tables->table);
    topomap_known_clear(&tables->guids);
}

/* ---- One table --------------------------------------------------------------------------- */

static int pack(struct reader *r)
{
    struct table *table = r->now;
    void *cut;

    free(table->packed);
    table->packed = db_pack(r->port, r->lids, PACK_LEVEL, &table->size, r->import->err);
    table->lids = r->lids;
    r->now = NULL;
    if (!table->packed)
        return -1;
    cut = realloc(table->packed, table->size); /* tables are kept until all are read */
    table->packed = cut ? cut : table->packed;
    return 0;
}

/* A table that the file's end or another header cut short. */
static int end_table(struct reader *r, int dumped)
{
    if (!r->now)
        return 0;
    if (!dumped) {
        db_warn(r->import, topomap_input_lineno(r->import->input),
                "the table of switch 0x%016" PRIx64 " ends without 'lids dumped'", r->now->guid);
        r->import->report->partial = 1;
    }
    r->tables->entries += r->rows;
    /* The tool reads tables in blocks of 64 and leaves out a last block of one LID. */
    if (dumped && r->top % 64 == 0 && r->lids == r->top)
        r->lost = r->top;
    return pack(r);
}

/* The table of this switch, unpacked where the file has had a part of it before: ibroute prints a
 * range of LIDs where it is asked to. */
static int begin_table(struct reader *r, uint64_t guid)
{
    struct tables *t = r->tables;
    topomap_error *err = r->import->err;
    uint32_t at;

    memset(r->port, TOPOMAP_NO_PORT, sizeof r->port);
    r->rows = 0;
    if (topomap_known_number(&t->guids, &guid, sizeof guid, &at, err) ||
        (at == t->count &&
         TOPOMAP_APPEND(t->table, t->count, t->room, err, (struct table){.guid = guid})))
        return -1;
    r->now = &t->table[at];
    r->lids = r->now->lids;
    if (r->now->packed)
        ZSTD_decompress(r->port, sizeof r->port, r->now->packed, r->now->size);
    return 0;
}

/* ---- Lines ------------------------------------------------------------------------------- */

static int read_header(struct reader *r, char *line)
{
    /* The description, which may hold anything, comes after the GUID. */
    char *guid = strstr(line, " guid 0x"), *top = strstr(line, "-0x");
    char *digits = guid ? guid + 8 : NULL, *last = top ? top + 3 : NULL;
    uint64_t value;

    if (end_table(r, 0))
        return -1;
    if (!guid || !ib_read_hex(&digits, &value) || !value)
        return db_fail_here(r->import, "expected 'Unicast lids [...] of switch ... guid 0x...'");
    r->multicast = 0;
    if (!top || top > guid || !ib_read_hex(&last, &r->top))
        r->top = 0;
    return begin_table(r, value);
}

/* `: (illegal port)`, `: (path #2 - illegal port)`: a port that the switch does not have. No
 * description precedes these words. */
static int is_illegal(const char *rest)
{
    rest += strspn(rest, " \t:");
    return strncmp(rest, "(illegal port)", 14) == 0 ||
           (strncmp(rest, "(path #", 7) == 0 && strstr(rest, "- illegal port)"));
}

static int read_row(struct reader *r, char *line)
{
    uint64_t lid;
    char *at = line + 2;
    const char *digits, *rest;
    uint32_t port = 0;

    if (!r->now)
        return db_fail_here(r->import, "a row of a table before the line 'Unicast lids ...'");
    digits = ib_read_hex(&at, &lid) ? at + strspn(at, " \t") : at;
    if (digits == at || !isdigit((unsigned char)*digits))
        return db_fail_here(r->import, "expected a LID in hexadecimal and a port in decimal");
    for (rest = digits; isdigit((unsigned char)*rest) && port < 1000; rest++)
        port = port * 10 + (uint32_t)(*rest - '0');
    if (lid >= TOPOMAP_LIDS || port > 255 || (*rest && !isspace((unsigned char)*rest)))
        return db_fail_here(r->import, "expected a unicast LID below 0x%x and a port up to 255",
                            TOPOMAP_LIDS);
    if (is_illegal(rest))
        port = TOPOMAP_NO_PORT;
    if (lid < r->lids && r->port[lid] != TOPOMAP_NO_PORT && r->port[lid] != port && !r->conflicts++)
        db_warn(r->import, topomap_input_lineno(r->import->input),
                "LID 0x%04x has had another port in this table; the last one counts",
                (unsigned)lid);
    r->port[lid] = (uint8_t)port;
    if (lid >= r->lids)
        r->lids = (uint32_t)lid + 1;
    r->rows++;
    return 0;
}

/* "<n> [valid ]lids dumped": whether the line is that. */
static int is_total(const char *line, uint64_t *count)
{
    char *end;

    if (!isdigit((unsigned char)*line))
        return 0;
    *count = strtoull(line, &end, 10);
    end += strspn(end, " ");
    if (strncmp(end, "valid ", 6) == 0)
        end += 6;
    return strncmp(end, "lids dumped", 11) == 0;
}

static int read_total(struct reader *r, uint64_t count)
{
    if (!r->now)
        return 0;
    if (count != r->rows) {
        db_warn(r->import, topomap_input_lineno(r->import->input),
                "%" PRIu64 " LIDs were dumped, but there are %" PRIu64 " rows", count, r->rows);
        r->import->report->partial = 1;
    }
    return end_table(r, 1);
}

/* What the tools print through standard error, and what is no table at all. */
static int read_other(struct reader *r, const char *line)
{
    static const char *const harmless[] = {"Lid  ", "Lid ", "Port ", "***", "#"};
    static const char *const trouble[] = {"ibwarn:",  "ibroute:", "iberror", "dump_lfts",
                                          "dump_fts", "src/",     "mad_rpc", "umad"};
    static const struct {
        const char *start, *what;
    } others[] = {
        {"# Topology file", "a dump of ibnetdiscover"},
        {"vendid=", "a dump of ibnetdiscover"},
        {"Switch\t", "a dump of ibnetdiscover or a net file"},
        {"SW ", "a ports report (ibnetdiscover -p)"},
        {"CA ", "a ports report (ibnetdiscover -p)"},
        {"{ SW", "a list of links (opensm-subnet.lst)"},
        {"{ CA", "a list of links (opensm-subnet.lst)"},
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (db_begins(line, others[i].start))
            return db_fail_here(r->import,
                                "%s, not routing tables as dump_lfts or ibroute print them",
                                others[i].what);
    if (db_begins_any(line, harmless, sizeof harmless / sizeof *harmless))
        return 0;
    if (db_begins_any(line, trouble, sizeof trouble / sizeof *trouble)) {
        db_warn(r->import, topomap_input_lineno(r->import->input), "%.200s", line);
        r->import->report->partial = 1;
        return 0;
    }
    if (!r->tables->count && ++r->preamble <= PREAMBLE_MOST)
        return 0;
    return db_fail_here(r->import, "expected a row '0x<LID> <port>' or 'Unicast lids ...'");
}

static int read_line(struct db_import *import, void *content, char *line)
{
    struct reader *r = content;
    uint64_t count;

    (void)import;
    while (isspace((unsigned char)*line))
        line++;
    if (!*line)
        return 0;
    if (strncmp(line, "Unicast lids", 12) == 0)
        return read_header(r, line);
    if (strncmp(line, "Multicast mlids", 15) == 0) {
        r->multicast = 1;
        return end_table(r, 0);
    }
    if (r->multicast)
        return 0;
    if (line[0] == '0' && line[1] == 'x')
        return read_row(r, line);
    if (is_total(line, &count))
        return read_total(r, count);
    return read_other(r, line);
}

static int read_all(struct reader *r)
{
    size_t length;
    const char *bytes;

    if (topomap_input_peek(r->import->input, 512, &bytes, &length, r->import->err))
        return -1;
    if (length >= 262 && memcmp(bytes + 257, "ustar", 5) == 0)
        return db_fail_here(r->import, "a tar archive: unpack it, and import its files");
    if (db_each_line(r->import, read_line, r) || end_table(r, 0))
        return -1;
    if (!r->tables->count)
        return db_fail_here(r->import,
                            "no line 'Unicast lids ... of switch ...': not routing tables "
                            "as dump_lfts or ibroute print them");
    if (r->lost)
        db_warn(r->import, 0,
                "the tables end before LID 0x%" PRIx64
                " (dump_lfts leaves out a last LID that is a "
                "multiple of 64): routes to it are not known",
                r->lost);
    return 0;
}

static int begin(struct db_import *import, void *content)
{
    TOPOMAP_FREED struct reader *r = topomap_alloc(1, sizeof *r, import->err);

    if (!r)
        return -1;
    r->import = import;
    r->tables = content;
    return read_all(r);
}

/* ---- Into the database ------------------------------------------------------------------- */

/* Tables of switches that no dump of a fabric has are kept: the dump may come later. Where there
 * is a fabric they are worth a word. */
static int warn_unknown(struct db_import *import, struct tables *tables)
{
    DB_ROWS rows = db_ask(import->file, "SELECT guid FROM vertex WHERE kind=0", import->err);
    size_t fabric = 0, unknown = 0;
    uint64_t first = 0;

    while (db_next(&rows)) {
        uint64_t guid = db_u64(rows.row, 0);
        uint32_t at = topomap_known_find(&tables->guids, &guid, sizeof guid);

        fabric++;
        if (at != UINT32_MAX)
            tables->table[at].seen = 1;
    }
    for (size_t i = tables->count; i-- > 0;)
        if (!tables->table[i].seen) {
            unknown++;
            first = tables->table[i].guid;
        }
    if (fabric && unknown)
        db_warn(import, 0,
                "%zu of %zu tables are of switches that the fabric's dump does not have, such as "
                "0x%016" PRIx64,
                unknown, tables->count, first);
    return rows.result;
}

static int write_tables(struct db_import *import, void *content)
{
    struct tables *tables = content;
    const struct table *table = tables->table;

    if (warn_unknown(import, tables))
        return -1;
    /* The newest table of a switch counts, whichever file it came from. */
    for (size_t i = 0; i < tables->count; i++)
        if (DB_ADD(import, "INSERT OR REPLACE INTO lft", DB_INT(table[i].guid),
                   DB_INT(import->source), DB_INT(table[i].lids),
                   DB_BLOB(table[i].packed, (int64_t)table[i].size)))
            return -1;
    import->report->switches = tables->count;
    import->report->entries = tables->entries;
    return db_execute(import->file,
                      "DELETE FROM source WHERE importer='lft'"
                      " AND NOT EXISTS (SELECT 1 FROM lft WHERE lft.source = source.id)",
                      import->err);
}

const db_importer db_lft = {
    .row = {"lft", "routing tables as dump_lfts or ibroute print them (optional)"},
    .tables = {"lft"},
    .size = sizeof(struct tables),
    .begin = begin,
    .write = write_tables,
    .clear = tables_clear,
};
