/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a `--machine` specification, KIND:BODY[*SLOTS][@COSTS][,key=value...]. */
#ifndef TOPOMAP_SPEC_H
#define TOPOMAP_SPEC_H

#include "machine/machine.h"

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

#endif
