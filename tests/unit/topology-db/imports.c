/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/messages.h"
#include "tests/unit/scratch.h"
#include "tests/unit/topology-db/imports.h"

const char *db_fresh(void)
{
    const char *path = scratch_path("t.db");

    unlink(path);
    return path;
}

void db_import_with(const char *db_path, const char *importer, const char *path,
                    const topomap_db_import_options *options, topomap_db_report *report)
{
    topomap_db *db;
    topomap_error err;

    if (topomap_db_create(db_path, &db, &err) ||
        topomap_db_import(db, importer, path, options, report, &err))
        fail_msg("%s", err.text);
    topomap_db_close(db);
}

topomap_db_report db_import(const char *db_path, const char *importer, const char *path)
{
    topomap_db_report report;

    db_import_with(db_path, importer, path, NULL, &report);
    return report;
}

topomap_db_summary db_summary(const char *db_path)
{
    topomap_db_summary s;
    topomap_db *db;
    topomap_error err;

    if (topomap_db_open(db_path, &db, &err) || topomap_db_summarise(db, &s, &err))
        fail_msg("%s", err.text);
    topomap_db_close(db);
    return s;
}

int db_add_host(const topomap_db_host *host, void *data)
{
    char *line = data;

    sprintf(line + strlen(line), "%s@%s(%s) ", host->name, host->attached, host->status);
    return 0;
}

const char *db_hosts(const char *db_path)
{
    static char line[8192];
    topomap_db *db;
    topomap_error err;

    line[0] = 0;
    if (topomap_db_open(db_path, &db, &err) || topomap_db_hosts(db, NULL, db_add_host, line, &err))
        fail_msg("%s", err.text);
    topomap_db_close(db);
    return line;
}

void db_refused(const char *importer, const char *path, const char *part)
{
    const char *db_path = db_fresh();
    topomap_db *db;
    topomap_db_report report;
    topomap_error err;
    struct stat about;

    assert_int_equal(topomap_db_create(db_path, &db, &err), 0);
    if (topomap_db_import(db, importer, path, NULL, &report, &err) == 0)
        fail_msg("accepted; expected '%s'", part);
    topomap_db_close(db);
    assert_int_equal(err.code, TOPOMAP_EINPUT);
    if (!message_has(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
    assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
    assert_int_equal(stat(db_path, &about), -1);
}
