/* SPDX-License-Identifier: BSD-3-Clause */
/* NCCL's topology of a node, as NCCL_TOPO_DUMP_FILE writes it and NCCL_TOPO_FILE reads it (NCCL
 * 2.18 to 2.28, src/graph/xml.cc and topo.cc):
 *
 *   <system version="1"><cpu numaid="0" affinity="0000ffff,ffffffff" ...>
 *     <pci busid="0000:08:00.0" class="0x060400" ...>
 *       <pci busid="0000:0f:00.0" class="0x030200" ...><gpu dev="0" sm="90" ...>
 *         <nvlink target="0000:1c:00.0" count="5" tclass="0x068000"/></gpu></pci>
 *       <pci busid="0000:0c:00.0" class="0x020000" ...><nic><net name="mlx5_0" speed="400000" .../>
 *
 * Clouds' own files have no gpu and nic elements, so that classes tell, and switches that no
 * machine has (busid ffff:ff:01.0). */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/import.h"
#include "util/alloc.h"
#include "xml/xml.h"

enum { TEXT_MOST = 16 << 20, PCI_DEPTH = 32, LINKS = 4096 };

/* Of a GPU's NVLinks, MB/s each way (topo.h: SM60_NVLINK_BW and the like). */
static const struct {
    unsigned sm, mbytes;
} speeds[] = {{100, 40100}, {90, 20600}, {86, 12000}, {80, 20000}, {70, 20000}, {60, 18000}};

struct pci {
    uint64_t bus;
    unsigned class;
    char vendor[8];
    int gpu, nic, dev;
    uint32_t mbps;
    char names[128];
};

struct link {
    uint64_t from, to;
    unsigned count, mbytes;
    int through; /* a switch of NVLinks */
};

struct reader {
    const topomap_xml *xml; /* the tag at hand */
    struct db_devices_file *file;
    struct pci pci[PCI_DEPTH];
    uint32_t depth;
    int32_t numa;
    char *cpus;
    unsigned link_mbytes; /* of the GPU at hand */
    struct link *link;
    size_t links, room;
};

static unsigned number(const struct reader *r, const char *name, int base)
{
    const char *text = topomap_xml_get(r->xml, name);
    unsigned long value = text ? strtoul(text, NULL, base) : 0;

    return value < 1000000000ul ? (unsigned)value : 0;
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

/* "00000000,000fffff" as "0-19": hexadecimal words of 32 CPUs, the highest first. */
static char *list_of(const char *hex, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *cpu = topomap_alloc(TOPOMAP_DEVICE_CPUS + 4, sizeof *cpu, err);
    char *text = NULL;
    size_t size;
    uint32_t count = 0, bit = 0;
    FILE *out;

    if (!cpu)
        return NULL;
    for (const char *at = hex + strlen(hex); at > hex && bit <= TOPOMAP_DEVICE_CPUS; at--) {
        char c = at[-1];
        int digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;

        for (int k = 0; c != ',' && k < 4; k++, bit++)
            if (digit >> k & 1)
                cpu[count++] = bit;
    }
    out = open_memstream(&text, &size);
    if (out && bit <= TOPOMAP_DEVICE_CPUS)
        topomap_ranges_print(out, cpu, count, 2);
    return topomap_printed(out, &text, err);
}

static int open_cpu(struct reader *r, topomap_error *err)
{
    const char *numa = topomap_xml_get(r->xml, "numaid");
    const char *affinity = topomap_xml_get(r->xml, "affinity");

    free(r->cpus);
    r->cpus = NULL;
    r->numa = numa && *numa >= '0' && *numa <= '9' ? (int32_t)strtol(numa, NULL, 10) : -1;
    if (!affinity)
        return 0;
    if (affinity[strspn(affinity, "0123456789abcdefABCDEF,")])
        return topomap_xml_fail(r->xml, err,
                                "affinity '%.60s': expected hexadecimal words with commas between",
                                affinity);
    r->cpus = list_of(affinity, err);
    return r->cpus ? 0 : -1;
}

/* ---- Devices --------------------------------------------------------------------------------- */

static void set_vendor(const struct reader *r, char *vendor)
{
    unsigned id = number(r, "vendor", 16);

    strcpy(vendor, id == 0x10de || id == 0x15b3 ? "nvidia"
                   : id == 0x1002               ? "amd"
                   : id == 0x8086               ? "intel"
                   : id == 0x17db               ? "cray"
                                                : "");
}

static int open_pci(struct reader *r, topomap_error *err)
{
    const char *bus = topomap_xml_get(r->xml, "busid");
    const char *class = topomap_xml_get(r->xml, "class");
    struct pci *pci = &r->pci[r->depth];

    if (r->depth == PCI_DEPTH)
        return topomap_xml_fail(r->xml, err, "more than %d <pci> inside each other", PCI_DEPTH);
    *pci = (struct pci){.bus = bus ? topomap_bus_parse(bus) : 0, .dev = -1};
    if (!pci->bus)
        return topomap_xml_fail(r->xml, err, "<pci> busid '%.40s': expected one like 0000:0f:00.0",
                                bus ? bus : "");
    /* 0x030200 with the interface behind, or 0x0302. */
    pci->class = number(r, "class", 16);
    if (class && strlen(class) >= 8)
        pci->class >>= 8;
    set_vendor(r, pci->vendor);
    r->depth++;
    return 0;
}

static int is_gpu(const struct pci *pci)
{
    return pci->gpu || ((pci->class >> 8 == 3 || pci->class == 0x1200) && !pci->nic);
}

static int close_pci(struct reader *r, topomap_error *err)
{
    const struct pci *pci = &r->pci[--r->depth];
    topomap_device *device;

    if (!is_gpu(pci) && !pci->nic && pci->class != 0x0207)
        return 0;
    device = topomap_devices_add(&r->file->devices,
                                 is_gpu(pci) ? TOPOMAP_DEVICE_GPU : TOPOMAP_DEVICE_NIC, err);
    if (!device)
        return -1;
    device->bus = pci->bus;
    device->numa = r->numa;
    device->mbps = pci->mbps;
    strcpy(device->vendor, pci->vendor);
    strcpy(device->names, pci->names);
    snprintf(device->name, sizeof device->name, "%.*s", (int)strcspn(pci->names, ","), pci->names);
    for (uint32_t i = 0; i < r->depth && i < TOPOMAP_DEVICE_PATH; i++)
        device->bridge[device->bridges++] = r->pci[i].bus;
    if (r->cpus && !(device->cpus = topomap_strdup(r->cpus, err)))
        return -1;
    return 0;
}

static void open_gpu(struct reader *r)
{
    struct pci *pci = &r->pci[r->depth - 1];
    unsigned sm = number(r, "sm", 10);

    pci->gpu = 1;
    if (topomap_xml_get(r->xml, "dev"))
        snprintf(pci->names, sizeof pci->names, "nvml%u", number(r, "dev", 10));
    r->link_mbytes = 0;
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds && !r->link_mbytes; i++)
        if (sm >= speeds[i].sm)
            r->link_mbytes = speeds[i].mbytes;
}

static void open_net(struct reader *r)
{
    struct pci *pci = &r->pci[r->depth - 1];
    const char *name = topomap_xml_get(r->xml, "name");
    size_t used = strlen(pci->names);

    pci->nic = 1;
    pci->mbps += number(r, "speed", 10);
    if (name && *name && strlen(name) < 32 && !name[strcspn(name, ", \t\r\n")] &&
        used + strlen(name) + 2 < sizeof pci->names)
        sprintf(pci->names + used, "%s%s", used ? "," : "", name);
}

static int open_link(struct reader *r, topomap_error *err)
{
    const char *target = topomap_xml_get(r->xml, "target");
    unsigned class = number(r, "tclass", 16), count = number(r, "count", 10);
    struct link link = {.from = r->pci[r->depth - 1].bus, .count = count ? count : 1};

    link.to = target ? topomap_bus_parse(target) : 0;
    link.mbytes = link.count < 1000 ? link.count * r->link_mbytes : 0;
    link.through = class >> 8 == 0x0680;
    if (r->links == LINKS)
        return topomap_xml_fail(r->xml, err, "more than %d links between GPUs", LINKS);
    return TOPOMAP_APPEND(r->link, r->links, r->room, err, link);
}

static int open_element(struct reader *r, topomap_error *err)
{
    const char *name = r->xml->name;

    if (r->xml->depth == 1)
        return strcmp(name, "system") == 0
                   ? 0
                   : topomap_xml_fail(r->xml, err,
                                      "expected <system>, as NCCL_TOPO_DUMP_FILE writes it, found "
                                      "<%.40s>",
                                      name);
    if (strcmp(name, "cpu") == 0)
        return open_cpu(r, err);
    if (strcmp(name, "pci") == 0)
        return open_pci(r, err);
    if (!r->depth)
        return 0; /* a NIC without a PCI device: nothing hangs on it */
    if (strcmp(name, "gpu") == 0)
        open_gpu(r);
    else if (strcmp(name, "nic") == 0)
        r->pci[r->depth - 1].nic = 1;
    else if (strcmp(name, "net") == 0)
        open_net(r);
    else if (strcmp(name, "nvlink") == 0 || strcmp(name, "xgmi") == 0)
        return open_link(r, err);
    return 0;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static uint32_t gpu_at(const topomap_devices *d, uint64_t bus)
{
    for (uint32_t i = 0; i < d->gpus; i++)
        if (d->device[i].bus == bus)
            return i;
    return UINT32_MAX;
}

/* What a GPU has into switches reaches every other one that has some: the lesser of the two. */
static void join_through(const struct reader *r, topomap_devices *d)
{
    for (uint32_t a = 0; a < d->gpus; a++)
        for (uint32_t b = 0; b < a; b++) {
            uint32_t count[2] = {0}, mbytes[2] = {0};

            for (size_t i = 0; i < r->links; i++)
                for (int end = 0; end < 2; end++)
                    if (r->link[i].through && r->link[i].from == d->device[end ? b : a].bus) {
                        count[end] += r->link[i].count;
                        mbytes[end] += r->link[i].mbytes;
                    }
            if (count[0] && count[1])
                topomap_devices_set_link(d, a, b, count[0] < count[1] ? count[0] : count[1],
                                         mbytes[0] < mbytes[1] ? mbytes[0] : mbytes[1]);
        }
}

static void join(const struct reader *r, topomap_devices *d)
{
    join_through(r, d);
    for (size_t i = 0; i < r->links; i++) {
        uint32_t a = gpu_at(d, r->link[i].from), b = gpu_at(d, r->link[i].to);

        if (!r->link[i].through && a != UINT32_MAX && b != UINT32_MAX)
            topomap_devices_set_link(d, a, b, r->link[i].count, r->link[i].mbytes);
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

static int take_tag(const topomap_xml *xml, enum topomap_xml_event event, void *data,
                    topomap_error *err)
{
    struct reader *r = data;

    r->xml = xml;
    if (event == TOPOMAP_XML_OPEN)
        return open_element(r, err);
    return strcmp(xml->name, "pci") == 0 && r->depth ? close_pci(r, err) : 0;
}

static void reader_clear(struct reader *r)
{
    free(r->cpus);
    free(r->link);
}

static int begin(struct db_import *import, void *content)
{
    TOPOMAP_CLEANUP(reader_clear) struct reader r = {.file = content, .numa = -1};
    TOPOMAP_FREED char *text = NULL;
    size_t size;

    if (db_devices_nodes(import, content) ||
        topomap_input_all(import->input, TEXT_MOST, &text, &size, import->err) ||
        topomap_xml_read(import->path, text, size, take_tag, &r, import->err))
        return -1;
    if (!r.file->devices.count)
        return db_fail(import, 0, "no GPU and no NIC in it");
    if (topomap_devices_finish(&r.file->devices, import->err))
        return -1;
    join(&r, &r.file->devices);
    return 0;
}

const db_importer db_nccl_topology = {
    .row = {"nccl-topology",
            "GPUs and NICs of nodes: what NCCL_TOPO_DUMP_FILE wrote on one, for --nodes HOSTLIST"},
    .tables = {"node_devices", "own_device"},
    .for_nodes = 1,
    .own_words = 1,
    .size = sizeof(struct db_devices_file),
    .begin = begin,
    .write = db_devices_write_file,
    .clear = db_devices_clear_file,
};
