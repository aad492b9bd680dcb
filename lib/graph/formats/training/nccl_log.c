/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs of NCCL and RCCL (NCCL_DEBUG=INFO): lines `[LABEL:] HOST:PID:TID [DEVICE] NCCL INFO
 * MESSAGE`, of all ranks in any order. NCCL documents none of it; src/init.cc, src/graph/rings.cc
 * and src/enqueue.cc of its releases 2.4 to 2.28 print [FUNCTION] comm PTR rank R nranks N cudaDev
 * D .. [commId ID | parent PTR splitCount K color C]
 *       - Init START, before what follows (since 2.18), and - Init COMPLETE behind it
 *   Ring 00 : PREV -> RANK -> NEXT (since 2.8); Channel 00[/COUNT] : RANK RANK .. (rank 0, the
 * ring) Trees [CHANNEL] UP->RANK->DOWN/DOWN/DOWN (2.4), DOWN/DOWN/DOWN->RANK->UP|UP->RANK->DOWN/..
 * (2.5 to 2.7), DOWN/DOWN/DOWN->RANK->UP (since 2.8); -1 is nobody; cut after 1,023 characters
 *   AllReduce: opCount HEX .. count N datatype T op O root R comm PTR [nranks=N] (a call; subsystem
 *       COLL), where a Send's root is the receiver.
 * The lines of one initialisation come from one thread. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "graph/formats/io.h"
#include "graph/formats/training/nccl.h"
#include "graph/formats/training/nccl_calls.h"
#include "util/alloc.h"

#define CUT_AT                                                                                     \
    1020             /* characters behind "Trees", from which on the last entry may be half of one \
                      */
#define KEY_SIZE 700 /* text of keys; longer names of hosts are cut */

/* A number for each name. */
struct numbers {
    topomap_known names;
    uint32_t *number; /* [names.count] */
    size_t capacity;
};

/* What stands before the message. */
struct origin {
    const char *thread;  /* HOST:PID:TID */
    int length, process; /* of it; of HOST:PID */
    uint64_t label;      /* the number that begins the line, and one; 0: none */
};

struct reader {
    topomap_input *input;
    struct origin origin; /* of the line */
    topomap_nccl log;
    struct numbers session_of; /* by thread: its open session */
    struct numbers member_of;  /* by process and pointer */
    struct numbers member_at;  /* by communicator and rank */
    struct numbers comm_of;    /* by what tells it from others */
    struct numbers same_of;    /* by GPU and size: communicators that have nothing to tell them */
};

/* What a line of an initialisation says. */
struct init {
    const char *comm, *id, *parent, *color, *count; /* words; NULL: not there */
    uint64_t rank, size, device;
};

/* ---- Names ----------------------------------------------------------------------------------- */

/* Where the number of a name is kept, TOPOMAP_NCCL_NONE where it is new; NULL on failure. */
static uint32_t *number_of(struct numbers *numbers, const char *name, topomap_error *err)
{
    size_t count = numbers->names.count;
    uint32_t id;

    if (topomap_known_number(&numbers->names, name, strlen(name), &id, err) ||
        (id == count &&
         TOPOMAP_APPEND(numbers->number, count, numbers->capacity, err, TOPOMAP_NCCL_NONE)))
        return NULL;
    return &numbers->number[id];
}

static void numbers_clear(struct numbers *numbers)
{
    topomap_known_clear(&numbers->names);
    free(numbers->number);
}

static int word_length(const char *word)
{
    size_t length = strcspn(word, " \t,]");

    return (int)(length < 80 ? length : 80);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* `3: ` of srun --label, `[rank3]:` of torchrun, `[1,3]<stdout>:` of mpirun. */
static uint64_t label_of(const char *line, const char *end)
{
    const char *at = topomap_text_blanks(line);
    uint64_t number;

    if (*at == '[') {
        at += strncmp(at, "[rank", 5) == 0 ? 5 : 1;
        if (at[-1] == '[') { /* the job's number stands first */
            if (topomap_text_number(&at, &number) || *at++ != ',')
                return 0;
        }
        if (topomap_text_number(&at, &number) || *at != ']')
            return 0;
    } else if (topomap_text_number(&at, &number) || *at != ':' || at[1] != ' ') {
        return 0;
    }
    return at < end && number < TOPOMAP_GRAPH_RANKS ? number + 1 : 0;
}

/* The message of a line; NULL where it is none of NCCL's. */
static const char *message_of(const char *line, struct origin *origin)
{
    static const char mark[] = "] NCCL INFO ";
    const char *end = strstr(line, mark), *message = end ? end + sizeof mark - 1 : NULL, *at;
    int colons = 0;

    while (end && end > line && *end != '[') /* the device */
        end--;
    while (end && end > line && end[-1] == ' ')
        end--;
    if (!end || end == line || *end != ' ')
        return NULL;
    for (at = end; at > line && at[-1] != ' '; at--)
        if (at[-1] == ':' && ++colons == 1)
            origin->process = (int)(end - at);
    if (colons < 2)
        return NULL;
    origin->thread = at;
    origin->length = (int)(end - at);
    origin->process = origin->length - origin->process - 1;
    if (origin->process > KEY_SIZE)
        origin->process = KEY_SIZE;
    origin->label = label_of(line, at);
    return message;
}

/* The word behind `name `; NULL where it is not there. */
static const char *word_behind(const char *message, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = message; (at = strstr(at, name)); at += length)
        if ((at == message || at[-1] == ' ') && at[length] == ' ')
            return topomap_text_blanks(at + length);
    return NULL;
}

static int number_behind(const char *message, const char *name, uint64_t *value)
{
    const char *at = word_behind(message, name);

    return at && !topomap_text_number(&at, value) ? 0 : -1;
}

/* ---- Initialisations ------------------------------------------------------------------------- */

static int session_new(struct reader *in, uint32_t *session, topomap_error *err)
{
    *session = (uint32_t)in->log.sessions;
    return TOPOMAP_APPEND(in->log.session, in->log.sessions, in->log.session_capacity, err,
                          TOPOMAP_NCCL_NONE);
}

/* The thread's open session; one is begun where there is none. */
static uint32_t *session_at(struct reader *in, topomap_error *err)
{
    char key[KEY_SIZE];
    uint32_t *session;

    snprintf(key, sizeof key, "%.*s", in->origin.length, in->origin.thread);
    session = number_of(&in->session_of, key, err);
    if (session && *session == TOPOMAP_NCCL_NONE && session_new(in, session, err))
        return NULL;
    return session;
}

static uint32_t *member_by_pointer(struct reader *in, const char *pointer, topomap_error *err)
{
    char key[KEY_SIZE + 90];

    snprintf(key, sizeof key, "%.*s %.*s", in->origin.process, in->origin.thread,
             word_length(pointer), pointer);
    return number_of(&in->member_of, key, err);
}

/* What tells the communicator from others. Old releases say nothing of it: the GPU's first one of
 * that size is taken to be the first one of others. */
static int comm_key(struct reader *in, const struct init *init, uint32_t device, char *key,
                    size_t room, topomap_error *err)
{
    unsigned long size = (unsigned long)init->size;
    uint32_t *number;

    if (init->id) {
        snprintf(key, room, "%lu id %.*s", size, word_length(init->id), init->id);
        return 0;
    }
    if (init->parent && init->color) {
        number = member_by_pointer(in, init->parent, err);
        if (!number)
            return -1;
        if (*number != TOPOMAP_NCCL_NONE) {
            snprintf(key, room, "%lu of %lu color %.*s", size,
                     (unsigned long)in->log.member[*number].comm, word_length(init->color),
                     init->color);
            if (init->count)
                topomap_text_append(key, room, " at %.*s", word_length(init->count), init->count);
            return 0;
        }
    }
    snprintf(key, room, "%lu %lu", (unsigned long)device, size);
    number = number_of(&in->same_of, key, err);
    if (!number)
        return -1;
    *number = *number == TOPOMAP_NCCL_NONE ? 0 : *number + 1;
    snprintf(key, room, "%lu number %lu", size, (unsigned long)*number);
    return 0;
}

static int device_of(struct reader *in, const struct init *init, uint32_t *device,
                     topomap_error *err)
{
    size_t count = in->log.devices.count;
    char key[KEY_SIZE + 30];

    snprintf(key, sizeof key, "%.*s %llu", in->origin.process, in->origin.thread,
             (unsigned long long)init->device);
    if (topomap_known_number(&in->log.devices, key, strlen(key), device, err))
        return -1;
    return *device < count ? 0
                           : TOPOMAP_APPEND(in->log.label, count, in->log.label_capacity, err,
                                            in->origin.label);
}

/* The GPU's place in its communicator, which may be new. */
static int member_of(struct reader *in, const struct init *init, uint32_t *index,
                     topomap_error *err)
{
    topomap_nccl *log = &in->log;
    uint32_t *comm, *member, device;
    char key[KEY_SIZE];

    if (device_of(in, init, &device, err) || comm_key(in, init, device, key, sizeof key, err) ||
        !(comm = number_of(&in->comm_of, key, err)))
        return -1;
    if (*comm == TOPOMAP_NCCL_NONE) {
        *comm = (uint32_t)log->comms;
        if (TOPOMAP_APPEND(log->comm, log->comms, log->comm_capacity, err,
                           (struct topomap_nccl_comm){.size = (uint32_t)init->size}))
            return -1;
    }
    snprintf(key, sizeof key, "%lu %lu", (unsigned long)*comm, (unsigned long)init->rank);
    member = number_of(&in->member_at, key, err);
    if (!member)
        return -1;
    if (*member == TOPOMAP_NCCL_NONE) {
        *member = (uint32_t)log->members;
        if (TOPOMAP_APPEND(log->member, log->members, log->member_capacity, err,
                           (struct topomap_nccl_member){
                               .comm = *comm, .rank = (uint32_t)init->rank, .device = device}))
            return -1;
    } else if (log->member[*member].device != device) {
        log->comm[*comm].shared = 1;
    }
    *index = *member;
    return 0;
}

static int init_line(struct reader *in, const char *message, int ends, topomap_error *err)
{
    struct init init = {.comm = word_behind(message, "comm"),
                        .id = word_behind(message, "commId"),
                        .parent = word_behind(message, "parent"),
                        .color = word_behind(message, "color"),
                        .count = word_behind(message, "splitCount")
                                     ?: word_behind(message, "childCount")};
    uint32_t *session, *pointed, member;

    if (!init.comm || number_behind(message, "rank", &init.rank) ||
        number_behind(message, "nranks", &init.size) ||
        number_behind(message, "cudaDev", &init.device))
        return 0;
    if (init.rank >= init.size || init.size > TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(in->input, err, "rank %llu of %llu ranks",
                                  (unsigned long long)init.rank, (unsigned long long)init.size);
    session = session_at(in, err);
    if (!session)
        return -1;
    if (!ends) { /* whatever was open has failed */
        if (session_new(in, session, err))
            return -1;
        if (!init.id && !init.parent) /* it is told at the end */
            return 0;
    } else if (in->log.session[*session] != TOPOMAP_NCCL_NONE) {
        *session = TOPOMAP_NCCL_NONE; /* its beginning has said all of it */
        return 0;
    }
    if (member_of(in, &init, &member, err))
        return -1;
    in->log.session[*session] = in->log.member[member].comm;
    if (ends)
        *session = TOPOMAP_NCCL_NONE;
    pointed = member_by_pointer(in, init.comm, err);
    if (!pointed)
        return -1;
    *pointed = member;
    return 0;
}

/* ---- Rings and trees ------------------------------------------------------------------------- */

static int arc_add(struct reader *in, struct topomap_nccl_arc arc, topomap_error *err)
{
    uint32_t *session = session_at(in, err);

    if (!session)
        return -1;
    arc.session = *session;
    return TOPOMAP_APPEND(in->log.arc, in->log.arcs, in->log.arc_capacity, err, arc);
}

static int rank_read(const char **at, uint32_t *rank)
{
    uint64_t value;

    *at = topomap_text_blanks(*at);
    if (topomap_text_number(at, &value) || value >= TOPOMAP_GRAPH_RANKS)
        return -1;
    *rank = (uint32_t)value;
    return 0;
}

/* `00 : 6 -> 7 -> 0`; the rank before says the same of itself, if its lines are here. */
static int ring_line(struct reader *in, const char *at, topomap_error *err)
{
    struct topomap_nccl_arc arc = {.how = TOPOMAP_NCCL_RING};
    uint32_t rank[3], ranks = 0;

    if (rank_read(&at, &arc.channel))
        return 0;
    at = topomap_text_blanks(at);
    if (*at++ != ':')
        return 0;
    while (ranks < 3 && !rank_read(&at, &rank[ranks])) {
        ranks++;
        at = topomap_text_blanks(at);
        if (strncmp(at, "->", 2) != 0)
            break;
        at += 2;
    }
    for (uint32_t i = 0; ranks == 3 && i < 2; i++) { /* of two: a connection of any kind */
        arc.from = rank[i];
        arc.to = rank[i + 1];
        if (arc_add(in, arc, err))
            return -1;
    }
    return 0;
}

/* `00/02 : 0 1 3 2`, a ring; `00/0 : 0[0] -> 1[1] via P2P` is a connection, of a ring, a tree or a
 * pair. */
static int channel_line(struct reader *in, const char *at, topomap_error *err)
{
    struct topomap_nccl_arc arc = {.how = TOPOMAP_NCCL_RING};
    uint32_t channels, first;
    const char *list;

    if (rank_read(&at, &arc.channel) || (*at == '/' && (at++, rank_read(&at, &channels))))
        return 0;
    at = topomap_text_blanks(at);
    if (*at++ != ':')
        return 0;
    list = at;
    if (strspn(list, "0123456789 \t") != strlen(list) || rank_read(&at, &first))
        return 0;
    for (arc.from = first; !rank_read(&at, &arc.to); arc.from = arc.to)
        if (arc_add(in, arc, err))
            return -1;
    arc.to = first;
    return arc.from == first ? 0 : arc_add(in, arc, err);
}

/* A part of a tree's entry, such as `1/-1/-1` of `1/-1/-1->0->-1`: what flows up flows down, too.
 */
static int tree_part(struct reader *in, struct topomap_nccl_arc arc, const char *at,
                     topomap_error *err)
{
    uint32_t rank = arc.from;

    for (;; at++) {
        uint32_t other;
        int nobody = *at == '-';

        at += nobody;
        if (rank_read(&at, &other))
            return 0;
        arc.from = rank;
        arc.to = other;
        if (!nobody && arc_add(in, arc, err))
            return -1;
        arc.from = other;
        arc.to = rank;
        if (!nobody && arc_add(in, arc, err))
            return -1;
        if (*at != '/')
            return 0;
    }
}

/* One entry, [at, end): up to two trees, with | between them. */
static int tree_entry(struct reader *in, uint32_t channel, const char *at, const char *end,
                      topomap_error *err)
{
    while (at < end) {
        struct topomap_nccl_arc arc = {.how = TOPOMAP_NCCL_TREE, .channel = channel};
        const char *bar = memchr(at, '|', (size_t)(end - at)), *stop = bar ? bar : end;
        const char *one = memmem(at, (size_t)(stop - at), "->", 2), *middle = one ? one + 2 : NULL;
        const char *two = middle ? memmem(middle, (size_t)(stop - middle), "->", 2) : NULL;

        if (!two || rank_read(&middle, &arc.from) || middle != two)
            return 0;
        if (tree_part(in, arc, at, err) || tree_part(in, arc, two + 2, err))
            return -1;
        at = bar ? bar + 1 : end;
    }
    return 0;
}

static int trees_line(struct reader *in, const char *at, topomap_error *err)
{
    int cut = strlen(at) >= CUT_AT;

    while ((at = strchr(at, '['))) {
        const char *next = strchr(++at, '[');
        uint32_t channel;

        if ((cut && !next) || rank_read(&at, &channel) || *at++ != ']')
            return 0;
        at = topomap_text_blanks(at);
        if (tree_entry(in, channel, at, at + strcspn(at, " \t["), err))
            return -1;
    }
    return 0;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Bytes of an element, by ncclDataType_t (nccl.h). */
static const unsigned char element_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

static int call_line(struct reader *in, const char *message, const char *colon, topomap_error *err)
{
    const topomap_nccl_call *call = topomap_nccl_call_named(message, (size_t)(colon - message));
    const char *pointer = word_behind(message, "comm");
    struct topomap_nccl_member *member;
    uint64_t count, type, root = 0;
    uint32_t *index;
    double bytes, ranks;

    if (!call || !pointer || number_behind(message, "count", &count) ||
        number_behind(message, "datatype", &type) || type >= sizeof element_bytes ||
        number_behind(message, "root", &root))
        return 0;
    index = member_by_pointer(in, pointer, err);
    if (!index)
        return -1;
    if (*index == TOPOMAP_NCCL_NONE)
        return 0;
    member = &in->log.member[*index];
    ranks = in->log.comm[member->comm].size;
    bytes = (double)count * element_bytes[type];
    member->ring += topomap_nccl_ring_bytes(call, bytes, ranks);
    if (call->way == TOPOMAP_NCCL_EACH ||
        (call->way == TOPOMAP_NCCL_FROM_ROOT && root == member->rank))
        member->each += bytes;
    else if (call->way == TOPOMAP_NCCL_TO_ROOT && root < in->log.comm[member->comm].size)
        return TOPOMAP_APPEND(in->log.send, in->log.sends, in->log.send_capacity, err,
                              (struct topomap_nccl_send){*index, (uint32_t)root, bytes});
    return 0;
}

/* ---- The file -------------------------------------------------------------------------------- */

static int line_read(void *reader, const char *line, topomap_error *err)
{
    struct reader *in = reader;
    const char *message, *colon;

    in->origin = (struct origin){0};
    message = message_of(line, &in->origin);
    if (!message)
        return 0;
    if (strstr(message, "Init COMPLETE") || strstr(message, "Init START"))
        return init_line(in, message, strstr(message, "Init COMPLETE") != NULL, err);
    if (!strncmp(message, "Ring ", 5))
        return ring_line(in, message + 5, err);
    if (!strncmp(message, "Channel ", 8))
        return channel_line(in, message + 8, err);
    if (!strncmp(message, "Trees", 5))
        return trees_line(in, message + 5, err);
    colon = strstr(message, ": opCount ");
    return colon ? call_line(in, message, colon, err) : 0;
}

static int nccl_log_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.input = source->input};
    int status = topomap_lines_read(source->input, 0, line_read, &in, err) ||
                         topomap_nccl_graph(source->input, &in.log, graph, err)
                     ? -1
                     : 0;

    topomap_nccl_clear(&in.log);
    numbers_clear(&in.session_of);
    numbers_clear(&in.member_of);
    numbers_clear(&in.member_at);
    numbers_clear(&in.comm_of);
    numbers_clear(&in.same_of);
    return status;
}

static int nccl_log_sniff(const char *bytes, size_t size)
{
    return memmem(bytes, size, "] NCCL INFO ", 12) ? TOPOMAP_SURE : TOPOMAP_SURE_NOT;
}

const topomap_graph_io topomap_nccl_log = {
    .row =
        {"nccl-log",
         "log of NCCL_DEBUG=INFO, of all ranks: bytes of its calls (NCCL_DEBUG_SUBSYS=INIT,GRAPH,"
         "COLL), else 1 for each connection of each ring and tree",
         "log", 1, 0, NULL},
    .sniff = nccl_log_sniff,
    .read = nccl_log_read,
};
