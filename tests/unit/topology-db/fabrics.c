/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/topology-db/fabrics.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/scratch.h"

struct fabric *fabric_new(uint32_t switches)
{
    struct fabric *f = calloc(1, sizeof *f);

    f->switches = switches;
    return f;
}

void fabric_join(struct fabric *f, uint32_t a, uint32_t aport, uint32_t b, uint32_t bport)
{
    uint32_t l = f->links++;

    f->a[l] = a;
    f->b[l] = b;
    f->aport[l] = (uint8_t)(aport ? aport : ++f->port[a]);
    f->bport[l] = (uint8_t)(bport ? bport : ++f->port[b]);
}

struct fabric *fabric_grid(uint32_t dims, const uint32_t *dim, uint32_t wrap, uint32_t hosts,
                           int scrambled)
{
    uint32_t switches = 1, stride = 1;
    struct fabric *f;

    for (uint32_t d = 0; d < dims; d++)
        switches *= dim[d];
    f = fabric_new(switches);
    for (uint32_t d = 0; d < dims; stride *= dim[d++])
        for (uint32_t i = 0; i < switches; i++) {
            uint32_t here = i / stride % dim[d], next = i + stride;

            if (here + 1 == dim[d]) {
                if (!(wrap >> d & 1) || dim[d] == 2)
                    continue;
                next = i - here * stride;
            }
            fabric_join(f, i, scrambled ? 0 : 2 * d + 1, next, scrambled ? 0 : 2 * d + 2);
        }
    for (uint32_t i = 0; i < switches; i++) {
        f->hosts[i] = hosts;
        if (!scrambled)
            f->port[i] = (uint8_t)(2 * dims);
    }
    return f;
}

struct fabric *fabric_tree(uint32_t pods, uint32_t leaves, uint32_t spines, uint32_t cores,
                           uint32_t hosts, uint32_t parallel)
{
    uint32_t pod = leaves + spines;
    struct fabric *f = fabric_new(pods * pod + spines * cores);

    for (uint32_t p = 0; p < pods; p++)
        for (uint32_t l = 0; l < leaves; l++) {
            f->hosts[p * pod + l] = hosts;
            for (uint32_t s = 0; s < spines; s++)
                for (uint32_t k = 0; k < parallel; k++)
                    fabric_join(f, p * pod + l, 0, p * pod + leaves + s, 0);
        }
    for (uint32_t p = 0; p < pods; p++)
        for (uint32_t s = 0; s < spines; s++)
            for (uint32_t c = 0; c < cores; c++)
                fabric_join(f, p * pod + leaves + s, 0, pods * pod + s * cores + c, 0);
    return f;
}

struct fabric *fabric_dragonfly(uint32_t groups, uint32_t rows, uint32_t columns, uint32_t hosts,
                                uint32_t between)
{
    uint32_t size = rows * columns, next[FABRIC_SWITCHES] = {0};
    struct fabric *f = fabric_new(groups * size);

    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < size; i++) {
            f->hosts[g * size + i] = hosts;
            for (uint32_t j = i + 1; j < size; j++)
                if (i / columns == j / columns || i % columns == j % columns)
                    fabric_join(f, g * size + i, 0, g * size + j, 0);
        }
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t h = g + 1; h < groups; h++)
            for (uint32_t k = 0; k < between; k++)
                fabric_join(f, g * size + next[g]++ % size, 0, h * size + next[h]++ % size, 0);
    return f;
}

void fabric_cut(struct fabric *f, uint32_t first, uint32_t every)
{
    for (uint32_t l = first; l < f->links; l += every)
        f->cut[l] = 1;
}

const char *fabric_write(struct fabric *f, const char *name)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *path;

    for (uint32_t i = 0; i < f->switches; i++) {
        uint8_t port = f->port[i];

        if (f->gone[i])
            continue;
        fprintf(out,
                "vendid=0x2c9\ndevid=0xd2f0\nSwitch\t255 \"S-%016x\"\t\t# \"sw%u\" base port "
                "0 lid %u lmc 0\n",
                0x200000 + i, i, i + 1);
        for (uint32_t l = 0; l < f->links; l++) {
            if (f->cut[l] || f->gone[f->a[l]] || f->gone[f->b[l]])
                continue;
            if (f->a[l] == i)
                fprintf(out, "[%u]\t\"S-%016x\"[%u]\t\t# \"sw%u\" lid %u 4xHDR\n", f->aport[l],
                        0x200000 + f->b[l], f->bport[l], f->b[l], f->b[l] + 1);
            else if (f->b[l] == i)
                fprintf(out, "[%u]\t\"S-%016x\"[%u]\t\t# \"sw%u\" lid %u 4xHDR\n", f->bport[l],
                        0x200000 + f->a[l], f->aport[l], f->a[l], f->a[l] + 1);
        }
        for (uint32_t h = 0; h < f->hosts[i]; h++)
            fprintf(out, "[%u]\t\"H-%016x\"[1](%x) \t\t# \"h%u-%u HCA-1\" lid %u 4xHDR\n", ++port,
                    0x10000000 + (i << 8 | h) * 2, 0x10000001 + (i << 8 | h) * 2, i, h,
                    10000 + i * 16 + h);
        fprintf(out, "\n");
    }
    fclose(out);
    path = scratch_text(name, text);
    free(text);
    free(f);
    return path;
}
