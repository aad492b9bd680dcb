/* SPDX-License-Identifier: BSD-3-Clause */
/* db synth: from the specification to the files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fabric/infiniband.h"
#include "topology-db/synth/synth.h"
#include "util/alloc.h"
#include "util/output.h"

static const struct {
    const char *kind;
    int (*build)(struct synth_spec *spec, struct synth_fabric *fabric, struct synth_seats *seats,
                 topomap_error *err);
} shapes[] = {
    {"fat-tree", synth_fat_tree},
    {"torus", synth_torus},
    {"mesh", synth_torus},
    {"dragonfly", synth_dragonfly},
};

/* ---- Speeds ------------------------------------------------------------------------------ */

/* "EDR" or "2xHDR". */
static int read_rate(struct synth_spec *spec, const char *key, uint8_t *width, uint8_t *speed,
                     topomap_error *err)
{
    static const char *const widths[] = {"1x", "2x", "4x", "8x", "12x"};
    const char *text = synth_value(spec, key), *name = text;

    if (!text)
        return 0;
    *width = 4;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strncmp(text, widths[i], strlen(widths[i])) == 0) {
            *width = (uint8_t)strtoul(widths[i], NULL, 10);
            name = text + strlen(widths[i]);
        }
    for (uint8_t i = 1; ib_speeds[i].name; i++)
        if (strcmp(name, ib_speeds[i].name) == 0) {
            *speed = i;
            return 0;
        }
    return synth_fail(spec, err,
                      "%s=%s: expected SDR DDR QDR FDR10 FDR EDR HDR NDR or XDR, with "
                      "1x 2x 4x 8x or 12x before it where it is not 4x",
                      key, text);
}

static int read_rates(struct synth_spec *spec, struct synth_fabric *fabric, topomap_error *err)
{
    uint8_t width = 4, speed = 6; /* EDR */
    const char *top = strcmp(spec->kind, "fat-tree") == 0 ? "spine" : "global";

    if (read_rate(spec, "speed", &width, &speed, err))
        return -1;
    for (int class = 0; class < SYNTH_CLASSES; class ++) {
        fabric->width[class] = width;
        fabric->speed[class] = speed;
    }
    if (read_rate(spec, "host", &fabric->width[SYNTH_HOST], &fabric->speed[SYNTH_HOST], err) ||
        read_rate(spec, "trunk", &fabric->width[SYNTH_TRUNK], &fabric->speed[SYNTH_TRUNK], err))
        return -1;
    fabric->width[SYNTH_TOP] = fabric->width[SYNTH_TRUNK];
    fabric->speed[SYNTH_TOP] = fabric->speed[SYNTH_TRUNK];
    if (strcmp(spec->kind, "fat-tree") != 0 && strcmp(spec->kind, "dragonfly") != 0)
        return 0;
    return read_rate(spec, top, &fabric->width[SYNTH_TOP], &fabric->speed[SYNTH_TOP], err);
}

/* Of the links between switches, by what the shape says of them. */
static void set_rates(struct synth_fabric *fabric)
{
    for (size_t i = 0; i < fabric->base.links; i++) {
        topomap_link *link = &fabric->base.link[i];
        enum synth_class class = link->class && !fabric->grid ? SYNTH_TOP : SYNTH_TRUNK;

        link->width = fabric->width[class];
        link->speed = fabric->speed[class];
    }
}

/* ---- Hosts ------------------------------------------------------------------------------- */

struct naming {
    char stem[SYNTH_NAME], tail[SYNTH_NAME];
    int digits;
    uint32_t first;
    int scatter;
};

/* names=node%04d: what stands before and after the number, and its least digits. */
static int read_names(struct synth_spec *spec, uint32_t hosts, struct naming *n, topomap_error *err)
{
    const char *text = synth_value(spec, "names"), *percent, *end;
    const char *scatter = synth_value(spec, "scatter");
    uint32_t last;

    *n = (struct naming){.stem = "node"};
    if (synth_number(spec, "first", 0, 999999, 1, &n->first, err))
        return -1;
    if (scatter && strcmp(scatter, "0") != 0 && strcmp(scatter, "1") != 0)
        return synth_fail(spec, err, "scatter=%s: expected 0 or 1", scatter);
    n->scatter = scatter && *scatter == '1';
    for (n->digits = 1, last = n->first + hosts - 1; last > 9; last /= 10)
        n->digits++;
    if (n->digits < 2)
        n->digits = 2;
    if (!text)
        return 0;
    percent = strchr(text, '%');
    end = percent ? percent + 1 + strspn(percent + 1, "0123456789") : NULL;
    if (!percent || *end != 'd' || end - percent > 3 || percent - text > 20 || strlen(end) > 20 ||
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") !=
            (size_t)(percent - text) ||
        strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") !=
            strlen(end))
        return synth_fail(spec, err,
                          "names=%s: expected letters, digits and dashes with one number "
                          "in them, as in names=node%%04d",
                          text);
    snprintf(n->stem, sizeof n->stem, "%.*s", (int)(percent - text), text);
    snprintf(n->tail, sizeof n->tail, "%s", end + 1);
    n->digits = atoi(percent + 1);
    return n->digits <= 9 ? 0 : synth_fail(spec, err, "names=%s: at most 9 digits", text);
}

/* The first step from 0.618 n upwards that visits all of 0..n-1: neighbours by name are then far
 * apart in the fabric. */
static uint32_t stride(uint32_t n)
{
    for (uint32_t step = (uint32_t)(n * 0.618 + 0.5);; step++) {
        uint32_t a = step, b = n;

        while (b) {
            uint32_t rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

/* The switch and port of a host's rail. */
static void seat(const struct synth_fabric *fabric, const struct synth_seats *seats, int scatter,
                 uint32_t host, uint32_t rail, uint32_t *leaf, uint32_t *port)
{
    uint32_t group = seats->spread ? seats->leaves / fabric->rails : seats->leaves;
    uint32_t unit = host / seats->per, place = host % seats->per;

    if (scatter) {
        unit = (uint32_t)((uint64_t)host * stride(group) % group);
        place = host / group;
    }
    *leaf = seats->spread ? unit * fabric->rails + rail : unit;
    *port = seats->spread ? place + 1 : place * fabric->rails + rail + 1;
}

static int add_adapter(struct synth_fabric *fabric, const struct naming *n, uint32_t host,
                       uint32_t rail, uint32_t leaf, uint32_t port, topomap_error *err)
{
    topomap_link link = {.a = leaf,
                         .b = (uint32_t)fabric->base.vertices,
                         .aport = port,
                         .bport = 1,
                         .ends = 3,
                         .width = fabric->width[SYNTH_HOST],
                         .speed = fabric->speed[SYNTH_HOST]};

    return topomap_fabric_addf(&fabric->base, TOPOMAP_VERTEX_HOST, err, "%s%0*u%s %s%u", n->stem,
                               n->digits, n->first + host, n->tail,
                               fabric->rails > 1 ? "mlx5_" : "HCA-",
                               fabric->rails > 1 ? rail : 1) ||
                   topomap_fabric_join(&fabric->base, &link, err)
               ? -1
               : 0;
}

static int add_hosts(struct synth_spec *spec, struct synth_fabric *fabric,
                     const struct synth_seats *seats, topomap_error *err)
{
    uint64_t adapters;
    struct naming names;
    uint32_t leaf, port;

    if (synth_number(spec, "rails", 1, 16, 1, &fabric->rails, err))
        return -1;
    if (seats->spread && seats->leaves % fabric->rails)
        return synth_fail(spec, err, "rails=%u: the %u leaf switches cannot be shared out evenly",
                          fabric->rails, seats->leaves);
    adapters = (uint64_t)seats->leaves * seats->per * (seats->spread ? 1 : fabric->rails);
    if (adapters + fabric->switches > SYNTH_LIDS)
        return synth_fail(spec, err, "%llu adapters and %u switches; a subnet has %d LIDs",
                          (unsigned long long)adapters, fabric->switches, SYNTH_LIDS);
    fabric->hosts = (uint32_t)(adapters / fabric->rails);
    if (read_names(spec, fabric->hosts, &names, err))
        return -1;
    for (uint32_t host = 0; host < fabric->hosts; host++)
        for (uint32_t rail = 0; rail < fabric->rails; rail++) {
            seat(fabric, seats, names.scatter, host, rail, &leaf, &port);
            if (add_adapter(fabric, &names, host, rail, leaf, port, err))
                return -1;
        }
    return 0;
}

/* ---- Files ------------------------------------------------------------------------------- */

struct made {
    struct synth_spec spec;
    struct synth_faults faults;
    struct synth_fabric fabric;
    struct synth_cray cray;
    struct synth_log log;
    const char *folder;
    int is_cray, tables;
    const char *as; /* another tool's dump, or NULL */
};

static int write_faults(struct made *m, FILE *out, topomap_error *err)
{
    m->log.file = out;
    if (!m->is_cray)
        return synth_faults_make(&m->faults, &m->fabric, &m->log, err);
    for (uint32_t i = 0; i < m->cray.nodes; i++)
        if (m->cray.node[i].down)
            synth_log(&m->log, "missing nid%05u down", m->cray.node[i].nid);
    return 0;
}

/* Faults first: they are made while they are written down. */
static const struct {
    const char *name;
    /* What writes it: of InfiniBand, of a Cray; neither: both have it */
    int (*fabric)(const struct synth_fabric *fabric, FILE *out, topomap_error *err);
    void (*cray)(const struct synth_cray *cray, FILE *out);
    int table;
    const char *as; /* written where `as` names it; NULL: always */
} files[] = {
    {"faults.txt", NULL, NULL, 0, NULL},
    {"fabric.ibnetdiscover", synth_write_ibnetdiscover, NULL, 0, NULL},
    {"fabric.lfts", synth_write_lfts, NULL, 1, NULL},
    {"fabric.opa", synth_write_opa, NULL, 0, "opa"},
    {"fabric.lldp", synth_write_lldp, NULL, 0, "lldp"},
    {"fabric.hsn_pt_pt.csv", synth_write_slingshot_cables, NULL, 0, "slingshot"},
    {"fabric.slingshot-ama", synth_write_slingshot_ama, NULL, 0, "slingshot"},
    {"fabric.aws-topology", synth_write_aws, NULL, 0, "aws"},
    {"machine.xtprocadmin", NULL, synth_cray_write_admin, 0, NULL},
    {"machine.xtdb2proc", NULL, synth_cray_write_proc, 0, NULL},
};

enum { FILES = sizeof files / sizeof *files };

static int is_wanted(const struct made *m, size_t which)
{
    return (m->is_cray ? !files[which].fabric : !files[which].cray) &&
           (!files[which].table || m->tables) &&
           (!files[which].as || (m->as && strcmp(m->as, files[which].as) == 0));
}

static int write_content(struct made *m, size_t which, FILE *out, topomap_error *err)
{
    if (files[which].fabric)
        return files[which].fabric(&m->fabric, out, err);
    if (!files[which].cray)
        return write_faults(m, out, err);
    files[which].cray(&m->cray, out);
    return 0;
}

static int write_file(struct made *m, size_t which, topomap_output **output, topomap_error *err)
{
    TOPOMAP_FREED char *path = topomap_alloc(strlen(m->folder) + 32, 1, err);
    int result = -1;

    if (!path)
        return -1;
    sprintf(path, "%s/%s", m->folder, files[which].name);
    if (topomap_output_open(path, output, err) == 0) {
        FILE *out = topomap_output_file(*output);

        result = write_content(m, which, out, err);
        if (!result && fflush(out))
            result = topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot write: %s", path,
                                       strerror(errno));
    }
    return result;
}

/* None is put in place before all are written. */
static int write_all(struct made *m, topomap_error *err)
{
    topomap_output *output[FILES] = {NULL};
    int result = 0;

    for (size_t i = 0; !result && i < FILES; i++)
        if (is_wanted(m, i))
            result = write_file(m, i, &output[i], err);
    for (size_t i = 0; i < FILES; i++)
        if (result)
            topomap_output_abandon(output[i]);
        else if (output[i])
            result = topomap_output_commit(output[i], err);
    return result;
}

static int write_files(struct made *m, topomap_error *err)
{
    int made = !mkdir(m->folder, 0777), result;

    if (!made && errno != EEXIST)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot make the folder: %s", m->folder,
                                 strerror(errno));
    result = write_all(m, err);
    if (result && made)
        rmdir(m->folder);
    return result;
}

/* ---- All --------------------------------------------------------------------------------- */

static int make_fabric(struct made *m, topomap_error *err)
{
    struct synth_seats seats = {0};
    const char *lft = synth_value(&m->spec, "lft");
    uint64_t entries;
    size_t shape = 0;

    if (lft && strcmp(lft, "yes") != 0 && strcmp(lft, "no") != 0)
        return synth_fail(&m->spec, err, "lft=%s: expected yes or no", lft);
    m->tables = !lft || *lft == 'y';
    m->as = synth_value(&m->spec, "as");
    if (m->as && strcmp(m->as, "opa") && strcmp(m->as, "lldp") && strcmp(m->as, "aws") &&
        strcmp(m->as, "slingshot"))
        return synth_fail(&m->spec, err, "as=%s: expected opa, lldp, slingshot or aws", m->as);
    if (m->as && strcmp(m->as, "slingshot") == 0 &&
        (synth_value(&m->spec, "names") || synth_value(&m->spec, "first")))
        return synth_fail(&m->spec, err,
                          "as=slingshot calls hosts by their places, as in x1000c0s0b0n0: leave "
                          "names= and first= out");
    while (shape < sizeof shapes / sizeof *shapes && strcmp(shapes[shape].kind, m->spec.kind) != 0)
        shape++;
    if (shape == sizeof shapes / sizeof *shapes)
        return synth_fail(&m->spec, err,
                          "expected fat-tree:, torus:, mesh: or dragonfly:, as in "
                          "fat-tree:k=16,levels=3");
    if (read_rates(&m->spec, &m->fabric, err) ||
        shapes[shape].build(&m->spec, &m->fabric, &seats, err))
        return -1;
    set_rates(&m->fabric);
    if (add_hosts(&m->spec, &m->fabric, &seats, err) ||
        (m->as && strcmp(m->as, "slingshot") == 0 &&
         synth_slingshot_name(&m->fabric, &m->spec, err)))
        return -1;
    entries = (uint64_t)m->fabric.switches * m->fabric.base.vertices;
    if (m->tables && entries > SYNTH_ENTRIES)
        return synth_fail(&m->spec, err,
                          "routing tables of %llu rows, at most %d; lft=no leaves "
                          "them out",
                          (unsigned long long)entries, SYNTH_ENTRIES);
    return synth_faults_parse(&m->spec, &m->faults, err);
}

static int make(struct made *m, topomap_error *err)
{
    const char *machine = synth_value(&m->spec, "cray");

    m->is_cray = machine != NULL;
    if (machine ? synth_cray_make(&m->spec, machine, &m->cray, err) : make_fabric(m, err))
        return -1;
    return synth_finish(&m->spec, err);
}

static void count(const struct made *m, topomap_db_synth_report *report)
{
    *report = (topomap_db_synth_report){.faults = m->log.faults};
    for (size_t i = 0; i < FILES; i++)
        if (is_wanted(m, i))
            report->file[report->files++] = files[i].name;
    if (m->is_cray) {
        report->hosts = m->cray.nodes;
        return;
    }
    report->hosts = m->fabric.hosts;
    report->switches = m->fabric.switches;
    report->adapters = m->fabric.base.vertices - m->fabric.switches;
    for (size_t i = 0; i < m->fabric.base.links; i++)
        report->links += m->fabric.base.link[i].ends > 0;
}

int topomap_db_synth(const char *spec, const char *folder,
                     void (*fault)(const char *text, void *data), void *data,
                     topomap_db_synth_report *report, topomap_error *err)
{
    struct made m = {.folder = folder, .log = {.fault = fault, .data = data}};
    int result =
        synth_spec_parse(spec, &m.spec, err) || make(&m, err) || write_files(&m, err) ? -1 : 0;

    if (!result && report)
        count(&m, report);
    topomap_fabric_clear(&m.fabric.base);
    free(m.cray.node);
    return result;
}
