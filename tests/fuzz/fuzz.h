/* SPDX-License-Identifier: BSD-3-Clause */
/* Every parser as one function of bytes. targets.c has the table; replay.c runs it in `make check`,
 * libfuzzer.c in `make fuzz`. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct fuzz_seeds;

struct fuzz_target {
    char name[40];
    /* 1: the parser took it, 0: it refused. What must hold of what it took is checked; where it
     * does not, the process aborts. */
    int (*run)(const void *what, const uint8_t *bytes, size_t size);
    const void *what;         /* an importer, the name of a format: for run */
    const char *const *texts; /* seeds, NULL at the end; or NULL: none */
    const char *files; /* seeds that are whole files: their names' ending, "" all, NULL none */
    void (*make)(struct fuzz_seeds *seeds); /* adds seeds, or NULL */
    int divisor; /* how much slower than a simple text: replay runs fewer */
    int launch;  /* decoded in srun, slurmstepd or their helpers: bounded in time (bound.c) */
};

/** All targets; ends with run == NULL. Rows of importers and graph formats come from their
 *  registries. */
const struct fuzz_target *fuzz_targets(void);

/** Runs a target; aborts where one of a launch takes longer than a launch may spend on an input. */
int fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t size);

/** A file with these bytes, by a path that can be opened; changed by the next call. */
const char *fuzz_file(const uint8_t *bytes, size_t size);
/** The bytes with a NUL after them; ends with free(). */
char *fuzz_text(const uint8_t *bytes, size_t size);
/** The product of all numbers in a text: how large a thing it may ask for. Numbers over 1e11 do
 *  not count: no parser may believe them. */
double fuzz_product(const char *text);

/* Seeds of one target. */
struct fuzz_seeds {
    uint8_t **bytes;
    size_t *size, count;
};
/** The target's texts and its files below the three folders (NULL: none), unpacked and cut to
 *  their first 32 KiB of whole lines. */
void fuzz_seeds_read(const struct fuzz_target *target, const char *const folder[3],
                     struct fuzz_seeds *seeds);
void fuzz_seeds_add(struct fuzz_seeds *seeds, const void *bytes, size_t size);
void fuzz_seeds_clear(struct fuzz_seeds *seeds);

/* Functions of targets. */
int fuzz_import(const void *importer, const uint8_t *bytes, size_t size);
int fuzz_store(const void *importer, const uint8_t *bytes, size_t size);
int fuzz_damage_bytes(const void *what, const uint8_t *bytes, size_t size);
int fuzz_damage_values(const void *what, const uint8_t *bytes, size_t size);
void fuzz_damage_seeds(struct fuzz_seeds *seeds);
int fuzz_graph(const void *format, const uint8_t *bytes, size_t size);
/** A native graph file whose checksums and size are put right first. */
int fuzz_tmg(const void *what, const uint8_t *bytes, size_t size);
void fuzz_tmg_seeds(struct fuzz_seeds *seeds);
int fuzz_part(const void *what, const uint8_t *bytes, size_t size);
/** A part of a profile whose checksums and size are put right first. */
int fuzz_part_content(const void *what, const uint8_t *bytes, size_t size);
void fuzz_part_seeds(struct fuzz_seeds *seeds);
int fuzz_input(const void *what, const uint8_t *bytes, size_t size);
int fuzz_hostlist(const void *what, const uint8_t *bytes, size_t size);
int fuzz_counts(const void *what, const uint8_t *bytes, size_t size);
int fuzz_spec(const void *what, const uint8_t *bytes, size_t size);
int fuzz_spec_file(const void *prefix, const uint8_t *bytes, size_t size);
int fuzz_pattern(const void *what, const uint8_t *bytes, size_t size);
int fuzz_shape(const void *what, const uint8_t *bytes, size_t size);
int fuzz_layout(const void *what, const uint8_t *bytes, size_t size);
int fuzz_bindings(const void *what, const uint8_t *bytes, size_t size);
/** The bytes as a text of bindings with the right head and checksum; ends with free(). */
char *fuzz_bindings_text(const uint8_t *bytes, size_t size);
int fuzz_bindings_check(const void *what, const uint8_t *bytes, size_t size);
int fuzz_node_plan(const void *what, const uint8_t *bytes, size_t size);
int fuzz_node_nics(const void *what, const uint8_t *bytes, size_t size);
int fuzz_node_question(const void *what, const uint8_t *bytes, size_t size);
void fuzz_node_question_seeds(struct fuzz_seeds *seeds);
int fuzz_node_answer(const void *what, const uint8_t *bytes, size_t size);
void fuzz_node_answer_seeds(struct fuzz_seeds *seeds);
int fuzz_request(const void *what, const uint8_t *bytes, size_t size);
int fuzz_reply(const void *what, const uint8_t *bytes, size_t size);
int fuzz_record(const void *what, const uint8_t *bytes, size_t size);
int fuzz_cores(const void *what, const uint8_t *bytes, size_t size);
int fuzz_policy(const void *what, const uint8_t *bytes, size_t size);
/** What topomap-measure writes, and its fit. */
int fuzz_measured(const void *what, const uint8_t *bytes, size_t size);
/** What slurmstepd itself reads. */
int fuzz_cpu_list(const void *what, const uint8_t *bytes, size_t size);
int fuzz_cpu_masks(const void *what, const uint8_t *bytes, size_t size);
int fuzz_preload(const void *what, const uint8_t *bytes, size_t size);
int fuzz_format(const void *what, const uint8_t *bytes, size_t size);
int fuzz_refresh(const void *what, const uint8_t *bytes, size_t size);
/** A record that `topomap report --records` reads. */
int fuzz_site(const void *what, const uint8_t *bytes, size_t size);
int fuzz_words(const void *what, const uint8_t *bytes, size_t size);
