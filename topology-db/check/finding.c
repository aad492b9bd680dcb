/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that checks share: they report a finding and format a rate. */
#include <stdarg.h>
#include <string.h>

#include "fabric/infiniband.h"
#include "topology-db/check/check.h"

int db_found_as(struct db_check *check, enum topomap_db_severity severity, const char *format, ...)
{
    char text[1024];
    va_list args;
    topomap_db_finding finding = {.check = check->row->name,
                                  .severity = severity,
                                  .text = text,
                                  .remedy = check->row->remedy};

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < 2; i++) {
        finding.end[i].vertex = check->vertex[i];
        finding.end[i].port = check->port[i];
    }
    memset(check->port, 0, sizeof check->port);
    return check->each(&finding, check->data);
}

void db_put_rate(uint32_t width, uint32_t speed, uint32_t mbps, char *text, size_t size)
{
    if (width && speed && speed < 10)
        snprintf(text, size, "%ux%s", width, ib_speeds[speed].name);
    else
        snprintf(text, size, "%g Gb/s", mbps / 1000.0);
}
