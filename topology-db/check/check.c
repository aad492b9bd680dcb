/* SPDX-License-Identifier: BSD-3-Clause */
/* db check: the table of checks. */
#include "topology-db/check/check.h"

#include <time.h>

#include "util/clock.h"

static int check_age(struct db_check *check)
{
    DB_ROWS rows = db_ask(
        check->file, "SELECT importer, name, time FROM source ORDER BY importer, name", check->err);

    while (db_next(&rows)) {
        double days =
            difftime((time_t)topomap_clock_date(), (time_t)sqlite3_column_int64(rows.row, 2)) /
            86400;
        int result = days > check->options->max_age
                         ? db_found(check, "%s %s: imported %.0f days ago",
                                    db_column_text(rows.row, 0), db_column_text(rows.row, 1), days)
                         : 0;

        if (result)
            return result;
    }
    return rows.result;
}

static int ask(struct db_check *check, const char *sql)
{
    DB_ROWS rows = db_ask(check->file, sql, check->err);

    while (db_next(&rows)) {
        int information = sqlite3_column_count(rows.row) > 1 && sqlite3_column_int(rows.row, 1);
        int result = db_found_as(check, information ? TOPOMAP_DB_INFO : check->row->severity, "%s",
                                 db_column_text(rows.row, 0));

        if (result)
            return result;
    }
    return rows.result;
}

/* ---- Checks that are a question ------------------------------------------------------------ */

/* A finding a row: its text, and nonzero where it is an information only. */

static const char fewer_ports[] =
    "WITH node AS (SELECT host.id, name, peers(name) AS kind, count(*) AS ports FROM host"
    "  JOIN attach ON attach.host = host.id GROUP BY host.id),"
    " usual AS (SELECT kind, ports AS most, sum(count(*)) OVER (PARTITION BY kind) AS peers,"
    "  row_number() OVER (PARTITION BY kind ORDER BY count(*) DESC, ports) AS place"
    "  FROM node GROUP BY kind, ports)"
    " SELECT printf('%s: %u of the %u ports that most nodes of its name have', name, ports, most)"
    " FROM node JOIN usual USING(kind) WHERE place = 1 AND peers >= 3 AND ports < most"
    " ORDER BY kind, id";

static const char fewer_links[] =
    "WITH up AS (SELECT v.source, s.level, s.label, s.id, coalesce(sum(links), 0) AS links"
    "  FROM switch s JOIN vertex v ON v.id = s.id LEFT JOIN ("
    "   SELECT a AS id, links FROM trunk JOIN switch x ON x.id = a JOIN switch y ON y.id = b"
    "    WHERE y.level = x.level + 1 UNION ALL"
    "   SELECT b, links FROM trunk JOIN switch x ON x.id = b JOIN switch y ON y.id = a"
    "    WHERE y.level = x.level + 1) t ON t.id = s.id"
    "  WHERE s.level IS NOT NULL GROUP BY s.id),"
    " usual AS (SELECT source, level, links AS most, row_number() OVER (PARTITION BY source, level"
    "  ORDER BY count(*) DESC, links) AS place FROM up GROUP BY source, level, links)"
    " SELECT printf('%s: %u links upwards, where most switches of level %d have %u', label, links,"
    "  level, most) FROM up JOIN usual USING(source, level) WHERE place = 1 AND links < most"
    " ORDER BY source, level, label COLLATE human, id";

/* A dump without any record of an adapter was printed so. */
static const char dangling[] =
    "SELECT printf('%s %s%s0x%016llx is named by its neighbour in %s only', CASE v.kind WHEN 1 THEN"
    "  'adapter' ELSE 'switch' END, coalesce(v.label, v.text), CASE WHEN coalesce(v.label, v.text)"
    "  <> '' THEN ' ' ELSE '' END, v.guid, source.name) FROM vertex v"
    " JOIN source ON source.id = v.source WHERE NOT v.recorded AND v.kind <> 3 AND EXISTS"
    " (SELECT 1 FROM vertex w WHERE w.source = v.source AND w.recorded AND w.kind = v.kind)"
    " ORDER BY v.kind, v.guid, v.id";

static const char unnamed[] =
    "SELECT printf('0x%016llx \"%s\"%s', v.guid, v.text, coalesce(' at ' || group_concat(e.at,"
    "  ', '), '')) FROM adapter JOIN vertex v ON v.id = adapter.vertex LEFT JOIN"
    " (SELECT a AS id, label || ' port ' || bport AS at FROM link JOIN switch ON switch.id = b"
    "  UNION ALL SELECT b, label || ' port ' || aport FROM link JOIN switch ON switch.id = a"
    "  ORDER BY 2) e"
    " ON e.id = v.id WHERE adapter.host IS NULL GROUP BY v.id ORDER BY v.guid, v.id";

static const char nameless[] =
    "SELECT printf('%s: %u ports', name, (SELECT count(*) FROM attach WHERE attach.host = host.id))"
    " FROM host WHERE name LIKE 'localhost' OR name LIKE 'localhost.%' OR name LIKE 'localhost_'"
    " OR name = '(none)' ORDER BY id";

static const char partial[] =
    "SELECT importer || ' ' || name || ': the dump is not complete' FROM source WHERE partial"
    " ORDER BY importer, name";

static const char without_class[] =
    "WITH with_class(there) AS (SELECT EXISTS(SELECT 1 FROM host WHERE class IS NOT NULL))"
    " SELECT name, 0, id FROM host, with_class WHERE class IS NULL AND there"
    " UNION ALL SELECT 'no node has a class: tasks are placed on nodes, not on cores', 1, 0"
    "  FROM with_class WHERE NOT there AND EXISTS(SELECT 1 FROM host) ORDER BY 3";

/* unknown-node reports the nodes that Slurm has. The last dump with links may have removed the
 * node's; a list of places comes second, since it may be of some nodes only. */
static const char stray[] =
    "WITH node AS (SELECT id, name, place IS NOT NULL OR id IN (SELECT host FROM adapter WHERE host"
    "  IS NOT NULL) AS there FROM host)"
    " SELECT name || coalesce(': it has no link in ' || (SELECT importer || ' ' || name ||"
    "  ', imported ' || strftime('%Y-%m-%d %H:%M UTC', time, 'unixepoch') FROM source"
    "  WHERE id IN (SELECT source FROM vertex UNION SELECT source FROM place)"
    "  ORDER BY id IN (SELECT source FROM vertex) DESC, time DESC, id DESC LIMIT 1), '')"
    " FROM node WHERE NOT there AND EXISTS(SELECT 1 FROM node WHERE there)"
    " AND id NOT IN (SELECT host FROM slurm_attach) ORDER BY id";

/* Tables and fabric are dumped one after the other, and one of them may be of another day. */
static const char broken_routes[] =
    "SELECT CASE name"
    " WHEN 'routes_broken' THEN 'ways from a switch to a host''s port that lead nowhere: '"
    " ELSE 'switches without a table: ' END || value FROM fact"
    " WHERE name IN ('routes_broken', 'routing_tables_missing')"
    " AND value > 0 ORDER BY name";

static const char subnets[] =
    "SELECT count || ' subnets: ' || names FROM (SELECT count(*) AS count, group_concat(name, ', ')"
    "  AS names FROM (SELECT DISTINCT name FROM source JOIN vertex ON vertex.source = source.id"
    "  ORDER BY name)) WHERE count > 1";

static const char warned[] =
    "SELECT printf('%s %s: %d warnings', importer, name, warnings) FROM source WHERE warnings > 0"
    " ORDER BY importer, name";

/* In the order in which findings are told. */
static const struct {
    topomap_db_check_row row;
    db_check_run *run;
    const char *sql; /* in place of it */
} checks[] = {
    {{"unknown-node", TOPOMAP_DB_ERROR, "nodes that Slurm has and no network here has",
      "import the dump that has it, or a hosts file that maps its name"},
     .run = db_check_unknown_nodes},
    {{"disconnected", TOPOMAP_DB_ERROR, "parts of one fabric without a link between them",
      "no route joins them: look for links that are down, or dump the fabric again"},
     .run = db_check_parts},
    {{"degraded-link", TOPOMAP_DB_WARNING, "links slower or narrower than most of their kind",
      "reseat or replace the cable; look at both ports' error counters"},
     .run = db_check_degraded},
    {{"missing-cable", TOPOMAP_DB_WARNING,
      "neighbours in a torus, and switches and groups of a dragonfly, with fewer cables between "
      "them than most",
      "look for a cable that is missing, or ports that are down"},
     .run = db_check_missing_cables},
    {{"missing-rail", TOPOMAP_DB_WARNING, "hosts on fewer ports than their peers",
      "look for a port that is down or an adapter without a name"},
     .sql = fewer_ports},
    {{"wrong-rail", TOPOMAP_DB_WARNING, "NICs on a switch that has other NICs of its host's peers",
      "look for cables that are swapped"},
     .run = db_check_wrong_rails},
    {{"nic-speed", TOPOMAP_DB_WARNING,
      "NICs of another speed than their neighbours: that NIC of most nodes of its name, or the "
      "node's others",
      "look for a cable, a port or an adapter of another kind"},
     .run = db_check_nic_speeds},
    {{"nic-down", TOPOMAP_DB_WARNING, "NICs of nodes with GPUs that are down",
      "look at its cable and its driver; what its GPUs send goes another way"},
     .run = db_check_nics_down},
    {{"far-nic", TOPOMAP_DB_WARNING,
      "GPUs whose nearest NIC is farther than most GPUs' in the node",
      "look for a NIC that is missing, or in another slot"},
     .run = db_check_far_nics},
    {{"missing-nvlink", TOPOMAP_DB_WARNING,
      "pairs of GPUs with less NVLink between them than the node's others, or its peers'",
      "look at the links on the node (nvidia-smi nvlink --status, rocm-smi --showtopo)"},
     .run = db_check_gpu_links},
    {{"one-way", TOPOMAP_DB_WARNING, "links that only one of their ends lists",
      "dump the fabric again: it changed under the dump, or a query timed out"},
     .run = db_check_one_way},
    {{"dangling", TOPOMAP_DB_WARNING, "neighbours without a record of their own",
      "dump the fabric again: the discovery stopped there"},
     .sql = dangling},
    {{"unnamed-adapter", TOPOMAP_DB_WARNING, "adapters that no host is known to have",
      "import a hosts file that maps its GUID to a node, or set the node's description"},
     .sql = unnamed},
    {{"unused-name", TOPOMAP_DB_WARNING,
      "lines of a hosts file of which nothing imported has the GUID or the name",
      "look at the line: first what the dump has, then what Slurm calls it"},
     .run = db_check_unused_names},
    {{"broken-routes", TOPOMAP_DB_WARNING,
      "routing tables that do not lead from everywhere to every host",
      "dump the fabric and its tables one after the other, and import both"},
     .sql = broken_routes},
    {{"localhost", TOPOMAP_DB_WARNING, "hosts that are called localhost",
      "set the node's name, or leave it out; several nodes may have become one"},
     .sql = nameless},
    {{"partial-import", TOPOMAP_DB_WARNING, "sources whose dump holds errors of its tool",
      "dump it again and import it"},
     .sql = partial},
    {{"age", TOPOMAP_DB_WARNING, "sources imported longer ago than --max-age",
      "dump it again and import it"},
     .run = check_age},
    {{"missing-class", TOPOMAP_DB_WARNING, "nodes without a class where others have one",
      "import an hwloc XML of such a node with --nodes"},
     .sql = without_class},
    {{"stray-node", TOPOMAP_DB_WARNING,
      "nodes of which the inside is known, and that no network has",
      "check the names given with --nodes (default: this host's name); or dump the network "
      "again: this dump may lack the node"},
     .sql = stray},
    {{"fewer-links", TOPOMAP_DB_INFO, "switches with fewer links upwards than most of their level",
      "look for links that are down, if it is not built so"},
     .sql = fewer_links},
    {{"unknown-rate", TOPOMAP_DB_INFO, "links whose width or speed is not known",
      "dump with a newer tool: this one does not know the speed"},
     .run = db_check_rates},
    {{"other-host", TOPOMAP_DB_INFO, "hosts of the fabric that Slurm has not",
      "nothing, where it is a service node; else add it to Slurm, or map its name"},
     .run = db_check_other_hosts},
    {{"subnets", TOPOMAP_DB_INFO, "several subnets", "nothing, where the machine has them"},
     .sql = subnets},
    {{"import-warnings", TOPOMAP_DB_INFO, "sources that were imported with warnings",
      "import it again to read them"},
     .sql = warned},
};

enum { CHECKS = sizeof checks / sizeof *checks };

const topomap_db_check_row *topomap_db_check_row_at(size_t i)
{
    return i < CHECKS ? &checks[i].row : NULL;
}

int topomap_db_check(topomap_db *db, const topomap_db_check_options *options,
                     int (*each)(const topomap_db_finding *finding, void *data), void *data,
                     topomap_error *err)
{
    struct db_check check = {
        .db = db, .file = db->file, .options = options, .each = each, .data = data, .err = err};
    int result = 0;

    if (db_imported(db, err))
        return -1;
    for (size_t i = 0; !result && i < CHECKS; i++) {
        check.row = &checks[i].row;
        result = checks[i].sql ? ask(&check, checks[i].sql) : checks[i].run(&check);
    }
    return result;
}
