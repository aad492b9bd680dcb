/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPUs and NICs of a node: what they hang on, how near they are to each other, and which GPUs
 * are joined by links of their own. What several sources say of one node is put together by PCI bus
 * ids. */
#pragma once

#include "topomap/topomap.h"

enum {
    TOPOMAP_DEVICES_MOST = 256,    /* of one node */
    TOPOMAP_DEVICE_PATH = 12,      /* bridges above a device */
    TOPOMAP_DEVICE_CPUS = 1 << 16, /* OS numbers of PUs */
};

enum topomap_device_kind { TOPOMAP_DEVICE_GPU, TOPOMAP_DEVICE_NIC };

/** What the way between two devices of a node passes at the outermost: the words of `nvidia-smi
 *  topo -m` (PIX, PXB, PHB, NODE, SYS), from the inside out, and the package, which that has not.
 */
enum topomap_near {
    TOPOMAP_NEAR_UNKNOWN,
    TOPOMAP_NEAR_SELF,     /* one device */
    TOPOMAP_NEAR_SWITCH,   /* one PCI switch */
    TOPOMAP_NEAR_SWITCHES, /* several, but no host bridge */
    TOPOMAP_NEAR_BRIDGE,   /* a host bridge */
    TOPOMAP_NEAR_NUMA,     /* a NUMA node */
    TOPOMAP_NEAR_PACKAGE,
    TOPOMAP_NEAR_NODE,
    TOPOMAP_NEARS,
};

typedef struct topomap_device {
    enum topomap_device_kind kind;
    uint64_t bus;    /* domain << 16 | bus << 8 | device << 3 | function; 0: not known */
    char name[32];   /* NIC: what UCX_NET_DEVICES, NCCL_IB_HCA and MPICH call it ("mlx5_0", "hsn0");
                        GPU: "cuda0", "rsmi0", "ze0", "nvml0", whichever comes first; "" not known */
    char names[128]; /* all of them, commas between */
    char model[64];  /* or "" */
    char vendor[8];  /* "nvidia", "amd", "intel", "cray", ...; or "" */
    char uuid[48];   /* GPU of one node ("GPU-46f7..."); "" not known, or of a class of nodes */
    int32_t numa;    /* OS number of its NUMA node, or -1 */
    int32_t package; /* number of its package, or -1 */
    int32_t state;   /* NIC of one node: 1 up, 0 down, -1 not known */
    uint32_t mbps;   /* NIC: Mb/s, or 0 */
    uint64_t root;   /* its host bridge, as a bus id without device, plus 1; 0: not known */
    uint32_t bridges;
    uint64_t bridge[TOPOMAP_DEVICE_PATH]; /* [bridges] bus ids, from the host bridge down; where
                                             there are more, the uppermost are kept */
    char *cpus; /* the nearest PUs by OS number, "0-15,64-79"; NULL: not known */
} topomap_device;

typedef struct topomap_devices {
    uint32_t count, gpus;   /* the GPUs come first, by bus id (as NVML, RSMI and Slurm's gres.conf
                               number them), then the NICs by bus id; those without one last */
    topomap_device *device; /* [count] */
    uint8_t *near;          /* [count * count] enum topomap_near, symmetric */
    uint16_t *links;  /* [gpus * gpus] NVLinks or the like between two GPUs; through switches of
                         such links: all of them; symmetric */
    uint32_t *mbytes; /* [gpus * gpus] MB/s over them one way; 0: not known, or no link */
} topomap_devices;

/** Adds one, which keeps its place until topomap_devices_finish(); NULL where there are too many or
 *  memory is short. Its numa, package and state are -1. */
topomap_device *topomap_devices_add(topomap_devices *devices, enum topomap_device_kind kind,
                                    topomap_error *err);
/** Returns nonzero if \p name [length] is one of the names of the device. */
int topomap_device_has_name(const topomap_device *device, const char *name, size_t length);
/** Gives a device another name, which stands in front of the others where \p first. */
void topomap_device_called(topomap_device *device, const char *name, int first);
/** Sorts the devices, makes the tables of pairs and fills \p near from where each device hangs.
 *  What is already in the tables (made by topomap_devices_pairs()) stays. */
int topomap_devices_finish(topomap_devices *devices, topomap_error *err);
/** The sorting alone, where there are no tables yet. \p tag  [count] goes along; or NULL */
void topomap_devices_sort(topomap_devices *devices, uint32_t *tag);
/** Makes the tables of pairs for the devices as they are, for who fills them himself; once. */
int topomap_devices_pairs(topomap_devices *devices, topomap_error *err);
void topomap_devices_clear(topomap_devices *devices);

static inline enum topomap_near topomap_devices_near(const topomap_devices *d, uint32_t a,
                                                     uint32_t b)
{
    return (enum topomap_near)d->near[(size_t)a * d->count + b];
}
static inline int topomap_devices_linked(const topomap_devices *d, uint32_t a, uint32_t b)
{
    return d->links[(size_t)a * d->gpus + b] || d->mbytes[(size_t)a * d->gpus + b];
}
/** Both ways. */
void topomap_devices_set_near(topomap_devices *devices, uint32_t a, uint32_t b,
                              enum topomap_near near);
void topomap_devices_set_link(topomap_devices *devices, uint32_t a, uint32_t b, uint32_t links,
                              uint32_t mbytes);

/** Text of several lines that topomap_devices_parse() reads back, the same for the same devices
 *  (uuid and state, which are a node's and not its class's, left out). NULL on failure; ends with
 *  free(). */
char *topomap_devices_format(const topomap_devices *devices, topomap_error *err);
int topomap_devices_parse(const char *text, topomap_devices *devices, topomap_error *err);
/** Adds what another source says of the same node. Devices are one where they have the same bus id;
 *  where one side has none, NICs of one name, and GPUs in order where there are as many. What both
 *  say stays as it was; of links, the more count. */
int topomap_devices_merge(topomap_devices *devices, const topomap_devices *more,
                          topomap_error *err);

/** "0000:0f:00.0", with or without domain or function; 0 where it is none. */
uint64_t topomap_bus_parse(const char *text);
/** \p text [20] */
const char *topomap_bus_format(uint64_t bus, char *text);
/** "PIX"; "" for what is not known. */
const char *topomap_near_word(enum topomap_near near);
/** TOPOMAP_NEAR_UNKNOWN where there is none of that word. */
enum topomap_near topomap_near_of(const char *word);

/** The NIC that each GPU uses: the nearest one (by \p near; of those, the one on the deepest common
 *  bridge; of those, the fastest). GPUs that are equally near to the same several NICs share these
 *  evenly, in order. NICs that are known to be down are passed over.
 *  \param nic  [gpus] out: index of a device, or UINT32_MAX where the node has none */
int topomap_devices_nics(const topomap_devices *devices, uint32_t *nic, topomap_error *err);
/** Which of the NICs that GPUs use a GPU's is, from 0 in order of the NICs: on a rail-optimised
 *  fabric its rail. \p rail  [gpus] out; returns how many there are, 1 where there is no NIC; 0
 *  where memory is short */
uint32_t topomap_devices_rails(const topomap_devices *devices, uint32_t *rail, topomap_error *err);

/** Cost of one byte between two GPUs of a node, in tenths of a hop over the reference link, where a
 *  NIC's leaf switch is 20 away: an order of closeness, rather than a measurement.
 *
 *      NVLink, XGMI 1 (slower than the node's fastest: in proportion, up to 4)
 *      PCI switch 4    several 5    host bridge, NUMA 6    package 7    node 8 */
double topomap_devices_cost(const topomap_devices *devices, uint32_t a, uint32_t b);
/** The same of what the way passes; \p near UNKNOWN is the node. */
double topomap_near_cost(enum topomap_near near);

/** Nested groups of some GPUs of a node, by their cost to each other. */
typedef struct topomap_device_levels {
    uint32_t *order; /* [count] which of the GPUs given, in tree order; a group is a range of it */
    uint32_t levels; /* from the inside out; the last is all of them */
    struct {
        char name[16];   /* "nvlink", "switch", "numa", "package", "node" */
        double cost;     /* of one byte between two GPUs whose innermost common group is here: the
                            mean of all such, and no less than further in */
        uint32_t *group; /* [count] by place in order, from 0, ascending */
    } level[8];
} topomap_device_levels;
/** \param gpu  [count] indices of GPUs, ascending; NULL: all, then \p count is not looked at */
int topomap_devices_levels(const topomap_devices *devices, const uint32_t *gpu, uint32_t count,
                           topomap_device_levels *levels, topomap_error *err);
void topomap_device_levels_clear(topomap_device_levels *levels);
