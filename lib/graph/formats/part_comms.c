/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows by communicators: who is who in them is known when all ranks have been read. */
#include <stdlib.h>

#include "graph/formats/parts.h"
#include "util/alloc.h"

struct topomap_part_member {
    uint64_t comm;
    uint32_t size, rank; /* in it */
    uint32_t of;         /* rank of the run */
};

struct topomap_part_sent {
    uint64_t comm;
    uint32_t size, to; /* in it */
    uint32_t from;     /* rank of the run */
    uint64_t bytes, messages;
};

TOPOMAP_COMPARE(by_place, struct topomap_part_member,
                TOPOMAP_ORDER(x->comm, y->comm) ?: TOPOMAP_ORDER(x->size, y->size),
                TOPOMAP_ORDER(x->rank, y->rank))
TOPOMAP_COMPARE(by_member, struct topomap_part_member, by_place(x, y), TOPOMAP_ORDER(x->of, y->of))

int topomap_part_comms_begin(topomap_parts *parts, uint32_t rank, const topomap_part_row *row,
                             topomap_error *err)
{
    struct topomap_part_comms *comms = &parts->comms;

    if (row->messages_out > TOPOMAP_GRAPH_RANKS || row->partner >= row->messages_out)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a communicator's ranks are impossible");
    comms->any = 1;
    comms->now = row->bytes_out;
    comms->size = (uint32_t)row->messages_out;
    return TOPOMAP_APPEND(
        comms->member, comms->members, comms->member_room, err,
        (struct topomap_part_member){
            .comm = comms->now, .size = comms->size, .rank = row->partner, .of = rank});
}

int topomap_part_comms_add(topomap_parts *parts, uint32_t rank, const topomap_part_row *row,
                           topomap_error *err)
{
    struct topomap_part_comms *comms = &parts->comms;

    if (row->partner >= comms->size || row->phase || row->messages_in)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a partner is no rank of its communicator");
    parts->sums.bytes += row->bytes_out;
    parts->sums.messages += row->messages_out;
    if (parts->no_arcs)
        return 0;
    return TOPOMAP_APPEND(comms->sent, comms->sents, comms->sent_room, err,
                          (struct topomap_part_sent){comms->now, comms->size, row->partner, rank,
                                                     row->bytes_out, row->messages_out});
}

/* Of a member that was seen as one rank of the run alone; NULL: it was not. */
static const struct topomap_part_member *find(const struct topomap_part_comms *comms,
                                              const struct topomap_part_sent *sent)
{
    const struct topomap_part_member key = {sent->comm, sent->size, sent->to, 0}, *found, *same;

    if (!comms->members)
        return NULL;
    same = found = bsearch(&key, comms->member, comms->members, sizeof key, by_place);
    for (; same && same > comms->member && !by_place(same - 1, &key); same--)
        if (same[-1].of != found->of)
            return NULL;
    for (; same && same < comms->member + comms->members && !by_place(same, &key); same++)
        if (same->of != found->of)
            return NULL;
    return found;
}

int topomap_part_comms_take(topomap_parts *parts, topomap_error *err)
{
    struct topomap_part_comms *comms = &parts->comms;

    TOPOMAP_SORT(comms->member, comms->members, by_member);
    for (size_t i = 0; i < comms->sents; i++) {
        const struct topomap_part_sent *sent = &comms->sent[i];
        const struct topomap_part_member *to = find(comms, sent);

        if (!to)
            comms->left_out++;
        else if (topomap_arcs_add(&parts->arcs, sent->from, to->of, sent->bytes, sent->messages,
                                  err))
            return -1;
    }
    return 0;
}

void topomap_part_comms_clear(topomap_parts *parts)
{
    free(parts->comms.member);
    free(parts->comms.sent);
}
