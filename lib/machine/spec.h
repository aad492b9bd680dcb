/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines from a specification. */
#pragma once

#include "fabric/fabric.h"
#include "machine/machine.h"

/* ---- spec ---------------------------------------------------------------------- */
/* The parts of a `--machine` specification, KIND:BODY[*SLOTS][@COSTS][,key=value...]. */

enum { TOPOMAP_SPEC_NUMBERS = TOPOMAP_MACHINE_LEVELS };

typedef struct topomap_spec {
    const char *text; /* the whole specification, for messages */
    char *body;       /* between the first colon and what follows; key=value words, too, where
                         the shape is given by such */
    uint32_t slots;   /* after '*', 1 without */
    uint32_t costs;   /* how many numbers after '@' */
    double cost[TOPOMAP_SPEC_NUMBERS];
    char *node, *alloc, *wrap, *base, *routers; /* values of the keys, or NULL */
} topomap_spec;

int topomap_spec_fail(const topomap_spec *spec, topomap_error *err, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);

/** Splits text at a separator into numbers 1..UINT32_MAX; returns how many, or -1. */
int topomap_spec_numbers(const char *text, char separator, uint32_t *number, uint32_t limit);

/** Reads a list of node ids, one per line, each below \p limit and only once.
 *  *ids is [*count], in the file's order; ends with free(). */
int topomap_spec_alloc(const char *path, uint64_t limit, uint32_t **ids, uint32_t *count,
                       topomap_error *err);

/** Nodes with as many slots each, no levels yet: topomap_machine_frame(). */
int topomap_spec_frame(uint32_t nodes, uint32_t slots, char *const *names,
                       topomap_machine **machine, topomap_error *err);
/** Gives a machine its levels inside nodes and what lies between them.
 *  \param ids  [machine->nodes] which of all nodes they are, or NULL: all */
typedef int topomap_spec_fill(topomap_machine *machine, const uint32_t *ids, void *shape,
                              topomap_error *err);
/** The machine of all \p nodes with \p slots each, or of those in the specification's alloc=. */
int topomap_spec_build(const topomap_spec *spec, uint64_t nodes, uint32_t slots,
                       topomap_spec_fill *fill, void *shape, topomap_machine **machine,
                       topomap_error *err);

/** Groups of \p width consecutive of all \p nodes, of those that the machine has (\p ids, or NULL:
 *  all): numbered from 0 in ascending order. \p group [machine->nodes] */
int topomap_spec_groups(const topomap_machine *machine, const uint32_t *ids, uint64_t width,
                        uint64_t nodes, uint32_t *group, topomap_error *err);

/** Of a shape that is key=value words: the number behind \p key, \p least to \p most.
 *  \param fallback  where the key is not there; below \p least: it must be */
int topomap_spec_word(const topomap_spec *spec, const char *key, uint32_t least, uint32_t most,
                      uint32_t fallback, uint32_t *number, topomap_error *err);
/** Whether all words are key=number, each once. \p keys  each between blanks */
int topomap_spec_words(const topomap_spec *spec, const char *keys, topomap_error *err);
/** Whether a key is among them; what is behind it, or NULL. */
const char *topomap_spec_find(const topomap_spec *spec, const char *key);

/* One builder a kind of machine; each its own file. */
int topomap_spec_tree(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_torus(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_mesh(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_matrix(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_fattree(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_dragonfly(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_percs(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_gpus(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);
int topomap_spec_links(const topomap_spec *spec, topomap_machine **machine, topomap_error *err);

/* ---- spec gpus ----------------------------------------------------------------- */
/* Between the files of gpus:. */

enum { TOPOMAP_GPUS_INNER = 5, TOPOMAP_GPUS_OUTER = 4 };

typedef struct topomap_gpus_shape {
    uint32_t nodes, gpus, rails, nvlink;
    uint32_t domain, unit, pod; /* nodes, at most all */
    uint32_t taper;
    double near, hop; /* costs of an NVLink and of a hop */
    uint32_t inners, outers;
    struct {
        const char *name;
        uint32_t size; /* GPUs, or nodes */
        double cost;
        uint32_t hops;
    } inner[TOPOMAP_GPUS_INNER], outer[TOPOMAP_GPUS_OUTER];
} topomap_gpus_shape;

/** The links between the machine's nodes, for congestion: a cable from a node to each of its rails'
 *  leaves, of every leaf to one vertex that stands for the pod's spines, of these to one for the
 *  core; a domain's switches have as many cables to a node as eighteen NVLinks of each of its GPUs
 *  (NVL72's nine trays of two). All cables are alike. None where there are too many. */
int topomap_gpus_network(topomap_machine *machine, const uint32_t *ids,
                         const topomap_gpus_shape *shape, topomap_error *err);

/* ---- fabric_machine ------------------------------------------------------------ */
/* Machines from hosts, switches and the cables between them: distances between hosts, and the
 * network that congestion is worked out on. */

enum { TOPOMAP_FABRIC_SITES = 16384 }; /* a matrix of 1.5 GiB */

/** The machine of all hosts, or of those in the specification's alloc=, with its network.
 *
 *  Hops are those of the shortest path; its cost, the cheapest of the shortest ones, is HOP
 *  (`@INSIDE:HOP`, 0 and 1 without) a link of the reference rate, and more in proportion on slower
 *  links, in whole thousandths. The reference is the rate that most links between vertices that
 *  route have (of two, the higher; without such links, of all), as in the topology database; links
 *  of unknown rate count as the reference. Pairs without a path are put 2 hops beyond the farthest.
 *
 *  Capacities are the rates, unknown ones the most common rate (the lower of equals) (unit "s");
 *  1 a cable (unit "bytes") where no rate is known.
 *  \param fabric  has hosts; its links are used up
 *  \param named   nonzero: nodes get the hosts' names */
int topomap_fabric_machine(topomap_fabric *fabric, const topomap_spec *spec, int named,
                           topomap_machine **machine, topomap_error *err);

/* ---- domains ------------------------------------------------------------------- */
/* NVLink domains: nodes whose GPUs reach each other without a NIC. */

enum { TOPOMAP_NO_DOMAIN = UINT32_MAX };

/** Brings nodes of one domain closer, in a matrix: two of them are no farther than \p cost and
 *  \p hops, on whatever rails. Sites whose nodes are in several domains are divided. Other kinds of
 *  machines are TOPOMAP_EUSAGE; so is what would have more than 16,384 sites.
 *  \param domain_of  [nodes] numbers, or TOPOMAP_NO_DOMAIN */
int topomap_machine_set_domains(topomap_machine *machine, const uint32_t *domain_of, double cost,
                                uint32_t hops, topomap_error *err);
