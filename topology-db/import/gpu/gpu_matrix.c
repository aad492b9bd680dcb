/* SPDX-License-Identifier: BSD-3-Clause */
/* `nvidia-smi topo -m`: a matrix of words, one row a GPU or NIC, with the CPUs and the NUMA node
 * next to each GPU; then legends, of which "NIC0: mlx5_0" names the NICs (older drivers have their
 * names in the matrix itself). Terminals underline the header: escape sequences. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/import.h"
#include "util/alloc.h"

enum { WORDS = TOPOMAP_DEVICES_MOST + 16, NAME = 32 };

struct matrix {
    struct db_devices_file file;             /* first, as it is what is written */
    uint32_t columns, rows;                  /* columns 0: no header yet */
    char name[TOPOMAP_DEVICES_MOST][NAME];   /* of rows and columns */
    char legend[TOPOMAP_DEVICES_MOST][NAME]; /* what NIC<n> is */
    char *cpus[TOPOMAP_DEVICES_MOST];
    int32_t numa[TOPOMAP_DEVICES_MOST];
    uint16_t cell[TOPOMAP_DEVICES_MOST][TOPOMAP_DEVICES_MOST]; /* near, or LINKS + NVLinks */
    int legends;                                               /* behind the matrix */
};

enum { LINKS = 256 };

/* Escape sequences of ECMA-48, and carriage returns: out of the line. */
static void clean(char *line)
{
    char *to = line;

    while (*line) {
        if (line[0] == '\033' && line[1] == '[') {
            line += 2;
            line += strspn(line, "0123456789;?");
            line += *line != 0;
        } else if (*line == '\r') {
            line++;
        } else {
            *to++ = *line++;
        }
    }
    *to = 0;
}

static int is_numbered(const char *word, const char *stem)
{
    size_t length = strlen(stem);

    return strncmp(word, stem, length) == 0 && isdigit((unsigned char)word[length]) &&
           !word[length + strspn(word + length, "0123456789")];
}

static int take_header(struct db_import *import, struct matrix *m, char **word, int words)
{
    for (int i = 0; i < words && strcmp(word[i], "CPU") != 0; i++) {
        if (m->columns == TOPOMAP_DEVICES_MOST || strlen(word[i]) >= NAME)
            return db_fail_here(import, "more than %d devices", TOPOMAP_DEVICES_MOST);
        for (uint32_t k = 0; k < m->columns; k++)
            if (strcmp(m->name[k], word[i]) == 0)
                return db_fail_here(import, "'%s' stands in the header twice", word[i]);
        strcpy(m->name[m->columns++], word[i]);
    }
    return 0;
}

/* NV18, PIX, ...; 0 for what is none. SOC was SYS in old drivers. */
static uint16_t cell_of(const char *word)
{
    unsigned long links;

    if (is_numbered(word, "NV")) {
        links = strtoul(word + 2, NULL, 10);
        return links && links < 10000 ? (uint16_t)(LINKS + links) : 0;
    }
    return (uint16_t)topomap_near_of(strcmp(word, "SOC") == 0 ? "SYS" : word);
}

/* Behind the cells: the CPU list, the NUMA node; NICs have none. */
static int take_affinity(struct matrix *m, char **word, int words, topomap_error *err)
{
    m->numa[m->rows] = -1;
    if (words > 0 && isdigit((unsigned char)*word[0]) &&
        !word[0][strspn(word[0], "0123456789,-")]) {
        m->cpus[m->rows] = topomap_strdup(word[0], err);
        if (!m->cpus[m->rows])
            return -1;
    }
    if (words > 1 && isdigit((unsigned char)*word[1]) && strlen(word[1]) < 7 &&
        !word[1][strspn(word[1], "0123456789")])
        m->numa[m->rows] = (int32_t)strtol(word[1], NULL, 10);
    return 0;
}

static int take_row(struct db_import *import, struct matrix *m, char **word, int words)
{
    if (m->rows == m->columns || strcmp(word[0], m->name[m->rows]) != 0)
        return db_fail_here(import, "expected the row of %s, found '%.40s'",
                            m->rows < m->columns ? m->name[m->rows] : "nothing more", word[0]);
    if (words < (int)m->columns + 1)
        return db_fail_here(import, "%s has %d cells of %u: cut or wrapped", word[0], words - 1,
                            m->columns);
    for (uint32_t i = 0; i < m->columns; i++) {
        uint16_t cell = cell_of(word[i + 1]);

        if (!cell || (cell == TOPOMAP_NEAR_SELF) != (i == m->rows))
            return db_fail_here(
                import, "%s, %s: '%.20s' is none of X, NV and a number, PIX, PXB, PHB, NODE, SYS%s",
                m->name[m->rows], m->name[i], word[i + 1],
                cell ? ", X standing in the diagonal alone" : "");
        if (i < m->rows && m->cell[i][m->rows] != cell)
            return db_fail_here(import, "%s to %s is '%s', but the other way it is not", m->name[i],
                                m->name[m->rows], word[i + 1]);
        m->cell[m->rows][i] = cell;
    }
    if (take_affinity(m, word + 1 + m->columns, words - 1 - (int)m->columns, import->err))
        return -1;
    m->rows++;
    return 0;
}

static void take_legend(struct matrix *m, char **word)
{
    char name[NAME + 1];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word[0], ":"), word[0]);
    for (uint32_t i = 0; i < m->columns; i++)
        if (strcmp(m->name[i], name) == 0 && strlen(word[1]) < NAME)
            strcpy(m->legend[i], word[1]);
}

static int read_line(struct db_import *import, void *content, char *line)
{
    struct matrix *m = content;
    char *word[WORDS];
    int words;

    clean(line);
    words = db_words(line, " \t", word, WORDS);
    if (!words)
        return 0;
    if (!m->columns)
        return is_numbered(word[0], "GPU") ? take_header(import, m, word, words) : 0;
    if (m->rows < m->columns)
        return take_row(import, m, word, words);
    if (words == 2 && word[0][strlen(word[0]) - 1] == ':')
        take_legend(m, word);
    return 0;
}

static int add_device(struct matrix *m, uint32_t i, topomap_error *err)
{
    int gpu = is_numbered(m->name[i], "GPU");
    topomap_device *device =
        topomap_devices_add(&m->file.devices, gpu ? TOPOMAP_DEVICE_GPU : TOPOMAP_DEVICE_NIC, err);
    char name[NAME];

    if (!device)
        return -1;
    if (gpu) {
        snprintf(name, sizeof name, "nvml%.20s", m->name[i] + 3);
        strcpy(device->vendor, "nvidia");
    } else {
        snprintf(name, sizeof name, "%s", *m->legend[i] ? m->legend[i] : m->name[i]);
    }
    topomap_device_called(device, name, 1);
    device->numa = m->numa[i];
    device->cpus = m->cpus[i];
    m->cpus[i] = NULL;
    return 0;
}

static int check(struct db_import *import, void *content)
{
    struct matrix *m = content;
    topomap_devices *d = &m->file.devices;

    if (!m->columns)
        return db_fail_here(import, "no header 'GPU0 GPU1 ...': expected what `nvidia-smi topo -m` "
                                    "prints");
    if (m->rows < m->columns)
        return db_fail_here(import, "cut: the row of %s is missing", m->name[m->rows]);
    for (uint32_t i = 0; i < m->columns; i++) {
        if (i && is_numbered(m->name[i], "GPU") && !is_numbered(m->name[i - 1], "GPU"))
            return db_fail_here(import, "%s stands behind a NIC", m->name[i]);
        if (add_device(m, i, import->err))
            return -1;
    }
    if (topomap_devices_pairs(d, import->err))
        return -1;
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (m->cell[i][j] < LINKS)
                topomap_devices_set_near(d, i, j, (enum topomap_near)m->cell[i][j]);
            else if (i < d->gpus)
                topomap_devices_set_link(d, i, j, m->cell[i][j] - LINKS, 0);
        }
    return topomap_devices_finish(d, import->err);
}

static void matrix_clear(void *content)
{
    struct matrix *m = content;

    for (uint32_t i = 0; i < m->columns; i++)
        free(m->cpus[i]);
    db_devices_clear_file(content);
}

const db_importer db_gpu_matrix = {
    .row =
        {"gpu-matrix",
         "GPUs and NICs of nodes: what `nvidia-smi topo -m` printed on one, for --nodes HOSTLIST"},
    .tables = {"node_devices", "own_device"},
    .for_nodes = 1,
    .size = sizeof(struct matrix),
    .begin = db_devices_nodes,
    .line = read_line,
    .check = check,
    .write = db_devices_write_file,
    .clear = matrix_clear,
};
