/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything as JSON. */
#include <inttypes.h>

#include "topology-db/export/export.h"
#include "fabric/infiniband.h"
#include "util/safe_text.h"

static void put_text(FILE *out, const char *text)
{
    char code[8];

    fputc('"', out);
    while (*text) {
        text += topomap_json_character(text, code);
        fputs(code, out);
    }
    fputc('"', out);
}

static void put_key(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    if (*text)
        put_text(out, text);
    else
        fputs("null", out);
}

static void put_place(FILE *out, const char *place)
{
    if (*place)
        fprintf(out, ", \"coordinates\": [%s]", place);
}

static void put_hosts(struct db_export *x)
{
    fputs("  \"hosts\": [", x->out);
    for (uint32_t h = 0; h < x->hosts; h++) {
        const struct db_export_host *host = &x->host[h];

        fprintf(x->out, "%s\n    {\"name\": ", h ? "," : "");
        put_text(x->out, host->name);
        put_key(x->out, "class", host->class);
        put_key(x->out, "status", host->status);
        put_key(x->out, "type", host->type);
        put_place(x->out, host->place);
        fputc('}', x->out);
    }
    fputs("\n  ],\n", x->out);
}

static void put_switches(struct db_export *x)
{
    const char *comma = "";

    fputs("  \"switches\": [", x->out);
    for (uint32_t i = 0; i < x->graph.count; i++) {
        const struct db_export_switch *sw = &x->sw[i];

        if (!sw->kept)
            continue;
        fprintf(x->out, "%s\n    {\"name\": ", comma);
        put_text(x->out, sw->label);
        if (sw->guid)
            fprintf(x->out, ", \"guid\": \"0x%016" PRIx64 "\"", sw->guid);
        if (sw->level >= 0)
            fprintf(x->out, ", \"level\": %" PRId64, sw->level);
        put_place(x->out, sw->place);
        fputc('}', x->out);
        comma = ",";
    }
    fputs("\n  ],\n", x->out);
}

static void put_port(FILE *out, const char *key, uint32_t port)
{
    fprintf(out, port ? ", \"%s\": %u" : ", \"%s\": null", key, port);
}

static void put_links(struct db_export *x)
{
    fputs("  \"links\": [", x->out);
    for (size_t i = 0; i < x->cables; i++) {
        const struct db_cable *cable = &x->cable[i];

        fprintf(x->out, "%s\n    {\"%s\": ", i ? "," : "",
                cable->host == UINT32_MAX ? "switch" : "host");
        put_text(x->out,
                 cable->host == UINT32_MAX ? x->sw[cable->a].label : x->host[cable->host].name);
        put_port(x->out, "port", cable->aport);
        fputs(", \"to\": ", x->out);
        put_text(x->out, x->sw[cable->b].label);
        put_port(x->out, "to_port", cable->bport);
        if (cable->width)
            fprintf(x->out, ", \"width\": %u", cable->width);
        if (ib_mbps(1, cable->speed))
            fprintf(x->out, ", \"speed\": \"%s\"", ib_speeds[cable->speed].name);
        fprintf(x->out, cable->mbps ? ", \"gbps\": %.3f}" : ", \"gbps\": null}",
                cable->mbps / 1000.0);
    }
    fputs("\n  ]\n", x->out);
}

static int run_json(struct db_export *x, topomap_error *err)
{
    topomap_db_summary summary;

    if (topomap_db_summarise(x->db, &summary, err))
        return -1;
    fputs("{\n  \"topology\": ", x->out);
    put_text(x->out, summary.topology);
    put_key(x->out, "evidence", summary.evidence);
    fprintf(x->out, ", \"confidence\": %g,\n", summary.confidence);
    put_hosts(x);
    put_switches(x);
    put_links(x);
    fputs("}\n", x->out);
    return 0;
}

const db_exporter db_export_json = {
    .row = {"json", "everything, for programs"},
    .run = run_json,
};
