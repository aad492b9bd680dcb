/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices as text, a line each, and what two sources say put together:
 *
 *   1
 *   gpu bus=0000:0f:00.0 names=cuda0,nvml0 vendor=nvidia numa=0 package=0 root=0000:08
 *   path=0000:08:00.0/0000:0d:00.0 cpus=0-55 model=NVIDIA H100
 *   near 0 265    how near device 0 is to devices 1, 2, 3: numbers of enum topomap_near
 *   link 0 1 18 450000 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/devices.h"
#include "util/alloc.h"

enum { CPUS_TEXT = 16384 };

/* ---- Writing ----------------------------------------------------------------------------- */

static void write_device(FILE *out, const topomap_device *d)
{
    char bus[20];

    fprintf(out, "%s", d->kind == TOPOMAP_DEVICE_GPU ? "gpu" : "nic");
    if (d->bus)
        fprintf(out, " bus=%s", topomap_bus_format(d->bus, bus));
    if (*d->name)
        fprintf(out, " name=%s", d->name);
    if (*d->names)
        fprintf(out, " names=%s", d->names);
    if (*d->vendor)
        fprintf(out, " vendor=%s", d->vendor);
    if (d->numa >= 0)
        fprintf(out, " numa=%" PRId32, d->numa);
    if (d->package >= 0)
        fprintf(out, " package=%" PRId32, d->package);
    if (d->mbps)
        fprintf(out, " mbps=%" PRIu32, d->mbps);
    if (d->root)
        fprintf(out, " root=%" PRIx64, d->root);
    for (uint32_t i = 0; i < d->bridges; i++)
        fprintf(out, "%s%s", i ? "/" : " path=", topomap_bus_format(d->bridge[i], bus));
    if (d->cpus)
        fprintf(out, " cpus=%s", d->cpus);
    if (*d->model)
        fprintf(out, " model=%s", d->model);
    fputc('\n', out);
}

static void write_pairs(FILE *out, const topomap_devices *d)
{
    for (uint32_t i = 0; i + 1 < d->count; i++) {
        fprintf(out, "near %" PRIu32 " ", i);
        for (uint32_t j = i + 1; j < d->count; j++)
            fputc('0' + topomap_devices_near(d, i, j), out);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < d->gpus; i++)
        for (uint32_t j = i + 1; j < d->gpus; j++)
            if (topomap_devices_linked(d, i, j))
                fprintf(out, "link %" PRIu32 " %" PRIu32 " %u %" PRIu32 "\n", i, j,
                        d->links[(size_t)i * d->gpus + j], d->mbytes[(size_t)i * d->gpus + j]);
}

char *topomap_devices_format(const topomap_devices *d, topomap_error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        fprintf(out, "1\n");
        for (uint32_t i = 0; i < d->count; i++)
            write_device(out, &d->device[i]);
        write_pairs(out, d);
    }
    return topomap_printed(out, &text, err);
}

/* ---- Reading ----------------------------------------------------------------------------- */

static int broken(topomap_error *err, const char *line)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "devices of a node: unexpected text '%.60s'",
                             line);
}

static int take_text(char *to, size_t room, const char *value)
{
    if (strlen(value) >= room)
        return -1;
    strcpy(to, value);
    return 0;
}

static int take_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return -1;
    *number = strtoull(text, &end, 10);
    return *end || *number > most ? -1 : 0;
}

static int take_path(topomap_device *d, char *value)
{
    char *keep;

    for (char *at = strtok_r(value, "/", &keep); at; at = strtok_r(NULL, "/", &keep)) {
        if (d->bridges == TOPOMAP_DEVICE_PATH || !(d->bridge[d->bridges++] = topomap_bus_parse(at)))
            return -1;
    }
    return 0;
}

static int take_cpus(topomap_device *d, const char *value, topomap_error *err)
{
    if (strlen(value) > CPUS_TEXT || value[strspn(value, "0123456789,-")] || d->cpus)
        return -1;
    d->cpus = topomap_strdup(value, err);
    return d->cpus ? 0 : -1;
}

static int take_word(topomap_device *d, const char *key, char *value, topomap_error *err)
{
    uint64_t number = 0;
    int failed = -1;

    if (strcmp(key, "bus") == 0)
        return (d->bus = topomap_bus_parse(value)) ? 0 : -1;
    if (strcmp(key, "name") == 0)
        return take_text(d->name, sizeof d->name, value);
    if (strcmp(key, "names") == 0)
        return take_text(d->names, sizeof d->names, value);
    if (strcmp(key, "vendor") == 0)
        return take_text(d->vendor, sizeof d->vendor, value);
    if (strcmp(key, "path") == 0)
        return take_path(d, value);
    if (strcmp(key, "cpus") == 0)
        return take_cpus(d, value, err);
    if (strcmp(key, "root") == 0) {
        char *end;

        d->root = strtoull(value, &end, 16);
        return *end ? -1 : 0;
    }
    if (strcmp(key, "numa") == 0 && !(failed = take_number(value, INT32_MAX, &number)))
        d->numa = (int32_t)number;
    else if (strcmp(key, "package") == 0 && !(failed = take_number(value, INT32_MAX, &number)))
        d->package = (int32_t)number;
    else if (strcmp(key, "mbps") == 0 && !(failed = take_number(value, UINT32_MAX, &number)))
        d->mbps = (uint32_t)number;
    return failed;
}

static int read_device(topomap_devices *devices, char *line, topomap_error *err)
{
    enum topomap_device_kind kind =
        strncmp(line, "gpu", 3) == 0 ? TOPOMAP_DEVICE_GPU : TOPOMAP_DEVICE_NIC;
    topomap_device *d = topomap_devices_add(devices, kind, err);

    if (!d)
        return -1;
    for (char *at = line + 3; *at;) {
        char *key = at + 1, *value = strchr(key, '='), *end;

        if (*at != ' ' || !value)
            return -1;
        *value++ = 0;
        if (strcmp(key, "model") == 0)
            return take_text(d->model, sizeof d->model, value);
        end = value + strcspn(value, " ");
        at = end;
        if (*end) {
            *end = 0;
            if (take_word(d, key, value, err))
                return -1;
            *end = ' ';
        } else if (take_word(d, key, value, err)) {
            return -1;
        }
    }
    return 0;
}

static int read_near(topomap_devices *d, const char *line)
{
    unsigned i;
    int used = 0;

    if (sscanf(line, "near %9u %n", &i, &used) != 1 || i >= d->count ||
        strlen(line + used) != d->count - i - 1)
        return -1;
    for (uint32_t j = i + 1; j < d->count; j++) {
        char digit = line[(uint32_t)used + j - i - 1];

        if (digit < '0' || digit >= '0' + TOPOMAP_NEARS)
            return -1;
        topomap_devices_set_near(d, i, j, (enum topomap_near)(digit - '0'));
    }
    return 0;
}

static int read_link(topomap_devices *d, const char *line)
{
    unsigned a, b, links, mbytes;
    int used = 0;

    if (sscanf(line, "link %9u %9u %5u %10u%n", &a, &b, &links, &mbytes, &used) != 4 ||
        line[used] || a >= d->gpus || b >= d->gpus || a == b)
        return -1;
    topomap_devices_set_link(d, a, b, links, mbytes);
    return 0;
}

static int is_sorted(const topomap_devices *d)
{
    for (uint32_t i = 1; i < d->count; i++)
        if (d->device[i].kind < d->device[i - 1].kind)
            return 0;
    return 1;
}

static int read_line(topomap_devices *d, char *line, topomap_error *err)
{
    if (!d->near && (strncmp(line, "gpu", 3) == 0 || strncmp(line, "nic", 3) == 0))
        return read_device(d, line, err);
    if (!d->near && (!is_sorted(d) || topomap_devices_pairs(d, err)))
        return -1;
    return strncmp(line, "near ", 5) == 0   ? read_near(d, line)
           : strncmp(line, "link ", 5) == 0 ? read_link(d, line)
                                            : -1;
}

int topomap_devices_parse(const char *text, topomap_devices *devices, topomap_error *err)
{
    topomap_devices made = {0};
    topomap_error own = {.code = TOPOMAP_OK};
    char *copy = topomap_strdup(text, err), *keep = NULL, *line;
    int result;

    if (!copy)
        return -1;
    line = strtok_r(copy, "\n", &keep);
    result = line && strcmp(line, "1") == 0 ? 0 : broken(&own, line ? line : "");
    while (!result && (line = strtok_r(NULL, "\n", &keep)))
        if (read_line(&made, line, &own))
            result = own.code == TOPOMAP_OK ? broken(&own, line) : -1;
    if (!result && !made.near)
        result = is_sorted(&made) ? topomap_devices_pairs(&made, &own) : broken(&own, text);
    free(copy);
    if (result) {
        topomap_devices_clear(&made);
        if (err)
            *err = own;
        return -1;
    }
    *devices = made;
    return 0;
}

/* ---- Two sources --------------------------------------------------------------------------- */

static int shares_name(const topomap_device *a, const topomap_device *b)
{
    for (const char *at = b->names; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");

        if (topomap_device_has_name(a, at, length))
            return 1;
        at += length;
    }
    return 0;
}

static uint32_t kind_count(const topomap_devices *d, enum topomap_device_kind kind)
{
    return kind == TOPOMAP_DEVICE_GPU ? d->gpus : d->count - d->gpus;
}

/* Whether devices of a kind can only be told by their order: on one side none has a bus id, and
 * (NICs) no name that the other side knows. */
static int by_order(const topomap_devices *a, const topomap_devices *b,
                    enum topomap_device_kind kind)
{
    int in_a = 0, in_b = 0;

    for (uint32_t i = 0; i < a->count; i++)
        in_a |= a->device[i].kind == kind && a->device[i].bus != 0;
    for (uint32_t i = 0; i < b->count; i++)
        in_b |= b->device[i].kind == kind && b->device[i].bus != 0;
    for (uint32_t i = 0; kind == TOPOMAP_DEVICE_NIC && i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if (a->device[i].kind == kind && b->device[j].kind == kind &&
                shares_name(&a->device[i], &b->device[j]))
                return 0;
    return !in_a || !in_b;
}

/* Which of a's devices each of b's is; UINT32_MAX: none. */
static void match(const topomap_devices *a, const topomap_devices *b, uint32_t *in_a)
{
    for (uint32_t j = 0; j < b->count; j++) {
        enum topomap_device_kind kind = b->device[j].kind;
        uint32_t place = kind == TOPOMAP_DEVICE_GPU ? j : j - b->gpus;
        int ordered = by_order(a, b, kind) && kind_count(a, kind) == kind_count(b, kind);

        in_a[j] = UINT32_MAX;
        for (uint32_t i = 0; i < a->count && in_a[j] == UINT32_MAX; i++) {
            const topomap_device *x = &a->device[i], *y = &b->device[j];
            int same;

            if (x->kind != kind)
                continue;
            if (ordered)
                same = (kind == TOPOMAP_DEVICE_GPU ? i : i - a->gpus) == place;
            else if (x->bus && y->bus)
                same = x->bus == y->bus;
            else
                same = kind == TOPOMAP_DEVICE_NIC && shares_name(x, y);
            if (same)
                in_a[j] = i;
        }
    }
}

/* Which of those that are nowhere in a would be told twice: without a bus id beside others that
 * have one, or the other way round. */
static int is_doubtful(const topomap_devices *a, const topomap_device *device)
{
    if (device->kind == TOPOMAP_DEVICE_NIC && *device->names)
        return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->device[i].kind == device->kind && !a->device[i].bus != !device->bus)
            return 1;
    return 0;
}

static int fill(topomap_device *to, const topomap_device *from, topomap_error *err)
{
    for (const char *at = from->names; *at; at += *at == ',') {
        char name[sizeof to->name];
        size_t length = strcspn(at, ",");

        if (length < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            topomap_device_called(to, name, 0);
        }
        at += length;
    }
    to->bus = to->bus ? to->bus : from->bus;
    if (!*to->model)
        strcpy(to->model, from->model);
    if (!*to->vendor)
        strcpy(to->vendor, from->vendor);
    if (!*to->uuid)
        strcpy(to->uuid, from->uuid);
    to->numa = to->numa >= 0 ? to->numa : from->numa;
    to->package = to->package >= 0 ? to->package : from->package;
    to->state = to->state >= 0 ? to->state : from->state;
    to->mbps = to->mbps ? to->mbps : from->mbps;
    to->root = to->root ? to->root : from->root;
    if (!to->bridges) {
        to->bridges = from->bridges;
        memcpy(to->bridge, from->bridge, sizeof to->bridge);
    }
    if (!to->cpus && from->cpus && !(to->cpus = topomap_strdup(from->cpus, err)))
        return -1;
    return 0;
}

static void copy_pairs(topomap_devices *to, const topomap_devices *from, const uint32_t *at)
{
    for (uint32_t i = 0; i < from->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (at[i] != UINT32_MAX && at[j] != UINT32_MAX && at[i] != at[j] &&
                !topomap_devices_near(to, at[i], at[j]))
                topomap_devices_set_near(to, at[i], at[j], topomap_devices_near(from, i, j));
    for (uint32_t i = 0; i < from->gpus; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t links = from->links[(size_t)i * from->gpus + j];
            uint32_t mbytes = from->mbytes[(size_t)i * from->gpus + j];
            size_t pair;

            if (at[i] == UINT32_MAX || at[j] == UINT32_MAX)
                continue;
            pair = (size_t)at[i] * to->gpus + at[j];
            topomap_devices_set_link(to, at[i], at[j],
                                     links > to->links[pair] ? links : to->links[pair],
                                     mbytes > to->mbytes[pair] ? mbytes : to->mbytes[pair]);
        }
}

/* \param place  [a->count + b->count] where each of a's, then each of b's is in the result */
static int put_together(const topomap_devices *a, const topomap_devices *b, uint32_t *place,
                        uint32_t *tag, topomap_devices *made, topomap_error *err)
{
    uint32_t *in_a = place + a->count;

    match(a, b, in_a);
    for (uint32_t i = 0; i < a->count + b->count; i++) {
        const topomap_device *from = i < a->count ? &a->device[i] : &b->device[i - a->count];
        topomap_device *to;

        if (i >= a->count && in_a[i - a->count] != UINT32_MAX)
            continue;
        if (i >= a->count && is_doubtful(a, from))
            continue;
        tag[made->count] = i;
        to = topomap_devices_add(made, from->kind, err);
        if (!to)
            return -1;
        memcpy(to->name, from->name, sizeof to->name);
        if (fill(to, from, err))
            return -1;
        for (uint32_t j = 0; i < a->count && j < b->count; j++)
            if (in_a[j] == i && fill(to, &b->device[j], err))
                return -1;
    }
    topomap_devices_sort(made, tag);
    /* From here on in_a is where b's are in the result. */
    for (uint32_t j = 0; j < b->count; j++) {
        uint32_t wanted = in_a[j] == UINT32_MAX ? a->count + j : in_a[j], at = 0;

        while (at < made->count && tag[at] != wanted)
            at++;
        in_a[j] = at < made->count ? at : UINT32_MAX;
    }
    for (uint32_t k = 0; k < made->count; k++)
        if (tag[k] < a->count)
            place[tag[k]] = k;
    if (topomap_devices_pairs(made, err))
        return -1;
    copy_pairs(made, a, place);
    copy_pairs(made, b, in_a);
    return topomap_devices_finish(made, err);
}

int topomap_devices_merge(topomap_devices *devices, const topomap_devices *more, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_devices_clear) topomap_devices made = {0};
    size_t all = (size_t)devices->count + more->count;
    TOPOMAP_FREED uint32_t *place = topomap_alloc(all, sizeof *place, err);
    TOPOMAP_FREED uint32_t *tag = topomap_alloc(all, sizeof *tag, err);

    if (!place || !tag || put_together(devices, more, place, tag, &made, err))
        return -1;
    topomap_devices_clear(devices);
    *devices = made;
    made = (topomap_devices){0};
    return 0;
}
