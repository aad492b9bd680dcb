/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/messages.h"
#include "tests/unit/topology-db/ib_database.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/scratch.h"

topomap_error ib_err;

const char *ib_fresh(void)
{
    const char *path = scratch_path("ib.db");

    unlink(path);
    return path;
}

/* Whether it was imported; otherwise err says why, and must be the input's fault. */
int ib_try_import(const char *db_path, const char *importer, const char *path, const char *nodes,
                  topomap_db_report *report)
{
    topomap_db_import_options options = {.nodes = nodes};
    topomap_db *db;
    int result;

    memset(report, 0, sizeof *report);
    assert_int_equal(topomap_db_create(db_path, &db, &ib_err), 0);
    result = topomap_db_import(db, importer, path, &options, report, &ib_err);
    topomap_db_close(db);
    if (result)
        assert_int_equal(ib_err.code, TOPOMAP_EINPUT);
    return result == 0;
}

topomap_db_report ib_import(const char *db_path, const char *importer, const char *path)
{
    topomap_db_report report;

    if (!ib_try_import(db_path, importer, path, NULL, &report))
        fail_msg("%s", ib_err.text);
    return report;
}

void ib_refused(const char *importer, const char *path, const char *part)
{
    topomap_db_report report;

    if (ib_try_import(ib_fresh(), importer, path, NULL, &report))
        fail_msg("%s: accepted; expected '%s'", path, part);
    if (!message_has(ib_err.text, part) || strncmp(ib_err.text, path, strlen(path)) != 0)
        fail_msg("'%s' does not say '%s'", ib_err.text, part);
}

topomap_db_summary ib_summary(const char *db_path)
{
    topomap_db_summary s;
    topomap_db *db;

    if (topomap_db_open(db_path, &db, &ib_err) || topomap_db_summarise(db, &s, &ib_err))
        fail_msg("%s", ib_err.text);
    topomap_db_close(db);
    return s;
}

static int add_host(const topomap_db_host *host, void *data)
{
    sprintf((char *)data + strlen(data), "%s@%s ", host->name, host->attached);
    return 0;
}

const char *ib_hosts(const char *db_path)
{
    static char line[65536];
    topomap_db *db;

    line[0] = 0;
    if (topomap_db_open(db_path, &db, &ib_err) ||
        topomap_db_hosts(db, NULL, add_host, line, &ib_err))
        fail_msg("%s", ib_err.text);
    topomap_db_close(db);
    return line;
}

static int add_port(const topomap_db_port *p, void *data)
{
    char *line = data;

    sprintf(line + strlen(line), "%llx:%u ", (unsigned long long)p->guid, p->port);
    if (*p->switch_label)
        sprintf(line + strlen(line), "%s[%u] %ux%s rail %u plane %u; ", p->switch_label,
                p->switch_port, p->width, p->speed, p->rail, p->plane);
    else
        sprintf(line + strlen(line), "%s; ", p->state);
    return 0;
}

/* A host's ports; NULL: those of unknown hosts. */
const char *ib_ports(const char *db_path, const char *node)
{
    static char line[65536];
    topomap_db *db;

    line[0] = 0;
    if (topomap_db_open(db_path, &db, &ib_err) ||
        topomap_db_ports(db, node, add_port, line, &ib_err))
        fail_msg("%s", ib_err.text);
    topomap_db_close(db);
    return line;
}
