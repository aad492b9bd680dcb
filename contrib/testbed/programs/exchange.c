/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

bool part_make(struct part *part, const struct pattern *pattern, int rank)
{
    size_t bytes = 1, before = 0;

    *part = (struct part){.phases = pattern->phases};
    part->in = malloc((pattern->messages + 1) * sizeof(const struct message *));
    part->out = malloc((pattern->messages + 1) * sizeof(const struct message *));
    if (!part->in || !part->out)
        return false;
    for (size_t m = 0; m < pattern->messages; m++) {
        const struct message *message = &pattern->message[m];

        if (message->to == rank)
            part->in[part->ins++] = message;
        if (message->from == rank)
            part->out[part->outs++] = message;
        if (message->to == rank)
            before += (size_t)message->bytes;
        if (message->to == rank || message->from == rank)
            bytes += (size_t)message->bytes;
    }
    part->buffer = calloc(bytes, 1);
    part->to_send = part->buffer ? part->buffer + before : NULL;
    part->request = malloc((size_t)(part->ins + part->outs + 1) * sizeof *part->request);
    part->status = malloc((size_t)(part->ins + part->outs + 1) * sizeof *part->status);
    return part->buffer && part->request && part->status;
}

void part_free(struct part *part)
{
    free(part->in);
    free(part->out);
    free(part->buffer);
    free(part->request);
    free(part->status);
}

/* Compares a message with what it is to be, or makes it that. */
static bool is_right(unsigned char *buffer, const struct message *message, int iteration, bool make)
{
    uint64_t state = ((uint64_t)message->from << 44) ^ ((uint64_t)message->to << 24) ^
                     ((uint64_t)message->phase << 20) ^ (uint64_t)iteration;
    size_t bytes = (size_t)message->bytes, length;

    for (size_t at = 0; at < bytes; at += length) {
        uint64_t word = splitmix64(&state);

        length = bytes - at < sizeof word ? bytes - at : sizeof word;
        if (make)
            memcpy(buffer + at, &word, length);
        else if (memcmp(buffer + at, &word, length) != 0)
            return false;
    }
    return true;
}

void part_fill(const struct part *part, int iteration)
{
    unsigned char *at = part->to_send;

    for (int i = 0; i < part->outs; at += part->out[i++]->bytes)
        is_right(at, part->out[i], iteration, true);
}

int part_wrong(const struct part *part, int iteration)
{
    unsigned char *at = part->buffer;
    int wrong = 0;

    for (int i = 0; i < part->ins; at += part->in[i++]->bytes)
        wrong += !is_right(at, part->in[i], iteration, false);
    return wrong;
}

void part_exchange(const struct part *part,
                   void (*wait)(int requests, MPI_Request *request, MPI_Status *status))
{
    unsigned char *in_at = part->buffer, *out_at = part->to_send;
    int in = 0, out = 0;

    for (int phase = 0; phase < part->phases; phase++) {
        int requests = 0;

        for (; in < part->ins && part->in[in]->phase == phase; in_at += part->in[in++]->bytes)
            MPI_Irecv(in_at, part->in[in]->bytes, MPI_BYTE, part->in[in]->from, phase,
                      MPI_COMM_WORLD, &part->request[requests++]);
        for (; out < part->outs && part->out[out]->phase == phase;
             out_at += part->out[out++]->bytes)
            MPI_Isend(out_at, part->out[out]->bytes, MPI_BYTE, part->out[out]->to, phase,
                      MPI_COMM_WORLD, &part->request[requests++]);
        wait(requests, part->request, part->status);
    }
}
